// SPDX-License-Identifier: Apache-2.0
// cone_proximal.c: Newton inside sequences of compliant problems, for singular, badly scaled W. [theory 7, 9]
//
//   compliance path   P(epsilon): u = W^ p + b^ + epsilon shape p, epsilon from the mean diagonal of W down
//                     to LEAST of it, each from the last. Its limit is the equal-compliance solution, and
//                     since it starts where the problem is nearly diagonal it needs no guess.
//   proximal points   Q(alpha): u = W^ p + b^ + alpha shape (p - p_k), p_k+1 its solution: any fixed point
//                     solves the problem itself, whatever alpha, which falls while the inner Newton is quick.
//
// Differs  from the proximal-point methods of the literature by the path before it, which fixes *which* of
//          many solutions is found; at LEAST a few proximal points from there, with the factors that are
//          there, remove the compliance's own error and leave the null space, hence the choice, alone.
// Cost     10 to 100 Newton steps.
// Fails    the path at a fold (a solution branch that ends), the points where the inner Newton never
//          converges.
#include <math.h>
#include <string.h>

#include "cone_newton.h"

static const double LEAST = CONE_LEAST;
static const double POLISHED = 1e-3; // of the tolerance: no compliance is left worth taking out

static double true_residual(cone_tangent *t, const double *p)
{
    cone_work_multiply(t->w, p, t->trial_u);
    return cone_work_residual(t->w, p, t->trial_u);
}

// Proximal points at a fixed, small alpha until the residual is met or stops falling by half. The first is taken even
// within the tolerance, against the error of the compliance: it costs one step with the old factors, bodies that are held
// do not creep by that error, and the impulses hold longer as a warm start.
static double refine(cone_tangent *t, double *p, double *centre, double alpha)
{
    THUD_ASSERT(alpha > 0);
    cone_work *w = t->w;
    double residual = true_residual(t, p);
    for (int k = 0; k < 30 && cone_may_go_on(w) && residual > (k == 0 ? POLISHED : 1) * w->tolerance; k++) {
        memcpy(centre, p, sizeof *p * (size_t)w->n);
        t->epsilon = alpha * w->mean;
        t->centre = centre;
        t->fine = true;
        cone_newton_run(t, p, 20);
        t->fine = false;
        const double next = true_residual(t, p);
        if (!(next < residual)) { // no better: give the better point back
            memcpy(p, centre, sizeof *p * (size_t)w->n);
            break;
        }
        const bool slow = next > 0.5 * residual;
        residual = next;
        if (slow) {
            break;
        }
    }
    return residual;
}

// One compliant problem, centre 0; p untouched where Newton does not converge.
static newton_result compliant(cone_tangent *t, double *p, double *trial, double epsilon, int steps)
{
    THUD_ASSERT(epsilon > 0);
    t->epsilon = epsilon * t->w->mean;
    t->centre = NULL;
    memcpy(trial, p, sizeof *p * (size_t)t->w->n);
    const newton_result r = cone_newton_run(t, trial, steps);
    if (r.converged) {
        memcpy(p, trial, sizeof *p * (size_t)t->w->n);
    }
    return r;
}

// The path from epsilon = 1 down. Returns the least epsilon reached; LEAST: all the way.
static double follow_path(cone_tangent *t, double *p, double *trial, int budget)
{
    double reached = 1e3, epsilon = 1, factor = 0.1;
    const int stop = t->w->iterations + budget;
    while (t->w->iterations < stop && cone_may_go_on(t->w)) {
        const newton_result r = compliant(t, p, trial, epsilon, 40);
        if (r.converged) {
            reached = epsilon;
            if (epsilon <= LEAST) {
                return LEAST;
            }
            factor = r.steps <= 6 ? thud_max(factor * sqrt(factor), 1e-3) : factor;
        } else {
            factor = sqrt(factor);
            if (factor > 0.9) {
                break;
            }
        }
        epsilon = thud_max(reached * factor, LEAST);
    }
    return reached;
}

// Proximal points with alpha adapted. true: the residual asked was reached; p is the best point met.
static bool proximal_points(cone_tangent *t, double *p, double *centre, double *best, double alpha,
                            int budget)
{
    THUD_ASSERT(alpha > 0 && budget >= 0);
    cone_work *w = t->w;
    const size_t bytes = sizeof *p * (size_t)w->n;
    const int stop = w->iterations + budget;
    double least = true_residual(t, p);
    memcpy(best, p, bytes);
    memcpy(centre, p, bytes);
    while (least > w->tolerance && w->iterations < stop && cone_may_go_on(w)) {
        t->epsilon = alpha * w->mean;
        t->centre = centre;
        const newton_result r = cone_newton_run(t, p, 40);
        w->iterations += r.steps == 0; // the budget ends even a run of empty ones
        const double residual = true_residual(t, p);
        if (residual < least) {
            least = residual;
            memcpy(best, p, bytes);
        }
        if (r.converged || residual <= least) {
            memcpy(centre, p, bytes);
        } else {
            memcpy(p, centre, bytes);
        }
        if (r.converged && r.steps <= 8) {
            alpha = thud_max(0.3 * alpha, 1e-12);
        } else if (!r.converged) {
            alpha = thud_min(10 * alpha, 1e3);
        }
    }
    memcpy(p, best, bytes);
    return least <= w->tolerance;
}

typedef struct prox_space {
    cone_tangent t;
    double *a, *b; // n
} prox_space;

static bool begin(cone_work *w, prox_space *s)
{
    const bool begun = cone_newton_begin(w, &s->t);
    s->a = thud_arena_push(w->arena, (size_t)w->n, sizeof(double));
    s->b = thud_arena_push(w->arena, (size_t)w->n, sizeof(double));
    return s->a && s->b && begun;
}

static void end(cone_work *w, prox_space *s, size_t mark)
{
    cone_newton_end(&s->t);
    thud_arena_release(w->arena, mark);
}

thud_cone_outcome cone_newton(cone_work *w, double *p, int steps, bool *equal_compliance)
{
    THUD_ASSERT(steps > 0);
    const size_t mark = thud_arena_mark(w->arena);
    prox_space s;
    thud_cone_outcome outcome = THUD_CONE_NO_MEMORY;
    if (begin(w, &s)) {
        const newton_result r = compliant(&s.t, p, s.a, LEAST, steps);
        if (!r.converged && s.t.w->n > 0) {
            memcpy(p, s.a, sizeof *p * (size_t)w->n); // the best point met
        }
        *equal_compliance = r.converged;
        outcome = refine(&s.t, p, s.a, LEAST) <= w->tolerance ? THUD_CONE_SOLVED
                  : r.steps >= steps                          ? THUD_CONE_ITERATION_LIMIT
                                                              : THUD_CONE_STALLED;
    }
    end(w, &s, mark);
    return outcome;
}

// Proximal points, each by the interior path and Newton from its end: for slips that are smaller than what
// the compliance leaves, where Newton alone does not find the next point.
static double refine_inside(prox_space *s, double *p, int path)
{
    cone_work *w = s->t.w;
    const size_t bytes = sizeof *p * (size_t)w->n;
    double residual = true_residual(&s->t, p);
    for (int k = 0; k < 12 && residual > w->tolerance && cone_may_go_on(w); k++) {
        memcpy(s->a, p, bytes);
        if (!cone_interior(&s->t, p, LEAST, s->a, path)) {
            break;
        }
        s->t.epsilon = LEAST * w->mean;
        s->t.centre = s->a;
        cone_newton_run(&s->t, p, 40);
        const double next = true_residual(&s->t, p);
        if (!(next < residual)) {
            memcpy(p, s->a, bytes);
            break;
        }
        residual = next;
    }
    return residual;
}

// Above MANY rows a smaller time step is cheaper than more paths.
static bool is_large(const cone_work *w)
{
    enum { MANY = 400 };
    return w->n > MANY;
}

enum { PATHS = 5 }; // that are tried: each costs 20 to 60 factors

thud_cone_outcome cone_newton_inside(cone_work *w, double *p, bool *equal_compliance)
{
    const size_t mark = thud_arena_mark(w->arena);
    prox_space s;
    thud_cone_outcome outcome = THUD_CONE_NO_MEMORY;
    if (begin(w, &s) && cone_newton_order(&s.t)) {
        outcome = THUD_CONE_STALLED;
        for (int k = 0; k < (is_large(w) ? 1 : PATHS) && outcome != THUD_CONE_SOLVED && cone_may_go_on(w);
             k++) {
            if (!cone_interior(&s.t, p, LEAST, NULL, k)) {
                continue;
            }
            *equal_compliance = compliant(&s.t, p, s.a, LEAST, 60).converged;
            if (refine(&s.t, p, s.a, LEAST) <= w->tolerance ||
                (!is_large(w) && refine_inside(&s, p, k) <= w->tolerance)) {
                outcome = THUD_CONE_SOLVED;
            }
        }
    }
    end(w, &s, mark);
    return outcome;
}

// The point found by proximal points may not be the equal-compliance one: one more Newton from it.
static bool choose(prox_space *s, double *p)
{
    cone_work *w = s->t.w;
    memcpy(s->b, p, sizeof *p * (size_t)w->n);
    const newton_result r = compliant(&s->t, p, s->a, LEAST, 40);
    if (r.converged && refine(&s->t, p, s->a, LEAST) <= w->tolerance) {
        return true;
    }
    memcpy(p, s->b, sizeof *p * (size_t)w->n);
    return false;
}

thud_cone_outcome cone_proximal(cone_work *w, double *p, bool *equal_compliance)
{
    const size_t mark = thud_arena_mark(w->arena);
    prox_space s;
    if (!begin(w, &s)) {
        end(w, &s, mark);
        return THUD_CONE_NO_MEMORY;
    }
    const int budget = w->max_iterations > 0 ? w->max_iterations : is_large(w) ? 150 : 600;
    const int stop = w->iterations + budget;
    memset(p, 0, sizeof *p * (size_t)w->n);
    const double reached = follow_path(&s.t, p, s.a, budget);
    *equal_compliance = reached <= LEAST;
    bool solved = refine(&s.t, p, s.a, thud_max(reached, LEAST)) <= w->tolerance;
    if (!solved) {
        solved = proximal_points(&s.t, p, s.a, s.b, thud_min(reached, 1), stop - w->iterations + budget);
        *equal_compliance = solved && choose(&s, p);
    }
    const bool spent = w->iterations >= stop;
    end(w, &s, mark);
    return solved ? THUD_CONE_SOLVED : spent ? THUD_CONE_ITERATION_LIMIT : THUD_CONE_STALLED;
}
