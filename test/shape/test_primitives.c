// SPDX-License-Identifier: Apache-2.0
#include <thud/shape.h>
#include <thud/spatial_inline.h>

#include "test.h"

static const double PI = 3.14159265358979323846;

static vec3 random_direction(test_rng *rng)
{
    return v3_normalize(v3(test_normal(rng), test_normal(rng), test_normal(rng)));
}

static thud_shape random_primitive(test_rng *rng)
{
    static const thud_shape_kind kinds[] = {THUD_SHAPE_SPHERE, THUD_SHAPE_CAPSULE, THUD_SHAPE_ELLIPSOID,
                                            THUD_SHAPE_CYLINDER, THUD_SHAPE_BOX};
    thud_shape shape = {.kind = kinds[test_below(rng, 5)]};
    for (int i = 0; i < 3; i++) {
        shape.size[i] = test_uniform(rng, 0.05, 2);
    }
    return shape;
}

// ---------------------------------------------------------------------------------------------- inertia

// The surface of a primitive as a patch x(u, v), u and v in [0, 1]; `part` numbers its smooth patches.
static int patches(thud_shape_kind kind)
{
    return kind == THUD_SHAPE_BOX ? 6 : kind == THUD_SHAPE_CYLINDER || kind == THUD_SHAPE_CAPSULE ? 3 : 1;
}

static vec3 box_patch(const double *s, int part, double u, double v)
{
    const double sign = part & 1 ? 1 : -1, a = 2 * u - 1, b = 2 * v - 1;
    return part < 2   ? v3(sign * s[0], a * s[1], sign * b * s[2])
           : part < 4 ? v3(sign * b * s[0], sign * s[1], a * s[2])
                      : v3(a * s[0], sign * b * s[1], sign * s[2]);
}

static vec3 round_patch(const thud_shape *shape, int part, double u, double v)
{
    const double *s = shape->size, phi = 2 * PI * u, c = cos(phi), n = sin(phi);
    const double up = part == 1 ? 1 : -1; // part 0: side, 1: top, 2: bottom
    switch (shape->kind) {
    case THUD_SHAPE_CYLINDER:
    case THUD_SHAPE_CAPSULE:
        if (part == 0) {
            return v3(s[0] * c, s[0] * n, (2 * v - 1) * s[1]);
        } else if (shape->kind == THUD_SHAPE_CYLINDER) {
            return v3(s[0] * (1 - v) * c, up * s[0] * (1 - v) * n, up * s[1]);
        } else {
            return v3(s[0] * cos(PI / 2 * v) * c, up * s[0] * cos(PI / 2 * v) * n,
                      up * (s[1] + s[0] * sin(PI / 2 * v)));
        }
    default: {
        const double b = shape->kind == THUD_SHAPE_SPHERE ? s[0] : s[1],
                     d = shape->kind == THUD_SHAPE_SPHERE ? s[0] : s[2];
        return v3(s[0] * sin(PI * v) * c, b * sin(PI * v) * n, -d * cos(PI * v));
    }
    }
}

static vec3 patch(const thud_shape *shape, int part, double u, double v)
{
    return shape->kind == THUD_SHAPE_BOX ? box_patch(shape->size, part, u, v)
                                         : round_patch(shape, part, u, v);
}

// Volume and inertia (or area and shell inertia) by quadrature over the surface: for a solid, the cones from
// the origin, with dV = x.dS / 3 and ∫x x^T = (3/5) x x^T dV. Five Gauss points on each of `cells` intervals.
static thud_inertia by_quadrature(const thud_shape *shape, bool shell)
{
    static const double node[5] = {0.046910077030668, 0.230765344947158, 0.5, 0.769234655052841,
                                   0.953089922969332};
    static const double weight[5] = {0.118463442528095, 0.239314335249683, 0.284444444444444,
                                     0.239314335249683, 0.118463442528095};
    enum { CELLS = 40 };
    const double h = 1e-5;
    double m = 0, xx[3] = {0, 0, 0};
    for (int part = 0; part < patches(shape->kind); part++) {
        for (int k = 0; k < CELLS * CELLS * 25; k++) {
            const int i = k / 25 / CELLS, j = k / 25 % CELLS, a = k % 5, b = k / 5 % 5;
            const double u = (i + node[a]) / CELLS, v = (j + node[b]) / CELLS;
            const vec3 x = patch(shape, part, u, v);
            const vec3 du =
                v3_scale(0.5 / h, v3_sub(patch(shape, part, u + h, v), patch(shape, part, u - h, v)));
            const vec3 dv =
                v3_scale(0.5 / h, v3_sub(patch(shape, part, u, v + h), patch(shape, part, u, v - h)));
            const vec3 dS = v3_scale(weight[a] * weight[b] / CELLS / CELLS, v3_cross(du, dv));
            const double measure = shell ? v3_norm(dS) : v3_dot(x, dS) / 3, f = shell ? 1 : 0.6;
            m += measure;
            xx[0] += f * measure * x.x * x.x;
            xx[1] += f * measure * x.y * x.y;
            xx[2] += f * measure * x.z * x.z;
        }
    }
    return (thud_inertia){m, {0, 0, 0}, {xx[1] + xx[2], xx[0] + xx[2], xx[0] + xx[1], 0, 0, 0}};
}

TEST(inertias_agree_with_integrals_over_the_surface)
{
    (void)test_state;
    test_rng rng = {3};
    for (int trial = 0; trial < 15; trial++) {
        const thud_shape shape = random_primitive(&rng);
        for (int shell = 0; shell < 2; shell++) {
            const thud_inertia want = by_quadrature(&shape, shell);
            const thud_inertia got =
                shell ? thud_shape_shell_inertia(&shape, 1) : thud_shape_inertia(&shape, 1);
            // differences of step 1e-5: worst seen 8.3e-10 of the value
            CHECK_NEAR(got.mass, want.mass, 1e-8 * want.mass);
            CHECK_NEAR(v3_norm(got.com), 0, 0);
            for (int k = 0; k < 3; k++) {
                CHECK_NEAR(got.I[k], want.I[k], 1e-8 * want.I[k]);
                CHECK_NEAR(got.I[k + 3], 0, 0);
            }
        }
    }
}

TEST(textbook_moments_come_out)
{
    (void)test_state;
    const thud_shape ball = {.kind = THUD_SHAPE_SPHERE, .size = {0.5}};
    const thud_shape rod = {.kind = THUD_SHAPE_CYLINDER, .size = {0.1, 2}};
    const thud_inertia b = thud_shape_inertia(&ball, 1000), r = thud_shape_inertia(&rod, 1000);
    CHECK_NEAR(b.I[0], 0.4 * b.mass * 0.25, 1e-13);
    CHECK_NEAR(r.I[0], r.mass * (3 * 0.01 + 16) / 12, 1e-11);
    CHECK_NEAR(r.I[2], 0.5 * r.mass * 0.01, 1e-13);
    CHECK_NEAR(thud_shape_shell_inertia(&ball, 1).I[1], PI * 2.0 / 3 * 0.25, 1e-15);
    CHECK_NEAR(thud_shape_volume(&ball), PI / 6, 1e-15);
    CHECK_NEAR(thud_shape_area(&ball), PI, 1e-15);
}

// The area of a spheroid has a closed form; its limits are the sphere and the two-sided disk.
TEST(an_ellipsoids_area_is_exact_from_needle_to_disk)
{
    (void)test_state;
    const double ratios[] = {1e-9, 1e-6, 1e-3, 0.1, 0.5, 0.99};
    for (int k = 0; k < 6; k++) {
        const double e = sqrt((1 - ratios[k]) * (1 + ratios[k]));
        const thud_shape oblate = {.kind = THUD_SHAPE_ELLIPSOID, .size = {1, ratios[k], 1}};
        const thud_shape prolate = {.kind = THUD_SHAPE_ELLIPSOID, .size = {ratios[k], 1, ratios[k]}};
        const double disk = 2 * PI * (1 + ratios[k] * ratios[k] / e * asinh(e / ratios[k]));
        const double needle = 2 * PI * ratios[k] * (ratios[k] + acos(ratios[k]) / e);
        CHECK_NEAR(thud_shape_area(&oblate), disk, 1e-13 * disk); // worst seen 1.7e-14 over 80 ratios
        CHECK_NEAR(thud_shape_area(&prolate), needle, 1e-13 * needle);
    }
    const thud_shape flat = {.kind = THUD_SHAPE_ELLIPSOID, .size = {1, 2, 0}};
    const thud_inertia I = thud_shape_shell_inertia(&flat, 1);
    CHECK_NEAR(I.mass, 4 * PI, 1e-13);         // two sides of an ellipse of area 2 pi
    CHECK_NEAR(I.I[0], 4 * PI * 4 / 4, 1e-13); // m b^2 / 4
    CHECK_NEAR(I.I[2], 4 * PI * (1 + 4) / 4, 1e-13);
}

TEST(a_box_and_its_hull_have_the_same_mass)
{
    (void)test_state;
    const thud_shape box = {.kind = THUD_SHAPE_BOX, .size = {0.3, 0.5, 0.7}};
    thud_hull_box hull;
    thud_hull_of_box(box.size, &hull);
    const thud_shape poly = {.kind = THUD_SHAPE_HULL, .hull = &hull.hull};
    for (int shell = 0; shell < 2; shell++) {
        const thud_inertia a = shell ? thud_shape_shell_inertia(&box, 7) : thud_shape_inertia(&box, 7);
        const thud_inertia b = shell ? thud_shape_shell_inertia(&poly, 7) : thud_shape_inertia(&poly, 7);
        CHECK_NEAR(b.mass, a.mass, 1e-13);
        CHECK_NEAR(v3_norm(b.com), 0, 1e-15);
        for (int k = 0; k < 6; k++) {
            CHECK_NEAR(b.I[k], a.I[k], 1e-13);
        }
    }
}

TEST(planes_and_height_fields_weigh_nothing)
{
    (void)test_state;
    const thud_shape plane = {.kind = THUD_SHAPE_PLANE};
    CHECK_NEAR(thud_shape_inertia(&plane, 1000).mass, 0, 0);
    CHECK_NEAR(thud_shape_area(&plane), 0, 0);
}

// ---------------------------------------------------------------------------------------------- geometry

TEST(no_surface_point_lies_beyond_the_support_point)
{
    (void)test_state;
    test_rng rng = {5};
    for (int trial = 0; trial < 20000; trial++) {
        const thud_shape shape = random_primitive(&rng);
        const vec3 dir = v3_scale(test_uniform(&rng, 0.1, 10), random_direction(&rng));
        const vec3 top = thud_shape_support(&shape, dir, NULL);
        const vec3 other = patch(&shape, test_below(&rng, patches(shape.kind)), test_uniform(&rng, 0, 1),
                                 test_uniform(&rng, 0, 1));
        CHECK_BELOW(v3_dot(dir, other), v3_dot(dir, top) + 1e-13);
        CHECK_BELOW(v3_norm(top), thud_shape_radius(&shape) * (1 + 1e-15));
    }
}

TEST(bounds_touch_the_support_points_along_the_axes)
{
    (void)test_state;
    test_rng rng = {6};
    for (int trial = 0; trial < 2000; trial++) {
        thud_shape shape = random_primitive(&rng);
        thud_hull_box hull;
        thud_hull_of_box(shape.size, &hull);
        if (shape.kind == THUD_SHAPE_BOX && trial % 2) {
            shape = (thud_shape){.kind = THUD_SHAPE_HULL, .hull = &hull.hull};
        }
        const pose X = {q_exp(v3_scale(3, random_direction(&rng))), random_direction(&rng)};
        const thud_aabb box = thud_shape_bounds(&shape, X);
        for (int i = 0; i < 3; i++) {
            const vec3 axis = v3(i == 0, i == 1, i == 2), local = q_unrotate(X.q, axis);
            const vec3 hi = pose_point(X, thud_shape_support(&shape, local, NULL));
            const vec3 lo = pose_point(X, thud_shape_support(&shape, v3_neg(local), NULL));
            CHECK_NEAR(v3_get(box.hi, i), v3_get(hi, i), 1e-14 * 10);
            CHECK_NEAR(v3_get(box.lo, i), v3_get(lo, i), 1e-14 * 10);
        }
    }
}

// The quick box of a hull holds the smallest one, and is that of the box which the hull fills.
TEST(the_quick_box_holds_the_smallest)
{
    (void)test_state;
    test_rng rng = {61};
    for (int trial = 0; trial < 500; trial++) {
        vec3 point[12], lo, hi;
        for (int i = 0; i < 12; i++) {
            point[i] = v3_add(v3(3, -1, 2), random_direction(&rng));
            lo = i == 0 ? point[i] : v3_min(lo, point[i]);
            hi = i == 0 ? point[i] : v3_max(hi, point[i]);
        }
        thud_hull *hull;
        CHECK_OK(thud_hull_create(point, 12, NULL, &hull, NULL));
        const pose X = {q_exp(v3_scale(3, random_direction(&rng))), random_direction(&rng)};
        const thud_shape shape = {.kind = THUD_SHAPE_HULL, .hull = hull},
                         box = {.kind = THUD_SHAPE_BOX,
                                .size = {(hi.x - lo.x) / 2, (hi.y - lo.y) / 2, (hi.z - lo.z) / 2}};
        const thud_aabb least = thud_shape_bounds(&shape, X), quick = thud_shape_around(&shape, X),
                        filled = thud_shape_bounds(&box,
                                                   (pose){X.q, pose_point(X, v3_scale(0.5, v3_add(lo, hi)))});
        CHECK(thud_shape_bottom(&shape, &X) == quick.lo.z);
        for (int i = 0; i < 3; i++) {
            CHECK(v3_get(quick.hi, i) >= v3_get(least.hi, i) - 1e-14 &&
                  v3_get(quick.lo, i) <= v3_get(least.lo, i) + 1e-14);
            CHECK_NEAR(v3_get(quick.hi, i), v3_get(filled.hi, i), 1e-13);
            CHECK_NEAR(v3_get(quick.lo, i), v3_get(filled.lo, i), 1e-13);
        }
        thud_hull_destroy(hull);
    }
}

TEST(a_level_floor_ends_at_its_surface_and_a_tilted_one_nowhere)
{
    (void)test_state;
    const thud_shape plane = {.kind = THUD_SHAPE_PLANE};
    thud_aabb box = thud_shape_bounds(&plane, (pose){{1, 0, 0, 0}, {1, 2, 3}});
    CHECK_NEAR(box.hi.z, 3, 0);
    CHECK(box.lo.z == -HUGE_VAL && box.hi.x == HUGE_VAL);
    box = thud_shape_bounds(&plane, (pose){q_exp(v3(0.1, 0, 0)), {1, 2, 3}});
    CHECK(box.hi.z == HUGE_VAL);
    CHECK(thud_shape_radius(&plane) == HUGE_VAL);
}

TEST(a_zero_direction_and_zero_sizes_give_finite_points)
{
    (void)test_state;
    for (int kind = 0; kind < THUD_SHAPE_KINDS; kind++) {
        const thud_shape shape = {.kind = (thud_shape_kind)kind};
        if (!thud_shape_is_convex(shape.kind) || shape.kind == THUD_SHAPE_HULL) {
            continue;
        }
        CHECK_NEAR(v3_norm(thud_shape_support(&shape, v3(0, 0, 0), NULL)), 0, 0);
        CHECK_NEAR(v3_norm(thud_shape_support(&shape, v3(1, 2, 3), NULL)), 0, 0);
        CHECK_NEAR(thud_shape_inertia(&shape, 1000).mass, 0, 0);
        CHECK_NEAR(thud_shape_shell_inertia(&shape, 1000).I[0], 0, 0);
    }
}

TEST(a_bad_size_is_refused_by_name)
{
    (void)test_state;
    thud_diag diag;
    thud_shape shape = {.kind = THUD_SHAPE_CAPSULE, .size = {0.1, NAN, 0}};
    CHECK_INT(thud_shape_check(&shape, &diag), THUD_BAD_ARGUMENT);
    CHECK_TEXT(diag.text, "size 2 of a capsule is nan; it must be finite and not negative");
    shape.size[1] = 0;
    CHECK_OK(thud_shape_check(&shape, &diag));
    shape.kind = THUD_SHAPE_HULL;
    CHECK_INT(thud_shape_check(&shape, &diag), THUD_BAD_ARGUMENT);
}

TEST_MAIN(T(inertias_agree_with_integrals_over_the_surface), T(textbook_moments_come_out),
          T(an_ellipsoids_area_is_exact_from_needle_to_disk), T(a_box_and_its_hull_have_the_same_mass),
          T(planes_and_height_fields_weigh_nothing), T(no_surface_point_lies_beyond_the_support_point),
          T(bounds_touch_the_support_points_along_the_axes), T(the_quick_box_holds_the_smallest),
          T(a_level_floor_ends_at_its_surface_and_a_tilted_one_nowhere),
          T(a_zero_direction_and_zero_sizes_give_finite_points), T(a_bad_size_is_refused_by_name))
