// SPDX-License-Identifier: Apache-2.0
// tessellate.c: primitives by revolution and scaling, meshes with creases where their faces meet at an angle.
#include <math.h>

#include <thud/base.h>
#include <thud/spatial_inline.h>

#include "tessellate.h"

static const double turn = 6.283185307179586;
static const double crease = 0.8; // cosine of the angle beyond which two faces meet in an edge: 37 degrees

typedef struct maker {
    facets *to;
    thud_pose X;
    int surface;
} maker;

static void push(const maker *k, const vec3 p[3], const vec3 n[3])
{
    facet f = {.surface = k->surface};
    for (int i = 0; i < 3; i++) {
        f.p[i] = pose_point(k->X, p[i]);
        f.n[i] = q_rotate(k->X.q, v3_normalize(n[i]));
    }
    facets_push(k->to, &f);
}

// The corners a b c d in turn, as two triangles.
static void push_quad(const maker *k, const vec3 p[4], const vec3 n[4])
{
    push(k, (vec3[]){p[0], p[1], p[2]}, (vec3[]){n[0], n[1], n[2]});
    push(k, (vec3[]){p[0], p[2], p[3]}, (vec3[]){n[0], n[2], n[3]});
}

// ---------------------------------------------------------------------------------------- revolution

typedef struct ring { // a circle about z, and the slope of the surface's normal there
    double r, z, nr, nz;
} ring;

static vec3 on_ring(const ring *g, double angle)
{
    return v3(g->r * cos(angle), g->r * sin(angle), g->z);
}

static vec3 off_ring(const ring *g, double angle)
{
    return v3(g->nr * cos(angle), g->nr * sin(angle), g->nz);
}

// The band between two rings.
static void push_band(const maker *k, const ring *low, const ring *high, int around)
{
    for (int i = 0; i < around; i++) {
        const double a = turn * i / around, b = turn * (i + 1) / around;
        const vec3 p[4] = {on_ring(low, a), on_ring(low, b), on_ring(high, b), on_ring(high, a)};
        const vec3 n[4] = {off_ring(low, a), off_ring(low, b), off_ring(high, b), off_ring(high, a)};
        if (low->r > 0) {
            push(k, (vec3[]){p[0], p[1], p[2]}, (vec3[]){n[0], n[1], n[2]});
        }
        if (high->r > 0) {
            push(k, (vec3[]){p[0], p[2], p[3]}, (vec3[]){n[0], n[2], n[3]});
        }
    }
}

// Two half balls of radius r, their centres at -half and half, and the tube between.
static void push_capsule(const maker *k, double r, double half, int around)
{
    const int rows = around / 4 > 1 ? around / 4 : 2;
    for (int side = -1; side <= 1; side += 2) {
        for (int i = 0; i < rows; i++) {
            const double a = 0.25 * turn * i / rows, b = 0.25 * turn * (i + 1) / rows;
            const ring low = {r * cos(a), side * (half + r * sin(a)), cos(a), side * sin(a)};
            const ring high = {i + 1 < rows ? r * cos(b) : 0, side * (half + r * sin(b)), cos(b),
                               side * sin(b)};
            push_band(k, &low, &high, around);
        }
    }
    if (half > 0) {
        push_band(k, &(ring){r, -half, 1, 0}, &(ring){r, half, 1, 0}, around);
    }
}

static void push_cylinder(const maker *k, double r, double half, int around)
{
    push_band(k, &(ring){r, -half, 1, 0}, &(ring){r, half, 1, 0}, around);
    push_band(k, &(ring){r, half, 0, 1}, &(ring){0, half, 0, 1}, around);
    push_band(k, &(ring){r, -half, 0, -1}, &(ring){0, -half, 0, -1}, around);
}

static void push_box(const maker *k, const double size[3])
{
    for (int axis = 0; axis < 3; axis++) {
        for (int side = -1; side <= 1; side += 2) {
            vec3 p[4], n[4];
            for (int c = 0; c < 4; c++) {
                double at[3], out[3] = {0};
                at[axis] = side * size[axis];
                at[(axis + 1) % 3] = (c == 1 || c == 2 ? 1 : -1) * size[(axis + 1) % 3];
                at[(axis + 2) % 3] = (c > 1 ? 1 : -1) * size[(axis + 2) % 3];
                out[axis] = side;
                p[c] = v3(at[0], at[1], at[2]);
                n[c] = v3(out[0], out[1], out[2]);
            }
            push_quad(k, p, n);
        }
    }
}

// A unit ball stretched; normals shrink where points stretch.
static void push_ellipsoid(const maker *k, const double size[3], int around)
{
    facets ball = {0};
    push_capsule(&(maker){&ball, pose_identity(), 0}, 1, 0, around);
    for (int i = 0; i < ball.count; i++) {
        vec3 p[3], n[3];
        for (int c = 0; c < 3; c++) {
            const vec3 a = ball.at[i].p[c];
            p[c] = v3(size[0] * a.x, size[1] * a.y, size[2] * a.z);
            n[c] = v3(a.x / size[0], a.y / size[1], a.z / size[2]);
        }
        push(k, p, n);
    }
    k->to->failed = k->to->failed || ball.failed;
    facets_free(&ball);
}

// ---------------------------------------------------------------------------------------- meshes

typedef struct web { // a mesh and the triangles that meet at each vertex
    const float *vertex, *corner;
    int vertices, triangles;
    int *start, *near; // those of vertex i: near[start[i]] up to near[start[i + 1]]
    vec3 *normal;      // of each triangle, as long as twice its area
} web;

static vec3 vertex_of(const web *w, int triangle, int c)
{
    const float *p = w->vertex + 3 * (size_t)w->corner[3 * (size_t)triangle + (size_t)c];
    return v3((double)p[0], (double)p[1], (double)p[2]);
}

static void link_triangles(web *w)
{
    const size_t corners = 3 * (size_t)w->triangles;
    for (size_t i = 0; i < corners; i++) {
        w->start[(size_t)w->corner[i] + 1]++;
    }
    for (int i = 0; i < w->vertices; i++) {
        w->start[i + 1] += w->start[i];
    }
    for (size_t i = corners; i-- > 0;) { // from the back: each row then begins where it should
        w->near[--w->start[(size_t)w->corner[i] + 1]] = (int)(i / 3);
    }
    for (int i = 0; i < w->vertices; i++) {
        w->start[i] = w->start[i + 1];
    }
    w->start[w->vertices] = (int)corners;
    for (int t = 0; t < w->triangles; t++) {
        const vec3 a = vertex_of(w, t, 0);
        w->normal[t] = v3_cross(v3_sub(vertex_of(w, t, 1), a), v3_sub(vertex_of(w, t, 2), a));
    }
}

// The mean of the faces around a corner that are not beyond a crease, by their areas.
static vec3 corner_normal(const web *w, int triangle, int c)
{
    const int v = (int)w->corner[3 * (size_t)triangle + (size_t)c];
    const vec3 own = w->normal[triangle];
    vec3 sum = v3(0, 0, 0);
    for (int i = w->start[v]; i < w->start[v + 1]; i++) {
        const vec3 other = w->normal[w->near[i]];
        if (v3_dot(own, other) >= crease * v3_norm(own) * v3_norm(other)) {
            sum = v3_add(sum, other);
        }
    }
    return sum;
}

static void push_mesh(const maker *k, const solids *of, const solid_mesh *mesh)
{
    web w = {
        .vertex = of->numbers.at + mesh->first, .vertices = mesh->vertices, .triangles = mesh->triangles};
    w.corner = w.vertex + 3 * (size_t)mesh->vertices;
    w.start = thud_alloc((size_t)w.vertices + 2, sizeof *w.start);
    w.near = thud_alloc(3 * (size_t)w.triangles + 1, sizeof *w.near);
    w.normal = thud_alloc((size_t)w.triangles + 1, sizeof *w.normal);
    const bool whole = w.start && w.near && w.normal;
    if (whole) {
        link_triangles(&w);
    }
    for (int t = 0; t < w.triangles && whole; t++) {
        vec3 p[3], n[3];
        for (int c = 0; c < 3; c++) {
            p[c] = vertex_of(&w, t, c);
            n[c] = corner_normal(&w, t, c);
        }
        push(k, p, n);
    }
    k->to->failed = k->to->failed || !whole;
    thud_free(w.start);
    thud_free(w.near);
    thud_free(w.normal);
}

// ---------------------------------------------------------------------------------------- the door

void tessellate_solid(facets *to, const solids *of, int geom, int surface, int around)
{
    const solid *g = &of->geom[geom];
    const maker k = {to, g->pose, surface};
    if (g->mesh >= 0) {
        push_mesh(&k, of, &of->mesh[g->mesh]);
        return;
    }
    switch (g->kind) {
    case THUD_SHAPE_SPHERE:
        push_capsule(&k, g->size[0], 0, around);
        break;
    case THUD_SHAPE_CAPSULE:
        push_capsule(&k, g->size[0], g->size[1], around);
        break;
    case THUD_SHAPE_CYLINDER:
        push_cylinder(&k, g->size[0], g->size[1], around);
        break;
    case THUD_SHAPE_ELLIPSOID:
        push_ellipsoid(&k, g->size, around);
        break;
    case THUD_SHAPE_BOX:
        push_box(&k, g->size);
        break;
    default: // planes are the ground's; a mesh without triangles is not seen
        break;
    }
}

void tessellate_ball(facets *to, thud_vec3 centre, double r, int surface, int around)
{
    push_capsule(&(maker){to, {q_identity(), centre}, surface}, r, 0, around);
}

void tessellate_arrow(facets *to, thud_vec3 from, thud_vec3 along, double length, double r, int surface)
{
    enum { AROUND = 16 };
    const maker k = {to, {q_of_zaxis(along), from}, surface};
    const double head = fmin(8 * r, 0.5 * length), neck = length - head, flare = 2.6 * r;
    push_band(&k, &(ring){r, 0, 1, 0}, &(ring){r, neck, 1, 0}, AROUND);
    push_band(&k, &(ring){flare, neck, 0, -1}, &(ring){0, neck, 0, -1}, AROUND);
    push_band(&k, &(ring){flare, neck, head, flare}, &(ring){0, length, head, flare}, AROUND);
}

void tessellate_cone(facets *to, thud_vec3 tip, thud_vec3 axis, double length, double slope, int surface)
{
    enum { AROUND = 32 };
    const maker k = {to, {q_of_zaxis(axis), tip}, surface};
    push_band(&k, &(ring){0, 0, 1, -slope}, &(ring){slope * length, length, 1, -slope}, AROUND);
}

void tessellate_rectangle(facets *to, thud_pose X, double a, double b, int surface)
{
    const vec3 z = v3(0, 0, 1);
    push_quad(&(maker){to, X, surface}, (vec3[]){v3(-a, -b, 0), v3(a, -b, 0), v3(a, b, 0), v3(-a, b, 0)},
              (vec3[]){z, z, z, z});
}
