// SPDX-License-Identifier: Apache-2.0
// machine.c: the same sums by one thread and by several.
#include <math.h>

#include <thud/base.h>
#include <thud/base_pool.h>

#include "machine.h"

enum { LANES = 8, ROUNDS = 100000, PIECES = 16, TURNS = 5 }; // sums that keep a core busy; about 0.5 ms; 8 ms

static void add_up(void *of, int first, int end, int worker)
{
    double *const result = of; // PIECES
    (void)worker;
    for (int piece = first; piece < end; piece++) {
        double sum[LANES] = {0};
        for (int i = 0; i < ROUNDS; i++) {
            for (int k = 0; k < LANES; k++) {
                sum[k] = 0.5 * sum[k] + piece;
            }
        }
        result[piece] = sum[0] + sum[LANES - 1];
    }
}

static double seconds(thud_pool *pool)
{
    double result[PIECES];
    const double begin = thud_clock_wall();
    thud_pool_run(pool, PIECES, 1, add_up, result);
    const double end = thud_clock_wall();
    return result[PIECES - 1] > 0 ? end - begin : NAN; // it was needed, so it was done
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
