// SPDX-License-Identifier: Apache-2.0
// quickhull.c: the triangles of a convex hull [Barber, Dobkin & Huhdanpaa 1996].
//
// Points become whole numbers, multiples of 2^-39 of the size of the set (2e-12, a hundred-thousandth of the noise of
// coordinates in single precision). The sign of the volume of four points, by which everything is decided, is then
// exact: each of its factors has at most 41 bits, so the sum of six products fits in 128. A double with a bound of its
// error decides most signs. So there are no degenerate cases: a point in the plane of a triangle does not see it, the
// triangles that a point sees are connected, and their border (the horizon) is one loop.
//
// The triangulation of a face of more than three corners depends on the order of the points; which points are corners
// does not.
#include <math.h>
#include <string.h>

#include "quickhull.h"
#include <thud/spatial_inline.h>

#define GRID 0x1p39 // steps of the grid in a unit

enum { NONE = -1 };

typedef struct whole { // a point, or a difference of two
    int64_t x, y, z;
} whole;

typedef struct facet {
    int corner[3], next[3];
    vec3 normal, bound;  // across two edges, by doubles; and the sum of its terms' sizes
    double length;       // of normal
    int outside;         // first of the points that see it and are kept here
    int farthest;        // of those
    double distance;     // its height above the plane
    bool alive, visible; // visible: by the point that is being added
} facet;

typedef struct hull {
    int count;
    double ignored; // height above a facet, in steps of the grid, at which a point still counts as on it
    whole *at;      // (count)
    int *behind;    // (count) next point outside the same facet
    int *fan;       // (count) new facet whose edge starts at this point
    facet *facet;   // facets, of which some are not alive
    int facets, facet_capacity;
    int *seen; // stack: facets that the point sees
    int seen_count, seen_capacity;
    int *fresh; // the facets made for the point
    int fresh_count, fresh_capacity;
    int *waiting; // queue of facets that had points outside when they were made
    int waiting_count, waiting_capacity;
    int *unused; // dead facets
    int unused_count, unused_capacity;
} hull;

static bool push(int **list, int *count, int *capacity, int item)
{
    if (!thud_grow((void **)list, capacity, *count, sizeof **list)) {
        return false;
    }
    (*list)[(*count)++] = item;
    return true;
}

// ---------------------------------------------------------------------------------------------- signs

static whole minus(whole a, whole b)
{
    return (whole){a.x - b.x, a.y - b.y, a.z - b.z};
}

static vec3 real(whole a)
{
    return v3((double)a.x, (double)a.y, (double)a.z); // exact: 41 bits
}

static int exact_side(const hull *h, const facet *f, int p)
{
    const whole o = h->at[f->corner[0]];
    const whole a = minus(h->at[f->corner[1]], o), b = minus(h->at[f->corner[2]], o), d = minus(h->at[p], o);
    __extension__ typedef __int128 wide;
    const wide volume = ((wide)a.y * b.z - (wide)a.z * b.y) * d.x +
                        ((wide)a.z * b.x - (wide)a.x * b.z) * d.y + ((wide)a.x * b.y - (wide)a.y * b.x) * d.z;
    return (volume > 0) - (volume < 0);
}

// 1: the point is above the facet and sees it; 0: in its plane; -1: below. *height, in steps of the grid, is rounded.
static int side(const hull *h, const facet *f, int p, double *height)
{
    const double rounding = 16 * 0x1p-53; // seven operations on each term
    const vec3 d = real(minus(h->at[p], h->at[f->corner[0]]));
    const double volume = v3_dot(f->normal, d);
    *height = volume / f->length;
    return fabs(volume) > rounding * v3_dot(f->bound, v3_abs(d)) ? (volume > 0) - (volume < 0)
                                                                 : exact_side(h, f, p);
}

// ---------------------------------------------------------------------------------------------- facets

static vec3 abs_cross(vec3 a, vec3 b)
{
    a = v3_abs(a);
    b = v3_abs(b);
    return v3(a.y * b.z + a.z * b.y, a.z * b.x + a.x * b.z, a.x * b.y + a.y * b.x);
}

// Makes a facet, without neighbours; NONE when memory ran out.
static int add_facet(hull *h, int a, int b, int c)
{
    int at = h->facets;
    if (h->unused_count > 0) {
        at = h->unused[--h->unused_count];
    } else if (thud_grow((void **)&h->facet, &h->facet_capacity, h->facets, sizeof *h->facet)) {
        h->facets++;
    } else {
        return NONE;
    }
    const vec3 ab = real(minus(h->at[b], h->at[a])), ac = real(minus(h->at[c], h->at[a]));
    facet *f = &h->facet[at];
    *f = (facet){.corner = {a, b, c}, .next = {NONE, NONE, NONE}, .outside = NONE, .alive = true};
    f->normal = v3_cross(ab, ac);
    f->bound = abs_cross(ab, ac);
    f->length = v3_norm(f->normal);
    return at;
}

// Keeps the point with the first of the facets that it sees. A point that sees none is inside, or on the surface.
static void keep_outside(hull *h, int p, const int *facets, int count)
{
    for (int i = 0; i < count; i++) {
        facet *f = &h->facet[facets[i]];
        double height;
        if (side(h, f, p, &height) > 0 && (h->ignored == 0 || height >= h->ignored)) {
            if (f->outside == NONE || height > f->distance) { // of a sliver a rounded height may be negative
                f->distance = height;
                f->farthest = p;
            }
            h->behind[p] = f->outside;
            f->outside = p;
            return;
        }
    }
}

static bool await(hull *h, const int *facets, int count)
{
    bool ok = true;
    for (int i = 0; i < count && ok; i++) {
        ok = h->facet[facets[i]].outside == NONE ||
             push(&h->waiting, &h->waiting_count, &h->waiting_capacity, facets[i]);
    }
    return ok;
}

// ---------------------------------------------------------------------------------------------- simplex

// The point whose part across u[0..n-1], seen from o, is longest.
static int farthest_across(const hull *h, int o, const vec3 *u, int n)
{
    int best = 0;
    double most = -1;
    for (int i = 0; i < h->count; i++) {
        vec3 d = real(minus(h->at[i], h->at[o]));
        for (int k = 0; k < n; k++) {
            d = v3_axpy(-v3_dot(d, u[k]), u[k], d);
        }
        const double size = v3_norm2(d);
        if (size > most) {
            most = size;
            best = i;
        }
    }
    return best;
}

static thud_status begin(hull *h)
{
    vec3 u[2];
    int p[4];
    p[0] = farthest_across(h, 0, NULL, 0);
    p[1] = farthest_across(h, p[0], NULL, 0);
    u[0] = v3_normalize(real(minus(h->at[p[1]], h->at[p[0]])));
    p[2] = farthest_across(h, p[0], u, 1);
    const vec3 across = real(minus(h->at[p[2]], h->at[p[0]]));
    u[1] = v3_normalize(v3_axpy(-v3_dot(across, u[0]), u[0], across));
    p[3] = farthest_across(h, p[0], u, 2);
    const facet base = {.corner = {p[0], p[1], p[2]}};
    const int above = exact_side(h, &base, p[3]);
    if (above == 0) {
        return THUD_BAD_MODEL;
    }
    if (above > 0) { // the fourth is to be below the first three
        const int swapped = p[1];
        p[1] = p[2];
        p[2] = swapped;
    }
    static const int corner[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    static const int next[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    int made[4];
    for (int k = 0; k < 4; k++) {
        made[k] = add_facet(h, p[corner[k][0]], p[corner[k][1]], p[corner[k][2]]);
        if (made[k] == NONE) {
            return THUD_NO_MEMORY;
        }
    }
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < 3; i++) {
            h->facet[made[k]].next[i] = made[next[k][i]];
        }
    }
    for (int i = 0; i < h->count; i++) {
        keep_outside(h, i, made, 4);
    }
    return await(h, made, 4) ? THUD_OK : THUD_NO_MEMORY;
}

// ---------------------------------------------------------------------------------------------- a point

// Lists the facets that the point sees, from one of them on.
static bool list_seen(hull *h, int first, int p)
{
    h->seen_count = 0;
    h->facet[first].visible = true;
    bool ok = push(&h->seen, &h->seen_count, &h->seen_capacity, first);
    for (int i = 0; i < h->seen_count && ok; i++) {
        for (int k = 0; k < 3 && ok; k++) {
            const int other = h->facet[h->seen[i]].next[k];
            double height;
            if (!h->facet[other].visible && side(h, &h->facet[other], p, &height) > 0) {
                h->facet[other].visible = true;
                ok = push(&h->seen, &h->seen_count, &h->seen_capacity, other);
            }
        }
    }
    return ok;
}

// Makes a facet from every edge of the horizon to the point, and joins them.
static bool fan_out(hull *h, int p)
{
    h->fresh_count = 0;
    for (int i = 0; i < h->seen_count; i++) {
        for (int k = 0; k < 3; k++) {
            const facet *f = &h->facet[h->seen[i]];
            const int other = f->next[k], a = f->corner[k], b = f->corner[(k + 1) % 3];
            if (h->facet[other].visible) {
                continue;
            }
            const int made = add_facet(h, a, b, p);
            if (made == NONE || !push(&h->fresh, &h->fresh_count, &h->fresh_capacity, made)) {
                return false;
            }
            h->facet[made].next[0] = other;
            for (int m = 0; m < 3; m++) {
                if (h->facet[other].corner[m] == b) { // the other's edge runs from b to a
                    h->facet[other].next[m] = made;
                }
            }
            h->fan[a] = made;
        }
    }
    for (int i = 0; i < h->fresh_count; i++) {
        facet *f = &h->facet[h->fresh[i]];
        f->next[1] = h->fan[f->corner[1]];
        h->facet[f->next[1]].next[2] = h->fresh[i];
    }
    return true;
}

static thud_status add_point(hull *h, int first)
{
    const int p = h->facet[first].farthest;
    if (!list_seen(h, first, p) || !fan_out(h, p)) {
        return THUD_NO_MEMORY;
    }
    for (int i = 0; i < h->seen_count; i++) {
        facet *f = &h->facet[h->seen[i]];
        f->alive = f->visible = false;
        for (int q = f->outside, after; q != NONE; q = after) {
            after = h->behind[q];
            if (q != p) {
                keep_outside(h, q, h->fresh, h->fresh_count);
            }
        }
        f->outside = NONE;
        if (!push(&h->unused, &h->unused_count, &h->unused_capacity, h->seen[i])) {
            return THUD_NO_MEMORY;
        }
    }
    return await(h, h->fresh, h->fresh_count) ? THUD_OK : THUD_NO_MEMORY;
}

// ---------------------------------------------------------------------------------------------- all of it

// Adds points in the order of the facets.
static thud_status add_all(hull *h)
{
    for (int i = 0; i < h->waiting_count; i++) {
        const int first = h->waiting[i];
        if (h->facet[first].alive && h->facet[first].outside != NONE) {
            THUD_TRY(add_point(h, first));
        }
    }
    return THUD_OK;
}

// Adds so many points, at each time the one that protrudes most.
static thud_status add_most(hull *h, int points)
{
    for (int added = 0; added < points; added++) {
        int best = NONE;
        for (int i = 0; i < h->facets; i++) {
            const facet *f = &h->facet[i];
            if (f->alive && f->outside != NONE && (best == NONE || f->distance > h->facet[best].distance)) {
                best = i;
            }
        }
        if (best == NONE) {
            break;
        }
        THUD_TRY(add_point(h, best));
    }
    return THUD_OK;
}

static thud_status collect(const hull *h, int *number, triangles *out)
{
    int count = 0;
    for (int i = 0; i < h->facets; i++) {
        number[i] = h->facet[i].alive ? count++ : NONE;
    }
    out->corner = thud_alloc((size_t)count, sizeof *out->corner);
    out->next = thud_alloc((size_t)count, sizeof *out->next);
    if (!out->corner || !out->next) {
        return THUD_NO_MEMORY;
    }
    for (int i = 0; i < h->facets; i++) {
        const facet *f = &h->facet[i];
        for (int k = 0; k < 3 && f->alive; k++) {
            out->corner[out->count][k] = f->corner[k];
            out->next[out->count][k] = number[f->next[k]];
        }
        out->count += f->alive;
    }
    return THUD_OK;
}

static thud_status find(hull *h, const vec3 *point, int max_vertices, triangles *out)
{
    if (!h->at || !h->behind || !h->fan) {
        return THUD_NO_MEMORY;
    }
    for (int i = 0; i < h->count; i++) {
        h->at[i] = (whole){(int64_t)floor(GRID * point[i].x + 0.5), (int64_t)floor(GRID * point[i].y + 0.5),
                           (int64_t)floor(GRID * point[i].z + 0.5)};
    }
    THUD_TRY(begin(h));
    THUD_TRY(max_vertices >= 0 ? add_most(h, max_vertices - 4) : add_all(h));
    int *number = thud_alloc((size_t)h->facets, sizeof *number);
    const thud_status status = number ? collect(h, number, out) : THUD_NO_MEMORY;
    thud_free(number);
    return status;
}

thud_status quickhull(const vec3 *point, int count, int max_vertices, double ignored, triangles *out)
{
    *out = (triangles){0};
    hull h = {.count = count,
              .ignored = ignored * GRID,
              .at = thud_alloc((size_t)count, sizeof *h.at),
              .behind = thud_alloc((size_t)count, sizeof *h.behind),
              .fan = thud_alloc((size_t)count, sizeof *h.fan)};
    const thud_status status = find(&h, point, max_vertices, out);
    thud_free(h.at);
    thud_free(h.behind);
    thud_free(h.fan);
    thud_free(h.facet);
    thud_free(h.seen);
    thud_free(h.fresh);
    thud_free(h.waiting);
    thud_free(h.unused);
    return status;
}

void triangles_free(triangles *t)
{
    thud_free(t->corner);
    thud_free(t->next);
    *t = (triangles){0};
}
