// SPDX-License-Identifier: Apache-2.0
// A URDF file means what its specification says: poses computed by hand, masses by sums, joints by their
// kind.
#include <thud/collide.h>
#include <thud/model_poses.h>
#include <thud/spatial_inline.h>

#include "scene.h"

static const double pi = 3.14159265358979323846;

#define SOLID                                                                                                \
    "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
#define LINK(name) "<link name='" name "'>" SOLID "</link>"
#define JOINT(name, type, parent, child, more)                                                               \
    "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child "'/>" more       \
    "</joint>"

static thud_model *build(const thud_spec *spec)
{
    thud_model *m;
    thud_diag diag;
    if (thud_model_build(spec, &m, &diag) != THUD_OK) {
        fail_msg("%s:%d:%d: %s", diag.file, diag.line, diag.column, diag.text);
    }
    return m;
}

static thud_model *load_picker(void)
{
    thud_spec *spec;
    thud_diag diag;
    if (thud_load_urdf(THUD_SOURCE_DIR "/scenes/picker.urdf", &spec, &diag) != THUD_OK) {
        fail_msg("%s:%d:%d: %s", diag.file, diag.line, diag.column, diag.text);
    }
    thud_model *m = build(spec);
    thud_spec_destroy(spec);
    return m;
}

static vec3 place(const thud_model *m, const thud_pose *X, const char *body)
{
    const int b = thud_model_find(m, THUD_KIND_BODY, body);
    CHECK(b >= 0);
    return X[b].p;
}

// ---------------------------------------------------------------------------------------------- poses

TEST(a_robot_stands_joint_by_joint_where_geometry_puts_it)
{
    thud_model *m = load_picker();
    thud_pose X[11];
    CHECK_INT(m->bodies, 11);
    CHECK_INT(m->nq, 8);
    // The arm reaches along y, its forearm upright; the hand points along -x, its fingers open along y.
    const double right_angle = pi / 2, q[] = {right_angle, right_angle, -right_angle, right_angle,
                                              right_angle, right_angle, 0.02,         0.02};
    thud_body_poses(m, q, X);
    check_vec(place(m, X, "pedestal"), 0, 0, 0, 0);
    check_vec(place(m, X, "turret"), 0, 0, 0.1, 1e-15);
    check_vec(place(m, X, "upper_arm"), 0, 0, 0.22, 1e-15);
    check_vec(place(m, X, "forearm"), 0, 0.3, 0.22, 1e-15);
    check_vec(place(m, X, "wrist"), 0, 0.3, 0.47, 1e-15);
    check_vec(place(m, X, "knuckle"), 0, 0.3, 0.52, 1e-15);
    check_vec(place(m, X, "palm"), -0.04, 0.3, 0.52, 1e-15);
    check_vec(place(m, X, "tool_center"), -0.13, 0.3, 0.52, 1e-15);
    check_vec(place(m, X, "left_finger"), -0.07, 0.27, 0.52, 1e-15);
    check_vec(place(m, X, "right_finger"), -0.07, 0.33, 0.52, 1e-15); // the measured errors are below 2e-16
    const quat tool = X[thud_model_find(m, THUD_KIND_BODY, "tool_center")].q;
    check_vec(q_rotate(tool, v3(1, 0, 0)), -1, 0, 0, 1e-15);
    check_vec(q_rotate(tool, v3(0, 0, 1)), 0, 1, 0, 1e-15);
    thud_model_destroy(m);
}

TEST(roll_pitch_and_yaw_turn_about_the_fixed_axes_in_this_order)
{
    thud_spec *spec = robot(LINK("a") LINK("b") JOINT(
        "j", "fixed", "a", "b", "<origin xyz='1 2 3' rpy='1.5707963267948966 0.5 1.5707963267948966'/>"));
    const thud_spec_body *b = &spec->body[body_named(spec, "b")];
    const double c = cos(0.5), s = sin(0.5);
    check_vec(b->pos, 1, 2, 3, 0);
    // x: roll leaves it, pitch tips it to (c, 0, -s), yaw turns that to (0, c, -s); y: to z, (s, 0, c),
    // (0, s, c)
    check_vec(q_rotate(b->quat, v3(1, 0, 0)), 0, c, -s, 1e-15);
    check_vec(q_rotate(b->quat, v3(0, 1, 0)), 0, s, c, 1e-15);
    check_vec(q_rotate(b->quat, v3(0, 0, 1)), 1, 0, 0, 1e-15);
    thud_spec_destroy(spec);
}

TEST(links_come_depth_first_whatever_the_order_of_the_file)
{
    thud_spec *spec = robot(JOINT("jc", "fixed", "b", "c", "") LINK("e") JOINT("jb", "fixed", "a", "b", "")
                                LINK("c") LINK("a") JOINT("jd", "fixed", "a", "d", "") LINK("d")
                                    JOINT("je", "fixed", "b", "e", "") LINK("b"));
    static const char *const order[] = {"world", "a", "b", "c", "e", "d"};
    static const int parent[] = {-1, 0, 1, 2, 2, 1};
    CHECK_INT(spec->bodies, 6);
    for (int i = 0; i < 6; i++) {
        CHECK_TEXT(spec->body[i].name, order[i]);
        CHECK_INT(spec->body[i].parent, parent[i]);
    }
    thud_spec_destroy(spec);
}

// ---------------------------------------------------------------------------------------------- masses

TEST(masses_are_those_of_the_file_and_their_sum)
{
    thud_model *m = load_picker();
    CHECK_NEAR(m->total_mass, 8 + 3 + 2.4 + 1.5 + 0.6 + 0.3 + 0.4 + 2 * 0.08, 1e-14);
    CHECK_NEAR(m->body_inertia[thud_model_find(m, THUD_KIND_BODY, "forearm")].mass, 1.5, 0);
    CHECK_NEAR(m->body_inertia[thud_model_find(m, THUD_KIND_BODY, "tool_center")].mass, 0, 0);
    thud_model_destroy(m);
}

TEST(an_inertia_along_turned_axes_is_turned_and_keeps_its_products)
{
    thud_model *m = load_picker();
    const thud_inertia I = m->body_inertia[thud_model_find(m, THUD_KIND_BODY, "forearm")];
    const double c = cos(pi / 6), s = sin(pi / 6); // about x
    const double yy = 0.0053, zz = 0.0022, xy = 0.0001, xz = -0.0002, yz = 0.0004;
    check_vec(I.com, 0.01, 0, 0.1, 0);
    CHECK_NEAR(I.I[0], 0.0061, 1e-17);
    CHECK_NEAR(I.I[1], c * c * yy - 2 * c * s * yz + s * s * zz, 1e-17);
    CHECK_NEAR(I.I[2], s * s * yy + 2 * c * s * yz + c * c * zz, 1e-17);
    CHECK_NEAR(I.I[3], c * xy - s * xz, 1e-17);
    CHECK_NEAR(I.I[4], s * xy + c * xz, 1e-17);
    CHECK_NEAR(I.I[5], c * s * (yy - zz) + (c * c - s * s) * yz, 1e-17); // measured errors below 2e-18
    thud_model_destroy(m);
}

TEST(a_link_without_inertial_may_be_fixed_to_one_that_has_one)
{
    thud_spec *spec = robot("<link name='a'/>" LINK("c") "<link name='b'/>" //
                            JOINT("j", "continuous", "a", "b", "") JOINT("f", "fixed", "b", "c", ""));
    thud_model *m = build(spec);
    CHECK_NEAR(m->total_mass, 1, 0);
    CHECK_NEAR(m->link_mass[0], 1, 0);
    thud_model_destroy(m);
    thud_spec_destroy(spec);
}

// ---------------------------------------------------------------------------------------------- joints

TEST(a_joint_has_its_limits_effort_damping_and_friction)
{
    thud_spec *spec = robot(LINK("a") LINK("b") LINK("c") LINK("d") //
                            JOINT("turn", "revolute", "a", "b",
                                  "<axis xyz='0 2 0'/><limit lower='-1' upper='2' effort='30' velocity='4'/>"
                                  "<dynamics damping='0.5' friction='0.25'/>")           //
                            JOINT("push", "prismatic", "b", "c", "<limit upper='0.5'/>") //
                            JOINT("spin", "continuous", "c", "d", "<limit effort='0' velocity='1'/>"));
    const thud_spec_joint *j = spec->joint;
    CHECK_INT(spec->joints, 3);
    CHECK_INT(j[0].type, THUD_JOINT_HINGE);
    check_vec(j[0].axis, 0, 2, 0, 0);
    CHECK(j[0].has_range && j[0].range[0] == -1 && j[0].range[1] == 2);
    CHECK(j[0].has_actfrcrange && j[0].actfrcrange[0] == -30 && j[0].actfrcrange[1] == 30);
    CHECK(j[0].damping == 0.5 && j[0].frictionloss == 0.25);
    CHECK_INT(j[1].type, THUD_JOINT_SLIDE);
    check_vec(j[1].axis, 1, 0, 0, 0); // URDF's default
    CHECK(j[1].has_range && j[1].range[0] == 0 && j[1].range[1] == 0.5);
    CHECK_INT(j[2].type, THUD_JOINT_HINGE);
    CHECK(!j[2].has_range && !j[2].has_actfrcrange);
    thud_spec_destroy(spec);
}

TEST(planar_spherical_and_floating_joints_have_three_three_and_six_freedoms)
{
    thud_spec *spec = robot(LINK("a") LINK("b") LINK("c") LINK("d")               //
                            JOINT("p", "planar", "a", "b", "<axis xyz='0 0 3'/>") //
                            JOINT("s", "spherical", "b", "c", "") JOINT("f", "floating", "c", "d", ""));
    static const char *const name[] = {"p_TX", "p_TY", "p_RZ", "s", "f_TX", "f_TY", "f_TZ", "f_R"};
    static const thud_joint_type type[] = {THUD_JOINT_SLIDE, THUD_JOINT_SLIDE, THUD_JOINT_HINGE,
                                           THUD_JOINT_BALL,  THUD_JOINT_SLIDE, THUD_JOINT_SLIDE,
                                           THUD_JOINT_SLIDE, THUD_JOINT_BALL};
    CHECK_INT(spec->joints, 8);
    for (int i = 0; i < 8; i++) {
        CHECK_TEXT(spec->joint[i].name, name[i]);
        CHECK_INT(spec->joint[i].type, type[i]);
    }
    check_vec(spec->joint[0].axis, 1, 0, 0, 0);
    check_vec(spec->joint[1].axis, 0, 1, 0, 0);
    thud_model *m = build(spec);
    CHECK_INT(m->nv, 12);
    CHECK_INT(m->nq, 14);
    thud_model_destroy(m);
    thud_spec_destroy(spec);
}

TEST(the_root_is_fixed_unless_it_is_to_float_or_is_the_world)
{
    thud_spec *spec = robot(LINK("base"));
    CHECK_INT(spec->joints, 0);
    CHECK_INT(spec->body[1].parent, 0);
    thud_spec_destroy(spec);

    static const char base[] = "<robot name='r'>" LINK("base") "</robot>";
    const thud_load_options floating = {.floating_base = true};
    CHECK_OK(thud_load_text(base, strlen(base), "r.urdf", &floating, &spec, NULL));
    CHECK_INT(spec->joints, 1);
    CHECK_INT(spec->joint[0].type, THUD_JOINT_FREE);
    CHECK_TEXT(spec->joint[0].name, "floating_base");
    thud_spec_destroy(spec);

    spec = robot("<link name='world'/>" LINK("base") JOINT("f", "floating", "world", "base", ""));
    CHECK_INT(spec->bodies, 2);
    CHECK_INT(spec->joint[0].type, THUD_JOINT_FREE);
    CHECK_TEXT(spec->joint[0].name, "f");
    thud_spec_destroy(spec);
}

TEST(a_joint_that_mimics_another_is_tied_to_it)
{
    thud_spec *spec = robot(
        LINK("a") LINK("b") LINK("c")                                                                  //
        JOINT("slave", "continuous", "a", "b", "<mimic joint='master' multiplier='-2' offset='0.5'/>") //
        JOINT("master", "prismatic", "a", "c", "<limit lower='-1' upper='1'/>"));
    CHECK_INT(spec->equalities, 1);
    const thud_spec_equality *e = &spec->equality[0];
    CHECK_INT(e->type, THUD_EQUALITY_JOINT);
    CHECK_TEXT(e->name, "slave");
    CHECK_INT(e->object1, joint_named(spec, "slave"));
    CHECK_INT(e->object2, joint_named(spec, "master"));
    CHECK(e->polycoef[0] == 0.5 && e->polycoef[1] == -2 && e->polycoef[2] == 0); // q = -2 q_master + 0.5
    thud_spec_destroy(spec);
}

// ---------------------------------------------------------------------------------------------- geoms

TEST(shapes_have_half_of_their_lengths_and_no_mass)
{
    thud_spec *spec =
        robot("<material name='red'><color rgba='1 0 0 1'/></material><link name='a'>" SOLID
              "<visual><geometry><box size='2 4 6'/></geometry><material name='red'/></visual>"
              "<visual><geometry><sphere radius='0.5'/></geometry>"
              "<material name=''><color rgba='0 1 0 0.5'/></material></visual>"
              "<collision name='c'><origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/>"
              "<geometry><cylinder radius='0.1' length='4'/></geometry></collision>"
              "<collision><geometry><capsule radius='0.1' length='4'/></geometry></collision></link>");
    const thud_spec_geom *g = spec->geom;
    CHECK_INT(spec->geoms, 4);
    CHECK(g[0].size[0] == 1 && g[0].size[1] == 2 && g[0].size[2] == 3);
    CHECK(g[0].rgba[0] == 1 && g[0].rgba[1] == 0 && g[1].rgba[1] == 1 && g[1].rgba[3] == 0.5);
    CHECK(g[0].contype == 0 && g[0].conaffinity == 0 && g[2].contype == 1 && g[2].conaffinity == 1);
    CHECK(g[0].group == 2 && g[2].group == 3); // shown, and hidden behind what is shown
    CHECK_INT(g[2].type, THUD_GEOM_CYLINDER);
    CHECK(g[2].size[0] == 0.1 && g[2].size[1] == 2 && g[3].type == THUD_GEOM_CAPSULE && g[3].size[1] == 2);
    CHECK_TEXT(g[2].name, "c");
    check_vec(g[2].pos, 1, 2, 3, 0);
    check_quat(g[2].quat, sqrt(0.5), 0, 0, sqrt(0.5), 1e-15);
    for (int i = 0; i < 4; i++) {
        CHECK(g[i].mass == 0);
    }
    thud_spec_destroy(spec);
}

TEST(bullets_words_for_a_surface_are_those_of_its_geoms)
{
    thud_spec *spec = robot("<link name='a'><contact><lateral_friction value='0.7'/>"
                            "<rolling_friction value='0.01'/><restitution value='0.25'/></contact>"
                            "<collision><geometry><sphere radius='1'/></geometry></collision></link>");
    const thud_spec_geom *g = &spec->geom[0];
    CHECK(g->friction[0] == 0.7 && g->friction[2] == 0.01 && g->condim == 6);
    CHECK(g->surface.restitution == 0.25 && g->group == 0);
    thud_spec_destroy(spec);
}

#define BALL "<collision><geometry><sphere radius='1'/></geometry></collision>"
#define BALL_LINK(name) "<link name='" name "'>" SOLID BALL "</link>"

TEST(neighbours_do_not_touch_even_where_one_is_the_fixed_base)
{
    thud_spec *spec =
        robot(BALL_LINK("base") BALL_LINK("plate") BALL_LINK("a") BALL_LINK("b")
                  JOINT("f", "fixed", "base", "plate", "") JOINT("j", "continuous", "plate", "a", "")
                      JOINT("k", "continuous", "a", "b", ""));
    thud_model *m = build(spec);
    CHECK(thud_filter_geoms(m, 0, 2) != THUD_FILTER_MEET); // the base, and what the plate on it carries
    CHECK(thud_filter_geoms(m, 1, 2) != THUD_FILTER_MEET);
    CHECK(thud_filter_geoms(m, 2, 3) != THUD_FILTER_MEET);
    CHECK_INT(thud_filter_geoms(m, 0, 3), THUD_FILTER_MEET);
    thud_model_destroy(m);
    thud_spec_destroy(spec);
}

// ---------------------------------------------------------------------------------------------- notes

static const thud_spec_note *note_named(const thud_spec *spec, const char *what)
{
    for (int i = 0; i < spec->notes; i++) {
        if (strcmp(spec->note[i].what, what) == 0) {
            return &spec->note[i];
        }
    }
    fail_msg("no note of %s", what);
    return NULL;
}

TEST(what_is_for_other_programs_is_noted_with_its_line)
{
    thud_spec *spec = robot(
        "<link name='a'><sensor type='imu'><ray>1</ray></sensor></link>\n"
        "<gazebo reference='a'><include>x</include><mu1>1</mu1></gazebo>\n<gazebo/>\n"
        "<transmission name='t'><type>x</type></transmission>\n"
        "<ros2_control name='c'><hardware/></ros2_control>\n<drake:joint drake:x='1'><a/></drake:joint>");
    CHECK_INT(note_named(spec, "gazebo")->place.line, 2);
    CHECK_INT(note_named(spec, "gazebo")->count, 2);
    CHECK_INT(note_named(spec, "transmission")->place.line, 4);
    CHECK_INT(note_named(spec, "ros2_control")->place.line, 5);
    CHECK_INT(note_named(spec, "elements and attributes with a prefix")->place.line, 6);
    CHECK_INT(note_named(spec, "sensor of URDF")->place.line, 1);
    CHECK_INT(spec->notes, 5);
    thud_spec_destroy(spec);
}

TEST(habits_of_published_files_are_no_errors)
{
    static const char xml[] =
        "<?xml version='0.0' ?><robot name='' xmlns:xacro='http://x'><link name='a'>words" SOLID
        "<visual><geometry><sphere radius='1'/><material name='grey'/></geometry><material name=''>"
        "<color rgba='1 0 0 1'/><specular rgb='1 1 1'/></material></visual></link>" LINK(
            "b") "<joint name='f' type='fixed'><parent link='a'/><child link='c'/><dynamics "
                 "damping='1'/><axis xyz='0 0 0'/>"
                 "</joint><link name='c'/><joint name='j' type='continuous'><parent link='a'/><child "
                 "link='b'/>"
                 "<axis rpy='0 0 0' xyz='0 1 0'/><limit lower='-1' upper='1' effort='1'/>"
                 "<joint_properties damping='0.0' friction='0.0'/></joint></robot>";
    thud_spec *spec;
    thud_diag diag;
    if (thud_load_urdf_text(xml, strlen(xml), "habits.urdf", &spec, &diag) != THUD_OK) {
        fail_msg("%d:%d: %s", diag.line, diag.column, diag.text);
    }
    CHECK_INT(spec->bodies, 4);
    CHECK(!spec->joint[0].has_range && spec->geom[0].rgba[0] == 1);
    CHECK_INT(
        note_named(spec, "joint_properties, a material in a geometry or collision, rpy of an axis")->count,
        3);
    thud_spec_destroy(spec);
}

TEST(mujocos_settings_in_a_robot_are_followed)
{
    thud_spec *spec = robot("<mujoco><compiler balanceinertia='true' discardvisual='false'/>"
                            "<option timestep='0.004' gravity='0 0 -1.6'/></mujoco>"
                            "<link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='5'/>"
                            "</inertial></link>");
    CHECK(spec->compiler.balanceinertia && spec->option.timestep == 0.004 && spec->option.gravity.z == -1.6);
    thud_spec_destroy(spec);
}

TEST_MAIN(T(a_robot_stands_joint_by_joint_where_geometry_puts_it),
          T(roll_pitch_and_yaw_turn_about_the_fixed_axes_in_this_order),
          T(links_come_depth_first_whatever_the_order_of_the_file),
          T(masses_are_those_of_the_file_and_their_sum),
          T(an_inertia_along_turned_axes_is_turned_and_keeps_its_products),
          T(a_link_without_inertial_may_be_fixed_to_one_that_has_one),
          T(a_joint_has_its_limits_effort_damping_and_friction),
          T(planar_spherical_and_floating_joints_have_three_three_and_six_freedoms),
          T(the_root_is_fixed_unless_it_is_to_float_or_is_the_world),
          T(a_joint_that_mimics_another_is_tied_to_it), T(shapes_have_half_of_their_lengths_and_no_mass),
          T(bullets_words_for_a_surface_are_those_of_its_geoms),
          T(neighbours_do_not_touch_even_where_one_is_the_fixed_base),
          T(what_is_for_other_programs_is_noted_with_its_line), T(habits_of_published_files_are_no_errors),
          T(mujocos_settings_in_a_robot_are_followed))
