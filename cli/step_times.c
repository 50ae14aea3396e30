// SPDX-License-Identifier: Apache-2.0
// step_times.c: bins that are 2 % wide: from 1e-3 us to 1e9 us. A quantile is the middle of its bin.
#include "step_times.h"

#include <math.h>

static const double LEAST = 1e-3, WIDTH = 0.02; // us; of the natural logarithm

void step_times_add(step_times *t, double us)
{
    const double place = us > LEAST ? log(us / LEAST) / WIDTH : 0;
    t->bin[place < STEP_TIMES_BINS - 1 ? (int)place : STEP_TIMES_BINS - 1]++;
    t->count++;
    if (us > t->worst || t->worst_step == 0) {
        t->worst = us;
        t->worst_step = t->count;
    }
}

double step_times_quantile(const step_times *t, double share)
{
    int64_t below = 0;
    for (int k = 0; k < STEP_TIMES_BINS; k++) {
        below += t->bin[k];
        if (below > 0 && (double)below >= share * (double)t->count) {
            const double middle = LEAST * exp(WIDTH * (k + 0.5));
            return middle < t->worst ? middle : t->worst;
        }
    }
    return 0;
}
