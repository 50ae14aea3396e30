// SPDX-License-Identifier: Apache-2.0
// xml_tree.h: an XML file, and the files it includes, as one tree of elements that know their places.
//
// Nodes are in an array in the order of the file, so that a parent stands before its children, and are linked
// by index; -1 is none. Nothing here recurses on the depth of the file.
#pragma once

#include <thud/spec.h>

#include "pool.h"

typedef struct xml_attribute {
    const char *name, *value;
    int line, column; // of its name
} xml_attribute;

typedef struct xml_node {
    const char *name;
    thud_place place; // of its '<'; the file name is interned in the spec
    int parent, first, last, next;
    int attributes;
    xml_attribute *attribute;
    const struct mjcf_element *element; // what the schema says of it; set when the tree is checked
    const thud_pose *copy;              // the pose of a copy that <replicate> makes; NULL in a file
    int settings;                       // whose compiler's words hold for it: 0, the file's own
} xml_node;

typedef struct xml_tree {
    load_pool pool; // of names, values and attributes
    int nodes, node_cap;
    xml_node *node; // node 0 is the root
    int files, file_cap;
    const char **file; // included so far
    int stray;         // pieces of text between elements, and where the first is
    thud_place stray_place;
} xml_tree;

enum { XML_DEPTH = 100000, XML_INCLUDE_DEPTH = 64, XML_NODES = 1000000 }; // beyond: a clear refusal

// Parses text; includes are looked up in the folder of `name`, then in that of the file that includes. On
// failure the tree holds what was read so far; xml_tree_clear in any case.
thud_status xml_parse_text(xml_tree *tree, thud_spec *spec, const char *text, size_t length, const char *name,
                           thud_diag *diag);
thud_status xml_parse_file(xml_tree *tree, thud_spec *spec, const char *path, thud_diag *diag);
void xml_tree_clear(xml_tree *tree);

// Appends a node as the last child of parent (-1: a root); -1 when memory ran out.
int xml_tree_add(xml_tree *tree, int parent, const char *name, thud_place place);
// The node after n in the order of the file, below top; -1 at the end.
int xml_tree_next(const xml_tree *tree, int n, int top);
// The same, leaving out what is below n.
int xml_tree_skip(const xml_tree *tree, int n, int top);
// The attribute of that name, or NULL.
const xml_attribute *xml_find(const xml_node *node, const char *name);
// Where an attribute stands.
thud_place xml_place(const xml_node *node, const xml_attribute *attribute);

// Joins the folder of `base` (all up to its last '/') and a relative path; an absolute path stays. Interned
// in spec.
const char *xml_path(thud_spec *spec, const char *base, const char *folder, const char *file);
