// SPDX-License-Identifier: Apache-2.0
// Includes, and files found beside the files that name them.
#include <sys/stat.h>

#include "scene.h"

static char folder[256];

static int make_folder(void **state)
{
    (void)state;
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/thud-include-XXXXXX", tmp ? tmp : "/tmp");
    char path[512];
    if (!mkdtemp(folder)) {
        return -1;
    }
    snprintf(path, sizeof path, "%s/part", folder);
    return mkdir(path, 0700);
}

static int remove_folder(void **state)
{
    (void)state;
    char command[512];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static const char *path_of(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void put(const char *name, const char *text)
{
    FILE *file = fopen(path_of(name), "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void fails(const char *name, const char *where, int line, int column, const char *says)
{
    thud_spec *spec;
    thud_diag diag;
    CHECK_INT(thud_load_mjcf(path_of(name), &spec, &diag), THUD_BAD_FILE);
    if (!strstr(diag.file, where) || diag.line != line || diag.column != column || !strstr(diag.text, says)) {
        fail_msg("%s:%d:%d: %s, want %s:%d:%d: %s", diag.file, diag.line, diag.column, diag.text, where, line,
                 column, says);
    }
}

TEST(an_include_stands_for_what_is_in_it)
{
    put("main.xml", "<mujoco><include file='part/a.xml'/><worldbody><body name='last'/>"
                    "<include file='part/b.xml'/></worldbody></mujoco>");
    put("part/a.xml",
        "<mujocoinclude><worldbody><body name='first'>\n<include file='c.xml'/></body></worldbody>"
        "<asset><mesh file='m.obj'/></asset></mujocoinclude>");
    put("part/b.xml", "<mujoco><body name='inside'/></mujoco>");
    put("part/c.xml", "<mujoco><geom name='g' size='1'/></mujoco>"); // found beside the file that includes it
    put("part/m.obj", "");
    thud_spec *spec;
    thud_diag diag;
    if (thud_load_mjcf(path_of("main.xml"), &spec, &diag) != THUD_OK) {
        fail_msg("%s:%d:%d: %s", diag.file, diag.line, diag.column, diag.text);
    }
    CHECK_INT(spec->bodies, 4);
    CHECK_TEXT(spec->body[1].name, "first");
    CHECK_TEXT(spec->body[2].name, "last");
    CHECK_TEXT(spec->body[3].name, "inside");
    CHECK_INT(spec->geom[0].body, 1);
    CHECK(strstr(spec->geom[0].place.file, "part/c.xml"));
    CHECK_INT(spec->geom[0].place.column, 9);
    CHECK_TEXT(spec->mesh[0].name, "m");
    CHECK(access(spec->mesh[0].file, R_OK) == 0);
    thud_spec_destroy(spec);
}

TEST(the_main_files_folder_is_looked_in_first)
{
    put("main.xml", "<mujoco><include file='part/a.xml'/></mujoco>");
    put("part/a.xml", "<mujoco><include file='same.xml'/></mujoco>");
    put("same.xml", "<mujoco><worldbody><body name='near the main file'/></worldbody></mujoco>");
    put("part/same.xml", "<mujoco><worldbody><body name='near the included file'/></worldbody></mujoco>");
    thud_spec *spec;
    CHECK_OK(thud_load_mjcf(path_of("main.xml"), &spec, NULL));
    CHECK_TEXT(spec->body[1].name, "near the main file");
    thud_spec_destroy(spec);
}

TEST(a_cycle_of_includes_is_told_where_it_closes)
{
    put("main.xml", "<mujoco>\n <include file='part/a.xml'/></mujoco>");
    put("part/a.xml", "<mujoco>\n\n<include file='main.xml'/></mujoco>");
    fails("main.xml", "part/a.xml", 3, 1, "include cycle");
    put("main.xml", "<mujoco><include file='main.xml'/></mujoco>");
    fails("main.xml", "main.xml", 1, 9, "include cycle");
}

TEST(a_file_is_included_once_and_must_exist)
{
    put("main.xml", "<mujoco><include file='x.xml'/>\n<include file='x.xml'/></mujoco>");
    put("x.xml", "<mujoco><option/></mujoco>");
    fails("main.xml", "main.xml", 2, 1, "already included");
    put("main.xml", "<mujoco>\n<include file='gone.xml'/></mujoco>");
    fails("main.xml", "main.xml", 2, 1, "No such file");
    put("main.xml", "<mujoco>\n<include file='part'/></mujoco>");
    fails("main.xml", "main.xml", 2, 1, "not a regular file");
    put("main.xml", "<mujoco>\n<include/></mujoco>");
    fails("main.xml", "main.xml", 2, 1, "needs the attribute \"file\"");
    put("main.xml", "<mujoco>\n<include file='x.xml'><option/></include></mujoco>");
    fails("main.xml", "main.xml", 2, 23, "no children");
}

TEST(errors_in_an_included_file_carry_its_name)
{
    put("main.xml", "<mujoco><include file='x.xml'/></mujoco>");
    put("x.xml", "<mujoco>\n<worldbody><geom siz='1'/></worldbody></mujoco>");
    fails("main.xml", "x.xml", 2, 18, "has no attribute");
    put("x.xml", "<mujoco>\n<worldbody>");
    fails("main.xml", "x.xml", 2, 12, "still open");
    put("x.xml", "");
    fails("main.xml", "x.xml", 1, 1, "empty");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(an_include_stands_for_what_is_in_it), T(the_main_files_folder_is_looked_in_first),
        T(a_cycle_of_includes_is_told_where_it_closes), T(a_file_is_included_once_and_must_exist),
        T(errors_in_an_included_file_carry_its_name)};
    return test_exit_code(cmocka_run_group_tests(tests, make_folder, remove_folder));
}
