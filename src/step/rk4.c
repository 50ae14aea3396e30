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
    double *shift = sim->before; // displacement of this stage
    for (int k = 0; k < m->nv; k++) {
        shift[k] = i == 0 ? 0 : ch * sim->u[i - 1][k];
        sim->v[k] = sim->v_start[k] + (i == 0 ? 0 : ch * sim->k[i - 1][k]);
    }
    thud_qpos_integrate(m, sim->q_start, shift, 1, sim->q);
    displacement_rate(m, shift, sim->v, sim->u[i]);
    sim_set_forces_at(sim, sim->q, sim->v, tau, ch, h);
    return sim_accelerate(sim, sim->q, sim->v, sim->tau, sim->k[i]);
}

substep_result step_rk4(thud_sim *sim, const double *tau, double h)
{
    static const double c[4] = {0, 0.5, 0.5, 1};
    const thud_model *m = sim->m;
    for (int i = 0; i < 4; i++) {
        if (!stage(sim, i, c[i] * h, h, tau)) {
            return SUBSTEP_FAILED;
        }
    }
    for (int k = 0; k < m->nv; k++) {
        sim->acc[k] = (sim->k[0][k] + 2 * sim->k[1][k] + 2 * sim->k[2][k] + sim->k[3][k]) / 6;
        sim->v_mean[k] = (sim->u[0][k] + 2 * sim->u[1][k] + 2 * sim->u[2][k] + sim->u[3][k]) / 6;
        sim->v_next[k] = sim->v_start[k] + h * sim->acc[k];
    }
    thud_qpos_integrate(m, sim->q_start, sim->v_mean, h, sim->q_next);
    return SUBSTEP_DONE;
}
