// SPDX-License-Identifier: Apache-2.0
// ray.h: a ray in a shape's frame. Private to the room.
#pragma once

#include <thud/shape_ray.h>
#include <thud/spatial_inline.h>

typedef struct ray {
    vec3 p, d; // start; direction, unit
} ray;

typedef struct crossing { // of a ray with a surface
    double t;             // m; negative: there is none
    vec3 normal;          // outward, unit
} crossing;

static inline vec3 ray_at(const ray *r, double t)
{
    return v3_axpy(t, r->d, r->p);
}

// ray_hfield.c
crossing ray_hfield(const thud_hfield *f, const ray *r);
