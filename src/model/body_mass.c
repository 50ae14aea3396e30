// SPDX-License-Identifier: Apache-2.0
// body_mass.c: mass and inertia of every body, from its inertial or its geoms, by MuJoCo's rules.
//
// An explicit inertial wins, unless compiler inertiafromgeom="true"; a body without one gets the sum of its
// geoms whose group is in inertiagrouprange. boundmass, boundinertia, balanceinertia and settotalmass then
// act on the result.
#include <math.h>

#include <thud/spatial_inline.h>

#include "build.h"

static thud_inertia from_inertial(const thud_spec_body *body)
{
    const thud_inertia given = {body->mass,
                                {0, 0, 0},
                                {body->inertia[0], body->inertia[1], body->inertia[2], body->inertia[3],
                                 body->inertia[4], body->inertia[5]}};
    const pose X = {body->iquat, body->ipos};
    return thud_inertia_map(X, given);
}

// Adds every geom's inertia to its body's, where the body takes its mass from geoms.
static void add_geoms(builder *b)
{
    const thud_spec *s = b->spec;
    thud_model *m = b->m;
    for (int g = 0; g < m->geoms; g++) {
        const int body = m->geom_body[g], group = s->geom[b->geom_of[g]].group;
        const bool explicit_wins = s->compiler.inertiafromgeom == THUD_FALSE ||
                                   (s->compiler.inertiafromgeom == THUD_AUTO && s->body[body].has_inertial);
        if (body > 0 && !explicit_wins && group >= s->compiler.inertiagrouprange[0] &&
            group <= s->compiler.inertiagrouprange[1]) {
            m->body_inertia[body] = thud_inertia_add(m->body_inertia[body], b->geom_inertia[g]);
        }
    }
}

static void apply_bounds(const thud_spec_compiler *c, thud_inertia *I, quat *axes)
{
    double value[3];
    thud_sym3_eigen(I->I, value, axes);
    bool changed = false;
    if (c->boundmass > 0 && I->mass < c->boundmass) {
        I->mass = c->boundmass;
    }
    for (int k = 0; k < 3; k++) {
        if (c->boundinertia > 0 && value[k] < c->boundinertia) {
            value[k] = c->boundinertia;
            changed = true;
        }
    }
    if (c->balanceinertia && value[0] > value[1] + value[2]) { // MuJoCo takes the mean
        value[0] = value[1] = value[2] = (value[0] + value[1] + value[2]) / 3;
        changed = true;
    }
    if (changed) {
        const thud_inertia principal = {I->mass, {0, 0, 0}, {value[0], value[1], value[2], 0, 0, 0}};
        const pose X = {*axes, I->com};
        *I = thud_inertia_map(X, principal);
    }
}

// The principal axes as MuJoCo orders them: those the author wrote, where a body has an inertial with diagonal
// inertia or takes all its mass from one geom; else by descending inertia.
static void keep_written_axes(builder *b)
{
    thud_model *m = b->m;
    const thud_spec_compiler *c = &b->spec->compiler;
    for (int i = 1; i < m->bodies; i++) {
        const thud_spec_body *body = &b->spec->body[i];
        if (body->has_inertial && c->inertiafromgeom != THUD_TRUE) {
            const double *I = body->inertia;
            m->body_iquat[i] = I[3] == 0 && I[4] == 0 && I[5] == 0 ? body->iquat : m->body_iquat[i];
        }
    }
    for (int g = 0; g < m->geoms; g++) {
        const int i = m->geom_body[g];
        const double all = m->body_inertia[i].mass, own = b->geom_inertia[g].mass;
        const bool given = b->spec->body[i].has_inertial && c->inertiafromgeom != THUD_TRUE;
        if (i > 0 && !given && own > 0 && own == all) {
            m->body_iquat[i] = m->geom_pose[g].q;
        }
    }
}

static void set_total_mass(thud_model *m, double wanted)
{
    double total = 0;
    for (int i = 1; i < m->bodies; i++) {
        total += m->body_inertia[i].mass;
    }
    const double scale = wanted > 0 && total > 0 ? wanted / total : 1;
    m->total_mass = 0;
    for (int i = 1; i < m->bodies; i++) {
        m->body_inertia[i].mass *= scale;
        for (int k = 0; k < 6; k++) {
            m->body_inertia[i].I[k] *= scale;
        }
        m->total_mass += m->body_inertia[i].mass;
    }
}

// Every body that joints move must have mass and inertia, its own, that of what is welded to it, or, where it has no
// mass at all, that of what it carries by joints: then the inertia that its joints feel is theirs.
static thud_status check_moving(builder *b)
{
    const thud_model *m = b->m;
    thud_inertia *sum = thud_alloc((size_t)m->bodies, sizeof *sum);
    bool *carries = thud_alloc((size_t)m->bodies, sizeof *carries);
    thud_status status = sum && carries ? THUD_OK : THUD_NO_MEMORY;
    for (int i = m->bodies - 1; i > 0 && status == THUD_OK; i--) {
        sum[i] = thud_inertia_add(sum[i], m->body_inertia[i]);
        double value[3];
        quat axes;
        thud_sym3_eigen(sum[i].I, value, &axes);
        if (m->body_joints[i] == 0) {
            sum[m->body_parent[i]] =
                thud_inertia_add(sum[m->body_parent[i]], thud_inertia_map(m->body_pose[i], sum[i]));
        } else if (!(carries[i] && sum[i].mass == 0 && value[0] == 0) &&
                   (!(sum[i].mass > 1e-15) || !(value[2] > 1e-15))) { // MuJoCo's mjMINVAL
            const thud_spec_body *body = &b->spec->body[i];
            const thud_place place = body->has_inertial ? body->inertial_place : body->place;
            status = FAIL_AT(b, place,
                             "body '%s' moves but has mass %g and smallest inertia %g; both must be positive",
                             body->name ? body->name : "(no name)", sum[i].mass, value[2]);
        }
        carries[m->body_parent[i]] |= carries[i] || m->body_joints[i] > 0;
    }
    thud_free(sum);
    thud_free(carries);
    return status;
}

// A box of edges x, y, z has the inertia m (y^2 + z^2)/12 about x, and so on.
static vec3 box_of(const thud_inertia *I, quat axes)
{
    double J[3], edge[3];
    for (int k = 0; k < 3; k++) {
        const vec3 a = q_rotate(axes, v3(k == 0, k == 1, k == 2));
        J[k] = I->I[0] * a.x * a.x + I->I[1] * a.y * a.y + I->I[2] * a.z * a.z +
               2 * (I->I[3] * a.x * a.y + I->I[4] * a.x * a.z + I->I[5] * a.y * a.z);
    }
    for (int k = 0; k < 3; k++) {
        edge[k] = sqrt(6 * fmax(1e-15, J[(k + 1) % 3] + J[(k + 2) % 3] - J[k]) / I->mass);
    }
    return v3(edge[0], edge[1], edge[2]);
}

thud_status model_build_masses(builder *b)
{
    thud_model *m = b->m;
    const thud_spec_compiler *c = &b->spec->compiler;
    for (int i = 1; i < m->bodies; i++) {
        const thud_spec_body *body = &b->spec->body[i];
        if (body->has_inertial && c->inertiafromgeom != THUD_TRUE) {
            m->body_inertia[i] = from_inertial(body);
        }
    }
    add_geoms(b);
    for (int i = 1; i < m->bodies; i++) {
        apply_bounds(c, &m->body_inertia[i], &m->body_iquat[i]);
    }
    m->body_iquat[0] = q_identity();
    keep_written_axes(b);
    set_total_mass(m, c->settotalmass);
    for (int i = 1; i < m->bodies; i++) {
        m->body_box[i] =
            m->body_inertia[i].mass > 0 ? box_of(&m->body_inertia[i], m->body_iquat[i]) : v3(0, 0, 0);
    }
    return check_moving(b);
}
