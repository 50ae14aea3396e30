// SPDX-License-Identifier: Apache-2.0
// Whatever is wrong is told in a sentence, with the line and the column where it stands.
#include "bad_table.h"

#define WORLD(xml) "<mujoco>\n<worldbody>\n" xml "\n</worldbody>\n</mujoco>" // xml is line 3

TEST(broken_xml_says_where_it_breaks)
{
    static const bad table[] = {
        {THUD_BAD_FILE, "empty", "@"},
        {THUD_BAD_FILE, "not XML", "@garbage"},
        {THUD_BAD_FILE, "<worldbody> of line 2 is still open", "<mujoco>\n<worldbody>@"},
        {THUD_BAD_FILE, "ends inside a tag", "<mujoco>\n@<worldbody"},
        {THUD_BAD_FILE, "<body> of line 2 is still open",
         "<mujoco><worldbody>\n<body>\n</@worldbody></mujoco>"},
        {THUD_BAD_FILE, "given twice", "<mujoco model='a' @model='b'/>"},
        {THUD_BAD_FILE, "follows the end", "<mujoco/>\n@<mujoco/>"},
        {THUD_BAD_FILE, "starts with <mujoco>", "<!-- c -->\n  @<mujjoco/>"},
        {THUD_BAD_FILE, "URDF", "@<robot name='r'/>"},
        {THUD_UNSUPPORTED, "entity", "<!DOCTYPE mujoco [<!ENTITY a @'b'>]><mujoco/>"}};
    CHECK_ALL(table, bad_scene);
}

TEST(a_zero_byte_and_megabytes_of_garbage_are_refused)
{
    thud_spec *spec;
    thud_diag diag;
    CHECK_INT(thud_load_mjcf_text("<mujoco>\n \0</mujoco>", 20, "zero", &spec, &diag), THUD_BAD_FILE);
    CHECK_INT(diag.line, 2);
    CHECK_INT(diag.column, 2);
    const size_t size = 10 << 20;
    char *garbage = malloc(size);
    test_rng rng = {3};
    for (int kind = 0; kind < 3; kind++) {
        for (size_t i = 0; i < size; i++) {
            const int byte = test_below(&rng, 256);
            garbage[i] = (char)(kind == 0 ? byte : kind == 1 ? "<a b='"[byte % 6] : ' ' + byte % 90);
        }
        CHECK_INT(thud_load_mjcf_text(garbage, size, "garbage", &spec, &diag), THUD_BAD_FILE);
        CHECK(!spec && diag.text[0] && diag.line >= 1);
    }
    memset(garbage, ' ', size);
    CHECK_INT(thud_load_mjcf_text(garbage, size, "blank", &spec, &diag), THUD_BAD_FILE);
    free(garbage);
}

TEST(an_unknown_or_misplaced_word_is_told_at_its_place)
{
    static const bad table[] = {
        {THUD_BAD_FILE, "<boddy> does not belong in <worldbody>", WORLD("@<boddy/>")},
        {THUD_BAD_FILE, "<geom> has no attribute \"sizze\"", WORLD("<geom @sizze='1'/>")},
        {THUD_BAD_FILE, "has no attribute \"colour\"", WORLD("<geom size='1'\n  @colour='1'/>")},
        {THUD_BAD_FILE, "<option> does not belong in <worldbody>", WORLD("@<option/>")},
        {THUD_BAD_FILE, "<body> does not belong in <geom>", WORLD("<geom>@<body/></geom>")},
        {THUD_BAD_FILE, "<joint> does not belong in <mujoco>", "<mujoco>\n@<joint/></mujoco>"},
        {THUD_BAD_FILE, "second <inertial>",
         WORLD("<body><inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/>@<inertial mass='1' pos='0 0 "
               "0'/></body>")},
        {THUD_BAD_FILE, "the world has no inertia", WORLD("@<inertial mass='1' pos='0 0 0'/>")},
        {THUD_BAD_FILE, "the world does not move", WORLD("@<joint/>")},
        {THUD_BAD_FILE, "needs the attribute \"mass\"", WORLD("<body>@<inertial pos='0 0 0'/></body>")},
        {THUD_BAD_FILE, "a second <flag> in one <option>; the first is in line 1",
         "<mujoco><option><flag/>@<flag/></option></mujoco>"},
        {THUD_BAD_FILE, "a second <geom> in one <default>",
         "<mujoco><default><geom/><joint/>@<geom/></default></mujoco>"},
        {THUD_BAD_FILE, "cannot be set in a <default>",
         "<mujoco><default><geom @name='g'/></default></mujoco>"},
        {THUD_BAD_FILE, "needs the attribute \"class\"", "<mujoco><default>@<default/></default></mujoco>"}};
    CHECK_ALL(table, bad_scene);
}

TEST(a_number_must_be_finite_and_of_the_right_count)
{
    static const bad table[] = {
        {THUD_BAD_FILE, "\"nan\" in size is not a finite number", WORLD("<geom @size='nan'/>")},
        {THUD_BAD_FILE, "not a finite number", WORLD("<geom @size='NaN'/>")},
        {THUD_BAD_FILE, "not a finite number", WORLD("<geom @size='inf'/>")},
        {THUD_BAD_FILE, "not a finite number", WORLD("<geom @size='0x10'/>")},
        {THUD_BAD_FILE, "1e999 in size is too large", WORLD("<geom @size='1e999'/>")},
        {THUD_BAD_FILE, "not a finite number", WORLD("<geom @size='1,2'/>")},
        {THUD_BAD_FILE, "\"1m\"", WORLD("<geom @size='1m'/>")},
        {THUD_BAD_FILE, "\"1e\"", WORLD("<geom @size='1e'/>")},
        {THUD_BAD_FILE, "at least 4", WORLD("<geom @size='1 2 3 4'/>")},
        {THUD_BAD_FILE, "pos takes 3 numbers, not 2", WORLD("<body @pos='1 2'/>")},
        {THUD_BAD_FILE, "condim is not a whole number", WORLD("<geom size='1'  @condim='3.0'/>")},
        {THUD_BAD_FILE, "not a whole number", WORLD("<geom size='1' @contype='99999999999'/>")},
        {THUD_BAD_FILE, "condim is 1, 3, 4 or 6, not 2", WORLD("<geom size='1' @condim='2'/>")},
        {THUD_BAD_FILE, "\"yes\" is no value of mocap: false, true", WORLD("<body @mocap='yes'/>")},
        {THUD_BAD_FILE, "no default class named", WORLD("<geom size='1' @class=''/>")},
        {THUD_BAD_FILE, "1e400 in qpos", "<mujoco><keyframe><key @qpos='1e400'/></keyframe></mujoco>"},
        {THUD_BAD_FILE, "qpos has 2 numbers; the model has 0",
         "<mujoco><keyframe><key @qpos='1 2'/></keyframe></mujoco>"}};
    CHECK_ALL(table, bad_scene);
}

TEST(a_size_mass_or_range_must_be_possible)
{
    static const bad table[] = {
        {THUD_BAD_FILE, "size is -1; it must not be negative", WORLD("<geom @size='-1'/>")},
        {THUD_BAD_FILE, "a sphere has 1 positive size; number 1 is 0", WORLD("@<geom/>")},
        {THUD_BAD_FILE, "number 2 is 0", WORLD("<geom type='box' @size='1'/>")},
        {THUD_BAD_FILE, "mass is -1", WORLD("<geom size='1' @mass='-1'/>")},
        {THUD_BAD_FILE, "friction is -0.5", WORLD("<geom size='1' @friction='1 -0.5'/>")},
        {THUD_BAD_FILE, "mass is -2",
         WORLD("<body><inertial @mass='-2' pos='0 0 0' diaginertia='1 1 1'/></body>")},
        {THUD_BAD_MODEL, "moves and has no mass",
         WORLD("<body>@<inertial mass='0' pos='0 0 0' diaginertia='1 1 1'/><joint/></body>")},
        {THUD_BAD_MODEL, "not positive definite",
         WORLD("<body name='b'>\n  @<inertial mass='1' pos='0 0 0' diaginertia='1 1 -1'/></body>")},
        {THUD_BAD_MODEL, "not positive definite: its principal values are 3, 1, -1",
         WORLD("<body>@<inertial mass='1' pos='0 0 0' fullinertia='1 1 1 2 0 0'/></body>")},
        {THUD_BAD_MODEL, "4 is more than 2 + 1",
         WORLD("<body>@<inertial mass='1' pos='0 0 0' diaginertia='1 4 2'/></body>")},
        {THUD_BAD_FILE, "range must grow", WORLD("<body><joint @range='2 1'/></body>")},
        {THUD_BAD_FILE, "axis has no length", WORLD("<body><joint @axis='0 0 0'/></body>")},
        {THUD_BAD_FILE, "armature is -1", WORLD("<body><joint @armature='-1'/></body>")},
        {THUD_BAD_FILE, "stands in the world", WORLD("<body><body>@<freejoint/></body></body>")},
        {THUD_BAD_MODEL, "cannot be on a body that moves",
         WORLD("<body><joint/>@<geom type='plane'/></body>")},
        {THUD_BAD_FILE, "timestep is 0; it must be positive", "<mujoco><option @timestep='0'/></mujoco>"},
        {THUD_BAD_FILE, "more than 100000000 points",
         "<mujoco><asset><hfield @nrow='46340' ncol='46340' size='1 1 1 1'/></asset></mujoco>"},
        {THUD_BAD_FILE, "eulerseq is three letters", "<mujoco><compiler @eulerseq='xya'/></mujoco>"},
        {THUD_BAD_FILE, "quat gives no direction", WORLD("<body @quat='0 0 0 0'/>")},
        {THUD_BAD_FILE, "parallel", WORLD("<body @xyaxes='1 0 0 2 0 0'/>")},
        {THUD_BAD_FILE, "says again", WORLD("<body quat='1 0 0 0' @euler='0 0 0'/>")},
        {THUD_BAD_FILE, "same point", WORLD("<geom type='capsule' size='1' @fromto='1 1 1 1 1 1'/>")},
        {THUD_BAD_FILE, "fromto is for a capsule", WORLD("<geom size='1' @fromto='1 1 1 2 2 2'/>")},
        {THUD_BAD_FILE, "range without limited",
         "<mujoco><compiler autolimits='false'/><worldbody><body><joint @range='0 "
         "1'/></body></worldbody></mujoco>"}};
    CHECK_ALL(table, bad_scene);
}

TEST(a_zero_mass_is_allowed_where_nothing_follows_from_it)
{
    thud_spec *spec = world("<body><joint/><geom size='1'/><body name='mark'>"
                            "<inertial mass='0' pos='0 0 0' diaginertia='0 0 0'/></body></body>");
    CHECK(spec->body[2].has_inertial);
    thud_spec_destroy(spec);
    spec = scene(
        "<mujoco><compiler balanceinertia='true' boundmass='1' boundinertia='1'/><worldbody><body><joint/>"
        "<inertial mass='0' pos='0 0 0' diaginertia='1 4 2'/></body></worldbody></mujoco>");
    thud_spec_destroy(spec);
}

TEST(a_name_given_twice_tells_both_places)
{
    static const bad table[] = {
        {THUD_BAD_FILE, "a second body named \"b\"; the first is at scene.xml:3:1",
         WORLD("<body name='b'/>\n @<body name='b'/>")},
        {THUD_BAD_FILE, "the body \"world\" is there already", WORLD("@<body name='world'/>")},
        {THUD_BAD_FILE, "a second geom named \"g\"",
         WORLD("<geom name='g' size='1'/>\n@<geom name='g' size='1'/>")},
        {THUD_BAD_FILE, "a second default class named \"a\"; the first is at scene.xml:1:27",
         "<mujoco><default><default class='a'/>\n<default @class='a'/></default></mujoco>"}};
    CHECK_ALL(table, bad_scene);
    thud_spec *spec =
        world("<body name='x'><joint name='x'/><geom name='x' size='1'/></body>"); // kinds do not meet
    thud_spec_destroy(spec);
}

TEST(a_reference_to_nothing_is_told_at_its_attribute)
{
    static const bad table[] = {
        {THUD_BAD_FILE, "no default class named \"c\"", WORLD("<geom size='1' @class='c'/>")},
        {THUD_BAD_FILE, "no default class named \"c\"", WORLD("<body @childclass='c'/>")},
        {THUD_BAD_FILE, "no mesh named \"m\"", WORLD("<geom type='mesh' @mesh='m'/>")},
        {THUD_BAD_FILE, "needs the attribute \"mesh\"", WORLD("@<geom type='mesh'/>")},
        {THUD_BAD_FILE, "no joint named \"j\"", "<mujoco><actuator><motor @joint='j'/></actuator></mujoco>"},
        {THUD_BAD_FILE, "acts on a joint, tendon or site", "<mujoco><actuator>@<motor/></actuator></mujoco>"},
        {THUD_BAD_FILE, "no site named \"s\"",
         "<mujoco><tendon><spatial><site @site='s'/></spatial></tendon></mujoco>"},
        {THUD_BAD_FILE, "no body named \"a\"",
         "<mujoco><contact><exclude @body1='a' body2='b'/></contact></mujoco>"},
        {THUD_BAD_FILE, "no site named \"s\"", "<mujoco><sensor><gyro @site='s'/></sensor></mujoco>"},
        {THUD_BAD_FILE, "cannot open \"gone.obj\"",
         "<mujoco><asset><mesh @file='gone.obj'/></asset></mujoco>"},
        {THUD_BAD_FILE, "links site1 with site2",
         "<mujoco><equality>@<connect body2='world'/></equality></mujoco>"}};
    CHECK_ALL(table, bad_scene);
}

#define LINKS(xml)                                                                                           \
    "<mujoco><worldbody><site name='s'/><geom name='box' type='box' size='1 1 1'/><body><freejoint "         \
    "name='f'/>"                                                                                             \
    "<geom name='ball' size='1'/></body></worldbody>\n" xml "</mujoco>"

TEST(a_tendon_or_equality_must_make_sense)
{
    static const bad table[] = {
        {THUD_BAD_FILE, "no path", LINKS("<tendon>@<fixed/></tendon>")},
        {THUD_BAD_FILE, "hinges and slides",
         LINKS("<tendon><fixed><joint @joint='f' coef='1'/></fixed></tendon>")},
        {THUD_BAD_FILE, "at least two sites", LINKS("<tendon>@<spatial><site site='s'/></spatial></tendon>")},
        {THUD_BAD_FILE, "between two sites",
         LINKS("<tendon><spatial><site site='s'/><site site='s'/>@<geom geom='ball'/></spatial></tendon>")},
        {THUD_BAD_FILE, "a sphere or a cylinder",
         LINKS("<tendon><spatial><site site='s'/><geom @geom='box'/><site site='s'/></spatial></tendon>")},
        {THUD_BAD_FILE, "at least two sites",
         LINKS("<tendon><spatial><site site='s'/>@<pulley divisor='2'/><site site='s'/></spatial></tendon>")},
        {THUD_BAD_FILE, "divisor is 0", LINKS("<tendon><spatial><pulley @divisor='0'/></spatial></tendon>")},
        {THUD_BAD_FILE, "equates hinges and slides", LINKS("<equality>@<joint joint1='f'/></equality>")},
        {THUD_BAD_FILE, "needs an anchor", LINKS("<equality>@<connect body1='world'/></equality>")},
        {THUD_BAD_FILE, "anchor and relpose are for bodies",
         LINKS("<equality><connect site1='s' site2='s' @anchor='0 0 0'/></equality>")},
        {THUD_BAD_FILE, "is for a hinge or slide joint", LINKS("<sensor><jointpos @joint='f'/></sensor>")},
        {THUD_BAD_FILE, "a slider-crank has", LINKS("<actuator>@<motor cranksite='s'/></actuator>")},
        {THUD_BAD_FILE, "inheritrange needs",
         LINKS("<actuator><position joint='f' @inheritrange='1'/></actuator>")},
        {THUD_BAD_FILE, "says again",
         LINKS("<actuator><position joint='f' kv='1' @dampratio='1'/></actuator>")}};
    CHECK_ALL(table, bad_scene);
}

TEST(what_is_not_supported_says_what_to_do_instead)
{
    static const bad table[] = {
        {THUD_UNSUPPORTED, "dyntype=\"user\" is not supported",
         "<mujoco><actuator><general @dyntype='user'/></actuator></mujoco>"},
        {THUD_UNSUPPORTED, "plugins", "<mujoco><actuator>@<plugin/></actuator></mujoco>"},
        {THUD_UNSUPPORTED, "rigid bodies", "<mujoco><deformable>@<flex/></deformable></mujoco>"},
        {THUD_UNSUPPORTED, "rigid bodies", WORLD("@<flexcomp/>")},
        {THUD_UNSUPPORTED, "<replicate>", WORLD("@<composite/>")},
        {THUD_UNSUPPORTED, "override", "<mujoco>\n<option><flag @override='enable'/></option></mujoco>"},
        {THUD_UNSUPPORTED, "local ones", "<mujoco><compiler @coordinate='global'/></mujoco>"},
        {THUD_UNSUPPORTED, "align=\"true\"", WORLD("<body><freejoint @align='true'/></body>")},
        {THUD_UNSUPPORTED, "alignfree=\"true\"", "<mujoco><compiler @alignfree='true'/></mujoco>"},
        {THUD_UNSUPPORTED, "type=\"sdf\"", WORLD("<geom @type='sdf'/>")}};
    CHECK_ALL(table, bad_scene);
}

TEST(a_missing_file_is_told_without_a_line)
{
    thud_spec *spec;
    thud_diag diag;
    CHECK_INT(thud_load_mjcf("no/such/file.xml", &spec, &diag), THUD_BAD_FILE);
    CHECK_TEXT(diag.file, "no/such/file.xml");
    CHECK_INT(diag.line, -1);
    CHECK(strstr(diag.text, "No such file"));
    CHECK_INT(thud_load_mjcf(THUD_SOURCE_DIR, &spec, &diag), THUD_BAD_FILE); // a folder
    CHECK_INT(thud_load_mjcf("no/such/file.xml", &spec, NULL), THUD_BAD_FILE);
}

TEST_MAIN(T(broken_xml_says_where_it_breaks), T(a_zero_byte_and_megabytes_of_garbage_are_refused),
          T(an_unknown_or_misplaced_word_is_told_at_its_place),
          T(a_number_must_be_finite_and_of_the_right_count), T(a_size_mass_or_range_must_be_possible),
          T(a_zero_mass_is_allowed_where_nothing_follows_from_it), T(a_name_given_twice_tells_both_places),
          T(a_reference_to_nothing_is_told_at_its_attribute), T(a_tendon_or_equality_must_make_sense),
          T(what_is_not_supported_says_what_to_do_instead), T(a_missing_file_is_told_without_a_line))
