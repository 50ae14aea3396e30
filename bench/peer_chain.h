// SPDX-License-Identifier: Apache-2.0
// peer_chain.h: what a peer tells bench_chain of one MJCF scene.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

typedef struct peer_chain peer_chain;
// Loads a scene in the peer; NULL, with why filled, when it refuses. rk4: its Runge-Kutta instead of its
// Euler.
peer_chain *peer_chain_open(const char *path, int rk4, char *why, int size);
void peer_chain_close(peer_chain *c);
void peer_chain_reset(peer_chain *c, const double *qvel);
void peer_chain_steps(peer_chain *c, int count);
double peer_chain_energy(peer_chain *c); // kinetic + potential, at the present state

#ifdef __cplusplus
}
#endif
