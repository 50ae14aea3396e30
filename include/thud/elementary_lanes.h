// SPDX-License-Identifier: Apache-2.0
// thud/elementary_lanes.h: sine and cosine for kernels, inlined. Not included by thud/thud.h.
//
//     x = k pi/2 + r,  |r| <= pi/4:   sin x and cos x are +-sin r and +-cos r, changing places where k is odd
//
// r is taken in three steps, pi/2 being 33 bits, 33 bits and the rest [Cody & Waite 1980], and what they round is kept. The
// polynomials have fdlibm's coefficients [Sun 1993]. Nothing branches: a compiler does four or eight lanes at a time.
// Range    |x| <= THUD_LANES_FAR. Error below one unit in the last place unless |r| < 2^-40, where thud_sin takes more bits of pi
// Cost     about 40 flops
#pragma once

#include <stdint.h>
#include <string.h>

#include <thud/base.h>

#define THUD_LANES_FAR 1e5 // rad

typedef struct thud_turn {
    double r, tail;   // the rest r + tail to twice the bits
    uint64_t quarter; // k modulo 2^52 in its last bits
} thud_turn;

THUD_INSIDE thud_turn thud_turn_of(double x)
{
    const double ROUND = 0x1.8p52; // added to a number, leaves the nearest integer in its last bits
    const double shifted = x * 0.63661977236758134308 + ROUND, k = shifted - ROUND;
    const double a = x - k * 1.57079632673412561417e+00, b = k * 6.07710050630396597660e-11, near = a - b;
    const double less = k * 2.02226624879595063154e-21 - (a - near - b), r = near - less;
    thud_turn t = {r, near - r - less, 0};
    memcpy(&t.quarter, &shifted, sizeof shifted);
    return t;
}

// (sin r - r) / r^3 and (cos r - 1 + r^2/2) / r^4 in powers of r^2, |r| <= pi/4.
static const double thud_turn_poly[2][6] = {
    {-1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04,
     2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10},
    {4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,
     -2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11}};

THUD_INSIDE double thud_turn_horner(const double c[6], double z)
{
    return c[0] + z * (c[1] + z * (c[2] + z * (c[3] + z * (c[4] + z * c[5]))));
}

THUD_INSIDE void thud_sincos_near(double x, double *sine, double *cosine)
{
    const thud_turn t = thud_turn_of(x);
    const double r = t.r, z = r * r, half = 0.5 * z, w = 1 - half;
    const double s = r + (t.tail * w + r * z * thud_turn_horner(thud_turn_poly[0], z));
    const double c = w + (1 - w - half - r * t.tail + z * z * thud_turn_horner(thud_turn_poly[1], z));
    const double across = t.quarter & 1 ? c : s, along = t.quarter & 1 ? s : c;
    *sine = t.quarter & 2 ? -across : across;
    *cosine = (t.quarter + 1) & 2 ? -along : along;
}
