// SPDX-License-Identifier: Apache-2.0
// term.c: terminals.
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <thud/base.h>

#include "term.h"

enum { LEFT = 28, RIGHT_EDGE = 104, BAR = 24 };

static const double patience = 1.0; // s of work before a bar appears
static const double period = 0.1;   // s between two drawings

static bool coloured(FILE *stream)
{
    const char *no_color = getenv("NO_COLOR"), *kind = getenv("TERM");
    return isatty(fileno(stream)) && !(no_color && *no_color) && !(kind && strcmp(kind, "dumb") == 0);
}

const char *term_bold(FILE *stream)
{
    return coloured(stream) ? "\033[1m" : "";
}

const char *term_dim(FILE *stream)
{
    return coloured(stream) ? "\033[2m" : "";
}

const char *term_plain(FILE *stream)
{
    return coloured(stream) ? "\033[0m" : "";
}

void term_paragraph(FILE *stream, const char *text)
{
    int column = 0;
    while (*text) {
        if (*text == '\n') {
            fputc(*text++, stream);
            column = 0;
            continue;
        }
        const int gap = (int)strspn(text, " "), word = (int)strcspn(text + gap, " \n");
        const bool fold = column > 0 && column + gap + word > RIGHT_EDGE;
        fprintf(stream, "%s%.*s", fold ? "\n" : "", fold ? word : gap + word, text + (fold ? gap : 0));
        column = fold ? word : column + gap + word;
        text += gap + word;
    }
    fputc('\n', stream);
}

void term_entry(FILE *stream, const char *left, const char *right)
{
    fprintf(stream, "  %-*s", LEFT - 3, left);
    int column = 2 + (int)strlen(left);
    column = column < LEFT - 1 ? LEFT - 1 : column;
    if (column >= LEFT) { // too long: the explanation starts on the next line
        fprintf(stream, "\n%*s", LEFT - 1, "");
        column = LEFT - 1;
    }
    while (*right) {
        const int word = (int)strcspn(right, " ");
        if (column + 1 + word > RIGHT_EDGE && column >= LEFT) {
            fprintf(stream, "\n%*s", LEFT - 1, "");
            column = LEFT - 1;
        }
        fprintf(stream, " %.*s", word, right);
        column += 1 + word;
        right += word + strspn(right + word, " ");
    }
    fputc('\n', stream);
}

// ---------------------------------------------------------------------------------------- progress

progress progress_start(void)
{
    const double now = thud_clock_wall();
    const char *kind = getenv("TERM");
    return (progress){.on = isatty(STDERR_FILENO) && !(kind && strcmp(kind, "dumb") == 0),
                      .start = now,
                      .next = now + patience};
}

bool progress_due(progress *p)
{
    if (!p->on) {
        return false;
    }
    const double now = thud_clock_wall();
    if (now < p->next) {
        return false;
    }
    p->next = now + period;
    return true;
}

static int columns(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

void progress_draw(progress *p, double fraction, const char *format, ...)
{
    if (!p->on) {
        return;
    }
    static const char *const eighth[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    char words[256];
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    const double f = fmin(fmax(fraction, 0), 1);
    const int eighths = (int)(8 * BAR * f), full = eighths / 8, rest = BAR - full - (eighths % 8 > 0);
    const int room = columns() - BAR - 10;
    fputs("\r\033[K ", stderr);
    fputs(term_bold(stderr), stderr);
    for (int i = 0; i < full; i++) {
        fputs("█", stderr);
    }
    fputs(eighth[eighths % 8], stderr);
    fprintf(stderr, "%s%*s│ %3.0f %%  %.*s", term_plain(stderr), rest, "", floor(100 * f),
            room > 0 ? room : 0, words);
    fflush(stderr);
    p->drawn = true;
}

void progress_hide(progress *p)
{
    if (p->drawn) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
    p->drawn = false;
}

void progress_finish(progress *p)
{
    progress_hide(p);
    p->on = false;
}
