// SPDX-License-Identifier: Apache-2.0
// poses.c: where bodies, geoms and sites are in the world.
#include <thud/model_poses.h>
#include <thud/spatial_inline.h>

static quat get_quat(const double *q)
{
    const quat a = {q[0], q[1], q[2], q[3]};
    return a;
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
