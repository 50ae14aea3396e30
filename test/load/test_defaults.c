// SPDX-License-Identifier: Apache-2.0
// Default classes: what an element does not say comes from its class, and a class's from its parent.
#include "scene.h"

TEST(a_nested_class_changes_only_what_it_names)
{
    thud_spec *spec = scene("<mujoco><default><joint damping='1' armature='2'/>"
                            "  <default class='a'><joint damping='3'/><default class='b'><joint "
                            "type='slide'/></default></default>"
                            "</default><worldbody><body>"
                            "<joint name='main'/></body><body><joint name='a' class='a'/></body>"
                            "<body><joint name='b' class='b'/></body></worldbody></mujoco>");
    const thud_spec_joint *main_ = &spec->joint[joint_named(spec, "main")];
    const thud_spec_joint *a = &spec->joint[joint_named(spec, "a")];
    const thud_spec_joint *b = &spec->joint[joint_named(spec, "b")];
    CHECK_NEAR(main_->damping, 1, 0);
    CHECK_NEAR(a->damping, 3, 0);
    CHECK_NEAR(a->armature, 2, 0);
    CHECK_INT(a->type, THUD_JOINT_HINGE);
    CHECK_NEAR(b->damping, 3, 0);
    CHECK_INT(b->type, THUD_JOINT_SLIDE);
    thud_spec_destroy(spec);
}

TEST(an_elements_class_beats_the_childclass_of_its_body)
{
    thud_spec *spec =
        scene("<mujoco><default><default class='red'><geom rgba='1 0 0 1' size='1'/></default>"
              "<default class='blue'><geom rgba='0 0 1 1' size='2'/></default></default>"
              "<worldbody><body childclass='red'><geom name='own' class='blue'/><geom name='red'/>"
              "<body><geom name='inherited'/><frame><geom name='through'/></frame></body>"
              "<body childclass='blue'><geom name='replaced'/></body>"
              "<frame childclass='blue'><geom name='framed'/><body><geom name='below'/></body></frame>"
              "</body></worldbody></mujoco>");
    static const struct {
        const char *name;
        double size;
    } want[] = {{"own", 2},      {"red", 1},    {"inherited", 1}, {"through", 1},
                {"replaced", 2}, {"framed", 2}, {"below", 2}};
    for (int i = 0; i < 7; i++) {
        CHECK_NEAR(spec->geom[geom_named(spec, want[i].name)].size[0], want[i].size, 0);
    }
    thud_spec_destroy(spec);
}

TEST(fewer_numbers_keep_the_rest_of_the_class)
{
    thud_spec *spec =
        scene("<mujoco><default><geom friction='0.5 0.25 0.125' size='1 2 3'/></default><worldbody>"
              "<geom type='box' size='4' friction='0.75 0.5'/></worldbody></mujoco>");
    CHECK_NEAR(spec->geom[0].friction[0], 0.75, 0);
    CHECK_NEAR(spec->geom[0].friction[1], 0.5, 0);
    CHECK_NEAR(spec->geom[0].friction[2], 0.125, 0);
    CHECK_NEAR(spec->geom[0].size[0], 4, 0);
    CHECK_NEAR(spec->geom[0].size[2], 3, 0);
    thud_spec_destroy(spec);
}

TEST(an_elements_orientation_beats_its_classs_in_other_words)
{
    thud_spec *spec =
        scene("<mujoco><default><geom size='1' euler='90 0 0'/>"
              "<default class='q'><geom quat='1 0 0 0'/></default></default><worldbody>"
              "<geom quat='0 1 0 0'/><geom/><geom class='q' euler='180 0 0'/></worldbody></mujoco>");
    check_quat(spec->geom[0].quat, 0, 1, 0, 0, 0);
    check_quat(spec->geom[2].quat, 0, 1, 0, 0, 2e-16);
    check_quat(spec->geom[1].quat, 0.70710678118654752, 0.70710678118654752, 0, 0, 2e-16);
    thud_spec_destroy(spec);
}

TEST(freejoint_takes_nothing_from_defaults)
{
    thud_spec *spec =
        scene("<mujoco><default><joint damping='5' armature='1'/></default><worldbody>"
              "<body><freejoint name='f'/></body><body><joint type='free'/></body></worldbody></mujoco>");
    CHECK_NEAR(spec->joint[0].damping, 0, 0);
    CHECK_NEAR(spec->joint[0].armature, 0, 0);
    CHECK_NEAR(spec->joint[1].damping, 5, 0);
    thud_spec_destroy(spec);
}

TEST(hinge_and_ball_angles_are_converted_and_slides_are_not)
{
    static const double pi = 3.14159265358979323846;
    thud_spec *spec = world("<body><joint range='-90 180' ref='90' springref='45'/></body>"
                            "<body><joint type='slide' range='-90 180' ref='90' springref='45'/></body>"
                            "<body><joint type='ball' range='0 90'/></body>");
    CHECK_NEAR(spec->joint[0].range[0], -pi / 2, 3e-16);
    CHECK_NEAR(spec->joint[0].range[1], pi, 5e-16);
    CHECK_NEAR(spec->joint[0].ref, pi / 2, 3e-16);
    CHECK_NEAR(spec->joint[0].springref, pi / 4, 2e-16);
    CHECK_NEAR(spec->joint[1].range[1], 180, 0);
    CHECK_NEAR(spec->joint[1].ref, 90, 0);
    CHECK_NEAR(spec->joint[2].range[1], pi / 2, 3e-16);
    CHECK(spec->joint[0].has_range && spec->joint[2].has_range);
    thud_spec_destroy(spec);
}

TEST(a_range_of_zeros_takes_back_the_classs_range)
{
    thud_spec *spec =
        scene("<mujoco><default><joint range='-1 1'/></default><worldbody><body><joint range='0 0'/>"
              "</body><body><joint/></body></worldbody></mujoco>");
    CHECK(!spec->joint[0].has_range);
    CHECK(spec->joint[1].has_range);
    thud_spec_destroy(spec);
}

TEST(a_materials_colour_paints_geoms_without_their_own)
{
    thud_spec *spec = scene("<mujoco><asset><material name='m' rgba='1 0 0 1'/></asset><worldbody>"
                            "<geom size='1' material='m'/><geom size='1' material='m' rgba='0 1 0 1'/>"
                            "</worldbody></mujoco>");
    CHECK_NEAR(spec->geom[0].rgba[0], 1, 0);
    CHECK_NEAR(spec->geom[1].rgba[1], 1, 0);
    CHECK_TEXT(spec->geom[0].material, "m");
    thud_spec_destroy(spec);
}

TEST(a_bare_geom_has_mjcfs_defaults)
{
    thud_spec *spec = world("<geom size='1'/><body gravcomp='0.5' mocap='true'/>");
    const thud_spec_geom *g = &spec->geom[0];
    CHECK_INT(g->type, THUD_GEOM_SPHERE);
    CHECK_NEAR(g->density, 1000, 0);
    CHECK(isnan(g->mass));
    CHECK_NEAR(g->friction[1], 0.005, 0);
    CHECK_INT(g->condim, 3);
    CHECK_NEAR(spec->option.timestep, 0.002, 0);
    CHECK_NEAR(spec->option.gravity.z, -9.81, 0);
    CHECK_INT(spec->option.integrator, THUD_INTEGRATOR_MIDPOINT);
    CHECK_NEAR(spec->body[1].gravcomp, 0.5, 0);
    CHECK(spec->body[1].mocap);
    thud_spec_destroy(spec);
}

TEST_MAIN(T(a_nested_class_changes_only_what_it_names), T(an_elements_class_beats_the_childclass_of_its_body),
          T(fewer_numbers_keep_the_rest_of_the_class),
          T(an_elements_orientation_beats_its_classs_in_other_words),
          T(freejoint_takes_nothing_from_defaults), T(hinge_and_ball_angles_are_converted_and_slides_are_not),
          T(a_range_of_zeros_takes_back_the_classs_range),
          T(a_materials_colour_paints_geoms_without_their_own), T(a_bare_geom_has_mjcfs_defaults))
