// SPDX-License-Identifier: Apache-2.0
// complaints.h: what users of other engines complain about, one measurement a row.
#pragma once

#include "study.h"

typedef struct finding {
    char ours[160]; // what was measured, in words and numbers
    bool right;
} finding;

typedef struct complaint {
    const char *scene;  // what happens
    const char *others; // what other engines do, as measured (docs/reproduce.md)
    const char *answer; // the right one, with its band
    finding (*measure)(study *s);
} complaint;

// The rows, by theme; each list ends with a scene that is NULL.
extern const complaint complaints_friction[], complaints_rest[], complaints_impact[], complaints_motion[],
    complaints_numbers[];

// A run from the scene's `start` or, without a keyframe, from its reference pose.
trial_wish complaint_wish(const char *name, const char *keyframe, double time);

// Way of the first body's centre from its start, m; a free body whose qpos begins at `qpos`.
double moved(const trial *t, int step, int qpos);
// Highest energy above the start's, and lowest below it, J.
void energy_range(const trial *t, double *above, double *below);
