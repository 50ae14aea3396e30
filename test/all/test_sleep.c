// SPDX-License-Identifier: Apache-2.0
// What rests sleeps without moving by a bit, and wakes for everything that would have moved it.
#include <thud/spatial_inline.h>
#include <thud/thud.h>

#include "test.h"

typedef struct play { // a scene that is stepped
    thud_spec *spec;
    thud_model *m;
    thud_state *s;
    thud_sim *sim;
    thud_certificate c;
} play;

static const thud_sleep_options sleeping = {.speed = 1e-3, .time = 0.2};

static void start(play *p, const thud_sleep_options *sleep)
{
    thud_diag diag;
    thud_step_options o = thud_step_defaults(p->m);
    o.sleep = sleep ? *sleep : o.sleep;
    thud_sim_destroy(p->sim);
    if (thud_sim_create(p->m, &o, &p->sim, &diag) != THUD_OK) {
        fail_msg("%s", diag.text);
    }
}

static play open_play(const char *bodies, const thud_sleep_options *sleep)
{
    char text[4000];
    play p = {0};
    thud_diag diag;
    snprintf(text, sizeof text,
             "<mujoco><option timestep=\"0.002\"/><default><geom friction=\"0.5\"/></default><worldbody>"
             "<geom type=\"plane\" size=\"0 0 1\"/>%s</worldbody></mujoco>",
             bodies);
    if (thud_load_mjcf_text(text, strlen(text), "test.xml", &p.spec, &diag) != THUD_OK ||
        thud_model_build(p.spec, &p.m, &diag) != THUD_OK) {
        fail_msg("%s", diag.text);
    }
    CHECK_OK(thud_state_create(p.m, &p.s));
    start(&p, sleep);
    return p;
}

static void close_play(play *p)
{
    thud_sim_destroy(p->sim);
    thud_state_destroy(p->s);
    thud_model_destroy(p->m);
    thud_spec_destroy(p->spec);
}

static void step_with(play *p, const double *tau)
{
    thud_status status;
    while ((status = thud_sim_step(p->sim, tau, p->s, &p->c)) == THUD_NO_MEMORY) {
        CHECK_OK(thud_sim_grow(p->sim, p->s));
    }
    CHECK_OK(status);
}

static void steps(play *p, double seconds)
{
    for (int k = (int)lround(seconds / 0.002); k > 0; k--) {
        step_with(p, NULL);
    }
}

static bool sleeps(const play *p, const char *body)
{
    return thud_sim_sleeps(p->sim, p->s, thud_model_find(p->m, THUD_KIND_BODY, body));
}

#define BOX(name, x, z)                                                                                      \
    "<body name=\"" name "\" pos=\"" x " 0 " z                                                               \
    "\"><freejoint/><geom type=\"box\" size=\"0.1 0.1 0.1\" mass=\"1\"/></body>"
static const char stack[] = BOX("a", "0", "0.1") BOX("b", "0.02", "0.3") BOX("c", "0", "0.5");

TEST(a_stack_that_sleeps_does_not_move_by_a_bit)
{
    play p = open_play(stack, &sleeping);
    steps(&p, 0.5);
    CHECK(sleeps(&p, "a") && sleeps(&p, "b") && sleeps(&p, "c"));
    CHECK_INT(p.c.asleep, 3);
    CHECK_INT(p.c.contacts, 0);
    CHECK_BELOW(p.c.cone_residual, 1e-8);
    CHECK(p.c.cone_residual > 0 && p.c.momentum <= 1e-12);
    double before[21];
    memcpy(before, p.s->qpos, sizeof before);
    steps(&p, 1);
    CHECK(memcmp(before, p.s->qpos, sizeof before) == 0);
    for (int i = 0; i < p.m->nv; i++) {
        CHECK(p.s->qvel[i] == 0);
    }
    CHECK_NEAR(p.s->time, 1.5, 1e-9);
    close_play(&p);
}

TEST(nothing_sleeps_unless_asked_to)
{
    play p = open_play(stack, NULL);
    steps(&p, 1);
    CHECK(!sleeps(&p, "a") && p.c.asleep == 0 && p.c.contacts == 12);
    CHECK_INT(p.s->kept_count, 0);
    close_play(&p);
}

// A ball at 2 m/s from aside, in flight while the stack falls asleep.
static const char struck[] = BOX("a", "0", "0.1") BOX("b", "0.02", "0.3") BOX("c", "0", "0.5") //
    "<body name=\"ball\" pos=\"-1.5 0 1.8\"><freejoint/><geom type=\"sphere\" size=\"0.08\" "
    "mass=\"0.5\"/></body>";

static void throw_ball(play *p)
{
    p->s->qvel[18] = 2.5;
}

// The two runs part by what the stack still crept before it slept, some 1e-12 m: measured 2e-11 m after the collision and
// half a second of motion.
TEST(a_ball_wakes_a_stack_and_all_moves_as_if_it_had_never_slept)
{
    play p = open_play(struck, &sleeping), q = open_play(struck, NULL);
    throw_ball(&p);
    throw_ball(&q);
    bool slept = false;
    for (int k = 0; k < 500; k++) {
        step_with(&p, NULL);
        step_with(&q, NULL);
        slept |= sleeps(&p, "c") && !sleeps(&p, "ball");
    }
    CHECK(slept && !sleeps(&p, "c"));
    CHECK(p.s->qpos[14] > 0.01); // the top box was pushed
    for (int i = 0; i < p.m->nq; i++) {
        CHECK_NEAR(p.s->qpos[i], q.s->qpos[i], 1e-8);
    }
    close_play(&p);
    close_play(&q);
}

TEST(what_is_far_from_a_collision_sleeps_on)
{
    play p = open_play(BOX("near", "0", "0.1")
                           BOX("far", "3", "0.1") "<body name=\"ball\" pos=\"0 0 2\"><freejoint/>"
                                                  "<geom type=\"sphere\" size=\"0.1\" mass=\"1\"/></body>",
                       &sleeping);
    steps(&p, 0.4);
    CHECK(sleeps(&p, "near") && sleeps(&p, "far") && !sleeps(&p, "ball"));
    steps(&p, 0.21); // 1.7 m take 0.59 s
    CHECK(!sleeps(&p, "near") && sleeps(&p, "far"));
    steps(&p, 1);
    CHECK(sleeps(&p, "near") && sleeps(&p, "far"));
    close_play(&p);
}

TEST(a_support_that_is_taken_away_wakes_what_stood_on_it)
{
    play p = open_play("<body name=\"table\" mocap=\"true\" pos=\"0 0 0.5\"><geom type=\"box\" size=\"0.5 "
                       "0.5 0.1\"/></body>" //
                       BOX("a", "0", "0.7") BOX("b", "0", "0.9"),
                       &sleeping);
    steps(&p, 0.5);
    CHECK(sleeps(&p, "a") && sleeps(&p, "b"));
    CHECK_OK(thud_state_place(p.m, thud_model_find(p.m, THUD_KIND_BODY, "table"),
                              (thud_pose){{1, 0, 0, 0}, {5, 0, 0.5}}, p.s));
    steps(&p, 0.1);
    CHECK(!sleeps(&p, "a"));
    CHECK_NEAR(p.s->qpos[2], 0.7 - 0.5 * 9.81 * 0.01, 2e-3); // it falls
    close_play(&p);
}

TEST(a_box_sleeps_on_a_slope_that_holds_it_and_not_on_one_that_does_not)
{
    static const char slope[] =
        "<body name=\"slope\" mocap=\"true\" pos=\"0 0 10\" euler=\"0 %s 0\"><geom type=\"box\" size=\"20 1 "
        "0.1\" "
        "pos=\"0 0 -0.1\" friction=\"%s\"/></body><body name=\"box\" euler=\"0 %s 0\" "
        "pos=\"%s 0 %s\"><freejoint/><geom type=\"box\" size=\"0.1 0.1 0.1\" friction=\"%s\"/></body>";
    char text[600];
    snprintf(text, sizeof text, slope, "20", "0.4", "20", "0.0342020143", "10.0939692621",
             "0.4"); // tan 20 = 0.364
    play p = open_play(text, &sleeping);
    steps(&p, 0.5);
    CHECK(sleeps(&p, "box"));
    close_play(&p);
    snprintf(text, sizeof text, slope, "20", "0.3639", "20", "0.0342020143", "10.0939692621", "0.3639");
    p = open_play(text, &(thud_sleep_options){.speed = 1e-4, .time = 0.2}); // it gains 7e-4 m/s in a second
    for (int k = 0; k < 10; k++) {
        steps(&p, 0.1);
    }
    CHECK(!sleeps(&p, "box"));
    CHECK(p.s->qvel[0] > 1e-4);
    close_play(&p);
}

static void check_awake_after(play *p, const double *tau)
{
    step_with(p, tau);
    CHECK(!sleeps(p, "a") && !sleeps(p, "b") && !sleeps(p, "c"));
    steps(p, 0.5);
    CHECK(sleeps(p, "a") && sleeps(p, "b") && sleeps(p, "c")); // and falls asleep again
}

TEST(positions_velocities_and_forces_that_change_wake_a_group)
{
    play p = open_play(stack, &sleeping);
    double tau[18] = {0};
    steps(&p, 0.5);
    CHECK(sleeps(&p, "c"));
    p.s->qpos[14] += 1e-3;
    check_awake_after(&p, NULL);
    p.s->qvel[0] = 1e-3;
    check_awake_after(&p, NULL);
    tau[12] = 0.1;
    check_awake_after(&p, tau);
    CHECK_OK(thud_state_set(p.m, NULL, NULL, p.s));
    check_awake_after(&p, NULL);
    close_play(&p);
}

TEST(a_saved_state_sleeps_on_and_wakes_with_the_same_bits)
{
    play p = open_play(struck, &sleeping), q = open_play(struck, &sleeping);
    throw_ball(&p);
    steps(&p, 0.4);
    CHECK(sleeps(&p, "c") && p.s->kept_count > 0);
    void *blob = malloc(thud_state_bytes(p.s));
    thud_diag diag;
    thud_state_save(p.s, blob);
    CHECK_OK(thud_state_load(q.m, blob, thud_state_bytes(p.s), q.s, &diag));
    CHECK(thud_state_hash(p.s) == thud_state_hash(q.s));
    for (int k = 0; k < 300; k++) { // through the collision
        step_with(&p, NULL);
        step_with(&q, NULL);
        CHECK(thud_state_hash(p.s) == thud_state_hash(q.s));
    }
    CHECK(!sleeps(&p, "c"));
    free(blob);
    close_play(&p);
    close_play(&q);
}

TEST(a_sim_in_which_nothing_sleeps_goes_on_from_a_state_that_does)
{
    play p = open_play(stack, &sleeping);
    steps(&p, 0.5);
    const thud_certificate asleep = p.c;
    start(&p, NULL);
    step_with(&p, NULL);
    CHECK_INT(p.c.contacts, 12);
    CHECK_INT(p.s->kept_count, 0);
    CHECK_INT(p.c.iterations, 0); // the impulses that held it hold it
    CHECK_NEAR(p.c.potential, asleep.potential, 1e-9);
    close_play(&p);
}

// Of the 13.6 J at the start the midpoint rule gains 7e-6 J for a while as the boxes tumble, asleep or not (a tenth of a
// micrometre of height); a step in which something falls asleep or is woken gains nothing.
TEST(energy_never_rises_as_things_sleep_and_wake)
{
    play p = open_play(struck, &sleeping);
    throw_ball(&p);
    const thud_energy e = thud_sim_energy(p.sim, p.s);
    double least = e.kinetic + e.potential, last = least, projected = 0;
    int asleep = 0, changes = 0;
    for (int k = 0; k < 1500; k++) {
        step_with(&p, NULL);
        projected += p.c.projected; // positions that were put right: booked
        const double energy = p.c.kinetic + p.c.potential - projected;
        CHECK_BELOW(energy, least + 2e-5);
        if (p.c.asleep != asleep) {
            CHECK_BELOW(energy, last + 1e-12);
            changes++;
        }
        asleep = p.c.asleep;
        last = energy;
        least = fmin(least, energy);
    }
    CHECK(sleeps(&p, "a") && changes >= 3);
    close_play(&p);
}

TEST(limits_and_dry_friction_hold_what_sleeps)
{
    play p = open_play(
        "<body name=\"arm\" pos=\"0 0 1\"><joint type=\"hinge\" axis=\"0 1 0\" limited=\"true\" range=\"-30 "
        "30\"/>"
        "<geom type=\"capsule\" fromto=\"0 0 0 0.5 0 0\" size=\"0.05\"/></body>"
        "<body name=\"stiff\" pos=\"0 2 1\"><joint type=\"hinge\" axis=\"0 1 0\" frictionloss=\"50\"/>"
        "<geom type=\"capsule\" fromto=\"0 0 0 0.5 0 0\" size=\"0.05\" mass=\"1\"/></body>",
        &sleeping);
    steps(&p, 2);
    CHECK(sleeps(&p, "arm") && sleeps(&p, "stiff"));
    CHECK_NEAR(p.s->qpos[0], M_PI / 6, 1e-6);
    CHECK_NEAR(p.s->qpos[1], 0, 1e-6);
    p.s->qvel[0] = -1e-3;
    step_with(&p, NULL);
    CHECK(!sleeps(&p, "arm") && sleeps(&p, "stiff"));
    close_play(&p);
}

TEST(what_cannot_sleep_is_refused_with_a_sentence)
{
    play p = open_play(stack, NULL);
    thud_diag diag;
    thud_sim *sim;
    thud_step_options o = thud_step_defaults(p.m);
    o.sleep = (thud_sleep_options){.speed = 1e-3, .time = 1e-3}; // less than two steps
    CHECK_INT(thud_sim_create(p.m, &o, &sim, &diag), THUD_BAD_ARGUMENT);
    o.sleep = sleeping;
    o.scheme = THUD_SCHEME_EVENT_DRIVEN;
    CHECK_INT(thud_sim_create(p.m, &o, &sim, &diag), THUD_UNSUPPORTED);
    CHECK(strstr(diag.text, "events"));
    close_play(&p);
}

TEST_MAIN(T(a_stack_that_sleeps_does_not_move_by_a_bit), T(nothing_sleeps_unless_asked_to),
          T(a_ball_wakes_a_stack_and_all_moves_as_if_it_had_never_slept),
          T(what_is_far_from_a_collision_sleeps_on), T(a_support_that_is_taken_away_wakes_what_stood_on_it),
          T(a_box_sleeps_on_a_slope_that_holds_it_and_not_on_one_that_does_not),
          T(positions_velocities_and_forces_that_change_wake_a_group),
          T(a_saved_state_sleeps_on_and_wakes_with_the_same_bits),
          T(a_sim_in_which_nothing_sleeps_goes_on_from_a_state_that_does),
          T(energy_never_rises_as_things_sleep_and_wake), T(limits_and_dry_friction_hold_what_sleeps),
          T(what_cannot_sleep_is_refused_with_a_sentence))
