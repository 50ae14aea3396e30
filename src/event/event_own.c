// SPDX-License-Identifier: Apache-2.0
// event_own.c: the ties that a model itself brings: limits and dry friction of joints, tendons and the axes of
// equalities (joints in maximal coordinates).
//
// Dry friction is a contact whose normal force is given: it sticks or slides, and never opens. It takes no part
// in collisions, which take no time.
#include "event.h"

int own_most(const thud_model *m)
{
    return 2 * m->joints + m->nv + 3 * m->tendons + (2 + AXES) * m->equalities;
}

static void add(thud_sim *sim, tie t)
{
    if (tie_is_dry(&t)) {
        t.slips = 1;
        t.touching = t.resting = true;
    }
    sim->above.event->tie[sim->above.event->ties++] = t;
}

static void list_joints(thud_sim *sim)
{
    const thud_model *m = sim->m;
    for (int j = 0; j < m->joints; j++) {
        limit l[2];
        const int count = limits_of(m, j, sim->begun.q_start, l);
        for (int k = 0; k < count; k++) {
            const uint64_t id = thud_row_id(THUD_ROW_LIMIT, 2 * j + (l[k].sign < 0));
            add(sim, (tie){.kind = TIE_LIMIT, .of = j, .part = k, .id = id});
        }
    }
    for (int i = 0; m->frictionloss_on && i < m->nv; i++) {
        if (m->dof_frictionloss[i] > 0) {
            add(sim, (tie){.kind = TIE_DRY,
                           .of = i,
                           .bound = m->dof_frictionloss[i],
                           .id = thud_row_id(THUD_ROW_DRY, i)});
        }
    }
}

static void list_tendons(thud_sim *sim)
{
    const thud_model *m = sim->m;
    for (int t = 0; t < m->tendons; t++) {
        for (int k = 0; k < 2 && m->limit_on && m->tendon_limited[t]; k++) {
            const uint64_t id = thud_row_id(THUD_ROW_LEVER, 4 * t + k);
            add(sim, (tie){.kind = TIE_TENDON_LIMIT, .of = t, .part = k, .id = id});
        }
        if (m->frictionloss_on && m->tendon_frictionloss[t] > 0) {
            add(sim, (tie){.kind = TIE_TENDON_DRY,
                           .of = t,
                           .bound = m->tendon_frictionloss[t],
                           .id = thud_row_id(THUD_ROW_LEVER, 4 * t + 2)});
        }
    }
}

static void list_axes(thud_sim *sim, int e)
{
    const thud_model *m = sim->m;
    freedom f[AXES];
    for (int k = 0; k < 2; k++) {
        if (loop_limit(sim, e, k, &f[0])) {
            const uint64_t id = thud_row_id(THUD_ROW_AXIS, 16 * e + 8 + k);
            add(sim, (tie){.kind = TIE_AXIS_LIMIT, .of = e, .part = k, .id = id});
        }
    }
    const int count = m->frictionloss_on && m->eq_frictionloss[e] > 0 ? loop_freedoms(sim, e, f) : 0;
    for (int k = 0; k < count; k++) {
        add(sim, (tie){.kind = TIE_AXIS_DRY,
                       .of = e,
                       .part = k,
                       .bound = m->eq_frictionloss[e],
                       .id = thud_row_id(THUD_ROW_AXIS, 16 * e + 4 + k)});
    }
}

void own_list(thud_sim *sim)
{
    list_joints(sim);
    list_tendons(sim);
    for (int e = 0; e < sim->m->equalities; e++) {
        if (loop_has_axes(sim->m, e)) {
            list_axes(sim, e);
        }
    }
}

static int sign_of(const tie *t) // of the force of a tendon's limit
{
    return t->part == 0 ? 1 : -1;
}

static freedom axis_of(const thud_sim *sim, const tie *t)
{
    freedom f[AXES] = {0};
    if (t->kind == TIE_AXIS_LIMIT) {
        (void)loop_limit(sim, t->of, t->part, f);
        return f[0];
    }
    (void)loop_freedoms(sim, t->of, f);
    return f[t->part];
}

void own_measure(thud_sim *sim, tie *t, const double *q, const double *v)
{
    limit l[2];
    freedom f;
    switch (t->kind) {
    case TIE_LIMIT:
        (void)limits_of(sim->m, t->of, q, l);
        t->phi = l[t->part].phi;
        t->u[0] = limit_rate(sim->m, t->of, &l[t->part], v);
        break;
    case TIE_TENDON_LIMIT:
        t->phi = tendon_room(sim, t->of, sign_of(t));
        t->u[0] = sign_of(t) * tendon_velocity(sim, t->of, v);
        break;
    case TIE_AXIS_LIMIT:
        f = axis_of(sim, t);
        t->phi = f.x;
        t->u[0] = loop_axis_velocity(sim, t->of, &f);
        break;
    case TIE_DRY:
        t->u[1] = v[t->of];
        break;
    case TIE_TENDON_DRY:
        t->u[1] = tendon_velocity(sim, t->of, v);
        break;
    case TIE_AXIS_DRY:
        f = axis_of(sim, t);
        t->u[1] = loop_axis_velocity(sim, t->of, &f);
        break;
    case TIE_CONTACT:
        break;
    }
}

static thud_status add_axis(thud_sim *sim, const tie *t)
{
    const bool dry = tie_is_dry(t);
    const freedom f = axis_of(sim, t);
    thud_axis_row axis = loop_axis_row(sim->m, t->of, (dry ? 4 : 8) + t->part, &f);
    axis.kind = dry ? THUD_BLOCK_DRY : THUD_BLOCK_LIMIT;
    axis.phi = t->phi;
    axis.bound = t->bound;
    axis.b = t->b[dry];
    return thud_rows_add_axis(sim->ask.rows, &axis);
}

thud_status own_add(thud_sim *sim, const tie *t, const double *q)
{
    limit l[2];
    switch (t->kind) {
    case TIE_LIMIT:
        (void)limits_of(sim->m, t->of, q, l);
        return thud_rows_add_limit(sim->ask.rows, t->of, l[t->part].sign, l[t->part].axis, t->phi, t->b[0]);
    case TIE_TENDON_LIMIT:
        return tendon_limit_add(sim, t->of, sign_of(t), t->phi, t->b[0]);
    case TIE_DRY:
        return thud_rows_add_dry(sim->ask.rows, t->of, t->bound); // G is constant: b is 0
    case TIE_TENDON_DRY:
        return tendon_dry_add(sim, t->of, t->bound, t->b[1]);
    default:
        return add_axis(sim, t);
    }
}
