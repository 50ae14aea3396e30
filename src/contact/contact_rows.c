// SPDX-License-Identifier: Apache-2.0
// contact_rows.c: the rows of a contact: normal, sliding, torsional, rolling. [theory 1, 7]
//
//     row 0       velocity along n, from body 1 (B) to body 2 (A)
//     rows 1, 2   velocity along t1, t2
//     row 3       angular velocity about n                    (dim 4, 6)
//     rows 4, 5   angular velocity about t1, t2               (dim 6)
// Tangents are tied to the world's axes: a pyramid of few directions shows them [theory 9].
#include <math.h>
#include <string.h>

#include "rows.h"

// A friction axis, fixed in a body, in the world.
static vec3 friction_axis(const thud_model *m, const thud_dynamics *d, int body, vec3 axis)
{
    const vec3 in_link = q_rotate(m->body_in_link[body].q, axis);
    const int link = m->body_link[body];
    return link < 0 ? in_link : m3_mulv(&d->link[link].R, in_link);
}

// The first tangent before it has its length 1: along the contact's own axis, or level on what is steep and along x on what
// is flat.
static vec3 first_tangent(const thud_model *m, const thud_dynamics *d, const thud_contact *c, vec3 n)
{
    if (c->law.axis_body >= 0) {
        const vec3 axis = friction_axis(m, d, c->law.axis_body, c->law.axis);
        const vec3 along = v3_axpy(-v3_dot(axis, n), n, axis);
        if (v3_norm2(along) > 1e-12) {
            return along;
        }
    }
    return fabs(n.z) > 0.9 ? v3_axpy(-n.x, n, v3(1, 0, 0)) : v3(-n.y, n.x, 0);
}

void thud_contact_frame(const thud_model *m, const thud_dynamics *d, const thud_contact *c, vec3 n,
                        vec3 frame[3])
{
    frame[0] = n;
    frame[1] = v3_normalize(first_tangent(m, d, c, n));
    frame[2] = v3_cross(n, frame[1]);
}

// Where a contact's block, arms and rows are: all that the next one's depend on. False: there is no room.
static bool place_contact(thud_rows *rows, const thud_contact_entry *e)
{
    const thud_contact *c = e->row->contact;
    const int link[2] = {rows->m->body_link[c->body1], rows->m->body_link[c->body2]};
    if (link[0] < 0 && link[1] < 0) {
        return true;
    }
    if (rows->blocks == rows->capacity || !rows_have_room(rows, ARMS_A_BLOCK)) {
        return false;
    }
    site *s = &rows->site[rows->blocks++];
    *s = (site){.arm = rows->arms, .b = rows->b + rows->rows, .entry = e};
    rows->rows += e->row->dim;
    for (int k = 0; k < 2; k++) {
        if (link[k] >= 0) {
            rows->arm[s->arm + s->arms++] = (arm){link[k], rows->wrenches};
            rows->wrenches += rows_fours(e->row->dim);
        }
    }
    rows->arms += s->arms;
    return true;
}

// The wrenches follow when the blocks are prepared.
static void fill_contact(thud_rows *rows, int i)
{
    site *s = &rows->site[i];
    const thud_contact_row *row = s->entry->row;
    const thud_contact *c = row->contact;
    thud_block *block = &rows->block[i];
    *block = (thud_block){.kind = THUD_BLOCK_CONTACT,
                          .dim = row->dim,
                          .source = s->entry->source,
                          .id = c->id,
                          .phi = row->phi,
                          .point = row->point,
                          .body1 = c->body1,
                          .body2 = c->body2,
                          .geom1 = c->geom1,
                          .geom2 = c->geom2};
    memcpy(block->frame, row->frame, sizeof block->frame);
    memcpy(block->static_friction, c->law.friction, sizeof block->static_friction);
    memcpy(block->kinetic_friction, c->law.kinetic, sizeof block->kinetic_friction);
    thud_cone_block *cone = &rows->coned[i];
    *cone = (thud_cone_block){.kind = THUD_CONE_KIND_CONTACT, .dim = row->dim};
    memcpy(cone->mu, c->law.friction, sizeof *cone->mu * (size_t)(row->dim - 1));
    memcpy(s->b, row->b, sizeof *s->b * (size_t)row->dim);
    s->viscous = c->law.viscous;
    s->stribeck = c->law.stribeck;
}

typedef struct arrival { // of new blocks
    thud_rows *rows;
    int first;
} arrival;

static void fill_some(void *of, int first, int end, int worker)
{
    const arrival *a = of;
    (void)worker;
    for (int i = a->first + first; i < a->first + end; i++) {
        fill_contact(a->rows, i);
    }
}

thud_status thud_rows_add_contacts(thud_rows *rows, const thud_contact_entry *entry, int count)
{
    enum { LEAST = 250 }; // contacts
    arrival a = {rows, rows->blocks};
    bool room = true;
    for (int k = 0; k < count && room; k++) {
        room = place_contact(rows, entry + k);
    }
    thud_pool_run(rows->pool, rows->blocks - a.first, LEAST, fill_some, &a);
    return room ? THUD_OK : THUD_NO_MEMORY;
}

thud_status thud_rows_add_contact(thud_rows *rows, const thud_contact_row *row, int source)
{
    return thud_rows_add_contacts(rows, &(thud_contact_entry){row, source}, 1);
}

static const double SLIP = 1e-3; // m/s, between static and kinetic friction where nothing else is said

static double friction_at(double sticking, double kinetic, double viscous, double stribeck, double speed)
{
    const double x = speed / stribeck,
                 fallen = stribeck > 0 ? exp(-x * x) : speed < SLIP; // 1: static, 0: kinetic
    return kinetic + (sticking - kinetic) * fallen + viscous * speed;
}

void thud_contact_friction(const thud_contact_law *law, double speed, double mu[2])
{
    for (int k = 0; k < 2; k++) {
        mu[k] = friction_at(law->friction[k], law->kinetic[k], law->viscous, law->stribeck, speed);
    }
}

void rows_set_friction(const thud_block *b, const site *s, const double *u, double mu[2])
{
    const double *rests = b->static_friction, *slides = b->kinetic_friction;
    if (s->viscous == 0 && rests[0] == slides[0] && rests[1] == slides[1]) {
        return; // mu is that already
    }
    const double speed = hypot(u[1], u[2]);
    for (int k = 0; k < 2; k++) {
        mu[k] = friction_at(rests[k], slides[k], s->viscous, s->stribeck, speed);
    }
}
