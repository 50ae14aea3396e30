// SPDX-License-Identifier: Apache-2.0
// input.c: whole inputs.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thud/base_input.h>

#include "input.h"

static thud_status read_stream(FILE *file, size_t most, char **text, size_t *bytes, const char **why)
{
    size_t capacity = 0, used = 0;
    for (;;) {
        if (used + 1 >= capacity) {
            capacity = capacity ? 2 * capacity : (size_t)64 << 10;
            char *larger = thud_resize(*text, capacity);
            if (!larger) {
                *why = "memory ran out";
                return THUD_NO_MEMORY;
            }
            *text = larger;
        }
        const size_t got = fread(*text + used, 1, capacity - used - 1, file);
        used += got;
        if (got == 0 || used > most) {
            break;
        }
    }
    if (ferror(file) || used > most) {
        *why = used > most ? "the file is too large" : strerror(errno);
        return THUD_BAD_FILE;
    }
    (*text)[used] = '\0';
    *bytes = used;
    return THUD_OK;
}

// Standard input by another name (/dev/stdin), which may be a terminal.
static bool is_standard(const struct stat *s)
{
    struct stat t;
    return fstat(STDIN_FILENO, &t) == 0 && s->st_dev == t.st_dev && s->st_ino == t.st_ino;
}

// Opening does not wait for a writer of a pipe: without one the input is empty.
static FILE *open_input(const char *path, size_t most, const char **why)
{
    struct stat s;
    FILE *file = NULL;
    const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const bool opened = descriptor >= 0 && fstat(descriptor, &s) == 0;
    if (opened && !S_ISREG(s.st_mode) && !S_ISFIFO(s.st_mode) && !S_ISSOCK(s.st_mode) && !is_standard(&s)) {
        *why = "it is not a file or a pipe";
    } else if (opened && S_ISREG(s.st_mode) && (uintmax_t)s.st_size > most) {
        *why = "the file is too large";
    } else if (!opened || fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK) != 0 ||
               !(file = fdopen(descriptor, "rb"))) {
        *why = strerror(errno);
    }
    if (descriptor >= 0 && !file) {
        close(descriptor);
    }
    return file;
}

static thud_status read_and_free(FILE *file, size_t most, char **text, size_t *bytes, const char **why)
{
    const thud_status status = read_stream(file, most, text, bytes, why);
    if (status != THUD_OK) {
        thud_free(*text);
        *text = NULL;
    }
    return status;
}

thud_status input_read(const char *path, size_t most, char **text, size_t *bytes, const char **why)
{
    *text = NULL;
    *bytes = 0;
    FILE *file = open_input(path, most, why);
    if (!file) {
        return THUD_BAD_FILE;
    }
    const thud_status status = read_and_free(file, most, text, bytes, why);
    fclose(file);
    return status;
}

thud_status thud_input_read(const char *path, size_t most, char **text, size_t *bytes, thud_diag *diag)
{
    const char *why = "";
    *text = NULL;
    *bytes = 0;
    const thud_status status = strcmp(path, "-") == 0 ? read_and_free(stdin, most, text, bytes, &why)
                                                      : input_read(path, most, text, bytes, &why);
    return status == THUD_OK ? THUD_OK : thud_fail(status, diag, path, -1, -1, "it cannot be read: %s", why);
}
