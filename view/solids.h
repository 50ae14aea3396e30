// SPDX-License-Identifier: Apache-2.0
// solids.h: the geoms of a model as they are drawn, by a page or by our own renderer: primitives by their
// sizes, the rest as triangles.
#pragma once

#include "json.h"
#include "replay.h"

typedef struct solid { // a geom
    thud_shape_kind kind;
    int body, group;
    bool fixed;     // to the world
    int mesh;       // it is drawn as, or -1
    thud_pose pose; // in its body's frame; of what is fixed, in the world's
    double size[3]; // of a plane, MJCF's half lengths: 0 without end
    double rgba[4];
    double radius; // m, of a sphere about its origin that holds it; 0: not known
} solid;

typedef struct solid_mesh {
    int vertices, triangles;
    size_t first;  // of its numbers: the vertices, then the corners of the triangles as indices
    thud_aabb box; // around the vertices
} solid_mesh;

typedef struct solids {
    int geoms, meshes;
    bool dull;    // nobody chose a colour
    bool visuals; // there are geoms to look at beside those for collision
    solid *geom;
    solid_mesh *mesh;
    floats numbers; // of all meshes, in their order
} solids;

// Meshes are drawn as they are in their files; their hulls stand in for files that cannot be read or are too
// large. False when memory ran out.
bool solids_create(solids *to, const thud_model *m);
void solids_destroy(solids *s);

// The colour (sRGB, 0 to 1) that a geom is drawn in, and whether it is drawn; planes are drawn as ground.
void solids_colour(const solids *s, int geom, double rgb[3]);
bool solids_shown(const solids *s, int geom);

// The box around a geom that is at X in the world; a plane's is empty.
thud_aabb solids_bounds(const solids *s, int geom, thud_pose X);

void solids_write(json *j, const solids *s); // "geoms" and "meshes", without the numbers
