// SPDX-License-Identifier: Apache-2.0
// brute.h: signed distances by exhaustion, sharing nothing with the library but supports and poses.
#pragma once

#include <thud/collide_pair.h>
#include <thud/spatial_inline.h>

#include "test.h"

typedef struct placed {
    thud_shape shape;
    pose X;
} placed;

// s(n) = min over b of n.b - max over a of n.a: the gap of two convex shapes along n, a lower bound of their
// signed distance.
double brute_gap_along(const placed *a, const placed *b, vec3 n);

// Its maximum over the sphere: `samples` directions spread evenly and the normals of all faces and edge
// pairs, then compass search from the `climbs` (at most 4) best of them. Any convex pair.
double brute_distance(const placed *a, const placed *b, int samples, int climbs, vec3 *normal);

// For boxes and hulls: all face normals and edge pairs when they overlap, all pairs of features when not.
double brute_polyhedra(const placed *a, const placed *b);

quat random_rotation(test_rng *r);
vec3 random_unit(test_rng *r);
// A shape of this kind with sizes between lo and hi, log-uniform. A hull is one of a few made once.
thud_shape random_shape(test_rng *r, thud_shape_kind kind, double lo, double hi);
double shape_size(const thud_shape *s); // the radius about its frame's origin

// How far x lies outside the shape (m; zero or less: inside), up to a factor between 1 and the shape's
// aspect.
double brute_outside(const placed *p, vec3 x);

// A hull of `vertices` points on an ellipsoid, to be destroyed.
thud_hull *random_hull(test_rng *r, int vertices, double lo, double hi);
