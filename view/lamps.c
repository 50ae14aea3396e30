// SPDX-License-Identifier: Apache-2.0
// lamps.c: shadow maps. One large one for the sun, searched over a disc as wide as its half shadow at the
// distance of what is in the way (Fernando, Percentage-closer soft shadows, 2005); small ones for directions
// spread evenly over the sky. Nothing is random, so that still things stay still in a film.
#include <math.h>

#include <thud/base.h>
#include <thud/spatial_inline.h>

#include "lamps.h"

enum { SUN_SIDE = 2048, SKY_SIDE = 320, BLOCK = 16 };

static const double golden = 2.399963229728653; // rad: steps by it never line up
static const double sun_width = 0.05;           // half shadow, m wide a metre behind what casts it
static const double search = 12;                // samples around a point that may soften its shadow; < BLOCK

static bool lamp_create(lamp *l, vec3 toward, int side)
{
    const quat turned = q_of_zaxis(v3_normalize(toward));
    l->view = (view){.right = q_rotate(turned, v3(1, 0, 0)),
                     .up = q_rotate(turned, v3(0, 1, 0)),
                     .forward = q_rotate(turned, v3(0, 0, -1)),
                     .straight = true,
                     .wide = side,
                     .high = side};
    l->nearby = thud_alloc((size_t)(side / BLOCK) * (size_t)(side / BLOCK), sizeof *l->nearby);
    return raster_create(&l->map, side, side, false) && l->nearby;
}

// Behind the viewer's left shoulder, so that the faces of a box differ.
static vec3 sun_for(vec3 forward)
{
    const double azimuth = atan2(-forward.y, -forward.x) - 0.95;
    return v3(cos(azimuth), sin(azimuth), 1.15);
}

bool lamps_create(lamps *l, vec3 forward)
{
    *l = (lamps){0};
    bool whole = lamp_create(&l->sun, sun_for(forward), SUN_SIDE);
    for (int k = 0; k < LAMP_SKIES && whole; k++) { // rings of equal solid angle
        const double z = (k + 0.5) / LAMP_SKIES, r = sqrt(1 - z * z);
        whole = lamp_create(&l->sky[k], v3(r * cos(golden * k), r * sin(golden * k), z), SKY_SIDE);
    }
    for (int k = 0; k < LAMP_TAPS; k++) {
        const double r = sqrt((k + 0.5) / LAMP_TAPS);
        l->tap[k][0] = r * cos(golden * k);
        l->tap[k][1] = r * sin(golden * k);
    }
    if (!whole) {
        lamps_destroy(l);
    }
    return whole;
}

static void lamp_destroy(lamp *l)
{
    raster_destroy(&l->map);
    thud_free(l->nearby);
}

void lamps_destroy(lamps *l)
{
    lamp_destroy(&l->sun);
    for (int k = 0; k < LAMP_SKIES; k++) {
        lamp_destroy(&l->sky[k]);
    }
    for (int k = 0; k < CREW_MAX; k++) {
        outlines_free(&l->scratch[k]);
    }
    *l = (lamps){0};
}

vec3 lamps_sun(const lamps *l)
{
    return v3_neg(l->sun.view.forward);
}

// The nearest of each block of the map goes to it and to the eight around it.
static void find_nearby(lamp *l)
{
    const int blocks = l->map.wide / BLOCK;
    for (int i = 0; i < blocks * blocks; i++) {
        l->nearby[i] = -INFINITY;
    }
    for (int by = 0; by < blocks; by++) {
        for (int bx = 0; bx < blocks; bx++) {
            const float *row =
                l->map.near + (size_t)(by * BLOCK) * (size_t)l->map.wide + (size_t)(bx * BLOCK);
            float most = -INFINITY;
            for (int k = 0; k < BLOCK * BLOCK; k++) {
                const float near = row[(size_t)(k / BLOCK) * (size_t)l->map.wide + (size_t)(k % BLOCK)];
                most = near > most ? near : most;
            }
            for (int k = 0; k < 9 && most > -INFINITY; k++) {
                const int x = bx + k % 3 - 1, y = by + k / 3 - 1;
                if (x >= 0 && y >= 0 && x < blocks && y < blocks) {
                    float *to = &l->nearby[(size_t)y * (size_t)blocks + (size_t)x];
                    *to = most > *to ? most : *to;
                }
            }
        }
    }
}

static void lamp_aim(lamp *l, const facets *solid, vec3 centre, double radius, outlines *scratch)
{
    l->view.eye = v3_axpy(-2 * radius, l->view.forward, centre);
    l->view.scale = 0.5 * l->view.wide / radius;
    l->texel = 1 / l->view.scale;
    scratch->count = 0;
    for (int i = 0; i < solid->count; i++) {
        outlines_add(scratch, &l->view, &solid->at[i], i, SAMPLES_ALL);
    }
    raster_clear(&l->map);
    raster_draw(&l->map, scratch);
    find_nearby(l);
}

typedef struct aiming {
    lamps *lamps;
    const facets *solid;
    vec3 centre;
    double radius;
} aiming;

static void aim_one(void *of, int i, int worker)
{
    const aiming *a = of;
    lamp *one = i == 0 ? &a->lamps->sun : &a->lamps->sky[i - 1];
    lamp_aim(one, a->solid, a->centre, a->radius, &a->lamps->scratch[worker]);
}

typedef struct place { // a point on a lamp's map
    double x, y;       // samples
    double near;       // as the map counts it, with a margin: what is nearer than this is in the way
} place;

// Moved off its surface by a little more than a sample, so that no surface shades itself.
static place place_of(const lamp *l, vec3 point, vec3 normal)
{
    const vec3 d = v3_sub(v3_axpy(1.5 * l->texel, normal, point), l->view.eye);
    return (place){0.5 * l->view.wide + l->view.scale * v3_dot(l->view.right, d) - 0.5,
                   0.5 * l->view.high - l->view.scale * v3_dot(l->view.up, d) - 0.5,
                   -v3_dot(l->view.forward, d) + 1.5 * l->texel};
}

static void set_row(sky_row *row, int k, vec3 along, double offset)
{
    row->at[0][k] = (float)along.x;
    row->at[1][k] = (float)along.y;
    row->at[2][k] = (float)along.z;
    row->at[3][k] = (float)offset;
}

bool lamps_aim(lamps *l, const facets *solid, vec3 centre, double radius)
{
    aiming a = {l, solid, centre, radius};
    bool whole = true;
    l->centre = centre;
    crew_run(1 + LAMP_SKIES, aim_one, &a);
    for (int k = 0; k < CREW_MAX; k++) {
        whole = whole && !l->scratch[k].failed;
    }
    for (int k = 0; k < LAMP_SKIES; k++) {
        const lamp *sky = &l->sky[k];
        const place middle = place_of(sky, centre, v3(0, 0, 0));
        set_row(&l->x, k, v3_scale(sky->view.scale, sky->view.right), middle.x);
        set_row(&l->y, k, v3_scale(-sky->view.scale, sky->view.up), middle.y);
        set_row(&l->near, k, v3_neg(sky->view.forward), middle.near);
    }
    return whole;
}

// ---------------------------------------------------------------------------------------- looking up

// The map at a sample; nothing is in the way beside it.
static float map_at(const raster *map, int x, int y)
{
    return x >= 0 && x < map->wide && y >= 0 && y < map->high
               ? map->near[(size_t)y * (size_t)map->wide + (size_t)x]
               : -INFINITY;
}

// True if nothing is in the way of a place, nor of any a search away.
static bool is_open(const lamp *l, const place *p)
{
    if (!(p->x >= 0 && p->y >= 0 && p->x < l->map.wide && p->y < l->map.high)) {
        return true;
    }
    const int x = (int)p->x / BLOCK, y = (int)p->y / BLOCK;
    return (double)l->nearby[(size_t)y * (size_t)(l->map.wide / BLOCK) + (size_t)x] <= p->near;
}

// How much of the four samples around a place is open, by their shares.
static double open_at(const raster *map, double x, double y, double near)
{
    if (!(x > -1 && y > -1 && x < map->wide && y < map->high)) {
        return 1;
    }
    const int ix = (int)(x + 1) - 1, iy = (int)(y + 1) - 1; // rounded down
    const double sx = x - ix, sy = y - iy;
    const double a = (double)map_at(map, ix, iy) <= near, b = (double)map_at(map, ix + 1, iy) <= near;
    const double c = (double)map_at(map, ix, iy + 1) <= near, d = (double)map_at(map, ix + 1, iy + 1) <= near;
    return (1 - sy) * ((1 - sx) * a + sx * b) + sy * ((1 - sx) * c + sx * d);
}

// How many points of a search are behind something, and by how much on average.
static int count_blocked(const lamps *l, const place *p, double *gap)
{
    double sum = 0;
    int count = 0;
    for (int k = 0; k < LAMP_TAPS; k++) {
        const double x = p->x + search * l->tap[k][0], y = p->y + search * l->tap[k][1];
        const double near =
            (double)map_at(&l->sun.map, (int)(x + BLOCK + 0.5) - BLOCK, (int)(y + BLOCK + 0.5) - BLOCK);
        if (near > p->near) {
            sum += near - p->near;
            count++;
        }
    }
    *gap = count > 0 ? sum / count : 0;
    return count;
}

static double sun_open(const lamps *l, vec3 point, vec3 normal)
{
    const lamp *sun = &l->sun;
    const place p = place_of(sun, point, normal);
    double gap, sum = 0;
    const int blocked = is_open(sun, &p) ? 0 : count_blocked(l, &p, &gap);
    if (blocked == 0 || blocked == LAMP_TAPS) { // what is all light or all shadow far around is so here
        return blocked == 0;
    }
    const double wide = fmin(fmax(sun_width * gap / sun->texel, 1.2), search);
    for (int k = 0; k < LAMP_TAPS; k++) {
        sum += open_at(&sun->map, p.x + wide * l->tap[k][0], p.y + wide * l->tap[k][1], p.near);
    }
    return sum / LAMP_TAPS;
}

// row . (p, 1) of every map.
static void places(const sky_row *row, const float p[3], float *out)
{
    for (int k = 0; k < LAMP_SKIES; k++) {
        out[k] = row->at[0][k] * p[0] + row->at[1][k] * p[1] + row->at[2][k] * p[2] + row->at[3][k];
    }
}

static double sky_light(const lamps *l, vec3 point, vec3 normal)
{
    const vec3 off = v3_sub(v3_axpy(1.5 * l->sky[0].texel, normal, point), l->centre);
    const float p[3] = {(float)off.x, (float)off.y, (float)off.z};
    float x[LAMP_SKIES], y[LAMP_SKIES], near[LAMP_SKIES];
    double sum = 0;
    places(&l->x, p, x);
    places(&l->y, p, y);
    places(&l->near, p, near);
    for (int k = 0; k < LAMP_SKIES; k++) {
        const lamp *sky = &l->sky[k];
        const double cosine = -v3_dot(normal, sky->view.forward);
        if (cosine > 0) {
            const place at = {(double)x[k], (double)y[k], (double)near[k]};
            sum += is_open(sky, &at) ? cosine : cosine * open_at(&sky->map, at.x, at.y, at.near);
        }
    }
    return sum * 2 / LAMP_SKIES; // an open level place has 1
}

shade lamps_reach(const lamps *l, vec3 point, vec3 normal)
{
    const double facing = v3_dot(normal, lamps_sun(l));
    return (shade){facing > 0 ? facing * sun_open(l, point, normal) : 0, sky_light(l, point, normal)};
}
