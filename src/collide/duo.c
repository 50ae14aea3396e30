// SPDX-License-Identifier: Apache-2.0
// duo.c: supports, gaps along a direction, and facets of M = B - A made from features [BW 7.1].
//
// Symbols  duo.h.
// Differs  Baraff's witness is a plane; ours is its normal with the value s of the gap along it, so that the
//          same features also measure an overlap.
// Cost     two support searches a value.
#include "duo.h"

#include <float.h>

static void core_place(core *c, const thud_shape *shape)
{
    c->kind = shape->kind;
    c->size[0] = shape->size[0];
    c->size[1] = shape->size[1];
    c->size[2] = shape->size[2];
    c->round = shape->kind == THUD_SHAPE_SPHERE || shape->kind == THUD_SHAPE_CAPSULE ? shape->size[0] : 0;
    c->hull = shape->kind == THUD_SHAPE_HULL ? shape->hull : NULL;
    c->vertex = c->hull ? c->hull->vertex : NULL;
}

static void core_complete(core *c)
{
    if (c->kind == THUD_SHAPE_BOX) {
        const double x = c->size[0], y = c->size[1], z = c->size[2];
        c->corner[0] = v3(-x, -y, -z);
        c->corner[1] = v3(x, -y, -z);
        c->corner[2] = v3(-x, y, -z);
        c->corner[3] = v3(x, y, -z);
        c->corner[4] = v3(-x, -y, z);
        c->corner[5] = v3(x, -y, z);
        c->corner[6] = v3(-x, y, z);
        c->corner[7] = v3(x, y, z);
        c->hull = &thud_hull_unit_box;
        c->vertex = c->corner;
    }
}

void duo_place(duo *d, const thud_shape *a, pose X_wa, const thud_shape *b, pose X_wb)
{
    core_place(&d->a, a);
    core_place(&d->b, b);
    d->R = m3_of_quat(q_mul(q_conj(X_wa.q), X_wb.q));
    d->p = q_unrotate(X_wa.q, v3_sub(X_wb.p, X_wa.p));
    d->scale = thud_shape_radius(a) + thud_shape_radius(b) + v3_norm(d->p);
    d->tol = 1e-13 * d->scale;
}

void duo_complete(duo *d)
{
    core_complete(&d->a);
    core_complete(&d->b);
}

vec3 core_support(const core *c, vec3 m, int *v)
{
    const double *s = c->size;
    switch (c->kind) {
    case THUD_SHAPE_CAPSULE:
        *v = m.z > 0;
        return v3(0, 0, m.z > 0 ? s[1] : -s[1]);
    case THUD_SHAPE_ELLIPSOID: {
        const vec3 sm = v3(s[0] * m.x, s[1] * m.y, s[2] * m.z);
        const double h = v3_norm(sm);
        *v = 0;
        return h > 0 ? v3(s[0] * sm.x / h, s[1] * sm.y / h, s[2] * sm.z / h) : v3(0, 0, 0);
    }
    case THUD_SHAPE_CYLINDER: {
        const double h = sqrt(m.x * m.x + m.y * m.y), z = m.z > 0 ? s[1] : -s[1];
        *v = m.z > 0;
        return h > 0 ? v3(s[0] * m.x / h, s[0] * m.y / h, z) : v3(s[0], 0, z);
    }
    case THUD_SHAPE_BOX:
        *v = (m.x > 0) + 2 * (m.y > 0) + 4 * (m.z > 0);
        return v3(m.x > 0 ? s[0] : -s[0], m.y > 0 ? s[1] : -s[1], m.z > 0 ? s[2] : -s[2]);
    case THUD_SHAPE_HULL:
        *v = thud_hull_support(c->hull, m, *v);
        return c->hull->vertex[*v];
    default:
        *v = 0;
        return v3(0, 0, 0);
    }
}

double duo_value(const duo *d, vec3 n, facet *f)
{
    f->n = n;
    f->a = core_support(&d->a, n, &f->v[0]);
    f->b = duo_from_b(d, core_support(&d->b, v3_neg(duo_to_b(d, n)), &f->v[1]));
    f->s = v3_dot(n, v3_sub(f->b, f->a));
    f->room = 0;
    return f->s;
}

// ---------------------------------------------------------------------------------------------- facets

// The point of a face farthest along its normal: a vertex of it. (Faces are flat only to rounding.)
static vec3 highest_of_face(const core *c, int face, vec3 normal, int *v)
{
    const thud_hull *h = c->hull;
    if (c->kind != THUD_SHAPE_HULL) {
        return core_support(c, normal, v);
    }
    int best = h->face_vertex[h->face_start[face]];
    double most = v3_dot(normal, h->vertex[best]);
    for (int k = h->face_start[face] + 1; k < h->face_start[face + 1]; k++) {
        const int i = h->face_vertex[k];
        const double value = v3_dot(normal, h->vertex[i]);
        if (value > most || (value == most && i < best)) {
            most = value;
            best = i;
        }
    }
    *v = best;
    return h->vertex[best];
}

bool facet_of_face(const duo *d, int side, int face, facet *f)
{
    const core *c = side == 0 ? &d->a : &d->b;
    vec3 normal;
    if (c->kind == THUD_SHAPE_CYLINDER && (face == 0 || face == 1)) {
        normal = v3(0, 0, face == 1 ? 1 : -1);
    } else if (c->kind == THUD_SHAPE_BOX && face >= 0 && face < 6) {
        const double sign = face & 1 ? 1 : -1;
        normal = v3(face / 2 == 0 ? sign : 0, face / 2 == 1 ? sign : 0, face / 2 == 2 ? sign : 0);
    } else if (c->kind == THUD_SHAPE_HULL && face >= 0 && face < c->hull->faces) {
        normal = c->hull->face[face].normal;
    } else {
        return false;
    }
    const vec3 high = highest_of_face(c, face, normal, &f->v[side]);
    if (side == 0) {
        f->n = normal;
        f->a = high;
        f->b = duo_from_b(d, core_support(&d->b, v3_neg(duo_to_b(d, normal)), &f->v[1]));
    } else {
        f->n = v3_neg(m3_mulv(&d->R, normal));
        f->a = core_support(&d->a, f->n, &f->v[0]);
        f->b = duo_from_b(d, high);
    }
    f->s = v3_dot(f->n, v3_sub(f->b, f->a));
    f->room = 0;
    f->kind = side == 0 ? FACET_FACE_A : FACET_FACE_B;
    f->feature[side] = face;
    f->feature[1 - side] = f->v[1 - side];
    f->line[0] = f->line[1] = v3(0, 0, 0);
    return true;
}

// The edge's direction and, for a hull, the outward directions between which its normals lie.
static bool edge_of(const core *c, int edge, vec3 *dir, vec3 *out)
{
    if (c->hull && edge >= 0 && edge < c->hull->edges) {
        const thud_edge *e = &c->hull->edge[edge];
        *dir = v3_sub(c->vertex[e->vertex[1]], c->vertex[e->vertex[0]]);
        *out = v3_add(c->hull->face[e->face[0]].normal, c->hull->face[e->face[1]].normal);
        return true;
    }
    *dir = v3(0, 0, 1);
    *out = v3(0, 0, 0);
    return edge == 0 && (c->kind == THUD_SHAPE_CAPSULE || c->kind == THUD_SHAPE_CYLINDER);
}

bool facet_of_edges(const duo *d, int edge_a, int edge_b, facet *f)
{
    vec3 u, out_a, w, out_b;
    if (!edge_of(&d->a, edge_a, &u, &out_a) || !edge_of(&d->b, edge_b, &w, &out_b)) {
        return false;
    }
    w = m3_mulv(&d->R, w);
    out_b = m3_mulv(&d->R, out_b);
    const vec3 x = v3_cross(u, w);
    const double length = v3_norm(x);
    if (!(length > 1e-10 * v3_norm(u) * v3_norm(w))) {
        return false; // parallel
    }
    // Out of A and into B; two lines without sides (capsules, cylinders) take the sign that parts them more.
    const double side = v3_dot(x, v3_sub(out_a, out_b));
    const vec3 n = v3_scale((side < 0 ? -1 : 1) / length, x);
    duo_value(d, n, f);
    if (side == 0) {
        facet other = *f;
        if (duo_value(d, v3_neg(n), &other) > f->s) {
            *f = other;
        }
    }
    f->kind = FACET_EDGES;
    f->feature[0] = edge_a;
    f->feature[1] = edge_b;
    f->line[0] = u;
    f->line[1] = w;
    return true;
}

// ---------------------------------------------------------------------------------------------- clearance

// Distance of x inside the polygon of a hull's face, in the face's plane, and the vertices of its nearest
// side.
static double inside_face(const core *c, int face, vec3 x, int near[2])
{
    const thud_hull *hull = c->hull;
    const vec3 normal = hull->face[face].normal;
    const int start = hull->face_start[face], end = hull->face_start[face + 1];
    double least = DBL_MAX;
    for (int k = start; k < end; k++) {
        const int i = hull->face_vertex[k], j = hull->face_vertex[k + 1 < end ? k + 1 : start];
        const vec3 inward = v3_cross(normal, v3_sub(c->vertex[j], c->vertex[i]));
        const double inside = v3_dot(inward, v3_sub(x, c->vertex[i])) / v3_norm(inward);
        if (!(inside >= least)) {
            least = inside;
            near[0] = i;
            near[1] = j;
        }
    }
    return least;
}

static double face_clearance(const core *c, int face, vec3 x, int near[2])
{
    if (c->hull) {
        return inside_face(c, face, x, near);
    }
    near[0] = near[1] = face; // a cylinder's cap
    return c->size[0] - sqrt(x.x * x.x + x.y * x.y);
}

// Where the common normal meets both lines: a + t[0] u + s n = b + t[1] w.
static void edge_parameters(const facet *f, double t[2])
{
    const vec3 u = f->line[0], w = f->line[1];
    const vec3 r = v3_axpy(-f->s, f->n, v3_sub(f->b, f->a));
    const double uu = v3_norm2(u), ww = v3_norm2(w), uw = v3_dot(u, w), ur = v3_dot(u, r), wr = v3_dot(w, r);
    const double det = uu * ww - uw * uw;
    t[0] = t[1] = 0;
    if (uu > 0 && ww > 0 && det > 0) {
        t[0] = (ur * ww - wr * uw) / det;
        t[1] = (ur * uw - wr * uu) / det;
    } else if (uu > 0) {
        t[0] = ur / uu;
    } else if (ww > 0) {
        t[1] = -wr / ww;
    }
}

// The end of edge e of a hull that is vertex v lies at parameter 0 or 1 of its line; the parameter that
// `line` gives to the foot is measured from v.
static double along(const core *c, int edge, int v, double t, int ends[2])
{
    if (!c->hull) { // a capsule or cylinder: from -h to h, and the support is one of the two
        ends[0] = 0;
        ends[1] = 1;
        return c->size[1] > 0 ? (t + (v ? 2 * c->size[1] : 0)) / (2 * c->size[1]) : 0.5;
    }
    const thud_edge *e = &c->hull->edge[edge];
    ends[0] = e->vertex[0];
    ends[1] = e->vertex[1];
    return v == e->vertex[1] ? t + 1 : v == e->vertex[0] ? t : -1; // neither: not this edge's facet
}

// Is the foot of the origin on the edge or point of M that f stands on?
static double other_clearance(const duo *d, const facet *f, int next[2][2])
{
    double t[2];
    edge_parameters(f, t);
    vec3 r = v3_axpy(-f->s, f->n, v3_sub(f->b, f->a));
    r = v3_axpy(-t[0], f->line[0], v3_axpy(t[1], f->line[1], r));
    bool on = v3_norm(r) <= 16 * d->tol;
    for (int side = 0; side < 2; side++) {
        if (v3_norm2(f->line[side]) > 0) {
            const core *c = side == 0 ? &d->a : &d->b;
            const double at = along(c, f->feature[side], f->v[side], t[side], next[side]);
            on = on && at >= 0 && at <= 1;
        }
    }
    return on ? 0 : -DBL_MAX;
}

static double edges_clearance(const duo *d, const facet *f, int next[2][2])
{
    double t[2], least = DBL_MAX;
    edge_parameters(f, t);
    const double sine = v3_norm(v3_cross(f->line[0], f->line[1]));
    for (int side = 0; side < 2; side++) {
        const core *c = side == 0 ? &d->a : &d->b;
        const double at = along(c, f->feature[side], f->v[side], t[side], next[side]);
        // Distance to the parallelogram's far sides, which run along the other edge.
        double length = sine / v3_norm(f->line[1 - side]);
        if (!c->hull) {
            length *= 2 * c->size[1];
        }
        const double inside = (at < 0.5 ? at : 1 - at) * length;
        if (at < 0) {
            next[side][1] = next[side][0];
        } else if (at > 1) {
            next[side][0] = next[side][1];
        }
        least = inside < least ? inside : least;
    }
    return least;
}

double facet_clearance(const duo *d, const facet *f, int next[2][2])
{
    int near[2] = {f->v[0], f->v[1]};
    double inside = -DBL_MAX;
    for (int i = 0; i < 2; i++) {
        next[i][0] = next[i][1] = f->v[i];
    }
    if (f->kind == FACET_FACE_A) {
        inside = face_clearance(&d->a, f->feature[0], f->b, near);
        next[0][0] = near[0];
        next[0][1] = near[1];
    } else if (f->kind == FACET_FACE_B) {
        const vec3 x = duo_to_b(d, v3_sub(f->a, d->p));
        inside = face_clearance(&d->b, f->feature[1], x, near);
        next[1][0] = near[0];
        next[1][1] = near[1];
    } else if (f->kind == FACET_EDGES) {
        inside = edges_clearance(d, f, next);
    } else if (f->kind == FACET_OTHER) {
        inside = other_clearance(d, f, next);
    }
    return inside;
}

void facet_points(const facet *f, vec3 *a, vec3 *b)
{
    double t[2] = {0, 0};
    const bool edge_a = v3_norm2(f->line[0]) > 0;
    if (edge_a) {
        edge_parameters(f, t);
    }
    if (f->kind == FACET_FACE_A || edge_a) { // where on A is open: B's point tells
        *b = v3_axpy(t[1], f->line[1], f->b);
        *a = v3_axpy(-f->s, f->n, *b);
    } else {
        *a = f->a;
        *b = v3_axpy(f->s, f->n, f->a);
    }
}
