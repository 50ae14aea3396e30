// SPDX-License-Identifier: Apache-2.0
// tableau.c: the condensed tableau x_B + T x_N = b that Lemke's and Murty's methods pivot in.
//
// Only the nonbasic columns are kept: n of them (and the artificial one) instead of a textbook's 2n + 2.
// Nothing is lost: the column of a basic variable is a unit vector, so the lexicographic test still reads
// the rows of the inverse basis from here. A pivot is a rank-1 update of columns contiguous in memory.
//
// Symbols  m rows · T (m x columns) · value: the basic variables now · p = T[r,c] the pivot
// Cost     m * columns multiplications a pivot, less the columns that have a zero in the pivot row; there
//          are many of those in friction problems.
#include "lcp_inside.h"

bool lcp_tableau_push(thud_arena *scratch, int m, int columns, int variables, lcp_tableau *out)
{
    const int stride = (m + 7) & ~7;
    *out = (lcp_tableau){.m = m, .columns = columns, .stride = stride};
    out->T = lcp_push(scratch, (size_t)stride * (size_t)columns);
    out->value = lcp_push(scratch, (size_t)stride);
    out->pivot_column = lcp_push(scratch, (size_t)stride);
    out->pivot_row = lcp_push(scratch, (size_t)columns);
    out->basic = thud_arena_push(scratch, (size_t)m, sizeof(int));
    out->nonbasic = thud_arena_push(scratch, (size_t)columns, sizeof(int));
    out->where = thud_arena_push(scratch, (size_t)variables, sizeof(int));
    return out->T && out->value && out->pivot_column && out->pivot_row && out->basic && out->nonbasic &&
           out->where;
}

// T[:,j] -= t_j a for every column j with t_j != 0. The stride is a multiple of 8: no remainder loop.
THUD_KERNEL static void subtract_outer(int stride, int columns, const double *restrict a,
                                       const double *restrict t, double *restrict T)
{
    for (int j = 0; j < columns; j++) {
        const double tj = t[j];
        if (tj == 0) {
            continue;
        }
        double *restrict column = T + (size_t)j * (size_t)stride;
        for (int i = 0; i < stride; i += 8) {
            for (int k = 0; k < 8; k++) {
                column[i + k] -= tj * a[i + k];
            }
        }
    }
}

// value -= step a, and the entering column becomes that of the leaving variable.
THUD_KERNEL static void exchange_column(int stride, double inverse, double step, const double *restrict a,
                                        double *restrict value, double *restrict column)
{
    for (int i = 0; i < stride; i++) {
        value[i] -= step * a[i];
        column[i] = -inverse * a[i];
    }
}

void lcp_tableau_pivot(lcp_tableau *t, int row, int column, double target, double from)
{
    const size_t stride = (size_t)t->stride;
    double *entering = t->T + (size_t)column * stride, *a = t->pivot_column;
    memcpy(a, entering, sizeof(double) * stride);
    const double inverse = 1 / a[row];
    for (int j = 0; j < t->columns; j++) {
        t->pivot_row[j] = t->T[(size_t)j * stride + (size_t)row] * inverse;
    }
    t->pivot_row[column] = 0; // this column is exchanged below
    subtract_outer(t->stride, t->columns, a, t->pivot_row, t->T);
    for (int j = 0; j < t->columns; j++) {
        t->T[(size_t)j * stride + (size_t)row] = t->pivot_row[j];
    }
    const double step = (t->value[row] - target) * inverse; // of the entering variable
    exchange_column(t->stride, inverse, step, a, t->value, entering);
    t->value[row] = from + step;
    entering[row] = inverse;

    const int leaving = t->basic[row], entered = t->nonbasic[column];
    t->basic[row] = entered;
    t->nonbasic[column] = leaving;
    t->where[entered] = row;
    t->where[leaving] = ~column;
}

int lcp_tableau_crash(lcp_tableau *t, int m, const bool *mark, int first, int last, double tolerance)
{
    int left_out = 0;
    for (int i = first; i < last; i++) {
        if (!mark[i]) {
            continue;
        }
        const double *a = t->T + (size_t)~t->where[m + i] * (size_t)t->stride;
        double largest = 0;
        int row = -1;
        for (int r = first; r < last; r++) {
            largest = thud_max(largest, fabs(a[r]));
            if (mark[r] && t->basic[r] < m && (row < 0 || fabs(a[r]) > fabs(a[row]))) {
                row = r;
            }
        }
        if (row >= 0 && fabs(a[row]) > tolerance * largest) {
            lcp_tableau_pivot(t, row, ~t->where[m + i], 0, 0);
        } else {
            left_out++;
        }
    }
    return left_out;
}
