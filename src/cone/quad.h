// SPDX-License-Identifier: Apache-2.0
// quad.h: up to four contacts side by side in the lanes of a register. Private to the room; cone_quad.c says what for.
#pragma once

#include "cone_newton.h"

enum { NORMAL, FIRST, SECOND, AXES }; // rows of a contact
enum {
    AROUND,
    ALONG,
    ACROSS,
    GROUPS
}; // unknowns of a contact, numbered in this order; ACROSS only of what sticks

typedef struct quad_faces {
    four_of_bits slides, sticks; // lanes; neither: it carries nothing
    four d[2];                   // where it slides: the direction of its friction
} quad_faces;

// Every `four` has one number of each contact. Lanes without a contact carry nothing.
typedef struct quad {
    const thud_cone *c;
    double size, mean, rho; // the judge's |b|, the unit of epsilon, the judge's rho
    double tolerance, epsilon;
    bool proximal; // the compliance is about p, and not in u; else about 0
    int iterations, factorizations;
    four mu, shape;           // of the tangential rows: mu, mu^2; of the normal one both are 1
    four W[AXES][AXES][FOUR]; // [a][b][j]: row a of every contact, column b of contact j; scaled
    four b[AXES];             // scaled
    four p[AXES], u[AXES], y[AXES];
    four rho_n, rho_t;         // of the normal row and of the others
    four weight_n, weight_t;   // F times this is a velocity in the caller's units
    four_of_bits there;        // what slides is on its cone already
    quad_faces face, factored; // as y says; that the factors are of
    int groups;                // of unknowns: two where nothing sticks
    four lower[GROUPS * FOUR][GROUPS],
        upper[GROUPS * FOUR][GROUPS]; // J = L U: columns of the inverses of both
    four own, lambda;                 // of J: e . W~ e and lambda
} quad;

#define QUAD_SELECT(which, a, b) ((four)(((which) & (four_of_bits)(a)) | (~(which) & (four_of_bits)(b))))
#define QUAD_ONLY(which, a) ((four)((which) & (four_of_bits)(a)))

THUD_INSIDE bool quad_any(const four_of_bits *which)
{
    return ((*which)[0] | (*which)[1] | (*which)[2] | (*which)[3]) != 0;
}

// quad_step.c
void quad_choose_rho(quad *q);
void quad_velocity(quad *q); // u, the compliance in it
bool quad_turn(quad *q);     // friction against what slides fast; true: p has turned
double quad_see(quad *q);    // y and the faces that it says; |F| over |b|
// The faces that p itself is on. false: who carries nothing is pressed hard, and its face is the one that quad_see says.
bool quad_recall(quad *q);
void quad_let_go(quad *q);       // from now on the compliance is about p; u without it
bool quad_same(const quad *q);   // the factors are of these faces
void quad_stay(quad *q);         // on the faces that the factors are of
bool quad_put_on_faces(quad *q); // true: p was not there
void quad_factor(quad *q);       // of these faces
bool quad_serve(const quad *q, double merit, double enough); // the factors that are there will do
bool quad_move(quad *q); // p along its faces to where g is 0; false: by no finite number
