// SPDX-License-Identifier: Apache-2.0
// bullet_broad.cpp: Bullet's dynamic tree (btDbvtBroadphase) and its sweep (bt32BitAxisSweep3).
#include <peer_broad.h>

#include <BulletCollision/BroadphaseCollision/btAxisSweep3.h>
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <memory>
#include <vector>

struct peer_broad {
    std::unique_ptr<btBroadphaseInterface> broad;
    std::vector<btBroadphaseProxy *> proxy;
};

static btVector3 vec(const thud_vec3 &v)
{
    return btVector3(btScalar(v.x), btScalar(v.y), btScalar(v.z));
}

peer_broad *peer_broad_open(peer_broad_kind kind, int boxes, const thud_aabb *box, const thud_aabb *world)
{
    peer_broad *p = new peer_broad;
    if (kind == PEER_BROAD_TREE) {
        p->broad.reset(new btDbvtBroadphase);
    } else {
        p->broad.reset(new bt32BitAxisSweep3(vec(world->lo), vec(world->hi), unsigned(boxes) + 2));
    }
    for (int i = 0; i < boxes; i++) {
        void *number = reinterpret_cast<void *>(static_cast<intptr_t>(i));
        p->proxy.push_back(p->broad->createProxy(vec(box[i].lo), vec(box[i].hi), 0, number, 1, 1, nullptr));
    }
    p->broad->calculateOverlappingPairs(nullptr);
    return p;
}

void peer_broad_step(peer_broad *p, const thud_aabb *box)
{
    for (size_t i = 0; i < p->proxy.size(); i++) {
        p->broad->setAabb(p->proxy[i], vec(box[i].lo), vec(box[i].hi), nullptr);
    }
    p->broad->calculateOverlappingPairs(nullptr);
}

int peer_broad_pairs(const peer_broad *p)
{
    return p->broad->getOverlappingPairCache()->getNumOverlappingPairs();
}

int peer_broad_tight_pairs(const peer_broad *p, const thud_aabb *box)
{
    const btBroadphasePairArray &pairs = p->broad->getOverlappingPairCache()->getOverlappingPairArray();
    int count = 0;
    for (int k = 0; k < pairs.size(); k++) {
        const thud_aabb &a = box[reinterpret_cast<intptr_t>(pairs[k].m_pProxy0->m_clientObject)];
        const thud_aabb &b = box[reinterpret_cast<intptr_t>(pairs[k].m_pProxy1->m_clientObject)];
        count += a.lo.x <= b.hi.x && b.lo.x <= a.hi.x && a.lo.y <= b.hi.y && b.lo.y <= a.hi.y &&
                 a.lo.z <= b.hi.z && b.lo.z <= a.hi.z;
    }
    return count;
}

void peer_broad_close(peer_broad *p)
{
    delete p;
}
