// SPDX-License-Identifier: Apache-2.0
// A cube that slides and turns on a plane, step after step from the impulses of the one before: what the answer costs, and who
// judged it.
#include "test.h"

#include "cone/coulomb.h"

enum { CORNERS = 4, MOST = 6 * CORNERS };

typedef struct cube {
    double v[6], angle; // the velocity of its centre and its spin; how far it has turned
    int dim, rows;
    double J[MOST][6], W[MOST * MOST], b[MOST], p[MOST];
    thud_cone_block block[CORNERS];
    thud_cone cone;
} cube;

static const double inverse_mass[6] = {1, 1, 1, 6, 6, 6}; // 1 kg, sides of 1 m

static cube new_cube(int dim, double mu)
{
    cube c = {.v = {1, 0.5, 0, 0, 0, 2}, .dim = dim, .rows = dim * CORNERS};
    for (int i = 0; i < CORNERS; i++) {
        c.block[i] = (thud_cone_block){.kind = THUD_CONE_KIND_CONTACT,
                                       .row = dim * i,
                                       .dim = dim,
                                       .mu = {mu, mu, 0.02 * mu, 0.01 * mu, 0.01 * mu}};
    }
    return c;
}

// The rows of its lower corners, and the problem of a step of 1 ms.
static void prepare(cube *c)
{
    const double h = 1e-3, g = 9.81;
    for (int i = 0; i < CORNERS; i++) {
        const double side = i & 1 ? 0.5 : -0.5, ahead = i & 2 ? 0.5 : -0.5;
        const double x = cos(c->angle) * side - sin(c->angle) * ahead,
                     y = sin(c->angle) * side + cos(c->angle) * ahead, z = -0.5;
        const double rows[6][6] = {{0, 0, 1, y, -x, 0}, {1, 0, 0, 0, z, -y}, {0, 1, 0, -z, 0, x},
                                   {0, 0, 0, 0, 0, 1},  {0, 0, 0, 1, 0, 0},  {0, 0, 0, 0, 1, 0}};
        memcpy(c->J[c->dim * i], rows, (size_t)c->dim * sizeof *rows);
    }
    for (int i = 0; i < c->rows; i++) {
        c->b[i] = -h * g * c->J[i][2];
        for (int k = 0; k < 6; k++) {
            c->b[i] += c->J[i][k] * c->v[k];
        }
        for (int j = 0; j < c->rows; j++) {
            c->W[i + j * c->rows] = 0;
            for (int k = 0; k < 6; k++) {
                c->W[i + j * c->rows] += c->J[i][k] * inverse_mass[k] * c->J[j][k];
            }
        }
    }
    c->cone = (thud_cone){.rows = c->rows,
                          .blocks = CORNERS,
                          .block = c->block,
                          .W = {c->rows, c->rows, c->rows, c->W},
                          .b = c->b};
}

static thud_cone_report step(cube *c)
{
    const double h = 1e-3, g = 9.81;
    prepare(c);
    thud_arena *arena;
    CHECK_OK(thud_arena_create(thud_cone_scratch(&c->cone), &arena));
    const thud_cone_options o = thud_cone_defaults();
    const thud_cone_report r = thud_cone_solve(&c->cone, &o, arena, c->p);
    thud_arena_destroy(arena);
    c->v[2] -= h * g;
    for (int k = 0; k < 6; k++) {
        for (int i = 0; i < c->rows; i++) {
            c->v[k] += inverse_mass[k] * c->J[i][k] * c->p[i];
        }
    }
    c->angle += h * c->v[5];
    return r;
}

enum { STEPS = 200 };

typedef struct cost {
    int factors, moves;
} cost;

static cost slide(int dim)
{
    cube c = new_cube(dim, 0.3);
    cost sum = {0};
    CHECK_INT(step(&c).outcome, THUD_CONE_SOLVED); // from nothing
    for (int k = 0; k < STEPS; k++) {
        const thud_cone_report r = step(&c);
        CHECK_INT(r.outcome, THUD_CONE_SOLVED);
        CHECK(r.equal_compliance);
        CHECK_BELOW(coulomb_violation(&c.cone, c.p), 1e-12); // m/s; 1e-15 seen
        sum.factors += r.factorizations;
        sum.moves += r.iterations;
    }
    return sum;
}

TEST(a_cube_that_slides_and_turns_takes_one_factor_a_step)
{
    (void)test_state;
    const cost all = slide(3);
    CHECK(all.factors <= 1.1 * STEPS); // two, if friction is guessed where it was a step ago
    CHECK(all.moves <= 2.2 * STEPS);   // three, if a step around the cone has the lambda of its beginning
}

TEST(with_torsion_and_rolling_friction_it_takes_one_factor_a_step_too)
{
    (void)test_state;
    for (int dim = 4; dim <= 6; dim += 2) {
        const cost all = slide(dim);
        CHECK(all.factors <= 1.1 * STEPS); // three, if they are not seen on their faces
        CHECK(all.moves <= 3.3 * STEPS);
    }
}

// Whoever called it last, the judge has seen the very impulses that are handed out.
TEST(the_residual_is_the_judges_of_the_impulses_that_are_handed_out)
{
    (void)test_state;
    for (double mu = 0; mu < 1.5;
         mu += 0.1) { // slides, tips over, or sticks; without friction rows are left out
        cube c = new_cube(3, mu);
        for (int k = 0; k < 10; k++) {
            double scratch[2 * MOST + THUD_CONE_DIM_MAX];
            const thud_cone_report r = step(&c);
            CHECK_INT(r.outcome, THUD_CONE_SOLVED);
            CHECK(r.residual == thud_cone_residual(&c.cone, c.p, scratch));
        }
    }
}

TEST_MAIN(T(a_cube_that_slides_and_turns_takes_one_factor_a_step),
          T(with_torsion_and_rolling_friction_it_takes_one_factor_a_step_too),
          T(the_residual_is_the_judges_of_the_impulses_that_are_handed_out))
