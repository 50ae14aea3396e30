// SPDX-License-Identifier: Apache-2.0
// lay_strips.c: where the innovations of each block go: one behind the other in island order, as they are read.
//
// Threads lay shares of the blocks: what each share takes is counted first, and where it begins follows. Who makes W asks for
// the strips of a tree, which are chained then.
#include <math.h>
#include <string.h>

#include "rows.h"

enum { SHARE = 256 }; // blocks

typedef struct room { // that strips take
    int strips;
    size_t numbers;
} room;

typedef struct layout {
    thud_rows *rows;
    room *share; // what each takes, then where it begins
    double *S;
} layout;

// Has an arm of the block before this one the same tree?
static bool comes_again(const thud_rows *rows, const site *s, int a)
{
    bool again = false;
    for (int b = s->arm; b < a && !again; b++) {
        again = rows_tree_of(rows, b) == rows_tree_of(rows, a);
    }
    return again;
}

static void measure_shares(void *of, int first, int end, int worker)
{
    const layout *l = of;
    const thud_rows *rows = l->rows;
    (void)worker;
    for (int share = first; share < end; share++) {
        room sum = {0, 0};
        for (int k = share * SHARE; k < thud_share_end(share, SHARE, rows->blocks); k++) {
            const site *s = &rows->site[rows->order[k]];
            for (int a = s->arm; a < s->arm + s->arms; a++) {
                if (!comes_again(rows, s, a)) {
                    sum.strips++;
                    sum.numbers += (size_t)s->dim * (size_t)rows->tree[rows_tree_of(rows, a)].dofs;
                }
            }
        }
        l->share[share] = sum;
    }
}

// One more, of a block in a tree.
static inline void lay_strip(const thud_rows *rows, int block, int t, double *S, room *at)
{
    const site *s = &rows->site[block];
    rows->strip[at->strips++] =
        (strip){.block = block, .tree = t, .next = -1, .at = s->at, .dim = s->dim, .S = S + at->numbers};
    at->numbers += (size_t)s->dim * (size_t)rows->tree[t].dofs;
}

// Their numbers are not set.
static void lay_shares(void *of, int first, int end, int worker)
{
    const layout *l = of;
    const thud_rows *rows = l->rows;
    (void)worker;
    for (int share = first; share < end; share++) {
        room at = l->share[share];
        stretch_of_strips *stretch = &rows->stretch[share];
        *stretch = (stretch_of_strips){.low = rows->trees, .high = -1};
        for (int k = share * SHARE; k < thud_share_end(share, SHARE, rows->blocks); k++) {
            const int i = rows->order[k];
            site *s = &rows->site[i];
            s->strip = at.strips;
            for (int a = s->arm; a < s->arm + s->arms; a++) {
                const int t = rows_tree_of(rows, a);
                stretch->low = t < stretch->low ? t : stretch->low;
                stretch->high = t > stretch->high ? t : stretch->high;
                if (!comes_again(rows, s, a)) {
                    lay_strip(rows, i, t, l->S, &at);
                }
            }
            s->strips = at.strips - s->strip;
        }
        stretch->end = at.strips;
    }
}

static void take_roots(void *of, int first, int end, int worker)
{
    thud_rows *rows = of;
    (void)worker;
    for (int i = first; i < end; i++) {
        rows->root[i] = sqrt(rows->d->dof[i].Dinv);
    }
}

// Columns for the innovations of all rows, with room for a lane at their end.
static double *lay_columns(thud_rows *rows, int dofs)
{
    rows->stride = (rows->rows + 2 * THUD_LANES - 1) / THUD_LANES * THUD_LANES;
    const size_t numbers = (size_t)rows->stride * (size_t)dofs;
    rows->T = thud_arena_push(rows->arena, numbers, sizeof *rows->T);
    if (rows->T) {
        memset(rows->T, 0, numbers * sizeof *rows->T);
    }
    return rows->T;
}

// Those of a model of one tree: one of each block.
static thud_status lay_one(thud_rows *rows)
{
    const int dofs = rows->tree[0].dofs;
    const bool columns = dofs > FREE;
    double *S = columns ? lay_columns(rows, dofs)
                        : thud_arena_push(rows->arena, (size_t)rows->rows * (size_t)dofs, sizeof *S);
    if (!S) {
        return THUD_NO_MEMORY;
    }
    for (int i = 0; i < rows->blocks; i++) {
        site *s = &rows->site[i];
        rows->strip[i] = (strip){.block = i, .next = -1, .at = s->at, .dim = s->dim, .S = S};
        s->strip = i;
        s->strips = 1;
        S += (size_t)s->dim * (columns ? 1 : (size_t)dofs);
    }
    rows->strips = rows->blocks;
    return THUD_OK;
}

// By one thread: all lies behind what the arena has, and how much that is is known at the end.
static thud_status lay_alone(thud_rows *rows)
{
    double *const S = thud_arena_push(rows->arena, 0, sizeof *S);
    room at = {0, 0};
    for (int k = 0; k < rows->blocks; k++) {
        const int i = rows->order[k];
        site *s = &rows->site[i];
        s->strip = at.strips;
        for (int a = s->arm; a < s->arm + s->arms; a++) {
            if (a == s->arm || !comes_again(rows, s, a)) {
                lay_strip(rows, i, rows_tree_of(rows, a), S, &at);
            }
        }
        s->strips = at.strips - s->strip;
    }
    rows->strips = at.strips;
    return thud_arena_push(rows->arena, at.numbers, sizeof *S) ? THUD_OK : THUD_NO_MEMORY;
}

thud_status rows_lay_strips(thud_rows *rows)
{
    enum { LEAST = 150 }; // dofs: few, but who else reads them takes them out of their thread's cache
    thud_pool_run(rows->pool, rows->m->nv, LEAST, take_roots, rows);
    const int shares = (rows->blocks + SHARE - 1) / SHARE;
    rows->strip = thud_arena_push(rows->arena, (size_t)rows->arms, sizeof *rows->strip);
    if (rows->trees == 1) {
        return rows->strip ? lay_one(rows) : THUD_NO_MEMORY;
    }
    if (!rows->pool) {
        return rows->strip ? lay_alone(rows) : THUD_NO_MEMORY;
    }
    rows->stretch = thud_arena_push(rows->arena, (size_t)shares, sizeof *rows->stretch);
    layout l = {rows, thud_arena_push(rows->arena, (size_t)shares, sizeof *l.share), NULL};
    if (!l.share || !rows->strip || !rows->stretch) {
        return THUD_NO_MEMORY;
    }
    thud_pool_run(rows->pool, shares, 1, measure_shares, &l);
    room all = {0, 0};
    for (int k = 0; k < shares; k++) {
        const room share = l.share[k];
        l.share[k] = all;
        all = (room){all.strips + share.strips, all.numbers + share.numbers};
    }
    rows->strips = all.strips;
    l.S = thud_arena_push(rows->arena, all.numbers, sizeof *l.S);
    if (!l.S) {
        return THUD_NO_MEMORY;
    }
    thud_pool_run(rows->pool, shares, 1, lay_shares, &l);
    rows->stretches = shares;
    return THUD_OK;
}

void rows_read_strip(const thud_rows *rows, const strip *s, double *S)
{
    const int dofs = rows->tree[s->tree].dofs;
    for (int r = 0; r < s->dim; r++) {
        for (int k = 0; k < dofs; k++) {
            S[r * dofs + k] = s->S[r + (size_t)k * (size_t)rows->stride];
        }
    }
}

strip_range rows_strips_of(const thud_rows *rows, const span *s)
{
    const site *tail = &rows->site[rows->order[s->block + s->blocks - 1]];
    return (strip_range){rows->site[rows->order[s->block]].strip, tail->strip + tail->strips};
}

void rows_chain_strips(thud_rows *rows, const span *s)
{
    const strip_range of = rows_strips_of(rows, s);
    for (int x = of.first; x < of.end; x++) {
        tree *t = &rows->tree[rows->strip[x].tree];
        t->first = t->last = -1;
    }
    for (int x = of.first; x < of.end; x++) {
        tree *t = &rows->tree[rows->strip[x].tree];
        if (t->last >= 0) {
            rows->strip[t->last].next = x;
        } else {
            t->first = x;
        }
        t->last = x;
    }
}
