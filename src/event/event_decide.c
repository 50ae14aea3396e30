// SPDX-License-Identifier: Apache-2.0
// event_decide.c: contact at the level of accelerations where it is to be found out who holds.  [theory 5; BW 9]
//
//     0 <= f_n  orthogonal to  a_n >= 0          sliding contacts and limits
//     Coulomb's cone between f and a_t           contacts at rest; |f| <= its bound for dry friction at rest
//     a = 0                                      equalities
//
// First as if all that touches held: if those forces obey the inequalities, they are it. Otherwise a linear
// complementarity problem where nothing can stick (by the solver asked for: Lemke, Dantzig), the cone's problem
// where something can. Who is on the border of its cone then slides against its friction.
//
// An island of more rows than equations are solved for here is decided on its sparse W. It can only stand:
// what moves it is too large for (event_rows.c).
// Fails    UNSOLVED where the inequalities have no solution (Painleve): then impulses do it, event_strike.c.
#include <math.h>
#include <string.h>

#include <thud/elementary.h>

#include "event.h"

static const double BORDER = 1e-7; // relative: friction nearer to its cone's border does not hold

static bool solve_law(thud_sim *sim, const thud_island *island)
{
    bool sticks = false;
    for (int k = 0; k < island->blocks; k++) {
        sticks |= island->block[k].kind == THUD_BLOCK_DRY ||
                  (island->block[k].kind == THUD_BLOCK_CONTACT && island->block[k].dim > 1);
    }
    thud_law_options o = sim->o.law;
    o.law = sticks ? THUD_LAW_CONE : THUD_LAW_ANITESCU_POTRA;
    o.solver = thud_law_refuses(o.law, o.solver) ? THUD_SOLVER_AUTO : o.solver;
    const thud_law_report report = thud_law_solve(island, &o, sim->answer.scratch);
    sim->judge.c.iterations += report.iterations;
    return report.solved;
}

// Friction's share of what it can give: 1 on the border.
static double loaded(const thud_sim *sim, const tie *t, const double *f)
{
    return tie_is_dry(t) ? tie_strain(sim, t, f) : tie_strain(sim, t, f + 1) / f[0];
}

// From a hold to sliding, against the friction f_t that was found.
static void let_slide(const thud_sim *sim, tie *t, const double *f_t)
{
    double length = 0;
    for (int k = 0; k < t->slips; k++) {
        const double mu = tie_is_dry(t) ? 1 : tie_friction(sim, t, k);
        t->along[k] = -f_t[k] / (mu * mu);
        length = thud_hypot(length, t->along[k]);
    }
    for (int k = 0; k < t->slips; k++) {
        t->along[k] /= length;
    }
    t->hold = HOLD_SLIDE;
}

// What forces say: who presses holds; who is on the border of its cone slides against its friction.
static void classify(thud_sim *sim, const thud_island *island)
{
    static const double NONE = 1e-7, ROUNDING = 1e-11; // of the most that presses, of the most there is
    double most = 0;
    for (int k = 0; k < island->blocks; k++) {
        const tie *t = rows_tie(sim, island, k);
        const double p = island->p[island->block[k].row];
        most = thud_max(most, t && !tie_is_dry(t) ? p : ROUNDING / NONE * fabs(p));
    }
    for (int k = 0; k < island->blocks; k++) {
        const double *p = island->p + island->block[k].row;
        tie *t = rows_tie(sim, island, k);
        if (t && !tie_is_dry(t) && !(p[0] > NONE * most)) {
            t->hold = HOLD_OPEN;
        } else if (t && t->hold == HOLD_STICK && loaded(sim, t, p) > 1 - BORDER) {
            let_slide(sim, t, tie_is_dry(t) ? p : p + 1);
        }
    }
}

// Forces that equations alone gave also obey the inequalities, of those on: none pulls, none is beyond its
// cone, and friction leaves every sliding contact its inertia.
static bool admissible(const thud_sim *sim, const reduced *r, const bool *on)
{
    bool good = true;
    for (int k = 0; k < r->blocks; k++) {
        const tie *t = r->tie[k];
        const size_t at = (size_t)r->block[k].row;
        if (t && (!on || on[at])) {
            const double *x = r->x + at;
            good &= tie_is_dry(t) || (x[0] > 0 && r->B[at + at * (size_t)r->n] > 0);
            good &= t->hold != HOLD_STICK || loaded(sim, t, x) <= 1 - BORDER;
        }
    }
    return good;
}

// Of many solutions the law may have found one in which contacts that stay closed carry nothing. Here they
// carry their share, if they can: as if all gave way alike [theory 7].
static substep_result share(thud_sim *sim, reduced *r)
{
    const size_t n = (size_t)r->n;
    bool *on = thud_arena_push(sim->answer.scratch, n, sizeof *on);
    double *a = thud_arena_push(sim->answer.scratch, n, sizeof *a);
    double *kept = thud_arena_push(sim->answer.scratch, n, sizeof *kept);
    if (!on || !a || !kept) {
        return SUBSTEP_NO_MEMORY;
    }
    thud_mat_mulvec(r->island.W, r->x, a);
    const double scale = thud_norm_inf(r->n, r->b);
    memcpy(kept, r->x, n * sizeof *kept);
    for (int k = 0; k < r->blocks; k++) {
        const int at = r->block[k].row;
        const bool presses = r->tie[k] && !tie_is_dry(r->tie[k]);
        for (int i = at; i < at + r->block[k].dim; i++) {
            on[i] = !presses || r->x[at] > 0 || a[at] + r->b[at] < 1e-7 * scale;
        }
    }
    const substep_result result = hold_solve(sim, r, on);
    if (result == SUBSTEP_UNSOLVED || (result == SUBSTEP_DONE && !admissible(sim, r, on))) {
        memcpy(r->x, kept, n * sizeof *kept);
    }
    return result == SUBSTEP_NO_MEMORY ? result : SUBSTEP_DONE;
}

// An island too large for equations: nothing in it slides, no force in it is known beforehand.
static substep_result decide_sparse(thud_sim *sim, const thud_island *of)
{
    thud_cone_block *cone = thud_arena_push(sim->answer.scratch, (size_t)of->blocks, sizeof *cone);
    thud_island island = *of;
    if (!cone) {
        return SUBSTEP_NO_MEMORY;
    }
    for (int k = 0; k < of->blocks; k++) {
        const tie *t = rows_tie(sim, of, k);
        cone[k] = of->cone[k];
        for (int i = 0; t && t->kind == TIE_CONTACT && i < t->slips; i++) {
            cone[k].mu[i] = tie_friction(sim, t, i);
        }
    }
    island.cone = cone;
    memset(island.p, 0, (size_t)of->rows * sizeof(double));
    if (!solve_law(sim, &island)) {
        return SUBSTEP_UNSOLVED;
    }
    classify(sim, of);
    return SUBSTEP_DONE;
}

static bool all_stands(const thud_sim *sim, const thud_island *island)
{
    bool stands = true;
    for (int k = 0; k < island->blocks; k++) {
        const member *m = &sim->above.event->member[island->number[k]];
        const tie *t = rows_tie(sim, island, k);
        stands &= !m->given && (!t || t->hold == HOLD_STICK || t->slips == 0);
    }
    return stands;
}

static substep_result decide_island(thud_sim *sim, const thud_island *island)
{
    reduced r;
    if (!island->W.a && all_stands(sim, island)) {
        return decide_sparse(sim, island);
    }
    substep_result result = rows_reduce(sim, island, RATES_FORCE, &r);
    if (result != SUBSTEP_DONE) {
        return result;
    }
    result = hold_solve(sim, &r, NULL);
    if (result == SUBSTEP_NO_MEMORY) {
        return result;
    }
    if (result != SUBSTEP_DONE || !admissible(sim, &r, NULL)) {
        memset(r.x, 0, (size_t)r.n * sizeof *r.x);
        if (!solve_law(sim, &r.island)) {
            return SUBSTEP_UNSOLVED;
        }
        result = share(sim, &r);
    }
    rows_spread(&r, island);
    classify(sim, island);
    return result;
}

// How each would hold if it did, by its speeds.
static void begin_holds(thud_sim *sim)
{
    event_drive *e = sim->above.event;
    for (int i = 0; i < e->ties; i++) {
        tie *t = &e->tie[i];
        const double slip = tie_slip(t);
        const bool still = slip <= sim->o.event.rest_speed;
        t->hold = !t->resting ? HOLD_OPEN : t->slips > 0 && still ? HOLD_STICK : HOLD_SLIDE;
        for (int k = 0; k < t->slips; k++) {
            t->along[k] = still ? 0 : t->u[1 + k] / slip;
        }
    }
}

// Nothing moves, and forces balance to what the law is solved to. Activations change with time alone.
static bool all_is_still(thud_sim *sim)
{
    const thud_model *m = sim->m;
    double speed = 0, most = 0, left = 0;
    for (int i = 0; i < m->nv; i++) {
        speed = thud_max(speed, fabs(sim->begun.v_start[i]));
        most = thud_max(most, fabs(sim->fall.acc[i]));
        left = thud_max(left, fabs(sim->fall.acc[i] + sim->answer.push[i]));
    }
    thud_activation_advance(m, sim->force.ctrl, sim->force.act, sim->o.h, sim->force.act_mean);
    return speed <= 1e-12 && left <= sim->o.law.tolerance * most &&
           memcmp(sim->force.act, sim->force.act_mean, (size_t)m->activations * sizeof(double)) == 0;
}

substep_result hold_decide(thud_sim *sim)
{
    event_drive *e = sim->above.event;
    bool none;
    begin_holds(sim);
    substep_result result = hold_prepare(sim, sim->begun.q_start, sim->begun.v_start, 0, &none);
    for (int i = 0; result == SUBSTEP_DONE && !none && i < thud_rows_islands(sim->ask.rows); i++) {
        const thud_island island = thud_rows_island(sim->ask.rows, i);
        const size_t mark = thud_arena_mark(sim->answer.scratch);
        result = decide_island(sim, &island);
        thud_arena_release(sim->answer.scratch, mark);
    }
    if (result == SUBSTEP_DONE && !none) {
        thud_rows_respond(sim->ask.rows, sim->d, sim->answer.push);
    }
    e->stands = result == SUBSTEP_DONE && all_is_still(sim);
    for (int i = 0; i < e->ties; i++) {
        tie *t = &e->tie[i];
        t->slack = t->hold == HOLD_OPEN && t->resting ? thud_max(1e-9, 1e-9 - t->phi) : 0;
    }
    return result;
}
