// SPDX-License-Identifier: Apache-2.0
// loops.h: what the files of the equalities share. Private to the room.
#pragma once

#include "sim.h"

// The velocity of a body along a row (a wrench about the world's origin), at v_start, whose link velocities
// are V.
double loop_row_velocity(const thud_sim *sim, const thud_force *row, int body);

// Limits, springs, dampers, rotors and dry friction along the motion that equality e leaves; h = 0: limits
// alone, as corrections. And how far a limit is passed.
thud_status loop_axes_add(thud_sim *sim, int e, double h);
double loop_axes_error(const thud_sim *sim, int e);

typedef struct limit {
    double phi;     // room left
    int sign;       // of the force
    thud_vec3 axis; // ball: of its rotation
} limit;
// The limits of joint j at qpos: how many, up to 2. And the rate of the room that one leaves.
int limits_of(const thud_model *m, int j, const double *qpos, limit out[2]);
double limit_rate(const thud_model *m, int j, const limit *l, const double *v);

// Velocities of the rows of equality e at v, whose link velocities are V, where the links are (at qpos).
void loops_velocity(const thud_sim *sim, int e, const double *qpos, const double *v, double u[6]);
// Rows of the equalities where the links are, b (equalities x 6, or NULL: 0) added to their velocities.
thud_status loops_hold_with(thud_sim *sim, const double *qpos, const double *b);

// The polynomial of equality e (of joints or tendons) at x, and its slope.
double loop_polynomial(const thud_model *m, int e, double x, double *slope);

// Rows of tendons, as the functions loops_... of sim.h; each puts the drive where the links are.
void tendon_rows_begin(thud_sim *sim);
thud_status tendon_rows_add(thud_sim *sim, double h);
thud_status tendon_rows_hold(thud_sim *sim);
thud_status tendon_rows_correct(thud_sim *sim, double reach);
double tendon_rows_error(const thud_sim *sim, const double *qpos);
