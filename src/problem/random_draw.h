// SPDX-License-Identifier: Apache-2.0
// random_draw.h: numbers that a seed fixes on every machine (splitmix64; no libm in the uniform ones).
#pragma once

#include <math.h>
#include <stdint.h>

#include <thud/elementary.h>
#include <thud/spatial_inline.h>

typedef struct draw {
    uint64_t state;
} draw;

static inline uint64_t draw_bits(draw *r)
{
    uint64_t z = (r->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline draw draw_start(int stream, uint64_t seed)
{
    draw r = {seed * UINT64_C(0xd1342543de82ef95) + (uint64_t)stream};
    draw_bits(&r);
    return r;
}

static inline double draw_uniform(draw *r, double lo, double hi)
{
    return lo + (hi - lo) * ((double)(draw_bits(r) >> 11) * 0x1p-53);
}

static inline int draw_below(draw *r, int n) // 0 .. n - 1
{
    return (int)(draw_bits(r) % (uint64_t)n);
}

static inline double draw_normal(draw *r)
{
    const double u = draw_uniform(r, 0x1p-60, 1), v = draw_uniform(r, 0, 6.283185307179586);
    return sqrt(-2 * thud_log(u)) * thud_cos(v);
}

static inline vec3 draw_vector(draw *r)
{
    const double x = draw_normal(r), y = draw_normal(r), z = draw_normal(r);
    return v3(x, y, z);
}

static inline quat draw_rotation(draw *r)
{
    const double w = draw_normal(r), x = draw_normal(r), y = draw_normal(r), z = draw_normal(r);
    return q_normalize((quat){w, x, y, z});
}
