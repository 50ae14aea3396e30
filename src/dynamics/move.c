// SPDX-License-Identifier: Apache-2.0
// move.c: frames and inertias from positions; velocities and bias wrenches from velocities. Base to tips. [theory 6]
//
// Symbols  R, o frame · r from the parent's origin · s joint motion · w, v velocity
//          cw, cv acceleration at qacc = 0 · h = m c first moment · I inertia about o · n0, f0 bias wrench about o
// Cost     about 170 flops and one sine and cosine a hinge for the frames, 150 flops for the velocities.
//
// For every joint but free, s is fixed in the link and turns with it, so its derivative is w x s = w_p x s.
#include <stddef.h>

#include <thud/spatial_lanes.h>

#include "sines.h"

static const thud_link world = {.R = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};

THUD_INSIDE void set_dof(thud_dof *dof, vec3 s, int linear)
{
    dof->s = s;
    dof->linear = linear;
}

// A quaternion of length 1, as nearly all are here: who integrated them saw to it.
static inline quat unit_quat(quat q)
{
    const double n2 = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    return n2 == 1 ? q : q_normalize(q);
}

static void place_free(const double *q, thud_link *l, thud_dof *dof)
{
    l->R = m3_of_quat(unit_quat((quat){q[3], q[4], q[5], q[6]}));
    l->o = v3(q[0], q[1], q[2]);
    for (int k = 0; k < 3; k++) {
        set_dof(&dof[3 + k], m3_col(&l->R, k), 0);
    }
}

static void place_ball(const mat3 *B, const double *q, thud_link *l, thud_dof *dof)
{
    const mat3 Q = m3_of_quat(unit_quat((quat){q[0], q[1], q[2], q[3]}));
    l->R = m3_mul(B, &Q);
    for (int k = 0; k < 3; k++) {
        set_dof(&dof[k], m3_col(&l->R, k), 0);
    }
}

// A B row by row, each with a number more, which the next one overwrites. B is the model's: of what was just written by number,
// a row would wait.
THUD_INSIDE void turn_rows(const mat3 *A, const mat3 *B, mat3 *to)
{
    const four x = *(const four_of_numbers *)B->m[0], y = *(const four_of_numbers *)B->m[1],
               end = *(const four_of_numbers *)&B->m[1][2], z = __builtin_shufflevector(end, end, 1, 2, 3, 0);
    for (int k = 0; k < 2; k++) {
        *(four_of_numbers *)to->m[k] = x * A->m[k][0] + y * A->m[k][1] + z * A->m[k][2];
    }
    const four last = x * A->m[2][0] + y * A->m[2][1] + z * A->m[2][2];
    for (int k = 0; k < 3; k++) {
        to->m[2][k] = last[k];
    }
}

THUD_INSIDE void place_hinge(const mat3 *B, double s, double c, thud_link *l, thud_dof *dof)
{
    for (int k = 0; k < 3; k++) { // R = B Rz of the angle with this sine and cosine
        l->R.m[k][0] = c * B->m[k][0] + s * B->m[k][1];
        l->R.m[k][1] = c * B->m[k][1] - s * B->m[k][0];
        l->R.m[k][2] = B->m[k][2];
    }
    set_dof(dof, m3_col(B, 2), 0);
}

THUD_INSIDE void place_slide(const mat3 *B, double shift, thud_link *l, thud_dof *dof)
{
    l->R = *B;
    set_dof(dof, m3_col(B, 2), 1);
    l->r = v3_axpy(shift, dof->s, l->r);
}

THUD_INSIDE void turn_inertia(const thud_model *m, int i, thud_link *l)
{
    const double *J = m->link_inertia + 6 * (size_t)i;
    const mat3 *R = &l->R;
    double RJ[3][THUD_LANES];
    const four a = *(const four_of_numbers *)J,
               b = *(const four_of_numbers *)(J + 2); // xx yy zz xy, zz xy xz yz
    const four x = __builtin_shufflevector(a, b, 0, 3, 6, 6), y = __builtin_shufflevector(a, b, 3, 1, 7, 7),
               z = __builtin_shufflevector(a, b, 6, 7, 2, 2); // the rows of J
    for (int k = 0; k < 3; k++) {
        *(four_of_numbers *)RJ[k] = x * R->m[k][0] + y * R->m[k][1] + z * R->m[k][2];
    }
#define ENTRY(a, b) (RJ[a][0] * R->m[b][0] + RJ[a][1] * R->m[b][1] + RJ[a][2] * R->m[b][2])
    l->I[0] = ENTRY(0, 0);
    l->I[1] = ENTRY(1, 1);
    l->I[2] = ENTRY(2, 2);
    l->I[3] = ENTRY(0, 1);
    l->I[4] = ENTRY(0, 2);
    l->I[5] = ENTRY(1, 2);
#undef ENTRY
    l->mass = m->link_mass[i];
    l->h = m3_mulv(R, m->link_moment[i]);
}

// The sine and the cosine are those of a hinge.
THUD_INSIDE void place_link(const thud_model *m, const double *qpos, thud_dynamics *d, int i, double sine,
                            double cosine)
{
    const int up = m->link_parent[i], type = m->joint_type[i];
    const thud_link *p = up < 0 ? &world : &d->link[up];
    thud_link *l = &d->link[i];
    thud_dof *dof = &d->dof[m->joint_v[i]];
    const double *q = qpos + m->joint_q[i];
    if (type == THUD_JOINT_FREE) {
        place_free(q, l, dof);
        return;
    }
    mat3 turned;
    const mat3 *B = &p->R; // a copy would wait for all that was just written
    if (up < 0) {          // the world's axes
        B = &m->link_rot[i];
        l->r = m->link_pos[i];
    } else {
        if (!m->link_aligned[i]) {
            turn_rows(&p->R, &m->link_rot[i], &turned);
            B = &turned;
        }
        if (!l->joined) {
            l->r = m3_mulv(&p->R, m->link_pos[i]);
        }
    }
    if (type == THUD_JOINT_HINGE) {
        place_hinge(B, sine, cosine, l, dof);
    } else if (type == THUD_JOINT_SLIDE) {
        place_slide(B, q[0] - m->qpos0[m->joint_q[i]], l, dof);
    } else {
        place_ball(B, q, l, dof);
    }
    l->o = v3_add(p->o, l->r);
}

THUD_INSIDE void weigh_link(const thud_model *m, thud_dynamics *d, int i)
{
    if (m->link_mass[i] > 0) { // others have had none from the beginning
        turn_inertia(m, i, &d->link[i]);
    }
}

// Sines and cosines of the hinges among these links.
THUD_INSIDE void find_turns(const thud_model *m, const double *qpos, int first, int end, turns *t)
{
    bool any = false, far = false;
    for (int i = first; i < end; i++) {
        const bool hinge = m->joint_type[i] == THUD_JOINT_HINGE;
        const int q = m->joint_q[i];
        const double angle = hinge ? qpos[q] - m->qpos0[q] : 0;
        t->angle[i - first] = angle;
        any |= hinge;
        far |= !(fabs(angle) <= THUD_LANES_FAR);
    }
    t->far = far;
    if (any) {
        find_sines(end - first, t);
    }
}

// All of a link that is placed soon: what is not read of it in one go does not look like a row of lines to the hardware.
enum { FETCH = 6 }; // links before
THUD_INSIDE void fetch_link(const thud_model *m, const thud_dynamics *d, int i, bool weigh)
{
    enum { LINE = 64 };
    const char *dof = (const char *)&d->dof[m->joint_v[i]], *link = (const char *)&d->link[i];
    const size_t dofs = (size_t)m->joint_dofs[i] * sizeof *d->dof;
    for (size_t at = weigh ? 0 : dofs / 2; at < dofs; at += LINE) { // a free body's first half stays
        __builtin_prefetch(dof + at, 1);
    }
    const size_t end = weigh ? offsetof(thud_link, P) : offsetof(thud_link, mass);
    for (size_t at = weigh ? 0 : offsetof(thud_link, o); at < end; at += LINE) {
        __builtin_prefetch(link + at, 1);
    }
}

THUD_INSIDE void place_links(const thud_model *m, const double *qpos, thud_dynamics *d, bool weigh)
{
    enum { MANY = 256 };
    const int fetched = d->links > MANY ? d->links - FETCH : 0;
    turns t;
    for (int first = d->first; first < d->end; first += RUN) {
        const int end = d->end - first < RUN ? d->end : first + RUN;
        find_turns(m, qpos, first, end, &t);
        for (int i = first; i < end; i++) {
            if (i < fetched) {
                fetch_link(m, d, i + FETCH, weigh);
            }
            place_link(m, qpos, d, i, t.sine[i - first], t.cosine[i - first]);
            if (weigh) {
                weigh_link(m, d, i);
            }
        }
    }
}

THUD_KERNEL void thud_dynamics_place(const thud_model *m, const double *qpos, thud_dynamics *d)
{
    place_links(m, qpos, d, true);
}

THUD_KERNEL void thud_dynamics_frames(const thud_model *m, const double *qpos, thud_dynamics *d)
{
    place_links(m, qpos, d, false);
}

THUD_KERNEL void thud_dynamics_weigh(const thud_model *m, thud_dynamics *d)
{
    for (int i = d->first; i < d->end; i++) {
        weigh_link(m, d, i);
    }
}

// The velocity of a link, and what its joint's motion adds to the acceleration: turning s turns with the
// parent, and a slide adds Coriolis'.
THUD_INSIDE void move_link(int type, const double *qd, const thud_dof *dof, const thud_link *p, thud_link *l)
{
    if (type == THUD_JOINT_FREE) {
        l->v = v3(qd[0], qd[1], qd[2]);
        l->w = m3_mulv(&l->R, v3(qd[3], qd[4], qd[5]));
        l->bw = p->bw;
        l->bv = p->bv;
        return;
    }
    if (l->joined) { // of a hinge or a ball
        const vec3 turn =
            type == THUD_JOINT_HINGE ? v3_scale(qd[0], dof->s) : m3_mulv(&l->R, v3(qd[0], qd[1], qd[2]));
        l->v = p->v;
        l->bv = p->bv;
        l->w = v3_add(p->w, turn);
        l->bw = v3_add(p->bw, v3_cross(p->w, turn));
        return;
    }
    const vec3 wr = v3_cross(p->w, l->r);
    l->v = v3_add(p->v, wr);
    l->w = p->w;
    l->bw = p->bw;
    l->bv = v3_add(p->bv, v3_cross(p->bw, l->r));
    if (type == THUD_JOINT_SLIDE) {
        const vec3 slip = v3_scale(qd[0], dof->s);
        l->v = v3_add(l->v, slip);
        l->bv = v3_add(l->bv, v3_cross(p->w, v3_axpy(2, slip, wr))); // w x (w x r) + 2 w x (s qd)
    } else {
        const vec3 turn =
            type == THUD_JOINT_HINGE ? v3_scale(qd[0], dof->s) : m3_mulv(&l->R, v3(qd[0], qd[1], qd[2]));
        l->w = v3_add(p->w, turn);
        l->bw = v3_add(p->bw, v3_cross(p->w, turn));
        l->bv = v3_add(l->bv, v3_cross(p->w, wr));
    }
}

THUD_KERNEL void thud_dynamics_move(const thud_model *m, const double *qvel, thud_dynamics *d)
{
    const vec3 none = v3(0, 0, 0);
    thud_link ground, *l = d->link + d->first; // of the ground, its motion
    ground.w = none; // a chain of copies would wait for what was just written by number
    ground.v = none;
    ground.bw = none;
    ground.bv = v3_neg(m->gravity);
    for (int i = d->first; i < d->end; i++, l++) {
        const int up = m->link_parent[i], first = m->joint_v[i];
        move_link(m->joint_type[i], qvel + first, &d->dof[first], up < 0 ? &ground : &d->link[up], l);
        if (!(l->mass > 0)) { // between two joints of one body
            l->n0 = none;
            l->f0 = none;
            continue;
        }
        // n = I bw + h x bv + w x I w,  f = m bv + bw x h + w x (w x h)
        const vec3 Iw = sym_mul(l->I, l->w), wh = v3_cross(l->w, l->h);
        l->n0 = v3_add(v3_add(sym_mul(l->I, l->bw), v3_cross(l->h, l->bv)), v3_cross(l->w, Iw));
        l->f0 = v3_add(v3_add(v3_scale(l->mass, l->bv), v3_cross(l->bw, l->h)), v3_cross(l->w, wh));
    }
}

void thud_dynamics_push(const thud_model *m, int body, vec3 force, vec3 torque, vec3 point, thud_dynamics *d)
{
    const int i = m->body_link[body];
    if (i < 0) {
        return;
    }
    thud_link *l = &d->link[i];
    l->f0 = v3_sub(l->f0, force);
    l->n0 = v3_sub(l->n0, v3_add(torque, v3_cross(v3_sub(point, l->o), force)));
}

// A grove begins wherever no link from here on hangs on one before.
static void find_groves(const thud_model *m, thud_dynamics *d)
{
    int lowest = m->joints; // parent of the links from i on
    int at = m->joints;     // groves are found from the last, and written from the end of the array
    d->grove[at] = m->joints;
    for (int i = m->joints - 1; i >= 0; i--) {
        const int up = m->link_parent[i];
        lowest = up >= 0 && up < lowest ? up : lowest;
        if (lowest >= i) {
            d->grove[--at] = i;
        }
    }
    d->groves = m->joints - at;
    for (int g = 0; g <= d->groves; g++) {
        d->grove[g] = d->grove[at + g];
    }
}

thud_dynamics thud_dynamics_part(const thud_dynamics *d, int first, int end)
{
    thud_dynamics part = *d;
    part.first = d->grove[first];
    part.end = d->grove[end];
    return part;
}

// What no motion changes: a free body is moved along the world's axes; hinges and balls stay where they are in their parent. (What
// hangs on the world may be moved by who looks at a model with bodies in hand.)
static void set_fixed(const thud_model *m, thud_dynamics *d)
{
    for (int i = 0; i < m->joints; i++) {
        const vec3 at = m->link_pos[i];
        d->link[i].joined = m->link_parent[i] >= 0 && at.x == 0 && at.y == 0 && at.z == 0 &&
                            (m->joint_type[i] == THUD_JOINT_HINGE || m->joint_type[i] == THUD_JOINT_BALL);
        if (m->joint_type[i] == THUD_JOINT_FREE) {
            thud_dof *dof = &d->dof[m->joint_v[i]];
            set_dof(&dof[0], v3(1, 0, 0), 1);
            set_dof(&dof[1], v3(0, 1, 0), 1);
            set_dof(&dof[2], v3(0, 0, 1), 1);
        }
    }
    for (int i = 0; i < m->joints; i++) {
        const int up = m->link_parent[i];
        if (up >= 0) {
            d->link[up].alone += d->link[i].joined && !(m->link_mass[up] > 0) ? 1 : 2; // for now a sum
        }
    }
    for (int i = 0; i < m->joints; i++) {
        d->link[i].alone = d->link[i].alone == 1;
    }
}

thud_status thud_dynamics_create(const thud_model *m, thud_dynamics **out)
{
    *out = NULL;
    thud_dynamics *d = thud_alloc(1, sizeof *d);
    if (!d) {
        return THUD_NO_MEMORY;
    }
    d->links = d->end = m->joints;
    d->nv = m->nv;
    d->link = thud_alloc((size_t)m->joints, sizeof *d->link);
    d->dof = thud_alloc((size_t)m->nv, sizeof *d->dof);
    d->implicit = thud_alloc((size_t)m->nv, sizeof *d->implicit);
    d->grove = thud_alloc((size_t)m->joints + 1, sizeof *d->grove);
    if (!d->link || !d->dof || !d->implicit || !d->grove) {
        thud_dynamics_destroy(d);
        return THUD_NO_MEMORY;
    }
    find_groves(m, d);
    set_fixed(m, d);
    *out = d;
    return THUD_OK;
}

void thud_dynamics_destroy(thud_dynamics *d)
{
    if (d) {
        thud_free(d->link);
        thud_free(d->dof);
        thud_free(d->implicit);
        thud_free(d->grove);
        thud_free(d);
    }
}
