// SPDX-License-Identifier: Apache-2.0
// signal_file.c: reads a control signal, row by row.
#include "signal_file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_LINE = 1 << 16 };

typedef struct reader {
    const char *path;
    const thud_model *m;
    const double *start;
    thud_diag *diag;
    int line, columns; // columns of controls
    int capacity;      // rows there is room for
    int *column_of;    // of each column of controls: its actuator
} reader;

void signal_free(control_signal *s)
{
    thud_free(s->time);
    thud_free(s->ctrl);
    thud_free(s->now);
    *s = (control_signal){0};
}

#define REFUSE(r, ...) thud_fail(THUD_BAD_FILE, (r)->diag, (r)->path, (r)->line, 1, __VA_ARGS__)

// The first line, if it is one of names: which actuator each column drives.
static thud_status read_names(reader *r, char *line, control_signal *s)
{
    r->columns = 0;
    char *rest = line;
    for (char *name = strtok_r(line, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        name += strspn(name, " \t\"");
        name[strcspn(name, "\"\t\r\n")] = 0;
        if (r->columns++ == 0) {
            s->linear = strcmp(name, "time linear") == 0;
            continue;
        }
        const int actuator = thud_model_find(r->m, THUD_KIND_ACTUATOR, name);
        int numbered = -1, used = 0;
        const bool counts = sscanf(name, "ctrl[%d]%n", &numbered, &used) == 1 && name[used] == 0;
        const int found = actuator >= 0 ? actuator : counts ? numbered : -1;
        if (found < 0 || found >= r->m->actuators || r->columns - 1 > r->m->actuators) {
            return REFUSE(r, "column %d is '%.60s', which is no actuator of this model", r->columns, name);
        }
        r->column_of[r->columns - 2] = found;
    }
    r->columns--;
    return THUD_OK;
}

static thud_status grow(reader *r, control_signal *s)
{
    if (s->rows < r->capacity) {
        return THUD_OK;
    }
    r->capacity = r->capacity ? 2 * r->capacity : 256;
    double *time = thud_resize(s->time, (size_t)r->capacity * sizeof *time);
    s->time = time ? time : s->time;
    double *ctrl = thud_resize(s->ctrl, ((size_t)r->capacity * (size_t)s->width + 1) * sizeof *ctrl);
    s->ctrl = ctrl ? ctrl : s->ctrl;
    return time && ctrl ? THUD_OK : THUD_NO_MEMORY;
}

static thud_status read_row(reader *r, const char *line, control_signal *s)
{
    THUD_TRY(grow(r, s));
    double *row = s->ctrl + (size_t)s->rows * (size_t)s->width;
    memcpy(row, r->start, (size_t)s->width * sizeof *row);
    int count = 0;
    for (const char *at = line;; count++) {
        char *end;
        const double x = strtod(at, &end);
        end += strspn(end, " \t\r\n");
        if (end == at || !isfinite(x) || (*end && *end != ',') || count > r->columns) {
            return REFUSE(r, "number %d of the row cannot be read, or is one too many", count + 1);
        }
        *(count == 0 ? &s->time[s->rows] : &row[r->column_of[count - 1]]) = x;
        if (!*end) {
            break;
        }
        at = end + 1;
    }
    if (count != r->columns) {
        return REFUSE(r, "the row holds %d controls; %d are needed", count, r->columns);
    }
    if (s->rows > 0 && s->time[s->rows] <= s->time[s->rows - 1]) {
        return REFUSE(r, "time %g s does not come after %g s", s->time[s->rows], s->time[s->rows - 1]);
    }
    s->rows++;
    return THUD_OK;
}

static thud_status read_lines(reader *r, FILE *file, char *line, control_signal *s)
{
    while (fgets(line, LONGEST_LINE, file)) {
        r->line++;
        const char *text = line + strspn(line, " \t\r\n\xef\xbb\xbf");
        if (!*text || *text == '#') {
            continue;
        }
        char *end;
        (void)strtod(text, &end);
        const bool names = s->rows == 0 && end == text;
        THUD_TRY(names ? read_names(r, line, s) : read_row(r, text, s));
    }
    return s->rows > 0 ? THUD_OK : REFUSE(r, "there is no row of controls");
}

thud_status signal_read(const char *path, const thud_model *m, const double *start, control_signal *out,
                        thud_diag *diag)
{
    *out = (control_signal){.width = m->actuators};
    FILE *file = fopen(path, "r");
    if (!file) {
        return thud_fail(THUD_BAD_FILE, diag, path, 0, 0, "cannot read: %s", strerror(errno));
    }
    reader r = {.path = path, .m = m, .start = start, .diag = diag, .columns = m->actuators};
    char *line = thud_alloc(LONGEST_LINE, 1);
    r.column_of = thud_alloc((size_t)m->actuators + 1, sizeof *r.column_of);
    out->now = thud_alloc((size_t)m->actuators + 1, sizeof *out->now);
    thud_status status = line && r.column_of && out->now ? THUD_OK : THUD_NO_MEMORY;
    for (int i = 0; status == THUD_OK && i < m->actuators; i++) {
        r.column_of[i] = i;
    }
    status = status == THUD_OK ? read_lines(&r, file, line, out) : status;
    fclose(file);
    thud_free(line);
    thud_free(r.column_of);
    if (status != THUD_OK) {
        signal_free(out);
    }
    return status;
}

const double *signal_at(const control_signal *s, double time)
{
    int low = 0, high = s->rows; // rows before `low` are not after the time
    while (low < high) {
        const int middle = (low + high) / 2;
        if (s->time[middle] <= time) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0) {
        return NULL;
    }
    const double *row = s->ctrl + (size_t)(low - 1) * (size_t)s->width, *next = row + s->width;
    const bool between = s->linear && low < s->rows;
    const double part = between ? (time - s->time[low - 1]) / (s->time[low] - s->time[low - 1]) : 0;
    for (int i = 0; i < s->width; i++) {
        s->now[i] = between ? (1 - part) * row[i] + part * next[i] : row[i];
    }
    return s->now;
}
