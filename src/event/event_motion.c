// SPDX-License-Identifier: Apache-2.0
// event_motion.c: smooth motion as an ordinary differential equation.
//
//     x = (q, v, work, contact work)       q' = v, quaternions q' = q (0, w) / 2;   v' = M^-1 (tau - c + G^T f)
//
// Activations are functions of time alone (forces.c), the controls being constant in a step.
#include <string.h>

#include "event.h"

int motion_size(const thud_model *m)
{
    return m->nq + m->nv + 2;
}

static void quaternion_rate(const double *q, const double *w, double *out)
{
    out[0] = 0.5 * (-q[1] * w[0] - q[2] * w[1] - q[3] * w[2]);
    out[1] = 0.5 * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]);
    out[2] = 0.5 * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]);
    out[3] = 0.5 * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]);
}

static void position_rate(const thud_model *m, const double *q, const double *v, double *out)
{
    for (int j = 0; j < m->joints; j++) {
        const double *x = q + m->joint_q[j], *w = v + m->joint_v[j];
        double *rate = out + m->joint_q[j];
        switch (m->joint_type[j]) {
        case THUD_JOINT_FREE:
            memcpy(rate, w, 3 * sizeof *rate);
            quaternion_rate(x + 3, w + 3, rate + 3);
            break;
        case THUD_JOINT_BALL:
            quaternion_rate(x, w, rate);
            break;
        default:
            rate[0] = w[0];
        }
    }
}

static int quaternion_of(const thud_model *m, int j) // its place among a joint's positions; -1: none
{
    return m->joint_type[j] == THUD_JOINT_FREE ? 3 : m->joint_type[j] == THUD_JOINT_BALL ? 0 : -1;
}

void motion_normalise(const thud_model *m, const double *x, double *q)
{
    memcpy(q, x, (size_t)m->nq * sizeof *q);
    for (int j = 0; j < m->joints; j++) {
        const int at = quaternion_of(m, j);
        double *p = q + m->joint_q[j] + at;
        const double length = at < 0 ? 0 : sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
        for (int k = 0; k < 4 && length > 0; k++) {
            p[k] /= length;
        }
    }
}

// Power of applied forces, dampers, actuators and drag, where forces were set last.
static double applied_power(thud_sim *sim, const double *v)
{
    const double *tau = sim->above.event->tau;
    double power = sim_drive_power(sim, v);
    for (int i = 0; i < sim->m->nv; i++) {
        power += v[i] * ((tau ? tau[i] : 0) - sim->m->dof_damping[i] * v[i]);
    }
    return power;
}

substep_result motion_rate(thud_sim *sim, double t, const double *x, double *q, double *rate)
{
    const int nq = sim->m->nq, nv = sim->m->nv;
    const double *v = x + nq;
    motion_normalise(sim->m, x, q);
    const substep_result result = hold_accelerate(sim, q, v, t);
    position_rate(sim->m, x, v, rate);
    for (int i = 0; i < nv; i++) {
        rate[nq + i] = sim->fall.acc[i] + sim->answer.push[i];
    }
    rate[nq + nv] = applied_power(sim, v);
    rate[nq + nv + 1] = sim->above.event->power;
    return result;
}

void motion_bend(const thud_sim *sim, const double *x, const double *rate, double *bend)
{
    const thud_model *m = sim->m;
    const double *v = x + m->nq;
    memset(bend, 0, (size_t)motion_size(m) * sizeof *bend);
    position_rate(m, x, rate + m->nq, bend); // q a
    for (int j = 0; j < m->joints; j++) {    // and, of quaternions, q' w
        const int at = quaternion_of(m, j);
        if (at >= 0) {
            double turn[4];
            quaternion_rate(rate + m->joint_q[j] + at, v + m->joint_v[j] + at, turn);
            for (int k = 0; k < 4; k++) {
                bend[m->joint_q[j] + at + k] += turn[k];
            }
        }
    }
}
