// SPDX-License-Identifier: Apache-2.0
// certificate.c: what a step is worth, judged from its result by code the step did not use. [theory 7]
//
//     momentum      (M + implicit) a - (tau - c) - G^T p/h by Newton-Euler, where the last evaluation was made
//     fixed_point   how much the midpoint's last correction still changed a
//     joint_drift   how far quaternions are from unit length, loops from closed, joints beyond their limits
//     work, energy  E+ - E against the work of applied forces, dampers, contacts and projections
#include <math.h>
#include <string.h>

#include <thud/spatial_inline.h>

#include "sim.h"

// The law of motion where the dynamics were last evaluated, at (sim->q, sim->v) under sim->tau: the links are
// still there. Contacts enter as wrenches, not through the W that was solved.
static double judge_momentum(thud_sim *sim, double h)
{
    const thud_model *m = sim->m;
    const double *acc = sim->scheme == THUD_INTEGRATOR_RK4 ? sim->k[3] : sim->acc;
    double *force = sim->u[0], *bias = sim->u[1], *total = sim->u[2], *moving = sim->u[3];
    double worst = 0, scale = 0;
    for (int i = 0; i < m->nv; i++) {
        total[i] = acc[i] + sim->push[i];
    }
    thud_dynamics_rnea(m, NULL, sim->d, bias);
    thud_dynamics_rnea(m, total, sim->d, moving); // without the contacts, whose share is part of the scale
    sim_forget_motion(sim);
    for (int i = 0; sim->constrained && i < m->joints; i++) {
        thud_link *l = &sim->d->link[i];
        l->f0 = v3_axpy(-1 / h, sim->wrench[i].lin, l->f0);
        l->n0 = v3_axpy(-1 / h, sim->wrench[i].ang, l->n0);
    }
    thud_dynamics_rnea(m, total, sim->d, force);
    for (int i = 0; i < m->nv; i++) {
        if (sim_link_sleeps(sim, m->dof_link[i])) {
            continue; // judged when it fell asleep
        }
        const double right = sim->tau[i], left = force[i] + sim->d->implicit[i] * total[i];
        worst = thud_max(worst, fabs(left - right));
        scale = thud_max(scale, fabs(moving[i] - bias[i]) + fabs(right) + fabs(bias[i]));
    }
    return scale > 0 ? worst / scale : worst;
}

// A servo's force as the substep took it, a part of it ahead: what a stiff one does in a coarse step is not what it would
// do at its mean. RK4 takes several and is judged by the mean.
static double judge_servos(const thud_sim *sim, double h)
{
    double work = 0;
    if (!sim->driven || sim->scheme == THUD_INTEGRATOR_RK4) {
        return 0;
    }
    for (int i = 0; i < sim->m->nv; i++) {
        const double ahead = sim->ahead[i], given = ahead * (sim->servo_d[i] + ahead * sim->servo_k[i]);
        const double force = sim->pull[i] - given * (sim->acc[i] + sim->push[i]);
        work += h * force * 0.5 * (sim->v_start[i] + sim->v_next[i]);
    }
    return work;
}

void sim_judge(thud_sim *sim, double h)
{
    sim->servo_work += judge_servos(sim, h);
    if (sim->constrained) {
        thud_rows_wrenches(sim->rows, sim->wrench);
        double *mean = sim->u[3]; // an impulse works at the mean of the velocities before and after
        for (int i = 0; i < sim->m->nv; i++) {
            mean[i] = 0.5 * (sim->v_start[i] + sim->v_next[i]);
        }
        thud_dynamics_twists(sim->m, sim->d, mean, sim->V);
        sim->here.twisted = -1;
        for (int i = 0; i < sim->m->joints; i++) {
            sim->c.contact_work +=
                v3_dot(sim->wrench[i].ang, sim->V[i].ang) + v3_dot(sim->wrench[i].lin, sim->V[i].lin);
        }
    }
    sim->c.momentum = thud_max(sim->c.momentum, judge_momentum(sim, h));
}

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
    double work = 0, *mean = sim->u[3];
    for (int i = 0; i < sim->m->nv; i++) {
        const double v = mean[i] = 0.5 * (s->qvel[i] + sim->v_next[i]);
        work += sim->o.h * v * ((tau ? tau[i] : 0) - sim->m->dof_damping[i] * v);
    }
    thud_qpos_integrate(sim->m, s->qpos, mean, 0.5 * sim->o.h, sim->q);
    return work + sim->servo_work + sim_drive_work(sim, sim->q, mean, sim->scheme == THUD_INTEGRATOR_RK4);
}

// Most often the state is the one that the last certificate was for.
static thud_energy energy_before(thud_sim *sim, const thud_state *s)
{
    const bool same = sim->energy_known &&
                      memcmp(sim->q_known, s->qpos, (size_t)s->nq * sizeof(double)) == 0 &&
                      memcmp(sim->v_known, s->qvel, (size_t)s->nv * sizeof(double)) == 0;
    return same ? sim->energy : sim_energy_at(sim, s->qpos, s->qvel);
}

void sim_certify(thud_sim *sim, const double *tau, const thud_state *s, thud_certificate *out)
{
    *out = sim->c;
    out->joint_drift = thud_max(out->joint_drift, judge_drift(sim->m, sim->q_next));
    out->work = judge_work(sim, tau, s);
    const thud_energy before = energy_before(sim, s);
    const thud_energy after = sim->energy = sim_energy_at(sim, sim->q_next, sim->v_next);
    memcpy(sim->q_known, sim->q_next, (size_t)sim->m->nq * sizeof(double));
    memcpy(sim->v_known, sim->v_next, (size_t)sim->m->nv * sizeof(double));
    sim->energy_known = true;
    out->kinetic = after.kinetic;
    out->potential = after.potential;
    out->energy_error = after.kinetic + after.potential - before.kinetic - before.potential - out->work -
                        out->contact_work - out->projected;
}
