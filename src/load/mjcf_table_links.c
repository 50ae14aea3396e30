// SPDX-License-Identifier: Apache-2.0
// mjcf_table_links.c: the schema of what links bodies: contact pairs and excludes, equalities, tendons.
#include "mjcf_rows.h"

static const mjcf_attribute pair_rows[] = {
    NAME,
    CLASS,
    TEXT("geom1", draft_pair, geom1, .refers = MJCF_SPACE_GEOM, .rules = MJCF_REQUIRED | MJCF_NOT_DEFAULT),
    TEXT("geom2", draft_pair, geom2, .refers = MJCF_SPACE_GEOM, .rules = MJCF_REQUIRED | MJCF_NOT_DEFAULT),
    INT("condim", 1, draft_pair, to.condim),
    REAL("friction", 1, 5, draft_pair, to.friction, NOT_NEGATIVE),
    REAL("margin", 1, 1, draft_pair, to.margin),
    REAL("gap", 1, 1, draft_pair, to.gap),
    REAL("solref", 1, 2, draft_pair, to.solref, SOFT),
    REAL("solreffriction", 1, 2, draft_pair, to.solreffriction, SOFT),
    REAL("solimp", 1, 5, draft_pair, to.solimp, SOFT),
    ANY("adhesion", ADHESION),
    END};
const mjcf_element mjcf_pair = {.name = "pair",
                                .role = MJCF_ROLE_PAIR,
                                .space = MJCF_SPACE_PAIR,
                                .draft = MJCF_DRAFT_PAIR,
                                .attribute = pair_rows};
static const mjcf_attribute exclude_rows[] = {
    NAME, TEXT("body1", draft_pair, body1, .refers = MJCF_SPACE_BODY, .rules = MJCF_REQUIRED),
    TEXT("body2", draft_pair, body2, .refers = MJCF_SPACE_BODY, .rules = MJCF_REQUIRED), END};
static const mjcf_element exclude = {
    .name = "exclude", .role = MJCF_ROLE_EXCLUDE, .space = MJCF_SPACE_EXCLUDE, .attribute = exclude_rows};
const mjcf_element *const mjcf_contact_children[] = {&mjcf_pair, &exclude, NULL};

// ---------------------------------------------------------------------------------------------- equalities

#define EQUALITY                                                                                             \
    NAME, CLASS, BOOL("active", draft_equality, to.active),                                                  \
        REAL("solref", 1, 2, draft_equality, to.solref, SOFT),                                               \
        REAL("solimp", 1, 5, draft_equality, to.solimp, SOFT)
#define ENDS                                                                                                 \
    TEXT("body1", draft_equality, body1, .refers = MJCF_SPACE_BODY),                                         \
        TEXT("body2", draft_equality, body2, .refers = MJCF_SPACE_BODY),                                     \
        TEXT("site1", draft_equality, site1, .refers = MJCF_SPACE_SITE),                                     \
        TEXT("site2", draft_equality, site2, .refers = MJCF_SPACE_SITE),                                     \
        REAL("anchor", 3, 3, draft_equality, to.anchor, .given = GIVEN_ANCHOR)
#define POLYNOMIAL REAL("polycoef", 1, 5, draft_equality, to.polycoef, .rules = MJCF_WHOLE)

static const mjcf_attribute connect_rows[] = {EQUALITY, ENDS, END};
static const mjcf_attribute weld_rows[] = {
    EQUALITY, ENDS, REAL("relpose", 7, 7, draft_equality, relpose, .given = GIVEN_RELPOSE),
    REAL("torquescale", 1, 1, draft_equality, to.torquescale), END};
static const mjcf_attribute joint_rows[] = {
    EQUALITY, TEXT("joint1", draft_equality, other1, .refers = MJCF_SPACE_JOINT, .rules = MJCF_REQUIRED),
    TEXT("joint2", draft_equality, other2, .refers = MJCF_SPACE_JOINT), POLYNOMIAL, END};
static const mjcf_attribute tendon_rows[] = {
    EQUALITY, TEXT("tendon1", draft_equality, other1, .refers = MJCF_SPACE_TENDON, .rules = MJCF_REQUIRED),
    TEXT("tendon2", draft_equality, other2, .refers = MJCF_SPACE_TENDON), POLYNOMIAL, END};

#define DEFINE_EQUALITY(variable, word, variant_, rows)                                                      \
    static const mjcf_element variable = {.name = word,                                                      \
                                          .role = MJCF_ROLE_EQUALITY,                                        \
                                          .space = MJCF_SPACE_EQUALITY,                                      \
                                          .variant = variant_,                                               \
                                          .draft = MJCF_DRAFT_EQUALITY,                                      \
                                          .attribute = rows}
DEFINE_EQUALITY(connect, "connect", THUD_EQUALITY_CONNECT, connect_rows);
DEFINE_EQUALITY(weld, "weld", THUD_EQUALITY_WELD, weld_rows);
DEFINE_EQUALITY(equal_joint, "joint", THUD_EQUALITY_JOINT, joint_rows);
DEFINE_EQUALITY(equal_tendon, "tendon", THUD_EQUALITY_TENDON, tendon_rows);
static const char no_flex[] = "Thud simulates rigid bodies; remove the flex";
static const mjcf_element flex = {.name = "flex", .refusal = no_flex};
static const mjcf_element flexvert = {.name = "flexvert", .refusal = no_flex};
static const mjcf_element flexstrain = {.name = "flexstrain", .refusal = no_flex};
static const mjcf_element distance = {.name = "distance", .refusal = "MuJoCo 2.2.2 removed it too"};
const mjcf_element *const mjcf_equality_children[] = {
    &connect, &weld, &equal_joint, &equal_tendon, &flex, &flexvert, &flexstrain, &distance, NULL};

// ---------------------------------------------------------------------------------------------- tendons

#define TENDON                                                                                               \
    NAME, CLASS, REAL("range", 2, 2, draft_tendon, to.range, LIMITS),                                        \
        WORD("limited", mjcf_tristates, draft_tendon, to.limited),                                           \
        REAL("margin", 1, 1, draft_tendon, to.margin),                                                       \
        REAL("springlength", 1, 2, draft_tendon, to.springlength, .rules = MJCF_FILL),                       \
        REAL("stiffness", 1, 1, draft_tendon, to.stiffness, DAMPING),                                        \
        REAL("damping", 1, 1, draft_tendon, to.damping, DAMPING),                                            \
        REAL("armature", 1, 1, draft_tendon, to.armature, NOT_NEGATIVE),                                     \
        REAL("frictionloss", 1, 1, draft_tendon, to.frictionloss, NOT_NEGATIVE),                             \
        REAL("actuatorfrcrange", 2, 2, draft_tendon, to.actfrcrange, LIMITS),                                \
        WORD("actuatorfrclimited", mjcf_tristates, draft_tendon, to.actfrclimited),                          \
        REAL("solreflimit", 1, 2, draft_tendon, to.solreflimit, SOFT),                                       \
        REAL("solimplimit", 1, 5, draft_tendon, to.solimplimit, SOFT),                                       \
        REAL("solreffriction", 1, 2, draft_tendon, to.solreffriction, SOFT),                                 \
        REAL("solimpfriction", 1, 5, draft_tendon, to.solimpfriction, SOFT),                                 \
        INT("group", 1, draft_tendon, to.group), USER
#define LOOKS                                                                                                \
    REAL("width", 1, 1, draft_tendon, to.width), REAL("rgba", 4, 4, draft_tendon, to.rgba),                  \
        TEXT("material", draft_tendon, material, .refers = MJCF_SPACE_MATERIAL)

static const mjcf_attribute spatial_rows[] = {TENDON, LOOKS, END};
static const mjcf_attribute fixed_rows[] = {TENDON, END};
static const mjcf_attribute wrap_joint_rows[] = {
    TEXT("joint", draft_wrap, object, .refers = MJCF_SPACE_JOINT, .rules = MJCF_REQUIRED),
    REAL("coef", 1, 1, draft_wrap, coef, .rules = MJCF_REQUIRED), END};
static const mjcf_attribute wrap_site_rows[] = {
    TEXT("site", draft_wrap, object, .refers = MJCF_SPACE_SITE, .rules = MJCF_REQUIRED), END};
static const mjcf_attribute wrap_geom_rows[] = {
    TEXT("geom", draft_wrap, object, .refers = MJCF_SPACE_GEOM, .rules = MJCF_REQUIRED),
    TEXT("sidesite", draft_wrap, sidesite, .refers = MJCF_SPACE_SITE), END};
static const mjcf_attribute pulley_rows[] = {
    REAL("divisor", 1, 1, draft_wrap, coef, .rules = MJCF_REQUIRED | MJCF_POSITIVE), END};

#define DEFINE_WRAP(variable, word, variant_, rows)                                                          \
    static const mjcf_element variable = {                                                                   \
        .name = word, .role = MJCF_ROLE_WRAP, .variant = variant_, .attribute = rows}
DEFINE_WRAP(wrap_joint, "joint", THUD_WRAP_JOINT, wrap_joint_rows);
DEFINE_WRAP(wrap_site, "site", THUD_WRAP_SITE, wrap_site_rows);
DEFINE_WRAP(wrap_geom, "geom", THUD_WRAP_GEOM, wrap_geom_rows);
DEFINE_WRAP(pulley, "pulley", THUD_WRAP_PULLEY, pulley_rows);
static const mjcf_element *const fixed_children[] = {&wrap_joint, NULL};
static const mjcf_element *const spatial_children[] = {&wrap_site, &wrap_geom, &pulley, NULL};

static const mjcf_element spatial = {.name = "spatial",
                                     .role = MJCF_ROLE_TENDON,
                                     .space = MJCF_SPACE_TENDON,
                                     .variant = true,
                                     .draft = MJCF_DRAFT_TENDON,
                                     .attribute = spatial_rows,
                                     .child = spatial_children};
static const mjcf_element fixed = {.name = "fixed",
                                   .role = MJCF_ROLE_TENDON,
                                   .space = MJCF_SPACE_TENDON,
                                   .variant = false,
                                   .draft = MJCF_DRAFT_TENDON,
                                   .attribute = fixed_rows,
                                   .child = fixed_children};
const mjcf_element *const mjcf_tendon_children[] = {&spatial, &fixed, NULL};
const mjcf_element mjcf_default_tendon = {.name = "tendon",
                                          .role = MJCF_ROLE_TENDON,
                                          .space = MJCF_SPACE_TENDON,
                                          .draft = MJCF_DRAFT_TENDON,
                                          .attribute = spatial_rows};
