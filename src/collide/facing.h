// SPDX-License-Identifier: Apache-2.0
// facing.h: the polygons that two shapes turn to each other, laid flat.
//
// Symbols  duo.h; (t1, t2, n) a right-handed frame, in which polygons have the coordinates x, y and the
// height z.
#pragma once

#include "duo.h"

enum {
    FACING_SIDES = 256, // corners of a face that are looked at; of more, every second, third, ...
    FACING_RIM = 16     // points of a cylinder's rim
};

typedef struct facing {
    int count;
    double x[FACING_SIDES], y[FACING_SIDES], z[FACING_SIDES];
    uint32_t vertex[FACING_SIDES], edge[FACING_SIDES]; // features; edge[i] leads from i to i + 1
    uint32_t face;
    double orientation; // 1: counter-clockwise seen against n, -1: clockwise
    double gx, gy;      // the plane's slope: z = z[0] + gx (x - x[0]) + gy (y - y[0])
    bool steep;         // the plane all but holds n: it has no heights
} facing;

typedef struct frame {
    vec3 t1, t2, n;
} frame;

frame frame_about(vec3 n);

// The polygon of side 0 (A) or 1 (B) for the direction of f.
void facing_of(const duo *d, const facet *f, const frame *w, int side, facing *out);
