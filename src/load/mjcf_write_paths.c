// SPDX-License-Identifier: Apache-2.0
// mjcf_write_paths.c: paths of assets relative to the folder of the file that names them.
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mjcf_write.h"

static bool resolve(const char *path, char out[PATH_MAX])
{
    return realpath(path, out) != NULL;
}

static bool resolve_folder(const char *file, char out[PATH_MAX])
{
    const char *slash = strrchr(file, '/');
    char folder[PATH_MAX];
    if (slash && (size_t)(slash - file) + 2 > sizeof folder) {
        errno = ENAMETOOLONG;
        return false;
    }
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - file) + 1 : 1, slash ? file : ".");
    return resolve(folder, out);
}

// How many characters of a folder and a path are the same, counted in whole names.
static size_t common_folders(const char *folder, const char *path)
{
    size_t same = 0, i = 0;
    while (folder[i] && folder[i] == path[i]) {
        i++;
        same = path[i] == '/' && (folder[i] == '/' || !folder[i]) ? i : same;
    }
    return same;
}

// Where somebody else opens files, names are all there is.
static bool name_both(const mjcf_writer *w, const char *file, char folder[PATH_MAX], char path[PATH_MAX])
{
    const char *slash = strrchr(w->path, '/');
    char text[PATH_MAX];
    if (file[0] == '/' || strncmp(file, "../", 3) == 0) {
        errno = ENOENT;
        return false;
    }
    if (strlen(file) + 2 > PATH_MAX || strlen(w->path) + 2 > PATH_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    snprintf(text, sizeof text, "/%s", file);
    thud_files_plain_name(text, path);
    snprintf(text, sizeof text, "/%.*s", slash ? (int)(slash - w->path) : 0, w->path);
    thud_files_plain_name(text, folder);
    return true;
}

const char *mjcf_relative(mjcf_writer *w, const char *file)
{
    char folder[PATH_MAX], path[PATH_MAX];
    const char *wrong = w->spec->files.open                ? (name_both(w, file, folder, path) ? NULL : file)
                        : !resolve(file, path)             ? file
                        : !resolve_folder(w->path, folder) ? w->path
                                                           : NULL;
    if (wrong) {
        mjcf_fail_writing(w, thud_fail(THUD_BAD_FILE, w->diag, wrong, 1, 1, "%s", strerror(errno)));
        return NULL;
    }
    const size_t same = strcmp(folder, "/") == 0 ? 0 : common_folders(folder, path);
    size_t up = 0;
    for (const char *p = folder + same; *p && strcmp(folder, "/") != 0; p++) {
        up += *p == '/';
    }
    char *text = pool_push(&w->scratch.tree.pool, 3 * up + strlen(path) + 1, 1);
    if (!text) {
        mjcf_fail_writing(w, THUD_NO_MEMORY);
        return NULL;
    }
    for (size_t i = 0; i < up; i++) {
        strcpy(text + 3 * i, "../");
    }
    strcpy(text + 3 * up, path + same + 1);
    return text;
}
