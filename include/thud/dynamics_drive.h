// SPDX-License-Identifier: Apache-2.0
// thud/dynamics_drive.h: what actuators and tendons do to the joints.
//
// A tendon or actuator has a length, and a lever: how its length changes with each dof. Its velocity is the
// lever times the velocities, and a force along it is the lever times that force on the joints:
//
//     velocity = sum of value[k] qvel[dof[k]],      tau[dof[k]] += value[k] force
//
//     thud_dynamics_place(m, qpos, d);
//     thud_drive_place(m, qpos, d, drive);            lengths and levers
//     thud_drive_move(m, qvel, drive);                velocities
//     thud_actuator_force(m, &input, drive, tau);     forces of actuators as joint forces: qfrc_actuator
//     thud_tendon_force(m, shift, drive, tau)         forces of tendon springs and dampers, added
//
// A tendon's force is positive where it pushes its ends apart, as in MuJoCo.
#pragma once

#include <thud/dynamics.h>
#include <thud/spec_elements.h> // thud_transmission and its kin

#ifdef __cplusplus
extern "C" {
#endif

typedef struct thud_lever { // a sparse row: each dof at most once
    int count;
    int *dof;
    double *value;
} thud_lever;

typedef struct thud_drive {
    double *tendon_length, *tendon_velocity; // a tendon each
    thud_lever *tendon;
    double *length, *velocity, *force; // an actuator each; force after thud_actuator_force
    bool *clamped;                     // its force is at its range: it does not answer to small motions
    thud_lever *moment;
    bool spatial;                   // lengths and levers depend on where bodies are, not on joints alone
    int joint;                      // where they do not: the first of these joints
    struct thud_drive_store *store; // private
} thud_drive;

THUD_API THUD_MUST_USE thud_status thud_drive_create(const thud_model *m, thud_drive **out);
THUD_API void thud_drive_destroy(thud_drive *drive); // NULL is allowed

// Lengths and levers at qpos, where d has been placed. O(stations depth).
THUD_API void thud_drive_place(const thud_model *m, const double *qpos, const thud_dynamics *d,
                               thud_drive *drive);
THUD_API void thud_drive_move(const thud_model *m, const double *qvel, thud_drive *drive);

// What drives the actuators. Only ctrl and act are needed; others may be NULL.
typedef struct thud_drive_input {
    const double *ctrl, *act; // of the state
    double h;                 // s, of the step: for actuators with actearly; 0: none
    const double *shift;      // nv: forces are taken where each dof has gone on by that much along the levers
    const double *carried;    // nv: the joint forces of carried weight, for joints with actuatorgravcomp
} thud_drive_input;

// tau (nv, set) = forces of the actuators on the joints, clamped by the ranges of actuators, tendons and
// joints. Carried weight of joints with actuatorgravcomp is counted in the clamping, not in tau.
THUD_API void thud_actuator_force(const thud_model *m, const thud_drive_input *in, thud_drive *drive,
                                  double *tau);
// Adds the forces of tendon springs and dampers to tau; shift (NULL: zeros) as in thud_drive_input.
THUD_API void thud_tendon_force(const thud_model *m, const double *shift, const thud_drive *drive,
                                double *tau);

// How stiff and how damped each dof (nv each, added to) is held by actuators and tendons: k >= -df/dq and d
// >= -df/dv as matrices, k and d standing for diagonal ones. Exact for what acts on one dof; for others the
// row sums, which are never less. Actuators whose force is clamped count for nothing when `free_only`.
THUD_API void thud_drive_stiffness(const thud_model *m, const double *ctrl, const double *act,
                                   const thud_drive *drive, bool free_only, double *k, double *d);

// Activations after h at constant controls, exactly: filter as filterexact. (MuJoCo takes an Euler step for filter, which
// blows up where h is more than twice its time constant.) out may be act.
THUD_API void thud_activation_advance(const thud_model *m, const double *ctrl, const double *act, double h,
                                      double *out);

// The spring energy of the tendons, J.
THUD_API double thud_tendon_energy(const thud_model *m, const thud_drive *drive);

#ifdef __cplusplus
}
#endif
