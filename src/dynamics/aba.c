// SPDX-License-Identifier: Apache-2.0
// aba.c: accelerations by articulated bodies, tips to base and back.                                    [theory 6, JO]
//
// Symbols  P articulated inertia, blocks A B C · z its bias · H = s of a dof · U = P H^T · D = H U + armature + implicit
//          u = tau - H z · c = (cw, cv)
//             P <- P - U D^-1 U^T,   z <- z + U D^-1 u        a dof is taken out        (tau-bar P of [theory 6])
//             z <- z + P c                                    then the link moves
//             parent: P += shift P shift^T,  z += shift z     from o to the parent's origin
//             qacc = D^-1 (u - U^T a)                          on the way back
// Differs  The dofs of a ball or free joint are taken out one after the other, last first: no 3x3 or 6x6 inverse.
// Cost     about 270 flops a hinge. Fails where D is not positive: no inertia along a dof.
#include "kernel.h"

static inline void start(thud_link *l)
{
    for (int k = 0; k < 6; k++) {
        l->P.A[k] = l->I[k];
        l->P.C[k] = k < 3 ? l->mass : 0;
    }
    gen_cross(l->h, l->P.B);
    l->zn = l->n0;
    l->zf = l->f0;
}

// Takes one dof out of an articulated body. Returns false where its inertia is not positive.
static inline bool take_out(thud_abi *P, vec3 *zn, vec3 *zf, double tau, double extra, thud_dof *dof)
{
    double D;
    if (dof->linear) {
        dof->Un = gen_mul(P->B, dof->s);
        dof->Uf = sym_mul(P->C, dof->s);
        D = v3_dot(dof->s, dof->Uf) + extra;
        dof->u = tau - v3_dot(dof->s, *zf);
    } else {
        dof->Un = sym_mul(P->A, dof->s);
        dof->Uf = gen_tmul(P->B, dof->s);
        D = v3_dot(dof->s, dof->Un) + extra;
        dof->u = tau - v3_dot(dof->s, *zn);
    }
    const double Dinv = 1 / D, g = dof->u * Dinv;
    dof->Dinv = Dinv;
    sym_add_outer(P->A, -Dinv, dof->Un);
    gen_add_outer(P->B, -Dinv, dof->Un, dof->Uf);
    sym_add_outer(P->C, -Dinv, dof->Uf);
    *zn = v3_axpy(g, dof->Un, *zn);
    *zf = v3_axpy(g, dof->Uf, *zf);
    return D > 0;
}

// Adds an articulated body to its parent, whose origin lies at -r:  B' = B + [r]C,  A' = A + [r]B^T - B'[r].
static inline void hand_over(const thud_abi *P, vec3 r, thud_abi *to)
{
    const double *B = P->B, *C = P->C;
    double E[9]; // B'
    E[0] = B[0] + (r.y * C[4] - r.z * C[3]);
    E[1] = B[1] + (r.y * C[5] - r.z * C[1]);
    E[2] = B[2] + (r.y * C[2] - r.z * C[5]);
    E[3] = B[3] + (r.z * C[0] - r.x * C[4]);
    E[4] = B[4] + (r.z * C[3] - r.x * C[5]);
    E[5] = B[5] + (r.z * C[4] - r.x * C[2]);
    E[6] = B[6] + (r.x * C[3] - r.y * C[0]);
    E[7] = B[7] + (r.x * C[1] - r.y * C[3]);
    E[8] = B[8] + (r.x * C[5] - r.y * C[4]);
    for (int k = 0; k < 6; k++) {
        to->C[k] += C[k];
    }
    for (int k = 0; k < 9; k++) {
        to->B[k] += E[k];
    }
    to->A[0] += P->A[0] + (r.y * B[2] - r.z * B[1]) - (E[1] * r.z - E[2] * r.y);
    to->A[1] += P->A[1] + (r.z * B[3] - r.x * B[5]) - (E[5] * r.x - E[3] * r.z);
    to->A[2] += P->A[2] + (r.x * B[7] - r.y * B[6]) - (E[6] * r.y - E[7] * r.x);
    to->A[3] += P->A[3] + (r.y * B[5] - r.z * B[4]) - (E[2] * r.x - E[0] * r.z);
    to->A[4] += P->A[4] + (r.y * B[8] - r.z * B[7]) - (E[0] * r.y - E[1] * r.x);
    to->A[5] += P->A[5] + (r.z * B[6] - r.x * B[8]) - (E[3] * r.y - E[4] * r.x);
}

static inline bool to_base(const thud_model *m, const double *tau, thud_dynamics *d)
{
    bool positive = true;
    for (int i = 0; i < m->joints; i++) {
        start(&d->link[i]);
    }
    for (int i = m->joints - 1; i >= 0; i--) {
        thud_link *l = &d->link[i];
        const int first = m->joint_v[i];
        thud_abi P = l->P;
        vec3 zn = l->zn, zf = l->zf;
        for (int k = first + thud_joint_dofs(m->joint_type[i]) - 1; k >= first; k--) {
            const double extra = m->dof_armature[k] + d->implicit[k];
            positive &= take_out(&P, &zn, &zf, tau ? tau[k] : 0, extra, &d->dof[k]);
        }
        if (m->link_parent[i] >= 0) {
            thud_link *p = &d->link[m->link_parent[i]];
            zn = v3_add(zn, v3_add(sym_mul(P.A, l->cw), gen_mul(P.B, l->cv))); // z + P c
            zf = v3_add(zf, v3_add(gen_tmul(P.B, l->cw), sym_mul(P.C, l->cv)));
            p->zn = v3_add(p->zn, v3_add(zn, v3_cross(l->r, zf)));
            p->zf = v3_add(p->zf, zf);
            hand_over(&P, l->r, &p->P);
        }
    }
    return positive;
}

static inline void to_tips(const thud_model *m, thud_dynamics *d, double *qacc)
{
    for (int i = 0; i < m->joints; i++) {
        thud_link *l = &d->link[i];
        const int up = m->link_parent[i], first = m->joint_v[i], dofs = thud_joint_dofs(m->joint_type[i]);
        vec3 aw = v3(0, 0, 0), av = v3_neg(m->gravity);
        if (up >= 0) {
            const thud_link *p = &d->link[up];
            aw = v3_add(p->aw, l->cw);
            av = v3_add(v3_add(p->av, v3_cross(p->aw, l->r)), l->cv);
        }
        for (int k = first; k < first + dofs; k++) {
            const thud_dof *dof = &d->dof[k];
            const double a = (dof->u - (v3_dot(dof->Un, aw) + v3_dot(dof->Uf, av))) * dof->Dinv;
            if (dof->linear) {
                av = v3_axpy(a, dof->s, av);
            } else {
                aw = v3_axpy(a, dof->s, aw);
            }
            qacc[k] = a;
        }
        l->aw = aw;
        l->av = av;
    }
}

THUD_KERNEL bool thud_dynamics_aba(const thud_model *m, const double *tau, thud_dynamics *d, double *qacc)
{
    const bool positive = to_base(m, tau, d);
    to_tips(m, d, qacc);
    return positive;
}
