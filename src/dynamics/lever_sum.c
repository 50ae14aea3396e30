// SPDX-License-Identifier: Apache-2.0
// lever_sum.c: levers of actuators and tendons, summed dof by dof.
#include "drive.h"

#include "kernel.h"

void lever_add(thud_drive *drive, thud_lever *l, int dof, double value)
{
    if (!drive->store->used[dof]) {
        drive->store->used[dof] = true;
        l->dof[l->count++] = dof;
    }
    drive->store->row[dof] += value;
}

// What a force at a point and a torque do along the joint of a link.
void lever_add_at_joint(const thud_model *m, const thud_dynamics *d, thud_drive *drive, thud_lever *l,
                        int link, vec3 force, vec3 torque, vec3 point)
{
    const vec3 n = v3_add(torque, v3_cross(v3_sub(point, d->link[link].o), force));
    for (int k = m->joint_v[link]; k < m->joint_v[link] + m->joint_dofs[link]; k++) {
        lever_add(drive, l, k, dof_force(&d->dof[k], n, force));
    }
}

void lever_add_wrench(const thud_model *m, const thud_dynamics *d, thud_drive *drive, thud_lever *l, int body,
                      vec3 force, vec3 torque, vec3 point)
{
    for (int i = m->body_link[body]; i >= 0; i = m->link_parent[i]) {
        lever_add_at_joint(m, d, drive, l, i, force, torque, point);
    }
}

void lever_close(thud_drive *drive, thud_lever *l)
{
    for (int k = 0; k < l->count; k++) {
        l->value[k] = drive->store->row[l->dof[k]];
        drive->store->row[l->dof[k]] = 0;
        drive->store->used[l->dof[k]] = false;
    }
}
