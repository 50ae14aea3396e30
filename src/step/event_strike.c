// SPDX-License-Identifier: Apache-2.0
// event_strike.c: impulses: collisions, and what Painleve's paradox asks for.                [theory 5, 6; BW
// 8]
//
//     simultaneous   all that touches, in one problem (bounce.c: Poisson or Newton, with friction)
//     sequential     the fastest approach alone, and again, until nothing approaches: Baraff's loop
//     jam            sliding contacts for which no acceleration exists. The problem of a step of dt has an
//     answer
//                    for every dt > 0 whose impulses stay finite as dt -> 0: it is taken at a small dt, and
//                    what speed that leaves along the rows that hold is removed.
#include <math.h>
#include <string.h>

#include "event.h"

static int tie_of(const event_drive *e, const thud_block *b, int first)
{
    if (b->kind == THUD_BLOCK_CONTACT) {
        return first + b->source; // contacts come first, in their order
    }
    for (int i = 0; b->kind == THUD_BLOCK_LIMIT && i < e->ties; i++) {
        if (e->tie[i].touch < 0 && e->tie[i].joint == b->source && e->tie[i].phi == b->phi) {
            return i;
        }
    }
    return -1;
}

typedef struct telling { // events of one moment, whose ends are not known yet
    int begun;           // the first
    int *tie;            // of each
} telling;

// One event for every contact that took an impulse, while the ties still have the speeds from before. first:
// the tie that source 0 is.
static bool tell_before(thud_sim *sim, thud_event_kind kind, int first, telling *out)
{
    event_drive *e = sim->event;
    *out = (telling){.begun = e->logged, .tie = thud_alloc((size_t)e->ties + 1, sizeof *out->tie)};
    bool good = out->tie != NULL;
    for (int i = 0; good && i < thud_rows_islands(sim->rows); i++) {
        const thud_island island = thud_rows_island(sim->rows, i);
        for (int k = 0; good && k < island.blocks; k++) {
            const thud_block *b = &island.block[k];
            const int at = tie_of(e, b, first);
            if (at < 0 || !(island.p[b->row] > 0)) {
                continue;
            }
            const bool limit = e->tie[at].touch < 0 && kind != THUD_EVENT_JAM;
            thud_event *made = log_add(sim, limit ? THUD_EVENT_LIMIT : kind, &e->tie[at]);
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
    event_drive *e = sim->event;
    ties_measure(sim, sim->q_start, sim->v_start);
    for (int i = t->begun; t->tie && i < e->logged; i++) {
        const tie *of = &e->tie[t->tie[i - t->begun]];
        e->log[i].speed[1] = of->u[0];
        e->log[i].slip[1] = hypot(of->u[1], of->u[2]);
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
        if (t->touch >= 0 && t->touching && t->u[0] < (worst < 0 ? 0 : e->tie[worst].u[0])) {
            worst = i;
        }
    }
    return worst;
}

substep_result strike(thud_sim *sim, bool alone)
{
    event_drive *e = sim->event;
    touch *const all = sim->touch;
    const int touches = sim->touches, one = alone ? fastest(e) : -1;
    const double before = sim->c.contact_work;
    if (one >= 0) {
        sim->touch = all + one;
        sim->touches = 1;
    }
    substep_result result = sim_bounce(sim);
    sim->touch = all;
    sim->touches = touches;
    if (result != SUBSTEP_DONE) {
        return result == SUBSTEP_UNSOLVED
                   ? event_fail(sim, result, "a collision could not be solved to the tolerance")
                   : result;
    }
    telling t;
    const bool told = tell_before(sim, THUD_EVENT_IMPACT, one >= 0 ? one : 0, &t);
    tell_after(sim, &t, sim->c.contact_work - before);
    return told ? SUBSTEP_DONE : SUBSTEP_NO_MEMORY;
}

// ------------------------------------------------------------------------------------------ without
// collision

static const double JAM_STEP = 1e-5; // s

static substep_result solve_jam(thud_sim *sim, const thud_island *of, double *pressing)
{
    const size_t mark = thud_arena_mark(sim->scratch);
    double *u = thud_arena_push(sim->scratch, (size_t)of->rows, sizeof *u);
    if (!u) {
        return SUBSTEP_NO_MEMORY;
    }
    for (int r = 0; r < of->rows; r++) {
        u[r] = of->u_before[r] + JAM_STEP * of->u_free[r];
    }
    thud_island island = *of;
    island.u_free = u;
    island.h = JAM_STEP;
    memset(island.p, 0, (size_t)of->rows * sizeof(double));
    const substep_result result = sim_solve_island(sim, &island);
    for (int k = 0; k < of->blocks; k++) {
        const thud_block *b = &of->block[k];
        const int at = tie_of(sim->event, b, 0);
        if (at >= 0) {
            tie *t = &sim->event->tie[at];
            const double *p = of->p + b->row;
            const bool sticks = b->dim == 3 && hypot(p[1] / b->static_friction[0],
                                                     p[2] / b->static_friction[1]) < (1 - 1e-6) * p[0];
            t->hold = !(p[0] > 0) ? HOLD_OPEN : sticks ? HOLD_STICK : HOLD_SLIDE;
            *pressing = fmax(*pressing, p[0]);
        }
    }
    thud_arena_release(sim->scratch, mark);
    return result;
}

static double kinetic(thud_sim *sim)
{
    thud_dynamics_move(sim->m, sim->v_start, sim->d);
    return thud_dynamics_energy(sim->m, sim->q_start, sim->v_start, sim->d).kinetic;
}

substep_result strike_jam(thud_sim *sim)
{
    double pressing = 0;
    for (int i = 0; i < thud_rows_islands(sim->rows); i++) {
        const thud_island island = thud_rows_island(sim->rows, i);
        const substep_result result = solve_jam(sim, &island, &pressing);
        if (result != SUBSTEP_DONE) {
            return event_fail(sim, result, "neither accelerations nor impulses obey friction and contact");
        }
    }
    telling t;
    const double before = kinetic(sim);
    const bool told = tell_before(sim, THUD_EVENT_JAM, 0, &t);
    thud_rows_respond(sim->rows, sim->d, sim->push);
    for (int i = 0; i < sim->m->nv; i++) {
        sim->v_start[i] += sim->push[i];
    }
    const substep_result result = pressing > 0 ? hold_still(sim) : SUBSTEP_DONE;
    const double change = kinetic(sim) - before;
    tell_after(sim, &t, change);
    sim->c.contact_work += change;
    sim->c.impacts++;
    return told ? result : SUBSTEP_NO_MEMORY;
}
