// SPDX-License-Identifier: Apache-2.0
// mjcf_names.c: which name means which element, one namespace a kind, in one hash table.
#include <string.h>

#include "mjcf_reader.h"

const char *mjcf_noun(mjcf_space space)
{
    static const char *const noun[] = {
#define NOUN(name, noun) noun,
        MJCF_SPACE_LIST(NOUN)
#undef NOUN
    };
    return noun[space];
}

// The slot of a name: where it is, or where it would be put.
static int slot_of(const mjcf_name *table, int slots, mjcf_space space, const char *text)
{
    const uint64_t hash = thud_hash(thud_hash(THUD_HASH_START, &space, sizeof space), text, strlen(text));
    int i = (int)(hash % (uint64_t)slots);
    while (table[i].space && (table[i].space != space || strcmp(table[i].text, text) != 0)) {
        i = (i + 1) % slots;
    }
    return i;
}

static bool make_room(mjcf_reader *r)
{
    if (2 * (r->names + 1) <= r->name_slots) {
        return true;
    }
    const int slots = r->name_slots ? 2 * r->name_slots : 64;
    mjcf_name *table = thud_alloc((size_t)slots, sizeof *table);
    if (!table) {
        return false;
    }
    for (int i = 0; i < r->name_slots; i++) {
        if (r->name[i].space) {
            table[slot_of(table, slots, r->name[i].space, r->name[i].text)] = r->name[i];
        }
    }
    thud_free(r->name);
    r->name = table;
    r->name_slots = slots;
    return true;
}

thud_status mjcf_name_add(mjcf_reader *r, mjcf_space space, const char *name, int index, thud_place place)
{
    if (!name) {
        return THUD_OK;
    }
    const char *text = thud_spec_intern(r->spec, name);
    if (!text || !make_room(r)) {
        return THUD_NO_MEMORY;
    }
    mjcf_name *slot = &r->name[slot_of(r->name, r->name_slots, space, text)];
    if (slot->space && slot->place.line) {
        return MJCF_FAIL(r, THUD_BAD_FILE, place, "a second %s named \"%.80s\"; the first is at %s:%d:%d",
                         mjcf_noun(space), name, slot->place.file, slot->place.line, slot->place.column);
    }
    if (slot->space) {
        return MJCF_FAIL(r, THUD_BAD_FILE, place, "the %s \"%.80s\" is there already; choose another name",
                         mjcf_noun(space), name);
    }
    *slot = (mjcf_name){space, text, index, place};
    r->names++;
    return THUD_OK;
}

int mjcf_name_find(const mjcf_reader *r, mjcf_space space, const char *name)
{
    if (!r->name_slots) {
        return -1;
    }
    const mjcf_name *slot = &r->name[slot_of(r->name, r->name_slots, space, name)];
    return slot->space ? slot->index : -1;
}

thud_status mjcf_name_ask(mjcf_reader *r, mjcf_space space, const char *name, thud_place place, int *out)
{
    *out = mjcf_name_find(r, space, name);
    return *out >= 0
               ? THUD_OK
               : MJCF_FAIL(r, THUD_BAD_FILE, place, "there is no %s named \"%.80s\"", mjcf_noun(space), name);
}
