// SPDX-License-Identifier: Apache-2.0
// raster.c: projection, clipping, and spans of samples.
//
// Corners are rounded to 256ths of a sample and edges are then exact in whole numbers, with the rule that a
// sample on an edge belongs to the triangle to its right or below it. So triangles that share an edge leave no
// gap between them and share no sample, and the picture is the same bits everywhere.
#include <math.h>

#include <thud/base.h>
#include <thud/spatial_inline.h>

#include "raster.h"

enum { UNIT = 256, HALF = UNIT / 2, CORNERS_MAX = 8 };

static const double nearest = 1e-3; // m; what is closer to the eye is not seen

void facets_push(facets *f, const facet *one)
{
    if (f->failed || !thud_grow((void **)&f->at, &f->capacity, f->count, sizeof *f->at)) {
        f->failed = true;
        return;
    }
    f->at[f->count++] = *one;
}

void facets_free(facets *f)
{
    thud_free(f->at);
    *f = (facets){0};
}

void outlines_free(outlines *o)
{
    thud_free(o->at);
    *o = (outlines){0};
}

// ---------------------------------------------------------------------------------------- clipping

typedef struct spot { // a corner before the division by w
    double x, y, w, far;
} spot;

static spot spot_of(const view *v, vec3 p)
{
    const vec3 d = v3_sub(p, v->eye);
    const double far = v3_dot(v->forward, d);
    return (spot){v->scale * v3_dot(v->right, d), -v->scale * v3_dot(v->up, d), v->straight ? 1 : far, far};
}

// How far a corner is inside edge k of the view: 0 the nearest distance, then left, right, top, bottom.
static double inside(const view *v, int k, const spot *s)
{
    switch (k) {
    case 0:
        return v->straight ? 1 : s->w - nearest;
    case 1:
        return 0.5 * v->wide * s->w + s->x;
    case 2:
        return 0.5 * v->wide * s->w - s->x;
    case 3:
        return 0.5 * v->high * s->w + s->y;
    default:
        return 0.5 * v->high * s->w - s->y;
    }
}

static spot between(const spot *a, const spot *b, double s)
{
    return (spot){a->x + s * (b->x - a->x), a->y + s * (b->y - a->y), a->w + s * (b->w - a->w),
                  a->far + s * (b->far - a->far)};
}

// Cuts a convex polygon of n corners at edge k; returns how many corners are left.
static int clip(const view *v, int k, spot *polygon, int n)
{
    spot kept[CORNERS_MAX];
    int count = 0;
    for (int i = 0; i < n; i++) {
        const spot *a = &polygon[i], *b = &polygon[(i + 1) % n];
        const double da = inside(v, k, a), db = inside(v, k, b);
        if (da >= 0) {
            kept[count++] = *a;
        }
        if ((da >= 0) != (db >= 0)) {
            kept[count++] = between(a, b, da / (da - db));
        }
    }
    for (int i = 0; i < count; i++) {
        polygon[i] = kept[i];
    }
    return count;
}

static void put_corner(const view *v, const spot *s, outline *to, int i)
{
    to->x[i] = (int32_t)lround(UNIT * (0.5 * v->wide + s->x / s->w));
    to->y[i] = (int32_t)lround(UNIT * (0.5 * v->high + s->y / s->w));
    to->near[i] = v->straight ? -s->far : 1 / s->w;
}

void outlines_add(outlines *o, const view *v, const facet *f, int number, unsigned samples)
{
    spot polygon[CORNERS_MAX];
    int n = 3;
    for (int i = 0; i < 3; i++) {
        polygon[i] = spot_of(v, f->p[i]);
    }
    for (int k = 0; k < 5 && n > 0; k++) {
        n = clip(v, k, polygon, n);
    }
    for (int i = 2; i < n; i++) {
        if (o->failed || !thud_grow((void **)&o->at, &o->capacity, o->count, sizeof *o->at)) {
            o->failed = true;
            return;
        }
        outline *to = &o->at[o->count++];
        *to = (outline){.facet = number, .samples = samples};
        put_corner(v, &polygon[0], to, 0);
        put_corner(v, &polygon[i - 1], to, 1);
        put_corner(v, &polygon[i], to, 2);
    }
}

// ---------------------------------------------------------------------------------------- samples

bool raster_create(raster *r, int wide, int high, bool keeps_facets)
{
    const size_t count = (size_t)wide * (size_t)high;
    *r = (raster){.wide = wide, .high = high, .near = thud_alloc(count, sizeof *r->near)};
    r->facet = keeps_facets ? thud_alloc(count, sizeof *r->facet) : NULL;
    if (r->near && (r->facet || !keeps_facets)) {
        return true;
    }
    raster_destroy(r);
    return false;
}

void raster_destroy(raster *r)
{
    thud_free(r->near);
    thud_free(r->facet);
    *r = (raster){0};
}

void raster_clear(raster *r)
{
    const size_t count = (size_t)r->wide * (size_t)r->high;
    for (size_t i = 0; i < count; i++) {
        r->near[i] = -INFINITY;
    }
    for (size_t i = 0; r->facet && i < count; i++) {
        r->facet[i] = -1;
    }
}

static int64_t floor_divide(int64_t a, int64_t b) // b > 0
{
    return a >= 0 ? a / b : -((-a + b - 1) / b);
}

// The columns of row y, by their centres, that are on the inner side of the edge from corner i to corner j.
static void narrow(const outline *t, int i, int j, int64_t y, int64_t *first, int64_t *last)
{
    const int64_t dx = t->x[j] - t->x[i], dy = t->y[j] - t->y[i];
    const bool owns = dy < 0 || (dy == 0 && dx > 0); // samples on a left or a top edge
    // inside: dx (y - y_i) - dy (x - x_i) > 0, or = 0 where the edge owns it, for x = 256 column + 128
    const int64_t c = dx * (y - t->y[i]) + dy * (t->x[i] - HALF) - (owns ? 0 : 1);
    if (dy < 0) {
        const int64_t least = -floor_divide(c, -dy * UNIT);
        *first = least > *first ? least : *first;
    } else if (dy > 0) {
        const int64_t most = floor_divide(c, dy * UNIT);
        *last = most < *last ? most : *last;
    } else if (c < 0) {
        *last = *first - 1;
    }
}

static void draw_span(raster *r, const outline *t, size_t row, int64_t first, int64_t last, double near,
                      double slope, unsigned samples)
{
    float *to = r->near + row;
    int *which = r->facet ? r->facet + row : NULL;
    for (int64_t x = first; x <= last; x++) {
        const float n = (float)(near + slope * (double)x);
        if (n > to[x] && (samples >> (x % SAMPLES) & 1)) {
            to[x] = n;
            if (which) {
                which[x] = t->facet;
            }
        }
    }
}

static void draw_outline(raster *r, const outline *t, int64_t area)
{
    int64_t y0 = t->y[0], y1 = t->y[0];
    for (int i = 1; i < 3; i++) {
        y0 = t->y[i] < y0 ? t->y[i] : y0;
        y1 = t->y[i] > y1 ? t->y[i] : y1;
    }
    // The plane near = base + slope_x X + slope_y Y through the corners.
    const double ax = t->x[1] - t->x[0], ay = t->y[1] - t->y[0], bx = t->x[2] - t->x[0],
                 by = t->y[2] - t->y[0];
    const double da = t->near[1] - t->near[0], db = t->near[2] - t->near[0];
    const double slope_x = (da * by - db * ay) / (double)area, slope_y = (db * ax - da * bx) / (double)area;
    int64_t from = floor_divide(y0 - HALF + UNIT - 1, UNIT), to = floor_divide(y1 - HALF, UNIT);
    from = from < r->top ? r->top : from;
    to = to >= r->top + r->high ? r->top + r->high - 1 : to;
    for (int64_t row = from; row <= to; row++) {
        const int64_t y = row * UNIT + HALF;
        int64_t first = 0, last = r->wide - 1;
        narrow(t, 0, 1, y, &first, &last);
        narrow(t, 1, 2, y, &first, &last);
        narrow(t, 2, 0, y, &first, &last);
        const double near = t->near[0] + slope_y * (double)(y - t->y[0]) + slope_x * (HALF - t->x[0]);
        draw_span(r, t, (size_t)(row - r->top) * (size_t)r->wide, first, last, near, slope_x * UNIT,
                  t->samples >> row % SAMPLES * SAMPLES & 15);
    }
}

void raster_draw(raster *r, const outlines *o)
{
    for (int i = 0; i < o->count; i++) {
        outline t = o->at[i];
        const int64_t area =
            (int64_t)(t.x[1] - t.x[0]) * (t.y[2] - t.y[0]) - (int64_t)(t.x[2] - t.x[0]) * (t.y[1] - t.y[0]);
        if (area < 0) { // seen from behind: the other way round
            outline back = t;
            t.x[1] = back.x[2], t.y[1] = back.y[2], t.near[1] = back.near[2];
            t.x[2] = back.x[1], t.y[2] = back.y[1], t.near[2] = back.near[1];
        }
        if (area != 0) {
            draw_outline(r, &t, area < 0 ? -area : area);
        }
    }
}
