// SPDX-License-Identifier: Apache-2.0
// peer_pairs.h: the narrow phase of another engine, as bench_pairs drives it: one object a pair, so that it
// may keep what it likes from step to step.
#pragma once

#include <thud/collide_pair.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct peer_answer {
    int contacts;     // 0: apart
    double dist;      // of the deepest contact
    thud_vec3 normal; // from the first to the second
} peer_answer;

typedef struct ccd_pair ccd_pair; // libccd: GJK, then EPA when they overlap; one contact
ccd_pair *ccd_pair_open(const thud_shape *first, const thud_shape *second);
void ccd_pair_check(ccd_pair *p, thud_pose X_w1, thud_pose X_w2, peer_answer *out);
void ccd_pair_close(ccd_pair *p);

typedef struct bullet_pair bullet_pair; // Bullet: its own choice of algorithm, with a persistent manifold
bullet_pair *bullet_pair_open(const thud_shape *first, const thud_shape *second);
void bullet_pair_check(bullet_pair *p, thud_pose X_w1, thud_pose X_w2, peer_answer *out);
void bullet_pair_close(bullet_pair *p);

#ifdef __cplusplus
}
#endif
