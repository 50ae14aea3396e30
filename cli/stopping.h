// SPDX-License-Identifier: Apache-2.0
// stopping.h: how a run is stopped from outside: SIGINT, SIGTERM, SIGHUP, and its own patience.
//
// The first one calls off the step that is being taken; what was simulated is kept. The second ends the program at once, and so
// does the first while nothing has been simulated yet.
#pragma once

#include <thud/step.h>

enum { EXIT_PATIENCE = 124 }; // as timeout(1) has it

void stopping_begin(double patience); // s of wall time from now on; 0: any
void stopping_watch(thud_sim *sim);   // that is stepped from now on; NULL: none any more
int stopping_signal(void);            // that came; 0: none
int stopping_code(void);              // the exit code of a run that was stopped
const char *stopping_word(void);      // "by SIGTERM"
