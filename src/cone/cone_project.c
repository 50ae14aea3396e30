// SPDX-License-Identifier: Apache-2.0
// cone_project.c: the nearest point of a block's set, and the scale-free residual built on it.     [theory 7]
//
// Symbols  y point (n, t) · K = { |diag(mu)^-1 t| <= n } · nu multiplier of the cone's equation
// Where all mu agree the projection is closed; otherwise the ellipse's secular equation is solved:
//   min |x - y|^2 / 2 on |D^-1 x_t| = x_n, D = diag(mu):
//   x_n = y_n / (1 - nu),  x_i = y_i mu_i^2 / (mu_i^2 + nu)
//   g(nu) = sum (mu_i y_i)^2 / (mu_i^2 + nu)^2 - (y_n / (1 - nu))^2 = 0
// with nu in (0, 1) for y_n > 0, nu > 1 for y_n < 0, nu = 1 for y_n = 0 (then x_n comes from the equation).
#include <math.h>

#include "cone_work.h"

// The polar cone: K's nearest point is 0 when y_n <= -|D y_t|.
static bool in_polar(int k, const double *mu, const double *y)
{
    double s = 0;
    for (int i = 0; i < k; i++) {
        s += mu[i] * y[1 + i] * (mu[i] * y[1 + i]);
    }
    return y[0] <= -sqrt(s);
}

static bool in_cone(int k, const double *mu, const double *y)
{
    double s = 0;
    for (int i = 0; i < k; i++) {
        const double x = y[1 + i] == 0 ? 0 : y[1 + i] / mu[i];
        s += x * x;
    }
    return sqrt(s) <= y[0];
}

// |D^-1 x_t|(nu), which falls as nu grows, and its slope.
static double ellipse_radius(int k, const double *mu, const double *y, double nu, double *slope)
{
    double sum = 0, fall = 0;
    for (int i = 0; i < k; i++) {
        const double wide = mu[i] * mu[i] + nu, x = mu[i] > 0 ? mu[i] * y[1 + i] / wide : 0;
        sum += x * x;
        fall += mu[i] > 0 ? x * x / wide : 0;
    }
    const double radius = sqrt(sum);
    *slope = -fall / radius;
    return radius;
}

// x_n - |D^-1 x_t| times (1 - nu), so that it stays finite at nu = 1: rises with nu. Concave below 1.
static double ellipse_gap(int k, const double *mu, const double *y, double nu, double *slope)
{
    const double radius = ellipse_radius(k, mu, y, nu, slope);
    *slope = radius - (1 - nu) * *slope;
    return y[0] - (1 - nu) * radius;
}

// Newton's method, from the left where the gap is concave; it halves the bracket where a step leaves it.
static void project_ellipse(int k, const double *mu, double *y)
{
    enum { MOST = 200 };
    static const double ROUNDING = 2e-16;
    double lo = 0, hi = 1, slope;
    if (y[0] < 0) { // (nu - 1) radius -> |D y_t| > -y_n as nu grows: the bracket closes
        lo = 1;
        for (hi = 2; ellipse_gap(k, mu, y, hi, &slope) < 0 && hi < 1e300;) {
            lo = hi;
            hi *= 4;
        }
    }
    double nu = lo;
    for (int i = 0; i < MOST; i++) {
        const double gap = ellipse_gap(k, mu, y, nu, &slope);
        *(gap < 0 ? &lo : &hi) = nu;
        double next = nu - gap / slope;
        if (fabs(next - nu) <= ROUNDING * nu) {
            break;
        }
        next = next > lo && next < hi ? next : 0.5 * (lo + hi);
        if (next == nu) {
            break;
        }
        nu = next;
    }
    y[0] = ellipse_radius(k, mu, y, nu, &slope);
    for (int i = 0; i < k; i++) {
        y[1 + i] *= mu[i] > 0 ? mu[i] * mu[i] / (mu[i] * mu[i] + nu) : 0;
    }
}

static void project_contact(const thud_cone_block *block, double *y)
{
    const int k = block->dim - 1;
    const double *mu = block->mu;
    bool round = k > 0 && mu[0] > 0;
    for (int i = 0; i < k; i++) {
        round = round && mu[i] == mu[0];
        y[1 + i] = mu[i] == 0 ? 0 : y[1 + i]; // K lies in this subspace: project there first
    }
    if (round) {
        cone_project_round(k, mu[0], y);
    } else if (in_polar(k, mu, y)) {
        for (int i = 0; i <= k; i++) {
            y[i] = 0;
        }
    } else if (!in_cone(k, mu, y)) {
        project_ellipse(k, mu, y);
    }
}

void thud_cone_project(const thud_cone_block *block, double *y)
{
    THUD_ASSERT(0 < block->dim && block->dim <= THUD_CONE_DIM_MAX);
    if (cone_is_round(block)) {
        cone_project_round(2, block->mu[0], y);
    } else if (block->kind == THUD_CONE_KIND_CONTACT) {
        for (int i = 0; i < block->dim; i++) {
            if (isnan(y[i])) { // NaN in, NaN out: no comparison below would keep it
                y[0] = y[i];
                return;
            }
        }
        project_contact(block, y);
    } else if (block->kind == THUD_CONE_KIND_BOX) {
        y[0] = y[0] < block->lo ? block->lo : y[0] > block->hi ? block->hi : y[0];
    }
}
