// SPDX-License-Identifier: Apache-2.0
// number.c: doubles as text that reads back as the same bits, whatever the locale.
//
// 17 digits always suffice. Fewer do when the double nearest to r / 10^k is the value, for an integer r of 15
// or 16 digits; and that quotient is exact to rounding as long as r < 2^53 and k <= 22, where both are
// doubles themselves [Clinger 1990].
#include <math.h>
#include <stdio.h>

#include <thud/base_input.h>

enum { POWER_MAX = 22 }; // 10^22 is the last power of ten that is a double

static const double power_of_ten[POWER_MAX + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// floor(log10 x): from the power of two below x, then one more where x reaches the next power of ten.
static int decimal_exponent(double x)
{
    enum { BELOW = 8 };
    static const double small[BELOW + 1] = {1e0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8};
    int two;
    frexp(x, &two);
    const int k = (int)floor((two - 1) * 0.30102999566398120), next = k + 1;
    if (next > POWER_MAX || next < -BELOW) { // not asked for: suffice() tries
        return k;
    }
    return x >= (next >= 0 ? power_of_ten[next] : small[-next]) ? next : k;
}

static void print_digits(int digits, double value, char out[THUD_NUMBER_SIZE])
{
    snprintf(out, THUD_NUMBER_SIZE, "%.*g", digits, value);
    for (char *c = out; *c; c++) { // a locale's decimal comma
        if (*c == ',') {
            *c = '.';
        }
    }
}

// True when `digits` digits are sure to read back as the value: by division, or where that is not exact, by
// trying.
static bool suffice(int digits, double value)
{
    const double size = fabs(value);
    const int k = size > 0 ? digits - 1 - decimal_exponent(size) : 0;
    if (k < 0 || k > POWER_MAX) {
        char text[THUD_NUMBER_SIZE];
        const char *end;
        print_digits(digits, value, text);
        return thud_number_read(text, &end) == value;
    }
    const double r = nearbyint(value * power_of_ten[k]);
    return fabs(r) < 0x1p53 && r / power_of_ten[k] == value;
}

const char *thud_number_format(double value, char out[THUD_NUMBER_SIZE])
{
    if (!isfinite(value)) {
        snprintf(out, THUD_NUMBER_SIZE, "%s", isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
        return out;
    }
    const int digits = suffice(15, value) ? 15 : suffice(16, value) ? 16 : 17;
    print_digits(digits, value, out);
    return out;
}
