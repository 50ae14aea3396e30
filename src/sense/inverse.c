// SPDX-License-Identifier: Apache-2.0
// inverse.c: the forces that a motion needs, with the help of its contacts. [theory 1, 7]
//
//     tau = M qacc + c - tau_own - G^T p/h,          v+ = v + h qacc known, p chosen
//     parts (u_n+ > 0)       p = 0
//     slides                 p_t = -p_n D^2 u_t / |D u_t|, known but for p_n;  0 <= p_n, orthogonal to the deviation
//     sticks, stands, held   Coulomb's law, limits and loops between p and the deviation  W p + G (v_f - v+)
//
// v_f is the velocity after h without tau and p: what tau = 0 would come to. The deviation that is left when contact
// has done what it can is what tau has to prevent. A dof that moves against its dry friction has it as a known force;
// that of contacts follows their normal impulses, solved for again and again until they stay.
//
// Symbols  v+ velocity at the end of the step · u+ = G v+ · D friction coefficients of a contact's tangents
// Fails    BAD_ARGUMENT where v+ breaks a constraint; NOT_SOLVED as the cone's solver, and where friction jams
//          what slides (Painleve), so that its normal impulses do not settle
#include <math.h>
#include <string.h>

#include <thud/elementary.h>
#include <thud/spatial_lanes.h>

#include "moment.h"

// m/s, rad/s, and relative to the fastest dof: slower motion counts as none.
static const double STILL = 1e-7;

typedef struct target { // the motion that is asked for
    double h;
    const double *v; // v+
    thud_motion *V;  // links, at v+
    double still;
    bool possible;
    struct slide *slide; // touches: those that slide
} target;

typedef struct slide { // a contact that slides
    bool slides;
    thud_force friction; // for a normal impulse of 1, on body 2, about the world's origin
    double p;            // the normal impulse
} slide;

// What a gap or limit of this room does at this rate: true: it holds; false: it parts.
static bool closes(const thud_sim *sim, target *t, double phi, double rate)
{
    const double u = rate + sim_closing(sim, phi, t->h);
    t->possible &= u >= -t->still;
    return u <= t->still;
}

// ---------------------------------------------------------------------------------------------- contacts

// Velocities of a contact's rows: along its frame, then about it.
static void row_velocities(const thud_sim *sim, const target *t, const thud_contact *c, const vec3 frame[3],
                           double u[6])
{
    const int link1 = sim->m->body_link[c->body1], link2 = sim->m->body_link[c->body2];
    const vec3 none = v3(0, 0, 0);
    const vec3 spin = v3_sub(link2 < 0 ? none : t->V[link2].ang, link1 < 0 ? none : t->V[link1].ang);
    sim_slip(sim, t->V, c, c->point, frame, u);
    for (int k = 0; k < 3; k++) {
        u[3 + k] = v3_dot(frame[k], spin);
    }
}

// Friction for a normal impulse of 1: -D^2 u_t / |D u_t|.
static thud_force friction_of(const thud_contact *c, const vec3 frame[3], const double *u, const double *mu)
{
    double length = 0;
    for (int r = 1; r < c->law.condim; r++) {
        length = thud_hypot(length, mu[r - 1] * u[r]);
    }
    vec3 force = v3(0, 0, 0), torque = v3(0, 0, 0);
    for (int r = 1; r < c->law.condim; r++) {
        const double share = -mu[r - 1] * mu[r - 1] * u[r] / length;
        force = r < 3 ? v3_axpy(share, frame[r], force) : force;
        torque = r < 3 ? torque : v3_axpy(share, frame[r - 3], torque);
    }
    return (thud_force){v3_add(torque, v3_cross(c->point, force)), force};
}

static thud_status add_contact(thud_sim *sim, int i, target *t)
{
    THUD_ASSERT(i >= 0 && i < sim->sight.touches);
    const thud_contact *c = sim->sight.touch[i].contact;
    const double *before = sim->sight.touch[i].u;
    vec3 frame[3];
    double u[6], mu[5], slip = 0;
    thud_contact_frame(sim->m, sim->d, c, c->normal, frame);
    row_velocities(sim, t, c, frame, u);
    if (sim->sight.touch[i].phi + t->h * thud_min(before[0], u[0]) > sim_touch(sim, t->h) ||
        !closes(sim, t, c->phi, u[0])) {
        return THUD_OK;
    }
    memcpy(mu, c->law.friction, sizeof mu);
    thud_contact_friction(&c->law, thud_hypot(before[1], before[2]), mu);
    for (int r = 1; r < c->law.condim; r++) {
        slip = thud_max(slip, mu[r - 1] > 0 ? fabs(u[r]) : 0);
    }
    t->slide[i].slides = slip > t->still;
    if (t->slide[i].slides) {
        t->slide[i].friction = friction_of(c, frame, u, mu);
    }
    const int dim = t->slide[i].slides ? 1 : c->law.condim;
    thud_contact_row row = {.contact = c, .point = c->point, .phi = c->phi, .dim = dim};
    memcpy(row.frame, frame, sizeof frame);
    return thud_rows_add_contact(sim->ask.rows, &row, i);
}

// ---------------------------------------------------------------------------------------------- joints, tendons

static thud_status add_joints(thud_sim *sim, target *t)
{
    const thud_model *m = sim->m;
    for (int j = 0; j < m->joints; j++) {
        limit l[2];
        const int count = limits_of(m, j, sim->begun.q_start, l);
        for (int k = 0; k < count; k++) {
            if (closes(sim, t, l[k].phi, limit_rate(m, j, &l[k], t->v))) {
                THUD_TRY(thud_rows_add_limit(sim->ask.rows, j, l[k].sign, l[k].axis, l[k].phi, 0));
            }
        }
    }
    for (int i = 0; m->frictionloss_on && i < m->nv; i++) {
        if (m->dof_frictionloss[i] > 0 && fabs(t->v[i]) <= t->still) {
            THUD_TRY(thud_rows_add_dry(sim->ask.rows, i, t->h * m->dof_frictionloss[i]));
        }
    }
    return THUD_OK;
}

static thud_status add_tendons(thud_sim *sim, target *t)
{
    const thud_model *m = sim->m;
    for (int n = 0; sim->ask.tendon_rows && n < m->tendons; n++) {
        const double u = tendon_velocity(sim, n, t->v);
        for (int sign = 1; m->limit_on && m->tendon_limited[n] && sign >= -1; sign -= 2) {
            const double phi = tendon_room(sim, n, sign);
            THUD_TRY(closes(sim, t, phi, sign * u) ? tendon_limit_add(sim, n, sign, phi, 0) : THUD_OK);
        }
        if (m->frictionloss_on && m->tendon_frictionloss[n] > 0 && fabs(u) <= t->still) {
            THUD_TRY(tendon_dry_add(sim, n, t->h * m->tendon_frictionloss[n], 0));
        }
    }
    return THUD_OK;
}

// Dry friction of moving dofs and tendons, into force.
static void add_dry_forces(const thud_sim *sim, const target *t, double *force)
{
    const thud_model *m = sim->m;
    for (int i = 0; m->frictionloss_on && i < m->nv; i++) {
        force[i] -= fabs(t->v[i]) > t->still ? copysign(m->dof_frictionloss[i], t->v[i]) : 0;
    }
    for (int n = 0; sim->ask.tendon_rows && m->frictionloss_on && n < m->tendons; n++) {
        const thud_lever *l = &sim->force.drive->tendon[n];
        const double u = tendon_velocity(sim, n, t->v),
                     f = fabs(u) > t->still ? copysign(m->tendon_frictionloss[n], u) : 0;
        for (int k = 0; k < l->count; k++) {
            force[l->dof[k]] -= f * l->value[k];
        }
    }
}

// The motion must keep closed loops closed.
static void check_loops(thud_sim *sim, target *t)
{
    double u[6] = {0};
    memcpy(sim->fall.V, t->V, (size_t)sim->m->joints * sizeof *sim->fall.V);
    sim->sight.here.twisted = -1;
    for (int e = 0; e < sim->m->equalities; e++) {
        loops_velocity(sim, e, sim->begun.q_start, t->v, u);
        for (int r = 0; r < thud_equality_rows(sim->m->eq_type[e]); r++) {
            t->possible &= fabs(u[r]) <= t->still;
        }
        memset(u, 0, sizeof u);
    }
}

// ---------------------------------------------------------------------------------------------- all

static thud_status add_rows(thud_sim *sim, target *t)
{
    thud_rows_begin(sim->ask.rows, sim->d, t->h);
    for (int i = 0; i < sim->sight.touches; i++) {
        THUD_TRY(add_contact(sim, i, t));
    }
    THUD_TRY(add_joints(sim, t));
    THUD_TRY(add_tendons(sim, t));
    return loops_hold_with(sim, sim->begun.q_start, NULL);
}

// Impulses of the sliding contacts' friction on the links, about their origins, added to wrench.
static void add_friction(const thud_sim *sim, const target *t, thud_force *wrench)
{
    for (int i = 0; i < sim->sight.touches; i++) {
        const slide *f = &t->slide[i];
        const int body[2] = {sim->sight.touch[i].contact->body1, sim->sight.touch[i].contact->body2};
        for (int k = 0; k < 2 && f->slides; k++) {
            const int link = sim->m->body_link[body[k]];
            if (link >= 0) {
                const double p = k == 0 ? -f->p : f->p;
                const vec3 about = v3_sub(f->friction.ang, v3_cross(sim->d->link[link].o, f->friction.lin));
                wrench[link].ang = v3_axpy(p, about, wrench[link].ang);
                wrench[link].lin = v3_axpy(p, f->friction.lin, wrench[link].lin);
            }
        }
    }
}

// The deviation that this friction leaves of `from`, into `to`.
static void deviate(thud_sim *sim, const target *t, const double *from, double *to)
{
    const thud_model *m = sim->m;
    double *e = sim->go.u[1];
    memset(e, 0, (size_t)m->nv * sizeof *e);
    memset(sim->answer.wrench, 0, (size_t)m->joints * sizeof *sim->answer.wrench);
    add_friction(sim, t, sim->answer.wrench);
    for (int i = 0; i < m->joints; i++) {
        thud_wrenches one = {0};
        wrenches_set(&one, 0, sim->answer.wrench[i]);
        thud_dynamics_innovate(m, sim->d, i, 1, &one, e, 0);
    }
    thud_dynamics_respond(m, sim->d, e, to);
    for (int i = 0; i < m->nv; i++) {
        to[i] += from[i];
    }
}

// The normal impulses just solved for, into the slides; returns how much they changed, relative to the largest.
static double settle(const thud_sim *sim, const target *t)
{
    double change = 0, most = 0;
    for (int i = 0; i < thud_rows_islands(sim->ask.rows); i++) {
        const thud_island island = thud_rows_island(sim->ask.rows, i);
        for (int k = 0; k < island.blocks; k++) {
            const thud_block *b = &island.block[k];
            if (b->kind == THUD_BLOCK_CONTACT && t->slide[b->source].slides) {
                slide *f = &t->slide[b->source];
                const double p = island.p[b->row];
                change = thud_max(change, fabs(p - f->p));
                most = thud_max(most, p);
                f->p = p;
            }
        }
    }
    return change > 0 ? change / most : 0;
}

static thud_status solve(thud_sim *sim)
{
    thud_law_options o = sim->o.law;
    o.law = THUD_LAW_CONE;
    o.solver = THUD_SOLVER_AUTO;
    o.tolerance = thud_min(o.tolerance, 1e-10);
    for (int i = 0; i < thud_rows_islands(sim->ask.rows); i++) {
        const thud_island island = thud_rows_island(sim->ask.rows, i);
        const thud_law_report r = thud_law_solve(&island, &o, sim->answer.scratch);
        if (!r.solved) {
            return strcmp(r.outcome, "no-memory") == 0 ? THUD_NO_MEMORY : THUD_NOT_SOLVED;
        }
    }
    return THUD_OK;
}

static thud_status hold(thud_sim *sim, target *t, const double *from)
{
    enum { MOST = 200 };
    static const double SETTLED = 1e-11, GOOD = 1e-6; // all that is asked; enough if the solver gives no more
    double last = INFINITY;
    check_loops(sim, t);
    for (int k = 0; k < MOST; k++) {
        THUD_TRY(add_rows(sim, t));
        if (!t->possible || thud_rows_blocks(sim->ask.rows) == 0) {
            thud_rows_begin(sim->ask.rows, sim->d, t->h);
            return t->possible ? THUD_OK : THUD_BAD_ARGUMENT;
        }
        deviate(sim, t, from, sim->go.u[2]);
        THUD_TRY(thud_rows_finish(sim->ask.rows, sim->begun.v_start, sim->go.u[2], NULL, 0, 0));
        THUD_TRY(solve(sim));
        const double change = settle(sim, t);
        if (change <= SETTLED || (change <= GOOD && change > 0.9 * last)) {
            return THUD_OK;
        }
        last = change;
    }
    return THUD_NOT_SOLVED;
}

static double fastest(const double *v, int n)
{
    double most = 1;
    for (int i = 0; i < n; i++) {
        most = thud_max(most, fabs(v[i]));
    }
    return most;
}

static bool is_maximal(const thud_model *m)
{
    bool any = false;
    for (int e = 0; e < m->equalities; e++) {
        any |= loop_has_axes(m, e) &&
               (m->eq_type[e] == THUD_EQUALITY_HINGE || m->eq_type[e] == THUD_EQUALITY_SLIDE);
    }
    return any;
}

// Forces and links at s, and into sim->fall.acc what comes of them without tau.
static thud_status evaluate(thud_sim *sim, const thud_state *s, target *t)
{
    const thud_model *m = sim->m;
    if (!moment_enter(sim, s)) {
        return THUD_NO_MEMORY;
    }
    THUD_TRY(sim->constrained ? sim_look(sim, t->h) : THUD_OK);
    sim_set_forces_at(sim, sim->begun.q_start, sim->begun.v_start, NULL, 0, t->h);
    if (sim->constrained) {
        sim_place(sim, sim->begun.q_start);
        if (sim->ask.tendon_rows) {
            thud_drive_place(m, sim->begun.q_start, sim->d, sim->force.drive);
        }
        add_dry_forces(sim, t, sim->force.tau);
    }
    return sim_accelerate(sim, sim->begun.q_start, sim->begun.v_start, sim->force.tau, sim->fall.acc)
               ? THUD_OK
               : THUD_NOT_FINITE;
}

// The joint forces of what holds, into force, and what bodies feel of it.
static thud_status find_help(thud_sim *sim, target *t, const double *deviation, double *force)
{
    THUD_ASSERT(sim->constrained && t->h > 0);
    const size_t mark = thud_arena_mark(sim->answer.scratch);
    t->slide = thud_arena_push(sim->answer.scratch, (size_t)sim->sight.touches + 1, sizeof *t->slide);
    if (!t->slide) {
        return THUD_NO_MEMORY;
    }
    memset(t->slide, 0, (size_t)sim->sight.touches * sizeof *t->slide);
    thud_dynamics_twists(sim->m, sim->d, t->v, t->V);
    const thud_status status = hold(sim, t, deviation);
    if (status == THUD_OK) {
        thud_rows_wrenches(sim->ask.rows, sim->answer.wrench);
        add_friction(sim, t, sim->answer.wrench);
        moment_joint_forces(sim, force);
        feel_contacts(sim, 1 / t->h);
        for (int i = 0; i < sim->sight.touches; i++) {
            if (t->slide[i].slides) {
                feel_push(sim, sim->sight.touch[i].contact, t->slide[i].p / t->h, t->slide[i].friction);
            }
        }
    }
    thud_arena_release(sim->answer.scratch, mark);
    return status;
}

thud_status moment_inverse(thud_sim *sim, const double *qacc, const thud_state *s, double *tau)
{
    const thud_model *m = sim->m;
    double *v = sim->go.v_next, *deviation = sim->fall.v_free, *force = sim->go.u[0];
    target t = {.h = sim->o.h, .v = v, .V = sim->fall.V_hat, .possible = true};
    if (is_maximal(m)) {
        return THUD_UNSUPPORTED;
    }
    if (!sim_is_finite(sim, s, qacc)) {
        return THUD_NOT_FINITE;
    }
    for (int i = 0; i < m->nv; i++) {
        v[i] = s->qvel[i] + t.h * qacc[i];
        force[i] = 0;
    }
    feel_begin(sim);      // v_next is no longer that of a step
    sim->fall.fallen = 0; // nor v_free that of V_free
    t.still = STILL * fastest(v, m->nv);
    THUD_TRY(evaluate(sim, s, &t));
    for (int i = 0; i < m->nv; i++) {
        deviation[i] = sim->begun.v_start[i] + t.h * sim->fall.acc[i] - v[i];
    }
    THUD_TRY(sim->constrained ? find_help(sim, &t, deviation, force) : THUD_OK);
    thud_dynamics_rnea(m, qacc, sim->d, tau);
    for (int i = 0; i < m->nv; i++) {
        tau[i] -= sim->force.tau[i] + force[i];
    }
    return THUD_OK;
}
