// SPDX-License-Identifier: Apache-2.0
// doubt_list.h: the doubts of a run, as text, as JSON, and what they mean for the exit code.
#pragma once

#include "json.h"
#include "scene.h"

typedef struct doubt_view {  // of a sim that outlives it
    const thud_sim *sim;     // NULL: there are none
    const thud_model *model; // that is stepped
} doubt_view;

int doubt_view_count(const doubt_view *d, thud_doubt_grade grade);

// One doubt in one line: kind, place, how often, first and worst.
void doubt_line(const thud_model *m, const thud_doubt *doubt, char *out, size_t size);

// The i-th doubt, those of the worst grade first; NULL: there are no more.
const thud_doubt *doubt_view_at(const doubt_view *d, int i);

void doubts_print(const doubt_view *d); // a line each, the worst grade first; nothing where there are none
void doubts_json(json *j, const doubt_view *d); // as "doubts": [...]
