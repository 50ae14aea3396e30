// SPDX-License-Identifier: Apache-2.0
// thud/shape_mesh.h: triangle meshes, read from files, from which hulls and inertias are made.
//
// A mesh never collides itself: its convex hull does. Triangles are counter-clockwise seen from outside.
// The life of a mesh is read -> transform -> hull -> weigh -> recentre:
//
//     thud_mesh_read("part.stl", &mesh, &diag);
//     thud_mesh_transform(mesh, refpos, refquat, scale);             // to metres, mirrored or not
//     thud_hull_create(mesh->vertex, mesh->vertices, NULL, &hull, &diag);
//     thud_mesh_weigh(mesh, THUD_MESH_INERTIA_EXACT, hull, &mass, &diag);
//     thud_mesh_recentre(mesh, mass.X);                              // as MuJoCo places its meshes
#pragma once

#include <thud/base_files.h>
#include <thud/shape.h>
#include <thud/spatial.h>

#ifdef __cplusplus
extern "C" {
#endif

#define THUD_MESH_MAX_COUNT 10000000 // vertices or triangles of one mesh; more is an error

typedef struct thud_mesh {
    int vertices, triangles;
    thud_vec3 *vertex; // (vertices) m; no two are equal
    int *triangle;     // (3 x triangles) indices; NULL and 0 triangles: only points, meant as their hull
} thud_mesh;

typedef enum thud_mesh_format {
    THUD_MESH_STL, // binary or ASCII, told apart by their content
    THUD_MESH_OBJ, // v and f; polygons are cut into fans, quadrilaterals along the shorter diagonal
    THUD_MESH_MSH  // MuJoCo's binary format
} thud_mesh_format;

// Which mass a mesh stands for; the words of MJCF's mesh inertia.
typedef enum thud_mesh_inertia {
    THUD_MESH_INERTIA_LEGACY, // cones to the surface's centroid, all positive: too much if not convex
    THUD_MESH_INERTIA_EXACT,  // the enclosed volume; the mesh must be closed and oriented
    THUD_MESH_INERTIA_CONVEX, // that of the hull
    THUD_MESH_INERTIA_SHELL   // mass spread evenly over the surface
} thud_mesh_inertia;

typedef struct thud_mesh_mass {
    double measure;       // volume, m^3; of a shell the area, m^2
    thud_inertia inertia; // in the mesh's frame, for density 1 (kg/m^3; of a shell kg/m^2)
    thud_pose X;          // centre and principal axes in the mesh's frame
    double moment[3];     // principal moments along the axes of X, descending, for density 1
    int open_edges;       // EXACT only: edges without two opposite triangles; if any, the volume is a guess
} thud_mesh_mass;

// Reads a mesh; the format is told by the name's ending, in either case. On failure *out is NULL and diag
// says file:line:column (text) or the byte (binary). Equal vertices are merged, triangles without three
// different corners dropped. O(file).
THUD_API THUD_MUST_USE thud_status thud_mesh_read(const char *path, thud_mesh **out, thud_diag *diag);
// The same from what files opens (thud/base_files.h); NULL: the file system.
THUD_API THUD_MUST_USE thud_status thud_mesh_open(const thud_files *files, const char *name, thud_mesh **out,
                                                  thud_diag *diag);

// The same from memory; name is only for diagnostics and may be NULL.
THUD_API THUD_MUST_USE thud_status thud_mesh_parse(const void *bytes, size_t size, thud_mesh_format format,
                                                   const char *name, thud_mesh **out, thud_diag *diag);

// The same from arrays: vertex is (3 x vertices), triangle (3 x triangles) or NULL. Both are copied.
THUD_API THUD_MUST_USE thud_status thud_mesh_create(int vertices, const double *vertex, int triangles,
                                                    const int *triangle, thud_mesh **out, thud_diag *diag);
THUD_API void thud_mesh_destroy(thud_mesh *mesh); // NULL is allowed

// Takes each vertex v to scale * (refquat^-1 (v - refpos)), component-wise, as MJCF's mesh attributes say. A
// mirroring scale (negative product) also turns the triangles round, so that outside stays outside.
THUD_API void thud_mesh_transform(thud_mesh *mesh, thud_vec3 refpos, thud_quat refquat, thud_vec3 scale);

// Volume or area, centre, inertia and principal frame. hull is that of the mesh's vertices; it is needed for
// THUD_MESH_INERTIA_CONVEX and for meshes without triangles, otherwise it may be NULL. Fails, with a sentence
// that says what to do, on no area or volume and on triangles that face inward; in EXACT mode also where two
// neighbours disagree on which side is out. Holes are closed from the centroid of the surface, and counted.
// O(triangles); EXACT sorts the edges.
THUD_API THUD_MUST_USE thud_status thud_mesh_weigh(const thud_mesh *mesh, thud_mesh_inertia mode,
                                                   const thud_hull *hull, thud_mesh_mass *out,
                                                   thud_diag *diag);

// Expresses the vertices in the frame X instead: v becomes X^-1 v.
THUD_API void thud_mesh_recentre(thud_mesh *mesh, thud_pose X);

// The primitive that stands for a mesh, as for a geom of a primitive type that names a mesh. It is fitted to
// the box of the same inertia (MJCF's default), or to the bounds of the recentred vertices (fitaabb). The
// pose of the primitive in the mesh's frame is *X: centre and principal axes, moved to the middle of the
// bounds for the latter. kind is one of sphere, capsule, ellipsoid, cylinder, box.
THUD_API thud_shape thud_mesh_fit_inertia(const thud_mesh_mass *mass, thud_shape_kind kind, thud_pose *X);
THUD_API thud_shape thud_mesh_fit_bounds(const thud_mesh *mesh, const thud_mesh_mass *mass,
                                         thud_shape_kind kind, thud_pose *X);

#ifdef __cplusplus
}
#endif
