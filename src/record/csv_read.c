// SPDX-License-Identifier: Apache-2.0
// csv_read.c: recordings that were written as CSV (csv.c). They have no notes. A last line without its newline is what a
// kill left of a row, and is no row.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <thud/base_input.h>

#include "recording.h"

typedef struct csv_reading {
    FILE *file;
    const char *path;
    char *line;
    int capacity, length, number; // of the line: bytes, and which it is
    int names_capacity;
    size_t value_capacity; // numbers
    thud_recording *to;
    thud_diag *diag;
} csv_reading;

static thud_status refuse(const csv_reading *r, int column, const char *sentence)
{
    return thud_fail(THUD_BAD_FILE, r->diag, r->path, r->number, column, "%s", sentence);
}

// Reads the next whole line, without its newline, into r->line. *whole: there was one.
static thud_status next_line(csv_reading *r, bool *whole)
{
    int letter;
    r->length = 0;
    r->number++;
    do {
        letter = getc(r->file);
        if (!thud_grow((void **)&r->line, &r->capacity, r->length, 1)) {
            return THUD_NO_MEMORY;
        }
        r->line[r->length++] = (char)(letter == '\n' || letter == EOF ? '\0' : letter);
    } while (letter != '\n' && letter != EOF);
    *whole = letter == '\n';
    return ferror(r->file) ? refuse(r, 0, "the file could not be read") : THUD_OK;
}

// Takes one field of the header off *from, with its quotes undone in place.
static char *take_name(char **from, bool *more)
{
    char *at = *from, *to = at, *begin = at;
    const bool quoted = *at == '"';
    at += quoted;
    while (*at && (quoted || *at != ',')) {
        if (quoted && *at == '"' && at[1] != '"') {
            at++;
            break;
        }
        at += quoted && *at == '"';
        *to++ = *at++;
    }
    *more = *at == ',';
    *from = at + *more;
    *to = '\0';
    return begin;
}

static thud_status read_names(csv_reading *r)
{
    bool whole, more = true;
    THUD_TRY(next_line(r, &whole));
    if (!whole || r->line[0] == '\0') {
        return refuse(r, 1, "a recording begins with a line of column names");
    }
    for (char *at = r->line; more;) {
        const char *name = take_name(&at, &more);
        if (!thud_grow((void **)&r->to->name, &r->names_capacity, r->to->columns, sizeof *r->to->name) ||
            !(r->to->name[r->to->columns] = thud_strdup(name))) {
            return THUD_NO_MEMORY;
        }
        r->to->columns++;
    }
    return THUD_OK;
}

static thud_status read_row(csv_reading *r)
{
    thud_recording *to = r->to;
    const size_t columns = (size_t)to->columns, used = (size_t)to->rows * columns;
    if (used + columns > r->value_capacity) {
        const size_t wanted = 2 * (used + columns);
        double *grown =
            wanted < SIZE_MAX / sizeof *grown ? thud_resize(to->value, wanted * sizeof *grown) : NULL;
        if (!grown) {
            return THUD_NO_MEMORY;
        }
        to->value = grown;
        r->value_capacity = wanted;
    }
    char *at = r->line;
    for (size_t i = 0; i < columns; i++) {
        const char *end;
        to->value[used + i] = thud_number_read(at, &end);
        const bool last = i + 1 == columns;
        if (end == at || *end != (last ? '\0' : ',')) {
            char said[100];
            snprintf(said, sizeof said, "a row has one number for each of the %d columns", to->columns);
            return refuse(r, (int)(at - r->line) + 1, said);
        }
        at += end - at + 1;
    }
    to->rows++;
    return THUD_OK;
}

static thud_status read_all(csv_reading *r)
{
    bool whole = true;
    thud_status status = read_names(r);
    while (status == THUD_OK) {
        status = next_line(r, &whole);
        if (status != THUD_OK || !whole) {
            break;
        }
        status = read_row(r);
    }
    return status;
}

thud_status csv_recording_read(const char *path, thud_recording **out, thud_diag *diag)
{
    *out = NULL;
    csv_reading r = {
        .file = fopen(path, "rb"), .path = path, .to = thud_alloc(1, sizeof *r.to), .diag = diag};
    thud_status status = !r.file ? refuse(&r, 0, strerror(errno)) : r.to ? read_all(&r) : THUD_NO_MEMORY;
    if (status == THUD_OK && !r.to->value && !(r.to->value = thud_alloc(1, sizeof *r.to->value))) {
        status = THUD_NO_MEMORY;
    }
    if (r.file) {
        fclose(r.file);
    }
    thud_free(r.line);
    if (status != THUD_OK) {
        thud_recording_destroy(r.to);
        return status == THUD_NO_MEMORY ? thud_fail(status, diag, path, 0, 0, "memory ran out") : status;
    }
    *out = r.to;
    return THUD_OK;
}
