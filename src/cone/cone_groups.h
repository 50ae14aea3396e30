// SPDX-License-Identifier: Apache-2.0
// cone_groups.h: Newton's linear systems among the columns of S, where W = S S^T is known. Private to the room.
#pragma once

#include "cone_factor.h"

enum { GROUP = 6, PAIR = 3 }; // columns of a group and rows of a block, at most; fewer are padded with zeros

typedef struct cone_pair { // a contact between two groups
    int dim;
    int group[2];                              // where there is none: one beside the others, whose S is 0
    int entry[2][2];                           // of the factor: the block of group[a] and group[b]; -1: none
    double S[2][PAIR][GROUP];                  // scaled as W^ is
    double inverse[PAIR][PAIR], K[PAIR][PAIR]; // (A C + B)^-1, and times A
} cone_pair;

struct cone_groups {
    int groups;
    cone_pair *pair;    // one of each block
    double *compliance; // n: of c, scaled
    double *y;          // groups x GROUP, and zeros for who has no group
    cone_work pattern;  // of the matrix, as cone_order.c takes it
    cone_factor factor;
};

// The groups of w, into w->groups where all of its blocks are contacts of up to three rows between groups of up to six
// columns, as in piles of free bodies. false: the arena is too small.
bool cone_groups_begin(cone_work *w);
void cone_groups_end(cone_work *w);
// The pattern of g, whose pairs know their groups, and its order; room for a factor from the arena if it is bounded. false: no room.
bool cone_groups_order(cone_groups *g, thud_arena *arena, int pairs, bool bounded);
size_t cone_groups_scratch(const thud_cone *c); // bytes of the arena that they take at most

// The matrix of A (W^ + e) + B with e on its diagonal, block by block, then its factor.
void cone_groups_clear(cone_groups *g);
// A and A e + B of a block, without the rows that it has not (they are filled in). false: the second is singular.
bool cone_groups_put(cone_groups *g, int block, double A[PAIR][PAIR], double own[PAIR][PAIR]);
void cone_groups_hold(cone_groups *g, int block);        // its rows are solved beforehand
bool cone_groups_factor(cone_groups *g, bool symmetric); // false: a pivot that is 0 next to its node

// x (rows of W^) <- the solution, where x holds the right side; of a block that is held, its own part of the solution.
void cone_groups_solve(cone_groups *g, const cone_work *w, bool symmetric, double *x);

void cone_groups_multiply(cone_groups *g, const cone_work *w, const double *p, double *u); // u = W^ p + b^

typedef struct cone_part { // some blocks of a problem, the others held: a problem of their own
    cone_work w;
    cone_groups groups;
    thud_cone c; // of the judge
    const int *list;
    double *p; // w.n
} cone_part;

// cone_part.c: those of the list, at p, where all move with u. false: the arena is too small; end it all the same.
bool cone_part_begin(const cone_work *whole, const int *list, int count, const double *p, const double *u,
                     cone_part *part);
void cone_part_take(const cone_work *whole, const cone_part *part,
                    double *p); // p of the whole, part->p where it has some
void cone_part_end(cone_part *part);
