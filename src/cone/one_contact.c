// SPDX-License-Identifier: Apache-2.0
// one_contact.c: one block alone, solved exactly.                                                  [theory 7]
//
// Scaled as in cone_work.h: K = { |x| <= p_n }, x the tangential impulse. Three states, one formula:
//   separate  q_n >= 0: p = 0
//   stick     u = 0 and |x| <= p_n
//   slip      u_n = 0, u_t = -lambda x, |x| = p_n, lambda > 0
// With p_n eliminated by u_n = 0, stick and slip are (A + lambda I) x = -c, where A = W_tt - W_tn W_nt / W_nn
// and c = q_t - W_tn q_n / W_nn. h(lambda) = p_n / |x| - 1 is negative where stick fails and grows without
// bound, so it has a root whenever A is positive semidefinite: bracketed Newton finds it, every time.
// (h is nearly straight in lambda, as 1/|x| is in trust-region methods: three steps are usual.)
//
// Differs  from the quartic in tan(theta/2) of the literature: no root filtering, any dimension, W
// unsymmetric. Cost     a few (d-1)^3 solves; closed form for d = 1, 2. Fails    (false, p untouched) where
// q_n < 0 and W_nn <= 0, or A is so indefinite that no root is bracketed.
#include <math.h>

#include "cone_work.h"

enum { TANGENTS = THUD_CONE_DIM_MAX - 1 };

typedef struct schur {
    int k; // tangential rows
    double A[TANGENTS][TANGENTS], c[TANGENTS];
    double row[TANGENTS]; // W_nt / W_nn
    double p_free;        // -q_n / W_nn > 0: the normal impulse without friction
    double trace;
} schur;

// x <- (A + lambda I)^-1 x by elimination with row pivoting. false: singular.
static bool shifted_solve(const schur *s, double lambda, double *x)
{
    THUD_ASSERT(lambda >= 0);
    const int k = s->k;
    double a[TANGENTS][TANGENTS] = {{0}};
    if (k == 2) {
        const double a00 = s->A[0][0] + lambda, a11 = s->A[1][1] + lambda;
        const double det = a00 * a11 - s->A[0][1] * s->A[1][0];
        const double x0 = (a11 * x[0] - s->A[0][1] * x[1]) / det;
        x[1] = (a00 * x[1] - s->A[1][0] * x[0]) / det;
        x[0] = x0;
        return det > 0 && isfinite(x[0]) && isfinite(x[1]);
    }
    for (int i = 0; i < k; i++) {
        for (int j = 0; j < k; j++) {
            a[i][j] = s->A[i][j] + (i == j ? lambda : 0);
        }
    }
    for (int i = 0; i < k; i++) {
        int pivot = i;
        for (int r = i + 1; r < k; r++) {
            pivot = fabs(a[r][i]) > fabs(a[pivot][i]) ? r : pivot;
        }
        if (!(fabs(a[pivot][i]) > 0)) {
            return false;
        }
        for (int j = 0; j < k; j++) {
            const double swap = a[i][j];
            a[i][j] = a[pivot][j];
            a[pivot][j] = swap;
        }
        const double swap = x[i];
        x[i] = x[pivot];
        x[pivot] = swap;
        for (int r = i + 1; r < k; r++) {
            const double l = a[r][i] / a[i][i];
            for (int j = i + 1; j < k; j++) {
                a[r][j] -= l * a[i][j];
            }
            x[r] -= l * x[i];
        }
    }
    for (int i = k - 1; i >= 0; i--) {
        for (int j = i + 1; j < k; j++) {
            x[i] -= a[i][j] * x[j];
        }
        x[i] /= a[i][i];
        if (!isfinite(x[i])) {
            return false;
        }
    }
    return true;
}

typedef struct slip_point {
    double x[TANGENTS], p_n;
    double h, slope; // p_n / |x| - 1 and its derivative
} slip_point;

static bool slip_at(const schur *s, double lambda, slip_point *at)
{
    double dx[TANGENTS], dp = 0, norm2 = 0, xdx = 0;
    for (int i = 0; i < s->k; i++) {
        at->x[i] = -s->c[i];
    }
    if (!shifted_solve(s, lambda, at->x)) {
        return false;
    }
    at->p_n = s->p_free;
    for (int i = 0; i < s->k; i++) {
        at->p_n -= s->row[i] * at->x[i];
        norm2 += at->x[i] * at->x[i];
        dx[i] = -at->x[i];
    }
    if (!(norm2 > 0)) {
        at->h = INFINITY;
        return true;
    }
    const double norm = sqrt(norm2);
    at->h = at->p_n / norm - 1;
    at->slope = 0;
    if (shifted_solve(s, lambda, dx)) {
        for (int i = 0; i < s->k; i++) {
            dp -= s->row[i] * dx[i];
            xdx += at->x[i] * dx[i];
        }
        at->slope = (dp - at->p_n * xdx / norm2) / norm;
    }
    return true;
}

// The root of h above lambda = lo, where h < 0 (or A is singular). false: none was bracketed.
static bool slip_root(const schur *s, double lo, slip_point *at)
{
    static const double ROOT = 1e-15; // of |h|
    double hi = thud_max(thud_norm2(s->k, s->c) / s->p_free, 2 * lo);
    for (int i = 0; i < 200 && !(slip_at(s, hi, at) && at->h >= -ROOT); i++) {
        const double next = hi - at->h / at->slope; // nearly straight: most often the root, or just beyond
        lo = hi;
        hi = at->slope > 0 && next > hi && next < 4 * hi ? next : 4 * hi;
    }
    if (!(at->h >= -ROOT)) {
        return false;
    }
    double lambda = hi;
    for (int i = 0; i < 100 && fabs(at->h) > ROOT && hi - lo > 1e-16 * hi; i++) {
        const double step = lambda - at->h / at->slope;
        lambda = step > lo && step < hi ? step : 0.5 * (lo + hi);
        if (!slip_at(s, lambda, at) || at->h < 0) {
            lo = lambda;
        } else {
            hi = lambda;
        }
    }
    return isfinite(at->h);
}

static void eliminate_normal(int d, const double *W, const double *q, schur *s)
{
    s->k = d - 1;
    s->p_free = -q[0] / W[0];
    s->trace = 0;
    for (int i = 0; i < s->k; i++) {
        s->row[i] = W[(i + 1) * d] / W[0];
        s->c[i] = q[i + 1] + W[i + 1] * s->p_free;
    }
    for (int i = 0; i < s->k; i++) {
        for (int j = 0; j < s->k; j++) {
            s->A[i][j] = W[i + 1 + (j + 1) * d] - W[i + 1] * s->row[j];
        }
        s->trace += fabs(W[i + 1 + (i + 1) * d]);
    }
}

// d = 2: x = -c / (a + lambda) keeps its sign, so slip is x = sign p_n in u_n = 0.
static bool solve_plane(const schur *s, double *p)
{
    const double a = s->A[0][0], c = s->c[0];
    const double x = -c / a, p_n = s->p_free - s->row[0] * x;
    if (a > 1e-15 * s->trace && fabs(x) <= p_n) {
        p[0] = p_n;
        p[1] = x;
        return true;
    }
    const double sign = c > 0 ? -1 : c < 0 ? 1 : 0;
    const double denominator = 1 + sign * s->row[0];
    if (!(denominator > 0) || !(a >= -1e-12 * s->trace)) {
        return false;
    }
    p[0] = s->p_free / denominator;
    p[1] = sign * p[0];
    return true;
}

// Along some direction W moves nothing but for rounding, as across a plane mechanism: sticking takes a little lambda.
static bool flat(const schur *s)
{
    return s->k != 2 || !(s->A[0][0] * s->A[1][1] - s->A[0][1] * s->A[1][0] > 1e-12 * s->trace * s->trace);
}

bool cone_solve_contact(int d, const double *W, const double *q, double *p)
{
    THUD_ASSERT(0 < d && d <= THUD_CONE_DIM_MAX);
    if (q[0] >= 0) {
        for (int i = 0; i < d; i++) {
            p[i] = 0;
        }
        return true;
    }
    if (!(W[0] > 0)) {
        return false;
    }
    schur s;
    eliminate_normal(d, W, q, &s);
    if (d == 1) {
        p[0] = s.p_free;
        return true;
    }
    if (d == 2) {
        return solve_plane(&s, p);
    }
    slip_point at = {.h = -1};
    const double least = 1e-15 * s.trace; // as good as stick, and regular where A is singular
    const bool stick =
        (slip_at(&s, 0, &at) && at.h >= 0) || (flat(&s) && slip_at(&s, least, &at) && at.h >= 0);
    if (!stick && !slip_root(&s, least, &at)) {
        return false;
    }
    const double norm = thud_norm2(s.k, at.x);
    const double back = !stick || norm > at.p_n ? at.p_n / norm : 1; // onto the cone to the last bit
    p[0] = at.p_n;
    for (int i = 0; i < s.k; i++) {
        p[i + 1] = at.x[i] * back;
    }
    return true;
}

bool cone_solve_free(int d, const double *W, const double *q, double *p)
{
    THUD_ASSERT(0 <= d && d <= THUD_CONE_DIM_MAX);
    double a[THUD_CONE_DIM_MAX * THUD_CONE_DIM_MAX], x[THUD_CONE_DIM_MAX];
    int pivot[THUD_CONE_DIM_MAX];
    double trace = 0;
    for (int i = 0; i < d; i++) {
        trace += fabs(W[i + i * d]);
    }
    for (int j = 0; j < d; j++) {
        for (int i = 0; i < d; i++) {
            a[i + j * d] = W[i + j * d] + (i == j ? 1e-14 * trace : 0); // regular where rows repeat
        }
        x[j] = -q[j];
    }
    const thud_mat A = {d, d, d, a};
    if (thud_lu_factor(A, pivot) >= 0) {
        return false;
    }
    thud_lu_solve(A, pivot, x);
    for (int i = 0; i < d; i++) {
        if (!isfinite(x[i])) {
            return false;
        }
    }
    for (int i = 0; i < d; i++) {
        p[i] = x[i];
    }
    return true;
}

double cone_solve_box(double W, double q, double lo, double hi, double p)
{
    THUD_ASSERT(lo <= hi);
    if (W > 0) {
        p = -q / W;
    } else if (q > 0 && isfinite(lo)) {
        p = lo;
    } else if (q < 0 && isfinite(hi)) {
        p = hi;
    }
    return p < lo ? lo : p > hi ? hi : p;
}
