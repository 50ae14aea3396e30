// SPDX-License-Identifier: Apache-2.0
// ground.c: a height field and a convex shape. Each triangle of the ground stands on a prism that reaches
// down to the base; the shape is met with the prisms under it, one by one.
//
// Two rules keep the seams between prisms from being felt. A shape whose core is above the ground meets a
// prism at its nearest features, but an edge or corner that is shared with another triangle counts only if
// that triangle does not come nearer (moving into it from the edge must not lead toward the shape). A shape
// whose core is in the ground is pushed out along the triangle's normal, and only where it is over the
// triangle: never sideways into the next prism, nor through the base.
//
// Symbols  duo.h; A is the prism, B the shape; all in the field's frame.
// Cost     the cells under the shape's box. Contacts beyond THUD_PAIR_MAX: the deepest stay.
#include <float.h>
#include <string.h>

#include "pair.h"

enum { TOP = 0 };

// Vertices as of thud_hfield_prism: 0-2 on the ground, counter-clockwise from above, 3-5 below them at the
// base. Faces: top, base, three sides.
static const int prism_face_start[6] = {0, 3, 6, 10, 14, 18};
static const int prism_face_vertex[18] = {0, 1, 2, 3, 5, 4, 0, 3, 4, 1, 1, 4, 5, 2, 2, 5, 3, 0};
static const int prism_face_edge[18] = {0, 1, 2, 5, 4, 3, 6, 3, 7, 0, 7, 4, 8, 1, 8, 5, 6, 2};
static const thud_edge prism_edge[9] = {{{0, 1}, {0, 2}}, {{1, 2}, {0, 3}}, {{2, 0}, {0, 4}},
                                        {{3, 4}, {2, 1}}, {{4, 5}, {3, 1}}, {{5, 3}, {4, 1}},
                                        {{0, 3}, {2, 4}}, {{1, 4}, {3, 2}}, {{2, 5}, {4, 3}}};
static const int prism_near_start[7] = {0, 3, 6, 9, 12, 15, 18};
static const int prism_near[18] = {1, 2, 3, 0, 2, 4, 0, 1, 5, 0, 4, 5, 1, 3, 5, 2, 3, 4};
static const int prism_near_edge[18] = {0, 2, 6, 0, 1, 7, 2, 1, 8, 6, 3, 5, 7, 3, 4, 8, 5, 4};

typedef struct prism {
    thud_hull hull;
    vec3 vertex[6];
    thud_plane face[5];
    int index;      // 2 * cell + triangle
    vec3 beyond[3]; // for each side of the triangle: into the neighbour, along its slope, across the side
    bool has_beyond[3];
} prism;

static thud_plane plane_through(vec3 a, vec3 b, vec3 c)
{
    const vec3 n = v3_normalize(v3_cross(v3_sub(b, a), v3_sub(c, a)));
    return (thud_plane){.normal = n, .offset = v3_dot(n, a)};
}

// The triangle on the other side of side i of triangle t of a cell: its third corner. False: there is none.
static bool across_side(const thud_hfield *f, int row, int col, int t, int i, vec3 *x)
{
    static const int next[2][3][3] = {{{-1, 0, 0}, {0, 1, 1}, {0, 0, 2}}, // rows and columns away, its corner
                                      {{0, 0, 1}, {1, 0, 2}, {0, -1, 0}}};
    const int r = row + next[t][i][0], c = col + next[t][i][1];
    if (r < 0 || c < 0 || r >= f->rows - 1 || c >= f->cols - 1) {
        return false;
    }
    vec3 corner[3];
    thud_hfield_triangle(f, r, c, 1 - t, corner);
    *x = corner[next[t][i][2]];
    return true;
}

static void prism_of(const thud_hfield *f, int row, int col, int t, prism *p)
{
    thud_hfield_prism(f, row, col, t, p->vertex);
    for (int i = 0; i < 3; i++) {
        const vec3 x = p->vertex[i], side = v3_sub(p->vertex[(i + 1) % 3], x);
        vec3 y;
        p->face[2 + i] = plane_through(x, v3_add(x, v3(0, 0, -1)), v3_add(x, side));
        p->has_beyond[i] = across_side(f, row, col, t, i, &y);
        if (p->has_beyond[i]) {
            y = v3_sub(y, x);
            p->beyond[i] = v3_normalize(v3_axpy(-v3_dot(y, side) / v3_norm2(side), side, y));
        }
    }
    p->face[TOP] = plane_through(p->vertex[0], p->vertex[1], p->vertex[2]);
    p->face[1] = (thud_plane){.normal = v3(0, 0, -1), .offset = f->base};
    p->index = 2 * (row * (f->cols - 1) + col) + t;
    const thud_hull hull = {.vertices = 6,
                            .edges = 9,
                            .faces = 5,
                            .vertex = p->vertex,
                            .edge = prism_edge,
                            .face = p->face,
                            .face_start = prism_face_start,
                            .face_vertex = prism_face_vertex,
                            .face_edge = prism_face_edge,
                            .near_start = prism_near_start,
                            .near = prism_near,
                            .near_edge = prism_near_edge,
                            .thickness = 0,
                            .radius = v3_norm(v3(f->radius_x, f->radius_y, thud_max(f->highest, f->base)))};
    memcpy(&p->hull, &hull, sizeof hull);
    for (int i = 0; i < 6; i++) {
        p->hull.centre = v3_axpy(1.0 / 6, p->vertex[i], p->hull.centre);
    }
}

// Does a triangle that shares the feature come nearer to the shape than this one? s > 0.
static bool belongs_to_neighbour(const prism *p, const facet *f)
{
    vec3 a, b;
    if (f->kind == FACET_FACE_A) {
        return f->feature[0] != TOP;
    }
    facet_points(f, &a, &b);
    for (int i = 0; i < 3; i++) {
        const vec3 x = p->vertex[i], y = p->vertex[(i + 1) % 3];
        const vec3 side = v3_sub(y, x), to = v3_sub(a, x);
        const double off2 = v3_norm2(v3_cross(side, to)), len2 = v3_norm2(side);
        if (p->has_beyond[i] && off2 <= 1e-18 * len2 * len2 && v3_dot(p->beyond[i], f->n) > 1e-9) {
            return true;
        }
    }
    return a.z < thud_min(p->vertex[0].z, thud_min(p->vertex[1].z, p->vertex[2].z)) - 1e-9 * p->hull.radius;
}

// The facet by which the shape meets this prism. False: it does not, or another prism's is the one that
// counts.
static bool prism_facet(const duo *d, const prism *p, double enough, facet *f)
{
    *f = (facet){.kind = FACET_NONE};
    if (duo_separate(d, d->p, enough, f)) {
        duo_ascend(d, f);
        duo_settle(d, f);
        return !belongs_to_neighbour(p, f);
    }
    facet_of_face(d, 0, TOP, f);
    return true;
}

static int prism_contacts(duo *d, const prism *p, double margin, thud_pair_contact *out)
{
    facet f;
    int next[2][2];
    const double enough = margin + d->b.round + 16 * d->tol;
    if (!prism_facet(d, p, enough, &f) || f.s > enough) {
        return 0;
    }
    int count = duo_manifold(d, &f, margin, out);
    // In the ground, but lowest beside this triangle: the corners above it are the contact.
    const bool beside = f.kind == FACET_FACE_A && facet_clearance(d, &f, next) < -1e-9 * d->scale;
    thud_pair_contact witness;
    facet_contact(d, &f, &witness);
    for (int i = count - 1; i >= 0; i--) {
        if (beside && out[i].feature[1] == witness.feature[1] && out[i].dist == witness.dist) {
            out[i] = out[--count];
        } else {
            const uint32_t at = (uint32_t)thud_feature_index_of(out[i].feature[0]);
            out[i].feature[0] = feature_of(thud_feature_kind_of(out[i].feature[0]), 32 * p->index + (int)at);
        }
    }
    return count;
}

static bool already_there(const thud_pair_contact *c, int count, const thud_pair_contact *x, double same)
{
    for (int i = 0; i < count; i++) {
        if (v3_norm(v3_sub(c[i].point, x->point)) <= same && v3_dot(c[i].normal, x->normal) > 1 - 1e-9) {
            return true;
        }
    }
    return false;
}

static void add(thud_pair_contact *out, int *count, const thud_pair_contact *x)
{
    if (*count < THUD_PAIR_MAX) {
        out[(*count)++] = *x;
        return;
    }
    int shallow = 0;
    for (int i = 1; i < *count; i++) {
        shallow = out[i].dist > out[shallow].dist ? i : shallow;
    }
    if (x->dist < out[shallow].dist) {
        out[shallow] = *x;
    }
}

// The cells under the shape's box, widened by reach; false when there are none.
static bool cells_under(const thud_hfield *f, const thud_shape *shape, pose X, double reach,
                        thud_hfield_cells *c)
{
    const thud_aabb box = thud_shape_bounds(shape, X);
    const vec3 wide = v3(reach, reach, reach);
    *c = thud_hfield_overlap(f, v3_sub(box.lo, wide), v3_add(box.hi, wide));
    return c->row_lo < c->row_hi && c->col_lo < c->col_hi;
}

static bool clear_above(const prism *p, double low)
{
    return thud_max(p->vertex[0].z, thud_max(p->vertex[1].z, p->vertex[2].z)) < low;
}

int hfield_contacts(const thud_hfield *field, const thud_shape *shape, pose X, double margin,
                    thud_pair_contact out[THUD_PAIR_MAX])
{
    thud_hfield_cells c;
    prism p;
    duo d;
    thud_pair_contact found[THUD_MANIFOLD_MAX];
    int count = 0;
    if (!cells_under(field, shape, X, thud_max(0, margin), &c)) {
        return 0;
    }
    const double low = thud_shape_bounds(shape, X).lo.z - margin;
    for (int row = c.row_lo; row < c.row_hi; row++) {
        for (int half = 2 * c.col_lo; half < 2 * c.col_hi; half++) {
            prism_of(field, row, half / 2, half % 2, &p);
            if (clear_above(&p, low)) {
                continue;
            }
            const thud_shape ground = {.kind = THUD_SHAPE_HULL, .hull = &p.hull};
            duo_place(&d, &ground, pose_identity(), shape, X);
            duo_complete(&d);
            const int made = prism_contacts(&d, &p, margin, found);
            for (int i = 0; i < made; i++) {
                if (!already_there(out, count, &found[i], 1e-9 * d.scale)) {
                    add(out, &count, &found[i]);
                }
            }
        }
    }
    return count;
}

void hfield_gap(const thud_hfield *field, const thud_shape *shape, pose X, thud_pair_gap *out)
{
    thud_hfield_cells c;
    prism p;
    duo d;
    double reach = thud_shape_radius(shape), best = DBL_MAX;
    const double all = 2 * (v3_norm(X.p) + reach + field->radius_x + field->radius_y + field->base +
                            fabs(field->highest) + fabs(field->lowest));
    *out = (thud_pair_gap){.dist = INFINITY};
    for (; best > reach; reach *= 2) { // a wider ring of cells until nothing outside it can be nearer
        reach = reach > 0 ? reach : 1e-3 * all;
        if (!cells_under(field, shape, X, reach, &c)) {
            if (reach > all) {
                return;
            }
            continue;
        }
        for (int row = c.row_lo; row < c.row_hi; row++) {
            for (int half = 2 * c.col_lo; half < 2 * c.col_hi; half++) {
                facet f;
                int next[2][2];
                thud_pair_contact x;
                prism_of(field, row, half / 2, half % 2, &p);
                const thud_shape ground = {.kind = THUD_SHAPE_HULL, .hull = &p.hull};
                duo_place(&d, &ground, pose_identity(), shape, X);
                duo_complete(&d);
                const bool counts = prism_facet(&d, &p, INFINITY, &f);
                facet_contact(&d, &f, &x);
                const bool beside = f.s <= 0 && facet_clearance(&d, &f, next) < -1e-9 * d.scale;
                if (!counts || beside || !(x.dist < best)) {
                    continue;
                }
                best = x.dist;
                out->dist = x.dist;
                out->normal = x.normal;
                out->point[0] = v3_axpy(-0.5 * x.dist, x.normal, x.point);
                out->point[1] = v3_axpy(0.5 * x.dist, x.normal, x.point);
                const int at = thud_feature_index_of(x.feature[0]);
                out->feature[0] = feature_of(thud_feature_kind_of(x.feature[0]), 32 * p.index + at);
                out->feature[1] = x.feature[1];
            }
        }
        if (reach > all) {
            return;
        }
    }
}
