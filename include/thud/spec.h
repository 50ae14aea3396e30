// SPDX-License-Identifier: Apache-2.0
// thud/spec.h: a mechanism as its author writes it. Editable: loaders fill it, and so may you;
// thud_model_build reads it.
//
// A spec is a set of growing arrays, one a kind of element, in the order of the file. Elements refer to each
// other by index; body 0 is the world. Defaults, includes, angles and orientations are already resolved:
// everything is in SI units and radians, orientations are unit quaternions. Strings are interned in the spec
// and live as long as it does.
//
//     int arm = thud_spec_add_body(spec, 0, "arm");
//     int pin = thud_spec_add_joint(spec, arm, THUD_JOINT_HINGE, "pin");
//     spec->joint[pin].axis = (thud_vec3){0, 1, 0};
//
// The add functions return the new element's index with MJCF's default values set, or -1 when memory ran out.
// An index stays valid; a pointer into an array only until the next add to that array.
#pragma once

#include <thud/base_files.h>
#include <thud/shape_mesh.h> // thud_mesh_inertia
#include <thud/spatial.h>

#ifdef __cplusplus
extern "C" {
#endif

// Where an element was written, for diagnostics. file may be NULL (built in code); line and column from 1.
typedef struct thud_place {
    const char *file;
    int line, column;
} thud_place;

typedef enum thud_joint_type {
    THUD_JOINT_HINGE,
    THUD_JOINT_SLIDE,
    THUD_JOINT_BALL,
    THUD_JOINT_FREE
} thud_joint_type;

typedef enum thud_geom_type {
    THUD_GEOM_PLANE,     // size: half x, half y (0: infinite, drawing only), grid spacing; normal +z
    THUD_GEOM_HFIELD,    // the height field `hfield`
    THUD_GEOM_SPHERE,    // size: radius
    THUD_GEOM_CAPSULE,   // size: radius, half length of the cylinder part, along z
    THUD_GEOM_ELLIPSOID, // size: three semi-axes
    THUD_GEOM_CYLINDER,  // size: radius, half length, along z
    THUD_GEOM_BOX,       // size: three half lengths
    THUD_GEOM_MESH       // the mesh `mesh`
} thud_geom_type;

typedef enum thud_equality_type {
    THUD_EQUALITY_CONNECT, // two points stay together
    THUD_EQUALITY_WELD,    // two frames stay together
    THUD_EQUALITY_JOINT,   // q1 - ref1 = polynomial of q2 - ref2
    THUD_EQUALITY_TENDON,  // the same of tendon lengths
    THUD_EQUALITY_HINGE,   // two frames share their origin and z axis; never in a file (thud/maximal.h)
    THUD_EQUALITY_SLIDE    // two frames share their orientation and the line of their z axes; likewise
} thud_equality_type;

typedef enum thud_integrator {
    THUD_INTEGRATOR_MIDPOINT, // corrected midpoint: second order, does not gain energy; the default
    THUD_INTEGRATOR_EULER,    // semi-implicit Euler
    THUD_INTEGRATOR_RK4       // Runge-Kutta, four evaluations
} thud_integrator;

typedef enum thud_tristate { THUD_FALSE, THUD_TRUE, THUD_AUTO } thud_tristate;

typedef struct thud_spec_body {
    const char *name; // NULL if none
    int parent;       // index of a body written earlier; -1 only for the world
    thud_vec3 pos;    // of its frame in the parent's
    thud_quat quat;
    bool has_inertial; // the four below were given; otherwise they come from the geoms
    double mass;       // kg
    thud_vec3 ipos;    // centre of mass in the body frame
    thud_quat iquat;   // frame of `inertia`
    double inertia[6]; // about the centre of mass: xx yy zz xy xz yz, kg m^2
    double gravcomp;   // fraction of the body's weight that is carried
    bool mocap;        // moved from outside, never by forces
    thud_place place, inertial_place;
} thud_spec_body;

typedef struct thud_spec_joint {
    const char *name;
    int body;
    thud_joint_type type;
    thud_vec3 pos,
        axis;         // in the body frame; axis need not be unit; ball and free ignore it, free ignores pos
    double ref;       // position at the reference pose (hinge: rad, slide: m)
    double springref; // where the spring is at rest
    double stiffness, damping, armature, frictionloss;
    double range[2];
    thud_tristate limited; // AUTO: limited when a range was given
    bool has_range;
    double margin;
    double actfrcrange[2]; // limits of the sum of actuator forces on this joint
    thud_tristate actfrclimited;
    bool has_actfrcrange, actgravcomp;
    double
        springdamper[2]; // both > 0: stiffness and damping follow from this time constant and damping ratio
    thud_tristate align; // free: put the body frame at its centre of mass; AUTO: compiler.alignfree
    double solreflimit[2], solimplimit[5], solreffriction[2],
        solimpfriction[5]; // soft-contact words, kept, unused
    thud_place place;
} thud_spec_joint;

// What MJCF has no word for: see "Thud's own words" in docs/mjcf.md.
typedef struct thud_spec_surface {
    double restitution; // 0 to 1; in a pair, as the three below, NaN: what its geoms say
    double kinetic[2];  // sliding friction of what slides already; NaN: friction[0], in a pair friction[0..1]
    double viscous;     // its growth with the sliding speed, s/m
    double stribeck;    // m/s, speed over which friction falls from static to kinetic; 0: at once
} thud_spec_surface;

typedef struct thud_spec_geom {
    const char *name;
    int body;
    thud_geom_type type;
    double size[3];
    thud_vec3 pos;
    thud_quat quat;
    int mesh, hfield; // -1 none. A primitive with a mesh is fitted to it, and its size times fitscale
    double fitscale;
    double mass;        // kg; NaN: from density
    double density;     // kg/m^3
    bool shell;         // mass on the surface
    double friction[3]; // sliding, torsional (m), rolling (m)
    thud_spec_surface surface;
    thud_vec3 friction_axis; // first sliding direction of pairs with two, in the body frame; zero: none
    int condim, contype, conaffinity, priority, group;
    double margin, gap, solmix;
    double solref[2], solimp[5]; // soft-contact words, kept for the relaxation option
    double rgba[4];
    const char *material;
    thud_place place;
} thud_spec_geom;

typedef struct thud_spec_site {
    const char *name;
    int body;
    thud_geom_type type;
    double size[3];
    thud_vec3 pos;
    thud_quat quat;
    int group;
    double rgba[4];
    thud_place place;
} thud_spec_site;

typedef struct thud_spec_mesh {
    const char *name;
    const char *file; // path as it can be opened, or NULL: vertices below
    thud_vec3 scale, refpos;
    thud_quat refquat;
    thud_mesh_inertia inertia;
    int maxhullvert; // -1: no limit
    int vertices, triangles;
    double *vertex; // 3 x vertices, heap, owned
    int *triangle;  // 3 x triangles, heap, owned; NULL: the hull of the vertices
    thud_place place;
} thud_spec_mesh;

typedef struct thud_spec_key { // a named state; NULL arrays: not given. Owned by the spec.
    const char *name;
    double time;
    double *qpos, *qvel, *act, *ctrl, *mpos, *mquat;
    int nqpos, nqvel, nact, nctrl, nmpos, nmquat;
    thud_place place;
} thud_spec_key;

typedef struct thud_spec_custom { // <custom>: a named text, or a named list of numbers
    const char *name, *text;      // text NULL: numeric
    double *number;
    int count;
    thud_place place;
} thud_spec_custom;

// What a loader tells of a file beside the model: what it is, why, and where it stands. The first four were
// understood and are not simulated.
typedef enum thud_note_kind {
    THUD_NOTE_VISUAL,  // only drawn
    THUD_NOTE_SOFT,    // soft-contact words; rigid contact has no use for them
    THUD_NOTE_LATER,   // physics that this version does not simulate yet
    THUD_NOTE_IGNORED, // words for another solver, another program or people; nothing follows from them here
    THUD_NOTE_CHANGED, // the file is wrong or says nothing, and something was put in its place
    THUD_NOTE_LOOK     // read as it stands, and likely not what was meant
} thud_note_kind;

typedef struct thud_spec_note {
    thud_note_kind kind;
    const char *what, *why;
    thud_place place; // of the first
    int count;        // how often it occurs
} thud_spec_note;

typedef struct thud_spec_compiler { // how the model is built from this spec
    thud_tristate inertiafromgeom;  // TRUE: geoms always; FALSE: never; AUTO: where no inertial is given
    int inertiagrouprange[2];
    double boundmass, boundinertia, settotalmass; // settotalmass < 0: off
    bool balanceinertia, autolimits, fusestatic, alignfree;
    bool fitaabb; // primitives are fitted to the bounds of a mesh instead of to its inertia
} thud_spec_compiler;

typedef struct thud_spec_option {
    double timestep; // s
    thud_vec3 gravity, wind, magnetic;
    double density, viscosity; // of the medium
    thud_integrator integrator;
    double impratio, tolerance;
    bool gravity_on, contact_on, limit_on, frictionloss_on, spring_on, damper_on, equality_on, actuation_on,
        passive_on, clampctrl_on, filterparent_on, sensor_on;
} thud_spec_option;

typedef struct thud_spec {
    const char *model; // name of the model
    thud_files
        files; // opens meshes and height fields when a model is built or drawn; open NULL: the file system
    thud_spec_compiler compiler;
    thud_spec_option option;
    int bodies, joints, geoms, sites, meshes, keys, customs, notes;
    thud_spec_body *body;
    thud_spec_joint *joint;
    thud_spec_geom *geom;
    thud_spec_site *site;
    thud_spec_mesh *mesh;
    thud_spec_key *key;
    thud_spec_custom *custom;
    thud_spec_note *note;
    int pairs, excludes, hfields, tendons, wraps, equalities, actuators, sensors; // thud/spec_elements.h
    struct thud_spec_pair *pair;
    struct thud_spec_exclude *exclude;
    struct thud_spec_hfield *hfield;
    struct thud_spec_tendon *tendon;
    struct thud_spec_wrap *wrap; // the stations of all tendons
    struct thud_spec_equality *equality;
    struct thud_spec_actuator *actuator;
    struct thud_spec_sensor *sensor;
    struct thud_spec_store *store; // capacities and interned strings: private
} thud_spec;

THUD_API THUD_MUST_USE thud_status
thud_spec_create(thud_spec **out);                // the world body alone, MJCF's default options
THUD_API void thud_spec_destroy(thud_spec *spec); // NULL is allowed
// A copy that shares nothing with the first; NO_MEMORY leaves *out NULL. O(size of the spec).
THUD_API THUD_MUST_USE thud_status thud_spec_copy(const thud_spec *from, thud_spec **out);

THUD_API const char *thud_spec_intern(thud_spec *spec,
                                      const char *text); // NULL on failure, or for a NULL text

THUD_API int thud_spec_add_body(thud_spec *spec, int parent,
                                const char *name); // name may be NULL in all of these
THUD_API int thud_spec_add_joint(thud_spec *spec, int body, thud_joint_type type, const char *name);
THUD_API int thud_spec_add_geom(thud_spec *spec, int body, thud_geom_type type, const char *name);
THUD_API int thud_spec_add_site(thud_spec *spec, int body, const char *name);
THUD_API int thud_spec_add_mesh(thud_spec *spec, const char *name);
THUD_API int thud_spec_add_key(thud_spec *spec, const char *name);
THUD_API int thud_spec_add_custom(thud_spec *spec, const char *name);
THUD_API int thud_spec_add_note(thud_spec *spec, thud_note_kind kind, const char *what, const char *why,
                                thud_place place);

// The data of a <custom><text> by name, or NULL.
THUD_API const char *thud_spec_text(const thud_spec *spec, const char *name);

#ifdef __cplusplus
}
#endif
