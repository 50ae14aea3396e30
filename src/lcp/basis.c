// SPDX-License-Identifier: Apache-2.0
// basis.c: the point that belongs to a basis, solved from the original data, so that nothing a pivoting
// method lost on its way stays lost.
//
// Symbols  F rows BETWEEN their bounds · R rows at rest on one · M_FF z_F = -(q_F + M_FR z_R)
// Cost     |F|^3 / 3 multiplications for the factors, n |F| for the solve and for a step of refinement.
// Fails    false when M_FF is singular to rounding.
#include <float.h>

#include "lcp_inside.h"

// A relative residual that needs no comparison with the method's own point: a few hundred roundings.
static const double POLISHED = 1e-13;

bool lcp_basis_work_push(thud_arena *scratch, int n, lcp_basis_work *out)
{
    const size_t size = (size_t)n;
    out->LU = lcp_push(scratch, size * size);
    out->rhs = lcp_push(scratch, size);
    out->x = lcp_push(scratch, size);
    out->w = lcp_push(scratch, size);
    out->index = thud_arena_push(scratch, size, sizeof(int));
    out->swap = thud_arena_push(scratch, size, sizeof(int));
    return out->LU && out->rhs && out->x && out->w && out->index && out->swap;
}

// y -= a x, the one loop that factoring and solving spend their time in.
static inline void subtract(int n, double a, const double *restrict x, double *restrict y)
{
    for (int i = 0; i < n; i++) {
        y[i] -= a * x[i];
    }
}

// A = P L U in place, by columns. False when a pivot is below rounding of the largest element.
THUD_KERNEL static bool lu_factor(int k, double *A, int *swap)
{
    double largest = 0;
    for (int i = 0; i < k * k; i++) {
        largest = fabs(A[i]) > largest ? fabs(A[i]) : largest;
    }
    const double smallest = largest * DBL_EPSILON * k;
    for (int j = 0; j < k; j++) {
        double *column = A + (size_t)j * k;
        int r = j;
        for (int i = j + 1; i < k; i++) {
            r = fabs(column[i]) > fabs(column[r]) ? i : r;
        }
        if (!(fabs(column[r]) > smallest)) {
            return false;
        }
        swap[j] = r;
        const double p = column[r];
        column[r] = column[j];
        column[j] = p;
        for (int i = j + 1; i < k; i++) {
            column[i] /= p;
        }
        for (int c = j + 1; c < k; c++) {
            double *other = A + (size_t)c * k;
            const double u = other[r];
            other[r] = other[j];
            other[j] = u;
            if (u != 0) {
                subtract(k - j - 1, u, column + j + 1, other + j + 1);
            }
        }
        for (int c = 0; c < j; c++) { // the rows of L move with the pivots
            double *other = A + (size_t)c * k;
            const double l = other[r];
            other[r] = other[j];
            other[j] = l;
        }
    }
    return true;
}

THUD_KERNEL static void lu_solve(int k, const double *A, const int *swap, double *x)
{
    for (int j = 0; j < k; j++) {
        const double t = x[swap[j]];
        x[swap[j]] = x[j];
        x[j] = t;
    }
    for (int j = 0; j < k; j++) { // L y = P b
        if (x[j] != 0) {
            subtract(k - j - 1, x[j], A + (size_t)j * k + j + 1, x + j + 1);
        }
    }
    for (int j = k - 1; j >= 0; j--) { // U x = y
        const double *column = A + (size_t)j * k;
        x[j] /= column[j];
        subtract(j, x[j], column, x);
    }
}

// z_F -= M_FF^-1 w_F at the point in work->x: from z_F = 0 the point itself, from there on its refinement.
static void improve_point(const thud_lcp *p, lcp_basis_work *work)
{
    lcp_w(p, work->x, work->w);
    for (int j = 0; j < work->count; j++) {
        work->rhs[j] = -work->w[work->index[j]];
    }
    lu_solve(work->count, work->LU, work->swap, work->rhs);
    for (int j = 0; j < work->count; j++) {
        work->x[work->index[j]] += work->rhs[j];
    }
}

// Factors M_FF and leaves the point of the basis in work->x.
static bool solve_point(const thud_lcp *p, const unsigned char *row, lcp_basis_work *work)
{
    int k = 0;
    for (int i = 0; i < p->n; i++) {
        work->x[i] = lcp_rest(p, i, row[i]);
        if (row[i] == THUD_LCP_BETWEEN) {
            work->index[k++] = i;
        }
    }
    work->count = k;
    for (int j = 0; j < k; j++) {
        const double *column = lcp_column(p, work->index[j]);
        for (int i = 0; i < k; i++) {
            work->LU[(size_t)j * (size_t)k + (size_t)i] = column[work->index[i]];
        }
    }
    if (!lu_factor(k, work->LU, work->swap)) {
        return false;
    }
    improve_point(p, work);
    return isfinite(thud_norm_inf(p->n, work->x));
}

bool lcp_basis_point(const thud_lcp *p, const unsigned char *row, lcp_basis_work *work, double *z)
{
    if (!solve_point(p, row, work)) {
        return false;
    }
    improve_point(p, work);
    if (!isfinite(thud_norm_inf(p->n, work->x))) {
        return false;
    }
    memcpy(z, work->x, sizeof(double) * (size_t)p->n);
    return true;
}

static lcp_verdict clip_and_judge(const thud_lcp *p, double *z)
{
    for (int i = 0; i < p->n; i++) {
        z[i] = lcp_mid(lcp_lo(p, i), z[i], lcp_hi(p, i));
    }
    return lcp_judge(p, z);
}

lcp_verdict lcp_polish(const thud_lcp *p, const unsigned char *row, lcp_basis_work *work, double *z)
{
    if (!solve_point(p, row, work)) {
        return clip_and_judge(p, z);
    }
    lcp_verdict polished = clip_and_judge(p, work->x);
    if (!(polished.relative <= POLISHED)) {
        improve_point(p, work);
        polished = clip_and_judge(p, work->x);
        const lcp_verdict rough = clip_and_judge(p, z);
        if (rough.relative < polished.relative || isnan(polished.relative)) {
            return rough;
        }
    }
    memcpy(z, work->x, sizeof(double) * (size_t)p->n);
    return polished;
}

void lcp_basis_start(const thud_lcp *p, const thud_lcp_options *o, unsigned char *row)
{
    for (int i = 0; i < p->n; i++) {
        const bool low = isfinite(lcp_lo(p, i)), high = isfinite(lcp_hi(p, i));
        const unsigned char asked = o->warm && o->basis ? o->basis[i] : THUD_LCP_AT_LOWER;
        const bool between = asked == THUD_LCP_BETWEEN && lcp_lo(p, i) < lcp_hi(p, i);
        const bool upper = (asked == THUD_LCP_AT_UPPER && high) || !low;
        row[i] = (!low && !high) || between ? THUD_LCP_BETWEEN
                 : upper                    ? THUD_LCP_AT_UPPER
                                            : THUD_LCP_AT_LOWER;
    }
}
