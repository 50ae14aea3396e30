// SPDX-License-Identifier: Apache-2.0
// whole_file.c: a file as one block of memory.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "mesh_build.h"

#define MAX_BYTES ((size_t)1 << 31) // larger than any mesh within THUD_MESH_MAX_COUNT

static thud_status read_stream(FILE *file, const char *path, unsigned char **bytes, size_t *size,
                               thud_diag *diag)
{
    size_t capacity = 1 << 16, used = 0;
    unsigned char *block = NULL;
    for (;;) {
        unsigned char *larger = thud_resize(block, capacity);
        if (!larger) {
            thud_free(block);
            return thud_fail(THUD_NO_MEMORY, diag, path, 0, 0, "a file of more than %zu bytes: %s", used,
                             thud_status_text(THUD_NO_MEMORY));
        }
        block = larger;
        used += fread(block + used, 1, capacity - used, file);
        if (used < capacity || capacity >= MAX_BYTES) {
            break;
        }
        capacity *= 2;
    }
    if (ferror(file) || used == 0 || used >= MAX_BYTES) {
        thud_free(block);
        return thud_fail(THUD_BAD_FILE, diag, path, 0, 0, "%s",
                         ferror(file) ? strerror(errno)
                         : used == 0  ? "the file is empty"
                                      : "the file is too large");
    }
    *bytes = block;
    *size = used;
    return THUD_OK;
}

thud_status read_whole_file(const char *path, unsigned char **bytes, size_t *size, thud_diag *diag)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        return thud_fail(THUD_BAD_FILE, diag, path, 0, 0, "cannot be opened: %s", strerror(errno));
    }
    const thud_status status = read_stream(file, path, bytes, size, diag);
    fclose(file);
    return status;
}
