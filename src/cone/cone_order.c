// SPDX-License-Identifier: Apache-2.0
// cone_order.c: the order in which a matrix with the pattern of W^ is eliminated, and the room it takes.
//
// Blocks that meet the same blocks (the corners of one face) are one group; groups are eliminated by minimum
// degree, the lowest number first among equals, so that a stack costs what a band matrix does and a wall what
// its separators do. A group is cut into nodes of about CONE_NODE rows, whole blocks each, so that the work is
// done on short dense columns whatever the size.
//
// Differs  from the quotient graphs of the literature: the elimination graph is kept as it is, in bits; at
//          some hundred groups that is a few kilobytes, and its rows are the factor's structure.
// Cost     O(groups^3 / 64) at worst; blocks^2 / 8 bytes.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "cone_factor.h"

typedef uint64_t bits;

typedef struct ordering {
    int blocks, words;
    bits *meets; // blocks x words: block i meets block j (itself too); later, of groups
    int *group;  // blocks: the group it is in
    int *next;   // blocks: the next of its group, -1 at its end
    int groups;
    int *first, *last; // groups: blocks
    int *order, *turn; // groups: who is eliminated k-th, and when; turn -1: not yet
    int *start;        // groups + 1: the first node of the k-th
    int *node_of;      // blocks
} ordering;

static void join(const ordering *o, int i, int j)
{
    o->meets[(size_t)i * (size_t)o->words + (size_t)j / 64] |= (bits)1 << (j % 64);
}

static bool joined(const ordering *o, int i, int j)
{
    return o->meets[(size_t)i * (size_t)o->words + (size_t)j / 64] >> (j % 64) & 1;
}

// Compares W^_ij with the transpose of W^_ji, without branches. Clears *same unless both agree to rounding;
// returns whether any is not 0.
static inline bool dense_pair(const cone_work *w, const cone_rows *bi, const cone_rows *bj, int rows,
                              int columns, bool *same)
{
    double size = 0, worst = 0;
    for (int s = 0; s < columns; s++) {
        const double *x = w->W.a + bi->row + (size_t)(bj->row + s) * (size_t)w->n;
        const double *y = w->W.a + bj->row + s + (size_t)bi->row * (size_t)w->n;
        for (int r = 0; r < rows; r++) {
            const double a = fabs(x[r]) + fabs(y[(size_t)r * (size_t)w->n]);
            const double off = fabs(x[r] - y[(size_t)r * (size_t)w->n]) - 1e-15 * a;
            size += a;
            worst = off > worst ? off : worst;
        }
    }
    *same = *same && worst <= 0;
    return size != 0;
}

static void meet_dense(const cone_work *w, ordering *o, bool *same)
{
    for (int j = 0; j < o->blocks; j++) {
        for (int i = j; i < o->blocks; i++) {
            const cone_rows *bi = w->block + i, *bj = w->block + j;
            const bool any = bi->dim == 3 && bj->dim == 3 ? dense_pair(w, bi, bj, 3, 3, same)
                                                          : dense_pair(w, bi, bj, bi->dim, bj->dim, same);
            if (any || i == j) {
                join(o, i, j);
                join(o, j, i);
            }
        }
    }
}

static const double *sparse_block(const cone_work *w, int i, int j)
{
    for (int k = w->sparse.start[j]; k < w->sparse.start[j + 1]; k++) {
        if (w->sparse.row[k] == i) {
            return w->sparse.value + w->sparse.at[k];
        }
    }
    return NULL;
}

static void meet_sparse(const cone_work *w, ordering *o, bool *same)
{
    for (int j = 0; j < o->blocks; j++) {
        join(o, j, j);
        for (int k = w->sparse.start[j]; k < w->sparse.start[j + 1]; k++) {
            const int i = w->sparse.row[k], di = w->block[i].dim, dj = w->block[j].dim;
            join(o, i, j);
            join(o, j, i);
            const double *x = w->sparse.value + w->sparse.at[k], *y = i > j ? sparse_block(w, j, i) : x;
            for (int e = 0; e < di * dj && i >= j && *same; e++) {
                const double xe = x[e], ye = y ? y[e / di + e % di * dj] : 0;
                *same = fabs(xe - ye) <= 1e-15 * (fabs(xe) + fabs(ye));
            }
        }
    }
}

// Blocks with equal rows of `meets` become one group.
static void group_blocks(ordering *o)
{
    const size_t bytes = sizeof(bits) * (size_t)o->words;
    o->groups = 0;
    for (int i = 0; i < o->blocks; i++) {
        const bits *mine = o->meets + (size_t)i * (size_t)o->words;
        o->group[i] = o->next[i] = -1;
        for (int j = 0; j < i && o->group[i] < 0; j++) {
            if (joined(o, i, j) && memcmp(mine, o->meets + (size_t)j * (size_t)o->words, bytes) == 0) {
                o->group[i] = o->group[j];
            }
        }
        if (o->group[i] < 0) {
            o->group[i] = o->groups++;
            o->first[o->group[i]] = i;
        } else {
            o->next[o->last[o->group[i]]] = i;
        }
        o->last[o->group[i]] = i;
    }
}

// The rows of `meets`, of groups instead of blocks: group g's from that of its first block, which is never
// before it, so that they can be written over.
static bool meet_groups(ordering *o, thud_arena *arena)
{
    bits *was = thud_arena_push(arena, (size_t)o->words, sizeof *was);
    for (int g = 0; g < o->groups && was; g++) {
        memcpy(was, o->meets + (size_t)o->first[g] * (size_t)o->words, sizeof *was * (size_t)o->words);
        memset(o->meets + (size_t)g * (size_t)o->words, 0, sizeof *was * (size_t)o->words);
        for (int j = 0; j < o->blocks; j++) {
            if (was[j / 64] >> (j % 64) & 1 && o->group[j] != g) {
                join(o, g, o->group[j]);
            }
        }
    }
    return was;
}

static int count_bits(const bits *row, int words)
{
    int count = 0;
    for (int k = 0; k < words; k++) {
        count += __builtin_popcountll(row[k]);
    }
    return count;
}

static void eliminate(ordering *o, int g, int *degree)
{
    THUD_ASSERT(0 <= g);
    const int words = (o->groups + 63) / 64;
    const bits *mine = o->meets + (size_t)g * (size_t)o->words;
    for (int k = 0; k < words; k++) {
        for (bits left = mine[k]; left; left &= left - 1) {
            const int h = 64 * k + __builtin_ctzll(left);
            bits *row = o->meets + (size_t)h * (size_t)o->words;
            for (int x = 0; x < words; x++) {
                row[x] |= mine[x];
            }
            row[h / 64] &= ~((bits)1 << (h % 64));
            row[g / 64] &= ~((bits)1 << (g % 64));
            degree[h] = count_bits(row, words);
        }
    }
}

// Minimum degree. Afterwards row g of `meets` holds the groups that follow g and that it reaches.
static bool order_groups(ordering *o, thud_arena *arena)
{
    int *degree = thud_arena_push(arena, (size_t)o->groups, sizeof *degree);
    if (!degree) {
        return false;
    }
    for (int g = 0; g < o->groups; g++) {
        degree[g] = count_bits(o->meets + (size_t)g * (size_t)o->words, (o->groups + 63) / 64);
        o->turn[g] = -1;
    }
    for (int k = 0; k < o->groups; k++) {
        int best = -1;
        for (int g = 0; g < o->groups; g++) {
            best = o->turn[g] < 0 && (best < 0 || degree[g] < degree[best]) ? g : best;
        }
        o->order[k] = best;
        o->turn[best] = k;
        eliminate(o, best, degree);
    }
    return true;
}

// Cuts the groups into nodes and places the rows.
static void place_rows(const cone_work *w, ordering *o, cone_factor *f)
{
    int row = 0;
    f->nodes = 0;
    for (int k = 0; k < o->groups; k++) {
        cone_node *node = NULL;
        o->start[k] = f->nodes;
        for (int i = o->first[o->order[k]]; i >= 0; i = o->next[i]) {
            const int dim = w->block[i].dim;
            if (!node || (node->size > 0 && node->size + dim > CONE_NODE)) {
                node = f->node + f->nodes++;
                *node = (cone_node){.row = row};
            }
            o->node_of[i] = f->nodes - 1;
            for (int r = 0; r < dim; r++) {
                f->place[w->block[i].row + r] = row++;
            }
            node->size += dim;
        }
    }
    o->start[o->groups] = f->nodes;
}

// Nodes that node x of the k-th group reaches, into `to` and `at` unless NULL; returns how many, and the rows
// of its panel in node[x].stride.
static int list_reach(const ordering *o, cone_factor *f, int k, int x, int *to, int *at)
{
    int count = 0, rows = f->node[x].size;
    for (int l = k; l < o->groups; l++) {
        if (l > k && !joined(o, o->order[k], o->order[l])) {
            continue;
        }
        for (int y = l == k ? x + 1 : o->start[l]; y < o->start[l + 1]; y++) {
            if (to) {
                to[count] = y;
                at[count] = rows;
            }
            rows += f->node[y].size;
            count++;
        }
    }
    f->node[x].stride = rows;
    return count;
}

// Room for the panels and for the pattern: a dense W^ bounds both (and groups of one), a sparse one takes them from the
// heap.
static bool take_room(cone_factor *f, const cone_work *w, size_t reaches)
{
    const size_t ints = (reaches + 1) * sizeof(int), bytes = f->values * sizeof(double) + 2 * ints;
    char *room =
        w->W.a || w->bounded ? thud_arena_push(w->arena, bytes, 1) : (f->heap = thud_alloc(bytes, 1));
    if (!room) {
        return false;
    }
    f->value = (double *)(void *)room;
    f->reach = (int *)(void *)(f->value + f->values);
    f->reach_at = f->reach + reaches + 1;
    return true;
}

static bool reach_nodes(const ordering *o, cone_factor *f, const cone_work *w)
{
    size_t reaches = 0, values = 0;
    for (int k = 0; k < o->groups; k++) {
        for (int x = o->start[k]; x < o->start[k + 1]; x++) {
            cone_node *node = f->node + x;
            node->reach = (int)reaches;
            node->reaches = list_reach(o, f, k, x, NULL, NULL);
            node->panel = values;
            reaches += (size_t)node->reaches;
            values += (size_t)node->stride * (size_t)node->size;
        }
    }
    f->panels = values;
    for (int x = 0; x < f->nodes; x++) {
        f->node[x].across = values;
        values += (size_t)(f->node[x].stride - f->node[x].size) * (size_t)f->node[x].size;
    }
    f->values = values;
    if (values > INT_MAX || !take_room(f, w, reaches)) {
        return false;
    }
    for (int k = 0; k < o->groups; k++) {
        for (int x = o->start[k]; x < o->start[k + 1]; x++) {
            list_reach(o, f, k, x, f->reach + f->node[x].reach, f->reach_at + f->node[x].reach);
        }
    }
    return true;
}

static int row_in_panel(const cone_factor *f, const cone_node *node, int of)
{
    int low = node->reach, high = node->reach + node->reaches - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (f->reach[middle] < of) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return f->reach_at[low];
}

// Where block (i, j) belongs.
static void aim(const cone_work *w, const ordering *o, const cone_factor *f, cone_entry *e)
{
    const int x = o->node_of[e->i], y = o->node_of[e->j];
    const cone_node *a = f->node + x, *b = f->node + y;
    const int row = f->place[w->block[e->i].row] - a->row, column = f->place[w->block[e->j].row] - b->row;
    if (x >= y) {
        e->down = 1;
        e->pace = b->stride;
        e->to = (int)b->panel + (x == y ? 0 : row_in_panel(f, b, x)) + row + column * e->pace;
    } else {
        e->down = a->stride - a->size;
        e->pace = 1;
        e->to = (int)a->across + row_in_panel(f, a, y) - a->size + column + row * e->down;
    }
}

// The entries whose row is eliminated with or after their column (lower), or before it.
static void list_entries(const cone_work *w, const ordering *o, cone_factor *f, bool lower)
{
    for (int j = 0; j < w->blocks; j++) {
        const int end = w->W.a ? w->blocks : w->sparse.start[j + 1];
        for (int k = w->W.a ? 0 : w->sparse.start[j]; k < end; k++) {
            const int i = w->W.a ? k : w->sparse.row[k];
            if ((o->node_of[i] >= o->node_of[j]) != lower) {
                continue;
            }
            cone_entry e = {.i = i, .j = j};
            if (w->W.a) {
                if (!joined(o, i, j)) {
                    continue;
                }
                e.from = w->block[i].row + w->block[j].row * w->n;
                e.stride = w->n;
            } else {
                e.from = w->sparse.at[k];
                e.stride = w->block[i].dim;
            }
            aim(w, o, f, &e);
            f->entry[f->entries++] = e;
        }
    }
}

static int count_entries(const cone_work *w, const ordering *o)
{
    return w->W.a ? count_bits(o->meets, o->blocks * o->words) : w->sparse.start[w->blocks];
}

static bool begin_ordering(cone_work *w, ordering *o, cone_factor *f)
{
    const size_t blocks = (size_t)w->blocks;
    *o = (ordering){.blocks = w->blocks, .words = (w->blocks + 63) / 64};
    o->meets = thud_arena_push(w->arena, blocks * (size_t)o->words, sizeof *o->meets);
    int **ints[] = {&o->group, &o->next, &o->first, &o->last, &o->order, &o->turn, &o->node_of};
    bool all = o->meets;
    for (size_t k = 0; k < sizeof ints / sizeof *ints; k++) {
        all = (*ints[k] = thud_arena_push(w->arena, blocks, sizeof(int))) && all;
    }
    o->start = thud_arena_push(w->arena, blocks + 1, sizeof(int));
    f->node = thud_arena_push(w->arena, blocks, sizeof *f->node);
    f->place = thud_arena_push(w->arena, (size_t)w->n, sizeof *f->place);
    f->pivot = thud_arena_push(w->arena, (size_t)w->n, sizeof *f->pivot);
    f->work = thud_arena_push(w->arena, (CONE_NODE + 1) * (size_t)w->n + 8, sizeof *f->work);
    if (!all || !o->start || !f->node || !f->place || !f->pivot || !f->work) {
        return false;
    }
    memset(o->meets, 0, sizeof *o->meets * blocks * (size_t)o->words);
    return true;
}

static double pattern_cost(const cone_factor *f)
{
    double cost = 0;
    for (int x = 0; x < f->nodes; x++) {
        cost += (double)f->node[x].size * f->node[x].stride * f->node[x].stride;
    }
    return cost;
}

bool cone_factor_begin(cone_work *w, cone_factor *f)
{
    THUD_ASSERT(w->blocks > 0);
    ordering o;
    *f = (cone_factor){.n = w->n, .symmetric = true};
    if (!begin_ordering(w, &o, f)) {
        return false;
    }
    (w->W.a ? meet_dense : meet_sparse)(w, &o, &f->symmetric);
    f->entry = thud_arena_push(w->arena, (size_t)count_entries(w, &o), sizeof *f->entry);
    bits *keep = thud_arena_push(w->arena, (size_t)o.blocks * (size_t)o.words, sizeof *keep);
    if (!f->entry || !keep) {
        return false;
    }
    memcpy(keep, o.meets, sizeof *keep * (size_t)o.blocks * (size_t)o.words);
    group_blocks(&o);
    if (!meet_groups(&o, w->arena) || !order_groups(&o, w->arena)) {
        return false;
    }
    place_rows(w, &o, f);
    if (!reach_nodes(&o, f, w)) {
        return false;
    }
    f->cost = pattern_cost(f);
    o.meets = keep;
    list_entries(w, &o, f, true);
    f->lower = f->entries;
    list_entries(w, &o, f, false);
    return true;
}

void cone_factor_end(cone_factor *f)
{
    thud_free(f->heap);
    f->heap = NULL;
}
