// SPDX-License-Identifier: Apache-2.0
// solids.c: shapes to triangles, and all of them to JSON.
#include <math.h>

#include <thud/shape_mesh.h>
#include <thud/spatial_inline.h>

#include "solids.h"

enum { TRIANGLES_MAX = 60000 }; // of one mesh

typedef struct solids {
    const scene *scene;
    json *json;
    floats *numbers;
    int *mesh_of_spec;         // index among those written, or -1
    int count;                 // meshes written
    int *vertices, *triangles; // of each
} solids;

static bool push_point(floats *f, thud_vec3 p)
{
    float *to = floats_push(f, 3);
    if (to) {
        to[0] = (float)p.x, to[1] = (float)p.y, to[2] = (float)p.z;
    }
    return to;
}

static bool push_corners(floats *f, int a, int b, int c)
{
    return push_point(f, v3(a, b, c)); // indices below 2^24 are exact
}

static bool note_mesh(solids *s, int vertices, int triangles, bool whole)
{
    s->vertices[s->count] = vertices;
    s->triangles[s->count++] = triangles;
    return whole;
}

static bool add_mesh(solids *s, const thud_mesh *mesh)
{
    bool whole = true;
    for (int i = 0; i < mesh->vertices && whole; i++) {
        whole = push_point(s->numbers, mesh->vertex[i]);
    }
    for (int i = 0; i < mesh->triangles && whole; i++) {
        const int *t = mesh->triangle + 3 * (size_t)i;
        whole = push_corners(s->numbers, t[0], t[1], t[2]);
    }
    return note_mesh(s, mesh->vertices, mesh->triangles, whole);
}

static bool add_hull(solids *s, const thud_hull *hull)
{
    bool whole = true;
    int triangles = 0;
    for (int i = 0; i < hull->vertices && whole; i++) {
        whole = push_point(s->numbers, hull->vertex[i]);
    }
    for (int f = 0; f < hull->faces && whole; f++) {
        const int *polygon = hull->face_vertex + hull->face_start[f];
        for (int k = 2; k < thud_hull_face_size(hull, f) && whole; k++, triangles++) {
            whole = push_corners(s->numbers, polygon[0], polygon[k - 1], polygon[k]);
        }
    }
    return note_mesh(s, hull->vertices, triangles, whole);
}

// The surface of a height field, without its base.
static bool add_field(solids *s, const thud_hfield *field)
{
    const int cells = (field->rows - 1) * (field->cols - 1);
    bool whole = true;
    for (int i = 0; i < 2 * cells && whole; i++) {
        thud_vec3 corner[3];
        thud_hfield_triangle(field, i / 2 / (field->cols - 1), i / 2 % (field->cols - 1), i % 2, corner);
        for (int k = 0; k < 3 && whole; k++) {
            whole = push_point(s->numbers, corner[k]);
        }
    }
    for (int i = 0; i < 2 * cells && whole; i++) {
        whole = push_corners(s->numbers, 3 * i, 3 * i + 1, 3 * i + 2);
    }
    return note_mesh(s, 6 * cells, 2 * cells, whole);
}

// The mesh as it is in its file, or NULL.
static thud_mesh *read_mesh(const thud_spec_mesh *given)
{
    thud_mesh *mesh = NULL;
    thud_diag diag;
    const thud_status status = given->file
                                   ? thud_mesh_read(given->file, &mesh, &diag)
                                   : thud_mesh_create(given->vertices, given->vertex, given->triangles,
                                                      given->triangle, &mesh, &diag);
    if (status == THUD_OK && mesh->triangles > 0 && mesh->triangles <= TRIANGLES_MAX) {
        thud_mesh_transform(mesh, given->refpos, given->refquat, given->scale);
        return mesh;
    }
    thud_mesh_destroy(mesh);
    return NULL;
}

// Which mesh geom g is drawn as: -1 none, and -2 when memory ran out. *X is moved to where the mesh's file
// has it.
static int mesh_of(solids *s, int g, thud_pose *X)
{
    const thud_model *m = s->scene->model;
    const thud_spec_geom *given = &s->scene->spec->geom[m->geom_spec[g]];
    const thud_shape *shape = &m->geom_shape[g];
    bool whole = true;
    if (m->geom_type[g] == THUD_GEOM_MESH) {
        const int known = s->mesh_of_spec[given->mesh];
        thud_mesh *mesh = known < 0 ? read_mesh(&s->scene->spec->mesh[given->mesh]) : NULL;
        if (known >= 0 || mesh) {
            *X = (thud_pose){given->quat, given->pos};
            if (mesh) {
                s->mesh_of_spec[given->mesh] = s->count;
                whole = add_mesh(s, mesh);
                thud_mesh_destroy(mesh);
            }
            return whole ? s->mesh_of_spec[given->mesh] : -2;
        }
    }
    if (shape->kind == THUD_SHAPE_HULL && shape->hull) {
        whole = add_hull(s, shape->hull);
    } else if (shape->kind == THUD_SHAPE_HFIELD && shape->hfield) {
        whole = add_field(s, shape->hfield);
    } else {
        return -1;
    }
    return whole ? s->count - 1 : -2;
}

static void write_pose(json *j, thud_pose X)
{
    const double value[] = {X.p.x, X.p.y, X.p.z, X.q.w, X.q.x, X.q.y, X.q.z};
    json_numbers(j, "pose", value, REPLAY_POSE);
}

// What is fixed to the world is given in the world's frame.
static bool write_geom(solids *s, int g, const thud_pose *X_wb)
{
    const thud_model *m = s->scene->model;
    const thud_spec_geom *given = &s->scene->spec->geom[m->geom_spec[g]];
    const int body = m->geom_body[g];
    thud_pose X = m->geom_pose[g];
    const int mesh = mesh_of(s, g, &X);
    const bool plane = m->geom_type[g] == THUD_GEOM_PLANE;
    const double radius =
        plane || (mesh >= 0 && !m->geom_shape[g].hull) ? 0 : thud_shape_radius(&m->geom_shape[g]);
    json_begin_line(s->json, NULL, '{');
    json_text(s->json, "type", mesh >= 0 ? "mesh" : thud_shape_name(m->geom_shape[g].kind));
    json_integer(s->json, "body", body);
    json_integer(s->json, "group", given->group);
    json_numbers(s->json, "size", plane ? given->size : m->geom_shape[g].size, 3);
    json_numbers(s->json, "rgba", m->geom_rgba + 4 * (size_t)g, 4);
    json_number(s->json, "radius", radius);
    json_integer(s->json, "mesh", mesh);
    write_pose(s->json, m->body_link[body] < 0 ? pose_mul(X_wb[body], X) : X);
    json_end(s->json);
    return mesh != -2;
}

static bool write_all(solids *s, thud_pose *X_wb)
{
    const thud_model *m = s->scene->model;
    bool whole = true;
    thud_body_poses(m, m->qpos0, X_wb);
    json_begin(s->json, "geoms", '[');
    for (int g = 0; g < m->geoms && whole; g++) {
        whole = write_geom(s, g, X_wb);
    }
    json_end(s->json);
    json_begin_line(s->json, "meshes", '[');
    for (int i = 0; i < s->count; i++) {
        json_begin_line(s->json, NULL, '{');
        json_integer(s->json, "vertices", s->vertices[i]);
        json_integer(s->json, "triangles", s->triangles[i]);
        json_end(s->json);
    }
    json_end(s->json);
    return whole;
}

bool solids_write(json *j, const scene *s, floats *numbers)
{
    const size_t geoms = (size_t)s->model->geoms + 1, meshes = (size_t)s->spec->meshes + 1;
    solids all = {.scene = s, .json = j, .numbers = numbers};
    all.mesh_of_spec = thud_alloc(meshes, sizeof *all.mesh_of_spec);
    all.vertices = thud_alloc(2 * geoms, sizeof *all.vertices);
    thud_pose *X_wb = thud_alloc((size_t)s->model->bodies, sizeof *X_wb);
    bool whole = all.mesh_of_spec && all.vertices && X_wb;
    if (whole) {
        all.triangles = all.vertices + geoms;
        for (size_t i = 0; i < meshes; i++) {
            all.mesh_of_spec[i] = -1;
        }
        whole = write_all(&all, X_wb);
    }
    thud_free(all.mesh_of_spec);
    thud_free(all.vertices);
    thud_free(X_wb);
    return whole;
}
