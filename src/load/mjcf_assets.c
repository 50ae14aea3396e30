// SPDX-License-Identifier: Apache-2.0
// mjcf_assets.c: meshes, height fields, materials and textures. Files are found here and opened later.
#include <string.h>

#include <thud/shape_hfield.h>

#include "mjcf_reader.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *mjcf_name_of_file(mjcf_reader *r, const char *file)
{
    const char *base = base_name(file);
    const char *dot = strrchr(base, '.');
    return pool_text(&r->tree.pool, base, dot ? (size_t)(dot - base) : strlen(base));
}

thud_status mjcf_find_file(mjcf_reader *r, int n, const char *folder, const char *file, const char **out)
{
    const mjcf_settings *s = mjcf_settings_of(r, n);
    const char *const beside[] = {s->file, mjcf_node(r, n)->place.file};
    const char *name = s->strippath ? base_name(file) : file;
    for (int i = 1; i >= 0; i--) {
        *out = xml_path(r->spec, beside[1 - i], folder, name);
        if (!*out) {
            return THUD_NO_MEMORY;
        }
        if (thud_files_has(&r->spec->files, *out)) {
            return THUD_OK;
        }
    }
    thud_bytes none;
    thud_diag why = {.text = ""};
    if (thud_files_open(&r->spec->files, *out, &none, &why) == THUD_OK) { // it was not there a moment ago
        thud_files_close(&r->spec->files, &none);
        return THUD_OK;
    }
    return MJCF_FAIL(r, THUD_BAD_FILE, mjcf_place(r, n, "file"), "cannot open \"%s\": %s",
                     xml_path(r->spec, beside[0], folder, name), why.text);
}

static thud_status copy_vertices(mjcf_reader *r, int n, const mjcf_list *list, thud_spec_mesh *mesh)
{
    if (list->count % 3 || list->count < 12) {
        return MJCF_FAIL(r, THUD_BAD_FILE, mjcf_place(r, n, "vertex"),
                         "vertex has %d numbers; a mesh has at least four vertices of three each",
                         list->count);
    }
    mesh->vertices = list->count / 3;
    mesh->vertex = thud_alloc((size_t)list->count, sizeof *mesh->vertex);
    if (!mesh->vertex) {
        return THUD_NO_MEMORY;
    }
    memcpy(mesh->vertex, list->value, (size_t)list->count * sizeof *mesh->vertex);
    return THUD_OK;
}

static thud_status copy_faces(mjcf_reader *r, int n, const mjcf_list *list, thud_spec_mesh *mesh)
{
    const thud_place place = mjcf_place(r, n, "face");
    if (list->count % 3) {
        return MJCF_FAIL(r, THUD_BAD_FILE, place, "face has %d numbers; a triangle has three", list->count);
    }
    mesh->triangle = thud_alloc((size_t)list->count, sizeof *mesh->triangle);
    if (!mesh->triangle) {
        return THUD_NO_MEMORY;
    }
    mesh->triangles = list->count / 3;
    for (int i = 0; i < list->count; i++) {
        const double v = list->value[i];
        if (!(v >= 0 && v < mesh->vertices) || v != (int)v) {
            return MJCF_FAIL(r, THUD_BAD_FILE, place, "face refers to vertex %g of %d", v, mesh->vertices);
        }
        mesh->triangle[i] = (int)v;
    }
    return THUD_OK;
}

static thud_status check_mesh(mjcf_reader *r, int n, const draft_mesh *d)
{
    if (!d->file && !d->vertex.count) {
        return MJCF_FAIL(r, THUD_BAD_FILE, mjcf_node(r, n)->place, "a mesh needs a file or vertices");
    }
    if (d->file && d->vertex.count) {
        return MJCF_FAIL(r, THUD_BAD_FILE, mjcf_place(r, n, "vertex"),
                         "a mesh has a file or vertices, not both");
    }
    if (d->to.maxhullvert != -1 && d->to.maxhullvert < 4) {
        return MJCF_FAIL(r, THUD_BAD_FILE, mjcf_place(r, n, "maxhullvert"),
                         "maxhullvert is -1 or at least 4, not %d", d->to.maxhullvert);
    }
    if (d->to.scale.x == 0 || d->to.scale.y == 0 || d->to.scale.z == 0) {
        return MJCF_FAIL(r, THUD_BAD_FILE, mjcf_place(r, n, "scale"), "a scale of zero leaves nothing");
    }
    return THUD_OK;
}

static thud_status read_mesh(mjcf_reader *r, int n)
{
    draft_mesh d;
    THUD_TRY(mjcf_read_element(r, n, 0, &d));
    THUD_TRY(check_mesh(r, n, &d));
    const char *name = d.head.name || !d.file ? d.head.name : mjcf_name_of_file(r, d.file);
    const int i = d.file && !name ? -1 : thud_spec_add_mesh(r->spec, name);
    if (i < 0) {
        return THUD_NO_MEMORY;
    }
    THUD_TRY(mjcf_name_add(r, MJCF_SPACE_MESH, name, i, mjcf_node(r, n)->place));
    thud_spec_mesh *mesh = &r->spec->mesh[i];
    d.to.name = mesh->name;
    d.to.place = mjcf_node(r, n)->place;
    d.to.refquat = mjcf_unit(d.to.refquat);
    if (mjcf_settings_of(r, n)->exactmeshinertia && d.to.inertia == THUD_MESH_INERTIA_LEGACY) {
        d.to.inertia = THUD_MESH_INERTIA_EXACT;
    }
    *mesh = d.to;
    if (d.file) {
        return mjcf_find_file(r, n, mjcf_settings_of(r, n)->meshdir, d.file, &mesh->file);
    }
    THUD_TRY(copy_vertices(r, n, &d.vertex, mesh));
    return d.face.count ? copy_faces(r, n, &d.face, mesh) : THUD_OK;
}

// Heights are written with the last row first, so that the text looks like a map seen from above.
static thud_status copy_heights(mjcf_reader *r, int n, const draft_hfield *d, thud_spec_hfield *h)
{
    if (h->rows < 1 || h->columns < 1) {
        return MJCF_FAIL(r, THUD_BAD_FILE, mjcf_node(r, n)->place,
                         "a hfield needs a file, or nrow and ncol of at least 1");
    }
    if ((int64_t)h->rows * h->columns > THUD_HFIELD_MAX_POINTS) {
        return MJCF_FAIL(r, THUD_BAD_FILE, mjcf_place(r, n, "nrow"), "nrow times ncol is more than %d points",
                         THUD_HFIELD_MAX_POINTS);
    }
    const int count = h->rows * h->columns;
    if (d->elevation.count && d->elevation.count != count) {
        return MJCF_FAIL(r, THUD_BAD_FILE, mjcf_place(r, n, "elevation"),
                         "elevation has %d numbers; nrow times ncol is %d", d->elevation.count, count);
    }
    h->elevation = thud_alloc((size_t)count, sizeof *h->elevation);
    if (!h->elevation) {
        return THUD_NO_MEMORY;
    }
    for (int i = 0; i < d->elevation.count; i++) {
        const int row = h->rows - 1 - i / h->columns;
        h->elevation[row * h->columns + i % h->columns] = d->elevation.value[i];
    }
    return THUD_OK;
}

static thud_status read_hfield(mjcf_reader *r, int n)
{
    draft_hfield d = {0};
    THUD_TRY(mjcf_read_attributes(r, n, &d));
    const char *name = d.head.name || !d.file ? d.head.name : mjcf_name_of_file(r, d.file);
    const int i = d.file && !name ? -1 : thud_spec_add_hfield(r->spec, name);
    if (i < 0) {
        return THUD_NO_MEMORY;
    }
    THUD_TRY(mjcf_name_add(r, MJCF_SPACE_HFIELD, name, i, mjcf_node(r, n)->place));
    thud_spec_hfield *h = &r->spec->hfield[i];
    d.to.name = h->name;
    d.to.place = mjcf_node(r, n)->place;
    *h = d.to;
    return d.file ? mjcf_find_file(r, n, mjcf_settings_of(r, n)->meshdir, d.file, &h->file)
                  : copy_heights(r, n, &d, h);
}

static thud_status read_material(mjcf_reader *r, int n)
{
    draft_material d;
    THUD_TRY(mjcf_read_element(r, n, 0, &d));
    if (!thud_grow((void **)&r->material_rgba, &r->material_cap, r->materials, sizeof *r->material_rgba)) {
        return THUD_NO_MEMORY;
    }
    memcpy(r->material_rgba[r->materials], d.rgba, sizeof d.rgba);
    return mjcf_name_add(r, MJCF_SPACE_MATERIAL, d.head.name, r->materials++, mjcf_node(r, n)->place);
}

static thud_status read_texture(mjcf_reader *r, int n)
{
    draft_material d = {0};
    THUD_TRY(mjcf_read_attributes(r, n, &d));
    const char *name = d.head.name || !d.file ? d.head.name : mjcf_name_of_file(r, d.file);
    return d.file && !name ? THUD_NO_MEMORY
                           : mjcf_name_add(r, MJCF_SPACE_TEXTURE, name, 0, mjcf_node(r, n)->place);
}

static thud_status read_asset(mjcf_reader *r, int n)
{
    switch (mjcf_node(r, n)->element->role) {
    case MJCF_ROLE_MESH:
        return read_mesh(r, n);
    case MJCF_ROLE_HFIELD:
        return read_hfield(r, n);
    case MJCF_ROLE_MATERIAL:
        return read_material(r, n);
    case MJCF_ROLE_PLUGIN:
        return mjcf_read_noted(r, n);
    case MJCF_ROLE_MODEL:
        return THUD_OK;
    default:
        return read_texture(r, n);
    }
}

thud_status mjcf_read_assets(mjcf_reader *r)
{
    for (int s = mjcf_node(r, 0)->first; s >= 0; s = mjcf_node(r, s)->next) {
        if (mjcf_node(r, s)->element->role == MJCF_ROLE_ASSET) {
            for (int n = mjcf_node(r, s)->first; n >= 0; n = mjcf_node(r, n)->next) {
                THUD_TRY(read_asset(r, n));
            }
        }
    }
    return THUD_OK;
}
