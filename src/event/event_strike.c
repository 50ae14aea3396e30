// SPDX-License-Identifier: Apache-2.0
// event_strike.c: impulses: collisions, and what Painleve's paradox asks for. [theory 5, 6; BW 8]
//
//     simultaneous   all that touches, in one problem (bounce.c: Poisson or Newton, with friction)
//     sequential     the fastest approach alone, and again, until nothing approaches: Baraff's loop
//     jam            sliding contacts for which no acceleration exists. The problem of a step of dt has an
//                    answer for every dt > 0 whose impulses stay finite as dt -> 0: it is taken at a small dt, and
//                    what speed that leaves along the rows that hold is removed.
#include <math.h>
#include <string.h>

#include <thud/elementary.h>

#include "event.h"

static int tie_of(const event_drive *e, const thud_block *b) // -1: an equality
{
    for (int i = 0; b->kind != THUD_BLOCK_LOOP && i < e->ties; i++) {
        if (e->tie[i].id == b->id) {
            return i;
        }
    }
    return -1;
}

typedef struct telling { // events of one moment, whose ends are not known yet
    int begun;           // the first
    int *tie;            // of each
} telling;

// One event for every contact that took an impulse, while the ties still have the speeds from before.
static bool tell_before(thud_sim *sim, thud_event_kind kind, telling *out)
{
    event_drive *e = sim->above.event;
    *out = (telling){.begun = e->logged, .tie = thud_alloc((size_t)e->ties + 1, sizeof *out->tie)};
    bool good = out->tie != NULL;
    for (int i = 0; good && i < thud_rows_islands(sim->ask.rows); i++) {
        const thud_island island = thud_rows_island(sim->ask.rows, i);
        for (int k = 0; good && k < island.blocks; k++) {
            const thud_block *b = &island.block[k];
            const int at = tie_of(e, b);
            if (at < 0 || !(island.p[b->row] > 0)) {
                continue;
            }
            const bool limited = e->tie[at].kind != TIE_CONTACT && kind != THUD_EVENT_JAM;
            thud_event *made = log_add(sim, limited ? THUD_EVENT_LIMIT : kind, &e->tie[at]);
            good = made != NULL;
            for (int r = 0; good && r < b->dim && r < 3; r++) {
                made->impulse[r] = island.p[b->row + r];
            }
            out->tie[e->logged - 1 - out->begun] = at;
        }
    }
    return good;
}

static void tell_after(thud_sim *sim, telling *t, double energy)
{
    event_drive *e = sim->above.event;
    ties_measure(sim, sim->begun.q_start, sim->begun.v_start);
    for (int i = t->begun; t->tie && i < e->logged; i++) {
        const tie *of = &e->tie[t->tie[i - t->begun]];
        e->log[i].speed[1] = of->u[0];
        e->log[i].slip[1] = thud_hypot(of->u[1], of->u[2]);
        e->log[i].energy = energy;
        e->log[i].together = e->logged - t->begun;
    }
    thud_free(t->tie);
}

static int fastest(const event_drive *e) // contact that approaches fastest; -1: only limits do
{
    int worst = -1;
    for (int i = 0; i < e->ties; i++) {
        const tie *t = &e->tie[i];
        if (t->kind == TIE_CONTACT && t->touching && t->u[0] < (worst < 0 ? 0 : e->tie[worst].u[0])) {
            worst = i;
        }
    }
    return worst;
}

substep_result strike(thud_sim *sim, bool alone)
{
    THUD_ASSERT(sim->above.event->ties > 0);
    event_drive *e = sim->above.event;
    touch *const all = sim->sight.touch;
    const int touches = sim->sight.touches, one = alone ? fastest(e) : -1;
    const double before = sim->judge.c.contact_work;
    if (one >= 0) {
        sim->sight.touch = all + e->tie[one].of;
        sim->sight.touches = 1;
    }
    double kinetic;
    substep_result result = sim_bounce(sim, &kinetic);
    if (result == SUBSTEP_DONE) {
        sim_judge_collision(sim);
        feel_collision(sim);
        sim_bounce_end(sim, kinetic);
    }
    sim->sight.touch = all;
    sim->sight.touches = touches;
    if (result != SUBSTEP_DONE) {
        return result == SUBSTEP_UNSOLVED
                   ? event_fail(sim, result, "a collision could not be solved to the tolerance")
                   : result;
    }
    telling t;
    const bool told = tell_before(sim, THUD_EVENT_IMPACT, &t);
    tell_after(sim, &t, sim->judge.c.contact_work - before);
    return told ? SUBSTEP_DONE : SUBSTEP_NO_MEMORY;
}

// ------------------------------------------------------------------------------------------ without
// collision

double strike_energy(thud_sim *sim)
{
    sim_place(sim, sim->begun.q_start);
    sim_move(sim, sim->begun.v_start);
    return thud_dynamics_energy(sim->m, sim->begun.q_start, sim->begun.v_start, sim->d).kinetic;
}

// Who holds after the impulses p of an island; returns the largest normal one.
static double hold_after(thud_sim *sim, const reduced *r)
{
    double most = 0;
    for (int k = 0; k < r->blocks; k++) {
        tie *t = r->tie[k];
        const double *p = r->x + r->block[k].row;
        if (t) {
            const bool sticks = t->slips > 0 && tie_strain(sim, t, p + 1) < (1 - 1e-6) * p[0];
            t->hold = !(p[0] > 0) ? HOLD_OPEN : sticks ? HOLD_STICK : HOLD_SLIDE;
            most = thud_max(most, p[0]);
        }
    }
    return most;
}

static substep_result solve_jam(thud_sim *sim, const thud_island *island, double *pressing)
{
    reduced r;
    substep_result result = rows_reduce(sim, island, RATES_JAM, &r);
    if (result == SUBSTEP_DONE) {
        r.island.h = JAM_STEP;
        result = sim_solve_island(sim, &r.island);
    }
    if (result == SUBSTEP_DONE) {
        rows_spread(&r, island);
        *pressing = thud_max(*pressing, hold_after(sim, &r));
    }
    return result == SUBSTEP_UNSOLVED
               ? event_fail(sim, result, "neither accelerations nor impulses obey friction and contact")
               : result;
}

substep_result strike_jam(thud_sim *sim)
{
    double pressing = 0;
    substep_result result = SUBSTEP_DONE;
    for (int i = 0; result == SUBSTEP_DONE && i < thud_rows_islands(sim->ask.rows); i++) {
        const thud_island island = thud_rows_island(sim->ask.rows, i);
        const size_t mark = thud_arena_mark(sim->answer.scratch);
        result = solve_jam(sim, &island, &pressing);
        thud_arena_release(sim->answer.scratch, mark);
    }
    if (result != SUBSTEP_DONE) {
        return result;
    }
    telling t;
    const bool told = tell_before(sim, THUD_EVENT_JAM, &t);
    thud_rows_respond(sim->ask.rows, sim->d, sim->answer.push);
    const double before = strike_energy(sim);
    for (int i = 0; i < sim->m->nv; i++) {
        sim->begun.v_start[i] += sim->answer.push[i];
    }
    result = pressing > 0 ? hold_still(sim) : SUBSTEP_DONE;
    const double change = strike_energy(sim) - before;
    tell_after(sim, &t, change);
    sim->judge.c.contact_work += change;
    sim->judge.c.impacts++;
    return told ? result : SUBSTEP_NO_MEMORY;
}
