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
    CHECK_TEXT(thud_number_format(1.0 / 3, text), "0.3333333333333333");
    CHECK_TEXT(thud_number_format(1.276e-05, text), "1.276e-05");
    CHECK_TEXT(thud_number_format(-9.81, text), "-9.81");
    CHECK_TEXT(thud_number_format(123456789012345, text), "123456789012345");
    CHECK_TEXT(thud_number_format(0, text), "0");
    CHECK_TEXT(thud_number_format(NAN, text), "nan");
    CHECK_TEXT(thud_number_format(-INFINITY, text), "-inf");
}

TEST(decimals_of_a_few_digits_come_back_as_they_were_written)
{
    test_rng r = {2};
    char text[THUD_NUMBER_SIZE], want[THUD_NUMBER_SIZE];
    int longer = 0;
    for (int i = 0; i < 20000; i++) {
        snprintf(want, sizeof want, "%.*g", 1 + test_below(&r, 15),
                 exp(test_uniform(&r, -15, 30)) * test_normal(&r));
        const double value = strtod(want, NULL);
        CHECK_NEAR(strtod(thud_number_format(value, text), NULL), value, 0);
        longer += strlen(text) > 21; // 15 digits, sign, point, exponent
    }
    CHECK_INT(longer, 0);
}

TEST_MAIN(T(decimals_of_a_few_digits_come_back_as_they_were_written),
          T(every_double_reads_back_as_the_same_bits), T(short_numbers_stay_short))
