// SPDX-License-Identifier: Apache-2.0
// mjcf_attach.c: <attach> written out: what it names of another file, copied into the tree where it stands.
//
// Every name of the other file gets the prefix, where it is given and where it is used. With the bodies come the file's default classes
// (its outermost one as a class of its own) and its assets, and of its other sections those elements that name nothing but what
// came. Angles, folders of files and autolimits are those of the file in which an element stands (mjcf_settings).
// Keyframes, custom data, options and looks of the other file are left out, with a note.
#include <stdio.h>
#include <string.h>

#include "mjcf_reader.h"

typedef struct mjcf_part { // a file that is attached, read once however often it is attached
    const char *name;      // of its <model>
    int settings;          // index of its own settings; those of what it attaches follow
    mjcf_reader reader;
    struct mjcf_part *next;
} mjcf_part;

typedef struct splicer { // one <attach>
    mjcf_reader *to;
    mjcf_part *part;
    int at; // the <attach>
    const char *prefix, *main;
    mjcf_names came; // names of what was copied, as the part has them
} splicer;

enum { DEPTH = 16, FILES = 1000 }; // of files that attach files; of files in all

void mjcf_parts_clear(mjcf_reader *r)
{
    for (mjcf_part *p = r->parts; p;) {
        mjcf_part *next = p->next;
        mjcf_reader_clear(&p->reader);
        thud_free(p);
        p = next;
    }
    r->parts = NULL;
}

void mjcf_reader_clear(mjcf_reader *r)
{
    xml_tree_clear(&r->tree);
    thud_free(r->class_);
    thud_free(r->names.name);
    thud_free(r->material_rgba);
    thud_free(r->attached);
    mjcf_parts_clear(r);
}

// ---------------------------------------------------------------------------------------------- the other file

static int add_settings(mjcf_reader *r, const mjcf_settings *s)
{
    if (!thud_grow((void **)&r->attached, &r->attached_cap, r->attacheds, sizeof *r->attached)) {
        return -1;
    }
    r->attached[r->attacheds] = *s;
    return ++r->attacheds;
}

// Its compiler and options say nothing of the model: only how its own text is read.
static thud_status read_settings(mjcf_reader *part)
{
    const thud_spec_compiler compiler = part->spec->compiler;
    const thud_spec_option option = part->spec->option;
    thud_spec *plain;
    THUD_TRY(thud_spec_create(&plain));
    part->spec->compiler = plain->compiler;
    thud_spec_destroy(plain);
    const thud_status status = mjcf_read_settings(part, 0);
    part->own.autolimits = part->spec->compiler.autolimits;
    part->spec->compiler = compiler;
    part->spec->option = option;
    return status;
}

static thud_status parse(mjcf_reader *r, int model, const char *file, mjcf_reader *part)
{
    const char *path;
    THUD_TRY(mjcf_find_file(r, model, "", file, &path));
    *part = (mjcf_reader){.spec = r->spec, .diag = r->diag, .depth = r->depth + 1, .strict = r->strict};
    part->opened = r->opened ? r->opened : &r->parts_opened;
    if (part->depth > DEPTH || ++*part->opened > FILES) {
        return MJCF_FAIL(r, THUD_BAD_FILE, mjcf_node(r, model)->place,
                         "files attach files more than %d deep or %d in all, perhaps themselves", DEPTH,
                         FILES);
    }
    THUD_TRY(xml_parse_file(&part->tree, part->spec, path, part->diag));
    if (strcmp(part->tree.node[0].name, mjcf_root.name) != 0) {
        return MJCF_FAIL(part, THUD_UNSUPPORTED, part->tree.node[0].place,
                         "only MJCF can be attached; the root element is <%.80s>", part->tree.node[0].name);
    }
    THUD_TRY(mjcf_check(part, &mjcf_root));
    memcpy(part->remark, r->remark, sizeof part->remark);
    thud_status status = read_settings(part);
    status = status == THUD_OK ? mjcf_attach_models(part) : status;
    memcpy(r->remark, part->remark, sizeof part->remark);
    return status;
}

static thud_status open_part(mjcf_reader *r, int model, const draft_material *d, mjcf_part **out)
{
    mjcf_part *part = thud_alloc(1, sizeof *part);
    *out = part;
    if (!part) {
        return THUD_NO_MEMORY;
    }
    part->next = r->parts; // owned from here on
    r->parts = part;
    THUD_TRY(parse(r, model, d->file, &part->reader));
    draft_head root = {0};
    THUD_TRY(mjcf_read_attributes(&part->reader, 0, &root));
    part->name = d->head.name ? d->head.name : root.name;
    part->settings = add_settings(r, &part->reader.own);
    for (int i = 0; i < part->reader.attacheds; i++) {
        if (add_settings(r, &part->reader.attached[i]) < 0) {
            return THUD_NO_MEMORY;
        }
    }
    return part->settings < 0 ? THUD_NO_MEMORY : THUD_OK;
}

static thud_status open_parts(mjcf_reader *r)
{
    for (int s = mjcf_node(r, 0)->first; s >= 0; s = mjcf_node(r, s)->next) {
        if (mjcf_node(r, s)->element->role != MJCF_ROLE_ASSET) {
            continue;
        }
        for (int n = mjcf_node(r, s)->first; n >= 0; n = mjcf_node(r, n)->next) {
            if (mjcf_node(r, n)->element->role == MJCF_ROLE_MODEL) {
                draft_material d = {0};
                mjcf_part *part;
                THUD_TRY(mjcf_read_attributes(r, n, &d));
                THUD_TRY(open_part(r, n, &d, &part));
            }
        }
    }
    return THUD_OK;
}

// ---------------------------------------------------------------------------------------------- copies

static const char *prefixed(const splicer *s, const char *name)
{
    const size_t size = strlen(s->prefix) + strlen(name) + 1;
    char *text = pool_push(&s->to->tree.pool, size, 1);
    if (text) {
        snprintf(text, size, "%s%s", s->prefix, name);
    }
    return text;
}

// A name of the part as it is called here. The outermost class of the part is no class of this file.
static const char *rename_class(const splicer *s, const char *name)
{
    return strcmp(name, "main") == 0 ? s->main : prefixed(s, name);
}

static bool is_class(const mjcf_attribute *a)
{
    return strcmp(a->name, "class") == 0 || strcmp(a->name, "childclass") == 0;
}

static thud_status copy_attribute(const splicer *s, const xml_node *node, const xml_attribute *from,
                                  xml_attribute *to)
{
    const mjcf_attribute *a = mjcf_find_attribute(node->element, from->name);
    *to = *from;
    if (!a || !from->value[0]) {
        return THUD_OK;
    }
    const mjcf_space space = mjcf_referred(node, a);
    if (is_class(a)) {
        to->value = rename_class(s, from->value);
    } else if (a->kind == MJCF_NAME || (space && strcmp(from->value, "world") != 0)) {
        to->value = prefixed(s, from->value);
    }
    return to->value ? THUD_OK : THUD_NO_MEMORY;
}

// An asset that has no name is called after its file: the name, with the prefix, is written out.
static bool needs_name(const xml_node *node)
{
    const mjcf_role role = node->element->role;
    return (role == MJCF_ROLE_MESH || role == MJCF_ROLE_HFIELD || role == MJCF_ROLE_TEXTURE) &&
           !xml_find(node, "name") && xml_find(node, "file");
}

static thud_status copy_attributes(const splicer *s, const xml_node *from, const char *word,
                                   const char *value, xml_node *to)
{
    to->attribute = pool_push(&s->to->tree.pool, (size_t)from->attributes + 2, sizeof *to->attribute);
    if (!to->attribute) {
        return THUD_NO_MEMORY;
    }
    for (int i = 0; i < from->attributes; i++) {
        THUD_TRY(copy_attribute(s, from, &from->attribute[i], &to->attribute[to->attributes]));
        to->attributes++;
    }
    if (word && !xml_find(from, word)) {
        to->attribute[to->attributes++] = (xml_attribute){word, value, from->place.line, from->place.column};
    }
    if (needs_name(from)) {
        const char *file = mjcf_name_of_file(s->to, xml_find(from, "file")->value);
        const char *name = file ? prefixed(s, file) : NULL;
        to->attribute[to->attributes++] = (xml_attribute){"name", name, from->place.line, from->place.column};
        return name ? THUD_OK : THUD_NO_MEMORY;
    }
    return THUD_OK;
}

static thud_status add_name(splicer *s, int n)
{
    const xml_node *node = mjcf_node(&s->part->reader, n);
    const xml_attribute *name = xml_find(node, "name");
    const mjcf_space space = node->element->space;
    if (!space || (!name && !needs_name(node))) {
        return THUD_OK;
    }
    const char *text = name ? name->value : mjcf_name_of_file(s->to, xml_find(node, "file")->value);
    mjcf_name *slot = text ? mjcf_names_slot(&s->came, space, text) : NULL;
    if (slot && !slot->space) {
        *slot = (mjcf_name){space, text, n, node->place};
        s->came.count++;
    }
    return slot ? THUD_OK : THUD_NO_MEMORY;
}

// One node as the last child of `parent`, with an attribute that it gets if it does not have it (word NULL: none).
static thud_status add_copy(splicer *s, int from, int parent, const char *word, const char *value, int *out)
{
    xml_tree *tree = &s->to->tree;
    const xml_node *source = mjcf_node(&s->part->reader, from);
    if (tree->nodes >= XML_NODES) {
        return MJCF_FAIL(s->to, THUD_BAD_FILE, mjcf_node(s->to, s->at)->place,
                         "what is attached makes more than %d elements", XML_NODES);
    }
    const int n = xml_tree_add(tree, parent, source->name, source->place);
    if (n < 0) {
        return THUD_NO_MEMORY;
    }
    tree->node[n].element = source->element;
    tree->node[n].settings = s->part->settings + source->settings;
    *out = n;
    THUD_TRY(add_name(s, from));
    return copy_attributes(s, source, word, value, &tree->node[n]);
}

// A node and all below it.
static thud_status copy_below(splicer *s, int top, int parent, const char *word, const char *value)
{
    const xml_tree *tree = &s->part->reader.tree;
    for (int from = top;;) {
        int n;
        THUD_TRY(add_copy(s, from, parent, from == top ? word : NULL, value, &n));
        if (tree->node[from].first >= 0) {
            from = tree->node[from].first;
            parent = n;
            continue;
        }
        while (from != top && tree->node[from].next < 0) {
            from = tree->node[from].parent;
            parent = s->to->tree.node[parent].parent;
        }
        if (from == top) {
            return THUD_OK;
        }
        from = tree->node[from].next;
    }
}

static thud_status add_made(splicer *s, const mjcf_element *element, int parent, int attributes, int *out)
{
    xml_tree *tree = &s->to->tree;
    const int n = xml_tree_add(tree, parent, element->name, mjcf_node(s->to, s->at)->place);
    xml_attribute *attribute = n < 0 ? NULL : pool_push(&tree->pool, (size_t)attributes, sizeof *attribute);
    if (!attribute) {
        return THUD_NO_MEMORY;
    }
    tree->node[n].element = element;
    tree->node[n].attribute = attribute;
    tree->node[n].settings = tree->node[s->at].settings;
    *out = n;
    return THUD_OK;
}

static void put(splicer *s, int n, const char *word, const char *value)
{
    xml_node *node = &s->to->tree.node[n];
    node->attribute[node->attributes++] = (xml_attribute){word, value, node->place.line, node->place.column};
}

// ---------------------------------------------------------------------------------------------- bodies

static int find_in_worlds(const mjcf_reader *part, mjcf_role role, const char *name)
{
    for (int w = mjcf_node(part, 0)->first; w >= 0; w = mjcf_node(part, w)->next) {
        for (int n = w; mjcf_node(part, w)->element->role == MJCF_ROLE_WORLDBODY && n >= 0;
             n = xml_tree_next(&part->tree, n, w)) {
            const xml_attribute *called = xml_find(mjcf_node(part, n), "name");
            if (mjcf_node(part, n)->element->role == role && called && strcmp(called->value, name) == 0) {
                return n;
            }
        }
    }
    return -1;
}

// The default class in which a body or frame stands in its own file.
static const char *class_around(const splicer *s, int n)
{
    for (int up = mjcf_node(&s->part->reader, n)->parent; up >= 0;
         up = mjcf_node(&s->part->reader, up)->parent) {
        const xml_attribute *x = xml_find(mjcf_node(&s->part->reader, up), "childclass");
        if (x) {
            return rename_class(s, x->value);
        }
    }
    return s->main;
}

static thud_status attach_one(splicer *s, mjcf_role role, const char *word, const char *name)
{
    const int n = find_in_worlds(&s->part->reader, role, name);
    if (n < 0) {
        return MJCF_FAIL(s->to, THUD_BAD_FILE, mjcf_place(s->to, s->at, word),
                         "the attached model has no %s named \"%.80s\"", word, name);
    }
    const char *around = class_around(s, n);
    return around ? copy_below(s, n, s->at, "childclass", around) : THUD_NO_MEMORY;
}

// All that stands in its worlds, in a frame, or (the body "world") in a body.
static thud_status attach_world(splicer *s, bool as_body)
{
    int top;
    THUD_TRY(add_made(s, as_body ? &mjcf_body : &mjcf_frame, s->at, 2, &top));
    put(s, top, "childclass", s->main);
    if (as_body) {
        const char *name = prefixed(s, "world");
        if (!name) {
            return THUD_NO_MEMORY;
        }
        put(s, top, "name", name);
    }
    const mjcf_reader *part = &s->part->reader;
    for (int w = mjcf_node(part, 0)->first; w >= 0; w = mjcf_node(part, w)->next) {
        for (int n = mjcf_node(part, w)->first;
             mjcf_node(part, w)->element->role == MJCF_ROLE_WORLDBODY && n >= 0;
             n = mjcf_node(part, n)->next) {
            THUD_TRY(copy_below(s, n, top, NULL, NULL));
        }
    }
    return THUD_OK;
}

// ---------------------------------------------------------------------------------------------- sections

static bool names_only_what_came(const splicer *s, int top)
{
    const mjcf_reader *part = &s->part->reader;
    for (int n = top; n >= 0; n = xml_tree_next(&part->tree, n, top)) {
        const xml_node *node = mjcf_node(part, n);
        for (int i = 0; i < node->attributes; i++) {
            const mjcf_attribute *a = mjcf_find_attribute(node->element, node->attribute[i].name);
            const mjcf_space space = a && a->kind != MJCF_NAME ? mjcf_referred(node, a) : MJCF_SPACE_NONE;
            const char *name = node->attribute[i].value;
            if (space && space != MJCF_SPACE_CLASS && name[0] && strcmp(name, "world") != 0 &&
                !mjcf_names_hold(&s->came, space, name)) {
                return false;
            }
        }
    }
    return true;
}

static thud_status attach_section(splicer *s, int section)
{
    const mjcf_reader *part = &s->part->reader;
    int to;
    THUD_TRY(add_copy(s, section, 0, NULL, NULL, &to));
    for (int n = mjcf_node(part, section)->first; n >= 0; n = mjcf_node(part, n)->next) {
        const xml_node *node = mjcf_node(part, n);
        if (node->element->role != MJCF_ROLE_MODEL && names_only_what_came(s, n)) {
            THUD_TRY(copy_below(s, n, to, node->element->draft ? "class" : NULL, s->main));
        }
    }
    return THUD_OK;
}

// An outermost <default>: a class of its own, with the classes nested in it.
static thud_status attach_default(splicer *s, int n)
{
    const int top = s->to->tree.nodes;
    const xml_attribute *name = xml_find(mjcf_node(&s->part->reader, n), "class");
    THUD_TRY(copy_below(s, n, 0, "class", s->main));
    xml_node *copy = &s->to->tree.node[top];
    for (int i = 0; i < copy->attributes && name && strcmp(name->value, "main") != 0; i++) {
        if (strcmp(copy->attribute[i].name, "class") == 0) {
            copy->attribute[i].value = prefixed(s, name->value);
        }
    }
    return THUD_OK;
}

// A file without an outermost class of its own has MuJoCo's defaults, and not those of the file that it is attached to.
static thud_status make_default(splicer *s)
{
    const mjcf_reader *part = &s->part->reader;
    for (int n = mjcf_node(part, 0)->first; n >= 0; n = mjcf_node(part, n)->next) {
        if (mjcf_node(part, n)->element->role == MJCF_ROLE_DEFAULT) {
            return THUD_OK;
        }
    }
    int n;
    THUD_TRY(add_made(s, &mjcf_default, 0, 1, &n));
    put(s, n, "class", s->main);
    return THUD_OK;
}

static thud_status attach_sections(splicer *s)
{
    static const mjcf_role order[] = {MJCF_ROLE_DEFAULT, MJCF_ROLE_ASSET,      MJCF_ROLE_CONTACT,
                                      MJCF_ROLE_TENDONS, MJCF_ROLE_EQUALITIES, MJCF_ROLE_ACTUATORS,
                                      MJCF_ROLE_SENSORS};
    const mjcf_reader *part = &s->part->reader;
    THUD_TRY(make_default(s));
    for (int k = 0; k < 7; k++) {
        for (int n = mjcf_node(part, 0)->first; n >= 0; n = mjcf_node(part, n)->next) {
            if (mjcf_node(part, n)->element->role == order[k]) {
                THUD_TRY(k == 0 ? attach_default(s, n) : attach_section(s, n));
            }
        }
    }
    for (int n = mjcf_node(part, 0)->first; n >= 0; n = mjcf_node(part, n)->next) {
        const mjcf_role role = mjcf_node(part, n)->element->role;
        if ((role == MJCF_ROLE_KEYFRAME || role == MJCF_ROLE_CUSTOM || role == MJCF_ROLE_OPTION) &&
            !mjcf_remember(s->to, MJCF_REMARK_OF_ATTACHED, mjcf_node(part, n)->place)) {
            return THUD_NO_MEMORY;
        }
    }
    return THUD_OK;
}

// ---------------------------------------------------------------------------------------------- all

static mjcf_part *find_part(const mjcf_reader *r, const char *name)
{
    mjcf_part *part = r->parts;
    while (part && !(part->name && strcmp(part->name, name) == 0)) {
        part = part->next;
    }
    return part;
}

static thud_status attach(splicer *s)
{
    draft_attach d = {.prefix = ""};
    mjcf_reader *r = s->to;
    THUD_TRY(mjcf_read_attributes(r, s->at, &d));
    s->part = find_part(r, d.model);
    s->prefix = d.prefix;
    if (!s->part) {
        return MJCF_FAIL(r, THUD_BAD_FILE, mjcf_place(r, s->at, "model"),
                         "there is no model named \"%.80s\" among the assets", d.model);
    }
    const char *main = prefixed(s, "main");
    char *own = pool_push(&r->tree.pool, 40, 1);
    if (!main || !own) {
        return THUD_NO_MEMORY;
    }
    snprintf(own, 40, "main of attached model %d", s->at); // without a prefix, no name that a file could have
    s->main = d.prefix[0] ? main : own;
    THUD_TRY(d.body && strcmp(d.body, "world") == 0 ? attach_world(s, true)
             : d.body                               ? attach_one(s, MJCF_ROLE_BODY, "body", d.body)
             : d.frame                              ? attach_one(s, MJCF_ROLE_FRAME, "frame", d.frame)
                                                    : attach_world(s, false));
    return attach_sections(s);
}

thud_status mjcf_attach_models(mjcf_reader *r)
{
    THUD_TRY(open_parts(r));
    const int nodes = r->tree.nodes; // what is copied has its own written out already
    for (int n = 0; n < nodes; n++) {
        if (mjcf_node(r, n)->element->role == MJCF_ROLE_ATTACH) {
            splicer s = {.to = r, .at = n};
            const thud_status status = attach(&s);
            thud_free(s.came.name);
            THUD_TRY(status);
        }
    }
    return THUD_OK;
}
