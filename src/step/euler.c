// SPDX-License-Identifier: Apache-2.0
// euler.c: semi-implicit Euler, springs and dampers implicit; the step of the LCP papers.          [theory 1,
// 2, 3]
//
//     v+ = v + (M + h D + h^2 K)^-1 (h (tau - c - D v - K (x + h v)) + G^T p),   q+ = q + h v+
//
// M, c and G are those of the step's start, except for Stewart and Trinkle's laws: theirs are those of q^,
// first q + h v, and in the nonlinear version then q+ of the last solve until it stays where it is [ST 3.4].
// Order 1; pumps energy into long chains [theory 8].
#include <math.h>
#include <string.h>

#include "sim.h"

static const double FIXED = 1e-12; // relative change of v+ at which the fixed point counts as reached, or the
                                   // law's own tolerance if that is larger
enum { MOST_SWEEPS = 30 };

static substep_result solve_at(thud_sim *sim, const double *q, double h)
{
    if (!sim_accelerate(sim, q, sim->begun.v_start, sim->force.tau, sim->fall.acc)) {
        return SUBSTEP_FAILED;
    }
    const substep_result result = sim_constrain(sim, h, false);
    sim_go(sim, h, 0, sim->m->nv);
    return result;
}

// The largest change of v_next against v_mean, relative to the sum of its terms' sizes; v_mean <- v_next.
static double settle(thud_sim *sim, double h)
{
    double change = 0, size = 0;
    for (int i = 0; i < sim->m->nv; i++) {
        change = thud_max(change, fabs(sim->go.v_next[i] - sim->go.v_mean[i]));
        size = thud_max(size, fabs(sim->go.v_next[i]) + h * fabs(sim->fall.acc[i]));
        sim->go.v_mean[i] = sim->go.v_next[i];
    }
    return change > 0 ? change / size : 0;
}

substep_result step_euler(thud_sim *sim, const double *tau, double h)
{
    THUD_ASSERT(h > 0);
    const thud_model *m = sim->m;
    const bool ahead = sim_ask(sim) == THUD_ASK_POSITION, repeats = sim->law->repeats;
    sim_set_forces(sim, tau, h);
    for (int i = 0; i < m->nv; i++) {
        sim->fall.v[i] = sim->go.v_mean[i] = sim->begun.v_start[i];
    }
    memcpy(sim->fall.q, sim->begun.q_start, (size_t)m->nq * sizeof(double));
    substep_result result = SUBSTEP_DONE;
    for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
        if (ahead) {
            sim_integrate(sim, sim->begun.q_start, sim->go.v_mean, h, sim->fall.q);
        }
        result = solve_at(sim, sim->fall.q, h);
        if (result != SUBSTEP_DONE && result != SUBSTEP_UNSOLVED) {
            return result;
        }
        sim->judge.c.fixed_point = settle(sim, h);
        if (!repeats || sim->judge.c.fixed_point < thud_max(FIXED, sim->o.law.tolerance)) {
            sim->judge.c.fixed_point = repeats ? sim->judge.c.fixed_point : 0;
            break;
        }
    }
    if (sim->sight.touches == 0 && sim->sight.collider) { // nothing is near: how far away is to be known
        sim_twists(sim, sim->go.v_next, sim->fall.V_hat);
        touch_clock(sim, sim->fall.V_hat);
    }
    sim_integrate(sim, sim->begun.q_start, sim->go.v_next, h, sim->go.q_next);
    return result;
}
