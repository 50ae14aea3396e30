// SPDX-License-Identifier: Apache-2.0
// What the phantom-inertia paper claims, on its own cube [PI, table 1] and on more than that: rank, which
// solvers work, the sweep of rho, trouble with more than two axes, and where the cube stops by every law.
#include "test.h"

#include <thud/linalg.h>

#include "law/law_scene.h"

static const double TURN = 2 * 3.14159265358979323846;

// The cube at the heading yaw with its velocities: 1 kg, 1 m, mu = 1, four corners.
static void make_cube(law_scene *s, double yaw, const double v[6], double h)
{
    memset(s, 0, sizeof *s);
    const int body = scene_body(s, 1, 1.0 / 6, 0, 0, 0.5);
    for (int k = 0; k < 4; k++) {
        const double x = k & 1 ? 0.5 : -0.5, y = k & 2 ? 0.5 : -0.5, up[3] = {0, 0, 1};
        const double at[3] = {cos(yaw) * x - sin(yaw) * y, sin(yaw) * x + cos(yaw) * y, 0};
        scene_contact(s, body, -1, at, up, 3, 1);
    }
    memcpy(s->v, v, sizeof *v * 6);
    scene_finish(s, h, 9.81);
}

// A cube that sticks (k even) or slides in some way, with the paper's stiffnesses.
static thud_law_options make_case(law_scene *s, int k, thud_law law, int directions)
{
    test_rng r = {(uint64_t)k};
    const double fast = k % 2 ? 1 : 1e-4;
    const double v[6] = {fast * test_normal(&r), fast * 5, 0, 0, 0, fast * TURN * test_uniform(&r, -1, 1)};
    make_cube(s, test_uniform(&r, 0, TURN), v, 0.01);
    for (int i = 0; i < 4; i++) {
        s->p_before[3 * i] = 9.81 * 0.01 / 4;
    }
    thud_law_options o = law_options(law, THUD_SOLVER_AUTO);
    o.directions = directions;
    return o;
}

typedef struct study {
    int size, rank;
    thud_lcp_outcome outcome[THUD_LCP_METHODS];
} study;

// Rows, then columns, divided by their largest: a rank that does not depend on units.
static void equilibrate(size_t n, double *a)
{
    for (int pass = 0; pass < 2; pass++) {
        const size_t step = pass == 0 ? n : 1, line = pass == 0 ? 1 : n;
        for (size_t i = 0; i < n; i++) {
            double most = 0;
            for (size_t j = 0; j < n; j++) {
                most = fmax(most, fabs(a[i * line + j * step]));
            }
            for (size_t j = 0; j < n; j++) {
                a[i * line + j * step] /= most;
            }
        }
    }
}

// The rank counts what a pivoted QR finds above 1e-12 of the longest column.
static study look(const law_scene *s, const thud_law_options *o)
{
    thud_arena *arena;
    thud_lcp lcp;
    CHECK_OK(thud_arena_create(1 << 22, &arena));
    CHECK_OK(thud_law_problem(&s->island, o, true, arena, &lcp));
    const size_t n = (size_t)lcp.n;
    double *copy = thud_arena_push(arena, n * n, sizeof *copy), *z = thud_arena_push(arena, n, sizeof *z);
    study found = {.size = lcp.n};
    for (size_t j = 0; j < n; j++) {
        memcpy(copy + j * n, lcp.M.a + j * (size_t)lcp.M.stride, sizeof *copy * n);
    }
    equilibrate(n, copy);
    found.rank = thud_qr_rank((thud_mat){lcp.n, lcp.n, lcp.n, copy}, 1e-12, z);
    for (int m = 0; m < THUD_LCP_METHODS; m++) {
        const thud_lcp_options options = thud_lcp_defaults((thud_lcp_method)m);
        found.outcome[m] = thud_lcp_solve(&lcp, &options, arena, z).outcome;
    }
    thud_arena_destroy(arena);
    return found;
}

TEST(an_island_without_W_is_no_problem_yet)
{
    (void)test_state;
    static law_scene s;
    thud_arena *arena;
    thud_lcp lcp;
    scene_cube(&s, 0.5);
    scene_finish(&s, 1e-3, 9.81);
    const thud_law_options o = law_options(THUD_LAW_STEWART_TRINKLE, THUD_SOLVER_LEMKE);
    CHECK_OK(thud_arena_create(1 << 22, &arena));
    CHECK_OK(thud_law_problem(&s.island, &o, false, arena, &lcp));
    s.island.W.a = NULL;
    CHECK_INT(thud_law_problem(&s.island, &o, false, arena, &lcp), THUD_BAD_ARGUMENT);
    thud_arena_destroy(arena);
}

TEST(the_pyramid_is_rank_deficient_and_phantom_inertia_is_not)
{
    static law_scene s;
    for (int k = 0; k < 40; k++) {
        for (int K = 4; K <= 12; K += 4) {
            thud_law_options o = make_case(&s, k, THUD_LAW_ANITESCU_POTRA, K);
            const study pyramid = look(&s, &o);
            CHECK_INT(pyramid.size, 4 * (K + 2));
            CHECK_INT(pyramid.rank, 4 * 5); // normal, two directions, lambda and its row, whatever K
            o = make_case(&s, k, THUD_LAW_PHANTOM_INERTIA, K);
            const study phantom = look(&s, &o);
            CHECK_INT(phantom.size, 4 * (1 + (k % 2 ? 4 : K)));
            CHECK_INT(phantom.rank, phantom.size);
        }
    }
}

TEST(murty_and_judice_pires_fail_on_the_pyramid_and_work_with_phantom_inertia)
{
    static law_scene s;
    int pyramid[THUD_LCP_METHODS] = {0}, phantom[THUD_LCP_METHODS] = {0};
    for (int k = 1; k < 80; k += 2) {
        thud_law_options o = make_case(&s, k, THUD_LAW_ANITESCU_POTRA, 4);
        const study by_pyramid = look(&s, &o);
        o = make_case(&s, k, THUD_LAW_PHANTOM_INERTIA, 4);
        const study by_phantom = look(&s, &o);
        for (int m = 0; m < THUD_LCP_METHODS; m++) {
            pyramid[m] += by_pyramid.outcome[m] == THUD_LCP_SOLVED;
            phantom[m] += by_phantom.outcome[m] == THUD_LCP_SOLVED;
        }
    }
    print_message("sliding cubes solved of 40, pyramid and phantom inertia: lemke %d %d, murty %d %d, "
                  "judice-pires %d %d\n",
                  pyramid[THUD_LCP_LEMKE], phantom[THUD_LCP_LEMKE], pyramid[THUD_LCP_MURTY],
                  phantom[THUD_LCP_MURTY], pyramid[THUD_LCP_JUDICE_PIRES], phantom[THUD_LCP_JUDICE_PIRES]);
    CHECK_INT(pyramid[THUD_LCP_LEMKE], 40);
    CHECK_INT(phantom[THUD_LCP_LEMKE], 40);
    CHECK_INT(phantom[THUD_LCP_MURTY], 40);
    CHECK_INT(phantom[THUD_LCP_JUDICE_PIRES], 40);
    CHECK(pyramid[THUD_LCP_MURTY] < 20 && pyramid[THUD_LCP_JUDICE_PIRES] < 20);
}

TEST(block_pivoting_has_trouble_with_more_than_two_axes_and_lemke_has_none)
{
    static law_scene s;
    int solved[THUD_LCP_METHODS] = {0};
    for (int k = 0; k < 80; k += 2) {
        thud_law_options o = make_case(&s, k, THUD_LAW_PHANTOM_INERTIA, 8);
        s.u_free[0] -= 0.2; // pushed over its friction here and there
        s.u_free[1] += 0.3;
        s.u_free[5] -= 0.2;
        const study found = look(&s, &o);
        for (int m = 0; m < THUD_LCP_METHODS; m++) {
            solved[m] += found.outcome[m] == THUD_LCP_SOLVED;
        }
    }
    print_message("sticking cubes with 4 axes solved of 40: lemke %d, murty %d, judice-pires %d\n",
                  solved[THUD_LCP_LEMKE], solved[THUD_LCP_MURTY], solved[THUD_LCP_JUDICE_PIRES]);
    CHECK_INT(solved[THUD_LCP_LEMKE], 40);
    CHECK(solved[THUD_LCP_JUDICE_PIRES] < 40);
}

// The paper saw the rank go below 1e-8 kg.
TEST(a_phantom_inertia_of_1e_8_loses_the_rank_and_none_changes_the_motion)
{
    static law_scene s;
    static double first[SCENE_ROWS], moved[SCENE_ROWS], u[SCENE_ROWS];
    for (int k = 0; k < 2; k++) {
        for (int power = 0; power >= -10; power -= 2) {
            thud_law_options o = make_case(&s, k, THUD_LAW_PHANTOM_INERTIA, 4);
            o.rho = power == 0 ? 0 : pow(10, power);
            const study found = look(&s, &o);
            CHECK(power >= -6 ? found.rank == found.size : found.rank < found.size);
            CHECK(k == 0 || power != -2 || found.outcome[THUD_LCP_JUDICE_PIRES] == THUD_LCP_CYCLED);
            CHECK(scene_solve(&s, &o).solved);
            scene_velocity(&s, u);
            for (int i = 0; i < s.rows; i++) {
                first[i] = power == 0 ? s.p[i] : first[i];
                moved[i] = power == 0 ? u[i] : moved[i];
                const double rounding = power >= -6 ? 1e-8 : 1e-4; // without the rank 1e-5 was seen
                CHECK_NEAR(u[i], moved[i], rounding);
                CHECK_NEAR(s.p[i], first[i], rounding);
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------- where it
// stops

typedef struct stop {
    double x, y, yaw, t;
    double tip; // fastest motion off the plane
} stop;

static stop slide(const thud_law_options *o, double h)
{
    static law_scene s;
    stop q = {0};
    double v[6] = {0, 5, 0, 0, 0, TURN}, last[12] = {0};
    thud_arena *arena;
    CHECK_OK(thud_arena_create(1 << 20, &arena));
    for (; q.t < 1 && fabs(v[0]) + fabs(v[1]) + fabs(v[5]) > 1e-9; q.t += h) {
        make_cube(&s, q.yaw, v, h);
        memcpy(s.p_before, last, sizeof last);
        memcpy(s.p, last, sizeof last);
        const thud_law_report r = thud_law_solve(&s.island, o, arena);
        CHECK(r.solved);
        for (int k = 0; k < 6; k++) {
            v[k] = s.v_free[k];
            for (int i = 0; i < s.rows; i++) {
                v[k] += s.inverse[k] * s.G[i][k] * s.p[i];
            }
        }
        q.tip = fmax(q.tip, fabs(v[2]) + fabs(v[3]) + fabs(v[4]));
        memcpy(last, s.p, sizeof last);
        q.x += h * v[0];
        q.y += h * v[1];
        q.yaw += h * v[5];
    }
    thud_arena_destroy(arena);
    return q;
}

// Its fine solution: x = 0.4407, y = 1.5840, 1.9535 rad after 0.661 s (../shared/acceptance.md).
static double error_of(const thud_law_options *o, double h)
{
    const stop q = slide(o, h);
    return hypot(q.x - 0.4407, q.y - 1.5840);
}

// The error at the end, told as docs/laws.md tells it.
static double told(const char *law, const thud_law_options *o, double h)
{
    const double error = error_of(o, h);
    print_message("%-40s h %5.3f s   %.4f m off\n", law, h, error);
    return error;
}

TEST(the_cube_stops_where_it_should_to_first_order)
{
    thud_law_options o[5] = {law_options(THUD_LAW_CONE, THUD_SOLVER_AUTO),
                             law_options(THUD_LAW_PHANTOM_INERTIA, THUD_SOLVER_AUTO),
                             law_options(THUD_LAW_PHANTOM_INERTIA, THUD_SOLVER_AUTO),
                             law_options(THUD_LAW_ANITESCU_POTRA, THUD_SOLVER_AUTO),
                             law_options(THUD_LAW_HYBRID, THUD_SOLVER_AUTO)};
    const char *name[] = {"cone", "phantom-inertia", "phantom-inertia, nothing across",
                          "anitescu-potra, 4 directions, aligned", "hybrid"};
    o[2].lateral = false;
    o[3].aligned = true;
    o[3].directions = 4;
    for (int k = 0; k < 5; k++) {
        CHECK_BELOW(told(name[k], &o[k], 0.01), k < 4 ? 0.028 : 0.035);    // acceptance.md: 0.025 to 0.028
        CHECK_BELOW(told(name[k], &o[k], 0.001), k < 4 ? 0.0028 : 0.0035); // 0.0025 to 0.0028
    }
    const stop q = slide(&o[0], 0.001);
    CHECK_BELOW(q.tip, 1e-7);
    CHECK_NEAR(q.yaw, 1.9535, 0.004);
    CHECK_NEAR(q.t, 0.661, 0.002);
}

TEST(four_directions_fixed_in_the_world_are_a_third_of_a_metre_off)
{
    thud_law_options o = law_options(THUD_LAW_ANITESCU_POTRA, THUD_SOLVER_AUTO);
    o.directions = 4;
    CHECK_NEAR(told("anitescu-potra, 4 directions", &o, 0.001), 0.365, 0.01);
    o.directions = 8;
    CHECK_BELOW(told("anitescu-potra, 8 directions", &o, 0.001), 0.05);
    o.directions = 32;
    CHECK_BELOW(told("anitescu-potra, 32 directions", &o, 0.001), 0.01);
    o.law = THUD_LAW_BOX;
    CHECK_NEAR(told("box", &o, 0.001), 0.31, 0.02);
    CHECK(slide(&o, 0.001).tip >
          0.01); // a corner of the square holds sqrt 2 times mu, enough to tip the cube
}

TEST_MAIN(T(an_island_without_W_is_no_problem_yet),
          T(the_pyramid_is_rank_deficient_and_phantom_inertia_is_not),
          T(murty_and_judice_pires_fail_on_the_pyramid_and_work_with_phantom_inertia),
          T(block_pivoting_has_trouble_with_more_than_two_axes_and_lemke_has_none),
          T(a_phantom_inertia_of_1e_8_loses_the_rank_and_none_changes_the_motion),
          T(the_cube_stops_where_it_should_to_first_order),
          T(four_directions_fixed_in_the_world_are_a_third_of_a_metre_off))
