// SPDX-License-Identifier: Apache-2.0
// quick.h: triangles in bodies' frames to the samples of a picture, in a few nanoseconds each.
#pragma once

#include "raster.h"

typedef struct quick_part { // triangles that move together
    const facet *at;
    const thud_vec3 *flat; // NULL: both sides are seen; else the normals of their planes, outwards
    int count, first;      // first: number of the first of them, for `facet`
    thud_pose X;           // in the world
} quick_part;

typedef struct quick_raster {
    int wide, high; // samples
    float *near;    // 1 / distance along the axis; 0: nothing
    int *facet;     // -1: none
} quick_raster;

bool quick_create(quick_raster *r, int wide, int high); // false when memory ran out
void quick_destroy(quick_raster *r);
void quick_clear(quick_raster *r);
// v: in perspective, its samples those of r.
void quick_draw(quick_raster *r, const view *v, const quick_part *part);
