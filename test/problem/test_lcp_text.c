// SPDX-License-Identifier: Apache-2.0
// The plain-text LCP file: the same bits again, and a line and column for everything that is wrong.
#include "test.h"

#include <thud/problem_lcp.h>
#include <thud/problem_random.h>

static thud_status read_text(const char *text, thud_lcp_problem **out, thud_diag *diag)
{
    return thud_lcp_read_text(text, strlen(text), "t.lcp", out, diag);
}

static void check_same(const char *what, int n, const double *a, const double *b)
{
    if ((a == NULL) != (b == NULL) || (a && memcmp(a, b, sizeof(double) * (size_t)n) != 0)) {
        fail_msg("%s changed on its way through the file", what);
    }
}

static void check_round_trip(const thud_lcp *p)
{
    char path[] = "lcp_text_XXXXXX";
    const int made = mkstemp(path);
    CHECK(made >= 0);
    close(made);
    thud_diag diag;
    thud_lcp_problem *again;
    CHECK_OK(thud_lcp_write(p, path, &diag));
    CHECK_OK(thud_lcp_read(path, &again, &diag));
    CHECK_INT(again->lcp.n, p->n);
    for (int j = 0; j < p->n; j++) {
        check_same("M", p->n, p->M.a + (size_t)j * (size_t)p->M.stride, again->M + (size_t)j * (size_t)p->n);
    }
    check_same("q", p->n, p->q, again->lcp.q);
    check_same("lo", p->n, p->lo, again->lcp.lo);
    check_same("hi", p->n, p->hi, again->lcp.hi);
    check_same("q_size", p->n, p->q_size, again->lcp.q_size);
    thud_lcp_problem_destroy(again);
    unlink(path);
}

TEST(every_problem_comes_back_bit_for_bit)
{
    (void)test_state;
    const char *classes[] = {"positive-definite:13", "rank-deficient:8", "stewart-trinkle:3/6", "box",
                             "stack:2"};
    for (int k = 0; k < 5; k++) {
        thud_random_class class_;
        thud_lcp_problem *p;
        CHECK_OK(thud_random_class_parse(classes[k], &class_, NULL));
        CHECK_OK(thud_random_lcp(class_, 1, &p));
        check_round_trip(&p->lcp);
        thud_lcp_problem_destroy(p);
    }
}

TEST(odd_numbers_bounds_strides_and_no_rows_at_all_come_back_too)
{
    (void)test_state;
    double M[] = {0.1, -0.0,    0, 99, 5e-324, 1.7976931348623157e308, 1.0 / 3, 99, 0x1.fffffffffffffp-3,
                  0,   -1e-300, 99};
    const double q[] = {-0.0, 2.2250738585072014e-308, 123456789.123456789}, lo[] = {-INFINITY, 0, -1};
    const double hi[] = {INFINITY, 1e300, -1}, size[] = {1, 0, 3};
    const thud_lcp p = {3, {3, 3, 4, M}, q, lo, hi, size};
    check_round_trip(&p);
    const thud_lcp none = {.n = 0, .M = {0, 0, 1, M}, .q = q};
    check_round_trip(&none);
}

TEST(the_example_of_the_header_is_read_as_it_is_meant)
{
    (void)test_state;
    thud_lcp_problem *p;
    thud_diag diag;
    CHECK_OK(read_text(
        "thud-lcp 1 # format and version\nn 3\nM sparse 4\n 1 1 2\n 1 2 -1\n 3 3 0x1.8p1\n 2 2 2e0\n"
        "q -1 0 0.5\nlo 0 0 -inf hi inf inf inf\nend # done",
        &p, &diag));
    CHECK(p->M[0] == 2 && p->M[3] == -1 && p->M[1] == 0 && p->M[8] == 3 && p->M[4] == 2);
    CHECK(p->q[0] == -1 && p->q[2] == 0.5 && p->lcp.lo[2] == -INFINITY && p->lcp.hi[0] == INFINITY &&
          !p->lcp.q_size);
    thud_lcp_problem_destroy(p);
}

TEST(everything_wrong_is_told_with_its_line_and_column)
{
    (void)test_state;
    static const struct {
        const char *text, *told;
    } wrong[] = {
        {"", "t.lcp:1:1: the text ends where 'thud-lcp' should: this is no LCP file"},
        {"lcp 1\n", "t.lcp:1:1: 'lcp' stands where 'thud-lcp' should: this is no LCP file"},
        {"thud-lcp 2\n",
         "t.lcp:1:10: '2' stands where the version of the format should: a whole number from 1 to 1"},
        {"thud-lcp 1\nm 2\n", "t.lcp:2:1: 'm' stands where 'n' and the size of the problem should"},
        {"thud-lcp 1\nn two\n", NULL},
        {"thud-lcp 1\nn -1\nM dense\nq\nend\n", NULL},
        {"thud-lcp 1\nn 1000000000\nM dense\nq\nend\n", NULL},
        {"thud-lcp 1\nn 99999999999999999999\n", NULL},
        {"thud-lcp 1\nn 1\nM full 1\n", "t.lcp:3:3: 'full' stands where 'dense' or 'sparse' should"},
        {"thud-lcp 1\nn 1\nM dense 1x\nq 1\nend", "t.lcp:3:9: '1x' stands where a number should"},
        {"thud-lcp 1\nn 2\nM dense 1 2\n  3\nq 1 1\nend", "t.lcp:5:1: 'q' stands where a number should"},
        {"thud-lcp 1\nn 2\nM dense 1 2 3 4\nq 1\n   ", "t.lcp:5:4: the text ends where a number should"},
        {"thud-lcp 1\nn 1\nM sparse 1 2 1 5\nq 1 end",
         "t.lcp:3:12: '2' stands where a row of M should: a whole number from 1 to 1"},
        {"thud-lcp 1\nn 1\nM sparse 1 1 0 5\nq 1 end", NULL},
        {"thud-lcp 1\nn 2\nM sparse 2 1 1 5 1 1 6\nq 1 1 end",
         "t.lcp:3:20: the element of row 1, column 1 is given twice"},
        {"thud-lcp 1\nn 1\nM sparse 2 1 1 5 1 1 6\nq 1 end", NULL},
        {"thud-lcp 1\nn 1\nq 1\nend", "t.lcp:4:1: the problem ends without its M"},
        {"thud-lcp 1\nn 1\nM dense 1\nend", "t.lcp:4:1: the problem ends without its q"},
        {"thud-lcp 1\nn 1\nM dense 1\nq 1",
         "t.lcp:4:4: the text ends where M, q, lo, hi, q_size or end should"},
        {"thud-lcp 1\nn 1\nM dense 1\nq 1\nq 2\nend", "t.lcp:5:1: section q is given twice"},
        {"thud-lcp 1\nn 1\nM dense 1\nq 1\nup 2\nend",
         "t.lcp:5:1: 'up' stands where M, q, lo, hi, q_size or end should"},
        {"thud-lcp 1\nn 1\nM dense 1\nq 1\nend\nmore",
         "t.lcp:6:1: 'more' stands where nothing should: the problem has ended"},
        {"thud-lcp 1\nn 1\nM dense 1\nq \xc3\xa4\nend", NULL},
        {"thud-lcp 1\nn 1\nM dense 1\nq "
         "0.0000000000000000000000000000000000000000000000000000000000000000001\nend",
         "t.lcp:4:3: a word of more than 63 characters"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        thud_lcp_problem *p;
        thud_diag diag = {.line = -1};
        char told[1200];
        CHECK_INT(read_text(wrong[k].text, &p, &diag), THUD_BAD_FILE);
        CHECK(p == NULL && diag.line >= 1 && diag.column >= 1);
        thud_diag_format(&diag, told, sizeof told);
        if (wrong[k].told) {
            CHECK_TEXT(told, wrong[k].told);
        }
    }
}

TEST(files_that_are_not_there_or_cannot_be_written_are_told)
{
    (void)test_state;
    thud_lcp_problem *p;
    thud_diag diag;
    double M = 1;
    const double q = 1;
    const thud_lcp one = {.n = 1, .M = {1, 1, 1, &M}, .q = &q};
    CHECK_INT(thud_lcp_read("no/such/file.lcp", &p, &diag), THUD_BAD_FILE);
    CHECK_TEXT(diag.file, "no/such/file.lcp");
    CHECK_INT(thud_lcp_read(".", &p, &diag), THUD_BAD_FILE);
    CHECK_INT(thud_lcp_write(&one, "no/such/file.lcp", &diag), THUD_BAD_FILE);
    CHECK(strlen(diag.text) > 20);
}

static int left; // allocations until one fails

static void *failing_resize(void *block, size_t bytes, void *user)
{
    (void)user;
    return left-- > 0 ? realloc(block, bytes) : NULL;
}

static void plain_release(void *block, void *user)
{
    (void)user;
    free(block);
}

TEST(whichever_allocation_fails_nothing_leaks_and_the_status_says_so)
{
    (void)test_state;
    const char text[] = "thud-lcp 1\nn 2\nM sparse 1 1 1 5\nq 1 1 lo 0 0 hi 1 1 q_size 1 1\nend";
    const thud_allocator failing = {failing_resize, plain_release, NULL};
    int refused = 0;
    for (int k = 0; k < 20; k++) {
        thud_lcp_problem *p;
        thud_diag diag;
        left = k;
        thud_allocator_set(&failing);
        const thud_status status = read_text(text, &p, &diag);
        thud_lcp_problem_destroy(p);
        thud_allocator_set(NULL);
        CHECK(status == THUD_OK || (status == THUD_NO_MEMORY && p == NULL));
        refused += status == THUD_NO_MEMORY;
    }
    CHECK_INT(refused, 7); // the problem, M, q, the marks of the sparse elements, lo, hi, q_size
}

TEST(ten_thousand_mutations_are_read_or_refused)
{
    (void)test_state;
    const char seed[] =
        "thud-lcp 1 # x\nn 3\nM sparse 4\n 1 1 2\n 1 2 -1\n 3 3 0x1.8p1\n 2 2 2e0\nq -1 0 0.5\n"
        "lo 0 0 -inf hi inf inf nan\nend\n";
    test_rng r = {5};
    int good = 0;
    for (int round = 0; round < 10000; round++) {
        char text[256];
        int length = (int)sizeof seed - 1;
        memcpy(text, seed, sizeof seed);
        for (int edits = 1 + test_below(&r, 4); edits > 0 && length > 2; edits--) {
            const int at = test_below(&r, length), other = test_below(&r, length), kind = test_below(&r, 4);
            if (kind == 0) {
                text[at] = (char)test_bits(&r);
            } else if (kind == 1) {
                text[at] = text[other];
            } else if (kind == 2) {
                memmove(text + at, text + at + 1, (size_t)(length - at - 1));
                length--;
            } else {
                length = at + 1;
            }
        }
        char *exact = malloc((size_t)length); // so that the sanitizer sees a step too far
        memcpy(exact, text, (size_t)length);
        thud_lcp_problem *p;
        thud_diag diag = {.line = 0};
        const thud_status status = thud_lcp_read_text(exact, (size_t)length, "t.lcp", &p, &diag);
        CHECK(status == THUD_OK || (status == THUD_BAD_FILE && diag.line > 0 && diag.column > 0 && !p));
        good += status == THUD_OK;
        thud_lcp_problem_destroy(p);
        free(exact);
    }
    CHECK(good > 100 && good < 9900);
}

TEST_MAIN(T(every_problem_comes_back_bit_for_bit),
          T(odd_numbers_bounds_strides_and_no_rows_at_all_come_back_too),
          T(the_example_of_the_header_is_read_as_it_is_meant),
          T(everything_wrong_is_told_with_its_line_and_column),
          T(files_that_are_not_there_or_cannot_be_written_are_told),
          T(whichever_allocation_fails_nothing_leaks_and_the_status_says_so),
          T(ten_thousand_mutations_are_read_or_refused))
