// SPDX-License-Identifier: Apache-2.0
// thud/collide_pair.h: the narrow phase: where two shapes touch, how deep, and in which direction.
//
// Every pair of shapes collides, except plane with plane and a height field with a plane or a height field.
// The answer is a function of the two shapes and poses alone: a cache makes it faster and never different, to
// the bit; so do the order of the two shapes (swapping them negates the normals and swaps the features) and
// where they lie in memory. Nothing here allocates.
//
//     thud_pair_contact contact[THUD_PAIR_MAX];
//     const int count = thud_collide_pair(&ground, X_wg, &ball, X_wb, margin, &cache, contact);
//
// The signed distance of two convex shapes is the Euclidean distance when they are apart and minus the
// shortest translation that parts them when they are not.
#pragma once

#include <thud/shape.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    THUD_PAIR_MAX = 64,    // contacts of one pair, at most
    THUD_MANIFOLD_MAX = 16 // contacts of two convex shapes, at most; a height field has many cells
};

// What of a shape touches. A feature is kind << 28 | index: stable between steps, so impulses can be carried
// over by it. Indices are those of the hull (a box's as in thud_hull_of_box). A capsule has vertices 0 (-z)
// and 1 (+z) and the edge 0; a cylinder has faces 0 (-z) and 1 (+z), edge 0 (the side), and vertices
// 16 * face + k for the points at k * 22.5 degrees of each rim (rim edges: 1 + vertex). On a height field the
// index is 32 * (2 * cell + triangle) + that of the triangular prism under it. Anything else is a POINT.
typedef enum thud_feature_kind {
    THUD_FEATURE_POINT, // of a smooth surface; index 0, or 0 and 1 for the two rims of a cylinder
    THUD_FEATURE_VERTEX,
    THUD_FEATURE_EDGE,
    THUD_FEATURE_FACE
} thud_feature_kind;

static inline thud_feature_kind thud_feature_kind_of(uint32_t feature)
{
    return (thud_feature_kind)(feature >> 28);
}

static inline int thud_feature_index_of(uint32_t feature)
{
    return (int)(feature & 0x0fffffffu);
}

typedef struct thud_pair_contact {
    thud_vec3 point;     // world, midway between the two surfaces
    thud_vec3 normal;    // world, unit, from the first shape (the papers' B) to the second (their A)
    double dist;         // m along the normal; negative when the shapes overlap
    uint32_t feature[2]; // of the first and of the second shape; a pair of them occurs once in a manifold
} thud_pair_contact;

typedef enum thud_pair_path { // how an answer was found, for statistics
    THUD_PAIR_CLOSED,         // by a closed form: no witness needed
    THUD_PAIR_WITNESS,        // last time's features still prove it
    THUD_PAIR_NEIGHBOUR,      // features next to them do
    THUD_PAIR_SEARCH          // found afresh
} thud_pair_path;

// Features of last time [Baraff 1997 §7.1]: a face of one shape or an edge of each, whose plane parts the
// shapes, or across which they overlap least. A zeroed cache is an empty one. Copying, losing or mixing up
// caches costs only time.
typedef struct thud_pair_cache {
    int32_t kind;       // private: 0 empty, else which of the shapes' features below define the plane
    int32_t feature[2]; // private
    int32_t vertex[2];  // private: where support searches start
    float normal[3];    // private: of the plane
    int32_t apart;      // private: 1 when the plane parted the shapes by more than the margin
    thud_pair_path path;
} thud_pair_cache;

// Writes the contacts of two shapes whose dist is at most margin (m) and returns their number; contacts come
// sorted by feature. Face against face gives the corners of the common polygon, reduced to what spans it (see
// docs/collision.md); a cylinder on its side two points, on its end four; a smooth contact one. cache may be
// NULL. Returns -1, and writes nothing, when a pose or margin is not finite or a shape is not valid.
THUD_API int thud_collide_pair(const thud_shape *first, thud_pose X_w1, const thud_shape *second,
                               thud_pose X_w2, double margin, thud_pair_cache *cache,
                               thud_pair_contact out[THUD_PAIR_MAX]);

typedef struct thud_pair_gap {
    double dist;         // m, signed
    thud_vec3 normal;    // world, unit, from the first shape to the second
    thud_vec3 point[2];  // world, the closest (or deepest) points of the first and of the second shape:
                         // point[1] - point[0] = dist * normal
    uint32_t feature[2]; // that the points belong to
} thud_pair_gap;

// Fills out with the signed distance of two shapes, however far apart, and returns it. Infinite, with the
// rest zero, for the pairs that never collide; NaN for what thud_collide_pair refuses. Relative accuracy
// 1e-10 or better of the shapes' size.
THUD_API double thud_pair_distance(const thud_shape *first, thud_pose X_w1, const thud_shape *second,
                                   thud_pose X_w2, thud_pair_cache *cache, thud_pair_gap *out);

#ifdef __cplusplus
}
#endif
