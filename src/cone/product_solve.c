// SPDX-License-Identifier: Apache-2.0
// product_solve.c: sweeps over W = S S^T, accelerated.                                             [theory 7, 9]
//
// With g(p) one sweep and f = g(p) - p, the next sweep starts from g less the combination of the last changes of g
// that would have made f least (Anderson 1965, two changes remembered):
//
//     least |f - dF gamma| in the norm of W's diagonal,      p = g - dG gamma,     y = S^T p the same way
//
// Fixed points are those of the sweep. Where f has grown what is remembered is forgotten, so that a plain sweep
// follows. In piles this takes a fifth of the sweeps that plain ones take to 1e-3.
//
// Fails    slowly: ITERATION_LIMIT with the best point judged.
#include <math.h>
#include <string.h>

#include "product.h"

enum { MEMORY = 2 };

typedef struct history {
    double *p, *from; // n: the point, and what it was before the sweep
    double *g, *f;    // n: of the sweep before
    double *y;        // length: S^T g
    double *dF[MEMORY], *dG[MEMORY], *dY[MEMORY];
    double A[MEMORY][MEMORY], r[MEMORY]; // dF . dF and dF . f
    int count, next;
    bool known;  // g, f and y are
    double size; // |f|^2
} history;

static double *push(thud_arena *arena, int n)
{
    return thud_arena_push(arena, (size_t)n, sizeof(double));
}

static void forget(history *h)
{
    h->count = h->next = 0;
    h->size = INFINITY;
    h->known = false;
}

static bool begin(history *h, const product_sweeps *w, thud_arena *arena)
{
    h->p = push(arena, w->n);
    h->from = push(arena, w->n);
    h->g = push(arena, w->n);
    h->f = push(arena, w->n);
    h->y = push(arena, w->length);
    bool good = h->p && h->from && h->g && h->f && h->y;
    for (int k = 0; k < MEMORY; k++) {
        h->dF[k] = push(arena, w->n);
        h->dG[k] = push(arena, w->n);
        h->dY[k] = push(arena, w->length);
        good = good && h->dF[k] && h->dG[k] && h->dY[k];
    }
    forget(h);
    return good;
}

THUD_KERNEL static double weighed(int n, const double *w, const double *a, const double *b) // a . diag(w) b
{
    double sum[8] = {0};
    int i = 0;
    for (; i + 8 <= n; i += 8) {
        for (int k = 0; k < 8; k++) {
            sum[k] += w[i + k] * a[i + k] * b[i + k];
        }
    }
    for (; i < n; i++) {
        sum[0] += w[i] * a[i] * b[i];
    }
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

THUD_KERNEL static void subtract_from(int n, const double *restrict a, double *restrict b) // b = a - b
{
    for (int i = 0; i < n; i++) {
        b[i] = a[i] - b[i];
    }
}

// to = a - b, then b = a
THUD_KERNEL static void replace(int n, const double *restrict a, double *restrict b, double *restrict to)
{
    for (int i = 0; i < n; i++) {
        to[i] = a[i] - b[i];
        b[i] = a[i];
    }
}

THUD_KERNEL static void take(int n, double scale, const double *restrict a, double *restrict to)
{
    for (int i = 0; i < n; i++) {
        to[i] -= scale * a[i];
    }
}

// What the sweep from h->from to h->p adds to the memory.
static void remember(history *h, product_sweeps *w)
{
    const int k = h->next, n = w->n;
    h->next = (k + 1) % MEMORY;
    h->count += h->count < MEMORY;
    replace(n, h->from, h->f, h->dF[k]); // from holds the new f
    replace(n, h->p, h->g, h->dG[k]);
    replace(w->length, w->y, h->y, h->dY[k]);
    for (int j = 0; j < h->count; j++) {
        h->A[k][j] = h->A[j][k] = weighed(n, w->weight, h->dF[k], h->dF[j]);
        h->r[j] = weighed(n, w->weight, h->dF[j], h->f);
    }
}

// gamma of the least |f - dF gamma|; a little of the diagonal keeps it from growing where the changes are alike.
static bool combine(const history *h, double *gamma)
{
    static const double LITTLE = 1e-6;
    double L[MEMORY * MEMORY];
    const int count = h->count;
    for (int i = 0; i < count; i++) {
        gamma[i] = h->r[i];
        for (int j = 0; j < count; j++) {
            L[i + j * count] = h->A[i][j] * (i == j ? 1 + LITTLE : 1);
        }
    }
    const thud_mat A = {count, count, count, L};
    if (thud_chol_factor(A) >= 0) {
        return false;
    }
    thud_chol_solve(A, gamma);
    return true;
}

static void accelerate(history *h, product_sweeps *w)
{
    double gamma[MEMORY];
    subtract_from(w->n, h->p, h->from); // f
    const double size = weighed(w->n, w->weight, h->from, h->from);
    if (size > h->size) {
        forget(h);
    }
    h->size = size;
    if (!h->known) {
        memcpy(h->f, h->from, sizeof *h->f * (size_t)w->n);
        memcpy(h->g, h->p, sizeof *h->g * (size_t)w->n);
        memcpy(h->y, w->y, sizeof *h->y * (size_t)w->length);
        h->known = true;
        return;
    }
    remember(h, w);
    if (!combine(h, gamma)) {
        forget(h);
        return;
    }
    for (int k = 0; k < h->count; k++) {
        take(w->n, gamma[k], h->dG[k], h->p);
        take(w->length, gamma[k], h->dY[k], w->y);
    }
}

typedef struct verdict { // the judge's, and what it needs
    double *u, *gap, *p; // rows of c
    double residual;     // of p
} verdict;

// y is made anew on the way: the sweeps' sums drift.
static double judge(product_sweeps *w, const double *p_hat, verdict *v)
{
    product_accumulate(w, p_hat);
    product_velocities(w, p_hat, v->u);
    product_out(w, p_hat, v->p);
    return thud_cone_residual_at(w->c, v->p, v->u, w->trace, v->gap);
}

// Sweeps until the judge is content, the best point in p. Its word costs as much as a sweep or two: it is asked when
// what a sweep changes says that it might be, and now and then.
static int sweep_on(product_sweeps *w, history *h, verdict *v, double tolerance, int most, double *p)
{
    enum { ASK = 64 };
    double goal = tolerance * thud_norm2(w->c->rows, w->c->b);
    int sweeps = 0, asked = 0;
    while (v->residual > tolerance && sweeps < most) {
        memcpy(h->from, h->p, sizeof *h->p * (size_t)w->n);
        const double change = sqrt(product_sweep(w, h->p));
        sweeps++;
        if (change <= goal || sweeps - asked == ASK || sweeps == most) {
            asked = sweeps;
            const double residual = judge(w, h->p, v);
            goal = residual > 0 ? fmin(goal, 0.9 * change * tolerance / residual) : goal;
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
    verdict v = {push(scratch, c->rows), push(scratch, c->rows), push(scratch, c->rows), NAN};
    if (v.u && v.gap && v.p && product_build(c, S, scratch, &w) && begin(&h, &w, scratch)) {
        w.near = fmax(0.01 * o->tolerance, 1e-14);
        product_in(&w, p, h.p);
        v.residual = judge(&w, h.p, &v);
        r.iterations =
            sweep_on(&w, &h, &v, 0.5 * o->tolerance, o->max_iterations > 0 ? o->max_iterations : SWEEPS, p);
        r.residual = v.residual;
        r.outcome = v.residual <= o->tolerance ? THUD_CONE_SOLVED
                    : isfinite(v.residual)     ? THUD_CONE_ITERATION_LIMIT
                                               : THUD_CONE_NOT_FINITE;
    }
    thud_arena_release(scratch, mark);
    return r;
}
