// SPDX-License-Identifier: Apache-2.0
// event_hold.c: contact at the level of accelerations while it is known who holds: equations.   [theory 5; BW 9]
//
// Forces follow from B f = -b (event_rows.c). Redundant contacts make B singular; then f is, of all solutions,
// the one with (all but) the least norm:
//     f <- f - (B + epsilon)^-1 (B f + b)        from f = 0, a few times
//
// Cost     O(rows^3) for each island
// Fails    UNSOLVED with a reason where B + epsilon has no inverse, FAILED where an island is too large.
#include <math.h>
#include <string.h>

#include "event.h"

substep_result hold_solve(thud_sim *sim, reduced *r, const bool *on)
{
    enum { ROUNDS = 4 };
    const int n = r->n;
    const size_t size = (size_t)n;
    double *LU = thud_arena_push(sim->answer.scratch, size * size + 1, sizeof *LU);
    double *rest = thud_arena_push(sim->answer.scratch, size + 1, sizeof *rest);
    int *pivot = thud_arena_push(sim->answer.scratch, size + 1, sizeof *pivot);
    if (!LU || !rest || !pivot) {
        return SUBSTEP_NO_MEMORY;
    }
    double trace = 0;
    for (size_t i = 0; i < size; i++) {
        trace += fabs(r->B[i + i * size]);
    }
    memcpy(LU, r->B, size * size * sizeof *LU);
    for (size_t c = 0; c < size; c++) {
        LU[c + c * size] += 1e-9 * trace / n;
        for (size_t i = 0; on && i < size; i++) {
            LU[i + c * size] = on[i] && on[c] ? LU[i + c * size] : i == c;
        }
        r->x[c] = 0;
    }
    const thud_mat B = {n, n, n, r->B}, factors = {n, n, n, LU};
    if (thud_lu_factor(factors, pivot) >= 0) {
        return SUBSTEP_UNSOLVED;
    }
    for (int k = 0; k < ROUNDS; k++) {
        thud_mat_mulvec(B, r->x, rest);
        for (int i = 0; i < n; i++) {
            rest[i] = on && !on[i] ? 0 : rest[i] + r->b[i];
        }
        thud_lu_solve(factors, pivot, rest);
        for (int i = 0; i < n; i++) {
            r->x[i] -= rest[i];
        }
    }
    return SUBSTEP_DONE;
}

static void note_forces(thud_sim *sim, const thud_island *island, const reduced *r)
{
    for (int k = 0; k < island->blocks; k++) {
        const thud_block *b = &island->block[k];
        tie *t = rows_tie(sim, island, k);
        for (int i = 0; t && i < b->dim; i++) {
            t->f[tie_is_dry(t) + i] = island->p[b->row + i];
        }
        if (t) {
            t->room = (tie_is_dry(t) ? t->bound : t->f[0]) -
                      (tie_is_dry(t) ? t->bound : 1) * tie_strain(sim, t, t->f + 1);
        }
    }
    for (int k = 0; k < r->blocks; k++) {
        const size_t first = (size_t)r->block[k].row;
        if (r->tie[k]) {
            r->tie[k]->jam = r->B[first + first * (size_t)r->n] / r->diagonal[k];
        }
    }
}

static substep_result solve_island(thud_sim *sim, const thud_island *island, rates what)
{
    reduced r;
    substep_result result = rows_reduce(sim, island, what, &r);
    result = result == SUBSTEP_DONE ? hold_solve(sim, &r, NULL) : result;
    if (result != SUBSTEP_DONE) {
        return result == SUBSTEP_UNSOLVED
                   ? event_fail(sim, result, "the forces of what holds are not determined")
                   : result;
    }
    rows_spread(&r, island);
    if (what == RATES_FORCE) {
        note_forces(sim, island, &r);
        for (int i = 0; i < island->rows; i++) {
            sim->above.event->power += island->p[i] * island->u_before[i];
        }
    }
    return SUBSTEP_DONE;
}

// Forces of all islands, and what they add to the rates: push.
static substep_result solve_all(thud_sim *sim, rates what)
{
    substep_result result = SUBSTEP_DONE;
    for (int i = 0; result == SUBSTEP_DONE && i < thud_rows_islands(sim->ask.rows); i++) {
        const thud_island island = thud_rows_island(sim->ask.rows, i);
        const size_t mark = thud_arena_mark(sim->answer.scratch);
        result = solve_island(sim, &island, what);
        thud_arena_release(sim->answer.scratch, mark);
    }
    if (result == SUBSTEP_DONE) {
        thud_rows_respond(sim->ask.rows, sim->d, sim->answer.push);
    }
    return result;
}

static bool any_holds(const thud_sim *sim)
{
    const event_drive *e = sim->above.event;
    bool any = sim->m->equality_on && sim->m->equalities > 0;
    for (int i = 0; i < e->ties && !any; i++) {
        any = e->tie[i].hold != HOLD_OPEN;
    }
    return any;
}

// Rows of what holds where the links are; *none: nothing does.
static substep_result assemble(thud_sim *sim, const double *q, const double *v, const double *a, bool *none)
{
    memset(sim->answer.push, 0, (size_t)sim->m->nv * sizeof(double));
    if (*none) {
        if (sim->constrained) {
            thud_rows_begin(sim->ask.rows, sim->d, 1);
        }
        return SUBSTEP_DONE;
    }
    const thud_status status = rows_assemble(sim, q, v, a);
    *none = status == THUD_OK && thud_rows_blocks(sim->ask.rows) == 0;
    return substep_of(status);
}

substep_result hold_prepare(thud_sim *sim, const double *q, const double *v, double t, bool *none)
{
    event_drive *e = sim->above.event;
    *none = !sim->constrained || !any_holds(sim);
    if (!*none) {
        bias_by_differences(sim, q, v);
    }
    sim_set_forces_at(sim, q, v, e->tau, e->done + t, 0);
    if (!sim_accelerate(sim, q, v, sim->force.tau, sim->fall.acc)) {
        return event_fail(sim, SUBSTEP_FAILED, "an inertia is not positive");
    }
    if (sim->constrained) {
        thud_dynamics_twists(sim->m, sim->d, v, sim->fall.V);
        if (sim->ask.tendon_rows) {
            thud_drive_place(sim->m, q, sim->d, sim->force.drive);
        }
        for (int i = 0; i < e->ties; i++) {
            tie_measure(sim, &e->tie[i], q, v);
        }
        bias_of_contacts(sim);
    }
    e->power = 0;
    return assemble(sim, q, v, sim->fall.acc, none);
}

substep_result hold_accelerate(thud_sim *sim, const double *q, const double *v, double t)
{
    bool none;
    const substep_result result = hold_prepare(sim, q, v, t, &none);
    return result == SUBSTEP_DONE && !none ? solve_all(sim, RATES_FORCE) : result;
}

substep_result hold_still(thud_sim *sim)
{
    bool none = !sim->constrained || !any_holds(sim);
    if (none) {
        return SUBSTEP_DONE;
    }
    ties_measure(sim, sim->begun.q_start, sim->begun.v_start);
    if (!sim_factor(sim, sim->begun.q_start)) {
        return event_fail(sim, SUBSTEP_FAILED, "an inertia is not positive");
    }
    substep_result result = assemble(sim, sim->begun.q_start, sim->begun.v_start, sim->begun.v_start, &none);
    result = result == SUBSTEP_DONE && !none ? solve_all(sim, RATES_STILL) : result;
    for (int i = 0; i < sim->m->nv && result == SUBSTEP_DONE; i++) {
        sim->begun.v_start[i] += sim->answer.push[i];
    }
    return result;
}
