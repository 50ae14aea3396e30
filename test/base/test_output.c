// SPDX-License-Identifier: Apache-2.0
// test_output.c: outputs appear whole or not at all; inputs end.
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thud/base_input.h>
#include <thud/base_output.h>

#include "test.h"

static char folder[] = "/tmp/thud-file-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[512];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static const char *in_folder(const char *name)
{
    static char path[4][512];
    static int k;
    k = (k + 1) % 4;
    snprintf(path[k], sizeof path[k], "%s/%s", folder, name);
    return path[k];
}

static void write_text(const char *path, const char *text)
{
    thud_output o;
    CHECK_OK(thud_output_open(path, &o, NULL));
    fputs(text, o.file);
    CHECK_OK(thud_output_close(&o, NULL));
}

static void check_content(const char *path, const char *want)
{
    char *text;
    size_t bytes;
    CHECK_OK(thud_input_read(path, 1 << 20, &text, &bytes, NULL));
    CHECK_TEXT(text, want);
    CHECK_INT((int)bytes, (int)strlen(want));
    thud_free(text);
}

TEST(an_output_has_its_name_only_when_it_is_whole)
{
    const char *path = in_folder("whole");
    write_text(path, "old");
    thud_output o;
    CHECK_OK(thud_output_open(path, &o, NULL));
    fputs("new", o.file);
    check_content(path, "old");
    CHECK_OK(thud_output_close(&o, NULL));
    check_content(path, "new");
    CHECK(access(in_folder("whole.part"), F_OK) != 0);
    CHECK_OK(thud_output_open(path, &o, NULL));
    thud_output_discard(&o);
    check_content(path, "new");
    CHECK(access(in_folder("whole.part"), F_OK) != 0);
}

TEST(two_outputs_to_one_path_do_not_write_into_each_other)
{
    const char *path = in_folder("twice");
    thud_output a, b;
    CHECK_OK(thud_output_open(path, &a, NULL));
    CHECK_OK(thud_output_open(path, &b, NULL));
    CHECK(strcmp(a.part, b.part) != 0);
    fputs("first", a.file);
    fputs("the second", b.file);
    CHECK_OK(thud_output_close(&a, NULL));
    check_content(path, "first");
    CHECK_OK(thud_output_close(&b, NULL));
    check_content(path, "the second");
}

// The size limit of a process is a disk that is full after so many bytes.
TEST(on_a_full_disk_the_old_file_stays_and_the_part_goes)
{
    char path[512];
    snprintf(path, sizeof path, "%s", in_folder("full"));
    write_text(path, "the old content");
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit before;
    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
    for (rlim_t size = 0; size < 20000; size += 1999) {
        const struct rlimit small = {size, before.rlim_max};
        CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
        thud_output o;
        thud_diag diag;
        CHECK_OK(thud_output_open(path, &o, NULL));
        for (int i = 0; i < 20000; i++) {
            fputc('x', o.file);
        }
        CHECK_INT(thud_output_close(&o, &diag), THUD_BAD_FILE);
        CHECK(strstr(diag.text, "it cannot be written"));
        CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
        check_content(path, "the old content");
        CHECK(access(in_folder("full.part"), F_OK) != 0);
    }
}

TEST(outputs_that_cannot_be_are_refused_before_the_work)
{
    thud_diag diag;
    CHECK_INT(thud_output_possible(in_folder("nowhere/file"), &diag), THUD_BAD_FILE);
    CHECK_INT(thud_output_possible(folder, &diag), THUD_BAD_FILE);
    CHECK_OK(thud_output_possible(in_folder("new"), &diag));
    CHECK_OK(thud_output_possible("/dev/null", &diag));
    CHECK(thud_output_same(in_folder("a"), in_folder("./a")));
    CHECK(!thud_output_same(in_folder("a"), in_folder("b")));
    CHECK(!thud_output_same("/dev/null", "/dev/null"));
    write_text(in_folder("a"), "");
    CHECK(symlink(in_folder("a"), in_folder("alias")) == 0);
    CHECK(thud_output_same(in_folder("a"), in_folder("alias")));
}

TEST(inputs_without_an_end_are_refused_or_bounded)
{
    char *text;
    size_t bytes;
    thud_diag diag;
    CHECK_INT(thud_input_read("/dev/zero", 1 << 20, &text, &bytes, &diag), THUD_BAD_FILE);
    CHECK_INT(thud_input_read(folder, 1 << 20, &text, &bytes, &diag), THUD_BAD_FILE);
    CHECK(mkfifo(in_folder("pipe"), 0600) == 0);
    CHECK_OK(
        thud_input_read(in_folder("pipe"), 1 << 20, &text, &bytes, &diag)); // nobody writes: empty, at once
    CHECK_INT((int)bytes, 0);
    thud_free(text);
    write_text(in_folder("long"), "0123456789");
    CHECK_INT(thud_input_read(in_folder("long"), 9, &text, &bytes, &diag), THUD_BAD_FILE);
    CHECK(text == NULL);
    check_content(in_folder("long"), "0123456789");
}

int main(void)
{
    const struct CMUnitTest tests[] = {T(an_output_has_its_name_only_when_it_is_whole),
                                       T(two_outputs_to_one_path_do_not_write_into_each_other),
                                       T(on_a_full_disk_the_old_file_stays_and_the_part_goes),
                                       T(outputs_that_cannot_be_are_refused_before_the_work),
                                       T(inputs_without_an_end_are_refused_or_bounded)};
    return test_exit_code(cmocka_run_group_tests(tests, make_folder, remove_folder));
}
