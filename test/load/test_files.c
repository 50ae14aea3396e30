// SPDX-License-Identifier: Apache-2.0
// Files come from where the caller says: memory, or one folder; nothing is opened in another way, and the model has the same bits.
#include <sys/stat.h>

#include <thud/load.h>
#include <thud/model.h>

#include "test.h"

// ---------------------------------------------------------------------------------------------- files in memory

enum { MOST = 64 };

typedef struct box { // a dictionary, and what was asked of it
    struct {
        const char *name;
        const void *data;
        size_t length;
    } file[16];
    int files, asked, opened, closed;
    char name[MOST][128];
} box;

static void put(box *b, const char *name, const void *data, size_t length)
{
    b->file[b->files].name = name;
    b->file[b->files].data = data;
    b->file[b->files++].length = length;
}

static thud_status open_in_box(void *user, const char *name, thud_bytes *out, thud_diag *diag)
{
    box *b = user;
    snprintf(b->name[b->asked++ % MOST], sizeof b->name[0], "%s", name);
    for (int i = 0; i < b->files; i++) {
        if (strcmp(b->file[i].name, name) == 0) {
            *out = (thud_bytes){b->file[i].data, b->file[i].length, &b->closed};
            b->opened++;
            return THUD_OK;
        }
    }
    return thud_fail(THUD_BAD_FILE, diag, NULL, 0, 0, "the box has no %s", name);
}

static void close_in_box(void *user, thud_bytes *bytes)
{
    CHECK(bytes->owner == &((box *)user)->closed);
    ++*(int *)bytes->owner;
}

static const char
    scene[] =
        "<mujoco><compiler meshdir='assets'/><default><geom friction='0.3'/></default><include "
        "file='parts/floor.xml'/><asset>"
        "<mesh name='wedge' file='wedge.obj'/><hfield name='hills' file='hills.bin' size='2 2 0.5 0.1'/>"
        "<texture name='t' type='2d' file='t.png'/><model name='arm' file='parts/../parts/arm.xml'/></asset>"
        "<worldbody><geom type='hfield' hfield='hills' pos='5 0 0'/><body name='b' pos='0 0 1'><freejoint/>"
        "<geom type='mesh' mesh='wedge'/></body><frame pos='2 0 0'><attach model='arm' body='arm' "
        "prefix='l_'/>"
        "</frame></worldbody></mujoco>",
    floor_[] = "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/></worldbody></mujoco>",
    arm[] = "<mujoco><compiler meshdir='../assets'/><asset><mesh name='wedge2' file='wedge.obj' scale='2 2 "
            "2'/></asset>"
            "<worldbody><body name='arm'><joint name='pin'/><geom type='mesh' "
            "mesh='wedge2'/></body></worldbody></mujoco>",
    wedge[] = "v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n",
    robot[] =
        "<robot name='r'><link name='base'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' "
        "ixy='0' "
        "ixz='0' iyz='0'/></inertial><collision><geometry><mesh filename='package://robot/meshes/wedge.obj'/>"
        "</geometry></collision></link></robot>";
static unsigned char hills[8 + 4 * 6];

static void make_hills(void)
{
    const float heights[6] = {0, 1, 0.5F, 0.25F, 1, 0};
    const int32_t size[2] = {2, 3};
    memcpy(hills, size, sizeof size);
    memcpy(hills + 8, heights, sizeof heights);
}

static void fill(box *b, const char *prefix)
{
    static char name[8][64];
    const struct {
        const char *name;
        const void *data;
        size_t length;
    } files[] = {{"scene.xml", scene, sizeof scene - 1},
                 {"parts/floor.xml", floor_, sizeof floor_ - 1},
                 {"parts/arm.xml", arm, sizeof arm - 1},
                 {"assets/wedge.obj", wedge, sizeof wedge - 1},
                 {"assets/hills.bin", hills, sizeof hills}};
    make_hills();
    *b = (box){.files = 0};
    for (int i = 0; i < 5; i++) {
        snprintf(name[i], sizeof name[i], "%s%s", prefix, files[i].name);
        put(b, name[i], files[i].data, files[i].length);
    }
}

static thud_status build(const char *path, const thud_files *files, thud_model **m, thud_diag *diag)
{
    const thud_load_options options = {.files = files ? *files : (thud_files){0}};
    thud_spec *s;
    *m = NULL;
    THUD_TRY(thud_load(path, &options, &s, diag));
    const thud_status status = thud_model_build(s, m, diag);
    thud_spec_destroy(s);
    return status;
}

static void write_file(const char *folder, const char *name, const void *data, size_t length)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    CHECK_INT(fwrite(data, 1, length, file), length);
    fclose(file);
}

static void make_folder(char *folder)
{
    char path[256];
    box b;
    CHECK(mkdtemp(folder) != NULL);
    const char *const folders[] = {"parts", "assets"};
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, folders[i]);
        CHECK_INT(mkdir(path, 0700), 0);
    }
    fill(&b, "");
    for (int i = 0; i < b.files; i++) {
        write_file(folder, b.file[i].name, b.file[i].data, b.file[i].length);
    }
}

static void remove_folder(const char *folder)
{
    char words[300];
    snprintf(words, sizeof words, "rm -r '%s'", folder);
    CHECK_INT(system(words), 0);
}

TEST(a_scene_in_memory_is_the_scene_on_the_disk_to_the_bit)
{
    char folder[] = "/tmp/thud_files_XXXXXX", path[64];
    thud_model *disk, *memory;
    thud_diag diag = {.text = ""};
    box b;
    make_folder(folder);
    snprintf(path, sizeof path, "%s/scene.xml", folder);
    if (build(path, NULL, &disk, &diag) != THUD_OK) {
        fail_msg("%s: %s", diag.file, diag.text);
    }
    remove_folder(folder); // nothing is there from here on
    fill(&b, "");
    const thud_files files = {open_in_box, close_in_box, &b};
    if (build("scene.xml", &files, &memory, &diag) != THUD_OK) {
        fail_msg("%s: %s", diag.file, diag.text);
    }
    CHECK(memory->hash == disk->hash);
    CHECK_NEAR(memory->geom_friction[3 * (memory->geoms - 1)], 1,
               0); // the arm's file has no defaults, and not those of the scene
    CHECK_NEAR(memory->geom_friction[0], 0.3, 0);
    CHECK_INT(b.closed, b.opened);
    for (int i = 0; i < b.asked && i < MOST; i++) {
        CHECK(!strstr(b.name[i], "..") && !strstr(b.name[i], "//")); // names are plain
    }
    thud_model_destroy(disk);
    thud_model_destroy(memory);
}

TEST(what_the_caller_does_not_give_is_not_found_though_it_is_on_the_disk)
{
    char folder[] = "/tmp/thud_files_XXXXXX", prefix[64], path[64];
    make_folder(folder);
    snprintf(prefix, sizeof prefix, "%s/", folder);
    snprintf(path, sizeof path, "%s/scene.xml", folder);
    for (int missing = 0; missing < 5; missing++) {
        thud_model *m;
        thud_diag diag = {.text = ""};
        box b;
        fill(&b, prefix);
        b.file[missing].name = "elsewhere";
        const thud_files files = {open_in_box, close_in_box, &b};
        CHECK_INT(build(path, &files, &m, &diag), THUD_BAD_FILE);
        if (!strstr(diag.text, "the box has no")) {
            fail_msg("%s", diag.text);
        }
        CHECK_INT(b.closed, b.opened);
    }
    remove_folder(folder);
}

TEST(a_robot_in_memory_finds_its_packages)
{
    thud_model *m;
    thud_diag diag = {.text = ""};
    box b = {.files = 0};
    put(&b, "robot/urdf/robot.urdf", robot, sizeof robot - 1);
    put(&b, "robot/meshes/wedge.obj", wedge, sizeof wedge - 1);
    const thud_files files = {open_in_box, close_in_box, &b};
    if (build("robot/urdf/robot.urdf", &files, &m, &diag) != THUD_OK) {
        fail_msg("%s: %s", diag.file, diag.text);
    }
    CHECK_INT(m->geoms, 1);
    thud_model_destroy(m);
}

TEST(a_spec_from_memory_is_written_with_the_names_it_has)
{
    thud_spec *s, *again;
    thud_diag diag = {.text = ""};
    thud_model *m, *n;
    char *text;
    box b;
    fill(&b, "robots/");
    const thud_load_options options = {.files = {open_in_box, close_in_box, &b}};
    CHECK_OK(thud_load("robots/scene.xml", &options, &s, NULL));
    if (thud_write_mjcf(s, "robots/flat/scene.xml", &text, &diag) != THUD_OK) {
        fail_msg("%s", diag.text);
    }
    CHECK(strstr(text, "\"../assets/wedge.obj\"") != NULL);
    CHECK_OK(thud_load_text(text, strlen(text), "robots/flat/scene.xml", &options, &again, &diag));
    CHECK_OK(thud_model_build(s, &m, NULL));
    CHECK_OK(thud_model_build(again, &n, NULL));
    CHECK(m->hash == n->hash);
    thud_free(text);
    thud_spec_destroy(s);
    thud_spec_destroy(again);
    thud_model_destroy(m);
    thud_model_destroy(n);
}

// ---------------------------------------------------------------------------------------------- one folder

TEST(a_sandbox_opens_what_is_below_its_folder_and_nothing_else)
{
    char folder[] = "/tmp/thud_files_XXXXXX", inside[64], link[96];
    thud_bytes bytes;
    thud_model *m;
    make_folder(folder);
    snprintf(inside, sizeof inside, "%s/assets", folder);
    snprintf(link, sizeof link, "%s/assets/link.xml", folder);
    CHECK_INT(symlink("../scene.xml", link), 0);
    const thud_files files = thud_files_within(inside);
    CHECK_OK(thud_files_open(&files, "wedge.obj", &bytes, NULL));
    CHECK_INT(bytes.length, sizeof wedge - 1);
    CHECK(memcmp(bytes.data, wedge, sizeof wedge - 1) == 0);
    thud_files_close(&files, &bytes);
    CHECK_OK(thud_files_open(&files, "./x/..//wedge.obj", &bytes, NULL));
    thud_files_close(&files, &bytes);
    const struct {
        const char *name, *says;
    } bad[] = {{"../scene.xml", "leads out"},
               {"..", "leads out"},
               {"x/../../scene.xml", "leads out"},
               {"/etc/passwd", "absolute"},
               {"//etc/passwd", "absolute"},
               {"/../etc/passwd", "absolute"},
               {"link.xml", "a link leads out"},
               {"none.obj", "No such file"},
               {".", "folder"},
               {"", "folder"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        thud_diag diag = {.text = ""};
        CHECK_INT(thud_files_open(&files, bad[i].name, &bytes, &diag), THUD_BAD_FILE);
        CHECK(!thud_files_has(&files, bad[i].name));
        if (!strstr(diag.text, bad[i].says)) {
            fail_msg("'%s': \"%s\" does not say \"%s\"", bad[i].name, diag.text, bad[i].says);
        }
    }
    const thud_files whole = thud_files_within(folder);
    CHECK_OK(
        thud_files_open(&whole, "assets/link.xml", &bytes, NULL)); // it leads to what is below the folder
    thud_files_close(&whole, &bytes);
    CHECK_OK(build("scene.xml", &whole, &m, NULL));
    thud_model_destroy(m);
    remove_folder(folder);
}

// A scene that reaches out of its folder by an include, a mesh or an attached file is refused where it does.
TEST(a_scene_in_a_sandbox_cannot_reach_out)
{
    char folder[] = "/tmp/thud_files_XXXXXX", inside[64];
    make_folder(folder);
    snprintf(inside, sizeof inside, "%s/parts", folder);
    const thud_files files = thud_files_within(inside);
    const char *const texts[] = {
        "<mujoco><include file='../scene.xml'/></mujoco>", "<mujoco><include file='/etc/hostname'/></mujoco>",
        "<mujoco><asset><mesh name='m' file='../assets/wedge.obj'/></asset></mujoco>",
        "<mujoco><asset><hfield name='h' file='../assets/hills.bin' size='1 1 1 1'/></asset></mujoco>",
        "<mujoco><asset><model name='a' file='../scene.xml'/></asset><worldbody><frame><attach model='a' "
        "body='b' prefix='x'/></frame>"
        "</worldbody></mujoco>"};
    for (int i = 0; i < 5; i++) {
        const thud_load_options options = {.files = files};
        thud_spec *s;
        thud_diag diag = {.text = ""};
        write_file(inside, "evil.xml", texts[i], strlen(texts[i]));
        CHECK_INT(thud_load("evil.xml", &options, &s, &diag), THUD_BAD_FILE);
        if (!strstr(diag.text, "only files below one folder") || diag.line != 1) {
            fail_msg("%s: %d: %s", texts[i], diag.line, diag.text);
        }
    }
    remove_folder(folder);
}

TEST(names_are_made_plain)
{
    const char *const pairs[][2] = {{"a/b", "a/b"},
                                    {"a//b", "a/b"},
                                    {"./a/./b", "a/b"},
                                    {"a/../b", "b"},
                                    {"a/b/../../c", "c"},
                                    {"../a", "../a"},
                                    {"a/../../b", "../b"},
                                    {"../../a", "../../a"},
                                    {"/a/../b", "/b"},
                                    {"/../a", "/a"},
                                    {"/", "/"},
                                    {"", ""},
                                    {"a/..", ""},
                                    {"..a/b", "..a/b"},
                                    {"a/...", "a/..."},
                                    {"../a/../b", "../b"},
                                    {"a/", "a"},
                                    {"/a/b/../../..", "/"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        char out[64];
        thud_files_plain_name(pairs[i][0], out);
        CHECK_TEXT(out, pairs[i][1]);
    }
}

TEST_MAIN(T(a_scene_in_memory_is_the_scene_on_the_disk_to_the_bit),
          T(what_the_caller_does_not_give_is_not_found_though_it_is_on_the_disk),
          T(a_robot_in_memory_finds_its_packages), T(a_spec_from_memory_is_written_with_the_names_it_has),
          T(a_sandbox_opens_what_is_below_its_folder_and_nothing_else),
          T(a_scene_in_a_sandbox_cannot_reach_out), T(names_are_made_plain))
