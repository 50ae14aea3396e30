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
THUD_INSIDE void subtract_columns(int n, bool whole, const double *x, int stride, const double a[FOUR],
                                  double *y)
{
    const double *x1 = x + stride, *x2 = x1 + stride, *x3 = x2 + stride;
    const double a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
    int i = 0;
    for (; i + FOUR <= n; i += FOUR) {
        *at(y, i) = (((*of(y, i) - *of(x, i) * a0) - *of(x1, i) * a1) - *of(x2, i) * a2) - *of(x3, i) * a3;
    }
    for (; i < n && !whole; i++) {
        y[i] = (((y[i] - x[i] * a0) - x1[i] * a1) - x2[i] * a2) - x3[i] * a3;
    }
}

// The same of whole fours, the last column first, which is known first.
THUD_INSIDE void subtract_back(int n, const double *x, int stride, const double a[FOUR], double *y)
{
    const double *x1 = x + stride, *x2 = x1 + stride, *x3 = x2 + stride;
    const double a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
    for (int i = n - FOUR; i >= 0; i -= FOUR) {
        *at(y, i) = (((*of(y, i) - *of(x3, i) * a3) - *of(x2, i) * a2) - *of(x1, i) * a1) - *of(x, i) * a0;
    }
}

// The sums of four registers side by side.
THUD_INSIDE void add_across(const four x[FOUR], four *sum)
{
    const four a = {x[0][0], x[1][0], x[2][0], x[3][0]}, b = {x[0][1], x[1][1], x[2][1], x[3][1]},
               c = {x[0][2], x[1][2], x[2][2], x[3][2]}, d = {x[0][3], x[1][3], x[2][3], x[3][3]};
    *sum = (a + b) + (c + d);
}

// y -= X^T a, X of four columns: four numbers. The last rows first, which are known first.
THUD_INSIDE void subtract_rows(int n, bool whole, const double *x, int stride, const double *a,
                               double y[FOUR])
{
    const int most = n / FOUR * FOUR;
    four sum[FOUR] = {{0}}, all;
    if (n == 0) {
        return;
    }
    for (int i = most - FOUR; i >= 0; i -= FOUR) {
        const four part = *of(a, i);
        for (int k = 0; k < FOUR; k++) {
            sum[k] += *of(x + k * stride, i) * part;
        }
    }
    add_across(sum, &all);
    for (int k = 0; k < FOUR && !whole; k++) {
        for (int r = most; r < n; r++) {
            all[k] += x[r + k * stride] * a[r];
        }
    }
    *at(y, 0) -= all;
}

// Four unknowns at most wait for each other, each for a product and a difference: what they are divided by is not waited for,
// rows are divided by it before.

// L y = b of at most four columns and rows, L with this diagonal or a unit one.
THUD_INSIDE void go_down(int n, const double *L, int stride, bool unit, double *b)
{
    for (int i = 0; i < n; i++) {
        const double by = unit ? 1 : 1 / L[i + i * stride];
        double sum = unit ? b[i] : b[i] * by;
        for (int j = 0; j < i; j++) {
            sum -= (unit ? L[i + j * stride] : L[i + j * stride] * by) * b[j];
        }
        b[i] = sum;
    }
}

// U x = b of at most four columns and rows. U is above the diagonal of A, or L^T beneath it.
THUD_INSIDE void go_up(int n, const double *A, int stride, bool beneath, double *b)
{
    double x[FOUR];
    for (int i = n - 1; i >= 0; i--) {
        const double by = 1 / A[i + i * stride];
        x[i] = b[i] * by;
        for (int j = n - 1; j > i; j--) {
            x[i] -= (beneath ? A[j + i * stride] : A[i + j * stride]) * by * x[j];
        }
    }
    if (n == FOUR && beneath) { // as they are read next
        *at(b, 0) = (four){x[0], x[1], x[2], x[3]};
    } else {
        for (int i = 0; i < n; i++) {
            b[i] = x[i];
        }
    }
}

// L y = b, all of it. whole: the rows are a multiple of four, and no loop has an end of its own.
THUD_INSIDE void substitute_down(thud_mat L, bool whole, bool unit, double *b)
{
    const double *corner = L.a;
    const int step = FOUR * (L.stride + 1);
    int left = L.rows;
    for (; left >= FOUR; left -= FOUR, corner += step, b += FOUR) {
        go_down(FOUR, corner, L.stride, unit, b);
        subtract_columns(left - FOUR, whole, corner + FOUR, L.stride, b, b + FOUR);
    }
    go_down(whole ? 0 : left, corner, L.stride, unit, b);
}

THUD_INSIDE void solve_chol(thud_mat L, bool whole, double *b)
{
    const int n = L.rows, most = n / FOUR * FOUR;
    const double *corner = L.a + (size_t)most * ((size_t)L.stride + 1);
    substitute_down(L, whole, false, b);
    go_up(whole ? 0 : n - most, corner, L.stride, true, b + most);
    for (int j = most - FOUR; j >= 0; j -= FOUR) { // L^T x = y, four of those that are left at a time
        corner -= FOUR * (L.stride + 1);
        subtract_rows(n - j - FOUR, whole, corner + FOUR, L.stride, b + j + FOUR, b + j);
        go_up(FOUR, corner, L.stride, true, b + j);
    }
}

THUD_KERNEL void thud_chol_solve(thud_mat L, double *b)
{
    if (L.rows % FOUR == 0) {
        solve_chol(L, true, b);
    } else {
        solve_chol(L, false, b);
    }
}

// b <- P b, of factors that seldom swap anything.
THUD_INSIDE void swap_rows(int n, const int *pivot, double *b)
{
    for (int i = 0; i < n; i++) {
        if (pivot[i] != i) {
            const double keep = b[i];
            b[i] = b[pivot[i]];
            b[pivot[i]] = keep;
        }
    }
}

// U x = y
THUD_INSIDE void substitute_up(thud_mat U, bool whole, double *b)
{
    const int n = U.rows, most = n / FOUR * FOUR;
    const double *corner = U.a + (size_t)most * ((size_t)U.stride + 1);
    go_up(whole ? 0 : n - most, corner, U.stride, false, b + most);
    for (int j = n - 1; j >= most && !whole; j--) {
        const double *column = U.a + (size_t)j * (size_t)U.stride;
        for (int i = 0; i < most; i++) {
            b[i] -= column[i] * b[j];
        }
    }
    for (int j = most - FOUR; j >= 0; j -= FOUR) {
        corner -= FOUR * (U.stride + 1);
        go_up(FOUR, corner, U.stride, false, b + j);
        subtract_back(j, corner - j, U.stride, b + j, b);
    }
}

THUD_KERNEL void thud_lu_solve(thud_mat LU, const int *pivot, double *b)
{
    swap_rows(LU.rows, pivot, b);
    if (LU.rows % FOUR == 0) {
        substitute_down(LU, true, true, b);
        substitute_up(LU, true, b);
    } else {
        substitute_down(LU, false, true, b);
        substitute_up(LU, false, b);
    }
}
