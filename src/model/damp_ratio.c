// SPDX-License-Identifier: Apache-2.0
// damp_ratio.c: the damping of servos that give it as a fraction z of the critical one, as MuJoCo 4.
//
//     kv = 2 z sqrt(kp I),   1/I = J M^-1 J^T     J the actuator's lever and M the mass matrix, both at the reference pose
#include <math.h>

#include <thud/model_poses.h>
#include <thud/spatial_inline.h>

#include "mass_at_rest.h"

// Adds what a force and a torque on a body do to each dof.
static void add_wrench(const rest_mass *r, int body, vec3 at, vec3 force, vec3 torque)
{
    const int count = model_rest_columns(r, body, at);
    for (int k = 0; k < count; k++) {
        const rest_column *c = &r->column[k];
        r->J[c->dof] += v3_dot(c->go, force) + v3_dot(c->turn, torque);
    }
}

static vec3 get_vec(const double *x)
{
    return v3(x[0], x[1], x[2]);
}

static thud_status add_spatial(const rest_mass *r, int t, double gear)
{
    const thud_model *m = r->m;
    thud_tendon_piece *piece = thud_alloc(2 * (size_t)m->tendon_wraps[t] + 1, sizeof *piece);
    vec3 *x_ws = thud_alloc((size_t)m->sites + 1, sizeof *x_ws);
    int pieces = 0;
    if (piece && x_ws) {
        for (int i = 0; i < m->sites; i++) {
            x_ws[i] = pose_point(r->X_wb[m->site_body[i]], m->site_pose[i].p);
        }
        (void)thud_tendon_length(m, t, m->qpos0, x_ws, r->X_wb, piece, &pieces);
        for (int i = 0; i < pieces; i++) {
            const vec3 way = v3_sub(piece[i].p2, piece[i].p1);
            const double length = v3_norm(way);
            const vec3 u = v3_scale(length > 0 ? gear * piece[i].weight / length : 0, way);
            add_wrench(r, piece[i].body2, piece[i].p2, u, v3(0, 0, 0));
            add_wrench(r, piece[i].body1, piece[i].p1, v3_neg(u), v3(0, 0, 0));
        }
    }
    const thud_status status = piece && x_ws ? THUD_OK : THUD_NO_MEMORY;
    thud_free(x_ws);
    thud_free(piece);
    return status;
}

static thud_status add_tendon(const rest_mass *r, int t, double gear)
{
    const thud_model *m = r->m;
    if (m->tendon_spatial[t]) {
        return add_spatial(r, t, gear);
    }
    for (int w = m->tendon_wrap[t]; w < m->tendon_wrap[t] + m->tendon_wraps[t]; w++) {
        r->J[m->joint_v[m->wrap_object[w]]] += gear * m->wrap_coef[w];
    }
    return THUD_OK;
}

// At the reference pose balls and free joints are not turned: gear is along the dofs, but for the torque "in parent" of a body that
// stands turned in the world.
static void add_joint(const rest_mass *r, int j, bool in_parent, const double *gear)
{
    const thud_model *m = r->m;
    double g[6];
    for (int k = 0; k < 6; k++) {
        g[k] = gear[k];
    }
    if (m->joint_type[j] == THUD_JOINT_FREE && in_parent) {
        const vec3 axis = q_unrotate(r->X_wb[m->joint_body[j]].q, get_vec(gear + 3));
        g[3] = axis.x;
        g[4] = axis.y;
        g[5] = axis.z;
    }
    for (int k = 0; k < m->joint_dofs[j]; k++) {
        r->J[m->joint_v[j] + k] += g[k];
    }
}

static void add_site(const rest_mass *r, int site, int reference, const double *gear)
{
    const thud_model *m = r->m;
    const pose X = pose_mul(r->X_wb[m->site_body[site]], m->site_pose[site]);
    const pose F = reference < 0 ? X : pose_mul(r->X_wb[m->site_body[reference]], m->site_pose[reference]);
    const vec3 force = q_rotate(F.q, get_vec(gear)), torque = q_rotate(F.q, get_vec(gear + 3));
    add_wrench(r, m->site_body[site], X.p, force, torque);
    if (reference >= 0) {
        add_wrench(r, m->site_body[reference], F.p, v3_neg(force), v3_neg(torque));
        for (int j = m->body_link[m->site_body[reference]]; j >= 0;
             j = m->link_parent[j]) { // what moves both changes nothing
            int of = m->body_link[m->site_body[site]];
            while (of > j) {
                of = m->link_parent[of];
            }
            for (int k = 0; of == j && k < m->joint_dofs[j]; k++) {
                r->J[m->joint_v[j] + k] = 0;
            }
        }
    }
}

thud_status model_rest_lever(builder *b, int i, const rest_mass *r)
{
    const thud_model *m = r->m;
    const double *gear = m->actuator_gear + 6 * (size_t)i;
    const int target = m->actuator_target[i];
    for (int k = 0; k < m->nv; k++) {
        r->J[k] = 0;
    }
    switch (m->actuator_transmission[i]) {
    case THUD_TRANSMISSION_JOINT:
    case THUD_TRANSMISSION_JOINT_IN_PARENT:
        add_joint(r, target, m->actuator_transmission[i] == THUD_TRANSMISSION_JOINT_IN_PARENT, gear);
        return THUD_OK;
    case THUD_TRANSMISSION_TENDON:
        return add_tendon(r, target, gear[0]);
    case THUD_TRANSMISSION_SITE:
        add_site(r, target, m->actuator_reference[i], gear);
        return THUD_OK;
    default:
        return FAIL_AT(
            b, b->spec->actuator[i].place,
            "actuator '%s' has a dampratio, or is a muscle without force, on a slider-crank or a body; "
            "give kv or force",
            b->spec->actuator[i].name ? b->spec->actuator[i].name : "(no name)");
    }
}

thud_status model_damp_actuators(builder *b)
{
    thud_model *m = b->m;
    rest_mass r = {0};
    thud_status status = THUD_OK;
    for (int i = 0; i < m->actuators && status == THUD_OK; i++) {
        const thud_spec_actuator *a = &b->spec->actuator[i];
        if (!(a->dampratio > 0)) {
            continue;
        }
        status = r.m ? THUD_OK : model_rest_create(m, &r);
        if (status == THUD_OK && !r.regular) {
            status = FAIL_AT(b, a->place,
                             "dampratio of actuator '%s' asks what mass it moves, and some joint moves none",
                             a->name ? a->name : "(no name)");
        }
        status = status == THUD_OK ? model_rest_lever(b, i, &r) : status;
        if (status == THUD_OK) {
            const double gives = model_rest_give(&r, r.J), kp = thud_max(m->actuator_gain[3 * (size_t)i], 0);
            m->actuator_bias[3 * (size_t)i + 2] = -2 * a->dampratio * sqrt(gives > 0 ? kp / gives : 0);
        }
    }
    model_rest_clear(&r);
    return status;
}
