// SPDX-License-Identifier: Apache-2.0
// dense.c: norms, products and the Cholesky factor of small dense matrices.
#include <math.h>

#include <thud/linalg.h>

enum { PANEL = 4 }; // columns at once

// 0 times a finite number is 0; a NaN or an infinity stays in the sum. Eight sums, so that they run side by
// side.
THUD_KERNEL static bool are_finite(int n, const double *x)
{
    double sum[8] = {0};
    int i = 0;
    for (; i + 8 <= n; i += 8) {
        for (int k = 0; k < 8; k++) {
            sum[k] += 0 * x[i + k];
        }
    }
    for (; i < n; i++) {
        sum[0] += 0 * x[i];
    }
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7])) == 0;
}

bool thud_all_finite(int n, const double *x)
{
    double even = 0, odd = 0;
    int i = 0;
    if (n > 24) {
        return are_finite(n, x);
    }
    for (; i + 2 <= n; i += 2) {
        even += 0 * x[i];
        odd += 0 * x[i + 1];
    }
    return even + (i < n ? odd + 0 * x[i] : odd) == 0;
}

double thud_norm_inf(int n, const double *x)
{
    double largest = 0;
    for (int i = 0; i < n; i++) {
        const double a = fabs(x[i]);
        if (!(a <= largest)) { // also when a is NaN, and then it stays
            largest = a;
            if (isnan(a)) {
                return a;
            }
        }
    }
    return largest;
}

THUD_INSIDE double dot(int n, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

double thud_dot(int n, const double *x, const double *y)
{
    return dot(n, x, y);
}

double thud_norm2(int n, const double *x)
{
    const double plain = dot(n, x, x);
    if (plain > 1e-200 && plain < 1e200) { // neither overflowed nor lost in underflow
        return sqrt(plain);
    }
    const double scale = thud_norm_inf(n, x);
    if (!(scale > 0) || isinf(scale)) {
        return scale;
    }
    double sum = 0;
    for (int i = 0; i < n; i++) {
        sum += (x[i] / scale) * (x[i] / scale);
    }
    return scale * sqrt(sum);
}

// y += A x, four columns at once, each added in its turn: the bits are those of one by one.
THUD_INSIDE void add_columns(int rows, const double *restrict a, int stride, const double *x, double *restrict y)
{
    const double *restrict b = a + stride, *restrict c = b + stride, *restrict d = c + stride;
    const double xa = x[0], xb = x[1], xc = x[2], xd = x[3];
    for (int i = 0; i < rows; i++) {
        y[i] = (((y[i] + a[i] * xa) + b[i] * xb) + c[i] * xc) + d[i] * xd;
    }
}

THUD_KERNEL void thud_mat_mulvec(thud_mat A, const double *x, double *y)
{
    int j = 0;
    for (int i = 0; i < A.rows; i++) {
        y[i] = 0;
    }
    for (; j + PANEL <= A.cols; j += PANEL) {
        add_columns(A.rows, A.a + (size_t)j * (size_t)A.stride, A.stride, x + j, y);
    }
    for (; j < A.cols; j++) {
        const double *column = A.a + (size_t)j * (size_t)A.stride;
        for (int i = 0; i < A.rows; i++) {
            y[i] += column[i] * x[j];
        }
    }
}

void thud_mat_tmulvec(thud_mat A, const double *x, double *y)
{
    for (int j = 0; j < A.cols; j++) {
        y[j] = thud_dot(A.rows, A.a + (size_t)j * A.stride, x);
    }
}

// Four columns of L at once to those right of them, each subtracted in its turn: the bits are those of one by one.
THUD_INSIDE void subtract_panel(thud_mat A, int first)
{
    const int n = A.rows;
    const double *restrict x0 = A.a + (size_t)first * A.stride, *restrict x1 = x0 + A.stride,
                           *restrict x2 = x1 + A.stride, *restrict x3 = x2 + A.stride;
    for (int k = first + PANEL; k < n; k++) {
        double *restrict y = A.a + (size_t)k * A.stride;
        const double a = x0[k], b = x1[k], c = x2[k], d = x3[k];
        for (int i = k; i < n; i++) {
            y[i] = (((y[i] - a * x0[i]) - b * x1[i]) - c * x2[i]) - d * x3[i];
        }
    }
}

THUD_KERNEL int thud_chol_factor(thud_mat A)
{
    const int n = A.rows;
    for (int j = 0; j < n; j++) {
        double *cj = A.a + (size_t)j * A.stride;
        const int first = j / PANEL * PANEL, end = first + PANEL < n ? first + PANEL : n;
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
        if (j + 1 == end && end - first == PANEL) {
            subtract_panel(A, first);
        }
    }
    return -1;
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
        least = fmin(least, pivot * pivot / own);
    }
    return least;
}
