// SPDX-License-Identifier: Apache-2.0
// test_event_model.c: what a model brings beside contacts, by the event-driven scheme: dry friction, torsion and
// rolling, actuators with activations, tendons, joints in maximal coordinates. Closed forms; tolerances are at
// least ten times the errors measured.
#include "event_scene.h"

static const double G = 9.81;

#define NO_CONTACT " contype='0' conaffinity='0'"
#define BEAD "<geom size='0.05' mass='1'" NO_CONTACT "/>"
#define SLIDE(name, more) "<joint name='" name "' type='slide' axis='1 0 0' " more "/>"

// ------------------------------------------------------------------------------------------ dry friction

static const char *dry = "<mujoco><option gravity='0 0 0'/><worldbody><body>" SLIDE("j", "frictionloss='2'")
    BEAD "</body></worldbody></mujoco>";

TEST(dry_friction_stops_a_slide_when_it_should_and_holds_it_up_to_its_bound)
{
    event_run r = event_open(dry);
    CHECK_OK(thud_state_set(r.m, NULL, (const double[]){3}, r.s));
    event_go(&r, 0.05, 2);
    CHECK_INT(r.events, 1);
    CHECK_INT(r.event[0].kind, THUD_EVENT_STICK);
    CHECK_INT(r.event[0].joint, 0);
    CHECK_NEAR(r.event[0].time, 1.5, 1e-9); // m v / F
    CHECK_NEAR(r.s->qpos[0], 2.25, 1e-9);   // m v^2 / 2 F
    CHECK_OK(thud_sim_step(r.sim, (const double[]){1.99}, r.s, NULL));
    CHECK_NEAR(r.s->qpos[0], 2.25, 1e-9);
    CHECK_OK(thud_sim_step(r.sim, (const double[]){-3}, r.s, NULL)); // 1 m/s^2 back
    CHECK_NEAR(r.s->qpos[0], 2.25 - 0.5 * 0.05 * 0.05, 1e-9);
    event_close(&r);
}

// A block is pulled over a rough floor by a spring of a driver that stands still: half swings about +-F/k.
TEST(a_spring_and_dry_friction_come_to_rest_after_the_right_half_swings)
{
    event_run r = event_open("<mujoco><option gravity='0 0 0'/><worldbody><body>" SLIDE(
        "j", "frictionloss='5' stiffness='100'") BEAD "</body></worldbody></mujoco>");
    CHECK_OK(thud_state_set(r.m, (const double[]){0.32}, NULL, r.s)); // -> -0.22 -> 0.12 -> -0.02: 2 N < 5 N
    event_go(&r, 0.02, 1.5);
    CHECK_NEAR(r.s->qpos[0], -0.02, 1e-8);
    CHECK_NEAR(r.event[r.events - 1].time, 3 * 3.14159265358979323846 / 10, 1e-8);
    event_close(&r);
}

TEST(dry_friction_of_a_tendon_acts_on_both_slides_it_spans)
{
    event_run r =
        event_open("<mujoco><option gravity='0 0 0'/><worldbody><body>" SLIDE("a", "") BEAD
                   "</body><body pos='0 1 0'>" SLIDE("b", "") BEAD
                   "</body></worldbody><tendon><fixed name='t' frictionloss='2'><joint joint='a' coef='1'/>"
                   "<joint joint='b' coef='-1'/></fixed></tendon></mujoco>");
    CHECK_OK(thud_state_set(r.m, NULL, (const double[]){4, 0}, r.s));
    event_go(&r, 0.05, 2); // they close at 2 F / m: after 1 s both go at 2 m/s
    CHECK_INT(event_count(&r, THUD_EVENT_STICK), 1);
    CHECK_INT(r.event[0].tendon, 0);
    CHECK_NEAR(r.event[0].time, 1, 1e-9);
    CHECK_NEAR(r.s->qvel[0], 2, 1e-9);
    CHECK_NEAR(r.s->qvel[1], 2, 1e-9);
    event_close(&r);
}

// ------------------------------------------------------------------------------------------ condim 4 and 6

static event_run ball_on_floor(int condim, const char *friction, const double v[6])
{
    char xml[600];
    snprintf(
        xml, sizeof xml,
        "<mujoco><worldbody><geom type='plane' size='0 0 1' condim='%d' friction='%s'/><body pos='0 0 0.1'>"
        "<freejoint/><geom size='0.1' mass='1' condim='%d' friction='%s'/></body></worldbody></mujoco>",
        condim, friction, condim, friction);
    event_run r = event_open(xml);
    CHECK_OK(thud_state_set(r.m, NULL, v, r.s));
    return r;
}

TEST(a_spinning_ball_is_stopped_by_torsional_friction)
{
    event_run r = ball_on_floor(4, "1 0.01 0", (const double[]){0, 0, 0, 0, 0, 5});
    event_go(&r, 0.05, 0.5);
    CHECK_INT(r.events, 1);
    CHECK_INT(r.event[0].kind, THUD_EVENT_STICK);
    CHECK_NEAR(r.event[0].time, 0.4 * 0.01 * 5 / (0.01 * G), 1e-9); // I w / (mu m g)
    event_close(&r);
}

// Rolling friction takes a = mu_r g sqrt(1 - (a / mu g)^2) / 1.4 r, what the force that slows the ball leaves of the
// cone. That force needs slip: c = (mu_r / mu r)^2 / 1.4 of the speed. The ball begins without, and angular momentum
// about the contact then makes it faster by 2 c / 7.
TEST(a_rolling_ball_is_stopped_by_rolling_friction)
{
    const double mu = 1, roll = 0.003, radius = 0.1, v = 0.2;
    double a = 0;
    for (int k = 0; k < 20; k++) {
        a = roll * G / (1.4 * radius) * sqrt(1 - a * a / (mu * mu * G * G));
    }
    event_run r = ball_on_floor(6, "1 0.005 0.003", (const double[]){v, 0, 0, 0, v / radius, 0});
    event_go(&r, 0.05, 1.2);
    CHECK_INT(event_count(&r, THUD_EVENT_STICK), 1);
    CHECK_NEAR(event_nth(&r, THUD_EVENT_STICK, 0)->time, v / a, 1e-6);
    const double c = roll * roll / (1.4 * mu * mu * radius * radius);
    CHECK_NEAR(r.s->qpos[0], 0.5 * v * v / a * (1 + 2 * c / 7), 1e-7);
    event_close(&r);
}

// ------------------------------------------------------------------------------------------ activations

TEST(a_filtered_actuator_pushes_by_its_activation_at_every_moment)
{
    event_run r = event_open("<mujoco><option gravity='0 0 0'/><worldbody><body>" SLIDE("j", "") BEAD
                             "</body></worldbody><actuator><general joint='j' dyntype='filter' dynprm='0.1' "
                             "gainprm='3'/></actuator></mujoco>");
    r.s->ctrl[0] = 1;
    event_go(&r, 0.2, 2);
    const double t = 2, T = 0.1; // a = 3 (1 - exp(-t/T))
    CHECK_NEAR(r.s->act[0], 1 - exp(-t / T), 1e-12);
    CHECK_NEAR(r.s->qvel[0], 3 * (t - T * (1 - exp(-t / T))), 1e-7);
    CHECK_NEAR(r.s->qpos[0], 3 * (t * t / 2 - T * t + T * T * (1 - exp(-t / T))), 1e-7);
    event_close(&r);
}

// ------------------------------------------------------------------------------------------ tendons

// A string of 0.5 m from the ceiling: the ball falls freely, is stopped and hangs.
TEST(a_string_catches_a_falling_ball_when_it_is_taut)
{
    event_run r = event_open(
        "<mujoco><worldbody><site name='top' pos='0 0 1'/><body pos='0 0 0.8'><freejoint/><geom size='0.02' "
        "mass='2'" NO_CONTACT "/><site name='ball'/></body></worldbody><tendon><spatial name='string' "
        "limited='true' range='0 0.5'><site site='top'/><site site='ball'/></spatial></tendon></mujoco>");
    event_go(&r, 0.05, 0.5);
    const thud_event *hit = event_nth(&r, THUD_EVENT_LIMIT, 0);
    CHECK(hit != NULL);
    CHECK_INT(hit->tendon, 0);
    CHECK_NEAR(hit->time, sqrt(2 * 0.3 / G), 1e-9);
    CHECK_NEAR(hit->impulse[0], 2 * sqrt(2 * 0.3 * G), 1e-8);
    CHECK_NEAR(r.s->qpos[2], 0.5, 1e-9);
    event_close(&r);
}

// Thrown sideways on its taut string the ball is a pendulum, which goes slack where m v^2 / l = m g cos.
TEST(a_ball_on_a_string_goes_slack_where_energy_says)
{
    event_run r =
        event_open("<mujoco><worldbody><site name='top' pos='0 0 1'/><body pos='0 0 0.5'><joint type='slide' "
                   "axis='1 0 0'/>"
                   "<joint type='slide' axis='0 0 1'/><geom size='0.02' mass='2'" NO_CONTACT
                   "/><site name='ball'/></body></worldbody><tendon><spatial limited='true' range='0 0.5'>"
                   "<site site='top'/><site site='ball'/></spatial></tendon></mujoco>");
    const double l = 0.5, v0 = 4.5; // at height h over the bottom: v^2 = v0^2 - 2 g h = g (h - l)
    CHECK_OK(thud_state_set(r.m, NULL, (const double[]){v0, 0}, r.s));
    event_go(&r, 0.01, 0.4);
    const thud_event *slack = event_nth(&r, THUD_EVENT_RELEASE, 0);
    CHECK(slack != NULL);
    const double h = (v0 * v0 + G * l) / (3 * G), x = sqrt(l * l - (h - l) * (h - l));
    const double v = sqrt(G * (h - l)), vx = -v * (h - l) / l, vz = v * x / l, t = r.s->time - slack->time;
    CHECK_NEAR(r.s->qpos[0], x + vx * t, 1e-7); // ballistic from there
    CHECK_NEAR(r.s->qpos[1], h + vz * t - 0.5 * G * t * t, 1e-7);
    event_close(&r);
}

TEST(an_equality_of_tendons_couples_what_they_span)
{
    event_run r = event_open(
        "<mujoco><worldbody><body><joint name='a' type='slide' axis='0 0 1'/>" BEAD
        "</body><body pos='0 1 0'><joint name='b' type='slide' axis='0 0 1'/><geom size='0.05' "
        "mass='3'" NO_CONTACT
        "/></body></worldbody><tendon><fixed name='s'><joint joint='a' coef='1'/></fixed><fixed name='t'>"
        "<joint joint='b' coef='-1'/></fixed></tendon><equality><tendon tendon1='s' tendon2='t'/></equality>"
        "</mujoco>");
    event_go(&r, 0.1, 1); // Atwood's machine: 3 kg against 1 kg
    CHECK_NEAR(r.s->qvel[0], G / 2, 1e-9);
    CHECK_NEAR(r.s->qvel[1], -G / 2, 1e-9);
    event_close(&r);
}

// ------------------------------------------------------------------------------------------ maximal coordinates

// Two hinges with everything a joint can have.
static const char *arm =
    "<mujoco><compiler angle='radian'/><default><geom contype='0' "
    "conaffinity='0'/></default><worldbody><body "
    "pos='0 0 2'><joint type='hinge' axis='0 1 0' stiffness='3' damping='0.2' armature='0.05' "
    "frictionloss='0.4' "
    "limited='true' range='-0.3 2'/><geom type='capsule' fromto='0 0 0 0 0 -0.5' size='0.03' mass='1'/><body "
    "pos='0 0 -0.5'><joint type='hinge' axis='0 1 0' springref='0.2' stiffness='1' limited='true' range='-1 "
    "1'/>"
    "<geom type='capsule' fromto='0 0 0 0 0 -0.5' size='0.03' mass='1'/></body></body></worldbody></mujoco>";

TEST(joints_with_springs_rotors_friction_and_limits_move_alike_in_maximal_coordinates)
{
    event_run r = event_open(arm), w = event_open(arm);
    thud_spec *wide;
    thud_state *back;
    thud_model_destroy(w.m);
    thud_state_destroy(w.s);
    CHECK_OK(thud_spec_maximal(w.spec, &wide, NULL));
    CHECK_OK(thud_model_build(wide, &w.m, NULL));
    CHECK_OK(thud_state_create(w.m, &w.s));
    CHECK_OK(thud_state_create(r.m, &back));
    CHECK_OK(thud_state_set(r.m, (const double[]){1.5, 0.9}, (const double[]){0, 2}, r.s));
    CHECK_OK(thud_maximal_state(r.m, r.s, w.m, w.s));
    event_go(&r, 0.02, 1.5);
    event_go(&w, 0.02, 1.5);
    CHECK_OK(thud_minimal_state(w.m, w.s, r.m, back));
    CHECK(event_count(&r, THUD_EVENT_LIMIT) >= 2 && event_count(&r, THUD_EVENT_STICK) >= 1);
    CHECK_INT(w.events, r.events);
    for (int i = 0; i < r.events; i++) {
        CHECK_INT(w.event[i].kind, r.event[i].kind);
        if (r.event[i].kind != THUD_EVENT_STICK) { // of a joint at its limit, which moves by rounding alone
            CHECK_NEAR(w.event[i].time, r.event[i].time, 1e-6);
        }
    }
    CHECK_NEAR(back->qpos[0], r.s->qpos[0], 1e-6);
    CHECK_NEAR(back->qpos[1], r.s->qpos[1], 1e-6);
    thud_state_destroy(back);
    thud_spec_destroy(wide);
    event_close(&r);
    event_close(&w);
}

// ------------------------------------------------------------------------------------------ stiff, large

// A damped spring whose slow motion is exp(-k t / d) while its fast one dies in a microsecond.
TEST(a_stiff_damper_is_followed_along_its_slow_motion)
{
    event_run r = event_open("<mujoco><option gravity='0 0 0'/><worldbody><body>" SLIDE(
        "j", "stiffness='1e6' damping='1e6'") BEAD "</body></worldbody></mujoco>");
    CHECK_OK(thud_state_set(r.m, (const double[]){1}, NULL, r.s));
    event_go(&r, 0.5, 1);
    const double root = (1e6 - sqrt(1e12 - 4e6)) / 2; // the slow one: x = exp(-root t), all but 1e-6 of it
    CHECK_NEAR(r.s->qpos[0], exp(-root), 2e-6);
    event_close(&r);
}

TEST(a_wall_of_a_hundred_boxes_stands)
{
    event_run r = event_open("wall");
    r.o.h = 0.01;
    CHECK_OK(thud_sim_create(r.m, &r.o, &r.sim, NULL));
    while (r.s->steps < 3) {
        thud_certificate c = {0};
        const thud_status status = thud_sim_step(r.sim, NULL, r.s, &c);
        CHECK_OK(status == THUD_NO_MEMORY ? thud_sim_grow(r.sim, r.s) : status);
        CHECK_BELOW(c.momentum, 1e-9);
    }
    for (int i = 0; i < r.m->nv; i++) {
        CHECK_NEAR(r.s->qvel[i], 0, 1e-12);
    }
    event_close(&r);
}

TEST_MAIN(T(dry_friction_stops_a_slide_when_it_should_and_holds_it_up_to_its_bound),
          T(a_spring_and_dry_friction_come_to_rest_after_the_right_half_swings),
          T(dry_friction_of_a_tendon_acts_on_both_slides_it_spans),
          T(a_spinning_ball_is_stopped_by_torsional_friction),
          T(a_rolling_ball_is_stopped_by_rolling_friction),
          T(a_filtered_actuator_pushes_by_its_activation_at_every_moment),
          T(a_string_catches_a_falling_ball_when_it_is_taut),
          T(a_ball_on_a_string_goes_slack_where_energy_says),
          T(an_equality_of_tendons_couples_what_they_span),
          T(joints_with_springs_rotors_friction_and_limits_move_alike_in_maximal_coordinates),
          T(a_stiff_damper_is_followed_along_its_slow_motion), T(a_wall_of_a_hundred_boxes_stands))
