// SPDX-License-Identifier: Apache-2.0
// hypot.c: sqrt(x^2 + y^2): the rounded root h, and one step of Newton with the residual h^2 - x^2 - y^2 to twice the precision
// [Borges 2020].
//
// Error    0.51 units in the last place
#include <math.h>

#include <thud/elementary.h>

#include "pair.h"

THUD_INSIDE double square_rest(double x, double half) // x^2 - half^2
{
    return (x + half) * (x - half);
}

double thud_hypot(double x, double y)
{
    const double ax = fabs(x), ay = fabs(y);
    double a = ax > ay ? ax : ay, b = ax > ay ? ay : ax, scale = 1;
    if (!(a < 0x1p500 && b > 0x1p-450)) {
        if (ax == INFINITY || ay == INFINITY) {
            return INFINITY;
        }
        if (x != x || y != y) {
            return x + y;
        }
        if (b == 0) {
            return a;
        }
        scale = a >= 0x1p500 ? 0x1p600 : a < 0x1p-400 ? 0x1p-600 : 1;
        a *= 1 / scale;
        b *= 1 / scale;
    }
    if (b <= a * 0x1p-30) { // b^2 / 2a is less than a quarter of a's last place
        return scale * a;
    }
    const double h = sqrt(a * a + b * b);
    const double hh = leading_half(h), ah = leading_half(a), bh = leading_half(b);
    const double over =
        hh * hh - ah * ah - bh * bh + (square_rest(h, hh) - square_rest(a, ah) - square_rest(b, bh));
    return scale * (h - over / (2 * h));
}
