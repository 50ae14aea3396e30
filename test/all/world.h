// SPDX-License-Identifier: Apache-2.0
// world.h: a scene with its state and its sim, stepped with a certificate in hand.
//
//     world w = world_scene("slope20");   or   world_text("<mujoco>...")
//     w.o.h = 1e-3;                            // options are the scene's until changed
//     world_begin(&w, -1);                     // a keyframe, or -1: the reference pose
//     world_run(&w, 10);                       // seconds; w.worst is the worst of every certificate
//     world_end(&w);
#pragma once

#include <thud/spatial_inline.h>
#include <thud/thud.h>

#include "test.h"

typedef struct world {
    thud_spec *spec;
    thud_model *m;
    thud_state *s;
    thud_sim *sim;
    thud_step_options o;
    thud_certificate c, worst; // of the last step; the largest of each number since the beginning
    double E0;                 // J, energy at the beginning
    double highest, lowest;    // J, of all steps since
} world;

static inline void world_build(world *w, const char *what)
{
    thud_diag diag = {.text = ""};
    if (thud_model_build(w->spec, &w->m, &diag) != THUD_OK) {
        fail_msg("%s: %s", what, diag.text);
    }
    CHECK_OK(thud_state_create(w->m, &w->s));
    w->o = thud_step_defaults(w->m);
}

static inline world world_scene(const char *scene)
{
    world w = {0};
    char path[1024];
    thud_diag diag = {.text = ""};
    snprintf(path, sizeof path, "%s/scenes/%s.xml", THUD_SOURCE_DIR, scene);
    if (thud_load_mjcf(path, &w.spec, &diag) != THUD_OK) {
        fail_msg("%s: %s", path, diag.text);
    }
    world_build(&w, scene);
    return w;
}

static inline world world_text(const char *text)
{
    world w = {0};
    thud_diag diag = {.text = ""};
    if (thud_load_mjcf_text(text, strlen(text), "test.xml", &w.spec, &diag) != THUD_OK) {
        fail_msg("%d: %s", diag.line, diag.text);
    }
    world_build(&w, "test.xml");
    return w;
}

static inline void world_begin(world *w, int key)
{
    thud_diag diag = {.text = ""};
    thud_sim_destroy(w->sim);
    if (thud_sim_create(w->m, &w->o, &w->sim, &diag) != THUD_OK) {
        fail_msg("%s", diag.text);
    }
    CHECK_OK(thud_state_reset(w->m, key, w->s));
    const thud_energy e = thud_sim_energy(w->sim, w->s);
    w->E0 = w->highest = w->lowest = e.kinetic + e.potential;
    w->worst = (thud_certificate){0};
}

// One step, with more room where it asks for it.
static inline thud_status world_try(world *w, const double *tau)
{
    thud_status status = thud_sim_step(w->sim, tau, w->s, &w->c);
    for (int tries = 0; status == THUD_NO_MEMORY && tries < 16; tries++) {
        CHECK_OK(thud_sim_grow(w->sim, w->s));
        status = thud_sim_step(w->sim, tau, w->s, &w->c);
    }
    return status;
}

static inline void world_step(world *w)
{
    CHECK_OK(world_try(w, NULL));
    thud_certificate *x = &w->worst;
    x->cone_residual = fmax(x->cone_residual, w->c.cone_residual);
    x->lcp_residual = fmax(x->lcp_residual, w->c.lcp_residual);
    x->penetration = fmax(x->penetration, w->c.penetration);
    x->joint_drift = fmax(x->joint_drift, w->c.joint_drift);
    x->momentum = fmax(x->momentum, w->c.momentum);
    x->energy_error = fmax(x->energy_error, fabs(w->c.energy_error));
    x->impact_gain = fmax(x->impact_gain, w->c.impact_gain);
    x->contact_work = fmax(x->contact_work, w->c.contact_work);
    x->projected = fmax(x->projected, fabs(w->c.projected));
    x->impacts += w->c.impacts;
    x->unconverged += w->c.unconverged;
    w->highest = fmax(w->highest, w->c.kinetic + w->c.potential);
    w->lowest = fmin(w->lowest, w->c.kinetic + w->c.potential);
}

static inline void world_run(world *w, double until)
{
    while (w->s->time < until - 0.5 * w->o.h) {
        world_step(w);
    }
}

static inline void world_end(world *w)
{
    thud_sim_destroy(w->sim);
    thud_state_destroy(w->s);
    thud_model_destroy(w->m);
    thud_spec_destroy(w->spec);
}

// Largest change of any position since the keyframe (or -1).
static inline double world_moved(const world *w, int key)
{
    const double *from = key < 0 ? w->m->qpos0 : w->m->key_qpos + (size_t)key * (size_t)w->m->nq;
    double most = 0;
    for (int i = 0; i < w->m->nq; i++) {
        most = fmax(most, fabs(w->s->qpos[i] - from[i]));
    }
    return isfinite(w->s->qpos[0]) ? most : NAN;
}
