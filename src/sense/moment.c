// SPDX-License-Identifier: Apache-2.0
// moment.c: forces and accelerations at one state, without a step.
#include <string.h>

#include <thud/spatial_inline.h>

#include "moment.h"

// The state, explicit throughout: nothing is taken ahead.
bool moment_enter(thud_sim *sim, const thud_state *s)
{
    THUD_ASSERT(s->nq == sim->m->nq && s->nv == sim->m->nv && s->na == sim->m->activations);
    const thud_model *m = sim->m;
    sim_see(sim, s);
    memcpy(sim->begun.q_start, s->qpos, (size_t)m->nq * sizeof(double));
    memcpy(sim->begun.v_start, s->qvel, (size_t)m->nv * sizeof(double));
    memcpy(sim->fall.q, s->qpos, (size_t)m->nq * sizeof(double));
    memcpy(sim->force.act, s->act, (size_t)s->na * sizeof(double));
    sim->force.ctrl = s->ctrl;
    sim->begun.step = s->steps;
    sleep_none(sim);
    sim->begun.exhausted = sim->strike.strikes = false;
    memset(sim->answer.push, 0, (size_t)m->nv * sizeof(double));
    memset(sim->d->implicit, 0, (size_t)m->nv * sizeof(double));
    sim->force.h_implicit = 0;
    if (sim->constrained) {
        if (s->warm_count > sim->answer.warm_capacity) {
            return false;
        }
        memcpy(sim->answer.warm, s->warm, (size_t)s->warm_count * sizeof *s->warm);
        sim->answer.warm_count = s->warm_count;
        sim->answer.warm_h = s->warm_h;
    }
    return true;
}

static substep_result accelerate(thud_sim *sim, const double *tau)
{
    THUD_ASSERT(sim->o.h > 0);
    const double h = sim->o.h;
    sim->work.left = sim->work.budget; // as a step has
    substep_result result = sim->constrained ? substep_of(sim_look(sim, h)) : SUBSTEP_DONE;
    if (result != SUBSTEP_DONE) {
        return result;
    }
    sim_set_forces_at(sim, sim->begun.q_start, sim->begun.v_start, tau, 0, h);
    if (!sim_accelerate(sim, sim->begun.q_start, sim->begun.v_start, sim->force.tau, sim->fall.acc)) {
        return SUBSTEP_FAILED;
    }
    return sim_constrain(sim, h, false);
}

void moment_joint_forces(thud_sim *sim, double *force)
{
    const thud_model *m = sim->m;
    for (int i = m->joints - 1; i >= 0; i--) { // handed down to the base
        const thud_force *f = &sim->answer.wrench[i];
        for (int k = m->joint_v[i]; k < m->joint_v[i] + m->joint_dofs[i]; k++) {
            const thud_dof *dof = &sim->d->dof[k];
            force[k] = v3_dot(dof->s, dof->linear ? f->lin : f->ang) / sim->o.h;
        }
        if (m->link_parent[i] >= 0) {
            thud_force *up = &sim->answer.wrench[m->link_parent[i]];
            up->ang = v3_add(up->ang, v3_add(f->ang, v3_cross(sim->d->link[i].r, f->lin)));
            up->lin = v3_add(up->lin, f->lin);
        }
    }
}

void moment_constraint_force(thud_sim *sim, double *force)
{
    memset(force, 0, (size_t)sim->m->nv * sizeof *force);
    if (sim->constrained) {
        thud_rows_wrenches(sim->ask.rows, sim->answer.wrench);
        moment_joint_forces(sim, force);
    }
}

thud_status moment_forward(thud_sim *sim, const double *tau, const thud_state *s, double *qacc)
{
    if (!sim_is_finite(sim, s, tau)) {
        return THUD_NOT_FINITE;
    }
    feel_settle(sim);
    if (!moment_enter(sim, s)) {
        return THUD_NO_MEMORY;
    }
    const substep_result result = accelerate(sim, tau);
    if (result != SUBSTEP_DONE && result != SUBSTEP_UNSOLVED) {
        return sim_status(result);
    }
    feel_begin(sim);
    feel_moment(sim, sim->begun.q_start, sim->begun.v_start, sim->o.h, sim->o.h);
    for (int i = 0; i < sim->m->nv; i++) {
        qacc[i] = sim->fall.acc[i] + sim->answer.push[i];
    }
    return sim_status(result);
}
