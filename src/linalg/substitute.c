// SPDX-License-Identifier: Apache-2.0
// substitute.c: solves with the factors of small matrices.
//
// One column after the other, each would read back what the one before has just written, one number farther on, and wait
// for it: processors hand on a register that is read as it was written, not parts of two of them. So four columns at a time,
// from the first row or to it: b is read and written once for the four, always in the same pieces.
//
// Cost     n^2 flops for each triangle.
#include <thud/linalg.h>

enum { FOUR = 4 };

typedef double four __attribute__((vector_size(FOUR * sizeof(double)))); // rows of a column, side by side
typedef four four_of_numbers __attribute__((aligned(sizeof(double)), may_alias));

// y -= X a, X of four columns, each subtracted in its turn.
THUD_INSIDE void subtract_columns(int n, const double *restrict x, int stride, const double a[FOUR],
                                  double *restrict y)
{
    const double *restrict x1 = x + stride, *restrict x2 = x1 + stride, *restrict x3 = x2 + stride;
    const double a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
    for (int i = 0; i < n; i++) {
        y[i] = (((y[i] - x[i] * a0) - x1[i] * a1) - x2[i] * a2) - x3[i] * a3;
    }
}

// y -= X^T a, X of four columns: four numbers.
THUD_INSIDE void subtract_rows(int n, const double *x, int stride, const double *a, double y[FOUR])
{
    four sum[FOUR] = {{0}};
    int i = 0;
    for (; i + FOUR <= n; i += FOUR) {
        const four part = *(const four_of_numbers *)(a + i);
        for (int k = 0; k < FOUR; k++) {
            sum[k] += *(const four_of_numbers *)(x + i + k * stride) * part;
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

// L y = b of the columns and rows first to end - 1, at most four, L with this diagonal or a unit one. What is divided by does
// not wait for what is divided: 1 / l is known by then.
THUD_INSIDE void go_down(thud_mat L, bool unit, int first, int end, double *b)
{
    double y[FOUR] = {0};
    for (int i = first; i < end; i++) {
        const double *row = L.a + i;
        double sum = b[i];
        for (int j = first; j < i; j++) {
            sum -= row[(size_t)j * (size_t)L.stride] * y[j - first];
        }
        y[i - first] = unit ? sum : sum * (1 / row[(size_t)i * (size_t)L.stride]);
    }
    for (int i = first; i < end; i++) {
        b[i] = y[i - first];
    }
}

// L y = b, all of it.
THUD_INSIDE void substitute_down(thud_mat L, bool unit, double *b)
{
    const int n = L.rows;
    int j = 0;
    for (; j + FOUR <= n; j += FOUR) {
        const double *beneath = L.a + (size_t)j * (size_t)L.stride + j + FOUR;
        go_down(L, unit, j, j + FOUR, b);
        subtract_columns(n - j - FOUR, beneath, L.stride, b + j, b + j + FOUR);
    }
    go_down(L, unit, j, n, b);
}

// U x = b of the columns and rows first to end - 1, at most four. U is above the diagonal of A, or L^T beneath it.
THUD_INSIDE void go_up(thud_mat A, bool beneath, int first, int end, double *b)
{
    double x[FOUR] = {0};
    for (int i = end - 1; i >= first; i--) {
        double sum = b[i];
        for (int j = end - 1; j > i; j--) {
            const int row = beneath ? j : i, column = beneath ? i : j;
            sum -= A.a[row + (size_t)column * (size_t)A.stride] * x[j - first];
        }
        x[i - first] = sum * (1 / A.a[i + (size_t)i * (size_t)A.stride]);
    }
    for (int i = first; i < end; i++) {
        b[i] = x[i - first];
    }
}

THUD_KERNEL void thud_chol_solve(thud_mat L, double *b)
{
    const int n = L.rows, whole = n / FOUR * FOUR;
    substitute_down(L, false, b);
    go_up(L, true, whole, n, b);
    for (int j = whole - FOUR; j >= 0; j -= FOUR) { // L^T x = y, four of those that are left at a time
        const int next = j + FOUR;
        subtract_rows(n - next, L.a + (size_t)j * (size_t)L.stride + next, L.stride, b + next, b + j);
        go_up(L, true, j, next, b);
    }
}

THUD_KERNEL void thud_lu_solve(thud_mat LU, const int *pivot, double *b)
{
    const int n = LU.rows, whole = n / FOUR * FOUR;
    for (int i = 0; i < n; i++) { // b <- P b
        const double keep = b[i];
        b[i] = b[pivot[i]];
        b[pivot[i]] = keep;
    }
    substitute_down(LU, true, b);
    go_up(LU, false, whole, n, b);
    for (int j = n - 1; j >= whole; j--) {
        const double *column = LU.a + (size_t)j * (size_t)LU.stride;
        for (int i = 0; i < whole; i++) {
            b[i] -= column[i] * b[j];
        }
    }
    for (int j = whole - FOUR; j >= 0; j -= FOUR) { // U x = y
        go_up(LU, false, j, j + FOUR, b);
        subtract_columns(j, LU.a + (size_t)j * (size_t)LU.stride, LU.stride, b + j, b);
    }
}
