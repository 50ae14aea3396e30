// SPDX-License-Identifier: Apache-2.0
// innovate.c: what a wrench on a link asks of each dof on its way to the base. [theory 6, JO IV]
//
// Symbols  f wrench · H = s, U = P H^T, D of a dof as aba.c left them · psi f = shift (f - U D^-1 (H f))
//             e = H f            at each dof, last first, before it is taken out
//          The kernel of the operational space is Omega = Psi^T H^T D^-1 H Psi; e is a column of H Psi.
// Cost     about 30 flops a dof on the way for each wrench; four of them at a time, one in each lane.
#include "kernel.h"

enum { LANES = 4 };
typedef double lane __attribute__((vector_size(LANES * sizeof(double)))); // the same number of four wrenches

typedef struct lanes {
    lane x, y, z;
} lanes;

INLINE lanes axpy_lanes(lane g, vec3 a, lanes to) // to + g a
{
    return (lanes){to.x + g * a.x, to.y + g * a.y, to.z + g * a.z};
}

INLINE void innovate_lanes(const thud_model *m, const thud_dynamics *d, int link, int count, lanes n, lanes f,
                           double *e, int stride)
{
    for (int i = link; i >= 0; i = m->link_parent[i]) {
        const int first = m->joint_v[i];
        for (int k = first + m->joint_dofs[i] - 1; k >= first; k--) {
            const thud_dof *dof = &d->dof[k];
            const vec3 s = dof->s;
            const lane left =
                dof->linear ? s.x * f.x + s.y * f.y + s.z * f.z : s.x * n.x + s.y * n.y + s.z * n.z;
            const lane g = -dof->Dinv * left;
            for (int r = 0; r < count; r++) {
                e[r * stride + k] += left[r];
            }
            n = axpy_lanes(g, dof->Un, n);
            f = axpy_lanes(g, dof->Uf, f);
        }
        const vec3 arm = d->link[i].r;
        n.x += arm.y * f.z - arm.z * f.y;
        n.y += arm.z * f.x - arm.x * f.z;
        n.z += arm.x * f.y - arm.y * f.x;
    }
}

THUD_KERNEL void thud_dynamics_innovate(const thud_model *m, const thud_dynamics *d, int link, int count,
                                        const thud_force *wrench, double *e, int stride)
{
    for (int first = 0; first < count; first += LANES) {
        const int here = count - first < LANES ? count - first : LANES;
        lanes n = {{0}, {0}, {0}}, f = n;
        for (int r = 0; r < here; r++) {
            const thud_force *w = &wrench[first + r];
            n.x[r] = w->ang.x;
            n.y[r] = w->ang.y;
            n.z[r] = w->ang.z;
            f.x[r] = w->lin.x;
            f.y[r] = w->lin.y;
            f.z[r] = w->lin.z;
        }
        innovate_lanes(m, d, link, here, n, f, e + first * stride, stride);
    }
}

THUD_KERNEL void thud_dynamics_twists(const thud_model *m, const thud_dynamics *d, const double *qvel,
                                      thud_motion *V)
{
    for (int i = d->first; i < d->end; i++) {
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
