// SPDX-License-Identifier: Apache-2.0
// cone_newton.h: Newton on one compliant problem, which newton, proximal and auto share.
#pragma once

#include "cone_groups.h"

// How a block is held at the present point; decides its rows of the Jacobian.
typedef enum row_state {
    ROWS_HELD, // p is given: an open contact (0) or a bound
    ROWS_FREE, // u = 0: stick, joint, between the bounds
    ROWS_SLIDE // u_n = 0, p_t = p_n d
} row_state;

typedef enum cone_factored {
    FACTORED_NOT,
    FACTORED_SYMMETRIC,  // by Cholesky: nothing slides
    FACTORED_BY_PATTERN, // by LU in the same order
    FACTORED_BY_GROUPS,  // among the columns of S
    FACTORED_REDUCED     // with all pivots
} cone_factored;

typedef struct cone_tangent {
    cone_work *w;
    double epsilon;       // compliance, times w->shape, added to W^
    const double *centre; // n, or NULL: 0. The problem: u = W^ p + b^ + epsilon shape (p - centre)
    double *rho;          // n: step of each row in its projection
    double enough;        // |F| where a run may end; 0: where it cannot get on
    int patience;         // steps without progress that it is allowed; 0: the usual
    bool fine;            // tangential steps to fit slips that are tiny beside the impulses
    double *weight;       // n: F times this is a velocity in c's units
    double *u, *F, *step; // n
    double *trial_p, *trial_u, *trial_F, *best;
    row_state *state, *trial_state;
    double *y;       // n: p - rho u
    double *trial_y; // n
    int *map;        // n: row's place in the reduced system, -1 held
    double *rhs, *x; // n
    thud_mat J;      // dense: room for n x n, holds the factors
    int *pivot;
    thud_csc S;         // sparse: room for all entries of W^
    thud_sparse_lu *lu; // sparse: its factors, or NULL
    // The factors are kept, and used again while they are those of the present point or nearly so.
    cone_factored factored;
    bool kept, exact; // the last step used old ones; those of its own Jacobian
    cone_factor factor;
    double factor_epsilon;
    row_state *factor_state; // blocks
    double *factor_y;        // n
} cone_tangent;

typedef struct newton_result {
    double merit; // |F| in velocity over |b|
    int steps;
    bool converged;
} newton_result;

bool cone_newton_begin(cone_work *w, cone_tangent *t); // false: arena too small; end it all the same
void cone_newton_end(cone_tangent *t);
// Sees to it that t->factor is ordered: small problems are not until it is asked for. false: no room.
bool cone_newton_order(cone_tangent *t);
// Brings p to the solution of the compliant problem (t->epsilon, t->centre), or to the best point met.
newton_result cone_newton_run(cone_tangent *t, double *p, int max_steps);

// cone_jacobian.c: solves the linearised problem for t->step. false: singular.
bool cone_newton_direction(cone_tangent *t);

// cone_interior.c: p near the solution of compliance epsilon (of the mean diagonal) about centre (NULL: 0),
// to be finished by Newton; path, from 0, numbers the ways there. false (p untouched): not found. Uses up t's
// factors.
bool cone_interior(cone_tangent *t, double *p, double epsilon, const double *centre, int path);
