// SPDX-License-Identifier: Apache-2.0
// One kind of problem as the other: what has no friction, or friction in the plane, loses nothing; and any
// problem goes through either kind of file.
#include "check_lcp.h"

#include <unistd.h>

#include <thud/problem_convert.h>
#include <thud/problem_fclib.h>
#include <thud/problem_random.h>

enum { ROWS = 12 };

typedef struct mixed {
    double M[ROWS * ROWS], q[ROWS], lo[ROWS], hi[ROWS];
    thud_lcp lcp;
} mixed;

// Positive definite, with rows of every kind of bound.
static void make_mixed(uint64_t seed, mixed *m)
{
    thud_lcp_problem *p;
    CHECK_OK(thud_random_lcp((thud_random_class){THUD_RANDOM_POSITIVE_DEFINITE, ROWS, 0}, seed, &p));
    memcpy(m->M, p->M, sizeof m->M);
    memcpy(m->q, p->q, sizeof m->q);
    for (int i = 0; i < ROWS; i++) {
        m->lo[i] = i % 4 == 1 ? -INFINITY : i % 4 == 2 ? -0.1 : 0;
        m->hi[i] = i % 4 == 2 ? 0.3 : i % 4 == 3 ? 0.05 : INFINITY;
    }
    m->lcp = (thud_lcp){ROWS, {ROWS, ROWS, ROWS, m->M}, m->q, m->lo, m->hi, NULL};
    thud_lcp_problem_destroy(p);
}

static void solve_cone(const thud_cone *c, double *p)
{
    thud_arena *arena;
    const thud_cone_options o = thud_cone_defaults();
    CHECK_OK(thud_arena_create(thud_cone_scratch(c), &arena));
    memset(p, 0, sizeof *p * (size_t)c->rows);
    CHECK_INT(thud_cone_solve(c, &o, arena, p).outcome, THUD_CONE_SOLVED);
    thud_arena_destroy(arena);
}

TEST(a_mixed_boxed_problem_has_the_same_answer_in_both_rooms)
{
    (void)test_state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        mixed m;
        thud_cone_block block[ROWS];
        double p[ROWS], z[ROWS];
        make_mixed(seed, &m);
        const thud_cone c = thud_lcp_as_cone(&m.lcp, block);
        CHECK_OK(thud_cone_check(&c, NULL));
        const thud_lcp_options o = thud_lcp_defaults(THUD_LCP_LEMKE);
        CHECK_INT(check_lcp_method(&m.lcp, &o, z).outcome, THUD_LCP_SOLVED);
        solve_cone(&c, p);
        thud_lcp_problem *back;
        CHECK_OK(thud_cone_pyramid(&c, 4, &back, NULL));
        CHECK_INT(back->lcp.n, ROWS);
        for (int i = 0; i < ROWS; i++) {
            CHECK_NEAR(p[i], z[i], 1e-6); // residual 1e-8, |M^-1| below 10
            CHECK(back->q[i] == m.q[i] && back->lo[i] == m.lo[i] && back->hi[i] == m.hi[i]);
        }
        CHECK(memcmp(back->M, m.M, sizeof m.M) == 0);
        thud_lcp_problem_destroy(back);
    }
}

// The impulses of the cone problem that the pyramid's z stands for, when all contacts are of the plane.
static void impulses_in_the_plane(const thud_cone *c, const double *z, double *p)
{
    for (int i = 0; i < c->blocks; i++) {
        p[2 * i] = z[i];
        p[2 * i + 1] = z[c->blocks + 2 * i] - z[c->blocks + 2 * i + 1];
    }
}

TEST(friction_in_the_plane_is_a_linear_problem_exactly)
{
    (void)test_state;
    enum { CONTACTS = ROWS / 2 };
    for (uint64_t seed = 0; seed < 50; seed++) {
        mixed m;
        make_mixed(seed, &m);
        thud_cone_block block[CONTACTS];
        for (int i = 0; i < CONTACTS; i++) {
            block[i] = (thud_cone_block){
                .kind = THUD_CONE_KIND_CONTACT, .row = 2 * i, .dim = 2, .mu = {0.1 + 0.15 * i}};
        }
        const double epsilon[ROWS] = {0.1, 0.2};
        const thud_cone c = {
            .rows = ROWS, .blocks = CONTACTS, .block = block, .W = m.lcp.M, .b = m.q, .epsilon = epsilon};
        thud_lcp_problem *pyramid;
        CHECK_OK(thud_cone_pyramid(&c, 4, &pyramid, NULL));
        CHECK_INT(pyramid->lcp.n, 4 * CONTACTS);
        double z[4 * CONTACTS], p[ROWS], judge[2 * ROWS + 6];
        const thud_lcp_options o = thud_lcp_defaults(THUD_LCP_LEMKE);
        CHECK_INT(check_lcp_method(&pyramid->lcp, &o, z).outcome, THUD_LCP_SOLVED);
        impulses_in_the_plane(&c, z, p);
        CHECK_BELOW(thud_cone_residual(&c, p, judge), 1e-8);
        thud_lcp_problem_destroy(pyramid);
    }
}

// A block that slides along an axis of its pyramid, with other friction across and in torsion: mu m g h.
TEST(a_block_sliding_along_an_edge_feels_the_friction_of_its_axis)
{
    (void)test_state;
    double W[16] = {0}, z[8];
    const double mu[2] = {0.3, 0.6};
    for (int i = 0; i < 4; i++) {
        W[5 * i] = 0.5;
    }
    for (int axis = 0; axis < 2; axis++) {
        const double b[4] = {-0.0981, axis == 0 ? 2 : 0, axis == 1 ? 2 : 0, 0};
        const thud_cone_block block = {.kind = THUD_CONE_KIND_CONTACT, .dim = 4, .mu = {mu[0], mu[1], 0.01}};
        const thud_cone c = {.rows = 4, .blocks = 1, .block = &block, .W = {4, 4, 4, W}, .b = b};
        thud_lcp_problem *pyramid;
        CHECK_OK(thud_cone_pyramid(&c, 4, &pyramid, NULL));
        CHECK_INT(pyramid->lcp.n, 1 + 6 + 1); // p_n; +x +y -x -y, torsion to and fro; lambda
        const thud_lcp_options o = thud_lcp_defaults(THUD_LCP_LEMKE);
        CHECK_INT(check_lcp_method(&pyramid->lcp, &o, z).outcome, THUD_LCP_SOLVED);
        const double beta = z[3 + axis] * mu[axis] / mu[1]; // the direction against the motion
        CHECK_NEAR(z[0], 2 * 0.0981, 1e-14);
        CHECK_NEAR(beta, mu[axis] * z[0], 1e-14);
        thud_lcp_problem_destroy(pyramid);
    }
}

TEST(a_linear_problem_goes_through_a_file_of_contacts_and_comes_back)
{
    (void)test_state;
    char path[] = "/tmp/thud-convert-XXXXXX";
    const int handle = mkstemp(path);
    CHECK(handle >= 0);
    close(handle);
    mixed m;
    thud_cone_block block[ROWS];
    make_mixed(3, &m);
    const thud_cone c = thud_lcp_as_cone(&m.lcp, block);
    CHECK_OK(thud_fclib_write(&c, NULL, path, NULL));
    thud_cone_problem *read;
    thud_lcp_problem *back;
    CHECK_OK(thud_fclib_read(path, &read, NULL));
    CHECK_OK(thud_cone_pyramid(&read->cone, 4, &back, NULL));
    CHECK_INT(back->lcp.n, ROWS);
    CHECK(memcmp(back->M, m.M, sizeof m.M) == 0 && memcmp(back->q, m.q, sizeof m.q) == 0);
    CHECK(memcmp(back->lo, m.lo, sizeof m.lo) == 0 && memcmp(back->hi, m.hi, sizeof m.hi) == 0);
    thud_lcp_problem_destroy(back);
    thud_cone_problem_destroy(read);
    remove(path);
}

TEST(a_pyramid_of_three_sides_and_blocks_that_do_not_fit_are_refused)
{
    (void)test_state;
    mixed m;
    thud_cone_block block[ROWS];
    thud_lcp_problem *none;
    thud_diag diag;
    make_mixed(0, &m);
    thud_cone c = thud_lcp_as_cone(&m.lcp, block);
    CHECK_INT(thud_cone_pyramid(&c, 3, &none, &diag), THUD_BAD_ARGUMENT);
    CHECK(none == NULL);
    CHECK_TEXT(diag.text, "a pyramid of 3 sides");
    c.blocks--;
    CHECK_INT(thud_cone_pyramid(&c, 4, &none, &diag), THUD_BAD_ARGUMENT);
}

TEST_MAIN(T(a_mixed_boxed_problem_has_the_same_answer_in_both_rooms),
          T(friction_in_the_plane_is_a_linear_problem_exactly),
          T(a_block_sliding_along_an_edge_feels_the_friction_of_its_axis),
          T(a_linear_problem_goes_through_a_file_of_contacts_and_comes_back),
          T(a_pyramid_of_three_sides_and_blocks_that_do_not_fit_are_refused))
