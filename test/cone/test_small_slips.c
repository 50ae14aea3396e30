// SPDX-License-Identifier: Apache-2.0
// Slips and gaps far smaller than the velocities around them: redundant contacts that ask together for what no motion has.
#include "test.h"

#include "cone/coulomb.h"

enum { CONTACTS = 8, ROWS = 3 * CONTACTS };

typedef struct foot {
    thud_cone_block block[CONTACTS];
    double W[ROWS * ROWS], b[ROWS];
    thud_cone cone;
} foot;

// A body of mass 1 on eight corners that are level to `uneven` only, falling and tilting. Its tangential rows
// ask for 0, which the tilt about uneven corners contradicts by about uneven: every corner slips that little,
// or lifts.
static void make_foot(test_rng *r, double uneven, double mu, foot *f)
{
    const double tilt[3] = {-test_uniform(r, 0.5, 2), test_uniform(r, -1, 1), test_uniform(r, -1, 1)};
    double J[ROWS][6] = {{0}};
    for (int i = 0; i < CONTACTS; i++) {
        const double x = (i & 1 ? 0.1 : -0.1) + (i & 4 ? 0.3 : 0), y = i & 2 ? 0.05 : -0.05;
        const double z = -0.04 + uneven * test_uniform(r, -1, 1);
        const double rows[3][6] = {{0, 0, 1, y, -x, 0}, {1, 0, 0, 0, z, -y}, {0, 1, 0, -z, 0, x}};
        memcpy(J[3 * i], rows, sizeof rows);
        f->block[i] =
            (thud_cone_block){.kind = THUD_CONE_KIND_CONTACT, .row = 3 * i, .dim = 3, .mu = {mu, mu}};
        f->b[3 * i] = tilt[0] + tilt[1] * x + tilt[2] * y;
        f->b[3 * i + 1] = f->b[3 * i + 2] = 0;
    }
    const double mass[6] = {1, 1, 1, 0.01, 0.02, 0.02};
    for (int i = 0; i < ROWS * ROWS; i++) {
        f->W[i] = 0;
        for (int k = 0; k < 6; k++) {
            f->W[i] += J[i % ROWS][k] * J[i / ROWS][k] / mass[k];
        }
    }
    f->cone = (thud_cone){
        .rows = ROWS, .blocks = CONTACTS, .block = f->block, .W = {ROWS, ROWS, ROWS, f->W}, .b = f->b};
}

TEST(a_foot_whose_corners_slip_by_a_millionth_of_its_fall_is_solved)
{
    (void)test_state;
    test_rng r = {11};
    int unsolved = 0; // 1 without the interior path
    for (int k = 0; k < 60; k++) {
        foot f;
        double p[ROWS] = {0};
        make_foot(&r, k % 3 == 0 ? 1e-3 : k % 3 == 1 ? 1e-5 : 1e-6, 0.3 + 0.1 * (k % 7), &f);
        thud_arena *arena;
        CHECK_OK(thud_arena_create(thud_cone_scratch(&f.cone), &arena));
        const thud_cone_options o = thud_cone_defaults();
        const thud_cone_report report = thud_cone_solve(&f.cone, &o, arena, p);
        thud_arena_destroy(arena);
        if (report.outcome != THUD_CONE_SOLVED) {
            unsolved++;
            continue;
        }
        CHECK_BELOW(report.residual, 1e-8);
        CHECK_BELOW(coulomb_violation(&f.cone, p), 1e-6 * thud_norm2(ROWS, f.b));
    }
    CHECK_INT(unsolved, 0);
}

// The same foot on level ground as it slides and turns, its corners' gaps closing by up to `gaps` more or less than a plane's would: of
// eight no more than three can press, however little that is.
static void make_sliding_foot(test_rng *r, double gaps, double mu, foot *f)
{
    make_foot(r, 0, mu, f);
    const double along[3] = {test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -5, 5)};
    for (int i = 0; i < CONTACTS; i++) {
        const double x = (i & 1 ? 0.1 : -0.1) + (i & 4 ? 0.3 : 0), y = i & 2 ? 0.05 : -0.05;
        f->b[3 * i] += gaps * test_uniform(r, -1, 1);
        f->b[3 * i + 1] = along[0] - along[2] * y;
        f->b[3 * i + 2] = along[1] + along[2] * x;
    }
}

TEST(a_foot_that_slides_on_corners_that_cannot_all_press_is_solved_to_the_last_digits)
{
    (void)test_state;
    test_rng r = {5};
    const double gaps[] = {1e-7, 1e-8, 1e-9, 1e-10, 1e-11};
    int unsolved = 0; // 121 without the walk along their faces
    for (int k = 0; k < 200; k++) {
        foot f;
        double p[ROWS] = {0};
        make_sliding_foot(&r, gaps[k % 5], 0.1 + 0.05 * (k % 7), &f);
        thud_arena *arena;
        CHECK_OK(thud_arena_create(thud_cone_scratch(&f.cone), &arena));
        thud_cone_options o = thud_cone_defaults();
        o.tolerance = 1e-11;
        const thud_cone_report report = thud_cone_solve(&f.cone, &o, arena, p);
        thud_arena_destroy(arena);
        double scratch[2 * ROWS + THUD_CONE_DIM_MAX];
        CHECK(report.residual ==
              thud_cone_residual(&f.cone, p, scratch)); // not what an earlier rung was told
        if (report.outcome != THUD_CONE_SOLVED) {
            unsolved++;
            continue;
        }
        CHECK_BELOW(coulomb_violation(&f.cone, p), 1e-9 * thud_norm2(ROWS, f.b));
    }
    CHECK_INT(unsolved, 0);
}

TEST(a_tolerance_that_no_number_meets_comes_to_an_end)
{
    (void)test_state;
    test_rng r = {7};
    for (int k = 0; k < 20; k++) {
        foot f;
        double p[ROWS] = {0};
        make_sliding_foot(&r, 1e-9, 0.1 + 0.05 * (k % 7), &f);
        thud_arena *arena;
        CHECK_OK(thud_arena_create(thud_cone_scratch(&f.cone), &arena));
        thud_cone_options o = thud_cone_defaults();
        o.tolerance = 0;
        const thud_cone_report report = thud_cone_solve(&f.cone, &o, arena, p);
        thud_arena_destroy(arena);
        CHECK(report.outcome != THUD_CONE_NO_MEMORY);
        CHECK_BELOW(report.residual, 1e-7);
    }
}

TEST_MAIN(T(a_tolerance_that_no_number_meets_comes_to_an_end),
          T(a_foot_whose_corners_slip_by_a_millionth_of_its_fall_is_solved),
          T(a_foot_that_slides_on_corners_that_cannot_all_press_is_solved_to_the_last_digits))
