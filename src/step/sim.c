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
    const thud_step_options o = {
        .h = m->timestep, .integrator = m->integrator, .rounds = 2, .law = thud_law_defaults()};
    return o;
}

// ---------------------------------------------------------------------------------------------- create

static thud_status allocate_smooth(thud_sim *sim)
{
    const size_t nq = (size_t)sim->m->nq, nv = (size_t)sim->m->nv;
    double **const positions[] = {&sim->q, &sim->q_start, &sim->q_next, &sim->here.qpos};
    double **const velocities[] = {&sim->Minv,   &sim->v_mean, &sim->ahead, &sim->tau,    &sim->v,
                                   &sim->acc,    &sim->before, &sim->push,  &sim->v_next, &sim->v_start,
                                   &sim->v_free, &sim->v_hat,  &sim->zero,  &sim->k[0],   &sim->k[1],
                                   &sim->k[2],   &sim->k[3],   &sim->u[0],  &sim->u[1],   &sim->u[2],
                                   &sim->u[3],   &sim->extent};
    const size_t np = sizeof positions / sizeof positions[0], nw = sizeof velocities / sizeof velocities[0];
    double *at = sim->block = thud_alloc(np * nq + nw * nv + 1, sizeof *at);
    if (!at) {
        return THUD_NO_MEMORY;
    }
    for (size_t i = 0; i < np; i++, at += nq) {
        *positions[i] = at;
    }
    for (size_t i = 0; i < nw; i++, at += nv) {
        *velocities[i] = at;
    }
    return thud_dynamics_create(sim->m, &sim->d);
}

static bool any_contact(const thud_model *m)
{
    bool any = m->pairs > 0;
    for (int g = 0; !any && g < m->geoms; g++) {
        any = m->geom_contype[g] || m->geom_conaffinity[g];
    }
    return any;
}

static thud_status reserve(thud_sim *sim, int contacts, int blocks)
{
    touch *const grown = thud_resize(sim->touch, (size_t)contacts * sizeof *grown);
    sim->touch = grown ? grown : sim->touch;
    thud_warm *const warm = thud_resize(sim->warm, (size_t)blocks * sizeof *warm);
    sim->warm = warm ? warm : sim->warm;
    if (!grown || !warm) {
        return THUD_NO_MEMORY;
    }
    sim->touch_capacity = contacts;
    sim->warm_capacity = blocks;
    return thud_contact_set_reserve(&sim->here.set, contacts);
}

// Room to begin with; what turns out too small grows by thud_sim_grow.
static thud_status allocate_constraints(thud_sim *sim)
{
    const thud_model *m = sim->m;
    enum { CONTACTS = 64, BYTES = 1 << 20 };
    const size_t links = (size_t)m->joints;
    const int blocks = CONTACTS + 2 * m->nv + m->equalities;
    sim->V = thud_alloc(3 * links + 1, sizeof *sim->V);
    sim->wrench = thud_alloc(links + 1, sizeof *sim->wrench);
    sim->X_wb = thud_alloc((size_t)m->bodies, sizeof *sim->X_wb);
    sim->X_wg = thud_alloc((size_t)m->geoms + 1, sizeof *sim->X_wg);
    sim->loop_u = thud_alloc(6 * (size_t)m->equalities + 1, sizeof *sim->loop_u);
    if (!sim->V || !sim->loop_u || !sim->wrench || !sim->X_wb || !sim->X_wg) {
        return THUD_NO_MEMORY;
    }
    sim->V_free = sim->V + links;
    sim->V_hat = sim->V_free + links;
    THUD_TRY(reserve(sim, CONTACTS, blocks));
    THUD_TRY(thud_arena_create(4 * BYTES, &sim->scratch));
    THUD_TRY(thud_rows_create(m, blocks, BYTES, &sim->rows));
    sim_measure_extents(sim);
    return any_contact(m) && m->contact_on ? thud_collider_create(m, NULL, &sim->collider) : THUD_OK;
}

static thud_status refuse(const thud_step_options *o, thud_diag *diag)
{
    if (!(o->h > 0) || !isfinite(o->h) || o->rounds < 1) {
        return thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0,
                         "a step of %g s with %d rounds is not possible; both must be positive", o->h,
                         o->rounds);
    }
    const char *reason = thud_law_refuses(o->law.law, o->law.solver);
    return reason ? thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0, "%s", reason) : THUD_OK;
}

thud_status thud_sim_create(const thud_model *m, const thud_step_options *options, thud_sim **out,
                            thud_diag *diag)
{
    *out = NULL;
    THUD_TRY(refuse(options, diag));
    thud_sim *sim = thud_alloc(1, sizeof *sim);
    if (!sim) {
        return thud_fail(THUD_NO_MEMORY, diag, NULL, 0, 0, "memory ran out while making a sim");
    }
    sim->m = m;
    sim->o = *options;
    thud_status status = allocate_smooth(sim);
    sim->constrained = (any_contact(m) && m->contact_on) || loops_any(m);
    if (status == THUD_OK && sim->constrained) {
        status = allocate_constraints(sim);
    }
    if (status != THUD_OK) {
        thud_sim_destroy(sim);
        return thud_fail(status, diag, NULL, 0, 0,
                         status == THUD_NO_MEMORY ? "memory ran out while making a sim"
                                                  : "a geom's shape cannot collide");
    }
    sim_measure_inertia(sim);
    *out = sim;
    return THUD_OK;
}

void thud_sim_destroy(thud_sim *sim)
{
    if (sim) {
        thud_dynamics_destroy(sim->d);
        thud_collider_destroy(sim->collider);
        thud_contact_set_free(&sim->here.set);
        thud_rows_destroy(sim->rows);
        thud_arena_destroy(sim->scratch);
        thud_free(sim->touch);
        thud_free(sim->warm);
        thud_free(sim->V);
        thud_free(sim->loop_u);
        thud_free(sim->wrench);
        thud_free(sim->X_wb);
        thud_free(sim->X_wg);
        thud_free(sim->block);
        thud_free(sim);
    }
}

thud_status thud_sim_grow(thud_sim *sim, thud_state *s)
{
    if (!sim->constrained) {
        return THUD_OK;
    }
    thud_arena *scratch;
    THUD_TRY(thud_arena_create(2 * thud_arena_size(sim->scratch), &scratch));
    thud_arena_destroy(sim->scratch);
    sim->scratch = scratch;
    sim->here.known = false;
    const int wanted =
        sim->here.set.needed > 2 * sim->touch_capacity ? sim->here.set.needed : 2 * sim->touch_capacity;
    THUD_TRY(reserve(sim, wanted, 2 * sim->warm_capacity));
    THUD_TRY(thud_rows_grow(sim->rows));
    THUD_TRY(sim->collider ? thud_collider_grow(sim->collider) : THUD_OK);
    return thud_state_reserve(s, sim->warm_capacity);
}

// ---------------------------------------------------------------------------------------------- step

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

// From (q_start, v_start) over h to (q_next, v_next), by the integrator and law asked for.
static substep_result attempt(thud_sim *sim, const double *tau, double h, double *settled)
{
    *settled = 0;
    sim_set_implicit(sim, h);
    if (sim->constrained) {
        const thud_status status = touch_begin(sim, h);
        if (status != THUD_OK) {
            return status == THUD_NO_MEMORY ? SUBSTEP_NO_MEMORY : SUBSTEP_FAILED;
        }
    }
    if (sim->o.integrator == THUD_INTEGRATOR_EULER || (sim->constrained && sim->o.law.law != THUD_LAW_CONE)) {
        return step_euler(sim, tau, h);
    }
    if (sim->o.integrator == THUD_INTEGRATOR_RK4 && !sim->constrained) {
        return step_rk4(sim, tau, h);
    }
    return step_midpoint(sim, tau, h, settled);
}

// Of 5000 steps of 1 ms the 100-link chain of acceptance.md splits 15, the 30-link one none.
static const double SPLIT = 0.002;
enum { MAX_HALVINGS = 6 };

// After a substep that will stand: what it was worth, its impulses, its positions put right.
static substep_result conclude(thud_sim *sim, double h)
{
    if (sim->certify) {
        sim_judge(sim, h);
    }
    if (!sim->constrained) {
        return SUBSTEP_DONE;
    }
    sim->warm_count = thud_rows_impulses(sim->rows, sim->warm, sim->warm_capacity);
    sim->warm_h = h;
    return sim->warm_count < 0 ? SUBSTEP_NO_MEMORY : sim_project(sim, h);
}

// What the step starts from: positions, velocities, the last impulses.
static bool begin(thud_sim *sim, const thud_state *s)
{
    memcpy(sim->q_start, s->qpos, (size_t)sim->m->nq * sizeof(double));
    memcpy(sim->v_start, s->qvel, (size_t)sim->m->nv * sizeof(double));
    if (!sim->constrained) {
        return true;
    }
    if (s->warm_count > sim->warm_capacity) {
        return false;
    }
    memcpy(sim->warm, s->warm, (size_t)s->warm_count * sizeof *s->warm);
    sim->warm_count = s->warm_count;
    sim->warm_h = s->warm_h;
    return true;
}

// Covers h in one substep, or in 2^split where one is too long for the motion or its contacts. The step's
// result is in q_next and v_next.
static substep_result advance(thud_sim *sim, const double *tau, const thud_state *s)
{
    const thud_model *m = sim->m;
    double h = sim->o.h, settled, fixed_point = 0;
    int halvings = 0, left = 1; // substeps of size h still to take
    if (!begin(sim, s)) {
        return SUBSTEP_NO_MEMORY;
    }
    while (left > 0) {
        substep_result result = attempt(sim, tau, h, &settled);
        const bool poor = result == SUBSTEP_UNSOLVED || (result == SUBSTEP_DONE && !(settled <= SPLIT));
        if (poor && halvings < MAX_HALVINGS) {
            h *= 0.5;
            left *= 2;
            halvings++;
            continue;
        }
        if (result == SUBSTEP_DONE) {
            result = conclude(sim, h);
        }
        if (result != SUBSTEP_DONE) {
            return result;
        }
        fixed_point = fmax(fixed_point, settled);
        if (--left > 0) {
            memcpy(sim->q_start, sim->q_next, (size_t)m->nq * sizeof(double));
            memcpy(sim->v_start, sim->v_next, (size_t)m->nv * sizeof(double));
        }
    }
    sim->c.split = halvings;
    sim->c.fixed_point = fmax(sim->c.fixed_point, fixed_point);
    return SUBSTEP_DONE;
}

static thud_status status_of(substep_result result)
{
    switch (result) {
    case SUBSTEP_DONE:
        return THUD_OK;
    case SUBSTEP_UNSOLVED:
    case SUBSTEP_UNSETTLED:
        return THUD_NOT_SOLVED;
    case SUBSTEP_NO_MEMORY:
        return THUD_NO_MEMORY;
    case SUBSTEP_FAILED:
        break;
    }
    return THUD_NOT_FINITE;
}

thud_status thud_sim_step(thud_sim *sim, const double *tau, thud_state *s, thud_certificate *certificate)
{
    const thud_model *m = sim->m;
    THUD_ASSERT(s->nq == m->nq && s->nv == m->nv);
    sim->c = (thud_certificate){0};
    sim->certify = certificate != NULL;
    THUD_TRY(status_of(advance(sim, tau, s)));
    if (!finite_all(sim->q_next, m->nq) || !finite_all(sim->v_next, m->nv)) {
        return THUD_NOT_FINITE;
    }
    if (sim->constrained && sim->warm_count > s->warm_capacity) {
        return THUD_NO_MEMORY;
    }
    if (certificate) {
        sim_certify(sim, tau, s, certificate);
    }
    if (sim->constrained) {
        memcpy(s->warm, sim->warm, (size_t)sim->warm_count * sizeof *s->warm);
        s->warm_count = sim->warm_count;
        s->warm_h = sim->warm_h;
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
