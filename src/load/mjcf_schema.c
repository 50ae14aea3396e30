// SPDX-License-Identifier: Apache-2.0
// mjcf_schema.c: holds a tree against the schema: every element and attribute must belong where it stands.
#include <stdio.h>
#include <string.h>

#include <thud/base_words.h>

#include "mjcf_reader.h"

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

// What was likely meant by the name of an element or attribute that is not known; NULL: nothing is like it.
static const char *find_meant(const mjcf_element *element, const char *name, bool attribute)
{
    for (const mjcf_attribute *a = element->attribute; attribute && a && a->name; a++) {
        if (thud_word_is_near(name, a->name)) {
            return a->name;
        }
    }
    for (const mjcf_element *const *c = element->child; !attribute && c && *c; c++) {
        if (thud_word_is_near(name, (*c)->name)) {
            return (*c)->name;
        }
    }
    return NULL;
}

// A name that is not known, in words; with what was likely meant.
static thud_status refuse_name(mjcf_reader *r, const xml_node *parent, thud_place place, const char *name,
                               bool attribute)
{
    const char *meant = find_meant(parent->element, name, attribute);
    const char *hint = meant ? "; did you mean " : "", *quote = meant ? "\"" : "";
    const bool tolerant = parent->element->role == MJCF_ROLE_URDF && !r->strict;
    char text[320];
    snprintf(text, sizeof text,
             attribute ? "<%.80s> has no attribute \"%.80s\"%s%s%s%s"
                       : "<%.80s> does not belong in <%.80s>%s%s%s%s",
             attribute ? parent->name : name, attribute ? name : parent->name, hint, quote,
             meant ? meant : "", quote);
    return tolerant ? mjcf_note(r, meant ? THUD_NOTE_LOOK : THUD_NOTE_IGNORED, place,
                                "passed over, as ROS does", text)
                    : MJCF_FAIL(r, THUD_BAD_FILE, place, "%s", text);
}

static thud_status check_attributes(mjcf_reader *r, const xml_node *node, bool in_default)
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
            THUD_TRY(refuse_name(r, node, at, x->name, true));
            continue;
        }
        if (a->kind == MJCF_REFUSED) {
            return MJCF_FAIL(r, THUD_UNSUPPORTED, at, "attribute \"%s\" of <%s> is not supported: %s",
                             a->name, node->name, a->refusal);
        }
        if (in_default && (a->rules & MJCF_NOT_DEFAULT)) {
            return MJCF_FAIL(r, THUD_BAD_FILE, at, "\"%s\" cannot be set in a <default>", a->name);
        }
    }
    for (const mjcf_attribute *a = element->attribute; a && a->name && !in_default; a++) {
        if ((a->rules & MJCF_REQUIRED) && !xml_find(node, a->name)) {
            return MJCF_FAIL(r, THUD_BAD_FILE, node->place, "<%s> needs the attribute \"%s\"", node->name,
                             a->name);
        }
    }
    return THUD_OK;
}

// Of elements that stand once the first counts; another is an error, in URDF a note.
static thud_status check_once(mjcf_reader *r, int n)
{
    xml_node *node = &r->tree.node[n];
    for (int s = mjcf_node(r, node->parent)->first; s != n; s = mjcf_node(r, s)->next) {
        const xml_node *sibling = mjcf_node(r, s);
        if (sibling->element != node->element) {
            continue;
        }
        const char *parent = mjcf_node(r, node->parent)->name;
        if (node->element->role != MJCF_ROLE_URDF) {
            return MJCF_FAIL(r, THUD_BAD_FILE, node->place,
                             "a second <%s> in one <%s>; the first is in line %d of %s", node->name, parent,
                             sibling->place.line, sibling->place.file);
        }
        node->element = &urdf_unknown;
        return mjcf_mend(r, THUD_NOTE_LOOK, THUD_BAD_FILE, node->place, "the first counts, as in ROS",
                         r->strict ? "a second <%s> in one <%s>; the first is in line %d of %s"
                                   : "a second <%s> in one <%s>",
                         node->name, parent, sibling->place.line, sibling->place.file);
    }
    return THUD_OK;
}

// The element that a node is in its parent.
static thud_status find_element(mjcf_reader *r, const xml_node *parent, xml_node *node)
{
    const mjcf_element *element = mjcf_find_child(parent->element->child, node->name);
    const bool prefixed = mjcf_is_foreign(parent->element, node->name);
    node->element = element ? element : prefixed ? &urdf_foreign : &urdf_unknown;
    if (element && element->refusal) {
        return MJCF_FAIL(r, THUD_UNSUPPORTED, node->place, "<%s> is not supported: %s", element->name,
                         element->refusal);
    }
    if (prefixed && strncmp(node->name, "xacro:", 6) == 0) {
        return MJCF_FAIL(r, THUD_UNSUPPORTED, node->place,
                         "<%.80s> is a macro; expand the file first: xacro FILE.xacro > FILE.urdf",
                         node->name);
    }
    return element || prefixed ? THUD_OK : refuse_name(r, parent, node->place, node->name, false);
}

static thud_status check_needed(mjcf_reader *r, int n)
{
    const xml_node *node = mjcf_node(r, n);
    for (const mjcf_element *const *c = node->element->child; c && *c; c++) {
        int child = (*c)->needed ? node->first : -2;
        while (child >= 0 && mjcf_node(r, child)->element != *c) {
            child = mjcf_node(r, child)->next;
        }
        if (child == -1) {
            return MJCF_FAIL(r, THUD_BAD_FILE, node->place, "<%s> needs a <%s>", node->name, (*c)->name);
        }
    }
    return THUD_OK;
}

thud_status mjcf_check(mjcf_reader *r, const mjcf_element *root)
{
    xml_tree *tree = &r->tree;
    tree->node[0].element = root;
    THUD_TRY(check_attributes(r, &tree->node[0], false));
    for (int n = 1; n < tree->nodes; n++) { // parents stand before their children
        xml_node *node = &tree->node[n];
        const xml_node *parent = &tree->node[node->parent];
        if (parent->element->opaque) {
            node->element = parent->element;
            continue;
        }
        THUD_TRY(find_element(r, parent, node));
        const bool in_default = parent->element->role == MJCF_ROLE_DEFAULT;
        if (node->element->once || (in_default && node->element->role != MJCF_ROLE_DEFAULT)) {
            THUD_TRY(check_once(r, n));
        }
        THUD_TRY(node->element->opaque ? THUD_OK : check_attributes(r, node, in_default));
    }
    for (int n = 0; n < tree->nodes; n++) {
        THUD_TRY(check_needed(r, n));
    }
    return THUD_OK;
}
