// SPDX-License-Identifier: Apache-2.0
// thud/linalg_fours.h: four rows of a column side by side in a register. Not included by thud/linalg.h: for the kernels of solvers.
#pragma once

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
