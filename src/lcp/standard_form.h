// SPDX-License-Identifier: Apache-2.0
// standard_form.h: a mixed, boxed problem as the one Lemke's method takes: x >= 0 first, then free rows.
#pragma once

#include "lcp_inside.h"

typedef struct lcp_form {
    int m, active;                    // rows in all; the first `active` have x >= 0, the rest are free
    bool identity;                    // row i is row i of the problem, unchanged but for the scales
    int *source;                      // row of the problem
    int *cap;                         // of a row with two finite bounds: the row of its upper bound; else -1
    bool *is_cap;                     // the row is hi - lo - x >= 0, its multiplier >= 0
    double *sign;                     // +1: z = rest + x, -1: z = rest - x
    double *rest;                     // n of the problem
    double *row_scale, *column_scale; // powers of two
    double *q;                        // scaled
    double q_scale;                   // x of the problem = column_scale * q_scale * x of the form
} lcp_form;

// Sizes, in rows, of the form of a problem with `boxed` rows of two finite bounds: n + boxed.
bool lcp_form_make(const thud_lcp *p, thud_arena *scratch, lcp_form *out);
// -(R M C + epsilon I) as the first m columns of the tableau, q as its values, w basic.
void lcp_form_fill(const lcp_form *f, const thud_lcp *p, double epsilon, lcp_tableau *t);
// Which rows of the form have their z in the basis that `row` describes.
void lcp_form_marks(const lcp_form *f, const unsigned char *row, bool *basic);
// z and the basis of the problem from the tableau; a variable x of form row i is number m + i.
void lcp_form_read(const lcp_form *f, const thud_lcp *p, const lcp_tableau *t, double *z, unsigned char *row);
