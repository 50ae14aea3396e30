// SPDX-License-Identifier: Apache-2.0
// mesh_build.c: from a heap of vertices and triangles to a mesh.
//
// Vertices are merged where all three coordinates are equal (0 and -0 are), by a table with open addressing;
// the first of equals stays, so the order of the file is kept.
#include <math.h>
#include <string.h>

#include "mesh_build.h"

bool build_vertex(mesh_builder *b, thud_vec3 v)
{
    if (!thud_grow((void **)&b->vertex, &b->vertex_capacity, b->vertices, sizeof *b->vertex)) {
        return false;
    }
    b->vertex[b->vertices++] = v;
    return true;
}

bool build_triangle(mesh_builder *b, int i, int j, int k)
{
    if (!thud_grow((void **)&b->triangle, &b->triangle_capacity, b->triangles, sizeof *b->triangle)) {
        return false;
    }
    const int corner[3] = {i, j, k};
    memcpy(b->triangle[b->triangles++], corner, sizeof corner);
    return true;
}

void build_cancel(mesh_builder *b)
{
    thud_free(b->vertex);
    thud_free(b->triangle);
    const mesh_builder empty = {.name = b->name};
    *b = empty;
}

bool coordinate_ok(double x)
{
    return fabs(x) <= 0x1p30;
}

uint32_t load_u32(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

int32_t load_i32(const unsigned char *p)
{
    const uint32_t bits = load_u32(p);
    int32_t value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

float load_f32(const unsigned char *p)
{
    const uint32_t bits = load_u32(p);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t hash_vertex(const thud_vec3 *v)
{
    uint64_t bits[3], h = 0;
    memcpy(bits, v, sizeof bits);
    for (int i = 0; i < 3; i++) { // splitmix64's finish after each coordinate
        h = (h ^ bits[i]) + UINT64_C(0x9e3779b97f4a7c15);
        h = (h ^ (h >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        h = (h ^ (h >> 27)) * UINT64_C(0x94d049bb133111eb);
        h ^= h >> 31;
    }
    return h;
}

static bool same_vertex(const thud_vec3 *a, const thud_vec3 *b)
{
    return a->x == b->x && a->y == b->y && a->z == b->z;
}

// Compresses the vertices in place; renamed[i] is the new index of old vertex i. False without memory.
static bool merge_vertices(mesh_builder *b, int *renamed)
{
    size_t slots = 16;
    while (slots < 2 * (size_t)b->vertices) {
        slots *= 2;
    }
    int *table = thud_alloc(slots, sizeof *table); // 1 + index; 0: free
    if (!table) {
        return false;
    }
    int kept = 0;
    for (int i = 0; i < b->vertices; i++) {
        const thud_vec3 v = {b->vertex[i].x + 0.0, b->vertex[i].y + 0.0, b->vertex[i].z + 0.0}; // -0 -> 0
        size_t slot = hash_vertex(&v) & (slots - 1);
        while (table[slot] && !same_vertex(&b->vertex[table[slot] - 1], &v)) {
            slot = (slot + 1) & (slots - 1);
        }
        if (!table[slot]) {
            b->vertex[kept++] = v;
            table[slot] = kept;
        }
        renamed[i] = table[slot] - 1;
    }
    b->vertices = kept;
    thud_free(table);
    return true;
}

static void rename_triangles(mesh_builder *b, const int *renamed)
{
    int kept = 0;
    for (int t = 0; t < b->triangles; t++) {
        const int i = renamed[b->triangle[t][0]], j = renamed[b->triangle[t][1]],
                  k = renamed[b->triangle[t][2]];
        if (i != j && j != k && k != i) {
            const int corner[3] = {i, j, k};
            memcpy(b->triangle[kept++], corner, sizeof corner);
        }
    }
    b->triangles = kept;
}

static thud_status check_mesh(const mesh_builder *b, thud_diag *diag)
{
    if (b->vertices < 4) {
        return thud_fail(THUD_BAD_FILE, diag, b->name, 0, 0, "a mesh has %d vertices; it needs at least four",
                         b->vertices);
    }
    if (b->vertices > THUD_MESH_MAX_COUNT || b->triangles > THUD_MESH_MAX_COUNT) {
        return thud_fail(THUD_BAD_FILE, diag, b->name, 0, 0,
                         "a mesh has %d vertices and %d triangles; at most %d of each are taken", b->vertices,
                         b->triangles, THUD_MESH_MAX_COUNT);
    }
    for (int t = 0; t < b->triangles; t++) {
        for (int c = 0; c < 3; c++) {
            if (b->triangle[t][c] < 0 || b->triangle[t][c] >= b->vertices) {
                return thud_fail(THUD_BAD_FILE, diag, b->name, 0, 0,
                                 "triangle %d (from 0) has vertex %d, but there are only %d", t,
                                 b->triangle[t][c], b->vertices);
            }
        }
    }
    return THUD_OK;
}

// Moves the arrays into a new mesh; NULL without memory.
static thud_mesh *hand_over(mesh_builder *b)
{
    int *renamed = thud_alloc((size_t)b->vertices, sizeof *renamed);
    thud_mesh *mesh = thud_alloc(1, sizeof *mesh);
    if (!renamed || !mesh || !merge_vertices(b, renamed)) {
        thud_free(renamed);
        thud_free(mesh);
        return NULL;
    }
    rename_triangles(b, renamed);
    thud_free(renamed);
    mesh->vertices = b->vertices;
    mesh->triangles = b->triangles;
    mesh->vertex = b->vertex;
    mesh->triangle = (int *)b->triangle;
    b->vertex = NULL;
    b->triangle = NULL;
    return mesh;
}

thud_status build_finish(mesh_builder *b, thud_mesh **out, thud_diag *diag)
{
    thud_status status = check_mesh(b, diag);
    *out = status == THUD_OK ? hand_over(b) : NULL;
    if (status == THUD_OK && !*out) {
        status = thud_fail(THUD_NO_MEMORY, diag, b->name, 0, 0, "a mesh of %d vertices: %s", b->vertices,
                           thud_status_text(THUD_NO_MEMORY));
    }
    build_cancel(b);
    return status;
}
