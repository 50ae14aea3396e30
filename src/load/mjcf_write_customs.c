// SPDX-License-Identifier: Apache-2.0
// mjcf_write_customs.c: custom data and keyframes; and the surfaces that the custom data do not tell yet.
//
// Numerics are kept in a spec, and say of surfaces what they said; tuples are not, and a spec made in code
// may have surfaces without either. So the numerics are applied to a copy without surfaces, and what then
// still differs is written: as tuples, or as numerics where a tuple has no room for it.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mjcf_write.h"

static const mjcf_element *const *children_of(const char *section)
{
    return mjcf_find_child(mjcf_sections, section)->child;
}

// ---------------------------------------------------------------------------------------------- surfaces

thud_status mjcf_find_told(mjcf_writer *w)
{
    static const thud_spec_surface plain = {0, {NAN, NAN}, 0, 0}, open = {NAN, {NAN, NAN}, NAN, NAN};
    thud_spec *own = w->scratch.spec;
    THUD_TRY(thud_spec_copy(w->spec, &w->told));
    for (int i = 0; i < w->told->geoms; i++) {
        w->told->geom[i].surface = plain;
        w->told->geom[i].friction_axis = v3(0, 0, 0);
    }
    for (int i = 0; i < w->told->pairs; i++) {
        w->told->pair[i].surface = open;
    }
    w->scratch.spec = w->told;
    w->scratch.diag = w->diag;
    thud_status status = mjcf_apply_numerics(&w->scratch, false);
    status = status == THUD_OK ? mjcf_apply_numerics(&w->scratch, true) : status;
    w->scratch.spec = own;
    return status;
}

// The numbers of the k-th surface word; how many.
static int numbers_of(const thud_spec *spec, int k, bool pair, int i, double x[3])
{
    const mjcf_surface_word *word = &mjcf_surface_words[k];
    if (word->offset == MJCF_AXIS) {
        const vec3 axis = pair ? v3(0, 0, 0) : spec->geom[i].friction_axis;
        memcpy(x, &axis, sizeof axis);
    } else {
        const thud_spec_surface *surface = pair ? &spec->pair[i].surface : &spec->geom[i].surface;
        memcpy(x, (const char *)surface + word->offset, (size_t)word->most * sizeof *x);
    }
    return word->most;
}

static bool is_same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

bool mjcf_is_untold(const mjcf_writer *w, int k, bool pair, int i)
{
    double x[3], told[3];
    bool same = true;
    const int count = numbers_of(w->spec, k, pair, i, x);
    numbers_of(w->told, k, pair, i, told);
    for (int n = 0; n < count; n++) {
        same &= is_same(x[n], told[n]);
    }
    return !same;
}

static bool fits_tuple(int k, const double *x)
{
    return mjcf_surface_words[k].least == 1 && (mjcf_surface_words[k].most == 1 || x[0] == x[1]);
}

static void write_numeric(mjcf_writer *w, const char *name, double *x, int count)
{
    const draft_custom base = {.size = -1};
    draft_custom d = base;
    d.head.name = name;
    d.numbers = (mjcf_list){count, x};
    mjcf_put(w, mjcf_find_child(children_of("custom"), "numeric"), &d, &base);
}

static void write_numerics_of(mjcf_writer *w, int k, bool pair, int i)
{
    double x[3];
    const int count = numbers_of(w->spec, k, pair, i, x);
    const char *whose = w->name[pair ? KEPT_PAIR : KEPT_GEOM][i], *key = mjcf_surface_words[k].key;
    const size_t size = strlen(key) + strlen(whose) + sizeof "thud::";
    char *name = pool_push(&w->scratch.tree.pool, size, 1);
    if (!name) {
        mjcf_fail_writing(w, THUD_NO_MEMORY);
        return;
    }
    snprintf(name, size, "thud:%s:%s", key, whose);
    write_numeric(w, name, x, count);
}

static void write_tuple(mjcf_writer *w, int k)
{
    char name[64];
    bool begun = false;
    const mjcf_element *tuple = mjcf_find_child(children_of("custom"), "tuple");
    snprintf(name, sizeof name, "thud:%s", mjcf_surface_words[k].key);
    for (int i = 0; i < w->spec->geoms; i++) {
        double x[3];
        numbers_of(w->spec, k, false, i, x);
        if (!mjcf_is_untold(w, k, false, i) || !fits_tuple(k, x)) {
            continue;
        }
        if (!begun) {
            mjcf_begin(w, tuple, &(draft_custom){.head = {.name = name}}, &(draft_custom){0});
            begun = true;
        }
        const draft_custom d = {.objtype = "geom", .objname = w->name[KEPT_GEOM][i], .prm = x[0]};
        mjcf_put(w, mjcf_find_child(tuple->child, "element"), &d, &(draft_custom){.prm = NAN});
    }
    if (begun) {
        mjcf_end(w, tuple->name);
    }
}

static void write_surfaces(mjcf_writer *w)
{
    for (int k = 0; k < MJCF_SURFACE_WORDS; k++) {
        write_tuple(w, k);
        for (int i = 0; i < w->spec->geoms; i++) {
            double x[3];
            numbers_of(w->spec, k, false, i, x);
            if (mjcf_is_untold(w, k, false, i) && !fits_tuple(k, x)) {
                write_numerics_of(w, k, false, i);
            }
        }
        for (int i = 0; i < w->spec->pairs; i++) {
            if (mjcf_is_untold(w, k, true, i)) {
                write_numerics_of(w, k, true, i);
            }
        }
    }
}

static bool has_untold(const mjcf_writer *w)
{
    for (int k = 0; k < MJCF_SURFACE_WORDS; k++) {
        for (int i = 0; i < w->spec->geoms; i++) {
            if (mjcf_is_untold(w, k, false, i)) {
                return true;
            }
        }
        for (int i = 0; i < w->spec->pairs; i++) {
            if (mjcf_is_untold(w, k, true, i)) {
                return true;
            }
        }
    }
    return false;
}

// ---------------------------------------------------------------------------------------------- sections

void mjcf_write_customs(mjcf_writer *w)
{
    if (!w->spec->customs && !has_untold(w)) {
        return;
    }
    mjcf_begin_section(w, "custom");
    for (int i = 0; i < w->spec->customs; i++) {
        const thud_spec_custom *c = &w->spec->custom[i];
        if (c->text) {
            const draft_custom d = {.head = {.name = c->name}, .text = c->text};
            mjcf_put(w, mjcf_find_child(children_of("custom"), "text"), &d, &(draft_custom){0});
        } else {
            write_numeric(w, c->name, c->number, c->count);
        }
    }
    write_surfaces(w);
    mjcf_end(w, "custom");
}

void mjcf_write_keys(mjcf_writer *w)
{
    if (!w->spec->keys) {
        return;
    }
    mjcf_begin_section(w, "keyframe");
    for (int i = 0; i < w->spec->keys; i++) {
        const thud_spec_key *k = &w->spec->key[i];
        const draft_key d = {.head = {.name = k->name},
                             .time = k->time,
                             .qpos = {k->nqpos, k->qpos},
                             .qvel = {k->nqvel, k->qvel},
                             .act = {k->nact, k->act},
                             .ctrl = {k->nctrl, k->ctrl},
                             .mpos = {k->nmpos, k->mpos},
                             .mquat = {k->nmquat, k->mquat}};
        mjcf_put(w, mjcf_find_child(children_of("keyframe"), "key"), &d, &(draft_key){0});
    }
    mjcf_end(w, "keyframe");
}
