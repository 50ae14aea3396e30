// SPDX-License-Identifier: Apache-2.0
// polyhedron.h: from a list of polygons to a hull with its topology.
#pragma once

#include <thud/shape_hull.h>

typedef struct polygons { // faces as loops of point numbers, counter-clockwise seen from outside
    int faces, corners;
    int face_capacity, corner_capacity;
    int *start; // (faces) first corner of each; the last ends at `corners`
    int *corner;
} polygons;

bool polygon_begin(polygons *p);             // false: no memory
bool polygon_corner(polygons *p, int point); // appends to the last face
void polygons_clear(polygons *p);            // empties it, keeping its memory
void polygons_free(polygons *p);

// The unit normal of a loop of points, right also for one that is a little bent (Newell); zero without area.
thud_vec3 polygon_normal(const thud_vec3 *point, const int *corner, int size);

// Copies faces to out, cutting those that are not convex to `tolerance` into triangles; in is used up.
// THUD_BAD_MODEL when one cannot be cut.
thud_status polygons_make_convex(polygons *in, const thud_vec3 *point, double tolerance, polygons *out);

// Builds a hull from the polygons over these points. THUD_BAD_MODEL when they do not bound a polyhedron in
// which every edge has two faces, every vertex three edges, and no vertex lies deeper than `depth` below its
// faces.
thud_status polyhedron_build(const polygons *p, const thud_vec3 *point, int count, double depth,
                             thud_hull **out);
