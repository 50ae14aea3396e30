// SPDX-License-Identifier: Apache-2.0
// handle.c: the sim that a user holds: the functions of thud/step.h and its sisters.
//
// A crowd of robots out of each other's reach is stepped part by part (parts.c); any other model as a whole (whole.c).
#include <thud/spatial_inline.h>

#include "parts.h"

thud_status thud_sim_create(const thud_model *m, const thud_step_options *options, thud_sim **out,
                            thud_diag *diag)
{
    THUD_TRY(whole_create(m, options, false, out, diag));
    const thud_status status = parts_create(*out);
    if (status != THUD_OK) {
        thud_sim_destroy(*out);
        *out = NULL;
        return thud_fail(status, diag, NULL, 0, 0,
                         status == THUD_NO_MEMORY ? "memory ran out while making a sim"
                                                  : "a geom's shape cannot collide");
    }
    return THUD_OK;
}

void thud_sim_destroy(thud_sim *sim)
{
    if (sim) {
        parts_destroy(sim->above.parts);
        whole_destroy(sim);
    }
}

thud_integrator thud_sim_integrator(const thud_sim *sim)
{
    return sim->scheme;
}

thud_status thud_sim_step(thud_sim *sim, const double *tau, thud_state *s, thud_certificate *certificate)
{
    thud_status status = whole_enter(sim, tau, s, certificate != NULL);
    if (status == THUD_OK && !(sim->above.parts && parts_step(sim, tau, s, certificate, &status))) {
        status = whole_advance(sim, tau, s, certificate);
    }
    if (status == THUD_CANCELLED) { // who calls off the next one does so anew
        __atomic_store_n(&sim->work.stop, 0, __ATOMIC_RELAXED);
    }
    return status;
}

void thud_sim_cancel(thud_sim *sim)
{
    __atomic_store_n(&sim->work.stop, 1, __ATOMIC_RELAXED);
}

thud_status thud_sim_grow(thud_sim *sim, thud_state *s)
{
    THUD_ASSERT(s->nq == sim->m->nq && s->nv == sim->m->nv);
    thud_status status;
    if (!sim->constrained || parts_grow(sim, &status)) {
        return sim->constrained ? status : THUD_OK;
    }
    const bool young = s->warm_capacity < sim->answer.warm_capacity; // most often that is all
    parts_settle(sim);
    THUD_TRY(young ? THUD_OK : sim_renew_scratch(sim, 2 * thud_arena_size(sim->answer.scratch)));
    THUD_TRY(sim_reserve_more(sim, s));
    return parts_reserve(sim);
}

thud_rows *thud_sim_rows(const thud_sim *sim)
{
    parts_gather(sim);
    return sim->ask.rows;
}

thud_energy thud_sim_energy(thud_sim *sim, const thud_state *s)
{
    THUD_ASSERT(s->nq == sim->m->nq && s->nv == sim->m->nv);
    sim_see(sim, s);
    return sim_energy_at(sim, s->qpos, s->qvel);
}

// ---------------------------------------------------------------------------------------------- forces and accelerations

thud_force thud_sim_contact_force(const thud_sim *sim, int body, thud_vec3 point)
{
    THUD_ASSERT(body >= 0 && body < sim->m->bodies);
    thud_force f = {{0, 0, 0}, {0, 0, 0}};
    if (sim->above.contact) {
        parts_settle(sim);
        f = sim->above.contact->push[body];
        f.ang = v3_sub(f.ang, v3_cross(point, f.lin));
    }
    return f;
}

thud_status thud_sim_forward(thud_sim *sim, const double *tau, const thud_state *s, double *qacc)
{
    THUD_ASSERT(s->nq == sim->m->nq && s->nv == sim->m->nv && s->na == sim->m->activations);
    parts_settle(sim);
    parts_leave(sim);
    return moment_forward(sim, tau, s, qacc);
}

thud_status thud_sim_inverse(thud_sim *sim, const double *qacc, const thud_state *s, double *tau)
{
    THUD_ASSERT(s->nq == sim->m->nq && s->nv == sim->m->nv && s->na == sim->m->activations);
    parts_settle(sim);
    parts_leave(sim);
    return moment_inverse(sim, qacc, s, tau);
}

void thud_sim_constraint_force(thud_sim *sim, double *force)
{
    moment_constraint_force(sim, force);
}

thud_status thud_sim_sense(thud_sim *sim, const thud_state *s, double *reading)
{
    THUD_ASSERT(s->nq == sim->m->nq && s->nv == sim->m->nv && s->na == sim->m->activations);
    const bool felt = !senses_mean(sim) || senses_follow(sim, s);
    if (!felt) {
        parts_settle(sim);
        parts_leave(sim);
    }
    return senses_read(sim, s, reading);
}
