// SPDX-License-Identifier: Apache-2.0
// go.c: velocities at the end of a substep, and positions that move along a displacement.
#include <math.h>

#include <thud/linalg_fours.h>

#include "sim.h"

// Where constraints act, a dof slower than this before and after is at rest: impulses are right to a hundredth of the
// tolerance, and their error is no motion. A body whose positions keep every bit need not be placed or
// looked at again.
static double resting_speed(const thud_sim *sim)
{
    static const double REST = 1e-10; // of a step of free fall
    return sim_holds(sim) ? REST * sim->o.h * sim->g : 0;
}

static inline double end_of(double from, double gain, double rest)
{
    const double to = from + gain;
    const bool rests = (fabs(to) <= rest) & (fabs(from) <= rest); // not for NaN
    return rests ? 0 : to;
}

THUD_KERNEL static void go_in_lanes(const thud_sim *sim, double h, double rest, int first, int end)
{
    for (int k = first; k < end; k += THUD_LANES) {
        const int i = sim_last_four(k, end);
        const four from = *(const four_of_numbers *)(sim->begun.v_start + i),
                   gain = h * (*(const four_of_numbers *)(sim->fall.acc + i) +
                               *(const four_of_numbers *)(sim->answer.push + i)),
                   to = from + gain;
        four was = from, is = to;
        fours_size(&was);
        fours_size(&is);
        *(four_of_numbers *)(sim->go.v_next + i) = FOURS_ONLY(~((is <= rest) & (was <= rest)), to);
    }
}

void sim_go(const thud_sim *sim, double h, int first, int end)
{
    THUD_ASSERT(0 <= first && first <= end && end <= sim->m->nv);
    const double rest = resting_speed(sim), *v = sim->begun.v_start, *acc = sim->fall.acc,
                 *push = sim->answer.push;
    double *restrict next = sim->go.v_next;
    if (sim_many(end - first)) {
        go_in_lanes(sim, h, rest, first, end);
        return;
    }
    for (int k = 0, i = first; k < FEW_NUMBERS && i < end; k++, i++) { // few, and the compiler is told so
        next[i] = end_of(v[i], h * (acc[i] + push[i]), rest);
    }
}

static bool moves(const thud_sim *sim, int joint)
{
    bool any = false;
    for (int i = sim->m->joint_v[joint]; i < sim->m->joint_v[joint] + sim->m->joint_dofs[joint]; i++) {
        any = any || sim->go.dq[i] != 0;
    }
    return any;
}

void sim_move_some(thud_sim *sim)
{
    const int joints = sim->m->joints;
    for (int first = 0, end; first < joints; first = end + 1) {
        end = first;
        while (end < joints && moves(sim, end)) {
            end++;
        }
        thud_qpos_integrate_part(sim->m, first, end, sim->go.q_next, sim->go.dq, 1,
                                 sim->go.q_next); // none: the first stays
    }
}
