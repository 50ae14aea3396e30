// SPDX-License-Identifier: Apache-2.0
// urdf_table.c: URDF as a table: which elements stand in which, and which attributes they take.
//
// Elements whose names have a prefix (drake:..., xacro leftovers apart) are other programs'. What ROS and
// Gazebo add without one is listed here, and noted.
#include "mjcf_rows.h"
#include "urdf_robot.h"

#define REQUIRED .rules = MJCF_REQUIRED
#define URDF_NAME(rules_)                                                                                    \
    {                                                                                                        \
        .name = "name", .kind = MJCF_TEXT, .offset = offsetof(draft_head, name), .rules = rules_             \
    }
#define ELEMENT(variable, word, ...)                                                                         \
    static const mjcf_element variable = {.name = word, .role = MJCF_ROLE_URDF, __VA_ARGS__}
#define ROWS(...)                                                                                            \
    .attribute = (const mjcf_attribute[])                                                                    \
    {                                                                                                        \
        __VA_ARGS__, END                                                                                     \
    }
#define CHILDREN(...)                                                                                        \
    .child = (const mjcf_element *const[])                                                                   \
    {                                                                                                        \
        __VA_ARGS__, NULL                                                                                    \
    }
#define IGNORED(variable, word, remark_)                                                                     \
    ELEMENT(variable, word, .opaque = true, .remark = MJCF_REMARK_URDF_##remark_)
#define ONE .once = true
#define EXACTLY_ONE .once = true, .needed = true

const mjcf_element urdf_foreign = {
    .name = "foreign", .role = MJCF_ROLE_URDF, .opaque = true, .remark = MJCF_REMARK_URDF_FOREIGN};
const mjcf_element urdf_unknown = {.name = "unknown", .role = MJCF_ROLE_URDF, .opaque = true};

// ---------------------------------------------------------------------------------------------- shared

ELEMENT(origin, "origin", ONE,
        ROWS(REAL("xyz", 3, 3, draft_origin, xyz), REAL("rpy", 3, 3, draft_origin, rpy)));

#define VALUE(word) ELEMENT(word, #word, ONE, ROWS(REAL("value", 1, 1, draft_value, value, REQUIRED)))
#define VALUE_NOT_NEGATIVE(word)                                                                             \
    ELEMENT(word, #word, ONE,                                                                                \
            ROWS(REAL("value", 1, 1, draft_value, value, .rules = MJCF_REQUIRED | MJCF_NOT_NEGATIVE)))

ELEMENT(color, "color", ONE,
        ROWS(REAL("rgba", 4, 4, draft_looks, rgba, .rules = MJCF_REQUIRED | MJCF_NOT_NEGATIVE)));
static const mjcf_element texture = {
    .name = "texture", .role = MJCF_ROLE_URDF, .opaque = true, .once = true, .remark = MJCF_REMARK_TEXTURE};
static const mjcf_element specular = {
    .name = "specular", .role = MJCF_ROLE_URDF, .opaque = true, .remark = MJCF_REMARK_MATERIAL};
ELEMENT(material, "material", ROWS(URDF_NAME(MJCF_EMPTY)), CHILDREN(&color, &texture, &specular));
ELEMENT(material_once, "material", ONE, ROWS(URDF_NAME(MJCF_EMPTY)), CHILDREN(&color, &texture, &specular));
IGNORED(misplaced_material, "material", MISPLACED);

// ---------------------------------------------------------------------------------------------- links

ELEMENT(mass, "mass", ONE,
        ROWS(REAL("value", 1, 1, draft_value, value, .rules = MJCF_REQUIRED | MJCF_NOT_NEGATIVE)));
#define MOMENT(word, index) REAL(word, 1, 1, draft_moments, inertia[index], REQUIRED)
#define PRODUCT(word, index) REAL(word, 1, 1, draft_moments, inertia[index])
ELEMENT(inertia, "inertia", ONE,
        ROWS(MOMENT("ixx", 0), MOMENT("iyy", 1), MOMENT("izz", 2), PRODUCT("ixy", 3), PRODUCT("ixz", 4),
             PRODUCT("iyz", 5)));
ELEMENT(inertial, "inertial", ONE, CHILDREN(&origin, &mass, &inertia));

#define SIZE(word, field) REAL(word, 1, 1, draft_shape, field, .rules = MJCF_REQUIRED | MJCF_POSITIVE)
ELEMENT(box, "box", ONE, ROWS(REAL("size", 3, 3, draft_shape, size, .rules = MJCF_REQUIRED | MJCF_POSITIVE)));
ELEMENT(cylinder, "cylinder", ONE, ROWS(SIZE("radius", radius), SIZE("length", length)));
ELEMENT(capsule, "capsule", ONE, ROWS(SIZE("radius", radius), SIZE("length", length)));
ELEMENT(sphere, "sphere", ONE, ROWS(SIZE("radius", radius)));
ELEMENT(mesh, "mesh", ONE,
        ROWS(TEXT("filename", draft_shape, file, REQUIRED), REAL("scale", 3, 3, draft_shape, scale)));
ELEMENT(plane, "plane", ONE, ROWS(REAL("normal", 3, 3, draft_shape, normal)));
static const mjcf_element heightmap = {
    .name = "heightmap", .refusal = "a robot carries no ground; put it in a MJCF scene around it"};
ELEMENT(geometry, "geometry", ONE,
        CHILDREN(&box, &cylinder, &capsule, &sphere, &mesh, &plane, &heightmap, &misplaced_material));
ELEMENT(visual, "visual", ROWS(URDF_NAME(MJCF_EMPTY)), CHILDREN(&origin, &geometry, &material_once));
IGNORED(verbose, "verbose", CHECKING);
IGNORED(contact_coefficients, "contact_coefficients", SOFT);
ELEMENT(collision, "collision",
        ROWS(URDF_NAME(MJCF_EMPTY), ANY("group", URDF_CHECKING), ANY("concave", URDF_CHECKING)),
        CHILDREN(&origin, &geometry, &verbose, &contact_coefficients, &misplaced_material));

VALUE_NOT_NEGATIVE(lateral_friction);
VALUE_NOT_NEGATIVE(spinning_friction);
VALUE_NOT_NEGATIVE(rolling_friction);
VALUE_NOT_NEGATIVE(restitution);
VALUE(inertia_scaling);
IGNORED(stiffness, "stiffness", SOFT);
IGNORED(damping, "damping", SOFT);
IGNORED(contact_cfm, "contact_cfm", SOFT);
IGNORED(contact_erp, "contact_erp", SOFT);
IGNORED(friction_anchor, "friction_anchor", SOFT);
ELEMENT(contact, "contact", ONE,
        CHILDREN(&lateral_friction, &spinning_friction, &rolling_friction, &restitution, &inertia_scaling,
                 &stiffness, &damping, &contact_cfm, &contact_erp, &friction_anchor));

IGNORED(self_collision, "self_collision_checking", CHECKING);
IGNORED(gazebo, "gazebo", GAZEBO);
IGNORED(sensor, "sensor", SENSOR);
ELEMENT(link, "link", ROWS(URDF_NAME(MJCF_REQUIRED), ANY("type", NONE)),
        CHILDREN(&inertial, &visual, &collision, &contact, &self_collision, &gazebo, &sensor));

// ---------------------------------------------------------------------------------------------- joints

static const mjcf_word joint_types[] = {{"fixed", URDF_FIXED},           {"revolute", URDF_REVOLUTE},
                                        {"continuous", URDF_CONTINUOUS}, {"prismatic", URDF_PRISMATIC},
                                        {"floating", URDF_FLOATING},     {"planar", URDF_PLANAR},
                                        {"spherical", URDF_SPHERICAL},   {NULL, 0}};
ELEMENT(parent, "parent", EXACTLY_ONE, ROWS(TEXT("link", draft_end, link, REQUIRED)));
ELEMENT(child, "child", EXACTLY_ONE, ROWS(TEXT("link", draft_end, link, REQUIRED)));
ELEMENT(axis, "axis", ONE, ROWS(REAL("xyz", 3, 3, draft_axis, xyz, REQUIRED), ANY("rpy", URDF_MISPLACED)));
ELEMENT(limit, "limit", ONE,
        ROWS(REAL("lower", 1, 1, draft_limit, lower, .given = GIVEN_LOWER),
             REAL("upper", 1, 1, draft_limit, upper, .given = GIVEN_UPPER),
             REAL("effort", 1, 1, draft_limit, effort, NOT_NEGATIVE, .given = GIVEN_EFFORT),
             REAL("velocity", 1, 1, draft_limit, velocity, NOT_NEGATIVE, .remark = MJCF_REMARK_URDF_SPEED)));
ELEMENT(dynamics, "dynamics", ONE,
        ROWS(REAL("damping", 1, 1, draft_dynamics, damping, NOT_NEGATIVE),
             REAL("friction", 1, 1, draft_dynamics, friction, NOT_NEGATIVE)));
ELEMENT(mimic, "mimic", ONE,
        ROWS(TEXT("joint", draft_mimic, joint, REQUIRED), REAL("multiplier", 1, 1, draft_mimic, multiplier),
             REAL("offset", 1, 1, draft_mimic, offset)));
IGNORED(calibration, "calibration", CALIBRATION);
IGNORED(safety, "safety_controller", SAFETY);
IGNORED(properties, "joint_properties", MISPLACED);
ELEMENT(joint, "joint",
        ROWS(URDF_NAME(MJCF_REQUIRED), WORD("type", joint_types, draft_urdf_joint, type, REQUIRED)),
        CHILDREN(&origin, &parent, &child, &axis, &limit, &dynamics, &mimic, &calibration, &safety,
                 &properties));

// ---------------------------------------------------------------------------------------------- robot

IGNORED(transmission, "transmission", TRANSMISSION);
IGNORED(ros2_control, "ros2_control", CONTROL);
static const mjcf_element deformable = {.name = "deformable", .refusal = "bodies are rigid here"};
static const mjcf_element reduced_deformable = {.name = "reduced_deformable",
                                                .refusal = "bodies are rigid here"};
static const mjcf_element loop_joint = {.name = "loop_joint",
                                        .refusal = "convert the file, and close the loop by an <equality>"};
ELEMENT(mujoco, "mujoco", ONE, CHILDREN(&mjcf_compiler, &mjcf_option, &mjcf_size));
const mjcf_element urdf_root = {.name = "robot",
                                .role = MJCF_ROLE_URDF,
                                ROWS(URDF_NAME(MJCF_EMPTY), ANY("version", NONE)),
                                CHILDREN(&link, &joint, &material, &transmission, &gazebo, &ros2_control,
                                         &sensor, &loop_joint, &deformable, &reduced_deformable, &mujoco)};
