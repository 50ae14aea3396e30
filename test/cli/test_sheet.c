// SPDX-License-Identifier: Apache-2.0
// test_sheet.c: tables as text, CSV and HTML.
#include "test.h"

#include "cli/sheet.h"

static const char *const heads[] = {"law", "h / s", "error"};

// What a writer makes of two rows; the caller frees it.
static char *written(void (*write)(const sheet *, FILE *), const char *name)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    sheet t = sheet_start(heads, 3);
    sheet_cell(&t, "%s", name);
    sheet_cell(&t, "%g", 0.01);
    sheet_cell(&t, "%.1e", 0.002);
    sheet_cell(&t, "box");
    sheet_cell(&t, "%g", 0.00125);
    sheet_cell(&t, "-");
    write(&t, out);
    fclose(out);
    CHECK(!t.no_memory);
    sheet_free(&t);
    return text;
}

static void check(void (*write)(const sheet *, FILE *), const char *name, const char *want)
{
    char *text = written(write, name);
    CHECK_TEXT(text, want);
    free(text);
}

TEST(words_stand_to_the_left_and_numbers_to_the_right)
{
    check(sheet_text, "c\303\264ne",
          "  law     h / s    error\n"
          "  c\303\264ne     0.01  2.0e-03\n"
          "  box   0.00125        -\n");
}

TEST(a_table_too_wide_for_a_line_is_stacked)
{
    char name[161] = "", want[512];
    memset(name, 'x', 160);
    snprintf(want, sizeof want,
             "  %s\n    h / s  0.01\n    error  2.0e-03\n  box\n    h / s  0.00125\n    error  -\n", name);
    check(sheet_text, name, want);
}

TEST(csv_quotes_what_would_part_a_cell)
{
    check(sheet_csv, "a, \"b\"",
          "law,h / s,error\n"
          "\"a, \"\"b\"\"\",0.01,2.0e-03\n"
          "box,0.00125,-\n");
}

TEST(html_escapes_what_would_be_a_tag)
{
    char *text = written(sheet_html, "<&>");
    CHECK(strstr(text, "<td>&lt;&amp;&gt;</td><td class=\"n\">0.01</td>") != NULL);
    free(text);
}

TEST_MAIN(T(words_stand_to_the_left_and_numbers_to_the_right), T(a_table_too_wide_for_a_line_is_stacked),
          T(csv_quotes_what_would_part_a_cell), T(html_escapes_what_would_be_a_tag))
