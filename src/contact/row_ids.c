// SPDX-License-Identifier: Apache-2.0
// row_ids.c: blocks in the order of their ids, which is that of the impulses of the last step: both lists are walked
// once, and no block is searched for.
//
// Blocks come nearly so: the contacts of a query ascend by their ids, and joints come after them. What ascends is found and
// merged. O(n) where all of it does, O(n log n) at worst.
#include "rows.h"

// Where what ascends from `first` on ends.
static int end_of_run(const keyed *key, int first, int count)
{
    int end = first + 1;
    while (end < count && key[end - 1].id <= key[end].id) {
        end++;
    }
    return end < count ? end : count;
}

// Two runs, from a to b and from b to end.
static void merge(const keyed *key, int a, int b, int end, keyed *to)
{
    const int middle = b;
    for (int k = a; k < end; k++) {
        const bool first = a < middle && (b == end || key[a].id <= key[b].id);
        to[k] = key[first ? a++ : b++];
    }
}

// Two by two, into another list.
static void merge_runs(const keyed *key, int count, keyed *to)
{
    for (int a = 0; a < count;) {
        const int b = end_of_run(key, a, count), end = b < count ? end_of_run(key, b, count) : count;
        merge(key, a, b, end, to);
        a = end;
    }
}

void rows_sort_ids(thud_rows *rows)
{
    const int count = rows->blocks;
    while (!rows->ascending && end_of_run(rows->by_id, 0, count) < count) {
        merge_runs(rows->by_id, count, rows->spare);
        keyed *const merged = rows->spare;
        rows->spare = rows->by_id;
        rows->by_id = merged;
    }
    rows->ascending = true;
}

typedef struct matching {
    thud_rows *rows;
    const thud_warm *warm;
    int warms;
} matching;

// The first of the last impulses whose id is not lower.
static int find_warm(const matching *m, uint64_t id)
{
    int low = 0, high = m->warms;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (m->warm[middle].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void match_some(void *of, int first, int end, int worker)
{
    const matching *m = of;
    const keyed *by_id = m->rows->by_id;
    int w = first == 0 ? 0 : find_warm(m, by_id[first].id);
    (void)worker;
    for (int k = first; k < end; k++) {
        const uint64_t id = by_id[k].id;
        while (w < m->warms && m->warm[w].id < id) {
            w++;
        }
        m->rows->warm[by_id[k].block] = w < m->warms && m->warm[w].id == id ? w : -1;
    }
}

void rows_match(thud_rows *rows, const thud_warm *warm, int warms)
{
    enum { LEAST = 500 }; // blocks
    if (warms == 0) {
        for (int i = 0; i < rows->blocks; i++) {
            rows->warm[i] = -1;
        }
        return;
    }
    rows_sort_ids(rows);
    thud_pool_run(rows->pool, rows->blocks, LEAST, match_some, &(matching){rows, warm, warms});
}

typedef struct memory {
    const thud_rows *rows;
    thud_warm *warm;
} memory;

static void keep_some(void *of, int first, int end, int worker)
{
    const memory *a = of;
    const thud_rows *rows = a->rows;
    (void)worker;
    for (int k = first; k < end; k++) {
        const site *s = &rows->site[rows->by_id[k].block];
        const double *p = rows->p + s->at;
        thud_warm *to = &a->warm[k];
        if (s->dim == 3) { // nearly all of them, without loops
            *to = (thud_warm){rows->by_id[k].id, {p[0], p[1], p[2]}};
            continue;
        }
        *to = (thud_warm){.id = rows->by_id[k].id};
        for (int r = 0; r < s->dim; r++) {
            to->p[r] = p[r];
        }
    }
}

int thud_rows_impulses(thud_rows *rows, thud_warm *out, int capacity)
{
    THUD_ASSERT(capacity >= 0);
    enum { LEAST = 200 }; // blocks
    if (rows->blocks > capacity) {
        return -1;
    }
    rows_sort_ids(rows);
    thud_pool_run(rows->pool, rows->blocks, LEAST, keep_some, &(memory){rows, out});
    return rows->blocks;
}
