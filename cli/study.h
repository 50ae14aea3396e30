// SPDX-License-Identifier: Apache-2.0
// study.h: what the examples of `thud reproduce` are written with: runs, tables, figures, remarks and
// verdicts, which go to stdout and, with --out, into a folder: NAME.csv, NAME.svg and a page that shows all.
//
//     trial t;
//     if (study_run(s, &(trial_wish){.scene = "rod", ...}, &t)) { ... }
//     trial_close(&t);
//
// After a failure (a scene that cannot be read, a file that cannot be written) `code` says so and whatever is
// asked of the study does nothing.
#pragma once

#include "drawing.h"
#include "output.h"
#include "plot.h"
#include "sheet.h"
#include "term.h"
#include "trial.h"

typedef struct study {
    const command *self;
    const char *scenes; // folder
    const char *models; // folder of published robots, or NULL: none
    const char *out;    // folder, or NULL: none
    bool quick;         // coarser, for tests
    int code;           // exit code so far
    int judged, missed; // figures that have a band, and those outside it
    thud_output page;   // index.html
    thud_output figure; // a drawing in work
    progress bar;
} study;

const char *study_scenes(char found[512]); // the folder of the scenes: here, or where they are installed

int study_open(study *s);  // makes the folder and begins the page; scenes NULL: where they are installed
int study_close(study *s); // the exit code of all

void study_title(study *s, const char *text);
void study_note(study *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

bool study_run(study *s, const trial_wish *wish, trial *out); // false: not even begun

// Counts a figure as inside its band or not, and gives the word for it.
const char *study_judge(study *s, bool inside);

void study_table(study *s, const char *name, const char *caption, sheet *t); // frees it
void study_plot(study *s, const char *name, const char *caption, const plot *p);

// Begins NAME.svg and returns where to draw, or NULL where nothing is to be written.
FILE *study_draw(study *s, const char *name, const char *caption);
void study_drawn(study *s);

// The examples, one a file.
void study_rod(study *s);
void study_balls(study *s);
void study_box(study *s);
void study_rank(study *s);
void study_pendulum(study *s);
void study_complaints(study *s);
void study_events(study *s);
void study_event_forms(study *s); // the first table of events
void study_laws(study *s);
void study_robots(study *s);
void study_models(study *s);
