// SPDX-License-Identifier: Apache-2.0
// test_hdf5.c: HDF5 recordings read back as the same bits, also those whose writers were killed.
#include "folder.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <hdf5.h>

#include <thud/record_read.h>

static int enter(void **state)
{
    (void)state;
    return folder_enter("run.h5");
}

enum { COLUMNS = 5 };
static const thud_column columns[COLUMNS] = {
    {"time", "s"}, {"qpos[0]", "m"}, {"qpos[1]", "rad"}, {"qvel[0]", "m/s"}, {"penetration", "m"}};

static double value_of(int row, int column)
{
    return row / 3.0 + 1e-9 * column;
}

static thud_status write_row(thud_recorder *r, int row)
{
    double value[COLUMNS];
    for (int c = 0; c < COLUMNS; c++) {
        value[c] = value_of(row, c);
    }
    return thud_recorder_row(r, value);
}

static void check_rows(const thud_recording *got)
{
    CHECK_INT(got->columns, COLUMNS);
    for (int c = 0; c < COLUMNS; c++) {
        CHECK_TEXT(got->name[c], columns[c].name);
    }
    for (int i = 0; i < got->rows; i++) {
        for (int c = 0; c < COLUMNS; c++) {
            CHECK_NEAR(got->value[i * COLUMNS + c], value_of(i, c), 0);
        }
    }
}

TEST(rows_and_notes_read_back_as_they_were_written)
{
    thud_recorder *r;
    thud_recording *got;
    static char long_text[200000];
    memset(long_text, 'x', sizeof long_text - 1); // a scene's text
    CHECK_OK(thud_recorder_open_table(path, columns, COLUMNS, &r, NULL));
    CHECK_OK(thud_recorder_note(r, "law", "cone"));
    CHECK_OK(thud_recorder_note(r, "scene_text", long_text));
    CHECK_OK(thud_recorder_note(r, "nothing", ""));
    CHECK_OK(thud_recorder_note_number(r, "dt", 1.0 / 3));
    for (int i = 0; i < 5000; i++) {
        CHECK_OK(write_row(r, i));
    }
    CHECK_OK(thud_recorder_close(r, NULL));
    CHECK(access(part, F_OK) != 0);
    CHECK_OK(thud_recording_read(path, &got, NULL));
    CHECK_INT((int)got->rows, 5000);
    check_rows(got);
    CHECK_TEXT(thud_recording_text(got, "law"), "cone");
    CHECK_TEXT(thud_recording_text(got, "scene_text"), long_text);
    CHECK_TEXT(thud_recording_text(got, "nothing"), "");
    CHECK_NEAR(thud_recording_number(got, "dt", 0), 1.0 / 3, 0);
    CHECK(!thud_recording_text(got, "dt") && !thud_recording_text(got, "absent"));
    CHECK_INT(thud_recording_find(got, "qvel[0]"), 3);
    CHECK_INT(thud_recording_find(got, "qvel[1]"), -1);
    thud_recording_destroy(got);
}

// What h5py and MATLAB see: a dataset a name, chunked and compressed, with units.
TEST(columns_with_an_index_are_one_compressed_dataset_with_units)
{
    thud_recorder *r;
    CHECK_OK(thud_recorder_open_table(path, columns, COLUMNS, &r, NULL));
    for (int i = 0; i < 10; i++) {
        CHECK_OK(write_row(r, i));
    }
    CHECK_OK(thud_recorder_close(r, NULL));
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), set = H5Dopen2(file, "qpos", H5P_DEFAULT);
    const hid_t space = H5Dget_space(set), how = H5Dget_create_plist(set);
    hsize_t extent[2];
    CHECK_INT(H5Sget_simple_extent_dims(space, extent, NULL), 2);
    CHECK(extent[0] == 10 && extent[1] == 2);
    CHECK(H5Pget_layout(how) == H5D_CHUNKED && H5Pget_nfilters(how) == 2);
    const hid_t units = H5Aopen(set, "units", H5P_DEFAULT), type = H5Aget_type(units);
    char text[2][4] = {{0}};
    CHECK_INT((int)H5Tget_size(type), 3);
    CHECK(H5Aread(units, type, text) >= 0);
    CHECK(memcmp(text, "m\0\0rad", 6) == 0);
    H5Tclose(type);
    H5Aclose(units);
    H5Pclose(how);
    H5Sclose(space);
    H5Dclose(set);
    H5Fclose(file);
}

TEST(notes_after_the_first_flush_are_refused)
{
    thud_recorder *r;
    CHECK_OK(thud_recorder_open_table(path, columns, COLUMNS, &r, NULL));
    CHECK_OK(write_row(r, 0));
    CHECK_OK(thud_recorder_flush(r));
    CHECK_INT(thud_recorder_note(r, "late", "x"), THUD_BAD_ARGUMENT);
    thud_recorder_abandon(r);
}

// The writer of the test below: rows without end, a flush after every 20, each told through `flushed`.
static void write_for_ever(volatile int *flushed)
{
    thud_recorder *r;
    if (thud_recorder_open_table(path, columns, COLUMNS, &r, NULL) != THUD_OK) {
        _exit(1);
    }
    for (int i = 0;; i++) {
        if (write_row(r, i) != THUD_OK || (i % 20 == 19 && thud_recorder_flush(r) != THUD_OK)) {
            _exit(1);
        }
        *flushed = i % 20 == 19 ? i + 1 : *flushed;
    }
}

TEST(a_writer_killed_at_any_of_50_moments_leaves_every_flushed_row)
{
    volatile int *flushed =
        mmap(NULL, sizeof *flushed, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(flushed != MAP_FAILED);
    uint64_t draw = 1;
    int torn =
        0; // killed while HDF5 writes what it flushes, some microseconds of every 20 rows: seen once in 1000 times
    for (int k = 0; k < 50; k++) {
        *flushed = 0;
        const pid_t child = fork();
        if (child == 0) {
            write_for_ever(flushed);
        }
        while (*flushed == 0) {
            usleep(100);
        }
        draw = draw * 6364136223846793005u + 1442695040888963407u;
        usleep((useconds_t)((draw >> 33) % 20000));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        const int whole = *flushed;
        thud_recording *got;
        CHECK(access(path, F_OK) != 0);
        if (thud_recording_read(part, &got, NULL) == THUD_OK) {
            CHECK(got->rows >= whole && got->rows <= whole + 20);
            check_rows(got);
            thud_recording_destroy(got);
        } else {
            torn++;
        }
        unlink(part);
    }
    CHECK(torn <= 1);
    munmap((void *)flushed, sizeof *flushed);
}

TEST(the_tables_beside_the_rows_read_back)
{
    thud_recorder *r;
    thud_recording *got;
    CHECK_OK(thud_recorder_open_table(path, columns, COLUMNS, &r, NULL));
    CHECK_OK(thud_recorder_keep_contacts(r, NULL));
    CHECK_OK(thud_recorder_keep_events(r, NULL));
    CHECK_OK(write_row(r, 0));
    CHECK_OK(thud_recorder_events(r, (thud_event[2]){{.time = 0.25}, {.time = 0.5}}, 2));
    CHECK_OK(thud_recorder_close(r, NULL));
    CHECK_OK(thud_recording_read(path, &got, NULL));
    CHECK_INT((int)got->rows, 1);
    CHECK_INT((int)got->contact.rows, 0);
    CHECK(thud_recording_table_find(&got->contact, "impulse[2]") >= 0);
    CHECK_INT((int)got->event.rows, 2);
    CHECK_NEAR(got->event.value[got->event.columns + thud_recording_table_find(&got->event, "time")], 0.5, 0);
    thud_recording_destroy(got);
}

TEST(what_is_no_recording_is_refused_with_a_sentence)
{
    thud_recording *got;
    thud_diag diag;
    FILE *f = fopen(path, "w");
    fputs("time,qpos[0]\n0,1\n", f);
    fclose(f);
    CHECK_INT(thud_recording_read(path, &got, &diag), THUD_BAD_FILE);
    CHECK(got == NULL && strstr(diag.text, "not a recording"));
    CHECK_INT(thud_recording_read("no/such.h5", &got, &diag), THUD_BAD_FILE);
    thud_recorder *r;
    CHECK_INT(thud_recorder_open_table("no/such/folder/run.h5", columns, 1, &r, &diag), THUD_BAD_FILE);
    CHECK(r == NULL && strstr(diag.text, "cannot be written"));
}

#define F(claim) cmocka_unit_test_setup_teardown(claim, enter, leave)
TEST_MAIN(F(rows_and_notes_read_back_as_they_were_written),
          F(columns_with_an_index_are_one_compressed_dataset_with_units),
          F(notes_after_the_first_flush_are_refused),
          F(a_writer_killed_at_any_of_50_moments_leaves_every_flushed_row),
          F(the_tables_beside_the_rows_read_back), F(what_is_no_recording_is_refused_with_a_sentence))
