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
static int slot_of(const mjcf_names *names, mjcf_space space, const char *text)
{
    const uint64_t hash = thud_hash(thud_hash(THUD_HASH_START, &space, sizeof space), text, strlen(text));
    int i = (int)(hash % (uint64_t)names->slots);
    while (names->name[i].space &&
           (names->name[i].space != space || strcmp(names->name[i].text, text) != 0)) {
        i = (i + 1) % names->slots;
    }
    return i;
}

static bool make_room(mjcf_names *names)
{
    if (2 * (names->count + 1) <= names->slots) {
        return true;
    }
    mjcf_names bigger = {.count = names->count, .slots = names->slots ? 2 * names->slots : 64};
    bigger.name = thud_alloc((size_t)bigger.slots, sizeof *bigger.name);
    if (!bigger.name) {
        return false;
    }
    for (int i = 0; i < names->slots; i++) {
        if (names->name[i].space) {
            bigger.name[slot_of(&bigger, names->name[i].space, names->name[i].text)] = names->name[i];
        }
    }
    thud_free(names->name);
    *names = bigger;
    return true;
}

mjcf_name *mjcf_names_slot(mjcf_names *names, mjcf_space space, const char *text)
{
    return make_room(names) ? &names->name[slot_of(names, space, text)] : NULL;
}

bool mjcf_names_hold(const mjcf_names *names, mjcf_space space, const char *text)
{
    return names->slots && names->name[slot_of(names, space, text)].space;
}

thud_status mjcf_name_add(mjcf_reader *r, mjcf_space space, const char *name, int index, thud_place place)
{
    if (!name) {
        return THUD_OK;
    }
    const char *text = thud_spec_intern(r->spec, name);
    mjcf_name *slot = text ? mjcf_names_slot(&r->names, space, text) : NULL;
    if (!slot) {
        return THUD_NO_MEMORY;
    }
    if (slot->space && slot->place.line) {
        return MJCF_FAIL(r, THUD_BAD_FILE, place, "a second %s named \"%.80s\"; the first is at %s:%d:%d",
                         mjcf_noun(space), name, slot->place.file, slot->place.line, slot->place.column);
    }
    if (slot->space) {
        return MJCF_FAIL(r, THUD_BAD_FILE, place, "the %s \"%.80s\" is there already; choose another name",
                         mjcf_noun(space), name);
    }
    *slot = (mjcf_name){space, text, index, place};
    r->names.count++;
    return THUD_OK;
}

int mjcf_name_find(const mjcf_reader *r, mjcf_space space, const char *name)
{
    const mjcf_names *names = &r->names;
    return mjcf_names_hold(names, space, name) ? names->name[slot_of(names, space, name)].index : -1;
}

thud_status mjcf_name_ask(mjcf_reader *r, mjcf_space space, const char *name, thud_place place, int *out)
{
    *out = mjcf_name_find(r, space, name);
    return *out >= 0
               ? THUD_OK
               : MJCF_FAIL(r, THUD_BAD_FILE, place, "there is no %s named \"%.80s\"", mjcf_noun(space), name);
}
