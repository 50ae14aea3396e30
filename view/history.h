// SPDX-License-Identifier: Apache-2.0
// history.h: a run, thinned to what a picture and a plot can show: at most a few hundred moments of it.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <thud/thud.h>

typedef struct history {
    int nq, count, capacity;
    int64_t every; // steps from one moment to the next
    double *time, *kinetic, *potential;
    double *exchanged; // energy so far from dampers, applied forces, contacts and projections, J
    double *qpos;      // count x nq
} history;

bool history_create(history *h, const thud_model *m, int64_t steps); // false when memory ran out
void history_destroy(history *h);
void history_add(history *h, const thud_state *s, thud_energy energy,
                 double exchanged); // `capacity` times at most
