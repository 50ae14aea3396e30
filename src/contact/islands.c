// SPDX-License-Identifier: Apache-2.0
// islands.c: which blocks can feel each other. Trees joined by a block belong together; union by the lower
// number, so that the root of an island is its lowest tree whatever the order of the blocks. Islands come in the order of
// their first blocks, and blocks keep theirs within.
//
// Threads join the trees of some arms each in a list of its own, and the lists are joined: the same roots whoever did what.
// Then blocks are counted and placed in shares. What is asked of a block here is with its arms, which lie close together. Few
// blocks go a shorter way.
//
// Cost     O(blocks + trees threads).
#include <limits.h>
#include <math.h>
#include <string.h>

#include "rows.h"

enum { SHARE = 256 };  // blocks
enum { TABLED = 64 };  // islands: of more the blocks are counted in one share
enum { LEAST = 1000 }; // arms worth a share of a thread, about 5 us

typedef struct part_of_island { // that some blocks are
    int blocks, rows;
} part_of_island;

typedef struct joining { // what the threads share
    thud_rows *rows;
    int *root;  // workers x trees: another tree of the island, of a lower number, or itself
    int *first; // workers x trees: the first block that acts on it, INT_MAX: none; at last their islands
    bool joins[THUD_POOL_THREADS]; // workers whose lists mean something
    int shares;
    part_of_island *part; // shares x islands: what each has, then where it begins
} joining;

static inline int find_root(int *root, int t)
{
    while (root[t] != t) {
        root[t] = root[root[t]];
        t = root[t];
    }
    return t;
}

static inline void join(int *root, int a, int b)
{
    const int x = find_root(root, a), y = find_root(root, b);
    root[x > y ? x : y] = x < y ? x : y;
}

static inline int lesser(int a, int b)
{
    return a < b ? a : b;
}

// Arms first to end - 1, each with the one before it where that is of the same block.
static void join_some(void *of, int first, int end, int worker)
{
    joining *j = of;
    const thud_rows *rows = j->rows;
    int *root = j->root + (size_t)worker * (size_t)rows->trees,
        *begins = j->first + (size_t)worker * (size_t)rows->trees;
    for (int t = 0; t < rows->trees && !j->joins[worker]; t++) {
        root[t] = t;
        begins[t] = INT_MAX;
    }
    j->joins[worker] = true;
    for (int a = first; a < end; a++) {
        const int t = rows_tree_of(rows, a), block = rows->arm[a].block;
        begins[t] = lesser(begins[t], block);
        if (a > 0 && rows->arm[a - 1].block == block) {
            join(root, rows_tree_of(rows, a - 1), t);
        }
    }
}

// The lists of all workers become that of the first; then every tree has its island's lowest as its root.
static void join_lists(const joining *j)
{
    const int trees = j->rows->trees;
    for (int w = 1; w < thud_pool_threads(j->rows->pool); w++) {
        const int *root = j->root + (size_t)w * (size_t)trees, *first = j->first + (size_t)w * (size_t)trees;
        for (int t = 0; t < trees && j->joins[w]; t++) {
            join(j->root, t, root[t]);
            j->first[t] = lesser(j->first[t], first[t]);
        }
    }
    for (int t = 0; t < trees; t++) {
        const int root = j->root[t] = j->root[j->root[t]]; // lower ones are done
        j->rows->tree[t].held = j->first[t] < INT_MAX;
        j->first[root] = lesser(j->first[root], j->first[t]);
    }
}

// Islands in the order of their first blocks, what their bodies' other contacts ask for, and the island of each tree.
static void number_islands(const joining *j)
{
    thud_rows *rows = j->rows;
    int *begun = rows->place; // for now: the root of the island that begins with a block
    rows->islands = 0;
    for (int i = 0; i < rows->blocks; i++) {
        begun[i] = -1;
    }
    for (int t = 0; t < rows->trees; t++) {
        if (j->root[t] == t && rows->tree[t].held) {
            begun[j->first[t]] = t;
        }
    }
    for (int i = 0; i < rows->blocks; i++) {
        if (begun[i] >= 0) {
            rows->span[rows->islands] = (span){.residual = NAN, .judged = NAN, .h = rows->h};
            j->first[begun[i]] = rows->islands++;
        }
    }
    for (int t = 0; t < rows->trees; t++) {
        j->first[t] = j->first[j->root[t]];
        if (rows->tree[t].held) {
            rows->span[j->first[t]].beside += rows->tree[t].beside;
        }
    }
}

// The arms of a share's blocks.
typedef struct arm_range {
    int first, end;
} arm_range;

static arm_range arms_of_share(const joining *j, int share)
{
    const thud_rows *rows = j->rows;
    const int size = j->shares == 1 ? rows->blocks : SHARE, end = thud_share_end(share, size, rows->blocks);
    return (arm_range){rows->site[share * size].arm, end < rows->blocks ? rows->site[end].arm : rows->arms};
}

static inline bool begins_block(const thud_rows *rows, int a) // an arm
{
    return a == 0 || rows->arm[a - 1].block != rows->arm[a].block;
}

static void count_shares(void *of, int first, int end, int worker)
{
    const joining *j = of;
    const thud_rows *rows = j->rows;
    (void)worker;
    for (int k = first; k < end; k++) {
        part_of_island *part = j->part + (size_t)k * (size_t)rows->islands;
        const arm_range arms = arms_of_share(j, k);
        memset(part, 0, sizeof *part * (size_t)rows->islands);
        for (int a = arms.first; a < arms.end; a++) {
            if (begins_block(rows, a)) {
                part_of_island *mine = part + j->first[rows_tree_of(rows, a)];
                mine->blocks++;
                mine->rows += rows->arm[a].dim;
            }
        }
    }
}

// Where the islands begin, and each share in each of them.
static void place_islands(const joining *j)
{
    thud_rows *rows = j->rows;
    int block = 0, row = 0;
    for (int i = 0; i < rows->islands; i++) {
        span *s = &rows->span[i];
        s->block = block;
        s->row = row;
        for (int k = 0; k < j->shares; k++) {
            part_of_island *part = j->part + (size_t)k * (size_t)rows->islands + i;
            const part_of_island here = *part;
            *part = (part_of_island){block, row};
            block += here.blocks;
            row += here.rows;
        }
        s->blocks = block - s->block;
        s->rows = row - s->row;
    }
}

static void place_shares(void *of, int first, int end, int worker)
{
    const joining *j = of;
    thud_rows *rows = j->rows;
    (void)worker;
    for (int k = first; k < end; k++) {
        part_of_island *next = j->part + (size_t)k * (size_t)rows->islands;
        const arm_range arms = arms_of_share(j, k);
        for (int a = arms.first; a < arms.end; a++) {
            if (!begins_block(rows, a)) {
                continue;
            }
            const int i = rows->arm[a].block, island = j->first[rows_tree_of(rows, a)];
            part_of_island *at = next + island;
            site *s = &rows->site[i];
            s->island = island;
            s->at = at->rows;
            s->row = at->rows - rows->span[island].row;
            rows->order[at->blocks] = i;
            rows->place[i] = at->blocks++;
            at->rows += rows->arm[a].dim;
        }
    }
}

// The blocks of a model of one tree are one island, in the order they came.
static void join_one(thud_rows *rows)
{
    const int blocks = rows->blocks;
    int count = 0;
    for (int i = 0; i < blocks; i++) {
        site *mine = &rows->site[i];
        mine->island = 0;
        mine->row = mine->at = count;
        count += mine->dim;
        rows->order[i] = rows->place[i] = i;
    }
    rows->tree[0].held = blocks > 0;
    rows->islands = blocks > 0;
    if (blocks > 0) {
        rows->span[0] = (span){.residual = NAN,
                               .judged = NAN,
                               .h = rows->h,
                               .blocks = blocks,
                               .rows = count,
                               .beside = rows->tree[0].beside};
    }
}

// The trees of all arms; root (trees) as above.
static void join_trees(thud_rows *rows, int *root)
{
    for (int t = 0; t < rows->trees; t++) {
        root[t] = t;
        rows->tree[t].held = false;
    }
    for (int a = 0; a < rows->arms; a++) {
        const int t = rows_tree_of(rows, a);
        rows->tree[t].held = true;
        if (!begins_block(rows, a)) {
            join(root, rows_tree_of(rows, a - 1), t);
        }
    }
}

// Few blocks, by one thread, which counts those of an island as they come. root and island (trees): scratch.
static void join_few(thud_rows *rows, int *root, int *island)
{
    join_trees(rows, root);
    rows->islands = 0;
    for (int t = 0; t < rows->trees; t++) {
        island[t] = -1;
    }
    for (int i = 0; i < rows->blocks; i++) {
        site *s = &rows->site[i];
        const int t = find_root(root, rows_tree_of(rows, s->arm));
        if (island[t] < 0) {
            island[t] = rows->islands;
            rows->span[rows->islands++] = (span){.residual = NAN, .judged = NAN, .h = rows->h};
        }
        span *of = &rows->span[island[t]];
        s->island = island[t];
        s->row = of->rows;
        rows->place[i] = of->blocks++; // in its island
        of->rows += s->dim;
    }
    for (int k = 1; k < rows->islands; k++) {
        const span *before = &rows->span[k - 1];
        rows->span[k].block = before->block + before->blocks;
        rows->span[k].row = before->row + before->rows;
    }
    for (int i = 0; i < rows->blocks; i++) {
        site *s = &rows->site[i];
        s->at = s->row + rows->span[s->island].row;
        rows->place[i] += rows->span[s->island].block;
        rows->order[rows->place[i]] = i;
    }
    for (int t = 0; t < rows->trees; t++) {
        if (rows->tree[t].held) {
            rows->span[island[find_root(root, t)]].beside += rows->tree[t].beside;
        }
    }
}

thud_status rows_join(thud_rows *rows)
{
    if (rows->trees == 1) {
        join_one(rows);
        return THUD_OK;
    }
    const size_t mark = thud_arena_mark(rows->arena);
    const size_t lists = (size_t)thud_pool_threads(rows->pool) * (size_t)rows->trees;
    joining j = {.rows = rows,
                 .root = thud_arena_push(rows->arena, lists, sizeof *j.root),
                 .first = thud_arena_push(rows->arena, lists, sizeof *j.first)};
    if (!j.root || !j.first) {
        return THUD_NO_MEMORY;
    }
    if (rows->blocks <= SHARE) {
        join_few(rows, j.root, j.first);
        thud_arena_release(rows->arena, mark);
        return THUD_OK;
    }
    join_some(&j, 0, 0, 0); // the first worker's lists are there whatever it does
    thud_pool_run(rows->pool, rows->arms, LEAST, join_some, &j);
    join_lists(&j);
    number_islands(&j);
    const bool shared = rows->pool && rows->islands <= TABLED && rows->blocks > SHARE;
    j.shares = shared ? (rows->blocks + SHARE - 1) / SHARE : 1;
    j.part = thud_arena_push(rows->arena, (size_t)j.shares * (size_t)rows->islands, sizeof *j.part);
    if (!j.part) {
        return THUD_NO_MEMORY;
    }
    thud_pool_run(rows->pool, j.shares, 1, count_shares, &j);
    place_islands(&j);
    thud_pool_run(rows->pool, j.shares, 1, place_shares, &j);
    thud_arena_release(rows->arena, mark);
    return THUD_OK;
}
