// SPDX-License-Identifier: Apache-2.0
// mjcf_tree.c: bodies with their inertias, joints, geoms and sites, in one walk without recursion.
//
// Every node that can have children knows what they inherit: their body, the frame they are written in, and
// the default class. Frames dissolve into the poses of what is in them.
#include <math.h>
#include <string.h>

#include "mjcf_reader.h"

typedef struct context { // what the children of a node inherit
    int body, class_;
    bool copied; // they stand in a <replicate> of this body
    pose X_bf;   // the frame they are written in, seen from the body
} context;

static const double radians_per_degree = 3.14159265358979323846 / 180;

static thud_status child_class(mjcf_reader *r, int n, const char *childclass, context *c)
{
    return childclass
               ? mjcf_name_ask(r, MJCF_SPACE_CLASS, childclass, mjcf_place(r, n, "childclass"), &c->class_)
               : THUD_OK;
}

static thud_status read_body(mjcf_reader *r, int n, const context *in, context *out)
{
    draft_body d = {0};
    quat q;
    THUD_TRY(mjcf_read_attributes(r, n, &d));
    THUD_TRY(mjcf_orient(r, n, &d.head, &d.turn, &q));
    const int b = thud_spec_add_body(r->spec, in->body, d.head.name);
    if (b < 0) {
        return THUD_NO_MEMORY;
    }
    const thud_place place = mjcf_node(r, n)->place;
    THUD_TRY(mjcf_name_add(r, MJCF_SPACE_BODY, d.head.name, b, place));
    const pose X = mjcf_settle_pose(pose_mul(in->X_bf, (pose){q, d.pos}));
    thud_spec_body *body = &r->spec->body[b];
    body->pos = X.p;
    body->quat = X.q;
    body->gravcomp = d.gravcomp;
    body->mocap = d.mocap;
    body->place = place;
    *out = (context){b, in->class_, false, pose_identity()};
    return child_class(r, n, d.childclass, out);
}

static thud_status read_frame(mjcf_reader *r, int n, const context *in, context *out)
{
    draft_body d = {0};
    quat q;
    THUD_TRY(mjcf_read_attributes(r, n, &d));
    THUD_TRY(mjcf_orient(r, n, &d.head, &d.turn, &q));
    THUD_TRY(mjcf_name_add(r, MJCF_SPACE_FRAME, d.head.name, 0, mjcf_node(r, n)->place));
    *out = (context){in->body, in->class_, in->copied, pose_mul(in->X_bf, (pose){q, d.pos})};
    return child_class(r, n, d.childclass, out);
}

// The class that a <replicate> gives its copies; where they stand is known already.
static thud_status read_replicate(mjcf_reader *r, int n, const context *in, context *out)
{
    draft_body d = {0};
    THUD_TRY(mjcf_read_attributes(r, n, &d));
    *out = (context){in->body, in->class_, true, in->X_bf};
    return child_class(r, n, d.childclass, out);
}

static thud_status refuse_copies(mjcf_reader *r, int n, const context *in)
{
    return in->copied ? MJCF_FAIL(r, THUD_BAD_FILE, mjcf_node(r, n)->place,
                                  "<%s> stands in a <replicate> and would be given to one body many times",
                                  mjcf_node(r, n)->name)
                      : THUD_OK;
}

static thud_status read_inertial(mjcf_reader *r, int n, const context *in)
{
    draft_inertial d = {0};
    quat q;
    THUD_TRY(mjcf_read_attributes(r, n, &d));
    THUD_TRY(mjcf_orient(r, n, &d.head, &d.turn, &q));
    thud_spec_body *body = &r->spec->body[in->body];
    const thud_place place = mjcf_node(r, n)->place;
    if (in->body == 0) {
        return MJCF_FAIL(r, THUD_BAD_FILE, place, "the world has no inertia; put the <inertial> in a <body>");
    }
    if (body->has_inertial && !in->copied) { // of copies the last counts
        return MJCF_FAIL(r, THUD_BAD_FILE, place, "a second <inertial> in one body; the first is in line %d",
                         body->inertial_place.line);
    }
    const pose X = mjcf_settle_pose(pose_mul(in->X_bf, (pose){q, d.pos}));
    body->has_inertial = true;
    body->inertial_place = place;
    body->mass = d.mass;
    body->ipos = X.p;
    body->iquat = X.q;
    if (d.head.given & GIVEN_FULLINERTIA) {
        memcpy(body->inertia, d.fullinertia, sizeof d.fullinertia);
    } else {
        memcpy(body->inertia, d.diaginertia, sizeof d.diaginertia);
    }
    mjcf_settle_inertia(body);
    return THUD_OK;
}

static thud_status finish_joint(mjcf_reader *r, int n, const context *in, thud_spec_joint *j)
{
    if (in->body == 0) {
        return MJCF_FAIL(r, THUD_BAD_FILE, mjcf_node(r, n)->place,
                         "the world does not move; put the joint in a <body>");
    }
    THUD_TRY(mjcf_check_range(r, n, "actuatorfrcrange", j->actfrcrange));
    THUD_TRY(mjcf_check_range(r, n, "range", j->range));
    if (mjcf_settings_of(r, n)->degrees && (j->type == THUD_JOINT_HINGE || j->type == THUD_JOINT_BALL)) {
        j->range[0] *= radians_per_degree;
        j->range[1] *= radians_per_degree;
    }
    if (mjcf_settings_of(r, n)->degrees && j->type == THUD_JOINT_HINGE) {
        j->ref *= radians_per_degree;
        j->springref *= radians_per_degree;
    }
    j->has_range = mjcf_is_range(j->range);
    j->has_actfrcrange = mjcf_is_range(j->actfrcrange);
    j->pos = mjcf_settle(pose_point(in->X_bf, j->pos));
    j->axis = mjcf_settle(q_rotate(in->X_bf.q, j->axis));
    if ((j->type == THUD_JOINT_HINGE || j->type == THUD_JOINT_SLIDE) && !(v3_norm(j->axis) > 1e-14)) {
        return MJCF_FAIL(r, THUD_BAD_FILE, mjcf_place(r, n, "axis"), "the joint's axis has no length");
    }
    if (j->type == THUD_JOINT_FREE && r->spec->body[in->body].parent != 0) {
        return MJCF_FAIL(r, THUD_BAD_FILE, j->place, "a free joint is for a body that stands in the world");
    }
    return mjcf_check_limited(r, n, "limited", j->limited, "range", j->has_range);
}

static thud_status add_joint(mjcf_reader *r, int n, const context *in, draft_joint *d)
{
    THUD_TRY(refuse_copies(r, n, in));
    const int i = thud_spec_add_joint(r->spec, in->body, d->to.type, d->head.name);
    if (i < 0) {
        return THUD_NO_MEMORY;
    }
    thud_spec_joint *joint = &r->spec->joint[i];
    d->to.name = joint->name;
    d->to.body = in->body;
    d->to.place = mjcf_node(r, n)->place;
    THUD_TRY(finish_joint(r, n, in, &d->to));
    *joint = d->to;
    return mjcf_name_add(r, MJCF_SPACE_JOINT, d->head.name, i, d->to.place);
}

static thud_status read_joint(mjcf_reader *r, int n, const context *in)
{
    draft_joint d;
    THUD_TRY(mjcf_read_element(r, n, in->class_, &d));
    if ((int)d.to.type == MJCF_FIXED_JOINT) {
        return mjcf_remember(r, MJCF_REMARK_FIXED_JOINT, mjcf_node(r, n)->place) ? THUD_OK : THUD_NO_MEMORY;
    }
    return add_joint(r, n, in, &d);
}

// A free joint that no default class touches.
static thud_status read_freejoint(mjcf_reader *r, int n, const context *in)
{
    draft_joint d = {.to = {.type = THUD_JOINT_FREE,
                            .axis = {0, 0, 1},
                            .limited = THUD_FALSE,
                            .actfrclimited = THUD_FALSE,
                            .align = THUD_AUTO,
                            .solreflimit = {0.02, 1},
                            .solimplimit = {0.9, 0.95, 0.001, 0.5, 2},
                            .solreffriction = {0.02, 1},
                            .solimpfriction = {0.9, 0.95, 0.001, 0.5, 2}}};
    THUD_TRY(mjcf_read_attributes(r, n, &d));
    return add_joint(r, n, in, &d);
}

// An element's own colour, or, where that is the default grey, its material's.
static thud_status colour(mjcf_reader *r, int n, const char *material, double rgba[4])
{
    if (!material) {
        return THUD_OK;
    }
    const int m = mjcf_name_find(r, MJCF_SPACE_MATERIAL, material);
    if (m < 0) {
        return mjcf_remember(r, MJCF_REMARK_NO_MATERIAL, mjcf_place(r, n, "material")) ? THUD_OK
                                                                                       : THUD_NO_MEMORY;
    }
    if (rgba[0] == 0.5 && rgba[1] == 0.5 && rgba[2] == 0.5 && rgba[3] == 1) {
        memcpy(rgba, r->material_rgba[m], 4 * sizeof rgba[0]);
    }
    return THUD_OK;
}

static thud_status refer_geom(mjcf_reader *r, int n, const draft_geom *d, thud_spec_geom *g)
{
    const thud_place place = mjcf_node(r, n)->place;
    if (g->type == THUD_GEOM_MESH && !d->mesh) {
        return MJCF_FAIL(r, THUD_BAD_FILE, place, "a geom of type mesh needs the attribute \"mesh\"");
    }
    if (g->type == THUD_GEOM_HFIELD && !d->hfield) {
        return MJCF_FAIL(r, THUD_BAD_FILE, place, "a geom of type hfield needs the attribute \"hfield\"");
    }
    if ((g->type == THUD_GEOM_PLANE || g->type == THUD_GEOM_HFIELD) && d->mesh) {
        return MJCF_FAIL(r, THUD_BAD_FILE, mjcf_place(r, n, "mesh"), "a plane or hfield takes no mesh");
    }
    if (d->mesh) {
        THUD_TRY(mjcf_name_ask(r, MJCF_SPACE_MESH, d->mesh, mjcf_place(r, n, "mesh"), &g->mesh));
    }
    if (g->type == THUD_GEOM_HFIELD) {
        THUD_TRY(mjcf_name_ask(r, MJCF_SPACE_HFIELD, d->hfield, mjcf_place(r, n, "hfield"), &g->hfield));
    }
    return colour(r, n, d->material, g->rgba);
}

// The sizes that a shape needs must be positive; those that are fitted to a mesh are not given.
static thud_status check_size(mjcf_reader *r, int n, thud_geom_type type, const double size[3])
{
    static const int needed[] = {
        [THUD_GEOM_PLANE] = 0,     [THUD_GEOM_HFIELD] = 0,   [THUD_GEOM_SPHERE] = 1, [THUD_GEOM_CAPSULE] = 2,
        [THUD_GEOM_ELLIPSOID] = 3, [THUD_GEOM_CYLINDER] = 2, [THUD_GEOM_BOX] = 3,    [THUD_GEOM_MESH] = 0};
    static const char *const noun[] = {[THUD_GEOM_SPHERE] = "sphere",
                                       [THUD_GEOM_CAPSULE] = "capsule",
                                       [THUD_GEOM_ELLIPSOID] = "ellipsoid",
                                       [THUD_GEOM_CYLINDER] = "cylinder",
                                       [THUD_GEOM_BOX] = "box"};
    for (int k = 0; k < needed[type]; k++) {
        if (!(size[k] > 0)) {
            return MJCF_FAIL(r, THUD_BAD_FILE, mjcf_place(r, n, "size"),
                             "a %s has %d positive size%s; number %d is %g", noun[type], needed[type],
                             needed[type] == 1 ? "" : "s", k + 1, size[k]);
        }
    }
    return THUD_OK;
}

static thud_status check_geom(mjcf_reader *r, int n, const thud_spec_geom *g)
{
    if (g->condim != 1 && g->condim != 3 && g->condim != 4 && g->condim != 6) {
        return MJCF_FAIL(r, THUD_BAD_FILE, mjcf_place(r, n, "condim"), "condim is 1, 3, 4 or 6, not %d",
                         g->condim);
    }
    return g->mesh >= 0 ? THUD_OK : check_size(r, n, g->type, g->size);
}

static thud_status read_geom(mjcf_reader *r, int n, const context *in)
{
    draft_geom d;
    pose X = pose_identity();
    THUD_TRY(mjcf_read_element(r, n, in->class_, &d));
    if (d.head.given & GIVEN_FROMTO) {
        THUD_TRY(mjcf_span(r, n, d.to.type, d.fromto, d.to.size, &X));
    } else {
        THUD_TRY(mjcf_orient(r, n, &d.head, &d.turn, &X.q));
        X.p = d.to.pos;
    }
    const int i = thud_spec_add_geom(r->spec, in->body, d.to.type, d.head.name);
    const char *material = d.material ? thud_spec_intern(r->spec, d.material) : NULL;
    if (i < 0 || (d.material && !material)) {
        return THUD_NO_MEMORY;
    }
    thud_spec_geom *geom = &r->spec->geom[i];
    X = mjcf_settle_pose(pose_mul(in->X_bf, X));
    d.to.name = geom->name;
    d.to.body = in->body;
    d.to.pos = X.p;
    d.to.quat = X.q;
    d.to.material = material;
    d.to.place = mjcf_node(r, n)->place;
    THUD_TRY(refer_geom(r, n, &d, &d.to));
    THUD_TRY(check_geom(r, n, &d.to));
    *geom = d.to;
    if (d.fluidshape && !r->fluid_place.line) {
        r->fluid_place = mjcf_place(r, n, "fluidshape");
    }
    return mjcf_name_add(r, MJCF_SPACE_GEOM, d.head.name, i, d.to.place);
}

static thud_status read_site(mjcf_reader *r, int n, const context *in)
{
    draft_site d;
    pose X = pose_identity();
    THUD_TRY(mjcf_read_element(r, n, in->class_, &d));
    if (d.head.given & GIVEN_FROMTO) {
        THUD_TRY(mjcf_span(r, n, d.to.type, d.fromto, d.to.size, &X));
    } else {
        THUD_TRY(mjcf_orient(r, n, &d.head, &d.turn, &X.q));
        X.p = d.to.pos;
    }
    const int i = thud_spec_add_site(r->spec, in->body, d.head.name);
    if (i < 0) {
        return THUD_NO_MEMORY;
    }
    thud_spec_site *site = &r->spec->site[i];
    X = mjcf_settle_pose(pose_mul(in->X_bf, X));
    d.to.name = site->name;
    d.to.body = in->body;
    d.to.pos = X.p;
    d.to.quat = X.q;
    d.to.place = mjcf_node(r, n)->place;
    THUD_TRY(colour(r, n, d.material, d.to.rgba));
    THUD_TRY(check_size(r, n, d.to.type, d.to.size));
    *site = d.to;
    return mjcf_name_add(r, MJCF_SPACE_SITE, d.head.name, i, d.to.place);
}

static thud_status read_looks(mjcf_reader *r, int n) // a camera or light: only its name
{
    draft_head head = {0};
    THUD_TRY(mjcf_read_attributes(r, n, &head));
    return mjcf_name_add(r, mjcf_node(r, n)->element->space, head.name, 0, mjcf_node(r, n)->place);
}

static thud_status read_node(mjcf_reader *r, int n, const context *in, context *out)
{
    switch (mjcf_node(r, n)->element->role) {
    case MJCF_ROLE_BODY:
        return read_body(r, n, in, out);
    case MJCF_ROLE_FRAME:
        return read_frame(r, n, in, out);
    case MJCF_ROLE_REPLICATE:
        return read_replicate(r, n, in, out);
    case MJCF_ROLE_ATTACH: // what it brought stands in it
        *out = *in;
        return THUD_OK;
    case MJCF_ROLE_COPY:
        *out = *in;
        out->X_bf = pose_mul(in->X_bf, *mjcf_node(r, n)->copy);
        return THUD_OK;
    case MJCF_ROLE_INERTIAL:
        return read_inertial(r, n, in);
    case MJCF_ROLE_JOINT:
        return read_joint(r, n, in);
    case MJCF_ROLE_FREEJOINT:
        return read_freejoint(r, n, in);
    case MJCF_ROLE_GEOM:
        return read_geom(r, n, in);
    case MJCF_ROLE_SITE:
        return read_site(r, n, in);
    default:
        return read_looks(r, n);
    }
}

thud_status mjcf_read_tree(mjcf_reader *r)
{
    context *c = pool_push(&r->tree.pool, (size_t)r->tree.nodes, sizeof *c);
    if (!c) {
        return THUD_NO_MEMORY;
    }
    THUD_TRY(mjcf_name_add(r, MJCF_SPACE_BODY, "world", 0, (thud_place){0}));
    for (int w = mjcf_node(r, 0)->first; w >= 0; w = mjcf_node(r, w)->next) {
        if (mjcf_node(r, w)->element->role != MJCF_ROLE_WORLDBODY) {
            continue;
        }
        c[w] = (context){0, 0, false, pose_identity()};
        for (int n = xml_tree_next(&r->tree, w, w); n >= 0; n = xml_tree_next(&r->tree, n, w)) {
            THUD_TRY(read_node(r, n, &c[mjcf_node(r, n)->parent], &c[n]));
        }
    }
    if (r->fluid_place.line && (r->spec->option.density > 0 || r->spec->option.viscosity > 0)) {
        return MJCF_FAIL(
            r, THUD_UNSUPPORTED, r->fluid_place,
            "fluidshape=\"ellipsoid\" is not supported: leave it out for the simple fluid model");
    }
    return THUD_OK;
}
