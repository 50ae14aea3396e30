// SPDX-License-Identifier: Apache-2.0
// run_columns.h: the columns of a recorded run.
#pragma once

#include <thud/record.h>

int run_columns_count(const thud_model *m);

// The columns of a run of m; one block, freed by thud_free. NULL when memory ran out.
thud_column *run_columns_create(const thud_model *m);

// Their values: as many as there are columns. readings: what the sensors read, so many of them.
void run_columns_fill(const thud_state *s, const double *reading, int readings, const thud_certificate *c,
                      double *value);
