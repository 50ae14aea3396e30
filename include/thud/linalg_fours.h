// SPDX-License-Identifier: Apache-2.0
// thud/linalg_fours.h: three numbers of each of four things, side by side in registers. Not included by thud/linalg.h: for the
// kernels of solvers.
#pragma once

#include <thud/base_fours.h>
#include <thud/linalg.h>

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
