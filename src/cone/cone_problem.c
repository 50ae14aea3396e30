// SPDX-License-Identifier: Apache-2.0
// cone_problem.c: problems that own their numbers, dense or block-sparse, and the reduction of factors.
#include <limits.h>
#include <string.h>

#include <thud/cone_problem.h>

// A W with fewer rows is kept dense, whatever it holds: a dense step is then quicker than a sparse one's
// bookkeeping.
enum { SPARSE_ROWS = 150 };
static const double SPARSE_FILL = 0.25; // of all entries; a fuller W is kept dense

void thud_cone_problem_destroy(thud_cone_problem *problem)
{
    if (problem) {
        thud_free(problem->block);
        thud_free(problem->W);
        thud_free(problem->b);
        thud_free(problem->epsilon);
        thud_free(problem->start);
        thud_free(problem->column);
        thud_free(problem->at);
        thud_free(problem->value);
        thud_free(problem);
    }
}

static bool fill_dense(thud_cone_problem *q, const thud_csc *W)
{
    const size_t n = (size_t)W->rows;
    q->W = thud_alloc(n > 0 ? n * n : 1, sizeof *q->W);
    for (int j = 0; q->W && j < W->cols; j++) {
        for (int k = W->start[j]; k < W->start[j + 1]; k++) {
            q->W[(size_t)W->row[k] + (size_t)j * n] += W->value[k];
        }
    }
    q->cone.W = (thud_mat){W->rows, W->cols, W->rows, q->W};
    return q->W != NULL;
}

// Marks in slot[] which block columns block row i of W^T's pattern meets. Rows of W come through its columns:
// for each block column the block rows met, counted first and then filled, so that the columns of each row
// ascend.
static bool fill_sparse(thud_cone_problem *q, const thud_csc *W, const int *block_of)
{
    const int blocks = q->cone.blocks;
    int *seen = thud_alloc((size_t)blocks, sizeof *seen);
    q->start = thud_alloc((size_t)blocks + 1, sizeof *q->start);
    if (!seen || !q->start) {
        thud_free(seen);
        return false;
    }
    size_t numbers = 0;
    for (int fill = 0; fill < 2; fill++) {
        memset(seen, -1, sizeof *seen * (size_t)blocks);
        for (int j = 0; j < blocks; j++) {
            const thud_cone_block *bj = q->block + j;
            for (int k = W->start[bj->row] - 1; k < W->start[bj->row + bj->dim]; k++) {
                const int i = k < W->start[bj->row] ? j : block_of[W->row[k]]; // the diagonal block always
                if (seen[i] == j) {
                    continue;
                }
                seen[i] = j;
                if (fill) {
                    q->column[q->start[i]++] = j;
                } else {
                    q->start[i + 1]++;
                    numbers += (size_t)(q->block[i].dim * bj->dim);
                }
            }
        }
        if (!fill) {
            for (int i = 0; i < blocks; i++) {
                q->start[i + 1] += q->start[i];
            }
            q->column = thud_alloc((size_t)q->start[blocks], sizeof *q->column);
            q->at = thud_alloc((size_t)q->start[blocks], sizeof *q->at);
            q->value = thud_alloc(numbers, sizeof *q->value);
            if (!q->column || !q->at || !q->value || numbers > INT_MAX) {
                thud_free(seen);
                return false;
            }
        }
    }
    for (int i = blocks; i > 0; i--) {
        q->start[i] = q->start[i - 1];
    }
    q->start[0] = 0;
    thud_free(seen);
    return true;
}

static void fill_values(thud_cone_problem *q, const thud_csc *W, const int *block_of)
{
    const int blocks = q->cone.blocks;
    int at = 0;
    for (int i = 0; i < blocks; i++) {
        for (int k = q->start[i]; k < q->start[i + 1]; k++) {
            q->at[k] = at;
            at += q->block[i].dim * q->block[q->column[k]].dim;
        }
    }
    for (int c = 0; c < W->cols; c++) {
        const int j = block_of[c];
        for (int k = W->start[c]; k < W->start[c + 1]; k++) {
            const int i = block_of[W->row[k]];
            int lo = q->start[i], hi = q->start[i + 1] - 1;
            while (lo < hi) {
                const int mid = (lo + hi) / 2;
                if (q->column[mid] < j) {
                    lo = mid + 1;
                } else {
                    hi = mid;
                }
            }
            q->value[q->at[lo] + W->row[k] - q->block[i].row + (c - q->block[j].row) * q->block[i].dim] +=
                W->value[k];
        }
    }
    q->sparse = (thud_cone_sparse){q->start, q->column, q->at, q->value};
    q->cone.sparse = &q->sparse;
}

static thud_status fill_matrix(thud_cone_problem *q, const thud_csc *W)
{
    const int n = q->cone.rows;
    if (n < SPARSE_ROWS || W->start[n] > SPARSE_FILL * n * (double)n) {
        return fill_dense(q, W) ? THUD_OK : THUD_NO_MEMORY;
    }
    int *block_of = thud_alloc((size_t)n, sizeof *block_of);
    if (!block_of) {
        return THUD_NO_MEMORY;
    }
    for (int i = 0; i < q->cone.blocks; i++) {
        for (int r = 0; r < q->block[i].dim; r++) {
            block_of[q->block[i].row + r] = i;
        }
    }
    const bool filled = fill_sparse(q, W, block_of);
    if (filled) {
        fill_values(q, W, block_of);
    }
    thud_free(block_of);
    return filled ? THUD_OK : THUD_NO_MEMORY;
}

static int number_blocks(int blocks, const thud_cone_block *from, thud_cone_block *to)
{
    int rows = 0;
    for (int i = 0; i < blocks; i++) {
        to[i] = from[i];
        to[i].row = rows;
        rows += from[i].dim;
    }
    return rows;
}

thud_status thud_cone_problem_create(int blocks, const thud_cone_block *block, const thud_csc *W,
                                     const double *b, thud_cone_problem **out, thud_diag *diag)
{
    *out = NULL;
    const size_t rows = (size_t)W->rows;
    thud_cone_problem *q = thud_alloc(1, sizeof *q);
    if (!q || !(q->block = thud_alloc((size_t)blocks + 1, sizeof *q->block)) ||
        !(q->b = thud_alloc(rows + 1, sizeof *q->b))) {
        thud_cone_problem_destroy(q);
        return THUD_NO_MEMORY;
    }
    q->cone = (thud_cone){.rows = W->rows, .blocks = blocks, .block = q->block, .b = q->b};
    thud_status status = THUD_OK;
    if (number_blocks(blocks, block, q->block) != W->rows || W->rows != W->cols) {
        status = thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0, "W is %d x %d, the blocks do not fit it",
                           W->rows, W->cols);
    } else {
        memcpy(q->b, b, sizeof *b * rows);
        status = fill_matrix(q, W);
    }
    status = status == THUD_OK ? thud_cone_check(&q->cone, diag) : status;
    if (status != THUD_OK) {
        thud_cone_problem_destroy(q);
        return status;
    }
    *out = q;
    return THUD_OK;
}

// ---------------------------------------------------------------------------------------------- factors

// W by columns, growing.
typedef struct growing_csc {
    thud_csc W;
    int rows_capacity, values_capacity;
} growing_csc;

static bool push_entry(growing_csc *g, int entries, int row, double value)
{
    if (!thud_grow((void **)&g->W.row, &g->rows_capacity, entries, sizeof(int)) ||
        !thud_grow((void **)&g->W.value, &g->values_capacity, entries, sizeof(double))) {
        return false;
    }
    g->W.row[entries] = row;
    g->W.value[entries] = value;
    return true;
}

static double column_dot(const thud_csc *H, int j, const double *x)
{
    double sum = 0;
    for (int k = H->start[j]; k < H->start[j + 1]; k++) {
        sum += H->value[k] * x[H->row[k]];
    }
    return sum;
}

// Column j of W is H^T M^-1 h_j; entries that are exactly zero are not kept.
static bool reduce_columns(const thud_sparse_lu *M, const thud_csc *H, double *h, double *x, growing_csc *g)
{
    int entries = 0;
    for (int j = 0; j < H->cols; j++) {
        memset(h, 0, sizeof *h * (size_t)H->rows);
        for (int k = H->start[j]; k < H->start[j + 1]; k++) {
            h[H->row[k]] += H->value[k];
        }
        thud_sparse_lu_solve(M, h, x);
        g->W.start[j] = entries;
        for (int i = 0; i < H->cols; i++) {
            const double w = column_dot(H, i, x);
            if (w != 0 && (entries == INT_MAX || !push_entry(g, entries++, i, w))) {
                return false;
            }
        }
    }
    g->W.start[H->cols] = entries;
    return true;
}

thud_status thud_cone_problem_reduce(int blocks, const thud_cone_block *block, const thud_csc *M,
                                     const thud_csc *H, const double *f, const double *w,
                                     thud_cone_problem **out, thud_diag *diag)
{
    *out = NULL;
    if (M->rows != M->cols || H->rows != M->rows) {
        return thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0, "M is %d x %d and H %d x %d", M->rows, M->cols,
                         H->rows, H->cols);
    }
    thud_sparse_lu *lu;
    thud_status status = thud_sparse_lu_create(M, &lu);
    if (status != THUD_OK) {
        return thud_fail(status, diag, NULL, 0, 0, "the mass matrix M is singular");
    }
    const size_t dofs = (size_t)M->rows + 1, rows = (size_t)H->cols + 1;
    double *h = thud_alloc(dofs, sizeof *h), *x = thud_alloc(dofs, sizeof *x),
           *b = thud_alloc(rows, sizeof *b);
    growing_csc g = {.W = {.rows = H->cols, .cols = H->cols, .start = thud_alloc(rows, sizeof(int))}};
    status = THUD_NO_MEMORY;
    if (h && x && b && g.W.start && reduce_columns(lu, H, h, x, &g)) {
        thud_sparse_lu_solve(lu, f, x);
        for (int i = 0; i < H->cols; i++) {
            b[i] = column_dot(H, i, x) + w[i];
        }
        status = thud_cone_problem_create(blocks, block, &g.W, b, out, diag);
    }
    thud_sparse_lu_destroy(lu);
    thud_free(h);
    thud_free(x);
    thud_free(b);
    thud_free(g.W.start);
    thud_free(g.W.row);
    thud_free(g.W.value);
    return status;
}
