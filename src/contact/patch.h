// SPDX-License-Identifier: Apache-2.0
// patch.h: contacts of the same two geoms with one normal, up to four at a time, one in each lane. Private to the room.
//
// They share bodies, friction and frame, and so the forces of their rows; only the levers differ. Every lane is computed and summed
// as the rows of a contact by itself are (measure.c, wrenches.h, innovations.h): the numbers are the same to the last bit.
#pragma once

#include <string.h>

#include <thud/linalg_fours.h>

#include "delassus_tiles.h"
#include "innovations.h"

// A velocity that is zero but for rounding must not become a task for the solvers: they work to a relative residual and
// would never be done. What counts as rounding follows from the speeds that the row was computed from; gravity's step
// stands for the accelerations in them.
THUD_INSIDE void drop_rounding(const four *size, four *u)
{
    static const double ROUNDING = 1e-13;
    four much = *u;
    fours_size(&much);
    *u = FOURS_ONLY(much > ROUNDING * *size, *u);
}

THUD_INSIDE double sum_of(vec3 v) // of absolute values: no less than its length
{
    return fabs(v.x) + fabs(v.y) + fabs(v.z);
}

THUD_INSIDE void add_size(lanes of, double times, four *to) // |of| times a number
{
    fours_size(&of.x);
    fours_size(&of.y);
    fours_size(&of.z);
    *to += (of.x + of.y + of.z) * times;
}

// Three rows of the contacts of a patch, which lie one behind the other.
THUD_INSIDE void patch_put(const four x[3], int count, double *to)
{
    if (count < THUD_LANES) {
        for (int c = 0; c < count; c++, to += 3) {
            to[0] = x[0][c];
            to[1] = x[1][c];
            to[2] = x[2][c];
        }
        return;
    }
    fours_join(x, to);
}

// The blocks of a patch, from the k-th in island order on.
THUD_INSIDE void patch_fill(const thud_rows *rows, const thud_contact_patch *of, int k, int count)
{
    const thud_contact *c = of->contact;
    const thud_contact_law *law = &c->law;
    const double *rests = law->friction, *slides = law->kinetic;
    const bool varies = !(law->viscous == 0 && rests[0] == slides[0] && rests[1] == slides[1]);
    const vec3 n = of->frame[0], t1 = of->frame[1], t2 = of->frame[2];
    const thud_cone_block cone = {.kind = THUD_CONE_KIND_CONTACT, .dim = 3, .mu = {rests[0], rests[1]}};
    site *s = &rows->site[rows->order[k]];
    for (int i = 0; i < count; i++, k++, s++) {
        thud_block *to =
            &rows->sorted[k]; // number by number: a copy of one just written would have to wait for that
        to->kind = THUD_BLOCK_CONTACT;
        to->row = s->row;
        to->dim = 3;
        to->source = s->source;
        to->id = c[i].id;
        to->phi = of->phi[i];
        to->static_friction[0] = rests[0];
        to->static_friction[1] = rests[1];
        to->kinetic_friction[0] = slides[0];
        to->kinetic_friction[1] = slides[1];
        to->point = v3(of->point[0][i], of->point[1][i], of->point[2][i]);
        to->frame[0] = n;
        to->frame[1] = t1;
        to->frame[2] = t2;
        to->body1 = c->body1;
        to->body2 = c->body2;
        to->geom1 = c->geom1;
        to->geom2 = c->geom2;
        rows->cone[k] = cone;
        rows->cone[k].row = s->row;
        s->varies = varies;
        s->viscous = law->viscous;
        s->stribeck = law->stribeck;
    }
}

typedef double pair __attribute__((vector_size(2 * sizeof(double)), aligned(sizeof(double)), may_alias));

// Row r of the strips of a free body whose M is diagonal, one in each lane, for a force and the torques n; adds its squares.
THUD_INSIDE void patch_innovate(vec3 f, const lanes *n, const mat3 *R, const double *root, int r,
                                double *const S[THUD_LANES], four *trace)
{
    const double e[3] = {f.x * root[0], f.y * root[1], f.z * root[2]};
    four x, y, z, squares = (four){0} + (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
    lanes_dot(*n, m3_col(R, 0), &x);
    lanes_dot(*n, m3_col(R, 1), &y);
    lanes_dot(*n, m3_col(R, 2), &z);
    x *= root[3];
    y *= root[4];
    z *= root[5];
    squares += x * x;
    squares += y * y;
    squares += z * z;
    *trace += squares;
    const four even = __builtin_shufflevector(x, y, 0, 4, 2, 6),
               odd = __builtin_shufflevector(x, y, 1, 5, 3, 7);
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

// u += G v of a row
THUD_INSIDE void patch_add_velocity(vec3 f, const lanes *n, const thud_motion *V, four *u)
{
    four turning;
    lanes_dot(*n, V->ang, &turning);
    *u += turning + v3_dot(f, V->lin);
}

typedef struct
    patch_rows { // of a patch: velocities before the step and without impulses, and what the latter are summed up from
    four before[3], after[3], size[3], trace;
} patch_rows;

typedef struct patch_arm { // of a patch on one link, a free body whose M is diagonal
    const thud_link *link;
    double sign; // of its forces: -1 on the first body
    const double *root;
    const thud_motion *V, *V_free;
    double *S[THUD_LANES]; // the strip of each contact
} patch_arm;

// What the rows do to that link. dim is 3: a loop that stays one, of code that runs once a step and is best short.
THUD_INSIDE void patch_push(const thud_contact_patch *of, const patch_arm *a, double fall, int dim,
                            patch_rows *out)
{
    const vec3 o = a->link->o;
    const lanes x = lanes_load(of->point), lever = {x.x - o.x, x.y - o.y, x.z - o.z};
    const double moves = sum_of(a->V_free->lin) + fall, turns = sum_of(a->V_free->ang) + fall;
    four trace = {0};
    for (int r = 0; r < dim; r++) {
        const vec3 f = v3_scale(a->sign, of->frame[r]);
        const lanes n = {lever.y * f.z - lever.z * f.y, lever.z * f.x - lever.x * f.z,
                         lever.x * f.y - lever.y * f.x};
        patch_innovate(f, &n, &a->link->R, a->root, r, a->S, &trace);
        patch_add_velocity(f, &n, a->V, &out->before[r]);
        patch_add_velocity(f, &n, a->V_free, &out->after[r]);
        out->size[r] += sum_of(f) * moves;
        add_size(n, turns, &out->size[r]);
    }
    out->trace += trace;
}
