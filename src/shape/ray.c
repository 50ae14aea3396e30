// SPDX-License-Identifier: Apache-2.0
// ray.c: rays against planes and convex solids.
//
// A line runs through a convex solid from t_in to t_out, the intersection of what it runs through of the
// half-spaces, slabs, cylinders or balls that the solid is made of. The ray's crossing is t_in if that is
// ahead, else t_out if that is.
//
// Symbols  p, d start and direction of the ray, in the shape's frame
//          quadric a t^2 + 2 b t + c = 0 taken at its closest approach t0 = -b/a, where the root of what is
//          left has no cancellation however far away the ray starts
#include "ray.h"

typedef struct chord {          // what a line runs through of a convex solid
    double in, out;             // t; empty when in > out
    vec3 normal_in, normal_out; // of the surface where it enters and leaves
} chord;

static const chord WHOLE = {-HUGE_VAL, HUGE_VAL, {0, 0, 0}, {0, 0, 0}};
static const chord EMPTY = {HUGE_VAL, -HUGE_VAL, {0, 0, 0}, {0, 0, 0}};

// The part of a chord inside the half-space n . x <= offset.
static chord cut(chord c, const ray *r, vec3 n, double offset)
{
    const double speed = v3_dot(n, r->d), room = offset - v3_dot(n, r->p);
    if (speed == 0) {
        return room >= 0 ? c : EMPTY;
    }
    const double t = room / speed;
    if (speed < 0 && t > c.in) {
        c.in = t;
        c.normal_in = n;
    } else if (speed > 0 && t < c.out) {
        c.out = t;
        c.normal_out = n;
    }
    return c;
}

static chord through_hull(const thud_hull *h, const ray *r)
{
    chord c = WHOLE;
    for (int f = 0; f < h->faces; f++) {
        c = cut(c, r, h->face[f].normal, h->face[f].offset);
    }
    return c;
}

static chord through_slab(chord c, const ray *r, vec3 axis, double half)
{
    return cut(cut(c, r, axis, half), r, v3_neg(axis), half);
}

static chord through_box(const double half[3], const ray *r)
{
    const chord x = through_slab(WHOLE, r, v3(1, 0, 0), half[0]),
                y = through_slab(x, r, v3(0, 1, 0), half[1]);
    return through_slab(y, r, v3(0, 0, 1), half[2]);
}

// The normal of the ellipsoid |x / s| = 1 at x: its gradient.
static vec3 normal_of(vec3 x, vec3 inverse)
{
    return v3_normalize(
        v3(x.x * inverse.x * inverse.x, x.y * inverse.y * inverse.y, x.z * inverse.z * inverse.z));
}

static vec3 stretch(vec3 a, vec3 s)
{
    return v3(a.x * s.x, a.y * s.y, a.z * s.z);
}

// The ellipsoid with inverse semi-axes `inverse`; one of them 0 makes it a cylinder along that axis.
static chord through_quadric(vec3 inverse, const ray *r)
{
    const vec3 p = stretch(r->p, inverse), d = stretch(r->d, inverse); // the unit ball, or cylinder
    const double a = v3_norm2(d);
    if (a == 0) { // along a cylinder
        return v3_norm2(p) <= 1 ? WHOLE : EMPTY;
    }
    const double t0 = -v3_dot(p, d) / a, left = 1 - v3_norm2(v3_axpy(t0, d, p));
    if (!(left >= 0)) {
        return EMPTY;
    }
    const double half = sqrt(left / a);
    return (chord){t0 - half, t0 + half, normal_of(ray_at(r, t0 - half), inverse),
                   normal_of(ray_at(r, t0 + half), inverse)};
}

static chord through_ball(vec3 centre, double radius, const ray *r)
{
    const ray moved = {v3_sub(r->p, centre), r->d};
    const double i = 1 / radius;
    return through_quadric(v3(i, i, i), &moved);
}

static chord through_cylinder(double radius, double half, const ray *r)
{
    const double i = 1 / radius;
    return through_slab(through_quadric(v3(i, i, 0), r), r, v3(0, 0, 1), half);
}

// Where the infinite cylinder is entered or left beyond an end, the capsule is at that end's ball.
static chord through_capsule(double radius, double half, const ray *r)
{
    const double i = 1 / radius;
    chord c = through_quadric(v3(i, i, 0), r);
    if (c.in > c.out) {
        return c;
    }
    const bool along = isinf(c.in);
    const double z_in = along ? -r->d.z * HUGE_VAL : ray_at(r, c.in).z,
                 z_out = along ? r->d.z * HUGE_VAL : ray_at(r, c.out).z;
    if (fabs(z_in) > half) {
        const chord ball = through_ball(v3(0, 0, copysign(half, z_in)), radius, r);
        c.in = ball.in;
        c.normal_in = ball.normal_in;
    }
    if (fabs(z_out) > half) {
        const chord ball = through_ball(v3(0, 0, copysign(half, z_out)), radius, r);
        c.out = ball.out;
        c.normal_out = ball.normal_out;
    }
    return c;
}

static crossing first_of(chord c)
{
    const crossing none = {-1, {0, 0, 0}};
    if (!(c.in <= c.out && c.out >= 0)) {
        return none;
    }
    return c.in >= 0 ? (crossing){c.in, c.normal_in} : (crossing){c.out, c.normal_out};
}

static crossing cross(const thud_shape *s, const ray *r)
{
    const crossing none = {-1, {0, 0, 0}};
    switch (s->kind) {
    case THUD_SHAPE_PLANE:
        return r->d.z < 0 && r->p.z >= 0 ? (crossing){-r->p.z / r->d.z, v3(0, 0, 1)} : none;
    case THUD_SHAPE_SPHERE:
        return first_of(through_ball(v3(0, 0, 0), s->size[0], r));
    case THUD_SHAPE_CAPSULE:
        return first_of(through_capsule(s->size[0], s->size[1], r));
    case THUD_SHAPE_ELLIPSOID:
        return first_of(through_quadric(v3(1 / s->size[0], 1 / s->size[1], 1 / s->size[2]), r));
    case THUD_SHAPE_CYLINDER:
        return first_of(through_cylinder(s->size[0], s->size[1], r));
    case THUD_SHAPE_BOX:
        return first_of(through_box(s->size, r));
    case THUD_SHAPE_HULL:
        return s->hull ? first_of(through_hull(s->hull, r)) : none;
    case THUD_SHAPE_HFIELD:
        return s->hfield ? ray_hfield(s->hfield, r) : none;
    }
    return none;
}

double thud_shape_ray(const thud_shape *shape, pose X, vec3 from, vec3 along, vec3 *normal)
{
    const double length = v3_norm(along);
    const vec3 p = q_unrotate(X.q, v3_sub(from, X.p));
    if (!(length > 0) || !isfinite(length) || !isfinite(v3_norm2(p))) {
        return -1;
    }
    const ray r = {p, v3_scale(1 / length, q_unrotate(X.q, along))};
    const crossing c = cross(shape, &r);
    if (!(c.t >= 0) || !isfinite(c.t)) {
        return -1;
    }
    if (normal) {
        *normal = q_rotate(X.q, c.normal);
    }
    return c.t;
}
