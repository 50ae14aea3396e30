// SPDX-License-Identifier: Apache-2.0
// crew.h: jobs that do not depend on each other, done by as many threads as the machine has cores.
#pragma once

enum { CREW_MAX = 16 }; // workers

int crew_size(void); // workers there will be, 1 to CREW_MAX

// Calls job(of, i, worker) for every i below `jobs`, each once; two calls at a time never have the same worker.
void crew_run(int jobs, void (*job)(void *of, int i, int worker), void *of);
