// SPDX-License-Identifier: Apache-2.0
// curved.c: the direction n that maximises n . v(n), v(n) = b - a between the support points of two smooth
// pieces.
//
// Two vertices have a closed form: n along v, or along v less its part along e. Otherwise Newton's method:
// over all directions with two unknowns, normal to an edge with one, and near the normal of a cylinder's cap,
// where the rim's support point turns fast, in the rim's own angles.
//
// Symbols  duo.h; e an edge's direction; H the derivative of a support point along a smooth surface, so that
//          dv = -(H_A + R H_B R^T) dn.
// Cost     at most 2 NEWTON evaluations of v and its derivative.
// Fails    returns false where the value has no maximum near by (surfaces that are flat in some direction and
//          overlap), or where Newton's model promises less than what is wanted.
#include <thud/elementary.h>

#include "curved.h"

enum { NEWTON = 24 };
static const double WINDOW = 0.7; // rad: how far about an edge a maximum is looked for

piece piece_at(const core *c, int v)
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

vec3 gap_vector(const duo *d, const piece s[2], vec3 n)
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
    const double cosine = thud_cos(angle), sine = thud_sin(angle);
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
    double alpha = thud_atan2(v3_dot(*n, Z), v3_norm(u));
    if (!(v3_norm(u) > 1e-9)) {
        return false;
    }
    u = v3_normalize(u);
    piece other[2] = {s[0], s[1]};
    other[side].kind = PIECE_POINT; // its turn is in the formula
    for (int k = 0; k < NEWTON; k++) {
        const double c = thud_cos(alpha), sine = thud_sin(alpha), r = s[side].size[0];
        const vec3 t = v3_cross(Z, u), w = v3_axpy(c, Z, v3_scale(-sine, u));
        *n = v3_axpy(c, u, v3_scale(sine, Z));
        vec3 v = gap_vector(d, other, *n); // from the circle's centre
        v = v3_axpy(-r, u, v);
        const vec3 ht = gap_turn(d, other, *n, t), hw = gap_turn(d, other, *n, w);
        const double f1 = v3_dot(t, v), f2 = v3_dot(w, v);
        const double j11 = -v3_dot(u, v) - c * v3_dot(t, ht) - r, j12 = -v3_dot(t, hw);
        const double j21 = -sine * f1 - c * v3_dot(w, ht), j22 = -v3_dot(*n, v) - v3_dot(w, hw);
        const double det = j11 * j22 - j12 * j21;
        const double psi = thud_min(0.5, thud_max(-0.5, -(j22 * f1 - j12 * f2) / det));
        const double tilt = thud_min(0.3, thud_max(-0.3, -(j11 * f2 - j21 * f1) / det));
        if (!isfinite(psi) || !isfinite(tilt)) {
            return false;
        }
        u = v3_normalize(v3_axpy(thud_cos(psi), u, v3_scale(thud_sin(psi), t)));
        alpha += tilt;
        if (psi * psi + tilt * tilt < 1e-26) {
            break;
        }
    }
    *n = v3_axpy(thud_cos(alpha), u, v3_scale(thud_sin(alpha), Z));
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

bool gap_maximise(const duo *d, const piece s[2], vec3 e, double wanted, vec3 *n)
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
