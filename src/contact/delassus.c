// SPDX-License-Identifier: Apache-2.0
// delassus.c: W = G M^-1 G^T of every island from innovations. [theory 6; JO IV]
//
// Symbols  S = E D^-1/2, E the innovations of a block's rows at the dofs of one tree
//          W_ij = sum over common trees of S_i S_j^T
// Differs  JO forms Omega(i,j) = psi^T Upsilon psi at the nearest common ancestor (thud_opspace_block). Both
//          are Psi^T H^T D^-1 H Psi; in this order W is symmetric and positive semidefinite to the last bit, and
//          base-to-tips passes are saved. The tests hold them against each other.
// Cost     O(depth) a row for E; a dot product over a tree's dofs for each pair of rows that share it. Islands
//          of many free bodies are kept sparse by blocks.
#include <math.h>
#include <string.h>

#include "rows.h"

static const int DENSE_ROWS = 240; // an island of more rows and more than one tree is kept sparse

// ---------------------------------------------------------------------------------------------- innovations

// The strip of block i in a tree; NULL: it has none yet.
static strip *strip_of(const thud_rows *rows, int i, int t)
{
    const site *s = &rows->site[i];
    for (int k = s->strip; k < s->strip + s->strips; k++) {
        if (rows->strip[k].tree == t) {
            return &rows->strip[k];
        }
    }
    return NULL;
}

// A new strip of block i, the last of its tree. Its numbers are not set.
static bool add_strip(thud_rows *rows, int i, int t)
{
    site *s = &rows->site[i];
    tree *const where = &rows->tree[t];
    const int at = s->strip + s->strips++;
    const size_t count = (size_t)rows->block[i].dim * (size_t)where->dofs;
    rows->strip[at] =
        (strip){.block = i, .tree = t, .next = -1, .S = thud_arena_push(rows->arena, count, sizeof(double))};
    if (where->last >= 0) {
        rows->strip[where->last].next = at;
    } else {
        where->first = at;
    }
    where->last = at;
    return rows->strip[at].S;
}

// S = E D^-1/2 of a strip, in place; returns sum and the squares of all of it, one after the other.
static inline double weigh(double *S, const double *root, int dim, int dofs, double sum)
{
    for (int r = 0; r < dim; r++, S += dofs) {
        for (int c = 0; c < dofs; c++) {
            S[c] *= root[c];
        }
        for (int c = 0; c < dofs; c++) {
            sum += S[c] * S[c];
        }
    }
    return sum;
}

void rows_innovate(thud_rows *rows, int i)
{
    enum { FREE = 6 }; // dofs of a body that is a tree of its own
    site *s = &rows->site[i];
    const int dim = rows->block[i].dim;
    for (int k = s->strip; k < s->strip + s->strips; k++) {
        memset(rows->strip[k].S, 0,
               (size_t)dim * (size_t)rows->tree[rows->strip[k].tree].dofs * sizeof(double));
    }
    for (int a = s->arm; a < s->arm + s->arms; a++) {
        const int link = rows->arm[a].link, t = rows->link_tree[link], dofs = rows->tree[t].dofs;
        double *S = strip_of(rows, i, t)->S - rows->tree[t].dof;
        for (int r = 0; r < dim; r += THUD_LANES, S += THUD_LANES * dofs) {
            thud_dynamics_innovate(rows->m, rows->d, link, dim - r < THUD_LANES ? dim - r : THUD_LANES,
                                   &rows->wrench[rows->arm[a].at + r / THUD_LANES], S, dofs);
        }
    }
    double trace = dim * s->epsilon; // of W + epsilon over the block's rows
    for (int k = s->strip; k < s->strip + s->strips; k++) {
        const tree *t = &rows->tree[rows->strip[k].tree];
        const double *root = rows->root + t->dof;
        trace = t->dofs == FREE ? weigh(rows->strip[k].S, root, dim, FREE, trace)
                                : weigh(rows->strip[k].S, root, dim, t->dofs, trace);
    }
    s->trace = trace;
}

static void take_roots(void *of, int first, int end, int worker)
{
    thud_rows *rows = of;
    (void)worker;
    for (int i = first; i < end; i++) {
        rows->root[i] = sqrt(rows->d->dof[i].Dinv);
    }
}

thud_status rows_lay_strips(thud_rows *rows)
{
    enum { LEAST = 2000 }; // dofs
    thud_pool_run(rows->pool, rows->m->nv, LEAST, take_roots, rows);
    rows->strip = thud_arena_push(rows->arena, (size_t)rows->arms, sizeof(strip));
    if (!rows->strip) {
        return THUD_NO_MEMORY;
    }
    int at = 0;
    for (int k = 0; k < rows->blocks; k++) { // in island order, so that strips of a tree ascend in it
        const int i = rows->order[k];
        site *s = &rows->site[i];
        s->strip = at;
        s->strips = 0;
        for (int a = s->arm; a < s->arm + s->arms; a++) {
            const int t = rows->link_tree[rows->arm[a].link];
            if (!strip_of(rows, i, t) && !add_strip(rows, i, t)) {
                return THUD_NO_MEMORY;
            }
        }
        at += s->strips;
    }
    return THUD_OK;
}

// ---------------------------------------------------------------------------------------------- products

// to (column-major, stride) += S_i S_j^T
THUD_KERNEL static void add_product(const double *Si, int di, const double *Sj, int dj, int dofs, double *to,
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

// The lower half of W (column-major, n) = T^T T, T of `dofs` rows of `stride` numbers, a multiple of LANES: by two columns
// and LANES rows, from registers.
enum { LANES = 8 };
THUD_KERNEL static void square(int n, int stride, int dofs, const double *T, double *W)
{
    for (int c = 0; c < n; c += 2) {
        for (int first = c / LANES * LANES; first < n; first += LANES) {
            double a[LANES] = {0}, b[LANES] = {0};
            for (int k = 0; k < dofs; k++) {
                const double *t = T + (size_t)k * (size_t)stride, x = t[c], y = t[c + 1];
                for (int i = 0; i < LANES; i++) {
                    a[i] += t[first + i] * x;
                    b[i] += t[first + i] * y;
                }
            }
            double *to = W + first + (size_t)c * (size_t)n;
            for (int i = 0; i < LANES && first + i < n; i++) {
                to[i] = a[i];
                if (c + 1 < n) {
                    to[i + n] = b[i];
                }
            }
        }
    }
}

static void mirror(int n, double *W) // the lower half into the upper one
{
    for (int c = 0; c < n; c++) {
        for (int r = 0; r < c; r++) {
            W[r + (size_t)c * (size_t)n] = W[c + (size_t)r * (size_t)n];
        }
    }
}

// All blocks of the island are of one tree.
static bool fill_one(thud_rows *rows, span *s)
{
    const int n = s->rows, stride = (n + LANES) / LANES * LANES;
    const int dofs = rows->tree[rows->strip[rows->site[rows->order[s->block]].strip].tree].dofs;
    s->W = (thud_mat){n, n, n, rows_push(rows, (size_t)n * (size_t)n, sizeof(double))};
    double *T = rows_push(rows, (size_t)dofs * (size_t)stride, sizeof(double));
    if (!s->W.a || !T) {
        s->W.a = NULL;
        return false;
    }
    memset(T, 0, (size_t)dofs * (size_t)stride * sizeof *T);
    for (int i = s->block; i < s->block + s->blocks; i++) {
        const double *S = rows->strip[rows->site[rows->order[i]].strip].S;
        double *to = T + rows->sorted[i].row;
        for (int r = 0; r < rows->sorted[i].dim; r++, S += dofs) {
            for (int k = 0; k < dofs; k++) {
                to[r + (size_t)k * (size_t)stride] = S[k];
            }
        }
    }
    square(n, stride, dofs, T, s->W.a);
    mirror(n, s->W.a);
    return true;
}

static bool fill_dense(thud_rows *rows, span *s)
{
    const int n = s->rows;
    s->W = (thud_mat){n, n, n, rows_push(rows, (size_t)n * (size_t)n, sizeof(double))};
    if (!s->W.a) {
        return false;
    }
    for (size_t k = 0; k < (size_t)n * (size_t)n; k++) {
        s->W.a[k] = 0;
    }
    for (int k = s->block; k < s->block + s->blocks; k++) {
        const site *at = &rows->site[rows->order[k]];
        const int row = rows->sorted[k].row, dim = rows->sorted[k].dim;
        for (int x = at->strip; x < at->strip + at->strips; x++) {
            const strip *mine = &rows->strip[x];
            for (int y = x; y >= 0; y = rows->strip[y].next) { // this block and later ones of the tree
                const strip *other = &rows->strip[y];
                const thud_block *b = &rows->block[other->block];
                add_product(other->S, b->dim, mine->S, dim, rows->tree[mine->tree].dofs,
                            s->W.a + b->row + (size_t)row * (size_t)n, n);
            }
        }
    }
    mirror(n, s->W.a);
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

static void *push_ints(thud_rows *rows, size_t count)
{
    return rows_push(rows, count, sizeof(int));
}

// Pattern of a sparse W: start, column, at. Returns the number of values, or -1 without memory.
static int pattern(thud_rows *rows, span *s)
{
    int *start = push_ints(rows, (size_t)s->blocks + 1), *mark = push_ints(rows, (size_t)s->blocks);
    int *list = push_ints(rows, (size_t)s->blocks);
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
    int *column = push_ints(rows, (size_t)start[s->blocks]), *at = push_ints(rows, (size_t)start[s->blocks]);
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

static bool fill_sparse(thud_rows *rows, span *s)
{
    const int values = pattern(rows, s);
    double *value = values < 0 ? NULL : rows_push(rows, (size_t)values, sizeof(double));
    if (!value) {
        return false;
    }
    for (int k = 0; k < values; k++) {
        value[k] = 0;
    }
    s->sparse.value = value;
    for (int k = 0; k < s->blocks; k++) {
        const site *at = &rows->site[rows->order[s->block + k]];
        const int dim = rows->sorted[s->block + k].dim;
        for (int x = at->strip; x < at->strip + at->strips; x++) {
            const strip *mine = &rows->strip[x];
            for (int y = rows->tree[mine->tree].first; y >= 0; y = rows->strip[y].next) {
                const strip *other = &rows->strip[y];
                const int j = rows->place[other->block] - s->block;
                const int e = entry_of(&s->sparse, k, j);
                add_product(mine->S, dim, other->S, rows->block[other->block].dim,
                            rows->tree[mine->tree].dofs, value + s->sparse.at[e], dim);
            }
        }
    }
    return true;
}

bool rows_fill(thud_rows *rows, span *s)
{
    const site *first = &rows->site[rows->order[s->block]];
    bool one = true; // all blocks have the first one's tree and no other
    for (int k = s->block; one && k < s->block + s->blocks; k++) {
        const site *at = &rows->site[rows->order[k]];
        one = at->strips == 1 && rows->strip[at->strip].tree == rows->strip[first->strip].tree;
    }
    return one ? fill_one(rows, s) : s->rows > DENSE_ROWS ? fill_sparse(rows, s) : fill_dense(rows, s);
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

thud_status thud_rows_factor(thud_rows *rows, int island, thud_pool *pool)
{
    span *s = &rows->span[island];
    const site *tail = &rows->site[rows->order[s->block + s->blocks - 1]];
    const int first = rows->site[rows->order[s->block]].strip, end = tail->strip + tail->strips;
    const size_t strips = (size_t)(end - first);
    int *start = push_ints(rows, (size_t)s->blocks + 1), *column = push_ints(rows, strips + 1);
    thud_cone_strip *list = rows_push(rows, strips, sizeof *list);
    if (!start || !column || !list) {
        return THUD_NO_MEMORY;
    }
    const int groups = number_trees(rows, first, end, column);
    for (int k = 0; k < s->blocks; k++) {
        start[k] = rows->site[rows->order[s->block + k]].strip - first;
    }
    start[s->blocks] = end - first;
    for (int x = first; x < end; x++) {
        list[x - first] = (thud_cone_strip){rows->tree[rows->strip[x].tree].last, rows->strip[x].S};
    }
    s->product = (thud_cone_product){groups, column, start, list, s->trace, pool};
    return THUD_OK;
}

// ---------------------------------------------------------------------------------------------- response

typedef struct response {
    const thud_rows *rows;
    thud_dynamics *d;
    double *dv;
} response;

// The sum of p S over a tree's strips, in the order of their blocks.
static void add_impulses(const thud_rows *rows, const tree *t, double *e)
{
    for (int x = t->first; x >= 0; x = rows->strip[x].next) {
        const int i = rows->strip[x].block;
        for (int r = 0; r < rows->block[i].dim; r++) {
            const double p = rows->p[rows->site[i].at + r];
            const double *S = rows->strip[x].S + (size_t)r * (size_t)t->dofs;
            for (int c = 0; c < t->dofs; c++) {
                e[t->dof + c] += p * S[c];
            }
        }
    }
}

static void respond_grove(const response *a, int g)
{
    const thud_rows *rows = a->rows;
    const thud_model *m = rows->m;
    const int link = a->d->grove[g], last = a->d->grove[g + 1] - 1;
    const int first = m->joint_v[link], end = m->joint_v[last] + m->joint_dofs[last];
    const int trees = last + 1 < m->joints ? rows->link_tree[last + 1] : rows->trees;
    bool held = false;
    for (int i = first; i < end; i++) {
        rows->innovation[i] = 0;
    }
    for (int t = rows->link_tree[link]; t < trees; t++) {
        add_impulses(rows, &rows->tree[t], rows->innovation);
        held |= rows->tree[t].first >= 0;
    }
    if (!held) {
        memset(a->dv + first, 0, (size_t)(end - first) * sizeof *a->dv);
        return;
    }
    for (int i = first; i < end; i++) {
        rows->innovation[i] /= rows->root[i]; // S was E D^-1/2
    }
    thud_dynamics part = thud_dynamics_part(a->d, g, g + 1);
    thud_dynamics_respond(m, &part, rows->innovation, a->dv);
}

static void respond_groves(void *of, int first, int end, int worker)
{
    (void)worker;
    for (int g = first; g < end; g++) {
        respond_grove(of, g);
    }
}

void thud_rows_respond(const thud_rows *rows, thud_dynamics *d, double *dv)
{
    enum { LEAST = 50 }; // links
    response a = {rows, d, dv};
    thud_pool_run(rows->pool, d->groves, rows_groves(rows, LEAST), respond_groves, &a);
}
