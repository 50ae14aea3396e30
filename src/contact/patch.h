// SPDX-License-Identifier: Apache-2.0
// patch.h: contacts of the same two geoms with one normal, up to four at a time, one in each lane. Private to the room.
//
// They share bodies, friction and frame, and so the forces of their rows; only the levers differ. Every lane is computed and summed
// as the rows of a contact by itself are (measure.c, wrenches.h, innovations.h): the numbers are the same to the last bit.
#pragma once

#include <string.h>

#include "delassus_tiles.h"
#include "innovations.h"

// A velocity that is zero but for rounding must not become a task for the solvers: they work to a relative residual and
// would never be done. What counts as rounding follows from the speeds that the row was computed from; gravity's step
// stands for the accelerations in them.
THUD_INSIDE void drop_rounding(const lane *size, lane *u)
{
    static const double ROUNDING = 1e-13;
    lane much = *u;
    lane_size(&much);
    *u = (lane)((lane_bits)*u & (much > ROUNDING * *size));
}

THUD_INSIDE double sum_of(vec3 v) // of absolute values: no less than its length
{
    return fabs(v.x) + fabs(v.y) + fabs(v.z);
}

THUD_INSIDE void add_size(lanes of, double times, lane *to) // |of| times a number
{
    lane_size(&of.x);
    lane_size(&of.y);
    lane_size(&of.z);
    *to += (of.x + of.y + of.z) * times;
}

// Three rows of the contacts of a patch, which lie one behind the other.
THUD_INSIDE void patch_put(const lane x[3], int count, double *to)
{
    if (count < THUD_LANES) {
        for (int c = 0; c < count; c++, to += 3) {
            to[0] = x[0][c];
            to[1] = x[1][c];
            to[2] = x[2][c];
        }
        return;
    }
    const lane nt = __builtin_shufflevector(x[0], x[1], 0, 4, 2, 6);
    const lane ts = __builtin_shufflevector(x[1], x[2], 1, 5, 3, 7);
    const lane sn = __builtin_shufflevector(x[2], x[0], 0, 5, 2, 7);
    lane_of_numbers *at = (lane_of_numbers *)to;
    at[0] = __builtin_shufflevector(nt, sn, 0, 1, 4, 5);
    at[1] = __builtin_shufflevector(ts, nt, 0, 1, 6, 7);
    at[2] = __builtin_shufflevector(sn, ts, 2, 3, 6, 7);
}

// The blocks of a patch, from the k-th in island order on.
THUD_INSIDE void patch_fill(const thud_rows *rows, const thud_contact_patch *of, int k, int count)
{
    const thud_contact *c = of->contact;
    const thud_contact_law *law = &c->law;
    const double *rests = law->friction, *slides = law->kinetic;
    const bool varies = !(law->viscous == 0 && rests[0] == slides[0] && rests[1] == slides[1]);
    thud_block block = {.kind = THUD_BLOCK_CONTACT,
                        .dim = 3,
                        .static_friction = {rests[0], rests[1]},
                        .kinetic_friction = {slides[0], slides[1]},
                        .frame = {of->frame[0], of->frame[1], of->frame[2]},
                        .body1 = c->body1,
                        .body2 = c->body2,
                        .geom1 = c->geom1,
                        .geom2 = c->geom2};
    thud_cone_block cone = {.kind = THUD_CONE_KIND_CONTACT, .dim = 3, .mu = {rests[0], rests[1]}};
    site *s = &rows->site[rows->order[k]];
    for (int i = 0; i < count; i++, k++, s++) {
        thud_block *to = &rows->sorted[k];
        block.row = cone.row = s->row;
        block.source = s->source;
        block.id = c[i].id;
        block.phi = of->phi[i];
        block.point = v3(of->point[0][i], of->point[1][i], of->point[2][i]);
        *to = block;
        rows->cone[k] = cone;
        s->varies = varies;
        s->viscous = law->viscous;
        s->stribeck = law->stribeck;
    }
}

typedef struct patch_arm { // what the rows of a patch do to one link
    vec3 f[3];             // force
    lanes n[3];            // torque of each contact
} patch_arm;

THUD_INSIDE void patch_push(const thud_contact_patch *of, vec3 o, double sign, patch_arm *out)
{
    const lanes x = lanes_load(of->point), lever = {x.x - o.x, x.y - o.y, x.z - o.z};
    for (int r = 0; r < 3; r++) {
        const vec3 f = v3_scale(sign, of->frame[r]);
        const lanes n = {lever.y * f.z - lever.z * f.y, lever.z * f.x - lever.x * f.z,
                         lever.x * f.y - lever.y * f.x};
        out->f[r] = f;
        out->n[r] = n;
    }
}

// u += G v
THUD_INSIDE void patch_add_velocity(const patch_arm *a, const thud_motion *V, lane u[3])
{
    for (int r = 0; r < 3; r++) {
        lane turning;
        lanes_dot(a->n[r], V->ang, &turning);
        u[r] += turning + v3_dot(a->f[r], V->lin);
    }
}

// The size of what u without impulses is summed up from.
THUD_INSIDE void patch_add_size(const patch_arm *a, const thud_motion *V, double fall, lane size[3])
{
    const double moves = sum_of(V->lin) + fall, turns = sum_of(V->ang) + fall;
    for (int r = 0; r < 3; r++) {
        size[r] += sum_of(a->f[r]) * moves;
        add_size(a->n[r], turns, &size[r]);
    }
}

typedef double pair __attribute__((vector_size(2 * sizeof(double)), aligned(sizeof(double)), may_alias));

// The innovations of a patch on a free body whose M is diagonal, into a strip of each lane; adds their squares to the trace.
THUD_INSIDE void patch_innovate(const patch_arm *a, const mat3 *R, const double *root,
                                double *const S[THUD_LANES], lane *trace)
{
    lane sum = {0};
    for (int r = 0; r < 3; r++) {
        const double e[3] = {a->f[r].x * root[0], a->f[r].y * root[1], a->f[r].z * root[2]};
        lane x, y, z, squares = (lane){0} + (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
        lanes_dot(a->n[r], m3_col(R, 0), &x);
        lanes_dot(a->n[r], m3_col(R, 1), &y);
        lanes_dot(a->n[r], m3_col(R, 2), &z);
        x *= root[3];
        y *= root[4];
        z *= root[5];
        squares += x * x;
        squares += y * y;
        squares += z * z;
        sum += squares;
        const lane even = __builtin_shufflevector(x, y, 0, 4, 2, 6), odd = __builtin_shufflevector(x, y, 1, 5, 3, 7);
        const pair xy[THUD_LANES] = {
            __builtin_shufflevector(even, even, 0, 1), __builtin_shufflevector(odd, odd, 0, 1),
            __builtin_shufflevector(even, even, 2, 3), __builtin_shufflevector(odd, odd, 2, 3)};
        for (int c = 0; c < THUD_LANES; c++) {
            double *to = S[c] + r * FREE;
            to[0] = e[0];
            to[1] = e[1];
            to[2] = e[2];
            *(pair *)(to + 3) = xy[c];
            to[5] = z[c];
        }
    }
    *trace += sum;
}
