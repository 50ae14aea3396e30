// SPDX-License-Identifier: Apache-2.0
#include <stdatomic.h>

#include <thud/base_pool.h>

#include "test.h"

enum { MOST = 3000 };

typedef struct tally {
    atomic_int done[MOST];              // how often each index was
    atomic_int busy[THUD_POOL_THREADS]; // calls going on with this worker
    atomic_int clashes, shares, small;
    int threads, least, count;
} tally;

static void count_once(void *of, int first, int end, int worker)
{
    tally *t = of;
    const bool good = worker >= 0 && worker < t->threads && first < end && end <= t->count;
    if (!good || atomic_fetch_add(&t->busy[worker], 1) != 0) {
        atomic_fetch_add(&t->clashes, 1);
    }
    atomic_fetch_add(&t->small, 2 * (end - first) < t->least);
    for (int i = first; i < end; i++) {
        atomic_fetch_add(&t->done[i], 1);
    }
    atomic_fetch_add(&t->shares, 1);
    atomic_fetch_sub(&t->busy[worker], 1);
}

static void run_and_check(thud_pool *pool, tally *t, int count, int least)
{
    memset(t, 0, sizeof *t);
    t->threads = thud_pool_threads(pool);
    t->count = count;
    t->least = least;
    thud_pool_run(pool, count, least, count_once, t);
    CHECK_INT(t->clashes, 0);
    CHECK(t->shares <= (count + least - 1) / least + t->threads);
    CHECK(t->small <= t->threads); // the last of each
    CHECK(count > least || t->shares <= 1);
    for (int i = 0; i < MOST; i++) {
        CHECK_INT(t->done[i], i < count ? 1 : 0);
    }
}

TEST(every_index_is_done_once_whatever_the_threads_the_count_and_the_share)
{
    static tally t;
    static const int threads[] = {1, 2, 3, 8};
    test_rng rng = {7};
    for (int k = 0; k < 4; k++) {
        thud_pool *pool;
        CHECK_OK(thud_pool_create(threads[k], &pool));
        CHECK_INT(thud_pool_threads(pool), threads[k]);
        for (int i = 0; i < 400; i++) {
            run_and_check(pool, &t, (int)(test_bits(&rng) % (i % 4 ? 40 : MOST)),
                          1 + (int)(test_bits(&rng) % 9));
            if (i % 100 == 0) {
                usleep(1000); // long enough for them to fall asleep
            }
        }
        thud_pool_destroy(pool);
    }
}

static void note_sizes(void *of, int first, int end, int worker)
{
    (void)worker;
    ((int *)of)[first] = end - first;
}

TEST(threads_begin_with_equal_parts_of_a_little_more_than_one_share)
{
    (void)test_state;
    thud_pool *pool;
    CHECK_OK(thud_pool_create(2, &pool));
    for (int count = 12; count <= 40; count += 2) {
        int size[40] = {0};
        thud_pool_run(pool, count, count - 1, note_sizes, size);
        CHECK_INT(size[0], count / 2);
        CHECK_INT(size[count / 2], count / 2);
    }
    int size[40] = {0}; // 18 each, in shares of 10 at most: 9 and 9
    thud_pool_run(pool, 36, 10, note_sizes, size);
    for (int i = 0; i < 36; i++) {
        CHECK_INT(size[i], i % 9 == 0 ? 9 : 0);
    }
    thud_pool_destroy(pool);
}

TEST(what_fits_one_share_is_done_by_the_caller)
{
    static tally t;
    thud_pool *pool;
    CHECK_OK(thud_pool_create(2, &pool));
    run_and_check(pool, &t, 10, 10);
    CHECK_INT(t.shares, 1);
    thud_pool_destroy(pool);
}

static void chain(void *of, int first, int end, int worker)
{
    double *x = of;
    (void)worker;
    for (int i = first; i < end; i++) {
        x[i] = sin(x[i]) + i;
    }
}

TEST(runs_follow_each_other_and_see_what_the_last_one_wrote)
{
    static double many[MOST], one[MOST];
    thud_pool *pool;
    CHECK_OK(thud_pool_create(3, &pool));
    for (int k = 0; k < 300; k++) {
        thud_pool_run(pool, MOST, 100, chain, many);
        thud_pool_run(NULL, MOST, 100, chain, one);
    }
    CHECK(memcmp(many, one, sizeof many) == 0);
    thud_pool_destroy(pool);
}

TEST(pools_come_and_go_and_impossible_ones_are_refused)
{
    thud_pool *pool;
    for (int i = 0; i < 100; i++) {
        CHECK_OK(thud_pool_create(1 + i % 5, &pool)); // most of them without a single run
        thud_pool_destroy(pool);
    }
    CHECK_OK(thud_pool_create(0, &pool));
    CHECK(thud_pool_threads(pool) >= 1);
    thud_pool_destroy(pool);
    CHECK_INT(thud_pool_create(-1, &pool), THUD_BAD_ARGUMENT);
    CHECK_INT(thud_pool_create(THUD_POOL_THREADS + 1, &pool), THUD_BAD_ARGUMENT);
    CHECK(pool == NULL);
    thud_pool_destroy(NULL);
}

static void find_extremes(const void *of, int first, int end, double *here)
{
    const double *x = of;
    for (int i = first; i < end; i++) {
        here[0] = x[i] > here[0] ? x[i] : here[0];
        here[1] = -x[i] > here[1] ? -x[i] : here[1];
    }
}

TEST(largest_values_are_the_same_for_any_number_of_threads_and_no_nan_is_one)
{
    static double x[MOST];
    test_rng rng = {11};
    for (int threads = 1; threads <= 5; threads++) {
        thud_pool *pool;
        CHECK_OK(thud_pool_create(threads, &pool));
        for (int k = 0; k < 100; k++) {
            const int count = k == 0 ? 0 : 1 + test_below(&rng, MOST);
            double most[2] = {NAN, NAN}, highest = 0, lowest = 0;
            for (int i = 0; i < count; i++) {
                x[i] = test_below(&rng, 50) == 0 ? NAN : test_normal(&rng);
                highest = x[i] > highest ? x[i] : highest;
                lowest = x[i] < lowest ? x[i] : lowest;
            }
            thud_pool_most(pool, count, 1 + test_below(&rng, 40), find_extremes, x, 2, most);
            CHECK(most[0] == highest && most[1] == -lowest);
        }
        thud_pool_destroy(pool);
    }
}

TEST_MAIN(T(largest_values_are_the_same_for_any_number_of_threads_and_no_nan_is_one),
          T(every_index_is_done_once_whatever_the_threads_the_count_and_the_share),
          T(threads_begin_with_equal_parts_of_a_little_more_than_one_share),
          T(what_fits_one_share_is_done_by_the_caller),
          T(runs_follow_each_other_and_see_what_the_last_one_wrote),
          T(pools_come_and_go_and_impossible_ones_are_refused))
