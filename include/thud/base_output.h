// SPDX-License-Identifier: Apache-2.0
// thud/base_output.h: files that appear whole or not at all.
#pragma once

#include <stdio.h>

#include <thud/base.h>

#ifdef __cplusplus
extern "C" {
#endif

// An output is written beside its place, as PATH.part (.part2, ... where that name is taken, by a run at the same time or one
// that was killed), flushed to the disk and renamed at the end. A pipe or a device is written where it stands.
typedef struct thud_output {
    FILE *file; // NULL where only the name was asked for
    char *path; // as given
    char *part; // the file that is written; equal to path for a pipe or device
} thud_output;

// Takes a name and creates the empty file. thud_output_name leaves the writing to the caller, by the name in part.
THUD_API THUD_MUST_USE thud_status thud_output_open(const char *path, thud_output *out, thud_diag *diag);
THUD_API THUD_MUST_USE thud_status thud_output_name(const char *path, thud_output *out, thud_diag *diag);

// Flushes, syncs, renames and syncs the folder. On failure the part is removed and an older file at the path is untouched.
THUD_API THUD_MUST_USE thud_status thud_output_close(thud_output *o, thud_diag *diag);
THUD_API void thud_output_keep(thud_output *o);    // ends; the part stays beside its place
THUD_API void thud_output_discard(thud_output *o); // ends and removes the part; allowed after a failed open

// Whether a file could be written at this path: its folder exists and may be written to, and the path is not a folder.
THUD_API THUD_MUST_USE thud_status thud_output_possible(const char *path, thud_diag *diag);

// Whether two paths name one file, which need not exist. A pipe or device may serve several outputs.
THUD_API bool thud_output_same(const char *a, const char *b);

#ifdef __cplusplus
}
#endif
