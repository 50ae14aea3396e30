// SPDX-License-Identifier: Apache-2.0
// point_ellipsoid.c: the point of an ellipsoid nearest to a given one, inside or outside.
//
// With the semi-axes s_i and the point's coordinates y_i >= 0 (mirrored), the nearest point is
// x_i = s_i^2 y_i / (t + s_i^2), where t > -min s_i^2 is the one root of
//     g(t) = sum (s_i y_i / (t + s_i^2))^2 - 1,
// a falling convex function there: Newton's method from the left never overshoots, and a bracket guards it
// [Eberly, Distance from a point to an ellipse, an ellipsoid or a hyperellipsoid, 2013]. If y vanishes along
// the shortest axes and g stays negative, the nearest point leaves that plane: x is known along the other
// axes and the ellipsoid's equation gives the rest. All lengths are divided by the shortest semi-axis first.
//
// Symbols  above; z_i = y_i / s_i, r_i = (s_i / s_min)^2 - 1, t in units of s_min^2, u = t + 1.
// Fails    nowhere; flat ellipsoids (a zero semi-axis) are given one of 1e-12 of the largest.
#include <float.h>

#include "pair.h"

enum { ITERATIONS = 200 };

// u = t + 1, and r holds r_i - 1: near the pole at t = -1 no digit of u is lost.
static double g_of(const double r[3], const double z[3], double u, double *slope)
{
    double sum = -1;
    *slope = 0;
    for (int i = 0; i < 3; i++) {
        const double q = z[i] > 0 ? (1 + r[i]) * z[i] / (u + r[i]) : 0;
        sum += q * q;
        *slope -= z[i] > 0 ? 2 * q * q / (u + r[i]) : 0;
    }
    return sum;
}

// The root u > 0 of g, given that there is one: g(low) >= 0 >= g(high).
static double root(const double r[3], const double z[3])
{
    double slope, norm = 0, shortest = 0;
    for (int i = 0; i < 3; i++) {
        norm += (1 + r[i]) * z[i] * ((1 + r[i]) * z[i]);
        shortest += r[i] == 0 ? z[i] * z[i] : 0;
    }
    double low = sqrt(shortest), high = thud_max(low, sqrt(norm));
    double u = low;
    for (int k = 0; k < ITERATIONS; k++) {
        const double g = g_of(r, z, u, &slope);
        if (g == 0) {
            return u;
        }
        if (g > 0) {
            low = u;
        } else {
            high = u;
        }
        double next = u - g / slope;
        if (!(next > low && next < high)) {
            next = 0.5 * (low + high);
        }
        if (next == u || next == low || next == high) {
            break;
        }
        u = next;
    }
    return u;
}

static void nearest(const double s[3], const double y[3], double x[3])
{
    int least = 0;
    for (int i = 1; i < 3; i++) {
        least = s[i] < s[least] ? i : least;
    }
    double r[3], z[3];
    for (int i = 0; i < 3; i++) {
        r[i] = (s[i] - s[least]) / s[least] * ((s[i] + s[least]) / s[least]);
        z[i] = y[i] / s[i];
    }
    // On the plane across a shortest axis, and so far inside that the root would be at t = -1?
    bool across = true;
    double rest = 1;
    for (int i = 0; i < 3; i++) {
        x[i] = 0;
        if (r[i] == 0) {
            across = across && z[i] == 0;
        } else {
            x[i] = (1 + r[i]) * y[i] / r[i];
            rest -= x[i] / s[i] * (x[i] / s[i]);
        }
    }
    if (across && rest > 0) {
        x[least] = s[least] * sqrt(rest);
        return;
    }
    const double u = root(r, z);
    for (int i = 0; i < 3; i++) {
        x[i] = y[i] > 0 ? (1 + r[i]) * y[i] / (u + r[i]) : 0;
    }
}

point_gap gap_of_point_ellipsoid(const double semi[3], vec3 p)
{
    const double most = thud_max(semi[0], thud_max(semi[1], semi[2]));
    const double in[3] = {p.x, p.y, p.z};
    double s[3], y[3], x[3], sum = 0;
    for (int i = 0; i < 3; i++) {
        s[i] = thud_max(thud_max(semi[i], 1e-12 * most), DBL_MIN);
        y[i] = fabs(in[i]);
        sum += y[i] / s[i] * (y[i] / s[i]);
    }
    nearest(s, y, x);
    for (int i = 0; i < 3; i++) {
        x[i] = in[i] < 0 ? -x[i] : x[i];
    }
    // The normal is along p - x; where that is lost in rounding, along (x_i / s_i^2).
    const vec3 surface = v3(x[0], x[1], x[2]), away = v3_sub(p, surface);
    const double length = v3_norm(away), out = sum > 1 ? 1 : -1;
    const vec3 steepest = v3_normalize(
        v3(x[0] * (most / s[0]) / s[0], x[1] * (most / s[1]) / s[1], x[2] * (most / s[2]) / s[2]));
    const vec3 normal = length > 1e-8 * most       ? v3_scale(out / length, away)
                        : v3_norm2(steepest) > 0.5 ? steepest
                                                   : v3(0, 0, 1);
    return (point_gap){.dist = out * length,
                       .surface = surface,
                       .normal = normal,
                       .feature = feature_of(THUD_FEATURE_POINT, 0)};
}
