// SPDX-License-Identifier: Apache-2.0
// event_ties.c: contacts and limits that may act in a phase: gaps, velocities, and G' v.      [theory 5; BW
// 9]
//
//     phi'' = J a + J' v,      J' v = d/ds J(q + s v) v  at  s = 0
//
// The gap functions give J at any pose, the point of contact moving as it does on the surfaces: for a rolling
// ball as for a vertex on a face (Baraff's ddot n . (p_a - p_b) + 2 n' . (p_a' - p_b'), which the tests
// compare). The derivative is a central difference of fourth order, over a turn of a thousandth: relative
// error 1e-12.
#include <math.h>

#include <thud/spatial_inline.h>

#include "event.h"
#include "loops.h"

static thud_status reserve(event_drive *e, int ties)
{
    if (ties > e->tie_capacity) {
        tie *const grown = thud_resize(e->tie, 2 * (size_t)ties * sizeof *grown);
        if (!grown) {
            return THUD_NO_MEMORY;
        }
        e->tie = grown;
        e->tie_capacity = 2 * ties;
    }
    return THUD_OK;
}

static void add_limits(thud_sim *sim)
{
    event_drive *e = sim->event;
    for (int j = 0; j < sim->m->joints; j++) {
        limit l[2];
        const int count = limits_of(sim->m, j, sim->q_start, l);
        for (int k = 0; k < count; k++) {
            e->tie[e->ties++] =
                (tie){.touch = -1, .joint = j, .side = k, .id = UINT64_MAX - (uint64_t)(2 * j + k)};
        }
    }
}

// A query of far reach lists of two geoms the contacts that show their shape best; those that touch are
// wanted too.
static thud_status add_touching(thud_sim *sim)
{
    THUD_TRY(touch_query(sim, sim->q_start, sim->v_start, 0));
    const int listed = sim->touches;
    for (int i = 0; sim->collider && i < sim->here.set.count; i++) {
        const thud_contact *c = &sim->here.set.contact[i];
        bool known = sim->m->body_link[c->body1] < 0 && sim->m->body_link[c->body2] < 0;
        for (int k = 0; k < listed && !known; k++) {
            known = sim->touch[k].contact.id == c->id;
        }
        if (!known && sim->touches == sim->touch_capacity) {
            return THUD_NO_MEMORY;
        }
        if (!known) {
            touch *t = &sim->touch[sim->touches++];
            *t = (touch){.contact = *c, .phi = c->phi};
            sim_slip(sim, sim->V, c, c->point, c->normal, t->u);
        }
    }
    return THUD_OK;
}

substep_result ties_find(thud_sim *sim, double h)
{
    event_drive *e = sim->event;
    e->ties = 0;
    if (!sim->constrained) {
        return SUBSTEP_DONE;
    }
    thud_status status = touch_begin(sim, h);
    status = status == THUD_OK ? add_touching(sim) : status;
    if (status == THUD_OK) {
        status = reserve(e, sim->touches + 2 * sim->m->joints);
    }
    if (status != THUD_OK) {
        return substep_of(status);
    }
    for (int i = 0; i < sim->touches; i++) {
        const thud_contact *c = &sim->touch[i].contact;
        const bool rough = c->law.condim > 1 && (c->law.friction[0] > 0 || c->law.friction[1] > 0);
        e->tie[e->ties++] = (tie){.touch = i, .joint = -1, .id = c->id, .rough = rough};
    }
    add_limits(sim);
    ties_measure(sim, sim->q_start, sim->v_start);
    for (int i = 0; i < e->ties; i++) {
        tie *t = &e->tie[i];
        t->touching = t->phi <= TOUCHING;
        t->resting = t->touching && fabs(t->u[0]) <= sim->o.event.rest_speed;
    }
    return SUBSTEP_DONE;
}

// Velocities of a tie where the links are, V being those of v.
static void measure(thud_sim *sim, tie *t, const double *q, const double *v)
{
    if (t->touch < 0) {
        limit l[2];
        (void)limits_of(sim->m, t->joint, q, l);
        t->phi = l[t->side].phi;
        t->u[0] = limit_rate(sim->m, t->joint, &l[t->side], v);
        return;
    }
    touch *c = &sim->touch[t->touch];
    const thud_gap_value g = touch_gap(sim, c);
    t->phi = g.phi;
    sim_slip(sim, sim->V, &c->contact, v3_scale(0.5, v3_add(g.point[0], g.point[1])), g.normal, t->u);
}

void ties_measure(thud_sim *sim, const double *q, const double *v)
{
    event_drive *e = sim->event;
    sim_place(sim, q);
    thud_dynamics_twists(sim->m, sim->d, v, sim->V);
    for (int i = 0; i < e->ties; i++) {
        measure(sim, &e->tie[i], q, v);
    }
}

// The largest speed, in turns a second or metres a second, to find how far to go for a difference.
static double quickest(const thud_sim *sim)
{
    double most = 0;
    for (int i = 0; i < sim->m->joints; i++) {
        most = fmax(most, v3_norm(sim->V[i].ang) + v3_norm(sim->V[i].lin));
    }
    return most;
}

static void add_difference(thud_sim *sim, const double *q, const double *v, double weight)
{
    event_drive *e = sim->event;
    sim_place(sim, q);
    thud_dynamics_twists(sim->m, sim->d, v, sim->V);
    for (int i = 0; i < e->ties; i++) {
        tie *t = &e->tie[i];
        if (t->hold != HOLD_OPEN) {
            tie there = *t;
            measure(sim, &there, q, v);
            for (int k = 0; k < 3; k++) {
                t->b[k] += weight * there.u[k];
            }
        }
    }
    for (int i = 0; i < sim->m->equalities; i++) {
        double u[LOOP_ROWS] = {0};
        loops_velocity(sim, i, q, v, u);
        for (int k = 0; k < LOOP_ROWS; k++) {
            e->loop_b[LOOP_ROWS * i + k] += weight * u[k];
        }
    }
}

void ties_bias(thud_sim *sim, const double *q, const double *v)
{
    static const double place[4] = {-2, -1, 1, 2}, weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    static const double TURN = 1e-3;
    event_drive *e = sim->event;
    for (int i = 0; i < e->ties; i++) {
        e->tie[i].b[0] = e->tie[i].b[1] = e->tie[i].b[2] = 0;
    }
    for (int i = 0; i < LOOP_ROWS * sim->m->equalities; i++) {
        e->loop_b[i] = 0;
    }
    sim_place(sim, q);
    thud_dynamics_twists(sim->m, sim->d, v, sim->V);
    const double s = TURN / (quickest(sim) + 1e-3);
    for (int k = 0; k < 4; k++) {
        thud_qpos_integrate(sim->m, q, v, place[k] * s, e->q_shift);
        add_difference(sim, e->q_shift, v, weight[k] / s);
    }
}
