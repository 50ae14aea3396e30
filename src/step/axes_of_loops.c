// SPDX-License-Identifier: Apache-2.0
// axes_of_loops.c: forces along the motion that an equality leaves free: the limits, springs, dampers,
// rotors and dry friction of a joint that is written as an equality (maximal coordinates). [theory 1, 4]
//
//     p = -h (k (x - x0 + h u+) + d u+) - I (u+ - u)         a row with compliance:  u+ + epsilon p + b = 0,
//     epsilon = 1 / (h^2 k + h d + I),   b = epsilon (h k (x - x0) - I u)
//
// Symbols  x the joint's position, x0 where its spring rests, k d I stiffness, damping and rotor inertia.
// Differs  springs and dampers are backward Euler's here (theta = 1), those of joints proper as implicit.c says:
//          the two coordinates agree to first order.
#include <math.h>

#include <thud/elementary.h>
#include <thud/spatial_inline.h>

#include "loops.h"

int loop_freedoms(const thud_sim *sim, int e, freedom out[3])
{
    const thud_model *m = sim->m;
    const thud_pose F1 = sim_frame(sim, m->eq_obj1[e], m->eq_frame1[e]);
    const thud_pose F2 = sim_frame(sim, m->eq_obj2[e], m->eq_frame2[e]);
    const mat3 R1 = m3_of_quat(F1.q);
    const vec3 z = m3_col(&R1, 2), none = v3(0, 0, 0);
    const quat turn = q_mul(q_conj(F1.q), F2.q); // F2 in F1
    switch (m->eq_type[e]) {
    case THUD_EQUALITY_HINGE:
        out[0] =
            (freedom){{z, none}, m->eq_ref[e] + 2 * thud_atan2(turn.w < 0 ? -turn.z : turn.z, fabs(turn.w))};
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

thud_axis_row loop_axis_row(const thud_model *m, int e, int part, const freedom *f)
{
    return (thud_axis_row){
        .equality = e, .part = part, .body1 = m->eq_obj1[e], .body2 = m->eq_obj2[e], .row = f->row};
}

double loop_axis_velocity(const thud_sim *sim, int e, const freedom *f)
{
    return loop_row_velocity(sim, sim->fall.V, &f->row, sim->m->eq_obj2[e]) -
           loop_row_velocity(sim, sim->fall.V, &f->row, sim->m->eq_obj1[e]);
}

static thud_status add_spring(thud_sim *sim, int e, int part, const freedom *f, double h)
{
    const thud_model *m = sim->m;
    const double k = m->eq_stiffness[e], d = m->eq_damping[e], rotor = m->eq_armature[e];
    const double A = h * h * k + h * d + rotor;
    if (!(A > 0)) {
        return THUD_OK;
    }
    thud_axis_row axis = loop_axis_row(m, e, part, f);
    const double u = loop_axis_velocity(sim, e, f);
    axis.kind = THUD_BLOCK_LOOP;
    axis.epsilon = 1 / A;
    axis.b = (h * k * (f->x - m->eq_springref[e]) - rotor * u) / A;
    return thud_rows_add_axis(sim->ask.rows, &axis);
}

bool loop_limit(const thud_sim *sim, int e, int k, freedom *out)
{
    const thud_model *m = sim->m;
    const double *range = m->eq_range + 2 * (size_t)e;
    freedom f[3];
    const int count = m->limit_on && m->eq_limited[e] ? loop_freedoms(sim, e, f) : 0;
    if (count == 3) { // a ball: the whole angle
        const vec3 turn = v3(f[0].x, f[1].x, f[2].x);
        const double angle = v3_norm(turn), s = angle > 0 ? -1 / angle : 0;
        vec3 about = v3_scale(s * turn.x, f[0].row.ang);
        about = v3_axpy(s * turn.y, f[1].row.ang, about);
        *out = (freedom){{v3_axpy(s * turn.z, f[2].row.ang, about), v3(0, 0, 0)}, range[1] - angle};
        return k == 0 && angle > 0;
    }
    const double sign = k == 0 ? 1 : -1;
    *out = count == 1
               ? (freedom){{v3_scale(sign, f->row.ang), v3_scale(sign, f->row.lin)}, sign * (f->x - range[k])}
               : (freedom){0};
    return count == 1;
}

// Limits that may be reached in a step of h; 0: as corrections; below 0: those that touch, in a collision.
static thud_status add_limits(thud_sim *sim, int e, double h)
{
    for (int k = 0; k < 2; k++) {
        freedom f;
        if (!loop_limit(sim, e, k, &f)) {
            continue;
        }
        const double reach = h > 0 ? h * thud_min(loop_axis_velocity(sim, e, &f), 0) : 0;
        if (f.x + reach <= (h > 0 ? sim_touch(sim, h) : TOUCHING)) {
            thud_axis_row axis = loop_axis_row(sim->m, e, 8 + k, &f);
            axis.kind = THUD_BLOCK_LIMIT;
            axis.phi = f.x;
            axis.b = h > 0 ? sim_closing(sim, f.x, h) : h < 0 ? 0 : f.x;
            THUD_TRY(thud_rows_add_axis(sim->ask.rows, &axis));
        }
    }
    return THUD_OK;
}

thud_status loop_axes_add(thud_sim *sim, int e, double h)
{
    const thud_model *m = sim->m;
    freedom f[3];
    const int count = loop_freedoms(sim, e, f);
    THUD_TRY(add_limits(sim, e, h));
    for (int k = 0; k < count && h > 0; k++) {
        THUD_TRY(add_spring(sim, e, k, &f[k], h));
        if (m->frictionloss_on && m->eq_frictionloss[e] > 0) {
            thud_axis_row axis = loop_axis_row(m, e, 4 + k, &f[k]);
            axis.kind = THUD_BLOCK_DRY;
            axis.bound = h * m->eq_frictionloss[e];
            THUD_TRY(thud_rows_add_axis(sim->ask.rows, &axis));
        }
    }
    return THUD_OK;
}

thud_status loop_axes_hold(thud_sim *sim, int e)
{
    const double rotor = sim->m->eq_armature[e];
    freedom f[3];
    const int count = rotor > 0 ? loop_freedoms(sim, e, f) : 0;
    for (int k = 0; k < count; k++) { // p = -I (u+ - u)
        thud_axis_row axis = loop_axis_row(sim->m, e, k, &f[k]);
        axis.kind = THUD_BLOCK_LOOP;
        axis.epsilon = 1 / rotor;
        axis.b = -loop_axis_velocity(sim, e, &f[k]);
        THUD_TRY(thud_rows_add_axis(sim->ask.rows, &axis));
    }
    return add_limits(sim, e, -1);
}

double loop_axes_error(const thud_sim *sim, int e)
{
    double worst = 0;
    for (int k = 0; k < 2; k++) {
        freedom f;
        worst = loop_limit(sim, e, k, &f) ? thud_max(worst, -f.x) : worst;
    }
    return worst;
}
