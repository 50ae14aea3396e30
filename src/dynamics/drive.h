// SPDX-License-Identifier: Apache-2.0
// drive.h: levers while they are made. Private to the room.
#pragma once

#include <thud/dynamics_drive.h>

struct thud_drive_store {
    int *dofs;                // of all levers
    double *values;           // of all levers
    double *numbers;          // lengths, velocities, forces
    thud_vec3 *x_ws, *x_ls;   // sites: where they are; in their links
    int *site;                // those that tendons pass
    int sites;                // how many they are
    thud_pose *X_wb;          // bodies
    int *body;                // those that carry geoms of tendons and sites of actuators
    int bodies;               // how many they are
    double *row;              // nv: the lever being made, zero between two
    bool *used;               // nv: dofs that it has
    double *total;            // tendons: actuator forces on each
    thud_tendon_piece *piece; // of one tendon
};

void lever_add(thud_drive *drive, thud_lever *l, int dof, double value);
// A force and a torque on a body, the force at a point of the world.
void lever_add_wrench(const thud_model *m, const thud_dynamics *d, thud_drive *drive, thud_lever *l, int body,
                      thud_vec3 force, thud_vec3 torque, thud_vec3 point);
// What they do along the joint of a link alone.
void lever_add_at_joint(const thud_model *m, const thud_dynamics *d, thud_drive *drive, thud_lever *l,
                        int link, thud_vec3 force, thud_vec3 torque, thud_vec3 point);
void lever_close(thud_drive *drive, thud_lever *l); // values into their places

// Length and lever of actuator i; after the tendons'.
void drive_place_actuator(const thud_model *m, const double *qpos, const thud_dynamics *d, thud_drive *drive,
                          int i);
