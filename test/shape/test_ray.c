// SPDX-License-Identifier: Apache-2.0
// test_ray.c: where rays meet shapes: closed forms, and a march along random rays with another description of
// each solid.
#include "../test.h"

#include <thud/shape_ray.h>
#include <thud/spatial_inline.h>

// ---------------------------------------------------------------------------------------------- solids

// A function of the place that is negative inside the solid, zero on its surface, positive outside.
static double level(const thud_shape *s, vec3 x)
{
    const double *a = s->size;
    switch (s->kind) {
    case THUD_SHAPE_PLANE:
        return x.z;
    case THUD_SHAPE_SPHERE:
        return v3_norm(x) - a[0];
    case THUD_SHAPE_CAPSULE:
        return v3_norm(v3(x.x, x.y, x.z - fmax(-a[1], fmin(a[1], x.z)))) - a[0];
    case THUD_SHAPE_ELLIPSOID:
        return (v3_norm(v3(x.x / a[0], x.y / a[1], x.z / a[2])) - 1) * fmin(a[0], fmin(a[1], a[2]));
    case THUD_SHAPE_CYLINDER:
        return fmax(hypot(x.x, x.y) - a[0], fabs(x.z) - a[1]);
    case THUD_SHAPE_BOX:
        return fmax(fabs(x.x) - a[0], fmax(fabs(x.y) - a[1], fabs(x.z) - a[2]));
    case THUD_SHAPE_HULL: {
        double most = -HUGE_VAL;
        for (int f = 0; f < s->hull->faces; f++) {
            most = fmax(most, v3_dot(s->hull->face[f].normal, x) - s->hull->face[f].offset);
        }
        return most;
    }
    case THUD_SHAPE_HFIELD: {
        const thud_hfield *f = s->hfield;
        double top;
        const bool there = thud_hfield_sample(f, fmax(-f->radius_x, fmin(f->radius_x, x.x)),
                                              fmax(-f->radius_y, fmin(f->radius_y, x.y)), &top, NULL);
        assert_true(there);
        return fmax(fmax(fabs(x.x) - f->radius_x, fabs(x.y) - f->radius_y), fmax(x.z - top, -f->base - x.z));
    }
    }
    return 0;
}

static thud_hull *some_hull(test_rng *r)
{
    vec3 point[24];
    for (int i = 0; i < 24; i++) {
        point[i] = v3(test_normal(r), 0.5 * test_normal(r), 0.7 * test_normal(r));
    }
    thud_hull *hull;
    CHECK_OK(thud_hull_create(point, 24, NULL, &hull, NULL));
    return hull;
}

static thud_hfield *some_ground(test_rng *r)
{
    enum { ROWS = 7, COLS = 9 };
    double elevation[ROWS * COLS];
    for (int i = 0; i < ROWS * COLS; i++) {
        elevation[i] = test_uniform(r, 0, 1);
    }
    thud_hfield *field;
    CHECK_OK(thud_hfield_create(ROWS, COLS, (double[4]){1.2, 0.9, 0.6, 0.3}, elevation, &field, NULL));
    return field;
}

// ---------------------------------------------------------------------------------------------- marching

static vec3 random_vec(test_rng *r, double size)
{
    return v3(size * test_normal(r), size * test_normal(r), size * test_normal(r));
}

// The answer is on the surface, and a march finds no crossing before it. Distances are of the order of 1 m; the
// worst distance from the surface of the 21000 rays below is 3.1e-15 m.
static void check_ray(const thud_shape *s, pose X, vec3 from, vec3 along)
{
    enum { STEPS = 400 };
    const double near = 1e-13, far = 8;
    vec3 n;
    const double t = thud_shape_ray(s, X, from, along, &n);
    const vec3 d = v3_normalize(along);
    const pose back = pose_inv(X);
    const double last = t >= 0 ? t : far;
    const bool inside = level(s, pose_point(back, from)) < 0;
    if (t >= 0) {
        const vec3 x = pose_point(back, v3_axpy(t, d, from)), local = q_unrotate(X.q, n);
        CHECK_BELOW(fabs(level(s, x)), near * (1 + v3_norm(from)));
        CHECK_NEAR(v3_norm(n), 1, 1e-14);
        CHECK(inside ? v3_dot(n, d) >= 0 : v3_dot(n, d) <= 0); // entered or left through the surface
        CHECK(level(s, v3_axpy(1e-7, local, x)) > 0);          // outward
    }
    for (int k = 1; k < STEPS; k++) {
        const double u = last * k / STEPS;
        const double at = level(s, pose_point(back, v3_axpy(u, d, from)));
        if (fabs(at) > 1e-12 && (at < 0) != inside) {
            fail_msg("%s: the ray's answer is %.17g, but it crosses before %.17g", thud_shape_name(s->kind),
                     t, u);
        }
    }
}

static void march(const thud_shape *s, uint64_t seed)
{
    test_rng r = {seed};
    int hits = 0;
    for (int i = 0; i < 3000; i++) {
        const pose X = {
            q_normalize((quat){test_normal(&r), test_normal(&r), test_normal(&r), test_normal(&r)}),
            random_vec(&r, 0.3)};
        const vec3 from = random_vec(&r, i % 3 == 0 ? 0.3 : 1.5), aim = random_vec(&r, 0.5);
        const vec3 along = i % 7 == 0 ? q_rotate(X.q, v3(i % 2 ? 1 : -1, 0, i % 3)) : v3_sub(aim, from);
        check_ray(s, X, from, along);
        hits += thud_shape_ray(s, X, from, along, NULL) >= 0;
    }
    CHECK(hits > 500 && hits < 3000);
}

TEST(a_march_along_random_rays_finds_no_other_crossing)
{
    test_rng r = {5};
    thud_hull *hull = some_hull(&r);
    thud_hfield *ground = some_ground(&r);
    const thud_shape shapes[] = {{.kind = THUD_SHAPE_SPHERE, .size = {0.5}},
                                 {.kind = THUD_SHAPE_CAPSULE, .size = {0.2, 0.6}},
                                 {.kind = THUD_SHAPE_ELLIPSOID, .size = {0.3, 0.5, 0.9}},
                                 {.kind = THUD_SHAPE_CYLINDER, .size = {0.4, 0.3}},
                                 {.kind = THUD_SHAPE_BOX, .size = {0.2, 0.5, 0.8}},
                                 {.kind = THUD_SHAPE_HULL, .hull = hull},
                                 {.kind = THUD_SHAPE_HFIELD, .hfield = ground}};
    for (int i = 0; i < 7; i++) {
        march(&shapes[i], 100 + (uint64_t)i);
    }
    thud_hfield_destroy(ground);
    thud_hull_destroy(hull);
}

// ---------------------------------------------------------------------------------------------- closed forms

static double down(const thud_shape *s, double x, double y, double z, vec3 *n)
{
    const pose X = {{1, 0, 0, 0}, {0, 0, 0}};
    return thud_shape_ray(s, X, v3(x, y, z), v3(0, 0, -3), n);
}

TEST(rays_straight_down_measure_heights)
{
    vec3 n;
    const thud_shape ball = {.kind = THUD_SHAPE_SPHERE, .size = {0.5}};
    CHECK_NEAR(down(&ball, 0.3, 0, 2, &n), 2 - 0.4, 1e-15);
    CHECK_NEAR(n.x, 0.6, 1e-15);
    CHECK_NEAR(n.z, 0.8, 1e-15);
    const thud_shape capsule = {.kind = THUD_SHAPE_CAPSULE, .size = {0.5, 1}};
    CHECK_NEAR(down(&capsule, 0, 0.3, 2, &n), 2 - 1.4, 1e-15);
    const thud_shape cylinder = {.kind = THUD_SHAPE_CYLINDER, .size = {0.5, 1}};
    CHECK_NEAR(down(&cylinder, 0.3, 0.3, 2, &n), 1, 0);
    CHECK_NEAR(n.z, 1, 0);
    const thud_shape ellipsoid = {.kind = THUD_SHAPE_ELLIPSOID, .size = {1, 1, 2}};
    CHECK_NEAR(down(&ellipsoid, 0.6, 0, 2, &n), 2 - 1.6, 1e-15);
    const thud_shape plane = {.kind = THUD_SHAPE_PLANE};
    CHECK_NEAR(down(&plane, 1e6, 0, 2, &n), 2, 0);
    CHECK_NEAR(down(&plane, 0, 0, -1, &n), -1, 0); // not from below
}

TEST(a_ray_from_within_ends_where_it_leaves)
{
    vec3 n;
    const thud_shape ball = {.kind = THUD_SHAPE_SPHERE, .size = {0.5}};
    CHECK_NEAR(down(&ball, 0, 0, 0.25, &n), 0.75, 1e-15);
    CHECK_NEAR(n.z, -1, 1e-15);
    const thud_shape box = {.kind = THUD_SHAPE_BOX, .size = {1, 1, 1}};
    CHECK_NEAR(down(&box, 0.5, 0.5, 0.25, &n), 1.25, 0);
}

TEST(a_far_away_ball_is_hit_to_the_last_digits)
{
    const thud_shape ball = {.kind = THUD_SHAPE_SPHERE, .size = {0.5}};
    const pose X = {{1, 0, 0, 0}, {1e6, 0, 0}};
    const double t = thud_shape_ray(&ball, X, v3(0, 0.3, 0), v3(1, 0, 0), NULL);
    CHECK_NEAR(t, 1e6 - 0.4, 2e-10); // one unit in the last place of t
}

TEST(what_is_behind_beside_or_not_a_number_is_missed)
{
    const thud_shape ball = {.kind = THUD_SHAPE_SPHERE, .size = {0.5}};
    const pose X = {{1, 0, 0, 0}, {0, 0, 0}};
    CHECK_NEAR(thud_shape_ray(&ball, X, v3(0, 0, 2), v3(0, 0, 1), NULL), -1, 0);
    CHECK_NEAR(thud_shape_ray(&ball, X, v3(0.6, 0, 2), v3(0, 0, -1), NULL), -1, 0);
    CHECK_NEAR(thud_shape_ray(&ball, X, v3(0, 0, 2), v3(0, 0, 0), NULL), -1, 0);
    CHECK_NEAR(thud_shape_ray(&ball, X, v3(NAN, 0, 2), v3(0, 0, -1), NULL), -1, 0);
    CHECK_NEAR(thud_shape_ray(&ball, X, v3(0, 0, 2), v3(0, 0, NAN), NULL), -1, 0);
}

// A slope is flat across its seams, so that rounding decides on which side of one a ray crosses.
TEST(a_ray_at_the_seams_of_a_slope_does_not_slip_through)
{
    enum { ROWS = 7, COLS = 9 };
    double elevation[ROWS * COLS];
    thud_hfield *ground;
    test_rng r = {9};
    for (int i = 0; i < ROWS * COLS; i++) {
        elevation[i] = 0.37 * (i % COLS) + 0.21 * (i / COLS);
    }
    CHECK_OK(thud_hfield_create(ROWS, COLS, (double[4]){1.2, 0.9, 0.6, 0.3}, elevation, &ground, NULL));
    const thud_shape s = {.kind = THUD_SHAPE_HFIELD, .hfield = ground};
    const pose X = {{1, 0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < 100000; i++) { // at grid points, edges and diagonals, from above and from the side
        vec3 c[3];
        thud_hfield_triangle(ground, 1 + test_below(&r, ROWS - 3), 1 + test_below(&r, COLS - 3), i % 2, c);
        const double a = i % 3 == 0 ? 0 : test_uniform(&r, 0, 1);
        const vec3 aim = v3_add(v3_scale(1 - a, c[0]), v3_scale(a, c[1 + test_below(&r, 2)]));
        const vec3 from =
            i % 4 == 0 ? v3(aim.x, test_normal(&r), 2) : v3(test_normal(&r), test_normal(&r), 2);
        const double t = thud_shape_ray(&s, X, from, v3_sub(aim, from), NULL);
        CHECK_NEAR(t, v3_norm(v3_sub(aim, from)), 1e-13);
    }
    thud_hfield_destroy(ground);
}

TEST_MAIN(T(a_march_along_random_rays_finds_no_other_crossing), T(rays_straight_down_measure_heights),
          T(a_ray_from_within_ends_where_it_leaves), T(a_far_away_ball_is_hit_to_the_last_digits),
          T(what_is_behind_beside_or_not_a_number_is_missed),
          T(a_ray_at_the_seams_of_a_slope_does_not_slip_through))
