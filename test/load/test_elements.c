// SPDX-License-Identifier: Apache-2.0
// Actuators, tendons, equalities, sensors, pairs, keyframes and custom data reach the spec whole.
#include "scene.h"

#define ARM                                                                                                  \
    "<worldbody><site name='base'/><body name='arm'><joint name='j' range='-90 180'/>"                       \
    "<geom name='g' size='1'/><site name='tip'/>"                                                            \
    "<body name='hand'><joint name='k' type='slide' range='-1 3'/><geom name='h' size='1'/></body></body>"   \
    "<body name='ball'><freejoint/><geom name='b' size='1'/></body></worldbody>"

TEST(servos_are_gain_and_bias)
{
    thud_spec *spec = scene("<mujoco>" ARM "<actuator>"
                            "<motor joint='j' gear='3'/><position joint='j' kp='5' kv='2'/>"
                            "<velocity joint='j' kv='4'/><damper joint='j' kv='2' ctrlrange='0 1'/>"
                            "<intvelocity joint='j' kp='7' actrange='-1 1'/>"
                            "<cylinder joint='j' diameter='2' timeconst='.5' bias='1 2 3'/>"
                            "<position joint='j' timeconst='.25' dampratio='1'/>"
                            "<general site='tip' refsite='base' gear='1 2 3 4 5 6' dyntype='integrator'"
                            "  gaintype='affine' gainprm='1 2 3' biastype='affine' biasprm='4' actdim='1'/>"
                            "</actuator></mujoco>");
    const thud_spec_actuator *a = spec->actuator;
    CHECK_INT(spec->actuators, 8);
    CHECK_NEAR(a[0].gear[0], 3, 0);
    CHECK_INT(a[0].bias, THUD_BIAS_NONE);
    CHECK_NEAR(a[1].gainprm[0], 5, 0); // kp (u - q) - kv v
    CHECK_NEAR(a[1].biasprm[1], -5, 0);
    CHECK_NEAR(a[1].biasprm[2], -2, 0);
    CHECK_NEAR(a[2].gainprm[0], 4, 0); // kv (u - v)
    CHECK_NEAR(a[2].biasprm[2], -4, 0);
    CHECK_NEAR(a[3].gainprm[2], -2, 0); // -kv v u
    CHECK_INT(a[3].gain, THUD_GAIN_AFFINE);
    CHECK_INT(a[4].dynamics, THUD_DYNAMICS_INTEGRATOR);
    CHECK_INT(a[4].actlimited, THUD_TRUE);
    CHECK_NEAR(a[5].gainprm[0], 3.14159265358979323846, 5e-16); // the area of a disc of diameter 2
    CHECK_NEAR(a[5].biasprm[2], 3, 0);
    CHECK_INT(a[5].dynamics, THUD_DYNAMICS_FILTER);
    CHECK_INT(a[6].dynamics, THUD_DYNAMICS_FILTER_EXACT);
    CHECK_NEAR(a[6].dampratio, 1, 0);
    CHECK_INT(a[7].transmission, THUD_TRANSMISSION_SITE);
    CHECK(spec->site[a[7].target].body == 1 && spec->site[a[7].refsite].body == 0);
    CHECK_NEAR(a[7].gear[5], 6, 0);
    thud_spec_destroy(spec);
}

TEST(a_servo_inherits_gains_from_its_class_and_its_range_from_its_joint)
{
    thud_spec *spec =
        scene("<mujoco><default><position kp='50' dampratio='.9' inheritrange='1' forcerange='-3 3'/>"
              "<default class='soft'><position kp='5' kv='1' inheritrange='.5'/></default></default>" ARM
              "<actuator><position joint='k'/><position class='soft' joint='k'/></actuator></mujoco>");
    const thud_spec_actuator *a = spec->actuator;
    CHECK_NEAR(a[0].gainprm[0], 50, 0);
    CHECK_NEAR(a[0].biasprm[1], -50, 0);
    CHECK_NEAR(a[0].dampratio, 0.9, 0);
    CHECK_NEAR(a[0].ctrlrange[0], -1, 0);
    CHECK_NEAR(a[0].ctrlrange[1], 3, 0);
    CHECK(a[0].has_ctrlrange && a[0].has_forcerange && !a[0].has_actrange);
    CHECK_NEAR(a[1].gainprm[0], 5, 0);
    CHECK_NEAR(a[1].biasprm[2], -1, 0);
    CHECK_NEAR(a[1].dampratio, 0, 0); // kv replaces it
    CHECK_NEAR(a[1].ctrlrange[0], 0, 0);
    CHECK_NEAR(a[1].ctrlrange[1], 2, 0);
    thud_spec_destroy(spec);
}

TEST(tendons_keep_their_stations_in_order)
{
    thud_spec *spec =
        scene("<mujoco><default><tendon stiffness='9'/></default>" ARM
              "<tendon><fixed name='f'><joint joint='j' coef='2'/><joint joint='k' coef='-1'/></fixed>"
              "<spatial name='s' springlength='.5' range='0 1' damping='3'><site site='base'/>"
              "<geom geom='g' sidesite='tip'/><site site='tip'/>"
              "<pulley divisor='2'/><site site='tip'/><site site='base'/></spatial></tendon></mujoco>");
    const thud_spec_tendon *t = spec->tendon;
    CHECK_INT(spec->tendons, 2);
    CHECK(!t[0].spatial && t[1].spatial);
    CHECK_INT(t[0].wraps, 2);
    CHECK_INT(t[1].first, 2);
    CHECK_INT(t[1].wraps, 6);
    CHECK_NEAR(spec->wrap[1].coef, -1, 0);
    CHECK_INT(spec->wrap[3].type, THUD_WRAP_GEOM);
    CHECK(spec->wrap[3].sidesite >= 0 && spec->wrap[2].sidesite < 0);
    CHECK_NEAR(spec->wrap[5].coef, 2, 0);
    CHECK_NEAR(t[1].springlength[1], 0.5, 0); // one number is both
    CHECK_NEAR(t[0].springlength[0], -1, 0);
    CHECK_NEAR(t[1].stiffness, 9, 0);
    CHECK(t[1].has_range && !t[0].has_range);
    thud_spec_destroy(spec);
}

TEST(equalities_know_their_two_ends)
{
    thud_spec *spec =
        scene("<mujoco><default><equality active='false'/></default>" ARM "<equality>"
              "<connect body1='hand' anchor='1 2 3'/><connect site1='tip' site2='base' active='true'/>"
              "<weld body1='hand' body2='ball' relpose='1 0 0 0 2 0 0' torquescale='4'/>"
              "<weld body1='hand' body2='ball' relpose='1 2 3 0 0 0 0'/>"
              "<joint joint1='j' joint2='k' polycoef='0 -1'/><joint joint1='k'/></equality></mujoco>");
    const thud_spec_equality *e = spec->equality;
    CHECK_INT(spec->equalities, 6);
    CHECK_INT(e[0].object1, 2);
    CHECK_INT(e[0].object2, 0); // the world
    CHECK_NEAR(e[0].anchor.z, 3, 0);
    CHECK(!e[0].active && e[1].active && e[1].sites && !e[0].sites);
    CHECK(e[2].has_relpose && !e[3].has_relpose);
    check_quat(e[2].relquat, 0, 1, 0, 0, 0);
    CHECK_NEAR(e[2].torquescale, 4, 0);
    CHECK_NEAR(e[4].polycoef[1], -1, 0);
    CHECK_INT(e[5].object2, -1);
    thud_spec_destroy(spec);
}

TEST(sensors_know_what_they_are_attached_to)
{
    thud_spec *spec =
        scene("<mujoco>" ARM "<actuator><motor name='m' joint='j'/></actuator><sensor>"
              "<gyro site='tip' noise='.1' cutoff='2'/><jointpos joint='j'/><actuatorfrc actuator='m'/>"
              "<framequat objtype='body' objname='hand' reftype='site' refname='base'/>"
              "<framepos objtype='xbody' objname='hand'/><subtreecom body='arm'/><clock/>"
              "<contact geom1='g'/></sensor></mujoco>");
    const thud_spec_sensor *s = spec->sensor;
    CHECK_INT(spec->sensors, 7); // the contact sensor is only noted
    CHECK_INT(s[0].dim, 3);
    CHECK_NEAR(s[0].cutoff, 2, 0);
    CHECK_INT(s[1].object_type, THUD_OBJECT_JOINT);
    CHECK_INT(s[2].object, 0);
    CHECK_INT(s[3].object_type, THUD_OBJECT_BODY);
    CHECK_INT(s[3].reference_type, THUD_OBJECT_SITE);
    CHECK_INT(s[3].dim, 4);
    CHECK_INT(s[4].object_type, THUD_OBJECT_XBODY);
    CHECK_INT(s[4].reference_type, THUD_OBJECT_NONE);
    CHECK_INT(s[5].object, 1);
    CHECK_INT(s[6].object_type, THUD_OBJECT_NONE);
    thud_spec_destroy(spec);
}

TEST(pairs_excludes_keyframes_and_custom_data_are_kept)
{
    thud_spec *spec =
        scene("<mujoco>" ARM "<contact><pair geom1='g' geom2='b' friction='.5' condim='4'/>"
              "<exclude body1='arm' body2='world'/></contact>"
              "<keyframe><key name='home' time='2' qpos='1 2 0 0 1 1 0 0 0' qvel='1 2 3 4 5 6 7 8'/>"
              "</keyframe><custom><text name='thud:integrator' data='rk4'/><text name='t' data='x y'/>"
              "<numeric name='n' size='4' data='1 2'/></custom></mujoco>");
    CHECK_NEAR(spec->pair[0].friction[0], 0.5, 0);
    CHECK_NEAR(spec->pair[0].friction[1], 1, 0);
    CHECK_INT(spec->pair[0].geom2, geom_named(spec, "b"));
    CHECK_INT(spec->exclude[0].body2, 0);
    CHECK_INT(spec->key[0].nqpos, 9);
    CHECK_NEAR(spec->key[0].qvel[7], 8, 0);
    CHECK_NEAR(spec->key[0].time, 2, 0);
    CHECK_INT(spec->key[0].nctrl, 0);
    CHECK_INT(spec->option.integrator, THUD_INTEGRATOR_RK4);
    CHECK_TEXT(thud_spec_text(spec, "t"), "x y");
    CHECK_INT(spec->custom[2].count, 4);
    CHECK_NEAR(spec->custom[2].number[1], 2, 0);
    CHECK_NEAR(spec->custom[2].number[3], 0, 0);
    thud_spec_destroy(spec);
}

TEST(option_words_choose_integrator_and_switches)
{
    thud_spec *spec =
        scene("<mujoco><option timestep='.01' gravity='0 0 -1' integrator='Euler' density='1.2'>"
              "<flag gravity='disable' contact='disable'/></option>"
              "<option integrator='implicitfast'/></mujoco>");
    CHECK_INT(spec->option.integrator, THUD_INTEGRATOR_MIDPOINT);
    CHECK_NEAR(spec->option.timestep, 0.01, 0);
    CHECK_NEAR(spec->option.density, 1.2, 0);
    CHECK(!spec->option.gravity_on && !spec->option.contact_on && spec->option.limit_on);
    thud_spec_destroy(spec);
    spec = scene("<mujoco><option><flag constraint='disable'/></option></mujoco>");
    CHECK(!spec->option.contact_on && !spec->option.limit_on && !spec->option.equality_on);
    CHECK(spec->option.gravity_on);
    thud_spec_destroy(spec);
}

TEST(meshes_and_height_fields_come_from_the_file_itself)
{
    thud_spec *spec =
        scene("<mujoco><asset><mesh name='tetra' vertex='0 0 0 1 0 0 0 1 0 0 0 1' scale='1 -1 1'"
              " face='0 1 2 0 1 3' inertia='exact'/>"
              "<hfield name='hill' nrow='2' ncol='3' size='1 1 1 1' elevation='1 2 3 4 5 6'/></asset>"
              "<worldbody><geom type='mesh' mesh='tetra'/><geom type='hfield' hfield='hill'/>"
              "<geom type='box' mesh='tetra' fitscale='2'/></worldbody></mujoco>");
    CHECK_INT(spec->mesh[0].vertices, 4);
    CHECK_INT(spec->mesh[0].triangles, 2);
    CHECK_INT(spec->mesh[0].triangle[5], 3);
    CHECK_INT(spec->mesh[0].inertia, THUD_MESH_INERTIA_EXACT);
    CHECK_NEAR(spec->mesh[0].scale.y, -1, 0);
    CHECK_NEAR(spec->hfield[0].elevation[0], 4, 0); // the last row is written first
    CHECK_NEAR(spec->hfield[0].elevation[5], 3, 0);
    CHECK_INT(spec->geom[1].hfield, 0);
    CHECK_INT(spec->geom[2].type, THUD_GEOM_BOX); // to be fitted
    CHECK_INT(spec->geom[2].mesh, 0);
    CHECK_NEAR(spec->geom[2].fitscale, 2, 0);
    thud_spec_destroy(spec);
}

TEST(a_full_inertia_is_kept_with_its_off_diagonals)
{
    thud_spec *spec =
        world("<body><inertial mass='2' pos='1 2 3' fullinertia='3 4 5 .1 .2 .3'/></body>"
              "<body><inertial mass='2' pos='0 0 0' diaginertia='3 4 5' quat='0 1 0 0'/></body>");
    static const double want[6] = {3, 4, 5, 0.1, 0.2, 0.3};
    for (int k = 0; k < 6; k++) {
        CHECK_NEAR(spec->body[1].inertia[k], want[k], 0);
        CHECK_NEAR(spec->body[2].inertia[k], k < 3 ? want[k] : 0, 0);
    }
    check_vec(spec->body[1].ipos, 1, 2, 3, 0);
    check_quat(spec->body[2].iquat, 0, 1, 0, 0, 0);
    CHECK_NEAR(spec->body[1].mass, 2, 0);
    CHECK(spec->body[1].has_inertial);
    CHECK_INT(spec->body[1].inertial_place.line, 1);
    thud_spec_destroy(spec);
}

TEST(what_is_not_simulated_is_noted_once_with_its_first_place)
{
    thud_spec *spec = scene("<mujoco>\n<asset><texture name='t' builtin='flat'/></asset><worldbody>\n"
                            "  <geom size='1' solref='.1 1' solimp='.9'/><geom size='1' solref='.2 1'/>\n"
                            "  <light/><camera/><light/></worldbody><visual/><size nconmax='5'/></mujoco>");
    int soft = 0, lights = 0;
    for (int i = 0; i < spec->notes; i++) {
        const thud_spec_note *n = &spec->note[i];
        CHECK(n->what[0] && n->why[0] && n->place.line > 0 && n->count > 0);
        if (n->kind == THUD_NOTE_SOFT) {
            soft++;
            CHECK_INT(n->count, 3);
            CHECK_INT(n->place.line, 3);
            CHECK_INT(n->place.column, 18);
        }
        if (strcmp(n->what, "light") == 0) {
            lights++;
            CHECK_INT(n->kind, THUD_NOTE_VISUAL);
            CHECK_INT(n->count, 2);
            CHECK_INT(n->place.line, 4);
        }
    }
    CHECK_INT(soft, 1);
    CHECK_INT(lights, 1);
    CHECK_INT(spec->notes, 6);
    thud_spec_destroy(spec);
}

TEST(a_default_class_is_no_element)
{
    thud_spec *spec =
        scene("<mujoco><default><position kp='1'/><material rgba='1 1 1 1'/><camera fovy='1'/></default>"
              "</mujoco>");
    CHECK_INT(spec->notes, 0);
    thud_spec_destroy(spec);
}

TEST_MAIN(T(a_default_class_is_no_element), T(servos_are_gain_and_bias),
          T(a_servo_inherits_gains_from_its_class_and_its_range_from_its_joint),
          T(tendons_keep_their_stations_in_order), T(equalities_know_their_two_ends),
          T(sensors_know_what_they_are_attached_to), T(pairs_excludes_keyframes_and_custom_data_are_kept),
          T(option_words_choose_integrator_and_switches),
          T(meshes_and_height_fields_come_from_the_file_itself),
          T(a_full_inertia_is_kept_with_its_off_diagonals),
          T(what_is_not_simulated_is_noted_once_with_its_first_place))
