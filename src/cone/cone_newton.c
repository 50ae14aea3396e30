// SPDX-License-Identifier: Apache-2.0
// cone_newton.c: Newton on the Alart-Curnier equations of a compliant problem.                  [theory 7, 9]
//
// Symbols  u = W^ p + b^ + epsilon shape (p - centre) · y = p - rho u, rho = 1 / |W^_ii| row group by group
//          F_n = p_n - max(y_n, 0) · F_t = p_t - y_t min(1, max(y_n, 0) / |y_t|) · F = p - clamp(y) on bounds
//          F = 0 exactly at solutions (scaled: every cone is |p_t| <= p_n)
// Steps    J dp = -F on the rows not held (cone_jacobian.c), then halving until |F| is below the largest of
//          the last MEMORY: a monotone search creeps along the kinks of F, and stops there.
// Differs  from Alart & Curnier 1991: epsilon > 0 makes J regular for singular W, so no pseudo-inverse is
//          needed; F is weighed as a velocity in the problem's own units.
// Cost     n^2 a step, and one factor (cone_factor.c) where no earlier one serves: from a warm start whose
//          contacts keep sticking, sliding and parting as they did, one in all.
// Fails    converged = false when |F| does not fall by 2 % in PATIENCE steps, or J is singular.
#include <math.h>
#include <string.h>

#include "cone_faces.h"
#include "cone_newton.h"

enum { MEMORY = 10, PATIENCE = 16, HALVINGS = 10 };

// Of the largest impulse: a contact that only rounding presses is open. Faces that touch side by side in a
// wall would otherwise stick, slide and part by turns, and each turn costs a factor.
static const double DUST = 1e-13;
static const double TIGHT = 1e-14; // of |b|: rounding; every converged run tries to get there

static double *numbers(cone_work *w)
{
    return thud_arena_push(w->arena, (size_t)w->n, sizeof(double));
}

static int sparse_entries(const cone_work *w)
{
    int entries = 0;
    for (int j = 0; j < w->blocks; j++) {
        for (int k = w->sparse.start[j]; k < w->sparse.start[j + 1]; k++) {
            entries += w->block[j].dim * w->block[w->sparse.row[k]].dim;
        }
    }
    return entries;
}

// A dense W^ of fewer rows is factored before an order is found; one with groups has theirs.
enum { ORDERED_ROWS = 81 };

static bool order_if_large(cone_tangent *t)
{
    t->factor.cost = INFINITY; // no order: it never pays
    return t->w->groups || (t->w->W.a && t->w->n < ORDERED_ROWS) || cone_factor_begin(t->w, &t->factor);
}

bool cone_newton_order(cone_tangent *t)
{
    return t->factor.cost < INFINITY || cone_factor_begin(t->w, &t->factor);
}

bool cone_newton_begin(cone_work *w, cone_tangent *t)
{
    const size_t n = (size_t)w->n, blocks = (size_t)w->blocks;
    *t = (cone_tangent){.w = w};
    double **vector[] = {&t->rho,     &t->weight, &t->u, &t->F,       &t->step, &t->trial_p, &t->trial_u,
                         &t->trial_F, &t->best,   &t->y, &t->trial_y, &t->rhs,  &t->x,       &t->factor_y};
    bool all = true;
    for (size_t k = 0; k < sizeof vector / sizeof *vector; k++) {
        all = (*vector[k] = numbers(w)) && all;
    }
    t->state = thud_arena_push(w->arena, blocks, sizeof *t->state);
    t->trial_state = thud_arena_push(w->arena, blocks, sizeof *t->state);
    t->factor_state = thud_arena_push(w->arena, blocks, sizeof *t->state);
    all = all && t->state && t->trial_state && t->factor_state && order_if_large(t);
    t->map = thud_arena_push(w->arena, n, sizeof(int));
    if (w->W.a) {
        t->J.a = thud_arena_push(w->arena, n * n, sizeof(double));
        t->pivot = thud_arena_push(w->arena, n, sizeof(int));
        return all && t->map && t->J.a && t->pivot;
    }
    const size_t entries = (size_t)sparse_entries(w);
    t->S.start = thud_arena_push(w->arena, n + 1, sizeof(int));
    t->S.row = thud_arena_push(w->arena, entries, sizeof(int));
    t->S.value = thud_arena_push(w->arena, entries, sizeof(double));
    return all && t->map && t->S.start && t->S.row && t->S.value;
}

void cone_newton_end(cone_tangent *t)
{
    cone_factor_end(&t->factor);
    thud_sparse_lu_destroy(t->lu);
    t->lu = NULL;
}

// rho of the normal row is 1 / W_nn, of the tangential (or free) rows 1 / |W_tt|_F.
static void choose_rho(cone_tangent *t)
{
    const cone_work *w = t->w;
    for (int i = 0; i < w->blocks; i++) {
        const cone_rows *b = w->block + i;
        int stride;
        const double *D = cone_work_diagonal(w, i, &stride);
        const int first = b->kind == THUD_CONE_KIND_CONTACT ? 1 : 0;
        double sum = 0;
        for (int s = first; s < b->dim; s++) {
            for (int r = first; r < b->dim; r++) {
                const double x =
                    D[r + (size_t)s * (size_t)stride] + (r == s ? t->epsilon * w->shape[b->row + r] : 0);
                sum += x * x;
            }
        }
        for (int r = 0; r < b->dim; r++) {
            const double size = r < first ? D[0] + t->epsilon * w->shape[b->row] : sqrt(sum);
            t->rho[b->row + r] = size > 0 ? 1 / size : w->rho;
            t->weight[b->row + r] = 1 / (t->rho[b->row + r] * w->scale[b->row + r]);
        }
    }
}

// Where a contact slides by little, y_t = p_t - rho u_t hardly shows the slip, and Newton converges only within about
// the slip itself. There rho is what makes both parts of y_t alike.
static void fit_rho(cone_tangent *t, const double *p)
{
    static const double EDGE = 0.99, MOST = 1e6;
    const cone_work *w = t->w;
    for (int i = 0; i < w->blocks; i++) {
        const cone_rows *b = w->block + i;
        if (b->kind != THUD_CONE_KIND_CONTACT || b->dim < 2) {
            continue;
        }
        const double held = thud_norm2(b->dim - 1, p + b->row + 1),
                     slip = thud_norm2(b->dim - 1, t->u + b->row + 1);
        const double rho = t->rho[b->row + 1];
        if (held > EDGE * p[b->row] && held > rho * slip && slip > 0) {
            const double fitting = thud_min(held / slip, MOST * rho);
            for (int r = b->row + 1; r < b->row + b->dim; r++) {
                t->rho[r] = fitting;
                t->weight[r] = 1 / (fitting * w->scale[r]);
            }
        }
    }
    t->factored = FACTORED_NOT;
}

THUD_INSIDE row_state contact_equations(int dim, const double *p, const double *y, double dust, double *F)
{
    if (!(y[0] > dust)) {
        for (int r = 0; r < dim; r++) {
            F[r] = p[r];
        }
        return ROWS_HELD;
    }
    double t2 = 0;
    for (int r = 1; r < dim; r++) {
        t2 += y[r] * y[r];
    }
    const bool slides = t2 > y[0] * y[0];
    const double back = slides ? y[0] / sqrt(t2) : 1;
    F[0] = p[0] - y[0];
    for (int r = 1; r < dim; r++) {
        F[r] = p[r] - y[r] * back;
    }
    return slides ? ROWS_SLIDE : ROWS_FREE;
}

THUD_INSIDE double sum_of_squares(int n, const double *weight, const double *F) // of their products
{
    four sums = {0};
    double sum = 0;
    int i = 0;
    for (; i + FOUR <= n; i += FOUR) {
        const four x = *fours_of(weight + i) * *fours_of(F + i);
        sums += x * x;
    }
    for (; i < n; i++) {
        sum += weight[i] * F[i] * (weight[i] * F[i]);
    }
    return sum + ((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

// F and the states at (p, u); returns |F| as a velocity over |b|.
THUD_KERNEL static double equations(const cone_tangent *t, const double *p, const double *u, double *y,
                                    double *F, row_state *state)
{
    const cone_work *w = t->w;
    const double dust = DUST * cone_find_y(w->n, p, t->rho, u, y);
    for (int i = 0; i < w->blocks; i++) {
        const cone_rows *b = w->block + i;
        const double *pi = p + b->row, *yi = y + b->row;
        double *Fi = F + b->row;
        if (b->kind == THUD_CONE_KIND_CONTACT) {
            state[i] = b->dim == 3 ? contact_equations(3, pi, yi, dust, Fi) // as nearly all, without loops
                                   : contact_equations(b->dim, pi, yi, dust, Fi);
            continue;
        }
        state[i] = ROWS_FREE;
        for (int r = 0; r < b->dim; r++) {
            double to = yi[r];
            if (b->kind == THUD_CONE_KIND_BOX && !(to > b->lo && to < b->hi)) {
                to = to <= b->lo ? b->lo : b->hi;
                state[i] = ROWS_HELD;
            }
            Fi[r] = pi[r] - to;
        }
    }
    return sqrt(sum_of_squares(w->n, t->weight, F)) / w->norm_b;
}

// u = W^ p + b^ + epsilon shape (p - centre)
static void velocity(const cone_tangent *t, const double *p, double *u)
{
    const cone_work *w = t->w;
    cone_work_multiply(w, p, u);
    for (int i = 0; i < w->n; i++) {
        u[i] += t->epsilon * w->shape[i] * (p[i] - (t->centre ? t->centre[i] : 0));
    }
}

// |F| so far along t->step. u is linear in p: of all lengths but the whole it follows from that one, but for rounding.
static double try_length(cone_tangent *t, const double *p, double length)
{
    THUD_ASSERT(0 < length && length <= 1);
    const int n = t->w->n;
    double *change = t->rhs;
    for (int i = 0; i < n; i++) {
        t->trial_p[i] = p[i] + length * t->step[i];
    }
    if (length == 1) {
        velocity(t, t->trial_p, t->trial_u);
        for (int i = 0; i < n; i++) {
            change[i] = t->trial_u[i] - t->u[i];
        }
    } else {
        for (int i = 0; i < n; i++) {
            t->trial_u[i] = length > 0 ? t->u[i] + length * change[i] : t->u[i]; // changes may be endless
        }
    }
    return equations(t, t->trial_p, t->trial_u, t->trial_y, t->trial_F, t->trial_state);
}

// Moves p along t->step: the first length whose |F| is below `bound`, or the best one tried.
static double search(cone_tangent *t, double *p, double bound)
{
    const int n = t->w->n;
    double length = 1, best = INFINITY, best_length = 0, last = 0;
    for (int k = 0; k <= HALVINGS; k++, length *= 0.5) {
        const double merit = try_length(t, p, length);
        last = length;
        if (merit < best) {
            best = merit;
            best_length = length;
        }
        if (merit <= (1 - 1e-4 * length) * bound) {
            break;
        }
    }
    if (best_length != last) { // go back to the best
        best = try_length(t, p, best_length);
    }
    memcpy(p, t->trial_p, sizeof *p * (size_t)n);
    cone_swap(&t->u, &t->trial_u);
    cone_swap(&t->F, &t->trial_F);
    cone_swap(&t->y, &t->trial_y);
    row_state *keep = t->state;
    t->state = t->trial_state;
    t->trial_state = keep;
    return best;
}

// The first direction from a warm start supposes that contacts which stuck still stick: impulses say so more
// surely than u, which a small motion of the bodies changes. A wrong guess is corrected by the line search and the
// next step.
static void suppose_stick(cone_tangent *t, const double *p)
{
    static const double INSIDE = 0.999;
    for (int i = 0; i < t->w->blocks; i++) {
        const cone_rows *b = t->w->block + i;
        const double *pi = p + b->row;
        if (b->kind == THUD_CONE_KIND_CONTACT && t->state[i] != ROWS_FREE && pi[0] > 0 &&
            thud_norm2(b->dim - 1, pi + 1) < INSIDE * pi[0]) {
            t->state[i] = ROWS_FREE;
            for (int r = b->row; r < b->row + b->dim; r++) {
                t->F[r] = p[r] - t->y[r];
            }
        }
    }
}

newton_result cone_newton_run(cone_tangent *t, double *p, int max_steps)
{
    THUD_ASSERT(t->epsilon > 0 && max_steps >= 0);
    cone_work *w = t->w;
    const size_t bytes = sizeof *p * (size_t)w->n;
    const double loose = thud_max(thud_min(0.01 * w->tolerance, 1e-10), t->enough);
    const int patience = t->patience > 0 ? t->patience : PATIENCE;
    double history[MEMORY];
    choose_rho(t);
    velocity(t, p, t->u);
    if (t->fine) {
        fit_rho(t, p);
    }
    newton_result r = {.merit = equations(t, p, t->u, t->y, t->F, t->state)};
    if (w->warm) {
        suppose_stick(t, p);
        w->warm = false;
    }
    double merit = r.merit, mark = r.merit; // mark: the last merit that counted as progress
    int since = 0;
    memcpy(t->best, p, bytes);
    for (int k = 0; k < MEMORY; k++) {
        history[k] = merit;
    }
    while (merit > thud_max(TIGHT, t->enough) && r.steps < max_steps && since <= patience &&
           cone_spend(w, 4 * cone_product_work(w)) && cone_newton_direction(t)) {
        double bound = 0;
        for (int k = 0; k < MEMORY; k++) {
            bound = thud_max(bound, history[k]);
        }
        const double before = merit;
        merit = search(t, p, bound);
        history[r.steps++ % MEMORY] = merit;
        w->iterations++;
        if (!(merit < INFINITY)) {
            break;
        }
        if (merit < r.merit) {
            r.merit = merit;
            memcpy(t->best, p, bytes);
        }
        since = merit < 0.98 * mark ? 0 : since + 1;
        mark = since == 0 ? merit : mark;
        if (merit > 0.25 * before && t->kept && !t->exact) {
            t->factored = FACTORED_NOT; // old factors have done what they could
        } else if (merit <= loose && merit > 0.25 * before) {
            break; // converged, and down to rounding
        }
    }
    memcpy(p, t->best, bytes);
    r.converged = r.merit <= loose;
    return r;
}
