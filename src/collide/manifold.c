// SPDX-License-Identifier: Apache-2.0
// manifold.c: the contact points of two convex shapes along a given normal [BW 7.1, 8].
//
// Each shape shows a polygon: the face most square to the normal at its support point (a segment for the side
// of a capsule or cylinder, sixteen points and the lowest for a cylinder's cap, a point for what is round).
// Seen along n the two polygons are cut with each other; every corner of the common polygon is a contact: a
// vertex of one over the face of the other, or a crossing of two edges. Its dist is the gap between the two
// faces at that place, along n.
//
// The manifold is then reduced. Dropped are, in this order:
//   1. corners farther apart than the margin;
//   2. corners that coincide with a neighbour, or lie on the line between neighbours: they span nothing;
//   3. of a cylinder's cap that is wholly supported, all but every fourth point and the lowest;
//   4. above THUD_MANIFOLD_MAX, again and again the corner whose triangle with its neighbours is smallest.
// The deepest corner always stays. So up to sixteen corners the support polygon is kept whole.
//
// Symbols  duo.h; P the polygon that cuts, Q the one that is cut.
// Cost     O(|P| |Q|).
#include <float.h>
#include <string.h>

#include "duo.h"

enum { SIDES = 256, CORNERS = 2 * SIDES, RIM = 16 };

typedef struct polygon { // in A's frame, counter-clockwise about the shape's outward normal
    int count;
    vec3 x[SIDES];
    uint32_t vertex[SIDES], edge[SIDES]; // features; edge[i] leads from i to i + 1
    uint32_t face;
    vec3 normal; // outward, of the plane the polygon lies in
} polygon;

typedef struct corner { // of the polygon being cut
    vec3 x;             // on Q's plane
    uint32_t p, q;      // features of the two shapes
    int p_side;         // the side of P that the way to the next corner runs along, or -1: along Q's edge
    uint32_t q_edge;
} corner;

static uint32_t feature(thud_feature_kind kind, int index)
{
    return (uint32_t)kind << 28 | ((uint32_t)index & 0x0fffffffu);
}

// ---------------------------------------------------------------------------------------------- what each
// shape shows

static int squarest_face(const thud_hull *h, int v, vec3 m)
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

static void show_face(const thud_hull *h, int face, polygon *out)
{
    const int start = h->face_start[face], size = thud_hull_face_size(h, face);
    const int stride = (size + SIDES - 1) / SIDES; // 1, but for faces of more than SIDES corners
    out->count = 0;
    for (int k = 0; k < size; k += stride) {
        const int v = h->face_vertex[start + k];
        out->x[out->count] = h->vertex[v];
        out->vertex[out->count] = feature(THUD_FEATURE_VERTEX, v);
        out->edge[out->count++] = feature(THUD_FEATURE_EDGE, h->face_edge[start + k]);
    }
    out->face = feature(THUD_FEATURE_FACE, face);
    out->normal = h->face[face].normal;
}

static void show_segment(vec3 x0, vec3 x1, vec3 normal, polygon *out)
{
    out->count = 2;
    out->x[0] = x0;
    out->x[1] = x1;
    out->vertex[0] = feature(THUD_FEATURE_VERTEX, 0);
    out->vertex[1] = feature(THUD_FEATURE_VERTEX, 1);
    out->edge[0] = out->edge[1] = out->face = feature(THUD_FEATURE_EDGE, 0);
    out->normal = normal;
}

// The rim's points k * 22.5 degrees, and between them the one lowest along m unless it is one of them.
static void show_cap(const core *c, vec3 m, double eps, polygon *out)
{
    const double r = c->size[0], tilt = sqrt(m.x * m.x + m.y * m.y);
    const int face = m.z > 0;
    const double at = tilt > 0 ? atan2(m.y, m.x) * (RIM / 6.283185307179586477) : 0;
    const double step = floor(at + 0.5);
    const bool lowest = r * tilt * (1 - cos((at - step) * (6.283185307179586477 / RIM))) > eps;
    const int after = (int)floor(at) & (RIM - 1);
    out->count = 0;
    for (int i = 0; i < RIM; i++) {
        const int k = face ? i : RIM - 1 - i; // counter-clockwise about the cap's own normal
        const double angle = (6.283185307179586477 / RIM) * k;
        if (lowest && !face && k == after) {
            out->vertex[out->count] = feature(THUD_FEATURE_POINT, face);
            out->x[out->count++] = v3(r * m.x / tilt, r * m.y / tilt, -c->size[1]);
        }
        out->vertex[out->count] = feature(THUD_FEATURE_VERTEX, RIM * face + k);
        out->x[out->count++] = v3(r * cos(angle), r * sin(angle), face ? c->size[1] : -c->size[1]);
        if (lowest && face && k == after) {
            out->vertex[out->count] = feature(THUD_FEATURE_POINT, face);
            out->x[out->count++] = v3(r * m.x / tilt, r * m.y / tilt, c->size[1]);
        }
    }
    for (int i = 0; i < out->count; i++) { // the rim is one edge; its parts are told apart by their start
        const bool lowest_point = thud_feature_kind_of(out->vertex[i]) == THUD_FEATURE_POINT;
        const int part = lowest_point ? 2 * RIM + face : thud_feature_index_of(out->vertex[i]);
        out->edge[i] = feature(THUD_FEATURE_EDGE, 1 + part);
    }
    out->face = feature(THUD_FEATURE_FACE, face);
    out->normal = v3(0, 0, face ? 1 : -1);
}

// The polygon that a core shows to the outward direction m, and the rounding added, in its own frame. face:
// the one that m is normal to, or -1.
static void show(const core *c, vec3 m, vec3 support, int v, int face, double eps, polygon *out)
{
    const double *s = c->size;
    if (c->hull) {
        show_face(c->hull, face >= 0 ? face : squarest_face(c->hull, v, m), out);
    } else if (c->kind == THUD_SHAPE_CAPSULE) {
        const vec3 r = v3_scale(c->round, m);
        show_segment(v3_add(r, v3(0, 0, -s[1])), v3_add(r, v3(0, 0, s[1])), v3_normalize(v3(m.x, m.y, 0)),
                     out);
    } else if (c->kind == THUD_SHAPE_CYLINDER && m.z * m.z > 0.5) {
        show_cap(c, m, eps, out);
    } else if (c->kind == THUD_SHAPE_CYLINDER) {
        const vec3 u = v3_normalize(v3(m.x, m.y, 0));
        show_segment(v3_axpy(s[0], u, v3(0, 0, -s[1])), v3_axpy(s[0], u, v3(0, 0, s[1])), u, out);
    } else {
        out->count = 1;
        out->x[0] = v3_axpy(c->round, m, support);
        out->vertex[0] = out->edge[0] = out->face = feature(THUD_FEATURE_POINT, 0);
        out->normal = m;
    }
}

static void polygon_from_b(const duo *d, polygon *g)
{
    for (int i = 0; i < g->count; i++) {
        g->x[i] = duo_from_b(d, g->x[i]);
    }
    g->normal = m3_mulv(&d->R, g->normal);
}

// ---------------------------------------------------------------------------------------------- cutting

// Cuts the polygon in[] by side i of P, whose inside lies to the left seen against P's outward direction n. A
// corner where Q leaves P starts a way along P's side; where two such ways meet is a vertex of P.
static int cut(const polygon *P, int i, vec3 n, uint32_t q_face, double eps, const corner *in, int count,
               corner *out)
{
    const int j = i + 1 < P->count ? i + 1 : 0;
    const vec3 inward = v3_normalize(v3_cross(n, v3_sub(P->x[j], P->x[i])));
    int made = 0;
    for (int k = 0; k < count; k++) {
        const corner *c0 = &in[k], *c1 = &in[k + 1 < count ? k + 1 : 0];
        const double d0 = v3_dot(inward, v3_sub(c0->x, P->x[i])), d1 = v3_dot(inward, v3_sub(c1->x, P->x[i]));
        const bool in0 = d0 >= -eps, in1 = d1 >= -eps;
        if (in0 && made < CORNERS) {
            out[made++] = *c0;
        }
        if (in0 == in1 || made == CORNERS || (count == 2 && k == 1)) {
            continue;
        }
        corner x = *c0;
        x.x = v3_axpy(fmin(1, fmax(0, d0 / (d0 - d1))), v3_sub(c1->x, c0->x), c0->x);
        x.p = c0->p_side < 0 ? P->edge[i] : P->vertex[c0->p_side == i - 1 ? i : j];
        x.q = c0->p_side < 0 ? c0->q_edge : q_face;
        x.p_side = in0 ? i : c0->p_side;
        out[made++] = x;
    }
    return made;
}

// The common polygon of P and Q seen along n, in Q's plane. Returns the number of corners in c[].
static int intersect(const polygon *P, const polygon *Q, vec3 n, double eps, corner c[CORNERS])
{
    corner other[CORNERS];
    corner *from = c, *to = other;
    int count = Q->count;
    for (int k = 0; k < count; k++) {
        c[k] = (corner){.x = Q->x[k], .p = P->face, .q = Q->vertex[k], .p_side = -1, .q_edge = Q->edge[k]};
    }
    for (int i = 0; i < P->count && count > 0; i++) {
        count = cut(P, i, n, Q->face, eps, from, count, to);
        corner *swap = from;
        from = to;
        to = swap;
    }
    if (from != c) {
        memcpy(c, from, (size_t)count * sizeof *c);
    }
    return count;
}

// ---------------------------------------------------------------------------------------------- reducing

// Twice the area of the triangle that corner i spans with its neighbours, seen along n.
static double spanned(const thud_pair_contact *c, int count, int i, vec3 n)
{
    const vec3 x = c[i].point, before = c[(i + count - 1) % count].point, after = c[(i + 1) % count].point;
    return fabs(v3_dot(n, v3_cross(v3_sub(x, before), v3_sub(after, x))));
}

static void drop(thud_pair_contact *c, int *count, int i)
{
    memmove(&c[i], &c[i + 1], (size_t)(*count - i - 1) * sizeof *c);
    --*count;
}

static int deepest(const thud_pair_contact *c, int count)
{
    int best = 0;
    for (int i = 1; i < count; i++) {
        best = c[i].dist < c[best].dist ? i : best;
    }
    return best;
}

static bool is_rim(uint32_t feature)
{
    return thud_feature_kind_of(feature) == THUD_FEATURE_VERTEX ||
           thud_feature_kind_of(feature) == THUD_FEATURE_POINT;
}

// A cylinder's cap whose points are all corners needs no more than every fourth of them.
static void thin_cap(thud_pair_contact *c, int *count, int side)
{
    int rim = 0;
    for (int i = 0; i < *count; i++) {
        rim += is_rim(c[i].feature[side]);
    }
    if (rim < RIM || rim < *count) {
        return;
    }
    for (int i = *count - 1; i >= 0; i--) {
        const uint32_t f = c[i].feature[side];
        if (thud_feature_kind_of(f) == THUD_FEATURE_VERTEX && thud_feature_index_of(f) % 4 != 0) {
            drop(c, count, i);
        }
    }
}

static void reduce(const duo *d, vec3 n, thud_pair_contact *c, int *count)
{
    const double same = 1e-9 * d->scale, flat = 1e-12 * d->scale * d->scale;
    for (int i = 0; i<*count && * count> 1;) {
        const int j = (i + 1) % *count;
        if (v3_norm(v3_sub(c[i].point, c[j].point)) <= same) {
            drop(c, count, c[j].dist < c[i].dist ? i : j);
        } else {
            i++;
        }
    }
    if (d->a.kind == THUD_SHAPE_CYLINDER) {
        thin_cap(c, count, 0);
    }
    if (d->b.kind == THUD_SHAPE_CYLINDER) {
        thin_cap(c, count, 1);
    }
    for (bool more = true; more && *count > 2;) {
        const int keep = deepest(c, *count);
        int least = -1;
        double area = *count > THUD_MANIFOLD_MAX ? DBL_MAX : flat;
        for (int i = 0; i < *count; i++) {
            const double span = i == keep ? DBL_MAX : spanned(c, *count, i, n);
            if (span < area) {
                area = span;
                least = i;
            }
        }
        more = least >= 0;
        if (more) {
            drop(c, count, least);
        }
    }
}

// ---------------------------------------------------------------------------------------------- contacts

static uint32_t support_feature(const core *c, int v)
{
    return c->hull || c->kind == THUD_SHAPE_CAPSULE ? feature(THUD_FEATURE_VERTEX, v)
                                                    : feature(THUD_FEATURE_POINT, v);
}

void facet_contact(const duo *d, const facet *f, thud_pair_contact *out)
{
    vec3 a, b;
    facet_points(f, &a, &b);
    a = v3_axpy(d->a.round, f->n, a);
    b = v3_axpy(-d->b.round, f->n, b);
    out->point = v3_scale(0.5, v3_add(a, b));
    out->normal = f->n;
    out->dist = f->s - d->a.round - d->b.round;
    for (int side = 0; side < 2; side++) {
        const core *c = side == 0 ? &d->a : &d->b;
        const bool face = f->kind == (side == 0 ? FACET_FACE_A : FACET_FACE_B);
        const bool edge = v3_norm2(f->line[side]) > 0;
        out->feature[side] = face   ? feature(THUD_FEATURE_FACE, f->feature[side])
                             : edge ? feature(THUD_FEATURE_EDGE, f->feature[side])
                                    : support_feature(c, f->v[side]);
    }
}

// Two segments, nearly parallel seen along n: contacts at the ends of their common part.
static int along_segments(const duo *d, const polygon *P, const polygon *Q, vec3 n, thud_pair_contact *out)
{
    const double r = (d->a.hull ? 0 : d->a.size[0]) + (d->b.hull ? 0 : d->b.size[0]);
    const vec3 u = v3_sub(P->x[1], P->x[0]), w = v3_sub(Q->x[1], Q->x[0]);
    const double uu = v3_norm2(u), uw = v3_dot(u, w);
    if (!(uu > 0) || !(fabs(uw) > 0.9 * sqrt(uu * v3_norm2(w)))) {
        return 0;
    }
    const double t0 = v3_dot(u, v3_sub(Q->x[0], P->x[0])) / uu, t1 = t0 + uw / uu;
    const double low = fmax(0, fmin(t0, t1)), high = fmin(1, fmax(t0, t1));
    int made = 0;
    for (int end = 0; end < 2 && low < high; end++) {
        const double t = end == 0 ? low : high;
        const vec3 p = v3_axpy(t, u, P->x[0]), q = v3_axpy((t - t0) * uu / uw, w, Q->x[0]);
        const double h = v3_dot(n, v3_sub(q, p)), aside = v3_norm(v3_axpy(-h, n, v3_sub(q, p)));
        if (aside > 0.02 * r) {
            continue;
        }
        const bool at_p = t == (end == 0 ? 0 : 1), at_q0 = t == t0, at_q1 = t == t1;
        out[made++] =
            (thud_pair_contact){.point = v3_scale(0.5, v3_add(p, q)),
                                .dist = sqrt((h + r) * (h + r) + aside * aside) - r,
                                .feature = {at_p ? P->vertex[end] : P->edge[0], at_q0   ? Q->vertex[0]
                                                                                : at_q1 ? Q->vertex[1]
                                                                                        : Q->edge[0]}};
    }
    return made;
}

// Corners of P and Q as contacts: Q's plane holds them, P's is below them along n (outward of P).
static int corner_contacts(const polygon *P, const polygon *Q, vec3 n, double eps, int p_side,
                           thud_pair_contact *out)
{
    corner c[CORNERS];
    const double square = v3_dot(P->normal, n);
    if (!(square > 0.01)) {
        return 0;
    }
    const int count = intersect(P, Q, n, eps, c);
    for (int k = 0; k < count; k++) {
        const double h = v3_dot(P->normal, v3_sub(c[k].x, P->x[0])) / square;
        out[k].point = v3_axpy(-0.5 * h, n, c[k].x);
        out[k].dist = h;
        out[k].feature[p_side] = c[k].p;
        out[k].feature[1 - p_side] = c[k].q;
    }
    return count;
}

int duo_manifold(const duo *d, const facet *f, double margin, thud_pair_contact out[THUD_MANIFOLD_MAX])
{
    const double eps = 1e-11 * d->scale;
    polygon A, B;
    thud_pair_contact all[CORNERS], witness;
    const vec3 m = v3_neg(duo_to_b(d, f->n));
    show(&d->a, f->n, f->a, f->v[0], f->kind == FACET_FACE_A ? f->feature[0] : -1, eps, &A);
    show(&d->b, m, duo_to_b(d, v3_sub(f->b, d->p)), f->v[1], f->kind == FACET_FACE_B ? f->feature[1] : -1,
         eps, &B);
    polygon_from_b(d, &B);
    int count = 0, kept = 0;
    if (A.count == 2 && B.count == 2) {
        count = along_segments(d, &A, &B, f->n, all);
    } else if (A.count > 2 && B.count > 1) {
        count = corner_contacts(&A, &B, f->n, eps, 0, all);
    } else if (B.count > 2 && A.count > 1) {
        count = corner_contacts(&B, &A, v3_neg(f->n), eps, 1, all);
    }
    for (int i = 0; i < count; i++) {
        if (all[i].dist <= margin) {
            all[kept++] = all[i];
        }
    }
    reduce(d, f->n, all, &kept);
    facet_contact(d, f, &witness);
    if (kept == 0 || witness.dist < all[deepest(all, kept)].dist - 1e-10 * d->scale) {
        if (kept == THUD_MANIFOLD_MAX) {
            kept--;
        }
        if (witness.dist <= margin) {
            all[kept++] = witness;
        }
    }
    for (int i = 0; i < kept; i++) {
        out[i] = all[i];
        out[i].normal = f->n;
    }
    return kept;
}
