// SPDX-License-Identifier: Apache-2.0
// feel.c: readings over a step: accelerations, and the forces of contacts, limits and joints. [theory 1]
//
// Everything is taken where the step's equations were solved, from the same accelerations and impulses, and is
// summed over its substeps: so that forces and accelerations balance as well as the step does.
//
//     through(b) = sum over b and what hangs on it of   m a + (I aw + w x I w)  -  contacts, loops
//
// Symbols  aw, av acceleration of a body, the world accelerated by minus gravity, times the time it lasts
//          dv change of velocity · through what a body gets from its parent, about the world's origin
// Differs  nothing from MuJoCo's mj_rnePostConstraint where its forces are ours.
#include <math.h>
#include <string.h>

#include "sense.h"

// ---------------------------------------------------------------------------------------------- contacts

void feel_begin(thud_sim *sim)
{
    sim->above.felt_steps = -1;
    if (sim->above.contact) {
        memset(sim->above.contact, 0,
               sizeof *sim->above.contact + (size_t)sim->m->bodies * sizeof *sim->above.contact->push);
    }
    if (sim->above.senses) {
        memset(sim->above.senses->mean, 0, (size_t)sim->m->readings * sizeof *sim->above.senses->mean);
    }
}

static void push(thud_force *sum, double scale, thud_force by)
{
    sum->ang = v3_axpy(scale, by.ang, sum->ang);
    sum->lin = v3_axpy(scale, by.lin, sum->lin);
}

typedef struct pushes { // of all blocks, island by island
    const thud_rows *rows;
    thud_force *push;
} pushes;

static void find_pushes(void *of, int first, int end, int worker)
{
    const pushes *a = of;
    (void)worker;
    for (int i = 0, at = 0; at < end; i++) {
        const int blocks = thud_rows_island(a->rows, i).blocks;
        for (int k = first > at ? first - at : 0; k < blocks && at + k < end; k++) {
            a->push[at + k] = thud_rows_push(a->rows, i, k);
        }
        at += blocks;
    }
}

void feel_contacts(const thud_sim *sim, double share)
{
    THUD_ASSERT(share > 0);
    enum { LEAST = 150 }; // blocks
    const int blocks = sim->above.contact ? thud_rows_blocks(sim->ask.rows) : 0;
    if (blocks == 0) {
        return;
    }
    thud_force *sum = sim->above.contact->push;
    const size_t mark = thud_arena_mark(sim->answer.scratch);
    pushes all = {sim->ask.rows, thud_arena_push(sim->answer.scratch, (size_t)blocks, sizeof *all.push)};
    if (all.push) {
        thud_pool_run(sim->pool, blocks, LEAST, find_pushes, &all);
    }
    for (int i = 0, at = 0; at < blocks; i++) {
        const thud_island island = thud_rows_island(sim->ask.rows, i);
        for (int k = 0; k < island.blocks; k++, at++) {
            const thud_block *b = &island.block[k];
            if (b->kind == THUD_BLOCK_CONTACT) {
                const thud_force p = all.push ? all.push[at] : thud_rows_push(sim->ask.rows, i, k);
                push(&sum[b->body2], share, p);
                push(&sum[b->body1], -share, p);
            }
        }
    }
    thud_arena_release(sim->answer.scratch, mark);
}

void feel_settle(const thud_sim *sim)
{
    if (sim->above.contact && sim->above.contact->owed > 0) {
        const double share = sim->above.contact->owed;
        sim->above.contact->owed = 0;
        feel_contacts(sim, share);
    }
}

void feel_push(thud_sim *sim, const thud_contact *c, double share, thud_force on_body2)
{
    THUD_ASSERT(sim->above.contact);
    push(&sim->above.contact->push[c->body2], share, on_body2);
    push(&sim->above.contact->push[c->body1], -share, on_body2);
}

// ---------------------------------------------------------------------------------------------- bodies

// Changes of velocity over the time h, gravity and the turning frames included.
static void accelerate_bodies(thud_sim *sim, const thud_dynamics *d, const felt *f)
{
    const thud_model *m = sim->m;
    senses *s = sim->above.senses;
    thud_dynamics_twists(m, d, f->dv, s->A);
    for (int i = 0; i < m->bodies; i++) {
        sensed_body *b = &s->body[i];
        const int link = m->body_link[i];
        if (link < 0) {
            b->av = v3_scale(-f->h, m->gravity);
            continue;
        }
        const thud_link *l = &d->link[link];
        const vec3 r = v3_sub(b->X.p, l->o);
        b->aw = v3_axpy(f->h, l->bw, s->A[link].ang);
        b->av = v3_add(v3_axpy(f->h, l->bv, s->A[link].lin),
                       v3_axpy(f->h, v3_cross(l->w, v3_cross(l->w, r)), v3_cross(b->aw, r)));
    }
}

static vec3 acceleration_at(const sensed_body *b, vec3 x, double h)
{
    const vec3 r = v3_sub(x, b->X.p);
    return v3_add(b->av, v3_axpy(h, v3_cross(b->w, v3_cross(b->w, r)), v3_cross(b->aw, r)));
}

// Wrenches of bodies from their parents: inertia less contacts and loops, summed tips to base.
static void pass_through(thud_sim *sim, double h)
{
    const thud_model *m = sim->m;
    sensed_body *body = sim->above.senses->body;
    for (int i = 0; i < m->bodies; i++) {
        sensed_body *b = &body[i];
        const vec3 c = pose_point(b->X, m->body_inertia[i].com);
        const vec3 f = v3_scale(m->body_inertia[i].mass, acceleration_at(b, c, h));
        const vec3 turning =
            v3_axpy(h, v3_cross(b->w, sense_inertia(sim, i, b->w)), sense_inertia(sim, i, b->aw));
        b->through = (thud_force){v3_add(turning, v3_cross(c, f)), f};
    }
    for (int i = 0; sim->constrained && i < thud_rows_islands(sim->ask.rows); i++) {
        const thud_island island = thud_rows_island(sim->ask.rows, i);
        for (int k = 0; k < island.blocks; k++) {
            const thud_block *b = &island.block[k];
            if (b->kind == THUD_BLOCK_CONTACT || b->kind == THUD_BLOCK_LOOP) {
                const thud_force p = thud_rows_push(sim->ask.rows, i, k);
                push(&body[b->body2].through, -1, p);
                push(&body[b->body1].through, 1, p);
            }
        }
    }
    for (int i = m->bodies - 1; i > 0; i--) {
        push(&body[m->body_parent[i]].through, 1, body[i].through);
    }
}

// ---------------------------------------------------------------------------------------------- sensors

// Normal impulses of the contacts of the site's body whose normal, followed outward from the body, meets the
// site's shape: always where the contact is within it.
static double touch_reading(const thud_sim *sim, int site)
{
    THUD_ASSERT(site >= 0 && site < sim->m->sites);
    const thud_model *m = sim->m;
    int body;
    const pose X = sense_frame(sim, THUD_OBJECT_SITE, site, &body);
    double sum = 0;
    for (int i = 0; sim->constrained && i < thud_rows_islands(sim->ask.rows); i++) {
        const thud_island island = thud_rows_island(sim->ask.rows, i);
        for (int k = 0; k < island.blocks; k++) {
            const thud_block *b = &island.block[k];
            if (b->kind != THUD_BLOCK_CONTACT || (b->body1 != body && b->body2 != body)) {
                continue;
            }
            const vec3 outward = b->body2 == body ? v3_neg(b->frame[0]) : b->frame[0];
            if (thud_shape_ray(&m->site_shape[site], X, b->point, outward, NULL) >= 0) {
                sum += island.p[b->row];
            }
        }
    }
    return sum;
}

static double limit_reading(const thud_sim *sim, thud_kind owner, int number)
{
    double sum = 0;
    for (int i = 0; sim->constrained && i < thud_rows_islands(sim->ask.rows); i++) {
        const thud_island island = thud_rows_island(sim->ask.rows, i);
        for (int k = 0; k < island.blocks; k++) {
            const thud_block *b = &island.block[k];
            if (b->kind == THUD_BLOCK_LIMIT && b->source == number && thud_block_owner(b) == owner) {
                sum += island.p[b->row];
            }
        }
    }
    return sum;
}

static void add_body_reading(const thud_sim *sim, int sensor, double h, vec3 *to)
{
    const thud_model *m = sim->m;
    const int type = m->sensor_type[sensor];
    int body;
    const pose X = sense_frame(sim, m->sensor_object_type[sensor], m->sensor_object[sensor], &body);
    const sensed_body *b = &sim->above.senses->body[body];
    switch (type) {
    case THUD_SENSOR_ACCELEROMETER:
        *to = q_unrotate(X.q, acceleration_at(b, X.p, h));
        break;
    case THUD_SENSOR_FRAMELINACC:
        *to = acceleration_at(b, X.p, h);
        break;
    case THUD_SENSOR_FRAMEANGACC:
        *to = b->aw;
        break;
    case THUD_SENSOR_FORCE:
        *to = q_unrotate(X.q, b->through.lin);
        break;
    default:
        *to = q_unrotate(X.q, v3_sub(b->through.ang, v3_cross(X.p, b->through.lin)));
    }
}

// Forces of actuators where they pull, into the drive and, as joint forces, into pull.
static void pull(thud_sim *sim, const felt *f)
{
    const thud_model *m = sim->m;
    senses *s = sim->above.senses;
    thud_dynamics_place(m, f->q_pull, s->d);
    thud_dynamics_move(m, f->v_pull, s->d);
    thud_drive_place(m, f->q_pull, s->d, s->drive);
    thud_drive_move(m, f->v_pull, s->drive);
    memset(s->carried, 0, (size_t)m->nv * sizeof *s->carried);
    thud_carried_force(m, s->d, s->carried);
    const thud_drive_input in = {
        .ctrl = sim->force.ctrl, .act = f->act, .h = f->early, .carried = s->carried};
    thud_actuator_force(m, &in, s->drive, s->pull);
    for (int i = 0; i < m->nv; i++) {
        s->pull[i] += m->joint_actgravcomp[m->dof_link[i]] ? s->carried[i] : 0;
    }
}

static double pull_reading(const thud_sim *sim, int sensor)
{
    const thud_model *m = sim->m;
    const senses *s = sim->above.senses;
    const int object = m->sensor_object[sensor];
    double sum = 0;
    switch (m->sensor_type[sensor]) {
    case THUD_SENSOR_ACTUATORFRC:
        return s->drive->force[object];
    case THUD_SENSOR_JOINTACTUATORFRC:
        return s->pull[m->joint_v[object]];
    default:
        for (int i = 0; i < m->actuators; i++) {
            const bool of_it =
                m->actuator_transmission[i] == THUD_TRANSMISSION_TENDON && m->actuator_target[i] == object;
            sum += of_it ? s->drive->force[i] : 0;
        }
        return sum;
    }
}

void feel_add(thud_sim *sim, const felt *f)
{
    THUD_ASSERT(sim->above.senses && f->share > 0 && f->h >= 0);
    const thud_model *m = sim->m;
    senses *s = sim->above.senses;
    if (f->q) {
        sense_place(sim, f->q, f->v);
    } else {
        sense_bodies(sim, sim->d);
    }
    accelerate_bodies(sim, f->q ? s->d : sim->d, f);
    if (s->passes) {
        pass_through(sim, f->h);
    }
    if (f->q_pull) {
        pull(sim, f);
    }
    for (int i = 0; i < m->sensors; i++) {
        double *mean = s->mean + m->sensor_at[i];
        vec3 x = v3(0, 0, 0);
        switch (m->sensor_type[i]) {
        case THUD_SENSOR_TOUCH:
            x.x = touch_reading(sim, m->sensor_object[i]);
            break;
        case THUD_SENSOR_JOINTLIMITFRC:
            x.x = limit_reading(sim, THUD_KIND_JOINT, m->sensor_object[i]);
            break;
        case THUD_SENSOR_TENDONLIMITFRC:
            x.x = limit_reading(sim, THUD_KIND_TENDON, m->sensor_object[i]);
            break;
        case THUD_SENSOR_ACTUATORFRC:
        case THUD_SENSOR_JOINTACTUATORFRC:
        case THUD_SENSOR_TENDONACTUATORFRC:
            x.x = f->q_pull ? f->h * pull_reading(sim, i) : 0;
            break;
        default:
            if (!is_felt(m->sensor_type[i])) {
                continue;
            }
            add_body_reading(sim, i, f->h, &x);
        }
        const double part[3] = {x.x, x.y, x.z};
        for (int k = 0; k < m->sensor_dim[i]; k++) {
            mean[k] += f->share * part[k];
        }
    }
}

// ---------------------------------------------------------------------------------------------- parts of a step

// The change of velocity of a substep of h, into dv.
static const double *change(thud_sim *sim, double h)
{
    for (int i = 0; i < sim->m->nv; i++) {
        sim->above.senses->dv[i] = h * (sim->fall.acc[i] + sim->answer.push[i]);
    }
    return sim->above.senses->dv;
}

// Where a substep of h took its actuators: ahead as implicit.c says, at the middle in RK4.
static void find_pull(thud_sim *sim, double h)
{
    const thud_model *m = sim->m;
    senses *s = sim->above.senses;
    const bool middle = sim->scheme == THUD_INTEGRATOR_RK4;
    double *shift = s->carried;
    for (int i = 0; i < m->nv; i++) {
        s->v[i] =
            middle ? sim->go.v_mean[i]
                   : sim->begun.v_start[i] + sim->force.ahead[i] * (sim->fall.acc[i] + sim->answer.push[i]);
        shift[i] = (middle ? 0.5 * h : sim->force.ahead[i]) * s->v[i];
    }
    thud_qpos_integrate(m, sim->begun.q_start, shift, 1, s->q);
    if (middle) {
        thud_activation_advance(m, sim->force.ctrl, sim->force.act, 0.5 * h, s->act);
    } else {
        memcpy(s->act, sim->force.act_mean, (size_t)m->activations * sizeof *s->act);
    }
}

void feel_substep(thud_sim *sim, double h)
{
    THUD_ASSERT(h > 0);
    const double share = 1 / sim->o.h;
    if (sim->above.contact) {
        sim->above.contact->owed = share; // its rows stay until the next part of the step, or the next step
    }
    if (!sim->above.senses || !sim->above.senses->feels) {
        return;
    }
    senses *s = sim->above.senses;
    felt f = {.dv = change(sim, h), .h = h, .share = share};
    if (sim->sleep || sim->bounces ||
        sim->strike.locates) { // who sleeps was not evaluated; gaps that close have moved the links on
        f.q = sim->fall.q;
        f.v = sim->fall.v;
    }
    if (s->pulls) {
        find_pull(sim, h);
        f.q_pull = s->q;
        f.v_pull = s->v;
        f.act = s->act;
        f.early = sim->scheme == THUD_INTEGRATOR_RK4 ? 0.5 * h : h;
    }
    if (sim->scheme == THUD_INTEGRATOR_RK4) { // one evaluation stands for four
        thud_qpos_integrate(sim->m, sim->begun.q_start, sim->go.v_mean, 0.5 * h, sim->fall.q);
        f.q = sim->fall.q;
        f.v = sim->go.v_mean;
    }
    feel_add(sim, &f);
}

void feel_collision(thud_sim *sim)
{
    const double share = 1 / sim->o.h;
    feel_contacts(sim, share);
    if (sim->above.senses && sim->above.senses->feels) {
        feel_add(sim, &(felt){.q = sim->begun.q_start,
                              .v = sim->begun.v_start,
                              .dv = sim->answer.push,
                              .share = share});
    }
}

void feel_moment(thud_sim *sim, const double *q, const double *v, double h, double early)
{
    THUD_ASSERT(h > 0);
    feel_contacts(sim, 1 / h);
    if (sim->above.senses && sim->above.senses->feels) {
        feel_add(sim, &(felt){.q = q,
                              .v = v,
                              .dv = change(sim, h),
                              .h = h,
                              .share = 1 / h,
                              .q_pull = sim->above.senses->pulls ? q : NULL,
                              .v_pull = v,
                              .act = sim->force.act,
                              .early = early});
    }
}
