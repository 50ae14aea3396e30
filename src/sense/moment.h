// SPDX-License-Identifier: Apache-2.0
// moment.h: functions shared by forward and inverse dynamics at one state. Private to the room.
#pragma once

#include "door.h"

// The state as it stands, nothing taken ahead; false: there is no room for its impulses.
bool moment_enter(thud_sim *sim, const thud_state *s);
// Impulses on the links (sim->answer.wrench, which it uses up) over h to joint forces (nv).
void moment_joint_forces(thud_sim *sim, double *force);
