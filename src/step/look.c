// SPDX-License-Identifier: Apache-2.0
// look.c: what may act in a substep, found where it begins: contacts within reach, and how loops move there.
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
