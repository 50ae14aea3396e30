// SPDX-License-Identifier: Apache-2.0
// Each function against MPFR at 120 bits: the error of the result in units in the last place (of the exact value's double).
//
// Arguments: half evenly over an interval where the function does most of its work, a quarter over all exponents, a quarter near
// places where a reduction changes. `make test` draws 10^5 for each function; THUD_ELEMENTARY_COUNT sets another number
// (`make test-long`: 10^7).
#include <mpfr.h>

#include <thud/elementary.h>
#include <thud/elementary_lanes.h>

#include "test.h"

typedef int mpfr_one(mpfr_t, const mpfr_t, mpfr_rnd_t);
typedef int mpfr_two(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);

static double lane_sine(double x)
{
    double s, c;
    thud_sincos_near(x, &s, &c);
    return s;
}

static double lane_cosine(double x)
{
    double s, c;
    thud_sincos_near(x, &s, &c);
    return c;
}

typedef struct function {
    const char *name;
    double (*one)(double);
    mpfr_one *exact;
    double lo, hi;       // where it does most of its work
    double most, corner; // arguments to this size; near multiples of this, and of its sixteenth
    double ulps;         // claimed
} function;

typedef struct function_of_two {
    const char *name;
    double (*two)(double, double);
    mpfr_two *exact;
    double lo, hi, lo2, hi2;
    bool all; // arguments of every size
    double ulps;
} function_of_two;

static long count_of_arguments(void)
{
    const char *wish = getenv("THUD_ELEMENTARY_COUNT");
    return wish ? atol(wish) : 100000;
}

// |got - exact| in units of the last place of exact; 0 where both are NaN or the same infinity or zero of the same sign.
static double error_in_ulps(double got, const mpfr_t exact)
{
    const double nearest = mpfr_get_d(exact, MPFR_RNDN);
    if (nearest != nearest || got != got) {
        return nearest != nearest && got != got ? 0 : INFINITY;
    }
    if (isinf(nearest) || isinf(got)) {
        const double largest = 0x1.fffffffffffffp1023; // next to infinity: one unit
        return nearest == got ? 0 : fabs(nearest) == largest || fabs(got) == largest ? 1 : INFINITY;
    }
    if (got == 0 && nearest == 0) {
        return signbit(got) == signbit(nearest) || mpfr_zero_p(exact) == 0 ? 0 : INFINITY;
    }
    int exponent;
    frexp(nearest, &exponent);
    const int place = nearest == 0 || exponent - 53 < -1074 ? -1074 : exponent - 53;
    mpfr_t difference;
    mpfr_init2(difference, 120);
    mpfr_sub_d(difference, exact, got, MPFR_RNDN);
    mpfr_mul_2si(difference, difference, -place, MPFR_RNDN);
    const double error = fabs(mpfr_get_d(difference, MPFR_RNDN));
    mpfr_clear(difference);
    return error;
}

static double any_size(test_rng *rng, double most)
{
    for (;;) {
        const uint64_t bits = test_bits(rng);
        double x;
        memcpy(&x, &bits, sizeof x);
        if (fabs(x) <= most) {
            return x;
        }
    }
}

static double next_to(test_rng *rng, double x) // within a few units, or within 2^-20
{
    const double apart = test_below(rng, 2) ? 0x1p-52 * test_below(rng, 8) : test_uniform(rng, 0, 0x1p-20);
    return test_below(rng, 2) ? x * (1 + apart) : x * (1 - apart);
}

static double argument(const function *f, test_rng *rng, long i)
{
    switch (i % 4) {
    case 0:
        return any_size(rng, f->most);
    case 1:
        return next_to(rng, f->corner * (test_below(rng, 200) - 100) / (test_below(rng, 2) ? 1 : 16));
    default:
        return test_uniform(rng, f->lo, f->hi);
    }
}

static void judge(const function *f)
{
    test_rng rng = {UINT64_C(7)};
    double worst = 0, at = 0;
    mpfr_t x, y;
    mpfr_init2(x, 53);
    mpfr_init2(y, 120);
    const long count = count_of_arguments();
    for (long i = 0; i < count; i++) {
        const double a = argument(f, &rng, i);
        if (!(fabs(a) <= f->most)) {
            continue;
        }
        mpfr_set_d(x, a, MPFR_RNDN);
        f->exact(y, x, MPFR_RNDN);
        const double error = error_in_ulps(f->one(a), y);
        if (error > worst) {
            worst = error;
            at = a;
        }
    }
    mpfr_clears(x, y, NULL);
    printf("%-8s %.3f units in the last place, at %.17g\n", f->name, worst, at);
    if (!(worst <= f->ulps)) {
        fail_msg("%s: %.3f units in the last place at %a, at most %g was claimed", f->name, worst, at,
                 f->ulps);
    }
}

static void judge_two(const function_of_two *f)
{
    test_rng rng = {UINT64_C(11)};
    double worst = 0, at = 0, at2 = 0;
    mpfr_t x, y, z;
    mpfr_inits2(53, x, y, NULL);
    mpfr_init2(z, 120);
    const long count = count_of_arguments();
    for (long i = 0; i < count; i++) {
        double a = test_uniform(&rng, f->lo, f->hi), b = test_uniform(&rng, f->lo2, f->hi2);
        if (i % 4 == 0 && f->all) {
            a = any_size(&rng, INFINITY);
            b = i % 8 == 0 ? any_size(&rng, INFINITY) : a * test_uniform(&rng, -4, 4);
        } else if (i % 4 == 1) {
            a = next_to(&rng, test_below(&rng, 33) / 16.0);
            b = next_to(&rng, test_below(&rng, 2) ? 1 : test_uniform(&rng, f->lo2, f->hi2));
        }
        mpfr_set_d(x, a, MPFR_RNDN);
        mpfr_set_d(y, b, MPFR_RNDN);
        f->exact(z, x, y, MPFR_RNDN);
        const double error = error_in_ulps(f->two(a, b), z);
        if (error > worst) {
            worst = error;
            at = a;
            at2 = b;
        }
    }
    mpfr_clears(x, y, z, NULL);
    printf("%-8s %.3f units in the last place, at %.17g, %.17g\n", f->name, worst, at, at2);
    if (!(worst <= f->ulps)) {
        fail_msg("%s: %.3f units in the last place at %a, %a, at most %g was claimed", f->name, worst, at,
                 at2, f->ulps);
    }
}

#define PI 3.141592653589793
static const double ALL = INFINITY;

TEST(sine_and_cosine_are_right_to_a_unit_in_the_last_place)
{
    judge(&(function){"sin", thud_sin, mpfr_sin, -10, 10, ALL, PI / 2, 1});
    judge(&(function){"cos", thud_cos, mpfr_cos, -10, 10, ALL, PI / 2, 1});
    judge(&(function){"sin far", thud_sin, mpfr_sin, -2e6, 2e6, ALL, PI / 2 * 30000, 1});
    judge(&(function){"cos far", thud_cos, mpfr_cos, -2e6, 2e6, ALL, PI / 2 * 30000, 1});
}

TEST(sine_and_cosine_in_lanes_are_right_to_a_unit_in_the_last_place)
{
    judge(&(function){"sin lane", lane_sine, mpfr_sin, -10, 10, 100, 1, 1});
    judge(&(function){"cos lane", lane_cosine, mpfr_cos, -10, 10, 100, PI / 2, 1});
    judge(&(function){"sin far", lane_sine, mpfr_sin, -1e5, 1e5, THUD_LANES_FAR, 1, 1});
    judge(&(function){"cos far", lane_cosine, mpfr_cos, -1e5, 1e5, THUD_LANES_FAR, 1, 1});
}

TEST(inverse_functions_of_angles_are_right_to_a_unit_in_the_last_place)
{
    judge(&(function){"asin", thud_asin, mpfr_asin, -1, 1, 1.5, 1 / 64.0, 1});
    judge(&(function){"acos", thud_acos, mpfr_acos, -1, 1, 1.5, 1 / 64.0, 1});
    judge_two(&(function_of_two){"atan2", thud_atan2, mpfr_atan2, -2, 2, -2, 2, true, 1});
}

TEST(exponentials_are_right_to_a_unit_in_the_last_place)
{
    judge(&(function){"exp", thud_exp, mpfr_exp, -30, 30, 800, 7.45, 1});
    judge(&(function){"exp all", thud_exp, mpfr_exp, -760, 720, ALL, 0.0108304, 1});
    judge(&(function){"expm1", thud_expm1, mpfr_expm1, -2, 2, 800, 0.17, 1});
    judge(&(function){"expm1", thud_expm1, mpfr_expm1, -50, 80, ALL, 1, 1});
    judge(&(function){"sinh", thud_sinh, mpfr_sinh, -3, 3, 800, 1, 1});
    judge(&(function){"sinh", thud_sinh, mpfr_sinh, -30, 720, ALL, 7.11, 1});
    judge(&(function){"cosh", thud_cosh, mpfr_cosh, -3, 3, 800, 1, 1});
    judge(&(function){"cosh", thud_cosh, mpfr_cosh, -30, 720, ALL, 7.11, 1});
}

TEST(the_logarithm_is_right_to_a_unit_in_the_last_place)
{
    judge(&(function){"log", thud_log, mpfr_log, 0, 4, ALL, 1 / 128.0, 1});
    judge(&(function){"log near", thud_log, mpfr_log, 0.98, 1.02, ALL, 11 / 16.0, 1});
}

TEST(the_cube_root_is_right_to_a_unit_in_the_last_place)
{
    judge(&(function){"cbrt", thud_cbrt, mpfr_cbrt, -8, 8, ALL, 1, 1});
}

TEST(powers_are_right_to_two_units_in_the_last_place)
{
    judge_two(&(function_of_two){"pow", thud_pow, mpfr_pow, 0, 20, -10, 10, true, 2});
    judge_two(&(function_of_two){"pow", thud_pow, mpfr_pow, 0.5, 1.5, -1000, 1000, true, 2});
    judge_two(&(function_of_two){"pow", thud_pow, mpfr_pow, 0.999999, 1.000001, -7e8, 7e8, false, 2});
    judge_two(&(function_of_two){"pow", thud_pow, mpfr_pow, 0, 1e-300, -1.1, 1.1, false, 2});
}

TEST(the_hypotenuse_is_right_to_a_unit_in_the_last_place)
{
    judge_two(&(function_of_two){"hypot", thud_hypot, mpfr_hypot, -2, 2, -2, 2, true, 1});
    judge_two(&(function_of_two){"hypot", thud_hypot, mpfr_hypot, -2, 2, -1e-7, 1e-7, true, 1});
    judge_two(&(function_of_two){"hypot", thud_hypot, mpfr_hypot, -1e-320, 1e-320, -1e-320, 1e-320, true, 1});
}

TEST_MAIN(T(sine_and_cosine_are_right_to_a_unit_in_the_last_place),
          T(sine_and_cosine_in_lanes_are_right_to_a_unit_in_the_last_place),
          T(inverse_functions_of_angles_are_right_to_a_unit_in_the_last_place),
          T(exponentials_are_right_to_a_unit_in_the_last_place),
          T(the_logarithm_is_right_to_a_unit_in_the_last_place),
          T(the_cube_root_is_right_to_a_unit_in_the_last_place),
          T(powers_are_right_to_two_units_in_the_last_place),
          T(the_hypotenuse_is_right_to_a_unit_in_the_last_place))
