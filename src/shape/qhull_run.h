// SPDX-License-Identifier: Apache-2.0
// qhull_run.h: the one place that talks to qhull.
#pragma once

#include "polyhedron.h"

// Appends the faces of the hull of the points to `out`. tolerance > 0: faces are merged to it; 0:
// triangles. max_vertices as in thud_hull_options. On THUD_BAD_MODEL, said holds qhull's complaint.
thud_status qhull_run(const thud_vec3 *point, int count, int max_vertices, double tolerance, polygons *out,
                      char *said, size_t said_size);
