// SPDX-License-Identifier: Apache-2.0
// format.h: what a file format of recordings does. A new one is a file of its own and a line in recorder.c.
#pragma once

#include <thud/record.h>

enum { TABLE_RUN, TABLE_CONTACT, TABLE_EVENT, TABLE_FORCE, TABLES }; // the first is there from the start

typedef struct record_format {
    const char *ending; // of the path: ".csv"; NULL: no path
    // Opens `path` for writing, emptied, and writes the columns' names. On failure *out is NULL.
    thud_status (*open)(const char *path, const thud_column *column, int columns, void **out,
                        thud_diag *diag);
    // Keeps a text, or where that is NULL a number; before the first row. NULL: the format has no place for
    // it.
    thud_status (*note)(void *file, const char *name, const char *text, double number);
    // Begins another table of this name; before the first row. whole: which columns hold whole numbers. NULL:
    // the format has no place for it.
    thud_status (*more)(void *file, int table, const char *name, const thud_column *column, const bool *whole,
                        int columns);
    thud_status (*row)(void *file, int table, const double *value);
    thud_status (*flush)(void *file);
    thud_status (*close)(void *file, bool flush_first); // frees the file in any case
} record_format;

extern const record_format record_csv, record_hdf5, record_memory;
