// SPDX-License-Identifier: Apache-2.0
// law_stopgap.c: only the cone, until the whole room lands: delete this file then.
#include <string.h>
#include <thud/law.h>
const char *thud_law_refuses(thud_law l, thud_solver s)
{
    (void)l;
    (void)s;
    return NULL;
}
thud_law_options thud_law_defaults(void)
{
    return (thud_law_options){.tolerance = 1e-8, .directions = 8};
}
static thud_cone view(const thud_island *i)
{
    return (thud_cone){.rows = i->rows,
                       .blocks = i->blocks,
                       .block = i->cone,
                       .W = i->W,
                       .sparse = i->sparse,
                       .b = i->u_free,
                       .epsilon = i->epsilon};
}
thud_law_report thud_law_solve(const thud_island *i, const thud_law_options *o, thud_arena *a)
{
    thud_cone c = view(i);
    thud_cone_options co = thud_cone_defaults();
    co.tolerance = o->tolerance;
    thud_cone_report r = thud_cone_solve(&c, &co, a, i->p);
    return (thud_law_report){.solved = r.outcome == THUD_CONE_SOLVED,
                             .outcome = thud_cone_outcome_name(r.outcome),
                             .iterations = r.iterations,
                             .residual = r.residual};
}
double thud_law_cone_residual(const thud_island *i, thud_arena *a)
{
    thud_cone c = view(i);
    size_t m = thud_arena_mark(a);
    double *s = thud_arena_push(a, 2 * (size_t)i->rows + 6, 8);
    double r = thud_cone_residual(&c, i->p, s);
    thud_arena_release(a, m);
    return r;
}
