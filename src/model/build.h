// SPDX-License-Identifier: Apache-2.0
// build.h: what the stages of building a model share. Private to the room.
#pragma once

#include <thud/model.h>

struct thud_model_store {
    int hulls;
    thud_hull **hull; // owned; geom_shape points at them
};

typedef struct builder {
    const thud_spec *spec;
    thud_model *m;
    thud_diag *diag;
    int *joint_of, *geom_of, *site_of; // index in the spec of the model's i-th joint, geom, site
    thud_inertia *geom_inertia;        // of the model's i-th geom, in its body's frame
} builder;

// Fails with the place where an element was written.
#define FAIL_AT(b, element_place, ...)                                                                       \
    thud_fail(THUD_BAD_MODEL, (b)->diag, (element_place).file, (element_place).line, (element_place).column, \
              __VA_ARGS__)

// check.c: every number finite, every index in range, every size and mass possible, no name twice.
thud_status model_check_spec(builder *b);
// model.c: allocates all arrays of the table for the counts already set in m.
thud_status model_allocate(thud_model *m);
// names.c
int model_count_name_bytes(const thud_spec *spec);
void model_copy_names(builder *b);
// geoms.c: shapes, frames, inertias and contact properties of geoms.
thud_status model_build_geoms(builder *b);
// body_mass.c: mass and inertia of every body from its inertial or its geoms; needs geoms.
thud_status model_build_masses(builder *b);
// links.c: the tree of links, their constant transforms and inertias, the dofs and M's sparsity; needs
// masses.
thud_status model_build_links(builder *b);
// keys.c: the reference pose and the keyframes.
thud_status model_build_keys(builder *b);
