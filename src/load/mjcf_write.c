// SPDX-License-Identifier: Apache-2.0
// mjcf_write.c: a spec as MJCF: the order of the sections.
#include <thud/load.h>

#include "mjcf_write.h"

static thud_status write_all(mjcf_writer *w)
{
    const draft_head root = {.name = w->spec->model};
    THUD_TRY(thud_spec_create(&w->scratch.spec));
    THUD_TRY(mjcf_classes_create(&w->scratch));
    THUD_TRY(mjcf_name_all(w));
    mjcf_begin(w, &mjcf_root, &root, &root);
    mjcf_write_settings(w);
    mjcf_write_assets(w);
    THUD_TRY(mjcf_write_tree(w));
    mjcf_write_links(w);
    mjcf_write_drives(w);
    mjcf_write_customs(w);
    mjcf_write_keys(w);
    mjcf_end(w, mjcf_root.name);
    return w->status;
}

thud_status thud_write_mjcf(const thud_spec *spec, const char *path, char **out, thud_diag *diag)
{
    mjcf_writer w = {.spec = spec, .path = path, .diag = diag};
    thud_status status = write_all(&w);
    status = w.status != THUD_OK ? w.status : status;
    mjcf_reader_clear(&w.scratch);
    thud_spec_destroy(w.scratch.spec);
    thud_spec_destroy(w.told);
    if (status == THUD_NO_MEMORY) {
        thud_fail(status, diag, path, 0, 0, "memory ran out while the model was written");
    }
    if (status != THUD_OK) {
        thud_free(w.text);
        w.text = NULL;
    }
    *out = w.text;
    return status;
}
