// SPDX-License-Identifier: Apache-2.0
// output_file.c: outputs that appear whole or not at all.
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thud/base_output.h>

enum { PARTS = 1000 }; // names that are tried

static thud_status refuse(thud_diag *diag, const char *path, const char *why)
{
    return thud_fail(THUD_BAD_FILE, diag, path, -1, -1, "it cannot be written: %s", why);
}

static bool is_special(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && !S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode);
}

// The folder of a path as text that the caller frees.
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = thud_strdup(slash ? path : ".");
    if (folder && slash) {
        folder[slash == path ? 1 : slash - path] = '\0';
    }
    return folder;
}

// ---------------------------------------------------------------------------------------------- outputs

static int create_part(const char *path, char *part, size_t size)
{
    for (int k = 1; k <= PARTS; k++) {
        snprintf(part, size, k == 1 ? "%s.part" : "%s.part%d", path, k);
        const int descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST) {
            return descriptor;
        }
    }
    return -1;
}

static thud_status open_part(const char *path, bool named_only, thud_output *o, thud_diag *diag)
{
    const bool special = is_special(path);
    const size_t size = strlen(path) + sizeof ".part1000";
    *o = (thud_output){.path = thud_strdup(path), .part = thud_alloc(size, 1)};
    if (!o->path || !o->part) {
        thud_output_discard(o);
        return thud_fail(THUD_NO_MEMORY, diag, path, 0, 0, "there is no memory for the name of the file");
    }
    int descriptor;
    if (special) {
        snprintf(o->part, size, "%s", path);
        descriptor = open(path, O_WRONLY | O_CLOEXEC);
    } else {
        descriptor = create_part(path, o->part, size);
    }
    if (descriptor >= 0 && named_only) {
        close(descriptor);
        return THUD_OK;
    }
    o->file = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    if (!o->file) {
        const int why = errno;
        if (descriptor >= 0) {
            close(descriptor);
        } else {
            o->part[0] = '\0'; // nothing to remove
        }
        thud_output_discard(o);
        return refuse(diag, path, strerror(why));
    }
    return THUD_OK;
}

thud_status thud_output_open(const char *path, thud_output *out, thud_diag *diag)
{
    return open_part(path, false, out, diag);
}

thud_status thud_output_name(const char *path, thud_output *out, thud_diag *diag)
{
    return open_part(path, true, out, diag);
}

static void forget(thud_output *o)
{
    thud_free(o->path);
    thud_free(o->part);
    *o = (thud_output){.file = NULL};
}

static bool is_part(const thud_output *o)
{
    return o->path && o->part && o->part[0] && strcmp(o->path, o->part) != 0;
}

void thud_output_discard(thud_output *o)
{
    if (o->file) {
        fclose(o->file);
    }
    if (is_part(o)) {
        unlink(o->part);
    }
    forget(o);
}

void thud_output_keep(thud_output *o)
{
    if (o->file) {
        fclose(o->file);
    }
    forget(o);
}

// Syncs a file or a folder by its name. Some file systems have no sync for folders: EINVAL is no failure.
static bool sync_path(const char *path)
{
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return false;
    }
    const bool done = fsync(descriptor) == 0 || errno == EINVAL;
    const int why = errno;
    close(descriptor);
    errno = why;
    return done;
}

static bool finish_part(thud_output *o)
{
    bool done = true;
    if (o->file) {
        done = !ferror(o->file);
        done = fclose(o->file) == 0 && done; // a full disk may show only here
        o->file = NULL;
    }
    if (!done || !is_part(o)) {
        return done;
    }
    char *folder = folder_of(o->path);
    done = folder && sync_path(o->part) && rename(o->part, o->path) == 0;
    if (done) {
        o->part[0] = '\0'; // it has its name
        done = sync_path(folder);
    }
    const int why = errno;
    thud_free(folder);
    errno = why;
    return done;
}

thud_status thud_output_close(thud_output *o, thud_diag *diag)
{
    errno = 0;
    thud_status status = THUD_OK;
    if (!finish_part(o)) {
        status = refuse(diag, o->path, errno ? strerror(errno) : "an earlier write failed");
    }
    thud_output_discard(o);
    return status;
}

thud_status thud_output_possible(const char *path, thud_diag *diag)
{
    struct stat s;
    if (is_special(path)) {
        return access(path, W_OK) == 0 ? THUD_OK : refuse(diag, path, strerror(errno));
    }
    if (stat(path, &s) == 0 && S_ISDIR(s.st_mode)) {
        return refuse(diag, path, strerror(EISDIR));
    }
    char *folder = folder_of(path);
    const bool may = folder && access(folder, W_OK | X_OK) == 0;
    const int why = errno;
    thud_free(folder);
    return may ? THUD_OK : refuse(diag, path, strerror(why));
}

bool thud_output_same(const char *a, const char *b)
{
    struct stat s, t;
    if (is_special(a) || is_special(b)) {
        return false;
    }
    if (stat(a, &s) == 0 && stat(b, &t) == 0) {
        return s.st_dev == t.st_dev && s.st_ino == t.st_ino;
    }
    const char *slash_a = strrchr(a, '/'), *slash_b = strrchr(b, '/');
    char *folder_a = folder_of(a), *folder_b = folder_of(b);
    const bool same = strcmp(slash_a ? slash_a + 1 : a, slash_b ? slash_b + 1 : b) == 0 && folder_a &&
                      folder_b && stat(folder_a, &s) == 0 && stat(folder_b, &t) == 0 &&
                      s.st_dev == t.st_dev && s.st_ino == t.st_ino;
    thud_free(folder_a);
    thud_free(folder_b);
    return same;
}
