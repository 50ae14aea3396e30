// SPDX-License-Identifier: Apache-2.0
// passing.c: along which direction two moving shapes stay apart.
//
// Two convex shapes stay apart as long as one direction parts them; it need not be the direction of their nearest points at the
// start. A box that slides over the seam of two flush tiles comes nearer to the side of the second tile, and is parted from it by
// the tile's top. A contact with the side would be a ghost: it stops a body at an edge that it does not meet.
//
// A pair is in question if one of its contacts closes within the horizon T at the velocities of the start, or all but closes: gaps
// that the solver counts as none are none here. Then
//
//     candidates   all faces of both shapes, turning with their shape; where none of them parts the shapes all the time, a direction
//                  that parts the whole sweep (Gilbert, Johnson and Keerthi's algorithm on it), or else the pair of edges that parts
//                  them most at the end; each must part the shapes at the start: s(0) >= -tolerance
//     value        least s(t) over t = 0, T/4, T/2, 3T/4, T
//     choice       the candidate of greatest value, if that exceeds the value of the contacts' own direction
//     contacts     the manifold along the choice at the end, carried back to the start with the shapes. A witness beside the
//                  polygons is none. No manifold: no contacts, if the choice parts the shapes all the time
//
// Every s(0) is a lower bound of the distance [duo.h], so an overlap is never listed shallower than it is.
//
// Symbols  duo.h; T the horizon.
// Differs  [BW 7.1] keeps a plane that parts the shapes as long as it does; this is the same rule, looking ahead.
// Cost     a pair not in question: one product a contact. A pair in question whose manifold spans an area: one area. Others: a few
//          products a face; for those that remain five support searches.
// Fails    a pair parted by two edges only, other than those of the end.
#include <float.h>
#include <string.h>

#include "pair.h"

enum { POSES = 5, CANDIDATES = 32 };

typedef struct course { // of two shapes over the horizon
    const thud_shape *shape[2];
    const pose *X[2];
    const thud_motion *V[2];
    double horizon, tolerance, small;
    duo at[POSES];
    quat turned[POSES]; // A's frame in the world
    int placed;         // how many of them are
} course;

typedef struct
    candidate { // a direction that turns with a face or with two edges, or stays as it is in the world
    facet_kind kind;
    int feature[2];
    vec3 n; // of FACET_OTHER: world
    double least;
} candidate;

// Numbers relative to the size of the smaller shape.
static const double APART =
    2e-7; // overlap along a direction that still counts as none: twenty times the seams that are asked for
static const double CLOSES = 1e-10; // closing by less is none
static const double BETTER = 1e-10; // a candidate must be better by this
static const double FAR =
    0.02; // way across the normal below which the direction of the start is right for the whole course
static const double SPANNED =
    0.25; // gap over width of a manifold below which only its own direction can part the shapes

static pose moved(const pose *X, const thud_motion *V, double t)
{
    return (pose){q_normalize(q_mul(q_exp(v3_scale(t, V->ang)), X->q)), v3_axpy(t, V->lin, X->p)};
}

static void place(course *c, int poses)
{
    for (; c->placed < poses; c->placed++) {
        const double t = c->horizon * c->placed / (POSES - 1);
        duo *d = &c->at[c->placed];
        const pose X = c->placed ? moved(c->X[0], c->V[0], t) : *c->X[0];
        c->turned[c->placed] = X.q;
        duo_place(d, c->shape[0], X, c->shape[1], c->placed ? moved(c->X[1], c->V[1], t) : *c->X[1]);
        duo_complete(d);
    }
}

// The facet of a candidate at one pose; f->v on entry: where to search from. False: its features make none there.
static bool facet_at(const course *c, const candidate *x, int k, facet *f)
{
    const duo *d = &c->at[k];
    switch (x->kind) {
    case FACET_FACE_A:
        return facet_of_face(d, 0, x->feature[0], f);
    case FACET_FACE_B:
        return facet_of_face(d, 1, x->feature[1], f);
    case FACET_EDGES:
        return facet_of_edges(d, x->feature[0], x->feature[1], f);
    default:
        duo_value(d, q_unrotate(c->turned[k], x->n), f);
        return true;
    }
}

static double gap_at(const course *c, const candidate *x, int k, facet *f)
{
    return facet_at(c, x, k, f) ? f->s - c->at[k].a.round - c->at[k].b.round : -DBL_MAX;
}

// The least gap of a candidate over all poses; below `enough` it need not be exact. The end comes first: it mostly decides.
static double least_gap(course *c, const candidate *x, double enough)
{
    facet f = {.v = {0, 0}};
    double least = DBL_MAX;
    place(c, POSES);
    for (int k = POSES - 1; k >= 0 && least >= enough; k--) {
        least = least_of(least, gap_at(c, x, k, &f));
    }
    return least;
}

// ---------------------------------------------------------------------------------------------- in question

static vec3 velocity_at(const course *c, int side, vec3 x)
{
    return v3_add(c->V[side]->lin, v3_cross(c->V[side]->ang, v3_sub(x, c->X[side]->p)));
}

static bool closes(const course *c, double none, const thud_pair_contact *contact, int count)
{
    const double little = CLOSES * c->small;
    for (int i = 0; i < count; i++) {
        const thud_pair_contact *p = &contact[i];
        const vec3 u = v3_sub(velocity_at(c, 1, p->point), velocity_at(c, 0, p->point));
        const double gain = c->horizon * v3_dot(p->normal, u);
        if (gain < -little && p->dist + gain < none - little) {
            return true;
        }
    }
    return false;
}

// Where the shapes hardly move across the normal of a contact, or turn, the plane of the start is that of the whole course: of a
// sphere it is off by the square of this over two.
static bool goes_far(const course *c, const thud_pair_contact *contact)
{
    const vec3 u = v3_sub(velocity_at(c, 1, contact->point), velocity_at(c, 0, contact->point)),
               n = contact->normal;
    const double across = v3_norm(v3_axpy(-v3_dot(n, u), n, u)),
                 spin = c->small * (v3_norm(c->V[0]->ang) + v3_norm(c->V[1]->ang));
    return c->horizon * most_of(across, spin) > FAR * c->small;
}

// The points of the manifold lie in both shapes but for their gaps, so a direction across the normal overlaps by the width of the
// manifold: where that is large beside the gaps no direction far from the normal parts the shapes.
static bool spans(const course *c, const thud_pair_contact *contact, int count)
{
    double gap = c->tolerance, longest = 0, area = 0;
    for (int i = 0; i < count; i++) {
        gap = most_of(gap, contact[i].dist + c->tolerance);
    }
    for (int i = 2; i < count; i++) {
        const vec3 u = v3_sub(contact[i - 1].point, contact[0].point),
                   w = v3_sub(contact[i].point, contact[0].point), e = v3_sub(w, u);
        const double twice = v3_norm2(v3_cross(u, w));
        if (twice > area) {
            area = twice;
            longest = most_of(v3_norm2(u), most_of(v3_norm2(w), v3_norm2(e)));
        }
    }
    return gap * gap * longest < SPANNED * SPANNED * area; // width: area over the longest side
}

// ---------------------------------------------------------------------------------------------- candidates

typedef struct
    points { // of both surfaces, in A's frame: each direction has all of b beyond all of a, or overlaps
    int count;
    vec3 a[THUD_PAIR_MAX + 1], b[THUD_PAIR_MAX + 1];
} points;

static points points_of(const course *c, const thud_pair_contact *contact, int count)
{
    points p;
    const duo *d = &c->at[0];
    p.count = count + 1;
    p.a[0] = core_centre(&d->a);
    p.b[0] = duo_from_b(d, core_centre(&d->b));
    for (int i = 0; i < count; i++) {
        const vec3 half = v3_scale(0.5 * contact[i].dist, contact[i].normal);
        p.a[1 + i] = pose_unpoint(*c->X[0], v3_sub(contact[i].point, half));
        p.b[1 + i] = pose_unpoint(*c->X[0], v3_add(contact[i].point, half));
    }
    return p;
}

// An upper bound of the gap along n at the start.
static bool may_part(const points *p, vec3 n, double tolerance)
{
    double low = DBL_MAX, high = -DBL_MAX;
    if (v3_dot(n, v3_sub(p->b[0], p->a[0])) < -tolerance) {
        return false;
    }
    for (int i = 0; i < p->count; i++) {
        low = least_of(low, v3_dot(n, p->b[i]));
        high = most_of(high, v3_dot(n, p->a[i]));
    }
    return low - high >= -tolerance;
}

static int faces_of(const core *c)
{
    return c->hull ? c->hull->faces : c->kind == THUD_SHAPE_CYLINDER ? 2 : 0;
}

static vec3 face_normal(const core *c, int face)
{
    if (c->kind == THUD_SHAPE_CYLINDER) {
        return v3(0, 0, face == 1 ? 1 : -1);
    }
    if (c->kind == THUD_SHAPE_BOX) {
        const double sign = face & 1 ? 1 : -1;
        return v3(face / 2 == 0 ? sign : 0, face / 2 == 1 ? sign : 0, face / 2 == 2 ? sign : 0);
    }
    return c->hull->face[face].normal;
}

typedef struct field { // candidates that part the shapes at the start
    int count;
    candidate of[CANDIDATES];
} field;

static void enter(course *c, candidate x, field *all)
{
    facet f = {.v = {0, 0}};
    if (all->count < CANDIDATES && gap_at(c, &x, 0, &f) >= -c->tolerance) {
        all->of[all->count++] = x;
    }
}

static bool same_direction(const candidate *x, const candidate *y)
{
    return x->kind != FACET_OTHER && x->kind == y->kind && x->feature[0] == y->feature[0] &&
           x->feature[1] == y->feature[1];
}

static void enter_faces(course *c, const points *p, const candidate *own, field *all)
{
    for (int side = 0; side < 2; side++) {
        const duo *d = &c->at[0];
        const core *of = side == 0 ? &d->a : &d->b;
        for (int face = 0; face < faces_of(of); face++) {
            const vec3 normal = face_normal(of, face),
                       n = side == 0 ? normal : v3_neg(m3_mulv(&d->R, normal));
            candidate x = {.kind = side == 0 ? FACET_FACE_A : FACET_FACE_B};
            x.feature[side] = face;
            if (may_part(p, n, c->tolerance) && !same_direction(&x, own)) {
                enter(c, x, all);
            }
        }
    }
}

// The best of them, if it beats the best so far.
static void choose(course *c, field *all, candidate *best)
{
    for (int i = 0; i < all->count; i++) {
        candidate *x = &all->of[i];
        x->least = least_gap(c, x, best->least);
        if (x->least > best->least + BETTER * c->small) {
            *best = *x;
        }
    }
}

// Two edges that part the shapes most at the end. A direction of smooth surfaces there is none that stays.
static void consider_edges(course *c, candidate *best)
{
    facet f;
    field edges;
    edges.count = 0;
    place(c, POSES);
    convex_facet(&c->at[POSES - 1], INFINITY, NULL, &f);
    if (f.kind == FACET_EDGES) {
        enter(c, (candidate){.kind = FACET_EDGES, .feature = {f.feature[0], f.feature[1]}}, &edges);
        choose(c, &edges, best);
    }
}

// s of all poses: of M swept along the course, in A's frame at the start.
static double swept_value(const void *of, vec3 n, facet *f)
{
    const course *c = of;
    const vec3 n_w = q_rotate(c->X[0]->q, n);
    facet least = {.s = DBL_MAX};
    for (int k = 0; k < POSES; k++) {
        facet x = {.v = {f->v[0], f->v[1]}};
        const quat q = c->turned[k];
        duo_value(&c->at[k], q_unrotate(q, n_w), &x);
        if (x.s < least.s) {
            least = x;
            least.b = q_unrotate(c->X[0]->q, q_rotate(q, v3_sub(x.b, x.a)));
            least.a = v3(0, 0, 0);
        }
    }
    *f = least;
    f->n = n;
    return f->s;
}

// Any direction, the same in the world, that parts the shapes all along their course.
static bool find_swept(course *c, candidate *best)
{
    facet f = {.v = {0, 0}};
    const double round = c->at[0].a.round + c->at[0].b.round;
    place(c, POSES);
    if (!duo_separate_by(swept_value, c, &c->at[0], c->at[0].p, round, &f) || f.s - round < 0) {
        return false;
    }
    *best = (candidate){.kind = FACET_OTHER, .n = q_rotate(c->X[0]->q, f.n), .least = f.s - round};
    return true;
}

// The direction of the contacts that there are: a face's, where one of them names a face and its normal is that face's.
static candidate direction_of(const course *c, const thud_pair_contact *contact, int count)
{
    static const double SQUARE = 1e-9; // difference of unit normals
    const duo *d = &c->at[0];
    const vec3 n = q_unrotate(c->X[0]->q, contact[0].normal);
    for (int i = 0; i < count; i++) {
        for (int side = 0; side < 2; side++) {
            const core *of = side == 0 ? &d->a : &d->b;
            const int face = thud_feature_index_of(contact[i].feature[side]);
            if (thud_feature_kind_of(contact[i].feature[side]) != THUD_FEATURE_FACE || face >= faces_of(of)) {
                continue;
            }
            const vec3 normal = face_normal(of, face),
                       m = side == 0 ? normal : v3_neg(m3_mulv(&d->R, normal));
            if (v3_norm2(v3_sub(m, n)) <= SQUARE * SQUARE) {
                candidate x = {.kind = side == 0 ? FACET_FACE_A : FACET_FACE_B};
                x.feature[side] = face;
                return x;
            }
        }
    }
    return (candidate){.kind = FACET_OTHER, .n = contact[0].normal};
}

// ---------------------------------------------------------------------------------------------- contacts

// Where a point x of a solid's surface, outward along m at the end, is at the start, where m0 is outward: a point of a face, edge
// or vertex goes with the solid, a point of a round surface stays on the side that is turned to the other solid. The solid's frame.
static vec3 carried(const core *c, vec3 x, vec3 m, vec3 m0)
{
    int v = 0;
    if (c->round > 0) {
        return v3_axpy(c->round, m0, v3_axpy(-c->round, m, x));
    }
    if (c->kind == THUD_SHAPE_ELLIPSOID) {
        return core_support(c, m0, &v);
    }
    if (c->kind == THUD_SHAPE_CYLINDER && m.z * m.z <= 0.5) {
        const double h = sqrt(m0.x * m0.x + m0.y * m0.y);
        return h > 0 ? v3(c->size[0] * m0.x / h, c->size[0] * m0.y / h, x.z) : x;
    }
    return x;
}

// The one contact of a direction of no face or edge: the points nearest along it at the start.
static int contact_along(const course *c, const candidate *x, double margin, thud_pair_contact *out)
{
    facet f = {.kind = FACET_OTHER};
    const vec3 n = q_unrotate(c->X[0]->q, x->n);
    duo_value(&c->at[0], n, &f);
    facet_contact(&c->at[0], &f, out);
    out->point = pose_point(*c->X[0], out->point);
    out->normal = x->n;
    return out->dist <= margin;
}

// A contact of the manifold at the end, in A's frame there, becomes one of the start, in the world.
static void carry_back(const course *c, const candidate *x, vec3 n0, thud_pair_contact *p)
{
    const duo *end = &c->at[POSES - 1], *start = &c->at[0];
    const vec3 half = v3_scale(0.5 * p->dist, p->normal);
    const vec3 a = carried(&end->a, v3_sub(p->point, half), p->normal, n0);
    const vec3 b_in_b = duo_to_b(end, v3_sub(v3_add(p->point, half), end->p));
    const vec3 m = v3_neg(duo_to_b(end, p->normal)), m0 = v3_neg(duo_to_b(start, n0));
    const vec3 b = duo_from_b(start, carried(&end->b, b_in_b, m, m0));
    p->dist = v3_dot(n0, v3_sub(b, a));
    const vec3 point =
        x->kind == FACET_FACE_B ? v3_axpy(0.5 * p->dist, n0, a) : v3_axpy(-0.5 * p->dist, n0, b);
    p->point = pose_point(*c->X[0], point);
    p->normal = q_rotate(c->X[0]->q, n0);
}

// The polygons do not overlap, and what the manifold lists is only the pair of nearest points.
static bool is_witness(const duo *d, const facet *f, const thud_pair_contact *p)
{
    thud_pair_contact witness;
    facet_contact(d, f, &witness);
    return p->dist == witness.dist && v3_norm2(v3_sub(p->point, witness.point)) == 0;
}

static int contacts_along(const course *c, const candidate *x, double margin, thud_pair_contact *out)
{
    static const double BESIDE = 1e-9; // of the size
    const duo *end = &c->at[POSES - 1];
    facet f = {.v = {0, 0}}, f0 = {.v = {0, 0}};
    int next[2][2], kept = 0;
    if (!facet_at(c, x, POSES - 1, &f) || !facet_at(c, x, 0, &f0)) {
        return 0;
    }
    const int count = duo_manifold(end, &f, margin, out);
    const bool beside = facet_clearance(end, &f, next) < -BESIDE * end->scale;
    for (int i = 0; i < count; i++) {
        thud_pair_contact p = out[i];
        if (beside && is_witness(end, &f, &p)) {
            continue;
        }
        carry_back(c, x, f0.n, &p);
        if (p.dist <= margin) {
            out[kept++] = p;
        }
    }
    return kept;
}

static bool is_solid(const thud_shape *s)
{
    return s->kind != THUD_SHAPE_PLANE && s->kind != THUD_SHAPE_HFIELD;
}

int pair_pass(const thud_shape *first, const pose *X_w1, const thud_motion *V1, const thud_shape *second,
              const pose *X_w2, const thud_motion *V2, const pair_ahead *ahead, int count,
              thud_pair_contact out[THUD_PAIR_MAX])
{
    course c; // large, and most pairs are not in question
    if (!is_solid(first) || !is_solid(second)) {
        return count;
    }
    c.shape[0] = first;
    c.shape[1] = second;
    c.X[0] = X_w1;
    c.X[1] = X_w2;
    c.V[0] = V1;
    c.V[1] = V2;
    c.horizon = ahead->horizon;
    c.placed = 0;
    c.small = least_of(thud_shape_radius(first), thud_shape_radius(second));
    c.tolerance = ahead->slack + APART * c.small;
    if (!closes(&c, ahead->none, out, count) || spans(&c, out, count)) {
        return count;
    }
    place(&c, 1);
    const bool turns = goes_far(&c, out);
    const points p = points_of(&c, out, count);
    candidate own = direction_of(&c, out, count);
    field all;
    all.count = 0;
    enter_faces(&c, &p, &own, &all);
    if (all.count == 0 && !turns) {
        return count;
    }
    own.least = least_gap(&c, &own, -DBL_MAX) - ahead->none; // of so much of its gap the solver knows nothing
    candidate best = own;
    choose(&c, &all, &best);
    if (turns && best.least < -c.tolerance && !find_swept(&c, &best)) {
        consider_edges(&c, &best);
    }
    if (!(best.least > own.least)) {
        return count;
    }
    thud_pair_contact found[THUD_MANIFOLD_MAX];
    const int made = best.kind == FACET_OTHER ? contact_along(&c, &best, ahead->margin, found)
                                              : contacts_along(&c, &best, ahead->margin, found);
    if (made == 0 && best.least < -c.tolerance) {
        return count;
    }
    memcpy(out, found, (size_t)made * sizeof *out);
    pair_sort(out, made);
    return made;
}
