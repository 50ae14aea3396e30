// SPDX-License-Identifier: Apache-2.0
// islands.c: which blocks can feel each other. Trees joined by a block belong together; union by the lower
// number, so that islands come in the order of their first tree whatever the order of the blocks. O(blocks +
// trees).
#include <math.h>

#include "rows.h"

static int find_root(tree *t, int i)
{
    while (t[i].island != i) {
        t[i].island = t[t[i].island].island;
        i = t[i].island;
    }
    return i;
}

static void join_trees(thud_rows *rows)
{
    for (int t = 0; t < rows->trees; t++) {
        rows->tree[t].island = t;
        rows->tree[t].held = false;
    }
    for (int i = 0; i < rows->blocks; i++) {
        const site *s = &rows->site[i];
        rows->tree[rows_tree_of(rows, s->arm)].held = true;
        for (int a = s->arm + 1; a < s->arm + s->arms; a++) {
            const int x = find_root(rows->tree, rows_tree_of(rows, s->arm));
            const int y = find_root(rows->tree, rows_tree_of(rows, a));
            rows->tree[x > y ? x : y].island = x < y ? x : y;
            rows->tree[rows_tree_of(rows, a)].held = true;
        }
    }
}

// How many blocks and rows each has, and what its bodies' other contacts ask for.
static void count_islands(thud_rows *rows)
{
    rows->islands = 0;
    for (int t = 0; t < rows->trees; t++) {
        rows->tree[t].last = -1; // for now: the number of the island whose root it is
    }
    for (int i = 0; i < rows->blocks; i++) {
        const int root = find_root(rows->tree, rows_tree_of(rows, rows->site[i].arm));
        if (rows->tree[root].last < 0) {
            rows->tree[root].last = rows->islands;
            rows->span[rows->islands++] = (span){.residual = NAN, .h = rows->h};
        }
        rows->site[i].island = rows->tree[root].last;
        rows->span[rows->site[i].island].blocks++;
        rows->span[rows->site[i].island].rows += rows->site[i].dim;
    }
    for (int t = 0; t < rows->trees; t++) {
        const int island = rows->tree[find_root(rows->tree, t)].last;
        if (island >= 0) {
            rows->span[island].beside += rows->tree[t].beside;
        }
    }
}

// Blocks by island, keeping their order within.
static void sort_blocks(thud_rows *rows)
{
    int block = 0, row = 0;
    for (int k = 0; k < rows->islands; k++) {
        rows->span[k].block = block;
        rows->span[k].row = row;
        block += rows->span[k].blocks;
        row += rows->span[k].rows;
        rows->span[k].blocks = rows->span[k].rows = 0;
    }
    for (int i = 0; i < rows->blocks; i++) {
        site *mine = &rows->site[i];
        span *s = &rows->span[mine->island];
        const int to = s->block + s->blocks++;
        mine->row = s->rows;
        mine->at = s->row + s->rows;
        s->rows += mine->dim;
        rows->order[to] = i;
        rows->place[i] = to;
    }
}

// The blocks of a model of one tree are one island, in the order they came.
static void join_one(thud_rows *rows)
{
    span s = {.residual = NAN, .h = rows->h, .blocks = rows->blocks, .beside = rows->tree[0].beside};
    for (int i = 0; i < rows->blocks; i++) {
        site *mine = &rows->site[i];
        mine->island = 0;
        mine->row = mine->at = s.rows;
        s.rows += mine->dim;
        rows->order[i] = rows->place[i] = i;
    }
    rows->tree[0].island = 0;
    rows->tree[0].held = rows->blocks > 0;
    rows->islands = rows->blocks > 0;
    if (rows->blocks > 0) {
        rows->span[0] = s;
    }
}

void rows_join(thud_rows *rows)
{
    if (rows->trees == 1) {
        join_one(rows);
        return;
    }
    join_trees(rows);
    count_islands(rows);
    sort_blocks(rows);
}
