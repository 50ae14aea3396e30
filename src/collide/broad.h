// SPDX-License-Identifier: Apache-2.0
// broad.h: what the broad phase's parts share: the boxes, the table of overlaps and the two structures.
//
// A structure does one thing: for the boxes that moved it offers every pair of fat boxes that may have begun
// to overlap (table_offer). It may offer too many or one twice, never too few. The table forgets the overlaps
// that have ended by itself, when it is read.
#pragma once

#include <thud/collide_broad.h>

enum box_flag {
    BOX_LIVE = 1,  // in: its boxes are valid
    BOX_MOVED = 2, // its fat box changed since the last update (also when it is new)
    BOX_NEW = 4,   // inserted since the last update: in no structure yet
    BOX_GONE = 8   // removed since the last update: pairs and ends under this number are void
};

// ---------------------------------------------------------------------------------------------- the table

// A key is (a << 32 | b), a < b. `key` is sorted and has no doubles; `fresh` collects what was offered.
typedef struct pair_table {
    int capacity, room; // most overlaps; elements of the three arrays below, a quarter more
    int count, fresh_count, out_count;
    uint64_t *key, *spare, *fresh;
    thud_broad_pair *out;
    bool full; // something was offered that found no room
} pair_table;

// ---------------------------------------------------------------------------------------------- structures

typedef struct sweep_end { // one end of a fat box's interval on an axis
    double value;
    int id;
    int upper; // 0: where it begins, 1: where it ends
} sweep_end;

typedef struct sweep {
    int count; // ends in each list
    sweep_end *end[3], *spare;
    int *active, *position; // the intervals open while a list is swept, and each one's place among them
} sweep;

#define GRID_LEVELS 64
#define GRID_WIDE GRID_LEVELS // level of the boxes too large for any grid

typedef struct grid_item { // one line of cache: all that a walk along a bucket reads
    thud_aabb box;
    int next, previous; // slots of the bucket's other items; -1 none
    int bucket;         // -1: not in the grid
    int id;
} grid_item;

typedef struct grid {
    int buckets; // a power of two; one more is for the wide boxes
    int *head;
    grid_item *item; // by slot; neighbours in space are near each other here (grid_order.c)
    void *item_block;
    int *slot_of;         // by number
    unsigned char *level; // by slot
    uint64_t *order, *order_spare;
    int population[GRID_LEVELS + 1];
    int64_t wear; // boxes moved since the slots were put in order
} grid;

struct thud_broad {
    thud_broad_options options;
    thud_broad_kind kind; // in use
    int capacity, high;   // room for boxes; one more than the highest number ever used
    int live, moved_count, new_count, gone_count;
    int patience; // updates in which the sweep was dearer than the grid would have been
    bool rebuild; // start the structure and the table from nothing
    thud_aabb *tight, *fat;
    unsigned char *flags;
    int *moved; // numbers of the boxes flagged BOX_MOVED
    pair_table table;
    sweep sweep;
    grid grid;
    int64_t swaps, tests; // of this update
    thud_pool *pool;      // NULL: one thread
};

// Offers a pair of different live boxes: compares the fat boxes, and if they overlap adds the pair. O(1).
void table_offer(thud_broad *broad, int i, int j);
// Asks the filter, and notes the pair.
void table_add(thud_broad *broad, int i, int j);
// Sorts keys with a spare array of the same size. O(n) for each of their digits that is not all the same.
void sort_keys(uint64_t *key, uint64_t *spare, int n);
// Merges what was offered, forgets the overlaps that have ended, and writes the pairs out. False when full.
bool table_settle(thud_broad *broad);
thud_status table_reserve(pair_table *table, int pairs);
void table_free(pair_table *table);

void sweep_rebuild(thud_broad *broad); // sorts the ends of all live boxes and offers every overlap
void sweep_update(thud_broad *broad);  // insertion sort; offers at the swaps
thud_status sweep_reserve(sweep *s, int boxes);
void sweep_free(sweep *s);

void grid_rebuild(thud_broad *broad);
void grid_update(thud_broad *broad);
bool grid_is_worn(const thud_broad *broad); // a rebuild would soon pay for itself
void grid_order(thud_broad *broad);         // new slots for all boxes; before the grid is filled
thud_status grid_reserve(grid *g, int boxes);
void grid_free(grid *g);
