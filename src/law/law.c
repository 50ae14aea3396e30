// SPDX-License-Identifier: Apache-2.0
// law.c: the one call for every law: how much memory it takes, who solves it, who judges.
#include <math.h>
#include <string.h>

#include "law_inside.h"

// ---------------------------------------------------------------------------------------------- options,
// memory

thud_law_options thud_law_defaults(void)
{
    return (thud_law_options){
        .law = THUD_LAW_CONE,
        .solver = THUD_SOLVER_AUTO,
        .directions = 8,
        .tolerance = 1e-8,
        .slip = 1e-3,
        .lateral = true,
        .normal_stiffness = INFINITY,
        .tangent_stiffness = 1e8,
        .tangent_damping = 1e5,
    };
}

static bool good_options(const thud_law_options *o)
{
    return (unsigned)o->law < THUD_LAWS && (unsigned)o->solver < THUD_SOLVERS && o->directions >= 4 &&
           o->directions % 2 == 0 && o->tolerance > 0 && o->slip >= 0 && o->rho >= 0 &&
           o->normal_stiffness >= 0 && o->normal_damping >= 0 && o->tangent_stiffness >= 0 &&
           o->tangent_damping >= 0;
}

typedef struct form { // of a law that is a linear complementarity problem
    int (*size)(const thud_island *island, const thud_law_options *o); // unknowns, or a bound on them
    bool (*state)(law_case *c);                                        // false: no memory
    bool reduced;                                                      // solved without its free rows
    bool boxed;                                                        // bounds on every unknown
} form;

static const form forms[LAW_FORMS] = {
    [LAW_FORM_PYRAMID] = {law_pyramid_size, law_pyramid, false, false},
    [LAW_FORM_PHANTOM] = {law_phantom_size, law_phantom, true, false},
    [LAW_FORM_BOXED] = {law_boxed_size, law_boxed, false, true},
};

static const form *form_of(const thud_law_options *o)
{
    return &forms[law_traits_of(o->law)->form];
}

static int unknowns(const thud_island *island, const thud_law_options *o)
{
    THUD_ASSERT(!law_is_exact(o->law));
    return form_of(o)->size(island, o);
}

size_t thud_law_scratch(const thud_island *island, const thud_law_options *o)
{
    const size_t rows = (size_t)island->rows, number = sizeof(double);
    const size_t rank = (rows * rows + 4 * rows + 64) * number;
    if (law_is_exact(o->law)) {
        const thud_cone cone = thud_island_cone(island);
        const size_t solve = thud_cone_scratch(&cone);
        return solve > rank ? solve : rank;
    }
    const int n = unknowns(island, o) > island->rows ? unknowns(island, o) : island->rows;
    const size_t size = (size_t)n, reduced = form_of(o)->reduced ? size * size : 0;
    const int boxed = form_of(o)->boxed ? n : island->blocks;
    enum { VECTORS = 32, LINES = 64 * 48 }; // pushes of n numbers, and the end of a cache line for each
    return (rows * rows + 2 * size * size + reduced + VECTORS * (size + rows)) * number + LINES + rank +
           thud_lcp_scratch_bytes(n, boxed, THUD_LCP_LEMKE);
}

// ---------------------------------------------------------------------------------------------- the calls

static thud_law_report solve_linear(const thud_island *island, const thud_law_options *o, thud_arena *scratch)
{
    THUD_ASSERT(!law_is_exact(o->law));
    law_case c;
    if (!law_case_open(&c, island, o, scratch) || !form_of(o)->state(&c)) {
        return (thud_law_report){.outcome = "no-memory", .residual = NAN, .rank = -1};
    }
    return law_climb(&c);
}

static thud_law_report without_solving(const char *outcome)
{
    return (thud_law_report){.outcome = outcome, .residual = NAN, .rank = -1};
}

thud_law_report thud_law_solve(const thud_island *island, const thud_law_options *o, thud_arena *scratch)
{
    if (!good_options(o)) {
        return without_solving("bad-options");
    }
    if (thud_law_refuses(o->law, o->solver)) {
        return without_solving("refused");
    }
    if (island->rows == 0) {
        return (thud_law_report){.solved = true, .outcome = "solved", .rank = o->want_rank ? 0 : -1};
    }
    if (!law_is_exact(o->law) && unknowns(island, o) > THUD_LAW_UNKNOWNS) {
        return without_solving("too-large");
    }
    if (!island->W.a && !island->sparse && !(island->product && law_is_exact(o->law))) {
        return without_solving("not-filled");
    }
    const size_t mark = thud_arena_mark(scratch);
    thud_law_report report =
        law_is_exact(o->law) ? law_cone(island, o, scratch) : solve_linear(island, o, scratch);
    thud_arena_release(scratch, mark);
    if (o->want_rank) {
        const thud_cone cone = thud_island_cone(island);
        report.rank = thud_cone_rank(&cone, scratch);
    }
    return report;
}

// M, or M with compliance, freed of its free rows where the law wants that.
static thud_status view(const law_case *c, bool compliant, thud_lcp *out)
{
    thud_mat M = c->M;
    if (compliant) {
        M.a = thud_arena_push(c->arena, (size_t)c->n * (size_t)c->n, sizeof *M.a);
        if (!M.a) {
            return THUD_NO_MEMORY;
        }
        law_soften(c, M);
    }
    *out = c->lcp;
    out->M = M;
    if (!c->eliminate) {
        return THUD_OK;
    }
    law_reduction r;
    const law_reduced reduced = law_reduce(c, M, &r);
    if (reduced != LAW_REDUCED) {
        return reduced == LAW_REDUCED_SINGULAR ? THUD_NOT_SOLVED : THUD_NO_MEMORY;
    }
    law_reduce_constant(&r, c->q);
    *out = (thud_lcp){r.kept, r.M, r.q, r.lo, r.hi, NULL};
    return THUD_OK;
}

thud_status thud_law_problem(const thud_island *island, const thud_law_options *o, bool compliant,
                             thud_arena *scratch, thud_lcp *out)
{
    const bool filled = island->W.a || island->sparse;
    if (!good_options(o) || law_is_exact(o->law) || island->rows == 0 || !filled) {
        return THUD_BAD_ARGUMENT;
    }
    const size_t mark = thud_arena_mark(scratch);
    law_case c;
    const bool stated = law_case_open(&c, island, o, scratch) && form_of(o)->state(&c);
    const thud_status status = stated ? view(&c, compliant, out) : THUD_NO_MEMORY;
    if (status != THUD_OK) {
        thud_arena_release(scratch, mark);
    }
    return status;
}

double thud_law_cone_residual(const thud_island *island, thud_arena *scratch)
{
    if (island->rows == 0) {
        return 0;
    }
    const thud_cone cone = thud_island_cone(island);
    const size_t mark = thud_arena_mark(scratch);
    double *work = thud_arena_push(scratch, 2 * (size_t)island->rows + THUD_CONE_DIM_MAX, sizeof *work);
    const double residual = work ? thud_cone_residual(&cone, island->p, work) : NAN;
    thud_arena_release(scratch, mark);
    return residual;
}
