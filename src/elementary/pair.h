// SPDX-License-Identifier: Apache-2.0
// pair.h: the bits of a double, and sums and products kept to twice the precision. Private to the room.
//
// Error-free transformations [Dekker 1971, Knuth 1969]: no fused multiply-add is used or allowed (-ffp-contract=off).
#pragma once

#include <stdint.h>
#include <string.h>

#include <thud/base.h>

#include "tables.h"

THUD_INSIDE uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

THUD_INSIDE double from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

THUD_INSIDE double
leading_half(double x) // the first 26 bits of x: its square is exact, and x minus it has 27 bits
{
    return from_bits(bits_of(x) & UINT64_C(0xfffffffff8000000));
}

THUD_INSIDE double power_of_two(int k) // 2^k for a normal result
{
    return from_bits((uint64_t)(k + 1023) << 52);
}

THUD_INSIDE double scale_by(double x, int k) // x 2^k for |x| near 1 and -1100 < k < 1100; rounded once
{
    return k > 1023    ? x * 0x1p1023 * power_of_two(k - 1023)
           : k < -1021 ? x * power_of_two(k + 100) * 0x1p-100
                       : x * power_of_two(k);
}

THUD_INSIDE elementary_pair sum_of(double a, double b) // a + b for |a| >= |b| or a = 0
{
    const double s = a + b;
    return (elementary_pair){s, a - s + b};
}

THUD_INSIDE elementary_pair product_of(double a, double b) // a b, away from overflow and underflow
{
    const double ah = leading_half(a), al = a - ah, bh = leading_half(b), bl = b - bh, p = a * b;
    return (elementary_pair){p, ah * bh - p + ah * bl + al * bh + al * bl};
}
