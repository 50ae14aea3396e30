// SPDX-License-Identifier: Apache-2.0
// sweep.c: overlaps of boxes from three sorted lists of interval ends [Baraff 1997 §7.2].
//
// Two boxes can begin to overlap only where an end of one passes an end of the other on some axis, so an
// insertion sort of the nearly sorted lists meets every change: O(n + swaps) for an update.
//
// Symbols  b_i, e_i   where box i's interval begins and ends on the axis; equal values: b before e, so that
//                     boxes which touch overlap.
// Differs  Only a b_i that moves down past an e_j is looked at (an overlap may begin there). An e_i that
//          moves down past a b_j ends one; the table finds that out when it is read, which costs no search.
//          Each meeting compares the whole boxes, as the paper's last paragraphs advise.
// Cost     Update 6n reads + swaps; rebuild O(n log n + overlaps on the best axis).
//          At constant density and speed a step's swaps grow as n^(5/3): grid.c is for the large numbers.
// Fails    Never; a full table is noted there.
#include "broad.h"

static bool comes_after(const sweep_end *x, const sweep_end *y)
{
    return x->value > y->value || (x->value == y->value && x->upper > y->upper);
}

static sweep_end end_of(const thud_broad *broad, int id, int axis, int upper)
{
    const thud_vec3 *corner = upper ? &broad->fat[id].hi : &broad->fat[id].lo;
    const double value = axis == 0 ? corner->x : axis == 1 ? corner->y : corner->z;
    return (sweep_end){value, id, upper};
}

// Moves `item` down from position n of the sorted list end[0..n) to its place. Returns the swaps.
static int settle(thud_broad *broad, sweep_end *end, int n, sweep_end item)
{
    int j = n;
    for (; j > 0 && comes_after(&end[j - 1], &item); j--) {
        end[j] = end[j - 1];
        if (end[j].upper & !item.upper) { // b_i passes e_j: they now overlap on this axis
            table_offer(broad, item.id, end[j].id);
        }
    }
    end[j] = item;
    return n - j;
}

// One pass of insertion sort over one axis: drops the ends of removed boxes, reads the new values.
static int sort_axis(thud_broad *broad, int axis)
{
    sweep *s = &broad->sweep;
    sweep_end *end = s->end[axis];
    int kept = 0;
    for (int i = 0; i < s->count; i++) {
        sweep_end item = end[i];
        const int flags = broad->flags[item.id];
        if (flags & BOX_GONE) {
            continue;
        }
        if (flags & BOX_MOVED) {
            item = end_of(broad, item.id, axis, item.upper);
        }
        if (kept == 0 || !comes_after(&end[kept - 1], &item)) { // most are in order already
            end[kept++] = item;
            continue;
        }
        broad->swaps += settle(broad, end, kept++, item);
    }
    for (int m = 0; m < broad->moved_count; m++) { // new boxes come in from infinity
        const int id = broad->moved[m];
        if (broad->flags[id] & BOX_NEW) {
            broad->swaps += settle(broad, end, kept++, end_of(broad, id, axis, 0));
            broad->swaps += settle(broad, end, kept++, end_of(broad, id, axis, 1));
        }
    }
    return kept;
}

void sweep_update(thud_broad *broad)
{
    if (broad->moved_count == 0 && broad->gone_count == 0) {
        return;
    }
    int kept = 0;
    for (int axis = 0; axis < 3; axis++) {
        kept = sort_axis(broad, axis);
    }
    broad->sweep.count = kept;
}

// ---------------------------------------------------------------------------------------------- rebuilding

static void merge_sort(sweep_end *end, sweep_end *spare, int n)
{
    sweep_end *from = end, *to = spare;
    for (int width = 1; width < n; width *= 2) {
        for (int start = 0; start < n; start += 2 * width) {
            const int middle = start + width < n ? start + width : n;
            const int stop = start + 2 * width < n ? start + 2 * width : n;
            int i = start, j = middle;
            for (int k = start; k < stop; k++) {
                const bool left = i < middle && (j == stop || !comes_after(&from[i], &from[j]));
                to[k] = left ? from[i++] : from[j++];
            }
        }
        sweep_end *swap = from;
        from = to;
        to = swap;
    }
    for (int i = 0; from != end && i < n; i++) {
        end[i] = from[i];
    }
}

// How many pairs overlap on this axis alone.
static int64_t count_overlaps(const sweep_end *end, int n)
{
    int64_t overlaps = 0, active = 0;
    for (int i = 0; i < n; i++) {
        overlaps += end[i].upper ? 0 : active;
        active += end[i].upper ? -1 : 1;
    }
    return overlaps;
}

// Sweeps one list with the intervals now open in `active` [§7.2.1]; position holds each open one's place.
static void sweep_axis(thud_broad *broad, const sweep_end *end, int n, int *active, int *position)
{
    int open = 0;
    for (int i = 0; i < n; i++) {
        const int id = end[i].id;
        if (end[i].upper) {
            const int last = active[--open];
            active[position[id]] = last;
            position[last] = position[id];
            continue;
        }
        for (int k = 0; k < open; k++) {
            table_offer(broad, id, active[k]);
        }
        position[id] = open;
        active[open++] = id;
    }
}

void sweep_rebuild(thud_broad *broad)
{
    sweep *s = &broad->sweep;
    int best = 0;
    int64_t fewest = INT64_MAX;
    for (int axis = 0; axis < 3; axis++) {
        s->count = 0;
        for (int id = 0; id < broad->high; id++) {
            if (broad->flags[id] & BOX_LIVE) {
                s->end[axis][s->count++] = end_of(broad, id, axis, 0);
                s->end[axis][s->count++] = end_of(broad, id, axis, 1);
            }
        }
        merge_sort(s->end[axis], s->spare, s->count);
        const int64_t overlaps = count_overlaps(s->end[axis], s->count);
        if (overlaps < fewest) {
            fewest = overlaps;
            best = axis;
        }
    }
    sweep_axis(broad, s->end[best], s->count, s->active, s->position);
}

thud_status sweep_reserve(sweep *s, int boxes)
{
    sweep_end **lists[] = {&s->end[0], &s->end[1], &s->end[2], &s->spare};
    for (int i = 0; i < 4; i++) {
        sweep_end *grown = thud_resize(*lists[i], 2 * (size_t)boxes * sizeof *grown);
        if (!grown) {
            return THUD_NO_MEMORY;
        }
        *lists[i] = grown;
    }
    int **scratch[] = {&s->active, &s->position};
    for (int i = 0; i < 2; i++) {
        int *grown = thud_resize(*scratch[i], (size_t)boxes * sizeof *grown);
        if (!grown) {
            return THUD_NO_MEMORY;
        }
        *scratch[i] = grown;
    }
    return THUD_OK;
}

void sweep_free(sweep *s)
{
    for (int axis = 0; axis < 3; axis++) {
        thud_free(s->end[axis]);
    }
    thud_free(s->spare);
    thud_free(s->active);
    thud_free(s->position);
}
