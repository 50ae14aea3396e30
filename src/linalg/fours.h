// SPDX-License-Identifier: Apache-2.0
// fours.h: four rows of a column, by its first number and a row. Private to the room.
#pragma once

#include <thud/linalg_fours.h>

THUD_INSIDE four_of_numbers *at(double *column, int row)
{
    return fours_at(column + row);
}

THUD_INSIDE const four_of_numbers *of(const double *column, int row)
{
    return fours_of(column + row);
}
