// SPDX-License-Identifier: Apache-2.0
// cone_solve.c: thud_cone_solve: refusals, cases that need no method, the choice of a method, the final judgement.        [theory 7, 9]
#include <math.h>
#include <string.h>

#include <thud/cone_product.h>

#include "cone_groups.h"
#include "product.h"

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

// A contact or joint row of a block whose diagonal is 0 and that W does not move at all, with b against it.
static bool cannot_answer(const cone_work *w, int block)
{
    THUD_ASSERT(0 <= block && block < w->blocks);
    const cone_rows *b = w->block + block;
    int stride;
    const double *D = cone_work_diagonal(w, block, &stride);
    const int rows = b->kind == THUD_CONE_KIND_CONTACT ? 1 : b->dim;
    for (int r = 0; r < rows; r++, D += stride + 1) {
        if (*D == 0 && asks(b, r, w->b[b->row + r]) && row_size(w, b->row + r) == 0) {
            return true;
        }
    }
    return false;
}

static bool infeasible(const cone_work *w)
{
    bool any = false;
    for (int i = 0; i < w->blocks && !any; i++) {
        const cone_rows *b = w->block + i;
        const bool moves = b->kind == THUD_CONE_KIND_CONTACT && w->W.a && // nearly all of them
                           w->W.a[(size_t)b->row * ((size_t)w->n + 1)] != 0;
        any = !moves && cannot_answer(w, i);
    }
    return any;
}

// In the space of velocities; where that is too large or fails, in the space of impulses.
static thud_cone_outcome solve_proximal(cone_work *w, double *p, bool *equal)
{
    const thud_cone_outcome first = cone_velocity(w, p, VELOCITY_PATH, INFINITY, equal);
    if (first == THUD_CONE_SOLVED || first == THUD_CONE_NO_MEMORY) {
        return first;
    }
    const thud_cone_outcome second = cone_proximal(w, p, equal);
    return second != THUD_CONE_SOLVED && first == THUD_CONE_INFEASIBLE ? first : second;
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
        return solve_proximal(w, p, &r->equal_compliance);
    case THUD_CONE_ADMM:
        return cone_admm(w, p);
    default:
        return cone_auto(w, p, o->equal_compliance, &r->method, &r->equal_compliance);
    }
}

// Works in the scaled problem; p and the outcome are the method's, the residual is the judge's.
static void solve_scaled(const thud_cone *c, const thud_cone_options *o, thud_arena *scratch, double *judge,
                         double *p, thud_cone_report *r)
{
    THUD_ASSERT(o->tolerance >= 0);
    cone_work w;
    double *p_hat = cone_work_begin(c, o->tolerance, scratch, &w);
    r->outcome = THUD_CONE_NO_MEMORY;
    if (!p_hat) {
        r->residual = thud_cone_residual(c, p, judge);
        return;
    }
    w.max_iterations = o->max_iterations;
    w.brief = o->brief;
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
        !isnan(w.residual) && memcmp(p, w.judged, sizeof *p * (size_t)c->rows) == 0; // these very impulses
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

// A residual at p = 0 below this is rounding, and p = 0 the answer.
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
    if (r->residual <= thud_min(ROUNDING, o->tolerance)) {
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
    THUD_ASSERT(c->blocks == 1 && c->block->dim <= THUD_CONE_DIM_MAX);
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

// The cases that need no method in the order of their cost, then the method. Joints alone have one answer.
static void solve_pressed(const thud_cone *c, const thud_cone_options *o, thud_arena *scratch, double *judge,
                          double *p, thud_cone_report *r)
{
    const double size = cone_size(c);
    if ((o->equal_compliance && solved_as_joints(c, o, scratch, judge, p, r)) ||
        solved_already(c, o, size, judge, p, r) || solved_alone(c, o, judge, p, r)) {
        r->outcome = THUD_CONE_SOLVED;
        return;
    }
    solve_scaled(c, o, scratch, judge, p, r);
    if (r->outcome == THUD_CONE_SOLVED && !(r->residual <= o->tolerance)) {
        r->outcome = THUD_CONE_STALLED; // the judge has the last word
    } else if (r->residual <= o->tolerance) {
        r->outcome = THUD_CONE_SOLVED;
    }
}

// A problem that passed thud_cone_check. judge: room for it, or NULL.
static void solve_checked(const thud_cone *c, const thud_cone_options *o, thud_arena *scratch, double *judge,
                          double *p, thud_cone_report *r)
{
    if (!finite_problem(c, p)) {
        r->outcome = THUD_CONE_NOT_FINITE;
    } else if (at_rest(c)) {
        memset(p, 0, sizeof *p * (size_t)c->rows);
        r->outcome = THUD_CONE_SOLVED;
        r->residual = 0; // the natural map of an open contact is 0 exactly
        r->equal_compliance = true;
    } else if (!judge) {
        r->outcome = THUD_CONE_NO_MEMORY;
    } else {
        solve_pressed(c, o, scratch, judge, p, r);
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
    double *judge = thud_arena_push(scratch, 3 * (size_t)c->rows + THUD_CONE_DIM_MAX, sizeof *judge);
    solve_checked(c, o, scratch, judge, p, &r);
    thud_arena_release(scratch, mark);
    if (o->want_rank && r.outcome != THUD_CONE_NOT_FINITE) {
        r.rank = thud_cone_rank(c, scratch);
    }
    return r;
}

size_t thud_cone_scratch(const thud_cone *c)
{
    const size_t all = cone_work_scratch(c) + velocity_scratch(c),
                 sweeps = c->product ? product_scratch(c, c->product) : 0;
    // a part takes no more than all, and no sweeps meanwhile
    return all + (c->product && sweeps < all ? all : sweeps);
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
