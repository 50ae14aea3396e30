// SPDX-License-Identifier: Apache-2.0
// tessellate.h: solids to triangles with normals: faces are flat, round things are smooth.
#pragma once

#include "raster.h"
#include "solids.h"

// Adds the surface of a geom, in its body's frame (of what is fixed, the world's). Round ones are made of
// `around` flat pieces a turn. A plane adds nothing.
void tessellate_solid(facets *to, const solids *of, int geom, int surface, int around);

// A ball of radius r; an arrow of this radius from `from` to `to`, a third of it the head's where it is long
// enough; and the side of a cone with its tip at `tip` that opens by `slope` radii a metre.
void tessellate_ball(facets *to, thud_vec3 centre, double r, int surface, int around);
void tessellate_arrow(facets *to, thud_vec3 from, thud_vec3 along, double length, double r, int surface);
void tessellate_cone(facets *to, thud_vec3 tip, thud_vec3 axis, double length, double slope, int surface);

// A rectangle with half lengths a and b in the xy plane of X, facing z.
void tessellate_rectangle(facets *to, thud_pose X, double a, double b, int surface);
