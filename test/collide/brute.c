// SPDX-License-Identifier: Apache-2.0
#include "brute.h"

#include <float.h>

double brute_gap_along(const placed *a, const placed *b, vec3 n)
{
    const vec3 x = pose_point(a->X, thud_shape_support(&a->shape, q_unrotate(a->X.q, n), NULL));
    const vec3 y = pose_point(b->X, thud_shape_support(&b->shape, q_unrotate(b->X.q, v3_neg(n)), NULL));
    return v3_dot(n, v3_sub(y, x));
}

quat random_rotation(test_rng *r)
{
    const quat q = {test_normal(r), test_normal(r), test_normal(r), test_normal(r)};
    return q_normalize(q);
}

vec3 random_unit(test_rng *r)
{
    return v3_normalize(v3(test_normal(r), test_normal(r), test_normal(r)));
}

thud_shape random_shape(test_rng *r, thud_shape_kind kind, double lo, double hi)
{
    thud_shape s = {.kind = kind};
    if (kind == THUD_SHAPE_HULL) {
        static thud_hull *pool[8];
        static const int size[8] = {4, 5, 8, 12, 20, 33, 60, 150};
        const int k = test_below(r, 8);
        test_rng own = {.s = (uint64_t)k + 1000};
        if (!pool[k]) {
            pool[k] = random_hull(&own, size[k], 0.3, 1);
        }
        s.hull = pool[k];
        return s;
    }
    for (int i = 0; i < 3; i++) {
        s.size[i] = lo * exp(test_uniform(r, 0, log(hi / lo)));
    }
    return s;
}

thud_hull *random_hull(test_rng *r, int vertices, double lo, double hi)
{
    vec3 *x = malloc((size_t)vertices * sizeof *x);
    double axis[3];
    for (int i = 0; i < 3; i++) {
        axis[i] = lo * exp(test_uniform(r, 0, log(hi / lo)));
    }
    for (int i = 0; i < vertices; i++) {
        const vec3 u = random_unit(r);
        x[i] = v3(axis[0] * u.x, axis[1] * u.y, axis[2] * u.z);
    }
    thud_hull *hull = NULL;
    thud_diag diag;
    CHECK_OK(thud_hull_create(x, vertices, NULL, &hull, &diag));
    free(x);
    return hull;
}

double shape_size(const thud_shape *s)
{
    return thud_shape_radius(s);
}

double brute_outside(const placed *p, vec3 x)
{
    const vec3 y = pose_unpoint(p->X, x);
    const double *s = p->shape.size;
    double most = -DBL_MAX;
    switch (p->shape.kind) {
    case THUD_SHAPE_SPHERE:
        return v3_norm(y) - s[0];
    case THUD_SHAPE_CAPSULE:
        return v3_norm(v3(y.x, y.y, fmax(0, fabs(y.z) - s[1]))) - s[0];
    case THUD_SHAPE_ELLIPSOID:
        return (v3_norm(v3(y.x / s[0], y.y / s[1], y.z / s[2])) - 1) * fmin(s[0], fmin(s[1], s[2]));
    case THUD_SHAPE_CYLINDER:
        return fmax(sqrt(y.x * y.x + y.y * y.y) - s[0], fabs(y.z) - s[1]);
    case THUD_SHAPE_BOX:
        return fmax(fabs(y.x) - s[0], fmax(fabs(y.y) - s[1], fabs(y.z) - s[2]));
    default:
        for (int f = 0; f < p->shape.hull->faces; f++) {
            most = fmax(most, v3_dot(p->shape.hull->face[f].normal, y) - p->shape.hull->face[f].offset);
        }
        return most;
    }
}

// Climbs from n by steps along two tangents and their diagonals, halving when nothing is better.
static double compass(const placed *a, const placed *b, vec3 *n, double step)
{
    double best = brute_gap_along(a, b, *n);
    while (step > 1e-6) {
        const vec3 t1 = v3_normalize(v3_cross(fabs(n->x) < 0.6 ? v3(1, 0, 0) : v3(0, 1, 0), *n));
        const vec3 t2 = v3_cross(*n, t1);
        bool better = false;
        for (int k = 0; k < 16; k++) {
            const double angle = 0.39269908169872414 * k;
            const vec3 m = v3_normalize(
                v3_add(*n, v3_add(v3_scale(step * cos(angle), t1), v3_scale(step * sin(angle), t2))));
            const double s = brute_gap_along(a, b, m);
            if (s > best) {
                best = s;
                *n = m;
                better = true;
                break;
            }
        }
        if (!better) {
            step *= 0.5;
        }
    }
    return best;
}

static int normals_of(const placed *p, vec3 *out) // of faces, and the axes of what has no faces
{
    if (p->shape.kind == THUD_SHAPE_HULL) {
        for (int f = 0; f < p->shape.hull->faces && f < 64; f++) {
            out[f] = q_rotate(p->X.q, p->shape.hull->face[f].normal);
        }
        return p->shape.hull->faces < 64 ? p->shape.hull->faces : 64;
    }
    for (int i = 0; i < 3; i++) {
        out[2 * i] = q_rotate(p->X.q, v3(i == 0, i == 1, i == 2));
        out[2 * i + 1] = v3_neg(out[2 * i]);
    }
    return 6;
}

double brute_distance(const placed *a, const placed *b, int samples, int climbs, vec3 *normal)
{
    enum { KEEP = 4 };
    vec3 start[KEEP], list[140];
    double value[KEEP];
    for (int i = 0; i < KEEP; i++) {
        value[i] = -DBL_MAX;
    }
    int extra = normals_of(a, list);
    const int second = normals_of(b, list + extra);
    for (int i = 0; i < second; i++) {
        list[extra + i] = v3_neg(list[extra + i]);
    }
    extra += second;
    list[extra++] = v3_normalize(v3_sub(b->X.p, a->X.p));
    for (int k = 0; k < samples + extra; k++) {
        const double z = 1 - (2 * k + 1.0) / samples, angle = 2.399963229728653 * k;
        const double h = sqrt(fmax(0, 1 - z * z));
        const vec3 n = k < samples ? v3(h * cos(angle), h * sin(angle), z) : list[k - samples];
        if (!(v3_norm2(n) > 0.5)) {
            continue;
        }
        const double s = brute_gap_along(a, b, n);
        int i = KEEP - 1;
        if (s <= value[i]) {
            continue;
        }
        for (; i > 0 && s > value[i - 1]; i--) {
            value[i] = value[i - 1];
            start[i] = start[i - 1];
        }
        value[i] = s;
        start[i] = n;
    }
    double best = -DBL_MAX;
    for (int i = 0; i < KEEP; i++) {
        const double s = i < climbs && value[i] > -DBL_MAX ? compass(a, b, &start[i], 0.1) : value[i];
        if (s > best) {
            best = s;
            *normal = start[i];
        }
    }
    return best;
}

// ---------------------------------------------------------------------------------------------- polyhedra

static double segments_distance(vec3 p, vec3 u, vec3 q, vec3 w) // p + s u, q + t w, s and t in [0, 1]
{
    double best = DBL_MAX;
    const vec3 r = v3_sub(q, p);
    const double uu = v3_norm2(u), ww = v3_norm2(w), uw = v3_dot(u, w), ur = v3_dot(u, r), wr = v3_dot(w, r);
    const double det = uu * ww - uw * uw;
    for (int k = 0; k < 5; k++) { // inside both, or at one of the four ends
        double s, t;
        if (k == 0) {
            if (!(det > 1e-14 * uu * ww)) {
                continue;
            }
            s = (ur * ww - wr * uw) / det;
            t = (ur * uw - wr * uu) / det;
            if (s < 0 || s > 1 || t < 0 || t > 1) {
                continue;
            }
        } else if (k < 3) {
            s = k - 1;
            t = fmin(1, fmax(0, (uw * s - wr) / ww));
        } else {
            t = k - 3;
            s = fmin(1, fmax(0, (ur + uw * t) / uu));
        }
        best = fmin(best, v3_norm(v3_sub(v3_axpy(t, w, q), v3_axpy(s, u, p))));
    }
    return best;
}

typedef struct solid { // a polyhedron in the world
    const thud_hull *hull;
    vec3 *x, *normal;
} solid;

static solid solid_of(const placed *p, thud_hull_box *box)
{
    solid s = {.hull = p->shape.hull};
    if (p->shape.kind == THUD_SHAPE_BOX) {
        thud_hull_of_box(p->shape.size, box);
        s.hull = &box->hull;
    }
    s.x = malloc((size_t)s.hull->vertices * sizeof *s.x);
    s.normal = malloc((size_t)s.hull->faces * sizeof *s.normal);
    for (int i = 0; i < s.hull->vertices; i++) {
        s.x[i] = pose_point(p->X, s.hull->vertex[i]);
    }
    for (int f = 0; f < s.hull->faces; f++) {
        s.normal[f] = q_rotate(p->X.q, s.hull->face[f].normal);
    }
    return s;
}

static double along(const solid *a, const solid *b, vec3 n)
{
    double most = -DBL_MAX, least = DBL_MAX;
    for (int i = 0; i < a->hull->vertices; i++) {
        most = fmax(most, v3_dot(n, a->x[i]));
    }
    for (int i = 0; i < b->hull->vertices; i++) {
        least = fmin(least, v3_dot(n, b->x[i]));
    }
    return least - most;
}

static double faces_best(const solid *a, const solid *b)
{
    double best = -DBL_MAX;
    for (int f = 0; f < a->hull->faces; f++) {
        best = fmax(best, along(a, b, a->normal[f]));
    }
    return best;
}

// The least distance of a vertex of b to a face of a that it projects into.
static double vertex_face(const solid *a, const solid *b, double best)
{
    for (int f = 0; f < a->hull->faces; f++) {
        const int start = a->hull->face_start[f], end = a->hull->face_start[f + 1];
        for (int v = 0; v < b->hull->vertices; v++) {
            const double h = v3_dot(a->normal[f], v3_sub(b->x[v], a->x[a->hull->face_vertex[start]]));
            bool inside = h >= 0 && h < best;
            for (int k = start; k < end && inside; k++) {
                const vec3 p = a->x[a->hull->face_vertex[k]],
                           q = a->x[a->hull->face_vertex[k + 1 < end ? k + 1 : start]];
                inside = v3_dot(v3_cross(a->normal[f], v3_sub(q, p)), v3_sub(b->x[v], p)) >= 0;
            }
            best = inside ? h : best;
        }
    }
    return best;
}

double brute_polyhedra(const placed *pa, const placed *pb)
{
    thud_hull_box box_a, box_b;
    solid a = solid_of(pa, &box_a), b = solid_of(pb, &box_b);
    double best = fmax(faces_best(&a, &b), faces_best(&b, &a)), apart = DBL_MAX;
    for (int i = 0; i < a.hull->edges; i++) {
        const vec3 p = a.x[a.hull->edge[i].vertex[0]], u = v3_sub(a.x[a.hull->edge[i].vertex[1]], p);
        for (int j = 0; j < b.hull->edges; j++) {
            const vec3 q = b.x[b.hull->edge[j].vertex[0]], w = v3_sub(b.x[b.hull->edge[j].vertex[1]], q);
            const vec3 x = v3_cross(u, w);
            if (v3_norm(x) > 1e-9 * v3_norm(u) * v3_norm(w)) {
                const vec3 n = v3_normalize(x);
                best = fmax(best, fmax(along(&a, &b, n), along(&a, &b, v3_neg(n))));
            }
            apart = fmin(apart, segments_distance(p, u, q, w));
        }
    }
    if (best > 0) {
        apart = vertex_face(&a, &b, apart);
        apart = vertex_face(&b, &a, apart);
    }
    free(a.x);
    free(a.normal);
    free(b.x);
    free(b.normal);
    return best > 0 ? apart : best;
}
