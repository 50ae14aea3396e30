// SPDX-License-Identifier: Apache-2.0
// touch.c: which contacts may act in a step.
//
// A query lists all contacts within the reach of the motion: twice the distance by which two geoms can come nearer in
// the step, and a little more; between events, where a collision may turn the motion of any of them, twice what the
// fastest covers. It depends on positions, velocities and h alone, so the query that judged the last step is the first
// of the next one, and a state restored into a fresh sim finds the same contacts.
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "approach.h"

// Gaps of less than this are none: what gravity closes in a fifth of a step, and no more than a micrometre. Where more
// contacts touch than a body needs, compliance decides who carries it [theory 7]; a gap left over from rounding would
// decide instead (a sliding cube went 7 mm astray). And in a jam, gaps that a projection left ask together for motions
// that no body can make, so that contacts must be found to slide by micrometres a second. The papers' laws are as they
// were published.
// At least the speed of every point of every geom.
static double fastest(const thud_sim *sim)
{
    double most = 0;
    for (int i = 0; i < sim->m->joints; i++) {
        most =
            thud_max(most, v3_norm(sim->fall.V[i].lin) + sim->sight.extent[i] * v3_norm(sim->fall.V[i].ang));
    }
    return most;
}

bool touch_can(const thud_model *m, int geom)
{
    bool can = m->geom_contype[geom] || m->geom_conaffinity[geom];
    for (int k = 0; !can && k < 2 * m->pairs; k++) {
        can = m->pair_geom[k] == geom;
    }
    return can;
}

void sim_measure_extents(thud_sim *sim)
{
    const thud_model *m = sim->m;
    for (int g = 0; g < m->geoms; g++) {
        const int body = m->geom_body[g], link = m->body_link[body];
        sim->sight.X_lg[g] = pose_mul(m->body_in_link[body], m->geom_pose[g]);
        const bool can = touch_can(m, g);
        if (link < 0 && !sim->view) {
            sim->sight.X_wg[g] = sim->sight.X_lg[g]; // for good
        } else if (can || sim->answer.borrows) { // a pair with a geom of another part is not in this model
            sim->sight.traced[sim->sight.traces++] = g;
        }
        if (link < 0 || !can) {
            continue;
        }
        const double radius = thud_shape_radius(&m->geom_shape[g]);
        if (isfinite(radius)) {
            const vec3 centre = pose_point(m->body_in_link[body], m->geom_pose[g].p);
            sim->sight.extent[link] = thud_max(sim->sight.extent[link], v3_norm(centre) + radius);
        }
    }
}

// Where a geom is that a link carries. A ball looks the same however it is turned.
static inline void carry(const thud_sim *sim, int geom, int link, thud_pose *X)
{
    const thud_link *l = &sim->d->link[link];
    const thud_pose *X_lg = &sim->sight.X_lg[geom];
    X->p = v3_add(l->o, m3_mulv(&l->R, X_lg->p));
    X->q = sim->m->geom_shape[geom].kind == THUD_SHAPE_SPHERE ? q_identity() : q_mul(q_of_m3(&l->R), X_lg->q);
}

static inline void find_geom(const thud_sim *sim, int geom, thud_pose *X)
{
    const int body = sim->m->geom_body[geom], link = sim->m->body_link[body];
    if (link >= 0) {
        carry(sim, geom, link, X);
    } else {
        *X = sim->view ? sim_frame(sim, body, sim->m->geom_pose[geom]) : sim->sight.X_lg[geom];
    }
}

const thud_pose *touch_place(thud_sim *sim, int geom)
{
    THUD_ASSERT(geom >= 0 && geom < sim->m->geoms);
    if (sim->sight.now_at[geom] != sim->fall.placements) {
        find_geom(sim, geom, &sim->sight.X_now[geom]);
        sim->sight.now_at[geom] = sim->fall.placements;
    }
    return &sim->sight.X_now[geom];
}

static bool hardly_moved(const thud_sim *sim, int geom, const thud_pose *then, const thud_pose *now)
{
    const double size = sim->sight.extent[sim->m->body_link[sim->m->geom_body[geom]]];
    const double w = thud_min(
        1, fabs(then->q.w * now->q.w + then->q.x * now->q.x + then->q.y * now->q.y + then->q.z * now->q.z));
    const double turn = 2 * sqrt(1 - w * w); // about the angle
    return v3_norm(v3_sub(now->p, then->p)) + turn * size <= 0.5 * sim->o.law.tolerance * size;
}

static void find_moved(thud_sim *sim, int geom)
{
    const thud_pose *then = &sim->sight.X_wg[geom], *now = touch_place(sim, geom);
    sim->sight.shift[geom] = thud_shift_between(*then, *now);
    sim->sight.moved_at[geom] =
        2 * sim->fall.placements + (sim_rough(sim) && hardly_moved(sim, geom, then, now));
}

// Whether a geom of a body moves at all; then it is known what became of it since the query last made.
static inline bool geom_moves(thud_sim *sim, int geom, int body)
{
    if (sim->m->body_link[body] < 0) {
        return false;
    }
    if (sim->sight.moved_at[geom] / 2 != sim->fall.placements) {
        find_moved(sim, geom);
    }
    return true;
}

static inline bool geom_stays(thud_sim *sim, int geom,
                              int body) // but for what a rough tolerance does not see
{
    return !geom_moves(sim, geom, body) || sim->sight.moved_at[geom] % 2 != 0;
}

const thud_shift *touch_shift(thud_sim *sim, int geom, int body)
{
    THUD_ASSERT(geom >= 0 && geom < sim->m->geoms);
    return geom_moves(sim, geom, body) ? &sim->sight.shift[geom] : NULL;
}

bool touch_stays(thud_sim *sim, const thud_contact *c)
{
    return !sim->bounces && sim_rough(sim) && geom_stays(sim, c->geom1, c->body1) &&
           geom_stays(sim, c->geom2, c->body2);
}

static void find_geoms(void *of, int first, int end, int worker)
{
    thud_sim *sim = of;
    const thud_model *m = sim->m;
    (void)worker;
    for (int k = first; k < end; k++) {
        const int g = sim->sight.traced[k];
        if (sim->sight.now_at[g] == sim->fall.placements) {
            sim->sight.X_wg[g] = sim->sight.X_now[g];
        } else {
            find_geom(sim, g, &sim->sight.X_wg[g]);
        }
        sim->sight.moved_at[g] = 0;
    }
    for (int k = first; k < end; k++) { // a loop of its own: a number just stored is not at hand yet
        const int g = sim->sight.traced[k], body = m->geom_body[g], link = m->body_link[body];
        sim->sight.V_wg[g] = (thud_motion){link < 0 ? v3(0, 0, 0) : sim->fall.V[link].ang,
                                           point_velocity(sim, sim->fall.V, body, sim->sight.X_wg[g].p)};
    }
}

// Where the geoms are that can touch and move, and how fast.
static void trace_geoms(thud_sim *sim)
{
    enum { LEAST = 50 }; // geoms
    thud_pool_run(sim->pool, sim->sight.traces, LEAST, find_geoms, sim);
}

// Neither the last query's nor one that candidates are in.
static thud_contact_set *free_set(touching *here)
{
    int k = 0;
    while (here->held[k] || here->set == &here->of[k]) {
        k++;
    }
    THUD_ASSERT(k < SETS); // events hold two
    return &here->of[k];
}

// Pairs that would close are looked at so far ahead: those that act close within a step, and a little more.
static const double AHEAD_OF_STEP = 1.5;

static thud_status query(thud_sim *sim, double h)
{
    const thud_contact_set *last = sim->sight.here.set;
    thud_collide_query query = {.X_wg = sim->sight.X_wg,
                                .V_wg = sim->sight.V_wg,
                                .margin = sim_touch(sim, h),
                                .horizon = sim->sight.here.horizon,
                                .slack = sim_slop(sim)};
    if (sim_by_events(sim)) { // asks for what touches, h = 0, within the phase that touch_begin began
        query.margin += 2 * h * fastest(sim);
    } else {
        query.still = sleep_still(sim);
        query.last = last;
        query.ahead = 2 * h;
        query.horizon = AHEAD_OF_STEP * h;
        query.none = sim_no_gap(sim, h);
    }
    sim->sight.here.set = free_set(&sim->sight.here);
    return thud_collide_ahead(sim->sight.collider, sim->m, &query, sim->sight.here.set, NULL);
}

// ---------------------------------------------------------------------------------------------- far from everything
//
// In free flight most queries find nothing. One that looks farther, and finds nothing there either, answers for the steps
// that follow: what no two geoms have come nearer by since is what is left of its reach, and while the next step's own
// margin lies within that, nothing is listed and no link need be placed. A point moves by h times its speed in the middle
// of the step, and the margin is four times that of the next; both are taken with something to spare.

static bool same(const thud_sim *sim, const double *qpos, const double *v)
{
    if (!sim->pool) { // of small scenes each call counts
        return same_numbers(sim->m->nq, sim->sight.here.qpos, qpos) &&
               same_numbers(sim->m->nv, sim->sight.here.qvel, v);
    }
    return sim_all_hold(sim, same_numbers, sim->m->nq, sim->sight.here.qpos, qpos) &&
           sim_all_hold(sim, same_numbers, sim->m->nv, sim->sight.here.qvel, v);
}

static void note(thud_sim *sim, const double *qpos, const double *v, double h)
{
    sim_copy_numbers(sim, sim->m->nq, qpos, sim->sight.here.qpos);
    sim_copy_numbers(sim, sim->m->nv, v, sim->sight.here.qvel);
    sim->sight.here.h = h;
    sim->sight.here.known = true;
    sim->sight.here.asked++;
}

void touch_clock(thud_sim *sim, const thud_motion *V)
{
    double most = 0;
    for (int i = 0; i < sim->m->joints; i++) {
        const thud_link *l = &sim->d->link[i];
        const double speed =
            v3_norm(V ? V[i].lin : l->v) + sim->sight.extent[i] * v3_norm(V ? V[i].ang : l->w);
        most = speed > most ? speed : most;
    }
    sim->sight.fast = most;
}

static const double WAY = 1.25, AHEAD = 6; // of h times the speed in the middle

// At the end of a substep of h from where the last query was.
static bool still_far(thud_sim *sim, const double *qpos, const double *v, double h)
{
    touching *here = &sim->sight.here;
    const double left = here->clear - 2 * WAY * h * sim->sight.fast;
    if (!here->known || !(here->clear > 0) || !(left > AHEAD * h * sim->sight.fast + sim_touch(sim, h)) ||
        here->start != here->asked) {
        return false;
    }
    here->clear = left;
    here->set->count = 0;
    note(sim, qpos, v, h);
    return true;
}

// Looks around farther than the step needs. true: nothing is there.
static bool look_around(thud_sim *sim, double h)
{
    static const double FARTHEST = 1024, NEAREST = 12, PAUSE = 32, GROWTH = 1.25;
    enum { CROWD = 256 }; // geoms: among more of them something is always near
    touching *here = &sim->sight.here;
    if (here->set->count > 0 || sim->m->geoms > CROWD || !(sim->sight.fast < INFINITY) || sim->ask.loops ||
        sim->bounces || sim_by_events(sim) || sim->m->mocaps > 0 || sleep_still(sim)) {
        return false;
    }
    if (here->wide < 0) { // it saw something the last times
        here->wide++;
        return false;
    }
    here->wide = here->wide > 0 ? thud_min(GROWTH * here->wide, FARTHEST) : 2 * NEAREST;
    const double reach = here->wide * h * sim->sight.fast + sim_touch(sim, h);
    if (thud_collide(sim->sight.collider, sim->m, sim->sight.X_wg, reach, here->set, NULL) == THUD_OK &&
        here->set->count == 0) {
        here->clear = reach;
        return true;
    }
    here->wide = here->wide > NEAREST ? 0.5 * here->wide : -PAUSE;
    return false;
}

bool touch_is_there(const thud_sim *sim)
{
    return sim->sight.collider && !sim_by_events(sim) && sim->sight.here.known &&
           !(sim->sight.here.clear > 0) && sim->sight.here.twisted == sim->fall.placements;
}

bool touch_knows(const thud_sim *sim, const double *qpos, const double *v)
{
    return sim->sight.here.known && !(sim->sight.here.clear > 0) && same(sim, qpos, v);
}

void touch_trace(thud_sim *sim, const double *qpos, const double *v)
{
    if (!touch_knows(sim, qpos, v)) {
        sim_place_moving(sim, qpos, v, sim->fall.V);
        sim->sight.here.twisted = sim->fall.placements;
        sim->sight.here.known = sim->sight.here.known && same(sim, qpos, v); // of another state it is no more
        trace_geoms(sim);
    }
}

double touch_reach(const thud_sim *sim, int geom, double radius, double margin)
{
    THUD_ASSERT(geom >= 0 && geom < sim->m->geoms && radius >= 0);
    const thud_motion *V = &sim->sight.V_wg[geom];
    return 2 * sim->o.h * (v3_norm(V->lin) + radius * v3_norm(V->ang)) + sim_touch(sim, sim->o.h) + margin;
}

thud_status touch_query(thud_sim *sim, const double *qpos, const double *v, double h)
{
    THUD_ASSERT(h >= 0);
    touching *here = &sim->sight.here;
    const bool known = here->known && here->h == h && same(sim, qpos, v);
    if ((known && here->clear > 0) || (!known && sim->sight.collider && still_far(sim, qpos, v, h))) {
        return THUD_OK;
    }
    if (!known || sim_by_events(sim) || here->twisted != sim->fall.placements) {
        sim_place_moving(sim, qpos, v, sim->fall.V);
        here->twisted = sim->fall.placements;
    }
    if (!sim->sight.collider || known) {
        return THUD_OK;
    }
    here->known = false;
    here->clear = 0;
    trace_geoms(sim);
    if (!look_around(sim, h)) {
        THUD_TRY(query(sim, h));
    }
    note(sim, qpos, v, h);
    return THUD_OK;
}

// Numbers of entries of shares become the places where they begin in one list; returns its length.
static int counts_to_starts(int shares, int *count)
{
    int sum = 0;
    for (int k = 0; k < shares; k++) {
        const int here = count[k];
        count[k] = sum;
        sum += here;
    }
    return sum;
}

typedef struct beginning { // of a substep, for all contacts of the query
    thud_sim *sim;
    const bool *still; // geoms; NULL: none
    int *share;        // how many contacts of each may act, then where they begin
} beginning;

enum { SHARE = 64 }; // contacts

static bool may_act(const beginning *b, const thud_contact *c)
{
    const int *link = b->sim->m->body_link;
    const bool still = b->still && b->still[c->geom1] && b->still[c->geom2];
    return !still && (link[c->body1] >= 0 || link[c->body2] >= 0) && contact_can_part(b->sim, c);
}

static void count_some(void *of, int first, int end, int worker)
{
    const beginning *b = of;
    (void)worker;
    for (int k = first; k < end; k++) {
        int count = 0;
        for (int i = k * SHARE; i < thud_share_end(k, SHARE, b->sim->sight.here.set->count); i++) {
            count += may_act(b, &b->sim->sight.here.set->contact[i]);
        }
        b->share[k] = count;
    }
}

void touch_hold(thud_sim *sim)
{
    sim->sight.here.held[sim->sight.here.set - sim->sight.here.of] = true;
}

void touch_add(thud_sim *sim, const thud_contact *c, int number)
{
    THUD_ASSERT(number >= 0 && number < sim->sight.touch_capacity);
    touch *t = &sim->sight.touch[number];
    *t = (touch){.contact = c, .gap = &sim->sight.gap[number], .phi = c->phi};
    vec3 frame[3];
    thud_contact_frame(sim->m, sim->d, c, c->normal, frame);
    sim_slip(sim, sim->fall.V, c, c->point, frame, t->u);
}

static inline void fetch_ahead(const thud_sim *sim, int i) // of contact i
{
    const thud_contact_set *set = sim->sight.here.set;
    if (i + 2 * FETCH < set->count) {
        fetch_contact(&set->contact[i + 2 * FETCH]);
        fetch_bodies(sim, sim->fall.V, &set->contact[i + FETCH]);
    }
}

// Contacts first to end - 1 as candidates from `next` on; returns where they end.
static int begin_range(const beginning *b, int first, int end, int next)
{
    thud_sim *sim = b->sim;
    for (int i = first; i < end; i++) {
        const thud_contact *c = &sim->sight.here.set->contact[i];
        fetch_ahead(sim, i);
        if (may_act(b, c)) {
            touch_add(sim, c, next++);
        }
    }
    return next;
}

static void begin_some(void *of, int first, int end, int worker)
{
    const beginning *b = of;
    (void)worker;
    for (int k = first; k < end; k++) {
        const int stop = thud_share_end(k, SHARE, b->sim->sight.here.set->count);
        (void)begin_range(b, k * SHARE, stop, b->share[k]);
    }
}

// Those of one thread.
static void begin_alone(thud_sim *sim)
{
    const beginning b = {sim, sleep_still(sim), NULL};
    sim->sight.touches = begin_range(&b, 0, sim->sight.here.set->count, 0);
    touch_spread(sim);
    sim->sight.listed = sim->sight.touches;
    sim->sight.listed_of = sim->sight.here.asked;
}

// Of a query that has not been asked anew they are the same; nobody sleeps among them, and none acts yet.
static bool begin_again(thud_sim *sim)
{
    if (sim_by_events(sim) || sim->sleep || sim->sight.listed_of != sim->sight.here.asked) {
        return false;
    }
    sim->sight.touches = sim->sight.listed;
    for (int i = 0; i < sim->sight.touches; i++) {
        sim->sight.touch[i].active = sim->sight.touch[i].known = false;
    }
    return true;
}

thud_status touch_begin(thud_sim *sim, double h)
{
    THUD_ASSERT(h >= 0 && sim->constrained);
    enum { FEW = 4 }; // shares to count, about 4 us
    sim->sight.touches = 0;
    sim->sight.here.horizon = AHEAD_OF_STEP * h;
    memset(sim->sight.here.held, 0, sizeof sim->sight.here.held);
    sim->sight.fast = INFINITY; // unknown until the next evaluation
    THUD_TRY(touch_query(sim, sim->begun.q_start, sim->begun.v_start, h));
    sim->sight.here.start = sim->sight.here.asked;
    if (sim->sight.here.set->count == 0 || sim->sight.here.set->count > sim->sight.touch_capacity) {
        return sim->sight.here.set->count == 0 ? THUD_OK : THUD_NO_MEMORY;
    }
    touch_hold(sim);
    if (begin_again(sim)) {
        return THUD_OK;
    }
    if (sim->sight.here.set->count <= SHARE || !sim->pool) {
        begin_alone(sim);
        return THUD_OK;
    }
    const int shares = (sim->sight.here.set->count + SHARE - 1) / SHARE;
    const size_t mark = thud_arena_mark(sim->answer.scratch);
    beginning b = {sim, sleep_still(sim),
                   thud_arena_push(sim->answer.scratch, (size_t)shares, sizeof *b.share)};
    if (!b.share) {
        return THUD_NO_MEMORY;
    }
    thud_pool_run(sim->pool, shares, FEW, count_some, &b);
    sim->sight.touches = counts_to_starts(shares, b.share);
    thud_pool_run(sim->pool, shares, 1, begin_some, &b);
    thud_arena_release(sim->answer.scratch, mark);
    touch_spread(sim);
    sim->sight.listed = sim->sight.touches;
    sim->sight.listed_of = sim->sight.here.asked;
    return THUD_OK;
}

static void want_some(void *of, int first, int end, int worker)
{
    const thud_sim *sim = of;
    (void)worker;
    for (int i = first; i < end; i++) {
        const touch *t = &sim->sight.touch[i];
        if (t->active) {
            atomic_store_explicit(&sim->sight.wanted[t->contact->geom1], true, memory_order_relaxed);
            atomic_store_explicit(&sim->sight.wanted[t->contact->geom2], true, memory_order_relaxed);
        }
    }
}

static void find_wanted(void *of, int first, int end, int worker)
{
    thud_sim *sim = of;
    (void)worker;
    for (int g = first; g < end; g++) {
        if (atomic_load_explicit(&sim->sight.wanted[g], memory_order_relaxed)) {
            atomic_store_explicit(&sim->sight.wanted[g], false, memory_order_relaxed);
            (void)touch_place(sim, g);
            (void)geom_moves(sim, g, sim->m->geom_body[g]);
        }
    }
}

static void find_all(void *of, int first, int end, int worker)
{
    thud_sim *sim = of;
    (void)worker;
    for (int g = first; g < end; g++) {
        (void)touch_place(sim, g);
        (void)geom_moves(sim, g, sim->m->geom_body[g]);
    }
}

// Where there are more contacts than geoms nearly all are wanted, and are found in the order they have in memory. Threads that
// ask for a geom must find it there.
void touch_find_geoms(thud_sim *sim)
{
    enum { CONTACTS = 500, GEOMS = 200 }; // worth a share of a thread
    if (sim->sight.touches > sim->m->geoms && sim->m->geoms > GEOMS) {
        thud_pool_run(sim->pool, sim->m->geoms, GEOMS, find_all, sim);
    } else if (sim->pool) {
        thud_pool_run(sim->pool, sim->sight.touches, CONTACTS, want_some, sim);
        thud_pool_run(sim->pool, sim->m->geoms, GEOMS, find_wanted, sim);
    }
}

thud_gap_value touch_found(const thud_contact *c)
{
    return (thud_gap_value){c->phi, c->normal, {c->point, c->point}};
}

// By its gap function.
static void gap_by_function(thud_sim *sim, touch *t, thud_gap_value *out)
{
    const thud_contact *c = t->contact;
    if (!t->known) {
        *t->gap = thud_contact_gap(sim->m, sim->sight.X_wg, c);
        t->known = true;
    }
    *out = thud_gap_at(t->gap, *touch_place(sim, c->geom1), *touch_place(sim, c->geom2));
}

thud_gap_value touch_gap(thud_sim *sim, touch *t)
{
    const thud_contact *c = t->contact;
    if (touch_stays(sim, c)) {
        return touch_found(c); // it is where it was
    }
    thud_gap_value now;
    if (sim_by_events(sim) || !thud_contact_gap_after(sim->m, c, touch_shift(sim, c->geom1, c->body1),
                                                      touch_shift(sim, c->geom2, c->body2), &now)) {
        gap_by_function(sim, t, &now);
    }
    return now;
}
