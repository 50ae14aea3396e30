// SPDX-License-Identifier: Apache-2.0
// cone_joints.c: joints alone, without a contact among them: W p = -b.                             [theory 3]
//
// Where W is regular there is one answer, which takes no compliance to be found, but one factor. Mechanisms with loops ask for
// it in every round of a step. It is not refined: what Cholesky's factor leaves of b is rounding, however stiff W is.
//
// Cost     n^3 / 3 flops and a product with W for the judge.
// Fails    false, p untouched: nearly dependent rows, W not positive definite, too little memory.
#include <string.h>

#include "cone_work.h"

// W + epsilon, and the unit matrix in the corner that makes rows and columns a multiple of four. The upper triangle is not read.
static void copy_padded(const thud_cone *c, thud_mat A)
{
    const int n = c->rows;
    for (int j = 0; j < A.cols; j++) {
        double *to = A.a + (size_t)j * (size_t)A.stride;
        *fours_at(to + A.rows - FOUR) = (four){0};
        if (j < n) {
            memcpy(to, c->W.a + (size_t)j * (size_t)c->W.stride, (size_t)n * sizeof *to);
        }
        to[j] = j >= n ? 1 : c->epsilon ? to[j] + c->epsilon[j] : to[j];
    }
}

bool cone_joints(const thud_cone *c, double tolerance, thud_arena *arena, double *judge, double *p,
                 double *residual)
{
    THUD_ASSERT(c->W.a && tolerance >= 0);
    static const double REGULAR = 1e-9;
    const int n = c->rows, padded = (n + FOUR - 1) / FOUR * FOUR;
    const size_t mark = thud_arena_mark(arena), rows = (size_t)padded, bytes = (size_t)n * sizeof *p;
    double *a = thud_arena_push(arena, rows * rows, sizeof *a), *x = thud_arena_push(arena, rows, sizeof *x);
    const thud_mat L = {padded, padded, padded, a};
    bool solved = false;
    if (a && x) {
        copy_padded(c, L);
        if (thud_chol_factor(L) < 0 && thud_chol_least(L) >= REGULAR) {
            *fours_at(x + padded - FOUR) = (four){0};
            for (int i = 0; i < n; i++) {
                x[i] = -c->b[i];
            }
            thud_chol_solve(L, x);
            *residual = thud_cone_residual(c, x, judge);
            solved = *residual <= tolerance;
        }
        if (solved) {
            memcpy(p, x, bytes);
        }
    }
    thud_arena_release(arena, mark);
    return solved;
}
