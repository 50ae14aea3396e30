// SPDX-License-Identifier: Apache-2.0
// What strangers' MJCF files have that our own do not: one smallest file for each cause that kept files out, read as MuJoCo reads it.
#include "scene.h"

#define SLIDER(more)                                                                                         \
    "<worldbody><body name='b'><joint name='j' type='slide' range='-1 3'/><geom size='.1'/>" more            \
    "</body></worldbody>"

// The note whose text contains `what`; the test fails if there is none.
static const thud_spec_note *note(const thud_spec *spec, const char *what)
{
    for (int i = 0; i < spec->notes; i++) {
        if (strstr(spec->note[i].what, what)) {
            return &spec->note[i];
        }
    }
    CHECK(!"there is such a note");
    return NULL;
}

// MuJoCo 4: force = kp (u - q) - kv v with kv of the ratio for position and general, none for motor, 4 for velocity.
TEST(the_damping_ratio_of_a_class_is_of_servos_alone)
{
    thud_spec *spec = scene("<mujoco><default><position kp='50' dampratio='.9'/></default>" SLIDER(
        "") "<actuator><velocity joint='j' kv='4'/><motor joint='j'/><general joint='j'/>"
            "<general joint='j' biasprm='0 -50 -3'/><general joint='j' biasprm='0 -7'/>"
            "<damper joint='j' kv='2' ctrlrange='0 1'/></actuator></mujoco>");
    const thud_spec_actuator *a = spec->actuator;
    const double ratio[] = {0, 0, 0.9, 0, 0, 0}, kv[] = {-4, 0, 0, -3, 0.9, 0};
    for (int i = 0; i < 6; i++) {
        CHECK_NEAR(a[i].dampratio, ratio[i], 0);
        CHECK_NEAR(a[i].bias == THUD_BIAS_AFFINE ? a[i].biasprm[2] : 0, kv[i], 0);
    }
    thud_spec_destroy(spec);
}

TEST(of_a_control_range_and_an_inherited_one_the_last_word_of_the_classes_counts)
{
    thud_spec *spec = scene(
        "<mujoco><default><position inheritrange='1'/><default class='m'><motor ctrlrange='-70 "
        "70'/></default>"
        "<default class='p'><position ctrlrange='-2 2'/></default></default>" SLIDER(
            "") "<actuator><position joint='j'/><motor class='m' joint='j'/><position class='p' joint='j'/>"
                "<position class='p' joint='j' inheritrange='.5'/><motor joint='j'/><general "
                "joint='j'/></actuator></mujoco>");
    const double low[] = {-1, -70, -2, 0, 0, -1}, high[] = {3, 70, 2, 2, 0, 3};
    for (int i = 0; i < 6; i++) {
        CHECK_NEAR(spec->actuator[i].ctrlrange[0], low[i], 0);
        CHECK_NEAR(spec->actuator[i].ctrlrange[1], high[i], 0);
    }
    thud_spec_destroy(spec);
}

TEST(numbers_and_names_that_are_written_and_empty_are_not_written)
{
    thud_spec *spec = scene(
        "<mujoco><compiler meshdir='' texturedir=' '/><worldbody><body name='' pos=''><geom size='.1' rgba=''"
        " mass='' material='' friction=' '/></body></worldbody><keyframe><key qpos=''/></keyframe></mujoco>");
    CHECK(!spec->body[1].name && spec->geom[0].rgba[3] == 1);
    CHECK_NEAR(spec->geom[0].friction[0], 1, 0);
    CHECK(!spec->key[0].qpos);
    thud_spec_destroy(spec);
}

TEST(what_is_only_drawn_or_only_sensed_is_a_note)
{
    thud_spec *spec = scene(
        "<mujoco><extension><plugin plugin='mujoco.sensor.touch_grid'/></extension>"
        "<asset><skin name='s'><bone body='b' bindpos='0 0 0'/></skin></asset><deformable><skin "
        "name='t'/></deformable>"
        "<worldbody><body name='b'><geom size='.1' material='nowhere'/><site name='p'/></body></worldbody>"
        "<sensor><rangefinder site='p' data='dist normal'/><plugin plugin='x'><config key='k' "
        "value='1'/></plugin></sensor></mujoco>");
    CHECK_INT(note(spec, "skin")->count, 2);
    CHECK_INT(note(spec, "defined nowhere")->kind, THUD_NOTE_VISUAL);
    CHECK_INT(note(spec, "rangefinder")->kind, THUD_NOTE_LATER);
    CHECK_INT(note(spec, "sensor of a plugin")->kind, THUD_NOTE_LATER);
    CHECK_INT(note(spec, "extension")->count, 1);
    CHECK_INT(spec->sensors, 1);
    thud_spec_destroy(spec);
}

TEST(adhesion_has_a_control_and_moves_nothing)
{
    thud_spec *spec = scene("<mujoco>" SLIDER(
        "") "<actuator><motor joint='j'/><adhesion name='a' body='b' gain='5' ctrlrange='0 1'/></actuator>"
            "<keyframe><key ctrl='1 1'/></keyframe></mujoco>");
    CHECK_INT(spec->actuators, 2);
    CHECK_INT(spec->actuator[1].transmission, THUD_TRANSMISSION_BODY);
    CHECK_NEAR(spec->actuator[1].gainprm[0], 5, 0);
    CHECK_INT(note(spec, "adhesion")->kind, THUD_NOTE_LATER);
    thud_spec_destroy(spec);
}

TEST(outermost_default_classes_may_have_names_of_their_own)
{
    thud_spec *spec =
        scene("<mujoco><default class='one'><geom size='.1' density='5'/></default><default class='two'>"
              "<geom density='7'/></default><default><geom condim='4'/></default><worldbody><geom/><geom "
              "class='one'/>"
              "<geom class='two' size='.2'/></worldbody></mujoco>");
    const thud_spec_geom *g =
        spec->geom; // the first name is another of main; the second is a class without what main says
    CHECK(g[0].density == 5 && g[1].density == 5 && g[2].density == 7);
    CHECK(g[0].condim == 4 && g[1].condim == 4 && g[2].condim == 3);
    thud_spec_destroy(spec);
}

TEST(a_joint_of_type_fixed_is_none)
{
    thud_spec *spec = world("<body name='b'><joint name='j' type='fixed'/><geom size='.1'/></body>");
    CHECK_INT(spec->joints, 0);
    CHECK_INT(note(spec, "type fixed")->count, 1);
    thud_spec_destroy(spec);
}

static thud_spec *file(const char *path)
{
    thud_spec *spec;
    thud_diag diag;
    if (thud_load_mjcf(path, &spec, &diag) != THUD_OK) {
        fail_msg("%s:%d:%d: %s", diag.file, diag.line, diag.column, diag.text);
    }
    return spec;
}

// Motion and names are held against MuJoCo's by all/dynamics_agree_with_mujoco.
TEST(what_is_attached_brings_its_names_classes_angles_and_what_refers_to_it)
{
    thud_spec *spec = file(THUD_SOURCE_DIR "/test/mujoco/attach.xml");
    const int base = body_named(spec, "h/base"), wedge = geom_named(spec, "h/g");
    CHECK_TEXT(spec->body[spec->body[base].parent].name, "holder");
    CHECK_NEAR(spec->geom[wedge].density, 500, 0);                        // the part's class, not the file's
    CHECK_NEAR(spec->joint[joint_named(spec, "r/j_1-1")].range[1], 1, 0); // radians
    CHECK_NEAR(spec->joint[joint_named(spec, "hold")].damping, 0, 0);
    CHECK_INT(spec->excludes,
              9); // two of the whole; of base and arm one of the holder and of each of six copies
    CHECK_INT(spec->actuators, 1 + 3 + 2 + 12);
    CHECK_TEXT(spec->actuator[6].name, "r/a_0-0"); // copy by copy, as in MuJoCo
    CHECK_TEXT(spec->actuator[7].name, "r/at_0-0");
    CHECK_INT(note(spec, "that is attached")->kind, THUD_NOTE_IGNORED);
    CHECK_INT(spec->keys, 0);
    thud_spec_destroy(spec);
}

TEST(an_attachment_that_cannot_be_is_refused_at_its_place)
{
    bad_scene("<mujoco><worldbody><attach @model='m' prefix=''/></worldbody></mujoco>", THUD_BAD_FILE,
              "no model named");
    bad_scene("<mujoco><worldbody>@<attach model='m'/></worldbody></mujoco>", THUD_BAD_FILE, "prefix");
    bad_scene("<mujoco><asset><model name='m' @file='gone.xml'/></asset></mujoco>", THUD_BAD_FILE,
              "gone.xml");
    bad_scene("<mujoco><asset><model name='m' file='" THUD_SOURCE_DIR
              "/test/mujoco/attach_part.xml'/></asset>"
              "<worldbody><attach model='m' @body='nobody' prefix=''/></worldbody></mujoco>",
              THUD_BAD_FILE, "no body named");
}

TEST(what_refers_to_copies_stands_at_the_end_of_its_section_copy_by_copy)
{
    thud_spec *spec =
        scene("<mujoco><worldbody><body><joint name='z'/><geom size='.1'/></body><replicate count='2'>"
              "<body><joint name='j'/><geom size='.1'/></body></replicate><replicate count='2' sep='x'>"
              "<body><joint name='k'/><geom size='.1'/></body></replicate></worldbody><actuator><motor "
              "name='o' joint='k'/>"
              "<motor name='m' joint='j'/><motor name='a' joint='z'/><motor name='n' "
              "joint='j'/></actuator></mujoco>");
    static const char *const order[] = {"a", "m0", "n0", "m1", "n1", "ox0", "ox1"};
    for (int i = 0; i < 7; i++) {
        CHECK_TEXT(spec->actuator[i].name, order[i]);
    }
    thud_spec_destroy(spec);
}

// MuJoCo loads such a file without them.
TEST(bodies_outside_of_the_worldbody_are_passed_over_and_told)
{
    thud_spec *spec = scene("<mujoco><body name='b'><joint/><geom size='1'/></body><frame/></mujoco>");
    CHECK_INT(spec->bodies, 1);
    CHECK_INT(note(spec, "outside of worldbody")->kind, THUD_NOTE_LOOK);
    CHECK_INT(note(spec, "outside of worldbody")->count, 2);
    thud_spec_destroy(spec);
}

TEST(damping_and_stiffness_below_zero_are_zero_and_told_and_ranges_may_be_infinite)
{
    thud_spec *spec = scene("<mujoco><worldbody><body><joint damping='-0.1' stiffness='-2' range='-inf inf'/>"
                            "<geom size='1'/></body></worldbody></mujoco>");
    CHECK_NEAR(spec->joint[0].damping, 0, 0);
    CHECK_NEAR(spec->joint[0].stiffness, 0, 0);
    CHECK_INT(note(spec, "damping of <joint> is -0.1")->kind, THUD_NOTE_CHANGED);
    CHECK(spec->joint[0].range[0] < -1e7 && spec->joint[0].range[1] > 1e7);
    thud_spec_destroy(spec);
}

TEST(a_muscle_has_the_numbers_of_mujoco_and_its_own_where_they_are_given)
{
    thud_spec *spec = scene("<mujoco>" SLIDER("") "<actuator><muscle joint='j'/><muscle joint='j' force='5' "
                                                  "timeconst='.02 .06' tausmooth='.1'/></actuator></mujoco>");
    const thud_spec_actuator *a = spec->actuator;
    const double numbers[] = {0.75, 1.05, -1, 200, 0.5, 1.6, 1.5, 1.3, 1.2};
    for (int k = 0; k < 9; k++) {
        CHECK_NEAR(a[0].gainprm[k], numbers[k], 0);
        CHECK_NEAR(a[1].biasprm[k], k == 2 ? 5 : numbers[k], 0);
    }
    CHECK_INT(a[0].dynamics, THUD_DYNAMICS_MUSCLE);
    CHECK_NEAR(a[0].dynprm[0], 0.01, 0);
    CHECK_NEAR(a[0].dynprm[1], 0.04, 0);
    CHECK_NEAR(a[1].dynprm[1], 0.06, 0);
    CHECK_NEAR(a[1].dynprm[2], 0.1, 0);
    thud_spec_destroy(spec);
}

TEST_MAIN(T(bodies_outside_of_the_worldbody_are_passed_over_and_told),
          T(damping_and_stiffness_below_zero_are_zero_and_told_and_ranges_may_be_infinite),
          T(a_muscle_has_the_numbers_of_mujoco_and_its_own_where_they_are_given),
          T(the_damping_ratio_of_a_class_is_of_servos_alone),
          T(of_a_control_range_and_an_inherited_one_the_last_word_of_the_classes_counts),
          T(numbers_and_names_that_are_written_and_empty_are_not_written),
          T(what_is_only_drawn_or_only_sensed_is_a_note), T(adhesion_has_a_control_and_moves_nothing),
          T(outermost_default_classes_may_have_names_of_their_own), T(a_joint_of_type_fixed_is_none),
          T(what_is_attached_brings_its_names_classes_angles_and_what_refers_to_it),
          T(an_attachment_that_cannot_be_is_refused_at_its_place),
          T(what_refers_to_copies_stands_at_the_end_of_its_section_copy_by_copy))
