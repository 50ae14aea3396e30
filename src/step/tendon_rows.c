// SPDX-License-Identifier: Apache-2.0
// tendon_rows.c: rows of tendons: limits of their length, dry friction, equalities. [theory 1]
//
// As loops.c for joints, with a lever in place of a dof. The drive's levers are where the links are.
#include <math.h>

#include "loops.h"

static bool tendon_holds(const thud_model *m, int t)
{
    return (m->limit_on && m->tendon_limited[t]) || (m->frictionloss_on && m->tendon_frictionloss[t] > 0);
}

bool tendon_equality(const thud_model *m, int e)
{
    return m->equality_on && m->eq_active[e] && m->eq_type[e] == THUD_EQUALITY_TENDON;
}

bool tendon_rows_any(const thud_model *m)
{
    bool any = false;
    for (int t = 0; t < m->tendons; t++) {
        any |= tendon_holds(m, t);
    }
    for (int e = 0; e < m->equalities; e++) {
        any |= tendon_equality(m, e);
    }
    return any;
}

static double rate(const thud_lever *l, const double *v)
{
    double sum = 0;
    for (int k = 0; k < l->count; k++) {
        sum += l->value[k] * v[l->dof[k]];
    }
    return sum;
}

static thud_row_lever part(const thud_lever *l, double scale)
{
    return (thud_row_lever){.count = l->count, .dof = l->dof, .value = l->value, .scale = scale};
}

// ---------------------------------------------------------------------------------------------- equalities

// The error of an equality, and the slope of its polynomial.
static double equality_error(const thud_sim *sim, int e, double *slope)
{
    const thud_model *m = sim->m;
    const int t1 = m->eq_obj1[e], t2 = m->eq_obj2[e];
    const double *length = sim->force.drive->tendon_length, *l0 = m->eq_q0 + 2 * (size_t)e;
    return length[t1] - l0[0] - loop_polynomial(m, e, t2 < 0 ? 0 : length[t2] - l0[1], slope);
}

static double equality_rate(const thud_sim *sim, int e, double slope, const double *v)
{
    const int t1 = sim->m->eq_obj1[e], t2 = sim->m->eq_obj2[e];
    const thud_lever *lever = sim->force.drive->tendon;
    return rate(&lever[t1], v) - (t2 < 0 ? 0 : slope * rate(&lever[t2], v));
}

static thud_status add_row(thud_sim *sim, int e, double slope, double b)
{
    const thud_model *m = sim->m;
    thud_lever_row row = {.kind = THUD_BLOCK_LOOP, .source = e, .b = b};
    row.lever[0] = part(&sim->force.drive->tendon[m->eq_obj1[e]], 1);
    if (m->eq_obj2[e] >= 0) {
        row.lever[1] = part(&sim->force.drive->tendon[m->eq_obj2[e]], -slope);
    }
    return thud_rows_add_lever(sim->ask.rows, &row);
}

// h as of add_equalities in loops.c: > 0 a step, 0 corrections.
static thud_status add_equality(thud_sim *sim, int e, double h)
{
    double slope, g = equality_error(sim, e, &slope);
    if (h > 0) {
        const thud_ask ask = sim_ask(sim);
        const double *v = ask == THUD_ASK_POSITION ? sim->fall.v_hat : sim->begun.v_start;
        const double u = equality_rate(sim, e, slope, v), start = sim->ask.loop_u[6 * (size_t)e];
        const double before = sim->ask.loop_g[6 * (size_t)e];
        g = ask == THUD_ASK_GAP ? u - start : ask == THUD_ASK_POSITION ? (g - before) / h - u : 0;
    }
    return add_row(sim, e, slope, g);
}

double tendon_equality_error(const thud_sim *sim, int e)
{
    double slope;
    return equality_error(sim, e, &slope);
}

double tendon_equality_velocity(const thud_sim *sim, int e, const double *v)
{
    double slope;
    (void)equality_error(sim, e, &slope);
    return equality_rate(sim, e, slope, v);
}

thud_status tendon_equality_add(thud_sim *sim, int e, double b)
{
    double slope;
    (void)equality_error(sim, e, &slope);
    return add_row(sim, e, slope, b);
}

static thud_status add_equalities(thud_sim *sim, double h)
{
    for (int e = 0; e < sim->m->equalities; e++) {
        THUD_TRY(tendon_equality(sim->m, e) ? add_equality(sim, e, h) : THUD_OK);
    }
    return THUD_OK;
}

// ---------------------------------------------------------------------------------------------- limits

// Room left to the limit that pushes to this side: +1 the lower, -1 the upper.
static double room(const thud_model *m, int t, int sign, double length)
{
    const double *range = m->tendon_range + 2 * (size_t)t;
    return sign > 0 ? length - range[0] : range[1] - length;
}

double tendon_room(const thud_sim *sim, int t, int sign)
{
    return room(sim->m, t, sign, sim->force.drive->tendon_length[t]);
}

double tendon_velocity(const thud_sim *sim, int t, const double *v)
{
    return rate(&sim->force.drive->tendon[t], v);
}

thud_status tendon_limit_add(thud_sim *sim, int t, int sign, double phi, double b)
{
    thud_lever_row row = {
        .kind = THUD_BLOCK_LIMIT, .source = t, .part = sign > 0 ? 0 : 1, .phi = phi, .b = b};
    row.lever[0] = part(&sim->force.drive->tendon[t], sign);
    return thud_rows_add_lever(sim->ask.rows, &row);
}

thud_status tendon_dry_add(thud_sim *sim, int t, double bound, double b)
{
    thud_lever_row row = {.kind = THUD_BLOCK_DRY, .source = t, .part = 2, .bound = bound, .b = b};
    row.lever[0] = part(&sim->force.drive->tendon[t], 1);
    return thud_rows_add_lever(sim->ask.rows, &row);
}

static thud_status add_limits(thud_sim *sim, int t, double h)
{
    const thud_model *m = sim->m;
    const thud_lever *l = &sim->force.drive->tendon[t];
    const thud_ask ask = sim_ask(sim);
    for (int sign = 1; sign >= -1; sign -= 2) {
        const double now = room(m, t, sign, sim->force.tendon_start[t]),
                     then = room(m, t, sign, sim->force.drive->tendon_length[t]);
        const double u = thud_min(sign * rate(l, sim->begun.v_start), sign * rate(l, sim->fall.v_free));
        if (now + (ask == THUD_ASK_VELOCITY ? 0 : h * u) > sim_touch(sim, h)) {
            continue;
        }
        const double b = ask == THUD_ASK_POSITION
                             ? (then - thud_min(now, 0)) / h - sign * rate(l, sim->fall.v_hat)
                             : thud_max(now, 0) / h;
        THUD_TRY(tendon_limit_add(sim, t, sign, now, b));
    }
    return THUD_OK;
}

// Limits nearer than `reach` where the links are; as corrections, or as velocities of a collision.
static thud_status add_near(thud_sim *sim, double reach, bool correct)
{
    const thud_model *m = sim->m;
    for (int t = 0; m->limit_on && t < m->tendons; t++) {
        for (int sign = 1; m->tendon_limited[t] && sign >= -1; sign -= 2) {
            const double phi = tendon_room(sim, t, sign);
            if (phi <= reach) {
                THUD_TRY(tendon_limit_add(sim, t, sign, phi, correct ? phi : 0));
            }
        }
    }
    return THUD_OK;
}

// ---------------------------------------------------------------------------------------------- all

void tendon_rows_place(const thud_sim *sim, const double *qpos)
{
    if (sim->ask.tendon_rows) {
        thud_drive_place(sim->m, qpos, sim->d, sim->force.drive);
    }
}

void tendon_rows_begin(thud_sim *sim)
{
    const thud_model *m = sim->m;
    if (!sim->ask.tendon_rows) {
        return;
    }
    tendon_rows_place(sim, sim->begun.q_start);
    for (int t = 0; t < m->tendons; t++) {
        sim->force.tendon_start[t] = sim->force.drive->tendon_length[t];
    }
    for (int e = 0; e < m->equalities; e++) {
        if (tendon_equality(m, e)) {
            sim->ask.loop_g[6 * (size_t)e] = tendon_equality_error(sim, e);
            sim->ask.loop_u[6 * (size_t)e] = tendon_equality_velocity(sim, e, sim->begun.v_start);
        }
    }
}

thud_status tendon_rows_add(thud_sim *sim, double h)
{
    const thud_model *m = sim->m;
    if (!sim->ask.tendon_rows) {
        return THUD_OK;
    }
    tendon_rows_place(sim, sim->fall.q);
    for (int t = 0; t < m->tendons; t++) {
        THUD_TRY(m->limit_on && m->tendon_limited[t] ? add_limits(sim, t, h) : THUD_OK);
        if (m->frictionloss_on && m->tendon_frictionloss[t] > 0) {
            THUD_TRY(tendon_dry_add(sim, t, h * m->tendon_frictionloss[t], 0));
        }
    }
    return add_equalities(sim, h);
}

thud_status tendon_rows_correct(thud_sim *sim, double reach)
{
    if (!sim->ask.tendon_rows) {
        return THUD_OK;
    }
    tendon_rows_place(sim, sim->go.q_next);
    THUD_TRY(add_near(sim, reach, true));
    return add_equalities(sim, 0);
}

thud_status tendon_rows_hold(thud_sim *sim)
{
    if (!sim->ask.tendon_rows) {
        return THUD_OK;
    }
    tendon_rows_place(sim, sim->begun.q_start);
    return add_near(sim, TOUCHING, false);
}

double tendon_rows_error(const thud_sim *sim, const double *qpos)
{
    const thud_model *m = sim->m;
    double worst = 0, slope;
    if (!sim->ask.tendon_rows) {
        return 0;
    }
    tendon_rows_place(sim, qpos);
    for (int t = 0; m->limit_on && t < m->tendons; t++) {
        const double length = sim->force.drive->tendon_length[t];
        worst = m->tendon_limited[t]
                    ? thud_max(worst, -thud_min(room(m, t, 1, length), room(m, t, -1, length)))
                    : worst;
    }
    for (int e = 0; e < m->equalities; e++) {
        worst = tendon_equality(m, e) ? thud_max(worst, fabs(equality_error(sim, e, &slope))) : worst;
    }
    return worst;
}
