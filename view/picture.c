// SPDX-License-Identifier: Apache-2.0
// picture.c: chooses the moments, the view and the layout, and draws.
#include <math.h>
#include <stdlib.h>

#include <thud/spatial_inline.h>

#include "camera.h"
#include "picture.h"

enum {
    PAPER = 1000,      // width of the drawing
    EXPOSURES_MIN = 8, // on one plate
    EXPOSURES = 22,
    STRIP = 12, // moments of a strip
    STRIP_COLUMNS = 6,
    SHAPES_MAX = 6000, // drawn in all, so that a page stays light
    TRAILS = 16
};

static const double crowded = 2.2; // spread below which exposures would hide each other

typedef struct plate {
    const thud_model *m;
    const history *h;
    FILE *out;
    camera camera;
    thud_pose *X_wb, *X_wg;
    int *order; // of geoms, far to near
    double *depth;
    bool *clothed; // a body: some geom of it is only to be looked at
} plate;

static bool can_be_drawn(const thud_model *m, int geom)
{
    return thud_shape_is_convex(m->geom_shape[geom].kind) && m->geom_rgba[4 * geom + 3] > 0;
}

// Groups from 3 on hold what touches behind what is shown: they are drawn of bodies that have nothing else.
static bool is_drawn(const plate *p, int geom)
{
    return can_be_drawn(p->m, geom) && (p->m->geom_group[geom] < 3 || !p->clothed[p->m->geom_body[geom]]);
}

static void find_clothed(plate *p)
{
    for (int g = 0; g < p->m->geoms; g++) {
        p->clothed[p->m->geom_body[g]] |= can_be_drawn(p->m, g) && p->m->geom_group[g] < 3;
    }
}

static bool is_fixed(const thud_model *m, int geom)
{
    return m->body_link[m->geom_body[geom]] < 0;
}

static void pose_moment(plate *p, int moment)
{
    thud_body_poses(p->m, p->h->qpos + (size_t)moment * (size_t)p->h->nq, p->X_wb);
    thud_geom_poses(p->m, p->X_wb, p->X_wg);
}

static thud_vec3 centre_of(const plate *p, int body)
{
    return v3_add(p->X_wb[body].p, q_rotate(p->X_wb[body].q, p->m->body_inertia[body].com));
}

// The moment of exposure i of n, the last at the end of the run.
static int moment_of(const plate *p, int i, int n)
{
    return n > 1 ? (int)lround((double)i * (p->h->count - 1) / (n - 1)) : p->h->count - 1;
}

// ---------------------------------------------------------------------------------------- view

static bool choose_camera(plate *p)
{
    const int moving = p->m->bodies - 1, moments = p->h->count;
    const int stride = moments > 64 ? moments / 64 : 1;
    thud_vec3 *point = thud_alloc((size_t)(moments / stride + 1) * (size_t)(moving + 1), sizeof *point);
    if (!point) {
        return false;
    }
    int points = 0;
    for (int k = 0; k < moments; k += stride) {
        pose_moment(p, k);
        for (int b = 1; b <= moving; b++) {
            point[points++] = centre_of(p, b);
        }
    }
    p->camera = camera_facing(point, points);
    thud_free(point);
    return true;
}

static void add_geoms(const plate *p, frame *f, bool fixed)
{
    for (int g = 0; g < p->m->geoms; g++) {
        if (is_drawn(p, g) && is_fixed(p->m, g) == fixed) {
            frame_add_shape(f, &p->camera, &p->m->geom_shape[g], p->X_wg[g]);
        }
    }
}

static void add_bodies(const plate *p, frame *f)
{
    for (int b = 1; b < p->m->bodies; b++) {
        frame_add_point(f, &p->camera, p->X_wb[b].p);
    }
}

static double area(const frame *f)
{
    return f->x1 > f->x0 && f->y1 > f->y0 ? (f->x1 - f->x0) * (f->y1 - f->y0) : 0;
}

// Tips are bodies that move and carry no other.
static bool is_tip(const thud_model *m, int body)
{
    bool tip = m->body_link[body] >= 0;
    for (int b = body + 1; b < m->bodies && tip; b++) {
        tip = m->body_parent[b] != body;
    }
    return tip;
}

// The frame of everything over the run; *spread is how many times larger than that of one moment.
static frame frame_run(plate *p, double *spread)
{
    frame all = frame_empty();
    double one = 0;
    for (int i = 0; i < EXPOSURES; i++) {
        frame f = frame_empty();
        pose_moment(p, moment_of(p, i, EXPOSURES));
        add_geoms(p, &f, false);
        add_bodies(p, &f);
        one += area(&f) / EXPOSURES;
        all = (frame){fmin(all.x0, f.x0), fmin(all.y0, f.y0), fmax(all.x1, f.x1), fmax(all.y1, f.y1)};
    }
    *spread = one > 0 ? area(&all) / one : INFINITY;
    add_geoms(p, &all, true);
    for (int k = 0; k < p->h->count && *spread >= crowded; k++) { // the paths of the tips
        pose_moment(p, k);
        for (int b = 1; b < p->m->bodies; b++) {
            if (is_tip(p->m, b)) {
                frame_add_point(&all, &p->camera, centre_of(p, b));
            }
        }
    }
    return all;
}

// ---------------------------------------------------------------------------------------- ink

static void write_colour(FILE *out, const double *rgba, double shade)
{
    fprintf(out, "#%02x%02x%02x", (int)lround(255 * fmin(1, rgba[0] * shade)),
            (int)lround(255 * fmin(1, rgba[1] * shade)), (int)lround(255 * fmin(1, rgba[2] * shade)));
}

static void begin_path(FILE *out, const double *rgba, double light)
{
    fputs("<path fill=\"", out);
    write_colour(out, rgba, light);
    fputs("\" stroke=\"", out);
    write_colour(out, rgba, 0.6);
    fputs("\" d=\"", out);
}

static void write_geom(const plate *p, const sheet *s, int g)
{
    const double *rgba = p->m->geom_rgba + 4 * g;
    const thud_shape *shape = &p->m->geom_shape[g];
    begin_path(p->out, rgba, 1);
    camera_outline(p->out, &p->camera, s, shape, p->X_wg[g]);
    fputs("\"/>", p->out);
    for (int face = 0; face < camera_faces(&p->camera, shape, p->X_wg[g]); face++) {
        begin_path(p->out, rgba, camera_light(&p->camera, shape, p->X_wg[g], face));
        camera_face(p->out, &p->camera, s, shape, p->X_wg[g], face);
        fputs("\"/>", p->out);
    }
}

// Bones: from each body's origin to its parent's, for bodies without shapes of their own to show.
static void write_bones(const plate *p, const sheet *s)
{
    const thud_model *m = p->m;
    fputs("<path class=\"bone\" d=\"", p->out);
    for (int b = 1; b < m->bodies; b++) {
        bool shown = false;
        for (int g = 0; g < m->geoms && !shown; g++) {
            shown = m->geom_body[g] == b && is_drawn(p, g);
        }
        if (!shown && m->body_parent[b] > 0) {
            const thud_vec3 a = p->X_wb[m->body_parent[b]].p, e = p->X_wb[b].p;
            fprintf(p->out, "M%.1f %.1fL%.1f %.1f", sheet_x(s, &p->camera, a), sheet_y(s, &p->camera, a),
                    sheet_x(s, &p->camera, e), sheet_y(s, &p->camera, e));
        }
    }
    fputs("\"/>", p->out);
}

static const double *sort_depth;

static int by_depth(const void *a, const void *b)
{
    const int i = *(const int *)a, j = *(const int *)b;
    return sort_depth[i] != sort_depth[j] ? (sort_depth[i] < sort_depth[j] ? -1 : 1) : i - j;
}

// Everything that moves (or everything that does not) at the posed moment, far to near.
static void write_moment(plate *p, const sheet *s, bool fixed)
{
    int count = 0;
    for (int g = 0; g < p->m->geoms; g++) {
        if (is_drawn(p, g) && is_fixed(p->m, g) == fixed) {
            p->depth[g] = v3_dot(p->camera.toward, p->X_wg[g].p);
            p->order[count++] = g;
        }
    }
    sort_depth = p->depth;
    qsort(p->order, (size_t)count, sizeof *p->order, by_depth);
    if (!fixed) {
        write_bones(p, s);
    }
    for (int i = 0; i < count; i++) {
        write_geom(p, s, p->order[i]);
    }
}

// The ground: a line at the height of every level plane.
static void write_ground(const plate *p, const sheet *s, double width)
{
    for (int g = 0; g < p->m->geoms; g++) {
        const vec3 normal = q_rotate(p->X_wg[g].q, v3(0, 0, 1));
        if (p->m->geom_shape[g].kind == THUD_SHAPE_PLANE && normal.z > 0.999) {
            fprintf(p->out, "<path class=\"ground\" d=\"M0 %.1fH%.0f\"/>\n",
                    sheet_y(s, &p->camera, p->X_wg[g].p), width);
        }
    }
}

// The paths of the tips.
static void write_trails(plate *p, const sheet *s)
{
    int trails = 0;
    for (int tip = 1; tip < p->m->bodies && trails < TRAILS; tip++) {
        if (!is_tip(p->m, tip)) {
            continue;
        }
        trails++;
        fputs("<path class=\"trail\" d=\"", p->out);
        for (int k = 0; k < p->h->count; k++) {
            thud_body_poses(p->m, p->h->qpos + (size_t)k * (size_t)p->h->nq, p->X_wb);
            const thud_vec3 c = centre_of(p, tip);
            fprintf(p->out, "%c%.1f %.1f", k ? 'L' : 'M', sheet_x(s, &p->camera, c),
                    sheet_y(s, &p->camera, c));
        }
        fputs("\"/>\n", p->out);
    }
}

// ---------------------------------------------------------------------------------------- layouts

static void begin_svg(const plate *p, double width, double height, picture_use use)
{
    fprintf(
        p->out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"picture\" viewBox=\"0 0 %.0f %.0f\"%s>\n"
        "<style>.picture path{stroke-width:1.2;stroke-linejoin:round}.picture "
        ".trail{fill:none;stroke:#c2410c;"
        "stroke-width:1.6;stroke-opacity:.55;stroke-linecap:round}.picture .bone{fill:none;stroke:#64748b;"
        "stroke-width:3;stroke-linecap:round}.picture .ground{stroke:#64748b;stroke-width:2}"
        ".picture text{font:15px system-ui,sans-serif;fill:#64748b}</style>\n",
        width, height, use == PICTURE_STANDALONE ? " width=\"100%\"" : "");
    if (use == PICTURE_STANDALONE) {
        fprintf(p->out, "<rect width=\"%.0f\" height=\"%.0f\" rx=\"14\" fill=\"#fbfaf6\"/>\n", width, height);
    }
}

// As many exposures as have room beside each other, within what is seen well and kept light.
static int exposures(const plate *p, double spread)
{
    const double fit = SHAPES_MAX / (p->m->geoms + 1.0);
    return (int)fmax(2, fmin(fit, fmin(fmax(spread, EXPOSURES_MIN), EXPOSURES)));
}

// All exposures on one plate, the older the fainter; the more crowded, the fainter again.
static void draw_plate(plate *p, frame f, double spread, picture_use use)
{
    const double margin = 0.05 * fmax(f.x1 - f.x0, f.y1 - f.y0);
    const double wide = f.x1 - f.x0 + 2 * margin, high = f.y1 - f.y0 + 2 * margin;
    const double scale = PAPER / fmax(wide, 1.6 * high), left = 0.5 * (PAPER / scale - wide);
    const sheet s = {f.x0 - margin - left, f.y1 + margin, scale};
    const int n = exposures(p, spread);
    const double oldest = fmin(fmax(0.6 * spread / n, 0.14), 0.45);
    begin_svg(p, PAPER, scale * high, use);
    pose_moment(p, 0);
    write_ground(p, &s, PAPER);
    write_trails(p, &s);
    pose_moment(p, 0);
    write_moment(p, &s, true);
    for (int i = 0; i < n; i++) {
        const double age = (double)i / (n - 1); // 0 old, 1 new
        pose_moment(p, moment_of(p, i, n));
        fprintf(p->out, "\n<g opacity=\"%.2f\">", i == n - 1 ? 1 : oldest + 0.4 * age * age);
        write_moment(p, &s, false);
        fputs("</g>", p->out);
    }
    fputs("\n</svg>\n", p->out);
}

// Moments beside each other, each with its time.
static void draw_strip(plate *p, frame f, picture_use use)
{
    const double wide = 1.15 * fmax(f.x1 - f.x0, 0.6 * (f.y1 - f.y0)), high = f.y1 - f.y0 + 0.08 * wide;
    const double cell = (double)PAPER / STRIP_COLUMNS, scale = cell / wide, row = scale * high + 34;
    begin_svg(p, PAPER, row * STRIP / STRIP_COLUMNS + 10, use);
    for (int i = 0; i < STRIP; i++) {
        const int moment = moment_of(p, i, STRIP), column = i % STRIP_COLUMNS, line = i / STRIP_COLUMNS;
        const sheet s = {0.5 * (f.x0 + f.x1) - (column + 0.5) * wide,
                         f.y1 + 0.04 * wide + (line * row + 10) / scale, scale};
        pose_moment(p, moment);
        fputs("<g>", p->out);
        write_moment(p, &s, true);
        write_moment(p, &s, false);
        fprintf(p->out, "</g>\n<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">%.3g s</text>\n",
                (column + 0.5) * cell, (line + 1) * row - 6, p->h->time[moment]);
    }
    fputs("</svg>\n", p->out);
}

bool picture_write(FILE *out, const thud_model *m, const history *h, picture_use use)
{
    plate p = {.m = m, .h = h, .out = out};
    p.X_wb = thud_alloc((size_t)m->bodies + (size_t)m->geoms + 1, sizeof *p.X_wb);
    p.X_wg = p.X_wb ? p.X_wb + m->bodies : NULL;
    p.order = thud_alloc((size_t)m->geoms + 1, sizeof *p.order);
    p.depth = thud_alloc((size_t)m->geoms + 1, sizeof *p.depth);
    p.clothed = thud_alloc((size_t)m->bodies, sizeof *p.clothed);
    if (p.clothed) {
        find_clothed(&p);
    }
    const bool ready = p.X_wb && p.order && p.depth && p.clothed && choose_camera(&p);
    if (ready) {
        double spread;
        const frame f = frame_run(&p, &spread);
        if (spread < crowded) {
            draw_strip(&p, f, use);
        } else {
            draw_plate(&p, f, spread, use);
        }
    }
    thud_free(p.X_wb);
    thud_free(p.order);
    thud_free(p.depth);
    thud_free(p.clothed);
    return ready;
}
