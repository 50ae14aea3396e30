// SPDX-License-Identifier: Apache-2.0
// advance.c: a step as a list of calls, in one substep or in parts.
//
// A step is halved where one substep is too long for its motion or its contacts, down to h / 2^MAX_HALVINGS, and cut at
// the moment something that springs back touches [theory 6].
#include <math.h>
#include <string.h>

#include <thud/linalg.h>
#include <thud/spatial_lanes.h>

#include "doubts.h"
#include "sim.h"

// What was done otherwise than asked, in a substep that will stand.
static void note_methods(thud_sim *sim)
{
    const thud_doubt_where where = thud_doubt_nowhere();
    doubts_raise(sim->judge.doubts, THUD_DOUBT_INTEGRATOR, where, sim->scheme != sim->o.integrator, 0);
    doubts_raise(sim->judge.doubts, THUD_DOUBT_EULER_STEP, where, attempt_scheme(sim) != sim->scheme, 0);
    doubts_raise(sim->judge.doubts, THUD_DOUBT_IMPACT_CAP, where, sim->begun.exhausted, 0);
}

THUD_KERNEL static double largest_of_many(int n, const double *x)
{
    four most = {0};
    for (int k = 0; k < n; k += THUD_LANES) {
        four at = *(const four_of_numbers *)(x + sim_last_four(k, n));
        fours_size(&at);
        fours_raise(&at, &most);
    }
    return fours_most(&most);
}

// The largest of n absolute values; NaN among them is not seen.
static inline double largest(int n, const double *x)
{
    double most = 0;
    if (sim_many(n)) {
        return largest_of_many(n, x);
    }
    for (int i = 0; i < n; i++) {
        most = greater_of(fabs(x[i]), most);
    }
    return most;
}

typedef struct pace {  // the largest absolute values of
    double speed, acc; // velocities, and accelerations of the last step
    double size;       // velocities and what the last step added to them, together
    double miss;       // the first differences of accelerations
} pace;

THUD_KERNEL static pace pace_in_lanes(const thud_state *s, double h, int first, int end)
{
    four speeds = {0}, accs = {0}, sizes = {0}, misses = {0};
    for (int k = first; k < end; k += THUD_LANES) {
        const int i = sim_last_four(k, end);
        const double *D = s->acc + i;
        four speed = *(const four_of_numbers *)(s->qvel + i), acc = *(const four_of_numbers *)D,
             miss = *(const four_of_numbers *)(D + s->nv);
        fours_size(&speed);
        fours_size(&acc);
        fours_size(&miss);
        const four size = speed + h * acc;
        fours_raise(&speed, &speeds);
        fours_raise(&acc, &accs);
        fours_raise(&size, &sizes);
        fours_raise(&miss, &misses);
    }
    return (pace){fours_most(&speeds), fours_most(&accs), fours_most(&sizes), fours_most(&misses)};
}

static inline pace pace_of(const thud_state *s, double h, int first, int end)
{
    if (sim_many(end - first)) {
        return pace_in_lanes(s, h, first, end);
    }
    const double *v = s->qvel, *a = s->acc, *D = a + s->nv;
    pace p = {0};
    for (int i = first; i < end; i++) {
        const double speed = fabs(v[i]), acc = fabs(a[i]);
        p.speed = greater_of(speed, p.speed);
        p.acc = greater_of(acc, p.acc);
        p.size = greater_of(speed + h * acc, p.size);
        p.miss = greater_of(fabs(D[i]), p.miss);
    }
    return p;
}

typedef struct pacing { // of all dofs
    const thud_state *s;
    double h;
} pacing;

static void pace_some(const void *of, int first, int end, double *here)
{
    const pacing *a = of;
    const pace p = pace_of(a->s, a->h, first, end);
    here[0] = p.speed;
    here[1] = p.acc;
    here[2] = p.size;
    here[3] = p.miss;
}

// By all threads.
static pace measure_pace(const thud_sim *sim, const thud_state *s, double h)
{
    enum { LEAST = 2000 }; // dofs
    double most[4];
    thud_pool_most(sim->pool, s->nv, LEAST, pace_some, &(pacing){s, h}, 4, most);
    return (pace){most[0], most[1], most[2], most[3]};
}

// guess_dofs of few.
static inline void guess_few(const thud_sim *sim, const thud_state *s, int orders, double rest)
{
    const int nv = sim->m->nv;
    const double h = sim->o.h;
    for (int i = 0; i < nv; i++) {
        const double v = s->qvel[i], *D = s->acc + i;
        double sum = 0 + *D;
        if (fabs(v) <= rest && h * fabs(*D) <= rest) {
            sim->begun.guess[i] = -v / h;
            continue;
        }
        for (int k = 1; k < orders; k++) {
            D += nv;
            sum += *D;
        }
        sim->begun.guess[i] = sum;
    }
}

typedef struct guessing { // of all dofs
    const thud_sim *sim;
    const thud_state *s;
    int orders;
    double rest;
} guessing;

// The sum of the first orders of D; but what rests stays at rest: what is left of its velocity is the last step's rounding or
// residual, and will stop. Of many.
THUD_KERNEL static void guess_dofs(void *of, int first, int end, int worker)
{
    const guessing *a = of;
    const thud_state *s = a->s;
    const double h = a->sim->o.h, rest = a->rest;
    (void)worker;
    for (int k = first; k < end; k += THUD_LANES) {
        const int i = sim_last_four(k, end);
        const double *D = s->acc + i;
        const four v = *(const four_of_numbers *)(s->qvel + i), acc = *(const four_of_numbers *)D;
        four speed = v, gain = acc, sum = 0 + acc;
        for (int o = 1; o < a->orders; o++) {
            D += s->nv;
            sum += *(const four_of_numbers *)D;
        }
        fours_size(&speed);
        fours_size(&gain);
        const four_of_bits rests = (speed <= rest) & (h * gain <= rest);
        *(four_of_numbers *)(a->sim->begun.guess + i) = FOURS_SELECT(rests, -v / h, sum);
    }
}

// Does the acceleration of some grove stay all but the same? change (nv): by how much it changed in the last step.
static bool is_one_steady(const thud_sim *sim, const thud_state *s, const double *change, double same)
{
    const double h = sim->o.h, fall = h * sim->g;
    bool one = false;
    for (int g = 0; !one && g < sim->d->groves; g++) {
        const grove_range r = sim_range(sim, g, g + 1);
        const int n = r.v_end - r.v;
        const double speed = largest(n, s->qvel + r.v), gain = h * largest(n, s->acc + r.v);
        one = h * largest(n, change + r.v) <= same * greater_of(fall, speed + gain);
    }
    return one;
}

// The acceleration to begin with, from the differences of the last steps' (thud/state.h): a polynomial of degree k - 1
// through the last k of them would have missed the last by D^k, so the k with the smallest misses least. None where all
// miss by much.
static void guess(thud_sim *sim, const thud_state *s)
{
    static const double ALIKE = 0.01, SAME = 1e-6, REST = 1e-6, STOPPED = 0.1,
                        STILL = 1e-4; // of what a step of free fall adds to a velocity
    enum { LEAST = 2000 };            // dofs
    const int nv = sim->m->nv;
    const double h = sim->o.h, fall = h * sim->g;
    const pace p = sim->pool ? measure_pace(sim, s, h) : pace_of(s, h, 0, s->nv);
    const double size = greater_of(p.size, STILL * fall);
    double least = INFINITY;
    int order = 0;
    sim->begun.steady = h * p.miss <= SAME * greater_of(size, fall);
    for (int k = 1; k < THUD_STATE_DIFFERENCES; k++) {
        const double miss = k == 1 ? p.miss : largest(nv, s->acc + (size_t)k * (size_t)nv);
        if (!(miss < least)) {
            break;
        }
        least = miss;
        order = k;
    }
    sim->begun.one_steady =
        sim->begun.steady || (sim->d->groves > 1 && is_one_steady(sim, s, s->acc + nv, SAME));
    sim->begun.guessed = h * least <= ALIKE * size;
    sim->begun.stopped = sim->begun.guessed && p.speed < STOPPED * h * p.acc;
    if (sim->begun.guessed && !sim_many(nv)) {
        guess_few(sim, s, order, REST * fall);
    } else if (sim->begun.guessed) {
        thud_pool_run(sim->pool, nv, LEAST, guess_dofs, &(guessing){sim, s, order, REST * fall});
    } else {
        memset(sim->begun.guess, 0, (size_t)nv * sizeof *sim->begun.guess);
    }
}

// The differences from which the next step guesses its acceleration, of dofs first to end - 1: the accelerations, then their differences,
// order by order.
THUD_KERNEL static void keep_differences(const thud_sim *sim, const thud_state *s, int first, int end)
{
    const double h = sim->o.h;
    int i = first;
    for (; i + THUD_LANES <= end; i += THUD_LANES) {
        four D = *(const four_of_numbers *)(sim->go.v_next + i) - *(const four_of_numbers *)(s->qvel + i);
        double *kept = s->acc + i;
        D /= h;
        for (int k = 0; k < THUD_STATE_DIFFERENCES; k++, kept += s->nv) {
            const four before = *(four_of_numbers *)kept;
            *(four_of_numbers *)kept = D;
            D -= before;
        }
    }
    for (; i < end; i++) {
        double D = (sim->go.v_next[i] - s->qvel[i]) / h, *kept = s->acc + i;
        for (int k = 0; k < THUD_STATE_DIFFERENCES; k++, kept += s->nv) {
            const double before = *kept;
            *kept = D;
            D -= before;
        }
    }
}

typedef struct ending { // of a step
    const thud_sim *sim;
    const thud_state *s;
} ending;

static void keep_some(void *of, int first, int end, int worker)
{
    const ending *e = of;
    (void)worker;
    keep_differences(e->sim, e->s, first, end);
}

static void keep_accelerations(const thud_sim *sim, const thud_state *s)
{
    enum { LEAST = 2000 }; // dofs
    thud_pool_run(sim->pool, s->nv, LEAST, keep_some, &(ending){sim, s});
}

// Impulses of the last substep count as those of a whole step: a body stepped together with others that needed several substeps,
// or alone, finds the same.
static void keep_impulses(const thud_sim *sim, thud_state *s)
{
    sim_copy(sim, sim->answer.warm, (size_t)sim->answer.warm_count * sizeof *s->warm, s->warm);
    s->warm_count = sim->answer.warm_count;
    s->warm_h = sim->answer.warm_h;
    if (sim->answer.warm_h == sim->o.h || !(sim->answer.warm_h > 0) || sim_by_events(sim)) {
        return;
    }
    s->warm_h = sim->o.h;
    for (int i = 0; i < s->warm_count; i++) {
        for (int r = 0; r < 6; r++) {
            s->warm[i].p[r] *= sim->o.h / sim->answer.warm_h;
        }
    }
}

// The state at the start: positions, velocities, the last impulses.
static bool load_state(thud_sim *sim, const thud_state *s, const double *tau)
{
    sim_copy_numbers(sim, sim->m->nq, s->qpos, sim->begun.q_start);
    sim_copy_numbers(sim, sim->m->nv, s->qvel, sim->begun.v_start);
    sim->begun.step = s->steps;
    copy_numbers(s->na, s->act, sim->force.act);
    sim->force.ctrl = s->ctrl;
    guess(sim, s);
    if (!sim->constrained) {
        return true;
    }
    if (s->warm_count > sim->answer.warm_capacity) {
        return false;
    }
    sim_copy(sim, s->warm, (size_t)s->warm_count * sizeof *s->warm, sim->answer.warm);
    sim->answer.warm_count = s->warm_count;
    sim->answer.warm_h = s->warm_h;
    return (!sim->sleep && s->kept_count == 0) || sleep_begin(sim, s, tau);
}

// Of 5000 steps of 1 ms the 100-link chain of acceptance.md splits 15, the 30-link one none.
static const double SPLIT = 0.002;
enum { MAX_HALVINGS = 6 };

substep_result step_begin(thud_sim *sim, const double *tau, const thud_state *s, advance *a)
{
    THUD_ASSERT(sim->o.h > 0);
    *a = (advance){.s = s, .tau = tau, .part = sim->o.h, .left = sim->o.h};
    sim->begun.by_euler = false;
    strike_begin(sim);
    return load_state(sim, s, tau) ? SUBSTEP_DONE : SUBSTEP_NO_MEMORY;
}

substep_result step_open(thud_sim *sim, advance *a)
{
    THUD_ASSERT(a->part > 0 && a->left > 0);
    a->h = lesser_of(a->part, a->left);
    if (sim_cancelled(sim)) {
        return SUBSTEP_CANCELLED;
    }
    if (!sim->constrained) {
        return SUBSTEP_DONE;
    }
    const substep_result result = substep_of(sim_look(sim, a->h));
    a->h = result == SUBSTEP_DONE ? strike_limit(sim, a->h) : a->h;
    return result;
}

bool step_collides(thud_sim *sim)
{
    if (!sim->constrained || !(sim->bounces || sim->strike.locates) || !strike_now(sim)) {
        return false;
    }
    strike_count(sim);
    return true;
}

bool step_wakes(thud_sim *sim, const advance *a)
{
    if (!sim->sleep || !sim->constrained || !(sim->bounces || sim->strike.locates)) {
        return false;
    }
    for (int i = 0; i < sim->sight.touches; i++) {
        touch *t = &sim->sight.touch[i];
        t->active = t->phi <= TOUCHING && touch_strikes(sim, t);
    }
    const bool wakes = sleep_is_touched(sim) && sleep_wake(sim, a->s);
    for (int i = 0; i < sim->sight.touches; i++) {
        sim->sight.touch[i].active = false;
    }
    return wakes;
}

// One substep, or half of it where it is too long for the motion or its contacts, up to the moment of an impact where something
// springs back.
substep_result step_solve(thud_sim *sim, advance *a)
{
    THUD_ASSERT(a->h > 0 && a->h <= a->left);
    substep_result result = step_attempt(sim, a->tau, a->h, &a->settled);
    if (sim_cancelled(sim)) {
        return SUBSTEP_CANCELLED;
    }
    const bool poor = (result == SUBSTEP_UNSOLVED && sim->work.left > 0) ||
                      (result == SUBSTEP_DONE && !(a->settled <= SPLIT));
    if (poor && sim->judge.c.split < MAX_HALVINGS) {
        doubts_raise(sim->judge.doubts, THUD_DOUBT_SHORTER_STEP, thud_doubt_nowhere(),
                     result == SUBSTEP_UNSOLVED ? 2 << sim->judge.c.split : 0, 0);
        a->part *= 0.5;
        sim->judge.c.split++;
        return SUBSTEP_AGAIN;
    }
    if (result == SUBSTEP_UNSOLVED && sim->scheme == THUD_INTEGRATOR_MIDPOINT && !sim->begun.by_euler &&
        sim->work.left >
            0) { // half a step ahead a ball in a groove may have no impulses that suit; here it has
        sim->begun.by_euler = true;
        return SUBSTEP_AGAIN;
    }
    if (result == SUBSTEP_DONE && (sim->bounces || sim->strike.locates)) {
        result = strike_find(sim, a->tau, &a->h);
    }
    if (result == SUBSTEP_WAKE && sleep_wake(sim, a->s)) {
        return SUBSTEP_AGAIN;
    }
    if (result == SUBSTEP_DONE) {
        note_methods(sim);
        if (sim->judge.certify) {
            sim_judge(sim, a->h);
        }
    }
    return result;
}

// After a substep that will stand: its activations, its impulses.
static substep_result conclude(thud_sim *sim, double h)
{
    if (sim->m->activations > 0) {
        thud_activation_advance(sim->m, sim->force.ctrl, sim->force.act, h, sim->force.act);
    }
    if (!sim->constrained) {
        return SUBSTEP_DONE;
    }
    sim->judge.c.cone_residual =
        greater_of(sim->answer.cone_residual, sim->judge.c.cone_residual); // the first may be NaN
    sim->judge.c.lcp_residual = greater_of(sim->answer.lcp_residual, sim->judge.c.lcp_residual);
    const bool remembers =
        attempt_scheme(sim) == THUD_INTEGRATOR_MIDPOINT && thud_rows_blocks(sim->ask.rows) > 0;
    return remembers || sim_remember(sim, h) ? SUBSTEP_DONE : SUBSTEP_NO_MEMORY;
}

substep_result step_close(thud_sim *sim, advance *a)
{
    THUD_ASSERT(a->h > 0 && a->h <= a->left);
    const substep_result result = conclude(sim, a->h);
    if (result != SUBSTEP_DONE) {
        return result;
    }
    if (sim->bounces || sim->strike.locates) {
        strike_count_cut(sim, a->h);
    }
    a->fixed_point = greater_of(a->settled, a->fixed_point); // which may be NaN
    a->left -= a->h;
    if (!(a->left > 1e-14 * sim->o.h)) {
        a->left = 0;
        sim->judge.c.fixed_point = greater_of(a->fixed_point, sim->judge.c.fixed_point);
    }
    return SUBSTEP_DONE;
}

void step_go_on(thud_sim *sim, const advance *a)
{
    THUD_ASSERT(a->h > 0 && a->left > 0);
    sim->begun.by_euler = false;
    sim->begun.guessed = false;
    for (int i = 0; i < sim->m->nv; i++) {
        sim->begun.guess[i] = (sim->go.v_next[i] - sim->begun.v_start[i]) / a->h;
    }
    memcpy(sim->begun.q_start, sim->go.q_next, (size_t)sim->m->nq * sizeof(double));
    memcpy(sim->begun.v_start, sim->go.v_next, (size_t)sim->m->nv * sizeof(double));
}

thud_status sim_status(substep_result result)
{
    switch (result) {
    case SUBSTEP_DONE:
        return THUD_OK;
    case SUBSTEP_UNSOLVED:
        return THUD_NOT_SOLVED;
    case SUBSTEP_CANCELLED:
        return THUD_CANCELLED;
    case SUBSTEP_WAKE: // no room for the impulses that held it
    case SUBSTEP_NO_MEMORY:
        return THUD_NO_MEMORY;
    case SUBSTEP_AGAIN:
    case SUBSTEP_FAILED:
        break;
    }
    return THUD_NOT_FINITE;
}

static bool test_finite(int n, const double *x, const double *same)
{
    (void)same;
    return thud_all_finite(n, x);
}

static inline bool are_finite(const thud_sim *sim, int n, const double *x)
{
    enum { FEW = 8 };
    if (n > FEW) {
        return sim->pool ? sim_all_hold(sim, test_finite, n, x, x) : thud_all_finite(n, x);
    }
    double none = 0; // NaN if a number is infinite or NaN
    for (int i = 0; i < FEW && i < n; i++) {
        none += 0 * x[i];
    }
    return none == 0;
}

bool sim_is_finite(const thud_sim *sim, const thud_state *s, const double *of_dofs)
{
    return are_finite(sim, sim->m->nq, s->qpos) && are_finite(sim, sim->m->nv, s->qvel) &&
           (!of_dofs || are_finite(sim, sim->m->nv, of_dofs));
}

thud_status step_enter(thud_sim *sim, const double *tau, const thud_state *s, bool certify)
{
    THUD_ASSERT(s->nq == sim->m->nq && s->nv == sim->m->nv && s->na == sim->m->activations &&
                s->nu == sim->m->actuators);
    sim->judge.c = (thud_certificate){0};
    sim->judge.certify = certify;
    sim->work.left = sim->work.budget;
    sim->answer.reason[0] = '\0';
    sim->judge.servo_work = 0;
    doubts_begin(sim->judge.doubts, s->time + sim->o.h);
    if (!sim_is_finite(sim, s, tau)) {
        return THUD_NOT_FINITE; // a quaternion would be normalised into one that is
    }
    sim_see(sim, s);
    return THUD_OK;
}

thud_status step_settle(thud_sim *sim, const double *tau, const thud_state *s)
{
    const thud_model *m = sim->m;
    if (!are_finite(sim, m->nq, sim->go.q_next) || !are_finite(sim, m->nv, sim->go.v_next) ||
        !are_finite(sim, m->activations, sim->force.act)) {
        return THUD_NOT_FINITE;
    }
    if (sim->sleep) {
        sleep_settle(sim, s, tau);
    }
    sim->judge.c.spent = sim->work.budget - sim->work.left;
    const bool fits = sim->answer.warm_count <= s->warm_capacity && (!sim->sleep || sleep_fits(sim, s));
    return fits || !sim->constrained ? THUD_OK : THUD_NO_MEMORY;
}

void step_keep(thud_sim *sim, thud_state *s)
{
    THUD_ASSERT(!sim->constrained || sim->answer.warm_count <= s->warm_capacity);
    if (sim->constrained) {
        keep_impulses(sim, s);
        if (sim->sleep || s->kept_count > 0) {
            sleep_keep(sim, s);
        }
    }
    keep_accelerations(sim, s);
    sim_copy_numbers(sim, sim->m->nq, sim->go.q_next, s->qpos);
    sim_copy_numbers(sim, sim->m->nv, sim->go.v_next, s->qvel);
    copy_numbers(s->na, sim->force.act, s->act);
    s->steps++;
    s->time += sim->o.h;
    sim->answer.reason[0] = '\0'; // a problem that was not solved at once was solved in smaller steps
}
