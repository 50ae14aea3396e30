// SPDX-License-Identifier: Apache-2.0
// collider.c: one query: boxes of the geoms, pairs of the boxes, contacts of the pairs.
//
// The broad phase gives the pairs sorted, so last time's witnesses, kept in the same order, are handed on in
// one walk along both lists: no table is searched, and nothing depends on where things lie in memory.
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include <thud/collide.h>
#include <thud/spatial_inline.h>

#include "broad.h"
#include "pair.h"
#include "vicinity.h"

typedef struct witness { // of one pair of geoms
    thud_broad_pair pair;
    thud_pair_cache cache;
    int at, count; // its contacts in what the query found; -1 of them: it was not compared
} witness;

typedef struct outline { // all that a box depends on
    thud_pose X;
    thud_motion V;
} outline;

typedef struct swept { // the box of one geom in this query
    thud_aabb now;
    enum { BOX_STAYS, BOX_MOVES, BOX_OVERFLOWS } change;
    int64_t query; // in which it was drawn, where boxes are drawn by need
} swept;

typedef struct piece { // what a share of the pairs gave
    int end;           // of its pairs
    int worker;
    int start, count; // in what the worker found
    int to;           // its first in what all of them found
} piece;

struct thud_collider {
    const thud_model *m;
    thud_broad *broad;
    int pairs;   // room
    int known;   // witnesses of the last query
    int entered; // geoms below this number are in the broad phase
    witness *last, *next;
    double *reach;        // of each geom: how far its own contacts begin; -1: it can touch nothing
    double *radius;       // of each geom, about its origin; infinite for a plane
    double *spin;         // of each geom: how fast turning moves its surface, m/s
    outline *drawn;       // of each geom: what its box was made from
    swept *box;           // of each geom
    double ahead, margin; // of these
    geom_motion *motion;  // of each geom, in this query
    geom_room *room;      // of each geom of few
    double *turning;      // of each geom: its radius, but 0 of a sphere
    bool roomy;           // the witnesses are of all pairs within the rooms
    bool answered;        // the last query ended well
    int64_t queries;
    thud_pool *pool;         // NULL: one thread
    thud_contact_set *found; // by each worker
    piece *piece;            // of each pair that is the first of a share
};

typedef thud_collide_query query;

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
        reach[g] = fmax(reach[g], 0.5 * m->pair_margin[k / 2]);
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
    if (!c->reach || !c->radius || !c->spin || !c->drawn || !c->box || !c->motion || !c->room ||
        !c->turning) {
        return THUD_NO_MEMORY;
    }
    find_reach(m, c->reach);
    for (int g = 0; g < m->geoms; g++) {
        THUD_TRY(c->reach[g] < 0 ? THUD_OK : thud_shape_check(&m->geom_shape[g], NULL));
        c->radius[g] = c->reach[g] < 0 ? 0 : thud_shape_radius(&m->geom_shape[g]);
        c->turning[g] = m->geom_shape[g].kind == THUD_SHAPE_SPHERE ? 0 : c->radius[g];
    }
    THUD_TRY(reserve_pairs(c, o.pairs));
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
    thud_free(c->next);
    thud_free(c->reach);
    thud_free(c->radius);
    thud_free(c->spin);
    thud_free(c->drawn);
    thud_free(c->box);
    thud_free(c->motion);
    thud_free(c->turning);
    thud_free(c->room);
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
static inline void note_motion(thud_collider *c, const query *q, int g)
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
            c->box[g].now = swept_box(&c->m->geom_shape[g], now.X, &c->motion[g]);
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
        if (b->change == BOX_STAYS) {
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

static bool is_few(const thud_collider *c)
{
    enum { FEW = 256 }; // geoms: of more of them one always leaves its room
    return c->m->geoms <= FEW;
}

// Whether every geom is still within its room; and what moves how, in any case.
static bool rooms_hold(thud_collider *c, const query *q)
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

static thud_status make_rooms(thud_collider *c, const query *q)
{
    for (int g = 0; g < c->m->geoms; g++) {
        if (c->reach[g] < 0) {
            continue;
        }
        if (!finite_pose(q->X_wg[g])) {
            return THUD_NOT_FINITE;
        }
        c->room[g] = room_around(q->X_wg[g], &c->motion[g], c->radius[g]);
        const thud_aabb box = room_box(&c->m->geom_shape[g], &c->room[g]);
        THUD_TRY(give_box(c, g, &box));
    }
    return THUD_OK;
}

// Brings the broad phase up to date, unless the pairs it gave last will do: *renewed tells.
static thud_status find_pairs(thud_collider *c, const query *q, bool *renewed, thud_broad_report *report)
{
    const bool few = is_few(c);
    *renewed = !few || !rooms_hold(c, q);
    if (*renewed) {
        c->roomy = false;
        THUD_TRY(few ? make_rooms(c, q) : move_boxes(c, q));
        THUD_TRY(thud_broad_update(c->broad, report));
    }
    return THUD_OK;
}

// How near two geoms must be: the margin, and how much nearer they can come.
static double pair_margin(const thud_collider *c, const query *q, thud_broad_pair pair)
{
    if (!q->V_wg) {
        return q->margin;
    }
    const vec3 v = v3_sub(q->V_wg[pair.b].lin, q->V_wg[pair.a].lin);
    return q->margin + q->ahead * (v3_norm(v) + c->spin[pair.a] + c->spin[pair.b]);
}

static uint64_t mix(uint64_t x) // one to one (the finaliser of splitmix64)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

// Different for different features of one pair of geoms; for different pairs but for one chance in 2^64.
static uint64_t identity(int geom1, int geom2, const uint32_t feature[2])
{
    const uint64_t pair = mix((uint64_t)geom1 << 32 | (uint32_t)geom2);
    return mix(pair ^ ((uint64_t)feature[0] << 32 | feature[1]));
}

static void add_contact(const thud_model *m, int geom1, int geom2, const thud_contact_law *law,
                        const thud_pair_contact *p, thud_contact_set *set)
{
    if (set->needed++ >= set->capacity) {
        return;
    }
    set->contact[set->count++] = (thud_contact){.id = identity(geom1, geom2, p->feature),
                                                .geom1 = geom1,
                                                .geom2 = geom2,
                                                .body1 = m->geom_body[geom1],
                                                .body2 = m->geom_body[geom2],
                                                .point = p->point,
                                                .normal = p->normal,
                                                .phi = p->dist,
                                                .feature = {p->feature[0], p->feature[1]},
                                                .law = *law};
}

static double own_margin(const thud_model *m, int geom1, int geom2) // that of their law
{
    return m->pairs > 0 ? thud_contact_law_of(m, geom1, geom2).margin
                        : m->geom_margin[geom1] + m->geom_margin[geom2];
}

// Contacts of one pair, with its witness.
static void collide_one(const thud_model *m, const thud_pose *X_wg, double margin, witness *w,
                        thud_contact_set *set)
{
    const bool ordered = m->geom_type[w->pair.a] <= m->geom_type[w->pair.b];
    const int geom1 = ordered ? w->pair.a : w->pair.b, geom2 = ordered ? w->pair.b : w->pair.a;
    thud_pair_contact found[THUD_PAIR_MAX];
    const int count = pair_collide(&m->geom_shape[geom1], &X_wg[geom1], &m->geom_shape[geom2], &X_wg[geom2],
                                   fmax(margin, own_margin(m, geom1, geom2)), &w->cache, found);
    if (count == 0) {
        return;
    }
    const thud_contact_law law = thud_contact_law_of(m, geom1, geom2);
    for (int k = 0; k < count; k++) {
        add_contact(m, geom1, geom2, &law, &found[k], set);
    }
}

// A plane's box is endless, so the broad phase pairs it with everything; most things are far above it.
static bool above_plane(const thud_collider *c, const thud_pose *X_wg, double margin, int plane, int g)
{
    if (c->m->geom_shape[plane].kind != THUD_SHAPE_PLANE) {
        return false;
    }
    const vec3 n = q_rotate(X_wg[plane].q, v3(0, 0, 1));
    const double height = v3_dot(n, v3_sub(X_wg[g].p, X_wg[plane].p)) - c->radius[g];
    return height > fmax(margin, c->reach[plane] + c->reach[g]); // false for another plane
}

// Boxes overlap more easily than the balls around two geoms. A little is left for rounding.
static bool balls_apart(const thud_collider *c, const thud_pose *X_wg, double margin, int g, int h)
{
    const double reach = c->radius[g] + c->radius[h] + fmax(margin, c->reach[g] + c->reach[h]);
    return v3_norm2(v3_sub(X_wg[g].p, X_wg[h].p)) > (1 + 1e-9) * reach * reach; // false for a plane
}

// The box of one geom of few.
static const thud_aabb *box_now(thud_collider *c, const query *q, int g)
{
    swept *b = &c->box[g];
    if (b->query != c->queries) {
        b->now = swept_box(&c->m->geom_shape[g], q->X_wg[g], &c->motion[g]);
        b->query = c->queries;
    }
    return &b->now;
}

// Two geoms that the list of few has too many, and what is far above a plane, whose box is endless.
static inline bool out_of_reach(const thud_collider *c, const query *q, int a, int b)
{
    const geom_motion *A = &c->motion[a], *B = &c->motion[b];
    const vec3 between = v3_sub(q->X_wg[b].p, q->X_wg[a].p);
    const double reach = A->reach + B->reach;
    if (endless(c->radius[a]) || endless(c->radius[b])) {
        return (endless(c->radius[a]) ? v3_dot(A->up, between) : -v3_dot(B->up, between)) > reach;
    }
    return v3_norm2(between) > (1 + 1e-9) * reach * reach;
}

// Two geoms that cannot meet, though they are listed.
static bool apart(thud_collider *c, const query *q, double margin, thud_broad_pair pair)
{
    const int a = pair.a, b = pair.b;
    return above_plane(c, q->X_wg, margin, a, b) || above_plane(c, q->X_wg, margin, b, a) ||
           balls_apart(c, q->X_wg, margin, a, b) ||
           (is_few(c) && !box_overlap(box_now(c, q, a), box_now(c, q, b)));
}

static bool before(thud_broad_pair x, thud_broad_pair y)
{
    return x.a < y.a || (x.a == y.a && x.b < y.b);
}

typedef struct narrow { // the narrow phase of one query
    thud_collider *c;
    const query *q;
    const thud_broad_pair *pair;    // NULL: those of last time's witnesses
    thud_contact_set *set;          // of one thread
    int path[THUD_POOL_THREADS][4]; // as in the report
    const thud_contact_set *last;   // what the last query found, of these pairs; NULL: it is not known
    atomic_bool failed;             // a shape is not valid, or a pose overflowed
} narrow;

// The first of last time's witnesses that is not before a pair.
static int find_witness(const thud_collider *c, thud_broad_pair pair)
{
    int low = 0, high = c->known;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (before(c->last[middle].pair, pair)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// A pair's witness, from last time's if it has one; *old walks along them.
static witness *hand_on(thud_collider *c, thud_broad_pair pair, int *old, witness *to)
{
    while (*old < c->known && before(c->last[*old].pair, pair)) {
        ++*old;
    }
    const bool known = *old < c->known && !before(pair, c->last[*old].pair);
    *to = known ? c->last[*old] : (witness){.pair = pair, .count = -1};
    return to;
}

// Takes over the contacts of a pair that has not moved by a bit since the last query; false: it has.
static bool take_over(const narrow *n, witness *w, thud_contact_set *set)
{
    const thud_collider *c = n->c;
    if (!n->last || w->count < 0 || c->box[w->pair.a].change != BOX_STAYS ||
        c->box[w->pair.b].change != BOX_STAYS) {
        return false;
    }
    const int from = w->at;
    w->at = set->count;
    set->needed += w->count;
    if (set->needed <= set->capacity) {
        memcpy(set->contact + set->count, n->last->contact + from, (size_t)w->count * sizeof *set->contact);
        set->count += w->count;
    }
    return true;
}

// Pairs first to end - 1 into a set.
static void collide_share(narrow *n, int first, int end, thud_contact_set *set, int path[4])
{
    thud_collider *c = n->c;
    const query *q = n->q;
    const bool few = is_few(c);
    int old = n->pair ? find_witness(c, n->pair[first]) : 0;
    for (int k = first; k < end; k++) {
        witness *w = n->pair ? hand_on(c, n->pair[k], &old, &c->next[k]) : &c->last[k];
        if (q->still && q->still[w->pair.a] && q->still[w->pair.b]) {
            w->count = -1;
            continue;
        }
        if (take_over(n, w, set)) {
            path[w->cache.path]++;
            continue;
        }
        w->at = set->count;
        w->count = 0;
        if (few && out_of_reach(c, q, w->pair.a, w->pair.b)) {
            path[THUD_PAIR_CLOSED]++;
            continue;
        }
        const double margin = pair_margin(c, q, w->pair);
        if (apart(c, q, margin, w->pair)) {
            path[THUD_PAIR_CLOSED]++;
            continue;
        }
        if (!isfinite(margin)) {
            atomic_store_explicit(&n->failed, true, memory_order_relaxed);
            return;
        }
        collide_one(c->m, q->X_wg, margin, w, set);
        w->count = set->count - w->at;
        path[w->cache.path]++;
    }
}

static void collide_some(void *of, int first, int end, int worker)
{
    narrow *n = of;
    thud_contact_set *set = n->set;
    if (!set) {
        set = &n->c->found[worker];
        n->c->piece[first] = (piece){.end = end, .worker = worker, .start = set->count};
    }
    const int needed = set->needed;
    collide_share(n, first, end, set, n->path[worker]);
    if (!n->set) {
        n->c->piece[first].count = set->needed - needed;
    }
}

typedef struct collection { // what the workers found, on its way into one set
    const thud_collider *c;
    thud_contact_set *set;
    witness *witness; // of the pairs
} collection;

static void collect_some(void *of, int first, int end, int worker)
{
    const collection *a = of;
    (void)worker;
    for (int k = first; k < end; k = a->c->piece[k].end) {
        const piece *p = &a->c->piece[k];
        memcpy(a->set->contact + p->to, a->c->found[p->worker].contact + p->start,
               (size_t)p->count * sizeof *a->set->contact);
        for (int i = k; i < p->end; i++) {
            a->witness[i].at += p->to - p->start;
        }
    }
}

// What the workers found, in the order of the pairs. The pool cuts so many pairs as it did when they were found.
static void collect(thud_collider *c, witness *of, int pairs, int least, thud_contact_set *set)
{
    for (int i = 0; i < thud_pool_threads(c->pool); i++) {
        set->needed += c->found[i].needed;
    }
    if (set->needed > set->capacity) {
        return;
    }
    for (int k = 0; k < pairs; k = c->piece[k].end) {
        c->piece[k].to = set->count;
        set->count += c->piece[k].count;
    }
    enum { FEW = 512 }; // contacts, not worth a thread
    thud_pool_run(set->count > FEW ? c->pool : NULL, pairs, least, collect_some, &(collection){c, set, of});
}

// The witnesses just made are the last.
static void keep_witnesses(thud_collider *c, int count)
{
    witness *swap = c->last;
    c->last = c->next;
    c->next = swap;
    c->known = count;
    c->roomy = is_few(c);
}

// renewed: the broad phase has new pairs.
static thud_status collide_pairs(thud_collider *c, const query *q, bool renewed, const thud_contact_set *last,
                                 thud_contact_set *set, thud_collide_report *report)
{
    enum { LEAST = 16 }; // pairs
    int count = c->known;
    narrow n = {.c = c, .q = q, .pair = renewed ? thud_broad_pairs(c->broad, &count) : NULL, .last = last};
    const bool shared = c->pool && count > LEAST && c->found[0].capacity >= set->capacity;
    n.set = shared ? NULL : set;
    for (int i = 0; i < thud_pool_threads(c->pool) && shared; i++) {
        c->found[i].count = c->found[i].needed = 0;
    }
    for (int g = 0; g < c->m->geoms && shared && is_few(c); g++) { // threads draw none
        (void)(c->reach[g] < 0 ? NULL : box_now(c, q, g));
    }
    thud_pool_run(shared ? c->pool : NULL, count, LEAST, collide_some, &n);
    if (atomic_load_explicit(&n.failed, memory_order_relaxed)) {
        return THUD_NOT_FINITE;
    }
    if (shared) {
        collect(c, renewed ? c->next : c->last, count, LEAST, set);
    }
    for (int i = 0; i < thud_pool_threads(c->pool); i++) {
        for (int k = 0; k < 4; k++) {
            report->path[k] += n.path[i][k];
        }
    }
    report->pairs = count;
    if (renewed) {
        keep_witnesses(c, count);
    }
    return set->needed > set->capacity ? THUD_NO_MEMORY : THUD_OK;
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
        status = collide_pairs(c, q, renewed, last, set, &ours);
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

static thud_pair_contact pair_of(const thud_contact *c)
{
    return (thud_pair_contact){c->point, c->normal, c->phi, {c->feature[0], c->feature[1]}};
}

bool thud_contact_gap_after(const thud_model *m, const thud_contact *contact, const thud_shift *moved1,
                            const thud_shift *moved2, thud_gap_value *out)
{
    const thud_pair_contact p = pair_of(contact);
    return thud_gap_after(&m->geom_shape[contact->geom1], moved1, &m->geom_shape[contact->geom2], moved2, &p,
                          out);
}

thud_gap thud_contact_gap(const thud_model *m, const thud_pose *X_wg, const thud_contact *contact)
{
    const int g1 = contact->geom1, g2 = contact->geom2;
    const thud_pair_contact p = pair_of(contact);
    return thud_gap_of_contact(&m->geom_shape[g1], X_wg[g1], &m->geom_shape[g2], X_wg[g2], &p);
}
