// SPDX-License-Identifier: Apache-2.0
// levers.c: where the levers of actuators and tendons are taken in a substep.
#include "sim.h"

// Levers at q, where the links are, velocities of v.
void levers_place(thud_sim *sim, const double *q, const double *v)
{
    THUD_ASSERT(sim->force.drive);
    thud_drive_place(sim->m, q, sim->d, sim->force.drive);
    thud_drive_move(sim->m, v, sim->force.drive);
}

double levers_ahead(const thud_sim *sim, double h) // how far into the step levers are taken
{
    return sim->scheme == THUD_INTEGRATOR_MIDPOINT ? 0.5 * h : 0;
}

void levers_place_ahead(thud_sim *sim, double h)
{
    THUD_ASSERT(sim->force.drive && h > 0);
    const thud_model *m = sim->m;
    const double t = levers_ahead(sim, h);
    for (int i = 0; i < m->nv; i++) {
        sim->fall.v[i] = sim->begun.v_start[i] + t * sim->begun.guess[i];
    }
    if (sim->force.drive->spatial || m->carries_weight || sim->sleep) {
        sim_integrate(sim, sim->begun.q_start, sim->fall.v, t, sim->fall.q);
    } else {
        thud_qpos_integrate_part(m, sim->force.drive->joint, m->joints, sim->begun.q_start, sim->fall.v, t,
                                 sim->fall.q);
    }
    if (sim->force.drive->spatial || m->carries_weight) { // otherwise joints say it all
        (m->carries_weight ? sim_place : sim_place_frames)(sim, sim->fall.q);
    }
    levers_place(sim, sim->fall.q, sim->begun.v_start);
    thud_activation_advance(m, sim->force.ctrl, sim->force.act, levers_ahead(sim, h), sim->force.act_mean);
}
