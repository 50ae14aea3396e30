// SPDX-License-Identifier: Apache-2.0
// urdf_joints.c: joints with their limits, damping and friction; those that follow another as equalities.
//
// A planar joint is two slides and a hinge, a floating one below a body three slides and a ball: they are
// called after it, with the endings _TX, _TY, _TZ, _RZ and _R.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "urdf_robot.h"

// Adds a joint to link l; name NULL stands for the joint's own, an ending is appended to it.
static thud_status add(urdf_robot *u, int l, thud_joint_type type, vec3 axis, const char *ending, int *out)
{
    mjcf_reader *r = u->r;
    const urdf_joint *joint = &u->joint[u->link[l].joint];
    const size_t size = strlen(joint->name) + strlen(ending) + 1;
    char *name = pool_push(&r->tree.pool, size, 1);
    if (!name) {
        return THUD_NO_MEMORY;
    }
    snprintf(name, size, "%s%s", joint->name, ending);
    const int i = thud_spec_add_joint(r->spec, u->link[l].body, type, name);
    if (i < 0) {
        return THUD_NO_MEMORY;
    }
    r->spec->joint[i].axis = mjcf_settle(axis);
    r->spec->joint[i].place = mjcf_node(r, joint->node)->place;
    *out = i;
    return ending[0] ? mjcf_name_add(r, MJCF_SPACE_JOINT, name, i, r->spec->joint[i].place) : THUD_OK;
}

thud_status urdf_axis(mjcf_reader *r, int n, vec3 *out)
{
    draft_axis d = {.xyz = {1, 0, 0}}; // URDF's default
    const int axis = urdf_child(r, n, "axis");
    THUD_TRY(axis >= 0 ? mjcf_read_attributes(r, axis, &d) : THUD_OK);
    if (!(v3_norm(d.xyz) > 1e-14)) {
        return MJCF_FAIL(r, THUD_BAD_FILE, mjcf_place(r, axis, "xyz"), "the joint's axis has no length");
    }
    *out = d.xyz;
    return THUD_OK;
}

static bool has_stops(const urdf_joint *joint)
{
    return joint->type == URDF_REVOLUTE || joint->type == URDF_PRISMATIC;
}

// Reads all limits. Of those that do not grow, as in Bullet, those that fall are none, and equal ones leave no
// motion.
thud_status urdf_read_stops(urdf_robot *u)
{
    mjcf_reader *r = u->r;
    for (int j = 0; j < u->joints; j++) {
        urdf_joint *joint = &u->joint[j];
        const int n = joint->type == URDF_FIXED ? -1 : urdf_child(r, joint->node, "limit");
        THUD_TRY(n >= 0 ? mjcf_read_attributes(r, n, &joint->limit) : THUD_OK);
        const draft_limit d = joint->limit;
        if (!has_stops(joint) || d.lower < d.upper || (d.lower == 0 && d.upper == 0)) {
            continue;
        }
        const bool equal = d.lower == d.upper;
        joint->lifted = !equal;
        THUD_TRY(mjcf_mend(r, THUD_NOTE_CHANGED, THUD_BAD_FILE,
                           mjcf_place(r, n, d.head.given & GIVEN_LOWER ? "lower" : "upper"),
                           equal ? "it is fixed there" : "it moves without limits, as in Bullet",
                           "the limits of joint \"%.80s\" must grow: they go from %g to %g%s", joint->name,
                           d.lower, d.upper, equal ? "; one that cannot move is fixed" : ""));
        if (equal) {
            joint->locked = d.lower;
            joint->slides = joint->type == URDF_PRISMATIC;
            joint->type = URDF_FIXED;
        }
    }
    return THUD_OK;
}

static thud_status read_limit(urdf_robot *u, int l, thud_spec_joint *to)
{
    mjcf_reader *r = u->r;
    const urdf_joint *joint = &u->joint[u->link[l].joint];
    const int n = urdf_child(r, joint->node, "limit");
    const draft_limit d = joint->limit;
    if (d.effort > 0) {
        to->actfrcrange[0] = -d.effort;
        to->actfrcrange[1] = d.effort;
        to->has_actfrcrange = true;
    }
    if (!has_stops(joint) || joint->lifted) {
        return THUD_OK;
    }
    if (d.lower == 0 && d.upper == 0) { // as good as not given
        return mjcf_remember(r, MJCF_REMARK_URDF_NO_LIMIT, mjcf_node(r, n >= 0 ? n : joint->node)->place)
                   ? THUD_OK
                   : THUD_NO_MEMORY;
    }
    to->range[0] = d.lower;
    to->range[1] = d.upper;
    to->has_range = true;
    return THUD_OK;
}

static thud_status read_dynamics(mjcf_reader *r, int n, thud_spec_joint *to)
{
    draft_dynamics d = {0};
    const int dynamics = urdf_child(r, n, "dynamics");
    THUD_TRY(dynamics >= 0 ? mjcf_read_attributes(r, dynamics, &d) : THUD_OK);
    to->damping = d.damping;
    to->frictionloss = d.friction;
    return THUD_OK;
}

// A hinge, slide or ball, with all that the joint says of it.
static thud_status add_simple(urdf_robot *u, int l, thud_joint_type type)
{
    urdf_joint *joint = &u->joint[u->link[l].joint];
    vec3 axis = v3(0, 0, 1);
    int i;
    THUD_TRY(type == THUD_JOINT_BALL ? THUD_OK : urdf_axis(u->r, joint->node, &axis));
    THUD_TRY(add(u, l, type, axis, "", &i));
    joint->scalar = type == THUD_JOINT_BALL ? -1 : i;
    thud_spec_joint *to = &u->r->spec->joint[i];
    THUD_TRY(type == THUD_JOINT_BALL ? THUD_OK : read_limit(u, l, to));
    return read_dynamics(u->r, joint->node, to);
}

// In the plane that the axis is normal to: along its two directions, then about the axis.
static thud_status add_planar(urdf_robot *u, int l)
{
    static const char *const ending[] = {"_TX", "_TY", "_RZ"};
    const int n = u->joint[u->link[l].joint].node;
    vec3 axis;
    THUD_TRY(urdf_axis(u->r, n, &axis));
    const quat q = q_of_zaxis(v3_normalize(axis));
    const vec3 direction[] = {q_rotate(q, v3(1, 0, 0)), q_rotate(q, v3(0, 1, 0)), axis};
    for (int k = 0; k < 3; k++) {
        int i;
        THUD_TRY(add(u, l, k < 2 ? THUD_JOINT_SLIDE : THUD_JOINT_HINGE, direction[k], ending[k], &i));
        THUD_TRY(read_dynamics(u->r, n, &u->r->spec->joint[i]));
    }
    return THUD_OK;
}

// A free joint stands in the world; elsewhere it is three slides and a ball.
static thud_status add_floating(urdf_robot *u, int l)
{
    static const char *const ending[] = {"_TX", "_TY", "_TZ", "_R"};
    const int n = u->joint[u->link[l].joint].node;
    const bool in_world = u->r->spec->body[u->link[l].body].parent == 0;
    for (int k = 0; k < (in_world ? 1 : 4); k++) {
        int i;
        THUD_TRY(add(u, l,
                     in_world ? THUD_JOINT_FREE
                     : k < 3  ? THUD_JOINT_SLIDE
                              : THUD_JOINT_BALL,
                     k < 3 && !in_world ? v3(k == 0, k == 1, k == 2) : v3(0, 0, 1), in_world ? "" : ending[k],
                     &i));
        THUD_TRY(read_dynamics(u->r, n, &u->r->spec->joint[i]));
    }
    return THUD_OK;
}

thud_status urdf_add_joint(urdf_robot *u, int l)
{
    switch (u->joint[u->link[l].joint].type) {
    case URDF_FIXED:
        return THUD_OK;
    case URDF_REVOLUTE:
    case URDF_CONTINUOUS:
        return add_simple(u, l, THUD_JOINT_HINGE);
    case URDF_PRISMATIC:
        return add_simple(u, l, THUD_JOINT_SLIDE);
    case URDF_SPHERICAL:
        return add_simple(u, l, THUD_JOINT_BALL);
    case URDF_PLANAR:
        return add_planar(u, l);
    case URDF_FLOATING:
        return add_floating(u, l);
    }
    return THUD_OK;
}

// ---------------------------------------------------------------------------------------------- mimic

// The joint that joint j follows: -1 none, -2 one that stands still. *n is the <mimic>.
static thud_status read_mimic(urdf_robot *u, int j, draft_mimic *d, int *n, int *leader)
{
    mjcf_reader *r = u->r;
    *d = (draft_mimic){.multiplier = 1};
    *leader = -1;
    *n = urdf_child(r, u->joint[j].node, "mimic");
    if (*n < 0) {
        return THUD_OK;
    }
    THUD_TRY(mjcf_read_attributes(r, *n, d));
    const thud_place place = mjcf_place(r, *n, "joint");
    const int found = mjcf_name_find(r, MJCF_SPACE_JOINT, d->joint);
    if (found < 0) {
        return mjcf_mend(r, THUD_NOTE_LOOK, THUD_BAD_FILE, place, "what was to follow it moves by itself",
                         "there is no joint named \"%.80s\"", d->joint);
    }
    const bool simple = found < u->joints && strcmp(u->joint[found].name, d->joint) == 0;
    const bool still = simple && u->joint[found].type == URDF_FIXED;
    if (!simple || u->joint[found].scalar < 0 || u->joint[j].scalar < 0) {
        const bool held = still && u->joint[j].scalar >= 0;
        *leader = held ? -2 : -1;
        return mjcf_mend(r, THUD_NOTE_LOOK, THUD_BAD_FILE, place,
                         held ? "it is held where the mimic puts it" : "it does not follow",
                         "joint \"%.80s\" cannot follow \"%.80s\": both must turn about, or move along, one "
                         "axis",
                         u->joint[j].name, d->joint);
    }
    *leader = found;
    return THUD_OK;
}

// Fails where joint j follows itself: following from it comes back. Of n joints none is n steps away.
static thud_status refuse_circle(urdf_robot *u, const int *leader, int j, int n)
{
    int k = leader[j];
    for (int step = 0; k >= 0 && k != j && step < u->joints; step++) {
        k = leader[k];
    }
    return k != j ? THUD_OK
                  : MJCF_FAIL(u->r, THUD_BAD_FILE, mjcf_place(u->r, n, "joint"),
                              "joint \"%.80s\" follows itself", u->joint[j].name);
}

// q = multiplier q_leader + offset
thud_status urdf_add_mimics(urdf_robot *u)
{
    mjcf_reader *r = u->r;
    int *leader = pool_push(&r->tree.pool, (size_t)u->joints + 1, sizeof *leader);
    if (!leader) {
        return THUD_NO_MEMORY;
    }
    for (int j = 0; j < u->joints; j++) {
        draft_mimic d;
        int n;
        THUD_TRY(read_mimic(u, j, &d, &n, &leader[j]));
        if (leader[j] == -1) {
            continue;
        }
        const int e = thud_spec_add_equality(r->spec, THUD_EQUALITY_JOINT, u->joint[j].name);
        if (e < 0) {
            return THUD_NO_MEMORY;
        }
        thud_spec_equality *equality = &r->spec->equality[e];
        equality->object1 = u->joint[j].scalar;
        equality->object2 = leader[j] >= 0 ? u->joint[leader[j]].scalar : -1;
        equality->polycoef[0] = d.offset;
        equality->polycoef[1] = d.multiplier;
        equality->place = mjcf_node(r, n)->place;
    }
    for (int j = 0; j < u->joints; j++) {
        THUD_TRY(leader[j] < 0 ? THUD_OK
                               : refuse_circle(u, leader, j, urdf_child(r, u->joint[j].node, "mimic")));
    }
    return THUD_OK;
}
