// SPDX-License-Identifier: Apache-2.0
// jacobian.c: the Jacobian of a point on a body, and the energies.
#include "kernel.h"

void thud_dynamics_jacobian(const thud_model *m, const thud_dynamics *d, int body, vec3 point, double *J)
{
    const size_t n = (size_t)m->nv;
    for (size_t k = 0; k < 6 * n; k++) {
        J[k] = 0;
    }
    for (int i = m->body_link[body]; i >= 0; i = m->link_parent[i]) {
        const vec3 arm = v3_sub(point, d->link[i].o);
        for (int k = m->joint_v[i]; k < m->joint_v[i] + m->joint_dofs[i]; k++) {
            const thud_dof *dof = &d->dof[k];
            const vec3 w = dof->linear ? v3(0, 0, 0) : dof->s;
            const vec3 v = dof->linear ? dof->s : v3_cross(dof->s, arm);
            const double column[6] = {w.x, w.y, w.z, v.x, v.y, v.z};
            for (int row = 0; row < 6; row++) {
                J[(size_t)row * n + (size_t)k] = column[row];
            }
        }
    }
}

void thud_point_force(const thud_model *m, const thud_dynamics *d, int body, vec3 force, vec3 torque,
                      vec3 point, double *tau)
{
    for (int i = m->body_link[body]; i >= 0; i = m->link_parent[i]) {
        const vec3 n = v3_add(torque, v3_cross(v3_sub(point, d->link[i].o), force));
        for (int k = m->joint_v[i]; k < m->joint_v[i] + m->joint_dofs[i]; k++) {
            tau[k] += dof_force(&d->dof[k], n, force);
        }
    }
}

static double spring_energy(const thud_model *m, const double *qpos)
{
    double sum = 0;
    for (int j = 0; m->has_springs && j < m->joints; j++) {
        const double k = m->joint_stiffness[j], *q = qpos + m->joint_q[j],
                     *rest = m->qpos_spring + m->joint_q[j];
        double stretch2 = 0;
        int turn = -1; // where the quaternion starts
        if (m->joint_type[j] == THUD_JOINT_FREE) {
            stretch2 = v3_norm2(v3(q[0] - rest[0], q[1] - rest[1], q[2] - rest[2]));
            turn = 3;
        } else if (m->joint_type[j] == THUD_JOINT_BALL) {
            turn = 0;
        } else {
            stretch2 = (q[0] - rest[0]) * (q[0] - rest[0]);
        }
        if (turn >= 0) {
            const quat a = {rest[turn], rest[turn + 1], rest[turn + 2], rest[turn + 3]};
            const quat b = {q[turn], q[turn + 1], q[turn + 2], q[turn + 3]};
            stretch2 += v3_norm2(q_log(q_mul(q_conj(a), b)));
        }
        sum += 0.5 * k * stretch2;
    }
    return sum;
}

thud_energy thud_dynamics_energy(const thud_model *m, const double *qpos, const double *qvel,
                                 const thud_dynamics *d)
{
    double twice = 0;
    vec3 moment = m->fixed_moment;
    for (int i = 0; i < m->joints; i++) {
        const thud_link *l = &d->link[i];
        twice += v3_dot(l->w, sym_mul(l->I, l->w)) + l->mass * v3_norm2(l->v) +
                 2 * v3_dot(l->v, v3_cross(l->w, l->h));
        const vec3 carried = m3_mulv(&l->R, m->link_carried_moment[i]);
        moment = v3_add(moment, v3_sub(v3_axpy(l->mass - m->link_carried[i], l->o, l->h), carried));
    }
    for (int k = 0; k < m->nv; k++) {
        twice += m->dof_armature[k] * qvel[k] * qvel[k];
    }
    const thud_energy e = {0.5 * twice, spring_energy(m, qpos) - v3_dot(m->gravity, moment)};
    return e;
}
