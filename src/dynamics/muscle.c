// SPDX-License-Identifier: Apache-2.0
// muscle.c: a muscle by Hill's model in closed form, the curves of MuJoCo [mujoco.readthedocs.io, Muscles].
//
//     L = first + (l - begin)/L0,   V = v/(L0 vmax)             length and speed, L0 the optimal length
//     f = -F (FL(L) FV(V) a + FP(L))                            F the peak force, a the activation, 0 to 1
//     a' = (u - a)/t,   t = rise (1 + 3 a)/2 where u > a,  2 fall/(1 + 3 a) elsewhere          [Millard et al. 2013]
//
// FL is a bell of four parabolas: 0 at lmin and lmax, 1 at L = 1. FV is 0 at V = -1, 1 at V = 0, fvmax from fvmax - 1 on. FP is 0 below
// L = 1, a parabola to the middle between 1 and lmax, then straight. All three are smooth but for their curvature.
#include <thud/elementary.h>

#include "muscle.h"

static const double TINY = 1e-15; // as MuJoCo: divisors are not less

// FL and its derivative.
static double bell(double L, double lmin, double lmax, double *slope)
{
    *slope = 0;
    if (!(lmin <= L && L <= lmax)) {
        return 0;
    }
    const double a = 0.5 * (lmin + 1), b = 0.5 * (1 + lmax);
    const double width = thud_max(TINY, L <= a ? a - lmin : L <= 1 ? 1 - a : L <= b ? b - 1 : lmax - b);
    const double x = (L <= a ? L - lmin : L <= 1 ? 1 - L : L <= b ? L - 1 : lmax - L) / width;
    const bool outer = L <= a || L > b;
    *slope = (outer ? (L <= a ? x : -x) : (L <= 1 ? x : -x)) / width;
    return outer ? 0.5 * x * x : 1 - 0.5 * x * x;
}

// FV and its derivative.
static double hill(double V, double fvmax, double *slope)
{
    const double y = fvmax - 1, width = thud_max(TINY, y);
    *slope = 0;
    if (V <= -1) {
        return 0;
    }
    if (V <= 0) {
        *slope = 2 * (V + 1);
        return (V + 1) * (V + 1);
    }
    if (V <= y) {
        *slope = 2 * (y - V) / width;
        return fvmax - (y - V) * (y - V) / width;
    }
    return fvmax;
}

static double relative_length(const double *p, double length)
{
    return p[MUSCLE_FIRST] + (length - p[MUSCLE_BEGIN]) / p[MUSCLE_OPTIMUM];
}

muscle_force muscle_pull(const double p[MUSCLE_NUMBERS], double length, double velocity)
{
    const double speed = thud_max(TINY, p[MUSCLE_OPTIMUM] * p[MUSCLE_VMAX]), force = p[MUSCLE_FORCE];
    double by_L, by_V;
    const double FL = bell(relative_length(p, length), p[MUSCLE_LMIN], p[MUSCLE_LMAX], &by_L);
    const double FV = hill(velocity / speed, p[MUSCLE_FVMAX], &by_V);
    return (muscle_force){-force * FL * FV, -force * by_L * FV / p[MUSCLE_OPTIMUM],
                          -force * FL * by_V / speed};
}

muscle_force muscle_passive(const double p[MUSCLE_NUMBERS], double length)
{
    const double L = relative_length(p, length), b = 0.5 * (1 + p[MUSCLE_LMAX]),
                 width = thud_max(TINY, b - 1);
    const double scale = p[MUSCLE_FORCE] * p[MUSCLE_FPMAX], slope = scale / (width * p[MUSCLE_OPTIMUM]);
    if (L <= 1) {
        return (muscle_force){0, 0, 0};
    }
    const double x = (L - (L <= b ? 1 : b)) / width;
    return L <= b ? (muscle_force){-scale * 0.5 * x * x, -slope * x, 0}
                  : (muscle_force){-scale * (0.5 + x), -slope, 0};
}

// ---------------------------------------------------------------------------------------------- activation

static double clamp_unit(double x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

// From 0 to 1 with two continuous derivatives.
static double sigmoid(double x)
{
    x = clamp_unit(x);
    return x * x * x * (3 * x * (2 * x - 5) + 10);
}

static double time_of(const double prm[3], double u, double a)
{
    const double slow = 0.5 + 1.5 * clamp_unit(a), rise = prm[0] * slow, fall = prm[1] / slow;
    const double share = prm[2] < TINY ? u > a : sigmoid((u - a) / prm[2] + 0.5);
    return thud_max(TINY, fall + (rise - fall) * share);
}

// The exponential of the time constant in the middle of the step: second order, and no step is too long for it.
double muscle_activate(const double prm[3], double control, double activation, double h)
{
    const double u = clamp_unit(control), far = u - activation;
    const double middle = activation + far * -thud_expm1(-0.5 * h / time_of(prm, u, activation));
    return activation + far * -thud_expm1(-h / time_of(prm, u, middle));
}
