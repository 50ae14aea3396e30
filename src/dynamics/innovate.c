// SPDX-License-Identifier: Apache-2.0
// innovate.c: what a wrench on a link asks of each dof on its way to the base. [theory 6, JO IV]
//
// Symbols  f wrench · H = s, U = P H^T, D of a dof as aba.c left them · psi f = shift (f - U D^-1 (H f))
//             e = H f            at each dof, last first, before it is taken out
//          The kernel of the operational space is Omega = Psi^T H^T D^-1 H Psi; e is a column of H Psi.
// Cost     about 30 flops a dof on the way for each wrench; four of them at a time, one in each lane.
#include <thud/spatial_lanes.h>

#include "kernel.h"

THUD_INSIDE void leave(lane left, int count, double *e, int stride) // e of one dof
{
    for (int r = 0; r < count; r++) {
        e[r * stride] += left[r];
    }
}

// Where M is diagonal no dof takes anything away from another.
THUD_INSIDE void innovate_free(const mat3 *R, int count, lanes n, lanes f, double *e, int stride)
{
    lane left;
    leave(f.x, count, e, stride);
    leave(f.y, count, e + 1, stride);
    leave(f.z, count, e + 2, stride);
    for (int k = 0; k < 3; k++) {
        lanes_dot(n, m3_col(R, k), &left);
        leave(left, count, e + 3 + k, stride);
    }
}

THUD_INSIDE lanes lanes_sum(lanes a, lanes b)
{
    return (lanes){a.x + b.x, a.y + b.y, a.z + b.z};
}

typedef struct asking { // wrenches on their way, about the origin of the link that they have come to
    lanes n, f;
} asking;

// Past link i: what its dofs are asked for stays with them, the rest goes on to its parent.
THUD_INSIDE asking pass(const thud_model *m, const thud_dynamics *d, int i, asking a, int count, double *e,
                        int stride)
{
    const thud_dof *const first = d->dof + m->joint_v[i], *dof = first + m->joint_dofs[i];
    e += m->joint_v[i] + m->joint_dofs[i];
    while (dof > first) {
        lane left;
        dof--;
        if (dof->linear) { // e = H f
            lanes_dot(a.f, dof->s, &left);
        } else {
            lanes_dot(a.n, dof->s, &left);
        }
        const lane g = -dof->Dinv * left;
        leave(left, count, --e, stride);
        a.n = lanes_axpy(g, dof->Un, a.n); // f - U D^-1 e
        a.f = lanes_axpy(g, dof->Uf, a.f);
    }
    a.n = lanes_sum(a.n, lanes_cross(d->link[i].r, a.f)); // shift
    return a;
}

THUD_INSIDE void innovate(const thud_model *m, const thud_dynamics *d, int link, int count,
                          const thud_wrenches *wrench, double *e, int stride)
{
    asking a = {lanes_load(wrench->ang), lanes_load(wrench->lin)};
    if (m->link_diagonal[link]) {
        innovate_free(&d->link[link].R, count, a.n, a.f, e + m->joint_v[link], stride);
        return;
    }
    for (int i = link; i >= 0; i = m->link_parent[i]) {
        a = pass(m, d, i, a, count, e, stride);
    }
}

THUD_KERNEL void thud_dynamics_innovate(const thud_model *m, const thud_dynamics *d, int link, int count,
                                        const thud_wrenches *wrench, double *e, int stride)
{
    if (count == 3) { // nearly all of them, without loops
        innovate(m, d, link, 3, wrench, e, stride);
    } else {
        innovate(m, d, link, count, wrench, e, stride);
    }
}

THUD_INSIDE void innovate_two(const thud_model *m, const thud_dynamics *d, const int link[2], int count,
                              const thud_wrenches *const wrench[2], double *e, int stride)
{
    asking a = {lanes_load(wrench[0]->ang), lanes_load(wrench[0]->lin)},
           b = {lanes_load(wrench[1]->ang), lanes_load(wrench[1]->lin)};
    int i = link[0], j = link[1];
    while (i != j) { // parents have smaller numbers
        if (i > j) {
            a = pass(m, d, i, a, count, e, stride);
            i = m->link_parent[i];
        } else {
            b = pass(m, d, j, b, count, e, stride);
            j = m->link_parent[j];
        }
    }
    a = (asking){lanes_sum(a.n, b.n), lanes_sum(a.f, b.f)};
    for (; i >= 0; i = m->link_parent[i]) {
        a = pass(m, d, i, a, count, e, stride);
    }
}

THUD_KERNEL void thud_dynamics_innovate_two(const thud_model *m, const thud_dynamics *d, const int link[2],
                                            int count, const thud_wrenches *const wrench[2], double *e,
                                            int stride)
{
    if (count == 3) {
        innovate_two(m, d, link, 3, wrench, e, stride);
    } else {
        innovate_two(m, d, link, count, wrench, e, stride);
    }
}

THUD_KERNEL void thud_dynamics_twists(const thud_model *m, const thud_dynamics *d, const double *qvel,
                                      thud_motion *V)
{
    const thud_link *l = d->link + d->first;
    for (int i = d->first; i < d->end; i++, l++) {
        const int up = m->link_parent[i], first = m->joint_v[i];
        const double *u = qvel + first;
        const thud_dof *dof = d->dof + first, *const end = dof + m->joint_dofs[i];
        vec3 w = v3(0, 0, 0), v = w;
        if (m->joint_type[i] == THUD_JOINT_FREE) {
            V[i].ang = m3_mulv(&l->R, v3(u[3], u[4], u[5]));
            V[i].lin = v3(u[0], u[1], u[2]);
            continue;
        }
        if (up >= 0) {
            w = V[up].ang;
            v = v3_add(V[up].lin, v3_cross(w, l->r));
        }
        for (; dof < end; dof++, u++) {
            if (dof->linear) {
                v = v3_axpy(*u, dof->s, v);
            } else {
                w = v3_axpy(*u, dof->s, w);
            }
        }
        V[i].ang = w;
        V[i].lin = v;
    }
}
