// SPDX-License-Identifier: Apache-2.0
// midpoint.c: the corrected midpoint rule, the default. [theory 8]
//
//     v_m = v + h/2 a,   q_m = q + h/2 v_m,   a <- M^-1(q_m) (tau - c(q_m, v_m))           iterated from a =
//     0 v+ = v + h a,      q+ = q + h v_m
//
// A fixed point of this is the implicit midpoint rule, which keeps quadratic invariants (a free body's energy
// and momentum) and does not gain energy in practice. What makes the iteration converge slowly is c,
// quadratic in v_m; q_m moves less, by another h. So a round is one evaluation at a new q_m and one more
// there with the better v_m, which needs no new factor of M: two rounds cost less than three full evaluations
// and leave a third of their error.
//
// Differs  theory.md's predictor + 2 corrections evaluates everything three times. When the last evaluation
// still changed the
//          velocity by more than SPLIT of its size, the step is too long for this motion: it is taken again
//          as two halves, and so on down to h / 2^MAX_HALVINGS. The certificate reports what was left at the
//          end.
// Cost     2 factors and 4 solves a step. Order 2.
#include <math.h>
#include <string.h>

#include "sim.h"

// Of 5000 steps of 1 ms the 100-link chain of acceptance.md splits 15, the 30-link one none.
static const double SPLIT = 0.002;
enum { MAX_HALVINGS = 6 };

// One evaluation at the midpoint that acc predicts; `fresh`: at a new position too.
static bool evaluate(thud_sim *sim, const double *q, const double *v, double half, bool fresh)
{
    for (int i = 0; i < sim->m->nv; i++) {
        sim->before[i] = sim->acc[i];
        sim->v[i] = v[i] + half * sim->acc[i];
    }
    if (fresh) {
        thud_qpos_integrate(sim->m, q, sim->v, half, sim->q);
        return sim_accelerate(sim, sim->q, sim->v, sim->tau, sim->acc);
    }
    sim_accelerate_again(sim, sim->v, sim->tau, sim->acc);
    return true;
}

// How much the last evaluation changed the velocity that the step ends with, relative to its size.
static double unsettled(const thud_sim *sim, const double *v, double h)
{
    double change = 0, size = 0;
    for (int i = 0; i < sim->m->nv; i++) {
        change = fmax(change, h * fabs(sim->acc[i] - sim->before[i]));
        size = fmax(size, fabs(v[i]) + h * fabs(sim->acc[i]));
    }
    return change > 0 ? change / size : 0;
}

// From (q, v) over h to q_next, v_next, which may be q and v themselves.
static bool advance(thud_sim *sim, const double *tau, double h, const double *q, const double *v,
                    double *settled)
{
    const thud_model *m = sim->m;
    thud_passive_force(m, q, v, sim->ahead, sim->tau);
    for (int i = 0; i < m->nv; i++) {
        sim->tau[i] += tau ? tau[i] : 0;
        sim->acc[i] = 0;
    }
    bool positive = true;
    for (int round = 0; round < sim->o.rounds && positive; round++) {
        positive = evaluate(sim, q, v, 0.5 * h, true) && evaluate(sim, q, v, 0.5 * h, false);
    }
    *settled = unsettled(sim, v, h);
    return positive;
}

static void accept(thud_sim *sim, double h, const double *q, const double *v)
{
    for (int i = 0; i < sim->m->nv; i++) {
        sim->v_mean[i] = v[i] + 0.5 * h * sim->acc[i];
        sim->v_next[i] = v[i] + h * sim->acc[i];
    }
    thud_qpos_integrate(sim->m, q, sim->v_mean, h, sim->q_next);
}

bool step_midpoint(thud_sim *sim, const double *tau, const thud_state *s)
{
    const double *q = s->qpos, *v = s->qvel;
    double h = sim->o.h, left;
    int halvings = 0, steps = 1; // steps of size h still to take
    sim->fixed_point = 0;
    if (sim->split > 0) {
        sim_set_implicit(sim, h);
    }
    while (steps > 0) {
        if (!advance(sim, tau, h, q, v, &left)) {
            return false;
        }
        if (!(left <= SPLIT) && halvings < MAX_HALVINGS) {
            h *= 0.5;
            steps *= 2;
            halvings++;
            sim_set_implicit(sim, h);
            continue;
        }
        accept(sim, h, q, v);
        sim->fixed_point = fmax(sim->fixed_point, left);
        q = sim->q_next; // the next part of a split step starts where this one ended
        v = sim->v_next;
        steps--;
    }
    sim->split = halvings;
    return true;
}
