// SPDX-License-Identifier: Apache-2.0
// step_times.h: how long steps take: median, 99 %, worst, to a hundredth, in memory that does not grow.
#pragma once

#include <stdint.h>

enum { STEP_TIMES_BINS = 1400 };

typedef struct step_times {
    int64_t count, bin[STEP_TIMES_BINS]; // steps by the logarithm of their time
    double worst;                        // us
    int64_t worst_step;                  // its number, from 1 on; 0: none yet
} step_times;

void step_times_add(step_times *t, double us);
double step_times_quantile(const step_times *t,
                           double share); // us; share 0.5: the median; 0 before the first step
