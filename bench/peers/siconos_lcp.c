// SPDX-License-Identifier: Apache-2.0
// siconos_lcp.c: Siconos' LCP solvers through its own driver, with its own default options.
#include <string.h>

#include <numerics/LinearComplementarityProblem.h>
#include <numerics/NonSmoothDrivers.h>
#include <numerics/NumericsMatrix.h>
#include <numerics/SolverOptions.h>
#include <numerics/lcp_cst.h>

#include <thud/base.h>

#include "peer_lcp.h"

static double solve(int solver, int n, const double *M, const double *q, double *z, int batch)
{
    NumericsMatrix *matrix = NM_create_from_data(NM_DENSE, n, n, (void *)M);
    LinearComplementarityProblem problem = {.size = n, .M = matrix, .q = (double *)q};
    SolverOptions *options = solver_options_create(solver);
    double *w = thud_alloc((size_t)n, sizeof *w);
    const double start = thud_clock_cpu();
    for (int i = 0; i < batch; i++) {
        memset(z, 0, sizeof *z * (size_t)n);
        linearComplementarity_driver(&problem, z, w, options);
    }
    const double seconds = (thud_clock_cpu() - start) / batch;
    thud_free(w);
    solver_options_delete(options);
    matrix->matrix0 = NULL; // ours
    NM_clear(matrix);
    return seconds;
}

double peer_siconos_lemke(int n, const double *M, const double *q, double *z, int batch)
{
    return solve(SICONOS_LCP_LEMKE, n, M, q, z, batch);
}

double peer_siconos_newton(int n, const double *M, const double *q, double *z, int batch)
{
    return solve(SICONOS_LCP_NEWTON_FB_FBLSA, n, M, q, z, batch);
}
