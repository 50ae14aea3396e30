// SPDX-License-Identifier: Apache-2.0
// thud/record.h: a run as named columns in a file. One row a step, one column a quantity.
//
//     thud_recorder_open("run.csv", model, &recorder, &diag);
//     thud_recorder_sense(recorder, reading);                  where there are sensors: thud_sim_sense
//     thud_recorder_write(recorder, state, &certificate);      after every step, or every tenth
//     thud_recorder_close(recorder, &diag);
//
// A recording appears whole or not at all: rows go to PATH.part, in whole lines, and closing renames that
// file to PATH. A run that is killed leaves PATH as it was, and PATH.part readable up to the last flush (at
// most half a second, or 64 KiB, before the end; an HDF5 file killed in the very moment of a flush may be torn). A PATH that exists and is no regular file (a pipe,
// /dev/stdout) is written directly. Writing a row allocates nothing.
//
// An HDF5 file (.h5) has a dataset for each column, chunked and compressed; columns with an index, qpos[0]
// ..., share one, qpos (rows x nq). Each has the attribute `units`, and notes are attributes of the file. It
// is written so that it is readable at any moment, also after a kill: open PATH.part in HDF5's SWMR mode
// (h5py.File(path, swmr=True)); rows that are in the first dataset, time, are whole.
//
// A CSV file starts with a line of column names; numbers read back as the same bits; NaN is "nan".
//
// With NULL for the path the recording is kept in memory, notes and tables included: thud_recorder_take
// (thud/record_read.h) ends it and hands it over. Rows then take memory as it is needed.
#pragma once

#include <thud/step_sense.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct thud_column {
    const char *name; // "qvel[2]"
    const char *unit; // "rad/s"; "" for a pure number; formats that have a place for units keep it
} thud_column;

typedef struct thud_recorder thud_recorder; // an open recording

// Starts the recording of a run of m. Its columns are `time`, `qpos[0]` ..., `qvel[0]` ..., where there are
// actuators `act[0]` ... and `ctrl[0]` ... (those of the step that led to the row), where there are mocap bodies
// `mocap[0]` ... (7 each: position, quaternion; of that step too), one for each number that a
// sensor reads, by the sensor's name (`imu[0]` ... if it reads several; `gyro_4` for a gyro without name that is
// sensor 4; `sensor_time` for one that is called as another column is; _ for / and brackets), and then the
// certificate's, by the names of thud_certificate's members. The ending of the path, and how it fails, as for
// thud_recorder_open_table.
THUD_API THUD_MUST_USE thud_status thud_recorder_open(const char *path, const thud_model *m,
                                                      thud_recorder **out, thud_diag *diag);

// Keeps what describes the run: a text, or a number. Before the first row; formats without a place for notes
// (CSV) forget them. The version, the commit and the model's hash are noted by thud_recorder_open.
THUD_API thud_status thud_recorder_note(thud_recorder *recorder, const char *name, const char *text);
THUD_API thud_status thud_recorder_note_number(thud_recorder *recorder, const char *name, double number);

// Notes how the run is stepped, as `thud run` does: law, solver, integrator, step and the other options, the scene's file (and its text,
// where it can be read; NULL: none), and that every `every`-th step is recorded. With these notes, the start as the first row
// (thud_recorder_write with a certificate of NULL) and the forces of the caller, `thud replay` runs it again and checks its bits.
THUD_API thud_status thud_recorder_describe(thud_recorder *recorder, const thud_step_options *options,
                                            const char *scene, int every);

// Also keeps the contacts of every row, in a group `contact` of datasets with a row for each contact that
// carries something: row (of the run, from 0), geom and body (two each, as in the model that is stepped), point,
// normal (from the first to the second), impulse (on the second; N s, world), friction (its coefficient), slides
// (1 or 0) and duration (s; the force is impulse / duration). They are those of thud_sim_rows: of a step that
// went on after a collision, not the collision's, which has no duration. Before the first row.
// UNSUPPORTED where the format holds one table only (CSV).
THUD_API THUD_MUST_USE thud_status thud_recorder_keep_contacts(thud_recorder *recorder, thud_diag *diag);

// Adds the contacts of a step, as thud_sim_rows gives them (NULL: none), to the row that is written next.
THUD_API THUD_MUST_USE thud_status thud_recorder_contacts(thud_recorder *recorder, const thud_rows *rows);

// Also keeps the caller's own forces (tau of thud_sim_step), in a group `force`: row, tau (nv), so that `thud replay` applies them
// again. Before the first row; UNSUPPORTED as above. thud_recorder_forces adds those of the step that leads to the row that is
// written next; NULL, or no call, is none.
THUD_API THUD_MUST_USE thud_status thud_recorder_keep_forces(thud_recorder *recorder, thud_diag *diag);
THUD_API THUD_MUST_USE thud_status thud_recorder_forces(thud_recorder *recorder, const double *tau);

// Also keeps the events of the event-driven scheme, in a group `event` of datasets with a row for each: time, kind
// (the number of a thud_event_kind), body, joint, tendon, impulse, speed, slip, energy, together. Before the first
// row; UNSUPPORTED as above.
THUD_API THUD_MUST_USE thud_status thud_recorder_keep_events(thud_recorder *recorder, thud_diag *diag);
THUD_API THUD_MUST_USE thud_status thud_recorder_events(thud_recorder *recorder, const thud_event *event,
                                                        int count);

// Adds the row of a state and of the certificate of the step that led to it (NULL: zeros, as for the start).
THUD_API THUD_MUST_USE thud_status thud_recorder_write(thud_recorder *recorder, const thud_state *s,
                                                       const thud_certificate *certificate);

// What the sensors read (thud_sim_sense; m->readings numbers, copied) in the rows that follow. Until it is
// called they are NaN.
THUD_API void thud_recorder_sense(thud_recorder *recorder, const double *reading);

// Starts any other table, of `columns` columns, whose names and units are copied. The format follows from the
// end of the path: .csv, or .h5 (UNSUPPORTED in a library built without HDF5; thud_parts); NULL: memory. Fails with THUD_BAD_ARGUMENT for another ending, and with THUD_BAD_FILE where
// PATH.part cannot be created.
THUD_API THUD_MUST_USE thud_status thud_recorder_open_table(const char *path, const thud_column *column,
                                                            int columns, thud_recorder **out,
                                                            thud_diag *diag);

// Adds a row of as many numbers as there are columns. After a failure (a full disk) every later call fails
// with the same status.
THUD_API THUD_MUST_USE thud_status thud_recorder_row(thud_recorder *recorder, const double *value);

// Writes out what is still held back, so that a reader of PATH.part sees every row so far.
THUD_API THUD_MUST_USE thud_status thud_recorder_flush(thud_recorder *recorder);

// Ends the recording and gives it its name. Frees the recorder in any case; tells of the first failure, if
// there was one, and then PATH is untouched and PATH.part holds what could be written.
THUD_API THUD_MUST_USE thud_status thud_recorder_close(thud_recorder *recorder, thud_diag *diag);

// The file that is being written (PATH.part, or .part2, ... where that name was taken); NULL in memory. Valid until the end.
THUD_API const char *thud_recorder_part(const thud_recorder *recorder);

// Ends the recording without giving it its name: PATH.part stays, PATH is untouched. NULL is allowed.
THUD_API void thud_recorder_abandon(thud_recorder *recorder);

#ifdef __cplusplus
}
#endif
