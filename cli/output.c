// SPDX-License-Identifier: Apache-2.0
// output.c: whole files.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <thud/base.h>

#include "command.h"
#include "output.h"

static int say(const char *path, const char *why)
{
    fprintf(stderr, "%s:1:1: it cannot be written: %s\n", path, why);
    return EXIT_BAD_INPUT;
}

int output_possible(const char *path)
{
    char folder[4096] = ".";
    const char *slash = path ? strrchr(path, '/') : NULL;
    if (slash) {
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path) + 1, path);
    }
    return !path || access(folder, W_OK | X_OK) == 0 ? EXIT_DONE : say(path, strerror(errno));
}

void output_discard(output *o)
{
    if (o->file && o->part) {
        fclose(o->file);
        unlink(o->part);
    }
    thud_free(o->path);
    thud_free(o->part);
    *o = (output){0};
}

int output_open(output *o, const char *path)
{
    const size_t size = strlen(path) + sizeof ".part";
    *o = (output){.path = thud_strdup(path), .part = thud_alloc(size, 1)};
    if (!o->path || !o->part) {
        output_discard(o);
        return say(path, thud_status_text(THUD_NO_MEMORY));
    }
    snprintf(o->part, size, "%s.part", path);
    o->file = fopen(o->part, "w");
    if (!o->file) {
        const int why = errno;
        output_discard(o);
        return say(path, strerror(why));
    }
    return EXIT_DONE;
}

int output_close(output *o)
{
    const bool whole = !ferror(o->file) && fflush(o->file) == 0;
    if (whole && rename(o->part, o->path) == 0) {
        fclose(o->file);
        o->file = NULL;
        output_discard(o);
        return EXIT_DONE;
    }
    const int code = say(o->path, strerror(errno));
    output_discard(o);
    return code;
}

void html_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc(*text, out);
        }
    }
}
