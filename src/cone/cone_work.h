// SPDX-License-Identifier: Apache-2.0
// cone_work.h: the problem as the methods see it, private to the room.
//
// Tangential rows are scaled by their friction coefficient, p^_t = p_t / mu and u^_t = mu u_t, so that every
// contact's cone is the same one, |p_t| <= p_n, whatever its dimension and however anisotropic; rows with
// mu = 0 are left out. W^ = S (W + diag epsilon) S and b^ = S b with S = diag(1, mu); p . u is unchanged.
#pragma once

#include <math.h>

#include <thud/cone.h>
#include <thud/linalg_fours.h>

typedef struct cone_rows {
    thud_cone_kind kind;
    int row, dim;  // in the scaled problem
    double lo, hi; // BOX
} cone_rows;

// W^ by block columns: entry k of block column j, start[j] <= k < start[j+1], is the dim_i x dim_j matrix
// (column-major) at value + at[k], i = row[k].
typedef struct cone_columns {
    int *start, *row, *at;
    double *value;
} cone_columns;

typedef struct cone_groups cone_groups; // cone_groups.h

typedef struct cone_work {
    const thud_cone *c;
    thud_arena *arena;
    int n, blocks;
    cone_rows *block;
    int *origin;         // n: row of c
    double *scale;       // n: S
    double *b;           // n: S b
    double *shape;       // n: the unit compliance, S shape S, of which epsilon times is added to W^
    thud_mat W;          // dense W^, or a == NULL and
    cone_columns sparse; // block-sparse W^
    cone_groups *groups; // of a W^ that is a product, or NULL
    bool bounded;        // the arena has room for a full factor
    double mean;         // mean diagonal of W + epsilon, the unit of epsilon
    double rho;          // the judge's
    double norm_b;       // the judge's |b|, never 0
    double tolerance;
    int max_iterations;
    bool brief;                     // as in the options
    bool warm;                      // Newton has not started yet from the caller's impulses
    int iterations, factorizations; // spent so far
    double *judged,
        residual; // c's rows: the impulses that the judge saw last, and what it said; NaN: none yet
    double *room; // the judge's
} cone_work;

// Work of a product with W^, of a factor of it, and of so many columns of one. What has no room in the budget is refused: the loop ends.
static inline int64_t cone_product_work(const cone_work *w)
{
    return w->W.a ? (int64_t)w->n * w->n : 9 * (int64_t)w->sparse.start[w->blocks];
}

static inline int64_t
cone_factor_work(const cone_work *w) // sparse ones fill in to some ten times their entries
{
    return w->W.a ? (int64_t)w->n * w->n * (w->n / 3 + 1)
                  : 30 * (int64_t)w->n * 10 + 100 * cone_product_work(w);
}

static inline bool cone_spend(const cone_work *w, int64_t work)
{
    return thud_arena_spend(w->arena, work);
}

static inline bool cone_may_go_on(const cone_work *w)
{
    return thud_arena_may_go_on(w->arena);
}

// The least compliance, of the mean diagonal: sqrt of rounding, which p keeps in the null space of W.
#define CONE_LEAST 1e-8

static inline void cone_swap(double **a, double **b)
{
    double *const x = *a;
    *a = *b;
    *b = x;
}

// The nearest point of |t| <= mu n, of k tangential rows, mu > 0: inside, in the polar cone (then it is 0), or onto the side.
static inline void cone_project_round(int k, double mu, double *y)
{
    double t = 0;
    for (int i = 1; i <= k; i++) {
        t += y[i] * y[i];
    }
    t = sqrt(t);
    if (t <= mu * y[0]) {
        return;
    }
    const double up = y[0] + mu * t, n = (up < 0 ? 0 : up) / (1 + mu * mu); // NaN stays
    const double side = n > 0 ? mu * n / t : 0;
    for (int i = 1; i <= k; i++) {
        y[i] *= side;
    }
    y[0] = n;
}

static inline bool cone_is_round(const thud_cone_block *b) // of three rows, as nearly all are
{
    return b->kind == THUD_CONE_KIND_CONTACT && b->dim == 3 && b->mu[0] == b->mu[1] && b->mu[0] > 0;
}

// cone_work.c
double cone_row_scale(const thud_cone_block *b, int r); // of S; 0: the row carries no impulse and is left out
// Between the caller's rows and the n scaled ones; rows left out become 0.
void cone_rows_in(int n, const int *origin, const double *scale, const double *p, double *p_hat);
void cone_rows_out(int n, const int *origin, const double *scale, const double *p_hat, int rows, double *p);
// Room for the scaled impulses, and the problem ready for a method; NULL: arena too small. cone_groups_end it.
double *cone_work_begin(const thud_cone *c, double tolerance, thud_arena *arena, cone_work *w);
size_t
cone_work_scratch(const thud_cone *c); // of all methods but those in velocities and sweeps over a product
void cone_work_in(const cone_work *w, const double *p, double *p_hat);
void cone_work_out(const cone_work *w, const double *p_hat, double *p);  // rows left out become 0
void cone_work_multiply(const cone_work *w, const double *p, double *u); // u = W^ p + b^
void cone_work_add_columns(const cone_work *w, int j, const double *delta, double *u); // u += W^_.j delta
const double *cone_work_sparse_diagonal(const cone_work *w, int j);
static inline const double *cone_work_diagonal(const cone_work *w, int j, int *stride) // W^_jj
{
    const cone_rows *b = w->block + j;
    *stride = w->W.a ? w->n : b->dim;
    return w->W.a ? w->W.a + (size_t)b->row * ((size_t)w->n + 1) : cone_work_sparse_diagonal(w, j);
}
double cone_work_residual(const cone_work *w, const double *p, const double *u); // the judge's, in O(n)

// The judge itself, on c's own problem. Its last verdict is kept, which saves the final product with W.
double cone_work_judge(cone_work *w, const double *p);

// product_drift.c, of a contact whose cone is |p_t| <= p_n
// How far along f it stays in its cone; a contact within `well` (of the opening) of the edge may slide along the edge.
double cone_reach(int dim, const double *p, const double *f, double well);
void cone_back(int dim, double *p); // into its cone, if it is outside

// cone_judge.c
double cone_size(const thud_cone *c);                  // the judge's |b|, of all rows and those beside
double cone_size_with(const thud_cone *c, double own); // the same where |b| of the rows is known
double cone_trace(const thud_cone *c);                 // of W + epsilon
// thud_cone_residual where rho and |b| are known.
double cone_residual_known(const thud_cone *c, const double *p, double rho, double size, double *scratch);
double cone_sparse_diagonal(const thud_cone *c, int block, int r);
static inline double cone_diagonal(const thud_cone *c, int block, int r) // of W
{
    const size_t row = (size_t)c->block[block].row + (size_t)r;
    return c->W.a ? c->W.a[row * ((size_t)c->W.stride + 1)] : cone_sparse_diagonal(c, block, r);
}

// one_contact.c: the block problem u = W p + q alone, dim d, W column-major d x d. false: no solution found.
bool cone_solve_contact(int d, const double *W, const double *q, double *p);
bool cone_solve_free(int d, const double *W, const double *q, double *p);
double cone_solve_box(double W, double q, double lo, double hi, double p);

// cone_joints.c: the caller's problem where all blocks are free and W is dense. judge: 2 rows + THUD_CONE_DIM_MAX.
bool cone_joints(const thud_cone *c, double tolerance, thud_arena *arena, double *judge, double *p,
                 double *residual);

// Methods: improve p (n, scaled) until work_residual <= tolerance; best p found is left there.
thud_cone_outcome cone_nsgs(cone_work *w, double *p, int sweeps, bool judge_rate);
// judge_rate: STALLED as soon as the rate of convergence predicts failure.
// cone_small.c: up to MOST_ROWS rows from a guess, the choice of equal compliance. false: not solved, p is as it was.
bool cone_small(cone_work *w, double *p);
bool cone_small_suits(const cone_work *w); // few rows, contacts of dimension 1 or 3
// From impulses of equal compliance near a solution, an active-set walk to the solution.
bool cone_small_walk(cone_work *w, double *p);
thud_cone_outcome cone_newton(cone_work *w, double *p, int steps, bool *equal_compliance);
thud_cone_outcome cone_proximal(cone_work *w, double *p, bool *equal_compliance);
// cone_velocity.c: proximal points outside, Newton in velocities inside; by the path of equal compliance from 0, or from p.
// INFEASIBLE: the rows ask for what no motion gives; STALLED also where the problem is too large.
typedef enum cone_velocity_way {
    VELOCITY_NEAR, // from p, a solution near it
    VELOCITY_PATH  // by the path of equal compliance from 0, whatever p
} cone_velocity_way;
// most: columns of S for each row, at most; with more of them STALLED at once.
thud_cone_outcome cone_velocity(cone_work *w, double *p, cone_velocity_way way, double most,
                                bool *equal_compliance);
bool cone_velocity_suits(const cone_work *w);
size_t velocity_scratch(const thud_cone *c);
thud_cone_outcome cone_admm(cone_work *w, double *p);
// Proximal points with leaps from p, and the few contacts that jam by themselves; any solution. Of problems that have groups.
thud_cone_outcome cone_leap(cone_work *w, double *p, int steps);
// As cone_newton, with the interior path to p first and to every proximal point after it.
thud_cone_outcome cone_newton_inside(cone_work *w, double *p, bool *equal_compliance);
thud_cone_outcome cone_auto(cone_work *w, double *p, bool want_equal, thud_cone_method *by, bool *equal);
