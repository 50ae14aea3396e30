// SPDX-License-Identifier: Apache-2.0
// event_ties.c: what may act in a phase: contacts within reach, limits, dry friction; how near and how fast.
#include <math.h>

#include <thud/spatial_inline.h>

#include "event.h"

static thud_status reserve(event_drive *e, int ties, int equalities)
{
    if (ties > e->tie_capacity) {
        tie *const grown = thud_resize(e->tie, 2 * (size_t)ties * sizeof *grown);
        if (!grown) {
            return THUD_NO_MEMORY;
        }
        e->tie = grown;
        e->tie_capacity = 2 * ties;
    }
    const int members = e->tie_capacity + (1 + AXES) * equalities;
    if (members > e->member_capacity) {
        member *const grown = thud_resize(e->member, (size_t)members * sizeof *grown);
        if (!grown) {
            return THUD_NO_MEMORY;
        }
        e->member = grown;
        e->member_capacity = members;
    }
    return THUD_OK;
}

// A query of far reach lists of two geoms the contacts that show their shape best; those that touch are
// wanted too.
static thud_status add_touching(thud_sim *sim)
{
    THUD_TRY(touch_query(sim, sim->begun.q_start, sim->begun.v_start, 0));
    const int listed = sim->sight.touches;
    touch_hold(sim);
    for (int i = 0; sim->sight.collider && i < sim->sight.here.set->count; i++) {
        const thud_contact *c = &sim->sight.here.set->contact[i];
        bool known = sim->m->body_link[c->body1] < 0 && sim->m->body_link[c->body2] < 0;
        for (int k = 0; k < listed && !known; k++) {
            known = sim->sight.touch[k].contact->id == c->id;
        }
        if (!known && sim->sight.touches == sim->sight.touch_capacity) {
            return THUD_NO_MEMORY;
        }
        if (!known) {
            touch_add(sim, c, sim->sight.touches++);
        }
    }
    return THUD_OK;
}

// Directions of friction; those behind the last that has any are left out.
static int slips_of(const thud_contact_law *law)
{
    const double *mu = law->friction;
    return law->condim == 6 && (mu[3] > 0 || mu[4] > 0)   ? 5
           : law->condim >= 4 && mu[2] > 0                ? 3
           : law->condim >= 3 && (mu[0] > 0 || mu[1] > 0) ? 2
                                                          : 0;
}

substep_result ties_find(thud_sim *sim, double h)
{
    THUD_ASSERT(h > 0);
    event_drive *e = sim->above.event;
    e->ties = 0;
    if (!sim->constrained) {
        return SUBSTEP_DONE;
    }
    thud_status status = sim_look(sim, h);
    status = status == THUD_OK ? add_touching(sim) : status;
    if (status == THUD_OK) {
        status = reserve(e, sim->sight.touches + own_most(sim->m), sim->m->equalities);
    }
    if (status != THUD_OK) {
        return substep_of(status);
    }
    for (int i = 0; i < sim->sight.touches; i++) {
        const thud_contact *c = sim->sight.touch[i].contact;
        e->tie[e->ties++] = (tie){.kind = TIE_CONTACT, .of = i, .id = c->id, .slips = slips_of(&c->law)};
    }
    own_list(sim);
    ties_measure(sim, sim->begun.q_start, sim->begun.v_start);
    for (int i = 0; i < e->ties; i++) {
        tie *t = &e->tie[i];
        t->touching = t->phi <= TOUCHING;
        t->resting = t->touching && fabs(t->u[0]) <= sim->o.event.rest_speed;
    }
    return SUBSTEP_DONE;
}

static vec3 spin(const thud_sim *sim, int body)
{
    const int link = sim->m->body_link[body];
    return link < 0 ? v3(0, 0, 0) : sim->fall.V[link].ang;
}

void tie_measure(thud_sim *sim, tie *t, const double *q, const double *v)
{
    if (t->kind != TIE_CONTACT) {
        own_measure(sim, t, q, v);
        return;
    }
    touch *of = &sim->sight.touch[t->of];
    const thud_contact *c = of->contact;
    t->gap = touch_gap(sim, of);
    t->phi = t->gap.phi;
    vec3 frame[3];
    thud_contact_frame(sim->m, sim->d, c, t->gap.normal, frame);
    sim_slip(sim, sim->fall.V, c, v3_scale(0.5, v3_add(t->gap.point[0], t->gap.point[1])), frame, t->u);
    if (t->slips > 2) { // torsion about the normal; rolling about the tangents
        const vec3 w = v3_sub(spin(sim, c->body2), spin(sim, c->body1));
        for (int k = 0; k < 3; k++) {
            t->u[3 + k] = v3_dot(frame[k], w);
        }
    }
}

void ties_place(thud_sim *sim, const double *q, const double *v)
{
    sim_place(sim, q);
    thud_dynamics_twists(sim->m, sim->d, v, sim->fall.V);
    if (sim->ask.tendon_rows) {
        thud_drive_place(sim->m, q, sim->d, sim->force.drive);
    }
}

void ties_measure(thud_sim *sim, const double *q, const double *v)
{
    ties_place(sim, q, v);
    for (int i = 0; i < sim->above.event->ties; i++) {
        tie_measure(sim, &sim->above.event->tie[i], q, v);
    }
}
