// SPDX-License-Identifier: Apache-2.0
// plot.c: line charts as SVG.
#include <math.h>

#include <thud/base.h>

#include "plot.h"

enum { WIDTH = 920, HEIGHT = 300, LEFT = 84, RIGHT = 20, TOP = 34, BOTTOM = 46, TICKS = 6 };

typedef struct axis {
    double lo, hi;   // of the data, widened to whole ticks where asked
    double tick;     // distance of ticks: 1, 2 or 5 times a power of ten
    double from, to; // where lo and hi are in the drawing
} axis;

static double tick_of(double span)
{
    const double power = pow(10, floor(log10(span / TICKS)));
    const double lead = span / TICKS / power;
    return power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

static axis axis_over(double lo, double hi, double from, double to)
{
    const double least = 1e-12 * fmax(fabs(lo), fabs(hi));
    if (!(hi - lo > least)) { // a constant: room above and below it
        const double room = fmax(0.5 * fabs(lo), 0.5);
        lo -= room;
        hi += room;
    }
    return (axis){lo, hi, tick_of(hi - lo), from, to};
}

static double at(const axis *a, double value)
{
    return a->from + (a->to - a->from) * (value - a->lo) / (a->hi - a->lo);
}

static void find_range(const plot *p, double *lo, double *hi)
{
    *lo = INFINITY;
    *hi = -INFINITY;
    for (int l = 0; l < p->lines; l++) {
        for (int i = 0; i < p->points; i++) {
            if (isfinite(p->line[l].y[i])) {
                *lo = fmin(*lo, p->line[l].y[i]);
                *hi = fmax(*hi, p->line[l].y[i]);
            }
        }
    }
    if (!(*lo <= *hi)) {
        *lo = *hi = 0;
    }
}

static void write_grid(FILE *out, const axis *x, const axis *y)
{
    fputs("<g class=\"grid\">", out);
    for (double v = ceil(y->lo / y->tick) * y->tick; v <= y->hi + 1e-9 * y->tick; v += y->tick) {
        const double shown = fabs(v) < 1e-9 * y->tick ? 0 : v;
        fprintf(out, "<path d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.6g</text>\n",
                LEFT, at(y, v), WIDTH - RIGHT, LEFT - 10, at(y, v) + 4, shown);
    }
    for (double v = ceil(x->lo / x->tick) * x->tick; v <= x->hi + 1e-9 * x->tick; v += x->tick) {
        fprintf(out, "<path d=\"M%.1f %dv5\"/><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.6g</text>\n",
                at(x, v), HEIGHT - BOTTOM, at(x, v), HEIGHT - BOTTOM + 20, fabs(v) < 1e-9 * x->tick ? 0 : v);
    }
    fputs("</g>\n", out);
}

static void write_line(FILE *out, const plot *p, const plot_line *line, const axis *x, const axis *y)
{
    fprintf(out, "<path class=\"line\" style=\"stroke:%s\" d=\"", line->colour);
    char pen = 'M';
    for (int i = 0; i < p->points; i++) {
        if (isfinite(line->y[i])) {
            fprintf(out, "%c%.1f %.1f", pen, at(x, p->x[i]), at(y, line->y[i]));
            pen = 'L';
        } else {
            pen = 'M'; // a gap
        }
    }
    fputs("\"/>\n", out);
}

static void write_legend(FILE *out, const plot *p)
{
    double x = LEFT;
    for (int l = 0; l < p->lines; l++) {
        fprintf(out,
                "<path class=\"line\" style=\"stroke:%s\" d=\"M%.0f 14h22\"/>"
                "<text x=\"%.0f\" y=\"18\">%s</text>\n",
                p->line[l].colour, x, x + 28, p->line[l].name);
        int letters = 0;
        while (p->line[l].name[letters]) {
            letters++;
        }
        x += 52 + 7.2 * letters;
    }
}

void plot_write(FILE *out, const plot *p)
{
    double lo, hi;
    find_range(p, &lo, &hi);
    const double room = 0.04 * (hi - lo);
    const axis x =
        axis_over(p->points ? p->x[0] : 0, p->points ? p->x[p->points - 1] : 1, LEFT, WIDTH - RIGHT);
    const axis y = axis_over(lo - room, hi + room, HEIGHT - BOTTOM, TOP);
    fprintf(out, "<svg class=\"plot\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n", WIDTH, HEIGHT,
            p->y_name);
    write_grid(out, &x, &y);
    for (int l = 0; l < p->lines; l++) {
        write_line(out, p, &p->line[l], &x, &y);
    }
    write_legend(out, p);
    fprintf(out, "<text x=\"%d\" y=\"18\" text-anchor=\"end\">%s</text>", WIDTH - RIGHT, p->y_name);
    fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n</svg>\n", WIDTH - RIGHT, HEIGHT - 6,
            p->x_name);
}
