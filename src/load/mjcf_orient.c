// SPDX-License-Identifier: Apache-2.0
// mjcf_orient.c: the words for an orientation, and segments given by their ends, as poses.
#include <math.h>

#include "mjcf_reader.h"

static const double tiny = 1e-14; // MuJoCo's mjEPS: an axis shorter than this has no direction
static const double radians_per_degree = 3.14159265358979323846 / 180;

// What is unit to the last bits stays as it is, so that a quaternion that was read reads back as itself.
quat mjcf_unit(quat q)
{
    const double square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    return fabs(square - 1) < 1e-14 ? q : q_normalize(q);
}

vec3 mjcf_settle(vec3 v)
{
    return v3(v.x + 0.0, v.y + 0.0, v.z + 0.0); // -0 + 0 = 0
}

pose mjcf_settle_pose(pose X)
{
    const quat q = mjcf_unit(X.q);
    return (pose){{q.w + 0.0, q.x + 0.0, q.y + 0.0, q.z + 0.0}, mjcf_settle(X.p)};
}

// Rotations about three axes in turn: a small letter turns about the new axis, a capital about the fixed one.
quat mjcf_euler(const mjcf_settings *s, const double angle[3])
{
    const double unit = s->degrees ? radians_per_degree : 1;
    quat q = q_identity();
    for (int i = 0; i < 3; i++) {
        const char letter = s->eulerseq[i];
        const int axis = (letter | 0x20) - 'x';
        const quat turn = q_axis_angle(v3(axis == 0, axis == 1, axis == 2), unit * angle[i]);
        q = letter >= 'x' ? q_mul(q, turn) : q_mul(turn, q);
    }
    return q;
}

static bool from_xyaxes(const double a[6], quat *out)
{
    vec3 x = v3(a[0], a[1], a[2]), y = v3(a[3], a[4], a[5]);
    if (!(v3_norm(x) > tiny)) {
        return false;
    }
    x = v3_normalize(x);
    y = v3_axpy(-v3_dot(x, y), x, y);
    if (!(v3_norm(y) > tiny)) {
        return false;
    }
    y = v3_normalize(y);
    const mat3 R = m3_columns(x, y, v3_cross(x, y));
    *out = q_of_m3(&R);
    return true;
}

thud_status mjcf_orient(mjcf_reader *r, int n, const draft_head *head, const draft_turn *turn, quat *out)
{
    const char *word = "quat";
    bool good = true;
    *out = q_identity();
    if (head->given & GIVEN_QUAT) {
        const quat q = {turn->quat[0], turn->quat[1], turn->quat[2], turn->quat[3]};
        good = q_norm(q) > tiny;
        *out = mjcf_unit(q);
    } else if (head->given & GIVEN_AXISANGLE) {
        const double *a = turn->axisangle;
        const vec3 axis = v3(a[0], a[1], a[2]);
        word = "axisangle";
        good = v3_norm(axis) > tiny;
        *out = q_axis_angle(v3_normalize(axis),
                            a[3] * (mjcf_settings_of(r, n)->degrees ? radians_per_degree : 1));
    } else if (head->given & GIVEN_EULER) {
        *out = mjcf_euler(mjcf_settings_of(r, n), turn->euler);
    } else if (head->given & GIVEN_XYAXES) {
        word = "xyaxes";
        good = from_xyaxes(turn->xyaxes, out);
    } else if (head->given & GIVEN_ZAXIS) {
        const vec3 z = v3(turn->zaxis[0], turn->zaxis[1], turn->zaxis[2]);
        word = "zaxis";
        good = v3_norm(z) > tiny;
        *out = q_of_zaxis(v3_normalize(z));
    }
    return good ? THUD_OK
                : MJCF_FAIL(r, THUD_BAD_FILE, mjcf_place(r, n, word),
                            "%s gives no direction: an axis has no length, or two are parallel", word);
}

thud_status mjcf_span(mjcf_reader *r, int n, thud_geom_type type, const double fromto[6], double size[3],
                      pose *out)
{
    const thud_place place = mjcf_place(r, n, "fromto");
    if (type != THUD_GEOM_CAPSULE && type != THUD_GEOM_CYLINDER && type != THUD_GEOM_ELLIPSOID &&
        type != THUD_GEOM_BOX) {
        return MJCF_FAIL(r, THUD_BAD_FILE, place,
                         "fromto is for a capsule, cylinder, ellipsoid or box; this is none of them");
    }
    const vec3 from = v3(fromto[0], fromto[1], fromto[2]), to = v3(fromto[3], fromto[4], fromto[5]);
    const vec3 along = v3_sub(from, to); // MuJoCo's direction: +z points to the first end
    const double length = v3_norm(along);
    if (!(length > tiny)) {
        return MJCF_FAIL(r, THUD_BAD_FILE, place, "the two ends of fromto are the same point");
    }
    const bool round = type == THUD_GEOM_CAPSULE || type == THUD_GEOM_CYLINDER;
    size[round ? 1 : 2] = length / 2;
    if (!round) {
        size[1] = size[0];
    }
    *out = (pose){q_of_zaxis(v3_normalize(along)), v3_scale(0.5, v3_add(from, to))};
    return THUD_OK;
}
