// SPDX-License-Identifier: Apache-2.0
#include <thud/spatial_inline.h>

#include "test.h"

TEST(principal_axes_rebuild_the_matrix)
{
    (void)test_state;
    test_rng rng = {1};
    for (int trial = 0; trial < 500; trial++) {
        double S[6], value[3];
        for (int k = 0; k < 6; k++) {
            S[k] = trial % 5 == 0 && k > 2 ? 0 : test_normal(&rng);
        }
        if (trial % 7 == 0) {
            S[1] = S[0]; // repeated values
        }
        quat axes;
        thud_sym3_eigen(S, value, &axes);
        const thud_inertia rebuilt = thud_inertia_map(
            (pose){axes, {0, 0, 0}}, (thud_inertia){1, {0, 0, 0}, {value[0], value[1], value[2]}});
        CHECK(value[0] >= value[1] && value[1] >= value[2]);
        for (int k = 0; k < 6; k++) {
            CHECK_NEAR(rebuilt.I[k], S[k], 1e-14); // worst seen 2e-15
        }
    }
}

TEST(two_point_masses_make_a_dumbbell)
{
    (void)test_state;
    const thud_inertia a = {2, {0, 0, 1}, {0}}, b = {2, {0, 0, -1}, {0}};
    const thud_inertia sum = thud_inertia_add(a, b);
    CHECK_NEAR(sum.mass, 4, 0);
    CHECK_NEAR(sum.com.z, 0, 0);
    CHECK_NEAR(sum.I[0], 4, 1e-15);
    CHECK_NEAR(sum.I[2], 0, 0);
}

TEST(quaternions_and_matrices_rotate_alike)
{
    (void)test_state;
    test_rng rng = {7};
    for (int trial = 0; trial < 200; trial++) {
        const quat q =
            q_normalize((quat){test_normal(&rng), test_normal(&rng), test_normal(&rng), test_normal(&rng)});
        const vec3 v = v3(test_normal(&rng), test_normal(&rng), test_normal(&rng));
        const mat3 R = m3_of_quat(q);
        const quat back = q_of_m3(&R);
        CHECK_NEAR(v3_norm(v3_sub(q_rotate(q, v), m3_mulv(&R, v))), 0, 1e-14);
        CHECK_NEAR(fabs(back.w * q.w + back.x * q.x + back.y * q.y + back.z * q.z), 1, 1e-14);
        const vec3 r = q_log(q);
        const quat e = q_exp(r);
        CHECK_NEAR(fabs(e.w * q.w + e.x * q.x + e.y * q.y + e.z * q.z), 1, 1e-14);
    }
}

// By series below 0.1 rad, by sines above: to the last digits either way, also just beside where they meet.
TEST(a_turn_is_that_of_its_half_angle)
{
    (void)test_state;
    test_rng rng = {3};
    for (int trial = 0; trial < 4000; trial++) {
        const vec3 r =
            v3_scale(trial % 4 == 0 ? 0.1 + 1e-6 * test_normal(&rng) : pow(10, test_uniform(&rng, -9, 0.5)),
                     v3_normalize(v3(test_normal(&rng), test_normal(&rng), test_normal(&rng))));
        const long double x = r.x, y = r.y, z = r.z, angle = sqrtl(x * x + y * y + z * z),
                          s = sinl(angle / 2) / angle;
        const quat q = q_exp(r);
        CHECK_NEAR(q.w, (double)cosl(angle / 2), 6e-16);                 // worst seen 2.9e-16
        CHECK_NEAR(q.x, (double)(s * x), 9e-16 * fabs((double)(s * x))); // worst seen 4.3e-16
        CHECK_NEAR(q.y, (double)(s * y), 9e-16 * fabs((double)(s * y)));
        CHECK_NEAR(q.z, (double)(s * z), 9e-16 * fabs((double)(s * z)));
    }
}

TEST_MAIN(T(a_turn_is_that_of_its_half_angle), T(principal_axes_rebuild_the_matrix),
          T(two_point_masses_make_a_dumbbell), T(quaternions_and_matrices_rotate_alike))
