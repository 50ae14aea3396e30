// SPDX-License-Identifier: Apache-2.0
// standard_form.c: bounds shifted away, upper bounds turned over or made rows of their own, fixed rows
// left out, and the rest equilibrated.                                        [Cottle, Pang, Stone 1.5]
//
// Symbols  z = rest + sign x · x >= 0 · R, C row and column scales · form: w' = R M' C x' + R q'
//          two finite bounds: w_i + v >= 0 | x_i >= 0,  (hi - lo) - x_i >= 0 | v >= 0
// Differs  R and C are powers of two, so that scaling rounds nothing, and the certificate is taken from the
//          problem as it was given, in its own units. Any positive R, C leave complementarity alone.
#include <float.h>

#include "standard_form.h"

enum { ROW_DROPPED, ROW_PLAIN, ROW_FLIPPED, ROW_BOXED, ROW_FREE };

static int kind_of_row(const thud_lcp *p, int i)
{
    const double lo = lcp_lo(p, i), hi = lcp_hi(p, i);
    if (lo == hi) {
        return ROW_DROPPED;
    }
    if (isfinite(lo)) {
        return isfinite(hi) ? ROW_BOXED : ROW_PLAIN;
    }
    return isfinite(hi) ? ROW_FLIPPED : ROW_FREE;
}

static bool push_form(thud_arena *scratch, int n, int m, lcp_form *f)
{
    const size_t size = (size_t)m;
    f->source = thud_arena_push(scratch, size, sizeof(int));
    f->cap = thud_arena_push(scratch, size, sizeof(int));
    f->is_cap = thud_arena_push(scratch, size, sizeof(bool));
    f->sign = lcp_push(scratch, size);
    f->rest = lcp_push(scratch, (size_t)n);
    f->row_scale = lcp_push(scratch, size);
    f->column_scale = lcp_push(scratch, size);
    f->q = lcp_push(scratch, size);
    return f->source && f->cap && f->is_cap && f->sign && f->rest && f->row_scale && f->column_scale && f->q;
}

static int add_row(lcp_form *f, int source, double sign, bool is_cap)
{
    f->source[f->m] = source;
    f->sign[f->m] = sign;
    f->is_cap[f->m] = is_cap;
    f->cap[f->m] = -1;
    return f->m++;
}

static void list_rows(const thud_lcp *p, lcp_form *f)
{
    f->m = 0;
    for (int i = 0; i < p->n; i++) {
        const int kind = kind_of_row(p, i);
        f->rest[i] = kind == ROW_FREE ? 0 : kind == ROW_FLIPPED ? lcp_hi(p, i) : lcp_lo(p, i);
        if (kind == ROW_PLAIN || kind == ROW_BOXED || kind == ROW_FLIPPED) {
            const int row = add_row(f, i, kind == ROW_FLIPPED ? -1 : 1, false);
            if (kind == ROW_BOXED) {
                f->cap[row] = add_row(f, i, 1, true);
            }
        }
    }
    f->active = f->m;
    for (int i = 0; i < p->n; i++) {
        if (kind_of_row(p, i) == ROW_FREE) {
            add_row(f, i, 1, false);
        }
    }
    f->identity = f->m == p->n && f->active == p->n;
    for (int i = 0; i < f->m && f->identity; i++) {
        f->identity = f->source[i] == i && f->sign[i] > 0;
    }
}

// Element (i, j) of the form's matrix before scaling.
static inline double element(const lcp_form *f, const thud_lcp *p, int i, int j)
{
    if (f->is_cap[i] || f->is_cap[j]) {
        return f->cap[j] == i ? -1 : f->cap[i] == j ? 1 : 0;
    }
    return f->sign[i] * f->sign[j] * lcp_column(p, f->source[j])[f->source[i]];
}

// row_i = max(row_i, |R_i M_i| C), as bits, over a column of M; returns the largest of them.
THUD_KERNEL static double column_size(int m, double C, const double *restrict R, const double *restrict M,
                                      int64_t *restrict row)
{
    int64_t largest = 0;
    for (int i = 0; i < m; i++) {
        const int64_t a = lcp_bits(fabs(M[i]) * R[i] * C);
        row[i] = a > row[i] ? a : row[i];
        largest = a > largest ? a : largest;
    }
    return lcp_of_bits(largest);
}

// The largest |M'_ij| R_i C_j of each row and column; `gathered` is room for a column of M'.
static void sizes(const lcp_form *f, const thud_lcp *p, double *gathered, int64_t *row, double *column)
{
    memset(row, 0, sizeof *row * (size_t)f->m);
    for (int j = 0; j < f->m; j++) {
        for (int i = 0; i < f->m && !f->identity; i++) {
            gathered[i] = element(f, p, i, j);
        }
        const double *M = f->identity ? lcp_column(p, j) : gathered;
        column[j] = column_size(f->m, f->column_scale[j], f->row_scale, M, row);
    }
}

// x = m 2^exponent, 1/2 <= m < 1, for normal x > 0; and 2^exponent. As frexp and ldexp, without the calls.
static inline int exponent_of(double x)
{
    return (int)(lcp_bits(x) >> 52) - 1022;
}

static inline double power_of_two(int exponent)
{
    return lcp_of_bits((int64_t)(exponent + 1023) << 52);
}

// The power of two nearest to 1/sqrt(x), and whether it is far from 1; zero rows keep their scale.
static double inverse_root(double x, bool *far)
{
    if (!(x > 0)) {
        return 1;
    }
    const int exponent = exponent_of(x);
    *far |= exponent < -3 || exponent > 5;
    return power_of_two(-(exponent / 2));
}

// Two sweeps of Ruiz' equilibration, or none where everything is within a factor of 16 of 1 already.
static void equilibrate(lcp_form *f, const thud_lcp *p, double *gathered, int64_t *row, double *column)
{
    for (int i = 0; i < f->m; i++) {
        f->row_scale[i] = f->column_scale[i] = 1;
    }
    for (int sweep = 0; sweep < 2; sweep++) {
        sizes(f, p, gathered, row, column);
        bool far = false;
        for (int i = 0; i < f->m; i++) {
            gathered[i] = inverse_root(lcp_of_bits(row[i]), &far);
            column[i] = inverse_root(column[i], &far);
        }
        if (!far) {
            return;
        }
        for (int i = 0; i < f->m; i++) {
            f->row_scale[i] *= gathered[i];
            f->column_scale[i] *= column[i];
        }
    }
}

static void scale_q(lcp_form *f, const thud_lcp *p, double *w)
{
    lcp_w(p, f->rest, w);
    double largest = 0;
    for (int i = 0; i < f->m; i++) {
        const int s = f->source[i];
        const double w_i = fabs(w[s]) <= lcp_rounding(p, s) ? 0 : w[s];
        f->q[i] = f->row_scale[i] * (f->is_cap[i] ? lcp_hi(p, s) - lcp_lo(p, s) : f->sign[i] * w_i);
        largest = thud_max(largest, fabs(f->q[i]));
    }
    f->q_scale = largest > DBL_MIN ? power_of_two(exponent_of(largest)) : 1;
    for (int i = 0; i < f->m; i++) {
        f->q[i] /= f->q_scale;
    }
}

bool lcp_form_make(const thud_lcp *p, thud_arena *scratch, lcp_form *out)
{
    int m = p->n;
    for (int i = 0; i < p->n; i++) {
        m += kind_of_row(p, i) == ROW_BOXED;
    }
    int64_t *row = thud_arena_push(scratch, (size_t)m, sizeof *row);
    double *column = lcp_push(scratch, (size_t)m);
    if (!push_form(scratch, p->n, m, out) || !row || !column) {
        return false;
    }
    list_rows(p, out);
    equilibrate(out, p, out->q, row, column);
    scale_q(out, p, column);
    return true;
}

THUD_KERNEL static void fill_column(int m, double scale, const double *restrict R, const double *restrict M,
                                    double *restrict T)
{
    for (int i = 0; i < m; i++) {
        T[i] = -(R[i] * M[i] * scale);
    }
}

void lcp_form_fill(const lcp_form *f, const thud_lcp *p, double epsilon, lcp_tableau *t)
{
    for (int j = 0; j < f->m; j++) {
        double *column = t->T + (size_t)j * (size_t)t->stride;
        if (f->identity) {
            fill_column(f->m, f->column_scale[j], f->row_scale, lcp_column(p, j), column);
        } else {
            for (int i = 0; i < f->m; i++) {
                column[i] = -(f->row_scale[i] * element(f, p, i, j) * f->column_scale[j]);
            }
        }
        column[j] -= f->is_cap[j] ? 0 : epsilon;
        for (int i = f->m; i < t->stride; i++) {
            column[i] = 0;
        }
    }
    for (int i = 0; i < t->stride; i++) {
        t->value[i] = i < f->m ? f->q[i] : 0;
    }
    for (int i = 0; i < f->m; i++) {
        t->basic[i] = i;
        t->where[i] = i;
        t->nonbasic[i] = f->m + i;
        t->where[f->m + i] = ~i;
    }
    t->columns = f->m;
}

void lcp_form_marks(const lcp_form *f, const unsigned char *row, bool *basic)
{
    for (int i = 0; i < f->m; i++) {
        const unsigned char state = row[f->source[i]];
        if (f->is_cap[i]) {
            basic[i] = state == THUD_LCP_AT_UPPER;
        } else {
            basic[i] = state == THUD_LCP_BETWEEN || (f->cap[i] >= 0 && state == THUD_LCP_AT_UPPER);
        }
    }
}

void lcp_form_read(const lcp_form *f, const thud_lcp *p, const lcp_tableau *t, double *z, unsigned char *row)
{
    for (int i = 0; i < p->n; i++) { // also the rows that were left out
        z[i] = f->rest[i];
        row[i] = THUD_LCP_AT_LOWER;
    }
    for (int i = 0; i < f->m; i++) {
        const int s = f->source[i], at = t->where[f->m + i];
        if (f->is_cap[i]) {
            continue;
        }
        if (at >= 0) {
            z[s] += f->sign[i] * f->column_scale[i] * f->q_scale * t->value[at];
        }
        const bool capped = f->cap[i] >= 0 && t->where[f->m + f->cap[i]] >= 0;
        const bool between = i >= f->active || (at >= 0 && !capped);
        row[s] = between                    ? THUD_LCP_BETWEEN
                 : capped || f->sign[i] < 0 ? THUD_LCP_AT_UPPER
                                            : THUD_LCP_AT_LOWER;
    }
}
