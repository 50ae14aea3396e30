// SPDX-License-Identifier: Apache-2.0
// sim.c: a sim's life, and the step as a list of calls.
#include <math.h>
#include <string.h>

#include "sim.h"

static const char *const integrator_names[] = {[THUD_INTEGRATOR_MIDPOINT] = "midpoint",
                                               [THUD_INTEGRATOR_EULER] = "euler",
                                               [THUD_INTEGRATOR_RK4] = "rk4"};

const char *thud_integrator_name(thud_integrator integrator)
{
    return integrator_names[integrator];
}

bool thud_integrator_find(const char *name, thud_integrator *out)
{
    for (int i = 0; i < 3; i++) {
        if (strcmp(name, integrator_names[i]) == 0) {
            *out = (thud_integrator)i;
            return true;
        }
    }
    return false;
}

thud_step_options thud_step_defaults(const thud_model *m)
{
    const thud_step_options o = {.h = m->timestep, .integrator = m->integrator, .rounds = 2};
    return o;
}

static thud_status allocate(thud_sim *sim)
{
    const size_t nq = (size_t)sim->m->nq, nv = (size_t)sim->m->nv;
    double *at = sim->block = thud_alloc(2 * nq + 16 * nv, sizeof *at);
    if (!at) {
        return THUD_NO_MEMORY;
    }
    double **const positions[] = {&sim->q, &sim->q_next};
    double **const velocities[] = {
        &sim->Minv, &sim->v_mean, &sim->ahead, &sim->tau,  &sim->v,    &sim->acc,  &sim->before, &sim->v_next,
        &sim->k[0], &sim->k[1],   &sim->k[2],  &sim->k[3], &sim->u[0], &sim->u[1], &sim->u[2],   &sim->u[3]};
    for (size_t i = 0; i < sizeof positions / sizeof positions[0]; i++, at += nq) {
        *positions[i] = at;
    }
    for (size_t i = 0; i < sizeof velocities / sizeof velocities[0]; i++, at += nv) {
        *velocities[i] = at;
    }
    return thud_dynamics_create(sim->m, &sim->d);
}

thud_status thud_sim_create(const thud_model *m, const thud_step_options *options, thud_sim **out,
                            thud_diag *diag)
{
    *out = NULL;
    if (!(options->h > 0) || !isfinite(options->h) || options->rounds < 1) {
        return thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0,
                         "a step of %g s with %d rounds is not possible; both must be positive", options->h,
                         options->rounds);
    }
    thud_sim *sim = thud_alloc(1, sizeof *sim);
    if (!sim) {
        return thud_fail(THUD_NO_MEMORY, diag, NULL, 0, 0, "memory ran out while making a sim");
    }
    sim->m = m;
    sim->o = *options;
    const thud_status status = allocate(sim);
    if (status != THUD_OK) {
        thud_sim_destroy(sim);
        return thud_fail(status, diag, NULL, 0, 0, "memory ran out while making a sim");
    }
    sim_measure_inertia(sim);
    sim_set_implicit(sim, options->h);
    *out = sim;
    return THUD_OK;
}

void thud_sim_destroy(thud_sim *sim)
{
    if (sim) {
        thud_dynamics_destroy(sim->d);
        thud_free(sim->block);
        thud_free(sim);
    }
}

bool sim_accelerate(thud_sim *sim, const double *q, const double *v, const double *tau, double *acc)
{
    thud_dynamics_place(sim->m, q, sim->d);
    const bool positive = thud_dynamics_factor(sim->m, sim->d);
    sim_accelerate_again(sim, v, tau, acc);
    return positive;
}

void sim_accelerate_again(thud_sim *sim, const double *v, const double *tau, double *acc)
{
    thud_dynamics_move(sim->m, v, sim->d);
    thud_dynamics_carry(sim->m, sim->d);
    thud_dynamics_solve(sim->m, tau, sim->d, acc);
}

static bool finite_all(const double *x, int n)
{
    double sum = 0; // stays 0 unless some x is not finite
    for (int i = 0; i < n; i++) {
        sum += 0 * x[i];
    }
    return sum == 0;
}

static bool integrate(thud_sim *sim, const double *tau, const thud_state *s)
{
    switch (sim->o.integrator) {
    case THUD_INTEGRATOR_EULER:
        return step_euler(sim, tau, s);
    case THUD_INTEGRATOR_RK4:
        return step_rk4(sim, tau, s);
    case THUD_INTEGRATOR_MIDPOINT:
        break;
    }
    return step_midpoint(sim, tau, s);
}

thud_status thud_sim_step(thud_sim *sim, const double *tau, thud_state *s, thud_certificate *certificate)
{
    const thud_model *m = sim->m;
    THUD_ASSERT(s->nq == m->nq && s->nv == m->nv);
    if (!integrate(sim, tau, s) || !finite_all(sim->q_next, m->nq) || !finite_all(sim->v_next, m->nv)) {
        return THUD_NOT_FINITE;
    }
    if (certificate) {
        sim_certify(sim, tau, s, certificate);
    }
    memcpy(s->qpos, sim->q_next, (size_t)m->nq * sizeof(double));
    memcpy(s->qvel, sim->v_next, (size_t)m->nv * sizeof(double));
    s->steps++;
    s->time += sim->o.h;
    return THUD_OK;
}

thud_energy thud_sim_energy(thud_sim *sim, const thud_state *s)
{
    thud_dynamics_place(sim->m, s->qpos, sim->d);
    thud_dynamics_move(sim->m, s->qvel, sim->d);
    return thud_dynamics_energy(sim->m, s->qpos, s->qvel, sim->d);
}
