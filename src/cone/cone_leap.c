// SPDX-License-Identifier: Apache-2.0
// cone_leap.c: proximal points from where sweeps have come to, with leaps.                         [theory 7, 9]
//
//     p_k+1 solves u = W^ p + b^ + alpha shape (p - p_k),      by Newton's method, from p_k
//
// Contacts that stick may together ask for what no motion of the bodies can give (product_drift.c), by a millionth of the
// speeds and all over a pile that falls. Then every proximal point moves the impulses by the same f, which W^ does not see,
// until one contact that had stuck slides, or opens, and so on until the few that have to give way are found. Compliance
// sets how far a point goes, so that a small one would lead there at once; but Newton's method does not converge where many
// contacts change their state together. So points are taken at a compliance where it does, and where one leaves the
// residual as it was, the impulses go on along f to the first contact that it takes to its edge. The next point is begun
// where f would lead once more.
//
// Differs  from cone_proximal.c, which starts from nothing and asks for the choice of equal compliance: this one stays near
//          where it starts, and takes any solution.
// Cost     a few Newton steps a point, and a few dozen points; of 90 boxes a step costs ten sweeps.
// Fails    ITERATION_LIMIT with the best point met. Sweeps from there, and this once more, mostly help.
#include <math.h>
#include <string.h>

#include "cone_newton.h"

static const double FIRST = 1e-3, LEAST = 1e-5, MOST = 1; // compliance, of the mean diagonal
static const double UP = 10, DOWN = 0.3;
static const double WELL = 0.999;            // of a cone's opening: inside
static const double LITTLE = 1e-6;           // of the mean normal impulse: next to nothing
static const double SLOW = 0.8, WORSE = 1.5; // of the residual before: it is as it was
enum { RUN = 15, QUICK = 4, PATIENCE = 6 };

typedef struct leap {
    cone_tangent t;
    double *centre, *best; // n
    double *move;          // n: what the last point moved, at this compliance
    double moved_at;       // 0: it was not found, or is no guess for the next
    double residual, least;
    double alpha;
} leap;

static double residual_of(cone_tangent *t, const double *p)
{
    cone_work_multiply(t->w, p, t->trial_u);
    return cone_work_residual(t->w, p, t->trial_u);
}

// On from p as the point moved it, to the first edge; or not, where there is none.
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
        far = p[row] > little ? fmin(far, cone_reach(w->block[i].dim, p + row, l->move + row, WELL)) : far;
    }
    for (int i = 0; i < w->n && far < INFINITY; i++) {
        p[i] += far * l->move[i];
    }
    for (int i = 0; i < w->blocks && far < INFINITY; i++) {
        cone_back(w->block[i].dim, p + w->block[i].row);
    }
}

// Newton's method starts where the last point would lead again: less compliance, so much farther.
static void begin_there(const leap *l, double *p)
{
    const double by = l->moved_at > 0 ? l->moved_at / l->alpha : 0;
    for (int i = 0; i < l->t.w->n && by > 0; i++) {
        p[i] += by * l->move[i];
    }
}

// After a point that was not found: a stiffer one, from a better place if that is one.
static void give_up(leap *l, double before, double *p)
{
    l->alpha = fmin(UP * l->alpha, MOST);
    l->moved_at = 0;
    if (!(l->residual < before)) {
        memcpy(p, l->centre, sizeof *p * (size_t)l->t.w->n);
        l->residual = before;
    }
}

// One proximal point. Returns the steps it took.
static int take_point(leap *l, double *p, int steps)
{
    static const double SHARP = 0.03, ROUGH = 1e-6, FINE = 1e-12;
    cone_tangent *t = &l->t;
    const size_t bytes = sizeof *p * (size_t)t->w->n;
    memcpy(l->centre, p, bytes);
    t->epsilon = l->alpha * t->w->mean;
    t->centre = l->centre;
    t->enough = fmax(fmin(SHARP * l->least, ROUGH), FINE);
    begin_there(l, p);
    const newton_result r = cone_newton_run(t, p, steps < RUN ? steps : RUN);
    const double before = l->residual;
    l->residual = residual_of(t, p);
    if (l->residual < l->least) {
        l->least = l->residual;
        memcpy(l->best, p, bytes);
    }
    if (!r.converged) {
        give_up(l, before, p);
        return r.steps + 1;
    }
    for (int i = 0; i < t->w->n; i++) {
        l->move[i] = p[i] - l->centre[i];
    }
    l->moved_at = l->residual < WORSE * before ? l->alpha : 0;
    l->alpha = r.steps <= QUICK ? fmax(DOWN * l->alpha, LEAST) : l->alpha;
    if (l->residual > SLOW * before && l->residual < WORSE * before) {
        go_on(l, p);
    }
    return r.steps + (r.steps == 0);
}

thud_cone_outcome cone_leap(cone_work *w, double *p, int steps)
{
    const size_t mark = thud_arena_mark(w->arena), bytes = sizeof *p * (size_t)w->n;
    leap l = {.alpha = FIRST};
    const bool begun = cone_newton_begin(w, &l.t);
    l.centre = thud_arena_push(w->arena, (size_t)w->n, sizeof *l.centre);
    l.best = thud_arena_push(w->arena, (size_t)w->n, sizeof *l.best);
    l.move = thud_arena_push(w->arena, (size_t)w->n, sizeof *l.move);
    thud_cone_outcome outcome = THUD_CONE_NO_MEMORY;
    if (begun && l.centre && l.best && l.move) {
        l.t.patience = PATIENCE;
        w->warm = false; // sweeps have been there
        memcpy(l.best, p, bytes);
        l.residual = l.least = residual_of(&l.t, p);
        for (int k = 0; k < steps && l.least > w->tolerance;) {
            k += take_point(&l, p, steps - k);
        }
        memcpy(p, l.best, bytes);
        outcome = l.least <= w->tolerance ? THUD_CONE_SOLVED : THUD_CONE_ITERATION_LIMIT;
    }
    cone_newton_end(&l.t);
    thud_arena_release(w->arena, mark);
    return outcome;
}
