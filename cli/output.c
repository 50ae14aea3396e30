// SPDX-License-Identifier: Apache-2.0
// output.c: outputs that say on stderr why they cannot be written.
#include "output.h"
#include "command.h"

static int say(thud_status status, const thud_diag *diag)
{
    if (status == THUD_OK) {
        return EXIT_DONE;
    }
    char text[1200];
    thud_diag_format(diag, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    return EXIT_BAD_INPUT;
}

int outputs_possible(const char *const *path, size_t count, const char *input)
{
    thud_diag diag;
    for (size_t i = 0; i < count; i++) {
        if (path[i] && thud_output_possible(path[i], &diag) != THUD_OK) {
            return say(THUD_BAD_FILE, &diag);
        }
        if (path[i] && input && thud_output_same(path[i], input)) {
            fprintf(stderr, "%s: it is read, so it cannot be written, too\n", path[i]);
            return EXIT_BAD_INPUT;
        }
        for (size_t k = 0; path[i] && k < i; k++) {
            if (path[k] && thud_output_same(path[i], path[k])) {
                fprintf(stderr, "%s: two outputs cannot be one file\n", path[i]);
                return EXIT_BAD_INPUT;
            }
        }
    }
    return EXIT_DONE;
}

int output_open(thud_output *o, const char *path)
{
    thud_diag diag;
    return say(thud_output_open(path, o, &diag), &diag);
}

int output_close(thud_output *o)
{
    thud_diag diag;
    return say(thud_output_close(o, &diag), &diag);
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
