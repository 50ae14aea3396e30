// SPDX-License-Identifier: Apache-2.0
// cone_jacobian.c: the linearised Alart-Curnier equations, assembled on the rows not held and solved.
//
// Symbols  J = A W~ + B, W~ = W^ + epsilon diag(shape), A and B block diagonal
//   held    p <- its bound: the row leaves the system, dp = -F
//   free    A = rho, B = 0
//   slide   with y_t = |y_t| d, radius r = y_n, G = (r / |y_t|) (I - d d^T):
//           normal row  A = rho_n, B = 0
//           tangential  dF_t = dp_t - G (dp_t - rho_t du_t) - d (dp_n - rho_n du_n)
// Fails    false when the reduced matrix is singular (never for epsilon > 0 and a positive semidefinite W).
#include <math.h>
#include <string.h>

#include "cone_newton.h"

enum { D = THUD_CONE_DIM_MAX };

typedef struct block_rows {
    double A[D][D], B[D][D];
    double d[D], ratio; // of one that slides: where to, and r / |y_t|
} block_rows;

static void block_derivative(const cone_tangent *t, int i, block_rows *m)
{
    const cone_rows *b = t->w->block + i;
    const double *rho = t->rho + b->row, *y = t->y + b->row;
    for (int r = 0; r < b->dim; r++) { // no more than the block has: most have 3 rows
        for (int s = 0; s < b->dim; s++) {
            m->A[r][s] = m->B[r][s] = 0;
        }
    }
    if (t->state[i] == ROWS_FREE) {
        for (int r = 0; r < b->dim; r++) {
            m->A[r][r] = rho[r];
        }
        return;
    }
    double t2 = 0;
    for (int r = 1; r < b->dim; r++) {
        t2 += y[r] * y[r];
    }
    const double size = sqrt(t2), ratio = y[0] / size;
    m->A[0][0] = rho[0];
    m->ratio = ratio;
    for (int r = 1; r < b->dim; r++) {
        const double d = m->d[r] = y[r] / size;
        m->A[r][0] = rho[0] * d;
        m->B[r][0] = -d;
        for (int s = 1; s < b->dim; s++) {
            const double G = ratio * ((r == s) - d * y[s] / size);
            m->A[r][s] = G * rho[s];
            m->B[r][s] = (r == s) - G;
        }
    }
}

// to <- A_i from of a contact that slides: G is a multiple of I but for d d^T.
THUD_INSIDE void slide_rows(int dim, const block_rows *m, const double *rho, const double *from, double *to)
{
    double x[D], along = 0;
    for (int r = 1; r < dim; r++) {
        x[r] = m->ratio * rho[r] * from[r];
        along += m->d[r] * x[r];
    }
    to[0] = rho[0] * from[0];
    for (int r = 1; r < dim; r++) {
        to[r] = x[r] + m->d[r] * (to[0] - along);
    }
}

// to <- A_i from, for one column of W~ restricted to block i's rows.
THUD_INSIDE void apply_rows(const cone_tangent *t, int i, const block_rows *m, const double *from, double *to)
{
    const int dim = t->w->block[i].dim;
    const double *rho = t->rho + t->w->block[i].row;
    if (t->state[i] == ROWS_FREE && dim == 3) { // as nearly all, without loops
        to[0] = m->A[0][0] * from[0];
        to[1] = m->A[1][1] * from[1];
        to[2] = m->A[2][2] * from[2];
        return;
    }
    if (t->state[i] == ROWS_FREE) {
        for (int r = 0; r < dim; r++) {
            to[r] = m->A[r][r] * from[r];
        }
        return;
    }
    if (dim == 3) {
        to[0] = m->A[0][0] * from[0];
        to[1] = m->A[1][0] * from[0] + m->A[1][1] * from[1] + m->A[1][2] * from[2];
        to[2] = m->A[2][0] * from[0] + m->A[2][1] * from[1] + m->A[2][2] * from[2];
        return;
    }
    if (dim == D) { // with torsion and rolling friction
        slide_rows(D, m, rho, from, to);
    } else {
        slide_rows(dim, m, rho, from, to);
    }
}

// Numbers the rows not held. Returns the size of the reduced system.
static int number_rows(cone_tangent *t)
{
    int m = 0;
    for (int i = 0; i < t->w->blocks; i++) {
        const cone_rows *b = t->w->block + i;
        for (int r = b->row; r < b->row + b->dim; r++) {
            t->map[r] = t->state[i] == ROWS_HELD ? -1 : m++;
        }
    }
    return m;
}

// x = W~ dp of the held rows, whose dp is -F
static void held_columns(cone_tangent *t)
{
    const cone_work *w = t->w;
    memset(t->x, 0, sizeof *t->x * (size_t)w->n);
    for (int j = 0; j < w->blocks; j++) {
        const cone_rows *b = w->block + j;
        double dp[D] = {0}, size = 0;
        for (int r = 0; r < b->dim && t->state[j] == ROWS_HELD; r++) {
            dp[r] = -t->F[b->row + r];
            size += fabs(dp[r]);
        }
        if (size > 0) {
            cone_work_add_columns(w, j, dp, t->x);
        }
    }
}

// rhs = -F - A (W~ dp of the held rows)
static void right_side(cone_tangent *t, const block_rows *rows)
{
    const cone_work *w = t->w;
    held_columns(t);
    for (int i = 0; i < w->blocks; i++) {
        const cone_rows *b = w->block + i;
        double Ax[D];
        if (t->state[i] != ROWS_HELD) {
            apply_rows(t, i, rows + i, t->x + b->row, Ax);
            for (int r = 0; r < b->dim; r++) {
                t->rhs[t->map[b->row + r]] = -t->F[b->row + r] - Ax[r];
            }
        }
    }
}

THUD_KERNEL static void dense_jacobian(cone_tangent *t, int m, const block_rows *rows)
{
    THUD_ASSERT(0 <= m && m <= t->w->n);
    const cone_work *w = t->w;
    t->J.rows = t->J.cols = t->J.stride = m;
    for (int j = 0; j < w->blocks; j++) {
        const cone_rows *bj = w->block + j;
        for (int s = 0; s < bj->dim && t->state[j] != ROWS_HELD; s++) {
            const double *from = w->W.a + (size_t)(bj->row + s) * (size_t)w->n;
            double *to = t->J.a + (size_t)t->map[bj->row + s] * (size_t)m;
            for (int i = 0; i < w->blocks; i++) {
                const cone_rows *bi = w->block + i;
                if (t->state[i] != ROWS_HELD) {
                    apply_rows(t, i, rows + i, from + bi->row, to + t->map[bi->row]);
                }
            }
            const double epsilon = t->epsilon * w->shape[bj->row + s];
            for (int r = 0; r < bj->dim; r++) {
                to[t->map[bj->row] + r] += rows[j].A[r][s] * epsilon + rows[j].B[r][s];
            }
        }
    }
}

static void sparse_jacobian(cone_tangent *t, int m, const block_rows *rows)
{
    const cone_work *w = t->w;
    int entries = 0, column = 0;
    t->S.rows = t->S.cols = m;
    for (int j = 0; j < w->blocks; j++) {
        const cone_rows *bj = w->block + j;
        for (int s = 0; s < bj->dim && t->state[j] != ROWS_HELD; s++) {
            t->S.start[column++] = entries;
            for (int k = w->sparse.start[j]; k < w->sparse.start[j + 1]; k++) {
                const int i = w->sparse.row[k];
                const cone_rows *bi = w->block + i;
                if (t->state[i] == ROWS_HELD) {
                    continue;
                }
                double from[D], *to = t->S.value + entries;
                memcpy(from, w->sparse.value + w->sparse.at[k] + s * bi->dim, sizeof *from * (size_t)bi->dim);
                from[s] += i == j ? t->epsilon * w->shape[bj->row + s] : 0;
                apply_rows(t, i, rows + i, from, to);
                for (int r = 0; r < bi->dim; r++) {
                    to[r] += i == j ? rows[j].B[r][s] : 0;
                    t->S.row[entries++] = t->map[bi->row] + r;
                }
            }
        }
    }
    t->S.start[column] = entries;
}

// With all pivots, on the rows not held.
static bool factor_reduced(cone_tangent *t, const block_rows *rows)
{
    const int m = number_rows(t);
    if (t->w->W.a) {
        dense_jacobian(t, m, rows);
        return thud_lu_factor(t->J, t->pivot) < 0;
    }
    sparse_jacobian(t, m, rows);
    thud_sparse_lu_destroy(t->lu);
    t->lu = NULL;
    return m == 0 || thud_sparse_lu_create(&t->S, &t->lu) == THUD_OK;
}

// The rows are numbered as they were when the factors were made: the states are the same.
static void solve_reduced(cone_tangent *t, const block_rows *rows)
{
    right_side(t, rows);
    if (t->w->W.a) {
        thud_lu_solve(t->J, t->pivot, t->rhs);
    } else if (t->S.rows > 0) {
        thud_sparse_lu_solve(t->lu, t->rhs, t->x);
        memcpy(t->rhs, t->x, sizeof *t->x * (size_t)t->S.rows);
    }
    for (int i = 0; i < t->w->n; i++) {
        t->step[i] = t->map[i] >= 0 ? t->rhs[t->map[i]] : 0;
    }
}

// ---------------------------------------------------------------------------------------------- by pattern

// As put_unsymmetric of two contacts of three rows each, which nearly all of a pile are.
static void put_contacts(const cone_tangent *t, const cone_entry *e, const double A[D][D], double *to)
{
    const double *W = (t->w->W.a ? t->w->W.a : t->w->sparse.value) + e->from;
    if (t->state[e->i] == ROWS_FREE) {
        for (int s = 0; s < 3; s++, W += e->stride, to += e->pace) {
            to[0] = A[0][0] * W[0];
            to[e->down] = A[1][1] * W[1];
            to[2 * e->down] = A[2][2] * W[2];
        }
        return;
    }
    for (int s = 0; s < 3; s++, W += e->stride, to += e->pace) {
        to[0] = A[0][0] * W[0];
        to[e->down] = A[1][0] * W[0] + A[1][1] * W[1] + A[1][2] * W[2];
        to[2 * e->down] = A[2][0] * W[0] + A[2][1] * W[1] + A[2][2] * W[2];
    }
}

// The block of W~ that entry e stands for, times A_i, plus B_i, into the factor. A held row is dp = -F.
static void put_unsymmetric(cone_tangent *t, const cone_entry *e, const block_rows *rows)
{
    const cone_work *w = t->w;
    const cone_rows *bi = w->block + e->i, *bj = w->block + e->j;
    double *to = t->factor.value + e->to;
    const double *W = (w->W.a ? w->W.a : w->sparse.value) + e->from;
    if (t->state[e->i] == ROWS_HELD) {
        for (int r = 0; r < bi->dim && e->i == e->j; r++) {
            to[r * (e->down + e->pace)] = 1;
        }
        return;
    }
    if (bi->dim == 3 && bj->dim == 3 && e->i != e->j) {
        put_contacts(t, e, rows[e->i].A, to);
        return;
    }
    for (int s = 0; s < bj->dim; s++) {
        double from[D], AW[D];
        for (int r = 0; r < bi->dim; r++) {
            from[r] = W[r + (size_t)s * (size_t)e->stride];
        }
        from[s] += e->i == e->j ? t->epsilon * w->shape[bj->row + s] : 0;
        apply_rows(t, e->i, rows + e->i, from, AW);
        for (int r = 0; r < bi->dim; r++) {
            to[r * e->down + s * e->pace] = AW[r] + (e->i == e->j ? rows[e->i].B[r][s] : 0);
        }
    }
}

static bool factor_unsymmetric(cone_tangent *t, const block_rows *rows)
{
    cone_factor *f = &t->factor;
    memset(f->value, 0, sizeof *f->value * f->values);
    for (int k = 0; k < f->entries; k++) {
        put_unsymmetric(t, f->entry + k, rows);
    }
    return cone_factor_lu(f);
}

static void solve_unsymmetric(cone_tangent *t)
{
    for (int i = 0; i < t->w->n; i++) {
        t->step[i] = -t->F[i];
    }
    cone_factor_lu_solve(&t->factor, t->step);
}

static void put_symmetric(cone_tangent *t, const cone_entry *e)
{
    const cone_work *w = t->w;
    const cone_rows *bi = w->block + e->i, *bj = w->block + e->j;
    double *to = t->factor.value + e->to;
    const double *W = (w->W.a ? w->W.a : w->sparse.value) + e->from;
    const bool held = t->state[e->i] == ROWS_HELD || t->state[e->j] == ROWS_HELD;
    for (int s = 0; s < bj->dim && !held; s++) {
        for (int r = 0; r < bi->dim; r++) {
            to[r + s * e->pace] = W[r + (size_t)s * (size_t)e->stride];
        }
    }
    for (int r = 0; r < bi->dim && e->i == e->j; r++) {
        to[r * (1 + e->pace)] = held ? 1 : to[r * (1 + e->pace)] + t->epsilon * w->shape[bi->row + r];
    }
}

// All rows free or held: W~ dp = -F / rho on the free ones is symmetric.
static bool factor_symmetric(cone_tangent *t)
{
    cone_factor *f = &t->factor;
    memset(f->value, 0, sizeof *f->value * f->panels);
    for (int k = 0; k < f->lower; k++) {
        put_symmetric(t, f->entry + k);
    }
    return cone_factor_cholesky(f);
}

static void solve_symmetric(cone_tangent *t)
{
    const cone_work *w = t->w;
    held_columns(t);
    for (int i = 0; i < w->blocks; i++) {
        for (int r = w->block[i].row; r < w->block[i].row + w->block[i].dim; r++) {
            t->step[r] = t->state[i] == ROWS_HELD ? -t->F[r] : -t->F[r] / t->rho[r] - t->x[r];
        }
    }
    cone_factor_cholesky_solve(&t->factor, t->step);
}

// ---------------------------------------------------------------------------------------------- by groups

// One that slides. false: singular.
static bool put_sliding(cone_tangent *t, int i)
{
    const cone_work *w = t->w;
    const cone_rows *b = w->block + i;
    double A[PAIR][PAIR] = {{0}}, own[PAIR][PAIR] = {{0}};
    block_rows m; // of one after the other: all of them would not stay in a cache
    block_derivative(t, i, &m);
    for (int r = 0; r < b->dim; r++) {
        for (int s = 0; s < b->dim; s++) {
            const int row = b->row + s;
            A[r][s] = m.A[r][s];
            own[r][s] = A[r][s] * (t->epsilon * w->shape[row] + w->groups->compliance[row]) + m.B[r][s];
        }
    }
    return cone_groups_put(w->groups, i, A, own);
}

static bool factor_groups(cone_tangent *t)
{
    const cone_work *w = t->w;
    bool good = true;
    cone_groups_clear(w->groups);
    for (int i = 0; i < w->blocks && good; i++) {
        const cone_rows *b = w->block + i;
        if (t->state[i] == ROWS_HELD) {
            cone_groups_hold(w->groups, i);
        } else if (t->state[i] == ROWS_FREE) {
            double e[PAIR];
            for (int r = 0; r < b->dim; r++) {
                e[r] = t->epsilon * w->shape[b->row + r] + w->groups->compliance[b->row + r];
            }
            cone_groups_stick(w->groups, i, t->rho + b->row, e);
        } else {
            good = put_sliding(t, i);
        }
    }
    return good && cone_groups_factor(w->groups);
}

static void solve_groups(cone_tangent *t)
{
    for (int i = 0; i < t->w->n; i++) {
        t->step[i] = -t->F[i];
    }
    cone_groups_solve(t->w->groups, t->w, t->step);
}

// ---------------------------------------------------------------------------------------------- the
// direction

// Does the pattern ask for so much less than a dense factor of the rows not held that it is the quicker?
// Measured on stacks: of five boxes neither is, of ten the pattern by a factor of two.
static bool pattern_pays(const cone_tangent *t, bool symmetric)
{
    const double gain = symmetric ? 8 : 16;
    double m = 0;
    for (int i = 0; i < t->w->blocks; i++) {
        m += t->state[i] == ROWS_HELD ? 0 : t->w->block[i].dim;
    }
    return !t->w->W.a || gain * t->factor.cost < m * m * m;
}

static void derive(const cone_tangent *t, block_rows *rows)
{
    for (int i = 0; i < t->w->blocks; i++) {
        if (t->state[i] != ROWS_HELD) {
            block_derivative(t, i, rows + i);
        }
    }
}

static cone_factored factor(cone_tangent *t, block_rows *rows)
{
    bool symmetric = t->factor.symmetric;
    for (int i = 0; i < t->w->blocks; i++) {
        symmetric = symmetric && t->state[i] != ROWS_SLIDE;
    }
    if (t->w->groups && factor_groups(t)) {
        return FACTORED_BY_GROUPS;
    }
    derive(t, rows);
    if (t->w->groups) {
        return factor_reduced(t, rows) ? FACTORED_REDUCED : FACTORED_NOT;
    }
    const bool pays = pattern_pays(t, symmetric);
    if (pays && symmetric && factor_symmetric(t)) {
        return FACTORED_SYMMETRIC;
    }
    return pays && factor_unsymmetric(t, rows) ? FACTORED_BY_PATTERN
           : factor_reduced(t, rows)           ? FACTORED_REDUCED
                                               : FACTORED_NOT;
}

static void solve(cone_tangent *t, const block_rows *rows)
{
    if (t->factored == FACTORED_REDUCED) {
        solve_reduced(t, rows);
    } else if (t->factored == FACTORED_BY_GROUPS) {
        solve_groups(t);
    } else if (t->factored == FACTORED_SYMMETRIC) {
        solve_symmetric(t);
    } else {
        solve_unsymmetric(t);
    }
    for (int i = 0; i < t->w->blocks; i++) { // open is exactly 0, not nearly
        const cone_rows *b = t->w->block + i;
        for (int r = b->row; r < b->row + b->dim && t->state[i] == ROWS_HELD; r++) {
            t->step[r] = -t->F[r];
        }
    }
}

// J depends on the states, on epsilon and, where a contact slides, on y. The factors that are there serve if
// states and epsilon are theirs and no sliding contact's y has moved by more than CLOSE of itself.
static bool factors_serve(cone_tangent *t)
{
    static const double CLOSE = 1e-5;
    const cone_work *w = t->w;
    t->exact = true;
    if (t->factored == FACTORED_NOT || t->factor_epsilon != t->epsilon ||
        memcmp(t->factor_state, t->state, sizeof *t->state * (size_t)w->blocks) != 0) {
        return false;
    }
    for (int i = 0; i < w->blocks; i++) {
        const cone_rows *b = w->block + i;
        double moved = 0, size = 0;
        for (int r = b->row; r < b->row + b->dim && t->state[i] == ROWS_SLIDE; r++) {
            moved += fabs(t->y[r] - t->factor_y[r]);
            size += fabs(t->y[r]);
        }
        if (moved > CLOSE * size) {
            return false;
        }
        t->exact = t->exact && moved == 0;
    }
    return true;
}

// Factors the Jacobian unless the factors that are there serve. false: singular.
static bool have_factors(cone_tangent *t, block_rows *rows)
{
    if (t->kept) {
        return true;
    }
    t->factored = factor(t, rows);
    t->factor_epsilon = t->epsilon;
    memcpy(t->factor_state, t->state, sizeof *t->state * (size_t)t->w->blocks);
    memcpy(t->factor_y, t->y, sizeof *t->y * (size_t)t->w->n);
    t->w->factorizations++;
    (void)cone_spend(t->w, cone_factor_work(t->w));
    return t->factored != FACTORED_NOT;
}

bool cone_newton_direction(cone_tangent *t)
{
    THUD_ASSERT(t->w->n > 0);
    const cone_work *w = t->w;
    const size_t mark = thud_arena_mark(w->arena);
    block_rows *rows = thud_arena_push(w->arena, (size_t)w->blocks, sizeof *rows);
    if (!rows) {
        return false;
    }
    t->kept = factors_serve(t);
    if (t->kept && t->factored == FACTORED_REDUCED) { // a right side needs them
        derive(t, rows);
    }
    const bool solved = have_factors(t, rows);
    if (solved) {
        solve(t, rows);
    }
    thud_arena_release(w->arena, mark);
    return solved && thud_all_finite(w->n, t->step);
}
