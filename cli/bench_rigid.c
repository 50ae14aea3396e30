// SPDX-License-Identifier: Apache-2.0
// bench_rigid.c: a model's bodies as engines without joint coordinates want them: welded ones together, at
// the centre of mass, along the principal axes.
#include <thud/spatial_inline.h>

#include "bench_scene.h"

// Inertia of all bodies welded to `top`, in its frame, with the rotors of its own hinges.
static thud_inertia inertia_of(const course *c, int top)
{
    const thud_model *m = c->model;
    thud_inertia sum = {0};
    for (int b = top; b < m->bodies; b++) {
        if (m->body_weld[b] == top && m->body_inertia[b].mass > 0) {
            const pose X = pose_mul(pose_inv(c->X_wb[top]), c->X_wb[b]);
            sum = thud_inertia_add(sum, thud_inertia_map(X, m->body_inertia[b]));
        }
    }
    for (int k = 0; k < m->body_joints[top]; k++) {
        const int j = m->body_joint[top] + k;
        if (m->joint_type[j] == THUD_JOINT_HINGE) {
            const double r = m->dof_armature[m->joint_v[j]];
            const vec3 a = m->joint_axis[j];
            const double rotor[6] = {a.x * a.x, a.y * a.y, a.z * a.z, a.x * a.y, a.x * a.z, a.y * a.z};
            for (int i = 0; i < 6; i++) {
                sum.I[i] += r * rotor[i];
            }
        }
    }
    return sum;
}

static engine_rigid rigid_of_body(const course *c, int top, pose *X_bc)
{
    const thud_inertia sum = inertia_of(c, top);
    double I[3];
    quat axes;
    thud_sym3_eigen(sum.I, I, &axes);
    *X_bc = (pose){axes, sum.com};
    const pose X_wc = pose_mul(c->X_wb[top], *X_bc);
    const thud_motion V = c->V_wb[top];
    return (engine_rigid){.body = top,
                          .mass = sum.mass,
                          .I = {I[0], I[1], I[2]},
                          .X_wc = X_wc,
                          .w = V.ang,
                          .v = v3_add(V.lin, v3_cross(V.ang, v3_sub(X_wc.p, c->X_wb[top].p)))};
}

void course_rigids(course *c)
{
    const thud_model *m = c->model;
    c->rigids = 0;
    for (int b = 0; b < m->bodies; b++) { // a topmost body comes before what is welded to it
        const int top = m->body_weld[b];
        if (top == 0) {
            c->rigid_of[b] = -1;
            c->X_cb[b] = c->X_wb[b];
            continue;
        }
        if (top == b) {
            pose X_bc;
            c->rigid_of[b] = c->rigids;
            c->rigid[c->rigids++] = rigid_of_body(c, b, &X_bc);
        }
        c->rigid_of[b] = c->rigid_of[top];
        c->X_cb[b] = pose_mul(pose_inv(c->rigid[c->rigid_of[b]].X_wc), c->X_wb[b]);
    }
}
