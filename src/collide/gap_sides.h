// SPDX-License-Identifier: Apache-2.0
// gap_sides.h: what a feature is to a gap function. Private to the room.
#pragma once

#include <thud/collide_pair.h>

static inline bool is_plane(const thud_shape *solid, uint32_t feature)
{
    return solid->kind == THUD_SHAPE_PLANE || thud_feature_kind_of(feature) == THUD_FEATURE_FACE;
}

// The radius of what side_of and match make a ball against a plane; negative: something else.
static inline double ball_radius(const thud_shape *solid, uint32_t feature)
{
    switch (solid->kind) {
    case THUD_SHAPE_SPHERE:
    case THUD_SHAPE_CAPSULE:
        return is_plane(solid, feature) ? -1 : solid->size[0];
    case THUD_SHAPE_BOX:
    case THUD_SHAPE_HULL:
        return is_plane(solid, feature) ? -1 : 0;
    default:
        return -1;
    }
}
