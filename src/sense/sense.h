// SPDX-License-Identifier: Apache-2.0
// sense.h: functions shared by the files of the sensors. Private to the room.
#pragma once

#include <thud/spatial_inline.h>

#include "door.h"

typedef struct sensed_body { // a body where something is read
    thud_pose X;             // in the world
    thud_vec3 w, v;          // angular velocity, velocity of its origin
    thud_vec3 aw, av;        // the same of accelerations, gravity felt: times the time they last
    thud_force through;      // what it gets from its parent, about the world's origin: impulses
} sensed_body;

struct senses {
    bool feels;        // there are sensors of forces or accelerations
    bool passes;       // some of them of what passes through bodies
    bool pulls;        // some of them of actuators
    thud_dynamics *d;  // links where something is read
    thud_drive *drive; // NULL: neither actuators nor tendons
    sensed_body *body; // bodies
    thud_pose *X_wb;   // bodies
    thud_pose *X_wg;   // geoms
    thud_motion *A;    // links: change of velocity
    bool *inside;      // bodies: of a subtree
    double *q, *v;     // nq, nv: where actuators pull
    double *dv;        // nv
    double *pull;      // nv: forces of actuators
    double *carried;   // nv
    double *act;       // na
    double *mean;      // readings: of forces and accelerations, over the step
    double *block;     // all of the arrays of numbers above
};
typedef struct senses senses;

// A part of a step in which something was felt: dv over h, at (q, v), where the rows are that caused it.
typedef struct felt {
    const double *q, *v; // NULL: where the sim's links are and move
    const double *dv;
    double h;                      // 0: a collision
    double share;                  // 1/s: impulses to what they add to the mean
    const double *q_pull, *v_pull; // where actuators pull; NULL: they do not
    const double *act;
    double early; // s: of actuators with actearly
} felt;

static inline bool passes_through(int sensor_type) // a sensor of what bodies get from their parents
{
    return sensor_type == THUD_SENSOR_FORCE || sensor_type == THUD_SENSOR_TORQUE;
}

static inline bool is_pulled(int sensor_type) // a sensor of forces of actuators
{
    return sensor_type == THUD_SENSOR_ACTUATORFRC || sensor_type == THUD_SENSOR_JOINTACTUATORFRC ||
           sensor_type == THUD_SENSOR_TENDONACTUATORFRC;
}

static inline bool is_felt(int sensor_type) // a sensor of forces or accelerations
{
    if (passes_through(sensor_type) || is_pulled(sensor_type)) {
        return true;
    }
    switch (sensor_type) {
    case THUD_SENSOR_TOUCH:
    case THUD_SENSOR_ACCELEROMETER:
    case THUD_SENSOR_JOINTLIMITFRC:
    case THUD_SENSOR_TENDONLIMITFRC:
    case THUD_SENSOR_FRAMELINACC:
    case THUD_SENSOR_FRAMEANGACC:
        return true;
    default:
        return false;
    }
}

static inline void put_vec(vec3 a, double *to)
{
    to[0] = a.x;
    to[1] = a.y;
    to[2] = a.z;
}

// sense_frames.c: bodies and frames.

// Puts the links and bodies at (q, v); the bodies alone, where the links of d are and move.
void sense_place(thud_sim *sim, const double *q, const double *v);
void sense_bodies(thud_sim *sim, const thud_dynamics *d);
// A frame in the world, and the body it is fixed to.
thud_pose sense_frame(const thud_sim *sim, int object_type, int object, int *body);
void sense_frame_position(const thud_sim *sim, int sensor, double *to);
void sense_frame_velocity(const thud_sim *sim, int sensor, double *to);
// I x about the body's centre of mass, world.
thud_vec3 sense_inertia(const thud_sim *sim, int body, thud_vec3 x);
void sense_subtree(thud_sim *sim, int sensor, double *to);

// sense.c: how many sensors there are of which that is true.
int senses_count(const thud_model *m, bool (*is)(int sensor_type));

// feel.c: forces and accelerations.
void feel_add(thud_sim *sim, const felt *f); // to the mean
