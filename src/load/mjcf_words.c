// SPDX-License-Identifier: Apache-2.0
// mjcf_words.c: Thud's own words, which stand in <custom> so that a scene stays valid MJCF.
//
//     <text name="thud:KEY" data="..."/>             a choice of the whole scene
//     <numeric name="thud:KEY" data="..."/>          the same in numbers; of a surface: of every geom
//     <numeric name="thud:KEY:NAME" data="..."/>     of the geom or the <pair> of that name
//     <tuple name="thud:KEY"> <element objtype="geom" objname="..." prm="..."/>   of those geoms
//
// The general is applied before the particular, in whatever order they are written.
#include <math.h>
#include <string.h>

#include "mjcf_reader.h"

const mjcf_surface_word mjcf_surface_words[MJCF_SURFACE_WORDS] = {
    {"restitution", 1, 1, offsetof(thud_spec_surface, restitution), 1},
    {"friction-kinetic", 1, 2, offsetof(thud_spec_surface, kinetic), INFINITY},
    {"friction-viscous", 1, 1, offsetof(thud_spec_surface, viscous), INFINITY},
    {"friction-stribeck", 1, 1, offsetof(thud_spec_surface, stribeck), INFINITY},
    {"friction-axis", 3, 3, MJCF_AXIS, INFINITY},
};

// Choices that the step's options take from the model (thud_model_text, thud_model_numbers).
static const char *const choices[] = {"integrator",  "law",    "directions",        "solver",
                                      "coordinates", "scheme", "collisions",        "impact",
                                      "tolerance",   "rho",    "restitution-speed", NULL};

// ---------------------------------------------------------------------------------------------- surfaces

// The word of a name "thud:KEY" or "thud:KEY:NAME"; *whose is then NAME, or NULL.
static const mjcf_surface_word *find_surface(const char *name, const char **whose)
{
    const char *key = name + strlen("thud:"), *colon = strchr(key, ':');
    const size_t length = colon ? (size_t)(colon - key) : strlen(key);
    *whose = colon ? colon + 1 : NULL;
    for (int i = 0; i < MJCF_SURFACE_WORDS; i++) {
        const mjcf_surface_word *w = &mjcf_surface_words[i];
        if (strlen(w->key) == length && strncmp(w->key, key, length) == 0) {
            return w;
        }
    }
    return NULL;
}

static thud_status check_numbers(mjcf_reader *r, const mjcf_surface_word *w, const double *x, int count,
                                 thud_place place)
{
    if (count < w->least || count > w->most) {
        return MJCF_FAIL(r, THUD_BAD_FILE, place, "thud:%s takes %d%s, not %d", w->key, w->least,
                         w->most > w->least ? " or 2 numbers"
                         : w->least > 1     ? " numbers"
                                            : " number",
                         count);
    }
    for (int k = 0; k < count && w->offset != MJCF_AXIS; k++) {
        if (!(x[k] >= 0 && x[k] <= w->largest)) {
            return MJCF_FAIL(r, THUD_BAD_FILE, place, "thud:%s is %g; it must be %s", w->key, x[k],
                             isinf(w->largest) ? "at least 0" : "between 0 and 1");
        }
    }
    return THUD_OK;
}

static void put_surface(const mjcf_surface_word *w, const double *x, int count, thud_spec_surface *to)
{
    double *at = (double *)((char *)to + w->offset);
    for (int k = 0; k < w->most; k++) {
        at[k] = x[k < count ? k : count - 1];
    }
}

static void put_geom(const mjcf_surface_word *w, const double *x, int count, thud_spec_geom *geom)
{
    if (w->offset == MJCF_AXIS) {
        geom->friction_axis = v3(x[0], x[1], x[2]);
    } else {
        put_surface(w, x, count, &geom->surface);
    }
}

// <numeric name="thud:KEY:NAME">: NAME is a geom or a pair, not both.
static thud_status put_named(mjcf_reader *r, const mjcf_surface_word *w, const thud_spec_custom *c,
                             const char *whose)
{
    const int geom = mjcf_name_find(r, MJCF_SPACE_GEOM, whose),
              pair = mjcf_name_find(r, MJCF_SPACE_PAIR, whose);
    if ((geom < 0) == (pair < 0)) {
        return MJCF_FAIL(r, THUD_BAD_FILE, c->place,
                         geom < 0 ? "there is no geom and no pair named \"%.80s\""
                                  : "a geom and a pair are both named \"%.80s\"",
                         whose);
    }
    if (pair >= 0 && w->offset == MJCF_AXIS) {
        return MJCF_FAIL(r, THUD_BAD_FILE, c->place,
                         "thud:friction-axis is fixed in a body; name a geom of the pair \"%.80s\"", whose);
    }
    if (pair >= 0) {
        put_surface(w, c->number, c->count, &r->spec->pair[pair].surface);
    } else {
        put_geom(w, c->number, c->count, &r->spec->geom[geom]);
    }
    return THUD_OK;
}

thud_status mjcf_apply_numerics(mjcf_reader *r, bool particular)
{
    for (int i = 0; i < r->spec->customs; i++) {
        const thud_spec_custom *c = &r->spec->custom[i];
        const char *whose = NULL;
        const mjcf_surface_word *w = !c->text && mjcf_is_own(c->name) ? find_surface(c->name, &whose) : NULL;
        if (!w || (whose != NULL) != particular) {
            continue;
        }
        THUD_TRY(check_numbers(r, w, c->number, c->count, c->place));
        THUD_TRY(whose ? put_named(r, w, c, whose) : THUD_OK);
        for (int g = 0; !whose && g < r->spec->geoms; g++) {
            put_geom(w, c->number, c->count, &r->spec->geom[g]);
        }
    }
    return THUD_OK;
}

// ---------------------------------------------------------------------------------------------- tuples

static thud_status put_element(mjcf_reader *r, const mjcf_surface_word *w, int n)
{
    draft_custom d = {0};
    int geom;
    THUD_TRY(mjcf_read_attributes(r, n, &d));
    if (strcmp(d.objtype, "geom") != 0) {
        return MJCF_FAIL(r, THUD_BAD_FILE, mjcf_place(r, n, "objtype"),
                         "thud:%s is of geoms; objtype is \"%.80s\"", w->key, d.objtype);
    }
    THUD_TRY(mjcf_name_ask(r, MJCF_SPACE_GEOM, d.objname, mjcf_place(r, n, "objname"), &geom));
    THUD_TRY(check_numbers(r, w, &d.prm, 1, mjcf_place(r, n, "prm")));
    put_surface(w, &d.prm, 1, &r->spec->geom[geom].surface);
    return THUD_OK;
}

static thud_status put_tuple(mjcf_reader *r, int n)
{
    const xml_attribute *name = xml_find(mjcf_node(r, n), "name");
    if (mjcf_node(r, n)->element->role != MJCF_ROLE_TUPLE || !name || !mjcf_is_own(name->value)) {
        return THUD_OK;
    }
    const char *whose = NULL;
    const mjcf_surface_word *w = find_surface(name->value, &whose);
    for (int e = mjcf_node(r, n)->first; w && w->offset != MJCF_AXIS && e >= 0; e = mjcf_node(r, e)->next) {
        THUD_TRY(put_element(r, w, e));
    }
    return THUD_OK;
}

static thud_status put_tuples(mjcf_reader *r)
{
    for (int s = mjcf_node(r, 0)->first; s >= 0; s = mjcf_node(r, s)->next) {
        for (int n = mjcf_node(r, s)->first; mjcf_node(r, s)->element->role == MJCF_ROLE_CUSTOM && n >= 0;
             n = mjcf_node(r, n)->next) {
            THUD_TRY(put_tuple(r, n));
        }
    }
    return THUD_OK;
}

// ---------------------------------------------------------------------------------------------- all

bool mjcf_is_own(const char *name)
{
    return strncmp(name, "thud:", 5) == 0;
}

thud_status mjcf_check_word(mjcf_reader *r, mjcf_role role, const char *name, thud_place place)
{
    if (!mjcf_is_own(name)) {
        return role != MJCF_ROLE_TUPLE || mjcf_remember(r, MJCF_REMARK_TUPLE, place) ? THUD_OK
                                                                                     : THUD_NO_MEMORY;
    }
    const char *whose = NULL;
    const mjcf_surface_word *w = find_surface(name, &whose);
    bool known = w && (role == MJCF_ROLE_NUMERIC || (role == MJCF_ROLE_TUPLE && !whose && w->least == 1));
    for (int i = 0; choices[i] && role != MJCF_ROLE_TUPLE; i++) {
        known |= strcmp(name + strlen("thud:"), choices[i]) == 0;
    }
    return known || mjcf_remember(r, MJCF_REMARK_WORDS, place) ? THUD_OK : THUD_NO_MEMORY;
}

thud_status mjcf_apply_words(mjcf_reader *r)
{
    THUD_TRY(mjcf_apply_numerics(r, false));
    THUD_TRY(put_tuples(r));
    return mjcf_apply_numerics(r, true);
}
