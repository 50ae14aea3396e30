// SPDX-License-Identifier: Apache-2.0
// vicinity.c: boxes of geoms in motion, and the room around them.
//
// A box is the shape's, drawn out along its way and widened. Since its room was made its faces moved by no more than
//     |change of the origin| + |change of the way|  (each component)  +  radius chord  +  growth of turn and width
// and the chord, by which a point at distance 1 turned, is at most twice the distance of the quaternions. Those of one turn come with
// either sign: they are then farther than 1 apart, or the room is too small in any case.
#include "vicinity.h"

static thud_aabb widened(thud_aabb box, double wide)
{
    const vec3 all = v3(wide, wide, wide);
    return (thud_aabb){v3_sub(box.lo, all), v3_add(box.hi, all)};
}

thud_aabb swept_box(const thud_shape *shape, const pose *X, const geom_motion *motion)
{
    static const vec3 none = {0, 0, 0};
    thud_aabb box = thud_shape_around(shape, *X);
    box.lo = v3_add(box.lo, v3_min(motion->way, none));
    box.hi = v3_add(box.hi, v3_max(motion->way, none));
    return widened(box, motion->wide + motion->turn);
}

void make_room(const thud_shape *shape, const pose *X, const geom_motion *motion, double radius,
               geom_room *room)
{
    static const double QUERIES = 4, LEAST = 0.025; // of its motion, of its radius
    const double size = thud_max(QUERIES * (v3_norm(motion->way) + motion->turn), LEAST * radius);
    room->X = *X;
    room->motion = *motion;
    room->size = endless(radius) ? 0 : thud_min(size, radius);
    room->box = widened(swept_box(shape, X, motion), room->size);
}
