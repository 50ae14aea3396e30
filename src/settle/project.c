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

#include "corrections.h"

// m: overlaps that are put right become this much. What may overlap by less than the slop makes way for it within that, so
// that a rough correction ends a few bodies away; one to the surface would lift all that lies above.
static double rest(const thud_sim *sim)
{
    return sim_rough(sim) ? 0.5 * sim_slop(sim) : 0;
}

// Whether only bodies near an overlap are moved: at sharp tolerances all positions are put right.
static bool moves_locally(const thud_sim *sim)
{
    return sim_rough(sim) && !sim->ask.loops;
}

enum { MOST_ROUNDS = 8 };

enum { SHARE = 512 }; // contacts that one thread looks at

typedef struct deepest { // m
    double all, worst;   // of all overlaps, of those that are to be put right
} deepest;

typedef struct search {
    const thud_sim *sim;
    deepest *share;
} search;

static deepest deepest_of(const thud_sim *sim, int first, int end)
{
    const thud_contact_set *set = sim->sight.here.set;
    const double slop = sim_slop(sim);
    deepest of = {0, 0};
    for (int i = first; i < end; i++) {
        const double depth = -set->contact[i].phi;
        of.all = greater_of(depth, of.all);
        if (depth > of.worst && (depth <= slop || settle_counts(sim, &set->contact[i]))) {
            of.worst = depth;
        }
    }
    return of;
}

static void search_some(void *of, int first, int end, int worker)
{
    const search *a = of;
    (void)worker;
    for (int k = first; k < end; k++) {
        a->share[k] = deepest_of(a->sim, k * SHARE, thud_share_end(k, SHARE, a->sim->sight.here.set->count));
    }
}

// The deepest overlaps. false: scratch is too small.
static bool find_deepest(const thud_sim *sim, deepest *of)
{
    const int shares = sim->sight.collider ? (sim->sight.here.set->count + SHARE - 1) / SHARE : 0;
    *of = (deepest){0, 0};
    if (shares <= 1) {
        *of = shares == 1 ? deepest_of(sim, 0, sim->sight.here.set->count) : *of;
        return true;
    }
    const size_t mark = thud_arena_mark(sim->answer.scratch);
    search a = {sim, thud_arena_push(sim->answer.scratch, (size_t)shares, sizeof *a.share)};
    if (!a.share) {
        return false;
    }
    thud_pool_run(sim->pool, shares, 2, search_some, &a);
    for (int k = 0; k < shares; k++) {
        of->all = greater_of(a.share[k].all, of->all);
        of->worst = greater_of(a.share[k].worst, of->worst);
    }
    thud_arena_release(sim->answer.scratch, mark);
    return true;
}

// Contacts that are or might come to be violated, in so many layers around those that are: rows in metres instead of metres a
// second. Their memory is the arena's, until the rows are prepared.
static thud_status add_contacts(thud_sim *sim, double reach, int layers)
{
    THUD_ASSERT(layers > 0 && sim->sight.here.set);
    const double allowed = moves_locally(sim) ? sim_slop(sim) : -INFINITY;
    const size_t room = (size_t)sim->sight.here.set->count;
    int *number = thud_arena_push(sim->answer.scratch, room, sizeof *number);
    const int count = number ? neighbourhood_find(sim, reach, allowed, layers, number) : -1;
    thud_contact_now *gap = thud_arena_push(sim->answer.scratch, room, sizeof *gap);
    if (count < 0 || !gap) {
        return THUD_NO_MEMORY;
    }
    int rows = 0;
    for (int k = 0; k < count; k++) {
        const thud_contact *c = &sim->sight.here.set->contact[number[k]];
        const double phi = c->phi + rest(sim);
        if (settle_counts(sim, c)) {
            gap[rows++] = (thud_contact_now){.contact = c,
                                             .point = c->point,
                                             .normal = c->normal,
                                             .phi = phi,
                                             .b = phi,
                                             .dim = 1,
                                             .source = number[k]};
        }
    }
    return thud_rows_add_contacts(sim->ask.rows, &(thud_contact_asked){.ask = THUD_ASK_GIVEN}, gap, rows);
}

static thud_status make_rows(thud_sim *sim, double reach, int layers)
{
    thud_rows_begin(sim->ask.rows, sim->d, 1);
    THUD_TRY(layers > 0 ? add_contacts(sim, reach, layers) : THUD_OK);
    THUD_TRY(loops_correct(sim, reach));
    memset(sim->fall.V_hat, 0, (size_t)sim->m->joints * sizeof *sim->fall.V_hat);
    return thud_rows_prepare(sim->ask.rows, sim->fall.V_hat, sim->fall.V_hat, NULL, 0, 0);
}

static thud_status assemble(thud_sim *sim, double reach, int layers)
{
    const size_t mark = thud_arena_mark(sim->answer.scratch);
    const thud_status status = make_rows(sim, reach, layers);
    thud_arena_release(sim->answer.scratch, mark);
    return status;
}

static substep_result correct_with(thud_sim *sim, double reach, int layers)
{
    if (!sim_factor(sim, sim->go.q_next)) {
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
    const thud_status settled = settle_islands(sim, &o); // judged by the next query
    if (settled != THUD_OK) {
        return substep_of(settled);
    }
    if (moves_locally(sim)) {
        sim_move_some(sim);
    } else {
        sim_integrate(sim, sim->go.q_next, sim->go.dq, 1, sim->go.q_next);
    }
    return SUBSTEP_DONE;
}

static void swap_rows(thud_sim *sim)
{
    thud_rows *rows = sim->ask.rows;
    sim->ask.rows = sim->ask.other_rows;
    sim->ask.other_rows = rows;
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
    const thud_energy e = sim_energy_at(sim, sim->go.q_next, sim->go.v_next);
    return e.kinetic + e.potential;
}

typedef struct errors { // at q_next
    double drift;       // of joints and loops
    double beside;      // of loops, which nothing can put right
    double worst;       // of overlaps and drift
    bool blind;         // overlaps were not looked for
} errors;

// By a fresh query. Where nothing came near in the substep joints are looked at before (early): they are put right first, and one
// query does for both.
static substep_result measure(thud_sim *sim, double h, bool early, errors *of)
{
    if (early) {
        sim_place_frames(sim, sim->go.q_next);
        of->drift = of->worst = loops_error(sim, sim->go.q_next, &of->beside);
        of->blind = of->drift > sim_slop(sim);
        if (of->blind) {
            return SUBSTEP_DONE;
        }
    }
    const thud_status status = touch_query(sim, sim->go.q_next, sim->go.v_next, h);
    if (status != THUD_OK) {
        return substep_of(status);
    }
    deepest deep;
    if (!find_deepest(sim, &deep)) {
        return SUBSTEP_NO_MEMORY;
    }
    sim->judge.c.penetration = deep.all;
    of->drift = early ? of->drift : loops_error(sim, sim->go.q_next, &of->beside);
    of->worst = greater_of(of->drift, deep.worst);
    of->blind = false;
    sim->judge.c.joint_drift = thud_max(of->drift, of->beside);
    return SUBSTEP_DONE;
}

// Back to the best positions met: deep overlaps whose ways out contradict each other get worse by corrections.
static substep_result take_back(thud_sim *sim, double h)
{
    errors of;
    memcpy(sim->go.q_next, sim->fall.q, (size_t)sim->m->nq * sizeof(double));
    return measure(sim, h, false, &of);
}

// The state of the rounds of a correction.
typedef struct progress {
    double best, last; // errors: the least met, at (sim->fall.q), and that of the round before
    double drift;      // of joints and loops, at the best
    int worse;         // rounds that did not help: one may uncover what the query before did not list
    bool apart;        // joints and loops were put right without the contacts
} progress;

// Positions that are too far from those that were found are not better than these.
static bool look(thud_sim *sim, progress *p, const errors *of, int round)
{
    const bool too_far = round > 0 && of->worst < p->best && sim_projected_too_far(sim);
    const bool helped = of->worst < p->last && !too_far;
    p->worse += too_far ? 2 : !helped;
    p->last = of->worst;
    if (of->worst < p->best && !too_far) {
        p->best = of->worst;
        p->drift = of->drift;
        sim_copy_numbers(sim, sim->m->nq, sim->go.q_next, sim->fall.q);
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
    memcpy(sim->go.q_next, sim->fall.q, (size_t)sim->m->nq * sizeof(double));
    *p = (progress){p->best, INFINITY, p->drift, 0, true};
    return true;
}

// Pairs whose overlap the last correction left as it was stay as they are: all else goes on from the best place met without them.
static bool goes_without(thud_sim *sim, progress *p, const overlaps *before, bool stuck)
{
    static const double SMALL = 1e-4; // m: of less one round may not help and the next one all the same
    overlaps after;
    if (before->count == 0 || (!stuck && (moves_locally(sim) || p->last < SMALL))) {
        return false;
    }
    settle_list(sim, &after);
    if (!settle_give_up(sim, before, &after)) {
        return false;
    }
    memcpy(sim->go.q_next, sim->fall.q, (size_t)sim->m->nq * sizeof(double));
    *p = (progress){.best = INFINITY, .last = INFINITY, .apart = p->apart};
    return true;
}

substep_result sim_project(thud_sim *sim, double h)
{
    THUD_ASSERT(h > 0 && sim->constrained);
    enum {
        LAYERS = 3
    }; // around what overlaps: moved first. Then twice as many, or all where that did not help
    progress p = {.best = INFINITY, .last = INFINITY};
    errors of;
    nudged first;
    overlaps before;
    before.count = sim->go.given_up.count = 0;
    const thud_status status = sim_nudge(sim, h, &first);
    if (status != THUD_OK) {
        return substep_of(status);
    }
    double start = first.energy.kinetic + first.energy.potential;
    for (int round = 0, layers = LAYERS;; round++) {
        if (sim_cancelled(sim)) {
            return SUBSTEP_CANCELLED;
        }
        substep_result result = measure(sim, h, round == 0 && sim->ask.loops && sim->sight.touches == 0, &of);
        if (result != SUBSTEP_DONE) {
            return result;
        }
        const bool right = of.worst <= sim_slop(sim);
        sim->go.misfit = round == 0 ? greater_of(of.worst, sim->go.misfit) : sim->go.misfit;
        if (round == 0 && right) { // nearly always
            sim->judge.c.projected += first.moved && sim->judge.certify ? energy(sim) - start : 0;
            return SUBSTEP_DONE;
        }
        const bool helped = look(sim, &p, &of, round), stuck = round >= MOST_ROUNDS || p.worse > 1;
        layers = of.blind ? 0 : round == 0 ? LAYERS : helped && layers > 0 ? 2 * layers : sim->m->joints;
        if (!right && round > 0 && round < MOST_ROUNDS && goes_without(sim, &p, &before, stuck)) {
            continue;
        }
        if (!right && stuck && goes_apart(sim, &p)) {
            layers = 0;
        } else if (right || stuck) {
            result = p.last > p.best || p.worse > 1 ? take_back(sim, h) : SUBSTEP_DONE;
            sim->judge.c.projected +=
                (round > 0 || first.moved) && sim->judge.certify ? energy(sim) - start : 0;
            return result;
        }
        start = round == 0 && !first.moved && sim->judge.certify ? energy(sim) : start;
        settle_list(sim, &before);
        result = correct(sim, of.worst + sim_slop(sim), layers);
        if (result != SUBSTEP_DONE) {
            return result;
        }
        sim->judge.c.projections++;
    }
}

substep_result settle_positions(thud_sim *sim, double h)
{
    THUD_ASSERT(sim->constrained);
    const int before = sim->judge.c.projections;
    sim_copy_numbers(sim, sim->m->nq, sim->go.q_next, sim->go.q_found);
    sim->go.misfit = 0;
    const substep_result result = sim_project(sim, h);
    if (result == SUBSTEP_DONE && sim->judge.certify && sim->judge.c.projections > before) {
        sim_judge_projection(sim);
    }
    if (result == SUBSTEP_DONE && sim->judge.certify) {
        sim_judge_way(sim);
    }
    return result;
}
