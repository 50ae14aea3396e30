// SPDX-License-Identifier: Apache-2.0
// settle.c: one correction of positions: how far each island moves, whatever its rows ask. [theory 3, 7]
//
// The law's answer is exact where there is one. Where there is none (rows that contradict each other, more rows than
// dofs), or where it would move bodies farther than their errors explain, the island takes the nearest motion there is
// (thud_rows_settle), its rows giving way more and more, and in the end a part of that:
//
//     way <= 4 max(error, sqrt(error size))        a body that turns out of an overlap moves by about the root
//     a longer way is shortened to                  sqrt(error size)
#include <math.h>
#include <string.h>

#include <thud/spatial_inline.h>

#include "corrections.h"

// Overlaps that cannot all be undone, in islands too large for thud_rows_settle: springs this much softer than the bodies are heavy.
static const double SOFT = 1e-4;
static const double GIVES[] = {1e-4, 1e-2, 1e-1}; // parts of their errors by which rows give way
enum { GENTLE = sizeof GIVES / sizeof GIVES[0] };

// More rows than any motion could tell apart, and more than a few.
static bool is_crowded(const thud_sim *sim, const thud_standing *island)
{
    enum { FEW = 24 };
    return island->rows > FEW && island->rows > sim->m->nv;
}

static thud_status soften(thud_sim *sim, int island, double part)
{
    THUD_ASSERT(part > 0);
    law_verdict *v = &sim->answer.verdict[island];
    bool found;
    THUD_TRY(thud_rows_settle(sim->ask.rows, island, part, sim->answer.scratch, &found));
    v->law.solved = v->law.solved || found;
    return THUD_OK;
}

// Loops and limits alone, which may be a hair away from locking: small errors of theirs are worth a better answer than the nearest.
static bool has_contacts(const thud_sim *sim, int island)
{
    const thud_island of = thud_rows_island(sim->ask.rows, island);
    bool any = false;
    for (int k = 0; k < of.blocks && !any; k++) {
        any = of.block[k].kind == THUD_BLOCK_CONTACT;
    }
    return any;
}

static thud_status solve_all(thud_sim *sim, const thud_law_options *o)
{
    const law_work work = sim_work(sim);
    for (int i = 0; i < thud_rows_islands(sim->ask.rows); i++) {
        const thud_standing island = thud_rows_standing(sim->ask.rows, i);
        sim->answer.verdict[i] = (law_verdict){.held = is_crowded(sim, &island)};
    }
    law_solve_islands(&work, o, sim->answer.verdict);
    for (int i = 0; i < thud_rows_islands(sim->ask.rows); i++) {
        const law_verdict *v = &sim->answer.verdict[i];
        THUD_TRY(v->held ? THUD_OK : v->status);
        if (v->held || (!v->law.solved && has_contacts(sim, i))) {
            THUD_TRY(soften(sim, i, GIVES[0]));
        }
    }
    law_solve_softly(&work, o, SOFT, sim->answer.verdict);
    for (int i = 0; i < thud_rows_islands(sim->ask.rows); i++) {
        THUD_TRY(sim->answer.verdict[i].status);
    }
    return THUD_OK;
}

// ---------------------------------------------------------------------------------------------- how far

typedef struct ways { // of a correction
    double *error;    // islands: of their worst rows
    double *far;      // islands: how many times too far they move; at most 1: not
    int *island;      // links: of a root the island that acts on its tree, -1: none; of others their root
    double *size;     // links: of a root how far its tree reaches from it, m
} ways;

static double worst_of(const thud_island *island)
{
    double worst = 0;
    for (int k = 0; k < island->blocks; k++) {
        const thud_block *b = &island->block[k];
        for (int r = b->row; r < b->row + b->dim; r++) {
            const double e = island->u_free[r];
            worst = greater_of(b->kind == THUD_BLOCK_LOOP ? fabs(e) : -e, worst);
        }
    }
    return worst;
}

static void take_link(const thud_sim *sim, const ways *w, int link, int island)
{
    while (link >= 0 && sim->m->link_parent[link] >= 0) {
        link = sim->m->link_parent[link];
    }
    if (link >= 0) {
        w->island[link] = island;
    }
}

// Which island acts on which tree.
static void assign_trees(const thud_sim *sim, const ways *w)
{
    const thud_model *m = sim->m;
    for (int i = 0; i < m->joints; i++) {
        w->island[i] = -1;
    }
    for (int i = 0; i < thud_rows_islands(sim->ask.rows); i++) {
        const thud_island island = thud_rows_island(sim->ask.rows, i);
        bool others = false;
        w->error[i] = worst_of(&island);
        for (int k = 0; k < island.blocks; k++) {
            const thud_block *b = &island.block[k];
            others = others || b->kind != THUD_BLOCK_CONTACT;
            if (b->kind == THUD_BLOCK_CONTACT) {
                take_link(sim, w, m->body_link[b->body1], i);
                take_link(sim, w, m->body_link[b->body2], i);
            }
        }
        for (int link = 0; others && link < m->joints; link++) {
            if (m->link_parent[link] < 0 && thud_rows_hold(sim->ask.rows, i, link)) {
                w->island[link] = i;
            }
        }
    }
    for (int i = 0; i < m->joints; i++) { // parents come first
        const int parent = m->link_parent[i];
        const int root = parent < 0 ? i : m->link_parent[parent] < 0 ? parent : w->island[parent];
        const vec3 away = v3_sub(sim->d->link[i].o, sim->d->link[root].o);
        w->island[i] = parent < 0 ? w->island[i] : root;
        w->size[i] = 0;
        w->size[root] = greater_of(sim->sight.extent[i] + v3_norm(away), w->size[root]);
    }
}

// How many times farther than it may each island moves along sim->go.dq. Returns whether any does.
static bool measure_ways(thud_sim *sim, const ways *w)
{
    static const double MOST = 4;
    const thud_model *m = sim->m;
    bool any = false;
    sim_twists(sim, sim->go.dq, sim->fall.V_hat);
    for (int i = 0; i < thud_rows_islands(sim->ask.rows); i++) {
        w->far[i] = 0;
    }
    for (int i = 0; i < m->joints; i++) {
        const int root = m->link_parent[i] < 0 ? i : w->island[i], island = w->island[root];
        const double way =
            v3_norm(sim->fall.V_hat[i].lin) + sim->sight.extent[i] * v3_norm(sim->fall.V_hat[i].ang);
        if (island < 0 || way <= MOST * w->error[island]) {
            continue;
        }
        const double may = greater_of(w->error[island], sqrt(w->error[island] * w->size[root]));
        w->far[island] = greater_of(way / may, w->far[island]);
        any = any || !(way <= MOST * may);
    }
    return any;
}

static bool any_is_fast(thud_sim *sim, double *most) // does anything move at all
{
    *most = 0;
    for (int i = 0; i < sim->m->nv; i++) {
        *most = greater_of(fabs(sim->go.dq[i]), *most);
    }
    return *most > 0 || !(*most <= INFINITY);
}

thud_status settle_islands(thud_sim *sim, const thud_law_options *o)
{
    THUD_ASSERT(o->law == THUD_LAW_CONE);
    static const double MOST = 4;
    THUD_TRY(solve_all(sim, o));
    thud_rows_respond(sim->ask.rows, sim->d, sim->go.dq);
    double most;
    if (!any_is_fast(sim, &most)) {
        return THUD_OK;
    }
    const size_t mark = thud_arena_mark(sim->answer.scratch),
                 islands = (size_t)thud_rows_islands(sim->ask.rows);
    const ways w = {thud_arena_push(sim->answer.scratch, islands, sizeof *w.error),
                    thud_arena_push(sim->answer.scratch, islands, sizeof *w.far),
                    thud_arena_push(sim->answer.scratch, (size_t)sim->m->joints, sizeof *w.island),
                    thud_arena_push(sim->answer.scratch, (size_t)sim->m->joints, sizeof *w.size)};
    thud_status status = w.error && w.far && w.island && w.size ? THUD_OK : THUD_NO_MEMORY;
    if (status == THUD_OK) {
        assign_trees(sim, &w);
    }
    for (int k = 0; status == THUD_OK && k <= GENTLE && measure_ways(sim, &w); k++) {
        for (int i = 0; status == THUD_OK && i < (int)islands; i++) {
            if (w.far[i] <= MOST) {
                continue;
            }
            if (k < GENTLE) {
                status = soften(sim, i, GIVES[k]);
            } else {
                thud_rows_scale(sim->ask.rows, i, w.far[i] < INFINITY ? 1 / w.far[i] : 0);
            }
        }
        thud_rows_respond(sim->ask.rows, sim->d, sim->go.dq);
    }
    thud_arena_release(sim->answer.scratch, mark);
    return status;
}

// ---------------------------------------------------------------------------------------------- pairs given up

static bool same_pair(const overlap *o, const thud_contact *c)
{
    return o->geom1 == c->geom1 && o->geom2 == c->geom2;
}

void settle_list(const thud_sim *sim, overlaps *out)
{
    out->count = 0;
    for (int i = 0; sim->sight.collider && i < sim->sight.here.set->count; i++) {
        const thud_contact *c = &sim->sight.here.set->contact[i];
        if (!(c->phi < -sim_slop(sim)) || !settle_counts(sim, c)) {
            continue;
        }
        int k = 0;
        while (k < out->count && !same_pair(&out->of[k], c)) {
            k++;
        }
        if (k == OVERLAPS) { // too many to tell apart
            out->count = 0;
            return;
        }
        if (k == out->count) {
            out->of[out->count++] = (overlap){c->geom1, c->geom2, 0};
        }
        out->of[k].depth = greater_of(-c->phi, out->of[k].depth);
    }
}

bool settle_give_up(thud_sim *sim, const overlaps *before, const overlaps *after)
{
    THUD_ASSERT(before->count <= OVERLAPS && after->count <= OVERLAPS);
    static const double STAYS = 0.9, HALF = 0.5; // of an overlap
    double was = 0, is = 0;
    bool any = false;
    for (int k = 0; k < before->count; k++) {
        was = greater_of(before->of[k].depth, was);
    }
    for (int k = 0; k < after->count; k++) {
        is = greater_of(after->of[k].depth, is);
    }
    for (int k = 0; k < before->count && is > STAYS * was; k++) {
        double left = 0;
        for (int i = 0; i < after->count; i++) {
            const overlap *o = &after->of[i];
            left = o->geom1 == before->of[k].geom1 && o->geom2 == before->of[k].geom2 ? o->depth : left;
        }
        if (left > HALF * before->of[k].depth && sim->go.given_up.count < OVERLAPS) {
            sim->go.given_up.of[sim->go.given_up.count++] = before->of[k];
            any = true;
        }
    }
    return any;
}
