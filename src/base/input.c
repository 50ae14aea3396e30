// SPDX-License-Identifier: Apache-2.0
// input.c: whole inputs.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thud/base_input.h>

static thud_status read_stream(FILE *file, const char *path, size_t most, char **text, size_t *bytes,
                               thud_diag *diag)
{
    size_t capacity = 0, used = 0;
    for (;;) {
        if (used + 1 >= capacity) {
            capacity = capacity ? 2 * capacity : (size_t)64 << 10;
            char *larger = thud_resize(*text, capacity);
            if (!larger) {
                return thud_fail(THUD_NO_MEMORY, diag, path, 0, 0,
                                 "a file of more than %zu bytes: memory ran out", used);
            }
            *text = larger;
        }
        const size_t got = fread(*text + used, 1, capacity - used - 1, file);
        used += got;
        if (got == 0 || used > most) {
            break;
        }
    }
    if (ferror(file)) {
        return thud_fail(THUD_BAD_FILE, diag, path, -1, -1, "it cannot be read: %s", strerror(errno));
    }
    if (used > most) {
        return thud_fail(THUD_BAD_FILE, diag, path, -1, -1, "it cannot be read: the file is too large");
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
static thud_status open_input(const char *path, size_t most, FILE **file, thud_diag *diag)
{
    struct stat s;
    const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0 || fstat(descriptor, &s) != 0) {
        return thud_fail(THUD_BAD_FILE, diag, path, -1, -1, "it cannot be read: %s", strerror(errno));
    }
    const char *why = NULL;
    if (!S_ISREG(s.st_mode) && !S_ISFIFO(s.st_mode) && !S_ISSOCK(s.st_mode) && !is_standard(&s)) {
        why = "it is not a file or a pipe";
    } else if (S_ISREG(s.st_mode) && (uintmax_t)s.st_size > most) {
        why = "the file is too large";
    } else if (fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK) != 0 ||
               !(*file = fdopen(descriptor, "rb"))) {
        why = strerror(errno);
    }
    if (why) {
        close(descriptor);
        return thud_fail(THUD_BAD_FILE, diag, path, -1, -1, "it cannot be read: %s", why);
    }
    return THUD_OK;
}

thud_status thud_input_read(const char *path, size_t most, char **text, size_t *bytes, thud_diag *diag)
{
    const bool standard = strcmp(path, "-") == 0;
    *text = NULL;
    *bytes = 0;
    FILE *file = standard ? stdin : NULL;
    if (!standard) {
        THUD_TRY(open_input(path, most, &file, diag));
    }
    const thud_status status = read_stream(file, path, most, text, bytes, diag);
    if (!standard) {
        fclose(file);
    }
    if (status != THUD_OK) {
        thud_free(*text);
        *text = NULL;
    }
    return status;
}
