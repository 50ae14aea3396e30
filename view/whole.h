// SPDX-License-Identifier: Apache-2.0
// whole.h: a file that appears whole or not at all: written beside its place as PATH.part, then renamed.
#pragma once

#include <stdio.h>

#include <thud/base.h>

typedef struct whole {
    FILE *file;
    char *path, *part;
} whole;

thud_status whole_open(whole *w, const char *path, thud_diag *diag);
// Gives the file its name where status is OK and all could be written; else takes it away. Returns what came of it.
thud_status whole_close(whole *w, thud_status status, thud_diag *diag);
