// SPDX-License-Identifier: Apache-2.0
// eliminate.c: a mixed problem without its free rows, by Schur complement.                          [PI]
//
//     z_S = -M_SS^-1 (q_S + M_SR z_R),   M' = M_RR - M_RS M_SS^-1 M_SR,   q' = q_R - M_RS M_SS^-1 q_S
//
// Symbols  S free rows (p_t and loops), R the rest · A = L L^T = M_SS · X = A^-1 M_SR · y = A^-1 q_S
// Differs  the paper eliminates v as well; here W holds it. M_SS = W_SS + epsilon is symmetric and positive,
//          as G M^-1 G^T is, so that Cholesky's factors serve.
// Cost     1/3 |S|^3 + 2 |S|^2 |R| + 2 |S| |R|^2, once; a new q costs |S|^2 + |S| |R|.
// Fails    SINGULAR where friction rows or loops are redundant and nothing is relaxed.
#include <math.h>
#include <string.h>

#include "law_inside.h"

static const double SINGULAR = 1e-11; // of the row's diagonal: a pivot below has no inverse

static thud_mat push_matrix(thud_arena *arena, int rows, int cols)
{
    const int stride = rows > 0 ? rows : 1;
    double *a = thud_arena_push(arena, (size_t)stride * (size_t)(cols > 0 ? cols : 1), sizeof *a);
    return (thud_mat){rows, cols, stride, a};
}

static bool push_reduction(const law_case *c, law_reduction *r)
{
    const size_t n = (size_t)c->n;
    r->keep = thud_arena_push(c->arena, n, sizeof *r->keep);
    r->drop = thud_arena_push(c->arena, n, sizeof *r->drop);
    r->sparse = thud_arena_push(c->arena, n, sizeof *r->sparse);
    r->y = thud_arena_push(c->arena, n, sizeof *r->y);
    r->q = thud_arena_push(c->arena, n, sizeof *r->q);
    r->lo = thud_arena_push(c->arena, n, sizeof *r->lo);
    r->hi = thud_arena_push(c->arena, n, sizeof *r->hi);
    if (!r->keep || !r->drop || !r->sparse || !r->y || !r->q || !r->lo || !r->hi) {
        return false;
    }
    r->kept = r->out = 0;
    for (int i = 0; i < c->n; i++) {
        if (c->lo[i] == -INFINITY && c->hi[i] == INFINITY) {
            r->drop[r->out++] = i;
        } else {
            r->lo[r->kept] = c->lo[i];
            r->hi[r->kept] = c->hi[i];
            r->keep[r->kept++] = i;
        }
    }
    r->A = push_matrix(c->arena, r->out, r->out);
    r->X = push_matrix(c->arena, r->out, r->kept);
    r->M = push_matrix(c->arena, r->kept, r->kept);
    return r->A.a && r->X.a && r->M.a;
}

static void gather(thud_mat from, const int *row, const int *column, thud_mat to)
{
    for (int j = 0; j < to.cols; j++) {
        for (int i = 0; i < to.rows; i++) {
            *law_at(to, i, j) = *law_at(from, row[i], column[j]);
        }
    }
}

// A = L L^T; false where a pivot is lost in the rounding of its row.
static bool factor(law_reduction *r)
{
    for (int i = 0; i < r->out; i++) {
        r->y[i] = *law_at(r->A, i, i);
    }
    bool regular = thud_chol_factor(r->A) < 0;
    for (int i = 0; i < r->out && regular; i++) {
        const double pivot = *law_at(r->A, i, i) * *law_at(r->A, i, i);
        regular = pivot > SINGULAR * r->y[i];
    }
    return regular;
}

// M' -= M_RS X. A row of the pyramid sees the impulses of its own contact alone, so most of M_RS is zero.
static void subtract_product(law_reduction *r)
{
    for (int k = 0; k < r->out; k++) {
        const double *from = law_at(r->full, 0, r->drop[k]);
        int count = 0;
        for (int i = 0; i < r->kept; i++) {
            if (from[r->keep[i]] != 0) {
                r->sparse[count] = i;
                r->q[count++] = from[r->keep[i]];
            }
        }
        for (int j = 0; j < r->kept; j++) {
            const double x = *law_at(r->X, k, j);
            double *to = law_at(r->M, 0, j);
            for (int e = 0; e < count; e++) {
                to[r->sparse[e]] -= x * r->q[e];
            }
        }
    }
}

law_reduced law_reduce(const law_case *c, thud_mat M, law_reduction *r)
{
    *r = (law_reduction){.full = M};
    if (!push_reduction(c, r)) {
        return LAW_REDUCED_NO_MEMORY;
    }
    gather(M, r->drop, r->drop, r->A);
    gather(M, r->drop, r->keep, r->X);
    gather(M, r->keep, r->keep, r->M);
    if (r->out == 0) {
        return LAW_REDUCED;
    }
    if (!factor(r)) {
        return LAW_REDUCED_SINGULAR;
    }
    for (int j = 0; j < r->kept; j++) {
        thud_chol_solve(r->A, law_at(r->X, 0, j));
    }
    subtract_product(r);
    return LAW_REDUCED;
}

void law_reduce_constant(law_reduction *r, const double *q)
{
    for (int k = 0; k < r->out; k++) {
        r->y[k] = q[r->drop[k]];
    }
    if (r->out > 0) {
        thud_chol_solve(r->A, r->y);
    }
    for (int i = 0; i < r->kept; i++) {
        r->q[i] = q[r->keep[i]];
    }
    for (int k = 0; k < r->out; k++) {
        const double *column = law_at(r->full, 0, r->drop[k]);
        for (int i = 0; i < r->kept; i++) {
            r->q[i] -= column[r->keep[i]] * r->y[k];
        }
    }
}

void law_expand(const law_reduction *r, const double *kept, double *z)
{
    for (int k = 0; k < r->out; k++) {
        z[r->drop[k]] = -r->y[k];
    }
    for (int j = 0; j < r->kept; j++) {
        z[r->keep[j]] = kept[j];
        for (int k = 0; k < r->out; k++) {
            z[r->drop[k]] -= *law_at(r->X, k, j) * kept[j];
        }
    }
}
