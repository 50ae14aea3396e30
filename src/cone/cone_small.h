// SPDX-License-Identifier: Apache-2.0
// cone_small.h: few contacts and the faces of their cones that they are on. Private to the room; cone_small.c says what for.
#pragma once

#include "cone_newton.h"

enum { MOST_ROWS = 80 }; // a multiple of four
enum { TANGENTS = THUD_CONE_DIM_MAX - 1 };

#define SMALL_DUST 1e-13  // of the largest impulse: pressed by rounding only
#define SMALL_THERE 1e-14 // of an impulse: on the cone but for rounding

typedef struct face { // of a block
    row_state state;
    int at;             // of its unknowns in the linear system
    double d[TANGENTS]; // SLIDE: the direction of its friction
    bool there;         // SLIDE: so is p already
    double bound;       // HELD: its impulse
} face;

typedef struct stretch { // of rows that are unknown one by one
    int row, at, count;
} stretch;

typedef struct slide { // a block of three rows that slides: two unknowns
    int row, at;
    double d0, d1;      // the direction of its friction
    double own, lambda; // of the factors: e . W~ e and lambda
} slide;

typedef struct wide { // one of another number of rows: one unknown along the cone, the others around it
    int row, at, tangents;
    double d[TANGENTS]; // the direction of its friction
    double v[TANGENTS],
        over; // H = I - over v v^T turns it into the first axis; the others, turned back, are across it
} wide;

typedef struct small {
    cone_work *w;
    double epsilon;
    double first;  // |F| over |b| of the guess
    bool proximal; // the compliance is about p, and not in u; else about 0
    bool ahead;    // p is the first point of take_compliance_out by now, and judged
    double rho[MOST_ROWS], weight[MOST_ROWS];
    double y[MOST_ROWS], u[MOST_ROWS + FOUR], x[MOST_ROWS + FOUR]; // room for whole fours from any row on
    face face[MOST_ROWS], factored[MOST_ROWS];
    stretch stretch[MOST_ROWS];
    slide slide[MOST_ROWS];
    wide wide[MOST_ROWS / 2];
    int stretches, slides, wides, size; // size: all unknowns
    thud_mat J;                         // its factors: Cholesky's where nothing slides, and J is symmetric
    int pivot[MOST_ROWS];
} small;

// cone_small.c
typedef enum small_outcome { SMALL_SOLVED, SMALL_FAILED, SMALL_NOTHING_MORE } small_outcome;
typedef small_outcome (*small_attempt)(small *s, int number,
                                       double *p); // from p, which becomes what was found
// One attempt after the other, from 0, until one leads to the answer or there are no more. false: p is as it was.
bool small_try(cone_work *w, double *p, small_attempt attempt);

// small_faces.c
void small_choose_rho(small *s);
double small_see(small *s, const double *p);        // y and the faces that it says; |F| over |b|
bool small_turn(const small *s, double *p);         // friction against what slides fast; true: p has turned
void small_recall(small *s, const double *p);       // the faces that p itself is on
bool small_number(small *s);                        // the unknowns; true: the factors are of these faces
void small_stay(small *s, const double *p);         // on the faces that the factors are of
bool small_put_on_faces(const small *s, double *p); // true: p was not there

// small_wide.c: torsion and rolling, and friction in the plane
double small_see_wide(const cone_rows *b, const double *p, const double *y, const double *weight, double sum,
                      face *f); // of one that is pressed; as see_contact
// As small_turn, of one that is on its cone (so much of it) and so many times as fast as its impulse. true: p turned by more than `little`.
bool small_rub_wide(const cone_rows *b, const double *u, double inside, double fast, double little,
                    double *p);
void small_turn_wide(const face *f, wide *x);                            // x->d, and what goes with it
void small_project_wide(const small *s, const double *from, double *to); // L^T from, for those that slide
void small_put_columns(small *s); // J, where one of them slides, but for its corner
void small_advance_wide(const small *s, double length, double *p);

// small_step.c
static inline bool small_slides(const small *s) // anything
{
    return s->slides + s->wides > 0;
}
// n numbers in whole fours: what is written behind the last of them is written again later.
THUD_INSIDE void small_copy(int n, const double *from, double *to)
{
    for (int i = 0; i < n; i += FOUR) {
        *fours_at(to + i) = *fours_of(from + i);
    }
}

THUD_INSIDE void small_project(const small *s, const double *from,
                               double *restrict to) // L^T from, for all blocks
{
    for (const stretch *x = s->stretch; x < s->stretch + s->stretches; x++) {
        small_copy(x->count, from + x->row, to + x->at);
    }
    for (const slide *x = s->slide; x < s->slide + s->slides; x++) {
        const double *v = from + x->row;
        to[x->at] = v[0];
        to[x->at + 1] = x->d0 * v[2] - x->d1 * v[1];
    }
    if (s->wides > 0) {
        small_project_wide(s, from, to);
    }
}

void small_velocity(small *s, const double *p);                // s->u, the compliance in it
bool small_factor(small *s);                                   // of these faces
bool small_serve(const small *s, double merit, double enough); // the factors that are there will do
bool small_solve(small *s);                                   // x: a step with the factors; false: not finite
void small_advance(const small *s, double length, double *p); // so much of it
bool small_move(small *s, double *p);                         // all of it
