// SPDX-License-Identifier: Apache-2.0
// thud/shape_hfield.h: height fields, the ground as a grid of elevations.
//
// The grid spans [-radius_x, radius_x] x [-radius_y, radius_y] of the shape's frame; columns run along +x,
// rows along +y, so that grid point (r, c) is at x = -radius_x + 2 radius_x c / (cols - 1). Heights are
// metres above the frame's origin; the solid reaches down to z = -base. Each cell is cut into two triangles
// by the diagonal from its lower left (r, c) to its upper right corner (r + 1, c + 1):
//
//      (r+1,c) +-----+ (r+1,c+1)        triangle 0: (r,c) (r,c+1) (r+1,c+1)     below the diagonal
//              | 1 / |                  triangle 1: (r,c) (r+1,c+1) (r+1,c)     above it
//              | / 0 |
//        (r,c) +-----+ (r,c+1)          both counter-clockwise seen from above
#pragma once

#include <thud/spatial.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct thud_hfield {
    int rows, cols;            // at least 2 each
    double radius_x, radius_y; // m, > 0
    double base;               // m, >= 0
    double lowest, highest;    // m, of all heights
    const double *height;      // (rows x cols), row-major, m
} thud_hfield;

#ifdef __cplusplus
}
#endif
