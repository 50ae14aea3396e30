// SPDX-License-Identifier: Apache-2.0
// test_csv.c: recordings are whole, or not there.
#include "folder.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <thud/record.h>

static int enter(void **state)
{
    (void)state;
    return folder_enter("run.csv");
}

static bool there(const char *file)
{
    return access(file, F_OK) == 0;
}

static char *contents(const char *file)
{
    static char text[1 << 20];
    FILE *f = fopen(file, "r");
    const size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    text[n] = '\0';
    if (f) {
        fclose(f);
    }
    return text;
}

static const thud_column columns[] = {{"time", "s"}, {"qpos[0]", "rad"}, {"a, \"b\"", ""}};

TEST(a_table_is_a_header_and_rows_that_read_back_as_the_same_bits)
{
    thud_recorder *r;
    CHECK_OK(thud_recorder_open_table(path, columns, 3, &r, NULL));
    const double row[3] = {0.1, 1.0 / 3, NAN};
    CHECK_OK(thud_recorder_row(r, row));
    CHECK_OK(thud_recorder_close(r, NULL));
    CHECK(!there(part));
    const char *text = contents(path);
    CHECK_TEXT(text, "time,qpos[0],\"a, \"\"b\"\"\"\n0.1,0.3333333333333333,nan\n");
    CHECK_NEAR(strtod(strstr(text, "0.333"), NULL), 1.0 / 3, 0);
}

TEST(the_name_appears_only_when_the_recording_is_whole)
{
    thud_recorder *r;
    CHECK_OK(thud_recorder_open_table(path, columns, 3, &r, NULL));
    for (int i = 0; i < 10000; i++) {
        CHECK_OK(thud_recorder_row(r, (double[]){i, 2, 3}));
        CHECK(!there(path) && there(part));
    }
    CHECK_OK(thud_recorder_close(r, NULL));
    CHECK(there(path) && !there(part));
}

TEST(abandoning_keeps_the_old_recording_and_the_part)
{
    thud_recorder *r;
    FILE *f = fopen(path, "w");
    fputs("old\n", f);
    fclose(f);
    CHECK_OK(thud_recorder_open_table(path, columns, 1, &r, NULL));
    CHECK_OK(thud_recorder_row(r, (double[]){7}));
    thud_recorder_abandon(r);
    CHECK_TEXT(contents(path), "old\n");
    CHECK_TEXT(contents(part), "time\n7\n");
}

// A writer that is killed without warning leaves whole lines, and at least those that it flushed.
TEST(a_killed_writer_leaves_whole_rows_up_to_its_last_flush)
{
    int done[2];
    CHECK(pipe(done) == 0);
    const pid_t child = fork();
    if (child == 0) {
        thud_recorder *r;
        double row[3] = {0, 1.0 / 3, 2.0 / 3};
        if (thud_recorder_open_table(path, columns, 3, &r, NULL) != THUD_OK) {
            _exit(1);
        }
        for (int i = 0; i < 5000; i++) {
            row[0] = i;
            if (thud_recorder_row(r, row) != THUD_OK || (i == 2999 && thud_recorder_flush(r) != THUD_OK)) {
                _exit(1);
            }
        }
        if (write(done[1], "x", 1) == 1) {
            pause();
        }
        _exit(1);
    }
    char byte;
    CHECK(read(done[0], &byte, 1) == 1);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    close(done[0]);
    close(done[1]);
    CHECK(!there(path));
    const char *text = contents(part);
    const size_t length = strlen(text);
    CHECK(length > 0 && text[length - 1] == '\n');
    int rows = -1; // the header is no row
    for (const char *c = text; *c; c++) {
        rows += *c == '\n';
    }
    CHECK(rows >= 3000 && rows <= 5000);
}

TEST(a_place_that_cannot_be_written_is_a_status_with_its_path)
{
    thud_recorder *r;
    thud_diag diag;
    CHECK_INT(thud_recorder_open_table("no/such/folder/run.csv", columns, 1, &r, &diag), THUD_BAD_FILE);
    CHECK(r == NULL);
    CHECK(strstr(diag.file, "no/such/folder/run.csv") && strstr(diag.text, "No such file"));
}

TEST(a_full_disk_is_told_at_the_end_if_not_before)
{
    if (!there("/dev/full")) {
        test_skip("no /dev/full here");
    }
    thud_recorder *r;
    thud_diag diag;
    CHECK_OK(thud_recorder_open_table("/dev/full", columns, 3, &r, &diag));
    CHECK_INT(thud_recorder_row(r, (double[]){1, 2, 3}), THUD_BAD_FILE);
    CHECK_INT(thud_recorder_close(r, &diag), THUD_BAD_FILE);
    CHECK(strstr(diag.text, "No space left"));
}

TEST(other_endings_are_refused)
{
    thud_recorder *r;
    thud_diag diag;
    CHECK_INT(thud_recorder_open_table("run.xls", columns, 1, &r, &diag), THUD_BAD_ARGUMENT);
    CHECK(strstr(diag.text, ".csv or .h5"));
}

#define F(claim) cmocka_unit_test_setup_teardown(claim, enter, leave)
TEST_MAIN(F(a_table_is_a_header_and_rows_that_read_back_as_the_same_bits),
          F(the_name_appears_only_when_the_recording_is_whole),
          F(abandoning_keeps_the_old_recording_and_the_part),
          F(a_killed_writer_leaves_whole_rows_up_to_its_last_flush),
          T(a_place_that_cannot_be_written_is_a_status_with_its_path),
          T(a_full_disk_is_told_at_the_end_if_not_before), T(other_endings_are_refused))
