// SPDX-License-Identifier: Apache-2.0
// polyhedron.c: numbers the vertices, edges and faces of a polyhedron, and refuses what is not one.
//
// The numbering depends only on the polyhedron, not on the order it is given in: vertices keep the order of
// the points, each loop starts at its lowest vertex, faces are sorted by their loops and edges by their ends.
#include <stdlib.h>
#include <string.h>

#include "polyhedron.h"
#include <thud/spatial_inline.h>

// ---------------------------------------------------------------------------------------------- polygons

static int polygon_end(const polygons *p, int f)
{
    return f + 1 < p->faces ? p->start[f + 1] : p->corners;
}

// ---------------------------------------------------------------------------------------------- one block

// The hull with its arrays, writable while it is built.
typedef struct block {
    thud_hull hull;
    vec3 *vertex;
    thud_plane *face;
    thud_edge *edge;
    int *face_start, *face_vertex, *face_edge, *near_start, *near, *near_edge;
} block;

static block *block_create(int vertices, int edges, int faces)
{
    const size_t v = (size_t)vertices, e = (size_t)edges, f = (size_t)faces;
    const size_t bytes = sizeof(block) + v * sizeof(vec3) + f * sizeof(thud_plane) + e * sizeof(thud_edge) +
                         (f + 1 + v + 1 + 8 * e) * sizeof(int);
    block *b = thud_alloc(1, bytes);
    if (!b) {
        return NULL;
    }
    b->vertex = (vec3 *)(b + 1);
    b->face = (thud_plane *)(b->vertex + v);
    b->edge = (thud_edge *)(b->face + f);
    b->face_start = (int *)(b->edge + e);
    b->face_vertex = b->face_start + f + 1;
    b->face_edge = b->face_vertex + 2 * e;
    b->near_start = b->face_edge + 2 * e;
    b->near = b->near_start + v + 1;
    b->near_edge = b->near + 2 * e;
    const thud_hull hull = {.vertices = vertices,
                            .edges = edges,
                            .faces = faces,
                            .vertex = b->vertex,
                            .edge = b->edge,
                            .face = b->face,
                            .face_start = b->face_start,
                            .face_vertex = b->face_vertex,
                            .face_edge = b->face_edge,
                            .near_start = b->near_start,
                            .near = b->near,
                            .near_edge = b->near_edge};
    b->hull = hull;
    return b;
}

void thud_hull_destroy(thud_hull *hull)
{
    thud_free(hull); // the hull stands first in its block
}

// ---------------------------------------------------------------------------------------------- loops

// Rotates a loop so that its lowest number comes first.
static void start_at_lowest(int *loop, int size)
{
    int lowest = 0;
    for (int k = 1; k < size; k++) {
        lowest = loop[k] < loop[lowest] ? k : lowest;
    }
    for (int turn = 0; turn < lowest; turn++) {
        const int first = loop[0];
        memmove(loop, loop + 1, (size_t)(size - 1) * sizeof *loop);
        loop[size - 1] = first;
    }
}

typedef struct loop {
    const int *corner;
    int size;
} loop;

static int compare_loops(const void *a, const void *b)
{
    const loop *p = a, *q = b;
    for (int k = 0; k < p->size && k < q->size; k++) {
        if (p->corner[k] != q->corner[k]) {
            return p->corner[k] < q->corner[k] ? -1 : 1;
        }
    }
    return (p->size > q->size) - (p->size < q->size);
}

// Fills face_start and face_vertex from loops in terms of vertices. False: no memory.
static bool sort_faces(block *b, const polygons *p, const int *renamed)
{
    const size_t corners = (size_t)p->corners, faces = (size_t)p->faces;
    int *corner = thud_alloc(corners, sizeof *corner);
    loop *loops = thud_alloc(faces, sizeof *loops);
    if (corner && loops) {
        for (int k = 0; k < p->corners; k++) {
            corner[k] = renamed[p->corner[k]];
        }
        for (int f = 0; f < p->faces; f++) {
            const int size = polygon_end(p, f) - p->start[f];
            start_at_lowest(corner + p->start[f], size);
            loops[f].corner = corner + p->start[f];
            loops[f].size = size;
        }
        qsort(loops, faces, sizeof *loops, compare_loops);
        for (int f = 0; f < p->faces; f++) {
            memcpy(b->face_vertex + b->face_start[f], loops[f].corner, (size_t)loops[f].size * sizeof(int));
            b->face_start[f + 1] = b->face_start[f] + loops[f].size;
        }
    }
    const bool ok = corner && loops;
    thud_free(corner);
    thud_free(loops);
    return ok;
}

// ---------------------------------------------------------------------------------------------- edges

typedef struct side { // a face's step from one vertex to the next
    int low, high;    // the two, low < high
    int down;         // 1: from high to low
    int face, slot;   // where in face_edge
} side;

static int compare_sides(const void *a, const void *b)
{
    const side *p = a, *q = b;
    return p->low != q->low     ? (p->low < q->low ? -1 : 1)
           : p->high != q->high ? (p->high < q->high ? -1 : 1)
                                : p->down - q->down;
}

// Pairs the sides of all faces into edges: each must come exactly once up and once down.
static thud_status pair_sides(block *b, side *sides)
{
    const thud_hull *h = &b->hull;
    int n = 0;
    for (int f = 0; f < h->faces; f++) {
        for (int k = h->face_start[f]; k < h->face_start[f + 1]; k++, n++) {
            const int from = h->face_vertex[k],
                      to = h->face_vertex[k + 1 < h->face_start[f + 1] ? k + 1 : h->face_start[f]];
            const side s = {from < to ? from : to, from < to ? to : from, from > to, f, k};
            sides[n] = s;
        }
    }
    qsort(sides, (size_t)n, sizeof *sides, compare_sides);
    for (int e = 0; e < h->edges; e++) {
        const side *up = sides + 2 * (ptrdiff_t)e, *down = up + 1;
        const bool fresh = e == 0 || up->low != up[-1].low || up->high != up[-1].high;
        if (up->low == up->high || up->low != down->low || up->high != down->high || up->down ||
            !down->down || up->face == down->face || !fresh) {
            return THUD_BAD_MODEL;
        }
        const thud_edge edge = {{up->low, up->high}, {up->face, down->face}};
        b->edge[e] = edge;
        b->face_edge[up->slot] = b->face_edge[down->slot] = e;
    }
    return THUD_OK;
}

// Rows of neighbours from the edges. As these are sorted, two passes leave each row ascending.
static thud_status connect(block *b)
{
    const thud_hull *h = &b->hull;
    for (int e = 0; e < h->edges; e++) {
        b->near_start[h->edge[e].vertex[0] + 1]++;
        b->near_start[h->edge[e].vertex[1] + 1]++;
    }
    for (int v = 0; v < h->vertices; v++) {
        if (b->near_start[v + 1] < 3) {
            return THUD_BAD_MODEL;
        }
        b->near_start[v + 1] += b->near_start[v];
    }
    for (int pass = 0; pass < 2; pass++) { // lower neighbours, then higher ones
        for (int e = 0; e < h->edges; e++) {
            const int at = h->edge[e].vertex[1 - pass], other = h->edge[e].vertex[pass];
            b->near_edge[b->near_start[at]] = e;
            b->near[b->near_start[at]++] = other;
        }
    }
    memmove(b->near_start + 1, b->near_start, (size_t)h->vertices * sizeof(int)); // each moved one row on
    b->near_start[0] = 0;
    return THUD_OK;
}

// ---------------------------------------------------------------------------------------------- planes

// Planes through the farthest vertex along each normal, so that no vertex is above any of them.
static thud_status set_planes(block *b, double depth)
{
    thud_hull *h = &b->hull;
    vec3 lo = h->vertex[0], hi = lo;
    for (int v = 0; v < h->vertices; v++) {
        h->radius = thud_max(h->radius, v3_norm(h->vertex[v]));
        h->centre = v3_axpy(1.0 / h->vertices, h->vertex[v], h->centre);
        lo = v3_min(lo, h->vertex[v]);
        hi = v3_max(hi, h->vertex[v]);
    }
    h->middle = v3_scale(0.5, v3_add(lo, hi));
    h->half = v3_scale(0.5, v3_sub(hi, lo));
    h->thickness = depth; // for the searches below
    double deepest = 0;
    for (int f = 0; f < h->faces; f++) {
        const vec3 n =
            polygon_normal(h->vertex, h->face_vertex + h->face_start[f], thud_hull_face_size(h, f));
        const int top = thud_hull_support(h, n, h->face_vertex[h->face_start[f]]);
        b->face[f].normal = n;
        b->face[f].offset = v3_dot(n, h->vertex[top]);
        for (int k = h->face_start[f]; k < h->face_start[f + 1]; k++) {
            deepest = thud_max(deepest, b->face[f].offset - v3_dot(n, h->vertex[h->face_vertex[k]]));
        }
        if (!(v3_norm2(n) > 0.5)) {
            return THUD_BAD_MODEL; // a face without area
        }
    }
    h->thickness = deepest;
    return deepest <= depth ? THUD_OK : THUD_BAD_MODEL;
}

// ---------------------------------------------------------------------------------------------- all of it

// Numbers the points that are corners, ascending; -1 for the others. Returns how many.
static int number_vertices(const polygons *p, int count, int *renamed)
{
    for (int k = 0; k < p->corners; k++) {
        renamed[p->corner[k]] = 1;
    }
    int vertices = 0;
    for (int i = 0; i < count; i++) {
        renamed[i] = renamed[i] ? vertices++ : -1;
    }
    return vertices;
}

static thud_status fill(block *b, const polygons *p, const vec3 *point, int count, const int *renamed,
                        double depth)
{
    for (int i = 0; i < count; i++) {
        if (renamed[i] >= 0) {
            b->vertex[renamed[i]] = point[i];
        }
    }
    side *sides = thud_alloc((size_t)p->corners, sizeof *sides);
    if (!sides || !sort_faces(b, p, renamed)) {
        thud_free(sides);
        return THUD_NO_MEMORY;
    }
    const thud_status paired = pair_sides(b, sides);
    thud_free(sides);
    THUD_TRY(paired);
    THUD_TRY(connect(b));
    return set_planes(b, depth);
}

thud_status polyhedron_build(const polygons *p, const vec3 *point, int count, double depth, thud_hull **out)
{
    *out = NULL;
    for (int f = 0; f < p->faces; f++) {
        if (polygon_end(p, f) - p->start[f] < 3) {
            return THUD_BAD_MODEL;
        }
    }
    int *renamed = thud_alloc((size_t)count, sizeof *renamed);
    if (!renamed) {
        return THUD_NO_MEMORY;
    }
    const int vertices = number_vertices(p, count, renamed), edges = p->corners / 2;
    thud_status status = THUD_BAD_MODEL;
    if (p->corners % 2 == 0 && vertices - edges + p->faces == 2) { // Euler
        block *b = block_create(vertices, edges, p->faces);
        status = b ? fill(b, p, point, count, renamed, depth) : THUD_NO_MEMORY;
        if (status == THUD_OK) {
            *out = &b->hull;
        } else {
            thud_free(b);
        }
    }
    thud_free(renamed);
    return status;
}

thud_status thud_hull_recentre(const thud_hull *hull, pose X, thud_hull **out)
{
    *out = NULL;
    block *b = block_create(hull->vertices, hull->edges, hull->faces);
    if (!b) {
        return THUD_NO_MEMORY;
    }
    memcpy(b->edge, hull->edge, (size_t)hull->edges * sizeof *b->edge);
    memcpy(b->face_start, hull->face_start, (size_t)(hull->faces + 1) * sizeof(int));
    memcpy(b->face_vertex, hull->face_vertex, 2 * (size_t)hull->edges * sizeof(int));
    memcpy(b->face_edge, hull->face_edge, 2 * (size_t)hull->edges * sizeof(int));
    memcpy(b->near_start, hull->near_start, (size_t)(hull->vertices + 1) * sizeof(int));
    memcpy(b->near, hull->near, 2 * (size_t)hull->edges * sizeof(int));
    memcpy(b->near_edge, hull->near_edge, 2 * (size_t)hull->edges * sizeof(int));
    for (int v = 0; v < hull->vertices; v++) {
        b->vertex[v] = pose_unpoint(X, hull->vertex[v]);
    }
    b->hull.thickened = hull->thickened;
    const double rounding = 64 * 0x1p-53 * (hull->radius + v3_norm(X.p));
    const thud_status status = set_planes(b, 2 * hull->thickness + rounding);
    if (status != THUD_OK) {
        thud_free(b);
        return status;
    }
    b->hull.hash = thud_hash(THUD_HASH_START, b->vertex, (size_t)hull->vertices * sizeof(vec3));
    *out = &b->hull;
    return THUD_OK;
}
