// SPDX-License-Identifier: Apache-2.0
// machine.c: the same sums by one thread and by several.
#include <math.h>

#include <thud/base.h>
#include <thud/base_pool.h>

#include "machine.h"

enum { LANES = 8, ROUNDS = 250000, PIECES = 16, TURNS = 5 }; // sums that keep a core busy; about 0.5 ms; 8 ms

static volatile double kept = 0.5; // it might change, so nothing is added up before the clock is read

// Not inlined: pieces that are done together would be woven into each other, and cost less than one by one.
__attribute__((noinline)) static double add_up(int piece)
{
    const double scale = kept;
    double sum[LANES] = {0};
    for (int i = 0; i < ROUNDS; i++) {
        for (int k = 0; k < LANES; k++) {
            sum[k] = scale * sum[k] + piece;
        }
    }
    return sum[0] + sum[LANES - 1];
}

static void do_pieces(void *of, int first, int end, int worker)
{
    double *const result = of; // PIECES
    (void)worker;
    for (int piece = first; piece < end; piece++) {
        result[piece] = add_up(piece);
    }
}

static double seconds(thud_pool *pool)
{
    double result[PIECES];
    const double begin = thud_clock_wall();
    thud_pool_run(pool, PIECES, 1, do_pieces, result);
    const double end = thud_clock_wall();
    double sum = 0;
    for (int piece = 0; piece < PIECES; piece++) {
        sum += result[piece];
    }
    return sum > 0 ? end - begin : NAN; // all of them were needed, so they were done
}

double machine_speedup(int threads)
{
    thud_pool *pool;
    if (thud_pool_create(threads, &pool) != THUD_OK) {
        return NAN;
    }
    double one = 0, all = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        one += seconds(NULL);
        all += seconds(pool);
    }
    thud_pool_destroy(pool);
    return one / all;
}
