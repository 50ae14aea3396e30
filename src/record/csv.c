// SPDX-License-Identifier: Apache-2.0
// csv.c: rows as lines of text. Lines are gathered in a buffer that is written in whole lines, so that a file
// cut off by a kill ends with a complete row.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "format.h"

enum { BUFFER = 1 << 16 };

static const double flush_period = 0.5; // s of wall clock that a row is held back at most

typedef struct csv {
    int descriptor, columns;
    size_t used, size, row_max;
    double flushed; // when
    char *text;
} csv;

static thud_status csv_flush(void *file)
{
    csv *c = file;
    size_t done = 0;
    while (done < c->used) {
        const ssize_t n = write(c->descriptor, c->text + done, c->used - done);
        if (n < 0 && errno != EINTR) {
            return THUD_BAD_FILE;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    c->used = 0;
    c->flushed = thud_clock_wall();
    return THUD_OK;
}

static void put(csv *c, const char *text)
{
    const size_t length = strlen(text);
    memcpy(c->text + c->used, text, length);
    c->used += length;
}

// A name with a comma or a quote in it is quoted, and its quotes doubled (RFC 4180).
static void put_name(csv *c, const char *name)
{
    if (!strpbrk(name, ",\"\n")) {
        put(c, name);
        return;
    }
    put(c, "\"");
    for (const char *letter = name; *letter; letter++) {
        put(c, *letter == '"' ? "\"\"" : (const char[]){*letter, '\0'});
    }
    put(c, "\"");
}

static thud_status csv_row(void *file, int table, const double *value)
{
    (void)table; // there is one
    csv *c = file;
    char text[THUD_NUMBER_SIZE];
    for (int i = 0; i < c->columns; i++) {
        put(c, i ? "," : "");
        put(c, thud_number_format(value[i], text));
    }
    put(c, "\n");
    const bool full = c->used + c->row_max > c->size;
    return full || thud_clock_wall() - c->flushed > flush_period ? csv_flush(c) : THUD_OK;
}

static thud_status csv_close(void *file, bool flush_first)
{
    csv *c = file;
    thud_status status = flush_first ? csv_flush(c) : THUD_OK;
    if (close(c->descriptor) != 0 && status == THUD_OK) {
        status = THUD_BAD_FILE;
    }
    thud_free(c->text);
    thud_free(c);
    return status;
}

static thud_status csv_open(const char *path, const thud_column *column, int columns, void **out,
                            thud_diag *diag)
{
    *out = NULL;
    size_t header = 2;
    for (int i = 0; i < columns; i++) {
        header += 3 + 2 * strlen(column[i].name);
    }
    csv *c = thud_alloc(1, sizeof *c);
    const size_t row_max = 2 + (size_t)columns * THUD_NUMBER_SIZE, size = BUFFER + header + row_max;
    char *text = c ? thud_alloc(size, 1) : NULL;
    if (!text) {
        thud_free(c);
        return thud_fail(THUD_NO_MEMORY, diag, path, 0, 0, "memory ran out");
    }
    const int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    *c = (csv){descriptor, columns, .size = size, .row_max = row_max, .text = text};
    if (descriptor < 0) {
        const int why = errno;
        thud_free(text);
        thud_free(c);
        return thud_fail(THUD_BAD_FILE, diag, path, 0, 0, "it cannot be written: %s", strerror(why));
    }
    for (int i = 0; i < columns; i++) {
        put(c, i ? "," : "");
        put_name(c, column[i].name);
    }
    put(c, "\n");
    *out = c;
    return csv_flush(c);
}

const record_format record_csv = {".csv", csv_open, NULL, NULL, csv_row, csv_flush, csv_close};
