// SPDX-License-Identifier: Apache-2.0
// vary.c: a model's spec with other numbers in it, and the model of that. Meshes, hulls and height fields are those of the source;
// all else is built as it always is, so that a variant has the bits that a file with its numbers would have given.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <thud/base_words.h>
#include <thud/model_vary.h>

#include "attributes.h"

typedef struct variation {
    const thud_model *of;
    thud_spec spec;
    void *own[VARIED_KINDS];
    thud_diag *diag;
} variation;

typedef struct setting_name { // TYPE/NAME.ATTRIBUTE, taken apart
    const attribute_kind *kind;
    const attribute *attribute;
    char name[256];
    int number; // -1: by its name
} setting_name;

// ---------------------------------------------------------------------------------------------- names

static thud_status unknown(thud_diag *diag, const char *setting, const char *what, const char *word,
                           const char *meant)
{
    return thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0, "%.200s: %s '%.100s'%s%.100s%s", setting, what,
                     word, meant ? "; did you mean '" : "", meant ? meant : "", meant ? "'?" : "");
}

static thud_status find_kind(const char *setting, const char *word, const attribute_kind **out,
                             thud_diag *diag)
{
    for (int k = 0; k < ATTRIBUTE_KINDS; k++) {
        *out = &model_attribute_kinds[k];
        if (strcmp((*out)->word, word) == 0) {
            return THUD_OK;
        }
    }
    const char *meant = NULL;
    for (int k = 0; k < ATTRIBUTE_KINDS && !meant; k++) {
        const char *kind = model_attribute_kinds[k].word;
        meant = thud_word_is_near(word, kind) ? kind : NULL;
    }
    return unknown(diag, setting, "there is no kind of element called", word, meant);
}

static thud_status no_attribute(const char *setting, const char *word, const attribute_kind *kind,
                                thud_diag *diag)
{
    char list[320] = "";
    size_t used = 0;
    for (int k = 0; k < kind->attributes; k++) {
        const char *given = kind->attribute[k].word;
        if (thud_word_is_near(word, given)) {
            return unknown(diag, setting, "no attribute is called", word, given);
        }
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "", given);
    }
    return thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0,
                     "%.100s: no attribute is called '%.60s'; there are %s", setting, word, list);
}

static thud_status find_attribute(const char *setting, const char *word, setting_name *n, thud_diag *diag)
{
    for (int k = 0; k < n->kind->attributes; k++) {
        n->attribute = &n->kind->attribute[k];
        if (strcmp(n->attribute->word, word) == 0) {
            return THUD_OK;
        }
    }
    return no_attribute(setting, word, n->kind, diag);
}

// #7 to 7; -1 where it is no number.
static int read_number(const char *name)
{
    int number = 0, digits = 0;
    for (const char *c = name + 1; name[0] == '#' && *c >= '0' && *c <= '9' && digits < 9; c++, digits++) {
        number = 10 * number + (*c - '0');
    }
    return digits > 0 && name[digits + 1] == '\0' ? number : -1;
}

static thud_status take_apart(const char *setting, setting_name *n, thud_diag *diag)
{
    const char *slash = strchr(setting, '/'), *dot = strrchr(setting, '.');
    char kind[32] = "";
    const bool option = strncmp(setting, "option.", 7) == 0;
    const char *name = option ? dot : slash ? slash + 1 : NULL;
    if (!dot || !name || dot < name || (size_t)(dot - name) >= sizeof n->name) {
        return thud_fail(
            THUD_BAD_ARGUMENT, diag, NULL, 0, 0,
            "'%.200s' is no setting: it is TYPE/NAME.ATTRIBUTE, as geom/floor.friction, or option.gravity",
            setting);
    }
    snprintf(kind, sizeof kind, "%.*s", (int)((option ? dot : slash) - setting), setting);
    snprintf(n->name, sizeof n->name, "%.*s", (int)(dot - name), name);
    n->number = read_number(n->name);
    THUD_TRY(find_kind(setting, kind, &n->kind, diag));
    return find_attribute(setting, dot + 1, n, diag);
}

// The index in the spec of joint or site i of the model, which are grouped by body.
static int spec_index(const attribute_kind *kind, const thud_model *m, thud_spec *spec, int i)
{
    const bool joint = kind->own == VARIED_joint;
    const int *bodies = joint ? m->joint_body : m->site_body;
    int before = 0; // of the same body
    for (int k = i - 1; k >= 0 && bodies[k] == bodies[i]; k--) {
        before++;
    }
    const int count = attribute_elements(kind, spec);
    for (int e = 0; e < count; e++) {
        const int body = joint ? spec->joint[e].body : spec->site[e].body;
        if (body == bodies[i] && before-- == 0) {
            return e;
        }
    }
    return -1;
}

static int element_of_number(const setting_name *n, const thud_model *m, thud_spec *spec)
{
    if (n->number >= attribute_elements(n->kind, spec)) {
        return -1;
    }
    return n->kind->own == VARIED_geom ? m->geom_spec[n->number]
           : n->kind->own == VARIED_joint || n->kind->own == VARIED_site
               ? spec_index(n->kind, m, spec, n->number)
               : n->number;
}

// The next element from `from` on that is meant, or -1.
static int next_element(const setting_name *n, const thud_model *m, thud_spec *spec, int from)
{
    const int count = attribute_elements(n->kind, spec);
    if (n->kind->own < 0) {
        return from == 0 ? 0 : -1;
    }
    if (n->number >= 0) {
        const int element = element_of_number(n, m, spec);
        return from <= element ? element : -1;
    }
    const bool pattern = strpbrk(n->name, "*?") != NULL;
    for (int i = from; i < count; i++) {
        const char *name = attribute_name_of(n->kind, spec, i);
        if (pattern ? thud_word_matches(name ? name : "", n->name) : name && strcmp(name, n->name) == 0) {
            return i;
        }
    }
    return -1;
}

static thud_status no_element(const setting_name *n, thud_spec *spec, const char *setting, thud_diag *diag)
{
    const char *meant = NULL;
    char what[64];
    const int count = attribute_elements(n->kind, spec);
    for (int i = 0; i < count && !meant; i++) {
        const char *name = attribute_name_of(n->kind, spec, i);
        meant = name && thud_word_is_near(n->name, name) ? name : NULL;
    }
    snprintf(what, sizeof what, "no %s is called", n->kind->word);
    return n->number < 0 ? unknown(diag, setting, what, n->name, meant)
                         : thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0, "%.200s: there are %d of them",
                                     setting, count);
}

// ---------------------------------------------------------------------------------------------- setting

static bool keeps_inertial(const thud_spec *s, int body)
{
    return s->body[body].has_inertial || s->compiler.inertiafromgeom == THUD_TRUE;
}

// What a body without an inertial has from its geoms, as one.
static void give_inertial(const thud_model *m, int body, thud_spec_body *b)
{
    const thud_inertia I = m->body_inertia[body];
    b->has_inertial = true;
    b->mass = I.mass;
    b->ipos = I.com;
    b->iquat = (thud_quat){1, 0, 0, 0};
    memcpy(b->inertia, I.I, sizeof b->inertia);
}

// The array that is written to becomes one of the variant's own.
static thud_status make_own(variation *v, const attribute_kind *kind)
{
    if (kind->own < 0 || v->own[kind->own]) {
        return THUD_OK;
    }
    const size_t count = (size_t)attribute_elements(kind, &v->spec);
    void *own = thud_alloc(count, kind->size), **array = (void **)(void *)((char *)&v->spec + kind->array);
    if (!own) {
        return thud_fail(THUD_NO_MEMORY, v->diag, NULL, 0, 0, "memory ran out while varying the model");
    }
    memcpy(own, *array, count * kind->size);
    v->own[kind->own] = *array = own;
    return THUD_OK;
}

static bool is_inertial(const attribute *a)
{
    return a->meaning == ATTRIBUTE_INERTIAL || a->meaning == ATTRIBUTE_IQUAT ||
           a->meaning == ATTRIBUTE_INERTIA;
}

static thud_status check_numbers(const setting_name *n, const thud_setting *s, thud_diag *diag)
{
    const attribute *a = n->attribute;
    if (s->count < a->least || s->count > a->most) {
        char range[32] = "";
        if (a->least < a->most) {
            snprintf(range, sizeof range, "%d to ", a->least);
        }
        return thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0, "%.200s takes %s%d number%s; %d given", s->name,
                         range, a->most, a->most == 1 ? "" : "s", s->count);
    }
    for (int k = 0; k < s->count; k++) {
        if (!isfinite(s->value[k])) {
            return thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0, "%.200s: a number is not finite", s->name);
        }
    }
    return THUD_OK;
}

static thud_status set_element(variation *v, const setting_name *n, const thud_setting *s, int i)
{
    thud_diag why = {.text = ""};
    thud_status status = THUD_OK;
    if (n->kind->own == VARIED_body && i == 0) {
        status = thud_fail(THUD_BAD_ARGUMENT, &why, NULL, 0, 0, "the world has none");
    } else if (is_inertial(n->attribute) && !keeps_inertial(&v->spec, i)) {
        give_inertial(v->of, i, &v->spec.body[i]);
    } else if (is_inertial(n->attribute) && v->spec.compiler.inertiafromgeom == THUD_TRUE) {
        status = thud_fail(THUD_BAD_ARGUMENT, &why, NULL, 0, 0,
                           "masses come from geoms (compiler inertiafromgeom)");
    }
    status = status == THUD_OK ? attribute_set(n->kind, n->attribute, &v->spec, i, s->value, s->count, &why)
                               : status;
    return status == THUD_OK ? status
                             : thud_fail(status, v->diag, NULL, 0, 0, "%.200s: %s", s->name, why.text);
}

static thud_status apply(variation *v, const thud_setting *s)
{
    setting_name n;
    THUD_TRY(take_apart(s->name, &n, v->diag));
    THUD_TRY(check_numbers(&n, s, v->diag));
    const bool all = n.kind->own == VARIED_body && strpbrk(n.name, "*?"); // but for the world
    int i = next_element(&n, v->of, &v->spec, all ? 1 : 0);
    if (i < 0) {
        return no_element(&n, &v->spec, s->name, v->diag);
    }
    THUD_TRY(make_own(v, n.kind));
    for (; i >= 0; i = next_element(&n, v->of, &v->spec, i + 1)) {
        THUD_TRY(set_element(v, &n, s, i));
    }
    return THUD_OK;
}

// ---------------------------------------------------------------------------------------------- the variant

// Arrays that belong to the model that is varied, and not to the source, are copied: the variant may outlive it.
static thud_status make_all_own(variation *v)
{
    const struct thud_model_store *store = v->of->store;
    for (int k = 1; k < ATTRIBUTE_KINDS; k++) {
        const attribute_kind *kind = &model_attribute_kinds[k];
        THUD_TRY(store->own[kind->own] ? make_own(v, kind) : THUD_OK);
    }
    return THUD_OK;
}

static thud_status build(variation *v, thud_model **out)
{
    builder b = {.spec = &v->spec, .source = v->of->store->source, .varies = true, .diag = v->diag};
    b.mesh = thud_alloc((size_t)v->spec.meshes, sizeof *b.mesh);
    if (!b.mesh) {
        return thud_fail(THUD_NO_MEMORY, v->diag, NULL, 0, 0, "memory ran out while varying the model");
    }
    memcpy(b.mesh, b.source->mesh, (size_t)v->spec.meshes * sizeof *b.mesh);
    const thud_status status = model_build(&b, out);
    thud_free(b.mesh);
    if (status == THUD_OK) {
        (*out)->store->spec = v->spec;
        memcpy((*out)->store->own, v->own, sizeof v->own);
        memset(v->own, 0, sizeof v->own);
    }
    return status;
}

static thud_status check_source(const thud_model *m, thud_diag *diag)
{
    return m->store && m->store->source
               ? THUD_OK
               : thud_fail(THUD_UNSUPPORTED, diag, NULL, 0, 0, "a part of a model does not know its spec");
}

thud_status thud_model_vary(const thud_model *m, const thud_setting *setting, int settings, thud_model **out,
                            thud_diag *diag)
{
    *out = NULL;
    THUD_TRY(check_source(m, diag));
    variation v = {.of = m, .spec = m->store->spec, .diag = diag};
    thud_status status = make_all_own(&v);
    for (int k = 0; k < settings && status == THUD_OK; k++) {
        status = apply(&v, &setting[k]);
    }
    status = status == THUD_OK ? build(&v, out) : status;
    for (int k = 0; k < VARIED_KINDS; k++) {
        thud_free(v.own[k]);
    }
    return status;
}

thud_status thud_model_setting(const thud_model *m, const char *name, double value[THUD_SETTING_NUMBERS],
                               int *count, thud_diag *diag)
{
    setting_name n;
    *count = 0;
    THUD_TRY(check_source(m, diag));
    thud_spec spec = m->store->spec;
    THUD_TRY(take_apart(name, &n, diag));
    const int i = next_element(&n, m, &spec, 0);
    if (i < 0) {
        return no_element(&n, &spec, name, diag);
    }
    thud_spec_body body;
    const char *element = attribute_element(n.kind, &spec, i);
    if (is_inertial(n.attribute) && !keeps_inertial(&spec, i)) {
        body = spec.body[i];
        give_inertial(m, i, &body);
        element = (const char *)&body;
    }
    *count = attribute_get(n.attribute, element, value);
    return THUD_OK;
}
