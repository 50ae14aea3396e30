// SPDX-License-Identifier: Apache-2.0
// thud/base_fours.h: four numbers side by side in a register, for kernels. Not included by thud/thud.h.
//
// All of it is inlined into every clone of a THUD_KERNEL function.
#pragma once

#include <math.h>
#include <stdint.h>

#include <thud/base.h>

enum { FOUR = THUD_LANES };

typedef double four __attribute__((vector_size(FOUR * sizeof(double))));
typedef four four_of_numbers __attribute__((aligned(sizeof(double)), may_alias)); // in an array of double
typedef int64_t four_of_bits __attribute__((vector_size(FOUR * sizeof(int64_t))));

// No alignment is asked for.
THUD_INSIDE four_of_numbers *fours_at(double *x)
{
    return (four_of_numbers *)x;
}

THUD_INSIDE const four_of_numbers *fours_of(const double *x)
{
    return (const four_of_numbers *)x;
}

// a where `which` (as comparisons leave it) is set, else b, or 0.
#define FOURS_SELECT(which, a, b) ((four)(((which) & (four_of_bits)(a)) | (~(which) & (four_of_bits)(b))))
#define FOURS_ONLY(which, a) ((four)((which) & (four_of_bits)(a)))

THUD_INSIDE void fours_size(four *x) // |x|
{
    const four_of_bits number = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX}; // all but the sign
    *x = FOURS_ONLY(number, *x);
}

THUD_INSIDE void fours_raise(const four *x, four *most) // to x where that is greater, which NaN is not
{
    *most = FOURS_SELECT(*x > *most, *x, *most);
}

THUD_INSIDE double fours_most(const four *x) // of its four numbers
{
    const double a = (*x)[0] > (*x)[1] ? (*x)[0] : (*x)[1], b = (*x)[2] > (*x)[3] ? (*x)[2] : (*x)[3];
    return a > b ? a : b;
}

THUD_INSIDE void fours_root(four *x)
{
    for (int k = 0; k < FOUR; k++) {
        (*x)[k] = sqrt((*x)[k]);
    }
}
