// SPDX-License-Identifier: Apache-2.0
// A sim tells what of its steps is wrong, too coarse, or done otherwise than asked, once for each kind and place.
#include "world.h"

static const thud_doubt *find_doubt(const world *w, thud_doubt_kind kind)
{
    int count;
    const thud_doubt *list = thud_sim_doubts(w->sim, &count);
    for (int i = 0; i < count; i++) {
        if (list[i].kind == kind) {
            return &list[i];
        }
    }
    return NULL;
}

static int count_doubts(const world *w, thud_doubt_grade least)
{
    int count, of_grade = 0;
    const thud_doubt *list = thud_sim_doubts(w->sim, &count);
    for (int i = 0; i < count; i++) {
        of_grade += list[i].grade >= least;
    }
    return of_grade;
}

#define SLOPE                                                                                                \
    "<mujoco><option timestep='0.002'/><worldbody><geom name='slope' type='plane' size='0 0 1' euler='11 "   \
    "17 5'/>"                                                                                                \
    "<body name='box' pos='0 0 0.5' euler='21 8 33'><freejoint/><geom name='cube' type='box' size='.1 .07 "  \
    ".05'/></body>"                                                                                          \
    "</worldbody></mujoco>"

// A box that falls on an oblique slope, tumbles and slides: 1 s, and no doubt of any grade but what an impact is worth.
TEST(a_sound_run_raises_no_doubt)
{
    world w = world_text(SLOPE);
    world_begin(&w, -1);
    world_run(&w, 1);
    CHECK(count_doubts(&w, THUD_DOUBT_WRONG) == 0);
    CHECK(w.c.contacts > 0);
    CHECK_BELOW(w.worst.momentum, 1e-12);
    world_end(&w);
}

#define TORN                                                                                                 \
    "<mujoco><compiler angle='radian'/><worldbody><body name='one'><joint name='one' axis='0 1 0' "          \
    "range='.5 1' "                                                                                          \
    "limited='true'/><geom type='capsule' fromto='0 0 0 0 0 -1' size='.05'/></body><body name='two' pos='1 " \
    "0 0'>"                                                                                                  \
    "<joint name='two' axis='0 1 0' range='-1 .2' limited='true'/><geom type='capsule' fromto='0 0 0 0 0 "   \
    "-1' "                                                                                                   \
    "size='.05'/></body></worldbody><equality><joint name='gear' joint1='one' "                              \
    "joint2='two'/></equality></mujoco>"

TEST(limits_that_contradict_each_other_are_wrong_and_named)
{
    world w = world_text(TORN);
    world_begin(&w, -1);
    CHECK_OK(world_try(&w, NULL));
    CHECK_OK(world_try(&w, NULL));
    const thud_doubt *limit = find_doubt(&w, THUD_DOUBT_LIMIT), *drift = find_doubt(&w, THUD_DOUBT_DRIFT);
    CHECK(limit && drift);
    CHECK(limit->grade == THUD_DOUBT_WRONG && limit->count == 2 && limit->where.joint == 0);
    CHECK_NEAR(limit->worst.value, 0.1, 1e-3); // a third of the 0.3 rad between the two
    CHECK_NEAR(limit->first.time, w.o.h, 1e-15);
    CHECK(drift->where.equality == 0 && drift->limit < 1e-3);
    CHECK(w.c.wrong == 3); // two limits and the gear
    char place[200];
    thud_doubt_place(w.m, &drift->where, place, sizeof place);
    CHECK(strcmp(place, "body 'one', joint 'one', equality 'gear'") == 0);
    thud_doubt_place(w.m, &drift->where, place, 8);
    CHECK(strcmp(place, "body 'o") == 0);
    world_end(&w);
}

// A ball of a millimetre on an axis through its middle overlaps a fixed one by 70 % of its width: no turn parts them.
#define TINY                                                                                                 \
    "<mujoco><worldbody><geom name='fixed' type='sphere' size='.001'/><body name='tiny' pos='.0006 0 0'>"    \
    "<joint type='hinge' axis='0 0 1'/><geom name='ball' type='sphere' "                                     \
    "size='.001'/></body></worldbody></mujoco>"

TEST(an_overlap_is_judged_by_the_smaller_body)
{
    world w = world_text(TINY);
    world_begin(&w, -1);
    CHECK_OK(world_try(&w, NULL));
    CHECK_NEAR(w.c.penetration, 0.0014, 1e-9);
    const thud_doubt *overlap = find_doubt(&w, THUD_DOUBT_PENETRATION),
                     *stuck = find_doubt(&w, THUD_DOUBT_CANNOT_PART);
    CHECK(overlap || stuck);
    const thud_doubt *told = stuck ? stuck : overlap;
    CHECK(told->where.geom[0] == 0 && told->where.geom[1] == 1 && told->where.body[0] == 0 &&
          told->where.body[1] == 1);
    if (!stuck) {
        CHECK_NEAR(overlap->worst.value, 0.7, 1e-6);
    }
    world_end(&w);
}

// While a ball bounces elsewhere, a chain leans on the limit of its ball joint: collisions find a small couple there, which the
// root feels only as rounding.
#define LEANING                                                                                              \
    "<mujoco><compiler angle='radian'/><option timestep='.004'/><worldbody><geom type='plane' size='0 0 "    \
    "1'/>"                                                                                                   \
    "<body pos='2 0 .3'><freejoint/><geom size='.1'/></body><body pos='0 0 3' euler='1 2 3'><freejoint/>"    \
    "<geom type='capsule' size='.03 .1'/><body pos='.05 0 -.2'><joint axis='1 -.2 0'/><geom type='box' "     \
    "size='.05 .03 .06'/><body pos='-.05 0 -.2'><joint axis='1 0 0'/><geom type='box' size='.05 .03 .06'/>"  \
    "<body pos='-.02 0 -.2'><joint type='ball' limited='true' range='0 .5'/><geom type='box' "               \
    "size='.05 .03 .06'/></body></body></body></body></worldbody><custom><numeric name='thud:restitution' "  \
    "data='.6'/></custom><keyframe><key qpos='2 0 .3 1 0 0 0 0 0 3 1 0 0 0 0 0 1 0 0 0' "                    \
    "qvel='3 -2 0 1 4 0 -2 3 1 -2 4 5 3 4 -2 2 4'/></keyframe></mujoco>"

TEST(rounding_in_a_collision_elsewhere_is_no_doubt)
{
    world w = world_text(LEANING);
    world_begin(&w, 0);
    world_run(&w, 1);
    CHECK(count_doubts(&w, THUD_DOUBT_WRONG) == 0);
    CHECK_BELOW(w.worst.momentum, 1e-8);
    world_end(&w);
}

// Cylinders that fall onto a floor, tumble and rock: their points run along lines and rims, and are on both bodies all the same.
TEST(contacts_that_run_along_curved_bodies_are_no_doubt)
{
    enum { MANY = 12, ROOM = 4000 };
    char text[ROOM];
    int at = snprintf(text, ROOM,
                      "<mujoco><option timestep='.004'/><worldbody><geom type='plane' size='0 0 1' "
                      "friction='.6'/>");
    for (int k = 0; k < MANY; k++) {
        at += snprintf(
            text + at, (size_t)(ROOM - at),
            "<body pos='%g %g %g' euler='%d %d %d'><freejoint/><geom type='cylinder' size='.035 .03' "
            "friction='.6'/></body>",
            0.1 * (k % 2) + 0.01 * k, 0.09 * (k / 2 % 2) - 0.004 * k, 0.08 + 0.11 * (k / 4), 37 * k, 71 * k,
            13 * k);
    }
    (void)snprintf(text + at, (size_t)(ROOM - at), "</worldbody></mujoco>");
    world w = world_text(text);
    world_begin(&w, -1);
    world_run(&w, 1);
    CHECK(w.c.contacts > MANY);
    CHECK(count_doubts(&w, THUD_DOUBT_WRONG) == 0);
    world_end(&w);
}

#define TUMBLING                                                                                             \
    "<mujoco><worldbody><geom type='plane' size='0 0 1'/><body pos='0 0 .09'><freejoint/><geom "             \
    "type='capsule' size='.03 .06'/></body></worldbody><keyframe><key qpos='0 0 .09 1 0 0 0' qvel='0 0 0 0 " \
    "60 9'/></keyframe></mujoco>"

// It spins about its own axis at 9 rad/s, which does not count, and across it at 60.
TEST(a_curved_contact_that_turns_far_in_a_step_is_coarse)
{
    for (int fine = 0; fine < 2; fine++) {
        world w = world_text(TUMBLING);
        w.o.h = fine ? 1e-3 : 4e-3;
        w.o.impacts = THUD_IMPACTS_PRINTED; // otherwise it only touches for moments
        world_begin(&w, 0);
        world_run(&w, 0.1);
        const thud_doubt *spin = find_doubt(&w, THUD_DOUBT_SPIN);
        CHECK((spin != NULL) == !fine);
        CHECK(fine || (spin->grade == THUD_DOUBT_COARSE && spin->worst.value < 60 * 4e-3));
        CHECK(count_doubts(&w, THUD_DOUBT_WRONG) == 0);
        world_end(&w);
    }
}

// A ball at 20 m/s and a plate of 4 mm: a law that does not look ahead puts it behind the plate in a step of 8 ms, and stops it in
// steps of 0.1 ms. A spinning stick at the same speed, and a slab beside the plate that it passes.
#define SHOT                                                                                                 \
    "<mujoco><worldbody><geom name='plate' type='box' size='1 1 .002'/><body name='shot' pos='0 0 .15'>"     \
    "<freejoint/><geom type='%s' size='.01 .02 .03'/></body></worldbody><keyframe><key qpos='%s 0 .15 1 0 "  \
    "0 0' "                                                                                                  \
    "qvel='0 0 -20 3 %d 0'/></keyframe></mujoco>"

static bool passes(const char *shape, const char *x, int spin, double h)
{
    char text[1000];
    (void)snprintf(text, sizeof text, SHOT, shape, x, spin);
    world w = world_text(text);
    w.o.law.law = THUD_LAW_ANITESCU_POTRA;
    w.o.h = h;
    world_begin(&w, 0);
    world_run(&w, 0.016);
    const thud_doubt *passed = find_doubt(&w, THUD_DOUBT_PASSED);
    CHECK(!passed ||
          (passed->grade == THUD_DOUBT_WRONG && passed->where.geom[0] == 0 && passed->where.geom[1] == 1));
    world_end(&w);
    return passed != NULL;
}

TEST(a_body_that_ends_behind_another_one_is_wrong)
{
    CHECK(passes("sphere", "0", 0, 8e-3) && !passes("sphere", "0", 0, 1e-4));
    CHECK(passes("capsule", "0", 200, 8e-3) && passes("box", ".5", 200, 8e-3));
    CHECK(!passes("sphere", "1.02", 0, 8e-3) && !passes("box", "1.1", 200, 8e-3));
}

#define SPRING                                                                                               \
    "<mujoco><worldbody><body><joint type='slide' axis='1 0 0' stiffness='1e6'/><geom size='.1' "            \
    "mass='1'/></body>"                                                                                      \
    "</worldbody><keyframe><key qpos='.1'/></keyframe></mujoco>"

TEST(a_step_too_large_for_a_spring_is_coarse_and_a_small_one_is_not)
{
    for (int fine = 0; fine < 2; fine++) {
        world w = world_text(SPRING);
        w.o.h = fine ? 1e-4 : 1e-2; // 1000 rad/s
        world_begin(&w, 0);
        world_run(&w, 0.1);
        const thud_doubt *left = find_doubt(&w, THUD_DOUBT_ENERGY_LEFT_OVER);
        CHECK((left != NULL) == !fine);
        CHECK(fine || left->grade == THUD_DOUBT_COARSE);
        CHECK(count_doubts(&w, THUD_DOUBT_WRONG) == 0);
        world_end(&w);
    }
}

TEST(an_integrator_that_was_not_asked_for_is_noted)
{
    world w = world_text(SLOPE);
    w.o.integrator = THUD_INTEGRATOR_RK4;
    world_begin(&w, -1);
    CHECK(thud_sim_integrator(w.sim) == THUD_INTEGRATOR_MIDPOINT);
    CHECK_OK(world_try(&w, NULL));
    const thud_doubt *note = find_doubt(&w, THUD_DOUBT_INTEGRATOR);
    CHECK(note && note->grade == THUD_DOUBT_NOTE && note->count == 1 && w.c.noted == 1);
    CHECK(thud_sim_step(w.sim, NULL, w.s, NULL) == THUD_OK); // also where nobody asks for a certificate
    CHECK(find_doubt(&w, THUD_DOUBT_INTEGRATOR)->count == 2);
    world_end(&w);
}

TEST(a_step_that_fails_leaves_the_list_as_it_was)
{
    world w = world_text(TORN);
    world_begin(&w, -1);
    CHECK_OK(world_try(&w, NULL));
    const int before = count_doubts(&w, THUD_DOUBT_NOTE);
    CHECK(before > 0);
    w.s->qvel[0] = NAN;
    CHECK(thud_sim_step(w.sim, NULL, w.s, &w.c) == THUD_NOT_FINITE);
    CHECK(count_doubts(&w, THUD_DOUBT_NOTE) == before);
    CHECK(find_doubt(&w, THUD_DOUBT_LIMIT)->count == 1);
    thud_sim_forget_doubts(w.sim);
    CHECK(count_doubts(&w, THUD_DOUBT_NOTE) == 0);
    world_end(&w);
}

TEST(more_places_than_the_list_holds_share_an_entry)
{
    enum { MANY = 300, PLACES = 256 };
    world w = world_text(SLOPE);
    world_begin(&w, -1);
    for (int i = 0; i < MANY; i++) {
        thud_doubt one = {
            .kind = THUD_DOUBT_HULL, .where = thud_doubt_nowhere(), .first = {0, 1e-3 * i}, .limit = 0};
        one.where.geom[0] = i;
        thud_sim_add_doubt(w.sim, &one);
    }
    int count;
    const thud_doubt *list = thud_sim_doubts(w.sim, &count);
    CHECK(count == PLACES + 1);
    CHECK(list[PLACES].count == MANY - PLACES && list[PLACES].where.geom[0] == -1);
    CHECK_NEAR(list[PLACES].worst.value, 1e-3 * (MANY - 1), 1e-15);
    CHECK(list[0].grade == THUD_DOUBT_NOTE && list[0].count == 1);
    CHECK(find_doubt(&w, THUD_DOUBT_PENETRATION) == NULL);
    world_end(&w);
}

// Two tumbling robots far from each other are stepped as parts, each with its own sim; the second's joint is the whole's third.
TEST(doubts_of_a_crowd_have_the_numbers_of_the_whole)
{
    static char text[6000];
    char *at = text + sprintf(text, "<mujoco><compiler angle='radian'/><worldbody>");
    for (int i = 0; i < 4; i++) {
        at += sprintf(at,
                      "<body name='r%d' pos='%d 0 0'><joint name='a%d' axis='0 1 0'/><geom type='capsule' "
                      "fromto='0 0 0 0 0 -1' "
                      "size='.05'/><body pos='0 0 -1'><joint name='b%d' axis='0 1 0' %s/><geom "
                      "type='capsule' fromto='0 0 0 0 "
                      "0 -1' size='.05' contype='0' conaffinity='0'/></body></body>",
                      i, 10 * i, i, i, i == 2 ? "range='.5 1' limited='true'" : "");
    }
    sprintf(at, "</worldbody><equality><joint joint1='b2'/></equality></mujoco>"); // at 0, out of its range
    world w = world_text(text);
    world_begin(&w, -1);
    CHECK_OK(world_try(&w, NULL));
    const thud_doubt *limit = find_doubt(&w, THUD_DOUBT_LIMIT);
    CHECK(limit && limit->where.joint == 5 && limit->where.body[0] == 6);
    CHECK(w.c.wrong > 0);
    world_end(&w);
}

TEST(every_kind_has_a_word_and_a_sentence)
{
    for (int k = 0; k < THUD_DOUBT_KINDS; k++) {
        thud_doubt_kind found;
        CHECK(thud_doubt_find(thud_doubt_name((thud_doubt_kind)k), &found) && (int)found == k);
        CHECK(strlen(thud_doubt_text((thud_doubt_kind)k)) > 10);
    }
    thud_doubt_kind none;
    CHECK(!thud_doubt_find("fine", &none));
}

TEST_MAIN(T(a_sound_run_raises_no_doubt), T(limits_that_contradict_each_other_are_wrong_and_named),
          T(an_overlap_is_judged_by_the_smaller_body), T(rounding_in_a_collision_elsewhere_is_no_doubt),
          T(contacts_that_run_along_curved_bodies_are_no_doubt),
          T(a_curved_contact_that_turns_far_in_a_step_is_coarse),
          T(a_body_that_ends_behind_another_one_is_wrong),
          T(a_step_too_large_for_a_spring_is_coarse_and_a_small_one_is_not),
          T(an_integrator_that_was_not_asked_for_is_noted), T(a_step_that_fails_leaves_the_list_as_it_was),
          T(more_places_than_the_list_holds_share_an_entry),
          T(doubts_of_a_crowd_have_the_numbers_of_the_whole), T(every_kind_has_a_word_and_a_sentence))
