// SPDX-License-Identifier: Apache-2.0
// siconos_cone.c: Siconos' solvers of frictional contact for bench_cone.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
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

enum { SWEEPS_MAX = 100000, BATCH_MAX = 256 };

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

// CPU seconds of one call, taken over `batch` calls that each have their own options and zeros; the last
// answer to a.
static double time_batch(int k, FrictionContactProblem *problem, double tolerance, int batch, answer *a)
{
    const size_t n = (size_t)(problem->dimension * problem->numberOfContacts);
    double *p = calloc(2 * n * (size_t)batch, sizeof *p);
    SolverOptions *o[BATCH_MAX];
    for (int i = 0; i < batch; i++) {
        o[i] = solver_options_create(problem->dimension == 3 ? solver[k].id : solver[k].id_plane);
        o[i]->dparam[SICONOS_DPARAM_TOL] = tolerance;
        if (solver[k].iterations > 0) {
            o[i]->iparam[SICONOS_IPARAM_MAX_ITER] = solver[k].iterations;
        }
    }
    const double start = cpu_seconds();
    for (int i = 0; i < batch; i++) {
        double *mine = p + 2 * n * (size_t)i;
        a->info = problem->dimension == 3 ? fc3d_driver(problem, mine, mine + n, o[i])
                                          : fc2d_driver(problem, mine, mine + n, o[i]);
    }
    const double seconds = (cpu_seconds() - start) / batch;
    memcpy(a->p, p + 2 * n * (size_t)(batch - 1), sizeof *p * n);
    for (int i = 0; i < batch; i++) {
        solver_options_delete(o[i]);
    }
    free(p);
    return seconds;
}

static void solve_here(int k, const peer_cone *c, double tolerance, bool warm, answer *a)
{
    const int n = c->dim * c->contacts;
    double *W = malloc(sizeof *W * (size_t)n * (size_t)n), *q = malloc(sizeof *q * (size_t)n),
           *mu = malloc(sizeof *mu * (size_t)c->contacts);
    memcpy(W, c->W, sizeof *W * (size_t)n * (size_t)n);
    memcpy(q, c->b, sizeof *q * (size_t)n);
    memcpy(mu, c->mu, sizeof *mu * (size_t)c->contacts);
    NumericsMatrix *M = NM_create_from_data(NM_DENSE, n, n, W);
    FrictionContactProblem *problem = frictionContactProblem_new_with_data(c->dim, c->contacts, M, q, mu);
    numerics_set_verbose(0);
    a->seconds = time_batch(k, problem, tolerance, 1, a);
    if (warm) { // the second says how many the clock needs, the third counts
        const double second = time_batch(k, problem, tolerance, 1, a);
        a->seconds =
            time_batch(k, problem, tolerance, second < 1e-6 ? BATCH_MAX : 1 + (int)(2e-4 / second), a);
    }
}

// A signal ends the process after so many seconds; of the wall clock, since a timer of CPU time makes the
// CPU clock that the solve is timed with a coarse one.
static void limit_time(double seconds)
{
    const long whole = (long)seconds;
    const struct itimerval limit = {.it_value = {whole, (long)(1e6 * (seconds - (double)whole))}};
    setitimer(ITIMER_REAL, &limit, NULL);
}

bool peer_cone_solve(int k, const peer_cone *c, double tolerance, double patience, bool warm, double *p,
                     double *seconds)
{
    const size_t n = (size_t)(c->dim * c->contacts), bytes = sizeof(answer) + sizeof(double) * n;
    answer *a = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    memset(p, 0, sizeof *p * n);
    *seconds = NAN;
    if (a == MAP_FAILED || (c->dim == 2 && solver[k].id_plane < 0)) {
        return false;
    }
    a->info = -1;
    a->seconds = patience;
    fflush(NULL); // or the child prints it again
    const pid_t child = fork();
    if (child == 0) {
        limit_time(patience);
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) {
            _exit(1);
        }
        solve_here(k, c, tolerance, warm, a);
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
