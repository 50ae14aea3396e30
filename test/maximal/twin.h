// SPDX-License-Identifier: Apache-2.0
// twin.h: a random mechanism in minimal and in maximal coordinates, both in one random state.
#pragma once

#include <thud/dynamics.h>
#include <thud/maximal.h>

#include "test.h"

typedef struct twin {
    thud_spec *spec, *wide;
    thud_model *minimal, *maximal;
    thud_state *s, *t; // of the two
    thud_pose *X, *Y;  // poses of the bodies in the two
} twin;

// One joint a body at most: hinges, slides, balls, free bodies, welded ones, with geoms on most of them.
thud_spec *twin_spec(test_rng *rng, int bodies);
twin twin_create(uint64_t seed, int bodies);
void twin_destroy(twin *w);
void twin_rewrite(const thud_spec *spec, thud_spec **wide, thud_model **maximal);
