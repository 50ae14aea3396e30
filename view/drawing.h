// SPDX-License-Identifier: Apache-2.0
// drawing.h: a figure to scale, as SVG: bodies seen from one side. Lengths are metres, y upward.
#pragma once

#include <stdio.h>

typedef struct drawing {
    FILE *out;
    double left, top; // m
    double scale;     // pixels a metre
} drawing;

// The svg element with a background, 920 pixels wide, that shows [x0, x1] x [y0, y1].
drawing drawing_open(FILE *out, double x0, double x1, double y0, double y1);
void drawing_close(drawing *d);

// A line as wide as `width` metres with round ends: a rod, a capsule. Colours are CSS.
void drawing_rod(drawing *d, double x0, double y0, double x1, double y1, double width, const char *colour,
                 double opacity);
void drawing_line(drawing *d, double x0, double y0, double x1, double y1, const char *colour);
void drawing_disc(drawing *d, double x, double y, double radius, const char *colour, double opacity);
void drawing_circle(drawing *d, double x, double y, double radius, const char *colour);
void drawing_arrow(drawing *d, double x, double y, double dx, double dy, const char *colour);
void drawing_text(drawing *d, double x, double y, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
