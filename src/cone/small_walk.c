// SPDX-License-Identifier: Apache-2.0
// small_walk.c: an active-set walk for small problems whose rows contradict each other a little.             [theory 7, 9]
//
// Four corners of a sliding box whose gaps differ by 1e-9 of the distance closed in a step cannot all press: one has to open. A
// compliance larger than that contradiction has all four press. From there the solution lies far along the null space of W. On the
// way |F| of the natural map first stays the same and then grows, so that a line search stops (cone_newton.c), and Gauss-Seidel
// sweeps take ten thousand steps. Here a Newton step on the faces (cone_small.c) goes as far as every impulse stays in its cone. The
// contact that limits the step changes its face: from stick to slide, from slide to open. Where none limits it, the contact that
// violates the law most changes: from open to slide if it approaches, from slide to stick if it slides along its friction.
//
// A step is a proximal point with W + epsilon about p. Its length in the null space grows as epsilon falls; several epsilon are tried.
// Differs  from an active-set method for quadratic programs by friction: an active set may come back, so there is no proof of an end.
// Cost     a factor for every face that changes: a dozen or two, at most TURNS of each contact.
// Fails    false, p untouched: the active set keeps changing, or steps without a change do not converge; torsion, rolling friction.
#include <math.h>
#include <string.h>

#include "cone_small.h"

enum { TURNS = 5, MORE = 30, PATIENCE = 3 };

static double size_of(const double t[2])
{
    return sqrt(t[0] * t[0] + t[1] * t[1]);
}

static face sliding_along(const double t[2], double sign)
{
    const double over = sign / size_of(t);
    return (face){.state = ROWS_SLIDE, .d = {t[0] * over, t[1] * over}};
}

// The face that p is on.
static face face_of(const cone_rows *b, const double *p)
{
    static const double EDGE = 1e-7;
    if (b->kind == THUD_CONE_KIND_CONTACT) {
        const bool slides = b->dim == 3 && size_of(p + 1) > (1 - EDGE) * p[0];
        return !(p[0] > 0) ? (face){.state = ROWS_HELD}
               : slides    ? sliding_along(p + 1, 1)
                           : (face){.state = ROWS_FREE};
    }
    const bool inside = b->kind != THUD_CONE_KIND_BOX || (p[0] > b->lo && p[0] < b->hi);
    return inside ? (face){.state = ROWS_FREE}
                  : (face){.state = ROWS_HELD, .bound = p[0] <= b->lo ? b->lo : b->hi};
}

// ---------------------------------------------------------------------------------------------- how far

static double line_room(double x, double d) // until x + t d is 0, at most 1
{
    return x + d < 0 ? thud_max(-x / d, 0) : 1;
}

// The largest t <= 1 with |x_t + t d_t| <= x_n + t d_n, from x inside.
static double cone_room(const double x[3], const double d[3])
{
    const double a = d[0] * d[0] - d[1] * d[1] - d[2] * d[2], b = x[0] * d[0] - x[1] * d[1] - x[2] * d[2],
                 c = thud_max(x[0] * x[0] - x[1] * x[1] - x[2] * x[2], 0), root = b * b - a * c;
    double t = x[0] > 0 || a >= 0 ? line_room(x[0], d[0]) : 0; // from the tip into the cone, or nowhere
    if (root >= 0) { // a t^2 + 2 b t + c = 0, both roots without cancellation
        const double q = -(b + (b < 0 ? -sqrt(root) : sqrt(root)));
        const double t1 = a != 0 ? q / a : INFINITY, t2 = q != 0 ? c / q : INFINITY;
        t = t1 > 0 || (t1 == 0 && b < 0) ? thud_min(t, t1) : t;
        t = t2 > 0 || (t2 == 0 && b < 0) ? thud_min(t, t2) : t;
    }
    return t;
}

static double room_of(const cone_rows *b, const face *f, const double *p, const double *x)
{
    if (f->state == ROWS_HELD || b->kind == THUD_CONE_KIND_FREE) {
        return 1;
    }
    if (b->kind == THUD_CONE_KIND_BOX) {
        return thud_min(line_room(p[0] - b->lo, x[0]), line_room(b->hi - p[0], -x[0]));
    }
    return f->state == ROWS_SLIDE || b->dim == 1 ? line_room(p[0], x[0]) : cone_room(p, x);
}

// The part of the step x that keeps all impulses in their cones; *stops: the block that limits it, unchanged if none does.
static double find_room(const small *s, const double *p, int *stops)
{
    double most = 1;
    for (int i = 0; i < s->w->blocks; i++) {
        const cone_rows *b = s->w->block + i;
        const double room = room_of(b, s->face + i, p + b->row, s->x + s->face[i].at);
        if (room < most) {
            most = room;
            *stops = i;
        }
    }
    return most;
}

// The part of the step that turns no friction by more than an angle.
static double find_turn(const small *s, const double *p)
{
    static const double MOST = 1; // rad
    double most = 1;
    for (int k = 0; k < s->slides; k++) {
        const double around = fabs(s->x[s->slide[k].at + 1]), size = p[s->slide[k].row];
        most = size > 0 && most * around > MOST * size ? MOST * size / around : most;
    }
    return most;
}

// ---------------------------------------------------------------------------------------------- which face changes

static face give_way(const cone_rows *b, const face *f, const double *p)
{
    if (b->kind == THUD_CONE_KIND_BOX) {
        const bool low = fabs(p[0] - b->lo) < fabs(p[0] - b->hi);
        return (face){.state = ROWS_HELD, .bound = low ? b->lo : b->hi};
    }
    const bool opens = f->state == ROWS_SLIDE || b->dim == 1 || !(size_of(p + 1) > 0);
    return opens ? (face){.state = ROWS_HELD} : sliding_along(p + 1, 1);
}

// The velocity by which a block violates its face, m/s; 0: it does not.
static double against(const cone_rows *b, const face *f, const double *u)
{
    if (b->kind == THUD_CONE_KIND_BOX && b->lo == b->hi) {
        return 0;
    }
    if (f->state == ROWS_HELD) {
        return thud_max(b->kind == THUD_CONE_KIND_BOX && f->bound == b->hi ? u[0] : -u[0], 0);
    }
    return f->state == ROWS_SLIDE ? thud_max(f->d[0] * u[1] + f->d[1] * u[2], 0) : 0;
}

// The block with the largest violation. -1: all are below a part of the tolerance.
static int find_worst(const small *s)
{
    static const double SHARE = 0.1;
    double worst = SHARE * s->w->tolerance * s->w->norm_b;
    int who = -1;
    for (int i = 0; i < s->w->blocks; i++) {
        const double wrong = against(s->w->block + i, s->face + i, s->u + s->w->block[i].row);
        if (wrong > worst) {
            worst = wrong;
            who = i;
        }
    }
    return who;
}

static face turned(const cone_rows *b, const face *f, const double *u)
{
    const bool slides =
        f->state == ROWS_HELD && b->kind == THUD_CONE_KIND_CONTACT && b->dim == 3 && size_of(u + 1) > 0;
    return slides ? sliding_along(u + 1, -1) : (face){.state = ROWS_FREE};
}

// ---------------------------------------------------------------------------------------------- the walk

// Numbers the unknowns, and moves p onto its faces.
static void stand(small *s, double *p)
{
    static const double DUST = 1e-12; // of the largest: what begins to slide has no impulse yet
    const double dust = DUST * thud_norm_inf(s->w->n, p);
    for (int i = 0; i < s->w->blocks; i++) {
        const int row = s->w->block[i].row;
        face *f = s->face + i;
        s->y[row] = thud_max(p[row], 0);
        if (f->state == ROWS_SLIDE && p[row] > 0) {
            *f = sliding_along(p + row + 1, 1);
        }
    }
    (void)small_number(s);
    (void)small_put_on_faces(s, p);
    for (int i = 0; i < s->w->blocks; i++) {
        const int row = s->w->block[i].row;
        s->y[row] = thud_max(s->y[row], dust);
    }
}

// The step, with more compliance where it would turn some friction too far.
static bool find_step(small *s, const double *p)
{
    static const double MOST = 1e-5, MORE_OF_IT = 10;
    bool good = small_factor(s) && small_solve(s);
    while (good && find_turn(s, p) < 1 && s->epsilon < MOST * s->w->mean) {
        s->epsilon *= MORE_OF_IT;
        good = small_factor(s) && small_solve(s);
    }
    return good;
}

static bool walk(small *s, double epsilon, double *p)
{
    THUD_ASSERT(epsilon > 0);
    const cone_work *w = s->w;
    double before = INFINITY;
    int patience = PATIENCE;
    bool whole = false; // was the last step
    s->proximal = true;
    for (int i = 0; i < w->blocks; i++) {
        s->face[i] = face_of(w->block + i, p + w->block[i].row);
    }
    for (int k = 0; k < TURNS * w->blocks + MORE; k++) {
        stand(s, p);
        small_velocity(s, p);
        const double residual = cone_work_residual(w, p, s->u);
        if (!(residual > w->tolerance)) {
            return residual <= w->tolerance;
        }
        const int worst = whole ? find_worst(s) : -1;
        if (worst >= 0) {
            s->face[worst] = turned(w->block + worst, s->face + worst, s->u + w->block[worst].row);
            stand(s, p);
        } else if (whole && residual > 0.5 * before && patience-- == 0) {
            return false;
        }
        before = residual;
        s->epsilon = thud_max(0.1 * s->epsilon, epsilon);
        if (!cone_spend(w, cone_factor_work(w)) || !find_step(s, p)) {
            return false;
        }
        int who = -1;
        const double room = find_room(s, p, &who), turn = find_turn(s, p);
        small_advance(s, thud_min(room, turn), p);
        s->w->iterations++;
        whole = thud_min(room, turn) == 1;
        if (who >= 0 && room <= turn) {
            s->face[who] = give_way(w->block + who, s->face + who, p + w->block[who].row);
        }
    }
    return false;
}

static small_outcome try_compliance(small *s, int number, double *p)
{
    static const double compliance[] = {2, 20, 0.2, 200, 0.02}; // over the tolerance, of the mean diagonal
    static const double LEAST = 1e-16;                          // a tolerance may be 0
    if (number == sizeof compliance / sizeof *compliance) {
        return SMALL_NOTHING_MORE;
    }
    s->epsilon = 0;
    return walk(s, compliance[number] * thud_max(s->w->tolerance, LEAST) * s->w->mean, p) ? SMALL_SOLVED
                                                                                          : SMALL_FAILED;
}

bool cone_small_walk(cone_work *w, double *p)
{
    return cone_small_suits(w) && small_try(w, p, try_compliance);
}
