// SPDX-License-Identifier: Apache-2.0
// cone_velocity.c: proximal points outside, Newton in velocities on the exact law inside.
//
//   proximal points   p_k+1 solves  u = W^ p + b + eps (p - p_k),  eps = c e. A fixed point solves the problem, whatever c, which
//                     falls while the inner Newton method converges.
//   path              the same about z = 0 with c from 1e-1 down to 1e-7 and e alike for all contacts: equal compliance. Its end
//                     does not depend on any start. Proximal points from its end take out the error of c; they leave the null
//                     space of W^, hence the choice among redundant impulses, alone.
// Cost     one factor of as many rows as S has columns a Newton step (velocity_newton.c), mostly 5 to 60 steps.
// Fails    where Newton's method converges from neither start: mostly large coefficients of friction with many contacts. Where
//          the rows ask for what no motion gives, the residual stands still while the inner method converges.
// [Rockafellar 1976; Acary, Cadoux, Lemarechal & Malick 2011]
#include <math.h>
#include <string.h>

#include "velocity.h"

typedef enum ending { ENDED_SOLVED, ENDED_WITHOUT_SOLUTION, ENDED_FAILED } ending;

static int limit(const cone_work *w, int own) // of Newton steps
{
    return w->max_iterations > 0 && w->max_iterations < own ? w->max_iterations : own;
}

// ---------------------------------------------------------------------------------------------- proximal points

// e: the mean diagonal of a contact's block of W, the row's own diagonal for others; above rounding.
static void take_own_units(velocity *v)
{
    static const double LEAST = 1e-8; // of the mean diagonal
    const cone_work *w = v->w;
    for (int i = 0; i < w->blocks; i++) {
        const cone_rows *b = w->block + i;
        const double *scale = w->scale + b->row;
        int stride;
        const double *D = cone_work_diagonal(w, i, &stride);
        double own[THUD_CONE_DIM_MAX], mean = 0;
        for (int r = 0; r < b->dim; r++) {
            own[r] = D[(size_t)r * ((size_t)stride + 1)] / (scale[r] * scale[r]);
            mean += own[r] / b->dim;
        }
        for (int r = 0; r < b->dim; r++) {
            const double e = b->kind == THUD_CONE_KIND_CONTACT ? mean : own[r];
            v->unit[b->row + r] = scale[r] * scale[r] * thud_max(e, LEAST / w->rho);
        }
    }
}

static const double SOFTEST = 1e-1, STIFFEST = 1e-10; // c of a proximal point

typedef struct points {
    double c, floor;        // the next point's c, and the least that it may fall to
    double residual, least; // of p, and of all points so far
    int steps, stands, idle;
} points;

// One point. last: only for the digits behind the tolerance. false: Newton's method met numbers that are not finite.
static bool take_point(velocity *v, bool searching, bool last, points *q, double *p)
{
    THUD_ASSERT(q->c > 0 && q->floor > 0);
    static const double ENOUGH = 0.05, ENOUGH_AT_LAST = 1e-4; // of the tolerance
    static const double PART = 0.02;                          // of the residual before
    static const double STIFF = 1e-4;
    const cone_work *w = v->w;
    const double before = q->residual;
    int steps = 0;
    velocity_centre(v, p, q->c);
    const bool converged = velocity_newton(
        v, thud_max((last ? ENOUGH_AT_LAST : ENOUGH) * w->tolerance, PART * thud_min(before, 1)), searching,
        &steps);
    const double residual = velocity_residual(v);
    q->steps += steps > 0 ? steps : 1;
    if (residual < before || (converged && !last && residual < INFINITY)) {
        memcpy(p, v->p, sizeof *p * (size_t)w->n);
        q->residual = residual;
        memset(v->d, 0, sizeof *v->d * (size_t)v->view.m);
    }
    q->stands = converged && q->c <= STIFF && residual > 0.5 * before ? q->stands + 1 : 0;
    q->idle = residual < 0.5 * q->least ? 0 : q->idle + 1;
    q->least = residual < q->least ? residual : q->least;
    if (converged) {
        q->floor =
            q->c <= q->floor && residual > 0.3 * before ? thud_max(0.1 * q->floor, STIFFEST) : q->floor;
        q->c = thud_max(0.1 * q->c, q->floor);
    } else if (residual >= 0.5 * before) {
        q->c = thud_min(10 * q->c, SOFTEST);
    }
    return residual < INFINITY;
}

// Proximal points from p, which becomes the solution or the last point.
static ending go_to_points(velocity *v, double c, bool searching, double *p)
{
    THUD_ASSERT(c > 0);
    enum { STEPS = 200, STANDS = 3, IDLE = 8 };     // STANDS, IDLE: points
    static const double FLOOR = 1e-6;               // c, before the residual stands there
    static const double NONE = 100, ROUNDED = 1e-3; // of the tolerance
    static const double DIGITS = 1e-9;              // a residual that may stand still by rounding
    const cone_work *w = v->w;
    const double tolerance = w->tolerance;
    points q = {.c = c, .floor = FLOOR, .least = INFINITY};
    take_own_units(v);
    memcpy(v->p, p, sizeof *p * (size_t)w->n);
    velocity_centre(v, p, c);
    q.residual = velocity_residual(v);
    memset(v->d, 0, sizeof *v->d * (size_t)v->view.m);
    while (q.residual > tolerance) {
        if (!cone_may_go_on(w) || q.steps >= limit(w, STEPS) || q.idle >= IDLE ||
            !take_point(v, searching, false, &q, p)) {
            return ENDED_FAILED;
        }
        if (q.stands >= STANDS && q.residual > thud_max(NONE * tolerance, DIGITS)) {
            return ENDED_WITHOUT_SOLUTION;
        }
    }
    if (q.residual > ROUNDED * tolerance) {
        (void)take_point(v, searching, true, &q, p);
    }
    return q.residual <= tolerance ? ENDED_SOLVED : ENDED_FAILED; // NaN
}

// ---------------------------------------------------------------------------------------------- the path

// The unit compliance that the choice is made by (cone_work.c).
static void take_equal_units(velocity *v)
{
    const cone_work *w = v->w;
    for (int i = 0; i < w->n; i++) {
        v->unit[i] = w->shape[i] * w->mean;
    }
}

static const double PATH_BEGIN = 1e-1, PATH_END = 1e-7; // c

typedef struct path {
    double c, reached, before; // next, last that converged (0: none), the one before
    double *last, *older;      // m: d at `reached` and at `before`
    int steps;
} path;

// c after a subproblem that converged in so many steps: the more it took, the gentler.
static double next_c(double c, int steps)
{
    THUD_ASSERT(c > 0 && steps >= 0);
    enum { EASY = 5, FAIR = 10 };
    return thud_max((steps <= EASY ? 0.1 : steps <= FAIR ? 0.2 : 0.4) * c, PATH_END);
}

// d at c, a smooth function of c, by a line through the last two.
static void extrapolate(const path *a, velocity *v)
{
    const double slope = a->before > a->reached ? (a->reached - a->c) / (a->before - a->reached) : 0;
    for (int j = 0; j < v->view.m; j++) {
        v->d[j] = a->reached > 0 ? a->last[j] + slope * (a->last[j] - a->older[j]) : 0;
    }
}

// One subproblem about 0. false: the path ends here, at its end or where c cannot fall any more.
static bool step_on(velocity *v, path *a, double *p)
{
    static const double ENOUGH = 0.1, LOOSE = 1e-2; // |S F|/|b|, of c, and at most
    static const double CLOSE = 0.9, WIDE = 10;     // of the last c, and in all
    const size_t bytes = sizeof *v->d * (size_t)v->view.m;
    int steps = 0;
    memset(v->z, 0, sizeof *v->z * (size_t)v->w->n);
    velocity_centre(v, v->z, a->c);
    extrapolate(a, v);
    const bool converged = velocity_newton(v, thud_min(ENOUGH * a->c, LOOSE), false, &steps);
    a->steps += steps > 0 ? steps : 1;
    if (!converged) {
        a->c = a->reached > 0 ? sqrt(a->c * a->reached) : 10 * a->c;
        return a->reached > 0 ? a->c < CLOSE * a->reached : a->c <= WIDE;
    }
    memcpy(a->older, a->last, bytes);
    memcpy(a->last, v->d, bytes);
    memcpy(p, v->p, sizeof *p * (size_t)v->w->n);
    a->before = a->reached;
    a->reached = a->c;
    a->c = next_c(a->c, steps);
    return a->reached > PATH_END;
}

// p: the impulses at the last c that converged, which is returned; 0: none did.
static double follow_path(velocity *v, double *p)
{
    enum { STEPS = 100 };
    const cone_work *w = v->w;
    const size_t mark = thud_arena_mark(w->arena), m = (size_t)v->view.m;
    path a = {.c = PATH_BEGIN,
              .last = thud_arena_push(w->arena, m, sizeof(double)),
              .older = thud_arena_push(w->arena, m, sizeof(double))};
    memset(p, 0, sizeof *p * (size_t)w->n);
    take_equal_units(v);
    bool on = a.last && a.older;
    if (on) {
        memset(a.last, 0, sizeof *a.last * m);
    }
    while (on && a.steps < limit(w, STEPS) && cone_may_go_on(w)) {
        on = step_on(v, &a, p);
    }
    thud_arena_release(w->arena, mark);
    return a.reached;
}

// ---------------------------------------------------------------------------------------------- the method

bool cone_velocity_suits(const cone_work *w)
{
    return w->n > 0 && w->n <= VELOCITY_ROWS && (w->W.a || w->c->product);
}

static ending solve(velocity *v, cone_velocity_way way, bool *equal, double *p)
{
    static const double START = 1e-2, AFTER_PATH = 1e-6; // c of the first proximal point
    static const double NEAR =
        1e-6; // a residual: the first start was right, and another one would end here too
    double c = START;
    *equal = false;
    if (way == VELOCITY_PATH) {
        const double reached = follow_path(v, p);
        *equal = reached > 0 && reached <= PATH_END;
        c = *equal ? AFTER_PATH : reached > 0 ? thud_min(reached, SOFTEST) : SOFTEST;
    }
    ending end = go_to_points(v, c, false, p);
    if (end == ENDED_FAILED && !(velocity_residual(v) < NEAR)) {
        memset(p, 0, sizeof *p * (size_t)v->w->n);
        *equal = false;
        end = go_to_points(v, SOFTEST, true, p);
    }
    return end;
}

thud_cone_outcome cone_velocity(cone_work *w, double *p, cone_velocity_way way, double most, bool *equal)
{
    const size_t mark = thud_arena_mark(w->arena);
    velocity v = {.w = w};
    const velocity_made made = velocity_view_make(w, &v.view);
    thud_cone_outcome outcome = made == VELOCITY_NO_MEMORY ? THUD_CONE_NO_MEMORY : THUD_CONE_STALLED;
    *equal = false;
    if (made == VELOCITY_MADE && v.view.m <= most * w->n) {
        static const thud_cone_outcome outcome_of[] = {[ENDED_SOLVED] = THUD_CONE_SOLVED,
                                                       [ENDED_WITHOUT_SOLUTION] = THUD_CONE_INFEASIBLE,
                                                       [ENDED_FAILED] = THUD_CONE_STALLED};
        outcome = velocity_begin(&v) ? outcome_of[solve(&v, way, equal, p)] : THUD_CONE_NO_MEMORY;
        *equal = *equal && outcome == THUD_CONE_SOLVED;
    }
    thud_arena_release(w->arena, mark);
    return outcome;
}
