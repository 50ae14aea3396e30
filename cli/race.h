// SPDX-License-Identifier: Apache-2.0
// race.h: one scene, several engines, in one run: each measured once by the yardsticks, then all timed in
// turns.
#pragma once

#include "bench_scene.h"
#include "stepper.h"
#include "yardstick.h"

enum { REPEATS_MAX = 101, LOOKS = 200, CONTESTANTS_MAX = 16 };

typedef struct contestant {
    const engine *engine;
    char label[48];
    step_wishes wishes; // Thud's
    bool threaded;      // the first contestant with more threads, timed by the wall clock against it
} contestant;

typedef struct race_options {
    double dt, time; // s; 0: the scene's
    int repeats;     // timed runs of each
    double patience; // s of CPU for one run; an engine that needs more is timed over the steps it made
    bool certified;  // Thud is timed with the certificate of every step
} race_options;

typedef struct race_result {
    bool ran;                  // false: `why`
    char why[ENGINE_WHY_SIZE]; // it cannot hold the scene, or how its motion ended
    double dt;                 // s
    int steps, taken;          // asked for; timed
    int calmed;                // taken before
    bool once;                 // so slow that the measured run is the only one, its certificates included
    double broke;              // s, when the motion broke down; NaN: it did not
    double us;                 // CPU microseconds a step: median of the repeats
    double us_least, us_most;
    double wall; // the same by the wall clock
    double speedup, speedup_least,
        speedup_most; // wall time of the first contestant over this one's, repeat by repeat
    double machine;   // what the machine made of so many threads, beside each repeat (machine.h): median
    measures worth;
    double error;                   // by the scene's answer; NaN where it has none
    engine_certificate certificate; // NaN where the engine has none
} race_result;

thud_status race_run(const course *c, const contestant *who, int count, const race_options *o,
                     race_result *out);
