// SPDX-License-Identifier: Apache-2.0
// mjcf_schema.c: holds a tree against the schema: every element and attribute must belong where it stands.
#include <string.h>

#include "mjcf_schema.h"

const mjcf_element *mjcf_find_child(const mjcf_element *const *list, const char *name)
{
    for (const mjcf_element *const *c = list; c && *c; c++) {
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

bool mjcf_is_foreign(const mjcf_element *element, const char *name)
{
    return element->role == MJCF_ROLE_URDF && (strchr(name, ':') || strcmp(name, "xmlns") == 0);
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
        if (!a && mjcf_is_foreign(element, x->name)) {
            continue;
        }
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

// The element that a node is in its parent; NULL after saying that it is none.
static const mjcf_element *find_element(const xml_node *parent, const xml_node *node, thud_diag *diag,
                                        thud_status *status)
{
    const mjcf_element *element = mjcf_find_child(parent->element->child, node->name);
    const bool prefixed = mjcf_is_foreign(parent->element, node->name);
    *status = THUD_OK;
    if (element && element->refusal) {
        *status =
            FAIL(THUD_UNSUPPORTED, node->place, "<%s> is not supported: %s", element->name, element->refusal);
    } else if (prefixed && strncmp(node->name, "xacro:", 6) == 0) {
        *status = FAIL(THUD_UNSUPPORTED, node->place,
                       "<%.80s> is a macro; expand the file first: xacro FILE.xacro > FILE.urdf", node->name);
    } else if (!element && !prefixed) {
        *status =
            FAIL(THUD_BAD_FILE, node->place, "<%.80s> does not belong in <%s>", node->name, parent->name);
    }
    return *status != THUD_OK ? NULL : element ? element : &urdf_foreign;
}

static thud_status check_needed(const xml_tree *tree, int n, thud_diag *diag)
{
    const xml_node *node = &tree->node[n];
    for (const mjcf_element *const *c = node->element->child; c && *c; c++) {
        int child = (*c)->needed ? node->first : -2;
        while (child >= 0 && tree->node[child].element != *c) {
            child = tree->node[child].next;
        }
        if (child == -1) {
            return FAIL(THUD_BAD_FILE, node->place, "<%s> needs a <%s>", node->name, (*c)->name);
        }
    }
    return THUD_OK;
}

thud_status mjcf_check(xml_tree *tree, const mjcf_element *root, thud_diag *diag)
{
    tree->node[0].element = root;
    THUD_TRY(check_attributes(&tree->node[0], false, diag));
    for (int n = 1; n < tree->nodes; n++) { // parents stand before their children
        xml_node *node = &tree->node[n];
        const xml_node *parent = &tree->node[node->parent];
        if (parent->element->opaque) {
            node->element = parent->element;
            continue;
        }
        thud_status status;
        const mjcf_element *element = find_element(parent, node, diag, &status);
        THUD_TRY(status);
        node->element = element;
        const bool in_default = parent->element->role == MJCF_ROLE_DEFAULT;
        if (element->once || (in_default && element->role != MJCF_ROLE_DEFAULT)) {
            THUD_TRY(check_once(tree, n, diag));
        }
        THUD_TRY(element->opaque ? THUD_OK : check_attributes(node, in_default, diag));
    }
    for (int n = 0; n < tree->nodes; n++) {
        THUD_TRY(check_needed(tree, n, diag));
    }
    return THUD_OK;
}
