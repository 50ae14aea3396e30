// SPDX-License-Identifier: Apache-2.0
// xml_tree.c: the nodes of a tree, walks over them, and paths relative to files.
#include <stdio.h>
#include <string.h>

#include "xml_tree.h"

void xml_tree_clear(xml_tree *tree)
{
    pool_clear(&tree->pool);
    thud_free(tree->node);
    thud_free(tree->file);
    *tree = (xml_tree){0};
}

int xml_tree_add(xml_tree *tree, int parent, const char *name, thud_place place)
{
    if (!thud_grow((void **)&tree->node, &tree->node_cap, tree->nodes, sizeof *tree->node)) {
        return -1;
    }
    const int n = tree->nodes++;
    tree->node[n] =
        (xml_node){.name = name, .place = place, .parent = parent, .first = -1, .last = -1, .next = -1};
    if (parent >= 0) {
        xml_node *p = &tree->node[parent];
        if (p->last >= 0) {
            tree->node[p->last].next = n;
        } else {
            p->first = n;
        }
        p->last = n;
    }
    return n;
}

int xml_tree_next(const xml_tree *tree, int n, int top)
{
    return tree->node[n].first >= 0 ? tree->node[n].first : xml_tree_skip(tree, n, top);
}

int xml_tree_skip(const xml_tree *tree, int n, int top)
{
    while (n != top && tree->node[n].next < 0) {
        n = tree->node[n].parent;
    }
    return n == top ? -1 : tree->node[n].next;
}

const xml_attribute *xml_find(const xml_node *node, const char *name)
{
    for (int i = 0; i < node->attributes; i++) {
        if (strcmp(node->attribute[i].name, name) == 0) {
            return &node->attribute[i];
        }
    }
    return NULL;
}

thud_place xml_place(const xml_node *node, const xml_attribute *attribute)
{
    return (thud_place){node->place.file, attribute->line, attribute->column};
}

const char *xml_path(thud_spec *spec, const char *base, const char *folder, const char *file)
{
    const char *slash = strrchr(base, '/');
    const size_t base_length = slash ? (size_t)(slash - base) + 1 : 0;
    const size_t size = base_length + strlen(folder) + strlen(file) + 2;
    char *path = thud_alloc(size, 1);
    if (!path) {
        return NULL;
    }
    const char *between = folder[0] && folder[strlen(folder) - 1] != '/' ? "/" : "";
    if (file[0] == '/') {
        snprintf(path, size, "%s", file);
    } else if (folder[0] == '/') {
        snprintf(path, size, "%s%s%s", folder, between, file);
    } else {
        snprintf(path, size, "%.*s%s%s%s", (int)base_length, base, folder, between, file);
    }
    const char *interned = thud_spec_intern(spec, path);
    thud_free(path);
    return interned;
}
