// SPDX-License-Identifier: Apache-2.0
// Times of impact against closed forms, and the promise that no reported time is after the first contact.
#include <thud/collide_gap.h>
#include <thud/spatial_inline.h>

#include "test.h"

typedef thud_impact (*impact_method)(const thud_shape *, const thud_path *, const thud_shape *,
                                     const thud_path *, double, double);
static const impact_method METHOD[] = {thud_impact_advance, thud_impact_bracket};

static const double TOL = 1e-9;

static thud_path fixed(pose X)
{
    return (thud_path){.start = X};
}

static thud_path flying(pose X, vec3 velocity, vec3 spin)
{
    return (thud_path){.start = X, .twist = {spin, velocity}};
}

static pose at(double x, double y, double z)
{
    return (pose){q_identity(), {x, y, z}};
}

TEST(a_ball_meets_a_plane_when_its_height_is_its_radius)
{
    (void)test_state;
    const thud_shape plane = {.kind = THUD_SHAPE_PLANE}, ball = {.kind = THUD_SHAPE_SPHERE, .size = {0.25}};
    const thud_path ground = fixed(pose_identity());
    for (int m = 0; m < 2; m++) {
        for (double speed = 0.1; speed < 1e4; speed *= 10) {
            const thud_path path = flying(at(0, 0, 1.25), v3(3, 1, -speed), v3(20, -7, 3));
            const thud_impact i = METHOD[m](&plane, &ground, &ball, &path, 100, TOL);
            CHECK_INT(i.outcome, THUD_IMPACT_FOUND);
            CHECK_NEAR(i.time, 1 / speed, TOL / speed);
            CHECK(i.time <= 1 / speed);
        }
    }
}

TEST(a_spinning_rod_meets_the_plane_when_its_tip_comes_down)
{
    (void)test_state;
    const double l = 1, r = 0.05; // half length and radius; the centre hovers at 0.8: sin(angle) = 0.75
    const thud_shape plane = {.kind = THUD_SHAPE_PLANE}, rod = {.kind = THUD_SHAPE_CAPSULE, .size = {r, l}};
    const thud_path ground = fixed(pose_identity());
    const pose level = {q_axis_angle(v3(0, 1, 0), M_PI / 2), {0, 0, 0.8}};
    for (double spin = 1; spin < 200; spin *= 5) {
        const thud_path path = flying(level, v3(0.3, 0, 0), v3(0, spin, 0));
        const double first = asin((0.8 - r) / l) / spin;
        for (int m = 0; m < 2; m++) {
            // Just beyond the time, so that the rod still overlaps at the end: bracketing needs that.
            const thud_impact i = METHOD[m](&plane, &ground, &rod, &path, 1.2 * first, TOL);
            CHECK_INT(i.outcome, THUD_IMPACT_FOUND);
            CHECK_NEAR(i.time, first, 2 * TOL / (spin * l * 0.66)); // the tip's speed there is spin l cos
            CHECK(i.time <= first);
        }
        // Advancing sees it also when the rod is up again at the end.
        const thud_impact i = thud_impact_advance(&plane, &ground, &rod, &path, M_PI / spin, TOL);
        CHECK_INT(i.outcome, THUD_IMPACT_FOUND);
        CHECK_NEAR(i.time, first, 2 * TOL / (spin * l * 0.66));
    }
}

TEST(two_boxes_meet_when_their_faces_or_edges_do)
{
    (void)test_state;
    const thud_shape box = {.kind = THUD_SHAPE_BOX, .size = {0.5, 0.5, 0.5}};
    const thud_path one = flying(pose_identity(), v3(1, 0, 0), v3(0, 0, 0));
    const thud_path face = flying(at(4, 0.3, -0.2), v3(-2, 0, 0), v3(0, 0, 0));
    const pose turned = {q_axis_angle(v3(0, 0, 1), M_PI / 4), {4, 0.1, 0}};
    const thud_path edge = flying(turned, v3(-2, 0, 0), v3(0, 0, 0));
    for (int m = 0; m < 2; m++) {
        CHECK_NEAR(METHOD[m](&box, &one, &box, &face, 1.2, TOL).time, 1, TOL); // 3 m at 3 m/s
        CHECK_NEAR(METHOD[m](&box, &one, &box, &edge, 1.2, TOL).time, (3.5 - sqrt(0.5)) / 3, TOL);
    }
    // A box turning about its own axis meets a wall when its corner reaches it: sqrt(1/2) cos(angle - 45
    // deg).
    const thud_path wall = fixed(at(1.1, 0, 0)), turning = flying(pose_identity(), v3(0, 0, 0), v3(0, 0, 1));
    const double first = M_PI / 4 - acos(0.6 / sqrt(0.5));
    for (int m = 0; m < 2; m++) {
        const thud_impact i = METHOD[m](&box, &turning, &box, &wall, first + 0.1, TOL);
        CHECK_INT(i.outcome, THUD_IMPACT_FOUND);
        CHECK_NEAR(i.time, first, 1e-8);
        CHECK(i.time <= first);
    }
}

TEST(grazing_misses_are_misses)
{
    (void)test_state;
    const thud_shape ball = {.kind = THUD_SHAPE_SPHERE, .size = {0.5}};
    const thud_path still = fixed(pose_identity());
    for (double miss = 1e-1; miss > 1e-6; miss /= 10) {
        const thud_path past = flying(at(-5, 1 + miss, 0), v3(1, 0, 0), v3(0, 0, 9));
        const thud_path into = flying(at(-5, 1 - miss, 0), v3(1, 0, 0), v3(0, 0, 9));
        CHECK_INT(thud_impact_advance(&ball, &still, &ball, &past, 10, TOL).outcome, THUD_IMPACT_NONE);
        const double first = 5 - sqrt(1 - (1 - miss) * (1 - miss));
        const thud_impact hit = thud_impact_advance(&ball, &still, &ball, &into, 10, TOL);
        CHECK_INT(hit.outcome, THUD_IMPACT_FOUND);
        CHECK(hit.time <= first);
        CHECK_NEAR(hit.time, first,
                   4e-9 / sqrt(miss)); // a shallow approach: the tolerance is on the distance
    }
    const thud_path away = flying(at(2, 0, 0), v3(1, 0, 0), v3(0, 0, 0));
    const thud_impact i = thud_impact_advance(&ball, &still, &ball, &away, 1e6, TOL);
    CHECK_INT(i.outcome, THUD_IMPACT_NONE);
    CHECK_INT(i.evaluations, 1); // receding: one look is enough
}

TEST(a_bullet_does_not_tunnel_through_a_sheet)
{
    (void)test_state;
    const thud_shape sheet = {.kind = THUD_SHAPE_BOX, .size = {1, 1, 1e-4}};
    const thud_shape bullet = {.kind = THUD_SHAPE_SPHERE, .size = {1e-3}};
    const thud_path still = fixed(pose_identity()), path = flying(at(0, 0, 1), v3(0, 0, -1000), v3(0, 0, 0));
    const thud_impact i = thud_impact_advance(&sheet, &still, &bullet, &path, 0.01, TOL);
    CHECK_INT(i.outcome, THUD_IMPACT_FOUND);
    CHECK_NEAR(i.time, (1 - 1e-3 - 1e-4) / 1000, 1e-11);
}

// For random motions of random solids: apart at the reported time and at all times before, and in contact
// right after. A dense walk is the judge.
TEST(no_reported_time_is_after_contact_begins)
{
    (void)test_state;
    const thud_shape solid[] = {{.kind = THUD_SHAPE_BOX, .size = {0.3, 0.2, 0.1}},
                                {.kind = THUD_SHAPE_CAPSULE, .size = {0.1, 0.4}},
                                {.kind = THUD_SHAPE_CYLINDER, .size = {0.2, 0.3}},
                                {.kind = THUD_SHAPE_ELLIPSOID, .size = {0.1, 0.2, 0.3}}};
    test_rng r = {21};
    int hits = 0, misses = 0;
    for (int trial = 0; trial < 150; trial++) {
        const thud_shape *a = &solid[test_below(&r, 4)], *b = &solid[test_below(&r, 4)];
        const vec3 v = v3(-3, test_normal(&r) * 0.5, test_normal(&r) * 0.5);
        const vec3 w = v3(4 * test_normal(&r), 4 * test_normal(&r), 4 * test_normal(&r));
        const thud_path one = flying(pose_identity(), v3(0, 0, 0), v3_scale(-0.5, w));
        const thud_path two = flying(at(1.5, 0.2 * test_normal(&r), 0), v, w);
        const double tol = 1e-6;
        const thud_impact i = thud_impact_advance(a, &one, b, &two, 1, tol);
        CHECK(i.outcome == THUD_IMPACT_FOUND || i.outcome == THUD_IMPACT_NONE);
        hits += i.outcome == THUD_IMPACT_FOUND;
        misses += i.outcome == THUD_IMPACT_NONE;
        const double end = i.outcome == THUD_IMPACT_FOUND ? i.time : 1;
        thud_pair_gap gap;
        for (int k = 0; k <= 100; k++) {
            const double t = end * k / 100;
            CHECK(thud_pair_distance(a, thud_path_at(&one, t), b, thud_path_at(&two, t), NULL, &gap) > 0);
        }
        CHECK(i.outcome == THUD_IMPACT_NONE || gap.dist <= tol);
    }
    CHECK(hits > 30 && misses > 10);
}

static thud_pose falling(const void *user, double t) // from the pose *user under gravity
{
    pose X = *(const pose *)user;
    X.p.z -= 0.5 * 9.81 * t * t;
    return X;
}

TEST(any_motion_with_bounded_speed_will_do)
{
    (void)test_state;
    const thud_shape plane = {.kind = THUD_SHAPE_PLANE}, ball = {.kind = THUD_SHAPE_SPHERE, .size = {0.1}};
    const pose top = at(0, 0, 1.1);
    const thud_path ground = fixed(pose_identity());
    const thud_path path = {.start = top, .at = falling, .user = &top, .speed = 9.81, .spin = 0};
    for (int m = 0; m < 2; m++) {
        const thud_impact i = METHOD[m](&plane, &ground, &ball, &path, 1, TOL);
        CHECK_INT(i.outcome, THUD_IMPACT_FOUND);
        CHECK_NEAR(i.time, sqrt(2 / 9.81), TOL);
    }
}

TEST(a_turning_plane_meets_a_ball)
{
    (void)test_state;
    const thud_shape plane = {.kind = THUD_SHAPE_PLANE}, ball = {.kind = THUD_SHAPE_SPHERE, .size = {0.1}};
    const thud_path turning = flying(pose_identity(), v3(0, 0, 0), v3(0, -1, 0)), still = fixed(at(2, 0, 1));
    // The normal (-sin t, 0, cos t): distance cos t - 2 sin t - 0.1 = sqrt 5 cos(t + atan 2) - 0.1.
    const double first = acos(0.1 / sqrt(5)) - atan(2);
    for (int m = 0; m < 2; m++) {
        const thud_impact i = METHOD[m](&plane, &turning, &ball, &still, 1, TOL);
        CHECK_INT(i.outcome, THUD_IMPACT_FOUND);
        CHECK_NEAR(i.time, first, TOL);
    }
}

TEST(bad_numbers_and_overlaps_at_the_start_are_told)
{
    (void)test_state;
    const thud_shape ball = {.kind = THUD_SHAPE_SPHERE, .size = {0.5}};
    const thud_path still = fixed(pose_identity()), near = flying(at(0.9, 0, 0), v3(1, 0, 0), v3(0, 0, 0));
    const thud_path bad = flying(at(NAN, 0, 0), v3(1, 0, 0), v3(0, 0, 0));
    const thud_path worse = flying(at(3, 0, 0), v3(NAN, 0, 0), v3(0, 0, 0));
    for (int m = 0; m < 2; m++) {
        CHECK_INT(METHOD[m](&ball, &still, &ball, &near, 1, TOL).outcome, THUD_IMPACT_AT_START);
        CHECK_INT(METHOD[m](&ball, &still, &ball, &bad, 1, TOL).outcome, THUD_IMPACT_NOT_FINITE);
        CHECK_INT(METHOD[m](&ball, &still, &ball, &worse, 1, TOL).outcome, THUD_IMPACT_NOT_FINITE);
        CHECK_INT(METHOD[m](&ball, &still, &ball, &near, 1, 0).outcome, THUD_IMPACT_NOT_FINITE);
        CHECK_INT(METHOD[m](&ball, &still, &ball, &near, INFINITY, TOL).outcome, THUD_IMPACT_NOT_FINITE);
    }
}

TEST(bracketing_needs_few_evaluations)
{
    (void)test_state;
    const thud_shape box = {.kind = THUD_SHAPE_BOX, .size = {0.5, 0.4, 0.3}};
    test_rng r = {4};
    for (int trial = 0; trial < 50; trial++) {
        const vec3 w = v3(test_normal(&r), test_normal(&r), test_normal(&r));
        const thud_path one = flying(pose_identity(), v3(0, 0, 0), w);
        const thud_path two = flying(at(2, 0.1 * test_normal(&r), 0), v3(-2, 0, 0), v3_scale(-1, w));
        const thud_impact i = thud_impact_bracket(&box, &one, &box, &two, 0.9, 1e-8);
        CHECK_INT(i.outcome, THUD_IMPACT_FOUND);
        CHECK(i.gap.dist > 0 && i.gap.dist <= 1e-8);
        CHECK_BELOW(i.evaluations, 40);
    }
}

TEST_MAIN(T(a_ball_meets_a_plane_when_its_height_is_its_radius),
          T(a_spinning_rod_meets_the_plane_when_its_tip_comes_down),
          T(two_boxes_meet_when_their_faces_or_edges_do), T(grazing_misses_are_misses),
          T(a_bullet_does_not_tunnel_through_a_sheet), T(no_reported_time_is_after_contact_begins),
          T(any_motion_with_bounded_speed_will_do), T(a_turning_plane_meets_a_ball),
          T(bad_numbers_and_overlaps_at_the_start_are_told), T(bracketing_needs_few_evaluations))
