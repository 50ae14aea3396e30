// SPDX-License-Identifier: Apache-2.0
// exponential.c: e^x, e^x - 1 and the hyperbolic functions.
//
//     e^x = 2^k 2^(i/128) e^r,   x = (k + i/128) log 2 + r,  |r| <= log(2)/256      [Tang 1989]
//
// e^r is a polynomial of degree 5, 2^(i/128) a table of two doubles each.
// Error    0.51 (exp), 0.6 (expm1), 0.8 (sinh, cosh) units in the last place
#include <math.h>

#include <thud/elementary.h>

#include "exponential.h"

static const double MOST = 709.79, LEAST = -745.14; // beyond: infinity, 0

double thud_exp(double x)
{
    if (!(x < MOST && x > LEAST)) {
        return x != x ? x : x > 0 ? INFINITY : 0;
    }
    elementary_pair e;
    const int k = exponential_of(x, 0, &e);
    return scale_by(e.hi + e.lo, k);
}

double thud_expm1(double x)
{
    const double size = fabs(x);
    if (size < 0.17) {
        if (size < 0x1p-54) {
            return x;
        }
        const double z = x * x, z2 = z * z, z4 = z2 * z2; // Taylor to x^13
        const double low = (1.0 / 6 + x * (1.0 / 24)) + z * (1.0 / 120 + x * (1.0 / 720));
        const double middle = (1.0 / 5040 + x * (1.0 / 40320)) + z * (1.0 / 362880 + x * (1.0 / 3628800));
        const double high = 1.0 / 39916800 + x * (1.0 / 479001600) + z * (1.0 / 6227020800);
        return x + (0.5 * z + x * z * (low + z2 * middle + z4 * high));
    }
    if (!(x < 60)) {
        return thud_exp(x);
    }
    if (x < -40) {
        return -1;
    }
    elementary_pair e;
    const double scale = power_of_two(exponential_of(x, 0, &e)), hi = scale * e.hi;
    const elementary_pair less = hi >= 1 ? sum_of(hi, -1) : sum_of(-1, hi);
    return less.hi + (less.lo + scale * e.lo);
}

// e^|x| / 2 for |x| < 22, and in *inverse e^-|x| / 2.
static elementary_pair half_exponential(double x, double *inverse)
{
    elementary_pair e;
    const double scale = 0.5 * power_of_two(exponential_of(fabs(x), 0, &e));
    e.hi *= scale;
    e.lo *= scale;
    *inverse = 0.25 / (e.hi + e.lo);
    return e;
}

static double
large_half_exponential(double size) // for size >= 22, where e^-size is below the last place, or NaN
{
    if (!(size < 711)) {
        return size + INFINITY;
    }
    elementary_pair e;
    const int k = exponential_of(size, 0, &e);
    return scale_by(e.hi + e.lo, k - 1);
}

double thud_cosh(double x)
{
    if (!(fabs(x) < 22)) {
        return large_half_exponential(fabs(x));
    }
    double inverse;
    const elementary_pair e = half_exponential(x, &inverse);
    return e.hi + (e.lo + inverse);
}

double thud_sinh(double x)
{
    const double size = fabs(x);
    if (size < 1) {
        const double z = x * x; // Taylor to x^21
        const double z2 = z * z, z4 = z2 * z2;
        const double low = (1.0 / 6 + z * (1.0 / 120)) + z2 * (1.0 / 5040 + z * (1.0 / 362880));
        const double middle = (1.0 / 39916800 + z * (1.0 / 6227020800)) +
                              z2 * (1.0 / 1307674368000 + z * (1.0 / 355687428096000));
        const double high = 1.0 / 121645100408832000 + z * (1.0 / 51090942171709440000.0);
        return size < 0x1p-27 ? x : x + x * z * (low + z4 * (middle + z4 * high));
    }
    if (!(size < 22)) {
        return copysign(large_half_exponential(size), x);
    }
    double inverse;
    const elementary_pair e = half_exponential(x, &inverse);
    return copysign(e.hi + (e.lo - inverse), x);
}
