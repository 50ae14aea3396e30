// SPDX-License-Identifier: Apache-2.0
// sine.c: sine and cosine of any angle.
//
// Angles to 10^6 whose rest is not tiny are reduced as in elementary_lanes.h. All others are multiplied by as many bits of 2/pi as
// decide the rest [Payne & Hanek 1983].
// Error    0.8 units in the last place
#include <math.h>

#include <thud/elementary.h>
#include <thud/elementary_lanes.h>

#include "pair.h"

__extension__ typedef unsigned __int128 wide; // a product of two words

enum { WORD = 64, WINDOW = 3 }; // bits of a word; words of 2/pi that are multiplied
static const double NEAR = 1e6, TINY_REST = 0x1p-40;

// Words of 2/pi from its bit `first` on (1: the bit of weight 1/2), most significant first.
static void bits_of_two_over_pi(int first, uint64_t out[WINDOW])
{
    const int word = (first - 1) / WORD, shift = (first - 1) % WORD;
    for (int i = 0; i < WINDOW; i++) {
        const uint64_t *w = elementary_two_over_pi + word + i;
        out[i] = shift > 0 ? w[0] << shift | w[1] >> (WORD - shift) : w[0];
    }
}

static void shift_left(uint64_t *x, int words, int count) // x[0] is the most significant; 0 <= count <= 64
{
    for (int i = 0; count > 0 && i < words; i++) {
        const uint64_t next = i + 1 < words ? x[i + 1] : 0;
        x[i] = count == WORD ? next : x[i] << count | next >> (WORD - count);
    }
}

// |x| >= pi/4, finite: x = m 2^e, and of 2/pi the bits whose product with m 2^e is a multiple of 4 are left out. With F bits after
// the point the product is then  m W 2^-F,  F = first + 191 - e.
static thud_turn turn_of_any(double x)
{
    const uint64_t bits = bits_of(x), m = (bits & UINT64_C(0xfffffffffffff)) | UINT64_C(1) << 52;
    const int e = (int)(bits >> 52 & 0x7ff) - 1075, first = e > 2 ? e - 1 : 1;
    const int left = 4 * WORD - 2 - (first + 191 - e); // brings the two bits before the point to the top
    uint64_t w[WINDOW], p[WINDOW + 1];
    bits_of_two_over_pi(first, w);
    wide carry = 0;
    for (int i = WINDOW; i-- > 0;) {
        carry += (wide)m * w[i];
        p[i + 1] = (uint64_t)carry;
        carry >>= WORD;
    }
    p[0] = (uint64_t)carry;
    shift_left(p, WINDOW + 1, left);
    uint64_t quarter = p[0] >> (WORD - 2);
    shift_left(p, WINDOW + 1, 2);
    const bool over = p[0] >> (WORD - 1); // more than half a quarter: to the next one, and back
    quarter += over;
    for (int i = 0; over && i <= WINDOW; i++) {
        p[i] = ~p[i];
    }
    const int zeros =
        __builtin_clzll(p[0]); // p[0] > 0: no double is nearer than 2^-62 quarters to a multiple of pi/2
    const double weight = power_of_two(-zeros);
    shift_left(p, WINDOW + 1, zeros);
    // The first 53 bits, and the next 53, as fractions of a quarter; then times pi/2.
    const double hi = (double)(p[0] >> 11) * 0x1p-53,
                 lo = (double)((p[0] << 53 | p[1] >> 11) >> 11) * 0x1p-106;
    const elementary_pair right = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54},
                          high = product_of(hi, right.hi);
    const elementary_pair r = sum_of(high.hi, high.lo + (hi * right.lo + lo * right.hi));
    const double sign = over != (bits >> 63 != 0) ? -weight : weight;
    return (thud_turn){sign * r.hi, sign * r.lo, bits >> 63 ? -quarter : quarter};
}

static thud_turn turn_of(double x)
{
    const thud_turn t = thud_turn_of(x);
    return fabs(x) < NEAR && (fabs(t.r) > TINY_REST || fabs(x) < 0.5) ? t : turn_of_any(x);
}

// sin or cos of the rest, by the parity of the quarter; one polynomial, its coefficients chosen, so that no branch is mispredicted.
THUD_INSIDE double turned(thud_turn t)
{
    const int k = t.quarter & 1;
    const double r = t.r, z = r * r, half = 0.5 * z, w = 1 - half, p = thud_turn_horner(thud_turn_poly[k], z);
    const double first[2] = {r, w}, factor[2] = {r * z, z * z},
                 less[2] = {t.tail * w, 1 - w - half - r * t.tail};
    const double size = first[k] + (less[k] + factor[k] * p);
    return from_bits(bits_of(size) ^ (t.quarter & 2) << 62);
}

double thud_sin(double x)
{
    const double size = fabs(x);
    if (!(size > 0x1p-27)) {
        return x;
    }
    if (!(size < INFINITY)) {
        return x - x;
    }
    return turned(turn_of(x));
}

double thud_cos(double x)
{
    if (!(fabs(x) < INFINITY)) {
        return x - x;
    }
    thud_turn t = turn_of(x);
    t.quarter++;
    return turned(t);
}
