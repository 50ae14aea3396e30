// SPDX-License-Identifier: Apache-2.0
// siconos_cone.c: Siconos' solvers of frictional contact for bench_cone.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <numerics/FrictionContactProblem.h>
#include <numerics/Friction_cst.h>
#include <numerics/NonSmoothDrivers.h>
#include <numerics/NumericsMatrix.h>
#include <numerics/NumericsVerbose.h>
#include <numerics/SolverOptions.h>

#include "peer_cone.h"

enum { SECONDS_MAX = 10, SWEEPS_MAX = 100000 };

static const struct {
    const char *name;
    int id, id_plane; // in space, in the plane (-1: none)
    int iterations;   // 0: its default
} solver[] = {{"siconos nsgs", SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_2D_NSGS, SWEEPS_MAX},
              {"siconos nsn-ac", SICONOS_FRICTION_3D_NSN_AC, -1, 0},
              {"siconos prox", SICONOS_FRICTION_3D_PROX, -1, 0},
              {"siconos admm", SICONOS_FRICTION_3D_ADMM, -1, SWEEPS_MAX}};

int peer_cone_solvers(void)
{
    return (int)(sizeof solver / sizeof *solver);
}

const char *peer_cone_name(int k)
{
    return solver[k].name;
}

typedef struct answer { // in memory shared with the child
    int info;
    double seconds;
    double p[];
} answer;

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void solve_here(int k, const peer_cone *c, double tolerance, answer *a)
{
    const int n = c->dim * c->contacts;
    double *W = malloc(sizeof *W * (size_t)n * (size_t)n), *q = malloc(sizeof *q * (size_t)n),
           *mu = malloc(sizeof *mu * (size_t)c->contacts), *u = calloc((size_t)n, sizeof *u);
    memcpy(W, c->W, sizeof *W * (size_t)n * (size_t)n);
    memcpy(q, c->b, sizeof *q * (size_t)n);
    memcpy(mu, c->mu, sizeof *mu * (size_t)c->contacts);
    NumericsMatrix *M = NM_create_from_data(NM_DENSE, n, n, W);
    FrictionContactProblem *problem = frictionContactProblem_new_with_data(c->dim, c->contacts, M, q, mu);
    SolverOptions *o = solver_options_create(c->dim == 3 ? solver[k].id : solver[k].id_plane);
    o->dparam[SICONOS_DPARAM_TOL] = tolerance;
    if (solver[k].iterations > 0) {
        o->iparam[SICONOS_IPARAM_MAX_ITER] = solver[k].iterations;
    }
    numerics_set_verbose(0);
    const double start = cpu_seconds();
    a->info = c->dim == 3 ? fc3d_driver(problem, a->p, u, o) : fc2d_driver(problem, a->p, u, o);
    a->seconds = cpu_seconds() - start;
}

bool peer_cone_solve(int k, const peer_cone *c, double tolerance, double *p, double *seconds)
{
    const size_t n = (size_t)(c->dim * c->contacts), bytes = sizeof(answer) + sizeof(double) * n;
    answer *a = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    memset(p, 0, sizeof *p * n);
    *seconds = SECONDS_MAX;
    if (a == MAP_FAILED || (c->dim == 2 && solver[k].id_plane < 0)) {
        return false;
    }
    a->info = -1;
    a->seconds = SECONDS_MAX;
    fflush(NULL); // or the child prints it again
    const pid_t child = fork();
    if (child == 0) {
        alarm(SECONDS_MAX);
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) {
            _exit(1);
        }
        solve_here(k, c, tolerance, a);
        _exit(0);
    }
    int status = 0;
    const bool ended = child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status);
    const bool solved = ended && WEXITSTATUS(status) == 0 && a->info == 0;
    memcpy(p, a->p, sizeof *p * n);
    *seconds = a->seconds;
    munmap(a, bytes);
    return solved;
}
