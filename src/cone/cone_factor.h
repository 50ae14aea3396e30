// SPDX-License-Identifier: Apache-2.0
// cone_factor.h: factors of a matrix with the block pattern of W^, ordered once a solve and refilled at will.
#pragma once

#include "cone_work.h"

enum { CONE_NODE = 18 }; // rows of a node, about; a block that has more is one

// A few rows eliminated together. Its panel holds the rows of the node itself and of all nodes below it that
// it reaches, column-major; `across` the transposed row panel of an unsymmetric matrix.
typedef struct cone_node {
    int row, size;        // in the order of elimination
    int reach, reaches;   // into cone_factor.reach: later nodes, ascending
    int stride;           // rows of the panel
    size_t panel, across; // into cone_factor.value
} cone_node;

// A block of W^ that is not zero, and where its part of a matrix belongs.
typedef struct cone_entry {
    int i, j;           // blocks
    int from;           // sparse W^: into sparse.value; dense: into W.a
    int stride;         // of the block in W^
    int to, down, pace; // element (r, s) goes to value[to + r * down + s * pace]
} cone_entry;

typedef struct cone_factor {
    int n, nodes, entries;
    bool symmetric; // W^ is, to rounding
    double cost;    // multiplications of a Cholesky factor, about
    cone_node *node;
    int *reach, *reach_at; // a later node, and the panel's row where it begins
    int *place;            // n: row of W^ -> its place in the order of elimination
    cone_entry *entry;     // those on or below the diagonal first: what a symmetric matrix needs
    int lower;             // how many those are
    double *value;
    size_t values, panels; // numbers in all; in the panels, which come first
    int *pivot;            // n: row exchanges within nodes
    double *work;          // CONE_NODE columns, and n
    void *heap;            // what the arena had no room for
} cone_factor;

// cone_order.c: the order for w's pattern. false: the arena is too small.
bool cone_factor_begin(cone_work *w, cone_factor *f);
void cone_factor_end(cone_factor *f);

// cone_factor.c: factors what was put into f->value. false: a pivot that is 0 next to its node.
bool cone_factor_cholesky(cone_factor *f);
bool cone_factor_lu(cone_factor *f);
void cone_factor_cholesky_solve(const cone_factor *f, double *x); // x (rows of W^) <- A^-1 x
void cone_factor_lu_solve(const cone_factor *f, double *x);
