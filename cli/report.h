// SPDX-License-Identifier: Apache-2.0
// report.h: a run as one page to look at: self-contained HTML without any network. With the viewer it is a
// 3-D replay; a program built without it writes a still page, with drawings as SVG and no script.
#pragma once

#include "history.h"
#include "replay_page.h"
#include "scene.h"
#include "summary.h"

typedef struct report_run { // the run of a page
    const scene *scene;
    const summary *summary;
    const replay *replay;
    const char *label; // where there are two
} report_run;

// Each returns an exit code, after saying what is wrong on stderr in one line where it is not EXIT_DONE.
int report_write(const char *path, const scene *s, const summary *sum, const history *h); // still page
int report_replay(const char *path, const report_run *run, int runs);
int report_picture(const char *path, const scene *s, const history *h); // the drawing alone, an SVG file
