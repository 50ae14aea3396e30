// SPDX-License-Identifier: Apache-2.0
// velocity_view.c: the problem as W^ = S S^T + diag(soft), for the method in velocities.
//
// Strips of a product are copied. Without strips, S is the pivoted Cholesky factor of W^, as many columns as W^ has rank. Columns
// are numbered from the last to the first: the factor of velocity_factor.c eliminates in that order, and the columns of a tree then
// go from the tips to the root, which fills in along the tree only [Featherstone 2008, 6.5].
#include <math.h>
#include <string.h>

#include <thud/cone_product.h>

#include "velocity.h"

// A row of W^ that the columns found so far explain to this part of its diagonal has no more of its own.
static const double RANK = 1e-13;
// Of the geometric mean of two diagonals: implicit gyroscopic terms make W unsymmetric by far more, rounding by far less.
static const double SYMMETRIC = 1e-12;

static double *numbers(thud_arena *arena, size_t count)
{
    return thud_arena_push(arena, count, sizeof(double));
}

static void take_soft(const cone_work *w, velocity_view *s)
{
    for (int i = 0; i < s->n; i++) {
        s->soft[i] = w->c->epsilon ? w->scale[i] * w->c->epsilon[w->origin[i]] * w->scale[i] : 0;
    }
}

// Room for the columns of all blocks, `most` of each at most.
static bool make_room(const cone_work *w, velocity_view *s, size_t columns, size_t values)
{
    thud_arena *arena = w->arena;
    const size_t blocks = (size_t)s->blocks;
    s->start = thud_arena_push(arena, blocks + 1, sizeof *s->start);
    s->column = thud_arena_push(arena, columns, sizeof *s->column);
    s->at = thud_arena_push(arena, blocks, sizeof *s->at);
    s->repeated = thud_arena_push(arena, blocks, sizeof *s->repeated);
    s->S = numbers(arena, values);
    return s->start && s->column && s->at && s->repeated && s->S;
}

// The columns of block i, from `row` (dim rows of m numbers, whose columns are numbered from the last).
static void put_block(velocity_view *s, int i, int dim, const double *row, size_t *values)
{
    THUD_ASSERT(dim >= 0 && dim <= THUD_CONE_DIM_MAX);
    const int m = s->m;
    int k = s->start[i];
    for (int j = 0; j < m; j++) {
        bool any = false;
        for (int r = 0; r < dim; r++) {
            any = any || row[(size_t)r * (size_t)m + (size_t)j] != 0;
        }
        if (any) {
            s->column[k++] = j;
        }
    }
    s->start[i + 1] = k;
    s->at[i] = *values;
    const int width = velocity_width(s, i), columns = velocity_columns(s, i);
    for (int r = 0; r < dim; r++, *values += (size_t)width) {
        double *to = s->S + *values;
        for (int c = 0; c < width; c++) {
            to[c] = c < columns ? row[(size_t)r * (size_t)m + (size_t)s->column[s->start[i] + c]] : 0;
        }
    }
    const int before = i > 0 ? velocity_columns(s, i - 1) : -1;
    s->repeated[i] = columns == before && memcmp(s->column + s->start[i], s->column + s->start[i - 1],
                                                 sizeof *s->column * (size_t)columns) == 0;
}

// ---------------------------------------------------------------------------------------------- from strips

// The first column of each group that any block uses, and how many columns there are; -1: a group without one.
static int number_columns(const thud_cone_product *S, int blocks, int *first)
{
    int m = 0;
    for (int g = 0; g < S->groups; g++) {
        first[g] = -1;
    }
    for (int k = 0; k < S->start[blocks]; k++) {
        const int g = S->strip[k].group;
        if (first[g] < 0) {
            first[g] = m;
            m += S->column[g + 1] - S->column[g];
        }
    }
    return m;
}

static velocity_made from_strips(const cone_work *w, velocity_view *s)
{
    const thud_cone_product *S = w->c->product;
    int *first = thud_arena_push(w->arena, (size_t)S->groups, sizeof *first);
    if (!first) {
        return VELOCITY_NO_MEMORY;
    }
    s->m = number_columns(S, w->blocks, first);
    if (s->m > VELOCITY_COLUMNS) {
        return VELOCITY_UNSUITED;
    }
    size_t columns = 0, values = 0;
    for (int i = 0; i < w->blocks; i++) {
        size_t own = 0;
        for (int k = S->start[i]; k < S->start[i + 1]; k++) {
            const int g = S->strip[k].group;
            own += (size_t)(S->column[g + 1] - S->column[g]);
        }
        columns += own;
        values += (size_t)w->block[i].dim * (own + FOUR - 1);
    }
    double *row = numbers(w->arena, THUD_CONE_DIM_MAX * (size_t)s->m + 1);
    if (!row || !make_room(w, s, columns, values)) {
        return VELOCITY_NO_MEMORY;
    }
    s->start[0] = 0;
    values = 0;
    for (int i = 0; i < w->blocks; i++) {
        const cone_rows *b = w->block + i;
        memset(row, 0, sizeof *row * (size_t)b->dim * (size_t)s->m);
        for (int k = S->start[i]; k < S->start[i + 1]; k++) {
            const int g = S->strip[k].group, count = S->column[g + 1] - S->column[g];
            for (int r = 0; r < b->dim; r++) {
                const int of = w->origin[b->row + r] - w->c->block[i].row;
                const double *from = S->strip[k].S + (size_t)of * (size_t)count;
                double *to = row + (size_t)r * (size_t)s->m + (s->m - 1 - first[g]);
                for (int c = 0; c < count; c++) {
                    to[-c] += w->scale[b->row + r] * from[c];
                }
            }
        }
        put_block(s, i, b->dim, row, &values);
    }
    return VELOCITY_MADE;
}

// ---------------------------------------------------------------------------------------------- from W

static bool is_symmetric(const cone_work *w)
{
    const int n = w->n;
    for (int j = 0; j < n; j++) {
        const double *a = w->W.a + (size_t)j * (size_t)n;
        for (int i = 0; i < j; i++) {
            const double b = w->W.a[(size_t)j + (size_t)i * (size_t)n];
            const double size = sqrt(fabs(a[j] * w->W.a[(size_t)i * ((size_t)n + 1)]));
            if (!(fabs(a[i] - b) <= SYMMETRIC * size)) {
                return false;
            }
        }
    }
    return true;
}

// The row that the columns so far explain least, in parts of its own diagonal; -1: all are explained.
static int next_pivot(int n, const double *left, const double *own)
{
    int at = -1;
    double most = RANK;
    for (int i = 0; i < n; i++) {
        if (left[i] > most * own[i]) {
            most = left[i] / own[i];
            at = i;
        }
    }
    return at;
}

// L (n x m, column-major) with W^ - diag(soft) = L L^T but for rounding. Returns m; more than VELOCITY_COLUMNS: not finished.
THUD_KERNEL static int factor_pivoted(const cone_work *w, const double *soft, double *L, double *left,
                                      double *own)
{
    THUD_ASSERT(w->W.a && w->n <= VELOCITY_ROWS);
    const int n = w->n;
    for (int i = 0; i < n; i++) {
        own[i] = w->W.a[(size_t)i * ((size_t)n + 1)];
        left[i] = own[i] - soft[i];
    }
    for (int m = 0;; m++) {
        const int q = next_pivot(n, left, own);
        if (q < 0 || m == VELOCITY_COLUMNS) {
            return q < 0 ? m : m + 1;
        }
        double *to = L + (size_t)m * (size_t)n;
        memcpy(to, w->W.a + (size_t)q * (size_t)n, sizeof *to * (size_t)n);
        to[q] -= soft[q];
        for (int k = 0; k < m; k++) {
            const double *a = L + (size_t)k * (size_t)n, x = a[q];
            for (int i = 0; i < n && x != 0; i++) {
                to[i] -= a[i] * x;
            }
        }
        const double root = sqrt(left[q]);
        for (int i = 0; i < n; i++) {
            to[i] = left[i] < 0 ? 0 : to[i] / root; // an earlier pivot
            left[i] -= to[i] * to[i];
        }
        to[q] = root;
        left[q] = -1;
    }
}

static velocity_made from_matrix(const cone_work *w, velocity_view *s)
{
    const size_t n = (size_t)s->n,
                 most = n < VELOCITY_COLUMNS ? n : VELOCITY_COLUMNS; // columns, before they are counted
    double *L = numbers(w->arena, n * most), *left = numbers(w->arena, 2 * n),
           *row = numbers(w->arena, THUD_CONE_DIM_MAX * (most + 1));
    if (!L || !left || !row) {
        return VELOCITY_NO_MEMORY;
    }
    if (!is_symmetric(w)) {
        return VELOCITY_UNSUITED;
    }
    s->m = factor_pivoted(w, s->soft, L, left, left + n);
    if (s->m > VELOCITY_COLUMNS) {
        return VELOCITY_UNSUITED;
    }
    const size_t m = (size_t)s->m;
    if (!make_room(w, s, (size_t)s->blocks * m, n * (m + FOUR - 1))) {
        return VELOCITY_NO_MEMORY;
    }
    s->start[0] = 0;
    size_t values = 0;
    for (int i = 0; i < w->blocks; i++) {
        const cone_rows *b = w->block + i;
        for (int r = 0; r < b->dim; r++) {
            for (size_t j = 0; j < m; j++) {
                row[(size_t)r * m + m - 1 - j] = L[(size_t)(b->row + r) + j * n];
            }
        }
        put_block(s, i, b->dim, row, &values);
    }
    return VELOCITY_MADE;
}

velocity_made velocity_view_make(const cone_work *w, velocity_view *s)
{
    THUD_ASSERT(w->n > 0 && w->blocks > 0);
    *s = (velocity_view){.n = w->n, .blocks = w->blocks, .soft = numbers(w->arena, (size_t)w->n)};
    if (!s->soft) {
        return VELOCITY_NO_MEMORY;
    }
    take_soft(w, s);
    if (w->n > VELOCITY_ROWS) {
        return VELOCITY_UNSUITED;
    }
    return w->c->product ? from_strips(w, s) : w->W.a ? from_matrix(w, s) : VELOCITY_UNSUITED;
}

// ---------------------------------------------------------------------------------------------- products

// Blocks of the same columns share what is gathered from them, or scattered to them.
static void gather(int columns, int width, const int *column, const double *y, double *to)
{
    for (int c = 0; c < columns; c++) {
        to[c] = y[column[c]];
    }
    for (int c = columns; c < width; c++) {
        to[c] = 0;
    }
}

THUD_KERNEL void velocity_view_to_rows(const cone_work *w, const velocity_view *s, const double *y, double *u)
{
    double own[VELOCITY_COLUMNS + FOUR];
    for (int i = 0; i < s->blocks; i++) {
        const cone_rows *b = w->block + i;
        const int width = velocity_width(s, i);
        const double *a = s->S + s->at[i];
        if (!s->repeated[i]) {
            gather(velocity_columns(s, i), width, s->column + s->start[i], y, own);
        }
        for (int r = 0; r < b->dim; r++, a += width) {
            four sum = {0};
            for (int c = 0; c < width; c += FOUR) {
                sum += *fours_of(a + c) * *fours_of(own + c);
            }
            u[b->row + r] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
        }
    }
}

THUD_KERNEL void velocity_view_to_columns(const cone_work *w, const velocity_view *s, const double *p,
                                          double *y)
{
    double own[VELOCITY_COLUMNS + FOUR] = {0};
    memset(y, 0, sizeof *y * (size_t)s->m);
    for (int i = 0; i < s->blocks; i++) {
        const cone_rows *b = w->block + i;
        const int columns = velocity_columns(s, i), width = velocity_width(s, i);
        const int *column = s->column + s->start[i];
        const double *a = s->S + s->at[i];
        for (int r = 0; r < b->dim; r++, a += width) {
            const double x = p[b->row + r];
            for (int c = 0; c < width && x != 0; c += FOUR) {
                *fours_at(own + c) += x * *fours_of(a + c);
            }
        }
        if (i + 1 == s->blocks || !s->repeated[i + 1]) {
            for (int c = 0; c < columns; c++) {
                y[column[c]] += own[c];
            }
            memset(own, 0, sizeof *own * (size_t)width);
        }
    }
}

size_t velocity_scratch(const thud_cone *c)
{
    const size_t n = (size_t)c->rows, blocks = (size_t)c->blocks,
                 most = n < VELOCITY_COLUMNS ? n : VELOCITY_COLUMNS;
    if (n > VELOCITY_ROWS) {
        return 0;
    }
    const size_t groups = c->product ? (size_t)c->product->groups : 0, width = most + FOUR;
    const size_t view = 2 * n * width + 2 * n + (THUD_CONE_DIM_MAX + 1) * width,
                 factor = 2 * width * width + width;
    return (view + factor + 14 * n + 6 * width + blocks * (VELOCITY_BLOCK + 2)) * sizeof(double) +
           (blocks * (width + 4) + groups + width) * sizeof(int) + 40 * 64;
}
