// SPDX-License-Identifier: Apache-2.0
// loops.c: rows that the model itself brings: joint limits, dry friction, equality constraints. [theory 1]
//
// Symbols  F1, F2 an equality's frames in the world, p their origins · g its errors, row by row
// An equality's rows are velocities of F2 against F1; at the level of positions their right side is g.
#include <math.h>
#include <string.h>

#include <thud/spatial_inline.h>

#include "loops.h"

bool loops_any(const thud_model *m)
{
    bool any = (m->equality_on && m->equalities > 0) || tendon_rows_any(m);
    for (int j = 0; j < m->joints; j++) {
        any |= m->limit_on && m->joint_limited[j];
    }
    for (int i = 0; i < m->nv; i++) {
        any |= m->frictionloss_on && m->dof_frictionloss[i] > 0;
    }
    return any;
}

thud_status loops_create(thud_sim *sim)
{
    const thud_model *m = sim->m;
    sim->ask.bounded = thud_alloc((size_t)m->joints + 1, sizeof *sim->ask.bounded);
    if (!sim->ask.bounded) {
        return THUD_NO_MEMORY;
    }
    for (int j = 0; m->limit_on && j < m->joints; j++) {
        const double *range = m->joint_range + 2 * (size_t)j;
        const bool single = m->joint_dofs[j] == 1;
        if (m->joint_limited[j] && m->joint_type[j] != THUD_JOINT_FREE) {
            sim->ask.bounded[sim->ask.bounds++] =
                (bounded){j, m->joint_q[j], m->joint_v[j], single ? range[0] : INFINITY, range[1]};
        }
    }
    for (int i = 0; m->frictionloss_on && i < m->nv; i++) {
        sim->ask.dry |= m->dof_frictionloss[i] > 0;
    }
    return THUD_OK;
}

// ---------------------------------------------------------------------------------------------- equalities

typedef struct loop { // an equality's rows where the links are
    int rows;
    thud_force row[6]; // about the world's origin
    double slope;      // of joints, which have one row and no wrench: u = v1 - slope v2
    double g[6];
    double beside; // an error that no joint can change
} loop;

static void shift_row(loop *l, vec3 at, vec3 along, double g)
{
    l->row[l->rows] = (thud_force){v3_cross(at, along), along};
    l->g[l->rows++] = g;
}

static void turn_row(loop *l, vec3 about, double g)
{
    l->row[l->rows] = (thud_force){about, v3(0, 0, 0)};
    l->g[l->rows++] = g;
}

// Two points in common of bodies that move in planes across n.
static loop plane_loop(vec3 at, vec3 apart, vec3 n)
{
    const vec3 t1 = v3_normalize(v3_cross(n, fabs(n.x) < 0.7 ? v3(1, 0, 0) : v3(0, 1, 0))),
               t2 = v3_cross(n, t1);
    loop l = {.beside = v3_dot(n, apart)};
    shift_row(&l, at, t1, v3_dot(t1, apart));
    shift_row(&l, at, t2, v3_dot(t2, apart));
    return l;
}

// A point of a body in the world, and a direction.
static vec3 point_of(const thud_sim *sim, int body, vec3 in_body)
{
    const thud_model *m = sim->m;
    const int link = m->body_link[body];
    const vec3 in_link = pose_point(m->body_in_link[body], in_body);
    return link < 0 ? in_link : v3_add(sim->d->link[link].o, m3_mulv(&sim->d->link[link].R, in_link));
}

static vec3 direction_of(const thud_sim *sim, int body, vec3 in_body)
{
    const thud_model *m = sim->m;
    const int link = m->body_link[body];
    const vec3 in_link = q_rotate(m->body_in_link[body].q, in_body);
    return link < 0 ? in_link : m3_mulv(&sim->d->link[link].R, in_link);
}

// Two points in common, of which no frame need be known.
static loop point_loop(const thud_sim *sim, int e)
{
    const thud_model *m = sim->m;
    const int one = m->eq_obj1[e], two = m->eq_obj2[e];
    const vec3 p1 = point_of(sim, one, m->eq_frame1[e].p), p2 = point_of(sim, two, m->eq_frame2[e].p);
    const vec3 apart = v3_sub(p2, p1), middle = v3_scale(0.5, v3_add(p1, p2)),
               across = sim->ask.loop_across[e];
    if (v3_norm2(across) > 0) {
        return plane_loop(middle, apart, direction_of(sim, one, q_rotate(m->eq_frame1[e].q, across)));
    }
    loop l = {0};
    shift_row(&l, middle, v3(1, 0, 0), apart.x);
    shift_row(&l, middle, v3(0, 1, 0), apart.y);
    shift_row(&l, middle, v3(0, 0, 1), apart.z);
    return l;
}

static loop body_loop(const thud_sim *sim, int e)
{
    const thud_model *m = sim->m;
    const int type = m->eq_type[e];
    if (type == THUD_EQUALITY_CONNECT) {
        return point_loop(sim, e);
    }
    const thud_pose F1 = sim_frame(sim, m->eq_obj1[e], m->eq_frame1[e]);
    const thud_pose F2 = sim_frame(sim, m->eq_obj2[e], m->eq_frame2[e]);
    const mat3 R1 = m3_of_quat(F1.q), R2 = m3_of_quat(F2.q);
    const vec3 apart = v3_sub(F2.p, F1.p), middle = v3_scale(0.5, v3_add(F1.p, F2.p));
    loop l = {0};
    for (int k = 0; k < 3 && type != THUD_EQUALITY_SLIDE; k++) {
        const vec3 axis = v3(k == 0, k == 1, k == 2);
        shift_row(&l, middle, axis, v3_dot(axis, apart));
    }
    if (type == THUD_EQUALITY_HINGE) {
        const vec3 tilt = v3_cross(m3_col(&R1, 2), m3_col(&R2, 2));
        turn_row(&l, m3_col(&R1, 0), v3_dot(tilt, m3_col(&R1, 0)));
        turn_row(&l, m3_col(&R1, 1), v3_dot(tilt, m3_col(&R1, 1)));
    } else {
        const vec3 turn = q_log(q_mul(F2.q, q_conj(F1.q)));
        for (int k = 0; k < 3; k++) {
            const vec3 axis = v3(k == 0, k == 1, k == 2);
            turn_row(&l, axis, v3_dot(axis, turn));
        }
    }
    if (type == THUD_EQUALITY_SLIDE) {
        for (int k = 0; k < 2; k++) {
            shift_row(&l, F2.p, m3_col(&R1, k), v3_dot(apart, m3_col(&R1, k)));
        }
    }
    return l;
}

// q1 - q1_0 = f(q2 - q2_0): the error, and f' into *slope.
static double gear_error(const thud_model *m, int e, const double *qpos, double *slope)
{
    const double *q0 = m->eq_q0 + 2 * (size_t)e;
    const int j1 = m->eq_obj1[e], j2 = m->eq_obj2[e];
    const double x = j2 < 0 ? 0 : qpos[m->joint_q[j2]] - q0[1];
    return qpos[m->joint_q[j1]] - q0[0] - loop_polynomial(m, e, x, slope);
}

static loop find_loop(const thud_sim *sim, int e, const double *qpos)
{
    if (sim->m->eq_type[e] != THUD_EQUALITY_JOINT) {
        return body_loop(sim, e);
    }
    loop l = {.rows = 1};
    l.g[0] = gear_error(sim->m, e, qpos, &l.slope);
    return l;
}

static bool holds(const thud_model *m, int e) // those of tendons are in tendon_rows.c
{
    return m->equality_on && m->eq_active[e] && m->eq_type[e] != THUD_EQUALITY_TENDON;
}

bool loop_has_axes(const thud_model *m, int e)
{
    THUD_ASSERT(e >= 0 && e < m->equalities);
    const bool any = m->eq_limited[e] || m->eq_stiffness[e] > 0 || m->eq_damping[e] > 0 ||
                     m->eq_armature[e] > 0 || m->eq_frictionloss[e] > 0;
    return any && holds(m, e) && m->eq_type[e] != THUD_EQUALITY_JOINT;
}

// Velocities of the rows of an equality at v, whose link velocities are V, where the links are.
static void loop_velocity(const thud_sim *sim, int e, const loop *l, const double *v, const thud_motion *V,
                          double u[6])
{
    const thud_model *m = sim->m;
    const int one = m->eq_obj1[e], two = m->eq_obj2[e];
    if (m->eq_type[e] == THUD_EQUALITY_JOINT) {
        u[0] = v[m->joint_v[one]] - (two < 0 ? 0 : l->slope * v[m->joint_v[two]]);
        return;
    }
    for (int r = 0; r < l->rows; r++) {
        u[r] = loop_row_velocity(sim, V, &l->row[r], two) - loop_row_velocity(sim, V, &l->row[r], one);
    }
}

// b: of its rows, added to their velocities.
static thud_status add_loop(thud_sim *sim, int e, const loop *l, const double *b)
{
    const thud_model *m = sim->m;
    const int one = m->eq_obj1[e], two = m->eq_obj2[e];
    if (m->eq_type[e] == THUD_EQUALITY_JOINT) {
        return thud_rows_add_gear(sim->ask.rows, e, m->joint_v[one], two < 0 ? -1 : m->joint_v[two], l->slope,
                                  b[0]);
    }
    return thud_rows_add_loop(sim->ask.rows, e, one, two, l->rows, l->row, b);
}

static double speed_of(const thud_sim *sim, int body) // of any point about a metre around it
{
    const int link = sim->m->body_link[body];
    return link < 0 ? 0 : v3_norm(sim->fall.V[link].lin) + v3_norm(sim->fall.V[link].ang);
}

// Is what the ends of a loop differ by more than a hundredth of how fast they are? Asked of a state that no step has led to.
static bool is_torn(const thud_sim *sim, int e, const loop *l, const double u[6])
{
    static const double MOST = 0.01, LEAST = 1e-9; // m/s, rad/s
    const thud_model *m = sim->m;
    const int one = m->eq_obj1[e], two = m->eq_obj2[e];
    double slip = 0;
    for (int r = 0; r < l->rows; r++) {
        slip = thud_max(slip, fabs(u[r]));
    }
    return slip > LEAST &&
           slip > MOST * (m->eq_type[e] == THUD_EQUALITY_JOINT ? fabs(sim->begun.v_start[m->joint_v[one]])
                                                               : speed_of(sim, one) + speed_of(sim, two));
}

void loops_begin(thud_sim *sim)
{
    sim->ask.torn = false;
    for (int e = 0; e < sim->m->equalities; e++) {
        if (holds(sim->m, e)) {
            const loop l = find_loop(sim, e, sim->begun.q_start);
            double *u = sim->ask.loop_u + 6 * (size_t)e;
            memcpy(sim->ask.loop_g + 6 * (size_t)e, l.g, sizeof l.g);
            loop_velocity(sim, e, &l, sim->begun.v_start, sim->fall.V, u);
            sim->ask.torn = sim->ask.torn || (sim->answer.warm_count == 0 && is_torn(sim, e, &l, u));
        }
    }
    tendon_rows_begin(sim);
}

void loops_velocity(const thud_sim *sim, int e, const double *qpos, const double *v, double u[6])
{
    THUD_ASSERT(e >= 0 && e < sim->m->equalities);
    if (holds(sim->m, e)) {
        const loop l = find_loop(sim, e, qpos);
        loop_velocity(sim, e, &l, v, sim->fall.V, u);
    } else if (tendon_equality(sim->m, e)) {
        u[0] = tendon_equality_velocity(sim, e, v);
    }
}

void loops_errors(const thud_sim *sim, int e, const double *qpos, double g[6])
{
    THUD_ASSERT(e >= 0 && e < sim->m->equalities);
    const loop l = find_loop(sim, e, qpos);
    memcpy(g, l.g, sizeof l.g);
}

// b of the rows of an equality where the links are now, in a step of h: see constrain.c.
static void loop_bias(const thud_sim *sim, int e, const loop *l, double h, double b[6])
{
    const double *start = sim->ask.loop_u + 6 * (size_t)e, *before = sim->ask.loop_g + 6 * (size_t)e;
    double u[6] = {0};
    switch (sim_ask(sim)) {
    case THUD_ASK_GAP:
        loop_velocity(sim, e, l, sim->begun.v_start, sim->fall.V, u);
        for (int r = 0; r < l->rows; r++) {
            b[r] = u[r] - start[r];
        }
        break;
    case THUD_ASK_POSITION: // from q_start to q^
        loop_velocity(sim, e, l, sim->fall.v_hat, sim->fall.V_hat, u);
        for (int r = 0; r < l->rows; r++) {
            b[r] = (l->g[r] - before[r]) / h - u[r]; // an error at the start is left to projection
        }
        break;
    case THUD_ASK_VELOCITY:
    case THUD_ASK_GIVEN:
        break; // 0
    }
}

// qpos: where the links are. h > 0: as velocities of a step of h; 0: as corrections, by the errors g.
static thud_status add_equalities(thud_sim *sim, const double *qpos, double h)
{
    const thud_model *m = sim->m;
    for (int e = 0; e < m->equalities; e++) {
        if (!holds(m, e)) {
            continue;
        }
        const loop l = find_loop(sim, e, qpos);
        double bias[6] = {0};
        if (h > 0) {
            loop_bias(sim, e, &l, h, bias);
        }
        THUD_TRY(add_loop(sim, e, &l, h > 0 ? bias : l.g));
        THUD_TRY(loop_has_axes(m, e) ? loop_axes_add(sim, e, h) : THUD_OK);
    }
    return THUD_OK;
}

static double equality_error(const thud_sim *sim, const double *qpos, double *beside)
{
    const thud_model *m = sim->m;
    double worst = 0;
    for (int e = 0; e < m->equalities; e++) {
        if (!holds(m, e)) {
            continue;
        }
        const loop l = find_loop(sim, e, qpos);
        for (int r = 0; r < l.rows; r++) {
            worst = thud_max(worst, fabs(l.g[r]));
        }
        *beside = thud_max(*beside, fabs(l.beside));
        worst = loop_has_axes(m, e) ? thud_max(worst, loop_axes_error(sim, e)) : worst;
    }
    return worst;
}

// ---------------------------------------------------------------------------------------------- limits

int limits_of(const thud_model *m, int j, const double *qpos, limit out[2])
{
    THUD_ASSERT(j >= 0 && j < m->joints);
    const double *q = qpos + m->joint_q[j], *range = m->joint_range + 2 * (size_t)j;
    if (!m->limit_on || !m->joint_limited[j] || m->joint_type[j] == THUD_JOINT_FREE) {
        return 0;
    }
    if (m->joint_type[j] == THUD_JOINT_BALL) {
        const vec3 turn = q_log((quat){q[0], q[1], q[2], q[3]});
        const double angle = v3_norm(turn);
        out[0] = (limit){range[1] - angle, -1, angle > 0 ? v3_scale(1 / angle, turn) : v3(1, 0, 0)};
        return 1;
    }
    out[0] = (limit){q[0] - range[0], 1, v3(0, 0, 0)};
    out[1] = (limit){range[1] - q[0], -1, v3(0, 0, 0)};
    return 2;
}

double limit_rate(const thud_model *m, int j, const limit *l, const double *v)
{
    const double *w = v + m->joint_v[j];
    const bool ball = m->joint_type[j] == THUD_JOINT_BALL;
    return l->sign * (ball ? v3_dot(l->axis, v3(w[0], w[1], w[2])) : w[0]);
}

// Most joints are far from their limits: one at q that keeps more than `near` of room, also after its ways `least` and `most`.
static inline bool stays_within(const bounded *b, double q, double least, double most, double near)
{
    return (q - b->low + least > near) & (b->high - q - most > near);
}

// The next of the joints with limits, from the k-th on, that may come near one in h, by the test of add_limits; bounds: there is
// none.
static int next_near(const thud_sim *sim, int k, double h, double near)
{
    const double *restrict q = sim->begun.q_start, *restrict v = sim->begun.v_start,
                           *restrict free = sim->fall.v_free;
    for (; k < sim->ask.bounds; k++) {
        const bounded *of = &sim->ask.bounded[k];
        const double a = h * v[of->v], b = h * free[of->v];
        if (!stays_within(of, q[of->q], a < b ? a : b, a < b ? b : a, near)) {
            break;
        }
    }
    return k;
}

static double way_of(const thud_sim *sim, double h) // how long joints move before their limits are asked
{
    return sim_ask(sim) == THUD_ASK_VELOCITY ? 0 : h;
}

static thud_status add_limits(thud_sim *sim, double h)
{
    const thud_model *m = sim->m;
    const thud_ask ask = sim_ask(sim);
    const double near = sim_touch(sim, h), way = way_of(sim, h);
    for (int n = next_near(sim, 0, way, near); n < sim->ask.bounds; n = next_near(sim, n + 1, way, near)) {
        const int j = sim->ask.bounded[n].joint;
        limit now[2], then[2];
        const int count = sim_link_sleeps(sim, j) ? 0 : limits_of(m, j, sim->begun.q_start, now);
        for (int k = 0; k < count; k++) {
            const double u = thud_min(limit_rate(m, j, &now[k], sim->begun.v_start),
                                      limit_rate(m, j, &now[k], sim->fall.v_free));
            if (now[k].phi + way * u > near) {
                continue;
            }
            (void)limits_of(m, j, sim->fall.q, then);
            const double b = ask == THUD_ASK_POSITION ? (then[k].phi - lesser_of(now[k].phi, 0)) / h -
                                                            limit_rate(m, j, &then[k], sim->fall.v_hat)
                                                      : sim_closing(sim, now[k].phi, h);
            THUD_TRY(thud_rows_add_limit(sim->ask.rows, j, now[k].sign, then[k].axis, now[k].phi, b));
        }
    }
    return THUD_OK;
}

// Limits at qpos that leave no more room than reach; corrections: b is that room, otherwise 0.
static thud_status add_near_limits(thud_sim *sim, const double *qpos, double reach, bool corrections)
{
    const thud_model *m = sim->m;
    for (const bounded *of = sim->ask.bounded; of < sim->ask.bounded + sim->ask.bounds; of++) {
        const int j = of->joint;
        limit l[2];
        const bool far = stays_within(of, qpos[of->q], 0, 0, reach);
        const int count = far || sim_link_sleeps(sim, j) ? 0 : limits_of(m, j, qpos, l);
        for (int k = 0; k < count; k++) {
            if (l[k].phi <= reach) {
                const double b = corrections ? l[k].phi : 0;
                THUD_TRY(thud_rows_add_limit(sim->ask.rows, j, l[k].sign, l[k].axis, l[k].phi, b));
            }
        }
    }
    return THUD_OK;
}

static double limit_error(const thud_sim *sim, const double *qpos)
{
    double worst = 0;
    for (const bounded *of = sim->ask.bounded; of < sim->ask.bounded + sim->ask.bounds; of++) {
        limit l[2];
        const int count = stays_within(of, qpos[of->q], 0, 0, 0) ? 0 : limits_of(sim->m, of->joint, qpos, l);
        for (int k = 0; k < count; k++) {
            worst = greater_of(-l[k].phi, worst);
        }
    }
    return worst;
}

// ---------------------------------------------------------------------------------------------- all

thud_status loops_add(thud_sim *sim, double h)
{
    THUD_ASSERT(h > 0);
    const thud_model *m = sim->m;
    if (!sim->ask.loops) {
        return THUD_OK;
    }
    THUD_TRY(add_limits(sim, h));
    for (int i = 0; sim->ask.dry && i < m->nv; i++) {
        if (m->dof_frictionloss[i] > 0 && !sim_link_sleeps(sim, m->dof_link[i])) {
            THUD_TRY(thud_rows_add_dry(sim->ask.rows, i, h * m->dof_frictionloss[i]));
        }
    }
    THUD_TRY(tendon_rows_add(sim, h));
    return add_equalities(sim, sim->fall.q, h);
}

// Dry friction is where the joints are; of limits there are none, as long as none comes near. What equalities and tendons ask for
// is not looked into.
bool loops_stay(const thud_sim *sim, double h)
{
    return !sim->ask.loops || (sim->m->equalities == 0 && !sim->ask.tendon_rows &&
                               next_near(sim, 0, way_of(sim, h), sim_touch(sim, h)) == sim->ask.bounds);
}

thud_status loops_correct(thud_sim *sim, double reach)
{
    THUD_TRY(add_near_limits(sim, sim->go.q_next, reach, true));
    THUD_TRY(tendon_rows_correct(sim, reach));
    return add_equalities(sim, sim->go.q_next, 0);
}

thud_status loops_hold(thud_sim *sim)
{
    THUD_TRY(add_near_limits(sim, sim->begun.q_start, TOUCHING, false));
    THUD_TRY(tendon_rows_hold(sim));
    for (int e = 0; e < sim->m->equalities; e++) {
        THUD_TRY(loop_has_axes(sim->m, e) ? loop_axes_hold(sim, e) : THUD_OK);
    }
    return loops_hold_with(sim, sim->begun.q_start, NULL);
}

thud_status loops_hold_with(thud_sim *sim, const double *qpos, const double *b)
{
    static const double none[6] = {0};
    for (int e = 0; e < sim->m->equalities; e++) {
        if (holds(sim->m, e)) {
            const loop l = find_loop(sim, e, qpos);
            THUD_TRY(add_loop(sim, e, &l, b ? b + 6 * (size_t)e : none));
        } else if (tendon_equality(sim->m, e)) {
            THUD_TRY(tendon_equality_add(sim, e, b ? b[6 * (size_t)e] : 0));
        }
    }
    return THUD_OK;
}

double loops_error(const thud_sim *sim, const double *qpos, double *beside)
{
    *beside = 0;
    if (!sim->ask.loops) {
        return 0;
    }
    return thud_max(thud_max(equality_error(sim, qpos, beside), limit_error(sim, qpos)),
                    tendon_rows_error(sim, qpos));
}
