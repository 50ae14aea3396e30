// SPDX-License-Identifier: Apache-2.0
// opspace.c: operational-space compliance in O(N): the kernel Upsilon and blocks of Omega. [theory 6, JO IV]
//
// Symbols  Y(k) = Upsilon(k), blocks A (ang,ang) B (ang,lin) C (lin,lin): from a wrench on link k to its acceleration
//          H = s, U = P H^T, D of a dof as aba.c left them · psi takes a wrench on a link to its parent:
//             psi f = shift (f - U D^-1 (H f))                        taking each dof out, last first
//             Y(k) = psi^T Y(parent) psi + H^T D^-1 H                 base to tips
//             Omega(i,j) = psi^T(a,i) Y(a) psi(a,j)                   a the nearest common ancestor
// Differs  One dof at a time, as in aba.c; D holds armature and the implicit terms, so that
//          Omega = J (M + implicit)^-1 J^T.
// Cost     about 200 flops a link for Y; O(depth) a block.
#include "kernel.h"

// Y seen at a point r away from where it was:  B' = B + A[r],  C' = C - [r]B' + B^T[r].
THUD_INSIDE void shift_compliance(const thud_abi *Y, vec3 r, thud_abi *to)
{
    const double *A = Y->A, *B = Y->B;
    double E[9]; // B'; row k of A times [r] is (a x r)
    const double a[3][3] = {{A[0], A[3], A[4]}, {A[3], A[1], A[5]}, {A[4], A[5], A[2]}};
    for (int k = 0; k < 3; k++) {
        E[3 * k + 0] = B[3 * k + 0] + (a[k][1] * r.z - a[k][2] * r.y);
        E[3 * k + 1] = B[3 * k + 1] + (a[k][2] * r.x - a[k][0] * r.z);
        E[3 * k + 2] = B[3 * k + 2] + (a[k][0] * r.y - a[k][1] * r.x);
    }
    // [r]E: rows r x columns; B^T[r]: columns of B as rows, crossed with r
    const double rE[3][3] = {{r.y * E[6] - r.z * E[3], r.y * E[7] - r.z * E[4], r.y * E[8] - r.z * E[5]},
                             {r.z * E[0] - r.x * E[6], r.z * E[1] - r.x * E[7], r.z * E[2] - r.x * E[8]},
                             {r.x * E[3] - r.y * E[0], r.x * E[4] - r.y * E[1], r.x * E[5] - r.y * E[2]}};
    double Br[3][3];
    for (int k = 0; k < 3; k++) {
        const double b[3] = {B[k], B[3 + k], B[6 + k]};
        Br[k][0] = b[1] * r.z - b[2] * r.y;
        Br[k][1] = b[2] * r.x - b[0] * r.z;
        Br[k][2] = b[0] * r.y - b[1] * r.x;
    }
    static const int row[6] = {0, 1, 2, 0, 0, 1}, col[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; k++) {
        to->A[k] = A[k];
        to->C[k] = Y->C[k] - rE[row[k]][col[k]] + Br[row[k]][col[k]];
    }
    for (int k = 0; k < 9; k++) {
        to->B[k] = E[k];
    }
}

// Y <- (1 - H^T D^-1 U^T) Y (1 - U D^-1 H) + H^T D^-1 H, for one dof.
THUD_INSIDE void let_go(thud_dof *dof, thud_abi *Y)
{
    const vec3 yn = v3_scale(dof->Dinv, v3_add(sym_mul(Y->A, dof->Un), gen_mul(Y->B, dof->Uf)));
    const vec3 yf = v3_scale(dof->Dinv, v3_add(gen_tmul(Y->B, dof->Un), sym_mul(Y->C, dof->Uf)));
    const double t = dof->Dinv * (v3_dot(dof->Un, yn) + v3_dot(dof->Uf, yf)) + dof->Dinv;
    const vec3 s = dof->s;
    dof->Minv = t; // its own answer to a unit force
    if (dof->linear) {
        sym_add_outer2(Y->C, s, v3_neg(yf));
        gen_add_outer(Y->B, -1, yn, s);
        sym_add_outer(Y->C, t, s);
    } else {
        sym_add_outer2(Y->A, s, v3_neg(yn));
        gen_add_outer(Y->B, -1, s, yf);
        sym_add_outer(Y->A, t, s);
    }
}

// The same for a dof of a body whose M is diagonal: no other one answers to its U, which the factor leaves out.
THUD_INSIDE void let_go_alone(thud_dof *dof, thud_abi *Y)
{
    dof->Minv = dof->Dinv;
    sym_add_outer(dof->linear ? Y->C : Y->A, dof->Dinv, dof->s);
}

THUD_KERNEL void thud_dynamics_opspace(const thud_model *m, thud_dynamics *d)
{
    static const thud_abi none = {{0}, {0}, {0}}; // the world does not give way
    for (int i = 0; i < m->joints; i++) {
        thud_link *l = &d->link[i];
        const int up = m->link_parent[i], first = m->joint_v[i], dofs = m->joint_dofs[i];
        thud_abi Y = none;
        if (up >= 0) {
            shift_compliance(&d->link[up].Y, l->r, &Y);
        }
        for (int k = first; k < first + dofs; k++) {
            if (m->link_diagonal[i]) {
                let_go_alone(&d->dof[k], &Y);
            } else {
                let_go(&d->dof[k], &Y);
            }
        }
        l->Y = Y;
    }
}

// ---------------------------------------------------------------------------------------------- blocks

typedef struct wrench6 { // six wrenches: the columns of psi
    vec3 n[6], f[6];
} wrench6;

static wrench6 unit_wrenches(void)
{
    wrench6 e = {{{0, 0, 0}}, {{0, 0, 0}}};
    e.n[0] = e.f[3] = v3(1, 0, 0);
    e.n[1] = e.f[4] = v3(0, 1, 0);
    e.n[2] = e.f[5] = v3(0, 0, 1);
    return e;
}

// psi of link i, applied to six wrenches on it: they become wrenches on its parent.
static void hand_down(const thud_model *m, const thud_dynamics *d, int i, wrench6 *w)
{
    const vec3 r = d->link[i].r;
    const int first = m->joint_v[i];
    for (int c = 0; c < 6; c++) {
        vec3 n = w->n[c], f = w->f[c];
        for (int k = first + m->joint_dofs[i] - 1; k >= first; k--) {
            const thud_dof *dof = &d->dof[k];
            const double g = -dof->Dinv * dof_force(dof, n, f);
            n = v3_axpy(g, dof->Un, n);
            f = v3_axpy(g, dof->Uf, f);
        }
        w->n[c] = v3_add(n, v3_cross(r, f));
        w->f[c] = f;
    }
}

void thud_opspace_block(const thud_model *m, const thud_dynamics *d, int i, int j, double omega[36])
{
    wrench6 wi = unit_wrenches(), wj = wi;
    while (i != j) { // parents have smaller numbers
        if (i > j) {
            hand_down(m, d, i, &wi);
            i = m->link_parent[i];
        } else {
            hand_down(m, d, j, &wj);
            j = m->link_parent[j];
        }
    }
    if (i < 0) {
        for (int k = 0; k < 36; k++) {
            omega[k] = 0;
        }
        return;
    }
    const thud_abi *Y = &d->link[i].Y;
    for (int c = 0; c < 6; c++) {
        const vec3 aw = v3_add(sym_mul(Y->A, wj.n[c]), gen_mul(Y->B, wj.f[c]));
        const vec3 av = v3_add(gen_tmul(Y->B, wj.n[c]), sym_mul(Y->C, wj.f[c]));
        for (int r = 0; r < 6; r++) {
            omega[6 * r + c] = v3_dot(wi.n[r], aw) + v3_dot(wi.f[r], av);
        }
    }
}
