// SPDX-License-Identifier: Apache-2.0
// mass.c: volume, area and inertia of shapes, solid and shell.
//
// Symbols  r radius · h half length · m mass · (a, b, c) semi-axes or half lengths · I principal moments
#include "moments.h"
#include <thud/elementary.h>
#include <thud/shape.h>

static const double PI = 3.14159265358979323846;

static thud_inertia centred(double mass, double xx, double yy, double zz)
{
    const thud_inertia I = {mass, {0, 0, 0}, {xx, yy, zz, 0, 0, 0}};
    return I;
}

// ---------------------------------------------------------------------------------------------- solids

static thud_inertia capsule_solid(double r, double h, double density)
{
    const double cylinder = density * 2 * PI * r * r * h, ball = density * 4 * PI * r * r * r / 3;
    // each half ball has its centre 3r/8 beyond the end of the segment
    const double x = cylinder * (r * r / 4 + h * h / 3) + ball * (2 * r * r / 5 + h * h + 3 * r * h / 4);
    return centred(cylinder + ball, x, x, cylinder * r * r / 2 + ball * 2 * r * r / 5);
}

static thud_inertia cylinder_solid(double r, double h, double density)
{
    const double m = density * 2 * PI * r * r * h, x = m * (r * r / 4 + h * h / 3);
    return centred(m, x, x, m * r * r / 2);
}

// Boxes (k = 3) and ellipsoids (k = 5) of half lengths s.
static thud_inertia box_like(double m, const double s[3], double k)
{
    const double x = s[0] * s[0], y = s[1] * s[1], z = s[2] * s[2];
    return centred(m, m * (y + z) / k, m * (x + z) / k, m * (x + y) / k);
}

// ---------------------------------------------------------------------------------------------- shells

static thud_inertia capsule_shell(double r, double h, double density)
{
    const double tube = density * 4 * PI * r * h, ball = density * 4 * PI * r * r;
    // each half shell has its centre r/2 beyond the end of the segment
    const double x = tube * (r * r / 2 + h * h / 3) + ball * (2 * r * r / 3 + h * h + r * h);
    return centred(tube + ball, x, x, tube * r * r + ball * 2 * r * r / 3);
}

static thud_inertia cylinder_shell(double r, double h, double density)
{
    const double tube = density * 4 * PI * r * h, disks = density * 2 * PI * r * r;
    const double x = tube * (r * r / 2 + h * h / 3) + disks * (r * r / 4 + h * h);
    return centred(tube + disks, x, x, tube * r * r + disks * r * r / 2);
}

static thud_inertia box_shell(const double s[3], double density)
{
    double second[3] = {0, 0, 0}, m = 0; // ∫ x_i^2
    for (int i = 0; i < 3; i++) {        // the two faces across axis i
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const double pair = density * 8 * s[j] * s[k];
        m += pair;
        second[i] += pair * s[i] * s[i];
        second[j] += pair * s[j] * s[j] / 3;
        second[k] += pair * s[k] * s[k] / 3;
    }
    return centred(m, second[1] + second[2], second[0] + second[2], second[0] + second[1]);
}

// The surface of an ellipsoid is x_i = s_i u_i with u on the unit sphere, and dS = sqrt(sum w_i u_i^2) du
// with w_i = s_j^2 s_k^2. With the shortest axis as the pole (u_p = t), all near-singular places are at the
// ends of t in [0, 1] and of the azimuth in [0, pi/2], where the double-exponential rule does not mind them:
// the error is below 2e-14 for every ratio of axes, flat disks included. 129 x 129 evaluations.
static thud_inertia ellipsoid_shell(const double s[3], double density)
{
    enum { HALF = 64, NODES = 2 * HALF + 1 };
    const double step = 3.5 / HALF;
    const int p = s[2] <= s[0] && s[2] <= s[1] ? 2 : s[1] <= s[0] ? 1 : 0, i = (p + 1) % 3, j = (p + 2) % 3;
    const double wp = s[i] * s[j], wi = s[j] * s[p], wj = s[i] * s[p]; // square roots of the w
    double m = 0, second[3] = {0, 0, 0}, node[NODES], weight[NODES];
    for (int k = 0; k < NODES; k++) { // t = (1 + tanh(pi/2 sinh y)) / 2
        const double y = step * (k - HALF), e = PI / 2 * thud_sinh(y), c = thud_cosh(e);
        node[k] = 1 / (1 + thud_exp(-2 * e));
        weight[k] = step * PI / 4 * thud_cosh(y) / (c * c);
    }
    for (int k = 0; k < NODES; k++) {
        const double t = node[k], q = sqrt((1 - t) * (1 + t));
        for (int l = 0; l < NODES; l++) {
            const double ui = q * thud_cos(PI / 2 * node[l]), uj = q * thud_sin(PI / 2 * node[l]);
            const double dS = density * 4 * PI * weight[k] * weight[l] * // eight octants of pi/2 each
                              v3_norm(v3(wp * t, wi * ui, wj * uj));
            m += dS;
            second[p] += dS * s[p] * s[p] * t * t;
            second[i] += dS * s[i] * s[i] * ui * ui;
            second[j] += dS * s[j] * s[j] * uj * uj;
        }
    }
    return centred(m, second[1] + second[2], second[0] + second[2], second[0] + second[1]);
}

// ---------------------------------------------------------------------------------------------- hulls

moments hull_moments(const thud_hull *hull, vec3 origin, bool shell)
{
    moments sum = {0, {0, 0, 0}, {0}};
    const vec3 *x = hull->vertex;
    for (int f = 0; f < hull->faces; f++) {
        const int *loop = hull->face_vertex + hull->face_start[f];
        for (int k = 2; k < thud_hull_face_size(hull, f); k++) {
            const vec3 corner[3] = {v3_sub(x[loop[0]], origin), v3_sub(x[loop[k - 1]], origin),
                                    v3_sub(x[loop[k]], origin)};
            if (shell) {
                moments_add_triangle(&sum, corner);
            } else {
                moments_add_tetrahedron(&sum, corner, 1);
            }
        }
    }
    return sum;
}

// About the first vertex, from where no tetrahedron is inside out.
static thud_inertia hull_inertia(const thud_hull *hull, double density, bool shell)
{
    const moments sum = hull_moments(hull, hull->vertex[0], shell);
    return moments_inertia(&sum, hull->vertex[0], density);
}

// ---------------------------------------------------------------------------------------------- all kinds

double thud_shape_volume(const thud_shape *shape)
{
    return thud_shape_inertia(shape, 1).mass;
}

double thud_shape_area(const thud_shape *shape)
{
    return thud_shape_shell_inertia(shape, 1).mass;
}

thud_inertia thud_shape_inertia(const thud_shape *shape, double density)
{
    const double *s = shape->size, r = s[0];
    switch (shape->kind) {
    case THUD_SHAPE_SPHERE:
        return box_like(density * 4 * PI * r * r * r / 3, (double[3]){r, r, r}, 5);
    case THUD_SHAPE_ELLIPSOID:
        return box_like(density * 4 * PI * s[0] * s[1] * s[2] / 3, s, 5);
    case THUD_SHAPE_BOX:
        return box_like(density * 8 * s[0] * s[1] * s[2], s, 3);
    case THUD_SHAPE_CAPSULE:
        return capsule_solid(r, s[1], density);
    case THUD_SHAPE_CYLINDER:
        return cylinder_solid(r, s[1], density);
    case THUD_SHAPE_HULL:
        return hull_inertia(shape->hull, density, false);
    default:
        return centred(0, 0, 0, 0);
    }
}

thud_inertia thud_shape_shell_inertia(const thud_shape *shape, double density)
{
    const double *s = shape->size, r = s[0];
    switch (shape->kind) {
    case THUD_SHAPE_SPHERE: {
        const double m = density * 4 * PI * r * r, I = m * 2 * r * r / 3;
        return centred(m, I, I, I);
    }
    case THUD_SHAPE_ELLIPSOID:
        return ellipsoid_shell(s, density);
    case THUD_SHAPE_BOX:
        return box_shell(s, density);
    case THUD_SHAPE_CAPSULE:
        return capsule_shell(r, s[1], density);
    case THUD_SHAPE_CYLINDER:
        return cylinder_shell(r, s[1], density);
    case THUD_SHAPE_HULL:
        return hull_inertia(shape->hull, density, true);
    default:
        return centred(0, 0, 0, 0);
    }
}
