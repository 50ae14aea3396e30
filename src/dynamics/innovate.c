// SPDX-License-Identifier: Apache-2.0
// innovate.c: what a wrench on a link asks of each dof on its way to the base. [theory 6, JO IV]
//
// Symbols  f wrench · H = s, U = P H^T, D of a dof as aba.c left them · psi f = shift (f - U D^-1 (H f))
//             e = H f            at each dof, last first, before it is taken out
//          The kernel of the operational space is Omega = Psi^T H^T D^-1 H Psi; e is a column of H Psi.
// Cost     about 30 flops a dof on the way.
#include "kernel.h"

THUD_KERNEL void thud_dynamics_innovate(const thud_model *m, const thud_dynamics *d, int link,
                                        thud_force wrench, double *e)
{
    vec3 n = wrench.ang, f = wrench.lin;
    for (int i = link; i >= 0; i = m->link_parent[i]) {
        const int first = m->joint_v[i];
        for (int k = first + m->joint_dofs[i] - 1; k >= first; k--) {
            const thud_dof *dof = &d->dof[k];
            const double left = dof_force(dof, n, f), g = -dof->Dinv * left;
            e[k] += left;
            n = v3_axpy(g, dof->Un, n);
            f = v3_axpy(g, dof->Uf, f);
        }
        n = v3_add(n, v3_cross(d->link[i].r, f));
    }
}

THUD_KERNEL void thud_dynamics_twists(const thud_model *m, const thud_dynamics *d, const double *qvel,
                                      thud_motion *V)
{
    for (int i = 0; i < m->joints; i++) {
        const int up = m->link_parent[i], first = m->joint_v[i];
        vec3 w = v3(0, 0, 0), v = w;
        if (up >= 0 && m->joint_type[i] != THUD_JOINT_FREE) {
            w = V[up].ang;
            v = v3_add(V[up].lin, v3_cross(w, d->link[i].r));
        }
        for (int k = first; k < first + m->joint_dofs[i]; k++) {
            const thud_dof *dof = &d->dof[k];
            if (dof->linear) {
                v = v3_axpy(qvel[k], dof->s, v);
            } else {
                w = v3_axpy(qvel[k], dof->s, w);
            }
        }
        V[i].ang = w;
        V[i].lin = v;
    }
}
