// SPDX-License-Identifier: Apache-2.0
// answer.c: residuals and failures of islands, into the certificate; law/solve_islands.c solves them.
#include <stdio.h>
#include <string.h>

#include "doubts.h"
#include "sim.h"

// A sentence about an island that was not solved, for thud_sim_reason.
static void tell(thud_sim *sim, int blocks, const law_verdict *v)
{
    const thud_law_report *r = &v->law;
    if (strcmp(r->outcome, "too-large") == 0) {
        (void)snprintf(sim->answer.reason, sizeof sim->answer.reason,
                       "%d contacts and constraints in one island are too many for a law that is a linear "
                       "complementarity problem (%d unknowns at most); the cone takes any number",
                       blocks, THUD_LAW_UNKNOWNS);
    } else if (v->cut) {
        (void)snprintf(
            sim->answer.reason, sizeof sim->answer.reason,
            "an island of %d contacts and constraints spent its share of the step's budget (%lld) and has a "
            "residual of %.2g",
            blocks, (long long)sim->work.budget, r->residual);
    } else {
        (void)snprintf(sim->answer.reason, sizeof sim->answer.reason,
                       "an island of %d contacts and constraints ended as '%s' (%s) with a residual of %.2g",
                       blocks, r->outcome, thud_solver_name(r->solver), r->residual);
    }
}

law_work sim_work(thud_sim *sim)
{
    enum { CROWD = 20 }; // trees
    return (law_work){.rows = sim->ask.rows,
                      .pool = sim->pool,
                      .scratch = sim->answer.scratch_of,
                      .loops = sim->m->equalities > 0,
                      .crowd = sim->d->groves >= CROWD,
                      .sketch = sim->begun.sketch,
                      .certify = sim->judge.certify,
                      .left = &sim->work.left,
                      .stop = sim->work.stop_at};
}

// A residual that will do, of an island that may cost no more.
static bool will_do(const thud_sim *sim, const law_verdict *v)
{
    return v->cut && v->law.residual <= sim->o.accept_tolerance && v->cone <= sim->o.accept_tolerance;
}

substep_result sim_accept(thud_sim *sim, int blocks, const law_verdict *v)
{
    THUD_ASSERT(v->law.solved || v->law.outcome || v->status != THUD_OK);
    if (v->status != THUD_OK) {
        return substep_of(v->status);
    }
    const bool cone = sim_exact(sim);
    sim->judge.c.iterations += v->law.iterations;
    sim->answer.cone_residual = greater_of(cone ? v->law.residual : v->cone, sim->answer.cone_residual);
    sim->answer.lcp_residual = greater_of(cone ? 0 : v->law.residual, sim->answer.lcp_residual);
    if (!v->law.solved && will_do(sim, v)) {
        sim->judge.c.accepted++;
        doubts_raise(sim->judge.doubts, THUD_DOUBT_ACCEPTED, thud_doubt_nowhere(), v->law.residual,
                     sim->o.law.tolerance);
        return SUBSTEP_DONE;
    }
    if (!v->law.solved) {
        tell(sim, blocks, v);
    }
    return v->law.solved ? SUBSTEP_DONE : SUBSTEP_UNSOLVED;
}

substep_result sim_solve_island(thud_sim *sim, const thud_island *island)
{
    law_verdict v = {.status = THUD_OK};
    const law_work work = sim_work(sim);
    law_solve_alone(&work, &sim->o.law, island, &v);
    return sim_accept(sim, island->blocks, &v);
}
