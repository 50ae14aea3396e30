// SPDX-License-Identifier: Apache-2.0
// nudge.c: small errors of positions at the end of a step, put right by the step's own rows. [theory 3, 7]
//
// A contact that rolls or a loop that turns ends a step off by what the curvature of its way is worth, 1e-7 m. To find that by a
// query, make rows and W anew for it, and query once more (project.c) costs as much as a round of the step. Gap functions tell it
// for less, and the rows of the step, half a step old, know the way out to some per cent: after one or two nudges nothing is left
// for the query to find. Errors without rows, and large ones, are left to project.c.
#include <math.h>
#include <string.h>

#include <thud/spatial_inline.h>

#include "corrections.h"

// The room that a limit leaves at q_next. Of numbers of limits see thud_row_source: the upper one of a joint comes second.
static double limit_room(const thud_sim *sim, const thud_block *b)
{
    thud_row_source source;
    int number = 0;
    limit l[2];
    (void)thud_row_id_read(b->id, &source, &number);
    if (source == THUD_ROW_LEVER) {
        return tendon_room(sim, b->source, number % 4 == 0 ? 1 : -1);
    }
    const int count = limits_of(sim->m, b->source, sim->go.q_next, l);
    return l[count == 2 && number % 2 == 1].phi;
}

// The error of each row of a block at q_next, where the links are; INFINITY: it does not count. Returns the worst.
static double look_at(thud_sim *sim, const thud_block *b, double *error)
{
    double worst = 0, g[6];
    for (int r = 0; r < b->dim; r++) {
        error[r] = INFINITY;
    }
    switch (b->kind) {
    case THUD_BLOCK_LOOP:
        if (tendon_equality(sim->m, b->source)) {
            g[0] = tendon_equality_error(sim, b->source);
        } else {
            loops_errors(sim, b->source, sim->go.q_next, g);
        }
        for (int r = 0; r < b->dim; r++) {
            error[r] = g[r];
            worst = greater_of(fabs(g[r]), worst);
        }
        break;
    case THUD_BLOCK_CONTACT:
        error[0] = touch_gap(sim, &sim->sight.touch[b->source]).phi;
        worst = -error[0];
        break;
    case THUD_BLOCK_LIMIT:
        error[0] = limit_room(sim, b);
        worst = -error[0];
        break;
    case THUD_BLOCK_DRY:
        break;
    }
    return worst;
}

// The same of all rows of an island. Contacts and limits with more room than the worst is off do not count.
static double look(thud_sim *sim, const thud_island *island, double *error)
{
    double worst = 0;
    for (int k = 0; k < island->blocks; k++) {
        worst = greater_of(look_at(sim, &island->block[k], error + island->block[k].row), worst);
    }
    for (int r = 0; r < island->rows; r++) {
        error[r] = error[r] <= worst ? error[r] : INFINITY;
    }
    return worst;
}

// Rows of the exact cone, few, and each of a kind that is looked at here.
static bool may_nudge(const thud_sim *sim)
{
    enum { FEW = 32 }; // blocks
    const int blocks = thud_rows_blocks(sim->ask.rows);
    bool may = blocks > 0 && blocks <= FEW && !sim_by_events(sim) && sim_exact(sim) && !sim_rough(sim);
    for (int e = 0; may && e < sim->m->equalities; e++) {
        may = !loop_has_axes(sim->m, e);
    }
    return may;
}

// About the square of what a contact is off by after a step of h: the third power of the angle through which its bodies turn
// against each other, but for turns about the normal, times their sizes.
static double curvature(const thud_sim *sim, const thud_block *b, double h)
{
    const int one = sim->m->body_link[b->body1], two = sim->m->body_link[b->body2];
    const vec3 none = v3(0, 0, 0), w1 = one < 0 ? none : sim->d->link[one].w,
               w2 = two < 0 ? none : sim->d->link[two].w;
    const double size = (one < 0 ? 0 : sim->sight.extent[one]) + (two < 0 ? 0 : sim->sight.extent[two]);
    const double angle2 = h * h * v3_norm2(v3_cross(b->frame[0], v3_sub(w2, w1)));
    return angle2 * angle2 * angle2 * size * size;
}

// Whether another contact of the same bodies curves as this one.
static bool curves_alike(const thud_block *a, const thud_block *b)
{
    const vec3 *n = &a->frame[0], *m = &b->frame[0];
    return a->kind == b->kind && a->body1 == b->body1 && a->body2 == b->body2 && n->x == m->x &&
           n->y == m->y && n->z == m->z;
}

// A contact that strikes ends half a step too deep. Those that touched before are not off.
static bool block_may_be_off(const thud_sim *sim, const thud_island *island, int k, double h, double least)
{
    const thud_block *b = &island->block[k];
    const bool strikes = island->p[b->row] > 0 && -h * island->u_before[b->row] > least;
    return (b->kind == THUD_BLOCK_LIMIT && strikes) ||
           (b->kind == THUD_BLOCK_CONTACT &&
            (strikes || ((k == 0 || !curves_alike(b - 1, b)) && curvature(sim, b, h) > least * least)));
}

// Is there reason to look? Not where nothing has moved. Loops and tendons drift as the fastest of their links turns. Where this is wrong project.c puts it right.
static bool may_be_off(const thud_sim *sim, double h)
{
    static const double PART = 0.1; // of the slop
    const bool ties = sim->m->equalities > 0 || sim->ask.tendon_rows;
    const double least = PART * sim_slop(sim), turn = ties ? h * sim_fastest_turn(sim) : 0;
    const bool moved = !same_numbers(sim->m->nq, sim->go.q_next, sim->begun.q_start);
    bool off = moved && turn * turn * turn > least;
    for (int i = 0; moved && !off && i < thud_rows_islands(sim->ask.rows); i++) {
        const thud_island island = thud_rows_island(sim->ask.rows, i);
        for (int k = 0; !off && k < island.blocks; k++) {
            off = block_may_be_off(sim, &island, k, h, least);
        }
    }
    return off;
}

typedef struct nudging { // of all islands, one after the other
    double *error, *l;   // of their rows
    double *off;         // how far the worst row of each was off before it was last nudged
    bool *done;          // islands
} nudging;

static bool make_room(const thud_sim *sim, nudging *n)
{
    const size_t islands = (size_t)thud_rows_islands(sim->ask.rows);
    size_t rows = 0;
    for (size_t i = 0; i < islands; i++) {
        rows += (size_t)thud_rows_standing(sim->ask.rows, (int)i).rows;
    }
    n->error = thud_arena_push(sim->answer.scratch, rows, sizeof *n->error);
    n->l = thud_arena_push(sim->answer.scratch, rows, sizeof *n->l);
    n->off = thud_arena_push(sim->answer.scratch, islands, sizeof *n->off);
    n->done = thud_arena_push(sim->answer.scratch, islands, sizeof *n->done);
    for (size_t i = 0; n->off && n->done && i < islands; i++) {
        n->off[i] = INFINITY;
        n->done[i] = false;
    }
    return n->error && n->l && n->off && n->done;
}

// The trees of island i back to where they were before they were last nudged.
static void take_back(thud_sim *sim, int i)
{
    const thud_model *m = sim->m;
    for (int j = 0; j < m->joints; j++) {
        const int q = m->joint_q[j], end = j + 1 < m->joints ? m->joint_q[j + 1] : m->nq;
        if (thud_rows_hold(sim->ask.rows, i, j)) {
            copy_numbers(end - q, sim->fall.q + q, sim->go.q_next + q);
        }
    }
}

// How every island is to move; each by its own rows alone, so that it moves as it would without the others. A nudge that left
// more than a part of the error did not know the way and is taken back. last: none is to follow. *sure: those found are all but sure
// to leave nothing that counts.
static thud_status find_ways(thud_sim *sim, const nudging *n, bool last, bool *any, bool *sure)
{
    static const double FAR = 1e-3, SLOW = 0.3; // m, rad; of the error
    static const double LEFT = 0.01;            // of the error, as a rule, by rows half a step old
    double *error = n->error, *l = n->l;
    *any = false;
    *sure = sim->scheme == THUD_INTEGRATOR_MIDPOINT;
    for (int i = 0; i < thud_rows_islands(sim->ask.rows); i++) {
        const thud_island island = thud_rows_island(sim->ask.rows, i);
        const double worst = n->done[i] ? 0 : look(sim, &island, error);
        sim->go.misfit = greater_of(worst, sim->go.misfit);
        const bool helped = worst < SLOW * n->off[i];
        bool found = !last && !n->done[i] && helped && worst > sim_slop(sim) && worst < FAR;
        memset(l, 0, (size_t)island.rows * sizeof *l);
        if (!n->done[i] && !helped) {
            take_back(sim, i);
        } else if (found) {
            THUD_TRY(thud_rows_nudge(sim->ask.rows, i, error, sim->answer.scratch, l, &found));
        }
        n->off[i] = worst;
        n->done[i] = !found;
        *any = *any || found;
        *sure = *sure && !(found && LEFT * worst > sim_slop(sim));
        error += island.rows;
        l += island.rows;
    }
    return THUD_OK;
}

// q_next, which is kept in q, along the response to n->l.
static void move(thud_sim *sim, const nudging *n, nudged *of)
{
    if (!of->moved && sim->judge.certify) {
        of->energy = sim_energy_at(sim, sim->go.q_next, sim->go.v_next);
    }
    thud_rows_respond_to(sim->ask.rows, sim->d, n->l, sim->go.dq);
    sim_copy(sim, sim->go.q_next, (size_t)sim->m->nq * sizeof(double), sim->fall.q);
    sim_move_some(sim);
    sim->judge.c.projections++;
    of->moved = true;
}

thud_status sim_nudge(thud_sim *sim, double h, nudged *of)
{
    THUD_ASSERT(h > 0);
    enum { MOST = 4 };
    *of = (nudged){0};
    if (!may_nudge(sim) || !may_be_off(sim, h)) {
        return THUD_OK;
    }
    const size_t mark = thud_arena_mark(sim->answer.scratch);
    nudging n;
    thud_status status = make_room(sim, &n) ? THUD_OK : THUD_NO_MEMORY;
    bool any = true,
         sure = false; // what is sure is looked at by the query that follows, and by nobody before
    for (int k = 0; status == THUD_OK && any && !sure; k++) {
        sim_place_frames(sim, sim->go.q_next);
        tendon_rows_place(sim, sim->go.q_next);
        status = find_ways(sim, &n, k == MOST, &any, &sure);
        if (status == THUD_OK && any) {
            move(sim, &n, of);
        }
    }
    thud_arena_release(sim->answer.scratch, mark);
    return status;
}
