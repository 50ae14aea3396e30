// SPDX-License-Identifier: Apache-2.0
// Every method over one corpus of hand-made problems: what each must solve, what it must refuse, and how.
#include "check_lcp.h"

enum { MOST = 16 };

// Which methods are for a problem by its nature; the others may solve it or say why not, never claim it.
enum {
    P_MATRIX = 1,  // every principal minor positive: Lemke, Murty, Judice-Pires
    SYMMETRIC = 2, // and semidefinite: Dantzig
    DIAGONAL = 4,  // M symmetric positive definite: PGS
    ANY = 8,       // solvable, and Lemke must
    NONE = 16,     // without a solution
};

typedef struct item {
    const char *name;
    int n, class_;
    double M[MOST * MOST]; // by rows, as one reads it
    double q[MOST];
    double lo[MOST], hi[MOST]; // read when bounded
    bool bounded;
} item;

#define INF INFINITY
static const item corpus[] = {
    {.name = "nothing at all", .n = 0, .class_ = P_MATRIX | SYMMETRIC | DIAGONAL | ANY},
    {.name = "one row", .n = 1, .class_ = P_MATRIX | SYMMETRIC | DIAGONAL | ANY, .M = {2}, .q = {-1}},
    {.name = "one row, nothing to do",
     .n = 1,
     .class_ = P_MATRIX | SYMMETRIC | DIAGONAL | ANY,
     .M = {2},
     .q = {1}},
    {.name = "one row of zero, q >= 0", .n = 1, .class_ = ANY | SYMMETRIC, .M = {0}, .q = {1}},
    {.name = "one row of zero, q < 0", .n = 1, .class_ = NONE, .M = {0}, .q = {-1}},
    {.name = "one row, upper bound",
     .n = 1,
     .class_ = P_MATRIX | SYMMETRIC | DIAGONAL | ANY,
     .M = {1},
     .q = {-5},
     .lo = {0},
     .hi = {2},
     .bounded = true},
    {.name = "one free row",
     .n = 1,
     .class_ = P_MATRIX | SYMMETRIC | DIAGONAL | ANY,
     .M = {4},
     .q = {2},
     .lo = {-INF},
     .hi = {INF},
     .bounded = true},
    {.name = "one row, only an upper bound",
     .n = 1,
     .class_ = P_MATRIX | SYMMETRIC | DIAGONAL | ANY,
     .M = {4},
     .q = {-2},
     .lo = {-INF},
     .hi = {0.25},
     .bounded = true},
    {.name = "one fixed row",
     .n = 1,
     .class_ = P_MATRIX | SYMMETRIC | DIAGONAL | ANY,
     .M = {4},
     .q = {2},
     .lo = {3},
     .hi = {3},
     .bounded = true},
    {.name = "a zero matrix, q >= 0", .n = 3, .class_ = ANY | SYMMETRIC, .M = {0}, .q = {1, 0, 2}},
    {.name = "a zero matrix, q < 0", .n = 3, .class_ = NONE, .M = {0}, .q = {1, -1, 2}},
    {.name = "q = 0",
     .n = 2,
     .class_ = P_MATRIX | SYMMETRIC | DIAGONAL | ANY,
     .M = {2, 1, 1, 2},
     .q = {0, 0}},
    {.name = "minus the identity, q < 0", .n = 2, .class_ = NONE, .M = {-1, 0, 0, -1}, .q = {-1, -1}},
    {.name = "feasible but without a solution", .n = 2, .class_ = NONE, .M = {0, 1, 0, 0}, .q = {-1, 1}},
    {.name = "textbook, three rows",
     .n = 3,
     .class_ = P_MATRIX | ANY,
     .M = {1, 0, 2, 3, 2, -1, -2, 1, 2},
     .q = {2, 3, -1}},
    // Kostreva 1979: a circulant P-matrix on which principal pivoting by most negative element cycles
    {.name = "a cycle for Bard's rule",
     .n = 3,
     .class_ = P_MATRIX | ANY,
     .M = {1, 2, 0, 0, 1, 2, 2, 0, 1},
     .q = {-1, -1, -1}},
    // a P-matrix on which blocks of pivots go round for ever without Murty's rule to end it
    {.name = "a cycle for blocks",
     .n = 4,
     .class_ = P_MATRIX | ANY,
     .M = {3, 2, 3, -3, 1, 1, 1, -1, -2, 1, 2, 2, 3, 1, -1, 1},
     .q = {0, 2, -2, -4}},
    // Murty 1978 and Fathi 1979: the number of pivots is exponential in n for Lemke and for Murty
    {.name = "Murty's exponential P-matrix",
     .n = 5,
     .class_ = P_MATRIX | ANY,
     .M = {1, 0, 0, 0, 0, 2, 1, 0, 0, 0, 2, 2, 1, 0, 0, 2, 2, 2, 1, 0, 2, 2, 2, 2, 1},
     .q = {-1, -1, -1, -1, -1}},
    {.name = "Fathi's exponential symmetric matrix",
     .n = 4,
     .class_ = P_MATRIX | SYMMETRIC | DIAGONAL | ANY,
     .M = {1, 2, 2, 2, 2, 5, 6, 6, 2, 6, 9, 10, 2, 6, 10, 13},
     .q = {-1, -1, -1, -1}},
    {.name = "a positive semidefinite rank-one matrix",
     .n = 3,
     .class_ = SYMMETRIC | ANY,
     .M = {1, 2, 3, 2, 4, 6, 3, 6, 9},
     .q = {-1, -2, -3}},
    // a unit cube of 1 kg at rest on four corners: W_nn has rank 3 and every corner is as good as the other
    {.name = "four corners of a cube",
     .n = 4,
     .class_ = SYMMETRIC | ANY,
     .M = {4, 1, 1, -2, 1, 4, -2, 1, 1, -2, 4, 1, -2, 1, 1, 4},
     .q = {-0.0981, -0.0981, -0.0981, -0.0981}},
    {.name = "the same contact three times",
     .n = 3,
     .class_ = SYMMETRIC | ANY,
     .M = {1, 1, 1, 1, 1, 1, 1, 1, 1},
     .q = {-1, -1, -1}},
    // a matrix game: skew, and its solution is not unique
    {.name = "skew-symmetric", .n = 3, .class_ = ANY, .M = {0, 1, -1, -1, 0, 1, 1, -1, 0}, .q = {0, -0.0, 0}},
    {.name = "a linear programme and its dual",
     .n = 3,
     .class_ = ANY,
     .M = {0, 0, 1, 0, 0, 1, -1, -1, 0},
     .q = {-1, -2, 3}},
    {.name = "friction in a box",
     .n = 2,
     .class_ = P_MATRIX | SYMMETRIC | DIAGONAL | ANY,
     .M = {2, 0.5, 0.5, 1},
     .q = {-1, 3},
     .lo = {0, -0.5},
     .hi = {INF, 0.5},
     .bounded = true},
    {.name = "a bilateral row beside a contact",
     .n = 2,
     .class_ = P_MATRIX | SYMMETRIC | DIAGONAL | ANY,
     .M = {2, 0.5, 0.5, 1},
     .q = {-1, 3},
     .lo = {0, -INF},
     .hi = {INF, INF},
     .bounded = true},
    {.name = "the same bilateral row twice",
     .n = 3,
     .class_ = ANY,
     .M = {2, 0.5, 0.5, 0.5, 1, 1, 0.5, 1, 1},
     .q = {-1, 3, 3},
     .lo = {0, -INF, -INF},
     .hi = {INF, INF, INF},
     .bounded = true},
    {.name = "a free row that only the other row can move",
     .n = 2,
     .class_ = ANY,
     .M = {1, 1, -1, 0},
     .q = {-3, 2},
     .lo = {0, -INF},
     .hi = {INF, INF},
     .bounded = true},
    {.name = "bounds that leave zero outside",
     .n = 3,
     .class_ = P_MATRIX | SYMMETRIC | DIAGONAL | ANY,
     .M = {3, 1, 0, 1, 3, 1, 0, 1, 3},
     .q = {-1, 2, -10},
     .lo = {1, -4, 2},
     .hi = {2, -3, 2.5},
     .bounded = true},
    {"a fixed row among others",
     3,
     P_MATRIX | SYMMETRIC | DIAGONAL | ANY,
     {3, 1, 0, 1, 3, 1, 0, 1, 3},
     {-1, -2, -1},
     {0, 1, 0},
     {INF, 1, INF},
     true},
    {"all kinds of rows",
     5,
     P_MATRIX | SYMMETRIC | DIAGONAL | ANY,
     {4, 1, 0, 0, 1, 1, 4, 1, 0, 0, 0, 1, 4, 1, 0, 0, 0, 1, 4, 1, 1, 0, 0, 1, 4},
     {-3, 8, -2, -9, 1},
     {0, -1, -INF, -INF, -2},
     {INF, 1, INF, 1, 2},
     true},
    {.name = "masses of 1 and 1e6",
     .n = 2,
     .class_ = P_MATRIX | SYMMETRIC | DIAGONAL | ANY,
     .M = {1, 1e-7, 1e-7, 1e-6},
     .q = {-1, -1}},
};
enum { ITEMS = sizeof corpus / sizeof corpus[0] };

static thud_lcp problem_of(const item *it, double *M)
{
    for (int i = 0; i < it->n; i++) {
        for (int j = 0; j < it->n; j++) {
            M[i + j * it->n] = it->M[i * it->n + j];
        }
    }
    return (thud_lcp){
        it->n, {it->n, it->n, it->n, M}, it->q, it->bounded ? it->lo : NULL, it->bounded ? it->hi : NULL,
        NULL};
}

static bool must_solve(thud_lcp_method method, int class_)
{
    static const int needs[THUD_LCP_METHODS] = {ANY, P_MATRIX, P_MATRIX, SYMMETRIC, DIAGONAL};
    return (class_ & needs[method]) != 0;
}

TEST(every_method_solves_its_class_and_claims_nothing_else)
{
    (void)test_state;
    for (int method = 0; method < THUD_LCP_METHODS; method++) {
        for (int i = 0; i < ITEMS; i++) {
            double M[MOST * MOST], z[MOST];
            const thud_lcp p = problem_of(&corpus[i], M);
            const thud_lcp_options o = thud_lcp_defaults((thud_lcp_method)method);
            const thud_lcp_report r = check_lcp_method(&p, &o, z);
            const double second = second_judge(&p, z);
            const bool solved = r.outcome == THUD_LCP_SOLVED;
            if (must_solve(o.method, corpus[i].class_) && !solved) {
                fail_msg("%s did not solve '%s': %s, residual %g", thud_lcp_method_name(o.method),
                         corpus[i].name, thud_lcp_outcome_name(r.outcome), r.relative);
            }
            if (solved && !(second <= 1e-7)) { // the tolerance is 1e-8; rho may be 10 in this corpus
                fail_msg("%s claims '%s', second judge %g", thud_lcp_method_name(o.method), corpus[i].name,
                         second);
            }
            if (solved && corpus[i].class_ == NONE) {
                fail_msg("%s solved '%s', which has no solution", thud_lcp_method_name(o.method),
                         corpus[i].name);
            }
        }
    }
}

TEST(a_row_that_no_impulse_can_mend_is_called_infeasible_by_every_method)
{
    (void)test_state;
    const double q[] = {1, -1, 2};
    double M[9] = {0}, z[3];
    const thud_lcp p = {.n = 3, .M = {3, 3, 3, M}, .q = q};
    for (int method = 0; method < THUD_LCP_METHODS; method++) {
        const thud_lcp_options o = thud_lcp_defaults((thud_lcp_method)method);
        const thud_lcp_outcome outcome = check_lcp_method(&p, &o, z).outcome;
        CHECK_INT(outcome, method == THUD_LCP_PGS ? THUD_LCP_UNSUITED : THUD_LCP_INFEASIBLE);
    }
}

// The rows of the table in docs/solvers.md that are one problem each.
TEST(what_a_method_cannot_solve_has_the_outcome_that_the_docs_say)
{
    (void)test_state;
    static const struct {
        item problem;
        thud_lcp_outcome outcome[THUD_LCP_METHODS]; // lemke, murty, judice-pires, dantzig, pgs
    } table[] = {
        {{.name = "feasible, no solution", .n = 2, .M = {0, 1, 0, 0}, .q = {-1, 1}},
         {THUD_LCP_RAY, THUD_LCP_SINGULAR, THUD_LCP_SINGULAR, THUD_LCP_UNSUITED, THUD_LCP_UNSUITED}},
        {{.name = "linear programme", .n = 3, .M = {0, 0, 1, 0, 0, 1, -1, -1, 0}, .q = {-1, -2, 3}},
         {THUD_LCP_SOLVED, THUD_LCP_SINGULAR, THUD_LCP_SINGULAR, THUD_LCP_UNSUITED, THUD_LCP_UNSUITED}},
        {{.name = "a joint twice",
          .n = 3,
          .M = {2, 0.5, 0.5, 0.5, 1, 1, 0.5, 1, 1},
          .q = {-1, 3, 3},
          .lo = {0, -INF, -INF},
          .hi = {INF, INF, INF},
          .bounded = true},
         {THUD_LCP_SOLVED, THUD_LCP_SOLVED, THUD_LCP_SINGULAR, THUD_LCP_SOLVED, THUD_LCP_SOLVED}},
        {{.name = "joints that contradict",
          .n = 3,
          .M = {2, 0.5, 0.5, 0.5, 1, 1, 0.5, 1, 1},
          .q = {-1, 3, 4},
          .lo = {0, -INF, -INF},
          .hi = {INF, INF, INF},
          .bounded = true},
         {THUD_LCP_INACCURATE, THUD_LCP_INACCURATE, THUD_LCP_SINGULAR, THUD_LCP_RAY, THUD_LCP_LIMIT}},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        double M[MOST * MOST], z[MOST];
        const thud_lcp p = problem_of(&table[i].problem, M);
        for (int method = 0; method < THUD_LCP_METHODS; method++) {
            const thud_lcp_options o = thud_lcp_defaults((thud_lcp_method)method);
            memset(z, 0, sizeof z);
            CHECK_INT(check_lcp_method(&p, &o, z).outcome, table[i].outcome[method]);
        }
    }
}

// Kostreva 1979: all three rows tie at the first pivot, and Lemke's method cycles for ever if the first of
// them is always taken, or on the transposed matrix the last. One try, so that no other hides it.
TEST(ties_do_not_make_lemke_cycle_whichever_row_comes_first)
{
    (void)test_state;
    double M[2][9] = {{1, 0, 2, 2, 1, 0, 0, 2, 1}, {1, 2, 0, 0, 1, 2, 2, 0, 1}}, z[3];
    const double q[3] = {-1, -1, -1};
    for (int k = 0; k < 2; k++) {
        const thud_lcp p = {.n = 3, .M = {3, 3, 3, M[k]}, .q = q};
        thud_lcp_options o = thud_lcp_defaults(THUD_LCP_LEMKE);
        o.attempts = 1;
        CHECK_INT(check_lcp_method(&p, &o, z).outcome, THUD_LCP_SOLVED);
        CHECK_NEAR(z[0], 1. / 3, 1e-15);
    }
}

TEST(a_tiny_matrix_gives_the_large_answer_or_a_failure)
{
    (void)test_state;
    double M = 1e-20, tiny = 5e-324, z;
    const double q = -1;
    const thud_lcp p = {.n = 1, .M = {1, 1, 1, &M}, .q = &q},
                   hopeless = {.n = 1, .M = {1, 1, 1, &tiny}, .q = &q};
    for (int method = 0; method < THUD_LCP_METHODS; method++) {
        const thud_lcp_options o = thud_lcp_defaults((thud_lcp_method)method);
        if (check_lcp_method(&p, &o, &z).outcome == THUD_LCP_SOLVED) {
            CHECK_NEAR(z, 1e20, 1e12);
        }
        CHECK(check_lcp_method(&hopeless, &o, &z).outcome != THUD_LCP_SOLVED); // z = 2e323 is no double
    }
}

TEST(numbers_that_are_none_and_bounds_that_cross_have_their_own_outcomes)
{
    (void)test_state;
    const double bad[] = {NAN, INFINITY, -INFINITY};
    thud_arena *scratch;
    CHECK_OK(thud_arena_create(1 << 16, &scratch));
    for (int method = 0; method < THUD_LCP_METHODS; method++) {
        const thud_lcp_options o = thud_lcp_defaults((thud_lcp_method)method);
        double z[2];
        for (int k = 0; k < 3; k++) {
            double M[] = {2, bad[k], 1, 2};
            const double q[] = {-1, -1}, poisoned[] = {-1, bad[k]};
            const thud_lcp in_M = {.n = 2, .M = {2, 2, 2, M}, .q = q};
            CHECK_INT(thud_lcp_solve(&in_M, &o, scratch, z).outcome, THUD_LCP_NOT_FINITE);
            CHECK(z[0] == 0 && z[1] == 0);
            M[1] = 1;
            const thud_lcp in_q = {.n = 2, .M = {2, 2, 2, M}, .q = poisoned};
            CHECK_INT(thud_lcp_solve(&in_q, &o, scratch, z).outcome, THUD_LCP_NOT_FINITE);
        }
        double M[] = {2, 1, 1, 2};
        const double q[] = {-1, -1}, one[] = {1, 1}, zero[] = {0, 0}, none[] = {NAN, 0},
                     inf[] = {INFINITY, INFINITY};
        const thud_lcp crossed = {2, {2, 2, 2, M}, q, one, zero, NULL},
                       nan = {2, {2, 2, 2, M}, q, none, one, NULL},
                       high = {2, {2, 2, 2, M}, q, inf, inf, NULL};
        CHECK_INT(thud_lcp_solve(&crossed, &o, scratch, z).outcome, THUD_LCP_BAD_BOUNDS);
        CHECK_INT(thud_lcp_solve(&nan, &o, scratch, z).outcome, THUD_LCP_NOT_FINITE);
        CHECK_INT(thud_lcp_solve(&high, &o, scratch, z).outcome, THUD_LCP_BAD_BOUNDS);
    }
    thud_arena_destroy(scratch);
}

// M = A A^T + I / 10, bounds of every kind, q normal: a P-matrix, symmetric.
static thud_lcp random_boxed(test_rng *r, int n, double *M, double *q, double *lo, double *hi)
{
    double A[64 * 64];
    for (int i = 0; i < n * n; i++) {
        A[i] = test_normal(r);
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            M[i + j * n] = i == j ? 0.1 : 0;
            for (int k = 0; k < n; k++) {
                M[i + j * n] += A[i + k * n] * A[j + k * n] / n;
            }
        }
        q[i] = test_normal(r);
        const int kind = test_below(r, 6);
        const double a = test_normal(r), b = test_normal(r);
        lo[i] = kind == 0 || kind == 1 ? -INF : kind == 2 ? a : kind == 3 ? fmin(a, b) : 0;
        hi[i] = kind == 0 ? INF : kind == 1 ? a : kind == 2 ? a : kind == 3 ? fmax(a, b) : INF;
    }
    return (thud_lcp){n, {n, n, n, M}, q, lo, hi, NULL};
}

TEST(all_methods_agree_on_random_problems_with_every_kind_of_bound)
{
    (void)test_state;
    test_rng r = {7};
    for (int round = 0; round < 200; round++) {
        const int n = 1 + test_below(&r, 40);
        double M[64 * 64], q[64], lo[64], hi[64], z[THUD_LCP_METHODS][64];
        const thud_lcp p = random_boxed(&r, n, M, q, lo, hi);
        for (int method = 0; method < THUD_LCP_METHODS; method++) {
            const thud_lcp_options o = thud_lcp_defaults((thud_lcp_method)method);
            const thud_lcp_report report = check_lcp_method(&p, &o, z[method]);
            if (report.outcome != THUD_LCP_SOLVED) {
                fail_msg("%s, round %d, n %d: %s", thud_lcp_method_name(o.method), round, n,
                         thud_lcp_outcome_name(report.outcome));
            }
            // direct methods: 1000 times the 1e-15 measured; PGS: its tolerance, times a condition below 100
            CHECK_BELOW(second_judge(&p, z[method]), method == THUD_LCP_PGS ? 1e-6 : 1e-12);
            for (int i = 0; i < n; i++) {
                CHECK_NEAR(z[method][i], z[0][i], method == THUD_LCP_PGS ? 1e-5 : 1e-10);
            }
        }
    }
}

TEST(the_answer_does_not_move_when_the_units_of_M_or_q_change)
{
    (void)test_state;
    test_rng r = {11};
    double M[64 * 64], q[64], lo[64], hi[64], z[64], scaled[64];
    for (int round = 0; round < 20; round++) {
        thud_lcp p = random_boxed(&r, 20, M, q, lo, hi);
        p.lo = p.hi = NULL;
        const thud_lcp_options o = thud_lcp_defaults(THUD_LCP_LEMKE);
        CHECK_INT(check_lcp_method(&p, &o, z).outcome, THUD_LCP_SOLVED);
        for (int i = 0; i < 400; i++) {
            M[i] *= 1e-9;
        }
        for (int i = 0; i < 20; i++) {
            q[i] *= 1e12;
        }
        const thud_lcp_report report = check_lcp_method(&p, &o, scaled);
        CHECK_INT(report.outcome, THUD_LCP_SOLVED);
        for (int i = 0; i < 20; i++) {
            CHECK_NEAR(scaled[i] * 1e-21, z[i], 1e-12 * (1 + fabs(z[i])));
        }
    }
}

TEST(a_q_negative_by_its_own_rounding_is_solved_at_rest)
{
    (void)test_state;
    double M[] = {2, 1, 1, 2}, z[2];
    const double q[] = {-3e-16, 1e-17}, size[] = {1, 1}, small[] = {1e-16, 1e-16};
    thud_lcp p = {2, {2, 2, 2, M}, q, NULL, NULL, size};
    for (int method = 0; method < THUD_LCP_METHODS; method++) {
        const thud_lcp_options o = thud_lcp_defaults((thud_lcp_method)method);
        p.q_size = size;
        const thud_lcp_report r = check_lcp_method(&p, &o, z);
        CHECK_INT(r.outcome, THUD_LCP_SOLVED);
        CHECK_BELOW(z[0], 1e-15);
        p.q_size = small; // the same q, assembled from numbers of its own size, is a real task
        CHECK_INT(check_lcp_method(&p, &o, z).outcome, THUD_LCP_SOLVED);
        CHECK_NEAR(z[0], 1.5e-16, 1e-22);
    }
    p.q_size = size;
    const thud_lcp_options o = thud_lcp_defaults(THUD_LCP_LEMKE);
    CHECK_INT(check_lcp_method(&p, &o, z).pivots, 0);
    CHECK(z[0] == 0 && z[1] == 0);
}

TEST(an_arena_that_is_too_small_is_said_and_nothing_else_happens)
{
    (void)test_state;
    double M[64 * 64], q[64], lo[64], hi[64], z[64];
    test_rng r = {3};
    const thud_lcp p = random_boxed(&r, 30, M, q, lo, hi);
    for (int method = 0; method < THUD_LCP_METHODS; method++) {
        const thud_lcp_options o = thud_lcp_defaults((thud_lcp_method)method);
        const size_t enough = thud_lcp_scratch_bytes(p.n, boxed_rows(&p), o.method);
        bool solved = false;
        for (size_t bytes = 0; bytes <= enough; bytes += 256) {
            thud_arena *scratch;
            CHECK_OK(thud_arena_create(bytes, &scratch));
            const thud_lcp_outcome outcome = thud_lcp_solve(&p, &o, scratch, z).outcome;
            CHECK(outcome == THUD_LCP_SOLVED || (outcome == THUD_LCP_NO_SCRATCH && !solved));
            CHECK(within_bounds(&p, z));
            CHECK_INT(thud_arena_mark(scratch), 0);
            solved = outcome == THUD_LCP_SOLVED;
            thud_arena_destroy(scratch);
        }
        CHECK(solved);
    }
}

TEST(a_warm_start_takes_fewer_pivots_and_gives_the_same_answer)
{
    (void)test_state;
    test_rng r = {23};
    for (int method = 0; method < THUD_LCP_METHODS; method++) {
        int cold = 0, again = 0, near = 0;
        for (int round = 0; round < 20; round++) {
            double M[64 * 64], q[64], lo[64], hi[64], z[64], fresh[64];
            unsigned char basis[64];
            const thud_lcp p = random_boxed(&r, 40, M, q, lo, hi);
            thud_lcp_options o = thud_lcp_defaults((thud_lcp_method)method);
            o.basis = basis;
            cold += check_lcp_method(&p, &o, z).pivots;
            o.warm = true;
            const thud_lcp_report same = check_lcp_method(&p, &o, z);
            CHECK_INT(same.outcome, THUD_LCP_SOLVED);
            again += same.pivots;
            for (int i = 0; i < p.n; i++) {
                q[i] += 1e-3 * test_normal(&r);
            }
            const thud_lcp_report moved = check_lcp_method(&p, &o, z);
            CHECK_INT(moved.outcome, THUD_LCP_SOLVED);
            near += moved.pivots;
            const thud_lcp_options lemke = thud_lcp_defaults(THUD_LCP_LEMKE);
            check_lcp_method(&p, &lemke, fresh);
            for (int i = 0; i < p.n; i++) {
                CHECK_NEAR(z[i], fresh[i], method == THUD_LCP_PGS ? 1e-5 : 1e-10);
            }
        }
        CHECK(cold > 0);
        CHECK(method == THUD_LCP_PGS ? again <= 20 * 2 : again == 0);
        CHECK(near < cold / 2 + (method == THUD_LCP_PGS ? cold / 2 : 0));
    }
}

TEST(a_warm_basis_that_is_no_basis_is_survived)
{
    (void)test_state;
    double M[] = {1, 1, 1, 1}, z[2];
    const double q[] = {-1, -1};
    unsigned char basis[] = {THUD_LCP_BETWEEN, THUD_LCP_BETWEEN}; // singular
    const thud_lcp p = {.n = 2, .M = {2, 2, 2, M}, .q = q};
    for (int method = 0; method < THUD_LCP_METHODS; method++) {
        thud_lcp_options o = thud_lcp_defaults((thud_lcp_method)method);
        o.basis = basis;
        o.warm = true;
        basis[0] = basis[1] = THUD_LCP_BETWEEN;
        z[0] = NAN;
        z[1] = 1e300;
        const thud_lcp_outcome outcome = check_lcp_method(&p, &o, z).outcome;
        CHECK(outcome == THUD_LCP_SOLVED || method == THUD_LCP_JUDICE_PIRES || method == THUD_LCP_PGS);
    }
}

TEST(the_judge_sees_what_is_wrong_with_an_answer)
{
    (void)test_state;
    double M[] = {2, 0, 0, 2};
    const double q[] = {-1, 1}, right[] = {0.5, 0}, negative[] = {0.5, -0.1}, lazy[] = {0, 0},
                 busy[] = {0.5, 0.1};
    const double nan[] = {NAN, 0};
    const thud_lcp p = {.n = 2, .M = {2, 2, 2, M}, .q = q};
    CHECK(thud_lcp_residual(&p, right) == 0 && thud_lcp_relative(&p, right) == 0);
    CHECK_NEAR(thud_lcp_residual(&p, negative), 0.1, 1e-15);
    CHECK_NEAR(thud_lcp_residual(&p, lazy), 1, 0);
    CHECK_NEAR(thud_lcp_residual(&p, busy), 0.1, 1e-15);
    CHECK_NEAR(thud_lcp_relative(&p, busy), 0.2, 1e-15); // z = 0.1 is a w of 0.2
    CHECK(isnan(thud_lcp_residual(&p, nan)) && isnan(thud_lcp_relative(&p, nan)));
}

TEST(every_method_and_outcome_has_a_name_and_is_found_by_it)
{
    (void)test_state;
    for (int i = 0; i < THUD_LCP_METHODS; i++) {
        thud_lcp_method found = THUD_LCP_METHODS;
        CHECK(thud_lcp_method_find(thud_lcp_method_name((thud_lcp_method)i), &found) && (int)found == i);
    }
    thud_lcp_method found = THUD_LCP_PGS;
    CHECK(!thud_lcp_method_find("simplex", &found) && found == THUD_LCP_PGS);
    for (int i = 0; i < THUD_LCP_OUTCOMES; i++) {
        CHECK(strlen(thud_lcp_outcome_name((thud_lcp_outcome)i)) > 2);
        CHECK(strlen(thud_lcp_outcome_text((thud_lcp_outcome)i)) > 20);
    }
}

TEST_MAIN(T(every_method_solves_its_class_and_claims_nothing_else),
          T(a_row_that_no_impulse_can_mend_is_called_infeasible_by_every_method),
          T(what_a_method_cannot_solve_has_the_outcome_that_the_docs_say),
          T(ties_do_not_make_lemke_cycle_whichever_row_comes_first),
          T(a_tiny_matrix_gives_the_large_answer_or_a_failure),
          T(numbers_that_are_none_and_bounds_that_cross_have_their_own_outcomes),
          T(all_methods_agree_on_random_problems_with_every_kind_of_bound),
          T(the_answer_does_not_move_when_the_units_of_M_or_q_change),
          T(a_q_negative_by_its_own_rounding_is_solved_at_rest),
          T(an_arena_that_is_too_small_is_said_and_nothing_else_happens),
          T(a_warm_start_takes_fewer_pivots_and_gives_the_same_answer),
          T(a_warm_basis_that_is_no_basis_is_survived), T(the_judge_sees_what_is_wrong_with_an_answer),
          T(every_method_and_outcome_has_a_name_and_is_found_by_it))
