// SPDX-License-Identifier: Apache-2.0
// source.c: what a model and its variants share, for as long as there is one of them.
#include "build.h"

// Height fields are built once: their numbers in the spec are not asked for again. Meshes may be drawn.
static void drop_numbers(thud_spec *s)
{
    for (int i = 0; i < s->hfields; i++) {
        thud_free(s->hfield[i].elevation);
        s->hfield[i].elevation = NULL;
    }
}

thud_status model_source_create(const thud_spec *spec, model_source **out)
{
    model_source *source = *out = thud_alloc(1, sizeof *source);
    if (!source) {
        return THUD_NO_MEMORY;
    }
    atomic_init(&source->users, 1);
    // Arrays of pointers. NOLINTBEGIN(bugprone-sizeof-expression)
    source->mesh = thud_alloc((size_t)spec->meshes, sizeof *source->mesh);
    source->hull = thud_alloc((size_t)spec->meshes, sizeof *source->hull);
    source->hfield = thud_alloc((size_t)spec->hfields, sizeof *source->hfield);
    source->repair = thud_alloc((size_t)spec->meshes, sizeof *source->repair);
    // NOLINTEND(bugprone-sizeof-expression)
    if (!source->mesh || !source->hull || !source->hfield || !source->repair ||
        thud_spec_copy(spec, &source->spec) != THUD_OK) {
        model_source_release(source);
        *out = NULL;
        return THUD_NO_MEMORY;
    }
    source->hulls = spec->meshes;
    source->hfields = spec->hfields;
    drop_numbers(source->spec);
    return THUD_OK;
}

void model_source_release(model_source *source)
{
    if (!source || atomic_fetch_sub(&source->users, 1) > 1) {
        return;
    }
    for (int i = 0; i < source->hulls; i++) {
        thud_hull_destroy(source->hull[i]);
    }
    for (int i = 0; i < source->hfields; i++) {
        thud_hfield_destroy(source->hfield[i]);
    }
    thud_free(source->mesh);
    thud_free(source->hull);
    thud_free(source->hfield);
    thud_free(source->repair);
    thud_spec_destroy(source->spec);
    thud_free(source);
}
