// SPDX-License-Identifier: Apache-2.0
// corrections.h: functions shared by the files that put positions right. Private to the room.
#pragma once

#include "door.h"

// Moves q_next by the rows of the step, where that is enough; before the query at q_next. nudge.c
typedef struct nudged {
    bool moved;
    thud_energy energy; // at (q_next, v_next) before it moved, if a certificate is asked for
} nudged;
thud_status sim_nudge(thud_sim *sim, double h, nudged *of);
// The contacts of sim->sight.here nearer than `reach` around those that overlap by more than `allowed`: what can be reached over
// so many layers of such contacts. Their numbers, ascending, into `contact`; returns how many, -1: scratch is too small.
int neighbourhood_find(const thud_sim *sim, double reach, double allowed, int layers, int *contact);
// One correction: the islands of the rows, whose b are errors of positions, into sim->go.dq. settle.c
thud_status settle_islands(thud_sim *sim, const thud_law_options *o);
// Pairs that overlap and are to be put right (settle_counts); none where they are too many.
void settle_list(const thud_sim *sim, overlaps *out);
// After a correction: where the worst overlap stays, those that lost less than half are given up. Whether any was.
bool settle_give_up(thud_sim *sim, const overlaps *before, const overlaps *after);
