// SPDX-License-Identifier: Apache-2.0
// curved.h: the gap between two places of surfaces whose normals can turn: vertices, rims, ellipsoids.
#pragma once

#include "duo.h"

typedef enum piece_kind { PIECE_POINT, PIECE_CIRCLE, PIECE_ELLIPSOID } piece_kind;

typedef struct piece { // a patch of a surface whose support point moves smoothly with n; in its shape's frame
    piece_kind kind;
    vec3 point;         // a vertex, or a circle's centre
    const double *size; // circle: radius; ellipsoid: semi-axes
} piece;

// The piece of c's core at its support point v [core_support].
piece piece_at(const core *c, int v);

// v(n) = b - a between the pieces' own support points, in A's frame; n . v bounds s(n) from above.
vec3 gap_vector(const duo *d, const piece s[2], vec3 n);

// Moves *n to the maximum of n . v(n) near it, over the directions normal to e (zero: over all of them).
// False when there is none there, or none that comes near the value that is wanted.
bool gap_maximise(const duo *d, const piece s[2], vec3 e, double wanted, vec3 *n);
