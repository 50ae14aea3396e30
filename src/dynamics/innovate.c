// SPDX-License-Identifier: Apache-2.0
// innovate.c: what a wrench on a link asks of each dof on its way to the base. [theory 6, JO IV]
//
// Symbols  f wrench · H = s, U = P H^T, D of a dof as aba.c left them · psi f = shift (f - U D^-1 (H f))
//             e = H f            at each dof, last first, before it is taken out
//          The kernel of the operational space is Omega = Psi^T H^T D^-1 H Psi; e is a column of H Psi.
// Cost     about 30 flops a dof on the way for each wrench; four of them at a time, one in each lane.
#include <thud/spatial_lanes.h>

#include "kernel.h"

// Where e of up to four wrenches go: that of the r-th at dof k is at e[r row + k dof].
typedef struct leaving {
    double *e;
    int count, row, dof;
    const double *root; // times what e of each dof is set; NULL: it is added
    four squares;       // of what was set
} leaving;

THUD_INSIDE void leave(leaving *to, int k, four left) // e of dof k
{
    double *e = to->e + (size_t)k * (size_t)to->dof;
    if (!to->root) {
        for (int r = 0; r < THUD_LANES && r < to->count; r++) {
            e[r * to->row] += left[r];
        }
        return;
    }
    const four x = left * to->root[k];
    to->squares += x * x;
    if (to->row == 1 && to->count == THUD_LANES) {
        *(four_of_numbers *)e = x;
        return;
    }
    for (int r = 0; r < THUD_LANES && r < to->count; r++) {
        e[r * to->row] = x[r];
    }
}

// Where M is diagonal no dof takes anything away from another.
THUD_INSIDE void innovate_free(const mat3 *R, lanes n, lanes f, int first, leaving *to)
{
    four left;
    leave(to, first, f.x);
    leave(to, first + 1, f.y);
    leave(to, first + 2, f.z);
    for (int k = 0; k < 3; k++) {
        lanes_dot(n, m3_col(R, k), &left);
        leave(to, first + 3 + k, left);
    }
}

THUD_INSIDE lanes lanes_sum(lanes a, lanes b)
{
    return (lanes){a.x + b.x, a.y + b.y, a.z + b.z};
}

typedef struct asking { // wrenches on their way, about the origin of the link that they have come to
    lanes n, f;
} asking;

THUD_INSIDE asking asking_of(const thud_wrenches *w)
{
    return (asking){lanes_load(w->ang), lanes_load(w->lin)};
}

THUD_INSIDE void ask(const thud_dof *dof, const asking *a, four *left) // e = H f
{
    if (dof->linear) {
        lanes_dot(a->f, dof->s, left);
    } else {
        lanes_dot(a->n, dof->s, left);
    }
}

// f - U D^-1 e
THUD_INSIDE asking less(const thud_dof *dof, asking a, const four *left)
{
    const four g = -dof->Dinv * *left;
    a.n = lanes_axpy(g, dof->Un, a.n);
    a.f = lanes_axpy(g, dof->Uf, a.f);
    return a;
}

// Past link i, which has a parent: what its dofs are asked for stays with them, the rest goes on.
THUD_INSIDE asking pass(const thud_model *m, const thud_dynamics *d, int i, asking a, leaving *to)
{
    const int first = m->joint_v[i];
    const thud_link *l = &d->link[i];
    int k = first + m->joint_dofs[i];
    const thud_dof *dof = d->dof + k;
    do {
        four left;
        ask(--dof, &a, &left);
        leave(to, --k, left);
        a = less(dof, a, &left);
    } while (k > first);
    if (!l->joined) {
        a.n = lanes_sum(a.n, lanes_cross(l->r, a.f)); // shift
    }
    return a;
}

// At a free base: its linear dofs, which are asked last, along the world's axes, see forces alone.
THUD_INSIDE void end_at_base(const thud_dof *dof, asking a, int first, leaving *to)
{
    four left;
    for (int k = 5; k >= 3; k--) {
        lanes_dot(a.n, dof[k].s, &left);
        leave(to, first + k, left);
        a = less(&dof[k], a, &left);
    }
    leave(to, first + 2, a.f.z);
    a.f = lanes_axpy(-dof[2].Dinv * a.f.z, dof[2].Uf, a.f);
    leave(to, first + 1, a.f.y);
    a.f = lanes_axpy(-dof[1].Dinv * a.f.y, dof[1].Uf, a.f);
    leave(to, first, a.f.x);
}

// On the way from link i to the base and there.
THUD_INSIDE void go_down(const thud_model *m, const thud_dynamics *d, int i, asking a, leaving *to)
{
    for (int up = m->link_parent[i]; up >= 0; up = m->link_parent[i]) {
        a = pass(m, d, i, a, to);
        i = up;
    }
    if (m->link_diagonal[i]) {
        innovate_free(&d->link[i].R, a.n, a.f, m->joint_v[i], to);
    } else if (m->joint_type[i] == THUD_JOINT_FREE) {
        end_at_base(d->dof + m->joint_v[i], a, m->joint_v[i], to);
    } else {
        (void)pass(m, d, i, a, to);
    }
}

THUD_INSIDE void innovate(const thud_model *m, const thud_dynamics *d, int link, const thud_wrenches *wrench,
                          leaving *to)
{
    go_down(m, d, link, asking_of(wrench), to);
}

THUD_INSIDE void innovate_two(const thud_model *m, const thud_dynamics *d, const int link[2],
                              const thud_wrenches *const wrench[2], leaving *to)
{
    asking a = asking_of(wrench[0]), b = asking_of(wrench[1]);
    int i = link[0], j = link[1];
    while (i != j) { // parents have smaller numbers
        if (i > j) {
            a = pass(m, d, i, a, to);
            i = m->link_parent[i];
        } else {
            b = pass(m, d, j, b, to);
            j = m->link_parent[j];
        }
    }
    if (i >= 0) {
        go_down(m, d, i, (asking){lanes_sum(a.n, b.n), lanes_sum(a.f, b.f)}, to);
    }
}

THUD_KERNEL void thud_dynamics_innovate(const thud_model *m, const thud_dynamics *d, int link, int count,
                                        const thud_wrenches *wrench, double *e, int stride)
{
    leaving to = {.e = e, .row = stride, .dof = 1};
    if (count == 3) { // nearly all of them, without loops
        to.count = 3;
        innovate(m, d, link, wrench, &to);
    } else {
        to.count = count;
        innovate(m, d, link, wrench, &to);
    }
}

THUD_KERNEL void thud_dynamics_innovate_two(const thud_model *m, const thud_dynamics *d, const int link[2],
                                            int count, const thud_wrenches *const wrench[2], double *e,
                                            int stride)
{
    leaving to = {.e = e, .row = stride, .dof = 1};
    if (count == 3) {
        to.count = 3;
        innovate_two(m, d, link, wrench, &to);
    } else {
        to.count = count;
        innovate_two(m, d, link, wrench, &to);
    }
}

// Of one link or two.
THUD_INSIDE void innovate_some(const thud_model *m, const thud_dynamics *d, int links, const int *link,
                               const thud_wrenches *const *wrench, leaving *to)
{
    if (links == 2) {
        innovate_two(m, d, link, wrench, to);
    } else {
        innovate(m, d, link[0], wrench[0], to);
    }
}

THUD_KERNEL double thud_dynamics_innovate_columns(const thud_model *m, const thud_dynamics *d, int links,
                                                  const int *link, int count,
                                                  const thud_wrenches *const *wrench, const double *root,
                                                  double *e, int stride)
{
    leaving to = {.e = e, .row = 1, .dof = stride, .root = root};
    if (count == THUD_LANES && root) {
        to.count = THUD_LANES;
        innovate_some(m, d, links, link, wrench, &to);
    } else {
        to.count = count;
        innovate_some(m, d, links, link, wrench, &to);
    }
    return to.squares[0] + to.squares[1] + to.squares[2] + to.squares[3];
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
            v = V[up].lin;
            v = l->joined ? v : v3_add(v, v3_cross(w, l->r));
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

typedef double both __attribute__((vector_size(2 * sizeof(double)))); // the same number of two motions

typedef struct vec3s { // the same vector
    both x, y, z;
} vec3s;

THUD_INSIDE vec3s of_both(vec3 a, vec3 b)
{
    const vec3s v = {{a.x, b.x}, {a.y, b.y}, {a.z, b.z}};
    return v;
}

THUD_INSIDE vec3 one_of(const vec3s *v, int k)
{
    return v3(v->x[k], v->y[k], v->z[k]);
}

THUD_INSIDE vec3s plus(const both *u, vec3 s, vec3s v) // v + u s
{
    const vec3s sum = {v.x + *u * s.x, v.y + *u * s.y, v.z + *u * s.z};
    return sum;
}

THUD_INSIDE vec3s across(vec3s a, vec3 b)
{
    const vec3s c = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return c;
}

THUD_KERNEL void thud_dynamics_twists_of_two(const thud_model *m, const thud_dynamics *d,
                                             const double *const qvel[2], thud_motion *const V[2])
{
    const thud_link *l = d->link + d->first;
    thud_motion *const one = V[0], *const two = V[1];
    const vec3 none = v3(0, 0, 0);
    for (int i = d->first; i < d->end; i++, l++) {
        const int up = m->link_parent[i], first = m->joint_v[i];
        const double *p = qvel[0] + first, *q = qvel[1] + first;
        const thud_dof *dof = d->dof + first, *const end = dof + m->joint_dofs[i];
        vec3s w = of_both(none, none), v = w;
        if (m->joint_type[i] == THUD_JOINT_FREE) {
            one[i].ang = m3_mulv(&l->R, v3(p[3], p[4], p[5]));
            two[i].ang = m3_mulv(&l->R, v3(q[3], q[4], q[5]));
            one[i].lin = v3(p[0], p[1], p[2]);
            two[i].lin = v3(q[0], q[1], q[2]);
            continue;
        }
        if (up >= 0) {
            w = of_both(one[up].ang, two[up].ang);
            v = of_both(one[up].lin, two[up].lin);
            if (!l->joined) {
                const vec3s turning = across(w, l->r);
                v = (vec3s){v.x + turning.x, v.y + turning.y, v.z + turning.z};
            }
        }
        for (; dof < end; dof++, p++, q++) {
            const both u = {*p, *q};
            if (dof->linear) {
                v = plus(&u, dof->s, v);
            } else {
                w = plus(&u, dof->s, w);
            }
        }
        one[i] = (thud_motion){one_of(&w, 0), one_of(&v, 0)};
        two[i] = (thud_motion){one_of(&w, 1), one_of(&v, 1)};
    }
}
