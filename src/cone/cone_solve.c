// SPDX-License-Identifier: Apache-2.0
// cone_solve.c: the call that every method is behind, and auto, the cheapest that works.        [theory 7, 9]
//
// auto's ladder: no impulse at all · the warm start (where any solution will do) · the closed form of a
// single block · one factor for joints alone · Newton on the faces of few contacts · Newton at small compliance, a walk of
// few contacts along their faces, and Gauss-Seidel sweeps for its last digits · sweeps and Newton again, with walks, of many
// contacts sweeps and proximal points with leaps by turns · every state of few contacts ·
// the interior path and Newton from its end, and a walk · the compliance path and proximal points · ADMM and Newton from
// there.
// Each rung starts at the best point so far. Of few contacts the ladder is climbed once more from no impulse at all where
// it led nowhere. It ends at the residual asked for or with the outcome of its last rung; the report's residual is the
// judge's, on the caller's own problem.
#include <math.h>
#include <string.h>

#include <thud/cone_product.h>

#include "cone_groups.h"
#include "product.h"

// ---------------------------------------------------------------------------------------------- auto

// What the ladder has so far: a solution, if any, and whether it is the choice asked for.
typedef struct ladder {
    cone_work *w;
    bool want_equal;
    double *p, *found;   // n: where the next rung starts; a solution that may not be the choice
    double *best, least; // n: the best of the points where rungs ended without one, and its residual
    thud_cone_outcome outcome;
    thud_cone_method by, found_by;
    bool equal;
} ladder;

static bool found(const ladder *l)
{
    return l->found_by != THUD_CONE_AUTO;
}

// Keeps p if it is the best yet.
static void compare(ladder *l)
{
    const cone_work *w = l->w;
    const size_t mark = thud_arena_mark(w->arena);
    double *u = thud_arena_push(w->arena, (size_t)w->n, sizeof *u);
    if (u) {
        cone_work_multiply(w, l->p, u);
        const double residual = cone_work_residual(w, l->p, u);
        if (residual < l->least) {
            l->least = residual;
            memcpy(l->best, l->p, sizeof *l->p * (size_t)w->n);
        }
    }
    thud_arena_release(w->arena, mark);
}

// Notes how a rung ended. true: the ladder has what it was climbed for, or cannot go on.
static bool done(ladder *l, thud_cone_method by, thud_cone_outcome outcome, bool equal)
{
    l->outcome = outcome;
    l->by = by;
    l->equal = equal;
    if (outcome == THUD_CONE_SOLVED && !equal && !found(l)) {
        memcpy(l->found, l->p, sizeof *l->p * (size_t)l->w->n);
        l->found_by = by;
    }
    if (outcome != THUD_CONE_SOLVED && outcome != THUD_CONE_NO_MEMORY) {
        compare(l);
    }
    return outcome == THUD_CONE_NO_MEMORY || (outcome == THUD_CONE_SOLVED && (equal || !l->want_equal));
}

static bool try_newton(ladder *l, int steps)
{
    bool equal = false;
    const thud_cone_outcome outcome = cone_newton(l->w, l->p, steps, &equal);
    return done(l, THUD_CONE_NEWTON, outcome, equal);
}

// Sweeps on W = S S^T, which cost less and are accelerated, in the caller's rows.
static bool try_product(ladder *l, int sweeps)
{
    cone_work *w = l->w;
    const size_t mark = thud_arena_mark(w->arena);
    double *p = thud_arena_push(w->arena, (size_t)w->c->rows, sizeof *p);
    thud_cone_report r = {.outcome = THUD_CONE_NO_MEMORY};
    if (p) {
        thud_cone_options o = thud_cone_defaults();
        o.tolerance = 1.9 * w->tolerance; // they come to it slowly, and their judge is the caller's
        o.max_iterations = sweeps;
        cone_work_out(w, l->p, p);
        r = thud_cone_product_solve(w->c, w->c->product, &o, w->arena, p);
        w->iterations += r.iterations;
    }
    if (r.outcome == THUD_CONE_SOLVED || r.outcome == THUD_CONE_ITERATION_LIMIT) {
        cone_work_in(w, p, l->p);
    }
    thud_arena_release(w->arena, mark);
    return done(l, THUD_CONE_NSGS, r.outcome, false);
}

static bool try_nsgs(ladder *l, int sweeps, bool judge_rate)
{
    return done(l, THUD_CONE_NSGS, cone_nsgs(l->w, l->p, sweeps, judge_rate), false);
}

static bool try_interior(ladder *l)
{
    bool equal = false;
    const thud_cone_outcome outcome = cone_newton_inside(l->w, l->p, &equal);
    return done(l, THUD_CONE_NEWTON, outcome, equal);
}

// A few sweeps from where Newton converged with the choice but not to the tolerance: they solve each contact exactly,
// slips too small for Newton among them, and leave the choice alone. Where they do not end, p stays.
static bool try_polish(ladder *l)
{
    enum { SWEEPS = 100 };
    const size_t bytes = sizeof *l->p * (size_t)l->w->n;
    memcpy(l->found, l->p, bytes);
    const thud_cone_outcome outcome = cone_nsgs(l->w, l->p, SWEEPS, true);
    if (outcome == THUD_CONE_SOLVED) {
        return done(l, THUD_CONE_NSGS, outcome, true);
    }
    memcpy(l->p, l->found, bytes);
    return outcome == THUD_CONE_NO_MEMORY;
}

// Newton's method ended on the choice, but for its last digits.
static bool is_near(const ladder *l)
{
    return l->equal && l->outcome == THUD_CONE_STALLED;
}

// Of few contacts that ask for a little more than there is, those that give way. Where that was not from the choice, one run of
// Newton's method says whether it has come to be; what is found stands in any case.
static bool try_walk(ladder *l)
{
    enum { STEPS = 30 };
    return !found(l) && cone_small_walk(l->w, l->p) &&
           (done(l, THUD_CONE_NEWTON, THUD_CONE_SOLVED, l->equal) || try_newton(l, STEPS) || found(l));
}

// Of few contacts from a guess that looked good: a search finds its way sooner than one over larger compliances does, which
// forgets the guess, and where it does not, that one may from where it got to.
static bool try_few(ladder *l)
{
    enum { STEPS = 30 };
    return l->want_equal && cone_small_suits(l->w) &&
           (try_newton(l, STEPS) || try_walk(l) || (is_near(l) && try_polish(l)) ||
            (cone_small_soft(l->w, l->p) && done(l, THUD_CONE_NEWTON, THUD_CONE_SOLVED, true)));
}

static bool try_faces(ladder *l)
{
    return cone_small_search(l->w, l->p) && done(l, THUD_CONE_NEWTON, THUD_CONE_SOLVED, true);
}

static bool try_proximal(ladder *l)
{
    bool equal = false;
    const thud_cone_outcome outcome = cone_proximal(l->w, l->p, &equal);
    return done(l, THUD_CONE_PROXIMAL, outcome, equal);
}

static bool try_leap(ladder *l, int steps)
{
    return done(l, THUD_CONE_NEWTON, cone_leap(l->w, l->p, steps), false);
}

static bool try_admm(ladder *l)
{
    return done(l, THUD_CONE_ADMM, cone_admm(l->w, l->p), false);
}

// A sweep over many contacts costs a fiftieth of a Newton step, one over few a fifth.
enum { LARGE = 60, ADMM_ROWS = 300 };

// Sweeps end most problems of many contacts in some hundreds, but some in ten thousand or never; from where they have come
// to, proximal points end four in five of those.
static bool sweep_and_leap(ladder *l)
{
    enum { FEW = 200, MANY = 6400 };
    for (int turn = FEW; turn <= MANY; turn *= 2) {
        if (try_product(l, turn) || found(l) || try_leap(l, turn) || found(l)) {
            return true;
        }
    }
    return false;
}

// The same without groups: Newton's method ends every second one, and costs a thousand sweeps.
static bool sweep_by_turns(ladder *l)
{
    enum { FEW = 800, MANY = 6400, STEPS = 40 };
    if (l->w->groups) {
        return sweep_and_leap(l);
    }
    for (int sweeps = FEW; sweeps <= MANY; sweeps *= 2) {
        if (try_product(l, sweeps) || found(l) || try_newton(l, STEPS) || found(l)) {
            return true;
        }
    }
    return false;
}

static bool sweep_and_retry(ladder *l, bool rough)
{
    const bool large = l->w->n > LARGE;
    const int sweeps = rough ? 16 : large ? 1000 : 100;
    return large && l->w->c->product ? sweep_by_turns(l)
                                     : try_nsgs(l, sweeps, false) || (large && found(l)) || try_walk(l) ||
                                           try_newton(l, 60) || try_walk(l);
}

// Many contacts that have moved since the impulses in p held: one in seven such problems lets Newton's method end, and the
// choice is not to be had.
static bool in_motion(const ladder *l)
{
    enum { MANY = 500 };
    static const double MOVED = 1e-6;
    const cone_work *w = l->w;
    if (w->n <= MANY || !w->c->product || thud_norm_inf(w->n, l->p) == 0) {
        return false;
    }
    const size_t mark = thud_arena_mark(w->arena);
    double *u = thud_arena_push(w->arena, (size_t)w->n, sizeof *u);
    if (u) {
        cone_work_multiply(w, l->p, u);
    }
    const bool moved = u && cone_work_residual(w, l->p, u) > MOVED;
    thud_arena_release(w->arena, mark);
    return moved;
}

static void climb(ladder *l)
{
    const bool rough = l->w->tolerance > THUD_ROUGH && !l->want_equal;
    const int steps =
        l->w->n > LARGE && l->w->c->product ? 30 : 100; // where sweeps are cheap they come sooner
    if (try_few(l) || (!in_motion(l) && (rough ? try_nsgs(l, 1000, false) : try_newton(l, steps)))) {
        return;
    }
    if ((is_near(l) && (try_polish(l) || try_proximal(l) || found(l))) || sweep_and_retry(l, rough)) {
        return;
    }
    // A solution that is not the choice is looked past once, and of many contacts not at all: where two ways do not
    // lead to it, the others do not either (jammed chains), and what is found is told for what it is.
    if ((found(l) && l->w->n > LARGE) || (l->want_equal && try_faces(l)) || try_interior(l) || found(l) ||
        try_walk(l) || try_proximal(l) || found(l)) {
        return;
    }
    if (l->w->n <= ADMM_ROWS && !try_admm(l)) {
        try_newton(l, 60);
    }
}

// Of few contacts, nothing has led anywhere: the guess may have been the wrong one.
static bool is_lost(const ladder *l)
{
    return l->want_equal && cone_small_suits(l->w) && !found(l) && l->outcome != THUD_CONE_SOLVED &&
           l->outcome != THUD_CONE_NO_MEMORY;
}

thud_cone_outcome cone_auto(cone_work *w, double *p, bool want_equal, thud_cone_method *by, bool *equal)
{
    *by = THUD_CONE_AUTO;
    *equal = true;
    if ((want_equal || w->brief) && cone_small(w, p)) {
        *by = THUD_CONE_NEWTON;
        return THUD_CONE_SOLVED;
    }
    if (w->brief && cone_small_suits(w)) {
        *equal = false;
        return THUD_CONE_STALLED;
    }
    const size_t mark = thud_arena_mark(w->arena), bytes = sizeof *p * (size_t)w->n;
    const bool guessed = thud_norm_inf(w->n, p) > 0;
    ladder l = {.w = w, .want_equal = want_equal, .p = p, .least = INFINITY, .outcome = THUD_CONE_NO_MEMORY};
    l.found = thud_arena_push(w->arena, (size_t)w->n, sizeof *l.found);
    l.best = thud_arena_push(w->arena, (size_t)w->n, sizeof *l.best);
    if (l.found && l.best) {
        climb(&l);
        if (guessed && is_lost(&l)) {
            memset(p, 0, bytes);
            climb(&l);
        }
    }
    if (found(&l) && l.outcome != THUD_CONE_SOLVED) { // the choice was not reached, a solution was
        memcpy(p, l.found, bytes);
        l.outcome = THUD_CONE_SOLVED;
        l.by = l.found_by;
        l.equal = false;
    } else if (l.outcome != THUD_CONE_SOLVED && l.least < INFINITY) {
        memcpy(p, l.best, bytes);
    }
    *by = l.by;
    *equal = l.equal;
    thud_arena_release(w->arena, mark);
    return l.outcome;
}

// ---------------------------------------------------------------------------------------------- the call

static bool finite_problem(const thud_cone *c, const double *p)
{
    bool good = thud_all_finite(c->rows, c->b) && thud_all_finite(c->rows, p) &&
                (!c->epsilon || thud_all_finite(c->rows, c->epsilon));
    const bool packed = c->W.stride == c->rows && c->rows <= 4096; // then W is one array
    for (int j = 0; good && j < (packed ? c->rows > 0 : c->rows) && c->W.a; j++) {
        good =
            thud_all_finite(packed ? c->rows * c->rows : c->rows, c->W.a + (size_t)j * (size_t)c->W.stride);
    }
    for (int i = 0; good && i < c->blocks && !c->W.a; i++) {
        for (int k = c->sparse->start[i]; good && k < c->sparse->start[i + 1]; k++) {
            good = thud_all_finite(c->block[i].dim * c->block[c->sparse->column[k]].dim,
                                   c->sparse->value + c->sparse->at[k]);
        }
    }
    return good;
}

static double row_size(const cone_work *w, int row)
{
    double size = 0;
    for (int j = 0; j < w->blocks; j++) {
        const cone_rows *bj = w->block + j;
        for (int s = 0; s < bj->dim && w->W.a; s++) {
            size += fabs(w->W.a[row + (size_t)(bj->row + s) * (size_t)w->n]);
        }
        for (int k = w->W.a ? 0 : w->sparse.start[j]; !w->W.a && k < w->sparse.start[j + 1]; k++) {
            const cone_rows *bi = w->block + w->sparse.row[k];
            for (int s = 0; s < bj->dim && row >= bi->row && row < bi->row + bi->dim; s++) {
                size += fabs(w->sparse.value[w->sparse.at[k] + row - bi->row + s * bi->dim]);
            }
        }
    }
    return size;
}

// Does b ask a row for an impulse, whatever the others have?
static bool asks(const cone_rows *b, int r, double at)
{
    return b->kind == THUD_CONE_KIND_CONTACT ? r == 0 && at < 0
           : b->kind == THUD_CONE_KIND_FREE  ? at != 0
                                             : (at < 0 && isinf(b->hi)) || (at > 0 && isinf(b->lo));
}

// A contact or joint row whose diagonal is 0 and that W does not move at all, with b against it.
static bool infeasible(const cone_work *w)
{
    for (int i = 0; i < w->blocks; i++) {
        const cone_rows *b = w->block + i;
        int stride = w->n;
        const double *D = w->W.a ? w->W.a + (size_t)b->row * ((size_t)w->n + 1) // nearly always
                                 : cone_work_diagonal(w, i, &stride);
        const int rows = b->kind == THUD_CONE_KIND_CONTACT ? 1 : b->dim;
        for (int r = 0; r < rows; r++, D += stride + 1) {
            if (*D == 0 && asks(b, r, w->b[b->row + r]) && row_size(w, b->row + r) == 0) {
                return true;
            }
        }
    }
    return false;
}

static thud_cone_outcome dispatch(cone_work *w, const thud_cone_options *o, double *p, thud_cone_report *r)
{
    r->method = o->method;
    switch (o->method) {
    case THUD_CONE_NSGS:
        return cone_nsgs(w, p, o->max_iterations > 0 ? o->max_iterations : 20000, false);
    case THUD_CONE_NEWTON:
        return cone_newton(w, p, o->max_iterations > 0 ? o->max_iterations : 100, &r->equal_compliance);
    case THUD_CONE_PROXIMAL:
        return cone_proximal(w, p, &r->equal_compliance);
    case THUD_CONE_ADMM:
        return cone_admm(w, p);
    default:
        return cone_auto(w, p, o->equal_compliance, &r->method, &r->equal_compliance);
    }
}

// Works in the scaled problem; p and the outcome are the method's, the residual is the judge's.
static void solve_scaled(const thud_cone *c, const thud_cone_options *o, double size, thud_arena *scratch,
                         double *judge, double *p, thud_cone_report *r)
{
    const size_t rows = (size_t)c->rows;
    cone_work w;
    double *p_hat = thud_arena_push(scratch, rows, sizeof *p_hat);
    r->outcome = THUD_CONE_NO_MEMORY;
    if (!p_hat || !cone_work_build(c, scratch, &w) || !cone_groups_begin(&w)) {
        r->residual = thud_cone_residual(c, p, judge);
        return;
    }
    w.norm_b = size;
    w.room = judge;
    w.judged = judge + 2 * rows + THUD_CONE_DIM_MAX;
    w.residual = NAN;
    w.tolerance = 0.5 * o->tolerance; // the method's sums and the judge's round differently
    w.max_iterations = o->max_iterations;
    w.brief = o->brief;
    w.warm = true;
    if (infeasible(&w)) {
        r->outcome = THUD_CONE_INFEASIBLE;
    } else {
        cone_work_in(&w, p, p_hat);
        r->outcome = dispatch(&w, o, p_hat, r);
        r->iterations = w.iterations;
        r->factorizations = w.factorizations;
        if (r->outcome != THUD_CONE_NO_MEMORY) {
            cone_work_out(&w, p_hat, p);
        }
    }
    cone_groups_end(&w);
    const bool judged =
        !isnan(w.residual) && memcmp(p, w.judged, sizeof *p * rows) == 0; // these very impulses
    r->residual = judged ? w.residual : thud_cone_residual(c, p, judge);
}

// Is p = 0 a solution outright: contacts open, joints at rest, bounds that hold?
static bool at_rest(const thud_cone *c)
{
    for (int i = 0; i < c->blocks; i++) {
        const thud_cone_block *block = c->block + i;
        const double *b = c->b + block->row;
        if (block->kind == THUD_CONE_KIND_CONTACT) {
            if (!(b[0] >= 0)) {
                return false;
            }
            continue;
        }
        const bool box = block->kind == THUD_CONE_KIND_BOX;
        for (int r = 0; r < block->dim; r++) {
            const bool held = box && ((block->lo == 0 && b[r] > 0) || (block->hi == 0 && b[r] < 0));
            if (!(held || b[r] == 0) || (box && !(block->lo <= 0 && block->hi >= 0))) {
                return false;
            }
        }
    }
    return true;
}

// A b that is against the contacts by rounding only is none; p = 0 is then an answer to the last digits.
static const double ROUNDING = 1e-13;

// A contact that is clearly pressed: its residual at p = 0 is at least |b_n| / (|b| (1 + mu^2)).
static bool clearly_pressed(const thud_cone *c, double size)
{
    static const double CLEARLY = 1e-6, MU = 10; // 1e-8 at least, far above ROUNDING
    for (int i = 0; i < c->blocks; i++) {
        const thud_cone_block *b = c->block + i;
        if (b->kind == THUD_CONE_KIND_CONTACT && c->b[b->row] < -CLEARLY * size &&
            thud_norm_inf(b->dim - 1, b->mu) <= MU) {
            return true;
        }
    }
    return false;
}

// Solved without any method: no impulse at all, or (where any solution will do) the warm start.
static bool solved_already(const thud_cone *c, const thud_cone_options *o, double size, double *judge,
                           double *p, thud_cone_report *r)
{
    r->residual = INFINITY;
    if (!clearly_pressed(c, size)) {
        double *zero = judge + 2 * (size_t)c->rows + THUD_CONE_DIM_MAX;
        memset(zero, 0, sizeof *zero * (size_t)c->rows);
        r->residual = thud_cone_residual_at(c, zero, c->b, cone_trace(c), judge); // at p = 0, u is b
    }
    if (r->residual <= fmin(ROUNDING, o->tolerance)) {
        memset(p, 0, sizeof *p * (size_t)c->rows);
        r->equal_compliance = true;
        return true;
    }
    if (!o->equal_compliance) {
        r->residual = thud_cone_residual(c, p, judge);
        return r->residual <= o->tolerance;
    }
    return false;
}

// A single block scaled on the spot, without its rows that carry nothing, and solved in closed form. false: p is as it was.
static bool solve_alone(const thud_cone *c, double *p)
{
    enum { MOST = THUD_CONE_DIM_MAX };
    const thud_cone_block *b = c->block;
    const double *W = c->W.a ? c->W.a : c->sparse->value + c->sparse->at[0];
    const int stride = c->W.a ? c->W.stride : b->dim;
    double scale[MOST], A[MOST * MOST], q[MOST], x[MOST] = {0};
    int n = 0, row[MOST];
    for (int r = 0; r < b->dim; r++) {
        scale[n] = cone_row_scale(b, r);
        row[n] = r;
        n += scale[n] != 0;
    }
    for (int j = 0; j < n; j++) {
        const double epsilon = c->epsilon ? c->epsilon[row[j]] : 0;
        for (int i = 0; i < n; i++) {
            A[i + j * n] = scale[i] * W[row[i] + row[j] * stride] * scale[j];
        }
        A[j + j * n] += scale[j] * epsilon * scale[j];
        q[j] = scale[j] * c->b[row[j]];
    }
    if (b->kind == THUD_CONE_KIND_BOX) {
        x[0] = cone_solve_box(A[0], q[0], b->lo, b->hi, 0);
    } else if (!(b->kind == THUD_CONE_KIND_FREE ? cone_solve_free(n, A, q, x)
                                                : cone_solve_contact(n, A, q, x))) {
        return false;
    }
    memset(p, 0, sizeof *p * (size_t)b->dim);
    for (int i = 0; i < n; i++) {
        p[row[i]] = x[i] * scale[i];
    }
    return true;
}

static bool solved_alone(const thud_cone *c, const thud_cone_options *o, double *judge, double *p,
                         thud_cone_report *r)
{
    if (o->method != THUD_CONE_AUTO || c->blocks != 1 || !solve_alone(c, p)) {
        return false;
    }
    r->residual = thud_cone_residual(c, p, judge);
    r->equal_compliance = true;
    return r->residual <= o->tolerance;
}

static bool is_linear(const thud_cone *c)
{
    bool all = c->W.a && c->blocks > 1; // one has a closed form
    for (int i = 0; all && i < c->blocks; i++) {
        all = c->block[i].kind == THUD_CONE_KIND_FREE;
    }
    return all;
}

static bool solved_as_joints(const thud_cone *c, const thud_cone_options *o, thud_arena *scratch,
                             double *judge, double *p, thud_cone_report *r)
{
    if (o->method != THUD_CONE_AUTO || !is_linear(c) ||
        !cone_joints(c, o->tolerance, scratch, judge, p, &r->residual)) {
        return false;
    }
    r->method = THUD_CONE_NEWTON;
    r->equal_compliance = true;
    r->iterations = r->factorizations = 1;
    return true;
}

// From the least that may be enough to the methods. The choice among joints' answers does not need to be looked for.
static void solve_pressed(const thud_cone *c, const thud_cone_options *o, thud_arena *scratch, double *judge,
                          double *p, thud_cone_report *r)
{
    const double size = cone_size(c);
    if ((o->equal_compliance && solved_as_joints(c, o, scratch, judge, p, r)) ||
        solved_already(c, o, size, judge, p, r) || solved_alone(c, o, judge, p, r)) {
        r->outcome = THUD_CONE_SOLVED;
        return;
    }
    solve_scaled(c, o, size, scratch, judge, p, r);
    if (r->outcome == THUD_CONE_SOLVED && !(r->residual <= o->tolerance)) {
        r->outcome = THUD_CONE_STALLED; // the judge has the last word
    } else if (r->residual <= o->tolerance) {
        r->outcome = THUD_CONE_SOLVED;
    }
}

thud_cone_report thud_cone_solve(const thud_cone *c, const thud_cone_options *o, thud_arena *scratch,
                                 double *p)
{
    thud_cone_report r = {.outcome = THUD_CONE_BAD_PROBLEM, .method = o->method, .residual = NAN, .rank = -1};
    if (thud_cone_check(c, NULL) != THUD_OK || !(o->tolerance >= 0) || o->max_iterations < 0 ||
        (unsigned)o->method >= THUD_CONE_METHODS) {
        return r;
    }
    const size_t mark = thud_arena_mark(scratch);
    double *judge = NULL;
    if (!finite_problem(c, p)) {
        r.outcome = THUD_CONE_NOT_FINITE;
    } else if (at_rest(c)) {
        memset(p, 0, sizeof *p * (size_t)c->rows);
        r.outcome = THUD_CONE_SOLVED;
        r.residual = 0; // the natural map of an open contact is 0 exactly
        r.equal_compliance = true;
    } else if (!(judge = thud_arena_push(scratch, 3 * (size_t)c->rows + THUD_CONE_DIM_MAX, sizeof *judge))) {
        r.outcome = THUD_CONE_NO_MEMORY;
    } else {
        solve_pressed(c, o, scratch, judge, p, &r);
    }
    thud_arena_release(scratch, mark);
    if (o->want_rank && r.outcome != THUD_CONE_NOT_FINITE) {
        r.rank = thud_cone_rank(c, scratch);
    }
    return r;
}

size_t thud_cone_scratch(const thud_cone *c)
{
    const size_t n = (size_t)c->rows, blocks = (size_t)c->blocks;
    size_t entries = 0, numbers = n * n;
    if (!c->W.a && c->sparse) {
        entries = (size_t)c->sparse->start[c->blocks];
        numbers = 0;
        for (int i = 0; i < c->blocks; i++) {
            for (int k = c->sparse->start[i]; k < c->sparse->start[i + 1]; k++) {
                numbers += (size_t)(c->block[i].dim * c->block[c->sparse->column[k]].dim);
            }
        }
    }
    const size_t pairs = !c->W.a ? entries : blocks * blocks;
    const size_t order = pairs * sizeof(int[7]) + 3 * blocks * (blocks / 64 + 2) * sizeof(double) +
                         (c->W.a ? n * n * sizeof(double) + blocks * blocks * sizeof(int) : 0) +
                         blocks * sizeof(int[24]) + (CONE_NODE + 3) * n * sizeof(double) + 32 * 64;
    const size_t vectors = 42 * (n + 8) * sizeof(double);
    const size_t per_block = blocks * (3 * THUD_CONE_DIM_MAX * THUD_CONE_DIM_MAX + 8) * sizeof(double);
    const size_t matrices =
        2 * (numbers + 8) * (sizeof(double) + sizeof(int)) + 2 * (entries + 8) * sizeof(int);
    const size_t sweeps = c->product ? product_scratch(c, c->product) : 0;
    const size_t groups = c->product ? cone_groups_scratch(c) : 0;
    return vectors + per_block + matrices + order + sweeps + groups +
           64 * 64; // and the alignment of each push
}

int thud_cone_rank(const thud_cone *c, thud_arena *scratch)
{
    const size_t n = (size_t)c->rows, mark = thud_arena_mark(scratch);
    double *a = thud_arena_push(scratch, n * n, sizeof *a), *space = thud_arena_push(scratch, n, sizeof *a);
    int rank = -1;
    if (a && space) {
        memset(a, 0, sizeof *a * n * n);
        for (size_t j = 0; j < n && c->W.a; j++) {
            memcpy(a + j * n, c->W.a + j * (size_t)c->W.stride, sizeof *a * n);
        }
        for (int i = 0; i < c->blocks && !c->W.a; i++) {
            const thud_cone_block *bi = c->block + i;
            for (int k = c->sparse->start[i]; k < c->sparse->start[i + 1]; k++) {
                const thud_cone_block *bj = c->block + c->sparse->column[k];
                for (int x = 0; x < bi->dim * bj->dim; x++) {
                    a[(size_t)(bi->row + x % bi->dim) + (size_t)(bj->row + x / bi->dim) * n] =
                        c->sparse->value[c->sparse->at[k] + x];
                }
            }
        }
        rank = thud_qr_rank((thud_mat){c->rows, c->rows, c->rows, a}, 1e-10, space);
    }
    thud_arena_release(scratch, mark);
    return rank;
}
