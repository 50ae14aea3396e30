// SPDX-License-Identifier: Apache-2.0
// product_solve.c: sweeps over W = S S^T to the tolerance.                               [theory 7, 9]
//
// Each sweep (product_sweep.c) starts where the ones before it lead (product_step.c).
//
// Fails    slowly: ITERATION_LIMIT with the best point judged.
#include <math.h>
#include <string.h>

#include "product.h"

typedef struct verdict { // the judge's, and what it needs
    product_sweeps *w;
    double norm_b;   // the judge's |b|
    double own;      // how much of it is of the rows there are, 0 to 1
    double residual; // of the best point
    bool fine;       // is asked for
} verdict;

// The residual of thud_cone_residual, summed in another order. Updates of y by sweeps accumulate rounding, 1e-11 of y in a few dozen
// sweeps: y is computed anew at fine tolerances, and now and then at rough ones.
static double judge(const verdict *v, double *p_hat)
{
    enum { MANY = 64 };
    const product_sweeps *w = v->w;
    if (v->fine || w->sweeps >= MANY) {
        product_accumulate(v->w, p_hat);
    }
    const product_gap gap = product_judge(v->w, p_hat);
    const double scale = thud_max(thud_cone_rho(w->c->rows, w->trace) * v->norm_b, 1e-8 * sqrt(gap.size));
    return gap.squares == 0 ? 0 : sqrt(gap.squares) / scale;
}

// The residual to aim at; `change` is that of the first sweep relative to b. A problem at rest is solved below the tolerance, so that
// its impulses hold for the next steps too: kept impulses leave twice the present residual less the one before. At 0.7 of a rough
// tolerance 5000 spheres at rest were solved in nearly every step, at 0.3 in half of them. A problem in motion is solved anew in
// every step in any case, and is not solved more finely. The aim is relative to the rows of this problem; the rows beside them
// count only where the sweeps do not converge to that.
static const double REST = 0.3, REST_FINELY = 0.7, MOTION = 0.9, FAR = 10; // of the tolerance

static double aim(const verdict *v, double tolerance, double change)
{
    THUD_ASSERT(0 <= v->own && v->own <= 1);
    const bool rests = change <= FAR * tolerance * v->own;
    return v->own * (!rests ? MOTION : v->fine ? REST_FINELY : REST) * tolerance;
}

// Sweeps until the residual is small enough, the best point in p. The residual costs as much as a sweep: it is computed when
// what a sweep changes, against what it changed when last asked, says that it might be, and now and then.
static int sweep_on(verdict *v, product_history *h, double tolerance, int most, double *p)
{
    THUD_ASSERT(most >= 0);
    product_sweeps *w = v->w;
    enum { ASK = 64, FEW = 64, SOME = 8 };
    static const double SLOW = 0.7; // of what a sweep changed SOME sweeps before
    double goal = 0, enough = tolerance, before = 0;
    int sweeps = 0, asked = 0;
    bool goes_on = true; // the budget allows another sweep
    while (v->residual > enough && sweeps < most && goes_on) {
        if (sweeps > 0) {
            product_step(h, w);
        }
        if (w->short_of_room) {
            break;
        }
        const double change = sqrt(product_sweep(w, h->p, h->from));
        if (sweeps++ == 0) {
            enough = aim(v, tolerance, change / v->norm_b);
            goal = enough * v->norm_b;
            before = change;
        } else if (sweeps % SOME == 0 && sweeps <= FEW) {
            const bool stuck = change > SLOW * before || sweeps == FEW;
            if (stuck && v->own < 1 && enough < MOTION * tolerance) { // once
                enough = MOTION * tolerance;
                goal = INFINITY;
            }
            before = change;
        }
        goes_on = product_spend(w);
        if (!(change > goal) || sweeps - asked == ASK || sweeps == most || !goes_on) {
            asked = sweeps;
            const double residual = judge(v, h->p);
            goal = residual > 0 ? 0.95 * change * enough / residual : goal;
            if (residual < v->residual) {
                v->residual = residual;
                product_out(w, h->p, p);
            }
            if (!isfinite(residual)) {
                break;
            }
        }
    }
    return sweeps;
}

thud_cone_report thud_cone_product_solve(const thud_cone *c, const thud_cone_product *S,
                                         const thud_cone_options *o, thud_arena *scratch, double *p)
{
    enum { SWEEPS = 2000 };
    thud_cone_report r = {
        .outcome = THUD_CONE_NO_MEMORY, .method = THUD_CONE_NSGS, .residual = NAN, .rank = -1};
    const size_t mark = thud_arena_mark(scratch);
    product_sweeps w;
    product_history h;
    const double own = thud_norm2(c->rows, c->b), all = cone_size_with(c, own);
    verdict v = {&w, all, c->beside > 0 ? own / all : 1, INFINITY, o->tolerance <= THUD_ROUGH};
    bool ready = product_build(c, S, scratch, &w);
    if (ready) {
        w.local = !v.fine;
        w.memory = v.fine ? PRODUCT_MEMORY : 2;
        ready = product_begin(&h, &w);
    }
    if (ready) {
        w.near = thud_max(0.01 * o->tolerance, 1e-14);
        product_in(&w, p, h.p);
        product_accumulate(&w, h.p);
        r.iterations = sweep_on(&v, &h, o->tolerance, o->max_iterations > 0 ? o->max_iterations : SWEEPS, p);
        r.residual = v.residual;
        r.outcome = w.short_of_room              ? THUD_CONE_NO_MEMORY
                    : v.residual <= o->tolerance ? THUD_CONE_SOLVED
                    : isfinite(v.residual)       ? THUD_CONE_ITERATION_LIMIT
                                                 : THUD_CONE_NOT_FINITE;
    }
    thud_arena_release(scratch, mark);
    return r;
}
