// SPDX-License-Identifier: Apache-2.0
// thud/record_read.h: a recording read back: its columns, its rows and its notes.
//
//     thud_recording_read("run.h5", &recording, &diag);
//     const int height = thud_recording_find(recording, "qpos[2]");
//     double z = recording->value[recording->columns * row + height];
//     const char *law = thud_recording_text(recording, "law");
#pragma once

#include <thud/record.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct thud_recording_table { // one that a run keeps beside its rows
    int columns;                      // 0: it was not kept
    int64_t rows;
    char **name;
    double *value; // rows x columns
} thud_recording_table;

typedef struct thud_recording {
    int columns;
    int64_t rows;
    char **name;   // of the columns, in the order they were written
    double *value; // rows x columns
    int notes;
    struct thud_recording_note {
        char *name, *text; // text NULL: a number
        double number;
    } * note;
    thud_recording_table contact, event, force; // thud_recorder_keep_contacts, _keep_events, _keep_forces
} thud_recording;

// Reads an HDF5 recording, also one whose writer was killed (PATH.part): all rows that were flushed; or a CSV one,
// which has rows and no notes. BAD_FILE, with a sentence, for what is none; UNSUPPORTED for HDF5 in a library built
// without it. The caller destroys *out.
THUD_API THUD_MUST_USE thud_status thud_recording_read(const char *path, thud_recording **out,
                                                       thud_diag *diag);

// Ends a recording that was kept in memory (path NULL) and gives it to the caller, who destroys it. Frees the
// recorder in any case; on failure, the first that happened, *out is NULL.
THUD_API THUD_MUST_USE thud_status thud_recorder_take(thud_recorder *recorder, thud_recording **out,
                                                      thud_diag *diag);
THUD_API void thud_recording_destroy(thud_recording *recording); // NULL is allowed

THUD_API int thud_recording_find(const thud_recording *recording, const char *column); // index, or -1
THUD_API int thud_recording_table_find(const thud_recording_table *table, const char *column);
// A note's text, NULL if there is none; and its number, `otherwise` if there is none.
THUD_API const char *thud_recording_text(const thud_recording *recording, const char *note);
THUD_API double thud_recording_number(const thud_recording *recording, const char *note, double otherwise);

#ifdef __cplusplus
}
#endif
