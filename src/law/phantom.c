// SPDX-License-Identifier: Apache-2.0
// phantom.c: the full-rank pyramid of Peiret et al.                                [theory 4] [PI eq 28-38]
//
//     u_t + epsilon p_t + d = E w_up - E w_lo                    p_t free
//     0 <= p_n  |  u_n + epsilon p_n + d              >= 0
//     0 <= w_up |  mu p_n + E^T p_t + rho w_lo        >= 0
//     0 <= w_lo |  mu p_n - E^T p_t + rho w_up        >= 0
//
// The solver sees it without p_t and the loops (eliminate.c): w_up, w_lo, p_n, limits and dry friction. With
// A the inverse of W_tt + epsilon and G = E^T A E, the part of the matrix that friction has to itself is
//
//     [ G        rho - G ]         (x,  x): 2 rho |x|^2
//     [ rho - G  G       ]         (x, -x): 4 x^T G x - 2 rho |x|^2
//
// With two axes G is regular and this a P-matrix as long as rho < 2 G. With more, E x = 0 has solutions and
// the second is negative: regular, but no P-matrix, so that block pivoting may fail, as the paper reports.
//
// Symbols  E unit axes: K/2 at angles 2 pi j / K while sticking, along and across the slip while sliding
//          rho phantom inertia, kg · w_up, w_lo slip speeds along +-E, here divided by s (law_inside.h)
// Differs  rho: one number for each axis, 1 / the sum of |W_tt| over its row. W_tt is at most the diagonal
//          of these sums, so rho <= G whatever the masses and however many the contacts; 1 / mean W_tt for
//          all is not, as soon as a body has more contacts than one. mu of an axis of anisotropic friction:
//          the support of the limit ellipse. A lateral axis that carries nothing is left out, not bounded
//          by 0: the same motion. Torsion and rolling: an axis each, bounded on its own.
// Fails    the elimination is singular where friction rows are redundant and rigid: then it takes the
//          ladder's compliance (ladder.c).
#include <math.h>

#include <thud/elementary.h>

#include "law_inside.h"

static const double HALF_TURN = 3.14159265358979323846;

int law_phantom_size(const thud_island *island, const thud_law_options *o)
{
    int n = 0;
    for (int i = 0; i < island->blocks; i++) {
        const thud_block *b = island->block + i;
        n += b->dim;
        n += b->kind != THUD_BLOCK_CONTACT || b->dim == 1 ? 0
             : b->dim == 2                                ? 2
                                                          : o->directions + 2 * (b->dim - 3);
    }
    return n;
}

typedef struct friction {
    law_axis axis[LAW_AXES];
    int axes;
    bool fan; // the first two are a plane, with K/2 directions in it
} friction;

static friction friction_of(const law_case *c, int block, const double *normals)
{
    friction f = {.fan = false};
    const thud_block *b = c->island->block + block;
    bool sliding;
    f.axes = law_axes(c, block, normals[block], f.axis, &sliding);
    f.fan = !sliding && b->dim > 2 && f.axes > 1 && f.axis[1].column.row == b->row + 2;
    return f;
}

static int count_unknowns(const law_case *c, const double *normals)
{
    int n = 0;
    for (int i = 0; i < c->island->blocks; i++) {
        const thud_block *b = c->island->block + i;
        if (b->kind == THUD_BLOCK_CONTACT) {
            const friction f = friction_of(c, i, normals);
            n += 1 + f.axes + 2 * (f.fan ? f.axes - 2 + c->o->directions / 2 : f.axes);
        } else {
            n += b->dim;
        }
    }
    return n;
}

// A direction e in the plane of the impulses p_t and p_t + 1 (fan), or along p_t alone.
typedef struct direction {
    int normal, p_t;
    bool fan;
    double e[2], mu;
} direction;

// The warm start: a direction slips where p_t is on its edge, or where an open contact moves along it; in a
// fan that is along the two beside the slip.
static void lean(law_case *c, const direction *d, int up, int lo)
{
    double along = 0, slip = 0, speed = 0;
    for (int k = 0; k < (d->fan ? 2 : 1); k++) {
        const double u = law_column_dot(c->column + d->p_t + k, c->u);
        along += d->e[k] * law_column_dot(c->column + d->p_t + k, c->island->p);
        slip += d->e[k] * u;
        speed = thud_hypot(speed, u);
    }
    const double p_n = c->island->p[c->column[d->normal].row], edge = (1 - 1e-6) * d->mu * p_n;
    const double beside = d->fan ? speed * thud_cos(2 * HALF_TURN / c->o->directions) : 0;
    const bool open = !(p_n > 0);
    c->start[up] = (open ? slip > beside : along < -edge) ? THUD_LCP_BETWEEN : THUD_LCP_AT_LOWER;
    c->start[lo] = (open ? -slip > beside : along > edge) ? THUD_LCP_BETWEEN : THUD_LCP_AT_LOWER;
}

// Its two unknowns, w_up and w_lo; rho comes when all of W_tt is there.
static void add_direction(law_case *c, const direction *d)
{
    const int block = c->column[d->normal].block;
    const int up = law_case_add(c, (law_column){block, -1, -1, 0, 0}, 0, INFINITY);
    const int lo = law_case_add(c, (law_column){block, -1, -1, 0, 0}, 0, INFINITY);
    for (int k = 0; k < (d->fan ? 2 : 1); k++) {
        const double e = c->s * d->e[k];
        *law_at(c->M, d->p_t + k, up) = -e; // u_t - E w_up + E w_lo = 0
        *law_at(c->M, d->p_t + k, lo) = e;
        *law_at(c->M, up, d->p_t + k) = e; // mu p_n + E^T p_t + rho w_lo
        *law_at(c->M, lo, d->p_t + k) = -e;
    }
    *law_at(c->M, up, d->normal) = *law_at(c->M, lo, d->normal) = c->s * d->mu;
    lean(c, d, up, lo);
}

static void add_fan(law_case *c, int normal, int p_t, const friction *f)
{
    const int axes = c->o->directions / 2;
    for (int j = 0; j < axes; j++) {
        const double x = thud_cos(HALF_TURN * j / axes), y = thud_sin(HALF_TURN * j / axes);
        const double mu = thud_hypot(f->axis[0].mu * x, f->axis[1].mu * y);
        add_direction(c, &(direction){normal, p_t, true, {x, y}, mu});
    }
}

// Impulses of a block: its normal row (or rows), then its axes. M's diagonal and q take the relaxation.
static void add_impulses(law_case *c, int block, const double *normals)
{
    const thud_block *b = c->island->block + block;
    const int normal = c->used;
    law_case_add_rows(c, block);
    if (b->kind == THUD_BLOCK_CONTACT || b->kind == THUD_BLOCK_LIMIT) {
        *law_at(c->M, normal, normal) = law_normal_relaxation(c, block, &c->q[normal]);
    }
    if (b->kind != THUD_BLOCK_CONTACT) {
        return;
    }
    const friction f = friction_of(c, block, normals);
    const int p_t = c->used;
    for (int k = 0; k < f.axes; k++) {
        const int j = law_case_add(c, f.axis[k].column, -INFINITY, INFINITY);
        *law_at(c->M, j, j) = f.axis[k].epsilon;
        c->q[j] = f.axis[k].d;
        c->start[j] = THUD_LCP_BETWEEN;
    }
    if (f.fan) {
        add_fan(c, normal, p_t, &f);
    }
    for (int k = f.fan ? 2 : 0; k < f.axes; k++) {
        add_direction(c, &(direction){normal, p_t + k, false, {1, 0}, f.axis[k].mu});
    }
}

static bool is_friction(const law_case *c, int j)
{
    const law_column *column = c->column + j;
    return column->row >= 0 && c->lo[j] == -INFINITY &&
           c->island->block[column->block].kind == THUD_BLOCK_CONTACT;
}

// 1 / the largest sum of |W_tt + epsilon| over the rows that the direction of w_up acts on.
static double own_inertia(const law_case *c, int up)
{
    double largest = 0;
    for (int k = up; k >= 0 && c->column[k].block == c->column[up].block; k--) {
        double sum = 0;
        for (int j = 0; j < c->n && is_friction(c, k) && *law_at(c->M, k, up) != 0; j++) {
            sum += is_friction(c, j) ? fabs(*law_at(c->M, k, j)) : 0;
        }
        largest = thud_max(largest, sum);
    }
    return largest > 0 ? 1 / largest : 1 / c->mean;
}

static void add_inertia(law_case *c)
{
    for (int up = 0; up < c->n; up++) {
        if (c->column[up].row < 0) {
            const int lo = up + 1;
            const double rho = c->o->rho > 0 ? c->o->rho : own_inertia(c, up);
            *law_at(c->M, up, lo) = *law_at(c->M, lo, up) = c->s * c->s * rho;
            up = lo;
        }
    }
}

bool law_phantom(law_case *c)
{
    const double *normals = law_normals(c);
    if (!normals || !law_case_size(c, count_unknowns(c, normals))) {
        return false;
    }
    c->eliminate = true;
    for (int i = 0; i < c->island->blocks; i++) {
        add_impulses(c, i, normals);
    }
    THUD_ASSERT(c->used == c->n);
    law_case_couple(c);
    add_inertia(c);
    return true;
}
