// SPDX-License-Identifier: Apache-2.0
// yardstick.c: penetration, creep, drift and energy from poses and velocities of bodies.
#include <math.h>

#include <thud/spatial_inline.h>

#include "joint_fit.h"
#include "yardstick.h"

static const double touching = 1e-4; // m

struct yardstick {
    const thud_model *m;
    double rest;
    thud_collider *collider;
    thud_contact_set set;
    thud_dynamics *d;
    pose *X_wb, *X_wg;         // bodies, geoms
    thud_motion *V_wb, *twist; // bodies, links
    double *qpos, *qvel;       // fitted
    vec3 *centre;              // of the bodies at the first look of the last part
    vec3 *last;                // at the last look
    double began, now;         // s, that look and this; began NaN: not yet
    double creep, kinetic;     // over the last part; kinetic is a sum
    int rests;
    double contacts;                   // sum
    double first, lowest;              // J, total energy
    double potential_lo, potential_hi; // J
    measures worth;
};

static double worse(double a, double b) // NaN is worst of all
{
    return b <= a ? a : b;
}

thud_status yardstick_create(const thud_model *m, double rest, yardstick **out)
{
    yardstick *y = *out = thud_alloc(1, sizeof *y);
    if (!y) {
        return THUD_NO_MEMORY;
    }
    const size_t bodies = (size_t)m->bodies;
    y->m = m;
    y->rest = rest;
    y->began = NAN;
    y->X_wb = thud_alloc(bodies, sizeof *y->X_wb);
    y->X_wg = thud_alloc((size_t)m->geoms + 1, sizeof *y->X_wg);
    y->V_wb = thud_alloc(bodies, sizeof *y->V_wb);
    y->twist = thud_alloc((size_t)m->joints + 1, sizeof *y->twist);
    y->qpos = thud_alloc((size_t)m->nq + 1, sizeof *y->qpos);
    y->qvel = thud_alloc((size_t)m->nv + 1, sizeof *y->qvel);
    y->centre = thud_alloc(bodies, sizeof *y->centre);
    y->last = thud_alloc(bodies, sizeof *y->last);
    thud_status status = THUD_NO_MEMORY;
    if (y->X_wb && y->X_wg && y->V_wb && y->twist && y->qpos && y->qvel && y->centre && y->last) {
        for (int i = 0; i < m->nq; i++) {
            y->qpos[i] = m->qpos0[i];
        }
        status = thud_dynamics_create(m, &y->d);
    }
    status = status == THUD_OK ? thud_collider_create(m, NULL, &y->collider) : status;
    status = status == THUD_OK ? thud_contact_set_reserve(&y->set, 256) : status;
    if (status != THUD_OK) {
        yardstick_destroy(y);
        *out = NULL;
    }
    return status;
}

void yardstick_destroy(yardstick *y)
{
    if (y) {
        thud_collider_destroy(y->collider);
        thud_contact_set_free(&y->set);
        thud_dynamics_destroy(y->d);
        thud_free(y->X_wb);
        thud_free(y->X_wg);
        thud_free(y->V_wb);
        thud_free(y->twist);
        thud_free(y->qpos);
        thud_free(y->qvel);
        thud_free(y->centre);
        thud_free(y->last);
        thud_free(y);
    }
}

// ---------------------------------------------------------------------------------------- contacts

static thud_status find_contacts(yardstick *y)
{
    thud_status status = thud_collide(y->collider, y->m, y->X_wg, touching, &y->set, NULL);
    while (status == THUD_NO_MEMORY) {
        const bool full = y->set.needed > y->set.capacity;
        THUD_TRY(full ? thud_contact_set_reserve(&y->set, 2 * y->set.needed)
                      : thud_collider_grow(y->collider));
        status = thud_collide(y->collider, y->m, y->X_wg, touching, &y->set, NULL);
    }
    return status;
}

static thud_status look_at_contacts(yardstick *y, const pose *X_wb)
{
    double deepest = 0;
    if (y->m->contact_on) {
        thud_geom_poses(y->m, X_wb, y->X_wg);
        THUD_TRY(find_contacts(y));
        for (int i = 0; i < y->set.count; i++) {
            deepest = worse(deepest, -y->set.contact[i].phi);
            y->contacts += y->set.contact[i].phi <= touching;
        }
    }
    y->worth.penetration = worse(y->worth.penetration, deepest);
    if (y->now >= y->rest) {
        y->worth.penetration_rest = worse(y->worth.penetration_rest, deepest);
    }
    return THUD_OK;
}

// ---------------------------------------------------------------------------------------- joints

// How far an equality between two bodies is from holding.
static double equality_error(const yardstick *y, int e, const pose *X_wb)
{
    const thud_model *m = y->m;
    const int type = m->eq_type[e];
    if (type == THUD_EQUALITY_JOINT || type == THUD_EQUALITY_TENDON) {
        return 0;
    }
    const pose F1 = pose_mul(X_wb[m->eq_obj1[e]], m->eq_frame1[e]),
               F2 = pose_mul(X_wb[m->eq_obj2[e]], m->eq_frame2[e]);
    const vec3 apart = v3_sub(F2.p, F1.p), z1 = q_rotate(F1.q, v3(0, 0, 1)), z2 = q_rotate(F2.q, v3(0, 0, 1));
    const double turned = v3_norm(q_log(q_mul(q_conj(F1.q), F2.q)));
    switch (type) {
    case THUD_EQUALITY_WELD:
        return fmax(v3_norm(apart), turned);
    case THUD_EQUALITY_HINGE:
        return fmax(v3_norm(apart), v3_norm(v3_cross(z1, z2)));
    case THUD_EQUALITY_SLIDE:
        return fmax(v3_norm(v3_cross(z1, apart)), turned);
    default:
        return v3_norm(apart);
    }
}

// q1 - q1_0 = sum of polycoef[k] (q2 - q2_0)^k, of the fitted positions.
static double coupling_error(const yardstick *y, int e)
{
    const thud_model *m = y->m;
    const int j1 = m->eq_obj1[e], j2 = m->eq_obj2[e];
    const double *c = m->eq_polycoef + 5 * (size_t)e, *q0 = m->eq_q0 + 2 * (size_t)e;
    const double x = j2 < 0 ? 0 : y->qpos[m->joint_q[j2]] - q0[1];
    double sum = 0;
    for (int k = 4; k >= 0; k--) {
        sum = sum * x + c[k];
    }
    return fabs(y->qpos[m->joint_q[j1]] - q0[0] - sum);
}

static double limit_error(const yardstick *y, int j)
{
    const thud_model *m = y->m;
    const bool scalar = m->joint_type[j] == THUD_JOINT_HINGE || m->joint_type[j] == THUD_JOINT_SLIDE;
    if (!m->limit_on || !m->joint_limited[j] || !scalar) {
        return 0;
    }
    const double q = y->qpos[m->joint_q[j]], *range = m->joint_range + 2 * (size_t)j;
    return fmax(0, fmax(range[0] - q, q - range[1]));
}

static void look_at_joints(yardstick *y, const pose *X_wb, const thud_motion *V_wb)
{
    const thud_model *m = y->m;
    double drift = 0;
    for (int b = 1; b < m->bodies; b++) {
        const int parent = m->body_parent[b];
        const pose X_wp = X_wb[parent];
        const vec3 arm = v3_sub(X_wb[b].p, X_wp.p);
        const vec3 lin = v3_sub(v3_sub(V_wb[b].lin, V_wb[parent].lin), v3_cross(V_wb[parent].ang, arm));
        const thud_motion V_pb = {q_unrotate(X_wp.q, v3_sub(V_wb[b].ang, V_wb[parent].ang)),
                                  q_unrotate(X_wp.q, lin)};
        if (m->body_mocap[b] < 0) {
            const double left = joint_fit(m, b, pose_mul(pose_inv(X_wp), X_wb[b]), V_pb, y->qpos, y->qvel);
            drift = isnan(left) ? drift : fmax(drift, left);
        }
    }
    for (int j = 0; j < m->joints; j++) {
        drift = worse(drift, limit_error(y, j));
    }
    for (int e = 0; e < m->equalities && m->equality_on; e++) {
        if (m->eq_active[e]) {
            drift = worse(drift, m->eq_type[e] == THUD_EQUALITY_JOINT ? coupling_error(y, e)
                                                                      : equality_error(y, e, X_wb));
        }
    }
    y->worth.drift = worse(y->worth.drift, drift);
}

// ---------------------------------------------------------------------------------------- energy

static vec3 centre_of(const yardstick *y, int b, const pose *X_wb)
{
    return pose_point(X_wb[b], y->m->body_inertia[b].com);
}

static thud_energy energy_of(const yardstick *y, const pose *X_wb, const thud_motion *V_wb)
{
    const thud_model *m = y->m;
    thud_energy e = {0, 0};
    for (int b = 1; b < m->bodies; b++) {
        const thud_inertia *inertia = &m->body_inertia[b];
        const double *I = inertia->I;
        const vec3 c = centre_of(y, b, X_wb), w = q_unrotate(X_wb[b].q, V_wb[b].ang);
        const vec3 v = v3_add(V_wb[b].lin, v3_cross(V_wb[b].ang, v3_sub(c, X_wb[b].p)));
        const vec3 Iw = {I[0] * w.x + I[3] * w.y + I[4] * w.z, I[3] * w.x + I[1] * w.y + I[5] * w.z,
                         I[4] * w.x + I[5] * w.y + I[2] * w.z};
        e.kinetic += 0.5 * (inertia->mass * v3_norm2(v) + v3_dot(w, Iw));
        e.potential -= (1 - m->body_gravcomp[b]) * inertia->mass * v3_dot(m->gravity, c);
    }
    for (int j = 0; j < m->joints; j++) {
        for (int k = 0; k < m->joint_dofs[j]; k++) {
            const int dof = m->joint_v[j] + k;
            e.kinetic += 0.5 * m->dof_armature[dof] * y->qvel[dof] * y->qvel[dof];
        }
        if (m->joint_dofs[j] == 1 && m->spring_on) {
            const double stretch = y->qpos[m->joint_q[j]] - m->qpos_spring[m->joint_q[j]];
            e.potential += 0.5 * m->joint_stiffness[j] * stretch * stretch;
        }
    }
    return e;
}

static void look_at_energy(yardstick *y, const pose *X_wb, const thud_motion *V_wb)
{
    const thud_energy e = energy_of(y, X_wb, V_wb);
    const double total = e.kinetic + e.potential;
    if (y->worth.looks == 0) {
        y->first = y->lowest = total;
        y->potential_lo = y->potential_hi = e.potential;
    }
    y->potential_lo = fmin(y->potential_lo, e.potential);
    y->potential_hi = fmax(y->potential_hi, e.potential);
    y->lowest = fmin(y->lowest, total);
    y->worth.rise = worse(y->worth.rise, total - y->lowest);
    y->worth.error = worse(y->worth.error, fabs(total - y->first));
    y->worth.turnover = fmax(y->worth.turnover, fmax(e.kinetic, y->potential_hi - y->potential_lo));
    if (y->now >= y->rest) {
        y->kinetic += e.kinetic;
        y->rests++;
    }
}

// ---------------------------------------------------------------------------------------- rest

static void look_at_rest(yardstick *y, const pose *X_wb)
{
    const bool rests = y->now >= y->rest, begins = rests && isnan(y->began);
    double farthest = 0;
    for (int b = 1; b < y->m->bodies; b++) {
        const vec3 c = y->last[b] = centre_of(y, b, X_wb);
        y->centre[b] = begins ? c : y->centre[b];
        farthest = worse(farthest, v3_norm(v3_sub(c, y->centre[b])));
    }
    if (begins) {
        y->began = y->now;
    } else if (rests) {
        y->worth.creep = farthest / (y->now - y->began);
    }
}

thud_vec3 yardstick_centre(const yardstick *y, int body)
{
    return y->last[body];
}

// ---------------------------------------------------------------------------------------- looks

thud_status yardstick_look(yardstick *y, double time, const thud_pose *X_wb, const thud_motion *V_wb)
{
    for (int b = 0; b < y->m->bodies; b++) {
        const double sum =
            v3_norm2(X_wb[b].p) + q_norm(X_wb[b].q) + v3_norm2(V_wb[b].ang) + v3_norm2(V_wb[b].lin);
        if (!isfinite(sum)) {
            return THUD_NOT_FINITE;
        }
    }
    y->now = time;
    THUD_TRY(look_at_contacts(y, X_wb));
    look_at_joints(y, X_wb, V_wb);
    look_at_energy(y, X_wb, V_wb);
    look_at_rest(y, X_wb);
    y->worth.looks++;
    return THUD_OK;
}

void yardstick_bodies(const thud_model *m, const double *qpos, const double *qvel, thud_dynamics *d,
                      thud_motion *twist, thud_pose *X_wb, thud_motion *V_wb)
{
    thud_body_poses(m, qpos, X_wb);
    thud_dynamics_place(m, qpos, d);
    thud_dynamics_twists(m, d, qvel, twist);
    for (int b = 0; b < m->bodies; b++) {
        const int link = m->body_link[b];
        V_wb[b] = (thud_motion){{0, 0, 0}, {0, 0, 0}};
        if (link >= 0) {
            V_wb[b].ang = twist[link].ang;
            V_wb[b].lin =
                v3_add(twist[link].lin, v3_cross(twist[link].ang, v3_sub(X_wb[b].p, d->link[link].o)));
        }
    }
}

thud_status yardstick_look_joints(yardstick *y, double time, const double *qpos, const double *qvel)
{
    yardstick_bodies(y->m, qpos, qvel, y->d, y->twist, y->X_wb, y->V_wb);
    return yardstick_look(y, time, y->X_wb, y->V_wb);
}

measures yardstick_read(const yardstick *y)
{
    measures worth = y->worth;
    worth.contacts = worth.looks > 0 ? y->contacts / worth.looks : 0;
    worth.kinetic_rest = y->rests > 0 ? y->kinetic / y->rests : NAN;
    worth.creep = isnan(y->began) || y->now <= y->began ? NAN : worth.creep;
    return worth;
}
