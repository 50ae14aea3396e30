// SPDX-License-Identifier: Apache-2.0
// ldl.h: the factor L D L^T of a matrix that gains and loses rows.
#pragma once

#include "lcp_inside.h"

typedef struct lcp_ldl {
    int k, stride; // rows now; L is stored by columns of `stride`, unit diagonal not stored
    double *L, *d;
} lcp_ldl;

bool lcp_ldl_push(thud_arena *scratch, int n, lcp_ldl *out);
void lcp_ldl_forward(const lcp_ldl *f, double *y); // y <- L^-1 y; k^2 / 2
void lcp_ldl_back(const lcp_ldl *f, double *x);    // x <- L^-T x; k^2 / 2
// Adds the row whose product with the others is L y, given y; pivot is its Schur complement. O(k).
void lcp_ldl_append(lcp_ldl *f, const double *y, double pivot);
// Takes row r out: a rank-1 update of what stands behind it. (k - r)^2; work holds k numbers.
void lcp_ldl_remove(lcp_ldl *f, int r, double *work);
