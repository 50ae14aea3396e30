// SPDX-License-Identifier: Apache-2.0
// Nothing crashes, hangs or lies: degenerate shapes, poses that are not finite, extreme ratios, needles.
#include "brute.h"

static int collide(const thud_shape *a, pose X, const thud_shape *b, pose Y, double margin)
{
    thud_pair_contact c[THUD_PAIR_MAX];
    const int n = thud_collide_pair(a, X, b, Y, margin, NULL, c);
    for (int i = 0; i < n; i++) {
        CHECK(isfinite(c[i].dist) && isfinite(v3_norm(c[i].point)));
        CHECK_NEAR(v3_norm(c[i].normal), 1, 1e-12);
    }
    return n;
}

TEST(poses_that_are_not_finite_are_refused)
{
    test_rng r = {.s = 1};
    for (thud_shape_kind ka = THUD_SHAPE_PLANE; ka <= THUD_SHAPE_HULL; ka++) {
        const thud_shape a = random_shape(&r, ka, 0.3, 1), b = random_shape(&r, THUD_SHAPE_BOX, 0.3, 1);
        const pose good = pose_identity();
        for (int k = 0; k < 14; k++) {
            pose bad = pose_identity();
            double *slot[7] = {&bad.q.w, &bad.q.x, &bad.q.y, &bad.q.z, &bad.p.x, &bad.p.y, &bad.p.z};
            *slot[k % 7] = k < 7 ? NAN : INFINITY;
            thud_pair_contact c[THUD_PAIR_MAX];
            thud_pair_gap g;
            CHECK_INT(thud_collide_pair(&a, bad, &b, good, 0, NULL, c), -1);
            CHECK_INT(thud_collide_pair(&a, good, &b, bad, 0, NULL, c), -1);
            CHECK(isnan(thud_pair_distance(&a, bad, &b, good, NULL, &g)) && isnan(g.dist));
        }
        thud_pair_contact c[THUD_PAIR_MAX];
        CHECK_INT(thud_collide_pair(&a, good, &b, good, NAN, NULL, c), -1);
    }
}

TEST(shapes_that_are_not_valid_are_refused)
{
    const thud_shape good = {.kind = THUD_SHAPE_SPHERE, .size = {1}};
    const thud_shape bad[5] = {{.kind = THUD_SHAPE_HULL},
                               {.kind = THUD_SHAPE_HFIELD},
                               {.kind = THUD_SHAPE_BOX, .size = {1, -1, 1}},
                               {.kind = THUD_SHAPE_SPHERE, .size = {NAN}},
                               {.kind = (thud_shape_kind)77}};
    for (int k = 0; k < 5; k++) {
        CHECK_INT(collide(&good, pose_identity(), &bad[k], pose_identity(), 0), -1);
    }
}

TEST(planes_and_height_fields_do_not_collide_with_each_other)
{
    const double flat[4] = {0, 0, 0, 0};
    const thud_hfield field = {.rows = 2, .cols = 2, .radius_x = 1, .radius_y = 1, .base = 1, .height = flat};
    const thud_shape plane = {.kind = THUD_SHAPE_PLANE},
                     ground = {.kind = THUD_SHAPE_HFIELD, .hfield = &field};
    thud_pair_gap g;
    CHECK_INT(collide(&plane, pose_identity(), &plane, pose_identity(), 1), 0);
    CHECK_INT(collide(&plane, pose_identity(), &ground, pose_identity(), 1), 0);
    CHECK_INT(collide(&ground, pose_identity(), &ground, pose_identity(), 1), 0);
    CHECK(isinf(thud_pair_distance(&ground, pose_identity(), &plane, pose_identity(), NULL, &g)));
}

// Sizes of zero make points, segments, discs and rectangles: their distances are still those of brute force.
TEST(shapes_of_no_size_have_the_distance_of_what_is_left)
{
    test_rng r = {.s = 3};
    for (thud_shape_kind ka = THUD_SHAPE_SPHERE; ka <= THUD_SHAPE_BOX; ka++) {
        for (thud_shape_kind kb = THUD_SHAPE_SPHERE; kb <= THUD_SHAPE_HULL; kb++) {
            for (int k = 0; k < 40; k++) {
                placed a = {random_shape(&r, ka, 0.3, 1), {random_rotation(&r), {0, 0, 0}}};
                placed b = {random_shape(&r, kb, 0.3, 1),
                            {random_rotation(&r), v3_scale(1.2, random_unit(&r))}};
                for (int i = 0; i < 3; i++) {
                    a.shape.size[i] = test_below(&r, 2) ? 0 : a.shape.size[i];
                    b.shape.size[i] = test_below(&r, 3) ? b.shape.size[i] : 0;
                }
                thud_pair_gap g;
                vec3 n;
                const double d = thud_pair_distance(&a.shape, a.X, &b.shape, b.X, NULL, &g);
                CHECK_NEAR(brute_gap_along(&a, &b, g.normal), d, 1e-10);
                CHECK_BELOW(brute_distance(&a, &b, 100, 1, &n) - d, 1e-9);
                collide(&a.shape, a.X, &b.shape, b.X, 0.5);
            }
        }
    }
}

TEST(coincident_centres_give_a_unit_normal_and_the_full_depth)
{
    for (thud_shape_kind k = THUD_SHAPE_SPHERE; k <= THUD_SHAPE_BOX; k++) {
        const thud_shape a = {.kind = k, .size = {0.5, 0.5, 0.5}};
        thud_pair_gap g;
        const double d = thud_pair_distance(&a, pose_identity(), &a, pose_identity(), NULL, &g);
        CHECK_NEAR(v3_norm(g.normal), 1, 1e-12);
        CHECK_NEAR(d, -1, 1e-12); // every one of these is 1 m thick at its thinnest
        CHECK(collide(&a, pose_identity(), &a, pose_identity(), 0) > 0);
    }
}

TEST(a_grain_on_a_mountain_is_found_to_the_rounding_of_the_mountain)
{
    test_rng r = {.s = 9};
    for (thud_shape_kind ka = THUD_SHAPE_SPHERE; ka <= THUD_SHAPE_BOX; ka++) {
        for (thud_shape_kind kb = THUD_SHAPE_SPHERE; kb <= THUD_SHAPE_BOX; kb++) {
            for (int k = 0; k < 20; k++) {
                placed a = {random_shape(&r, ka, 500, 1000), {random_rotation(&r), {0, 0, 0}}};
                placed b = {random_shape(&r, kb, 0.0005, 0.001), {random_rotation(&r), {0, 0, 0}}};
                const vec3 u = random_unit(&r);
                const vec3 x = thud_shape_support(&a.shape, q_unrotate(a.X.q, u), NULL);
                b.X.p = v3_axpy(test_uniform(&r, -0.001, 0.001), u, pose_point(a.X, x));
                thud_pair_gap g;
                const double d = thud_pair_distance(&a.shape, a.X, &b.shape, b.X, NULL, &g);
                CHECK_NEAR(brute_gap_along(&a, &b, g.normal), d, 1e-9); // 1e-12 of the mountain
                CHECK_BELOW(brute_gap_along(&a, &b, u) - d, 1e-9);
                collide(&a.shape, a.X, &b.shape, b.X, 1e-4);
            }
        }
    }
}

// A needle of 1001 vertices: a regular polygon of a thousand corners and a tip far above it.
static thud_hull *needle(double radius, double length)
{
    enum { CORNERS = 1000 };
    vec3 x[CORNERS + 1];
    for (int i = 0; i < CORNERS; i++) {
        const double angle = 6.283185307179586 * i / CORNERS;
        x[i] = v3(radius * cos(angle), radius * sin(angle), 0);
    }
    x[CORNERS] = v3(0, 0, length);
    thud_hull *hull = NULL;
    thud_diag diag;
    const thud_hull_options exact = {.max_vertices = -1, .tolerance = 0};
    CHECK_OK(thud_hull_create(x, CORNERS + 1, &exact, &hull, &diag));
    return hull;
}

TEST(thousand_vertex_needles_collide_in_bounded_time)
{
    thud_hull *hull = needle(0.01, 10);
    test_rng r = {.s = 21};
    const double start = thud_clock_cpu();
    for (int k = 0; k < 60; k++) {
        placed a = {{.kind = THUD_SHAPE_HULL, .hull = hull}, {random_rotation(&r), {0, 0, 0}}};
        placed b = {random_shape(&r, (thud_shape_kind)(THUD_SHAPE_SPHERE + k % 6), 0.1, 1),
                    {random_rotation(&r), {0, 0, 0}}};
        if (k % 6 == 5) {
            b.shape = a.shape;
        }
        b.X.p = v3_scale(test_uniform(&r, 0, 3), random_unit(&r));
        thud_pair_gap g;
        const double d = thud_pair_distance(&a.shape, a.X, &b.shape, b.X, NULL, &g);
        CHECK_NEAR(brute_gap_along(&a, &b, g.normal), d, 1e-10);
        CHECK_BELOW(brute_outside(&a, g.point[0]), 1e-9);
        collide(&a.shape, a.X, &b.shape, b.X, 0.1);
        if (k == 0) {
            collide(&a.shape, a.X, &a.shape, a.X, 0.1); // in itself: a thousand equal ways out
        }
    }
    CHECK_BELOW(thud_clock_cpu() - start, 60);
    // Standing on its foot of a thousand corners: sixteen contacts that still span it.
    const thud_shape table = {.kind = THUD_SHAPE_BOX, .size = {1, 1, 1}},
                     shape = {.kind = THUD_SHAPE_HULL, .hull = hull};
    CHECK_INT(collide(&table, pose_identity(), &shape, (pose){{1, 0, 0, 0}, {0, 0, 1}}, 1e-9),
              THUD_MANIFOLD_MAX);
    thud_hull_destroy(hull);
}

TEST_MAIN(T(poses_that_are_not_finite_are_refused), T(shapes_that_are_not_valid_are_refused),
          T(planes_and_height_fields_do_not_collide_with_each_other),
          T(shapes_of_no_size_have_the_distance_of_what_is_left),
          T(coincident_centres_give_a_unit_normal_and_the_full_depth),
          T(a_grain_on_a_mountain_is_found_to_the_rounding_of_the_mountain),
          T(thousand_vertex_needles_collide_in_bounded_time))
