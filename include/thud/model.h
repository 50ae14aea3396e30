// SPDX-License-Identifier: Apache-2.0
// thud/model.h: what never changes. Built once from a spec, then const and shared by every thread.
//
// Bodies, joints, geoms, sites and degrees of freedom are numbered as in MuJoCo: bodies depth first in the
// order of the file (body 0 is the world), the others grouped by body. Joint j owns qpos[joint_q[j] ...] and
// qvel[joint_v[j] ...]:
//
//     hinge, slide   1 position (rad, m)          1 velocity
//     ball           4: unit quaternion           3: angular velocity in the body frame
//     free           7: position, quaternion      6: linear velocity in the world frame, angular in the body
//     frame
//
// For the recursions the bodies are cut into links, one a joint: link j is what joint j moves before the next
// joint begins, with every body that is welded to it. Its frame has its origin on the joint's anchor and, for
// hinge and slide, its z axis on the joint's axis. So a joint's motion is a single 3-vector there, angular or
// linear.
#pragma once

#include <thud/shape.h>
#include <thud/spec.h>

#ifdef __cplusplus
extern "C" {
#endif

// Every array of a model: X(type, name, length, meaning). Allocation and hashing are expanded from this
// table.
// clang-format off
#define THUD_MODEL_ARRAYS(X)                                                                                           \
    X(int,           body_parent,      bodies,  "parent body; -1 for the world")                                      \
    X(int,           body_link,        bodies,  "link it is part of; -1: fixed to the world")                         \
    X(int,           body_joints,      bodies,  "number of its joints")                                               \
    X(int,           body_joint,       bodies,  "its first joint, or -1")                                             \
    X(int,           body_weld,        bodies,  "topmost body it is welded to: itself if it has joints; 0: the world") \
    X(int,           body_root,        bodies,  "topmost ancestor below the world; the world for itself")             \
    X(int,           body_mocap,       bodies,  "index among the mocap bodies, or -1")                                \
    X(thud_pose,     body_pose,        bodies,  "frame in the parent's at the reference pose")                        \
    X(thud_inertia,  body_inertia,     bodies,  "mass, centre of mass, inertia about it, in the body frame")          \
    X(thud_quat,     body_iquat,       bodies,  "principal axes of that inertia, in the body frame")                  \
    X(thud_vec3,     body_box,         bodies,  "edges of the box along those axes that has this inertia, for drag")  \
    X(double,        body_gravcomp,    bodies,  "fraction of its weight that is carried")                             \
    X(thud_pose,     body_in_link,     bodies,  "frame in its link's (in the world's where the link is -1)")          \
    X(int,           joint_type,       joints,  "thud_joint_type")                                                    \
    X(int,           joint_body,       joints,  "body it moves")                                                      \
    X(int,           joint_q,          joints,  "first of its positions")                                             \
    X(int,           joint_v,          joints,  "first of its velocities")                                            \
    X(int,           joint_dofs,       joints,  "number of its velocities")                                           \
    X(thud_vec3,     joint_pos,        joints,  "anchor in the body frame")                                           \
    X(thud_vec3,     joint_axis,       joints,  "unit axis in the body frame")                                        \
    X(double,        joint_stiffness,  joints,  "N/m or Nm/rad")                                                      \
    X(double,        joint_range,      joints2, "lower and upper limit")                                              \
    X(int,           joint_limited,    joints,  "1: the range holds")                                                 \
    X(double,        joint_margin,     joints,  "distance from the limit at which it is watched")                     \
    X(int,           joint_actfrclimited, joints, "1: the sum of actuator forces on it is clamped")                   \
    X(double,        joint_actfrcrange, joints2, "to this range; hinge and slide only")                               \
    X(int,           joint_actgravcomp, joints, "1: its carried weight counts as an actuator's force")                \
    X(int,           joint_number,     joints,  "as ids count it")                                                    \
    X(int,           link_parent,      joints,  "parent link; -1: the world. Link j is moved by joint j")             \
    X(int,           link_aligned,     joints,  "1: link_rot is the identity, to the bit")                            \
    X(int,           link_diagonal,    joints,  "1: a free body alone, in the frame of its principal axes: M is diagonal") \
    X(thud_mat3,     link_rot,         joints,  "orientation in the parent link at joint position 0")                 \
    X(thud_vec3,     link_pos,         joints,  "origin in the parent link at joint position 0")                      \
    X(double,        link_mass,        joints,  "of the link; 0 between two joints of one body")                      \
    X(thud_vec3,     link_moment,      joints,  "first moment m c about the link's origin, in its frame")             \
    X(double,        link_inertia,     joints6, "about the link's origin: xx yy zz xy xz yz")                         \
    X(double,        link_carried,     joints,  "sum of gravcomp x mass of its bodies")                               \
    X(thud_vec3,     link_carried_moment, joints, "sum of gravcomp x first moment of its bodies")                     \
    X(int,           dof_link,         nv,      "link (joint) it belongs to")                                         \
    X(int,           dof_parent,       nv,      "nearest dof towards the world; -1 none")                             \
    X(int64_t,       dof_row,          nv1,     "start of its row in the sparse M; dof_row[nv] = stored entries")     \
    X(double,        dof_armature,     nv,      "rotor inertia added to the diagonal of M")                           \
    X(double,        dof_damping,      nv,      "N s/m or N m s")                                                     \
    X(double,        dof_frictionloss, nv,      "dry friction, N or N m")                                             \
    X(int,           dof_number,       nv,      "as ids count it")                                                    \
    X(double,        qpos0,            nq,      "reference pose")                                                     \
    X(double,        qpos_spring,      nq,      "pose at which the springs rest")                                     \
    X(int,           geom_body,        geoms,   "body it is fixed to")                                                \
    X(int,           geom_type,        geoms,   "thud_geom_type, as written")                                         \
    X(thud_pose,     geom_pose,        geoms,   "frame in the body's")                                                \
    X(thud_shape,    geom_shape,       geoms,   "its shape; hulls are owned by the model")                            \
    X(int,           geom_spec,        geoms,   "index in the spec it was built from")                                \
    X(int,           geom_number,      geoms,   "as ids count it: its own; of a part (thud/model_part.h) in the whole") \
    X(int,           geom_condim,      geoms,   "1, 3, 4 or 6")                                                       \
    X(int,           geom_contype,     geoms,   "collides where (contype & conaffinity) of either is not 0")          \
    X(int,           geom_conaffinity, geoms,   "")                                                                   \
    X(int,           geom_priority,    geoms,   "the higher one decides condim and friction of a pair")               \
    X(double,        geom_friction,    geoms3,  "sliding, torsional (m), rolling (m)")                                \
    X(double,        geom_restitution, geoms,   "0 to 1")                                                             \
    X(double,        geom_friction_kinetic, geoms, "sliding friction of what slides; at most geom_friction[0]")       \
    X(double,        geom_friction_viscous, geoms, "its growth with the sliding speed, s/m")                          \
    X(double,        geom_stribeck,    geoms,   "speed over which static friction falls to kinetic, m/s; 0: at once") \
    X(thud_vec3,     geom_friction_axis, geoms, "first sliding direction of a pair, unit, body frame; zero: none")    \
    X(double,        geom_hull,        geoms,   "volume of its hull over that of its mesh; 1: convex, or no mesh; 0: not known") \
    X(double,        geom_margin,      geoms,   "distance at which contacts begin to be listed")                      \
    X(double,        geom_gap,         geoms,   "part of the margin in which contacts are listed only")               \
    X(double,        geom_solmix,      geoms,   "weight in mixing soft-contact words")                                \
    X(double,        geom_rgba,        geoms4,  "colour, for drawing")                                                \
    X(int,           geom_group,       geoms,   "for drawing and for rays")                                           \
    X(int,           pair_geom,        pairs2,  "two geoms that touch whatever the filter says; the lower first")     \
    X(int,           pair_condim,      pairs,   "1, 3, 4 or 6; pairs are in ascending order of their geoms")          \
    X(double,        pair_friction,    pairs5,  "two sliding, one torsional (m), two rolling (m)")                    \
    X(double,        pair_restitution, pairs,   "NaN: as of its geoms")                                               \
    X(double,        pair_friction_kinetic, pairs2, "two sliding; at most pair_friction[0..1]")                       \
    X(double,        pair_friction_viscous, pairs, "NaN: as of its geoms")                                            \
    X(double,        pair_stribeck,    pairs,   "NaN: as of its geoms")                                               \
    X(double,        pair_margin,      pairs,   "as of geoms")                                                        \
    X(double,        pair_gap,         pairs,   "")                                                                   \
    X(int,           exclude_body,     excludes2, "two bodies that never touch; the lower first, in ascending order") \
    X(int,           eq_type,          equalities, "thud_equality_type")                                              \
    X(int,           eq_active,        equalities, "1: holds from the start; never of bodies that are one")          \
    X(int,           eq_obj1,          equalities, "body 1 (0: the world); JOINT, TENDON: the first of them")         \
    X(int,           eq_obj2,          equalities, "body 2 (0: the world); JOINT, TENDON: the second; -1: none")      \
    X(thud_pose,     eq_frame1,        equalities, "in body 1: see thud_equality_rows")                               \
    X(thud_pose,     eq_frame2,        equalities, "in body 2; the two coincide where the equality holds")            \
    X(double,        eq_torquescale,   equalities, "WELD: weight of rotation against translation, m")                 \
    X(double,        eq_polycoef,      equalities5, "JOINT, TENDON: q1 - q1_0 = sum of polycoef[k] (q2 - q2_0)^k")    \
    X(double,        eq_q0,            equalities2, "JOINT, TENDON: q1_0 and q2_0, the two in the reference pose")    \
    X(double,        eq_ref,           equalities, "HINGE, SLIDE: the joint's position where the frames coincide")    \
    X(int,           eq_limited,       equalities, "HINGE, SLIDE, CONNECT: 1: the range holds. 0 from a file, ...")   \
    X(double,        eq_range,         equalities2, "lower and upper limit of the joint it stands for")               \
    X(double,        eq_margin,        equalities, "distance from the limit at which it is watched")                  \
    X(double,        eq_stiffness,     equalities, "N/m or N m/rad")                                                  \
    X(double,        eq_springref,     equalities, "where that spring rests")                                         \
    X(double,        eq_damping,       equalities, "N s/m or N m s")                                                  \
    X(double,        eq_armature,      equalities, "rotor inertia about the axis, kg m^2 (SLIDE: kg)")                \
    X(double,        eq_frictionloss,  equalities, "dry friction, N or N m")                                          \
    X(int,           eq_spec,          equalities, "index in the spec it was built from")                             \
    X(int,           eq_number,        equalities, "as ids count it")                                                 \
    X(int,           site_body,        sites,   "body it is fixed to")                                                \
    X(thud_pose,     site_pose,        sites,   "frame in the body's")                                                \
    X(thud_shape,    site_shape,       sites,   "of what a touch sensor there feels")                                 \
    X(int,           tendon_spatial,   tendons, "1: through sites and around geoms; 0: a sum of joint positions")     \
    X(int,           tendon_wrap,      tendons, "its first station")                                                  \
    X(int,           tendon_wraps,     tendons, "number of its stations")                                             \
    X(double,        tendon_length0,   tendons, "length in the reference pose, m (fixed: unit of its joints)")        \
    X(double,        tendon_spring,    tendons2, "no spring force between these lengths")                             \
    X(double,        tendon_stiffness, tendons, "N/m")                                                                \
    X(double,        tendon_damping,   tendons, "N s/m")                                                              \
    X(double,        tendon_frictionloss, tendons, "dry friction, N")                                                 \
    X(int,           tendon_limited,   tendons, "1: the range holds")                                                 \
    X(double,        tendon_range,     tendons2, "lower and upper limit of its length")                               \
    X(double,        tendon_margin,    tendons, "distance from the limit at which it is watched")                     \
    X(int,           tendon_actfrclimited, tendons, "1: the sum of actuator forces on it is clamped")                 \
    X(double,        tendon_actfrcrange, tendons2, "to this range")                                                   \
    X(int,           wrap_type,        wraps,   "thud_wrap_type of a station")                                        \
    X(int,           wrap_object,      wraps,   "joint, site or geom; -1 for a pulley")                               \
    X(int,           wrap_side,        wraps,   "side site of a geom; -1: the shorter way around")                    \
    X(double,        wrap_coef,        wraps,   "of the joint, or the pulley's divisor")                              \
    X(int,           actuator_transmission, actuators, "thud_transmission")                                           \
    X(int,           actuator_target,  actuators, "joint, tendon, site or body")                                      \
    X(int,           actuator_reference, actuators, "refsite or slidersite; -1 none")                                 \
    X(double,        actuator_gear,    actuators6, "one number for hinge, slide and tendon; 3 for ball; 6")           \
    X(double,        actuator_cranklength, actuators, "m, of a slider-crank's rod")                                   \
    X(int,           actuator_dynamics, actuators, "thud_actuator_dynamics")                                          \
    X(int,           actuator_act,     actuators, "its activation; -1: none")                                         \
    X(int,           actuator_actearly, actuators, "1: the force uses the activation at the end of the step")         \
    X(double,        actuator_timeconst, actuators, "s, of a filter")                                                 \
    X(double,        actuator_dynprm,  actuators3, "a muscle's rise and fall times, s, and the width of the change")  \
    X(double,        actuator_gain,    actuators3, "constant, times length, times velocity")                          \
    X(double,        actuator_bias,    actuators3, "the same; force = gain (a or u) + bias")                          \
    X(int,           actuator_muscle,  actuators,  "1: gain, 2: bias is a muscle's; 3: both; 0: none")                \
    X(double,        actuator_pull,    actuators9, "numbers of that gain [thud_muscle]; others 0")                    \
    X(double,        actuator_passive, actuators9, "numbers of that bias")                                            \
    X(int,           actuator_limited, actuators3, "1: control, force, activation are clamped")                       \
    X(double,        actuator_ctrlrange, actuators2, "")                                                              \
    X(double,        actuator_forcerange, actuators2, "")                                                             \
    X(double,        actuator_actrange, actuators2, "")                                                               \
    X(int,           sensor_type,      sensors, "thud_sensor_type")                                                   \
    X(int,           sensor_object_type, sensors, "thud_object")                                                      \
    X(int,           sensor_object,    sensors, "index of that type, or -1")                                          \
    X(int,           sensor_reference_type, sensors, "thud_object of the frame it is seen from; NONE: the world")     \
    X(int,           sensor_reference, sensors, "index of that type, or -1")                                          \
    X(int,           sensor_at,        sensors, "its first reading")                                                  \
    X(int,           sensor_dim,       sensors, "number of its readings")                                             \
    X(double,        sensor_cutoff,    sensors, "> 0: what it reads is clamped to this; see thud/step_sense.h")       \
    X(double,        sensor_noise,     sensors, "standard deviation, as written; never added")                        \
    X(double,        key_time,         keys,    "s")                                                                  \
    X(double,        key_qpos,         keys_nq, "positions of each keyframe")                                         \
    X(double,        key_qvel,         keys_nv, "velocities of each keyframe")                                        \
    X(double,        key_act,          keys_na, "activations of each keyframe")                                       \
    X(double,        key_ctrl,         keys_nu, "controls of each keyframe")                                          \
    X(thud_pose,     key_mocap,        keys_mocaps, "poses of the mocap bodies in each keyframe")                     \
    X(int,           body_name,        bodies,  "offsets into names; -1 none")                                        \
    X(int,           joint_name,       joints,  "")                                                                   \
    X(int,           geom_name,        geoms,   "")                                                                   \
    X(int,           site_name,        sites,   "")                                                                   \
    X(int,           key_name,         keys,    "")                                                                   \
    X(int,           eq_name,          equalities, "")                                                                \
    X(int,           tendon_name,      tendons, "")                                                                   \
    X(int,           actuator_name,    actuators, "")                                                                 \
    X(int,           sensor_name,      sensors, "")                                                                   \
    X(int,           word_name,        words,   "thud:NAME of <custom>: offset of NAME")                              \
    X(int,           word_text,        words,   "offset of its data; -1: numbers")                                    \
    X(int,           word_first,       words,   "its numbers: word_number[word_first] ...")                           \
    X(int,           word_count,       words,   "")                                                                   \
    X(double,        word_number,      word_numbers, "")                                                              \
    X(char,          names,            name_bytes, "all names, each ended by a zero byte")
// clang-format on

typedef struct thud_model {
    int nq, nv, bodies, joints, geoms, sites, keys, mocaps, pairs, excludes, equalities, words, word_numbers,
        name_bytes;
    int tendons, wraps, actuators, activations;
    int sensors, readings; // readings: numbers that all sensors give together
    double timestep;       // s, as written
    thud_vec3 gravity;     // m/s^2; zero when switched off
    thud_integrator integrator;
    double density, viscosity; // of the medium
    thud_vec3 wind;            // m/s
    thud_vec3 magnetic;        // flux, for magnetometers
    bool has_drag;             // there is a medium, and passive forces are on
    double total_mass;
    thud_vec3 fixed_moment;          // first moment of the bodies fixed to the world
    bool carries_weight;             // some body has gravcomp
    bool has_springs;                // some joint has stiffness
    bool spring_on, damper_on;       // option flags
    bool actuation_on, clampctrl_on; // option flags
    bool contact_on, limit_on, frictionloss_on, equality_on, filterparent_on, sensor_on;
    uint64_t hash; // of all that follows from the spec; equal on every machine of one byte order
#define THUD_MODEL_FIELD(type, name, length, meaning) type *name;
    THUD_MODEL_ARRAYS(THUD_MODEL_FIELD)
#undef THUD_MODEL_FIELD
    struct thud_model_store *store; // owned hulls: private
} thud_model;

// Builds the model of a spec. The spec is only read and may be destroyed afterwards. On failure *out is NULL
// and diag says what is wrong and where it was written.
THUD_API THUD_MUST_USE thud_status thud_model_build(const thud_spec *spec, thud_model **out, thud_diag *diag);
THUD_API void thud_model_destroy(thud_model *m); // NULL is allowed

// What the model was built from, with the numbers of a variant (thud/model_vary.h): names of files, colours, notes. A copy that lives
// as long as the model; heights of height fields are in geom_shape alone. NULL for a part (thud/model_part.h).
THUD_API const thud_spec *thud_model_spec(const thud_model *m);

typedef struct thud_mesh_repair { // how a mesh that is no clean solid was taken nevertheless
    double thickened;             // m; it is flat, and its hull was made so thick; 0: it is not flat
    int open_edges;               // of a mesh whose inertia is "exact": if any, its mass is a guess
    double hull;   // volume of the hull that collides over that of the mesh; 0: not known, or none does
    double legacy; // mass that the rule "legacy" gives over that of the volume; 0: another rule, or not known
} thud_mesh_repair;
THUD_API thud_mesh_repair thud_model_mesh_repair(const thud_model *m, int mesh); // its index in the spec

typedef enum thud_kind {
    THUD_KIND_BODY,
    THUD_KIND_JOINT,
    THUD_KIND_GEOM,
    THUD_KIND_SITE,
    THUD_KIND_KEY,
    THUD_KIND_EQUALITY,
    THUD_KIND_TENDON,
    THUD_KIND_ACTUATOR,
    THUD_KIND_SENSOR
} thud_kind;
THUD_API int thud_model_find(const thud_model *m, thud_kind kind, const char *name);  // index, or -1
THUD_API const char *thud_model_name(const thud_model *m, thud_kind kind, int index); // NULL if it has none

// Degrees of freedom and positions of a joint type: 1/1, 1/1, 3/4, 6/7.
THUD_API int thud_joint_dofs(int joint_type);
THUD_API int thud_joint_positions(int joint_type);

// Rows of an equality, with F1 and F2 its frames in the world:
//
//     CONNECT  3  the origins of F1 and F2 are one
//     WELD     6  and their orientations
//     HINGE    5  the origins are one, and the z axes
//     SLIDE    5  the orientations are one, and F2's origin is on F1's z axis
//     JOINT    1  the polynomial holds, of positions
//     TENDON   1  the same of lengths
//
// In velocities: of body 2 against body 1 at F2's origin, along F1's axes. HINGE and SLIDE leave one
// coordinate: the angle of F2 against F1 about z, or F2's origin along F1's z, plus eq_ref. Limits, springs,
// dampers, rotors and dry friction act on it; for CONNECT on the three rotations, the limit eq_range[1] then
// being that of the whole angle.
THUD_API int thud_equality_rows(int equality_type);
THUD_API const char *thud_equality_name(int equality_type); // "connect", "weld", "joint", ...

// The data of <custom><text name="thud:KEY"/>, or NULL; and the numbers of <custom><numeric name="thud:KEY"/>
// with their count, or NULL. O(words).
THUD_API const char *thud_model_text(const thud_model *m, const char *key);
THUD_API const double *thud_model_numbers(const thud_model *m, const char *key, int *count);

#ifdef __cplusplus
}
#endif
