// SPDX-License-Identifier: Apache-2.0
// What is written as MJCF reads back as the same model, to the bit: every scene, every robot, and specs made
// in code.
#include <glob.h>

#include <thud/thud.h>

#include "test.h"

static char folder[256];

static int make_folder(void **state)
{
    (void)state;
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/thud-convert-XXXXXX", tmp ? tmp : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[512];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static thud_model *build(const thud_spec *spec)
{
    thud_model *m;
    thud_diag diag;
    if (thud_model_build(spec, &m, &diag) != THUD_OK) {
        fail_msg("%s:%d:%d: %s", diag.file, diag.line, diag.column, diag.text);
    }
    return m;
}

// Writes a spec for a file in `folder`; the caller frees the text.
static char *write_flat(const thud_spec *spec, const char **path)
{
    static char file[512];
    snprintf(file, sizeof file, "%s/flat.xml", folder);
    *path = file;
    char *text;
    thud_diag diag;
    if (thud_write_mjcf(spec, file, &text, &diag) != THUD_OK) {
        fail_msg("%s:%d:%d: %s", diag.file, diag.line, diag.column, diag.text);
    }
    return text;
}

static thud_spec *read_back(const char *text, const char *path)
{
    thud_spec *spec;
    thud_diag diag;
    if (thud_load_mjcf_text(text, strlen(text), path, &spec, &diag) != THUD_OK) {
        fail_msg("%s:%d:%d: %s\n%s", diag.file, diag.line, diag.column, diag.text, text);
    }
    return spec;
}

// The models of a spec and of what is read back are the same, and so is what is written of the latter.
static void check_round_trip(const thud_spec *spec, const char *what)
{
    const char *path;
    char *text = write_flat(spec, &path);
    thud_spec *again = read_back(text, path);
    thud_model *m = build(spec), *n = build(again);
    if (m->hash != n->hash) {
        fail_msg("%s is another model when it is read back", what);
    }
    char *twice = write_flat(again, &path);
    CHECK_TEXT(twice, text);
    thud_model_destroy(m);
    thud_model_destroy(n);
    thud_spec_destroy(again);
    thud_free(text);
    thud_free(twice);
}

static int check_files(const char *pattern)
{
    glob_t files;
    CHECK_INT(glob(pattern, 0, NULL, &files), 0);
    int checked = 0;
    for (size_t i = 0; i < files.gl_pathc; i++) {
        thud_spec *spec;
        if (thud_load(files.gl_pathv[i], NULL, &spec, NULL) == THUD_OK) { // some are parts of others
            check_round_trip(spec, files.gl_pathv[i]);
            thud_spec_destroy(spec);
            checked++;
        }
    }
    globfree(&files);
    return checked;
}

TEST(every_scene_reads_back_as_the_same_model)
{
    CHECK(check_files(THUD_SOURCE_DIR "/scenes/*.xml") >= 50);
    CHECK_INT(check_files(THUD_SOURCE_DIR "/scenes/*.urdf"), 1);
    CHECK_INT(check_files(THUD_SOURCE_DIR "/test/mujoco/machine.xml"), 1);
}

TEST(every_published_robot_reads_back_as_the_same_model)
{
    const char *robots = test_shared("menagerie");
    if (!robots) {
        test_skip(TEST_NO_SHARED);
    }
    char pattern[1100];
    snprintf(pattern, sizeof pattern, "%s/*/*.xml", robots);
    CHECK(check_files(pattern) >= 19);
}

static thud_spec *load_text(const char *xml)
{
    thud_spec *spec;
    thud_diag diag;
    if (thud_load_text(xml, strlen(xml), "text", NULL, &spec, &diag) != THUD_OK) {
        fail_msg("%d:%d: %s", diag.line, diag.column, diag.text);
    }
    return spec;
}

TEST(frames_copies_classes_and_the_order_of_geoms_survive)
{
    thud_spec *spec = load_text(
        "<mujoco><compiler angle='degree' eulerseq='ZYX'/><default><geom size='.1'/><default class='c'>"
        "<joint damping='3' range='-30 30'/><geom rgba='1 0 0 1' "
        "friction='.5'/></default></default><worldbody>"
        "<frame pos='1 2 3' euler='10 20 30'><frame axisangle='1 1 0 77'><body name='a' childclass='c'>"
        "<inertial pos='0 0 0' mass='1' fullinertia='1 1.1 1.2 .1 0 .2'/>"
        "<body name='b'><joint name='j' axis='0 -1 0'/><geom name='first'/></body><geom name='second'/>"
        "<frame euler='90 0 0'><body/></frame></body></frame></frame>"
        "<geom name='last' type='box' fromto='0 0 0 1 1 0' size='.2'/>"
        "<frame euler='0 0 90'><body name='turned'><joint axis='1 0 0'/><frame euler='0 90 0'>"
        "<inertial pos='0 .1 0' mass='1' fullinertia='1 1.1 1.2 .1 0 .2'/></frame></body></frame>"
        "<replicate count='3' offset='1 0 0' euler='0 0 10'><body pos='0 0 5'><freejoint/>"
        "<geom/></body></replicate></worldbody></mujoco>");
    check_round_trip(spec, "frames");
    CHECK_TEXT(spec->geom[0].name, "first");
    const char *path;
    char *text = write_flat(spec, &path);
    thud_spec *again = read_back(text, path);
    CHECK_TEXT(again->geom[0].name, "first");
    CHECK_TEXT(again->geom[1].name, "second");
    CHECK(!strstr(text, "frame") && !strstr(text, "replicate") && !strstr(text, "class"));
    thud_spec_destroy(again);
    thud_free(text);
    thud_spec_destroy(spec);
}

// Half turns make zeros, of either sign, and the sign of a zero is a bit too.
TEST(frames_turned_half_round_read_back_to_the_last_bit)
{
    static const char *const turns[] = {"1 0 0 0",  "-1 0 0 0", "0 1 0 0",  "0 -1 0 0",  "0 0 1 0",
                                        "0 0 -1 0", "0 0 0 1",  "0 0 0 -1", "-0 1 -0 0", "0 -0 -1 -0"};
    static const char *const points[] = {"1 0 0", "-1 0 0", "0 1 0", "0 -1 -0", "-0 0 1", "0 -0 -1"};
    test_rng rng = {7};
#define TURN turns[test_below(&rng, 10)]
#define POINT points[test_below(&rng, 6)]
    for (int i = 0; i < 300; i++) {
        char xml[2048];
        snprintf(
            xml, sizeof xml,
            "<mujoco><worldbody><frame pos='%s' quat='%s'><frame pos='%s' quat='%s'><body pos='%s' quat='%s'>"
            "<joint axis='%s' pos='%s'/><inertial pos='%s' quat='%s' mass='1' diaginertia='1 1 1'/>"
            "<frame quat='%s'><geom size='1' pos='%s' quat='%s'/></frame></body></frame></frame></worldbody>"
            "</mujoco>",
            POINT, TURN, POINT, TURN, POINT, TURN, POINT, POINT, POINT, TURN, TURN, POINT, TURN);
        thud_spec *spec = load_text(xml);
        check_round_trip(spec, xml);
        thud_spec_destroy(spec);
    }
}

TEST(surfaces_come_back_whichever_way_they_were_told)
{
    thud_spec *spec = load_text(
        "<mujoco><worldbody><geom name='a' size='1'/><geom name='b' size='1'/><geom name='c' size='1'/>"
        "</worldbody><contact><pair name='p' geom1='a' geom2='b'/></contact>"
        "<custom><numeric name='thud:restitution' data='.5'/><tuple name='thud:restitution'>"
        "<element objtype='geom' objname='b' prm='.25'/></tuple><numeric name='thud:restitution:c' data='1'/>"
        "<numeric name='thud:friction-kinetic:p' data='.1 .2'/><tuple name='thud:friction-viscous'>"
        "<element objtype='geom' objname='c' prm='2'/></tuple><text name='thud:law' data='box &amp; "
        "&lt;co&#10;ne>'/>"
        "</custom></mujoco>");
    check_round_trip(spec, "surfaces");
    thud_spec_destroy(spec);
}

TEST(actuators_tendons_and_sensors_of_every_kind_survive)
{
    thud_spec *spec = load_text(
        "<mujoco><worldbody><site name='s'/><body name='a'><joint name='h' range='-1 1'/><geom name='g' "
        "size='.1'/>"
        "<site name='t' pos='.2 0 0'/></body><body name='b' pos='1 0 0'><joint name='l' type='slide'/><geom "
        "size='.1'/></body></worldbody>"
        "<tendon><spatial name='rope' springlength='.1 .2' range='0 3'><site site='s'/><geom geom='g' "
        "sidesite='t'/><site site='t'/>"
        "<pulley divisor='2'/><site site='s'/><site site='t'/></spatial><fixed name='both'><joint joint='h' "
        "coef='1'/><joint joint='l' coef='-2'/></fixed></tendon>"
        "<equality><joint joint1='h' joint2='l' polycoef='.1 .2 .3'/><weld body1='a' body2='b' relpose='1 0 "
        "0 1 1 0 0'/>"
        "<connect body1='a' anchor='1 2 3' active='false'/><tendon tendon1='both' polycoef='1'/></equality>"
        "<actuator><position joint='h' kp='7' dampratio='1' timeconst='.1' inheritrange='.5'/>"
        "<intvelocity joint='h' kp='3' dampratio='.5' actrange='-1 1'/><motor site='t' refsite='s' gear='1 2 "
        "3 4 5 "
        "6'/>"
        "<cylinder tendon='rope' diameter='.1' timeconst='.2' bias='1 2 3'/><damper joint='l' ctrlrange='0 "
        "1'/>"
        "<general name='crank' cranksite='t' slidersite='s' cranklength='3' dyntype='filterexact' "
        "dynprm='.3'/>"
        "<velocity jointinparent='h' kv='2' forcerange='-1 1'/></actuator>"
        "<sensor><framepos objtype='xbody' objname='a' reftype='site' refname='s'/><gyro site='t' "
        "cutoff='3'/>"
        "<actuatorfrc actuator='crank'/><clock/></sensor>"
        "<keyframe><key name='k' time='1' qpos='.1 .2' act='1 2 3 4'/></keyframe></mujoco>");
    check_round_trip(spec, "drives");
    thud_spec_destroy(spec);
}

TEST(a_spec_made_in_code_gets_names_where_something_refers_to_it)
{
    thud_spec *spec;
    CHECK_OK(thud_spec_create(&spec));
    for (int i = 0; i < 2; i++) {
        const int body = thud_spec_add_body(spec, 0, NULL),
                  geom = thud_spec_add_geom(spec, body, THUD_GEOM_SPHERE, NULL);
        CHECK_INT(thud_spec_add_joint(spec, body, THUD_JOINT_HINGE, i ? "joint0" : NULL), i);
        spec->geom[geom].size[0] = 0.1;
        spec->geom[geom].surface.restitution = 0.5;
        spec->geom[geom].friction_axis = (thud_vec3){1, 0, 0};
        spec->body[body].pos.x = i;
    }
    CHECK_INT(thud_spec_add_actuator(spec, THUD_TRANSMISSION_JOINT, 0, NULL), 0);
    CHECK_INT(thud_spec_add_pair(spec, 0, 1, NULL), 0);
    CHECK_INT(thud_spec_add_exclude(spec, 1, 2, NULL), 0);
    const char *path;
    char *text = write_flat(spec, &path);
    thud_spec *again = read_back(text, path);
    CHECK_TEXT(again->joint[0].name, "joint0_1"); // joint0 is taken
    CHECK_TEXT(again->geom[1].name, "geom1");
    CHECK_INT(again->actuator[0].target, 0);
    CHECK(again->geom[1].surface.restitution == 0.5 && again->geom[1].friction_axis.x == 1);
    CHECK(again->exclude[0].body1 == 1 && again->exclude[0].body2 == 2);
    thud_spec_destroy(again);
    thud_free(text);
    thud_spec_destroy(spec);
}

TEST(what_mjcf_cannot_say_is_refused)
{
    thud_spec *spec, *maximal;
    thud_diag diag = {0};
    char *text;
    CHECK_OK(thud_load(THUD_SOURCE_DIR "/scenes/pendulum.xml", NULL, &spec, NULL));
    CHECK_OK(thud_spec_maximal(spec, &maximal, NULL));
    CHECK_INT(thud_write_mjcf(maximal, "x.xml", &text, &diag), THUD_UNSUPPORTED);
    CHECK(!text && strstr(diag.text, "maximal"));
    spec->body[1].pos.x = NAN;
    CHECK_INT(thud_write_mjcf(spec, "x.xml", &text, &diag), THUD_NOT_FINITE);
    CHECK(!text);
    thud_spec_destroy(maximal);
    thud_spec_destroy(spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {T(every_scene_reads_back_as_the_same_model),
                                       T(every_published_robot_reads_back_as_the_same_model),
                                       T(frames_copies_classes_and_the_order_of_geoms_survive),
                                       T(frames_turned_half_round_read_back_to_the_last_bit),
                                       T(surfaces_come_back_whichever_way_they_were_told),
                                       T(actuators_tendons_and_sensors_of_every_kind_survive),
                                       T(a_spec_made_in_code_gets_names_where_something_refers_to_it),
                                       T(what_mjcf_cannot_say_is_refused)};
    return test_exit_code(cmocka_run_group_tests(tests, make_folder, remove_folder));
}
