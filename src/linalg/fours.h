// SPDX-License-Identifier: Apache-2.0
// fours.h: four rows of a column side by side in a register, private to the room. No alignment is asked for.
#pragma once

#include <thud/linalg.h>

enum { FOUR = 4 };

typedef double four __attribute__((vector_size(FOUR * sizeof(double))));
typedef four four_of_numbers __attribute__((aligned(sizeof(double)), may_alias)); // in an array of double
typedef int64_t four_of_bits __attribute__((vector_size(FOUR * sizeof(int64_t))));

THUD_INSIDE four_of_numbers *at(double *column, int row)
{
    return (four_of_numbers *)(column + row);
}

THUD_INSIDE const four_of_numbers *of(const double *column, int row)
{
    return (const four_of_numbers *)(column + row);
}
