// SPDX-License-Identifier: Apache-2.0
// mjcf_states.c: custom data and keyframes.
#include <string.h>

#include "mjcf_reader.h"

static thud_status copy_numbers(const mjcf_list *list, int size, double **out)
{
    *out = thud_alloc((size_t)size, sizeof **out);
    if (!*out) {
        return THUD_NO_MEMORY;
    }
    memcpy(*out, list->value, (size_t)(list->count < size ? list->count : size) * sizeof **out);
    return THUD_OK;
}

static thud_status read_integrator(mjcf_reader *r, int n, const char *word)
{
    static const char *const words[] = {"midpoint", "euler", "rk4"}; // in the order of thud_integrator
    for (int i = 0; i < 3; i++) {
        if (strcmp(word, words[i]) == 0) {
            r->spec->option.integrator = (thud_integrator)i;
            return THUD_OK;
        }
    }
    return MJCF_FAIL(r, THUD_BAD_FILE, mjcf_place(r, n, "data"),
                     "thud:integrator is midpoint, euler or rk4, not \"%.80s\"", word);
}

static thud_status read_custom(mjcf_reader *r, int n)
{
    const mjcf_element *element = mjcf_node(r, n)->element;
    const thud_place place = mjcf_node(r, n)->place;
    draft_custom d = {.size = -1};
    THUD_TRY(mjcf_read_attributes(r, n, &d));
    if (!d.head.name) {
        return MJCF_FAIL(r, THUD_BAD_FILE, place, "<%s> needs the attribute \"name\"", element->name);
    }
    THUD_TRY(mjcf_name_add(r, element->space, d.head.name, r->spec->customs, place));
    THUD_TRY(mjcf_check_word(r, element->role, d.head.name, place));
    if (element->role == MJCF_ROLE_TUPLE) {
        return THUD_OK;
    }
    const int i = thud_spec_add_custom(r->spec, d.head.name);
    if (i < 0) {
        return THUD_NO_MEMORY;
    }
    thud_spec_custom *c = &r->spec->custom[i];
    c->place = place;
    if (element->role == MJCF_ROLE_TEXT) {
        c->text = thud_spec_intern(r->spec, d.text);
        if (!c->text) {
            return THUD_NO_MEMORY;
        }
        return strcmp(d.head.name, "thud:integrator") == 0 ? read_integrator(r, n, d.text) : THUD_OK;
    }
    const int size = d.size >= 0 ? d.size : d.numbers.count;
    if (size < 1 || size > 1000000 || d.numbers.count > size) {
        return MJCF_FAIL(r, THUD_BAD_FILE, mjcf_place(r, n, d.size >= 0 ? "size" : "data"),
                         "<numeric> holds %d numbers and has room for %d", d.numbers.count, size);
    }
    c->count = size;
    return copy_numbers(&d.numbers, size, &c->number);
}

// ---------------------------------------------------------------------------------------------- keyframes

typedef struct sizes { // of the model's state, as far as the spec tells
    int nq, nv, na, nu, nmocap;
} sizes;

static sizes count_sizes(const thud_spec *spec)
{
    sizes s = {.nu = spec->actuators};
    for (int i = 0; i < spec->joints; i++) {
        static const int nq[] = {1, 1, 4, 7}, nv[] = {1, 1, 3, 6};
        s.nq += nq[spec->joint[i].type];
        s.nv += nv[spec->joint[i].type];
    }
    for (int i = 0; i < spec->actuators; i++) {
        const thud_spec_actuator *a = &spec->actuator[i];
        s.na += a->dynamics == THUD_DYNAMICS_NONE ? 0 : a->actdim > 0 ? a->actdim : 1;
    }
    for (int i = 0; i < spec->bodies; i++) {
        s.nmocap += spec->body[i].mocap;
    }
    return s;
}

static thud_status copy_state(mjcf_reader *r, int n, const char *word, const mjcf_list *list, int size,
                              double **out, int *count)
{
    if (!list->count) {
        return THUD_OK;
    }
    if (list->count != size) {
        return MJCF_FAIL(r, THUD_BAD_FILE, mjcf_place(r, n, word), "%s has %d numbers; the model has %d",
                         word, list->count, size);
    }
    *count = size;
    return copy_numbers(list, size, out);
}

static thud_status read_key(mjcf_reader *r, int n, const sizes *s)
{
    draft_key d = {0};
    THUD_TRY(mjcf_read_attributes(r, n, &d));
    const int i = thud_spec_add_key(r->spec, d.head.name);
    if (i < 0) {
        return THUD_NO_MEMORY;
    }
    const thud_place place = mjcf_node(r, n)->place;
    THUD_TRY(mjcf_name_add(r, MJCF_SPACE_KEY, d.head.name, i, place));
    thud_spec_key *k = &r->spec->key[i];
    k->place = place;
    k->time = d.time;
    THUD_TRY(copy_state(r, n, "qpos", &d.qpos, s->nq, &k->qpos, &k->nqpos));
    THUD_TRY(copy_state(r, n, "qvel", &d.qvel, s->nv, &k->qvel, &k->nqvel));
    THUD_TRY(copy_state(r, n, "act", &d.act, s->na, &k->act, &k->nact));
    THUD_TRY(copy_state(r, n, "ctrl", &d.ctrl, s->nu, &k->ctrl, &k->nctrl));
    THUD_TRY(copy_state(r, n, "mpos", &d.mpos, 3 * s->nmocap, &k->mpos, &k->nmpos));
    return copy_state(r, n, "mquat", &d.mquat, 4 * s->nmocap, &k->mquat, &k->nmquat);
}

thud_status mjcf_read_states(mjcf_reader *r)
{
    const sizes s = count_sizes(r->spec);
    for (int section = mjcf_node(r, 0)->first; section >= 0; section = mjcf_node(r, section)->next) {
        const mjcf_role role = mjcf_node(r, section)->element->role;
        if (role != MJCF_ROLE_CUSTOM && role != MJCF_ROLE_KEYFRAME) {
            continue;
        }
        for (int n = mjcf_node(r, section)->first; n >= 0; n = mjcf_node(r, n)->next) {
            THUD_TRY(role == MJCF_ROLE_CUSTOM ? read_custom(r, n) : read_key(r, n, &s));
        }
    }
    return THUD_OK;
}
