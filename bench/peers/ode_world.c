// SPDX-License-Identifier: Apache-2.0
// ode_world.c: ODE as an engine of `thud bench`: rigid bodies and joints built from the model, contacts made
// anew each step, defaults everywhere (ERP 0.2, CFM 1e-10, pyramid scaled by the normal force). Up to
// STEP_BODIES bodies dWorldStep (Dantzig's method, exact), above dWorldQuickStep (20 iterations).
#include <ode/ode.h>
#include <stdlib.h>

#include "world_rules.h"

enum { STEP_BODIES = 40, CONTACTS_MAX = 8 };

typedef struct world {
    const engine_start *start;
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    dBodyID *body;   // one a rigid body
    dJointID *joint; // one a joint of the model; 0: a free one
} world;

static void close_world(void *it)
{
    world *w = it;
    dJointGroupDestroy(w->contacts);
    dSpaceDestroy(w->space);
    dWorldDestroy(w->world);
    free(w->body);
    free(w->joint);
    free(w);
}

// ---------------------------------------------------------------------------------------- building

static dGeomID make_geom(const engine_start *start, int g, dSpaceID space)
{
    const thud_shape *s = &start->model->geom_shape[g];
    const thud_pose X = rules_geom_pose(start, g);
    const thud_vec3 n = q_rotate(X.q, v3(0, 0, 1));
    switch (s->kind) {
    case THUD_SHAPE_PLANE:
        return dCreatePlane(space, n.x, n.y, n.z, v3_dot(n, X.p));
    case THUD_SHAPE_SPHERE:
        return dCreateSphere(space, s->size[0]);
    case THUD_SHAPE_CAPSULE:
        return dCreateCapsule(space, s->size[0], 2 * s->size[1]);
    case THUD_SHAPE_CYLINDER:
        return dCreateCylinder(space, s->size[0], 2 * s->size[1]);
    case THUD_SHAPE_BOX:
        return dCreateBox(space, 2 * s->size[0], 2 * s->size[1], 2 * s->size[2]);
    default:
        return NULL;
    }
}

static bool add_geoms(world *w, char why[ENGINE_WHY_SIZE])
{
    const engine_start *start = w->start;
    const thud_model *m = start->model;
    for (intptr_t g = 0; g < m->geoms; g++) {
        if (!rules_solid(m, (int)g)) {
            continue;
        }
        dGeomID geom = make_geom(start, (int)g, w->space);
        const int rigid = start->rigid_of[m->geom_body[g]];
        const thud_shape_kind kind = m->geom_shape[g].kind;
        if (!geom || (kind == THUD_SHAPE_PLANE && rigid >= 0)) {
            rules_no_shape(kind, why);
            return false;
        }
        dGeomSetData(geom, (void *)g);
        const thud_pose X = rules_geom_pose(start, (int)g);
        const dQuaternion q = {X.q.w, X.q.x, X.q.y, X.q.z};
        if (rigid >= 0) {
            dGeomSetBody(geom, w->body[rigid]);
            dGeomSetOffsetPosition(geom, X.p.x, X.p.y, X.p.z);
            dGeomSetOffsetQuaternion(geom, q);
        } else if (kind != THUD_SHAPE_PLANE) {
            dGeomSetPosition(geom, X.p.x, X.p.y, X.p.z);
            dGeomSetQuaternion(geom, q);
        }
    }
    return true;
}

static void add_bodies(world *w)
{
    for (int i = 0; i < w->start->rigids; i++) {
        const engine_rigid *r = &w->start->rigid[i];
        const dQuaternion q = {r->X_wc.q.w, r->X_wc.q.x, r->X_wc.q.y, r->X_wc.q.z};
        dMass mass;
        dMassSetParameters(&mass, r->mass, 0, 0, 0, r->I.x, r->I.y, r->I.z, 0, 0, 0);
        w->body[i] = dBodyCreate(w->world);
        dBodySetMass(w->body[i], &mass);
        dBodySetPosition(w->body[i], r->X_wc.p.x, r->X_wc.p.y, r->X_wc.p.z);
        dBodySetQuaternion(w->body[i], q);
        dBodySetLinearVel(w->body[i], r->v.x, r->v.y, r->v.z);
        dBodySetAngularVel(w->body[i], r->w.x, r->w.y, r->w.z);
    }
}

static void add_joint(world *w, int j)
{
    const engine_start *start = w->start;
    const thud_model *m = start->model;
    const int type = m->joint_type[j], parent = rules_parent(start, j);
    const thud_vec3 p = rules_anchor(start, j), a = rules_axis(start, j);
    dBodyID child = w->body[start->rigid_of[m->joint_body[j]]], base = parent >= 0 ? w->body[parent] : 0;
    const double q = start->state->qpos[m->joint_q[j]], *range = m->joint_range + 2 * (size_t)j;
    const bool limited = m->limit_on && m->joint_limited[j];
    if (type == THUD_JOINT_HINGE) {
        dJointID joint = w->joint[j] = dJointCreateHinge(w->world, 0);
        dJointAttach(joint, child, base);
        dJointSetHingeAnchor(joint, p.x, p.y, p.z);
        dJointSetHingeAxis(joint, a.x, a.y, a.z);
        if (limited) {
            dJointSetHingeParam(joint, dParamLoStop, range[0] - q);
            dJointSetHingeParam(joint, dParamHiStop, range[1] - q);
        }
    } else if (type == THUD_JOINT_SLIDE) {
        dJointID joint = w->joint[j] = dJointCreateSlider(w->world, 0);
        dJointAttach(joint, child, base);
        dJointSetSliderAxis(joint, a.x, a.y, a.z);
        if (limited) {
            dJointSetSliderParam(joint, dParamLoStop, range[0] - q);
            dJointSetSliderParam(joint, dParamHiStop, range[1] - q);
        }
    } else if (type == THUD_JOINT_BALL) {
        dJointID joint = w->joint[j] = dJointCreateBall(w->world, 0);
        dJointAttach(joint, child, base);
        dJointSetBallAnchor(joint, p.x, p.y, p.z);
    }
}

static void add_loops(world *w)
{
    const engine_start *start = w->start;
    const thud_model *m = start->model;
    for (int e = 0; e < m->equalities && m->equality_on; e++) {
        const int r1 = start->rigid_of[m->eq_obj1[e]], r2 = start->rigid_of[m->eq_obj2[e]];
        const thud_vec3 p = pose_point(start->X_wb[m->eq_obj1[e]], m->eq_frame1[e].p);
        if (m->eq_active[e]) {
            dJointID joint = dJointCreateBall(w->world, 0);
            dJointAttach(joint, r1 >= 0 ? w->body[r1] : 0, r2 >= 0 ? w->body[r2] : 0);
            dJointSetBallAnchor(joint, p.x, p.y, p.z);
        }
    }
}

static void quiet(int number, const char *text, va_list list) // what went wrong is seen in the motion
{
    (void)number, (void)text, (void)list;
}

static void *open_world(const engine_start *start, char why[ENGINE_WHY_SIZE])
{
    const char *cannot = rules_refuse(start);
    if (cannot) {
        snprintf(why, ENGINE_WHY_SIZE, "%s", cannot);
        return NULL;
    }
    static bool begun;
    if (!begun) {
        dInitODE2(0);
        dSetMessageHandler(quiet);
        begun = true;
    }
    world *w = calloc(1, sizeof *w);
    w->start = start;
    w->world = dWorldCreate();
    w->space = dHashSpaceCreate(0);
    w->contacts = dJointGroupCreate(0);
    w->body = calloc((size_t)start->rigids + 1, sizeof *w->body);
    w->joint = calloc((size_t)start->model->joints + 1, sizeof *w->joint);
    dWorldSetGravity(w->world, start->model->gravity.x, start->model->gravity.y, start->model->gravity.z);
    add_bodies(w);
    if (!add_geoms(w, why)) {
        close_world(w);
        return NULL;
    }
    for (int j = 0; j < start->model->joints; j++) {
        add_joint(w, j);
    }
    add_loops(w);
    return w;
}

// ---------------------------------------------------------------------------------------- stepping

static void meet(void *it, dGeomID o1, dGeomID o2)
{
    world *w = it;
    const thud_model *m = w->start->model;
    const int g1 = (int)(intptr_t)dGeomGetData(o1), g2 = (int)(intptr_t)dGeomGetData(o2);
    dContact contact[CONTACTS_MAX];
    if (!rules_meet(m, g1, g2)) {
        return;
    }
    const int count = dCollide(o1, o2, CONTACTS_MAX, &contact[0].geom, sizeof *contact);
    for (int i = 0; i < count; i++) {
        contact[i].surface.mode = dContactApprox1;
        contact[i].surface.mu = rules_friction(m, g1, g2);
        dJointID joint = dJointCreateContact(w->world, w->contacts, contact + i);
        dJointAttach(joint, dGeomGetBody(o1), dGeomGetBody(o2));
    }
}

static void push_joints(world *w)
{
    const thud_model *m = w->start->model;
    for (int j = 0; j < m->joints; j++) {
        dJointID joint = w->joint[j];
        if (!joint || !rules_sprung(m, j)) {
            continue;
        }
        if (m->joint_type[j] == THUD_JOINT_HINGE) {
            dJointAddHingeTorque(joint, rules_passive(w->start, j, dJointGetHingeAngle(joint),
                                                      dJointGetHingeAngleRate(joint)));
        } else {
            dJointAddSliderForce(joint, rules_passive(w->start, j, dJointGetSliderPosition(joint),
                                                      dJointGetSliderPositionRate(joint)));
        }
    }
}

static bool still_finite(const world *w)
{
    double sum = 0;
    for (int i = 0; i < w->start->rigids; i++) {
        const dReal *p = dBodyGetPosition(w->body[i]);
        sum += p[0] + p[1] + p[2];
    }
    return isfinite(sum);
}

static int step_world(void *it, int count)
{
    world *w = it;
    const bool exact = w->start->rigids <= STEP_BODIES;
    for (int i = 0; i < count; i++) {
        dSpaceCollide(w->space, w, meet);
        push_joints(w);
        if (exact) {
            dWorldStep(w->world, w->start->dt);
        } else {
            dWorldQuickStep(w->world, w->start->dt);
        }
        dJointGroupEmpty(w->contacts);
    }
    return still_finite(w) ? count : count - 1;
}

static void read_bodies(void *it, thud_pose *X_wb, thud_motion *V_wb)
{
    const world *w = it;
    for (int i = 0; i < w->start->rigids; i++) {
        const dReal *p = dBodyGetPosition(w->body[i]), *q = dBodyGetQuaternion(w->body[i]),
                    *v = dBodyGetLinearVel(w->body[i]), *a = dBodyGetAngularVel(w->body[i]);
        const thud_pose X = {{q[0], q[1], q[2], q[3]}, {p[0], p[1], p[2]}};
        rules_place(w->start, i, X, v3(a[0], a[1], a[2]), v3(v[0], v[1], v[2]), X_wb, V_wb);
    }
}

const engine thud_peer = {.abi = ENGINE_ABI,
                          .name = "ode",
                          .title = "ODE 0.16",
                          .open = open_world,
                          .close = close_world,
                          .step = step_world,
                          .bodies = read_bodies};
