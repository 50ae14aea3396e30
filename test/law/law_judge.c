// SPDX-License-Identifier: Apache-2.0
// law_judge.c: see law_judge.h.
#include "law/law_judge.h"

#include "test.h"

static const double PI_ = 3.14159265358979323846;

typedef struct judge {
    const law_scene *s;
    const thud_law_options *o;
    double u[SCENE_ROWS], mean, worst;
} judge;

static void note(judge *j, double violation)
{
    j->worst = violation <= j->worst ? j->worst : violation; // NaN stays
}

// p within +-bound, u = 0 inside, against p on the edge; an impulse counts as the velocity it makes.
static void note_box(judge *j, double p, double u, double lo, double hi)
{
    const double at = p - u / j->mean, inside = at < lo ? lo : at > hi ? hi : at;
    note(j, fabs(p - inside) * j->mean);
}

// The gauge of a regular polygon with a vertex of radius 1 at `first`: 1 on its edge.
static double polygon_gauge(const double p[2], int K, double first)
{
    double most = 0;
    for (int k = 0; k < K; k++) {
        const double a = first + (2 * k + 1) * PI_ / K;
        most = fmax(most, (cos(a) * p[0] + sin(a) * p[1]) / cos(PI_ / K));
    }
    return most;
}

static double polygon_support(const double u[2], int K, double first)
{
    double most = 0;
    for (int k = 0; k < K; k++) {
        const double a = first + 2 * k * PI_ / K;
        most = fmax(most, cos(a) * u[0] + sin(a) * u[1]);
    }
    return most;
}

static void split(const double *x, int dim, double sliding[2])
{
    sliding[0] = x[1];
    sliding[1] = dim > 2 ? x[2] : 0;
}

// Hull of the ring and of +-mu_r on the further rows: its gauge is the sum, its support the largest.
static void judge_pyramid(judge *j, int block)
{
    const thud_block *b = j->s->block + block;
    const double *mu = j->s->cone[block].mu, *p = j->s->p + b->row, *u = j->u + b->row;
    const int K = b->dim == 2 ? 2 : j->o->directions;
    double pt[2], ut[2], power = 0;
    split(p, b->dim, pt);
    split(u, b->dim, ut);
    double gauge = b->dim == 2 ? fabs(pt[0]) / mu[0] : polygon_gauge(pt, K, 0) / mu[0];
    double support =
        b->dim == 2 ? fabs(ut[0]) * mu[0] : mu[0] * polygon_support((double[2]){-ut[0], -ut[1]}, K, 0);
    for (int r = 1; r < b->dim; r++) {
        power -= p[r] * u[r];
    }
    for (int r = 3; r < b->dim; r++) {
        gauge += fabs(p[r]) / mu[r - 1];
        support = fmax(support, mu[r - 1] * fabs(u[r]));
    }
    note(j, (gauge - p[0]) * j->mean);
    note(j, p[0] > 0 ? fabs(support - power / p[0]) * fmin(1, p[0] * j->mean) : 0);
}

// K facets at unit distance while sticking; along the slip and nothing across it while sliding.
static void judge_phantom(judge *j, int block)
{
    const thud_block *b = j->s->block + block;
    const double *mu = j->s->cone[block].mu, *p = j->s->p + b->row, *u = j->u + b->row,
                 *v = j->s->u_before + b->row;
    const int K = j->o->directions;
    double pt[2], ut[2], vt[2];
    split(p, b->dim, pt);
    split(u, b->dim, ut);
    split(v, b->dim, vt);
    const double speed = hypot(vt[0], vt[1]);
    if (b->dim == 2) {
        note_box(j, pt[0], ut[0], -mu[0] * p[0], mu[0] * p[0]);
    } else if (speed < j->o->slip) {
        const double radius = mu[0] / cos(PI_ / K), gauge = polygon_gauge(pt, K, PI_ / K) / radius;
        const double support = radius * polygon_support((double[2]){-ut[0], -ut[1]}, K, PI_ / K);
        note(j, (gauge - p[0]) * j->mean);
        note(j, fabs(p[0] * support + pt[0] * ut[0] + pt[1] * ut[1]));
    } else {
        const double e[2] = {vt[0] / speed, vt[1] / speed};
        note_box(j, e[0] * pt[0] + e[1] * pt[1], e[0] * ut[0] + e[1] * ut[1], -mu[0] * p[0], mu[0] * p[0]);
        note(j, fabs(e[0] * pt[1] - e[1] * pt[0]) * j->mean);
    }
    for (int r = 3; r < b->dim; r++) {
        note_box(j, p[r], u[r], -mu[r - 1] * p[0], mu[r - 1] * p[0]);
    }
}

static void judge_boxed(judge *j, int block)
{
    const thud_block *b = j->s->block + block;
    const double *mu = j->s->cone[block].mu, *p = j->s->p + b->row, *u = j->u + b->row,
                 *v = j->s->u_before + b->row;
    const double normal = j->s->p_before[b->row], speed = b->dim > 2 ? hypot(v[1], v[2]) : 0;
    int first = 1;
    if (j->o->law == THUD_LAW_HYBRID && b->dim > 2 && speed >= j->o->slip) {
        const double e[2] = {v[1] / speed, v[2] / speed}, bound = mu[0] * normal;
        const double along = e[0] * p[1] + e[1] * p[2], across = e[0] * p[2] - e[1] * p[1];
        note_box(j, along, e[0] * u[1] + e[1] * u[2], -bound, bound);
        note_box(j, across, e[0] * u[2] - e[1] * u[1] + speed / bound * across, -bound, bound);
        first = 3;
    }
    for (int r = first; r < b->dim; r++) {
        note_box(j, p[r], u[r], -mu[r - 1] * normal, mu[r - 1] * normal);
    }
}

double law_violation(const law_scene *s, const thud_law_options *o)
{
    judge j = {.s = s, .o = o};
    scene_velocity(s, j.u);
    for (int i = 0; i < s->rows; i++) {
        j.mean += s->W[i + i * s->rows] / s->rows;
    }
    for (int i = 0; i < s->blocks; i++) {
        const thud_block *b = s->block + i;
        if (b->kind == THUD_BLOCK_CONTACT || b->kind == THUD_BLOCK_LIMIT) {
            note_box(&j, s->p[b->row], j.u[b->row], 0, INFINITY);
        } else if (b->kind == THUD_BLOCK_DRY) {
            note_box(&j, s->p[b->row], j.u[b->row], s->cone[i].lo, s->cone[i].hi);
        } else {
            for (int r = 0; r < b->dim; r++) {
                note(&j, fabs(j.u[b->row + r]));
            }
        }
        if (b->kind == THUD_BLOCK_CONTACT && b->dim > 1) {
            (o->law == THUD_LAW_PHANTOM_INERTIA                    ? judge_phantom
             : o->law == THUD_LAW_BOX || o->law == THUD_LAW_HYBRID ? judge_boxed
                                                                   : judge_pyramid)(&j, i);
        }
    }
    double size = 0;
    for (int i = 0; i < s->rows; i++) {
        size = fmax(size, fabs(s->u_free[i]));
    }
    return j.worst / size;
}
