// SPDX-License-Identifier: Apache-2.0
// small_step.c: the Newton step of a small problem (cone_small.c): linear system, factors, move.               [theory 7, 9]
//
// Rows and columns of J are padded to a multiple of four by a unit matrix in the corner, so that kernels use whole registers. Copies
// write whole fours too; numbers behind the end are overwritten or cleared later.
#include <math.h>
#include <string.h>

#include "cone_small.h"

// ---------------------------------------------------------------------------------------------- u

enum { TILE = 4 }; // fours of rows that are summed at once

// The operands of u = b + W p + epsilon shape p: n columns of W, in groups of three columns where a contact has three rows.
typedef struct product {
    const double *p;
    int n, groups;
    const int *group;
    double epsilon;
} product;

// u <- b + W p + epsilon shape p of some rows, which begin at `row`.
THUD_INSIDE void multiply(int fours, const product *x, const cone_work *w, int row, double *u)
{
    const double *W = w->W.a + row;
    const int n = x->n;
    four sum[TILE];
    for (int i = 0; i < fours; i++) {
        sum[i] = *fours_of(w->b + row + FOUR * i);
    }
    for (const int *j = x->group, *end = j + x->groups; j < end; j++) {
        const double *a0 = W + (size_t)*j * (size_t)n, *a1 = a0 + n, *a2 = a1 + n, *p = x->p + *j;
        for (int i = 0; i < fours; i++) {
            sum[i] += *fours_of(a0 + FOUR * i) * p[0] + *fours_of(a1 + FOUR * i) * p[1] +
                      *fours_of(a2 + FOUR * i) * p[2];
        }
    }
    for (int j = n / 3 * 3; j < n; j++) {
        for (int i = 0; i < fours; i++) {
            sum[i] += *fours_of(W + (size_t)j * (size_t)n + FOUR * i) * x->p[j];
        }
    }
    for (int i = 0; i < fours; i++) {
        const int k = row + FOUR * i;
        *fours_at(u + k) = sum[i] + x->epsilon * *fours_of(w->shape + k) * *fours_of(x->p + k);
    }
}

// Three columns whose impulses are not all 0; of few rows all, which costs no more than to look.
THUD_INSIDE int find_groups(int n, const double *p, int *group)
{
    enum { FEW = TILE * FOUR };
    int groups = 0;
    for (int j = 0; j + 3 <= n; j += 3) {
        group[groups] = j;
        groups += n <= FEW || p[j] != 0 || p[j + 1] != 0 || p[j + 2] != 0;
    }
    return groups;
}

// Rows are read and written up to the next multiple of four: there is room behind b, W, the shape and p.
THUD_KERNEL void small_velocity(small *s, const double *p)
{
    const cone_work *w = s->w;
    const int n = w->n;
    int group[MOST_ROWS / 3 + 1], i = 0;
    const product x = {p, n, find_groups(n, p, group), group, s->proximal ? 0 : s->epsilon};
    for (; i + (TILE - 1) * FOUR < n; i += TILE * FOUR) {
        multiply(TILE, &x, w, i, s->u);
    }
    if (i + 2 * FOUR < n) {
        multiply(3, &x, w, i, s->u);
    } else if (i + FOUR < n) {
        multiply(2, &x, w, i, s->u);
    } else if (i < n) {
        multiply(1, &x, w, i, s->u);
    }
}

// ---------------------------------------------------------------------------------------------- J

THUD_INSIDE double *column_of(const small *s, int j)
{
    return s->J.a + (size_t)j * (size_t)s->J.stride;
}

THUD_INSIDE const double *column_of_W(const small *s, int j)
{
    return s->w->W.a + (size_t)j * (size_t)s->w->n;
}

// One of the rows that are unknown one by one. Where nothing slides J is symmetric, and only its lower triangle is made.
THUD_INSIDE void put_free(const small *s, const stretch *own, int k)
{
    const int row = own->row + k, at = own->at + k;
    const double *W = column_of_W(s, row);
    double *J = column_of(s, at);
    if (s->slides > 0) {
        small_project(s, W, J);
    } else {
        small_copy(own->count - k, W + row, J + at);
        for (const stretch *x = own + 1; x < s->stretch + s->stretches; x++) {
            small_copy(x->count, W + x->row, J + x->at);
        }
    }
    J[at] += s->epsilon * s->w->shape[row];
}

// Three columns of W times (1, d) and (0, e), in rows that are unknown one by one; whole fours, as above, so first the one, then
// the other.
THUD_INSIDE void combine(const small *s, const double *W, const slide *own, double *along, double *around)
{
    const size_t n = (size_t)s->w->n;
    const double d0 = own->d0, d1 = own->d1;
    const stretch *end = s->stretch + s->stretches;
    for (const stretch *x = s->stretch; x < end; x++) {
        const double *a = W + x->row, *b = a + n, *c = b + n;
        double *to = along + x->at;
        for (int i = 0; i < x->count; i += FOUR) {
            *fours_at(to + i) = *fours_of(a + i) + *fours_of(b + i) * d0 + *fours_of(c + i) * d1;
        }
    }
    for (const stretch *x = s->stretch; x < end; x++) {
        const double *b = W + n + x->row, *c = b + n;
        double *to = around + x->at;
        for (int i = 0; i < x->count; i += FOUR) {
            *fours_at(to + i) = *fours_of(c + i) * d0 - *fours_of(b + i) * d1;
        }
    }
}

// The same in the rows of what slides. The fourth number is the next block's, or room that W has at its end.
THUD_INSIDE void combine_pairs(const small *s, const double *W, const slide *own, double *restrict along,
                               double *restrict around)
{
    const size_t n = (size_t)s->w->n;
    const double d0 = own->d0, d1 = own->d1, *Wb = W + n, *Wc = Wb + n;
    for (const slide *x = s->slide, *end = x + s->slides; x < end; x++) {
        const size_t row = (size_t)x->row, at = (size_t)x->at;
        const four a = *fours_of(W + row), b = *fours_of(Wb + row), c = *fours_of(Wc + row);
        const four v = a + b * d0 + c * d1, w = c * d0 - b * d1;
        along[at] = v[0];
        along[at + 1] = x->d0 * v[2] - x->d1 * v[1];
        around[at] = w[0];
        around[at + 1] = x->d0 * w[2] - x->d1 * w[1];
    }
}

// The compliance and lambda in its own rows.
THUD_INSIDE void stiffen_own(const small *s, slide *x, double *along, double *around)
{
    const double *u = s->u + x->row, *shape = s->w->shape + x->row;
    const double lambda = -(x->d0 * u[1] + x->d1 * u[2]) / s->y[x->row];
    along[x->at] += s->epsilon * shape[0];
    along[x->at + 1] += s->epsilon * (shape[2] - shape[1]) * x->d0 * x->d1;
    x->own = around[x->at + 1] + s->epsilon * (shape[1] * x->d1 * x->d1 + shape[2] * x->d0 * x->d0);
    x->lambda = lambda > 0 ? lambda : 0;
    around[x->at + 1] = x->own + x->lambda;
}

THUD_INSIDE void put_sliding(const small *s, slide *own)
{
    double *along = column_of(s, own->at), *around = along + s->J.stride;
    const double *W = column_of_W(s, own->row);
    combine(s, W, own, along, around);
    combine_pairs(s, W, own, along, around);
    stiffen_own(s, own, along, around);
}

// The unit matrix in the corner, and 0 beside it.
THUD_INSIDE void pad(small *s)
{
    static const four_of_bits KEPT[FOUR] = {{-1, -1, -1, -1}, {-1}, {-1, -1}, {-1, -1, -1}};
    const int size = s->size, padded = s->J.rows;
    double *J = s->J.a;
    for (int j = 0; j < size && size < padded; j++, J += padded) {
        four_of_numbers *last = fours_at(J + padded - FOUR);
        *last = FOURS_ONLY(KEPT[size % FOUR], *last);
    }
    for (int j = size; j < padded; j++, J += padded) {
        for (int i = 0; i < padded; i += FOUR) {
            *fours_at(J + i) = (four){0};
        }
        J[j] = 1;
    }
}

// L^T W~ T + diag(0, lambda), column after column: what one writes behind its end the next one writes again.
THUD_KERNEL static void assemble(small *s)
{
    const stretch *sticks = s->stretch;
    slide *slides = s->slide, *end = slides + s->slides;
    s->J.rows = s->J.cols = s->J.stride = (s->size + FOUR - 1) / FOUR * FOUR;
    if (s->wides > 0) {
        small_put_columns(s);
    }
    for (int at = s->wides > 0 ? s->size : 0; at < s->size;) {
        if (slides < end && slides->at == at) {
            put_sliding(s, slides++);
            at += 2;
        } else {
            for (int k = 0; k < sticks->count; k++) {
                put_free(s, sticks, k);
            }
            at += sticks++->count;
        }
    }
    pad(s);
}

bool small_factor(small *s)
{
    THUD_ASSERT(0 <= s->size && s->size <= s->w->n);
    memcpy(s->factored, s->face, sizeof *s->face * (size_t)s->w->blocks);
    assemble(s);
    s->w->factorizations++;
    return (!small_slides(s) ? thud_chol_factor(s->J) : thud_lu_factor(s->J, s->pivot)) < 0;
}

// Do the old factors reach `enough` in fewer flops than new ones cost? With old factors |F| falls each step by about the angle that
// friction has turned since they were made.
bool small_serve(const small *s, double merit, double enough)
{
    enum { FEW = 12, MANY = 24 }; // unknowns
    double most = 0;
    for (int i = 0; i < s->w->blocks; i++) {
        const face *f = s->face + i, *was = s->factored + i;
        double d = f->state == ROWS_SLIDE ? fabs(f->d[0] - was->d[0]) : 0;
        for (int r = 2; f->state == ROWS_SLIDE && r < s->w->block[i].dim; r++) {
            d += fabs(f->d[r - 1] - was->d[r - 1]);
        }
        most = d > most ? d : most;
    }
    const double later = s->size > MANY ? most * most : s->size > FEW ? most : 1;
    return merit * most * later <= enough;
}

THUD_KERNEL bool small_solve(small *s)
{
    small_project(s, s->u, s->x);
    for (int i = s->size; i < s->J.rows; i++) {
        s->x[i] = 0;
    }
    for (int i = 0; i < s->J.rows; i += FOUR) {
        *fours_at(s->x + i) = -*fours_at(s->x + i);
    }
    if (!small_slides(s)) {
        thud_chol_solve(s->J, s->x);
    } else {
        thud_lu_solve(s->J, s->pivot, s->x);
    }
    return thud_all_finite(s->size, s->x);
}

// The factors have lambda = |u_t| / p_n of the step's start; the step around the cone is corrected to the p_n of its end, in the
// contact's own row. Without that old factors serve only as long as p_n stays, which a small p_n does not.
THUD_INSIDE double turn_with(const small *s, const slide *x, double n, double around)
{
    const double *u = s->u + x->row, lambda = -(x->d0 * u[1] + x->d1 * u[2]) / n;
    const bool near = lambda > 0.5 * x->lambda && lambda < 2 * x->lambda;
    return near ? around * (x->own + x->lambda) / (x->own + lambda) : around;
}

THUD_KERNEL void small_advance(const small *s, double length, double *p)
{
    THUD_ASSERT(0 <= length);
    for (const stretch *x = s->stretch; x < s->stretch + s->stretches; x++) {
        for (int i = 0; i < x->count; i++) {
            p[x->row + i] += length * s->x[x->at + i];
        }
    }
    for (const slide *x = s->slide; x < s->slide + s->slides; x++) {
        double *at = p + x->row;
        const double along = length * s->x[x->at], n = at[0] + along,
                     around = turn_with(s, x, n, length * s->x[x->at + 1]);
        const double t1 = at[1] + along * x->d0 - around * x->d1, t2 = at[2] + along * x->d1 + around * x->d0;
        const double size = sqrt(t1 * t1 + t2 * t2);
        at[0] = n;
        at[1] = size > 0 ? n * t1 / size : 0;
        at[2] = size > 0 ? n * t2 / size : 0;
    }
    if (s->wides > 0) {
        small_advance_wide(s, length, p);
    }
}

// p moves along its faces to g = 0. false: the step is not finite.
bool small_move(small *s, double *p)
{
    if (!small_solve(s)) {
        return false;
    }
    small_advance(s, 1, p);
    return true;
}
