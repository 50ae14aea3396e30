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
// Cost     one support search each way, and the sides of one face.
#include "duo.h"

static const double PARALLEL = 1e-6; // rad: normals closer than this may be equal within rounding

bool facet_is_maximum(const duo *d, const facet *f, const int far[2])
{
    int next[2][2];
    const double rho = facet_clearance(d, f, next);
    // Beyond the angle PARALLEL everything must be worse by more than two tolerances (the factor 1/2 in T).
    if (!(rho * PARALLEL >= 8 * d->tol)) {
        return false;
    }
    if (f->s > 4 * d->tol) {
        return true;
    }
    int v[2] = {far[0], far[1]};
    const vec3 a = core_support(&d->a, v3_neg(f->n), &v[0]);
    const vec3 b = duo_from_b(d, core_support(&d->b, duo_to_b(d, f->n), &v[1]));
    const vec3 w = v3_sub(b, a);
    const double delta = fmax(-f->s, 4 * d->tol), T = 0.5 * rho / delta;
    const double high = v3_dot(f->n, w), wide = v3_norm(v3_axpy(-high, f->n, w));
    // s(t0) <= high cos t0 + wide sin t0, and falling from there on; times 1 + T T.
    return high * (1 - T * T) + 2 * wide * T <= -(delta + 2 * d->tol) * (1 + T * T);
}

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
