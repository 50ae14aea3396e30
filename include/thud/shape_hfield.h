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

#include <thud/base_files.h>
#include <thud/spatial.h>

#ifdef __cplusplus
extern "C" {
#endif

#define THUD_HFIELD_MAX_POINTS 100000000 // rows x cols; more is an error

typedef struct thud_hfield {
    int rows, cols;            // at least 2 each
    double radius_x, radius_y; // m, > 0
    double base;               // m, >= 0
    double lowest, highest;    // m, of all heights
    const double *height;      // (rows x cols), row-major, m
    uint64_t hash;             // of the heights, for models
} thud_hfield;

typedef struct thud_hfield_cells { // the cells from (row_lo, col_lo) up to, not including, (row_hi, col_hi)
    int row_lo, row_hi, col_lo, col_hi;
} thud_hfield_cells;

// Makes a height field as MJCF's hfield says it. size is (radius x, radius y, elevation z, base z), m.
// elevation is (rows x cols), first row at the smallest y, or NULL for flat; it is brought to 0..1 by its
// least and greatest value (all 0 when they are equal) and multiplied by elevation z. Copied.
THUD_API THUD_MUST_USE thud_status thud_hfield_create(int rows, int cols, const double size[4],
                                                      const double *elevation, thud_hfield **out,
                                                      thud_diag *diag);

// Reads MuJoCo's binary height field: int32 rows, int32 cols, float32 elevation[rows][cols], little-endian.
// Or a PNG image [thud/shape_image.h], whose red is the elevation, the lowest row of pixels at the smallest y. thud_hfield_open takes the file from files (thud/base_files.h; NULL:
// the file system), thud_hfield_parse from memory; there name may be NULL.
THUD_API THUD_MUST_USE thud_status thud_hfield_read(const char *path, const double size[4], thud_hfield **out,
                                                    thud_diag *diag);
THUD_API THUD_MUST_USE thud_status thud_hfield_open(const thud_files *files, const char *name,
                                                    const double size[4], thud_hfield **out, thud_diag *diag);
THUD_API THUD_MUST_USE thud_status thud_hfield_parse(const void *bytes, size_t length, const double size[4],
                                                     const char *name, thud_hfield **out, thud_diag *diag);
THUD_API void thud_hfield_destroy(thud_hfield *field); // NULL is allowed

// The height of the surface above (x, y), and its upward unit normal (normal may be NULL). False, and nothing
// written, beside the grid. O(1).
THUD_API bool thud_hfield_sample(const thud_hfield *field, double x, double y, double *height,
                                 thud_vec3 *normal);

// The three corners of triangle `half` (0 or 1) of cell (row, col), counter-clockwise seen from above.
THUD_API void thud_hfield_triangle(const thud_hfield *field, int row, int col, int half, thud_vec3 corner[3]);

// The solid below that triangle, a convex prism: its corners 0..2, and below them corners 3..5 at z = -base
// (on the ground itself where that is lower).
THUD_API void thud_hfield_prism(const thud_hfield *field, int row, int col, int half, thud_vec3 corner[6]);

// The cells whose rectangle meets the box lo..hi (in the field's frame); none when it is beside the grid or
// above the highest point. O(1).
THUD_API thud_hfield_cells thud_hfield_overlap(const thud_hfield *field, thud_vec3 lo, thud_vec3 hi);

#ifdef __cplusplus
}
#endif
