// SPDX-License-Identifier: Apache-2.0
// quad_step.c: a step of Newton's method on the faces of up to four contacts, in lanes: what cone_quad.c is made of. The equations
// are those of cone_small.c.                                                                                  [theory 7, 9]
//
// Symbols  f, e, q directions of an impulse's unknowns: what slides moves along its cone, f = d, and around it, e across d;
//          what sticks has f = 0, e and q the tangential axes; what carries nothing has a 1 on the diagonal and 0 elsewhere
// Rows and columns are in the order AROUND, ALONG, ACROSS, four of each. The factors take no pivots: W~ is positive definite but for
// friction's part of what slides, which lambda makes up for where it is fast; what comes of it is looked at before it is believed.
#include <math.h>
#include <string.h>

#include "cone_small.h"
#include "quad.h"

// x <- |(x, y)|
THUD_INSIDE void find_length(four *x, const four *y)
{
    *x = *x * *x + *y * *y;
    fours_root(x);
}

// x <- |x - y|
THUD_INSIDE void find_distance(four *x, const four *y)
{
    *x -= *y;
    fours_size(x);
}

THUD_INSIDE double sum_of(const four *x)
{
    return ((*x)[0] + (*x)[1]) + ((*x)[2] + (*x)[3]);
}

// Element (r, r) of block (a, b) of every contact.
THUD_INSIDE void diagonal_of(const quad *q, int a, int b, four *to)
{
    const four *W = q->W[a][b];
    *to = (four){W[0][0], W[1][1], W[2][2], W[3][3]};
}

// rho of the normal row is 1 / W~_nn, of the others 1 / |W~_tt|_F.
THUD_INSIDE void choose_rho(quad *q)
{
    four n, a, b, c, d;
    diagonal_of(q, NORMAL, NORMAL, &n);
    diagonal_of(q, FIRST, FIRST, &a);
    diagonal_of(q, FIRST, SECOND, &b);
    diagonal_of(q, SECOND, FIRST, &c);
    diagonal_of(q, SECOND, SECOND, &d);
    a += q->epsilon * q->shape;
    d += q->epsilon * q->shape;
    four size = a * a + b * b + c * c + d * d;
    fours_root(&size);
    q->weight_n = n + q->epsilon;
    q->weight_t = size / q->mu;
    q->rho_n = 1 / q->weight_n;
    q->rho_t = 1 / size;
}

// u <- b + W p, and epsilon shape p.
THUD_INSIDE void find_velocity(quad *q)
{
    const double epsilon = q->proximal ? 0 : q->epsilon;
    four u0 = q->b[NORMAL] + epsilon * q->p[NORMAL], u1 = q->b[FIRST] + epsilon * q->shape * q->p[FIRST],
         u2 = q->b[SECOND] + epsilon * q->shape * q->p[SECOND];
    for (int b = 0; b < AXES; b++) {
        for (int j = 0; j < FOUR; j++) {
            const double p = q->p[b][j];
            u0 += q->W[NORMAL][b][j] * p;
            u1 += q->W[FIRST][b][j] * p;
            u2 += q->W[SECOND][b][j] * p;
        }
    }
    q->u[NORMAL] = u0;
    q->u[FIRST] = u1;
    q->u[SECOND] = u2;
}

// ---------------------------------------------------------------------------------------------- faces

static const double INSIDE = 0.999; // of the cone: it sticks

// As small_turn.
THUD_INSIDE bool turn(quad *q)
{
    static const double FAST = 10, LITTLE = 1e-7; // times what its friction does to its speed; rad
    const four n = q->p[NORMAL], t0 = q->p[FIRST], t1 = q->p[SECOND];
    four speed = q->u[FIRST];
    find_length(&speed, &q->u[SECOND]);
    const four_of_bits fast =
        (n > 0) & (t0 * t0 + t1 * t1 >= INSIDE * INSIDE * (n * n)) & (speed * q->rho_t > FAST * n);
    const four by = -n / speed, to0 = by * q->u[FIRST], to1 = by * q->u[SECOND];
    four change0 = to0, change1 = to1;
    find_distance(&change0, &t0);
    find_distance(&change1, &t1);
    const four_of_bits turned = fast & (change0 + change1 > LITTLE * n);
    q->p[FIRST] = FOURS_SELECT(fast, to0, t0);
    q->p[SECOND] = FOURS_SELECT(fast, to1, t1);
    return quad_any(&turned);
}

// Where everything is at (p, u), and the square of |F| as a velocity over |b|.
THUD_INSIDE double see(quad *q)
{
    const four p0 = q->p[NORMAL], p1 = q->p[FIRST], p2 = q->p[SECOND];
    const four y0 = p0 - q->rho_n * q->u[NORMAL], y1 = p1 - q->rho_t * q->u[FIRST],
               y2 = p2 - q->rho_t * q->u[SECOND];
    four t = y1, r = p1, most = y0, size1 = y1, size2 = y2;
    find_length(&t, &y2);
    find_length(&r, &p2);
    fours_size(&most);
    fours_size(&size1);
    fours_size(&size2);
    fours_raise(&size1, &most);
    fours_raise(&size2, &most);
    const four one = {1, 1, 1, 1}, over = one / t;
    const double dust = SMALL_DUST * fours_most(&most);
    const four_of_bits pressed = y0 > dust, beyond = pressed & (t > y0);
    const four back = FOURS_SELECT(beyond, y0 * over, one);
    const four F0 = (p0 - FOURS_ONLY(pressed, y0)) * q->weight_n,
               F1 = (p1 - FOURS_ONLY(pressed, y1 * back)) * q->weight_t,
               F2 = (p2 - FOURS_ONLY(pressed, y2 * back)) * q->weight_t;
    const four sum = F0 * F0 + F1 * F1 + F2 * F2;
    four off = r;
    find_distance(&off, &p0);
    const four_of_bits there = beyond & (p0 > 0) & (off <= SMALL_THERE * r);
    const four by = FOURS_SELECT(there, one / r, over);
    q->there = there;
    q->y = y0;
    q->face.slides = beyond;
    q->face.sticks = pressed & ~beyond;
    q->face.d[0] = FOURS_SELECT(there, p1, y1) * by;
    q->face.d[1] = FOURS_SELECT(there, p2, y2) * by;
    return sum_of(&sum) * q->over_size2;
}

// As small_recall. false: who carries nothing is pressed hard, and its face is the one that `see` says.
THUD_INSIDE bool recall(quad *q)
{
    static const double HARD = 0.01; // of the hardest
    const four n = q->p[NORMAL], y = n - q->rho_n * q->u[NORMAL];
    four t = q->p[FIRST];
    find_length(&t, &q->p[SECOND]);
    const four_of_bits carries = n > 0, inside = t < INSIDE * n;
    const double largest = fours_most(&y), hard = HARD * (largest > 0 ? largest : 0);
    const four_of_bits held = ~carries & (y <= hard), slides = carries & ~inside, other = ~carries & ~held;
    const four one = {1, 1, 1, 1}, over = one / t;
    four off = t;
    find_distance(&off, &n);
    q->face.slides = slides | (other & q->face.slides);
    q->face.sticks = (carries & inside) | (other & q->face.sticks);
    q->face.d[0] = FOURS_SELECT(slides, q->p[FIRST] * over, q->face.d[0]);
    q->face.d[1] = FOURS_SELECT(slides, q->p[SECOND] * over, q->face.d[1]);
    q->there = (slides & (off <= SMALL_THERE * t)) | (other & q->there);
    q->y = FOURS_SELECT(carries, n, y);
    return !quad_any(&other);
}

bool quad_same(const quad *q)
{
    const four_of_bits other = (q->face.slides ^ q->factored.slides) | (q->face.sticks ^ q->factored.sticks);
    return !quad_any(&other);
}

THUD_KERNEL void quad_stay(quad *q)
{
    four t = q->p[FIRST];
    find_length(&t, &q->p[SECOND]);
    four off = t;
    find_distance(&off, &q->p[NORMAL]);
    const four_of_bits turns = q->factored.slides & (t > 0);
    q->face = q->factored;
    q->face.d[0] = FOURS_SELECT(turns, q->p[FIRST] / t, q->face.d[0]);
    q->face.d[1] = FOURS_SELECT(turns, q->p[SECOND] / t, q->face.d[1]);
    q->there = turns & (off <= SMALL_THERE * t);
    q->y = FOURS_SELECT(q->factored.slides, q->p[NORMAL], q->y);
}

THUD_INSIDE bool put_on_faces(quad *q)
{
    const four_of_bits held = ~(q->face.slides | q->face.sticks), along = q->face.slides & ~q->there;
    four_of_bits moved = {0};
    const four to[AXES] = {q->y, q->y * q->face.d[0], q->y * q->face.d[1]};
    for (int a = 0; a < AXES; a++) {
        const four p = FOURS_ONLY(~held, FOURS_SELECT(along, to[a], q->p[a]));
        moved |= p != q->p[a];
        q->p[a] = p;
    }
    return quad_any(&moved);
}

THUD_KERNEL void quad_begin(quad *q)
{
    choose_rho(q);
    find_velocity(q);
    if (turn(q)) {
        find_velocity(q);
    }
    if (!recall(q)) {
        (void)see(q);
        (void)recall(q);
    }
    if (put_on_faces(q)) {
        find_velocity(q);
    }
}

THUD_KERNEL double quad_look(quad *q)
{
    find_velocity(q);
    return see(q);
}

THUD_KERNEL void quad_put_on_faces(quad *q)
{
    if (put_on_faces(q)) {
        find_velocity(q);
    }
}

THUD_KERNEL void quad_let_go(quad *q)
{
    q->proximal = true;
    find_velocity(q);
}

// ---------------------------------------------------------------------------------------------- J

static const four_of_bits UNIT[FOUR] = {{-1, 0, 0, 0}, {0, -1, 0, 0}, {0, 0, -1, 0}, {0, 0, 0, -1}}; // a lane

typedef struct basis {
    four f[2], e[2]; // lanes
    four_of_bits on; // that have unknowns
} basis;

THUD_INSIDE void find_basis(const quad *q, basis *to)
{
    const four_of_bits slides = q->face.slides;
    const four *d = q->face.d;
    to->on = slides | q->face.sticks;
    to->f[0] = FOURS_ONLY(slides, d[0]);
    to->f[1] = FOURS_ONLY(slides, d[1]);
    to->e[0] = FOURS_SELECT(slides, -d[1], ((four){1, 1, 1, 1}));
    to->e[1] = FOURS_ONLY(slides, d[0]);
}

// A column of W T, v its rows by axes, as a column of J; any: it is one of the unknowns, else it is 0.
THUD_INSIDE void put_column(const quad *q, const basis *x, bool any, int groups, const four *v, four *A)
{
    const int64_t all = any ? -1 : 0;
    const four_of_bits on = x->on & (four_of_bits){all, all, all, all};
    A[AROUND] = FOURS_ONLY(on, x->e[0] * v[FIRST] + x->e[1] * v[SECOND]);
    A[ALONG] = FOURS_ONLY(on, v[NORMAL]);
    if (groups == GROUPS) {
        A[ACROSS] = FOURS_ONLY(on & q->face.sticks, v[SECOND]);
    }
}

THUD_INSIDE void assemble(quad *q, int groups, four (*A)[GROUPS])
{
    const four one = {1, 1, 1, 1}, *d = q->face.d;
    basis x;
    find_basis(q, &x);
    for (int j = 0; j < FOUR; j++) {
        four along[AXES], around[AXES], across[AXES];
        for (int a = 0; a < AXES; a++) {
            const four n = q->W[a][NORMAL][j], t0 = q->W[a][FIRST][j], t1 = q->W[a][SECOND][j];
            along[a] = n + t0 * x.f[0][j] + t1 * x.f[1][j];
            around[a] = t0 * x.e[0][j] + t1 * x.e[1][j];
            across[a] = t1;
        }
        put_column(q, &x, x.on[j] != 0, groups, around, A[AROUND * FOUR + j]);
        put_column(q, &x, x.on[j] != 0, groups, along, A[ALONG * FOUR + j]);
        if (groups == GROUPS) {
            put_column(q, &x, q->face.sticks[j] != 0, groups, across, A[ACROSS * FOUR + j]);
        }
    }
    const four against = -(d[0] * q->u[FIRST] + d[1] * q->u[SECOND]) / q->y;
    const four soft = q->epsilon * q->shape;
    q->lambda = FOURS_ONLY(q->face.slides & (against > 0), against);
    q->own = (four){A[0][AROUND][0], A[1][AROUND][1], A[2][AROUND][2], A[3][AROUND][3]} + soft;
    const four more[GROUPS] = {FOURS_SELECT(x.on, soft + q->lambda, one),
                               FOURS_SELECT(x.on, q->epsilon * one, one),
                               FOURS_SELECT(q->face.sticks, soft, one)};
    for (int g = 0; g < groups; g++) {
        for (int j = 0; j < FOUR; j++) {
            A[g * FOUR + j][g] += FOURS_ONLY(UNIT[j], more[g]);
        }
    }
}

// A = L U: A <- U, and lower <- L^-1, of which L has ones on its diagonal; over: 1 / the diagonal of U.
THUD_INSIDE void eliminate(int groups, four (*A)[GROUPS], four (*lower)[GROUPS], double *over)
{
    static const four_of_bits BELOW[FOUR] = {{0, -1, -1, -1}, {0, 0, -1, -1}, {0, 0, 0, -1}, {0}};
#pragma GCC unroll 12
    for (int k = 0; k < groups * FOUR; k++) {
        const int group = k / FOUR, lane = k % FOUR;
        four l[GROUPS] = {{0}};
        over[k] = 1 / A[k][group][lane];
        for (int g = group; g < groups; g++) {
            l[g] = A[k][g] * over[k];
            l[g] = g == group ? FOURS_ONLY(BELOW[lane], l[g]) : l[g];
            lower[k][g] = -l[g];
        }
        lower[k][group] += FOURS_ONLY(UNIT[lane], ((four){1, 1, 1, 1}));
#pragma GCC unroll 12
        for (int j = 0; j < groups * FOUR; j++) {
            four *to = j < k ? lower[j] : A[j];
            const double a = j == k ? 0 : to[group][lane];
            for (int g = group; g < groups && j != k; g++) {
                to[g] -= l[g] * a;
            }
        }
    }
}

// upper <- U^-1, column by column.
THUD_INSIDE void invert(int groups, const four (*U)[GROUPS], const double *over, four (*upper)[GROUPS])
{
#pragma GCC unroll 12
    for (int k = 0; k < groups * FOUR; k++) {
        const int group = k / FOUR, lane = k % FOUR;
        four sum[GROUPS] = {{0}};
#pragma GCC unroll 12
        for (int j = 0; j < k; j++) {
            const double u = U[k][j / FOUR][j % FOUR];
            for (int g = 0; g <= j / FOUR; g++) {
                sum[g] -= upper[j][g] * u;
            }
        }
        sum[group] += FOURS_ONLY(UNIT[lane], ((four){1, 1, 1, 1}));
        for (int g = 0; g <= group; g++) {
            upper[k][g] = sum[g] * over[k];
        }
    }
}

// The inverses of both triangles, so that a step is two products: no number waits for the one before it.
THUD_INSIDE void factor(quad *q, int groups)
{
    four A[GROUPS * FOUR][GROUPS], lower[GROUPS * FOUR][GROUPS], upper[GROUPS * FOUR][GROUPS];
    double over[GROUPS * FOUR];
    assemble(q, groups, A);
    eliminate(groups, A, lower, over);
    invert(groups, (const four(*)[GROUPS])A, over, upper);
    for (int k = 0; k < groups * FOUR; k++) {
        for (int g = k / FOUR; g < groups; g++) {
            q->lower[k][g] = lower[k][g];
        }
        for (int g = 0; g <= k / FOUR; g++) {
            q->upper[k][g] = upper[k][g];
        }
    }
}

THUD_KERNEL static void factor_two(quad *q)
{
    factor(q, ACROSS);
}

THUD_KERNEL static void factor_three(quad *q)
{
    factor(q, GROUPS);
}

void quad_factor(quad *q)
{
    q->factored = q->face;
    q->groups = quad_any(&q->face.sticks) ? GROUPS : ACROSS;
    q->factorizations++;
    if (q->groups == GROUPS) {
        factor_three(q);
    } else {
        factor_two(q);
    }
}

// As small_serve.
THUD_KERNEL bool quad_serve(const quad *q, double merit2, double enough2)
{
    four a = q->face.d[0], b = q->face.d[1];
    find_distance(&a, &q->factored.d[0]);
    find_distance(&b, &q->factored.d[1]);
    const four turned = FOURS_ONLY(q->face.slides, a + b);
    const double most = fours_most(&turned);
    return merit2 * (most * most) <= enough2;
}

// ---------------------------------------------------------------------------------------------- a step

// x <- U^-1 L^-1 x.
THUD_INSIDE void divide(const quad *q, int groups, four *x)
{
    four y[GROUPS], z[GROUPS];
    for (int g = 0; g < groups; g++) {
        y[g] = (four){0};
        for (int k = 0; k <= g; k++) { // what comes of each group by itself, two and two together
            const four(*L)[GROUPS] = (const four(*)[GROUPS])q->lower + k * FOUR;
            y[g] += (L[0][g] * x[k][0] + L[1][g] * x[k][1]) + (L[2][g] * x[k][2] + L[3][g] * x[k][3]);
        }
    }
    for (int g = 0; g < groups; g++) {
        z[g] = (four){0};
        for (int k = g; k < groups; k++) {
            const four(*U)[GROUPS] = (const four(*)[GROUPS])q->upper + k * FOUR;
            z[g] += (U[0][g] * y[k][0] + U[1][g] * y[k][1]) + (U[2][g] * y[k][2] + U[3][g] * y[k][3]);
        }
    }
    for (int g = 0; g < groups; g++) {
        x[g] = z[g];
    }
}

// As small_advance: a step around the cone is what it would be with the p_n of its end.
THUD_INSIDE void advance(quad *q, const basis *x, const four *by)
{
    const four_of_bits slides = q->face.slides;
    const four *d = q->face.d, n = q->p[NORMAL] + by[ALONG];
    const four speed = -(d[0] * q->u[FIRST] + d[1] * q->u[SECOND]), was = q->lambda * n; // of J, lambda n
    const four_of_bits near = (speed > 0.5 * was) & (speed < 2 * was);
    const four around =
        FOURS_SELECT(near, by[AROUND] * (q->own * n + was) / (q->own * n + speed), by[AROUND]);
    const four t0 = q->p[FIRST] + by[ALONG] * x->f[0] + around * x->e[0],
               t1 = q->p[SECOND] + by[ALONG] * x->f[1] + around * x->e[1];
    four size = t0;
    find_length(&size, &t1);
    const four to = FOURS_ONLY(size > 0, n / size);
    q->p[NORMAL] = n;
    q->p[FIRST] = FOURS_SELECT(slides, t0 * to, t0);
    q->p[SECOND] = FOURS_SELECT(slides, t1 * to, t1 + by[ACROSS]);
}

// p moves along its faces to where g is 0.
THUD_INSIDE bool move(quad *q, int groups)
{
    basis x;
    find_basis(q, &x);
    four by[GROUPS] = {-FOURS_ONLY(x.on, x.e[0] * q->u[FIRST] + x.e[1] * q->u[SECOND]),
                       -FOURS_ONLY(x.on, q->u[NORMAL]), -FOURS_ONLY(q->face.sticks, q->u[SECOND])};
    divide(q, groups, by);
    advance(q, &x, by);
    const four sum = by[AROUND] + by[ALONG] + by[ACROSS];
    return isfinite(sum_of(&sum));
}

THUD_KERNEL static bool move_two(quad *q)
{
    return move(q, ACROSS);
}

THUD_KERNEL static bool move_three(quad *q)
{
    return move(q, GROUPS);
}

bool quad_move(quad *q)
{
    return q->groups == GROUPS ? move_three(q) : move_two(q);
}
