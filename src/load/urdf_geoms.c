// SPDX-License-Identifier: Apache-2.0
// urdf_geoms.c: what of a link touches, and what is only drawn, as geoms without mass.
//
// As published MJCF robots do it, what touches is in group 3 and what is drawn in group 2, so that programs
// show the one or the other; what touches of a link that has nothing to draw is in group 0.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "urdf_robot.h"

enum { GROUP_BOTH = 0, GROUP_DRAWN = 2, GROUP_TOUCHING = 3 };

// ---------------------------------------------------------------------------------------------- colours

static thud_status read_colour(mjcf_reader *r, int material, draft_looks *out, bool *given)
{
    const int color = urdf_child(r, material, "color");
    *out = (draft_looks){.rgba = {0.5, 0.5, 0.5, 1}};
    THUD_TRY(mjcf_read_attributes(r, material, out));
    const char *name = out->head.name;
    *given = color >= 0;
    THUD_TRY(color >= 0 ? mjcf_read_attributes(r, color, out) : THUD_OK);
    out->head.name = name;
    return THUD_OK;
}

static thud_status keep_colour(mjcf_reader *r, int material)
{
    draft_looks looks;
    bool given;
    THUD_TRY(read_colour(r, material, &looks, &given));
    if (!given || !looks.head.name || mjcf_name_find(r, MJCF_SPACE_MATERIAL, looks.head.name) >= 0) {
        return THUD_OK; // the first definition of a name counts, as in ROS
    }
    if (!thud_grow((void **)&r->material_rgba, &r->material_cap, r->materials, sizeof *r->material_rgba)) {
        return THUD_NO_MEMORY;
    }
    memcpy(r->material_rgba[r->materials], looks.rgba, sizeof looks.rgba);
    return mjcf_name_add(r, MJCF_SPACE_MATERIAL, looks.head.name, r->materials++,
                         mjcf_node(r, material)->place);
}

thud_status urdf_read_materials(urdf_robot *u)
{
    mjcf_reader *r = u->r;
    for (int n = mjcf_node(r, 0)->first; n >= 0; n = mjcf_node(r, n)->next) {
        THUD_TRY(strcmp(mjcf_node(r, n)->name, "material") == 0 ? keep_colour(r, n) : THUD_OK);
    }
    for (int l = 0; l < u->links; l++) { // a material that one link defines may be another's too
        for (int v = mjcf_node(r, u->link[l].node)->first; v >= 0; v = mjcf_node(r, v)->next) {
            const bool drawn =
                !mjcf_node(r, v)->element->opaque && strcmp(mjcf_node(r, v)->name, "visual") == 0;
            const int n = drawn ? urdf_child(r, v, "material") : -1;
            THUD_TRY(n >= 0 ? keep_colour(r, n) : THUD_OK);
        }
    }
    return THUD_OK;
}

static thud_status colour(mjcf_reader *r, int visual, double rgba[4])
{
    draft_looks looks;
    bool given;
    const int n = urdf_child(r, visual, "material");
    if (n < 0) {
        return THUD_OK;
    }
    THUD_TRY(read_colour(r, n, &looks, &given));
    const int m = given || !looks.head.name ? -1 : mjcf_name_find(r, MJCF_SPACE_MATERIAL, looks.head.name);
    if (!given && m < 0 && urdf_child(r, n, "texture") < 0) {
        return mjcf_remember(r, MJCF_REMARK_URDF_MATERIAL, mjcf_node(r, n)->place) ? THUD_OK : THUD_NO_MEMORY;
    }
    memcpy(rgba, m >= 0 ? r->material_rgba[m] : looks.rgba, 4 * sizeof rgba[0]);
    return THUD_OK;
}

// ---------------------------------------------------------------------------------------------- meshes

static bool is_readable(const char *file)
{
    static const char *const endings[] = {".stl", ".obj", ".msh"};
    const char *dot = strrchr(file, '.');
    for (int i = 0; dot && i < 3; i++) {
        if (strcasecmp(dot, endings[i]) == 0) {
            return true;
        }
    }
    return false;
}

// A name for a mesh: that of its file, with a number where another has it.
static char *name_mesh(mjcf_reader *r, const char *file)
{
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file, *dot = strrchr(base, '.');
    const int length = dot ? (int)(dot - base) : (int)strlen(base);
    char *name = pool_push(&r->tree.pool, (size_t)length + 16, 1);
    if (name) {
        snprintf(name, (size_t)length + 16, "%.*s", length, base);
    }
    for (int k = 1; name && (!name[0] || mjcf_name_find(r, MJCF_SPACE_MESH, name) >= 0); k++) {
        snprintf(name, (size_t)length + 16, "%.*s_%d", length, base, k);
    }
    return name;
}

// The mesh of this file and scale, which is made if it is new.
static thud_status add_mesh(mjcf_reader *r, int n, const char *file, vec3 scale, int *out)
{
    for (int i = 0; i < r->spec->meshes; i++) {
        const thud_spec_mesh *m = &r->spec->mesh[i];
        if (m->file == file && m->scale.x == scale.x && m->scale.y == scale.y && m->scale.z == scale.z) {
            *out = i;
            return THUD_OK;
        }
    }
    const char *name = name_mesh(r, file);
    *out = name ? thud_spec_add_mesh(r->spec, name) : -1;
    if (*out < 0) {
        return THUD_NO_MEMORY;
    }
    thud_spec_mesh *mesh = &r->spec->mesh[*out];
    mesh->file = file;
    mesh->scale = scale;
    mesh->place = mjcf_node(r, n)->place;
    return mjcf_name_add(r, MJCF_SPACE_MESH, name, *out, mesh->place);
}

// The mesh that node n names. One that is only drawn may be missing: *out is then -1.
static thud_status read_mesh(mjcf_reader *r, int n, bool drawn, int *out)
{
    draft_shape d = {.scale = {1, 1, 1}};
    const char *why = NULL;
    THUD_TRY(mjcf_read_attributes(r, n, &d));
    const thud_place place = mjcf_place(r, n, "filename");
    if (d.scale.x == 0 || d.scale.y == 0 || d.scale.z == 0) {
        return MJCF_FAIL(r, THUD_BAD_FILE, mjcf_place(r, n, "scale"), "a scale of zero leaves nothing");
    }
    const char *file = urdf_find_file(r, d.file, &why);
    if (!file && !why) {
        return THUD_NO_MEMORY;
    }
    *out = -1;
    if (drawn && (!file || !is_readable(file))) {
        return mjcf_remember(r, MJCF_REMARK_URDF_MESH, place) ? THUD_OK : THUD_NO_MEMORY;
    }
    if (!file) {
        return MJCF_FAIL(r, THUD_BAD_FILE, place, "cannot open \"%.200s\": %s", d.file, why);
    }
    if (!is_readable(file)) {
        return MJCF_FAIL(r, THUD_UNSUPPORTED, place,
                         "\"%.200s\" is no mesh that is read: convert it to .stl or .obj", d.file);
    }
    return add_mesh(r, n, file, d.scale, out);
}

// ---------------------------------------------------------------------------------------------- shapes

// The shape in a <geometry>: the first in it; -1 none.
static int find_shape(const mjcf_reader *r, int geometry, int *shapes, int *foreign)
{
    int n = -1;
    *shapes = 0;
    *foreign = -1;
    for (int c = geometry < 0 ? -1 : mjcf_node(r, geometry)->first; c >= 0; c = mjcf_node(r, c)->next) {
        if (mjcf_node(r, c)->element == &urdf_foreign) {
            *foreign = c;
        } else if (!mjcf_node(r, c)->element->opaque) { // a material, which some files put here, is
            n = n < 0 ? c : n;
            ++*shapes;
        }
    }
    return n;
}

bool urdf_is_solid(mjcf_reader *r, int geometry)
{
    int shapes, foreign;
    const int n = find_shape(r, geometry, &shapes, &foreign);
    const char *word = n >= 0 ? mjcf_node(r, n)->name : "plane", *why;
    if (strcmp(word, "mesh") == 0) {
        const xml_attribute *a = xml_find(mjcf_node(r, n), "filename");
        const char *file = a ? urdf_find_file(r, a->value, &why) : NULL;
        return file && is_readable(file);
    }
    return strcmp(word, "plane") != 0;
}

// A size of zero: a box or cylinder without thickness is a thin one; what has no size at all is left out.
static thud_status mend_size(mjcf_reader *r, int n, draft_shape *d, bool *there)
{
    static const double thin = 1e-4; // m
    const char *word = mjcf_node(r, n)->name;
    const bool box = strcmp(word, "box") == 0, round = strcmp(word, "sphere") != 0;
    const double *size = d->size;
    if (box ? size[0] > 0 && size[1] > 0 && size[2] > 0 : d->radius > 0 && (!round || d->length > 0)) {
        return THUD_OK;
    }
    *there = box ? (size[0] > 0) + (size[1] > 0) + (size[2] > 0) >= 2 : d->radius > 0;
    for (int k = 0; k < 3; k++) {
        d->size[k] = d->size[k] > 0 ? d->size[k] : thin;
    }
    d->length = d->length > 0 ? d->length : thin;
    return mjcf_mend(r, THUD_NOTE_CHANGED, THUD_BAD_FILE,
                     mjcf_place(r, n,
                                box             ? "size"
                                : d->radius > 0 ? "length"
                                                : "radius"),
                     *there ? "made 0.1 mm thick" : "left out", "%s is 0; it must be positive",
                     box             ? "size"
                     : d->radius > 0 ? "length"
                                     : "radius");
}

static thud_status read_plane(mjcf_reader *r, int n, thud_spec_geom *to)
{
    draft_shape d = {.normal = {0, 0, 1}};
    THUD_TRY(mjcf_read_attributes(r, n, &d));
    if (!(v3_norm(d.normal) > 1e-14)) {
        return MJCF_FAIL(r, THUD_BAD_FILE, mjcf_place(r, n, "normal"), "the plane's normal has no length");
    }
    to->type = THUD_GEOM_PLANE;
    to->size[2] = 1; // m, of the grid that is drawn
    const pose X = mjcf_settle_pose(
        pose_mul((pose){to->quat, to->pos}, (pose){q_of_zaxis(v3_normalize(d.normal)), v3(0, 0, 0)}));
    to->quat = X.q;
    return THUD_OK;
}

static thud_status read_primitive(mjcf_reader *r, int n, thud_spec_geom *to, bool *there)
{
    const char *word = mjcf_node(r, n)->name;
    draft_shape d = {0};
    THUD_TRY(mjcf_read_attributes(r, n, &d));
    THUD_TRY(mend_size(r, n, &d, there));
    if (strcmp(word, "box") == 0) {
        to->type = THUD_GEOM_BOX;
        memcpy(to->size, (double[]){d.size[0] / 2, d.size[1] / 2, d.size[2] / 2}, sizeof to->size);
    } else {
        to->type = strcmp(word, "sphere") == 0    ? THUD_GEOM_SPHERE
                   : strcmp(word, "capsule") == 0 ? THUD_GEOM_CAPSULE
                                                  : THUD_GEOM_CYLINDER;
        to->size[0] = d.radius;
        to->size[1] = d.length / 2;
    }
    return THUD_OK;
}

// The one shape in the <geometry> of a visual or collision, node n; *there is false for what is left out.
static thud_status read_shape(mjcf_reader *r, int of, bool drawn, thud_spec_geom *to, bool *there)
{
    int shapes, foreign;
    const int geometry = urdf_child(r, of, "geometry"), n = find_shape(r, geometry, &shapes, &foreign);
    *there = n >= 0;
    if (geometry < 0) {
        return mjcf_mend(r, THUD_NOTE_LOOK, THUD_BAD_FILE, mjcf_node(r, of)->place, "left out",
                         "<%s> needs a <geometry>", mjcf_node(r, of)->name);
    }
    if (shapes == 0 && foreign >= 0) {
        return drawn ? THUD_OK
                     : MJCF_FAIL(r, THUD_UNSUPPORTED, mjcf_node(r, foreign)->place,
                                 "<%.80s> is another program's shape", mjcf_node(r, foreign)->name);
    }
    if (shapes != 1) {
        THUD_TRY(mjcf_mend(r, THUD_NOTE_LOOK, THUD_BAD_FILE, mjcf_node(r, geometry)->place,
                           shapes ? "the first counts" : "left out", "<geometry> holds one shape, not %s",
                           shapes ? "several" : "none"));
    }
    if (!*there) {
        return THUD_OK;
    }
    if (strcmp(mjcf_node(r, n)->name, "mesh") == 0) {
        to->type = THUD_GEOM_MESH;
        THUD_TRY(read_mesh(r, n, drawn, &to->mesh));
        *there = to->mesh >= 0;
        return THUD_OK;
    }
    return strcmp(mjcf_node(r, n)->name, "plane") == 0 ? read_plane(r, n, to)
                                                       : read_primitive(r, n, to, there);
}

// ---------------------------------------------------------------------------------------------- geoms

// A number of <contact>; what is not there stays.
static thud_status read_value(mjcf_reader *r, int contact, const char *word, double *out)
{
    draft_value d = {.value = *out};
    const int n = contact < 0 ? -1 : urdf_child(r, contact, word);
    THUD_TRY(n >= 0 ? mjcf_read_attributes(r, n, &d) : THUD_OK);
    *out = d.value;
    return THUD_OK;
}

// Bullet's words: friction against sliding, spinning (m) and rolling (m), and restitution.
static thud_status read_contact(mjcf_reader *r, int link, thud_spec_geom *to)
{
    const int contact = urdf_child(r, link, "contact");
    double spinning = 0, rolling = 0;
    THUD_TRY(read_value(r, contact, "lateral_friction", &to->friction[0]));
    THUD_TRY(read_value(r, contact, "spinning_friction", &spinning));
    THUD_TRY(read_value(r, contact, "rolling_friction", &rolling));
    THUD_TRY(read_value(r, contact, "restitution", &to->surface.restitution));
    if (to->surface.restitution > 1) {
        THUD_TRY(mjcf_mend(r, THUD_NOTE_CHANGED, THUD_BAD_FILE,
                           mjcf_node(r, urdf_child(r, contact, "restitution"))->place, "taken as 1",
                           "the restitution is %g; it is between 0 and 1", to->surface.restitution));
        to->surface.restitution = 1;
    }
    if (spinning > 0 || rolling > 0) {
        to->condim = rolling > 0 ? 6 : 4;
        to->friction[1] = spinning;
        to->friction[2] = rolling;
    }
    return THUD_OK;
}

// The name of a geom that touches: its own, or that of its link, with a number where another has it.
static thud_status name_geom(urdf_robot *u, int l, int n, const char **out)
{
    mjcf_reader *r = u->r;
    draft_link d = {0};
    THUD_TRY(mjcf_read_attributes(r, n, &d));
    if (d.head.name && mjcf_name_find(r, MJCF_SPACE_GEOM, d.head.name) < 0) {
        *out = d.head.name;
        return THUD_OK;
    }
    const size_t size = strlen(u->link[l].name) + 16;
    char *name = pool_push(&r->tree.pool, size, 1);
    for (int k = 0; name && (k == 0 || mjcf_name_find(r, MJCF_SPACE_GEOM, name) >= 0); k++) {
        snprintf(name, size, k ? "%s_%d" : "%s", u->link[l].name, k);
    }
    *out = name;
    return name ? THUD_OK : THUD_NO_MEMORY;
}

static thud_status add_geom(urdf_robot *u, int l, int n, bool drawn)
{
    mjcf_reader *r = u->r;
    const char *name = NULL;
    pose X;
    bool there = true;
    THUD_TRY(drawn ? THUD_OK : name_geom(u, l, n, &name));
    const int i = thud_spec_add_geom(r->spec, u->link[l].body, THUD_GEOM_SPHERE, name);
    if (i < 0) {
        return THUD_NO_MEMORY;
    }
    thud_spec_geom to = r->spec->geom[i];
    to.place = mjcf_node(r, n)->place;
    const bool weighs = u->link[l].weigh == (drawn ? URDF_WEIGH_VISUAL : URDF_WEIGH_COLLISION);
    to.mass = weighs || (!drawn && r->spec->compiler.inertiafromgeom == THUD_TRUE) ? NAN : 0;
    THUD_TRY(urdf_origin(r, n, &X));
    to.pos = X.p;
    to.quat = X.q;
    THUD_TRY(read_shape(r, n, drawn, &to, &there));
    if (there && weighs && to.type == THUD_GEOM_MESH) {
        r->spec->mesh[to.mesh].inertia = THUD_MESH_INERTIA_CONVEX; // it touches as its hull
    }
    if (drawn) {
        to.contype = to.conaffinity = 0;
        to.group = GROUP_DRAWN;
        THUD_TRY(colour(r, n, to.rgba));
    } else {
        THUD_TRY(read_contact(r, u->link[l].node, &to));
    }
    r->spec->geom[i] = to;
    r->spec->geoms -= !there; // the last, and nothing refers to it
    return there ? mjcf_name_add(r, MJCF_SPACE_GEOM, name, i, to.place) : THUD_OK;
}

thud_status urdf_add_geoms(urdf_robot *u, int l)
{
    mjcf_reader *r = u->r;
    const int first = r->spec->geoms;
    bool looks = false;
    for (int n = mjcf_node(r, u->link[l].node)->first; n >= 0; n = mjcf_node(r, n)->next) {
        const bool drawn = strcmp(mjcf_node(r, n)->name, "visual") == 0;
        if (!mjcf_node(r, n)->element->opaque && (drawn || strcmp(mjcf_node(r, n)->name, "collision") == 0)) {
            const int before = r->spec->geoms;
            THUD_TRY(add_geom(u, l, n, drawn));
            looks |= drawn && r->spec->geoms > before;
        }
    }
    for (int g = first; g < r->spec->geoms; g++) {
        if (r->spec->geom[g].group != GROUP_DRAWN) {
            r->spec->geom[g].group = looks ? GROUP_TOUCHING : GROUP_BOTH;
        }
    }
    return THUD_OK;
}
