// SPDX-License-Identifier: Apache-2.0
// profile_svg.h: a performance profile (Dolan and More) as an SVG file: for each contestant the fraction of
// problems it solved within a factor tau of the fastest, over tau on a logarithmic axis.
#pragma once

#include <math.h>
#include <stdio.h>

enum { PROFILE_CONTESTANTS_MAX = 16 };

typedef struct profile {
    const char *title;
    int contestants, problems;
    const char *name[PROFILE_CONTESTANTS_MAX];
    const double *seconds; // contestants x problems, problem fastest-varying; INFINITY: not solved
    double tau_max;        // right end of the axis, a power of ten
} profile;

static inline double profile_best(const profile *p, int problem)
{
    double best = INFINITY;
    for (int c = 0; c < p->contestants; c++) {
        best = fmin(best, p->seconds[(size_t)c * (size_t)p->problems + (size_t)problem]);
    }
    return best;
}

// The fraction of problems that contestant c solved within tau times the best.
static inline double profile_fraction(const profile *p, int c, double tau)
{
    int within = 0;
    for (int k = 0; k < p->problems; k++) {
        const double t = p->seconds[(size_t)c * (size_t)p->problems + (size_t)k];
        within += isfinite(t) && t <= tau * profile_best(p, k);
    }
    return p->problems > 0 ? (double)within / p->problems : 0;
}

static inline void profile_axes(FILE *f, const profile *p, double x0, double y0, double w, double h)
{
    const int decades = (int)lround(log10(p->tau_max));
    for (int k = 0; k <= 4; k++) {
        const double y = y0 + h - h * k / 4;
        fprintf(f,
                "<path d=\"M%g %gh%g\" class=\"grid\"/><text x=\"%g\" y=\"%g\" class=\"end\">%d %%</text>\n",
                x0, y, w, x0 - 6, y + 4, 25 * k);
    }
    for (int k = 0; k <= decades; k++) {
        const double x = x0 + w * k / decades;
        fprintf(f, "<path d=\"M%g %gv%g\" class=\"grid\"/><text x=\"%g\" y=\"%g\" class=\"mid\">%g</text>\n",
                x, y0, h, x, y0 + h + 16, pow(10, k));
    }
    fprintf(f, "<text x=\"%g\" y=\"%g\" class=\"mid\">within this factor of the fastest</text>\n", x0 + w / 2,
            y0 + h + 34);
    fprintf(f, "<text x=\"%g\" y=\"18\" class=\"title\">%s</text>\n", x0, p->title);
}

// Writes the figure; 0, or -1 when the file cannot be written.
static inline int profile_write(const profile *p, const char *path)
{
    static const char *const colour[] = {"#0b6e4f", "#08a045", "#6bbf59", "#c1292e", "#f1a208",
                                         "#235789", "#7b2d8b", "#888888", "#5b3a29", "#d6649f"};
    const double x0 = 60, y0 = 34, w = 520, h = 280;
    FILE *f = fopen(path, "w");
    if (!f) {
        return -1;
    }
    fprintf(
        f,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 780 370\" font-family=\"sans-serif\" "
        "font-size=\"12\">\n<style>.grid{stroke:#ddd;fill:none}.end{text-anchor:end}.mid{text-anchor:middle}"
        ".title{font-size:14px;font-weight:bold}</style>\n<rect width=\"780\" height=\"370\" "
        "fill=\"white\"/>\n");
    profile_axes(f, p, x0, y0, w, h);
    for (int c = 0; c < p->contestants; c++) {
        const char *stroke = colour[(size_t)c % (sizeof colour / sizeof *colour)];
        double last = profile_fraction(p, c, 1);
        fprintf(f, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s d=\"M%g %.1f", stroke,
                c % 2 ? " stroke-dasharray=\"6 3\"" : "", x0, y0 + h - h * last);
        for (int k = 1; k <= 400; k++) {
            const double now = profile_fraction(p, c, pow(p->tau_max, k / 400.0));
            if (now != last || k == 400) {
                fprintf(f, "H%.1fV%.1f", x0 + w * k / 400, y0 + h - h * now);
            }
            last = now;
        }
        fprintf(f, "\"/>\n<text x=\"%g\" y=\"%d\" fill=\"%s\">%s</text>\n", x0 + w + 14, 50 + 20 * c, stroke,
                p->name[c]);
    }
    fprintf(f, "</svg>\n");
    return fclose(f);
}
