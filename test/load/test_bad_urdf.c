// SPDX-License-Identifier: Apache-2.0
// Whatever is wrong with a URDF file is told in a sentence, with the line and the column where it stands.
#include <sys/stat.h>

#include <thud/model.h>

#include "bad_table.h"

#define ROBOT(xml) "<robot name='r'>\n" xml "\n</robot>" // xml is line 2
#define SOLID "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
#define LINK(name) "<link name='" name "'>" SOLID "</link>"
#define JOINT(name, type, parent, child)                                                                     \
    "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child "'/></joint>"
#define ARM(more)                                                                                            \
    ROBOT(LINK("a") LINK("b") "\n<joint name='j' type='revolute'><parent link='a'/><child link='b'/>" more   \
                              "</joint>")

TEST(what_is_no_urdf_says_what_it_is)
{
    static const bad table[] = {
        {THUD_BAD_FILE, "URDF with <robot>", "\n@<sdf/>"},
        {THUD_BAD_FILE, "at least one <link>", "@<robot name='r'/>"},
        {THUD_UNSUPPORTED, "expand the file first: xacro", ROBOT("@<xacro:macro name='m'/>")},
        {THUD_BAD_FILE, "<lnik> does not belong in <robot>", ROBOT("@<lnik name='a'/>")},
        {THUD_BAD_FILE, "<colision> does not belong in <link>", ROBOT("<link name='a'>@<colision/></link>")},
        {THUD_BAD_FILE, "has no attribute \"nmae\"", ROBOT("<link @nmae='a'/>")},
        {THUD_BAD_FILE, "needs the attribute \"name\"", ROBOT("@<link/>")},
        {THUD_BAD_FILE, "<robot> of line 1 is still open", "<robot>\n<link name='a'/>\n@"},
        {THUD_UNSUPPORTED, "<equality>", ROBOT(LINK("a") "@<loop_joint/>")}};
    CHECK_ALL(table, bad_robot);
    thud_spec *spec;
    thud_diag diag;
    CHECK_INT(thud_load_urdf_text("<mujoco/>", 9, "scene.xml", &spec, &diag), THUD_BAD_FILE);
    CHECK(strstr(diag.text, "this is MJCF, not URDF") && diag.line == 1 && diag.column == 1);
}

TEST(links_and_joints_must_be_one_tree)
{
    static const bad table[] = {
        {THUD_BAD_FILE, "link \"c\" has two parents, by joint \"y\" and by joint \"x\" of line 2",
         ROBOT(LINK("a") LINK("b") LINK("c") JOINT("x", "fixed", "a", "c") JOINT("z", "fixed", "a", "b") //
               "\n<joint name='y' type='fixed'><parent link='b'/><child @link='c'/></joint>")},
        {THUD_BAD_FILE, "go round in a circle: joint \"x\" hangs link \"a\"",
         ROBOT(LINK("a") LINK("b") JOINT("y", "fixed", "a", "b") "\n@" JOINT("x", "fixed", "b", "a"))},
        {THUD_BAD_FILE, "round in a circle", ROBOT(LINK("a") "\n@" JOINT("x", "continuous", "a", "a"))},
        {THUD_BAD_FILE, "round in a circle",
         ROBOT(LINK("base") LINK("a") LINK("b") LINK("leaf") JOINT("l", "fixed", "b", "leaf")
                   JOINT("y", "fixed", "a", "b") "\n@" JOINT("x", "fixed", "b", "a"))},
        {THUD_BAD_FILE, "a second root: no joint holds link \"b\", nor link \"a\" of line 2",
         ROBOT(LINK("a") "\n@" LINK("b"))},
        {THUD_BAD_FILE, "no link named \"nobody\"",
         ROBOT(LINK("a") "<joint name='j' type='fixed'><parent link='a'/><child @link='nobody'/></joint>")},
        {THUD_BAD_FILE, "<joint> needs a <child>",
         ROBOT(LINK("a") "@<joint name='j' type='fixed'><parent link='a'/></joint>")},
        {THUD_BAD_FILE, "a second <parent> in one <joint>",
         ROBOT(LINK("a") LINK("b") "<joint name='j' type='fixed'><parent link='a'/>@<parent link='b'/>"
                                   "<child link='b'/></joint>")}};
    CHECK_ALL(table, bad_robot);
}

TEST(a_name_is_given_once)
{
    static const bad table[] = {{THUD_BAD_FILE, "a second link named \"a\"; the first is at robot.urdf:2:1",
                                 ROBOT(LINK("a") "\n@" LINK("a"))},
                                {THUD_BAD_FILE, "a second joint named \"j\"",
                                 ROBOT(LINK("a") LINK("b") LINK("c") JOINT(
                                     "j", "fixed", "a", "b") "\n@" JOINT("j", "fixed", "a", "c"))},
                                {THUD_BAD_FILE, "\"world\" is there already",
                                 ROBOT(LINK("a") "@" LINK("world") JOINT("j", "fixed", "a", "world"))}};
    CHECK_ALL(table, bad_robot);
}

TEST(an_inertia_must_be_that_of_a_body)
{
#define INERTIAL(mass, xx, yy, zz, xy)                                                                       \
    ROBOT("<link name='a'>@<inertial><mass value='" mass "'/><inertia ixx='" xx "' iyy='" yy "' izz='" zz    \
          "' ixy='" xy "' ixz='0' iyz='0'/></inertial></link>")
    static const bad table[] = {
        {THUD_BAD_MODEL, "is not positive definite", INERTIAL("1", "1", "1", "-1", "0")},
        {THUD_BAD_MODEL, "is not positive definite", INERTIAL("1", "1", "1", "1", "2")},
        {THUD_BAD_MODEL, "5 is more than 1 + 1", INERTIAL("1", "1", "1", "5", "0")},
        {THUD_BAD_FILE, "mass",
         ROBOT("<link name='a'>@<inertial><inertia ixx='1' iyy='1' izz='1'/></inertial></link>")},
        {THUD_BAD_FILE, "value is -1",
         ROBOT("<link name='a'><inertial><mass @value='-1'/><inertia ixx='1' iyy='1' "
               "izz='1'/></inertial></link>")},
        {THUD_BAD_FILE, "needs the attribute \"izz\"",
         ROBOT("<link name='a'><inertial><mass value='1'/>@<inertia ixx='1' iyy='1'/></inertial></link>")},
        {THUD_BAD_MODEL, "link \"b\" moves and has no <inertial>",
         ROBOT(LINK("a") "\n@<link name='b'/>" JOINT("j", "continuous", "a", "b"))},
        {THUD_BAD_MODEL, "link \"b\" moves and has no mass",
         ROBOT(LINK("a") "\n<link name='b'>@<inertial><mass value='0'/><inertia ixx='0' iyy='0' izz='0'/>"
                         "</inertial></link>" JOINT("j", "continuous", "a", "b"))},
        {THUD_BAD_MODEL, "link \"b\" moves", // what is fixed to it has none either
         ROBOT(LINK("a") "@<link name='b'/><link name='c'/>" JOINT("j", "prismatic", "a", "b")
                   JOINT("f", "fixed", "b", "c"))}};
    CHECK_ALL(table, bad_robot);
}

TEST(a_joint_must_be_able_to_move_as_it_says)
{
    static const bad table[] = {
        {THUD_BAD_FILE, "\"screw\" is no value of type: fixed, revolute",
         ROBOT(LINK("a")
                   LINK("b") "<joint name='j' @type='screw'><parent link='a'/><child link='b'/></joint>")},
        {THUD_BAD_FILE, "axis has no length", ARM("<axis @xyz='0 0 0'/>")},
        {THUD_BAD_FILE, "xyz takes 3 numbers, not 2", ARM("<axis @xyz='0 1'/>")},
        {THUD_BAD_FILE, "must grow: they go from 2 to 1", ARM("<limit @lower='2' upper='1'/>")},
        {THUD_BAD_FILE, "one that cannot move is fixed", ARM("<limit @lower='1' upper='1'/>")},
        {THUD_BAD_FILE, "effort is -3", ARM("<limit lower='0' upper='1' @effort='-3'/>")},
        {THUD_BAD_FILE, "damping is -1", ARM("<dynamics @damping='-1'/>")},
        {THUD_BAD_FILE, "\"nan\" in xyz is not a finite number", ARM("<origin @xyz='0 nan 0'/>")},
        {THUD_BAD_FILE, "not a finite number", ARM("<origin @rpy='0 0 inf'/>")},
        {THUD_BAD_FILE, "no joint named \"k\"", ARM("<mimic @joint='k'/>")},
        {THUD_BAD_FILE, "joint \"j\" follows itself", ARM("<mimic @joint='j'/>")},
        {THUD_BAD_FILE, "follows itself",
         ROBOT(LINK("a") LINK("b") LINK("c") //
               "<joint name='x' type='continuous'><parent link='a'/><child link='b'/><mimic "
               "@joint='y'/></joint>"
               "<joint name='y' type='continuous'><parent link='b'/><child link='c'/><mimic "
               "joint='x'/></joint>")},
        {THUD_BAD_FILE, "cannot follow \"f\"",
         ROBOT(LINK("a") LINK("b") LINK("c") JOINT("f", "fixed", "a", "c") //
               "<joint name='x' type='continuous'><parent link='a'/><child link='b'/><mimic "
               "@joint='f'/></joint>")}};
    CHECK_ALL(table, bad_robot);
}

TEST(a_shape_must_be_one_and_have_a_size)
{
#define SHAPE(xml) ROBOT("<link name='a'><collision>" xml "</collision></link>")
    static const bad table[] = {
        {THUD_BAD_FILE, "radius is -1; it must be positive",
         SHAPE("<geometry><sphere @radius='-1'/></geometry>")},
        {THUD_BAD_FILE, "size is 0; it must be positive", SHAPE("<geometry><box @size='1 0 1'/></geometry>")},
        {THUD_BAD_FILE, "needs the attribute \"length\"",
         SHAPE("<geometry>@<cylinder radius='1'/></geometry>")},
        {THUD_BAD_FILE, "<collision> needs a <geometry>", ROBOT("<link name='a'>@<collision/></link>")},
        {THUD_BAD_FILE, "holds one shape, not none", SHAPE("@<geometry/>")},
        {THUD_BAD_FILE, "not several",
         SHAPE("@<geometry><sphere radius='1'/><box size='1 1 1'/></geometry>")},
        {THUD_BAD_FILE, "cannot open \"gone.stl\": there is no such file",
         SHAPE("<geometry><mesh @filename='gone.stl'/></geometry>")},
        {THUD_BAD_FILE, "not in the folders above the file",
         SHAPE("<geometry><mesh @filename='package://nobody/gone.stl'/></geometry>")},
        {THUD_BAD_FILE, "followed by a path", SHAPE("<geometry><mesh @filename='package://x'/></geometry>")},
        {THUD_BAD_FILE, "only package://", SHAPE("<geometry><mesh @filename='http://x/y.stl'/></geometry>")},
        {THUD_BAD_FILE, "a scale of zero",
         SHAPE("<geometry><mesh filename='gone.stl' @scale='1 0 1'/></geometry>")},
        {THUD_BAD_FILE, "the restitution is 2",
         ROBOT("<link name='a'><contact>@<restitution value='2'/></contact>"
               "<collision><geometry><sphere radius='1'/></geometry></collision></link>")},
        {THUD_UNSUPPORTED, "falsifies",
         ROBOT("<link name='a'><contact>@<inertia_scaling value='3'/></contact>"
               "<collision><geometry><sphere radius='1'/></geometry></collision></link>")}};
    CHECK_ALL(table, bad_robot);
}

// ---------------------------------------------------------------------------------------------- files

static char folder[256];

static int make_folder(void **state)
{
    (void)state;
    static const char *const parts[] = {
        "",           "/arm_description",    "/arm_description/urdf", "/arm_description/meshes",
        "/elsewhere", "/elsewhere/arm_parts"};
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/thud-urdf-XXXXXX", tmp ? tmp : "/tmp");
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s%s", folder, parts[i]);
        if (i == 0 ? !mkdtemp(folder) : mkdir(path, 0700) != 0) {
            return -1;
        }
    }
    return 0;
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

static const char tetra[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

static thud_spec *load_arm(const char *uri, const char *where, const char *packages)
{
    char xml[1024];
    snprintf(xml, sizeof xml,
             "<robot name='r'><link name='a'><%s><geometry><mesh filename='%s' scale='0.5 1 2'/></geometry>"
             "</%s></link></robot>",
             where, uri, where);
    put("arm_description/urdf/arm.urdf", xml);
    const thud_load_options options = {.packages = packages};
    thud_spec *spec;
    thud_diag diag;
    if (thud_load(path_of("arm_description/urdf/arm.urdf"), &options, &spec, &diag) != THUD_OK) {
        fail_msg("%s: %s:%d: %s", uri, diag.file, diag.line, diag.text);
    }
    return spec;
}

TEST(a_mesh_is_found_in_its_package_beside_the_file_or_by_its_path)
{
    char uri[600], packages[600];
    put("arm_description/meshes/base.obj", tetra);
    put("elsewhere/arm_parts/base.obj", tetra);
    snprintf(uri, sizeof uri, "file://%s", path_of("elsewhere/arm_parts/base.obj"));
    snprintf(packages, sizeof packages, "/nowhere::%s", path_of("elsewhere"));
    const char *const uris[] = {"package://arm_description/meshes/base.obj", // the folder is the package
                                "package://renamed/meshes/base.obj",         // and has another name
                                "package://elsewhere/arm_parts/base.obj",    // a folder above holds it
                                "package://arm_parts/base.obj",              // found by the search path
                                "model://arm_parts/base.obj",
                                "../meshes/base.obj",
                                uri};
    for (size_t i = 0; i < sizeof uris / sizeof uris[0]; i++) {
        thud_spec *spec = load_arm(uris[i], "collision", packages);
        CHECK_INT(spec->meshes, 1);
        CHECK_INT(access(spec->mesh[0].file, R_OK), 0);
        CHECK_TEXT(spec->mesh[0].name, "base");
        check_vec(spec->mesh[0].scale, 0.5, 1, 2, 0);
        thud_spec_destroy(spec);
    }
}

TEST(a_visual_mesh_that_cannot_be_drawn_is_noted_and_not_missed)
{
    put("arm_description/meshes/base.dae", "<COLLADA/>");
    const char *const uris[] = {"gone.stl", "../meshes/base.dae"};
    for (int i = 0; i < 2; i++) {
        thud_spec *spec = load_arm(uris[i], "visual", NULL);
        CHECK_INT(spec->geoms, 0);
        CHECK_INT(spec->notes, 1);
        CHECK_INT(spec->note[0].kind, THUD_NOTE_VISUAL);
        CHECK_INT(spec->note[0].place.line, 1);
        thud_spec_destroy(spec);
    }
}

TEST(a_collision_mesh_of_another_format_or_without_volume_is_refused)
{
    thud_spec *spec;
    thud_model *m;
    thud_diag diag;
    put("arm_description/meshes/base.dae", "<COLLADA/>");
    put("arm_description/meshes/line.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n");
    put("arm_description/urdf/bad.urdf",
        "<robot>\n<link name='a'><collision><geometry>\n <mesh filename='../meshes/base.dae'/></geometry>"
        "</collision></link></robot>");
    CHECK_INT(thud_load_urdf(path_of("arm_description/urdf/bad.urdf"), &spec, &diag), THUD_UNSUPPORTED);
    CHECK(strstr(diag.text, "convert it to .stl or .obj") && diag.line == 3 && diag.column == 8);
    put("arm_description/urdf/bad.urdf",
        "<robot>\n<link name='a'><collision><geometry>\n <mesh filename='../meshes/line.obj'/></geometry>"
        "</collision></link></robot>");
    CHECK_OK(thud_load_urdf(path_of("arm_description/urdf/bad.urdf"), &spec, &diag));
    CHECK(thud_model_build(spec, &m, &diag) != THUD_OK);
    CHECK(diag.line == 3 && diag.column == 2 && strstr(diag.file, "bad.urdf") && strstr(diag.text, "line"));
    thud_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {T(what_is_no_urdf_says_what_it_is),
                                       T(links_and_joints_must_be_one_tree),
                                       T(a_name_is_given_once),
                                       T(an_inertia_must_be_that_of_a_body),
                                       T(a_joint_must_be_able_to_move_as_it_says),
                                       T(a_shape_must_be_one_and_have_a_size),
                                       T(a_mesh_is_found_in_its_package_beside_the_file_or_by_its_path),
                                       T(a_visual_mesh_that_cannot_be_drawn_is_noted_and_not_missed),
                                       T(a_collision_mesh_of_another_format_or_without_volume_is_refused)};
    return test_exit_code(cmocka_run_group_tests(tests, make_folder, remove_folder));
}
