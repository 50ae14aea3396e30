// SPDX-License-Identifier: Apache-2.0
// thud/collide_ray.h: the first geom of a model on a ray's way.
//
//     thud_body_poses(model, state->qpos, X_wb);
//     thud_geom_poses(model, X_wb, X_wg);
//     thud_ray_hit hit;
//     if (thud_ray_cast(model, X_wg, eye, gaze, NULL, &hit)) { ... hit.geom is hit.distance away ... }
//
// Rays see the geoms that have a shape, whether they collide or not, but as MuJoCo none whose colour is wholly
// transparent (rgba alpha 0). A mesh is its convex hull; a mesh that is only drawn has none and is not seen.
// What counts as the surface of each shape is said in <thud/shape_ray.h>. Differs from MuJoCo: planes have no
// edge, whatever the size they are drawn with.
#pragma once

#include <thud/model.h>
#include <thud/shape_ray.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct thud_ray_options {
    int exclude_body; // its geoms are not seen; -1: all are
    uint32_t groups;  // bit g: geoms of group g are seen; groups above 31 count as 31
    bool fixed;       // geoms of bodies that cannot move are seen, too
    double reach;     // m; what is farther is not seen
} thud_ray_options;

typedef struct thud_ray_hit {
    int geom;         // -1: none
    double distance;  // m; -1: none
    thud_vec3 point;  // world
    thud_vec3 normal; // world, unit, outward from the geom
} thud_ray_hit;

THUD_API thud_ray_options thud_ray_defaults(void); // everything is seen, at any distance

// The nearest geom from `from` along `along` (world, any length but zero), with the geoms at X_wg
// (thud_geom_poses); options NULL: the defaults. Of geoms equally near the one with the lowest number. Returns
// whether there is one. O(geoms); those whose bounding sphere is missed or farther cost a few operations.
THUD_API bool thud_ray_cast(const thud_model *m, const thud_pose *X_wg, thud_vec3 from, thud_vec3 along,
                            const thud_ray_options *options, thud_ray_hit *hit);

#ifdef __cplusplus
}
#endif
