// SPDX-License-Identifier: Apache-2.0
// crba.c: the mass matrix by composite bodies, and its factors L^T D L without fill. [theory 1]
//
// Symbols  (m, h, I) inertia of a link and all that hangs on it, about its origin; kept in P.C[0], zf, P.A
// while M is made
//          (n, f) = that inertia times s
//          M(i, k) = s_k . (n or f) for every dof k on the way from dof i to the world
// Storage  row i: M(i,i), M(i,parent), M(i,parent of parent) ... at dof_row[i]; the row of an ancestor is a
// tail of the
//          same list, which is why elimination from the last dof fills nothing in.
#include "kernel.h"

// Adds a composite to the one at its parent's origin, -r away.
THUD_INSIDE void compose(const thud_link *l, vec3 r, thud_link *p)
{
    const vec3 h = l->zf;
    const double m = l->P.C[0];
    const double hr = v3_dot(h, r), rr = v3_dot(r, r);
    p->P.C[0] += m;
    p->zf = v3_add(p->zf, v3_axpy(m, r, h));
    p->P.A[0] += l->P.A[0] + 2 * (hr - h.x * r.x) + m * (rr - r.x * r.x);
    p->P.A[1] += l->P.A[1] + 2 * (hr - h.y * r.y) + m * (rr - r.y * r.y);
    p->P.A[2] += l->P.A[2] + 2 * (hr - h.z * r.z) + m * (rr - r.z * r.z);
    p->P.A[3] += l->P.A[3] - (h.x * r.y + h.y * r.x) - m * r.x * r.y;
    p->P.A[4] += l->P.A[4] - (h.x * r.z + h.z * r.x) - m * r.x * r.z;
    p->P.A[5] += l->P.A[5] - (h.y * r.z + h.z * r.y) - m * r.y * r.z;
}

// Row i of M: the composite's momentum when only dof i moves, felt by every dof towards the world.
THUD_INSIDE void fill_row(const thud_model *m, const thud_dynamics *d, int i, double *row)
{
    int link = m->dof_link[i];
    const thud_link *l = &d->link[link];
    const thud_dof *dof = &d->dof[i];
    vec3 n, f;
    if (dof->linear) {
        n = v3_cross(l->zf, dof->s); // h x s
        f = v3_scale(l->P.C[0], dof->s);
    } else {
        n = sym_mul(l->P.A, dof->s);
        f = v3_cross(dof->s, l->zf); // s x h
    }
    int entry = 0;
    for (int k = i; k >= 0; k = m->dof_parent[k]) {
        for (; link != m->dof_link[k]; link = m->link_parent[link]) {
            n = v3_add(n, v3_cross(d->link[link].r, f));
        }
        row[entry++] = dof_force(&d->dof[k], n, f);
    }
    row[0] += m->dof_armature[i];
}

THUD_KERNEL void thud_dynamics_crba(const thud_model *m, thud_dynamics *d, double *M)
{
    for (int i = 0; i < m->joints; i++) {
        thud_link *l = &d->link[i];
        for (int k = 0; k < 6; k++) {
            l->P.A[k] = l->I[k];
        }
        l->P.C[0] = l->mass;
        l->zf = l->h;
    }
    for (int i = m->joints - 1; i >= 0; i--) {
        const int first = m->joint_v[i];
        for (int k = first; k < first + m->joint_dofs[i]; k++) {
            fill_row(m, d, k, M + m->dof_row[k]);
        }
        if (m->link_parent[i] >= 0) {
            compose(&d->link[i], d->link[i].r, &d->link[m->link_parent[i]]);
        }
    }
}

void thud_mass_expand(const thud_model *m, const double *M, double *dense)
{
    const size_t n = (size_t)m->nv;
    for (size_t k = 0; k < n * n; k++) {
        dense[k] = 0;
    }
    for (int i = 0; i < m->nv; i++) {
        const double *entry = M + m->dof_row[i];
        for (int k = i; k >= 0; k = m->dof_parent[k]) {
            dense[(size_t)i * n + (size_t)k] = dense[(size_t)k * n + (size_t)i] = *entry++;
        }
    }
}

THUD_KERNEL int thud_mass_factor(const thud_model *m, double *M)
{
    for (int k = m->nv - 1; k >= 0; k--) {
        double *row_k = M + m->dof_row[k];
        if (!(row_k[0] > 0)) {
            return k;
        }
        int t = 1;
        for (int i = m->dof_parent[k]; i >= 0; i = m->dof_parent[i], t++) {
            double *row_i = M + m->dof_row[i];
            const int64_t length = m->dof_row[i + 1] - m->dof_row[i];
            const double a = row_k[t] / row_k[0];
            for (int64_t s = 0; s < length; s++) {
                row_i[s] -= a * row_k[t + s]; // M(i, .) -= M(k,i) M(k,.) / M(k,k)
            }
            row_k[t] = a;
        }
    }
    return -1;
}

void thud_mass_solve(const thud_model *m, const double *LTDL, double *x)
{
    for (int k = m->nv - 1; k >= 0; k--) { // L^T y = x
        const double *entry = LTDL + m->dof_row[k] + 1;
        for (int i = m->dof_parent[k]; i >= 0; i = m->dof_parent[i]) {
            x[i] -= *entry++ * x[k];
        }
    }
    for (int k = 0; k < m->nv; k++) { // D, then L
        const double *entry = LTDL + m->dof_row[k];
        double sum = x[k] / *entry++;
        for (int i = m->dof_parent[k]; i >= 0; i = m->dof_parent[i]) {
            sum -= *entry++ * x[i];
        }
        x[k] = sum;
    }
}
