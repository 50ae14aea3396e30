// SPDX-License-Identifier: Apache-2.0
// thud/cone_product.h: a contact problem whose W is known as a product and never made.          [theory 6, 7]
//
//     W = S S^T,      y = S^T p,      u = S y + b + epsilon p
//
// The columns of S come in groups (of rigid bodies: the six dofs of one, or all dofs of a tree), and a block's
// rows reach only a few of them, most often two. Changing one block's impulse then costs its own strips of S
// and no more, however many blocks share its groups; a W of many bodies would cost several times that to make
// and to multiply with. What needs entries of W (Newton, rank) is in <thud/cone.h>.
#pragma once

#include <thud/base_pool.h>
#include <thud/cone.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct thud_cone_strip {
    int group;
    const double *S; // dim of its block x columns of its group, row-major
} thud_cone_strip;

// A view: owns nothing. The strips of block i are start[i] <= k < start[i+1], of different groups.
typedef struct thud_cone_product {
    int groups;
    const int *column; // groups + 1: first column of each, ascending from 0
    const int *start;  // blocks + 1
    const thud_cone_strip *strip;
    double trace;    // of W + epsilon
    thud_pool *pool; // threads that may take part; NULL: the caller's alone. The numbers are the same
    const int *rank; // groups: their order in space, neighbours near each other; NULL: as they are numbered
} thud_cone_product;

// Solves c, whose W and sparse are not read, by sweeps of Gauss-Seidel with conjugate steps between them. p
// holds a warm start in (zeros are one) and the best found out. Meant for many blocks and rough tolerances: the sweeps
// converge at a linear rate. Outcomes: SOLVED, ITERATION_LIMIT, STALLED, NOT_FINITE, NO_MEMORY. All
// memory comes from scratch. The residual is that of thud_cone_residual, summed in another order.
THUD_API thud_cone_report thud_cone_product_solve(const thud_cone *c, const thud_cone_product *S,
                                                  const thud_cone_options *options, thud_arena *scratch,
                                                  double *p);

#ifdef __cplusplus
}
#endif
