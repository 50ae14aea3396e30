// SPDX-License-Identifier: Apache-2.0
// euler.c: semi-implicit Euler, springs and dampers implicit. [theory 1]
//
//     v+ = v + h (M + h D + h^2 K)^-1 (tau - c - D v - K (x + h v)),   q+ = q + h v+
// Order 1; pumps energy into long chains [theory 8].
#include "sim.h"

bool step_euler(thud_sim *sim, const double *tau, const thud_state *s)
{
    const int nv = sim->m->nv;
    const double h = sim->o.h;
    thud_passive_force(sim->m, s->qpos, s->qvel, sim->ahead, sim->tau);
    for (int i = 0; tau && i < nv; i++) {
        sim->tau[i] += tau[i];
    }
    const bool positive = sim_accelerate(sim, s->qpos, s->qvel, sim->tau, sim->acc);
    for (int i = 0; i < nv; i++) {
        sim->v_next[i] = s->qvel[i] + h * sim->acc[i];
        sim->v_mean[i] = sim->v_next[i];
    }
    thud_qpos_integrate(sim->m, s->qpos, sim->v_next, h, sim->q_next);
    return positive;
}
