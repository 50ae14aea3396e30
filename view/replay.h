// SPDX-License-Identifier: Apache-2.0
// replay.h: a run as a page replays and plots it: poses, contacts and columns of numbers, in single
// precision, at up to 60 frames a second. Where a run outgrows the memory that a page should have, every
// second frame is dropped, as often as it takes.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <thud/thud.h>

enum { REPLAY_CONTACT = 11 }; // point, force on body 2, normal, friction coefficient, 1: slides
enum { REPLAY_POSE = 7 };     // position, quaternion w x y z

typedef struct floats {
    float *at;
    size_t count, capacity;
} floats;

float *floats_push(floats *f, size_t count); // room for so many more; NULL when memory ran out

typedef struct replay_column {
    const char *group, *name, *unit;
    bool log;   // drawn on a logarithmic scale
    bool worst; // a frame shows the largest value since the frame before it
} replay_column;

typedef struct replay {
    const thud_model *model;
    int64_t every, steps;        // from one frame to the next; noted so far, the start among them
    int frames, moving, columns; // moving: bodies that are not fixed to the world
    int *body;                   // those, ascending
    bool summed;                 // the sums of moments are known
    replay_column *column;       // the table's, then positions and velocities of joints, then sensors
    char *label;                 // of the columns of sensors
    thud_pose *X_wb;             // scratch
    float *row, *worst;          // scratch, a value a column
    floats time, pose, contact, start, value; // start: first contact of each frame; value: frames x columns
} replay;

typedef struct replay_sums { // of a run up to a moment, J; NaN: not known
    double energy_start, work, contact_work, projected;
} replay_sums;

typedef struct replay_moment {
    const thud_state *state;
    const thud_certificate *certificate;
    const thud_rows *rows; // contacts of the step; NULL: those that follow
    const thud_touch *touch;
    int touches;
    replay_sums sums;
    const double *reading; // of the model's sensors; NULL: zeros
} replay_moment;

// h: s from one moment to the next; summed: their sums are known. False when memory ran out.
bool replay_create(replay *r, const thud_model *m, double h, bool summed);
void replay_destroy(replay *r);

// Takes note of a step, and keeps a frame where one is due or `last` says so. False when memory ran out.
bool replay_add(replay *r, const replay_moment *now, bool last);

// What a page or a picture shows of a time: the last frame at or before it; the poses of the bodies that move,
// between frames by interpolation; and a frame's contacts, REPLAY_CONTACT numbers each.
int replay_frame_at(const replay *r, double time);
void replay_poses_at(const replay *r, double time, thud_pose *X_wb);
int replay_contacts_at(const replay *r, int frame, const float **contact);
