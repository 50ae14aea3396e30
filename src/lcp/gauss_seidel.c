// SPDX-License-Identifier: Apache-2.0
// gauss_seidel.c: projected Gauss-Seidel and successive over-relaxation.      [Cottle, Pang, Stone 5.2]
//
//     z_i <- mid(lo_i, z_i - omega w_i / M_ii, hi_i), row after row, w kept up to date.
//
// Symbols  n size · omega relaxation · delta change of z_i; w += M_:i delta
// Differs  w is carried along columns, contiguous in memory, and a row that does not move costs nothing; w
//          is computed afresh every so often so that rounding does not gather in it.
// Cost     at most n^2 multiplications a sweep. Converges linearly for symmetric positive definite M and
//          0 < omega < 2; for singular M slowly, towards one of the solutions.
// Fails    UNSUITED when a row that may move has no positive diagonal; LIMIT, DIVERGED.
#include "lcp_inside.h"

enum { FRESH = 32 }; // sweeps between two computations of w from z

THUD_KERNEL static void add_scaled(int n, double a, const double *restrict x, double *restrict y)
{
    for (int i = 0; i < n; i++) {
        y[i] += a * x[i];
    }
}

// One sweep; returns the largest change that it made, in units of w.
static double sweep(const thud_lcp *p, double omega, double *z, double *w)
{
    double largest = 0;
    for (int i = 0; i < p->n; i++) {
        const double *column = lcp_column(p, i);
        const double lo = lcp_lo(p, i), hi = lcp_hi(p, i);
        if (lo == hi) {
            continue;
        }
        const double next = lcp_mid(lo, z[i] - omega * w[i] / column[i], hi), delta = next - z[i];
        if (delta != 0) {
            z[i] = next;
            add_scaled(p->n, delta, column, w);
            largest = thud_max(largest, fabs(delta) * column[i]);
        }
    }
    return largest;
}

static bool suits(const thud_lcp *p)
{
    for (int i = 0; i < p->n; i++) {
        if (lcp_lo(p, i) < lcp_hi(p, i) && !(lcp_column(p, i)[i] > 0)) {
            return false;
        }
    }
    return true;
}

static thud_lcp_report run(const thud_lcp *p, const thud_lcp_options *o, thud_arena *arena, double *z,
                           double *w)
{
    const double task = lcp_task(p), quiet = o->tolerance * task, far = task / (o->tolerance * o->tolerance);
    for (int sweeps = 0; sweeps < o->limit && thud_arena_spend(arena, lcp_square(p->n)); sweeps++) {
        if (sweeps % FRESH == 0) {
            lcp_w(p, z, w);
        }
        const double change = sweep(p, o->relaxation, z, w);
        if (change <= quiet && lcp_judge(p, z).relative <= o->tolerance) {
            return lcp_ended(THUD_LCP_SOLVED, sweeps + 1);
        }
        if (!(change <= far)) {
            return lcp_ended(THUD_LCP_DIVERGED, sweeps + 1);
        }
    }
    return lcp_ended(THUD_LCP_LIMIT, o->limit);
}

thud_lcp_report lcp_pgs(const thud_lcp *p, const thud_lcp_options *o, thud_arena *scratch, double *z,
                        unsigned char *row)
{
    double *w = lcp_push(scratch, (size_t)p->n);
    if (!w) {
        return lcp_ended(THUD_LCP_NO_SCRATCH, 0);
    }
    if (!suits(p)) {
        return lcp_ended(THUD_LCP_UNSUITED, 0);
    }
    for (int i = 0; i < p->n; i++) {
        z[i] = lcp_mid(lcp_lo(p, i), o->warm && isfinite(z[i]) ? z[i] : 0, lcp_hi(p, i));
    }
    const thud_lcp_report report = run(p, o, scratch, z, w);
    for (int i = 0; i < p->n; i++) {
        if (!isfinite(z[i])) {
            z[i] = lcp_mid(lcp_lo(p, i), 0, lcp_hi(p, i));
        }
        row[i] = z[i] <= lcp_lo(p, i)   ? THUD_LCP_AT_LOWER
                 : z[i] >= lcp_hi(p, i) ? THUD_LCP_AT_UPPER
                                        : THUD_LCP_BETWEEN;
    }
    return report;
}
