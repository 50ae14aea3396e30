// SPDX-License-Identifier: Apache-2.0
// forward.h: everything that thud forward shows of a model at one state.
#pragma once

#include <thud/thud.h>

typedef struct forward {
    const thud_model *m;
    const thud_state *s;
    thud_pose *X_wb, *X_wg; // of bodies and geoms
    double *reading; // of the sensors; forces and accelerations with contact, over one step of the scene's
    thud_contact_set contacts;
    double *M;                                          // nv x nv, row-major
    double *bias, *passive, *actuator, *qacc, *carried; // nv
    thud_energy energy;
    double *block; // holds them all
    thud_dynamics *d;
    thud_drive *drive;
} forward;

bool forward_create(const thud_model *m, const thud_state *s, forward *f); // false when memory ran out
void forward_free(forward *f);

// Poses, M, bias, forces, energies, and qacc = M^-1 (forces - bias); false when M is singular.
bool forward_compute(forward *f);
// What the sensors read; forces and accelerations as thud_sim_forward has them.
thud_status forward_sense(forward *f, thud_diag *diag);
// The contacts at those poses, the geoms' own margins included.
thud_status forward_collide(forward *f);
