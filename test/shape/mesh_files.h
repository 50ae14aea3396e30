// SPDX-License-Identifier: Apache-2.0
// mesh_files.h: meshes made and written by the tests themselves, in every format that is read.
#pragma once

#include <thud/shape_mesh.h>

// x rounded to single precision. Not a cast: gcc 12 at -O2 forgets to round where it vectorizes
// (double)(float)x.
double single(double x);
thud_vec3 single3(thud_vec3 v);

typedef enum file_kind { FILE_STL_BINARY, FILE_STL_ASCII, FILE_OBJ, FILE_MSH, FILE_KINDS } file_kind;

thud_mesh_format file_format(file_kind kind);

// A closed surface r(theta, phi) of `rings` x `sectors` facets about the origin, bumpy but star-shaped, with
// coordinates that single precision holds. Heap; for thud_mesh_destroy.
thud_mesh *mesh_star(int rings, int sectors, double bump);

// The box of these half lengths, of 12 triangles.
thud_mesh *mesh_box(double x, double y, double z);

// Writes a mesh into `bytes` (of `capacity`); the number of bytes used.
size_t mesh_write(const thud_mesh *mesh, file_kind kind, char *bytes, size_t capacity);
