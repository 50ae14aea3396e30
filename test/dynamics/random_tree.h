// SPDX-License-Identifier: Apache-2.0
// random_tree.h: a random mechanism for the identities: branching, every joint type, armature, carried
// weight.
#pragma once

#include <thud/dynamics.h>

#include "test.h"

typedef struct random_tree {
    thud_model *m;
    thud_dynamics *d;
    double *q, *v, *a, *tau, *M; // a state off the reference pose, and room for results; M sparse
} random_tree;

random_tree random_tree_create(uint64_t seed, int bodies);
void random_tree_destroy(random_tree *t);
double *random_vector(test_rng *rng, int n, double scale); // malloc'ed
