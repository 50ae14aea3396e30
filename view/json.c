// SPDX-License-Identifier: Apache-2.0
// json.c: a streaming JSON writer.
#include <math.h>
#include <string.h>

#include <thud/base.h>

#include "json.h"

void json_open(json *j, FILE *out)
{
    *j = (json){.out = out};
}

void json_close(json *j)
{
    THUD_ASSERT(j->depth == 0);
    fputc('\n', j->out);
}

// ---------------------------------------------------------------------------------------- text

// The length of the UTF-8 sequence at c, or 0 when it is none (overlong forms and surrogates are none).
static int utf8_length(const unsigned char *c)
{
    static const struct {
        unsigned char mask, lead, length;
        unsigned least;
    } form[] = {{0xe0, 0xc0, 2, 0x80}, {0xf0, 0xe0, 3, 0x800}, {0xf8, 0xf0, 4, 0x10000}};
    for (int f = 0; f < 3; f++) {
        if ((c[0] & form[f].mask) != form[f].lead) {
            continue;
        }
        unsigned code = c[0] & (unsigned char)~form[f].mask;
        for (int i = 1; i < form[f].length; i++) {
            if ((c[i] & 0xc0) != 0x80) {
                return 0;
            }
            code = code << 6 | (c[i] & 0x3fu);
        }
        const bool surrogate = code >= 0xd800 && code <= 0xdfff;
        return code < form[f].least || code > 0x10ffff || surrogate ? 0 : form[f].length;
    }
    return 0;
}

static void write_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        const char *escape = strchr("\"\\\bb\ff\nn\rr\tt", *c);
        if (*c == '"' || *c == '\\') {
            fprintf(out, "\\%c", *c);
        } else if (*c < 0x20 && escape) {
            fprintf(out, "\\%c", escape[1]);
        } else if (*c < 0x20 || *c == 0x7f) {
            fprintf(out, "\\u%04x", *c);
        } else if (*c < 0x80) {
            fputc(*c, out);
        } else {
            const int length = utf8_length(c);
            if (length) {
                fwrite(c, 1, (size_t)length, out);
                c += length - 1;
            } else {
                fputs("\xef\xbf\xbd", out); // U+FFFD
            }
        }
    }
    fputc('"', out);
}

// ---------------------------------------------------------------------------------------- structure

static void indent(json *j)
{
    fprintf(j->out, "\n%*s", 2 * j->depth, "");
}

// Comma, place and key of the next value.
static void lead(json *j, const char *key)
{
    if (j->depth > 0) {
        bool *written = &j->level[j->depth - 1].written;
        if (*written) {
            fputc(',', j->out);
        }
        if (!j->level[j->depth - 1].on_one_line) {
            indent(j);
        } else if (*written) {
            fputc(' ', j->out);
        }
        *written = true;
    }
    if (key) {
        write_text(j->out, key);
        fputs(": ", j->out);
    }
}

static void begin(json *j, const char *key, char bracket, bool on_one_line)
{
    THUD_ASSERT(j->depth < JSON_DEPTH && (bracket == '{' || bracket == '['));
    lead(j, key);
    fputc(bracket, j->out);
    const bool inside = j->depth > 0 && j->level[j->depth - 1].on_one_line;
    j->level[j->depth].close = bracket == '{' ? '}' : ']';
    j->level[j->depth].written = false;
    j->level[j->depth].on_one_line = on_one_line || inside;
    j->depth++;
}

void json_begin(json *j, const char *key, char bracket)
{
    begin(j, key, bracket, false);
}

void json_begin_line(json *j, const char *key, char bracket)
{
    begin(j, key, bracket, true);
}

void json_end(json *j)
{
    THUD_ASSERT(j->depth > 0);
    j->depth--;
    if (j->level[j->depth].written && !j->level[j->depth].on_one_line) {
        indent(j);
    }
    fputc(j->level[j->depth].close, j->out);
}

// ---------------------------------------------------------------------------------------- values

void json_number(json *j, const char *key, double value)
{
    char text[THUD_NUMBER_SIZE];
    lead(j, key);
    fputs(isfinite(value) ? thud_number_format(value, text) : "null", j->out);
}

void json_integer(json *j, const char *key, long long value)
{
    lead(j, key);
    fprintf(j->out, "%lld", value);
}

void json_text(json *j, const char *key, const char *value)
{
    lead(j, key);
    if (value) {
        write_text(j->out, value);
    } else {
        fputs("null", j->out);
    }
}

void json_bool(json *j, const char *key, bool value)
{
    lead(j, key);
    fputs(value ? "true" : "false", j->out);
}

void json_numbers(json *j, const char *key, const double *value, size_t count)
{
    json_begin_line(j, key, '[');
    for (size_t i = 0; i < count; i++) {
        json_number(j, NULL, value[i]);
    }
    json_end(j);
}
