// SPDX-License-Identifier: Apache-2.0
// thud/model_poses.h: where the parts of a model are in the world, and the way of its tendons through them.
#pragma once

#include <thud/model.h>

#ifdef __cplusplus
extern "C" {
#endif

// Poses of bodies at qpos, and of the geoms and sites on them. O(bodies), O(geoms), O(sites).
THUD_API void thud_body_poses(const thud_model *m, const double *qpos, thud_pose *X_wb);
THUD_API void thud_geom_poses(const thud_model *m, const thud_pose *X_wb, thud_pose *X_wg);
THUD_API void thud_site_poses(const thud_model *m, const thud_pose *X_wb, thud_pose *X_ws);

typedef struct thud_tendon_piece { // a straight piece of a spatial tendon
    int body1, body2;              // that its ends are fixed to
    thud_vec3 p1, p2;              // its ends, world
    double weight;                 // 1/divisor of the pulley before it
} thud_tendon_piece;

// The length of tendon t with the sites at x_ws and the bodies, of the geoms that it goes around, at X_wb: of a
// spatial tendon in m, the pieces behind a pulley divided by its divisor; of a fixed one the sum of coef x joint
// position. piece (NULL: not wanted; room for 2 a station) are the straight pieces of a spatial tendon, *pieces their
// number. O(stations).
THUD_API double thud_tendon_length(const thud_model *m, int t, const double *qpos, const thud_vec3 *x_ws,
                                   const thud_pose *X_wb, thud_tendon_piece *piece, int *pieces);

// ---------------------------------------------------------------------------------------------- mocap bodies

// A view of a model with its mocap bodies elsewhere: a model like any other for all that reads one, with the same
// hash. It shares the memory of m, which must outlive it, but for the poses that mocap bodies change: their own, and
// of what hangs on them. A sim has its own; make one to draw, cast rays or evaluate dynamics with mocap bodies
// where a state has them. Destroy it with thud_mocap_view_destroy, never with thud_model_destroy.
THUD_API THUD_MUST_USE thud_status thud_mocap_view_create(const thud_model *m, thud_model **out);
THUD_API void thud_mocap_view_destroy(thud_model *view); // NULL is allowed
// Puts them where a state has them: 7 numbers each (position, unit quaternion w x y z). O(bodies).
THUD_API void thud_mocap_view_set(thud_model *view, const double *mocap);

#ifdef __cplusplus
}
#endif
