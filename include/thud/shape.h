// SPDX-License-Identifier: Apache-2.0
// thud/shape.h: solids and what is to be known of them alone: support, bounds, volume, inertia.
//
// A shape is a small value in its own frame; it knows no body, pose or material. Poses come in as X_ws, the
// shape's frame in the world. Sizes are MJCF's: half lengths and radii, metres. A hull or a height field is
// borrowed: the shape points at one that outlives it.
//
//     const thud_shape ball = {.kind = THUD_SHAPE_SPHERE, .size = {0.1}};
//     const double mass = thud_shape_inertia(&ball, 1000).mass;                 // 4.19 kg
//
// Convex polyhedra are in <thud/shape_hull.h>, height fields in <thud/shape_hfield.h>, triangle meshes (from
// which hulls and inertias are made, and which never collide themselves) in <thud/shape_mesh.h>.
#pragma once

#include <thud/shape_hfield.h>
#include <thud/shape_hull.h>
#include <thud/shape_image.h>
#include <thud/spatial.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum thud_shape_kind {
    THUD_SHAPE_PLANE,     // the half-space z <= 0, outward normal +z; size unused
    THUD_SHAPE_SPHERE,    // size: radius
    THUD_SHAPE_CAPSULE,   // size: radius, half length of the segment along z
    THUD_SHAPE_ELLIPSOID, // size: three semi-axes
    THUD_SHAPE_CYLINDER,  // size: radius, half length along z
    THUD_SHAPE_BOX,       // size: three half lengths
    THUD_SHAPE_HULL,      // the convex polyhedron `hull`; size unused
    THUD_SHAPE_HFIELD     // the ground `hfield`, not convex; size unused
} thud_shape_kind;

#define THUD_SHAPE_KINDS 8

typedef struct thud_shape {
    thud_shape_kind kind;
    double size[3];
    const thud_hull *hull;     // THUD_SHAPE_HULL only
    const thud_hfield *hfield; // THUD_SHAPE_HFIELD only
} thud_shape;

typedef struct thud_aabb { // a box along the axes of its frame
    thud_vec3 lo, hi;
} thud_aabb;

// Without branches: which comparison fails cannot be foretold, and six comparisons cost less than a wrong guess.
static inline bool thud_aabb_overlap(const thud_aabb *a, const thud_aabb *b)
{
    return (a->lo.x <= b->hi.x) & (b->lo.x <= a->hi.x) & (a->lo.y <= b->hi.y) & (b->lo.y <= a->hi.y) &
           (a->lo.z <= b->hi.z) & (b->lo.z <= a->hi.z);
}

// The name of a kind as MJCF writes it ("plane", ..., "mesh" for a hull, "hfield").
THUD_API const char *thud_shape_name(thud_shape_kind kind);

// Checks that the sizes are finite and not negative and that the hull or height field is there.
THUD_API THUD_MUST_USE thud_status thud_shape_check(const thud_shape *shape, thud_diag *diag);

// True for the kinds that thud_shape_support takes: all but planes and height fields.
THUD_API bool thud_shape_is_convex(thud_shape_kind kind);

// The point of a convex shape that lies farthest along dir, all in the shape's frame. dir need not be unit;
// for a zero dir it is some point of the shape. hint may be NULL. For hulls and boxes *hint is set to the
// vertex's index (a box's as in thud_hull_of_box), otherwise to 0; on entry it is where a hull's search
// starts, and any value will do: the answer never depends on it. Ties go to the lowest index.
// O(1); a hull of n vertices O(sqrt n) from a good hint.
THUD_API thud_vec3 thud_shape_support(const thud_shape *shape, thud_vec3 dir, int *hint);

// The smallest box in the world around the shape at pose X_ws. A plane's is infinite, except that one whose
// normal lies along a world axis ends at its surface.
THUD_API thud_aabb thud_shape_bounds(const thud_shape *shape, thud_pose X_ws);

// A box around it that is quick to find: of a hull, around the box that it fills in its own frame; of others the smallest.
THUD_API thud_aabb thud_shape_around(const thud_shape *shape, thud_pose X_ws);
THUD_API double thud_shape_bottom(const thud_shape *shape, const thud_pose *X_ws); // its lo.z

// The radius of a sphere about the origin of the shape's frame that holds the shape; infinite for a plane.
THUD_API double thud_shape_radius(const thud_shape *shape);

// Volume (m^3) and area of the surface (m^2). Zero for planes and height fields, which have no mass.
THUD_API double thud_shape_volume(const thud_shape *shape);
THUD_API double thud_shape_area(const thud_shape *shape);

// Mass, centre and inertia of the solid, in the shape's frame. density in kg/m^3. O(1); hulls O(vertices).
THUD_API thud_inertia thud_shape_inertia(const thud_shape *shape, double density);

// The same for mass spread evenly over the surface. density in kg/m^2. Cylinders and boxes are closed.
THUD_API thud_inertia thud_shape_shell_inertia(const thud_shape *shape, double density);

#ifdef __cplusplus
}
#endif
