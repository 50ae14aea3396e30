// SPDX-License-Identifier: Apache-2.0
// thud/shape_wrap.h: the way of a taut string from point to point around a sphere or an endless cylinder.
#pragma once

#include <thud/spatial.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct thud_bend { // where a string lies on a round thing
    bool touches;          // false: it goes straight, and the rest is not set
    thud_vec3 p1, p2;      // where it comes to the surface and where it leaves it, world
    double arc;            // m, between the two along the surface
} thud_bend;

// The way from a to b (world) around a sphere, or the cylinder along z, of this radius at X. Without `side`
// the shorter way around is taken, and only where the straight one is barred. With `side` (world) the string
// stays on that side; where that point is inside the surface the string runs inside it: it is held from
// within, touches in one point and has no arc. A string that begins or ends within the radius goes straight.
// O(1).
THUD_API thud_bend thud_bend_around(bool cylinder, double radius, thud_pose X, thud_vec3 a, thud_vec3 b,
                                    const thud_vec3 *side);

#ifdef __cplusplus
}
#endif
