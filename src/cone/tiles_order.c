// SPDX-License-Identifier: Apache-2.0
// tiles_order.c: the order in which a matrix of tiles is eliminated, and the room it takes.
//
// Minimum degree, the lowest number first among equals. The elimination graph is kept as it is, in bits: of some hundred groups that
// is a kilobyte or two, and its rows are the factor's structure.
// Cost     O(groups^2) and a few words for every tile.
#include <string.h>

#include "cone_tiles.h"

typedef uint64_t bits;

static int count_bits(const bits *row, int words)
{
    int count = 0;
    for (int k = 0; k < words; k++) {
        count += __builtin_popcountll(row[k]);
    }
    return count;
}

// Elimination of g: its neighbours become neighbours of each other.
static void eliminate(bits *meets, int words, int g, int *degree)
{
    const bits *mine = meets + (size_t)g * (size_t)words;
    for (int k = 0; k < words; k++) {
        for (bits left = mine[k]; left; left &= left - 1) {
            const int h = 64 * k + __builtin_ctzll(left);
            bits *row = meets + (size_t)h * (size_t)words;
            for (int x = 0; x < words; x++) {
                row[x] |= mine[x];
            }
            row[h / 64] &= ~((bits)1 << (h % 64));
            row[g / 64] &= ~((bits)1 << (g % 64));
            degree[h] = count_bits(row, words);
        }
    }
}

// Afterwards row g of `meets` holds those that follow g and that it reaches; returns how many there are of all.
static int order(cone_tiles *t, bits *meets, int words, int *who, int *degree)
{
    int all = 0;
    for (int g = 0; g < t->groups; g++) {
        meets[(size_t)g * (size_t)words + (size_t)g / 64] &= ~((bits)1 << (g % 64));
        degree[g] = count_bits(meets + (size_t)g * (size_t)words, words);
        t->turn[g] = -1;
    }
    for (int k = 0; k < t->groups; k++) {
        int best = -1;
        for (int g = 0; g < t->groups; g++) {
            best = t->turn[g] < 0 && (best < 0 || degree[g] < degree[best]) ? g : best;
        }
        who[k] = best;
        t->turn[best] = k;
        all += degree[best];
        eliminate(meets, words, best, degree);
    }
    return all;
}

// Turns of those in a row of bits, ascending.
static int list_turns(const cone_tiles *t, const bits *row, int words, int *to)
{
    int count = 0;
    for (int k = 0; k < words; k++) {
        for (bits left = row[k]; left; left &= left - 1) {
            const int turn = t->turn[64 * k + __builtin_ctzll(left)];
            int at = count++;
            for (; at > 0 && to[at - 1] > turn; at--) {
                to[at] = to[at - 1];
            }
            to[at] = turn;
        }
    }
    return count;
}

static bool take_room(cone_tiles *t, int reaches, thud_arena *arena, bool bounded)
{
    const size_t numbers = ((size_t)t->groups + 2 * (size_t)reaches) * TILE_NUMBERS,
                 bytes = numbers * sizeof(double) + ((size_t)reaches + 1) * sizeof(int) +
                         ((size_t)t->groups + (size_t)reaches) * sizeof(bool);
    char *room = bounded ? thud_arena_push(arena, bytes, 1) : (t->heap = thud_alloc(bytes + CONE_LINE, 1));
    if (t->heap) { // an arena's blocks begin with a line
        room += (CONE_LINE - (uintptr_t)room % CONE_LINE) % CONE_LINE;
    }
    t->value = (double *)(void *)room;
    t->reach = room ? (int *)(void *)(t->value + numbers) : NULL;
    t->filled = room ? (bool *)(t->reach + reaches + 1) : NULL;
    return room;
}

bool cone_tiles_begin(cone_tiles *t, int groups, uint64_t *meets, thud_arena *arena, bool bounded)
{
    THUD_ASSERT(groups >= 0);
    const int words = (groups + 63) / 64;
    const size_t count = (size_t)groups;
    *t = (cone_tiles){.groups = groups};
    t->turn = thud_arena_push(arena, count, sizeof *t->turn);
    t->start = thud_arena_push(arena, count + 1, sizeof *t->start);
    t->pivot = thud_arena_push(arena, count * GROUP, sizeof *t->pivot);
    int *who = thud_arena_push(arena, count, sizeof *who),
        *degree = thud_arena_push(arena, count, sizeof *degree);
    if (!t->turn || !t->start || !t->pivot || !who || !degree ||
        !take_room(t, order(t, meets, words, who, degree), arena, bounded)) {
        return false;
    }
    t->start[0] = 0;
    for (int k = 0; k < groups; k++) {
        const bits *row = meets + (size_t)who[k] * (size_t)words;
        t->start[k + 1] = t->start[k] + list_turns(t, row, words, t->reach + t->start[k]);
    }
    return true;
}

void cone_tiles_end(cone_tiles *t)
{
    thud_free(t->heap);
    t->heap = NULL;
}

int cone_tiles_find(const cone_tiles *t, int i, int j)
{
    THUD_ASSERT(i < j && j < t->groups);
    int low = t->start[i], high = t->start[i + 1] - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (t->reach[middle] < j) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}
