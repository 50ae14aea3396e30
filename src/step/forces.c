// SPDX-License-Identifier: Apache-2.0
// forces.c: all forces of a substep but those of constraints: applied ones, springs, dampers, tendons,
// actuators.
//
// Semi-implicit steps take what depends on the motion a part of the step ahead (implicit.c). Tendons and
// actuators have levers that change with the pose: those are taken where the step's middle is guessed to be, as its first
// evaluation is (the midpoint rule), or at its start (Euler); the little that is missing to theta h, along the levers.
#include <string.h>

#include "sim.h"

bool sim_is_driven(const thud_model *m)
{
    bool any = m->actuators > 0 && m->actuation_on;
    for (int t = 0; t < m->tendons; t++) {
        any |= m->tendon_stiffness[t] > 0 || m->tendon_damping[t] > 0;
    }
    return any;
}

// Forces of actuators and tendons where the drive has been placed, added to sim->force.tau.
static void add_drive(thud_sim *sim, const double *shift, double early)
{
    const thud_model *m = sim->m;
    thud_drive_input in = {.ctrl = sim->force.ctrl, .act = sim->force.act_mean, .h = early, .shift = shift};
    if (m->carries_weight) {
        for (int i = 0; i < m->nv; i++) {
            sim->force.carried[i] = 0;
        }
        thud_carried_force(m, sim->d, sim->force.carried);
        in.carried = sim->force.carried;
    }
    thud_actuator_force(m, &in, sim->force.drive, sim->force.pull);
    thud_tendon_force(m, shift, sim->force.drive, sim->force.tau);
    for (int i = 0; i < m->nv; i++) {
        sim->force.tau[i] += sim->force.pull[i];
    }
}

static void add_applied(thud_sim *sim, const double *tau)
{
    for (int i = 0; tau && i < sim->m->nv; i++) {
        sim->force.tau[i] += tau[i];
    }
}

void sim_set_forces(thud_sim *sim, const double *tau, double h)
{
    THUD_ASSERT(h > 0);
    const thud_model *m = sim->m;
    thud_passive_force(m, sim->begun.q_start, sim->begun.v_start, sim->force.ahead, sim->force.tau);
    add_applied(sim, tau);
    if (!sim->force.driven) {
        return;
    }
    double *shift = sim->go.k[0];
    bool clamped = false;
    for (int i = 0; i < m->nv; i++) { // from where the levers are
        shift[i] = sim->force.ahead[i] * sim->begun.v_start[i] - levers_ahead(sim, h) * sim->fall.v[i];
    }
    add_drive(sim, shift, h);
    for (int i = 0; i < m->actuators; i++) {
        clamped |= sim->force.drive->clamped[i];
    }
    if (clamped) { // an actuator at its limit adds no stiffness
        sim_set_implicit(sim, h, true);
    }
}

void sim_set_forces_at(thud_sim *sim, const double *q, const double *v, const double *tau, double t, double h)
{
    const thud_model *m = sim->m;
    thud_passive_force(m, q, v, NULL, sim->force.tau);
    add_applied(sim, tau);
    if (sim->force.driven) {
        sim_place(sim, q);
        levers_place(sim, q, v);
        thud_activation_advance(m, sim->force.ctrl, sim->force.act, t, sim->force.act_mean);
        add_drive(sim, NULL, h);
    }
}

double sim_drive_power(thud_sim *sim, const double *v)
{
    const thud_model *m = sim->m;
    double power = 0;
    for (int i = 0; sim->force.driven && i < m->nv; i++) {
        power += sim->force.pull[i] * v[i];
    }
    for (int t = 0; sim->force.driven && t < m->tendons; t++) {
        power -= m->tendon_damping[t] * sim->force.drive->tendon_velocity[t] *
                 sim->force.drive->tendon_velocity[t];
    }
    if (m->has_drag) {
        double *drag = sim->go.u[0];
        memset(drag, 0, (size_t)m->nv * sizeof *drag);
        thud_drag_force(m, sim->d, drag);
        for (int i = 0; i < m->nv; i++) {
            power += drag[i] * v[i];
        }
    }
    return power;
}

double sim_drive_work(thud_sim *sim, const double *q_mean, const double *v_mean, bool actuators)
{
    const thud_model *m = sim->m;
    if (!sim->force.driven && !m->has_drag) {
        return 0;
    }
    if (sim->force.driven) {
        memset(sim->force.tau, 0, (size_t)m->nv * sizeof(double));
        sim_place(sim, q_mean);
        levers_place(sim, q_mean, v_mean);
        add_drive(sim, NULL, sim->o.h);
    }
    for (int i = 0; i < m->nv && !actuators; i++) {
        sim->force.pull[i] = 0;
    }
    if (m->has_drag) {
        sim_place(sim, q_mean);
        sim_move(sim, v_mean);
    }
    return sim->o.h * sim_drive_power(sim, v_mean);
}

thud_energy sim_energy_at(thud_sim *sim, const double *qpos, const double *qvel)
{
    sim_place(sim, qpos);
    sim_move(sim, qvel);
    thud_energy e = thud_dynamics_energy(sim->m, qpos, qvel, sim->d);
    if (sim->force.drive && sim->m->tendons > 0) {
        thud_drive_place(sim->m, qpos, sim->d, sim->force.drive);
        e.potential += thud_tendon_energy(sim->m, sim->force.drive);
    }
    return e;
}
