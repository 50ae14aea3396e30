// SPDX-License-Identifier: Apache-2.0
// drawing.c: figures to scale, as SVG.
#include <math.h>
#include <stdarg.h>

#include "drawing.h"

enum { WIDTH = 920 };

static double px(const drawing *d, double x)
{
    return d->scale * (x - d->left);
}

static double py(const drawing *d, double y)
{
    return d->scale * (d->top - y);
}

drawing drawing_open(FILE *out, double x0, double x1, double y0, double y1)
{
    const drawing d = {out, x0, y1, WIDTH / (x1 - x0)};
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" role=\"img\">\n"
            "<style>text{font:12px system-ui,sans-serif;fill:#1f2430}</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fbfaf6\"/>\n",
            WIDTH, d.scale * (y1 - y0));
    return d;
}

void drawing_close(drawing *d)
{
    fputs("</svg>\n", d->out);
}

static void write_line(drawing *d, const double p[4], double pixels, const char *colour, double opacity)
{
    fprintf(d->out,
            "<path d=\"M%.2f %.2fL%.2f %.2f\" style=\"stroke:%s;stroke-width:%.2f;stroke-linecap:round;"
            "stroke-opacity:%.3g\"/>\n",
            px(d, p[0]), py(d, p[1]), px(d, p[2]), py(d, p[3]), colour, pixels, opacity);
}

void drawing_rod(drawing *d, double x0, double y0, double x1, double y1, double width, const char *colour,
                 double opacity)
{
    write_line(d, (double[]){x0, y0, x1, y1}, d->scale * width, colour, opacity);
}

void drawing_line(drawing *d, double x0, double y0, double x1, double y1, const char *colour)
{
    write_line(d, (double[]){x0, y0, x1, y1}, 1.5, colour, 1);
}

void drawing_disc(drawing *d, double x, double y, double radius, const char *colour, double opacity)
{
    fprintf(d->out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\" style=\"fill:%s;fill-opacity:%.3g\"/>\n",
            px(d, x), py(d, y), d->scale * radius, colour, opacity);
}

void drawing_circle(drawing *d, double x, double y, double radius, const char *colour)
{
    fprintf(d->out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\" style=\"fill:none;stroke:%s\"/>\n", px(d, x),
            py(d, y), d->scale * radius, colour);
}

void drawing_arrow(drawing *d, double x, double y, double dx, double dy, const char *colour)
{
    const double length = hypot(dx, dy), head = fmin(7 / d->scale, 0.5 * length);
    if (!(length > 0)) {
        return;
    }
    const double ex = dx / length, ey = dy / length, tx = x + dx, ty = y + dy;
    drawing_line(d, x, y, tx, ty, colour);
    drawing_line(d, tx, ty, tx - head * (ex + 0.5 * ey), ty - head * (ey - 0.5 * ex), colour);
    drawing_line(d, tx, ty, tx - head * (ex - 0.5 * ey), ty - head * (ey + 0.5 * ex), colour);
}

void drawing_text(drawing *d, double x, double y, const char *format, ...)
{
    va_list list;
    fprintf(d->out, "<text x=\"%.2f\" y=\"%.2f\">", px(d, x), py(d, y));
    va_start(list, format);
    vfprintf(d->out, format, list);
    va_end(list);
    fputs("</text>\n", d->out);
}
