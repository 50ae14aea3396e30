// SPDX-License-Identifier: Apache-2.0
// peer_lcp.h: other libraries' LCP solvers, as bench_lcp drives them: w = M z + q, z >= 0, w >= 0, z'w = 0.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// Solves `batch` times from zero and returns the CPU seconds of one call alone: copies of M and other
// preparation are not in it. z is left as the peer left it; the bench judges. M is n x n, column-major.
typedef double peer_lcp_solve(int n, const double *M, const double *q, double *z, int batch);

peer_lcp_solve peer_siconos_lemke, peer_siconos_newton;
peer_lcp_solve peer_ode_dantzig; // M symmetric

#ifdef __cplusplus
}
#endif
