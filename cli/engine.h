// SPDX-License-Identifier: Apache-2.0
// engine.h: an engine as the bench sees it: something that starts in a state, takes steps and shows where the
// bodies are. Thud is one (engine_thud.c); every peer is a shared object peers/NAME.so (bench/peers), which
// is looked for when the program runs, so that the program itself is linked with none of them.
//
// An engine only moves. It is timed and judged from outside, by the same clock and the same yardsticks.
#pragma once

#include <stdbool.h>

#include <thud/state.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ENGINE_WHY_SIZE = 160 };

// Controls at a time: nu numbers, in place. Called before every step where a scene is driven.
typedef void (*engine_control)(double time, int nu, double *ctrl);

// Bodies that are welded together, for engines whose coordinates are those of rigid bodies: a frame at the
// centre of mass, along the principal axes.
typedef struct engine_rigid {
    int body;       // the topmost of them, whose joints hold it
    double mass;    // kg
    thud_vec3 I;    // kg m^2 along the axes; rotors (armature) of its own joints are added
    thud_pose X_wc; // where it is at the start
    thud_vec3 w, v; // angular velocity, velocity of the centre, along the world's axes
} engine_rigid;

typedef struct engine_start { // all an engine may know; it outlives the world
    const char *path;         // the scene as an MJCF file, for engines that read it
    const thud_model *model;  // the same, for those that do not
    const thud_state *state;  // where the motion begins
    const thud_pose *X_wb;    // the bodies' frames there
    const thud_motion
        *V_wb;  // their velocities: angular, linear at the frame's origin, along the world's axes
    int rigids; // the same as rigid bodies
    const engine_rigid *rigid;
    const int *rigid_of;    // bodies: which of them each is part of; -1: fixed to the world
    const thud_pose *X_cb;  // bodies: frame in its rigid body's, or in the world where it is fixed
    double dt;              // s
    engine_control control; // NULL: the state's controls hold
    const void *wishes;     // Thud's own: step_wishes; peers have theirs in their adapters
    bool certified;         // Thud: keep the certificate of every step
} engine_start;

typedef struct engine_certificate { // Thud's alone
    double cone, lcp;               // worst residuals of all steps
} engine_certificate;

typedef struct engine {
    uint64_t abi;      // ENGINE_ABI where it was compiled: a peer of another version is refused
    const char *name;  // one word: "mujoco"
    const char *title; // "MuJoCo 2.2.2, Newton, pyramid"

    // A world in its start state. NULL, with a reason in `why`, for a scene that the engine cannot hold.
    void *(*open)(const engine_start *start, char why[ENGINE_WHY_SIZE]);
    void (*close)(void *world);

    // Takes `count` steps and returns how many went well: fewer when the motion broke down, or an engine
    // reset itself.
    int (*step)(void *world, int count);

    // Where the motion is; exactly one of the two is there. Joint positions are numbered as the model's.
    void (*joints)(void *world, double *qpos, double *qvel);
    void (*bodies)(void *world, thud_pose *X_wb, thud_motion *V_wb); // the world's own entry is left alone

    engine_certificate (*certificate)(void *world); // NULL: the engine has none
} engine;

// Two that differ were compiled with different headers.
#define ENGINE_ABI                                                                                           \
    ((uint64_t)sizeof(thud_model) << 40 | (uint64_t)sizeof(thud_state) << 20 | sizeof(engine_start))

// What a peer's shared object exports.
#define ENGINE_SYMBOL "thud_peer"
__attribute__((visibility("default"))) extern const engine thud_peer;

#ifdef __cplusplus
}
#endif
