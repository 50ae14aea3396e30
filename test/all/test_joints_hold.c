// SPDX-License-Identifier: Apache-2.0
// test_joints_hold.c: joint limits, dry friction, gears and loops hold, in every law, and do no work they
// should not.
#include "world.h"

static const double g = 9.81;

// ---------------------------------------------------------------------------------------------- limits

// A rod of length 2 m on a hinge, let go level; it may swing down to -range[0].
static world stopped(const char *extra)
{
    char text[1024];
    snprintf(text, sizeof text,
             "<mujoco><compiler angle='radian'/><option timestep='0.002'/><worldbody><body pos='0 0 3'>"
             "<joint type='hinge' axis='0 -1 0' limited='true' range='-0.5 1' %s/>"
             "<inertial pos='1 0 0' mass='1' diaginertia='0.1 0.3333333333333333 0.3333333333333333'/>"
             "</body></worldbody></mujoco>",
             extra);
    return world_text(text);
}

TEST(a_pendulum_stays_at_its_stop_whatever_the_law)
{
    for (int law = 0; law < THUD_LAWS; law++) {
        world w = stopped("");
        w.o.law.law = (thud_law)law;
        world_begin(&w, -1);
        world_run(&w, 1.5);
        CHECK_BELOW(w.worst.joint_drift, 1e-8);
        CHECK_NEAR(w.s->qpos[0], -0.5, 1e-8); // it stops there, no sooner and no further
        CHECK_NEAR(w.s->qvel[0], 0, 1e-9);
        CHECK_BELOW(w.highest - w.E0,
                    law == THUD_LAW_CONE ? 1e-5 : 0.01); // J of 29: the smooth motion's error
        world_end(&w);
    }
}

TEST(a_stop_carries_the_moment_it_should)
{
    world w = stopped("");
    world_begin(&w, -1);
    world_run(&w, 1.5);
    const thud_island island = thud_rows_island(thud_sim_rows(w.sim), 0);
    CHECK_INT(island.rows, 1);
    CHECK_INT(island.block[0].kind, THUD_BLOCK_LIMIT);
    CHECK_NEAR(island.p[0] / island.h, g * cos(0.5), 1e-8);
    world_end(&w);
}

TEST(a_stop_lets_go_at_once)
{
    world w = stopped("");
    world_begin(&w, -1);
    world_run(&w, 1.5);
    const double tau = 20, from = w.s->time, I = 1.0 / 3 + 1;
    for (int i = 0; i < 10; i++) {
        CHECK_OK(world_try(&w, &tau));
    }
    CHECK_NEAR(w.s->qvel[0], (tau - g * cos(0.5)) / I * (w.s->time - from),
               2e-4); // gravity's arm hardly changes
    world_end(&w);
}

TEST(a_stop_is_not_passed_by_what_is_pushed_into_it_from_rest)
{
    world w = stopped("");
    world_begin(&w, -1);
    const double tau = -1000, near = -0.499, rest = 0;
    CHECK_OK(thud_state_set(w.m, &near, &rest, w.s));
    CHECK_OK(world_try(&w, &tau));
    CHECK(w.s->qvel[0] >= -0.001 / w.o.h - 1e-6); // -1.5 without the stop
    CHECK(w.s->qpos[0] >= -0.5 - 1e-9);
    world_end(&w);
}

TEST(a_ball_joint_stays_in_its_cone_of_rotation)
{
    world w =
        world_text("<mujoco><compiler angle='radian'/><option timestep='0.002'/><worldbody><body pos='0 0 3'>"
                   "<joint type='ball' limited='true' range='0 0.6'/>"
                   "<inertial pos='0.8 0.1 0.2' mass='1' diaginertia='0.1 0.2 0.25'/>"
                   "</body></worldbody></mujoco>");
    world_begin(&w, -1);
    w.s->qvel[0] = 1;
    w.s->qvel[2] = 2;
    double widest = 0, E = INFINITY;
    while (w.s->time < 2) {
        world_step(&w);
        const double *q = w.s->qpos;
        widest = fmax(widest, 2 * acos(fmin(fabs(q[0]), 1)));
        E = w.c.kinetic + w.c.potential;
        CHECK_BELOW(w.c.joint_drift, 1e-8);
    }
    CHECK_NEAR(widest, 0.6, 1e-7); // it was there, and never beyond
    CHECK(E < w.E0 + 3);           // 2.5 J were put in
    world_end(&w);
}

// ---------------------------------------------------------------------------------------------- dry friction

TEST(dry_friction_holds_up_to_its_bound_and_brakes_with_it)
{
    for (int law = 0; law < THUD_LAWS; law++) {
        const double hold = g * 1.02;
        char loss[64];
        snprintf(loss, sizeof loss, "frictionloss='%.17g'", hold);
        world w = stopped(loss);
        w.o.law.law = (thud_law)law;
        world_begin(&w, -1);
        world_run(&w, 0.5);
        CHECK_BELOW(world_moved(&w, -1), 1e-9); // 2 % more than the weight needs: it stays level
        world_end(&w);
        snprintf(loss, sizeof loss, "frictionloss='%.17g'", 0.5 * g);
        w = stopped(loss);
        w.o.law.law = (thud_law)law;
        w.o.h = 1e-4;
        world_begin(&w, -1);
        world_run(&w, 0.05);
        CHECK_NEAR(w.s->qvel[0], -0.05 * 0.5 * g / (4.0 / 3), 1e-4);
        world_end(&w);
    }
}

TEST(a_wheel_with_dry_friction_stops_when_it_should_and_stays)
{
    world w =
        world_text("<mujoco><option timestep='0.01'/><worldbody><body>"
                   "<joint type='hinge' axis='0 0 1' frictionloss='0.3'/>"
                   "<inertial pos='0 0 0' mass='1' diaginertia='0.1 0.1 0.2'/></body></worldbody></mujoco>");
    world_begin(&w, -1);
    w.s->qvel[0] = 3; // stops after 0.2 * 3 / 0.3 = 2 s and 3 rad
    const double E = 0.5 * 0.2 * 9;
    world_run(&w, 1);
    CHECK_NEAR(w.s->qvel[0], 1.5, 1e-9);
    CHECK_NEAR(w.c.contact_work, -0.3 * 0.01 * w.s->qvel[0],
               0.3 * 0.01 * 0.01); // what friction took in the last step
    world_run(&w, 3);
    CHECK_NEAR(w.s->qvel[0], 0, 1e-12);
    CHECK_NEAR(w.s->qpos[0], 3, 1e-4);
    CHECK(w.highest <= E + 1e-12);
    world_end(&w);
}

// ---------------------------------------------------------------------------------------------- gears, loops

TEST(gears_stay_coupled_and_stop_together)
{
    for (int law = 0; law < THUD_LAWS; law++) {
        world w = world_scene("gears");
        w.o.law.law = (thud_law)law;
        world_begin(&w, 0);
        double apart = 0;
        while (w.s->time < 4.1) {
            world_step(&w);
            apart = fmax(apart, fabs(w.s->qpos[0] + 2 * w.s->qpos[1]));
            apart = fmax(apart, fabs(w.s->qpos[2] + 2 * w.s->qpos[1]));
        }
        CHECK_BELOW(apart, 1.01e-9);
        CHECK_NEAR(w.s->qpos[1], 20, law == THUD_LAW_CONE ? 1e-3 : 0.03); // first order in h: h v / 2
        CHECK_BELOW(thud_norm_inf(3, w.s->qvel), 1e-9);
        world_end(&w);
    }
}

// Largest change of energy over 2 s, and the largest drift.
static double fourbar(double h, thud_law law, double *drift)
{
    world w = world_scene("fourbar");
    w.o.h = h;
    w.o.law.law = law;
    world_begin(&w, 0);
    world_run(&w, 1);
    *drift = w.worst.joint_drift;
    const double error = fmax(w.highest - w.E0, w.E0 - w.lowest);
    CHECK_BELOW(w.worst.momentum, 1e-9);
    world_end(&w);
    return error;
}

TEST(a_fourbar_stays_closed_and_keeps_its_energy_to_second_order)
{
    double drift, coarse = fourbar(0.002, THUD_LAW_CONE, &drift);
    CHECK_BELOW(drift, 1e-8);
    const double fine = fourbar(0.001, THUD_LAW_CONE, &drift);
    CHECK_BELOW(drift, 1e-8);
    CHECK(coarse > 3 * fine && coarse < 5 * fine); // a quarter
    CHECK_BELOW(fine, 0.05);
}

TEST(a_fourbar_stays_closed_by_the_papers_laws_and_loses_energy_to_first_order)
{
    static const thud_law laws[] = {THUD_LAW_STEWART_TRINKLE, THUD_LAW_STEWART_TRINKLE_LINEAR,
                                    THUD_LAW_ANITESCU_POTRA};
    for (int i = 0; i < 3; i++) {
        double drift, coarse = fourbar(0.001, laws[i], &drift), fine = fourbar(0.0005, laws[i], &drift);
        CHECK(coarse > 1.7 * fine && coarse < 2.3 * fine);
        CHECK_BELOW(coarse, 0.06);                 // of 0.57 J
        CHECK_BELOW(drift, i == 0 ? 1e-12 : 1e-8); // the fixed point closes it by itself [ST 3.4]
    }
}

TEST(a_weld_to_the_world_holds_a_body_and_carries_its_weight)
{
    world w =
        world_text("<mujoco><option timestep='0.005'/><worldbody><body name='a' pos='0 0 1' euler='10 20 30'>"
                   "<freejoint/><geom type='box' size='0.1 0.2 0.3' mass='3'/></body></worldbody>"
                   "<equality><weld body1='a'/></equality></mujoco>");
    world_begin(&w, -1);
    world_run(&w, 1);
    CHECK_BELOW(world_moved(&w, -1), 1e-9);
    const thud_island island = thud_rows_island(thud_sim_rows(w.sim), 0);
    CHECK_INT(island.rows, 6);
    double up = 0;
    for (int r = 0; r < 3; r++) {
        up = fmax(up, fabs(island.p[r]) / island.h);
    }
    CHECK_NEAR(up, 3 * g, 1e-6);
    world_end(&w);
}

TEST(loops_that_say_the_same_twice_still_hold)
{
    world w =
        world_text("<mujoco><option timestep='0.005'/><worldbody><body name='a' pos='0 0 1'>"
                   "<joint type='hinge' axis='0 1 0'/><geom type='capsule' fromto='0 0 0 1 0 0' size='0.02' "
                   "contype='0' conaffinity='0'/></body></worldbody>"
                   "<equality><connect body1='a' anchor='1 0 0'/><connect body1='a' anchor='1 0 0'/>"
                   "<weld body1='a'/></equality></mujoco>");
    world_begin(&w, -1);
    world_run(&w, 0.5);
    CHECK_BELOW(world_moved(&w, -1), 1e-9);
    CHECK_INT(w.worst.unconverged, 0);
    world_end(&w);
}

// A four-bar linkage on a body that may tumble; its rocker's hinge is turned by `tilt` (rad) out of the others' direction.
static world linkage(double tilt, const char *slide)
{
    char text[2048];
    snprintf(text, sizeof text,
             "<mujoco><compiler angle='radian'/><option timestep='0.001'/><default><joint axis='0 1 0' "
             "damping='.01'/>"
             "<geom contype='0' conaffinity='0'/></default><worldbody><body euler='.3 -.4 .5'><freejoint/>"
             "<geom type='box' size='.3 .1 .05' mass='3'/>"
             "<body pos='0 0 .2'><joint/><geom type='capsule' fromto='0 0 0 0 0 .15' size='.01' mass='.3'/>"
             "<body name='coupler' pos='0 0 .15'><joint/><geom type='capsule' fromto='0 0 0 .4 0 .3' "
             "size='.01' mass='1'/>"
             "</body></body><body name='rocker' pos='.4 0 .2'>%s<joint axis='%.17g %.17g 0'/>"
             "<geom type='capsule' fromto='0 0 0 0 0 .45' size='.01' mass='.9'/></body></body></worldbody>"
             "<equality><connect body1='coupler' body2='rocker' anchor='.4 0 .3'/></equality></mujoco>",
             slide, sin(tilt), cos(tilt));
    return world_text(text);
}

static int rows_of_loop(double tilt, const char *slide)
{
    world w = linkage(tilt, slide);
    world_begin(&w, -1);
    world_step(&w);
    const int rows = thud_rows_island(thud_sim_rows(w.sim), 0).rows;
    world_end(&w);
    return rows;
}

// Where nothing can part the ends along a direction, nothing is asked there.
TEST(a_loop_in_a_plane_is_two_rows_and_any_other_three)
{
    CHECK_INT(rows_of_loop(0, ""), 2);
    CHECK_INT(rows_of_loop(1e-5, ""), 2); // what a file's digits leave
    CHECK_INT(rows_of_loop(1e-3, ""), 3);
    CHECK_INT(rows_of_loop(0, "<joint type='slide' axis='1 0 1'/>"), 2);
    CHECK_INT(rows_of_loop(0, "<joint type='slide' axis='1 .01 0'/>"), 3);
    CHECK_INT(rows_of_loop(0, "<joint axis='1 0 0'/>"), 3);
}

// Thrown and tumbling while its crank turns by 1.4 rad. Out of the plane by less than a file's digits tell it does the same; the
// rocker's end, which swings 75 mm aside (to where crank and coupler are in line), then leaves the plane by that times the tilt, and
// that is told. By more its links lock: three equations for three hinges.
TEST(a_linkage_turns_in_its_plane_and_locks_out_of_it)
{
    static const double tilt[] = {0, 1e-13, 1e-9, 1e-7, 5e-5, 1e-3};
    double crank[6];
    for (int k = 0; k < 6; k++) {
        world w = linkage(tilt[k], "");
        world_begin(&w, -1);
        const double v[9] = {0.1, 0.2, 3, 1, -2, 0.5, 6, -6, 2};
        memcpy(w.s->qvel, v, sizeof v);
        world_run(&w, 0.5);
        crank[k] = w.s->qpos[7];
        CHECK_INT(w.worst.unconverged, 0);
        CHECK_BELOW(w.worst.momentum, k == 5 ? 5e-12 : 1e-14); // seen 4e-16; 6e-13 and 1e-12 where it locks
        CHECK_NEAR(w.worst.joint_drift, k == 5 ? 0 : 0.075 * tilt[k], 1.1e-9);
        CHECK(k == 5 || w.c.iterations <= 4); // of two rounds: a factor and a refinement each
        world_end(&w);
    }
    CHECK_NEAR(crank[0], 1.41, 0.01);
    CHECK_NEAR(crank[1], crank[0], 1e-9);
    CHECK_NEAR(crank[2], crank[0], 1e-7);
    CHECK_NEAR(crank[3], crank[0], 1e-6);
    CHECK_NEAR(crank[4], crank[0], 1e-4);
    CHECK_NEAR(crank[5], 0, 1e-4);
}

// ---------------------------------------------------------------------------------------------- redundant loops

// A body thrown and tumbling, with something on it (on), something beside it (beside), and loops.
static world tumbling(const char *on, const char *beside, const char *loops)
{
    static char text[4096];
    snprintf(
        text, sizeof text,
        "<mujoco><compiler angle='radian'/><option timestep='0.001'/><default><joint damping='.01'/>"
        "<geom contype='0' conaffinity='0'/></default><worldbody><body name='base' euler='.3 -.4 "
        ".5'><freejoint/>"
        "<geom type='box' size='.3 .1 .05' mass='3'/>%s</body>%s</worldbody><equality>%s</equality></mujoco>",
        on, beside, loops);
    world w = world_text(text);
    world_begin(&w, -1);
    const double v[6] = {0.1, 0.2, 3, 1, -2, 0.5};
    memcpy(w.s->qvel, v, sizeof v);
    return w;
}

static const char DOOR[] = "<geom type='box' pos='.2 0 .3' size='.2 .02 .3' mass='1'/>";

// A door on two ball joints moves as one on a hinge, whose axis they lie on: six equations, of which one is said twice.
TEST(a_door_on_two_points_is_a_door_on_a_hinge)
{
    char hinged[512], beside[512];
    snprintf(hinged, sizeof hinged, "<body pos='.2 0 0'><joint axis='0 0 1' damping='0'/>%s</body>", DOOR);
    snprintf(
        beside, sizeof beside,
        "<body name='door' euler='.3 -.4 .5'><freejoint/><geom type='box' pos='.4 0 .3' size='.2 .02 .3' "
        "mass='1'/></body>");
    world one = tumbling(hinged, "", ""),
          two = tumbling("", beside,
                         "<connect body1='base' body2='door' anchor='.2 0 .1'/>"
                         "<connect body1='base' body2='door' anchor='.2 0 .5'/>");
    memcpy(two.s->qvel + 6, two.s->qvel,
           6 * sizeof(double)); // one rigid body to begin with, turning about the same point
    world_run(&one, 0.5);
    world_run(&two, 0.5);
    CHECK_INT(two.worst.unconverged, 0);
    CHECK_BELOW(two.worst.joint_drift, 1.1e-9);
    CHECK_BELOW(two.worst.momentum, 1e-12);
    CHECK(fabs(one.s->qpos[7]) > 0.05); // it has swung
    for (int i = 0; i < 7; i++) {
        CHECK_NEAR(two.s->qpos[i], one.s->qpos[i], 1e-7); // measured 1e-8
    }
    world_end(&one);
    world_end(&two);
}

// Hung on two points of an upright line, a kilogram 0.2 m beside it: each bears half of the weight, which nothing decides, and the
// moment pulls at one and pushes at the other with g 0.2 / 0.4.
TEST(points_that_could_bear_the_same_bear_it_alike)
{
    world w = world_text(
        "<mujoco><option timestep='0.001'/><worldbody><body name='door'><freejoint/>"
        "<inertial pos='.2 0 .3' mass='1' diaginertia='.05 .05 .02'/></body></worldbody><equality>"
        "<connect body1='door' anchor='0 0 .1'/><connect body1='door' anchor='0 0 .5'/></equality></mujoco>");
    world_begin(&w, -1);
    world_run(&w, 0.1);
    const thud_island island = thud_rows_island(thud_sim_rows(w.sim), 0);
    CHECK_INT(island.rows, 6);
    for (int k = 0; k < 2; k++) {
        CHECK_NEAR(fabs(island.p[3 * k + 2]) / island.h, 0.5 * g, 1e-6);
        CHECK_NEAR(fabs(island.p[3 * k]) / island.h, 0.5 * g, 1e-6);
    }
    CHECK_NEAR(island.p[0] + island.p[3], 0, 1e-9);
    CHECK_NEAR(fabs(island.p[2] + island.p[5]) / island.h, g, 1e-8);
    CHECK_BELOW(world_moved(&w, -1), 1e-9);
    world_end(&w);
}

// A weld that closes a linkage in a plane, and a plate on two hinged legs across each other (Sarrus): of six equations each, three
// and one are said twice. Begun with velocities that tear them.
TEST(mechanisms_with_more_equations_than_they_need_run)
{
    static const char *const on[] = {"<body pos='0 0 .2'><joint axis='0 1 0'/><geom type='capsule' fromto='0 "
                                     "0 0 0 0 .15' size='.01' mass='.3'/>"
                                     "<body name='a' pos='0 0 .15'><joint axis='0 1 0'/><geom type='capsule' "
                                     "fromto='0 0 0 .4 0 .3' size='.01' mass='1'/>"
                                     "</body></body><body pos='.4 0 .2'><joint axis='0 1 0'/><geom "
                                     "type='capsule' fromto='0 0 0 0 0 .45' size='.01' "
                                     "mass='.9'/><body name='b' pos='0 0 .45'><joint axis='0 1 0'/><geom "
                                     "type='sphere' size='.02' mass='.1'/></body></body>",
                                     "<body pos='.2 0 .05'><joint axis='0 1 0'/><geom type='capsule' "
                                     "fromto='0 0 0 .15 0 .15' size='.01' mass='.3'/>"
                                     "<body pos='.15 0 .15'><joint axis='0 1 0'/><geom type='capsule' "
                                     "fromto='0 0 0 -.15 0 .15' size='.01' mass='.3'/>"
                                     "<body name='a' pos='-.15 0 .15'><joint axis='0 1 0'/><geom type='box' "
                                     "pos='-.2 0 0' size='.2 .2 .01' mass='1'/>"
                                     "</body></body></body><body pos='0 .2 .05'><joint axis='1 0 0'/><geom "
                                     "type='capsule' fromto='0 0 0 0 .15 .15' "
                                     "size='.01' mass='.3'/><body pos='0 .15 .15'><joint axis='1 0 0'/><geom "
                                     "type='capsule' fromto='0 0 0 0 -.15 .15' "
                                     "size='.01' mass='.3'/><body name='b' pos='0 -.15 .15'><joint axis='1 0 "
                                     "0'/><geom type='sphere' size='.02' mass='.1'/>"
                                     "</body></body></body>"};
    for (int k = 0; k < 2; k++) {
        world w = tumbling(on[k], "", "<weld body1='a' body2='b'/>");
        for (int i = 6; i < w.m->nv; i++) {
            w.s->qvel[i] = i % 2 ? -1 : 1;
        }
        world_step(&w);
        CHECK(w.c.contact_work < -1e-3); // torn loops collide, and that costs energy
        w.worst = (thud_certificate){0};
        world_run(&w, 0.5);
        CHECK_INT(w.worst.unconverged, 0);
        CHECK_BELOW(w.worst.joint_drift, 1.1e-9);
        CHECK_BELOW(w.worst.momentum, 1e-12);
        CHECK_BELOW(w.worst.contact_work, 1e-7); // J in a step
        CHECK(w.c.iterations < 40);
        world_end(&w);
    }
}

// A parallelogram with a leg too many, that leg turning the other way: 1, 1 and -1 rad/s become (I + m l^2) / (3 I + m l^2), I
// that of a leg about its hinge and m the bar's.
TEST(a_loop_that_is_torn_collides_without_springing_back)
{
    world w =
        world_text("<mujoco><option timestep='0.001' gravity='0 0 0'/><default><joint axis='0 1 "
                   "0'/></default><worldbody>"
                   "<body name='one'><joint/><inertial pos='0 0 .15' mass='.3' diaginertia='.002 .002 .002'/>"
                   "<body name='bar' pos='0 0 .3'><joint/><inertial pos='.2 0 0' mass='.5' diaginertia='.001 "
                   ".006 .006'/></body></body>"
                   "<body name='two' pos='.2 0 0'><joint/><inertial pos='0 0 .15' mass='.3' "
                   "diaginertia='.002 .002 .002'/></body>"
                   "<body name='three' pos='.4 0 0'><joint/><inertial pos='0 0 .15' mass='.3' "
                   "diaginertia='.002 .002 .002'/></body>"
                   "</worldbody><equality><connect body1='bar' body2='two' anchor='.2 0 0'/>"
                   "<connect body1='bar' body2='three' anchor='.4 0 0'/></equality></mujoco>");
    const double I = 0.002 + 0.3 * 0.15 * 0.15, ml2 = 0.5 * 0.3 * 0.3, after = (I + ml2) / (3 * I + ml2);
    world_begin(&w, -1);
    const double v[4] = {1, -1, 1, -1};
    memcpy(w.s->qvel, v, sizeof v);
    world_step(&w);
    CHECK_NEAR(w.s->qvel[0], after, 1e-6);
    CHECK_NEAR(w.s->qvel[2], after, 1e-6);
    CHECK_NEAR(w.s->qvel[3], after, 1e-6);
    world_run(&w, 0.2);
    CHECK_NEAR(w.s->qvel[3], after, 1e-6); // and turns on
    CHECK_BELOW(w.worst.joint_drift, 1.1e-9);
    world_end(&w);
}

TEST(a_pin_on_a_hinges_own_axis_asks_for_nothing)
{
    world w = world_text(
        "<mujoco><worldbody><body name='door'><joint axis='0 0 1'/>"
        "<inertial pos='.4 0 0' mass='1' diaginertia='.1 .1 .1'/></body></worldbody><equality>"
        "<connect body1='door' anchor='0 0 0'/><connect body1='door' anchor='0 0 1'/></equality></mujoco>");
    world_begin(&w, -1);
    w.s->qvel[0] = 1;
    world_run(&w, 0.5);
    CHECK_NEAR(w.s->qvel[0], 1, 1e-12);
    world_end(&w);
}

// Three links on ball joints between the world and the world, let go: their ends hardly move, which is no tear. Steps stay of second order.
TEST(a_chain_held_at_both_ends_keeps_its_energy)
{
    world w = world_text(
        "<mujoco><option timestep='0.001' gravity='3 2 -9.81'/><default><geom contype='0' conaffinity='0' "
        "size='.02'/>"
        "<joint type='ball'/></default><worldbody><body><joint/><geom type='capsule' fromto='0 0 0 0 0 -.2'/>"
        "<body pos='0 0 -.2'><joint/><geom type='capsule' fromto='0 0 0 .4 0 -.1'/><body pos='.4 0 "
        "-.1'><joint/>"
        "<geom type='capsule' fromto='0 0 0 0 0 .3'/><body name='end' pos='0 0 .3'><joint/><geom "
        "type='sphere' size='.03'/>"
        "</body></body></body></body></worldbody><equality><weld body1='end'/></equality></mujoco>");
    world_begin(&w, -1);
    world_run(&w, 2);
    CHECK_BELOW(fmax(w.highest - w.E0, w.E0 - w.lowest), 1e-6); // J; 2e-4 by Euler's step
    CHECK(thud_norm_inf(w.m->nv, w.s->qvel) > 0.1);
    world_end(&w);
}

// An arm in a plane that holds on to a hand which is turned out of it.
TEST(a_loop_to_a_hand_holds_however_the_hand_is_turned)
{
    world w = world_text("<mujoco><default><geom contype='0' conaffinity='0' size='.02'/><joint axis='0 1 "
                         "0'/></default><worldbody>"
                         "<body name='hand' mocap='true' pos='.5 0 1.2'/><body pos='0 0 1'><joint/><geom "
                         "type='capsule' fromto='0 0 0 .5 0 .4'/>"
                         "<body name='arm' pos='.5 0 .4'><joint/><geom type='capsule' fromto='0 0 0 0 0 "
                         "-.2'/></body></body></worldbody>"
                         "<equality><connect body1='hand' body2='arm' anchor='0 0 0'/></equality><keyframe>"
                         "<key qpos='0 0' mpos='.5 0 1.2' mquat='.7071067811865476 .7071067811865476 0 "
                         "0'/></keyframe></mujoco>");
    world_begin(&w, 0);
    world_run(&w, 0.5);
    CHECK_BELOW(w.worst.joint_drift, 1.1e-9);
    CHECK_BELOW(world_moved(&w, 0), 1e-9);
    world_end(&w);
}

// An arm of two links, stretched, whose hand is taken a little farther than it reaches: no motion closes the gap, and none is
// made for it. A correction that makes things worse is taken back.
TEST(a_hand_out_of_reach_is_followed_as_far_as_the_arm_goes)
{
    static const double over[] = {1e-5, 1e-4, 9e-4};
    for (int i = 0; i < 3; i++) {
        world w =
            world_text("<mujoco><default><geom contype='0' conaffinity='0' size='.02'/></default><worldbody>"
                       "<body name='hand' mocap='true' pos='.4 0 1'/><body pos='0 0 1'><joint type='ball' "
                       "damping='.001'/><geom type='capsule' fromto='0 0 0 .2 .1 0'/>"
                       "<body name='arm' pos='.2 .1 0'><joint axis='0 0 1'/><geom type='capsule' fromto='0 0 "
                       "0 .2 -.1 0'/><geom pos='.1 0 .1' size='.04'/></body></body></worldbody>"
                       "<equality><connect body1='arm' body2='hand' anchor='.2 -.1 0'/></equality></mujoco>");
        world_begin(&w, -1);
        world_run(&w, 0.1);
        w.s->mocap[0] = 2 * sqrt(0.05) + over[i];
        world_run(&w, 0.2);
        w.worst = (thud_certificate){0};
        world_run(&w, 1.2);
        CHECK_BELOW(w.worst.joint_drift,
                    1.3 * over[i]);           // seen 1.14 of it; 0.3 m where nudges were not taken back
        CHECK_BELOW(w.worst.projected, 0.01); // J; seen 0, and 0.6
        world_end(&w);
    }
}

TEST_MAIN(
    T(a_hand_out_of_reach_is_followed_as_far_as_the_arm_goes),
    T(a_pendulum_stays_at_its_stop_whatever_the_law), T(a_stop_carries_the_moment_it_should),
    T(a_stop_lets_go_at_once), T(a_stop_is_not_passed_by_what_is_pushed_into_it_from_rest),
    T(a_ball_joint_stays_in_its_cone_of_rotation), T(dry_friction_holds_up_to_its_bound_and_brakes_with_it),
    T(a_wheel_with_dry_friction_stops_when_it_should_and_stays), T(gears_stay_coupled_and_stop_together),
    T(a_fourbar_stays_closed_and_keeps_its_energy_to_second_order),
    T(a_fourbar_stays_closed_by_the_papers_laws_and_loses_energy_to_first_order),
    T(a_weld_to_the_world_holds_a_body_and_carries_its_weight), T(loops_that_say_the_same_twice_still_hold),
    T(a_loop_in_a_plane_is_two_rows_and_any_other_three), T(a_linkage_turns_in_its_plane_and_locks_out_of_it),
    T(a_door_on_two_points_is_a_door_on_a_hinge), T(points_that_could_bear_the_same_bear_it_alike),
    T(mechanisms_with_more_equations_than_they_need_run), T(a_pin_on_a_hinges_own_axis_asks_for_nothing),
    T(a_chain_held_at_both_ends_keeps_its_energy), T(a_loop_to_a_hand_holds_however_the_hand_is_turned),
    T(a_loop_that_is_torn_collides_without_springing_back))
