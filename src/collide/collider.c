// SPDX-License-Identifier: Apache-2.0
// collider.c: one query: boxes of the geoms, pairs of the boxes; narrow.c has the contacts of the pairs.
#include <math.h>
#include <string.h>

#include <thud/spatial_inline.h>

#include "collider.h"

// ---------------------------------------------------------------------------------------------- contact sets

thud_status thud_contact_set_reserve(thud_contact_set *set, int capacity)
{
    if (capacity <= set->capacity) {
        return THUD_OK;
    }
    thud_contact *grown = thud_resize(set->contact, (size_t)capacity * sizeof *grown);
    if (!grown) {
        return THUD_NO_MEMORY;
    }
    set->contact = grown;
    set->capacity = capacity;
    return THUD_OK;
}

void thud_contact_set_free(thud_contact_set *set)
{
    thud_free(set->contact);
    *set = (thud_contact_set){0};
}

// ---------------------------------------------------------------------------------------------- create

static bool admit(const void *user, int a, int b)
{
    return thud_filter_passes(thud_filter_geoms(user, a, b));
}

static void find_reach(const thud_model *m, double *reach)
{
    for (int g = 0; g < m->geoms; g++) {
        reach[g] = m->geom_contype[g] || m->geom_conaffinity[g] ? m->geom_margin[g] : -1;
    }
    for (int k = 0; k < 2 * m->pairs; k++) {
        const int g = m->pair_geom[k];
        reach[g] = thud_max(reach[g], 0.5 * m->pair_margin[k / 2]);
    }
}

static thud_status reserve_pairs(thud_collider *c, int pairs)
{
    witness **lists[] = {&c->last, &c->next};
    for (int i = 0; i < 2; i++) {
        witness *grown = thud_resize(*lists[i], (size_t)pairs * sizeof *grown);
        if (!grown) {
            return THUD_NO_MEMORY;
        }
        *lists[i] = grown;
    }
    pair_law *laws = is_few(c) ? thud_alloc((size_t)pairs, sizeof *laws) : NULL;
    if (is_few(c) && !laws) {
        return THUD_NO_MEMORY;
    }
    thud_free(c->law);
    c->law = laws;
    piece *pieces = thud_resize(c->piece, (size_t)pairs * sizeof *pieces);
    if (!pieces) {
        return THUD_NO_MEMORY;
    }
    c->piece = pieces;
    c->pairs = pairs;
    return THUD_OK;
}

thud_status thud_collider_share(thud_collider *c, thud_pool *pool, int contacts)
{
    const int threads = pool ? thud_pool_threads(pool) : 0;
    if (threads > 0 && !c->found) {
        c->found = thud_alloc(THUD_POOL_THREADS, sizeof *c->found);
    }
    c->pool = NULL;
    thud_broad_share(c->broad, pool);
    for (int i = 0; i < threads; i++) {
        THUD_TRY(c->found ? thud_contact_set_reserve(&c->found[i], contacts) : THUD_NO_MEMORY);
    }
    c->pool = pool;
    return THUD_OK;
}

static thud_broad_options fitting_options(const thud_model *m)
{
    thud_broad_options o = thud_broad_defaults();
    int planes = 0;
    for (int g = 0; g < m->geoms; g++) {
        planes += m->geom_shape[g].kind == THUD_SHAPE_PLANE;
    }
    o.pairs = (16 + planes) * (m->geoms + 1);
    return o;
}

static thud_status fill(thud_collider *c, const thud_broad_options *options)
{
    const thud_model *m = c->m;
    thud_broad_options o = options ? *options : fitting_options(m);
    o.boxes = m->geoms > 0 ? m->geoms : 1;
    o.admit = admit;
    o.user = m;
    c->reach = thud_alloc((size_t)m->geoms, sizeof *c->reach);
    c->radius = thud_alloc((size_t)m->geoms, sizeof *c->radius);
    c->spin = thud_alloc((size_t)m->geoms, sizeof *c->spin);
    c->drawn = thud_alloc((size_t)m->geoms, sizeof *c->drawn);
    c->box = thud_alloc((size_t)m->geoms, sizeof *c->box);
    c->motion = thud_alloc((size_t)m->geoms, sizeof *c->motion);
    c->room = thud_alloc((size_t)m->geoms, sizeof *c->room);
    c->turning = thud_alloc((size_t)m->geoms, sizeof *c->turning);
    c->surface = thud_alloc((size_t)m->geoms, sizeof *c->surface);
    if (!c->reach || !c->radius || !c->spin || !c->drawn || !c->box || !c->motion || !c->room ||
        !c->turning || !c->surface) {
        return THUD_NO_MEMORY;
    }
    surfaces_find(m, c->surface);
    find_reach(m, c->reach);
    for (int g = 0; g < m->geoms; g++) {
        THUD_TRY(c->reach[g] < 0 ? THUD_OK : thud_shape_check(&m->geom_shape[g], NULL));
        c->radius[g] = c->reach[g] < 0 ? 0 : thud_shape_radius(&m->geom_shape[g]);
        c->turning[g] = m->geom_shape[g].kind == THUD_SHAPE_SPHERE ? 0 : c->radius[g];
    }
    THUD_TRY(reserve_pairs(c, o.pairs));
    THUD_TRY(is_few(c) && !options ? few_create(c) : THUD_OK);
    return thud_broad_create(&o, &c->broad);
}

thud_status thud_collider_create(const thud_model *m, const thud_broad_options *options, thud_collider **out)
{
    *out = NULL;
    thud_collider *c = thud_alloc(1, sizeof *c);
    if (!c) {
        return THUD_NO_MEMORY;
    }
    c->m = m;
    const thud_status status = fill(c, options);
    if (status != THUD_OK) {
        thud_collider_destroy(c);
        return status;
    }
    *out = c;
    return THUD_OK;
}

void thud_collider_destroy(thud_collider *c)
{
    if (!c) {
        return;
    }
    thud_broad_destroy(c->broad);
    thud_free(c->last);
    thud_free(c->law);
    thud_free(c->next);
    thud_free(c->surface);
    thud_free(c->reach);
    thud_free(c->radius);
    thud_free(c->spin);
    thud_free(c->drawn);
    thud_free(c->box);
    thud_free(c->motion);
    thud_free(c->turning);
    thud_free(c->room);
    few_destroy(&c->few);
    for (int i = 0; c->found && i < THUD_POOL_THREADS; i++) {
        thud_contact_set_free(&c->found[i]);
    }
    thud_free(c->found);
    thud_free(c->piece);
    thud_free(c);
}

thud_status thud_collider_grow(thud_collider *c)
{
    if (c->pairs > INT32_MAX / 4) {
        return THUD_NO_MEMORY;
    }
    c->roomy = false;
    THUD_TRY(thud_broad_reserve(c->broad, 0, 2 * c->pairs));
    return reserve_pairs(c, 2 * c->pairs);
}

// ---------------------------------------------------------------------------------------------- query

static bool finite_pose(pose X)
{
    return isfinite(X.q.w + X.q.x + X.q.y + X.q.z + X.p.x + X.p.y + X.p.z);
}

// How far a geom gets in this query; fills spin and motion.
THUD_INSIDE void note_motion(thud_collider *c, const query *q, int g)
{
    const bool plane = endless(c->radius[g]); // it has no size to turn
    geom_motion m = {.wide = 0.5 * q->margin};
    m.wide = c->reach[g] > m.wide ? c->reach[g] : m.wide; // two of these are at least either margin
    c->spin[g] = 0;
    if (q->V_wg) {
        c->spin[g] = plane || c->turning[g] == 0 ? 0 : c->turning[g] * v3_norm(q->V_wg[g].ang);
        m.way = v3_scale(q->ahead, q->V_wg[g].lin);
        m.turn = q->ahead * c->spin[g];
    }
    m.reach = v3_norm(m.way) + m.turn + m.wide + (plane ? 0 : c->radius[g]);
    m.up = plane ? q_rotate(q->X_wg[g].q, v3(0, 0, 1)) : v3(0, 0, 0);
    c->motion[g] = m;
}

static bool same(const outline *a, const outline *b)
{
    const pose *X = &a->X, *Y = &b->X;
    const thud_motion *V = &a->V, *W = &b->V;
    return X->q.w == Y->q.w && X->q.x == Y->q.x && X->q.y == Y->q.y && X->q.z == Y->q.z && X->p.x == Y->p.x &&
           X->p.y == Y->p.y && X->p.z == Y->p.z && V->ang.x == W->ang.x && V->ang.y == W->ang.y &&
           V->ang.z == W->ang.z && V->lin.x == W->lin.x && V->lin.y == W->lin.y && V->lin.z == W->lin.z;
}

typedef struct drawing {
    thud_collider *c;
    const query *q;
    bool alike; // ahead and margin are those of the last query
} drawing;

// What has not moved by a bit has its box.
static void draw_some(void *of, int first, int end, int worker)
{
    const drawing *a = of;
    thud_collider *c = a->c;
    const query *q = a->q;
    (void)worker;
    for (int g = first; g < end; g++) {
        const outline now = {q->X_wg[g], q->V_wg ? q->V_wg[g] : (thud_motion){{0, 0, 0}, {0, 0, 0}}};
        const bool stays = c->reach[g] < 0 || (a->alike && g < c->entered && same(&c->drawn[g], &now));
        c->box[g].change = stays ? BOX_STAYS : finite_pose(now.X) ? BOX_MOVES : BOX_OVERFLOWS;
        if (c->box[g].change == BOX_MOVES) {
            note_motion(c, q, g);
            c->drawn[g] = now;
            c->box[g].now = swept_box(&c->m->geom_shape[g], &now.X, &c->motion[g]);
            if (g < c->entered && thud_broad_move_within(c->broad, g, &c->box[g].now)) {
                c->box[g].change = BOX_MOVES_WITHIN;
            }
        }
    }
}

static thud_status give_box(thud_collider *c, int g, const thud_aabb *box)
{
    THUD_TRY(g < c->entered ? thud_broad_move(c->broad, g, box) : thud_broad_insert(c->broad, g, box));
    c->entered = g < c->entered ? c->entered : g + 1;
    return THUD_OK;
}

// The boxes themselves, of many geoms.
static thud_status move_boxes(thud_collider *c, const query *q)
{
    enum { LEAST = 50 }; // geoms
    drawing a = {c, q, q->ahead == c->ahead && q->margin == c->margin};
    c->ahead = NAN; // until all are drawn
    thud_pool_run(c->pool, c->m->geoms, LEAST, draw_some, &a);
    for (int g = 0; g < c->m->geoms; g++) {
        const swept *b = &c->box[g];
        if (b->change == BOX_STAYS || b->change == BOX_MOVES_WITHIN) {
            continue;
        }
        if (b->change == BOX_OVERFLOWS) {
            return THUD_NOT_FINITE;
        }
        THUD_TRY(give_box(c, g, &b->now));
    }
    c->ahead = q->ahead;
    c->margin = q->margin;
    return THUD_OK;
}

// Whether every geom is still within its room; and what moves how, in any case.
THUD_KERNEL static bool rooms_hold(thud_collider *c, const query *q)
{
    bool hold = c->roomy;
    c->queries++;
    for (int g = 0; g < c->m->geoms; g++) {
        if (c->reach[g] >= 0) {
            note_motion(c, q, g);
            hold = hold && room_holds(&c->room[g], &q->X_wg[g], &c->motion[g], c->turning[g]);
        }
    }
    return hold;
}

static thud_status check_box(const thud_aabb *box)
{
    const bool whole = (box->lo.x <= box->hi.x) & (box->lo.y <= box->hi.y) & (box->lo.z <= box->hi.z);
    return whole ? THUD_OK : THUD_NOT_FINITE;
}

static thud_status make_rooms(thud_collider *c, const query *q)
{
    for (int g = 0; g < c->m->geoms; g++) {
        if (c->reach[g] < 0) {
            continue;
        }
        if (!finite_pose(q->X_wg[g])) {
            return THUD_NOT_FINITE;
        }
        const thud_aabb *box = &c->room[g].box;
        make_room(&c->m->geom_shape[g], &q->X_wg[g], &c->motion[g], c->radius[g], &c->room[g]);
        THUD_TRY(c->few.all ? check_box(box) : give_box(c, g, box));
    }
    return THUD_OK;
}

// Lists the pairs anew, unless those listed last will do: *renewed tells.
static thud_status find_pairs(thud_collider *c, const query *q, bool *renewed, thud_broad_report *report)
{
    const bool few = is_few(c);
    *renewed = !few || !rooms_hold(c, q);
    if (*renewed) {
        c->roomy = false;
        THUD_TRY(few ? make_rooms(c, q) : move_boxes(c, q));
        if (c->few.all) {
            few_list(c, report);
        } else {
            THUD_TRY(thud_broad_update(c->broad, report));
        }
    }
    return THUD_OK;
}

thud_status thud_collide_ahead(thud_collider *c, const thud_model *m, const thud_collide_query *q,
                               thud_contact_set *set, thud_collide_report *report)
{
    thud_collide_report ours = {0};
    bool renewed = true;
    const thud_contact_set *last = c->answered && !is_few(c) ? q->last : NULL;
    c->answered = false;
    set->count = set->needed = 0;
    if (m != c->m || !(q->margin >= 0) || !(q->ahead >= 0)) {
        return m != c->m ? THUD_BAD_ARGUMENT : THUD_NOT_FINITE;
    }
    thud_status status = find_pairs(c, q, &renewed, &ours.broad);
    if (status == THUD_OK) {
        status = narrow_collide(c, q, renewed, last, set, &ours);
    }
    c->answered = status == THUD_OK;
    if (status != THUD_OK) {
        set->count = 0;
    }
    if (report) {
        *report = ours;
    }
    return status;
}

thud_status thud_collide(thud_collider *c, const thud_model *m, const thud_pose *X_wg, double margin,
                         thud_contact_set *set, thud_collide_report *report)
{
    const thud_collide_query q = {.X_wg = X_wg, .margin = margin};
    return thud_collide_ahead(c, m, &q, set, report);
}
