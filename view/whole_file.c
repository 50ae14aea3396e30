// SPDX-License-Identifier: Apache-2.0
// whole_file.c: files that are renamed when they are done.
#include <errno.h>
#include <string.h>

#include "whole.h"

static void forget(whole *w)
{
    thud_free(w->path);
    thud_free(w->part);
    *w = (whole){0};
}

thud_status whole_open(whole *w, const char *path, thud_diag *diag)
{
    const size_t size = strlen(path) + sizeof ".part";
    *w = (whole){.path = thud_strdup(path), .part = thud_alloc(size, 1)};
    if (!w->path || !w->part) {
        forget(w);
        return thud_fail(THUD_NO_MEMORY, diag, path, 0, 0, "%s", thud_status_text(THUD_NO_MEMORY));
    }
    snprintf(w->part, size, "%s.part", path);
    w->file = fopen(w->part, "wb");
    if (!w->file) {
        const int why = errno;
        forget(w);
        return thud_fail(THUD_BAD_FILE, diag, path, 0, 0, "cannot write: %s", strerror(why));
    }
    return THUD_OK;
}

thud_status whole_close(whole *w, thud_status status, thud_diag *diag)
{
    const bool written = !ferror(w->file) && fflush(w->file) == 0;
    int why = errno;
    const bool closed = fclose(w->file) == 0;
    bool named = false;
    if (status == THUD_OK && written && closed) {
        named = rename(w->part, w->path) == 0;
        why = errno;
    }
    if (!named) {
        remove(w->part);
        status = status != THUD_OK
                     ? thud_fail(status, diag, w->path, 0, 0, "%s", thud_status_text(status))
                     : thud_fail(THUD_BAD_FILE, diag, w->path, 0, 0, "cannot write: %s", strerror(why));
    }
    forget(w);
    return status;
}
