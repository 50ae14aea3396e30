// SPDX-License-Identifier: Apache-2.0
// peer_broad.h: the broad phase of another engine, as bench_broad drives it.
#pragma once

#include <thud/thud.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum peer_broad_kind { PEER_BROAD_TREE, PEER_BROAD_SWEEP } peer_broad_kind;
typedef struct peer_broad peer_broad;

peer_broad *peer_broad_open(peer_broad_kind kind, int boxes, const thud_aabb *box, const thud_aabb *world);
void peer_broad_step(peer_broad *p, const thud_aabb *box); // moves every box and finds the overlaps
int peer_broad_pairs(const peer_broad *p);                 // overlaps of its own, fattened boxes
int peer_broad_tight_pairs(const peer_broad *p, const thud_aabb *box); // those that really overlap
void peer_broad_close(peer_broad *p);

#ifdef __cplusplus
}
#endif
