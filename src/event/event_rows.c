// SPDX-License-Identifier: Apache-2.0
// event_rows.c: the rows of what holds, and the unknowns that are left of them.                 [theory 5; BW 9]
//
//     a = W f + b,   b = G a_free + G' v
//     sliding    f_t = -mu f_n s, s the direction of the slip: one unknown a contact, and B, the columns that
//                friction leaves of W, is no longer symmetric
//     given      forces that are known: springs and dampers along an equality's axis, dry friction that slides.
//                b <- b + W f
//     rotors     f = -I a - spring: a + f/I + spring/I = 0, a row with compliance 1/I
//
// Symbols  W, G [theory 1] · s = slip of a contact, of torsion and rolling too: f_t = -f_n mu^2 s / |mu s|
#include <math.h>
#include <string.h>

#include <thud/elementary.h>
#include <thud/spatial_inline.h>

#include "event.h"

enum { MOST_ROWS = 1500 }; // of an island that is taken as a dense matrix

// ------------------------------------------------------------------------------------------ friction

static const thud_contact_law *law_of(const thud_sim *sim, const tie *t)
{
    return &sim->sight.touch[t->of].contact->law;
}

// A direction without friction among others that have some has all but none, so that it has a place in the
// cone.
double tie_friction(const thud_sim *sim, const tie *t, int k)
{
    const double *mu = law_of(sim, t)->friction;
    return thud_max(mu[k], 1e-9 * thud_max(thud_max(mu[0], mu[1]), thud_max(mu[2], thud_max(mu[3], mu[4]))));
}

double tie_strain(const thud_sim *sim, const tie *t, const double *f_t)
{
    double sum = 0;
    for (int k = 0; k < t->slips; k++) {
        const double part = f_t[k] / (tie_is_dry(t) ? t->bound : tie_friction(sim, t, k));
        sum += part * part;
    }
    return sqrt(sum);
}

static double sliding_friction(const thud_sim *sim, const tie *t, int k, double speed)
{
    const thud_contact_law *law = law_of(sim, t);
    const double x = speed / law->stribeck, fallen = law->stribeck > 0 ? thud_exp(-x * x) : 0;
    return k < 2 ? law->kinetic[k] + (law->friction[k] - law->kinetic[k]) * fallen + law->viscous * speed
                 : law->friction[k];
}

// The slip's direction; where it begins or ends, or is beyond its end, that of the phase's start.
static void slip_direction(const thud_sim *sim, const tie *t, double s[TIE_ROWS - 1])
{
    const double speed = tie_slip(t), least = sim->o.event.rest_speed;
    double ahead = 0;
    for (int k = 0; k < t->slips; k++) {
        ahead += t->u[1 + k] * t->along[k];
    }
    const bool moves = ahead > (speed > 100 * least ? 0 : least);
    for (int k = 0; k < t->slips; k++) {
        s[k] = moves ? t->u[1 + k] / speed : t->along[k];
    }
}

// The forces of friction that go with a normal force of 1: against the slip, on the border of the cone.
static void slide_share(const thud_sim *sim, const tie *t, double c[TIE_ROWS - 1])
{
    double s[TIE_ROWS - 1], mu[TIE_ROWS - 1], length = 0;
    slip_direction(sim, t, s);
    const double speed = thud_hypot(t->u[1], t->u[2]);
    for (int k = 0; k < t->slips; k++) {
        mu[k] = sliding_friction(sim, t, k, speed);
        length = thud_hypot(length, mu[k] * s[k]);
    }
    for (int k = 0; k < t->slips; k++) {
        c[k] = length > 0 ? -mu[k] * mu[k] * s[k] / length : 0;
    }
}

// ------------------------------------------------------------------------------------------ rows

// Of the block just added, if one was: a constraint between fixed bodies adds none.
static void note(thud_sim *sim, int before, member what)
{
    if (thud_rows_blocks(sim->ask.rows) > before) {
        sim->above.event->member[before] = what;
    }
}

static thud_status add_tie(thud_sim *sim, int i, const double *q)
{
    const tie *t = &sim->above.event->tie[i];
    if (t->kind != TIE_CONTACT) {
        return own_add(sim, t, q);
    }
    thud_contact_row row = {.contact = sim->sight.touch[t->of].contact,
                            .point = v3_scale(0.5, v3_add(t->gap.point[0], t->gap.point[1])),
                            .phi = t->phi,
                            .dim = 1 + t->slips};
    thud_contact_frame(sim->m, sim->d, row.contact, t->gap.normal, row.frame);
    memcpy(row.b, t->b, sizeof row.b);
    return thud_rows_add_contact(sim->ask.rows, &row, i);
}

// Springs, dampers and rotors along the axes that an equality leaves free.
static thud_status add_axes(thud_sim *sim, int e)
{
    const thud_model *m = sim->m;
    const double stiffness = m->eq_stiffness[e], damping = m->eq_damping[e], rotor = m->eq_armature[e];
    freedom f[AXES];
    const int count = stiffness > 0 || damping > 0 || rotor > 0 ? loop_freedoms(sim, e, f) : 0;
    for (int k = 0; k < count; k++) {
        const double pull =
            stiffness * (f[k].x - m->eq_springref[e]) + damping * loop_axis_velocity(sim, e, &f[k]);
        const int before = thud_rows_blocks(sim->ask.rows);
        thud_axis_row axis = loop_axis_row(m, e, k, &f[k]);
        axis.kind = THUD_BLOCK_LOOP;
        axis.epsilon = rotor > 0 ? 1 / rotor : 0;
        axis.b = rotor > 0 ? sim->above.event->axis_b[AXES * e + k] + pull / rotor : 0;
        THUD_TRY(thud_rows_add_axis(sim->ask.rows, &axis));
        note(sim, before, (member){.tie = -1, .given = !(rotor > 0), .force = -pull});
    }
    return THUD_OK;
}

thud_status rows_assemble(thud_sim *sim, const double *q, const double *v, const double *a_free)
{
    event_drive *e = sim->above.event;
    thud_rows_begin(sim->ask.rows, sim->d, 1);
    for (int i = 0; i < e->ties; i++) {
        if (e->tie[i].hold != HOLD_OPEN) {
            const int before = thud_rows_blocks(sim->ask.rows);
            THUD_TRY(add_tie(sim, i, q));
            note(sim, before, (member){.tie = i});
        }
    }
    for (int i = 0; i < sim->m->equalities; i++) {
        THUD_TRY(loop_has_axes(sim->m, i) ? add_axes(sim, i) : THUD_OK);
    }
    const int before = thud_rows_blocks(sim->ask.rows);
    THUD_TRY(loops_hold_with(sim, q, e->loop_b));
    for (int k = before; k < thud_rows_blocks(sim->ask.rows); k++) {
        e->member[k] = (member){.tie = -1};
    }
    return thud_rows_blocks(sim->ask.rows) ? thud_rows_finish(sim->ask.rows, v, a_free, NULL, 0, 0) : THUD_OK;
}

tie *rows_tie(const thud_sim *sim, const thud_island *island, int k)
{
    const int i = sim->above.event->member[island->number[k]].tie;
    return i < 0 ? NULL : &sim->above.event->tie[i];
}

// ------------------------------------------------------------------------------------------ unknowns

// Whether block k's force is known, and what it is.
static bool given(const thud_sim *sim, const thud_island *island, int k, rates what, double *force)
{
    const member *m = &sim->above.event->member[island->number[k]];
    const tie *t = rows_tie(sim, island, k);
    const bool slides = t && tie_is_dry(t) && (t->hold == HOLD_SLIDE || what == RATES_JAM);
    *force = what != RATES_FORCE ? 0 : m->given ? m->force : slides ? -t->bound * t->along[0] : 0;
    return m->given || slides;
}

static void add_block(thud_sim *sim, const thud_island *island, int k, rates what, reduced *r)
{
    tie *t = rows_tie(sim, island, k);
    const thud_block *of = &island->block[k];
    const bool one = t && t->hold == HOLD_SLIDE && what != RATES_JAM;
    thud_block *block = &r->block[r->blocks];
    thud_cone_block *cone = &r->cone[r->blocks];
    *block = *of;
    *cone = island->cone[k];
    block->row = cone->row = r->n;
    block->dim = cone->dim = one ? 1 : of->dim;
    for (int i = 0; t && t->kind == TIE_CONTACT && t->hold == HOLD_STICK && i < t->slips; i++) {
        cone->mu[i] = tie_friction(sim, t, i);
    }
    for (int i = 0; i < block->dim; i++) {
        r->unknown[r->n++] = (unknown){.row = of->row + i};
    }
    if (one && what == RATES_FORCE && of->dim > 1) {
        r->unknown[r->n - 1].shares = t->slips;
        slide_share(sim, t, r->unknown[r->n - 1].c);
    }
    r->tie[r->blocks] = t;
    r->of[r->blocks++] = k;
}

static bool reserve_blocks(thud_arena *arena, const thud_island *island, reduced *r)
{
    const size_t rows = (size_t)island->rows, blocks = (size_t)island->blocks;
    *r = (reduced){.unknown = thud_arena_push(arena, rows, sizeof *r->unknown),
                   .given = thud_arena_push(arena, rows, sizeof *r->given),
                   .diagonal = thud_arena_push(arena, blocks, sizeof *r->diagonal),
                   .tie = thud_arena_push(arena, blocks, sizeof(tie *)),
                   .of = thud_arena_push(arena, blocks, sizeof(int)),
                   .block = thud_arena_push(arena, blocks, sizeof *r->block),
                   .cone = thud_arena_push(arena, blocks, sizeof *r->cone),
                   .island = *island};
    r->island.block = r->block;
    r->island.cone = r->cone;
    return r->unknown && r->given && r->diagonal && r->tie && r->of && r->block && r->cone;
}

static bool reserve_numbers(thud_arena *arena, reduced *r)
{
    const size_t n = (size_t)r->n;
    double *zero = thud_arena_push(arena, n + 1, sizeof *zero);
    r->B = thud_arena_push(arena, n * n + 1, sizeof *r->B);
    r->b = thud_arena_push(arena, n + 1, sizeof *r->b);
    r->x = thud_arena_push(arena, n + 1, sizeof *r->x);
    if (!zero || !r->B || !r->b || !r->x) {
        return false;
    }
    memset(zero, 0, n * sizeof *zero);
    memset(r->x, 0, n * sizeof *r->x);
    r->island.rows = r->n;
    r->island.blocks = r->blocks;
    r->island.W = (thud_mat){r->n, r->n, r->n, r->B};
    r->island.sparse = NULL;
    r->island.u_free = r->b;
    r->island.u_before = r->island.p_before = zero;
    r->island.epsilon = NULL; // in B
    r->island.p = r->x;
    return true;
}

// What unknown `row` is to balance, given forces apart.
static double rate_of(const thud_island *island, int row, rates what)
{
    const bool rotor = island->epsilon && island->epsilon[row] > 0;
    switch (what) {
    case RATES_FORCE:
        return island->u_free[row];
    case RATES_STILL:
        return rotor ? 0 : island->u_before[row];
    case RATES_JAM:
        break;
    }
    return rotor ? 0 : island->u_before[row] + JAM_STEP * island->u_free[row];
}

static void fill(const thud_island *island, const double *W, size_t stride, rates what, reduced *r)
{
    for (int c = 0; c < r->n; c++) {
        const unknown *by = &r->unknown[c];
        for (int i = 0; i < r->n; i++) {
            const double *at = W + r->unknown[i].row + (size_t)by->row * stride;
            double sum = at[0];
            for (int k = 0; k < by->shares; k++) {
                sum += by->c[k] * at[(size_t)(k + 1) * stride];
            }
            r->B[i + (size_t)c * (size_t)r->n] = sum;
        }
        r->b[c] = rate_of(island, by->row, what);
        for (int g = 0; g < island->rows; g++) {
            r->b[c] += r->given[g] != 0 ? W[by->row + (size_t)g * stride] * r->given[g] : 0;
        }
    }
    for (int k = 0; k < r->blocks; k++) {
        const size_t row = (size_t)island->block[r->of[k]].row;
        r->diagonal[k] = W[row + row * stride];
    }
}

substep_result rows_reduce(thud_sim *sim, const thud_island *island, rates what, reduced *out)
{
    const size_t rows = (size_t)island->rows;
    if (island->rows > MOST_ROWS) {
        return event_fail(sim, SUBSTEP_FAILED,
                          "%d rows of contacts that touch are too many to move by events", island->rows);
    }
    if (!reserve_blocks(sim->answer.scratch, island, out)) {
        return SUBSTEP_NO_MEMORY;
    }
    for (int k = 0; k < island->blocks; k++) {
        const thud_block *b = &island->block[k];
        double force;
        const bool known = given(sim, island, k, what, &force);
        for (int i = 0; i < b->dim; i++) {
            out->given[b->row + i] = force; // of one row, or 0
        }
        if (!known) {
            add_block(sim, island, k, what, out);
        }
    }
    const bool as_it_is = island->W.a && !island->epsilon;
    double *W = as_it_is ? island->W.a : thud_arena_push(sim->answer.scratch, rows * rows, sizeof *W);
    if (!W || !reserve_numbers(sim->answer.scratch, out)) {
        return SUBSTEP_NO_MEMORY;
    }
    if (!as_it_is) {
        memset(W, 0, rows * rows * sizeof *W);
        thud_island_copy_delassus(island, NULL, W, rows);
    }
    fill(island, W, as_it_is ? (size_t)island->W.stride : rows, what, out);
    return SUBSTEP_DONE;
}

void rows_spread(const reduced *r, const thud_island *island)
{
    memcpy(island->p, r->given, (size_t)island->rows * sizeof(double));
    for (int i = 0; i < r->n; i++) {
        const unknown *u = &r->unknown[i];
        island->p[u->row] += r->x[i];
        for (int k = 0; k < u->shares; k++) {
            island->p[u->row + 1 + k] += u->c[k] * r->x[i];
        }
    }
}
