// SPDX-License-Identifier: Apache-2.0
// thud/lcp.h: linear complementarity problems, plain, mixed and boxed. Knows matrices, never bodies.
//
//     w = M z + q,  lo <= z <= hi,  w_i >= 0 where z_i = lo_i, w_i <= 0 where z_i = hi_i, w_i = 0 between.
//
// The plain problem is lo = 0, hi = +inf; a free row (a bilateral constraint) is lo = -inf, hi = +inf; lo =
// hi fixes z_i and leaves w_i to itself. Five methods stand behind one call, and one judge measures what each
// of them returns: no result is THUD_LCP_SOLVED unless the judge agrees. Which to take when: docs/solvers.md.
//
//     thud_lcp_options o = thud_lcp_defaults(THUD_LCP_LEMKE);
//     thud_lcp_report r = thud_lcp_solve(&problem, &o, scratch, z);
//     if (r.outcome != THUD_LCP_SOLVED) puts(thud_lcp_outcome_text(r.outcome));
#pragma once

#include <thud/base.h>
#include <thud/linalg.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------- the problem

// A view: it owns nothing, and a solver changes nothing in it.
typedef struct thud_lcp {
    int n;                 // rows; 0 is a problem, and solved
    thud_mat M;            // n x n; no symmetry, definiteness or rank is assumed
    const double *q;       // n
    const double *lo, *hi; // n each; NULL: 0 and +inf
    const double *q_size;  // n or NULL: size of the terms that q_i is the sum of, if much of it cancelled; a
                           // q_i that is negative by no more than the rounding of q_size_i counts as zero
} thud_lcp;

// ---------------------------------------------------------------------------------------------- the methods

#define THUD_LCP_METHOD_LIST(X)                                                                              \
    X(LEMKE, "lemke")               /* any M; complementary pivoting, lexicographic; the one to trust */     \
    X(MURTY, "murty")               /* P-matrices; least-index principal pivoting; slow, simple, finite */   \
    X(JUDICE_PIRES, "judice-pires") /* P-matrices; block pivots with Murty's as a safeguard; fast */         \
    X(DANTZIG, "dantzig")           /* symmetric positive semidefinite; incremental with LDL^T updates */    \
    X(PGS, "pgs")                   /* positive diagonal; projected Gauss-Seidel/SOR; approximate */

typedef enum thud_lcp_method {
#define THUD_LCP_METHOD_ENUM(name, text) THUD_LCP_##name,
    THUD_LCP_METHOD_LIST(THUD_LCP_METHOD_ENUM)
#undef THUD_LCP_METHOD_ENUM
        THUD_LCP_METHODS // how many there are
} thud_lcp_method;

THUD_API const char *thud_lcp_method_name(thud_lcp_method method); // "lemke", "judice-pires", ...
// Finds a method by its name; false, with *out untouched, when there is none of that name.
THUD_API bool thud_lcp_method_find(const char *name, thud_lcp_method *out);

// ---------------------------------------------------------------------------------------------- outcomes

#define THUD_LCP_OUTCOME_LIST(X)                                                                             \
    X(SOLVED, "solved", "solved: the judge's relative residual is within the tolerance")                     \
    X(INACCURATE, "inaccurate", "the method ended, but the judge's residual is above the tolerance")         \
    X(INFEASIBLE, "infeasible", "no solution: a row of w is negative for every z within its bounds")         \
    X(RAY, "ray", "the method ended on a ray: no solution, or none that this method can reach")              \
    X(CYCLED, "cycled", "the method came back to a basis it had left")                                       \
    X(LIMIT, "limit", "the limit of pivots or sweeps was reached")                                           \
    X(DIVERGED, "diverged", "the iteration grew without bound")                                              \
    X(SINGULAR, "singular", "a pivot block of the matrix is singular")                                       \
    X(UNSUITED, "unsuited", "the problem is not of the class the method is for")                             \
    X(NOT_FINITE, "not-finite", "M, q or a bound is not a number, or M or q is infinite")                    \
    X(BAD_BOUNDS, "bad-bounds", "a lower bound is above its upper bound, or infinite on the wrong side")     \
    X(NO_SCRATCH, "no-scratch", "the arena is too small for the problem")

typedef enum thud_lcp_outcome {
#define THUD_LCP_OUTCOME_ENUM(name, word, text) THUD_LCP_##name,
    THUD_LCP_OUTCOME_LIST(THUD_LCP_OUTCOME_ENUM)
#undef THUD_LCP_OUTCOME_ENUM
        THUD_LCP_OUTCOMES
} thud_lcp_outcome;

THUD_API const char *thud_lcp_outcome_name(thud_lcp_outcome outcome); // "solved", "ray", ...
THUD_API const char *thud_lcp_outcome_text(thud_lcp_outcome outcome); // the sentence of the list above

// ---------------------------------------------------------------------------------------------- solving

// Where each row of z stands; a vector of these is a basis, the thing to start the next problem from.
typedef enum thud_lcp_row { THUD_LCP_AT_LOWER, THUD_LCP_AT_UPPER, THUD_LCP_BETWEEN } thud_lcp_row;

typedef struct thud_lcp_options {
    thud_lcp_method method;
    double tolerance;       // of the judge's relative residual; 1e-8
    int limit;              // most pivots (each attempt) or sweeps; 0: 50 + 10 n pivots, 10 000 sweeps
    int attempts;           // Lemke: most tries (other covering vectors, finer tolerances, M + eps I); 14
    double pivot_tolerance; // relative to the largest element of the pivot column; 1e-9
    double tie_tolerance;   // relative to the largest basic value; 1e-10
    double relaxation;      // PGS: 0 < omega < 2; 1
    bool warm;              // start from *basis (pivoting methods) or z (PGS)
    unsigned char *basis;   // n thud_lcp_row, the caller's, or NULL: read if warm, left as the last basis
} thud_lcp_options;

THUD_API thud_lcp_options thud_lcp_defaults(thud_lcp_method method);

typedef struct thud_lcp_report {
    thud_lcp_outcome outcome;
    int pivots;       // pivots (block pivots count once) or sweeps of all attempts; not those that bring free
                      // rows or the warm basis in
    int attempts;     // 1 unless the first try of Lemke failed
    bool regularised; // z was found with M + eps I (and is still judged by the M that was given)
    double residual;  // thud_lcp_residual of z
    double relative;  // thud_lcp_relative of z
} thud_lcp_report;

// Solves p by one method and says how well. z (n) always comes back within its bounds and finite, with the
// best that was found, also on failure. Scratch is given back in full; nothing is allocated. O(n^2) a pivot.
THUD_API thud_lcp_report thud_lcp_solve(const thud_lcp *p, const thud_lcp_options *options,
                                        thud_arena *scratch, double *z);

// Bytes of scratch that suffice for n rows of which so many have two finite bounds (they double in Lemke).
THUD_API size_t thud_lcp_scratch_bytes(int n, int boxed, thud_lcp_method method);

// ---------------------------------------------------------------------------------------------- the judge

// The natural map, max_i |z_i - mid(lo_i, z_i - w_i, hi_i)|; max |min(z, w)| for the plain problem. NaN if
// any number is. Zero exactly at solutions. It mixes units: for a verdict take the next. O(n^2).
THUD_API double thud_lcp_residual(const thud_lcp *p, const double *z);

// The same with z - rho w in place of z - w, divided by rho |q'|: rho the inverse of the mean diagonal of M,
// q' the w at the point of the box nearest 0 (q itself, for the plain problem). It does not change when M, or
// q, is multiplied by a number. What the rounding of q_size explains is taken off each row first. O(n^2).
THUD_API double thud_lcp_relative(const thud_lcp *p, const double *z);

#ifdef __cplusplus
}
#endif
