// SPDX-License-Identifier: Apache-2.0
// convex.c: two convex shapes: last time's witness first, then its neighbours, then the full search [BW 7.1].
//
// Why a cache cannot change the answer. The answer is a function of one facet (n and the features that make
// it), and the numbers of a facet depend only on its features and the poses. A remembered facet is used in
// two cases: it shows the shapes to be farther apart than the margin by more than any rounding, and then
// there is no contact whoever asks; or it is proven to be the maximum of s by more than rounding
// (facet_is_maximum), and then the full search ends at the same one. What is equal within rounding is settled
// by a fixed preference.
//
// Symbols  duo.h.
// Cost     a witness: one facet and one proof. A search: separate.c, and cover.c when the shapes overlap.
#include <float.h>

#include "pair.h"

enum { CACHE_EMPTY, CACHE_FACE_A, CACHE_FACE_B, CACHE_EDGES, CACHE_PLANE };

// A plane that parted the shapes, by its normal in A's frame; what it says now is as true of any other normal.
static bool recall_plane(const duo *d, const thud_pair_cache *cache, facet *f)
{
    const vec3 n = v3(cache->normal[0], cache->normal[1], cache->normal[2]);
    const double length = v3_norm(n);
    if (!(length > 0.5 && length < 2)) {
        return false;
    }
    duo_value(d, v3_scale(1 / length, n), f);
    return true;
}

static bool recall(const duo *d, const thud_pair_cache *cache, facet *f)
{
    f->v[0] = cache->vertex[0];
    f->v[1] = cache->vertex[1];
    switch (cache->kind) {
    case CACHE_FACE_A:
        return facet_of_face(d, 0, cache->feature[0], f);
    case CACHE_FACE_B:
        return facet_of_face(d, 1, cache->feature[1], f);
    case CACHE_EDGES:
        return facet_of_edges(d, cache->feature[0], cache->feature[1], f);
    case CACHE_PLANE:
        return recall_plane(d, cache, f);
    default:
        return false;
    }
}

static void remember(const facet *f, thud_pair_path path, bool apart, thud_pair_cache *cache)
{
    cache->path = path;
    cache->apart = apart;
    cache->kind = f->kind == FACET_FACE_A   ? CACHE_FACE_A
                  : f->kind == FACET_FACE_B ? CACHE_FACE_B
                  : f->kind == FACET_EDGES  ? CACHE_EDGES
                  : apart                   ? CACHE_PLANE
                                            : CACHE_EMPTY;
    for (int side = 0; side < 2; side++) {
        cache->feature[side] = f->feature[side];
        cache->vertex[side] = f->v[side];
    }
    cache->normal[0] = (float)f->n.x;
    cache->normal[1] = (float)f->n.y;
    cache->normal[2] = (float)f->n.z;
}

// A plane that parts the shapes by more than enough: the face most square to it, if it keeps half of what is over, will hold
// for longer.
static void lean_on_face(const duo *d, double enough, facet *f)
{
    facet best = {.kind = FACET_NONE, .s = 0.5 * (enough + f->s)};
    for (int side = 0; side < 2; side++) {
        const core *c = side == 0 ? &d->a : &d->b;
        facet face = *f;
        const vec3 m = side == 0 ? f->n : v3_neg(duo_to_b(d, f->n));
        if (c->hull && facet_of_face(d, side, squarest_face(c->hull, f->v[side], m), &face) &&
            face.s > best.s) {
            best = face;
        }
    }
    if (best.kind != FACET_NONE) {
        *f = best;
    }
}

static void search(const duo *d, double enough, facet *f)
{
    if (d->a.kind == THUD_SHAPE_CAPSULE && d->b.kind == THUD_SHAPE_CAPSULE) {
        capsules_facet(d, f);
        return;
    }
    const bool boxes = d->a.kind == THUD_SHAPE_BOX && d->b.kind == THUD_SHAPE_BOX;
    if (boxes) {
        duo_part_boxes(d, f);
    }
    if (!boxes || (f->s > 0 && !(f->s > enough) && !facet_is_maximum(d, f))) {
        const bool parted = duo_separate(d, d->p, enough, f);
        if (parted && f->s > enough) {
            lean_on_face(d, enough, f);
        } else if (parted) {
            duo_ascend(d, f);
        } else if (!boxes) {
            duo_cover(d, f);
        } else {
            duo_part_boxes(d, f);
        }
    }
    if (!(f->s > enough)) {
        duo_settle(d, f);
    }
}

// The shapes were apart, and last time's plane no longer shows it: a few steps of separate.c from its normal find another.
static bool part_again(const duo *d, double enough, facet *f)
{
    facet g = {.v = {f->v[0], f->v[1]}};
    const bool parted = duo_separate(d, f->n, enough, &g) && g.s > enough;
    if (parted) {
        lean_on_face(d, enough, &g);
        *f = g;
    }
    return parted;
}

// By last time's features or those near them. False: they prove nothing.
static bool by_witness(const duo *d, double enough, thud_pair_cache *cache, facet *f)
{
    const bool was_apart = cache->apart;
    if (f->s > enough || (!was_apart && facet_is_maximum(d, f))) {
        cache->path = THUD_PAIR_WITNESS;
        return true;
    }
    cache->path = THUD_PAIR_NEIGHBOUR;
    if (was_apart && part_again(d, enough, f)) {
        return true;
    }
    if (f->kind == FACET_NONE) { // it was no more than a plane
        return false;
    }
    duo_ascend(d, f);
    return f->s > enough || facet_is_maximum(d, f);
}

// The facet of greatest s, or any that shows s > enough.
void convex_facet(duo *d, double enough, thud_pair_cache *cache, facet *f)
{
    *f = (facet){.kind = FACET_NONE};
    const bool quick =
        cache && (cache->kind == CACHE_FACE_A || cache->kind == CACHE_FACE_B || cache->kind == CACHE_PLANE);
    const bool known = quick && recall(d, cache, f);
    if (known && f->s > enough) { // the most frequent case, before anything is prepared
        remember(f, THUD_PAIR_WITNESS, true, cache);
        return;
    }
    duo_complete(d);
    if ((known || (cache && !quick && recall(d, cache, f))) && by_witness(d, enough, cache, f)) {
        if (!(f->s > enough)) {
            duo_settle(d, f);
        }
        remember(f, cache->path, f->s > enough, cache);
        return;
    }
    search(d, enough, f);
    if (cache) {
        remember(f, THUD_PAIR_SEARCH, f->s > enough, cache);
    }
}

int convex_contacts(duo *d, double margin, thud_pair_cache *cache, thud_pair_contact out[THUD_MANIFOLD_MAX])
{
    const double enough = margin + d->a.round + d->b.round + 16 * d->tol;
    facet f;
    convex_facet(d, enough, cache, &f);
    return f.s > enough ? 0 : duo_manifold(d, &f, margin, out);
}

// [Ericson 2005, 5.1.9] the nearest points of two segments along z of their frames; where they meet, the
// direction normal to both.
void capsules_facet(const duo *d, facet *f)
{
    const double h = d->a.size[1], k = d->b.size[1];
    const vec3 u = v3(0, 0, 1), w = m3_col(&d->R, 2), r = d->p; // a = s u, b = p + t w
    const double uw = w.z, det = 1 - uw * uw, ur = r.z, wr = v3_dot(w, r);
    double s = det > 1e-12 ? (ur - uw * wr) / det : 0; // parallel: any s will do
    s = thud_min(h, thud_max(-h, s));
    double t = thud_min(k, thud_max(-k, uw * s - wr));
    s = thud_min(h, thud_max(-h, ur + uw * t));
    t = thud_min(k, thud_max(-k, uw * s - wr));
    const vec3 gap = v3_sub(v3_axpy(t, w, r), v3_scale(s, u));
    const double length = v3_norm(gap);
    if (length > 1e-9 * d->scale) {
        *f = (facet){.kind = FACET_OTHER, .v = {f->v[0], f->v[1]}};
        duo_value(d, v3_scale(1 / length, gap), f);
        f->line[0] = s > -h && s < h ? u : v3(0, 0, 0);
        f->line[1] = t > -k && t < k ? w : v3(0, 0, 0);
        f->feature[0] = f->feature[1] = 0;
    } else if (!facet_of_edges(d, 0, 0, f)) { // on one line: any direction across it
        *f = (facet){.kind = FACET_OTHER, .line = {u, w}};
        duo_value(d, v3(1, 0, 0), f);
    }
}
