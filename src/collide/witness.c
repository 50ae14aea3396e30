// SPDX-License-Identifier: Apache-2.0
// witness.c: proofs that a facet is the one, from its own numbers; and the choice among equals.
//
// The proof [cover.c, bound (2)]: where the foot of the origin lies rho inside the facet of M at the height
// s = -delta, every direction at the angle t from n has s(t) <= -delta cos t - rho sin t. Shapes that are
// apart (delta < 0) are done: that is below s(0) at every angle. For others it is so while tan(t/2) < rho /
// delta: for a shallow overlap nearly to t = 180 degrees, where the shapes would have to leave through each
// other. The directions that remain are ruled out by one far point w = b - a of M, s(t) <= n . w.
//
// Symbols  duo.h, cover.c; tan(t0 / 2) = T: up to t0 the facet proves it, beyond the far point must.
// Differs  [BW 7.1] caches a penetrating vertex, or an edge and the face it meets, to recall *that* there is
//          overlap; these features also recall how much and in which direction, and see his footnote 6.
// Cost     one support search each way, and the sides of one face; for parallel faces, of both.
#include <float.h>

#include "duo.h"

enum { LOOP = 32 };                  // corners of the faces that parallel_clearance compares
static const double PARALLEL = 1e-6; // rad: normals closer than this may be equal within rounding

// ---------------------------------------------------------------------------------------------- choice

// Replaces f by the face of `side` at its support point whose normal is f's, if there is one as good.
static bool settle_on_face(const duo *d, int side, facet *f)
{
    const core *c = side == 0 ? &d->a : &d->b;
    const vec3 m = side == 0 ? f->n : v3_neg(duo_to_b(d, f->n));
    int face = -1;
    double most = PARALLEL * PARALLEL;
    if (c->kind == THUD_SHAPE_CYLINDER) {
        face = m.x * m.x + m.y * m.y < most ? f->v[side] : -1;
    } else if (c->hull) {
        const thud_hull *h = c->hull;
        for (int k = h->near_start[f->v[side]]; k < h->near_start[f->v[side] + 1]; k++) {
            const thud_edge *e = &h->edge[h->near_edge[k]];
            const int i = e->vertex[0] == f->v[side] ? e->face[0] : e->face[1];
            const double off = v3_norm2(v3_sub(h->face[i].normal, m));
            if (off < most || (off == most && i < face)) {
                most = off;
                face = i;
            }
        }
    }
    facet g = {.v = {f->v[0], f->v[1]}};
    if (face >= 0 && c->hull) { // n . (b - a) bounds s: most need no search
        const vec3 n = c->hull->face[face].normal, gap = v3_sub(f->b, f->a);
        const double bound = side == 0 ? v3_dot(n, gap) : -v3_dot(n, duo_to_b(d, gap));
        if (bound < f->s - 2 * d->tol) {
            return false;
        }
    }
    if (face >= 0 && facet_of_face(d, side, face, &g) && g.s >= f->s - 2 * d->tol) {
        *f = g;
        return true;
    }
    return false;
}

void duo_settle(const duo *d, facet *f)
{
    if (f->kind != FACET_FACE_A && !settle_on_face(d, 0, f) && f->kind != FACET_FACE_B) {
        settle_on_face(d, 1, f);
    }
}

// -------------------------------------------------------------------------------------- parallel faces

typedef struct loop { // a face's polygon, in A's frame
    int count;
    vec3 x[LOOP];
} loop;

static bool loop_of(const core *c, int face, loop *out)
{
    const thud_hull *h = c->hull;
    out->count = thud_hull_face_size(h, face);
    for (int k = 0; k < out->count && out->count <= LOOP; k++) {
        out->x[k] = c->vertex[h->face_vertex[h->face_start[face] + k]];
    }
    return out->count <= LOOP;
}

// The least, over the sides of P, of how far Q reaches inside; n is P's outward normal.
static double reach_inside(const loop *P, const loop *Q, vec3 n)
{
    double least = DBL_MAX;
    for (int i = 0; i < P->count; i++) {
        const vec3 inward = v3_cross(n, v3_sub(P->x[i + 1 < P->count ? i + 1 : 0], P->x[i]));
        double most = -DBL_MAX;
        for (int k = 0; k < Q->count; k++) {
            most = most_of(most, v3_dot(inward, v3_sub(Q->x[k], P->x[i])));
        }
        least = least_of(least, most / v3_norm(inward));
    }
    return least;
}

// When the other shape's face is parallel to f's within rounding, M's facet is the difference of both
// polygons: the foot lies inside it as far as they overlap. Negative: not parallel, or apart.
static double parallel_clearance(const duo *d, const facet *f)
{
    const int side = f->kind == FACET_FACE_A ? 0 : 1;
    facet g = *f;
    g.kind = FACET_NONE;
    g.s -= 8 * d->tol;
    loop P, Q;
    if ((f->kind != FACET_FACE_A && f->kind != FACET_FACE_B) || !d->a.hull || !d->b.hull ||
        !settle_on_face(d, 1 - side, &g) || !loop_of(&d->a, side == 0 ? f->feature[0] : g.feature[0], &P) ||
        !loop_of(&d->b, side == 1 ? f->feature[1] : g.feature[1], &Q)) {
        return -1;
    }
    double high = -DBL_MAX, low = DBL_MAX; // of A's face and B's along n
    for (int k = 0; k < P.count; k++) {
        high = most_of(high, -v3_dot(f->n, P.x[k]));
    }
    for (int k = 0; k < Q.count; k++) {
        Q.x[k] = duo_from_b(d, Q.x[k]);
        low = least_of(low, -v3_dot(f->n, Q.x[k]));
    }
    // Every vertex of both within rounding of its support point?
    if (high + v3_dot(f->n, f->a) > d->tol || -low - v3_dot(f->n, f->b) > d->tol) {
        return -1;
    }
    return least_of(reach_inside(&P, &Q, f->n), reach_inside(&Q, &P, v3_neg(f->n)));
}

// ---------------------------------------------------------------------------------------------- proof

// Does the point w of M rule out the directions that the facet itself does not?
static bool rules_out_the_rest(const duo *d, const facet *f, double rho, vec3 w)
{
    const double delta = most_of(-f->s, 4 * d->tol), T = 0.5 * rho / delta;
    const double high = v3_dot(f->n, w), wide = v3_norm(v3_axpy(-high, f->n, w));
    // s(t0) <= high cos t0 + wide sin t0, which falls from there on if high > 0; times 1 + T T.
    return high > 0 && high * (1 - T * T) + 2 * wide * T <= -(delta + 2 * d->tol) * (1 + T * T);
}

bool facet_is_maximum(const duo *d, facet *f)
{
    int next[2][2];
    double rho = facet_clearance(d, f, next);
    f->room = most_of(0, rho);
    // Beyond the angle PARALLEL everything must be worse by more than two tolerances (the factor 1/2 in T).
    if (!(rho * PARALLEL >= 8 * d->tol)) {
        rho = parallel_clearance(d, f);
    }
    if (!(rho * PARALLEL >= 8 * d->tol)) {
        return false;
    }
    if (f->s > 4 * d->tol) {
        return true;
    }
    // A far point: from the middle of A to the middle of B will mostly do.
    const vec3 centre_a = core_centre(&d->a), centre_b = duo_from_b(d, core_centre(&d->b));
    if (rules_out_the_rest(d, f, rho, v3_sub(centre_b, centre_a))) {
        return true;
    }
    int v[2] = {f->v[0], f->v[1]};
    const vec3 a = core_support(&d->a, v3_neg(f->n), &v[0]);
    const vec3 b = duo_from_b(d, core_support(&d->b, duo_to_b(d, f->n), &v[1]));
    return rules_out_the_rest(d, f, rho, v3_sub(b, a));
}
