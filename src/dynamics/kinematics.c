// SPDX-License-Identifier: Apache-2.0
// kinematics.c: moving positions along velocities on their group.
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

static void turn(const double *q, const double *w, double h, double *out)
{
    put_quat(q_normalize(q_mul(get_quat(q), q_exp(v3(h * w[0], h * w[1], h * w[2])))), out);
}

void thud_qpos_integrate(const thud_model *m, const double *qpos, const double *v, double h, double *out)
{
    thud_qpos_integrate_part(m, 0, m->joints, qpos, v, h, out);
}

THUD_INSIDE void advance_all(int n, const double *q, const double *v, double h, double *to)
{
    enum { FEW = 8 };
    for (int i = 0; i < FEW && i < n; i++) { // few, and the compiler is told so
        to[i] = q[i] + h * v[i];
    }
    for (int i = FEW; i < n; i++) {
        to[i] = q[i] + h * v[i];
    }
}

void thud_qpos_integrate_part(const thud_model *m, int first, int end, const double *qpos, const double *v,
                              double h, double *out)
{
    if (m->nq == m->nv) { // every joint has one position and one velocity, of the same number
        advance_all(end - first, qpos + first, v + first, h, out + first);
        return;
    }
    for (int j = first; j < end; j++) {
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
