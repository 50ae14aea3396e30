// SPDX-License-Identifier: Apache-2.0
// inertia_at_rest.c: what each dof alone feels of the mass that it moves, in the reference pose.
//
//     turning about a:  M_ii = sum of a I a + m |a x (c - o)|^2       sliding:  sum of m       and armature
//
// The sum is over the bodies behind the joint; their inertias I are about their centres c, o is the anchor.
// Cost O(bodies depth).
#include <thud/model_poses.h>
#include <thud/spatial_inline.h>

#include "build.h"

// Adds the body (mass, centre and inertia in the world) to every dof of one joint.
static void feel(const thud_model *m, int j, const pose *X_wb, const thud_inertia *I, double *M)
{
    const pose X = X_wb[m->joint_body[j]];
    const int type = m->joint_type[j];
    const vec3 arm = v3_sub(I->com, type == THUD_JOINT_FREE ? X.p : pose_point(X, m->joint_pos[j]));
    for (int k = 0; k < m->joint_dofs[j]; k++) {
        const bool slides = type == THUD_JOINT_SLIDE || (type == THUD_JOINT_FREE && k < 3);
        const int turn = type == THUD_JOINT_FREE ? k - 3 : k;
        const vec3 axis = type == THUD_JOINT_HINGE ? m->joint_axis[j] : v3(turn == 0, turn == 1, turn == 2);
        const vec3 a = q_rotate(X.q, axis);
        const vec3 Ia =
            v3(I->I[0] * a.x + I->I[3] * a.y + I->I[4] * a.z, I->I[3] * a.x + I->I[1] * a.y + I->I[5] * a.z,
               I->I[4] * a.x + I->I[5] * a.y + I->I[2] * a.z);
        M[m->joint_v[j] + k] += slides ? I->mass : v3_dot(a, Ia) + I->mass * v3_norm2(v3_cross(a, arm));
    }
}

thud_status model_inertia_at_rest(const thud_model *m, double *M)
{
    pose *X_wb = thud_alloc((size_t)m->bodies, sizeof *X_wb);
    if (!X_wb) {
        return THUD_NO_MEMORY;
    }
    thud_body_poses(m, m->qpos0, X_wb);
    for (int i = 0; i < m->nv; i++) {
        M[i] = m->dof_armature[i];
    }
    for (int i = 1; i < m->bodies; i++) {
        const thud_inertia I = thud_inertia_map(X_wb[i], m->body_inertia[i]);
        for (int j = m->body_link[i]; j >= 0; j = m->link_parent[j]) {
            feel(m, j, X_wb, &I, M);
        }
    }
    thud_free(X_wb);
    return THUD_OK;
}
