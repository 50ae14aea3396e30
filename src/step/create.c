// SPDX-License-Identifier: Apache-2.0
// create.c: memory of the stages of a step, made and given back.
#include <math.h>
#include <string.h>

#include <thud/spatial_inline.h>

#include "doubts.h"
#include "sim.h"

// ---------------------------------------------------------------------------------------------- create

// Where mocap bodies are is the state's: the sim's model is a view that follows it.
static thud_status allocate_view(thud_sim *sim)
{
    sim->mocap = thud_alloc(7 * (size_t)sim->m->mocaps, sizeof *sim->mocap);
    THUD_TRY(sim->mocap ? thud_mocap_view_create(sim->m, &sim->view) : THUD_NO_MEMORY);
    sim->m = sim->view;
    return THUD_OK;
}

void sim_see(thud_sim *sim, const thud_state *s)
{
    const size_t bytes = 7 * (size_t)sim->m->mocaps * sizeof(double);
    if (!sim->view || memcmp(sim->mocap, s->mocap, bytes) == 0) {
        return;
    }
    memcpy(sim->mocap, s->mocap, bytes);
    thud_mocap_view_set(sim->view, s->mocap);
    sim->sight.here.known = sim->judge.energy_known = sim->fall.placed =
        false; // known with the mocap bodies elsewhere
}

static thud_status allocate_smooth(thud_sim *sim)
{
    const size_t nq = (size_t)sim->m->nq, nv = (size_t)sim->m->nv;
    double **const positions[] = {&sim->fall.q,          &sim->begun.q_start, &sim->go.q_next,
                                  &sim->sight.here.qpos, &sim->fall.q_placed, &sim->judge.q_known,
                                  &sim->go.q_found};
    double **const velocities[] = {&sim->force.Minv,      &sim->go.v_mean,
                                   &sim->force.ahead,     &sim->force.tau,
                                   &sim->fall.v,          &sim->fall.acc,
                                   &sim->fall.before,     &sim->answer.push,
                                   &sim->answer.held,     &sim->go.v_next,
                                   &sim->begun.v_start,   &sim->fall.v_free,
                                   &sim->fall.v_hat,      &sim->zero,
                                   &sim->go.dq,           &sim->go.k[0],
                                   &sim->go.k[1],         &sim->go.k[2],
                                   &sim->go.k[3],         &sim->go.u[0],
                                   &sim->go.u[1],         &sim->go.u[2],
                                   &sim->go.u[3],         &sim->begun.guess,
                                   &sim->judge.v_known,   &sim->sight.extent,
                                   &sim->force.servo_k,   &sim->force.servo_d,
                                   &sim->force.ahead_k,   &sim->force.ahead_d,
                                   &sim->force.pull,      &sim->force.carried,
                                   &sim->sight.here.qvel, &sim->fall.factored_with,
                                   &sim->fall.v_solved,   &sim->fall.tau_solved,
                                   &sim->fall.acc_solved};
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
    sim->force.act = at;
    sim->force.act_mean = sim->force.act + sim->m->activations;
    sim->force.tendon_start = sim->force.act_mean + sim->m->activations;
    THUD_TRY(sim->m->actuators + sim->m->tendons > 0 ? thud_drive_create(sim->m, &sim->force.drive)
                                                     : THUD_OK);
    THUD_TRY(thud_dynamics_create(sim->m, &sim->d));
    sim->fall.known = thud_alloc((size_t)sim->d->groves + 1, sizeof *sim->fall.known);
    return sim->fall.known ? THUD_OK : THUD_NO_MEMORY;
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
    touch *const grown = thud_resize(sim->sight.touch, (size_t)contacts * sizeof *grown);
    sim->sight.touch = grown ? grown : sim->sight.touch;
    thud_gap *const gap = thud_resize(sim->sight.gap, (size_t)contacts * sizeof *gap);
    sim->sight.gap = gap ? gap : sim->sight.gap;
    thud_warm *const warm = thud_resize(sim->answer.warm, (size_t)blocks * sizeof *warm);
    sim->answer.warm = warm ? warm : sim->answer.warm;
    law_verdict *const verdicts = thud_resize(sim->answer.verdict, (size_t)blocks * sizeof *verdicts);
    sim->answer.verdict = verdicts ? verdicts : sim->answer.verdict;
    if (!grown || !gap || !warm || !verdicts) {
        return THUD_NO_MEMORY;
    }
    sim->sight.touch_capacity = contacts;
    sim->answer.warm_capacity = blocks;
    for (int k = 0; k < SETS; k++) {
        THUD_TRY(thud_contact_set_reserve(&sim->sight.here.of[k], contacts));
    }
    return THUD_OK;
}

// An arena for each worker; the contents of the old ones are lost. NO_MEMORY leaves the old ones.
thud_status sim_renew_scratch(thud_sim *sim, size_t bytes)
{
    thud_arena *made[THUD_POOL_THREADS] = {NULL};
    const int threads = thud_pool_threads(sim->pool);
    thud_status status = THUD_OK;
    for (int i = 0; i < threads && status == THUD_OK; i++) {
        status = thud_arena_create(bytes, &made[i]);
    }
    for (int i = 0; i < threads; i++) {
        thud_arena_destroy(status == THUD_OK ? sim->answer.scratch_of[i] : made[i]);
        sim->answer.scratch_of[i] = status == THUD_OK ? made[i] : sim->answer.scratch_of[i];
    }
    sim->answer.scratch = sim->answer.scratch_of[0];
    return status;
}

// Room to begin with, enough for a heap of all there is; what turns out too small grows by thud_sim_grow. Pages that are
// never written cost nothing.
static thud_status allocate_constraints(thud_sim *sim)
{
    const thud_model *m = sim->m;
    enum { CONTACTS = 64, CONTACTS_A_GEOM = 8, BYTES = 1 << 20, BYTES_A_GEOM = 1 << 13, FEW = 100 };
    const size_t links = (size_t)m->joints;
    const int many = m->geoms > FEW ? m->geoms - FEW : 0, contacts = CONTACTS + CONTACTS_A_GEOM * many;
    const size_t bytes = BYTES + BYTES_A_GEOM * (size_t)many;
    const int blocks = contacts + 2 * m->nv + m->equalities + 3 * m->tendons;
    sim->fall.V = thud_alloc(3 * links + 1, sizeof *sim->fall.V);
    sim->answer.wrench = thud_alloc(links + 1, sizeof *sim->answer.wrench);
    sim->sight.X_wg = thud_alloc((size_t)m->geoms + 1, sizeof *sim->sight.X_wg);
    sim->sight.V_wg = thud_alloc((size_t)m->geoms + 1, sizeof *sim->sight.V_wg);
    sim->sight.X_now = thud_alloc((size_t)m->geoms + 1, sizeof *sim->sight.X_now);
    sim->sight.X_lg = thud_alloc((size_t)m->geoms + 1, sizeof *sim->sight.X_lg);
    sim->sight.traced = thud_alloc((size_t)m->geoms + 1, sizeof *sim->sight.traced);
    sim->sight.now_at = thud_alloc((size_t)m->geoms + 1, sizeof *sim->sight.now_at);
    sim->sight.shift = thud_alloc((size_t)m->geoms + 1, sizeof *sim->sight.shift);
    sim->sight.moved_at = thud_alloc((size_t)m->geoms + 1, sizeof *sim->sight.moved_at);
    sim->sight.wanted = thud_alloc((size_t)m->geoms + 1, sizeof *sim->sight.wanted);
    sim->ask.loop_u = thud_alloc(12 * (size_t)m->equalities + 1, sizeof *sim->ask.loop_u);
    sim->ask.loop_across = thud_alloc((size_t)m->equalities + 1, sizeof *sim->ask.loop_across);
    sim->strike.hits = thud_alloc(links + 1, sizeof *sim->strike.hits);
    if (!sim->strike.hits || !sim->fall.V || !sim->ask.loop_u || !sim->ask.loop_across ||
        !sim->answer.wrench || !sim->sight.X_wg || !sim->sight.V_wg || !sim->sight.X_now ||
        !sim->sight.X_lg || !sim->sight.traced || !sim->sight.now_at || !sim->sight.wanted ||
        !sim->sight.shift || !sim->sight.moved_at) {
        return THUD_NO_MEMORY;
    }
    sim->fall.V_free = sim->fall.V + links;
    sim->fall.V_hat = sim->fall.V_free + links;
    sim->ask.loop_g = sim->ask.loop_u + 6 * (size_t)m->equalities;
    THUD_TRY(reserve(sim, contacts, blocks));
    THUD_TRY(sim->answer.borrows ? THUD_OK : sim_renew_scratch(sim, 4 * bytes));
    THUD_TRY(thud_rows_create(m, blocks, bytes, &sim->ask.rows));
    THUD_TRY(thud_rows_create(m, blocks, bytes, &sim->ask.other_rows));
    thud_rows_share(sim->ask.rows, sim->pool);
    thud_rows_share(sim->ask.other_rows, sim->pool);
    sim_measure_extents(sim);
    loops_find_planes(sim);
    THUD_TRY(loops_create(sim));
    if (!any_contact(m) || !m->contact_on) {
        return THUD_OK;
    }
    THUD_TRY(thud_collider_create(m, NULL, &sim->sight.collider));
    return thud_collider_share(sim->sight.collider, sim->pool, sim->sight.touch_capacity);
}

static bool springs_back(const thud_model *m, const thud_step_options *o)
{
    bool any = o->restitution > 0;
    for (int g = 0; g < m->geoms && o->restitution < 0; g++) {
        any |= m->geom_restitution[g] > 0;
    }
    return any || (o->restitution < 0 && m->pairs > 0);
}

static thud_status refuse_sleep(const thud_model *m, const thud_step_options *o, thud_diag *diag)
{
    if (!(o->sleep.speed >= 0) || (o->sleep.speed > 0 && !(o->sleep.time >= 2 * o->h))) {
        return thud_fail(
            THUD_BAD_ARGUMENT, diag, NULL, 0, 0,
            "what is to sleep when slower than %g m/s for %g s needs a speed above zero and at least two "
            "steps of time",
            o->sleep.speed, o->sleep.time);
    }
    if (o->sleep.speed > 0 && o->scheme == THUD_SCHEME_EVENT_DRIVEN) {
        return thud_fail(THUD_UNSUPPORTED, diag, NULL, 0, 0,
                         "nothing sleeps between events: sleep is for time stepping alone");
    }
    return o->sleep.speed > 0 && m->sensors > 0
               ? thud_fail(THUD_UNSUPPORTED, diag, NULL, 0, 0,
                           "nothing sleeps in a model with sensors: they would not feel what holds it")
               : THUD_OK;
}

thud_status sim_refuse(const thud_model *m, const thud_step_options *o, thud_diag *diag)
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
    if (o->budget < 0 || !(o->accept_tolerance >= 0)) {
        return thud_fail(
            THUD_BAD_ARGUMENT, diag, NULL, 0, 0,
            "a budget of %lld with an accept_tolerance of %g is not possible; neither is below zero",
            (long long)o->budget, o->accept_tolerance);
    }
    if (o->law.directions < 4 || o->law.directions % 2 != 0) {
        return thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0,
                         "%d directions make no pyramid of friction; they are even and at least 4",
                         o->law.directions);
    }
    if (o->threads < 0 || o->threads > THUD_POOL_THREADS) {
        return thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0,
                         "%d threads are not possible; they are 1 to %d, or 0 for as many as there are cores",
                         o->threads, THUD_POOL_THREADS);
    }
    if (!(o->h > 0) || !isfinite(o->h) || o->rounds < 1) {
        return thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0,
                         "a step of %g s with %d rounds is not possible; both must be positive", o->h,
                         o->rounds);
    }
    THUD_TRY(refuse_sleep(m, o, diag));
    const char *reason = thud_law_refuses(o->law.law, o->law.solver);
    return reason ? thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0, "%s", reason) : THUD_OK;
}

// A few trees are solved sharply whatever tolerance is asked for: rough impulses do not hold what rests, so that each step is
// solved anew, by sweeps that hardly converge on the redundant contacts of a robot or a stack.
static void sharpen(thud_sim *sim)
{
    enum { CROWD = 20 }; // trees
    static const double SHARP = 1e-8;
    const thud_law_options *o = &sim->o.law;
    if (sim->d->groves < CROWD && sim_exact(sim) && o->solver == THUD_SOLVER_AUTO &&
        sim->o.scheme == THUD_SCHEME_TIME_STEPPING) {
        sim->o.law.tolerance = thud_min(o->tolerance, SHARP);
    }
}

// Meshes that are not convex are said before the first step.
static void note_hulls(thud_sim *sim)
{
    const double noise = 1.02;
    for (int g = 0; g < sim->m->geoms; g++) {
        if (sim->m->geom_hull[g] > noise) {
            thud_doubt doubt = {
                .kind = THUD_DOUBT_HULL, .where = thud_doubt_nowhere(), .first = {0, sim->m->geom_hull[g]}};
            doubt.where.geom[0] = g;
            doubt.where.body[0] = sim->m->geom_body[g];
            thud_sim_add_doubt(sim, &doubt);
        }
    }
}

static thud_status create(thud_sim *sim)
{
    const thud_model *m = sim->m;
    sim->judge.doubts = doubts_create();
    sim->work.budget = sim->work.left =
        sim->o.budget > 0 ? sim->o.budget : THUD_BUDGET + THUD_BUDGET_DOF * (int64_t)m->nv;
    sim->work.stop_at = &sim->work.stop;
    THUD_TRY(sim->judge.doubts ? thud_pool_create(sim->o.threads, &sim->pool) : THUD_NO_MEMORY);
    THUD_TRY(m->mocaps > 0 ? allocate_view(sim) : THUD_OK);
    m = sim->m;
    THUD_TRY(allocate_smooth(sim));
    if (!sim->answer.borrows) {
        sharpen(sim);
        note_hulls(sim);
    }
    sim->force.driven = sim_is_driven(m);
    sim->ask.tendon_rows = tendon_rows_any(m);
    sim->ask.loops = loops_any(m);
    sim->ask.jointed = mobility_asks(m);
    sim->constrained = (any_contact(m) && m->contact_on) || sim->ask.loops;
    if (sim->constrained) {
        THUD_TRY(allocate_constraints(sim));
        sim->scheme = !sim_exact(sim)                            ? THUD_INTEGRATOR_EULER
                      : sim->o.integrator == THUD_INTEGRATOR_RK4 ? THUD_INTEGRATOR_MIDPOINT
                                                                 : sim->o.integrator;
        sim->bounces = springs_back(m, &sim->o);
        strike_create(sim);
    }
    THUD_TRY(sleep_create(sim));
    sim_measure_inertia(sim);
    return THUD_OK;
}

thud_status sim_create(const thud_model *m, const thud_step_options *o, bool borrows, thud_sim **out)
{
    thud_sim *sim = *out = thud_alloc(1, sizeof *sim);
    if (!sim) {
        return THUD_NO_MEMORY;
    }
    sim->sight.here.set = sim->sight.here.of;
    sim->answer.borrows = borrows;
    sim->m = m;
    sim->g = v3_norm(m->gravity);
    sim->o = *o;
    if (sim_by_events(sim)) { // rough forces are a bad right-hand side
        sim->o.law.tolerance = thud_min(o->law.tolerance, THUD_ROUGH);
    }
    sim->law = law_traits_of(o->law.law);
    sim->scheme = o->integrator;
    const thud_status status = create(sim);
    if (status != THUD_OK) {
        sim_destroy(sim);
        *out = NULL;
    }
    return status;
}

void sim_destroy(thud_sim *sim)
{
    if (sim) {
        sleep_destroy(sim->sleep);
        thud_free(sim->judge.doubts);
        thud_mocap_view_destroy(sim->view);
        thud_free(sim->mocap);
        thud_dynamics_destroy(sim->d);
        thud_free(sim->fall.known);
        thud_drive_destroy(sim->force.drive);
        thud_collider_destroy(sim->sight.collider);
        for (int k = 0; k < SETS; k++) {
            thud_contact_set_free(&sim->sight.here.of[k]);
        }
        thud_rows_destroy(sim->ask.rows);
        thud_rows_destroy(sim->ask.other_rows);
        for (int i = 0; i < THUD_POOL_THREADS; i++) {
            thud_arena_destroy(sim->answer.borrows ? NULL : sim->answer.scratch_of[i]);
        }
        thud_free(sim->answer.verdict);
        thud_pool_destroy(sim->pool);
        thud_free(sim->sight.touch);
        thud_free(sim->sight.gap);
        thud_free(sim->answer.warm);
        thud_free(sim->fall.V);
        thud_free(sim->ask.loop_u);
        thud_free(sim->ask.loop_across);
        thud_free(sim->strike.hits);
        thud_free(sim->ask.bounded);
        thud_free(sim->answer.wrench);
        thud_free(sim->sight.X_now);
        thud_free(sim->sight.X_lg);
        thud_free(sim->sight.traced);
        thud_free(sim->sight.now_at);
        thud_free(sim->sight.shift);
        thud_free(sim->sight.moved_at);
        thud_free(sim->sight.wanted);
        thud_free(sim->sight.V_wg);
        thud_free(sim->sight.X_wg);
        thud_free(sim->block);
        thud_free(sim);
    }
}

thud_status sim_reserve_more(thud_sim *sim, thud_state *s)
{
    if (s->warm_capacity < sim->answer.warm_capacity) {
        return thud_state_reserve(s, sim->answer.warm_capacity);
    }
    sim->sight.here.known = false;
    const int wanted = sim->sight.here.set->needed > 2 * sim->sight.touch_capacity
                           ? sim->sight.here.set->needed
                           : 2 * sim->sight.touch_capacity;
    THUD_TRY(reserve(sim, wanted, 2 * sim->answer.warm_capacity));
    THUD_TRY(thud_rows_grow(sim->ask.rows));
    THUD_TRY(thud_rows_grow(sim->ask.other_rows));
    if (sim->sight.collider) {
        THUD_TRY(thud_collider_grow(sim->sight.collider));
        THUD_TRY(thud_collider_share(sim->sight.collider, sim->pool, sim->sight.touch_capacity));
    }
    return thud_state_reserve(s, sim->answer.warm_capacity);
}
