// SPDX-License-Identifier: Apache-2.0
// ladder.c: solves a stated law, method after method, with a little compliance that is taken out again.
//                                                                                           [theory 7, 9]
//     round 0     W + epsilon, from p_0 = 0: the equal-compliance choice among many solutions
//     round k     W + epsilon, u_free - epsilon p_k: a proximal point, compliant to p - p_k alone
//     at last     W as it is, from the basis reached, if the rounds did not end at the tolerance
//
// A box on four corners has a singular W: block pivoting cannot factor it, and Lemke ends in a corner of the
// set of solutions, whichever the order of the rows leads to. With EASE of the mean diagonal of W added the
// problem is regular and its solution one. Every later round costs a solve in the same basis and shrinks
// what the compliance spoils by EASE / (the least eigenvalue that matters). The judge sees only the law.
//
// Symbols  L = M + C^T ease C · p_k centre · z unknowns
// Differs  from the papers, which relax by stiffnesses and keep the compliance.
#include <math.h>
#include <string.h>

#include "law_inside.h"

static const double EASE = 1e-6; // small beside 1, large beside Lemke's pivot tolerance 1e-9
// Asked of a pivoting method: what it leaves is divided by EASE in the directions that only the compliance
// holds. Without its free rows a problem is known less well.
static const double SHARP = 1e-12, SHARP_REDUCED = 1e-9;
enum { ROUNDS = 12 };

typedef struct climb {
    law_case *c;
    thud_mat L;
    double *shifted, *z, *kept, *best; // n: q of a round, its answer, that without free rows, the best so far
    double *p;                         // rows: the centre
    unsigned char *basis;              // n
    bool warm;                         // the basis means something
    double least;                      // residual of best
    thud_lcp_outcome outcome;          // of the solve that gave best, or of the last
    thud_lcp_method by;
    int size, iterations;
    bool no_memory;
} climb;

// The methods of a law, cheapest first, surest last, after the one asked for; returns how many.
static int list_methods(const thud_law_options *o, thud_lcp_method method[THUD_LCP_METHODS])
{
    static const thud_lcp_method ladder[] = {THUD_LCP_JUDICE_PIRES, THUD_LCP_DANTZIG, THUD_LCP_MURTY,
                                             THUD_LCP_LEMKE};
    int count = 0;
    for (int m = 0; m < THUD_LCP_METHODS; m++) {
        if (law_solver_of((thud_lcp_method)m) == o->solver) {
            method[count++] = (thud_lcp_method)m;
        }
    }
    for (int k = 0; k < 4; k++) {
        const thud_solver solver = law_solver_of(ladder[k]);
        if (solver != o->solver && !thud_law_refuses(o->law, solver)) {
            method[count++] = ladder[k];
        }
    }
    return count;
}

static bool push_climb(climb *k)
{
    law_case *c = k->c;
    const size_t n = (size_t)c->n;
    double *a = thud_arena_push(c->arena, n * n, sizeof *a);
    k->shifted = thud_arena_push(c->arena, n, sizeof *k->shifted);
    k->z = thud_arena_push(c->arena, n, sizeof *k->z);
    k->kept = thud_arena_push(c->arena, n, sizeof *k->kept);
    k->best = thud_arena_push(c->arena, n, sizeof *k->best);
    k->p = thud_arena_push(c->arena, (size_t)c->island->rows, sizeof *k->p);
    k->basis = thud_arena_push(c->arena, n, sizeof *k->basis);
    k->L = (thud_mat){c->n, c->n, c->n, a};
    return a && k->shifted && k->z && k->kept && k->best && k->p && k->basis;
}

static double shared_compliance(const law_case *c, const law_column *i, const law_column *j)
{
    double sum = i->row == j->row ? i->a * j->a * c->ease[i->row] : 0;
    sum += i->other >= 0 && i->other == j->other ? i->b * j->b * c->ease[i->other] : 0;
    return EASE * sum;
}

// Columns of a block stand together and share no row with those of another.
void law_soften(const law_case *c, thud_mat L)
{
    memcpy(L.a, c->M.a, sizeof *c->M.a * (size_t)c->n * (size_t)c->n);
    for (int j = 0; j < c->n; j++) {
        for (int i = j; i >= 0 && c->column[i].block == c->column[j].block; i--) {
            if (c->column[i].row >= 0 && c->column[j].row >= 0) {
                const double epsilon = shared_compliance(c, c->column + i, c->column + j);
                *law_at(L, i, j) += epsilon;
                *law_at(L, j, i) += i != j ? epsilon : 0;
            }
        }
    }
}

// q - C^T ease p_k.
static void shift(climb *k)
{
    const law_case *c = k->c;
    for (int i = 0; i < c->island->rows; i++) {
        k->p[i] *= EASE * c->ease[i];
    }
    for (int j = 0; j < c->n; j++) {
        k->shifted[j] = c->q[j] - law_column_dot(c->column + j, k->p);
    }
}

// One solve of M z + shifted; leaves z and keeps it if it is the best by the law's own judge. Returns its
// residual.
static double solve_once(climb *k, thud_mat M, law_reduction *r, thud_lcp_method method)
{
    const law_case *c = k->c;
    thud_lcp_options o = thud_lcp_defaults(method);
    thud_lcp problem = {c->n, M, k->shifted, c->lo, c->hi, c->q_size};
    o.tolerance = method == THUD_LCP_PGS ? 0.1 * c->o->tolerance : r ? SHARP_REDUCED : SHARP;
    o.basis = k->basis;
    o.warm = k->warm;
    if (r) {
        law_reduce_constant(r, k->shifted);
        problem = (thud_lcp){r->kept, r->M, r->q, r->lo, r->hi, NULL};
    }
    const thud_lcp_report report = thud_lcp_solve(&problem, &o, c->arena, r ? k->kept : k->z);
    k->size = problem.n;
    k->iterations += report.pivots;
    k->no_memory = report.outcome == THUD_LCP_NO_SCRATCH;
    if (r) {
        law_expand(r, k->kept, k->z);
    }
    const double residual =
        report.outcome == THUD_LCP_NOT_FINITE || k->no_memory ? NAN : thud_lcp_relative(&c->lcp, k->z);
    if (residual < k->least) {
        k->least = residual;
        memcpy(k->best, k->z, sizeof *k->z * (size_t)c->n);
        k->by = method;
    }
    if (!(k->least < INFINITY) || residual == k->least) {
        k->outcome = report.outcome;
    }
    k->warm = report.outcome != THUD_LCP_NOT_FINITE && !k->no_memory && report.outcome != THUD_LCP_UNSUITED;
    return residual;
}

// Rows that the solver does not see have no place in its basis.
static void guess(climb *k, const law_reduction *r)
{
    const law_case *c = k->c;
    k->warm = c->warm;
    for (int i = 0; i < (r ? r->kept : c->n); i++) {
        k->basis[i] = c->start[r ? r->keep[i] : i];
    }
    for (int i = 0; i < c->n; i++) {
        k->z[i] = k->kept[i] = 0;
    }
}

// Rounds 0, 1, ... with compliance.
static void solve_compliant(climb *k, thud_lcp_method method)
{
    law_case *c = k->c;
    const size_t mark = thud_arena_mark(c->arena);
    law_reduction reduction, *r = NULL;
    if (c->eliminate) {
        const law_reduced reduced = law_reduce(c, k->L, &reduction);
        k->no_memory = reduced == LAW_REDUCED_NO_MEMORY;
        k->outcome = reduced == LAW_REDUCED_SINGULAR ? THUD_LCP_SINGULAR : k->outcome;
        r = &reduction;
        if (reduced != LAW_REDUCED) {
            thud_arena_release(c->arena, mark);
            return;
        }
    }
    guess(k, r);
    memset(k->p, 0, sizeof *k->p * (size_t)c->island->rows);
    double last = INFINITY;
    for (int round = 0; round < ROUNDS && thud_arena_may_go_on(c->arena); round++) {
        shift(k);
        const double residual = solve_once(k, k->L, r, method);
        if (!(residual < 0.5 * last) || (round > 0 && residual <= c->o->tolerance)) {
            break;
        }
        last = residual;
        law_case_impulses(c, k->z, k->p);
    }
    thud_arena_release(c->arena, mark);
}

static void solve_rigid(climb *k, thud_lcp_method method)
{
    law_case *c = k->c;
    const size_t mark = thud_arena_mark(c->arena);
    law_reduction reduction;
    memcpy(k->shifted, c->q, sizeof *c->q * (size_t)c->n);
    if (!c->eliminate) {
        solve_once(k, c->M, NULL, method);
    } else if (law_reduce(c, c->M, &reduction) == LAW_REDUCED) {
        solve_once(k, c->M, &reduction, method);
    }
    thud_arena_release(c->arena, mark);
}

static bool is_finite(const law_case *c)
{
    bool good = thud_all_finite(c->n, c->q);
    for (int j = 0; good && j < c->n; j++) {
        good = thud_all_finite(c->n, law_at(c->M, 0, j));
    }
    return good;
}

thud_law_report law_climb(law_case *c)
{
    thud_law_report report = {.outcome = "no-memory", .residual = NAN, .rank = -1};
    const size_t mark = thud_arena_mark(c->arena);
    climb k = {.c = c, .least = INFINITY, .outcome = THUD_LCP_NO_SCRATCH};
    if (!push_climb(&k)) {
        thud_arena_release(c->arena, mark);
        return report;
    }
    law_soften(c, k.L);
    thud_lcp_method method[THUD_LCP_METHODS];
    const int methods = is_finite(c) ? list_methods(c->o, method) : 0;
    k.outcome = methods > 0 ? k.outcome : THUD_LCP_NOT_FINITE;
    for (int m = 0; m < methods && !(k.least <= c->o->tolerance) && !k.no_memory &&
                    (m == 0 || thud_arena_may_go_on(c->arena));
         m++) {
        report.tries++;
        solve_compliant(&k, method[m]);
        if (!(k.least <= c->o->tolerance) && !k.no_memory && thud_arena_may_go_on(c->arena)) {
            solve_rigid(&k, method[m]);
        }
    }
    report.solved = k.least <= c->o->tolerance;
    report.size = k.size;
    report.iterations = k.iterations;
    if (k.no_memory && !report.solved) { // island->p as it came: with more memory the next rung may hold
        thud_arena_release(c->arena, mark);
        return report;
    }
    if (k.least < INFINITY) {
        law_case_impulses(c, k.best, c->island->p);
        report.residual = k.least;
        report.solver = law_solver_of(k.by);
    }
    const bool own_word = k.outcome == THUD_LCP_SOLVED && !report.solved; // of a problem not quite the law's
    report.outcome = thud_lcp_outcome_name(report.solved ? THUD_LCP_SOLVED
                                           : own_word    ? THUD_LCP_INACCURATE
                                                         : k.outcome);
    thud_arena_release(c->arena, mark);
    return report;
}
