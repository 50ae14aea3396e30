// SPDX-License-Identifier: Apache-2.0
// parts.c: a crowd of robots that keep out of each other's reach is stepped one by one.
//
// A part is a sim of its own over a part of the model (thud/model_part.h): it has its own rounds, halvings and impacts, and
// one thread does all of its step, from memory that no other touches in that time. Which parts there are follows from the model; whether a step
// is taken in parts, from the state alone:
//
//     apart before   the boxes that geoms may reach by the reckoning of a query (touch.c) do not overlap
//     apart after    the boxes of the geoms where the step ended do not overlap either
//
// Otherwise all are stepped together, as any other model is. Neither the number of threads nor what was stepped before
// can be seen in the result.
//
// Cost  a box of each part; what is read and written of the state.
#include "parts.h"

#include <math.h>
#include <string.h>

#include <thud/contact_gather.h>
#include <thud/linalg.h>
#include <thud/spatial_inline.h>

typedef struct solid { // a geom that moves and may touch something
    int geom;
    double radius;
    const thud_pose *X; // where it is in the state that is looked at
    double wide;        // m: how far it may reach around itself in a step from there
    thud_aabb reach;    // around the ball that holds it, and that
} solid;

typedef struct robot { // what moves in one grove
    int first, end;    // solids
    thud_aabb reach;   // of them all
} robot;

typedef struct part {
    thud_model_part of;
    thud_sim *sim;
    thud_state *state; // of it alone
    thud_status status;
    thud_certificate c;
    int solids, robots;
    solid *solid;
    robot *robot;
    thud_aabb reach; // of them all
    bool known;      // the boxes are those of `state`
    bool missed;     // it was not stepped with the others: they were not
} part;

struct parts {
    int count;
    part *part;
    int *of_link, *of_geom; // which part; -1: what cannot move
    int *route;             // of the state's impulses: whose they are
    int routes;             // room
    double margin;          // m: the most that two geoms are listed before they touch
    bool apart;             // the reaches do not overlap, of parts that are known
    bool taken;             // the last step was taken in parts
    bool gathered;          // and its rows are in the whole's
    thud_rows_part *rows;   // of each
};

// ---------------------------------------------------------------------------------------------- create

enum { LEAST = 12, LINKS_A_GROVE = 6, MOST = 64 }; // links of a part, and of a robot on average; parts

// Robots, not a pile: what lies in a heap is never apart.
static bool is_crowd(const thud_sim *sim)
{
    const thud_model *m = sim->m;
    bool may = m->joints >= 2 * LEAST && m->joints >= LINKS_A_GROVE * sim->d->groves && !sim->sleep &&
               !sim->event && thud_model_has_parts(m);
    for (int g = 0; may && g < m->geoms; g++) { // a plane that moves is everywhere
        may = m->body_link[m->geom_body[g]] < 0 || isfinite(thud_shape_radius(&m->geom_shape[g]));
    }
    return may;
}

// Groves that an equality ties together, and those between them, go into one part: tied[g]: with the next.
static void find_ties(const thud_sim *sim, bool *tied)
{
    for (int e = 0; e < sim->m->equalities; e++) {
        int link[2];
        if (!thud_equality_links(sim->m, e, link)) {
            continue;
        }
        for (int g = 0; g < sim->d->groves; g++) {
            tied[g] = tied[g] || (sim->d->grove[g + 1] > link[0] && sim->d->grove[g + 1] <= link[1]);
        }
    }
}

// How many parts are wanted: of some dozen links, so that code and what it works on are at hand for the next robot; so
// many that two or four threads have the same to do.
static int parts_wanted(const thud_model *m)
{
    enum { LINKS_EACH = 64, EVEN = 4 };
    const int some = m->joints / LINKS_EACH + 1, wanted = (some + EVEN - 1) / EVEN * EVEN;
    return wanted < MOST ? wanted : MOST;
}

// Where parts begin, as links; returns how many.
static int find_parts(const thud_sim *sim, const bool *tied, int *begin)
{
    const int all = sim->m->joints, wanted = parts_wanted(sim->m);
    int count = 0;
    begin[0] = 0;
    for (int g = 0; g + 1 < sim->d->groves; g++) {
        const int next = sim->d->grove[g + 1];
        const bool full = (int64_t)next * wanted >= (int64_t)(count + 1) * all;
        if (!tied[g] && full && next - begin[count] >= LEAST && all - next >= LEAST) {
            begin[++count] = next;
        }
    }
    begin[++count] = all;
    return count;
}

// Geoms come body by body, and so robot by robot: a robot is told by its root. Where they do not, it is told in pieces.
static thud_status list_solids(part *of)
{
    const thud_model *m = of->of.m;
    of->solid = thud_alloc((size_t)m->geoms + 1, sizeof *of->solid);
    of->robot = thud_alloc((size_t)m->geoms + 1, sizeof *of->robot);
    if (!of->solid || !of->robot) {
        return THUD_NO_MEMORY;
    }
    for (int g = 0, root = -1; m->contact_on && g < m->geoms; g++) {
        const int body = m->geom_body[g];
        if (m->body_link[body] < 0 || !touch_can(m, g)) {
            continue;
        }
        if (m->body_root[body] != root) {
            of->robot[of->robots++] = (robot){.first = of->solids};
            root = m->body_root[body];
        }
        of->solid[of->solids++] = (solid){.geom = g, .radius = thud_shape_radius(&m->geom_shape[g])};
        of->robot[of->robots - 1].end = of->solids;
    }
    return THUD_OK;
}

static thud_status create_part(thud_sim *sim, int first, int end, part *to)
{
    thud_step_options o = sim->o;
    o.threads = 1;
    THUD_TRY(thud_model_cut(sim->m, first, end, &to->of));
    to->of.m->fixed_moment = first == 0 ? sim->m->fixed_moment : v3(0, 0, 0); // the world is weighed once
    THUD_TRY(list_solids(to));
    THUD_TRY(thud_state_create(to->of.m, &to->state));
    return sim_create_part(to->of.m, &o, &to->sim);
}

static void number_parts(const thud_sim *sim, const int *begin, parts *p)
{
    const thud_model *m = sim->m;
    for (int k = 0; k < p->count; k++) {
        for (int i = begin[k]; i < begin[k + 1]; i++) {
            p->of_link[i] = k;
        }
    }
    for (int g = 0; g < m->geoms; g++) {
        const int link = m->body_link[m->geom_body[g]];
        p->of_geom[g] = link < 0 ? -1 : p->of_link[link];
        p->margin = fmax(p->margin, 2 * m->geom_margin[g]);
    }
    for (int i = 0; i < m->pairs; i++) {
        p->margin = fmax(p->margin, m->pair_margin[i]);
    }
}

thud_status parts_reserve(thud_sim *sim)
{
    parts *p = sim->parts;
    int *const grown = p ? thud_resize(p->route, ((size_t)sim->warm_capacity + 1) * sizeof *grown) : NULL;
    if (p && grown) {
        p->route = grown;
        p->routes = sim->warm_capacity;
    }
    return !p || grown ? THUD_OK : THUD_NO_MEMORY;
}

static thud_status create_all(thud_sim *sim, const int *begin, int count)
{
    parts *p = sim->parts = thud_alloc(1, sizeof *p);
    THUD_TRY(p ? THUD_OK : THUD_NO_MEMORY);
    p->part = thud_alloc((size_t)count, sizeof *p->part);
    p->rows = thud_alloc((size_t)count, sizeof *p->rows);
    p->of_link = thud_alloc((size_t)sim->m->joints, sizeof *p->of_link);
    p->of_geom = thud_alloc((size_t)sim->m->geoms + 1, sizeof *p->of_geom);
    THUD_TRY(p->part && p->rows && p->of_link && p->of_geom ? parts_reserve(sim) : THUD_NO_MEMORY);
    p->count = count;
    number_parts(sim, begin, p);
    for (int k = 0; k < count; k++) {
        THUD_TRY(create_part(sim, begin[k], begin[k + 1], &p->part[k]));
    }
    return THUD_OK;
}

thud_status parts_create(thud_sim *sim)
{
    if (!is_crowd(sim)) {
        return THUD_OK;
    }
    const size_t groves = (size_t)sim->d->groves;
    bool *tied = thud_alloc(groves, sizeof *tied);
    int *begin = thud_alloc(groves + 1, sizeof *begin);
    thud_status status = tied && begin ? THUD_OK : THUD_NO_MEMORY;
    if (status == THUD_OK) {
        find_ties(sim, tied);
        const int count = find_parts(sim, tied, begin);
        status = count > 1 ? create_all(sim, begin, count) : THUD_OK;
    }
    thud_free(tied);
    thud_free(begin);
    return status;
}

void parts_destroy(parts *p)
{
    if (!p) {
        return;
    }
    for (int k = 0; k < p->count; k++) {
        thud_sim_destroy(p->part[k].sim);
        thud_state_destroy(p->part[k].state);
        thud_model_part_free(&p->part[k].of);
        thud_free(p->part[k].solid);
        thud_free(p->part[k].robot);
    }
    thud_free(p->part);
    thud_free(p->rows);
    thud_free(p->of_link);
    thud_free(p->of_geom);
    thud_free(p->route);
    thud_free(p);
}

// ---------------------------------------------------------------------------------------------- states

static int part_of(const int *list, int count, int i) // -1: there is no such number
{
    return i >= 0 && i < count ? list[i] : -1;
}

static int part_of_equality(const thud_sim *sim, int e)
{
    int link[2];
    const bool any = e < sim->m->equalities && thud_equality_links(sim->m, e, link);
    return any ? sim->parts->of_link[link[1]] : -1;
}

// Whose impulses they are; -1: that is not known; count: of two parts.
static int owner(const thud_sim *sim, uint64_t id)
{
    const thud_model *m = sim->m;
    const parts *p = sim->parts;
    thud_row_source source;
    int number, geom[2];
    if (!thud_row_id_read(id, &source, &number)) {
        if (!thud_contact_id_geoms(id, geom)) {
            return -1;
        }
        const int one = part_of(p->of_geom, m->geoms, geom[0]), two = part_of(p->of_geom, m->geoms, geom[1]);
        const bool shared = one >= 0 && two >= 0 && one != two; // they were together
        return shared ? p->count : one < 0 ? two : one;
    }
    switch (source) {
    case THUD_ROW_LIMIT:
        return part_of(p->of_link, m->joints, number / 2);
    case THUD_ROW_DRY:
        return part_of(p->of_link, m->joints, number < m->nv ? m->dof_link[number] : -1);
    default:
        return part_of_equality(sim, source == THUD_ROW_AXIS ? number / 16 : number);
    }
}

// The part's own of the whole's numbers, or the way back.
static void copy_listed(int count, const int *list, const double *from, double *to)
{
    for (int i = 0; i < count; i++) {
        to[i] = from[list[i]];
    }
}

static bool load_impulses(const parts *p, int k, const thud_state *s)
{
    thud_state *own = p->part[k].state;
    own->warm_count = 0;
    own->warm_h = s->warm_h;
    for (int i = 0; i < s->warm_count; i++) {
        if (p->route[i] == k || p->route[i] < 0) {
            if (own->warm_count == own->warm_capacity) {
                return false;
            }
            own->warm[own->warm_count++] = s->warm[i];
        }
    }
    return true;
}

// What a part begins from.
static thud_status load(const parts *p, int k, const thud_state *s)
{
    part *to = &p->part[k];
    thud_state *own = to->state;
    const size_t q = (size_t)own->nq * sizeof(double), v = (size_t)own->nv * sizeof(double);
    to->known = to->known && memcmp(own->qpos, s->qpos + to->of.q, q) == 0 &&
                memcmp(own->qvel, s->qvel + to->of.v, v) == 0;
    memcpy(own->qpos, s->qpos + to->of.q, q);
    memcpy(own->qvel, s->qvel + to->of.v, v);
    for (int i = 0; i < THUD_STATE_DIFFERENCES; i++) {
        memcpy(own->acc + i * own->nv, s->acc + i * s->nv + to->of.v, v);
    }
    copy_listed(own->nu, to->of.actuator, s->ctrl, own->ctrl);
    copy_listed(own->na, to->of.activation, s->act, own->act);
    own->steps = s->steps;
    own->time = s->time;
    return load_impulses(p, k, s) ? THUD_OK : THUD_NO_MEMORY;
}

static void save(const part *from, thud_state *s)
{
    const thud_state *own = from->state;
    const size_t v = (size_t)own->nv * sizeof(double);
    memcpy(s->qpos + from->of.q, own->qpos, (size_t)own->nq * sizeof(double));
    memcpy(s->qvel + from->of.v, own->qvel, v);
    for (int i = 0; i < THUD_STATE_DIFFERENCES; i++) {
        memcpy(s->acc + i * s->nv + from->of.v, own->acc + i * own->nv, v);
    }
    for (int i = 0; i < own->na; i++) {
        s->act[from->of.activation[i]] = own->act[i];
    }
}

// The impulses of all, sorted by id as those of each are, and as if all were of a whole step: a part that took its step in
// several has those of the last.
static void merge_impulses(parts *p, double h, thud_state *s)
{
    uint64_t head[MOST]; // id of the next of each
    int next[MOST] = {0}, left = 0;
    for (int k = 0; k < p->count; k++) {
        const thud_state *own = p->part[k].state;
        head[k] = own->warm_count > 0 ? own->warm[0].id : UINT64_MAX;
        left += own->warm_count;
    }
    s->warm_count = left;
    s->warm_h = h;
    for (thud_warm *to = s->warm; left > 0; left--, to++) {
        int least = 0;
        for (int k = 1; k < p->count; k++) {
            least = head[k] < head[least] ? k : least;
        }
        const thud_state *own = p->part[least].state;
        *to = own->warm[next[least]++];
        head[least] = next[least] < own->warm_count ? own->warm[next[least]].id : UINT64_MAX;
        for (int r = 0; r < 6 && own->warm_h != h; r++) {
            to->p[r] *= h / own->warm_h;
        }
    }
}

// ---------------------------------------------------------------------------------------------- boxes

static thud_aabb around(vec3 centre, double by)
{
    const vec3 r = v3(by, by, by);
    return (thud_aabb){v3_sub(centre, r), v3_add(centre, r)};
}

static const thud_aabb NOTHING = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void include(thud_aabb *box, const thud_aabb *more)
{
    box->lo = v3_min(box->lo, more->lo);
    box->hi = v3_max(box->hi, more->hi);
}

// Where a part is, and what it may reach, from where a sim has its geoms: its own, or the whole's (number: what they are
// called there).
static void find_boxes(part *of, const thud_sim *sim, const int *number, double margin)
{
    of->reach = NOTHING;
    for (int i = 0; i < of->robots; i++) {
        robot *r = &of->robot[i];
        r->reach = NOTHING;
        for (int k = r->first; k < r->end; k++) {
            solid *s = &of->solid[k];
            const int geom = number ? number[s->geom] : s->geom;
            const thud_ball ball = touch_reach(sim, geom, s->radius, margin);
            s->X = &sim->X_wg[geom];
            s->wide = ball.radius - s->radius;
            s->reach = around(ball.centre, ball.radius);
            include(&r->reach, &s->reach);
        }
        include(&of->reach, &r->reach);
    }
}

// The same in its own state.
static void find_own_boxes(part *of, double margin)
{
    if (of->solids > 0) {
        touch_trace(of->sim, of->state->qpos, of->state->qvel);
    }
    find_boxes(of, of->sim, NULL, margin);
    of->known = true;
}

static bool overlap(const thud_aabb *a, const thud_aabb *b)
{
    return (a->lo.x <= b->hi.x) & (b->lo.x <= a->hi.x) & (a->lo.y <= b->hi.y) & (b->lo.y <= a->hi.y) &
           (a->lo.z <= b->hi.z) & (b->lo.z <= a->hi.z);
}

// The box of a geom itself, and what it may reach around it or nothing.
static thud_aabb box_of(const part *of, const solid *s, bool reach)
{
    const thud_aabb box = thud_shape_bounds(&of->of.m->geom_shape[s->geom], *s->X);
    const double by = reach ? s->wide : 0;
    const vec3 r = v3(by, by, by);
    return (thud_aabb){v3_sub(box.lo, r), v3_add(box.hi, r)};
}

// Balls are seen at a glance, boxes where those meet.
static bool solids_meet(const part *a, const solid *one, const part *b, const solid *other, bool reach)
{
    if (!overlap(&one->reach, &other->reach)) {
        return false;
    }
    const thud_aabb x = box_of(a, one, reach), y = box_of(b, other, reach);
    return overlap(&x, &y);
}

static bool robots_meet(const part *a, const robot *x, const part *b, const robot *y, bool reach)
{
    bool met = false;
    for (int i = x->first; i < x->end && !met; i++) {
        const solid *one = &a->solid[i];
        for (int k = y->first; overlap(&one->reach, &y->reach) && k < y->end && !met; k++) {
            met = solids_meet(a, one, b, &b->solid[k], reach);
        }
    }
    return met;
}

static bool parts_meet(const part *a, const part *b, bool reach)
{
    bool met = false;
    for (int i = 0; overlap(&a->reach, &b->reach) && i < a->robots && !met; i++) {
        const robot *x = &a->robot[i];
        for (int k = 0; overlap(&x->reach, &b->reach) && k < b->robots && !met; k++) {
            const robot *y = &b->robot[k];
            met = overlap(&x->reach, &y->reach) && robots_meet(a, x, b, y, reach);
        }
    }
    return met;
}

static bool are_apart(const parts *p, bool reach)
{
    bool apart = true;
    for (int i = 0; i < p->count && apart; i++) {
        for (int k = 0; k < i && apart; k++) {
            apart = !parts_meet(&p->part[i], &p->part[k], reach);
        }
    }
    return apart;
}

// ---------------------------------------------------------------------------------------------- a step

typedef struct task { // of all parts
    thud_sim *sim;
    const double *tau;
    thud_state *s;
    bool certify;
    bool sure; // all are apart in s
} task;

// A thread's scratch is where it was for the part before, and in its core's cache.
static void lend_scratch(const thud_sim *sim, int worker, thud_sim *to)
{
    to->scratch = to->scratch_of[0] = sim->scratch_of[worker];
}

static void look_some(void *of, int first, int end, int worker)
{
    const task *t = of;
    for (int k = first; k < end; k++) {
        part *a = &t->sim->parts->part[k];
        lend_scratch(t->sim, worker, a->sim);
        a->status = load(t->sim->parts, k, t->s);
        if (!a->known) {
            find_own_boxes(a, t->sim->parts->margin);
        }
    }
}

// Where all were stepped together the whole knows where they are.
static void look_at_all(const task *t)
{
    const parts *p = t->sim->parts;
    for (int k = 0; k < p->count; k++) {
        part *a = &p->part[k];
        a->status = THUD_OK;
        a->known = false;
        find_boxes(a, t->sim, a->of.geom, p->margin);
    }
}

// Those whose boxes are known, or all.
static void step_some(void *of, int first, int end, int worker)
{
    const task *t = of;
    for (int k = first; k < end; k++) {
        part *a = &t->sim->parts->part[k];
        lend_scratch(t->sim, worker, a->sim);
        a->status = load(t->sim->parts, k, t->s);
        a->missed = !a->known && !t->sure;
        if (a->missed || a->status != THUD_OK) {
            continue;
        }
        a->known = false;
        a->status =
            thud_sim_step(a->sim, t->tau ? t->tau + a->of.v : NULL, a->state, t->certify ? &a->c : NULL);
        if (a->status == THUD_OK) {
            find_own_boxes(a, t->sim->parts->margin);
        }
    }
}

static void save_some(void *of, int first, int end, int worker)
{
    const task *t = of;
    (void)worker;
    for (int k = first; k < end; k++) {
        save(&t->sim->parts->part[k], t->s);
    }
}

// The first failure there is.
static thud_status find_failure(thud_sim *sim)
{
    const parts *p = sim->parts;
    for (int k = 0; k < p->count; k++) {
        if (p->part[k].status != THUD_OK) {
            memcpy(sim->reason, p->part[k].sim->reason, sizeof sim->reason);
            return p->part[k].status;
        }
    }
    return THUD_OK;
}

static bool any_missed(const parts *p)
{
    bool any = false;
    for (int k = 0; k < p->count; k++) {
        any = any || p->part[k].missed;
    }
    return any;
}

static void certify(const parts *p, thud_certificate *out)
{
    *out = p->part[0].c;
    for (int k = 1; k < p->count; k++) {
        const thud_certificate *c = &p->part[k].c;
        double *const worst[] = {&out->cone_residual, &out->lcp_residual, &out->penetration,
                                 &out->joint_drift,   &out->momentum,     &out->fixed_point,
                                 &out->impact_gain};
        const double more[] = {c->cone_residual, c->lcp_residual, c->penetration, c->joint_drift,
                               c->momentum,      c->fixed_point,  c->impact_gain};
        for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) {
            *worst[i] = fmax(*worst[i], more[i]);
        }
        double *const sum[] = {&out->kinetic,      &out->potential, &out->work,
                               &out->contact_work, &out->projected, &out->energy_error};
        const double share[] = {c->kinetic,      c->potential, c->work,
                                c->contact_work, c->projected, c->energy_error};
        for (size_t i = 0; i < sizeof share / sizeof share[0]; i++) {
            *sum[i] += share[i];
        }
        out->split = out->split > c->split ? out->split : c->split;
        out->projections = out->projections > c->projections ? out->projections : c->projections;
        out->contacts += c->contacts;
        out->iterations += c->iterations;
        out->impacts += c->impacts;
        out->unconverged += c->unconverged;
    }
}

// All parts from s, if they are apart; false: they are not. Where the last step ended that is known, and one loop does it.
static bool step_apart(task *t)
{
    thud_sim *sim = t->sim;
    parts *p = sim->parts;
    if (p->apart) {
        thud_pool_run(sim->pool, p->count, 1, step_some, t);
        if (!any_missed(p)) {
            return true;
        }
        p->apart = false;
    }
    if (sim->collider && touch_knows(sim, t->s->qpos, t->s->qvel)) {
        look_at_all(t);
    } else {
        thud_pool_run(sim->pool, p->count, 1, look_some, t);
        if (find_failure(sim) != THUD_OK) {
            return true;
        }
    }
    t->sure = are_apart(p, true);
    if (t->sure) {
        thud_pool_run(sim->pool, p->count, 1, step_some, t);
    }
    return t->sure;
}

// The step stands: from the parts to the whole.
static void conclude(task *t, thud_certificate *certificate)
{
    thud_sim *sim = t->sim;
    parts *p = sim->parts;
    thud_pool_run(sim->pool, p->count, 1, save_some, t);
    if (sim->constrained) {
        merge_impulses(p, sim->o.h, t->s);
    }
    if (certificate) {
        certify(p, certificate);
    }
    p->taken = true;
    if (sim->contact) {
        sim->contact->owed = 1;
    }
    sim->felt_steps = ++t->s->steps;
    t->s->time += sim->o.h;
}

static int count_impulses(const parts *p)
{
    int count = 0;
    for (int k = 0; k < p->count; k++) {
        count += p->part[k].state->warm_count;
    }
    return count;
}

bool parts_step(thud_sim *sim, const double *tau, thud_state *s, thud_certificate *certificate,
                thud_status *status)
{
    parts *p = sim->parts;
    p->taken = false;
    if (s->warm_count > p->routes) {
        *status = THUD_NO_MEMORY;
        return true;
    }
    for (int i = 0; i < s->warm_count; i++) {
        p->route[i] = owner(sim, s->warm[i].id);
    }
    task t = {sim, tau, s, certificate != NULL, false};
    if (!step_apart(&t)) {
        return false;
    }
    *status = find_failure(sim);
    p->gathered = p->apart = false; // until it stands
    if (*status != THUD_OK) {
        p->taken = true; // its rows tell why
        return true;
    }
    p->apart = are_apart(p, true);
    if (!p->apart && !are_apart(p, false)) {
        return false;
    }
    if (count_impulses(p) > s->warm_capacity) {
        *status = THUD_NO_MEMORY;
        return true;
    }
    conclude(&t, certificate);
    return true;
}

// ---------------------------------------------------------------------------------------------- afterwards

bool parts_grow(thud_sim *sim, thud_status *status)
{
    parts *p = sim->parts;
    bool any = false;
    *status = THUD_OK;
    for (int k = 0; p && k < p->count; k++) {
        part *a = &p->part[k];
        if (a->status == THUD_NO_MEMORY && *status == THUD_OK) {
            const bool young = a->state->warm_capacity < a->sim->warm_capacity;
            a->status = THUD_OK;
            *status = young ? THUD_OK : sim_renew_scratch(sim, 2 * thud_arena_size(sim->scratch));
            *status = *status == THUD_OK ? sim_reserve_more(a->sim, a->state) : *status;
            any = true;
        }
    }
    return any;
}

void parts_leave(thud_sim *sim)
{
    if (sim->parts) {
        sim->parts->taken = false;
    }
}

void parts_gather(const thud_sim *sim)
{
    parts *p = sim->parts;
    if (!p || !p->taken || p->gathered) {
        return;
    }
    for (int k = 0; k < p->count; k++) {
        const part *a = &p->part[k];
        p->rows[k] = (thud_rows_part){a->sim->rows, &a->of};
        memcpy(sim->q_next + a->of.q, a->sim->q_next, (size_t)a->state->nq * sizeof(double));
    }
    sim_place_frames((thud_sim *)sim, sim->q_next);
    thud_status status = thud_rows_gather(sim->rows, sim->d, p->count, p->rows);
    while (status == THUD_NO_MEMORY && thud_rows_grow(sim->rows) == THUD_OK) {
        status = thud_rows_gather(sim->rows, sim->d, p->count, p->rows);
    }
    p->gathered = status == THUD_OK;
}

bool parts_feel(const thud_sim *sim)
{
    const parts *p = sim->parts;
    if (!p || !p->taken) {
        return false;
    }
    for (int k = 0; k < p->count; k++) {
        const part *a = &p->part[k];
        lend_scratch(sim, 0, a->sim);
        feel_settle(a->sim);
        for (int i = 0; i < a->of.m->bodies; i++) {
            thud_force *sum = &sim->contact->push[a->of.body[i]];
            sum->ang = v3_add(sum->ang, a->sim->contact->push[i].ang);
            sum->lin = v3_add(sum->lin, a->sim->contact->push[i].lin);
        }
    }
    return true;
}
