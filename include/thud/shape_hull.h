// SPDX-License-Identifier: Apache-2.0
// thud/shape_hull.h: convex polyhedra with their full topology, for witnesses, clipping and hill climbing.
//
// Arrays are in compressed rows: the items of row i are those from start[i] up to, not including, start[i+1].
// Coplanar triangles are merged, so a face is a convex polygon. A hull is one block of memory, const after
// creation and free of addresses that matter: two hulls of the same points are the same numbers.
#pragma once

#include <thud/spatial.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct thud_plane { // the points x with normal . x = offset; inside is normal . x <= offset
    thud_vec3 normal;       // unit, outward
    double offset;          // m
} thud_plane;

typedef struct thud_edge {
    int vertex[2]; // the lower index first; edges are in ascending order of these
    int face[2];   // the loop of face[0] runs from vertex[0] to vertex[1], that of face[1] the other way
} thud_edge;

typedef struct thud_hull {
    int vertices, edges, faces; // vertices - edges + faces = 2
    const thud_vec3 *vertex;    // (vertices)
    const thud_edge *edge;      // (edges)
    const thud_plane *face;     // (faces)
    const int *face_start;      // (faces + 1) rows of the next two
    const int *face_vertex;     // (2 edges) the polygon, counter-clockwise seen from outside
    const int *face_edge;       // (2 edges) face_edge[k] leads from face_vertex[k] to the next of its face
    const int *near_start;      // (vertices + 1) rows of the next two
    const int *near;            // (2 edges) the vertices that share an edge with this one, ascending
    const int *near_edge;       // (2 edges) near_edge[k] is the edge between this vertex and near[k]
    double thickness;           // m; how far a vertex may lie below the plane of its own face; none is above
    double thickened;           // m; how much a flat set of points was thickened to make a solid; else 0
    double radius;              // m; of the sphere about the origin through the farthest vertex
    thud_vec3 centre;           // m; the mean of the vertices: a point well inside
    thud_vec3 middle, half;     // m; centre and half lengths of the box along its axes that it fills
    uint64_t hash;              // of its vertices, for models; 0: of a box in place
} thud_hull;

typedef struct thud_hull_box { // a box's hull, in place: vertices and planes here, topology static
    thud_hull hull;
    thud_vec3 vertex[8];
    thud_plane face[6];
} thud_hull_box;

typedef struct thud_hull_options {
    int max_vertices; // stop after this many, the most protruding first (MJCF's maxhullvert); -1: no limit
    double tolerance; // of half the largest extent: triangles flatter than this are one face; at least 1e-11
} thud_hull_options;

// max_vertices -1; tolerance 4e-7, the noise of coordinates that were stored in single precision.
THUD_API thud_hull_options thud_hull_defaults(void);

// Makes the convex hull of points, in any order and with repetitions; options NULL: the defaults. Points that
// lie in one plane (to 1e-6 of their size) become a slab, 1e-4 of their size thick: see hull->thickened.
// Points on one line are an error. O(points log vertices).
THUD_API THUD_MUST_USE thud_status thud_hull_create(const thud_vec3 *point, int count,
                                                    const thud_hull_options *options, thud_hull **out,
                                                    thud_diag *diag);
THUD_API void thud_hull_destroy(thud_hull *hull); // NULL is allowed

// Copies a hull into the frame X: each vertex v becomes X^-1 v. The topology stays. One allocation.
THUD_API THUD_MUST_USE thud_status thud_hull_recentre(const thud_hull *hull, thud_pose X, thud_hull **out);

// The hull of the box with half lengths 1: all boxes have its topology and its normals.
THUD_API extern const thud_hull thud_hull_unit_box;

// Writes the hull of a box with these half lengths. Vertex i has x > 0 if i & 1, y > 0 if i & 2, z > 0 if
// i & 4; faces are -x, +x, -y, +y, -z, +z. out->hull points into out: it must not be copied. O(1).
THUD_API void thud_hull_of_box(const double half[3], thud_hull_box *out);

// The index of the vertex farthest along dir, ties to the lowest index; hint as in thud_shape_support.
THUD_API int thud_hull_support(const thud_hull *hull, thud_vec3 dir, int hint);

// The number of vertices, and of edges, of face f.
static inline int thud_hull_face_size(const thud_hull *hull, int f)
{
    return hull->face_start[f + 1] - hull->face_start[f];
}

#ifdef __cplusplus
}
#endif
