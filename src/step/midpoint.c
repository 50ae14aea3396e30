// SPDX-License-Identifier: Apache-2.0
// midpoint.c: the corrected midpoint rule, the default. [theory 8]
//
//     v_m = v + h/2 a,   q_m = q + h/2 v_m,   a <- M^-1(q_m) (tau - c(q_m, v_m) + G^T p/h)
//     v+ = v + h a,      q+ = q + h v_m
//
// A fixed point of this is the implicit midpoint rule, which keeps quadratic invariants (a free body's energy
// and momentum) and does not gain energy in practice. What makes the iteration converge slowly is c,
// quadratic in v_m; q_m moves less, by another h. So a round is one evaluation at a new q_m and one more
// there with the better v_m, which needs no new factor of M: two rounds cost less than three full evaluations
// and leave a third of their error. A round ends with the contact problem, linearised at q_m, so that the
// next one sees the impulses in v_m.
//
// The iteration starts where the last steps point to (guess in advance.c) if that is somewhere, else from a = 0. It ends
// where an evaluation hardly changes that: another one would move v+ by another factor of h times what moves
// fastest. In smooth motion the first one does it. Contacts feel the position of G as well; of the velocities that it ends
// with, 1e-5 are little there, too, and so is what a link turns through less than that much of (no end of the scenes with
// contact that are not chaotic moves by a two-hundredth of what halving h does), but not of those of a fall that contacts
// prevent: what stands is guessed to 1e-7 of them. Loops add up what they feel (a four-bar
// linkage loses 2 % in 5 s where its guess may be 1e-5 off; with 1e-9 its error stays of second order). What rests or slides
// steadily is guessed exactly.
//
// A guess that is nearly right takes its second round at the place of the first: only v_m is better then.
//
// Differs  theory.md's predictor + 2 corrections evaluates everything three times. When the last evaluation
//          still changed the velocity by more than advance.c allows, it takes the step in parts.
// Cost     1 or 2 factors, 1 or 2 solves with each. Order 2 where nothing collides.
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include <thud/spatial_lanes.h>

#include "sim.h"

// Dofs first to end - 1: to where the guess leads, and to where acc and push do.
static void begin_halfway(const thud_sim *sim, double half, int first, int end)
{
    const double *start = sim->begun.v_start, *guess = sim->begun.guess;
    double *restrict push = sim->answer.push, *restrict before = sim->fall.before,
                     *restrict acc = sim->fall.acc, *restrict v = sim->fall.v;
    for (int i = first; i < end; i++) {
        push[i] = 0;
        before[i] = acc[i] = guess[i];
        v[i] = start[i] + half * guess[i];
    }
}

static void go_halfway(const thud_sim *sim, double half, int first, int end)
{
    for (int i = first; i < end; i++) {
        sim->fall.before[i] = sim->fall.acc[i];
        sim->fall.v[i] = sim->begun.v_start[i] + half * (sim->fall.acc[i] + sim->answer.push[i]);
    }
}

// An evaluation at the midpoint that is predicted.
static bool evaluate(thud_sim *sim, double half, bool begins)
{
    const dof_pass first = {begins ? begin_halfway : go_halfway, half};
    return sim_accelerate_along(sim, first, sim->begun.q_start, sim->fall.v, half, sim->fall.q,
                                sim->force.tau, sim->fall.acc);
}

typedef struct span { // largest absolute values
    double change, size, moved;
} span;

THUD_KERNEL static span measure_many(int n, double h, const double *v, const double *a, const double *push,
                                     const double *from)
{
    four changes = {0}, sizes = {0}, moves = {0};
    for (int k = 0; k < n; k += THUD_LANES) {
        const int i = sim_last_four(k, n);
        const four acc = *(const four_of_numbers *)(a + i), held = acc + *(const four_of_numbers *)(push + i);
        four speed = *(const four_of_numbers *)(v + i), change = held - *(const four_of_numbers *)(from + i),
             gain = acc, all = held;
        fours_size(&speed);
        fours_size(&change);
        fours_size(&gain);
        fours_size(&all);
        change *= h;
        gain = speed + h * gain;
        all = speed + h * all;
        fours_raise(&change, &changes);
        fours_raise(&gain, &sizes);
        fours_raise(&all, &moves);
    }
    return (span){fours_most(&changes), fours_most(&sizes), fours_most(&moves)};
}

// Of h (a + push - from), and of the velocities |v| + h |a| and |v| + h |a + push|; of many four at a time.
static inline span measure(int n, double h, const double *v, const double *a, const double *push,
                           const double *from)
{
    span s = {0};
    if (sim_many(n)) {
        return measure_many(n, h, v, a, push, from);
    }
    for (int i = 0; i < n; i++) {
        const double speed = fabs(v[i]), held = a[i] + push[i];
        s.change = greater_of(h * fabs(held - from[i]), s.change);
        s.size = greater_of(speed + h * fabs(a[i]), s.size);
        s.moved = greater_of(speed + h * fabs(held), s.moved);
    }
    return s;
}

typedef struct spans { // of all dofs
    double h;
    const double *v, *a, *push, *from;
} spans;

static void measure_some(const void *of, int first, int end, double *here)
{
    const spans *all = of;
    const span s =
        measure(end - first, all->h, all->v + first, all->a + first, all->push + first, all->from + first);
    here[0] = s.change;
    here[1] = s.size;
    here[2] = s.moved;
}

// The same by all threads.
static span measure_shared(const thud_sim *sim, double h, const double *push, const double *from)
{
    enum { LEAST = 2000 }; // dofs
    double most[3];
    thud_pool_most(sim->pool, sim->m->nv, LEAST, measure_some,
                   &(spans){h, sim->begun.v_start, sim->fall.acc, push, from}, 3, most);
    return (span){most[0], most[1], most[2]};
}

static inline span measure_all(const thud_sim *sim, double h, const double *push, const double *from)
{
    return sim->pool ? measure_shared(sim, h, push, from)
                     : measure(sim->m->nv, h, sim->begun.v_start, sim->fall.acc, push, from);
}

// How much the last evaluation changed the velocity that the step ends with, relative to its size.
static double unsettled(const thud_sim *sim, double h)
{
    const span s = measure_all(sim, h, sim->zero, sim->fall.before);
    return s.change > 0 ? s.change / s.size : 0;
}

static void go_all_the_way(const thud_sim *sim, double h, int first, int end)
{
    const double *v = sim->begun.v_start, *next = sim->go.v_next;
    double *restrict mean = sim->go.v_mean;
    enum { FEW = 8 };
    sim_go(sim, h, first, end);
    const int few = end - first <= FEW ? end : first;
    for (int k = 0, i = first; k < FEW && i < few; k++, i++) { // few, and the compiler is told so
        mean[i] = 0.5 * (v[i] + next[i]);
    }
    for (int i = few; i < end; i++) {
        mean[i] = 0.5 * (v[i] + next[i]);
    }
}

static double negligible(const thud_sim *sim, bool held, double free)
{
    static const double HELD = 1e-7, LOOPED = 1e-9;
    return held ? greater_of(0.1 * sim->o.law.tolerance, sim->m->equalities > 0 ? LOOPED : HELD) : free;
}

// h^2/4 times the change of a, against the link's size: how far the round moved the midpoint of a link.
static bool link_stays(const thud_sim *sim, int link, double most)
{
    const thud_model *m = sim->m;
    const double size = sim->sight.extent[link],
                 little = thud_min(size, 1); // in whatever direction: its dofs need not be read
    bool stays = true;
    for (int i = m->joint_v[link]; i < m->joint_v[link] + m->joint_dofs[link]; i++) {
        const double change = fabs(sim->fall.acc[i] + sim->answer.push[i] - sim->begun.guess[i]);
        stays = stays && (change <= most * little || change <= most * (sim->d->dof[i].linear ? size : 1));
    }
    return stays;
}

typedef struct stay { // of all links
    const thud_sim *sim;
    double most;
    int enough; // moved links, of which more are not counted
    atomic_int moved;
} stay;

static void count_moved(void *of, int first, int end, int worker)
{
    stay *s = of;
    int moved = atomic_load_explicit(&s->moved, memory_order_relaxed), here = 0;
    (void)worker;
    for (int link = first; moved + here <= s->enough && link < end; link++) {
        here += !link_stays(s->sim, link, s->most);
    }
    atomic_fetch_add_explicit(&s->moved, here, memory_order_relaxed);
}

// All but so many links, to a part of their size.
static bool links_stay(const thud_sim *sim, double h, double part, int but)
{
    enum { LEAST = 250 }; // links, worth a share of a thread
    stay s = {.sim = sim, .most = 4 * part / (h * h), .enough = but};
    thud_pool_run(sim->pool, sim->m->joints, LEAST, count_moved, &s);
    return atomic_load_explicit(&s.moved, memory_order_relaxed) <= s.enough;
}

// The round moved the midpoint, where the next one would take G, by less than the tolerance of what sits there; but for
// one link of a hundred: in a large pile there is always something that has just been hit, and to see its contacts from
// half a step ahead is not worth a second round of all.
static bool midpoint_stays(const thud_sim *sim, double h)
{
    enum { SOME = 100 };
    return links_stay(sim, h, sim->o.law.tolerance, sim->m->joints / SOME);
}

// Loops ask for a second round of what was well guessed, too (others only of what was not), and then the first moved the
// midpoint by next to nothing: the second one takes the rows and factors of the first where they are, and has only to
// make good what the better v_m is worth. G is then from so far beside its place. Where the guess is of order k that is an
// error of h^(3 + k) of the velocities, far below the step's own; after an impact, which nobody guesses, it would count.
static bool next_in_place(const thud_sim *sim, double h)
{
    static const double BESIDE = 1e-5; // of a link
    return sim->m->equalities > 0 && sim->begun.guessed && !sim->answer.sketched && sim_holds(sim) &&
           sim_ask(sim) != THUD_ASK_POSITION && links_stay(sim, h, BESIDE, 0);
}

static const double SMALL = 1e-5; // of the velocities: after two evaluations, or one and the constraints

// How much a round with contacts may change of the velocities if it is to be the last. The next would change about that
// much times the angle through which the fastest link turns.
static double little(const thud_sim *sim, double h)
{
    static const double MOST = 1e-3, LEFT = 3e-6;
    return greater_of(lesser_of(LEFT / (h * sim_fastest_turn(sim)), MOST), SMALL); // as for NaN
}

// The round changed its guess by less than another round could improve.
static bool foreseen(const thud_sim *sim, double h)
{
    const bool held = sim_holds(sim), loops = sim->m->equalities > 0;
    if (held && sim->o.law.tolerance > THUD_ROUGH && !loops) {
        return midpoint_stays(sim, h);
    }
    const span s = measure_all(sim, h, sim->answer.push, sim->begun.guess);
    return s.change <= negligible(sim, held, SMALL) * s.size ||
           (held && !loops && s.change <= little(sim, h) * s.moved);
}

// One evaluation at a new position, and one more there with the better v_m if that is another one.
//
// What was held in the last step is held by impulses that the first round does not know before its end. It takes the
// guess, which has them, and no better v_m: that of a fall would leave centrifugal forces in a robot that stands, 5e-5 of its
// weight at 2 ms, and more where servos are stiffer. settled: what its last evaluation changed; 0 of one that took the guess as it was.
// again: where the last one was.
static bool evaluate_round(thud_sim *sim, double h, bool begins, bool again, double *settled)
{
    static const double FREE = 1e-7; // after one
    const bool held =
        sim->answer.warm_count > 0 || (!begins && sim_holds(sim)); // not by another state's rows
    const bool blind = begins && sim->begun.guessed && sim->answer.warm_count > 0;
    *settled = 0;
    if (again) {
        sim_accelerate_again(sim, (dof_pass){go_halfway, 0.5 * h}, sim->fall.v, sim->force.tau,
                             sim->fall.acc);
        *settled = unsettled(sim, h);
        return true;
    }
    if (!evaluate(sim, 0.5 * h, begins)) {
        return false;
    }
    if (blind) {
        return true;
    }
    const double enough = held && sim->m->equalities == 0 ? little(sim, h) : negligible(sim, held, FREE);
    *settled = unsettled(sim, h);
    if (*settled > enough) {
        sim_accelerate_again(sim, (dof_pass){go_halfway, 0.5 * h}, sim->fall.v, sim->force.tau,
                             sim->fall.acc);
        *settled = unsettled(sim, h);
    }
    return true;
}

substep_result step_midpoint(thud_sim *sim, const double *tau, double h, double *settled)
{
    THUD_ASSERT(h > 0 && sim->o.rounds >= 1);
    sim_set_forces(sim, tau, h);
    substep_result result = SUBSTEP_DONE;
    for (int round = 0; round < sim->o.rounds && (round == 0 || sim->answer.sketched || !foreseen(sim, h));
         round++) {
        const bool again = round == 1 && next_in_place(sim, h);
        sim->answer.sketched = false;
        sim->begun.sketch = !sim->begun.guessed && round + 1 < sim->o.rounds;
        if (!evaluate_round(sim, h, round == 0, again, settled)) {
            return SUBSTEP_FAILED;
        }
        result = sim_constrain(sim, h, again);
        sim->begun.sketch = false;
        if (result != SUBSTEP_DONE && result != SUBSTEP_UNSOLVED) {
            return result;
        }
        // The next round starts from here, and so does the next attempt when this one is not the last.
        if (sim->constrained && thud_rows_blocks(sim->ask.rows) > 0 && !sim_remember(sim, h)) {
            return SUBSTEP_NO_MEMORY;
        }
    }
    if (sim->sight.touches == 0 && sim->sight.collider) {
        touch_clock(sim, NULL);
    }
    sim_integrate_after(sim, (dof_pass){go_all_the_way, h}, sim->begun.q_start, sim->go.v_mean, h,
                        sim->go.q_next);
    return result;
}
