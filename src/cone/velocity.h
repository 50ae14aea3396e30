// SPDX-License-Identifier: Apache-2.0
// velocity.h: a contact problem in the space of velocities. Private to the room; cone_velocity.c gives the method.
#pragma once

#include "cone_work.h"

enum { VELOCITY_COLUMNS = 160, VELOCITY_ROWS = 1000 }; // limits of the method: the factor is dense

// The problem of cone_work.h as W^ = S S^T + diag(soft). Each block keeps only those columns of S that it has numbers in.
typedef struct velocity_view {
    int n, m;       // rows of S, columns of S
    int blocks;     //
    int *start;     // blocks + 1: the columns of block i are column[k], start[i] <= k < start[i+1], ascending
    int *column;    //
    size_t *at;     // blocks: the rows of block i begin at S + at[i], each velocity_width(view, i) long
    bool *repeated; // blocks: the same columns as the block before
    double *S;      //
    double *soft;   // n: the compliance of the problem itself, scaled
} velocity_view;

static inline int velocity_columns(const velocity_view *s, int block)
{
    return s->start[block + 1] - s->start[block];
}

static inline int velocity_width(const velocity_view *s, int block) // whole fours; zeros behind the columns
{
    return (velocity_columns(s, block) + FOUR - 1) / FOUR * FOUR;
}

// velocity_view.c
typedef enum velocity_made { VELOCITY_MADE, VELOCITY_UNSUITED, VELOCITY_NO_MEMORY } velocity_made;
// S from the strips of the product where there is one, else by a pivoted Cholesky factor of W^. Unsuited: too large, or not symmetric.
velocity_made velocity_view_make(const cone_work *w, velocity_view *s);
void velocity_view_to_rows(const cone_work *w, const velocity_view *s, const double *y, double *u); // u = S y
void velocity_view_to_columns(const cone_work *w, const velocity_view *s, const double *p,
                              double *y); // y = S^T p

// velocity_factor.c: H = I + S^T K S, of which K has one block (dim x dim, row-major, VELOCITY_BLOCK numbers) of each block.
enum { VELOCITY_BLOCK = THUD_CONE_DIM_MAX * THUD_CONE_DIM_MAX };
typedef struct velocity_factor {
    int m, stride;
    double *H;    // m rows of `stride` numbers
    double *room; // of one block's own product
    int *pivot;   // m
} velocity_factor;
bool velocity_factor_begin(const velocity_view *s, thud_arena *arena, velocity_factor *f);
void velocity_factor_make(const cone_work *w, const velocity_view *s, const double *K, velocity_factor *f);
bool velocity_factor_invert(velocity_factor *f); // into its factors L and U. false: singular
void velocity_factor_solve(const velocity_factor *f, double *x);

// velocity_law.c: the exact law of one block with compliances t: the impulse that minimises sum t_i (p_i - x_i)^2 / 2 over the cone's
// section at the normal impulse max(x_n, 0) (contacts), over the bounds (boxes), or everywhere (free rows).
// radius: of the section, or NAN: the normal impulse's own.
void velocity_law(const cone_rows *b, const double *x, const double *t, double radius, double *p);
// K = dp/dx diag(1/t) at x, dim x dim row-major. coupled: with the part of the tangential rows that follows the normal impulse;
// without it K is symmetric and positive semidefinite.
void velocity_law_tangent(const cone_rows *b, const double *x, const double *t, const double *p, bool coupled,
                          double *K);

// velocity_newton.c: one proximal subproblem about z with compliances eps, and its Newton method.
typedef struct velocity {
    cone_work *w;
    velocity_view view;
    velocity_factor factor;
    double *unit;      // n: e, the compliance that c = 1 stands for
    double *eps, *t;   // n: c e, and with the problem's own compliance
    double *z, *u_z;   // n: the centre, and S S^T z + b
    double *x, *p;     // n: of the law at d
    double *slope;     // n: S step
    double *K;         // blocks x VELOCITY_BLOCK
    double *radius;    // blocks: of the sections while a line is searched
    double *d, *F;     // m: change of velocity since z in the space of S; its residual d - S^T (p - z)
    double *step, *at; // m
    double *rows;      // n: work
    double merit;      // |S F| / |b|
} velocity;

bool velocity_begin(velocity *v);
void velocity_centre(velocity *v, const double *z, double c); // about z; d as it is
// From v->d to where merit <= enough; searching: no full step that merely halves it. false: not reached. v->p: the impulses in either case.
bool velocity_newton(velocity *v, double enough, bool searching, int *steps);
double velocity_residual(velocity *v); // the judge's, of v->p
