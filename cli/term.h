// SPDX-License-Identifier: Apache-2.0
// term.h: what depends on being read by a person: bold words, wrapped help, a progress bar.
//
// Bold and colour only on a terminal, and never when NO_COLOR is set. The bar is drawn on stderr when that is
// a terminal, for work that has lasted a second already, ten times a second.
#pragma once

#include <stdbool.h>
#include <stdio.h>

const char *term_bold(FILE *stream); // "" where there is no colour
const char *term_dim(FILE *stream);
const char *term_plain(FILE *stream);

// Text whose lines are folded where they are too long to read.
void term_paragraph(FILE *stream, const char *text);

// One entry of a list: the word on the left, its explanation wrapped on the right.
void term_entry(FILE *stream, const char *left, const char *right);

typedef struct progress {
    bool on, drawn;
    double start, next; // wall clock: when the work began, when to draw next
} progress;

progress progress_start(void);
bool progress_due(progress *p); // cheap enough to ask after every step

// Draws the bar at `fraction` of the work with a few words behind it.
void progress_draw(progress *p, double fraction, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void progress_hide(progress *p);   // takes the bar away; it may be drawn again
void progress_finish(progress *p); // the same for good
