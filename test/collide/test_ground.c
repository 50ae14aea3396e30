// SPDX-License-Identifier: Apache-2.0
// Height fields: flat ones are planes, and seams between triangles are not felt.
#include "brute.h"

enum { N = 11 };

static thud_shape field_of(thud_hfield *field, double *height, double (*f)(double, double))
{
    for (int row = 0; row < N; row++) {
        for (int col = 0; col < N; col++) {
            height[row * N + col] = f(-2 + 0.4 * col, -2 + 0.4 * row);
        }
    }
    *field = (thud_hfield){.rows = N,
                           .cols = N,
                           .radius_x = 2,
                           .radius_y = 2,
                           .base = 1,
                           .lowest = -1,
                           .highest = 1,
                           .height = height};
    return (thud_shape){.kind = THUD_SHAPE_HFIELD, .hfield = field};
}

static double flat(double x, double y)
{
    return 0 * x * y;
}

static double ramp(double x, double y)
{
    return 0.25 * x + 0 * y;
}

static double ridge(double x, double y)
{
    return -0.5 * fabs(x) + 0 * y;
}

static double deepest(const thud_pair_contact *c, int n)
{
    double low = INFINITY;
    for (int i = 0; i < n; i++) {
        low = fmin(low, c[i].dist);
    }
    return low;
}

// On a plane cut into triangles every shape must meet the plane: same depth, and every normal the plane's.
static void check_like_a_plane(double (*f)(double, double), vec3 up)
{
    test_rng r = {.s = 8};
    double height[N * N];
    thud_hfield field;
    const thud_shape ground = field_of(&field, height, f), plane = {.kind = THUD_SHAPE_PLANE};
    const pose P = {q_of_zaxis(up), {0, 0, 0}};
    for (int k = 0; k < 1200; k++) {
        const thud_shape s = random_shape(&r, (thud_shape_kind)(THUD_SHAPE_SPHERE + k % 6), 0.1, 0.4);
        const quat q = k % 4 ? random_rotation(&r) : P.q;
        const vec3 low = q_rotate(q, thud_shape_support(&s, q_unrotate(q, v3_neg(up)), NULL));
        const double depth = test_uniform(&r, -0.01, 0.03);
        const vec3 foot = v3(test_uniform(&r, -1, 1), test_uniform(&r, -1, 1), 0);
        pose X = {q, v3_sub(v3(foot.x, foot.y, f(foot.x, foot.y)), low)};
        X.p = v3_axpy(-depth, up, X.p);
        thud_pair_contact c[THUD_PAIR_MAX], e[THUD_PAIR_MAX];
        const int n = thud_collide_pair(&ground, pose_identity(), &s, X, 0, NULL, c);
        const int m = thud_collide_pair(&plane, P, &s, X, 0, NULL, e);
        CHECK_INT(n > 0, m > 0);
        if (n == 0) {
            continue;
        }
        CHECK_NEAR(deepest(c, n), deepest(e, m), 1e-9);
        for (int i = 0; i < n; i++) {
            CHECK_NEAR(v3_norm(v3_sub(c[i].normal, up)), 0, 1e-6);
        }
    }
}

TEST(a_flat_field_is_a_plane)
{
    check_like_a_plane(flat, v3(0, 0, 1));
}

TEST(a_sloping_field_is_a_sloping_plane)
{
    check_like_a_plane(ramp, v3_normalize(v3(-0.25, 0, 1)));
}

TEST(a_ball_on_a_ridge_touches_it_along_the_vertical)
{
    double height[N * N];
    thud_hfield field;
    const thud_shape ground = field_of(&field, height, ridge),
                     ball = {.kind = THUD_SHAPE_SPHERE, .size = {0.3}};
    thud_pair_contact c[THUD_PAIR_MAX];
    const int n = thud_collide_pair(&ground, pose_identity(), &ball, (pose){{1, 0, 0, 0}, {0, 0.13, 0.299}},
                                    0, NULL, c);
    CHECK(n >= 1);
    for (int i = 0; i < n; i++) {
        CHECK_NEAR(c[i].dist, -0.001, 1e-12);
        CHECK_NEAR(c[i].normal.z, 1, 1e-12);
    }
}

TEST(the_distance_to_a_flat_field_is_the_height_however_far)
{
    double height[N * N];
    thud_hfield field;
    const thud_shape ground = field_of(&field, height, flat),
                     box = {.kind = THUD_SHAPE_BOX, .size = {0.2, 0.2, 0.2}};
    for (double z = 0.1; z < 1e4; z *= 3) {
        thud_pair_gap g;
        const double d =
            thud_pair_distance(&ground, pose_identity(), &box, (pose){{1, 0, 0, 0}, {0.3, 0.1, z}}, NULL, &g);
        CHECK_NEAR(d, z - 0.2, 1e-12 * (1 + z));
        CHECK_NEAR(g.normal.z, 1, 1e-12);
    }
    thud_pair_gap g;
    const double beside =
        thud_pair_distance(&ground, pose_identity(), &box, (pose){{1, 0, 0, 0}, {4, 0, 0.5}}, NULL, &g);
    CHECK_NEAR(beside, hypot(1.8, 0.3), 1e-12);
}

TEST_MAIN(T(a_flat_field_is_a_plane), T(a_sloping_field_is_a_sloping_plane),
          T(a_ball_on_a_ridge_touches_it_along_the_vertical),
          T(the_distance_to_a_flat_field_is_the_height_however_far))
