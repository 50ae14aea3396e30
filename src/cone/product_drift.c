// SPDX-License-Identifier: Apache-2.0
// product_drift.c: a step along the direction in which sweeps keep moving.         [theory 7, 9]
//
// Sticking contacts may have contradictory equations u = 0, by 1e-6 of the velocities: a ring of wheels that roll on each other, a
// wedge between walls that close. Some contact must slide. Until one does, every sweep moves the impulses by the same f, nearly in
// the null space (S^T f is about 0), for thousands of sweeps. Instead the impulses go at once to the first contact that leaves its cone,
// of those that were well inside:
//
//     t = the least with |p_t + t f_t| = p_n + t f_n, or p_n + t f_n = 0, or a bound reached;     p <- P(p + t f)
//
// P projects contacts that were near the edge, or have almost no impulse, back into their cones. A few dozen such steps lead to an
// answer. Newton's method at a fixed compliance follows the same f without end.
#include <math.h>

#include "product.h"

static const double WELL = 0.95;   // of the cone's opening: inside
static const double LITTLE = 1e-4; // of the mean normal impulse: next to nothing

double cone_reach(int dim, const double *p, const double *f, double well)
{
    THUD_ASSERT(well >= 0);
    double pp = 0, pf = 0, ff = 0;
    for (int r = 1; r < dim; r++) {
        pp += p[r] * p[r];
        pf += p[r] * f[r];
        ff += f[r] * f[r];
    }
    if (dim == 1 || pp >= well * well * p[0] * p[0]) {
        return f[0] < 0 ? -p[0] / f[0] : INFINITY;
    }
    // a t^2 + 2 b t + c = 0, c < 0: the root c / (-b - sqrt(b^2 - a c)) has no difference of near numbers
    const double a = ff - f[0] * f[0], b = pf - p[0] * f[0], c = pp - p[0] * p[0];
    const double square = b * b - a * c;
    const double divisor = square >= 0 ? -b - sqrt(square) : 0;
    return divisor < 0 ? c / divisor : INFINITY;
}

static double reach_of_line(const product_line *l, const double *p, const double *f, double little)
{
    if (l->kind == THUD_CONE_KIND_CONTACT) {
        return p[0] > little ? cone_reach(l->dim, p, f, WELL) : INFINITY;
    }
    if (l->kind == THUD_CONE_KIND_BOX && f[0] != 0) {
        const double bound = f[0] > 0 ? l->hi : l->lo;
        return p[0] == bound ? INFINITY : (bound - p[0]) / f[0];
    }
    return INFINITY;
}

static double reach(const product_sweeps *w, const double *p, const double *f)
{
    double sum = 0, t = INFINITY;
    for (int k = 0; k < w->pairs; k++) {
        sum += p[w->pair[k].at];
    }
    const double little = LITTLE * sum / (w->pairs + 1);
    for (int k = 0; k < w->pairs; k++) {
        const int at = w->pair[k].at;
        t = p[at] > little ? thud_min(t, cone_reach(w->pair[k].dim, p + at, f + at, WELL)) : t;
    }
    for (int k = 0; k < w->lines; k++) {
        const int at = w->line[k].at;
        t = thud_min(t, reach_of_line(w->line + k, p + at, f + at, little));
    }
    return t;
}

void cone_back(int dim, double *p)
{
    THUD_ASSERT(dim > 0);
    double pp = 0;
    for (int r = 1; r < dim; r++) {
        pp += p[r] * p[r];
    }
    const double scale = !(p[0] > 0) ? 0 : pp > p[0] * p[0] ? p[0] / sqrt(pp) : 1;
    p[0] = p[0] > 0 ? p[0] : 0;
    for (int r = 1; r < dim; r++) {
        p[r] *= scale;
    }
}

static void back(const product_sweeps *w, double *p)
{
    for (int k = 0; k < w->pairs; k++) {
        cone_back(w->pair[k].dim, p + w->pair[k].at);
    }
    for (int k = 0; k < w->lines; k++) {
        const product_line *l = w->line + k;
        if (l->kind == THUD_CONE_KIND_CONTACT) {
            cone_back(l->dim, p + l->at);
        } else if (l->kind == THUD_CONE_KIND_BOX) {
            p[l->at] = thud_min(thud_max(p[l->at], l->lo), l->hi);
        }
    }
}

bool product_drift(product_sweeps *w, const double *f, double *p)
{
    const double t = reach(w, p, f);
    if (!(t > 1 && t < INFINITY)) { // the next sweep is there, or nothing is in the way
        return false;
    }
    for (int i = 0; i < w->n; i++) {
        p[i] += t * f[i];
    }
    back(w, p);
    product_accumulate(w, p);
    return true;
}
