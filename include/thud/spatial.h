// SPDX-License-Identifier: Apache-2.0
// thud/spatial.h: the values of rigid-body algebra. Their inline operations are in thud/spatial_inline.h.
//
// X_ab is the pose of frame b in frame a and takes b-coordinates to a. 6-vectors are (angular, linear).
// Quaternions are (w, x, y, z), unit, and rotate as v_a = q v_b q*. Matrices are row-major. SI units,
// radians.
#pragma once

#include <thud/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct thud_vec3 {
    double x, y, z;
} thud_vec3;

typedef struct thud_quat {
    double w, x, y, z;
} thud_quat;

typedef struct thud_mat3 {
    double m[3][3]; // m[row][column]
} thud_mat3;

typedef struct thud_pose { // orientation and origin of b in a
    thud_quat q;
    thud_vec3 p;
} thud_pose;

typedef struct thud_motion { // velocity, acceleration, joint axis; linear part is that of the reference point
    thud_vec3 ang, lin;
} thud_motion;

typedef struct thud_force { // wrench, momentum, impulse: dual to a motion; angular part about the reference
                            // point
    thud_vec3 ang, lin;
} thud_force;

typedef struct
    thud_wrenches { // four wrenches side by side, the r-th in number r of every array; those not used are 0
    double ang[3][THUD_LANES], lin[3][THUD_LANES];
} thud_wrenches;

// Mass, centre of mass, and rotational inertia about the centre of mass: I = (xx, yy, zz, xy, xz, yz), all in
// one frame.
typedef struct thud_inertia {
    double mass;
    thud_vec3 com;
    double I[6];
} thud_inertia;

// Principal axes of a symmetric 3x3 matrix given as (xx, yy, zz, xy, xz, yz): values in descending order, and
// the rotation whose columns are the axes (right-handed). Exact to rounding for repeated values. O(1).
THUD_API void thud_sym3_eigen(const double S[6], double value[3], thud_quat *axes);

// The pose of X_ab and its rotational inertia moved: inertia given in b, returned in a.
THUD_API thud_inertia thud_inertia_map(thud_pose X_ab, thud_inertia I_b);
// The inertia of two bodies rigidly joined, both given in one frame.
THUD_API thud_inertia thud_inertia_add(thud_inertia a, thud_inertia b);

#ifdef __cplusplus
}
#endif
