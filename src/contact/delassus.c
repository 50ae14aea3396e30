// SPDX-License-Identifier: Apache-2.0
// delassus.c: W = G M^-1 G^T of every island from innovations. [theory 6; JO IV]
//
// Symbols  S = E D^-1/2, E the innovations of a block's rows at the dofs of one tree (strips.c)
//          W_ij = sum over common trees of S_i S_j^T
// Differs  JO forms Omega(i,j) = psi^T Upsilon psi at the nearest common ancestor (thud_opspace_block). Both
//          are Psi^T H^T D^-1 H Psi; in this order W is symmetric and positive semidefinite to the last bit, and
//          base-to-tips passes are saved. The tests hold them against each other.
// Cost     a dot product over a tree's dofs for each pair of rows that share it, of free bodies four at a time. Islands of
//          many free bodies are kept sparse by blocks.
#include <string.h>

#include "delassus_tiles.h"

static const int DENSE_ROWS = 240; // an island of more rows and more than one tree is kept sparse

// ---------------------------------------------------------------------------------------------- products

// Of three rows each, nine sums at a time, in the same order.
THUD_INSIDE void add_product_of_three(const double *Si, const double *Sj, int dofs, double *to, int stride)
{
    double sum[9] = {0};
    for (int k = 0; k < dofs; k++) {
        for (int c = 0; c < 3; c++) {
            for (int r = 0; r < 3; r++) {
                sum[r + 3 * c] += Si[r * dofs + k] * Sj[c * dofs + k];
            }
        }
    }
    for (int c = 0; c < 3; c++) {
        for (int r = 0; r < 3; r++) {
            to[r + c * stride] += sum[r + 3 * c];
        }
    }
}

// to (column-major, stride) += S_i S_j^T
THUD_INSIDE void add_product(const double *Si, int di, const double *Sj, int dj, int dofs, double *to,
                             int stride)
{
    if (di == 3 && dj == 3) { // nearly all of them, without loops
        add_product_of_three(Si, Sj, dofs, to, stride);
        return;
    }
    for (int c = 0; c < dj; c++) {
        for (int r = 0; r < di; r++) {
            double sum = 0;
            for (int k = 0; k < dofs; k++) {
                sum += Si[r * dofs + k] * Sj[c * dofs + k];
            }
            to[r + c * stride] += sum;
        }
    }
}

// The columns of a strip of up to four rows and FREE dofs: number r of column[k] is S[r][k].
THUD_INSIDE void take_columns(const double *S, int dim, four column[FREE])
{
    static const double none[FREE];
    const double *a = S, *b = dim > 1 ? S + FREE : none;
    const double *c = dim > 2 ? S + 2 * FREE : none, *d = dim > 3 ? S + 3 * FREE : none;
    for (int k = 0; k < FREE; k++) {
        column[k] = (four){a[k], b[k], c[k], d[k]};
    }
}

// One column of S_i S_j^T, by the columns of S_i and a row of S_j.
THUD_INSIDE void meet(const four column[FREE], const double *row, four *out)
{
    *out = column[0] * row[0];
    for (int k = 1; k < FREE; k++) {
        *out += column[k] * row[k];
    }
}

// Blocks of up to four rows in a tree of FREE dofs meet four rows at a time.
THUD_INSIDE bool meets_in_lanes(int dim, int dofs)
{
    return dofs == FREE && dim <= THUD_LANES;
}

// to += S_i S_j^T and, unless NULL, across += its transpose, both column-major with a stride; S_i by its columns.
THUD_INSIDE void add_meeting_of(const four column[FREE], int di, const double *Sj, int dj, double *to,
                                double *across, size_t stride)
{
    for (int c = 0; c < dj; c++) {
        four sum;
        meet(column, Sj + c * FREE, &sum);
        for (int r = 0; r < di; r++) {
            to[r + c * stride] += sum[r];
        }
        for (int r = 0; across && r < di; r++) {
            across[c + r * stride] += sum[r];
        }
    }
}

THUD_INSIDE void add_meeting(const four column[FREE], int di, const double *Sj, int dj, double *to,
                             double *across, size_t stride)
{
    if (di == 3 && dj == 3) { // nearly all of them
        add_meeting_of(column, 3, Sj, 3, to, across, stride);
    } else {
        add_meeting_of(column, di, Sj, dj, to, across, stride);
    }
}

// W of one block and the later ones that share a tree with it.
THUD_INSIDE void fill_rows(const thud_rows *rows, const strip *mine, int row, int dim, double *W, int n)
{
    const int dofs = rows->tree[mine->tree].dofs;
    const bool in_lanes = meets_in_lanes(dim, dofs);
    four column[FREE] = {{0}};
    if (in_lanes) {
        take_columns(mine->S, dim, column);
    }
    for (const strip *other = mine;; other = &rows->strip[other->next]) {
        const site *b = &rows->site[other->block];
        double *to = W + row + (size_t)b->row * (size_t)n;
        double *across = other == mine ? NULL : W + b->row + (size_t)row * (size_t)n;
        if (in_lanes) {
            add_meeting(column, dim, other->S, b->dim, to, across, (size_t)n);
        } else {
            add_product(mine->S, dim, other->S, b->dim, dofs, to, n);
            if (across) {
                add_product(other->S, b->dim, mine->S, dim, dofs, across, n);
            }
        }
        if (other->next < 0) {
            return;
        }
    }
}

THUD_KERNEL static void fill_blocks(const thud_rows *rows, const span *s, double *W)
{
    memset(W, 0, (size_t)s->rows * (size_t)s->rows * sizeof *W);
    for (int k = s->block; k < s->block + s->blocks; k++) {
        const site *at = &rows->site[rows->order[k]];
        for (int x = at->strip; x < at->strip + at->strips; x++) {
            fill_rows(rows, &rows->strip[x], rows->sorted[k].row, rows->sorted[k].dim, W, s->rows);
        }
    }
}

// Row r of strips of FREE dofs, one behind the other; beyond the n-th the last: nobody asks what it gives. whole: all are there.
THUD_INSIDE const double *row_of(const double *S, int r, int n, bool whole)
{
    return S + (size_t)(whole || r < n ? r : n - 1) * FREE;
}

// The columns of four of these rows.
THUD_INSIDE void take_four(const double *S, int first, int n, bool whole, four column[FREE])
{
    four low[THUD_LANES], high[THUD_LANES]; // the first four dofs, the last four
    for (int k = 0; k < THUD_LANES; k++) {
        const double *row = row_of(S, first + k, n, whole);
        low[k] = *(const four_of_numbers *)row;
        high[k] = *(const four_of_numbers *)(row + FREE - THUD_LANES);
    }
    turn(low);
    turn(high);
    for (int k = 0; k < FREE; k++) {
        column[k] = k < THUD_LANES ? low[k] : high[k + THUD_LANES - FREE];
    }
}

// Tile by tile; whole: all of these are.
THUD_INSIDE void fill_tiles(const double *S, int n, bool whole, double *W)
{
    for (int first = 0; first < n; first += THUD_LANES) {
        four column[FREE], x[THUD_LANES];
        take_four(S, first, n, whole, column);
        for (int c = 0; c <= first; c += THUD_LANES) {
            for (int k = 0; k < THUD_LANES; k++) {
                meet(column, row_of(S, c + k, n, whole), &x[k]);
            }
            put_tile(n, whole, x, first, c, W);
        }
    }
}

// W of the contacts of one free body and nothing else that moves, S the n rows of their strips.
THUD_KERNEL static void fill_free(const double *S, int n, double *W)
{
    if (n % THUD_LANES == 0) {
        fill_tiles(S, n, true, W);
    } else {
        fill_tiles(S, n, false, W);
    }
}

// Whether an island is of that kind: its strips follow each other as its blocks do.
static bool is_free(const thud_rows *rows, const span *s)
{
    const strip_range of = rows_strips_of(rows, s);
    const int first = rows->strip[of.first].tree;
    bool free = of.end - of.first == s->blocks && rows->tree[first].dofs == FREE;
    for (int x = of.first; free && x < of.end; x++) {
        free = rows->strip[x].tree == first;
    }
    return free;
}

static bool fill_dense(thud_rows *rows, span *s, thud_arena *arena)
{
    const int n = s->rows;
    s->W = (thud_mat){n, n, n, rows_push(rows, arena, (size_t)n * (size_t)n, sizeof(double))};
    if (!s->W.a) {
        return false;
    }
    if (is_free(rows, s)) {
        fill_free(rows->strip[rows_strips_of(rows, s).first].S, n, s->W.a);
    } else {
        rows_chain_strips(rows, s);
        fill_blocks(rows, s, s->W.a);
    }
    return true;
}

// The blocks that share a tree with block k of an island, ascending, as numbers in the island; returns how
// many. mark (blocks of the island) is -1 or the block it was last seen by.
static int neighbours(const thud_rows *rows, const span *s, int k, int *mark, int *out)
{
    const site *at = &rows->site[rows->order[s->block + k]];
    int count = 0;
    for (int x = at->strip; x < at->strip + at->strips; x++) {
        for (int y = rows->tree[rows->strip[x].tree].first; y >= 0; y = rows->strip[y].next) {
            const int j = rows->place[rows->strip[y].block] - s->block;
            if (mark[j] != k) {
                mark[j] = k;
                int to = count++;
                for (; to > 0 && out[to - 1] > j; to--) {
                    out[to] = out[to - 1];
                }
                out[to] = j;
            }
        }
    }
    return count;
}

// Pattern of a sparse W: start, column, at. Returns the number of values, or -1 without memory.
static int pattern(thud_rows *rows, span *s, thud_arena *arena)
{
    int *start = rows_push_ints(rows, arena, (size_t)s->blocks + 1),
        *mark = rows_push_ints(rows, arena, (size_t)s->blocks);
    int *list = rows_push_ints(rows, arena, (size_t)s->blocks);
    if (!start || !mark || !list) {
        return -1;
    }
    for (int k = 0; k < s->blocks; k++) {
        mark[k] = -1;
    }
    start[0] = 0;
    for (int k = 0; k < s->blocks; k++) {
        start[k + 1] = start[k] + neighbours(rows, s, k, mark, list);
    }
    int *column = rows_push_ints(rows, arena, (size_t)start[s->blocks]),
        *at = rows_push_ints(rows, arena, (size_t)start[s->blocks]);
    if (!column || !at) {
        return -1;
    }
    for (int k = 0; k < s->blocks; k++) {
        mark[k] = -1;
    }
    int values = 0;
    for (int k = 0; k < s->blocks; k++) {
        neighbours(rows, s, k, mark, column + start[k]);
        for (int e = start[k]; e < start[k + 1]; e++) {
            at[e] = values;
            values += rows->sorted[s->block + k].dim * rows->sorted[s->block + column[e]].dim;
        }
    }
    s->sparse = (thud_cone_sparse){.start = start, .column = column, .at = at};
    return values;
}

static int entry_of(const thud_cone_sparse *W, int i, int j)
{
    int low = W->start[i], high = W->start[i + 1] - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (W->column[middle] < j) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// W of one block and all that share a tree with it.
THUD_INSIDE void fill_sparse_rows(const thud_rows *rows, const span *s, int k, const strip *mine,
                                  double *value)
{
    const int dim = rows->sorted[s->block + k].dim, dofs = rows->tree[mine->tree].dofs;
    const bool in_lanes = meets_in_lanes(dim, dofs);
    four column[FREE] = {{0}};
    if (in_lanes) {
        take_columns(mine->S, dim, column);
    }
    for (int y = rows->tree[mine->tree].first; y >= 0; y = rows->strip[y].next) {
        const strip *other = &rows->strip[y];
        const int dj = rows->site[other->block].dim;
        double *to = value + s->sparse.at[entry_of(&s->sparse, k, rows->place[other->block] - s->block)];
        if (in_lanes) {
            add_meeting(column, dim, other->S, dj, to, NULL, (size_t)dim);
        } else {
            add_product(mine->S, dim, other->S, dj, dofs, to, dim);
        }
    }
}

THUD_KERNEL static void fill_sparse_blocks(const thud_rows *rows, const span *s, double *value)
{
    for (int k = 0; k < s->blocks; k++) {
        const site *at = &rows->site[rows->order[s->block + k]];
        for (int x = at->strip; x < at->strip + at->strips; x++) {
            fill_sparse_rows(rows, s, k, &rows->strip[x], value);
        }
    }
}

static bool fill_sparse(thud_rows *rows, span *s, thud_arena *arena)
{
    rows_chain_strips(rows, s);
    const int values = pattern(rows, s, arena);
    double *value = values < 0 ? NULL : rows_push(rows, arena, (size_t)values, sizeof(double));
    if (!value) {
        return false;
    }
    memset(value, 0, (size_t)values * sizeof *value);
    fill_sparse_blocks(rows, s, value);
    s->sparse.value = value;
    return true;
}

bool rows_fill(thud_rows *rows, span *s, thud_arena *arena)
{
    const site *first = &rows->site[rows->order[s->block]];
    if (rows->T) {
        return rows_fill_one(rows, s, arena);
    }
    bool one = s->blocks > 1 && // all of its blocks have the first one's tree alone
               rows->tree[rows->strip[first->strip].tree].dofs > FREE;
    for (int k = s->block; one && k < s->block + s->blocks; k++) {
        const site *at = &rows->site[rows->order[k]];
        one = at->strips == 1 && rows->strip[at->strip].tree == rows->strip[first->strip].tree;
    }
    if (one) {
        return rows_fill_one(rows, s, arena);
    }
    return s->rows > DENSE_ROWS ? fill_sparse(rows, s, arena) : fill_dense(rows, s, arena);
}
