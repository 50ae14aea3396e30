// SPDX-License-Identifier: Apache-2.0
// lamps.h: the light of a picture: a sun whose shadows soften with their distance, and a sky, from many
// directions of which light comes unless something is in its way: corners are darker than open ground.
#pragma once

#include "crew.h"
#include "raster.h"

typedef struct shade { // linear light, 1 as much as there is
    double sun, sky;
} shade;

enum { LAMP_TAPS = 32, LAMP_SKIES = 64 };

typedef struct lamp { // light from one direction, and what it meets first
    view view;
    raster map;
    float *nearby; // the nearest of the map in and around each block of 16 x 16
    double texel;  // m
} lamp;

typedef struct
    sky_row { // one coordinate of a point, from the centre, on all maps of the sky: at . (point, 1)
    float at[4][LAMP_SKIES];
} sky_row;

typedef struct lamps {
    thud_vec3 centre;
    lamp sun, sky[LAMP_SKIES];
    sky_row x, y, near;
    outlines scratch[CREW_MAX];
    double tap[LAMP_TAPS][2]; // points spread evenly over a disc of radius 1
} lamps;

// The sun stands to the left of a viewer who looks along `forward`. False when memory ran out.
bool lamps_create(lamps *l, thud_vec3 forward);
void lamps_destroy(lamps *l);

// Lights these triangles, all within `radius` of `centre`: what is outside casts no shadow. False when memory
// ran out.
bool lamps_aim(lamps *l, const facets *solid, thud_vec3 centre, double radius);

// How much light reaches a point of a surface with this unit normal, the angle to it counted.
shade lamps_reach(const lamps *l, thud_vec3 point, thud_vec3 normal);

thud_vec3 lamps_sun(const lamps *l); // unit, towards it
