// SPDX-License-Identifier: Apache-2.0
// length_range.c: the shortest and the longest that a muscle becomes while joints stay within their ranges.
//
// From the reference pose each joint goes where the length falls (or rises), by steps along the gradient that are cut at the joints'
// ranges and halved where the length does not follow, until none helps: a local extreme, as the pose is that MuJoCo comes to, which
// pulls with a constant force against limits that give way a little (its lengths differ by some 1e-3 of the range). Joints that an
// equality makes follow another do; other loops, contacts and free joints are not looked at.
#include <math.h>

#include <thud/model_poses.h>
#include <thud/spatial_inline.h>

#include "build.h"

enum { STEPS = 300 };
static const double DELTA = 1e-6;  // of a joint's range, for derivatives
static const double SMALL = 1e-10; // of a joint's range: a step that is over

typedef struct search {
    const builder *b;
    const thud_model *m;
    int actuator;
    double sign; // 1: the longest is looked for, -1: the shortest
    double *q, *trial;
    vec3 *x_ws;
    pose *X_wb;
    int *joint; // those that are moved
    int joints;
    double *lo, *hi, *slope; // of those
    bool *matters;           // of every joint: the length depends on it
} search;

// Joints that follow others, in the order of the file; a chain of them settles by going through it again.
static void follow(const search *s, double *q)
{
    const thud_spec *spec = s->b->spec;
    for (int again = 0; again < 3; again++) {
        for (int k = 0; k < spec->equalities; k++) {
            const thud_spec_equality *e = &spec->equality[k];
            if (e->type != THUD_EQUALITY_JOINT || !e->active || e->object1 < 0 ||
                e->object1 >= spec->joints || e->object2 >= spec->joints) {
                continue;
            }
            const int at = s->m->joint_q[s->b->joint_at[e->object1]];
            const int of = e->object2 < 0 ? -1 : s->m->joint_q[s->b->joint_at[e->object2]];
            const double x = of < 0 ? 0 : q[of] - s->m->qpos0[of], *c = e->polycoef;
            q[at] = s->m->qpos0[at] + c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * c[4])));
        }
    }
}

static bool follows(const search *s, int joint)
{
    const thud_spec *spec = s->b->spec;
    bool found = false;
    for (int k = 0; k < spec->equalities; k++) {
        const thud_spec_equality *e = &spec->equality[k];
        found |= e->type == THUD_EQUALITY_JOINT && e->active && e->object1 >= 0 &&
                 e->object1 < spec->joints && s->b->joint_at[e->object1] == joint;
    }
    return found;
}

static double length_at(const search *s, double *q)
{
    const thud_model *m = s->m;
    const int target = m->actuator_target[s->actuator];
    const double gear = m->actuator_gear[6 * (size_t)s->actuator];
    follow(s, q);
    if (m->actuator_transmission[s->actuator] != THUD_TRANSMISSION_TENDON) {
        return gear * q[m->joint_q[target]];
    }
    if (m->tendon_spatial[target]) {
        thud_body_poses(m, q, s->X_wb);
        for (int w = m->tendon_wrap[target]; w < m->tendon_wrap[target] + m->tendon_wraps[target]; w++) {
            const int at[2] = {m->wrap_type[w] == THUD_WRAP_SITE ? m->wrap_object[w] : -1, m->wrap_side[w]};
            for (int k = 0; k < 2; k++) {
                if (at[k] >= 0) {
                    s->x_ws[at[k]] = pose_point(s->X_wb[m->site_body[at[k]]], m->site_pose[at[k]].p);
                }
            }
        }
    }
    return gear * thud_tendon_length(m, target, q, s->x_ws, s->X_wb, NULL, NULL);
}

static void mark_body(const search *s, int body)
{
    for (int j = s->m->body_link[body]; j >= 0; j = s->m->link_parent[j]) {
        s->matters[j] = true;
    }
}

// The joints below which the way of the tendon has a station, and those that they follow.
static void mark_joints(const search *s)
{
    const thud_model *m = s->m;
    const thud_spec *spec = s->b->spec;
    const int target = m->actuator_target[s->actuator];
    if (m->actuator_transmission[s->actuator] != THUD_TRANSMISSION_TENDON) {
        s->matters[target] = true;
        return;
    }
    for (int w = m->tendon_wrap[target]; w < m->tendon_wrap[target] + m->tendon_wraps[target]; w++) {
        const int object = m->wrap_object[w];
        if (m->wrap_type[w] == THUD_WRAP_JOINT) {
            s->matters[object] = true;
        } else if (object >= 0) {
            mark_body(s, m->wrap_type[w] == THUD_WRAP_SITE ? m->site_body[object] : m->geom_body[object]);
        }
    }
    for (int n = 0; n < 3 * spec->equalities; n++) {
        const thud_spec_equality *e = &spec->equality[n % spec->equalities];
        if (e->type == THUD_EQUALITY_JOINT && e->object1 >= 0 && e->object1 < spec->joints &&
            e->object2 >= 0 && e->object2 < spec->joints && s->matters[s->b->joint_at[e->object1]]) {
            s->matters[s->b->joint_at[e->object2]] = true;
        }
    }
}

// Hinges and slides that no equality moves. Without a range a hinge turns once either way; a slide is bounded by no length.
static void list_joints(search *s)
{
    const thud_model *m = s->m;
    mark_joints(s);
    for (int j = 0; j < m->joints; j++) {
        const int at = m->joint_q[j];
        if (!s->matters[j] || m->joint_dofs[j] != 1 || follows(s, j)) {
            continue;
        }
        const double far = m->joint_type[j] == THUD_JOINT_SLIDE ? 1e3 : 6.283185307179586;
        const double *range = m->joint_range + 2 * (size_t)j;
        s->lo[s->joints] = m->joint_limited[j] ? range[0] : m->qpos0[at] - far;
        s->hi[s->joints] = m->joint_limited[j] ? range[1] : m->qpos0[at] + far;
        s->joint[s->joints++] = at;
    }
}

// The slope of each joint over its range, by differences; those that would leave it have none. Returns the steepest.
static double find_slopes(const search *s)
{
    const thud_model *m = s->m;
    double steepest = 0;
    for (int k = 0; k < s->joints; k++) {
        const double x = s->q[s->joint[k]], d = DELTA * (s->hi[k] - s->lo[k]);
        for (int n = 0; n < m->nq; n++) {
            s->trial[n] = s->q[n];
        }
        s->trial[s->joint[k]] = x + d;
        const double above = length_at(s, s->trial);
        s->trial[s->joint[k]] = x - d;
        const double slope = s->sign * (above - length_at(s, s->trial)) / (2 * DELTA);
        const bool out = (slope > 0 && x >= s->hi[k]) || (slope < 0 && x <= s->lo[k]);
        s->slope[k] = out ? 0 : slope;
        steepest = thud_max(steepest, fabs(s->slope[k]));
    }
    return steepest;
}

static double go(const search *s, double step)
{
    for (int n = 0; n < s->m->nq; n++) {
        s->trial[n] = s->q[n];
    }
    for (int k = 0; k < s->joints; k++) {
        const double x = s->q[s->joint[k]] + step * s->slope[k] * (s->hi[k] - s->lo[k]);
        s->trial[s->joint[k]] = thud_max(s->lo[k], thud_min(s->hi[k], x));
    }
    return length_at(s, s->trial);
}

static double find_extreme(const search *s)
{
    const thud_model *m = s->m;
    for (int n = 0; n < m->nq; n++) {
        s->q[n] = m->qpos0[n];
    }
    for (int k = 0; k < s->joints; k++) {
        double *x = &s->q[s->joint[k]];
        *x = thud_max(s->lo[k], thud_min(s->hi[k], *x));
    }
    double best = length_at(s, s->q), reach = 0.1;
    for (int n = 0; n < STEPS && reach > SMALL; n++) {
        const double steepest = find_slopes(s);
        if (!(steepest > 0)) {
            break;
        }
        double length = go(s, reach / steepest);
        while (!(s->sign * (length - best) > 0) && reach > SMALL) {
            reach *= 0.25;
            length = go(s, reach / steepest);
        }
        if (s->sign * (length - best) > 0) {
            best = length;
            reach = thud_min(1, 2 * reach);
            for (int i = 0; i < m->nq; i++) {
                s->q[i] = s->trial[i];
            }
        }
    }
    return best;
}

static thud_status find_both(search *s, double range[2])
{
    const thud_spec_actuator *a = &s->b->spec->actuator[s->actuator];
    list_joints(s);
    for (int k = 0; k < 2; k++) {
        s->sign = k ? 1 : -1;
        range[k] = find_extreme(s);
    }
    if (!(range[1] - range[0] > 1e-9) || !(range[1] - range[0] < 1e3)) {
        return FAIL_AT(
            s->b, a->place,
            "the lengths of muscle '%s' go from %g to %g m while joints are within their ranges; give its "
            "lengthrange",
            a->name ? a->name : "(no name)", range[0], range[1]);
    }
    return THUD_OK;
}

thud_status model_find_length_range(builder *b, int actuator, double range[2])
{
    const thud_model *m = b->m;
    const size_t nq = (size_t)m->nq + 1, joints = (size_t)m->joints + 1;
    const int through = m->actuator_transmission[actuator];
    const bool joint = through == THUD_TRANSMISSION_JOINT && m->joint_dofs[m->actuator_target[actuator]] == 1;
    if (through != THUD_TRANSMISSION_TENDON && !joint) {
        return FAIL_AT(b, b->spec->actuator[actuator].place,
                       "muscle '%s' is on no tendon, hinge or slide: give its lengthrange",
                       b->spec->actuator[actuator].name ? b->spec->actuator[actuator].name : "(no name)");
    }
    search s = {.b = b,
                .m = m,
                .actuator = actuator,
                .q = thud_alloc(nq, sizeof *s.q),
                .trial = thud_alloc(nq, sizeof *s.trial),
                .x_ws = thud_alloc((size_t)m->sites + 1, sizeof *s.x_ws),
                .X_wb = thud_alloc((size_t)m->bodies, sizeof *s.X_wb),
                .joint = thud_alloc(joints, sizeof *s.joint),
                .lo = thud_alloc(joints, sizeof *s.lo),
                .hi = thud_alloc(joints, sizeof *s.hi),
                .slope = thud_alloc(joints, sizeof *s.slope),
                .matters = thud_alloc(joints, sizeof *s.matters)};
    const bool room = s.q && s.trial && s.x_ws && s.X_wb && s.joint && s.lo && s.hi && s.slope && s.matters;
    const thud_status status = room ? find_both(&s, range) : THUD_NO_MEMORY;
    thud_free(s.q);
    thud_free(s.trial);
    thud_free(s.x_ws);
    thud_free(s.X_wb);
    thud_free(s.joint);
    thud_free(s.lo);
    thud_free(s.hi);
    thud_free(s.slope);
    thud_free(s.matters);
    return status;
}
