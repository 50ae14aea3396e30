// SPDX-License-Identifier: Apache-2.0
// cone_quad.c: up to four contacts of three rows, side by side in the lanes of a register.                      [theory 7, 9]
//
// The method is cone_small.c's, step by step, and so is the answer: Newton on the faces of the cones, that of equal compliance,
// by a centre of 0 first and then by one proximal point. What is done for every contact is done for all four at once, from
// the caller's problem to the impulses, without lists: a box on the floor, a foot, a ball among others. What slides on all of them has two
// unknowns each, else there are three.
// Cost     two fifths of cone_small.c's for four contacts that slide.
// Fails    false, p untouched: where the ladder is needed anyway; the caller's problem is not one of these.
#include <math.h>
#include <string.h>

#include "quad.h"

// ---------------------------------------------------------------------------------------------- the problem

enum { ROWS = AXES * FOUR };

// W^ = S (W + diag epsilon) S, b^ = S b.
THUD_KERNEL static void scale(quad *q, const double *W, int stride, const double *b)
{
    const four mu = q->mu;
    fours_part(b, q->b);
    q->b[FIRST] *= mu;
    q->b[SECOND] *= mu;
    for (int j = 0; j < FOUR; j++) {
        for (int k = 0; k < AXES; k++, W += stride) {
            const double s = k == NORMAL ? 1 : mu[j];
            four column[AXES];
            fours_part(W, column);
            q->W[NORMAL][k][j] = column[NORMAL] * s;
            q->W[FIRST][k][j] = mu * column[FIRST] * s;
            q->W[SECOND][k][j] = mu * column[SECOND] * s;
        }
    }
}

static void soften(quad *q, const double *epsilon)
{
    for (int i = 0; i < q->c->blocks; i++, epsilon += AXES) {
        const double s = q->mu[i];
        q->W[NORMAL][NORMAL][i][i] += epsilon[NORMAL];
        q->W[FIRST][FIRST][i][i] += s * epsilon[FIRST] * s;
        q->W[SECOND][SECOND][i][i] += s * epsilon[SECOND] * s;
    }
}

// Fewer than four: lanes that are not there have a unit compliance and rest.
static void scale_fewer(quad *q)
{
    const thud_cone *c = q->c;
    double W[ROWS * ROWS] = {0}, b[ROWS] = {0};
    memcpy(b, c->b, sizeof *b * (size_t)c->rows);
    for (int j = 0; j < ROWS; j++) {
        W[j * (ROWS + 1)] = 1;
        if (j < c->rows) {
            memcpy(W + (ptrdiff_t)j * ROWS, c->W.a + (ptrdiff_t)j * c->W.stride, sizeof *W * (size_t)c->rows);
        }
    }
    scale(q, W, ROWS, b);
}

bool cone_quad_suits(const thud_cone *c, const thud_cone_options *o)
{
    bool good =
        c->blocks > 1 && c->blocks <= FOUR && c->W.a && o->method == THUD_CONE_AUTO && o->equal_compliance;
    for (int i = 0; good && i < c->blocks; i++) {
        good = cone_is_round(c->block + i) && cone_diagonal(c, i, 0) > 0;
    }
    return good;
}

static void build(quad *q)
{
    const thud_cone *c = q->c;
    double mu[FOUR] = {1, 1, 1, 1};
    q->mean = 0;
    for (int i = 0; i < c->blocks; i++) {
        mu[i] = c->block[i].mu[0];
        q->mean += cone_diagonal(c, i, 0) + (c->epsilon ? c->epsilon[AXES * i] : 0);
    }
    q->mean /= c->blocks;
    q->mu = (four){mu[0], mu[1], mu[2], mu[3]};
    q->shape = q->mu * q->mu;
    if (c->blocks == FOUR) {
        scale(q, c->W.a, c->W.stride, c->b);
    } else {
        scale_fewer(q);
    }
    if (c->epsilon) {
        soften(q, c->epsilon);
    }
}

THUD_KERNEL static void take(quad *q, const double *p)
{
    fours_part(p, q->p);
    q->p[FIRST] /= q->mu;
    q->p[SECOND] /= q->mu;
}

THUD_KERNEL static void give(const quad *q, double *p)
{
    const four x[AXES] = {q->p[NORMAL], q->p[FIRST] * q->mu, q->p[SECOND] * q->mu};
    fours_join(x, p);
}

// ---------------------------------------------------------------------------------------------- the method

// The compliant problem about 0, to rounding: solve_compliant of cone_small.c.
static bool solve_compliant(quad *q)
{
    enum { MOST_STEPS = 8 };
    static const double TIGHT2 = 1e-28, NEAR2 = 1e-8, LOST2 = 100; // of |b|^2
    const double loose = thud_min(0.01 * q->tolerance, 1e-10), loose2 = loose * loose;
    double before2 = INFINITY;
    quad_begin(q);
    quad_factor(q);
    bool good = quad_move(q);
    for (q->iterations = 1; good && q->iterations < MOST_STEPS; q->iterations++) {
        const double merit2 = quad_look(q);
        bool same = quad_same(q);
        if (!same && (merit2 <= TIGHT2 || (merit2 < NEAR2 && merit2 < 0.01 * before2))) {
            quad_stay(q); // the faces may be right and only not yet reached
            same = true;
        }
        if (same && (merit2 <= TIGHT2 || (merit2 <= loose2 && merit2 > 0.06 * before2))) {
            return true;
        }
        if (!(merit2 < LOST2) || (q->iterations > 2 && same && merit2 > 0.25 * before2)) {
            return false;
        }
        quad_put_on_faces(q);
        if (!(same && merit2 <= 0.01 * before2 && quad_serve(q, merit2, TIGHT2))) {
            quad_factor(q);
        }
        good = quad_move(q);
        before2 = merit2;
    }
    return false;
}

// Proximal points about p with the factors that are there.
static bool take_compliance_out(quad *q, double *judge, double *p, double *residual)
{
    enum { POINTS = 3 };
    static const double SLOW = 0.1;
    double before = INFINITY;
    for (int k = 0; k < POINTS; k++) {
        quad_let_go(q);
        if (!quad_move(q)) {
            return false;
        }
        give(q, p);
        *residual = cone_residual_known(q->c, p, q->rho, q->size, judge);
        if (*residual <= q->tolerance) {
            return true;
        }
        if (!(*residual <= SLOW * before)) {
            return false;
        }
        before = *residual;
    }
    return false;
}

bool cone_quad(const thud_cone *c, double tolerance, double size, double *judge, double *p,
               thud_cone_report *r)
{
    quad q;
    double at[ROWS] = {0}, residual;
    q.c = c;
    q.size = size;
    q.over_size2 = 1 / (size * size);
    q.rho = thud_cone_rho(c->rows, cone_trace(c));
    q.tolerance = 0.5 * tolerance;
    q.factorizations = 0;
    q.proximal = false;
    q.face = (quad_faces){0};
    q.there = (four_of_bits){0};
    memcpy(at, p, sizeof *p * (size_t)c->rows);
    build(&q);
    take(&q, at);
    q.epsilon = CONE_LEAST * q.mean;
    if (!solve_compliant(&q) || !take_compliance_out(&q, judge, at, &residual)) {
        return false;
    }
    memcpy(p, at, sizeof *p * (size_t)c->rows);
    r->method = THUD_CONE_NEWTON;
    r->equal_compliance = true;
    r->iterations = q.iterations;
    r->factorizations = q.factorizations;
    r->residual = residual;
    return true;
}
