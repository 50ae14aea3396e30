// SPDX-License-Identifier: Apache-2.0
// dense.c: norms and products of small dense matrices.
#include <math.h>

#include "fours.h"

// 0 times a finite number is 0; a NaN or an infinity stays in the sum. Sixteen sums, so that they run side by
// side.
THUD_KERNEL static bool are_finite(int n, const double *x)
{
    four a = {0}, b = {0}, c = {0}, d = {0};
    double rest = 0;
    int i = 0;
    for (; i + 4 * FOUR <= n; i += 4 * FOUR) {
        a += *of(x, i) * 0;
        b += *of(x, i + FOUR) * 0;
        c += *of(x, i + 2 * FOUR) * 0;
        d += *of(x, i + 3 * FOUR) * 0;
    }
    for (; i < n; i++) {
        rest += 0 * x[i];
    }
    a = (a + b) + (c + d);
    return ((a[0] + a[1]) + (a[2] + a[3])) + rest == 0;
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
THUD_INSIDE void add_columns(int rows, const double *a, int stride, const double *x, double *y)
{
    const double *b = a + stride, *c = b + stride, *d = c + stride, xa = x[0], xb = x[1], xc = x[2],
                 xd = x[3];
    int i = 0;
    for (; i + FOUR <= rows; i += FOUR) {
        *at(y, i) = (((*of(y, i) + *of(a, i) * xa) + *of(b, i) * xb) + *of(c, i) * xc) + *of(d, i) * xd;
    }
    for (; i < rows; i++) {
        y[i] = (((y[i] + a[i] * xa) + b[i] * xb) + c[i] * xc) + d[i] * xd;
    }
}

THUD_KERNEL void thud_mat_mulvec(thud_mat A, const double *x, double *y)
{
    int j = 0;
    for (int i = 0; i < A.rows; i++) {
        y[i] = 0;
    }
    for (; j + FOUR <= A.cols; j += FOUR) {
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
