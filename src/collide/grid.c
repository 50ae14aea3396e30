// SPDX-License-Identifier: Apache-2.0
// grid.c: overlaps of many boxes from hashed grids, one for each power of two of box size.
//
// A box lives in the cell of its lower corner, on the finest level where it covers at most two cells an axis.
// Two boxes that overlap share a cell, so on a level only the cells from one below a box's first to its last
// have to be looked into: at most 27 where the sizes are alike. A box that left its fat box is put into its
// new cell and looked up again; the others cost nothing.
//
// Memory is what many boxes wait for. So a box's line in the grid holds all that a walk reads, lines are kept
// in the order of a curve through space (grid_order.c), and the cells of a block of 4 x 4 x 4 have
// neighbouring buckets; only the blocks are scattered.
//
// Cost     O(moved) for an update when the boxes of one size do not crowd (a bounded number in a cell);
//          long thin boxes laid side by side do crowd. Memory O(n), whatever the extent of the world.
// Differs  From Teschner et al. 2003 (one level, rebuilt every step): levels, and kept between steps.
// Fails    Never; a full table is noted there. Far coordinates share the outermost cells: slow, not wrong.
#include <math.h>
#include <string.h>

#include "broad.h"

// LEVEL_ONE: the level of cells one metre wide; CELL_LIMIT: the outermost cell.
enum { LEVEL_ONE = 32, CELL_LIMIT = 1 << 30, MOST_HEADS = 32, BLOCK = 64, WEAR = 8 };

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
    const double edge =
        thud_max(box->hi.x - box->lo.x, thud_max(box->hi.y - box->lo.y, box->hi.z - box->lo.z));
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

// Where the block of a cell begins, before it is cut down to the number of buckets.
static uint32_t block_of(int x, int y, int z, int level)
{
    uint64_t h = (uint64_t)(uint32_t)(x >> 2) * UINT64_C(0x9e3779b97f4a7c15);
    h ^= (uint64_t)(uint32_t)(y >> 2) * UINT64_C(0xc2b2ae3d27d4eb4f);
    h ^= (uint64_t)(uint32_t)(z >> 2) * UINT64_C(0xd6e8feb86659fd93);
    h ^= (uint64_t)level * UINT64_C(0xa0761d6478bd642f);
    return (uint32_t)((h ^ (h >> 29)) * UINT64_C(0xbf58476d1ce4e5b9) >> 32) * BLOCK;
}

static int bucket_of(const grid *g, int x, int y, int z, int level)
{
    const uint32_t inside = (uint32_t)(x & 3) | (uint32_t)(y & 3) << 2 | (uint32_t)(z & 3) << 4;
    return (int)((block_of(x, y, z, level) | inside) & (uint32_t)(g->buckets - 1));
}

// ---------------------------------------------------------------------------------------------- placing

static void leave(grid *g, int slot)
{
    grid_item *i = &g->item[slot];
    if (i->bucket < 0) {
        return;
    }
    if (i->previous >= 0) {
        g->item[i->previous].next = i->next;
    } else {
        g->head[i->bucket] = i->next;
    }
    if (i->next >= 0) {
        g->item[i->next].previous = i->previous;
    }
    i->bucket = -1;
    g->population[g->level[slot]]--;
}

static void enter(grid *g, int slot, int bucket, int level)
{
    grid_item *i = &g->item[slot];
    i->next = g->head[bucket];
    i->previous = -1;
    i->bucket = bucket;
    if (i->next >= 0) {
        g->item[i->next].previous = slot;
    }
    g->head[bucket] = slot;
    g->level[slot] = (unsigned char)level;
    g->population[level]++;
}

static void place(thud_broad *broad, int id)
{
    grid *g = &broad->grid;
    const int slot = g->slot_of[id];
    grid_item *i = &g->item[slot];
    i->box = broad->fat[id];
    const int level = level_of(&i->box);
    int bucket = g->buckets; // the wide boxes have one of their own, which no cell leads to
    if (level != GRID_WIDE) {
        const cell_range c = cells_of(&i->box, level);
        bucket = bucket_of(g, c.lo[0], c.lo[1], c.lo[2], level);
    }
    if (i->bucket != bucket || g->level[slot] != level) {
        leave(g, slot);
        enter(g, slot, bucket, level);
    }
}

// ---------------------------------------------------------------------------------------------- looking up

// Of two boxes that both moved, the lower number offers the pair.
static void offer(thud_broad *broad, const grid_item *mine, const grid_item *other)
{
    broad->tests++;
    if (thud_aabb_overlap(&mine->box, &other->box) && mine->id != other->id &&
        (!(broad->flags[other->id] & BOX_MOVED) || mine->id < other->id)) {
        table_add(broad, mine->id, other->id);
    }
}

// What is too large for any cell: the ground, most often alone.
static void offer_wide(thud_broad *broad, const grid_item *mine)
{
    const grid *g = &broad->grid;
    for (int slot = g->head[g->buckets]; slot >= 0; slot = g->item[slot].next) {
        offer(broad, mine, &g->item[slot]);
    }
}

static void offer_all_of_level(thud_broad *broad, const grid_item *mine, int level)
{
    const grid *g = &broad->grid;
    for (int slot = 0; slot < broad->high; slot++) {
        if (g->item[slot].bucket >= 0 && g->level[slot] == level) {
            offer(broad, mine, &g->item[slot]);
        }
    }
}

static void offer_buckets(thud_broad *broad, const grid_item *mine, const int *head, int heads)
{
    for (int k = 0; k < heads; k++) {
        for (int slot = head[k]; slot >= 0; slot = broad->grid.item[slot].next) {
            offer(broad, mine, &broad->grid.item[slot]);
        }
    }
}

// Reads the heads of many buckets before it walks any, so that their reads do not wait for each other.
static void offer_cells(thud_broad *broad, const grid_item *mine, const cell_range *c, int level)
{
    const grid *g = &broad->grid;
    int head[MOST_HEADS], heads = 0;
    for (int z = c->lo[2] - 1; z <= c->hi[2]; z++) {
        for (int y = c->lo[1] - 1; y <= c->hi[1]; y++) {
            for (int x = c->lo[0] - 1; x <= c->hi[0]; x++) {
                head[heads] = g->head[bucket_of(g, x, y, z, level)];
                heads += head[heads] >= 0;
                if (heads == MOST_HEADS) {
                    offer_buckets(broad, mine, head, heads);
                    heads = 0;
                }
            }
        }
    }
    offer_buckets(broad, mine, head, heads);
}

static void look_around(thud_broad *broad, int id)
{
    const grid *g = &broad->grid;
    const int slot = g->slot_of[id];
    const grid_item *mine = &g->item[slot];
    for (int level = 0; level <= GRID_WIDE; level++) {
        if (g->population[level] == 0) {
            continue;
        }
        if (level == GRID_WIDE) {
            offer_wide(broad, mine);
            continue;
        }
        if (g->level[slot] == GRID_WIDE) {
            offer_all_of_level(broad, mine, level);
            continue;
        }
        const cell_range c = cells_of(&mine->box, level);
        const double cells =
            (2.0 + c.hi[0] - c.lo[0]) * (2.0 + c.hi[1] - c.lo[1]) * (2.0 + c.hi[2] - c.lo[2]);
        if (cells > 27 + broad->live) { // a large box among small ones
            offer_all_of_level(broad, mine, level);
        } else {
            offer_cells(broad, mine, &c, level);
        }
    }
}

// ---------------------------------------------------------------------------------------------- the grid

// The numbers of the moved boxes in the order of their slots, so that neighbours come after each other.
static void sort_moved(thud_broad *broad)
{
    grid *g = &broad->grid;
    for (int m = 0; m < broad->moved_count; m++) {
        g->order[m] = (uint64_t)g->slot_of[broad->moved[m]];
    }
    sort_keys(g->order, g->order_spare, broad->moved_count);
    for (int m = 0; m < broad->moved_count; m++) {
        broad->moved[m] = g->item[g->order[m]].id;
    }
}

void grid_update(thud_broad *broad)
{
    grid *g = &broad->grid;
    for (int id = 0; broad->gone_count > 0 && id < broad->high; id++) {
        if (broad->flags[id] & BOX_GONE) {
            leave(g, g->slot_of[id]);
        }
    }
    sort_moved(broad);
    for (int m = 0; m < broad->moved_count; m++) {
        place(broad, broad->moved[m]);
    }
    for (int m = 0; m < broad->moved_count; m++) {
        look_around(broad, broad->moved[m]);
    }
    g->wear += broad->moved_count;
}

bool grid_is_worn(const thud_broad *broad)
{
    return broad->grid.wear > (WEAR + 1) * (int64_t)broad->live; // the first of each is the rebuild itself
}

void grid_rebuild(thud_broad *broad)
{
    grid *g = &broad->grid;
    memset(g->head, 0xff, ((size_t)g->buckets + 1) * sizeof *g->head); // -1
    memset(g->population, 0, sizeof g->population);
    g->wear = 0;
    grid_order(broad);
    grid_update(broad);
}
