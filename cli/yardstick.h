// SPDX-License-Identifier: Apache-2.0
// yardstick.h: what a motion is worth, from where its bodies are and how fast: the same measure for every
// engine, whatever it says of itself.
//
//     yardstick_create(model, 0.75 * time, &y);
//     for (...) yardstick_look(y, t, X_wb, V_wb);      // in the order of time, the start first
//     const measures worth = yardstick_read(y);
#pragma once

#include <thud/collide.h>
#include <thud/dynamics.h>
#include <thud/state.h>

typedef struct measures {
    int looks;
    double penetration;      // m, the deepest of all looks, by our own narrow phase
    double penetration_rest; // m, of those in the last part of the run
    double contacts;         // that touch (gap <= 0.1 mm), mean over the looks
    double creep;            // m/s, of the body that moved farthest during the last part, there and not back
    double kinetic_rest;     // J, mean over the last part
    double drift;            // m or rad: joints apart, loops open, limits overstepped; the worst of all looks
    double rise;             // J, the most that energy rose above an earlier look; what is passive must never
    double error;            // J, the most that energy differed from the start; of what should keep it
    double turnover; // J, the largest kinetic energy or difference of potential: what the two are measured by
} measures;

typedef struct yardstick yardstick;

// rest: s, when the last part of the run begins. The model must outlive the yardstick.
thud_status yardstick_create(const thud_model *m, double rest, yardstick **out);
void yardstick_destroy(yardstick *y); // NULL is allowed

// Takes one look. X_wb and V_wb: one a body, velocities angular and linear at the body's origin, along the
// world's axes. NOT_FINITE where something is not a number.
thud_status yardstick_look(yardstick *y, double time, const thud_pose *X_wb, const thud_motion *V_wb);

// The same from joint positions, by way of poses and velocities of bodies.
thud_status yardstick_look_joints(yardstick *y, double time, const double *qpos, const double *qvel);

measures yardstick_read(const yardstick *y);
thud_vec3 yardstick_centre(const yardstick *y, int body); // centre of mass at the last look

// Poses and velocities of all bodies, in d's scratch.
void yardstick_bodies(const thud_model *m, const double *qpos, const double *qvel, thud_dynamics *d,
                      thud_motion *twist, thud_pose *X_wb, thud_motion *V_wb);
