// SPDX-License-Identifier: Apache-2.0
// lcp_problem.c: a linear complementarity problem that owns its numbers.
#include <math.h>

#include <thud/problem_lcp.h>

thud_status thud_lcp_problem_create(int n, thud_lcp_problem **out)
{
    *out = NULL;
    if (n < 0) {
        return THUD_BAD_ARGUMENT;
    }
    thud_lcp_problem *problem = thud_alloc(1, sizeof *problem);
    if (!problem) {
        return THUD_NO_MEMORY;
    }
    problem->M = thud_alloc((size_t)n * (size_t)n, sizeof(double));
    problem->q = thud_alloc((size_t)n, sizeof(double));
    if (!problem->M || !problem->q) {
        thud_lcp_problem_destroy(problem);
        return THUD_NO_MEMORY;
    }
    problem->lcp = (thud_lcp){.n = n, .M = {n, n, n, problem->M}, .q = problem->q};
    *out = problem;
    return THUD_OK;
}

void thud_lcp_problem_destroy(thud_lcp_problem *problem)
{
    if (problem) {
        thud_free(problem->M);
        thud_free(problem->q);
        thud_free(problem->lo);
        thud_free(problem->hi);
        thud_free(problem->q_size);
        thud_free(problem);
    }
}

thud_status thud_lcp_problem_add_bounds(thud_lcp_problem *problem)
{
    const int n = problem->lcp.n;
    if (!problem->lo) {
        problem->lo = thud_alloc((size_t)n, sizeof(double));
    }
    if (!problem->hi) {
        problem->hi = thud_alloc((size_t)n, sizeof(double));
        for (int i = 0; problem->hi && i < n; i++) {
            problem->hi[i] = INFINITY;
        }
    }
    problem->lcp.lo = problem->lo;
    problem->lcp.hi = problem->hi;
    return problem->lo && problem->hi ? THUD_OK : THUD_NO_MEMORY;
}
