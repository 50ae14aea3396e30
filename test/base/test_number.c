// SPDX-License-Identifier: Apache-2.0
// test_number.c: doubles as text.
#include "test.h"

TEST(every_double_reads_back_as_the_same_bits)
{
    test_rng r = {1};
    char text[THUD_NUMBER_SIZE];
    for (int i = 0; i < 50000; i++) {
        const uint64_t bits = test_bits(&r);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value)) {
            const double back = strtod(thud_number_format(value, text), NULL);
            CHECK(memcmp(&back, &value, sizeof value) == 0);
        }
    }
}

TEST(short_numbers_stay_short)
{
    char text[THUD_NUMBER_SIZE];
    CHECK_TEXT(thud_number_format(0.1, text), "0.1");
    CHECK_TEXT(thud_number_format(-0.0, text), "-0");
    CHECK_TEXT(thud_number_format(1e300, text), "1e+300");
    CHECK_TEXT(thud_number_format(5e-324, text), "4.94065645841247e-324");
    CHECK_TEXT(thud_number_format(NAN, text), "nan");
    CHECK_TEXT(thud_number_format(-INFINITY, text), "-inf");
}

TEST_MAIN(T(every_double_reads_back_as_the_same_bits), T(short_numbers_stay_short))
