// SPDX-License-Identifier: Apache-2.0
// sines.h: sines and cosines of many angles at once, in lanes. Private to the room.
//
//     x = k pi/2 + r,  |r| <= pi/4:   sin x and cos x are +-sin r and +-cos r, changing places where k is odd
//
// r is taken in three steps, pi/2 being 33 bits, 33 bits and the rest, and what they round is kept (k below 2^20); the
// polynomials are fdlibm's [Sun 1993]. Nothing branches, so that a compiler does four or eight at a time; every lane, and every
// machine, has the same bits.
// Cost     about 40 flops. Error less than one unit in the last place; of angles beyond FAR, which no joint turns by, the library's.
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "kernel.h"

THUD_INSIDE void sine_and_cosine(double x, double *sine, double *cosine)
{
    const double ROUND = 0x1.8p52; // added to a number, leaves the nearest integer in its last bits
    const double shifted = x * 0.63661977236758134308 + ROUND, k = shifted - ROUND;
    int64_t quadrant;
    memcpy(&quadrant, &shifted, sizeof quadrant);
    const double a = x - k * 1.57079632673412561417e+00, b = k * 6.07710050630396597660e-11, near = a - b;
    const double less = k * 2.02226624879595063154e-21 - (a - near - b), r = near - less;
    const double tail = near - r - less; // r + tail is the rest to twice the bits
    const double z = r * r, half = 0.5 * z, w = 1 - half;
    const double s =
        r + (tail * w +
             r * z *
                 (-1.66666666666666324348e-01 +
                  z * (8.33333333332248946124e-03 +
                       z * (-1.98412698298579493134e-04 +
                            z * (2.75573137070700676789e-06 +
                                 z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10))))));
    const double rest =
        z * z *
        (4.16666666666666019037e-02 +
         z * (-1.38888888888741095749e-03 +
              z * (2.48015872894767294178e-05 +
                   z * (-2.75573143513906633035e-07 +
                        z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
    const double c = w + ((1 - w - half) + (rest - r * tail));
    const double across = quadrant & 1 ? c : s, along = quadrant & 1 ? s : c;
    *sine = quadrant & 2 ? -across : across;
    *cosine = (quadrant + 1) & 2 ? -along : along;
}

enum { RUN = 32 }; // links whose angles are looked up together

typedef struct turns { // of a run
    double angle[RUN], sine[RUN], cosine[RUN];
    bool far; // some are beyond FAR
} turns;

static const double FAR = 1e5; // rad

// Of the first count angles.
THUD_INSIDE void find_sines(int count, turns *t)
{
    for (int i = count; i % 4 != 0; i++) {
        t->angle[i] = 0;
    }
    for (int i = 0; i < count; i += 4) {
        for (int k = i; k < i + 4; k++) {
            sine_and_cosine(t->angle[k], &t->sine[k], &t->cosine[k]);
        }
    }
    for (int i = 0; t->far && i < count; i++) {
        if (!(fabs(t->angle[i]) < FAR)) {
            t->sine[i] = sin(t->angle[i]);
            t->cosine[i] = cos(t->angle[i]);
        }
    }
}
