// SPDX-License-Identifier: Apache-2.0
// cholesky.c: the Cholesky factor of small dense matrices.
//
// Right-looking in panels of four columns. Where rows are a multiple of four so is every column from its diagonal's four on: no
// loop has an end of its own, and of those four the rows above the diagonal are left as they are. Every column of L is
// subtracted in its turn, so that the bits are those of one by one, either way.
//
// Cost     n^3 / 3 flops.
#include <math.h>

#include "fours.h"

static const four_of_bits FROM[FOUR] = {{-1, -1, -1, -1}, {0, -1, -1, -1}, {0, 0, -1, -1}, {0, 0, 0, -1}};

// Of four numbers of a column those from `own` on.
THUD_INSIDE void put_from(int own, const four *x, double *c)
{
    *at(c, 0) = FOURS_SELECT(FROM[own], *x, *of(c, 0));
}

// c -= L l with the four columns of a panel, l their own row, of four columns at once, in rows from the four on that have their
// diagonals.
THUD_INSIDE void subtract_from_four(const double *L, int stride, int rows, double *c)
{
    const double *l0 = L, *l1 = l0 + stride, *l2 = l1 + stride, *l3 = l2 + stride;
    four a[FOUR][FOUR];
    for (int own = 0; own < FOUR; own++) {
        for (int k = 0; k < FOUR; k++) {
            const double l = L[own + k * stride];
            a[own][k] = (four){l, l, l, l};
        }
    }
    for (int i = 0; i < rows; i += FOUR) {
        const four x0 = *of(l0, i), x1 = *of(l1, i), x2 = *of(l2, i), x3 = *of(l3, i);
        for (int own = 0; own < FOUR; own++) {
            double *y = c + own * stride + i;
            const four rest =
                (((*of(y, 0) - x0 * a[own][0]) - x1 * a[own][1]) - x2 * a[own][2]) - x3 * a[own][3];
            if (i == 0) {
                put_from(own, &rest, y);
            } else {
                *at(y, 0) = rest;
            }
        }
    }
}

// A column of the panel that begins at `corner`; top: the first four rows of its columns, which the next ones wait for. false: its
// pivot is not positive.
THUD_INSIDE bool factor_column(double *corner, int stride, int own, int rows, four top[FOUR])
{
    double *c = corner + own * stride;
    four mine = *of(c, 0);
    for (int j = 0; j < own; j++) {
        mine -= top[j] * top[j][own];
    }
    if (!(mine[own] > 0)) {
        return false;
    }
    const double root = sqrt(mine[own]);
    top[own] = mine / root;
    top[own][own] = root;
    put_from(own, &top[own], c);
    for (int i = FOUR; i < rows; i += FOUR) {
        four rest = *of(c, i);
        for (int j = 0; j < own; j++) {
            rest -= *of(corner + j * stride, i) * top[j][own];
        }
        *at(c, i) = rest / root;
    }
    return true;
}

// -1, or the first of four columns whose pivot is not positive.
THUD_INSIDE int factor_panel(double *corner, int stride, int rows)
{
    four top[FOUR];
    return !factor_column(corner, stride, 0, rows, top)   ? 0
           : !factor_column(corner, stride, 1, rows, top) ? 1
           : !factor_column(corner, stride, 2, rows, top) ? 2
           : !factor_column(corner, stride, 3, rows, top) ? 3
                                                          : -1;
}

THUD_KERNEL static int factor_fours(double *A, int stride, int n)
{
    for (int k = 0; k < n; k += FOUR) {
        double *corner = A + (size_t)k * ((size_t)stride + 1);
        const int bad = factor_panel(corner, stride, n - k);
        if (bad >= 0) {
            return k + bad;
        }
        const double *L = corner + FOUR;
        double *c = corner + FOUR * (stride + 1);
        for (int rows = n - k - FOUR; rows > 0; rows -= FOUR, L += FOUR, c += FOUR * (stride + 1)) {
            subtract_from_four(L, stride, rows, c);
        }
    }
    return -1;
}

// Four columns of L at once to those right of them.
THUD_INSIDE void subtract_panel(thud_mat A, int first)
{
    const int n = A.rows;
    const double *restrict x0 = A.a + (size_t)first * A.stride, *restrict x1 = x0 + A.stride,
                           *restrict x2 = x1 + A.stride, *restrict x3 = x2 + A.stride;
    for (int k = first + FOUR; k < n; k++) {
        double *restrict y = A.a + (size_t)k * A.stride;
        const double a = x0[k], b = x1[k], c = x2[k], d = x3[k];
        for (int i = k; i < n; i++) {
            y[i] = (((y[i] - a * x0[i]) - b * x1[i]) - c * x2[i]) - d * x3[i];
        }
    }
}

THUD_KERNEL static int factor_any(thud_mat A)
{
    const int n = A.rows;
    for (int j = 0; j < n; j++) {
        double *cj = A.a + (size_t)j * A.stride;
        const int first = j / FOUR * FOUR, end = first + FOUR < n ? first + FOUR : n;
        const double d = cj[j];
        if (!(d > 0)) {
            return j;
        }
        const double root = sqrt(d);
        cj[j] = root;
        for (int i = j + 1; i < n; i++) {
            cj[i] /= root;
        }
        for (int k = j + 1; k < end; k++) { // the panel's columns -= l_j l_j^T
            double *restrict ck = A.a + (size_t)k * A.stride;
            const double l = cj[k];
            for (int i = k; i < n; i++) {
                ck[i] -= l * cj[i];
            }
        }
        if (j + 1 == end && end - first == FOUR) {
            subtract_panel(A, first);
        }
    }
    return -1;
}

int thud_chol_factor(thud_mat A)
{
    return A.rows % FOUR == 0 ? factor_fours(A.a, A.stride, A.rows) : factor_any(A);
}

double thud_chol_least(thud_mat L)
{
    double least = 1;
    for (int i = 0; i < L.rows; i++) {
        double own = 0, pivot = 0; // A_ii is the sum of the squares of row i
        for (int k = 0; k <= i; k++) {
            pivot = L.a[i + (size_t)k * (size_t)L.stride];
            own += pivot * pivot;
        }
        least = thud_min(least, pivot * pivot / own);
    }
    return least;
}
