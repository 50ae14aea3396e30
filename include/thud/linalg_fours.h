// SPDX-License-Identifier: Apache-2.0
// thud/linalg_fours.h: four rows of a column side by side in a register. Not included by thud/linalg.h: for the kernels of solvers.
#pragma once

#include <math.h>

#include <thud/linalg.h>

enum { FOUR = 4 };

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

// Twelve numbers, three of each of four things, as three fours: halves of registers first, then every second number.
THUD_INSIDE void fours_part(const double *x, four *to)
{
    const four a = *fours_of(x), b = *fours_of(x + FOUR), c = *fours_of(x + 2 * FOUR);
    const four first = __builtin_shufflevector(a, b, 0, 1, 6, 7),
               second = __builtin_shufflevector(a, c, 2, 3, 4, 5),
               third = __builtin_shufflevector(b, c, 0, 1, 6, 7);
    to[0] = __builtin_shufflevector(first, second, 0, 5, 2, 7);
    to[1] = __builtin_shufflevector(first, third, 1, 4, 3, 6);
    to[2] = __builtin_shufflevector(second, third, 0, 5, 2, 7);
}

// And back.
THUD_INSIDE void fours_join(const four *x, double *to)
{
    const four a = __builtin_shufflevector(x[0], x[1], 0, 4, 2, 6),
               b = __builtin_shufflevector(x[1], x[2], 1, 5, 3, 7),
               c = __builtin_shufflevector(x[2], x[0], 0, 5, 2, 7);
    *fours_at(to) = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    *fours_at(to + FOUR) = __builtin_shufflevector(b, a, 0, 1, 6, 7);
    *fours_at(to + 2 * FOUR) = __builtin_shufflevector(c, b, 2, 3, 6, 7);
}
