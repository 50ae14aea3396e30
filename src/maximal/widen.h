// SPDX-License-Identifier: Apache-2.0
// widen.h: positions and velocities in maximal coordinates. Private to the room.
#pragma once

#include <thud/dynamics.h>

// How many bodies have joints: maximal coordinates are 7 positions and 6 velocities for each, in order.
int widen_count(const thud_model *minimal);
// Writes them for a configuration of the minimal model. NO_MEMORY leaves the output untouched.
thud_status widen(const thud_model *minimal, const double *qpos, const double *qvel, double *wide_qpos,
                  double *wide_qvel);
