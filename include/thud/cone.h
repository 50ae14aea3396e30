// SPDX-License-Identifier: Apache-2.0
// thud/cone.h: contact with Coulomb's exact friction cone, solved and judged.                   [theory 7, 9]
//
// The problem: find impulses p with
//
//     u = W p + b + epsilon p,        K* contains u + (|diag(mu) u_t|, 0 ..) , orthogonal to p in K
//
// row block by row block. A block is a contact (normal row first, then its tangential rows; dim 1 is plain
// unilateral contact, 2 and 3 are Coulomb in the plane and in space, 4 adds torsional and 6 rolling
// friction), a boxed row (lo <= p <= hi: dry joint friction, limits) or free rows (u = 0: joints). For a
// contact K = { |diag(mu)^-1 p_t| <= p_n }; a row with mu = 0 carries no impulse.
//
// W may be unsymmetric, singular, dense or block-sparse; it should be positive semidefinite, as G M^-1 G^T
// is. Solvers know matrices, never bodies. Every answer is judged by thud_cone_residual, whatever its method
// says.
//
//     thud_cone_options o = thud_cone_defaults();
//     thud_cone_report r = thud_cone_solve(&cone, &o, scratch, p);      // p: warm start in, impulses out
//     if (r.outcome != THUD_CONE_SOLVED) { ... r.residual tells how far off p is ... }
#pragma once

#include <thud/linalg.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------- the problem

typedef enum thud_cone_kind {
    THUD_CONE_KIND_CONTACT, // p in the friction cone; dim 1, 2, 3, 4 or 6
    THUD_CONE_KIND_BOX,     // lo <= p <= hi; u >= 0 at lo, u <= 0 at hi, u = 0 between; dim 1
    THUD_CONE_KIND_FREE     // p of either sign, u = 0; dim 1 to 6
} thud_cone_kind;

#define THUD_CONE_DIM_MAX 6

// Rows row .. row + dim - 1. The blocks cover all rows in ascending order, without a gap.
typedef struct thud_cone_block {
    thud_cone_kind kind;
    int row, dim;
    double mu[THUD_CONE_DIM_MAX -
              1];  // CONTACT: coefficient of each tangential row, >= 0 (torsional, rolling: m)
    double lo, hi; // BOX: bounds, may be infinite; lo <= hi
} thud_cone_block;

// W by block rows: entry k of block row i, start[i] <= k < start[i+1], is the dim_i x dim_j matrix
// (column-major) at value + at[k], with j = column[k], ascending in a row. A diagonal entry is required.
typedef struct thud_cone_sparse {
    const int *start;  // blocks + 1
    const int *column; // start[blocks]
    const int *at;     // start[blocks]
    const double *value;
} thud_cone_sparse;

struct thud_cone_product; // <thud/cone_product.h>

// A view: owns nothing. Either W.a (dense, rows x rows) or sparse is given; if both, W is read.
typedef struct thud_cone {
    int rows, blocks;
    const thud_cone_block *block; // blocks
    thud_mat W;                   // W.a NULL: sparse
    const thud_cone_sparse *sparse;
    const double *b;       // rows: the velocity that p = 0 leaves, m/s (rad/s)
    const double *epsilon; // rows, >= 0: compliance added to the diagonal of W, or NULL
    const struct thud_cone_product
        *product; // the same W as a product, where that is known: for sweeps; or NULL
    double
        beside; // |b|^2 of rows that were left out because their impulses are 0: the judge knows of them; 0: none
} thud_cone;

// THUD_OK, or THUD_BAD_ARGUMENT with a sentence: sizes, blocks, coefficients, bounds. O(rows); entries of W
// and b may still be infinite or NaN, which thud_cone_solve answers with an outcome.
THUD_API THUD_MUST_USE thud_status thud_cone_check(const thud_cone *c, thud_diag *diag);

// u = W p + b + epsilon p. u and p do not overlap.
THUD_API void thud_cone_velocity(const thud_cone *c, const double *p, double *u);

// Replaces y (dim numbers) by the nearest point of the block's set in the Euclidean norm.
THUD_API void thud_cone_project(const thud_cone_block *block, double *y);

// ---------------------------------------------------------------------------------------------- the judge

// The scale-free residual of p: with rho = rows / trace(W) and u~ = u + (|diag(mu) u_t|, 0 ..),
//
//     | p - Proj_K(p - rho u~) |_2  /  max(rho |b|_2, 1e-8 |p|_2)
//
// |b| has all rows, those beside as well: leaving out what has no impulse leaves the residual as it is.
// The second term is the floor for b = 0: impulses that balance among themselves are known only to rounding.
// 0 means solved exactly; NaN stays NaN. One product with W; scratch holds 2 rows + 6 numbers.
THUD_API double thud_cone_residual(const thud_cone *c, const double *p, double *scratch);
// The same where u = W p + b + epsilon p and trace(W + epsilon) are known: W is not read. scratch: rows.
THUD_API double thud_cone_residual_at(const thud_cone *c, const double *p, const double *u, double trace,
                                      double *scratch);
// The same in two parts, for who judges blocks side by side: r = p - Proj_K(p - rho u~) of one block (dim numbers each),
// rho = thud_cone_rho, and the residual from |r|, |b| and |p| of all rows.
THUD_API double thud_cone_rho(int rows, double trace);
THUD_API void thud_cone_gap(const thud_cone_block *block, const double *p, const double *u, double rho,
                            double *r);
THUD_API double thud_cone_residual_by(double rho, double r, double b, double p);

// ---------------------------------------------------------------------------------------------- solving

#define THUD_CONE_METHOD_LIST(X)                                                                             \
    X(AUTO, "auto", "the cheapest that works: closed form, newton, proximal, sweeps, interior path")         \
    X(NSGS, "nsgs", "block Gauss-Seidel, each contact solved exactly")                                       \
    X(NEWTON, "newton", "Alart-Curnier Newton with a regularised direct solve and a line search")            \
    X(PROXIMAL, "proximal", "proximal points, Newton in velocities; redundant, singular and badly scaled W") \
    X(ADMM, "admm", "splitting with one factor; rough answers of large singular problems")

typedef enum thud_cone_method {
#define THUD_CONE_METHOD_ENUM(name, word, text) THUD_CONE_##name,
    THUD_CONE_METHOD_LIST(THUD_CONE_METHOD_ENUM)
#undef THUD_CONE_METHOD_ENUM
        THUD_CONE_METHODS // how many
} thud_cone_method;

#define THUD_CONE_OUTCOME_LIST(X)                                                                            \
    X(SOLVED, "solved", "the judge's residual is at most the tolerance")                                     \
    X(ITERATION_LIMIT, "iteration-limit", "the iterations ran out")                                          \
    X(STALLED, "stalled", "the residual stopped falling")                                                    \
    X(INFEASIBLE, "infeasible", "no impulses give the velocities that the rows ask for together")            \
    X(NOT_FINITE, "not-finite", "W, b or the warm start holds an infinite number or a NaN")                  \
    X(NO_MEMORY, "no-memory", "the scratch arena is too small")                                              \
    X(BAD_PROBLEM, "bad-problem", "the problem does not pass thud_cone_check")

typedef enum thud_cone_outcome {
#define THUD_CONE_OUTCOME_ENUM(name, word, text) THUD_CONE_##name,
    THUD_CONE_OUTCOME_LIST(THUD_CONE_OUTCOME_ENUM)
#undef THUD_CONE_OUTCOME_ENUM
} thud_cone_outcome;

THUD_API const char *thud_cone_method_name(thud_cone_method method);          // "nsgs"
THUD_API bool thud_cone_method_find(const char *name, thud_cone_method *out); // false: no such method
THUD_API const char *thud_cone_outcome_name(thud_cone_outcome outcome);       // "iteration-limit"

#define THUD_ROUGH 1e-5 // a tolerance above it asks for speed: any solution will do, sweeps without W find it
typedef struct thud_cone_options {
    thud_cone_method method;
    double tolerance;   // asked of thud_cone_residual
    int max_iterations; // of each method tried: sweeps, Newton steps or splittings; 0: its own limit
    bool
        equal_compliance; // of many solutions, the limit of equal compliance -> 0 at every contact [theory 7]
    bool want_rank;       // count the rank of W: O(rows^3), dense
    bool brief; // AUTO, up to 80 rows: what the method for nearly all of them does not solve is left
} thud_cone_options;

// auto, 1e-8, the methods' own limits, equal compliance, no rank.
THUD_API thud_cone_options thud_cone_defaults(void);

typedef struct thud_cone_report {
    thud_cone_outcome outcome;
    thud_cone_method method; // the one whose answer this is; AUTO: the warm start or a closed form
    int iterations;          // of all methods tried together
    int factorizations;
    double residual;       // by thud_cone_residual; NaN: nothing could be computed
    bool equal_compliance; // p is the equal-compliance choice (asked for and reached)
    int rank;              // of W; -1: not asked
} thud_cone_report;

// Solves c. p (rows) holds a warm start in (zeros are one), impulses out: the best found if not SOLVED, and
// the warm start unchanged for the last three outcomes. Dense problems take all their memory from scratch, at
// most thud_cone_scratch(c) bytes, and never allocate; a sparse W allocates and frees its factors.
// The answer does not depend on addresses, threads or earlier calls. Where the report says equal_compliance it does not
// depend on the warm start either, to about sqrt(machine precision); else it is a solution near the warm start. Without
// the option a warm start that already meets the tolerance is returned as it came.
THUD_API thud_cone_report thud_cone_solve(const thud_cone *c, const thud_cone_options *options,
                                          thud_arena *scratch, double *p);
THUD_API size_t thud_cone_scratch(const thud_cone *c);

// The rank of W: columns that a pivoted QR factor finds longer than 1e-10 of the longest. Dense, O(rows^3);
// -1 when scratch is too small.
THUD_API int thud_cone_rank(const thud_cone *c, thud_arena *scratch);

#ifdef __cplusplus
}
#endif
