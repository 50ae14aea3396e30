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

// A friction axis, fixed in a body, in the world; 0 if there is none.
static vec3 friction_axis(const thud_model *m, const thud_dynamics *d, int body, vec3 axis)
{
    if (body < 0) {
        return v3(0, 0, 0);
    }
    const vec3 in_link = q_rotate(m->body_in_link[body].q, axis);
    const int link = m->body_link[body];
    return link < 0 ? in_link : m3_mulv(&d->link[link].R, in_link);
}

void thud_contact_frame(const thud_model *m, const thud_dynamics *d, const thud_contact *c, vec3 n,
                        vec3 frame[3])
{
    const vec3 axis = friction_axis(m, d, c->law.axis_body, c->law.axis), x = v3(1, 0, 0);
    const vec3 along = v3_axpy(-v3_dot(axis, n), n, axis);
    frame[0] = n;
    frame[1] = v3_normalize(v3_norm2(along) > 1e-12 ? along
                            : fabs(n.z) > 0.9       ? v3_axpy(-v3_dot(x, n), n, x)
                                                    : v3_cross(v3(0, 0, 1), n));
    frame[2] = v3_cross(n, frame[1]);
}

// The wrenches follow when the blocks are prepared.
thud_status thud_rows_add_contact(thud_rows *rows, const thud_contact_row *c, int source)
{
    const thud_model *m = rows->m;
    const thud_contact *contact = c->contact;
    const int link1 = m->body_link[contact->body1], link2 = m->body_link[contact->body2];
    if (link1 < 0 && link2 < 0) {
        return THUD_OK;
    }
    thud_block *block = rows_open(rows, THUD_BLOCK_CONTACT, c->dim, source, contact->id);
    if (!block) {
        return THUD_NO_MEMORY;
    }
    block->phi = c->phi;
    block->point = c->point;
    block->body1 = contact->body1;
    block->body2 = contact->body2;
    block->geom1 = contact->geom1;
    block->geom2 = contact->geom2;
    memcpy(block->frame, c->frame, sizeof block->frame);
    thud_cone_block *cone = &rows->coned[rows->blocks - 1];
    cone->kind = THUD_CONE_KIND_CONTACT;
    for (int r = 1; r < c->dim; r++) {
        cone->mu[r - 1] = contact->law.friction[r - 1];
    }
    for (int r = 0; r < 2; r++) {
        block->static_friction[r] = contact->law.friction[r];
        block->kinetic_friction[r] = contact->law.kinetic[r];
    }
    site *s = &rows->site[rows->blocks - 1];
    s->viscous = contact->law.viscous;
    s->stribeck = contact->law.stribeck;
    for (int r = 0; r < c->dim; r++) {
        s->b[r] = c->b[r];
    }
    if (link1 >= 0) {
        (void)rows_arm(rows, link1);
    }
    if (link2 >= 0) {
        (void)rows_arm(rows, link2);
    }
    return THUD_OK;
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
