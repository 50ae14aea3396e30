// SPDX-License-Identifier: Apache-2.0
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mesh_files.h"

double single(double x)
{
    const volatile float rounded = (float)x;
    return rounded;
}

thud_vec3 single3(thud_vec3 v)
{
    const thud_vec3 rounded = {single(v.x), single(v.y), single(v.z)};
    return rounded;
}

thud_mesh_format file_format(file_kind kind)
{
    return kind == FILE_OBJ ? THUD_MESH_OBJ : kind == FILE_MSH ? THUD_MESH_MSH : THUD_MESH_STL;
}

static thud_mesh *create(int vertices, const double *vertex, int triangles, const int *triangle)
{
    thud_mesh *mesh = NULL;
    const thud_status status = thud_mesh_create(vertices, vertex, triangles, triangle, &mesh, NULL);
    if (status != THUD_OK) {
        fprintf(stderr, "a test could not make its mesh\n");
        abort();
    }
    return mesh;
}

thud_mesh *mesh_star(int rings, int sectors, double bump)
{
    const double pi = 3.14159265358979323846;
    double *vertex = calloc((size_t)(3 * ((rings - 1) * sectors + 2)), sizeof *vertex);
    int *triangle = calloc((size_t)(6 * (rings - 1) * sectors), sizeof *triangle);
    int vertices = 0, corners = 0;
    for (int r = 0; r <= rings; r++) { // one vertex at each pole
        for (int s = 0; s < (r == 0 || r == rings ? 1 : sectors); s++) {
            const double theta = pi * r / rings, phi = 2 * pi * s / sectors;
            const double radius = 1 + bump * sin(3 * theta) * cos(2 * phi);
            vertex[3 * vertices] = single(radius * sin(theta) * cos(phi));
            vertex[3 * vertices + 1] = single(radius * sin(theta) * sin(phi));
            vertex[3 * vertices + 2] = single(radius * cos(theta));
            vertices++;
        }
    }
    for (int r = 0; r < rings; r++) {
        for (int s = 0; s < sectors; s++) {
            const int next = (s + 1) % sectors;
            const int a = r == 0 ? 0 : 1 + (r - 1) * sectors + s,
                      b = r == 0 ? 0 : 1 + (r - 1) * sectors + next;
            const int c = r == rings - 1 ? vertices - 1 : 1 + r * sectors + s,
                      d = r == rings - 1 ? vertices - 1 : 1 + r * sectors + next;
            const int quad[6] = {a, c, d, a, d, b};
            for (int t = 0; t < 2; t++) {
                if (quad[3 * t] != quad[3 * t + 2] && quad[3 * t + 1] != quad[3 * t + 2]) {
                    memcpy(triangle + corners, quad + 3 * t, 3 * sizeof *triangle);
                    corners += 3;
                }
            }
        }
    }
    thud_mesh *mesh = create(vertices, vertex, corners / 3, triangle);
    free(vertex);
    free(triangle);
    return mesh;
}

thud_mesh *mesh_box(double x, double y, double z)
{
    double vertex[24];
    for (int i = 0; i < 8; i++) {
        vertex[3 * i] = i & 1 ? x : -x;
        vertex[3 * i + 1] = i & 2 ? y : -y;
        vertex[3 * i + 2] = i & 4 ? z : -z;
    }
    static const int triangle[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                     2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
    return create(8, vertex, 12, triangle);
}

// ---------------------------------------------------------------------------------------------- writing

typedef struct sink {
    char *bytes;
    size_t used, capacity;
} sink;

static void put(sink *s, const void *bytes, size_t count)
{
    assert(s->used + count <= s->capacity);
    memcpy(s->bytes + s->used, bytes, count);
    s->used += count;
}

static void put_text(sink *s, const char *format, double x, double y, double z)
{
    char line[200];
    put(s, line, (size_t)snprintf(line, sizeof line, format, x, y, z));
}

static void put_floats(sink *s, thud_vec3 v)
{
    const float x[3] = {(float)v.x, (float)v.y, (float)v.z};
    put(s, x, sizeof x);
}

static void put_ints(sink *s, const int *first, int count)
{
    put(s, first, (size_t)count * sizeof(int32_t));
}

static void write_stl(const thud_mesh *mesh, sink *s, bool ascii)
{
    char header[80] = "solid of a test";
    put(s, header, ascii ? strlen(header) : sizeof header);
    if (ascii) {
        put(s, "\n", 1);
    } else {
        put_ints(s, &mesh->triangles, 1);
    }
    for (int t = 0; t < mesh->triangles; t++) {
        put(s, "facet normal 0 0 nan\n outer loop\n", ascii ? 33 : 12);
        for (int c = 0; c < 3; c++) {
            const thud_vec3 v = mesh->vertex[mesh->triangle[3 * t + c]];
            if (ascii) {
                put_text(s, "  vertex %.9g %.9e %.9g\n", v.x, v.y, v.z);
            } else {
                put_floats(s, v);
            }
        }
        put(s, ascii ? " endloop\nendfacet\n" : "\0", ascii ? 18 : 2);
    }
    put(s, "endsolid\n", ascii ? 9 : 0);
}

static void write_obj(const thud_mesh *mesh, sink *s)
{
    static const char *const face[4] = {"f %.0f %.0f %.0f\n", "f %.0f/1 %.0f/2 %.0f/3\n",
                                        "f %.0f//9 %.0f//9 %.0f//9\r\n",
                                        "f %.0f/1/1 %.0f/2/2 %.0f/3/3 # corner\n"};
    for (int v = 0; v < mesh->vertices; v++) {
        put_text(s, v % 2 ? "v %.9g %.9g %.9g\n" : "v  %.9g\t%.9g %.9g 1.0\n", mesh->vertex[v].x,
                 mesh->vertex[v].y, mesh->vertex[v].z);
    }
    for (int t = 0; t < mesh->triangles; t++) { // all four forms, and counted back
        const int *i = mesh->triangle + 3 * (ptrdiff_t)t, back = t % 5 == 4 ? mesh->vertices + 1 : 0;
        put_text(s, face[t % 4], i[0] + 1 - back, i[1] + 1 - back, i[2] + 1 - back);
    }
}

static void write_msh(const thud_mesh *mesh, sink *s)
{
    const int header[4] = {mesh->vertices, mesh->vertices, 0, mesh->triangles};
    put_ints(s, header, 4);
    for (int twice = 0; twice < 2; twice++) { // the second time as normals
        for (int v = 0; v < mesh->vertices; v++) {
            put_floats(s, mesh->vertex[v]);
        }
    }
    put_ints(s, mesh->triangle, 3 * mesh->triangles);
}

size_t mesh_write(const thud_mesh *mesh, file_kind kind, char *bytes, size_t capacity)
{
    sink s = {bytes, 0, capacity};
    if (kind == FILE_OBJ) {
        write_obj(mesh, &s);
    } else if (kind == FILE_MSH) {
        write_msh(mesh, &s);
    } else {
        write_stl(mesh, &s, kind == FILE_STL_ASCII);
    }
    return s.used;
}
