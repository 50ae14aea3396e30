// SPDX-License-Identifier: Apache-2.0
// lu_small.c: LU factors of at most LU_SMALL rows, four at a time.
//
// Such matrices are factored by the thousand, and half of what that takes is not arithmetic: ends of columns that do not fill
// a register, rows that are searched and swapped. Rows and columns are multiples of four, in a copy that a unit matrix in the
// corner makes so where they are not. Right-looking in panels of four columns, whose uppermost four rows of L are kept apart with
// zeros where U is: whole registers do for them, too. Right of the panel four columns are updated at once.
//
// Differs  from partial pivoting: the diagonal is the pivot unless it is below a tenth of its column [Duff, Erisman & Reid,
//          Direct Methods for Sparse Matrices, 5.4]. Rows of contacts are nearly symmetric and seldom need another.
// Cost     2 n^3 / 3 flops, one instruction for two of them from n = 30 on.
#include <math.h>
#include <string.h>

#include "fours.h"
#include "lu_small.h"

static const double LARGER = 10; // than the diagonal

static const four_of_bits BELOW[FOUR] = {{0, -1, -1, -1}, {0, 0, -1, -1}, {0, 0, 0, -1}, {0}}; // the diagonal

static const four_of_bits SIZE = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX}; // all but the sign

// Columns k0 to k0 + 3 of A, and what they have of L in rows k0 to k0 + 3, 0 elsewhere.
typedef struct panel {
    double *A;
    int stride, n, k0;
    four corner[FOUR];
} panel;

THUD_INSIDE double *column_of(const panel *x, int j)
{
    return x->A + (size_t)j * (size_t)x->stride;
}

// The rows of L beneath the diagonal of one of the panel's columns, its own in rows k0 to k0 + 3.
THUD_INSIDE void keep_corner(panel *x, int own)
{
    const four_of_bits top = (four_of_bits)*of(column_of(x, x->k0 + own), x->k0);
    x->corner[own] = (four)(top & BELOW[own]);
}

// Rows k0 to k0 + 3 of U in a column right of the panel; u: each of them four times.
THUD_INSIDE void substitute(const panel *x, double *c, four u[FOUR])
{
    const four top = *of(c, x->k0);
    four sum = {0}, left = top;
    for (int j = 0; j < FOUR - 1; j++) {
        u[j] = (four){left[j], left[j], left[j], left[j]};
        sum += x->corner[j] * u[j];
        left = top - sum;
    }
    u[FOUR - 1] = (four){left[3], left[3], left[3], left[3]};
    *at(c, x->k0) = left;
}

// The panel's columns left of one of its own to that, of which rows k0 to k0 + 3 go into *top as well. true: what is left of it has a
// number beneath the diagonal that is too large for it.
THUD_INSIDE bool eliminate(const panel *x, int own, double *c, four *top)
{
    const int n = x->n;
    const double *l = column_of(x, x->k0);
    four u[FOUR], left = *of(c, x->k0);
    for (int j = 0; j < own; j++) {
        u[j] = (four){left[j], left[j], left[j], left[j]};
        left -= x->corner[j] * u[j];
    }
    *top = *at(c, x->k0) = left;
    const double most = fabs(left[own]) * LARGER;
    four_of_bits larger = (FOURS_ONLY(SIZE, left) > most) & BELOW[own];
    for (int i = x->k0 + FOUR; i < n; i += FOUR) {
        four rest = *of(c, i);
        for (int j = 0; j < own; j++) {
            rest -= *of(l + j * x->stride, i) * u[j];
        }
        if (own > 0) {
            *at(c, i) = rest;
        }
        larger |= FOURS_ONLY(SIZE, rest) > most;
    }
    return (larger[0] | larger[1] | larger[2] | larger[3]) != 0;
}

// The largest of column k to the diagonal, and all of its row: where it was.
static int bring_largest(double *A, int stride, int n, int k)
{
    const double *c = A + (size_t)k * (size_t)stride;
    int best = k;
    for (int i = k + 1; i < n; i++) {
        best = fabs(c[i]) > fabs(c[best]) ? i : best;
    }
    for (int j = 0; j < n; j++) {
        double *column = A + (size_t)j * (size_t)stride, keep = column[k];
        column[k] = column[best];
        column[best] = keep;
    }
    return best;
}

// One of the panel's columns, to which the columns left of the panel have been applied. false: it is singular.
THUD_INSIDE bool factor_column(panel *x, int own, int *pivot)
{
    const int k = x->k0 + own;
    double *c = column_of(x, k);
    four top;
    pivot[k] = k;
    if (eliminate(x, own, c, &top)) {
        pivot[k] = bring_largest(x->A, x->stride, x->n, k);
        for (int j = 0; j < own; j++) {
            keep_corner(x, j);
        }
        top = *of(c, x->k0);
    }
    if (!(fabs(top[own]) > 0)) {
        return false;
    }
    const double by = 1 / top[own];
    x->corner[own] = FOURS_ONLY(BELOW[own], top * by);
    *at(c, x->k0) = FOURS_SELECT(BELOW[own], x->corner[own], top);
    for (int i = x->k0 + FOUR, n = x->n; i < n; i += FOUR) {
        *at(c, i) *= by;
    }
    return true;
}

// -1, or the first singular one.
THUD_INSIDE int factor_panel(panel *x, int *pivot)
{
    return !factor_column(x, 0, pivot)   ? x->k0
           : !factor_column(x, 1, pivot) ? x->k0 + 1
           : !factor_column(x, 2, pivot) ? x->k0 + 2
           : !factor_column(x, 3, pivot) ? x->k0 + 3
                                         : -1;
}

// Four columns right of the panel: their rows of U, then what is beneath.
THUD_INSIDE void update_four(const panel *x, double *y)
{
    const double *l0 = column_of(x, x->k0), *l1 = l0 + x->stride, *l2 = l1 + x->stride, *l3 = l2 + x->stride;
    four u[FOUR][FOUR];
    for (int j = 0; j < FOUR; j++) {
        substitute(x, y + j * x->stride, u[j]);
    }
    for (int i = x->k0 + FOUR; i < x->n; i += FOUR) {
        const four x0 = *of(l0, i), x1 = *of(l1, i), x2 = *of(l2, i), x3 = *of(l3, i);
        for (int j = 0; j < FOUR; j++) {
            *at(y + j * x->stride, i) -= (x0 * u[j][0] + x1 * u[j][1]) + (x2 * u[j][2] + x3 * u[j][3]);
        }
    }
}

// n rows and columns, a multiple of four.
THUD_KERNEL static int factor_fours(double *A, int stride, int n, int *pivot)
{
    panel x = {.A = A, .stride = stride, .n = n};
    for (; x.k0 < n; x.k0 += FOUR) {
        const int singular = factor_panel(&x, pivot);
        if (singular >= 0) {
            return singular;
        }
        for (int j = x.k0 + FOUR; j < n; j += FOUR) {
            update_four(&x, column_of(&x, j));
        }
    }
    return -1;
}

static int factor_copy(thud_mat A, int *pivot)
{
    const int n = A.rows, padded = (n + FOUR - 1) / FOUR * FOUR;
    const size_t bytes = sizeof(double) * (size_t)n;
    double copy[LU_SMALL * LU_SMALL];
    int swapped[LU_SMALL];
    for (int j = 0; j < padded; j++) {
        double *to = copy + j * padded;
        *at(to, padded - FOUR) = (four){0};
        if (j < n) {
            memcpy(to, A.a + (size_t)j * (size_t)A.stride, bytes);
        } else {
            memset(to, 0, bytes);
            to[j] = 1;
        }
    }
    const int singular = factor_fours(copy, padded, padded, swapped);
    for (int j = 0; j < n; j++) {
        memcpy(A.a + (size_t)j * (size_t)A.stride, copy + j * padded, bytes);
        pivot[j] = swapped[j];
    }
    return singular;
}

int lu_small_factor(thud_mat A, int *pivot)
{
    return A.rows % FOUR == 0 ? factor_fours(A.a, A.stride, A.rows, pivot) : factor_copy(A, pivot);
}
