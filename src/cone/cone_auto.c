// SPDX-License-Identifier: Apache-2.0
// cone_auto.c: auto, the cheapest method that works.                                             [theory 7, 9]
//
// The ladder: two to four contacts side by side · no impulse at all · the warm start (where any solution will do) · the closed
// form of a single block · one factor for joints alone (so far cone_solve.c) · Newton on the faces of few contacts · Newton at
// small compliance, of some contacts that jam proximal points with leaps, a walk of few along their faces, and Gauss-Seidel
// sweeps for its last digits · sweeps and Newton again, with walks, of many contacts proximal points with leaps, then sweeps and
// these by turns · every state of few contacts · the interior path and Newton from its end, and a walk · the compliance path and
// proximal points · ADMM and Newton from there.
// Each rung starts at the best point so far. Of few contacts the ladder is climbed once more from no impulse at all where
// it led nowhere. It ends at the residual asked for or with the outcome of its last rung; the report's residual is the
// judge's, on the caller's own problem.
#include <math.h>
#include <string.h>

#include <thud/cone_product.h>

#include "cone_groups.h"
#include "product.h"

// What the ladder has so far: a solution, if any, and whether it is the choice asked for.
typedef struct ladder {
    cone_work *w;
    bool want_equal;
    double *p, *found;   // n: where the next rung starts; a solution that may not be the choice
    double *best, least; // n: the best of the points where rungs ended without one, and its residual
    thud_cone_outcome outcome;
    thud_cone_method by, found_by;
    bool equal;
} ladder;

static bool found(const ladder *l)
{
    return l->found_by != THUD_CONE_AUTO;
}

// Keeps p if it is the best yet.
static void compare(ladder *l)
{
    const cone_work *w = l->w;
    const size_t mark = thud_arena_mark(w->arena);
    double *u = thud_arena_push(w->arena, (size_t)w->n, sizeof *u);
    if (u) {
        cone_work_multiply(w, l->p, u);
        const double residual = cone_work_residual(w, l->p, u);
        if (residual < l->least) {
            l->least = residual;
            memcpy(l->best, l->p, sizeof *l->p * (size_t)w->n);
        }
    }
    thud_arena_release(w->arena, mark);
}

// Notes how a rung ended. true: the ladder has what it was climbed for, or cannot go on.
static bool done(ladder *l, thud_cone_method by, thud_cone_outcome outcome, bool equal)
{
    l->outcome = outcome;
    l->by = by;
    l->equal = equal;
    if (outcome == THUD_CONE_SOLVED && !equal && !found(l)) {
        memcpy(l->found, l->p, sizeof *l->p * (size_t)l->w->n);
        l->found_by = by;
    }
    if (outcome != THUD_CONE_SOLVED && outcome != THUD_CONE_NO_MEMORY) {
        compare(l);
    }
    return outcome == THUD_CONE_NO_MEMORY || (outcome == THUD_CONE_SOLVED && (equal || !l->want_equal));
}

static bool try_newton(ladder *l, int steps)
{
    bool equal = false;
    const thud_cone_outcome outcome = cone_newton(l->w, l->p, steps, &equal);
    return done(l, THUD_CONE_NEWTON, outcome, equal);
}

// Sweeps on W = S S^T, which cost less and are accelerated, in the caller's rows.
static bool try_product(ladder *l, int sweeps)
{
    cone_work *w = l->w;
    const size_t mark = thud_arena_mark(w->arena);
    double *p = thud_arena_push(w->arena, (size_t)w->c->rows, sizeof *p);
    thud_cone_report r = {.outcome = THUD_CONE_NO_MEMORY};
    if (p) {
        thud_cone_options o = thud_cone_defaults();
        o.tolerance = 1.9 * w->tolerance; // they come to it slowly, and their judge is the caller's
        o.max_iterations = sweeps;
        cone_work_out(w, l->p, p);
        r = thud_cone_product_solve(w->c, w->c->product, &o, w->arena, p);
        w->iterations += r.iterations;
    }
    if (r.outcome == THUD_CONE_SOLVED || r.outcome == THUD_CONE_ITERATION_LIMIT) {
        cone_work_in(w, p, l->p);
    }
    thud_arena_release(w->arena, mark);
    return done(l, THUD_CONE_NSGS, r.outcome, false);
}

static bool try_nsgs(ladder *l, int sweeps, bool judge_rate)
{
    return done(l, THUD_CONE_NSGS, cone_nsgs(l->w, l->p, sweeps, judge_rate), false);
}

static bool try_interior(ladder *l)
{
    bool equal = false;
    const thud_cone_outcome outcome = cone_newton_inside(l->w, l->p, &equal);
    return done(l, THUD_CONE_NEWTON, outcome, equal);
}

// A few sweeps from where Newton converged with the choice but not to the tolerance: they solve each contact exactly,
// slips too small for Newton among them, and leave the choice alone. Where they do not end, p stays.
static bool try_polish(ladder *l)
{
    enum { SWEEPS = 100 };
    const size_t bytes = sizeof *l->p * (size_t)l->w->n;
    memcpy(l->found, l->p, bytes);
    const thud_cone_outcome outcome = cone_nsgs(l->w, l->p, SWEEPS, true);
    if (outcome == THUD_CONE_SOLVED) {
        return done(l, THUD_CONE_NSGS, outcome, true);
    }
    memcpy(l->p, l->found, bytes);
    return outcome == THUD_CONE_NO_MEMORY;
}

// Newton's method ended on the choice, but for its last digits.
static bool is_near(const ladder *l)
{
    return l->equal && l->outcome == THUD_CONE_STALLED;
}

// Of few contacts that ask for a little more than there is, those that give way. Where that was not from the choice, one run of
// Newton's method says whether it has come to be; what is found stands in any case.
static bool try_walk(ladder *l)
{
    enum { STEPS = 30 };
    return !found(l) && cone_small_walk(l->w, l->p) &&
           (done(l, THUD_CONE_NEWTON, THUD_CONE_SOLVED, l->equal) || try_newton(l, STEPS) || found(l));
}

static bool try_leap(ladder *l, int steps)
{
    return done(l, THUD_CONE_NEWTON, cone_leap(l->w, l->p, steps), false);
}

// Of some contacts that jam, any solution: proximal points end sooner than searches do.
static bool try_some(ladder *l)
{
    enum { STEPS = 60 };
    return l->w->groups && !found(l) && !is_near(l) && (try_leap(l, STEPS) || found(l));
}

// Of few contacts from a guess that looked good: a search finds its way sooner than one over larger compliances does, which
// forgets the guess, and where it does not, that one may from where it got to. A solution that is not the choice and that no
// larger compliance leads on from is told for what it is.
static bool try_few(ladder *l)
{
    enum { STEPS = 30 };
    return l->want_equal && cone_small_suits(l->w) &&
           (try_newton(l, STEPS) || try_some(l) || try_walk(l) || (is_near(l) && try_polish(l)) ||
            (cone_small_soft(l->w, l->p) && done(l, THUD_CONE_NEWTON, THUD_CONE_SOLVED, true)) || found(l));
}

static bool try_faces(ladder *l)
{
    return cone_small_search(l->w, l->p) && done(l, THUD_CONE_NEWTON, THUD_CONE_SOLVED, true);
}

static bool try_proximal(ladder *l)
{
    bool equal = false;
    const thud_cone_outcome outcome = cone_proximal(l->w, l->p, &equal);
    return done(l, THUD_CONE_PROXIMAL, outcome, equal);
}

static bool try_admm(ladder *l)
{
    return done(l, THUD_CONE_ADMM, cone_admm(l->w, l->p), false);
}

// A sweep over many contacts costs a fiftieth of a Newton step, one over few a fifth.
enum { LARGE = 60, ADMM_ROWS = 300 };

// Proximal points end nearly all problems of many contacts. Sweeps end most in some hundreds, but some in ten thousand or
// never; what both leave they end by turns.
static bool leap_and_sweep(ladder *l)
{
    enum { FEW = 200, MANY = 6400, STEPS = 100 };
    if (try_leap(l, STEPS) || found(l)) {
        return true;
    }
    for (int turn = FEW; turn <= MANY; turn *= 2) {
        if (try_product(l, turn) || found(l) || try_leap(l, turn) || found(l)) {
            return true;
        }
    }
    return false;
}

// The same without groups: Newton's method ends every second one, and costs a thousand sweeps.
static bool sweep_by_turns(ladder *l)
{
    enum { FEW = 800, MANY = 6400, STEPS = 40 };
    if (l->w->groups) {
        return leap_and_sweep(l);
    }
    for (int sweeps = FEW; sweeps <= MANY; sweeps *= 2) {
        if (try_product(l, sweeps) || found(l) || try_newton(l, STEPS) || found(l)) {
            return true;
        }
    }
    return false;
}

static bool sweep_and_retry(ladder *l, bool rough)
{
    const bool large = l->w->n > LARGE;
    const int sweeps = rough ? 16 : large ? 1000 : 100;
    return large && l->w->c->product ? sweep_by_turns(l)
                                     : try_nsgs(l, sweeps, false) || (large && found(l)) || try_walk(l) ||
                                           try_newton(l, 60) || try_walk(l);
}

// Many contacts that have moved since the impulses in p held: of more than MANY rows one in seven such problems lets Newton's
// method end, and the choice is not to be had; where there are groups, proximal points end sooner from SOME on.
static bool in_motion(const ladder *l)
{
    enum { SOME = 120, MANY = 500 };
    static const double MOVED = 1e-6;
    const cone_work *w = l->w;
    const bool crowded = w->groups && 3 * GROUP * w->groups->groups <= 2 * w->n;
    if (w->n <= (crowded ? SOME : MANY) || !w->c->product || thud_norm_inf(w->n, l->p) == 0) {
        return false;
    }
    const size_t mark = thud_arena_mark(w->arena);
    double *u = thud_arena_push(w->arena, (size_t)w->n, sizeof *u);
    if (u) {
        cone_work_multiply(w, l->p, u);
    }
    const bool moved = u && cone_work_residual(w, l->p, u) > MOVED;
    thud_arena_release(w->arena, mark);
    return moved;
}

// Of many contacts without friction, whom overlaps press: a step of Newton's method hands that on from body to body, a sweep to
// where it ends, for a tenth as much.
static void find_pressed(ladder *l)
{
    enum { SWEEPS = 5 };
    const cone_work *w = l->w;
    bool plain = w->groups;
    for (int i = 0; i < w->blocks && plain; i++) {
        plain = w->block[i].dim == 1;
    }
    if (plain && thud_norm_inf(w->n, l->p) == 0) {
        cone_groups_relax(w->groups, w, SWEEPS, l->p);
    }
}

static void climb(ladder *l)
{
    find_pressed(l);
    const bool rough = l->w->tolerance > THUD_ROUGH && !l->want_equal;
    const int steps =
        l->w->n > LARGE && l->w->c->product ? 30 : 100; // where sweeps are cheap they come sooner
    if (try_few(l) || (!in_motion(l) && (rough ? try_nsgs(l, 1000, false) : try_newton(l, steps)))) {
        return;
    }
    if (is_near(l) && (try_polish(l) || try_proximal(l) || found(l))) {
        return;
    }
    // Few contacts that Newton's method has found a solution of, and not the choice: it finds the same again.
    const bool again = cone_small_suits(l->w) && found(l) && l->outcome == THUD_CONE_SOLVED;
    if (!again && sweep_and_retry(l, rough)) {
        return;
    }
    // A solution that is not the choice is looked past once, and of many contacts not at all: where two ways do not
    // lead to it, the others do not either (jammed chains), and what is found is told for what it is.
    if ((found(l) && l->w->n > LARGE) || (l->want_equal && try_faces(l)) || try_interior(l) || found(l) ||
        try_walk(l) || try_proximal(l) || found(l)) {
        return;
    }
    if (l->w->n <= ADMM_ROWS && !try_admm(l)) {
        try_newton(l, 60);
    }
}

// Of few contacts, nothing has led anywhere: the guess may have been the wrong one.
static bool is_lost(const ladder *l)
{
    return l->want_equal && cone_small_suits(l->w) && !found(l) && l->outcome != THUD_CONE_SOLVED &&
           l->outcome != THUD_CONE_NO_MEMORY;
}

thud_cone_outcome cone_auto(cone_work *w, double *p, bool want_equal, thud_cone_method *by, bool *equal)
{
    *by = THUD_CONE_AUTO;
    *equal = true;
    if ((want_equal || w->brief) && cone_small(w, p)) {
        *by = THUD_CONE_NEWTON;
        return THUD_CONE_SOLVED;
    }
    if (w->brief && cone_small_suits(w)) {
        *equal = false;
        return THUD_CONE_STALLED;
    }
    const size_t mark = thud_arena_mark(w->arena), bytes = sizeof *p * (size_t)w->n;
    const bool guessed = thud_norm_inf(w->n, p) > 0;
    ladder l = {.w = w, .want_equal = want_equal, .p = p, .least = INFINITY, .outcome = THUD_CONE_NO_MEMORY};
    l.found = thud_arena_push(w->arena, (size_t)w->n, sizeof *l.found);
    l.best = thud_arena_push(w->arena, (size_t)w->n, sizeof *l.best);
    if (l.found && l.best) {
        climb(&l);
        if (guessed && is_lost(&l)) {
            memset(p, 0, bytes);
            climb(&l);
        }
    }
    if (found(&l) && l.outcome != THUD_CONE_SOLVED) { // the choice was not reached, a solution was
        memcpy(p, l.found, bytes);
        l.outcome = THUD_CONE_SOLVED;
        l.by = l.found_by;
        l.equal = false;
    } else if (l.outcome != THUD_CONE_SOLVED && l.least < INFINITY) {
        memcpy(p, l.best, bytes);
    }
    *by = l.by;
    *equal = l.equal;
    thud_arena_release(w->arena, mark);
    return l.outcome;
}
