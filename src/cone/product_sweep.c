// SPDX-License-Identifier: Apache-2.0
// product_sweep.c: one sweep of block Gauss-Seidel on W = S S^T.                                  [theory 7, 9]
//
// Each block is solved exactly with the others held, as in nsgs.c; y = S^T p is kept up to date, so that
//
//     q = S_i y + b_i - S_i S_i^T p_i,       p_i solves its block with q,       y += S_i^T (change of p_i)
//
// cost two products with the block's own strips.
//
// Cost     about 150 flops and 500 bytes a contact of two bodies; four lanes, the same sums on every machine.
#include <math.h>
#include <string.h>

#include "product.h"

// ---------------------------------------------------------------------------------------------- pairs

// A contact that slides, as one_contact.c: the root of p_n / |x| - 1 in lambda, sought from where it was last, where
//
//     x = X / D,   X = -adj(A + lambda) t,   D = det(A + lambda),   p_n = p_free - to . x = N / D,   N = p_free D - to . X
//
// so that p_n / |x| = N / |X| asks for no quotient by D until it is found. W and e: its own, and the compliance. `near`
// enough. false: it was not found.
static bool slide(const product_pair *c, const double e[3], double *lambda, double near, double p_free,
                  const double t[2], double p[3])
{
    enum { MOST = 12 };
    const double *W = c->W, *to = c->to_normal;
    const double A[3] = {W[3] + e[1] - W[1] * to[0], W[4] - W[1] * to[1], W[5] + e[2] - W[2] * to[1]},
                 b = A[1];
    const double size = sqrt(t[0] * t[0] + t[1] * t[1]), across = to[0] * t[0] + to[1] * t[1];
    double l = *lambda > 0 ? *lambda : thud_max(size / p_free - thud_max(A[0], A[2]), 0.1 * A[0]);
    double lo = 0, hi = INFINITY;
    for (int k = 0; k < MOST; k++) {
        const double a = A[0] + l, d = A[2] + l, D = a * d - b * b;
        const double X[2] = {b * t[1] - d * t[0], b * t[0] - a * t[1]};
        const double N = p_free * D - to[0] * X[0] - to[1] * X[1], norm = sqrt(X[0] * X[0] + X[1] * X[1]);
        const double miss = N - norm;
        if (fabs(miss) <= near * norm) {
            const double p_n = N / D, back = p_n / norm;
            *lambda = l;
            p[0] = p_n;
            p[1] = X[0] * back;
            p[2] = X[1] * back;
            return true;
        }
        lo = miss < 0 ? l : lo;
        hi = miss < 0 ? hi : l;
        // dN/dlambda - (N / |X|) d|X|/dlambda, of dX/dlambda = -t, dD/dlambda = a + d
        const double slope = p_free * (a + d) + across + N * (X[0] * t[0] + X[1] * t[1]) / (norm * norm);
        const double next = l - miss / slope;
        l = next > lo && next < hi ? next : hi < INFINITY ? 0.5 * (lo + hi) : 4 * l;
    }
    return false;
}

static bool solve_slowly(const product_pair *c, const double e[3], const double q[3], double p[3])
{
    const double *W = c->W;
    const double full[9] = {W[0] + e[0], W[1], W[2], W[1], W[3] + e[1], W[4], W[2], W[4], W[5] + e[2]};
    return cone_solve_contact(3, full, q, p);
}

// What sticks or opens is solved at once. extra: its rows' compliance; NULL: none.
THUD_INSIDE bool pair_solve(const product_pair *c, const double *extra, double *lambda, double near,
                            const double q[3], double p[3])
{
    if (q[0] >= 0) {
        p[0] = p[1] = p[2] = 0;
        return true;
    }
    const double p_free = -q[0] * c->normal; // without friction
    const double t[2] = {q[1] - c->to_normal[0] * q[0], q[2] - c->to_normal[1] * q[0]};
    const double x0 = -(c->inverse[0] * t[0] + c->inverse[1] * t[1]);
    const double x1 = -(c->inverse[1] * t[0] + c->inverse[2] * t[1]);
    const double p_n = p_free - c->to_normal[0] * x0 - c->to_normal[1] * x1;
    if (p_n > 0 && x0 * x0 + x1 * x1 <= p_n * p_n) { // it sticks
        p[0] = p_n;
        p[1] = x0;
        p[2] = x1;
        return true;
    }
    static const double none[3] = {0};
    const double *e = extra ? extra : none;
    return slide(c, e, lambda, near, p_free, t, p) || solve_slowly(c, e, q, p);
}

THUD_INSIDE double visit_pair(const product_sweeps *w, int i, double *p, double *from)
{
    const product_pair *c = w->pair + i;
    double *const y = w->y;
    double q[3], next[3], *const mine = p + c->at;
    const double *W = c->W;
    memcpy(from + c->at, mine, sizeof q);
    product_pair_velocity(c, 3, y, q);
    q[0] += c->b[0] - (W[0] * mine[0] + W[1] * mine[1] + W[2] * mine[2]);
    q[1] += c->b[1] - (W[1] * mine[0] + W[3] * mine[1] + W[4] * mine[2]);
    q[2] += c->b[2] - (W[2] * mine[0] + W[4] * mine[1] + W[5] * mine[2]);
    if (!pair_solve(c, w->extra ? w->extra + c->at : NULL, w->lambda + i, w->near, q, next)) {
        return 0;
    }
    const double delta[3] = {next[0] - mine[0], next[1] - mine[1], next[2] - mine[2]};
    const double size = delta[0] * delta[0] + delta[1] * delta[1] + delta[2] * delta[2];
    if (size > 0) {
        memcpy(mine, next, sizeof next);
        product_pair_push(c, 3, delta, y);
    }
    return c->weight * c->weight * size;
}

THUD_INSIDE double visit_smooth(const product_pair *c, double *p, double *from, double *y) // without friction
{
    double q[3], *const mine = p + c->at;
    from[c->at] = *mine;
    product_pair_velocity(c, 1, y, q);
    const double next = thud_max(0, -(q[0] + c->b[0] - c->W[0] * *mine) * c->normal), delta = next - *mine;
    if (delta != 0) {
        *mine = next;
        product_pair_push(c, 1, &delta, y);
    }
    return c->weight * c->weight * delta * delta;
}

// ---------------------------------------------------------------------------------------------- lines

THUD_INSIDE void line_velocity(const product_sweeps *w, const product_line *l, double *u) // u += S_i y
{
    for (int x = l->part; x < l->part + l->parts; x++) {
        const product_part *part = w->part + x;
        for (int r = 0; r < l->dim; r++) {
            lanes sum = {0};
            for (int k = 0; k < part->length; k += PRODUCT_LANES) {
                sum +=
                    *(const lanes *)(part->S + r * part->length + k) * *(const lanes *)(w->y + part->y + k);
            }
            u[r] += LANES_SUM(sum);
        }
    }
}

THUD_INSIDE void line_push(product_sweeps *w, const product_line *l, const double *delta)
{
    for (int x = l->part; x < l->part + l->parts; x++) {
        const product_part *part = w->part + x;
        for (int k = 0; k < part->length; k += PRODUCT_LANES) {
            lanes *to = (lanes *)(w->y + part->y + k);
            for (int r = 0; r < l->dim; r++) {
                *to += delta[r] * *(const lanes *)(part->S + r * part->length + k);
            }
        }
    }
}

static bool line_solve(const product_line *l, const double *q, double *p)
{
    switch (l->kind) {
    case THUD_CONE_KIND_CONTACT:
        return cone_solve_contact(l->dim, l->W, q, p);
    case THUD_CONE_KIND_FREE:
        return cone_solve_free(l->dim, l->W, q, p);
    case THUD_CONE_KIND_BOX:
        break;
    }
    p[0] = cone_solve_box(l->W[0], q[0], l->lo, l->hi, p[0]);
    return true;
}

THUD_INSIDE double visit_line(product_sweeps *w, const product_line *l, double *p, double *from)
{
    double q[THUD_CONE_DIM_MAX] = {0}, next[THUD_CONE_DIM_MAX] = {0}, size = 0;
    double *const mine = p + l->at;
    line_velocity(w, l, q);
    for (int r = 0; r < l->dim; r++) {
        from[l->at + r] = mine[r];
        q[r] += w->b[l->at + r] + product_extra(w, l->at + r) * mine[r];
        next[r] = mine[r];
        for (int s = 0; s < l->dim; s++) {
            q[r] -= l->W[r + s * l->dim] * mine[s];
        }
    }
    if (!line_solve(l, q, next)) {
        return 0;
    }
    for (int r = 0; r < l->dim; r++) {
        const double delta = next[r] - mine[r];
        mine[r] = next[r];
        next[r] = delta;
        size += delta * delta;
    }
    if (size > 0) {
        line_push(w, l, next);
    }
    return l->weight * l->weight * size;
}

// ---------------------------------------------------------------------------------------------- all of them

typedef struct visit { // what the threads share
    product_sweeps *w;
    double *p, *from;
    double *sum;     // of each item, or of each share
    int first, step; // item k of those that are visited together is first + k step
    double rho;      // the judge's
} visit;

// Records follow each other, but the hardware prefetcher stops at the end of a page, which is nine of them. Their y
// are small but lie here and there; where they are a record says that was fetched some visits before.
THUD_INSIDE void fetch_ahead(const product_pair *c, const double *y)
{
    enum { AHEAD = PAIRS_AHEAD, SOON = AHEAD / 2, BYTES = 64 };
    for (size_t at = 0; at < sizeof *c; at += BYTES) {
        __builtin_prefetch((const char *)(c + AHEAD) + at);
    }
    __builtin_prefetch(y + c[SOON].y[0]);
    __builtin_prefetch(y + c[SOON].y[1]);
}

THUD_KERNEL static void visit_items(void *of, int first, int end, int worker)
{
    const visit *v = of;
    (void)worker;
    for (int k = first; k < end; k++) {
        const int item = v->first + k * v->step;
        double change = 0;
        for (int i = v->w->item[item]; i < v->w->item[item + 1]; i++) {
            const product_pair *c = v->w->pair + i;
            fetch_ahead(c, v->w->y);
            const double by =
                c->dim == 3 ? visit_pair(v->w, i, v->p, v->from) : visit_smooth(c, v->p, v->from, v->w->y);
            v->w->change[i] = by;
            change += by;
        }
        v->sum[item] = change;
    }
}

// Regions, even seams, odd seams, the rest.
static void visit_all(const product_sweeps *w, thud_pool_work work, visit *v)
{
    const int regions = w->regions, seams = regions / 2;
    const struct {
        int first, step, count;
    } phase[] = {{0, 2, regions}, {1, 4, seams}, {3, 4, seams - 1}, {2 * regions - 1, 1, 1}};
    for (size_t k = 0; k < sizeof phase / sizeof *phase; k++) {
        v->first = phase[k].first;
        v->step = phase[k].step;
        thud_pool_run(w->pool, phase[k].count, 1, work, v);
    }
}

THUD_KERNEL static double sweep_lines(product_sweeps *w, double *p, double *from)
{
    double change = 0;
    for (int i = 0; i < w->lines; i++) {
        const double by = visit_line(w, w->line + i, p, from);
        w->change[w->pairs + i] = by;
        change += by;
    }
    return change;
}

double product_sweep(product_sweeps *w, double *p, double *from)
{
    THUD_ASSERT(p != from);
    double change = sweep_lines(w, p, from);
    w->visits += w->pairs + w->lines;
    w->sweeps++;
    visit_all(w, visit_items, &(visit){.w = w, .p = p, .from = from, .sum = w->partial});
    for (int i = 0; i < 2 * w->regions; i++) {
        change += w->partial[i];
    }
    return change;
}

THUD_KERNEL static void push_items(void *of, int first, int end, int worker)
{
    const visit *v = of;
    (void)worker;
    for (int k = first; k < end; k++) {
        const int item = v->first + k * v->step;
        for (int i = v->w->item[item]; i < v->w->item[item + 1]; i++) {
            const product_pair *c = v->w->pair + i;
            fetch_ahead(c, v->w->y);
            product_pair_push(c, c->dim, v->p + c->at, v->w->y);
        }
    }
}

void product_accumulate(product_sweeps *w, double *p)
{
    THUD_ASSERT(w->length > 0);
    memset(w->y, 0, sizeof *w->y * (size_t)w->length);
    w->sweeps = 0;
    for (int i = 0; i < w->lines; i++) {
        line_push(w, w->line + i, p + w->line[i].at);
    }
    visit_all(w, push_items, &(visit){.w = w, .p = p});
}

// ---------------------------------------------------------------------------------------------- the judge

// How far a block of c is from the law, its rows from `at` on: those that were left out have neither p nor u. q: S y + b.
THUD_INSIDE product_gap gap_of(const product_sweeps *w, const thud_cone_block *b, int at, int dim,
                               const double *q, const double *p_hat, double rho)
{
    double p[THUD_CONE_DIM_MAX] = {0}, u[THUD_CONE_DIM_MAX] = {0}, gap[THUD_CONE_DIM_MAX];
    product_gap sum = {0, 0};
    for (int r = 0; r < dim; r++) {
        const int row = w->origin[at + r] - b->row;
        p[row] = p_hat[at + r] * w->scale[at + r];
        u[row] = (q[r] + product_extra(w, at + r) * p_hat[at + r]) / w->scale[at + r];
        sum.size += p[row] * p[row];
    }
    thud_cone_gap(b, p, u, rho, gap);
    for (int r = 0; r < b->dim; r++) {
        sum.squares += gap[r] * gap[r];
    }
    return sum;
}

THUD_INSIDE product_gap gap_sum(product_gap a, product_gap b)
{
    return (product_gap){a.squares + b.squares, a.size + b.size};
}

// A pair's block is all that acts of it: its coefficients of friction are what its rows are scaled by.
THUD_KERNEL static void judge_shares(void *of, int first, int end, int worker)
{
    const visit *v = of;
    const product_sweeps *w = v->w;
    product_gap *sum = (product_gap *)(void *)v->sum;
    (void)worker;
    for (int k = first; k < end; k++) {
        const int stop = (k + 1) * SHARE < w->pairs ? (k + 1) * SHARE : w->pairs;
        sum[k] = (product_gap){0, 0};
        for (int i = k * SHARE; i < stop; i++) {
            const product_pair *c = w->pair + i;
            const thud_cone_block b = {.kind = THUD_CONE_KIND_CONTACT,
                                       .row = w->origin[c->at],
                                       .dim = c->dim,
                                       .mu = {w->scale[c->at + c->dim / 2], w->scale[c->at + c->dim - 1]}};
            double q[3];
            product_pair_velocity(c, c->dim, w->y, q);
            for (int r = 0; r < c->dim; r++) {
                q[r] += c->b[r];
            }
            sum[k] = gap_sum(sum[k], gap_of(w, &b, c->at, c->dim, q, v->p, v->rho));
        }
    }
}

product_gap product_judge(product_sweeps *w, double *p)
{
    enum { FEW = 4 }; // shares worth a thread
    const int shares = (w->pairs + SHARE - 1) / SHARE;
    const double rho = thud_cone_rho(w->c->rows, w->trace);
    product_gap all = {0, 0};
    for (int i = 0; i < w->lines; i++) {
        const product_line *l = w->line + i;
        double q[THUD_CONE_DIM_MAX] = {0};
        line_velocity(w, l, q);
        for (int r = 0; r < l->dim; r++) {
            q[r] += w->b[l->at + r];
        }
        all = gap_sum(all, gap_of(w, w->c->block + l->block, l->at, l->dim, q, p, rho));
    }
    visit v = {.w = w, .p = p, .sum = w->partial, .rho = rho};
    thud_pool_run(w->pool, shares, FEW, judge_shares, &v);
    for (int k = 0; k < shares; k++) {
        all = gap_sum(all, ((product_gap *)(void *)w->partial)[k]);
    }
    return all;
}
