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
// Cost  a box of each part; copies of the parts' states.
#include "parts.h"

#include <math.h>
#include <string.h>

#include <thud/spatial_inline.h>

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
    to->answer.scratch = to->answer.scratch_of[0] = sim->answer.scratch_of[worker];
}

// Part k with its state loaded, if there is room for its impulses.
static crowd_part *load(const task *t, int k, int worker)
{
    crowd_part *a = &t->sim->above.parts->part[k];
    lend_scratch(t->sim, worker, a->sim);
    a->status = parts_load(t->sim->above.parts, k, t->s);
    return a;
}

static void look_some(void *of, int first, int end, int worker)
{
    const task *t = of;
    for (int k = first; k < end; k++) {
        crowd_part *a = load(t, k, worker);
        if (!a->known) {
            parts_find_own_boxes(a, t->sim->above.parts->margin);
        }
    }
}

// Where all were stepped together the whole knows where they are.
static void look_at_all(const task *t)
{
    const parts *p = t->sim->above.parts;
    for (int k = 0; k < p->count; k++) {
        p->part[k].status = THUD_OK;
        parts_find_boxes_in(&p->part[k], t->sim, p->margin);
    }
}

// Those whose boxes are known, or all.
static void step_some(void *of, int first, int end, int worker)
{
    const task *t = of;
    for (int k = first; k < end; k++) {
        crowd_part *a = load(t, k, worker);
        a->missed = !a->known && !t->sure;
        if (a->missed || a->status != THUD_OK) {
            continue;
        }
        a->known = false;
        a->status = whole_step(a->sim, t->tau ? t->tau + a->of.v : NULL, a->state, t->certify ? &a->c : NULL);
        if (a->status == THUD_OK) {
            parts_find_own_boxes(a, t->sim->above.parts->margin);
        }
    }
}

static void save_some(void *of, int first, int end, int worker)
{
    const task *t = of;
    (void)worker;
    for (int k = first; k < end; k++) {
        parts_save(&t->sim->above.parts->part[k], t->s);
    }
}

// The first failure there is.
static thud_status find_failure(thud_sim *sim)
{
    const parts *p = sim->above.parts;
    for (int k = 0; k < p->count; k++) {
        if (p->part[k].status != THUD_OK) {
            memcpy(sim->answer.reason, p->part[k].sim->answer.reason, sizeof sim->answer.reason);
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
            *worst[i] = thud_max(*worst[i], more[i]);
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
        out->accepted += c->accepted;
        out->spent += c->spent;
    }
}

// All parts from s, if they are apart; false: they are not. Where the last step ended that is known, and one loop does it.
static bool step_apart(task *t)
{
    thud_sim *sim = t->sim;
    parts *p = sim->above.parts;
    if (p->apart) {
        thud_pool_run(sim->pool, p->count, 1, step_some, t);
        if (!any_missed(p)) {
            return true;
        }
        p->apart = false;
    }
    if (sim->sight.collider && touch_knows(sim, t->s->qpos, t->s->qvel)) {
        look_at_all(t);
    } else {
        thud_pool_run(sim->pool, p->count, 1, look_some, t);
        if (find_failure(sim) != THUD_OK) {
            return true;
        }
    }
    t->sure = parts_are_apart(p, true);
    if (t->sure) {
        thud_pool_run(sim->pool, p->count, 1, step_some, t);
    }
    return t->sure;
}

// Readings of sensors, from the parts.
static void gather_readings(const thud_sim *sim, const thud_state *s)
{
    const thud_model *m = sim->m;
    double *const mean = senses_mean(sim);
    if (!mean) {
        return;
    }
    for (int k = 0; k < sim->above.parts->count; k++) {
        const crowd_part *a = &sim->above.parts->part[k];
        const thud_model *own = a->of.m;
        const double *const own_mean = senses_mean(a->sim);
        for (int i = 0; own_mean && i < own->sensors; i++) {
            memcpy(mean + m->sensor_at[a->of.sensor[i]], own_mean + own->sensor_at[i],
                   (size_t)own->sensor_dim[i] * sizeof(double));
        }
    }
    memcpy(sim->go.q_next, s->qpos, (size_t)s->nq * sizeof(double)); // where they felt it
    memcpy(sim->go.v_next, s->qvel, (size_t)s->nv * sizeof(double));
}

// The step stands: from the parts to the whole.
static void conclude(task *t, thud_certificate *certificate)
{
    thud_sim *sim = t->sim;
    parts *p = sim->above.parts;
    thud_pool_run(sim->pool, p->count, 1, save_some, t);
    if (sim->constrained) {
        parts_merge_impulses(p, sim->o.h, t->s);
    }
    for (int k = 0; k < p->count; k++) {
        doubts_take(sim->judge.doubts, p->part[k].sim->judge.doubts, &p->part[k].of);
    }
    if (certificate) {
        certify(p, certificate);
    }
    sim_settle_doubts(sim, certificate);
    gather_readings(sim, t->s);
    p->taken = true;
    if (sim->above.contact) {
        sim->above.contact->owed = 1;
    }
    sim->above.felt_steps = ++t->s->steps;
    t->s->time += sim->o.h;
}

bool parts_step(thud_sim *sim, const double *tau, thud_state *s, thud_certificate *certificate,
                thud_status *status)
{
    THUD_ASSERT(sim->above.parts->count > 1);
    parts *p = sim->above.parts;
    p->taken = false;
    if (s->warm_count > p->routes) {
        *status = THUD_NO_MEMORY;
        return true;
    }
    parts_route(sim, s);
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
    p->apart = parts_are_apart(p, true);
    if (!p->apart && !parts_are_apart(p, false)) {
        return false;
    }
    if (parts_count_impulses(p) > s->warm_capacity) {
        *status = THUD_NO_MEMORY;
        return true;
    }
    conclude(&t, certificate);
    return true;
}

// ---------------------------------------------------------------------------------------------- afterwards

bool parts_grow(thud_sim *sim, thud_status *status)
{
    parts *p = sim->above.parts;
    bool any = false, old = false;
    for (int k = 0; p && k < p->count; k++) {
        const crowd_part *a = &p->part[k];
        const bool full = a->status == THUD_NO_MEMORY;
        any = any || full;
        old = old || (full && a->state->warm_capacity >= a->sim->answer.warm_capacity);
    }
    if (any && p->taken) { // gathered rows point into memory of the parts
        thud_rows_begin(sim->ask.rows, sim->d, sim->o.h);
        p->taken = false;
    }
    *status = old ? sim_renew_scratch(sim, 2 * thud_arena_size(sim->answer.scratch)) : THUD_OK;
    for (int k = 0; any && k < p->count && *status == THUD_OK; k++) {
        crowd_part *a = &p->part[k];
        lend_scratch(sim, 0, a->sim);
        if (a->status == THUD_NO_MEMORY) {
            feel_settle(a->sim);
            *status = sim_reserve_more(a->sim, a->state);
            a->status = *status;
        }
    }
    return any;
}

void parts_leave(thud_sim *sim)
{
    if (sim->above.parts) {
        sim->above.parts->taken = false;
    }
}

void parts_gather(const thud_sim *sim)
{
    parts *p = sim->above.parts;
    if (!p || !p->taken || p->gathered || !sim->ask.rows) {
        return;
    }
    int count = 0;
    for (int k = 0; k < p->count; k++) {
        const crowd_part *a = &p->part[k];
        if (a->sim->ask.rows) {
            p->rows[count++] = (thud_rows_part){a->sim->ask.rows, &a->of};
        }
        memcpy(sim->go.q_next + a->of.q, a->sim->go.q_next, (size_t)a->state->nq * sizeof(double));
    }
    sim_place_frames((thud_sim *)sim, sim->go.q_next);
    thud_status status = thud_rows_gather(sim->ask.rows, sim->d, count, p->rows);
    while (status == THUD_NO_MEMORY && thud_rows_grow(sim->ask.rows) == THUD_OK) {
        status = thud_rows_gather(sim->ask.rows, sim->d, count, p->rows);
    }
    p->gathered = status == THUD_OK;
}

void parts_settle(const thud_sim *sim)
{
    const parts *p = sim->above.parts;
    if (!p || !p->taken || !sim->above.contact || !(sim->above.contact->owed > 0)) {
        feel_settle(sim);
        return;
    }
    sim->above.contact->owed = 0;
    for (int k = 0; k < p->count; k++) {
        const crowd_part *a = &p->part[k];
        lend_scratch(sim, 0, a->sim);
        feel_settle(a->sim);
        for (int i = 0; a->sim->above.contact && i < a->of.m->bodies; i++) {
            thud_force *sum = &sim->above.contact->push[a->of.body[i]];
            sum->ang = v3_add(sum->ang, a->sim->above.contact->push[i].ang);
            sum->lin = v3_add(sum->lin, a->sim->above.contact->push[i].lin);
        }
    }
}
