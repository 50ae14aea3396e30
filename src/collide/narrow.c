// SPDX-License-Identifier: Apache-2.0
// narrow.c: the narrow phase of one query: which of the listed pairs can meet, and their contacts.
//
// The broad phase gives the pairs sorted, so last time's witnesses, kept in the same order, are handed on in
// one walk along both lists: no table is searched, and nothing depends on where things lie in memory. Threads take
// stretches of the list, and what they find is put together in its order.
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include <thud/spatial_inline.h>

#include "collider.h"

static inline double wider(double margin, double own) // fmax, which would be a call
{
    return margin > own ? margin : own;
}

// How near two geoms must be: the margin, and how much nearer they can come.
static double pair_margin(const thud_collider *c, const query *q, thud_broad_pair pair)
{
    if (!q->V_wg) {
        return q->margin;
    }
    const vec3 v = v3_sub(q->V_wg[pair.b].lin, q->V_wg[pair.a].lin);
    const bool over = endless(c->radius[pair.a]),
               under = endless(c->radius[pair.b]); // a plane: across it nothing comes nearer
    const double speed = over    ? wider(-v3_dot(c->motion[pair.a].up, v), 0)
                         : under ? wider(v3_dot(c->motion[pair.b].up, v), 0)
                                 : v3_norm(v);
    return q->margin + q->ahead * (speed + c->spin[pair.a] + c->spin[pair.b]);
}

static uint64_t mix(uint64_t x) // one to one (the finaliser of splitmix64)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

enum { GEOM_BITS = 19, INDEX_BITS = 10, FEATURE_BITS = 2 + INDEX_BITS };

static uint64_t shortened(uint32_t feature) // kind and index
{
    return (uint64_t)thud_feature_kind_of(feature) << INDEX_BITS | (uint64_t)thud_feature_index_of(feature);
}

// Ascends with the contacts of a set: by the lower geom, the higher one and the features, so that nobody has to sort them. Of
// terrain, meshes with more than a thousand vertices, edges or faces, or half a million geoms the numbers are too large for that:
// there a hash, the same for different contacts by one chance in 2^62. What is not a contact (thud_row_id) begins with four ones.
static inline uint64_t identity(uint64_t lower, uint64_t higher, const uint32_t feature[2])
{
    const int index = thud_feature_index_of(feature[0] | feature[1]);
    if (higher >> GEOM_BITS == 0 && index >> INDEX_BITS == 0) {
        return ((lower << GEOM_BITS | higher) << FEATURE_BITS | shortened(feature[0])) << FEATURE_BITS |
               shortened(feature[1]);
    }
    const uint64_t hash = mix(mix(lower << 32 | higher) ^ ((uint64_t)feature[0] << 32 | feature[1]));
    return UINT64_C(1) << 63 | hash >> 2;
}

bool thud_contact_id_geoms(uint64_t id, int geom[2])
{
    const uint64_t pair = id >> (2 * FEATURE_BITS), mask = (UINT64_C(1) << GEOM_BITS) - 1;
    geom[0] = (int)(pair >> GEOM_BITS & mask);
    geom[1] = (int)(pair & mask);
    return id >> 63 == 0;
}

// The contacts of one pair into a set, as many as there is room for.
static void add_contacts(const thud_model *m, int geom1, int geom2, const thud_contact_law *of,
                         const thud_pair_contact *found, int count, thud_contact_set *set)
{
    const thud_contact_law law = *of; // a value: it is not in the set
    const int one = m->geom_number[geom1], other = m->geom_number[geom2], body1 = m->geom_body[geom1],
              body2 = m->geom_body[geom2];
    const uint64_t lower = (uint64_t)(one < other ? one : other),
                   higher = (uint64_t)(one < other ? other : one);
    const int room = set->capacity - set->count, fit = count < room ? count : room;
    thud_contact *const to = set->contact + set->count;
    for (int k = 0; k < fit; k++) {
        const thud_pair_contact *p = &found[k];
        to[k] = (thud_contact){.id = identity(lower, higher, p->feature),
                               .geom1 = geom1,
                               .geom2 = geom2,
                               .body1 = body1,
                               .body2 = body2,
                               .point = p->point,
                               .normal = p->normal,
                               .phi = p->dist,
                               .feature = {p->feature[0], p->feature[1]},
                               .law = law};
    }
    set->count += fit;
    set->needed += count;
}

typedef struct last_law { // that somebody asked for
    int surface[2];       // of its geoms; -1: none that others have
    thud_contact_law law;
} last_law;

// The law of two geoms, kept where the k-th pair of a list of few is; of many, that of the pair before where it is the same.
static const thud_contact_law *law_of(thud_collider *c, int k, thud_broad_pair pair, int geom1, int geom2,
                                      last_law *last)
{
    pair_law *kept = c->law ? &c->law[k] : NULL;
    if (kept && kept->pair.a == pair.a && kept->pair.b == pair.b) {
        return &kept->law;
    }
    const int one = c->surface[geom1], other = c->surface[geom2];
    if (one < 0 || other < 0 || one != last->surface[0] || other != last->surface[1]) {
        *last = (last_law){{one, other}, thud_contact_law_of(c->m, geom1, geom2)};
    }
    if (kept) {
        *kept = (pair_law){pair, last->law};
    }
    return &last->law;
}

static double own_margin(const thud_model *m, int geom1, int geom2) // that of their law
{
    return m->pairs > 0 ? thud_contact_law_of(m, geom1, geom2).margin
                        : m->geom_margin[geom1] + m->geom_margin[geom2];
}

// Contacts of the k-th pair, with its witness.
static void collide_one(thud_collider *c, const query *q, double margin, int k, witness *w, last_law *last,
                        thud_contact_set *set)
{
    const thud_model *m = c->m;
    const thud_pose *X_wg = q->X_wg;
    const bool ordered = m->geom_type[w->pair.a] <= m->geom_type[w->pair.b];
    const int geom1 = ordered ? w->pair.a : w->pair.b, geom2 = ordered ? w->pair.b : w->pair.a;
    thud_pair_contact found[THUD_PAIR_MAX];
    const double reach = wider(margin, own_margin(m, geom1, geom2));
    int count = pair_collide(&m->geom_shape[geom1], &X_wg[geom1], &m->geom_shape[geom2], &X_wg[geom2], reach,
                             &w->cache, found);
    if (count > 0 && q->horizon > 0) {
        const pair_ahead ahead = {q->horizon, q->slack, q->none, reach};
        count = pair_pass(&m->geom_shape[geom1], &X_wg[geom1], &q->V_wg[geom1], &m->geom_shape[geom2],
                          &X_wg[geom2], &q->V_wg[geom2], &ahead, count, found);
    }
    if (count > 0) {
        add_contacts(m, geom1, geom2, law_of(c, k, w->pair, geom1, geom2, last), found, count, set);
    }
}

// A plane's box is endless, so the broad phase pairs it with everything; most things are far above it.
static bool above_plane(const thud_collider *c, const thud_pose *X_wg, double margin, int plane, int g)
{
    if (c->m->geom_shape[plane].kind != THUD_SHAPE_PLANE) {
        return false;
    }
    const double height = v3_dot(c->motion[plane].up, v3_sub(X_wg[g].p, X_wg[plane].p)) - c->radius[g];
    return height > wider(margin, c->reach[plane] + c->reach[g]); // false for another plane
}

// Boxes overlap more easily than the balls around two geoms. A little is left for rounding.
static bool balls_apart(const thud_collider *c, const thud_pose *X_wg, double margin, int g, int h)
{
    const double reach = c->radius[g] + c->radius[h] + wider(margin, c->reach[g] + c->reach[h]);
    return v3_norm2(v3_sub(X_wg[g].p, X_wg[h].p)) > (1 + 1e-9) * reach * reach;
}

static double within(double x, double most)
{
    return x < -most ? -most : x > most ? most : x;
}

// Half the line within a capsule, of a sphere 0; negative: neither.
static double half_line(const thud_shape *s)
{
    return s->kind == THUD_SHAPE_CAPSULE ? s->size[1] : s->kind == THUD_SHAPE_SPHERE ? 0 : -1;
}

// Capsules, and a capsule and a sphere, are as far apart as the lines within them, points s u and r + t w of these
// (capsules_facet).
static bool lines_apart(const thud_collider *c, const thud_pose *X_wg, double margin, int g, int h)
{
    const thud_shape *a = &c->m->geom_shape[g], *b = &c->m->geom_shape[h];
    const double l = half_line(a), k = half_line(b);
    if (!(l >= 0 && k >= 0 && l + k > 0)) {
        return false;
    }
    const vec3 r = v3_sub(X_wg[h].p, X_wg[g].p);
    const double reach = a->size[0] + b->size[0] + wider(margin, c->reach[g] + c->reach[h]);
    const double enough = (1 + 1e-9) * reach * reach;
    if (l == 0 || k == 0) { // a point, and the only line
        const vec3 u = q_zaxis(X_wg[l > 0 ? g : h].q);
        return v3_norm2(v3_axpy(-within(v3_dot(u, r), l + k), u, r)) > enough;
    }
    const vec3 u = q_zaxis(X_wg[g].q), w = q_zaxis(X_wg[h].q);
    const double uw = v3_dot(u, w), det = 1 - uw * uw, ur = v3_dot(u, r), wr = v3_dot(w, r);
    double s = within(det > 1e-12 ? (ur - uw * wr) / det : 0, l); // parallel: any s will do
    double t = within(uw * s - wr, k);
    s = within(ur + uw * t, l);
    t = within(uw * s - wr, k);
    return v3_norm2(v3_sub(v3_axpy(t, w, r), v3_scale(s, u))) > enough;
}

// The box of one geom of few.
static const thud_aabb *box_now(thud_collider *c, const query *q, int g)
{
    swept *b = &c->box[g];
    if (b->query != c->queries) {
        b->now = swept_box(&c->m->geom_shape[g], &q->X_wg[g], &c->motion[g]);
        b->query = c->queries;
    }
    return &b->now;
}

// A plane that faces up: its box has no end but its surface.
static inline bool is_level(const thud_collider *c, int g)
{
    const vec3 *up = &c->motion[g].up;
    return endless(c->radius[g]) && up->z > 0 && up->x == 0 && up->y == 0;
}

// As the boxes of a level plane and another geom tell, by the two faces of them that can part.
static bool above_level(const thud_collider *c, const query *q, int plane, int g)
{
    const geom_motion *P = &c->motion[plane], *G = &c->motion[g];
    const double top = q->X_wg[plane].p.z + (P->way.z > 0 ? P->way.z : 0) + (P->wide + P->turn);
    const double bottom = thud_shape_bottom(&c->m->geom_shape[g], &q->X_wg[g]) +
                          (G->way.z < 0 ? G->way.z : 0) - (G->wide + G->turn);
    return !(bottom <= top);
}

static bool boxes_apart(thud_collider *c, const query *q, int a, int b)
{
    return is_level(c, a)   ? above_level(c, q, a, b)
           : is_level(c, b) ? above_level(c, q, b, a)
                            : !thud_aabb_overlap(box_now(c, q, a), box_now(c, q, b));
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
    if (endless(c->radius[a]) || endless(c->radius[b])) {
        return above_plane(c, q->X_wg, margin, a, b) || above_plane(c, q->X_wg, margin, b, a);
    }
    return balls_apart(c, q->X_wg, margin, a, b) || lines_apart(c, q->X_wg, margin, a, b);
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
    last_law last = {.surface = {-1, -1}};
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
        if (few && (out_of_reach(c, q, w->pair.a, w->pair.b) || boxes_apart(c, q, w->pair.a, w->pair.b))) {
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
        collide_one(c, q, margin, k, w, &last, set);
        w->count = set->count - w->at;
        path[w->cache.path]++;
    }
}

// Whoever counts does so in numbers of its own: those of all workers lie in one line of the caches, which would go from core to
// core with every pair.
static void collide_apart(narrow *n, int first, int end, int worker)
{
    thud_contact_set *const found = &n->c->found[worker];
    thud_contact_set set = *found;
    int path[4] = {0};
    collide_share(n, first, end, &set, path);
    n->c->piece[first] =
        (piece){.end = end, .worker = worker, .start = found->count, .count = set.needed - found->needed};
    *found = set;
    for (int k = 0; k < 4; k++) {
        n->path[worker][k] += path[k];
    }
}

static void collide_some(void *of, int first, int end, int worker)
{
    narrow *n = of;
    if (n->set) {
        collide_share(n, first, end, n->set, n->path[worker]);
    } else {
        collide_apart(n, first, end, worker);
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

static const thud_broad_pair *listed(const thud_collider *c, int *count)
{
    if (c->few.all) {
        *count = c->few.nears;
        return c->few.near;
    }
    return thud_broad_pairs(c->broad, count);
}

thud_status narrow_collide(thud_collider *c, const query *q, bool renewed, const thud_contact_set *last,
                           thud_contact_set *set, thud_collide_report *report)
{
    enum { LEAST = 16 }; // pairs
    const int threads = thud_pool_threads(c->pool);
    int count = c->known;
    narrow n; // most of it is for threads that are not there
    n.c = c;
    n.q = q;
    n.pair = renewed ? listed(c, &count) : NULL;
    n.last = last;
    atomic_init(&n.failed, false);
    const bool shared = c->pool && count > LEAST && c->found[0].capacity >= set->capacity;
    n.set = shared ? NULL : set;
    for (int i = 0; i < threads; i++) {
        memset(n.path[i], 0, sizeof n.path[i]);
        if (shared) {
            c->found[i].count = c->found[i].needed = 0;
        }
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
    for (int i = 0; i < threads; i++) {
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
