// SPDX-License-Identifier: Apache-2.0
// thud/collide_gap.h: the gap of one fixed contact as a function of the poses, and the time two motions meet.
//
// A contact names two features: a vertex on a face, an edge across an edge, a smooth surface. Its gap
// function phi is the signed distance of these two features, each extended beyond its borders, so that phi
// stays smooth while a solver tries other poses; at the contact's own poses it is the contact's distance:
//
//     thud_gap gap = thud_gap_of_contact(&shape1, X_w1, &shape2, X_w2, &contact);
//     thud_gap_value g = thud_gap_at(&gap, Y_w1, Y_w2);           // phi and its gradient at other poses
//
// The gradient is a wrench on each body: d phi/dt = n . (v2(point[1]) - v1(point[0])), where v_i(p) is the
// velocity of the material point of shape i that is now at p. This holds exactly, not only at phi = 0.
#pragma once

#include <thud/collide_pair.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum thud_gap_kind { // how phi is computed
    THUD_GAP_PLANE_BALL,     // a face, and a vertex or round end: n . (c - x) - r
    THUD_GAP_BALL_PLANE,
    THUD_GAP_BALL_BALL, // |c2 - c1| - r1 - r2
    THUD_GAP_LINE_BALL, // a round edge, and a round end
    THUD_GAP_BALL_LINE,
    THUD_GAP_LINE_LINE, // two edges that cross: along their common normal, signed; - r1 - r2
    THUD_GAP_DISTANCE   // other smooth surfaces: thud_pair_distance of the two features
} thud_gap_kind;

typedef struct thud_gap { // a value; private, but may be copied
    thud_gap_kind kind;
    thud_vec3 normal;  // at the contact's poses, in the first solid's frame
    thud_vec3 at[2];   // in its solid's frame: a ball's centre, a point of a line or plane
    thud_vec3 axis[2]; // there: along a line, out of a plane
    double radius[2];  // of a ball or line
    const thud_shape *solid[2];
    int role[2]; // only of DISTANCE: half-space, ball, round line, or the solid itself
} thud_gap;

typedef struct thud_gap_value {
    double phi;         // m
    thud_vec3 normal;   // world, unit, from the first to the second
    thud_vec3 point[2]; // world; the nearest points of the two features: point[1] - point[0] = phi normal
} thud_gap_value;

// The gap function of a contact that thud_collide_pair found at these poses. Nearly parallel edges, and
// features that have no closed form together, are taken as a point of the second shape against a plane of the
// first. The shapes stay borrowed. O(1).
THUD_API thud_gap thud_gap_of_contact(const thud_shape *first, thud_pose X_w1, const thud_shape *second,
                                      thud_pose X_w2, const thud_pair_contact *contact);

THUD_API thud_gap_value thud_gap_at(const thud_gap *gap, thud_pose X_w1, thud_pose X_w2);

typedef struct thud_shift { // how a solid moved: what was at x is at R (x - from) + to
    thud_mat3 R;
    thud_vec3 from, to;
    thud_quat q; // how it is turned now
} thud_shift;
THUD_API thud_shift thud_shift_between(thud_pose then, thud_pose now);

// The value of the gap function of a contact after its solids moved (NULL: it did not), without making it: where a point or
// round end of one solid meets a plane of the other, as most contacts do, or a sphere another one or a capsule. False, and
// nothing written, for others. O(1).
THUD_API bool thud_gap_after(const thud_shape *first, const thud_shift *moved1, const thud_shape *second,
                             const thud_shift *moved2, const thud_pair_contact *contact, thud_gap_value *out);

// The gradient as a wrench about the world's origin on the second (which = 1) or the first (which = 0) body:
// d phi/dt = row(1) . V2 + row(0) . V1, with V_i the spatial velocities about the world's origin.
THUD_API thud_force thud_gap_row(const thud_gap_value *value, int which);

typedef struct thud_gap_rate { // how a contact moves over the two surfaces
    thud_vec3 normal;          // 1/s: n'
    thud_vec3 point;           // m/s: of the point midway between the two nearest ones, world
} thud_gap_rate;

// The rates of n and of the contact's point while the solids move with V1 and V2 (of their frames' origins,
// world). In closed form; false, and nothing written, for THUD_GAP_DISTANCE, which has none. O(1).
THUD_API bool thud_gap_rate_at(const thud_gap *gap, thud_pose X_w1, thud_motion V1, thud_pose X_w2,
                               thud_motion V2, thud_gap_rate *out);

// ---------------------------------------------------------------------------------------------- impact time

// A rigid motion of a shape's frame. Either a constant twist (velocity of the frame's origin and angular
// velocity, along the world's axes), or any function of time with bounds on its speeds.
typedef struct thud_path {
    thud_pose start;   // at t = 0
    thud_motion twist; // used when `at` is NULL
    thud_pose (*at)(const void *user, double t);
    const void *user;
    double speed, spin; // with `at`: at least the origin's speed (m/s) and the angular speed (rad/s)
} thud_path;

THUD_API thud_pose thud_path_at(const thud_path *path, double t);

typedef enum thud_impact_outcome {
    THUD_IMPACT_NONE,      // they stay apart
    THUD_IMPACT_FOUND,     // at `time` they are apart by no more than the tolerance
    THUD_IMPACT_AT_START,  // they touch or overlap at t = 0
    THUD_IMPACT_LIMIT,     // too many evaluations (a long graze); they do not touch before `time`
    THUD_IMPACT_NOT_FINITE // a pose or speed is not a number, or the tolerance or duration is none
} thud_impact_outcome;

typedef struct thud_impact {
    thud_impact_outcome outcome;
    double time;       // s; of the last poses at which they were seen apart
    thud_pair_gap gap; // there
    int evaluations;   // of the distance
} thud_impact;

// The first time in [0, duration] at which the distance falls to the tolerance (m), by conservative
// advancement: from a distance d along n no contact can come sooner than d over the largest speed of approach
// along n. Never jumps over a contact, however thin the shapes. Linear convergence.
THUD_API thud_impact thud_impact_advance(const thud_shape *first, const thud_path *path1,
                                         const thud_shape *second, const thud_path *path2, double duration,
                                         double tolerance);

// The same by bracketing [Baraff 1997 §7.1]: when the shapes overlap at the end, the time before is searched
// by false position and bisection, keeping one end apart and one overlapping. Needs few evaluations, but does
// not see an overlap that begins and ends within the duration.
THUD_API thud_impact thud_impact_bracket(const thud_shape *first, const thud_path *path1,
                                         const thud_shape *second, const thud_path *path2, double duration,
                                         double tolerance);

#ifdef __cplusplus
}
#endif
