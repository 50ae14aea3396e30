// SPDX-License-Identifier: Apache-2.0
// collider.h: what the two halves of a query share: boxes and pairs (collider.c), contacts of the pairs (narrow.c).
#pragma once

#include <thud/collide.h>

#include "broad.h"
#include "pair.h"
#include "vicinity.h"

typedef struct witness { // of one pair of geoms
    thud_broad_pair pair;
    thud_pair_cache cache;
    int at, count; // its contacts in what the query found; -1 of them: it was not compared
} witness;

typedef struct pair_law { // how two geoms touch; it never changes
    thud_broad_pair pair; // 0, 0: of none
    thud_contact_law law;
} pair_law;

typedef struct outline { // all that a box depends on
    thud_pose X;
    thud_motion V;
} outline;

typedef struct swept { // the box of one geom in this query
    thud_aabb now;
    enum {
        BOX_STAYS,
        BOX_MOVES_WITHIN, // the room that the broad phase gave it
        BOX_MOVES,
        BOX_OVERFLOWS
    } change;
    int64_t query; // in which it was drawn, where boxes are drawn by need
} swept;

typedef struct piece { // what a share of the pairs gave
    int end;           // of its pairs
    int worker;
    int start, count; // in what the worker found
    int to;           // its first in what all of them found
} piece;

typedef struct few_pairs { // of few geoms (few.c)
    bool all;   // that may meet are listed here; otherwise the broad phase finds those that are near
    int *start; // geoms + 1: of each its partners, those of higher numbers that it may meet
    int *partner;
    thud_broad_pair *near; // those whose rooms overlap
    int nears;
} few_pairs;

struct thud_collider {
    const thud_model *m;
    thud_broad *broad;
    int pairs;   // room
    int known;   // witnesses of the last query
    int entered; // geoms below this number are in the broad phase
    witness *last, *next;
    pair_law *law; // of some pairs, where they were last in the list; NULL: of many geoms
    int *
        surface; // of each geom: the same number, the same law, between geoms that are no <pair>; -1: its own
    double *reach;        // of each geom: how far its own contacts begin; -1: it can touch nothing
    double *radius;       // of each geom, about its origin; infinite for a plane
    double *spin;         // of each geom: how fast turning moves its surface, m/s
    outline *drawn;       // of each geom: what its box was made from
    swept *box;           // of each geom
    double ahead, margin; // of these
    geom_motion *motion;  // of each geom, in this query
    geom_room *room;      // of each geom of few
    few_pairs few;
    double *turning; // of each geom: its radius, but 0 of a sphere
    bool roomy;      // the witnesses are of all pairs within the rooms
    bool answered;   // the last query ended well
    int64_t queries;
    thud_pool *pool;         // NULL: one thread
    thud_contact_set *found; // by each worker
    piece *piece;            // of each pair that is the first of a share
};

typedef thud_collide_query query;

static inline bool is_few(const thud_collider *c)
{
    enum { FEW = 256 }; // geoms: of more of them one always leaves its room
    return c->m->geoms <= FEW;
}

// surfaces.c
void surfaces_find(const thud_model *m, int *surface);

// few.c
thud_status few_create(thud_collider *c); // after its room for pairs: no more of them are listed
void few_destroy(few_pairs *f);
void few_list(thud_collider *c, thud_broad_report *report); // once the rooms are made

// narrow.c
// The contacts of all pairs that the broad phase has. renewed: they are not those of the last query; `last`: what that
// found, where it is known.
thud_status narrow_collide(thud_collider *c, const query *q, bool renewed, const thud_contact_set *last,
                           thud_contact_set *set, thud_collide_report *report);
