// SPDX-License-Identifier: Apache-2.0
// trust.c: whether where a step ended can be believed: what was put right, overlaps, loops and limits, energy. [theory 7]
//
// Every limit is relative to what is there: an overlap to the width of the smaller geom, an open loop to the smaller of its
// bodies, energy to what moved and worked since the sim began to follow this state.
//
// Cost  a pass over the dofs; over contacts, loops and limits only where the worst of them could be doubted.
#include <math.h>

#include <thud/spatial_inline.h>

#include "approach.h"
#include "doubts.h"
#include "loops.h"

// ---------------------------------------------------------------------------------------------- positions put right

// From its root's origin, m.
static double size_of_tree(const thud_sim *sim, const grove_range *r)
{
    double size = 0;
    for (int i = r->link; i < r->link_end; i++) {
        const vec3 away = v3_sub(sim->d->link[i].o, sim->d->link[r->link].o);
        size = thud_max(size, sim->sight.extent[i] + (sim->m->link_parent[i] < 0 ? 0 : v3_norm(away)));
    }
    return size;
}

// How far the points of a link moved, at most.
static double way_of_link(const thud_sim *sim, int i)
{
    return v3_norm(sim->fall.V_hat[i].lin) + sim->sight.extent[i] * v3_norm(sim->fall.V_hat[i].ang);
}

// A body that is put right moves by its error, or, where it has to turn, by the root of error and size.
static double way_allowed(const thud_sim *sim, const grove_range *r, double times)
{
    return times * thud_max(sim->go.misfit, sqrt(sim->go.misfit * size_of_tree(sim, r)));
}

typedef struct farthest { // of a tree
    double way;
    int link;
} farthest;

static farthest farthest_of(const thud_sim *sim, const grove_range *r)
{
    farthest f = {0, r->link};
    for (int i = r->link; i < r->link_end; i++) {
        const double way = way_of_link(sim, i);
        if (!(way <= f.way)) {
            f = (farthest){way, i};
        }
    }
    return f;
}

static void find_ways(thud_sim *sim)
{
    thud_qpos_difference(sim->m, sim->go.q_found, sim->go.q_next, sim->go.u[0]);
    thud_dynamics_twists(sim->m, sim->d, sim->go.u[0], sim->fall.V_hat);
}

bool sim_projected_too_far(thud_sim *sim)
{
    static const double MOST = 3.99; // of 4, as below
    bool too_far = false;
    find_ways(sim);
    for (int g = 0; g < sim->d->groves && !too_far; g++) {
        const grove_range r = sim_range(sim, g, g + 1);
        const double way = farthest_of(sim, &r).way;
        too_far = !(way <= MOST * sim->go.misfit || way <= way_allowed(sim, &r, MOST));
    }
    return too_far;
}

static bool is_in(const thud_sim *sim, const grove_range *r, int body)
{
    const int link = sim->m->body_link[body];
    return link >= r->link && link < r->link_end;
}

// Whether a free body is no farther from something than it was inside it: who is put right ends at the surface. Not asked of trees,
// which may swing past it.
static bool still_touches(const thud_sim *sim, const grove_range *r)
{
    const thud_contact_set *set = sim->sight.here.set;
    const bool free = r->link_end == r->link + 1 && sim->m->joint_type[r->link] == THUD_JOINT_FREE;
    bool touches = !free || sim->ask.loops || !sim->sight.collider;
    for (int i = 0; !touches && i < set->count; i++) {
        const thud_contact *c = &set->contact[i];
        touches = c->phi <= sim->go.misfit && (is_in(sim, r, c->body1) || is_in(sim, r, c->body2));
    }
    return touches;
}

void sim_judge_projection(thud_sim *sim)
{
    THUD_ASSERT(sim->judge.certify);
    static const double MOST = 4;
    find_ways(sim);
    for (int g = 0; g < sim->d->groves; g++) {
        const grove_range r = sim_range(sim, g, g + 1);
        const farthest f = farthest_of(sim, &r);
        const bool turns = f.way > MOST * sim->go.misfit && still_touches(sim, &r);
        for (int i = r.link; i < r.link_end; i++) {
            sim->judge.doubts->explained += sim->g * sim->d->link[i].mass * way_of_link(sim, i);
        }
        doubts_raise(sim->judge.doubts, THUD_DOUBT_MOVED_TOO_FAR, doubt_at_body(sim->m->joint_body[f.link]),
                     f.way, turns ? way_allowed(sim, &r, MOST) : MOST * sim->go.misfit);
    }
}

// ---------------------------------------------------------------------------------------------- overlaps

// The least width of a geom, m; infinite for planes.
double sim_width(const thud_shape *shape)
{
    const double *s = shape->size;
    switch (shape->kind) {
    case THUD_SHAPE_SPHERE:
    case THUD_SHAPE_CAPSULE:
        return 2 * s[0];
    case THUD_SHAPE_CYLINDER:
        return 2 * thud_min(s[0], s[1]);
    case THUD_SHAPE_BOX:
    case THUD_SHAPE_ELLIPSOID:
        return 2 * thud_min(s[0], thud_min(s[1], s[2]));
    case THUD_SHAPE_HULL:
        return 2 * thud_min(shape->hull->half.x, thud_min(shape->hull->half.y, shape->hull->half.z));
    default:
        return INFINITY;
    }
}

static const double OVERLAP = 1e-3; // of the width of the smaller geom

static double least_width(const thud_model *m)
{
    double least = INFINITY;
    for (int g = 0; g < m->geoms; g++) {
        least = touch_can(m, g) ? thud_min(least, sim_width(&m->geom_shape[g])) : least;
    }
    return least;
}

// A free body that overlaps one other alone can always be moved off it, whatever else is said.
static bool is_free_from_others(const thud_sim *sim, int body, int other)
{
    const thud_model *m = sim->m;
    const int link = m->body_link[body];
    bool is =
        link >= 0 && !sim->ask.loops && m->link_parent[link] < 0 && m->joint_type[link] == THUD_JOINT_FREE;
    for (int i = 0; is && i < sim->sight.here.set->count; i++) {
        const thud_contact *c = &sim->sight.here.set->contact[i];
        const bool mine = m->body_link[c->body1] == link || m->body_link[c->body2] == link;
        is = !mine || c->phi > -sim_slop(sim) || c->body1 == other || c->body2 == other;
    }
    return is;
}

static bool cannot_part(const thud_sim *sim, const thud_contact *c)
{
    return !settle_counts(sim, c) && !is_free_from_others(sim, c->body1, c->body2) &&
           !is_free_from_others(sim, c->body2, c->body1);
}

// Deepest overlap where the step ended, m. The query there was made by who put positions right; if nobody did, it is made now.
static double deepest_overlap(thud_sim *sim)
{
    const bool there = sim_by_events(sim) || (sim->sight.here.known &&
                                              same_numbers(sim->m->nq, sim->sight.here.qpos, sim->go.q_next));
    double deepest = 0;
    if (!there && touch_query(sim, sim->go.q_next, sim->go.v_next, sim->o.h) != THUD_OK) {
        return 0; // a step that finds no room for its contacts fails before
    }
    for (int i = 0; i < sim->sight.here.set->count; i++) {
        deepest = thud_max(deepest, -sim->sight.here.set->contact[i].phi);
    }
    return deepest;
}

double sim_least_width(thud_sim *sim)
{
    doubts *d = sim->judge.doubts;
    d->least_width = d->least_width > 0 ? d->least_width : least_width(sim->m);
    return d->least_width;
}

static void judge_overlaps(thud_sim *sim)
{
    const thud_model *m = sim->m;
    doubts *d = sim->judge.doubts;
    if (!sim->sight.collider) {
        return;
    }
    if (deepest_overlap(sim) <= OVERLAP * sim_least_width(sim)) {
        return;
    }
    for (int i = 0; i < sim->sight.here.set->count; i++) {
        const thud_contact *c = &sim->sight.here.set->contact[i];
        const double width =
            thud_min(sim_width(&m->geom_shape[c->geom1]), sim_width(&m->geom_shape[c->geom2]));
        const thud_doubt_where where = doubt_between_geoms(m, c->geom1, c->geom2);
        if (-c->phi <= OVERLAP * width) {
            continue;
        }
        if (cannot_part(sim, c)) {
            doubts_raise(d, THUD_DOUBT_CANNOT_PART, where, -c->phi, OVERLAP * width);
        } else {
            doubts_raise(d, THUD_DOUBT_PENETRATION, where, -c->phi / width, OVERLAP);
        }
    }
}

// ---------------------------------------------------------------------------------------------- loops and limits

static const double OPEN = 1e-4; // of the size of the smaller body; rad

static double extent_of(const thud_sim *sim, int body) // infinite: it does not move
{
    const int link = sim->m->body_link[body];
    return link < 0 || !(sim->sight.extent[link] > 0) ? INFINITY : sim->sight.extent[link];
}

// The error of a loop relative to what it may be: lengths to the smaller body, angles to one.
static void judge_loop(const thud_sim *sim, int e)
{
    const thud_model *m = sim->m;
    const int type = m->eq_type[e];
    double g[6] = {0}, size = 1, worst = 0;
    if (!m->equality_on || !m->eq_active[e]) {
        return;
    }
    thud_doubt_where where = thud_doubt_nowhere();
    if (type == THUD_EQUALITY_TENDON) {
        g[0] = tendon_equality(m, e) ? tendon_equality_error(sim, e) : 0;
    } else {
        loops_errors(sim, e, sim->go.q_next, g);
        if (type == THUD_EQUALITY_JOINT) {
            where = doubt_at_joint(m, m->eq_obj1[e]);
        } else {
            where = doubt_between(m->eq_obj1[e], m->eq_obj2[e]);
            size = thud_min(extent_of(sim, m->eq_obj1[e]), extent_of(sim, m->eq_obj2[e]));
            size = size < INFINITY ? size : 1;
        }
    }
    where.equality = e;
    const int lengths = type == THUD_EQUALITY_SLIDE ? 0 : 3; // rows of points come first
    for (int r = 0; r < 6; r++) {
        const double off = fabs(g[r]) / (r < lengths ? size : 1);
        worst = off <= worst ? worst : off;
    }
    doubts_raise(sim->judge.doubts, THUD_DOUBT_DRIFT, where, worst, OPEN + sim_slop(sim) / thud_min(size, 1));
}

static void judge_limits(const thud_sim *sim)
{
    const thud_model *m = sim->m;
    for (int j = 0; j < m->joints; j++) {
        limit l[2];
        const int count = limits_of(m, j, sim->go.q_next, l);
        const double extent = m->joint_type[j] == THUD_JOINT_SLIDE ? sim->sight.extent[j] : 1,
                     size = extent > 0 ? extent : 1;
        for (int k = 0; k < count; k++) {
            doubts_raise(sim->judge.doubts, THUD_DOUBT_LIMIT, doubt_at_joint(m, j), -l[k].phi / size,
                         OPEN + sim_slop(sim) / size);
        }
    }
    for (int t = 0; m->limit_on && sim->ask.tendon_rows && t < m->tendons; t++) {
        thud_doubt_where where = thud_doubt_nowhere();
        where.tendon = t;
        if (m->tendon_limited[t]) {
            const double room = thud_min(tendon_room(sim, t, 1), tendon_room(sim, t, -1));
            doubts_raise(sim->judge.doubts, THUD_DOUBT_LIMIT, where, -room, OPEN + sim_slop(sim));
        }
    }
}

static void judge_quaternions(const thud_sim *sim)
{
    static const double UNIT = 1e-9;
    const thud_model *m = sim->m;
    for (int j = 0; j < m->joints; j++) {
        const int type = m->joint_type[j];
        if (type == THUD_JOINT_BALL || type == THUD_JOINT_FREE) {
            const double *q = sim->go.q_next + m->joint_q[j] + (type == THUD_JOINT_FREE ? 3 : 0);
            const double off = fabs(sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) - 1);
            doubts_raise(sim->judge.doubts, THUD_DOUBT_QUATERNION, doubt_at_joint(m, j), off, UNIT);
        }
    }
}

static void judge_drift(const thud_sim *sim, double drift)
{
    judge_quaternions(sim);
    if (!sim->ask.loops || drift <= sim_slop(sim)) {
        return;
    }
    tendon_rows_place(sim, sim->go.q_next);
    for (int e = 0; e < sim->m->equalities; e++) {
        judge_loop(sim, e);
    }
    judge_limits(sim);
}

// ---------------------------------------------------------------------------------------------- energy

// J: what it takes to lift everything by a millionth of its size.
static double least_energy(const thud_sim *sim)
{
    static const double LITTLE = 1e-6;
    double sum = 0;
    for (int i = 0; i < sim->m->joints; i++) {
        sum += sim->d->link[i].mass * (sim->constrained ? sim->sight.extent[i] : 1);
    }
    return LITTLE * sim->g * sum + 1e-300;
}

static bool has_springs_in_loops(const thud_model *m) // which store energy that no other sum holds
{
    bool any = false;
    for (int e = 0; e < m->equalities; e++) {
        any = any || m->eq_stiffness[e] > 0;
    }
    return any;
}

static void judge_energy(thud_sim *sim, const thud_certificate *c)
{
    static const double LEFT = 0.05, NOWHERE = 0.75; // of the energy that moved and the work that was done
    doubts *d = sim->judge.doubts;
    ledger *of = &d->ledger;
    if (!of->continues) {
        *of = (ledger){
            .least = least_energy(sim), .springs = has_springs_in_loops(sim->m), .start = c->potential};
    }
    of->potential = thud_max(of->potential, fabs(c->potential - of->start));
    const double put = thud_max(c->projected - d->explained, 0);
    const double gained = of->springs || c->impact_gain > 0 ? 0 : c->contact_work;
    of->kinetic = thud_max(of->kinetic, c->kinetic);
    of->work += fabs(c->work);
    of->contact += gained;
    of->dissipated += thud_max(-c->contact_work, 0);
    of->put += put;
    of->left += c->energy_error;
    const double moved = of->kinetic + of->potential + of->work + of->dissipated + of->least;
    const double from_contact = thud_max(of->contact, gained) / moved, from_put = of->put / moved;
    const thud_doubt_where where = thud_doubt_nowhere();
    doubts_raise(d, THUD_DOUBT_ENERGY_LEFT_OVER, where, fabs(of->left) / moved, LEFT);
    doubts_raise(d, THUD_DOUBT_ENERGY_FROM_NOWHERE, where, of->left / moved, NOWHERE);
    doubts_raise(d, THUD_DOUBT_ENERGY_FROM_NOWHERE, where, thud_max(from_contact, from_put), LEFT);
    if (sim->o.restitution_law == THUD_RESTITUTION_NEWTON) {
        static const double GAIN = 1e-9;
        doubts_raise(d, THUD_DOUBT_IMPACT_GAIN, where, c->impact_gain / moved, GAIN);
    }
}

// ---------------------------------------------------------------------------------------------- truncation

// The second difference of the accelerations of dof i: the least of the last four, so that one jump, of what comes to rest or
// begins to slide, is none.
static double least_second_difference(const thud_sim *sim, const thud_state *s, int i)
{
    const int nv = sim->m->nv;
    const double *D = s->acc + i; // of the step before: differences of orders 0 to 4
    const double a = (sim->go.v_next[i] - s->qvel[i]) / sim->o.h, now = a - D[0] - D[nv], last = D[2 * nv];
    const double before = last - D[3 * nv], first = last - 2 * D[3 * nv] + D[4 * nv];
    return thud_min(thud_min(fabs(now), fabs(last)), thud_min(fabs(before), fabs(first)));
}

// The midpoint rule's own error in a smooth step, about h/12 of the second difference of accelerations, relative to the
// velocities of the same tree. Differences are known from six steps on in which no contact came or went.
static void judge_truncation(const thud_sim *sim, const thud_state *s, const thud_certificate *c)
{
    static const double MOST = 0.01, PART = 1.0 / 12, STILL = 1e-4; // of what a step of free fall adds
    enum { KNOWN = 6 };
    doubts *d = sim->judge.doubts;
    const bool same = d->ledger.continues && c->contacts == d->contacts && c->impacts == 0 && c->split == 0;
    d->smooth = same ? d->smooth + 1 : 0;
    d->contacts = c->contacts;
    if (d->smooth < KNOWN || sim_by_events(sim) || sim->scheme != THUD_INTEGRATOR_MIDPOINT) {
        return;
    }
    const double h = sim->o.h;
    for (int g = 0; g < sim->d->groves; g++) {
        const grove_range r = sim_range(sim, g, g + 1);
        double error[2] = {0, 0}, size[2] = {STILL * sim->g * h, STILL * sim->g * h};
        for (int i = r.v; i < r.v_end; i++) {
            const int linear = sim->d->dof[i].linear != 0;
            error[linear] = thud_max(error[linear], h * PART * least_second_difference(sim, s, i));
            size[linear] =
                thud_max(size[linear], fabs(sim->go.v_next[i]) + fabs(sim->go.v_next[i] - s->qvel[i]));
        }
        for (int linear = 0; linear < 2; linear++) {
            const double part = error[linear] > 0 ? error[linear] / size[linear] : 0;
            doubts_raise(d, THUD_DOUBT_TRUNCATION, doubt_at_body(sim->m->joint_body[r.link]), part, MOST);
        }
    }
}

// ---------------------------------------------------------------------------------------------- all

void sim_judge_end(thud_sim *sim, const thud_state *s, const thud_certificate *c)
{
    judge_overlaps(sim);
    judge_drift(sim, c->joint_drift);
    judge_truncation(sim, s, c);
    judge_energy(sim, c);
}
