// SPDX-License-Identifier: Apache-2.0
// levers.c: where the levers of actuators and tendons are taken in a substep.
#include "sim.h"

// Levers at q, where the links are, velocities of v.
void levers_place(thud_sim *sim, const double *q, const double *v)
{
    thud_drive_place(sim->m, q, sim->d, sim->drive);
    thud_drive_move(sim->m, v, sim->drive);
}

double levers_ahead(const thud_sim *sim, double h) // how far into the step levers are taken
{
    return sim->scheme == THUD_INTEGRATOR_MIDPOINT ? 0.5 * h : 0;
}

void levers_place_ahead(thud_sim *sim, double h)
{
    const thud_model *m = sim->m;
    const double t = levers_ahead(sim, h);
    for (int i = 0; i < m->nv; i++) {
        sim->v[i] = sim->v_start[i] + t * sim->guess[i];
    }
    if (sim->drive->spatial || m->carries_weight || sim->sleep) {
        sim_integrate(sim, sim->q_start, sim->v, t, sim->q);
    } else {
        thud_qpos_integrate_part(m, sim->drive->joint, m->joints, sim->q_start, sim->v, t, sim->q);
    }
    if (sim->drive->spatial || m->carries_weight) { // otherwise joints say it all
        (m->carries_weight ? sim_place : sim_place_frames)(sim, sim->q);
    }
    levers_place(sim, sim->q, sim->v_start);
    thud_activation_advance(m, sim->ctrl, sim->act, levers_ahead(sim, h), sim->act_mean);
}
