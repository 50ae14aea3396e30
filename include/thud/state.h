// SPDX-License-Identifier: Apache-2.0
// thud/state.h: all that the next step depends on, and nothing else. Copy it, hash it, save it.
//
// Restoring a state into a fresh sim and stepping gives the same bits as going on.
#pragma once

#include <thud/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct thud_state {
    int nq, nv;
    int64_t steps; // taken since the reset
    double time;   // s
    double *qpos;  // nq positions
    double *qvel;  // nv velocities
} thud_state;

THUD_API THUD_MUST_USE thud_status thud_state_create(const thud_model *m,
                                                     thud_state **out); // reference pose, at rest
THUD_API void thud_state_destroy(thud_state *s);                        // NULL is allowed

// Back to time 0 in the reference pose (key = -1) or in a keyframe. BAD_ARGUMENT when there is no such
// keyframe.
THUD_API THUD_MUST_USE thud_status thud_state_reset(const thud_model *m, int key, thud_state *s);
THUD_API void thud_state_copy(const thud_state *from, thud_state *to); // both made for one model

// Sets positions or velocities (NULL: leaves them) and forgets the last acceleration. Quaternions are
// normalised. BAD_ARGUMENT, with the state untouched, when a number is not finite or a quaternion has no
// length.
THUD_API THUD_MUST_USE thud_status thud_state_set(const thud_model *m, const double *qpos, const double *qvel,
                                                  thud_state *s);

THUD_API uint64_t thud_state_hash(const thud_state *s); // of every bit the next step depends on

#ifdef __cplusplus
}
#endif
