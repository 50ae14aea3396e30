// SPDX-License-Identifier: Apache-2.0
// scene_start.h: a scene of scenes/ in its reference pose or a keyframe, and its contacts there.
#pragma once

#include <thud/spatial_inline.h>
#include <thud/thud.h>

#include "test.h"

typedef struct start { // one scene in one of its poses
    thud_spec *spec;
    thud_model *m;
    thud_state *s;
    thud_pose *X_wb, *X_wg;
    thud_collider *collider;
    thud_contact_set set;
} start;

static inline start open_scene(const char *path)
{
    start a = {0};
    thud_diag diag;
    if (thud_load_mjcf(path, &a.spec, &diag) != THUD_OK || thud_model_build(a.spec, &a.m, &diag) != THUD_OK) {
        fail_msg("%s: %s", path, diag.text);
    }
    CHECK_OK(thud_state_create(a.m, &a.s));
    a.X_wb = calloc((size_t)a.m->bodies, sizeof *a.X_wb);
    a.X_wg = calloc((size_t)a.m->geoms + 1, sizeof *a.X_wg);
    CHECK_OK(thud_collider_create(a.m, NULL, &a.collider));
    CHECK_OK(thud_contact_set_reserve(&a.set, 4000));
    return a;
}

static inline void close_scene(start *a)
{
    thud_contact_set_free(&a->set);
    thud_collider_destroy(a->collider);
    free(a->X_wg);
    free(a->X_wb);
    thud_state_destroy(a->s);
    thud_model_destroy(a->m);
    thud_spec_destroy(a->spec);
}

static inline void find_contacts(start *a, int key, double margin)
{
    CHECK_OK(thud_state_reset(a->m, key, a->s));
    thud_body_poses(a->m, a->s->qpos, a->X_wb);
    thud_geom_poses(a->m, a->X_wb, a->X_wg);
    CHECK_OK(thud_collide(a->collider, a->m, a->X_wg, margin, &a->set, NULL));
}
