// SPDX-License-Identifier: Apache-2.0
// A string around a sphere or a cylinder takes the way that geometry says.
#include <thud/shape_wrap.h>
#include <thud/spatial_inline.h>

#include "test.h"

static double length(bool cylinder, double r, vec3 a, vec3 b, const vec3 *side)
{
    const thud_bend bend = thud_bend_around(cylinder, r, pose_identity(), a, b, side);
    return bend.touches ? v3_norm(v3_sub(bend.p1, a)) + bend.arc + v3_norm(v3_sub(b, bend.p2))
                        : v3_norm(v3_sub(b, a));
}

TEST(a_string_over_a_ball_is_two_tangents_and_an_arc)
{
    // both ends at the distance 2 r, opposite each other and level with the centre: tangents of r sqrt(3)
    // that touch at 60 degrees from the line, so that an arc of 60 degrees is left
    const double r = 0.3, want = 2 * r * sqrt(3.0) + r * acos(-1.0) / 3;
    CHECK_NEAR(length(false, r, v3(-2 * r, 1e-12, 0), v3(2 * r, 1e-12, 0), NULL), want, 1e-11);
}

TEST(a_string_that_is_not_barred_goes_straight)
{
    CHECK(!thud_bend_around(false, 0.3, pose_identity(), v3(-1, 0.31, 0), v3(1, 0.31, 0), NULL).touches);
    CHECK(thud_bend_around(false, 0.3, pose_identity(), v3(-1, 0.29, 0), v3(1, 0.29, 0), NULL).touches);
    CHECK(!thud_bend_around(false, 0.3, pose_identity(), v3(-0.2, 0, 0), v3(1, 0, 0), NULL).touches);
}

TEST(a_string_stays_on_the_side_asked_for)
{
    const vec3 above = v3(0, 1, 0), below = v3(0, -1, 0), a = v3(-1, 0.1, 0), b = v3(1, 0.1, 0);
    const double over = length(false, 0.3, a, b, &above), under = length(false, 0.3, a, b, &below);
    CHECK_NEAR(over, length(false, 0.3, a, b, NULL), 1e-15); // the shorter way
    CHECK(under > over + 0.05);
    CHECK(thud_bend_around(false, 0.3, pose_identity(), a, b, &below).p1.y < 0);
}

TEST(on_a_cylinder_a_string_is_straight_on_the_unrolled_surface)
{
    const double r = 0.2, rise = 0.7;
    const double flat = length(true, r, v3(-1, 0.05, 0), v3(1, 0.05, 0), NULL);
    const double steep = length(true, r, v3(-1, 0.05, 0), v3(1, 0.05, rise), NULL);
    CHECK_NEAR(steep, sqrt(flat * flat + rise * rise), 1e-14);
}

TEST(a_string_held_from_within_obeys_the_mirror_law)
{
    const vec3 inside = v3(0, 0.01, 0), a = v3(-0.4, 0.8, 0), b = v3(0.7, 0.5, 0);
    const thud_bend bend = thud_bend_around(true, 0.3, pose_identity(), a, b, &inside);
    CHECK(bend.touches);
    CHECK_NEAR(bend.arc, 0, 0);
    const vec3 n = v3_normalize(bend.p1), to = v3_normalize(v3_sub(a, bend.p1)),
               from = v3_normalize(v3_sub(b, bend.p1));
    CHECK_NEAR(v3_norm(bend.p1), 0.3, 1e-15);
    CHECK_NEAR(v3_dot(n, to), v3_dot(n, from), 1e-12);
}

TEST(no_point_of_the_way_is_inside_and_neither_turning_nor_moving_changes_it)
{
    test_rng rng = {3};
    for (int k = 0; k < 2000; k++) {
        const double r = test_uniform(&rng, 0.05, 0.5);
        const vec3 a = v3(test_normal(&rng), test_normal(&rng), test_normal(&rng)),
                   b = v3(test_normal(&rng), test_normal(&rng), test_normal(&rng));
        const bool cylinder = test_below(&rng, 2);
        const pose X = {q_normalize((quat){test_normal(&rng), test_normal(&rng), 0.3, 0.1}), v3(1, 2, 3)};
        const thud_bend here = thud_bend_around(cylinder, r, pose_identity(), a, b, NULL);
        const thud_bend there = thud_bend_around(cylinder, r, X, pose_point(X, a), pose_point(X, b), NULL);
        CHECK_INT(here.touches, there.touches);
        if (here.touches) {
            CHECK_NEAR(here.arc, there.arc, 1e-12);
            for (int t = 0; t <= 10; t++) {
                const vec3 p = v3_add(v3_scale(0.1 * t, a), v3_scale(1 - 0.1 * t, here.p1));
                CHECK(hypot(hypot(p.x, p.y), cylinder ? 0 : p.z) >= r * (1 - 1e-12));
            }
        }
    }
}

TEST_MAIN(T(a_string_over_a_ball_is_two_tangents_and_an_arc), T(a_string_that_is_not_barred_goes_straight),
          T(a_string_stays_on_the_side_asked_for),
          T(on_a_cylinder_a_string_is_straight_on_the_unrolled_surface),
          T(a_string_held_from_within_obeys_the_mirror_law),
          T(no_point_of_the_way_is_inside_and_neither_turning_nor_moving_changes_it))
