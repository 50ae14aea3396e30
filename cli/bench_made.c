// SPDX-License-Identifier: Apache-2.0
// bench_made.c: scenes that are written when they are needed: piles, and crowds of one figure.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <thud/elementary.h>

#include "bench_scene.h"

// Numbers from -1 to 1 that are the same on every machine.
static double dice(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

// `count` things of 1 kg in layers above a bin, each a little off its place and turned another way.
static void make_pile(FILE *out, int count, bool boxes)
{
    const int side = (int)lround(thud_pow(count, 1.0 / 3)), rows = 6 * count;
    const double pitch = 0.235, half = 0.5 * pitch * side + 0.02, height = 0.6 * pitch * side; // none overlap
    fprintf(out,
            "<mujoco model=\"pile\">\n  <option timestep=\"%.17g\"/>\n  <size nconmax=\"%d\" njmax=\"%d\"/>\n"
            "  <default><geom friction=\"0.5\" mass=\"1\"/></default>\n  <worldbody>\n"
            "    <geom type=\"plane\" size=\"0 0 1\"/>\n",
            1.0 / 60, 2 * rows, 8 * rows);
    for (int k = 0; k < 4; k++) { // walls
        const double x = k == 0 ? 1 : k == 1 ? -1 : 0, y = k == 2 ? 1 : k == 3 ? -1 : 0, thick = 0.5;
        fprintf(out, "    <geom type=\"box\" pos=\"%.17g %.17g %.17g\" size=\"%.17g %.17g %.17g\"/>\n",
                x * (half + thick), y * (half + thick), height, x != 0 ? thick : half + 2 * thick,
                y != 0 ? thick : half + 2 * thick, height);
    }
    uint64_t seed = 2016;
    for (int i = 0; i < count; i++) {
        const int layer = i / (side * side), row = i / side % side, column = i % side;
        const double from = 0.5 * (1 - side) * pitch;
        fprintf(out, "    <body pos=\"%.6f %.6f %.6f\"", from + pitch * column + 0.01 * dice(&seed),
                from + pitch * row + 0.01 * dice(&seed), 0.13 + pitch * layer);
        fprintf(out, " quat=\"%.6f %.6f %.6f %.6f\"><freejoint/>", 1.01 + dice(&seed), dice(&seed),
                dice(&seed), dice(&seed));
        fputs(boxes ? "<geom type=\"box\" size=\"0.07 0.06 0.05\"/></body>\n"
                    : "<geom type=\"sphere\" size=\"0.07\"/></body>\n",
              out);
    }
    fputs("  </worldbody>\n</mujoco>\n", out);
}

// The bodies of `text` once more, every name with the copy's number before it and the first position moved.
static void copy_bodies(FILE *out, const char *from, const char *end, int copy, double x, double y)
{
    bool moved = false;
    for (const char *at = from; at < end; at++) {
        if (!moved && strncmp(at, "pos=\"", 5) == 0) {
            double px, py, pz;
            int length = 0;
            moved = sscanf(at, "pos=\"%lf %lf %lf%n", &px, &py, &pz, &length) == 3;
            if (moved) {
                fprintf(out, "pos=\"%.17g %.17g %.17g", px + x, py + y, pz);
                at += length;
            }
        }
        fputc(*at, out);
        if (strncmp(at - 5, "name=\"", 6) == 0) {
            fprintf(out, "%d.", copy);
        }
    }
}

// A crowd: what stands before the first body, `count` copies of the bodies in rows of five, the end. What
// follows the worldbody in the file is left out.
static void make_copies(FILE *out, int count, const char *text)
{
    const char *from = strstr(text, "<body"), *end = strstr(text, "</worldbody>"),
               *head = strstr(text, "<default>");
    if (!from || !end || !head || from > end) {
        return;
    }
    fprintf(out, "%.*s", (int)(head - text), text);
    fprintf(out, "<size nconmax=\"%d\" njmax=\"%d\"/>\n", 100 * count, 400 * count);
    fprintf(out, "%.*s", (int)(from - head), head);
    for (int k = 0; k < count; k++) {
        const int row = k / 5, column = k % 5;
        copy_bodies(out, from, end, k, 1.2 * column, 1.2 * row);
    }
    fputs("</worldbody>\n</mujoco>\n", out);
}

void bench_make(FILE *out, const bench_scene *which, const char *text)
{
    if (which->made == MADE_COPIES) {
        make_copies(out, which->count, text);
    } else {
        make_pile(out, which->count, which->made == MADE_BOXES);
    }
}
