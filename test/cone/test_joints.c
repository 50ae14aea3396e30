// SPDX-License-Identifier: Apache-2.0
// Joints without a contact among them: W p = -b, by one factor where W is regular; and dry friction.
#include "test.h"

#include <thud/cone.h>

enum { MOST = 60 }; // rows

typedef struct joints {
    double W[MOST * MOST], b[MOST], epsilon[MOST];
    thud_cone_block block[MOST];
    thud_cone cone;
} joints;

// Blocks of one to six rows, W = J J^T with J of `dofs` columns whose sizes span `spread`.
static joints make_joints(uint64_t seed, int rows, int dofs, double spread)
{
    test_rng r = {seed};
    static double J[MOST][MOST];
    joints x = {0};
    int blocks = 0;
    for (int row = 0; row < rows; blocks++) {
        const int dim = 1 + test_below(&r, 6), left = rows - row;
        x.block[blocks] =
            (thud_cone_block){.kind = THUD_CONE_KIND_FREE, .row = row, .dim = dim < left ? dim : left};
        row += x.block[blocks].dim;
    }
    for (int i = 0; i < rows; i++) {
        x.b[i] = test_normal(&r);
        for (int k = 0; k < dofs; k++) {
            J[i][k] = test_normal(&r) * pow(spread, -(double)k / dofs);
        }
    }
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < rows; j++) {
            for (int k = 0; k < dofs; k++) {
                x.W[i + j * rows] += J[i][k] * J[j][k];
            }
        }
    }
    x.cone = (thud_cone){.rows = rows, .blocks = blocks};
    return x;
}

static thud_cone_report solve(joints *x, double *p)
{
    const int n = x->cone.rows;
    x->cone.block = x->block;
    x->cone.W = (thud_mat){n, n, n, x->W};
    x->cone.b = x->b;
    thud_arena *arena;
    const thud_cone_options o = thud_cone_defaults();
    CHECK_OK(thud_arena_create(thud_cone_scratch(&x->cone), &arena));
    const thud_cone_report r = thud_cone_solve(&x->cone, &o, arena, p);
    thud_arena_destroy(arena);
    return r;
}

// The largest of |W p + b + epsilon p|, over that of |b|.
static double left_over(const joints *x, const double *p)
{
    double u[MOST];
    thud_cone_velocity(&x->cone, p, u);
    return thud_norm_inf(x->cone.rows, u) / thud_norm_inf(x->cone.rows, x->b);
}

TEST(joints_alone_are_answered_to_rounding_by_one_factor_whatever_they_start_from)
{
    (void)test_state;
    for (int rows = 7; rows <= MOST; rows++) {
        joints x = make_joints((uint64_t)rows, rows, MOST, 1);
        double p[MOST] = {0}, again[MOST];
        for (int i = 0; i < rows; i++) {
            again[i] = 100 * sin(i);
        }
        const thud_cone_report r = solve(&x, p);
        CHECK_INT(r.outcome, THUD_CONE_SOLVED);
        CHECK(r.equal_compliance);
        CHECK_INT(r.factorizations, 1);
        CHECK_BELOW(left_over(&x, p), 1e-11); // 1e-13 seen, where J is all but square
        CHECK_INT(solve(&x, again).outcome, THUD_CONE_SOLVED);
        CHECK(memcmp(p, again, sizeof *p * (size_t)rows) == 0);
    }
}

TEST(joints_that_give_way_give_way)
{
    (void)test_state;
    enum { ROWS = 13 };
    joints x = make_joints(5, ROWS, MOST, 1);
    double p[MOST] = {0}, again[MOST] = {1}, rigid[MOST] = {0};
    for (int i = 0; i < ROWS; i++) {
        x.epsilon[i] = i + 1;
    }
    CHECK_INT(solve(&x, rigid).outcome, THUD_CONE_SOLVED);
    x.cone.epsilon = x.epsilon;
    CHECK_INT(solve(&x, p).outcome, THUD_CONE_SOLVED);
    CHECK_INT(solve(&x, again).outcome, THUD_CONE_SOLVED);
    CHECK_BELOW(left_over(&x, p), 1e-13);
    CHECK(memcmp(p, again, sizeof *p * ROWS) == 0); // by the factor: other methods show where they start
    CHECK(fabs(p[0] - rigid[0]) > 1e-3 * fabs(rigid[0]));
}

TEST(stiff_joints_among_soft_ones_are_answered_to_rounding)
{
    (void)test_state;
    for (uint64_t seed = 1; seed < 30; seed++) {
        enum { ROWS = 24 };
        joints x = make_joints(seed, ROWS, ROWS + 6, 1e3); // the condition of W is about 1e8
        double p[MOST] = {0};
        CHECK_INT(solve(&x, p).outcome, THUD_CONE_SOLVED);
        CHECK_BELOW(left_over(&x, p), 1e-9); // 5e-11 seen
    }
}

// The second half says three times what the first says, in other numbers that round otherwise: of what they carry together each
// row has its part by its own compliance, which goes with its diagonal of W.
TEST(joints_that_say_the_same_twice_share_what_they_carry)
{
    (void)test_state;
    for (uint64_t seed = 1; seed < 30; seed++) {
        const int half = 1 + (int)(seed % 6), rows = 2 * half;
        joints x = make_joints(seed, half, MOST, 1), twice = {0};
        double p[MOST] = {0}, once[MOST] = {0};
        CHECK_INT(solve(&x, once).outcome, THUD_CONE_SOLVED);
        for (int i = 0; i < rows; i++) {
            const double si = i < half ? 1 : 3;
            twice.b[i] = si * x.b[i % half];
            for (int j = 0; j < rows; j++) {
                twice.W[i + j * rows] = si * x.W[i % half + j % half * half] * (j < half ? 1 : 3);
            }
        }
        for (int k = 0; k < 2; k++) {
            twice.block[k] = (thud_cone_block){.kind = THUD_CONE_KIND_FREE, .row = k * half, .dim = half};
        }
        twice.cone = (thud_cone){.rows = rows, .blocks = 2};
        CHECK_INT(solve(&twice, p).outcome, THUD_CONE_SOLVED);
        for (int i = 0; i < half; i++) {
            CHECK_NEAR(p[i], once[i] / 2, 1e-6 * thud_norm_inf(half, once));
            CHECK_NEAR(p[half + i], once[i] / 6, 1e-6 * thud_norm_inf(half, once));
        }
    }
}

// Two dry frictions, of at most 1 and 2, that share W = {{1, c}, {c, 1}}; with p = (1, second) the first slips by -slip, the other
// sticks.
static joints make_frictions(double c, double second, double slip)
{
    joints x = {.W = {1, c, c, 1}, .b = {-slip - 1 - c * second, -c - second}};
    for (int i = 0; i < 2; i++) {
        x.block[i] =
            (thud_cone_block){.kind = THUD_CONE_KIND_BOX, .row = i, .dim = 1, .lo = -1 - i, .hi = 1 + i};
    }
    x.cone = (thud_cone){.rows = 2, .blocks = 2};
    return x;
}

TEST(dry_friction_of_what_slips_slowly_is_answered_by_one_factor_from_where_it_was)
{
    (void)test_state;
    joints x = make_frictions(0.5, 0.3, 1e-3);
    double p[2] = {1, 0.304}; // with which it would slip the other way, by as much
    const thud_cone_report r = solve(&x, p);
    CHECK_INT(r.outcome, THUD_CONE_SOLVED);
    CHECK_INT(r.factorizations, 1); // two, if that is believed
    CHECK(p[0] == 1);
    CHECK_NEAR(p[1], 0.3, 1e-14);
}

TEST(dry_friction_of_what_slips_more_slowly_than_compliance_lets_it_is_answered_by_one_factor)
{
    (void)test_state;
    joints x = make_frictions(0.999, -1, 5e-11);
    double p[2] = {1, -1 + 1e-7};
    const thud_cone_report r = solve(&x, p);
    CHECK_INT(r.outcome, THUD_CONE_SOLVED);
    CHECK(r.equal_compliance);
    CHECK_INT(r.factorizations,
              1); // by the compliant problem it sticks, and sticking asks for more than there is
    CHECK(p[0] == 1);
    CHECK_NEAR(p[1], -1, 1e-12);
}

TEST_MAIN(T(joints_alone_are_answered_to_rounding_by_one_factor_whatever_they_start_from),
          T(joints_that_give_way_give_way), T(stiff_joints_among_soft_ones_are_answered_to_rounding),
          T(joints_that_say_the_same_twice_share_what_they_carry),
          T(dry_friction_of_what_slips_slowly_is_answered_by_one_factor_from_where_it_was),
          T(dry_friction_of_what_slips_more_slowly_than_compliance_lets_it_is_answered_by_one_factor))
