// SPDX-License-Identifier: Apache-2.0
// corpus.h: one corpus of cone problems for every method: random, stacked, doubled and hand-made degenerate
// ones.
#pragma once

#include <thud/cone.h>

typedef struct corpus_case {
    const char *name;
    thud_cone cone;         // view of what is below
    thud_cone_block *block; // heap
    double *W, *b, *epsilon;
    bool solvable;
} corpus_case;

enum { CORPUS_CASES = 60 };
// Case k, 0 .. CORPUS_CASES - 1: the same numbers on every machine. corpus_free it.
corpus_case corpus_make(int k);
void corpus_free(corpus_case *c);

// A table of the given mass on `legs` legs on a circle of radius 1 (legs 4: a square of half side 1), pushed
// sideways by the velocity `push`: W = J M^-1 J^T.
corpus_case corpus_table(int legs, double mass, double push);
// `boxes` unit cubes on each other on the ground, four contacts a face; masses from 1 upward by `ratio`.
corpus_case corpus_stack(int boxes, double ratio);
