// SPDX-License-Identifier: Apache-2.0
// quickhull.h: the convex hull of points as polygons.
#pragma once

#include "polyhedron.h"

typedef struct triangles { // of a hull, counter-clockwise seen from outside
    int count;
    int (*corner)[3];
    int (*next)[3]; // the triangle across the edge corner[k] to corner[k + 1]
} triangles;

// The hull of the points, whose coordinates are in [-1.01, 1.01]. max_vertices as in thud_hull_options. A point that is
// no more than `ignored` outside the hull of the points before it may stay outside; 0: none does.
// BAD_MODEL when they do not span space. triangles_free frees what is in out, whatever the status.
thud_status quickhull(const thud_vec3 *point, int count, int max_vertices, double ignored, triangles *out);
void triangles_free(triangles *t);

// Appends the triangles to `out` as polygons: those that lie in one plane to the tolerance (0: none) are one.
thud_status triangles_merge(const triangles *t, const thud_vec3 *point, int count, double tolerance,
                            polygons *out);
