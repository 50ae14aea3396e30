// SPDX-License-Identifier: Apache-2.0
// state.c: making, copying, setting and hashing a state. Positions, velocities, activations, controls, mocap poses,
// accelerations and rests lie behind the struct in one block; impulses, of which there are more or fewer from step to step, in one of
// their own.
#include <math.h>
#include <string.h>

#include <thud/linalg.h>
#include <thud/state.h>

#include "state_joint.h"

enum { FIRST_IMPULSES = 8 }; // room at the start, so that there is a block

static size_t numbers_of(const thud_state *s) // in the block
{
    return (size_t)s->nq + (1 + THUD_STATE_DIFFERENCES) * (size_t)s->nv + (size_t)s->na + (size_t)s->nu +
           7 * (size_t)s->nm + sizeof(thud_rest) / sizeof(double) * (size_t)s->nl;
}

uint64_t state_joint(const thud_model *m, int j)
{
    const char *name = thud_model_name(m, THUD_KIND_JOINT, j);
    const uint64_t named = name ? thud_hash(THUD_HASH_START, name, strlen(name)) : 0;
    return named << 2 | (uint64_t)m->joint_type[j];
}

thud_status thud_state_create(const thud_model *m, thud_state **out)
{
    const thud_state sizes = {
        .nq = m->nq, .nv = m->nv, .na = m->activations, .nu = m->actuators, .nm = m->mocaps, .nl = m->joints};
    thud_state *s = *out =
        thud_alloc(1, sizeof *s + numbers_of(&sizes) * sizeof(double) + (size_t)m->joints * sizeof *s->joint);
    if (!s) {
        return THUD_NO_MEMORY;
    }
    *s = sizes;
    if (thud_state_reserve(s, FIRST_IMPULSES) != THUD_OK) {
        thud_state_destroy(s);
        *out = NULL;
        return THUD_NO_MEMORY;
    }
    s->qpos = (double *)(s + 1);
    s->qvel = s->qpos + m->nq;
    s->act = s->qvel + m->nv;
    s->ctrl = s->act + m->activations;
    s->mocap = s->ctrl + m->actuators;
    s->acc = s->mocap + 7 * (size_t)m->mocaps;
    s->rest = (thud_rest *)(s->acc + THUD_STATE_DIFFERENCES * (size_t)m->nv);
    s->joint = (uint64_t *)(s->rest + m->joints);
    for (int j = 0; j < m->joints; j++) {
        s->joint[j] = state_joint(m, j);
    }
    return thud_state_reset(m, -1, s);
}

void thud_state_destroy(thud_state *s)
{
    if (s) {
        thud_free(s->warm);
        thud_free(s->kept);
    }
    thud_free(s);
}

thud_status thud_state_reserve(thud_state *s, int capacity)
{
    if (capacity <= s->warm_capacity) {
        return capacity < 0 ? THUD_BAD_ARGUMENT : THUD_OK;
    }
    thud_warm *const warm = thud_resize(s->warm, (size_t)capacity * sizeof *warm);
    s->warm = warm ? warm : s->warm;
    thud_kept *const kept = thud_resize(s->kept, (size_t)capacity * sizeof *kept);
    s->kept = kept ? kept : s->kept;
    if (!warm || !kept) {
        return THUD_NO_MEMORY;
    }
    s->warm_capacity = capacity;
    return THUD_OK;
}

static void forget(thud_state *s)
{
    s->warm_count = s->kept_count = 0;
    s->warm_h = 0;
    memset(s->rest, 0, (size_t)s->nl * sizeof *s->rest);
    memset(s->acc, 0, THUD_STATE_DIFFERENCES * (size_t)s->nv * sizeof(double));
}

static void put_pose(thud_pose X, double *to)
{
    const double x[7] = {X.p.x, X.p.y, X.p.z, X.q.w, X.q.x, X.q.y, X.q.z};
    memcpy(to, x, sizeof x);
}

static void reset_mocaps(const thud_model *m, int key, thud_state *s)
{
    for (int body = 0; m->mocaps > 0 && body < m->bodies; body++) {
        const int k = m->body_mocap[body];
        if (k >= 0) {
            put_pose(key < 0 ? m->body_pose[body] : m->key_mocap[key * m->mocaps + k], s->mocap + 7 * k);
        }
    }
}

thud_status thud_state_reset(const thud_model *m, int key, thud_state *s)
{
    if (key < -1 || key >= m->keys) {
        return THUD_BAD_ARGUMENT;
    }
    const size_t q = (size_t)m->nq, v = (size_t)m->nv;
    s->time = key < 0 ? 0 : m->key_time[key];
    s->steps = 0;
    forget(s);
    memcpy(s->qpos, key < 0 ? m->qpos0 : m->key_qpos + (size_t)key * q, q * sizeof(double));
    memset(s->qvel, 0, (numbers_of(s) - q) * sizeof(double));
    if (key >= 0) {
        const size_t k = (size_t)key, na = (size_t)m->activations, nu = (size_t)m->actuators;
        memcpy(s->qvel, m->key_qvel + k * v, v * sizeof(double));
        memcpy(s->act, m->key_act + k * na, na * sizeof(double));
        memcpy(s->ctrl, m->key_ctrl + k * nu, nu * sizeof(double));
    }
    reset_mocaps(m, key, s);
    return THUD_OK;
}

thud_status thud_state_copy(const thud_state *from, thud_state *to)
{
    THUD_ASSERT(from->nq == to->nq && from->nv == to->nv && from->nl == to->nl);
    THUD_TRY(
        thud_state_reserve(to, from->warm_count > from->kept_count ? from->warm_count : from->kept_count));
    to->time = from->time;
    to->steps = from->steps;
    memcpy(to->qpos, from->qpos, numbers_of(from) * sizeof(double));
    to->warm_h = from->warm_h;
    to->warm_count = from->warm_count;
    memcpy(to->warm, from->warm, (size_t)from->warm_count * sizeof *to->warm);
    to->kept_count = from->kept_count;
    memcpy(to->kept, from->kept, (size_t)from->kept_count * sizeof *to->kept);
    return THUD_OK;
}

// The quaternion of a ball or free joint inside qpos, or NULL.
static double *quaternion_of(const thud_model *m, int j, double *qpos)
{
    const int type = m->joint_type[j];
    return type == THUD_JOINT_BALL   ? qpos + m->joint_q[j]
           : type == THUD_JOINT_FREE ? qpos + m->joint_q[j] + 3
                                     : NULL;
}

static double length_of(const double *q)
{
    return sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
}

thud_status thud_state_set(const thud_model *m, const double *qpos, const double *qvel, thud_state *s)
{
    if ((qpos && !thud_all_finite(m->nq, qpos)) || (qvel && !thud_all_finite(m->nv, qvel))) {
        return THUD_BAD_ARGUMENT;
    }
    for (int j = 0; qpos && j < m->joints; j++) {
        const double *q = quaternion_of(m, j, (double *)qpos);
        if (q && !(length_of(q) > 1e-10)) {
            return THUD_BAD_ARGUMENT;
        }
    }
    if (qpos) {
        memmove(s->qpos, qpos, (size_t)m->nq * sizeof *qpos);
    }
    for (int j = 0; qpos && j < m->joints; j++) {
        double *q = quaternion_of(m, j, s->qpos);
        const double length = q ? length_of(q) : 1;
        for (int k = 0; q && k < 4; k++) {
            q[k] /= length;
        }
    }
    if (qvel) {
        memmove(s->qvel, qvel, (size_t)m->nv * sizeof *qvel);
    }
    forget(s);
    return THUD_OK;
}

thud_status thud_state_control(thud_state *s, const double *ctrl, const double *act)
{
    if ((ctrl && !thud_all_finite(s->nu, ctrl)) || (act && !thud_all_finite(s->na, act))) {
        return THUD_BAD_ARGUMENT;
    }
    if (ctrl) {
        memmove(s->ctrl, ctrl, (size_t)s->nu * sizeof *ctrl);
    }
    if (act) {
        memmove(s->act, act, (size_t)s->na * sizeof *act);
    }
    return THUD_OK;
}

thud_status thud_state_place(const thud_model *m, int body, thud_pose X_wb, thud_state *s)
{
    double x[7];
    put_pose(X_wb, x);
    const double length = length_of(x + 3);
    if (body < 0 || body >= m->bodies || m->body_mocap[body] < 0 || !thud_all_finite(7, x) ||
        !(length > 1e-10)) {
        return THUD_BAD_ARGUMENT;
    }
    for (int k = 3; k < 7; k++) {
        x[k] /= length;
    }
    memcpy(s->mocap + 7 * m->body_mocap[body], x, sizeof x);
    return THUD_OK;
}

uint64_t thud_state_hash(const thud_state *s)
{
    uint64_t h = thud_hash(THUD_HASH_START, &s->time, sizeof s->time);
    h = thud_hash(h, &s->steps, sizeof s->steps);
    h = thud_hash(h, s->qpos, numbers_of(s) * sizeof(double));
    h = thud_hash(h, &s->warm_h, sizeof s->warm_h);
    h = thud_hash(h, s->warm, (size_t)s->warm_count * sizeof *s->warm);
    return thud_hash(h, s->kept, (size_t)s->kept_count * sizeof *s->kept);
}
