// SPDX-License-Identifier: Apache-2.0
// factor.c: W = S S^T of an island as its strips, for who sweeps over it and never makes W: what belongs to which tree, and where the
// trees are in space.
#include "rows.h"

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
    THUD_ASSERT(island >= 0 && island < rows->islands);
    enum { LEAST = 500, MANY = 512 }; // blocks, worth a thread; whose groups are ranked
    span *s = &rows->span[island];
    const strip_range of = rows_strips_of(rows, s);
    const int first = of.first, end = of.end;
    const size_t strips = (size_t)(end - first);
    int *start = rows_push_ints(rows, arena, (size_t)s->blocks + 1),
        *column = rows_push_ints(rows, arena, strips + 1);
    thud_cone_strip *list = rows_push(rows, arena, strips, sizeof *list);
    const size_t numbers = rows->T ? (size_t)rows->rows * (size_t)rows->tree[0].dofs : 0;
    double *S = rows_push(rows, arena, numbers, sizeof *S);
    int *member = rows_push_ints(rows, arena, strips);
    if (!start || !column || !list || !S || !member) {
        return THUD_NO_MEMORY;
    }
    const int groups = number_trees(rows, first, end, column, member);
    int *rank = NULL;
    if (s->blocks >= MANY) {
        double *at = rows_push(rows, arena, 3 * (size_t)groups, sizeof *at);
        rank = rows_push_ints(rows, arena, (size_t)groups);
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
