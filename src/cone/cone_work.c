// SPDX-License-Identifier: Apache-2.0
// cone_work.c: builds the scaled problem that the methods work on, and multiplies by its W.
#include <math.h>
#include <string.h>

#include "cone_groups.h"

enum { ROOM = 3 }; // behind the last row, for kernels that read four numbers at a time

// The rows of c that the block keeps: without tangential rows of mu = 0. S is 1, or mu.
double cone_row_scale(const thud_cone_block *b, int r)
{
    return b->kind == THUD_CONE_KIND_CONTACT && r > 0 ? b->mu[r - 1] : 1;
}

// Torsional and rolling rows (m^2 of a mass' inverse, not 1) and joints get compliance in the measure of
// their own W; sliding rows of a contact the same as its normal. A row that W hardly moves (a loop along an
// axis that its joints lock, but for rounding) gets more: else it would be answered with an impulse without
// bounds.
static double unit_compliance(const cone_work *w, int block, int r)
{
    static const double LEAST = 1e-8; // of the mean diagonal
    if (w->c->block[block].kind == THUD_CONE_KIND_CONTACT && r < 3) {
        return 1;
    }
    const double diagonal = cone_diagonal(w->c, block, r);
    const double least = LEAST / w->rho;
    return !(diagonal > 0) ? 1 : (diagonal > least ? diagonal : least) / w->mean;
}

static void measure(cone_work *w)
{
    const thud_cone *c = w->c;
    double normal = 0;
    int normals = 0;
    for (int i = 0; i < c->blocks; i++) {
        if (c->block[i].kind == THUD_CONE_KIND_CONTACT) {
            const double d = cone_diagonal(c, i, 0) + (c->epsilon ? c->epsilon[c->block[i].row] : 0);
            normal += d > 0 ? d : 0;
            normals += d > 0;
        }
    }
    w->rho = thud_cone_rho(c->rows, cone_trace(c));
    w->mean = normals > 0 ? normal / normals : 1 / w->rho;
}

// Row k is the caller's, scaled by s.
static inline void put_row(const cone_work *w, int k, int row, double s, double compliance)
{
    THUD_ASSERT(0 < s && compliance > 0);
    w->origin[k] = row;
    w->scale[k] = s;
    w->b[k] = s * w->c->b[row];
    w->shape[k] = s * s * compliance;
}

// A block from row k on; the row after it.
static inline int put_block(const cone_work *w, int i, int k)
{
    const thud_cone_block *b = w->c->block + i;
    const int first = k;
    if (cone_is_round(b)) { // nearly all of them, without loops
        put_row(w, k, b->row, 1, 1);
        put_row(w, k + 1, b->row + 1, b->mu[0], 1);
        put_row(w, k + 2, b->row + 2, b->mu[0], 1);
        k += 3;
    } else {
        for (int r = 0; r < b->dim; r++) {
            const double s = cone_row_scale(b, r);
            if (s != 0) {
                put_row(w, k++, b->row + r, s, unit_compliance(w, i, r));
            }
        }
    }
    w->block[i] = (cone_rows){.kind = b->kind, .row = first, .dim = k - first, .lo = b->lo, .hi = b->hi};
    return k;
}

// to (n x n) = diag(a) from diag(a). All columns but the last in whole fours: what that writes behind their end the next one
// writes again.
THUD_KERNEL static void scale_dense(int n, const double *a, const double *from, int stride, double *to)
{
    for (int j = 0; j < n - 1; j++, to += n, from += stride) {
        const double b = a[j];
        for (int i = 0; i < n; i += FOUR) {
            *fours_at(to + i) = *fours_of(a + i) * *fours_of(from + i) * b;
        }
    }
    for (int i = 0; i < n; i++) {
        to[i] = a[i] * from[i] * a[n - 1];
    }
}

static bool build_dense(cone_work *w)
{
    const thud_cone *c = w->c;
    const int n = w->n;
    w->W = (thud_mat){n, n, n, thud_arena_push(w->arena, (size_t)n * (size_t)n + ROOM, sizeof(double))};
    if (!w->W.a) {
        return false;
    }
    if (n == c->rows) { // none is left out
        scale_dense(n, w->scale, c->W.a, c->W.stride, w->W.a);
    }
    for (int j = 0; j < n && n < c->rows; j++) {
        const double *from = c->W.a + (size_t)w->origin[j] * c->W.stride;
        double *to = w->W.a + (size_t)j * n;
        for (int i = 0; i < n; i++) {
            to[i] = w->scale[i] * from[w->origin[i]] * w->scale[j];
        }
    }
    for (int j = 0; j < n && c->epsilon; j++) {
        w->W.a[j + (size_t)j * n] += w->scale[j] * c->epsilon[w->origin[j]] * w->scale[j];
    }
    return true;
}

// One entry of c's block row i into the scaled problem's block column j.
static void copy_entry(const cone_work *w, int i, int j, const double *from, double *to)
{
    const cone_rows *bi = w->block + i, *bj = w->block + j;
    const thud_cone_block *ci = w->c->block + i, *cj = w->c->block + j;
    if (i != j && bi->dim == 3 && bj->dim == 3 && ci->dim == 3 && cj->dim == 3) { // nearly all of them
        const double *a = w->scale + bi->row, *b = w->scale + bj->row;
        for (int k = 0; k < 9; k++) {
            to[k] = a[k % 3] * from[k] * b[k / 3];
        }
        return;
    }
    for (int s = 0; s < bj->dim; s++) {
        const int column = w->origin[bj->row + s];
        for (int r = 0; r < bi->dim; r++) {
            const int row = w->origin[bi->row + r];
            double x = from[row - ci->row + (column - cj->row) * ci->dim];
            x += row == column && w->c->epsilon ? w->c->epsilon[row] : 0;
            to[r + s * bi->dim] = w->scale[bi->row + r] * x * w->scale[bj->row + s];
        }
    }
}

static bool build_sparse(cone_work *w)
{
    const thud_cone_sparse *from = w->c->sparse;
    const int blocks = w->blocks, entries = from->start[blocks];
    cone_columns *to = &w->sparse;
    to->start = thud_arena_push(w->arena, (size_t)blocks + 1, sizeof(int));
    to->row = thud_arena_push(w->arena, (size_t)entries, sizeof(int));
    to->at = thud_arena_push(w->arena, (size_t)entries, sizeof(int));
    if (!to->start || !to->row || !to->at) {
        return false;
    }
    memset(to->start, 0, sizeof(int) * ((size_t)blocks + 1));
    for (int k = 0; k < entries; k++) {
        to->start[from->column[k] + 1]++;
    }
    for (int j = 0; j < blocks; j++) {
        to->start[j + 1] += to->start[j];
    }
    size_t numbers = 0;
    for (int i = 0; i < blocks; i++) { // rows in ascending order, so that each column's rows are, too
        for (int k = from->start[i]; k < from->start[i + 1]; k++) {
            const int j = from->column[k], slot = to->start[j]++;
            to->row[slot] = i;
            to->at[slot] = k; // for now: where it comes from
            numbers += (size_t)w->block[i].dim * (size_t)w->block[j].dim;
        }
    }
    for (int j = blocks; j > 0; j--) {
        to->start[j] = to->start[j - 1];
    }
    to->start[0] = 0;
    to->value = thud_arena_push(w->arena, numbers + 1, sizeof(double));
    if (!to->value) {
        return false;
    }
    int at = 0;
    for (int j = 0; j < blocks; j++) {
        for (int k = to->start[j]; k < to->start[j + 1]; k++) {
            const int i = to->row[k], source = to->at[k];
            to->at[k] = at;
            copy_entry(w, i, j, from->value + from->at[source], to->value + at);
            at += w->block[i].dim * w->block[j].dim;
        }
    }
    return true;
}

static bool build(const thud_cone *c, thud_arena *arena, cone_work *w)
{
    const size_t rows = (size_t)c->rows;
    *w = (cone_work){.c = c, .arena = arena, .blocks = c->blocks};
    w->block = thud_arena_push(arena, (size_t)c->blocks, sizeof *w->block);
    w->origin = thud_arena_push(arena, rows, sizeof *w->origin);
    w->scale = thud_arena_push(arena, 3 * rows + ROOM, sizeof *w->scale);
    if (!w->block || !w->origin || !w->scale) {
        return false;
    }
    w->b = w->scale + rows;
    w->shape = w->b + rows;
    measure(w);
    int n = 0;
    for (int i = 0; i < c->blocks; i++) {
        n = put_block(w, i, n);
    }
    w->n = n;
    return c->W.a ? build_dense(w) : build_sparse(w);
}

double *cone_work_begin(const thud_cone *c, double tolerance, thud_arena *arena, cone_work *w)
{
    THUD_ASSERT(tolerance >= 0);
    const size_t rows = (size_t)c->rows;
    double *p = thud_arena_push(arena, rows, sizeof *p),
           *room = thud_arena_push(arena, 3 * rows + THUD_CONE_DIM_MAX, sizeof *room);
    if (!p || !room || !build(c, arena, w) || !cone_groups_begin(w)) {
        return NULL;
    }
    w->norm_b = cone_size(c);
    w->room = room;
    w->judged = room + 2 * rows + THUD_CONE_DIM_MAX;
    w->residual = NAN;
    w->tolerance = 0.5 * tolerance; // the method's sums and the judge's round differently
    w->warm = true;
    return p;
}

size_t cone_work_scratch(const thud_cone *c)
{
    const size_t n = (size_t)c->rows, blocks = (size_t)c->blocks;
    size_t entries = 0, numbers = n * n;
    if (!c->W.a && c->sparse) {
        entries = (size_t)c->sparse->start[c->blocks];
        numbers = 0;
        for (int i = 0; i < c->blocks; i++) {
            for (int k = c->sparse->start[i]; k < c->sparse->start[i + 1]; k++) {
                numbers += (size_t)(c->block[i].dim * c->block[c->sparse->column[k]].dim);
            }
        }
    }
    const size_t pairs = !c->W.a ? entries : blocks * blocks;
    const size_t order = pairs * sizeof(int[7]) + 3 * blocks * (blocks / 64 + 2) * sizeof(double) +
                         (c->W.a ? n * n * sizeof(double) + blocks * blocks * sizeof(int) : 0) +
                         blocks * sizeof(int[24]) + (CONE_NODE + 3) * n * sizeof(double) + 32 * 64;
    const size_t vectors = 42 * (n + 8) * sizeof(double);
    const size_t per_block = blocks * (3 * THUD_CONE_DIM_MAX * THUD_CONE_DIM_MAX + 8) * sizeof(double);
    const size_t matrices =
        2 * (numbers + 8) * (sizeof(double) + sizeof(int)) + 2 * (entries + 8) * sizeof(int);
    const size_t groups = c->product ? cone_groups_scratch(c) : 0;
    return vectors + matrices + per_block + order + groups + 64 * 64; // and the alignment of each push
}

void cone_rows_in(int n, const int *origin, const double *scale, const double *p, double *p_hat)
{
    THUD_ASSERT(n == 0 || p != p_hat);
    for (int i = 0; i < n; i++) {
        p_hat[i] = p[origin[i]] / scale[i];
    }
}

void cone_rows_out(int n, const int *origin, const double *scale, const double *p_hat, int rows, double *p)
{
    memset(p, 0, sizeof *p * (size_t)rows);
    for (int i = 0; i < n; i++) {
        p[origin[i]] = p_hat[i] * scale[i];
    }
}

void cone_work_in(const cone_work *w, const double *p, double *p_hat)
{
    cone_rows_in(w->n, w->origin, w->scale, p, p_hat);
}

void cone_work_out(const cone_work *w, const double *p_hat, double *p)
{
    cone_rows_out(w->n, w->origin, w->scale, p_hat, w->c->rows, p);
}

THUD_INSIDE void add_columns3(int n, const double *restrict a, const double *d, double *restrict u)
{
    const double *restrict a1 = a + n, *restrict a2 = a1 + n;
    const double d0 = d[0], d1 = d[1], d2 = d[2];
    for (int i = 0; i < n; i++) {
        u[i] += a[i] * d0 + a1[i] * d1 + a2[i] * d2;
    }
}

THUD_INSIDE void add_column(int n, const double *restrict a, double d, double *restrict u)
{
    for (int i = 0; i < n; i++) {
        u[i] += a[i] * d;
    }
}

THUD_KERNEL static void add_dense(const cone_work *w, int j, const double *delta, double *u)
{
    const cone_rows *b = w->block + j;
    const double *a = w->W.a + (size_t)b->row * w->n;
    if (b->dim == 3) {
        add_columns3(w->n, a, delta, u);
        return;
    }
    for (int s = 0; s < b->dim; s++) {
        add_column(w->n, a + (size_t)s * w->n, delta[s], u);
    }
}

THUD_INSIDE bool is_zero(int n, const double *p)
{
    bool zero = true;
    for (int r = 0; r < n; r++) {
        zero = zero && p[r] == 0;
    }
    return zero;
}

// u += W^ p, three columns at a time, which most contacts are.
THUD_KERNEL static void multiply_dense(const cone_work *w, const double *p, double *u)
{
    const double *a = w->W.a;
    int j = 0;
    for (; j + 3 <= w->n; j += 3, a += 3 * (size_t)w->n) {
        if (!is_zero(3, p + j)) {
            add_columns3(w->n, a, p + j, u);
        }
    }
    for (; j < w->n; j++, a += w->n) {
        add_column(w->n, a, p[j], u);
    }
}

static void add_sparse_columns(const cone_work *w, int j, const double *delta, double *u)
{
    const int dim = w->block[j].dim;
    for (int k = w->sparse.start[j]; k < w->sparse.start[j + 1]; k++) {
        const cone_rows *bi = w->block + w->sparse.row[k];
        const double *a = w->sparse.value + w->sparse.at[k];
        double *ui = u + bi->row;
        if (dim == 3 && bi->dim == 3) {
            ui[0] += a[0] * delta[0] + a[3] * delta[1] + a[6] * delta[2];
            ui[1] += a[1] * delta[0] + a[4] * delta[1] + a[7] * delta[2];
            ui[2] += a[2] * delta[0] + a[5] * delta[1] + a[8] * delta[2];
            continue;
        }
        for (int s = 0; s < dim; s++) {
            for (int r = 0; r < bi->dim; r++) {
                ui[r] += a[r + s * bi->dim] * delta[s];
            }
        }
    }
}

void cone_work_add_columns(const cone_work *w, int j, const double *delta, double *u)
{
    THUD_ASSERT(0 <= j && j < w->blocks);
    if (w->W.a) {
        add_dense(w, j, delta, u);
    } else {
        add_sparse_columns(w, j, delta, u);
    }
}

void cone_work_multiply(const cone_work *w, const double *p, double *u)
{
    THUD_ASSERT(p != u);
    if (w->groups) {
        cone_groups_multiply(w->groups, w, p, u);
        return;
    }
    memcpy(u, w->b, sizeof *u * (size_t)w->n);
    if (w->W.a) {
        multiply_dense(w, p, u);
        return;
    }
    for (int j = 0; j < w->blocks; j++) {
        const cone_rows *b = w->block + j;
        if (!is_zero(b->dim, p + b->row)) {
            add_sparse_columns(w, j, p + b->row, u);
        }
    }
}

const double *cone_work_sparse_diagonal(const cone_work *w, int j)
{
    for (int k = w->sparse.start[j]; k < w->sparse.start[j + 1]; k++) {
        if (w->sparse.row[k] == j) {
            return w->sparse.value + w->sparse.at[k];
        }
    }
    THUD_ASSERT(!"thud_cone_check asks for a diagonal block");
    return NULL;
}

// The natural map of one block in c's own units; see cone_judge.c for the formula.
static double block_residual2(const cone_work *w, int i, const double *p, const double *u)
{
    const cone_rows *b = w->block + i;
    const thud_cone_block *block = w->c->block + i;
    double y[THUD_CONE_DIM_MAX] = {0}, mine[THUD_CONE_DIM_MAX] = {0}, slip = 0, sum = 0;
    for (int r = 1; r < b->dim && b->kind == THUD_CONE_KIND_CONTACT; r++) {
        slip += u[b->row + r] * u[b->row + r];
    }
    for (int r = 0; r < b->dim; r++) {
        const int k = b->row + r, at = w->origin[k] - block->row;
        mine[at] = p[k] * w->scale[k];
        y[at] = mine[at] - w->rho * (u[k] / w->scale[k] + (r == 0 ? sqrt(slip) : 0));
    }
    thud_cone_project(block, y);
    for (int r = 0; r < block->dim; r++) {
        sum += (mine[r] - y[r]) * (mine[r] - y[r]);
    }
    return sum;
}

// The same of a round one, as nearly all are.
static inline double round_residual2(const cone_work *w, int i, const double *p, const double *u)
{
    const int k = w->block[i].row;
    const double *at = p + k, *v = u + k, mu = w->c->block[i].mu[0], x[3] = {at[0], at[1] * mu, at[2] * mu};
    double y[3] = {x[0] - w->rho * (v[0] + sqrt(v[1] * v[1] + v[2] * v[2])), x[1] - w->rho * (v[1] / mu),
                   x[2] - w->rho * (v[2] / mu)};
    cone_project_round(2, mu, y);
    return (x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) + (x[2] - y[2]) * (x[2] - y[2]);
}

double cone_work_residual(const cone_work *w, const double *p, const double *u)
{
    THUD_ASSERT(w->norm_b >= 0 && w->rho > 0);
    double sum = 0, size = 0;
    for (int i = 0; i < w->blocks; i++) {
        sum += cone_is_round(w->c->block + i) ? round_residual2(w, i, p, u) : block_residual2(w, i, p, u);
    }
    for (int i = 0; i < w->n; i++) {
        size += p[i] * w->scale[i] * (p[i] * w->scale[i]);
    }
    return sum == 0 ? 0 : sqrt(sum) / thud_max(w->rho * w->norm_b, 1e-8 * sqrt(size));
}

double cone_work_judge(cone_work *w, const double *p)
{
    cone_work_out(w, p, w->judged);
    w->residual = cone_residual_known(w->c, w->judged, w->rho, w->norm_b, w->room);
    return w->residual;
}
