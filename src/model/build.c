// SPDX-License-Identifier: Apache-2.0
// build.c: from a spec to a model: check, number, then fill the tables stage by stage.
#include "build.h"

// order[] lists the elements 0..count-1 grouped by body, in their own order within a body (a counting sort).
static thud_status group_by_body(int count, const void *body_field, size_t stride, int bodies, int **order)
{
    *order = thud_alloc((size_t)count, sizeof **order);
    int *start = thud_alloc((size_t)bodies + 1, sizeof *start);
    if (!*order || !start) {
        thud_free(start);
        return THUD_NO_MEMORY;
    }
    const char *field = body_field;
    for (int i = 0; i < count; i++) {
        start[*(const int *)(field + (size_t)i * stride) + 1]++;
    }
    for (int k = 0; k < bodies; k++) {
        start[k + 1] += start[k];
    }
    for (int i = 0; i < count; i++) {
        (*order)[start[*(const int *)(field + (size_t)i * stride)]++] = i;
    }
    thud_free(start);
    return THUD_OK;
}

static void turn_around(int count, const int *of, int *at) // at[of[i]] = i
{
    for (int i = 0; i < count; i++) {
        at[of[i]] = i;
    }
}

static thud_status number_elements(builder *b)
{
    const thud_spec *s = b->spec;
    const int bodies = s->bodies;
    THUD_TRY(
        group_by_body(s->joints, s->joints ? &s->joint->body : NULL, sizeof *s->joint, bodies, &b->joint_of));
    THUD_TRY(group_by_body(s->geoms, s->geoms ? &s->geom->body : NULL, sizeof *s->geom, bodies, &b->geom_of));
    THUD_TRY(group_by_body(s->sites, s->sites ? &s->site->body : NULL, sizeof *s->site, bodies, &b->site_of));
    b->geom_inertia = thud_alloc((size_t)s->geoms, sizeof *b->geom_inertia);
    b->joint_at = thud_alloc((size_t)s->joints + (size_t)s->geoms + (size_t)s->sites, sizeof *b->joint_at);
    if (!b->geom_inertia || !b->joint_at) {
        return THUD_NO_MEMORY;
    }
    b->geom_at = b->joint_at + s->joints;
    b->site_at = b->geom_at + s->geoms;
    turn_around(s->joints, b->joint_of, b->joint_at);
    turn_around(s->geoms, b->geom_of, b->geom_at);
    turn_around(s->sites, b->site_of, b->site_at);
    return THUD_OK;
}

static void count_elements(builder *b)
{
    const thud_spec *s = b->spec;
    thud_model *m = b->m;
    m->bodies = s->bodies;
    m->joints = s->joints;
    m->geoms = s->geoms;
    m->sites = s->sites;
    m->keys = s->keys;
    m->pairs = s->pairs;
    m->excludes = s->excludes;
    m->equalities = s->equalities;
    m->tendons = s->tendons;
    m->wraps = s->wraps;
    m->actuators = s->actuators;
    m->activations = model_count_activations(s);
    m->sensors = s->sensors;
    m->readings = model_count_readings(s);
    for (int i = 0; i < s->bodies; i++) {
        m->mocaps += s->body[i].mocap;
    }
    model_count_words(s, m);
    m->name_bytes = model_count_name_bytes(s);
    for (int i = 0; i < s->joints; i++) {
        m->nq += thud_joint_positions((int)s->joint[i].type);
        m->nv += thud_joint_dofs((int)s->joint[i].type);
    }
    m->timestep = s->option.timestep;
    m->integrator = s->option.integrator;
    m->gravity = s->option.gravity_on ? s->option.gravity : (thud_vec3){0, 0, 0};
    m->density = s->option.density;
    m->viscosity = s->option.viscosity;
    m->wind = s->option.wind;
    m->magnetic = s->option.magnetic;
    m->has_drag = (m->density > 0 || m->viscosity > 0) && s->option.passive_on;
    m->spring_on = s->option.spring_on && s->option.passive_on;
    m->damper_on = s->option.damper_on && s->option.passive_on;
    m->actuation_on = s->option.actuation_on;
    m->clampctrl_on = s->option.clampctrl_on;
    m->contact_on = s->option.contact_on;
    m->limit_on = s->option.limit_on;
    m->frictionloss_on = s->option.frictionloss_on;
    m->equality_on = s->option.equality_on;
    m->filterparent_on = s->option.filterparent_on;
    m->sensor_on = s->option.sensor_on;
}

int model_span(int *list, int first, int end)
{
    for (int i = first; i < end; i++) {
        list[i - first] = i;
    }
    return end - first;
}

static void number_for_ids(thud_model *m)
{
    model_span(m->geom_number, 0, m->geoms);
    model_span(m->joint_number, 0, m->joints);
    model_span(m->dof_number, 0, m->nv);
    model_span(m->eq_number, 0, m->equalities);
}

static thud_status build(builder *b)
{
    THUD_TRY(model_check_spec(b));
    THUD_TRY(number_elements(b));
    count_elements(b);
    THUD_TRY(model_allocate(b->m));
    number_for_ids(b->m);
    model_copy_names(b);
    THUD_TRY(model_build_meshes(b));
    THUD_TRY(model_build_geoms(b));
    THUD_TRY(model_build_pairs(b));
    THUD_TRY(model_build_links(b)); // bodies, joints and dofs
    THUD_TRY(model_build_keys(b));
    THUD_TRY(model_build_spring_dampers(b));
    THUD_TRY(model_build_tendons(b));
    THUD_TRY(model_build_actuators(b));
    THUD_TRY(model_build_sensors(b));
    THUD_TRY(model_build_equalities(b));
    b->m->hash = model_hash(b->m);
    return THUD_OK;
}

thud_status model_build(builder *b, thud_model **out)
{
    b->m = thud_alloc(1, sizeof(thud_model));
    const thud_status status = b->m ? build(b) : THUD_NO_MEMORY;
    thud_free(b->joint_of);
    thud_free(b->geom_of);
    thud_free(b->site_of);
    thud_free(b->geom_inertia);
    thud_free(b->joint_at);
    if (status == THUD_OK) {
        b->m->store->source = b->source;
        atomic_fetch_add(&b->source->users, 1);
        *out = b->m;
        return status;
    }
    if (status == THUD_NO_MEMORY) {
        thud_fail(status, b->diag, NULL, 0, 0, "memory ran out while building the model");
    }
    thud_model_destroy(b->m);
    *out = NULL;
    return status;
}

thud_status thud_model_build(const thud_spec *spec, thud_model **out, thud_diag *diag)
{
    *out = NULL;
    builder b = {.spec = spec, .diag = diag};
    if (model_source_create(spec, &b.source) != THUD_OK) {
        return thud_fail(THUD_NO_MEMORY, diag, NULL, 0, 0, "memory ran out while building the model");
    }
    b.mesh = b.source->mesh;
    const thud_status status = model_build(&b, out);
    if (status == THUD_OK) {
        (*out)->store->spec = *b.source->spec;
    }
    model_source_release(b.source);
    return status;
}
