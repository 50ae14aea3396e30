// SPDX-License-Identifier: Apache-2.0
// bullet_world.cpp: Bullet (double precision) as an engine of `thud bench`: rigid bodies and constraints built
// from the model, sequential impulses with Bullet's own defaults (10 iterations), bodies never asleep.
#include <BulletCollision/CollisionDispatch/btManifoldResult.h>
#include <BulletDynamics/btBulletDynamicsCommon.h>
#include <cmath>
#include <memory>
#include <vector>

#include "world_rules.h"

namespace {

struct world {
    const engine_start *start;
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broad;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld space{&dispatcher, &broad, &solver, &configuration};
    struct filter : btOverlapFilterCallback {
        const thud_model *model;
        bool needBroadphaseCollision(btBroadphaseProxy *a, btBroadphaseProxy *b) const override;
    } filter;
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btRigidBody>> fixed, body;
    std::vector<std::unique_ptr<btTypedConstraint>> joint;
    std::vector<btHingeConstraint *> hinge;   // by joint of the model, or null
    std::vector<btSliderConstraint *> slider; // likewise
};

btVector3 vec(thud_vec3 v)
{
    return btVector3(v.x, v.y, v.z);
}

thud_vec3 vec(const btVector3 &v)
{
    return v3(v.x(), v.y(), v.z());
}

btTransform transform(thud_pose X)
{
    return btTransform(btQuaternion(X.q.x, X.q.y, X.q.z, X.q.w), vec(X.p));
}

thud_pose pose_of(const btTransform &T)
{
    const btQuaternion q = T.getRotation();
    thud_pose X;
    X.q.w = q.w(), X.q.x = q.x(), X.q.y = q.y(), X.q.z = q.z();
    X.p = vec(T.getOrigin());
    return X;
}

// ---------------------------------------------------------------------------------------- contact rules

const thud_model *friction_model; // Bullet's callback knows only the two objects

int geom_of(const btCollisionObject *object)
{
    return object->getUserIndex(); // the first of a body's geoms
}

btScalar combine_friction(const btCollisionObject *a, const btCollisionObject *b)
{
    return rules_friction(friction_model, geom_of(a), geom_of(b));
}

bool world::filter::needBroadphaseCollision(btBroadphaseProxy *a, btBroadphaseProxy *b) const
{
    const auto *oa = static_cast<btCollisionObject *>(a->m_clientObject);
    const auto *ob = static_cast<btCollisionObject *>(b->m_clientObject);
    return rules_meet(model, geom_of(oa), geom_of(ob));
}

// ---------------------------------------------------------------------------------------- building

btCollisionShape *make_shape(const thud_shape &s)
{
    btCollisionShape *shape = nullptr;
    btConvexHullShape *points = nullptr;
    double least = s.size[0];
    switch (s.kind) {
    case THUD_SHAPE_SPHERE:
        return new btSphereShape(s.size[0]);
    case THUD_SHAPE_CAPSULE:
        return new btCapsuleShapeZ(s.size[0], 2 * s.size[1]);
    case THUD_SHAPE_CYLINDER:
        shape = new btCylinderShapeZ(btVector3(s.size[0], s.size[0], s.size[1]));
        least = std::fmin(s.size[0], s.size[1]);
        break;
    case THUD_SHAPE_BOX:
        shape = new btBoxShape(btVector3(s.size[0], s.size[1], s.size[2]));
        least = std::fmin(s.size[0], std::fmin(s.size[1], s.size[2]));
        break;
    case THUD_SHAPE_HULL:
        points = new btConvexHullShape;
        for (int i = 0; i < s.hull->vertices; i++) {
            points->addPoint(vec(s.hull->vertex[i]), false);
        }
        points->recalcLocalAabb();
        points->setMargin(0);
        return points;
    default:
        return nullptr;
    }
    shape->setMargin(std::fmin(0.04, 0.2 * least)); // Bullet's own, less for what is thin
    return shape;
}

btRigidBody *make_body(world &w, btScalar mass, const btTransform &at, btCollisionShape *shape,
                       const btVector3 &I, int geom)
{
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, I);
    info.m_startWorldTransform = at;
    auto *body = new btRigidBody(info);
    body->setUserIndex(geom);
    body->setActivationState(DISABLE_DEACTIVATION);
    w.space.addRigidBody(body);
    return body;
}

bool add_fixed(world &w, char *why)
{
    const engine_start *start = w.start;
    const thud_model *m = start->model;
    for (int g = 0; g < m->geoms; g++) {
        if (start->rigid_of[m->geom_body[g]] >= 0 || !rules_solid(m, g)) {
            continue;
        }
        const thud_pose X = rules_geom_pose(start, g);
        const bool plane = m->geom_shape[g].kind == THUD_SHAPE_PLANE;
        const thud_vec3 n = q_rotate(X.q, v3(0, 0, 1));
        btCollisionShape *shape =
            plane ? new btStaticPlaneShape(vec(n), v3_dot(n, X.p)) : make_shape(m->geom_shape[g]);
        if (!shape) {
            rules_no_shape(m->geom_shape[g].kind, why);
            return false;
        }
        w.shapes.emplace_back(shape);
        w.fixed.emplace_back(
            make_body(w, 0, plane ? btTransform::getIdentity() : transform(X), shape, btVector3(0, 0, 0), g));
    }
    return true;
}

// The shape of a rigid body: a compound of its geoms, or nothing that collides.
btCollisionShape *body_shape(world &w, int rigid, int *first, char *why)
{
    const engine_start *start = w.start;
    const thud_model *m = start->model;
    auto *all = new btCompoundShape;
    w.shapes.emplace_back(all);
    *first = 0;
    for (int g = 0; g < m->geoms; g++) {
        if (start->rigid_of[m->geom_body[g]] != rigid || !rules_solid(m, g)) {
            continue;
        }
        btCollisionShape *shape = make_shape(m->geom_shape[g]);
        if (!shape) {
            rules_no_shape(m->geom_shape[g].kind, why);
            return nullptr;
        }
        w.shapes.emplace_back(shape);
        *first = all->getNumChildShapes() ? *first : g;
        all->addChildShape(transform(rules_geom_pose(start, g)), shape);
    }
    const bool bare = all->getNumChildShapes() == 1 &&
                      (all->getChildTransform(0).getOrigin().length() < 1e-12) &&
                      (all->getChildTransform(0).getRotation().getAngle() < 1e-9);
    return bare ? all->getChildShape(0) : all; // as a user of Bullet would have it
}

bool add_bodies(world &w, char *why)
{
    for (int i = 0; i < w.start->rigids; i++) {
        const engine_rigid &r = w.start->rigid[i];
        int first;
        btCollisionShape *shape = body_shape(w, i, &first, why);
        if (!shape) {
            return false;
        }
        w.body.emplace_back(make_body(w, r.mass, transform(r.X_wc), shape, vec(r.I), first));
        w.body[i]->setLinearVelocity(vec(r.v));
        w.body[i]->setAngularVelocity(vec(r.w));
    }
    return true;
}

// A frame in a body whose x or z axis is the world's `axis`, at the world's `point`.
btTransform frame_in(const btRigidBody &body, thud_vec3 point, thud_vec3 axis, bool along_x)
{
    const thud_quat turn = q_of_zaxis(axis);
    btTransform at(btQuaternion(turn.x, turn.y, turn.z, turn.w), vec(point));
    if (along_x) {
        at = at * btTransform(btQuaternion(btVector3(0, 1, 0), -M_PI / 2)); // x onto the old z
    }
    return body.getWorldTransform().inverse() * at;
}

void add_joint(world &w, int j)
{
    const engine_start *start = w.start;
    const thud_model *m = start->model;
    const int type = m->joint_type[j], parent = rules_parent(start, j);
    const thud_vec3 p = rules_anchor(start, j), a = rules_axis(start, j);
    btRigidBody &child = *w.body[start->rigid_of[m->joint_body[j]]];
    btRigidBody &base = parent >= 0 ? *w.body[parent] : btTypedConstraint::getFixedBody();
    const double q = start->state->qpos[m->joint_q[j]], *range = m->joint_range + 2 * j;
    const bool limited = m->limit_on && m->joint_limited[j];
    if (type == THUD_JOINT_HINGE) {
        auto *hinge =
            new btHingeConstraint(base, child, frame_in(base, p, a, false), frame_in(child, p, a, false));
        hinge->setLimit(limited ? q - range[1] : 1, limited ? q - range[0] : -1); // it counts the other way
        w.hinge[j] = hinge;
        w.joint.emplace_back(hinge);
    } else if (type == THUD_JOINT_SLIDE) {
        auto *slider = new btSliderConstraint(base, child, frame_in(base, p, a, true),
                                              frame_in(child, p, a, true), true);
        slider->setLowerLinLimit(limited ? range[0] - q : 1);
        slider->setUpperLinLimit(limited ? range[1] - q : -1);
        slider->setLowerAngLimit(0);
        slider->setUpperAngLimit(0);
        w.slider[j] = slider;
        w.joint.emplace_back(slider);
    } else if (type == THUD_JOINT_BALL) {
        w.joint.emplace_back(new btPoint2PointConstraint(base, child,
                                                         base.getWorldTransform().inverse() * vec(p),
                                                         child.getWorldTransform().inverse() * vec(p)));
    } else {
        return;
    }
    w.space.addConstraint(w.joint.back().get(), true);
}

void add_loops(world &w)
{
    const engine_start *start = w.start;
    const thud_model *m = start->model;
    for (int e = 0; e < m->equalities && m->equality_on; e++) {
        const int r1 = start->rigid_of[m->eq_obj1[e]], r2 = start->rigid_of[m->eq_obj2[e]];
        btRigidBody &b1 = r1 >= 0 ? *w.body[r1] : btTypedConstraint::getFixedBody();
        btRigidBody &b2 = r2 >= 0 ? *w.body[r2] : btTypedConstraint::getFixedBody();
        const btVector3 p = vec(pose_point(start->X_wb[m->eq_obj1[e]], m->eq_frame1[e].p));
        if (m->eq_active[e]) {
            w.joint.emplace_back(new btPoint2PointConstraint(b1, b2, b1.getWorldTransform().inverse() * p,
                                                             b2.getWorldTransform().inverse() * p));
            w.space.addConstraint(w.joint.back().get(), false);
        }
    }
}

void close_world(void *it)
{
    auto *w = static_cast<world *>(it);
    for (auto &joint : w->joint) {
        w->space.removeConstraint(joint.get());
    }
    for (auto &body : w->body) {
        w->space.removeRigidBody(body.get());
    }
    for (auto &body : w->fixed) {
        w->space.removeRigidBody(body.get());
    }
    delete w;
}

void *open_world(const engine_start *start, char why[ENGINE_WHY_SIZE])
{
    const char *cannot = rules_refuse(start);
    if (cannot) {
        snprintf(why, ENGINE_WHY_SIZE, "%s", cannot);
        return nullptr;
    }
    auto *w = new world;
    w->start = start;
    friction_model = w->filter.model = start->model;
    gCalculateCombinedFrictionCallback = combine_friction;
    w->space.getPairCache()->setOverlapFilterCallback(&w->filter);
    w->space.setGravity(vec(start->model->gravity));
    w->hinge.resize(start->model->joints);
    w->slider.resize(start->model->joints);
    if (!add_fixed(*w, why) || !add_bodies(*w, why)) {
        close_world(w);
        return nullptr;
    }
    for (int j = 0; j < start->model->joints; j++) {
        add_joint(*w, j);
    }
    add_loops(*w);
    return w;
}

// ---------------------------------------------------------------------------------------- stepping

void push_hinge(const world &w, int j)
{
    btHingeConstraint &hinge = *w.hinge[j];
    btRigidBody &base = hinge.getRigidBodyA(), &child = hinge.getRigidBodyB();
    const btVector3 axis = base.getWorldTransform().getBasis() * hinge.getAFrame().getBasis().getColumn(2);
    const double rate = axis.dot(child.getAngularVelocity() - base.getAngularVelocity());
    const btVector3 torque = axis * rules_passive(w.start, j, -hinge.getHingeAngle(), rate);
    child.applyTorque(torque);
    base.applyTorque(-torque);
}

void push_slider(const world &w, int j)
{
    btSliderConstraint &slider = *w.slider[j];
    btTypedConstraint &ends = slider; // the slider's own give what cannot be pushed
    btRigidBody &base = ends.getRigidBodyA(), &child = ends.getRigidBodyB();
    const btVector3 axis = slider.getCalculatedTransformA().getBasis().getColumn(0);
    const double rate = axis.dot(child.getLinearVelocity() - base.getLinearVelocity());
    const btVector3 force = axis * rules_passive(w.start, j, slider.getLinearPos(), rate);
    child.applyCentralForce(force);
    base.applyCentralForce(-force);
}

int step_world(void *it, int count)
{
    auto &w = *static_cast<world *>(it);
    const thud_model *m = w.start->model;
    friction_model = m;
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < m->joints; j++) {
            if (rules_sprung(m, j) && w.hinge[j]) {
                push_hinge(w, j);
            } else if (rules_sprung(m, j) && w.slider[j]) {
                push_slider(w, j);
            }
        }
        w.space.stepSimulation(w.start->dt, 0);
    }
    btVector3 sum(0, 0, 0);
    for (const auto &body : w.body) {
        sum += body->getWorldTransform().getOrigin();
    }
    return std::isfinite(sum.length2()) ? count : count - 1;
}

void read_bodies(void *it, thud_pose *X_wb, thud_motion *V_wb)
{
    auto &w = *static_cast<world *>(it);
    for (int i = 0; i < w.start->rigids; i++) {
        const btRigidBody &b = *w.body[i];
        rules_place(w.start, i, pose_of(b.getWorldTransform()), vec(b.getAngularVelocity()),
                    vec(b.getLinearVelocity()), X_wb, V_wb);
    }
}

} // namespace

const engine thud_peer = {ENGINE_ABI, "bullet", "Bullet 3.24", open_world, close_world,
                          step_world, nullptr,  read_bodies,   nullptr};
