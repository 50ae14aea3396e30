// SPDX-License-Identifier: Apache-2.0
// maximal_state.c: states of one mechanism in minimal and in maximal coordinates.
//
// Symbols  X_wb pose of body b in the world · w, v angular velocity, velocity of its origin, world axes
//          X_e where a body would be at the joint's reference, its parent being where it is · a axis, body
//          frame
#include <math.h>
#include <string.h>

#include <thud/elementary.h>
#include <thud/maximal.h>
#include <thud/spatial_inline.h>

#include "widen.h"

int widen_count(const thud_model *minimal)
{
    int count = 0;
    for (int i = 1; i < minimal->bodies; i++) {
        count += minimal->body_joints[i] > 0;
    }
    return count;
}

static vec3 get_vec(const double *x)
{
    return v3(x[0], x[1], x[2]);
}

static void put_vec(vec3 v, double *x)
{
    x[0] = v.x;
    x[1] = v.y;
    x[2] = v.z;
}

static void put_quat(quat q, double *x)
{
    x[0] = q.w;
    put_vec(v3(q.x, q.y, q.z), x + 1);
}

// ---------------------------------------------------------------------------------------- minimal to maximal

thud_status widen(const thud_model *m, const double *qpos, const double *qvel, double *wide_qpos,
                  double *wide_qvel)
{
    thud_dynamics *d = NULL;
    pose *X_wb = thud_alloc((size_t)m->bodies, sizeof *X_wb);
    const thud_status status = X_wb ? thud_dynamics_create(m, &d) : THUD_NO_MEMORY;
    if (status != THUD_OK) {
        thud_free(X_wb);
        return status;
    }
    thud_body_poses(m, qpos, X_wb);
    thud_dynamics_place(m, qpos, d);
    thud_dynamics_move(m, qvel, d);
    for (int i = 1; i < m->bodies; i++) {
        const int j = m->body_joint[i];
        if (j < 0) {
            continue;
        }
        if (m->joint_type[j] == THUD_JOINT_FREE) { // to the bit
            memcpy(wide_qpos, qpos + m->joint_q[j], 7 * sizeof *qpos);
            memcpy(wide_qvel, qvel + m->joint_v[j], 6 * sizeof *qvel);
        } else {
            const thud_link *l = &d->link[m->body_link[i]];
            put_vec(X_wb[i].p, wide_qpos);
            put_quat(X_wb[i].q, wide_qpos + 3);
            put_vec(v3_add(l->v, v3_cross(l->w, v3_sub(X_wb[i].p, l->o))), wide_qvel);
            put_vec(q_unrotate(X_wb[i].q, l->w), wide_qvel + 3);
        }
        wide_qpos += 7;
        wide_qvel += 6;
    }
    thud_dynamics_destroy(d);
    thud_free(X_wb);
    return THUD_OK;
}

// How many equalities of the maximal model stand for a joint of the minimal one.
static int count_joints(const thud_model *minimal, const thud_model *maximal)
{
    static const int stands_for[] = {[THUD_EQUALITY_CONNECT] = THUD_JOINT_BALL,
                                     [THUD_EQUALITY_WELD] = -1,
                                     [THUD_EQUALITY_JOINT] = -1,
                                     [THUD_EQUALITY_TENDON] = -1,
                                     [THUD_EQUALITY_HINGE] = THUD_JOINT_HINGE,
                                     [THUD_EQUALITY_SLIDE] = THUD_JOINT_SLIDE};
    int count = 0;
    for (int e = 0; e < maximal->equalities; e++) {
        const int type = stands_for[maximal->eq_type[e]], body = maximal->eq_obj2[e];
        const int j = type < 0 ? -1 : minimal->body_joint[body];
        count +=
            j >= 0 && minimal->joint_type[j] == type && minimal->body_parent[body] == maximal->eq_obj1[e];
    }
    return count;
}

static bool belong_together(const thud_model *minimal, const thud_model *maximal)
{
    const int count = widen_count(minimal);
    if (maximal->bodies != minimal->bodies || maximal->mocaps != minimal->mocaps ||
        maximal->joints != count || maximal->nq != 7 * count || maximal->nv != 6 * count) {
        return false;
    }
    int joints = 0;
    for (int i = 1; i < minimal->bodies; i++) {
        if (minimal->body_joints[i] > 1 || maximal->body_joints[i] != minimal->body_joints[i]) {
            return false;
        }
        joints +=
            minimal->body_joints[i] > 0 && minimal->joint_type[minimal->body_joint[i]] != THUD_JOINT_FREE;
    }
    return count_joints(minimal, maximal) >= joints; // a file's own connect may look like a ball, too
}

// Gives `to` these coordinates, with the time of `from`.
static thud_status set(const thud_model *m, const double *qpos, const double *qvel, const thud_state *from,
                       thud_state *to)
{
    THUD_TRY(thud_state_set(m, qpos, qvel, to));
    to->time = from->time;
    to->steps = from->steps;
    memcpy(to->mocap, from->mocap, 7 * (size_t)from->nm * sizeof *to->mocap);
    return THUD_OK;
}

thud_status thud_maximal_state(const thud_model *minimal, const thud_state *from, const thud_model *maximal,
                               thud_state *to)
{
    if (!belong_together(minimal, maximal)) {
        return THUD_BAD_ARGUMENT;
    }
    double *x = thud_alloc((size_t)maximal->nq + (size_t)maximal->nv, sizeof *x);
    if (!x) {
        return THUD_NO_MEMORY;
    }
    thud_status status = widen(minimal, from->qpos, from->qvel, x, x + maximal->nq);
    status = status == THUD_OK ? set(maximal, x, x + maximal->nq, from, to) : status;
    thud_free(x);
    return status;
}

// ---------------------------------------------------------------------------------------- maximal to minimal

typedef struct moving { // a body in the world
    pose X;
    vec3 w, v;
} moving;

// What moves with a body: its velocity, taken at a point of the world.
static vec3 velocity_at(const moving *b, vec3 point)
{
    return v3_add(b->v, v3_cross(b->w, v3_sub(point, b->X.p)));
}

static void find_bodies(const thud_model *m, const double *qpos, const double *qvel, moving *body)
{
    body[0] = (moving){.X = pose_identity()};
    for (int i = 1; i < m->bodies; i++) {
        const moving *up = &body[m->body_parent[i]];
        if (m->body_joints[i] == 0) {
            body[i].X = pose_mul(up->X, m->body_pose[i]);
            body[i].w = up->w;
            body[i].v = velocity_at(up, body[i].X.p);
            continue;
        }
        const quat q = {qpos[3], qpos[4], qpos[5], qpos[6]};
        body[i].X = (pose){q_normalize(q), get_vec(qpos)};
        body[i].v = get_vec(qvel);
        body[i].w = q_rotate(body[i].X.q, get_vec(qvel + 3));
        qpos += 7;
        qvel += 6;
    }
}

// The position of a hinge whose rotation from the reference is `turn`, whole turns as near `near` as can be.
static double hinge_angle(quat turn, vec3 axis, double near)
{
    const double two_pi = 6.283185307179586;
    const double angle = 2 * thud_atan2(v3_dot(v3(turn.x, turn.y, turn.z), axis), turn.w);
    return angle + two_pi * round((near - angle) / two_pi);
}

// One joint's coordinates from its body and its parent; q holds what they were.
static void read_joint(const thud_model *m, int j, const moving *b, const moving *up, double *q, double *v)
{
    const pose X_e = pose_mul(up->X, m->body_pose[m->joint_body[j]]);
    const quat turn = q_mul(q_conj(X_e.q), b->X.q);
    const vec3 a = m->joint_axis[j], spin = v3_sub(b->w, up->w);
    const double q0 = m->qpos0[m->joint_q[j]];
    if (m->joint_type[j] == THUD_JOINT_HINGE) {
        q[0] = q0 + hinge_angle(turn, a, q[0] - q0);
        v[0] = v3_dot(spin, q_rotate(b->X.q, a));
    } else if (m->joint_type[j] == THUD_JOINT_SLIDE) {
        const vec3 along = q_rotate(X_e.q, a);
        q[0] = q0 + v3_dot(v3_sub(b->X.p, X_e.p), along);
        v[0] = v3_dot(v3_sub(b->v, velocity_at(up, b->X.p)), along);
    } else { // ball
        put_quat(turn, q);
        put_vec(q_unrotate(b->X.q, spin), v);
    }
}

static void narrow(const thud_model *m, const thud_state *wide, const moving *body, double *qpos,
                   double *qvel)
{
    const double *q = wide->qpos, *v = wide->qvel;
    for (int i = 1; i < m->bodies; i++) {
        const int j = m->body_joint[i];
        if (j < 0) {
            continue;
        }
        if (m->joint_type[j] == THUD_JOINT_FREE) {
            memcpy(qpos + m->joint_q[j], q, 7 * sizeof *q);
            memcpy(qvel + m->joint_v[j], v, 6 * sizeof *v);
        } else {
            read_joint(m, j, &body[i], &body[m->body_parent[i]], qpos + m->joint_q[j], qvel + m->joint_v[j]);
        }
        q += 7;
        v += 6;
    }
}

thud_status thud_minimal_state(const thud_model *maximal, const thud_state *from, const thud_model *minimal,
                               thud_state *to)
{
    if (!belong_together(minimal, maximal)) {
        return THUD_BAD_ARGUMENT;
    }
    moving *body = thud_alloc((size_t)minimal->bodies, sizeof *body);
    double *x = thud_alloc((size_t)minimal->nq + (size_t)minimal->nv, sizeof *x);
    thud_status status = body && x ? THUD_OK : THUD_NO_MEMORY;
    if (status == THUD_OK) {
        memcpy(x, to->qpos, (size_t)minimal->nq * sizeof *x);
        find_bodies(minimal, from->qpos, from->qvel, body);
        narrow(minimal, from, body, x, x + minimal->nq);
        status = set(minimal, x, x + minimal->nq, from, to);
    }
    thud_free(body);
    thud_free(x);
    return status;
}
