// SPDX-License-Identifier: Apache-2.0
// grid.c: overlaps of many boxes from hashed grids, one for each power of two of box size.
//
// A box lives in the cell of its lower corner, on the finest level where it covers at most two cells an axis.
// Two boxes that overlap share a cell, so on a level only the cells from one below a box's first to its last
// have to be looked into: at most 27 where the sizes are alike. A box that left its fat box is put into its
// new cell and looked up again; the others cost nothing.
//
// Cost     O(moved) for an update when the boxes of one size do not crowd (a bounded number in a cell);
//          long thin boxes laid side by side do crowd. Memory O(n), whatever the extent of the world.
// Differs  From Teschner et al. 2003 (one level, rebuilt every step): levels, and kept between steps.
// Fails    Never; a full table is noted there. Far coordinates share the outermost cells: slow, not wrong.
#include <math.h>
#include <string.h>

#include "broad.h"

enum {
    LEVEL_ONE = 32,
    CELL_LIMIT = 1 << 30,
    MOST_HEADS = 32
}; // level of cells one metre wide; outermost cell

typedef struct cell_range { // cells lo..hi on each axis, both included
    int lo[3], hi[3];
} cell_range;

static int cell_of(double x, double cells_per_metre)
{
    double c = x * cells_per_metre; // exact: a power of two
    c = c < -CELL_LIMIT ? -CELL_LIMIT : c > CELL_LIMIT ? CELL_LIMIT : c;
    const int cut = (int)c;
    return cut - (c < cut); // floor
}

static cell_range cells_of(const thud_aabb *box, int level)
{
    const double f = ldexp(1, LEVEL_ONE - level);
    return (cell_range){{cell_of(box->lo.x, f), cell_of(box->lo.y, f), cell_of(box->lo.z, f)},
                        {cell_of(box->hi.x, f), cell_of(box->hi.y, f), cell_of(box->hi.z, f)}};
}

static bool covers_two_at_most(const cell_range *c)
{
    return c->hi[0] - c->lo[0] <= 1 && c->hi[1] - c->lo[1] <= 1 && c->hi[2] - c->lo[2] <= 1;
}

static int level_of(const thud_aabb *box)
{
    const double edge = fmax(box->hi.x - box->lo.x, fmax(box->hi.y - box->lo.y, box->hi.z - box->lo.z));
    if (!(edge < ldexp(1, GRID_LEVELS - 1 - LEVEL_ONE))) {
        return GRID_WIDE; // infinite, or larger than the coarsest cells
    }
    int exponent;
    frexp(edge, &exponent); // edge < 2^exponent
    int level = edge > 0 ? exponent + LEVEL_ONE : 0;
    level = level < 0 ? 0 : level;
    for (; level < GRID_LEVELS; level++) {
        const cell_range c = cells_of(box, level);
        if (covers_two_at_most(&c)) {
            return level;
        }
    }
    return GRID_WIDE;
}

// Cells next to each other along x have neighbouring buckets, so a row of three is one read of memory.
static uint32_t row_of(int y, int z, int level)
{
    uint64_t h = (uint64_t)(uint32_t)y * UINT64_C(0x9e3779b97f4a7c15);
    h ^= (uint64_t)(uint32_t)z * UINT64_C(0xc2b2ae3d27d4eb4f);
    h ^= (uint64_t)level * UINT64_C(0xd6e8feb86659fd93);
    return (uint32_t)((h ^ (h >> 29)) * UINT64_C(0xbf58476d1ce4e5b9) >> 32);
}

static int bucket_of(const grid *g, uint32_t row, int x)
{
    return (int)((row + (uint32_t)x) & (uint32_t)(g->buckets - 1));
}

static void leave(grid *g, fat_box *box, int id)
{
    const fat_box b = box[id];
    if (b.bucket < 0) {
        return;
    }
    if (b.previous >= 0) {
        box[b.previous].next = b.next;
    } else {
        g->head[b.bucket] = b.next;
    }
    if (b.next >= 0) {
        box[b.next].previous = b.previous;
    }
    box[id].bucket = -1;
    g->population[b.level]--;
}

static void enter(grid *g, fat_box *box, int id, int bucket, int level)
{
    const int next = g->head[bucket];
    box[id].next = next;
    box[id].previous = -1;
    box[id].bucket = bucket;
    box[id].level = level;
    if (next >= 0) {
        box[next].previous = id;
    }
    g->head[bucket] = id;
    g->population[level]++;
}

static void place(thud_broad *broad, int id)
{
    grid *g = &broad->grid;
    fat_box *b = &broad->fat[id];
    const int level = level_of(&b->box);
    int bucket = g->buckets; // the wide boxes have one of their own, which no cell leads to
    if (level != GRID_WIDE) {
        const cell_range c = cells_of(&b->box, level);
        bucket = bucket_of(g, row_of(c.lo[1], c.lo[2], level), c.lo[0]);
    }
    if (b->bucket != bucket || b->level != level) {
        leave(g, broad->fat, id);
        enter(g, broad->fat, id, bucket, level);
    }
}

// Of two boxes that both moved, the lower number offers the pair.
static bool mine_to_offer(const thud_broad *broad, int id, int other)
{
    return other != id && (!(broad->flags[other] & BOX_MOVED) || id < other);
}

static void offer_all_of_level(thud_broad *broad, int id, int level)
{
    for (int other = 0; other < broad->high; other++) {
        if ((broad->flags[other] & BOX_LIVE) && broad->fat[other].level == level &&
            mine_to_offer(broad, id, other)) {
            table_offer(broad, id, other);
        }
    }
}

// Gathers the heads of up to MOST_HEADS buckets before it walks any: their reads do not wait for each other.
static void offer_heads(thud_broad *broad, int id, const int *head, int heads)
{
    for (int k = 0; k < heads; k++) {
        for (int other = head[k]; other >= 0; other = broad->fat[other].next) {
            if (mine_to_offer(broad, id, other)) {
                table_offer(broad, id, other);
            }
        }
    }
}

static void offer_cells(thud_broad *broad, int id, const cell_range *c, int level)
{
    const grid *g = &broad->grid;
    int head[MOST_HEADS], heads = 0;
    for (int z = c->lo[2] - 1; z <= c->hi[2]; z++) {
        for (int y = c->lo[1] - 1; y <= c->hi[1]; y++) {
            const uint32_t row = row_of(y, z, level);
            for (int x = c->lo[0] - 1; x <= c->hi[0]; x++) {
                head[heads] = g->head[bucket_of(g, row, x)];
                heads += head[heads] >= 0;
                if (heads == MOST_HEADS) {
                    offer_heads(broad, id, head, heads);
                    heads = 0;
                }
            }
        }
    }
    offer_heads(broad, id, head, heads);
}

static void look_around(thud_broad *broad, int id)
{
    const grid *g = &broad->grid;
    for (int level = 0; level <= GRID_WIDE; level++) {
        if (g->population[level] == 0) {
            continue;
        }
        if (level == GRID_WIDE || broad->fat[id].level == GRID_WIDE) {
            offer_all_of_level(broad, id, level);
            continue;
        }
        const cell_range c = cells_of(&broad->fat[id].box, level);
        const double cells =
            (2.0 + c.hi[0] - c.lo[0]) * (2.0 + c.hi[1] - c.lo[1]) * (2.0 + c.hi[2] - c.lo[2]);
        if (cells > 27 + broad->live) { // a large box among small ones
            offer_all_of_level(broad, id, level);
        } else {
            offer_cells(broad, id, &c, level);
        }
    }
}

void grid_update(thud_broad *broad)
{
    for (int id = 0; broad->gone_count > 0 && id < broad->high; id++) {
        if (broad->flags[id] & BOX_GONE) {
            leave(&broad->grid, broad->fat, id);
        }
    }
    for (int m = 0; m < broad->moved_count; m++) {
        place(broad, broad->moved[m]);
    }
    for (int m = 0; m < broad->moved_count; m++) {
        look_around(broad, broad->moved[m]);
    }
}

void grid_rebuild(thud_broad *broad)
{
    grid *g = &broad->grid;
    memset(g->head, 0xff, ((size_t)g->buckets + 1) * sizeof *g->head); // -1
    for (int id = 0; id < broad->high; id++) {
        broad->fat[id].bucket = -1;
    }
    memset(g->population, 0, sizeof g->population);
    grid_update(broad);
}

thud_status grid_reserve(grid *g, int boxes)
{
    int buckets = 64;
    while (buckets < 2 * boxes && buckets < INT32_MAX / 2) {
        buckets *= 2;
    }
    int *head = thud_resize(g->head, ((size_t)buckets + 1) * sizeof *head);
    if (!head) {
        return THUD_NO_MEMORY;
    }
    g->head = head;
    g->buckets = buckets;
    return THUD_OK;
}

void grid_free(grid *g)
{
    thud_free(g->head);
}
