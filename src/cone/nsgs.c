// SPDX-License-Identifier: Apache-2.0
// nsgs.c: nonsmooth block Gauss-Seidel: each block is solved exactly with the others held.    [theory 7, 9]
//
// Symbols  u = W^ p + b^, kept up to date column by column: a block that does not change costs nothing
//          q = u_i - W^_ii p_i, what the others leave for block i
// Cost     n^2 flops x 2 a sweep (dense), less where contacts are open; memory 3 n.
// Fails    slowly: with redundant contacts (W singular) the rate tends to 1; ITERATION_LIMIT or STALLED.
#include <math.h>
#include <string.h>

#include <thud/elementary.h>

#include "cone_work.h"

// Sweeps between fresh products u = W^ p + b^, which remove the rounding that updates pile up.
enum { REFRESH = 32 };

// Solves block i with the rest held; the change of p goes to delta. false: the block alone has no solution.
static bool solve_block(const cone_work *w, int i, const double *p, const double *u, double *delta)
{
    THUD_ASSERT(w->block[i].dim <= THUD_CONE_DIM_MAX);
    const cone_rows *b = w->block + i;
    int stride;
    const double *D = cone_work_diagonal(w, i, &stride);
    const double *pi = p + b->row, *ui = u + b->row;
    double W[THUD_CONE_DIM_MAX * THUD_CONE_DIM_MAX] = {0}, q[THUD_CONE_DIM_MAX] = {0},
                                 next[THUD_CONE_DIM_MAX];
    for (int r = 0; r < b->dim; r++) {
        q[r] = ui[r];
        next[r] = pi[r];
    }
    for (int s = 0; s < b->dim; s++) {
        for (int r = 0; r < b->dim; r++) {
            W[r + s * b->dim] = D[r + (size_t)s * (size_t)stride];
            q[r] -= W[r + s * b->dim] * pi[s];
        }
    }
    bool solved = true;
    if (b->kind == THUD_CONE_KIND_CONTACT) {
        solved = cone_solve_contact(b->dim, W, q, next);
    } else if (b->kind == THUD_CONE_KIND_FREE) {
        solved = cone_solve_free(b->dim, W, q, next);
    } else {
        next[0] = cone_solve_box(W[0], q[0], b->lo, b->hi, pi[0]);
    }
    for (int r = 0; r < b->dim; r++) {
        delta[r] = next[r] - pi[r];
    }
    return solved;
}

static void sweep(const cone_work *w, double *p, double *u)
{
    for (int i = 0; i < w->blocks; i++) {
        const cone_rows *b = w->block + i;
        double delta[THUD_CONE_DIM_MAX], size = 0;
        if (!solve_block(w, i, p, u, delta)) {
            continue;
        }
        for (int r = 0; r < b->dim; r++) {
            p[b->row + r] += delta[r];
            size += fabs(delta[r]);
        }
        if (size > 0) {
            cone_work_add_columns(w, i, delta, u);
        }
    }
}

// Sweeps still needed at the rate of the last `apart` sweeps, from residual `was` to `is`.
static double sweeps_left(double was, double is, int apart, double tolerance)
{
    const double rate = thud_log(is / was) / apart;
    return rate < 0 ? thud_log(tolerance / is) / rate : INFINITY;
}

thud_cone_outcome cone_nsgs(cone_work *w, double *p, int sweeps, bool judge_rate)
{
    THUD_ASSERT(sweeps > 0);
    const size_t mark = thud_arena_mark(w->arena);
    double *u = thud_arena_push(w->arena, (size_t)w->n, sizeof *u);
    double *best = thud_arena_push(w->arena, (size_t)w->n, sizeof *best);
    if (!u || !best) {
        thud_arena_release(w->arena, mark);
        return THUD_CONE_NO_MEMORY;
    }
    cone_work_multiply(w, p, u);
    double least = cone_work_residual(w, p, u), then = least;
    memcpy(best, p, sizeof *p * (size_t)w->n);
    thud_cone_outcome outcome = THUD_CONE_ITERATION_LIMIT;
    int check = 1; // next sweep at which to look: every one at first, every eighth later
    for (int k = 1; k <= sweeps && cone_spend(w, cone_product_work(w)); k++) {
        sweep(w, p, u);
        w->iterations++;
        if (k % REFRESH == 0) {
            cone_work_multiply(w, p, u);
        }
        if (k < check && k < sweeps) {
            continue;
        }
        const int apart = k < 8 ? 1 : 8;
        const double residual = cone_work_residual(w, p, u);
        if (residual < least) {
            least = residual;
            memcpy(best, p, sizeof *p * (size_t)w->n);
        }
        if (residual <= w->tolerance) {
            outcome = THUD_CONE_SOLVED;
            break;
        }
        if (!isfinite(residual) ||
            (judge_rate && k >= 16 && sweeps_left(then, residual, apart, w->tolerance) > sweeps - k)) {
            outcome = THUD_CONE_STALLED;
            break;
        }
        then = residual;
        check = k + (k < 8 ? 1 : 8);
    }
    memcpy(p, best, sizeof *p * (size_t)w->n);
    thud_arena_release(w->arena, mark);
    return outcome;
}
