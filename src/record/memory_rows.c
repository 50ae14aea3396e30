// SPDX-License-Identifier: Apache-2.0
// memory_rows.c: a recording that is kept in memory.
#include <string.h>

#include "format.h"
#include "recording.h"

typedef struct kept_table {
    thud_recording_table t;
    size_t capacity; // numbers
} kept_table;

typedef struct kept {
    kept_table table[TABLES];
    thud_recording *to; // its notes; the tables are put there at the end
    int note_capacity;
} kept;

static thud_status begin_table(kept_table *k, const thud_column *column, int columns)
{
    k->t.name = thud_alloc((size_t)columns, sizeof *k->t.name);
    for (int i = 0; i < columns && k->t.name; i++) {
        if (!(k->t.name[i] = thud_strdup(column[i].name))) {
            return THUD_NO_MEMORY;
        }
        k->t.columns++;
    }
    return k->t.name ? THUD_OK : THUD_NO_MEMORY;
}

static thud_status memory_more(void *file, int table, const char *name, const thud_column *column,
                               const bool *whole, int columns)
{
    (void)name, (void)whole;
    return begin_table(&((kept *)file)->table[table], column, columns);
}

static thud_status memory_note(void *file, const char *name, const char *text, double number)
{
    kept *k = file;
    thud_recording *to = k->to;
    if (!thud_grow((void **)&to->note, &k->note_capacity, to->notes, sizeof *to->note)) {
        return THUD_NO_MEMORY;
    }
    struct thud_recording_note *note = &to->note[to->notes++];
    note->name = thud_strdup(name);
    note->text = text ? thud_strdup(text) : NULL;
    note->number = number;
    return note->name && (note->text || !text) ? THUD_OK : THUD_NO_MEMORY;
}

static thud_status memory_row(void *file, int table, const double *value)
{
    kept_table *k = &((kept *)file)->table[table];
    const size_t columns = (size_t)k->t.columns, used = (size_t)k->t.rows * columns;
    if (used + columns > k->capacity) {
        const size_t wanted = 2 * (used + columns);
        double *grown =
            wanted < SIZE_MAX / sizeof *grown ? thud_resize(k->t.value, wanted * sizeof *grown) : NULL;
        if (!grown) {
            return THUD_NO_MEMORY;
        }
        k->t.value = grown;
        k->capacity = wanted;
    }
    memcpy(k->t.value + used, value, columns * sizeof *value);
    k->t.rows++;
    return THUD_OK;
}

static thud_status memory_flush(void *file)
{
    (void)file;
    return THUD_OK;
}

thud_recording *memory_take(void *file)
{
    kept *k = file;
    thud_recording *to = k->to;
    const thud_recording_table *run = &k->table[TABLE_RUN].t;
    to->columns = run->columns;
    to->rows = run->rows;
    to->name = run->name;
    to->value = run->value;
    to->contact = k->table[TABLE_CONTACT].t;
    to->event = k->table[TABLE_EVENT].t;
    to->force = k->table[TABLE_FORCE].t;
    thud_free(k);
    return to;
}

static thud_status memory_close(void *file, bool flush_first)
{
    (void)flush_first;
    thud_recording_destroy(memory_take(file));
    return THUD_OK;
}

static thud_status memory_open(const char *path, const thud_column *column, int columns, void **out,
                               thud_diag *diag)
{
    *out = NULL;
    kept *k = thud_alloc(1, sizeof *k);
    if (k && !(k->to = thud_alloc(1, sizeof *k->to))) {
        thud_free(k);
        k = NULL;
    }
    if (k && begin_table(&k->table[TABLE_RUN], column, columns) != THUD_OK) {
        (void)memory_close(k, false);
        k = NULL;
    }
    *out = k;
    return k ? THUD_OK : thud_fail(THUD_NO_MEMORY, diag, path, 0, 0, "memory ran out");
}

const record_format record_memory = {NULL,       memory_open,  memory_note, memory_more,
                                     memory_row, memory_flush, memory_close};
