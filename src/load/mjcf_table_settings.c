// SPDX-License-Identifier: Apache-2.0
// mjcf_table_settings.c: the schema's top: mujoco, compiler, option, size, statistic, visual, custom,
// keyframe.
#include "mjcf_rows.h"

// ---------------------------------------------------------------------------------------------- compiler

static const mjcf_word angles[] = {{"radian", 0}, {"degree", 1}, {NULL, 0}};
static const mjcf_word coordinates[] = {{"local", 0}, {"global", 1}, {NULL, 0}};

static const mjcf_word only_false[] = {{"false", 0}, {"true", -1}, {NULL, 0}};

static const mjcf_attribute compiler_rows[] = {
    BOOL("autolimits", draft_compiler, to.autolimits),
    REAL("boundmass", 1, 1, draft_compiler, to.boundmass, NOT_NEGATIVE),
    REAL("boundinertia", 1, 1, draft_compiler, to.boundinertia, NOT_NEGATIVE),
    REAL("settotalmass", 1, 1, draft_compiler, to.settotalmass),
    BOOL("balanceinertia", draft_compiler, to.balanceinertia),
    BOOL("strippath", draft_compiler, strippath),
    WORD("coordinate", coordinates, draft_compiler, global),
    WORD("angle", angles, draft_compiler, degrees),
    TEXT("eulerseq", draft_compiler, eulerseq, .rules = MJCF_NOT_EMPTY),
    TEXT("meshdir", draft_compiler, meshdir),
    TEXT("texturedir", draft_compiler, texturedir),
    TEXT("assetdir", draft_compiler, assetdir),
    BOOL("fusestatic", draft_compiler, to.fusestatic, .remark = MJCF_REMARK_BUILD),
    {.name = "alignfree",
     .kind = MJCF_BOOL,
     .words = only_false,
     .offset = offsetof(draft_compiler, to.alignfree)},
    WORD("inertiafromgeom", mjcf_tristates, draft_compiler, to.inertiafromgeom),
    INT("inertiagrouprange", 2, draft_compiler, to.inertiagrouprange),
    BOOL("exactmeshinertia", draft_compiler, exactmeshinertia),
    BOOL("discardvisual", draft_compiler, discardvisual, .remark = MJCF_REMARK_BUILD),
    BOOL("fitaabb", draft_compiler, to.fitaabb),
    ANY("usethread", BUILD),
    ANY("saveinertial", BUILD),
    ANY("convexhull", BUILD),
    ANY("conflict", BUILD),
    END};

static const mjcf_attribute lengthrange_rows[] = {ANY("mode", BUILD),
                                                  ANY("useexisting", BUILD),
                                                  ANY("uselimit", BUILD),
                                                  ANY("accel", BUILD),
                                                  ANY("maxforce", BUILD),
                                                  ANY("timeconst", BUILD),
                                                  ANY("timestep", BUILD),
                                                  ANY("inttotal", BUILD),
                                                  ANY("interval", BUILD),
                                                  ANY("inteval", BUILD),
                                                  ANY("inttime", BUILD),
                                                  ANY("tolrange", BUILD),
                                                  END};
static const mjcf_element lengthrange = {
    .name = "lengthrange", .once = true, .attribute = lengthrange_rows, .remark = MJCF_REMARK_BUILD};
static const mjcf_element *const compiler_children[] = {&lengthrange, NULL};
const mjcf_element mjcf_compiler = {
    .name = "compiler", .role = MJCF_ROLE_COMPILER, .attribute = compiler_rows, .child = compiler_children};

// ---------------------------------------------------------------------------------------------- option

static const mjcf_word integrators[] = {{"Euler", THUD_INTEGRATOR_EULER},
                                        {"RK4", THUD_INTEGRATOR_RK4},
                                        {"implicit", THUD_INTEGRATOR_MIDPOINT},
                                        {"implicitfast", THUD_INTEGRATOR_MIDPOINT},
                                        {NULL, 0}};
static const mjcf_word cones[] = {{"pyramidal", 0}, {"elliptic", 1}, {NULL, 0}};
#define GROUPS "leave those actuators out of the file"

static const mjcf_attribute option_rows[] = {
    REAL("timestep", 1, 1, draft_option, to.timestep, POSITIVE),
    REAL("gravity", 3, 3, draft_option, to.gravity),
    REAL("wind", 3, 3, draft_option, to.wind),
    REAL("magnetic", 3, 3, draft_option, to.magnetic),
    REAL("density", 1, 1, draft_option, to.density, NOT_NEGATIVE),
    REAL("viscosity", 1, 1, draft_option, to.viscosity, NOT_NEGATIVE),
    WORD("integrator", integrators, draft_option, to.integrator),
    REAL("impratio", 1, 1, draft_option, to.impratio, POSITIVE, .remark = MJCF_REMARK_CONE),
    WORD("cone", cones, draft_option, cone, .remark = MJCF_REMARK_CONE),
    REAL("tolerance", 1, 1, draft_option, to.tolerance, .remark = MJCF_REMARK_SOLVER),
    REFUSED("actuatorgroupdisable", GROUPS),
    REFUSED("collision", "contact filters are contype, conaffinity, exclude and pair"),
    ANY("apirate", SOLVER),
    ANY("ls_tolerance", SOLVER),
    ANY("noslip_tolerance", SOLVER),
    ANY("ccd_tolerance", SOLVER),
    ANY("mpr_tolerance", SOLVER),
    ANY("sleep_tolerance", SOLVER),
    ANY("o_margin", SOLVER),
    ANY("o_solref", SOLVER),
    ANY("o_solimp", SOLVER),
    ANY("o_friction", SOLVER),
    ANY("jacobian", SOLVER),
    ANY("solver", SOLVER),
    ANY("iterations", SOLVER),
    ANY("ls_iterations", SOLVER),
    ANY("noslip_iterations", SOLVER),
    ANY("ccd_iterations", SOLVER),
    ANY("mpr_iterations", SOLVER),
    ANY("sdf_iterations", SOLVER),
    ANY("sdf_initpoints", SOLVER),
    END};

static const mjcf_word switches[] = {{"disable", 0}, {"enable", 1}, {NULL, 0}};
static const mjcf_word overrides[] = {{"disable", 0}, {"enable", -1}, {NULL, 0}};
#define FLAG(word, field)                                                                                    \
    {                                                                                                        \
        .name = word, .kind = MJCF_BOOL, .words = switches, .offset = offsetof(draft_option, field)          \
    }

static const mjcf_attribute flag_rows[] = {FLAG("constraint", constraint_on),
                                           FLAG("equality", to.equality_on),
                                           FLAG("frictionloss", to.frictionloss_on),
                                           FLAG("limit", to.limit_on),
                                           FLAG("contact", to.contact_on),
                                           FLAG("passive", to.passive_on),
                                           FLAG("spring", to.spring_on),
                                           FLAG("damper", to.damper_on),
                                           FLAG("gravity", to.gravity_on),
                                           FLAG("clampctrl", to.clampctrl_on),
                                           FLAG("filterparent", to.filterparent_on),
                                           FLAG("actuation", to.actuation_on),
                                           FLAG("sensor", to.sensor_on),
                                           {.name = "override",
                                            .kind = MJCF_BOOL,
                                            .words = overrides,
                                            .offset = offsetof(draft_option, override_on)},
                                           ANY("warmstart", SOLVER),
                                           ANY("refsafe", SOLVER),
                                           ANY("midphase", SOLVER),
                                           ANY("eulerdamp", SOLVER),
                                           ANY("autoreset", SOLVER),
                                           ANY("nativeccd", SOLVER),
                                           ANY("island", SOLVER),
                                           ANY("multiccd", SOLVER),
                                           ANY("energy", SOLVER),
                                           ANY("fwdinv", SOLVER),
                                           ANY("invdiscrete", SOLVER),
                                           ANY("sensornoise", SOLVER),
                                           ANY("sleep", SOLVER),
                                           ANY("diagexact", SOLVER),
                                           END};
static const mjcf_element flag = {
    .name = "flag", .role = MJCF_ROLE_FLAG, .once = true, .attribute = flag_rows};
static const mjcf_element *const option_children[] = {&flag, NULL};
const mjcf_element mjcf_option = {
    .name = "option", .role = MJCF_ROLE_OPTION, .attribute = option_rows, .child = option_children};

// ---------------------------------------------------------------------------------------------- ignored
// sections

static const mjcf_attribute size_rows[] = {
    ANY("memory", MEMORY),         ANY("njmax", MEMORY),        ANY("nconmax", MEMORY),
    ANY("nstack", MEMORY),         ANY("nuserdata", MEMORY),    ANY("nkey", MEMORY),
    ANY("nuser_body", MEMORY),     ANY("nuser_jnt", MEMORY),    ANY("nuser_geom", MEMORY),
    ANY("nuser_site", MEMORY),     ANY("nuser_cam", MEMORY),    ANY("nuser_tendon", MEMORY),
    ANY("nuser_actuator", MEMORY), ANY("nuser_sensor", MEMORY), END};
const mjcf_element mjcf_size = {.name = "size", .attribute = size_rows, .remark = MJCF_REMARK_MEMORY};

static const mjcf_attribute statistic_rows[] = {ANY("meaninertia", NONE), ANY("meanmass", NONE),
                                                ANY("meansize", NONE),    ANY("extent", NONE),
                                                ANY("center", NONE),      END};
static const mjcf_element statistic = {
    .name = "statistic", .attribute = statistic_rows, .remark = MJCF_REMARK_STATISTIC};
static const mjcf_element visual = {
    .name = "visual", .child = mjcf_visual_children, .remark = MJCF_REMARK_VISUAL};

// ---------------------------------------------------------------------------------------------- custom,
// keyframe

static const mjcf_attribute numeric_rows[] = {NAME, INT("size", 1, draft_custom, size),
                                              LIST("data", draft_custom, numbers), END};
static const mjcf_element numeric = {
    .name = "numeric", .role = MJCF_ROLE_NUMERIC, .space = MJCF_SPACE_NUMERIC, .attribute = numeric_rows};
static const mjcf_attribute text_rows[] = {NAME, TEXT("data", draft_custom, text, .rules = MJCF_REQUIRED),
                                           END};
static const mjcf_element text = {
    .name = "text", .role = MJCF_ROLE_TEXT, .space = MJCF_SPACE_TEXT, .attribute = text_rows};
static const mjcf_attribute tuple_element_rows[] = {
    TEXT("objtype", draft_custom, objtype, .rules = MJCF_REQUIRED),
    TEXT("objname", draft_custom, objname, .rules = MJCF_REQUIRED), REAL("prm", 1, 1, draft_custom, prm),
    END};
static const mjcf_element tuple_element = {.name = "element", .attribute = tuple_element_rows};
static const mjcf_element *const tuple_children[] = {&tuple_element, NULL};
static const mjcf_attribute tuple_rows[] = {NAME, END};
static const mjcf_element tuple = {.name = "tuple",
                                   .role = MJCF_ROLE_TUPLE,
                                   .space = MJCF_SPACE_TUPLE,
                                   .attribute = tuple_rows,
                                   .child = tuple_children};
static const mjcf_element *const custom_children[] = {&numeric, &text, &tuple, NULL};
static const mjcf_element custom = {.name = "custom", .role = MJCF_ROLE_CUSTOM, .child = custom_children};

static const mjcf_attribute key_rows[] = {NAME,
                                          REAL("time", 1, 1, draft_key, time),
                                          LIST("qpos", draft_key, qpos),
                                          LIST("qvel", draft_key, qvel),
                                          LIST("act", draft_key, act),
                                          LIST("ctrl", draft_key, ctrl),
                                          LIST("mpos", draft_key, mpos),
                                          LIST("mquat", draft_key, mquat),
                                          END};
static const mjcf_element key = {
    .name = "key", .role = MJCF_ROLE_KEY, .space = MJCF_SPACE_KEY, .attribute = key_rows};
static const mjcf_element *const key_children[] = {&key, NULL};
static const mjcf_element keyframe = {.name = "keyframe", .role = MJCF_ROLE_KEYFRAME, .child = key_children};

// ---------------------------------------------------------------------------------------------- mujoco

static const mjcf_element asset = {.name = "asset", .role = MJCF_ROLE_ASSET, .child = mjcf_asset_children};
static const mjcf_element worldbody = {
    .name = "worldbody", .role = MJCF_ROLE_WORLDBODY, .child = mjcf_body_children};
static const mjcf_element contact = {
    .name = "contact", .role = MJCF_ROLE_CONTACT, .child = mjcf_contact_children};
static const mjcf_element equality = {
    .name = "equality", .role = MJCF_ROLE_EQUALITIES, .child = mjcf_equality_children};
static const mjcf_element tendon = {
    .name = "tendon", .role = MJCF_ROLE_TENDONS, .child = mjcf_tendon_children};
static const mjcf_element actuator = {
    .name = "actuator", .role = MJCF_ROLE_ACTUATORS, .child = mjcf_actuator_children};
static const mjcf_element sensor = {
    .name = "sensor", .role = MJCF_ROLE_SENSORS, .child = mjcf_sensor_children};
static const mjcf_element extension = {.name = "extension", .opaque = true, .remark = MJCF_REMARK_EXTENSION};
static const mjcf_element flex = {.name = "flex", .refusal = "Thud simulates rigid bodies; remove the flex"};
static const mjcf_element *const deformable_children[] = {&flex, &mjcf_skin, NULL};
static const mjcf_element deformable = {
    .name = "deformable", .role = MJCF_ROLE_ASSET, .child = deformable_children};

// Files of a robot that are meant to be included in a <worldbody>. MuJoCo loads them by themselves, without the robot.
#define OUTSIDE(word)                                                                                        \
    static const mjcf_element outside_##word = {.name = #word, .opaque = true, .remark = MJCF_REMARK_OUTSIDE}
OUTSIDE(body);
OUTSIDE(frame);
OUTSIDE(replicate);

const mjcf_element *const mjcf_sections[] = {&mjcf_compiler,
                                             &mjcf_option,
                                             &mjcf_size,
                                             &statistic,
                                             &visual,
                                             &mjcf_default,
                                             &asset,
                                             &worldbody,
                                             &contact,
                                             &equality,
                                             &tendon,
                                             &actuator,
                                             &sensor,
                                             &custom,
                                             &keyframe,
                                             &extension,
                                             &deformable,
                                             &outside_body,
                                             &outside_frame,
                                             &outside_replicate,
                                             NULL};
static const mjcf_attribute root_rows[] = {TEXT("model", draft_head, name), END};
const mjcf_element mjcf_root = {.name = "mujoco", .attribute = root_rows, .child = mjcf_sections};
