// SPDX-License-Identifier: Apache-2.0
// loops.h: functions shared by the files of the equalities. Private to the room.
#pragma once

#include "sim.h"

// The velocity of a body along a row (a wrench about the world's origin), at v_start, whose link velocities
// are V.
double loop_row_velocity(const thud_sim *sim, const thud_motion *velocity, const thud_force *row, int body);

// Limits, springs, dampers, rotors and dry friction along the motion that equality e leaves; h = 0: limits
// alone, as corrections. In a collision: limits that touch, and rotors. And how far a limit is passed.
thud_status loop_axes_add(thud_sim *sim, int e, double h);
thud_status loop_axes_hold(thud_sim *sim, int e);
double loop_axes_error(const thud_sim *sim, int e);

// An equality of bodies that holds, and something acts along the motion it leaves.
bool loop_has_axes(const thud_model *m, int e);
typedef struct freedom { // an axis that an equality leaves free
    thud_force row;      // about the world's origin
    double x;            // where the joint stands along it
} freedom;
int loop_freedoms(const thud_sim *sim, int e, freedom out[3]); // how many
// The axis along which limit k of an equality acts, x being the room it leaves; false: there is none.
bool loop_limit(const thud_sim *sim, int e, int k, freedom *out);
// A row along an axis; part: 0 to 2 springs and rotors, 4 to 6 dry friction, 8 and 9 limits.
thud_axis_row loop_axis_row(const thud_model *m, int e, int part, const freedom *f);
double loop_axis_velocity(const thud_sim *sim, int e, const freedom *f); // where V are the velocities

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
// Errors of the rows of equality e, which holds, where the links are (at qpos).
void loops_errors(const thud_sim *sim, int e, const double *qpos, double g[6]);
// Rows of the equalities where the links are, b (equalities x 6, or NULL: 0) added to their velocities.
thud_status loops_hold_with(thud_sim *sim, const double *qpos, const double *b);

// The polynomial of equality e (of joints or tendons) at x, and its slope.
double loop_polynomial(const thud_model *m, int e, double x, double *slope);

// Rows of tendons, as the functions loops_... of sim.h; each puts the drive where the links are.
void tendon_rows_begin(thud_sim *sim);
thud_status tendon_rows_add(thud_sim *sim, double h);
thud_status tendon_rows_hold(thud_sim *sim); // but for equalities
thud_status tendon_rows_correct(thud_sim *sim, double reach);
double tendon_rows_error(const thud_sim *sim, const double *qpos);
void tendon_rows_place(const thud_sim *sim,
                       const double *qpos); // the drive alone, where the links are; nothing without such rows
// One by one, where the drive is: room to a limit (sign +1: the lower), velocity, rows.
double tendon_room(const thud_sim *sim, int t, int sign);
double tendon_velocity(const thud_sim *sim, int t, const double *v);
thud_status tendon_limit_add(thud_sim *sim, int t, int sign, double phi, double b);
thud_status tendon_dry_add(thud_sim *sim, int t, double bound, double b);
bool tendon_equality(const thud_model *m, int e); // it is one, and holds
double tendon_equality_error(const thud_sim *sim, int e);
double tendon_equality_velocity(const thud_sim *sim, int e, const double *v);
thud_status tendon_equality_add(thud_sim *sim, int e, double b);
