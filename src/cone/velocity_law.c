// SPDX-License-Identifier: Apache-2.0
// velocity_law.c: Coulomb's law of one block with compliance, and its derivative.
//
// A contact of compliances t whose free velocity is -t x has the normal impulse p_n = max(x_n, 0) and the tangential impulse
// that minimises sum t_i (p_i - x_i)^2 / 2 over |p_t| <= p_n: the exact law, friction opposite to the slip, without de Saxce's
// shift. Inside the disc p_t = x_t. On its edge, with r = p_n and lambda >= 0 such that |p_t| = r:
//     p_t = (T + lambda)^-1 T x_t,       D = (T + lambda)^-1
//     dp_t = (D - D p p^T D / p^T D p) T dx_t + (r D p / p^T D p) dr,      dr = dx_n
// The columns for dx_t divided by t are symmetric; the one for dx_n is the coupling, which makes K unsymmetric.
// [Alart & Curnier 1991; Simo & Laursen 1992]
#include <math.h>
#include <string.h>

#include "velocity.h"

enum { ROUNDS = 60 }; // of Newton's method for lambda, which needs about five

static bool is_equal(int count, const double *t)
{
    bool equal = true;
    for (int i = 1; i < count; i++) {
        equal = equal && t[i] == t[0];
    }
    return equal;
}

// lambda with |(T + lambda)^-1 T x| = r, of x outside the disc: Newton's method on 1/|p| - 1/r, monotone from 0 [Hebden 1973].
static double find_lambda(int count, const double *x, const double *t, double r)
{
    THUD_ASSERT(r > 0 && count <= THUD_CONE_DIM_MAX);
    double lambda = 0;
    for (int k = 0; k < ROUNDS; k++) {
        double p2 = 0, slope = 0;
        for (int i = 0; i < count; i++) {
            const double d = 1 / (t[i] + lambda), p = d * t[i] * x[i];
            p2 += p * p;
            slope += p * p * d;
        }
        const double size = sqrt(p2), next = lambda + (size / r - 1) * p2 / slope;
        if (!(next > lambda)) {
            break;
        }
        lambda = next;
    }
    return lambda;
}

static void contact(int dim, const double *x, const double *t, double radius, double *p)
{
    const int count = dim - 1;
    p[0] = x[0] > 0 ? x[0] : 0;
    const double r = isnan(radius) ? p[0] : radius, size = thud_norm2(count, x + 1);
    if (size <= r) {
        memcpy(p + 1, x + 1, sizeof *p * (size_t)count);
        return;
    }
    const bool equal = is_equal(count, t + 1);
    const double lambda = r > 0 && !equal ? find_lambda(count, x + 1, t + 1, r) : 0;
    for (int i = 1; i <= count; i++) {
        p[i] = !(r > 0) ? 0 : equal ? x[i] * (r / size) : t[i] * x[i] / (t[i] + lambda);
    }
}

void velocity_law(const cone_rows *b, const double *x, const double *t, double radius, double *p)
{
    THUD_ASSERT(b->dim >= 0 && b->dim <= THUD_CONE_DIM_MAX);
    if (b->kind == THUD_CONE_KIND_CONTACT) {
        contact(b->dim, x, t, radius, p);
    } else if (b->kind == THUD_CONE_KIND_BOX) {
        p[0] = x[0] < b->lo ? b->lo : x[0] > b->hi ? b->hi : x[0];
    } else {
        memcpy(p, x, sizeof *p * (size_t)b->dim);
    }
}

static void put_diagonal(int dim, int first, const double *t, double *K)
{
    for (int i = first; i < dim; i++) {
        K[i * dim + i] = 1 / t[i];
    }
}

static void contact_tangent(int dim, const double *x, const double *t, const double *p, bool coupled,
                            double *K)
{
    const double r = x[0];
    if (!(r > 0)) {
        return;
    }
    K[0] = 1 / t[0];
    const double size = thud_norm2(dim - 1, x + 1);
    if (size <= r) {
        put_diagonal(dim, 1, t, K);
        return;
    }
    double D[THUD_CONE_DIM_MAX], Dp[THUD_CONE_DIM_MAX], pDp = 0;
    const double lambda =
        is_equal(dim - 1, t + 1) ? t[1] * (size / r - 1) : find_lambda(dim - 1, x + 1, t + 1, r);
    for (int i = 1; i < dim; i++) {
        D[i] = 1 / (t[i] + lambda);
        Dp[i] = D[i] * p[i];
        pDp += p[i] * Dp[i];
    }
    for (int i = 1; i < dim; i++) {
        for (int j = 1; j < dim; j++) {
            K[i * dim + j] = (i == j ? D[i] : 0) - Dp[i] * Dp[j] / pDp;
        }
        K[i * dim] = coupled ? r * Dp[i] / pDp / t[0] : 0;
    }
}

void velocity_law_tangent(const cone_rows *b, const double *x, const double *t, const double *p, bool coupled,
                          double *K)
{
    THUD_ASSERT(b->dim <= THUD_CONE_DIM_MAX);
    memset(K, 0, sizeof *K * (size_t)b->dim * (size_t)b->dim);
    if (b->kind == THUD_CONE_KIND_CONTACT) {
        contact_tangent(b->dim, x, t, p, coupled, K);
    } else if (b->kind == THUD_CONE_KIND_FREE || (x[0] > b->lo && x[0] < b->hi)) {
        put_diagonal(b->dim, 0, t, K);
    }
}
