// SPDX-License-Identifier: Apache-2.0
// recording.c: a recording in memory, and the choice of the reader for a file.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "recording.h"

static int find_name(int columns, char **name, const char *column)
{
    for (int i = 0; i < columns; i++) {
        if (strcmp(name[i], column) == 0) {
            return i;
        }
    }
    return -1;
}

int thud_recording_find(const thud_recording *recording, const char *column)
{
    return find_name(recording->columns, recording->name, column);
}

int thud_recording_table_find(const thud_recording_table *table, const char *column)
{
    return find_name(table->columns, table->name, column);
}

static const struct thud_recording_note *find_note(const thud_recording *recording, const char *name)
{
    for (int i = 0; i < recording->notes; i++) {
        if (strcmp(recording->note[i].name, name) == 0) {
            return &recording->note[i];
        }
    }
    return NULL;
}

const char *thud_recording_text(const thud_recording *recording, const char *note)
{
    const struct thud_recording_note *found = find_note(recording, note);
    return found ? found->text : NULL;
}

double thud_recording_number(const thud_recording *recording, const char *note, double otherwise)
{
    const struct thud_recording_note *found = find_note(recording, note);
    return found && !found->text ? found->number : otherwise;
}

// The first bytes tell: an HDF5 file has a signature, and everything else is taken for CSV if it is called so.
thud_status thud_recording_read(const char *path, thud_recording **out, thud_diag *diag)
{
    static const char signature[8] = "\211HDF\r\n\032\n";
    *out = NULL;
    char begin[sizeof signature] = "";
    struct stat about;
    const bool there = stat(path, &about) == 0;
    FILE *file = there && S_ISREG(about.st_mode) ? fopen(path, "rb") : NULL;
    if (!file) {
        return thud_fail(THUD_BAD_FILE, diag, path, -1, -1, "it is not a recording that can be read: %s",
                         there && !S_ISREG(about.st_mode) ? "it is not a file" : strerror(errno));
    }
    const size_t got = fread(begin, 1, sizeof begin, file);
    fclose(file);
    const bool is_hdf5 = got == sizeof begin && memcmp(begin, signature, sizeof begin) == 0;
    const size_t length = strlen(path);
    const bool is_csv =
        (length > 4 && strcmp(path + length - 4, ".csv") == 0) || strstr(path, ".csv.part") != NULL;
    if (!is_hdf5 && is_csv) {
        return csv_recording_read(path, out, diag);
    }
    if (!is_hdf5) {
        return thud_fail(THUD_BAD_FILE, diag, path, 0, 0, "it is not a recording that can be read");
    }
    return hdf5_recording_read(path, out, diag);
}
