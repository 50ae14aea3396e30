// SPDX-License-Identifier: Apache-2.0
// mjcf_write.h: a spec as MJCF, by the tables that read it.
//
// Writing is reading turned around. An element of the spec is put into the draft it would have been read
// into; then every attribute of its table whose value differs from the default is written. Attributes with a
// bit in head.given are written when the bit is set. So an attribute that is added to a table is written too.
#pragma once

#include "mjcf_reader.h"

typedef enum mjcf_kept { // what others refer to by name
    KEPT_BODY,
    KEPT_JOINT,
    KEPT_GEOM,
    KEPT_SITE,
    KEPT_MESH,
    KEPT_HFIELD,
    KEPT_PAIR,
    KEPT_TENDON,
    KEPT_ACTUATOR,
    KEPT_KINDS
} mjcf_kept;

typedef struct mjcf_writer {
    const thud_spec *spec;
    thud_diag *diag;
    const char *path;              // of the file the text is for
    const char **name[KEPT_KINDS]; // of every element; NULL: none, and nobody refers to it
    thud_spec *told;               // the spec with those surfaces alone that its custom numerics give
    mjcf_reader scratch;           // MJCF's defaults, a table of names, a pool of memory
    char *text;
    size_t length, capacity;
    int depth;
    thud_status status; // the first failure; nothing is written after it
} mjcf_writer;

// An element with its attributes; `begin` leaves it open for others until `end`.
void mjcf_put(mjcf_writer *w, const mjcf_element *element, const void *draft, const void *base);
void mjcf_begin(mjcf_writer *w, const mjcf_element *element, const void *draft, const void *base);
bool mjcf_tells(const mjcf_element *element, const void *draft, const void *base); // some attribute
void mjcf_begin_section(mjcf_writer *w, const char *name);                         // without attributes
void mjcf_end(mjcf_writer *w, const char *name);

// The element of a list that has this role and variant.
const mjcf_element *mjcf_variant(const mjcf_element *const *list, mjcf_role role, int variant);
static inline const void *mjcf_default_draft(const mjcf_writer *w, mjcf_draft_kind kind)
{
    return w->scratch.class_[0].draft[kind];
}
static inline void mjcf_fail_writing(mjcf_writer *w, thud_status status)
{
    w->status = w->status == THUD_OK ? status : w->status;
}

// Gives names to what is referred to and has none.
thud_status mjcf_name_all(mjcf_writer *w);
// Finds out what the custom numerics tell of surfaces; then, whether they do not tell the k-th surface word of
// a geom, or pair.
thud_status mjcf_find_told(mjcf_writer *w);
bool mjcf_is_untold(const mjcf_writer *w, int k, bool pair, int i);
// The path of an asset as it is written: relative to the folder of the file. NULL after a failure.
const char *mjcf_relative(mjcf_writer *w, const char *file);
// The words for a pose's orientation.
void mjcf_turn(quat q, draft_head *head, draft_turn *turn);

void mjcf_write_settings(mjcf_writer *w);
void mjcf_write_assets(mjcf_writer *w);
thud_status mjcf_write_tree(mjcf_writer *w);
void mjcf_write_links(mjcf_writer *w);
void mjcf_write_drives(mjcf_writer *w); // actuators, sensors
void mjcf_write_customs(mjcf_writer *w);
void mjcf_write_keys(mjcf_writer *w);
