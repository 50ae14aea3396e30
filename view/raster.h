// SPDX-License-Identifier: Apache-2.0
// raster.h: triangles to samples. A view sees triangles of the world; a raster keeps, for each of its samples,
// how near the nearest of them is and which one that is. What a sample's colour is, is not known here.
//
//     outlines seen = {0};
//     outlines_add(&seen, &view, &facet, 7, SAMPLES_ALL);        for every triangle
//     raster_clear(&r);
//     raster_draw(&r, &seen);                                    r.facet[...] is now 7, or -1
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <thud/spatial.h>

enum { SAMPLES = 4 };          // of a pixel, along each axis
enum { SAMPLES_ALL = 0xffff }; // a bit for each; what is half transparent covers half of them

typedef struct view {
    thud_vec3 eye, right, up, forward; // unit vectors; forward is away from the viewer
    double scale;   // samples of a metre: at a distance of a metre, or at any where straight
    bool straight;  // parallel rays, as the sun's; otherwise in perspective
    int wide, high; // samples; the axis of the view is in the middle
} view;

typedef struct facet {    // a triangle of the world
    thud_vec3 p[3], n[3]; // corners, and the unit normals there
    int surface;          // what it is part of
} facet;

typedef struct facets {
    facet *at;
    int count, capacity;
    bool failed; // memory ran out, and some are missing
} facets;

void facets_push(facets *f, const facet *one);
void facets_free(facets *f);

typedef struct outline { // a triangle on the samples
    int32_t x[3], y[3];  // in 256ths of a sample
    double near[3];      // larger is nearer: 1 / distance, or -distance where the view is straight
    int facet;
    unsigned samples; // of each pixel that it may cover
} outline;

typedef struct outlines {
    outline *at;
    int count, capacity;
    bool failed;
} outlines;

// Adds what a view sees of a triangle, cut at its edges: nothing, or up to six triangles.
void outlines_add(outlines *o, const view *v, const facet *f, int number, unsigned samples);
void outlines_free(outlines *o);

typedef struct raster {
    int wide, high, top; // samples; its first row is the view's row `top`
    float *near;
    int *facet; // -1: none; NULL: not kept
} raster;

bool raster_create(raster *r, int wide, int high, bool keeps_facets); // false when memory ran out
void raster_destroy(raster *r);
void raster_clear(raster *r);
void raster_draw(raster *r, const outlines *o);
