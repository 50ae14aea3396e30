// SPDX-License-Identifier: Apache-2.0
// activate.c: which of the contacts that were listed get rows.
//
// A contact that is open at the step's end has no impulse, and its rows change nothing. But the law's own impulses may close
// it, so all within 4 g h^2 get some: at 60 steps a second that is 11 mm, and half of the contacts of a pile of boxes. Where
// most bodies rest and the tolerance is rough, only contacts that touch get rows, and the others are looked at again once
// the velocities are known: a contact that closes after all gets rows, and the problem is solved once more. What they would have
// asked for stays part of what a residual is relative to, so that a step with rows for all and one with rows for what touches
// ask for the same.
#include <math.h>
#include <stdatomic.h>

#include "approach.h"

enum { LEAST = 250 }; // contacts worth a share of a thread: about 4 us

typedef struct question { // asked of every contact
    thud_sim *sim;
    double h;
    bool all; // that are near act, not only those that touch
    atomic_bool missed;
} question;

// The last step's impulses are known, and all but one link of five are slower than 3 % of what a step of free fall makes
// them. Among more that move, contacts that only impulses close are no exception.
static bool rests(const thud_sim *sim, double h)
{
    enum { SOME = 5 };
    const double slow = 0.03 * h * sim->g;
    int moving = 0;
    for (int i = 0; moving <= sim->m->joints / SOME && i < sim->m->joints; i++) {
        moving += v3_norm(sim->fall.V[i].lin) + sim->sight.extent[i] * v3_norm(sim->fall.V[i].ang) > slow;
    }
    return sim->answer.warm_count > 0 && moving <= sim->m->joints / SOME;
}

// The gap that counts as touching, at most `most`.
static double touching_at(const question *q, const thud_contact *c, double most)
{
    const thud_sim *sim = q->sim;
    return q->all ? most : thud_min(most, sim_slop(sim) + q->h * sim_speeds(sim, sim->fall.V, c, c->point));
}

// A contact acts once it could close, or all but touches; it then stays in for the rest of the step. For the
// velocity laws it must touch, but a projection out of an overlap, being linear, leaves a gap of second order
// in the step: what closes in an eighth of it counts (else a rod on its tip fell through, pushed back every
// time and never seen).
static void activate_some(void *of, int first, int end, int worker)
{
    static const double AHEAD = 0.125;
    const question *q = of;
    const thud_sim *sim = q->sim;
    const bool velocity = sim_ask(sim) == THUD_ASK_VELOCITY, flies = sim->bounces || sim->strike.locates;
    const double near = sim_touch(sim, q->h);
    const int *link = sim->m->body_link;
    (void)worker;
    for (int i = first; i < end; i++) {
        touch *t = &sim->sight.touch[i];
        const thud_contact *c = t->contact;
        if (i + 2 * FETCH < end) {
            fetch_contact(t[2 * FETCH].contact);
        }
        if (i + FETCH < end) {
            fetch_bodies(sim, sim->fall.V, t[FETCH].contact);
        }
        t->open = 0;
        if (flies && touch_flies(sim, t)) {
            t->active = false; // it meets at its own time
        } else if (velocity) {
            t->active = t->phi - AHEAD * q->h * thud_max(-t->u[0], 0) <= touching_at(q, c, near);
        } else if (!t->active) {
            const double touches = touching_at(q, c, near);
            t->active = t->phi + q->h * t->u[0] <= touches;
            if (!t->active) { // as it moves; but forces may close it
                const double u = sim_approach(sim, sim->fall.V_free, c, c->point, c->normal);
                const double least = t->phi + q->h * lesser_of(t->u[0], u);
                t->active = least <= touches;
                t->open = !t->active && least <= near ? greater_of(u + t->phi / q->h, 0) : 0;
                t->link = link[c->body2] >= 0 ? link[c->body2] : link[c->body1];
            }
        }
    }
}

bool activate_near(thud_sim *sim, double h, bool all)
{
    THUD_ASSERT(h > 0);
    question q = {.sim = sim, .h = h, .all = all || !sim_rough(sim) || !rests(sim, h)};
    thud_pool_run(sim->pool, sim->sight.touches, LEAST, activate_some, &q);
    return q.all;
}

// Contacts without rows that the velocities at the step's end, V_hat, close by more than may overlap.
static void look_again(void *of, int first, int end, int worker)
{
    question *q = of;
    const thud_sim *sim = q->sim;
    (void)worker;
    for (int i = first; i < end; i++) {
        touch *t = &sim->sight.touch[i];
        const thud_contact *c = t->contact;
        if (i + 2 * FETCH < end) {
            fetch_contact(t[2 * FETCH].contact);
        }
        if (i + FETCH < end && !t[FETCH].active) {
            fetch_bodies(sim, sim->fall.V_hat, t[FETCH].contact);
        }
        if (t->active || touch_flies(sim, t)) {
            continue;
        }
        const double u = sim_approach(sim, sim->fall.V_hat, c, c->point, c->normal);
        if (t->phi + q->h * u < -sim_slop(sim)) {
            t->active = true;
            atomic_store_explicit(&q->missed, true, memory_order_relaxed);
        }
    }
}

static void add_push(const thud_sim *sim, double h, int first, int end)
{
    (void)h;
    for (int i = first; i < end; i++) {
        sim->fall.v_hat[i] = sim->fall.v_free[i] + sim->answer.push[i];
    }
}

bool activate_missed(thud_sim *sim, double h)
{
    THUD_ASSERT(h > 0);
    if (sim->pool) {
        sim_pass(sim, (dof_pass){add_push, h});
    } else {
        add_push(sim, h, 0, sim->m->nv);
    }
    sim_twists(sim, sim->fall.v_hat, sim->fall.V_hat);
    question q = {.sim = sim, .h = h};
    thud_pool_run(sim->pool, sim->sight.touches, LEAST, look_again, &q);
    return atomic_load_explicit(&q.missed, memory_order_relaxed);
}
