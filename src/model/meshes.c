// SPDX-License-Identifier: Apache-2.0
// meshes.c: the meshes and height fields that the physics needs: read, weighed, recentred, and made into
// hulls.
//
// A mesh that only looks (it cannot touch and its body has its mass from elsewhere) is not opened. Like
// MuJoCo, a mesh is moved to its centre of mass and principal axes, and its geom's frame with it, so that
// hulls are centred.
#include <math.h>

#include <thud/spatial_inline.h>

#include "build.h"

static bool touches(const thud_spec *s, int geom)
{
    if (s->geom[geom].contype || s->geom[geom].conaffinity) {
        return true;
    }
    for (int i = 0; i < s->pairs; i++) {
        if (s->pair[i].geom1 == geom || s->pair[i].geom2 == geom) {
            return true;
        }
    }
    return false;
}

static bool weighs(const thud_spec *s, const thud_spec_geom *g)
{
    const thud_spec_compiler *c = &s->compiler;
    const bool from_geoms = c->inertiafromgeom == THUD_TRUE ||
                            (c->inertiafromgeom == THUD_AUTO && !s->body[g->body].has_inertial);
    return g->body > 0 && from_geoms && g->group >= c->inertiagrouprange[0] &&
           g->group <= c->inertiagrouprange[1] && !(g->mass == 0) && !(isnan(g->mass) && g->density == 0);
}

// A sentence about a mesh, at the geom that needs it unless the file has a place of its own.
static thud_status fail_mesh(builder *b, thud_status status, const thud_spec_mesh *mesh, const thud_diag *why)
{
    if (status == THUD_NO_MEMORY) {
        return status;
    }
    if (why->line > 0) {
        return thud_fail(status, b->diag, why->file, why->line, why->column, "%s", why->text);
    }
    return thud_fail(status, b->diag, mesh->place.file, mesh->place.line, mesh->place.column, "mesh '%s': %s",
                     mesh->name   ? mesh->name
                     : mesh->file ? mesh->file
                                  : "(no name)",
                     why->text);
}

static thud_status read_mesh(const thud_spec *s, const thud_spec_mesh *given, thud_mesh **out, thud_diag *why)
{
    THUD_TRY(given->file ? thud_mesh_open(&s->files, given->file, out, why)
                         : thud_mesh_create(given->vertices, given->vertex, given->triangles, given->triangle,
                                            out, why));
    thud_mesh_transform(*out, given->refpos, given->refquat, given->scale);
    return THUD_OK;
}

static thud_status make_hull(const thud_spec_mesh *given, const thud_mesh *mesh, thud_hull **out,
                             thud_diag *why)
{
    thud_hull_options options = thud_hull_defaults();
    options.max_vertices = given->maxhullvert;
    return thud_hull_create(mesh->vertex, mesh->vertices, &options, out, why);
}

// The primitives that stand for a mesh where a geom of a primitive type names it.
static void fit(const thud_mesh *mesh, const thud_mesh_mass *mass, bool by_bounds, built_mesh *out)
{
    static const thud_shape_kind kinds[] = {THUD_SHAPE_SPHERE, THUD_SHAPE_CAPSULE, THUD_SHAPE_ELLIPSOID,
                                            THUD_SHAPE_CYLINDER, THUD_SHAPE_BOX};
    for (int i = 0; out->need_fit && i < 5; i++) {
        const thud_shape_kind kind = kinds[i];
        out->fit[kind] = by_bounds ? thud_mesh_fit_bounds(mesh, mass, kind, &out->fit_X[kind])
                                   : thud_mesh_fit_inertia(mass, kind, &out->fit_X[kind]);
    }
}

// Weighs and recentres a mesh. One that cannot be weighed stays where it is, which matters only if its mass
// is asked for.
static thud_status weigh(const thud_spec_mesh *given, thud_mesh *mesh, bool by_bounds, built_mesh *out,
                         thud_diag *why)
{
    thud_hull *hull = NULL;
    thud_mesh_mass mass;
    thud_status status = THUD_OK;
    if (given->inertia == THUD_MESH_INERTIA_CONVEX || mesh->triangles == 0) {
        status = make_hull(given, mesh, &hull, why);
    }
    status = status == THUD_OK ? thud_mesh_weigh(mesh, given->inertia, hull, &mass, why) : status;
    thud_hull_destroy(hull);
    if (status == THUD_OK) {
        fit(mesh, &mass, by_bounds, out);
        thud_mesh_recentre(mesh, mass.X);
        out->X = mass.X;
        out->open_edges = mass.open_edges;
        out->inertia =
            (thud_inertia){mass.inertia.mass, {0, 0, 0}, {mass.moment[0], mass.moment[1], mass.moment[2]}};
    }
    return out->need_mass || out->need_fit || status == THUD_NO_MEMORY ? status : THUD_OK;
}

// The volume of a closed mesh; 0 of another.
static double true_volume(const thud_mesh *mesh)
{
    thud_mesh_mass mass;
    thud_diag unused;
    return mesh->triangles > 0 &&
                   thud_mesh_weigh(mesh, THUD_MESH_INERTIA_EXACT, NULL, &mass, &unused) == THUD_OK &&
                   mass.open_edges == 0
               ? mass.measure
               : 0;
}

// What is said of a mesh that differs from what it is taken for.
static void compare_volumes(const thud_spec_mesh *given, const thud_mesh *mesh, built_mesh *out,
                            thud_mesh_repair *repair)
{
    const double volume = true_volume(mesh);
    if (volume > 0 && out->hull && !(repair->thickened > 0)) {
        const thud_shape shape = {.kind = THUD_SHAPE_HULL, .hull = out->hull};
        out->hull_over = repair->hull = thud_shape_volume(&shape) / volume;
    }
    if (volume > 0 && out->need_mass && given->inertia == THUD_MESH_INERTIA_LEGACY) {
        repair->legacy = out->inertia.mass / volume;
    }
}

static thud_status build_mesh(builder *b, int i)
{
    const thud_spec_mesh *given = &b->spec->mesh[i];
    built_mesh *out = &b->mesh[i];
    thud_mesh *mesh = NULL;
    thud_diag why = {.line = 0};
    out->X = pose_identity();
    thud_status status = read_mesh(b->spec, given, &mesh, &why);
    status = status == THUD_OK ? weigh(given, mesh, b->spec->compiler.fitaabb, out, &why) : status;
    if (status == THUD_OK && out->need_hull) {
        thud_hull *hull = NULL;
        status = make_hull(given, mesh, &hull, &why);
        out->hull = hull;
        b->source->hull[i] = hull;
        b->source->repair[i].thickened = hull ? hull->thickened : 0;
    }
    b->source->repair[i].open_edges = out->open_edges;
    if (status == THUD_OK) {
        compare_volumes(given, mesh, out, &b->source->repair[i]);
    }
    thud_mesh_destroy(mesh);
    return status == THUD_OK ? THUD_OK : fail_mesh(b, status, given, &why);
}

static thud_status build_hfields(builder *b)
{
    for (int i = 0; i < b->spec->hfields; i++) {
        const thud_spec_hfield *f = &b->spec->hfield[i];
        thud_diag why = {.line = 0};
        const thud_status status =
            f->file
                ? thud_hfield_open(&b->spec->files, f->file, f->size, &b->source->hfield[i], &why)
                : thud_hfield_create(f->rows, f->columns, f->size, f->elevation, &b->source->hfield[i], &why);
        if (status != THUD_OK) {
            return thud_fail(status, b->diag, f->place.file, f->place.line, f->place.column,
                             "hfield '%s': %s", f->name ? f->name : "(no name)", why.text);
        }
    }
    return THUD_OK;
}

static void find_needs(builder *b)
{
    const thud_spec *s = b->spec;
    for (int i = 0; i < s->meshes; i++) {
        b->mesh[i].need_mass = b->mesh[i].need_hull = b->mesh[i].need_fit = false;
    }
    for (int g = 0; g < s->geoms; g++) {
        const int i = s->geom[g].mesh;
        if (i >= 0) {
            const bool itself = s->geom[g].type == THUD_GEOM_MESH;
            b->mesh[i].need_mass |= itself && weighs(s, &s->geom[g]);
            b->mesh[i].need_hull |= itself && touches(s, g);
            b->mesh[i].need_fit |= !itself;
        }
    }
}

// A variant takes the meshes as they were built, as far as it needs them.
static thud_status take_meshes(builder *b)
{
    for (int i = 0; i < b->spec->meshes; i++) {
        built_mesh *mesh = &b->mesh[i];
        const bool weighed = mesh->inertia.mass > 0;
        if ((mesh->need_mass && !weighed) || (mesh->need_hull && !mesh->hull)) {
            const thud_spec_mesh *given = &b->spec->mesh[i];
            return thud_fail(
                THUD_UNSUPPORTED, b->diag, given->place.file, given->place.line, given->place.column,
                "mesh '%s' was not read, as nothing touched it or took its mass from it, and now "
                "it would be needed: build the model from a spec with these numbers",
                given->name ? given->name : "(no name)");
        }
        mesh->hull = mesh->need_hull ? mesh->hull : NULL;
    }
    return THUD_OK;
}

thud_status model_build_meshes(builder *b)
{
    const thud_spec *s = b->spec;
    find_needs(b);
    if (b->varies) {
        return take_meshes(b);
    }
    for (int i = 0; i < s->meshes; i++) {
        if (b->mesh[i].need_mass || b->mesh[i].need_hull || b->mesh[i].need_fit) {
            THUD_TRY(build_mesh(b, i));
        }
    }
    return build_hfields(b);
}
