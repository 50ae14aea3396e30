// SPDX-License-Identifier: Apache-2.0
// urdf_load.c: a parsed URDF file to a spec: held against the table, its links and joints made a tree, and
// the tree made bodies.
#include <string.h>

#include "urdf_robot.h"

static thud_status read_root(mjcf_reader *r)
{
    draft_head head = {0};
    THUD_TRY(mjcf_read_attributes(r, 0, &head));
    r->spec->model = thud_spec_intern(r->spec, head.name);
    return r->spec->model || !head.name ? THUD_OK : THUD_NO_MEMORY;
}

// What other programs are told, each once with its place.
static thud_status note_ignored(mjcf_reader *r)
{
    for (int n = 1; n < r->tree.nodes; n++) {
        const xml_node *node = mjcf_node(r, n);
        if (node->element->remark && node->element->opaque && !mjcf_node(r, node->parent)->element->opaque &&
            !mjcf_remember(r, node->element->remark, node->place)) {
            return THUD_NO_MEMORY;
        }
    }
    return THUD_OK;
}

thud_status urdf_read(mjcf_reader *r)
{
    urdf_robot u = {.r = r};
    THUD_TRY(mjcf_check(r, &urdf_root));
    THUD_TRY(read_root(r));
    THUD_TRY(note_ignored(r));
    r->own.strippath = true;
    const int settings = urdf_child(r, 0, "mujoco"); // what MuJoCo lets a URDF file say of its compiler
    if (settings >= 0) {
        THUD_TRY(mjcf_read_settings(r, settings));
    }
    THUD_TRY(urdf_read_graph(&u));
    THUD_TRY(urdf_read_stops(&u));
    THUD_TRY(urdf_read_masses(&u));
    THUD_TRY(urdf_read_materials(&u));
    THUD_TRY(urdf_add_links(&u));
    THUD_TRY(urdf_add_mimics(&u));
    return mjcf_check_bodies(r);
}
