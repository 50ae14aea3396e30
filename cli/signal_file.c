// SPDX-License-Identifier: Apache-2.0
// signal_file.c: reads a control signal, row by row.
#include "signal_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <thud/base_input.h>

#include "args.h"

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

// An unknown column, with the actuator it may mean or the first of them.
static thud_status refuse_column(const reader *r, const char *name)
{
    enum { LISTED = 8 };
    const int count = r->m->actuators;
    const char **word = thud_alloc((size_t)count + 1, sizeof *word);
    char list[400] = "";
    for (int i = 0; word && i < count; i++) {
        const char *known = thud_model_name(r->m, THUD_KIND_ACTUATOR, i);
        word[i] = known ? known : "";
        const size_t used = strlen(list);
        if (i < LISTED) {
            snprintf(list + used, sizeof list - used, "%s%.40s", i ? ", " : "", word[i]);
        }
    }
    const char *near = word && count > 0 ? args_nearest(name, word, count) : NULL;
    thud_free(word);
    return near ? REFUSE(r, "column %d is '%.60s', which is no actuator of this model; did you mean '%s'?",
                         r->columns, name, near)
                : REFUSE(r, "column %d is '%.60s', which is no actuator of this model; it has %s%s",
                         r->columns, name, count > 0 ? list : "none", count > LISTED ? ", ..." : "");
}

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
            return refuse_column(r, name);
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
        const char *end;
        const double x = thud_number_read(at, &end);
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

// Goes through the text line by line; each is ended by a zero in place.
static thud_status read_lines(reader *r, char *text, control_signal *s)
{
    for (char *line = text, *next = line; next; line = next) {
        char *newline = strchr(line, '\n');
        next = newline ? newline + 1 : NULL;
        if (newline) {
            *newline = '\0';
        }
        r->line++;
        const char *begin = line + strspn(line, " \t\r\xef\xbb\xbf");
        if (!*begin || *begin == '#') {
            continue;
        }
        if (strchr(begin, ';')) {
            return REFUSE(r, "there is a ';': numbers are written with a point and parted by commas");
        }
        const char *end;
        (void)thud_number_read(begin, &end);
        const bool names = s->rows == 0 && end == begin;
        THUD_TRY(names ? read_names(r, line, s) : read_row(r, begin, s));
    }
    return s->rows > 0 ? THUD_OK : REFUSE(r, "there is no row of controls");
}

thud_status signal_read(const char *path, const thud_model *m, const double *start, control_signal *out,
                        thud_diag *diag)
{
    *out = (control_signal){.width = m->actuators};
    char *text;
    size_t bytes;
    THUD_TRY(thud_input_read(path, (size_t)1 << 30, &text, &bytes, diag));
    reader r = {.path = path, .m = m, .start = start, .diag = diag, .columns = m->actuators};
    r.column_of = thud_alloc((size_t)m->actuators + 1, sizeof *r.column_of);
    out->now = thud_alloc((size_t)m->actuators + 1, sizeof *out->now);
    thud_status status = r.column_of && out->now ? THUD_OK : THUD_NO_MEMORY;
    for (int i = 0; status == THUD_OK && i < m->actuators; i++) {
        r.column_of[i] = i;
    }
    status = status == THUD_OK ? read_lines(&r, text, out) : status;
    thud_free(text);
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
