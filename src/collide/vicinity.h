// SPDX-License-Identifier: Apache-2.0
// vicinity.h: boxes of geoms in motion, and pairs that answer for some queries to come. Private to the room.
//
// The pairs of boxes that overlap change little from query to query. Of few geoms the boxes are compared (few.c, or the broad phase)
// with room around them: while every geom's own box stays within its room, no pair can have come that is not listed,
// and neither boxes nor lists are touched. Whom the list has too many is told by the geoms' motion alone, so that the
// pairs that are compared are the same whenever the list was made.
#pragma once

#include <thud/collide_broad.h>
#include <thud/spatial_inline.h>

typedef struct geom_motion { // how far a geom gets, in one query
    vec3 way;                // of its origin
    double turn;             // of its points about it
    double wide;             // half the margin
    double reach;            // all of these, and its radius; a plane's without
    vec3 up;                 // a plane's normal
} geom_motion;

typedef struct geom_room { // around a geom's box
    pose X;                // when it was made
    geom_motion motion;
    double size; // m
    thud_aabb box;
} geom_room;

static inline bool endless(double radius) // that of a plane
{
    return !(radius < INFINITY);
}

// Where a geom at X is and may get.
thud_aabb swept_box(const thud_shape *shape, const pose *X, const geom_motion *motion);
// Room for some queries of motion like this one; the radius is about the geom's origin.
void make_room(const thud_shape *shape, const pose *X, const geom_motion *motion, double radius,
               geom_room *room);

THUD_INSIDE double turned_apart(quat a, quat b) // at least half the chord of the angle between them
{
    return fabs(a.w - b.w) + fabs(a.x - b.x) + fabs(a.y - b.y) + fabs(a.z - b.z);
}

// Whether the box of now is within the room; `turning`: the radius, or 0 where the shape looks the same from all sides.
THUD_INSIDE bool room_holds(const geom_room *room, const pose *X, const geom_motion *motion, double turning)
{
    static const double ALMOST = 0.99; // a little is left for rounding
    const geom_motion *then = &room->motion;
    const vec3 shift = v3_add(v3_abs(v3_sub(X->p, room->X.p)), v3_abs(v3_sub(motion->way, then->way)));
    const double grown = (motion->wide + motion->turn) - (then->wide + then->turn);
    double left = ALMOST * room->size - grown;
    if (turning > 0) {
        double turned = turned_apart(X->q, room->X.q);
        if (turned > 1) { // the same turn has another sign
            const quat q = room->X.q;
            const double other = turned_apart(X->q, (quat){-q.w, -q.x, -q.y, -q.z});
            turned = turned < other ? turned : other;
        }
        left -= turned == 0 ? 0 : turning * (2 * turned); // what is endless may not turn at all
    }
    return (shift.x <= left) & (shift.y <= left) & (shift.z <= left); // false for NaN
}
