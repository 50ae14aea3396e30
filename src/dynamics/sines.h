// SPDX-License-Identifier: Apache-2.0
// sines.h: sines and cosines of many angles at once, in lanes. Private to the room.
//
// Angles up to THUD_LANES_FAR take the kernel of elementary_lanes.h, four at a time; others thud_sin and thud_cos. Every lane, and
// every machine, has the same bits.
#pragma once

#include <math.h>

#include <thud/elementary.h>
#include <thud/elementary_lanes.h>

#include "kernel.h"

enum { RUN = 32 }; // links whose angles are looked up together

typedef struct turns { // of a run
    double angle[RUN], sine[RUN], cosine[RUN];
    bool far; // some are beyond THUD_LANES_FAR
} turns;

// Of the first count angles.
THUD_INSIDE void find_sines(int count, turns *t)
{
    for (int i = count; i % 4 != 0; i++) {
        t->angle[i] = 0;
    }
    for (int i = 0; i < count; i += 4) {
        for (int k = i; k < i + 4; k++) {
            thud_sincos_near(t->angle[k], &t->sine[k], &t->cosine[k]);
        }
    }
    for (int i = 0; t->far && i < count; i++) {
        if (!(fabs(t->angle[i]) <= THUD_LANES_FAR)) {
            t->sine[i] = thud_sin(t->angle[i]);
            t->cosine[i] = thud_cos(t->angle[i]);
        }
    }
}
