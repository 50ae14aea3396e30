// SPDX-License-Identifier: Apache-2.0
// law_inside.h: a law stated as a mixed linear complementarity problem, and the way to its answer.
//
//     w = M z + q,   lo <= z <= hi,   p = C z
//
// Every law but the cone's is such a problem. Its unknowns are impulses, each along one direction of a block
// (a column of C has at most two numbers), and the speeds that the pyramids need beside them: lambda of [ST],
// w_up and w_lo of [PI]. Speeds are divided by s, a power of two next to the mean diagonal of W, and their
// rows multiplied by it, so that all of z is impulses, all of w velocities and all of M inverse masses: one
// judge with one scale fits all rows.
#pragma once

#include <thud/lcp.h>

#include "door.h"

// An unknown: p[row] += a z, p[other] += b z.
typedef struct law_column {
    int block;
    int row, other; // row -1: a speed, no impulse; other -1: none
    double a, b;
} law_column;

typedef struct law_case {
    const thud_island *island;
    const thud_law_options *o;
    thud_arena *arena;
    thud_mat W;                   // dense, the model's compliance on its diagonal
    double mean;                  // of the diagonal of W over normal and sliding rows
    double s;                     // the power of two next to it
    double *u;                    // rows: velocities under the warm start
    bool warm;                    // there is one
    double *ease;                 // rows: unit compliance, of which EASE times picks among many solutions
    int n, used;                  // unknowns; columns added so far
    law_column *column;           // n
    thud_lcp lcp;                 // view of the next
    thud_mat M;                   // n x n
    double *q, *lo, *hi, *q_size; // n
    unsigned char *start;         // n: basis guessed from the warm start
    bool eliminate;               // the solver sees the problem without its free rows [PI 3.3]
} law_case;

static inline double *law_at(thud_mat M, int i, int j)
{
    return M.a + (size_t)i + (size_t)j * (size_t)M.stride;
}

// ------------------------------------------------------------------------------- law_case.c: stating a law

// Dense W, scales and compliances of an island. false: no memory.
bool law_case_open(law_case *c, const thud_island *island, const thud_law_options *o, thud_arena *arena);
// Room for n unknowns and their M = 0, q = 0.
bool law_case_size(law_case *c, int n);
// The next unknown, within lo .. hi; returns its number.
int law_case_add(law_case *c, law_column column, double lo, double hi);
// The unknowns of a block that is no contact, and of the normal row of a contact.
void law_case_add_rows(law_case *c, int block);
// M = C^T W C, q = C^T u_free over what has been added, over what is in M and q by now.
void law_case_couple(law_case *c);
// out = C z, and out = C^T x for the rows' numbers x.
void law_case_impulses(const law_case *c, const double *z, double *p);
double law_column_dot(const law_column *column, const double *x);

// ------------------------------------------------------------------------------- axes.c: directions,
// friction

// An axis of friction: along a column, |p| <= mu p_n, u + epsilon p + d in place of u.
typedef struct law_axis {
    law_column column;
    double mu, epsilon, d;
} law_axis;

enum { LAW_AXES = 5 }; // most of a contact: two sliding, one torsional, two rolling

// The axes of a contact as the options' law takes them; returns how many. *sliding tells whether the first
// two are along and across the slip. normal: the normal impulse to expect.
int law_axes(const law_case *c, int block, double normal, law_axis axis[LAW_AXES], bool *sliding);
// Whether a contact slides at the step's start.
bool law_slips(const law_case *c, int block);
// The block's own tangents and further rows, with the cone's coefficients.
int law_axes_fixed(const law_case *c, int block, law_axis axis[LAW_AXES]);
// Relaxation of a normal row: epsilon, and d in *constant.
double law_normal_relaxation(const law_case *c, int block, double *constant);
// 1/(h^2 k + h b); 0 where that has no meaning.
double law_relaxation(double h, double stiffness, double damping);

// ------------------------------------------------------------------------------- the laws

bool law_pyramid(law_case *c); // states the problem; false: no memory
bool law_phantom(law_case *c);
bool law_boxed(law_case *c);
int law_pyramid_size(const thud_island *island, const thud_law_options *o); // unknowns, or a bound on them
int law_phantom_size(const thud_island *island, const thud_law_options *o);
int law_boxed_size(const thud_island *island, const thud_law_options *o);
// The normal impulse to expect at each block: the last step's, or what a contact without friction would need.
// NULL: no memory.
double *law_normals(const law_case *c);

thud_law_report law_cone(const thud_island *island, const thud_law_options *o, thud_arena *arena);

// ------------------------------------------------------------------------------- eliminate.c: free rows

typedef struct law_reduction {
    int kept, out;           // rows that stay, free rows that go
    int *sparse;             // kept: rows of a column that are not zero
    int *keep, *drop;        // their numbers
    thud_mat full;           // the matrix as it came
    thud_mat A, X, M;        // L of M_SS; M_SS^-1 M_SR; M_RR - M_RS M_SS^-1 M_SR
    double *y, *q, *lo, *hi; // M_SS^-1 q_S; kept: the reduced problem
} law_reduction;

typedef enum law_reduced { LAW_REDUCED, LAW_REDUCED_SINGULAR, LAW_REDUCED_NO_MEMORY } law_reduced;
law_reduced law_reduce(const law_case *c, thud_mat M, law_reduction *r);
void law_reduce_constant(law_reduction *r, const double *q);
void law_expand(const law_reduction *r, const double *kept, double *z);

// ------------------------------------------------------------------------------- ladder.c: solving

// L = M + C^T ease C: the law with a compliance that makes its solution one. L is n x n, packed.
void law_soften(const law_case *c, thud_mat L);
// Solves what was stated by the ladder's methods in turn and writes island->p.
thud_law_report law_climb(law_case *c);
thud_solver law_solver_of(thud_lcp_method method);
