// SPDX-License-Identifier: Apache-2.0
// spec.c: the growing arrays of a spec, their default values, and its interned strings.
#include <math.h>
#include <string.h>

#include <thud/spec_elements.h>

#include "store.h"

static const thud_quat identity = {1, 0, 0, 0};

thud_status thud_spec_create(thud_spec **out)
{
    *out = NULL;
    thud_spec *spec = thud_alloc(1, sizeof *spec);
    if (!spec) {
        return THUD_NO_MEMORY;
    }
    spec->store = thud_alloc(1, sizeof *spec->store);
    if (!spec->store || thud_spec_add_body(spec, -1, "world") != 0) {
        thud_spec_destroy(spec);
        return THUD_NO_MEMORY;
    }
    spec->compiler = (thud_spec_compiler){
        .inertiafromgeom = THUD_AUTO, .inertiagrouprange = {0, 5}, .settotalmass = -1, .autolimits = true};
    spec->option = (thud_spec_option){.timestep = 0.002,
                                      .gravity = {0, 0, -9.81},
                                      .magnetic = {0, -0.5, 0},
                                      .impratio = 1,
                                      .gravity_on = true,
                                      .contact_on = true,
                                      .limit_on = true,
                                      .frictionloss_on = true,
                                      .spring_on = true,
                                      .damper_on = true,
                                      .equality_on = true,
                                      .actuation_on = true,
                                      .passive_on = true,
                                      .clampctrl_on = true,
                                      .filterparent_on = true,
                                      .sensor_on = true};
    *out = spec;
    return THUD_OK;
}

void thud_spec_destroy(thud_spec *spec)
{
    if (!spec) {
        return;
    }
    for (int i = 0; i < spec->meshes; i++) {
        thud_free(spec->mesh[i].vertex);
        thud_free(spec->mesh[i].triangle);
    }
    for (int i = 0; i < spec->keys; i++) {
        thud_spec_key *k = &spec->key[i];
        double *const arrays[] = {k->qpos, k->qvel, k->act, k->ctrl, k->mpos, k->mquat};
        for (int j = 0; j < 6; j++) {
            thud_free(arrays[j]);
        }
    }
    for (int i = 0; i < spec->customs; i++) {
        thud_free(spec->custom[i].number);
    }
    for (int i = 0; i < spec->hfields; i++) {
        thud_free(spec->hfield[i].elevation);
    }
    void *const arrays[] = {spec->body, spec->joint,    spec->geom,     spec->site,
                            spec->mesh, spec->key,      spec->custom,   spec->note,
                            spec->pair, spec->exclude,  spec->hfield,   spec->tendon,
                            spec->wrap, spec->equality, spec->actuator, spec->sensor};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        thud_free(arrays[i]);
    }
    if (spec->store) {
        for (int i = 0; i < spec->store->strings; i++) {
            thud_free(spec->store->string[i]);
        }
        thud_free(spec->store->string);
        thud_free(spec->store->slot);
        thud_free(spec->store);
    }
    thud_free(spec);
}

// ---------------------------------------------------------------------------------------------- strings

static int slot_of(const struct thud_spec_store *s, const char *text)
{
    uint64_t h = thud_hash(THUD_HASH_START, text, strlen(text));
    int i = (int)(h % (uint64_t)s->slots);
    while (s->slot[i] >= 0 && strcmp(s->string[s->slot[i]], text) != 0) {
        i = (i + 1) % s->slots;
    }
    return i;
}

static bool rehash(struct thud_spec_store *s)
{
    const int slots = s->slots ? 2 * s->slots : 64;
    int *slot = thud_alloc((size_t)slots, sizeof *slot);
    if (!slot) {
        return false;
    }
    thud_free(s->slot);
    s->slot = slot;
    s->slots = slots;
    memset(slot, 0xff, (size_t)slots * sizeof *slot); // all -1
    for (int i = 0; i < s->strings; i++) {
        slot[slot_of(s, s->string[i])] = i;
    }
    return true;
}

const char *thud_spec_intern(thud_spec *spec, const char *text)
{
    struct thud_spec_store *s = spec->store;
    if (!text || (2 * (s->strings + 1) > s->slots && !rehash(s))) {
        return NULL;
    }
    const int i = slot_of(s, text);
    if (s->slot[i] >= 0) {
        return s->string[s->slot[i]];
    }
    if (!thud_grow((void **)&s->string, &s->string_cap, s->strings, sizeof *s->string)) {
        return NULL;
    }
    char *copy = thud_strdup(text);
    if (!copy) {
        return NULL;
    }
    s->slot[i] = s->strings;
    s->string[s->strings++] = copy;
    return copy;
}

// ---------------------------------------------------------------------------------------------- elements

int thud_spec_add_body(thud_spec *spec, int parent, const char *name)
{
    const char *interned = NULL;
    ADD(body, bodies, body_cap);
    spec->body[spec->bodies] =
        (thud_spec_body){.name = interned, .parent = parent, .quat = identity, .iquat = identity};
    return spec->bodies++;
}

int thud_spec_add_joint(thud_spec *spec, int body, thud_joint_type type, const char *name)
{
    const char *interned = NULL;
    ADD(joint, joints, joint_cap);
    spec->joint[spec->joints] = (thud_spec_joint){.name = interned,
                                                  .body = body,
                                                  .type = type,
                                                  .axis = {0, 0, 1},
                                                  .limited = THUD_AUTO,
                                                  .actfrclimited = THUD_AUTO,
                                                  .align = THUD_AUTO,
                                                  .solreflimit = {0.02, 1},
                                                  .solimplimit = {0.9, 0.95, 0.001, 0.5, 2},
                                                  .solreffriction = {0.02, 1},
                                                  .solimpfriction = {0.9, 0.95, 0.001, 0.5, 2}};
    return spec->joints++;
}

int thud_spec_add_geom(thud_spec *spec, int body, thud_geom_type type, const char *name)
{
    const char *interned = NULL;
    ADD(geom, geoms, geom_cap);
    spec->geom[spec->geoms] = (thud_spec_geom){.name = interned,
                                               .body = body,
                                               .type = type,
                                               .quat = identity,
                                               .mesh = -1,
                                               .hfield = -1,
                                               .mass = NAN,
                                               .density = 1000,
                                               .friction = {1, 0.005, 0.0001},
                                               .surface = {.kinetic = {NAN, NAN}},
                                               .condim = 3,
                                               .contype = 1,
                                               .conaffinity = 1,
                                               .solmix = 1,
                                               .fitscale = 1,
                                               .solref = {0.02, 1},
                                               .solimp = {0.9, 0.95, 0.001, 0.5, 2},
                                               .rgba = {0.5, 0.5, 0.5, 1}};
    return spec->geoms++;
}

int thud_spec_add_site(thud_spec *spec, int body, const char *name)
{
    const char *interned = NULL;
    ADD(site, sites, site_cap);
    spec->site[spec->sites] = (thud_spec_site){.name = interned,
                                               .body = body,
                                               .type = THUD_GEOM_SPHERE,
                                               .size = {0.005, 0.005, 0.005},
                                               .quat = identity,
                                               .rgba = {0.5, 0.5, 0.5, 1}};
    return spec->sites++;
}

int thud_spec_add_mesh(thud_spec *spec, const char *name)
{
    const char *interned = NULL;
    ADD(mesh, meshes, mesh_cap);
    spec->mesh[spec->meshes] =
        (thud_spec_mesh){.name = interned, .scale = {1, 1, 1}, .refquat = identity, .maxhullvert = -1};
    return spec->meshes++;
}

int thud_spec_add_key(thud_spec *spec, const char *name)
{
    const char *interned = NULL;
    ADD(key, keys, key_cap);
    spec->key[spec->keys] = (thud_spec_key){.name = interned};
    return spec->keys++;
}

int thud_spec_add_custom(thud_spec *spec, const char *name)
{
    const char *interned = NULL;
    ADD(custom, customs, custom_cap);
    spec->custom[spec->customs] = (thud_spec_custom){.name = interned};
    return spec->customs++;
}

int thud_spec_add_note(thud_spec *spec, thud_note_kind kind, const char *what, const char *why,
                       thud_place place)
{
    const char *interned = NULL, *name = what;
    ADD(note, notes, note_cap);
    const char *reason = thud_spec_intern(spec, why);
    if (!reason) {
        return -1;
    }
    spec->note[spec->notes] = (thud_spec_note){kind, interned, reason, place, 1};
    return spec->notes++;
}

const char *thud_spec_text(const thud_spec *spec, const char *name)
{
    for (int i = 0; i < spec->customs; i++) {
        if (spec->custom[i].text && spec->custom[i].name && strcmp(spec->custom[i].name, name) == 0) {
            return spec->custom[i].text;
        }
    }
    return NULL;
}
