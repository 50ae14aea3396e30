// SPDX-License-Identifier: Apache-2.0
// aba.c: accelerations by articulated bodies: a factor of M tips to base, then a solve there and back.
// [theory 6, JO]
//
// Symbols  P articulated inertia, blocks A B C · z its bias · H = s of a dof · U = P H^T
//          D = H U + armature + implicit · u = tau - H z · a what qacc adds to the acceleration
//   factor    P <- P - U D^-1 U^T                  a dof is taken out      (tau-bar P of [theory 6])
//             parent: P += shift P shift^T         from o to the parent's origin
//   solve     u = tau - H z,  z <- z + U D^-1 u    each dof, last first
//             parent: z += shift z
//             qacc = D^-1 (u - U^T a)              on the way back
//          Links of a chain wait for each other, so their first dof, the last to be taken out, is taken out behind the shift:
//          shift P shift^T, shift z and V = shift U need not wait for its D and u, and a at the parent gives U^T a as V^T a.
//          Joints of one body that cross (joined) need no shift, and what has no inertia and carries but one of them (alone)
//          has what is left of that one for its P.
// Differs  z starts from the whole bias wrench of a link (gravity and velocity terms through the rigid
//          inertia, in move.c), so no P c term is needed and a solve never reads P.
//          The dofs of a ball or free joint are taken out one after the other, last first: no 3x3 or 6x6 inverse.
//          A free body alone in the frame of its principal axes has a diagonal M (link_diagonal): its U and D are known,
//          and no dof sees another. The linear dofs of any other free base come last and see C alone.
// Cost     about 190 flops a hinge for the factor, 75 for a solve.
// Fails    where D is not positive: no inertia along a dof.
#include "kernel.h"

THUD_INSIDE void start(thud_link *l)
{
    for (int k = 0; k < 6; k++) {
        l->P.A[k] = l->I[k];
        l->P.C[k] = k < 3 ? l->mass : 0;
    }
    gen_cross(l->h, l->P.B);
}

// U and D of a dof. Returns false where its inertia is not positive.
THUD_INSIDE bool press(const thud_abi *P, double extra, thud_dof *dof)
{
    double D;
    if (dof->linear) {
        dof->Un = gen_mul(P->B, dof->s);
        dof->Uf = sym_mul(P->C, dof->s);
        D = v3_dot(dof->s, dof->Uf) + extra;
    } else {
        dof->Un = sym_mul(P->A, dof->s);
        dof->Uf = gen_tmul(P->B, dof->s);
        D = v3_dot(dof->s, dof->Un) + extra;
    }
    dof->Dinv = 1 / D;
    return D > 0;
}

// Takes a dof out of an articulated body:  P - U D^-1 U^T.
THUD_INSIDE void take_out(vec3 Un, vec3 Uf, double Dinv, thud_abi *P)
{
    sym_add_outer(P->A, -Dinv, Un);
    gen_add_outer(P->B, -Dinv, Un, Uf);
    sym_add_outer(P->C, -Dinv, Uf);
}

THUD_INSIDE vec3 shift(vec3 r, vec3 n, vec3 f) // the moment n of a wrench about an origin that lies at -r
{
    return v3_add(n, v3_cross(r, f));
}

// An articulated body without its first dof, whose U at the parent's origin is V, for the parent: in place of what it has, or
// added to it.
THUD_INSIDE void leave_to(const double A[6], const double B[9], const double C[6], const thud_dof *dof,
                          bool alone, thud_abi *to)
{
    const vec3 V = dof->Vn, F = dof->Uf, v = v3_scale(-dof->Dinv, V), f = v3_scale(-dof->Dinv, F);
    const double less_A[6] = {v.x * V.x, v.y * V.y, v.z * V.z, v.x * V.y, v.x * V.z, v.y * V.z};
    const double less_B[9] = {v.x * F.x, v.x * F.y, v.x * F.z, v.y * F.x, v.y * F.y,
                              v.y * F.z, v.z * F.x, v.z * F.y, v.z * F.z};
    const double less_C[6] = {f.x * F.x, f.y * F.y, f.z * F.z, f.x * F.y, f.x * F.z, f.y * F.z};
    for (int k = 0; k < 6; k++) {
        to->C[k] = (alone ? C[k] : to->C[k] + C[k]) + less_C[k];
    }
    for (int k = 0; k < 9; k++) {
        to->B[k] = (alone ? B[k] : to->B[k] + B[k]) + less_B[k];
    }
    for (int k = 0; k < 6; k++) {
        to->A[k] = (alone ? A[k] : to->A[k] + A[k]) + less_A[k];
    }
}

// The same from an origin that lies at r of the parent's:  B' = B + [r]C,  A' = A + [r]B^T - B'[r].
THUD_INSIDE void hand_over(const thud_abi *P, vec3 r, const thud_dof *dof, thud_abi *to)
{
    const double *A = P->A, *B = P->B, *C = P->C;
    const double E[9] = {B[0] + (r.y * C[4] - r.z * C[3]), B[1] + (r.y * C[5] - r.z * C[1]),
                         B[2] + (r.y * C[2] - r.z * C[5]), B[3] + (r.z * C[0] - r.x * C[4]),
                         B[4] + (r.z * C[3] - r.x * C[5]), B[5] + (r.z * C[4] - r.x * C[2]),
                         B[6] + (r.x * C[3] - r.y * C[0]), B[7] + (r.x * C[1] - r.y * C[3]),
                         B[8] + (r.x * C[5] - r.y * C[4])}; // B'
    const double F[6] = {A[0] + (r.y * B[2] - r.z * B[1]) - (E[1] * r.z - E[2] * r.y),
                         A[1] + (r.z * B[3] - r.x * B[5]) - (E[5] * r.x - E[3] * r.z),
                         A[2] + (r.x * B[7] - r.y * B[6]) - (E[6] * r.y - E[7] * r.x),
                         A[3] + (r.y * B[5] - r.z * B[4]) - (E[2] * r.x - E[0] * r.z),
                         A[4] + (r.y * B[8] - r.z * B[7]) - (E[0] * r.y - E[1] * r.x),
                         A[5] + (r.z * B[6] - r.x * B[8]) - (E[3] * r.y - E[4] * r.x)}; // A'
    leave_to(F, E, C, dof, false, to);
}

// What is left of link l for its parent.
THUD_INSIDE void pass_on(const thud_link *l, thud_dof *first, thud_link *p)
{
    const thud_abi *P = &l->P;
    if (!l->joined) {
        first->Vn = shift(l->r, first->Un, first->Uf);
        hand_over(P, l->r, first, &p->P);
        return;
    }
    first->Vn = first->Un;
    if (p->alone) {
        leave_to(P->A, P->B, P->C, first, true, &p->P);
    } else {
        leave_to(P->A, P->B, P->C, first, false, &p->P);
    }
}

// One of the linear dofs of a free base: along an axis of the world it sees a column of C.
THUD_INSIDE bool press_base(vec3 column, double D, thud_dof *dof)
{
    dof->Un = v3(0, 0, 0);
    dof->Uf = column;
    dof->Dinv = 1 / D;
    return D > 0;
}

// A free base. Its linear dofs come first: they are the last to be taken out, and see no more than C.
THUD_INSIDE bool take_out_base(const double *armature, const double *implicit, thud_abi *P, thud_dof *dof)
{
    bool positive = true;
    for (int k = 5; k > 3; k--) {
        positive &= press(P, armature[k] + implicit[k], &dof[k]);
        take_out(dof[k].Un, dof[k].Uf, dof[k].Dinv, P);
    }
    positive &= press(P, armature[3] + implicit[3], &dof[3]);
    double *C = P->C;
    sym_add_outer(C, -dof[3].Dinv, dof[3].Uf);
    positive &= press_base(v3(C[4], C[5], C[2]), C[2] + (armature[2] + implicit[2]), &dof[2]);
    sym_add_outer(C, -dof[2].Dinv, dof[2].Uf);
    positive &= press_base(v3(C[3], C[1], C[5]), C[1] + (armature[1] + implicit[1]), &dof[1]);
    sym_add_outer(C, -dof[1].Dinv, dof[1].Uf);
    return press_base(v3(C[0], C[3], C[4]), C[0] + (armature[0] + implicit[0]), &dof[0]) && positive;
}

// D = m of the linear dofs and the principal inertias of the turning ones. U = D H^T is left out: nobody waits for what it hands on,
// and among thousands of such bodies writing it would cost three lines of memory each.
THUD_INSIDE bool take_out_free(const thud_model *m, int i, double mass, const double *implicit, thud_dof *dof)
{
    const double *J = m->link_inertia + 6 * (size_t)i, *armature = m->dof_armature + m->joint_v[i];
    bool positive = true;
    for (int k = 0; k < 6; k++) {
        const double D = (k < 3 ? mass : J[k - 3]) + armature[k] + implicit[k];
        dof[k].Dinv = 1 / D;
        positive &= D > 0;
    }
    return positive;
}

// Takes the dofs of link i out of it and hands the rest over. false: an inertia is not positive.
THUD_INSIDE bool factor_link(const thud_model *m, thud_dynamics *d, int i)
{
    thud_link *l = &d->link[i];
    const int first = m->joint_v[i], up = m->link_parent[i];
    bool positive = true;
    if (m->link_diagonal[i]) {
        return take_out_free(m, i, l->mass, d->implicit + first, d->dof + first);
    }
    if (m->joint_type[i] == THUD_JOINT_FREE) {
        return take_out_base(m->dof_armature + first, d->implicit + first, &l->P, d->dof + first);
    }
    for (int k = first + m->joint_dofs[i] - 1; k > first; k--) {
        thud_dof *dof = &d->dof[k];
        positive &= press(&l->P, m->dof_armature[k] + d->implicit[k], dof);
        take_out(dof->Un, dof->Uf, dof->Dinv, &l->P);
    }
    positive &= press(&l->P, m->dof_armature[first] + d->implicit[first], &d->dof[first]);
    if (up >= 0) {
        pass_on(l, &d->dof[first], &d->link[up]);
    }
    return positive;
}

THUD_KERNEL bool thud_dynamics_factor(const thud_model *m, thud_dynamics *d)
{
    bool positive = true;
    for (int i = d->first; i < d->end; i++) {
        if (!d->link[i].alone && !m->link_diagonal[i]) { // of diagonal ones P is not asked for
            start(&d->link[i]);
        }
    }
    for (int i = d->end - 1; i >= d->first; i--) {
        positive &= factor_link(m, d, i);
    }
    return positive;
}

// qacc = D^-1 u of a diagonal M.
THUD_INSIDE void spread_free(thud_link *l, const thud_dof *dof, const double *e, double *qacc)
{
    for (int k = 0; k < 6; k++) {
        qacc[k] = (e ? e[k] : dof[k].u) * dof[k].Dinv;
    }
    l->av = v3(qacc[0], qacc[1], qacc[2]);
    l->aw = m3_mulv(&l->R, v3(qacc[3], qacc[4], qacc[5]));
}

// Base to tips: accelerations from the forces left for the dofs, u of each dof or e. For e the links may have gone on since they
// were factored, as where positions are put right by a step's own rows: V is then theirs of now.
THUD_INSIDE void spread(const thud_model *m, thud_dynamics *d, const double *e, double *qacc)
{
    thud_link *l = d->link + d->first;
    for (int i = d->first; i < d->end; i++, l++) {
        const int up = m->link_parent[i], first = m->joint_v[i];
        const thud_dof *dof = d->dof + first, *const end = dof + m->joint_dofs[i];
        const double *asked = e ? e + first : NULL;
        double *given = qacc + first;
        if (m->link_diagonal[i]) {
            spread_free(l, dof, asked, given);
            continue;
        }
        vec3 aw = v3(0, 0, 0), av = v3(0, 0, 0);
        double met = 0; // U^T a
        if (up >= 0) {
            const thud_link *p = &d->link[up];
            met = v3_dot(e ? shift(l->r, dof->Un, dof->Uf) : dof->Vn, p->aw) + v3_dot(dof->Uf, p->av);
            aw = p->aw;
            av = v3_add(p->av, v3_cross(p->aw, l->r));
        }
        while (dof < end) {
            const double a = ((e ? *asked++ : dof->u) - met) * dof->Dinv;
            if (dof->linear) {
                av = v3_axpy(a, dof->s, av);
            } else {
                aw = v3_axpy(a, dof->s, aw);
            }
            *given++ = a;
            if (++dof < end) {
                met = v3_dot(dof->Un, aw) + v3_dot(dof->Uf, av);
            }
        }
        l->aw = aw;
        l->av = av;
    }
}

// What the bias of link i leaves for its dofs; the rest is handed over.
THUD_INSIDE void gather_link(const thud_model *m, thud_dynamics *d, int i, const double *tau)
{
    const thud_link *l = &d->link[i];
    const int first = m->joint_v[i], up = m->link_parent[i];
    vec3 zn = l->zn, zf = l->zf;
    if (m->link_diagonal[i]) {
        for (int k = first; k < first + 6; k++) {
            d->dof[k].u = (tau ? tau[k] : 0) - v3_dot(d->dof[k].s, k < first + 3 ? zf : zn);
        }
        return;
    }
    for (int k = first + m->joint_dofs[i] - 1; k > first; k--) {
        thud_dof *dof = &d->dof[k];
        dof->u = (tau ? tau[k] : 0) - dof_force(dof, zn, zf);
        zn = v3_axpy(dof->u * dof->Dinv, dof->Un, zn);
        zf = v3_axpy(dof->u * dof->Dinv, dof->Uf, zf);
    }
    thud_dof *dof = &d->dof[first];
    dof->u = (tau ? tau[first] : 0) - dof_force(dof, zn, zf);
    if (up >= 0) {
        const double g = dof->u * dof->Dinv;
        thud_link *p = &d->link[up];
        p->zn = v3_axpy(g, dof->Vn, v3_add(p->zn, shift(l->r, zn, zf)));
        p->zf = v3_axpy(g, dof->Uf, v3_add(p->zf, zf));
    }
}

THUD_KERNEL void thud_dynamics_solve(const thud_model *m, const double *tau, thud_dynamics *d, double *qacc)
{
    for (int i = d->first; i < d->end; i++) {
        d->link[i].zn = d->link[i].n0;
        d->link[i].zf = d->link[i].f0;
    }
    for (int i = d->end - 1; i >= d->first; i--) { // to the base
        gather_link(m, d, i, tau);
    }
    spread(m, d, NULL, qacc);
}

// On both sweeps to the base a link waits for those above it; while one waits the other is worked on.
THUD_KERNEL bool thud_dynamics_accelerate(const thud_model *m, const double *tau, thud_dynamics *d,
                                          double *qacc)
{
    bool positive = true;
    for (int i = d->first; i < d->end; i++) {
        thud_link *l = &d->link[i];
        if (!l->alone && !m->link_diagonal[i]) { // of diagonal ones P is not asked for
            start(l);
        }
        l->zn = l->n0;
        l->zf = l->f0;
    }
    for (int i = d->end - 1; i >= d->first; i--) {
        positive &= factor_link(m, d, i);
        gather_link(m, d, i, tau);
    }
    spread(m, d, NULL, qacc);
    return positive;
}

THUD_KERNEL void thud_dynamics_respond(const thud_model *m, thud_dynamics *d, const double *e, double *dv)
{
    spread(m, d, e, dv);
}
