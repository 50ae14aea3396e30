// SPDX-License-Identifier: Apache-2.0
// filed.h: a recorded run and the scene it is of, to be looked at. Nothing is simulated.
#pragma once

#include "recorded.h"
#include "scene.h"

typedef struct filed {
    const char *path;
    thud_recording *recording;
    scene scene;
    recorded run;
} filed;

// Returns an exit code, after saying what is wrong on stderr in one line where it is not EXIT_DONE.
// `at`: where the scene is now, or NULL: where the recording says it was. Close it also after a failure.
int filed_open(filed *f, const char *path, const char *at);
void filed_close(filed *f);

// The scene of a recording, with the settings of its run; refused where its model is not the one that was recorded.
int filed_scene(const char *path, const thud_recording *r, const char *at, scene *out);
