// SPDX-License-Identifier: Apache-2.0
// attempt.c: one substep by the integrator that suits it, of any length, as often as its length is looked for.
#include <math.h>

#include "sim.h"

// How this substep is taken. Where velocities tear a loop open it is a collision, of which only the start is known: half a step
// along them the links are nowhere, and rows that say the same twice would contradict each other.
thud_integrator attempt_scheme(const thud_sim *sim)
{
    const bool euler = sim->ask.torn || sim->begun.by_euler;
    return euler && sim->scheme == THUD_INTEGRATOR_MIDPOINT ? THUD_INTEGRATOR_EULER : sim->scheme;
}

substep_result step_attempt(thud_sim *sim, const double *tau, double h, double *settled)
{
    THUD_ASSERT(h > 0);
    THUD_ASSERT(h > 0);
    *settled = 0;
    sim->sight.fast = INFINITY;
    sim->answer.cone_residual = sim->answer.lcp_residual = 0;
    sim_set_implicit(sim, h, false);
    switch (attempt_scheme(sim)) {
    case THUD_INTEGRATOR_EULER:
        return step_euler(sim, tau, h);
    case THUD_INTEGRATOR_RK4:
        return step_rk4(sim, tau, h);
    case THUD_INTEGRATOR_MIDPOINT:
        break;
    }
    return step_midpoint(sim, tau, h, settled);
}
