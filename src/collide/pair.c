// SPDX-License-Identifier: Apache-2.0
// pair.c: the door of the narrow phase: refuses what is not finite, puts the two shapes into a fixed order,
// hands them to the method for their kinds and takes the answer back to the world.
//
// The order makes the answer the same, to the bit, whichever shape is named first: by kind, then by sizes,
// then by vertices, and equal shapes by pose. No address is ever compared.
#include <string.h>

#include "pair.h"

static bool finite_pose(pose X)
{
    const double sum = X.q.w + X.q.x + X.q.y + X.q.z + X.p.x + X.p.y + X.p.z;
    return isfinite(sum);
}

static bool valid(const thud_shape *s)
{
    if ((unsigned)s->kind >= THUD_SHAPE_KINDS) {
        return false;
    }
    if (s->kind == THUD_SHAPE_HULL || s->kind == THUD_SHAPE_HFIELD || s->kind == THUD_SHAPE_PLANE) {
        return s->kind == THUD_SHAPE_HULL ? s->hull != NULL
                                          : s->kind == THUD_SHAPE_PLANE || s->hfield != NULL;
    }
    const int sizes = s->kind == THUD_SHAPE_SPHERE                                      ? 1
                      : s->kind == THUD_SHAPE_CAPSULE || s->kind == THUD_SHAPE_CYLINDER ? 2
                                                                                        : 3;
    for (int i = 0; i < sizes; i++) {
        if (!(s->size[i] >= 0 && isfinite(s->size[i]))) {
            return false;
        }
    }
    return true;
}

// ---------------------------------------------------------------------------------------------- order

static int compare(const double *a, const double *b, int count)
{
    for (int i = 0; i < count; i++) {
        if (a[i] != b[i]) {
            return a[i] < b[i] ? -1 : 1;
        }
    }
    return 0;
}

static int compare_hulls(const thud_hull *a, const thud_hull *b)
{
    if (a == b) {
        return 0;
    }
    if (a->vertices != b->vertices) {
        return a->vertices < b->vertices ? -1 : 1;
    }
    return compare(&a->vertex[0].x, &b->vertex[0].x, 3 * a->vertices);
}

static bool in_order(const thud_shape *a, const pose *X_wa, const thud_shape *b, const pose *X_wb)
{
    if (a->kind != b->kind) {
        return a->kind < b->kind;
    }
    const int shapes =
        a->kind == THUD_SHAPE_HULL ? compare_hulls(a->hull, b->hull) : compare(a->size, b->size, 3);
    if (shapes != 0) {
        return shapes < 0;
    }
    // Along a direction that no regular heap has across it: in stacks and walls the order stays however they
    // tremble.
    const vec3 way = v3_sub(X_wb->p, X_wa->p);
    const double places = 0.2718 * way.x + 0.4142 * way.y + way.z;
    return places != 0 ? places > 0 : compare(&X_wa->q.w, &X_wb->q.w, 4) <= 0;
}

static void swap_ints(int32_t x[2])
{
    const int32_t y = x[0];
    x[0] = x[1];
    x[1] = y;
}

static void swap_cache(thud_pair_cache *c)
{
    swap_ints(c->feature);
    swap_ints(c->vertex);
    c->kind = c->kind == 1 ? 2 : c->kind == 2 ? 1 : c->kind; // a face of one is now a face of the other
}

static void swap_features(uint32_t f[2])
{
    const uint32_t g = f[0];
    f[0] = f[1];
    f[1] = g;
}

static void turn_around(thud_pair_contact *c, int count) // the two shapes exchanged
{
    for (int i = 0; i < count; i++) {
        c[i].normal = v3_neg(c[i].normal);
        swap_features(c[i].feature);
    }
}

static bool after(const thud_pair_contact *a, const thud_pair_contact *b) // by their features
{
    return a->feature[0] > b->feature[0] || (a->feature[0] == b->feature[0] && a->feature[1] > b->feature[1]);
}

void pair_sort(thud_pair_contact *c, int count)
{
    for (int i = 1; i < count; i++) {
        if (!after(&c[i - 1], &c[i])) {
            continue;
        }
        const thud_pair_contact moving = c[i];
        int j = i;
        for (; j > 0 && after(&c[j - 1], &moving); j--) {
            c[j] = c[j - 1];
        }
        c[j] = moving;
    }
}

// ---------------------------------------------------------------------------------------------- methods

static bool never_collide(thud_shape_kind a, thud_shape_kind b) // in order: a <= b
{
    return (a == THUD_SHAPE_PLANE && (b == THUD_SHAPE_PLANE || b == THUD_SHAPE_HFIELD)) ||
           a == THUD_SHAPE_HFIELD;
}

static bool point_has_closed_form(thud_shape_kind kind)
{
    return kind != THUD_SHAPE_HULL && kind != THUD_SHAPE_HFIELD;
}

// A sphere at the origin of its frame and a solid at X_ab.
static void sphere_gap(double radius, const thud_shape *b, pose X_ab, thud_pair_gap *out)
{
    const point_gap g = gap_of_point(b, pose_unpoint(X_ab, v3(0, 0, 0)));
    out->normal = v3_neg(q_rotate(X_ab.q, g.normal));
    out->dist = g.dist - radius;
    out->point[0] = v3_scale(radius, out->normal);
    out->point[1] = v3_axpy(out->dist, out->normal, out->point[0]);
    out->feature[0] = feature_of(THUD_FEATURE_POINT, 0);
    out->feature[1] = g.feature;
}

// Where faces or edges are parallel the facet's own points may lie beside the common part: a corner of it
// serves.
static void facet_gap(const duo *d, const facet *f, thud_pair_gap *out)
{
    thud_pair_contact c, corner[THUD_MANIFOLD_MAX];
    int next[2][2];
    facet_contact(d, f, &c);
    if (!(f->room > 0) && facet_clearance(d, f, next) < 0) {
        const int count = duo_manifold(d, f, c.dist + 1e-9 * d->scale, corner);
        for (int i = 0; i < count; i++) {
            if (i == 0 || corner[i].dist < c.dist) {
                c = corner[i];
            }
        }
        c.dist = f->s - d->a.round - d->b.round;
    }
    out->dist = c.dist;
    out->normal = c.normal;
    out->point[0] = v3_axpy(-0.5 * c.dist, c.normal, c.point);
    out->point[1] = v3_axpy(0.5 * c.dist, c.normal, c.point);
    out->feature[0] = c.feature[0];
    out->feature[1] = c.feature[1];
}

// Most planes are not turned, and no sphere need be: their frames are the world's but for its place.
static inline bool is_turned(const pose *X)
{
    return !(X->q.w == 1 && X->q.x == 0 && X->q.y == 0 && X->q.z == 0);
}

static inline pose seen_from(const pose *X_wa, const pose *X_wb) // X_ab
{
    return is_turned(X_wa) ? pose_mul(pose_inv(*X_wa), *X_wb) : (pose){X_wb->q, v3_sub(X_wb->p, X_wa->p)};
}

static void to_world(const pose *X_wa, thud_pair_contact *out, int count)
{
    if (is_turned(X_wa)) {
        const mat3 R = m3_of_quat(X_wa->q);
        for (int i = 0; i < count; i++) {
            out[i].point = m3_mulv(&R, out[i].point);
            out[i].normal = m3_mulv(&R, out[i].normal);
        }
    }
    for (int i = 0; i < count; i++) {
        out[i].point = v3_add(X_wa->p, out[i].point);
    }
}

// Contacts in a's frame.
static int contacts(const thud_shape *a, const pose *X_wa, const thud_shape *b, const pose *X_wb,
                    double margin, thud_pair_cache *cache, thud_pair_contact *out)
{
    const bool solids = a->kind != THUD_SHAPE_PLANE && b->kind != THUD_SHAPE_HFIELD;
    if (solids && !(a->kind == THUD_SHAPE_SPHERE && point_has_closed_form(b->kind))) {
        duo d;
        duo_place(&d, a, *X_wa, b, *X_wb);
        return convex_contacts(&d, margin, cache, out);
    }
    const pose X_ab = seen_from(X_wa, X_wb);
    if (b->kind == THUD_SHAPE_HFIELD) {
        const pose X_ba = pose_mul(pose_inv(*X_wb), *X_wa);
        const int count = hfield_contacts(b->hfield, a, X_ba, margin, out);
        for (int i = 0; i < count; i++) {
            out[i].point = pose_point(X_ab, out[i].point);
            out[i].normal = v3_neg(q_rotate(X_ab.q, out[i].normal));
            swap_features(out[i].feature);
        }
        return count;
    }
    if (a->kind == THUD_SHAPE_PLANE) {
        return plane_contacts(b, &X_ab, margin, out);
    }
    thud_pair_gap g;
    sphere_gap(a->size[0], b, X_ab, &g);
    out[0] = (thud_pair_contact){.point = v3_scale(0.5, v3_add(g.point[0], g.point[1])),
                                 .normal = g.normal,
                                 .dist = g.dist,
                                 .feature = {g.feature[0], g.feature[1]}};
    return g.dist <= margin;
}

static void distance(const thud_shape *a, pose X_wa, const thud_shape *b, pose X_wb, thud_pair_cache *cache,
                     thud_pair_gap *out)
{
    const pose X_ab = pose_mul(pose_inv(X_wa), X_wb);
    if (b->kind == THUD_SHAPE_HFIELD) {
        hfield_gap(b->hfield, a, pose_mul(pose_inv(X_wb), X_wa), out);
        const vec3 x = out->point[0];
        out->point[0] = pose_point(X_ab, out->point[1]);
        out->point[1] = pose_point(X_ab, x);
        out->normal = v3_neg(q_rotate(X_ab.q, out->normal));
        swap_features(out->feature);
    } else if (a->kind == THUD_SHAPE_PLANE) {
        plane_gap(b, X_ab, out);
    } else if (a->kind == THUD_SHAPE_SPHERE && point_has_closed_form(b->kind)) {
        sphere_gap(a->size[0], b, X_ab, out);
    } else {
        duo d;
        facet f;
        duo_place(&d, a, X_wa, b, X_wb);
        convex_facet(&d, INFINITY, cache, &f);
        facet_gap(&d, &f, out);
    }
}

// ---------------------------------------------------------------------------------------------- the door

int pair_collide(const thud_shape *first, const pose *X_w1, const thud_shape *second, const pose *X_w2,
                 double margin, thud_pair_cache *cache, thud_pair_contact out[THUD_PAIR_MAX])
{
    const bool straight = in_order(first, X_w1, second, X_w2);
    const thud_shape *a = straight ? first : second, *b = straight ? second : first;
    const pose *X_wa = straight ? X_w1 : X_w2, *X_wb = straight ? X_w2 : X_w1;
    if (never_collide(a->kind, b->kind)) {
        return 0;
    }
    if (cache && !straight) {
        swap_cache(cache);
    }
    const int count = contacts(a, X_wa, b, X_wb, margin, cache, out);
    if (cache && !straight) {
        swap_cache(cache);
    }
    if (count == 0) {
        return 0;
    }
    to_world(X_wa, out, count);
    if (!straight) {
        turn_around(out, count);
    }
    pair_sort(out, count);
    return count;
}

int thud_collide_pair(const thud_shape *first, thud_pose X_w1, const thud_shape *second, thud_pose X_w2,
                      double margin, thud_pair_cache *cache, thud_pair_contact out[THUD_PAIR_MAX])
{
    if (!finite_pose(X_w1) || !finite_pose(X_w2) || !isfinite(margin) || !valid(first) || !valid(second)) {
        return -1;
    }
    return pair_collide(first, &X_w1, second, &X_w2, margin, cache, out);
}

double thud_pair_distance(const thud_shape *first, thud_pose X_w1, const thud_shape *second, thud_pose X_w2,
                          thud_pair_cache *cache, thud_pair_gap *out)
{
    memset(out, 0, sizeof *out);
    out->dist = NAN;
    if (!finite_pose(X_w1) || !finite_pose(X_w2) || !valid(first) || !valid(second)) {
        return out->dist;
    }
    const bool straight = in_order(first, &X_w1, second, &X_w2);
    const thud_shape *a = straight ? first : second, *b = straight ? second : first;
    const pose X_wa = straight ? X_w1 : X_w2, X_wb = straight ? X_w2 : X_w1;
    if (never_collide(a->kind, b->kind)) {
        return out->dist = INFINITY;
    }
    if (cache && !straight) {
        swap_cache(cache);
    }
    distance(a, X_wa, b, X_wb, cache, out);
    if (cache && !straight) {
        swap_cache(cache);
    }
    const vec3 x[2] = {pose_point(X_wa, out->point[0]), pose_point(X_wa, out->point[1])};
    const vec3 normal = q_rotate(X_wa.q, out->normal);
    out->point[0] = straight ? x[0] : x[1];
    out->point[1] = straight ? x[1] : x[0];
    out->normal = straight ? normal : v3_neg(normal);
    if (!straight) {
        swap_features(out->feature);
    }
    return out->dist;
}
