// SPDX-License-Identifier: Apache-2.0
// cone_groups.h: Newton's linear systems among the columns of S, where W = S S^T is known. Private to the room.
#pragma once

#include "cone_factor.h"
#include "cone_tiles.h"

enum { PAIR = 3 }; // rows of a block, at most; fewer are padded with zeros, as are the columns of a group

typedef struct cone_pair {                           // a contact between two groups
    _Alignas(CONE_LINE) double S[2][PAIR][TILE_ROW]; // scaled as W^ is
    double inverse[PAIR][PAIR], K[PAIR][PAIR];       // (A C + B)^-1, and times A
    int dim;
    int group
        [2]; // by their turns, the first one's before the other's; where there is none: one behind all, whose S is 0
    int reach; // of the tiles that it has beside the diagonal; -1: none
} cone_pair;

struct cone_groups {
    int groups;
    cone_pair *pair;    // one of each block
    double *compliance; // n: of c, scaled
    double *y;          // groups x TILE_ROW, and zeros for who has no group
    cone_tiles tiles;
};

// The groups of w, into w->groups where all of its blocks are contacts of up to three rows between groups of up to six
// columns, as in piles of free bodies. false: the arena is too small.
bool cone_groups_begin(cone_work *w);
void cone_groups_end(cone_work *w);
// The pattern of g, whose pairs know their groups by any numbers, and its order, by which they are numbered anew; room for a factor
// from the arena if it is bounded. false: no room.
bool cone_groups_order(cone_groups *g, thud_arena *arena, int pairs, bool bounded);
size_t cone_groups_scratch(const thud_cone *c); // bytes of the arena that they take at most

// The matrix of A (W^ + e) + B with e on its diagonal, block by block, then its factor.
void cone_groups_clear(cone_groups *g);
// A and A e + B of a block, without the rows that it has not (they are filled in). false: the second is singular.
bool cone_groups_put(cone_groups *g, int block, double A[PAIR][PAIR], double own[PAIR][PAIR]);
// The same of one that sticks, where A = diag rho and B = 0: rho and e, row by row.
void cone_groups_stick(cone_groups *g, int block, const double *rho, const double e[PAIR]);
void cone_groups_hold(cone_groups *g, int block); // its rows are solved beforehand
bool cone_groups_factor(cone_groups *g);          // false: a pivot that is 0 next to its tile

// x (rows of W^) <- the solution, where x holds the right side; of a block that is held, its own part of the solution.
void cone_groups_solve(cone_groups *g, const cone_work *w, double *x);

void cone_groups_multiply(cone_groups *g, const cone_work *w, const double *p, double *u); // u = W^ p + b^
// Sweeps of Gauss-Seidel over blocks of one row each, from p.
void cone_groups_relax(cone_groups *g, const cone_work *w, int sweeps, double *p);

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
