// SPDX-License-Identifier: Apache-2.0
// Orientations and poses come out as the words say, against quaternions worked out by hand.
#include "scene.h"

static const double h = 0.70710678118654752; // sqrt(1/2)
static const double ulp = 9e-16;             // a few roundings of numbers near one; worst seen 4.5e-16

static thud_quat turned(const char *compiler, const char *word)
{
    char text[512];
    snprintf(text, sizeof text, "<mujoco><compiler %s/><worldbody><body name='b' %s/></worldbody></mujoco>",
             compiler, word);
    thud_spec *spec = scene(text);
    const thud_quat q = spec->body[1].quat;
    thud_spec_destroy(spec);
    return q;
}

TEST(small_euler_letters_turn_about_the_new_axes)
{
    // x by 90 degrees, then y' by 90: (1 + i)(1 + j)/2 = (1 + i + j + k)/2
    check_quat(turned("", "euler='90 90 0'"), 0.5, 0.5, 0.5, 0.5, ulp);
    // z by 90, then y' by 90: (1 + k)(1 + j)/2 = (1 - i + j + k)/2
    check_quat(turned("eulerseq='zyx'", "euler='90 90 0'"), 0.5, -0.5, 0.5, 0.5, ulp);
    // the third of the sequence: x by 90
    check_quat(turned("eulerseq='zyx'", "euler='0 0 90'"), h, h, 0, 0, ulp);
}

TEST(capital_euler_letters_turn_about_the_fixed_axes)
{
    // x by 90, then fixed y by 90: (1 + j)(1 + i)/2 = (1 + i + j - k)/2
    check_quat(turned("eulerseq='XYZ'", "euler='90 90 0'"), 0.5, 0.5, 0.5, -0.5, ulp);
    // three fixed turns are the new-axis turns in reverse
    const thud_quat fixed = turned("eulerseq='XYZ'", "euler='10 20 30'");
    check_quat(turned("eulerseq='zyx'", "euler='30 20 10'"), fixed.w, fixed.x, fixed.y, fixed.z, ulp);
}

TEST(angles_are_degrees_unless_the_compiler_says_radian)
{
    check_quat(turned("", "euler='0 0 180'"), 0, 0, 0, 1, ulp);
    check_quat(turned("angle='radian'", "euler='0 0 3.14159265358979312'"), 0, 0, 0, 1, ulp);
    check_quat(turned("", "axisangle='0 2 0 90'"), h, 0, h, 0, ulp);
    check_quat(turned("angle='radian'", "axisangle='0 2 0 1.57079632679489656'"), h, 0, h, 0, ulp);
}

TEST(the_compiler_holds_for_what_stands_before_it)
{
    thud_spec *spec = scene("<mujoco><worldbody><body euler='0 0 3.14159265358979312'/></worldbody>"
                            "<compiler angle='degree'/><compiler angle='radian'/></mujoco>");
    check_quat(spec->body[1].quat, 0, 0, 0, 1, ulp);
    thud_spec_destroy(spec);
}

TEST(quaternions_are_normalised_and_axes_made_orthogonal)
{
    check_quat(turned("", "quat='0 3 0 4'"), 0, 0.6, 0, 0.8, ulp);
    check_quat(turned("", "xyaxes='0 2 0 -3 1 0'"), h, 0, 0, h, ulp); // y loses its part along x
    check_quat(turned("", "zaxis='5 0 0'"), h, 0, h, 0, ulp);
    check_quat(turned("", "zaxis='0 0 -1'"), 0, 1, 0, 0, ulp);
    check_quat(turned("", "zaxis='0 0 1'"), 1, 0, 0, 0, 0);
}

TEST(fromto_gives_centre_length_and_direction)
{
    thud_spec *spec = world("<geom type='capsule' size='.1' fromto='1 0 2  1 0 8'/>"
                            "<geom type='cylinder' size='.1 9' fromto='-1 0 0  1 0 0' pos='5 5 5'/>"
                            "<geom type='box' size='.1' fromto='0 -2 0  0 2 0'/>"
                            "<site type='ellipsoid' size='.1' fromto='0 -2 0  0 2 0'/>");
    check_vec(spec->geom[0].pos, 1, 0, 5, 0);
    CHECK_NEAR(spec->geom[0].size[1], 3, 0);
    check_quat(spec->geom[0].quat, 0, 1, 0, 0, 0); // +z points to the first end, downward
    check_vec(spec->geom[1].pos, 0, 0, 0, 0);
    CHECK_NEAR(spec->geom[1].size[1], 1, 0);
    check_quat(spec->geom[1].quat, h, 0, -h, 0, ulp);
    CHECK_NEAR(spec->geom[2].size[0], 0.1, 0);
    CHECK_NEAR(spec->geom[2].size[1], 0.1, 0);
    CHECK_NEAR(spec->geom[2].size[2], 2, 0);
    CHECK_NEAR(spec->site[0].size[2], 2, 0);
    thud_spec_destroy(spec);
}

TEST(frames_dissolve_into_the_poses_of_what_is_in_them)
{
    thud_spec *spec = world("<frame pos='1 0 0' euler='0 0 90'><frame pos='1 0 0'>"
                            "<body pos='1 0 0' name='b'>"
                            "  <frame pos='0 0 1' euler='90 0 0'>"
                            "    <inertial mass='1' pos='0 1 0' diaginertia='1 1 1'/>"
                            "    <joint axis='0 1 0' pos='0 1 0'/><geom size='1' pos='0 0 1'/></frame>"
                            "  <geom size='1' pos='0 0 1'/></body></frame></frame>");
    check_vec(spec->body[1].pos, 1, 2, 0, ulp);
    check_quat(spec->body[1].quat, h, 0, 0, h, ulp);
    check_vec(spec->body[1].ipos, 0, 0, 2, ulp);
    check_vec(spec->joint[0].pos, 0, 0, 2, ulp);
    check_vec(spec->joint[0].axis, 0, 0, 1, ulp);
    check_vec(spec->geom[0].pos, 0, -1, 1, ulp);
    check_vec(spec->geom[1].pos, 0, 0, 1, 0);
    thud_spec_destroy(spec);
}

TEST(replicate_makes_numbered_copies_along_its_offset)
{
    thud_spec *spec = world("<replicate count='10' offset='1 0 0' sep='-'>"
                            "<body name='b'><geom name='g' size='1'/></body></replicate>");
    CHECK_INT(spec->bodies, 11);
    CHECK_TEXT(spec->body[1].name, "b-00");
    CHECK_TEXT(spec->geom[9].name, "g-09");
    check_vec(spec->body[10].pos, 9, 0, 0, 0);
    thud_spec_destroy(spec);
}

TEST(replicate_turns_each_copy_further)
{
    // four copies around a square: each offset is seen from the copy before
    thud_spec *spec = world("<replicate count='4' offset='1 0 0' euler='0 0 90'><body/></replicate>");
    check_vec(spec->body[1].pos, 0, 0, 0, 0);
    check_vec(spec->body[2].pos, 1, 0, 0, 0);
    check_vec(spec->body[3].pos, 1, 1, 0, ulp);
    check_vec(spec->body[4].pos, 0, 1, 0, ulp);
    check_quat(spec->body[3].quat, 0, 0, 0, 1, ulp);
    thud_spec_destroy(spec);
}

TEST(what_refers_into_a_replicate_is_copied_with_it)
{
    thud_spec *spec =
        scene("<mujoco><worldbody><replicate count='2'><body name='b'>"
              "  <replicate count='3'><body name='c'><joint name='j'/><geom size='1' name='g'/>"
              "    <site name='s'/></body></replicate></body></replicate><site name='base'/></worldbody>"
              "<contact><exclude body1='b' body2='world'/></contact>"
              "<tendon><spatial name='t'><site site='base'/><site site='s'/></spatial></tendon>"
              "<actuator><motor name='m' joint='j'/><motor tendon='t'/></actuator>"
              "<sensor><framepos objtype='geom' objname='g' reftype='body' refname='b'/>"
              "<actuatorfrc actuator='m'/><clock/></sensor></mujoco>");
    CHECK_INT(spec->bodies, 1 + 2 + 6);
    CHECK_INT(spec->excludes, 2);
    CHECK_INT(spec->tendons, 6);
    CHECK_INT(spec->actuators, 12);
    CHECK_INT(spec->sensors, 13);
    CHECK_TEXT(spec->body[1].name, "b0");
    CHECK_TEXT(spec->body[2].name, "c00"); // the inner number first
    CHECK_TEXT(spec->body[3].name, "c10");
    for (int i = 0; i < spec->sensors; i++) {
        const thud_spec_sensor *s = &spec->sensor[i];
        if (s->type == THUD_SENSOR_FRAMEPOS) { // each geom is seen from its own body b
            CHECK_INT(spec->body[spec->geom[s->object].body].parent, s->reference);
        }
    }
    const thud_spec_actuator *last = &spec->actuator[11];
    CHECK_INT(last->transmission, THUD_TRANSMISSION_TENDON);
    CHECK_INT(spec->wrap[spec->tendon[last->target].first].object, spec->sites - 1); // base stays base
    thud_spec_destroy(spec);
}

TEST_MAIN(T(small_euler_letters_turn_about_the_new_axes), T(capital_euler_letters_turn_about_the_fixed_axes),
          T(angles_are_degrees_unless_the_compiler_says_radian),
          T(the_compiler_holds_for_what_stands_before_it),
          T(quaternions_are_normalised_and_axes_made_orthogonal), T(fromto_gives_centre_length_and_direction),
          T(frames_dissolve_into_the_poses_of_what_is_in_them),
          T(replicate_makes_numbered_copies_along_its_offset), T(replicate_turns_each_copy_further),
          T(what_refers_into_a_replicate_is_copied_with_it))
