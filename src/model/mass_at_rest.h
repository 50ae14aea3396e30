// SPDX-License-Identifier: Apache-2.0
// mass_at_rest.h: the factored mass matrix of the reference pose, while a model is built.
#pragma once

#include "build.h"

typedef struct rest_column { // of one dof, at a point of a body: its angular and linear velocity
    int dof;
    thud_vec3 turn, go;
} rest_column;

typedef struct rest_mass {
    const thud_model *m;
    thud_pose *X_wb;
    rest_column *column; // nv, scratch
    double *J;           // nv, scratch of the caller
    double *row;         // of M, factored
    bool regular;        // M is positive definite
} rest_mass;

// model_rest_clear in any case.
thud_status model_rest_create(const thud_model *m, rest_mass *r);
void model_rest_clear(rest_mass *r);
// The dofs that move a body, from the last up, with what each does to the point c of the world, in r->column; returns how many.
int model_rest_columns(const rest_mass *r, int body, thud_vec3 c);
// J M^-1 J^T of a lever J (nv), which is overwritten.
double model_rest_give(const rest_mass *r, double *J);
// |M^-1 J^T|, the acceleration of a unit force along a lever J (nv), which is overwritten.
double model_rest_acceleration(const rest_mass *r, double *J);

// damp_ratio.c: the lever of an actuator at the reference pose, into r->J.
thud_status model_rest_lever(builder *b, int i, const rest_mass *r);
