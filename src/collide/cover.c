// SPDX-License-Identifier: Apache-2.0
// cover.c: the greatest s(n) of two overlapping cores, by covering the sphere of directions with triangles
// and proving of each that nothing better is in it.
//
// Overlapping shapes have many local maxima of s: each side of a box is one way out. The sphere is cut into
// the eight triangles of the octahedron, and these into four, until each is ruled out by one of two bounds,
// or is so small that climbing from its middle settles it.
//
// (1) For any w in M, s(n) <= n . w. A direction in the triangle is n = sum c_i n_i with c_i >= 0 and
//     sum c_i >= 1, so if all n_i . w are negative then s(n) <= max n_i . w. We take for w the support points
//     at the corners, the point between them that all corners see alike, and one in the middle of M.
// (2) Let n* be a local maximum, s(n*) = -delta, whose foot lies rho inside its facet of M, and let M hold a
//     ball of radius r too that touches the facet there (r = c c / a for an ellipsoid). Then, at the angle t
//     from n*, s(n) <= -delta cos t - rho sin t - r (1 - cos t): the point of facet and ball farthest along
//     -n. When delta is small this covers nearly the whole sphere at once: a shallow overlap costs little
//     more than one climb.
//
// Symbols  duo.h; delta, rho, r as above.
// Differs  from the expanding polytope of van den Bergen (2001): it needs no hull of M, no memory, no
//          tetrahedron to start from, and has nothing to degenerate when the shapes touch or are flat.
// Fails    after CELLS triangles it stops with the best so far: only for shapes of very many equal ways out.
#include "duo.h"

enum { CELLS = 4000, CLIMBS = 96, STACK = 64, PEAKS = 12 };
static const double SMALL = 0.08; // rad: the longest side of a triangle that is settled by climbing

typedef struct cell {
    facet at[3]; // the corners
} cell;

typedef struct peak { // a local maximum, and how far around it there is no better
    vec3 n;
    double delta, rho, r;
} peak;

typedef struct cover {
    const duo *d;
    facet *best;
    vec3 middle; // a point inside M
    peak peak[PEAKS];
    int peaks, climbs;
} cover;

static double core_roundness(const core *c)
{
    if (c->kind != THUD_SHAPE_ELLIPSOID) {
        return 0;
    }
    const double *s = c->size;
    const double least = thud_min(s[0], thud_min(s[1], s[2])), most = thud_max(s[0], thud_max(s[1], s[2]));
    return most > 0 ? least * least / most : 0;
}

static void climb_from(cover *c, facet f)
{
    int next[2][2];
    c->climbs++;
    f.kind = FACET_NONE;
    duo_ascend(c->d, &f);
    if (f.s > c->best->s + c->d->tol || (c->best->kind == FACET_NONE && f.s >= c->best->s)) {
        *c->best = f;
    }
    for (int i = 0; i < c->peaks; i++) {
        if (v3_norm2(v3_sub(c->peak[i].n, f.n)) < 1e-20) {
            return; // known
        }
    }
    if (c->peaks < PEAKS && f.kind != FACET_NONE) {
        const double rho = facet_clearance(c->d, &f, next);
        const peak p = {.n = f.n,
                        .delta = -f.s,
                        .rho = rho > 0 ? rho : 0,
                        .r = core_roundness(&c->d->a) + core_roundness(&c->d->b)};
        if (rho >= 0) {
            c->peak[c->peaks++] = p;
        }
    }
}

// Bound (2): is nothing in the triangle better than the best?
static bool under_a_peak(const cover *c, const cell *t)
{
    for (int i = 0; i < c->peaks; i++) {
        const peak *p = &c->peak[i];
        double cosine = 1;
        for (int k = 0; k < 3; k++) {
            cosine = thud_min(cosine, v3_dot(p->n, t->at[k].n));
        }
        cosine = thud_max(-1, cosine);
        // The bound falls, then rises with the angle: the farthest corner decides. (A side of the triangle
        // can be a little farther off than its ends only beyond 90 degrees.)
        if (cosine < 0) {
            continue;
        }
        const double bound = -p->delta * cosine - p->rho * sqrt(1 - cosine * cosine) - p->r * (1 - cosine);
        if (bound <= c->best->s + c->d->tol) {
            return true;
        }
    }
    return false;
}

// The point of the plane through the three w_k that all corners see alike, as n_i . w: by Cramer's rule, with
// u = sum over i of what turns the n_i . w_k into ones. False when it lies outside the triangle of the w_k.
static bool alike(double G[3][3], double *value)
{
    const double c0 = G[1][1] * G[2][2] - G[1][2] * G[2][1], c1 = G[1][2] * G[2][0] - G[1][0] * G[2][2],
                 c2 = G[1][0] * G[2][1] - G[1][1] * G[2][0];
    const double det = G[0][0] * c0 + G[0][1] * c1 + G[0][2] * c2;
    const double l0 = c0 + G[0][2] * G[2][1] - G[0][1] * G[2][2] + G[0][1] * G[1][2] - G[0][2] * G[1][1];
    const double l1 = c1 + G[0][0] * G[2][2] - G[0][2] * G[2][0] + G[0][2] * G[1][0] - G[0][0] * G[1][2];
    const double l2 = c2 + G[0][1] * G[2][0] - G[0][0] * G[2][1] + G[0][0] * G[1][1] - G[0][1] * G[1][0];
    const double sum = l0 + l1 + l2; // lambda_k = l_k / sum, value = det / sum
    *value = det / sum;
    return sum > 0 ? l0 >= 0 && l1 >= 0 && l2 >= 0 : sum < 0 && l0 <= 0 && l1 <= 0 && l2 <= 0;
}

static bool ruled_out(const cover *c, const cell *t) // bound (1)
{
    const double enough = thud_min(0, c->best->s + c->d->tol);
    double G[3][3], value;
    for (int k = 0; k < 4; k++) {
        const vec3 w = k < 3 ? v3_sub(t->at[k].b, t->at[k].a) : c->middle;
        double most = enough;
        for (int i = 0; i < 3; i++) {
            const double seen = v3_dot(t->at[i].n, w);
            most = thud_max(most, seen);
            if (k < 3) {
                G[i][k] = seen;
            }
        }
        if (most <= enough) {
            return true;
        }
    }
    return alike(G, &value) && value <= enough;
}

static double longest_side2(const cell *t)
{
    return thud_max(
        v3_norm2(v3_sub(t->at[0].n, t->at[1].n)),
        thud_max(v3_norm2(v3_sub(t->at[1].n, t->at[2].n)), v3_norm2(v3_sub(t->at[2].n, t->at[0].n))));
}

static facet corner_between(cover *c, const facet *p, const facet *q)
{
    facet f = {.kind = FACET_NONE, .v = {p->v[0], p->v[1]}};
    duo_value(c->d, v3_normalize(v3_add(p->n, q->n)), &f);
    if (f.s > c->best->s + c->d->tol) {
        climb_from(c, f);
    }
    return f;
}

static void split(cover *c, const cell *t, cell out[4])
{
    const facet m01 = corner_between(c, &t->at[0], &t->at[1]), m12 = corner_between(c, &t->at[1], &t->at[2]),
                m20 = corner_between(c, &t->at[2], &t->at[0]);
    out[0] = (cell){{t->at[0], m01, m20}};
    out[1] = (cell){{m01, t->at[1], m12}};
    out[2] = (cell){{m20, m12, t->at[2]}};
    out[3] = (cell){{m01, m12, m20}};
}

static void settle_by_climbing(cover *c, const cell *t)
{
    facet f = t->at[0];
    duo_value(c->d, v3_normalize(v3_add(t->at[0].n, v3_add(t->at[1].n, t->at[2].n))), &f);
    climb_from(c, f);
}

void duo_cover(const duo *d, facet *best)
{
    cover c = {.d = d, .best = best, .middle = {0, 0, 0}, .peaks = 0, .climbs = 0};
    facet axis[6];
    for (int i = 0; i < 6; i++) {
        const double sign = i & 1 ? -1 : 1;
        axis[i] = (facet){.kind = FACET_NONE, .v = {best->v[0], best->v[1]}};
        duo_value(d, v3(i / 2 == 0 ? sign : 0, i / 2 == 1 ? sign : 0, i / 2 == 2 ? sign : 0), &axis[i]);
        c.middle = v3_axpy(1.0 / 6, v3_sub(axis[i].b, axis[i].a), c.middle);
        if (axis[i].s > best->s) {
            *best = axis[i];
        }
    }
    climb_from(&c, *best);
    cell stack[STACK];
    int count = 0;
    for (int i = 0; i < 8; i++) {
        stack[count++] = (cell){{axis[i & 1], axis[2 + (i >> 1 & 1)], axis[4 + (i >> 2)]}};
    }
    for (int k = 0; k < CELLS && c.climbs < CLIMBS && count > 0; k++) {
        const cell t = stack[--count];
        if (under_a_peak(&c, &t) || ruled_out(&c, &t)) {
            continue;
        }
        if (longest_side2(&t) < SMALL * SMALL || count + 4 > STACK) {
            settle_by_climbing(&c, &t);
            continue;
        }
        split(&c, &t, &stack[count]);
        count += 4;
    }
}
