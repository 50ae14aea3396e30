// SPDX-License-Identifier: Apache-2.0
// keys.c: the reference pose, the springs' rest pose and the keyframes.
#include <math.h>
#include <string.h>

#include <thud/spatial_inline.h>

#include "build.h"

static void put_pose(double *q, thud_pose X)
{
    const double x[7] = {X.p.x, X.p.y, X.p.z, X.q.w, X.q.x, X.q.y, X.q.z};
    memcpy(q, x, sizeof x);
}

static void build_reference(builder *b)
{
    thud_model *m = b->m;
    for (int j = 0; j < m->joints; j++) {
        const thud_spec_joint *joint = &b->spec->joint[b->joint_of[j]];
        double *q = m->qpos0 + m->joint_q[j], *spring = m->qpos_spring + m->joint_q[j];
        switch (joint->type) {
        case THUD_JOINT_HINGE:
        case THUD_JOINT_SLIDE:
            q[0] = joint->ref;
            spring[0] = joint->springref;
            break;
        case THUD_JOINT_BALL:
            q[0] = spring[0] = 1;
            break;
        case THUD_JOINT_FREE:
            put_pose(q, m->body_pose[joint->body]);
            put_pose(spring, m->body_pose[joint->body]);
            break;
        }
    }
}

// Quaternions of a keyframe may be written with any length; without length they are the identity, as in MuJoCo.
static void normalize(double q[4])
{
    const double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; k++) {
        q[k] = n > 1e-10 ? q[k] / n : k == 0;
    }
}

static void normalize_quaternions(const thud_model *m, double *qpos)
{
    for (int j = 0; j < m->joints; j++) {
        if (m->joint_type[j] != THUD_JOINT_BALL && m->joint_type[j] != THUD_JOINT_FREE) {
            continue;
        }
        normalize(qpos + m->joint_q[j] + (m->joint_type[j] == THUD_JOINT_FREE ? 3 : 0));
    }
}

// A list of a keyframe, if it is given, has as many numbers as the model; then it is copied.
static thud_status take(builder *b, const thud_spec_key *key, const char *what, const double *from, int count,
                        int want, double *to)
{
    if (!from) {
        return THUD_OK;
    }
    if (count != want) {
        return FAIL_AT(b, key->place, "keyframe '%s' has %d %s; the model has %d",
                       key->name ? key->name : "(no name)", count, what, want);
    }
    for (int i = 0; i < want; i++) {
        if (!isfinite(from[i])) {
            return FAIL_AT(b, key->place, "keyframe '%s' has %s that are not finite",
                           key->name ? key->name : "(no name)", what);
        }
        to[i] = from[i];
    }
    return THUD_OK;
}

// Poses of the mocap bodies in keyframe i: what is not given is as in the reference pose.
static thud_status take_mocaps(builder *b, int i)
{
    thud_model *m = b->m;
    const thud_spec_key *key = &b->spec->key[i];
    thud_pose *X = m->key_mocap + (size_t)i * (size_t)m->mocaps;
    if ((key->mpos && key->nmpos != 3 * m->mocaps) || (key->mquat && key->nmquat != 4 * m->mocaps)) {
        return FAIL_AT(b, key->place,
                       "keyframe '%s' has mpos or mquat of another number than the %d mocap bodies",
                       key->name ? key->name : "(no name)", m->mocaps);
    }
    for (int body = 0; body < m->bodies; body++) {
        const int k = m->body_mocap[body];
        if (k < 0) {
            continue;
        }
        X[k] = m->body_pose[body];
        if (key->mpos) {
            X[k].p = v3(key->mpos[3 * k], key->mpos[3 * k + 1], key->mpos[3 * k + 2]);
        }
        if (key->mquat) {
            const double *q = key->mquat + 4 * k;
            X[k].q = (quat){q[0], q[1], q[2], q[3]};
        }
        if (!isfinite(v3_norm2(X[k].p)) || !isfinite(q_norm(X[k].q))) {
            return FAIL_AT(b, key->place, "keyframe '%s' has a mocap pose that is not possible",
                           key->name ? key->name : "(no name)");
        }
        X[k].q = q_norm(X[k].q) > 1e-10 ? q_normalize(X[k].q) : q_identity();
    }
    return THUD_OK;
}

thud_status model_build_keys(builder *b)
{
    thud_model *m = b->m;
    build_reference(b);
    for (int i = 0; i < m->keys; i++) {
        const thud_spec_key *key = &b->spec->key[i];
        double *qpos = m->key_qpos + (size_t)i * (size_t)m->nq,
               *qvel = m->key_qvel + (size_t)i * (size_t)m->nv;
        double *act = m->key_act + (size_t)i * (size_t)m->activations,
               *ctrl = m->key_ctrl + (size_t)i * (size_t)m->actuators;
        m->key_time[i] = key->time;
        memcpy(qpos, m->qpos0, (size_t)m->nq * sizeof *qpos);
        THUD_TRY(take(b, key, "positions", key->qpos, key->nqpos, m->nq, qpos));
        THUD_TRY(take(b, key, "velocities", key->qvel, key->nqvel, m->nv, qvel));
        THUD_TRY(take(b, key, "activations", key->act, key->nact, m->activations, act));
        THUD_TRY(take(b, key, "controls", key->ctrl, key->nctrl, m->actuators, ctrl));
        THUD_TRY(take_mocaps(b, i));
        normalize_quaternions(m, qpos);
    }
    return THUD_OK;
}
