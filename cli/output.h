// SPDX-License-Identifier: Apache-2.0
// output.h: a file that appears whole or not at all: written beside its place as PATH.part, then renamed.
#pragma once

#include <stdbool.h>
#include <stdio.h>

typedef struct output {
    FILE *file;
    char *path, *part;
} output;

// Whether a file there could be written: its folder is there and may be written to. To be asked before long work;
// NULL is no file. Returns and says as those below.
int output_possible(const char *path);

// Each returns an exit code, after saying "PATH:1:1: why" on stderr where it is not EXIT_DONE.
int output_open(output *o, const char *path);
int output_close(output *o);    // gives the file its name
void output_discard(output *o); // takes it away; allowed after a failed open

void html_text(FILE *out, const char *text); // with &, <, > and " escaped
