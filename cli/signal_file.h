// SPDX-License-Identifier: Apache-2.0
// signal_file.h: controls over time, from a CSV file: `thud run --ctrl FILE.csv`.
#pragma once

#include <thud/thud.h>

typedef struct control_signal {
    int rows, width; // width controls a row
    double *time;    // rows, s, ascending
    double *ctrl;    // rows x width
    bool linear;     // between two rows: straight from one to the other; otherwise the first of them holds
    double *now;     // width: what signal_at gave last
} control_signal;

// Reads a table whose first column is the time (s) and whose others are controls: all of them, in the model's
// order; or, where a first line names the columns, those of the actuators named there (the others stay as
// they are in `start`, nu numbers). A first column named "time linear" makes it linear. BAD_FILE with the line that is
// wrong.
thud_status signal_read(const char *path, const thud_model *m, const double *start, control_signal *out,
                        thud_diag *diag);
void signal_free(control_signal *s);

// The controls that hold at a time, from the last row that is not after it; NULL before the first. Valid until it is asked
// again.
const double *signal_at(const control_signal *s, double time);
