// SPDX-License-Identifier: Apache-2.0
// certificate.c: the certificate of a step, from the findings of judge_step.c and the state at its end. [theory 7]
//
//     momentum      (M + implicit) a - (tau - c) - G^T p/h by Newton-Euler, where the last evaluation was made (judge_step.c)
//     fixed_point   how much the midpoint's last correction still changed a
//     joint_drift   how far quaternions are from unit length, loops from closed, joints beyond their limits
//     work, energy  E+ - E against the work of applied forces, dampers, contacts and projections
#include <math.h>
#include <string.h>

#include <thud/spatial_inline.h>

#include "doubts.h"
#include "sim.h"

static double quaternion_error(const double *q)
{
    return fabs(sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) - 1);
}

static double judge_drift(const thud_model *m, const double *qpos)
{
    double worst = 0;
    for (int j = 0; j < m->joints; j++) {
        const double *q = qpos + m->joint_q[j];
        if (m->joint_type[j] == THUD_JOINT_BALL) {
            worst = thud_max(worst, quaternion_error(q));
        } else if (m->joint_type[j] == THUD_JOINT_FREE) {
            worst = thud_max(worst, quaternion_error(q + 3));
        }
    }
    return worst;
}

// Work of applied forces, actuators and dampers at the mean velocity of the step.
static double judge_work(thud_sim *sim, const double *tau, const thud_state *s)
{
    double work = 0, *mean = sim->go.u[3];
    for (int i = 0; i < sim->m->nv; i++) {
        const double v = mean[i] = 0.5 * (s->qvel[i] + sim->go.v_next[i]);
        work += sim->o.h * v * ((tau ? tau[i] : 0) - sim->m->dof_damping[i] * v);
    }
    thud_qpos_integrate(sim->m, s->qpos, mean, 0.5 * sim->o.h, sim->fall.q);
    return work + sim->judge.servo_work +
           sim_drive_work(sim, sim->fall.q, mean, sim->scheme == THUD_INTEGRATOR_RK4);
}

// Most often the state is the one that the last certificate was for.
static thud_energy energy_before(thud_sim *sim, const thud_state *s)
{
    const bool same = sim->judge.energy_known &&
                      memcmp(sim->judge.q_known, s->qpos, (size_t)s->nq * sizeof(double)) == 0 &&
                      memcmp(sim->judge.v_known, s->qvel, (size_t)s->nv * sizeof(double)) == 0;
    sim->judge.doubts->ledger.continues = same;
    return same ? sim->judge.energy : sim_energy_at(sim, s->qpos, s->qvel);
}

void sim_certify(thud_sim *sim, const double *tau, const thud_state *s, thud_certificate *out)
{
    THUD_ASSERT(sim->judge.certify);
    *out = sim->judge.c;
    out->joint_drift = thud_max(out->joint_drift, judge_drift(sim->m, sim->go.q_next));
    out->work = judge_work(sim, tau, s);
    const thud_energy before = energy_before(sim, s);
    const thud_energy after = sim->judge.energy = sim_energy_at(sim, sim->go.q_next, sim->go.v_next);
    memcpy(sim->judge.q_known, sim->go.q_next, (size_t)sim->m->nq * sizeof(double));
    memcpy(sim->judge.v_known, sim->go.v_next, (size_t)sim->m->nv * sizeof(double));
    sim->judge.energy_known = true;
    out->kinetic = after.kinetic;
    out->potential = after.potential;
    out->energy_error = after.kinetic + after.potential - before.kinetic - before.potential - out->work -
                        out->contact_work - out->projected;
}
