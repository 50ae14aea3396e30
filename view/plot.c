// SPDX-License-Identifier: Apache-2.0
// plot.c: line charts as SVG.
#include <math.h>
#include <string.h>

#include <thud/base.h>

#include "plot.h"

enum { WIDTH = 920, HEIGHT = 300, LEFT = 84, RIGHT = 20, TOP = 34, BOTTOM = 46, TICKS = 6, LEGEND = 20 };

typedef struct axis {
    bool log;
    double lo, hi;   // of the data; of a logarithmic axis their powers of ten
    double tick;     // distance of ticks: 1, 2 or 5 times a power of ten
    double from, to; // where lo and hi are in the drawing
} axis;

typedef struct canvas {
    axis x, y;
    int height, top;
} canvas;

const char *plot_colour(int i)
{
    static const char *const colour[] = {"#2a6bcc", "#c2410c", "#15803d", "#7e22ce",
                                         "#a16207", "#0e7490", "#be185d", "#475569"};
    return colour[i % (int)(sizeof colour / sizeof colour[0])];
}

// ---------------------------------------------------------------------------------------- axes

static double tick_of(double span)
{
    const double power = pow(10, floor(log10(span / TICKS)));
    const double lead = span / TICKS / power;
    return power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

static axis axis_over(double lo, double hi, bool log, double from, double to)
{
    const double least = 1e-12 * fmax(fabs(lo), fabs(hi));
    if (!(hi - lo > least)) { // a constant: room above and below it
        const double room = fmax(0.5 * fabs(lo), 0.5);
        lo -= room;
        hi += room;
    }
    return (axis){log, lo, hi, log ? fmax(1, tick_of(hi - lo)) : tick_of(hi - lo), from, to};
}

// Where a value is on its axis before it is drawn; NaN where it has no place.
static double on(bool log, double value)
{
    return !isfinite(value) || (log && !(value > 0)) ? NAN : log ? log10(value) : value;
}

static double at(const axis *a, double value)
{
    return a->from + (a->to - a->from) * (value - a->lo) / (a->hi - a->lo);
}

typedef struct series { // a line with its x, wherever that is kept
    const double *x, *y;
    int points;
} series;

static series series_of(const plot *p, const plot_line *line)
{
    return (series){line->x ? line->x : p->x, line->y, line->x ? line->points : p->points};
}

static void find_range(const plot *p, bool of_y, double *lo, double *hi)
{
    *lo = INFINITY;
    *hi = -INFINITY;
    for (int l = 0; l < p->lines; l++) {
        const series s = series_of(p, &p->line[l]);
        for (int i = 0; i < s.points; i++) {
            const double value = on(of_y ? p->log_y : p->log_x, of_y ? s.y[i] : s.x[i]);
            *lo = value < *lo ? value : *lo;
            *hi = value > *hi ? value : *hi;
        }
    }
    if (!(*lo <= *hi)) {
        *lo = *hi = 0;
    }
}

// The narrower of two axes with one scale is widened about its middle.
static void make_equal(axis *x, axis *y)
{
    const double sx = (x->hi - x->lo) / fabs(x->to - x->from), sy = (y->hi - y->lo) / fabs(y->to - y->from);
    axis *narrow = sx < sy ? x : y;
    const double middle = (narrow->lo + narrow->hi) / 2;
    const double half = fmax(sx, sy) * fabs(narrow->to - narrow->from) / 2;
    *narrow = axis_over(middle - half, middle + half, false, narrow->from, narrow->to);
}

// Letters of a text, an accented one or a Greek one counting once.
static int letters_of(const char *text)
{
    int letters = 0;
    for (; *text; text++) {
        letters += (*text & 0xc0) != 0x80;
    }
    return letters;
}

// Where in the legend line l stands; lines are folded before they reach the name of the y axis.
static int legend_place(const plot *p, int l, double *x)
{
    const double end = WIDTH - RIGHT - 8 * letters_of(p->y_name) - 20;
    int row = 0;
    *x = LEFT;
    for (int k = 0; k <= l; k++) {
        const double wide = 52 + 7.2 * letters_of(p->line[k].name);
        if (*x > LEFT && *x + wide > end) {
            *x = LEFT;
            row++;
        }
        *x += k < l ? wide : 0;
    }
    return row;
}

static canvas lay_out(const plot *p)
{
    double lo, hi, x;
    canvas c = {.height = p->height ? p->height : HEIGHT, .top = TOP};
    c.top += p->lines ? LEGEND * legend_place(p, p->lines - 1, &x) : 0;
    find_range(p, true, &lo, &hi);
    const double room = 0.04 * (hi - lo);
    c.y = axis_over(lo - room, hi + room, p->log_y, c.height - BOTTOM, c.top);
    find_range(p, false, &lo, &hi);
    const double side = p->log_x || p->equal ? 0.04 * (hi - lo) : 0;
    c.x = axis_over(lo - side, hi + side, p->log_x, LEFT, WIDTH - RIGHT);
    if (p->equal) {
        make_equal(&c.x, &c.y);
    }
    return c;
}

// ---------------------------------------------------------------------------------------- drawing

// The tick after v, or the first one when v is below the axis; a short logarithmic axis has them at 1, 2
// and 5.
static double next_tick(const axis *a, double v)
{
    const double slack = 1e-9 * a->tick;
    if (!a->log || a->hi - a->lo > 2) {
        return v < a->lo ? ceil(a->lo / a->tick) * a->tick : v + a->tick;
    }
    static const double lead[] = {0, 0.30102999566398120, 0.69897000433601880, 1};
    for (double decade = floor(fmax(v, a->lo)); decade <= a->hi; decade++) {
        for (int i = 0; i < 4; i++) {
            const double tick = decade + lead[i];
            if (tick > v + slack && tick >= a->lo) {
                return tick;
            }
        }
    }
    return INFINITY;
}

static double shown(const axis *a, double v)
{
    return a->log ? pow(10, v) : fabs(v) < 1e-9 * a->tick ? 0 : v;
}

static void write_grid(FILE *out, const canvas *c)
{
    const axis *x = &c->x, *y = &c->y;
    fputs("<g class=\"grid\">", out);
    for (double v = next_tick(y, -INFINITY); v <= y->hi + 1e-9 * y->tick; v = next_tick(y, v)) {
        fprintf(out, "<path d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.6g</text>\n",
                LEFT, at(y, v), WIDTH - RIGHT, LEFT - 10, at(y, v) + 4, shown(y, v));
    }
    for (double v = next_tick(x, -INFINITY); v <= x->hi + 1e-9 * x->tick; v = next_tick(x, v)) {
        fprintf(out, "<path d=\"M%.1f %dv5\"/><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.6g</text>\n",
                at(x, v), c->height - BOTTOM, at(x, v), c->height - BOTTOM + 20, shown(x, v));
    }
    fputs("</g>\n", out);
}

static void write_line(FILE *out, const plot *p, const plot_line *line, const canvas *c)
{
    const series s = series_of(p, line);
    fprintf(out, "<path class=\"line\" style=\"stroke:%s%s\" d=\"", line->colour,
            line->dashed ? ";stroke-dasharray:6 4" : "");
    char pen = 'M';
    for (int i = 0; i < s.points; i++) {
        const double x = on(p->log_x, s.x[i]), y = on(p->log_y, s.y[i]);
        if (isfinite(x) && isfinite(y)) {
            fprintf(out, "%c%.1f %.1f", pen, at(&c->x, x), at(&c->y, y));
            pen = 'L';
        } else {
            pen = 'M'; // a gap
        }
    }
    fputs("\"/>\n", out);
    for (int i = 0; line->dots && i < s.points; i++) {
        const double x = on(p->log_x, s.x[i]), y = on(p->log_y, s.y[i]);
        if (isfinite(x) && isfinite(y)) {
            fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" style=\"fill:%s\"/>\n", at(&c->x, x),
                    at(&c->y, y), line->colour);
        }
    }
}

static void write_legend(FILE *out, const plot *p)
{
    for (int l = 0; l < p->lines; l++) {
        double x;
        const int y = 14 + LEGEND * legend_place(p, l, &x);
        fprintf(out,
                "<path class=\"line\" style=\"stroke:%s%s\" d=\"M%.0f %dh22\"/>"
                "<text x=\"%.0f\" y=\"%d\">%s</text>\n",
                p->line[l].colour, p->line[l].dashed ? ";stroke-dasharray:6 4" : "", x, y, x + 28, y + 4,
                p->line[l].name);
    }
}

static void write_all(FILE *out, const plot *p)
{
    const canvas c = lay_out(p);
    write_grid(out, &c);
    for (int l = 0; l < p->lines; l++) {
        write_line(out, p, &p->line[l], &c);
    }
    write_legend(out, p);
    fprintf(out, "<text x=\"%d\" y=\"18\" text-anchor=\"end\">%s</text>", WIDTH - RIGHT, p->y_name);
    fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n</svg>\n", WIDTH - RIGHT,
            c.height - 6, p->x_name);
}

void plot_write(FILE *out, const plot *p)
{
    fprintf(out, "<svg class=\"plot\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n", WIDTH,
            p->height ? p->height : HEIGHT, p->y_name);
    write_all(out, p);
}

void plot_write_alone(FILE *out, const plot *p)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" "
            "aria-label=\"%s\">\n<style>text{font:13px system-ui,sans-serif;fill:#64748b}"
            ".grid path{stroke:#e4e2da}.line{fill:none;stroke-width:2;stroke-linejoin:round}</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fbfaf6\"/>\n",
            WIDTH, p->height ? p->height : HEIGHT, p->y_name);
    write_all(out, p);
}

void plot_write_csv(FILE *out, const plot *p)
{
    fprintf(out, "line,%s,%s\n", p->x_name, p->y_name);
    for (int l = 0; l < p->lines; l++) {
        const series s = series_of(p, &p->line[l]);
        for (int i = 0; i < s.points; i++) {
            fprintf(out, "\"%s\",%.17g,%.17g\n", p->line[l].name, s.x[i], s.y[i]);
        }
    }
}
