// SPDX-License-Identifier: Apache-2.0
// law.c: the one call for every law: what it refuses, how much memory it takes, who judges.
#include <math.h>
#include <string.h>

#include "law_inside.h"

// ---------------------------------------------------------------------------------------------- names

static const char *const law_names[THUD_LAWS] = {
#define LAW(name, word) [THUD_LAW_##name] = (word),
    THUD_LAW_LIST(LAW)
#undef LAW
};

static const char *const solver_names[THUD_SOLVERS] = {
#define SOLVER(name, word) [THUD_SOLVER_##name] = (word),
    THUD_SOLVER_LIST(SOLVER)
#undef SOLVER
};

static int find(const char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

const char *thud_law_name(thud_law law)
{
    return (unsigned)law < THUD_LAWS ? law_names[law] : "?";
}

bool thud_law_find(const char *name, thud_law *out)
{
    const int i = find(law_names, THUD_LAWS, name);
    *out = i < 0 ? *out : (thud_law)i;
    return i >= 0;
}

const char *thud_solver_name(thud_solver solver)
{
    return (unsigned)solver < THUD_SOLVERS ? solver_names[solver] : "?";
}

bool thud_solver_find(const char *name, thud_solver *out)
{
    const int i = find(solver_names, THUD_SOLVERS, name);
    *out = i < 0 ? *out : (thud_solver)i;
    return i >= 0;
}

thud_solver law_solver_of(thud_lcp_method method)
{
    static const thud_solver solver[THUD_LCP_METHODS] = {
        [THUD_LCP_LEMKE] = THUD_SOLVER_LEMKE,
        [THUD_LCP_MURTY] = THUD_SOLVER_MURTY,
        [THUD_LCP_JUDICE_PIRES] = THUD_SOLVER_JUDICE_PIRES,
        [THUD_LCP_DANTZIG] = THUD_SOLVER_DANTZIG,
        [THUD_LCP_PGS] = THUD_SOLVER_PGS,
    };
    return solver[method];
}

// ---------------------------------------------------------------------------------------------- refusals

static const char *pyramid_refuses(thud_solver solver)
{
    switch (solver) {
    case THUD_SOLVER_MURTY:
    case THUD_SOLVER_JUDICE_PIRES:
        return "the pyramid's matrix is rank deficient, and this method needs a regular one; take lemke";
    case THUD_SOLVER_DANTZIG:
        return "the pyramid's matrix is not symmetric, and dantzig needs one that is; take lemke";
    case THUD_SOLVER_PGS:
        return "the pyramid's matrix has zeros on its diagonal, which pgs divides by; take lemke";
    default:
        return NULL;
    }
}

static const char *phantom_refuses(thud_solver solver)
{
    switch (solver) {
    case THUD_SOLVER_DANTZIG:
        return "the matrix of phantom-inertia is not symmetric, and dantzig needs one that is; take "
               "judice-pires";
    case THUD_SOLVER_PGS:
        return "the matrix of phantom-inertia is not positive, and pgs would diverge; take judice-pires";
    default:
        return NULL;
    }
}

const char *thud_law_refuses(thud_law law, thud_solver solver)
{
    if (solver == THUD_SOLVER_AUTO) {
        return NULL;
    }
    const bool conic = solver >= THUD_SOLVER_NSGS;
    if (law == THUD_LAW_CONE) {
        return conic ? NULL
                     : "the exact cone is no linear complementarity problem; take nsgs, newton, proximal or "
                       "admm";
    }
    if (conic) {
        return "this solver is for the exact cone; the law is a linear complementarity problem";
    }
    return law == THUD_LAW_PHANTOM_INERTIA                 ? phantom_refuses(solver)
           : law == THUD_LAW_BOX || law == THUD_LAW_HYBRID ? NULL
                                                           : pyramid_refuses(solver);
}

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

static int unknowns(const thud_island *island, const thud_law_options *o)
{
    return o->law == THUD_LAW_PHANTOM_INERTIA                    ? law_phantom_size(island, o)
           : o->law == THUD_LAW_BOX || o->law == THUD_LAW_HYBRID ? law_boxed_size(island)
                                                                 : law_pyramid_size(island, o);
}

size_t thud_law_scratch(const thud_island *island, const thud_law_options *o)
{
    const size_t rows = (size_t)island->rows, number = sizeof(double);
    const size_t rank = (rows * rows + 4 * rows + 64) * number;
    if (o->law == THUD_LAW_CONE) {
        const thud_cone cone = thud_island_cone(island);
        const size_t solve = thud_cone_scratch(&cone);
        return solve > rank ? solve : rank;
    }
    const int n = unknowns(island, o) > island->rows ? unknowns(island, o) : island->rows;
    const size_t size = (size_t)n, reduced = o->law == THUD_LAW_PHANTOM_INERTIA ? size * size : 0;
    const int boxed = o->law == THUD_LAW_BOX || o->law == THUD_LAW_HYBRID ? n : island->blocks;
    enum { VECTORS = 32, LINES = 64 * 48 }; // pushes of n numbers, and the end of a cache line for each
    return (rows * rows + 2 * size * size + reduced + VECTORS * (size + rows)) * number + LINES + rank +
           thud_lcp_scratch_bytes(n, boxed, THUD_LCP_LEMKE);
}

// ---------------------------------------------------------------------------------------------- the calls

static bool state(law_case *c)
{
    return c->o->law == THUD_LAW_PHANTOM_INERTIA                       ? law_phantom(c)
           : c->o->law == THUD_LAW_BOX || c->o->law == THUD_LAW_HYBRID ? law_boxed(c)
                                                                       : law_pyramid(c);
}

static thud_law_report solve_linear(const thud_island *island, const thud_law_options *o, thud_arena *scratch)
{
    law_case c;
    if (!law_case_open(&c, island, o, scratch) || !state(&c)) {
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
    if (o->law != THUD_LAW_CONE && unknowns(island, o) > THUD_LAW_UNKNOWNS) {
        return without_solving("too-large");
    }
    if (!island->W.a && !island->sparse && !(island->product && o->law == THUD_LAW_CONE)) {
        return without_solving("not-filled");
    }
    const size_t mark = thud_arena_mark(scratch);
    thud_law_report report =
        o->law == THUD_LAW_CONE ? law_cone(island, o, scratch) : solve_linear(island, o, scratch);
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
    if (!good_options(o) || o->law == THUD_LAW_CONE || island->rows == 0 || !filled) {
        return THUD_BAD_ARGUMENT;
    }
    const size_t mark = thud_arena_mark(scratch);
    law_case c;
    const bool stated = law_case_open(&c, island, o, scratch) && state(&c);
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
