// SPDX-License-Identifier: Apache-2.0
// point.c: the signed distance of a point from a solid, in closed form; with a radius it is a sphere's.
//
// Symbols  x the point, s the solid's sizes, all in the solid's frame.
// Cost     O(1); the ellipsoid is in point_ellipsoid.c.
// Fails    nowhere; where the nearest point is not unique (a centre, an axis) the first one in the order +x,
// +y,
//          +z of the axes is taken.
#include "pair.h"

static point_gap from_point(vec3 x, vec3 nearest, vec3 otherwise) // a point's, a segment's: no inside
{
    const vec3 away = v3_sub(x, nearest);
    const double length = v3_norm(away);
    const point_gap g = {.dist = length,
                         .surface = nearest,
                         .normal = length > 0 ? v3_scale(1 / length, away) : otherwise,
                         .feature = feature_of(THUD_FEATURE_POINT, 0)};
    return g;
}

static point_gap round_off(point_gap g, double radius)
{
    g.dist -= radius;
    g.surface = v3_axpy(radius, g.normal, g.surface);
    return g;
}

static point_gap of_capsule(const double s[3], vec3 x)
{
    const double z = thud_min(s[1], thud_max(-s[1], x.z));
    point_gap g = round_off(from_point(x, v3(0, 0, z), v3(1, 0, 0)), s[0]);
    g.feature = x.z > s[1]    ? feature_of(THUD_FEATURE_VERTEX, 1)
                : x.z < -s[1] ? feature_of(THUD_FEATURE_VERTEX, 0)
                              : feature_of(THUD_FEATURE_EDGE, 0);
    return g;
}

static point_gap of_cylinder(const double s[3], vec3 x)
{
    const double h = sqrt(x.x * x.x + x.y * x.y);
    const vec3 u = h > 0 ? v3(x.x / h, x.y / h, 0) : v3(1, 0, 0);
    const int top = x.z > 0;
    const double side = h - s[0], cap = fabs(x.z) - s[1];
    const vec3 rim = v3(s[0] * u.x, s[0] * u.y, top ? s[1] : -s[1]);
    if (side > 0 && cap > 0) {
        point_gap g = from_point(x, rim, u);
        g.feature = feature_of(THUD_FEATURE_POINT, top);
        return g;
    }
    if (cap > side) {
        return (point_gap){.dist = cap,
                           .surface = v3(x.x, x.y, rim.z),
                           .normal = v3(0, 0, top ? 1 : -1),
                           .feature = feature_of(THUD_FEATURE_FACE, top)};
    }
    return (point_gap){.dist = side,
                       .surface = v3(rim.x, rim.y, x.z),
                       .normal = u,
                       .feature = feature_of(THUD_FEATURE_EDGE, 0)};
}

// The vertex, edge or face of a box that holds the point clamped to it, by which coordinates were clamped.
static uint32_t box_feature(const double s[3], const double x[3])
{
    thud_hull_box box;
    int clamped = 0, free_axis = 0, corner = 0, face = 0;
    for (int i = 0; i < 3; i++) {
        if (fabs(x[i]) > s[i]) {
            clamped++;
            face = 2 * i + (x[i] > 0);
        } else {
            free_axis = i;
        }
        corner |= (x[i] > 0) << i;
    }
    if (clamped == 3) {
        return feature_of(THUD_FEATURE_VERTEX, corner);
    }
    if (clamped < 2) {
        return feature_of(THUD_FEATURE_FACE, face);
    }
    thud_hull_of_box(s, &box);
    const int low = corner & ~(1 << free_axis), high = corner | 1 << free_axis;
    for (int k = box.hull.near_start[low]; k < box.hull.near_start[low + 1]; k++) {
        if (box.hull.near[k] == high) {
            return feature_of(THUD_FEATURE_EDGE, box.hull.near_edge[k]);
        }
    }
    return 0;
}

static point_gap of_box(const double s[3], vec3 p)
{
    const double x[3] = {p.x, p.y, p.z};
    double q[3], n[3] = {0, 0, 0};
    int face = 0;
    bool inside = true;
    for (int i = 0; i < 3; i++) {
        q[i] = thud_min(s[i], thud_max(-s[i], x[i]));
        inside = inside && fabs(x[i]) <= s[i];
        if (s[i] - fabs(x[i]) < s[face] - fabs(x[face])) {
            face = i;
        }
    }
    if (!inside) {
        point_gap g = from_point(p, v3(q[0], q[1], q[2]), v3(1, 0, 0));
        g.feature = box_feature(s, x);
        return g;
    }
    const double sign = x[face] < 0 ? -1 : 1;
    q[face] = sign * s[face];
    n[face] = sign;
    return (point_gap){.dist = fabs(x[face]) - s[face],
                       .surface = v3(q[0], q[1], q[2]),
                       .normal = v3(n[0], n[1], n[2]),
                       .feature = feature_of(THUD_FEATURE_FACE, 2 * face + (sign > 0))};
}

point_gap gap_of_point(const thud_shape *shape, vec3 x)
{
    const double *s = shape->size;
    switch (shape->kind) {
    case THUD_SHAPE_CAPSULE:
        return of_capsule(s, x);
    case THUD_SHAPE_ELLIPSOID:
        return gap_of_point_ellipsoid(s, x);
    case THUD_SHAPE_CYLINDER:
        return of_cylinder(s, x);
    case THUD_SHAPE_BOX:
        return of_box(s, x);
    case THUD_SHAPE_PLANE:
        return (point_gap){.dist = x.z,
                           .surface = v3(x.x, x.y, 0),
                           .normal = v3(0, 0, 1),
                           .feature = feature_of(THUD_FEATURE_FACE, 0)};
    default:
        return round_off(from_point(x, v3(0, 0, 0), v3(1, 0, 0)), s[0]);
    }
}
