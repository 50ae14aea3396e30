// SPDX-License-Identifier: Apache-2.0
// velocity_newton.c: Newton's method for one proximal subproblem, in the space of velocities.
//
// Given a centre z and compliances eps, find p with  u = W^ p + b + eps (p - z)  and the law between u and p. With W^ = S S^T +
// diag(soft), t = eps + soft and the unknown d = S^T (p - z), of as many numbers as S has columns:
//     x(d) = (eps z - u_z - S d) / t,     u_z = S S^T z + b,      p(x): the exact law (velocity_law.c)
//     F(d) = d - S^T (p(x(d)) - z) = 0,   H = I + S^T p'(x) diag(1/t) S,       H step = -F
// Redundant rows add terms to H and no unknowns. F is not a gradient, because friction depends on the normal impulse. With the
// radii of the friction discs frozen it is one, of a convex function, and along a step a point exists where the function has fallen.
// Full steps are taken while they halve |S F|; else such a point is sought.
// [Alart & Curnier 1991; Rockafellar 1976; Acary, Cadoux, Lemarechal & Malick 2011; Castro, Permenter & Han 2022]
#include <math.h>
#include <string.h>

#include "velocity.h"

enum { STEPS = 20, PATIENCE = 10, WIDER = 6, HALVINGS = 40 };
static const double PROGRESS = 0.7; // |S F| below so much of the least so far counts as progress

static double *numbers(const cone_work *w, size_t count)
{
    return thud_arena_push(w->arena, count, sizeof(double));
}

bool velocity_begin(velocity *v)
{
    cone_work *w = v->w;
    const size_t n = (size_t)w->n, m = (size_t)v->view.m, blocks = (size_t)w->blocks;
    double **rows[] = {&v->unit, &v->eps, &v->t, &v->z, &v->u_z, &v->x, &v->p, &v->slope, &v->rows};
    double **columns[] = {&v->d, &v->F, &v->step, &v->at};
    bool all = velocity_factor_begin(&v->view, w->arena, &v->factor);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        all = (*rows[k] = numbers(w, n)) && all;
    }
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
        all = (*columns[k] = numbers(w, m)) && all;
    }
    v->K = numbers(w, blocks * VELOCITY_BLOCK);
    v->radius = numbers(w, blocks);
    return all && v->K && v->radius;
}

void velocity_centre(velocity *v, const double *z, double c)
{
    THUD_ASSERT(c > 0);
    const cone_work *w = v->w;
    memmove(v->z, z, sizeof *z * (size_t)w->n);
    velocity_view_to_columns(w, &v->view, v->z, v->at);
    velocity_view_to_rows(w, &v->view, v->at, v->u_z);
    for (int i = 0; i < w->n; i++) {
        v->u_z[i] += w->b[i];
        v->eps[i] = c * v->unit[i];
        v->t[i] = v->eps[i] + v->view.soft[i];
        THUD_ASSERT(v->t[i] > 0);
    }
}

// |S F| / |b|, in the caller's units.
static double merit_of(velocity *v)
{
    const cone_work *w = v->w;
    double sum = 0;
    velocity_view_to_rows(w, &v->view, v->F, v->rows);
    for (int i = 0; i < w->n; i++) {
        const double x = v->rows[i] / w->scale[i];
        sum += x * x;
    }
    return sqrt(sum) / w->norm_b;
}

// x, p, F and the merit at d.
static void evaluate(velocity *v)
{
    const cone_work *w = v->w;
    velocity_view_to_rows(w, &v->view, v->d, v->rows);
    for (int i = 0; i < w->n; i++) {
        v->x[i] = (v->eps[i] * v->z[i] - v->u_z[i] - v->rows[i]) / v->t[i];
    }
    for (int i = 0; i < w->blocks; i++) {
        const int row = w->block[i].row;
        velocity_law(w->block + i, v->x + row, v->t + row, NAN, v->p + row);
    }
    for (int i = 0; i < w->n; i++) {
        v->rows[i] = v->p[i] - v->z[i];
    }
    velocity_view_to_columns(w, &v->view, v->rows, v->F);
    for (int j = 0; j < v->view.m; j++) {
        v->F[j] = v->d[j] - v->F[j];
    }
    v->merit = merit_of(v);
}

// step <- -H^-1 F. false: singular or not finite.
static bool find_step(velocity *v, bool coupled)
{
    cone_work *w = v->w;
    for (int i = 0; i < w->blocks; i++) {
        const int row = w->block[i].row;
        velocity_law_tangent(w->block + i, v->x + row, v->t + row, v->p + row, coupled,
                             v->K + (size_t)i * VELOCITY_BLOCK);
    }
    velocity_factor_make(w, &v->view, v->K, &v->factor);
    w->factorizations++;
    if (!velocity_factor_invert(&v->factor)) {
        return false;
    }
    for (int j = 0; j < v->view.m; j++) {
        v->step[j] = -v->F[j];
    }
    velocity_factor_solve(&v->factor, v->step);
    return thud_all_finite(v->view.m, v->step);
}

// F(d + a step) . step with the radii frozen, from x at d: v->rows.
static double along(velocity *v, double a)
{
    const cone_work *w = v->w;
    double sum = 0;
    for (int j = 0; j < v->view.m; j++) {
        sum += (v->d[j] + a * v->step[j]) * v->step[j];
    }
    for (int i = 0; i < w->blocks; i++) {
        const cone_rows *b = w->block + i;
        double x[THUD_CONE_DIM_MAX], p[THUD_CONE_DIM_MAX];
        for (int r = 0; r < b->dim; r++) {
            const int k = b->row + r;
            x[r] = v->x[k] - a * v->slope[k] / v->t[k];
        }
        velocity_law(b, x, v->t + b->row, v->radius[i], p);
        for (int r = 0; r < b->dim; r++) {
            sum -= (p[r] - v->z[b->row + r]) * v->slope[b->row + r];
        }
    }
    return sum;
}

// A length at which the derivative of the convex function along the step is at most half of `first` (< 0), its value at 0, by regula
// falsi [Illinois]. The derivative rises with the length.
static double search(velocity *v, double first)
{
    THUD_ASSERT(first < 0);
    const cone_work *w = v->w;
    velocity_view_to_rows(w, &v->view, v->step, v->slope);
    for (int i = 0; i < w->blocks; i++) {
        const double normal = v->x[w->block[i].row];
        v->radius[i] = normal > 0 ? normal : 0;
    }
    const double enough = 0.5 * fabs(first);
    double low = 0, high = 1, at_low = first, at_high = along(v, 1);
    for (int k = 0; k < WIDER && at_high < -enough; k++) {
        low = high;
        at_low = at_high;
        high *= 2;
        at_high = along(v, high);
    }
    int side = 0;
    for (int k = 0; k < HALVINGS && fabs(at_high) > enough && at_high > 0; k++) {
        const double a = low - at_low * (high - low) / (at_high - at_low), at = along(v, a);
        if (fabs(at) <= enough) {
            return a;
        }
        if (at < 0) {
            low = a;
            at_low = at;
            at_high *= side < 0 ? 0.5 : 1;
            side = -1;
        } else {
            high = a;
            at_high = at;
            at_low *= side > 0 ? 0.5 : 1;
            side = 1;
        }
    }
    return high;
}

static void advance(velocity *v, double length)
{
    for (int j = 0; j < v->view.m; j++) {
        v->d[j] += length * v->step[j];
    }
    evaluate(v);
}

// From x and p at d with a full step that led to no good: back to d, and a length along a descent direction. false: none.
static bool descend(velocity *v)
{
    for (int j = 0; j < v->view.m; j++) {
        v->d[j] -= v->step[j];
    }
    evaluate(v);
    double first = thud_dot(v->view.m, v->F, v->step);
    if (!(first < 0)) {
        if (!find_step(v, false)) {
            return false;
        }
        first = thud_dot(v->view.m, v->F, v->step);
    }
    if (!(first < 0)) {
        return false;
    }
    advance(v, search(v, first));
    return true;
}

// A step: a factor of m x m, made from the rows.
static bool spend(const velocity *v)
{
    const int64_t m = v->view.m;
    return cone_spend(v->w, m * m * (m / 3 + v->w->n + 1));
}

bool velocity_newton(velocity *v, double enough, bool search_always, int *steps)
{
    THUD_ASSERT(enough > 0 && *steps >= 0);
    evaluate(v);
    double least = v->merit;
    int slow = 0;
    for (int k = 0; k < STEPS && slow < PATIENCE; k++) {
        if (v->merit <= enough) {
            return true;
        }
        if (!(v->merit < INFINITY) || !spend(v) || !find_step(v, true)) {
            return false;
        }
        ++*steps;
        v->w->iterations++;
        const double before = v->merit;
        advance(v, 1);
        if ((search_always || !(v->merit < 0.5 * before)) && !(v->merit <= enough) && !descend(v)) {
            return false;
        }
        slow = v->merit < PROGRESS * least ? 0 : slow + 1;
        least = v->merit < least ? v->merit : least;
    }
    return v->merit <= enough;
}

double velocity_residual(velocity *v)
{
    const cone_work *w = v->w;
    for (int i = 0; i < w->n; i++) {
        v->rows[i] = v->p[i] - v->z[i];
    }
    velocity_view_to_columns(w, &v->view, v->rows, v->at);
    velocity_view_to_rows(w, &v->view, v->at, v->rows);
    for (int i = 0; i < w->n; i++) {
        v->rows[i] += v->u_z[i] + v->view.soft[i] * v->p[i];
    }
    return cone_work_residual(w, v->p, v->rows);
}
