// SPDX-License-Identifier: Apache-2.0
// pair.h: what the narrow phase's files share. Everything here takes the two shapes in their canonical order.
#pragma once

#include "duo.h"

// The distance of a point x from the surface of a solid in the solid's frame, negative inside. surface: the
// nearest point of it; normal: outward there, the gradient of the distance.
typedef struct point_gap {
    double dist;
    vec3 surface, normal;
    uint32_t feature;
} point_gap;

// Spheres, capsules, ellipsoids, cylinders, boxes and planes: closed forms, and one root for the ellipsoid.
point_gap gap_of_point(const thud_shape *shape, vec3 x);
point_gap gap_of_point_ellipsoid(const double semi[3], vec3 x);

// thud_collide_pair for shapes that are valid, poses and a margin that are finite.
int pair_collide(const thud_shape *first, const pose *X_w1, const thud_shape *second, const pose *X_w2,
                 double margin, thud_pair_cache *cache, thud_pair_contact out[THUD_PAIR_MAX]);

typedef struct pair_ahead { // how far ahead two moving shapes are looked at
    double horizon;         // s
    double slack;           // m: overlaps that who asks leaves as they are
    double none;            // m: gaps that count as none
    double margin;          // m: contacts farther apart at the start are not listed
} pair_ahead;

// The `count` contacts of pair_collide at these poses, or, where they would close within the horizon while another direction parts
// the shapes for longer, those along that direction. Returns how many there are then. passing.c
int pair_pass(const thud_shape *first, const pose *X_w1, const thud_motion *V1, const thud_shape *second,
              const pose *X_w2, const thud_motion *V2, const pair_ahead *ahead, int count,
              thud_pair_contact out[THUD_PAIR_MAX]);
void pair_sort(thud_pair_contact *c, int count); // by their features

// Contacts of the plane z = 0 with a convex shape at X_ps, in the plane's frame.
int plane_contacts(const thud_shape *shape, const pose *X_ps, double margin,
                   thud_pair_contact out[THUD_MANIFOLD_MAX]);
void plane_gap(const thud_shape *shape, pose X_ps, thud_pair_gap *out);

// The direction between the nearest points of two capsules' segments.
void capsules_facet(const duo *d, facet *f);

// Two convex shapes, placed: contacts, or the facet of greatest s, or any that shows s > enough. cache may be
// NULL.
int convex_contacts(duo *d, double margin, thud_pair_cache *cache, thud_pair_contact out[THUD_MANIFOLD_MAX]);
void convex_facet(duo *d, double enough, thud_pair_cache *cache, facet *f);

// A height field and a convex shape at X_fs in the field's frame.
int hfield_contacts(const thud_hfield *field, const thud_shape *shape, pose X_fs, double margin,
                    thud_pair_contact out[THUD_PAIR_MAX]);
void hfield_gap(const thud_hfield *field, const thud_shape *shape, pose X_fs, thud_pair_gap *out);

static inline uint32_t feature_of(thud_feature_kind kind, int index)
{
    return (uint32_t)kind << 28 | ((uint32_t)index & 0x0fffffffu);
}
