// SPDX-License-Identifier: Apache-2.0
// test_number_read.c: text as doubles, against the C library's strtod in the C locale, which rounds correctly.
#include <locale.h>

#include <thud/base_input.h>

#include "test.h"

static void check_text(const char *text)
{
    char *want_end;
    const char *end;
    const double want = strtod(text, &want_end), got = thud_number_read(text, &end);
    if (memcmp(&want, &got, sizeof want) != 0 && !(want != want && got != got)) {
        fail_msg("'%.80s' reads as %.17g, not %.17g", text, got, want);
    }
    CHECK_INT(end - text, want_end - text);
}

TEST(texts_read_as_the_nearest_double)
{
    static const char *const text[] = {"0",
                                       "-0",
                                       "1",
                                       "+1.5",
                                       ".5",
                                       "5.",
                                       " \t\n7e3",
                                       "1e22",
                                       "1e23",
                                       "8.98846567431158e307",
                                       "1.7976931348623157e308",
                                       "1.7976931348623158e308",
                                       "1.7976931348623159e308",
                                       "1e309",
                                       "-1e400",
                                       "4.9e-324",
                                       "2.4e-324",
                                       "2.5e-324",
                                       "2.4703282292062327e-324",
                                       "2.4703282292062328e-324",
                                       "2.2250738585072011e-308",
                                       "2.2250738585072014e-308",
                                       "1e-400",
                                       "0e99999999999999999999",
                                       "1e99999999999999999999",
                                       "1e-99999999999999999999",
                                       "inf",
                                       "-INF",
                                       "Infinity",
                                       "infinite",
                                       "nan",
                                       "NaN",
                                       "",
                                       "-",
                                       ".",
                                       "e5",
                                       "1e",
                                       "1e+",
                                       "1.2.3",
                                       "--1",
                                       "1,5",
                                       "12abc",
                                       "0x1p0",
                                       "-0x1.8P+1",
                                       "0x",
                                       "0x.p1",
                                       "0x.8",
                                       "0x1.fffffffffffff8p0",
                                       "0x1.fffffffffffff7fffp0",
                                       "0x123456789abcdef01234p-80",
                                       "0x0.0000000000000001p-1074",
                                       "0x1p-1075",
                                       "0x1.8p-1075",
                                       "0x1p1024",
                                       "0x1p99999",
                                       "0x1pz",
                                       "0xfFp-4",
                                       "9007199254740993",
                                       "9007199254740992.99999999999999999999",
                                       "9007199254740993.00000000000000000001",
                                       "00000000000000000000000.1",
                                       "0.000000000000000000000000000000000000000000000000000001",
                                       "100000000000000000000000000000000000000000000000000000"};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        check_text(text[i]);
    }
}

TEST(numbers_of_any_length_round_to_the_nearest_even)
{
    test_rng r = {3};
    char text[1400];
    for (int i = 0; i < 20000; i++) {
        const uint64_t bits = test_bits(&r);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) {
            continue;
        }
        snprintf(text, sizeof text, "%.*e", test_below(&r, 40), value);
        check_text(text);
        snprintf(text, sizeof text, "%.*g", 1 + test_below(&r, 17), exp(test_uniform(&r, -40, 40)));
        check_text(text);
    }
}

TEST(midpoints_between_two_doubles_go_to_the_even_one_and_a_digit_beyond_decides)
{
    test_rng r = {4};
    char text[1400];
    for (int i = 0; i < 400; i++) {
        // (2 m + 1) 2^(e-1) is a midpoint: exact in long double's 64 bits, so printed exactly
        const uint64_t m = ((uint64_t)1 << 52) + (test_bits(&r) >> 12);
        const int e = i % 4 == 0 ? -1074 - 52 + test_below(&r, 60) : test_below(&r, 1900) - 1000;
        const long double middle = ldexpl((long double)(2 * m + 1), e - 1);
        snprintf(text, sizeof text, "%.1100Le", middle);
        check_text(text);
        char *exponent = strchr(text, 'e');
        char tail[16];
        snprintf(tail, sizeof tail, "%s", exponent);
        snprintf(exponent, sizeof text - (size_t)(exponent - text), "1%s", tail); // a little above
        check_text(text);
    }
}

TEST(a_locale_with_a_decimal_comma_changes_nothing)
{
    char folder[] = "/tmp/thud-locale-XXXXXX", command[200];
    CHECK(mkdtemp(folder) != NULL);
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 2>/dev/null", folder);
    const bool made = system(command) == 0;
    setenv("LOCPATH", folder, 1);
    const char *found = made ? setlocale(LC_ALL, "de_DE.UTF-8") : NULL;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK_INT(system(command), 0);
    if (!found) {
        test_skip("localedef makes no German locale here (Debian's package locales has its source)");
    }
    CHECK_TEXT(localeconv()->decimal_point, ",");
    const char *end;
    char text[THUD_NUMBER_SIZE];
    CHECK_NEAR(thud_number_read("1.5e1", &end), 15, 0);
    CHECK(*end == '\0');
    CHECK_TEXT(thud_number_format(1.0 / 3e-40, text), "3.333333333333333e+39");
    setlocale(LC_ALL, "C");
}

TEST_MAIN(T(texts_read_as_the_nearest_double), T(numbers_of_any_length_round_to_the_nearest_even),
          T(midpoints_between_two_doubles_go_to_the_even_one_and_a_digit_beyond_decides),
          T(a_locale_with_a_decimal_comma_changes_nothing))
