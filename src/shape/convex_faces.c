// SPDX-License-Identifier: Apache-2.0
// convex_faces.c: cuts faces that are not convex into triangles.
//
// Where a surface is curved so little that some of its facets merge and others do not, the merged ones need
// not be convex polygons. They are cut by ear clipping: of the corners whose triangle turns left and holds no
// other corner, the one with the best shaped triangle goes first. O(n^3) for a face of n corners, of which
// there are few.
#include "polyhedron.h"
#include <thud/spatial_inline.h>

typedef struct flat { // a polygon seen along its normal
    const vec3 *point;
    vec3 normal;
    double tolerance; // m; corners that stand in less than this are taken for straight
} flat;

vec3 polygon_normal(const vec3 *point, const int *corner, int size)
{
    vec3 sum = {0, 0, 0};
    for (int k = 2; k < size; k++) {
        const vec3 o = point[corner[0]];
        sum = v3_add(sum, v3_cross(v3_sub(point[corner[k - 1]], o), v3_sub(point[corner[k]], o)));
    }
    return v3_normalize(sum);
}

// How far b stands out of the line from a to c, to the right; negative when the corner b turns right.
static double bulge(const flat *p, int a, int b, int c)
{
    const vec3 ab = v3_sub(p->point[b], p->point[a]), ac = v3_sub(p->point[c], p->point[a]);
    const double length = v3_norm(ac);
    return length > 0 ? v3_dot(v3_cross(ab, ac), p->normal) / length : -HUGE_VAL;
}

static bool is_convex(const flat *p, const int *corner, int size)
{
    for (int k = 0; k < size; k++) {
        if (!(bulge(p, corner[k], corner[(k + 1) % size], corner[(k + 2) % size]) >= -p->tolerance)) {
            return false;
        }
    }
    return true;
}

// Whether x lies in the triangle or on its border.
static bool holds(const flat *p, int a, int b, int c, int x)
{
    return bulge(p, a, x, b) <= 0 && bulge(p, b, x, c) <= 0 && bulge(p, c, x, a) <= 0;
}

// The shape of the ear at corner k: its height over its longest side; -1 when it is none.
static double ear_quality(const flat *p, const int *corner, int size, int k)
{
    const int a = corner[(k + size - 1) % size], b = corner[k], c = corner[(k + 1) % size];
    if (!(bulge(p, a, b, c) > 0)) {
        return -1;
    }
    for (int i = 0; i < size; i++) {
        const int x = corner[i];
        if (x != a && x != b && x != c && holds(p, a, b, c, x)) {
            return -1;
        }
    }
    const double ab = v3_norm(v3_sub(p->point[b], p->point[a])),
                 bc = v3_norm(v3_sub(p->point[c], p->point[b])),
                 ca = v3_norm(v3_sub(p->point[a], p->point[c]));
    const double longest = thud_max(ab, thud_max(bc, ca));
    return bulge(p, a, b, c) * ca / (longest * longest);
}

static thud_status add_triangle(polygons *out, int a, int b, int c)
{
    return polygon_begin(out) && polygon_corner(out, a) && polygon_corner(out, b) && polygon_corner(out, c)
               ? THUD_OK
               : THUD_NO_MEMORY;
}

// Clips ears until a triangle is left; corner is used up.
static thud_status clip_ears(const flat *p, int *corner, int size, polygons *out)
{
    for (; size > 3; size--) {
        int best = -1;
        double quality = 0;
        for (int k = 0; k < size; k++) {
            const double q = ear_quality(p, corner, size, k);
            if (q > quality) {
                quality = q;
                best = k;
            }
        }
        if (best < 0) {
            return THUD_BAD_MODEL;
        }
        THUD_TRY(
            add_triangle(out, corner[(best + size - 1) % size], corner[best], corner[(best + 1) % size]));
        for (int k = best; k + 1 < size; k++) {
            corner[k] = corner[k + 1];
        }
    }
    return add_triangle(out, corner[0], corner[1], corner[2]);
}

thud_status polygons_make_convex(polygons *in, const vec3 *point, double tolerance, polygons *out)
{
    polygons_clear(out);
    for (int f = 0; f < in->faces; f++) {
        int *corner = in->corner + in->start[f];
        const int size = (f + 1 < in->faces ? in->start[f + 1] : in->corners) - in->start[f];
        const flat p = {point, polygon_normal(point, corner, size), tolerance};
        if (size > 3 && !is_convex(&p, corner, size)) {
            THUD_TRY(clip_ears(&p, corner, size, out));
            continue;
        }
        if (!polygon_begin(out)) {
            return THUD_NO_MEMORY;
        }
        for (int k = 0; k < size; k++) {
            if (!polygon_corner(out, corner[k])) {
                return THUD_NO_MEMORY;
            }
        }
    }
    return THUD_OK;
}
