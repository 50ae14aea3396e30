// SPDX-License-Identifier: Apache-2.0
// cone_judge.c: the one judge of every method, from the problem and p alone.                       [theory 7]
//
// Symbols  u~ = u + (|diag(mu) u_t|, 0 ..) de Saxce's correction · rho = rows / trace(W)
#include <math.h>
#include <string.h>

#include "cone_work.h"

// y <- W_i. p for block row i.
static void sparse_row(const thud_cone *c, int i, const double *p, double *y)
{
    const thud_cone_block *bi = c->block + i;
    for (int k = c->sparse->start[i]; k < c->sparse->start[i + 1]; k++) {
        const thud_cone_block *bj = c->block + c->sparse->column[k];
        const double *a = c->sparse->value + c->sparse->at[k];
        for (int s = 0; s < bj->dim; s++) {
            for (int r = 0; r < bi->dim; r++) {
                y[r] += a[r + s * bi->dim] * p[bj->row + s];
            }
        }
    }
}

void thud_cone_velocity(const thud_cone *c, const double *p, double *u)
{
    if (c->W.a) {
        thud_mat_mulvec(c->W, p, u);
    } else {
        memset(u, 0, sizeof *u * (size_t)c->rows);
        for (int i = 0; i < c->blocks; i++) {
            sparse_row(c, i, p, u + c->block[i].row);
        }
    }
    for (int i = 0; i < c->rows; i++) {
        u[i] += c->b[i] + (c->epsilon ? c->epsilon[i] * p[i] : 0);
    }
}

double cone_sparse_diagonal(const thud_cone *c, int block, int r)
{
    for (int k = c->sparse->start[block]; k < c->sparse->start[block + 1]; k++) {
        if (c->sparse->column[k] == block) {
            return c->sparse->value[c->sparse->at[k] + r + r * c->block[block].dim];
        }
    }
    return 0;
}

double cone_trace(const thud_cone *c)
{
    double trace = 0;
    if (c->W.a) {
        const double *d = c->W.a;
        for (int i = 0; i < c->rows; i++, d += c->W.stride + 1) {
            trace += c->epsilon ? *d + c->epsilon[i] : *d;
        }
        return trace;
    }
    for (int i = 0; i < c->blocks; i++) {
        for (int r = 0; r < c->block[i].dim; r++) {
            trace += cone_sparse_diagonal(c, i, r) + (c->epsilon ? c->epsilon[c->block[i].row + r] : 0);
        }
    }
    return trace;
}

static inline void gap_of(const thud_cone_block *b, int dim, bool round, const double *p, const double *u,
                          double rho, double *r)
{
    double y[THUD_CONE_DIM_MAX], slip2 = 0;
    for (int k = 1; k < dim && b->kind == THUD_CONE_KIND_CONTACT; k++) {
        slip2 += b->mu[k - 1] * u[k] * (b->mu[k - 1] * u[k]);
    }
    y[0] = p[0] - rho * (u[0] + sqrt(slip2));
    for (int k = 1; k < dim; k++) {
        y[k] = p[k] - rho * u[k];
    }
    if (round) {
        cone_project_round(2, b->mu[0], y);
    } else {
        thud_cone_project(b, y);
    }
    for (int k = 0; k < dim; k++) {
        r[k] = p[k] - y[k];
    }
}

static inline void find_gap(const thud_cone_block *b, const double *p, const double *u, double rho, double *r)
{
    if (cone_is_round(b)) { // nearly all of them, without loops
        gap_of(b, 3, true, p, u, rho, r);
    } else {
        gap_of(b, b->dim, false, p, u, rho, r);
    }
}

void thud_cone_gap(const thud_cone_block *b, const double *p, const double *u, double rho, double *r)
{
    find_gap(b, p, u, rho, r);
}

double thud_cone_rho(int rows, double trace)
{
    THUD_ASSERT(rows >= 0);
    return trace > 0 ? rows / trace : 1; // W = 0: any rho gives the same zeros
}

double cone_size_with(const thud_cone *c, double own)
{
    return c->beside > 0 ? sqrt(own * own + c->beside) : own;
}

double cone_size(const thud_cone *c)
{
    return cone_size_with(c, thud_norm2(c->rows, c->b));
}

double thud_cone_residual_by(double rho, double gap, double b, double p)
{
    const double of_p = 1e-8 * p, of_b = rho * b;
    return gap == 0 ? 0 : gap / (of_p > of_b ? of_p : of_b);
}

// size: the judge's |b|.
static double residual_of(const thud_cone *c, const double *p, double rho, double size, const double *r)
{
    return thud_cone_residual_by(rho, thud_norm2(c->rows, r), size, thud_norm2(c->rows, p));
}

// The same of four round ones, whose rows follow each other: the same numbers, side by side.
THUD_KERNEL static void find_four_gaps(const thud_cone_block *b, const double *p, const double *u, double rho,
                                       double *r)
{
    const four mu = {b[0].mu[0], b[1].mu[0], b[2].mu[0], b[3].mu[0]}, zero = {0}, one = {1, 1, 1, 1};
    four at[3], v[3];
    fours_part(p, at);
    fours_part(u, v);
    const four s1 = mu * v[1], s2 = mu * v[2];
    four slip = s1 * s1 + s2 * s2;
    fours_root(&slip);
    const four y[3] = {at[0] - rho * (v[0] + slip), at[1] - rho * v[1], at[2] - rho * v[2]};
    four t = y[1] * y[1] + y[2] * y[2];
    fours_root(&t);
    const four up = y[0] + mu * t;
    const four_of_bits inside = t <= mu * y[0], below = up < zero; // not for NaN, which stays
    const four n = FOURS_ONLY(~below, up) / (one + mu * mu);
    const four side = FOURS_ONLY(n > zero, mu * n / t);
    const four to[3] = {n, y[1] * side, y[2] * side};
    four gap[3];
    for (int k = 0; k < 3; k++) {
        gap[k] = at[k] - FOURS_SELECT(inside, y[k], to[k]);
    }
    fours_join(gap, r);
}

static inline bool are_round(const thud_cone_block *b) // four of them
{
    return cone_is_round(b) && cone_is_round(b + 1) && cone_is_round(b + 2) && cone_is_round(b + 3);
}

static inline void find_gaps(const thud_cone *c, const double *p, const double *u, double rho, double *r)
{
    int i = 0;
    for (; i + FOUR <= c->blocks && are_round(c->block + i); i += FOUR) {
        const int row = c->block[i].row;
        find_four_gaps(c->block + i, p + row, u + row, rho, r + row);
    }
    for (; i < c->blocks; i++) {
        const int row = c->block[i].row;
        find_gap(c->block + i, p + row, u + row, rho, r + row);
    }
}

double thud_cone_residual_at(const thud_cone *c, const double *p, const double *u, double trace, double *r)
{
    const double rho = thud_cone_rho(c->rows, trace);
    find_gaps(c, p, u, rho, r);
    return residual_of(c, p, rho, cone_size(c), r);
}

double cone_residual_known(const thud_cone *c, const double *p, double rho, double size, double *scratch)
{
    THUD_ASSERT(rho > 0 || c->rows == 0);
    thud_cone_velocity(c, p, scratch);
    find_gaps(c, p, scratch, rho, scratch + c->rows);
    return residual_of(c, p, rho, size, scratch + c->rows);
}

double thud_cone_residual(const thud_cone *c, const double *p, double *scratch)
{
    thud_cone_velocity(c, p, scratch);
    return thud_cone_residual_at(c, p, scratch, cone_trace(c), scratch + c->rows);
}
