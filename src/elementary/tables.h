// SPDX-License-Identifier: Apache-2.0
// tables.h: tables and polynomials, computed with 80 digits by tools/make_elementary.py. Private to the room.
#pragma once

#include <stdint.h>

typedef struct elementary_pair {
    double hi, lo; // hi + lo, |lo| at most half a unit in the last place of hi
} elementary_pair;

typedef struct elementary_log_row {
    double inverse, log, rest;
} elementary_log_row;

extern const elementary_pair elementary_exp_table[128];
extern const elementary_log_row elementary_log_table[128];
extern const double elementary_log_poly[6];
extern const elementary_pair elementary_atan_table[34];
extern const double elementary_atan_poly[9], elementary_asin_poly[13];
extern const uint64_t elementary_two_over_pi[20];
