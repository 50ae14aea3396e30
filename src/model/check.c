// SPDX-License-Identifier: Apache-2.0
// check.c: whether a spec describes something that can be simulated. Loaders check what they read; a spec
// built in code is checked here.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <thud/linalg.h>

#include "build.h"

static const char *called(const char *name)
{
    return name ? name : "(no name)";
}

bool model_finite_pose(thud_vec3 p, thud_quat q)
{
    const double x[7] = {p.x, p.y, p.z, q.w, q.x, q.y, q.z};
    const double norm2 = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    return thud_all_finite(7, x) && fabs(norm2 - 1) < 1e-6;
}

static thud_status check_inertial(builder *b, const thud_spec_body *body)
{
    const double *I = body->inertia;
    if (!isfinite(body->mass) || body->mass < 0) {
        return FAIL_AT(b, body->inertial_place, "the mass of body '%s' is %g; it must be positive",
                       called(body->name), body->mass);
    }
    if (!thud_all_finite(6, I) || !model_finite_pose(body->ipos, body->iquat)) {
        return FAIL_AT(b, body->inertial_place, "the inertia of body '%s' is not finite", called(body->name));
    }
    double value[3];
    thud_quat axes;
    thud_sym3_eigen(I, value, &axes);
    const double slack = 1e-6 * value[0]; // files round their inertias
    if (value[2] < 0) {
        return FAIL_AT(b, body->inertial_place,
                       "the inertia of body '%s' is not positive: principal value %g", called(body->name),
                       value[2]);
    }
    if (!b->spec->compiler.balanceinertia && value[0] > value[1] + value[2] + slack) {
        return FAIL_AT(
            b, body->inertial_place,
            "the inertia of body '%s' is impossible: its principal values %g, %g, %g break the triangle "
            "inequality (compiler balanceinertia=\"true\" mends it)",
            called(body->name), value[0], value[1], value[2]);
    }
    return THUD_OK;
}

static thud_status check_bodies(builder *b)
{
    const thud_spec *s = b->spec;
    for (int i = 1; i < s->bodies; i++) {
        const thud_spec_body *body = &s->body[i];
        if (body->parent < 0 || body->parent >= i) {
            return FAIL_AT(b, body->place, "body '%s' must come after its parent", called(body->name));
        }
        if (!model_finite_pose(body->pos, body->quat) || !isfinite(body->gravcomp)) {
            return FAIL_AT(b, body->place, "the frame of body '%s' is not finite or its quaternion not unit",
                           called(body->name));
        }
        if (body->mocap && body->parent != 0) {
            return FAIL_AT(b, body->place, "mocap body '%s' must be a child of the world",
                           called(body->name));
        }
        if (body->has_inertial) {
            THUD_TRY(check_inertial(b, body));
        }
    }
    return THUD_OK;
}

static thud_status check_joint(builder *b, const thud_spec_joint *j)
{
    const thud_spec *s = b->spec;
    const double numbers[] = {j->pos.x,    j->pos.y,        j->pos.z,     j->axis.x,    j->axis.y,
                              j->axis.z,   j->ref,          j->springref, j->stiffness, j->damping,
                              j->armature, j->frictionloss, j->margin};
    if (j->body < 1 || j->body >= s->bodies) {
        return FAIL_AT(b, j->place, "joint '%s' is not on a body that can move", called(j->name));
    }
    if (!thud_all_finite(sizeof numbers / sizeof numbers[0], numbers)) {
        return FAIL_AT(b, j->place, "joint '%s' has a number that is not finite", called(j->name));
    }
    if (j->stiffness < 0 || j->damping < 0 || j->armature < 0 || j->frictionloss < 0) {
        return FAIL_AT(b, j->place,
                       "stiffness, damping, armature and frictionloss of joint '%s' must not be negative",
                       called(j->name));
    }
    if (!thud_all_finite(2, j->springdamper)) {
        return FAIL_AT(b, j->place, "springdamper of joint '%s' is not finite", called(j->name));
    }
    const bool has_axis = j->type == THUD_JOINT_HINGE || j->type == THUD_JOINT_SLIDE;
    const double length2 = j->axis.x * j->axis.x + j->axis.y * j->axis.y + j->axis.z * j->axis.z;
    if (has_axis && !(length2 > 1e-28)) {
        return FAIL_AT(b, j->place, "the axis of joint '%s' has no length", called(j->name));
    }
    if (j->type == THUD_JOINT_FREE && s->body[j->body].parent != 0) {
        return FAIL_AT(b, j->place, "free joint '%s' is allowed only on a child of the world",
                       called(j->name));
    }
    if (s->body[j->body].mocap) {
        return FAIL_AT(b, j->place, "joint '%s' is on a mocap body, which has none", called(j->name));
    }
    if ((j->limited == THUD_TRUE || (j->limited == THUD_AUTO && j->has_range)) &&
        (!thud_all_finite(2, j->range) || (has_axis && j->range[0] >= j->range[1]))) {
        return FAIL_AT(b, j->place, "the range of joint '%s' must grow: it is %g to %g", called(j->name),
                       j->range[0], j->range[1]);
    }
    return THUD_OK;
}

// A free joint stands alone, and a body has at most six degrees of freedom, three of them turning.
static thud_status check_joints(builder *b)
{
    const thud_spec *s = b->spec;
    int *dofs = thud_alloc((size_t)s->bodies, 2 * sizeof *dofs);
    if (!dofs) {
        return THUD_NO_MEMORY;
    }
    int *turns = dofs + s->bodies;
    thud_status status = THUD_OK;
    for (int i = 0; i < s->joints && status == THUD_OK; i++) {
        const thud_spec_joint *j = &s->joint[i];
        status = check_joint(b, j);
        if (status != THUD_OK) {
            break;
        }
        const int before = dofs[j->body];
        dofs[j->body] += thud_joint_dofs((int)j->type);
        turns[j->body] += j->type == THUD_JOINT_SLIDE ? 0 : j->type == THUD_JOINT_HINGE ? 1 : 3;
        if (j->type == THUD_JOINT_FREE ? before > 0 : dofs[j->body] > 6 || turns[j->body] > 3) {
            status = FAIL_AT(b, j->place, "joint '%s' gives body '%s' more freedom than a rigid body has",
                             called(j->name), called(s->body[j->body].name));
        }
    }
    thud_free(dofs);
    return status;
}

thud_status model_check_surface(builder *b, const thud_spec_surface *surface, const char *geom,
                                thud_place place)
{
    const double e = surface->restitution;
    const char *what = geom ? "geom '" : "a pair", *end = geom ? "'" : "";
    const char *name = geom ? geom : "";
    if (e < 0 || e > 1) {
        return FAIL_AT(b, place, "the restitution of %s%.80s%s is %g; it is between 0 and 1", what, name, end,
                       e);
    }
    const double rest[] = {surface->kinetic[0], surface->kinetic[1], surface->viscous, surface->stribeck};
    for (int k = 0; k < 4; k++) {
        if (rest[k] < 0 || isinf(rest[k])) {
            return FAIL_AT(b, place,
                           "kinetic and viscous friction and Stribeck speed of %s%.80s%s must be finite and "
                           "not negative",
                           what, name, end);
        }
    }
    return THUD_OK;
}

static thud_status check_geoms(builder *b)
{
    const thud_spec *s = b->spec;
    for (int i = 0; i < s->geoms; i++) {
        const thud_spec_geom *g = &s->geom[i];
        if (g->body < 0 || g->body >= s->bodies || (g->type == THUD_GEOM_MESH && g->mesh < 0) ||
            g->mesh >= s->meshes || (g->type == THUD_GEOM_HFIELD && g->hfield < 0) ||
            g->hfield >= s->hfields) {
            return FAIL_AT(b, g->place,
                           "geom '%s' refers to a body, mesh or height field that does not exist",
                           called(g->name));
        }
        if (!model_finite_pose(g->pos, g->quat) || !thud_all_finite(3, g->friction) || !isfinite(g->margin) ||
            !isfinite(g->gap)) {
            return FAIL_AT(b, g->place,
                           "geom '%s' has a number that is not finite or a quaternion that is not unit",
                           called(g->name));
        }
        if (isinf(g->mass) || g->mass < 0 || !isfinite(g->density) || g->density < 0) {
            return FAIL_AT(b, g->place, "the mass or density of geom '%s' must not be negative",
                           called(g->name));
        }
        if (g->friction[0] < 0 || g->friction[1] < 0 || g->friction[2] < 0) {
            return FAIL_AT(b, g->place, "the friction of geom '%s' must not be negative", called(g->name));
        }
        const double axis[] = {g->friction_axis.x, g->friction_axis.y, g->friction_axis.z};
        if (isnan(g->surface.restitution + g->surface.viscous + g->surface.stribeck) ||
            !thud_all_finite(3, axis)) {
            return FAIL_AT(b, g->place, "the surface of geom '%s' has a number that is not finite",
                           called(g->name));
        }
        THUD_TRY(model_check_surface(b, &g->surface, called(g->name), g->place));
        if (g->condim != 1 && g->condim != 3 && g->condim != 4 && g->condim != 6) {
            return FAIL_AT(b, g->place, "condim of geom '%s' is %d; it is 1, 3, 4 or 6", called(g->name),
                           g->condim);
        }
    }
    for (int i = 0; i < s->sites; i++) {
        if (s->site[i].body < 0 || s->site[i].body >= s->bodies ||
            !model_finite_pose(s->site[i].pos, s->site[i].quat)) {
            return FAIL_AT(b, s->site[i].place, "site '%s' is not on a body or not finite",
                           called(s->site[i].name));
        }
    }
    return THUD_OK;
}

// ---------------------------------------------------------------------------------------------- names

typedef struct named {
    const char *name;
    thud_place place;
} named;

static int by_name(const void *a, const void *b) // interned: equal names are equal pointers
{
    const uintptr_t x = (uintptr_t)((const named *)a)->name, y = (uintptr_t)((const named *)b)->name;
    return (x > y) - (x < y);
}

static thud_status check_unique(builder *b, const char *kind, named *list, int count)
{
    qsort(list, (size_t)count, sizeof *list, by_name);
    for (int i = 1; i < count; i++) {
        if (list[i].name && list[i].name == list[i - 1].name) {
            const int later = list[i].place.line >= list[i - 1].place.line ? i : i - 1;
            return FAIL_AT(b, list[later].place, "a second %s is called '%s'", kind, list[i].name);
        }
    }
    return THUD_OK;
}

static thud_status check_names(builder *b)
{
    const thud_spec *s = b->spec;
    const int most = s->bodies + s->joints + s->geoms + s->sites;
    named *list = thud_alloc((size_t)most, sizeof *list);
    if (!list) {
        return THUD_NO_MEMORY;
    }
#define CHECK_KIND(array, count, kind)                                                                       \
    for (int i = 0; i < s->count; i++) {                                                                     \
        list[i] = (named){s->array[i].name, s->array[i].place};                                              \
    }                                                                                                        \
    status = status == THUD_OK ? check_unique(b, kind, list, s->count) : status
    thud_status status = THUD_OK;
    CHECK_KIND(body, bodies, "body");
    CHECK_KIND(joint, joints, "joint");
    CHECK_KIND(geom, geoms, "geom");
    CHECK_KIND(site, sites, "site");
#undef CHECK_KIND
    thud_free(list);
    return status;
}

thud_status model_check_spec(builder *b)
{
    const thud_spec_option *o = &b->spec->option;
    const double numbers[] = {o->gravity.x, o->gravity.y, o->gravity.z, o->wind.x,
                              o->wind.y,    o->wind.z,    o->density,   o->viscosity};
    if (!(o->timestep > 0) || !isfinite(o->timestep) || !thud_all_finite(8, numbers)) {
        return thud_fail(THUD_BAD_MODEL, b->diag, NULL, 0, 0,
                         "timestep must be positive, and gravity and the medium finite");
    }
    THUD_TRY(check_bodies(b));
    THUD_TRY(check_joints(b));
    THUD_TRY(check_geoms(b));
    return b->varies ? THUD_OK : check_names(b);
}
