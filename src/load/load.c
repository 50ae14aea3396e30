// SPDX-License-Identifier: Apache-2.0
// load.c: the doors of this room: a file or a text, parsed, and read as the format that its root element
// names.
#include <string.h>

#include <thud/load.h>

#include "mjcf_reader.h"

typedef enum format { EITHER, MJCF, URDF } format;

typedef struct source { // text NULL: the file `name`
    const char *text;
    size_t length;
    const char *name;
} source;

static thud_status read_tree(mjcf_reader *r, format wanted)
{
    const xml_node *root = mjcf_node(r, 0);
    const bool urdf = strcmp(root->name, urdf_root.name) == 0, mjcf = strcmp(root->name, mjcf_root.name) == 0;
    if (urdf && wanted == MJCF) {
        return MJCF_FAIL(r, THUD_BAD_FILE, root->place,
                         "this is URDF, not MJCF: its root element is <robot>");
    }
    if (mjcf && wanted == URDF) {
        return MJCF_FAIL(r, THUD_BAD_FILE, root->place,
                         "this is MJCF, not URDF: its root element is <mujoco>");
    }
    if (!mjcf && !urdf) {
        return MJCF_FAIL(r, THUD_BAD_FILE, root->place,
                         "the root element is <%.80s>; MJCF starts with <mujoco>, URDF with <robot>",
                         root->name);
    }
    return urdf ? urdf_read(r) : mjcf_read(r);
}

static thud_status load(source from, format wanted, const thud_load_options *options, thud_spec **out,
                        thud_diag *diag)
{
    mjcf_reader r = {.diag = diag, .own = {.eulerseq = "xyz", .meshdir = ""}};
    *out = NULL;
    if (options) {
        r.floating_base = options->floating_base;
        r.strict = options->strict_file;
        r.packages = options->packages;
    }
    thud_status status = thud_spec_create(&r.spec);
    if (status == THUD_OK) {
        r.spec->files = options ? options->files : (thud_files){0};
        status = from.text ? xml_parse_text(&r.tree, r.spec, from.text, from.length, from.name, diag)
                           : xml_parse_file(&r.tree, r.spec, from.name, diag);
    }
    if (status == THUD_OK) {
        status = read_tree(&r, wanted);
    }
    mjcf_reader_clear(&r);
    if (status == THUD_NO_MEMORY) {
        thud_fail(status, diag, from.name, 0, 0, "memory ran out while the model was read");
    }
    if (status != THUD_OK) {
        thud_spec_destroy(r.spec);
        return status;
    }
    *out = r.spec;
    return THUD_OK;
}

thud_status thud_load(const char *path, const thud_load_options *options, thud_spec **out, thud_diag *diag)
{
    return load((source){.name = path}, EITHER, options, out, diag);
}

thud_status thud_load_text(const char *text, size_t length, const char *name,
                           const thud_load_options *options, thud_spec **out, thud_diag *diag)
{
    return load((source){text ? text : "", length, name}, EITHER, options, out, diag);
}

thud_status thud_load_mjcf(const char *path, thud_spec **out, thud_diag *diag)
{
    return load((source){.name = path}, MJCF, NULL, out, diag);
}

thud_status thud_load_mjcf_text(const char *text, size_t length, const char *name, thud_spec **out,
                                thud_diag *diag)
{
    return load((source){text ? text : "", length, name}, MJCF, NULL, out, diag);
}

thud_status thud_load_urdf(const char *path, thud_spec **out, thud_diag *diag)
{
    return load((source){.name = path}, URDF, NULL, out, diag);
}

thud_status thud_load_urdf_text(const char *text, size_t length, const char *name, thud_spec **out,
                                thud_diag *diag)
{
    return load((source){text ? text : "", length, name}, URDF, NULL, out, diag);
}
