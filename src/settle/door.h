// SPDX-License-Identifier: Apache-2.0
// settle/door.h: positions put right, for the rooms above (event, sim). Not installed.
#pragma once

#include <step/door.h>

// Moves q_next, along M^-1, to where nothing overlaps and no loop is open. h is that of the next query.
substep_result sim_project(thud_sim *sim, double h);
// The same after a substep of h, in which whoever moved farther than what was wrong explains is doubted.
substep_result settle_positions(thud_sim *sim, double h);
