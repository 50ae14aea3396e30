// SPDX-License-Identifier: Apache-2.0
#include "corpus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

void corpus_free(corpus_case *c)
{
    free(c->block);
    free(c->W);
    free(c->b);
    free(c->epsilon);
}

static corpus_case make(const char *name, int blocks)
{
    corpus_case c = {
        .name = name, .block = calloc((size_t)blocks + 1, sizeof(thud_cone_block)), .solvable = true};
    c.cone.blocks = blocks;
    return c;
}

// Numbers the rows and takes room for W and b.
static void finish(corpus_case *c)
{
    int rows = 0;
    for (int i = 0; i < c->cone.blocks; i++) {
        c->block[i].row = rows;
        rows += c->block[i].dim;
    }
    c->W = calloc((size_t)(rows * rows) + 1, sizeof(double));
    c->b = calloc((size_t)rows + 1, sizeof(double));
    c->cone.rows = rows;
    c->cone.block = c->block;
    c->cone.W = (thud_mat){rows, rows, rows > 0 ? rows : 1, c->W};
    c->cone.b = c->b;
}

static thud_cone_block contact(int dim, double mu)
{
    return (thud_cone_block){
        .kind = THUD_CONE_KIND_CONTACT, .dim = dim, .mu = {mu, mu, 0.02 * mu, 0.01 * mu, 0.01 * mu}};
}

// W = J M^-1 J^T, J rows x dofs (row-major), M diagonal.
static void set_delassus(corpus_case *c, int dofs, const double *J, const double *mass)
{
    const int n = c->cone.rows;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < dofs; k++) {
                sum += J[i * dofs + k] * J[j * dofs + k] / mass[k];
            }
            c->W[i + j * n] = sum;
        }
    }
}

// b = J v
static void set_velocity(corpus_case *c, int dofs, const double *J, const double *v)
{
    for (int i = 0; i < c->cone.rows; i++) {
        for (int k = 0; k < dofs; k++) {
            c->b[i] += J[i * dofs + k] * v[k];
        }
    }
}

// Row of J for the direction `along` of a point at `arm` from the centre of body `at` (dofs: linear,
// angular).
static void put_row(double *J, int dofs, int row, int at, double sign, const double along[3],
                    const double arm[3])
{
    double *to = J + row * dofs + 6 * at;
    for (int k = 0; k < 3; k++) {
        const int a = (k + 1) % 3, b = (k + 2) % 3;
        to[k] += sign * along[k];
        to[3 + k] += sign * (arm[a] * along[b] - arm[b] * along[a]);
    }
}

static const double AXIS[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}; // normal, tangents

corpus_case corpus_table(int legs, double mass, double push)
{
    corpus_case c = make("table", legs);
    const int dofs = 6;
    double *J = calloc((size_t)(3 * legs * dofs), sizeof *J);
    const double M[6] = {mass, mass, mass, mass / 3, mass / 3, mass / 3}, v[6] = {push, 0, -0.1, 0, 0, 0};
    for (int i = 0; i < legs; i++) {
        c.block[i] = contact(3, 0.5);
        const double turn = 2 * M_PI * (i + 0.5) / legs, radius = legs == 4 ? sqrt(2) : 1;
        const double arm[3] = {radius * cos(turn), radius * sin(turn), -0.5};
        for (int r = 0; r < 3; r++) {
            put_row(J, dofs, 3 * i + r, 0, 1, AXIS[r], arm);
        }
    }
    finish(&c);
    set_delassus(&c, dofs, J, M);
    set_velocity(&c, dofs, J, v);
    free(J);
    return c;
}

corpus_case corpus_stack(int boxes, double ratio)
{
    corpus_case c = make("stack", 4 * boxes);
    const int dofs = 6 * boxes;
    double *J = calloc((size_t)(12 * boxes * dofs), sizeof *J), *M = calloc((size_t)dofs, sizeof *M),
           *v = calloc((size_t)dofs, sizeof *v);
    for (int i = 0; i < boxes; i++) {
        const double mass = pow(ratio, i);
        for (int k = 0; k < 6; k++) {
            M[6 * i + k] = k < 3 ? mass : mass / 6;
        }
        v[6 * i + 2] = -0.0981;
        v[6 * i] = 0.001 * (i + 1); // a slight push, within friction
        for (int k = 0; k < 4; k++) {
            const double x = k & 1 ? 0.5 : -0.5, y = k & 2 ? 0.5 : -0.5;
            const double down[3] = {x, y, -0.5}, up[3] = {x, y, 0.5};
            c.block[4 * i + k] = contact(3, 0.6);
            for (int r = 0; r < 3; r++) {
                put_row(J, dofs, 3 * (4 * i + k) + r, i, 1, AXIS[r], down);
                if (i > 0) {
                    put_row(J, dofs, 3 * (4 * i + k) + r, i - 1, -1, AXIS[r], up);
                }
            }
        }
    }
    finish(&c);
    set_delassus(&c, dofs, J, M);
    set_velocity(&c, dofs, J, v);
    free(J);
    free(M);
    free(v);
    return c;
}

// Random J of the given rank: W = J J^T, b in the range of W, so that a solution exists.
static corpus_case random_case(uint64_t seed, bool mixed, bool skew)
{
    test_rng r = {seed};
    const int blocks = 1 + test_below(&r, 12);
    static const int dims[] = {3, 3, 2, 1, 4, 6};
    corpus_case c = make(mixed ? "random mixed" : "random contacts", blocks);
    for (int i = 0; i < blocks; i++) {
        const double mu = test_below(&r, 7) == 0 ? 0 : test_uniform(&r, 0.1, 1);
        const int pick = mixed ? test_below(&r, 5) : 0;
        c.block[i] = contact(mixed ? dims[test_below(&r, 6)] : 3, mu);
        if (pick == 1) {
            c.block[i] = (thud_cone_block){.kind = THUD_CONE_KIND_BOX, .dim = 1, .lo = -0.3, .hi = 0.2};
        } else if (pick == 2) {
            c.block[i] = (thud_cone_block){.kind = THUD_CONE_KIND_FREE, .dim = 1 + test_below(&r, 3)};
        }
    }
    finish(&c);
    const int n = c.cone.rows, dofs = n + 2;
    double *J = calloc((size_t)(n * dofs), sizeof *J), *M = calloc((size_t)dofs, sizeof *M);
    for (int i = 0; i < n * dofs; i++) {
        J[i] = test_normal(&r);
    }
    for (int i = 0; i < dofs; i++) {
        M[i] = exp(test_uniform(&r, -1, 1));
    }
    set_delassus(&c, dofs, J, M);
    for (int i = 0; i < n; i++) {
        c.b[i] = test_normal(&r);
    }
    for (int i = 0; skew && i < n; i++) { // gyroscopic: antisymmetric, small
        for (int j = 0; j < i; j++) {
            const double x = 1e-3 * test_normal(&r);
            c.W[i + j * n] += x;
            c.W[j + i * n] -= x;
        }
    }
    free(J);
    free(M);
    return c;
}

// Every contact of a table given twice.
static corpus_case doubled_case(void)
{
    corpus_case t = corpus_table(4, 2, 0.02), c = make("doubled contacts", 8);
    for (int i = 0; i < 8; i++) {
        c.block[i] = t.block[i / 2];
    }
    finish(&c);
    for (int i = 0; i < 24; i++) {
        const int from = 3 * (i / 6) + i % 3;
        c.b[i] = t.b[from];
        for (int j = 0; j < 24; j++) {
            c.W[i + j * 24] = t.W[from + (3 * (j / 6) + j % 3) * 12];
        }
    }
    corpus_free(&t);
    return c;
}

// A pendulum's pin (free rows), a limit, dry friction and a contact on one chain of masses.
static corpus_case joint_case(void)
{
    corpus_case c = make("joint, limit, dry friction, contact", 4);
    c.block[0] = (thud_cone_block){.kind = THUD_CONE_KIND_FREE, .dim = 3};
    c.block[1] = (thud_cone_block){.kind = THUD_CONE_KIND_BOX, .dim = 1, .lo = 0, .hi = INFINITY};
    c.block[2] = (thud_cone_block){.kind = THUD_CONE_KIND_BOX, .dim = 1, .lo = -0.05, .hi = 0.05};
    c.block[3] = contact(3, 0.4);
    finish(&c);
    test_rng r = {99};
    double J[8 * 8], M[8] = {1, 1, 1, 0.2, 0.2, 0.2, 3, 3};
    const double v[8] = {0.3, -0.2, -0.5, 1, -1, 0.4, 0.1, -0.7};
    for (int i = 0; i < 64; i++) {
        J[i] = test_normal(&r);
    }
    set_delassus(&c, 8, J, M);
    set_velocity(&c, 8, J, v);
    return c;
}

static corpus_case zero_matrix(double b_n, bool solvable)
{
    corpus_case c = make("W = 0", 2);
    c.block[0] = contact(3, 0.5);
    c.block[1] = contact(3, 0.5);
    finish(&c);
    c.b[0] = b_n;
    c.b[3] = 0.1;
    c.solvable = solvable;
    return c;
}

static corpus_case scaled(corpus_case c, double w, double b, const char *name)
{
    for (int i = 0; i < c.cone.rows * c.cone.rows; i++) {
        c.W[i] *= w;
    }
    for (int i = 0; i < c.cone.rows; i++) {
        c.b[i] *= b;
    }
    c.name = name;
    return c;
}

static corpus_case relaxed(corpus_case c, double epsilon)
{
    c.epsilon = calloc((size_t)c.cone.rows, sizeof *c.epsilon);
    for (int i = 0; i < c.cone.rows; i += 3) {
        c.epsilon[i] = epsilon;
    }
    c.cone.epsilon = c.epsilon;
    c.name = "relaxed table";
    return c;
}

corpus_case corpus_make(int k)
{
    switch (k) {
    case 0:
        return make("no rows", 0);
    case 1:
        return zero_matrix(0.2, true);
    case 2:
        return zero_matrix(-0.2, false);
    case 3:
        return corpus_table(4, 1, 0);
    case 4:
        return corpus_table(4, 1, 3);
    case 5:
        return corpus_table(7, 5, 0.01);
    case 6:
        return corpus_stack(5, 1);
    case 7:
        return corpus_stack(3, 1000);
    case 8:
        return corpus_stack(2, 1e6);
    case 9:
        return doubled_case();
    case 10:
        return joint_case();
    case 11:
        return scaled(corpus_table(4, 1, 0.2), 1, 0, "b = 0");
    case 12:
        return scaled(corpus_table(4, 1, 0.2), 1e-9, 1e-12, "tiny numbers");
    case 13:
        return scaled(corpus_table(4, 1, 0.2), 1e9, 1e6, "huge numbers");
    case 14:
        return relaxed(corpus_table(4, 1, 0.2), 0.1);
    default:
        return random_case((uint64_t)k, k % 2 == 0, k % 3 == 0);
    }
}
