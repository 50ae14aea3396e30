// SPDX-License-Identifier: Apache-2.0
// murty.c: least-index principal pivoting with bounds.                              [Murty 1974] [PI]
//
//     Of all rows that break their condition take the first and change its state: w_i < 0 at a lower
//     bound (or > 0 at an upper) brings z_i between its bounds; z_i outside its bounds puts it on the one
//     it crossed. Nothing else is chosen.
//
// Symbols  n size · variables: w_i = i, z_i = n + i · T, value the tableau: T = -M at the start, where the z
//          rest on their bounds
// Differs  bounds: a row has three states instead of two; the order argument that makes the method finite
//          for P-matrices holds for them as well [Judice & Pires 1994]. Free rows are brought in first and
//          never leave.
// Cost     n^2 multiplications a pivot. Pivots grow fast with n: for speed take Judice-Pires or Dantzig.
// Fails    CYCLED or LIMIT when M is no P-matrix; SINGULAR when a diagonal of the tableau vanishes.
#include "lcp_inside.h"

static const double BROKEN = 1e-11; // relative: what of a violated condition is rounding

typedef struct murty {
    const thud_lcp *p;
    lcp_tableau t;
    unsigned char *row;
    double w_zero, z_zero; // what counts as zero
} murty;

static void fill(murty *k, bool *mark)
{
    const thud_lcp *p = k->p;
    lcp_tableau *t = &k->t;
    const int n = p->n;
    for (int j = 0; j < n; j++) {
        double *column = t->T + (size_t)j * (size_t)t->stride;
        for (int i = 0; i < t->stride; i++) {
            column[i] = i < n ? -lcp_column(p, j)[i] : 0;
        }
        t->basic[j] = j;
        t->where[j] = j;
        t->nonbasic[j] = n + j;
        t->where[n + j] = ~j;
        mark[j] = k->row[j] == THUD_LCP_BETWEEN;
    }
}

// The state that row i has to change to, or its own when its condition holds.
static unsigned char wanted(const murty *k, int i)
{
    const unsigned char now = k->row[i];
    const double lo = lcp_lo(k->p, i), hi = lcp_hi(k->p, i);
    if (now == THUD_LCP_BETWEEN) {
        const int at = k->t.where[k->p->n + i];
        if (at < 0) {
            return now; // a free row that found no pivot
        }
        const double z = k->t.value[at];
        return z < lo - k->z_zero ? THUD_LCP_AT_LOWER : z > hi + k->z_zero ? THUD_LCP_AT_UPPER : now;
    }
    const double w = k->t.value[k->t.where[i]];
    const bool broken = now == THUD_LCP_AT_LOWER ? w < -k->w_zero : w > k->w_zero;
    return broken && lo < hi ? THUD_LCP_BETWEEN : now;
}

// Exchanges w_i and z_i. False when the pivot is too small.
static bool change_state(murty *k, int i, unsigned char next, double tolerance)
{
    lcp_tableau *t = &k->t;
    const int n = k->p->n, z = n + i;
    const bool enters = next == THUD_LCP_BETWEEN;
    const int row = t->where[enters ? i : z], column = ~t->where[enters ? z : i];
    const double *a = t->T + (size_t)column * (size_t)t->stride;
    if (!(fabs(a[row]) > tolerance * thud_norm_inf(n, a))) {
        return false;
    }
    if (enters) {
        lcp_tableau_pivot(t, row, column, 0, lcp_rest(k->p, i, k->row[i]));
    } else {
        lcp_tableau_pivot(t, row, column, lcp_rest(k->p, i, next), 0);
    }
    k->row[i] = next;
    return true;
}

static thud_lcp_report run(murty *k, const thud_lcp_options *o, thud_arena *arena)
{
    const int n = k->p->n;
    lcp_cycle cycle;
    lcp_cycle_start(&cycle);
    for (int pivots = 0; pivots < o->limit && thud_arena_spend(arena, lcp_square(n)); pivots++) {
        int i = 0;
        unsigned char next = 0;
        while (i < n && (next = wanted(k, i)) == k->row[i]) {
            i++;
        }
        if (i == n) {
            return lcp_ended(THUD_LCP_SOLVED, pivots);
        }
        const int before = i + n * k->row[i];
        if (!change_state(k, i, next, o->pivot_tolerance)) {
            return lcp_ended(THUD_LCP_SINGULAR, pivots);
        }
        if (lcp_cycle_step(&cycle, before, i + n * next)) {
            return lcp_ended(THUD_LCP_CYCLED, pivots);
        }
    }
    return lcp_ended(THUD_LCP_LIMIT, o->limit);
}

// The basis asked for, or the coldest there is when that one has no inverse; z rests, w follows.
static void start(murty *k, const thud_lcp_options *o, bool *mark, double *rest)
{
    const int n = k->p->n;
    for (int warm = o->warm; warm >= 0; warm--) {
        thud_lcp_options how = *o;
        how.warm = warm;
        lcp_basis_start(k->p, &how, k->row);
        fill(k, mark);
        for (int i = 0; i < n; i++) {
            rest[i] = lcp_rest(k->p, i, k->row[i]);
        }
        lcp_w(k->p, rest, k->t.value);
        for (int i = n; i < k->t.stride; i++) {
            k->t.value[i] = 0;
        }
        if (lcp_tableau_crash(&k->t, n, mark, 0, n, o->pivot_tolerance) == 0) {
            return;
        }
    }
}

thud_lcp_report lcp_murty(const thud_lcp *p, const thud_lcp_options *o, thud_arena *scratch, double *z,
                          unsigned char *row)
{
    const size_t size = (size_t)p->n;
    murty k = {.p = p, .row = row};
    lcp_basis_work work;
    bool *mark = thud_arena_push(scratch, size, sizeof(bool));
    double *rest = lcp_push(scratch, size);
    if (!mark || !rest || !lcp_tableau_push(scratch, p->n, p->n, 2 * p->n, &k.t) ||
        !lcp_basis_work_push(scratch, p->n, &work)) {
        return lcp_ended(THUD_LCP_NO_SCRATCH, 0);
    }
    k.w_zero = BROKEN * lcp_task(p);
    k.z_zero = k.w_zero * lcp_natural_step(p);
    start(&k, o, mark, rest);
    const thud_lcp_report report = run(&k, o, scratch);
    for (int i = 0; i < p->n; i++) {
        const int at = k.t.where[p->n + i];
        z[i] = at >= 0 ? k.t.value[at] : lcp_rest(p, i, row[i]);
    }
    lcp_polish(p, row, &work, z);
    return report;
}
