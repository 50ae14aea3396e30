// SPDX-License-Identifier: Apache-2.0
// thud/linalg.h: dense kernels on views. Column-major; a view owns nothing.
#pragma once

#include <thud/base.h>

#ifdef __cplusplus
extern "C" {
#endif

// Element (i, j) is a[i + j * stride].
typedef struct thud_mat {
    int rows, cols, stride;
    double *a;
} thud_mat;

THUD_API double thud_norm_inf(int n, const double *x); // NaN if any element is
THUD_API double thud_norm2(int n, const double *x);
THUD_API double thud_dot(int n, const double *x, const double *y);
THUD_API void thud_mat_mulvec(thud_mat A, const double *x, double *y);  // y = A x
THUD_API void thud_mat_tmulvec(thud_mat A, const double *x, double *y); // y = A^T x

// A = L L^T in the lower triangle, in place. Returns -1, or the first column whose pivot is not positive.
// n^3/3 flops.
THUD_API int thud_chol_factor(thud_mat A);
THUD_API void thud_chol_solve(thud_mat L, double *b); // b <- A^-1 b

#ifdef __cplusplus
}
#endif
