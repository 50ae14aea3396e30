// SPDX-License-Identifier: Apache-2.0
// cbrt.c: the cube root.
//
//     x = m 2^(3k + j), 1 <= m < 2:   t <- t (t^3 + 2 m) / (2 t^3 + m)      [Halley's step]
//
// From a quadratic in m, right to 0.1 %, one step of Halley reaches 27 bits. They are cut to 26, so that t^2 is exact, and a last
// step has three times as many.
// Error    0.67 units in the last place
#include <math.h>

#include <thud/elementary.h>

#include "pair.h"

double thud_cbrt(double x)
{
    if (!(fabs(x) < INFINITY) || x == 0) {
        return x;
    }
    static const double root[3] = {1, 1.2599210498948732, 1.5874010519681994}; // of 2^j
    const int subnormal = fabs(x) < 0x1p-1022 ? 54 : 0;
    const uint64_t bits = bits_of(subnormal ? fabs(x) * 0x1p54 : fabs(x));
    const int exponent = (int)(bits >> 52) - subnormal, third = exponent / 3 - (exponent % 3 < 0),
              j = exponent - 3 * third;
    const double m = from_bits((bits & UINT64_C(0xfffffffffffff)) | UINT64_C(0x3ff0000000000000));
    const double n = m * (double)(1 << j); // 3 divides 1023: the bias stays a multiple
    double t = (0.625687 + m * (0.433561 - m * 0.058362)) * root[j];
    const double cube = t * t * t;
    t = leading_half(t * ((cube + 2 * n) / (2 * cube + n)));
    const double q = n / (t * t);
    t += t * ((q - t) / (t + t + q)); // (q - t)/3, where t + t + q is 3 t to the bits that matter
    return copysign(t * power_of_two(third - 341), x);
}
