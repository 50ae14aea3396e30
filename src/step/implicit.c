// SPDX-License-Identifier: Apache-2.0
// implicit.c: how far ahead a step takes springs and dampers, so that stiff ones stay stable. [theory 1, 8]
//
//     (M + h theta d + (h theta)^2 k) a = tau - c - d v - k (x + h theta v)
//
// theta = 1/2 is the midpoint rule: second order, and a spring keeps its energy. theta = 1 is backward Euler:
// first order, and what the step cannot resolve dies out instead of ringing. Between them theta follows the
// dof's stiffness, so that damping alone is exact:
//
//     (1 - (1 - theta) x) / (1 + theta x) = exp(-x),    x = h d / m    with 1/m = (M^-1)_ii at the reference pose
//
// Springs count with the part of h^2 k / m beyond 1: below, the step resolves them.
//
// Differs  theory.md's M + h D + h^2 K is theta = 1, which semi-implicit Euler uses.
#include <math.h>

#include <thud/elementary.h>

#include "sim.h"

static double fitted_theta(double x)
{
    if (x < 1e-3) {
        return 0.5 + x / 12; // next term x^3/720
    }
    return x > 700 ? 1 - 1 / x : 1 / (1 - thud_exp(-x)) - 1 / x;
}

void sim_measure_inertia(thud_sim *sim)
{
    const thud_model *m = sim->m;
    sim->force.passive = m->has_springs || sim->force.driven;
    for (int i = 0; i < m->nv; i++) {
        sim->force.passive |= m->dof_damping[i] > 0;
    }
    sim_place(sim, m->qpos0);
    if (!sim->force.passive || !sim_factor(sim, m->qpos0)) {
        return; // without inertia along a dof the first step fails and says so
    }
    thud_dynamics_opspace(m, sim->d);
    for (int i = 0; i < m->nv; i++) {
        sim->force.Minv[i] = sim->d->dof[i].Minv;
    }
}

// Stiffness and damping of actuators and tendons, which change with the pose and the controls.
static void measure_drive(thud_sim *sim, double h, bool free_only)
{
    if (!free_only) {
        levers_place_ahead(sim, h);
    }
    for (int i = 0; i < sim->m->nv; i++) {
        sim->force.servo_k[i] = sim->force.servo_d[i] = 0;
    }
    thud_drive_stiffness(sim->m, sim->force.ctrl, sim->force.act_mean, sim->force.drive, free_only,
                         sim->force.servo_k, sim->force.servo_d);
}

void sim_set_implicit(thud_sim *sim, double h, bool free_only)
{
    THUD_ASSERT(h > 0);
    const thud_model *m = sim->m;
    if ((h == sim->force.h_implicit && !sim->force.driven) || !sim->force.passive ||
        sim->scheme == THUD_INTEGRATOR_RK4) {
        return; // as it was; RK4 is explicit throughout
    }
    if (sim->force.driven) {
        measure_drive(sim, h, free_only);
    }
    const bool same = h == sim->force.h_implicit;
    sim->force.h_implicit = h;
    for (int i = 0; i < m->nv; i++) {
        const double k = m->joint_stiffness[m->dof_link[i]] + sim->force.servo_k[i],
                     d = m->dof_damping[i] + sim->force.servo_d[i], w = sim->force.Minv[i];
        if (same && k == sim->force.ahead_k[i] && d == sim->force.ahead_d[i]) {
            continue;
        }
        sim->force.ahead_k[i] = k;
        sim->force.ahead_d[i] = d;
        const double spring = greater_of(h * h * k * w - 1, 0);
        const double theta = sim->scheme == THUD_INTEGRATOR_EULER ? 1 : fitted_theta(h * d * w + spring);
        sim->force.ahead[i] = theta * h;
        sim->d->implicit[i] = theta * h * d + theta * h * theta * h * k;
    }
}
