// SPDX-License-Identifier: Apache-2.0
// names.c: the names of a model's elements, and looking them up.
#include <string.h>

#include "build.h"

static int bytes_of(const char *name)
{
    return name ? (int)strlen(name) + 1 : 0;
}

int model_count_name_bytes(const thud_spec *spec)
{
    int bytes = 1;
    for (int i = 0; i < spec->bodies; i++) {
        bytes += bytes_of(spec->body[i].name);
    }
    for (int i = 0; i < spec->joints; i++) {
        bytes += bytes_of(spec->joint[i].name);
    }
    for (int i = 0; i < spec->geoms; i++) {
        bytes += bytes_of(spec->geom[i].name);
    }
    for (int i = 0; i < spec->sites; i++) {
        bytes += bytes_of(spec->site[i].name);
    }
    for (int i = 0; i < spec->keys; i++) {
        bytes += bytes_of(spec->key[i].name);
    }
    for (int i = 0; i < spec->equalities; i++) {
        bytes += bytes_of(spec->equality[i].name);
    }
    for (int i = 0; i < spec->tendons; i++) {
        bytes += bytes_of(spec->tendon[i].name);
    }
    for (int i = 0; i < spec->actuators; i++) {
        bytes += bytes_of(spec->actuator[i].name);
    }
    for (int i = 0; i < spec->sensors; i++) {
        bytes += bytes_of(spec->sensor[i].name);
    }
    return bytes + model_count_word_bytes(spec);
}

void model_copy_names(builder *b)
{
    const thud_spec *s = b->spec;
    thud_model *m = b->m;
    int used = 0;
    for (int i = 0; i < m->bodies; i++) {
        m->body_name[i] = model_put_name(m, &used, s->body[i].name);
    }
    for (int i = 0; i < m->joints; i++) {
        m->joint_name[i] = model_put_name(m, &used, s->joint[b->joint_of[i]].name);
    }
    for (int i = 0; i < m->geoms; i++) {
        m->geom_name[i] = model_put_name(m, &used, s->geom[b->geom_of[i]].name);
    }
    for (int i = 0; i < m->sites; i++) {
        m->site_name[i] = model_put_name(m, &used, s->site[b->site_of[i]].name);
    }
    for (int i = 0; i < m->keys; i++) {
        m->key_name[i] = model_put_name(m, &used, s->key[i].name);
    }
    for (int i = 0; i < m->equalities; i++) {
        m->eq_name[i] = model_put_name(m, &used, s->equality[i].name);
    }
    for (int i = 0; i < m->tendons; i++) {
        m->tendon_name[i] = model_put_name(m, &used, s->tendon[i].name);
    }
    for (int i = 0; i < m->actuators; i++) {
        m->actuator_name[i] = model_put_name(m, &used, s->actuator[i].name);
    }
    for (int i = 0; i < m->sensors; i++) {
        m->sensor_name[i] = model_put_name(m, &used, s->sensor[i].name);
    }
    model_copy_words(b, &used);
}

static const int *offsets(const thud_model *m, thud_kind kind, int *count)
{
    switch (kind) {
    case THUD_KIND_BODY:
        *count = m->bodies;
        return m->body_name;
    case THUD_KIND_JOINT:
        *count = m->joints;
        return m->joint_name;
    case THUD_KIND_GEOM:
        *count = m->geoms;
        return m->geom_name;
    case THUD_KIND_SITE:
        *count = m->sites;
        return m->site_name;
    case THUD_KIND_KEY:
        *count = m->keys;
        return m->key_name;
    case THUD_KIND_EQUALITY:
        *count = m->equalities;
        return m->eq_name;
    case THUD_KIND_TENDON:
        *count = m->tendons;
        return m->tendon_name;
    case THUD_KIND_ACTUATOR:
        *count = m->actuators;
        return m->actuator_name;
    case THUD_KIND_SENSOR:
        *count = m->sensors;
        return m->sensor_name;
    }
    *count = 0;
    return NULL;
}

int thud_model_find(const thud_model *m, thud_kind kind, const char *name)
{
    int count;
    const int *offset = offsets(m, kind, &count);
    for (int i = 0; name && i < count; i++) {
        if (offset[i] >= 0 && strcmp(m->names + offset[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

const char *thud_model_name(const thud_model *m, thud_kind kind, int index)
{
    int count;
    const int *offset = offsets(m, kind, &count);
    return index >= 0 && index < count && offset[index] >= 0 ? m->names + offset[index] : NULL;
}
