// SPDX-License-Identifier: Apache-2.0
// kernel.h: 3x3 block algebra of the recursions. Private to the room.
//
// A symmetric 3x3 matrix is (xx, yy, zz, xy, xz, yz); a general one is row-major.
#pragma once

#include <thud/dynamics.h>
#include <thud/spatial_inline.h>

// Wrenches in zn, zf of the links as joint forces, added to tau.
void dynamics_project(const thud_model *m, thud_dynamics *d, double *tau);

THUD_INSIDE vec3 sym_mul(const double S[6], vec3 v) // S v
{
    return v3(S[0] * v.x + S[3] * v.y + S[4] * v.z, S[3] * v.x + S[1] * v.y + S[5] * v.z,
              S[4] * v.x + S[5] * v.y + S[2] * v.z);
}

THUD_INSIDE vec3 gen_mul(const double B[9], vec3 v) // B v
{
    return v3(B[0] * v.x + B[1] * v.y + B[2] * v.z, B[3] * v.x + B[4] * v.y + B[5] * v.z,
              B[6] * v.x + B[7] * v.y + B[8] * v.z);
}

THUD_INSIDE vec3 gen_tmul(const double B[9], vec3 v) // B^T v
{
    return v3(B[0] * v.x + B[3] * v.y + B[6] * v.z, B[1] * v.x + B[4] * v.y + B[7] * v.z,
              B[2] * v.x + B[5] * v.y + B[8] * v.z);
}

THUD_INSIDE void sym_add_outer(double S[6], double s, vec3 a) // S += s a a^T
{
    const double x = s * a.x, y = s * a.y, z = s * a.z;
    S[0] += x * a.x;
    S[1] += y * a.y;
    S[2] += z * a.z;
    S[3] += x * a.y;
    S[4] += x * a.z;
    S[5] += y * a.z;
}

THUD_INSIDE void sym_add_outer2(double S[6], vec3 a, vec3 b) // S += a b^T + b a^T
{
    S[0] += 2 * a.x * b.x;
    S[1] += 2 * a.y * b.y;
    S[2] += 2 * a.z * b.z;
    S[3] += a.x * b.y + a.y * b.x;
    S[4] += a.x * b.z + a.z * b.x;
    S[5] += a.y * b.z + a.z * b.y;
}

THUD_INSIDE void gen_add_outer(double B[9], double s, vec3 a, vec3 b) // B += s a b^T
{
    const double x = s * a.x, y = s * a.y, z = s * a.z;
    B[0] += x * b.x;
    B[1] += x * b.y;
    B[2] += x * b.z;
    B[3] += y * b.x;
    B[4] += y * b.y;
    B[5] += y * b.z;
    B[6] += z * b.x;
    B[7] += z * b.y;
    B[8] += z * b.z;
}

THUD_INSIDE void gen_cross(vec3 h, double B[9]) // B = [h]x
{
    B[0] = B[4] = B[8] = 0;
    B[1] = -h.z;
    B[2] = h.y;
    B[3] = h.z;
    B[5] = -h.x;
    B[6] = -h.y;
    B[7] = h.x;
}

THUD_INSIDE double dof_force(const thud_dof *dof, vec3 n,
                             vec3 f) // the part of a wrench that works on the dof: H f
{
    return dof->linear ? v3_dot(dof->s, f) : v3_dot(dof->s, n);
}
