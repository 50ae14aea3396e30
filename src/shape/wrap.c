// SPDX-License-Identifier: Apache-2.0
// wrap.c: a string around a circle, in the plane of its two ends (sphere) or seen along the axis (cylinder).
//
// Symbols  d0, d1 the ends in the plane, the circle about the origin · t0, t1 where the string touches
//          z sine of the angle that the string makes with the radius where it is held from within
// Outside  the tangent from d at the distance l touches at (r^2 d -+ r sqrt(l^2 - r^2) d') / l^2, d' being d
//          turned by a quarter; of the two ways around the shorter counts, or the one on the side asked for.
// Inside   a string held in one point leaves it as it came (mirror law), which for the angle G between the
//          ends is  asin(A z) + asin(B z) - 2 asin(z) + G = 0,  A = r/l0, B = r/l1, solved by Newton from
//          z = 1: the function is concave there, so that the steps never pass the root.
// On a cylinder the string is straight on the unrolled surface: its height grows with the way in the plane.
// The choices among solutions are MuJoCo's (mju_wrap), so that models mean the same in both.
// Differs  MuJoCo ends Newton at 1e-6; we go on to rounding.
// Fails    never: where there is no such way the string goes straight.
#include <math.h>

#include <thud/elementary.h>
#include <thud/shape_wrap.h>
#include <thud/spatial_inline.h>

static const double TINY = 1e-15;

typedef struct point2 {
    double x, y;
} point2;

static double dot2(point2 a, point2 b)
{
    return a.x * b.x + a.y * b.y;
}

static double cross2(point2 a, point2 b)
{
    return a.x * b.y - a.y * b.x;
}

static point2 axpy2(double s, point2 a, point2 b) // s a + b
{
    return (point2){s * a.x + b.x, s * a.y + b.y};
}

static point2 scaled_to(point2 a, double length)
{
    const double n = sqrt(dot2(a, a));
    const double s = n > TINY ? length / n : 0;
    return (point2){s * a.x, s * a.y};
}

static bool cross_each_other(point2 p1, point2 p2, point2 p3, point2 p4)
{
    const point2 d = axpy2(-1, p1, p2), e = axpy2(-1, p3, p4), f = axpy2(-1, p3, p1);
    const double det = cross2(d, e);
    if (fabs(det) < TINY) {
        return false;
    }
    const double a = cross2(e, f) / det, b = cross2(d, f) / det;
    return a >= 0 && a <= 1 && b >= 0 && b <= 1;
}

// The point of the segment that is nearest to the origin.
static point2 nearest(point2 d0, point2 d1)
{
    const point2 way = axpy2(-1, d0, d1);
    const double a = -dot2(way, d0) / dot2(way, way);
    return axpy2(a < 0 ? 0 : a > 1 ? 1 : a, way, d0);
}

// Where the tangents from d touch; sign says which.
static point2 tangent(point2 d, double r, double sign)
{
    const double l2 = dot2(d, d), s = sign * r * sqrt(l2 - r * r);
    return (point2){(d.x * r * r + s * d.y) / l2, (d.y * r * r - s * d.x) / l2};
}

// The arc between t0 and t1, or -1: straight. way 0 goes clockwise.
static double around(point2 d0, point2 d1, const point2 *side, double r, point2 *t0, point2 *t1)
{
    const point2 apart = axpy2(-1, d0, d1);
    if (dot2(d0, d0) < r * r || dot2(d1, d1) < r * r || r < TINY || dot2(apart, apart) < TINY) {
        return -1;
    }
    const point2 closest = nearest(d0, d1);
    if (dot2(closest, closest) > r * r && (!side || dot2(*side, closest) >= 0)) {
        return -1;
    }
    double good[2];
    for (int way = 0; way < 2; way++) {
        const double sign = way == 0 ? 1 : -1;
        const point2 a = tangent(d0, r, sign), b = tangent(d1, r, -sign), gap = axpy2(-1, a, b);
        good[way] = side ? dot2(scaled_to(axpy2(1, a, b), 1), *side) : -dot2(gap, gap);
        good[way] = cross_each_other(d0, a, d1, b) ? -1e4 : good[way];
    }
    const int way = good[0] > good[1] ? 0 : 1;
    *t0 = tangent(d0, r, way == 0 ? 1 : -1);
    *t1 = tangent(d1, r, way == 0 ? -1 : 1);
    if (cross_each_other(d0, *t0, d1, *t1)) {
        return -1;
    }
    const double turn = cross2(*t0, *t1), angle = fabs(thud_atan2(turn, dot2(*t0, *t1)));
    const bool long_way = (turn < 0 && way == 1) || (turn > 0 && way == 0);
    return r * (long_way ? 6.283185307179586 - angle : angle);
}

// Newton for z; negative: there is no root to be found.
static double mirror(double A, double B, double G)
{
    double z = 1 - 1e-7, f = thud_asin(A * z) + thud_asin(B * z) - 2 * thud_asin(z) + G;
    if (f > 0) {
        return -1;
    }
    for (int k = 0; k < 40 && fabs(f) > 1e-15; k++) {
        const double slope =
            A / sqrt(1 - z * z * A * A) + B / sqrt(1 - z * z * B * B) - 2 / thud_max(TINY, sqrt(1 - z * z));
        if (slope > -TINY) {
            return -1;
        }
        z -= f / slope;
        f = thud_asin(A * z) + thud_asin(B * z) - 2 * thud_asin(z) + G;
    }
    return z;
}

// A string held from within: 0, and the one point; or -1: straight.
static double within(point2 d0, point2 d1, double r, point2 *t0, point2 *t1)
{
    const double l0 = sqrt(dot2(d0, d0)), l1 = sqrt(dot2(d1, d1));
    const point2 apart = axpy2(-1, d0, d1);
    if (l0 <= r || l1 <= r || r < TINY) {
        return -1;
    }
    if (dot2(apart, apart) > TINY) {
        const double a = -dot2(d0, apart) / dot2(apart, apart);
        const point2 closest = axpy2(a, apart, d0);
        if (a > 0 && a < 1 && dot2(closest, closest) <= r * r) {
            return -1;
        }
    }
    const double cosine = dot2(d0, d1) / (l0 * l1);
    if (cosine < -1 + TINY) {
        return -1;
    }
    *t0 = *t1 = scaled_to(axpy2(1, d0, d1), r);
    const double z = cosine > 1 - TINY ? -1 : mirror(r / l0, r / l1, thud_acos(cosine));
    if (z >= 0) {
        const bool left = cross2(d0, d1) > 0;
        const point2 from = scaled_to(left ? d0 : d1, r);
        const double angle = thud_asin(z) - thud_asin(z * r / (left ? l0 : l1)), c = thud_cos(angle),
                     s = thud_sin(angle);
        *t0 = *t1 = (point2){c * from.x - s * from.y, s * from.x + c * from.y};
    }
    return 0;
}

// Two unit vectors that span the plane of a, b and the origin.
static void plane_of(vec3 a, vec3 b, vec3 axis[2])
{
    axis[0] = v3_normalize(a);
    vec3 normal = v3_cross(a, b);
    if (v3_norm(normal) < TINY) { // one line: any plane that holds it
        const vec3 size = v3_abs(axis[0]);
        const bool x = size.x >= size.y && size.x >= size.z, y = !x && size.y >= size.z;
        normal = v3_cross(axis[0], v3(!x, !y, x || y));
    }
    axis[1] = v3_normalize(v3_cross(normal, axis[0]));
}

static point2 seen(const vec3 axis[2], vec3 p)
{
    return (point2){v3_dot(axis[0], p), v3_dot(axis[1], p)};
}

static vec3 laid(const vec3 axis[2], point2 p)
{
    return v3_add(v3_scale(p.x, axis[0]), v3_scale(p.y, axis[1]));
}

thud_bend thud_bend_around(bool cylinder, double radius, thud_pose X, thud_vec3 a, thud_vec3 b,
                           const thud_vec3 *side)
{
    const vec3 p0 = pose_unpoint(X, a), p1 = pose_unpoint(X, b);
    const vec3 s = side ? pose_unpoint(X, *side) : v3(0, 0, 0);
    thud_bend bend = {0};
    if (v3_norm(p0) < TINY || v3_norm(p1) < TINY) {
        return bend;
    }
    vec3 axis[2] = {v3(1, 0, 0), v3(0, 1, 0)};
    if (!cylinder) {
        plane_of(p0, p1, axis);
    }
    const point2 d0 = seen(axis, p0), d1 = seen(axis, p1), sided = scaled_to(seen(axis, s), radius);
    point2 t0, t1;
    double arc = side && v3_norm(s) < radius ? within(d0, d1, radius, &t0, &t1)
                                             : around(d0, d1, side ? &sided : NULL, radius, &t0, &t1);
    if (arc < 0) {
        return bend;
    }
    vec3 r0 = laid(axis, t0), r1 = laid(axis, t1);
    if (cylinder) {
        const double in = thud_hypot(p0.x - r0.x, p0.y - r0.y), out = thud_hypot(p1.x - r1.x, p1.y - r1.y);
        const double rise = (p1.z - p0.z) / (in + arc + out);
        r0.z = p0.z + rise * in;
        r1.z = p0.z + rise * (in + arc);
        arc = thud_hypot(arc, r1.z - r0.z);
    }
    bend.touches = true;
    bend.p1 = pose_point(X, r0);
    bend.p2 = pose_point(X, r1);
    bend.arc = arc;
    return bend;
}
