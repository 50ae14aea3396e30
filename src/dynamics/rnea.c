// SPDX-License-Identifier: Apache-2.0
// rnea.c: forces from accelerations, by Newton and Euler base to tips and back. [theory 1]
//
//     a = a_p + aw_p x r + s qacc              n = I aw + h x av + n0          f = m av + aw x h + f0
//     tau = s . (n or f) + armature qacc       parent: n += n + r x f,  f += f
// Cost about 120 flops a link.
#include "kernel.h"

THUD_INSIDE void accelerate(const thud_model *m, const double *qacc, thud_dynamics *d)
{
    for (int i = 0; i < m->joints; i++) {
        thud_link *l = &d->link[i];
        const int up = m->link_parent[i], first = m->joint_v[i];
        vec3 aw = v3(0, 0, 0), av = v3(0, 0, 0);
        if (up >= 0) {
            const thud_link *p = &d->link[up];
            aw = p->aw;
            av = v3_add(p->av, v3_cross(p->aw, l->r));
        }
        for (int k = first; k < first + m->joint_dofs[i]; k++) {
            const thud_dof *dof = &d->dof[k];
            if (dof->linear) {
                av = v3_axpy(qacc[k], dof->s, av);
            } else {
                aw = v3_axpy(qacc[k], dof->s, aw);
            }
        }
        l->aw = aw;
        l->av = av;
        l->zn = v3_add(v3_add(sym_mul(l->I, aw), v3_cross(l->h, av)), l->n0);
        l->zf = v3_add(v3_add(v3_scale(l->mass, av), v3_cross(aw, l->h)), l->f0);
    }
}

// Wrenches in zn, zf to joint forces: tau += H z, handed down to the base.
THUD_INSIDE void project(const thud_model *m, thud_dynamics *d, double *tau)
{
    for (int i = m->joints - 1; i >= 0; i--) {
        const thud_link *l = &d->link[i];
        const int up = m->link_parent[i], first = m->joint_v[i], dofs = m->joint_dofs[i];
        for (int k = first; k < first + dofs; k++) {
            tau[k] += dof_force(&d->dof[k], l->zn, l->zf);
        }
        if (up >= 0) {
            thud_link *p = &d->link[up];
            p->zn = v3_add(p->zn, v3_add(l->zn, v3_cross(l->r, l->zf)));
            p->zf = v3_add(p->zf, l->zf);
        }
    }
}

THUD_KERNEL void thud_dynamics_rnea(const thud_model *m, const double *qacc, thud_dynamics *d, double *tau)
{
    for (int k = 0; k < m->nv; k++) {
        tau[k] = qacc ? m->dof_armature[k] * qacc[k] : 0;
    }
    if (qacc) {
        accelerate(m, qacc, d);
    } else {
        for (int i = 0; i < m->joints; i++) {
            d->link[i].zn = d->link[i].n0;
            d->link[i].zf = d->link[i].f0;
        }
    }
    project(m, d, tau);
}

void dynamics_project(const thud_model *m, thud_dynamics *d, double *tau)
{
    project(m, d, tau);
}

// ---------------------------------------------------------------------------------------------- carried
// weight

// The wrench that holds up the carried part of a link's weight, about its origin.
static void carried_wrench(const thud_model *m, int i, const thud_link *l, vec3 *n, vec3 *f)
{
    const vec3 moment = m3_mulv(&l->R, m->link_carried_moment[i]);
    *f = v3_scale(-m->link_carried[i], m->gravity);
    *n = v3_neg(v3_cross(moment, m->gravity));
}

void thud_dynamics_carry(const thud_model *m, thud_dynamics *d)
{
    for (int i = d->first; m->carries_weight && i < d->end; i++) {
        vec3 n, f;
        carried_wrench(m, i, &d->link[i], &n, &f);
        d->link[i].n0 = v3_sub(d->link[i].n0, n);
        d->link[i].f0 = v3_sub(d->link[i].f0, f);
    }
}

void thud_carried_force(const thud_model *m, thud_dynamics *d, double *tau)
{
    if (!m->carries_weight) {
        return;
    }
    for (int i = 0; i < m->joints; i++) {
        carried_wrench(m, i, &d->link[i], &d->link[i].zn, &d->link[i].zf);
    }
    project(m, d, tau);
}
