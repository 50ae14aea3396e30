// SPDX-License-Identifier: Apache-2.0
// urdf_robot.h: a URDF file as it is being read: its links and joints as a graph, and the steps of the load.
//
// URDF spreads what MJCF has in one element over several: each has a small draft of its own, read by the
// functions of mjcf_reader.h through the table of urdf_table.c.
#pragma once

#include "mjcf_reader.h"

typedef enum urdf_joint_type {
    URDF_FIXED,
    URDF_REVOLUTE,
    URDF_CONTINUOUS,
    URDF_PRISMATIC,
    URDF_SPHERICAL,
    URDF_PLANAR,
    URDF_FLOATING
} urdf_joint_type;

enum { // bits of head.given
    GIVEN_LOWER = 1 << 0,
    GIVEN_UPPER = 1 << 1,
    GIVEN_EFFORT = 1 << 2
};

typedef struct draft_link { // link, visual, collision: a name
    draft_head head;
} draft_link;

typedef struct draft_urdf_joint {
    draft_head head;
    int type;
} draft_urdf_joint;

typedef struct draft_end { // parent, child
    draft_head head;
    const char *link;
} draft_end;

typedef struct draft_origin {
    draft_head head;
    thud_vec3 xyz;
    double rpy[3];
} draft_origin;

typedef struct draft_value { // mass, and the numbers of contact
    draft_head head;
    double value;
} draft_value;

typedef struct draft_moments {
    draft_head head;
    double inertia[6]; // xx yy zz xy xz yz
} draft_moments;

typedef struct draft_shape { // box, cylinder, capsule, sphere, mesh
    draft_head head;
    double size[3], radius, length;
    const char *file;
    thud_vec3 scale;
} draft_shape;

typedef struct draft_looks { // material, color, texture
    draft_head head;
    double rgba[4];
} draft_looks;

typedef struct draft_axis {
    draft_head head;
    thud_vec3 xyz;
} draft_axis;

typedef struct draft_limit {
    draft_head head;
    double lower, upper, effort, velocity;
} draft_limit;

typedef struct draft_dynamics {
    draft_head head;
    double damping, friction;
} draft_dynamics;

typedef struct draft_mimic {
    draft_head head;
    const char *joint;
    double multiplier, offset;
} draft_mimic;

// ---------------------------------------------------------------------------------------------- the graph

typedef struct urdf_link {
    int node;
    const char *name;
    int joint;       // that holds it; -1: the root
    int first, last; // joints it holds, linked by urdf_joint.next; -1: none
    int body;        // in the spec
} urdf_link;

typedef struct urdf_joint {
    int node;
    const char *name;
    urdf_joint_type type;
    int parent, child; // links
    int next;          // joint of the same parent, in the order of the file; -1: none
    int scalar;        // the joint in the spec, if it has one coordinate; else -1
} urdf_joint;

typedef struct urdf_robot {
    mjcf_reader *r;
    int links, joints;
    urdf_link *link;
    urdf_joint *joint;
    int root;
} urdf_robot;

// The child of that name, or -1; of those that stand once.
int urdf_child(const mjcf_reader *r, int n, const char *name);
// The pose that the <origin> in node n gives; none is the identity.
thud_status urdf_origin(mjcf_reader *r, int n, pose *out);
// The link that follows l depth first; -1 at the end.
int urdf_next_link(const urdf_robot *u, int l);
static inline bool urdf_is_fixed(const urdf_robot *u, int l) // to its parent
{
    return u->link[l].joint >= 0 && u->joint[u->link[l].joint].type == URDF_FIXED;
}

// The file that a mesh's URI names: a path beside the file, package://NAME/PATH, model://, file://. NULL when
// there is none such; *why is then the sentence, if memory lasted.
const char *urdf_find_file(mjcf_reader *r, const char *uri, const char **why);

thud_status urdf_read_graph(urdf_robot *u);     // links and joints, which must be a tree
thud_status urdf_read_materials(urdf_robot *u); // those of the robot, by name
thud_status urdf_add_links(urdf_robot *u);      // bodies with their inertias, joints and geoms
thud_status urdf_add_geoms(urdf_robot *u, int l);
thud_status urdf_add_joint(urdf_robot *u, int l); // what moves link l
thud_status urdf_add_mimics(urdf_robot *u);
