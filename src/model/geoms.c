// SPDX-License-Identifier: Apache-2.0
// geoms.c: shapes, frames, inertias and contact properties of geoms, and the frames of sites.
#include <math.h>
#include <string.h>

#include <thud/spatial_inline.h>

#include "build.h"

// The shape of a primitive geom or site.
static thud_shape primitive(thud_geom_type type, const double size[3])
{
    static const thud_shape_kind kind[] = {[THUD_GEOM_PLANE] = THUD_SHAPE_PLANE,
                                           [THUD_GEOM_HFIELD] = THUD_SHAPE_HFIELD,
                                           [THUD_GEOM_SPHERE] = THUD_SHAPE_SPHERE,
                                           [THUD_GEOM_CAPSULE] = THUD_SHAPE_CAPSULE,
                                           [THUD_GEOM_ELLIPSOID] = THUD_SHAPE_ELLIPSOID,
                                           [THUD_GEOM_CYLINDER] = THUD_SHAPE_CYLINDER,
                                           [THUD_GEOM_BOX] = THUD_SHAPE_BOX,
                                           [THUD_GEOM_MESH] = THUD_SHAPE_HULL};
    thud_shape shape = {kind[type], {size[0], size[1], size[2]}, NULL, NULL};
    return shape;
}

// An inertia for density 1 as that of the given mass, or of the density.
static thud_inertia scaled(const thud_spec_geom *g, thud_inertia I)
{
    const double scale = isnan(g->mass) ? g->density : I.mass > 0 ? g->mass / I.mass : 0;
    I.mass *= scale;
    for (int k = 0; k < 6; k++) {
        I.I[k] *= scale;
    }
    return I;
}

static thud_status build_shape(builder *b, int i, const thud_spec_geom *g)
{
    thud_model *m = b->m;
    thud_shape *shape = &m->geom_shape[i];
    *shape = primitive(g->type, g->size);
    m->geom_pose[i] = (pose){g->quat, g->pos};
    if (g->type == THUD_GEOM_MESH) {
        const built_mesh *mesh = &b->mesh[g->mesh];
        if (mesh->need_mass || mesh->need_hull) {
            m->geom_pose[i] = pose_mul(m->geom_pose[i], mesh->X);
        }
        shape->hull = mesh->hull;
        b->geom_inertia[i] = thud_inertia_map(m->geom_pose[i], scaled(g, mesh->inertia));
        return THUD_OK;
    }
    if (g->mesh >= 0) { // a primitive that stands for a mesh
        const built_mesh *mesh = &b->mesh[g->mesh];
        m->geom_pose[i] = pose_mul(m->geom_pose[i], mesh->fit_X[shape->kind]);
        *shape = mesh->fit[shape->kind];
        for (int k = 0; k < 3; k++) {
            shape->size[k] *= g->fitscale;
        }
    }
    shape->hfield = g->type == THUD_GEOM_HFIELD ? b->source->hfield[g->hfield] : NULL;
    thud_diag why;
    if (thud_shape_check(shape, &why) != THUD_OK) {
        return FAIL_AT(b, g->place, "geom '%s': %s", g->name ? g->name : "(no name)", why.text);
    }
    const thud_inertia I = g->shell ? thud_shape_shell_inertia(shape, 1) : thud_shape_inertia(shape, 1);
    b->geom_inertia[i] = thud_inertia_map(m->geom_pose[i], scaled(g, I));
    return THUD_OK;
}

static thud_status build_geom(builder *b, int i)
{
    thud_model *m = b->m;
    const thud_spec_geom *g = &b->spec->geom[b->geom_of[i]];
    m->geom_body[i] = g->body;
    m->geom_type[i] = (int)g->type;
    m->geom_spec[i] = b->geom_of[i];
    THUD_TRY(build_shape(b, i, g));
    m->geom_condim[i] = g->condim;
    m->geom_contype[i] = g->contype;
    m->geom_conaffinity[i] = g->conaffinity;
    m->geom_priority[i] = g->priority;
    m->geom_group[i] = g->group;
    m->geom_restitution[i] = g->surface.restitution;
    m->geom_friction_kinetic[i] = model_kinetic(g->surface.kinetic[0], g->friction[0]);
    m->geom_friction_viscous[i] = g->surface.viscous;
    m->geom_stribeck[i] = g->surface.stribeck;
    m->geom_friction_axis[i] = v3_normalize(g->friction_axis);
    m->geom_margin[i] = g->margin;
    m->geom_hull[i] = g->type == THUD_GEOM_MESH && m->geom_shape[i].hull ? b->mesh[g->mesh].hull_over : 1;
    m->geom_gap[i] = g->gap;
    m->geom_solmix[i] = g->solmix;
    memcpy(m->geom_friction + 3 * (size_t)i, g->friction, sizeof g->friction);
    memcpy(m->geom_rgba + 4 * (size_t)i, g->rgba, sizeof g->rgba);
    return THUD_OK;
}

thud_status model_build_geoms(builder *b)
{
    thud_model *m = b->m;
    for (int i = 0; i < m->geoms; i++) {
        THUD_TRY(build_geom(b, i));
    }
    for (int i = 0; i < m->sites; i++) {
        const thud_spec_site *site = &b->spec->site[b->site_of[i]];
        m->site_body[i] = site->body;
        m->site_pose[i] = (pose){site->quat, site->pos};
        m->site_shape[i] = primitive(site->type, site->size);
    }
    return THUD_OK;
}
