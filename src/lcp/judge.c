// SPDX-License-Identifier: Apache-2.0
// judge.c: the one judge of every LCP method.                                               [theory 7]
//
// Symbols  n size · M, q, lo, hi problem · w = M z + q · rho step of the natural map (z over w)
//          r_i = z_i - mid(lo_i, z_i - rho w_i, hi_i), zero for all i exactly at the solutions
// Differs  the customary rho = 1 adds impulses to velocities; the relative residual takes the inverse of
//          the mean |M_ii|, as the cone's judge does, so that no change of units moves the verdict.
// Cost     one product with M, in blocks of rows so that no scratch is needed.
#include <float.h>

#include "lcp_inside.h"

enum { BLOCK = 64 };
static const double LARGEST_STEP = 1e150; // its product with a w is still a number

// w[0 .. count) = rows first .. first + count of M z + q.
THUD_KERNEL static void rows_of_w(const thud_lcp *p, const double *z, int first, int count,
                                  double *restrict w)
{
    for (int i = 0; i < count; i++) {
        w[i] = p->q[first + i];
    }
    for (int j = 0; j < p->n; j++) {
        const double *restrict column = p->M.a + (size_t)j * p->M.stride + first;
        const double zj = z[j];
        if (zj != 0) {
            for (int i = 0; i < count; i++) {
                w[i] += column[i] * zj;
            }
        }
    }
}

void lcp_w(const thud_lcp *p, const double *z, double *w)
{
    rows_of_w(p, z, 0, p->n, w);
}

double lcp_rounding(const thud_lcp *p, int i)
{
    enum { ROUNDINGS = 64 }; // a row of G v_f sums tens of products
    return p->q_size ? ROUNDINGS * DBL_EPSILON * p->q_size[i] : 0;
}

// 1 / mean |M_ii| of the rows that have a diagonal; 1 / max |M_ij| where none has; 1 for a zero matrix.
double lcp_natural_step(const thud_lcp *p)
{
    double sum = 0, largest = 0;
    int count = 0;
    for (int i = 0; i < p->n; i++) {
        const double d = fabs(lcp_column(p, i)[i]);
        sum += d;
        count += d > 0;
    }
    if (count == 0) {
        for (int j = 0; j < p->n; j++) {
            largest = thud_max(largest, thud_norm_inf(p->n, lcp_column(p, j)));
        }
        sum = largest;
        count = 1;
    }
    return sum > 0 ? thud_min(count / sum, LARGEST_STEP) : 1;
}

static bool zero_is_inside(const thud_lcp *p)
{
    for (int i = 0; i < p->n; i++) {
        if (lcp_lo(p, i) > 0 || lcp_hi(p, i) < 0) {
            return false;
        }
    }
    return true;
}

// max |w| at the point of the box nearest zero: what there is to solve for.
double lcp_task(const thud_lcp *p)
{
    if (zero_is_inside(p)) {
        return thud_norm_inf(p->n, p->q);
    }
    double largest = 0;
    for (int i = 0; i < p->n; i++) {
        double w = p->q[i];
        for (int j = 0; j < p->n; j++) {
            w += lcp_column(p, j)[i] * lcp_mid(lcp_lo(p, j), 0, lcp_hi(p, j));
        }
        largest = thud_max(largest, fabs(w));
    }
    return largest;
}

static double larger_or_nan(double a, double b)
{
    return a >= b || isnan(a) ? a : b;
}

lcp_verdict lcp_judge(const thud_lcp *p, const double *z)
{
    const double rho = lcp_natural_step(p);
    double absolute = 0, scaled = 0, product = 0;
    for (int first = 0; first < p->n; first += BLOCK) {
        const int count = p->n - first < BLOCK ? p->n - first : BLOCK;
        double w[BLOCK];
        rows_of_w(p, z, first, count, w);
        for (int k = 0; k < count; k++) {
            const int i = first + k;
            const double lo = lcp_lo(p, i), hi = lcp_hi(p, i);
            const double r = fabs(z[i] - lcp_mid(lo, z[i] - w[k], hi));
            const double s = fabs(z[i] - lcp_mid(lo, z[i] - rho * w[k], hi)) / rho - lcp_rounding(p, i);
            absolute = larger_or_nan(r, absolute);
            scaled = larger_or_nan(s, scaled);
            product = larger_or_nan(fabs(w[k] - p->q[i]), product);
        }
    }
    const double task = lcp_task(p);
    const double size = task > 0 ? task : product;
    return (lcp_verdict){absolute, scaled > 0 && size > 0 ? scaled / size : scaled};
}

double thud_lcp_residual(const thud_lcp *p, const double *z)
{
    return lcp_judge(p, z).residual;
}

double thud_lcp_relative(const thud_lcp *p, const double *z)
{
    return lcp_judge(p, z).relative;
}
