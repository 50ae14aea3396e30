// SPDX-License-Identifier: Apache-2.0
// facing.c: what a shape turns to a direction: the face most square to it at its support point; for the side
// of a capsule or cylinder a segment; for a cylinder's cap sixteen points of its rim and the lowest; for what
// is round a point.
#include <float.h>

#include <thud/elementary.h>

#include "facing.h"

static const double STANDING =
    0.25; // squared cosine; a capsule nearer to the normal than this turns an end to it
static const double TURN = 6.283185307179586477;

static uint32_t feature(thud_feature_kind kind, int index)
{
    return (uint32_t)kind << 28 | ((uint32_t)index & 0x0fffffffu);
}

frame frame_about(vec3 n) // [Duff et al. 2017, Building an orthonormal basis, revisited]
{
    const double sign = n.z < 0 ? -1 : 1, a = -1 / (sign + n.z), b = n.x * n.y * a;
    return (frame){.t1 = v3(1 + sign * n.x * n.x * a, sign * b, -sign * n.x),
                   .t2 = v3(b, sign + n.y * n.y * a, -n.y),
                   .n = n};
}

typedef struct view { // of one shape: the frame and the origin in its own coordinates
    frame w;
    double x, y, z;
} view;

static void put(const view *v, vec3 p, uint32_t vertex, uint32_t edge, facing *out)
{
    const int i = out->count++;
    out->x[i] = v3_dot(v->w.t1, p) + v->x;
    out->y[i] = v3_dot(v->w.t2, p) + v->y;
    out->z[i] = v3_dot(v->w.n, p) + v->z;
    out->vertex[i] = vertex;
    out->edge[i] = edge;
}

static void lay(const view *v, vec3 normal, uint32_t face, facing *out)
{
    const double z = v3_dot(v->w.n, normal);
    out->face = face;
    out->steep = fabs(z) < 0.01;
    out->gx = out->steep ? 0 : -v3_dot(v->w.t1, normal) / z;
    out->gy = out->steep ? 0 : -v3_dot(v->w.t2, normal) / z;
}

int squarest_face(const thud_hull *h, int v, vec3 m)
{
    int best = -1;
    double most = -DBL_MAX;
    for (int k = h->near_start[v]; k < h->near_start[v + 1]; k++) {
        const thud_edge *e = &h->edge[h->near_edge[k]];
        const int f = e->vertex[0] == v ? e->face[0] : e->face[1];
        const double square = v3_dot(h->face[f].normal, m);
        if (square > most || (square == most && f < best)) {
            most = square;
            best = f;
        }
    }
    return best;
}

static void put_face(const view *v, const core *c, int face, facing *out)
{
    const thud_hull *h = c->hull;
    const int start = h->face_start[face], size = thud_hull_face_size(h, face);
    const int stride = (size + FACING_SIDES - 1) / FACING_SIDES;
    for (int k = 0; k < size; k += stride) {
        const int i = h->face_vertex[start + k];
        put(v, c->vertex[i], feature(THUD_FEATURE_VERTEX, i),
            feature(THUD_FEATURE_EDGE, h->face_edge[start + k]), out);
    }
    lay(v, h->face[face].normal, feature(THUD_FEATURE_FACE, face), out);
}

static void put_segment(const view *v, vec3 middle, double half, vec3 normal, facing *out)
{
    const uint32_t edge = feature(THUD_FEATURE_EDGE, 0);
    put(v, v3_add(middle, v3(0, 0, -half)), feature(THUD_FEATURE_VERTEX, 0), edge, out);
    put(v, v3_add(middle, v3(0, 0, half)), feature(THUD_FEATURE_VERTEX, 1), edge, out);
    lay(v, normal, edge, out);
}

// The rim's points at k * 22.5 degrees, counter-clockwise about the cap's own normal, and between them the
// one lowest along m, unless one of those at k * 90 degrees is as low to within eps: a cylinder that stands
// and trembles keeps to those four. A rim edge is named by the point it starts from.
static void put_cap(const view *v, const core *c, vec3 m, double eps, facing *out)
{
    const double r = c->size[0], tilt = sqrt(m.x * m.x + m.y * m.y);
    const int face = m.z > 0;
    const double z = face ? c->size[1] : -c->size[1];
    const double at = tilt > 0 ? thud_atan2(m.y, m.x) * (FACING_RIM / TURN) : 0;
    const double quarter = thud_max(fabs(m.x), fabs(m.y)); // of those four, the lowest's
    const bool lowest = r * (tilt - quarter) > eps;
    const int before = (int)floor(at) & (FACING_RIM - 1);
    for (int i = 0; i < FACING_RIM; i++) {
        const int k = face ? i : FACING_RIM - 1 - i;
        const bool here = lowest && k == before;
        const double angle = (TURN / FACING_RIM) * k;
        const int index = FACING_RIM * face + k;
        for (int order = 0; order < 2; order++) { // the lowest comes after k, or before it on the lower cap
            if (order == (face ? 0 : 1)) {
                put(v, v3(r * thud_cos(angle), r * thud_sin(angle), z), feature(THUD_FEATURE_VERTEX, index),
                    feature(THUD_FEATURE_EDGE, 1 + index), out);
            } else if (here) {
                put(v, v3(r * m.x / tilt, r * m.y / tilt, z), feature(THUD_FEATURE_POINT, face),
                    feature(THUD_FEATURE_EDGE, 1 + 2 * FACING_RIM + face), out);
            }
        }
    }
    lay(v, v3(0, 0, face ? 1 : -1), feature(THUD_FEATURE_FACE, face), out);
}

static vec3 across(vec3 m) // the part of m across the axis, as a unit vector
{
    const vec3 u = v3(m.x, m.y, 0);
    return v3_norm2(u) > 0 ? v3_normalize(u) : v3(1, 0, 0);
}

void facing_of(const duo *d, const facet *f, const frame *w, int side, facing *out)
{
    const core *c = side == 0 ? &d->a : &d->b;
    view v = {.w = *w, .x = 0, .y = 0, .z = side == 0 ? c->round : -c->round};
    vec3 m = w->n; // outward, in the shape's frame
    if (side == 1) {
        v.x = v3_dot(w->t1, d->p);
        v.y = v3_dot(w->t2, d->p);
        v.z += v3_dot(w->n, d->p);
        v.w = (frame){duo_to_b(d, w->t1), duo_to_b(d, w->t2), duo_to_b(d, w->n)};
        m = v3_neg(v.w.n);
    }
    out->count = 0;
    out->orientation = side == 0 ? 1 : -1;
    if (c->hull) {
        const bool known = f->kind == (side == 0 ? FACET_FACE_A : FACET_FACE_B);
        put_face(&v, c, known ? f->feature[side] : squarest_face(c->hull, f->v[side], m), out);
    } else if (c->kind == THUD_SHAPE_CAPSULE && m.z * m.z > STANDING) {
        const int end = m.z > 0;
        put(&v, v3(0, 0, end ? c->size[1] : -c->size[1]), feature(THUD_FEATURE_VERTEX, end),
            feature(THUD_FEATURE_EDGE, 0), out);
        lay(&v, m, feature(THUD_FEATURE_VERTEX, end), out);
    } else if (c->kind == THUD_SHAPE_CAPSULE) {
        put_segment(&v, v3(0, 0, 0), c->size[1], across(m), out);
    } else if (c->kind == THUD_SHAPE_CYLINDER && m.z * m.z > 0.5) {
        put_cap(&v, c, m, 1e-9 * d->scale, out);
    } else if (c->kind == THUD_SHAPE_CYLINDER) {
        put_segment(&v, v3_scale(c->size[0], across(m)), c->size[1], across(m), out);
    } else {
        const vec3 p = side == 0 ? f->a : duo_to_b(d, v3_sub(f->b, d->p));
        put(&v, p, feature(THUD_FEATURE_POINT, 0), feature(THUD_FEATURE_POINT, 0), out);
        lay(&v, m, feature(THUD_FEATURE_POINT, 0), out);
    }
}
