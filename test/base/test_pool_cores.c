// SPDX-License-Identifier: Apache-2.0
// test_pool_cores.c: where the threads of a pool run, on a machine that is made up: cores 0, 2 and 5, and each thread where it
// is told to be.
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): of glibc, for where a thread runs
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include <thud/base_pool.h>

#include "test.h"

static struct {
    pthread_t caller;
    atomic_int core[2]; // of the caller, of the worker
    atomic_int moves;   // of the worker
    cpu_set_t last;     // where it may run since
    bool unknown;       // nobody can say where a thread may run
} machine;

static int who(void)
{
    return !pthread_equal(pthread_self(), machine.caller);
}

// In place of the system's own.
int sched_getcpu(void)
{
    return machine.core[who()];
}

int sched_getaffinity(pid_t pid, size_t bytes, cpu_set_t *may)
{
    (void)pid;
    if (machine.unknown || bytes < sizeof *may) {
        errno = EINVAL;
        return -1;
    }
    CPU_ZERO(may);
    CPU_SET(0, may);
    CPU_SET(2, may);
    CPU_SET(5, may);
    return 0;
}

int sched_setaffinity(pid_t pid, size_t bytes, const cpu_set_t *may)
{
    (void)pid;
    (void)bytes;
    if (CPU_COUNT(may) == 1) {
        machine.moves++;
        for (int core = 0; core < 6; core++) {
            if (CPU_ISSET(core, may)) {
                machine.core[who()] = core;
            }
        }
    }
    machine.last = *may;
    return 0;
}

static void meet(void *of, int first, int end, int worker) // one share each, both at a time
{
    atomic_int *there = of;
    (void)first;
    (void)end;
    (void)worker;
    atomic_fetch_add(there, 1);
    for (double begin = thud_clock_wall(); *there < 2 && thud_clock_wall() - begin < 60;) {
        sched_yield();
    }
}

static void run(thud_pool *pool)
{
    atomic_int there = 0;
    thud_pool_run(pool, 2, 1, meet, &there);
    CHECK_INT(there, 2);
}

static thud_pool *open_pool(int caller, int worker)
{
    thud_pool *pool;
    machine.caller = pthread_self();
    machine.core[0] = caller;
    machine.core[1] = worker;
    machine.moves = 0;
    machine.unknown = false;
    CHECK_OK(thud_pool_create(2, &pool));
    return pool;
}

TEST(a_worker_on_the_callers_core_goes_to_the_next_one_and_may_run_where_it_might)
{
    static const int NEXT[][2] = {{0, 2}, {2, 5}, {5, 0}};
    for (int k = 0; k < 3; k++) {
        thud_pool *pool = open_pool(NEXT[k][0], NEXT[k][0]);
        run(pool);
        CHECK_INT(machine.moves, 1);
        CHECK_INT(machine.core[1], NEXT[k][1]);
        CHECK_INT(CPU_COUNT(&machine.last), 3); // all three again
        run(pool);
        CHECK_INT(machine.moves, 1);
        thud_pool_destroy(pool);
    }
}

TEST(a_worker_elsewhere_stays)
{
    thud_pool *pool = open_pool(2, 0);
    for (int i = 0; i < 300; i++) {
        run(pool);
    }
    CHECK_INT(machine.moves, 0);
    thud_pool_destroy(pool);
}

TEST(a_worker_that_is_brought_back_again_and_again_moves_now_and_then)
{
    enum { TIMES = 1000 };
    thud_pool *pool = open_pool(2, 2);
    for (int i = 0; i < TIMES; i++) {
        machine.core[1] = 2;
        run(pool);
    }
    CHECK(machine.moves >= 5 && machine.moves <= 20);
    thud_pool_destroy(pool);
}

TEST(cores_are_those_that_a_thread_may_run_on_if_that_is_known)
{
    thud_pool *pool = open_pool(0, 0);
    CHECK_INT(thud_cores(), 3);
    machine.unknown = true;
    CHECK(thud_cores() >= 1);
    run(pool);
    CHECK_INT(machine.moves, 0);
    thud_pool_destroy(pool);
}

TEST_MAIN(T(a_worker_on_the_callers_core_goes_to_the_next_one_and_may_run_where_it_might),
          T(a_worker_elsewhere_stays), T(a_worker_that_is_brought_back_again_and_again_moves_now_and_then),
          T(cores_are_those_that_a_thread_may_run_on_if_that_is_known))
