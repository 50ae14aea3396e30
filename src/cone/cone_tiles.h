// SPDX-License-Identifier: Apache-2.0
// cone_tiles.h: LU factors of a matrix of 6 x 6 tiles, which is sparse and has a symmetric pattern. Private to the room.
#pragma once

#include <string.h>

#include <thud/base.h>

enum { GROUP = 6 };    // rows and columns of a tile
enum { TILE_ROW = 8 }; // numbers from one row of a tile to the next: a whole register; the last two are 0
enum { TILE_NUMBERS = GROUP * TILE_ROW };
enum { CONE_LINE = 64 }; // bytes: a row of a tile is a line of the cache, where it begins with one

// A row of a tile.
typedef double eight __attribute__((vector_size(TILE_ROW * sizeof(double))));
typedef eight eight_of_numbers __attribute__((aligned(sizeof(double)), may_alias)); // in an array of double

// Groups of rows are numbered by the turn in which they are eliminated. The k-th reaches later ones, start[k] <= e < start[k + 1]:
// tile (k, reach[e]), and (reach[e], k) transposed, behind each other.
typedef struct cone_tiles {
    int groups;
    int *turn;          // groups: of each as its maker numbers them
    int *start, *reach; // groups + 1; ascending
    int *pivot;         // groups x GROUP: row exchanges within a diagonal tile
    double *value;      // the diagonal tiles, then two of each reach
    bool *filled;       // groups, then reaches: not those of the unit matrix, whose numbers are not there
    void *heap;         // what the arena had no room for
} cone_tiles;

static inline double *cone_tiles_diagonal(const cone_tiles *t, int k)
{
    return t->value + (size_t)k * TILE_NUMBERS;
}

static inline bool cone_tiles_reaches(const cone_tiles *t, int e)
{
    return t->filled[t->groups + e];
}

static inline double *cone_tiles_right(const cone_tiles *t, int e)
{
    return t->value + ((size_t)t->groups + 2 * (size_t)e) * TILE_NUMBERS;
}

static inline double *cone_tiles_below(const cone_tiles *t, int e) // transposed
{
    return cone_tiles_right(t, e) + TILE_NUMBERS;
}

// tiles_order.c: the order of elimination for the pattern `meets`, a row of bits for each group (words = (groups + 63) / 64), which is
// used up. Room comes from the arena, or that of the tiles from the heap where it is not bounded. false: too small; end it all the same.
bool cone_tiles_begin(cone_tiles *t, int groups, uint64_t *meets, thud_arena *arena, bool bounded);
void cone_tiles_end(cone_tiles *t);
int cone_tiles_find(const cone_tiles *t, int i, int j); // the reach that is tile (i, j), i < j by their turns

// To be added to from now on, where it was not: the k-th group's own tile, and the two of a reach.
static inline void cone_tiles_fill_own(const cone_tiles *t, int k)
{
    if (!t->filled[k]) {
        double *D = cone_tiles_diagonal(t, k);
        memset(D, 0, sizeof *D * TILE_NUMBERS);
        for (int r = 0; r < GROUP; r++) {
            D[r * (TILE_ROW + 1)] = 1;
        }
        t->filled[k] = true;
    }
}

static inline void cone_tiles_fill(const cone_tiles *t, int e)
{
    if (!cone_tiles_reaches(t, e)) {
        memset(cone_tiles_right(t, e), 0, sizeof(double[2 * TILE_NUMBERS]));
        t->filled[t->groups + e] = true;
    }
}

// tiles_factor.c
void cone_tiles_clear(cone_tiles *t);                  // the unit matrix
bool cone_tiles_factor(cone_tiles *t);                 // false: a pivot that is 0 next to its tile
void cone_tiles_solve(const cone_tiles *t, double *x); // x (groups x TILE_ROW, by turns) <- A^-1 x
