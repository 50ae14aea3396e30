// SPDX-License-Identifier: Apache-2.0
// test.h: what every test program shares. A test's name is a claim; a comparison with NaN fails.
//
//     TEST(a_falling_ball_keeps_its_energy) { CHECK_NEAR(energy(10), energy(0), 1e-12); }
//     TEST_MAIN(T(a_falling_ball_keeps_its_energy))
#pragma once

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <thud/base.h>

// A program of which any test was skipped exits with this code, which CTest reports as "Skipped".
enum { TEST_SKIPPED = 77 };
static int test_skipped;

// Leaves the test and says why.
static inline void test_skip(const char *why)
{
    fprintf(stderr, "skipped: %s\n", why);
    test_skipped++;
    skip();
}

#define TEST_NO_SHARED "../shared is absent"

#define TEST(claim) static void claim(__attribute__((unused)) void **test_state)
#define T(claim) cmocka_unit_test(claim)

// What main returns after so many tests failed.
static inline int test_exit_code(int failed)
{
    return failed ? 1 : test_skipped ? TEST_SKIPPED : 0;
}

#define TEST_MAIN(...)                                                                                       \
    int main(void)                                                                                           \
    {                                                                                                        \
        const struct CMUnitTest tests[] = {__VA_ARGS__};                                                     \
        return test_exit_code(cmocka_run_group_tests(tests, NULL, NULL));                                    \
    }

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fail_msg("%s is false", #condition);                                                             \
        }                                                                                                    \
    } while (0)

#define CHECK_NEAR(got, want, tolerance)                                                                     \
    do {                                                                                                     \
        const double check_got = (got), check_want = (want), check_tol = (tolerance);                        \
        if (!(fabs(check_got - check_want) <= check_tol)) {                                                  \
            fail_msg("%s is %.17g, want %s = %.17g: error %.3g, tolerance %.3g", #got, check_got, #want,     \
                     check_want, fabs(check_got - check_want), check_tol);                                   \
        }                                                                                                    \
    } while (0)

#define CHECK_BELOW(got, bound)                                                                              \
    do {                                                                                                     \
        const double check_got = (got), check_bound = (bound);                                               \
        if (!(check_got <= check_bound)) {                                                                   \
            fail_msg("%s is %.6g, at most %s = %.6g was claimed", #got, check_got, #bound, check_bound);     \
        }                                                                                                    \
    } while (0)

#define CHECK_INT(got, want)                                                                                 \
    do {                                                                                                     \
        const long long check_got = (long long)(got), check_want = (long long)(want);                        \
        if (check_got != check_want) {                                                                       \
            fail_msg("%s is %lld, want %s = %lld", #got, check_got, #want, check_want);                      \
        }                                                                                                    \
    } while (0)

#define CHECK_TEXT(got, want)                                                                                \
    do {                                                                                                     \
        const char *check_got = (got), *check_want = (want);                                                 \
        if (!check_got || strcmp(check_got, check_want) != 0) {                                              \
            fail_msg("%s is \"%s\", want \"%s\"", #got, check_got ? check_got : "(null)", check_want);       \
        }                                                                                                    \
    } while (0)

#define CHECK_OK(call) CHECK_INT((call), THUD_OK)

// A small generator (splitmix64), so that a seed gives the same case on every machine.
typedef struct test_rng {
    uint64_t s;
} test_rng;

static inline uint64_t test_bits(test_rng *r)
{
    uint64_t z = (r->s += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline double test_uniform(test_rng *r, double lo, double hi)
{
    return lo + (hi - lo) * ((double)(test_bits(r) >> 11) * 0x1p-53);
}

static inline double test_normal(test_rng *r)
{
    const double u = test_uniform(r, 1e-300, 1), v = test_uniform(r, 0, 6.283185307179586);
    return sqrt(-2 * log(u)) * cos(v);
}

static inline int test_below(test_rng *r, int n) // 0 .. n-1
{
    return (int)(test_bits(r) % (uint64_t)n);
}

// The path of a file in ../shared, or NULL where that folder is absent (then the test calls test_skip).
static inline const char *test_shared(const char *relative)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/../shared/%s", THUD_SOURCE_DIR, relative);
    return access(path, R_OK) == 0 ? path : NULL;
}
