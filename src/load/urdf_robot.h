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

typedef struct draft_shape { // box, cylinder, capsule, sphere, mesh, plane
    draft_head head;
    double size[3], radius, length;
    const char *file;
    thud_vec3 scale, normal;
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

typedef enum urdf_weigh { // which shapes give a link its mass
    URDF_WEIGH_NOTHING,
    URDF_WEIGH_COLLISION,
    URDF_WEIGH_VISUAL
} urdf_weigh;

typedef struct urdf_link {
    int node;
    const char *name;
    int joint;         // that holds it; -1: a root
    int first, last;   // joints it holds, linked by urdf_joint.next; -1: none
    int next_root;     // of a root: the one after it; -1: none
    int body;          // in the spec
    int inertial;      // its <inertial>; -1: none that counts
    urdf_weigh weigh;  // which shapes it has its mass from, where it has none of its own
    double mass;       // kg
    double inertia[6]; // about the centre of mass, in the frame X
    pose X;            // of the centre of mass
} urdf_link;

typedef struct urdf_joint {
    int node;
    const char *name;
    urdf_joint_type type;
    int parent, child; // links
    int next;          // joint of the same parent, in the order of the file; -1: none
    int scalar;        // the joint in the spec, if it has one coordinate; else -1
    double locked;     // where a joint that cannot move stands, rad or m
    bool slides;       // such a joint is prismatic
    draft_limit limit; // of one that is not fixed
    bool lifted;       // its limits say that it has none
} urdf_joint;

typedef struct urdf_robot {
    mjcf_reader *r;
    int links, joints;
    urdf_link *link;
    urdf_joint *joint;
    int root, roots; // the first, and how many
} urdf_robot;

// The child of that name, or -1; of those that stand once.
int urdf_child(const mjcf_reader *r, int n, const char *name);
// The pose that the <origin> in node n gives; none is the identity.
thud_status urdf_origin(mjcf_reader *r, int n, pose *out);
// The link that follows l depth first, root by root; -1 at the end.
int urdf_next_link(const urdf_robot *u, int l);
// Of each link the topmost that it is fixed to; NULL when memory ran out.
int *urdf_heads(urdf_robot *u);
// Whether a root moves freely: where several are, what holds nothing and weighs nothing stands.
bool urdf_floats(const urdf_robot *u, int root);
static inline bool urdf_is_fixed(const urdf_robot *u, int l) // to its parent
{
    return u->link[l].joint >= 0 && u->joint[u->link[l].joint].type == URDF_FIXED;
}

// The file that a mesh's URI names: a path beside the file, package://NAME/PATH, model://, file://. NULL when
// there is none such; *why is then the sentence, if memory lasted.
const char *urdf_find_file(mjcf_reader *r, const char *uri, const char **why);
// The axis of the joint in node n, which has a length.
thud_status urdf_axis(mjcf_reader *r, int n, thud_vec3 *out);
// Whether a <geometry> (-1: none) is one shape that has a volume, as far as can be told without opening it.
bool urdf_is_solid(mjcf_reader *r, int geometry);
// The numbers of an attribute as they are read: commas between them are blanks, and $(optenv NAME VALUE) is VALUE, with
// a note. NULL when memory ran out.
const char *urdf_plain_numbers(mjcf_reader *r, thud_place place, const char *text);

thud_status urdf_read_graph(urdf_robot *u);     // links and joints, which must be trees
thud_status urdf_read_masses(urdf_robot *u);    // of links; what no body can have is made good
thud_status urdf_read_materials(urdf_robot *u); // those of the robot, by name
thud_status urdf_read_stops(urdf_robot *u);     // limits that leave no motion, or lift all limits
thud_status urdf_add_links(urdf_robot *u);      // bodies with their inertias, joints and geoms
thud_status urdf_add_geoms(urdf_robot *u, int l);
thud_status urdf_add_joint(urdf_robot *u, int l); // what moves link l
thud_status urdf_add_mimics(urdf_robot *u);
