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

THUD_API bool thud_all_finite(int n, const double *x); // no NaN and no infinity among them
THUD_API double thud_norm_inf(int n, const double *x); // NaN if any element is
THUD_API double thud_norm2(int n, const double *x);
THUD_API double thud_dot(int n, const double *x, const double *y);
THUD_API void thud_mat_mulvec(thud_mat A, const double *x, double *y);  // y = A x
THUD_API void thud_mat_tmulvec(thud_mat A, const double *x, double *y); // y = A^T x

// A = L L^T in the lower triangle, in place. Returns -1, or the first column whose pivot is not positive.
// n^3/3 flops.
THUD_API int thud_chol_factor(thud_mat A);
THUD_API void thud_chol_solve(thud_mat L, double *b); // b <- A^-1 b
// The least that a row of A adds to those before it, of its own diagonal: 1 where they know nothing of each other, 0 where one
// follows from the others. From the factor. n^2/2 flops.
THUD_API double thud_chol_least(thud_mat L);

// P A = L U with row pivoting, in place: L below the diagonal (unit), U on and above it; row i was swapped
// with row pivot[i] >= i. Up to 64 rows the diagonal is the pivot unless it is below a tenth of its column. Returns -1, or the first column whose pivot is 0 (or NaN): U is then singular and
// thud_lu_solve must not be called. 2n^3/3 flops, blocked.
THUD_API int thud_lu_factor(thud_mat A, int *pivot);
THUD_API void thud_lu_solve(thud_mat LU, const int *pivot, double *b); // b <- A^-1 b

// A sparse matrix by columns: entries start[j] <= k < start[j+1] of column j are value[k] in row row[k], rows
// ascending within a column and none twice. A view: owns nothing.
typedef struct thud_csc {
    int rows, cols;
    int *start, *row;
    double *value;
} thud_csc;

// LU factors of a square sparse matrix, on the heap: approximate minimum degree, then column by column
// with row pivoting that prefers the diagonal.
typedef struct thud_sparse_lu thud_sparse_lu;
// NULL in *out and THUD_NOT_SOLVED for a singular A, or THUD_NO_MEMORY.
THUD_API THUD_MUST_USE thud_status thud_sparse_lu_create(const thud_csc *A, thud_sparse_lu **out);
THUD_API void thud_sparse_lu_solve(const thud_sparse_lu *lu, const double *b, double *x); // x = A^-1 b, apart
THUD_API void thud_sparse_lu_destroy(thud_sparse_lu *lu);                                 // NULL is allowed

// The rank of A: Householder QR with column pivoting, in place; columns longer than tolerance times the
// longest count. scratch holds cols numbers. 4n^3/3 flops.
THUD_API int thud_qr_rank(thud_mat A, double tolerance, double *scratch);

#ifdef __cplusplus
}
#endif
