// SPDX-License-Identifier: Apache-2.0
// thud/model_part.h: some of the robots of a model, as a model of its own.
//
// Bodies that cannot move are in every part. What a part is asked for is answered to the bit as in the whole while nothing
// of another part comes near: a crowd is stepped part by part.
#pragma once

#include <thud/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct thud_model_part {
    thud_model *m;  // shares names, meshes and height fields with the whole, which must outlive it
    int link, q, v; // first of its links (and joints), positions and velocities in the whole
    int *body, *geom, *equality; // numbers in the whole of those that are here
    int *actuator, *activation;  // likewise
    int *sensor;                 // likewise
} thud_model_part;

// Whether parts of this model can be made: it has neither mocap bodies nor tendons, and actuators of joints alone.
THUD_API bool thud_model_has_parts(const thud_model *m);

// The first and the last link that an equality acts on; false: on none.
THUD_API bool thud_equality_links(const thud_model *m, int equality, int link[2]);

// Links first to end - 1, none of which hangs on one that is left out, nor the other way round; with the equalities that act
// on them alone, and the sensors of what moves with them that are not seen from elsewhere. Keyframes stay behind. Words and
// names are all there. NO_MEMORY leaves nothing.
THUD_API THUD_MUST_USE thud_status thud_model_cut(const thud_model *m, int first, int end,
                                                  thud_model_part *out);
THUD_API void thud_model_part_free(thud_model_part *part); // zeroed is allowed

#ifdef __cplusplus
}
#endif
