// SPDX-License-Identifier: Apache-2.0
// mjcf_load.c: a parsed MJCF file to a spec: held against the schema, then read section by section.
#include "mjcf_reader.h"

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

thud_status mjcf_read(mjcf_reader *r)
{
    THUD_TRY(mjcf_check(r, &mjcf_root));
    THUD_TRY(read_root(r));
    THUD_TRY(mjcf_read_settings(r, 0));
    THUD_TRY(mjcf_attach_models(r));
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
