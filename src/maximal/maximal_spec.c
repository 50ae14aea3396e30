// SPDX-License-Identifier: Apache-2.0
// maximal_spec.c: a spec with its joints turned into equalities.
//
// A copy of the spec is changed in place, so that everything which is not said here stays as it was. The
// minimal model tells where bodies are in the reference pose, who is welded to whom, and what keyframes mean.
//
// Symbols  X_wb body in the world at the reference pose · X_pb in its parent · X_bj the joint's frame in the
// body,
//          origin on its anchor and z on its axis
#include <string.h>

#include <thud/maximal.h>
#include <thud/spatial_inline.h>

#include "widen.h"

#define REFUSE(diag, place, ...)                                                                             \
    thud_fail(THUD_UNSUPPORTED, diag, (place).file, (place).line, (place).column, __VA_ARGS__)

static const char *called(const char *name)
{
    return name ? name : "(no name)";
}

static thud_status check(const thud_spec *spec, thud_diag *diag)
{
    int *first = thud_alloc((size_t)spec->bodies, sizeof *first); // 1 + its first joint
    if (!first) {
        return THUD_NO_MEMORY;
    }
    thud_status status = THUD_OK;
    for (int i = 0; i < spec->joints && status == THUD_OK; i++) {
        const thud_spec_joint *j = &spec->joint[i];
        if (first[j->body] > 0) {
            status = REFUSE(
                diag, j->place,
                "body '%s' has several joints; in maximal coordinates a body has one, so put a body with "
                "mass between them",
                called(spec->body[j->body].name));
        }
        first[j->body] = 1 + i;
    }
    thud_free(first);
    for (int i = 0; i < spec->equalities && status == THUD_OK; i++) {
        if (spec->equality[i].type == THUD_EQUALITY_JOINT) {
            status = REFUSE(diag, spec->equality[i].place,
                            "equality '%s' is one of joint positions, which maximal coordinates do not have",
                            called(spec->equality[i].name));
        }
    }
    return status;
}

// ---------------------------------------------------------------------------------------- joints

// Whether one of the spec's own equalities has this name.
static bool has_equality(const thud_spec *spec, const char *name)
{
    for (int i = 0; i < spec->equalities; i++) {
        if (name && spec->equality[i].name && strcmp(spec->equality[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static thud_spec_axis axis_of(const thud_spec_joint *j)
{
    const thud_spec_axis axis = {.ref = j->type == THUD_JOINT_BALL ? 0 : j->ref,
                                 .limited =
                                     j->limited == THUD_TRUE || (j->limited == THUD_AUTO && j->has_range),
                                 .range = {j->range[0], j->range[1]},
                                 .margin = j->margin,
                                 .stiffness = j->stiffness,
                                 .springref = j->type == THUD_JOINT_BALL ? 0 : j->springref,
                                 .damping = j->damping,
                                 .armature = j->armature,
                                 .frictionloss = j->frictionloss};
    return axis;
}

// The equality that does what joint i did.
static thud_status add_equality(thud_spec *wide, const thud_spec *spec, int i)
{
    static const thud_equality_type type[] = {[THUD_JOINT_HINGE] = THUD_EQUALITY_HINGE,
                                              [THUD_JOINT_SLIDE] = THUD_EQUALITY_SLIDE,
                                              [THUD_JOINT_BALL] = THUD_EQUALITY_CONNECT};
    const thud_spec_joint *j = &spec->joint[i];
    const thud_spec_body *body = &spec->body[j->body];
    const int e = thud_spec_add_equality(wide, type[j->type], has_equality(spec, j->name) ? NULL : j->name);
    if (e < 0) {
        return THUD_NO_MEMORY;
    }
    const pose X_pb = {q_normalize(body->quat), body->pos};
    const quat to_axis = j->type == THUD_JOINT_BALL ? q_identity() : q_of_zaxis(v3_normalize(j->axis));
    const pose X_bj = {to_axis, j->pos};
    thud_spec_equality *to = &wide->equality[e];
    to->object1 = body->parent;
    to->object2 = j->body;
    to->frame[0] = pose_mul(X_pb, X_bj);
    to->frame[1] = X_bj;
    to->anchor = to->frame[0].p; // of a connect
    to->axis = axis_of(j);
    to->place = wide->joint[i].place;
    return THUD_OK;
}

// The body of joint i hangs on the world by a free joint, where it was.
static void set_free(thud_spec *wide, int i, const pose *X_wb)
{
    thud_spec_joint *j = &wide->joint[i];
    thud_spec_body *body = &wide->body[j->body];
    body->parent = 0;
    body->pos = X_wb[j->body].p;
    body->quat = X_wb[j->body].q;
    *j = (thud_spec_joint){.body = j->body,
                           .type = THUD_JOINT_FREE,
                           .axis = {0, 0, 1},
                           .limited = THUD_FALSE,
                           .actfrclimited = THUD_FALSE,
                           .align = THUD_FALSE,
                           .place = j->place};
}

static thud_status free_bodies(thud_spec *wide, const thud_spec *spec, const thud_model *m)
{
    pose *X_wb = thud_alloc((size_t)m->bodies, sizeof *X_wb);
    if (!X_wb) {
        return THUD_NO_MEMORY;
    }
    thud_status status = THUD_OK;
    thud_body_poses(m, m->qpos0, X_wb);
    for (int i = 0; i < spec->joints && status == THUD_OK; i++) {
        if (spec->joint[i].type != THUD_JOINT_FREE) {
            status = add_equality(wide, spec, i);
            set_free(wide, i, X_wb);
        }
    }
    thud_free(X_wb);
    return status;
}

// ---------------------------------------------------------------------------------------- filters

// Bodies with geoms, listed by what they are welded to: head[weld], then next[body], -1 at the end.
static void list_welded(const thud_model *m, int *head, int *next)
{
    bool *has_geoms = (bool *)(next + m->bodies);
    for (int g = 0; g < m->geoms; g++) {
        has_geoms[m->geom_body[g]] = true;
    }
    memset(head, 0xff, (size_t)m->bodies * sizeof *head); // all -1
    for (int i = m->bodies - 1; i >= 0; i--) {
        if (has_geoms[i]) {
            next[i] = head[m->body_weld[i]];
            head[m->body_weld[i]] = i;
        }
    }
}

// Excludes what the filter kept apart as a body and its parent, each with all that is welded to it.
static thud_status exclude_parents(thud_spec *wide, const thud_model *m)
{
    const size_t bodies = (size_t)m->bodies;
    int *head = thud_alloc(bodies, 2 * sizeof *head + sizeof(bool));
    if (!head) {
        return THUD_NO_MEMORY;
    }
    int *next = head + bodies;
    bool good = true;
    list_welded(m, head, next);
    for (int i = 1; i < m->bodies && m->filterparent_on; i++) {
        const int up = m->body_joints[i] > 0 ? m->body_weld[m->body_parent[i]] : 0;
        for (int a = up > 0 ? head[up] : -1; a >= 0; a = next[a]) {
            for (int b = head[i]; b >= 0; b = next[b]) {
                good = good && thud_spec_add_exclude(wide, a, b, NULL) >= 0;
            }
        }
    }
    thud_free(head);
    return good ? THUD_OK : THUD_NO_MEMORY;
}

// ---------------------------------------------------------------------------------------- keyframes

static thud_status widen_keys(thud_spec *wide, const thud_model *m)
{
    const int count = widen_count(m);
    for (int k = 0; k < m->keys; k++) {
        thud_spec_key *key = &wide->key[k];
        thud_free(key->qpos);
        thud_free(key->qvel);
        key->qpos = thud_alloc((size_t)count, 7 * sizeof *key->qpos);
        key->qvel = thud_alloc((size_t)count, 6 * sizeof *key->qvel);
        key->nqpos = 7 * count;
        key->nqvel = 6 * count;
        if (!key->qpos || !key->qvel) {
            return THUD_NO_MEMORY;
        }
        THUD_TRY(widen(m, m->key_qpos + (size_t)k * (size_t)m->nq, m->key_qvel + (size_t)k * (size_t)m->nv,
                       key->qpos, key->qvel));
        thud_free(key->act);
        thud_free(key->ctrl);
        key->act = key->ctrl = NULL;
        key->nact = key->nctrl = 0;
    }
    return THUD_OK;
}

// ---------------------------------------------------------------------------------------- what is left out

static const char no_positions[] = "maximal coordinates have no joint positions for it";

static thud_status note(thud_spec *wide, int count, const char *what, const char *why, thud_place place)
{
    const int i = count == 0 ? 0 : thud_spec_add_note(wide, THUD_NOTE_LATER, what, why, place);
    if (count > 0 && i >= 0) {
        wide->note[i].count = count;
    }
    return i < 0 ? THUD_NO_MEMORY : THUD_OK;
}

static bool is_of_joints(const thud_spec_sensor *s)
{
    return s->object_type == THUD_OBJECT_JOINT || s->object_type == THUD_OBJECT_TENDON ||
           s->object_type == THUD_OBJECT_ACTUATOR;
}

static thud_status drop(thud_spec *wide, const thud_spec *spec)
{
    int sensors = 0, equalities = 0;
    thud_place place = {0};
    for (int i = 0; i < spec->sensors; i++) {
        if (is_of_joints(&spec->sensor[i])) {
            place = place.line ? place : spec->sensor[i].place;
        } else {
            wide->sensor[sensors++] = wide->sensor[i];
        }
    }
    for (int i = 0; i < wide->equalities; i++) {
        if (wide->equality[i].type != THUD_EQUALITY_TENDON) {
            wide->equality[equalities++] = wide->equality[i];
        }
    }
    wide->sensors = sensors;
    wide->equalities = equalities;
    wide->tendons = wide->wraps = wide->actuators = 0;
    THUD_TRY(
        note(wide, spec->sensors - sensors, "sensor of a joint, tendon or actuator", no_positions, place));
    THUD_TRY(
        note(wide, spec->tendons, "tendon", no_positions, spec->tendons ? spec->tendon[0].place : place));
    return note(wide, spec->actuators, "actuator", no_positions,
                spec->actuators ? spec->actuator[0].place : place);
}

// ---------------------------------------------------------------------------------------- all

// The rows that stand for joints hold whatever the flag `equality` says of those of the file.
static void keep_equalities_off(thud_spec *wide)
{
    for (int i = 0; i < wide->equalities && !wide->option.equality_on; i++) {
        wide->equality[i].active = false;
    }
    wide->option.equality_on = true;
}

static thud_status rewrite(const thud_spec *spec, const thud_model *m, thud_spec *wide)
{
    keep_equalities_off(wide);
    THUD_TRY(free_bodies(wide, spec, m));
    THUD_TRY(exclude_parents(wide, m));
    THUD_TRY(widen_keys(wide, m));
    return drop(wide, spec);
}

thud_status thud_spec_maximal(const thud_spec *spec, thud_spec **out, thud_diag *diag)
{
    thud_model *m = NULL;
    thud_spec *wide = NULL;
    *out = NULL;
    thud_status status = thud_model_build(spec, &m, diag); // checks every index, too
    status = status == THUD_OK ? check(spec, diag) : status;
    status = status == THUD_OK ? thud_spec_copy(spec, &wide) : status;
    status = status == THUD_OK ? rewrite(spec, m, wide) : status;
    thud_model_destroy(m);
    if (status == THUD_OK) {
        *out = wide;
        return THUD_OK;
    }
    thud_spec_destroy(wide);
    return status == THUD_NO_MEMORY
               ? thud_fail(status, diag, NULL, 0, 0, "memory ran out while the spec was rewritten")
               : status;
}
