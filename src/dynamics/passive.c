// SPDX-License-Identifier: Apache-2.0
// passive.c: forces of joint springs and dampers.
//
//     tau = -d v - k x(q + ahead v)     x = q - rest for hinge and slide, log(rest^-1 q) for what turns
#include "kernel.h"

static void pull(double k, vec3 x, double *tau)
{
    tau[0] -= k * x.x;
    tau[1] -= k * x.y;
    tau[2] -= k * x.z;
}

static vec3 stretch(const double *rest, const double *q, const double *v, const double *ahead)
{
    const vec3 x = v3(q[0] - rest[0], q[1] - rest[1], q[2] - rest[2]);
    return ahead ? v3_add(x, v3(ahead[0] * v[0], ahead[1] * v[1], ahead[2] * v[2])) : x;
}

static vec3 twist(const double *rest, const double *q, const double *w, const double *ahead)
{
    const quat a = {rest[0], rest[1], rest[2], rest[3]};
    quat b = {q[0], q[1], q[2], q[3]};
    if (ahead) {
        b = q_mul(b, q_exp(v3(ahead[0] * w[0], ahead[1] * w[1], ahead[2] * w[2])));
    }
    return q_log(q_mul(q_conj(a), b));
}

void thud_passive_force(const thud_model *m, const double *qpos, const double *qvel, const double *ahead,
                        double *tau)
{
    enum { FEW = 8 };
    for (int i = 0; i < FEW && i < m->nv; i++) { // few, and the compiler is told so
        tau[i] = -m->dof_damping[i] * qvel[i];
    }
    for (int i = FEW; i < m->nv; i++) {
        tau[i] = -m->dof_damping[i] * qvel[i];
    }
    for (int j = 0; m->has_springs && j < m->joints; j++) {
        const double k = m->joint_stiffness[j], *q = qpos + m->joint_q[j],
                     *rest = m->qpos_spring + m->joint_q[j];
        const int i = m->joint_v[j];
        const double *v = qvel + i, *lead = ahead ? ahead + i : NULL;
        if (k == 0) {
            continue;
        }
        if (m->joint_type[j] == THUD_JOINT_FREE) {
            pull(k, stretch(rest, q, v, lead), tau + i);
            pull(k, twist(rest + 3, q + 3, v + 3, lead ? lead + 3 : NULL), tau + i + 3);
        } else if (m->joint_type[j] == THUD_JOINT_BALL) {
            pull(k, twist(rest, q, v, lead), tau + i);
        } else {
            tau[i] -= k * (q[0] - rest[0] + (lead ? lead[0] * v[0] : 0));
        }
    }
}
