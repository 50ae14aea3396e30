// SPDX-License-Identifier: Apache-2.0
// One contact alone, solved in closed form, against Coulomb's law and against a search over all states.
#include "test.h"

#include <thud/cone.h>

#include "cone/coulomb.h"

static thud_arena *arena;

static thud_cone_report solve_one(const thud_cone_block *block, const double *W, const double *b, double *p)
{
    const int d = block->dim;
    const thud_cone c = {.rows = d, .blocks = 1, .block = block, .W = {d, d, d, (double *)W}, .b = b};
    const thud_cone_options o = thud_cone_defaults();
    memset(p, 0, sizeof *p * (size_t)d);
    const thud_cone_report r = thud_cone_solve(&c, &o, arena, p);
    if (r.outcome == THUD_CONE_SOLVED) {
        const double size = thud_norm2(d, b) + thud_norm2(d * d, W) * thud_norm2(d, p); // of the terms in u
        CHECK_BELOW(coulomb_violation(&c, p), 1e-13 * size); // worst seen 2e-15 of it
    }
    return r;
}

// A A^T / d plus `skew` of an antisymmetric part.
static void random_block(test_rng *r, int d, double skew, double *W)
{
    double A[36], B[36];
    for (int i = 0; i < d * d; i++) {
        A[i] = test_normal(r);
        B[i] = test_normal(r);
    }
    for (int i = 0; i < d; i++) {
        for (int j = 0; j < d; j++) {
            W[i + j * d] = skew * (B[i + j * d] - B[j + i * d]);
            for (int k = 0; k < d; k++) {
                W[i + j * d] += A[i + k * d] * A[j + k * d] / d;
            }
        }
    }
}

// g(theta) of slip along direction theta: the part of u_t across it, zero at a solution; p_n by u_n = 0.
static double slip_across(const double *W, const double *b, double mu, double theta, double *p, double *along)
{
    const double c = cos(theta), s = sin(theta);
    p[0] = -b[0] / (W[0] + mu * (W[3] * c + W[6] * s));
    p[1] = mu * p[0] * c;
    p[2] = mu * p[0] * s;
    const double u1 = b[1] + W[1] * p[0] + W[4] * p[1] + W[7] * p[2];
    const double u2 = b[2] + W[2] * p[0] + W[5] * p[1] + W[8] * p[2];
    *along = c * u1 + s * u2;
    return -s * u1 + c * u2;
}

// Is p among the sliding solutions that a scan of all directions finds? (b_n < 0, stick impossible)
static bool scan_finds(const double *W, const double *b, double mu, const double *want)
{
    double p[3], along, last = slip_across(W, b, mu, 0, p, &along);
    const int steps = 3600;
    for (int k = 1; k <= steps; k++) {
        double lo = 2 * M_PI * (k - 1) / steps, hi = 2 * M_PI * k / steps;
        const double now = slip_across(W, b, mu, hi, p, &along);
        if ((last < 0) != (now < 0)) {
            const double sign = last < 0 ? -1 : 1;
            for (int i = 0; i < 60; i++) {
                const double mid = 0.5 * (lo + hi);
                if (sign * slip_across(W, b, mu, mid, p, &along) > 0) {
                    lo = mid;
                } else {
                    hi = mid;
                }
            }
            const double off = hypot(hypot(p[0] - want[0], p[1] - want[1]), p[2] - want[2]);
            if (p[0] > 0 && along <= 0 && off <= 1e-7 * (1 + p[0])) {
                return true;
            }
        }
        last = now;
    }
    return false;
}

TEST(every_random_contact_in_space_is_solved_and_the_scan_of_directions_agrees)
{
    (void)test_state;
    test_rng r = {1};
    int state[3] = {0};
    for (int k = 0; k < 3000; k++) {
        double W[9], b[3], p[3];
        const double mu = k % 10 == 0   ? 0
                          : k % 10 == 1 ? test_uniform(&r, 2, 20)
                                        : test_uniform(&r, 0.05, 1.2);
        const thud_cone_block block = {.kind = THUD_CONE_KIND_CONTACT, .dim = 3, .mu = {mu, mu}};
        random_block(&r, 3, k % 3 == 0 ? 0.05 : 0, W);
        for (int i = 0; i < 3; i++) {
            b[i] = test_normal(&r);
        }
        CHECK_INT(solve_one(&block, W, b, p).outcome, THUD_CONE_SOLVED);
        const double t = hypot(p[1], p[2]);
        const int is = p[0] == 0 ? 0 : t < mu * p[0] * (1 - 1e-9) ? 1 : 2;
        state[is]++;
        if (is == 2 && mu > 0) {
            CHECK(scan_finds(W, b, mu, p));
        }
    }
    CHECK(state[0] > 1000 && state[1] > 100 && state[2] > 500);
}

TEST(every_random_contact_in_the_plane_and_of_condim_4_and_6_is_solved)
{
    (void)test_state;
    test_rng r = {2};
    const int dims[] = {1, 2, 4, 6};
    for (int k = 0; k < 4000; k++) {
        double W[36], b[6], p[6];
        thud_cone_block block = {.kind = THUD_CONE_KIND_CONTACT, .dim = dims[k % 4]};
        for (int i = 0; i < 5; i++) {
            block.mu[i] = test_below(&r, 8) == 0 ? 0 : exp(test_uniform(&r, -5, 1));
        }
        random_block(&r, block.dim, k % 8 < 4 ? 0 : 0.03, W);
        for (int i = 0; i < block.dim; i++) {
            b[i] = test_normal(&r);
        }
        CHECK_INT(solve_one(&block, W, b, p).outcome, THUD_CONE_SOLVED);
    }
}

TEST(a_sliding_block_stops_or_slides_as_on_the_blackboard)
{
    (void)test_state;
    const double m = 2, g_h = 0.0981, mu = 0.5; // one step's gravity
    const double W[9] = {1 / m, 0, 0, 0, 1 / m, 0, 0, 0, 1 / m};
    const thud_cone_block block = {.kind = THUD_CONE_KIND_CONTACT, .dim = 3, .mu = {mu, mu}};
    double p[3];
    const double slow[3] = {-g_h, 0.3 * g_h, 0.3 * g_h}, fast[3] = {-g_h, 3, 4}, off[3] = {0.1, 1, 1};
    solve_one(&block, W, slow, p);
    CHECK_NEAR(p[0], m * g_h, 1e-15);
    CHECK_NEAR(p[1], -0.3 * m * g_h, 1e-15);
    solve_one(&block, W, fast, p);
    CHECK_NEAR(p[1], -0.6 * mu * m * g_h, 1e-15);
    CHECK_NEAR(p[2], -0.8 * mu * m * g_h, 1e-15);
    solve_one(&block, W, off, p);
    CHECK(p[0] == 0 && p[1] == 0 && p[2] == 0);
}

TEST(a_spinning_disc_is_slowed_by_its_torsional_friction_alone)
{
    (void)test_state;
    // Mass m, inertia I about the normal: condim 4, spin w, no sliding: p_torsion = -mu_t m g h until it
    // stops.
    const double m = 3, I = 0.02, g_h = 0.0981, mu_t = 0.01;
    double W[16] = {0}, p[4];
    W[0] = W[5] = W[10] = 1 / m;
    W[15] = 1 / I;
    const thud_cone_block block = {.kind = THUD_CONE_KIND_CONTACT, .dim = 4, .mu = {0.6, 0.6, mu_t}};
    const double fast[4] = {-g_h, 0, 0, 5}, slow[4] = {-g_h, 0, 0, 0.5 * mu_t * m * g_h / I};
    solve_one(&block, W, fast, p);
    CHECK_NEAR(p[3], -mu_t * m * g_h, 1e-15);
    CHECK(p[1] == 0 && p[2] == 0);
    solve_one(&block, W, slow, p);
    CHECK_NEAR(p[3], -0.5 * mu_t * m * g_h, 1e-15);
}

TEST(a_ball_in_rolling_resistance_obeys_both_sliding_and_rolling_bounds)
{
    (void)test_state;
    // condim 6, ball of radius R rolling at v along t1: rolling resistance moment about t2.
    const double m = 1, R = 0.1, I = 0.4 * m * R * R, g_h = 0.00981, mu = 0.8, mu_r = 0.001;
    double W[36] = {0}, b[6] = {-g_h, 0, 0, 0, 0, 0}, p[6];
    W[0] = 1 / m;
    W[1 + 6] = W[2 + 12] = 1 / m + R * R / I; // sliding at the contact point
    W[3 + 18] = W[4 + 24] = W[5 + 30] = 1 / I;
    W[1 + 30] = W[5 + 6] = -R / I; // t1 slip against rotation about t2
    W[2 + 24] = W[4 + 12] = R / I;
    const double v = 0.5;
    b[5] = v / R; // rolls without slipping: b_1 = 0
    const thud_cone_block block = {
        .kind = THUD_CONE_KIND_CONTACT, .dim = 6, .mu = {mu, mu, 0.01, mu_r, mu_r}};
    CHECK_INT(solve_one(&block, W, b, p).outcome, THUD_CONE_SOLVED);
    CHECK_NEAR(p[0], m * g_h, 1e-15);
    CHECK(p[5] < 0);                                               // the moment opposes the rolling
    CHECK_NEAR(hypot(p[5] / mu_r, p[1] / mu), p[0], 1e-12 * p[0]); // on the cone's edge, all of it in rolling
}

TEST(a_contact_that_nothing_can_move_is_infeasible_unless_it_opens)
{
    (void)test_state;
    const double W[9] = {0}, into[3] = {-1, 0, 0}, away[3] = {1, 2, 3};
    const thud_cone_block block = {.kind = THUD_CONE_KIND_CONTACT, .dim = 3, .mu = {0.5, 0.5}};
    double p[3];
    CHECK_INT(solve_one(&block, W, into, p).outcome, THUD_CONE_INFEASIBLE);
    CHECK_INT(solve_one(&block, W, away, p).outcome, THUD_CONE_SOLVED);
}

static int group_setup(void **state)
{
    (void)state;
    return thud_arena_create(1 << 20, &arena) == THUD_OK ? 0 : -1;
}

static int group_teardown(void **state)
{
    (void)state;
    thud_arena_destroy(arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(every_random_contact_in_space_is_solved_and_the_scan_of_directions_agrees),
        T(every_random_contact_in_the_plane_and_of_condim_4_and_6_is_solved),
        T(a_sliding_block_stops_or_slides_as_on_the_blackboard),
        T(a_spinning_disc_is_slowed_by_its_torsional_friction_alone),
        T(a_ball_in_rolling_resistance_obeys_both_sliding_and_rolling_bounds),
        T(a_contact_that_nothing_can_move_is_infeasible_unless_it_opens)};
    return test_exit_code(cmocka_run_group_tests(tests, group_setup, group_teardown));
}
