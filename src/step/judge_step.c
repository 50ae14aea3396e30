// SPDX-License-Identifier: Apache-2.0
// judge_step.c: whether a substep or a collision obeys its laws, found from its result by code that made none of it. [theory 7]
//
//     law of motion   (M + implicit) a = tau - c + sum of (r x f, f) over contacts and loops, by Newton-Euler; the force of a
//                     contact acts at its point in the world, not through the rows that were solved
//     velocities      v+ - v = h a
//     law of contact  p in K,  y = u+ + turn + (max(phi, 0)/h, 0, 0),  y_n >= 0, p_n y_n = 0, friction against the slip; u+ from
//                     the velocities of the two bodies at the point (the exact cone alone: other laws differ on purpose)
//
// Each is relative to what acts in its own tree or on its own contact, so that a light body is not judged by a heavy one.
// Symbols  a acceleration, h length, p impulse, u relative velocity, phi gap at the start, f force, r arm about a link's origin
// Cost     three passes of Newton-Euler, one over the contacts.
#include <math.h>

#include "approach.h"
#include "doubts.h"

static const double WRONG_MOTION = 1e-6;  // of the forces that act
static const double WRONG_SPEED = 1e-6;   // of the velocities, and of what a step of free fall adds to them
static const double LEAST_TURN = 1e-4;    // of what a step of free fall adds: constrain.c leaves out less
static const double WRONG_CONTACT = 1e-3; // of the largest impulse and speed of an island

// ---------------------------------------------------------------------------------------------- law of motion

static void push_link(const thud_sim *sim, int body, double sign, vec3 x, vec3 f, vec3 couple,
                      thud_force *sum)
{
    const int link = sim->m->body_link[body];
    if (link < 0) {
        return;
    }
    const vec3 r = v3_sub(x, sim->d->link[link].o), moment = v3_add(v3_cross(r, f), couple);
    sum[link].lin = v3_axpy(sign, f, sum[link].lin);
    sum[link].ang = v3_axpy(sign, moment, sum[link].ang);
}

// The impulse of every link about its origin: of joints and loops from their rows, of contacts from where they are.
static void find_wrenches(const thud_sim *sim, thud_force *sum)
{
    const vec3 none = v3(0, 0, 0);
    thud_rows_joint_wrenches(sim->ask.rows, sum);
    for (int i = 0; i < thud_rows_islands(sim->ask.rows); i++) {
        const thud_island island = thud_rows_island(sim->ask.rows, i);
        for (int k = 0; k < island.blocks; k++) {
            const thud_block *b = &island.block[k];
            const double *p = island.p + b->row;
            if (b->kind != THUD_BLOCK_CONTACT) {
                continue;
            }
            vec3 f = none, couple = none;
            for (int r = 0; r < b->dim; r++) {
                vec3 *to = r < 3 ? &f : &couple;
                *to = v3_axpy(p[r], b->frame[r % 3], *to);
            }
            push_link(sim, b->body2, 1, b->point, f, couple, sum);
            push_link(sim, b->body1, -1, b->point, f, couple, sum);
        }
    }
}

typedef struct scales { // the largest of a tree
    double lin, ang;    // N, N m
} scales;

// What acts on the links of a tree in h, or in a collision, and what its dofs feel of it. A couple on one link acts as forces
// on the others, couple over size. Of a collision the passes of Newton-Euler leave the rounding of all other forces.
static scales measure_forces(const thud_sim *sim, const grove_range *r, double h, bool collision,
                             const double *felt)
{
    static const double ROUNDING = 1e-7; // relative to WRONG_MOTION: 500 units in the last place
    const double other = collision ? ROUNDING : 1;
    const thud_model *m = sim->m;
    scales s = {0, 0};
    double size = 0;
    for (int i = r->link; i < r->link_end; i++) {
        const thud_link *l = &sim->d->link[i];
        double lin = other * v3_norm(l->f0), ang = other * v3_norm(l->n0);
        size = thud_max(size, v3_norm(v3_sub(l->o, sim->d->link[r->link].o)));
        if (sim->constrained) {
            lin = thud_max(lin, v3_norm(sim->answer.wrench[i].lin) / h);
            ang = thud_max(ang, v3_norm(sim->answer.wrench[i].ang) / h);
        }
        s.lin = thud_max(s.lin, lin);
        s.ang = thud_max(s.ang, ang);
        if (sim->constrained) { // extents are known
            s.ang = thud_max(s.ang, lin * sim->sight.extent[i]);
            size = thud_max(size, sim->sight.extent[i]);
        }
        for (int k = m->joint_v[i]; k < m->joint_v[i] + m->joint_dofs[i]; k++) {
            double *most = sim->d->dof[k].linear ? &s.lin : &s.ang;
            *most = thud_max(*most, felt[k]);
        }
    }
    s.lin = size > 0 ? thud_max(s.lin, s.ang / size) : s.lin;
    return s;
}

// The largest error of a tree, relative to what acts in it; a part above the limit is doubted.
static double judge_tree(const thud_sim *sim, const grove_range *r, const scales *s, const double *error)
{
    double worst = 0;
    int where = -1;
    for (int k = r->v; k < r->v_end; k++) {
        const double scale = sim->d->dof[k].linear ? s->lin : s->ang;
        const double part = error[k] == 0 ? 0 : fabs(error[k]) / scale;
        if (!(part <= worst)) {
            worst = part;
            where = sim->m->dof_link[k];
        }
    }
    if (where >= 0) {
        doubts_raise(sim->judge.doubts, THUD_DOUBT_LAW_OF_MOTION, doubt_at_joint(sim->m, where), worst,
                     WRONG_MOTION);
    }
    return worst;
}

static double judge_trees(thud_sim *sim, double h, bool collision, const double *felt, const double *error)
{
    double worst = 0;
    for (int g = 0; g < sim->d->groves; g++) {
        const grove_range r = sim_range(sim, g, g + 1);
        if (!sim_grove_sleeps(sim, g)) { // was judged when it fell asleep
            const scales s = measure_forces(sim, &r, h, collision, felt);
            const double here = judge_tree(sim, &r, &s, error);
            worst = here <= worst ? worst : here;
        }
    }
    return worst;
}

static void subtract_wrenches(const thud_sim *sim, double h)
{
    for (int i = 0; sim->constrained && i < sim->m->joints; i++) {
        thud_link *l = &sim->d->link[i];
        l->f0 = v3_axpy(-1 / h, sim->answer.wrench[i].lin, l->f0);
        l->n0 = v3_axpy(-1 / h, sim->answer.wrench[i].ang, l->n0);
    }
}

// Where the dynamics were last evaluated, at (sim->fall.q, sim->fall.v) under sim->force.tau: the links are still there.
static double judge_motion(thud_sim *sim, double h)
{
    const thud_model *m = sim->m;
    const double *acc = sim->scheme == THUD_INTEGRATOR_RK4 ? sim->go.k[3] : sim->fall.acc;
    double *felt = sim->go.u[0], *bias = sim->go.u[1], *total = sim->go.u[2], *error = sim->go.u[3];
    for (int i = 0; i < m->nv; i++) {
        total[i] = acc[i] + sim->answer.push[i];
    }
    thud_dynamics_rnea(m, NULL, sim->d, bias);
    thud_dynamics_rnea(m, total, sim->d, felt); // without the contacts, whose share is part of the scale
    for (int i = 0; i < m->nv; i++) {
        felt[i] = fabs(felt[i] - bias[i]) + fabs(sim->force.tau[i]) + fabs(bias[i]);
    }
    sim_forget_motion(sim);
    subtract_wrenches(sim, h);
    thud_dynamics_rnea(m, total, sim->d, error);
    for (int i = 0; i < m->nv; i++) {
        error[i] += sim->d->implicit[i] * total[i] - sim->force.tau[i];
    }
    return judge_trees(sim, h, false, felt, error);
}

// ---------------------------------------------------------------------------------------------- velocities

// A body at rest is brought to rest by less than any limit here (go.c).
static void judge_velocities(const thud_sim *sim, double h)
{
    const double fall = sim->g * sim->o.h; // what rests is told by the whole step
    for (int i = 0; i < sim->m->nv; i++) {
        const double gain = h * (sim->fall.acc[i] + sim->answer.push[i]),
                     size = fabs(sim->begun.v_start[i]) + fabs(gain) + fall;
        const double off = fabs(sim->go.v_next[i] - sim->begun.v_start[i] - gain);
        if (!(off <= WRONG_SPEED * size)) {
            doubts_raise(sim->judge.doubts, THUD_DOUBT_SPEED, doubt_at_joint(sim->m, sim->m->dof_link[i]),
                         off / size, WRONG_SPEED);
        }
    }
}

// ---------------------------------------------------------------------------------------------- law of contact

typedef struct meeting { // a contact after a substep
    const touch *t;
    const thud_block *b;
    const double *p;
    double mu[2]; // along the tangents
    double y[3];  // see above
    double speed; // m/s: of both bodies there, before or after
} meeting;

static double length2(double x, double y)
{
    return sqrt(x * x + y * y);
}

// V: at the start of the substep, V_hat: at its end; both where the links are.
static meeting meet(const thud_sim *sim, const thud_island *island, int k, double h)
{
    const thud_block *b = &island->block[k];
    const touch *t = &sim->sight.touch[b->source];
    meeting c = {.t = t, .b = b, .p = island->p + b->row};
    double before[3], after[3], most = 0;
    c.speed = thud_max(sim_speeds(sim, sim->fall.V, t->contact, b->point),
                       sim_speeds(sim, sim->fall.V_hat, t->contact, b->point));
    sim_slip(sim, sim->fall.V, t->contact, b->point, b->frame, before);
    sim_slip(sim, sim->fall.V_hat, t->contact, b->point, b->frame, after);
    for (int r = 0; r < 3; r++) {
        most = thud_max(most, fabs(before[r] - t->u[r]));
    }
    for (int r = 0; r < 3; r++) {
        c.y[r] = after[r] + (most > LEAST_TURN * sim->g * h ? before[r] - t->u[r] : 0);
    }
    c.y[0] += sim_closing(sim, t->phi, h);
    thud_contact_friction(&t->contact->law, length2(t->u[1], t->u[2]), c.mu);
    return c;
}

// How far from its law, as a part of the impulse P and the speed U. Friction that turns and rolls shares the cone: it is
// then bounded, and no more is said.
static double miss_of(const meeting *c, double P, double U)
{
    const double *p = c->p, *y = c->y;
    double worst = thud_max(-p[0] / P, thud_max(-y[0] / U, thud_min(p[0] / P, y[0] / U)));
    if (c->b->dim < 3 || !(c->mu[0] > 0) || !(c->mu[1] > 0)) {
        return worst;
    }
    const double most = p[0] > 0 ? p[0] : 0, a = p[1] / c->mu[0], b = p[2] / c->mu[1];
    worst = thud_max(worst, (length2(a, b) - most) / P);
    const double s = c->mu[0] * y[1], t = c->mu[1] * y[2], slip = length2(s, t);
    if (c->b->dim == 3 && slip > 0) { // sticks, or friction is all there is and against the slip
        const double off = length2(a + most * s / slip, b + most * t / slip);
        worst = thud_max(worst, thud_min(length2(y[1], y[2]) / U, off / P));
    }
    return worst;
}

static bool carries(const meeting *c)
{
    bool any = false;
    for (int r = 0; r < c->b->dim; r++) {
        any = any || c->p[r] != 0;
    }
    return any;
}

static void judge_island(thud_sim *sim, const thud_island *island, double h)
{
    double P = 0, U = sim->g * h;
    for (int k = 0; k < island->blocks; k++) {
        const thud_block *b = &island->block[k];
        for (int r = 0; r < b->dim; r++) {
            const int row = b->row + r;
            P = thud_max(P, b->kind == THUD_BLOCK_CONTACT ? fabs(island->p[row]) : 0);
            U = thud_max(U, thud_max(fabs(island->u_free[row]), fabs(island->u_before[row])));
        }
    }
    const double asked = sim->judge.c.accepted > 0 ? thud_max(sim->o.law.tolerance, sim->o.accept_tolerance)
                                                   : sim->o.law.tolerance;
    const double limit = WRONG_CONTACT + 10 * asked;
    for (int k = 0; P > 0 && k < island->blocks; k++) {
        if (island->block[k].kind == THUD_BLOCK_CONTACT) {
            const meeting c = meet(sim, island, k, h);
            double miss = miss_of(&c, P, U);
            if (carries(&c)) {
                miss = thud_max(miss, sim_misplaced(sim, c.t->contact, c.b, c.speed, h));
                sim_judge_spin(sim, c.t->contact, h);
            }
            if (!(miss <= limit)) {
                doubts_raise(sim->judge.doubts, THUD_DOUBT_LAW_OF_CONTACT,
                             doubt_between_geoms(sim->m, c.b->geom1, c.b->geom2), miss, limit);
            }
        }
    }
}

static void judge_contacts(thud_sim *sim, double h)
{
    if (sim_by_events(sim) || sim_ask(sim) != THUD_ASK_GAP) {
        return;
    }
    thud_dynamics_twists(sim->m, sim->d, sim->begun.v_start, sim->fall.V);
    thud_dynamics_twists(sim->m, sim->d, sim->go.v_next, sim->fall.V_hat);
    sim->sight.here.twisted = -1;
    for (int i = 0; i < thud_rows_islands(sim->ask.rows); i++) {
        const thud_island island = thud_rows_island(sim->ask.rows, i);
        judge_island(sim, &island, h);
    }
}

// ---------------------------------------------------------------------------------------------- work

// A servo's force as the substep took it, a part of it ahead: what a stiff one does in a coarse step is not what it would
// do at its mean. RK4 takes several and is judged by the mean.
static double servo_work(const thud_sim *sim, double h)
{
    double work = 0;
    if (!sim->force.driven || sim->scheme == THUD_INTEGRATOR_RK4) {
        return 0;
    }
    for (int i = 0; i < sim->m->nv; i++) {
        const double ahead = sim->force.ahead[i],
                     given = ahead * (sim->force.servo_d[i] + ahead * sim->force.servo_k[i]);
        const double force = sim->force.pull[i] - given * (sim->fall.acc[i] + sim->answer.push[i]);
        work += h * force * 0.5 * (sim->begun.v_start[i] + sim->go.v_next[i]);
    }
    return work;
}

// An impulse works at the mean of the velocities before and after.
static double constraint_work(thud_sim *sim)
{
    double work = 0, *mean = sim->go.u[3];
    for (int i = 0; i < sim->m->nv; i++) {
        mean[i] = 0.5 * (sim->begun.v_start[i] + sim->go.v_next[i]);
    }
    thud_dynamics_twists(sim->m, sim->d, mean, sim->fall.V);
    sim->sight.here.twisted = -1;
    for (int i = 0; i < sim->m->joints; i++) {
        work += v3_dot(sim->answer.wrench[i].ang, sim->fall.V[i].ang) +
                v3_dot(sim->answer.wrench[i].lin, sim->fall.V[i].lin);
    }
    return work;
}

// ---------------------------------------------------------------------------------------------- all

// The search for the moment of a collision leaves the links where its last attempt ended.
static void return_links(thud_sim *sim)
{
    if ((!sim->bounces && !sim->strike.locates) ||
        same_numbers(sim->m->nq, sim->fall.q_placed, sim->fall.q)) {
        return;
    }
    sim_place(sim, sim->fall.q);
    sim_move(sim, sim->fall.v);
    if (sim->m->carries_weight) {
        thud_dynamics_carry(sim->m, sim->d);
    }
    if (sim->m->has_drag) {
        thud_dynamics_drag(sim->m, sim->d);
    }
}

void sim_judge(thud_sim *sim, double h)
{
    THUD_ASSERT(sim->judge.certify && h > 0);
    return_links(sim);
    sim->judge.servo_work += servo_work(sim, h);
    if (sim->constrained) {
        find_wrenches(sim, sim->answer.wrench);
        judge_contacts(sim, h);
        sim->judge.c.contact_work += constraint_work(sim);
    }
    if (!sim_by_events(sim)) {
        judge_velocities(sim, h);
    }
    const double motion = judge_motion(sim, h);
    sim->judge.c.momentum = motion <= sim->judge.c.momentum ? sim->judge.c.momentum : motion;
}

void sim_judge_collision(thud_sim *sim)
{
    if (!sim->judge.certify) {
        return;
    }
    const thud_model *m = sim->m;
    double *felt = sim->go.u[0], *bias = sim->go.u[1], *error = sim->go.u[3];
    find_wrenches(sim, sim->answer.wrench);
    thud_dynamics_rnea(m, NULL, sim->d, bias);
    thud_dynamics_rnea(m, sim->answer.push, sim->d, felt);
    subtract_wrenches(sim, 1);
    thud_dynamics_rnea(m, sim->answer.push, sim->d, error);
    for (int i = 0; i < m->nv; i++) {
        error[i] -= bias[i];
        felt[i] = fabs(felt[i] - bias[i]);
    }
    sim_forget_motion(sim);
    const double motion = judge_trees(sim, 1, true, felt, error);
    sim->judge.c.momentum = motion <= sim->judge.c.momentum ? sim->judge.c.momentum : motion;
}
