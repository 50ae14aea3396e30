// SPDX-License-Identifier: Apache-2.0
// Which geoms meet and how: MuJoCo's rules on hand-made trees.
#include <thud/collide.h>
#include <thud/spec_elements.h>

#include "test.h"

static int add_ball(thud_spec *s, int body)
{
    const int g = thud_spec_add_geom(s, body, THUD_GEOM_SPHERE, NULL);
    s->geom[g].size[0] = 0.1;
    return g;
}

static int add_jointed(thud_spec *s, int parent, bool joint)
{
    const int body = thud_spec_add_body(s, parent, NULL);
    if (joint) {
        thud_spec_add_joint(s, body, THUD_JOINT_HINGE, NULL);
    }
    return body;
}

static thud_model *build(thud_spec *s)
{
    thud_model *m;
    thud_diag diag;
    if (thud_model_build(s, &m, &diag) != THUD_OK) {
        fail_msg("%s", diag.text);
    }
    thud_spec_destroy(s);
    return m;
}

// world(0) - arm(1, hinge) - plate(2, welded to arm) - hand(3, hinge on plate) - finger(4, hinge)
//          - post(5, welded to the world) - lid(6, hinge on post)
// Geom i is on body i, so model and spec agree on their numbers.
static thud_spec *tree(void)
{
    thud_spec *s;
    CHECK_OK(thud_spec_create(&s));
    const int arm = add_jointed(s, 0, true), plate = add_jointed(s, arm, false);
    const int hand = add_jointed(s, plate, true);
    add_jointed(s, hand, true);
    const int post = add_jointed(s, 0, false);
    add_jointed(s, post, true);
    for (int body = 0; body < s->bodies; body++) {
        add_ball(s, body);
    }
    return s;
}

enum { WORLD, ARM, PLATE, HAND, FINGER, POST, LID };

static void check_filter(const thud_model *m, int a, int b, thud_filter want)
{
    CHECK_INT(thud_filter_geoms(m, a, b), want);
    CHECK_INT(thud_filter_geoms(m, b, a), want);
}

TEST(parents_do_not_meet_their_children_but_the_world_meets_all)
{
    (void)test_state;
    thud_model *m = build(tree());
    check_filter(m, WORLD, ARM, THUD_FILTER_MEET);   // the world is no parent
    check_filter(m, POST, ARM, THUD_FILTER_MEET);    // nor is what is welded to it
    check_filter(m, POST, LID, THUD_FILTER_MEET);    // also for its own child
    check_filter(m, ARM, PLATE, THUD_FILTER_WELDED); // one rigid body
    check_filter(m, WORLD, POST, THUD_FILTER_WELDED);
    check_filter(m, PLATE, HAND, THUD_FILTER_PARENT);
    check_filter(m, ARM, HAND, THUD_FILTER_PARENT); // through the weld
    check_filter(m, HAND, FINGER, THUD_FILTER_PARENT);
    check_filter(m, ARM, FINGER, THUD_FILTER_MEET); // grandchildren meet
    check_filter(m, FINGER, LID, THUD_FILTER_MEET);
    thud_model_destroy(m);
}

TEST(masks_excludes_and_pairs_are_heard_in_that_order)
{
    (void)test_state;
    thud_spec *s = tree();
    s->geom[FINGER].contype = 2;
    s->geom[FINGER].conaffinity = 4;
    s->geom[LID].contype = 4; // 4 & 4: the lid's type against the finger's affinity
    s->geom[LID].conaffinity = 0;
    thud_spec_add_exclude(s, LID, FINGER, NULL); // in either order
    thud_spec_add_exclude(s, ARM, WORLD, NULL);
    thud_spec_add_pair(s, HAND, PLATE, NULL); // a parent and its child
    thud_spec_add_pair(s, WORLD, FINGER, NULL);
    thud_model *m = build(s);
    check_filter(m, FINGER, ARM, THUD_FILTER_MASKS);
    check_filter(m, FINGER, LID, THUD_FILTER_EXCLUDED);
    check_filter(m, ARM, WORLD, THUD_FILTER_EXCLUDED);
    check_filter(m, ARM, POST, THUD_FILTER_MEET); // an exclude names bodies, not what is welded to them
    check_filter(m, HAND, PLATE, THUD_FILTER_PAIR);
    check_filter(m, HAND, ARM, THUD_FILTER_PARENT);
    check_filter(m, WORLD, FINGER, THUD_FILTER_PAIR);
    thud_model_destroy(m);
}

TEST(planes_and_height_fields_do_not_meet_each_other)
{
    (void)test_state;
    thud_spec *s = tree();
    s->geom[WORLD].type = THUD_GEOM_PLANE;
    s->geom[ARM].type = THUD_GEOM_PLANE;
    thud_spec_add_pair(s, WORLD, ARM, NULL);
    thud_model *m = build(s);
    check_filter(m, WORLD, ARM, THUD_FILTER_FLAT);
    check_filter(m, WORLD, FINGER, THUD_FILTER_MEET);
    thud_model_destroy(m);
}

TEST(the_higher_priority_decides_and_equals_take_the_larger)
{
    (void)test_state;
    thud_spec *s = tree();
    thud_spec_geom *a = &s->geom[ARM], *f = &s->geom[FINGER];
    *a = (thud_spec_geom){.body = ARM,
                          .type = THUD_GEOM_SPHERE,
                          .size = {0.1},
                          .quat = {1, 0, 0, 0},
                          .mesh = -1,
                          .hfield = -1,
                          .mass = 1,
                          .friction = {0.5, 0.03, 0.001},
                          .condim = 4,
                          .contype = 1,
                          .conaffinity = 1,
                          .margin = 0.01,
                          .gap = 0.001,
                          .solmix = 1};
    *f = *a;
    f->body = FINGER;
    f->friction[0] = 0.9;
    f->friction[1] = 0.02;
    f->condim = 3;
    f->margin = 0.02;
    s->geom[LID].priority = 1;
    s->geom[LID].condim = 1;
    thud_model *m = build(s);
    const thud_contact_law equal = thud_contact_law_of(m, ARM, FINGER);
    const double want[5] = {0.9, 0.9, 0.03, 0.001, 0.001};
    for (int k = 0; k < 5; k++) {
        CHECK_NEAR(equal.friction[k], want[k], 0);
    }
    CHECK_INT(equal.condim, 4);
    CHECK_NEAR(equal.margin, 0.03, 1e-15); // sums, as in MuJoCo since 3.3
    CHECK_NEAR(equal.gap, 0.002, 1e-15);
    const thud_contact_law led = thud_contact_law_of(m, LID, ARM), too = thud_contact_law_of(m, ARM, LID);
    CHECK_INT(led.condim, 1);
    CHECK_INT(too.condim, 1);
    CHECK_NEAR(led.friction[0], 1, 0);
    CHECK_NEAR(too.friction[2], 0.005, 0);
    CHECK_NEAR(led.margin, 0.01, 0); // priority does not speak of margins
    thud_model_destroy(m);
}

TEST(surfaces_combine_as_friction_does)
{
    (void)test_state;
    thud_spec *s = tree();
    s->geom[ARM].surface = (thud_spec_surface){0.5, {0.3, 0.3}, 0.01, 0.002};
    s->geom[FINGER].surface = (thud_spec_surface){0.2, {0.4, 0.4}, 0.02, 0.001};
    s->geom[LID].surface = (thud_spec_surface){0.1, {0.2, 0.2}, 0, 0};
    s->geom[LID].priority = 1;
    s->geom[FINGER].friction_axis = (thud_vec3){0, 2, 0};
    const int p = thud_spec_add_pair(s, FINGER, POST, NULL);
    s->pair[p].surface.restitution = 0.9;
    s->pair[p].surface.kinetic[1] = 0.6;
    thud_model *m = build(s);
    const thud_contact_law equal = thud_contact_law_of(m, ARM, FINGER),
                           led = thud_contact_law_of(m, LID, ARM),
                           pair = thud_contact_law_of(m, POST, FINGER);
    CHECK_NEAR(equal.restitution, 0.5, 0);
    CHECK_NEAR(equal.kinetic[0], 0.4, 0);
    CHECK_NEAR(equal.kinetic[1], 0.4, 0);
    CHECK_NEAR(equal.viscous, 0.02, 0);
    CHECK_NEAR(equal.stribeck, 0.002, 0);
    CHECK_INT(equal.axis_body, FINGER);
    CHECK_NEAR(equal.axis.y, 1, 0);
    CHECK_NEAR(led.restitution, 0.1, 0); // the lid decides alone
    CHECK_NEAR(led.kinetic[0], 0.2, 0);
    CHECK_NEAR(led.viscous, 0, 0);
    CHECK_INT(led.axis_body, -1);
    CHECK_NEAR(pair.restitution, 0.9, 0);
    CHECK_NEAR(pair.kinetic[0], 1, 0); // not given: static
    CHECK_NEAR(pair.kinetic[1], 0.6, 0);
    CHECK_NEAR(pair.stribeck, 0.001, 0); // not given: of its geoms
    CHECK_INT(pair.axis_body, FINGER);
    thud_model_destroy(m);
}

TEST(the_flag_filterparent_lets_parents_meet_their_children)
{
    (void)test_state;
    thud_spec *s = tree();
    s->option.filterparent_on = false;
    thud_model *m = build(s);
    check_filter(m, HAND, FINGER, THUD_FILTER_MEET);
    check_filter(m, ARM, PLATE, THUD_FILTER_WELDED); // one rigid body still
    thud_model_destroy(m);
}

TEST(a_pair_brings_its_own_numbers)
{
    (void)test_state;
    thud_spec *s = tree();
    for (int k = 0; k < 3; k++) { // out of order, so that they have to be sorted
        const int p = thud_spec_add_pair(s, FINGER - k, WORLD, NULL);
        s->pair[p].condim = 6;
        s->pair[p].margin = 0.1 * (FINGER - k);
        s->pair[p].gap = 0.05;
        for (int i = 0; i < 5; i++) {
            s->pair[p].friction[i] = FINGER - k + 0.1 * i;
        }
    }
    thud_model *m = build(s);
    for (int g = PLATE; g <= FINGER; g++) {
        const thud_contact_law law = thud_contact_law_of(m, g, WORLD);
        CHECK_INT(law.condim, 6);
        CHECK_NEAR(law.margin, 0.1 * g, 1e-15);
        CHECK_NEAR(law.gap, 0.05, 0);
        CHECK_NEAR(law.friction[4], g + 0.4, 1e-15);
    }
    thud_model_destroy(m);
}

TEST(bad_pairs_and_excludes_are_refused)
{
    (void)test_state;
    for (int fault = 0; fault < 4; fault++) {
        thud_spec *s = tree();
        thud_model *m;
        thud_diag diag;
        if (fault == 0) {
            thud_spec_add_exclude(s, 1, 99, NULL);
        } else {
            const int p = thud_spec_add_pair(s, ARM, fault == 1 ? ARM : LID, NULL);
            s->pair[p].condim = fault == 2 ? 2 : 3;
            s->pair[p].friction[1] = fault == 3 ? NAN : 1;
        }
        CHECK_INT(thud_model_build(s, &m, &diag), THUD_BAD_MODEL);
        CHECK(!m);
        thud_spec_destroy(s);
    }
}

TEST_MAIN(T(parents_do_not_meet_their_children_but_the_world_meets_all),
          T(masks_excludes_and_pairs_are_heard_in_that_order),
          T(planes_and_height_fields_do_not_meet_each_other),
          T(the_higher_priority_decides_and_equals_take_the_larger), T(surfaces_combine_as_friction_does),
          T(the_flag_filterparent_lets_parents_meet_their_children), T(a_pair_brings_its_own_numbers),
          T(bad_pairs_and_excludes_are_refused))
