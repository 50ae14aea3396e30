// SPDX-License-Identifier: Apache-2.0
// peer_cone.h: another library's solvers of frictional contact problems, as bench_cone drives them.
#pragma once

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct peer_cone {
    int dim, contacts;        // 2 or 3; rows normal first
    const double *W, *b, *mu; // dense, column-major
} peer_cone;

int peer_cone_solvers(void);
const char *peer_cone_name(int solver);
// Solves from zero to the peer's own residual `tolerance`; p and the CPU seconds of one call alone: the
// first, or, if warm, the mean over as many as the clock needs after two to warm up. The calls run in a child
// process that has `patience` seconds, so that a peer that exits or hangs costs one answer. false: it says
// that it failed, or has no solver of this dimension, when seconds is NaN.
bool peer_cone_solve(int solver, const peer_cone *problem, double tolerance, double patience, bool warm,
                     double *p, double *seconds);

#ifdef __cplusplus
}
#endif
