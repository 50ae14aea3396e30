// SPDX-License-Identifier: Apache-2.0
// bullet_pairs.cpp: Bullet's narrow phase as its world runs it: the dispatcher chooses the algorithm
// (box-box, or GJK with EPA), which keeps its separating axis and a manifold of up to four points between
// steps.
#include <btBulletCollisionCommon.h>
#include <memory>
#include <peer_pairs.h>

struct bullet_pair {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    std::unique_ptr<btConvexShape> shape[2];
    btCollisionObject object[2];
    btDispatcherInfo info;
    btCollisionAlgorithm *algorithm = nullptr;
};

static btConvexShape *shape_of(const thud_shape *s)
{
    if (s->kind == THUD_SHAPE_BOX) {
        return new btBoxShape(btVector3(btScalar(s->size[0]), btScalar(s->size[1]), btScalar(s->size[2])));
    }
    btConvexHullShape *hull = new btConvexHullShape;
    for (int i = 0; i < s->hull->vertices; i++) {
        const thud_vec3 x = s->hull->vertex[i];
        hull->addPoint(btVector3(btScalar(x.x), btScalar(x.y), btScalar(x.z)), false);
    }
    hull->recalcLocalAabb();
    hull->setMargin(0);
    return hull;
}

bullet_pair *bullet_pair_open(const thud_shape *first, const thud_shape *second)
{
    bullet_pair *p = new bullet_pair;
    const thud_shape *given[2] = {first, second};
    for (int i = 0; i < 2; i++) {
        p->shape[i].reset(shape_of(given[i]));
        p->object[i].setCollisionShape(p->shape[i].get());
    }
    return p;
}

static btTransform transform_of(thud_pose X)
{
    return btTransform(btQuaternion(btScalar(X.q.x), btScalar(X.q.y), btScalar(X.q.z), btScalar(X.q.w)),
                       btVector3(btScalar(X.p.x), btScalar(X.p.y), btScalar(X.p.z)));
}

void bullet_pair_check(bullet_pair *p, thud_pose X_w1, thud_pose X_w2, peer_answer *out)
{
    p->object[0].setWorldTransform(transform_of(X_w1));
    p->object[1].setWorldTransform(transform_of(X_w2));
    btCollisionObjectWrapper first(nullptr, p->shape[0].get(), &p->object[0],
                                   p->object[0].getWorldTransform(), -1, -1);
    btCollisionObjectWrapper second(nullptr, p->shape[1].get(), &p->object[1],
                                    p->object[1].getWorldTransform(), -1, -1);
    if (!p->algorithm) {
        p->algorithm = p->dispatcher.findAlgorithm(&first, &second, nullptr, BT_CONTACT_POINT_ALGORITHMS);
    }
    btManifoldResult result(&first, &second);
    p->algorithm->processCollision(&first, &second, p->info, &result);
    *out = peer_answer{};
    btManifoldArray manifolds;
    p->algorithm->getAllContactManifolds(manifolds);
    for (int m = 0; m < manifolds.size(); m++) {
        for (int i = 0; i < manifolds[m]->getNumContacts(); i++) {
            const btManifoldPoint &point = manifolds[m]->getContactPoint(i);
            if (point.getDistance() <= 0 &&
                (out->contacts++ == 0 || double(point.getDistance()) < out->dist)) {
                const btVector3 n = point.m_normalWorldOnB; // from the second to the first
                out->dist = double(point.getDistance());
                out->normal = thud_vec3{-double(n.x()), -double(n.y()), -double(n.z())};
            }
        }
    }
}

void bullet_pair_close(bullet_pair *p)
{
    if (p->algorithm) {
        p->algorithm->~btCollisionAlgorithm();
        p->dispatcher.freeCollisionAlgorithm(p->algorithm);
    }
    delete p;
}
