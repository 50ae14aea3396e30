// SPDX-License-Identifier: Apache-2.0
// ascent.c: a local maximum of the gap s(n), by trying every pair of features around the support points.
//
// Symbols  duo.h; v = b - a at the current n; e an edge's direction; H the derivative of a support point
// along
//          a smooth surface, so that dv = -(H_A + R H_B R^T) dn.
//
// A convex surface is made of three sorts of places, by how far its normal can turn: faces (not at all),
// edges (about the edge) and points of a smooth piece or a vertex (freely). Around the support point of each
// shape we list them, and every pair of sorts leaves n determined:
//     face  x anything       n is the face's normal
//     edge  x edge           n is normal to both [BW 7.1]
//     edge  x point          n is normal to e and maximises n . v(n): one unknown
//     point x point          n maximises n . v(n): two unknowns
// The last two are closed forms between vertices (n along v, or along v less its part along e; only shapes
// that are apart have such a maximum) and Newton's method otherwise. Each candidate is judged by its true
// s(n), which is a lower bound of the distance whatever n is; so a candidate made from the wrong features
// does no harm.
//
// Cost   of a round: deg(a) + deg(b) candidates and those of the deg(a) deg(b) edge pairs (at most LINES^2)
// whose
//        arcs cross on the sphere of normals. Few rounds.
// Fails  never: it stops where no candidate is better, or after ROUNDS.
#include "duo.h"

enum { ROUNDS = 64, NEWTON = 24, LINES = 32 };
static const double WINDOW = 0.7; // rad: how far about an edge a maximum is looked for

typedef enum piece_kind { PIECE_POINT, PIECE_CIRCLE, PIECE_ELLIPSOID } piece_kind;

typedef struct piece { // a patch of a surface whose support point moves smoothly with n; in its shape's frame
    piece_kind kind;
    vec3 point;         // a vertex, or a circle's centre
    const double *size; // circle: radius; ellipsoid: semi-axes
} piece;

typedef struct line { // an edge and the normals of its two faces (B's negated), in A's frame
    int edge;
    vec3 dir, n1, n2;
    double length2;
    bool has_arc; // false: every direction normal to dir is one of its normals
} line;

// ---------------------------------------------------------------------------------------------- the features
// at a support point

static int lines_at(const core *c, int v)
{
    if (c->hull) {
        return c->hull->near_start[v + 1] - c->hull->near_start[v];
    }
    return c->kind == THUD_SHAPE_CAPSULE || c->kind == THUD_SHAPE_CYLINDER;
}

static line line_at(const duo *d, int side, int v, int k)
{
    const core *c = side == 0 ? &d->a : &d->b;
    line l = {.edge = 0, .dir = {0, 0, 1}};
    if (c->hull) {
        const thud_hull *h = c->hull;
        const int row = h->near_start[v] + k;
        l.edge = h->near_edge[row];
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

static piece piece_at(const core *c, int v)
{
    piece s = {.kind = PIECE_POINT, .point = {0, 0, 0}, .size = c->size};
    if (c->hull) {
        s.point = c->vertex[v];
    } else if (c->kind == THUD_SHAPE_ELLIPSOID) {
        s.kind = PIECE_ELLIPSOID;
    } else if (c->kind != THUD_SHAPE_SPHERE) {
        s.kind = c->kind == THUD_SHAPE_CYLINDER ? PIECE_CIRCLE : PIECE_POINT;
        s.point.z = v ? c->size[1] : -c->size[1];
    }
    return s;
}

// ---------------------------------------------------------------------------------------------- smooth
// pieces

static vec3 piece_point(const piece *s, vec3 m)
{
    if (s->kind == PIECE_CIRCLE) {
        const double h = sqrt(m.x * m.x + m.y * m.y);
        return h > 0 ? v3(s->size[0] * m.x / h, s->size[0] * m.y / h, s->point.z) : s->point;
    }
    if (s->kind == PIECE_ELLIPSOID) {
        const vec3 sm = v3(s->size[0] * m.x, s->size[1] * m.y, s->size[2] * m.z);
        const double h = v3_norm(sm);
        return h > 0 ? v3(s->size[0] * sm.x / h, s->size[1] * sm.y / h, s->size[2] * sm.z / h) : v3(0, 0, 0);
    }
    return s->point;
}

static vec3 piece_turn(const piece *s, vec3 m, vec3 t) // H t
{
    if (s->kind == PIECE_CIRCLE) { // H = r (I - u u^T) / |m_xy|, u = m_xy / |m_xy|
        const double h2 = m.x * m.x + m.y * m.y;
        const double c = (m.x * t.y - m.y * t.x) * s->size[0] / (h2 * sqrt(h2));
        return h2 > 0 ? v3(-c * m.y, c * m.x, 0) : v3(0, 0, 0);
    }
    if (s->kind == PIECE_ELLIPSOID) { // H = (S S - x x^T) / |S m|, x the support point
        const double *r = s->size;
        const double h = v3_norm(v3(r[0] * m.x, r[1] * m.y, r[2] * m.z));
        const vec3 x = piece_point(s, m);
        const vec3 y = v3_axpy(-v3_dot(x, t), x, v3(r[0] * r[0] * t.x, r[1] * r[1] * t.y, r[2] * r[2] * t.z));
        return h > 0 ? v3_scale(1 / h, y) : v3(0, 0, 0);
    }
    return v3(0, 0, 0);
}

static vec3 gap_vector(const duo *d, const piece s[2], vec3 n)
{
    const vec3 b = piece_point(&s[1], v3_neg(duo_to_b(d, n)));
    return v3_sub(duo_from_b(d, b), piece_point(&s[0], n));
}

static vec3 gap_turn(const duo *d, const piece s[2], vec3 n, vec3 t) // (H_A + R H_B R^T) t
{
    const vec3 b = piece_turn(&s[1], v3_neg(duo_to_b(d, n)), duo_to_b(d, t));
    return v3_add(piece_turn(&s[0], n, t), m3_mulv(&d->R, b));
}

// Newton's step within the plane of the unit vectors t1 and t2. The Hessian of n . v
// on the sphere is -K, K = H + (n . v) I; where K is not positive there is no maximum, and the step follows
// the gradient. Returns whether it was Newton's; *hope is the value at the maximum if it is where the step
// leads.
static bool newton_step(const duo *d, const piece s[2], vec3 n, vec3 t1, vec3 t2, vec3 *step, double *hope)
{
    const vec3 v = gap_vector(d, s, n), h1 = gap_turn(d, s, n, t1), h2 = gap_turn(d, s, n, t2);
    const double g1 = v3_dot(t1, v), g2 = v3_dot(t2, v), f = v3_dot(n, v);
    const double k11 = v3_dot(t1, h1) + f, k12 = v3_dot(t1, h2), k22 = v3_dot(t2, h2) + f;
    const double det = k11 * k22 - k12 * k12, g = sqrt(g1 * g1 + g2 * g2);
    const bool newton = k11 > 0 && det > 0;
    const double x1 = newton ? (k22 * g1 - k12 * g2) / det : g > 0 ? 0.1 * g1 / g : 0;
    const double x2 = newton ? (k11 * g2 - k12 * g1) / det : g > 0 ? 0.1 * g2 / g : 0;
    *hope = f + 0.5 * (x1 * g1 + x2 * g2);
    const double size = sqrt(x1 * x1 + x2 * x2), cut = size > 0.3 ? 0.3 / size : 1;
    *step = v3_axpy(cut * x1, t1, v3_scale(cut * x2, t2));
    return newton;
}

// Over all directions: Newton's method from *n. Given up when it promises less than `wanted`.
static bool maximise_freely(const duo *d, const piece s[2], double wanted, vec3 *n)
{
    int astray = 0;
    for (int k = 0; k < NEWTON; k++) {
        const vec3 t1 = v3_normalize(v3_cross(fabs(n->x) < 0.6 ? v3(1, 0, 0) : v3(0, 1, 0), *n));
        vec3 step;
        double hope;
        const bool newton = newton_step(d, s, *n, t1, v3_cross(*n, t1), &step, &hope);
        astray += !newton;
        if (newton && hope < wanted - 0.1 * fabs(wanted)) {
            return false;
        }
        if (astray > 4) {
            break; // higher, if not the top: the next round goes on from there
        }
        *n = v3_normalize(v3_add(*n, step));
        if (v3_norm2(step) < 1e-20) { // the next would be below 1e-20
            break;
        }
    }
    return true;
}

typedef struct turn { // directions normal to an edge, by their angle from n0
    const duo *d;
    const piece *s;
    vec3 n0, t0;
} turn;

// The slope of n . v at an angle, and minus the slope's slope.
static double slope_at(const turn *c, double angle, vec3 *n, double *bend)
{
    const double cosine = cos(angle), sine = sin(angle);
    *n = v3_axpy(cosine, c->n0, v3_scale(sine, c->t0));
    const vec3 t = v3_axpy(cosine, c->t0, v3_scale(-sine, c->n0)), v = gap_vector(c->d, c->s, *n);
    *bend = v3_dot(t, gap_turn(c->d, c->s, *n, t)) + v3_dot(*n, v);
    return v3_dot(t, v);
}

// Over the directions normal to e: uphill from *n in growing steps until the slope changes sign, at most
// WINDOW far; then Newton's method inside that bracket.
static bool maximise_about(const duo *d, const piece s[2], vec3 e, vec3 *n)
{
    const turn c = {.d = d, .s = s, .n0 = *n, .t0 = v3_normalize(v3_cross(e, *n))};
    double bend, at = 0, near = 0, far = 0;
    double slope = slope_at(&c, 0, n, &bend);
    const double way = slope > 0 ? 1 : -1;
    for (double step = 0.01; way * slope > 0; step *= 2) {
        if (step > WINDOW) {
            return true; // higher, if not the top: the next round goes on from there
        }
        near = far;
        far = way * step;
        slope = slope_at(&c, far, n, &bend);
    }
    at = 0.5 * (near + far);
    for (int k = 0; k < 2 * NEWTON && near != far; k++) {
        slope = slope_at(&c, at, n, &bend);
        if (way * slope > 0) {
            near = at;
        } else {
            far = at;
        }
        double next = at + slope / bend;
        if (!(way * (next - near) > 0 && way * (far - next) > 0)) {
            next = 0.5 * (near + far);
        }
        if (fabs(next - at) < 1e-15) {
            break;
        }
        at = next;
    }
    return true;
}

// Near a cap's normal, where the rim's support point turns fast: Newton's method in the rim's own angles,
// n = cos(alpha) u(psi) + sin(alpha) Z, which are regular there. Zero: t . v and w . v, t = du/dpsi, w =
// dn/dalpha.
static bool maximise_on_rim(const duo *d, const piece s[2], int side, vec3 *n)
{
    const vec3 Z = side == 0 ? v3(0, 0, 1) : v3_neg(m3_col(&d->R, 2));
    vec3 u = v3_axpy(-v3_dot(*n, Z), Z, *n);
    double alpha = atan2(v3_dot(*n, Z), v3_norm(u));
    if (!(v3_norm(u) > 1e-9)) {
        return false;
    }
    u = v3_normalize(u);
    piece other[2] = {s[0], s[1]};
    other[side].kind = PIECE_POINT; // its turn is in the formula
    for (int k = 0; k < NEWTON; k++) {
        const double c = cos(alpha), sine = sin(alpha), r = s[side].size[0];
        const vec3 t = v3_cross(Z, u), w = v3_axpy(c, Z, v3_scale(-sine, u));
        *n = v3_axpy(c, u, v3_scale(sine, Z));
        vec3 v = gap_vector(d, other, *n); // from the circle's centre
        v = v3_axpy(-r, u, v);
        const vec3 ht = gap_turn(d, other, *n, t), hw = gap_turn(d, other, *n, w);
        const double f1 = v3_dot(t, v), f2 = v3_dot(w, v);
        const double j11 = -v3_dot(u, v) - c * v3_dot(t, ht) - r, j12 = -v3_dot(t, hw);
        const double j21 = -sine * f1 - c * v3_dot(w, ht), j22 = -v3_dot(*n, v) - v3_dot(w, hw);
        const double det = j11 * j22 - j12 * j21;
        const double psi = fmin(0.5, fmax(-0.5, -(j22 * f1 - j12 * f2) / det));
        const double tilt = fmin(0.3, fmax(-0.3, -(j11 * f2 - j21 * f1) / det));
        if (!isfinite(psi) || !isfinite(tilt)) {
            return false;
        }
        u = v3_normalize(v3_axpy(cos(psi), u, v3_scale(sin(psi), t)));
        alpha += tilt;
        if (psi * psi + tilt * tilt < 1e-26) {
            break;
        }
    }
    *n = v3_axpy(cos(alpha), u, v3_scale(sin(alpha), Z));
    return true;
}

// Near the normal of a cap? Then the side whose it is, else -1.
static int near_cap(const duo *d, const piece s[2], vec3 n)
{
    const vec3 m = duo_to_b(d, n);
    if (s[0].kind == PIECE_CIRCLE && n.x * n.x + n.y * n.y < 0.04) {
        return 0;
    }
    return s[1].kind == PIECE_CIRCLE && m.x * m.x + m.y * m.y < 0.04 ? 1 : -1;
}

static int curvatures(const piece *s)
{
    return s->kind == PIECE_ELLIPSOID ? 2 : s->kind == PIECE_CIRCLE;
}

static bool maximise_curved(const duo *d, const piece s[2], vec3 e, double wanted, vec3 *n)
{
    const bool on_circle = v3_norm2(e) > 0;
    if (wanted < 0 && curvatures(&s[0]) + curvatures(&s[1]) < (on_circle ? 1 : 2)) {
        // Overlap: the Hessian is negative only if the pieces curve in every direction. (Where they overlap
        // in this direction but are apart in the wanted one, a round from there will find it.)
        return false;
    }
    if (on_circle) {
        return maximise_about(d, s, e, n);
    }
    const int cap = near_cap(d, s, *n);
    return cap >= 0 ? maximise_on_rim(d, s, cap, n) : maximise_freely(d, s, wanted, n);
}

// The maximum of n . v(n) near *n over the directions normal to e (zero: over all of them). Two vertices have
// a closed form.
static bool maximise(const duo *d, const piece s[2], vec3 e, double wanted, vec3 *n)
{
    const bool vertices = s[0].kind == PIECE_POINT && s[1].kind == PIECE_POINT;
    const vec3 from = vertices ? gap_vector(d, s, *n) : *n;
    const double ee = v3_norm2(e);
    const vec3 x = ee > 0 ? v3_axpy(-v3_dot(from, e) / ee, e, from) : from;
    const double length = v3_norm(x);
    if (!(length > (vertices ? d->tol : 1e-6))) {
        return false;
    }
    *n = v3_scale(1 / length, x);
    return vertices || maximise_curved(d, s, e, wanted, n);
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

static void try_faces(const duo *d, int side, const int v[2], vec3 gap, facet *best)
{
    const core *c = side == 0 ? &d->a : &d->b;
    for (int k = 0; k < faces_at(c, v[side]); k++) {
        facet f = {.v = {v[0], v[1]}};
        const int face = face_at(c, v[side], k);
        if (c->hull) { // n . gap bounds s: most faces need no search
            const vec3 normal = c->hull->face[face].normal;
            const vec3 n = side == 0 ? normal : v3_neg(m3_mulv(&d->R, normal));
            if (!(v3_dot(n, gap) > to_beat(d, best))) {
                continue;
            }
        }
        if (facet_of_face(d, side, face, &f)) {
            take_if_better(d, &f, best);
        }
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

static void try_edges(const duo *d, const int v[2], vec3 gap, vec3 start, facet *best)
{
    line p[LINES], q[LINES];
    if (lines_at(&d->a, v[0]) == 0 || lines_at(&d->b, v[1]) == 0) {
        return;
    }
    const int na = lines_near(d, 0, v[0], start, p), nb = lines_near(d, 1, v[1], start, q);
    for (int i = 0; i < na; i++) {
        for (int j = 0; j < nb; j++) {
            facet f = {.v = {v[0], v[1]}};
            if (arcs_cross(&p[i], &q[j]) && edges_may_win(&p[i], &q[j], gap, to_beat(d, best)) &&
                facet_of_edges(d, p[i].edge, q[j].edge, &f)) {
                take_if_better(d, &f, best);
            }
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
    if (!maximise(d, s, e, best->s, &n) || (l && l->has_arc && !in_arc(l, n))) {
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

// ---------------------------------------------------------------------------------------------- ascent

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
    const double lean = fmin(0.3, beyond / fmax(fabs(f->s), c->size[0])) / h;
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
            explore_rim(d, f, next, &best);
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
