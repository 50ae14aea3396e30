// SPDX-License-Identifier: Apache-2.0
// plot.h: line charts as SVG. Colours are CSS variables (--ink, --faint, --a, --b, --c) of the page around
// it.
#pragma once

#include <stdio.h>

typedef struct plot_line {
    const char *name;
    const char *colour; // CSS
    const double *y;    // as many as there are x
} plot_line;

typedef struct plot {
    const char *x_name, *y_name; // with units: "time / s"
    const double *x;             // ascending
    int points, lines;
    const plot_line *line;
} plot;

void plot_write(FILE *out, const plot *p);
