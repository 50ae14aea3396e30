// SPDX-License-Identifier: Apache-2.0
// solve_islands.c: who solves an island: sweeps that need no W, the law with its W, or both, and what came of it.
#include <stdio.h>
#include <string.h>

#include "sim.h"

// A sentence about an island that was not solved, for thud_sim_reason.
static void tell(thud_sim *sim, int blocks, const thud_law_report *r)
{
    if (strcmp(r->outcome, "too-large") == 0) {
        (void)snprintf(sim->answer.reason, sizeof sim->answer.reason,
                       "%d contacts and constraints in one island are too many for a law that is a linear "
                       "complementarity problem (%d unknowns at most); the cone takes any number",
                       blocks, THUD_LAW_UNKNOWNS);
    } else {
        (void)snprintf(sim->answer.reason, sizeof sim->answer.reason,
                       "an island of %d contacts and constraints ended as '%s' (%s) with a residual of %.2g",
                       blocks, r->outcome, thud_solver_name(r->solver), r->residual);
    }
}

static void solve_one(const thud_sim *sim, const thud_law_options *o, const thud_island *island,
                      thud_arena *scratch, verdict *v)
{
    v->law = thud_law_solve(island, o, scratch);
    v->status = strcmp(v->law.outcome, "no-memory") == 0 ? THUD_NO_MEMORY : v->status;
    v->cone = !law_is_exact(o->law) && sim->judge.certify ? thud_law_cone_residual(island, scratch) : 0;
}

enum { MANY = 400 }; // blocks: an island that the threads share within

static bool is_crowd(const thud_sim *sim)
{
    enum { CROWD = 20 }; // trees
    return sim->d->groves >= CROWD;
}

// An island that the ladder may sweep over without W. In a crowd that falls there are many of a dozen contacts, as hard as large
// ones; elsewhere these are solved sooner with W, and a first round that is exact leaves the second a little less to make good.
static bool is_some(const thud_sim *sim, const thud_standing *island)
{
    enum { SOME = 8, MORE = 20 }; // blocks
    return island->blocks > (is_crowd(sim) ? SOME : MORE);
}

// Whose solver is ours to choose.
static bool is_open(const thud_law_options *o)
{
    return law_is_exact(o->law) && o->solver == THUD_SOLVER_AUTO;
}

// Rough answers of some contacts and more are sought without W, of an island that W can be made of by so many sweeps at most.
enum { FEW_SWEEPS = 64 };
static bool without_delassus(const thud_law_options *o, const thud_standing *island)
{
    enum { FEW = 4 };
    return is_open(o) && o->tolerance > THUD_ROUGH && island->blocks > FEW;
}

static const double NEAR = 1e-6; // a residual: the impulses of the last step all but hold

// What rests in a pile comes to its impulses again and again, a billionth off: loads turn with the bodies that they press
// on, so that even what does not move leaves a residual that grows from step to step. A few sweeps see to that.
static bool all_but_holds(const thud_law_options *o, const thud_standing *island)
{
    enum { CHEAP = 300 }; // rows: a solve of fewer costs little more
    return is_open(o) && o->tolerance <= THUD_ROUGH && island->familiar && island->residual <= NEAR &&
           island->rows > CHEAP;
}

// Where the bodies' motion could not be guessed, a round finds no more than where the next one starts from: some sweeps do, in a
// crowd. An island of a few robots is solved in the time of some sweeps, which hardly converge on redundant contacts.
static bool is_sketch(const thud_sim *sim, const thud_law_options *o, const thud_standing *island)
{
    return sim->begun.sketch && is_crowd(sim) && is_open(o) && o->tolerance <= THUD_ROUGH &&
           is_some(sim, island) && !(island->residual <= NEAR); // then this round may be the last
}

static const double SHARP = 1e-8;  // a residual
static const double SKETCH = 1e-4; // a residual: the next round moves the impulses by several times as much

// Island i by sweeps.
static void sweep_at(const thud_sim *sim, const thud_law_options *o, int i, thud_pool *pool,
                     thud_arena *scratch, verdict *v)
{
    v->status = thud_rows_factor(sim->ask.rows, i, pool, scratch);
    if (v->status == THUD_OK) {
        const thud_island island = thud_rows_island(sim->ask.rows, i);
        solve_one(sim, o, &island, scratch, v);
    }
}

// Island i with its W. Where the quick method does not solve one with loops, these may say the same twice and not quite the same.
static void solve_filled(const thud_sim *sim, const thud_law_options *o, int i, thud_arena *scratch,
                         verdict *v)
{
    const thud_island island = thud_rows_island(sim->ask.rows, i);
    const bool loops = sim->m->equalities > 0 && o->tolerance <= THUD_ROUGH;
    thud_law_options first = *o;
    first.brief = o->brief || (loops && is_open(o));
    solve_one(sim, &first, &island, scratch, v);
    if (v->status != THUD_OK || v->law.solved || !loops) {
        return;
    }
    const int before = v->law.iterations;
    bool changed = false;
    v->status = thud_rows_reconcile(sim->ask.rows, i, scratch, &changed);
    if (v->status == THUD_OK && (changed || first.brief != o->brief)) {
        solve_one(sim, o, &island, scratch, v);
        v->law.iterations += before;
    }
}

// Island i by a law: without W where that will do, which is made where not.
static void solve_at(const thud_sim *sim, const thud_law_options *o, int i, thud_pool *pool,
                     thud_arena *scratch, verdict *v)
{
    const thud_standing island = thud_rows_standing(sim->ask.rows, i);
    bool swept = false; // it has a product with W
    if (is_sketch(sim, o, &island)) {
        thud_law_options rough = *o;
        rough.tolerance = SKETCH;
        v->sketched = true;
        sweep_at(sim, &rough, i, pool, scratch, v);
        return;
    }
    thud_law_options asked = *o;
    if (without_delassus(o, &island)) {
        asked.max_iterations = island.blocks > MANY ? 0 : FEW_SWEEPS;
        sweep_at(sim, &asked, i, pool, scratch, v);
        if (v->status != THUD_OK || v->law.solved || island.blocks > MANY) {
            return; // W of so many would cost more than smaller steps do
        }
        swept = true;
        asked.max_iterations = 0;
        asked.tolerance =
            SHARP; // the last digits cost little with W, and impulses that are exact hold for the next steps
    }
    if (all_but_holds(o, &island)) {
        v->status = thud_rows_factor(sim->ask.rows, i, pool, scratch);
        const thud_island all = thud_rows_island(sim->ask.rows, i);
        if (v->status != THUD_OK || thud_law_touch_up(&all, o, scratch, &v->law)) {
            return;
        }
        swept = true;
    }
    const int before = v->law.iterations;
    v->status = !swept && is_some(sim, &island) ? thud_rows_factor(sim->ask.rows, i, pool, scratch) : THUD_OK;
    v->status = v->status == THUD_OK ? thud_rows_fill(sim->ask.rows, i, scratch) : v->status;
    if (v->status == THUD_OK) {
        solve_filled(sim, &asked, i, scratch, v);
        v->law.iterations += before;
    }
    if (v->status == THUD_OK && !v->law.solved && !swept && is_open(o) && !o->brief) {
        sweep_at(sim, o, i, pool, scratch, v); // few contacts that jam all the same
    }
}

substep_result sim_accept(thud_sim *sim, int blocks, const verdict *v)
{
    if (v->status != THUD_OK) {
        return substep_of(v->status);
    }
    const bool cone = sim_exact(sim);
    sim->judge.c.iterations += v->law.iterations;
    sim->answer.cone_residual = greater_of(cone ? v->law.residual : v->cone, sim->answer.cone_residual);
    sim->answer.lcp_residual = greater_of(cone ? 0 : v->law.residual, sim->answer.lcp_residual);
    if (!v->law.solved) {
        tell(sim, blocks, &v->law);
    }
    return v->law.solved ? SUBSTEP_DONE : SUBSTEP_UNSOLVED;
}

substep_result sim_solve_island(thud_sim *sim, const thud_island *island)
{
    verdict v = {.status = THUD_OK};
    solve_one(sim, &sim->o.law, island, sim->answer.scratch, &v);
    return sim_accept(sim, island->blocks, &v);
}

typedef struct task { // what the threads share
    const thud_sim *sim;
    const thud_law_options *o;
    bool (*held)(const thud_sim *sim, const thud_standing *island);
    bool large; // those of many blocks, or the others
} task;

static void solve_some(void *of, int first, int end, int worker)
{
    const task *t = of;
    const thud_sim *sim = t->sim;
    for (int i = first; i < end; i++) {
        const thud_standing old = thud_rows_standing(sim->ask.rows, i);
        verdict *v = &sim->answer.verdict[i];
        if ((old.blocks > MANY) != t->large) {
            continue;
        }
        *v = (verdict){.held = t->held && t->held(sim, &old)};
        if (!v->held) {
            thud_arena *scratch = sim->answer.scratch_of[worker];
            const size_t mark = thud_arena_mark(scratch);
            solve_at(sim, t->o, i, t->large ? sim->pool : NULL, scratch, v);
            thud_rows_forget(sim->ask.rows, i);
            thud_arena_release(scratch, mark);
        }
    }
}

void sim_solve_islands(thud_sim *sim, const thud_law_options *o,
                       bool (*held)(const thud_sim *sim, const thud_standing *island))
{
    task t = {sim, o, held, true};
    if (thud_rows_blocks(sim->ask.rows) > MANY) {
        solve_some(&t, 0, thud_rows_islands(sim->ask.rows), 0); // one by one
    }
    t.large = false;
    thud_pool_run(sim->pool, thud_rows_islands(sim->ask.rows), 1, solve_some, &t);
}

void sim_solve_softly(thud_sim *sim, const thud_law_options *o, double part)
{
    thud_law_options all = *o;
    all.brief = false;
    for (int i = 0; i < thud_rows_islands(sim->ask.rows); i++) {
        verdict *v = &sim->answer.verdict[i];
        if (v->status != THUD_OK || v->law.solved) {
            continue;
        }
        const size_t mark = thud_arena_mark(sim->answer.scratch);
        thud_rows_soften(sim->ask.rows, i, part);
        solve_at(sim, &all, i, NULL, sim->answer.scratch, v);
        thud_rows_forget(sim->ask.rows, i);
        thud_arena_release(sim->answer.scratch, mark);
    }
}
