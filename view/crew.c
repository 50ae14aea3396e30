// SPDX-License-Identifier: Apache-2.0
// crew.c: threads that take the next job until there is none. Where none can be started the caller does all.
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <thud/base_pool.h>

#include "crew.h"

typedef struct crew {
    atomic_int next;
    int jobs;
    void (*job)(void *of, int i, int worker);
    void *of;
} crew;

typedef struct worker {
    crew *crew;
    int number;
} worker;

int crew_size(void)
{
    const int cores = thud_cores();
    return cores > CREW_MAX ? CREW_MAX : cores;
}

static void *work(void *of)
{
    const worker *w = of;
    for (int i = atomic_fetch_add(&w->crew->next, 1); i < w->crew->jobs;
         i = atomic_fetch_add(&w->crew->next, 1)) {
        w->crew->job(w->crew->of, i, w->number);
    }
    return NULL;
}

void crew_run(int jobs, void (*job)(void *of, int i, int worker), void *of)
{
    crew c = {.jobs = jobs, .job = job, .of = of};
    pthread_t thread[CREW_MAX];
    worker member[CREW_MAX];
    bool started[CREW_MAX] = {false};
    const int size = crew_size();
    for (int k = 0; k < size; k++) {
        member[k] = (worker){&c, k};
        started[k] = k > 0 && pthread_create(&thread[k], NULL, work, &member[k]) == 0;
    }
    (void)work(&member[0]);
    for (int k = 1; k < size; k++) {
        if (started[k]) {
            pthread_join(thread[k], NULL);
        }
    }
}
