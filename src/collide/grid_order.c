// SPDX-License-Identifier: Apache-2.0
// grid_order.c: the grid's memory, in the order of a curve through space, so that boxes which meet lie
// together.
//
// With a hundred thousand boxes in any other order a look-up would miss the cache for nearly every box it
// compares, and the cost of a box would grow with their number although the work does not. The curve is
// Morton's: the bits of three cell numbers interleaved.
#include <math.h>
#include <string.h>

#include "broad.h"

enum { CURVE_BITS = 10, CURVE_CELLS = 1 << CURVE_BITS, LINE = 64 };

_Static_assert(sizeof(grid_item) == LINE, "an item of the grid is one line of cache");

static uint64_t spread(uint64_t x) // bit k to bit 3k
{
    x = (x | x << 16) & UINT64_C(0x030000ff);
    x = (x | x << 8) & UINT64_C(0x0300f00f);
    x = (x | x << 4) & UINT64_C(0x030c30c3);
    return (x | x << 2) & UINT64_C(0x09249249);
}

typedef struct frame { // of the curve: its first corner, and cells in a metre
    thud_vec3 corner;
    double fineness;
} frame;

static bool is_bounded(const thud_aabb *b)
{
    return isfinite(b->lo.x + b->lo.y + b->lo.z + b->hi.x + b->hi.y + b->hi.z);
}

// Cells about as large as four boxes, or as the world divided by what the curve has.
static frame frame_of(const thud_broad *broad)
{
    thud_aabb all = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    double edges = 0;
    int counted = 0;
    for (int id = 0; id < broad->high; id++) {
        const thud_aabb *b = &broad->fat[id];
        if ((broad->flags[id] & BOX_LIVE) && is_bounded(b)) {
            all.lo = (thud_vec3){thud_min(all.lo.x, b->lo.x), thud_min(all.lo.y, b->lo.y),
                                 thud_min(all.lo.z, b->lo.z)};
            all.hi = (thud_vec3){thud_max(all.hi.x, b->lo.x), thud_max(all.hi.y, b->lo.y),
                                 thud_max(all.hi.z, b->lo.z)};
            edges += (b->hi.x - b->lo.x + b->hi.y - b->lo.y + b->hi.z - b->lo.z) / 3;
            counted++;
        }
    }
    const double extent = thud_max(all.hi.x - all.lo.x, thud_max(all.hi.y - all.lo.y, all.hi.z - all.lo.z));
    const double cell = thud_max(4 * edges / (counted > 0 ? counted : 1), extent / CURVE_CELLS);
    return (frame){all.lo, cell > 0 && isfinite(cell) ? 1 / cell : 0};
}

static uint64_t cell_on_axis(double x, double corner, double fineness)
{
    const double c = (x - corner) * fineness;
    return c > 0 ? (uint64_t)thud_min(c, CURVE_CELLS - 1) : 0;
}

static uint64_t place_on_curve(const frame *f, const thud_aabb *b)
{
    if (!is_bounded(b)) {
        return 0;
    }
    return spread(cell_on_axis(b->lo.x, f->corner.x, f->fineness)) |
           spread(cell_on_axis(b->lo.y, f->corner.y, f->fineness)) << 1 |
           spread(cell_on_axis(b->lo.z, f->corner.z, f->fineness)) << 2;
}

void grid_order(thud_broad *broad)
{
    grid *g = &broad->grid;
    const frame f = frame_of(broad);
    for (int id = 0; id < broad->high; id++) { // those that are not in come last
        const bool live = broad->flags[id] & BOX_LIVE;
        g->order[id] = (live ? place_on_curve(&f, &broad->fat[id]) : UINT32_MAX) << 32 | (uint64_t)id;
    }
    sort_keys(g->order, g->order_spare, broad->high);
    for (int slot = 0; slot < broad->high; slot++) {
        const int id = (int)(g->order[slot] & UINT32_MAX);
        g->slot_of[id] = slot;
        g->item[slot].id = id;
        g->item[slot].bucket = -1;
    }
}

// ---------------------------------------------------------------------------------------------- memory

static bool resize(void **block, size_t count, size_t size)
{
    void *grown = thud_resize(*block, count * size);
    *block = grown ? grown : *block;
    return grown;
}

// A new block, aligned to lines; what was in the old one is put back by the rebuild that follows.
static bool replace_items(grid *g, int boxes)
{
    void *block = thud_alloc((size_t)boxes + 1, LINE);
    if (!block) {
        return false;
    }
    thud_free(g->item_block);
    g->item_block = block;
    g->item = (grid_item *)(((uintptr_t)block + LINE - 1) / LINE * LINE);
    return true;
}

thud_status grid_reserve(grid *g, int boxes)
{
    int buckets = 64;
    while (buckets < 4 * boxes && buckets < INT32_MAX / 2) {
        buckets *= 2;
    }
    const size_t n = (size_t)boxes;
    if (!resize((void **)&g->head, (size_t)buckets + 1, sizeof *g->head) ||
        !resize((void **)&g->slot_of, n, sizeof *g->slot_of) ||
        !resize((void **)&g->level, n, sizeof *g->level) ||
        !resize((void **)&g->order, n, sizeof *g->order) ||
        !resize((void **)&g->order_spare, n, sizeof *g->order_spare) || !replace_items(g, boxes)) {
        return THUD_NO_MEMORY;
    }
    g->buckets = buckets;
    for (int id = 0; id < boxes; id++) {
        g->slot_of[id] = id;
        g->item[id].id = id;
        g->item[id].bucket = -1;
    }
    return THUD_OK;
}

void grid_free(grid *g)
{
    thud_free(g->head);
    thud_free(g->item_block);
    thud_free(g->slot_of);
    thud_free(g->level);
    thud_free(g->order);
    thud_free(g->order_spare);
}
