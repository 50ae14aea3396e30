// SPDX-License-Identifier: Apache-2.0
// delassus_tiles.h: four rows and four columns of W at a time, put where they belong.
#pragma once

#include "rows.h"

// Four lanes of a square of numbers become its columns.
THUD_INSIDE void turn(four x[THUD_LANES])
{
    const four a = __builtin_shufflevector(x[0], x[1], 0, 4, 2, 6);
    const four b = __builtin_shufflevector(x[0], x[1], 1, 5, 3, 7);
    const four c = __builtin_shufflevector(x[2], x[3], 0, 4, 2, 6);
    const four d = __builtin_shufflevector(x[2], x[3], 1, 5, 3, 7);
    x[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    x[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    x[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    x[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

// Puts the numbers of a tile into W: lane k is column c + k in the rows from `first` on, as far as there are any. whole: all are.
THUD_INSIDE void put_columns(int n, bool whole, const four x[THUD_LANES], int first, int c, double *W)
{
    double *to = W + first + (size_t)c * (size_t)n;
    if (whole || (first + THUD_LANES <= n && c + THUD_LANES <= n)) {
        for (int k = 0; k < THUD_LANES; k++, to += n) {
            *(four_of_numbers *)to = x[k];
        }
        return;
    }
    for (int k = 0; k < THUD_LANES && c + k < n; k++, to += n) {
        for (int i = 0; i < THUD_LANES && first + i < n; i++) {
            to[i] = x[k][i];
        }
    }
}

// A tile below the diagonal, and its mirror image above it.
THUD_INSIDE void put_tile(int n, bool whole, four x[THUD_LANES], int first, int c, double *W)
{
    put_columns(n, whole, x, first, c, W);
    if (first > c) {
        turn(x);
        put_columns(n, whole, x, c, first, W);
    }
}
