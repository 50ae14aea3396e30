// SPDX-License-Identifier: Apache-2.0
// pyramid.c: the friction cone as a pyramid of generators.                         [theory 2, 3] [ST] [PI]
//
//     0 <= p_n    |  u_n                   >= 0
//     0 <= beta   |  D^T u_t + lambda e    >= 0         p_t = D beta
//     0 <= lambda |  p_n - e^T beta        >= 0
//
//     M = [ W_nn     W_nt D      0 ]       Stewart and Trinkle's, where u_free holds gaps at the step's end,
//         [ D^T W_tn D^T W_tt D  e ]       Anitescu and Potra's, where it holds velocities alone.
//         [ 1        -e^T        0 ]
//
// Symbols  D columns d_j = (mu_1 cos a_j, mu_2 sin a_j) generate the limit surface for p_n = 1; a_j = a_0 +
//          2 pi j / K; torsion and rolling add +- mu_r on their own row · e ones · lambda about mu |u_t|
// Differs  mu is in the generators, so that anisotropic friction, torsion and rolling need no other form;
//          in the papers it multiplies p_n: the same p. Torsion, rolling and sliding share the normal
//          impulse by the sum of their parts, not by its root of squares: the hull is inscribed in the
//          ellipsoid. Limits, dry friction and loops are rows of the same problem. lambda is scaled
//          (law_inside.h).
// Fails    rank: D^T W_tt D has rank 2 for any K, so M is singular where W is not. Lemke takes it; Murty
//          and Judice-Pires need a regular matrix, Dantzig a symmetric one, Gauss-Seidel a diagonal, and
//          that of lambda is 0.
#include <math.h>

#include <thud/elementary.h>

#include "law_inside.h"

static const double SLIGHT = 1e-9; // of p_n: friction of a warm start that is but rounding
static const double FULL_TURN = 2 * 3.14159265358979323846;

static int slide_generators(const thud_block *b, const double *mu, int directions)
{
    if (b->kind != THUD_BLOCK_CONTACT || b->dim == 1) {
        return 0;
    }
    if (b->dim == 2) {
        return mu[0] > 0 ? 2 : 0;
    }
    return mu[0] > 0 && mu[1] > 0 ? directions : mu[0] > 0 || mu[1] > 0 ? 2 : 0;
}

int law_pyramid_size(const thud_island *island, const thud_law_options *o)
{
    int n = 0;
    for (int i = 0; i < island->blocks; i++) {
        const thud_block *b = island->block + i;
        const double *mu = island->cone[i].mu;
        int generators = slide_generators(b, mu, o->directions);
        for (int r = 3; r < b->dim && b->kind == THUD_BLOCK_CONTACT; r++) {
            generators += mu[r - 1] > 0 ? 2 : 0;
        }
        n += b->kind == THUD_BLOCK_LOOP ? b->dim : 1 + generators + (generators > 0);
    }
    return n;
}

// The angle of the first direction: along D u_t, whose opposite is the generator that brakes most.
static double first_angle(const law_case *c, const thud_block *b, const double *mu)
{
    const double *u = c->island->u_before + b->row;
    const bool slips = thud_hypot(u[1], u[2]) >= c->o->slip;
    return c->o->aligned && slips ? thud_atan2(mu[1] * u[2], mu[0] * u[1]) : 0;
}

// Generators that the warm start leans on: the two beside p_t; the one against the slip of an open contact.
static double add_ring(law_case *c, int block, int count)
{
    const thud_block *b = c->island->block + block;
    const double *mu = c->island->cone[block].mu, *p = c->island->p + b->row, *u = c->u + b->row;
    const double from = first_angle(c, b, mu), turn = FULL_TURN / count;
    const bool open = !(p[0] > 0);
    const double x = open ? -mu[0] * u[1] : p[1] / mu[0], y = open ? -mu[1] * u[2] : p[2] / mu[1];
    double towards = fmod(thud_atan2(y, x) - from, FULL_TURN) / turn; // in steps of the ring
    towards += towards < 0 ? count : 0;
    for (int j = 0; j < count; j++) {
        const double angle = from + turn * j;
        const law_column d = {block, b->row + 1, b->row + 2, mu[0] * thud_cos(angle),
                              mu[1] * thud_sin(angle)};
        const int at = law_case_add(c, d, 0, INFINITY);
        const double apart = thud_min(fabs(towards - j), fabs(towards - j - count));
        const bool leans = thud_hypot(x, y) > SLIGHT * fabs(p[0]) && apart < (open ? 0.5 : 1 - 1e-6);
        c->start[at] = leans ? THUD_LCP_BETWEEN : THUD_LCP_AT_LOWER;
    }
    const double aside = towards - floor(towards) - 0.5;
    return thud_hypot(p[1] / mu[0], p[2] / mu[1]) * thud_cos(turn * aside) / thud_cos(turn / 2); // e^T beta
}

static double add_pair(law_case *c, int block, int r, double mu)
{
    const int row = c->island->block[block].row + r;
    for (int side = 1; side >= -1; side -= 2) {
        const int at = law_case_add(c, (law_column){block, row, -1, side * mu, 0}, 0, INFINITY);
        c->start[at] = side * c->island->p[row] > 0 ? THUD_LCP_BETWEEN : THUD_LCP_AT_LOWER;
    }
    return fabs(c->island->p[row]) / mu;
}

static void add_contact(law_case *c, int block)
{
    const thud_block *b = c->island->block + block;
    const double *mu = c->island->cone[block].mu;
    const int normal = c->used, ring = slide_generators(b, mu, c->o->directions);
    double used = 0; // e^T beta of the warm start
    law_case_add_rows(c, block);
    if (ring > 0 && b->dim > 2 && mu[0] > 0 && mu[1] > 0) {
        used = add_ring(c, block, ring);
    } else if (ring > 0) {
        used = add_pair(c, block, mu[0] > 0 ? 1 : 2, mu[0] > 0 ? mu[0] : mu[1]);
    }
    for (int r = 3; r < b->dim; r++) {
        if (mu[r - 1] > 0) {
            used += add_pair(c, block, r, mu[r - 1]);
        }
    }
    const int end = c->used;
    if (end == normal + 1) {
        return;
    }
    const int lambda = law_case_add(c, (law_column){block, -1, -1, 0, 0}, 0, INFINITY);
    const bool slides = used >= (1 - 1e-6) * c->island->p[b->row]; // or is open
    c->start[lambda] = slides ? THUD_LCP_BETWEEN : THUD_LCP_AT_LOWER;
    *law_at(c->M, lambda, normal) = c->s; // p_n - e^T beta
    for (int beta = normal + 1; beta < end; beta++) {
        *law_at(c->M, beta, lambda) = c->s;
        *law_at(c->M, lambda, beta) = -c->s;
    }
}

bool law_pyramid(law_case *c)
{
    if (!law_case_size(c, law_pyramid_size(c->island, c->o))) {
        return false;
    }
    for (int i = 0; i < c->island->blocks; i++) {
        if (c->island->block[i].kind == THUD_BLOCK_CONTACT) {
            add_contact(c, i);
        } else {
            law_case_add_rows(c, i);
        }
    }
    THUD_ASSERT(c->used == c->n);
    law_case_couple(c);
    return true;
}
