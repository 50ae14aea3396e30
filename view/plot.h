// SPDX-License-Identifier: Apache-2.0
// plot.h: line charts as SVG, on plain or logarithmic axes. In a page, colours are CSS variables (--ink,
// --faint, --a, --b, --c) of the page around it; alone, the file brings its own style.
#pragma once

#include <stdbool.h>
#include <stdio.h>

typedef struct plot_line {
    const char *name;
    const char *colour; // CSS
    const double *y;    // as many as there are x; what is not finite is a gap
    const double *x;    // NULL: the plot's
    int points;         // of its own x
    bool dots;          // a dot at every point
    bool dashed;
} plot_line;

typedef struct plot {
    const char *x_name, *y_name; // with units: "time / s"
    const double *x;
    int points, lines;
    const plot_line *line;
    bool log_x, log_y;
    bool equal; // both axes have the same scale, as a map's
    int height; // 0: 300
} plot;

void plot_write(FILE *out, const plot *p);       // a part of a page
void plot_write_alone(FILE *out, const plot *p); // a file of its own
void plot_write_csv(FILE *out, const plot *p);   // its points: line, x, y

const char *plot_colour(int i); // distinct ones for the lines of a plot that stands alone
