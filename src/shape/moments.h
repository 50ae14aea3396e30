// SPDX-License-Identifier: Apache-2.0
// moments.h: integrals of 1, x and x x^T over triangles and over the tetrahedra they span with the origin.
//
// For a simplex with corners at a, b, c (and the origin), s = a + b + c:
//     triangle      ∫1 = A    ∫x = A s / 3    ∫x x^T = A/12 (a a^T + b b^T + c c^T + s s^T)
//     tetrahedron   ∫1 = V    ∫x = V s / 4    ∫x x^T = V/20 (a a^T + b b^T + c c^T + s s^T)
#pragma once

#include <thud/shape_hull.h>
#include <thud/spatial_inline.h>

typedef struct moments {
    double m;         // ∫ 1
    vec3 first;       // ∫ x
    double second[6]; // ∫ x x^T as xx yy zz xy xz yz
} moments;

// Adds one simplex of measure `measure` (signed), with the two divisors of the table above.
static inline void moments_add(moments *sum, double measure, double first, double second,
                               const vec3 corner[3])
{
    const vec3 a = corner[0], b = corner[1], c = corner[2], s = v3_add(v3_add(a, b), c);
    const double w = measure / second;
    sum->m += measure;
    sum->first = v3_axpy(measure / first, s, sum->first);
    sum->second[0] += w * (a.x * a.x + b.x * b.x + c.x * c.x + s.x * s.x);
    sum->second[1] += w * (a.y * a.y + b.y * b.y + c.y * c.y + s.y * s.y);
    sum->second[2] += w * (a.z * a.z + b.z * b.z + c.z * c.z + s.z * s.z);
    sum->second[3] += w * (a.x * a.y + b.x * b.y + c.x * c.y + s.x * s.y);
    sum->second[4] += w * (a.x * a.z + b.x * b.z + c.x * c.z + s.x * s.z);
    sum->second[5] += w * (a.y * a.z + b.y * b.z + c.y * c.z + s.y * s.z);
}

static inline void moments_add_tetrahedron(moments *sum, const vec3 corner[3], double sign)
{
    const double volume = v3_dot(corner[0], v3_cross(corner[1], corner[2])) / 6;
    moments_add(sum, sign * volume, 4, 20, corner);
}

static inline double triangle_area(const vec3 corner[3])
{
    return 0.5 * v3_norm(v3_cross(v3_sub(corner[1], corner[0]), v3_sub(corner[2], corner[0])));
}

static inline void moments_add_triangle(moments *sum, const vec3 corner[3])
{
    moments_add(sum, triangle_area(corner), 3, 12, corner);
}

// Mass, centre and inertia of what was summed about the point `origin`, at this density.
static inline thud_inertia moments_inertia(const moments *sum, vec3 origin, double density)
{
    thud_inertia I = {density * sum->m, origin, {0}};
    if (!(sum->m != 0)) {
        return I;
    }
    const vec3 c = v3_scale(1 / sum->m, sum->first);
    const double xx = sum->second[0] - sum->m * c.x * c.x, yy = sum->second[1] - sum->m * c.y * c.y,
                 zz = sum->second[2] - sum->m * c.z * c.z;
    I.com = v3_add(origin, c);
    I.I[0] = density * (yy + zz); // tr(C) 1 - C, with C = ∫ x x^T - m c c^T
    I.I[1] = density * (xx + zz);
    I.I[2] = density * (xx + yy);
    I.I[3] = -density * (sum->second[3] - sum->m * c.x * c.y);
    I.I[4] = -density * (sum->second[4] - sum->m * c.x * c.z);
    I.I[5] = -density * (sum->second[5] - sum->m * c.y * c.z);
    return I;
}

// The sum over the fans of a hull's faces, as triangles or as tetrahedra to the origin (mass.c).
moments hull_moments(const thud_hull *hull, vec3 origin, bool shell);
