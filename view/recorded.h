// SPDX-License-Identifier: Apache-2.0
// recorded.h: a recording as what pages and films show. Nothing is simulated.
#pragma once

#include <thud/record_read.h>

#include "facts.h"
#include "replay.h"

typedef struct recorded {
    replay replay;
    facts facts;       // the table of a page
    char how[160];     // law, integrator, step
    const char *law;   // NULL: not noted
    double start, end; // s
} recorded;

// BAD_ARGUMENT where the columns are not those of a run of this model, or there are no rows. Close it in any case.
thud_status recorded_open(recorded *r, const thud_model *m, const thud_recording *run, thud_diag *diag);
void recorded_close(recorded *r);
