// SPDX-License-Identifier: Apache-2.0
// broad.c: the broad phase: fat boxes, the choice of the structure, and one update.
//
// A box is given tight and kept fat: wider by a part of its longest edge, and by some updates' motion in the
// direction it is going. While the tight box stays inside its fat box nothing has to be done for it.
//
// The automatic choice counts, it never looks at a clock, so that it is the same on every machine: the sweep
// up to SWEEP_BOXES boxes, unless for PATIENCE updates running the ends it read and the swaps it made were
// more than LOOKUP_SWAPS for each moved box; then, and above SWEEP_BOXES, the grid, which stays. The pairs do
// not depend on it.
#include <math.h>
#include <string.h>

#include "broad.h"

// LOOKUP_SWAPS: what looking one box up in the grid costs, in swaps (bench_broad: 0.8 us against 4.7 ns).
enum { SWEEP_BOXES = 1024, PATIENCE = 8, LOOKUP_SWAPS = 180 };

thud_broad_options thud_broad_defaults(void)
{
    return (thud_broad_options){
        .kind = THUD_BROAD_AUTO, .boxes = 256, .pairs = 1024, .fat = 0.05, .ahead = 16};
}

// ---------------------------------------------------------------------------------------------- boxes

static thud_status check_box(const thud_aabb *box)
{
    if (box->lo.x <= box->hi.x && box->lo.y <= box->hi.y && box->lo.z <= box->hi.z) {
        return THUD_OK;
    }
    const bool numbers = !isnan(box->lo.x) && !isnan(box->lo.y) && !isnan(box->lo.z) && !isnan(box->hi.x) &&
                         !isnan(box->hi.y) && !isnan(box->hi.z);
    return numbers ? THUD_BAD_ARGUMENT : THUD_NOT_FINITE;
}

static bool box_inside(const thud_aabb *inner, const thud_aabb *outer)
{
    return outer->lo.x <= inner->lo.x && inner->hi.x <= outer->hi.x && outer->lo.y <= inner->lo.y &&
           inner->hi.y <= outer->hi.y && outer->lo.z <= inner->lo.z && inner->hi.z <= outer->hi.z;
}

// Widens one interval by `margin` on both sides and by `ahead` times its motion on the side it goes to.
static void fatten_axis(double *lo, double *hi, double old_lo, double margin, double ahead, double most)
{
    const double step = ahead * (*lo - old_lo); // NaN where the ends are infinite: no side then
    *lo -= margin;
    *hi += margin;
    if (step > 0) {
        *hi += step < most ? step : most;
    } else if (step < 0) {
        *lo -= -step < most ? -step : most;
    }
}

static thud_aabb fatten(const thud_broad_options *o, const thud_aabb *box, const thud_aabb *old)
{
    thud_aabb f = *box;
    const double edge = thud_max(f.hi.x - f.lo.x, thud_max(f.hi.y - f.lo.y, f.hi.z - f.lo.z));
    if (!isfinite(edge)) {
        return f;
    }
    fatten_axis(&f.lo.x, &f.hi.x, old->lo.x, o->fat * edge, o->ahead, edge);
    fatten_axis(&f.lo.y, &f.hi.y, old->lo.y, o->fat * edge, o->ahead, edge);
    fatten_axis(&f.lo.z, &f.hi.z, old->lo.z, o->fat * edge, o->ahead, edge);
    return f;
}

static void mark_moved(thud_broad *broad, int id)
{
    if (!(broad->flags[id] & BOX_MOVED)) {
        broad->flags[id] |= BOX_MOVED;
        broad->moved[broad->moved_count++] = id;
    }
}

thud_status thud_broad_insert(thud_broad *broad, int id, const thud_aabb *box)
{
    if (id < 0 || id >= broad->capacity || (broad->flags[id] & BOX_LIVE)) {
        return THUD_BAD_ARGUMENT;
    }
    THUD_TRY(check_box(box));
    broad->tight[id] = *box;
    broad->fat[id] = fatten(&broad->options, box, box);
    broad->flags[id] |= BOX_LIVE | BOX_NEW;
    mark_moved(broad, id);
    broad->high = id < broad->high ? broad->high : id + 1;
    broad->live++;
    broad->new_count++;
    return THUD_OK;
}

thud_status thud_broad_remove(thud_broad *broad, int id)
{
    if (id < 0 || id >= broad->capacity || !(broad->flags[id] & BOX_LIVE)) {
        return THUD_BAD_ARGUMENT;
    }
    if (broad->flags[id] & BOX_MOVED) {
        int m = 0;
        while (broad->moved[m] != id) {
            m++;
        }
        broad->moved[m] = broad->moved[--broad->moved_count];
    }
    broad->new_count -= (broad->flags[id] & BOX_NEW) != 0;
    broad->live--;
    broad->gone_count += !(broad->flags[id] & BOX_GONE);
    broad->flags[id] = BOX_GONE;
    return THUD_OK;
}

thud_status thud_broad_move(thud_broad *broad, int id, const thud_aabb *box)
{
    if (id < 0 || id >= broad->capacity || !(broad->flags[id] & BOX_LIVE)) {
        return THUD_BAD_ARGUMENT;
    }
    THUD_TRY(check_box(box));
    if (!thud_broad_move_within(broad, id, box)) {
        broad->fat[id] = fatten(&broad->options, box, &broad->tight[id]);
        mark_moved(broad, id);
        broad->tight[id] = *box;
    }
    return THUD_OK;
}

bool thud_broad_move_within(thud_broad *broad, int id, const thud_aabb *box)
{
    const bool within = box_inside(box, &broad->fat[id]);
    if (within) {
        broad->tight[id] = *box;
    }
    return within;
}

// ---------------------------------------------------------------------------------------------- update

// What to use now; a change of mind means a rebuild.
static thud_broad_kind choose(const thud_broad *broad)
{
    if (broad->options.kind != THUD_BROAD_AUTO) {
        return broad->options.kind;
    }
    if (broad->live > SWEEP_BOXES || broad->kind == THUD_BROAD_GRID || broad->patience >= PATIENCE) {
        return THUD_BROAD_GRID;
    }
    return THUD_BROAD_SWEEP;
}

static void begin_rebuild(thud_broad *broad)
{
    broad->rebuild = false;
    broad->patience = 0;
    broad->table.count = broad->table.fresh_count = 0;
    broad->moved_count = broad->new_count = broad->gone_count = 0;
    for (int id = 0; id < broad->high; id++) {
        const bool live = broad->flags[id] & BOX_LIVE;
        broad->flags[id] = live ? BOX_LIVE | BOX_MOVED | BOX_NEW : 0;
        if (live) {
            broad->moved[broad->moved_count++] = id;
            broad->new_count++;
        }
    }
}

static void end_update(thud_broad *broad)
{
    for (int id = 0; broad->gone_count > 0 && id < broad->high; id++) {
        broad->flags[id] &= (unsigned char)~BOX_GONE;
    }
    for (int m = 0; m < broad->moved_count; m++) {
        broad->flags[broad->moved[m]] = BOX_LIVE;
    }
    const int64_t sweeping = broad->swaps + 6 * (int64_t)broad->live; // swaps and ends read
    const bool dear = broad->moved_count > 0 && sweeping > LOOKUP_SWAPS * (int64_t)broad->moved_count;
    broad->patience = dear ? broad->patience + 1 : 0;
    broad->moved_count = broad->new_count = broad->gone_count = 0;
}

thud_status thud_broad_update(thud_broad *broad, thud_broad_report *report)
{
    const thud_broad_kind kind = choose(broad);
    const bool many = broad->new_count > 16 && broad->new_count > broad->live / 16;
    const bool worn = kind == THUD_BROAD_SWEEP ? many : grid_is_worn(broad);
    const bool rebuild = broad->rebuild || kind != broad->kind || worn;
    broad->kind = kind;
    broad->swaps = broad->tests = 0;
    broad->table.full = false;
    if (rebuild) {
        begin_rebuild(broad);
    }
    if (kind == THUD_BROAD_SWEEP) {
        (rebuild ? sweep_rebuild : sweep_update)(broad);
    } else {
        (rebuild ? grid_rebuild : grid_update)(broad);
    }
    const bool settled = table_settle(broad);
    if (report) {
        *report = (thud_broad_report){kind,         broad->live,        broad->moved_count,    broad->swaps,
                                      broad->tests, broad->table.count, broad->table.out_count};
    }
    end_update(broad);
    if (!settled) {
        broad->rebuild = true;
        broad->table.out_count = 0;
        return THUD_NO_MEMORY;
    }
    return THUD_OK;
}

void thud_broad_share(thud_broad *broad, thud_pool *pool)
{
    broad->pool = pool;
}

const thud_broad_pair *thud_broad_pairs(const thud_broad *broad, int *count)
{
    *count = broad->table.out_count;
    return broad->table.out;
}

// ---------------------------------------------------------------------------------------------- memory

static bool resize(void **block, int count, size_t size)
{
    void *grown = thud_resize(*block, (size_t)count * size);
    *block = grown ? grown : *block;
    return grown;
}

static thud_status reserve_boxes(thud_broad *broad, int boxes)
{
    if (boxes <= broad->capacity) {
        return THUD_OK;
    }
    if (!resize((void **)&broad->tight, boxes, sizeof *broad->tight) ||
        !resize((void **)&broad->flags, boxes, sizeof *broad->flags) ||
        !resize((void **)&broad->moved, boxes, sizeof *broad->moved) ||
        !resize((void **)&broad->fat, boxes, sizeof *broad->fat)) {
        return THUD_NO_MEMORY;
    }
    THUD_TRY(sweep_reserve(&broad->sweep, boxes));
    THUD_TRY(grid_reserve(&broad->grid, boxes));
    memset(broad->flags + broad->capacity, 0, (size_t)(boxes - broad->capacity));
    broad->capacity = boxes;
    return THUD_OK;
}

thud_status thud_broad_reserve(thud_broad *broad, int boxes, int pairs)
{
    if (boxes > INT32_MAX / 4 || pairs > INT32_MAX / 2) {
        return THUD_BAD_ARGUMENT;
    }
    broad->table.out_count = 0;
    broad->rebuild = true;
    THUD_TRY(reserve_boxes(broad, boxes));
    return table_reserve(&broad->table, pairs);
}

thud_status thud_broad_create(const thud_broad_options *options, thud_broad **out)
{
    *out = NULL;
    const thud_broad_options o = *options;
    if (o.boxes < 1 || o.pairs < 1 || !(o.fat >= 0 && o.fat <= 10) || !(o.ahead >= 0 && o.ahead <= 1000)) {
        return THUD_BAD_ARGUMENT;
    }
    thud_broad *broad = thud_alloc(1, sizeof *broad);
    if (!broad) {
        return THUD_NO_MEMORY;
    }
    broad->options = o;
    const thud_status status = thud_broad_reserve(broad, o.boxes, o.pairs);
    if (status != THUD_OK) {
        thud_broad_destroy(broad);
        return status;
    }
    *out = broad;
    return THUD_OK;
}

void thud_broad_destroy(thud_broad *broad)
{
    if (!broad) {
        return;
    }
    thud_free(broad->tight);
    thud_free(broad->fat);
    thud_free(broad->flags);
    thud_free(broad->moved);
    table_free(&broad->table);
    sweep_free(&broad->sweep);
    grid_free(&broad->grid);
    thud_free(broad);
}
