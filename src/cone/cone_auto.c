// SPDX-License-Identifier: Apache-2.0
// cone_auto.c: the method auto: rungs in the order of the table below, until one meets the tolerance.
//
// A rung starts where the rung before it ended, the first from the caller's impulses. The first solution ends the climb; the report
// says whether it is the choice of equal compliance. Without a solution the best impulses of all rungs are returned.
// docs/solvers-cone.md has the same table for readers.
#include <math.h>
#include <string.h>

#include <thud/cone_product.h>

#include "cone_groups.h"
#include "product.h"

typedef struct ladder {
    cone_work *w;
    bool want_equal;
    bool guessed;        // the caller's impulses are not zero
    double *p;           // n: where a rung starts and ends
    double *best, least; // n: the best impulses so far, and their residual
    double *start;       // n: where the last rung started
    double first;        // the residual of the caller's impulses
    bool equal;          // the last rung ended with the choice, solved or not
    bool none;           // a rung found that there is no solution
} ladder;

typedef thud_cone_outcome (*climb)(ladder *l, int budget);

typedef struct rung {
    const char *name;
    bool (*suits)(const ladder *l);
    climb climb;
    int budget; // of steps or sweeps
    thud_cone_method by;
    bool aside; // where it fails the next rung starts where it started
} rung;

// ---------------------------------------------------------------------------------------------- which problems a rung suits

enum { LARGE = 60 }; // rows: a sweep over more costs a fiftieth of a Newton step, over fewer a fifth

static bool is_rough(const ladder *l)
{
    return l->w->tolerance > THUD_ROUGH && !l->want_equal;
}

static bool all(const ladder *l)
{
    (void)l;
    return true;
}

static bool is_small(const ladder *l)
{
    return l->want_equal || l->w->brief;
}

// Robots: many rows in few trees. Free bodies, which have groups, are solved sooner by impulses.
static bool is_redundant(const ladder *l)
{
    return !l->w->groups && !is_rough(l) && cone_velocity_suits(l->w);
}

static bool is_moderate(const ladder *l)
{
    return l->w->groups && cone_velocity_suits(l->w);
}

// Contacts of free bodies that have moved since the impulses held: Newton's method seldom converges then, proximal points do.
static bool is_steady(const ladder *l)
{
    enum { SOME = 120, MANY = 500 }; // rows
    static const double MOVED = 1e-6;
    const cone_work *w = l->w;
    const bool crowded = w->groups && 3 * GROUP * w->groups->groups <= 2 * w->n;
    return w->n <= (crowded ? SOME : MANY) || !w->c->product || !l->guessed || !(l->first > MOVED);
}

static bool is_large_product(const ladder *l)
{
    return l->w->c->product && (l->w->n > LARGE || l->w->groups);
}

// ---------------------------------------------------------------------------------------------- rungs

static thud_cone_outcome climb_faces(ladder *l, int budget)
{
    (void)budget;
    l->equal = cone_small(l->w, l->p);
    return l->equal ? THUD_CONE_SOLVED : THUD_CONE_STALLED;
}

static thud_cone_outcome climb_sweeps(ladder *l, int budget)
{
    return cone_nsgs(l->w, l->p, budget, false);
}

static const double REDUNDANT = 2.0 / 3; // columns of S for each row, at most

// The path of equal compliance where there is no guess; else the solution near the guess.
static thud_cone_outcome climb_velocities(ladder *l, int budget)
{
    (void)budget;
    return cone_velocity(l->w, l->p, l->want_equal && !l->guessed ? VELOCITY_PATH : VELOCITY_NEAR, REDUNDANT,
                         &l->equal);
}

// Contacts without friction: a sweep finds the active set through several bodies, a Newton step only the next body's part.
static void find_pressed(ladder *l)
{
    enum { SWEEPS = 5 };
    const cone_work *w = l->w;
    bool plain = w->groups && !l->guessed;
    for (int i = 0; i < w->blocks && plain; i++) {
        plain = w->block[i].dim == 1;
    }
    if (plain) {
        cone_groups_relax(w->groups, w, SWEEPS, l->p);
    }
}

static thud_cone_outcome climb_newton(ladder *l, int budget)
{
    enum { FEWER = 30 }; // where sweeps are cheap they come sooner
    find_pressed(l);
    return cone_newton(l->w, l->p, l->w->n > LARGE && l->w->c->product ? FEWER : budget, &l->equal);
}

// Sweeps on W = S S^T, in the caller's rows.
static thud_cone_outcome sweep_product(ladder *l, int sweeps)
{
    THUD_ASSERT(l->w->c->product && sweeps > 0);
    cone_work *w = l->w;
    const size_t mark = thud_arena_mark(w->arena);
    double *p = thud_arena_push(w->arena, (size_t)w->c->rows, sizeof *p);
    thud_cone_report r = {.outcome = THUD_CONE_NO_MEMORY};
    if (p) {
        thud_cone_options o = thud_cone_defaults();
        o.tolerance =
            1.9 * w->tolerance; // their judge is the caller's, and w has half of the caller's tolerance
        o.max_iterations = sweeps;
        cone_work_out(w, l->p, p);
        r = thud_cone_product_solve(w->c, w->c->product, &o, w->arena, p);
        w->iterations += r.iterations;
    }
    if (r.outcome == THUD_CONE_SOLVED || r.outcome == THUD_CONE_ITERATION_LIMIT) {
        cone_work_in(w, p, l->p);
    }
    thud_arena_release(w->arena, mark);
    return r.outcome;
}

// Proximal points with leaps (Newton's method where there are no groups) and sweeps by turns, twice as many each turn.
static thud_cone_outcome climb_turns(ladder *l, int budget)
{
    enum { LEAPS = 100, SWEEPS = 200, MORE_SWEEPS = 800, STEPS = 40 };
    const bool leaps = l->w->groups;
    thud_cone_outcome outcome = leaps ? cone_leap(l->w, l->p, LEAPS) : THUD_CONE_STALLED;
    for (int turn = leaps ? SWEEPS : MORE_SWEEPS; turn <= budget && outcome != THUD_CONE_SOLVED &&
                                                  outcome != THUD_CONE_NO_MEMORY && cone_may_go_on(l->w);
         turn *= 2) {
        outcome = sweep_product(l, turn);
        if (outcome != THUD_CONE_SOLVED && outcome != THUD_CONE_NO_MEMORY) {
            outcome = leaps ? cone_leap(l->w, l->p, turn) : cone_newton(l->w, l->p, STEPS, &l->equal);
        }
    }
    return outcome;
}

static thud_cone_outcome climb_walk(ladder *l, int budget)
{
    (void)budget;
    l->equal = false;
    return cone_small_walk(l->w, l->p) ? THUD_CONE_SOLVED : THUD_CONE_STALLED;
}

static thud_cone_outcome climb_inside(ladder *l, int budget)
{
    (void)budget;
    return cone_newton_inside(l->w, l->p, &l->equal);
}

static const rung table[] = {
    {"faces of few rows", is_small, climb_faces, 0, THUD_CONE_NEWTON, false},
    {"sweeps for rough answers", is_rough, climb_sweeps, 1000, THUD_CONE_NSGS, false},
    {"velocities, of robots", is_redundant, climb_velocities, 0, THUD_CONE_PROXIMAL, true},
    {"impulses", is_steady, climb_newton, 100, THUD_CONE_NEWTON, false},
    {"walk along faces", is_small, climb_walk, 0, THUD_CONE_NEWTON, false},
    {"leaps and sweeps by turns", is_large_product, climb_turns, 6400, THUD_CONE_NSGS, false},
    {"velocities, of free bodies", is_moderate, climb_velocities, 0, THUD_CONE_PROXIMAL, true},
    {"interior path", all, climb_inside, 0, THUD_CONE_NEWTON, false},
};

// ---------------------------------------------------------------------------------------------- the climb

static double residual_of(ladder *l)
{
    const cone_work *w = l->w;
    const size_t mark = thud_arena_mark(w->arena);
    double *u = thud_arena_push(w->arena, (size_t)w->n, sizeof *u), residual = INFINITY;
    if (u) {
        cone_work_multiply(w, l->p, u);
        residual = cone_work_residual(w, l->p, u);
    }
    thud_arena_release(w->arena, mark);
    return residual;
}

static void keep_best(ladder *l, double residual)
{
    THUD_ASSERT(l->best && l->p != l->best);
    if (residual < l->least) {
        l->least = residual;
        memcpy(l->best, l->p, sizeof *l->p * (size_t)l->w->n);
    }
}

thud_cone_outcome cone_auto(cone_work *w, double *p, bool want_equal, thud_cone_method *by, bool *equal)
{
    enum { RUNGS = sizeof table / sizeof *table };
    const size_t mark = thud_arena_mark(w->arena), bytes = sizeof *p * (size_t)w->n;
    ladder l = {.w = w, .want_equal = want_equal, .p = p, .least = INFINITY, .first = INFINITY};
    thud_cone_outcome outcome = THUD_CONE_NO_MEMORY;
    l.guessed = thud_norm_inf(w->n, p) > 0;
    l.best = thud_arena_push(w->arena, (size_t)w->n, sizeof *l.best);
    l.start = thud_arena_push(w->arena, (size_t)w->n, sizeof *l.start);
    for (int k = 0; k < RUNGS && l.best && l.start && (k == 0 || !w->brief || !cone_small_suits(w)) &&
                    (k == 0 || cone_may_go_on(w));
         k++) {
        if (!table[k].suits(&l)) {
            continue;
        }
        if (k > 0 && !(l.least < INFINITY)) { // the first rung leaves the caller's impulses as they are
            l.first = residual_of(&l);
            keep_best(&l, l.first);
        }
        l.equal = false;
        memcpy(l.start, p, bytes);
        outcome = table[k].climb(&l, table[k].budget);
        *by = table[k].by;
        if (outcome == THUD_CONE_SOLVED || outcome == THUD_CONE_NO_MEMORY) {
            break;
        }
        l.none = l.none || outcome == THUD_CONE_INFEASIBLE;
        keep_best(&l, k > 0 ? residual_of(&l) : INFINITY);
        if (table[k].aside) {
            memcpy(p, l.start, bytes);
        }
    }
    if (outcome != THUD_CONE_SOLVED && l.least < INFINITY) {
        memcpy(p, l.best, bytes);
        outcome = l.none && outcome != THUD_CONE_NO_MEMORY ? THUD_CONE_INFEASIBLE : outcome;
    }
    *equal = outcome == THUD_CONE_SOLVED && l.equal;
    thud_arena_release(w->arena, mark);
    return outcome;
}
