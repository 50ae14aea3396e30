// SPDX-License-Identifier: Apache-2.0
// thud/spatial_inline.h: short-named inline algebra on the values of thud/spatial.h. Not included by
// thud/thud.h.
//
// v3_ vectors, q_ quaternions, m3_ 3x3 matrices, pose_ poses. Everything is by value and costs what it says.
#pragma once

#include <math.h>

#include <thud/elementary.h>
#include <thud/spatial.h>

typedef thud_vec3 vec3;
typedef thud_quat quat;
typedef thud_mat3 mat3;
typedef thud_pose pose;

// ---------------------------------------------------------------------------------------------- vectors

static inline vec3 v3(double x, double y, double z)
{
    const vec3 v = {x, y, z};
    return v;
}

static inline vec3 v3_add(vec3 a, vec3 b)
{
    return v3(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline vec3 v3_sub(vec3 a, vec3 b)
{
    return v3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline vec3 v3_neg(vec3 a)
{
    return v3(-a.x, -a.y, -a.z);
}

static inline vec3 v3_scale(double s, vec3 a)
{
    return v3(s * a.x, s * a.y, s * a.z);
}

static inline vec3 v3_axpy(double s, vec3 x, vec3 y) // s x + y
{
    return v3(s * x.x + y.x, s * x.y + y.y, s * x.z + y.z);
}

static inline double v3_dot(vec3 a, vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec3 v3_cross(vec3 a, vec3 b)
{
    return v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline double v3_norm2(vec3 a)
{
    return v3_dot(a, a);
}

static inline double v3_norm(vec3 a)
{
    return sqrt(v3_dot(a, a));
}

static inline vec3 v3_normalize(vec3 a) // a itself when it has no length
{
    const double n = v3_norm(a);
    return n > 0 ? v3_scale(1 / n, a) : a;
}

static inline double v3_get(vec3 a, int i)
{
    return i == 0 ? a.x : i == 1 ? a.y : a.z;
}

static inline vec3 v3_abs(vec3 a)
{
    return v3(fabs(a.x), fabs(a.y), fabs(a.z));
}

static inline vec3 v3_min(vec3 a, vec3 b)
{
    return v3(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z);
}

static inline vec3 v3_max(vec3 a, vec3 b)
{
    return v3(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z);
}

// ---------------------------------------------------------------------------------------------- quaternions

static inline quat q_identity(void)
{
    const quat q = {1, 0, 0, 0};
    return q;
}

static inline quat q_mul(quat a, quat b)
{
    const quat q = {
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
    return q;
}

static inline quat q_conj(quat a)
{
    const quat q = {a.w, -a.x, -a.y, -a.z};
    return q;
}

static inline double q_norm(quat a)
{
    return sqrt(a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z);
}

static inline quat q_normalize(quat a) // the identity when a has no length
{
    const double n = q_norm(a);
    if (!(n > 0)) {
        return q_identity();
    }
    const quat q = {a.w / n, a.x / n, a.y / n, a.z / n};
    return q;
}

static inline vec3 q_rotate(quat q, vec3 v)
{
    const vec3 u = v3(q.x, q.y, q.z);
    const vec3 t = v3_scale(2, v3_cross(u, v));
    return v3_add(v3_axpy(q.w, t, v), v3_cross(u, t));
}

static inline vec3 q_unrotate(quat q, vec3 v)
{
    return q_rotate(q_conj(q), v);
}

static inline quat q_axis_angle(vec3 unit_axis, double angle)
{
    const double s = thud_sin(0.5 * angle);
    const quat q = {thud_cos(0.5 * angle), s * unit_axis.x, s * unit_axis.y, s * unit_axis.z};
    return q;
}

// exp of a rotation vector; by series below 0.1 rad, as far as a double sees: no digit is lost, and nothing is called.
static inline quat q_exp(vec3 r)
{
    const double a2 = v3_norm2(r);
    double c, s; // cos(a/2), sin(a/2)/a
    if (a2 < 0.01) {
        c = 1 + a2 * (-1.0 / 8 + a2 * (1.0 / 384 + a2 * (-1.0 / 46080 + a2 * (1.0 / 10321920))));
        s = 0.5 + a2 * (-1.0 / 48 + a2 * (1.0 / 3840 + a2 * (-1.0 / 645120 + a2 * (1.0 / 185794560))));
    } else {
        const double a = sqrt(a2);
        c = thud_cos(0.5 * a);
        s = thud_sin(0.5 * a) / a;
    }
    const quat q = {c, s * r.x, s * r.y, s * r.z};
    return q;
}

// The rotation vector of a unit quaternion, of length at most pi.
static inline vec3 q_log(quat q)
{
    const double sign = q.w < 0 ? -1 : 1;
    const vec3 u = v3(sign * q.x, sign * q.y, sign * q.z);
    const double s = v3_norm(u);
    const double angle_over_s = s < 1e-9 ? 2 : 2 * thud_atan2(s, sign * q.w) / s;
    return v3_scale(angle_over_s, u);
}

// ---------------------------------------------------------------------------------------------- matrices

static inline mat3 m3_of_quat(quat q)
{
    const double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z, xy = q.x * q.y, xz = q.x * q.z,
                 yz = q.y * q.z;
    const double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    const mat3 R = {{{1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy)},
                     {2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx)},
                     {2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)}}};
    return R;
}

static inline vec3 q_zaxis(quat q) // the last column of m3_of_quat
{
    return v3(2 * (q.x * q.z + q.w * q.y), 2 * (q.y * q.z - q.w * q.x), 1 - 2 * (q.x * q.x + q.y * q.y));
}

static inline vec3 m3_mulv(const mat3 *A, vec3 v)
{
    return v3(A->m[0][0] * v.x + A->m[0][1] * v.y + A->m[0][2] * v.z,
              A->m[1][0] * v.x + A->m[1][1] * v.y + A->m[1][2] * v.z,
              A->m[2][0] * v.x + A->m[2][1] * v.y + A->m[2][2] * v.z);
}

static inline vec3 m3_tmulv(const mat3 *A, vec3 v) // A^T v
{
    return v3(A->m[0][0] * v.x + A->m[1][0] * v.y + A->m[2][0] * v.z,
              A->m[0][1] * v.x + A->m[1][1] * v.y + A->m[2][1] * v.z,
              A->m[0][2] * v.x + A->m[1][2] * v.y + A->m[2][2] * v.z);
}

static inline mat3 m3_mul(const mat3 *A, const mat3 *B)
{
    mat3 C;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            C.m[i][j] = A->m[i][0] * B->m[0][j] + A->m[i][1] * B->m[1][j] + A->m[i][2] * B->m[2][j];
        }
    }
    return C;
}

static inline vec3 m3_col(const mat3 *A, int j)
{
    return v3(A->m[0][j], A->m[1][j], A->m[2][j]);
}

static inline mat3 m3_columns(vec3 a, vec3 b, vec3 c)
{
    const mat3 R = {{{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}}};
    return R;
}

// The unit quaternion of a rotation matrix, with MuJoCo's choice of sign: its w positive where the trace is,
// else its largest other component.
static inline quat q_of_m3(const mat3 *R)
{
    const double t = R->m[0][0] + R->m[1][1] + R->m[2][2];
    const double x = R->m[2][1] - R->m[1][2], y = R->m[0][2] - R->m[2][0], z = R->m[1][0] - R->m[0][1];
    const double xy = R->m[0][1] + R->m[1][0], xz = R->m[0][2] + R->m[2][0], yz = R->m[1][2] + R->m[2][1];
    const quat by_w = {1 + t, x, y, z}, by_x = {x, 1 + 2 * R->m[0][0] - t, xy, xz};
    const quat by_y = {y, xy, 1 + 2 * R->m[1][1] - t, yz}, by_z = {z, xz, yz, 1 + 2 * R->m[2][2] - t};
    quat q = by_z;
    if (t > 0) {
        q = by_w;
    } else if (R->m[0][0] > R->m[1][1] && R->m[0][0] > R->m[2][2]) {
        q = by_x;
    } else if (R->m[1][1] > R->m[2][2]) {
        q = by_y;
    }
    return q_normalize(q);
}

// The shortest rotation that takes +z to the unit vector z.
static inline quat q_of_zaxis(vec3 z)
{
    const vec3 axis = v3(-z.y, z.x, 0); // e_z x z
    const double s = sqrt(axis.x * axis.x + axis.y * axis.y);
    if (s < 1e-10) {
        const quat flip = {0, 1, 0, 0};
        return z.z < 0 ? flip : q_identity();
    }
    return q_axis_angle(v3_scale(1 / s, axis), thud_atan2(s, z.z));
}

// ---------------------------------------------------------------------------------------------- poses

static inline pose pose_identity(void)
{
    const pose X = {{1, 0, 0, 0}, {0, 0, 0}};
    return X;
}

static inline pose pose_mul(pose X_ab, pose X_bc) // X_ac
{
    const pose X = {q_mul(X_ab.q, X_bc.q), v3_add(X_ab.p, q_rotate(X_ab.q, X_bc.p))};
    return X;
}

static inline pose pose_inv(pose X_ab) // X_ba
{
    const quat q = q_conj(X_ab.q);
    const pose X = {q, v3_neg(q_rotate(q, X_ab.p))};
    return X;
}

static inline vec3 pose_point(pose X_ab, vec3 p_b) // p_a
{
    return v3_add(X_ab.p, q_rotate(X_ab.q, p_b));
}

static inline vec3 pose_unpoint(pose X_ab, vec3 p_a) // p_b
{
    return q_unrotate(X_ab.q, v3_sub(p_a, X_ab.p));
}
