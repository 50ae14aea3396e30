// SPDX-License-Identifier: Apache-2.0
// muscle.h: the laws of a muscle. Private to the room.
#pragma once

enum {              // the numbers of actuator_pull and actuator_passive
    MUSCLE_FORCE,   // N, the largest at rest
    MUSCLE_FIRST,   // length at which the range of lengths begins, in optimal lengths
    MUSCLE_BEGIN,   // the same, m
    MUSCLE_OPTIMUM, // the optimal length, m
    MUSCLE_LMIN,    // shortest and longest at which it can contract, in optimal lengths
    MUSCLE_LMAX,
    MUSCLE_VMAX,  // speed of shortening at which it pulls no more, in optimal lengths a second
    MUSCLE_FPMAX, // passive force at lmax, in largest forces
    MUSCLE_FVMAX, // the same of lengthening quickly
    MUSCLE_NUMBERS
};

typedef struct muscle_force {
    double value, by_length, by_velocity;
} muscle_force;

// Of activation 1: negative, it pulls.
muscle_force muscle_pull(const double p[MUSCLE_NUMBERS], double length, double velocity);
// Of the tissue alone.
muscle_force muscle_passive(const double p[MUSCLE_NUMBERS], double length);
// The activation after h at a constant control; prm: rise time, fall time, width.
double muscle_activate(const double prm[3], double control, double activation, double h);
