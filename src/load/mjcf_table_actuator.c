// SPDX-License-Identifier: Apache-2.0
// mjcf_table_actuator.c: the schema of actuators and sensors.
#include "mjcf_rows.h"

// ---------------------------------------------------------------------------------------------- actuators

static const mjcf_word dynamics[] = {{"none", THUD_DYNAMICS_NONE},
                                     {"integrator", THUD_DYNAMICS_INTEGRATOR},
                                     {"filter", THUD_DYNAMICS_FILTER},
                                     {"filterexact", THUD_DYNAMICS_FILTER_EXACT},
                                     {"muscle", THUD_DYNAMICS_MUSCLE},
                                     {"dcmotor", -1},
                                     {"pid", -1},
                                     {"user", -1},
                                     {NULL, 0}};
static const mjcf_word gains[] = {{"fixed", THUD_GAIN_FIXED},
                                  {"affine", THUD_GAIN_AFFINE},
                                  {"muscle", THUD_GAIN_MUSCLE},
                                  {"dcmotor", -1},
                                  {"so3", -1},
                                  {"pid", -1},
                                  {"user", -1},
                                  {NULL, 0}};
static const mjcf_word biases[] = {{"none", THUD_BIAS_NONE},
                                   {"affine", THUD_BIAS_AFFINE},
                                   {"muscle", THUD_BIAS_MUSCLE},
                                   {"dcmotor", -1},
                                   {"so3", -1},
                                   {"user", -1},
                                   {NULL, 0}};

#define THROUGH(word, bit, space)                                                                            \
    TEXT(word, draft_actuator, target, .refers = MJCF_SPACE_##space, .given = bit,                           \
         .group = GIVEN_TRANSMISSION, .rules = MJCF_NOT_DEFAULT)
#define NO_DELAY "control reaches the actuator at once here"
#define JOINT_HAS "give it to the joint"
#define ACTUATOR                                                                                             \
    NAME, CLASS, THROUGH("joint", GIVEN_JOINT, JOINT), THROUGH("jointinparent", GIVEN_PARENTJOINT, JOINT),   \
        THROUGH("tendon", GIVEN_TENDON, TENDON), THROUGH("site", GIVEN_SITE, SITE),                          \
        THROUGH("cranksite", GIVEN_CRANKSITE, SITE),                                                         \
        TEXT("slidersite", draft_actuator, slidersite, .refers = MJCF_SPACE_SITE,                            \
             .rules = MJCF_NOT_DEFAULT),                                                                     \
        TEXT("refsite", draft_actuator, refsite, .refers = MJCF_SPACE_SITE, .rules = MJCF_NOT_DEFAULT),      \
        REAL("gear", 1, 6, draft_actuator, to.gear),                                                         \
        REAL("cranklength", 1, 1, draft_actuator, to.cranklength),                                           \
        REAL("ctrlrange", 2, 2, draft_actuator, to.ctrlrange, LIMITS, .given = GIVEN_CTRLRANGE),             \
        REAL("forcerange", 2, 2, draft_actuator, to.forcerange, LIMITS),                                     \
        WORD("ctrllimited", mjcf_tristates, draft_actuator, to.ctrllimited),                                 \
        WORD("forcelimited", mjcf_tristates, draft_actuator, to.forcelimited),                               \
        REAL("lengthrange", 2, 2, draft_actuator, to.lengthrange),                                           \
        INT("group", 1, draft_actuator, to.group), USER, REFUSED("nsample", NO_DELAY),                       \
        REFUSED("interp", NO_DELAY), REFUSED("delay", NO_DELAY), REFUSED("damping", JOINT_HAS),              \
        REFUSED("armature", JOINT_HAS)
#define ACTIVATION                                                                                           \
    WORD("actlimited", mjcf_tristates, draft_actuator, to.actlimited),                                       \
        REAL("actrange", 2, 2, draft_actuator, to.actrange, LIMITS)
#define SERVO                                                                                                \
    REAL("kp", 1, 1, draft_actuator, kp, NOT_NEGATIVE, .given = GIVEN_KP),                                   \
        REAL("kv", 1, 1, draft_actuator, kv, NOT_NEGATIVE, .given = GIVEN_KV,                                \
             .group = GIVEN_KV | GIVEN_DAMPRATIO),                                                           \
        REAL("dampratio", 1, 1, draft_actuator, to.dampratio, NOT_NEGATIVE, .given = GIVEN_DAMPRATIO,        \
             .group = GIVEN_KV | GIVEN_DAMPRATIO),                                                           \
        REAL("inheritrange", 1, 1, draft_actuator, inheritrange, NOT_NEGATIVE, .given = GIVEN_INHERITRANGE)
#define KV REAL("kv", 1, 1, draft_actuator, kv, NOT_NEGATIVE, .given = GIVEN_KV)
#define TIMECONST REAL("timeconst", 1, 1, draft_actuator, timeconst, NOT_NEGATIVE, .given = GIVEN_TIMECONST)

static const mjcf_attribute motor_rows[] = {ACTUATOR, END};
static const mjcf_attribute general_rows[] = {
    ACTUATOR,
    ACTIVATION,
    WORD("dyntype", dynamics, draft_actuator, to.dynamics),
    WORD("gaintype", gains, draft_actuator, to.gain),
    WORD("biastype", biases, draft_actuator, to.bias),
    REAL("dynprm", 1, 10, draft_actuator, to.dynprm),
    REAL("gainprm", 1, 10, draft_actuator, to.gainprm),
    REAL("biasprm", 1, 10, draft_actuator, to.biasprm),
    INT("actdim", 1, draft_actuator, to.actdim),
    BOOL("actearly", draft_actuator, to.actearly),
    TEXT("body", draft_actuator, target, .refers = MJCF_SPACE_BODY, .given = GIVEN_BODY,
         .group = GIVEN_TRANSMISSION, .rules = MJCF_NOT_DEFAULT, .remark = MJCF_REMARK_ADHESION),
    REAL("inheritrange", 1, 1, draft_actuator, inheritrange, NOT_NEGATIVE, .given = GIVEN_INHERITRANGE),
    END};
static const mjcf_attribute adhesion_rows[] = {
    NAME,
    CLASS,
    TEXT("body", draft_actuator, target, .refers = MJCF_SPACE_BODY, .given = GIVEN_BODY,
         .rules = MJCF_NOT_DEFAULT | MJCF_REQUIRED),
    REAL("gain", 1, 1, draft_actuator, gain, NOT_NEGATIVE, .given = GIVEN_KP),
    REAL("ctrlrange", 2, 2, draft_actuator, to.ctrlrange, NOT_NEGATIVE, .given = GIVEN_CTRLRANGE),
    REAL("forcerange", 2, 2, draft_actuator, to.forcerange, LIMITS),
    WORD("ctrllimited", mjcf_tristates, draft_actuator, to.ctrllimited),
    WORD("forcelimited", mjcf_tristates, draft_actuator, to.forcelimited),
    INT("group", 1, draft_actuator, to.group),
    USER,
    REFUSED("nsample", NO_DELAY),
    REFUSED("interp", NO_DELAY),
    REFUSED("delay", NO_DELAY),
    END};
static const mjcf_attribute position_rows[] = {ACTUATOR, SERVO, TIMECONST, END};
static const mjcf_attribute velocity_rows[] = {ACTUATOR, KV, END};
static const mjcf_attribute intvelocity_rows[] = {ACTUATOR, ACTIVATION, SERVO, END};
static const mjcf_attribute cylinder_rows[] = {
    ACTUATOR,
    TIMECONST,
    REAL("area", 1, 1, draft_actuator, area, NOT_NEGATIVE, .given = GIVEN_AREA),
    REAL("diameter", 1, 1, draft_actuator, diameter, NOT_NEGATIVE, .given = GIVEN_DIAMETER),
    REAL("bias", 3, 3, draft_actuator, bias, .given = GIVEN_BIAS),
    END};

static const mjcf_attribute muscle_rows[] = {
    ACTUATOR,
    ACTIVATION,
    REAL("timeconst", 2, 2, draft_actuator, muscle.timeconst),
    REAL("tausmooth", 1, 1, draft_actuator, muscle.tausmooth, NOT_NEGATIVE),
    REAL("range", 2, 2, draft_actuator, muscle.prm[0]),
    REAL("force", 1, 1, draft_actuator, muscle.prm[2]),
    REAL("scale", 1, 1, draft_actuator, muscle.prm[3]),
    REAL("lmin", 1, 1, draft_actuator, muscle.prm[4]),
    REAL("lmax", 1, 1, draft_actuator, muscle.prm[5]),
    REAL("vmax", 1, 1, draft_actuator, muscle.prm[6]),
    REAL("fpmax", 1, 1, draft_actuator, muscle.prm[7]),
    REAL("fvmax", 1, 1, draft_actuator, muscle.prm[8]),
    END};

#define DEFINE_ACTUATOR(word, variant_, rows)                                                                \
    static const mjcf_element word = {.name = #word,                                                         \
                                      .role = MJCF_ROLE_ACTUATOR,                                            \
                                      .space = MJCF_SPACE_ACTUATOR,                                          \
                                      .variant = variant_,                                                   \
                                      .draft = MJCF_DRAFT_ACTUATOR,                                          \
                                      .attribute = rows}
DEFINE_ACTUATOR(general, MJCF_GENERAL, general_rows);
DEFINE_ACTUATOR(motor, MJCF_MOTOR, motor_rows);
DEFINE_ACTUATOR(position, MJCF_POSITION, position_rows);
DEFINE_ACTUATOR(velocity, MJCF_VELOCITY, velocity_rows);
DEFINE_ACTUATOR(intvelocity, MJCF_INTVELOCITY, intvelocity_rows);
DEFINE_ACTUATOR(damper, MJCF_DAMPER, velocity_rows);
DEFINE_ACTUATOR(cylinder, MJCF_CYLINDER, cylinder_rows);
DEFINE_ACTUATOR(muscle, MJCF_MUSCLE, muscle_rows);
static const mjcf_element adhesion = {.name = "adhesion",
                                      .role = MJCF_ROLE_ACTUATOR,
                                      .space = MJCF_SPACE_ACTUATOR,
                                      .variant = MJCF_ADHESION,
                                      .draft = MJCF_DRAFT_ACTUATOR,
                                      .attribute = adhesion_rows,
                                      .remark = MJCF_REMARK_ADHESION};

#define INSTEAD "describe it with <general>, or remove it"
static const mjcf_element dcmotor = {.name = "dcmotor", .refusal = INSTEAD};
static const mjcf_element pid = {.name = "pid", .refusal = INSTEAD};
static const mjcf_element orientation = {.name = "orientation", .refusal = INSTEAD};
static const mjcf_element plugin = {
    .name = "plugin",
    .refusal = "plugins are code of MuJoCo, and this one acts on the motion; remove the element"};

const mjcf_element *const mjcf_actuator_children[] = {
    &general, &motor,    &position, &velocity, &intvelocity, &damper, &cylinder,
    &muscle,  &adhesion, &dcmotor,  &pid,      &orientation, &plugin, NULL};

static const mjcf_attribute default_equality_rows[] = {
    BOOL("active", draft_equality, to.active), REAL("solref", 1, 2, draft_equality, to.solref, SOFT),
    REAL("solimp", 1, 5, draft_equality, to.solimp, SOFT), END};
static const mjcf_element default_equality = {.name = "equality",
                                              .role = MJCF_ROLE_EQUALITY,
                                              .draft = MJCF_DRAFT_EQUALITY,
                                              .attribute = default_equality_rows};

static const mjcf_attribute default_rows[] = {TEXT("class", draft_head, class_name, .rules = MJCF_NOT_EMPTY),
                                              END};
const mjcf_element mjcf_default = {
    .name = "default", .role = MJCF_ROLE_DEFAULT, .attribute = default_rows, .child = mjcf_default_children};

const mjcf_element *const mjcf_default_children[] = {&mjcf_default, &mjcf_geom,        &mjcf_joint,
                                                     &mjcf_site,    &mjcf_mesh,        &mjcf_material,
                                                     &mjcf_pair,    &default_equality, &mjcf_default_tendon,
                                                     &mjcf_camera,  &mjcf_light,       &general,
                                                     &motor,        &position,         &velocity,
                                                     &intvelocity,  &damper,           &cylinder,
                                                     &muscle,       &adhesion,         &dcmotor,
                                                     &pid,          &orientation,      NULL};

// ---------------------------------------------------------------------------------------------- sensors

static const mjcf_word frames[] = {{"body", THUD_OBJECT_BODY},
                                   {"xbody", THUD_OBJECT_XBODY},
                                   {"geom", THUD_OBJECT_GEOM},
                                   {"site", THUD_OBJECT_SITE},
                                   {"camera", -1},
                                   {NULL, 0}};
#define SENSOR                                                                                               \
    NAME, REAL("cutoff", 1, 1, draft_sensor, to.cutoff, NOT_NEGATIVE),                                       \
        REAL("noise", 1, 1, draft_sensor, to.noise, NOT_NEGATIVE), USER, ANY("nsample", SENSOR_KIND),        \
        ANY("interp", SENSOR_KIND), ANY("delay", SENSOR_KIND), ANY("interval", SENSOR_KIND)
#define OF(word, space) TEXT(word, draft_sensor, object, .refers = MJCF_SPACE_##space, .rules = MJCF_REQUIRED)

static const mjcf_attribute rows_NONE[] = {SENSOR, END};
static const mjcf_attribute rows_SITE[] = {SENSOR, OF("site", SITE), END};
static const mjcf_attribute rows_RANGE[] = { // of a rangefinder
    SENSOR, TEXT("site", draft_sensor, object, .refers = MJCF_SPACE_SITE), ANY("camera", SENSOR_KIND),
    ANY("data", SENSOR_DATA), END};
static const mjcf_attribute rows_JOINT[] = {SENSOR, OF("joint", JOINT), END};
static const mjcf_attribute rows_TENDON[] = {SENSOR, OF("tendon", TENDON), END};
static const mjcf_attribute rows_ACTUATOR[] = {SENSOR, OF("actuator", ACTUATOR), END};
static const mjcf_attribute rows_BODY[] = {SENSOR, OF("body", BODY), END};
static const mjcf_attribute rows_FRAME[] = {
    SENSOR,
    WORD("objtype", frames, draft_sensor, objtype, .rules = MJCF_REQUIRED),
    OF("objname", NONE),
    WORD("reftype", frames, draft_sensor, reftype),
    TEXT("refname", draft_sensor, reference),
    END};

#define ELEMENT(enumerator, word, dim, object)                                                               \
    static const mjcf_element sensor_##enumerator = {                                                        \
        .name = word,                                                                                        \
        .role = MJCF_ROLE_SENSOR,                                                                            \
        .space = MJCF_SPACE_SENSOR,                                                                          \
        .variant = THUD_SENSOR_##enumerator,                                                                 \
        .attribute = THUD_SENSOR_##enumerator == THUD_SENSOR_RANGEFINDER ? rows_RANGE : rows_##object};
THUD_SENSOR_LIST(ELEMENT)
#undef ELEMENT

#define S(word) ANY(word, NONE)
static const mjcf_attribute other_rows[] = {
    SENSOR,        S("site"),     S("camera"),    S("data"),  S("objtype"), S("objname"), S("enclosed"),
    S("geom1"),    S("geom2"),    S("body1"),     S("body2"), S("num"),     S("reduce"),  S("subtree1"),
    S("subtree2"), S("datatype"), S("needstage"), S("dim"),   S("geom"),    S("mesh"),    END};
#define OTHER(word)                                                                                          \
    {                                                                                                        \
        .name = word, .role = MJCF_ROLE_LOOKS, .space = MJCF_SPACE_SENSOR, .attribute = other_rows,          \
        .remark = MJCF_REMARK_SENSOR_KIND                                                                    \
    }
static const mjcf_element other_sensors[] = {OTHER("camprojection"), OTHER("insidesite"), OTHER("distance"),
                                             OTHER("normal"),        OTHER("fromto"),     OTHER("contact"),
                                             OTHER("tactile"),       OTHER("user")};

static const mjcf_element sensor_plugin = {
    .name = "plugin", .role = MJCF_ROLE_PLUGIN, .opaque = true, .remark = MJCF_REMARK_SENSOR_PLUGIN};

const mjcf_element *const mjcf_sensor_children[] = {
#define POINTER(enumerator, word, dim, object) &sensor_##enumerator,
    THUD_SENSOR_LIST(POINTER)
#undef POINTER
        & other_sensors[0],
    &other_sensors[1],
    &other_sensors[2],
    &other_sensors[3],
    &other_sensors[4],
    &other_sensors[5],
    &other_sensors[6],
    &other_sensors[7],
    &sensor_plugin,
    NULL};
