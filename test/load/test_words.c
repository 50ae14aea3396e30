// SPDX-License-Identifier: Apache-2.0
// Thud's own words in <custom>: surfaces, choices, and what is not known.
#include <thud/model.h>

#include "scene.h"

#define BALLS                                                                                                \
    "<worldbody><geom name='floor' type='plane' size='1 1 1' friction='.9'/>"                                \
    "<body><freejoint/><geom name='ball' size='.1' friction='.5'/></body>"                                   \
    "<body><freejoint/><geom name='disk' size='.1'/></body></worldbody>"                                     \
    "<contact><pair name='grip' geom1='ball' geom2='disk' friction='.8 .4'/></contact>"
#define CUSTOM(words) "<mujoco>" BALLS "<custom>" words "</custom></mujoco>"

TEST(a_number_is_of_all_geoms_a_tuple_of_some_and_a_name_of_one_in_any_order)
{
    thud_spec *spec =
        scene(CUSTOM("<numeric name='thud:restitution:disk' data='.3'/>"
                     "<tuple name='thud:restitution'><element objtype='geom' objname='ball' prm='.8'/>"
                     "<element objtype='geom' objname='disk' prm='.7'/></tuple><numeric "
                     "name='thud:restitution' data='.5'/>"));
    CHECK_NEAR(spec->geom[geom_named(spec, "floor")].surface.restitution, 0.5, 0);
    CHECK_NEAR(spec->geom[geom_named(spec, "ball")].surface.restitution, 0.8, 0);
    CHECK_NEAR(spec->geom[geom_named(spec, "disk")].surface.restitution, 0.3, 0);
    CHECK(isnan(spec->pair[0].surface.restitution)); // as of its geoms
    CHECK_INT(spec->notes, 0);
    thud_spec_destroy(spec);
}

TEST(friction_has_a_kinetic_and_a_viscous_part_a_stribeck_speed_and_an_axis)
{
    thud_spec *spec = scene(CUSTOM("<numeric name='thud:friction-kinetic' data='.6'/>"
                                   "<numeric name='thud:friction-viscous:ball' data='.01'/>"
                                   "<numeric name='thud:friction-stribeck' data='.002'/>"
                                   "<numeric name='thud:friction-axis:disk' data='0 3 4'/>"
                                   "<numeric name='thud:friction-kinetic:grip' data='.7 .5'/>"
                                   "<numeric name='thud:restitution:grip' data='.25'/>"));
    thud_model *m;
    CHECK_OK(thud_model_build(spec, &m, NULL));
    const int floor = geom_named(spec, "floor"), ball = geom_named(spec, "ball"),
              disk = geom_named(spec, "disk");
    CHECK_NEAR(m->geom_friction_kinetic[floor], 0.6, 0);
    CHECK_NEAR(m->geom_friction_kinetic[ball], 0.5, 0); // never more than static
    CHECK_NEAR(m->geom_friction_viscous[ball], 0.01, 0);
    CHECK_NEAR(m->geom_friction_viscous[disk], 0, 0);
    CHECK_NEAR(m->geom_stribeck[disk], 0.002, 0);
    check_vec(m->geom_friction_axis[disk], 0, 0.6, 0.8, 4e-16); // two roundings
    check_vec(m->geom_friction_axis[ball], 0, 0, 0, 0);
    CHECK_NEAR(m->pair_friction_kinetic[0], 0.7, 0);
    CHECK_NEAR(m->pair_friction_kinetic[1], 0.4, 0);
    CHECK_NEAR(m->pair_restitution[0], 0.25, 0);
    CHECK(isnan(m->pair_stribeck[0]));
    thud_model_destroy(m);
    thud_spec_destroy(spec);
}

TEST(without_a_word_nothing_bounces_and_kinetic_friction_is_the_static_one)
{
    thud_spec *spec = scene(CUSTOM(""));
    thud_model *m;
    CHECK_OK(thud_model_build(spec, &m, NULL));
    for (int g = 0; g < m->geoms; g++) {
        CHECK_NEAR(m->geom_restitution[g], 0, 0);
        CHECK_NEAR(m->geom_friction_kinetic[g], m->geom_friction[3 * g], 0);
        CHECK_NEAR(m->geom_friction_viscous[g], 0, 0);
        CHECK_NEAR(m->geom_stribeck[g], 0, 0);
    }
    CHECK_NEAR(m->pair_friction_kinetic[0], 0.8, 0);
    CHECK_NEAR(m->pair_friction_kinetic[1], 0.4, 0);
    thud_model_destroy(m);
    thud_spec_destroy(spec);
}

TEST(choices_reach_the_model)
{
    thud_spec *spec =
        scene(CUSTOM("<text name='thud:law' data='cone'/><numeric name='thud:directions' data='8'/>"
                     "<text name='mine' data='x'/><numeric name='thud:rho' data='1 2 3'/>"));
    thud_model *m;
    int count;
    CHECK_OK(thud_model_build(spec, &m, NULL));
    thud_spec_destroy(spec);
    CHECK_TEXT(thud_model_text(m, "law"), "cone");
    CHECK(!thud_model_text(m, "mine") && !thud_model_text(m, "solver") && !thud_model_text(m, "directions"));
    CHECK_NEAR(*thud_model_numbers(m, "directions", &count), 8, 0);
    CHECK_INT(count, 1);
    CHECK_NEAR(thud_model_numbers(m, "rho", &count)[2], 3, 0);
    CHECK_INT(count, 3);
    CHECK(!thud_model_numbers(m, "law", &count));
    CHECK_INT(count, 0);
    thud_model_destroy(m);
}

TEST(an_unknown_word_is_noted_with_its_place_and_other_programs_words_are_not)
{
    thud_spec *spec = scene("<mujoco>\n<custom><numeric name='n' data='1'/><text name='t' data='x'/>\n"
                            " <text name='thud:lwa' data='cone'/><numeric name='thud:bounce' data='1'/>"
                            "<tuple name='thud:friction-axis'/></custom></mujoco>");
    CHECK_INT(spec->notes, 1);
    CHECK_INT(spec->note[0].kind, THUD_NOTE_LATER);
    CHECK_INT(spec->note[0].place.line, 3);
    CHECK_INT(spec->note[0].place.column, 2);
    CHECK_INT(spec->note[0].count, 3);
    thud_spec_destroy(spec);
    spec = scene("<mujoco><custom><tuple name='u'/></custom></mujoco>");
    CHECK_INT(spec->note[0].kind, THUD_NOTE_IGNORED);
    thud_spec_destroy(spec);
}

TEST(a_word_that_makes_no_sense_is_refused_at_its_place)
{
    bad_scene(CUSTOM("@<numeric name='thud:restitution' data='1.5'/>"), THUD_BAD_FILE, "between 0 and 1");
    bad_scene(CUSTOM("@<numeric name='thud:restitution' data='.1 .2'/>"), THUD_BAD_FILE,
              "takes 1 number, not 2");
    bad_scene(CUSTOM("@<numeric name='thud:friction-axis' data='1 0'/>"), THUD_BAD_FILE,
              "takes 3 numbers, not 2");
    bad_scene(CUSTOM("@<numeric name='thud:friction-viscous' data='-1'/>"), THUD_BAD_FILE, "at least 0");
    bad_scene(CUSTOM("@<numeric name='thud:restitution:nobody' data='1'/>"), THUD_BAD_FILE,
              "no geom and no pair");
    bad_scene(CUSTOM("@<numeric name='thud:friction-axis:grip' data='1 0 0'/>"), THUD_BAD_FILE,
              "name a geom");
    bad_scene(CUSTOM("<tuple name='thud:restitution'><element objtype='geom' @objname='x' prm='1'/></tuple>"),
              THUD_BAD_FILE, "no geom named");
    bad_scene(CUSTOM("<tuple name='thud:restitution'><element @objtype='body' objname='x' prm='1'/></tuple>"),
              THUD_BAD_FILE, "of geoms");
    bad_scene(
        CUSTOM("<tuple name='thud:restitution'><element objtype='geom' objname='ball' @prm='2'/></tuple>"),
        THUD_BAD_FILE, "between 0 and 1");
    bad_scene("<mujoco><worldbody><geom name='g' size='1'/><geom name='h' size='1'/></worldbody>"
              "<contact><pair name='g' geom1='g' geom2='h'/></contact>"
              "<custom>@<numeric name='thud:restitution:g' data='1'/></custom></mujoco>",
              THUD_BAD_FILE, "both named");
}

TEST_MAIN(T(a_number_is_of_all_geoms_a_tuple_of_some_and_a_name_of_one_in_any_order),
          T(friction_has_a_kinetic_and_a_viscous_part_a_stribeck_speed_and_an_axis),
          T(without_a_word_nothing_bounces_and_kinetic_friction_is_the_static_one),
          T(choices_reach_the_model),
          T(an_unknown_word_is_noted_with_its_place_and_other_programs_words_are_not),
          T(a_word_that_makes_no_sense_is_refused_at_its_place))
