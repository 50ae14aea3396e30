// SPDX-License-Identifier: Apache-2.0
// look.c: constraints that may act in a substep, found at its start: contacts within reach, velocities of loops.
#include "loops.h"

thud_status sim_look(thud_sim *sim, double h)
{
    THUD_ASSERT(sim->constrained);
    THUD_TRY(touch_begin(sim, h));
    if (sim->ask.loops) {
        loops_begin(sim);
    }
    return THUD_OK;
}
