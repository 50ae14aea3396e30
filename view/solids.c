// SPDX-License-Identifier: Apache-2.0
// solids.c: geoms gathered as they are drawn, and all of them to JSON.
#include <math.h>
#include <string.h>

#include <thud/shape_mesh.h>
#include <thud/spatial_inline.h>

#include "solids.h"

enum { TRIANGLES_MAX = 60000 }; // of one mesh
enum { MESH_GROUPS = 3 };       // MJCF's groups 3 and up are for collision, and hidden where there are others

static const char palette[8][3] = {"\x48\x78\xcf", "\xd6\x5f\x5f", "\x6a\xcc\x65", "\xb4\x7c\xc7",
                                   "\xc4\xad\x66", "\x77\xbe\xdb", "\xe8\x93\x5a", "\x8c\x8c\x8c"};

typedef struct builder {
    const thud_model *model;
    const thud_spec *spec;
    solids *to;
    int *mesh_of_spec; // index among those kept, or -1
} builder;

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

static bool note_mesh(solids *s, size_t first, int vertices, int triangles, bool whole)
{
    thud_aabb box = {v3(INFINITY, INFINITY, INFINITY), v3(-INFINITY, -INFINITY, -INFINITY)};
    for (int i = 0; i < vertices && whole; i++) {
        const float *f = s->numbers.at + first + 3 * (size_t)i;
        const vec3 p = v3((double)f[0], (double)f[1], (double)f[2]);
        box = (thud_aabb){v3_min(box.lo, p), v3_max(box.hi, p)};
    }
    s->mesh[s->meshes++] = (solid_mesh){vertices, triangles, first, box};
    return whole;
}

static bool add_mesh(solids *s, const thud_mesh *mesh)
{
    const size_t first = s->numbers.count;
    bool whole = true;
    for (int i = 0; i < mesh->vertices && whole; i++) {
        whole = push_point(&s->numbers, mesh->vertex[i]);
    }
    for (int i = 0; i < mesh->triangles && whole; i++) {
        const int *t = mesh->triangle + 3 * (size_t)i;
        whole = push_corners(&s->numbers, t[0], t[1], t[2]);
    }
    return note_mesh(s, first, mesh->vertices, mesh->triangles, whole);
}

static bool add_hull(solids *s, const thud_hull *hull)
{
    const size_t first = s->numbers.count;
    bool whole = true;
    int triangles = 0;
    for (int i = 0; i < hull->vertices && whole; i++) {
        whole = push_point(&s->numbers, hull->vertex[i]);
    }
    for (int f = 0; f < hull->faces && whole; f++) {
        const int *polygon = hull->face_vertex + hull->face_start[f];
        for (int k = 2; k < thud_hull_face_size(hull, f) && whole; k++, triangles++) {
            whole = push_corners(&s->numbers, polygon[0], polygon[k - 1], polygon[k]);
        }
    }
    return note_mesh(s, first, hull->vertices, triangles, whole);
}

// The surface of a height field, without its base.
static bool add_field(solids *s, const thud_hfield *field)
{
    const size_t first = s->numbers.count;
    const int cells = (field->rows - 1) * (field->cols - 1);
    bool whole = true;
    for (int i = 0; i < 2 * cells && whole; i++) {
        thud_vec3 corner[3];
        thud_hfield_triangle(field, i / 2 / (field->cols - 1), i / 2 % (field->cols - 1), i % 2, corner);
        for (int k = 0; k < 3 && whole; k++) {
            whole = push_point(&s->numbers, corner[k]);
        }
    }
    for (int i = 0; i < 2 * cells && whole; i++) {
        whole = push_corners(&s->numbers, 3 * i, 3 * i + 1, 3 * i + 2);
    }
    return note_mesh(s, first, 6 * cells, 2 * cells, whole);
}

// The mesh as it is in its file, or NULL.
static thud_mesh *read_mesh(const thud_spec *s, const thud_spec_mesh *given)
{
    thud_mesh *mesh = NULL;
    thud_diag diag;
    const thud_status status = given->file
                                   ? thud_mesh_open(&s->files, given->file, &mesh, &diag)
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
static int mesh_of(builder *b, int g, thud_pose *X)
{
    const thud_model *m = b->model;
    const thud_spec_geom *given = &b->spec->geom[m->geom_spec[g]];
    const thud_shape *shape = &m->geom_shape[g];
    bool whole = true;
    if (m->geom_type[g] == THUD_GEOM_MESH) {
        const int known = b->mesh_of_spec[given->mesh];
        thud_mesh *mesh = known < 0 ? read_mesh(b->spec, &b->spec->mesh[given->mesh]) : NULL;
        if (known >= 0 || mesh) {
            *X = (thud_pose){given->quat, given->pos};
            if (mesh) {
                b->mesh_of_spec[given->mesh] = b->to->meshes;
                whole = add_mesh(b->to, mesh);
                thud_mesh_destroy(mesh);
            }
            return whole ? b->mesh_of_spec[given->mesh] : -2;
        }
    }
    if (shape->kind == THUD_SHAPE_HULL && shape->hull) {
        whole = add_hull(b->to, shape->hull);
    } else if (shape->kind == THUD_SHAPE_HFIELD && shape->hfield) {
        whole = add_field(b->to, shape->hfield);
    } else {
        return -1;
    }
    return whole ? b->to->meshes - 1 : -2;
}

static bool add_geom(builder *b, int g, const thud_pose *X_wb)
{
    const thud_model *m = b->model;
    const thud_spec_geom *given = &b->spec->geom[m->geom_spec[g]];
    const thud_shape *shape = &m->geom_shape[g];
    solid *to = &b->to->geom[g];
    const bool plane = m->geom_type[g] == THUD_GEOM_PLANE;
    *to =
        (solid){.kind = shape->kind, .body = m->geom_body[g], .group = given->group, .pose = m->geom_pose[g]};
    to->fixed = m->body_link[to->body] < 0;
    to->mesh = mesh_of(b, g, &to->pose);
    to->radius = plane || (to->mesh >= 0 && !shape->hull) ? 0 : thud_shape_radius(shape);
    to->pose = to->fixed ? pose_mul(X_wb[to->body], to->pose) : to->pose;
    memcpy(to->size, plane ? given->size : shape->size, sizeof to->size);
    memcpy(to->rgba, m->geom_rgba + 4 * (size_t)g, sizeof to->rgba);
    return to->mesh != -2;
}

static bool add_all(builder *b, thud_pose *X_wb)
{
    const thud_model *m = b->model;
    bool whole = true;
    thud_body_poses(m, m->qpos0, X_wb);
    for (int g = 0; g < m->geoms && whole; g++) {
        whole = add_geom(b, g, X_wb);
    }
    return whole;
}

// ---------------------------------------------------------------------------------------- how they look

// True where nobody chose a colour: then bodies get one each.
static bool is_dull(const solids *s)
{
    bool dull = true;
    for (int g = 0; g < s->geoms && dull; g++) {
        const double *c = s->geom[g].rgba;
        dull = s->geom[g].kind == THUD_SHAPE_PLANE ||
               (fabs(c[0] - 0.5) < 1e-6 && fabs(c[1] - 0.5) < 1e-6 && fabs(c[2] - 0.5) < 1e-6);
    }
    return dull;
}

static bool has_visuals(const solids *s)
{
    bool others = false;
    for (int g = 0; g < s->geoms && !others; g++) {
        others = s->geom[g].group < MESH_GROUPS && s->geom[g].kind != THUD_SHAPE_PLANE;
    }
    return others;
}

void solids_colour(const solids *s, int geom, double rgb[3])
{
    const solid *g = &s->geom[geom];
    const unsigned char *chosen = (const unsigned char *)palette[(g->body + 7) % 8];
    for (int k = 0; k < 3; k++) {
        rgb[k] = s->dull && g->body > 0 ? chosen[k] / 255.0 : g->rgba[k];
    }
}

bool solids_shown(const solids *s, int geom)
{
    const solid *g = &s->geom[geom];
    return g->rgba[3] > 0 && g->kind != THUD_SHAPE_PLANE && !(s->visuals && g->group >= MESH_GROUPS);
}

// ---------------------------------------------------------------------------------------- all

bool solids_create(solids *to, const thud_model *m)
{
    const thud_spec *spec = thud_model_spec(m);
    const size_t geoms = (size_t)m->geoms + 1, meshes = (size_t)spec->meshes + 1;
    *to = (solids){.geoms = m->geoms};
    builder b = {m, spec, to, thud_alloc(meshes, sizeof *b.mesh_of_spec)};
    to->geom = thud_alloc(geoms, sizeof *to->geom);
    to->mesh = thud_alloc(geoms, sizeof *to->mesh);
    thud_pose *X_wb = thud_alloc((size_t)m->bodies, sizeof *X_wb);
    bool whole = b.mesh_of_spec && to->geom && to->mesh && X_wb;
    if (whole) {
        for (size_t i = 0; i < meshes; i++) {
            b.mesh_of_spec[i] = -1;
        }
        whole = add_all(&b, X_wb);
    }
    thud_free(b.mesh_of_spec);
    thud_free(X_wb);
    if (whole) {
        to->dull = is_dull(to);
        to->visuals = has_visuals(to);
    }
    if (!whole) {
        solids_destroy(to);
    }
    return whole;
}

void solids_destroy(solids *s)
{
    thud_free(s->geom);
    thud_free(s->mesh);
    thud_free(s->numbers.at);
    *s = (solids){0};
}

thud_aabb solids_bounds(const solids *s, int geom, thud_pose X)
{
    const solid *g = &s->geom[geom];
    const vec3 none = v3(INFINITY, INFINITY, INFINITY);
    thud_shape shape = {g->kind, {g->size[0], g->size[1], g->size[2]}, NULL, NULL};
    if (g->mesh >= 0) { // the box around it as a shape of its own
        const thud_aabb *box = &s->mesh[g->mesh].box;
        const vec3 half = v3_scale(0.5, v3_sub(box->hi, box->lo));
        shape = (thud_shape){THUD_SHAPE_BOX, {half.x, half.y, half.z}, NULL, NULL};
        X.p = pose_point(X, v3_scale(0.5, v3_add(box->lo, box->hi)));
    } else if (!thud_shape_is_convex(g->kind) || g->kind == THUD_SHAPE_HULL) {
        return (thud_aabb){none, v3_neg(none)};
    }
    return thud_shape_bounds(&shape, X);
}

// ---------------------------------------------------------------------------------------- JSON

static void write_geom(json *j, const solid *g)
{
    const thud_pose X = g->pose;
    const double where[REPLAY_POSE] = {X.p.x, X.p.y, X.p.z, X.q.w, X.q.x, X.q.y, X.q.z};
    json_begin_line(j, NULL, '{');
    json_text(j, "type", g->mesh >= 0 ? "mesh" : thud_shape_name(g->kind));
    json_integer(j, "body", g->body);
    json_integer(j, "group", g->group);
    json_numbers(j, "size", g->size, 3);
    json_numbers(j, "rgba", g->rgba, 4);
    json_number(j, "radius", g->radius);
    json_integer(j, "mesh", g->mesh);
    json_numbers(j, "pose", where, REPLAY_POSE);
    json_end(j);
}

void solids_write(json *j, const solids *s)
{
    json_begin(j, "geoms", '[');
    for (int g = 0; g < s->geoms; g++) {
        write_geom(j, &s->geom[g]);
    }
    json_end(j);
    json_begin_line(j, "meshes", '[');
    for (int i = 0; i < s->meshes; i++) {
        json_begin_line(j, NULL, '{');
        json_integer(j, "vertices", s->mesh[i].vertices);
        json_integer(j, "triangles", s->mesh[i].triangles);
        json_end(j);
    }
    json_end(j);
}
