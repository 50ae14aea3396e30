// SPDX-License-Identifier: Apache-2.0
// cone_leap.c: proximal points from where the last impulses are, with leaps.                       [theory 7, 9]
//
//     p_k+1 solves u = W^ p + b^ + alpha shape (p - p_k),      by Newton's method, from p_k
//
// Sticking contacts may have contradictory equations u = 0 (product_drift.c), by 1e-6 of the velocities and all over a falling
// pile. Every proximal point then moves the impulses by the same f, in the null space of W^, until one sticking contact slides or
// opens, and so on until the active set is right. A smaller compliance makes f longer, but Newton's method does not converge where
// many contacts change their state at once. So points are taken at a compliance where it converges. Where a point leaves the
// residual as it was, the impulses go on along f until the first contact reaches the edge of its cone (a leap). The next point
// starts from one more f.
//
// f is large at few contacts, those of some wedged boxes: a dozen of hundreds. Where the residual falls slowly these are solved
// alone in the same way with all others held (cone_part.c), at a tenth of the cost of a step and down to smaller compliances. The
// next point of all contacts corrects the others, mostly in a few steps.
//
// Differs  from cone_proximal.c, which starts from zero and seeks the choice of equal compliance: this method stays near
//          where it starts, and takes any solution.
// Cost     a few Newton steps a point, of 90 boxes six sweeps each; of 100 that fall 18 steps over all and one part a problem.
// Fails    ITERATION_LIMIT with the best point met. Sweeps from there, and this once more, mostly help.
#include <math.h>
#include <string.h>

#include "cone_newton.h"

static const double MOST = 1; // compliance, of the mean diagonal
static const double UP = 10;
static const double WELL = 0.999;            // of a cone's opening: inside
static const double LITTLE = 1e-6;           // of the mean normal impulse: next to nothing
static const double SLOW = 0.8, WORSE = 1.5; // of the residual before: it is as it was
enum { RUN = 15, PATIENCE = 6 };

typedef struct leap_way {      // of all contacts, or of a part
    double first, least, down; // compliance, of the mean diagonal, and how it falls
    int quick;                 // steps of a point after which it does
    double sharp;              // of the residual: how well a point is found
    double slow;               // of the residual before: then a part is looked at; INFINITY: never
} leap_way;

static const leap_way ALL = {5e-4, 1e-5, 0.3, 6, 0.3, 0.1}, PART = {1e-3, 1e-6, 0.1, 6, 0.1, INFINITY};

typedef struct leap {
    const leap_way *way;
    cone_tangent t;
    double *centre, *best; // n
    double *move;          // n: what the last point moved, at this compliance
    double moved_at;       // 0: it was not found, or is no guess for the next
    double residual, least;
    double goal; // residual asked for
    double alpha;
    bool short_of_room;
} leap;

static double residual_of(cone_tangent *t, const double *p)
{
    cone_work_multiply(t->w, p, t->trial_u);
    return cone_work_residual(t->w, p, t->trial_u);
}

// The leap: on from p along the last change, to the first edge; p stays where there is none.
static void go_on(const leap *l, double *p)
{
    const cone_work *w = l->t.w;
    double sum = 0, far = INFINITY;
    for (int i = 0; i < w->blocks; i++) {
        sum += p[w->block[i].row];
    }
    const double little = LITTLE * sum / (w->blocks + 1);
    for (int i = 0; i < w->blocks; i++) {
        const int row = w->block[i].row;
        far =
            p[row] > little ? thud_min(far, cone_reach(w->block[i].dim, p + row, l->move + row, WELL)) : far;
    }
    for (int i = 0; i < w->n && far < INFINITY; i++) {
        p[i] += far * l->move[i];
    }
    for (int i = 0; i < w->blocks && far < INFINITY; i++) {
        cone_back(w->block[i].dim, p + w->block[i].row);
    }
}

// The start of Newton's method: p and the last change once more, longer by the ratio of the compliances.
static void begin_there(const leap *l, double *p)
{
    const double by = l->moved_at > 0 ? l->moved_at / l->alpha : 0;
    for (int i = 0; i < l->t.w->n && by > 0; i++) {
        p[i] += by * l->move[i];
    }
}

// After a point that did not converge: a larger compliance, from the best point where that is better.
static void give_up(leap *l, double before, double *p)
{
    l->alpha = thud_min(UP * l->alpha, MOST);
    l->moved_at = 0;
    if (!(l->residual < before)) {
        memcpy(p, l->centre, sizeof *p * (size_t)l->t.w->n);
        l->residual = before;
    }
}

static void note(leap *l, const double *p)
{
    l->residual = residual_of(&l->t, p);
    if (l->residual < l->least) {
        l->least = l->residual;
        memcpy(l->best, p, sizeof *p * (size_t)l->t.w->n);
    }
}

// ---------------------------------------------------------------------------------------------- a part

static thud_cone_outcome leap_on(cone_work *w, const leap_way *way, double *p, int steps);

// Blocks that the last point moved most; 0 if they are not few.
static int list_moved(const leap *l, int *list)
{
    static const double SHARE = 0.03; // of the largest |f_i|: what moves with it
    const cone_work *w = l->t.w;
    double most = 0;
    int count = 0;
    for (int i = 0; i < w->blocks; i++) {
        most = thud_max(most, thud_norm2(w->block[i].dim, l->move + w->block[i].row));
    }
    for (int i = 0; i < w->blocks; i++) {
        list[count] = i;
        count += thud_norm2(w->block[i].dim, l->move + w->block[i].row) > SHARE * most;
    }
    return 2 * count <= w->blocks ? count : 0;
}

// Solves the blocks that moved most alone; p is the best point met. false: they are not few.
static bool solve_part(leap *l, double *p)
{
    enum { STEPS = 300 };
    static const double SHARE = 0.3; // of the residual asked for
    cone_work *w = l->t.w;
    const size_t mark = thud_arena_mark(w->arena);
    int *list = thud_arena_push(w->arena, (size_t)w->blocks, sizeof *list);
    const int count = list ? list_moved(l, list) : 0;
    l->short_of_room = !list;
    if (count > 0) {
        cone_part part;
        cone_work_multiply(w, p, l->t.trial_u);
        const bool begun = cone_part_begin(w, list, count, p, l->t.trial_u, &part);
        part.w.tolerance = SHARE * w->tolerance;
        l->short_of_room = !begun || leap_on(&part.w, &PART, part.p, STEPS) == THUD_CONE_NO_MEMORY;
        if (!l->short_of_room) {
            cone_part_take(w, &part, p);
            note(l, p);
        }
        w->iterations += part.w.iterations * count / w->blocks; // as long as so many of all
        w->factorizations += part.w.factorizations * count / w->blocks;
        cone_part_end(&part);
    }
    thud_arena_release(w->arena, mark);
    return count > 0;
}

// ---------------------------------------------------------------------------------------------- the points

// After a point at which the residual was `before`.
static void look_on(leap *l, double before, double *p)
{
    if (l->least <= l->goal || !(l->residual < WORSE * before)) {
        return;
    }
    if (l->residual > l->way->slow * before && solve_part(l, p)) {
        l->moved_at = 0;
    } else if (l->residual > SLOW * before) {
        go_on(l, p);
    }
}

// One proximal point. Returns the steps it took.
static int take_point(leap *l, double *p, int steps)
{
    static const double ROUGH = 1e-5, FINE = 1e-12;
    cone_tangent *t = &l->t;
    memcpy(l->centre, p, sizeof *p * (size_t)t->w->n);
    t->epsilon = l->alpha * t->w->mean;
    t->centre = l->centre;
    t->enough = thud_max(thud_min(l->way->sharp * l->least, ROUGH), FINE);
    begin_there(l, p);
    const newton_result r = cone_newton_run(t, p, steps < RUN ? steps : RUN);
    const double before = l->residual;
    note(l, p);
    if (!r.converged) {
        give_up(l, before, p);
        return r.steps + 1;
    }
    for (int i = 0; i < t->w->n; i++) {
        l->move[i] = p[i] - l->centre[i];
    }
    l->moved_at = l->residual < WORSE * before ? l->alpha : 0;
    l->alpha = r.steps <= l->way->quick ? thud_max(l->way->down * l->alpha, l->way->least) : l->alpha;
    look_on(l, before, p);
    return r.steps + (r.steps == 0);
}

static thud_cone_outcome leap_on(cone_work *w, const leap_way *way, double *p, int steps)
{
    static const double NEARLY = 1.9; // of half the tolerance: what sweeps end with, too
    const size_t mark = thud_arena_mark(w->arena), bytes = sizeof *p * (size_t)w->n;
    leap l = {.way = way, .alpha = way->first, .goal = NEARLY * w->tolerance};
    const bool begun = cone_newton_begin(w, &l.t);
    l.centre = thud_arena_push(w->arena, (size_t)w->n, sizeof *l.centre);
    l.best = thud_arena_push(w->arena, (size_t)w->n, sizeof *l.best);
    l.move = thud_arena_push(w->arena, (size_t)w->n, sizeof *l.move);
    thud_cone_outcome outcome = THUD_CONE_NO_MEMORY;
    if (begun && l.centre && l.best && l.move) {
        l.t.patience = PATIENCE;
        w->warm = false; // contacts that stuck need not
        memcpy(l.best, p, bytes);
        l.residual = l.least = residual_of(&l.t, p);
        for (int k = 0;
             k < steps && l.least > l.goal && !l.short_of_room && cone_spend(w, cone_product_work(w));) {
            k += take_point(&l, p, steps - k);
        }
        memcpy(p, l.best, bytes);
        outcome = l.short_of_room     ? THUD_CONE_NO_MEMORY
                  : l.least <= l.goal ? THUD_CONE_SOLVED
                                      : THUD_CONE_ITERATION_LIMIT;
    }
    cone_newton_end(&l.t);
    thud_arena_release(w->arena, mark);
    return outcome;
}

thud_cone_outcome cone_leap(cone_work *w, double *p, int steps)
{
    THUD_ASSERT(w->groups && steps >= 0);
    return leap_on(w, &ALL, p, steps);
}
