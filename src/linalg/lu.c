// SPDX-License-Identifier: Apache-2.0
// lu.c: LU factors of small and middling dense matrices with row pivoting.
//
// Right-looking in panels of 16 columns: the panel is factored column by column, its rows of U follow by
// substitution, and the trailing matrix is updated two columns by four columns of L at a time, from
// registers. Every copy of the kernels computes the same bits (no fused operations).
#include <math.h>
#include <string.h>

#include "lu_small.h"

enum { PANEL = 16 };

THUD_INSIDE void axpy(int n, const double *restrict x, double a, double *restrict y) // y -= x a
{
    for (int i = 0; i < n; i++) {
        y[i] -= x[i] * a;
    }
}

// y -= X a, z -= X b, X of four columns.
THUD_INSIDE void axpy_4_2(int n, const double *restrict x, int stride, const double *a, const double *b,
                          double *restrict y, double *restrict z)
{
    const double *restrict x0 = x, *restrict x1 = x + stride, *restrict x2 = x1 + stride,
                           *restrict x3 = x2 + stride;
    const double a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3], b0 = b[0], b1 = b[1], b2 = b[2], b3 = b[3];
    for (int i = 0; i < n; i++) {
        y[i] -= (x0[i] * a0 + x1[i] * a1) + (x2[i] * a2 + x3[i] * a3);
        z[i] -= (x0[i] * b0 + x1[i] * b1) + (x2[i] * b2 + x3[i] * b3);
    }
}

THUD_INSIDE void swap_rows(thud_mat A, int i, int k, int from, int to)
{
    for (int j = from; j < to && i != k; j++) {
        double *column = A.a + (size_t)j * A.stride, keep = column[i];
        column[i] = column[k];
        column[k] = keep;
    }
}

// Factors columns k0 .. k1-1 of rows k0 .. n-1; earlier panels have been applied. -1, or the singular column.
THUD_INSIDE int factor_panel(thud_mat A, int k0, int k1, int *pivot)
{
    const int n = A.rows;
    for (int k = k0; k < k1; k++) {
        double *ck = A.a + (size_t)k * A.stride;
        int best = k;
        for (int i = k + 1; i < n; i++) {
            best = fabs(ck[i]) > fabs(ck[best]) ? i : best;
        }
        pivot[k] = best;
        if (!(fabs(ck[best]) > 0)) {
            return k;
        }
        swap_rows(A, k, best, k0, k1);
        const double inverse = 1 / ck[k];
        for (int i = k + 1; i < n; i++) {
            ck[i] *= inverse;
        }
        for (int j = k + 1; j < k1; j++) {
            double *cj = A.a + (size_t)j * A.stride;
            axpy(n - k - 1, ck + k + 1, cj[k], cj + k + 1);
        }
    }
    return -1;
}

// Columns j and j + 1 right of the panel: U by substitution with the panel's unit L, then the rows beneath.
THUD_INSIDE void update_columns(thud_mat A, int k0, int k1, int j, int columns)
{
    const int n = A.rows;
    double *y = A.a + (size_t)j * A.stride, *z = y + (columns == 2 ? A.stride : 0);
    for (int k = k0; k < k1; k++) {
        const double *l = A.a + (size_t)k * A.stride + k + 1;
        axpy(k1 - k - 1, l, y[k], y + k + 1);
        if (columns == 2) {
            axpy(k1 - k - 1, l, z[k], z + k + 1);
        }
    }
    int k = k0;
    for (; columns == 2 && k + 4 <= k1; k += 4) {
        axpy_4_2(n - k1, A.a + (size_t)k * A.stride + k1, A.stride, y + k, z + k, y + k1, z + k1);
    }
    for (; k < k1; k++) {
        const double *l = A.a + (size_t)k * A.stride + k1;
        axpy(n - k1, l, y[k], y + k1);
        if (columns == 2) {
            axpy(n - k1, l, z[k], z + k1);
        }
    }
}

THUD_KERNEL static int factor(thud_mat A, int *pivot)
{
    const int n = A.rows;
    for (int k0 = 0; k0 < n; k0 += PANEL) {
        const int k1 = k0 + PANEL < n ? k0 + PANEL : n;
        const int singular = factor_panel(A, k0, k1, pivot);
        if (singular >= 0) {
            return singular;
        }
        for (int k = k0; k < k1; k++) {
            swap_rows(A, k, pivot[k], 0, k0);
            swap_rows(A, k, pivot[k], k1, n);
        }
        for (int j = k1; j < n; j += 2) {
            update_columns(A, k0, k1, j, j + 1 < n ? 2 : 1);
        }
    }
    return -1;
}

int thud_lu_factor(thud_mat A, int *pivot)
{
    THUD_ASSERT(A.rows == A.cols && A.stride >= A.rows);
    return A.rows <= LU_SMALL ? lu_small_factor(A, pivot) : factor(A, pivot);
}
