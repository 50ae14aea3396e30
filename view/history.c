// SPDX-License-Identifier: Apache-2.0
// history.c: the moments of a run that are kept for drawing.
#include <string.h>

#include "history.h"

enum { MOMENTS = 600 };

bool history_create(history *h, const thud_model *m, int64_t steps)
{
    *h = (history){.nq = m->nq, .every = (steps + MOMENTS - 1) / MOMENTS};
    h->every = h->every > 0 ? h->every : 1;
    h->capacity = (int)(steps / h->every) + 2; // the start, and the end if it is not a whole multiple
    const size_t n = (size_t)h->capacity;
    h->time = thud_alloc(4 * n + n * (size_t)m->nq, sizeof *h->time);
    if (!h->time) {
        return false;
    }
    h->kinetic = h->time + n;
    h->potential = h->kinetic + n;
    h->exchanged = h->potential + n;
    h->qpos = h->exchanged + n;
    return true;
}

void history_destroy(history *h)
{
    thud_free(h->time);
    *h = (history){0};
}

void history_add(history *h, const thud_state *s, thud_energy energy, double exchanged)
{
    THUD_ASSERT(h->count < h->capacity);
    h->time[h->count] = s->time;
    h->kinetic[h->count] = energy.kinetic;
    h->potential[h->count] = energy.potential;
    h->exchanged[h->count] = exchanged;
    memcpy(h->qpos + (size_t)h->count * (size_t)h->nq, s->qpos, (size_t)h->nq * sizeof *s->qpos);
    h->count++;
}
