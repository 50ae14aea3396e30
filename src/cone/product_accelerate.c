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
// while eight take two thirds of the sweeps of two to 1e-8.
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
    const int64_t shares = shares_of(w), fours = w->length / PRODUCT_LANES;
    const int first = (int)(fours * share / shares), end = (int)(fours * (share + 1) / shares);
    return (part){first * PRODUCT_LANES, (end - first) * PRODUCT_LANES};
}

// ---------------------------------------------------------------------------------------------- memory

void product_forget(product_history *h)
{
    h->count = h->last = 0;
    h->known = false;
    h->size = INFINITY;
}

// Zeros beyond the last row: the others are set before they are read. NULL: no room.
static double *push_rows(const product_sweeps *w)
{
    double *x = thud_arena_push(w->arena, (size_t)w->padded, sizeof *x);
    for (int i = w->n; i < w->padded && x; i++) {
        x[i] = 0;
    }
    return x;
}

bool product_begin(product_history *h, product_sweeps *w)
{
    THUD_ASSERT(0 < w->memory && w->memory <= PRODUCT_MEMORY);
    h->p = push_rows(w);
    h->from = push_rows(w);
    bool good = h->p && h->from;
    for (int k = 0; k <= w->memory; k++) {
        h->f[k] = push_rows(w);
        h->g[k] = push_rows(w);
        h->y[k] = thud_arena_push(w->arena, (size_t)w->length, sizeof(double));
        good = good && h->f[k] && h->g[k] && h->y[k];
    }
    product_forget(h);
    h->focused = INFINITY;
    h->pause = 0;
    return good;
}

// The first becomes the second, and so on; returns the last, which is needed no more and to be the first.
static double *shift(double **x, int memory)
{
    THUD_ASSERT(memory <= PRODUCT_MEMORY);
    double *const last = x[memory];
    memmove(x + 1, x, sizeof *x * (size_t)memory);
    return last;
}

// The point that a sweep led to is remembered; where the next one starts from is to be set.
static void keep_point(product_history *h, product_sweeps *w)
{
    double *const spare = shift(h->g, w->memory), *const y = shift(h->y, w->memory);
    h->g[0] = h->p;
    h->p = h->from; // f has been taken of it
    h->from = spare;
    h->y[0] = w->y;
    w->y = y;
}

// How many sweeps before the last one change k was made: it is what that sweep has, less what the one before it has.
static int age_of(const product_history *h, const product_sweeps *w, int k)
{
    THUD_ASSERT(0 <= k && k < PRODUCT_MEMORY);
    return (h->last - k + w->memory) % w->memory;
}

// ---------------------------------------------------------------------------------------------- one pass

// The first f = p - from: there is no change yet.
THUD_KERNEL static void gather_first(const product_sweeps *w, const product_history *h, part of,
                                     products *sum)
{
    lanes ff = {0};
    for (int i = of.first; i < of.first + of.count; i += PRODUCT_LANES) {
        const lanes f = *(lanes *)(h->p + i) - *(lanes *)(h->from + i);
        *(lanes *)(h->f[0] + i) = f;
        ff += *(lanes *)(w->weight + i) * f * f;
    }
    sum->ff = LANES_SUM(ff);
}

// f = p - from, and its last change.
THUD_KERNEL static void gather(const product_sweeps *w, const product_history *h, part of, products *sum)
{
    lanes ff = {0}, aa = {0}, af = {0};
    for (int i = of.first; i < of.first + of.count; i += PRODUCT_LANES) {
        const lanes weight = *(lanes *)(w->weight + i);
        const lanes f = *(lanes *)(h->p + i) - *(lanes *)(h->from + i), a = f - *(lanes *)(h->f[1] + i);
        *(lanes *)(h->f[0] + i) = f;
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
    const double *const newer = h->f[age_of(h, w, k)], *const older = h->f[age_of(h, w, k) + 1];
    lanes ab = {0}, bf = {0};
    for (int i = of.first; i < of.first + of.count; i += PRODUCT_LANES) {
        const lanes f = *(lanes *)(h->f[0] + i),
                    change = *(const lanes *)(newer + i) - *(const lanes *)(older + i);
        const lanes weighed = *(lanes *)(w->weight + i) * change;
        ab += weighed * (f - *(lanes *)(h->f[1] + i));
        bf += weighed * f;
    }
    sum->with_f[k] = LANES_SUM(bf);
    sum->with_last[k] = LANES_SUM(ab);
}

static void gather_shares(void *of, int first, int end, int worker)
{
    const pass *x = of;
    (void)worker;
    for (int share = first; share < end; share++) {
        const part rows = rows_of(x->w, share);
        if (!x->h->known) {
            gather_first(x->w, x->h, rows, x->sum + share);
            continue;
        }
        gather(x->w, x->h, rows, x->sum + share);
        for (int k = 0; k < x->known; k++) {
            if (k != x->h->last) {
                compare(x->w, x->h, rows, k, x->sum + share);
            }
        }
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

typedef struct combination { // of the last changes of a vector
    int count;
    double scale[PRODUCT_MEMORY];
    const double *newer[PRODUCT_MEMORY], *older[PRODUCT_MEMORY];
} combination;

static combination changes_of(const pass *x, double *const *of)
{
    combination c = {.count = x->gamma ? x->h->count : 0};
    for (int k = 0; k < c.count; k++) {
        const int age = age_of(x->h, x->w, k);
        c.scale[k] = x->gamma[k];
        c.newer[k] = of[age];
        c.older[k] = of[age + 1];
    }
    return c;
}

// to = a less count changes
THUD_INSIDE void take_some(part of, const combination *c, int count, const double *a, double *to)
{
    for (int i = of.first; i < of.first + of.count; i += PRODUCT_LANES) {
        lanes x = *(const lanes *)(a + i);
        for (int k = 0; k < count; k++) {
            x -= c->scale[k] * (*(const lanes *)(c->newer[k] + i) - *(const lanes *)(c->older[k] + i));
        }
        *(lanes *)(to + i) = x;
    }
}

THUD_KERNEL static void take(part of, const combination *c, const double *a, double *to)
{
    if (c->count == 2) { // most often, without a loop
        take_some(of, c, 2, a, to);
    } else {
        take_some(of, c, c->count, a, to);
    }
}

static void take_shares(void *of, int first, int end, int worker)
{
    const pass *x = of;
    const product_history *h = x->h;
    const combination g = changes_of(x, h->g), y = changes_of(x, h->y);
    (void)worker;
    for (int k = first; k < end; k++) {
        const int share = shares_of(x->w) - 1 - k; // the last ones were just gathered, and are at hand
        take(rows_of(x->w, share), &g, h->g[0], h->p);
        take(groups_of(x->w, share), &y, h->y[0], x->w->y);
    }
}

// ---------------------------------------------------------------------------------------------- the combination

// gamma of the least |f - dF gamma|; a little of the diagonal keeps it from growing where the changes are alike.
static bool combine(const product_history *h, double gamma[PRODUCT_MEMORY])
{
    static const double LITTLE = 1e-6;
    double square[PRODUCT_MEMORY * PRODUCT_MEMORY];
    const thud_mat A = {h->count, h->count, h->count, square};
    for (int j = 0; j < h->count; j++) {
        gamma[j] = h->with_f[j];
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

static int known(const product_history *h, const product_sweeps *w) // changes, the last one among them
{
    return h->count < w->memory ? h->count + 1 : w->memory;
}

static void remember(product_history *h)
{
    for (int k = 0; k < h->count; k++) {
        h->square[k][h->last] = h->square[h->last][k] = h->with_last[k];
    }
}

bool product_measure(product_history *h, product_sweeps *w)
{
    static const double ALIKE = 0.003; // f and the f before
    pass all = {.w = w, .h = h, .sum = (products *)(void *)w->partial, .known = h->known ? known(h, w) : 0};
    h->f[0] = shift(h->f, w->memory);
    const products x = gather_all(&all);
    h->now = x.ff;
    memcpy(h->with_f, x.with_f, sizeof x.with_f);
    memcpy(h->with_last, x.with_last, sizeof x.with_last);
    return h->known && x.with_last[h->last] <= ALIKE * ALIKE * x.ff;
}

void product_accelerate(product_history *h, product_sweeps *w)
{
    double gamma[PRODUCT_MEMORY];
    pass all = {.w = w, .h = h};
    const bool grown = !(h->now <= h->size), again = h->known && !grown;
    if (again) {
        h->count = known(h, w);
        remember(h);
        all.gamma = combine(h, gamma) ? gamma : NULL;
    } else {
        product_forget(h);
    }
    keep_point(h, w);
    thud_pool_run(w->pool, shares_of(w), 2, take_shares, &all);
    h->last = again ? (h->last + 1) % w->memory : 0;
    h->known = true;
    h->size = h->now;
}
