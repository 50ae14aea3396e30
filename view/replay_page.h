// SPDX-License-Identifier: Apache-2.0
// replay_page.h: runs as one page that replays them in 3-D beside its plots. Everything is in the file: the
// viewer's script, a description of each run (JSON) and its numbers (single precision, base64). No network.
#pragma once

#include <stdio.h>

#include "facts.h"
#include "replay.h"

typedef struct page_run { // what a page shows of a run
    const replay *replay;
    const facts *facts; // its table
    const char *scene;  // the file's name
    const char *how;    // law, integrator, step; may be NULL
    const char *label;  // where there are two
} page_run;

// One run, or several side by side. False when memory ran out.
bool replay_page_write(FILE *out, const page_run *run, int runs);
