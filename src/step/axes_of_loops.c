// SPDX-License-Identifier: Apache-2.0
// axes_of_loops.c: what acts along the motion that an equality leaves free: the limits, springs, dampers,
// rotors and dry friction of a joint that is written as an equality (maximal coordinates). [theory 1, 4]
//
//     p = -h (k (x - x0 + h u+) + d u+) - I (u+ - u)         a row with compliance:  u+ + epsilon p + b = 0,
//     epsilon = 1 / (h^2 k + h d + I),   b = epsilon (h k (x - x0) - I u)
//
// Symbols  x the joint's position, x0 where its spring rests, k d I stiffness, damping and rotor inertia.
// Differs  springs and dampers are backward Euler's here (theta = 1), those of joints proper as implicit.c says:
//          the two coordinates agree to first order.
#include <math.h>

#include <thud/spatial_inline.h>

#include "loops.h"

// An axis that is left free, and where the joint stands along it.
typedef struct freedom {
    thud_force row; // about the world's origin
    double x;
} freedom;

// The free axes of equality e: how many.
static int freedoms_of(const thud_sim *sim, int e, freedom out[3])
{
    const thud_model *m = sim->m;
    const thud_pose F1 = sim_frame(sim, m->eq_obj1[e], m->eq_frame1[e]);
    const thud_pose F2 = sim_frame(sim, m->eq_obj2[e], m->eq_frame2[e]);
    const mat3 R1 = m3_of_quat(F1.q);
    const vec3 z = m3_col(&R1, 2), none = v3(0, 0, 0);
    const quat turn = q_mul(q_conj(F1.q), F2.q); // F2 in F1
    switch (m->eq_type[e]) {
    case THUD_EQUALITY_HINGE:
        out[0] = (freedom){{z, none}, m->eq_ref[e] + 2 * atan2(turn.w < 0 ? -turn.z : turn.z, fabs(turn.w))};
        return 1;
    case THUD_EQUALITY_SLIDE:
        out[0] = (freedom){{v3_cross(F2.p, z), z}, m->eq_ref[e] + v3_dot(z, v3_sub(F2.p, F1.p))};
        return 1;
    case THUD_EQUALITY_CONNECT:
        for (int k = 0; k < 3; k++) {
            out[k] = (freedom){{m3_col(&R1, k), none}, v3_get(q_log(turn), k)};
        }
        return 3;
    default:
        return 0;
    }
}

static thud_axis_row axis_of(const thud_model *m, int e, int part, const freedom *f)
{
    return (thud_axis_row){
        .equality = e, .part = part, .body1 = m->eq_obj1[e], .body2 = m->eq_obj2[e], .row = f->row};
}

static thud_status add_spring(thud_sim *sim, int e, int part, const freedom *f, double h)
{
    const thud_model *m = sim->m;
    const double k = m->eq_stiffness[e], d = m->eq_damping[e], rotor = m->eq_armature[e];
    const double A = h * h * k + h * d + rotor;
    if (!(A > 0)) {
        return THUD_OK;
    }
    thud_axis_row axis = axis_of(m, e, part, f);
    const double u =
        loop_row_velocity(sim, &f->row, axis.body2) - loop_row_velocity(sim, &f->row, axis.body1);
    axis.kind = THUD_BLOCK_LOOP;
    axis.epsilon = 1 / A;
    axis.b = (h * k * (f->x - m->eq_springref[e]) - rotor * u) / A;
    return thud_rows_add_axis(sim->rows, &axis);
}

// One limit: room phi left, force along sign. h = 0: as a correction.
static thud_status add_limit(thud_sim *sim, int e, int part, const freedom *f, int sign, double phi, double h)
{
    thud_axis_row axis = axis_of(sim->m, e, part, f);
    axis.row = (thud_force){v3_scale(sign, f->row.ang), v3_scale(sign, f->row.lin)};
    const double u =
        loop_row_velocity(sim, &axis.row, axis.body2) - loop_row_velocity(sim, &axis.row, axis.body1);
    const double near = h > 0 ? sim_touch(sim, h) : TOUCHING;
    if (phi + fmin(h * u, 0) > near) {
        return THUD_OK;
    }
    axis.kind = THUD_BLOCK_LIMIT;
    axis.phi = phi;
    axis.b = h > 0 ? sim_closing(phi, h) : phi;
    return thud_rows_add_axis(sim->rows, &axis);
}

static thud_status add_limits(thud_sim *sim, int e, const freedom *f, int count, double h)
{
    const thud_model *m = sim->m;
    const double *range = m->eq_range + 2 * (size_t)e;
    if (!m->limit_on || !m->eq_limited[e]) {
        return THUD_OK;
    }
    if (count == 3) { // a ball: the whole angle
        const vec3 turn = v3(f[0].x, f[1].x, f[2].x);
        const double angle = v3_norm(turn), s = angle > 0 ? 1 / angle : 0;
        vec3 about = v3_scale(s * turn.x, f[0].row.ang);
        about = v3_axpy(s * turn.y, f[1].row.ang, about);
        const freedom whole = {{v3_axpy(s * turn.z, f[2].row.ang, about), v3(0, 0, 0)}, angle};
        return angle > 0 ? add_limit(sim, e, 8, &whole, -1, range[1] - angle, h) : THUD_OK;
    }
    THUD_TRY(add_limit(sim, e, 8, f, 1, f->x - range[0], h));
    return add_limit(sim, e, 9, f, -1, range[1] - f->x, h);
}

thud_status loop_axes_add(thud_sim *sim, int e, double h)
{
    const thud_model *m = sim->m;
    freedom f[3];
    const int count = freedoms_of(sim, e, f);
    THUD_TRY(add_limits(sim, e, f, count, h));
    for (int k = 0; k < count && h > 0; k++) {
        THUD_TRY(add_spring(sim, e, k, &f[k], h));
        if (m->frictionloss_on && m->eq_frictionloss[e] > 0) {
            thud_axis_row axis = axis_of(m, e, 4 + k, &f[k]);
            axis.kind = THUD_BLOCK_DRY;
            axis.bound = h * m->eq_frictionloss[e];
            THUD_TRY(thud_rows_add_axis(sim->rows, &axis));
        }
    }
    return THUD_OK;
}

double loop_axes_error(const thud_sim *sim, int e)
{
    const thud_model *m = sim->m;
    const double *range = m->eq_range + 2 * (size_t)e;
    freedom f[3];
    const int count = m->limit_on && m->eq_limited[e] ? freedoms_of(sim, e, f) : 0;
    if (count == 3) {
        return fmax(0, v3_norm(v3(f[0].x, f[1].x, f[2].x)) - range[1]);
    }
    return count == 1 ? fmax(0, fmax(range[0] - f->x, f->x - range[1])) : 0;
}
