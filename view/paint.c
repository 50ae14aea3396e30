// SPDX-License-Identifier: Apache-2.0
// paint.c: the picture band by band. Each pixel asks its samples which triangles they see, and each of those
// is lit once, in the middle of its samples: edges are smooth, and the price is that of one sample.
#include <math.h>

#include <thud/base.h>
#include <thud/spatial_inline.h>

#include "paint.h"

enum { BAND = 32 };                // rows of pixels drawn at a time
enum { MANY = SAMPLES * SAMPLES }; // samples of a pixel

typedef struct light { // linear
    double rgb[3];
} light;

static const light horizon = {{0.800, 0.842, 0.888}}, zenith = {{0.550, 0.660, 0.790}};
static const light ground = {{0.640, 0.672, 0.712}}, ink = {{0.323, 0.376, 0.440}}; // of the grid
static const light sunshine = {{0.66, 0.63, 0.57}}, skylight = {{0.44, 0.47, 0.52}};

double paint_linear(double srgb)
{
    return srgb <= 0.04045 ? srgb / 12.92 : pow((srgb + 0.055) / 1.055, 2.4);
}

unsigned char paint_byte(double linear)
{
    const double c = fmin(fmax(linear, 0), 1);
    const double srgb = c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055;
    return (unsigned char)lround(255 * srgb);
}

static light mix(light a, light b, double s)
{
    light to;
    for (int k = 0; k < 3; k++) {
        to.rgb[k] = a.rgb[k] + s * (b.rgb[k] - a.rgb[k]);
    }
    return to;
}

static double smooth(double from, double to, double x)
{
    const double s = fmin(fmax((x - from) / (to - from), 0), 1);
    return s * s * (3 - 2 * s);
}

static light sky(vec3 direction)
{
    return mix(horizon, zenith, pow(fmax(direction.z, 0), 0.7));
}

// ---------------------------------------------------------------------------------------- surfaces

typedef struct hit { // where a ray meets a triangle
    vec3 point, normal;
    vec3 toward; // unit, to the eye
    double far;  // m
} hit;

static vec3 ray_through(const view *v, double x, double y)
{
    return v3_axpy(x - 0.5 * v->wide, v->right,
                   v3_axpy(0.5 * v->high - y, v->up, v3_scale(v->scale, v->forward)));
}

// The point of the triangle's plane on a ray.
static vec3 on_plane(const view *v, vec3 normal, vec3 of_plane, vec3 ray)
{
    const double along = v3_dot(normal, ray), away = v3_dot(normal, v3_sub(of_plane, v->eye));
    return v3_axpy(fabs(along) > 0 ? away / along : 0, ray, v->eye);
}

static hit meet(const view *v, const facet *f, double x, double y)
{
    const vec3 ray = ray_through(v, x, y), a = v3_sub(f->p[1], f->p[0]), b = v3_sub(f->p[2], f->p[0]);
    const vec3 flat = v3_cross(a, b);
    hit h = {.point = on_plane(v, flat, f->p[0], ray), .toward = v3_neg(v3_normalize(ray))};
    // Shares of the corners by areas; a sample at the edge may lie a little outside.
    const vec3 d = v3_sub(h.point, f->p[0]);
    const double area = v3_norm2(flat);
    const double s1 = fmin(fmax(v3_dot(v3_cross(d, b), flat) / area, 0), 1);
    const double s2 = fmin(fmax(v3_dot(v3_cross(a, d), flat) / area, 0), 1 - s1);
    h.normal = v3_normalize(v3_axpy(1 - s1 - s2, f->n[0], v3_axpy(s1, f->n[1], v3_scale(s2, f->n[2]))));
    h.normal = v3_dot(h.normal, h.toward) < 0 ? v3_neg(h.normal) : h.normal;
    h.far = v3_norm(v3_sub(h.point, v->eye));
    return h;
}

static light lit(const renderer *r, const hit *h, light colour, double gloss)
{
    const shade s = lamps_reach(&r->lamps, h->point, h->normal);
    const vec3 sun = lamps_sun(&r->lamps), half = v3_normalize(v3_add(sun, h->toward));
    const double glance = 1 - fmax(v3_dot(h->normal, h->toward), 0);
    const double shine =
        gloss * (0.35 * pow(fmax(v3_dot(h->normal, half), 0), 48) * (s.sun > 0 ? fmin(3 * s.sun, 1) : 0) +
                 0.10 * glance * glance * glance * s.sky);
    const double bounced = 0.16 * (0.5 - 0.5 * h->normal.z) + 0.05; // from the ground, and from everywhere
    light to;
    for (int k = 0; k < 3; k++) {
        const double falls = s.sun * sunshine.rgb[k] + s.sky * skylight.rgb[k] + bounced * ground.rgb[k];
        to.rgb[k] = colour.rgb[k] * falls + shine;
    }
    return to;
}

// How dark a grid of this cell is at u, with lines some pixels wide; a pixel is `wide` cells.
static double line_at(double u, double wide, double pixels)
{
    const double off = fabs(u - round(u));
    return (1 - smooth(0.5 * pixels * wide, (0.5 * pixels + 1) * wide, off)) * (1 - smooth(0.04, 0.22, wide));
}

// A round number of metres, some ten of which span the scene.
static double cell_for(double size)
{
    const double power = pow(10, floor(log10(size / 10))), left = size / 10 / power;
    return power * (left < 2 ? 1 : left < 5 ? 2 : 5);
}

static light ground_at(const renderer *r, const surface *s, const facet *f, const hit *h, double x, double y)
{
    const vec3 flat = v3_cross(v3_sub(f->p[1], f->p[0]), v3_sub(f->p[2], f->p[0]));
    const vec3 right = on_plane(&r->view, flat, f->p[0], ray_through(&r->view, x + SAMPLES, y));
    const vec3 below = on_plane(&r->view, flat, f->p[0], ray_through(&r->view, x, y + SAMPLES));
    const double cell = cell_for(r->size);
    const vec3 at = v3_scale(1 / cell, pose_unpoint(s->X, h->point));
    const vec3 dx = v3_scale(1 / cell, q_unrotate(s->X.q, v3_sub(right, h->point)));
    const vec3 dy = v3_scale(1 / cell, q_unrotate(s->X.q, v3_sub(below, h->point)));
    const double wide_x = hypot(dx.x, dy.x), wide_y = hypot(dx.y, dy.y);
    const double fine = fmax(line_at(at.x, wide_x, 0.6), line_at(at.y, wide_y, 0.6));
    const double bold = fmax(line_at(at.x / 5, wide_x / 5, 1.2), line_at(at.y / 5, wide_y / 5, 1.2));
    const light colour = mix(ground, ink, fmax(0.17 * fine, 0.34 * bold));
    return mix(lit(r, h, colour, 0), horizon, smooth(3 * r->size, 20 * r->size, h->far));
}

static light facet_at(const renderer *r, int facet_number, double x, double y)
{
    if (facet_number < 0) {
        return sky(v3_normalize(ray_through(&r->view, x, y)));
    }
    const facet *f = &r->world.at[facet_number];
    const surface *s = &r->surface[f->surface];
    const light colour = {{s->rgb[0], s->rgb[1], s->rgb[2]}};
    const hit h = meet(&r->view, f, x, y);
    switch (s->kind) {
    case SURFACE_GROUND:
        return ground_at(r, s, f, &h, x, y);
    case SURFACE_GLOW: // a little light from above, to be seen as round
        return mix(colour, (light){{0, 0, 0}}, 0.3 * (0.5 - 0.5 * h.normal.z));
    default:
        return lit(r, &h, colour, 1);
    }
}

// ---------------------------------------------------------------------------------------- pixels

// True if the samples of a pixel see more than one solid: there runs an edge to be drawn.
static bool is_edge(const renderer *r, const int *seen)
{
    int one = -1;
    for (int i = 0; i < MANY; i++) {
        const int s = seen[i] < 0 ? -1 : r->world.at[seen[i]].surface;
        if (s >= 0 && r->surface[s].kind == SURFACE_SOLID && r->surface[s].samples == SAMPLES_ALL) {
            if (one >= 0 && s != one) {
                return true;
            }
            one = s;
        }
    }
    return false;
}

// The samples of a pixel, gathered by what they see.
static light pixel(const renderer *r, const raster *band, int px, int py)
{
    int seen[MANY];
    light sum = {{0}};
    const int x0 = SAMPLES * px, y0 = SAMPLES * py - band->top;
    for (int i = 0; i < MANY; i++) {
        seen[i] = band->facet[(size_t)(y0 + i / SAMPLES) * (size_t)band->wide + (size_t)(x0 + i % SAMPLES)];
    }
    const double pen = is_edge(r, seen) ? 0.62 : 1;
    for (int i = 0; i < MANY; i++) {
        int count = 0;
        double x = 0, y = 0;
        for (int k = i; k < MANY && seen[i] != -2; k++) {
            if (seen[k] == seen[i]) {
                const int column = k % SAMPLES, row = k / SAMPLES;
                x += column + 0.5;
                y += row + 0.5;
                count++;
            }
        }
        if (count == 0) {
            continue; // seen with an earlier one
        }
        const light one = facet_at(r, seen[i], x0 + x / count, SAMPLES * py + y / count);
        for (int k = 0; k < 3; k++) {
            sum.rgb[k] += pen * one.rgb[k] * count / MANY;
        }
        for (int k = MANY - 1; k >= i; k--) {
            seen[k] = seen[k] == seen[i] ? -2 : seen[k];
        }
    }
    return sum;
}

// Brighter than white runs softly into white.
static double shoulder(double c)
{
    const double knee = 0.8;
    return c < knee ? c : knee + (1 - knee) * (1 - exp(-(c - knee) / (1 - knee)));
}

static void paint_band(const renderer *r, raster *band, int first, int rows)
{
    band->top = SAMPLES * first;
    raster_clear(band);
    raster_draw(band, &r->seen);
    for (int y = first; y < first + rows; y++) {
        for (int x = 0; x < r->picture.wide; x++) {
            const light c = pixel(r, band, x, y);
            unsigned char *to = r->picture.rgb + 3 * ((size_t)y * (size_t)r->picture.wide + (size_t)x);
            for (int k = 0; k < 3; k++) {
                to[k] = paint_byte(shoulder(c.rgb[k]));
            }
        }
    }
}

typedef struct painting {
    const renderer *renderer;
    raster band[CREW_MAX];
} painting;

static void paint_one(void *of, int i, int worker)
{
    painting *p = of;
    const int first = i * BAND, left = p->renderer->picture.high - first;
    paint_band(p->renderer, &p->band[worker], first, left < BAND ? left : BAND);
}

bool paint_picture(renderer *r)
{
    painting p = {.renderer = r};
    r->seen.count = 0;
    for (int i = 0; i < r->world.count; i++) {
        outlines_add(&r->seen, &r->view, &r->world.at[i], i, r->surface[r->world.at[i].surface].samples);
    }
    bool whole = !r->seen.failed;
    for (int k = 0; k < crew_size() && whole; k++) {
        whole = raster_create(&p.band[k], r->view.wide, BAND * SAMPLES, true);
    }
    if (whole) {
        crew_run((r->picture.high + BAND - 1) / BAND, paint_one, &p);
    }
    for (int k = 0; k < crew_size(); k++) {
        raster_destroy(&p.band[k]);
    }
    return whole;
}
