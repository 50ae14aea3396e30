// SPDX-License-Identifier: Apache-2.0
// merge_faces.c: a hull's triangles to polygons. From the largest triangle on, each takes in those around it whose
// corners are within the tolerance of its plane. A corner left between two faces only lies on their common edge, and
// goes. Where what was taken in has a hole, or touches itself at a corner, its triangles stay single.
#include <stdlib.h>

#include "quickhull.h"
#include <thud/spatial_inline.h>

enum { NONE = -1 };

typedef struct ranked {
    double area; // squared, times four; 0 for a sliver
    int triangle;
} ranked;

typedef struct merging {
    const triangles *t;
    const vec3 *point;
    double tolerance;
    ranked *order; // (triangles) by area, the largest first
    int *face;     // (triangles) the face it is in: a triangle's number
    int *member;   // (triangles) of the face that is being made; and of its border: the edges 3 t + k
    int *edge;     // (3 triangles)
    int *from;     // (points) the edge of the border that starts here, by 3 t + k
    int *stamp;    // (points) the face that from is of, + 1
    int *faces_at; // (points) faces around it
    polygons loops;
    int members, edges;
} merging;

static int compare_ranked(const void *a, const void *b)
{
    const ranked *p = a, *q = b;
    return p->area != q->area ? (p->area < q->area) - (p->area > q->area) : p->triangle - q->triangle;
}

static vec3 cross_of(const merging *m, int t)
{
    const int *c = m->t->corner[t];
    const vec3 o = m->point[c[0]];
    return v3_cross(v3_sub(m->point[c[1]], o), v3_sub(m->point[c[2]], o));
}

// A sliver is no higher than the tolerance above its longest side. Its normal is rounding.
static bool is_sliver(const merging *m, int t)
{
    double longest2 = 0;
    for (int k = 0; k < 3; k++) {
        const int *c = m->t->corner[t];
        longest2 = thud_max(longest2, v3_norm2(v3_sub(m->point[c[(k + 1) % 3]], m->point[c[k]])));
    }
    return v3_norm2(cross_of(m, t)) <= m->tolerance * m->tolerance * longest2;
}

static bool is_flat(const merging *m, int t, vec3 o, vec3 normal)
{
    bool flat = true;
    for (int k = 0; k < 3; k++) {
        const double height = v3_dot(normal, v3_sub(m->point[m->t->corner[t][k]], o));
        flat &= height <= m->tolerance && height >= -m->tolerance;
    }
    return flat;
}

// Takes the triangles around `seed` that are in its plane into the face called `seed`.
static void take_in(merging *m, int seed)
{
    const vec3 normal = v3_normalize(cross_of(m, seed)), o = m->point[m->t->corner[seed][0]];
    m->members = 0;
    m->face[seed] = seed;
    m->member[m->members++] = seed;
    for (int i = 0; i < m->members && m->tolerance > 0; i++) {
        for (int k = 0; k < 3; k++) {
            const int other = m->t->next[m->member[i]][k];
            if (m->face[other] == NONE && is_flat(m, other, o, normal) &&
                (v3_dot(normal, cross_of(m, other)) > 0 || is_sliver(m, other))) {
                m->face[other] = seed;
                m->member[m->members++] = other;
            }
        }
    }
}

// Lists the border of the face, and returns whether it is one loop that meets no corner twice.
static bool find_border(merging *m, int seed)
{
    m->edges = 0;
    for (int i = 0; i < m->members; i++) {
        const int t = m->member[i];
        for (int k = 0; k < 3; k++) {
            if (m->face[m->t->next[t][k]] != seed) {
                const int at = m->t->corner[t][k];
                if (m->stamp[at] == seed + 1) {
                    return false;
                }
                m->stamp[at] = seed + 1;
                m->from[at] = 3 * t + k;
                m->edge[m->edges++] = 3 * t + k;
            }
        }
    }
    int length = 0, e = m->edges > 0 ? m->edge[0] : 0;
    do {
        const int next = m->t->corner[e / 3][(e % 3 + 1) % 3];
        if (m->stamp[next] != seed + 1) {
            return false;
        }
        e = m->from[next];
        length++;
    } while (e != m->edge[0] && length <= m->edges);
    return m->edges > 0 && length == m->edges;
}

static bool add_loop(merging *m)
{
    bool ok = polygon_begin(&m->loops);
    for (int i = 0, e = m->edge[0]; i < m->edges && ok; i++) {
        const int at = m->t->corner[e / 3][e % 3];
        ok = polygon_corner(&m->loops, at);
        m->faces_at[at]++;
        e = m->from[m->t->corner[e / 3][(e % 3 + 1) % 3]];
    }
    return ok;
}

static bool add_single(merging *m, int t)
{
    bool ok = polygon_begin(&m->loops);
    for (int k = 0; k < 3 && ok; k++) {
        m->faces_at[m->t->corner[t][k]]++;
        ok = polygon_corner(&m->loops, m->t->corner[t][k]);
    }
    return ok;
}

static bool make_faces(merging *m)
{
    bool ok = true;
    for (int i = 0; i < m->t->count; i++) {
        m->order[i] = (ranked){is_sliver(m, i) ? 0 : v3_norm2(cross_of(m, i)), i};
        m->face[i] = NONE;
    }
    qsort(m->order, (size_t)m->t->count, sizeof *m->order, compare_ranked);
    for (int i = 0; i < m->t->count && ok; i++) {
        const int seed = m->order[i].triangle;
        if (m->face[seed] != NONE) {
            continue;
        }
        take_in(m, seed);
        if (find_border(m, seed)) {
            ok = add_loop(m);
        } else {
            for (int k = 0; k < m->members && ok; k++) {
                m->face[m->member[k]] = m->member[k];
                ok = add_single(m, m->member[k]);
            }
        }
    }
    return ok;
}

static int loop_end(const merging *m, int f)
{
    return f + 1 < m->loops.faces ? m->loops.start[f + 1] : m->loops.corners;
}

// Corners of a face at which three faces or more meet.
static int count_corners(const merging *m, int f)
{
    int count = 0;
    for (int k = m->loops.start[f]; k < loop_end(m, f); k++) {
        count += m->faces_at[m->loops.corner[k]] >= 3;
    }
    return count;
}

// A sliver with fewer than three such corners is an edge, not a face: it goes, and its neighbours share that edge. Each
// removal may leave another corner with two faces, so the search is repeated.
static void drop_slivers(merging *m, bool *dropped)
{
    bool again = true;
    while (again) {
        again = false;
        for (int f = 0; f < m->loops.faces; f++) {
            if (!dropped[f] && count_corners(m, f) < 3) {
                dropped[f] = again = true;
                for (int k = m->loops.start[f]; k < loop_end(m, f); k++) {
                    m->faces_at[m->loops.corner[k]]--;
                }
            }
        }
    }
}

// Copies the faces that remain, without the corners at which only two faces meet.
static thud_status copy_loops(merging *m, bool *dropped, polygons *out)
{
    drop_slivers(m, dropped);
    for (int f = 0; f < m->loops.faces; f++) {
        if (dropped[f]) {
            continue;
        }
        bool ok = polygon_begin(out);
        for (int k = m->loops.start[f]; k < loop_end(m, f) && ok; k++) {
            ok = m->faces_at[m->loops.corner[k]] < 3 || polygon_corner(out, m->loops.corner[k]);
        }
        if (!ok) {
            return THUD_NO_MEMORY;
        }
    }
    return out->faces >= 4 ? THUD_OK : THUD_BAD_MODEL;
}

thud_status triangles_merge(const triangles *t, const vec3 *point, int count, double tolerance, polygons *out)
{
    const size_t n = (size_t)t->count, points = (size_t)count;
    merging m = {.t = t,
                 .point = point,
                 .tolerance = tolerance,
                 .order = thud_alloc(n, sizeof *m.order),
                 .face = thud_alloc(n, sizeof *m.face),
                 .member = thud_alloc(n, sizeof *m.member),
                 .edge = thud_alloc(3 * n, sizeof *m.edge),
                 .from = thud_alloc(points, sizeof *m.from),
                 .stamp = thud_alloc(points, sizeof *m.stamp),
                 .faces_at = thud_alloc(points, sizeof *m.faces_at)};
    const bool room = m.order && m.face && m.member && m.edge && m.from && m.stamp && m.faces_at;
    bool *dropped = NULL;
    thud_status status = THUD_NO_MEMORY;
    if (room && make_faces(&m) && (dropped = thud_alloc((size_t)m.loops.faces, sizeof *dropped))) {
        status = copy_loops(&m, dropped, out);
    }
    thud_free(dropped);
    polygons_free(&m.loops);
    thud_free(m.order);
    thud_free(m.face);
    thud_free(m.member);
    thud_free(m.edge);
    thud_free(m.from);
    thud_free(m.stamp);
    thud_free(m.faces_at);
    return status;
}
