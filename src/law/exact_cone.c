// SPDX-License-Identifier: Apache-2.0
// exact_cone.c: Coulomb's cone as it is: the island's blocks are the solver's blocks.          [theory 7]
//
// Of many solutions the equal-compliance one (thud/cone.h). Limits and dry friction are boxed rows, loops
// free rows of the same problem.
#include <math.h>
#include <string.h>

#include "law_inside.h"

static thud_cone_method method_of(thud_solver solver)
{
    switch (solver) {
    case THUD_SOLVER_NSGS:
        return THUD_CONE_NSGS;
    case THUD_SOLVER_NEWTON:
        return THUD_CONE_NEWTON;
    case THUD_SOLVER_PROXIMAL:
        return THUD_CONE_PROXIMAL;
    case THUD_SOLVER_ADMM:
        return THUD_CONE_ADMM;
    default:
        return THUD_CONE_AUTO;
    }
}

static thud_solver solver_of(thud_cone_method method)
{
    static const thud_solver solver[THUD_CONE_METHODS] = {
        [THUD_CONE_AUTO] = THUD_SOLVER_AUTO,     [THUD_CONE_NSGS] = THUD_SOLVER_NSGS,
        [THUD_CONE_NEWTON] = THUD_SOLVER_NEWTON, [THUD_CONE_PROXIMAL] = THUD_SOLVER_PROXIMAL,
        [THUD_CONE_ADMM] = THUD_SOLVER_ADMM,
    };
    return solver[method];
}

static thud_law_report report_of(thud_cone_report r, const thud_island *island, int tries)
{
    return (thud_law_report){
        .solved = r.outcome == THUD_CONE_SOLVED,
        .outcome = thud_cone_outcome_name(r.outcome),
        .solver = solver_of(r.method),
        .size = island->rows,
        .iterations = r.iterations,
        .tries = tries,
        .residual = r.residual,
        .rank = -1,
    };
}

thud_law_report law_cone(const thud_island *island, const thud_law_options *o, thud_arena *arena)
{
    THUD_ASSERT(law_is_exact(o->law));
    const thud_cone cone = thud_island_cone(island);
    thud_cone_options options = thud_cone_defaults();
    options.method = method_of(o->solver);
    options.tolerance = o->tolerance;
    options.equal_compliance = o->tolerance <= THUD_ROUGH;
    options.brief = o->brief;
    options.max_iterations = o->max_iterations;
    if (island->product && !island->W.a && !island->sparse) {
        return report_of(thud_cone_product_solve(&cone, island->product, &options, arena, island->p), island,
                         1);
    }
    thud_cone_report r = thud_cone_solve(&cone, &options, arena, island->p);
    int tries = 1, iterations = r.iterations;
    const bool numbers = r.outcome != THUD_CONE_NO_MEMORY && r.outcome != THUD_CONE_NOT_FINITE;
    if (r.outcome != THUD_CONE_SOLVED && numbers && options.method != THUD_CONE_AUTO) {
        options.method = THUD_CONE_AUTO; // every other one, from the best point so far
        r = thud_cone_solve(&cone, &options, arena, island->p);
        iterations += r.iterations;
        tries++;
    }
    r.iterations = iterations;
    return report_of(r, island, tries);
}

bool thud_law_touch_up(const thud_island *island, const thud_law_options *o, thud_arena *scratch,
                       thud_law_report *report)
{
    enum { SWEEPS = 50 };
    static const double SHARPER =
        0.03; // of the tolerance; the sweeps aim at a third of what they are asked for
    const thud_cone cone = thud_island_cone(island);
    const size_t mark = thud_arena_mark(scratch), bytes = sizeof *island->p * (size_t)island->rows;
    thud_cone_options options = thud_cone_defaults();
    options.tolerance = SHARPER * o->tolerance;
    options.max_iterations = SWEEPS;
    double *before = thud_arena_push(scratch, (size_t)island->rows, sizeof *before);
    thud_cone_report r = {.outcome = THUD_CONE_NO_MEMORY, .residual = NAN};
    const bool can = before && island->product;
    if (can) {
        memcpy(before, island->p, bytes);
        r = thud_cone_product_solve(&cone, island->product, &options, scratch, island->p);
    }
    *report = report_of(r, island, 1);
    if (can && !report->solved) {
        memcpy(island->p, before, bytes);
    }
    thud_arena_release(scratch, mark);
    return report->solved;
}
