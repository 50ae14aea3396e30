// SPDX-License-Identifier: Apache-2.0
// lu_small.c: LU factors of at most LU_SMALL rows, in a copy that fits registers.
//
// Such matrices are factored by the thousand, and half of what that takes is not arithmetic: ends of columns that do not fill
// a register, rows that are searched and swapped. The copy has columns of fixed length, and a unit matrix in the corner makes
// rows and columns multiples of four. Right-looking in panels of four columns; right of them two columns are updated at once.
//
// Differs  from partial pivoting: the diagonal is the pivot unless it is below a tenth of its column [Duff, Erisman & Reid,
//          Direct Methods for Sparse Matrices, 5.4]. Rows of contacts are nearly symmetric and seldom need another.
// Cost     2 n^3 / 3 flops, one instruction for three of them from n = 20 on.
#include <math.h>
#include <string.h>

#include "lu_small.h"

enum { FOUR = 4, LENGTH = LU_SMALL + FOUR }; // of a column: not a power of two, which would crowd the cache

static const double THRESHOLD = 0.1;

typedef double four __attribute__((vector_size(FOUR * sizeof(double)))); // rows of a column, side by side
typedef four four_of_numbers __attribute__((aligned(sizeof(double)), may_alias));
typedef int64_t four_of_bits __attribute__((vector_size(FOUR * sizeof(int64_t))));

THUD_INSIDE four_of_numbers *at(double *column, int row)
{
    return (four_of_numbers *)(column + row);
}

THUD_INSIDE const four_of_numbers *of(const double *column, int row)
{
    return (const four_of_numbers *)(column + row);
}

// Is one of rows first to n - 1 of a column larger than `most`?
THUD_INSIDE bool exceeds(const double *c, int first, int n, double most)
{
    bool above = false;
    four_of_bits beyond = {0};
    int i = first;
    for (; i % FOUR != 0; i++) {
        above = above || fabs(c[i]) > most;
    }
    for (; i < n; i += FOUR) {
        beyond |= (*of(c, i) > most) | (*of(c, i) < -most);
    }
    return above || (beyond[0] | beyond[1] | beyond[2] | beyond[3]) != 0;
}

THUD_INSIDE int choose_pivot(const double *c, int k, int n)
{
    int best = k;
    if (exceeds(c, k + 1, n, fabs(c[k]) / THRESHOLD)) {
        for (int i = k + 1; i < n; i++) {
            best = fabs(c[i]) > fabs(c[best]) ? i : best;
        }
    }
    return best;
}

static void swap_rows(double *A, int i, int k, int n)
{
    for (double *column = A; i != k && column < A + n * LENGTH; column += LENGTH) {
        const double keep = column[i];
        column[i] = column[k];
        column[k] = keep;
    }
}

// c -= l u, beneath row `first`.
THUD_INSIDE void subtract(const double *l, double u, double *c, int first, int n)
{
    int i = first;
    for (; i % FOUR != 0; i++) {
        c[i] -= l[i] * u;
    }
    for (; i < n; i += FOUR) {
        *at(c, i) -= *of(l, i) * u;
    }
}

THUD_INSIDE void scale(double *c, double by, int first, int n)
{
    int i = first;
    for (; i % FOUR != 0; i++) {
        c[i] *= by;
    }
    for (; i < n; i += FOUR) {
        *at(c, i) *= by;
    }
}

// Columns k0 to k0 + 3, to which the columns left of them have been applied. -1, or the first singular one.
THUD_INSIDE int factor_panel(double *A, int k0, int n, int *pivot)
{
    for (int k = k0; k < k0 + FOUR; k++) {
        double *c = A + k * LENGTH;
        for (int j = k0; j < k; j++) {
            subtract(A + j * LENGTH, c[j], c, j + 1, n);
        }
        pivot[k] = choose_pivot(c, k, n);
        if (!(fabs(c[pivot[k]]) > 0)) {
            return k;
        }
        swap_rows(A, k, pivot[k], n);
        scale(c, 1 / c[k], k + 1, n);
    }
    return -1;
}

// Rows k0 to k0 + 3 of U, by substitution with the panel's unit L.
THUD_INSIDE void substitute(const double *panel, double *y)
{
    const double *l0 = panel, *l1 = l0 + LENGTH, *l2 = l1 + LENGTH;
    y[1] -= l0[1] * y[0];
    y[2] -= l0[2] * y[0] + l1[2] * y[1];
    y[3] -= l0[3] * y[0] + l1[3] * y[1] + l2[3] * y[2];
}

// Two columns right of the panel: their rows of U, then what is beneath.
THUD_INSIDE void update_two(const double *A, int k0, int n, double *y, double *z)
{
    const double *l0 = A + k0 * LENGTH, *l1 = l0 + LENGTH, *l2 = l1 + LENGTH, *l3 = l2 + LENGTH;
    substitute(l0 + k0, y + k0);
    substitute(l0 + k0, z + k0);
    const double a0 = y[k0], a1 = y[k0 + 1], a2 = y[k0 + 2], a3 = y[k0 + 3];
    const double b0 = z[k0], b1 = z[k0 + 1], b2 = z[k0 + 2], b3 = z[k0 + 3];
    for (int i = k0 + FOUR; i < n; i += FOUR) {
        const four x0 = *of(l0, i), x1 = *of(l1, i), x2 = *of(l2, i), x3 = *of(l3, i);
        *at(y, i) -= (x0 * a0 + x1 * a1) + (x2 * a2 + x3 * a3);
        *at(z, i) -= (x0 * b0 + x1 * b1) + (x2 * b2 + x3 * b3);
    }
}

THUD_INSIDE int factor_copy(double *A, int n, int *pivot)
{
    for (int k0 = 0; k0 < n; k0 += FOUR) {
        const int singular = factor_panel(A, k0, n, pivot);
        if (singular >= 0) {
            return singular;
        }
        for (int j = k0 + FOUR; j < n; j += 2) {
            update_two(A, k0, n, A + j * LENGTH, A + (j + 1) * LENGTH);
        }
    }
    return -1;
}

THUD_INSIDE void copy_column(const double *from, double *to, int n)
{
    int i = 0;
    for (; i + FOUR <= n; i += FOUR) {
        *at(to, i) = *of(from, i);
    }
    for (; i < n; i++) {
        to[i] = from[i];
    }
}

THUD_KERNEL int lu_small_factor(thud_mat A, int *pivot)
{
    const int n = A.rows, padded = (n + FOUR - 1) / FOUR * FOUR;
    double copy[LU_SMALL * LENGTH];
    int swapped[LU_SMALL];
    for (int j = 0; j < n; j++) {
        *at(copy + j * LENGTH, padded - FOUR) = (four){0};
        copy_column(A.a + (size_t)j * (size_t)A.stride, copy + j * LENGTH, n);
    }
    for (int j = n; j < padded; j++) {
        memset(copy + j * LENGTH, 0, sizeof *copy * (size_t)padded);
        copy[j * LENGTH + j] = 1;
    }
    const int singular = factor_copy(copy, padded, swapped);
    for (int j = 0; j < n; j++) {
        copy_column(copy + j * LENGTH, A.a + (size_t)j * (size_t)A.stride, n);
        pivot[j] = swapped[j];
    }
    return singular;
}
