// SPDX-License-Identifier: Apache-2.0
// bounce.c: collisions with restitution: impulses that take no time. [theory 6; JO V]
//
//     Newton    one problem:  u_n+ >= -e u_n-
//     Poisson   two: compression ends with u_n >= 0 and impulses p^c; in decompression each normal impulse is
//               at least e p_n^c, and more only where that leaves u_n = 0:
//                  K contains p,   p_n >= c = e p_n^c,   0 <= s  orthogonal to  p_n - c >= 0
//                  [ u - (s, 0, 0) ]   [ W  -N ] [ p ]   [ u^c ]
//                  [ p_n - c       ] = [ N^T 0 ] [ s ] + [ -c  ]
//               with a unilateral row s for each contact: a larger problem of the same kind, which every law
//               takes. Friction is bounded by the whole normal impulse of its phase.
// Differs  JO prints 0 for the bound's constant; with 0 a sticking impact at e = 1 can gain a third of its
//          energy.
// Fails    as the law does; with friction Newton's hypothesis can gain energy, which is computed and reported.
#include <math.h>
#include <string.h>

#include <thud/spatial_inline.h>

#include "sim.h"

// Rows of all that touches at (q_start, v_start).
static thud_status assemble(thud_sim *sim)
{
    const bool newton = sim->o.restitution_law == THUD_RESTITUTION_NEWTON;
    thud_rows_begin(sim->ask.rows, sim->d, 0);
    for (int i = 0; i < sim->sight.touches; i++) {
        const touch *t = &sim->sight.touch[i];
        const thud_contact *c = t->contact;
        if (t->phi <= TOUCHING) {
            const double b = newton ? bounce_of(sim, t) * t->u[0] : 0;
            thud_contact_row row = {
                .contact = c, .point = c->point, .phi = t->phi, .b = {b}, .dim = c->law.condim};
            thud_contact_frame(sim->m, sim->d, c, c->normal, row.frame);
            THUD_TRY(thud_rows_add_contact(sim->ask.rows, &row, i));
        }
    }
    THUD_TRY(loops_hold(sim));
    return thud_rows_finish(sim->ask.rows, sim->begun.v_start, sim->begun.v_start, NULL, 0, 0);
}

// ----------------------------------------------------------------------------------------------
// decompression

typedef struct larger { // an island with a row s for each contact that springs back
    thud_island island;
    thud_block *block;
    thud_cone_block *cone;
    double *W, *u, *p;
} larger;

static bool enlarge(const thud_island *of, int extra, thud_arena *arena, larger *out)
{
    THUD_ASSERT(extra > 0);
    const size_t rows = (size_t)of->rows + (size_t)extra, blocks = (size_t)of->blocks + (size_t)extra;
    out->block = thud_arena_push(arena, blocks, sizeof *out->block);
    out->cone = thud_arena_push(arena, blocks, sizeof *out->cone);
    out->W = thud_arena_push(arena, rows * rows, sizeof *out->W);
    out->u = thud_arena_push(arena, rows, sizeof *out->u);
    out->p = thud_arena_push(arena, rows, sizeof *out->p);
    if (!out->block || !out->cone || !out->W || !out->u || !out->p) {
        return false;
    }
    memset(out->W, 0, rows * rows * sizeof *out->W);
    memset(out->p, 0, rows * sizeof *out->p);
    memcpy(out->block, of->block, (size_t)of->blocks * sizeof *out->block);
    memcpy(out->cone, of->cone, (size_t)of->blocks * sizeof *out->cone);
    thud_island_copy_delassus(of, NULL, out->W, rows);
    out->island = *of;
    out->island.rows = (int)rows;
    out->island.blocks = (int)blocks;
    out->island.block = out->block;
    out->island.cone = out->cone;
    out->island.W = (thud_mat){(int)rows, (int)rows, (int)rows, out->W};
    out->island.u_free = out->u;
    out->island.u_before = out->u;
    out->island.epsilon = NULL;
    out->island.p_before = out->p;
    out->island.p = out->p;
    return true;
}

static double springs_back(const thud_sim *sim, const thud_island *island, int k)
{
    THUD_ASSERT(k >= 0 && k < island->blocks);
    const thud_block *b = &island->block[k];
    return b->kind == THUD_BLOCK_CONTACT ? bounce_of(sim, &sim->sight.touch[b->source]) * island->p[b->row]
                                         : 0;
}

static substep_result decompress(thud_sim *sim, const thud_island *island)
{
    int extra = 0;
    for (int k = 0; k < island->blocks; k++) {
        extra += springs_back(sim, island, k) > 0;
    }
    larger l;
    const size_t mark = thud_arena_mark(sim->answer.scratch);
    if (extra == 0) {
        return SUBSTEP_DONE;
    }
    if (!enlarge(island, extra, sim->answer.scratch, &l)) {
        thud_arena_release(sim->answer.scratch, mark);
        return SUBSTEP_NO_MEMORY;
    }
    const int n = island->rows, rows = n + extra;
    thud_mat_mulvec((thud_mat){n, n, rows, l.W}, island->p, l.u);
    for (int r = 0; r < n; r++) {
        l.u[r] += island->u_free[r];
        l.p[r] = 0;
    }
    int s = n, block = island->blocks;
    for (int k = 0; k < island->blocks; k++) {
        const double c = springs_back(sim, island, k);
        if (c > 0) {
            const int r = island->block[k].row;
            l.W[r + (size_t)s * (size_t)rows] = -1;
            l.W[s + (size_t)r * (size_t)rows] = 1;
            l.u[s] = -c;
            l.p[r] = c;
            l.block[block] = (thud_block){.kind = THUD_BLOCK_LIMIT, .row = s, .dim = 1, .id = (uint64_t)k};
            l.cone[block++] = (thud_cone_block){.kind = THUD_CONE_KIND_CONTACT, .row = s++, .dim = 1};
        }
    }
    const substep_result result = sim_solve_island(sim, &l.island);
    for (int r = 0; r < n; r++) {
        island->p[r] += l.p[r];
    }
    thud_arena_release(sim->answer.scratch, mark);
    return result;
}

// ---------------------------------------------------------------------------------------------- all

static double kinetic(thud_sim *sim, const double *v)
{
    sim_move(sim, v);
    return thud_dynamics_energy(sim->m, sim->begun.q_start, v, sim->d).kinetic;
}

substep_result sim_bounce(thud_sim *sim, double *before)
{
    THUD_ASSERT(sim->ask.rows);
    const thud_model *m = sim->m;
    memset(sim->d->implicit, 0, (size_t)m->nv * sizeof(double));
    sim->force.h_implicit = 0;
    if (!sim_factor(sim, sim->begun.q_start)) {
        return SUBSTEP_FAILED;
    }
    *before = kinetic(sim, sim->begun.v_start);
    sim->answer.cone_residual = sim->answer.lcp_residual = 0;
    const thud_status status = assemble(sim);
    if (status != THUD_OK) {
        return substep_of(status);
    }
    for (int i = 0; i < thud_rows_islands(sim->ask.rows); i++) {
        const thud_island island = thud_rows_island(sim->ask.rows, i);
        substep_result result = sim_solve_island(sim, &island);
        if (result == SUBSTEP_DONE && sim->o.restitution_law == THUD_RESTITUTION_POISSON) {
            result = decompress(sim, &island);
        }
        if (result != SUBSTEP_DONE) {
            return result;
        }
    }
    thud_rows_respond(sim->ask.rows, sim->d, sim->answer.push);
    return SUBSTEP_DONE;
}

void sim_bounce_end(thud_sim *sim, double before)
{
    for (int i = 0; i < sim->m->nv; i++) {
        sim->begun.v_start[i] += sim->answer.push[i];
    }
    const double change = kinetic(sim, sim->begun.v_start) - before;
    sim->judge.c.contact_work += change;
    sim->judge.c.cone_residual = thud_max(sim->judge.c.cone_residual, sim->answer.cone_residual);
    sim->judge.c.lcp_residual = thud_max(sim->judge.c.lcp_residual, sim->answer.lcp_residual);
    sim->judge.c.impact_gain = thud_max(sim->judge.c.impact_gain, change);
    sim->judge.c.impacts += bounce_now(sim);
}
