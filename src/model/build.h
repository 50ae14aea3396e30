// SPDX-License-Identifier: Apache-2.0
// build.h: what the stages of building a model share. Private to the room.
#pragma once

#include <stdatomic.h>

#include <thud/model.h>
#include <thud/spec_elements.h>

// The arrays of a spec that a variant may have of its own: X(kind, array, count).
#define MODEL_VARIED(X)                                                                                      \
    X(body, body, bodies)                                                                                    \
    X(joint, joint, joints)                                                                                  \
    X(geom, geom, geoms)                                                                                     \
    X(site, site, sites)                                                                                     \
    X(pair, pair, pairs)                                                                                     \
    X(equality, equality, equalities)                                                                        \
    X(tendon, tendon, tendons)                                                                               \
    X(actuator, actuator, actuators)                                                                         \
    X(sensor, sensor, sensors)
#define MODEL_VARIED_ENUM(kind, array, count) VARIED_##kind,
enum { MODEL_VARIED(MODEL_VARIED_ENUM) VARIED_KINDS };

struct thud_model_store {
    struct model_source *source;
    thud_spec spec;          // of this model: arrays of the source's spec, or its own
    void *own[VARIED_KINDS]; // the arrays that are its own
};

typedef struct built_mesh {
    bool need_mass, need_hull, need_fit;
    thud_inertia inertia; // for density 1, in the recentred frame; mass 0: not weighed
    thud_pose X;          // the recentred frame in the one of the file
    int open_edges;       // [thud_mesh_mass]
    const thud_hull *hull;
    double hull_over; // its volume over that of the mesh; 0: not known
    thud_shape
        fit[THUD_SHAPE_KINDS]; // the primitive of each kind that stands for it, and its frame in the file's
    thud_pose fit_X[THUD_SHAPE_KINDS];
} built_mesh;

// What a model and its variants share; the last of them frees it.
typedef struct model_source {
    atomic_int users;
    thud_spec *spec;  // a copy, without the numbers of height fields
    built_mesh *mesh; // of the spec's i-th mesh
    int hulls, hfields;
    thud_hull **hull;         // one a mesh of the spec, NULL where none is needed; geom_shape points at them
    thud_hfield **hfield;     // one a height field of the spec
    thud_mesh_repair *repair; // one a mesh
} model_source;

typedef struct builder {
    const thud_spec *spec;
    model_source *source;
    bool varies; // the source is that of another model: meshes are there, and names are right
    thud_model *m;
    thud_diag *diag;
    int *joint_of, *geom_of, *site_of; // index in the spec of the model's i-th joint, geom, site
    int *joint_at, *geom_at, *site_at; // and back
    thud_inertia *geom_inertia;        // of the model's i-th geom, in its body's frame
    built_mesh *mesh;                  // of the spec's i-th mesh
} builder;

// The lengths that THUD_MODEL_ARRAYS speaks of.
#define MODEL_LENGTHS(m)                                                                                     \
    const size_t bodies = (size_t)(m)->bodies, joints = (size_t)(m)->joints, joints2 = 2 * joints,           \
                 joints6 = 6 * joints, geoms = (size_t)(m)->geoms, geoms3 = 3 * geoms, geoms4 = 4 * geoms,   \
                 sites = (size_t)(m)->sites, nq = (size_t)(m)->nq, nv = (size_t)(m)->nv, nv1 = nv + 1,       \
                 keys = (size_t)(m)->keys, keys_nq = keys * nq, keys_nv = keys * nv,                         \
                 pairs = (size_t)(m)->pairs, pairs2 = 2 * pairs, pairs5 = 5 * pairs,                         \
                 excludes2 = 2 * (size_t)(m)->excludes, equalities = (size_t)(m)->equalities,                \
                 equalities2 = 2 * equalities, equalities5 = 5 * equalities, words = (size_t)(m)->words,     \
                 word_numbers = (size_t)(m)->word_numbers, name_bytes = (size_t)(m)->name_bytes,             \
                 tendons = (size_t)(m)->tendons, tendons2 = 2 * tendons, wraps = (size_t)(m)->wraps,         \
                 actuators = (size_t)(m)->actuators, actuators2 = 2 * actuators, actuators3 = 3 * actuators, \
                 actuators6 = 6 * actuators, actuators9 = 9 * actuators, keys_nu = keys * actuators,         \
                 keys_na = keys * (size_t)(m)->activations, sensors = (size_t)(m)->sensors,                  \
                 keys_mocaps = keys * (size_t)(m)->mocaps

// Fails with the place where an element was written.
#define FAIL_AT(b, element_place, ...)                                                                       \
    thud_fail(THUD_BAD_MODEL, (b)->diag, (element_place).file, (element_place).line, (element_place).column, \
              __VA_ARGS__)

// Kinetic friction: static friction where it is not given, and never more.
static inline double model_kinetic(double kinetic, double sticking)
{
    return kinetic < sticking ? kinetic : sticking; // also for NaN
}

// check.c: every number finite, every index in range, every size and mass possible, no name twice.
thud_status model_check_spec(builder *b);
thud_status model_check_surface(builder *b, const thud_spec_surface *surface, const char *geom,
                                thud_place place); // NULL: of a pair. NaN is allowed: not given
bool model_finite_pose(thud_vec3 p, thud_quat q);  // and the quaternion unit
// model.c: allocates all arrays of the table for the counts already set in m.
thud_status model_allocate(thud_model *m);
// build.c: a list of consecutive numbers; returns how many.
int model_span(int *list, int first, int end);
// names.c
int model_count_name_bytes(const thud_spec *spec);
void model_copy_names(builder *b);
int model_put_name(thud_model *m, int *used, const char *name); // offset of its copy; -1 for NULL
// words.c: the custom data named thud:..., as counts, bytes of text, and copied.
void model_count_words(const thud_spec *spec, thud_model *m);
int model_count_word_bytes(const thud_spec *spec);
void model_copy_words(builder *b, int *used);
// source.c: the copy of the spec, with no meshes yet, and one user.
thud_status model_source_create(const thud_spec *spec, model_source **out);
void model_source_release(model_source *source); // NULL is allowed
// build.c: a model of b's spec and source, of which it becomes a user; NULL on failure.
thud_status model_build(builder *b, thud_model **out);
// meshes.c: the meshes and height fields that geoms need; of a variant those that are there.
thud_status model_build_meshes(builder *b);
// geoms.c: shapes, frames, inertias and contact properties of geoms; needs meshes.
thud_status model_build_geoms(builder *b);
// pairs.c: contact pairs and excludes, sorted.
thud_status model_build_pairs(builder *b);
// body_mass.c: mass and inertia of every body from its inertial or its geoms; needs geoms.
thud_status model_build_masses(builder *b);
// links.c: the tree of links, their constant transforms and inertias, the dofs and M's sparsity; needs
// masses.
thud_status model_build_links(builder *b);
// The frame of body i in its link, and of its joints' links in their parents', from body_pose and the body before.
void model_place_body(thud_model *m, int i);
// keys.c: the reference pose and the keyframes.
thud_status model_build_keys(builder *b);
// spring_damper.c: stiffness and damping of joints that give a time constant and a damping ratio; needs keys.
thud_status model_build_spring_dampers(builder *b);
// tendons.c: stations, lengths at rest, springs and limits; needs keys.
thud_status model_build_tendons(builder *b);
// actuators.c: transmissions, forces and activations; needs tendons.
int model_count_activations(const thud_spec *spec);
thud_status model_build_actuators(builder *b);
// sensors.c: what they are attached to, and where their readings are; needs actuators.
int model_count_readings(const thud_spec *spec);
thud_status model_build_sensors(builder *b);
// damp_ratio.c: the damping of servos that give a ratio; needs what actuators.c fills.
thud_status model_damp_actuators(builder *b);
thud_status model_build_muscles(builder *b); // muscles.c: their numbers
// length_range.c: shortest and longest length of an actuator while joints are within their ranges.
thud_status model_find_length_range(builder *b, int actuator, double range[2]);
// equalities.c: with their frames; needs links, keys and tendons.
thud_status model_build_equalities(builder *b);
// hash.c: of every number, shape and name of a finished model.
uint64_t model_hash(const thud_model *m);
