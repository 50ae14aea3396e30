// SPDX-License-Identifier: Apache-2.0
// product_accelerate.c: where the next sweep starts.                                               [theory 7, 9]
//
// With g(p) one sweep and f = g(p) - p, the next sweep starts from g less the combination of the last changes of g
// that would have made f least (Anderson 1965):
//
//     least |f - dF gamma| in the norm of W's diagonal,      p = g - dG gamma,     y = S^T p the same way
//
// Fixed points are those of the sweep. Where f has grown what is remembered is forgotten, so that a plain sweep
// follows. In piles this takes a fifth of the sweeps that plain ones take to 1e-3; two changes do as well as eight there,
// while eight take two thirds of the sweeps of two to 1e-8. Where f stays as it is, no combination makes it less, and the
// contacts that it moves are solved by themselves (product_jam.c) or taken to where it ends (product_drift.c). Where f is
// large at few contacts only, these are swept by themselves (product_focus.c).
//
// Cost     of n rows and m changes 5 m n flops, beside some 50 n of a sweep.
#include <math.h>
#include <string.h>

#include "product.h"

enum { ROWS_A_SHARE = 1024 }; // a multiple of the lanes

typedef struct products { // in the norm of W's diagonal
    double ff;
    double with_f[PRODUCT_MEMORY], with_last[PRODUCT_MEMORY]; // of each change
} products;

typedef struct pass { // over all rows and all of y: what the threads share
    product_sweeps *w;
    product_history *h;
    products *sum; // of each share
    const double *gamma;
    int known; // changes that mean something, the last one among them
} pass;

static int shares_of(const product_sweeps *w)
{
    return (w->padded + ROWS_A_SHARE - 1) / ROWS_A_SHARE;
}

size_t product_partial_numbers(int rows)
{
    return ((size_t)rows / ROWS_A_SHARE + 1) * sizeof(products) / sizeof(double);
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

// ---------------------------------------------------------------------------------------------- memory

static void forget(product_history *h)
{
    h->count = h->last = 0;
    h->known = false;
    h->size = INFINITY;
}

bool product_begin(product_history *h, product_sweeps *w)
{
    double **const rows[] = {&h->p, &h->from, &h->g, &h->f};
    bool good = true;
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        good = (*rows[k] = thud_arena_push(w->arena, (size_t)w->padded, sizeof(double))) && good;
    }
    h->y = thud_arena_push(w->arena, (size_t)w->length, sizeof(double));
    for (int k = 0; k < w->memory; k++) {
        h->dF[k] = thud_arena_push(w->arena, (size_t)w->padded, sizeof(double));
        h->dG[k] = thud_arena_push(w->arena, (size_t)w->padded, sizeof(double));
        h->dY[k] = thud_arena_push(w->arena, (size_t)w->length, sizeof(double));
        good = good && h->dF[k] && h->dG[k] && h->dY[k];
    }
    forget(h);
    h->focused = INFINITY;
    h->pause = 0;
    for (int i = w->n; i < w->padded && good; i++) {
        h->p[i] = h->from[i] = 0; // the others are set before they are read
    }
    return good && h->y;
}

// ---------------------------------------------------------------------------------------------- one pass

// The first f = p - from, and g: there is no change yet.
THUD_KERNEL static void gather_first(const product_sweeps *w, product_history *h, part of, products *sum)
{
    lanes ff = {0};
    for (int i = of.first; i < of.first + of.count; i += PRODUCT_LANES) {
        const lanes point = *(lanes *)(h->p + i), f = point - *(lanes *)(h->from + i);
        *(lanes *)(h->g + i) = point;
        *(lanes *)(h->f + i) = f;
        ff += *(lanes *)(w->weight + i) * f * f;
    }
    sum->ff = LANES_SUM(ff);
}

// f = p - from; the last change of f and of g; f and g become the ones before.
THUD_KERNEL static void gather(const product_sweeps *w, product_history *h, part of, products *sum)
{
    lanes ff = {0}, aa = {0}, af = {0};
    double *const dF = h->dF[h->last], *const dG = h->dG[h->last];
    for (int i = of.first; i < of.first + of.count; i += PRODUCT_LANES) {
        const lanes point = *(lanes *)(h->p + i), weight = *(lanes *)(w->weight + i);
        const lanes f = point - *(lanes *)(h->from + i), a = f - *(lanes *)(h->f + i);
        *(lanes *)(dG + i) = point - *(lanes *)(h->g + i);
        *(lanes *)(h->g + i) = point;
        *(lanes *)(h->f + i) = f;
        *(lanes *)(dF + i) = a;
        ff += weight * f * f;
        aa += weight * a * a;
        af += weight * a * f;
    }
    sum->ff = LANES_SUM(ff);
    sum->with_f[h->last] = LANES_SUM(af);
    sum->with_last[h->last] = LANES_SUM(aa);
}

// An earlier change with f and with the last one.
THUD_KERNEL static void compare(const product_sweeps *w, const product_history *h, part of, int k,
                                products *sum)
{
    lanes ab = {0}, bf = {0};
    for (int i = of.first; i < of.first + of.count; i += PRODUCT_LANES) {
        const lanes weighed = *(lanes *)(w->weight + i) * *(lanes *)(h->dF[k] + i);
        ab += weighed * *(lanes *)(h->dF[h->last] + i);
        bf += weighed * *(lanes *)(h->f + i);
    }
    sum->with_f[k] = LANES_SUM(bf);
    sum->with_last[k] = LANES_SUM(ab);
}

// to = a - b, then b = a
THUD_KERNEL static void replace(part of, const double *restrict a, double *restrict b, double *restrict to)
{
    for (int i = of.first; i < of.first + of.count; i++) {
        to[i] = a[i] - b[i];
        b[i] = a[i];
    }
}

THUD_KERNEL static void take(part of, double scale, const double *restrict a, double *restrict to)
{
    for (int i = of.first; i < of.first + of.count; i++) {
        to[i] -= scale * a[i];
    }
}

static void gather_shares(void *of, int first, int end, int worker)
{
    const pass *x = of;
    (void)worker;
    for (int share = first; share < end; share++) {
        const part rows = rows_of(x->w, share), groups = groups_of(x->w, share);
        if (!x->h->known) {
            gather_first(x->w, x->h, rows, x->sum + share);
            memcpy(x->h->y + groups.first, x->w->y + groups.first, sizeof(double) * (size_t)groups.count);
            continue;
        }
        gather(x->w, x->h, rows, x->sum + share);
        for (int k = 0; k < x->known; k++) {
            if (k != x->h->last) {
                compare(x->w, x->h, rows, k, x->sum + share);
            }
        }
        replace(groups, x->w->y, x->h->y, x->h->dY[x->h->last]);
    }
}

static products gather_all(pass *x)
{
    const int shares = shares_of(x->w);
    products all = {0};
    thud_pool_run(x->w->pool, shares, 1, gather_shares, x);
    for (int share = 0; share < shares; share++) {
        const products *s = x->sum + share;
        all.ff += s->ff;
        for (int k = 0; k < x->known; k++) {
            all.with_f[k] += s->with_f[k];
            all.with_last[k] += s->with_last[k];
        }
    }
    return all;
}

static void take_shares(void *of, int first, int end, int worker)
{
    const pass *x = of;
    const product_history *h = x->h;
    (void)worker;
    for (int share = first; share < end; share++) {
        for (int k = 0; k < h->count; k++) {
            take(rows_of(x->w, share), x->gamma[k], h->dG[k], h->p);
            take(groups_of(x->w, share), x->gamma[k], h->dY[k], x->w->y);
        }
    }
}

// ---------------------------------------------------------------------------------------------- the combination

// gamma of the least |f - dF gamma|; a little of the diagonal keeps it from growing where the changes are alike.
static bool combine(const product_history *h, const products *x, double gamma[PRODUCT_MEMORY])
{
    static const double LITTLE = 1e-6;
    double square[PRODUCT_MEMORY * PRODUCT_MEMORY];
    const thud_mat A = {h->count, h->count, h->count, square};
    for (int j = 0; j < h->count; j++) {
        gamma[j] = x->with_f[j];
        for (int i = 0; i < h->count; i++) {
            square[i + j * h->count] = (i == j ? 1 + LITTLE : 1) * h->square[i][j];
        }
    }
    if (thud_chol_factor(A) >= 0) {
        return false;
    }
    thud_chol_solve(A, gamma);
    return true;
}

static void remember(product_history *h, const product_sweeps *w, const products *x)
{
    for (int k = 0; k < h->count; k++) {
        h->square[k][h->last] = h->square[h->last][k] = x->with_last[k];
    }
    h->last = (h->last + 1) % w->memory;
}

// After a sweep with |f|^2 = size: sweeps over a part, as long as the ones before it were of use.
static bool look_closer(product_history *h, product_sweeps *w, double size)
{
    enum { PAUSE = 3 };
    static const double USEFUL = 0.5;
    if (h->pause > 0) {
        h->pause--;
        return false;
    }
    const bool useful = size < USEFUL * h->focused;
    h->focused = useful ? size : INFINITY;
    if (useful && product_focus(w, h->p)) {
        return true;
    }
    h->pause = PAUSE;
    return false;
}

void product_accelerate(product_history *h, product_sweeps *w)
{
    static const double ALIKE = 0.003; // f and the f before
    const int most = h->count < w->memory ? h->count + 1 : w->memory;
    pass all = {.w = w, .h = h, .sum = (products *)(void *)w->partial, .known = h->known ? most : 0};
    const products x = gather_all(&all);
    const bool alike = h->known && x.with_last[h->last] <= ALIKE * ALIKE * x.ff;
    if ((alike && (product_free(w, h->p) || product_drift(w, h->g, h->f, h->p))) ||
        (w->local && look_closer(h, w, x.ff))) {
        forget(h);
        return;
    }
    const bool grown = !(x.ff <= h->size);
    if (grown || !h->known) {
        forget(h);
    } else {
        double gamma[PRODUCT_MEMORY];
        h->count = most;
        remember(h, w, &x);
        if (combine(h, &x, gamma)) {
            all.gamma = gamma;
            thud_pool_run(w->pool, shares_of(w), 2, take_shares, &all);
        }
    }
    h->known = true;
    h->size = x.ff;
}
