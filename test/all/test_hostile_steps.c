// SPDX-License-Identifier: Apache-2.0
// test_hostile_steps.c: what a step does with numbers that are none, masses far apart, thousands of contacts,
// bodies that overlap, friction of nothing and of everything. It works or says so, and a state it failed on
// is as it was.
#include <time.h>

#include "world.h"

static const double g = 9.81;

// ---------------------------------------------------------------------------------------------- no numbers

TEST(what_is_not_a_number_is_refused_and_leaves_the_state_as_it_was)
{
    static const char *const scenes[] = {"box", "pendulum3", "gears", "fourbar", "humanoid", "bounce"};
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        world w = world_scene(scenes[i]);
        double *tau = calloc((size_t)w.m->nv, sizeof *tau);
        for (int k = 0; k < 9; k++) {
            world_begin(&w, w.m->keys > 0 ? 0 : -1);
            memset(tau, 0, (size_t)w.m->nv * sizeof *tau);
            double *const at[] = {w.s->qpos + w.m->nq - 1, w.s->qvel + w.m->nv - 1, tau};
            *at[k / 3] = bad[k % 3];
            const uint64_t before = thud_state_hash(w.s);
            const thud_status status = thud_sim_step(w.sim, tau, w.s, &w.c);
            if (status != THUD_NOT_FINITE) {
                fail_msg("%s with %g in %s: %s", scenes[i], bad[k % 3],
                         k < 3   ? "qpos"
                         : k < 6 ? "qvel"
                                 : "tau",
                         thud_status_text(status));
            }
            CHECK(thud_state_hash(w.s) == before);
            world_begin(&w, w.m->keys > 0 ? 0 : -1);
            CHECK_OK(world_try(&w, NULL)); // and it goes on from a good one
        }
        free(tau);
        world_end(&w);
    }
}

TEST(options_that_make_no_sense_are_refused_with_a_sentence)
{
    world w = world_scene("box");
    const thud_step_options good = w.o;
    for (int k = 0; k < 8; k++) {
        thud_step_options o = good;
        switch (k) {
        case 0:
            o.h = 0;
            break;
        case 1:
            o.h = NAN;
            break;
        case 2:
            o.rounds = 0;
            break;
        case 3:
            o.restitution = 1.5;
            break;
        case 4:
            o.restitution_speed = -1;
            break;
        case 5:
            o.law.tolerance = 0;
            break;
        case 6:
            o.law.tolerance = NAN;
            break;
        default:
            o.restitution = NAN;
        }
        thud_sim *sim;
        thud_diag diag = {.text = ""};
        CHECK_INT(thud_sim_create(w.m, &o, &sim, &diag), THUD_BAD_ARGUMENT);
        CHECK(sim == NULL && strlen(diag.text) > 20);
    }
    world_end(&w);
}

// ---------------------------------------------------------------------------------------------- many, heavy,
// none

// A floor and n x n boxes of 0.1 m on it, all apart.
static world boxes(int n)
{
    const size_t size = 200 + 200 * (size_t)n * (size_t)n;
    char *text = malloc(size), *at = text;
    at += sprintf(at, "<mujoco><option timestep='0.005'/><worldbody><geom type='plane' size='0 0 1'/>");
    for (int i = 0; i < n * n; i++) {
        at += sprintf(
            at, "<body pos='%g %g 0.05'><freejoint/><geom type='box' size='0.05 0.05 0.05' mass='1'/></body>",
            0.2 * (i % n), 0.2 * (i / n));
    }
    sprintf(at, "</worldbody></mujoco>");
    world w = world_text(text);
    free(text);
    return w;
}

TEST(more_contacts_than_there_is_room_for_ask_for_it_and_then_fit)
{
    world w = boxes(20);
    world_begin(&w, -1);
    const uint64_t before = thud_state_hash(w.s);
    int asked = 0;
    thud_status status;
    while ((status = thud_sim_step(w.sim, NULL, w.s, &w.c)) == THUD_NO_MEMORY) {
        CHECK(thud_state_hash(w.s) == before);
        CHECK_OK(thud_sim_grow(w.sim, w.s));
        CHECK(++asked < 12);
    }
    CHECK_OK(status);
    CHECK(asked > 0);
    CHECK_INT(w.c.contacts, 1600);
    CHECK_INT(thud_rows_islands(thud_sim_rows(w.sim)), 400);
    CHECK_INT(w.s->warm_count, 1600);
    CHECK_OK(thud_sim_step(w.sim, NULL, w.s, &w.c)); // and again without asking
    CHECK_BELOW(world_moved(&w, -1), 1e-9);
    world_end(&w);
}

TEST(a_falling_stack_springs_back_however_many_rows_its_island_has)
{
    char text[8192], *at = text;
    at += sprintf(at, "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='0 0 1'/>");
    for (int i = 0; i < 25; i++) { // 100 contacts, 300 rows: W is sparse
        at += sprintf(
            at, "<body pos='0 0 %g'><freejoint/><geom type='box' size='0.05 0.05 0.05' mass='1'/></body>",
            0.051 + 0.1 * i);
    }
    sprintf(at, "</worldbody></mujoco>");
    world w = world_text(text);
    w.o.restitution = 0.5;
    world_begin(&w, -1);
    world_run(&w, 0.05);
    CHECK(w.worst.impacts > 0);
    CHECK_BELOW(w.worst.impact_gain, 1e-9);
    CHECK(w.highest <= w.E0 + 1e-9);
    world_end(&w);
}

static double stands(double heavy, double light)
{
    char text[1024];
    snprintf(text, sizeof text,
             "<mujoco><option timestep='0.005'/><worldbody><geom type='plane' size='0 0 1'/>"
             "<body pos='0 0 0.1'><freejoint/><geom type='box' size='0.1 0.1 0.1' mass='%.17g'/></body>"
             "<body pos='0 0 0.3'><freejoint/><geom type='box' size='0.1 0.1 0.1' mass='%.17g'/></body>"
             "</worldbody></mujoco>",
             light, heavy);
    world w = world_text(text);
    world_begin(&w, -1);
    world_run(&w, 0.25);
    const double moved = world_moved(&w, -1);
    CHECK_BELOW(w.worst.penetration, 1e-8);
    world_end(&w);
    return moved;
}

TEST(a_mass_a_million_times_the_one_below_stands_and_below_too)
{
    CHECK_BELOW(stands(1e6, 1), 1e-6);
    CHECK_BELOW(stands(1, 1e6), 1e-6);
    CHECK_BELOW(stands(1e3, 1e-3), 1e-6);
}

TEST(a_world_in_which_nothing_can_move_takes_its_steps)
{
    world w = world_text("<mujoco><worldbody><geom type='plane' size='0 0 1'/><body pos='0 0 0.05'>"
                         "<geom type='box' size='0.1 0.1 0.1'/></body></worldbody></mujoco>");
    for (int law = 0; law < THUD_LAWS; law++) {
        w.o.law.law = (thud_law)law;
        world_begin(&w, -1);
        world_run(&w, 0.02);
        CHECK_INT(w.c.contacts, 0);
    }
    world_end(&w);
}

// ---------------------------------------------------------------------------------------------- friction,
// overlaps

static world on_floor(const char *shape, double height, const char *contact)
{
    char text[1024];
    snprintf(text, sizeof text,
             "<mujoco><option timestep='0.002'/><default><geom %s/></default><worldbody><geom type='plane' "
             "size='0 0 1'/>"
             "<body pos='0 0 %.17g'><freejoint/><geom %s mass='1'/></body></worldbody></mujoco>",
             contact, height, shape);
    return world_text(text);
}

TEST(friction_of_nothing_lets_go_and_friction_of_everything_holds)
{
    for (int law = 0; law < THUD_LAWS; law++) {
        world w = on_floor("type='box' size='0.1 0.1 0.1'", 0.1, "friction='0'");
        w.o.law.law = (thud_law)law;
        world_begin(&w, -1);
        w.s->qvel[0] = 1;
        world_run(&w, 0.1);
        CHECK_NEAR(w.s->qvel[0], 1, 1e-9);
        world_end(&w);
        w = on_floor("type='sphere' size='0.1'", 0.1, "friction='1e6'");
        w.o.law.law = (thud_law)law;
        world_begin(&w, -1);
        w.s->qvel[0] = 1; // an infinitely rough floor: rolls at once, at 5/7
        world_run(&w, 0.1);
        CHECK_NEAR(w.s->qvel[0], 5.0 / 7, law == THUD_LAW_HYBRID ? 1e-4 : 1e-7); // hybrid: bristles give way
        world_end(&w);
    }
}

TEST(bodies_that_start_in_each_other_part_without_being_thrown)
{
    for (int law = 0; law < THUD_LAWS; law++) {
        world w = on_floor("type='box' size='0.1 0.1 0.1'", 0.05, "friction='0.5'");
        w.o.law.law = (thud_law)law;
        world_begin(&w, -1);
        world_step(&w);
        CHECK_BELOW(w.c.penetration, 1e-8);
        CHECK_BELOW(thud_norm_inf(6, w.s->qvel), 1e-9);
        CHECK_NEAR(w.c.projected, 0.05 * g, 1e-6); // the weight was lifted, which is booked
        world_run(&w, 0.1);
        CHECK_NEAR(w.s->qpos[2], 0.1, 1e-8);
        CHECK_BELOW(thud_norm_inf(6, w.s->qvel), 1e-9);
        world_end(&w);
    }
}

// A hinge 0.2 rad beyond its limit and a ball joint 0.1 rad, a slide geared to another that is 7 mm away from where the gear
// has it, a tendon 20 mm too long: every law puts them right through the positions, and nothing flies.
TEST(what_starts_beyond_limits_and_gears_is_put_right_without_a_kick_by_every_law)
{
    for (int law = 0; law < THUD_LAWS; law++) {
        world w = world_text(
            "<mujoco><compiler angle='radian' autolimits='true'/><option timestep='0.003' gravity='0 0 "
            "0'/><worldbody>"
            "<body pos='0 0 1'><joint type='hinge' axis='0 1 0' range='-1 0.3'/><geom type='capsule' "
            "fromto='0 0 0 .4 0 0' size='.03' mass='2'/></body>"
            "<body pos='0 3 1'><joint type='ball' range='0 0.5'/><geom type='capsule' fromto='0 0 0 .3 0 0' "
            "size='.02' mass='1'/></body>"
            "<body pos='0 6 1'><joint name='a' type='slide' axis='1 0 0'/><geom size='.05' mass='1'/></body>"
            "<body pos='0 7 1'><joint name='b' type='slide' axis='1 0 0'/><geom size='.05' mass='3'/></body>"
            "<body pos='0 9 1'><joint name='c' type='slide' axis='1 0 0'/><geom size='.05' mass='1'/></body>"
            "</worldbody><equality><joint joint1='a' joint2='b'/></equality>"
            "<tendon><fixed limited='true' range='-.1 .1'><joint joint='c' "
            "coef='2'/></fixed></tendon></mujoco>");
        w.o.law.law = (thud_law)law;
        world_begin(&w, -1);
        w.s->qpos[0] = 0.5;
        w.s->qpos[1] = cos(0.3); // a turn by 0.6 rad
        w.s->qpos[3] = sin(0.3);
        w.s->qpos[5] = 0.007;
        w.s->qpos[7] = 0.06;
        world_step(&w);
        CHECK_BELOW(thud_norm_inf(w.m->nv, w.s->qvel), 1e-9);
        CHECK_BELOW(w.c.joint_drift, 1e-8);
        CHECK_NEAR(w.s->qpos[0], 0.3, 1e-8);
        CHECK_NEAR(2 * acos(w.s->qpos[1]), 0.5, 1e-7);
        CHECK_NEAR(w.s->qpos[5] - w.s->qpos[6], 0, 1e-8);
        CHECK_NEAR(w.s->qpos[7], 0.05, 1e-8);
        world_end(&w);
    }
}

// A box 200 mm wide between walls that leave it 180, 4 mm nearer to one of them, as parts of robots are that their joints cannot
// part. Both walls bear it alike, and a step is not a study of what cannot be (it took 30 ms).
TEST(overlaps_that_nothing_can_undo_are_met_halfway_and_soon)
{
    world w = world_text(
        "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='0 0 1'/>"
        "<geom type='box' size='0.1 1 1' pos='-0.19 0 0'/><geom type='box' size='0.1 1 1' pos='0.19 0 0'/>"
        "<body pos='0.004 0 0.1'><freejoint/><geom type='box' size='0.1 0.1 0.1'/></body>"
        "</worldbody></mujoco>");
    world_begin(&w, -1);
    const clock_t begun = clock();
    world_run(&w, 0.2);
    CHECK_NEAR(w.c.penetration, 0.01, 1e-4);
    CHECK_NEAR(w.s->qpos[0], 0, 1e-4);
    CHECK_NEAR(w.s->qvel[0], 0, 1e-6);
    CHECK_BELOW((double)(clock() - begun) / CLOCKS_PER_SEC, 1); // seen: 0.03
    world_end(&w);
}

// Two coupled fingers in a pose that their limits forbid, where their tips have passed each other: the shortest way out of the
// overlap leads away from the limits (the reference pose of trossen's wx250s is like that). Where the limits want them nothing
// overlaps, so that is where they go, however exactly they are asked.
TEST(fingers_that_have_passed_each_other_go_where_their_limits_are)
{
    static const double tolerances[] = {1e-10, 1e-8, 1e-5, 1e-3};
    for (int k = 0; k < 4; k++) {
        world w = world_text(
            "<mujoco><compiler autolimits='true'/><option timestep='0.002'/><worldbody>"
            "<body><joint name='left' type='slide' axis='0 1 0' range='.015 .037'/>"
            "<geom type='sphere' size='.01' pos='0 -.004 .012' mass='.01'/>"
            "<geom type='sphere' size='.01' pos='0 -.004 -.012' mass='.01'/></body>"
            "<body><joint name='right' type='slide' axis='0 1 0' range='-.037 -.015'/>"
            "<geom type='sphere' size='.01' pos='0 .004 .012' mass='.01'/>"
            "<geom type='sphere' size='.01' pos='0 .004 -.012' mass='.01'/></body></worldbody>"
            "<equality><joint joint1='left' joint2='right' polycoef='0 -1 0 0 0'/></equality></mujoco>");
        w.o.law.tolerance = tolerances[k];
        world_begin(&w, -1);
        world_step(&w);
        CHECK_NEAR(w.c.penetration, 0, 0);
        CHECK_NEAR(w.s->qpos[0], 0.015, 1e-9 + 0.2 * tolerances[k]);
        CHECK_NEAR(w.s->qpos[1], -0.015, 1e-9 + 0.2 * tolerances[k]);
        CHECK_BELOW(w.c.joint_drift, 1e-9 + 0.1 * tolerances[k]);
        world_end(&w);
    }
}

TEST(a_spinning_ball_slows_by_its_torsional_friction)
{
    const double mu = 0.01, I = 0.4 * 0.01, spin = 5;
    for (int condim = 1; condim <= 6; condim += condim == 1 ? 2 : condim == 3 ? 1 : 2) {
        char contact[128];
        snprintf(contact, sizeof contact, "friction='0.5 %g 0.0001' condim='%d'", mu, condim);
        world w = on_floor("type='sphere' size='0.1'", 0.1, contact);
        world_begin(&w, -1);
        w.s->qvel[5] = spin;
        world_run(&w, 0.1);
        CHECK_NEAR(w.s->qvel[5], condim < 4 ? spin : spin - mu * g / I * 0.1, 1e-6);
        world_end(&w);
    }
}

TEST(a_rolling_ball_slows_by_its_rolling_friction)
{
    const double mu = 0.001, r = 0.1;
    world w = on_floor("type='sphere' size='0.1'", 0.1, "friction='100 0.001 0.001' condim='6'");
    world_begin(&w, -1);
    w.s->qvel[0] = 1;
    w.s->qvel[4] = 1 / r;
    world_run(&w, 0.5);
    CHECK_NEAR(w.s->qvel[0], 1 - 5 * mu * g / (7 * r) * 0.5,
               1e-6); // sliding needs 1e-4 of the cone: 5e-9 of it
    world_end(&w);
}

TEST(without_friction_only_the_normal_acts)
{
    world w = on_floor("type='box' size='0.1 0.1 0.1'", 0.1, "friction='0.7' condim='1'");
    world_begin(&w, -1);
    w.s->qvel[1] = 2;
    world_run(&w, 0.1);
    CHECK_NEAR(w.s->qvel[1], 2, 1e-12);
    CHECK_NEAR(w.s->qpos[2], 0.1, 1e-9);
    world_end(&w);
}

TEST_MAIN(T(what_is_not_a_number_is_refused_and_leaves_the_state_as_it_was),
          T(options_that_make_no_sense_are_refused_with_a_sentence),
          T(more_contacts_than_there_is_room_for_ask_for_it_and_then_fit),
          T(a_falling_stack_springs_back_however_many_rows_its_island_has),
          T(a_mass_a_million_times_the_one_below_stands_and_below_too),
          T(a_world_in_which_nothing_can_move_takes_its_steps),
          T(friction_of_nothing_lets_go_and_friction_of_everything_holds),
          T(bodies_that_start_in_each_other_part_without_being_thrown),
          T(what_starts_beyond_limits_and_gears_is_put_right_without_a_kick_by_every_law),
          T(overlaps_that_nothing_can_undo_are_met_halfway_and_soon),
          T(fingers_that_have_passed_each_other_go_where_their_limits_are),
          T(a_spinning_ball_slows_by_its_torsional_friction), T(a_rolling_ball_slows_by_its_rolling_friction),
          T(without_friction_only_the_normal_acts))
