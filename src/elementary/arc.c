// SPDX-License-Identifier: Apache-2.0
// arc.c: inverse sine and cosine, and the angle of a point.
//
//     atan(y/x) = atan c + atan t,   t = (y - c x) / (x + c y),   c = i/16 nearest to y/x <= 1:  |t| <= 1/32
//     asin x = x + x^3 P(x^2)  for |x| <= 1/2,      asin x = pi/2 - 2 asin s,  s = sqrt((1 - x)/2)  above
//
// A steeper angle is pi/2 less that of (y, x). Below y/x = 5/32 the quotient is taken to twice its bits instead. The polynomials are interpolants at Chebyshev's nodes
// (tools/make_elementary.py).
// Error    0.9 units in the last place
#include <math.h>

#include <thud/elementary.h>

#include "pair.h"

static const elementary_pair HALF_TURN = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53},
                             RIGHT = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

THUD_INSIDE double atan_rest(double x) // atan x - x for |x| < 0.157
{
    const double *c = elementary_atan_poly, z = x * x, z2 = z * z, z4 = z2 * z2;
    const double low = (c[0] + z * c[1]) + z2 * (c[2] + z * c[3]);
    const double high = (c[4] + z * c[5]) + z2 * (c[6] + z * c[7]) + z4 * c[8];
    return x * z * (low + z4 * high);
}

THUD_INSIDE elementary_pair difference_from(elementary_pair a, elementary_pair b) // a - b for a.hi >= b.hi
{
    const elementary_pair s = sum_of(a.hi, -b.hi);
    return (elementary_pair){s.hi, s.lo + (a.lo - b.lo)};
}

// The angle of (x, y), x and y positive, their products and quotients away from overflow and underflow.
THUD_INSIDE elementary_pair angle_of(double x, double y)
{
    const int steep = y > x;
    const double few = steep ? x : y, many = steep ? y : x, q = few / many, sign = steep ? -1 : 1;
    const elementary_pair *at = elementary_atan_table + 17 * steep;
    if (q < 0.15625) {
        if (steep) {
            return (elementary_pair){at->hi, at->lo - (q + atan_rest(q))};
        }
        const elementary_pair back = product_of(q, many); // q with what its division rounded
        return (elementary_pair){q, atan_rest(q) + (few - back.hi - back.lo) / many};
    }
    const int i = (int)(q * 16 + 0.5);
    const double c = i * 0.0625, high = leading_half(many), low = many - high;
    const double t = (few - c * high - c * low) / (many + c * few);
    return (elementary_pair){at[i].hi, at[i].lo + sign * (t + atan_rest(t))};
}

double thud_atan2(double y, double x)
{
    if (x != x || y != y) {
        return x + y;
    }
    const bool back = signbit(x);
    double ax = fabs(x), ay = fabs(y);
    if (ax == INFINITY && ay == INFINITY) {
        ax = ay = 1;
    }
    elementary_pair a = {0, 0};
    if (ay == 0 || ay < ax * 0x1p-60) { // on the axis of x, or as good as on it
        if (!back) {
            return ay == 0 || ax == INFINITY ? copysign(0, y) : y / ax;
        }
    } else if (ax < ay * 0x1p-60) {
        a = RIGHT;
    } else {
        if (ax > 0x1p500 || ay > 0x1p500) {
            ax *= 0x1p-600;
            ay *= 0x1p-600;
        } else if (ax < 0x1p-400 || ay < 0x1p-400) {
            ax *= 0x1p600;
            ay *= 0x1p600;
        }
        a = angle_of(ax, ay);
    }
    a = back ? difference_from(HALF_TURN, a) : a;
    return copysign(a.hi + a.lo, y);
}

THUD_INSIDE double asin_rest(double x, double z) // asin x - x, z = x^2 <= 1/4
{
    const double *c = elementary_asin_poly, z2 = z * z, z4 = z2 * z2;
    const double low = (c[0] + z * c[1]) + z2 * (c[2] + z * c[3]);
    const double middle = (c[4] + z * c[5]) + z2 * (c[6] + z * c[7]);
    const double high = (c[8] + z * c[9]) + z2 * (c[10] + z * c[11]) + z4 * c[12];
    return x * z * (low + z4 * (middle + z4 * high));
}

// asin of s = sqrt(z) <= 1/2, z exact.
THUD_INSIDE elementary_pair asin_of_root(double z)
{
    const double s = sqrt(z), sh = leading_half(s);
    const double missing = s > 0 ? (z - sh * sh) / (s + sh) : 0; // of sh to the root
    return (elementary_pair){sh, missing + asin_rest(s, z)};
}

double thud_asin(double x)
{
    const double size = fabs(x);
    if (size <= 0.5) {
        return size < 0x1p-27 ? x : x + asin_rest(x, x * x);
    }
    if (!(size <= 1)) {
        return (x - x) / (x - x);
    }
    const elementary_pair half = asin_of_root((1 - size) * 0.5);
    const elementary_pair a = difference_from(RIGHT, (elementary_pair){2 * half.hi, 2 * half.lo});
    return copysign(a.hi + a.lo, x);
}

double thud_acos(double x)
{
    const double size = fabs(x);
    if (size <= 0.5) {
        const elementary_pair a = sum_of(RIGHT.hi, -x);
        return a.hi + (a.lo + (RIGHT.lo - asin_rest(x, x * x)));
    }
    if (!(size <= 1)) {
        return (x - x) / (x - x);
    }
    const elementary_pair half = asin_of_root((1 - size) * 0.5);
    elementary_pair a = {2 * half.hi, 2 * half.lo};
    a = x < 0 ? difference_from(HALF_TURN, a) : a;
    return a.hi + a.lo;
}
