// SPDX-License-Identifier: Apache-2.0
// run_notes.h: what a recording says about its run, enough to run it again: scene and all options.
#pragma once

#include <thud/record_read.h>

#include "stepper.h"

typedef struct run_notes {
    const char *scene;    // path; of the recording, or the caller's
    double time;          // s asked for
    int every;            // steps from row to row
    const char *settings; // of --set, a line each; NULL: none
    bool loaded;          // it started from a saved state, whose impulses are not in the rows
} run_notes;

// Notes are for formats that have a place for them; a failure is told at the first row.
void run_notes_write(thud_recorder *recorder, const run_notes *notes, const stepper *p);

// The way back. NULL, or a sentence that says why the run cannot be run again.
const char *run_notes_read(const thud_recording *recording, run_notes *notes, step_wishes *wishes);
