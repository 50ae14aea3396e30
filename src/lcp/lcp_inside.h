// SPDX-License-Identifier: Apache-2.0
// lcp_inside.h: what the files of room lcp share.
#pragma once

#include <math.h>
#include <string.h>

#include <thud/lcp.h>

static inline double lcp_lo(const thud_lcp *p, int i)
{
    return p->lo ? p->lo[i] : 0;
}

static inline double lcp_hi(const thud_lcp *p, int i)
{
    return p->hi ? p->hi[i] : INFINITY;
}

static inline int64_t lcp_square(int n) // work of a product with M
{
    return (int64_t)n * n;
}

static inline const double *lcp_column(const thud_lcp *p, int j)
{
    return p->M.a + (size_t)j * p->M.stride;
}

static inline double lcp_mid(double lo, double x, double hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

// Where z_i rests while it is not between its bounds.
static inline double lcp_rest(const thud_lcp *p, int i, unsigned char row)
{
    return row == THUD_LCP_AT_LOWER ? lcp_lo(p, i) : row == THUD_LCP_AT_UPPER ? lcp_hi(p, i) : 0;
}

static inline double *lcp_push(thud_arena *arena, size_t count)
{
    return thud_arena_push(arena, count, sizeof(double));
}

// Numbers >= 0 are ordered as their bits are, taken as integers, and an integer's largest (smallest) is found
// in vector registers where a double's, for the sake of NaN, is not. A number < 0 has bits < 0.
static inline int64_t lcp_bits(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double lcp_of_bits(int64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// ---- judge.c
typedef struct lcp_verdict {
    double residual, relative;
} lcp_verdict;
lcp_verdict lcp_judge(const thud_lcp *p, const double *z);
// The step of the natural map and the size of what there is to solve for, as the judge takes them.
double lcp_natural_step(const thud_lcp *p);
double lcp_task(const thud_lcp *p);
// The size below which a w_i is rounding: of the terms q_i was assembled from, if the problem says.
double lcp_rounding(const thud_lcp *p, int i);
// w = M z + q.
void lcp_w(const thud_lcp *p, const double *z, double *w);

// ---- basis.c: the point that belongs to a basis, from the original data
typedef struct lcp_basis_work {
    double *LU;          // n x n
    double *rhs, *x, *w; // n each
    int *index, *swap;   // n each
    int count;           // |F| of the last basis
} lcp_basis_work;
bool lcp_basis_work_push(thud_arena *scratch, int n, lcp_basis_work *out);
// Sets z to the point where the rows AT_LOWER, AT_UPPER rest on their bounds and w = 0 in the rows BETWEEN:
// LU with partial pivoting and one step of refinement. False, with z untouched, when that block is singular.
bool lcp_basis_point(const thud_lcp *p, const unsigned char *row, lcp_basis_work *work, double *z);
// Improves z by the point of its basis where the judge prefers that; z stays within the bounds.
lcp_verdict lcp_polish(const thud_lcp *p, const unsigned char *row, lcp_basis_work *work, double *z);
// The basis to start from: the caller's when warm, else at a bound; free rows BETWEEN; bounds respected.
void lcp_basis_start(const thud_lcp *p, const thud_lcp_options *o, unsigned char *row);

// ---- tableau.c: x_B + T x_N = b, stored by columns
typedef struct lcp_tableau {
    int m;         // rows
    int columns;   // nonbasic variables that may still enter
    int stride;    // of a column; a multiple of 8, its tail kept zero
    double *T;     // stride x columns
    double *value; // of the basic variables (stride)
    double *pivot_column, *pivot_row;
    int *basic, *nonbasic, *where; // variable of a row, of a column; row of a variable, or ~column
} lcp_tableau;
bool lcp_tableau_push(thud_arena *scratch, int m, int columns, int variables, lcp_tableau *out);
// Exchanges the basic variable of a row, which ends at `target`, and a nonbasic one, which was at `from`.
void lcp_tableau_pivot(lcp_tableau *t, int row, int column, double target, double from);
// Gauss-Jordan with partial pivoting: for the marked rows of [first, last), z = variable m + i in and w = i
// out, both resting at zero. Returns how many found no pivot and stayed out.
int lcp_tableau_crash(lcp_tableau *t, int m, const bool *mark, int first, int last, double tolerance);

// ---- cycle.c: has this basis been seen? Brent's method on a hash of the basis, O(1) a pivot.
typedef struct lcp_cycle {
    uint64_t hash, kept;
    int steps, span;
} lcp_cycle;
void lcp_cycle_start(lcp_cycle *c);
bool lcp_cycle_step(lcp_cycle *c, int left,
                    int entered); // exchanges two variables; true if the basis repeats

// ---- the methods. They fill z and row (the basis) and the report's outcome, pivots, attempts, regularised.
// An outcome of SOLVED is only a claim; lcp.c asks the judge.
typedef thud_lcp_report lcp_method_run(const thud_lcp *p, const thud_lcp_options *o, thud_arena *scratch,
                                       double *z, unsigned char *row);
lcp_method_run lcp_lemke, lcp_murty, lcp_judice_pires, lcp_dantzig, lcp_pgs;

static inline thud_lcp_report lcp_ended(thud_lcp_outcome outcome, int pivots)
{
    return (thud_lcp_report){.outcome = outcome, .pivots = pivots, .attempts = 1};
}
