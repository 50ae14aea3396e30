// SPDX-License-Identifier: Apache-2.0
// urdf_nodes.c: a node's child by name, and its <origin>.
#include <string.h>

#include "urdf_robot.h"

int urdf_child(const mjcf_reader *r, int n, const char *name)
{
    int c = mjcf_node(r, n)->first;
    while (c >= 0 && strcmp(mjcf_node(r, c)->name, name) != 0) {
        c = mjcf_node(r, c)->next;
    }
    return c;
}

// Roll, pitch and yaw turn about the fixed axes x, y and z, in this order: R = Rz(yaw) Ry(pitch) Rx(roll).
thud_status urdf_origin(mjcf_reader *r, int n, pose *out)
{
    draft_origin d = {0};
    const int node = urdf_child(r, n, "origin");
    if (node >= 0) {
        THUD_TRY(mjcf_read_attributes(r, node, &d));
    }
    const quat roll = q_axis_angle(v3(1, 0, 0), d.rpy[0]), pitch = q_axis_angle(v3(0, 1, 0), d.rpy[1]),
               yaw = q_axis_angle(v3(0, 0, 1), d.rpy[2]);
    *out = mjcf_settle_pose((pose){q_mul(yaw, q_mul(pitch, roll)), d.xyz});
    return THUD_OK;
}
