// SPDX-License-Identifier: Apache-2.0
// thud/collide_broad.h: the broad phase: which of many boxes overlap, cheaply because little changes.
//
// It knows boxes and their numbers, nothing else. Give each box a number from 0 up, move the boxes, update,
// and read the overlapping pairs (boxes are closed: touching is overlapping):
//
//     thud_broad_insert(broad, i, &box[i]);                      // once for each
//     thud_broad_move(broad, i, &box[i]);                        // each step, for those that moved
//     status = thud_broad_update(broad, &report);
//     const thud_broad_pair *pair = thud_broad_pairs(broad, &count);
//
// The pairs come sorted and are exactly those whose given boxes overlap: they depend neither on the structure
// that found them nor on the past. Inside, each box is fattened by its size and by its speed, and the
// structure only works when a box leaves its fat box [Baraff 1997 §7.2; docs/collision.md].
#pragma once

#include <thud/base_pool.h>
#include <thud/shape.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum thud_broad_kind {
    THUD_BROAD_AUTO,  // one of the two below, chosen by counts, never by a clock
    THUD_BROAD_SWEEP, // three sorted lists of interval ends: O(n + swaps); swaps grow as n^(5/3)
    THUD_BROAD_GRID   // hashed grids, one for each power of two of size: O(n) at any number of boxes
} thud_broad_kind;

typedef struct thud_broad_pair { // a < b
    int a, b;
} thud_broad_pair;

typedef struct thud_broad_options {
    thud_broad_kind kind;
    int boxes;    // numbers are 0 .. boxes - 1
    int pairs;    // how many overlaps of fat boxes there is room for
    double fat;   // margin on each side, as a part of the box's longest edge; 0: none
    double ahead; // updates of motion to look ahead, in the direction of motion; at most one edge
    // Admits a pair (a < b); NULL admits all. Its answer for two numbers must not change while both are in.
    bool (*admit)(const void *user, int a, int b);
    const void *user;
} thud_broad_options;

typedef struct thud_broad_report { // of one update
    thud_broad_kind kind;          // the structure that did it
    int boxes;                     // in the structure
    int moved;                     // boxes that were new or had left their fat box
    int64_t swaps;                 // exchanges in the sorted lists; 0 for the other kinds
    int64_t tests;                 // pairs of fat boxes compared
    int fat_pairs;                 // overlaps of fat boxes kept in the table
    int pairs;                     // overlaps found
} thud_broad_report;

typedef struct thud_broad thud_broad;

THUD_API thud_broad_options thud_broad_defaults(void); // automatic, 256 boxes, 1024 pairs, measured margins

THUD_API THUD_MUST_USE thud_status thud_broad_create(const thud_broad_options *options, thud_broad **out);
THUD_API void thud_broad_destroy(thud_broad *broad); // NULL is allowed

// Lets the threads of a pool take part in updates from now on (NULL: none); it must outlive their use. The pairs are the same.
THUD_API void thud_broad_share(thud_broad *broad, thud_pool *pool);

// Makes room for more (never less). The only call besides create that allocates. The pairs are gone until the
// next update.
THUD_API THUD_MUST_USE thud_status thud_broad_reserve(thud_broad *broad, int boxes, int pairs);

// Puts in box `id`. BAD_ARGUMENT when the number is taken or outside the capacity, or when the box has
// lo > hi; NOT_FINITE when it holds a NaN (infinite ends are fine). O(1); the work is done by the next
// update.
THUD_API THUD_MUST_USE thud_status thud_broad_insert(thud_broad *broad, int id, const thud_aabb *box);
THUD_API THUD_MUST_USE thud_status thud_broad_remove(thud_broad *broad, int id); // its number is free again
THUD_API THUD_MUST_USE thud_status thud_broad_move(thud_broad *broad, int id, const thud_aabb *box);
// The same where that changes nothing for the others: while the box stays within the room it was given. false: it does not (or
// is none), and nothing was done. Threads may ask this of different boxes that are in, all at once.
THUD_API bool thud_broad_move_within(thud_broad *broad, int id, const thud_aabb *box);

// Finds the overlaps of the boxes as they now are. report may be NULL. Does not allocate. NO_MEMORY when the
// table is too small: there are no pairs then; reserve more and update again.
THUD_API THUD_MUST_USE thud_status thud_broad_update(thud_broad *broad, thud_broad_report *report);

// The pairs of the last update, sorted by a, then b. Valid until the next update or reserve.
THUD_API const thud_broad_pair *thud_broad_pairs(const thud_broad *broad, int *count);

#ifdef __cplusplus
}
#endif
