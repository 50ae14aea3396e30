// SPDX-License-Identifier: Apache-2.0
// few.c: pairs of few geoms whose rooms overlap, without a broad phase.
//
// Among some dozen geoms most pairs are ruled out for good, by the filter, and the others are compared faster than boxes are sorted.
//
// Cost  O(pairs that may meet), when some geom has left its room.
#include <thud/spatial_inline.h>

#include "collider.h"

static bool may_meet(const thud_collider *c, int a, int b)
{
    return c->reach[a] >= 0 && c->reach[b] >= 0 && thud_filter_passes(thud_filter_geoms(c->m, a, b));
}

// Geoms above a that may meet it, into `to` as far as there is room; returns how many.
static int list_partners(const thud_collider *c, int a, int *to, int room)
{
    int count = 0;
    for (int b = a + 1; b < c->m->geoms; b++) {
        if (may_meet(c, a, b)) {
            if (count < room) {
                to[count] = b;
            }
            count++;
        }
    }
    return count;
}

thud_status few_create(thud_collider *c)
{
    const int geoms = c->m->geoms, most = c->pairs;
    few_pairs *f = &c->few;
    int count = 0;
    f->start = thud_alloc((size_t)geoms + 1, sizeof *f->start);
    f->partner = thud_alloc((size_t)most, sizeof *f->partner);
    f->near = thud_alloc((size_t)most, sizeof *f->near);
    if (!f->start || !f->partner || !f->near) {
        return THUD_NO_MEMORY;
    }
    for (int a = 0; a < geoms && count <= most; a++) {
        f->start[a] = count;
        count += list_partners(c, a, f->partner + count, most - count);
        f->start[a + 1] = count;
    }
    f->all = count <= most;
    return THUD_OK;
}

void few_destroy(few_pairs *f)
{
    thud_free(f->start);
    thud_free(f->partner);
    thud_free(f->near);
}

void few_list(thud_collider *c, thud_broad_report *report)
{
    few_pairs *f = &c->few;
    int count = 0;
    for (int a = 0; a < c->m->geoms; a++) {
        const thud_aabb box = c->room[a].box;
        for (int k = f->start[a]; k < f->start[a + 1]; k++) {
            const int b = f->partner[k];
            if (thud_aabb_overlap(&box, &c->room[b].box)) {
                f->near[count++] = (thud_broad_pair){a, b};
            }
        }
    }
    f->nears = count;
    *report = (thud_broad_report){.boxes = c->m->geoms, .tests = f->start[c->m->geoms], .pairs = count};
}
