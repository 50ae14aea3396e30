// SPDX-License-Identifier: Apache-2.0
// test_memory.c: a recording in memory, and one read back from CSV, hold what was written.
#include "folder.h"

#include <thud/record_read.h>

static int enter(void **state)
{
    (void)state;
    return folder_enter("run.csv");
}

static const thud_column columns[3] = {{"time", "s"}, {"a \"quoted\", name", ""}, {"qpos[1]", "m"}};

static double value_of(int row, int column)
{
    return column == 2 && row == 5 ? NAN : (row + 1) / 3.0 - 1e-9 * column;
}

static void write_rows(thud_recorder *r, int rows)
{
    for (int i = 0; i < rows; i++) {
        CHECK_OK(thud_recorder_row(r, (double[]){value_of(i, 0), value_of(i, 1), value_of(i, 2)}));
    }
}

static void check_rows(const thud_recording *got, int rows)
{
    CHECK_INT(got->columns, 3);
    CHECK_INT((int)got->rows, rows);
    for (int c = 0; c < 3; c++) {
        CHECK_TEXT(got->name[c], columns[c].name);
        CHECK_INT(thud_recording_find(got, columns[c].name), c);
    }
    for (int i = 0; i < rows; i++) {
        for (int c = 0; c < 3; c++) {
            const double want = value_of(i, c), had = got->value[3 * i + c];
            CHECK(memcmp(&want, &had, sizeof want) == 0 || (isnan(want) && isnan(had)));
        }
    }
}

TEST(a_recording_in_memory_holds_the_rows_the_notes_and_the_tables)
{
    (void)test_state;
    thud_recorder *r;
    thud_recording *got;
    CHECK_OK(thud_recorder_open_table(NULL, columns, 3, &r, NULL));
    CHECK_OK(thud_recorder_note(r, "law", "cone"));
    CHECK_OK(thud_recorder_note_number(r, "dt", 1.0 / 3));
    CHECK_OK(thud_recorder_keep_contacts(r, NULL));
    CHECK_OK(thud_recorder_keep_events(r, NULL));
    write_rows(r, 1000);
    CHECK_OK(thud_recorder_events(r, &(thud_event){.time = 0.25}, 1));
    CHECK_OK(thud_recorder_flush(r));
    CHECK_OK(thud_recorder_take(r, &got, NULL));
    check_rows(got, 1000);
    CHECK_TEXT(thud_recording_text(got, "law"), "cone");
    CHECK_NEAR(thud_recording_number(got, "dt", 0), 1.0 / 3, 0);
    CHECK_INT((int)got->contact.rows, 0);
    CHECK(thud_recording_table_find(&got->contact, "impulse[2]") > 0);
    CHECK_INT((int)got->event.rows, 1);
    CHECK_NEAR(got->event.value[thud_recording_table_find(&got->event, "time")], 0.25, 0);
    thud_recording_destroy(got);
}

TEST(a_recording_in_a_file_cannot_be_taken)
{
    thud_recorder *r;
    thud_recording *got;
    thud_diag diag = {.text = ""};
    CHECK_OK(thud_recorder_open_table(path, columns, 3, &r, NULL));
    CHECK_INT(thud_recorder_take(r, &got, &diag), THUD_BAD_ARGUMENT);
    CHECK(!got && strstr(diag.text, "memory"));
    CHECK_OK(thud_recorder_open_table(NULL, columns, 3, &r, NULL));
    CHECK_OK(thud_recorder_close(r, NULL)); // and one in memory may be dropped
}

TEST(csv_reads_back_as_the_same_bits)
{
    thud_recorder *r;
    thud_recording *got;
    CHECK_OK(thud_recorder_open_table(path, columns, 3, &r, NULL));
    write_rows(r, 300);
    CHECK_OK(thud_recorder_close(r, NULL));
    CHECK_OK(thud_recording_read(path, &got, NULL));
    check_rows(got, 300);
    CHECK_INT(got->notes, 0);
    thud_recording_destroy(got);
    FILE *file = fopen(path, "a"); // a row that a kill cut off is no row
    fputs("1,2", file);
    fclose(file);
    CHECK_OK(thud_recording_read(path, &got, NULL));
    check_rows(got, 300);
    thud_recording_destroy(got);
}

TEST(csv_that_is_none_is_refused_with_its_line_and_column)
{
    static const struct {
        const char *text;
        int line, column;
    } wrong[] = {{"", 1, 1}, {"\n", 1, 1}, {"a,b\n1,2\n3\n", 3, 1}, {"a,b\n1,x\n", 2, 3}, {"a\n1,2\n", 2, 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        FILE *file = fopen(path, "w");
        fputs(wrong[i].text, file);
        fclose(file);
        thud_recording *got;
        thud_diag diag = {.text = ""};
        CHECK_INT(thud_recording_read(path, &got, &diag), THUD_BAD_FILE);
        CHECK_INT(diag.line, wrong[i].line);
        CHECK_INT(diag.column, wrong[i].column);
        CHECK(!got);
    }
}

#define F(claim) cmocka_unit_test_setup_teardown(claim, enter, leave)
TEST_MAIN(T(a_recording_in_memory_holds_the_rows_the_notes_and_the_tables),
          F(a_recording_in_a_file_cannot_be_taken), F(csv_reads_back_as_the_same_bits),
          F(csv_that_is_none_is_refused_with_its_line_and_column))
