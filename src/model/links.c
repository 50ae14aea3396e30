// SPDX-License-Identifier: Apache-2.0
// links.c: bodies and joints as a tree of links, one a joint, with constant transforms and inertias.
//
// Symbols  j joint and its link · X_lb body in its link · a joint axis in the body frame · p anchor in the
// body frame
//          Z a rotation that takes z to a, so that link frame = body frame turned by Z and moved to the
//          anchor
// The link of a body's last joint carries the body and everything welded to it; links of its earlier joints
// have no mass.
#include <math.h>
#include <string.h>

#include <thud/spatial_inline.h>

#include "build.h"

static void place_bodies(builder *b)
{
    const thud_spec *s = b->spec;
    thud_model *m = b->m;
    int mocaps = 0;
    for (int i = 0; i < m->bodies; i++) {
        m->body_parent[i] = s->body[i].parent;
        m->body_pose[i] = (pose){q_normalize(s->body[i].quat), s->body[i].pos};
        m->body_gravcomp[i] = s->body[i].gravcomp;
        m->body_joint[i] = -1;
        m->body_mocap[i] = s->body[i].mocap ? mocaps++ : -1;
    }
    for (int j = 0; j < m->joints; j++) {
        const int body = s->joint[b->joint_of[j]].body;
        if (m->body_joints[body]++ == 0) {
            m->body_joint[body] = j;
        }
    }
}

static void place_joints(builder *b)
{
    thud_model *m = b->m;
    int nq = 0, nv = 0;
    for (int j = 0; j < m->joints; j++) {
        const thud_spec_joint *joint = &b->spec->joint[b->joint_of[j]];
        const bool free = joint->type == THUD_JOINT_FREE;
        m->joint_type[j] = (int)joint->type;
        m->joint_body[j] = joint->body;
        m->joint_q[j] = nq;
        m->joint_v[j] = nv;
        m->joint_dofs[j] = thud_joint_dofs((int)joint->type);
        m->joint_pos[j] = free ? v3(0, 0, 0) : joint->pos;
        m->joint_axis[j] = v3_normalize(joint->axis);
        m->joint_stiffness[j] = m->spring_on ? joint->stiffness : 0;
        m->has_springs |= m->joint_stiffness[j] > 0;
        m->joint_actfrclimited[j] = (joint->actfrclimited == THUD_TRUE ||
                                     (joint->actfrclimited == THUD_AUTO && joint->has_actfrcrange)) &&
                                    thud_joint_dofs((int)joint->type) == 1;
        memcpy(m->joint_actfrcrange + 2 * (size_t)j, joint->actfrcrange, sizeof joint->actfrcrange);
        m->joint_actgravcomp[j] = joint->actgravcomp;
        m->joint_limited[j] =
            joint->limited == THUD_TRUE || (joint->limited == THUD_AUTO && joint->has_range);
        m->joint_margin[j] = joint->margin;
        memcpy(m->joint_range + 2 * (size_t)j, joint->range, sizeof joint->range);
        for (int k = 0; k < m->joint_dofs[j]; k++, nv++) {
            m->dof_link[nv] = j;
            m->dof_armature[nv] = joint->armature;
            m->dof_damping[nv] = m->damper_on ? joint->damping : 0;
            m->dof_frictionloss[nv] = joint->frictionloss;
        }
        nq += thud_joint_positions((int)joint->type);
    }
}

// The link frame in the body frame: at the anchor, z along the axis of a hinge or slide.
static pose link_in_body(const thud_model *m, int j)
{
    const bool has_axis = m->joint_type[j] == THUD_JOINT_HINGE || m->joint_type[j] == THUD_JOINT_SLIDE;
    const pose X = {has_axis ? q_of_zaxis(m->joint_axis[j]) : q_identity(), m->joint_pos[j]};
    return X;
}

static void place_link(thud_model *m, int j, pose X_pl)
{
    m->link_pos[j] = X_pl.p;
    m->link_rot[j] = m3_of_quat(X_pl.q);
    m->link_aligned[j] = X_pl.q.x == 0 && X_pl.q.y == 0 && X_pl.q.z == 0;
}

// From the world outward: which link each body is part of, which link each hangs on, who is welded.
static void connect(thud_model *m)
{
    m->body_link[0] = -1;
    for (int i = 1; i < m->bodies; i++) {
        const int up = m->body_parent[i];
        int link = m->body_link[up];
        for (int k = 0; k < m->body_joints[i]; k++) {
            m->link_parent[m->body_joint[i] + k] = link;
            link = m->body_joint[i] + k;
        }
        m->body_link[i] = link;
        m->body_weld[i] = m->body_joints[i] > 0 || m->body_mocap[i] >= 0 ? i : m->body_weld[up];
        m->body_root[i] = up == 0 ? i : m->body_root[up];
    }
}

void model_place_body(thud_model *m, int i)
{
    pose X = pose_mul(m->body_in_link[m->body_parent[i]], m->body_pose[i]); // in the parent body's link
    for (int k = 0; k < m->body_joints[i]; k++) {
        const int j = m->body_joint[i] + k;
        const pose X_bl = link_in_body(m, j);
        pose X_pl = pose_mul(X, X_bl);
        X_pl.q = q_normalize(X_pl.q);
        place_link(m, j, X_pl);
        X = pose_inv(X_bl);
    }
    m->body_in_link[i] = X;
}

static void place_links(thud_model *m)
{
    m->body_in_link[0] = pose_identity();
    for (int i = 1; i < m->bodies; i++) {
        model_place_body(m, i);
    }
}

static void add_link_masses(thud_model *m)
{
    for (int i = 1; i < m->bodies; i++) {
        const int l = m->body_link[i];
        const thud_inertia I = thud_inertia_map(m->body_in_link[i], m->body_inertia[i]);
        if (l < 0) {
            m->fixed_moment = v3_axpy(I.mass, I.com, m->fixed_moment);
            continue;
        }
        const vec3 c = I.com;
        double *J = m->link_inertia + 6 * (size_t)l; // about the link's origin
        J[0] += I.I[0] + I.mass * (c.y * c.y + c.z * c.z);
        J[1] += I.I[1] + I.mass * (c.x * c.x + c.z * c.z);
        J[2] += I.I[2] + I.mass * (c.x * c.x + c.y * c.y);
        J[3] += I.I[3] - I.mass * c.x * c.y;
        J[4] += I.I[4] - I.mass * c.x * c.z;
        J[5] += I.I[5] - I.mass * c.y * c.z;
        m->link_mass[l] += I.mass;
        m->link_moment[l] = v3_axpy(I.mass, c, m->link_moment[l]);
        m->link_carried[l] += m->body_gravcomp[i] * I.mass;
        m->link_carried_moment[l] = v3_axpy(m->body_gravcomp[i] * I.mass, c, m->link_carried_moment[l]);
        m->carries_weight |= m->body_gravcomp[i] != 0 && I.mass > 0;
    }
}

// A free body that nothing hangs on, whose frame is at its centre of mass and along its principal axes, to the bit.
static void find_diagonal_links(thud_model *m)
{
    for (int i = 0; i < m->joints; i++) {
        const double *J = m->link_inertia + 6 * (size_t)i;
        const vec3 h = m->link_moment[i];
        m->link_diagonal[i] = m->joint_type[i] == THUD_JOINT_FREE && m->link_parent[i] < 0 && h.x == 0 &&
                              h.y == 0 && h.z == 0 && J[3] == 0 && J[4] == 0 && J[5] == 0;
    }
    for (int i = 0; i < m->joints; i++) {
        if (m->link_parent[i] >= 0) {
            m->link_diagonal[m->link_parent[i]] = 0;
        }
    }
}

// dof_parent, and the rows of the sparse M: row i holds M(i, i), M(i, parent), M(i, parent of parent) ...
static void connect_dofs(thud_model *m)
{
    int64_t stored = 0;
    for (int i = 0; i < m->nv; i++) {
        const int l = m->dof_link[i];
        const int up = m->link_parent[l];
        if (i > m->joint_v[l]) {
            m->dof_parent[i] = i - 1;
        } else {
            m->dof_parent[i] = up < 0 ? -1 : m->joint_v[up] + m->joint_dofs[up] - 1;
        }
        m->dof_row[i] = stored;
        const int above = m->dof_parent[i];
        const int64_t depth = above < 0 ? 1 : 1 + m->dof_row[above + 1] - m->dof_row[above];
        stored += depth;
        m->dof_row[i + 1] = stored;
    }
}

thud_status model_build_links(builder *b)
{
    thud_model *m = b->m;
    place_bodies(b);
    place_joints(b);
    connect(m);
    place_links(m);
    THUD_TRY(model_build_masses(b));
    add_link_masses(m);
    find_diagonal_links(m);
    connect_dofs(m);
    return THUD_OK;
}
