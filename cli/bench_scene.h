// SPDX-License-Identifier: Apache-2.0
// bench_scene.h: the scenes of `thud bench`, and one of them opened: a file that every engine can read, its
// model, and the state that all engines start from.
#pragma once

#include <stdio.h>

#include "engine.h"

typedef enum bench_energy { // what is asked of the energy
    ENERGY_FALLS,           // nothing drives the scene: energy must never rise
    ENERGY_STAYS,           // and nothing brakes it: energy must not change
    ENERGY_DRIVEN           // actuators: not judged
} bench_energy;

typedef enum bench_made { // scenes too large for a file, written when they are needed
    MADE_NOT,
    MADE_SPHERES, // a pile in a bin
    MADE_BOXES,
    MADE_COPIES // of the bodies in the file
} bench_made;

typedef enum bench_answer_kind { // what a work-precision diagram measures
    ANSWER_NONE,
    ANSWER_PLACE,      // where the last body's centre of mass is at the end
    ANSWER_ENERGY,     // the energy error, over the energy turned over
    ANSWER_PENETRATION // the deepest
} bench_answer_kind;

typedef struct bench_answer {
    bench_answer_kind kind;
    bool axis[3];    // coordinates that are known
    double place[3]; // m
} bench_answer;

typedef struct bench_scene {
    const char *name;
    const char *about;    // a few words
    const char *file;     // scenes/FILE.xml; a scene of the command line: its whole path
    bool given;           // on the command line
    const char *keyframe; // NULL: the reference pose
    double dt, time;      // s; dt 0: the file's
    double settle;        // s that are simulated before the start, to bring it to rest; 0: none
    double calm;          // s of it that each engine simulates by its own law before it is timed
    bool rests;           // ends at rest: creep and kinetic energy mean something
    bool quick;           // part of the quick bench
    bool named;           // runs for minutes: only when it is named
    bool large;           // too many contacts for laws that are LCPs
    bench_energy energy;
    bench_made made;
    int count; // of what is made
    bench_answer answer;
    engine_control control;
} bench_scene;

extern const bench_scene bench_scenes[]; // ends with a name of NULL

const bench_scene *bench_scene_find(const char *name); // NULL: there is none

typedef struct course {
    const bench_scene *scene;
    char path[640];
    bool made; // the file is ours to take away
    thud_spec *spec;
    thud_model *model;
    thud_state *state;
    thud_pose *X_wb;
    thud_motion *V_wb;
    int rigids; // as in engine_start
    engine_rigid *rigid;
    int *rigid_of;
    thud_pose *X_cb;
    double dt;
} course;

typedef struct course_place {
    const char *scenes; // the folder of the scenes
    const char *states; // where settled states are kept from run to run; NULL: nowhere
} course_place;

// Opens a scene. Close it also after a failure, whose reason is in diag.
thud_status course_open(course *c, const bench_scene *which, const course_place *place, thud_diag *diag);
void course_close(course *c);

// What an engine starts from; control and certified are left to the caller.
engine_start course_start(const course *c, const void *wishes, double dt);

// The rigid bodies of a course whose X_wb and V_wb are known.
void course_rigids(course *c);

// Writes a scene of the kind MADE_...; `body` is the text of the file it is made from (MADE_COPIES).
void bench_make(FILE *out, const bench_scene *which, const char *text);
