// SPDX-License-Identifier: Apache-2.0
// thud/spec_elements.h: what acts on the tree of a spec: contact pairs, height fields, tendons, equalities,
// actuators and sensors, as their author writes them.
//
// They live in the arrays of thud_spec, in the order of the file, and refer to bodies, joints, geoms, sites
// and each other by index; -1 is none. As everywhere in a spec, SI units and radians, with defaults resolved.
// The add functions return the new element's index with MJCF's default values set, or -1 when memory ran out.
#pragma once

#include <thud/spec.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------- contact

typedef struct thud_spec_pair { // two geoms that touch with their own parameters, whatever the filter says
    const char *name;
    int geom1, geom2;
    int condim;
    double friction[5]; // two sliding, one torsional (m), two rolling (m)
    thud_spec_surface surface;
    double margin, gap;
    double solref[2], solreffriction[2], solimp[5]; // soft-contact words, kept for the relaxation option
    thud_place place;
} thud_spec_pair;

typedef struct thud_spec_exclude { // two bodies that never touch
    const char *name;
    int body1, body2;
    thud_place place;
} thud_spec_exclude;

typedef struct thud_spec_hfield { // heights on a regular grid over a rectangle
    const char *name;
    const char *file;  // path as it can be opened, or NULL: elevation below
    int rows, columns; // along y and x; 0 when the file says
    double size[4];    // half x, half y, largest elevation, depth of the base below zero, all m
    double
        *elevation; // rows x columns, heap, owned; the first row is at the smallest y; scaled to 0..1 later
    thud_place place;
} thud_spec_hfield;

// ---------------------------------------------------------------------------------------------- tendons

typedef enum thud_wrap_type {
    THUD_WRAP_JOINT, // fixed tendon: coef times the joint's position
    THUD_WRAP_SITE,  // spatial: passes through a site
    THUD_WRAP_GEOM,  // spatial: goes around a sphere or cylinder, on the side of `sidesite` if there is one
    THUD_WRAP_PULLEY // spatial: what follows is divided by coef
} thud_wrap_type;

typedef struct thud_spec_wrap { // one station of a tendon
    thud_wrap_type type;
    int object;   // joint, site or geom; -1 for a pulley
    int sidesite; // -1: the shorter way around
    double coef;  // of the joint, or the pulley's divisor
    thud_place place;
} thud_spec_wrap;

typedef struct thud_spec_tendon {
    const char *name;
    bool spatial;     // otherwise fixed: a linear combination of joints
    int first, wraps; // its stations: wrap[first] .. wrap[first + wraps - 1]
    double range[2];  // of its length, m (fixed: in the unit of its joints)
    thud_tristate limited;
    bool has_range;
    double margin;
    double springlength[2]; // no force between the two; -1: the length at the reference pose
    double stiffness, damping, armature, frictionloss;
    double actfrcrange[2];
    thud_tristate actfrclimited;
    bool has_actfrcrange;
    double width; // drawing only, m
    double rgba[4];
    int group;
    double solreflimit[2], solimplimit[5], solreffriction[2], solimpfriction[5]; // kept, unused
    thud_place place;
} thud_spec_tendon;

// ---------------------------------------------------------------------------------------------- equalities

// What the joint that an equality stands for in maximal coordinates had besides its axis: see thud/maximal.h.
typedef struct thud_spec_axis {
    double ref; // the joint's position where the two frames coincide: rad about z, or m along z
    bool limited;
    double range[2], margin;
    double stiffness, springref, damping, armature, frictionloss;
} thud_spec_axis;

typedef struct thud_spec_equality {
    const char *name;
    thud_equality_type type;
    bool active;      // at the start
    bool sites;       // connect and weld: object1 and object2 are sites, otherwise bodies
    int object1;      // body, site, joint or tendon
    int object2;      // the same; a joint or tendon may be -1: held at polycoef[0]
    thud_vec3 anchor; // connect of bodies: in body 1. weld of bodies: in body 2
    bool has_relpose; // weld: the two below are given; otherwise they come from the reference pose
    thud_vec3 relpos; // of body 2 (of its anchor, if that is given) in body 1
    thud_quat relquat;
    double torquescale; // weld: weight of rotation against translation
    double polycoef[5];
    thud_pose frame[2];          // hinge and slide: in body 1 and body 2, z the joint's axis
    thud_spec_axis axis;         // hinge, slide, connect
    double solref[2], solimp[5]; // soft-constraint words, kept for the relaxation option
    thud_place place;
} thud_spec_equality;

// ---------------------------------------------------------------------------------------------- actuators

typedef enum thud_transmission {
    THUD_TRANSMISSION_JOINT,
    THUD_TRANSMISSION_JOINT_IN_PARENT, // ball and free: gear is in the parent's frame
    THUD_TRANSMISSION_TENDON,
    THUD_TRANSMISSION_SITE,         // gear is a wrench in the site's frame, or in `refsite`'s
    THUD_TRANSMISSION_SLIDER_CRANK, // a rod of cranklength from site `target` to the axis of `slidersite`
    THUD_TRANSMISSION_BODY          // adhesion of a body: it has a control, and moves nothing here
} thud_transmission;

typedef enum thud_actuator_dynamics { // of the activation a, driven by the control u
    THUD_DYNAMICS_NONE,               // no activation
    THUD_DYNAMICS_INTEGRATOR,         // a' = u
    THUD_DYNAMICS_FILTER,             // a' = (u - a)/t, t = dynprm[0], Euler
    THUD_DYNAMICS_FILTER_EXACT,       // the same, integrated exactly
    THUD_DYNAMICS_MUSCLE // a' = (u - a)/t(u, a), dynprm: rise and fall times, width of the change
} thud_actuator_dynamics;

typedef enum thud_actuator_gain {
    THUD_GAIN_FIXED,  // gainprm[0]
    THUD_GAIN_AFFINE, // gainprm[0] + gainprm[1] length + gainprm[2] velocity
    THUD_GAIN_MUSCLE  // what a contracting muscle pulls, of length and velocity [thud_muscle_pull]
} thud_actuator_gain;

typedef enum thud_actuator_bias {
    THUD_BIAS_NONE,
    THUD_BIAS_AFFINE, // biasprm[0] + biasprm[1] length + biasprm[2] velocity
    THUD_BIAS_MUSCLE  // what a stretched muscle pulls, of length [thud_muscle_passive]
} thud_actuator_bias;

// force = gain (a or u) + bias. motor, position, velocity, intvelocity, damper, cylinder and muscle are already
// written in these terms. The numbers of a muscle's gain and bias are: operating range (2, in optimal lengths), peak force in N (< 0:
// scale over the acceleration of a unit force at rest), scale, lmin, lmax, vmax, fpmax, fvmax.
typedef struct thud_spec_actuator {
    const char *name;
    thud_transmission transmission;
    int target;              // joint, tendon, site or body
    int refsite, slidersite; // -1 none
    double gear[6], cranklength;
    thud_actuator_dynamics dynamics;
    thud_actuator_gain gain;
    thud_actuator_bias bias;
    double dynprm[10], gainprm[10], biasprm[10];
    double dampratio; // > 0: biasprm[2] is to become -2 dampratio sqrt(kp m), m the reflected inertia at rest
    double ctrlrange[2], forcerange[2], actrange[2];
    thud_tristate ctrllimited, forcelimited, actlimited; // AUTO: limited when the range was given
    bool has_ctrlrange, has_forcerange, has_actrange;
    double lengthrange[2]; // of a muscle: its shortest and longest; both 0: found from the joints' ranges
    bool actearly;         // the force uses the activation at the end of the step
    int actdim;            // -1: 1 with dynamics, else 0
    int group;
    thud_place place;
} thud_spec_actuator;

// ---------------------------------------------------------------------------------------------- sensors

// Every sensor: enumerator, MJCF's word, how many numbers it gives, and what it is attached to.
#define THUD_SENSOR_LIST(X)                                                                                  \
    X(TOUCH, "touch", 1, SITE)                                                                               \
    X(ACCELEROMETER, "accelerometer", 3, SITE)                                                               \
    X(VELOCIMETER, "velocimeter", 3, SITE)                                                                   \
    X(GYRO, "gyro", 3, SITE)                                                                                 \
    X(FORCE, "force", 3, SITE)                                                                               \
    X(TORQUE, "torque", 3, SITE)                                                                             \
    X(MAGNETOMETER, "magnetometer", 3, SITE)                                                                 \
    X(RANGEFINDER, "rangefinder", 1, SITE)                                                                   \
    X(JOINTPOS, "jointpos", 1, JOINT)                                                                        \
    X(JOINTVEL, "jointvel", 1, JOINT)                                                                        \
    X(TENDONPOS, "tendonpos", 1, TENDON)                                                                     \
    X(TENDONVEL, "tendonvel", 1, TENDON)                                                                     \
    X(ACTUATORPOS, "actuatorpos", 1, ACTUATOR)                                                               \
    X(ACTUATORVEL, "actuatorvel", 1, ACTUATOR)                                                               \
    X(ACTUATORFRC, "actuatorfrc", 1, ACTUATOR)                                                               \
    X(JOINTACTUATORFRC, "jointactuatorfrc", 1, JOINT)                                                        \
    X(TENDONACTUATORFRC, "tendonactuatorfrc", 1, TENDON)                                                     \
    X(BALLQUAT, "ballquat", 4, JOINT)                                                                        \
    X(BALLANGVEL, "ballangvel", 3, JOINT)                                                                    \
    X(JOINTLIMITPOS, "jointlimitpos", 1, JOINT)                                                              \
    X(JOINTLIMITVEL, "jointlimitvel", 1, JOINT)                                                              \
    X(JOINTLIMITFRC, "jointlimitfrc", 1, JOINT)                                                              \
    X(TENDONLIMITPOS, "tendonlimitpos", 1, TENDON)                                                           \
    X(TENDONLIMITVEL, "tendonlimitvel", 1, TENDON)                                                           \
    X(TENDONLIMITFRC, "tendonlimitfrc", 1, TENDON)                                                           \
    X(FRAMEPOS, "framepos", 3, FRAME)                                                                        \
    X(FRAMEQUAT, "framequat", 4, FRAME)                                                                      \
    X(FRAMEXAXIS, "framexaxis", 3, FRAME)                                                                    \
    X(FRAMEYAXIS, "frameyaxis", 3, FRAME)                                                                    \
    X(FRAMEZAXIS, "framezaxis", 3, FRAME)                                                                    \
    X(FRAMELINVEL, "framelinvel", 3, FRAME)                                                                  \
    X(FRAMEANGVEL, "frameangvel", 3, FRAME)                                                                  \
    X(FRAMELINACC, "framelinacc", 3, FRAME)                                                                  \
    X(FRAMEANGACC, "frameangacc", 3, FRAME)                                                                  \
    X(SUBTREECOM, "subtreecom", 3, BODY)                                                                     \
    X(SUBTREELINVEL, "subtreelinvel", 3, BODY)                                                               \
    X(SUBTREEANGMOM, "subtreeangmom", 3, BODY)                                                               \
    X(E_POTENTIAL, "e_potential", 1, NONE)                                                                   \
    X(E_KINETIC, "e_kinetic", 1, NONE)                                                                       \
    X(CLOCK, "clock", 1, NONE)

typedef enum thud_sensor_type {
#define THUD_SENSOR_ENUM(name, word, dim, object) THUD_SENSOR_##name,
    THUD_SENSOR_LIST(THUD_SENSOR_ENUM)
#undef THUD_SENSOR_ENUM
} thud_sensor_type;

typedef enum thud_object {
    THUD_OBJECT_NONE,
    THUD_OBJECT_BODY,  // its inertial frame, at the centre of mass
    THUD_OBJECT_XBODY, // its own frame
    THUD_OBJECT_GEOM,
    THUD_OBJECT_SITE,
    THUD_OBJECT_JOINT,
    THUD_OBJECT_TENDON,
    THUD_OBJECT_ACTUATOR
} thud_object;

typedef struct thud_spec_sensor {
    const char *name;
    thud_sensor_type type;
    thud_object object_type;
    int object;                 // index of that type, or -1
    thud_object reference_type; // frame sensors: seen from here; NONE: the world
    int reference;
    int dim;       // how many numbers it gives
    double cutoff; // > 0: the reading is clamped to it
    double noise;  // standard deviation; kept, never added
    thud_place place;
} thud_spec_sensor;

// ---------------------------------------------------------------------------------------------- add

THUD_API int thud_spec_add_pair(thud_spec *spec, int geom1, int geom2, const char *name);
THUD_API int thud_spec_add_exclude(thud_spec *spec, int body1, int body2, const char *name);
THUD_API int thud_spec_add_hfield(thud_spec *spec, const char *name);
THUD_API int thud_spec_add_tendon(thud_spec *spec, bool spatial, const char *name);
// Appends a station to the tendon added last.
THUD_API int thud_spec_add_wrap(thud_spec *spec, thud_wrap_type type, int object, double coef);
THUD_API int thud_spec_add_equality(thud_spec *spec, thud_equality_type type, const char *name);
THUD_API int thud_spec_add_actuator(thud_spec *spec, thud_transmission transmission, int target,
                                    const char *name); // a motor
THUD_API int thud_spec_add_sensor(thud_spec *spec, thud_sensor_type type, int object, const char *name);

#ifdef __cplusplus
}
#endif
