// SPDX-License-Identifier: Apache-2.0
// thud/spatial_lanes.h: algebra on four wrenches or rows side by side, one in each lane of a register. Not included by
// thud/thud.h.
//
// Every lane is summed in the order in which v3_ functions sum. All of it is inlined into every clone
// of a THUD_KERNEL function.
#pragma once

#include <thud/base_fours.h>
#include <thud/spatial_inline.h>

typedef struct lanes { // the same vector of four rows
    four x, y, z;
} lanes;

THUD_INSIDE lanes lanes_load(const double from[3][THUD_LANES])
{
    const lanes to = {*(const four_of_numbers *)from[0], *(const four_of_numbers *)from[1],
                      *(const four_of_numbers *)from[2]};
    return to;
}

THUD_INSIDE void lanes_store(lanes from, double to[3][THUD_LANES])
{
    *(four_of_numbers *)to[0] = from.x;
    *(four_of_numbers *)to[1] = from.y;
    *(four_of_numbers *)to[2] = from.z;
}

THUD_INSIDE lanes lanes_axpy(four g, vec3 a, lanes to) // to + g a
{
    const lanes sum = {to.x + g * a.x, to.y + g * a.y, to.z + g * a.z};
    return sum;
}

THUD_INSIDE lanes lanes_cross(vec3 a, lanes b) // a x b
{
    const lanes c = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return c;
}

THUD_INSIDE void lanes_dot(lanes a, vec3 b, four *out)
{
    *out = a.x * b.x + a.y * b.y + a.z * b.z;
}

// Wrench r of four.
static inline void wrenches_set(thud_wrenches *to, int r, thud_force f)
{
    to->ang[0][r] = f.ang.x;
    to->ang[1][r] = f.ang.y;
    to->ang[2][r] = f.ang.z;
    to->lin[0][r] = f.lin.x;
    to->lin[1][r] = f.lin.y;
    to->lin[2][r] = f.lin.z;
}

static inline thud_force wrenches_get(const thud_wrenches *of, int r)
{
    const thud_force f = {{of->ang[0][r], of->ang[1][r], of->ang[2][r]},
                          {of->lin[0][r], of->lin[1][r], of->lin[2][r]}};
    return f;
}
