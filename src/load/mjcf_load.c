// SPDX-License-Identifier: Apache-2.0
// mjcf_load.c: MJCF to a spec: parse, hold against the schema, then read section by section.
#include <thud/load.h>

#include "mjcf_reader.h"

void mjcf_reader_clear(mjcf_reader *r)
{
    xml_tree_clear(&r->tree);
    thud_free(r->class_);
    thud_free(r->names.name);
    thud_free(r->material_rgba);
}

static thud_status read_root(mjcf_reader *r)
{
    draft_head head = {0};
    THUD_TRY(mjcf_read_attributes(r, 0, &head));
    r->spec->model = head.name ? thud_spec_intern(r->spec, head.name) : NULL;
    if ((head.name && !r->spec->model) ||
        (r->tree.stray && !mjcf_remember(r, MJCF_REMARK_STRAY, r->tree.stray_place))) {
        return THUD_NO_MEMORY;
    }
    return THUD_OK;
}

static thud_status read_sections(mjcf_reader *r)
{
    THUD_TRY(mjcf_check(&r->tree, r->diag));
    THUD_TRY(read_root(r));
    THUD_TRY(mjcf_read_settings(r));
    THUD_TRY(mjcf_expand_replicates(r));
    THUD_TRY(mjcf_classes_create(r));
    THUD_TRY(mjcf_read_defaults(r));
    THUD_TRY(mjcf_read_assets(r));
    THUD_TRY(mjcf_read_tree(r));
    THUD_TRY(mjcf_check_bodies(r));
    THUD_TRY(mjcf_read_links(r));
    THUD_TRY(mjcf_read_actuators(r));
    THUD_TRY(mjcf_read_sensors(r));
    THUD_TRY(mjcf_read_states(r));
    return mjcf_apply_words(r);
}

// Loads from a file (text NULL) or from text.
static thud_status load(const char *text, size_t length, const char *name, thud_spec **out, thud_diag *diag)
{
    mjcf_reader r = {.diag = diag, .eulerseq = "xyz"};
    *out = NULL;
    thud_status status = thud_spec_create(&r.spec);
    if (status == THUD_OK) {
        status = text ? xml_parse_text(&r.tree, r.spec, text, length, name, diag)
                      : xml_parse_file(&r.tree, r.spec, name, diag);
    }
    if (status == THUD_OK) {
        status = read_sections(&r);
    }
    mjcf_reader_clear(&r);
    if (status == THUD_NO_MEMORY) {
        thud_fail(status, diag, name, 0, 0, "memory ran out while the model was read");
    }
    if (status != THUD_OK) {
        thud_spec_destroy(r.spec);
        return status;
    }
    *out = r.spec;
    return THUD_OK;
}

thud_status thud_load_mjcf(const char *path, thud_spec **out, thud_diag *diag)
{
    return load(NULL, 0, path, out, diag);
}

thud_status thud_load_mjcf_text(const char *text, size_t length, const char *name, thud_spec **out,
                                thud_diag *diag)
{
    return load(text ? text : "", length, name, out, diag);
}
