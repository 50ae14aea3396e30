// SPDX-License-Identifier: Apache-2.0
// lu_small.h: LU factors of few rows, private to the room.
#pragma once

#include <thud/linalg.h>

enum { LU_SMALL = 64 }; // rows at most

int lu_small_factor(thud_mat A, int *pivot); // as thud_lu_factor
