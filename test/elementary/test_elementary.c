// SPDX-License-Identifier: Apache-2.0
// What no comparison of sizes shows: special values [C17 annex F], exact results, and that lanes and scalars have the same bits.
#include <thud/elementary.h>
#include <thud/elementary_lanes.h>

#include "test.h"

static const double INF = INFINITY, DENORMAL = 4.9406564584124654e-324, LARGEST = 1.7976931348623157e308;

static bool same(double a, double b) // bits, all NaN being one
{
    return (a != a && b != b) || (a == b && signbit(a) == signbit(b));
}

#define SAME(got, want)                                                                                      \
    do {                                                                                                     \
        const double same_got = (got), same_want = (want);                                                   \
        if (!same(same_got, same_want)) {                                                                    \
            fail_msg("%s is %.17g, want %.17g", #got, same_got, same_want);                                  \
        }                                                                                                    \
    } while (0)

TEST(zeros_keep_their_sign)
{
    double (*odd[])(double) = {thud_sin, thud_asin, thud_expm1, thud_sinh, thud_cbrt};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        SAME(odd[i](0.0), 0.0);
        SAME(odd[i](-0.0), -0.0);
        SAME(odd[i](DENORMAL), odd[i] == thud_cbrt ? 0x1p-358 : DENORMAL);
        SAME(odd[i](-DENORMAL), odd[i] == thud_cbrt ? -0x1p-358 : -DENORMAL);
    }
    SAME(thud_cos(-0.0), 1);
    SAME(thud_exp(-0.0), 1);
    SAME(thud_cosh(-0.0), 1);
    SAME(thud_log(1), 0.0);
    SAME(thud_acos(1), 0.0);
    SAME(thud_hypot(-0.0, -0.0), 0.0);
}

TEST(what_is_not_a_number_stays_so)
{
    double (*all[])(double) = {thud_sin,  thud_cos,  thud_asin, thud_acos, thud_expm1,
                               thud_sinh, thud_cosh, thud_log,  thud_exp,  thud_cbrt};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        SAME(all[i](NAN), NAN);
    }
    SAME(thud_atan2(NAN, 1), NAN);
    SAME(thud_atan2(1, NAN), NAN);
    SAME(thud_pow(NAN, 1), NAN);
    SAME(thud_pow(2, NAN), NAN);
    SAME(thud_hypot(NAN, 1), NAN);
    SAME(thud_hypot(1, NAN), NAN);
    SAME(thud_max(NAN, 1), 1);
    SAME(thud_max(1, NAN), 1);
    SAME(thud_min(NAN, 1), 1);
    SAME(thud_min(1, NAN), 1);
    SAME(thud_max(NAN, NAN), NAN);
}

TEST(outside_of_the_domain_is_not_a_number)
{
    SAME(thud_sin(INF), NAN);
    SAME(thud_cos(-INF), NAN);
    SAME(thud_asin(1.0000000000000002), NAN);
    SAME(thud_acos(-1.0000000000000002), NAN);
    SAME(thud_asin(INF), NAN);
    SAME(thud_log(-DENORMAL), NAN);
    SAME(thud_log(-INF), NAN);
    SAME(thud_pow(-2, 0.5), NAN);
}

TEST(infinity_is_reached_and_left_as_c17_says)
{
    SAME(thud_exp(INF), INF);
    SAME(thud_exp(-INF), 0.0);
    SAME(thud_exp(709.8), INF);
    SAME(thud_exp(-745.2), 0.0);
    SAME(thud_expm1(INF), INF);
    SAME(thud_expm1(-INF), -1);
    SAME(thud_expm1(710), INF);
    SAME(thud_sinh(-INF), -INF);
    SAME(thud_sinh(-711), -INF);
    SAME(thud_cosh(-INF), INF);
    SAME(thud_cosh(711), INF);
    SAME(thud_cbrt(-INF), -INF);
    SAME(thud_cbrt(-1000), -10);
    SAME(thud_log(INF), INF);
    SAME(thud_log(0.0), -INF);
    SAME(thud_log(-0.0), -INF);
    SAME(thud_hypot(INF, NAN), INF);
    SAME(thud_hypot(NAN, -INF), INF);
    SAME(thud_hypot(LARGEST, LARGEST), INF);
}

TEST(the_angle_of_a_point_on_an_axis_or_at_infinity_is_as_c17_says)
{
    const double half = 3.1415926535897931, right = 1.5707963267948966;
    SAME(thud_atan2(0.0, 1), 0.0);
    SAME(thud_atan2(-0.0, 1), -0.0);
    SAME(thud_atan2(0.0, 0.0), 0.0);
    SAME(thud_atan2(-0.0, 0.0), -0.0);
    SAME(thud_atan2(0.0, -0.0), half);
    SAME(thud_atan2(-0.0, -0.0), -half);
    SAME(thud_atan2(0.0, -1), half);
    SAME(thud_atan2(-0.0, -1), -half);
    SAME(thud_atan2(1, 0.0), right);
    SAME(thud_atan2(-1, -0.0), -right);
    SAME(thud_atan2(1, INF), 0.0);
    SAME(thud_atan2(-1, INF), -0.0);
    SAME(thud_atan2(1, -INF), half);
    SAME(thud_atan2(-1, -INF), -half);
    SAME(thud_atan2(INF, 1), right);
    SAME(thud_atan2(-INF, -1), -right);
    SAME(thud_atan2(INF, INF), 0.78539816339744828);
    SAME(thud_atan2(-INF, INF), -0.78539816339744828);
    SAME(thud_atan2(INF, -INF), 2.3561944901923448);
    SAME(thud_atan2(-INF, -INF), -2.3561944901923448);
    SAME(thud_atan2(DENORMAL, 1e300), 0.0);
    SAME(thud_atan2(LARGEST, LARGEST), 0.78539816339744828);
    SAME(thud_atan2(DENORMAL, DENORMAL), 0.78539816339744828);
}

TEST(powers_of_special_numbers_are_as_c17_says)
{
    SAME(thud_pow(NAN, 0.0), 1);
    SAME(thud_pow(1, NAN), 1);
    SAME(thud_pow(-1, INF), 1);
    SAME(thud_pow(-1, -INF), 1);
    SAME(thud_pow(0.0, -3), INF);
    SAME(thud_pow(-0.0, -3), -INF);
    SAME(thud_pow(-0.0, -2), INF);
    SAME(thud_pow(-0.0, -0.5), INF);
    SAME(thud_pow(-0.0, 3), -0.0);
    SAME(thud_pow(-0.0, 2), 0.0);
    SAME(thud_pow(0.5, -INF), INF);
    SAME(thud_pow(2, -INF), 0.0);
    SAME(thud_pow(0.5, INF), 0.0);
    SAME(thud_pow(-2, INF), INF);
    SAME(thud_pow(-INF, -3), -0.0);
    SAME(thud_pow(-INF, -2), 0.0);
    SAME(thud_pow(-INF, 3), -INF);
    SAME(thud_pow(-INF, 2), INF);
    SAME(thud_pow(INF, -0.5), 0.0);
    SAME(thud_pow(INF, 0.5), INF);
    SAME(thud_pow(2, 1e300), INF);
    SAME(thud_pow(-2, 0x1.fffffffffffffp52), -INF);
    SAME(thud_pow(2, -1e300), 0.0);
    SAME(thud_pow(3, 1e-300), 1);
}

TEST(powers_that_are_doubles_are_exact)
{
    for (int n = 0; n <= 22; n++) {
        double ten = 1, three = 1;
        for (int k = 0; k < n; k++) {
            ten *= 10;
            three *= -3;
        }
        SAME(thud_pow(10, n), ten);
        SAME(thud_pow(-3, n), three);
    }
    SAME(thud_pow(2, -1074), DENORMAL);
    SAME(thud_hypot(3, 4), 5);
    SAME(thud_hypot(-0x5p900, 0xcp900), 0xdp900);
    SAME(thud_hypot(DENORMAL * 3, DENORMAL * 4), DENORMAL * 5);
}

TEST(lanes_have_the_bits_of_the_functions)
{
    test_rng rng = {3};
    for (int i = 0; i < 100000; i++) {
        const double x = test_uniform(&rng, -THUD_LANES_FAR, THUD_LANES_FAR) * test_uniform(&rng, 0, 1);
        double s, c;
        thud_sincos_near(x, &s, &c);
        SAME(s, thud_sin(x));
        SAME(c, thud_cos(x));
    }
}

TEST(of_two_zeros_the_first_is_the_greater_and_the_smaller)
{
    SAME(thud_max(0.0, -0.0), 0.0);
    SAME(thud_max(-0.0, 0.0), -0.0);
    SAME(thud_min(0.0, -0.0), 0.0);
    SAME(thud_min(-0.0, 0.0), -0.0);
    SAME(thud_max(1, 2), 2);
    SAME(thud_min(-INF, 2), -INF);
}

TEST_MAIN(T(zeros_keep_their_sign), T(what_is_not_a_number_stays_so),
          T(outside_of_the_domain_is_not_a_number), T(infinity_is_reached_and_left_as_c17_says),
          T(the_angle_of_a_point_on_an_axis_or_at_infinity_is_as_c17_says),
          T(powers_of_special_numbers_are_as_c17_says), T(powers_that_are_doubles_are_exact),
          T(lanes_have_the_bits_of_the_functions), T(of_two_zeros_the_first_is_the_greater_and_the_smaller))
