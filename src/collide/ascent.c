// SPDX-License-Identifier: Apache-2.0
// ascent.c: a local maximum of the gap s(n), by walking from feature to feature.
//
// A convex surface is made of three sorts of places, by how far its normal can turn: faces (not at all),
// edges (about the edge) and points of a smooth piece or a vertex (freely). Every pair of sorts leaves n
// determined:
//     face  x anything       n is the face's normal
//     edge  x edge           n is normal to both [BW 7.1]
//     edge  x point          n is normal to e and maximises n . v(n) [curved.h]
//     point x point          n maximises n . v(n)
// Each candidate is judged by its true s(n), which is a lower bound of the distance whatever n is; so a
// candidate made from the wrong features does no harm. Two ways to the next one, the cheap one first:
//   across  the facet of M that f stands on is left over one of its sides, an edge of one shape times a
//   vertex
//           of the other; behind it lies a face of that edge, or the edge times an edge at that vertex;
//   around  every pair of features at the two support points.
//
// Symbols  duo.h.
// Cost     across: 2 + deg candidates; around: deg(a) + deg(b), and those of the deg(a) deg(b) edge pairs (at
//          most LINES^2) whose arcs cross on the sphere of normals. Few rounds.
// Fails    never: it stops where no candidate is better, or after ROUNDS.
#include "curved.h"

enum { ROUNDS = 64, LINES = 32 };

typedef struct line { // an edge and the normals of its two faces (B's negated), in A's frame
    int edge;
    vec3 dir, n1, n2;
    double length2;
    bool has_arc; // false: every direction normal to dir is one of its normals
} line;

// ---------------------------------------------------------------------------------------- features at a
// point

static int lines_at(const core *c, int v)
{
    if (c->hull) {
        return c->hull->near_start[v + 1] - c->hull->near_start[v];
    }
    return c->kind == THUD_SHAPE_CAPSULE || c->kind == THUD_SHAPE_CYLINDER;
}

static line line_of_edge(const duo *d, int side, int edge)
{
    const core *c = side == 0 ? &d->a : &d->b;
    line l = {.edge = edge, .dir = {0, 0, 1}};
    if (c->hull) {
        const thud_hull *h = c->hull;
        l.dir = v3_sub(c->vertex[h->edge[l.edge].vertex[1]], c->vertex[h->edge[l.edge].vertex[0]]);
        l.n1 = h->face[h->edge[l.edge].face[0]].normal;
        l.n2 = h->face[h->edge[l.edge].face[1]].normal;
        l.has_arc = true;
    }
    l.length2 = v3_norm2(l.dir);
    if (side == 1) {
        l.dir = m3_mulv(&d->R, l.dir);
        l.n1 = v3_neg(m3_mulv(&d->R, l.n1));
        l.n2 = v3_neg(m3_mulv(&d->R, l.n2));
    }
    return l;
}

static line line_at(const duo *d, int side, int v, int k)
{
    const thud_hull *h = (side == 0 ? &d->a : &d->b)->hull;
    return line_of_edge(d, side, h ? h->near_edge[h->near_start[v] + k] : 0);
}

static int faces_at(const core *c, int v)
{
    return c->kind == THUD_SHAPE_CYLINDER ? 1 : c->hull ? lines_at(c, v) : 0;
}

static int face_at(const core *c, int v, int k)
{
    if (!c->hull) {
        return v; // the cap on whose rim the support is
    }
    const thud_edge *e = &c->hull->edge[c->hull->near_edge[c->hull->near_start[v] + k]];
    return e->vertex[0] == v ? e->face[0] : e->face[1];
}

// ---------------------------------------------------------------------------------------------- candidates

// What a candidate must exceed. One that is made of features replaces one that is not even at a small loss.
static double to_beat(const duo *d, const facet *best)
{
    return best->kind == FACET_NONE ? best->s - 4 * d->tol : best->s + d->tol;
}

static void take_if_better(const duo *d, const facet *f, facet *best)
{
    if (f->s > to_beat(d, best)) {
        *best = *f;
    }
}

static void try_face(const duo *d, int side, int face, const int v[2], vec3 gap, facet *best)
{
    const core *c = side == 0 ? &d->a : &d->b;
    facet f = {.v = {v[0], v[1]}};
    if (c->hull) { // n . gap bounds s: most faces need no search
        const vec3 normal = c->hull->face[face].normal;
        const double bound = side == 0 ? v3_dot(normal, gap) : -v3_dot(normal, duo_to_b(d, gap));
        if (!(bound > to_beat(d, best))) {
            return;
        }
    }
    if (facet_of_face(d, side, face, &f)) {
        take_if_better(d, &f, best);
    }
}

static void try_faces(const duo *d, int side, const int v[2], vec3 gap, facet *best)
{
    const core *c = side == 0 ? &d->a : &d->b;
    for (int k = 0; k < faces_at(c, v[side]); k++) {
        try_face(d, side, face_at(c, v[side], k), v, gap, best);
    }
}

// Do the arcs of normals of two edges cross? Loosely: crossings at an arc's end count.
static bool arcs_cross(const line *p, const line *q)
{
    const double loose = 1e-9 * p->length2 * q->length2;
    if (p->has_arc && v3_dot(p->n1, q->dir) * v3_dot(p->n2, q->dir) > loose) {
        return false;
    }
    if (q->has_arc && v3_dot(q->n1, p->dir) * v3_dot(q->n2, p->dir) > loose) {
        return false;
    }
    if (!p->has_arc || !q->has_arc) {
        return true;
    }
    const vec3 x = v3_cross(p->dir, q->dir); // the crossings are at +-x: is it the same one?
    return v3_dot(x, v3_add(p->n1, p->n2)) * v3_dot(x, v3_add(q->n1, q->n2)) >= 0;
}

// n . gap bounds s(n), as in try_faces.
static bool edges_may_win(const line *p, const line *q, vec3 gap, double beat)
{
    const vec3 x = v3_cross(p->dir, q->dir);
    const double bound = v3_dot(x, gap);
    const double side = v3_dot(x, v3_add(v3_add(p->n1, p->n2), v3_add(q->n1, q->n2)));
    return (side > 0 ? bound : side < 0 ? -bound : fabs(bound)) > beat * v3_norm(x);
}

// The lines at a vertex; of more than LINES those whose normals are nearest to n.
static int lines_near(const duo *d, int side, int v, vec3 n, line out[LINES])
{
    const int count = lines_at(side == 0 ? &d->a : &d->b, v);
    double near[LINES];
    int kept = 0;
    for (int k = 0; k < count; k++) {
        const line l = line_at(d, side, v, k);
        const double value = v3_dot(n, v3_add(l.n1, l.n2));
        if (kept == LINES && !(value > near[LINES - 1])) {
            continue;
        }
        int i = kept < LINES ? kept++ : LINES - 1;
        for (; count > LINES && i > 0 && value > near[i - 1]; i--) {
            near[i] = near[i - 1];
            out[i] = out[i - 1];
        }
        near[i] = value;
        out[i] = l;
    }
    return kept;
}

static void try_pair(const duo *d, const line *p, const line *q, const int v[2], vec3 gap, facet *best)
{
    facet f = {.v = {v[0], v[1]}};
    if (arcs_cross(p, q) && edges_may_win(p, q, gap, to_beat(d, best)) &&
        facet_of_edges(d, p->edge, q->edge, &f)) {
        take_if_better(d, &f, best);
    }
}

static void try_edges(const duo *d, const int v[2], vec3 gap, vec3 start, facet *best)
{
    line p[LINES], q[LINES];
    if (lines_at(&d->a, v[0]) == 0 || lines_at(&d->b, v[1]) == 0) {
        return;
    }
    const int na = lines_near(d, 0, v[0], start, p), nb = lines_near(d, 1, v[1], start, q);
    for (int i = 0; i < na; i++) {
        for (int j = 0; j < nb; j++) {
            try_pair(d, &p[i], &q[j], v, gap, best);
        }
    }
}

// Is n between the normals of the edge's faces? Loosely.
static bool in_arc(const line *l, vec3 n)
{
    const double first = v3_dot(v3_cross(l->n1, n), l->dir), second = v3_dot(v3_cross(n, l->n2), l->dir);
    return first * second >= -1e-9 * v3_norm2(l->dir) && v3_dot(n, v3_add(l->n1, l->n2)) > 0;
}

static void try_point(const duo *d, const piece s[2], int side, const line *l, const int v[2], vec3 start,
                      facet *best)
{
    const vec3 e = l ? l->dir : v3(0, 0, 0);
    vec3 n = start;
    if (!gap_maximise(d, s, e, best->s, &n) || (l && l->has_arc && !in_arc(l, n))) {
        return;
    }
    if (!(v3_dot(n, gap_vector(d, s, n)) > to_beat(d, best))) {
        return; // a bound of s(n)
    }
    facet f = {.kind = FACET_OTHER, .v = {v[0], v[1]}};
    duo_value(d, n, &f);
    f.feature[0] = l && side == 0 ? l->edge : f.v[0];
    f.feature[1] = l && side == 1 ? l->edge : f.v[1];
    if (l) {
        f.line[side] = e;
    }
    take_if_better(d, &f, best);
}

static void try_points(const duo *d, const int v[2], vec3 start, facet *best)
{
    const piece s[2] = {piece_at(&d->a, v[0]), piece_at(&d->b, v[1])};
    if (best->s < 0 && s[0].kind == PIECE_POINT && s[1].kind == PIECE_POINT) {
        return; // overlapping shapes are not nearest at vertices
    }
    for (int side = 0; side < 2; side++) {
        const core *c = side == 0 ? &d->a : &d->b;
        for (int k = 0; k < lines_at(c, v[side]); k++) {
            const line l = line_at(d, side, v[side], k);
            try_point(d, s, side, &l, v, start, best);
        }
    }
    try_point(d, s, 0, NULL, v, start, best);
}

// The best candidate made of the features at the vertices v[0] of A and v[1] of B. start: where Newton's
// method begins.
static void explore(const duo *d, const int v[2], vec3 gap, vec3 start, facet *best)
{
    try_faces(d, 0, v, gap, best);
    try_faces(d, 1, v, gap, best);
    try_edges(d, v, gap, start, best);
    try_points(d, v, start, best);
}

// ---------------------------------------------------------------------------------------------- across

static int edge_between(const thud_hull *h, int i, int j)
{
    int k = h->near_start[i];
    while (h->near[k] != j) {
        k++;
    }
    return h->near_edge[k];
}

// The two facets of M behind its side (edge of `side`) x (vertex of the other shape).
static void try_behind(const duo *d, int side, int edge, int vertex, facet *best)
{
    const core *c = side == 0 ? &d->a : &d->b;
    const thud_edge *e = &c->hull->edge[edge];
    const int v[2] = {side == 0 ? e->vertex[0] : vertex, side == 0 ? vertex : e->vertex[0]};
    const vec3 gap = v3_sub(duo_from_b(d, d->b.vertex[v[1]]), d->a.vertex[v[0]]);
    const line l = line_of_edge(d, side, edge);
    try_face(d, side, e->face[0], v, gap, best);
    try_face(d, side, e->face[1], v, gap, best);
    for (int k = 0; k < lines_at(side == 0 ? &d->b : &d->a, vertex); k++) {
        const line other = line_at(d, 1 - side, vertex, k);
        try_pair(d, side == 0 ? &l : &other, side == 0 ? &other : &l, v, gap, best);
    }
}

// From a facet of two polyhedra whose foot lies beyond its rim; next as of facet_clearance.
static void step_across(const duo *d, const facet *f, int next[2][2], facet *best)
{
    if (!d->a.hull || !d->b.hull) {
        return;
    }
    if (f->kind == FACET_FACE_A || f->kind == FACET_FACE_B) {
        const int side = f->kind == FACET_FACE_A ? 0 : 1;
        const thud_hull *h = side == 0 ? d->a.hull : d->b.hull;
        try_behind(d, side, edge_between(h, next[side][0], next[side][1]), f->v[1 - side], best);
    } else if (f->kind == FACET_EDGES) {
        for (int side = 0; side < 2; side++) {
            if (next[side][0] == next[side][1]) { // beyond this end of its edge
                try_behind(d, 1 - side, f->feature[1 - side], next[side][0], best);
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------- around

static vec3 vertex_of(const core *c, int v, vec3 otherwise)
{
    return c->hull ? c->vertex[v] : otherwise;
}

// From a facet whose foot lies beyond its rim: look around the vertices there.
static void explore_rim(const duo *d, const facet *f, int next[2][2], facet *best)
{
    for (int k = 0; k < 4; k++) {
        const int v[2] = {next[0][k & 1], next[1][k >> 1]};
        if ((k & 1 && next[0][0] == next[0][1]) || (k >> 1 && next[1][0] == next[1][1])) {
            continue;
        }
        const vec3 a = vertex_of(&d->a, v[0], f->a);
        const vec3 b = d->b.hull ? duo_from_b(d, d->b.vertex[v[1]]) : f->b;
        explore(d, v, v3_sub(b, a), f->n, best);
    }
}

// Newton's method cannot start at the normal of a cylinder's cap, where the rim's support point is undefined:
// lean toward the foot of the other shape's point when that lies beyond the rim.
static vec3 off_the_cap(const duo *d, const facet *f)
{
    const int side = f->kind == FACET_FACE_A ? 0 : 1;
    const core *c = side == 0 ? &d->a : &d->b;
    if ((f->kind != FACET_FACE_A && f->kind != FACET_FACE_B) || c->kind != THUD_SHAPE_CYLINDER) {
        return f->n;
    }
    const vec3 x = side == 0 ? f->b : duo_to_b(d, v3_sub(f->a, d->p));
    const double h = sqrt(x.x * x.x + x.y * x.y), beyond = h - c->size[0];
    if (!(beyond > 0)) {
        return f->n;
    }
    const double lean = thud_min(0.3, beyond / thud_max(fabs(f->s), c->size[0])) / h;
    const vec3 out = v3(lean * x.x, lean * x.y, 0);
    return v3_normalize(side == 0 ? v3_add(f->n, out) : v3_sub(f->n, m3_mulv(&d->R, out)));
}

// Is the facet a local maximum already? Then there is no need to look around. The foot inside a facet of M
// proves it; the foot on an edge or point of M does for shapes that are apart.
static bool is_peak(const duo *d, const facet *f, int next[2][2], double *clearance)
{
    *clearance = f->kind == FACET_NONE ? 0 : facet_clearance(d, f, next);
    return f->kind == FACET_OTHER ? *clearance >= 0 && f->s > d->tol
                                  : f->kind != FACET_NONE && *clearance > 0;
}

void duo_ascend(const duo *d, facet *f)
{
    int next[2][2];
    double clearance;
    for (int round = 0; round < ROUNDS && !is_peak(d, f, next, &clearance); round++) {
        facet best = *f;
        if (clearance < 0) {
            step_across(d, f, next, &best);
            if (!(best.s > f->s)) {
                explore_rim(d, f, next, &best);
            }
        }
        if (f->kind == best.kind && !(best.s > f->s)) {
            explore(d, f->v, v3_sub(f->b, f->a), off_the_cap(d, f), &best);
        }
        if (f->kind == best.kind && !(best.s > f->s)) {
            break;
        }
        *f = best;
    }
}
