// SPDX-License-Identifier: Apache-2.0
// product_solve.c: sweeps over W = S S^T, accelerated.                                             [theory 7, 9]
//
// With g(p) one sweep and f = g(p) - p, the next sweep starts from g less the combination of the last changes of g
// that would have made f least (Anderson 1965, two changes remembered):
//
//     least |f - dF gamma| in the norm of W's diagonal,      p = g - dG gamma,     y = S^T p the same way
//
// Fixed points are those of the sweep. Where f has grown what is remembered is forgotten, so that a plain sweep
// follows. In piles this takes a fifth of the sweeps that plain ones take to 1e-3. Where f stays as it is, no combination
// makes it less, and the point is taken to where that ends (product_drift.c).
//
// Fails    slowly: ITERATION_LIMIT with the best point judged.
#include <math.h>
#include <string.h>

#include "product.h"

typedef struct history {
    double *p, *from;      // n: the point, and what it was before the sweep
    double *g, *f;         // n: of the sweep before
    double *dF[2], *dG[2]; // n: the last change of f and g, and the one before
    double *y, *dY[2];     // length: the same of y = S^T g
    int count;             // changes remembered, 0 to 2
    bool known;            // g, f and y are
    double size;           // |f|^2
} history;

static double *push(thud_arena *arena, int n)
{
    return thud_arena_push(arena, (size_t)n, sizeof(double));
}

// ---------------------------------------------------------------------------------------------- shares

typedef struct products {          // in the norm of W's diagonal
    double ff, aa, ab, bb, af, bf; // f . f, and of the last change a and the one before b
} products;

typedef struct pass { // over all rows and all of y: what the threads share
    product_sweeps *w;
    history *h;
    products *sum; // of each share
    double gamma[2];
} pass;

enum { ROWS_A_SHARE = 1024 }; // a multiple of the lanes

static int shares_of(const product_sweeps *w)
{
    return (w->padded + ROWS_A_SHARE - 1) / ROWS_A_SHARE;
}

typedef struct part { // of a vector
    int first, count;
} part;

static part rows_of(const product_sweeps *w, int share)
{
    const int first = share * ROWS_A_SHARE, left = w->padded - first;
    return (part){first, left < ROWS_A_SHARE ? left : ROWS_A_SHARE};
}

static part groups_of(const product_sweeps *w, int share) // of y
{
    const int shares = shares_of(w), first = (int)((int64_t)w->length * share / shares);
    return (part){first, (int)((int64_t)w->length * (share + 1) / shares) - first};
}

static void clear(double *x, part of)
{
    memset(x + of.first, 0, sizeof *x * (size_t)of.count);
}

// ---------------------------------------------------------------------------------------------- acceleration

static void clear_shares(void *of, int first, int end, int worker)
{
    const pass *x = of;
    const history *h = x->h;
    double *const rows[] = {h->p, h->from, h->g, h->f, h->dF[0], h->dF[1], h->dG[0], h->dG[1]};
    double *const groups[] = {h->y, h->dY[0], h->dY[1]};
    (void)worker;
    for (int share = first; share < end; share++) {
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            clear(rows[k], rows_of(x->w, share));
        }
        for (size_t k = 0; k < sizeof groups / sizeof *groups; k++) {
            clear(groups[k], groups_of(x->w, share));
        }
    }
}

static void forget(history *h)
{
    h->count = 0;
    h->known = false;
    h->size = INFINITY;
}

static bool begin(history *h, product_sweeps *w, thud_arena *arena)
{
    double **const rows[] = {&h->p, &h->from, &h->g, &h->f, &h->dF[0], &h->dF[1], &h->dG[0], &h->dG[1]};
    double **const groups[] = {&h->y, &h->dY[0], &h->dY[1]};
    bool good = true;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        good = (*rows[k] = push(arena, w->padded)) && good;
    }
    for (size_t k = 0; k < sizeof groups / sizeof *groups; k++) {
        good = (*groups[k] = push(arena, w->length)) && good;
    }
    forget(h);
    if (good) {
        thud_pool_run(w->pool, shares_of(w), 1, clear_shares, &(pass){.w = w, .h = h});
    }
    return good;
}

// One pass over the rows: f = p - from; a = f - f before, dG = p - g before; f and p become the ones before; and all
// products of f, a and b, the change before.
THUD_KERNEL static products gather(const product_sweeps *w, history *h, part of)
{
    lanes ff = {0}, aa = {0}, ab = {0}, bb = {0}, af = {0}, bf = {0};
    for (int i = of.first; i < of.first + of.count; i += PRODUCT_LANES) {
        const lanes point = *(lanes *)(h->p + i), weight = *(lanes *)(w->weight + i),
                    b = *(lanes *)(h->dF[1] + i);
        const lanes f = point - *(lanes *)(h->from + i), a = f - *(lanes *)(h->f + i);
        const lanes weighed = weight * a, other = weight * b;
        *(lanes *)(h->dG[0] + i) = point - *(lanes *)(h->g + i);
        *(lanes *)(h->g + i) = point;
        *(lanes *)(h->f + i) = f;
        *(lanes *)(h->dF[0] + i) = a;
        ff += weight * f * f;
        aa += weighed * a;
        ab += weighed * b;
        bb += other * b;
        af += weighed * f;
        bf += other * f;
    }
    return (products){LANES_SUM(ff), LANES_SUM(aa), LANES_SUM(ab),
                      LANES_SUM(bb), LANES_SUM(af), LANES_SUM(bf)};
}

// to = a - b, then b = a
THUD_KERNEL static void replace(part of, const double *restrict a, double *restrict b, double *restrict to)
{
    for (int i = of.first; i < of.first + of.count; i++) {
        to[i] = a[i] - b[i];
        b[i] = a[i];
    }
}

THUD_KERNEL static void take(part of, const double scale[2], const double *restrict a,
                             const double *restrict b, double *restrict to)
{
    for (int i = of.first; i < of.first + of.count; i++) {
        to[i] -= scale[0] * a[i] + scale[1] * b[i];
    }
}

static void gather_shares(void *of, int first, int end, int worker)
{
    const pass *x = of;
    (void)worker;
    for (int k = first; k < end; k++) {
        x->sum[k] = gather(x->w, x->h, rows_of(x->w, k));
        replace(groups_of(x->w, k), x->w->y, x->h->y, x->h->dY[0]);
    }
}

static products gather_all(pass *x)
{
    const int shares = shares_of(x->w);
    products all = {0};
    thud_pool_run(x->w->pool, shares, 1, gather_shares, x);
    for (int k = 0; k < shares; k++) {
        const products *s = x->sum + k;
        all = (products){all.ff + s->ff, all.aa + s->aa, all.ab + s->ab,
                         all.bb + s->bb, all.af + s->af, all.bf + s->bf};
    }
    return all;
}

static void take_shares(void *of, int first, int end, int worker)
{
    const pass *x = of;
    const history *h = x->h;
    (void)worker;
    for (int k = first; k < end; k++) {
        take(rows_of(x->w, k), x->gamma, h->dG[0], h->dG[1], h->p);
        take(groups_of(x->w, k), x->gamma, h->dY[0], h->dY[1], x->w->y);
    }
}

// gamma of the least |f - dF gamma|; a little of the diagonal keeps it from growing where the changes are alike.
static void combine(const products *x, int count, double gamma[2])
{
    static const double LITTLE = 1e-6;
    const double aa = (1 + LITTLE) * x->aa, bb = (1 + LITTLE) * x->bb, det = aa * bb - x->ab * x->ab;
    gamma[0] = gamma[1] = 0;
    if (count == 2 && det > 0) {
        gamma[0] = (bb * x->af - x->ab * x->bf) / det;
        gamma[1] = (aa * x->bf - x->ab * x->af) / det;
    } else if (aa > 0) {
        gamma[0] = x->af / aa;
    }
}

static void accelerate(history *h, product_sweeps *w)
{
    static const double ALIKE = 0.003; // f and the f before
    cone_swap(&h->dF[0], &h->dF[1]);
    cone_swap(&h->dG[0], &h->dG[1]);
    cone_swap(&h->dY[0], &h->dY[1]);
    pass all = {.w = w, .h = h, .sum = (products *)(void *)w->partial};
    const products x = gather_all(&all);
    if (h->known && x.aa <= ALIKE * ALIKE * x.ff && product_drift(w, h->g, h->f, h->p)) {
        forget(h);
        return;
    }
    const bool grown = !(x.ff <= h->size), known = h->known;
    h->size = x.ff;
    h->known = true;
    h->count = grown || !known ? 0 : h->count < 2 ? h->count + 1 : 2;
    if (h->count > 0) {
        combine(&x, h->count, all.gamma);
        thud_pool_run(w->pool, shares_of(w), 2, take_shares, &all);
    }
}

// ---------------------------------------------------------------------------------------------- sweeps

typedef struct verdict { // the judge's, and what it needs
    product_sweeps *w;
    double *u, *p;   // rows of c
    double norm_b;   // the judge's |b|
    double own;      // how much of it is of the rows there are, 0 to 1
    double residual; // of the best point
} verdict;

static void judge_shares(void *of, int first, int end, int worker)
{
    const verdict *v = of;
    const thud_cone *c = v->w->c;
    const double rho = thud_cone_rho(c->rows, v->w->trace);
    (void)worker;
    for (int k = first; k < end; k++) {
        double gap[THUD_CONE_DIM_MAX], squares = 0, size = 0;
        for (int i = k * SHARE; i < (k + 1) * SHARE && i < c->blocks; i++) {
            const int row = c->block[i].row;
            thud_cone_gap(c->block + i, v->p + row, v->u + row, rho, gap);
            for (int r = 0; r < c->block[i].dim; r++) {
                squares += gap[r] * gap[r];
                size += v->p[row + r] * v->p[row + r];
            }
        }
        v->w->partial[2 * k] = squares;
        v->w->partial[2 * k + 1] = size;
    }
}

// The residual as thud_cone_residual has it, share by share. y is made anew on the way: the sweeps' sums drift.
static double judge(verdict *v, double *p_hat)
{
    product_sweeps *w = v->w;
    const int shares = (w->c->blocks + SHARE - 1) / SHARE;
    product_accumulate(w, p_hat);
    product_velocities(w, p_hat, v->u);
    product_out(w, p_hat, v->p);
    thud_pool_run(w->pool, shares, 4, judge_shares, v);
    double squares = 0, size = 0;
    for (int k = 0; k < shares; k++) {
        squares += w->partial[2 * k];
        size += w->partial[2 * k + 1];
    }
    const double scale = fmax(thud_cone_rho(w->c->rows, w->trace) * v->norm_b, 1e-8 * sqrt(size));
    return squares == 0 ? 0 : sqrt(squares) / scale;
}

// What is asked of the sweeps, whose first one made a `change` relative to b: what rests is solved better than the tolerance, so
// that its impulses hold for the next steps too; what begins far from its answer will do so again, and is not. Both among
// the rows there are: what the rows beside them ask for is no excuse while sweeps are few.
static const double REST = 0.7, MOTION = 0.9, FAR = 10; // of the tolerance

static double aim(const verdict *v, double tolerance, double change)
{
    return v->own * (change <= FAR * tolerance * v->own ? REST : MOTION) * tolerance;
}

// Sweeps until the judge is content, the best point in p. Its word costs as much as a sweep or two: it is asked when
// what a sweep changes, against what it changed when last asked, says that it might be, and now and then.
static int sweep_on(verdict *v, history *h, double tolerance, int most, double *p)
{
    product_sweeps *w = v->w;
    enum { ASK = 64, FEW = 60 };
    double goal = 0, enough = tolerance;
    int sweeps = 0, asked = 0;
    while (v->residual > enough && sweeps < most) {
        const double change = sqrt(product_sweep(w, h->p, h->from));
        if (sweeps++ == 0) {
            enough = aim(v, tolerance, change / v->norm_b);
            goal = enough * v->norm_b;
        } else if (sweeps == FEW && v->own < 1) {
            enough = MOTION * tolerance;
            goal = INFINITY;
        }
        if (!(change > goal) || sweeps - asked == ASK || sweeps == most) {
            asked = sweeps;
            const double residual = judge(v, h->p);
            goal = residual > 0 ? 0.95 * change * enough / residual : goal;
            if (residual < v->residual) {
                v->residual = residual;
                memcpy(p, v->p, sizeof *p * (size_t)w->c->rows);
            }
            if (!isfinite(residual)) {
                break;
            }
        }
        accelerate(h, w);
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
    history h;
    verdict v = {&w, push(scratch, c->rows), push(scratch, c->rows), cone_size(c), 1, INFINITY};
    v.own = c->beside > 0 ? thud_norm2(c->rows, c->b) / v.norm_b : 1;
    if (v.u && v.p && product_build(c, S, scratch, &w) && begin(&h, &w, scratch)) {
        w.near = fmax(0.01 * o->tolerance, 1e-14);
        product_in(&w, p, h.p);
        product_accumulate(&w, h.p);
        r.iterations = sweep_on(&v, &h, o->tolerance, o->max_iterations > 0 ? o->max_iterations : SWEEPS, p);
        r.residual = v.residual;
        r.outcome = v.residual <= o->tolerance ? THUD_CONE_SOLVED
                    : isfinite(v.residual)     ? THUD_CONE_ITERATION_LIMIT
                                               : THUD_CONE_NOT_FINITE;
    }
    thud_arena_release(scratch, mark);
    return r;
}
