// SPDX-License-Identifier: Apache-2.0
// mjcf_schema.c: holds a tree against the schema: every element and attribute must belong where it stands.
#include <string.h>

#include "mjcf_schema.h"

static const mjcf_element *find_child(const mjcf_element *parent, const char *name)
{
    for (const mjcf_element *const *c = parent->child; c && *c; c++) {
        if (strcmp((*c)->name, name) == 0) {
            return *c;
        }
    }
    return NULL;
}

const mjcf_attribute *mjcf_find_attribute(const mjcf_element *element, const char *name)
{
    for (const mjcf_attribute *a = element->attribute; a && a->name; a++) {
        if (strcmp(a->name, name) == 0) {
            return a;
        }
    }
    return NULL;
}

#define FAIL(status, where, ...)                                                                             \
    thud_fail(status, diag, (where).file, (where).line, (where).column, __VA_ARGS__)

static thud_status check_attributes(const xml_node *node, bool in_default, thud_diag *diag)
{
    const mjcf_element *element = node->element;
    for (int i = 0; i < node->attributes; i++) {
        const xml_attribute *x = &node->attribute[i];
        const thud_place at = xml_place(node, x);
        const mjcf_attribute *a = mjcf_find_attribute(element, x->name);
        if (!a) {
            return FAIL(THUD_BAD_FILE, at, "<%s> has no attribute \"%.80s\"", node->name, x->name);
        }
        if (a->kind == MJCF_REFUSED) {
            return FAIL(THUD_UNSUPPORTED, at, "attribute \"%s\" of <%s> is not supported: %s", a->name,
                        node->name, a->refusal);
        }
        if (in_default && (a->rules & MJCF_NOT_DEFAULT)) {
            return FAIL(THUD_BAD_FILE, at, "\"%s\" cannot be set in a <default>", a->name);
        }
    }
    for (const mjcf_attribute *a = element->attribute; a && a->name && !in_default; a++) {
        if ((a->rules & MJCF_REQUIRED) && !xml_find(node, a->name)) {
            return FAIL(THUD_BAD_FILE, node->place, "<%s> needs the attribute \"%s\"", node->name, a->name);
        }
    }
    return THUD_OK;
}

static thud_status check_once(const xml_tree *tree, int n, thud_diag *diag)
{
    const xml_node *node = &tree->node[n];
    for (int s = tree->node[node->parent].first; s != n; s = tree->node[s].next) {
        const xml_node *sibling = &tree->node[s];
        if (sibling->element == node->element) {
            return FAIL(THUD_BAD_FILE, node->place,
                        "a second <%s> in one <%s>; the first is in line %d of %s", node->name,
                        tree->node[node->parent].name, sibling->place.line, sibling->place.file);
        }
    }
    return THUD_OK;
}

static thud_status check_root(xml_node *root, thud_diag *diag)
{
    if (strcmp(root->name, "robot") == 0) {
        return FAIL(THUD_BAD_FILE, root->place, "this is URDF, not MJCF: its root element is <robot>");
    }
    if (strcmp(root->name, mjcf_root.name) != 0) {
        return FAIL(THUD_BAD_FILE, root->place, "the root element is <%.80s>; MJCF starts with <mujoco>",
                    root->name);
    }
    root->element = &mjcf_root;
    return check_attributes(root, false, diag);
}

thud_status mjcf_check(xml_tree *tree, thud_diag *diag)
{
    THUD_TRY(check_root(&tree->node[0], diag));
    for (int n = 1; n < tree->nodes; n++) { // parents stand before their children
        xml_node *node = &tree->node[n];
        const xml_node *parent = &tree->node[node->parent];
        const mjcf_element *element = find_child(parent->element, node->name);
        if (!element) {
            return FAIL(THUD_BAD_FILE, node->place, "<%.80s> does not belong in <%s>", node->name,
                        parent->name);
        }
        if (element->refusal) {
            return FAIL(THUD_UNSUPPORTED, node->place, "<%s> is not supported: %s", element->name,
                        element->refusal);
        }
        node->element = element;
        const bool in_default = parent->element->role == MJCF_ROLE_DEFAULT;
        if (element->once || (in_default && element->role != MJCF_ROLE_DEFAULT)) {
            THUD_TRY(check_once(tree, n, diag));
        }
        THUD_TRY(check_attributes(node, in_default, diag));
    }
    return THUD_OK;
}
