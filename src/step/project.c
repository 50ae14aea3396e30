// SPDX-License-Identifier: Apache-2.0
// project.c: positions after a step, moved to where nothing overlaps and no loop is open. [theory 3, 7]
//
//     least dq^T M dq / 2   with   phi + J_n dq >= 0,   g + J_b dq = 0        linearised, repeated
//
// Velocities are left alone; the energy it costs (potential, and kinetic where M depends on q) is booked. A
// step that closed a gap ends half a step too deep (its positions moved with the mean of the old and new
// velocity) and is put back to the surface here.
//
// Fails    where the constraints contradict each other: what is left is in the certificate as penetration or
//          drift.
// Cost     one query; a factor and a small problem only when something is violated.
#include <math.h>
#include <string.h>

#include <thud/spatial_inline.h>

#include "sim.h"

// m: overlaps that are put right become this much. What may overlap by less than the slop makes way for it within that, so
// that a rough correction ends a few bodies away; one to the surface would lift all that lies above.
static double rest(const thud_sim *sim)
{
    return sim_rough(sim) ? 0.5 * sim_slop(sim) : 0;
}

// Whether only what is near an overlap is moved: who wants exact positions has everything put right.
static bool moves_locally(const thud_sim *sim)
{
    return sim_rough(sim) && !sim->loops;
}

enum { MOST_ROUNDS = 8 };

enum { SHARE = 512 }; // contacts that one thread looks at

typedef struct search {
    const thud_sim *sim;
    double *worst; // of each share
} search;

static double deepest_of(const thud_contact_set *set, int first, int end)
{
    double worst = 0;
    for (int i = first; i < end; i++) {
        worst = greater_of(-set->contact[i].phi, worst);
    }
    return worst;
}

static void search_some(void *of, int first, int end, int worker)
{
    const search *a = of;
    const thud_contact_set *set = a->sim->here.set;
    (void)worker;
    for (int k = first; k < end; k++) {
        a->worst[k] = deepest_of(set, k * SHARE, thud_share_end(k, SHARE, set->count));
    }
}

// The deepest overlap. false: scratch is too small.
static bool find_deepest(const thud_sim *sim, double *worst)
{
    const int shares = sim->collider ? (sim->here.set->count + SHARE - 1) / SHARE : 0;
    if (shares <= 1) {
        *worst = shares == 1 ? deepest_of(sim->here.set, 0, sim->here.set->count) : 0;
        return true;
    }
    const size_t mark = thud_arena_mark(sim->scratch);
    search a = {sim, thud_arena_push(sim->scratch, (size_t)shares, sizeof *a.worst)};
    if (!a.worst) {
        return false;
    }
    thud_pool_run(sim->pool, shares, 2, search_some, &a);
    *worst = 0;
    for (int k = 0; k < shares; k++) {
        *worst = greater_of(a.worst[k], *worst);
    }
    thud_arena_release(sim->scratch, mark);
    return true;
}

// Contacts that are or might come to be violated, in so many layers around those that are: rows in metres instead of metres a
// second. Their memory is the arena's, until the rows are prepared.
static thud_status add_contacts(thud_sim *sim, double reach, int layers)
{
    const double allowed = moves_locally(sim) ? sim_slop(sim) : -INFINITY;
    const size_t room = (size_t)sim->here.set->count;
    int *number = thud_arena_push(sim->scratch, room, sizeof *number);
    const int count = number ? neighbourhood_find(sim, reach, allowed, layers, number) : -1;
    thud_contact_now *gap = thud_arena_push(sim->scratch, room, sizeof *gap);
    if (count < 0 || !gap) {
        return THUD_NO_MEMORY;
    }
    for (int k = 0; k < count; k++) {
        const thud_contact *c = &sim->here.set->contact[number[k]];
        const double phi = c->phi + rest(sim);
        gap[k] = (thud_contact_now){.contact = c,
                                    .point = c->point,
                                    .normal = c->normal,
                                    .phi = phi,
                                    .b = phi,
                                    .dim = 1,
                                    .source = number[k]};
    }
    return thud_rows_add_contacts(sim->rows, &(thud_contact_asked){.ask = THUD_ASK_GIVEN}, gap, count);
}

static thud_status make_rows(thud_sim *sim, double reach, int layers)
{
    thud_rows_begin(sim->rows, sim->d, 1);
    THUD_TRY(layers > 0 ? add_contacts(sim, reach, layers) : THUD_OK);
    THUD_TRY(loops_correct(sim, reach));
    memset(sim->V_hat, 0, (size_t)sim->m->joints * sizeof *sim->V_hat);
    return thud_rows_prepare(sim->rows, sim->V_hat, sim->V_hat, NULL, 0, 0);
}

static thud_status assemble(thud_sim *sim, double reach, int layers)
{
    const size_t mark = thud_arena_mark(sim->scratch);
    const thud_status status = make_rows(sim, reach, layers);
    thud_arena_release(sim->scratch, mark);
    return status;
}

static bool moves(const thud_sim *sim, int joint)
{
    bool any = false;
    for (int i = sim->m->joint_v[joint]; i < sim->m->joint_v[joint] + sim->m->joint_dofs[joint]; i++) {
        any = any || sim->v[i] != 0;
    }
    return any;
}

void sim_move_some(thud_sim *sim)
{
    const int joints = sim->m->joints;
    for (int first = 0, end; first < joints; first = end + 1) {
        end = first;
        while (end < joints && moves(sim, end)) {
            end++;
        }
        thud_qpos_integrate_part(sim->m, first, end, sim->q_next, sim->v, 1,
                                 sim->q_next); // none: the first stays
    }
}

// Overlaps that cannot all be undone (shapes of one robot that its joints do not part) ask for what no motion gives. They
// come as near to it as they can, by springs this much softer than the bodies are heavy.
static const double SOFT = 1e-4;

static substep_result correct_with(thud_sim *sim, double reach, int layers)
{
    if (!sim_factor(sim, sim->q_next)) {
        return SUBSTEP_FAILED;
    }
    const thud_status status = assemble(sim, reach, layers);
    if (status != THUD_OK) {
        return substep_of(status);
    }
    thud_law_options o = sim->o.law;
    o.law = THUD_LAW_CONE;
    o.solver = THUD_SOLVER_AUTO;
    o.tolerance = thud_max(1e-6, o.tolerance);
    o.brief = true;
    sim_solve_islands(sim, &o, NULL); // judged by the next query
    sim_solve_softly(sim, &o, SOFT);
    for (int i = 0; i < thud_rows_islands(sim->rows); i++) {
        if (sim->verdict[i].status != THUD_OK) {
            return substep_of(sim->verdict[i].status);
        }
    }
    thud_rows_respond(sim->rows, sim->d, sim->v);
    if (moves_locally(sim)) {
        sim_move_some(sim);
    } else {
        sim_integrate(sim, sim->q_next, sim->v, 1, sim->q_next);
    }
    return SUBSTEP_DONE;
}

static void swap_rows(thud_sim *sim)
{
    thud_rows *rows = sim->rows;
    sim->rows = sim->other_rows;
    sim->other_rows = rows;
}

// The step's own problem stays as it was solved: thud_sim_rows shows it.
static substep_result correct(thud_sim *sim, double reach, int layers)
{
    swap_rows(sim);
    const substep_result result = correct_with(sim, reach, layers);
    swap_rows(sim);
    return result;
}

static double energy(thud_sim *sim) // at (q_next, v_next)
{
    const thud_energy e = sim_energy_at(sim, sim->q_next, sim->v_next);
    return e.kinetic + e.potential;
}

typedef struct errors { // at q_next
    double drift;       // of joints and loops
    double beside;      // of loops, which nothing can put right
    double worst;       // of overlaps and drift
    bool blind;         // nobody looked for overlaps
} errors;

// By a fresh query. Where nothing came near in the substep joints are looked at before (early): they are put right first, and one
// query does for both.
static substep_result measure(thud_sim *sim, double h, bool early, errors *of)
{
    if (early) {
        sim_place_frames(sim, sim->q_next);
        of->drift = of->worst = loops_error(sim, sim->q_next, &of->beside);
        of->blind = of->drift > sim_slop(sim);
        if (of->blind) {
            return SUBSTEP_DONE;
        }
    }
    const thud_status status = touch_query(sim, sim->q_next, sim->v_next, h);
    if (status != THUD_OK) {
        return substep_of(status);
    }
    if (!find_deepest(sim, &sim->c.penetration)) {
        return SUBSTEP_NO_MEMORY;
    }
    of->drift = early ? of->drift : loops_error(sim, sim->q_next, &of->beside);
    of->worst = greater_of(of->drift, sim->c.penetration);
    of->blind = false;
    sim->c.joint_drift = thud_max(of->drift, of->beside);
    return SUBSTEP_DONE;
}

// Back to the best positions met: deep overlaps whose ways out contradict each other get worse by corrections.
static substep_result take_back(thud_sim *sim, double h)
{
    errors of;
    memcpy(sim->q_next, sim->q, (size_t)sim->m->nq * sizeof(double));
    return measure(sim, h, false, &of);
}

// What the rounds of a correction have come to.
typedef struct progress {
    double best, last; // errors: the least met, at (sim->q), and that of the round before
    double drift;      // of joints and loops, at the best
    int worse;         // rounds that did not help: one may uncover what the query before did not list
    bool apart;        // joints and loops were put right without the contacts
} progress;

static bool look(thud_sim *sim, progress *p, const errors *of)
{
    const bool helped = of->worst < p->last;
    p->worse += !helped;
    p->last = of->worst;
    if (of->worst < p->best) {
        p->best = of->worst;
        p->drift = of->drift;
        sim_copy_numbers(sim, sim->m->nq, sim->q_next, sim->q);
    }
    return helped;
}

// The shortest way out of a deep overlap may lead away from where a joint's limit or a loop wants it (fingers that start
// inside each other, on the wrong side of their limits). Those are sure of their way: once, they go it alone, from the best
// place met, and a fresh query finds what overlaps there.
static bool goes_apart(const thud_sim *sim, progress *p)
{
    if (p->apart || p->drift <= sim_slop(sim)) {
        return false;
    }
    memcpy(sim->q_next, sim->q, (size_t)sim->m->nq * sizeof(double));
    *p = (progress){p->best, INFINITY, p->drift, 0, true};
    return true;
}

substep_result sim_project(thud_sim *sim, double h)
{
    enum {
        LAYERS = 3
    }; // around what overlaps: moved first. Then twice as many, or all where that did not help
    progress p = {.best = INFINITY, .last = INFINITY};
    errors of;
    nudged first;
    const thud_status status = sim_nudge(sim, h, &first);
    if (status != THUD_OK) {
        return substep_of(status);
    }
    double start = first.energy.kinetic + first.energy.potential;
    for (int round = 0, layers = LAYERS;; round++) {
        substep_result result = measure(sim, h, round == 0 && sim->loops && sim->touches == 0, &of);
        if (result != SUBSTEP_DONE) {
            return result;
        }
        const bool right = of.worst <= sim_slop(sim);
        sim->misfit = round == 0 ? greater_of(of.worst, sim->misfit) : sim->misfit;
        if (round == 0 && right) { // nearly always
            sim->c.projected += first.moved && sim->certify ? energy(sim) - start : 0;
            return SUBSTEP_DONE;
        }
        const bool helped = look(sim, &p, &of), stuck = round >= MOST_ROUNDS || p.worse > 1;
        layers = of.blind ? 0 : round == 0 ? LAYERS : helped && layers > 0 ? 2 * layers : sim->m->joints;
        if (!right && stuck && goes_apart(sim, &p)) {
            layers = 0;
        } else if (right || stuck) {
            result = of.worst > p.best ? take_back(sim, h) : SUBSTEP_DONE;
            sim->c.projected += (round > 0 || first.moved) && sim->certify ? energy(sim) - start : 0;
            return result;
        }
        start = round == 0 && !first.moved && sim->certify ? energy(sim) : start;
        result = correct(sim, of.worst + sim_slop(sim), layers);
        if (result != SUBSTEP_DONE) {
            return result;
        }
        sim->c.projections++;
    }
}
