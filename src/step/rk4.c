// SPDX-License-Identifier: Apache-2.0
// rk4.c: the classical Runge-Kutta method, on the group.
//
// Positions are q + u with u in the tangent space at the step's start (+ is the exponential for what turns),
// so that every stage adds vectors of one space and the order stays 4 for ball and free joints too
// (Munthe-Kaas):
//     u' = v,   turning parts:  u' = w + 1/2 u x w + 1/12 u x (u x w)       (w in the body frame)
// Explicit throughout: springs and dampers too. Where something touches, the step is the midpoint's. Cost 4
// evaluations.
#include <thud/spatial_inline.h>

#include "sim.h"

static void rate_of_turn(const double *u, const double *w, double *out)
{
    const vec3 a = v3(u[0], u[1], u[2]), b = v3(w[0], w[1], w[2]), ab = v3_cross(a, b);
    const vec3 r = v3_add(v3_axpy(0.5, ab, b), v3_scale(1.0 / 12, v3_cross(a, ab)));
    out[0] = r.x;
    out[1] = r.y;
    out[2] = r.z;
}

// The rate of the displacement u that goes with velocity v.
static void displacement_rate(const thud_model *m, const double *u, const double *v, double *out)
{
    for (int i = 0; i < m->nv; i++) {
        out[i] = v[i];
    }
    for (int j = 0; j < m->joints; j++) {
        const int type = m->joint_type[j];
        if (type == THUD_JOINT_BALL || type == THUD_JOINT_FREE) {
            const int i = m->joint_v[j] + (type == THUD_JOINT_FREE ? 3 : 0);
            rate_of_turn(u + i, v + i, out + i);
        }
    }
}

// Stage i at displacement and velocity h c (rates of stage i-1).
static bool stage(thud_sim *sim, int i, double ch, double h, const double *tau)
{
    const thud_model *m = sim->m;
    double *shift = sim->fall.before; // displacement of this stage
    for (int k = 0; k < m->nv; k++) {
        shift[k] = i == 0 ? 0 : ch * sim->go.u[i - 1][k];
        sim->fall.v[k] = sim->begun.v_start[k] + (i == 0 ? 0 : ch * sim->go.k[i - 1][k]);
    }
    thud_qpos_integrate(m, sim->begun.q_start, shift, 1, sim->fall.q);
    displacement_rate(m, shift, sim->fall.v, sim->go.u[i]);
    sim_set_forces_at(sim, sim->fall.q, sim->fall.v, tau, ch, h);
    return sim_accelerate(sim, sim->fall.q, sim->fall.v, sim->force.tau, sim->go.k[i]);
}

substep_result step_rk4(thud_sim *sim, const double *tau, double h)
{
    THUD_ASSERT(h > 0 && !sim->constrained);
    static const double c[4] = {0, 0.5, 0.5, 1};
    const thud_model *m = sim->m;
    for (int i = 0; i < 4; i++) {
        if (!stage(sim, i, c[i] * h, h, tau)) {
            return SUBSTEP_FAILED;
        }
    }
    for (int k = 0; k < m->nv; k++) {
        sim->fall.acc[k] =
            (sim->go.k[0][k] + 2 * sim->go.k[1][k] + 2 * sim->go.k[2][k] + sim->go.k[3][k]) / 6;
        sim->go.v_mean[k] =
            (sim->go.u[0][k] + 2 * sim->go.u[1][k] + 2 * sim->go.u[2][k] + sim->go.u[3][k]) / 6;
        sim->go.v_next[k] = sim->begun.v_start[k] + h * sim->fall.acc[k];
    }
    thud_qpos_integrate(m, sim->begun.q_start, sim->go.v_mean, h, sim->go.q_next);
    return SUBSTEP_DONE;
}
