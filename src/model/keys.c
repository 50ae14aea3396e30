// SPDX-License-Identifier: Apache-2.0
// keys.c: the reference pose, the springs' rest pose and the keyframes.
#include <math.h>
#include <string.h>

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

// Quaternions of a keyframe may be written with any length but zero.
static bool normalize_quaternions(const thud_model *m, double *qpos)
{
    for (int j = 0; j < m->joints; j++) {
        if (m->joint_type[j] != THUD_JOINT_BALL && m->joint_type[j] != THUD_JOINT_FREE) {
            continue;
        }
        double *q = qpos + m->joint_q[j] + (m->joint_type[j] == THUD_JOINT_FREE ? 3 : 0);
        const double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        if (!(n > 1e-10)) {
            return false;
        }
        for (int k = 0; k < 4; k++) {
            q[k] /= n;
        }
    }
    return true;
}

thud_status model_build_keys(builder *b)
{
    thud_model *m = b->m;
    build_reference(b);
    for (int i = 0; i < m->keys; i++) {
        const thud_spec_key *key = &b->spec->key[i];
        const char *name = key->name ? key->name : "(no name)";
        if (key->qpos && key->nqpos != m->nq) {
            return FAIL_AT(b, key->place, "keyframe '%s' has %d positions; the model has %d", name,
                           key->nqpos, m->nq);
        }
        if (key->qvel && key->nqvel != m->nv) {
            return FAIL_AT(b, key->place, "keyframe '%s' has %d velocities; the model has %d", name,
                           key->nqvel, m->nv);
        }
        m->key_time[i] = key->time;
        double *qpos = m->key_qpos + (size_t)i * m->nq, *qvel = m->key_qvel + (size_t)i * m->nv;
        memcpy(qpos, key->qpos ? key->qpos : m->qpos0, (size_t)m->nq * sizeof *qpos);
        if (key->qvel) {
            memcpy(qvel, key->qvel, (size_t)m->nv * sizeof *qvel);
        }
        if (!normalize_quaternions(m, qpos)) {
            return FAIL_AT(b, key->place, "keyframe '%s' has a quaternion without length", name);
        }
    }
    return THUD_OK;
}
