// SPDX-License-Identifier: Apache-2.0
// engine_thud.c: Thud as one of the engines of the bench.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine_thud.h"

typedef struct world {
    const engine_start *start;
    thud_state *state;
    thud_sim *sim;
    double h;
    engine_certificate worst;
} world;

static void close_world(void *it)
{
    world *w = it;
    if (w) {
        thud_sim_destroy(w->sim);
        thud_state_destroy(w->state);
        thud_free(w);
    }
}

static void *open_world(const engine_start *start, char why[ENGINE_WHY_SIZE])
{
    const thud_model *m = start->model;
    thud_diag diag = {0};
    world *w = thud_alloc(1, sizeof *w);
    thud_status status = w ? thud_state_create(m, &w->state) : THUD_NO_MEMORY;
    if (status == THUD_OK) {
        thud_step_options o = stepper_choose(start->wishes, m);
        o.h = start->dt;
        w->h = o.h;
        w->start = start;
        thud_state_copy(start->state, w->state);
        status = thud_sim_create(m, &o, &w->sim, &diag);
    }
    if (status != THUD_OK) {
        snprintf(why, ENGINE_WHY_SIZE, "%.159s", diag.text[0] ? diag.text : thud_status_text(status));
        close_world(w);
        return NULL;
    }
    return w;
}

static double worse(double a, double b) // NaN is worst of all
{
    return b <= a ? a : b;
}

static thud_status step_once(world *w, thud_certificate *c)
{
    thud_status status = thud_sim_step(w->sim, NULL, w->state, c);
    while (status == THUD_NO_MEMORY) { // more contacts than ever before
        THUD_TRY(thud_sim_grow(w->sim, w->state));
        status = thud_sim_step(w->sim, NULL, w->state, c);
    }
    return status;
}

static int step_world(void *it, int count)
{
    world *w = it;
    const engine_start *start = w->start;
    for (int i = 0; i < count; i++) {
        thud_certificate c;
        if (start->control) {
            start->control(w->state->time, w->state->nu, w->state->ctrl);
        }
        if (step_once(w, start->certified ? &c : NULL) != THUD_OK) {
            return i;
        }
        if (start->certified) {
            w->worst.cone = worse(w->worst.cone, c.cone_residual);
            w->worst.lcp = worse(w->worst.lcp, c.lcp_residual);
        }
    }
    return count;
}

static void read_joints(void *it, double *qpos, double *qvel)
{
    const world *w = it;
    memcpy(qpos, w->state->qpos, sizeof *qpos * (size_t)w->state->nq);
    memcpy(qvel, w->state->qvel, sizeof *qvel * (size_t)w->state->nv);
}

static engine_certificate read_certificate(void *it)
{
    return ((const world *)it)->worst;
}

const engine engine_thud = {.abi = ENGINE_ABI,
                            .name = "thud",
                            .title = "Thud",
                            .open = open_world,
                            .close = close_world,
                            .step = step_world,
                            .joints = read_joints,
                            .certificate = read_certificate};
