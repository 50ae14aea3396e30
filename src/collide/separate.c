// SPDX-License-Identifier: Apache-2.0
// separate.c: a direction along which two convex cores are apart, by the algorithm of Gilbert, Johnson and
// Keerthi (1988) on M = B - A.
//
// A simplex of points of M is moved toward the origin; the direction n to its nearest point, with the value
// s(n), is a lower bound of the distance whatever the simplex is. We return the best n seen, so the result is
// right even when the iteration ends early: by rounding, or for smooth shapes, which it approaches slowly,
// when the bounds agree to 1e-3. duo_ascend then makes it exact from the features.
//
// Symbols  w_i points of M, x the point of the simplex nearest to the origin.
// Cost     two support searches an iteration; a handful for polyhedra, up to ITERATIONS for smooth shapes.
// Fails    when the shapes overlap, or are closer than rounding can tell: returns false.
#include "duo.h"

enum { ITERATIONS = 100 };

typedef struct simplex {
    int count;
    vec3 w[4];
} simplex;

static vec3 nearest_on_segment(simplex *s)
{
    const vec3 a = s->w[0], ab = v3_sub(s->w[1], a);
    const double t = -v3_dot(a, ab), ll = v3_norm2(ab);
    if (!(t > 0)) {
        s->count = 1;
        return a;
    }
    if (t >= ll) {
        s->w[0] = s->w[1];
        s->count = 1;
        return s->w[0];
    }
    return v3_axpy(t / ll, ab, a);
}

static vec3 nearest_on_edge(const simplex *s, int i, int j, simplex *out)
{
    out->count = 2;
    out->w[0] = s->w[i];
    out->w[1] = s->w[j];
    return nearest_on_segment(out);
}

// Nearest point of the triangle (i, j, k); out becomes the part of it that holds the point.
static vec3 nearest_on_triangle(const simplex *s, int i, int j, int k, simplex *out)
{
    const vec3 a = s->w[i], b = s->w[j], c = s->w[k];
    const vec3 normal = v3_cross(v3_sub(b, a), v3_sub(c, a));
    const double nn = v3_norm2(normal);
    // Barycentric coordinates of the foot of the origin, times nn.
    const double u = v3_dot(normal, v3_cross(b, c)), v = v3_dot(normal, v3_cross(c, a)),
                 w = v3_dot(normal, v3_cross(a, b));
    if (nn > 0 && u >= 0 && v >= 0 && w >= 0) {
        out->count = 3;
        out->w[0] = a;
        out->w[1] = b;
        out->w[2] = c;
        return v3_scale(v3_dot(normal, a) / nn, normal);
    }
    static const int edge[3][2] = {{0, 1}, {1, 2}, {2, 0}};
    const int corner[3] = {i, j, k};
    vec3 best = a;
    double least = -1;
    for (int e = 0; e < 3; e++) {
        simplex part;
        const vec3 x = nearest_on_edge(s, corner[edge[e][0]], corner[edge[e][1]], &part);
        if (least < 0 || v3_norm2(x) < least) {
            least = v3_norm2(x);
            best = x;
            *out = part;
        }
    }
    return best;
}

// False when the origin is inside.
static bool nearest_on_tetrahedron(const simplex *s, simplex *out, vec3 *best)
{
    static const int face[4][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 3, 2, 0}};
    double least = -1;
    bool outside = false;
    for (int f = 0; f < 4; f++) {
        const vec3 a = s->w[face[f][0]];
        const vec3 normal = v3_cross(v3_sub(s->w[face[f][1]], a), v3_sub(s->w[face[f][2]], a));
        const double fourth = v3_dot(normal, v3_sub(s->w[face[f][3]], a)), origin = -v3_dot(normal, a);
        if (fourth * origin > 0) {
            continue; // on the inner side of this face
        }
        outside = true;
        simplex part;
        const vec3 x = nearest_on_triangle(s, face[f][0], face[f][1], face[f][2], &part);
        if (least < 0 || v3_norm2(x) < least) {
            least = v3_norm2(x);
            *best = x;
            *out = part;
        }
    }
    return outside;
}

// Replaces the simplex by its part nearest to the origin. False when it holds the origin.
static bool reduce(simplex *s, vec3 *x)
{
    simplex part = *s;
    switch (s->count) {
    case 1:
        *x = s->w[0];
        return true;
    case 2:
        *x = nearest_on_segment(s);
        return true;
    case 3:
        *x = nearest_on_triangle(s, 0, 1, 2, &part);
        break;
    default:
        if (!nearest_on_tetrahedron(s, &part, x)) {
            return false;
        }
        break;
    }
    *s = part;
    return true;
}

static bool holds(const simplex *s, vec3 w)
{
    for (int i = 0; i < s->count; i++) {
        if (s->w[i].x == w.x && s->w[i].y == w.y && s->w[i].z == w.z) {
            return true;
        }
    }
    return false;
}

// How well the bounds must agree: to rounding for polyhedra and for ellipsoids so flat that Newton's method
// would see an edge or a point, else well enough to start it.
static double closeness(const core *c)
{
    const double *s = c->size;
    if (c->kind == THUD_SHAPE_ELLIPSOID) {
        return fmin(s[0], fmin(s[1], s[2])) > 1e-3 * fmax(s[0], fmax(s[1], s[2])) ? 1e-3 : 1e-12;
    }
    return c->kind == THUD_SHAPE_CYLINDER ? 1e-3 : 1e-9;
}

static double value_of_duo(const void *of, vec3 n, facet *f)
{
    return duo_value(of, n, f);
}

bool duo_separate(const duo *d, vec3 from, double enough, facet *f)
{
    return duo_separate_by(value_of_duo, d, d, from, enough, f);
}

bool duo_separate_by(duo_value_of *value, const void *of, const duo *d, vec3 from, double enough, facet *f)
{
    const double flat = fmin(closeness(&d->a), closeness(&d->b));
    const double close = flat < 1e-10 ? flat : fmax(closeness(&d->a), closeness(&d->b));
    simplex s = {.count = 0};
    vec3 x = v3_norm2(from) > 0 ? from : v3(0, 0, 1);
    facet at = {.kind = FACET_NONE, .v = {f->v[0], f->v[1]}};
    f->kind = FACET_NONE;
    f->s = -1;
    for (int k = 0; k < ITERATIONS; k++) {
        const double length = v3_norm(x);
        if (!(length > d->tol)) {
            break;
        }
        (void)value(of, v3_scale(1 / length, x), &at);
        const vec3 w = v3_sub(at.b, at.a);
        if (k == 0 || at.s > f->s) {
            *f = at;
        }
        // Done: far enough and at least half the distance, so that it will also do in the next step; or the
        // bounds s <= distance <= |x| meet; or nothing new was found.
        if ((at.s > enough && at.s > 0.5 * (k > 0 ? length : v3_norm(w))) ||
            (k > 0 && length - f->s <= close * length) || holds(&s, w)) {
            break;
        }
        s.w[s.count++] = w;
        if (!reduce(&s, &x)) {
            break;
        }
    }
    return f->s > 0;
}
