// SPDX-License-Identifier: Apache-2.0
// test_event_impacts.c: the event-driven scheme's collisions against closed forms. Tolerances are at least
// ten times the errors measured, unless the claim is the issue's own.
#include "event_scene.h"

static const double G = 9.81;

// ------------------------------------------------------------------------------------------ bouncing

// A ball from 1 m: first touch after t0 = sqrt(2/g), then flights of 2 t0 e^k.
static void check_bounces(double e)
{
    event_run r = event_open("bounce");
    const double t0 = sqrt(2 / G), v0 = sqrt(2 * G);
    r.o.restitution = e;
    event_go(&r, 0.05, e == 1 ? 20 * t0 : t0 * (1 + 2 * e * (1 - pow(e, 10)) / (1 - e)));
    double t = t0;
    for (int k = 0; k < 10; k++) {
        const thud_event *hit = event_nth(&r, THUD_EVENT_IMPACT, k);
        CHECK(hit != NULL);
        CHECK_NEAR(hit->time, t, 1e-9);
        const double height = hit->speed[1] * hit->speed[1] / (2 * G); // of the next apex
        CHECK_NEAR(height, pow(e, 2 * (k + 1)), 1e-9);
        CHECK_NEAR(hit->speed[0], -v0 * pow(e, k), 1e-9);
        CHECK_NEAR(hit->impulse[0], (1 + e) * v0 * pow(e, k), 1e-9);
        CHECK_NEAR(hit->energy, -0.5 * v0 * v0 * (1 - e * e) * pow(e, 2 * k), 1e-8);
        t += 2 * t0 * pow(e, k + 1);
    }
    event_close(&r);
}

TEST(a_ball_bounces_ten_times_at_the_right_times_to_the_right_heights)
{
    check_bounces(1);
    check_bounces(0.9);
    check_bounces(0.5);
}

static void check_end(double e)
{
    event_run r = event_open("bounce");
    const double t0 = sqrt(2 / G), end = t0 * (1 + e) / (1 - e);
    r.o.restitution = e;
    event_go(&r, 0.05, end + 0.1);
    const thud_event *rest = event_nth(&r, THUD_EVENT_REST, 0);
    CHECK(rest != NULL);
    CHECK_NEAR(rest->time, end, 1e-6);
    CHECK(rest->energy < 0); // what the rule gives up is told
    CHECK_NEAR(rest->energy, -0.5 * rest->speed[0] * rest->speed[0], 1e-3 * fabs(rest->energy));
    CHECK_BELOW(fabs(rest->speed[0]), r.o.event.rest_speed);
    CHECK_NEAR(r.s->qpos[2], 0.1, 1e-9);
    CHECK_NEAR(r.s->qvel[2], 0, 1e-12);
    event_close(&r);
}

TEST(a_zeno_sequence_ends_in_rest_where_the_geometric_series_does)
{
    check_end(0.9);
    check_end(0.5);
}

TEST(a_thousand_impacts_without_friction_or_loss_keep_the_energy)
{
    event_run r =
        event_open("<mujoco><worldbody><geom type='plane' size='0 0 1' condim='1'/><body pos='0 0 0.11'>"
                   "<freejoint/><geom size='0.05 0.04 0.06' type='ellipsoid' mass='1' condim='1'/></body>"
                   "</worldbody><custom><numeric name='thud:restitution' data='1'/></custom></mujoco>");
    CHECK_OK(thud_state_set(r.m, NULL, (const double[]){0.3, 0, 0, 1, 2, 3}, r.s));
    event_go(&r, 0.02, 0.02);
    const thud_energy start = thud_sim_energy(r.sim, r.s);
    while (event_count(&r, THUD_EVENT_IMPACT) < 1000) {
        event_go(&r, 0.02, r.s->time + 2);
    }
    const thud_energy now = thud_sim_energy(r.sim, r.s);
    CHECK_NEAR(now.kinetic + now.potential, start.kinetic + start.potential,
               10 * 1000 * r.o.event.rtol * (start.kinetic + start.potential)); // 10 rtol an impact
    event_close(&r);
}

TEST(a_step_with_thousands_of_events_ends_or_says_why_not)
{
    event_run r = event_open("bounce");
    CHECK_OK(
        thud_state_set(r.m, (const double[]){0, 0, 0.1 + 1e-6, 1, 0, 0, 0}, NULL, r.s)); // flights of 0.9 ms
    event_go(&r, 2, 2);
    CHECK(event_count(&r, THUD_EVENT_IMPACT) > 2000);
    event_close(&r);
    r = event_open("bounce");
    CHECK_OK(thud_state_set(r.m, (const double[]){0, 0, 0.1 + 1e-6, 1, 0, 0, 0}, NULL, r.s));
    r.o.event.most = 100;
    r.o.h = 2;
    CHECK_OK(thud_sim_create(r.m, &r.o, &r.sim, NULL));
    CHECK_INT(thud_sim_step(r.sim, NULL, r.s, NULL), THUD_NOT_SOLVED);
    CHECK(strstr(thud_sim_reason(r.sim), "more than 100 events") != NULL);
    CHECK_NEAR(r.s->time, 0, 0); // untouched
    event_close(&r);
}

// ------------------------------------------------------------------------------------------ cradles

static void strike_cradle(thud_collisions collisions, thud_restitution_law law, double v[5])
{
    event_run r = event_open("cradle_touching");
    r.o.event.collisions = collisions;
    r.o.restitution_law = law;
    CHECK_OK(thud_state_reset(r.m, 0, r.s));
    event_go(&r, 0.05, 0.2);
    CHECK_NEAR(event_nth(&r, THUD_EVENT_IMPACT, 0)->time, 0.1, 1e-9);
    memcpy(v, r.s->qvel, 5 * sizeof *v);
    event_close(&r);
}

TEST(a_cradle_struck_one_contact_at_a_time_hands_the_motion_on)
{
    double v[5];
    strike_cradle(THUD_COLLISIONS_SEQUENTIAL, THUD_RESTITUTION_POISSON, v);
    for (int i = 0; i < 5; i++) {
        CHECK_NEAR(v[i], i == 4, 1e-9);
    }
}

// All at once, Newton's hypothesis asks every contact for u+ = -e u-: the first pair parts at 1 m/s, the
// others, which did not approach, stay together. With momentum: v1 + 4 v = 1, v - v1 = 1.
TEST(a_cradle_struck_all_at_once_by_newtons_law_sends_the_four_off_together)
{
    double v[5];
    strike_cradle(THUD_COLLISIONS_SIMULTANEOUS, THUD_RESTITUTION_NEWTON, v);
    CHECK_NEAR(v[0], -0.6, 1e-9);
    for (int i = 1; i < 5; i++) {
        CHECK_NEAR(v[i], 0.4, 1e-9);
    }
}

// Poisson's: compression leaves all at 1/5 with impulses 4/5, 3/5, 2/5, 1/5. Only the contact that approached
// springs back (the others' approach is nought), so it gives 4/5 more, and what that presses on passes it on.
TEST(a_cradle_struck_all_at_once_spreads_the_motion_and_keeps_momentum)
{
    double v[5], momentum = 0, energy = 0;
    strike_cradle(THUD_COLLISIONS_SIMULTANEOUS, THUD_RESTITUTION_POISSON, v);
    for (int i = 0; i < 5; i++) {
        momentum += v[i];
        energy += v[i] * v[i];
    }
    CHECK_NEAR(momentum, 1, 1e-9);
    CHECK_BELOW(energy, 1 + 1e-9);
    CHECK_NEAR(v[0], -0.6, 1e-9);
    CHECK_NEAR(v[4], 0.4, 1e-9);
}

TEST(a_cradle_with_gaps_is_a_row_of_collisions_of_two_either_way)
{
    event_run r = event_open("cradle");
    CHECK_OK(thud_state_reset(r.m, 0, r.s));
    event_go(&r, 0.01, 0.6);
    CHECK_INT(event_count(&r, THUD_EVENT_IMPACT), 4);
    for (int k = 0; k < 4; k++) {
        const thud_event *hit = event_nth(&r, THUD_EVENT_IMPACT, k);
        CHECK_INT(hit->body1, k + 1);
        CHECK_INT(hit->body2, k + 2);
        CHECK_BELOW(fabs(hit->energy), 1e-12);
    }
    event_close(&r);
}

// ------------------------------------------------------------------------------------------ grazes, limits,
// restarts

// A ball passes a fixed one at its height: the centres come within 0.2 - d.
static int graze(double d)
{
    char xml[700];
    snprintf(
        xml, sizeof xml,
        "<mujoco><option gravity='0 0 0'/><worldbody><geom type='sphere' size='0.1'/><body pos='-1 0 %.17g'>"
        "<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/>"
        "<geom type='sphere' size='0.1' mass='1' condim='1'/></body></worldbody></mujoco>",
        0.2 - d);
    event_run r = event_open(xml);
    r.o.restitution = 1;
    CHECK_OK(thud_state_set(r.m, NULL, (const double[]){10, 0}, r.s));
    event_go(&r, 0.1, 0.2); // the touch lasts a fraction of a step
    const int hits = event_count(&r, THUD_EVENT_IMPACT);
    if (hits) {
        const double x = sqrt(0.04 - (0.2 - d) * (0.2 - d));
        CHECK_NEAR(event_nth(&r, THUD_EVENT_IMPACT, 0)->time, (1 - x) / 10, 1e-9);
    }
    event_close(&r);
    return hits;
}

TEST(a_graze_of_a_micrometre_is_found_and_a_miss_of_one_is_none)
{
    CHECK_INT(graze(1e-3), 1);
    CHECK_INT(graze(1e-6), 1);
    CHECK_INT(graze(-1e-6), 0);
}

// Two balls over a floor, the second higher by d.
static event_run two_balls(double d)
{
    char xml[700];
    snprintf(xml, sizeof xml,
             "<mujoco><default><geom condim='1'/></default><worldbody><geom type='plane' size='0 0 1'/><body "
             "pos='0 0 "
             "1.1'><freejoint/><geom size='0.1' mass='1'/></body><body pos='1 0 %.17g'><freejoint/><geom "
             "size='0.1' "
             "mass='1'/></body></worldbody></mujoco>",
             1.1 + d);
    event_run r = event_open(xml);
    r.o.restitution = 0.5;
    event_go(&r, 0.1, 0.6);
    return r;
}

TEST(impacts_closer_than_the_tolerance_are_one_moment_and_others_are_two)
{
    event_run r = two_balls(1e-9);
    CHECK_INT(r.events, 2);
    CHECK_INT(r.event[0].together, 2);
    CHECK(r.event[0].time == r.event[1].time);
    event_close(&r);
    r = two_balls(1e-6);
    CHECK_INT(r.events, 2);
    CHECK_INT(r.event[0].together, 1);
    CHECK_NEAR(r.event[1].time - r.event[0].time, sqrt(2 * (1 + 1e-6) / G) - sqrt(2 / G), 1e-12);
    event_close(&r);
}

// At the very start: a ball that touches and approaches strikes at 0, one that touches and leaves does not.
TEST(what_touches_at_the_start_strikes_there_or_flies)
{
    for (int up = -1; up <= 1; up += 2) {
        event_run r = event_open("bounce");
        r.o.restitution = 0.5;
        CHECK_OK(thud_state_set(r.m, (const double[]){0, 0, 0.1, 1, 0, 0, 0},
                                (const double[]){0, 0, up, 0, 0, 0}, r.s));
        event_go(&r, 0.05, 0.25);
        const thud_event *hit = event_nth(&r, THUD_EVENT_IMPACT, 0);
        CHECK(hit != NULL);
        CHECK_NEAR(hit->time, up < 0 ? 0 : 2 / G, 1e-12);
        CHECK_NEAR(hit->speed[0], -1, 1e-12);
        event_close(&r);
    }
}

// A slide that meets its limit: stops there at the right time, and stays under a force that presses.
TEST(a_joint_meets_its_limit_at_its_time_and_rests_there_until_pulled_off)
{
    event_run r =
        event_open("<mujoco><option gravity='0 0 -10'/><worldbody><body><joint type='slide' axis='0 0 1' "
                   "limited='true' range='-0.2 1'/><geom size='0.05' mass='2' contype='0' "
                   "conaffinity='0'/></body></worldbody></mujoco>");
    event_go(&r, 0.05, 0.5);
    const thud_event *hit = event_nth(&r, THUD_EVENT_LIMIT, 0);
    CHECK(hit != NULL);
    CHECK_NEAR(hit->time, 0.2, 1e-9);
    CHECK_NEAR(hit->speed[0], -2, 1e-9);
    CHECK_NEAR(hit->impulse[0], 4, 1e-9);
    CHECK_NEAR(r.s->qpos[0], -0.2, 1e-9);
    CHECK_NEAR(r.s->qvel[0], 0, 1e-12);
    CHECK_OK(thud_sim_step(r.sim, (const double[]){24}, r.s, NULL)); // 2 m/s^2 upward
    CHECK_NEAR(r.s->qpos[0], -0.2 + 0.05 * 0.05, 1e-9);
    event_close(&r);
}

TEST(a_state_restored_into_a_fresh_sim_goes_on_with_the_same_bits)
{
    event_run r = event_open("rod");
    CHECK_OK(thud_state_reset(r.m, 0, r.s));
    event_go(&r, 0.0025, 0.43);
    thud_state *copy;
    thud_sim *fresh;
    CHECK_OK(thud_state_create(r.m, &copy));
    CHECK_OK(thud_state_copy(r.s, copy));
    CHECK_OK(thud_sim_create(r.m, &r.o, &fresh, NULL));
    for (int k = 0; k < 60; k++) {
        CHECK_OK(thud_sim_step(r.sim, NULL, r.s, NULL));
        CHECK_OK(thud_sim_step(fresh, NULL, copy, NULL));
        CHECK(thud_state_hash(r.s) == thud_state_hash(copy));
    }
    thud_sim_destroy(fresh);
    thud_state_destroy(copy);
    event_close(&r);
}

TEST_MAIN(T(a_ball_bounces_ten_times_at_the_right_times_to_the_right_heights),
          T(a_zeno_sequence_ends_in_rest_where_the_geometric_series_does),
          T(a_thousand_impacts_without_friction_or_loss_keep_the_energy),
          T(a_step_with_thousands_of_events_ends_or_says_why_not),
          T(a_cradle_struck_one_contact_at_a_time_hands_the_motion_on),
          T(a_cradle_struck_all_at_once_by_newtons_law_sends_the_four_off_together),
          T(a_cradle_struck_all_at_once_spreads_the_motion_and_keeps_momentum),
          T(a_cradle_with_gaps_is_a_row_of_collisions_of_two_either_way),
          T(a_graze_of_a_micrometre_is_found_and_a_miss_of_one_is_none),
          T(impacts_closer_than_the_tolerance_are_one_moment_and_others_are_two),
          T(what_touches_at_the_start_strikes_there_or_flies),
          T(a_joint_meets_its_limit_at_its_time_and_rests_there_until_pulled_off),
          T(a_state_restored_into_a_fresh_sim_goes_on_with_the_same_bits))
