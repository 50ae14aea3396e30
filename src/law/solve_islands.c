// SPDX-License-Identifier: Apache-2.0
// solve_islands.c: who solves an island: sweeps that need no W, the law with its W, or both.
#include <string.h>

#include "door.h"

// What a solve may spend: half of what is left, so that every later one has something.
static void allow(const law_work *w, thud_arena *scratch)
{
    thud_arena_allow(scratch, *w->left > 0 ? *w->left - *w->left / 2 : 0, w->stop);
}

static void count(thud_arena *scratch, law_verdict *v)
{
    v->spent = thud_arena_spent(scratch);
    v->cut = !thud_arena_may_go_on(scratch);
    thud_arena_allow(scratch, INT64_MAX, NULL);
}

static void solve_one(const thud_law_options *o, const thud_island *island, bool certify, thud_arena *scratch,
                      law_verdict *v)
{
    THUD_ASSERT(island->rows >= 0 && scratch);
    enum { EACH = 100 }; // work of a row, of a solve that ends at once
    (void)thud_arena_spend(scratch, EACH * (int64_t)island->rows);
    v->law = thud_law_solve(island, o, scratch);
    v->status = strcmp(v->law.outcome, "no-memory") == 0 ? THUD_NO_MEMORY : v->status;
    v->cone = !law_is_exact(o->law) && certify ? thud_law_cone_residual(island, scratch) : 0;
}

enum { MANY = 400 }; // blocks: an island that the threads share within

// An island that the ladder may sweep over without W. In a crowd that falls there are many of a dozen contacts, as hard as large
// ones; elsewhere these are solved sooner with W, and a first round that is exact leaves the second a little less to make good.
static bool is_some(const law_work *w, const thud_standing *island)
{
    enum { SOME = 8, MORE = 20 }; // blocks
    return island->blocks > (w->crowd ? SOME : MORE);
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
static bool is_sketch(const law_work *w, const thud_law_options *o, const thud_standing *island)
{
    return w->sketch && w->crowd && is_open(o) && o->tolerance <= THUD_ROUGH && is_some(w, island) &&
           !(island->residual <= NEAR); // then this round may be the last
}

static const double SHARP = 1e-8;  // a residual
static const double SKETCH = 1e-4; // a residual: the next round moves the impulses by several times as much

// Island i by sweeps.
static void sweep_at(const law_work *w, const thud_law_options *o, int i, thud_pool *pool,
                     thud_arena *scratch, law_verdict *v)
{
    v->status = thud_rows_factor(w->rows, i, pool, scratch);
    if (v->status == THUD_OK) {
        const thud_island island = thud_rows_island(w->rows, i);
        solve_one(o, &island, w->certify, scratch, v);
    }
}

// Island i with its W. Where the quick method does not solve one with loops, these may say the same twice and not quite the same.
static void solve_filled(const law_work *w, const thud_law_options *o, int i, thud_arena *scratch,
                         law_verdict *v)
{
    const thud_island island = thud_rows_island(w->rows, i);
    const bool loops = w->loops && o->tolerance <= THUD_ROUGH;
    thud_law_options first = *o;
    first.brief = o->brief || (loops && is_open(o));
    solve_one(&first, &island, w->certify, scratch, v);
    if (v->status != THUD_OK || v->law.solved || !loops) {
        return;
    }
    const int before = v->law.iterations;
    bool changed = false;
    v->status = thud_rows_reconcile(w->rows, i, scratch, &changed);
    if (v->status == THUD_OK && (changed || first.brief != o->brief)) {
        solve_one(o, &island, w->certify, scratch, v);
        v->law.iterations += before;
    }
}

// Island i by a law: without W where that will do, which is made where not.
static void solve_at(const law_work *w, const thud_law_options *o, int i, thud_pool *pool,
                     thud_arena *scratch, law_verdict *v)
{
    THUD_ASSERT(i >= 0 && i < thud_rows_islands(w->rows));
    const thud_standing island = thud_rows_standing(w->rows, i);
    bool swept = false; // it has a product with W
    if (is_sketch(w, o, &island)) {
        thud_law_options rough = *o;
        rough.tolerance = SKETCH;
        v->sketched = true;
        sweep_at(w, &rough, i, pool, scratch, v);
        return;
    }
    thud_law_options asked = *o;
    if (without_delassus(o, &island)) {
        asked.max_iterations = island.blocks > MANY ? 0 : FEW_SWEEPS;
        sweep_at(w, &asked, i, pool, scratch, v);
        if (v->status != THUD_OK || v->law.solved || island.blocks > MANY) {
            return; // W of so many would cost more than smaller steps do
        }
        swept = true;
        asked.max_iterations = 0;
        asked.tolerance =
            SHARP; // the last digits cost little with W, and impulses that are exact hold for the next steps
    }
    if (all_but_holds(o, &island)) {
        v->status = thud_rows_factor(w->rows, i, pool, scratch);
        const thud_island all = thud_rows_island(w->rows, i);
        if (v->status != THUD_OK || thud_law_touch_up(&all, o, scratch, &v->law)) {
            return;
        }
        swept = true;
    }
    const int before = v->law.iterations;
    v->status = !swept && is_some(w, &island) ? thud_rows_factor(w->rows, i, pool, scratch) : THUD_OK;
    v->status = v->status == THUD_OK ? thud_rows_fill(w->rows, i, scratch) : v->status;
    if (v->status == THUD_OK) {
        solve_filled(w, &asked, i, scratch, v);
        v->law.iterations += before;
    }
    if (v->status == THUD_OK && !v->law.solved && !swept && is_open(o) && !o->brief) {
        sweep_at(w, o, i, pool, scratch, v); // few contacts that jam all the same
    }
}

typedef struct share { // of the islands
    const law_work *w;
    const thud_law_options *o;
    law_verdict *verdict;
    bool large; // those of many blocks, or the others
} share;

static void solve_some(void *of, int first, int end, int worker)
{
    const share *s = of;
    const law_work *w = s->w;
    for (int i = first; i < end; i++) {
        law_verdict *v = &s->verdict[i];
        if (v->held || (thud_rows_standing(w->rows, i).blocks > MANY) != s->large) {
            continue;
        }
        thud_arena *scratch = w->scratch[worker];
        const size_t mark = thud_arena_mark(scratch);
        allow(w, scratch);
        solve_at(w, s->o, i, s->large ? w->pool : NULL, scratch, v);
        count(scratch, v);
        thud_rows_forget(w->rows, i);
        thud_arena_release(scratch, mark);
    }
}

void law_solve_islands(const law_work *w, const thud_law_options *o, law_verdict *verdict)
{
    THUD_ASSERT(w->rows && w->scratch && verdict);
    share s = {w, o, verdict, true};
    if (thud_rows_blocks(w->rows) > MANY) {
        solve_some(&s, 0, thud_rows_islands(w->rows), 0); // one by one
    }
    s.large = false;
    thud_pool_run(w->pool, thud_rows_islands(w->rows), 1, solve_some, &s);
    for (int i = 0; i < thud_rows_islands(w->rows); i++) {
        *w->left -= verdict[i].spent;
    }
}

void law_solve_softly(const law_work *w, const thud_law_options *o, double part, law_verdict *verdict)
{
    THUD_ASSERT(part > 0);
    thud_law_options all = *o;
    all.brief = false;
    for (int i = 0; i < thud_rows_islands(w->rows); i++) {
        law_verdict *v = &verdict[i];
        if (v->status != THUD_OK || v->law.solved) {
            continue;
        }
        thud_arena *scratch = w->scratch[0];
        const size_t mark = thud_arena_mark(scratch);
        thud_rows_soften(w->rows, i, part);
        allow(w, scratch);
        solve_at(w, &all, i, NULL, scratch, v);
        count(scratch, v);
        *w->left -= v->spent;
        thud_rows_forget(w->rows, i);
        thud_arena_release(scratch, mark);
    }
}

void law_solve_alone(const law_work *w, const thud_law_options *o, const thud_island *island, law_verdict *v)
{
    allow(w, w->scratch[0]);
    solve_one(o, island, w->certify, w->scratch[0], v);
    count(w->scratch[0], v);
    *w->left -= v->spent;
}
