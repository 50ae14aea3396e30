// SPDX-License-Identifier: Apache-2.0
// loops.h: what the files of the equalities share. Private to the room.
#pragma once

#include "sim.h"

thud_pose loop_frame(const thud_sim *sim, int body, thud_pose in_body); // in the world, where the links are
// The velocity of a body along a row (a wrench about the world's origin), at v_start, whose link velocities
// are V.
double loop_row_velocity(const thud_sim *sim, const thud_force *row, int body);

// Limits, springs, dampers, rotors and dry friction along the motion that equality e leaves; h = 0: limits
// alone, as corrections. And how far a limit is passed.
thud_status loop_axes_add(thud_sim *sim, int e, double h);
double loop_axes_error(const thud_sim *sim, int e);
