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

// to (column-major, stride) += S_i S_j^T
THUD_INSIDE void add_product(const double *Si, int di, const double *Sj, int dj, int dofs, double *to,
                             int stride)
{
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

// Columns c and c + 1 of the lower half of W (column-major, n) = T^T T in the rows from `first` on: as many as two lanes
// have, from registers. way: the rows of T on the way of these columns to the base.
enum { LANES = 2 * THUD_LANES };
THUD_INSIDE void square_part(int n, const double *const *way, int length, int c, int first, double *W)
{
    lane a = {0}, b = {0}, p = {0}, q = {0};
    for (int k = 0; k < length; k++) {
        const lane_of_numbers *t = (const lane_of_numbers *)(way[k] + first);
        const double x = way[k][c], y = way[k][c + 1];
        a += t[0] * x;
        b += t[1] * x;
        p += t[0] * y;
        q += t[1] * y;
    }
    double *to = W + first + (size_t)c * (size_t)n;
    if (first + LANES <= n && c + 1 < n) {
        lane_of_numbers *const one = (lane_of_numbers *)to, *const other = (lane_of_numbers *)(to + n);
        one[0] = a;
        one[1] = b;
        other[0] = p;
        other[1] = q;
        return;
    }
    for (int i = 0; i < LANES && first + i < n; i++) {
        to[i] = i < THUD_LANES ? a[i] : b[i - THUD_LANES];
        if (c + 1 < n) {
            to[i + n] = i < THUD_LANES ? p[i] : q[i - THUD_LANES];
        }
    }
}

// The lower half of W = T^T T, T of `dofs` rows of `stride` numbers, a multiple of LANES. way (dofs): scratch.
THUD_KERNEL static void square(int n, int stride, int dofs, const double *T, const double **way, double *W)
{
    for (int c = 0; c < n; c += 2) {
        int length = 0;
        for (int k = 0; k < dofs; k++) {
            const double *t = T + (size_t)k * (size_t)stride;
            way[length] = t;
            length += (t[c] != 0) | (t[c + 1] != 0);
        }
        for (int first = c / LANES * LANES; first < n; first += LANES) {
            square_part(n, way, length, c, first, W);
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

// Rows first to first + 3 of the columns from `from` on of a matrix, transposed into the rows from `from` on.
THUD_INSIDE void mirror_square(int n, int first, int from, double *W)
{
    lane x[THUD_LANES];
    for (int k = 0; k < THUD_LANES; k++) {
        x[k] = *(const lane_of_numbers *)(W + first + (size_t)(from + k) * (size_t)n);
    }
    turn(x);
    for (int k = 0; k < THUD_LANES; k++) {
        *(lane_of_numbers *)(W + from + (size_t)(first + k) * (size_t)n) = x[k];
    }
}

THUD_KERNEL static void mirror(int n, double *W) // the lower half into the upper one
{
    for (int c = 0; c < n; c += THUD_LANES) {
        const int whole = c + THUD_LANES <= n ? c : 0; // rows above that are mirrored in squares
        for (int r = 0; r < whole; r += THUD_LANES) {
            mirror_square(n, c, r, W);
        }
        for (int k = c; k < c + THUD_LANES && k < n; k++) {
            for (int r = whole; r < k; r++) {
                W[r + (size_t)k * (size_t)n] = W[k + (size_t)r * (size_t)n];
            }
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
        const int row = rows->sorted[i].row, dim = rows->sorted[i].dim;
        for (int r = 0; r < dim; r += THUD_LANES) {
            lay_rows(S + r * dofs, dim - r < THUD_LANES ? dim - r : THUD_LANES, dofs, T + row + r, stride);
        }
    }
}

// All blocks of the island are of one tree.
static bool fill_one(thud_rows *rows, span *s, thud_arena *arena)
{
    const int n = s->rows,
              stride = (n + THUD_LANES + LANES - 1) / LANES * LANES; // room for a lane at its end
    const int dofs = rows->tree[rows->strip[rows->site[rows->order[s->block]].strip].tree].dofs;
    s->W = (thud_mat){n, n, n, rows_push(rows, arena, (size_t)n * (size_t)n, sizeof(double))};
    double *T = rows_push(rows, arena, (size_t)dofs * (size_t)stride, sizeof(double));
    const double **way = rows_push(rows, arena, (size_t)dofs, sizeof *way);
    if (!s->W.a || !T || !way) {
        s->W.a = NULL;
        return false;
    }
    lay_strips(rows, s, dofs, T, stride);
    square(n, stride, dofs, T, way, s->W.a);
    mirror(n, s->W.a);
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

static bool fill_dense(thud_rows *rows, span *s, thud_arena *arena)
{
    const int n = s->rows;
    s->W = (thud_mat){n, n, n, rows_push(rows, arena, (size_t)n * (size_t)n, sizeof(double))};
    if (s->W.a) {
        fill_blocks(rows, s, s->W.a);
    }
    return s->W.a;
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
    bool one = s->blocks > 1 && // all of its blocks have the first one's tree alone
               rows->tree[rows->strip[first->strip].tree].dofs > FREE;
    for (int k = s->block; one && k < s->block + s->blocks; k++) {
        const site *at = &rows->site[rows->order[k]];
        one = at->strips == 1 && rows->strip[at->strip].tree == rows->strip[first->strip].tree;
    }
    if (one) {
        return fill_one(rows, s, arena);
    }
    rows_chain_strips(rows, s);
    return s->rows > DENSE_ROWS ? fill_sparse(rows, s, arena) : fill_dense(rows, s, arena);
}

// ---------------------------------------------------------------------------------------------- factors

// Trees of an island in the order they are met become groups; tree.last holds the number while it is made.
static int number_trees(thud_rows *rows, int first, int end, int *column)
{
    int groups = 0;
    for (int x = first; x < end; x++) {
        rows->tree[rows->strip[x].tree].last = -1;
    }
    column[0] = 0;
    for (int x = first; x < end; x++) {
        tree *t = &rows->tree[rows->strip[x].tree];
        if (t->last < 0) {
            t->last = groups++;
            column[groups] = column[groups - 1] + t->dofs;
        }
    }
    return groups;
}

typedef struct listing { // of the strips of an island
    const thud_rows *rows;
    const span *s;
    int first; // strip
    int *start;
    thud_cone_strip *list;
} listing;

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
            l->list[x - l->first] = (thud_cone_strip){rows->tree[of_this->tree].last, of_this->S};
        }
    }
}

thud_status thud_rows_factor(thud_rows *rows, int island, thud_pool *pool, thud_arena *arena)
{
    enum { LEAST = 500 }; // blocks
    span *s = &rows->span[island];
    const strip_range of = rows_strips_of(rows, s);
    const int first = of.first, end = of.end;
    const size_t strips = (size_t)(end - first);
    int *start = push_ints(rows, arena, (size_t)s->blocks + 1), *column = push_ints(rows, arena, strips + 1);
    thud_cone_strip *list = rows_push(rows, arena, strips, sizeof *list);
    if (!start || !column || !list) {
        return THUD_NO_MEMORY;
    }
    const int groups = number_trees(rows, first, end, column);
    thud_pool_run(pool, s->blocks, LEAST, list_some, &(listing){rows, s, first, start, list});
    start[s->blocks] = end - first;
    s->product = (thud_cone_product){groups, column, start, list, s->trace, pool};
    return THUD_OK;
}
