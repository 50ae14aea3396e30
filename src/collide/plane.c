// SPDX-License-Identifier: Apache-2.0
// plane.c: a half-space and a convex shape, in the plane's frame (z <= 0 is solid).
//
// Contacts are points of the shape below the margin: all vertices of a polyhedron that span its shadow on the
// plane, both ends of a capsule, the ends of a cylinder's lowest side or four points of its cap's rim and the
// lowest, the lowest point of what is round. dist is the height of the point.
//
// Of a hull with many vertices below the margin (a sole with a round edge) the lowest counts and the outermost along each of 16
// directions that turn with the hull: what lies beyond the
// edge between two of these is at most a twentieth of the width.
//
// Cost  O(1); a hull: the vertices below the margin, found by flooding from its lowest; each is looked at once where there
//       are many.
#include <string.h>

#include "pair.h"

enum {
    LOW = 64, // vertices of a hull below the margin that are all corners to choose from; more are many
    MARKS =
        1 << 16, // vertices of a hull that is flooded with marks; of a larger one all vertices are looked at
    WAITING = 2048 // vertices that wait to be looked at; where more would, likewise
};

static thud_pair_contact at_height(vec3 x, uint32_t feature)
{
    const thud_pair_contact c = {.point = v3(x.x, x.y, 0.5 * x.z),
                                 .normal = v3(0, 0, 1),
                                 .dist = x.z,
                                 .feature = {feature_of(THUD_FEATURE_FACE, 0), feature}};
    return c;
}

static int keep_low(const vec3 *x, const uint32_t *feature, int count, double margin, thud_pair_contact *out)
{
    int made = 0;
    for (int i = 0; i < count; i++) {
        if (x[i].z <= margin) {
            out[made++] = at_height(x[i], feature[i]);
        }
    }
    return made;
}

// ---------------------------------------------------------------------------------------------- polyhedra

typedef struct low { // a vertex below the margin
    vec3 x;
    int vertex;
} low;

static bool listed(const low *list, int count, int v)
{
    for (int i = 0; i < count; i++) {
        if (list[i].vertex == v) {
            return true;
        }
    }
    return false;
}

// Sorts by x, then y, then height, so that of vertices one above the other the lowest comes first.
static bool before(const low *a, const low *b)
{
    if (a->x.x != b->x.x) {
        return a->x.x < b->x.x;
    }
    if (a->x.y != b->x.y) {
        return a->x.y < b->x.y;
    }
    return a->x.z != b->x.z ? a->x.z < b->x.z : a->vertex < b->vertex;
}

static void sort(low *c, int count)
{
    for (int i = 1; i < count; i++) {
        const low moving = c[i];
        int j = i;
        for (; j > 0 && before(&moving, &c[j - 1]); j--) {
            c[j] = c[j - 1];
        }
        c[j] = moving;
    }
}

static double turn(const low *a, const low *b, const low *c)
{
    return (b->x.x - a->x.x) * (c->x.y - a->x.y) - (b->x.y - a->x.y) * (c->x.x - a->x.x);
}

// The shadow's corners, counter-clockwise [Andrew 1979]; collinear points are left out. flat: m^2.
static int shadow(low *c, int count, double flat, const low **out)
{
    sort(c, count);
    int made = 0;
    for (int pass = 0; pass < 2; pass++) {
        const int base = made;
        for (int k = 0; k < count; k++) {
            const low *next = &c[pass == 0 ? k : count - 1 - k];
            while (made >= base + 2 && turn(out[made - 2], out[made - 1], next) <= flat) {
                made--;
            }
            out[made++] = next;
        }
        made--; // the last is the other pass's first
    }
    return made > 0 ? made : count > 0;
}

static void drop_least(const low **c, int *count)
{
    int deepest = 0, least = -1;
    double area = 0;
    for (int i = 1; i < *count; i++) {
        deepest = c[i]->x.z < c[deepest]->x.z ? i : deepest;
    }
    for (int i = 0; i < *count; i++) {
        const double span = turn(c[(i + *count - 1) % *count], c[i], c[(i + 1) % *count]);
        if (i != deepest && (least < 0 || span < area)) {
            area = span;
            least = i;
        }
    }
    --*count;
    for (int i = least; i < *count; i++) {
        c[i] = c[i + 1];
    }
}

// The corners of the shadow of vertices below the margin, the lowest of all first.
static int corner_contacts(low *list, int count, double radius, thud_pair_contact *out)
{
    const low *corner[2 * LOW], lowest = list[0];
    count = shadow(list, count, 1e-12 * radius * radius, corner);
    while (count > THUD_MANIFOLD_MAX) {
        drop_least(corner, &count);
    }
    bool there = false;
    for (int i = 0; i < count; i++) {
        out[i] = at_height(corner[i]->x, feature_of(THUD_FEATURE_VERTEX, corner[i]->vertex));
        there |= corner[i]->vertex == lowest.vertex;
    }
    if (!there) { // it always is one, even when a wider part of the shape hides it from above
        out[count < THUD_MANIFOLD_MAX ? count++ : count - 1] =
            at_height(lowest.x, feature_of(THUD_FEATURE_VERTEX, lowest.vertex));
    }
    return count;
}

// ---------------------------------------------------------------------------------------------- many vertices

enum { AXES = 8 }; // in the plane, each in two directions

typedef struct outermost {   // of the vertices below the margin
    double c[AXES], s[AXES]; // the axes
    double most[2 * AXES];   // how far out, along each axis and against it
    low at[2 * AXES];
    low lowest;
} outermost;

// The axes turn with the hull about the plane's normal, so that the same vertices are found while it spins.
static outermost make_axes(const mat3 *R)
{
    static const double C[AXES] = {
        1, 0.92387953251128674,  0.70710678118654752,  0.38268343236508977, // of k 22.5 degrees
        0, -0.38268343236508977, -0.70710678118654752, -0.92387953251128674};
    const int column = fabs(R->m[2][0]) <= fabs(R->m[2][1]) ? 0 : 1; // the one that is more level
    const double x = R->m[0][column], y = R->m[1][column], length = sqrt(x * x + y * y);
    outermost o;
    for (int k = 0; k < AXES; k++) {
        const double sine =
            C[(k + AXES / 2) % AXES] * (k < AXES / 2 ? -1 : 1); // cos(a + 90 degrees) = -sin(a)
        o.c[k] = (C[k] * x + sine * y) / length;
        o.s[k] = (C[k] * y - sine * x) / length;
        o.most[k] = o.most[k + AXES] = -INFINITY;
    }
    o.lowest = (low){v3(0, 0, INFINITY), -1};
    return o;
}

// Of vertices as far out as each other the lower counts, then the one with the lower number.
static bool comes_first(const low *a, const low *b)
{
    return a->x.z != b->x.z ? a->x.z < b->x.z : a->vertex < b->vertex;
}

static void look_at(outermost *o, const low *v)
{
    for (int k = 0; k < AXES; k++) {
        const double out = o->c[k] * v->x.x + o->s[k] * v->x.y;
        if (out > o->most[k] || (out == o->most[k] && comes_first(v, &o->at[k]))) {
            o->most[k] = out;
            o->at[k] = *v;
        }
        if (-out > o->most[k + AXES] || (-out == o->most[k + AXES] && comes_first(v, &o->at[k + AXES]))) {
            o->most[k + AXES] = -out;
            o->at[k + AXES] = *v;
        }
    }
    if (comes_first(v, &o->lowest)) {
        o->lowest = *v;
    }
}

static void look_at_all(const thud_hull *h, const pose *X, const mat3 *R, double margin, outermost *o)
{
    for (int i = 0; i < h->vertices; i++) {
        const low v = {v3_add(X->p, m3_mulv(R, h->vertex[i])), i};
        if (v.x.z <= margin) {
            look_at(o, &v);
        }
    }
}

// All below the margin, from the lowest on; false: too many wait.
static bool flood(const thud_hull *h, const pose *X, const mat3 *R, double margin, int lowest, outermost *o)
{
    uint64_t marked[MARKS / 64];
    int waiting[WAITING], count = 1;
    memset(marked, 0, ((size_t)h->vertices / 64 + 1) * sizeof *marked);
    waiting[0] = lowest;
    marked[lowest / 64] |= (uint64_t)1 << lowest % 64;
    while (count > 0) {
        const int from = waiting[--count];
        const low v = {v3_add(X->p, m3_mulv(R, h->vertex[from])), from};
        if (v.x.z > margin) {
            continue;
        }
        look_at(o, &v);
        for (int k = h->near_start[from]; k < h->near_start[from + 1]; k++) {
            const int next = h->near[k];
            const uint64_t mark = (uint64_t)1 << next % 64;
            if (marked[next / 64] & mark) {
                continue;
            }
            if (count == WAITING) {
                return false;
            }
            marked[next / 64] |= mark;
            waiting[count++] = next;
        }
    }
    return true;
}

static int many_contacts(const thud_hull *h, const pose *X, const mat3 *R, double margin, int lowest,
                         thud_pair_contact *out)
{
    outermost o = make_axes(R);
    if (h->vertices >= MARKS || !flood(h, X, R, margin, lowest, &o)) {
        o = make_axes(R);
        look_at_all(h, X, R, margin, &o);
    }
    low list[2 * AXES + 1] = {o.lowest};
    int count = 1;
    for (int k = 0; k < 2 * AXES; k++) {
        if (!listed(list, count, o.at[k].vertex)) {
            list[count++] = o.at[k];
        }
    }
    return corner_contacts(list, count, h->radius, out);
}

static int hull_contacts(const thud_hull *h, const pose *X, double margin, thud_pair_contact *out)
{
    const mat3 R = m3_of_quat(X->q);
    const vec3 down = v3_neg(v3(R.m[2][0], R.m[2][1], R.m[2][2]));
    low list[LOW];
    int count = 1;
    list[0].vertex = thud_hull_support(h, down, 0);
    for (int i = 0; i < count; i++) {
        const int from = list[i].vertex;
        list[i].x = v3_add(X->p, m3_mulv(&R, h->vertex[from]));
        if (list[i].x.z > margin) {
            return 0; // only ever the first
        }
        for (int k = h->near_start[from]; k < h->near_start[from + 1]; k++) {
            const int v = h->near[k];
            if (X->p.z - v3_dot(down, h->vertex[v]) <= margin && !listed(list, count, v)) {
                if (count == LOW) {
                    return many_contacts(h, X, &R, margin, list[0].vertex, out);
                }
                list[count++].vertex = v;
            }
        }
    }
    return corner_contacts(list, count, h->radius, out);
}

enum { BOX = 8 }; // vertices, at the signs of their bits (x: 1, y: 2, z: 4)

// What the vertices of a box have along an axis of the plane: sums of the half lengths along it, with their signs.
static void box_along(const double axis[3], const double half[3], double x[BOX])
{
    const double a = axis[0] * half[0], b = axis[1] * half[1], c = axis[2] * half[2];
    const double level[BOX / 2] = {-a - b, a - b, b - a, a + b};
    for (int k = 0; k < BOX / 2; k++) {
        x[k] = level[k] - c;
        x[k + BOX / 2] = level[k] + c;
    }
}

static unsigned near_in_box(unsigned v) // a set of vertices and those that share an edge with one of them
{
    return v | (v & 0x55) << 1 | (v & 0xaa) >> 1 | (v & 0x33) << 2 | (v & 0xcc) >> 2 | (v & 0x0f) << 4 |
           v >> 4;
}

// Whether a set of low vertices is a vertex, the two of an edge, or the four of a face that is not all but a line: these are connected,
// and all of them are corners of their shadow.
static bool is_plain(unsigned set, const double up[3], const double half[3])
{
    static const unsigned FACE[3][2] = {{0x55, 0xaa}, {0x33, 0xcc}, {0x0f, 0xf0}}; // across each axis
    static const double PART =
        1e-9; // of the square of the radius; shadow() takes a thousandth of it for none
    const double least = PART * (half[0] * half[0] + half[1] * half[1] + half[2] * half[2]);
    const unsigned others = set & (set - 1); // than the first
    bool plain = (others & (others - 1)) == 0;
    for (int i = 0; !plain && i < 3; i++) {
        const double area = 4 * half[(i + 1) % 3] * half[(i + 2) % 3] * fabs(up[i]);
        plain = (set == FACE[i][0] || set == FACE[i][1]) && area > least;
    }
    return plain;
}

// The lowest vertex, the first of several, and those of `below` that can be reached from it through others of them.
static unsigned flood_box(const double z[BOX], unsigned below, int *lowest)
{
    *lowest = 0;
    for (int v = 1; v < BOX; v++) {
        *lowest = z[v] < z[*lowest] ? v : *lowest;
    }
    unsigned found = 0, next = 1u << *lowest;
    while (found != next) {
        found = next;
        next = near_in_box(found) & below;
    }
    return found;
}

// As hull_contacts of its hull.
static int box_contacts(const double half[3], const pose *X, double margin, thud_pair_contact *out)
{
    const mat3 R = m3_of_quat(X->q);
    double x[BOX], y[BOX], z[BOX];
    int count = 0;
    unsigned below = 0;
    box_along(R.m[2], half, z);
    for (int v = 0; v < BOX; v++) {
        below |= (unsigned)(X->p.z + z[v] <= margin) << v;
    }
    if (below == 0) {
        return 0;
    }
    box_along(R.m[0], half, x);
    box_along(R.m[1], half, y);
    if (is_plain(below, R.m[2], half)) {
        for (unsigned left = below; left; left &= left - 1) {
            const int v = __builtin_ctz(left);
            out[count++] = at_height(v3_add(X->p, v3(x[v], y[v], z[v])), feature_of(THUD_FEATURE_VERTEX, v));
        }
        return count;
    }
    int lowest;
    const unsigned found = flood_box(z, below, &lowest);
    low list[BOX];
    list[count++] = (low){v3_add(X->p, v3(x[lowest], y[lowest], z[lowest])), lowest};
    for (unsigned left = found & ~(1u << lowest); left; left &= left - 1) {
        const int v = __builtin_ctz(left);
        list[count++] = (low){v3_add(X->p, v3(x[v], y[v], z[v])), v};
    }
    return corner_contacts(list, count, v3_norm(v3(half[0], half[1], half[2])), out);
}

// ---------------------------------------------------------------------------------------------- round shapes

static int capsule_contacts(const double s[3], const pose *X, double margin, thud_pair_contact *out)
{
    const vec3 h = q_rotate(X->q, v3(0, 0, s[1]));
    const vec3 x[2] = {v3_sub(v3_sub(X->p, h), v3(0, 0, s[0])), v3_sub(v3_add(X->p, h), v3(0, 0, s[0]))};
    const uint32_t feature[2] = {feature_of(THUD_FEATURE_VERTEX, 0), feature_of(THUD_FEATURE_VERTEX, 1)};
    return keep_low(x, feature, 2, margin, out);
}

static int cylinder_contacts(const double s[3], const pose *X, double margin, thud_pair_contact *out)
{
    const vec3 m = q_unrotate(X->q, v3(0, 0, -1)); // down, in the cylinder's frame
    const double tilt = sqrt(m.x * m.x + m.y * m.y);
    const vec3 u = tilt > 0 ? v3(m.x / tilt, m.y / tilt, 0) : v3(1, 0, 0);
    vec3 x[5];
    uint32_t feature[5];
    int count = 0;
    if (m.z * m.z <= 0.5) { // on its side
        for (int end = 0; end < 2; end++) {
            feature[count] = feature_of(THUD_FEATURE_VERTEX, end);
            x[count++] = pose_point(*X, v3(s[0] * u.x, s[0] * u.y, end ? s[1] : -s[1]));
        }
        return keep_low(x, feature, count, margin, out);
    }
    const int face = m.z > 0;
    const double z = face ? s[1] : -s[1];
    double most = 0;
    for (int k = 0; k < 4; k++) {
        const vec3 e = v3(k == 0 ? 1 : k == 2 ? -1 : 0, k == 1 ? 1 : k == 3 ? -1 : 0, 0);
        most = fmax(most, v3_dot(e, u));
        feature[count] = feature_of(THUD_FEATURE_VERTEX, 16 * face + 4 * k);
        x[count++] = pose_point(*X, v3(s[0] * e.x, s[0] * e.y, z));
    }
    if (s[0] * tilt * (1 - most) > 1e-9 * (s[0] + s[1])) {
        feature[count] = feature_of(THUD_FEATURE_POINT, face);
        x[count++] = pose_point(*X, v3(s[0] * u.x, s[0] * u.y, z));
    }
    return keep_low(x, feature, count, margin, out);
}

int plane_contacts(const thud_shape *shape, const pose *X, double margin,
                   thud_pair_contact out[THUD_MANIFOLD_MAX])
{
    switch (shape->kind) {
    case THUD_SHAPE_CAPSULE:
        return capsule_contacts(shape->size, X, margin, out);
    case THUD_SHAPE_CYLINDER:
        return cylinder_contacts(shape->size, X, margin, out);
    case THUD_SHAPE_BOX:
        return box_contacts(shape->size, X, margin, out);
    case THUD_SHAPE_HULL:
        return hull_contacts(shape->hull, X, margin, out);
    default: {
        thud_pair_gap g;
        plane_gap(shape, *X, &g);
        return keep_low(&g.point[1], &g.feature[1], 1, margin, out);
    }
    }
}

void plane_gap(const thud_shape *shape, pose X, thud_pair_gap *out)
{
    int v = 0;
    const vec3 down = q_unrotate(X.q, v3(0, 0, -1));
    const vec3 bottom = pose_point(X, thud_shape_support(shape, down, &v));
    const bool vertex = shape->kind == THUD_SHAPE_BOX || shape->kind == THUD_SHAPE_HULL;
    const int end = shape->kind == THUD_SHAPE_CAPSULE || shape->kind == THUD_SHAPE_CYLINDER ? down.z > 0 : 0;
    *out = (thud_pair_gap){
        .dist = bottom.z,
        .normal = v3(0, 0, 1),
        .point = {v3(bottom.x, bottom.y, 0), bottom},
        .feature = {feature_of(THUD_FEATURE_FACE, 0), vertex || shape->kind == THUD_SHAPE_CAPSULE
                                                          ? feature_of(THUD_FEATURE_VERTEX, vertex ? v : end)
                                                          : feature_of(THUD_FEATURE_POINT, end)}};
}
