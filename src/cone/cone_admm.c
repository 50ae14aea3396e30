// SPDX-License-Identifier: Apache-2.0
// cone_admm.c: alternating directions: one linear solve and one projection a step, with one factor. [theory
// 7]
//
// Symbols  z in K a copy of p · lambda its scaled multiplier · sigma weight of a block · s = |u_t|,
// correction
//   p <- (W^ + sigma)^-1 (sigma (z - lambda) - b^ - s),  z <- Proj_K(p~ + lambda),  lambda <- lambda + p~ - z
//   with p~ = RELAX p + (1 - RELAX) z; at the fixed point u + s = -sigma lambda, which gives s.
// Cost     one LU, then 2 n^2 a step; a new LU when the two residuals drift apart.
// Fails    linearly: ITERATION_LIMIT. It never needs W regular, and it is content with rough tolerances.
#include <math.h>
#include <string.h>

#include "cone_work.h"

static const double RELAX = 1.6;
enum { CHECK = 10, REFACTORS = 8 };

typedef struct admm {
    cone_work *w;
    double *sigma, *z, *lambda, *rhs, *u, *best; // n
    double weight;                               // sigma = weight x mean diagonal of the block
    thud_mat K;
    int *pivot;
    thud_csc S;
    thud_sparse_lu *lu;
} admm;

static bool begin(cone_work *w, admm *a)
{
    const size_t n = (size_t)w->n;
    *a = (admm){.w = w, .weight = 1};
    double **vector[] = {&a->sigma, &a->z, &a->lambda, &a->rhs, &a->u, &a->best};
    bool all = true;
    for (size_t k = 0; k < sizeof vector / sizeof *vector; k++) {
        all = (*vector[k] = thud_arena_push(w->arena, n, sizeof(double))) && all;
    }
    if (w->W.a) {
        a->K = (thud_mat){w->n, w->n, w->n, thud_arena_push(w->arena, n * n, sizeof(double))};
        a->pivot = thud_arena_push(w->arena, n, sizeof(int));
        return all && a->K.a && a->pivot;
    }
    size_t entries = 0;
    for (int j = 0; j < w->blocks; j++) {
        for (int k = w->sparse.start[j]; k < w->sparse.start[j + 1]; k++) {
            entries += (size_t)w->block[j].dim * (size_t)w->block[w->sparse.row[k]].dim;
        }
    }
    a->S = (thud_csc){w->n, w->n, thud_arena_push(w->arena, n + 1, sizeof(int)),
                      thud_arena_push(w->arena, entries, sizeof(int)),
                      thud_arena_push(w->arena, entries, sizeof(double))};
    return all && a->S.start && a->S.row && a->S.value;
}

static void choose_sigma(admm *a)
{
    THUD_ASSERT(a->w->n > 0);
    const cone_work *w = a->w;
    for (int i = 0; i < w->blocks; i++) {
        const cone_rows *b = w->block + i;
        int stride;
        const double *D = cone_work_diagonal(w, i, &stride);
        double trace = 0;
        for (int r = 0; r < b->dim; r++) {
            trace += D[r + (size_t)r * (size_t)stride];
        }
        const double mean = trace > 0 ? trace / b->dim : w->mean;
        for (int r = 0; r < b->dim; r++) {
            a->sigma[b->row + r] = a->weight * mean;
        }
    }
}

static void sparse_matrix(admm *a)
{
    const cone_work *w = a->w;
    int entries = 0;
    for (int j = 0; j < w->blocks; j++) {
        const cone_rows *bj = w->block + j;
        for (int s = 0; s < bj->dim; s++) {
            a->S.start[bj->row + s] = entries;
            for (int k = w->sparse.start[j]; k < w->sparse.start[j + 1]; k++) {
                const cone_rows *bi = w->block + w->sparse.row[k];
                for (int r = 0; r < bi->dim; r++) {
                    const double x = w->sparse.value[w->sparse.at[k] + r + s * bi->dim];
                    const int row = bi->row + r;
                    a->S.row[entries] = row;
                    a->S.value[entries++] = x + (row == bj->row + s ? a->sigma[row] : 0);
                }
            }
        }
    }
    a->S.start[w->n] = entries;
}

static bool factor(admm *a)
{
    const cone_work *w = a->w;
    choose_sigma(a);
    a->w->factorizations++;
    if (!w->W.a) {
        sparse_matrix(a);
        thud_sparse_lu_destroy(a->lu);
        return thud_sparse_lu_create(&a->S, &a->lu) == THUD_OK;
    }
    memcpy(a->K.a, w->W.a, sizeof(double) * (size_t)w->n * (size_t)w->n);
    for (int i = 0; i < w->n; i++) {
        a->K.a[i + (size_t)i * (size_t)w->n] += a->sigma[i];
    }
    return thud_lu_factor(a->K, a->pivot) < 0;
}

// The nearest point of the unit cone |t| <= n, or of the bounds.
static void project(const cone_rows *b, double *y)
{
    if (b->kind == THUD_CONE_KIND_BOX) {
        y[0] = thud_min(thud_max(y[0], b->lo), b->hi);
    } else if (b->kind == THUD_CONE_KIND_CONTACT) {
        thud_cone_block unit = {.kind = b->kind, .dim = b->dim, .mu = {1, 1, 1, 1, 1}};
        thud_cone_project(&unit, y);
    }
}

// One step; primal and dual are |p - z| and |change of z|, both as velocities.
static void step(admm *a, double *p, double *primal, double *dual)
{
    const cone_work *w = a->w;
    for (int i = 0; i < w->blocks; i++) {
        const cone_rows *b = w->block + i;
        double slip = 0;
        for (int r = b->row; r < b->row + b->dim; r++) {
            a->rhs[r] = a->sigma[r] * (a->z[r] - a->lambda[r]) - w->b[r];
            slip += r > b->row ? a->sigma[r] * a->lambda[r] * (a->sigma[r] * a->lambda[r]) : 0;
        }
        a->rhs[b->row] -= b->kind == THUD_CONE_KIND_CONTACT ? sqrt(slip) : 0;
    }
    if (w->W.a) {
        memcpy(p, a->rhs, sizeof *p * (size_t)w->n);
        thud_lu_solve(a->K, a->pivot, p);
    } else {
        thud_sparse_lu_solve(a->lu, a->rhs, p);
    }
    *primal = *dual = 0;
    for (int i = 0; i < w->blocks; i++) {
        const cone_rows *b = w->block + i;
        double y[THUD_CONE_DIM_MAX], p_relaxed[THUD_CONE_DIM_MAX];
        for (int r = 0; r < b->dim; r++) {
            p_relaxed[r] = RELAX * p[b->row + r] + (1 - RELAX) * a->z[b->row + r];
            y[r] = p_relaxed[r] + a->lambda[b->row + r];
        }
        project(b, y);
        for (int r = 0; r < b->dim; r++) {
            const int k = b->row + r;
            *primal += a->sigma[k] * (p[k] - y[r]) * (a->sigma[k] * (p[k] - y[r]));
            *dual += a->sigma[k] * (y[r] - a->z[k]) * (a->sigma[k] * (y[r] - a->z[k]));
            a->lambda[k] += p_relaxed[r] - y[r];
            a->z[k] = y[r];
        }
    }
}

// Doubles or halves the weight when one residual is much larger than the other; the multiplier is rescaled.
static bool balance(admm *a, double primal, double dual)
{
    const double factor_by = primal > 100 * dual ? 4 : dual > 100 * primal ? 0.25 : 1;
    if (factor_by == 1) {
        return true;
    }
    a->weight *= factor_by;
    for (int i = 0; i < a->w->n; i++) {
        a->lambda[i] /= factor_by;
    }
    return factor(a);
}

static thud_cone_outcome iterate(admm *a, double *p, int steps)
{
    THUD_ASSERT(steps >= 0);
    cone_work *w = a->w;
    const size_t bytes = sizeof *p * (size_t)w->n;
    double least = INFINITY;
    int refactors = 0;
    memcpy(a->z, p, bytes);
    memcpy(a->best, p, bytes);
    cone_work_multiply(w, p, a->u);
    for (int i = 0; i < w->n; i++) {
        a->lambda[i] = -a->u[i] / a->sigma[i];
    }
    for (int k = 1; k <= steps && cone_spend(w, 2 * cone_product_work(w)); k++) {
        double primal, dual;
        step(a, p, &primal, &dual);
        w->iterations++;
        if (k % CHECK != 0 && k < steps) {
            continue;
        }
        cone_work_multiply(w, a->z, a->u);
        const double residual = cone_work_residual(w, a->z, a->u);
        if (residual < least) {
            least = residual;
            memcpy(a->best, a->z, bytes);
        }
        if (!isfinite(residual) || least <= w->tolerance) {
            break;
        }
        if (k % (10 * CHECK) == 0 && refactors < REFACTORS && !balance(a, sqrt(primal), sqrt(dual))) {
            break;
        }
        refactors += k % (10 * CHECK) == 0;
    }
    memcpy(p, a->best, bytes);
    return least <= w->tolerance ? THUD_CONE_SOLVED : THUD_CONE_ITERATION_LIMIT;
}

thud_cone_outcome cone_admm(cone_work *w, double *p)
{
    const size_t mark = thud_arena_mark(w->arena);
    admm a;
    thud_cone_outcome outcome = THUD_CONE_NO_MEMORY;
    if (begin(w, &a)) {
        outcome =
            factor(&a) ? iterate(&a, p, w->max_iterations > 0 ? w->max_iterations : 5000) : THUD_CONE_STALLED;
        thud_sparse_lu_destroy(a.lu);
    }
    thud_arena_release(w->arena, mark);
    return outcome;
}
