// SPDX-License-Identifier: Apache-2.0
// kinematics.c: poses in the world, and moving positions along velocities on their group.
#include <string.h>

#include "kernel.h"

static quat get_quat(const double *q)
{
    const quat a = {q[0], q[1], q[2], q[3]};
    return a;
}

static void put_quat(quat a, double *q)
{
    q[0] = a.w;
    q[1] = a.x;
    q[2] = a.y;
    q[3] = a.z;
}

// Moves a body's pose by one of its joints, as MuJoCo does: the anchor stays where it was unless the joint
// slides.
static pose apply_joint(const thud_model *m, int j, const double *q, pose X)
{
    const double x = q[0] - m->qpos0[m->joint_q[j]];
    if (m->joint_type[j] == THUD_JOINT_FREE) {
        return (pose){q_normalize(get_quat(q + 3)), v3(q[0], q[1], q[2])};
    }
    if (m->joint_type[j] == THUD_JOINT_SLIDE) {
        return (pose){X.q, v3_axpy(x, q_rotate(X.q, m->joint_axis[j]), X.p)};
    }
    const bool hinge = m->joint_type[j] == THUD_JOINT_HINGE;
    const quat turn = hinge ? q_axis_angle(m->joint_axis[j], x) : q_normalize(get_quat(q));
    const vec3 anchor = pose_point(X, m->joint_pos[j]);
    const quat after = q_mul(X.q, turn);
    return (pose){after, v3_sub(anchor, q_rotate(after, m->joint_pos[j]))};
}

void thud_body_poses(const thud_model *m, const double *qpos, pose *X_wb)
{
    X_wb[0] = pose_identity();
    for (int i = 1; i < m->bodies; i++) {
        pose X = pose_mul(X_wb[m->body_parent[i]], m->body_pose[i]);
        for (int j = m->body_joint[i]; j >= 0 && j < m->body_joint[i] + m->body_joints[i]; j++) {
            X = apply_joint(m, j, qpos + m->joint_q[j], X);
        }
        X.q = q_normalize(X.q);
        X_wb[i] = X;
    }
}

void thud_geom_poses(const thud_model *m, const pose *X_wb, pose *X_wg)
{
    for (int g = 0; g < m->geoms; g++) {
        X_wg[g] = pose_mul(X_wb[m->geom_body[g]], m->geom_pose[g]);
    }
}

void thud_site_poses(const thud_model *m, const pose *X_wb, pose *X_ws)
{
    for (int s = 0; s < m->sites; s++) {
        X_ws[s] = pose_mul(X_wb[m->site_body[s]], m->site_pose[s]);
    }
}

static void turn(const double *q, const double *w, double h, double *out)
{
    put_quat(q_normalize(q_mul(get_quat(q), q_exp(v3(h * w[0], h * w[1], h * w[2])))), out);
}

void thud_qpos_integrate(const thud_model *m, const double *qpos, const double *v, double h, double *out)
{
    for (int j = 0; j < m->joints; j++) {
        const double *q = qpos + m->joint_q[j], *w = v + m->joint_v[j];
        double *to = out + m->joint_q[j];
        switch (m->joint_type[j]) {
        case THUD_JOINT_FREE:
            for (int k = 0; k < 3; k++) {
                to[k] = q[k] + h * w[k];
            }
            turn(q + 3, w + 3, h, to + 3);
            break;
        case THUD_JOINT_BALL:
            turn(q, w, h, to);
            break;
        default:
            to[0] = q[0] + h * w[0];
        }
    }
}

static void turn_between(const double *from, const double *to, double *w)
{
    const vec3 r = q_log(q_mul(q_conj(get_quat(from)), get_quat(to)));
    w[0] = r.x;
    w[1] = r.y;
    w[2] = r.z;
}

void thud_qpos_difference(const thud_model *m, const double *from, const double *to, double *v)
{
    for (int j = 0; j < m->joints; j++) {
        const double *a = from + m->joint_q[j], *b = to + m->joint_q[j];
        double *w = v + m->joint_v[j];
        switch (m->joint_type[j]) {
        case THUD_JOINT_FREE:
            for (int k = 0; k < 3; k++) {
                w[k] = b[k] - a[k];
            }
            turn_between(a + 3, b + 3, w + 3);
            break;
        case THUD_JOINT_BALL:
            turn_between(a, b, w);
            break;
        default:
            w[0] = b[0] - a[0];
        }
    }
}
