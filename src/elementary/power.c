// SPDX-License-Identifier: Apache-2.0
// power.c: x^y = e^(y log x), the logarithm and its product with y to twice the precision, where |y log x| reaches 745.
//
// Error    0.6 units in the last place
#include <math.h>

#include <thud/elementary.h>

#include "exponential.h"

typedef enum parity { FRACTION, EVEN, ODD } parity;

static parity parity_of(double y)
{
    const double size = fabs(y);
    if (size >= 0x1p53) { // infinity too
        return EVEN;
    }
    if (size != floor(size)) {
        return FRACTION;
    }
    return (int64_t)size & 1 ? ODD : EVEN;
}

// Where x or y is 0 or infinite, or not a number.
static double power_of_special(double x, double y)
{
    if (x == 1 || y == 0) {
        return 1;
    }
    if (x != x || y != y) {
        return x + y;
    }
    const double size = fabs(x);
    if (isinf(y)) {
        return size == 1 ? 1 : (size > 1) == (y > 0) ? INFINITY : 0;
    }
    const double out = (size > 1) == (y > 0) ? INFINITY : 0; // of x = 0 or infinite
    return signbit(x) && parity_of(y) == ODD ? -out : out;
}

double thud_pow(double x, double y)
{
    const double size = fabs(x);
    if (!(size > 0 && size < INFINITY && y != 0 && fabs(y) < INFINITY) || x == 1) {
        return power_of_special(x, y);
    }
    double sign = 1;
    if (x < 0) {
        const parity of = parity_of(y);
        if (of == FRACTION) {
            return (x - x) / (x - x);
        }
        sign = of == ODD ? -1 : 1;
    }
    if (size == 1) {
        return sign;
    }
    if (fabs(y) < 0x1p-70) {
        return sign;
    }
    const elementary_pair log = logarithm_of(size);
    const double about = y * log.hi;
    if (!(about < 710 && about > -746)) { // beyond all doubles; y may be too large for products below
        return sign * (about > 0 ? INFINITY : 0);
    }
    const elementary_pair high = product_of(y, log.hi);
    elementary_pair e;
    const int k = exponential_of(high.hi, high.lo + y * log.lo, &e);
    return scale_by(sign * (e.hi + e.lo), k);
}
