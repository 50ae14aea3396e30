// SPDX-License-Identifier: Apache-2.0
// row_ids.c: blocks in the order of their ids, which is that of the impulses of the last step: both lists are walked
// once, and no block is searched for.
//
// Ids are hashes, so their first digits spread them evenly: each goes into a bucket of about one, and what shares a
// bucket is put in order there. O(n); O(n log n) where ids were made to fall together.
#include "rows.h"

enum { FEW = 24 }; // that are sorted by insertion

static void insertion_sort(keyed *key, int count)
{
    for (int i = 1; i < count; i++) {
        const keyed k = key[i];
        int j = i;
        for (; j > 0 && key[j - 1].id > k.id; j--) {
            key[j] = key[j - 1];
        }
        key[j] = k;
    }
}

static void sift(keyed *key, int root, int count)
{
    for (int child = 2 * root + 1; child < count; child = 2 * root + 1) {
        child += child + 1 < count && key[child].id < key[child + 1].id;
        if (key[root].id >= key[child].id) {
            return;
        }
        const keyed swap = key[root];
        key[root] = key[child];
        key[child] = swap;
        root = child;
    }
}

static void heap_sort(keyed *key, int count)
{
    for (int i = count / 2 - 1; i >= 0; i--) {
        sift(key, i, count);
    }
    for (int last = count - 1; last > 0; last--) {
        const keyed swap = key[0];
        key[0] = key[last];
        key[last] = swap;
        sift(key, 0, last);
    }
}

static void sort_few(keyed *key, int count)
{
    if (count <= FEW) {
        insertion_sort(key, count);
    } else {
        heap_sort(key, count);
    }
}

// Of the first digits, as many as give no more buckets than there are keys.
static void spread(const keyed *from, keyed *to, int *bucket, int count)
{
    int bits = 1;
    while (2 << bits <= count) {
        bits++;
    }
    const int buckets = 1 << bits, shift = 64 - bits;
    for (int b = 0; b < buckets; b++) {
        bucket[b] = 0;
    }
    for (int i = 0; i < count; i++) {
        bucket[from[i].id >> shift]++;
    }
    for (int b = 0, sum = 0; b < buckets; b++) {
        const int here = bucket[b];
        bucket[b] = sum;
        sum += here;
    }
    for (int i = 0; i < count; i++) {
        to[bucket[from[i].id >> shift]++] = from[i]; // and now each says where the next one begins
    }
    for (int b = 0, first = 0; b < buckets; first = bucket[b++]) {
        sort_few(to + first, bucket[b] - first);
    }
}

static bool still_sorted(const thud_rows *rows)
{
    bool same = rows->sorted_count == rows->blocks;
    for (int i = 0; same && i < rows->blocks; i++) {
        same = rows->unsorted[i].id == rows->block[i].id;
    }
    return same;
}

void rows_sort_ids(thud_rows *rows)
{
    if (still_sorted(rows)) {
        return;
    }
    const int count = rows->sorted_count = rows->blocks;
    for (int i = 0; i < count; i++) {
        rows->unsorted[i] = rows->by_id[i] = (keyed){rows->block[i].id, i};
    }
    if (count <= FEW) {
        insertion_sort(rows->by_id, count);
    } else {
        spread(rows->unsorted, rows->by_id, rows->bucket, count);
    }
}

void rows_match(thud_rows *rows, const thud_warm *warm, int warms)
{
    if (warms == 0) {
        for (int i = 0; i < rows->blocks; i++) {
            rows->site[i].warm = -1;
        }
        return;
    }
    rows_sort_ids(rows);
    for (int k = 0, w = 0; k < rows->blocks; k++) {
        const uint64_t id = rows->by_id[k].id;
        while (w < warms && warm[w].id < id) {
            w++;
        }
        rows->site[rows->by_id[k].block].warm = w < warms && warm[w].id == id ? w : -1;
    }
}

typedef struct memory {
    const thud_rows *rows;
    thud_warm *warm;
} memory;

static void keep_some(void *of, int first, int end, int worker)
{
    const memory *a = of;
    (void)worker;
    for (int k = first; k < end; k++) {
        const int i = a->rows->by_id[k].block;
        a->warm[k] = (thud_warm){.id = a->rows->by_id[k].id};
        for (int r = 0; r < a->rows->block[i].dim; r++) {
            a->warm[k].p[r] = a->rows->p[a->rows->site[i].at + r];
        }
    }
}

int thud_rows_impulses(thud_rows *rows, thud_warm *out, int capacity)
{
    enum { LEAST = 200 }; // blocks
    if (rows->blocks > capacity) {
        return -1;
    }
    rows_sort_ids(rows);
    thud_pool_run(rows->pool, rows->blocks, LEAST, keep_some, &(memory){rows, out});
    return rows->blocks;
}
