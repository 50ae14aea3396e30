// SPDX-License-Identifier: Apache-2.0
// rerun.h: a recorded run, simulated again from its first row and its options, and compared row by row.
#pragma once

#include "run_notes.h"
#include "summary.h"

typedef struct rerun {
    const char *path; // of the recording
    thud_recording *recording;
    run_notes notes;
    scene scene;
    stepper stepper;
    summary summary;
    int64_t next_force;       // row of the table of forces
    int64_t rows, differ;     // compared; whose bits are not the same
    double first, difference; // time of the first of those, s; largest difference of a number
} rerun;

// Each returns an exit code, after saying what is wrong on stderr in one line where it is not EXIT_DONE.
// `at`: where the scene is now, or NULL: where it was. Close it also after a failure.
int rerun_open(rerun *r, const char *path, const char *at);
int rerun_go(rerun *r);
void rerun_close(rerun *r);
