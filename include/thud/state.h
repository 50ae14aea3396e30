// SPDX-License-Identifier: Apache-2.0
// thud/state.h: all that the next step depends on, and nothing else. Copy it, hash it, save it.
//
// Restoring a state into a fresh sim and stepping gives the same bits as going on.
//
//     void *blob = malloc(thud_state_bytes(state));
//     thud_state_save(state, blob);                               // now, or in the middle of a collision
//     status = thud_state_load(model, blob, bytes, state, &diag); // and back
#pragma once

#include <thud/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct thud_warm { // what a contact or row did in the last step: where the next solve begins
    uint64_t id;           // thud_contact's
    double p[6];           // impulses, N s and N m s
} thud_warm;

enum { THUD_STATE_DIFFERENCES = 6 };

typedef struct thud_rest { // of a tree, at its first link; all zero: it moves, or nothing is to sleep
    double
        still; // s that it has been at rest; -1 - l: it sleeps with the trees whose first is that of link l
    double
        place; // mark of its positions and of the mocap bodies when it fell asleep: what is moved by hand wakes
    double residual, penetration; // what the step in which it fell asleep was worth
} thud_rest;

typedef struct thud_kept { // what held a tree that sleeps: where the solve begins when it wakes
    thud_warm warm;        // for a whole step
    int64_t group;         // l of thud_rest
} thud_kept;

typedef struct thud_state {
    int nq, nv;
    int na, nu, nm;  // activations, actuators, mocap bodies
    int nl;          // links
    uint64_t *joint; // nl: type and name of each joint of the model it was made for, hashed
    int64_t steps;   // taken since the reset
    double time;     // s
    double *qpos;    // nq positions
    double *qvel;    // nv velocities
    double *act;     // na activations of actuators
    double *ctrl;    // nu controls: set them before a step (thud_state_control); they hold until set again
    double *mocap;   // 7 nm poses of the mocap bodies: position, quaternion (thud_state_place)
    double *
        acc; // THUD_STATE_DIFFERENCES times nv: the mean accelerations of the last step, by how much they differ from
    // the step before's, by how much that differs from the step before's, and so on: the next step's
    // first guess is their sum. All zero: none
    thud_rest *rest; // nl: who sleeps (thud_step_options.sleep)
    double warm_h;   // s, length of the step that made the impulses below; 0: none
    int warm_count, warm_capacity;
    thud_warm *warm; // never NULL
    int kept_count;  // room is as for the others
    thud_kept *kept; // never NULL
} thud_state;

THUD_API THUD_MUST_USE thud_status thud_state_create(const thud_model *m,
                                                     thud_state **out); // reference pose, at rest
THUD_API void thud_state_destroy(thud_state *s);                        // NULL is allowed

// Makes room for at least this many impulses, and as many of what sleeps; those there are stay. NO_MEMORY leaves all as it was.
THUD_API THUD_MUST_USE thud_status thud_state_reserve(thud_state *s, int capacity);

// Back to time 0 in the reference pose (key = -1), controls and activations zero, mocap bodies where the model has
// them, or in a keyframe, without impulses and accelerations. BAD_ARGUMENT when there is no such keyframe.
THUD_API THUD_MUST_USE thud_status thud_state_reset(const thud_model *m, int key, thud_state *s);

// Both made for models with the same joints. Allocates only if `to` has less room than `from` has impulses; NO_MEMORY then
// leaves `to` as it was.
THUD_API thud_status thud_state_copy(const thud_state *from, thud_state *to);

// Sets positions or velocities (NULL: leaves them), forgets the last impulses and accelerations, and wakes all. Quaternions are normalised.
// BAD_ARGUMENT, with the state untouched, when a number is not finite or a quaternion has no length.
THUD_API THUD_MUST_USE thud_status thud_state_set(const thud_model *m, const double *qpos, const double *qvel,
                                                  thud_state *s);

// Sets the controls (nu) and the activations (na) of the actuators, NULL: leaves them. Controls beyond their
// range are clamped where they act. BAD_ARGUMENT, with the state untouched, when a number is not finite.
THUD_API THUD_MUST_USE thud_status thud_state_control(thud_state *s, const double *ctrl, const double *act);

// Puts a mocap body somewhere (its quaternion is normalised); it stays until it is put elsewhere. As in MuJoCo it
// jumps: contacts and equalities see it at rest at its new place, whatever way it came. What it then overlaps is
// moved out of the way without gaining speed, and what is welded or connected to it is brought along likewise. To
// push with a speed, use a body on driven joints. BAD_ARGUMENT, with the state untouched, for a body that is no
// mocap body and for a pose that is not finite.
THUD_API THUD_MUST_USE thud_status thud_state_place(const thud_model *m, int body, thud_pose X_wb,
                                                    thud_state *s);

THUD_API uint64_t thud_state_hash(const thud_state *s); // of every bit the next step depends on

// ---------------------------------------------------------------------------------------------- saving

// A saved state is a block of bytes, the same on every machine: a head with format, version and the counts, then the
// joints, the numbers, and a checksum that no change of a single byte survives. It fits every model with the same joints
// (types, names and order), actuators, activations and mocap bodies: also a variant (thud/model_vary.h).
THUD_API size_t thud_state_bytes(const thud_state *s);
THUD_API void thud_state_save(const thud_state *s, void *buffer); // thud_state_bytes(s) of them

// The way back. BAD_FILE, with a sentence and the state untouched, for what is not a saved state, is cut off,
// too long, damaged, of another version or of a model with other joints: then the sentence names the first that differs.
// Allocates only for impulses.
THUD_API THUD_MUST_USE thud_status thud_state_load(const thud_model *m, const void *buffer, size_t bytes,
                                                   thud_state *s, thud_diag *diag);

// thud_numerics() of the library that saved it; 0: this is no saved state. Motion that goes on from a state of another number has
// other last bits.
THUD_API int thud_state_numerics(const void *buffer, size_t bytes);

// The same, to and from a file.
THUD_API THUD_MUST_USE thud_status thud_state_write(const thud_state *s, const char *path, thud_diag *diag);
THUD_API THUD_MUST_USE thud_status thud_state_read(const thud_model *m, const char *path, thud_state *s,
                                                   thud_diag *diag);

#ifdef __cplusplus
}
#endif
