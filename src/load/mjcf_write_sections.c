// SPDX-License-Identifier: Apache-2.0
// mjcf_write_sections.c: settings, assets, contact pairs and excludes, tendons, equalities, actuators, sensors.
#include <string.h>

#include "mjcf_write.h"

#define NAME_OF(kind, index) ((index) >= 0 ? w->name[kind][index] : NULL)

// autolimits is always told: its default has changed between versions of MuJoCo.
void mjcf_write_settings(mjcf_writer *w)
{
    thud_spec *plain = w->scratch.spec; // MJCF's defaults
    const draft_compiler compiler = {.to = w->spec->compiler};
    draft_compiler no_compiler = {.to = plain->compiler, .degrees = 1};
    no_compiler.to.autolimits = !compiler.to.autolimits;
    const draft_option option = {.to = w->spec->option, .constraint_on = true},
                       no_option = {.to = plain->option, .constraint_on = true};
    mjcf_put(w, &mjcf_compiler, &compiler, &no_compiler);
    const mjcf_element *flag = mjcf_find_child(mjcf_option.child, "flag");
    if (mjcf_tells(flag, &option, &no_option)) {
        mjcf_begin(w, &mjcf_option, &option, &no_option);
        mjcf_put(w, flag, &option, &no_option);
        mjcf_end(w, mjcf_option.name);
    } else if (mjcf_tells(&mjcf_option, &option, &no_option)) {
        mjcf_put(w, &mjcf_option, &option, &no_option);
    }
}

// ---------------------------------------------------------------------------------------------- assets

static void write_mesh(mjcf_writer *w, int i)
{
    draft_mesh d = {.head = {.name = w->name[KEPT_MESH][i]}, .to = w->spec->mesh[i]};
    const int corners = 3 * d.to.triangles;
    if (d.to.file) {
        d.file = mjcf_relative(w, d.to.file);
    } else {
        d.vertex = (mjcf_list){3 * d.to.vertices, d.to.vertex};
        d.face = (mjcf_list){corners, pool_push(&w->scratch.tree.pool, (size_t)corners + 1, sizeof(double))};
    }
    if (!d.file && !d.face.value) {
        mjcf_fail_writing(w, THUD_NO_MEMORY);
        return;
    }
    for (int k = 0; !d.file && k < corners; k++) {
        d.face.value[k] = d.to.triangle[k];
    }
    mjcf_put(w, &mjcf_mesh, &d, mjcf_default_draft(w, MJCF_DRAFT_MESH));
}

// The text has the last row first: see copy_heights of mjcf_assets.c.
static void write_hfield(mjcf_writer *w, int i)
{
    draft_hfield d = {.head = {.name = w->name[KEPT_HFIELD][i]}, .to = w->spec->hfield[i]};
    const int rows = d.to.rows, columns = d.to.columns;
    if (d.to.file) {
        d.file = mjcf_relative(w, d.to.file);
    } else {
        const size_t count = (size_t)rows * (size_t)columns;
        d.elevation = (mjcf_list){rows * columns, pool_push(&w->scratch.tree.pool, count, sizeof(double))};
    }
    if (!d.file && !d.elevation.value) {
        mjcf_fail_writing(w, THUD_NO_MEMORY);
        return;
    }
    for (int row = 0; !d.file && row < rows; row++) {
        memcpy(d.elevation.value + row * columns, d.to.elevation + (rows - 1 - row) * columns,
               (size_t)columns * sizeof(double));
    }
    mjcf_put(w, mjcf_find_child(mjcf_asset_children, "hfield"), &d, &(draft_hfield){0});
}

void mjcf_write_assets(mjcf_writer *w)
{
    if (!w->spec->meshes && !w->spec->hfields) {
        return;
    }
    mjcf_begin_section(w, "asset");
    for (int i = 0; i < w->spec->meshes; i++) {
        write_mesh(w, i);
    }
    for (int i = 0; i < w->spec->hfields; i++) {
        write_hfield(w, i);
    }
    mjcf_end(w, "asset");
}

// ---------------------------------------------------------------------------------------------- contact

static void write_contact(mjcf_writer *w)
{
    if (!w->spec->pairs && !w->spec->excludes) {
        return;
    }
    mjcf_begin_section(w, "contact");
    for (int i = 0; i < w->spec->pairs; i++) {
        const thud_spec_pair *p = &w->spec->pair[i];
        const draft_pair d = {.head = {.name = w->name[KEPT_PAIR][i]},
                              .to = *p,
                              .geom1 = NAME_OF(KEPT_GEOM, p->geom1),
                              .geom2 = NAME_OF(KEPT_GEOM, p->geom2)};
        mjcf_put(w, &mjcf_pair, &d, mjcf_default_draft(w, MJCF_DRAFT_PAIR));
    }
    for (int i = 0; i < w->spec->excludes; i++) {
        const thud_spec_exclude *e = &w->spec->exclude[i];
        const draft_pair d = {.head = {.name = e->name},
                              .body1 = NAME_OF(KEPT_BODY, e->body1),
                              .body2 = NAME_OF(KEPT_BODY, e->body2)};
        mjcf_put(w, mjcf_find_child(mjcf_contact_children, "exclude"), &d, &(draft_pair){0});
    }
    mjcf_end(w, "contact");
}

// ---------------------------------------------------------------------------------------------- tendons

static void write_station(mjcf_writer *w, const mjcf_element *tendon, const thud_spec_wrap *s)
{
    const mjcf_kept kind = s->type == THUD_WRAP_JOINT  ? KEPT_JOINT
                           : s->type == THUD_WRAP_SITE ? KEPT_SITE
                                                       : KEPT_GEOM;
    const draft_wrap d = {
        .object = NAME_OF(kind, s->object), .sidesite = NAME_OF(KEPT_SITE, s->sidesite), .coef = s->coef};
    mjcf_put(w, mjcf_variant(tendon->child, MJCF_ROLE_WRAP, (int)s->type), &d, &(draft_wrap){0});
}

static void write_tendons(mjcf_writer *w)
{
    if (!w->spec->tendons) {
        return;
    }
    mjcf_begin_section(w, "tendon");
    for (int i = 0; i < w->spec->tendons; i++) {
        const thud_spec_tendon *t = &w->spec->tendon[i];
        const draft_tendon d = {.head = {.name = w->name[KEPT_TENDON][i]}, .to = *t};
        const mjcf_element *element = mjcf_variant(mjcf_tendon_children, MJCF_ROLE_TENDON, t->spatial);
        mjcf_begin(w, element, &d, mjcf_default_draft(w, MJCF_DRAFT_TENDON));
        for (int k = 0; k < t->wraps; k++) {
            write_station(w, element, &w->spec->wrap[t->first + k]);
        }
        mjcf_end(w, element->name);
    }
    mjcf_end(w, "tendon");
}

// ---------------------------------------------------------------------------------------------- equalities

static void name_ends(const mjcf_writer *w, draft_equality *d)
{
    const thud_spec_equality *e = &d->to;
    if (e->type == THUD_EQUALITY_JOINT || e->type == THUD_EQUALITY_TENDON) {
        const mjcf_kept kind = e->type == THUD_EQUALITY_JOINT ? KEPT_JOINT : KEPT_TENDON;
        d->other1 = NAME_OF(kind, e->object1);
        d->other2 = NAME_OF(kind, e->object2);
    } else if (e->sites) {
        d->site1 = NAME_OF(KEPT_SITE, e->object1);
        d->site2 = NAME_OF(KEPT_SITE, e->object2);
    } else {
        d->body1 = NAME_OF(KEPT_BODY, e->object1);
        d->body2 = e->object2 ? NAME_OF(KEPT_BODY, e->object2) : NULL; // the world, if none is given
        d->head.given |= e->type == THUD_EQUALITY_CONNECT || v3_norm2(e->anchor) > 0 ? GIVEN_ANCHOR : 0;
    }
    if (e->has_relpose) {
        d->head.given |= GIVEN_RELPOSE;
        memcpy(d->relpose, &e->relpos, sizeof e->relpos);
        memcpy(d->relpose + 3, &e->relquat, sizeof e->relquat);
    }
}

static void write_equalities(mjcf_writer *w)
{
    if (!w->spec->equalities) {
        return;
    }
    mjcf_begin_section(w, "equality");
    for (int i = 0; i < w->spec->equalities; i++) {
        draft_equality d = {.head = {.name = w->spec->equality[i].name}, .to = w->spec->equality[i]};
        const mjcf_element *element =
            mjcf_variant(mjcf_equality_children, MJCF_ROLE_EQUALITY, (int)d.to.type);
        if (!element) {
            mjcf_fail_writing(w, thud_fail(THUD_UNSUPPORTED, w->diag, d.to.place.file, d.to.place.line,
                                           d.to.place.column,
                                           "MJCF has no word for a joint in maximal coordinates"));
            return;
        }
        name_ends(w, &d);
        mjcf_put(w, element, &d, mjcf_default_draft(w, MJCF_DRAFT_EQUALITY));
    }
    mjcf_end(w, "equality");
}

void mjcf_write_links(mjcf_writer *w)
{
    write_contact(w);
    write_tendons(w);
    write_equalities(w);
}

// ---------------------------------------------------------------------------------------------- actuators

static void name_target(const mjcf_writer *w, draft_actuator *d)
{
    static const struct {
        mjcf_kept kind;
        unsigned bit;
    } through[] = {[THUD_TRANSMISSION_JOINT] = {KEPT_JOINT, GIVEN_JOINT},
                   [THUD_TRANSMISSION_JOINT_IN_PARENT] = {KEPT_JOINT, GIVEN_PARENTJOINT},
                   [THUD_TRANSMISSION_TENDON] = {KEPT_TENDON, GIVEN_TENDON},
                   [THUD_TRANSMISSION_SITE] = {KEPT_SITE, GIVEN_SITE},
                   [THUD_TRANSMISSION_SLIDER_CRANK] = {KEPT_SITE, GIVEN_CRANKSITE},
                   [THUD_TRANSMISSION_BODY] = {KEPT_BODY, GIVEN_BODY}};
    d->head.given |= through[d->to.transmission].bit;
    d->target = NAME_OF(through[d->to.transmission].kind, d->to.target);
    d->refsite = NAME_OF(KEPT_SITE, d->to.refsite);
    d->slidersite = NAME_OF(KEPT_SITE, d->to.slidersite);
}

// All actuators are <general>. A damping ratio is a positive biasprm[2] of what has the gain and the bias of a servo.
static void write_actuator(mjcf_writer *w, int i)
{
    draft_actuator d = {.head = {.name = w->name[KEPT_ACTUATOR][i]}, .to = w->spec->actuator[i]};
    name_target(w, &d);
    d.head.given |= mjcf_is_range(d.to.ctrlrange) ? GIVEN_CTRLRANGE : 0;
    if (d.to.dampratio > 0) {
        d.to.biasprm[2] = d.to.dampratio;
    }
    mjcf_put(w, mjcf_variant(mjcf_actuator_children, MJCF_ROLE_ACTUATOR, MJCF_GENERAL), &d,
             mjcf_default_draft(w, MJCF_DRAFT_ACTUATOR));
}

// ---------------------------------------------------------------------------------------------- sensors

static const char *object_name(const mjcf_writer *w, thud_object type, int i)
{
    static const mjcf_kept kind[] = {
        [THUD_OBJECT_NONE] = KEPT_BODY,     [THUD_OBJECT_BODY] = KEPT_BODY,
        [THUD_OBJECT_XBODY] = KEPT_BODY,    [THUD_OBJECT_GEOM] = KEPT_GEOM,
        [THUD_OBJECT_SITE] = KEPT_SITE,     [THUD_OBJECT_JOINT] = KEPT_JOINT,
        [THUD_OBJECT_TENDON] = KEPT_TENDON, [THUD_OBJECT_ACTUATOR] = KEPT_ACTUATOR};
    return type == THUD_OBJECT_NONE ? NULL : NAME_OF(kind[type], i);
}

static void write_sensor(mjcf_writer *w, const thud_spec_sensor *s)
{
    const draft_sensor d = {.head = {.name = s->name},
                            .to = *s,
                            .object = object_name(w, s->object_type, s->object),
                            .reference = object_name(w, s->reference_type, s->reference),
                            .objtype = (int)s->object_type,
                            .reftype = (int)s->reference_type};
    mjcf_put(w, mjcf_variant(mjcf_sensor_children, MJCF_ROLE_SENSOR, (int)s->type), &d, &(draft_sensor){0});
}

void mjcf_write_drives(mjcf_writer *w)
{
    if (w->spec->actuators) {
        mjcf_begin_section(w, "actuator");
        for (int i = 0; i < w->spec->actuators; i++) {
            write_actuator(w, i);
        }
        mjcf_end(w, "actuator");
    }
    if (w->spec->sensors) {
        mjcf_begin_section(w, "sensor");
        for (int i = 0; i < w->spec->sensors; i++) {
            write_sensor(w, &w->spec->sensor[i]);
        }
        mjcf_end(w, "sensor");
    }
}
