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

// Vertices 0-2 at the base, 3-5 on the ground, counter-clockwise from above; faces: top, base, three sides.
static const int prism_face_start[6] = {0, 3, 6, 10, 14, 18};
static const int prism_face_vertex[18] = {3, 4, 5, 0, 2, 1, 0, 1, 4, 3, 1, 2, 5, 4, 2, 0, 3, 5};
static const int prism_face_edge[18] = {0, 1, 2, 5, 4, 3, 3, 7, 0, 6, 4, 8, 1, 7, 5, 6, 2, 8};
static const thud_edge prism_edge[9] = {{{3, 4}, {0, 2}}, {{4, 5}, {0, 3}}, {{5, 3}, {0, 4}},
                                        {{0, 1}, {2, 1}}, {{1, 2}, {3, 1}}, {{2, 0}, {4, 1}},
                                        {{0, 3}, {4, 2}}, {{1, 4}, {2, 3}}, {{2, 5}, {3, 4}}};
static const int prism_near_start[7] = {0, 3, 6, 9, 12, 15, 18};
static const int prism_near[18] = {1, 2, 3, 0, 2, 4, 0, 1, 5, 0, 4, 5, 1, 3, 5, 2, 3, 4};
static const int prism_near_edge[18] = {3, 5, 6, 3, 4, 7, 5, 4, 8, 6, 0, 2, 7, 0, 1, 8, 2, 1};

typedef struct prism {
    thud_hull hull;
    vec3 vertex[6];
    thud_plane face[5];
    int index;      // 2 * cell + triangle
    vec3 beyond[3]; // for each side of the triangle: into the neighbour, along its slope, across the side
    bool has_beyond[3];
} prism;

static vec3 grid_point(const thud_hfield *f, int row, int col)
{
    return v3(-f->radius_x + 2 * f->radius_x * col / (f->cols - 1),
              -f->radius_y + 2 * f->radius_y * row / (f->rows - 1), f->height[row * f->cols + col]);
}

static bool on_grid(const thud_hfield *f, int row, int col)
{
    return row >= 0 && col >= 0 && row < f->rows && col < f->cols;
}

static thud_plane plane_through(vec3 a, vec3 b, vec3 c)
{
    const vec3 n = v3_normalize(v3_cross(v3_sub(b, a), v3_sub(c, a)));
    return (thud_plane){.normal = n, .offset = v3_dot(n, a)};
}

// Triangle t of the cell at (row, col): its corners and, opposite each side, the neighbour's third corner.
static void triangle_corners(int row, int col, int t, int corner[3][2], int opposite[3][2])
{
    static const int c[2][3][2] = {{{0, 0}, {0, 1}, {1, 1}}, {{0, 0}, {1, 1}, {1, 0}}};
    static const int o[2][3][2] = {{{-1, 0}, {1, 2}, {1, 0}}, {{0, 1}, {2, 1}, {0, -1}}};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 2; k++) {
            corner[i][k] = c[t][i][k] + (k == 0 ? row : col);
            opposite[i][k] = o[t][i][k] + (k == 0 ? row : col);
        }
    }
}

static void prism_of(const thud_hfield *f, int row, int col, int t, prism *p)
{
    int corner[3][2], opposite[3][2];
    triangle_corners(row, col, t, corner, opposite);
    for (int i = 0; i < 3; i++) {
        p->vertex[3 + i] = grid_point(f, corner[i][0], corner[i][1]);
        p->vertex[i] = p->vertex[3 + i];
        p->vertex[i].z = fmin(-f->base, p->vertex[3 + i].z);
    }
    for (int i = 0; i < 3; i++) {
        const vec3 x = p->vertex[3 + i], side = v3_sub(p->vertex[3 + (i + 1) % 3], x);
        p->face[2 + i] = plane_through(x, v3_add(x, v3(0, 0, -1)), v3_add(x, side));
        p->has_beyond[i] = on_grid(f, opposite[i][0], opposite[i][1]);
        if (p->has_beyond[i]) {
            const vec3 y = v3_sub(grid_point(f, opposite[i][0], opposite[i][1]), x);
            p->beyond[i] = v3_normalize(v3_axpy(-v3_dot(y, side) / v3_norm2(side), side, y));
        }
    }
    p->face[TOP] = plane_through(p->vertex[3], p->vertex[4], p->vertex[5]);
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
                            .radius = v3_norm(v3(f->radius_x, f->radius_y, fmax(f->highest, f->base)))};
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
        const vec3 x = p->vertex[3 + i], y = p->vertex[3 + (i + 1) % 3];
        const vec3 side = v3_sub(y, x), to = v3_sub(a, x);
        const double off2 = v3_norm2(v3_cross(side, to)), len2 = v3_norm2(side);
        if (p->has_beyond[i] && off2 <= 1e-18 * len2 * len2 && v3_dot(p->beyond[i], f->n) > 1e-9) {
            return true;
        }
    }
    return a.z < fmin(p->vertex[3].z, fmin(p->vertex[4].z, p->vertex[5].z)) - 1e-9 * p->hull.radius;
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

typedef struct cells { // rows and columns of cells, inclusive
    int row[2], col[2];
} cells;

static int clamp_cell(double x, int count)
{
    return x < 0 ? 0 : x > count - 1 ? count - 1 : (int)x;
}

// The cells under the shape's box, widened by reach; false when the shape is clear of the whole field.
static bool cells_under(const thud_hfield *f, const thud_shape *shape, pose X, double reach, cells *c)
{
    const thud_aabb box = thud_shape_bounds(shape, X);
    const double wide = 2 * f->radius_x / (f->cols - 1), deep = 2 * f->radius_y / (f->rows - 1);
    if (box.lo.z - reach > f->highest || box.hi.z + reach < -f->base || box.lo.x - reach > f->radius_x ||
        box.hi.x + reach < -f->radius_x || box.lo.y - reach > f->radius_y ||
        box.hi.y + reach < -f->radius_y) {
        return false;
    }
    c->col[0] = clamp_cell(floor((box.lo.x - reach + f->radius_x) / wide), f->cols - 1);
    c->col[1] = clamp_cell(floor((box.hi.x + reach + f->radius_x) / wide), f->cols - 1);
    c->row[0] = clamp_cell(floor((box.lo.y - reach + f->radius_y) / deep), f->rows - 1);
    c->row[1] = clamp_cell(floor((box.hi.y + reach + f->radius_y) / deep), f->rows - 1);
    return true;
}

static bool clear_above(const prism *p, double low)
{
    return fmax(p->vertex[3].z, fmax(p->vertex[4].z, p->vertex[5].z)) < low;
}

int hfield_contacts(const thud_hfield *field, const thud_shape *shape, pose X, double margin,
                    thud_pair_contact out[THUD_PAIR_MAX])
{
    cells c;
    prism p;
    duo d;
    thud_pair_contact found[THUD_MANIFOLD_MAX];
    int count = 0;
    if (!cells_under(field, shape, X, fmax(0, margin), &c)) {
        return 0;
    }
    const double low = thud_shape_bounds(shape, X).lo.z - margin;
    for (int row = c.row[0]; row <= c.row[1]; row++) {
        for (int half = 2 * c.col[0]; half < 2 * c.col[1] + 2; half++) {
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
    cells c;
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
        for (int row = c.row[0]; row <= c.row[1]; row++) {
            for (int half = 2 * c.col[0]; half < 2 * c.col[1] + 2; half++) {
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
