// SPDX-License-Identifier: Apache-2.0
// part.c: a model cut out of another: who is in it, their rows of every table, and new numbers where tables speak of others.
#include <string.h>

#include <thud/model_part.h>

#include "build.h"

bool thud_model_has_parts(const thud_model *m)
{
    bool can = m->mocaps == 0 && m->tendons == 0;
    for (int i = 0; can && i < m->actuators; i++) {
        const int of = m->actuator_transmission[i];
        can = of == THUD_TRANSMISSION_JOINT || of == THUD_TRANSMISSION_JOINT_IN_PARENT;
    }
    return can;
}

// The link that an equality's object is or is on; -1: none.
static int link_of(const thud_model *m, int equality, int object)
{
    const bool joint = m->eq_type[equality] == THUD_EQUALITY_JOINT;
    return joint || object < 0 ? object : m->body_link[object];
}

bool thud_equality_links(const thud_model *m, int equality, int link[2])
{
    const int one = link_of(m, equality, m->eq_obj1[equality]),
              two = link_of(m, equality, m->eq_obj2[equality]);
    link[0] = one < 0 || (two >= 0 && two < one) ? two : one;
    link[1] = one > two ? one : two;
    return link[1] >= 0;
}

// ---------------------------------------------------------------------------------------------- who is in it

typedef struct cutting {
    const thud_model *of;
    thud_model *to;
    int first, end;                                 // links
    int *body, *joint, *dof, *q, *geom;             // who is in it, as the whole counts
    int *site, *pair, *exclude, *equality;          // likewise
    int *actuator, *activation, *sensor;            // likewise
    int *word, *number;                             // likewise: all
    int *body_at, *geom_at, *site_at, *actuator_at; // and back; -1: not in it
    int *room;                                      // all of these
} cutting;

static bool has_link(const cutting *c, int link)
{
    return link >= c->first && link < c->end;
}

static bool has_body(const cutting *c, int body)
{
    const int link = c->of->body_link[body];
    return link < 0 || has_link(c, link);
}

static bool has_equality(const cutting *c, int e)
{
    int link[2];
    return thud_equality_links(c->of, e, link) && has_link(c, link[0]) && has_link(c, link[1]);
}

// The link that what a sensor is attached to moves with; -1: none.
static int link_of_object(const thud_model *m, int type, int object)
{
    switch (type) {
    case THUD_OBJECT_BODY:
    case THUD_OBJECT_XBODY:
        return m->body_link[object];
    case THUD_OBJECT_GEOM:
        return m->body_link[m->geom_body[object]];
    case THUD_OBJECT_SITE:
        return m->body_link[m->site_body[object]];
    case THUD_OBJECT_JOINT:
        return object;
    case THUD_OBJECT_ACTUATOR:
        return m->actuator_target[object];
    default:
        return -1;
    }
}

static bool has_sensor(const cutting *c, int i)
{
    const thud_model *m = c->of;
    const int from = m->sensor_reference_type[i];
    const int seen = from == THUD_OBJECT_NONE ? -1 : link_of_object(m, from, m->sensor_reference[i]);
    return has_link(c, link_of_object(m, m->sensor_object_type[i], m->sensor_object[i])) &&
           (seen < 0 || has_link(c, seen));
}

static void list_bodies(cutting *c)
{
    const thud_model *m = c->of;
    for (int i = 0; i < m->bodies; i++) {
        c->body_at[i] = has_body(c, i) ? c->to->bodies : -1;
        if (c->body_at[i] >= 0) {
            c->body[c->to->bodies++] = i;
        }
    }
    for (int g = 0; g < m->geoms; g++) {
        c->geom_at[g] = has_body(c, m->geom_body[g]) ? c->to->geoms : -1;
        if (c->geom_at[g] >= 0) {
            c->geom[c->to->geoms++] = g;
        }
    }
    for (int i = 0; i < m->sites; i++) {
        c->site_at[i] = has_body(c, m->site_body[i]) ? c->to->sites : -1;
        if (c->site_at[i] >= 0) {
            c->site[c->to->sites++] = i;
        }
    }
}

static void list_joints(cutting *c)
{
    const thud_model *m = c->of;
    const bool last = c->end == m->joints;
    c->to->joints = model_span(c->joint, c->first, c->end);
    c->to->nq = model_span(c->q, m->joint_q[c->first], last ? m->nq : m->joint_q[c->end]);
    c->to->nv = model_span(c->dof, m->joint_v[c->first], last ? m->nv : m->joint_v[c->end]);
}

static void list_others(cutting *c)
{
    const thud_model *m = c->of;
    thud_model *to = c->to;
    for (int i = 0; i < m->pairs; i++) {
        if (c->geom_at[m->pair_geom[2 * i]] >= 0 && c->geom_at[m->pair_geom[2 * i + 1]] >= 0) {
            c->pair[to->pairs++] = i;
        }
    }
    for (int i = 0; i < m->excludes; i++) {
        if (c->body_at[m->exclude_body[2 * i]] >= 0 && c->body_at[m->exclude_body[2 * i + 1]] >= 0) {
            c->exclude[to->excludes++] = i;
        }
    }
    for (int e = 0; e < m->equalities; e++) {
        if (has_equality(c, e)) {
            c->equality[to->equalities++] = e;
        }
    }
    for (int i = 0; i < m->actuators; i++) {
        c->actuator_at[i] = has_link(c, m->actuator_target[i]) ? to->actuators : -1;
        if (c->actuator_at[i] >= 0) {
            c->actuator[to->actuators++] = i;
            if (m->actuator_act[i] >= 0) {
                c->activation[to->activations++] = m->actuator_act[i];
            }
        }
    }
    for (int i = 0; i < m->sensors; i++) {
        if (has_sensor(c, i)) {
            c->sensor[to->sensors++] = i;
            to->readings += m->sensor_dim[i];
        }
    }
    to->words = model_span(c->word, 0, m->words);
    to->word_numbers = model_span(c->number, 0, m->word_numbers);
}

static bool make_lists(cutting *c)
{
    const thud_model *m = c->of;
    const int joints = c->end - c->first;
    struct {
        int **list, length;
    } const lists[] = {{&c->body, m->bodies},
                       {&c->body_at, m->bodies},
                       {&c->geom, m->geoms},
                       {&c->geom_at, m->geoms},
                       {&c->site, m->sites},
                       {&c->site_at, m->sites},
                       {&c->joint, joints},
                       {&c->q, m->nq},
                       {&c->dof, m->nv},
                       {&c->pair, m->pairs},
                       {&c->exclude, m->excludes},
                       {&c->equality, m->equalities},
                       {&c->actuator, m->actuators},
                       {&c->actuator_at, m->actuators},
                       {&c->sensor, m->sensors},
                       {&c->activation, m->actuators},
                       {&c->word, m->words},
                       {&c->number, m->word_numbers}};
    const size_t count = sizeof lists / sizeof lists[0];
    size_t length = 1;
    for (size_t k = 0; k < count; k++) {
        length += (size_t)lists[k].length;
    }
    int *at = c->room = thud_alloc(length, sizeof *at);
    for (size_t k = 0; at && k < count; k++) {
        *lists[k].list = at;
        at += lists[k].length;
    }
    return c->room != NULL;
}

// ---------------------------------------------------------------------------------------------- tables

typedef struct picked { // rows of a table
    const int *row;
    int count, each; // how many; numbers in each
} picked;

static void copy_rows(void *to, const void *from, size_t size, picked rows)
{
    const size_t bytes = size * (size_t)rows.each;
    for (int i = 0; i < rows.count; i++) {
        memcpy((char *)to + (size_t)i * bytes, (const char *)from + (size_t)rows.row[i] * bytes, bytes);
    }
}

static picked times(picked rows, int each)
{
    rows.each = each;
    return rows;
}

static void copy_tables(const cutting *c)
{
    const thud_model *m = c->to;
    const picked none = {NULL, 0, 1}, bodies = {c->body, m->bodies, 1}, joints = {c->joint, m->joints, 1},
                 joints2 = times(joints, 2), joints6 = times(joints, 6), nv = {c->dof, m->nv, 1}, nv1 = nv,
                 nq = {c->q, m->nq, 1}, geoms = {c->geom, m->geoms, 1}, geoms3 = times(geoms, 3),
                 geoms4 = times(geoms, 4), pairs = {c->pair, m->pairs, 1}, pairs2 = times(pairs, 2),
                 pairs5 = times(pairs, 5), excludes2 = {c->exclude, m->excludes, 2},
                 equalities = {c->equality, m->equalities, 1}, equalities2 = times(equalities, 2),
                 equalities5 = times(equalities, 5), actuators = {c->actuator, m->actuators, 1},
                 actuators2 = times(actuators, 2), actuators3 = times(actuators, 3),
                 actuators6 = times(actuators, 6), actuators9 = times(actuators, 9),
                 words = {c->word, m->words, 1}, word_numbers = {c->number, m->word_numbers, 1},
                 sites = {c->site, m->sites, 1}, sensors = {c->sensor, m->sensors, 1}, tendons = none,
                 tendons2 = none, wraps = none, keys = none, keys_nq = none, keys_nv = none, keys_na = none,
                 keys_nu = none, keys_mocaps = none, name_bytes = none;
#define COPY(type, name, length, meaning) copy_rows(c->to->name, c->of->name, sizeof(type), length);
    THUD_MODEL_ARRAYS(COPY)
#undef COPY
}

// ---------------------------------------------------------------------------------------------- new numbers

static void shift(int count, int by, int *number) // -1 stays
{
    for (int i = 0; i < count; i++) {
        number[i] -= number[i] < 0 ? 0 : by;
    }
}

static void translate(int count, const int *at, int *number) // -1 stays
{
    for (int i = 0; i < count; i++) {
        number[i] = number[i] < 0 ? -1 : at[number[i]];
    }
}

static void renumber_equalities(const cutting *c)
{
    thud_model *m = c->to;
    for (int e = 0; e < m->equalities; e++) {
        const bool joint = m->eq_type[e] == THUD_EQUALITY_JOINT;
        int *const object[] = {&m->eq_obj1[e], &m->eq_obj2[e]};
        for (int k = 0; k < 2; k++) {
            if (joint) {
                shift(1, c->first, object[k]);
            } else {
                translate(1, c->body_at, object[k]);
            }
        }
    }
}

static void renumber_object(const cutting *c, int type, int *object)
{
    switch (type) {
    case THUD_OBJECT_BODY:
    case THUD_OBJECT_XBODY:
        translate(1, c->body_at, object);
        break;
    case THUD_OBJECT_GEOM:
        translate(1, c->geom_at, object);
        break;
    case THUD_OBJECT_SITE:
        translate(1, c->site_at, object);
        break;
    case THUD_OBJECT_JOINT:
        shift(1, c->first, object);
        break;
    case THUD_OBJECT_ACTUATOR:
        translate(1, c->actuator_at, object);
        break;
    default:
        break;
    }
}

static void renumber_sensors(const cutting *c)
{
    thud_model *m = c->to;
    translate(m->sites, c->body_at, m->site_body);
    for (int i = 0, at = 0; i < m->sensors; i++) {
        renumber_object(c, m->sensor_object_type[i], &m->sensor_object[i]);
        renumber_object(c, m->sensor_reference_type[i], &m->sensor_reference[i]);
        m->sensor_at[i] = at;
        at += m->sensor_dim[i];
    }
}

static void renumber(const cutting *c)
{
    thud_model *m = c->to;
    const int q = c->of->joint_q[c->first], v = c->of->joint_v[c->first];
    shift(m->bodies, c->first, m->body_link);
    shift(m->bodies, c->first, m->body_joint);
    translate(m->bodies, c->body_at, m->body_parent);
    translate(m->bodies, c->body_at, m->body_weld);
    translate(m->bodies, c->body_at, m->body_root);
    translate(m->joints, c->body_at, m->joint_body);
    shift(m->joints, q, m->joint_q);
    shift(m->joints, v, m->joint_v);
    shift(m->joints, c->first, m->link_parent);
    shift(m->nv, c->first, m->dof_link);
    shift(m->nv, v, m->dof_parent);
    const int64_t *row = c->of->dof_row + v;
    for (int i = 0; i <= m->nv; i++) {
        m->dof_row[i] = row[i] - row[0];
    }
    translate(m->geoms, c->body_at, m->geom_body);
    translate(2 * m->pairs, c->geom_at, m->pair_geom);
    translate(2 * m->excludes, c->body_at, m->exclude_body);
    shift(m->actuators, c->first, m->actuator_target);
    for (int i = 0, next = 0; i < m->actuators; i++) {
        m->actuator_act[i] = m->actuator_act[i] < 0 ? -1 : next++;
    }
    renumber_equalities(c);
    renumber_sensors(c);
}

static void weigh(thud_model *m)
{
    m->total_mass = 0;
    for (int i = 0; i < m->bodies; i++) {
        m->total_mass += m->body_inertia[i].mass;
    }
}

// ---------------------------------------------------------------------------------------------- all of it

static thud_status keep_list(const int *list, int count, int **out)
{
    *out = thud_alloc((size_t)count + 1, sizeof **out);
    if (!*out) {
        return THUD_NO_MEMORY;
    }
    memcpy(*out, list, (size_t)count * sizeof *list);
    return THUD_OK;
}

static thud_status keep_lists(const cutting *c, thud_model_part *out)
{
    out->link = c->first;
    out->q = c->of->joint_q[c->first];
    out->v = c->of->joint_v[c->first];
    THUD_TRY(keep_list(c->body, c->to->bodies, &out->body));
    THUD_TRY(keep_list(c->geom, c->to->geoms, &out->geom));
    THUD_TRY(keep_list(c->equality, c->to->equalities, &out->equality));
    THUD_TRY(keep_list(c->actuator, c->to->actuators, &out->actuator));
    THUD_TRY(keep_list(c->sensor, c->to->sensors, &out->sensor));
    return keep_list(c->activation, c->to->activations, &out->activation);
}

static thud_status cut(cutting *c, thud_model_part *out)
{
    if (!make_lists(c)) {
        return THUD_NO_MEMORY;
    }
    list_bodies(c);
    list_joints(c);
    list_others(c);
    THUD_TRY(model_allocate(c->to));
    copy_tables(c);
    renumber(c);
    weigh(c->to);
    c->to->names = c->of->names;
    c->to->hash = model_hash(c->to);
    return keep_lists(c, out);
}

thud_status thud_model_cut(const thud_model *m, int first, int end, thud_model_part *out)
{
    THUD_ASSERT(thud_model_has_parts(m) && first >= 0 && first < end && end <= m->joints);
    *out = (thud_model_part){.m = thud_alloc(1, sizeof *m)};
    if (!out->m) {
        return THUD_NO_MEMORY;
    }
    *out->m = *m; // settings
    cutting c = {.of = m, .to = out->m, .first = first, .end = end};
    out->m->store = NULL;
    out->m->bodies = out->m->geoms = out->m->sites = out->m->keys = out->m->pairs = out->m->excludes = 0;
    out->m->equalities = out->m->actuators = out->m->activations = out->m->name_bytes = 0;
    out->m->sensors = out->m->readings = 0;
    const thud_status status = cut(&c, out);
    thud_free(c.room);
    if (status != THUD_OK) {
        thud_model_part_free(out);
    }
    return status;
}

void thud_model_part_free(thud_model_part *part)
{
    thud_model_destroy(part->m);
    int *const lists[] = {part->body,     part->geom,       part->equality,
                          part->actuator, part->activation, part->sensor};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        thud_free(lists[i]);
    }
    *part = (thud_model_part){0};
}
