// SPDX-License-Identifier: Apache-2.0
// broad_table.c: the table of overlapping fat boxes, and the pairs read from it.
//
// The table is a sorted list of keys. What the structures offer is sorted by its digits and merged in one
// pass, in which the overlaps that have ended drop out; then threads write the pairs whose given boxes overlap:
// O(table + offered), no hashing, memory read in order, and the same order whatever the history.
#include <string.h>

#include "broad.h"

enum { RADIX_BITS = 8, RADIX = 1 << RADIX_BITS, SMALL = 48 };

static void insertion_sort(uint64_t *key, int n)
{
    for (int i = 1; i < n; i++) {
        const uint64_t k = key[i];
        int j = i;
        for (; j > 0 && key[j - 1] > k; j--) {
            key[j] = key[j - 1];
        }
        key[j] = k;
    }
}

// Sorts by the digits from the last to the first; digits that all keys share are skipped. O(n) each.
static void radix_sort(uint64_t *key, uint64_t *spare, int n)
{
    uint64_t differ = 0;
    for (int i = 1; i < n; i++) {
        differ |= key[i] ^ key[0];
    }
    uint64_t *from = key, *to = spare;
    for (int shift = 0; shift < 64; shift += RADIX_BITS) {
        if (!((differ >> shift) & (RADIX - 1))) {
            continue;
        }
        int start[RADIX] = {0};
        for (int i = 0; i < n; i++) {
            start[(from[i] >> shift) & (RADIX - 1)]++;
        }
        for (int d = 0, sum = 0; d < RADIX; d++) {
            const int here = start[d];
            start[d] = sum;
            sum += here;
        }
        for (int i = 0; i < n; i++) {
            to[start[(from[i] >> shift) & (RADIX - 1)]++] = from[i];
        }
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != key) {
        memcpy(key, from, (size_t)n * sizeof *key);
    }
}

void sort_keys(uint64_t *key, uint64_t *spare, int n)
{
    if (n <= SMALL) {
        insertion_sort(key, n);
    } else {
        radix_sort(key, spare, n);
    }
}

// Sorts what was offered and drops the doubles.
static void squeeze(pair_table *t)
{
    sort_keys(t->fresh, t->spare, t->fresh_count);
    int kept = 0;
    for (int i = 0; i < t->fresh_count; i++) {
        if (kept == 0 || t->fresh[i] != t->fresh[kept - 1]) {
            t->fresh[kept++] = t->fresh[i];
        }
    }
    t->fresh_count = kept;
}

void table_offer(thud_broad *broad, int i, int j)
{
    broad->tests++;
    if (thud_aabb_overlap(&broad->fat[i], &broad->fat[j])) {
        table_add(broad, i, j);
    }
}

void table_add(thud_broad *broad, int i, int j)
{
    const int a = i < j ? i : j, b = i < j ? j : i;
    if (broad->options.admit && !broad->options.admit(broad->options.user, a, b)) {
        return;
    }
    pair_table *t = &broad->table;
    if (!t->full && t->fresh_count == t->room) {
        squeeze(t);
        t->full = t->full || t->fresh_count > t->capacity; // a quarter of the room is for doubles
    }
    if (!t->full) {
        t->fresh[t->fresh_count++] = (uint64_t)a << 32 | (uint64_t)b;
    }
}

// Whether an overlap that is in the table still is one. Only a box that moved or went can have ended it.
static bool still_overlaps(const thud_broad *broad, int a, int b)
{
    const int flags = broad->flags[a] | broad->flags[b];
    if (flags & BOX_GONE) {
        return false;
    }
    return !(flags & BOX_MOVED) || thud_aabb_overlap(&broad->fat[a], &broad->fat[b]);
}

enum { SHARE = 1024 }; // overlaps that one thread looks at

// Shares of the table: of each the pairs whose given boxes overlap go to where its overlaps begin, and spare gets their number.
// Without a branch, so that the next boxes can be on their way while these are compared.
static void write_shares(void *of, int first, int end, int worker)
{
    const thud_broad *broad = of;
    const pair_table *t = &broad->table;
    (void)worker;
    for (int k = first; k < end; k++) {
        thud_broad_pair *out = t->out + (size_t)k * SHARE;
        int count = 0;
        for (int i = k * SHARE; i < thud_share_end(k, SHARE, t->count); i++) {
            const int a = (int)(t->key[i] >> 32), b = (int)(t->key[i] & UINT32_MAX);
            out[count] = (thud_broad_pair){a, b};
            count += thud_aabb_overlap(&broad->tight[a], &broad->tight[b]);
        }
        t->spare[k] = (uint64_t)count;
    }
}

// The pairs of all shares, one behind the other.
static void write_out(thud_broad *broad)
{
    pair_table *t = &broad->table;
    const int shares = (t->count + SHARE - 1) / SHARE;
    thud_pool_run(broad->pool, shares, 1, write_shares, broad);
    t->out_count = 0;
    for (int k = 0; k < shares; k++) {
        const size_t count = (size_t)t->spare[k];
        memmove(t->out + t->out_count, t->out + (size_t)k * SHARE, count * sizeof *t->out);
        t->out_count += (int)count;
    }
}

bool table_settle(thud_broad *broad)
{
    pair_table *t = &broad->table;
    t->out_count = 0;
    if (broad->moved_count == 0 && broad->gone_count == 0) { // the table stands as it is
        write_out(broad);
        return true;
    }
    squeeze(t);
    int kept = 0, f = 0;
    for (int i = 0; !t->full && (i < t->count || f < t->fresh_count);) {
        uint64_t key;
        if (f == t->fresh_count || (i < t->count && t->key[i] < t->fresh[f])) {
            key = t->key[i++];
            if (!still_overlaps(broad, (int)(key >> 32), (int)(key & UINT32_MAX))) {
                continue;
            }
        } else {
            key = t->fresh[f++];
            i += i < t->count && t->key[i] == key;
        }
        if (kept == t->capacity) {
            t->full = true;
        } else {
            t->spare[kept++] = key;
        }
    }
    uint64_t *old = t->key;
    t->key = t->spare;
    t->spare = old;
    t->count = kept;
    t->fresh_count = 0;
    write_out(broad);
    return !t->full;
}

thud_status table_reserve(pair_table *t, int pairs)
{
    if (pairs <= t->capacity) {
        return THUD_OK;
    }
    const int room = pairs + pairs / 4 + 16;
    uint64_t **keys[] = {&t->key, &t->spare, &t->fresh};
    for (int i = 0; i < 3; i++) {
        uint64_t *grown = thud_resize(*keys[i], (size_t)room * sizeof *grown);
        if (!grown) {
            return THUD_NO_MEMORY;
        }
        *keys[i] = grown;
    }
    thud_broad_pair *out = thud_resize(t->out, (size_t)room * sizeof *out);
    if (!out) {
        return THUD_NO_MEMORY;
    }
    t->out = out;
    t->capacity = pairs;
    t->room = room;
    return THUD_OK;
}

void table_free(pair_table *t)
{
    thud_free(t->key);
    thud_free(t->spare);
    thud_free(t->fresh);
    thud_free(t->out);
}
