// SPDX-License-Identifier: Apache-2.0
// thud/cone_problem.h: cone problems that own their numbers: from a sparse W, or from the factors of one.
//
// A mechanism gives W = H^T M^-1 H by its mass matrix M and its contact Jacobian H^T; reduced here once, W is
// kept dense where it is small or full and block-sparse where it is large and mostly zero.
#pragma once

#include <thud/cone.h>

#ifdef __cplusplus
extern "C" {
#endif

// `cone` is a view of this problem's own numbers.
typedef struct thud_cone_problem {
    thud_cone cone;
    thud_cone_sparse sparse; // cone.sparse points here, or is NULL
    thud_cone_block *block;
    double *W, *b, *epsilon; // epsilon NULL: none
    int *start, *column, *at;
    double *value;
} thud_cone_problem;

// Copies blocks (whose row is set here), b and W. THUD_BAD_ARGUMENT where they do not fit each other.
THUD_API THUD_MUST_USE thud_status thud_cone_problem_create(int blocks, const thud_cone_block *block,
                                                            const thud_csc *W, const double *b,
                                                            thud_cone_problem **out, thud_diag *diag);

// The problem  M v = H p + f,  u = H^T v + w : W = H^T M^-1 H, b = H^T M^-1 f + w. M is dofs square and
// regular, H dofs x rows. One sparse factor of M and one solve a row. THUD_NOT_SOLVED where M is singular.
THUD_API THUD_MUST_USE thud_status thud_cone_problem_reduce(int blocks, const thud_cone_block *block,
                                                            const thud_csc *M, const thud_csc *H,
                                                            const double *f, const double *w,
                                                            thud_cone_problem **out, thud_diag *diag);
THUD_API void thud_cone_problem_destroy(thud_cone_problem *problem); // NULL is allowed

#ifdef __cplusplus
}
#endif
