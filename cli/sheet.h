// SPDX-License-Identifier: Apache-2.0
// sheet.h: a table of words and numbers, written as text, CSV or HTML.
//
//     const char *const heads[] = {"h / s", "ours", "paper"};
//     sheet t = sheet_start(heads, 3);
//     sheet_cell(&t, "%g", h);  sheet_cell(&t, "%.4f", ours);  sheet_cell(&t, "%.4f", paper);
//     sheet_text(&t, stdout);
//     sheet_free(&t);
#pragma once

#include <stdbool.h>
#include <stdio.h>

typedef struct sheet {
    const char *const *heading; // columns
    int columns, cells, capacity;
    char **cell;    // row by row
    bool no_memory; // some cell is missing
} sheet;

sheet sheet_start(const char *const *heading, int columns);
void sheet_free(sheet *t);

// The next cell of the row; after the last column the next row begins.
void sheet_cell(sheet *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

void sheet_text(const sheet *t, FILE *out); // columns aligned, numbers to the right; stacked where too wide
void sheet_csv(const sheet *t, FILE *out);
void sheet_html(const sheet *t, FILE *out);
