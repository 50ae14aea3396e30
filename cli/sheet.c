// SPDX-License-Identifier: Apache-2.0
// sheet.c: tables as text, CSV and HTML.
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <thud/base_input.h>

#include "output.h"
#include "sheet.h"

enum { WIDEST = 150 }; // letters in a line of text that is still a table

sheet sheet_start(const char *const *heading, int columns)
{
    return (sheet){.heading = heading, .columns = columns};
}

void sheet_free(sheet *t)
{
    for (int i = 0; i < t->cells; i++) {
        thud_free(t->cell[i]);
    }
    thud_free(t->cell);
    *t = (sheet){0};
}

void sheet_cell(sheet *t, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (t->cells == t->capacity) {
        const int capacity = t->capacity ? 2 * t->capacity : 64;
        char **more = thud_resize(t->cell, (size_t)capacity * sizeof *more);
        if (!more) {
            t->no_memory = true;
            return;
        }
        t->cell = more;
        t->capacity = capacity;
    }
    char *copy = thud_strdup(text);
    t->no_memory = t->no_memory || !copy;
    if (copy) {
        t->cell[t->cells++] = copy;
    }
}

// ---------------------------------------------------------------------------------------- text

// Columns that a text takes on a terminal: one a character of UTF-8.
static int wide(const char *text)
{
    int columns = 0;
    for (; *text; text++) {
        columns += (*text & 0xc0) != 0x80;
    }
    return columns;
}

static bool is_number(const char *text)
{
    const char *end;
    thud_number_read(text, &end);
    return end != text || strcmp(text, "-") == 0;
}

// A column of numbers only, headings aside.
static bool is_numeric(const sheet *t, int column)
{
    for (int i = column; i < t->cells; i += t->columns) {
        if (!is_number(t->cell[i]) && t->cell[i][0]) {
            return false;
        }
    }
    return true;
}

static int column_width(const sheet *t, int column)
{
    int most = wide(t->heading[column]);
    for (int i = column; i < t->cells; i += t->columns) {
        const int width = wide(t->cell[i]);
        most = width > most ? width : most;
    }
    return most;
}

static void write_cell(const sheet *t, FILE *out, int column, const char *text)
{
    const int gap = column_width(t, column) - wide(text);
    if (is_numeric(t, column)) {
        fprintf(out, "  %*s%s", gap, "", text);
    } else {
        fprintf(out, "  %s%*s", text, column + 1 < t->columns ? gap : 0, "");
    }
}

// Rows one under the other: the first cell as a headline, then a line for every other column.
static void write_stacked(const sheet *t, FILE *out)
{
    int most = 0;
    for (int c = 1; c < t->columns; c++) {
        const int width = wide(t->heading[c]);
        most = width > most ? width : most;
    }
    for (int i = 0; i < t->cells; i++) {
        const int c = i % t->columns;
        if (c == 0) {
            fprintf(out, "  %s\n", t->cell[i]);
        } else {
            fprintf(out, "    %s%*s  %s\n", t->heading[c], most - wide(t->heading[c]), "", t->cell[i]);
        }
    }
}

void sheet_text(const sheet *t, FILE *out)
{
    int width = 0;
    for (int c = 0; c < t->columns; c++) {
        width += column_width(t, c) + 2;
    }
    if (width > WIDEST) {
        write_stacked(t, out);
        return;
    }
    for (int c = 0; c < t->columns; c++) {
        write_cell(t, out, c, t->heading[c]);
    }
    for (int i = 0; i < t->cells; i++) {
        fputs(i % t->columns ? "" : "\n", out);
        write_cell(t, out, i % t->columns, t->cell[i]);
    }
    fputc('\n', out);
}

// ---------------------------------------------------------------------------------------- CSV, HTML

static void write_csv(FILE *out, const char *text, bool last)
{
    if (strpbrk(text, ",\"\n")) {
        fputc('"', out);
        for (; *text; text++) {
            fputs(*text == '"' ? "\"" : "", out);
            fputc(*text, out);
        }
        fputc('"', out);
    } else {
        fputs(text, out);
    }
    fputc(last ? '\n' : ',', out);
}

void sheet_csv(const sheet *t, FILE *out)
{
    for (int c = 0; c < t->columns; c++) {
        write_csv(out, t->heading[c], c + 1 == t->columns);
    }
    for (int i = 0; i < t->cells; i++) {
        write_csv(out, t->cell[i], (i + 1) % t->columns == 0);
    }
}

static void write_html(const sheet *t, FILE *out, const char *tag, int column, const char *text)
{
    fprintf(out, "<%s%s>", tag, is_numeric(t, column) ? " class=\"n\"" : "");
    html_text(out, text);
    fprintf(out, "</%s>", tag);
}

void sheet_html(const sheet *t, FILE *out)
{
    fputs("<table>\n<tr>", out);
    for (int c = 0; c < t->columns; c++) {
        write_html(t, out, "th", c, t->heading[c]);
    }
    for (int i = 0; i < t->cells; i++) {
        fputs(i % t->columns ? "" : "</tr>\n<tr>", out);
        write_html(t, out, "td", i % t->columns, t->cell[i]);
    }
    fputs("</tr>\n</table>\n", out);
}
