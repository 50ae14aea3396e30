// SPDX-License-Identifier: Apache-2.0
// problem_convert.c: cone problems as linear ones and the reverse.                          [ST 3.2, theory
// 2]
//
//     M = [ E^T W E  L ]    q = [ E^T b ]    z = [ f      ]    p = E f
//         [ N        0 ]        [ 0     ]        [ lambda ]
//
// Symbols  f forces: what acts along one direction, p_n, a row of a box or joint, or a beta
//          E (rows x forces) the directions · L_beta = 1 · N = mu p_n - sum beta, row by row of lambda
// Differs  the paper has one mu a contact. With a coefficient for each axis the directions are stretched by
//          mu_axis / mu, mu the largest, so that all share one lambda; where they agree it is the paper's.
#include <math.h>
#include <string.h>

#include <thud/elementary.h>
#include <thud/problem_convert.h>

thud_cone thud_lcp_as_cone(const thud_lcp *p, thud_cone_block *block)
{
    for (int i = 0; i < p->n; i++) {
        const double lo = p->lo ? p->lo[i] : 0, hi = p->hi ? p->hi[i] : INFINITY;
        const bool plain = lo == 0 && hi == INFINITY, free = lo == -INFINITY && hi == INFINITY;
        block[i] = (thud_cone_block){.kind = plain  ? THUD_CONE_KIND_CONTACT
                                             : free ? THUD_CONE_KIND_FREE
                                                    : THUD_CONE_KIND_BOX,
                                     .row = i,
                                     .dim = 1,
                                     .lo = plain || free ? 0 : lo,
                                     .hi = plain || free ? 0 : hi};
    }
    return (thud_cone){.rows = p->n, .blocks = p->n, .block = block, .W = p->M, .b = p->q};
}

// A column of E: at most two rows of one block.
typedef struct force {
    int row[2];
    double weight[2];
} force;

static double largest_mu(const thud_cone_block *b)
{
    double mu = 0;
    for (int k = 0; k < b->dim - 1 && b->kind == THUD_CONE_KIND_CONTACT; k++) {
        mu = thud_max(mu, b->mu[k]);
    }
    return mu;
}

// How many directions of friction a block has.
static int betas(const thud_cone_block *b, int directions)
{
    return !(largest_mu(b) > 0) ? 0 : b->dim == 2 ? 2 : directions + 2 * (b->dim - 3);
}

// Direction j of a contact's friction: around the plane of sliding, then to and fro along the axes behind it.
static force friction(const thud_cone_block *b, int directions, int j)
{
    const double mu = largest_mu(b);
    const int around = b->dim == 2 ? 0 : directions;
    if (j >= around) {
        const int axis = b->dim == 2 ? 1 : 3 + (j - around) / 2;
        return (force){{b->row + axis, b->row}, {((j - around) % 2 ? -1 : 1) * b->mu[axis - 1] / mu, 0}};
    }
    double x = thud_cos(6.283185307179586 * j / directions), y = thud_sin(6.283185307179586 * j / directions);
    if (4 * j % directions == 0) { // along an axis: exactly
        x = round(x);
        y = round(y);
    }
    return (force){{b->row + 1, b->row + 2}, {x * b->mu[0] / mu, y * b->mu[1] / mu}};
}

typedef struct layout {
    int normals, forces, n; // rows of p_n, boxes and joints; and of beta; and of lambda
    bool bounded;           // there are boxes or joints
} layout;

static layout measure(const thud_cone *c, int directions)
{
    layout l = {0};
    int cones = 0;
    for (int i = 0; i < c->blocks; i++) {
        const thud_cone_block *b = c->block + i;
        const int beta = betas(b, directions);
        l.normals += b->kind == THUD_CONE_KIND_CONTACT ? 1 : b->dim;
        l.forces += beta;
        cones += beta > 0;
        l.bounded = l.bounded || b->kind != THUD_CONE_KIND_CONTACT;
    }
    l.forces += l.normals;
    l.n = l.forces + cones;
    return l;
}

// E, the bounds, and the rows and columns of lambda.
static void lay_out(const thud_cone *c, int directions, layout l, force *E, thud_lcp_problem *out)
{
    int normal = 0, beta = l.normals, lambda = l.forces;
    for (int i = 0; i < c->blocks; i++) {
        const thud_cone_block *b = c->block + i;
        const int count = betas(b, directions), first = normal;
        for (int r = 0; r < (b->kind == THUD_CONE_KIND_CONTACT ? 1 : b->dim); r++) {
            if (b->kind != THUD_CONE_KIND_CONTACT) {
                out->lo[normal] = b->kind == THUD_CONE_KIND_BOX ? b->lo : -INFINITY;
                out->hi[normal] = b->kind == THUD_CONE_KIND_BOX ? b->hi : INFINITY;
            }
            E[normal++] = (force){{b->row + r, b->row + r}, {1, 0}};
        }
        for (int j = 0; j < count; j++) {
            out->M[beta + (size_t)lambda * (size_t)l.n] = 1;
            out->M[lambda + (size_t)beta * (size_t)l.n] = -1;
            E[beta++] = friction(b, directions, j);
        }
        if (count > 0) {
            out->M[lambda++ + (size_t)first * (size_t)l.n] = largest_mu(b);
        }
    }
}

// E^T W E and E^T b; p and u have room for the cone's rows.
static void reduce(const thud_cone *c, layout l, const force *E, double *p, double *u, thud_lcp_problem *out)
{
    memset(p, 0, sizeof *p * (size_t)c->rows);
    thud_cone only_W = *c;
    only_W.b = p + c->rows; // zeros
    for (int f = 0; f < l.forces; f++) {
        p[E[f].row[0]] += E[f].weight[0];
        p[E[f].row[1]] += E[f].weight[1];
        thud_cone_velocity(&only_W, p, u);
        p[E[f].row[0]] = p[E[f].row[1]] = 0;
        for (int g = 0; g < l.forces; g++) {
            out->M[g + (size_t)f * (size_t)l.n] =
                E[g].weight[0] * u[E[g].row[0]] + E[g].weight[1] * u[E[g].row[1]];
        }
        out->q[f] = E[f].weight[0] * c->b[E[f].row[0]] + E[f].weight[1] * c->b[E[f].row[1]];
    }
}

thud_status thud_cone_pyramid(const thud_cone *c, int directions, thud_lcp_problem **out, thud_diag *diag)
{
    *out = NULL;
    THUD_TRY(thud_cone_check(c, diag));
    if (directions < 4 || directions % 2 != 0) {
        return thud_fail(THUD_BAD_ARGUMENT, diag, NULL, 0, 0, "a pyramid of %d sides", directions);
    }
    const layout l = measure(c, directions);
    force *E = thud_alloc((size_t)l.forces, sizeof *E);
    double *space = thud_alloc(3 * (size_t)c->rows, sizeof *space); // p, zeros, u
    thud_status status = E && space ? thud_lcp_problem_create(l.n, out) : THUD_NO_MEMORY;
    if (status == THUD_OK && l.bounded) {
        status = thud_lcp_problem_add_bounds(*out);
    }
    if (status == THUD_OK) {
        lay_out(c, directions, l, E, *out);
        reduce(c, l, E, space, space + 2 * c->rows, *out);
    }
    if (status != THUD_OK) {
        thud_lcp_problem_destroy(*out);
        *out = NULL;
    }
    thud_free(E);
    thud_free(space);
    return status;
}
