// SPDX-License-Identifier: Apache-2.0
// mjcf_schema.h: MJCF as one table: which elements stand in which, and which attributes they take. URDF is
// another table of the same kind (urdf_table.c), and is read by the same functions.
//
// An element's attributes are read into a draft (mjcf_draft.h) at the offset the table says. What is
// understood and not simulated carries a remark, counted into the spec's notes; what is refused carries the
// sentence that says so.
#pragma once

#include "xml_tree.h"

typedef enum mjcf_kind {
    MJCF_REAL,   // least..most doubles, finite
    MJCF_INT,    // least..most ints
    MJCF_BOOL,   // "true" or "false"
    MJCF_WORD,   // one of words, as an int
    MJCF_TEXT,   // const char *, not empty
    MJCF_NAME,   // the same: the element's own name
    MJCF_LIST,   // mjcf_list: any number of doubles
    MJCF_ANY,    // not looked at
    MJCF_REFUSED // an error: the sentence is in refusal
} mjcf_kind;

enum {                     // rules of an attribute
    MJCF_FILL = 1,         // the last value is repeated when fewer are given
    MJCF_NOT_DEFAULT = 2,  // it may not stand in a <default>
    MJCF_REQUIRED = 4,     // it must be there, but in a <default>
    MJCF_NOT_NEGATIVE = 8, // no value is negative
    MJCF_POSITIVE = 16,    // every value is positive
    MJCF_EMPTY = 32,       // an empty text is allowed, and stands for none
    MJCF_WHOLE = 64,       // MuJoCo wants every value, so that is how it is written
    MJCF_NOT_EMPTY = 128,  // a text that is never empty: the name of a class, the sequence of angles
    MJCF_INFINITE = 256,   // "inf" is allowed, and stands for a number that is never reached
    MJCF_MENDED = 512      // with MJCF_NOT_NEGATIVE: what is below zero becomes zero, with a note
};

typedef struct mjcf_word {
    const char *text;
    int value; // < 0: known, and refused
} mjcf_word;

typedef struct mjcf_list {
    int count;
    double *value;
} mjcf_list;

// What is noted, once a model: kind of note, what it is, why nothing follows.
#define MJCF_REMARK_LIST(X)                                                                                  \
    X(SOFT, SOFT, "solref, solimp, solmix and their kin", "rigid contact and joint limits have no softness") \
    X(TEXTURE, VISUAL, "texture", "only drawn")                                                              \
    X(MATERIAL, VISUAL, "material", "only its colour is kept")                                               \
    X(CAMERA, VISUAL, "camera", "only drawn")                                                                \
    X(LIGHT, VISUAL, "light", "only drawn")                                                                  \
    X(VISUAL, VISUAL, "visual", "only drawn")                                                                \
    X(STATISTIC, VISUAL, "statistic", "only drawn")                                                          \
    X(MESH_LOOKS, VISUAL, "mesh normals and texture coordinates", "only drawn")                              \
    X(SOLVER, IGNORED, "settings of MuJoCo's solver", "Thud's solvers have their own")                       \
    X(CONE, IGNORED, "option cone and impratio", "the friction law is Thud's own choice")                    \
    X(MEMORY, IGNORED, "size", "memory is sized by the model")                                               \
    X(BUILD, IGNORED, "settings of MuJoCo's compiler", "they change nothing here")                           \
    X(USER, IGNORED, "user data", "for other programs")                                                      \
    X(TUPLE, IGNORED, "custom tuple", "for other programs")                                                  \
    X(STRAY, IGNORED, "text between elements", "it means nothing")                                           \
    X(WORDS, LATER, "custom data thud:...", "this version has no such word")                                 \
    X(SENSOR_KIND, LATER, "sensor of a kind that is not simulated", "it changes no motion")                  \
    X(ADHESION, LATER, "adhesion", "contact only pushes here, and holds nothing")                            \
    X(SENSOR_DATA, LATER, "data of a rangefinder other than its distance", "it changes no motion")           \
    X(SENSOR_PLUGIN, LATER, "sensor of a plugin", "plugins are code of MuJoCo; it changes no motion")        \
    X(EXTENSION, IGNORED, "extension", "plugins are code of MuJoCo; none is loaded")                         \
    X(SKIN, VISUAL, "skin", "only drawn")                                                                    \
    X(NO_MATERIAL, VISUAL, "material that is defined nowhere", "drawn in the geom's own colour")             \
    X(FIXED_JOINT, IGNORED, "joint of type fixed", "MuJoCo has none; without a joint the body is fixed")     \
    X(OF_ATTACHED, IGNORED, "keyframes, custom data and options of a model that is attached",                \
      "those of the file that attaches it count")                                                            \
    X(OUTSIDE, LOOK, "body, frame or replicate outside of worldbody",                                        \
      "MuJoCo passes over it, and so does Thud: put it into <worldbody>")                                    \
    X(FLUID, IGNORED, "fluidcoef", "it is for MuJoCo's ellipsoid model of fluid forces")                     \
    X(URDF_GAZEBO, IGNORED, "gazebo", "settings of Gazebo")                                                  \
    X(URDF_TRANSMISSION, IGNORED, "transmission", "for ROS controllers; actuators are MJCF's")               \
    X(URDF_CONTROL, IGNORED, "ros2_control", "for ROS controllers; actuators are MJCF's")                    \
    X(URDF_SENSOR, IGNORED, "sensor of URDF", "for other programs; sensors are MJCF's")                      \
    X(URDF_FOREIGN, IGNORED, "elements and attributes with a prefix", "for other programs")                  \
    X(URDF_CALIBRATION, IGNORED, "calibration", "for controllers")                                           \
    X(URDF_SAFETY, IGNORED, "safety_controller", "for controllers")                                          \
    X(URDF_CHECKING, IGNORED, "settings of collision checkers", "contact is between all but neighbours")     \
    X(URDF_SPEED, IGNORED, "velocity limits of joints", "a controller keeps to them, not the mechanics")     \
    X(URDF_NO_LIMIT, IGNORED, "revolute or prismatic joint without limits", "it moves without limits")       \
    X(URDF_SOFT, SOFT, "stiffness and damping of contacts", "rigid contact has no softness")                 \
    X(URDF_MESH, VISUAL, "visual mesh that is not there or in a format not read", "it is not drawn")         \
    X(URDF_MATERIAL, VISUAL, "material that is defined nowhere", "drawn grey")                               \
    X(URDF_MISPLACED, IGNORED, "joint_properties, a material in a geometry or collision, rpy of an axis",    \
      "no URDF; ROS reads none of them")                                                                     \
    X(URDF_FIXED_MASS, IGNORED, "inertial of the world", "the world does not move")

typedef enum mjcf_remark {
    MJCF_REMARK_NONE,
#define REMARK(name, kind, what, why) MJCF_REMARK_##name,
    MJCF_REMARK_LIST(REMARK)
#undef REMARK
        MJCF_REMARKS
} mjcf_remark;

// Namespaces: a name is given once in each. The noun is for messages.
#define MJCF_SPACE_LIST(X)                                                                                   \
    X(NONE, "")                                                                                              \
    X(BODY, "body")                                                                                          \
    X(LINK, "link")                                                                                          \
    X(FRAME, "frame")                                                                                        \
    X(JOINT, "joint")                                                                                        \
    X(GEOM, "geom")                                                                                          \
    X(SITE, "site")                                                                                          \
    X(CAMERA, "camera")                                                                                      \
    X(LIGHT, "light")                                                                                        \
    X(MESH, "mesh")                                                                                          \
    X(HFIELD, "hfield")                                                                                      \
    X(TEXTURE, "texture")                                                                                    \
    X(MATERIAL, "material")                                                                                  \
    X(CLASS, "default class")                                                                                \
    X(PAIR, "pair")                                                                                          \
    X(EXCLUDE, "exclude")                                                                                    \
    X(EQUALITY, "equality")                                                                                  \
    X(TENDON, "tendon")                                                                                      \
    X(ACTUATOR, "actuator")                                                                                  \
    X(SENSOR, "sensor")                                                                                      \
    X(NUMERIC, "numeric")                                                                                    \
    X(TEXT, "text")                                                                                          \
    X(TUPLE, "tuple")                                                                                        \
    X(MODEL, "model")                                                                                        \
    X(KEY, "key")                                                                                            \
    X(NOTE, "note")

typedef enum mjcf_space {
#define SPACE(name, noun) MJCF_SPACE_##name,
    MJCF_SPACE_LIST(SPACE)
#undef SPACE
} mjcf_space;

typedef struct mjcf_attribute {
    const char *name;
    mjcf_kind kind;
    int least, most; // number of values
    size_t offset;   // in the draft
    unsigned given;  // bit set in the draft when it is read
    unsigned group;  // bits of which one element gives only one; reading one clears the inherited others
    unsigned rules;
    mjcf_space refers; // the text names an element of this kind
    mjcf_remark remark;
    const mjcf_word *words;
    const char *refusal;
} mjcf_attribute;

typedef enum mjcf_draft_kind { // which draft of its class an element starts from
    MJCF_DRAFT_NONE,
    MJCF_DRAFT_JOINT,
    MJCF_DRAFT_GEOM,
    MJCF_DRAFT_SITE,
    MJCF_DRAFT_MESH,
    MJCF_DRAFT_MATERIAL,
    MJCF_DRAFT_PAIR,
    MJCF_DRAFT_EQUALITY,
    MJCF_DRAFT_TENDON,
    MJCF_DRAFT_ACTUATOR,
    MJCF_DRAFTS
} mjcf_draft_kind;

typedef enum mjcf_role { // what the reader does with an element, below its section
    MJCF_ROLE_NONE,
    MJCF_ROLE_LOOKS,  // its name is kept from being given twice; nothing else
    MJCF_ROLE_PLUGIN, // it is noted; nothing else
    MJCF_ROLE_COMPILER,
    MJCF_ROLE_OPTION,
    MJCF_ROLE_FLAG,
    MJCF_ROLE_DEFAULT,
    MJCF_ROLE_ASSET,
    MJCF_ROLE_WORLDBODY,
    MJCF_ROLE_CONTACT,
    MJCF_ROLE_EQUALITIES,
    MJCF_ROLE_TENDONS,
    MJCF_ROLE_ACTUATORS,
    MJCF_ROLE_SENSORS,
    MJCF_ROLE_CUSTOM,
    MJCF_ROLE_KEYFRAME,
    MJCF_ROLE_BODY,
    MJCF_ROLE_FRAME,
    MJCF_ROLE_REPLICATE,
    MJCF_ROLE_COPY,
    MJCF_ROLE_ATTACH,
    MJCF_ROLE_MODEL,
    MJCF_ROLE_INERTIAL,
    MJCF_ROLE_JOINT,
    MJCF_ROLE_FREEJOINT,
    MJCF_ROLE_GEOM,
    MJCF_ROLE_SITE,
    MJCF_ROLE_MESH,
    MJCF_ROLE_HFIELD,
    MJCF_ROLE_TEXTURE,
    MJCF_ROLE_MATERIAL,
    MJCF_ROLE_PAIR,
    MJCF_ROLE_EXCLUDE,
    MJCF_ROLE_EQUALITY,
    MJCF_ROLE_TENDON,
    MJCF_ROLE_WRAP,
    MJCF_ROLE_ACTUATOR,
    MJCF_ROLE_SENSOR,
    MJCF_ROLE_NUMERIC,
    MJCF_ROLE_TEXT,
    MJCF_ROLE_TUPLE,
    MJCF_ROLE_KEY,
    MJCF_ROLE_URDF // every element of URDF; they are told apart by name
} mjcf_role;

typedef enum mjcf_actuator_word { // variants of MJCF_ROLE_ACTUATOR
    MJCF_GENERAL,
    MJCF_MOTOR,
    MJCF_POSITION,
    MJCF_VELOCITY,
    MJCF_INTVELOCITY,
    MJCF_DAMPER,
    MJCF_CYLINDER,
    MJCF_ADHESION,
    MJCF_MUSCLE
} mjcf_actuator_word;

typedef struct mjcf_element {
    const char *name;
    mjcf_role role;
    int variant; // tells elements of one role apart: the enumerator of an actuator, sensor, equality or wrap
    bool once;   // at most one in its parent
    bool needed; // at least one in its parent
    bool opaque; // what stands in it is not looked at
    mjcf_space space; // of its name
    mjcf_draft_kind draft;
    mjcf_remark remark;
    const mjcf_attribute *attribute;         // ends with a NULL name
    const struct mjcf_element *const *child; // ends with NULL; itself NULL: none
    const char *refusal;                     // the whole element is refused, with this sentence
} mjcf_element;

extern const mjcf_element mjcf_root;
extern const mjcf_element *const mjcf_sections[];      // children of <mujoco>
extern const mjcf_element *const mjcf_body_children[]; // of body, worldbody, frame and replicate
extern const mjcf_element *const mjcf_default_children[];
extern const mjcf_element *const mjcf_asset_children[];
extern const mjcf_element *const mjcf_visual_children[];
extern const mjcf_element *const mjcf_contact_children[];
extern const mjcf_element *const mjcf_equality_children[];
extern const mjcf_element *const mjcf_tendon_children[];
extern const mjcf_element *const mjcf_actuator_children[];
extern const mjcf_element *const mjcf_sensor_children[];
extern const mjcf_element mjcf_default, mjcf_joint, mjcf_geom, mjcf_site, mjcf_camera, mjcf_light, mjcf_mesh,
    mjcf_texture, mjcf_material, mjcf_pair, mjcf_default_tendon, mjcf_copy, mjcf_compiler, mjcf_option,
    mjcf_size, mjcf_skin, mjcf_body, mjcf_frame;
extern const mjcf_element urdf_root;    // <robot>
extern const mjcf_element urdf_foreign; // any element of URDF whose name has a prefix
extern const mjcf_element urdf_unknown; // any that is passed over, with a note of its own
extern const mjcf_word mjcf_booleans[], mjcf_tristates[];

// Whether a name in an element of URDF has a prefix, and so belongs to another program.
bool mjcf_is_foreign(const mjcf_element *element, const char *name);
// Finds the attribute of an element, or NULL.
const mjcf_attribute *mjcf_find_attribute(const mjcf_element *element, const char *name);
// The element of that name in a list that ends with NULL; NULL if there is none, or no list.
const mjcf_element *mjcf_find_child(const mjcf_element *const *list, const char *name);
