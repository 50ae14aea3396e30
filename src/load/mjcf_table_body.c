// SPDX-License-Identifier: Apache-2.0
// mjcf_table_body.c: the schema of the tree: body, frame, replicate, inertial, joint, geom, site; and assets.
#include "mjcf_rows.h"

#define SOFT_PAIR(draft, reference, reference_field, impedance, impedance_field)                             \
    REAL(reference, 1, 2, draft, reference_field, SOFT), REAL(impedance, 1, 5, draft, impedance_field, SOFT)

static const char no_plugin[] = "plugins are code of MuJoCo; write the element out without them";
static const mjcf_element plugin = {.name = "plugin", .refusal = no_plugin};
static const mjcf_element *const only_plugin[] = {&plugin, NULL};

// ---------------------------------------------------------------------------------------------- bodies

static const mjcf_attribute body_rows[] = {
    NAME,
    TEXT("childclass", draft_body, childclass, .rules = MJCF_NOT_EMPTY),
    REAL("pos", 3, 3, draft_body, pos),
    TURN(draft_body),
    REAL("gravcomp", 1, 1, draft_body, gravcomp),
    BOOL("mocap", draft_body, mocap),
    ANY("sleep", SOLVER),
    ANY("simple", SOLVER),
    ANY("fuse", BUILD),
    USER,
    END};
const mjcf_element mjcf_body = {.name = "body",
                                .role = MJCF_ROLE_BODY,
                                .space = MJCF_SPACE_BODY,
                                .attribute = body_rows,
                                .child = mjcf_body_children};

static const mjcf_attribute frame_rows[] = {
    NAME, TEXT("childclass", draft_body, childclass, .rules = MJCF_NOT_EMPTY),
    REAL("pos", 3, 3, draft_body, pos), TURN(draft_body), END};
const mjcf_element mjcf_frame = {.name = "frame",
                                 .role = MJCF_ROLE_FRAME,
                                 .space = MJCF_SPACE_FRAME,
                                 .attribute = frame_rows,
                                 .child = mjcf_body_children};

static const mjcf_attribute replicate_rows[] = {
    INT("count", 1, draft_body, count, .rules = MJCF_REQUIRED | MJCF_NOT_NEGATIVE),
    TEXT("sep", draft_body, sep),
    REAL("offset", 3, 3, draft_body, offset),
    REAL("euler", 3, 3, draft_body, euler),
    TEXT("childclass", draft_body, childclass, .rules = MJCF_NOT_EMPTY),
    END};
static const mjcf_element replicate = {.name = "replicate",
                                       .role = MJCF_ROLE_REPLICATE,
                                       .attribute = replicate_rows,
                                       .child = mjcf_body_children};

// One copy that a <replicate> makes; never written in a file.
const mjcf_element mjcf_copy = {.name = "replicate", .role = MJCF_ROLE_COPY};

static const mjcf_attribute inertial_rows[] = {
    REAL("pos", 3, 3, draft_inertial, pos, .rules = MJCF_REQUIRED),
    REAL("mass", 1, 1, draft_inertial, mass, .rules = MJCF_REQUIRED | MJCF_NOT_NEGATIVE),
    TURN(draft_inertial),
    REAL("diaginertia", 3, 3, draft_inertial, diaginertia, .given = GIVEN_DIAGINERTIA,
         .group = GIVEN_DIAGINERTIA | GIVEN_FULLINERTIA),
    REAL("fullinertia", 6, 6, draft_inertial, fullinertia, .given = GIVEN_FULLINERTIA,
         .group = GIVEN_DIAGINERTIA | GIVEN_FULLINERTIA | GIVEN_TURN),
    END};
static const mjcf_element inertial = {
    .name = "inertial", .role = MJCF_ROLE_INERTIAL, .once = true, .attribute = inertial_rows};

// ---------------------------------------------------------------------------------------------- joints

static const mjcf_word joint_types[] = {{"hinge", THUD_JOINT_HINGE}, {"slide", THUD_JOINT_SLIDE},
                                        {"ball", THUD_JOINT_BALL},   {"free", THUD_JOINT_FREE},
                                        {"fixed", MJCF_FIXED_JOINT}, {NULL, 0}};
static const mjcf_attribute joint_rows[] = {
    NAME,
    CLASS,
    WORD("type", joint_types, draft_joint, to.type),
    REAL("pos", 3, 3, draft_joint, to.pos),
    REAL("axis", 3, 3, draft_joint, to.axis),
    REAL("ref", 1, 1, draft_joint, to.ref),
    REAL("springref", 1, 1, draft_joint, to.springref),
    REAL("springdamper", 2, 2, draft_joint, to.springdamper, NOT_NEGATIVE),
    REAL("stiffness", 1, 1, draft_joint, to.stiffness, DAMPING),
    REAL("damping", 1, 1, draft_joint, to.damping, DAMPING),
    REAL("armature", 1, 1, draft_joint, to.armature, NOT_NEGATIVE),
    REAL("frictionloss", 1, 1, draft_joint, to.frictionloss, NOT_NEGATIVE),
    REAL("range", 2, 2, draft_joint, to.range, LIMITS),
    WORD("limited", mjcf_tristates, draft_joint, to.limited),
    REAL("margin", 1, 1, draft_joint, to.margin),
    REAL("actuatorfrcrange", 2, 2, draft_joint, to.actfrcrange, LIMITS),
    WORD("actuatorfrclimited", mjcf_tristates, draft_joint, to.actfrclimited),
    BOOL("actuatorgravcomp", draft_joint, to.actgravcomp),
    SOFT_PAIR(draft_joint, "solreflimit", to.solreflimit, "solimplimit", to.solimplimit),
    SOFT_PAIR(draft_joint, "solreffriction", to.solreffriction, "solimpfriction", to.solimpfriction),
    ANY("group", NONE),
    USER,
    END};
const mjcf_element mjcf_joint = {.name = "joint",
                                 .role = MJCF_ROLE_JOINT,
                                 .space = MJCF_SPACE_JOINT,
                                 .draft = MJCF_DRAFT_JOINT,
                                 .attribute = joint_rows};

static const mjcf_word aligns[] = {{"false", THUD_FALSE}, {"true", -1}, {"auto", THUD_AUTO}, {NULL, 0}};
static const mjcf_attribute freejoint_rows[] = {NAME, WORD("align", aligns, draft_joint, to.align),
                                                ANY("group", NONE), END};
static const mjcf_element freejoint = {
    .name = "freejoint", .role = MJCF_ROLE_FREEJOINT, .space = MJCF_SPACE_JOINT, .attribute = freejoint_rows};

// ---------------------------------------------------------------------------------------------- geoms, sites

static const mjcf_word geom_types[] = {{"plane", THUD_GEOM_PLANE},
                                       {"hfield", THUD_GEOM_HFIELD},
                                       {"sphere", THUD_GEOM_SPHERE},
                                       {"capsule", THUD_GEOM_CAPSULE},
                                       {"ellipsoid", THUD_GEOM_ELLIPSOID},
                                       {"cylinder", THUD_GEOM_CYLINDER},
                                       {"box", THUD_GEOM_BOX},
                                       {"mesh", THUD_GEOM_MESH},
                                       {"sdf", -1},
                                       {NULL, 0}};
static const mjcf_word site_types[] = {
    {"sphere", THUD_GEOM_SPHERE},     {"capsule", THUD_GEOM_CAPSULE}, {"ellipsoid", THUD_GEOM_ELLIPSOID},
    {"cylinder", THUD_GEOM_CYLINDER}, {"box", THUD_GEOM_BOX},         {NULL, 0}};
static const mjcf_word fluid_shapes[] = {{"none", 0}, {"ellipsoid", 1}, {NULL, 0}};

static const mjcf_attribute geom_rows[] = {
    NAME,
    CLASS,
    WORD("type", geom_types, draft_geom, to.type),
    REAL("size", 1, 3, draft_geom, to.size, NOT_NEGATIVE),
    REAL("pos", 3, 3, draft_geom, to.pos),
    TURN(draft_geom),
    REAL("fromto", 6, 6, draft_geom, fromto, .given = GIVEN_FROMTO),
    TEXT("mesh", draft_geom, mesh, .refers = MJCF_SPACE_MESH),
    TEXT("hfield", draft_geom, hfield, .refers = MJCF_SPACE_HFIELD),
    TEXT("material", draft_geom, material, .refers = MJCF_SPACE_MATERIAL),
    REAL("mass", 1, 1, draft_geom, to.mass, NOT_NEGATIVE),
    REAL("density", 1, 1, draft_geom, to.density, NOT_NEGATIVE),
    BOOL("shellinertia", draft_geom, to.shell),
    REAL("friction", 1, 3, draft_geom, to.friction, NOT_NEGATIVE),
    INT("condim", 1, draft_geom, to.condim),
    INT("contype", 1, draft_geom, to.contype),
    INT("conaffinity", 1, draft_geom, to.conaffinity),
    INT("priority", 1, draft_geom, to.priority),
    INT("group", 1, draft_geom, to.group),
    REAL("margin", 1, 1, draft_geom, to.margin),
    REAL("gap", 1, 1, draft_geom, to.gap),
    REAL("solmix", 1, 1, draft_geom, to.solmix, SOFT),
    SOFT_PAIR(draft_geom, "solref", to.solref, "solimp", to.solimp),
    REAL("fitscale", 1, 1, draft_geom, to.fitscale, NOT_NEGATIVE),
    REAL("rgba", 4, 4, draft_geom, to.rgba),
    WORD("fluidshape", fluid_shapes, draft_geom, fluidshape),
    ANY("fluidcoef", FLUID),
    REFUSED("surfacevel", "conveyor surfaces are not simulated; move a mocap body instead"),
    ANY("adhesion", ADHESION),
    ANY("castshadow", NONE),
    USER,
    END};
const mjcf_element mjcf_geom = {.name = "geom",
                                .role = MJCF_ROLE_GEOM,
                                .space = MJCF_SPACE_GEOM,
                                .draft = MJCF_DRAFT_GEOM,
                                .attribute = geom_rows,
                                .child = only_plugin};

static const mjcf_attribute site_rows[] = {
    NAME,
    CLASS,
    WORD("type", site_types, draft_site, to.type),
    REAL("size", 1, 3, draft_site, to.size, NOT_NEGATIVE),
    REAL("pos", 3, 3, draft_site, to.pos),
    TURN(draft_site),
    REAL("fromto", 6, 6, draft_site, fromto, .given = GIVEN_FROMTO),
    TEXT("material", draft_site, material, .refers = MJCF_SPACE_MATERIAL),
    INT("group", 1, draft_site, to.group),
    REAL("rgba", 4, 4, draft_site, to.rgba),
    REFUSED("mesh", "a site is a primitive here"),
    USER,
    END};
const mjcf_element mjcf_site = {.name = "site",
                                .role = MJCF_ROLE_SITE,
                                .space = MJCF_SPACE_SITE,
                                .draft = MJCF_DRAFT_SITE,
                                .attribute = site_rows};

static const mjcf_element composite = {.name = "composite",
                                       .refusal = "write its bodies out, for instance with <replicate>"};
static const mjcf_element flexcomp = {.name = "flexcomp",
                                      .refusal = "Thud simulates rigid bodies; remove the flex"};
static const mjcf_attribute attach_rows[] = {
    TEXT("model", draft_attach, model, .rules = MJCF_REQUIRED), TEXT("body", draft_attach, body),
    TEXT("frame", draft_attach, frame),
    TEXT("prefix", draft_attach, prefix, .rules = MJCF_REQUIRED | MJCF_EMPTY), END};
static const mjcf_element attach = {.name = "attach", .role = MJCF_ROLE_ATTACH, .attribute = attach_rows};

const mjcf_element *const mjcf_body_children[] = {
    &mjcf_geom,   &mjcf_body,  &mjcf_joint, &inertial, &mjcf_site, &freejoint, &mjcf_frame, &replicate,
    &mjcf_camera, &mjcf_light, &composite,  &flexcomp, &attach,    &plugin,    NULL};

// ---------------------------------------------------------------------------------------------- assets

static const mjcf_word mesh_inertias[] = {{"legacy", THUD_MESH_INERTIA_LEGACY},
                                          {"exact", THUD_MESH_INERTIA_EXACT},
                                          {"convex", THUD_MESH_INERTIA_CONVEX},
                                          {"shell", THUD_MESH_INERTIA_SHELL},
                                          {NULL, 0}};
static const mjcf_attribute mesh_rows[] = {
    NAME,
    CLASS,
    TEXT("file", draft_mesh, file, .rules = MJCF_NOT_DEFAULT),
    REAL("scale", 3, 3, draft_mesh, to.scale),
    WORD("inertia", mesh_inertias, draft_mesh, to.inertia),
    INT("maxhullvert", 1, draft_mesh, to.maxhullvert),
    REAL("refpos", 3, 3, draft_mesh, to.refpos, .rules = MJCF_NOT_DEFAULT),
    REAL("refquat", 4, 4, draft_mesh, to.refquat, .rules = MJCF_NOT_DEFAULT),
    LIST("vertex", draft_mesh, vertex, .rules = MJCF_NOT_DEFAULT),
    LIST("face", draft_mesh, face, .rules = MJCF_NOT_DEFAULT),
    ANY("normal", MESH_LOOKS),
    ANY("texcoord", MESH_LOOKS),
    ANY("smoothnormal", MESH_LOOKS),
    ANY("material", MESH_LOOKS),
    ANY("content_type", NONE),
    REFUSED("builtin", "give the mesh as a file or by its vertices"),
    REFUSED("params", "give the mesh as a file or by its vertices"),
    END};
const mjcf_element mjcf_mesh = {.name = "mesh",
                                .role = MJCF_ROLE_MESH,
                                .space = MJCF_SPACE_MESH,
                                .draft = MJCF_DRAFT_MESH,
                                .attribute = mesh_rows,
                                .child = only_plugin};

static const mjcf_attribute hfield_rows[] = {
    NAME,
    TEXT("file", draft_hfield, file),
    INT("nrow", 1, draft_hfield, to.rows),
    INT("ncol", 1, draft_hfield, to.columns),
    REAL("size", 4, 4, draft_hfield, to.size, .rules = MJCF_REQUIRED | MJCF_POSITIVE),
    LIST("elevation", draft_hfield, elevation),
    ANY("content_type", NONE),
    END};
static const mjcf_element hfield = {
    .name = "hfield", .role = MJCF_ROLE_HFIELD, .space = MJCF_SPACE_HFIELD, .attribute = hfield_rows};
const mjcf_element mjcf_skin = {
    .name = "skin", .role = MJCF_ROLE_PLUGIN, .opaque = true, .remark = MJCF_REMARK_SKIN};
static const mjcf_attribute model_rows[] = {NAME, TEXT("file", draft_material, file, .rules = MJCF_REQUIRED),
                                            ANY("content_type", NONE), END};
static const mjcf_element model = {
    .name = "model", .role = MJCF_ROLE_MODEL, .space = MJCF_SPACE_MODEL, .attribute = model_rows};
const mjcf_element *const mjcf_asset_children[] = {&mjcf_mesh, &hfield, &mjcf_texture, &mjcf_material,
                                                   &mjcf_skin, &model,  NULL};
