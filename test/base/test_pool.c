// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): of glibc, for where a thread runs
#include <sched.h>
#include <stdatomic.h>

#include <thud/base_pool.h>

#include "test.h"

enum { MOST = 3000 };

typedef struct tally {
    atomic_int done[MOST];              // how often each index was
    atomic_int busy[THUD_POOL_THREADS]; // calls going on with this worker
    atomic_int clashes, shares;
    int threads, least, count;
} tally;

static void count_once(void *of, int first, int end, int worker)
{
    tally *t = of;
    const bool good = worker >= 0 && worker < t->threads && first < end && end <= t->count;
    if (!good || atomic_fetch_add(&t->busy[worker], 1) != 0 || (end < t->count && end - first < t->least)) {
        atomic_fetch_add(&t->clashes, 1);
    }
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
    CHECK(t->shares <= (count + least - 1) / least);
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

typedef struct meeting { // of the caller and one worker
    atomic_int there;
    int core[2]; // where each was
    cpu_set_t may[2];
    cpu_set_t to; // where the worker goes when all are there; none: it stays
} meeting;

static void meet(void *of, int first, int end, int worker)
{
    meeting *m = of;
    CHECK_INT(end - first, 1);
    m->core[worker] = sched_getcpu();
    CHECK_INT(sched_getaffinity(0, sizeof m->may[worker], &m->may[worker]), 0);
    atomic_fetch_add(&m->there, 1);
    for (double begin = thud_clock_wall(); m->there < 2 && thud_clock_wall() - begin < 10;) {
        sched_yield();
    }
    if (worker == 1 && CPU_COUNT(&m->to) > 0) {
        CHECK_INT(sched_setaffinity(0, sizeof m->to, &m->to), 0);
        CHECK_INT(sched_setaffinity(0, sizeof m->may[1], &m->may[1]), 0);
    }
}

TEST(a_worker_on_the_callers_core_goes_to_another_and_may_run_where_it_might)
{
    cpu_set_t all;
    CHECK_INT(sched_getaffinity(0, sizeof all, &all), 0);
    CHECK_INT(thud_cores(), CPU_COUNT(&all));
    thud_pool *pool;
    CHECK_OK(thud_pool_create(2, &pool));
    for (int k = 0; k < 20 && thud_cores() > 1; k++) {
        cpu_set_t here;
        CPU_ZERO(&here);
        CPU_SET(sched_getcpu(), &here);
        CHECK_INT(sched_setaffinity(0, sizeof here, &here), 0); // the caller stays
        thud_pool_run(pool, 2, 1, meet, &(meeting){.to = here});
        meeting next = {0};
        thud_pool_run(pool, 2, 1, meet, &next);
        CHECK_INT(next.there, 2);
        CHECK(next.core[1] != next.core[0]);
        CHECK(CPU_EQUAL(&next.may[1], &all));
        CHECK_INT(sched_setaffinity(0, sizeof all, &all), 0);
    }
    thud_pool_destroy(pool);
}

TEST(cores_are_those_that_a_thread_may_run_on)
{
    cpu_set_t all, one;
    CHECK_INT(sched_getaffinity(0, sizeof all, &all), 0);
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    CHECK_INT(sched_setaffinity(0, sizeof one, &one), 0);
    CHECK_INT(thud_cores(), 1);
    thud_pool *pool;
    CHECK_OK(thud_pool_create(0, &pool)); // as many as that
    CHECK_INT(thud_pool_threads(pool), 1);
    thud_pool_destroy(pool);
    CHECK_INT(sched_setaffinity(0, sizeof all, &all), 0);
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

TEST_MAIN(T(every_index_is_done_once_whatever_the_threads_the_count_and_the_share),
          T(what_fits_one_share_is_done_by_the_caller),
          T(runs_follow_each_other_and_see_what_the_last_one_wrote),
          T(a_worker_on_the_callers_core_goes_to_another_and_may_run_where_it_might),
          T(cores_are_those_that_a_thread_may_run_on), T(pools_come_and_go_and_impossible_ones_are_refused))
