// SPDX-License-Identifier: Apache-2.0
// substitute.c: solves with the factors of small matrices.
//
// One column after the other, each would read back what the one before has just written, one number farther on, and wait
// for it: processors hand on a register that is read as it was written, not parts of two of them. So four columns at a time,
// from the first row or to it: b is read and written once for the four, always in the same pieces.
//
// Cost     n^2 flops for each triangle.
#include "fours.h"

// y -= X a, X of four columns, each subtracted in its turn.
THUD_INSIDE void subtract_columns(int n, const double *x, int stride, const double a[FOUR], double *y)
{
    const double *x1 = x + stride, *x2 = x1 + stride, *x3 = x2 + stride;
    const double a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
    int i = 0;
    for (; i + FOUR <= n; i += FOUR) {
        *at(y, i) = (((*of(y, i) - *of(x, i) * a0) - *of(x1, i) * a1) - *of(x2, i) * a2) - *of(x3, i) * a3;
    }
    for (; i < n; i++) {
        y[i] = (((y[i] - x[i] * a0) - x1[i] * a1) - x2[i] * a2) - x3[i] * a3;
    }
}

// y -= X^T a, X of four columns: four numbers.
THUD_INSIDE void subtract_rows(int n, const double *x, int stride, const double *a, double y[FOUR])
{
    four sum[FOUR] = {{0}};
    int i = 0;
    if (n == 0) {
        return;
    }
    for (; i + FOUR <= n; i += FOUR) {
        const four part = *of(a, i);
        for (int k = 0; k < FOUR; k++) {
            sum[k] += *of(x + k * stride, i) * part;
        }
    }
    for (int k = 0; k < FOUR; k++) {
        double rest = (sum[k][0] + sum[k][1]) + (sum[k][2] + sum[k][3]);
        for (int r = i; r < n; r++) {
            rest += x[r + k * stride] * a[r];
        }
        y[k] -= rest;
    }
}

// L y = b of at most four columns and rows, L with this diagonal or a unit one. What is divided by does not wait for what is
// divided: 1 / l is known by then.
THUD_INSIDE void go_down(int n, const double *L, int stride, bool unit, double *b)
{
    for (int i = 0; i < n; i++) {
        double sum = b[i];
        for (int j = 0; j < i; j++) {
            sum -= L[i + j * stride] * b[j];
        }
        b[i] = unit ? sum : sum * (1 / L[i + i * stride]);
    }
}

// L y = b, all of it.
THUD_INSIDE void substitute_down(thud_mat L, bool unit, double *b)
{
    const double *corner = L.a;
    const int step = FOUR * (L.stride + 1);
    int left = L.rows;
    for (; left >= FOUR; left -= FOUR, corner += step, b += FOUR) {
        go_down(FOUR, corner, L.stride, unit, b);
        subtract_columns(left - FOUR, corner + FOUR, L.stride, b, b + FOUR);
    }
    go_down(left, corner, L.stride, unit, b);
}

// U x = b of at most four columns and rows. U is above the diagonal of A, or L^T beneath it.
THUD_INSIDE void go_up(int n, const double *A, int stride, bool beneath, double *b)
{
    for (int i = n - 1; i >= 0; i--) {
        double sum = b[i];
        for (int j = n - 1; j > i; j--) {
            sum -= (beneath ? A[j + i * stride] : A[i + j * stride]) * b[j];
        }
        b[i] = sum * (1 / A[i + i * stride]);
    }
}

THUD_KERNEL void thud_chol_solve(thud_mat L, double *b)
{
    const int n = L.rows, whole = n / FOUR * FOUR;
    const double *corner = L.a + (size_t)whole * ((size_t)L.stride + 1);
    substitute_down(L, false, b);
    go_up(n - whole, corner, L.stride, true, b + whole);
    for (int j = whole - FOUR; j >= 0; j -= FOUR) { // L^T x = y, four of those that are left at a time
        corner -= FOUR * (L.stride + 1);
        subtract_rows(n - j - FOUR, corner + FOUR, L.stride, b + j + FOUR, b + j);
        go_up(FOUR, corner, L.stride, true, b + j);
    }
}

THUD_KERNEL void thud_lu_solve(thud_mat LU, const int *pivot, double *b)
{
    const int n = LU.rows, whole = n / FOUR * FOUR;
    const double *corner = LU.a + (size_t)whole * ((size_t)LU.stride + 1);
    int swapped = 0;
    for (int i = 0; i < n; i++) {
        swapped |= pivot[i] - i;
    }
    for (int i = 0; i < n && swapped != 0; i++) { // b <- P b
        const double keep = b[i];
        b[i] = b[pivot[i]];
        b[pivot[i]] = keep;
    }
    substitute_down(LU, true, b);
    go_up(n - whole, corner, LU.stride, false, b + whole);
    for (int j = n - 1; j >= whole; j--) {
        const double *column = LU.a + (size_t)j * (size_t)LU.stride;
        for (int i = 0; i < whole; i++) {
            b[i] -= column[i] * b[j];
        }
    }
    for (int j = whole - FOUR; j >= 0; j -= FOUR) { // U x = y
        corner -= FOUR * (LU.stride + 1);
        go_up(FOUR, corner, LU.stride, false, b + j);
        subtract_columns(j, corner - j, LU.stride, b + j, b);
    }
}
