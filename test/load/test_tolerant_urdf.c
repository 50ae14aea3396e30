// SPDX-License-Identifier: Apache-2.0
// What other programs read, or make good, in a URDF file is read here, too, and noted with its place; read strictly,
// the same file is refused with the same sentence.
#include <sys/stat.h>

#include <thud/model.h>

#include "scene.h"

#define SOLID "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
#define LINK(name) "<link name='" name "'>" SOLID "</link>"
#define HOLDS(parent, child) "<parent link='" parent "'/><child link='" child "'/>"
#define JOINT(name, type, parent, child)                                                                     \
    "<joint name='" name "' type='" type "'>" HOLDS(parent, child) "</joint>"
#define ARM(more) LINK("a") LINK("b") "<joint name='j' type='revolute'>" HOLDS("a", "b") more "</joint>"
#define OF_MASS(mass, xx, yy, zz)                                                                            \
    "<inertial><mass value='" mass "'/><inertia ixx='" xx "' iyy='" yy "' izz='" zz "'/></inertial>"
#define ON_A_HINGE(inertial) LINK("a") "<link name='b'>" inertial "</link>" JOINT("j", "continuous", "a", "b")
#define SHAPE(xml) "<link name='a'><collision><geometry>" xml "</geometry></collision></link>"

// The note that tells of `says`; the test fails if there is none.
static const thud_spec_note *note_of(const thud_spec *spec, const char *says)
{
    for (int i = 0; i < spec->notes; i++) {
        if (strstr(spec->note[i].what, says)) {
            return &spec->note[i];
        }
    }
    fail_msg("no note of \"%s\"", says);
    return NULL;
}

static thud_status load(const char *xml, bool strict, thud_spec **spec, thud_diag *diag)
{
    char text[8192];
    snprintf(text, sizeof text, "<robot name='r'>%s</robot>", xml);
    const thud_load_options options = {.strict_file = strict};
    return thud_load_text(text, strlen(text), "robot.urdf", &options, spec, diag);
}

// Loads a robot that must be made good with such a note, whose model must build; the caller destroys the spec.
static thud_spec *mended(const char *xml, thud_note_kind kind, const char *says)
{
    thud_spec *spec;
    thud_model *m;
    thud_diag diag = {0};
    if (load(xml, true, &spec, &diag) == THUD_OK || !strstr(diag.text, says)) {
        fail_msg("read strictly, %s gives \"%s\"; want \"%s\"", xml, diag.text, says);
    }
    const int line = diag.line, column = diag.column;
    if (load(xml, false, &spec, &diag) != THUD_OK || thud_model_build(spec, &m, &diag) != THUD_OK) {
        fail_msg("%s\n  gives %d:%d: %s", xml, diag.line, diag.column, diag.text);
    }
    thud_model_destroy(m);
    const thud_spec_note *note = note_of(spec, says);
    CHECK_INT(note->kind, kind);
    CHECK_INT(note->place.line, line);
    CHECK_INT(note->place.column, column);
    return spec;
}

TEST(unknown_words_are_passed_over_and_what_was_likely_meant_is_said)
{
    static const struct {
        const char *xml, *says;
        thud_note_kind kind;
    } table[] = {{LINK("a") "<properties/>", "<properties> does not belong in <robot>", THUD_NOTE_IGNORED},
                 {"<link name='a' concave='yes'>" SOLID "</link>", "<link> has no attribute \"concave\"",
                  THUD_NOTE_IGNORED},
                 {"<link name='a'><colision/>" SOLID "</link>", "did you mean \"collision\"", THUD_NOTE_LOOK},
                 {ARM("<limit lower='0' uper='1'/>"), "has no attribute \"uper\"; did you mean \"upper\"",
                  THUD_NOTE_LOOK},
                 {"<link name='a'><inertial><density value='3'/><mass value='1'/><inertia ixx='1' iyy='1' "
                  "izz='1'/></inertial>"
                  "</link>",
                  "<density> does not belong in <inertial>", THUD_NOTE_IGNORED}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        thud_spec_destroy(mended(table[i].xml, table[i].kind, table[i].says));
    }
}

TEST(of_what_stands_twice_the_first_counts)
{
    thud_spec *spec =
        mended(ARM("<axis xyz='0 0 1'/><axis xyz='0 1 0'/>"), THUD_NOTE_LOOK, "a second <axis>");
    check_vec(spec->joint[0].axis, 0, 0, 1, 0);
    thud_spec_destroy(spec);
    spec = mended(SHAPE("<sphere radius='1'/><box size='1 1 1'/>"), THUD_NOTE_LOOK, "not several");
    CHECK_INT(spec->geom[0].type, THUD_GEOM_SPHERE);
    thud_spec_destroy(spec);
    thud_spec_destroy(
        mended("<link name='a'><visual><geometry><sphere radius='1'/></geometry><material name='x'/>"
               "<material name='y'/></visual></link>",
               THUD_NOTE_LOOK, "a second <material>"));
}

TEST(an_inertia_that_no_body_has_becomes_the_mean_about_every_axis)
{
    static const struct {
        const char *inertial;
        double moment;
    } table[] = {{OF_MASS("1", "1", "1", "7"), 3},        // breaks the triangle inequality
                 {OF_MASS("1", "2", "2", "-1"), 1},       // is negative about an axis
                 {OF_MASS("0.1", "1", "1", "0"), 2 / 3.}, // Bullet's random objects: none about one axis
                 {OF_MASS("1000", "0", "0", "0"), 0.4 * 1000 * 0.384835}, // a point: a ball of 1 m^3 of water
                 {OF_MASS("1000", "1", "-5", "-6"), 0.4 * 1000 * 0.384835}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        char xml[1024];
        snprintf(xml, sizeof xml, LINK("a") "<link name='b'>%s</link>" JOINT("j", "continuous", "a", "b"),
                 table[i].inertial);
        thud_spec *spec;
        thud_model *m;
        thud_diag diag;
        CHECK(load(xml, true, &spec, &diag) != THUD_OK || thud_model_build(spec, &m, &diag) != THUD_OK);
        thud_spec_destroy(spec);
        CHECK_OK(load(xml, false, &spec, &diag));
        CHECK_OK(thud_model_build(spec, &m, &diag));
        const double *I = spec->body[body_named(spec, "b")].inertia;
        CHECK_INT(note_of(spec, "no body has the inertia of link \"b\"")->kind, THUD_NOTE_CHANGED);
        for (int k = 0; k < 6; k++) {
            CHECK_NEAR(I[k], k < 3 ? table[i].moment : 0, 1e-5 * table[i].moment); // 0.384835 has six digits
        }
        thud_model_destroy(m);
        thud_spec_destroy(spec);
    }
}

TEST(a_point_mass_fixed_to_a_body_stays_one)
{
    thud_spec *spec = robot(LINK("a") LINK("b") "<link name='tip'>" OF_MASS("2", "0", "0", "0") "</link>" //
                            JOINT("j", "continuous", "a", "b") JOINT("f", "fixed", "b", "tip"));
    CHECK_INT(spec->notes, 0);
    CHECK_NEAR(spec->body[body_named(spec, "tip")].inertia[0], 0, 0);
    thud_spec_destroy(spec);
}

TEST(inertia_scaling_multiplies_the_inertia_as_in_bullet)
{
    thud_spec *spec = mended("<link name='a'><contact><inertia_scaling value='3'/></contact>" SOLID "</link>",
                             THUD_NOTE_CHANGED, "inertia_scaling");
    CHECK_NEAR(spec->body[1].inertia[0], 3, 0);
    thud_spec_destroy(spec);
}

TEST(a_link_that_moves_and_has_no_mass_is_weighed_by_its_shapes)
{
    thud_model *m;
    thud_diag diag;
    thud_spec *spec =
        mended(ON_A_HINGE("<collision><geometry><box size='0.1 0.2 0.3'/></geometry></collision>"),
               THUD_NOTE_CHANGED, "link \"b\" moves and has no <inertial>");
    CHECK_OK(thud_model_build(spec, &m, &diag));
    CHECK_NEAR(m->body_inertia[2].mass, 6, 1e-15 * 6 * 4); // 1000 kg/m^3; rounding of three products
    thud_model_destroy(m);
    thud_spec_destroy(spec);
    spec = mended(ON_A_HINGE("<visual><geometry><sphere radius='0.1'/></geometry></visual>"),
                  THUD_NOTE_CHANGED, "link \"b\" moves and has no <inertial>");
    CHECK(isnan(spec->geom[0].mass));
    thud_spec_destroy(spec);
}

TEST(a_link_without_mass_and_shape_that_carries_nothing_heavy_is_fixed)
{
    thud_spec *spec = mended(ON_A_HINGE(OF_MASS("0", "0", "0", "0")), THUD_NOTE_CHANGED,
                             "link \"b\" moves and has no mass");
    CHECK_INT(spec->joints, 0);
    CHECK_INT(spec->bodies, 3);
    thud_spec_destroy(spec);
}

// A universal joint: two hinges with a link between that is only a name.
TEST(a_link_without_mass_that_carries_one_moves_as_that_allows)
{
    thud_model *m;
    thud_diag diag;
    thud_spec *spec =
        mended(LINK("a") "<link name='cross'/>" LINK("b") JOINT("x", "continuous", "a", "cross") //
               "<joint name='y' type='continuous'>" HOLDS("cross", "b") "<axis xyz='0 1 0'/></joint>",
               THUD_NOTE_CHANGED, "link \"cross\" moves and has no <inertial>");
    CHECK_OK(thud_model_build(spec, &m, &diag));
    CHECK_INT(m->nv, 2);
    thud_model_destroy(m);
    thud_spec_destroy(spec);
}

TEST(limits_that_fall_are_none_and_equal_ones_fix_the_joint_there)
{
    thud_spec *spec =
        mended(ARM("<limit lower='1' upper='-1'/>"), THUD_NOTE_CHANGED, "must grow: they go from 1 to -1");
    CHECK(!spec->joint[0].has_range);
    thud_spec_destroy(spec);
    spec = mended(ARM("<axis xyz='0 0 1'/><limit lower='0.5' upper='0.5'/>"), THUD_NOTE_CHANGED,
                  "one that cannot move is fixed");
    CHECK_INT(spec->joints, 0);
    check_quat(spec->body[body_named(spec, "b")].quat, cos(0.25), 0, 0, sin(0.25), 1e-15);
    thud_spec_destroy(spec);
    spec = mended(LINK("a") LINK("b") "<joint name='j' type='prismatic'>" HOLDS(
                      "a", "b") "<axis xyz='0 2 0'/><limit lower='0.5' upper='0.5'/></joint>",
                  THUD_NOTE_CHANGED, "one that cannot move is fixed");
    check_vec(spec->body[body_named(spec, "b")].pos, 0, 0.5, 0, 0);
    thud_spec_destroy(spec);
}

TEST(a_shape_without_thickness_is_a_thin_one_and_one_without_size_is_left_out)
{
    thud_spec *spec = mended(SHAPE("<box size='1 0 1'/>"), THUD_NOTE_CHANGED, "size is 0");
    CHECK_NEAR(spec->geom[0].size[1], 5e-5, 0);
    thud_spec_destroy(spec);
    spec = mended(SHAPE("<cylinder radius='1' length='0'/>"), THUD_NOTE_CHANGED, "length is 0");
    CHECK_NEAR(spec->geom[0].size[1], 5e-5, 0);
    thud_spec_destroy(spec);
    spec = mended(SHAPE("<sphere radius='0'/>"), THUD_NOTE_CHANGED, "radius is 0");
    CHECK_INT(spec->geoms, 0);
    thud_spec_destroy(spec);
    spec = mended(SHAPE(""), THUD_NOTE_LOOK, "holds one shape, not none");
    CHECK_INT(spec->geoms, 0);
    thud_spec_destroy(spec);
}

TEST(a_plane_is_ground_under_a_robot_that_stands)
{
    thud_spec *spec = robot(SHAPE("<plane normal='0 1 0'/>"));
    CHECK_INT(spec->geom[0].type, THUD_GEOM_PLANE);
    const thud_quat q = spec->geom[0].quat; // takes z to the normal
    CHECK_NEAR(2 * (q.y * q.z - q.w * q.x), 1, 1e-15);
    thud_spec_destroy(spec);
}

TEST(several_roots_stand_in_the_world_each_by_itself)
{
    thud_spec *spec = mended("<link name='world'/>" SHAPE("<box size='9 9 1'/>") LINK("b")
                                 JOINT("j", "floating", "world", "b"),
                             THUD_NOTE_LOOK, "a second root: no joint holds link \"a\"");
    CHECK_INT(spec->bodies, 3);
    CHECK_INT(spec->joint[0].type, THUD_JOINT_FREE);
    CHECK_INT(spec->body[body_named(spec, "a")].parent, 0);
    thud_spec_destroy(spec);
}

TEST(a_base_that_floats_is_not_the_ground_beside_it)
{
    thud_spec *spec;
    thud_diag diag;
    const char *xml =
        "<robot><link name='ground'><collision><geometry><box size='9 9 1'/></geometry></collision></link>" //
        LINK("base") LINK("arm") JOINT("j", "continuous", "base", "arm") "</robot>";
    const thud_load_options options = {.floating_base = true};
    CHECK_OK(thud_load_text(xml, strlen(xml), "robot.urdf", &options, &spec, &diag));
    CHECK_INT(spec->joints, 2);
    CHECK_INT(spec->joint[0].body, body_named(spec, "base"));
    thud_spec_destroy(spec);
}

TEST(a_world_that_no_link_declares_is_the_world)
{
    thud_spec *spec =
        mended(LINK("a") JOINT("j", "fixed", "world", "a"), THUD_NOTE_CHANGED, "no link named \"world\"");
    CHECK_INT(spec->bodies, 2);
    thud_spec_destroy(spec);
}

TEST(a_joint_that_cannot_follow_another_stays_where_the_other_stands_or_moves_by_itself)
{
    thud_spec *spec =
        mended(LINK("a") LINK("b") LINK("c") JOINT("f", "fixed", "a", "c") //
               "<joint name='x' type='continuous'>" HOLDS("a", "b") "<mimic joint='f' offset='0.3'/></joint>",
               THUD_NOTE_LOOK, "cannot follow \"f\"");
    CHECK_INT(spec->equality[0].object2, -1);
    CHECK_NEAR(spec->equality[0].polycoef[0], 0.3, 0);
    thud_spec_destroy(spec);
    spec = mended(ARM("<mimic joint='nobody'/>"), THUD_NOTE_LOOK, "no joint named \"nobody\"");
    CHECK_INT(spec->equalities, 0);
    thud_spec_destroy(spec);
}

TEST(numbers_are_read_as_other_programs_read_them)
{
    thud_spec *spec = robot(ARM("<origin xyz='1, 2,3' rpy='$(optenv TURN 0 0 1.5)'/>"));
    check_vec(spec->body[2].pos, 1, 2, 3, 0);
    check_quat(spec->body[2].quat, cos(0.75), 0, 0, sin(0.75), 1e-15);
    CHECK_INT(note_of(spec, "commas")->kind, THUD_NOTE_CHANGED);
    CHECK_INT(note_of(spec, "$(optenv")->kind, THUD_NOTE_CHANGED);
    thud_spec_destroy(spec);
    spec = mended(ARM("<origin xyz='1 2 3 4'/>"), THUD_NOTE_LOOK, "xyz");
    check_vec(spec->body[2].pos, 1, 2, 3, 0);
    thud_spec_destroy(spec);
    spec = mended(ARM("<dynamics damping='-1'/>"), THUD_NOTE_CHANGED, "damping");
    CHECK_NEAR(spec->joint[0].damping, 0, 0);
    thud_spec_destroy(spec);
}

TEST(blanks_may_stand_before_the_xml_declaration_and_places_stay_right)
{
    static const char text[] = "\n \n  <?xml version='1.0'?><robot name='r'>\n <link/></robot>";
    thud_spec *spec;
    thud_diag diag;
    CHECK_INT(thud_load_text(text, strlen(text), "robot.urdf", NULL, &spec, &diag), THUD_BAD_FILE);
    CHECK(strstr(diag.text, "<link> needs the attribute \"name\""));
    CHECK_INT(diag.line, 4);
    CHECK_INT(diag.column, 2);
    static const char first[] = "\n <?xml version='1.0'?><lobot/>";
    CHECK_INT(thud_load_text(first, strlen(first), "robot.urdf", NULL, &spec, &diag), THUD_BAD_FILE);
    CHECK_INT(diag.line, 2);
    CHECK_INT(diag.column, 23);
}

TEST_MAIN(T(unknown_words_are_passed_over_and_what_was_likely_meant_is_said),
          T(of_what_stands_twice_the_first_counts),
          T(an_inertia_that_no_body_has_becomes_the_mean_about_every_axis),
          T(a_point_mass_fixed_to_a_body_stays_one), T(inertia_scaling_multiplies_the_inertia_as_in_bullet),
          T(a_link_that_moves_and_has_no_mass_is_weighed_by_its_shapes),
          T(a_link_without_mass_and_shape_that_carries_nothing_heavy_is_fixed),
          T(a_link_without_mass_that_carries_one_moves_as_that_allows),
          T(limits_that_fall_are_none_and_equal_ones_fix_the_joint_there),
          T(a_shape_without_thickness_is_a_thin_one_and_one_without_size_is_left_out),
          T(a_plane_is_ground_under_a_robot_that_stands), T(several_roots_stand_in_the_world_each_by_itself),
          T(a_base_that_floats_is_not_the_ground_beside_it), T(a_world_that_no_link_declares_is_the_world),
          T(a_joint_that_cannot_follow_another_stays_where_the_other_stands_or_moves_by_itself),
          T(numbers_are_read_as_other_programs_read_them),
          T(blanks_may_stand_before_the_xml_declaration_and_places_stay_right))
