// SPDX-License-Identifier: Apache-2.0
// mjcf_replicate.c: <replicate> written out: its children copied, each copy in a frame of its own.
//
// Copy i of count stands at p(i), turned by q(i): q(i) has i times the given angles, p(i+1) = p(i) + q(i)
// offset. Names in copy i get the suffix sep + i, i with as many digits as count. What refers to such a name
// from outside (tendons, actuators, sensors and the like) is copied with it. The innermost replicate goes
// first, as in MuJoCo.
#include <stdio.h>
#include <string.h>

#include "mjcf_reader.h"

typedef struct copier {
    mjcf_reader *r;
    int n;            // the <replicate>
    mjcf_names names; // defined in it, or in what was copied because of it
    draft_body draft;
    char suffix[64];
} copier;

static thud_status set_suffix(copier *c, int i)
{
    const int digits = snprintf(NULL, 0, "%d", c->draft.count);
    const char *sep = c->draft.sep ? c->draft.sep : "";
    const int length = snprintf(c->suffix, sizeof c->suffix, "%s%0*d", sep, digits, i);
    return length < (int)sizeof c->suffix
               ? THUD_OK
               : MJCF_FAIL(c->r, THUD_BAD_FILE, mjcf_place(c->r, c->n, "sep"), "sep is too long");
}

mjcf_space mjcf_referred(const xml_node *node, const mjcf_attribute *a)
{
    const bool object = strcmp(a->name, "objname") == 0;
    if (!node->element->attribute || node->element->role != MJCF_ROLE_SENSOR ||
        (!object && strcmp(a->name, "refname") != 0)) {
        return a->refers;
    }
    const xml_attribute *type = xml_find(node, object ? "objtype" : "reftype");
    return !type                              ? MJCF_SPACE_NONE
           : strcmp(type->value, "geom") == 0 ? MJCF_SPACE_GEOM
           : strcmp(type->value, "site") == 0 ? MJCF_SPACE_SITE
                                              : MJCF_SPACE_BODY;
}

static bool is_renamed(const copier *c, const xml_node *node, const xml_attribute *x)
{
    const mjcf_attribute *a = mjcf_find_attribute(node->element, x->name);
    if (a->kind == MJCF_NAME) {
        return true;
    }
    const mjcf_space space = mjcf_referred(node, a);
    return space && mjcf_names_hold(&c->names, space, x->value);
}

// The attributes of a copy: the same, but for names that get the suffix.
static xml_attribute *copy_attributes(copier *c, const xml_node *node)
{
    xml_attribute *copy = node->attribute;
    for (int i = 0; i < node->attributes; i++) {
        const xml_attribute *x = &node->attribute[i];
        if (!is_renamed(c, node, x)) {
            continue;
        }
        load_pool *pool = &c->r->tree.pool;
        if (copy == node->attribute) {
            copy = pool_push(pool, (size_t)node->attributes, sizeof *copy);
            if (!copy) {
                return NULL;
            }
            memcpy(copy, node->attribute, (size_t)node->attributes * sizeof *copy);
        }
        const size_t length = strlen(x->value);
        char *value = pool_push(pool, length + sizeof c->suffix, 1);
        if (!value) {
            return NULL;
        }
        snprintf(value, length + sizeof c->suffix, "%s%s", x->value, c->suffix);
        copy[i].value = value;
    }
    return copy;
}

static thud_status check_room(const copier *c)
{
    return c->r->tree.nodes < XML_NODES ? THUD_OK
                                        : MJCF_FAIL(c->r, THUD_BAD_FILE, mjcf_place(c->r, c->n, "count"),
                                                    "the copies make more than %d elements", XML_NODES);
}

static thud_status add_copy(copier *c, int from, int parent, int *out)
{
    xml_tree *tree = &c->r->tree;
    THUD_TRY(check_room(c));
    const int n = xml_tree_add(tree, parent, tree->node[from].name, tree->node[from].place);
    if (n < 0) {
        return THUD_NO_MEMORY;
    }
    const xml_node *source = &tree->node[from];
    xml_node *node = &tree->node[n];
    node->element = source->element;
    node->copy = source->copy;
    node->settings = source->settings;
    node->attributes = source->attributes;
    node->attribute = source->attributes ? copy_attributes(c, source) : NULL;
    *out = n;
    return node->attribute || !node->attributes ? THUD_OK : THUD_NO_MEMORY;
}

// Copies a node and all below it as the last child of parent.
static thud_status copy_below(copier *c, int top, int parent)
{
    const xml_tree *tree = &c->r->tree;
    for (int from = top;;) {
        int n;
        THUD_TRY(add_copy(c, from, parent, &n));
        if (tree->node[from].first >= 0) {
            from = tree->node[from].first;
            parent = n;
            continue;
        }
        while (from != top && tree->node[from].next < 0) {
            from = tree->node[from].parent;
            parent = tree->node[parent].parent;
        }
        if (from == top) {
            return THUD_OK;
        }
        from = tree->node[from].next;
    }
}

static thud_status collect_name(copier *c, int n)
{
    const xml_node *node = mjcf_node(c->r, n);
    const xml_attribute *name = xml_find(node, "name");
    if (!name || !node->element->space) {
        return THUD_OK;
    }
    mjcf_name *slot = mjcf_names_slot(&c->names, node->element->space, name->value);
    if (!slot) {
        return THUD_NO_MEMORY;
    }
    if (!slot->space) {
        *slot = (mjcf_name){node->element->space, name->value, n, node->place};
        c->names.count++;
    }
    return THUD_OK;
}

// ---------------------------------------------------------------------------------------------- references

static bool refers(const copier *c, int top)
{
    for (int n = top; n >= 0; n = xml_tree_next(&c->r->tree, n, top)) {
        const xml_node *node = mjcf_node(c->r, n);
        for (int i = 0; i < node->attributes; i++) {
            const xml_attribute *x = &node->attribute[i];
            if (mjcf_find_attribute(node->element, x->name)->kind != MJCF_NAME && is_renamed(c, node, x)) {
                return true;
            }
        }
    }
    return false;
}

static void append(xml_tree *tree, int parent, int n)
{
    xml_node *p = &tree->node[parent];
    tree->node[n].next = -1;
    *(p->last >= 0 ? &tree->node[p->last].next : &p->first) = n;
    p->last = n;
}

// Takes those elements of a section that refer to copied names out of it, and links them behind *last.
static thud_status take_references(copier *c, int section, int *first, int *last)
{
    xml_tree *tree = &c->r->tree;
    int n = tree->node[section].first;
    tree->node[section].first = tree->node[section].last = -1;
    while (n >= 0) {
        const int next = tree->node[n].next;
        if (refers(c, n)) {
            THUD_TRY(collect_name(c, n)); // what refers to it is copied too
            tree->node[n].next = -1;
            *(*last >= 0 ? &tree->node[*last].next : first) = n;
            *last = n;
        } else {
            append(tree, section, n);
        }
        n = next;
    }
    return THUD_OK;
}

// Of one kind of section: all that refers to copied names goes to the end, once for each copy, as in MuJoCo.
static thud_status copy_references(copier *c, mjcf_role role)
{
    const xml_tree *tree = &c->r->tree;
    int first = -1, last = -1, section = -1;
    for (int s = tree->node[0].first; s >= 0; s = tree->node[s].next) {
        if (tree->node[s].element->role == role) {
            section = s;
            THUD_TRY(take_references(c, s, &first, &last));
        }
    }
    for (int i = 0; i < c->draft.count && first >= 0; i++) {
        THUD_TRY(set_suffix(c, i));
        for (int n = first; n >= 0; n = tree->node[n].next) {
            THUD_TRY(copy_below(c, n, section));
        }
    }
    return THUD_OK;
}

static thud_status copy_all_references(copier *c)
{
    static const mjcf_role order[] = {MJCF_ROLE_CONTACT, MJCF_ROLE_TENDONS, MJCF_ROLE_EQUALITIES,
                                      MJCF_ROLE_ACTUATORS, MJCF_ROLE_SENSORS};
    for (int k = 0; k < 5 && c->names.count; k++) {
        THUD_TRY(copy_references(c, order[k]));
    }
    return THUD_OK;
}

// ---------------------------------------------------------------------------------------------- one
// replicate

static thud_status expand(copier *c)
{
    mjcf_reader *r = c->r;
    xml_tree *tree = &r->tree;
    THUD_TRY(mjcf_read_attributes(r, c->n, &c->draft));
    for (int n = xml_tree_next(tree, c->n, c->n); n >= 0; n = xml_tree_next(tree, n, c->n)) {
        THUD_TRY(collect_name(c, n));
    }
    const int first = tree->node[c->n].first;
    tree->node[c->n].first = tree->node[c->n].last = -1;
    const double *o = c->draft.offset, *e = c->draft.euler;
    vec3 p = v3(0, 0, 0);
    for (int i = 0; i < c->draft.count; i++) {
        THUD_TRY(check_room(c));
        const double angle[3] = {i * e[0], i * e[1], i * e[2]};
        thud_pose *X = pool_push(&tree->pool, 1, sizeof *X);
        const int wrapper = X ? xml_tree_add(tree, c->n, mjcf_copy.name, tree->node[c->n].place) : -1;
        if (wrapper < 0) {
            return THUD_NO_MEMORY;
        }
        *X = (thud_pose){mjcf_euler(mjcf_settings_of(r, c->n), angle), p};
        p = v3_add(p, q_rotate(X->q, v3(o[0], o[1], o[2])));
        tree->node[wrapper].element = &mjcf_copy;
        tree->node[wrapper].copy = X;
        THUD_TRY(set_suffix(c, i));
        for (int child = first; child >= 0; child = tree->node[child].next) {
            THUD_TRY(copy_below(c, child, wrapper));
        }
    }
    return copy_all_references(c);
}

static thud_status expand_one(mjcf_reader *r, int n)
{
    copier c = {.r = r, .n = n};
    const thud_status status = expand(&c);
    thud_free(c.names.name);
    return status;
}

static bool is_below(const mjcf_reader *r, int n, int top)
{
    while (n >= 0 && n != top) {
        n = mjcf_node(r, n)->parent;
    }
    return n == top;
}

// In the order of the file, but those inside another before it.
thud_status mjcf_expand_replicates(mjcf_reader *r)
{
    int *list = pool_push(&r->tree.pool, 2 * (size_t)r->tree.nodes, sizeof *list);
    int *open = list ? list + r->tree.nodes : NULL, count = 0, depth = 0;
    if (!list) {
        return THUD_NO_MEMORY;
    }
    for (int n = 0; n >= 0; n = xml_tree_next(&r->tree, n, 0)) {
        if (mjcf_node(r, n)->element->role == MJCF_ROLE_REPLICATE) {
            list[count++] = n;
        }
    }
    for (int k = 0; k <= count; k++) {
        while (depth > 0 && (k == count || !is_below(r, list[k], open[depth - 1]))) {
            THUD_TRY(expand_one(r, open[--depth]));
        }
        if (k < count) {
            open[depth++] = list[k];
        }
    }
    return THUD_OK;
}
