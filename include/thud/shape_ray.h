// SPDX-License-Identifier: Apache-2.0
// thud/shape_ray.h: where a ray meets a shape.
//
//     thud_vec3 normal;
//     const double t = thud_shape_ray(&ball, X_ws, eye, gaze, &normal);
//     if (t >= 0) { ... eye + t gaze/|gaze| is on the ball ... }
//
// A ray meets a shape where it first crosses its surface, from outside or, if it starts within, from inside.
// A plane is met from above only, at any distance from its origin; a height field on its ground, its four
// walls and its base.
#pragma once

#include <thud/shape.h>

#ifdef __cplusplus
extern "C" {
#endif

// The distance (m) from `from` along `along` (world, any length but zero) to the shape at pose X_ws; -1 when
// the ray misses it, when a number is not finite or when a hull is not there. normal (NULL: not wanted) is
// the surface's there: world, unit, outward. O(1); a hull O(faces), a height field O(cells on the ray's way).
THUD_API double thud_shape_ray(const thud_shape *shape, thud_pose X_ws, thud_vec3 from, thud_vec3 along,
                               thud_vec3 *normal);

#ifdef __cplusplus
}
#endif
