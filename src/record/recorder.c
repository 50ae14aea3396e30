// SPDX-License-Identifier: Apache-2.0
// recorder.c: chooses the format, writes beside the place of the recording and renames at the end.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <thud/base_output.h>

#include "contact_columns.h"
#include "event_columns.h"
#include "format.h"
#include "recording.h"
#include "run_columns.h"

struct thud_recorder {
    const record_format *format;
    void *file;
    thud_status status; // of the first failure
    int why;            // its errno
    thud_output to;     // empty for a recording in memory
    double *row;        // of a run; NULL for other tables
    int64_t rows;       // written
    int nv;
    double *force; // of a row of forces, nv + 1; NULL: they are not kept
    bool contacts; // are kept
    bool events;
    int readings;
    double *reading; // what the sensors read: behind the row
};

static const record_format *const formats[] = {&record_csv, &record_hdf5};

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), k = strlen(end);
    return n >= k && strcmp(text + n - k, end) == 0;
}

static bool is_special(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && !S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode);
}

static const record_format *format_of(const char *path)
{
    if (!path) {
        return &record_memory;
    }
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (ends_with(path, formats[i]->ending)) {
            return formats[i];
        }
    }
    return is_special(path) ? &record_csv : NULL;
}

static thud_status refuse_ending(const char *path, thud_diag *diag)
{
    return thud_fail(THUD_BAD_ARGUMENT, diag, path, 0, 0, "the name of a recording ends in .csv or .h5");
}

static const char *path_of(const thud_recorder *r)
{
    return r->to.path ? r->to.path : "a recording in memory";
}

static thud_status recorder_create(const record_format *format, const char *path, thud_recorder **out,
                                   thud_diag *diag)
{
    thud_recorder *r = thud_alloc(1, sizeof *r);
    if (!r) {
        return thud_fail(THUD_NO_MEMORY, diag, path, 0, 0, "memory ran out");
    }
    r->format = format;
    const thud_status status = path ? thud_output_name(path, &r->to, diag) : THUD_OK;
    if (status != THUD_OK) {
        thud_free(r);
        return status;
    }
    *out = r;
    return THUD_OK;
}

static void recorder_free(thud_recorder *r)
{
    thud_output_keep(&r->to);
    thud_free(r->row);
    thud_free(r->force);
    thud_free(r);
}

static thud_status note_failure(thud_recorder *r, thud_status status)
{
    if (r->status == THUD_OK && status != THUD_OK) {
        r->status = status;
        r->why = errno;
    }
    return r->status;
}

thud_status thud_recorder_open_table(const char *path, const thud_column *column, int columns,
                                     thud_recorder **out, thud_diag *diag)
{
    *out = NULL;
    const record_format *format = format_of(path);
    if (!format) {
        return refuse_ending(path, diag);
    }
    thud_recorder *r = NULL;
    THUD_TRY(recorder_create(format, path, &r, diag));
    const thud_status status = format->open(r->to.part, column, columns, &r->file, diag);
    if (!r->file) {
        thud_output_discard(&r->to);
        recorder_free(r);
        return status;
    }
    note_failure(r, status);
    *out = r;
    return THUD_OK;
}

thud_status thud_recorder_open(const char *path, const thud_model *m, thud_recorder **out, thud_diag *diag)
{
    *out = NULL;
    const int columns = run_columns_count(m);
    thud_column *column = run_columns_create(m);
    double *row = column ? thud_alloc((size_t)columns + (size_t)m->readings, sizeof *row) : NULL;
    const thud_status status = row ? thud_recorder_open_table(path, column, columns, out, diag)
                                   : thud_fail(THUD_NO_MEMORY, diag, path, 0, 0, "memory ran out");
    thud_free(column);
    if (!*out) {
        thud_free(row);
        return status;
    }
    (*out)->row = row;
    (*out)->readings = m->readings;
    (*out)->nv = m->nv;
    (*out)->reading = row + columns;
    for (int i = 0; i < m->readings; i++) {
        row[columns + i] = NAN;
    }
    char hash[20];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)m->hash);
    (void)thud_recorder_note(*out, "thud_version", thud_version()); // a failure is told at the first row
    (void)thud_recorder_note(*out, "thud_commit", thud_commit());
    (void)thud_recorder_note_number(*out, "thud_numerics", thud_numerics());
    (void)thud_recorder_note(*out, "model_hash", hash);
    return THUD_OK;
}

thud_status thud_recorder_write(thud_recorder *recorder, const thud_state *s,
                                const thud_certificate *certificate)
{
    THUD_ASSERT(recorder->row);
    run_columns_fill(s, recorder->reading, recorder->readings, certificate, recorder->row);
    return thud_recorder_row(recorder, recorder->row);
}

void thud_recorder_sense(thud_recorder *recorder, const double *reading)
{
    memcpy(recorder->reading, reading, (size_t)recorder->readings * sizeof *reading);
}

static thud_status note(thud_recorder *r, const char *name, const char *text, double number)
{
    if (r->status == THUD_OK && r->format->note) {
        return note_failure(r, r->format->note(r->file, name, text, number));
    }
    return r->status;
}

thud_status thud_recorder_note(thud_recorder *recorder, const char *name, const char *text)
{
    return note(recorder, name, text ? text : "", 0);
}

thud_status thud_recorder_note_number(thud_recorder *recorder, const char *name, double number)
{
    return note(recorder, name, NULL, number);
}

thud_status thud_recorder_row(thud_recorder *recorder, const double *value)
{
    recorder->rows++;
    return recorder->status ? recorder->status
                            : note_failure(recorder, recorder->format->row(recorder->file, TABLE_RUN, value));
}

thud_status thud_recorder_keep_contacts(thud_recorder *recorder, thud_diag *diag)
{
    thud_recorder *r = recorder;
    if (!r->format->more) {
        return thud_fail(THUD_UNSUPPORTED, diag, path_of(r), 0, 0,
                         "contacts are kept in recordings that end in .h5");
    }
    r->contacts = true;
    return note_failure(r, r->format->more(r->file, TABLE_CONTACT, "contact", contact_column, contact_whole,
                                           CONTACT_COLUMNS));
}

thud_status thud_recorder_contacts(thud_recorder *recorder, const thud_rows *rows)
{
    thud_recorder *r = recorder;
    THUD_ASSERT(r->contacts);
    for (int i = 0; rows && i < thud_rows_islands(rows); i++) {
        const thud_island island = thud_rows_island(rows, i);
        for (int k = 0; k < island.blocks && r->status == THUD_OK; k++) {
            thud_touch touch;
            double value[CONTACT_COLUMNS];
            if (thud_island_touch(&island, k, &touch)) {
                contact_columns_fill(r->rows, &touch, value);
                note_failure(r, r->format->row(r->file, TABLE_CONTACT, value));
            }
        }
    }
    return r->status;
}

thud_status thud_recorder_keep_events(thud_recorder *recorder, thud_diag *diag)
{
    thud_recorder *r = recorder;
    if (!r->format->more) {
        return thud_fail(THUD_UNSUPPORTED, diag, path_of(r), 0, 0,
                         "events are kept in recordings that end in .h5");
    }
    r->events = true;
    return note_failure(
        r, r->format->more(r->file, TABLE_EVENT, "event", event_column, event_whole, EVENT_COLUMNS));
}

thud_status thud_recorder_events(thud_recorder *recorder, const thud_event *event, int count)
{
    thud_recorder *r = recorder;
    THUD_ASSERT(r->events);
    for (int i = 0; i < count && r->status == THUD_OK; i++) {
        double value[EVENT_COLUMNS];
        event_columns_fill(&event[i], value);
        note_failure(r, r->format->row(r->file, TABLE_EVENT, value));
    }
    return r->status;
}

thud_status thud_recorder_keep_forces(thud_recorder *recorder, thud_diag *diag)
{
    enum { LETTERS = 24 };
    thud_recorder *r = recorder;
    const size_t columns = (size_t)r->nv + 1;
    if (!r->format->more) {
        return thud_fail(THUD_UNSUPPORTED, diag, path_of(r), 0, 0,
                         "forces are kept in recordings that end in .h5");
    }
    thud_column *column = thud_alloc(columns, sizeof *column);
    char(*name)[LETTERS] = thud_alloc(columns, sizeof *name);
    bool *whole = thud_alloc(columns, sizeof *whole);
    r->force = thud_alloc(columns, sizeof *r->force);
    thud_status status = THUD_NO_MEMORY;
    if (column && name && whole && r->force) {
        column[0] = (thud_column){"row", ""};
        whole[0] = true;
        for (int i = 0; i < r->nv; i++) {
            snprintf(name[i], sizeof name[i], "tau[%d]", i);
            column[i + 1] = (thud_column){name[i], "N"};
        }
        status = r->format->more(r->file, TABLE_FORCE, "force", column, whole, r->nv + 1);
    }
    thud_free(column);
    thud_free(name);
    thud_free(whole);
    return note_failure(r, status);
}

thud_status thud_recorder_forces(thud_recorder *recorder, const double *tau)
{
    thud_recorder *r = recorder;
    THUD_ASSERT(r->force);
    if (!tau || r->status != THUD_OK) {
        return r->status;
    }
    r->force[0] = (double)r->rows;
    memcpy(r->force + 1, tau, (size_t)r->nv * sizeof *tau);
    return note_failure(r, r->format->row(r->file, TABLE_FORCE, r->force));
}

thud_status thud_recorder_flush(thud_recorder *recorder)
{
    return recorder->status ? recorder->status
                            : note_failure(recorder, recorder->format->flush(recorder->file));
}

thud_status thud_recorder_close(thud_recorder *recorder, thud_diag *diag)
{
    thud_recorder *r = recorder;
    note_failure(r, r->format->close(r->file, r->status == THUD_OK));
    thud_status status = r->status;
    if (status != THUD_OK) {
        status = thud_fail(status, diag, path_of(r), 0, 0, "the recording could not be finished: %s",
                           strerror(r->why));
    } else if (r->to.path) {
        status = thud_output_close(&r->to, diag);
    }
    recorder_free(r);
    return status;
}

thud_status thud_recorder_take(thud_recorder *recorder, thud_recording **out, thud_diag *diag)
{
    *out = NULL;
    thud_recorder *r = recorder;
    if (r->format != &record_memory) {
        const thud_status refused =
            thud_fail(THUD_BAD_ARGUMENT, diag, path_of(r), 0, 0, "only a recording in memory can be taken");
        thud_recorder_abandon(r);
        return refused;
    }
    const thud_status status = r->status;
    *out = memory_take(r->file);
    if (status != THUD_OK) {
        thud_recording_destroy(*out);
        *out = NULL;
        (void)thud_fail(status, diag, path_of(r), 0, 0, "%s", thud_status_text(status));
    }
    recorder_free(r);
    return status;
}

const char *thud_recorder_part(const thud_recorder *recorder)
{
    return recorder->to.part;
}

void thud_recorder_abandon(thud_recorder *recorder)
{
    if (recorder) {
        (void)recorder->format->close(recorder->file, recorder->status == THUD_OK);
        recorder_free(recorder);
    }
}
