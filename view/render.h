// SPDX-License-Identifier: Apache-2.0
// render.h: moments of a run as pictures, drawn by the processor alone: no browser, no graphics card. The same
// run gives the same bytes.
//
//     renderer r;
//     if (renderer_create(&r, model, replay, &look, 0, 1) && renderer_draw(&r, 0.5)) { ... r.picture ... }
//     renderer_destroy(&r);
#pragma once

#include "lamps.h"
#include "solids.h"

typedef struct image {
    int wide, high;
    unsigned char *rgb; // row by row from the top, sRGB
} image;

typedef struct look { // what pictures show, and from where; zero: as seems best
    int wide, high;   // pixels
    bool turned;      // azimuth and elevation are given, rad
    double azimuth;   // where the camera stands: 0 on the x axis, a quarter turn on the y axis
    double elevation; // above the horizon
    double zoom;      // 2: half as far
    bool forces;      // contact points and force arrows, green where a contact sticks, orange where it slides
    bool cones;       // friction cones
} look;

typedef enum surface_kind {
    SURFACE_SOLID,
    SURFACE_GROUND, // with a grid, and lost in the distance
    SURFACE_GLOW    // not lit: arrows
} surface_kind;

typedef struct surface {
    surface_kind kind;
    double rgb[3];    // linear
    unsigned samples; // of each pixel that it covers; fewer than all: half transparent
    thud_pose X;      // GROUND: its frame
} surface;

typedef struct renderer {
    const replay *replay;
    look look;
    solids solids;
    facets local;     // all geoms, in their bodies' frames
    facets world;     // scratch: those at a moment, then the ground and what is drawn over them
    outlines seen;    // scratch
    surface *surface; // of the geoms, then of the ground and of forces
    int surfaces, grounds;
    thud_pose *X_wb; // scratch
    lamps lamps;
    view view;
    thud_aabb bounds; // of what is looked at
    double size;      // m, of that
    double newtons;   // whose arrow is as long as `reach`
    double reach;     // m
    image picture;
} renderer;

// Looks at everything that moves between two times. False when memory ran out. Destroy it also then.
bool renderer_create(renderer *r, const thud_model *m, const replay *run, const look *l, double from,
                     double to);
bool renderer_draw(renderer *r, double time); // into r->picture; false when memory ran out
void renderer_destroy(renderer *r);
