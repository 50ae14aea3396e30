// SPDX-License-Identifier: Apache-2.0
// settle/door.h: positions put right, for the rooms above (event, sim). Not installed.
#pragma once

#include <step/door.h>

// Moves q_next, along M^-1, to where nothing overlaps and no loop is open. h is that of the next query.
substep_result sim_project(thud_sim *sim, double h);
// The same after a substep of h; raises a doubt where a body moved farther than the error explains.
substep_result settle_positions(thud_sim *sim, double h);
