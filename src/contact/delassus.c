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

#include "rows.h"

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

// Four lanes of a square of numbers become its columns.
THUD_INSIDE void turn(lane x[THUD_LANES])
{
    const lane a = __builtin_shufflevector(x[0], x[1], 0, 4, 2, 6);
    const lane b = __builtin_shufflevector(x[0], x[1], 1, 5, 3, 7);
    const lane c = __builtin_shufflevector(x[2], x[3], 0, 4, 2, 6);
    const lane d = __builtin_shufflevector(x[2], x[3], 1, 5, 3, 7);
    x[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    x[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    x[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    x[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

// Puts the numbers of a tile into W: lane k is column c + k in the rows from `first` on, as far as there are any.
THUD_INSIDE void put_columns(int n, const lane x[THUD_LANES], int first, int c, double *W)
{
    double *to = W + first + (size_t)c * (size_t)n;
    if (first + THUD_LANES <= n && c + THUD_LANES <= n) {
        for (int k = 0; k < THUD_LANES; k++, to += n) {
            *(lane_of_numbers *)to = x[k];
        }
        return;
    }
    for (int k = 0; k < THUD_LANES && c + k < n; k++, to += n) {
        for (int i = 0; i < THUD_LANES && first + i < n; i++) {
            to[i] = x[k][i];
        }
    }
}

// A tile below the diagonal, and its mirror image above it.
THUD_INSIDE void put_tile(int n, lane x[THUD_LANES], int first, int c, double *W)
{
    put_columns(n, x, first, c, W);
    if (first > c) {
        turn(x);
        put_columns(n, x, c, first, W);
    }
}

// Of W (column-major, n) = T^T T, columns c to c + 3 in the rows from `first` on: one tile or two, from registers. way: the rows
// of T on the way of these columns to the base.
THUD_INSIDE void square_part(int n, const double *const *way, int length, int c, int first, bool two,
                             double *W)
{
    lane x[THUD_LANES] = {{0}}, y[THUD_LANES] = {{0}};
    for (int i = 0; i < length; i++) {
        const lane_of_numbers *t = (const lane_of_numbers *)(way[i] + first);
        for (int k = 0; k < THUD_LANES; k++) {
            x[k] += t[0] * way[i][c + k];
            if (two) {
                y[k] += t[1] * way[i][c + k];
            }
        }
    }
    put_tile(n, x, first, c, W);
    if (two) {
        put_tile(n, y, first + THUD_LANES, c, W);
    }
}

THUD_INSIDE bool differ(int words, const uint64_t *a, const uint64_t *b)
{
    uint64_t other = a[0] ^ b[0];
    for (int k = 1; k < words; k++) {
        other |= a[k] ^ b[k];
    }
    return other;
}

// The rows of T on a way; returns how many.
THUD_INSIDE int list_way(int words, const uint64_t *mask, const double *T, int stride, const double **way)
{
    int length = 0;
    for (int k = 0; k < words; k++) {
        for (uint64_t left = mask[k]; left; left &= left - 1) {
            way[length++] = T + (size_t)(64 * k + __builtin_ctzll(left)) * (size_t)stride;
        }
    }
    return length;
}

// W = T^T T, T of `dofs` rows of `stride` numbers, some lanes, 0 beyond the n-th. mask: of every four columns, the dofs on their
// way, `words` each; way (dofs): scratch.
THUD_KERNEL static void square(int n, int stride, const double *T, const uint64_t *mask, int words,
                               const double **way, double *W)
{
    int length = 0;
    for (int c = 0; c < n; c += THUD_LANES, mask += words) {
        if (c == 0 || differ(words, mask, mask - words)) { // rows of one link go the same way
            length = list_way(words, mask, T, stride, way);
        }
        int first = c;
        for (; first + THUD_LANES < n; first += 2 * THUD_LANES) {
            square_part(n, way, length, c, first, true, W);
        }
        if (first < n) {
            square_part(n, way, length, c, first, false, W);
        }
    }
}

// The rows of a strip, up to four, become columns of T; what is beyond them is 0.
THUD_INSIDE void lay_rows(const double *S, int dim, int dofs, double *T, int stride)
{
    int k = 0;
    for (; k + THUD_LANES <= dofs; k += THUD_LANES) {
        lane x[THUD_LANES] = {{0}};
        for (int r = 0; r < dim; r++) {
            x[r] = *(const lane_of_numbers *)(S + r * dofs + k);
        }
        turn(x);
        for (int r = 0; r < THUD_LANES; r++) {
            *(lane_of_numbers *)(T + (size_t)(k + r) * (size_t)stride) = x[r];
        }
    }
    for (; k < dofs; k++) {
        for (int r = 0; r < THUD_LANES; r++) {
            T[r + (size_t)k * (size_t)stride] = r < dim ? S[r * dofs + k] : 0;
        }
    }
}

// T of an island, block after block: each writes a lane, whose end the next one overwrites.
THUD_KERNEL static void lay_strips(const thud_rows *rows, const span *s, int dofs, double *T, int stride)
{
    const lane none = {0};
    for (int k = 0; k < dofs; k++) { // beyond the last row
        *(lane_of_numbers *)(T + (size_t)k * (size_t)stride + s->rows) = none;
    }
    for (int i = s->block; i < s->block + s->blocks; i++) {
        const double *S = rows->strip[rows->site[rows->order[i]].strip].S;
        double *to = T + rows->sorted[i].row;
        const int dim = rows->sorted[i].dim;
        if (dim == 3) { // nearly all of them
            lay_rows(S, 3, dofs, to, stride);
        } else if (dim == 1) {
            lay_rows(S, 1, dofs, to, stride);
        } else {
            for (int r = 0; r < dim; r += THUD_LANES) {
                lay_rows(S + r * dofs, dim - r < THUD_LANES ? dim - r : THUD_LANES, dofs, to + r, stride);
            }
        }
    }
}

// The dofs on the ways of every four rows of an island: those of the blocks among them.
THUD_INSIDE void mark_ways(const thud_rows *rows, const span *s, int words, uint64_t *mask)
{
    memset(mask, 0, (size_t)rows_fours(s->rows) * (size_t)words * sizeof *mask);
    for (int i = s->block; i < s->block + s->blocks; i++) {
        const site *at = &rows->site[rows->order[i]];
        uint64_t *const first = mask + at->row / THUD_LANES * words, *const last =
                                                                         mask + (at->row + at->dim - 1) /
                                                                                    THUD_LANES * words;
        for (const arm *a = rows->arm + at->arm; a < rows->arm + at->arm + at->arms; a++) {
            const uint64_t *way = rows->way + (size_t)a->link * (size_t)words;
            for (uint64_t *four = first; four <= last; four += words) {
                for (int k = 0; k < words; k++) {
                    four[k] |= way[k];
                }
            }
        }
    }
}

// All blocks of the island are of one tree. Their strips become columns where they are none yet.
static bool fill_one(thud_rows *rows, span *s, thud_arena *arena)
{
    const int n = s->rows,
              stride = (n + 2 * THUD_LANES - 1) / THUD_LANES * THUD_LANES; // room for a lane at its end
    const int dofs = rows->tree[rows->strip[rows->site[rows->order[s->block]].strip].tree].dofs;
    s->W = (thud_mat){n, n, n, rows_push(rows, arena, (size_t)n * (size_t)n, sizeof(double))};
    double *T = rows->T ? rows->T : rows_push(rows, arena, (size_t)dofs * (size_t)stride, sizeof(double));
    const double **way = rows_push(rows, arena, (size_t)dofs, sizeof *way);
    uint64_t *mask = rows_push(rows, arena, (size_t)rows_fours(n) * (size_t)rows->way_words, sizeof *mask);
    if (!s->W.a || !T || !way || !mask) {
        s->W.a = NULL;
        return false;
    }
    if (!rows->T) {
        lay_strips(rows, s, dofs, T, stride);
    }
    if (rows->way_words == 1) { // nearly always
        mark_ways(rows, s, 1, mask);
    } else {
        mark_ways(rows, s, rows->way_words, mask);
    }
    square(n, stride, T, mask, rows->way_words, way, s->W.a);
    return true;
}

// The columns of a strip of up to four rows and FREE dofs: number r of column[k] is S[r][k].
THUD_INSIDE void take_columns(const double *S, int dim, lane column[FREE])
{
    static const double none[FREE];
    const double *a = S, *b = dim > 1 ? S + FREE : none;
    const double *c = dim > 2 ? S + 2 * FREE : none, *d = dim > 3 ? S + 3 * FREE : none;
    for (int k = 0; k < FREE; k++) {
        column[k] = (lane){a[k], b[k], c[k], d[k]};
    }
}

// One column of S_i S_j^T, by the columns of S_i and a row of S_j.
THUD_INSIDE void meet(const lane column[FREE], const double *row, lane *out)
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
THUD_INSIDE void add_meeting_of(const lane column[FREE], int di, const double *Sj, int dj, double *to,
                                double *across, size_t stride)
{
    for (int c = 0; c < dj; c++) {
        lane sum;
        meet(column, Sj + c * FREE, &sum);
        for (int r = 0; r < di; r++) {
            to[r + c * stride] += sum[r];
        }
        for (int r = 0; across && r < di; r++) {
            across[c + r * stride] += sum[r];
        }
    }
}

THUD_INSIDE void add_meeting(const lane column[FREE], int di, const double *Sj, int dj, double *to,
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
    lane column[FREE] = {{0}};
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

// Row r of strips of FREE dofs, one behind the other; beyond the n-th the last: nobody asks what it gives.
THUD_INSIDE const double *row_of(const double *S, int r, int n)
{
    return S + (size_t)(r < n ? r : n - 1) * FREE;
}

// The columns of four of these rows.
THUD_INSIDE void take_four(const double *S, int first, int n, lane column[FREE])
{
    lane low[THUD_LANES], high[THUD_LANES]; // the first four dofs, the last four
    for (int k = 0; k < THUD_LANES; k++) {
        low[k] = *(const lane_of_numbers *)row_of(S, first + k, n);
        high[k] = *(const lane_of_numbers *)(row_of(S, first + k, n) + FREE - THUD_LANES);
    }
    turn(low);
    turn(high);
    for (int k = 0; k < FREE; k++) {
        column[k] = k < THUD_LANES ? low[k] : high[k + THUD_LANES - FREE];
    }
}

// W of the contacts of one free body and nothing else that moves, S the n rows of their strips.
THUD_KERNEL static void fill_free(const double *S, int n, double *W)
{
    for (int first = 0; first < n; first += THUD_LANES) {
        lane column[FREE], x[THUD_LANES];
        take_four(S, first, n, column);
        for (int c = 0; c <= first; c += THUD_LANES) {
            for (int k = 0; k < THUD_LANES; k++) {
                meet(column, row_of(S, c + k, n), &x[k]);
            }
            put_tile(n, x, first, c, W);
        }
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

static void *push_ints(thud_rows *rows, thud_arena *arena, size_t count)
{
    return rows_push(rows, arena, count, sizeof(int));
}

// Pattern of a sparse W: start, column, at. Returns the number of values, or -1 without memory.
static int pattern(thud_rows *rows, span *s, thud_arena *arena)
{
    int *start = push_ints(rows, arena, (size_t)s->blocks + 1),
        *mark = push_ints(rows, arena, (size_t)s->blocks);
    int *list = push_ints(rows, arena, (size_t)s->blocks);
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
    int *column = push_ints(rows, arena, (size_t)start[s->blocks]),
        *at = push_ints(rows, arena, (size_t)start[s->blocks]);
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
    lane column[FREE] = {{0}};
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
        return fill_one(rows, s, arena);
    }
    bool one = s->blocks > 1 && // all of its blocks have the first one's tree alone
               rows->tree[rows->strip[first->strip].tree].dofs > FREE;
    for (int k = s->block; one && k < s->block + s->blocks; k++) {
        const site *at = &rows->site[rows->order[k]];
        one = at->strips == 1 && rows->strip[at->strip].tree == rows->strip[first->strip].tree;
    }
    if (one) {
        return fill_one(rows, s, arena);
    }
    return s->rows > DENSE_ROWS ? fill_sparse(rows, s, arena) : fill_dense(rows, s, arena);
}

// ---------------------------------------------------------------------------------------------- factors

// Trees of an island in the order they are met become groups; tree.last holds the number while it is made. Trees of other islands
// are not touched: they may be somebody else's at the same time.
static int number_trees(thud_rows *rows, int first, int end, int *column, int *member)
{
    int groups = 0;
    for (int x = first; x < end; x++) {
        rows->tree[rows->strip[x].tree].last = -1;
    }
    column[0] = 0;
    for (int x = first; x < end; x++) {
        tree *t = &rows->tree[rows->strip[x].tree];
        if (t->last < 0) {
            member[groups] = rows->strip[x].tree;
            t->last = groups++;
            column[groups] = column[groups - 1] + t->dofs;
        }
    }
    return groups;
}

typedef struct box_of_groups { // around the origins of their first links
    double lo[3], hi[3];
} box_of_groups;

// x unless another axis is clearly longer, so that it is the same from step to step.
static int longest_axis(const box_of_groups *box)
{
    static const double CLEARLY = 1.25;
    int axis = 0;
    for (int k = 1; k < 3; k++) {
        axis = box->hi[k] - box->lo[k] > CLEARLY * (box->hi[axis] - box->lo[axis]) ? k : axis;
    }
    return axis;
}

// The order of the groups in space: along the axis on which they reach farthest, in so many slices, and in each as they are
// numbered. at: 3 numbers a group.
static void rank_groups(const thud_rows *rows, int groups, const int *member, double *at, int *rank)
{
    enum { SLICES = 1024 };
    box_of_groups box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    int start[SLICES + 1] = {0};
    for (int g = 0; g < groups; g++) {
        const vec3 o = rows->d->link[rows->tree[member[g]].link].o;
        const double x[3] = {o.x, o.y, o.z};
        for (int k = 0; k < 3; k++) {
            at[3 * g + k] = x[k];
            box.lo[k] = x[k] < box.lo[k] ? x[k] : box.lo[k];
            box.hi[k] = x[k] > box.hi[k] ? x[k] : box.hi[k];
        }
    }
    const int axis = longest_axis(&box);
    const double length = box.hi[axis] - box.lo[axis], fine = length > 0 ? (SLICES - 1) / length : 0;
    for (int g = 0; g < groups; g++) {
        const double slice = fine * (at[3 * g + axis] - box.lo[axis]);
        rank[g] = slice > 0 ? (int)slice : 0; // for now; 0 where it is no number
        start[rank[g] + 1]++;
    }
    for (int k = 0; k < SLICES; k++) {
        start[k + 1] += start[k];
    }
    for (int g = 0; g < groups; g++) {
        rank[g] = start[rank[g]]++;
    }
}

typedef struct listing { // of the strips of an island
    const thud_rows *rows;
    const span *s;
    int first; // strip
    int *start;
    thud_cone_strip *list;
    double *S; // of one tree: room for all of them, row-major
} listing;

// A strip as the product has it.
static const double *row_major(const listing *l, const strip *of)
{
    if (!l->rows->T) {
        return of->S;
    }
    double *S = l->S + (size_t)of->at * (size_t)l->rows->tree[0].dofs;
    rows_read_strip(l->rows, of, S);
    return S;
}

static void list_some(void *of, int first, int end, int worker)
{
    const listing *l = of;
    const thud_rows *rows = l->rows;
    (void)worker;
    for (int k = first; k < end; k++) {
        const site *at = &rows->site[rows->order[l->s->block + k]];
        l->start[k] = at->strip - l->first;
        for (int x = at->strip; x < at->strip + at->strips; x++) {
            const strip *of_this = &rows->strip[x];
            l->list[x - l->first] = (thud_cone_strip){rows->tree[of_this->tree].last, row_major(l, of_this)};
        }
    }
}

thud_status thud_rows_factor(thud_rows *rows, int island, thud_pool *pool, thud_arena *arena)
{
    enum { LEAST = 500, MANY = 512 }; // blocks, worth a thread; whose groups are ranked
    span *s = &rows->span[island];
    const strip_range of = rows_strips_of(rows, s);
    const int first = of.first, end = of.end;
    const size_t strips = (size_t)(end - first);
    int *start = push_ints(rows, arena, (size_t)s->blocks + 1), *column = push_ints(rows, arena, strips + 1);
    thud_cone_strip *list = rows_push(rows, arena, strips, sizeof *list);
    const size_t numbers = rows->T ? (size_t)rows->rows * (size_t)rows->tree[0].dofs : 0;
    double *S = rows_push(rows, arena, numbers, sizeof *S);
    int *member = push_ints(rows, arena, strips);
    if (!start || !column || !list || !S || !member) {
        return THUD_NO_MEMORY;
    }
    const int groups = number_trees(rows, first, end, column, member);
    int *rank = NULL;
    if (s->blocks >= MANY) {
        double *at = rows_push(rows, arena, 3 * (size_t)groups, sizeof *at);
        rank = push_ints(rows, arena, (size_t)groups);
        if (!rank || !at) {
            return THUD_NO_MEMORY;
        }
        rank_groups(rows, groups, member, at, rank);
    }
    thud_pool_run(pool, s->blocks, LEAST, list_some, &(listing){rows, s, first, start, list, S});
    start[s->blocks] = end - first;
    s->product = (thud_cone_product){groups, column, start, list, s->trace, pool, rank};
    return THUD_OK;
}
