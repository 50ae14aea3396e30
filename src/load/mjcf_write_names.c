// SPDX-License-Identifier: Apache-2.0
// mjcf_write_names.c: names for what is referred to without having one, which only a spec made in code has.
#include <stdio.h>
#include <string.h>

#include "mjcf_write.h"

static const mjcf_space space_of[KEPT_KINDS] = {
    [KEPT_BODY] = MJCF_SPACE_BODY, [KEPT_JOINT] = MJCF_SPACE_JOINT,   [KEPT_GEOM] = MJCF_SPACE_GEOM,
    [KEPT_SITE] = MJCF_SPACE_SITE, [KEPT_MESH] = MJCF_SPACE_MESH,     [KEPT_HFIELD] = MJCF_SPACE_HFIELD,
    [KEPT_PAIR] = MJCF_SPACE_PAIR, [KEPT_TENDON] = MJCF_SPACE_TENDON, [KEPT_ACTUATOR] = MJCF_SPACE_ACTUATOR};

#define KEEP(kind, array, count)                                                                             \
    do {                                                                                                     \
        w->name[kind] = pool_push(&w->scratch.tree.pool, (size_t)w->spec->count + 1, sizeof(const char *));  \
        if (!w->name[kind]) {                                                                                \
            return THUD_NO_MEMORY;                                                                           \
        }                                                                                                    \
        for (int i = 0; i < w->spec->count; i++) {                                                           \
            const char *name = w->spec->array[i].name;                                                       \
            w->name[kind][i] = name;                                                                         \
            THUD_TRY(name &&mjcf_name_find(&w->scratch, space_of[kind], name) >= 0                           \
                         ? THUD_OK                                                                           \
                         : mjcf_name_add(&w->scratch, space_of[kind], name, i, w->spec->array[i].place));    \
        }                                                                                                    \
    } while (0)

static thud_status keep_names(mjcf_writer *w)
{
    KEEP(KEPT_BODY, body, bodies);
    KEEP(KEPT_JOINT, joint, joints);
    KEEP(KEPT_GEOM, geom, geoms);
    KEEP(KEPT_SITE, site, sites);
    KEEP(KEPT_MESH, mesh, meshes);
    KEEP(KEPT_HFIELD, hfield, hfields);
    KEEP(KEPT_PAIR, pair, pairs);
    KEEP(KEPT_TENDON, tendon, tendons);
    KEEP(KEPT_ACTUATOR, actuator, actuators);
    return THUD_OK;
}

// Element i of a kind is referred to: it gets a name that no other has, such as geom7.
static void need(mjcf_writer *w, mjcf_kept kind, int i)
{
    const mjcf_space space = space_of[kind];
    if (i < 0 || w->name[kind][i] || w->status != THUD_OK) {
        return;
    }
    enum { SIZE = 48 };
    char *name = pool_push(&w->scratch.tree.pool, SIZE, 1);
    for (int k = 0; name && (k == 0 || mjcf_name_find(&w->scratch, space, name) >= 0); k++) {
        snprintf(name, SIZE, k ? "%s%d_%d" : "%s%d", mjcf_noun(space), i, k);
    }
    w->name[kind][i] = name;
    mjcf_fail_writing(w, name ? mjcf_name_add(&w->scratch, space, name, i, (thud_place){0}) : THUD_NO_MEMORY);
}

static void need_object(mjcf_writer *w, thud_object type, int i)
{
    static const mjcf_kept kind[] = {
        [THUD_OBJECT_NONE] = KEPT_BODY,     [THUD_OBJECT_BODY] = KEPT_BODY,
        [THUD_OBJECT_XBODY] = KEPT_BODY,    [THUD_OBJECT_GEOM] = KEPT_GEOM,
        [THUD_OBJECT_SITE] = KEPT_SITE,     [THUD_OBJECT_JOINT] = KEPT_JOINT,
        [THUD_OBJECT_TENDON] = KEPT_TENDON, [THUD_OBJECT_ACTUATOR] = KEPT_ACTUATOR};
    need(w, kind[type], type == THUD_OBJECT_NONE ? -1 : i);
}

static void need_ends(mjcf_writer *w, const thud_spec_equality *e)
{
    const mjcf_kept kind = e->type == THUD_EQUALITY_JOINT    ? KEPT_JOINT
                           : e->type == THUD_EQUALITY_TENDON ? KEPT_TENDON
                           : e->sites                        ? KEPT_SITE
                                                             : KEPT_BODY;
    need(w, kind, e->object1);
    need(w, kind, e->object2);
}

static void need_stations(mjcf_writer *w)
{
    for (int i = 0; i < w->spec->wraps; i++) {
        const thud_spec_wrap *s = &w->spec->wrap[i];
        const mjcf_kept kind = s->type == THUD_WRAP_JOINT  ? KEPT_JOINT
                               : s->type == THUD_WRAP_SITE ? KEPT_SITE
                                                           : KEPT_GEOM;
        need(w, kind, s->object);
        need(w, KEPT_SITE, s->sidesite);
    }
}

static void need_targets(mjcf_writer *w)
{
    for (int i = 0; i < w->spec->actuators; i++) {
        const thud_spec_actuator *a = &w->spec->actuator[i];
        const thud_transmission t = a->transmission;
        need(w,
             t == THUD_TRANSMISSION_JOINT || t == THUD_TRANSMISSION_JOINT_IN_PARENT ? KEPT_JOINT
             : t == THUD_TRANSMISSION_TENDON                                        ? KEPT_TENDON
             : t == THUD_TRANSMISSION_BODY                                          ? KEPT_BODY
                                                                                    : KEPT_SITE,
             a->target);
        need(w, KEPT_SITE, a->refsite);
        need(w, KEPT_SITE, a->slidersite);
    }
}

// Surfaces that MJCF has no word for are told by name.
static void need_surfaces(mjcf_writer *w)
{
    for (int k = 0; k < MJCF_SURFACE_WORDS; k++) {
        for (int i = 0; i < w->spec->geoms; i++) {
            need(w, KEPT_GEOM, mjcf_is_untold(w, k, false, i) ? i : -1);
        }
        for (int i = 0; i < w->spec->pairs; i++) {
            need(w, KEPT_PAIR, mjcf_is_untold(w, k, true, i) ? i : -1);
        }
    }
}

thud_status mjcf_name_all(mjcf_writer *w)
{
    const thud_spec *s = w->spec;
    THUD_TRY(keep_names(w));
    THUD_TRY(mjcf_find_told(w));
    need_surfaces(w);
    for (int i = 0; i < s->geoms; i++) {
        need(w, KEPT_MESH, s->geom[i].mesh);
        need(w, KEPT_HFIELD, s->geom[i].hfield);
    }
    for (int i = 0; i < s->pairs; i++) {
        need(w, KEPT_GEOM, s->pair[i].geom1);
        need(w, KEPT_GEOM, s->pair[i].geom2);
    }
    for (int i = 0; i < s->excludes; i++) {
        need(w, KEPT_BODY, s->exclude[i].body1);
        need(w, KEPT_BODY, s->exclude[i].body2);
    }
    for (int i = 0; i < s->equalities; i++) {
        need_ends(w, &s->equality[i]);
    }
    need_stations(w);
    need_targets(w);
    for (int i = 0; i < s->sensors; i++) {
        need_object(w, s->sensor[i].object_type, s->sensor[i].object);
        need_object(w, s->sensor[i].reference_type, s->sensor[i].reference);
    }
    return w->status;
}
