// SPDX-License-Identifier: Apache-2.0
// passive.c: forces of joint springs and dampers.
//
//     tau = -d v - k (x + ahead v)     x = q - rest for hinge and slide, log(rest^-1 q) for what turns
#include "kernel.h"

static void pull(double k, vec3 x, const double *qvel, const double *ahead, double *tau)
{
    const double stretch[3] = {x.x, x.y, x.z};
    for (int i = 0; i < 3; i++) {
        tau[i] -= k * (stretch[i] + (ahead ? ahead[i] * qvel[i] : 0));
    }
}

static vec3 turn_from_rest(const double *rest, const double *q)
{
    const quat a = {rest[0], rest[1], rest[2], rest[3]}, b = {q[0], q[1], q[2], q[3]};
    return q_log(q_mul(q_conj(a), b));
}

void thud_passive_force(const thud_model *m, const double *qpos, const double *qvel, const double *ahead,
                        double *tau)
{
    for (int i = 0; i < m->nv; i++) {
        tau[i] = -m->dof_damping[i] * qvel[i];
    }
    for (int j = 0; m->has_springs && j < m->joints; j++) {
        const double k = m->joint_stiffness[j], *q = qpos + m->joint_q[j],
                     *rest = m->qpos_spring + m->joint_q[j];
        const int i = m->joint_v[j];
        const double *lead = ahead ? ahead + i : NULL;
        if (k == 0) {
            continue;
        }
        if (m->joint_type[j] == THUD_JOINT_FREE) {
            pull(k, v3(q[0] - rest[0], q[1] - rest[1], q[2] - rest[2]), qvel + i, lead, tau + i);
            pull(k, turn_from_rest(rest + 3, q + 3), qvel + i + 3, lead ? lead + 3 : NULL, tau + i + 3);
        } else if (m->joint_type[j] == THUD_JOINT_BALL) {
            pull(k, turn_from_rest(rest, q), qvel + i, lead, tau + i);
        } else {
            tau[i] -= k * (q[0] - rest[0] + (lead ? lead[0] * qvel[i] : 0));
        }
    }
}
