// SPDX-License-Identifier: Apache-2.0
// sim.c: a sim's life, and the step as a list of calls.
#include <math.h>
#include <string.h>

#include "event.h"

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

// ---------------------------------------------------------------------------------------------- create

static thud_status allocate_smooth(thud_sim *sim)
{
    const size_t nq = (size_t)sim->m->nq, nv = (size_t)sim->m->nv;
    double **const positions[] = {&sim->q, &sim->q_start, &sim->q_next, &sim->here.qpos};
    double **const velocities[] = {
        &sim->Minv,   &sim->v_mean,  &sim->ahead,   &sim->tau,    &sim->v,      &sim->acc,  &sim->before,
        &sim->push,   &sim->v_next,  &sim->v_start, &sim->v_free, &sim->v_hat,  &sim->zero, &sim->k[0],
        &sim->k[1],   &sim->k[2],    &sim->k[3],    &sim->u[0],   &sim->u[1],   &sim->u[2], &sim->u[3],
        &sim->extent, &sim->servo_k, &sim->servo_d, &sim->pull,   &sim->carried};
    const size_t more = 2 * (size_t)sim->m->activations + (size_t)sim->m->tendons;
    const size_t np = sizeof positions / sizeof positions[0], nw = sizeof velocities / sizeof velocities[0];
    double *at = sim->block = thud_alloc(np * nq + nw * nv + more + 1, sizeof *at);
    if (!at) {
        return THUD_NO_MEMORY;
    }
    for (size_t i = 0; i < np; i++, at += nq) {
        *positions[i] = at;
    }
    for (size_t i = 0; i < nw; i++, at += nv) {
        *velocities[i] = at;
    }
    sim->act = at;
    sim->act_mean = sim->act + sim->m->activations;
    sim->tendon_start = sim->act_mean + sim->m->activations;
    THUD_TRY(sim->m->actuators + sim->m->tendons > 0 ? thud_drive_create(sim->m, &sim->drive) : THUD_OK);
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
    const int blocks = CONTACTS + 2 * m->nv + m->equalities + 3 * m->tendons;
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
    THUD_TRY(thud_rows_create(m, blocks, BYTES, &sim->other_rows));
    sim_measure_extents(sim);
    return any_contact(m) && m->contact_on ? thud_collider_create(m, NULL, &sim->collider) : THUD_OK;
}

static bool springs_back(const thud_model *m, const thud_step_options *o)
{
    bool any = o->restitution > 0;
    for (int g = 0; g < m->geoms && o->restitution < 0; g++) {
        any |= m->geom_restitution[g] > 0;
    }
    return any || (o->restitution < 0 && m->pairs > 0);
}

static thud_status refuse(const thud_model *m, const thud_step_options *o, thud_diag *diag)
{
    thud_step_options wished = *o;
    THUD_TRY(sim_read_wishes(m, &wished, diag));
    if (!(o->restitution <= 1) || !(o->restitution_speed >= 0)) {
        return thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0,
                         "a restitution of %g above %g m/s is not possible; it is at most 1", o->restitution,
                         o->restitution_speed);
    }
    if (!(o->law.tolerance > 0)) {
        return thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0, "a tolerance of %g is not above zero",
                         o->law.tolerance);
    }
    if (!(o->h > 0) || !isfinite(o->h) || o->rounds < 1) {
        return thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0,
                         "a step of %g s with %d rounds is not possible; both must be positive", o->h,
                         o->rounds);
    }
    THUD_TRY(event_refuse(m, o, diag));
    const char *reason = thud_law_refuses(o->law.law, o->law.solver);
    return reason ? thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0, "%s", reason) : THUD_OK;
}

thud_status thud_sim_create(const thud_model *m, const thud_step_options *options, thud_sim **out,
                            thud_diag *diag)
{
    *out = NULL;
    THUD_TRY(refuse(m, options, diag));
    thud_sim *sim = thud_alloc(1, sizeof *sim);
    if (!sim) {
        return thud_fail(THUD_NO_MEMORY, diag, NULL, 0, 0, "memory ran out while making a sim");
    }
    sim->m = m;
    sim->o = *options;
    sim->scheme = options->integrator;
    thud_status status = allocate_smooth(sim);
    sim->driven = sim_is_driven(m);
    sim->tendon_rows = tendon_rows_any(m);
    sim->constrained = (any_contact(m) && m->contact_on) || loops_any(m);
    if (status == THUD_OK && sim->constrained) {
        status = allocate_constraints(sim);
        sim->scheme = sim->o.law.law != THUD_LAW_CONE            ? THUD_INTEGRATOR_EULER
                      : sim->o.integrator == THUD_INTEGRATOR_RK4 ? THUD_INTEGRATOR_MIDPOINT
                                                                 : sim->o.integrator;
        sim->bounces = springs_back(m, &sim->o);
    }
    status = status == THUD_OK ? event_create(sim) : status;
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
        event_destroy(sim->event);
        thud_dynamics_destroy(sim->d);
        thud_drive_destroy(sim->drive);
        thud_collider_destroy(sim->collider);
        thud_contact_set_free(&sim->here.set);
        thud_rows_destroy(sim->rows);
        thud_rows_destroy(sim->other_rows);
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
    THUD_TRY(thud_rows_grow(sim->other_rows));
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
    thud_dynamics_drag(sim->m, sim->d);
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

// From (q_start, v_start) over h to (q_next, v_next); after touch_begin.
static substep_result attempt(thud_sim *sim, const double *tau, double h, double *settled)
{
    *settled = 0;
    sim->cone_residual = sim->lcp_residual = 0;
    sim->unconverged = 0;
    sim_set_implicit(sim, h, false);
    switch (sim->scheme) {
    case THUD_INTEGRATOR_EULER:
        return step_euler(sim, tau, h);
    case THUD_INTEGRATOR_RK4:
        return step_rk4(sim, tau, h);
    case THUD_INTEGRATOR_MIDPOINT:
        break;
    }
    return step_midpoint(sim, tau, h, settled);
}

// After a substep that will stand: what it was worth, its impulses, its positions put right.
static substep_result conclude(thud_sim *sim, double h)
{
    if (sim->certify) {
        sim_judge(sim, h);
    }
    thud_activation_advance(sim->m, sim->ctrl, sim->act, h, sim->scheme == THUD_INTEGRATOR_RK4, sim->act);
    if (!sim->constrained) {
        return SUBSTEP_DONE;
    }
    sim->c.cone_residual = fmax(sim->c.cone_residual, sim->cone_residual);
    sim->c.lcp_residual = fmax(sim->c.lcp_residual, sim->lcp_residual);
    sim->warm_count = thud_rows_impulses(sim->rows, sim->warm, sim->warm_capacity);
    sim->warm_h = h;
    return sim->warm_count < 0 ? SUBSTEP_NO_MEMORY : sim_project(sim, h);
}

// The smallest gap at q_next among the contacts that will spring back; infinite: there is none.
static double flying_gap(thud_sim *sim)
{
    double least = INFINITY;
    bool placed = false;
    for (int i = 0; i < sim->touches; i++) {
        touch *t = &sim->touch[i];
        if (bounce_of(sim, t) > 0) {
            if (!placed) {
                thud_dynamics_place(sim->m, sim->q_next, sim->d);
                placed = true;
            }
            least = fmin(least, touch_gap(sim, t).phi);
        }
    }
    return least;
}

// Shortens a substep in which something springs back to the moment it touches: false position (Illinois) on
// the gap as a function of the substep's length. *h comes as the length that was tried.
static substep_result find_impact(thud_sim *sim, const double *tau, double *h)
{
    enum { MOST = 60 };
    static const double CLOSE = 1e-11; // m
    double low = 0, high = *h, at_low = INFINITY, at_high = flying_gap(sim), settled;
    for (int i = 0; i < sim->touches; i++) {
        at_low = bounce_of(sim, &sim->touch[i]) > 0 ? fmin(at_low, sim->touch[i].phi) : at_low;
    }
    if (!(at_high < 0)) {
        return SUBSTEP_DONE;
    }
    int side = 0; // which end was replaced last
    for (int k = 0; k < MOST; k++) {
        const double t = low + (high - low) * at_low / (at_low - at_high);
        const substep_result result = attempt(sim, tau, t, &settled);
        if (result != SUBSTEP_DONE) {
            return result;
        }
        const double gap = flying_gap(sim);
        *h = t;
        if (fabs(gap) <= CLOSE || high - low < 1e-15 * sim->o.h) {
            break;
        }
        if (gap > 0) {
            low = t;
            at_low = gap;
            at_high *= side > 0 ? 0.5 : 1;
            side = 1;
        } else {
            high = t;
            at_high = gap;
            at_low *= side < 0 ? 0.5 : 1;
            side = -1;
        }
    }
    return SUBSTEP_DONE;
}

// What the step starts from: positions, velocities, the last impulses.
static bool begin(thud_sim *sim, const thud_state *s)
{
    memcpy(sim->q_start, s->qpos, (size_t)sim->m->nq * sizeof(double));
    memcpy(sim->v_start, s->qvel, (size_t)sim->m->nv * sizeof(double));
    sim->step = s->steps;
    memcpy(sim->act, s->act, (size_t)s->na * sizeof(double));
    sim->ctrl = s->ctrl;
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

static void go_on(thud_sim *sim) // from where the substep ended
{
    memcpy(sim->q_start, sim->q_next, (size_t)sim->m->nq * sizeof(double));
    memcpy(sim->v_start, sim->v_next, (size_t)sim->m->nv * sizeof(double));
}

// Of 5000 steps of 1 ms the 100-link chain of acceptance.md splits 15, the 30-link one none.
static const double SPLIT = 0.002;
enum { MAX_HALVINGS = 6, MAX_IMPACTS = 64 };

static substep_result of_status(thud_status status)
{
    return status == THUD_OK ? SUBSTEP_DONE : status == THUD_NO_MEMORY ? SUBSTEP_NO_MEMORY : SUBSTEP_FAILED;
}

// What touches now and springs back does so, before time goes on.
static substep_result collide_first(thud_sim *sim, double h)
{
    substep_result result = of_status(touch_begin(sim, h));
    while (result == SUBSTEP_DONE && sim->bounces && bounce_now(sim)) {
        sim->exhausted = sim->c.impacts >= MAX_IMPACTS;
        if (sim->exhausted) {
            break;
        }
        result = sim_bounce(sim);
        result = result == SUBSTEP_DONE ? of_status(touch_begin(sim, h)) : result;
    }
    return result;
}

// Covers the step in one substep, or in parts: halves where one is too long for the motion or its contacts,
// up to the moment of an impact where something springs back. The result is in q_next and v_next.
static substep_result advance(thud_sim *sim, const double *tau, const thud_state *s)
{
    double part = sim->o.h, left = sim->o.h, settled, fixed_point = 0;
    sim->exhausted = false;
    if (!begin(sim, s)) {
        return SUBSTEP_NO_MEMORY;
    }
    while (left > 0) {
        double h = fmin(part, left);
        substep_result result = sim->constrained ? collide_first(sim, h) : SUBSTEP_DONE;
        result = result == SUBSTEP_DONE ? attempt(sim, tau, h, &settled) : result;
        const bool poor = result == SUBSTEP_UNSOLVED || (result == SUBSTEP_DONE && !(settled <= SPLIT));
        if (poor && sim->c.split < MAX_HALVINGS) {
            part *= 0.5;
            sim->c.split++;
            continue;
        }
        if (result == SUBSTEP_DONE && sim->bounces) {
            result = find_impact(sim, tau, &h);
        }
        result = result == SUBSTEP_DONE ? conclude(sim, h) : result;
        if (result != SUBSTEP_DONE) {
            return result;
        }
        fixed_point = fmax(fixed_point, settled);
        left -= h;
        left = left > 1e-14 * sim->o.h ? left : 0;
        if (left > 0) {
            go_on(sim);
        }
    }
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
    THUD_ASSERT(s->nq == m->nq && s->nv == m->nv && s->na == m->activations && s->nu == m->actuators);
    sim->c = (thud_certificate){0};
    sim->certify = certificate != NULL;
    if (!finite_all(s->qpos, m->nq) || !finite_all(s->qvel, m->nv) || (tau && !finite_all(tau, m->nv))) {
        return THUD_NOT_FINITE; // a quaternion would be normalised into one that is
    }
    THUD_TRY(status_of(sim->event ? event_advance(sim, tau, s) : advance(sim, tau, s)));
    if (!finite_all(sim->q_next, m->nq) || !finite_all(sim->v_next, m->nv) ||
        !finite_all(sim->act, m->activations)) {
        return THUD_NOT_FINITE;
    }
    if (sim->constrained && sim->warm_count > s->warm_capacity) {
        return THUD_NO_MEMORY;
    }
    if (certificate) {
        (sim->event ? event_certify : sim_certify)(sim, tau, s, certificate);
    }
    if (sim->constrained) {
        memcpy(s->warm, sim->warm, (size_t)sim->warm_count * sizeof *s->warm);
        s->warm_count = sim->warm_count;
        s->warm_h = sim->warm_h;
    }
    memcpy(s->qpos, sim->q_next, (size_t)m->nq * sizeof(double));
    memcpy(s->qvel, sim->v_next, (size_t)m->nv * sizeof(double));
    memcpy(s->act, sim->act, (size_t)s->na * sizeof(double));
    s->steps++;
    s->time += sim->o.h;
    return THUD_OK;
}

const thud_rows *thud_sim_rows(const thud_sim *sim)
{
    return sim->rows;
}

thud_energy thud_sim_energy(thud_sim *sim, const thud_state *s)
{
    return sim_energy_at(sim, s->qpos, s->qvel);
}
