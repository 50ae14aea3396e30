// SPDX-License-Identifier: Apache-2.0
// files.c: bytes of files: of the file system, of one folder, or of the caller's.
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thud/base_files.h>

#include "input.h"

#define MAX_BYTES ((size_t)1 << 31) // more than any mesh has

// ---------------------------------------------------------------------------------------------- the file system

static thud_status read_path(const char *path, thud_bytes *out, thud_diag *diag)
{
    char *text;
    size_t length;
    const char *why = "";
    const thud_status status = input_read(path, MAX_BYTES, &text, &length, &why);
    if (status != THUD_OK) {
        return thud_fail(status, diag, NULL, 0, 0, "%s", why);
    }
    *out = (thud_bytes){text, length, text};
    return THUD_OK;
}

// ---------------------------------------------------------------------------------------------- names

void thud_files_plain_name(const char *name, char *out)
{
    const bool absolute = name[0] == '/';
    size_t used = absolute, least = used; // what lies before `least` cannot be taken back
    out[0] = '/';
    for (const char *c = name; *c;) {
        c += strspn(c, "/");
        const size_t length = strcspn(c, "/");
        const bool up = length == 2 && c[0] == '.' && c[1] == '.';
        if (length == 0 || (length == 1 && c[0] == '.') || (up && absolute && used == 1)) {
            c += length;
            continue;
        }
        if (up && used > least) { // the last folder goes
            while (used > least && out[used - 1] != '/') {
                used--;
            }
            used -= used > least;
            c += length;
            continue;
        }
        if (used > absolute) {
            out[used++] = '/';
        }
        memmove(out + used, c, length);
        used += length;
        least = up ? used : least;
        c += length;
    }
    out[used] = '\0';
}

// ---------------------------------------------------------------------------------------------- opening

thud_status thud_files_open(const thud_files *files, const char *name, thud_bytes *out, thud_diag *diag)
{
    *out = (thud_bytes){0};
    if (!files || !files->open) {
        return read_path(name, out, diag);
    }
    char *plain = thud_alloc(strlen(name) + 2, 1);
    if (!plain) {
        return thud_fail(THUD_NO_MEMORY, diag, NULL, 0, 0, "%s", thud_status_text(THUD_NO_MEMORY));
    }
    thud_files_plain_name(name, plain);
    thud_diag why = {.text = ""};
    const thud_status status = files->open(files->user, plain, out, &why);
    thud_free(plain);
    if (status == THUD_OK) {
        return THUD_OK;
    }
    *out = (thud_bytes){0};
    return thud_fail(status, diag, NULL, 0, 0, "%s", why.text[0] ? why.text : "there is no such file");
}

void thud_files_close(const thud_files *files, thud_bytes *bytes)
{
    if (!files || !files->open) {
        thud_free(bytes->owner);
    } else if (files->close) {
        files->close(files->user, bytes);
    }
    *bytes = (thud_bytes){0};
}

bool thud_files_has(const thud_files *files, const char *name)
{
    thud_bytes bytes;
    if (!files || !files->open) {
        return access(name, R_OK) == 0;
    }
    if (thud_files_open(files, name, &bytes, NULL) != THUD_OK) {
        return false;
    }
    thud_files_close(files, &bytes);
    return true;
}

// ---------------------------------------------------------------------------------------------- one folder

// Whether a path, links followed, is below a folder.
static bool is_below(const char *folder, const char *path)
{
    char *real_folder = realpath(folder, NULL), *real_path = realpath(path, NULL);
    const size_t length = real_folder ? strlen(real_folder) : 0;
    const bool below = length > 0 && real_path && strncmp(real_path, real_folder, length) == 0 &&
                       (real_path[length] == '/' || real_folder[length - 1] == '/');
    free(real_folder);
    free(real_path);
    return below;
}

static bool is_regular(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

static thud_status open_within(void *user, const char *name, thud_bytes *out, thud_diag *diag)
{
    const char *folder = user;
    if (name[0] == '/') {
        return thud_fail(THUD_BAD_FILE, diag, NULL, 0, 0,
                         "only files below one folder may be opened, and this name is absolute");
    }
    if (strcmp(name, "..") == 0 || strncmp(name, "../", 3) == 0) {
        return thud_fail(THUD_BAD_FILE, diag, NULL, 0, 0,
                         "only files below one folder may be opened, and this name leads out of it");
    }
    const size_t size = strlen(folder) + strlen(name) + 2;
    char *path = thud_alloc(size, 1);
    if (!path) {
        return THUD_NO_MEMORY;
    }
    snprintf(path, size, "%s/%s", folder, name);
    thud_status status = THUD_OK;
    if (access(path, R_OK) != 0) {
        status = thud_fail(THUD_BAD_FILE, diag, NULL, 0, 0, "%s", strerror(errno));
    } else if (!is_below(folder, path)) {
        status = thud_fail(THUD_BAD_FILE, diag, NULL, 0, 0,
                           "only files below one folder may be opened, and a link leads out of it");
    } else if (!is_regular(path)) {
        status = thud_fail(THUD_BAD_FILE, diag, NULL, 0, 0, "not a regular file");
    }
    status = status == THUD_OK ? read_path(path, out, diag) : status;
    thud_free(path);
    return status;
}

static void close_within(void *user, thud_bytes *bytes)
{
    (void)user;
    thud_free(bytes->owner);
}

thud_files thud_files_within(const char *folder)
{
    return (thud_files){open_within, close_within, (void *)(uintptr_t)folder};
}
