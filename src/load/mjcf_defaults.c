// SPDX-License-Identifier: Apache-2.0
// mjcf_defaults.c: default classes. A class starts as its parent and changes what it names; drafts are shared
// until changed, so that a thousand nested classes cost what they say.
#include <string.h>

#include "mjcf_reader.h"

static const size_t draft_size[MJCF_DRAFTS] = {
    [MJCF_DRAFT_JOINT] = sizeof(draft_joint),       [MJCF_DRAFT_GEOM] = sizeof(draft_geom),
    [MJCF_DRAFT_SITE] = sizeof(draft_site),         [MJCF_DRAFT_MESH] = sizeof(draft_mesh),
    [MJCF_DRAFT_MATERIAL] = sizeof(draft_material), [MJCF_DRAFT_PAIR] = sizeof(draft_pair),
    [MJCF_DRAFT_EQUALITY] = sizeof(draft_equality), [MJCF_DRAFT_TENDON] = sizeof(draft_tendon),
    [MJCF_DRAFT_ACTUATOR] = sizeof(draft_actuator)};

static int add_class(mjcf_reader *r, int parent)
{
    if (!thud_grow((void **)&r->class_, &r->class_cap, r->classes, sizeof *r->class_)) {
        return -1;
    }
    r->class_[r->classes] = parent >= 0 ? r->class_[parent] : (mjcf_class){{0}};
    return r->classes++;
}

// MJCF's own defaults are those of the spec's add functions: one element of each kind is made, and taken from
// there.
static bool fill_main(mjcf_reader *r, thud_spec *model)
{
    draft_any *draft[MJCF_DRAFTS] = {0};
    for (int k = 1; k < MJCF_DRAFTS; k++) {
        draft[k] = pool_push(&r->tree.pool, 1, sizeof *draft[k]);
        r->class_[0].draft[k] = r->built_in[k] = draft[k];
        if (!draft[k]) {
            return false;
        }
    }
    if (thud_spec_add_joint(model, 0, THUD_JOINT_HINGE, NULL) < 0 ||
        thud_spec_add_geom(model, 0, THUD_GEOM_SPHERE, NULL) < 0 || thud_spec_add_site(model, 0, NULL) < 0 ||
        thud_spec_add_mesh(model, NULL) < 0 || thud_spec_add_pair(model, -1, -1, NULL) < 0 ||
        thud_spec_add_equality(model, THUD_EQUALITY_CONNECT, NULL) < 0 ||
        thud_spec_add_tendon(model, false, NULL) < 0 ||
        thud_spec_add_actuator(model, THUD_TRANSMISSION_JOINT, -1, NULL) < 0) {
        return false;
    }
    draft[MJCF_DRAFT_JOINT]->joint.to = model->joint[0];
    draft[MJCF_DRAFT_GEOM]->geom.to = model->geom[0];
    draft[MJCF_DRAFT_SITE]->site.to = model->site[0];
    draft[MJCF_DRAFT_MESH]->mesh.to = model->mesh[0];
    draft[MJCF_DRAFT_MATERIAL]->material = (draft_material){.rgba = {1, 1, 1, 1}};
    draft[MJCF_DRAFT_PAIR]->pair.to = model->pair[0];
    draft[MJCF_DRAFT_EQUALITY]->equality.to = model->equality[0];
    draft[MJCF_DRAFT_TENDON]->tendon.to = model->tendon[0];
    draft[MJCF_DRAFT_ACTUATOR]->actuator.to = model->actuator[0];
    draft[MJCF_DRAFT_ACTUATOR]->actuator.muscle = mjcf_no_muscle;
    draft[MJCF_DRAFT_ACTUATOR]->actuator.class_ = -1;
    return true;
}

thud_status mjcf_classes_create(mjcf_reader *r)
{
    thud_spec *model;
    if (add_class(r, -1) < 0) {
        return THUD_NO_MEMORY;
    }
    THUD_TRY(mjcf_name_add(r, MJCF_SPACE_CLASS, "main", 0, (thud_place){0}));
    THUD_TRY(thud_spec_create(&model));
    const bool filled = fill_main(r, model);
    thud_spec_destroy(model);
    return filled ? THUD_OK : THUD_NO_MEMORY;
}

// An outermost <default> is main, and may have another name, as before MuJoCo 3: the first gives main that name, any other
// is a class of its own, without what main says; so are those of a file that is attached. Written again, it goes on.
static thud_status open_top_class(mjcf_reader *r, int n, const char *name, thud_place place, int *out)
{
    const int known = name ? mjcf_name_find(r, MJCF_SPACE_CLASS, name) : -1;
    *out = known >= 0 ? known : 0;
    if (known >= 0) {
        r->main_opened |= known == 0;
        return THUD_OK;
    }
    if (!name || strcmp(name, "main") == 0) {
        r->main_opened = true;
        return THUD_OK;
    }
    if (!r->main_opened && mjcf_node(r, n)->settings == 0) {
        r->main_opened = true;
        return mjcf_name_add(r, MJCF_SPACE_CLASS, name, 0, place);
    }
    *out = add_class(r, -1);
    if (*out < 0) {
        return THUD_NO_MEMORY;
    }
    memcpy(r->class_[*out].draft, r->built_in, sizeof r->built_in);
    return mjcf_name_add(r, MJCF_SPACE_CLASS, name, *out, place);
}

// The class that a <default> names: a new one below `parent`, or main at the top.
static thud_status open_class(mjcf_reader *r, int n, int parent, int *out)
{
    draft_head head = {0};
    THUD_TRY(mjcf_read_attributes(r, n, &head));
    const thud_place place = mjcf_place(r, n, "class");
    if (parent < 0) {
        return open_top_class(r, n, head.class_name, place, out);
    }
    if (!head.class_name) {
        return MJCF_FAIL(r, THUD_BAD_FILE, place, "a nested <default> needs the attribute \"class\"");
    }
    *out = add_class(r, parent);
    return *out < 0 ? THUD_NO_MEMORY : mjcf_name_add(r, MJCF_SPACE_CLASS, head.class_name, *out, place);
}

// What one <default> says, apart from the classes nested in it.
static thud_status read_class(mjcf_reader *r, int n, int class_)
{
    for (int c = mjcf_node(r, n)->first; c >= 0; c = mjcf_node(r, c)->next) {
        const mjcf_element *element = mjcf_node(r, c)->element;
        if (element->draft) {
            void *draft = pool_push(&r->tree.pool, 1, sizeof(draft_any));
            if (!draft) {
                return THUD_NO_MEMORY;
            }
            memcpy(draft, r->class_[class_].draft[element->draft], draft_size[element->draft]);
            if (element->draft == MJCF_DRAFT_ACTUATOR) {
                mjcf_inherit_actuator(r->class_[class_].draft[element->draft], element->variant, class_,
                                      draft);
            }
            r->class_[class_].draft[element->draft] = draft;
            THUD_TRY(mjcf_read_attributes(r, c, draft));
            THUD_TRY(element->draft == MJCF_DRAFT_ACTUATOR ? mjcf_lower_actuator(r, c, draft) : THUD_OK);
        }
    }
    return THUD_OK;
}

thud_status mjcf_read_defaults(mjcf_reader *r)
{
    int *class_of = pool_push(&r->tree.pool, (size_t)r->tree.nodes, sizeof *class_of);
    if (!class_of) {
        return THUD_NO_MEMORY;
    }
    for (int n = mjcf_node(r, 0)->first; n >= 0; n = xml_tree_skip(&r->tree, n, 0)) {
        if (mjcf_node(r, n)->element->role != MJCF_ROLE_DEFAULT) {
            continue;
        }
        for (int d = n; d >= 0; d = xml_tree_next(&r->tree, d, n)) {
            if (mjcf_node(r, d)->element->role == MJCF_ROLE_DEFAULT) {
                THUD_TRY(open_class(r, d, d == n ? -1 : class_of[mjcf_node(r, d)->parent], &class_of[d]));
                THUD_TRY(read_class(r, d, class_of[d]));
            }
        }
    }
    return THUD_OK;
}

thud_status mjcf_read_element(mjcf_reader *r, int n, int inherited, void *out)
{
    const mjcf_element *element = mjcf_node(r, n)->element;
    const xml_attribute *named = xml_find(mjcf_node(r, n), "class");
    if (named) {
        THUD_TRY(
            mjcf_name_ask(r, MJCF_SPACE_CLASS, named->value, xml_place(mjcf_node(r, n), named), &inherited));
    }
    memcpy(out, r->class_[inherited].draft[element->draft], draft_size[element->draft]);
    if (element->draft == MJCF_DRAFT_ACTUATOR) {
        mjcf_inherit_actuator(r->class_[inherited].draft[element->draft], element->variant, -1, out);
    }
    return mjcf_read_attributes(r, n, out);
}
