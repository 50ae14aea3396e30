// SPDX-License-Identifier: Apache-2.0
// thud/base_pool.h: threads that share a loop. The caller's thread works too, and what each index computes must
// not depend on who does it or when: then the result has the same bits for any number of threads.
//
//     static void square(void *of, int first, int end, int worker)
//     {
//         for (int i = first; i < end; i++) { ((double *)of)[i] *= ((double *)of)[i]; }
//     }
//     thud_pool_create(2, &pool);
//     thud_pool_run(pool, n, 1000, square, numbers);        // shares of 1000 or more; fewer: no thread is woken
//
// Between runs that follow each other closely the threads wait awake, and a run costs about a microsecond to
// start and to end; after some hundred microseconds without work they sleep and cost nothing. Where there is a core for each,
// none stays on the caller's.
#pragma once

#include <thud/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct thud_pool thud_pool;

enum { THUD_POOL_THREADS = 64 }; // at most

// So many threads in all, 1 to THUD_POOL_THREADS, the caller's included; 0: as many as there are cores. One thread
// needs no pool: *out is NULL then, which every function here takes. Where the system starts fewer, those do it.
THUD_API THUD_MUST_USE thud_status thud_pool_create(int threads, thud_pool **out);
THUD_API void thud_pool_destroy(thud_pool *pool); // NULL is allowed

THUD_API int thud_pool_threads(const thud_pool *pool); // that it has, the caller's included; NULL: 1
THUD_API int thud_cores(void);                         // that the calling thread may run on

// Does indices first to end - 1. worker: 0 to thud_pool_threads - 1, never the same in two calls at a time.
typedef void (*thud_pool_work)(void *of, int first, int end, int worker);

// As thud_pool_run, of more than one share and with a pool.
THUD_API void thud_pool_run_shares(thud_pool *pool, int count, int least, thud_pool_work work, void *of);

// Calls work until each index below count was done once, and returns when all are. The threads begin with equal parts, in
// shares of `least` (1 or more) or of a sixteenth of a part, whichever is more; to be alike they may be up to half smaller, the
// last of a part more so. Shares then go to whoever is free. What fits one share is done by the caller alone. Allocates nothing.
// Not from within work, and by one thread at a time.
static inline void thud_pool_run(thud_pool *pool, int count, int least, thud_pool_work work, void *of)
{
    if (pool && count > least) {
        thud_pool_run_shares(pool, count, least, work, of);
    } else if (count > 0) {
        work(of, 0, count, 0);
    }
}

enum { THUD_POOL_VALUES = 4 }; // at most

// The largest values among indices first to end - 1, 0 or more each, into here.
typedef void (*thud_pool_find)(const void *of, int first, int end, double *here);

// The largest values among all indices below count, 0 where there are none: they are the same in whatever order. A NaN among them
// is not seen.
THUD_API void thud_pool_most(thud_pool *pool, int count, int least, thud_pool_find find, const void *of,
                             int values, double *most);

// Where the shares of so many that a list is cut into end, whoever does them.
static inline int thud_share_end(int share, int size, int count)
{
    return (share + 1) * size < count ? (share + 1) * size : count;
}

#ifdef __cplusplus
}
#endif
