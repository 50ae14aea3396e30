// SPDX-License-Identifier: Apache-2.0
// scan.h: a cursor over text that knows its line and column. Words are runs of visible characters.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <thud/base_input.h>

typedef struct scanner {
    const char *at, *end;
    const char *line_start;
    int line;
} scanner;

typedef struct word {
    const char *text;
    int length; // 0: none left
    int line, column;
} word;

static inline scanner scan_start(const void *bytes, size_t size)
{
    const char *text = bytes;
    const scanner s = {text, text + size, text, 1};
    return s;
}

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' || c == '\0';
}

static inline void skip_newline(scanner *s)
{
    s->at++;
    s->line++;
    s->line_start = s->at;
}

static inline word word_here(scanner *s)
{
    word w = {s->at, 0, s->line, (int)(s->at - s->line_start) + 1};
    while (s->at < s->end && !is_blank(*s->at) && *s->at != '\n') {
        s->at++;
    }
    w.length = (int)(s->at - w.text);
    return w;
}

// The next word on any line.
static inline word scan_word(scanner *s)
{
    while (s->at < s->end && (is_blank(*s->at) || *s->at == '\n')) {
        if (*s->at == '\n') {
            skip_newline(s);
        } else {
            s->at++;
        }
    }
    return word_here(s);
}

// The next word of this line, of length 0 at its end or at a comment. A backslash before the line's end joins
// lines.
static inline word scan_line_word(scanner *s)
{
    for (;;) {
        while (s->at < s->end && is_blank(*s->at)) {
            s->at++;
        }
        const ptrdiff_t left = s->end - s->at;
        const bool joined = left >= 2 && s->at[0] == '\\' && s->at[1] == '\n';
        const bool joined_crlf = left >= 3 && s->at[0] == '\\' && s->at[1] == '\r' && s->at[2] == '\n';
        if (!joined && !joined_crlf) {
            break;
        }
        s->at += joined ? 1 : 2;
        skip_newline(s);
    }
    if (s->at < s->end && *s->at == '#') {
        const word none = {s->at, 0, s->line, (int)(s->at - s->line_start) + 1};
        return none;
    }
    return word_here(s);
}

static inline void scan_skip_line(scanner *s)
{
    while (s->at < s->end && *s->at != '\n') {
        s->at++;
    }
    if (s->at < s->end) {
        skip_newline(s);
    }
}

// Compares without regard to case; lower is in lower case.
static inline bool word_is(word w, const char *lower)
{
    for (int i = 0; i < w.length; i++) {
        const char c = w.text[i] >= 'A' && w.text[i] <= 'Z' ? (char)(w.text[i] + 32) : w.text[i];
        if (c != lower[i] || lower[i] == '\0') {
            return false;
        }
    }
    return lower[w.length] == '\0';
}

// Reads a whole word as a decimal number; false when it is none. Infinite when too large.
static inline bool word_number(word w, double *out)
{
    char text[1024];
    if (w.length <= 0 || w.length >= (int)sizeof text) {
        return false;
    }
    memcpy(text, w.text, (size_t)w.length);
    text[w.length] = '\0';
    const char *end, last = text[w.length - 1] | 0x20;
    *out = thud_number_read(text, &end);
    return end == text + w.length && (last < 'a' || last > 'z'); // not inf, not nan
}

// Reads a decimal integer at *p (advancing it); false when there is none or it does not fit.
static inline bool text_integer(const char **p, const char *end, int *out)
{
    const bool negative = *p < end && **p == '-';
    *p += negative || (*p < end && **p == '+');
    const char *first = *p;
    int64_t n = 0;
    for (; *p < end && **p >= '0' && **p <= '9'; ++*p) {
        n = n < INT32_MAX ? 10 * n + (**p - '0') : n;
    }
    *out = (int)(negative ? -n : n);
    return *p > first && n < INT32_MAX;
}
