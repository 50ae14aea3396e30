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
    double size, over_size2; // the judge's |b|, and 1 / |b|^2
    double mean, rho;        // the unit of epsilon; the judge's rho
    double tolerance, epsilon;
    bool proximal; // the compliance is about p, and not in u; else about 0
    int iterations, factorizations;
    four mu, shape;            // of the tangential rows: mu, mu^2; of the normal one both are 1
    four W[AXES][AXES][FOUR];  // [a][b][j]: row a of every contact, column b of contact j; scaled
    four b[AXES];              // scaled
    four p[AXES], u[AXES], y;  // y: of the normal row
    four rho_n, rho_t;         // of the normal row and of the others
    four weight_n, weight_t;   // F times this is a velocity in the caller's units
    four_of_bits there;        // what slides is on its cone already
    quad_faces face, factored; // as y says; that the factors are of
    int groups;                // of unknowns: two where nothing sticks
    four lower[GROUPS * FOUR][GROUPS],
        upper[GROUPS * FOUR][GROUPS]; // J = L U: columns of the inverses of both
    four own, lambda;                 // of J: e . W~ e and lambda
} quad;

THUD_INSIDE bool quad_any(const four_of_bits *which)
{
    return ((*which)[0] | (*which)[1] | (*which)[2] | (*which)[3]) != 0;
}

// quad_step.c
void quad_begin(quad *q);        // rho; from the guess in p onto the faces that it is on, and u there
double quad_look(quad *q);       // u, y and the faces that it says; the square of |F| over |b|
bool quad_same(const quad *q);   // the factors are of these faces
void quad_stay(quad *q);         // on the faces that the factors are of
void quad_put_on_faces(quad *q); // p, and u there
void quad_factor(quad *q);       // of these faces
bool quad_serve(const quad *q, double merit2, double enough2); // the factors that are there will do
bool quad_move(quad *q);   // p along its faces to where g is 0; false: by no finite number
void quad_let_go(quad *q); // the compliance is about p from now on: u without it
