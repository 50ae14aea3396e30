// SPDX-License-Identifier: Apache-2.0
// logarithm.c: log x.
//
//     log x = k log 2 + log c + log(1 + r),   x = 2^k z,  z in [11/16, 11/8),  r = z/c - 1,  |r| <= 1/128      [Tang 1990]
//
// 1/c is a table of short numbers, so that z/c - 1 is two doubles exactly. Near z = 1, c is 1 and nothing cancels.
// Error    0.55 units in the last place; logarithm_of: relative error 2^-66
#include <math.h>

#include <thud/elementary.h>

#include "exponential.h"

typedef struct reduced {
    double r, rest; // r + rest = z/c - 1 exactly
    double hi, lo;  // k log 2 + log c; hi is exact
} reduced;

static const double LN2 = 0x1.62e42fefa3800p-1, LN2_REST = 0x1.ef35793c76730p-45;

THUD_INSIDE reduced reduce(double x)
{
    const double subnormal = x < 0x1p-1022 ? 52 : 0;
    const uint64_t bits = bits_of(subnormal > 0 ? x * 0x1p52 : x),
                   apart = bits - UINT64_C(0x3fe6000000000000);
    const double k = (double)((int64_t)apart >> 52) - subnormal;
    const elementary_log_row *row = elementary_log_table + (apart >> 45 & 127);
    const uint64_t z = bits - (apart & UINT64_C(0xfff0000000000000));
    const double zh = from_bits(z & UINT64_C(0xffffffff00000000)), zl = from_bits(z) - zh;
    const double most = zh * row->inverse - 1, little = zl * row->inverse, r = most + little;
    return (reduced){r, most - r + little, k * LN2 + row->log, k * LN2_REST + row->rest};
}

double thud_log(double x)
{
    if (bits_of(x) - 1 >= UINT64_C(0x7fefffffffffffff)) { // zero, negative, infinite, NaN
        return x == 0 ? -INFINITY : x > 0 || x != x ? x : (x - x) / (x - x);
    }
    const reduced z = reduce(x);
    const double r = z.r, r2 = r * r;
    const elementary_pair s = sum_of(z.hi, r);
    const double *c = elementary_log_poly;
    const double p = r2 * ((c[0] + r * c[1]) + r2 * ((c[2] + r * c[3]) + r2 * (c[4] + r * c[5])));
    return s.hi + (s.lo + z.lo + p);
}

elementary_pair logarithm_of(double x)
{
    const reduced z = reduce(x);
    const double r = z.r, r2 = r * r;
    const elementary_pair square = product_of(r, -0.5 * r);
    const elementary_pair one = sum_of(z.hi, r), two = sum_of(one.hi, square.hi);
    const double p = r2 * r *
                     ((1.0 / 3 - r * 0.25) +
                      r2 * ((0.2 - r * (1.0 / 6)) + r2 * ((1.0 / 7 - r * 0.125) + r2 * (1.0 / 9 - r * 0.1))));
    const double rest = one.lo + two.lo + (square.lo + (z.rest - r * z.rest) + z.lo) + p;
    return sum_of(two.hi, rest);
}
