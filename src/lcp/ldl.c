// SPDX-License-Identifier: Apache-2.0
// ldl.c: L D L^T with rows appended and removed.        [Gill, Golub, Murray & Saunders 1974, method C1]
//
// Symbols  k rows · L unit lower triangle, by columns · d diagonal
// Differs  the solves take four columns at a time, so that the vector being solved for is read (and written)
//          a quarter as often, and short sums do not wait for each other.
#include "ldl.h"

bool lcp_ldl_push(thud_arena *scratch, int n, lcp_ldl *out)
{
    const size_t stride = ((size_t)n + 7) & ~(size_t)7;
    *out = (lcp_ldl){.stride = (int)stride};
    out->L = lcp_push(scratch, stride * (size_t)n);
    out->d = lcp_push(scratch, (size_t)n);
    return out->L && out->d;
}

THUD_KERNEL void lcp_ldl_forward(const lcp_ldl *f, double *y)
{
    const int k = f->k;
    int j = 0;
    for (; j + 4 <= k; j += 4) {
        const double *restrict c0 = f->L + (size_t)j * (size_t)f->stride, *restrict c1 = c0 + f->stride,
                               *restrict c2 = c1 + f->stride, *restrict c3 = c2 + f->stride;
        const double y0 = y[j], y1 = y[j + 1] - c0[j + 1] * y0,
                     y2 = y[j + 2] - c0[j + 2] * y0 - c1[j + 2] * y1,
                     y3 = y[j + 3] - c0[j + 3] * y0 - c1[j + 3] * y1 - c2[j + 3] * y2;
        y[j + 1] = y1;
        y[j + 2] = y2;
        y[j + 3] = y3;
        for (int i = j + 4; i < k; i++) {
            y[i] -= (c0[i] * y0 + c1[i] * y1) + (c2[i] * y2 + c3[i] * y3);
        }
    }
    for (; j < k; j++) {
        const double *c = f->L + (size_t)j * (size_t)f->stride;
        for (int i = j + 1; i < k; i++) {
            y[i] -= c[i] * y[j];
        }
    }
}

// sum_c = column_c . x for four columns side by side, in lanes that the compiler keeps in vector registers.
static inline void four_dots(int n, size_t stride, const double *restrict L, const double *restrict x,
                             double sum[4])
{
    enum { LANES = 4 };
    const double *column[4] = {L, L + stride, L + 2 * stride, L + 3 * stride};
    double lane[4][LANES] = {{0}}, tail[4] = {0};
    int i = 0;
    for (; i + LANES <= n; i += LANES) {
        for (int c = 0; c < 4; c++) {
            for (int l = 0; l < LANES; l++) {
                lane[c][l] += column[c][i + l] * x[i + l];
            }
        }
    }
    for (; i < n; i++) {
        for (int c = 0; c < 4; c++) {
            tail[c] += column[c][i] * x[i];
        }
    }
    for (int c = 0; c < 4; c++) {
        sum[c] = tail[c] + ((lane[c][0] + lane[c][1]) + (lane[c][2] + lane[c][3]));
    }
}

// The columns by fours from the last: their products with what is solved already, then their own triangle.
THUD_KERNEL void lcp_ldl_back(const lcp_ldl *f, double *x)
{
    const size_t stride = (size_t)f->stride;
    int j = f->k;
    for (; j >= 4; j -= 4) {
        const double *c0 = f->L + (size_t)(j - 4) * stride + j - 4, *c1 = c0 + stride, *c2 = c1 + stride;
        double sum[4], *y = x + j - 4;
        four_dots(f->k - j, stride, c0 + 4, x + j, sum);
        y[3] -= sum[3];
        y[2] -= sum[2] + c2[3] * y[3];
        y[1] -= sum[1] + c1[3] * y[3] + c1[2] * y[2];
        y[0] -= sum[0] + c0[3] * y[3] + c0[2] * y[2] + c0[1] * y[1];
    }
    for (j--; j >= 0; j--) {
        const double *column = f->L + (size_t)j * stride;
        double sum = 0;
        for (int i = j + 1; i < f->k; i++) {
            sum += column[i] * x[i];
        }
        x[j] -= sum;
    }
}

void lcp_ldl_append(lcp_ldl *f, const double *y, double pivot)
{
    const int k = f->k++;
    for (int j = 0; j < k; j++) {
        f->L[(size_t)j * (size_t)f->stride + (size_t)k] = y[j] / f->d[j];
    }
    f->d[k] = pivot;
}

THUD_KERNEL void lcp_ldl_remove(lcp_ldl *f, int r, double *restrict work)
{
    const int k = f->k--, rest = k - r - 1;
    const size_t stride = (size_t)f->stride;
    double alpha = f->d[r];
    memcpy(work, f->L + (size_t)r * stride + r + 1, sizeof(double) * (size_t)rest);
    for (int j = 0; j < r; j++) { // row r leaves the columns before it
        double *column = f->L + (size_t)j * stride;
        memmove(column + r, column + r + 1, sizeof(double) * (size_t)rest);
    }
    for (int j = 0; j < rest; j++) { // L D L^T + alpha w w^T, column by column, one place up and to the left
        const double *restrict old = f->L + (size_t)(r + 1 + j) * stride + r + 1;
        double *restrict new = f->L + (size_t)(r + j) * stride + r;
        const double p = work[j], d = f->d[r + 1 + j], d_new = d + alpha * p * p, beta = alpha * p / d_new;
        alpha *= d / d_new;
        f->d[r + j] = d_new;
        for (int i = j + 1; i < rest; i++) {
            work[i] -= p * old[i];
            new[i] = old[i] + beta *work[i];
        }
    }
}
