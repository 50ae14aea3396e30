// SPDX-License-Identifier: Apache-2.0
// moment.c: forces and accelerations at one state, without a step.
#include <string.h>

#include <thud/step_sense.h>

#include "sim.h"

// The state, explicit throughout: nothing is taken ahead.
static bool enter(thud_sim *sim, const thud_state *s)
{
    const thud_model *m = sim->m;
    sim_see(sim, s);
    memcpy(sim->q_start, s->qpos, (size_t)m->nq * sizeof(double));
    memcpy(sim->v_start, s->qvel, (size_t)m->nv * sizeof(double));
    memcpy(sim->q, s->qpos, (size_t)m->nq * sizeof(double));
    memcpy(sim->act, s->act, (size_t)s->na * sizeof(double));
    sim->ctrl = s->ctrl;
    sim->step = s->steps;
    sim->exhausted = false;
    memset(sim->push, 0, (size_t)m->nv * sizeof(double));
    memset(sim->d->implicit, 0, (size_t)m->nv * sizeof(double));
    sim->h_implicit = 0;
    if (sim->constrained) {
        if (s->warm_count > sim->warm_capacity) {
            return false;
        }
        memcpy(sim->warm, s->warm, (size_t)s->warm_count * sizeof *s->warm);
        sim->warm_count = s->warm_count;
        sim->warm_h = s->warm_h;
    }
    return true;
}

static substep_result accelerate(thud_sim *sim, const double *tau)
{
    const double h = sim->o.h;
    substep_result result = sim->constrained ? substep_of(touch_begin(sim, h)) : SUBSTEP_DONE;
    if (result != SUBSTEP_DONE) {
        return result;
    }
    sim_set_forces_at(sim, sim->q_start, sim->v_start, tau, 0, h);
    if (!sim_accelerate(sim, sim->q_start, sim->v_start, sim->tau, sim->acc)) {
        return SUBSTEP_FAILED;
    }
    return sim_constrain(sim, h);
}

thud_status thud_sim_forward(thud_sim *sim, const double *tau, const thud_state *s, double *qacc)
{
    if (!enter(sim, s)) {
        return THUD_NO_MEMORY;
    }
    const substep_result result = accelerate(sim, tau);
    if (result != SUBSTEP_DONE && result != SUBSTEP_UNSOLVED) {
        return sim_status(result);
    }
    feel_begin(sim);
    feel_moment(sim, sim->q_start, sim->v_start, sim->o.h, sim->o.h);
    for (int i = 0; i < sim->m->nv; i++) {
        qacc[i] = sim->acc[i] + sim->push[i];
    }
    return sim_status(result);
}
