// SPDX-License-Identifier: Apache-2.0
// W = S S^T that is never made: the answers are judged on the W that the test makes itself.
#include "test.h"

#include <thud/cone_product.h>

#include "cone/coulomb.h"

enum { GROUPS = 12, BLOCKS = 40, ROWS = 6 * BLOCKS, COLUMNS = 16 * GROUPS };

typedef struct product_case {
    thud_cone cone;
    thud_cone_product product;
    thud_cone_block block[BLOCKS];
    int column[GROUPS + 1], start[BLOCKS + 1];
    thud_cone_strip strip[3 * BLOCKS];
    double S[3 * BLOCKS][6 * 16];
    double full[ROWS * COLUMNS]; // S as one matrix, row-major
    double W[ROWS * ROWS], b[ROWS], epsilon[ROWS];
} product_case;

typedef enum mix { PILE, SMOOTH, EVERYTHING } mix;

static int dim_of(test_rng *rng, mix of, thud_cone_kind kind)
{
    static const int dims[] = {1, 2, 3, 3, 4, 6};
    return kind == THUD_CONE_KIND_BOX || of == SMOOTH ? 1
           : of == PILE                               ? 3
                                                      : dims[(int)(5.999 * test_uniform(rng, 0, 1))];
}

// Blocks that reach one to three groups. PILE: contacts of three rows between bodies of six dofs, or with the ground;
// SMOOTH: the same without friction, of one row.
static product_case *make(uint64_t seed, mix of)
{
    product_case *c = calloc(1, sizeof *c);
    test_rng rng = {seed};
    for (int g = 0; g < GROUPS; g++) {
        c->column[g + 1] = c->column[g] + (of != EVERYTHING ? 6 : 1 + (int)(14.9 * test_uniform(&rng, 0, 1)));
    }
    int rows = 0, strips = 0;
    for (int i = 0; i < BLOCKS; i++) {
        const double dice = test_uniform(&rng, 0, 1);
        const thud_cone_kind kind = of != EVERYTHING || dice < 0.7 ? THUD_CONE_KIND_CONTACT
                                    : dice < 0.85                  ? THUD_CONE_KIND_BOX
                                                                   : THUD_CONE_KIND_FREE;
        c->block[i] = (thud_cone_block){
            .kind = kind, .row = rows, .dim = dim_of(&rng, of, kind), .lo = -0.1, .hi = 0.2};
        for (int r = 0; r < 5; r++) {
            c->block[i].mu[r] =
                of == EVERYTHING && test_uniform(&rng, 0, 1) < 0.1 ? 0 : test_uniform(&rng, 0.1, 0.9);
        }
        const int first = (int)((GROUPS - 2.01) * test_uniform(&rng, 0, 1)),
                  count = 1 + (int)(1.99 * test_uniform(&rng, 0, 1));
        for (int g = first; g < first + count + (of == EVERYTHING && dice < 0.2); g++) {
            const int size = c->column[g + 1] - c->column[g];
            for (int r = 0; r < c->block[i].dim; r++) {
                for (int k = 0; k < size; k++) {
                    const double s = test_uniform(&rng, -1, 1);
                    c->S[strips][r * size + k] = c->full[(rows + r) * COLUMNS + c->column[g] + k] = s;
                }
            }
            c->strip[strips] = (thud_cone_strip){g, c->S[strips]};
            strips++;
        }
        c->start[i + 1] = strips;
        for (int r = 0; r < c->block[i].dim; r++) {
            c->b[rows + r] = test_uniform(&rng, -1, 0.5);
            c->epsilon[rows + r] =
                kind == THUD_CONE_KIND_FREE ? 0.5 : 0.02; // random b need it to be solvable
        }
        rows += c->block[i].dim;
    }
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < rows; j++) {
            for (int k = 0; k < COLUMNS; k++) {
                c->W[i + j * rows] += c->full[i * COLUMNS + k] * c->full[j * COLUMNS + k];
            }
        }
    }
    c->product = (thud_cone_product){GROUPS, c->column, c->start, c->strip, 0, NULL, NULL};
    for (int i = 0; i < rows; i++) {
        c->product.trace += c->W[i + i * rows] + c->epsilon[i];
    }
    c->cone = (thud_cone){.rows = rows,
                          .blocks = BLOCKS,
                          .block = c->block,
                          .W = {rows, rows, rows, c->W},
                          .b = c->b,
                          .epsilon = c->epsilon};
    return c;
}

static thud_cone_report solve(const product_case *c, double tolerance, size_t bytes, double *p)
{
    thud_arena *arena;
    thud_cone_options o = thud_cone_defaults();
    thud_cone bare = c->cone;
    bare.W.a = NULL; // not to be read
    o.tolerance = tolerance;
    CHECK_OK(thud_arena_create(bytes, &arena));
    const thud_cone_report r = thud_cone_product_solve(&bare, &c->product, &o, arena, p);
    CHECK_INT(thud_arena_mark(arena), 0);
    thud_arena_destroy(arena);
    return r;
}

static const size_t PLENTY = 1 << 22;

// Returns how many of 30 are solved; what is not says so.
static int solved_by_coulomb(mix of, double tolerance)
{
    int solved = 0;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        product_case *c = make(seed, of);
        double p[ROWS] = {0}, judge[2 * ROWS + 6];
        const thud_cone_report r = solve(c, tolerance, PLENTY, p);
        // sums in another order, and, roughly, as they came about: worst seen 5e-12 at 1e-3
        CHECK_NEAR(r.residual, thud_cone_residual(&c->cone, p, judge), 1e-12 + 1e-7 * tolerance);
        CHECK((r.outcome == THUD_CONE_SOLVED) == (r.residual <= tolerance));
        if (r.outcome == THUD_CONE_SOLVED) {
            // the judge's norm is over all rows and its rho that of the mean row: worst seen 9 tolerance |b|
            CHECK_BELOW(coulomb_violation(&c->cone, p), 30 * tolerance * thud_norm2(c->cone.rows, c->b));
            solved++;
        }
        free(c);
    }
    return solved;
}

// Twice the same W side by side, of which the second half is pulled apart: its impulses are 0, and without its rows the
// residual of any impulses of the first is the same, if the judge is told of what they ask for.
TEST(what_is_left_out_without_impulses_leaves_the_residual_as_it_is)
{
    (void)test_state;
    enum { N = 3 };
    static const double W[N * N] = {2, 0.3, 0.1, 0.3, 1.5, -0.2, 0.1, -0.2, 1.2};
    double twice[4 * N * N] = {0}, b[2 * N] = {-1, 0.4, 0.2, 0.7, 0, 0}, judge[4 * N + 6];
    for (int i = 0; i < N * N; i++) {
        const int r = i % N, c = i / N;
        twice[r + c * 2 * N] = twice[N + r + (N + c) * 2 * N] = W[i];
    }
    thud_cone_block block[2] = {{.kind = THUD_CONE_KIND_CONTACT, .dim = N, .mu = {0.5, 0.5}},
                                {.kind = THUD_CONE_KIND_CONTACT, .row = N, .dim = N, .mu = {0.5, 0.5}}};
    const thud_cone both = {
        .rows = 2 * N, .blocks = 2, .block = block, .W = {2 * N, 2 * N, 2 * N, twice}, .b = b};
    thud_cone one = {.rows = N, .blocks = 1, .block = block, .W = {N, N, N, (double *)W}, .b = b};
    const double p[2 * N] = {0.4, -0.1, 0.05, 0, 0, 0};
    const double all = thud_cone_residual(&both, p, judge);
    CHECK_BELOW(1.1 * all, thud_cone_residual(&one, p, judge)); // who is not told is stricter
    one.beside = 0.7 * 0.7;
    CHECK_NEAR(thud_cone_residual(&one, p, judge), all, 1e-15);
}

// Among its own rows it is solved to the tolerance all the same, as long as that takes few sweeps.
TEST(what_was_left_out_is_no_excuse_while_sweeps_are_few)
{
    (void)test_state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        product_case *c = make(seed, PILE);
        double p[ROWS] = {0}, judge[2 * ROWS + 6];
        c->cone.beside = 100;
        const thud_cone_report r = solve(c, 1e-3, PLENTY, p);
        CHECK_NEAR(r.residual, thud_cone_residual(&c->cone, p, judge), 1e-10);
        CHECK(r.outcome == THUD_CONE_SOLVED);
        c->cone.beside = 0;
        CHECK(r.iterations >= 60 || thud_cone_residual(&c->cone, p, judge) <= 1e-3);
        free(c);
    }
}

TEST(a_pile_obeys_coulomb_to_a_rough_and_to_a_fine_tolerance)
{
    (void)test_state;
    CHECK_INT(solved_by_coulomb(PILE, 1e-3), 30);
    CHECK_INT(solved_by_coulomb(PILE, 1e-8), 30);
}

TEST(joints_bounds_and_every_kind_of_friction_among_trees_of_any_size_obey_it_too)
{
    (void)test_state;
    CHECK(solved_by_coulomb(EVERYTHING, 1e-3) >= 29); // one goes round in circles, as plain sweeps do
    CHECK(solved_by_coulomb(EVERYTHING, 1e-8) >= 29);
}

TEST(a_warm_start_that_is_the_answer_needs_one_sweep)
{
    (void)test_state;
    product_case *c = make(5, PILE);
    double p[ROWS] = {0};
    CHECK_INT(solve(c, 1e-8, PLENTY, p).outcome, THUD_CONE_SOLVED);
    const thud_cone_report r = solve(c, 1e-6, PLENTY, p);
    CHECK_INT(r.iterations, 1);
    CHECK_INT(r.outcome, THUD_CONE_SOLVED);
    free(c);
}

// Impulses of the last step, a little off, have to hold for the next one, too.
TEST(what_all_but_rests_is_solved_to_a_third_of_a_rough_tolerance)
{
    static const double TOLERANCE = 1e-3;
    (void)test_state;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        product_case *c = make(seed, PILE);
        double p[ROWS] = {0}, judge[2 * ROWS + 6];
        CHECK_INT(solve(c, 1e-8, PLENTY, p).outcome, THUD_CONE_SOLVED);
        for (int i = 0; i < c->cone.rows; i++) {
            p[i] *= 1.003;
        }
        CHECK(thud_cone_residual(&c->cone, p, judge) > TOLERANCE);
        CHECK_BELOW(solve(c, TOLERANCE, PLENTY, p).residual, TOLERANCE / 3);
        free(c);
    }
}

TEST(too_little_memory_and_numbers_that_are_none_leave_the_warm_start_alone)
{
    (void)test_state;
    product_case *c = make(6, PILE);
    double p[ROWS], before[ROWS];
    for (int i = 0; i < ROWS; i++) {
        p[i] = before[i] = i;
    }
    for (size_t bytes = 64; bytes < 40000; bytes += 3000) {
        CHECK_INT(solve(c, 1e-6, bytes, p).outcome, THUD_CONE_NO_MEMORY);
        CHECK(memcmp(p, before, sizeof p) == 0);
    }
    c->b[7] = NAN;
    CHECK_INT(solve(c, 1e-6, PLENTY, p).outcome, THUD_CONE_NOT_FINITE);
    CHECK(memcmp(p, before, sizeof p) == 0);
    free(c);
}

TEST(sweeps_that_run_out_say_so_and_leave_their_best_point)
{
    (void)test_state;
    product_case *c = make(7, PILE);
    double p[ROWS] = {0}, zero[ROWS] = {0}, judge[2 * ROWS + 6];
    thud_cone_options o = thud_cone_defaults();
    o.max_iterations = 3;
    thud_arena *arena;
    CHECK_OK(thud_arena_create(PLENTY, &arena));
    const thud_cone_report r = thud_cone_product_solve(&c->cone, &c->product, &o, arena, p);
    thud_arena_destroy(arena);
    CHECK_INT(r.outcome, THUD_CONE_ITERATION_LIMIT);
    CHECK_INT(r.iterations, 3);
    CHECK_BELOW(r.residual, 0.8 * thud_cone_residual(&c->cone, zero, judge));
    CHECK_NEAR(r.residual, thud_cone_residual(&c->cone, p, judge), 1e-12);
    free(c);
}

// Asked for the choice of equal compliance, which is one point: what Newton's method factors on the way does not show. The steps
// that it takes there do.
static void compare_newton(uint64_t seed, mix of)
{
    product_case *c = make(seed, of);
    double p[2][ROWS] = {{0}};
    int steps[2];
    thud_arena *arena;
    thud_cone_options o = thud_cone_defaults();
    o.method = THUD_CONE_NEWTON;
    for (int k = 0; k < 2; k++) {
        c->cone.product = k == 0 ? &c->product : NULL;
        CHECK_OK(thud_arena_create(thud_cone_scratch(&c->cone), &arena));
        const thud_cone_report r = thud_cone_solve(&c->cone, &o, arena, p[k]);
        CHECK_INT(r.outcome, THUD_CONE_SOLVED);
        CHECK(r.equal_compliance && r.factorizations > 0);
        steps[k] = r.iterations;
        thud_arena_destroy(arena);
    }
    const double size = thud_norm_inf(c->cone.rows, p[0]);
    for (int i = 0; i < c->cone.rows; i++) {
        CHECK_NEAR(p[0][i], p[1][i], 1e-11 * size);
    }
    CHECK(steps[0] <= steps[1] + 2); // two more than the exact factor, at most
    free(c);
}

TEST(newton_finds_the_same_among_bodies_as_among_contacts_with_friction_and_without)
{
    (void)test_state;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        compare_newton(seed, PILE);
        compare_newton(seed, SMOOTH);
    }
}

// Boards, each on two belts, one of them faster: none can stick to both. Sticking to either it is drawn by the other with all
// its friction, and the first must hold against that: both friction forces are mu p_n, against each other. Solves to 1e-8,
// p of 6 rows a board.
static thud_cone_report solve_boards(int boards, const double *faster, double mu, double *p)
{
    enum { N1, X, Y1, N2, Y2, COUNT, MOST = 16, NUMBERS = 6 * MOST };
    static const int dof[6] = {N1, X, Y1, N2, X, Y2};
    static double S[2][3 * COUNT], W[NUMBERS * NUMBERS];
    const int rows = 6 * boards;
    int column[MOST + 1], start[2 * MOST + 1];
    double b[NUMBERS] = {0};
    thud_cone_block block[2 * MOST];
    thud_cone_strip strip[2 * MOST];
    memset(W, 0, sizeof W);
    for (int i = 0; i < 6; i++) {
        S[i / 3][i % 3 * COUNT + dof[i]] = 1;
    }
    for (int k = 0; k <= boards; k++) {
        column[k] = COUNT * k;
    }
    for (int k = 0; k < boards; k++) {
        for (int i = 0; i < 36; i++) {
            W[6 * k + i % 6 + (6 * k + i / 6) * rows] = dof[i % 6] == dof[i / 6];
        }
        b[6 * k] = b[6 * k + 3] = -1;
        b[6 * k + 4] = faster[k];
    }
    for (int i = 0; i <= 2 * boards; i++) {
        start[i] = i;
        if (i < 2 * boards) {
            block[i] =
                (thud_cone_block){.kind = THUD_CONE_KIND_CONTACT, .row = 3 * i, .dim = 3, .mu = {mu, mu}};
            strip[i] = (thud_cone_strip){i / 2, S[i % 2]};
        }
    }
    const thud_cone_product product = {boards, column, start, strip, rows, NULL, NULL};
    const thud_cone cone = {
        .rows = rows, .blocks = 2 * boards, .block = block, .W = {rows, rows, rows, W}, .b = b};
    thud_cone_options o = thud_cone_defaults();
    o.tolerance = 1e-8;
    thud_arena *arena;
    CHECK_OK(thud_arena_create(PLENTY, &arena));
    const thud_cone_report r = thud_cone_product_solve(&cone, &product, &o, arena, p);
    thud_arena_destroy(arena);
    CHECK_INT(r.outcome, THUD_CONE_SOLVED);
    return r;
}

// By a millionth of the speed it falls with. Sweeps alone change the friction by a millionth at a time.
TEST(a_board_on_two_belts_that_hardly_differ_is_held_by_all_friction_of_both)
{
    static const double MU = 0.5, FASTER = 1e-6;
    double p[6] = {0};
    const thud_cone_report r = solve_boards(1, &FASTER, MU, p);
    CHECK_NEAR(p[0], 1, 1e-7);
    CHECK_NEAR(p[1], MU, 1e-6); // the faster belt's slip is 1e-6: what the tolerance leaves of it
    CHECK_NEAR(p[4], -MU, 1e-6);
    CHECK(r.iterations < 100); // 0.5 / 1e-6 without
}

// All friction of the fastest is used up first; the others, slower by powers of two, follow one by one. Each is a jam of two
// contacts that those of the others have nothing to do with.
TEST(jams_side_by_side_are_solved_each_by_itself)
{
    enum { BOARDS = 16 };
    static const double MU = 0.5;
    double p[6 * BOARDS] = {0}, faster[BOARDS];
    for (int k = 0; k < BOARDS; k++) {
        faster[k] = 1e-2 * pow(0.5, k);
    }
    const thud_cone_report r = solve_boards(BOARDS, faster, MU, p);
    for (int k = 0; k < BOARDS; k++) {
        CHECK_NEAR(p[6 * k + 1], MU, 1e-5);
        CHECK_NEAR(p[6 * k + 4], -MU, 1e-5);
    }
    CHECK(r.iterations < 25); // seen: 8; 50 where each waits for the ones before it
}

// Towers of ten balls that fall at 1 m/s onto the ground, each on its own: the k-th contact from below carries 10 - k of
// them. All but one start with that. Sweeps over all are for those alone that change: the few of the tower that does not.
TEST(one_tower_of_many_is_swept_by_itself)
{
    enum { TOWERS = 20, HIGH = 10, CONTACTS = TOWERS * HIGH, FREE = 6, ODD = 7 };
    static const double MU = 0.5, TOLERANCE = 2e-5; // a rough one
    static double above[3 * FREE], below[3 * FREE], b[3 * CONTACTS], p[3 * CONTACTS];
    static int column[CONTACTS + 1], start[CONTACTS + 1];
    static thud_cone_strip strip[2 * CONTACTS];
    static thud_cone_block block[CONTACTS];
    int strips = 0;
    for (int r = 0; r < 3; r++) {
        above[r * FREE + r] = 1;
        below[r * FREE + r] = -1;
    }
    for (int i = 0; i < CONTACTS; i++) {
        const int level = i % HIGH;
        column[i + 1] = FREE * (i + 1);
        block[i] = (thud_cone_block){.kind = THUD_CONE_KIND_CONTACT, .row = 3 * i, .dim = 3, .mu = {MU, MU}};
        strip[strips++] = (thud_cone_strip){i, above};
        if (level > 0) {
            strip[strips++] = (thud_cone_strip){i - 1, below};
        }
        start[i + 1] = strips;
        b[3 * i] = level == 0 ? -1 : 0;
        p[3 * i] = i / HIGH == ODD ? 0 : HIGH - level;
    }
    const thud_cone_product product = {CONTACTS, column, start, strip, 3.0 * strips, NULL, NULL};
    const thud_cone cone = {.rows = 3 * CONTACTS, .blocks = CONTACTS, .block = block, .b = b};
    thud_cone_options o = thud_cone_defaults();
    o.tolerance = TOLERANCE;
    thud_arena *arena;
    CHECK_OK(thud_arena_create(PLENTY, &arena));
    const thud_cone_report r = thud_cone_product_solve(&cone, &product, &o, arena, p);
    thud_arena_destroy(arena);
    CHECK_INT(r.outcome, THUD_CONE_SOLVED);
    for (int i = 0; i < CONTACTS; i++) {
        // the tower gives way to 0.022 of an impulse at least, and |b| is sqrt(20)
        CHECK_NEAR(p[3 * i], HIGH - i % HIGH, TOLERANCE * sqrt(TOWERS) / 0.022);
    }
    CHECK(r.iterations < 18); // seen: 9, and 36 where all are swept for the tower's sake
}

TEST_MAIN(T(one_tower_of_many_is_swept_by_itself),
          T(a_board_on_two_belts_that_hardly_differ_is_held_by_all_friction_of_both),
          T(what_is_left_out_without_impulses_leaves_the_residual_as_it_is),
          T(what_was_left_out_is_no_excuse_while_sweeps_are_few),
          T(jams_side_by_side_are_solved_each_by_itself),
          T(a_pile_obeys_coulomb_to_a_rough_and_to_a_fine_tolerance),
          T(joints_bounds_and_every_kind_of_friction_among_trees_of_any_size_obey_it_too),
          T(a_warm_start_that_is_the_answer_needs_one_sweep),
          T(what_all_but_rests_is_solved_to_a_third_of_a_rough_tolerance),
          T(too_little_memory_and_numbers_that_are_none_leave_the_warm_start_alone),
          T(sweeps_that_run_out_say_so_and_leave_their_best_point),
          T(newton_finds_the_same_among_bodies_as_among_contacts_with_friction_and_without))
