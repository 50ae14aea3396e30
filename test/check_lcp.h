// SPDX-License-Identifier: Apache-2.0
// check_lcp.h: the check that is run for every LCP method on every problem, and a second judge.
#pragma once

#include "test.h"

#include <thud/lcp.h>

// max over the rows of: outside a bound; off the lower bound while w > 0; off the upper while w < 0. In long
// double, row by row, from the definition; divided by max |q + M z_0|, z_0 the point of the box nearest zero.
static inline double second_judge(const thud_lcp *p, const double *z)
{
    long double worst = 0, size = 0;
    for (int i = 0; i < p->n; i++) {
        long double w = p->q[i], w0 = p->q[i];
        const long double lo = p->lo ? p->lo[i] : 0, hi = p->hi ? p->hi[i] : INFINITY;
        for (int j = 0; j < p->n; j++) {
            const long double a = p->M.a[i + (size_t)j * (size_t)p->M.stride];
            const double lo_j = p->lo ? p->lo[j] : 0, hi_j = p->hi ? p->hi[j] : INFINITY;
            w += a * z[j];
            w0 += a * fmin(fmax(lo_j, 0), hi_j);
        }
        const long double above = w > 0 ? fminl(z[i] - lo, w) : 0, below = w < 0 ? fminl(hi - z[i], -w) : 0;
        const long double row[] = {lo - z[i], z[i] - hi, above, below};
        for (int k = 0; k < 4; k++) {
            worst = row[k] <= worst ? worst : row[k]; // NaN is worst
        }
        size = fmaxl(size, fabsl(w0));
    }
    return (double)(size > 0 ? worst / size : worst);
}

static inline bool within_bounds(const thud_lcp *p, const double *z)
{
    for (int i = 0; i < p->n; i++) {
        const double lo = p->lo ? p->lo[i] : 0, hi = p->hi ? p->hi[i] : INFINITY;
        if (!(z[i] >= lo && z[i] <= hi && isfinite(z[i]))) {
            return false;
        }
    }
    return true;
}

static inline uint64_t hash_of_problem(const thud_lcp *p)
{
    uint64_t hash = thud_hash(THUD_HASH_START, p->q, sizeof(double) * (size_t)p->n);
    for (int j = 0; j < p->n; j++) {
        hash = thud_hash(hash, p->M.a + (size_t)j * (size_t)p->M.stride, sizeof(double) * (size_t)p->n);
    }
    return hash;
}

static inline int boxed_rows(const thud_lcp *p)
{
    int boxed = 0;
    for (int i = 0; i < p->n; i++) {
        boxed += p->lo && p->hi && isfinite(p->lo[i]) && isfinite(p->hi[i]);
    }
    return boxed;
}

// Solves p (whose numbers are finite and whose bounds are in order) and checks all that holds for every
// method: z is within its bounds, the scratch comes back, the problem is untouched, the residual reported is
// the judge's, and SOLVED means that the second judge agrees. What else is claimed the caller reads from the
// report.
static inline thud_lcp_report check_lcp_method(const thud_lcp *p, const thud_lcp_options *o, double *z)
{
    thud_arena *scratch;
    CHECK_OK(thud_arena_create(thud_lcp_scratch_bytes(p->n, boxed_rows(p), o->method), &scratch));
    const uint64_t before = hash_of_problem(p);
    const thud_lcp_report report = thud_lcp_solve(p, o, scratch, z);
    CHECK_INT(thud_arena_mark(scratch), 0);
    thud_arena_destroy(scratch);
    CHECK(hash_of_problem(p) == before);
    CHECK(report.outcome != THUD_LCP_NO_SCRATCH);
    CHECK(report.outcome != THUD_LCP_NOT_FINITE && report.outcome != THUD_LCP_BAD_BOUNDS);
    CHECK(within_bounds(p, z));
    CHECK(report.residual == thud_lcp_residual(p, z) && report.relative == thud_lcp_relative(p, z));
    CHECK((report.outcome == THUD_LCP_SOLVED) == (report.relative <= o->tolerance));
    return report;
}
