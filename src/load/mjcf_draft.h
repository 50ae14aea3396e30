// SPDX-License-Identifier: Apache-2.0
// mjcf_draft.h: elements as they are being read: the spec's own struct, and the words that are resolved into
// it.
//
// Every draft starts with a head. A default class is a draft of each kind; reading an element copies its
// class's draft, reads the attributes over it, and turns the result into an element of the spec.
#pragma once

#include <thud/spec_elements.h>

#include "mjcf_schema.h"

enum { // bits of head.given
    GIVEN_QUAT = 1 << 0,
    GIVEN_AXISANGLE = 1 << 1,
    GIVEN_EULER = 1 << 2,
    GIVEN_XYAXES = 1 << 3,
    GIVEN_ZAXIS = 1 << 4,
    GIVEN_TURN = (1 << 5) - 1, // any of the five
    GIVEN_FROMTO = 1 << 5,
    GIVEN_DIAGINERTIA = 1 << 6,
    GIVEN_FULLINERTIA = 1 << 7,
    GIVEN_ANCHOR = 1 << 8,
    GIVEN_RELPOSE = 1 << 9,
    GIVEN_JOINT = 1 << 10, // what an actuator acts through
    GIVEN_PARENTJOINT = 1 << 11,
    GIVEN_TENDON = 1 << 12,
    GIVEN_SITE = 1 << 13,
    GIVEN_CRANKSITE = 1 << 14,
    GIVEN_BODY = 1 << 15,
    GIVEN_TRANSMISSION = 63 << 10, // any of the six
    GIVEN_KP = 1 << 16,
    GIVEN_KV = 1 << 17,
    GIVEN_DAMPRATIO = 1 << 18,
    GIVEN_TIMECONST = 1 << 19,
    GIVEN_AREA = 1 << 20,
    GIVEN_DIAMETER = 1 << 21,
    GIVEN_BIAS = 1 << 22,
    GIVEN_CTRLRANGE = 1 << 23,
    GIVEN_INHERITRANGE = 1 << 24
};

enum { MJCF_FIXED_JOINT = THUD_JOINT_FREE + 1 }; // a type of joint that only some readers of MJCF know: none

typedef struct draft_head {
    unsigned given;
    const char *name, *class_name;
} draft_head;

typedef struct draft_turn { // five ways to write an orientation
    double quat[4], axisangle[4], euler[3], xyaxes[6], zaxis[3];
} draft_turn;

typedef struct draft_body { // also frame and replicate
    draft_head head;
    thud_vec3 pos;
    draft_turn turn;
    const char *childclass;
    double gravcomp;
    bool mocap;
    int count;
    double offset[3], euler[3];
    const char *sep;
} draft_body;

typedef struct draft_attach {
    draft_head head;
    const char *model, *body, *frame, *prefix;
} draft_attach;

typedef struct draft_inertial {
    draft_head head;
    thud_vec3 pos;
    draft_turn turn;
    double mass, diaginertia[3], fullinertia[6];
} draft_inertial;

typedef struct draft_joint {
    draft_head head;
    thud_spec_joint to;
} draft_joint;

typedef struct draft_geom {
    draft_head head;
    thud_spec_geom to;
    draft_turn turn;
    double fromto[6];
    const char *mesh, *hfield, *material;
    int fluidshape;
} draft_geom;

typedef struct draft_site {
    draft_head head;
    thud_spec_site to;
    draft_turn turn;
    double fromto[6];
    const char *material;
} draft_site;

typedef struct draft_mesh {
    draft_head head;
    thud_spec_mesh to;
    const char *file;
    mjcf_list vertex, face;
} draft_mesh;

typedef struct draft_material { // also texture, of which only the name counts
    draft_head head;
    double rgba[4];
    const char *file;
} draft_material;

typedef struct draft_hfield {
    draft_head head;
    thud_spec_hfield to;
    const char *file;
    mjcf_list elevation;
} draft_hfield;

typedef struct draft_pair { // also exclude
    draft_head head;
    thud_spec_pair to;
    const char *geom1, *geom2, *body1, *body2;
} draft_pair;

typedef struct draft_equality {
    draft_head head;
    thud_spec_equality to;
    const char *body1, *body2, *site1, *site2, *other1, *other2; // other: joints or tendons
    double relpose[7];
} draft_equality;

typedef struct draft_tendon {
    draft_head head;
    thud_spec_tendon to;
    const char *material;
} draft_tendon;

typedef struct draft_wrap {
    draft_head head;
    const char *object, *sidesite;
    double coef;
} draft_wrap;

typedef struct draft_muscle { // below zero: not given
    double timeconst[2], tausmooth, prm[9];
} draft_muscle;
extern const draft_muscle mjcf_no_muscle;

typedef struct draft_actuator {
    draft_head head;
    thud_spec_actuator to;
    const char *target, *slidersite, *refsite;
    double kp, kv, gain, timeconst, area, diameter, bias[3], inheritrange;
    draft_muscle muscle;
    int word, class_; // of a default: the mjcf_actuator_word it was last written with, and in which class
    const struct draft_actuator *up; // what the class of that draft inherits
} draft_actuator;

typedef struct draft_sensor {
    draft_head head;
    thud_spec_sensor to;
    const char *object, *reference;
    int objtype, reftype;
} draft_sensor;

typedef struct draft_key {
    draft_head head;
    double time;
    mjcf_list qpos, qvel, act, ctrl, mpos, mquat;
} draft_key;

typedef struct draft_custom {
    draft_head head;
    int size;
    mjcf_list numbers;
    const char *text;
    const char *objtype, *objname; // of an element of a tuple
    double prm;
} draft_custom;

typedef struct draft_compiler {
    draft_head head;
    thud_spec_compiler to;
    int degrees, global;
    const char *eulerseq, *meshdir, *texturedir, *assetdir;
    bool strippath, discardvisual, exactmeshinertia;
} draft_compiler;

typedef struct draft_option {
    draft_head head;
    thud_spec_option to;
    bool constraint_on, override_on;
    int cone;
} draft_option;

typedef union draft_any { // as large as the largest
    draft_head head;
    draft_body body;
    draft_inertial inertial;
    draft_joint joint;
    draft_geom geom;
    draft_site site;
    draft_mesh mesh;
    draft_material material;
    draft_hfield hfield;
    draft_pair pair;
    draft_equality equality;
    draft_tendon tendon;
    draft_wrap wrap;
    draft_actuator actuator;
    draft_sensor sensor;
    draft_key key;
    draft_custom custom;
} draft_any;
