// SPDX-License-Identifier: Apache-2.0
// weigh.c: volume or area, centre, inertia and principal frame of a mesh, in MJCF's four meanings.
//
// All sums are over simplices about a reference point o (moments.h): triangles for SHELL, tetrahedra with
// their sign for EXACT and CONVEX, by their absolute volume for LEGACY. There are MuJoCo's two passes: the
// first, about the centroid g of the surface, gives the centre c; the second, about c, gives volume and
// inertia, which are not moved again. For closed surfaces o does not matter; LEGACY and open meshes are
// defined by this choice.
//
// Differs  MuJoCo refuses EXACT where any directed edge comes twice; we only where that makes the two
//          triangles of an edge disagree. Other faults are counted as open edges; many meshes have some.
// Fails    on an area or volume below MIN_MEASURE, as MuJoCo does, and on inconsistent orientation.
#include <stdlib.h>

#include "moments.h"
#include <thud/shape_mesh.h>

static const double MIN_MEASURE = 1e-15; // m^2 or m^3

// What is weighed: a mesh's triangles, or a hull.
typedef struct surface {
    const thud_mesh *mesh;
    const thud_hull *hull; // not NULL: this
} surface;

static void add_triangle(moments *sum, const vec3 corner[3], thud_mesh_inertia mode)
{
    if (mode == THUD_MESH_INERTIA_SHELL) {
        moments_add_triangle(sum, corner);
    } else {
        const double volume = v3_dot(corner[0], v3_cross(corner[1], corner[2]));
        moments_add_tetrahedron(sum, corner, mode == THUD_MESH_INERTIA_LEGACY && volume < 0 ? -1 : 1);
    }
}

static moments sum_about(surface s, vec3 o, thud_mesh_inertia mode)
{
    if (s.hull) {
        return hull_moments(s.hull, o, mode == THUD_MESH_INERTIA_SHELL);
    }
    moments sum = {0, {0, 0, 0}, {0}};
    const vec3 *x = s.mesh->vertex;
    for (int t = 0; t < s.mesh->triangles; t++) {
        const int *i = s.mesh->triangle + 3 * (ptrdiff_t)t;
        const vec3 corner[3] = {v3_sub(x[i[0]], o), v3_sub(x[i[1]], o), v3_sub(x[i[2]], o)};
        add_triangle(&sum, corner, mode);
    }
    return sum;
}

// The point that moments about o have as their centre.
static vec3 centre_of(const moments *sum, vec3 o)
{
    return v3_axpy(1 / sum->m, sum->first, o);
}

// ---------------------------------------------------------------------------------------------- closedness

typedef struct half_edge {
    int low, high; // vertices, low < high
    int direction; // +1: from low to high in its triangle
} half_edge;

static int compare_edges(const void *a, const void *b)
{
    const half_edge *p = a, *q = b;
    return p->low != q->low ? (p->low < q->low ? -1 : 1) : (p->high > q->high) - (p->high < q->high);
}

static thud_status misoriented(const half_edge *h, thud_diag *diag)
{
    return thud_fail(THUD_BAD_MODEL, diag, NULL, 0, 0,
                     "the two triangles at the edge between vertices %d and %d (from 0) are oriented "
                     "inconsistently, so the mesh encloses no volume; use inertia 'convex' or 'shell'",
                     h->low, h->high);
}

// Counts the edges that do not have as many triangles one way as the other.
static thud_status count_open(const thud_mesh *mesh, int *open, thud_diag *diag)
{
    const size_t count = 3 * (size_t)mesh->triangles;
    half_edge *edge = thud_alloc(count, sizeof *edge);
    if (!edge) {
        return thud_fail(THUD_NO_MEMORY, diag, NULL, 0, 0, "a mesh of %d triangles: %s", mesh->triangles,
                         thud_status_text(THUD_NO_MEMORY));
    }
    for (size_t k = 0; k < count; k++) {
        const int a = mesh->triangle[k], b = mesh->triangle[k % 3 == 2 ? k - 2 : k + 1];
        const half_edge h = {a < b ? a : b, a < b ? b : a, a < b ? 1 : -1};
        edge[k] = h;
    }
    qsort(edge, count, sizeof *edge, compare_edges);
    thud_status status = THUD_OK;
    for (size_t k = 0, next; k < count && status == THUD_OK; k = next) {
        int balance = 0;
        for (next = k; next < count && compare_edges(&edge[k], &edge[next]) == 0; next++) {
            balance += edge[next].direction;
        }
        *open += balance != 0;
        if (next - k == 2 && balance != 0) {
            status = misoriented(&edge[k], diag);
        }
    }
    thud_free(edge);
    return status;
}

// ---------------------------------------------------------------------------------------------- the modes

static thud_status check_measure(const moments *sum, thud_mesh_inertia mode, thud_diag *diag)
{
    if (sum->m >= MIN_MEASURE) {
        return THUD_OK;
    }
    if (mode == THUD_MESH_INERTIA_SHELL) {
        return thud_fail(THUD_BAD_MODEL, diag, NULL, 0, 0, "the mesh has an area of only %g m^2", sum->m);
    }
    return thud_fail(THUD_BAD_MODEL, diag, NULL, 0, 0,
                     sum->m < 0 ? "the mesh has a volume of %g m^3: its triangles face inward"
                                : "the mesh has a volume of only %g m^3; use inertia 'shell' for surfaces",
                     sum->m);
}

thud_status thud_mesh_weigh(const thud_mesh *mesh, thud_mesh_inertia mode, const thud_hull *hull,
                            thud_mesh_mass *out, thud_diag *diag)
{
    const bool by_hull = mode == THUD_MESH_INERTIA_CONVEX || mesh->triangles == 0;
    if (by_hull && !hull) {
        return thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0, "the mass of this mesh is that of its hull");
    }
    const surface s = {mesh, by_hull ? hull : NULL};
    out->open_edges = 0;
    if (mode == THUD_MESH_INERTIA_EXACT && !by_hull) {
        THUD_TRY(count_open(mesh, &out->open_edges, diag));
    }
    const vec3 o = by_hull ? hull->vertex[0] : mesh->vertex[0];
    const moments skin = sum_about(s, o, THUD_MESH_INERTIA_SHELL);
    THUD_TRY(check_measure(&skin, THUD_MESH_INERTIA_SHELL, diag));
    const vec3 g = centre_of(&skin, o);
    const moments first = sum_about(s, g, mode);
    THUD_TRY(check_measure(&first, mode, diag));
    const vec3 c = centre_of(&first, g);
    moments second = sum_about(s, c, mode);
    THUD_TRY(check_measure(&second, mode, diag));
    second.first = v3(0, 0, 0); // zero but for rounding and holes: the inertia is that about c

    out->measure = second.m;
    out->inertia = moments_inertia(&second, c, 1);
    out->X.p = c;
    thud_sym3_eigen(out->inertia.I, out->moment, &out->X.q);
    return THUD_OK;
}
