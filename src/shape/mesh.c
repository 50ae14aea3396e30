// SPDX-License-Identifier: Apache-2.0
// mesh.c: meshes as objects: where they come from, and how they are moved.
#include <string.h>
#include <strings.h>

#include "mesh_build.h"
#include <thud/spatial_inline.h>

thud_status thud_mesh_parse(const void *bytes, size_t size, thud_mesh_format format, const char *name,
                            thud_mesh **out, thud_diag *diag)
{
    mesh_builder b = {.name = name};
    thud_status status = THUD_OK;
    *out = NULL;
    switch (format) {
    case THUD_MESH_STL:
        status = read_stl(&b, bytes, size, diag);
        break;
    case THUD_MESH_OBJ:
        status = read_obj(&b, bytes, size, diag);
        break;
    case THUD_MESH_MSH:
        status = read_msh(&b, bytes, size, diag);
        break;
    default:
        status = thud_fail(THUD_BAD_ARGUMENT, diag, name, 0, 0, "there is no mesh format %d", (int)format);
        break;
    }
    if (status != THUD_OK) {
        build_cancel(&b);
        return status;
    }
    return build_finish(&b, out, diag);
}

thud_status thud_mesh_read(const char *path, thud_mesh **out, thud_diag *diag)
{
    return thud_mesh_open(NULL, path, out, diag);
}

thud_status thud_mesh_open(const thud_files *files, const char *path, thud_mesh **out, thud_diag *diag)
{
    static const char *const ending[] = {".stl", ".obj", ".msh"}; // in the order of thud_mesh_format
    const char *dot = strrchr(path, '.');
    *out = NULL;
    for (int format = 0; format < 3; format++) {
        if (dot && strcasecmp(dot, ending[format]) == 0) {
            thud_bytes bytes;
            thud_diag why = {.text = ""};
            thud_status status = thud_files_open(files, path, &bytes, &why);
            if (status != THUD_OK) {
                return thud_fail(status, diag, path, 0, 0, "cannot be opened: %s", why.text);
            }
            status = bytes.length > 0 ? thud_mesh_parse(bytes.data, bytes.length, (thud_mesh_format)format,
                                                        path, out, diag)
                                      : thud_fail(THUD_BAD_FILE, diag, path, 0, 0, "the file is empty");
            thud_files_close(files, &bytes);
            return status;
        }
    }
    return thud_fail(THUD_UNSUPPORTED, diag, path, 0, 0,
                     "a mesh file must end in .stl, .obj or .msh; other formats are not read");
}

thud_status thud_mesh_create(int vertices, const double *vertex, int triangles, const int *triangle,
                             thud_mesh **out, thud_diag *diag)
{
    mesh_builder b = {.name = NULL};
    bool ok = true;
    *out = NULL;
    for (int i = 0; i < vertices && ok; i++) {
        const double *x = vertex + 3 * (ptrdiff_t)i;
        if (!coordinate_ok(x[0]) || !coordinate_ok(x[1]) || !coordinate_ok(x[2])) {
            build_cancel(&b);
            return thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0,
                             "vertex %d (from 0) of a mesh is (%g, %g, %g)", i, x[0], x[1], x[2]);
        }
        ok = build_vertex(&b, v3(x[0], x[1], x[2]));
    }
    for (int t = 0; t < triangles && triangle && ok; t++) {
        const int *corner = triangle + 3 * (ptrdiff_t)t;
        ok = build_triangle(&b, corner[0], corner[1], corner[2]);
    }
    if (!ok) {
        build_cancel(&b);
        return thud_fail(THUD_NO_MEMORY, diag, NULL, 0, 0, "a mesh of %d vertices: %s", vertices,
                         thud_status_text(THUD_NO_MEMORY));
    }
    return build_finish(&b, out, diag);
}

void thud_mesh_destroy(thud_mesh *mesh)
{
    if (mesh) {
        thud_free(mesh->vertex);
        thud_free(mesh->triangle);
        thud_free(mesh);
    }
}

void thud_mesh_transform(thud_mesh *mesh, vec3 refpos, quat refquat, vec3 scale)
{
    const quat q = q_normalize(refquat);
    const bool turned = q.x != 0 || q.y != 0 || q.z != 0;
    for (int i = 0; i < mesh->vertices; i++) {
        const vec3 moved = v3_sub(mesh->vertex[i], refpos), v = turned ? q_unrotate(q, moved) : moved;
        mesh->vertex[i] = v3(scale.x * v.x, scale.y * v.y, scale.z * v.z);
    }
    if (scale.x * scale.y * scale.z < 0) {
        for (int t = 0; t < mesh->triangles; t++) {
            int *corner = mesh->triangle + 3 * (ptrdiff_t)t;
            const int second = corner[1];
            corner[1] = corner[2];
            corner[2] = second;
        }
    }
}

void thud_mesh_recentre(thud_mesh *mesh, pose X)
{
    for (int i = 0; i < mesh->vertices; i++) {
        mesh->vertex[i] = pose_unpoint(X, mesh->vertex[i]);
    }
}
