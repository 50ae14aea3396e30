// SPDX-License-Identifier: Apache-2.0
// hull.c: convex hulls of points.
//
// The points are centred and scaled by a power of two, looked at for their dimension, and given to quickhull.c, whose
// triangles are exact on a fine grid. merge_faces.c makes one face of those that are flat to the tolerance. What comes out
// is believed only after polyhedron_build found it to be a polyhedron; otherwise the next attempt is made:
//
//     faces merged to the tolerance         nearly always
//     triangles, not merged                 where merging tangled the facets of a gently curved surface
//     faces merged to 8, then 64 times it   where the triangles are slivers: needles
//     the first two of a hull without the points that are no more than the tolerance outside the others
//
// Differs  from MuJoCo, which triangulates (Qt) and merges triangles by the angle between them.
// Fails    THUD_BAD_MODEL on fewer than four different points, points on a line, or if all attempts fail;
//          THUD_BAD_ARGUMENT on coordinates that are not finite.
#include <math.h>
#include <string.h>

#include "polyhedron.h"
#include "quickhull.h"
#include <thud/spatial_inline.h>

static const double FLAT = 1e-6; // thickness, of the length, below which points are in one plane or line
static const double SLAB = 1e-4; // thickness, of the length, that a flat set gets
static const double THIN = 1e-3; // the tolerance at most, of the points' least extent
static const double DEPTH = 16;  // tolerances that a vertex may lie under its merged faces
static const double ROUNDING =
    1e-10; // the tolerance by which triangles are judged: of slivers the grid turns the planes

static const double GRAIN = 1e-11; // the least tolerance: five steps of quickhull's grid

enum { MAX_POINTS = 1 << 28 }; // so that a slab's points can still be counted

thud_hull_options thud_hull_defaults(void)
{
    const thud_hull_options options = {.max_vertices = -1, .tolerance = 4e-7};
    return options;
}

// The points as the work is done on them: x = (point - centre) * scale, in [-1, 1].
typedef struct cloud {
    int count;
    vec3 *x;
    vec3 centre;
    double scale;
    double half;      // half of the largest extent of x, in [1/2, 1)
    double height;    // of x, across the plane that fits best
    double thickened; // in the units of x
} cloud;

static thud_status check_points(const vec3 *point, int count, thud_diag *diag)
{
    if (count < 4) {
        return thud_fail(THUD_BAD_MODEL, diag, NULL, 0, 0, "a hull needs four points or more, not %d", count);
    }
    if (count > MAX_POINTS) {
        return thud_fail(THUD_BAD_MODEL, diag, NULL, 0, 0, "a hull of %d points; at most %d are taken", count,
                         MAX_POINTS);
    }
    for (int i = 0; i < count; i++) {
        if (!(v3_norm2(point[i]) < HUGE_VAL)) {
            return thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0,
                             "point %d (from 0) of a hull is (%g, %g, %g)", i, point[i].x, point[i].y,
                             point[i].z);
        }
    }
    return THUD_OK;
}

static void normalize(cloud *c, const vec3 *point)
{
    vec3 lo = point[0], hi = point[0];
    for (int i = 1; i < c->count; i++) {
        lo = v3_min(lo, point[i]);
        hi = v3_max(hi, point[i]);
    }
    int exponent = 0;
    const vec3 half = v3_scale(0.5, v3_sub(hi, lo));
    c->half = frexp(thud_max(half.x, thud_max(half.y, half.z)), &exponent);
    c->scale = ldexp(1, exponent < -1000 ? 1000 : -exponent);
    c->centre = v3_add(lo, half);
    for (int i = 0; i < c->count; i++) {
        c->x[i] = v3_scale(c->scale, v3_sub(point[i], c->centre));
    }
}

// ---------------------------------------------------------------------------------------------- dimension

// The point that maximises |(x - o) with its part along the unit vectors u[0..n-1] removed|.
static int farthest(const cloud *c, vec3 o, const vec3 *u, int n, double *distance)
{
    int best = 0;
    double most = -1;
    for (int i = 0; i < c->count; i++) {
        vec3 d = v3_sub(c->x[i], o);
        for (int k = 0; k < n; k++) {
            d = v3_axpy(-v3_dot(d, u[k]), u[k], d);
        }
        const double size = v3_norm2(d);
        if (size > most) {
            most = size;
            best = i;
        }
    }
    *distance = sqrt(most);
    return best;
}

// Adds a second copy of each point, moved by +-thickness/2 along the normal. The array has room for them.
static void make_slab(cloud *c, vec3 normal, double thickness)
{
    for (int i = 0; i < c->count; i++) {
        c->x[c->count + i] = v3_axpy(0.5 * thickness, normal, c->x[i]);
        c->x[i] = v3_axpy(-0.5 * thickness, normal, c->x[i]);
    }
    c->count *= 2;
    c->height = c->thickened = thickness;
}

// Finds whether the points span a line, a plane or space, and makes a slab of a plane.
static thud_status span_space(cloud *c, thud_diag *diag)
{
    double length, width;
    vec3 u[2];
    const vec3 o = c->x[farthest(c, c->x[0], NULL, 0, &length)];
    u[0] = v3_normalize(v3_sub(c->x[farthest(c, o, NULL, 0, &length)], o));
    const vec3 across = v3_sub(c->x[farthest(c, o, u, 1, &width)], o);
    if (!(length > 0) || !(width > FLAT * length)) {
        return thud_fail(THUD_BAD_MODEL, diag, NULL, 0, 0,
                         length > 0 ? "the points of a hull lie on one line: %g m long, %g m wide"
                                    : "the points of a hull are all the same",
                         length / c->scale, length > 0 ? width / c->scale : 0.0);
    }
    u[1] = v3_normalize(v3_axpy(-v3_dot(across, u[0]), u[0], across));
    farthest(c, o, u, 2, &c->height);
    if (!(c->height > FLAT * length)) {
        make_slab(c, v3_normalize(v3_cross(u[0], u[1])), SLAB * length);
    }
    return THUD_OK;
}

// ---------------------------------------------------------------------------------------------- attempts

// One attempt on the normalised points x, with tolerance 0 for triangles. The hull is in the points' units. Triangles of a
// hull that ignored points are judged by what it ignored.
static thud_status attempt(const cloud *c, const vec3 *point, const triangles *found, double tolerance,
                           double ignored, thud_hull **out)
{
    polygons raw = {0}, convex = {0};
    const double depth = DEPTH * thud_max(tolerance, thud_max(ignored, ROUNDING)) / c->scale;
    thud_status status = triangles_merge(found, c->x, c->count, tolerance, &raw);
    if (status == THUD_OK) {
        status = polygons_make_convex(&raw, c->x, tolerance, &convex);
    }
    if (status == THUD_OK) {
        status = polyhedron_build(&convex, point, c->count, depth, out);
    }
    polygons_free(&raw);
    polygons_free(&convex);
    return status;
}

// Merges the triangles of one hull in turn by the factors of the tolerance, until one attempt succeeds.
static thud_status attempt_hull(const cloud *c, const vec3 *point, const thud_hull_options *o, double ignored,
                                const double *factor, int factors, thud_hull **out)
{
    const double tolerance = thud_min(thud_max(o->tolerance, GRAIN) * c->half, THIN * c->height);
    triangles found;
    thud_status status = quickhull(c->x, c->count, o->max_vertices, ignored * tolerance, &found);
    if (status == THUD_OK) {
        status = THUD_BAD_MODEL;
        for (int k = 0; k < factors && status == THUD_BAD_MODEL; k++) {
            status = attempt(c, point, &found, factor[k] * tolerance, ignored * tolerance, out);
        }
    }
    triangles_free(&found);
    return status;
}

static thud_status attempt_all(const cloud *c, const vec3 *point, const thud_hull_options *o, thud_hull **out,
                               thud_diag *diag)
{
    static const double factor[] = {1, 0, 8, 64}; // of the tolerance; 0: triangles
    thud_status status = attempt_hull(c, point, o, 0, factor, 4, out);
    if (status == THUD_BAD_MODEL) {
        status = attempt_hull(c, point, o, 1, factor, 2, out);
    }
    if (status == THUD_BAD_MODEL) {
        return thud_fail(status, diag, NULL, 0, 0, "no hull of these %d points is a solid", c->count);
    }
    return status == THUD_OK ? status
                             : thud_fail(status, diag, NULL, 0, 0, "a hull of %d points: %s", c->count,
                                         thud_status_text(status));
}

static thud_status make_hull(cloud *c, const vec3 *point, const thud_hull_options *o, thud_hull **out,
                             thud_diag *diag)
{
    normalize(c, point);
    THUD_TRY(span_space(c, diag));
    if (c->thickened > 0) { // back to the points' units, for the new points
        for (int i = 0; i < c->count; i++) {
            c->x[c->count + i] = v3_axpy(1 / c->scale, c->x[i], c->centre);
        }
        point = c->x + c->count;
    }
    THUD_TRY(attempt_all(c, point, o, out, diag));
    (*out)->thickened = c->thickened / c->scale;
    (*out)->hash = thud_hash(THUD_HASH_START, (*out)->vertex, (size_t)(*out)->vertices * sizeof(vec3));
    return THUD_OK;
}

thud_status thud_hull_create(const vec3 *point, int count, const thud_hull_options *options, thud_hull **out,
                             thud_diag *diag)
{
    const thud_hull_options o = options ? *options : thud_hull_defaults();
    *out = NULL;
    if (o.max_vertices >= 0 && o.max_vertices < 4) {
        return thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0,
                         "a hull has at least four vertices; a limit of %d cannot be kept", o.max_vertices);
    }
    if (!(o.tolerance >= 0 && o.tolerance < 0.1)) {
        return thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0,
                         "the tolerance of a hull is %g; 0 to 0.1 are taken", o.tolerance);
    }
    THUD_TRY(check_points(point, count, diag));
    cloud c = {.count = count, .x = thud_alloc(4 * (size_t)count, sizeof *c.x)}; // a slab needs four times
    if (!c.x) {
        return thud_fail(THUD_NO_MEMORY, diag, NULL, 0, 0, "a hull of %d points: %s", count,
                         thud_status_text(THUD_NO_MEMORY));
    }
    const thud_status status = make_hull(&c, point, &o, out, diag);
    thud_free(c.x);
    return status;
}
