// SPDX-License-Identifier: Apache-2.0
// event_hold.c: contact at the level of accelerations: who holds, and with what force.          [theory 5; BW
// 9]
//
//     0 <= f_n  orthogonal to  a_n >= 0,        a = W f + b,    b = G a_free + G' v
//     sliding:   f_t = -mu f_n s, s the direction of the slip      one unknown a contact, and no longer
//     symmetric resting:   Coulomb's cone between f and a_t                   three unknowns equalities and
//     what is known to hold:  a = 0
//
// Between events the inequalities are known, and forces follow from linear equations B f = -b. Redundant
// contacts make B singular; then f is, of all solutions, the one with (all but) the least norm:
//     f <- f - (B + epsilon)^-1 (B f + b)        from f = 0, a few times
//
// Symbols  W, G [theory 1] · B the columns of W that sliding friction leaves · s = slip of a contact
// Fails    UNSOLVED where the inequalities have no solution (Painleve): then impulses do it, event_strike.c
// Cost     O(rows^3) for each island
#include <math.h>
#include <string.h>

#include <thud/spatial_inline.h>

#include "event.h"
#include "loops.h"

static const double BORDER = 1e-7; // relative: friction nearer to its cone's border does not hold

// ------------------------------------------------------------------------------------------ friction

typedef struct unknown { // one force of a reduced island
    int row;             // the first row it acts on
    double c[2];         // and, sliding, its shares along the two after it
} unknown;

static double sliding_mu(const thud_sim *sim, const tie *t, const thud_block *b, int k, double speed)
{
    const thud_contact_law *law = &sim->touch[t->touch].contact.law;
    const double x = speed / law->stribeck, fallen = law->stribeck > 0 ? exp(-x * x) : 0;
    return b->kinetic_friction[k] + (b->static_friction[k] - b->kinetic_friction[k]) * fallen +
           law->viscous * speed;
}

// The force along the tangents that goes with a normal force of 1: against the slip, on the border of the
// cone.
static void slide_share(const thud_sim *sim, const tie *t, const thud_block *b, double c[2])
{
    const double speed = hypot(t->u[1], t->u[2]);
    const bool moves =
        t->u[1] * t->along[0] + t->u[2] * t->along[1] > sim->o.event.rest_speed; // or begins, or ends
    const double s[2] = {moves ? t->u[1] / speed : t->along[0], moves ? t->u[2] / speed : t->along[1]};
    const double mu[2] = {sliding_mu(sim, t, b, 0, speed), sliding_mu(sim, t, b, 1, speed)};
    const double length = hypot(mu[0] * s[0], mu[1] * s[1]);
    for (int k = 0; k < 2; k++) {
        c[k] = length > 0 ? -mu[k] * mu[k] * s[k] / length : 0;
    }
}

// ------------------------------------------------------------------------------------------ rows

// Rows of all that holds where the links are, their rates without constraints being G a_free + G' v.
static thud_status assemble(thud_sim *sim, const double *q, const double *v, const double *a_free)
{
    event_drive *e = sim->event;
    thud_rows_begin(sim->rows, sim->d, 1);
    for (int i = 0; i < e->ties; i++) {
        const tie *t = &e->tie[i];
        if (t->hold == HOLD_OPEN) {
            continue;
        }
        if (t->touch < 0) {
            limit l[2];
            (void)limits_of(sim->m, t->joint, q, l);
            THUD_TRY(
                thud_rows_add_limit(sim->rows, t->joint, l[t->side].sign, l[t->side].axis, t->phi, t->b[0]));
            continue;
        }
        touch *c = &sim->touch[t->touch];
        const thud_gap_value g = touch_gap(sim, c);
        const thud_contact_row row = {.contact = &c->contact,
                                      .point = v3_scale(0.5, v3_add(g.point[0], g.point[1])),
                                      .normal = g.normal,
                                      .phi = t->phi,
                                      .b = {t->b[0], t->b[1], t->b[2]},
                                      .dim = t->rough ? 3 : 1};
        THUD_TRY(thud_rows_add_contact(sim->rows, &row, i));
    }
    THUD_TRY(loops_hold_with(sim, q, e->loop_b));
    return thud_rows_blocks(sim->rows) ? thud_rows_finish(sim->rows, v, a_free, NULL, 0, 0) : THUD_OK;
}

// The tie that a block of these rows was made from; NULL: an equality. Rows list limits by their joint.
static tie *block_tie(thud_sim *sim, const thud_block *b)
{
    event_drive *e = sim->event;
    if (b->kind == THUD_BLOCK_CONTACT) {
        return &e->tie[b->source];
    }
    for (int i = 0; b->kind == THUD_BLOCK_LIMIT && i < e->ties; i++) {
        tie *t = &e->tie[i];
        if (t->touch < 0 && t->joint == b->source && t->hold != HOLD_OPEN && t->phi == b->phi) {
            return t;
        }
    }
    return NULL;
}

typedef struct reduced { // an island whose sliding contacts have one unknown each
    int n;
    unknown *unknown;
    double *B, *b, *x; // B column-major
    int *first;        // of each block: its first unknown
} reduced;

static bool reduce(thud_sim *sim, const thud_island *island, const double *rates, bool friction, reduced *r)
{
    const size_t rows = (size_t)island->rows;
    thud_arena *arena = sim->scratch;
    *r = (reduced){.unknown = thud_arena_push(arena, rows, sizeof *r->unknown),
                   .first = thud_arena_push(arena, (size_t)island->blocks + 1, sizeof(int))};
    if (!r->unknown || !r->first || !island->W.a) {
        return false;
    }
    for (int k = 0; k < island->blocks; k++) {
        const thud_block *block = &island->block[k];
        tie *t = block_tie(sim, block);
        const bool one = t && t->hold == HOLD_SLIDE;
        r->first[k] = r->n;
        for (int i = 0; i < (one ? 1 : block->dim); i++) {
            r->unknown[r->n++] = (unknown){.row = block->row + i};
        }
        if (one && block->dim == 3 && friction) {
            slide_share(sim, t, block, r->unknown[r->n - 1].c);
        }
    }
    const size_t n = (size_t)r->n;
    r->B = thud_arena_push(arena, n * n, sizeof *r->B);
    r->b = thud_arena_push(arena, n, sizeof *r->b);
    r->x = thud_arena_push(arena, n, sizeof *r->x);
    if (!r->B || !r->b || !r->x) {
        return false;
    }
    for (int c = 0; c < r->n; c++) {
        const unknown *by = &r->unknown[c];
        const double *W = island->W.a + (size_t)by->row * (size_t)island->W.stride;
        const double *W1 = by->c[0] != 0 || by->c[1] != 0 ? W + island->W.stride : W, *W2 = W1 + (W1 - W);
        for (int i = 0; i < r->n; i++) {
            const int row = r->unknown[i].row;
            r->B[i + (size_t)c * n] = W[row] + by->c[0] * W1[row] + by->c[1] * W2[row];
        }
        r->b[c] = rates[by->row];
        r->x[c] = 0;
    }
    return true;
}

static void spread(const reduced *r, const thud_island *island) // x to the island's rows
{
    memset(island->p, 0, (size_t)island->rows * sizeof(double));
    for (int i = 0; i < r->n; i++) {
        const unknown *u = &r->unknown[i];
        island->p[u->row] += r->x[i];
        if (u->c[0] != 0 || u->c[1] != 0) {
            island->p[u->row + 1] += u->c[0] * r->x[i];
            island->p[u->row + 2] += u->c[1] * r->x[i];
        }
    }
}

// ------------------------------------------------------------------------------------------ equations

// B x = -b for the unknowns that are on (NULL: all), the shortest x; the others are 0. False: no memory, or
// not even B + epsilon has an inverse.
static bool solve_linear(thud_sim *sim, reduced *r, const bool *on)
{
    enum { ROUNDS = 4 };
    const int n = r->n;
    double *LU = thud_arena_push(sim->scratch, (size_t)n * (size_t)n, sizeof *LU);
    double *rest = thud_arena_push(sim->scratch, (size_t)n, sizeof *rest);
    int *pivot = thud_arena_push(sim->scratch, (size_t)n, sizeof *pivot);
    if (!LU || !rest || !pivot) {
        return false;
    }
    double trace = 0;
    for (int i = 0; i < n; i++) {
        trace += fabs(r->B[i + (size_t)i * (size_t)n]);
    }
    memcpy(LU, r->B, (size_t)n * (size_t)n * sizeof *LU);
    for (int c = 0; c < n; c++) {
        LU[c + (size_t)c * (size_t)n] += 1e-9 * trace / n;
        for (int i = 0; on && i < n; i++) {
            LU[i + (size_t)c * (size_t)n] = on[i] && on[c] ? LU[i + (size_t)c * (size_t)n] : i == c;
        }
        r->x[c] = 0;
    }
    const thud_mat B = {n, n, n, r->B}, factors = {n, n, n, LU};
    if (thud_lu_factor(factors, pivot) >= 0) {
        return false;
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
    return true;
}

static void note_forces(thud_sim *sim, const thud_island *island, const reduced *r)
{
    for (int k = 0; k < island->blocks; k++) {
        const thud_block *b = &island->block[k];
        tie *t = block_tie(sim, b);
        if (!t) {
            continue;
        }
        for (int i = 0; i < b->dim; i++) {
            t->f[i] = island->p[b->row + i];
        }
        const int first = r->first[k];
        const double own = island->W.a[b->row + (size_t)b->row * (size_t)island->W.stride];
        t->jam = r->B[first + (size_t)first * (size_t)r->n] / own;
        const double border = hypot(t->f[1] / fmax(b->static_friction[0], 1e-300),
                                    t->f[2] / fmax(b->static_friction[1], 1e-300));
        t->room = t->f[0] - border;
    }
}

// Forces of all islands, for the rates that they have without any.
static substep_result solve_equations(thud_sim *sim, bool velocities)
{
    for (int i = 0; i < thud_rows_islands(sim->rows); i++) {
        const thud_island island = thud_rows_island(sim->rows, i);
        const size_t mark = thud_arena_mark(sim->scratch);
        reduced r;
        const bool good =
            reduce(sim, &island, velocities ? island.u_before : island.u_free, !velocities, &r) &&
            solve_linear(sim, &r, NULL);
        if (good) {
            spread(&r, &island);
            if (!velocities) {
                note_forces(sim, &island, &r);
            }
        }
        thud_arena_release(sim->scratch, mark);
        if (!good) {
            return island.W.a
                       ? SUBSTEP_NO_MEMORY
                       : event_fail(sim, SUBSTEP_UNSOLVED, "an island of contacts is too large for events");
        }
    }
    return SUBSTEP_DONE;
}

static bool any_holds(const thud_sim *sim)
{
    const event_drive *e = sim->event;
    bool any = sim->m->equality_on && sim->m->equalities > 0;
    for (int i = 0; i < e->ties && !any; i++) {
        any = e->tie[i].hold != HOLD_OPEN;
    }
    return any;
}

static bool accelerate_freely(thud_sim *sim, const double *q, const double *v, const double *tau)
{
    sim_set_forces_at(sim, q, v, tau, 0, 0);
    return sim_accelerate(sim, q, v, sim->tau, sim->acc);
}

// Places the links at q and prepares the rows of what holds; *none: nothing does.
static substep_result prepare(thud_sim *sim, const double *q, const double *v, const double *tau, bool *none)
{
    *none = !sim->constrained || !any_holds(sim);
    if (!*none) {
        ties_bias(sim, q, v);
    }
    if (sim->constrained) {
        ties_measure(sim, q, v);
    }
    if (!accelerate_freely(sim, q, v, tau)) {
        return SUBSTEP_FAILED;
    }
    memset(sim->push, 0, (size_t)sim->m->nv * sizeof(double));
    if (*none) {
        if (sim->constrained) {
            thud_rows_begin(sim->rows, sim->d, 1);
        }
        return SUBSTEP_DONE;
    }
    const thud_status status = assemble(sim, q, v, sim->acc);
    *none = status == THUD_OK && thud_rows_blocks(sim->rows) == 0;
    return substep_of(status);
}

substep_result hold_accelerate(thud_sim *sim, const double *q, const double *v, const double *tau)
{
    bool none;
    substep_result result = prepare(sim, q, v, tau, &none);
    if (result == SUBSTEP_DONE && !none) {
        result = solve_equations(sim, false);
        thud_rows_respond(sim->rows, sim->d, sim->push);
    }
    return result;
}

substep_result hold_still(thud_sim *sim)
{
    bool none;
    substep_result result = prepare(sim, sim->q_start, sim->v_start, NULL, &none);
    if (result == SUBSTEP_DONE && !none) {
        result = solve_equations(sim, true);
        thud_rows_respond(sim->rows, sim->d, sim->push);
        for (int i = 0; i < sim->m->nv && result == SUBSTEP_DONE; i++) {
            sim->v_start[i] += sim->push[i];
        }
    }
    return result;
}

// ------------------------------------------------------------------------------------------ inequalities

// The reduced island as every law takes it.
static bool as_island(thud_sim *sim, const thud_island *of, const reduced *r, thud_island *out)
{
    thud_block *block = thud_arena_push(sim->scratch, (size_t)of->blocks, sizeof *block);
    thud_cone_block *cone = thud_arena_push(sim->scratch, (size_t)of->blocks, sizeof *cone);
    double *zero = thud_arena_push(sim->scratch, (size_t)r->n, sizeof *zero);
    if (!block || !cone || !zero) {
        return false;
    }
    memset(zero, 0, (size_t)r->n * sizeof *zero);
    for (int k = 0; k < of->blocks; k++) {
        const tie *t = block_tie(sim, &of->block[k]);
        block[k] = of->block[k];
        cone[k] = of->cone[k];
        block[k].row = cone[k].row = r->first[k];
        if (t && t->hold == HOLD_SLIDE) {
            block[k].dim = cone[k].dim = 1;
        } else if (t && t->hold == HOLD_STICK) {
            cone[k].mu[0] = of->block[k].static_friction[0];
            cone[k].mu[1] = of->block[k].static_friction[1];
        }
    }
    *out = *of;
    out->rows = r->n;
    out->block = block;
    out->cone = cone;
    out->W = (thud_mat){r->n, r->n, r->n, r->B};
    out->u_free = r->b;
    out->u_before = zero;
    out->p_before = zero;
    out->epsilon = NULL;
    out->p = r->x;
    return true;
}

// A linear complementarity problem where nothing can stick, by the solver asked for; otherwise a cone's.
static bool solve_law(thud_sim *sim, const thud_island *island)
{
    bool sticks = false;
    for (int k = 0; k < island->blocks; k++) {
        sticks |= island->block[k].kind == THUD_BLOCK_CONTACT && island->block[k].dim > 1;
    }
    thud_law_options o = sim->o.law;
    o.law = sticks ? THUD_LAW_CONE : THUD_LAW_ANITESCU_POTRA;
    o.solver = thud_law_refuses(o.law, o.solver) ? THUD_SOLVER_AUTO : o.solver;
    const thud_law_report report = thud_law_solve(island, &o, sim->scratch);
    sim->c.iterations += report.iterations;
    return report.solved;
}

// What forces say: who presses holds; who is on the border of its cone slides against its friction.
static void classify(thud_sim *sim, const thud_island *island)
{
    static const double NONE = 1e-7; // relative
    double most = 0;
    for (int k = 0; k < island->blocks; k++) {
        if (block_tie(sim, &island->block[k])) {
            most = fmax(most, island->p[island->block[k].row]);
        }
    }
    for (int k = 0; k < island->blocks; k++) {
        const thud_block *b = &island->block[k];
        tie *t = block_tie(sim, b);
        const double *p = island->p + b->row;
        if (!t) {
            continue;
        }
        if (!(p[0] > NONE * most)) {
            t->hold = HOLD_OPEN;
        } else if (t->hold == HOLD_STICK && b->dim == 3) {
            const double *mu = b->static_friction, border = hypot(p[1] / mu[0], p[2] / mu[1]);
            if (border > (1 - BORDER) * p[0]) {
                const double s[2] = {-p[1] / (mu[0] * mu[0]), -p[2] / (mu[1] * mu[1])},
                             length = hypot(s[0], s[1]);
                t->hold = HOLD_SLIDE;
                t->along[0] = s[0] / length;
                t->along[1] = s[1] / length;
            }
        }
    }
}

// Forces that equations alone gave also obey the inequalities, of those on: none pulls, none is beyond its
// cone, and friction leaves every sliding contact its inertia.
static bool admissible(thud_sim *sim, const thud_island *island, const reduced *r, const bool *on)
{
    bool good = true;
    for (int k = 0; k < island->blocks; k++) {
        const thud_block *b = &island->block[k];
        const tie *t = block_tie(sim, b);
        const int at = r->first[k];
        if (!t || (on && !on[at])) {
            continue;
        }
        const double *x = r->x + at, *mu = b->static_friction;
        good &= x[0] > 0 && r->B[at + (size_t)at * (size_t)r->n] > 0;
        good &= t->hold != HOLD_STICK || hypot(x[1] / mu[0], x[2] / mu[1]) <= (1 - BORDER) * x[0];
    }
    return good;
}

// Of many solutions the law may have found one in which contacts that stay closed carry nothing. Here they
// carry their share, if they can: as if all gave way alike [theory 7].
static bool share(thud_sim *sim, const thud_island *island, reduced *r)
{
    bool *on = thud_arena_push(sim->scratch, (size_t)r->n, sizeof *on);
    double *a = thud_arena_push(sim->scratch, (size_t)r->n, sizeof *a);
    double *kept = thud_arena_push(sim->scratch, (size_t)r->n, sizeof *kept);
    if (!on || !a || !kept) {
        return false;
    }
    thud_mat_mulvec((thud_mat){r->n, r->n, r->n, r->B}, r->x, a);
    const double scale = thud_norm_inf(r->n, r->b);
    memcpy(kept, r->x, (size_t)r->n * sizeof *kept);
    for (int k = 0; k < island->blocks; k++) {
        const bool tied = block_tie(sim, &island->block[k]) != NULL;
        const int at = r->first[k], end = k + 1 < island->blocks ? r->first[k + 1] : r->n;
        for (int i = at; i < end; i++) {
            on[i] = !tied || r->x[at] > 0 || a[at] + r->b[at] < 1e-7 * scale;
        }
    }
    if (!solve_linear(sim, r, on)) {
        return false;
    }
    if (!admissible(sim, island, r, on)) {
        memcpy(r->x, kept, (size_t)r->n * sizeof *kept);
    }
    return true;
}

static substep_result decide_island(thud_sim *sim, const thud_island *island)
{
    reduced r;
    thud_island small;
    if (!island->W.a) {
        return event_fail(sim, SUBSTEP_FAILED, "an island of contacts is too large for events");
    }
    if (!reduce(sim, island, island->u_free, true, &r) || !as_island(sim, island, &r, &small)) {
        return SUBSTEP_NO_MEMORY;
    }
    if (!solve_linear(sim, &r, NULL) || !admissible(sim, island, &r, NULL)) {
        memset(r.x, 0, (size_t)r.n * sizeof *r.x);
        if (!solve_law(sim, &small)) {
            return SUBSTEP_UNSOLVED;
        }
        if (!share(sim, island, &r)) {
            return SUBSTEP_NO_MEMORY;
        }
    }
    spread(&r, island);
    classify(sim, island);
    return SUBSTEP_DONE;
}

substep_result hold_decide(thud_sim *sim, const double *tau)
{
    event_drive *e = sim->event;
    for (int i = 0; i < e->ties; i++) {
        tie *t = &e->tie[i];
        const double slip = t->rough ? hypot(t->u[1], t->u[2]) : 0;
        const bool still = slip <= sim->o.event.rest_speed;
        t->hold = !t->resting ? HOLD_OPEN : t->rough && still ? HOLD_STICK : HOLD_SLIDE;
        t->along[0] = still ? 0 : t->u[1] / slip;
        t->along[1] = still ? 0 : t->u[2] / slip;
    }
    bool none;
    substep_result result = prepare(sim, sim->q_start, sim->v_start, tau, &none);
    for (int i = 0; result == SUBSTEP_DONE && !none && i < thud_rows_islands(sim->rows); i++) {
        const thud_island island = thud_rows_island(sim->rows, i);
        const size_t mark = thud_arena_mark(sim->scratch);
        result = decide_island(sim, &island);
        thud_arena_release(sim->scratch, mark);
    }
    for (int i = 0; i < e->ties; i++) {
        tie *t = &e->tie[i];
        t->slack = t->hold == HOLD_OPEN && t->resting ? fmax(1e-9, 1e-9 - t->phi) : 0;
    }
    return result;
}
