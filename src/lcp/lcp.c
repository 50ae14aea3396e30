// SPDX-License-Identifier: Apache-2.0
// lcp.c: the one call. It refuses what is no problem, runs the method, and the judge has the last word.
#include "lcp_inside.h"

static lcp_method_run *const methods[THUD_LCP_METHODS] = {
    [THUD_LCP_LEMKE] = lcp_lemke,
    [THUD_LCP_MURTY] = lcp_murty,
    [THUD_LCP_JUDICE_PIRES] = lcp_judice_pires,
    [THUD_LCP_DANTZIG] = lcp_dantzig,
    [THUD_LCP_PGS] = lcp_pgs,
};

static const char *const method_names[THUD_LCP_METHODS] = {
#define METHOD(name, text) [THUD_LCP_##name] = (text),
    THUD_LCP_METHOD_LIST(METHOD)
#undef METHOD
};

static const struct {
    const char *word, *text;
} outcomes[THUD_LCP_OUTCOMES] = {
#define OUTCOME(name, word, text) [THUD_LCP_##name] = {word, text},
    THUD_LCP_OUTCOME_LIST(OUTCOME)
#undef OUTCOME
};

const char *thud_lcp_method_name(thud_lcp_method method)
{
    return (unsigned)method < THUD_LCP_METHODS ? method_names[method] : "?";
}

bool thud_lcp_method_find(const char *name, thud_lcp_method *out)
{
    for (int i = 0; i < THUD_LCP_METHODS; i++) {
        if (strcmp(name, method_names[i]) == 0) {
            *out = (thud_lcp_method)i;
            return true;
        }
    }
    return false;
}

const char *thud_lcp_outcome_name(thud_lcp_outcome outcome)
{
    return (unsigned)outcome < THUD_LCP_OUTCOMES ? outcomes[outcome].word : "?";
}

const char *thud_lcp_outcome_text(thud_lcp_outcome outcome)
{
    return (unsigned)outcome < THUD_LCP_OUTCOMES ? outcomes[outcome].text : "?";
}

thud_lcp_options thud_lcp_defaults(thud_lcp_method method)
{
    return (thud_lcp_options){
        .method = method,
        .tolerance = 1e-8,
        .attempts = 14,
        .pivot_tolerance = 1e-9,
        .tie_tolerance = 1e-10,
        .relaxation = 1,
    };
}

size_t thud_lcp_scratch_bytes(int n, int boxed, thud_lcp_method method)
{
    enum { ALIGN = 64, BLOCKS = 40 }; // at most so many pushes, each rounded up to a cache line
    const size_t size = (size_t)n, m = (size_t)(n + boxed) + 8;
    const size_t vectors = 32 * m * sizeof(double) + (size_t)BLOCKS * ALIGN;
    switch (method) {
    case THUD_LCP_LEMKE:
        return vectors + (m * (m + 1) + size * size) * sizeof(double);
    case THUD_LCP_MURTY:
    case THUD_LCP_DANTZIG:
        return vectors + 2 * (size + 8) * (size + 8) * sizeof(double);
    case THUD_LCP_JUDICE_PIRES:
        return vectors + size * size * sizeof(double);
    default:
        return vectors;
    }
}

// 0 if every number is finite, NaN otherwise: 0 x is 0 exactly for finite x.
THUD_KERNEL static double sum_of_zeros(size_t n, const double *x)
{
    enum { LANES = 8 };
    double lane[LANES] = {0}, sum = 0;
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        for (int l = 0; l < LANES; l++) {
            lane[l] += 0 * x[i + (size_t)l];
        }
    }
    for (; i < n; i++) {
        sum += 0 * x[i];
    }
    for (int l = 0; l < LANES; l++) {
        sum += lane[l];
    }
    return sum;
}

static thud_lcp_outcome check_input(const thud_lcp *p)
{
    const size_t n = (size_t)p->n;
    double zero = sum_of_zeros(n, p->q) + (p->q_size ? sum_of_zeros(n, p->q_size) : 0);
    const bool packed = p->M.stride == p->n; // then M is one array
    for (int i = 0; i < (packed ? 1 : p->n); i++) {
        zero += sum_of_zeros(packed ? n * n : n, lcp_column(p, i));
    }
    if (isnan(zero)) {
        return THUD_LCP_NOT_FINITE;
    }
    for (int i = 0; i < p->n; i++) {
        const double lo = lcp_lo(p, i), hi = lcp_hi(p, i);
        if (isnan(lo) || isnan(hi)) {
            return THUD_LCP_NOT_FINITE;
        }
        if (!(lo <= hi) || lo == INFINITY || hi == -INFINITY) {
            return THUD_LCP_BAD_BOUNDS;
        }
    }
    return THUD_LCP_SOLVED;
}

// The largest (side = 1) or smallest (side = -1) that w_i can be within the bounds of z.
static double extreme_w(const thud_lcp *p, int i, double side)
{
    double w = p->q[i];
    for (int j = 0; j < p->n; j++) {
        const double a = lcp_column(p, j)[i];
        if (a != 0) {
            w += a * (side * a > 0 ? lcp_hi(p, j) : lcp_lo(p, j));
        }
    }
    return w;
}

// A proof that there is no solution: a row that must not be negative and can be nothing else, or the reverse.
static bool is_infeasible(const thud_lcp *p)
{
    for (int i = 0; i < p->n; i++) {
        const double slack = lcp_rounding(p, i);
        if (lcp_hi(p, i) == INFINITY && extreme_w(p, i, 1) < -slack) {
            return true;
        }
        if (lcp_lo(p, i) == -INFINITY && extreme_w(p, i, -1) > slack) {
            return true;
        }
    }
    return false;
}

// The judge has the last word, and z leaves within its bounds.
static void conclude(const thud_lcp *p, const thud_lcp_options *o, const double *z, thud_lcp_report *report)
{
    const lcp_verdict verdict = lcp_judge(p, z);
    report->residual = verdict.residual;
    report->relative = verdict.relative;
    if (verdict.relative <= o->tolerance) {
        report->outcome = THUD_LCP_SOLVED;
    } else if (report->outcome != THUD_LCP_UNSUITED && is_infeasible(p)) {
        report->outcome = THUD_LCP_INFEASIBLE;
    } else if (report->outcome == THUD_LCP_SOLVED) {
        report->outcome = THUD_LCP_INACCURATE;
    }
}

static void rest_at_bounds(const thud_lcp *p, double *z)
{
    for (int i = 0; i < p->n; i++) {
        const double nearest = lcp_mid(lcp_lo(p, i), 0, lcp_hi(p, i));
        z[i] = isfinite(nearest) ? nearest : 0;
    }
}

thud_lcp_report thud_lcp_solve(const thud_lcp *p, const thud_lcp_options *options, thud_arena *scratch,
                               double *z)
{
    THUD_ASSERT(p->n >= 0 && p->M.rows == p->n && p->M.cols == p->n && p->M.stride >= p->n);
    THUD_ASSERT(options->tolerance > 0 && (unsigned)options->method < THUD_LCP_METHODS);
    const thud_lcp_outcome input = check_input(p);
    if (input != THUD_LCP_SOLVED) {
        rest_at_bounds(p, z);
        return (thud_lcp_report){.outcome = input, .attempts = 0, .residual = NAN, .relative = NAN};
    }
    thud_lcp_options o = *options;
    if (o.limit <= 0) {
        o.limit = o.method == THUD_LCP_PGS ? 10000 : 50 + 10 * p->n;
    }
    const size_t mark = thud_arena_mark(scratch);
    unsigned char *row = thud_arena_push(scratch, (size_t)p->n, 1);
    thud_lcp_report report =
        row ? methods[o.method](p, &o, scratch, z, row) : lcp_ended(THUD_LCP_NO_SCRATCH, 0);
    const bool touched = report.outcome != THUD_LCP_NO_SCRATCH && report.outcome != THUD_LCP_UNSUITED;
    if (!touched || !isfinite(thud_norm_inf(p->n, z))) { // also an answer too large for a double
        rest_at_bounds(p, z);
    } else if (o.basis) {
        memcpy(o.basis, row, (size_t)p->n);
    }
    if (report.outcome == THUD_LCP_NO_SCRATCH) {
        report.residual = report.relative = NAN;
    } else {
        conclude(p, &o, z, &report);
    }
    thud_arena_release(scratch, mark);
    return report;
}
