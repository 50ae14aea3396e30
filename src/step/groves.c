// SPDX-License-Identifier: Apache-2.0
// groves.c: recursions over the links of a sim, grove by grove, by all of its threads. Groves know nothing of each
// other (thud_dynamics_part), so neither their order nor the number of threads can be seen in the result.
#include <stdatomic.h>
#include <string.h>

#include "sim.h"

grove_range sim_range(const thud_sim *sim, int first, int end)
{
    THUD_ASSERT(0 <= first && first <= end && end <= sim->d->groves);
    const thud_model *m = sim->m;
    const int link = sim->d->grove[first], next = sim->d->grove[end];
    const bool last = next == m->joints;
    return (grove_range){link,
                         next,
                         m->joint_q[link],
                         last ? m->nq : m->joint_q[next],
                         m->joint_v[link],
                         last ? m->nv : m->joint_v[next]};
}

typedef struct bites { // of some work
    thud_pool_work work;
    void *of;
    int groves; // each
} bites;

// Recursions go over their links several times: so many at once that they stay in a cache.
static void take_bites(void *of, int first, int end, int worker)
{
    const bites *b = of;
    for (int at = first; at < end; at += b->groves) {
        b->work(b->of, at, end - at < b->groves ? end : at + b->groves, worker);
    }
}

static int groves_of(const thud_sim *sim, int links) // that have about so many links
{
    const int groves = (int)((int64_t)links * sim->d->groves / (sim->m->joints + 1));
    return groves > 1 ? groves : 1;
}

// The links of some groves: d itself where these are all, or a view of it in `room`.
static thud_dynamics *part_of(const thud_sim *sim, int first, int end, thud_dynamics *room)
{
    if (end - first == sim->d->groves) {
        return sim->d;
    }
    *room = thud_dynamics_part(sim->d, first, end);
    return room;
}

// Runs over all groves, in shares of about so many links or more.
static void run(thud_sim *sim, int links, thud_pool_work work, void *of)
{
    enum { BITE = 64 }; // links, 100 kB
    if (!sim->pool && sim->d->groves > 0 && sim->m->joints <= BITE) {
        work(of, 0, sim->d->groves, 0);
        return;
    }
    bites b = {work, of, groves_of(sim, BITE)};
    thud_pool_run(sim->pool, sim->d->groves, groves_of(sim, links), take_bites, &b);
}

typedef struct stretch { // groves that are all awake, or all asleep
    int first, end;
    bool asleep;
    grove_range r;
} stretch;

// The one that begins at `first`; it ends at `end` or before.
static inline stretch stretch_from(const thud_sim *sim, int first, int end)
{
    if (!sim->sleep && end - first == sim->d->groves) {
        return (stretch){first, end, false, {0, sim->m->joints, 0, sim->m->nq, 0, sim->m->nv}};
    }
    int next = end;
    bool asleep = false;
    if (sim->sleep) {
        asleep = sim_grove_sleeps(sim, first);
        for (next = first + 1; next < end && sim_grove_sleeps(sim, next) == asleep;) {
            next++;
        }
    }
    return (stretch){first, next, asleep, sim_range(sim, first, next)};
}

// ---------------------------------------------------------------------------------------------- places

typedef struct motion {
    thud_sim *sim;
    const double *q, *v, *tau;
    double *acc;
    bool frames;          // no more than where the links are
    atomic_bool moved;    // a link is somewhere else now
    atomic_bool factored; // M has another factor
    atomic_bool failed;   // an inertia is not positive
} motion;

// Is at least that much known of all of some groves?
static bool are_known(const thud_sim *sim, int first, int end, grove_known least)
{
    bool all = true;
    for (int g = first; g < end; g++) {
        all = all && sim->fall.known[g] >= least;
    }
    return all;
}

static void mark(const thud_sim *sim, int first, int end, grove_known as)
{
    for (int g = first; g < end; g++) {
        sim->fall.known[g] = as;
    }
}

static void place_part(motion *a, const stretch *of)
{
    thud_sim *sim = a->sim;
    const int first = of->first, end = of->end;
    const grove_range r = of->r;
    const bool there = sim->fall.placed && same_numbers(r.q_end - r.q, sim->fall.q_placed + r.q, a->q + r.q);
    if (there && (a->frames || are_known(sim, first, end, GROVE_WEIGHED))) {
        return;
    }
    thud_dynamics room, *part = part_of(sim, first, end, &room);
    mark(sim, first, end, a->frames ? GROVE_PLACED : GROVE_WEIGHED);
    if (there) {
        thud_dynamics_weigh(sim->m, part);
        return;
    }
    (a->frames ? thud_dynamics_frames : thud_dynamics_place)(sim->m, a->q, part);
    copy_numbers(r.q_end - r.q, a->q + r.q, sim->fall.q_placed + r.q);
    atomic_store_explicit(&a->moved, true, memory_order_relaxed);
}

static void finish_placing(motion *a)
{
    const bool moved = atomic_load_explicit(&a->moved, memory_order_relaxed);
    a->sim->fall.placements += moved || !a->sim->fall.placed;
    a->sim->fall.placed = true;
    a->sim->fall.factors += atomic_load_explicit(&a->factored, memory_order_relaxed);
}

static void place_some(void *of, int first, int end, int worker)
{
    motion *a = of;
    (void)worker;
    for (int at = first; at < end;) {
        const stretch next = stretch_from(a->sim, at, end);
        place_part(a, &next); // a sleeping grove is in its place, but for the first time
        at = next.end;
    }
}

static void place(thud_sim *sim, const double *qpos, bool frames)
{
    enum { LEAST = 100 };
    motion a = {.sim = sim, .q = qpos, .frames = frames};
    run(sim, LEAST, place_some, &a);
    finish_placing(&a);
}

void sim_place(thud_sim *sim, const double *qpos)
{
    place(sim, qpos, false);
}

void sim_place_frames(thud_sim *sim, const double *qpos)
{
    place(sim, qpos, true);
}

// ---------------------------------------------------------------------------------------------- accelerations

// The motion of some groves is not known any more.
static void forget_motion(const thud_sim *sim, int first, int end)
{
    for (int g = first; g < end; g++) {
        sim->fall.known[g] = sim->fall.known[g] > GROVE_FACTORED ? GROVE_FACTORED : sim->fall.known[g];
    }
}

void sim_forget_motion(const thud_sim *sim)
{
    forget_motion(sim, 0, sim->d->groves);
}

void sim_move(const thud_sim *sim, const double *v)
{
    sim_forget_motion(sim);
    thud_dynamics_move(sim->m, v, sim->d);
}

// Velocities and bias of a part at a->v, weight that is carried and drag included.
static void move_part(const motion *a, thud_dynamics *part)
{
    const thud_model *m = a->sim->m;
    thud_dynamics_move(m, a->v, part);
    if (m->carries_weight) {
        thud_dynamics_carry(m, part);
    }
    if (m->has_drag) {
        thud_dynamics_drag(m, part);
    }
}

static void solve_part(const motion *a, int first, int end)
{
    thud_dynamics room, *part = part_of(a->sim, first, end, &room);
    forget_motion(a->sim, first, end);
    move_part(a, part);
    thud_dynamics_solve(a->sim->m, a->tau, part, a->acc);
}

// A factor depends on where the links are and on implicit: while both stay, so does it, to the bit.
static bool is_factored(const thud_sim *sim, int first, int end, grove_range r)
{
    return are_known(sim, first, end, GROVE_FACTORED) &&
           (!sim->force.passive ||
            same_numbers(r.v_end - r.v, sim->fall.factored_with + r.v, sim->d->implicit + r.v));
}

static void note_factor(motion *a, int first, int end, grove_range r, bool positive)
{
    const thud_sim *sim = a->sim;
    mark(sim, first, end, positive ? GROVE_FACTORED : GROVE_WEIGHED);
    if (sim->force.passive) { // otherwise nothing is implicit
        copy_numbers(r.v_end - r.v, sim->d->implicit + r.v, sim->fall.factored_with + r.v);
    }
    atomic_store_explicit(positive ? &a->factored : &a->failed, true, memory_order_relaxed);
}

static void factor_part(motion *a, const stretch *of)
{
    const int first = of->first, end = of->end;
    place_part(a, of);
    if (!is_factored(a->sim, first, end, of->r)) {
        thud_dynamics room, *part = part_of(a->sim, first, end, &room);
        note_factor(a, first, end, of->r, thud_dynamics_factor(a->sim->m, part));
    }
}

// A grove with the factor, v and tau of before has the acceleration of before, to the bit, and its links move as they did then.
static bool is_solved(const motion *a, int first, int end, grove_range r)
{
    const thud_sim *sim = a->sim;
    return are_known(sim, first, end, GROVE_SOLVED) &&
           same_numbers(r.v_end - r.v, sim->fall.v_solved + r.v, a->v + r.v) &&
           same_numbers(r.v_end - r.v, sim->fall.tau_solved + r.v, a->tau + r.v);
}

static void note_solution(const motion *a, int first, int end, grove_range r)
{
    const thud_sim *sim = a->sim;
    mark(sim, first, end, GROVE_SOLVED);
    copy_numbers(r.v_end - r.v, a->v + r.v, sim->fall.v_solved + r.v);
    copy_numbers(r.v_end - r.v, a->tau + r.v, sim->fall.tau_solved + r.v);
    copy_numbers(r.v_end - r.v, a->acc + r.v, sim->fall.acc_solved + r.v);
}

// Solutions are kept of groves that have a factor, and so have not moved: a moving grove does not pay for the copy.
static void accelerate_part(motion *a, const stretch *of)
{
    const int first = of->first, end = of->end;
    const grove_range r = of->r;
    place_part(a, of);
    const bool factored = is_factored(a->sim, first, end, r);
    if (factored && is_solved(a, first, end, r)) {
        copy_numbers(r.v_end - r.v, a->sim->fall.acc_solved + r.v, a->acc + r.v);
        return;
    }
    thud_dynamics room, *part = part_of(a->sim, first, end, &room);
    move_part(a, part);
    if (factored) {
        thud_dynamics_solve(a->sim->m, a->tau, part, a->acc);
        note_solution(a, first, end, r);
    } else {
        note_factor(a, first, end, r, thud_dynamics_accelerate(a->sim->m, a->tau, part, a->acc));
    }
}

static void accelerate_some(void *of, int first, int end, int worker)
{
    motion *a = of;
    (void)worker;
    for (int at = first; at < end;) {
        const stretch next = stretch_from(a->sim, at, end);
        if (!next.asleep) {
            accelerate_part(a, &next);
        }
        at = next.end;
    }
}

bool sim_accelerate(thud_sim *sim, const double *q, const double *v, const double *tau, double *acc)
{
    enum { LEAST = 25 };
    motion a = {.sim = sim, .q = q, .v = v, .tau = tau, .acc = acc};
    run(sim, LEAST, accelerate_some, &a);
    finish_placing(&a);
    return !atomic_load_explicit(&a.failed, memory_order_relaxed);
}

static void factor_some(void *of, int first, int end, int worker)
{
    motion *a = of;
    (void)worker;
    for (int at = first; at < end;) {
        const stretch next = stretch_from(a->sim, at, end);
        if (!next.asleep) {
            factor_part(a, &next);
        }
        at = next.end;
    }
}

bool sim_factor(thud_sim *sim, const double *qpos)
{
    enum { LEAST = 50 };
    motion a = {.sim = sim, .q = qpos};
    run(sim, LEAST, factor_some, &a);
    finish_placing(&a);
    return !atomic_load_explicit(&a.failed, memory_order_relaxed);
}

// ---------------------------------------------------------------------------------------------- velocities

typedef struct drift {
    thud_sim *sim;
    const double *from, *v;
    double h, *to;
    thud_motion *V;
} drift;

static void twist_some(void *of, int first, int end, int worker)
{
    const drift *a = of;
    (void)worker;
    for (int at = first; at < end;) {
        const stretch next = stretch_from(a->sim, at, end);
        if (next.asleep) {
            memset(a->V + next.r.link, 0, (size_t)(next.r.link_end - next.r.link) * sizeof *a->V);
        } else {
            thud_dynamics room;
            thud_dynamics_twists(a->sim->m, part_of(a->sim, at, next.end, &room), a->v, a->V);
        }
        at = next.end;
    }
}

void sim_twists(thud_sim *sim, const double *v, thud_motion *V)
{
    enum { LEAST = 200 };
    drift a = {.sim = sim, .v = v, .V = V};
    run(sim, LEAST, twist_some, &a);
}

static void integrate_part(const drift *a, const stretch *of)
{
    const grove_range *r = &of->r;
    if (of->asleep) { // exactly where it was
        memmove(a->to + r->q, a->from + r->q, (size_t)(r->q_end - r->q) * sizeof(double));
    } else {
        thud_qpos_integrate_part(a->sim->m, r->link, r->link_end, a->from, a->v, a->h, a->to);
    }
}

// ---------------------------------------------------------------------------------------------- two in one
//
// The next pass over a grove depends on that grove alone: the threads meet once for both passes.

typedef struct two {
    motion motion;
    drift drift[2];
    dof_pass first;
} two;

static void pass_over(const thud_sim *sim, dof_pass pass, const grove_range *r)
{
    if (pass.work) {
        pass.work(sim, pass.h, r->v, r->v_end);
    }
}

static void place_and_twist(void *of, int first, int end, int worker)
{
    two *a = of;
    place_some(&a->motion, first, end, worker);
    twist_some(&a->drift[0], first, end, worker);
}

void sim_place_moving(thud_sim *sim, const double *q, const double *v, thud_motion *V)
{
    enum { LEAST = 100 };
    two a = {.motion = {.sim = sim, .q = q, .frames = !sim_by_events(sim)},
             .drift[0] = {.sim = sim, .v = v, .V = V}};
    run(sim, LEAST, place_and_twist, &a);
    finish_placing(&a.motion);
}

static void twist_twice(void *of, int first, int end, int worker)
{
    two *a = of;
    const drift *x = &a->drift[0], *y = &a->drift[1];
    const thud_sim *sim = x->sim;
    const grove_range r = sim_range(sim, first, end);
    pass_over(sim, a->first, &r);
    if (sim->sleep) {
        twist_some(&a->drift[0], first, end, worker);
        twist_some(&a->drift[1], first, end, worker);
        return;
    }
    thud_dynamics room;
    thud_dynamics_twists_of_two(sim->m, part_of(sim, first, end, &room), (const double *[]){x->v, y->v},
                                (thud_motion *[]){x->V, y->V});
}

void sim_twists_of_two(thud_sim *sim, dof_pass first, const double *v, thud_motion *V, const double *w,
                       thud_motion *W)
{
    enum { LEAST = 100 };
    two a = {.drift = {{.sim = sim, .v = v, .V = V}, {.sim = sim, .v = w, .V = W}}, .first = first};
    run(sim, LEAST, twist_twice, &a);
}

typedef struct way { // along v over h, and what happens there
    motion motion;
    drift drift;
    dof_pass first;
} way;

static void integrate_and_accelerate(void *of, int first, int end, int worker)
{
    way *a = of;
    (void)worker;
    for (int at = first; at < end;) {
        const stretch next = stretch_from(a->motion.sim, at, end);
        pass_over(a->motion.sim, a->first, &next.r);
        integrate_part(&a->drift, &next);
        if (!next.asleep) {
            accelerate_part(&a->motion, &next);
        }
        at = next.end;
    }
}

bool sim_accelerate_along(thud_sim *sim, dof_pass first, const double *from, const double *v, double h,
                          double *to, const double *tau, double *acc)
{
    THUD_ASSERT(h >= 0);
    enum { LEAST = 25 };
    way a = {.motion = {.sim = sim, .q = to, .v = v, .tau = tau, .acc = acc},
             .drift = {.sim = sim, .from = from, .v = v, .h = h, .to = to},
             .first = first};
    run(sim, LEAST, integrate_and_accelerate, &a);
    finish_placing(&a.motion);
    return !atomic_load_explicit(&a.motion.failed, memory_order_relaxed);
}

static void solve_some(void *of, int first, int end, int worker)
{
    two *a = of;
    (void)worker;
    for (int at = first; at < end;) {
        const stretch next = stretch_from(a->motion.sim, at, end);
        pass_over(a->motion.sim, a->first, &next.r);
        if (!next.asleep) {
            solve_part(&a->motion, at, next.end);
        }
        at = next.end;
    }
}

void sim_accelerate_again(thud_sim *sim, dof_pass first, const double *v, const double *tau, double *acc)
{
    enum { LEAST = 50 };
    two a = {.motion = {.sim = sim, .v = v, .tau = tau, .acc = acc}, .first = first};
    run(sim, LEAST, solve_some, &a);
}

typedef struct passed_drift {
    drift drift;
    dof_pass first;
} passed_drift;

static void pass_and_integrate(void *of, int first, int end, int worker)
{
    const passed_drift *a = of;
    (void)worker;
    for (int at = first; at < end;) {
        const stretch next = stretch_from(a->drift.sim, at, end);
        pass_over(a->drift.sim, a->first, &next.r);
        integrate_part(&a->drift, &next);
        at = next.end;
    }
}

void sim_integrate_after(thud_sim *sim, dof_pass first, const double *from, const double *v, double h,
                         double *to)
{
    enum { LEAST = 500 };
    passed_drift a = {.drift = {.sim = sim, .from = from, .v = v, .h = h, .to = to}, .first = first};
    run(sim, LEAST, pass_and_integrate, &a);
}

void sim_integrate(thud_sim *sim, const double *from, const double *v, double h, double *to)
{
    sim_integrate_after(sim, (dof_pass){0}, from, v, h, to);
}

// ---------------------------------------------------------------------------------------------- copies

enum { PIECE = 4096 }; // bytes

typedef struct copy {
    const char *from;
    char *to;
    size_t bytes;
} copy;

static void copy_pieces(void *of, int first, int end, int worker)
{
    const copy *c = of;
    const size_t begin = (size_t)first * PIECE, stop = (size_t)end * PIECE;
    (void)worker;
    memcpy(c->to + begin, c->from + begin, (stop < c->bytes ? stop : c->bytes) - begin);
}

void sim_copy_shared(const thud_sim *sim, const void *from, size_t bytes, void *to)
{
    enum { LEAST = 16 }; // pieces
    const int pieces = (int)((bytes + PIECE - 1) / PIECE);
    thud_pool_run(sim->pool, pieces, LEAST, copy_pieces, &(copy){from, to, bytes});
}

// ---------------------------------------------------------------------------------------------- dofs and numbers

typedef struct dof_passing {
    const thud_sim *sim;
    dof_pass pass;
} dof_passing;

static void pass_some(void *of, int first, int end, int worker)
{
    const dof_passing *a = of;
    (void)worker;
    a->pass.work(a->sim, a->pass.h, first, end);
}

void sim_pass(const thud_sim *sim, dof_pass pass)
{
    THUD_ASSERT(sim->pool && pass.work);
    enum { LEAST = 2000 }; // dofs
    thud_pool_run(sim->pool, sim->m->nv, LEAST, pass_some, &(dof_passing){sim, pass});
}

typedef struct check {
    number_test *holds;
    const double *a, *b;
    atomic_bool fails;
} check;

static void check_some(void *of, int first, int end, int worker)
{
    check *c = of;
    (void)worker;
    if (!c->holds(end - first, c->a + first, c->b + first)) {
        atomic_store_explicit(&c->fails, true, memory_order_relaxed);
    }
}

bool sim_all_hold(const thud_sim *sim, number_test *holds, int n, const double *a, const double *b)
{
    enum { LEAST = 2000 }; // numbers
    check c = {.holds = holds, .a = a, .b = b};
    thud_pool_run(sim->pool, n, LEAST, check_some, &c);
    return !atomic_load_explicit(&c.fails, memory_order_relaxed);
}
