// SPDX-License-Identifier: Apache-2.0
// mesh_build.h: a mesh while it is being read.
#pragma once

#include <thud/shape_mesh.h>

typedef struct mesh_builder {
    const char *name; // of the file, or NULL
    int vertices, triangles;
    int vertex_capacity, triangle_capacity; // triangles counted by three
    thud_vec3 *vertex;
    int (*triangle)[3];
} mesh_builder;

// Add one element; false when memory ran out.
bool build_vertex(mesh_builder *b, thud_vec3 v);
bool build_triangle(mesh_builder *b, int i, int j, int k);
void build_cancel(mesh_builder *b); // frees what was read

// Checks the indices, merges equal vertices, drops degenerate triangles and hands the arrays to *out. The
// builder is empty afterwards in any case.
thud_status build_finish(mesh_builder *b, thud_mesh **out, thud_diag *diag);

// Whether a coordinate can be used: finite and of a size whose fifth power still is (as MuJoCo: 2^30).
bool coordinate_ok(double x);

// The readers. Each leaves what it read in b; the caller cancels or finishes.
thud_status read_stl(mesh_builder *b, const unsigned char *bytes, size_t size, thud_diag *diag);
thud_status read_obj(mesh_builder *b, const unsigned char *bytes, size_t size, thud_diag *diag);
thud_status read_msh(mesh_builder *b, const unsigned char *bytes, size_t size, thud_diag *diag);

// Little-endian numbers at any address.
uint32_t load_u32(const unsigned char *p);
int32_t load_i32(const unsigned char *p);
float load_f32(const unsigned char *p);
