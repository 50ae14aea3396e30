// SPDX-License-Identifier: Apache-2.0
// Contacts that meet within a step: nothing fast passes anything thin, landings are of second order, what springs back comes to rest,
// and bodies that do not touch do not feel each other's collisions.
#include <stdlib.h>

#include "world.h"

static uint64_t seed;

static double draw(double low, double high)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

static double draw_log(double low, double high)
{
    return exp(draw(log(low), log(high)));
}

static int count_kind(const world *w, thud_doubt_kind kind)
{
    int count, of_kind = 0;
    const thud_doubt *list = thud_sim_doubts(w->sim, &count);
    for (int i = 0; i < count; i++) {
        of_kind += list[i].kind == kind;
    }
    return of_kind;
}

// ---------------------------------------------------------------------------------------------- shots

typedef struct shot {
    char text[2048];
    double speed, from, thick;
    bool moves; // the plate comes towards it
} shot;

// A body of 1 mm to 10 cm, flying at 1 to 500 m/s and tumbling at a plate 0.2 to 4 mm thick that it cannot miss: a box, a tile floor, a
// mesh, or a plate that moves.
static void write_shot(shot *s, int number)
{
    static const char *const shapes[] = {"sphere", "box", "capsule", "cylinder", "ellipsoid"};
    seed = 77000 + (uint64_t)number;
    const double size = draw_log(5e-4, 5e-2), h = draw_log(5e-4, 8e-3), half = draw_log(1e-4, 2e-3);
    const int kind = (int)draw(0, 4);
    s->speed = draw_log(1, 500);
    s->thick = half;
    s->moves = kind == 3;
    s->from = 2 * size + half + draw(0.05, 1.5) * s->speed * h;
    char plate[600];
    if (kind == 0 || kind == 3) {
        snprintf(plate, sizeof plate,
                 "<body>%s<geom name='plate' type='box' size='4 4 %.6g' mass='1000'/></body>",
                 kind == 3 ? "<joint type='slide' axis='0 0 1'/>" : "", half);
    } else if (kind == 1) {
        int at = 0;
        for (int i = 0; i < 4; i++) {
            at += snprintf(plate + at, sizeof plate - (size_t)at,
                           "<geom type='box' pos='%d %d 0' size='2 2 %.6g'/>", i % 2 ? 2 : -2, i / 2 ? 2 : -2,
                           half);
        }
    } else {
        snprintf(plate, sizeof plate, "<geom type='mesh' mesh='slab'/>");
    }
    snprintf(s->text, sizeof s->text,
             "<mujoco><option timestep='%.6g' gravity='0 0 %.3g'/><asset><mesh name='slab' vertex='-4 -4 "
             "%.6g 4 -4 %.6g 4 4 %.6g "
             "-4 4 %.6g -4 -4 %.6g 4 -4 %.6g 4 4 %.6g -4 4 %.6g'/></asset><worldbody>%s"
             "<body pos='%.6g %.6g %.9g' euler='%.1f %.1f %.1f'><freejoint/><geom type='%s' size='%.6g %.6g "
             "%.6g'/></body>"
             "</worldbody></mujoco>",
             h, draw(-10, 0), -half, -half, -half, -half, half, half, half, half, plate, draw(-1, 1),
             draw(-1, 1), s->from, draw(0, 360), draw(0, 360), draw(0, 360), shapes[number % 5], size,
             size * draw(0.5, 1), size * draw(0.5, 1));
}

static int stops;

// Its centre stays above that of the plate.
static bool passes(const shot *s, thud_law law, thud_impacts impacts, bool *told)
{
    world w = world_text(s->text);
    w.o.law.law = law;
    w.o.impacts = impacts;
    world_begin(&w, -1);
    const int v = s->moves ? 1 : 0, q = v;
    w.s->qvel[v + 2] = -s->speed;
    w.s->qvel[v] = draw(-0.1, 0.1) * s->speed;
    for (int k = 3; k < 6; k++) {
        w.s->qvel[v + k] = draw(-30, 30);
    }
    if (s->moves) {
        w.s->qvel[0] = 0.1 * s->speed;
    }
    bool passed = false;
    for (int step = 0; step < 8 && !passed; step++) {
        const thud_status status = world_try(&w, NULL);
        if (status != THUD_OK) { // where a body of a millimetre turns at 10^5 rad/s; it says so
            stops++;
            break;
        }
        passed = !(w.s->qpos[q + 2] - (s->moves ? w.s->qpos[0] : 0) > 0);
    }
    *told = count_kind(&w, THUD_DOUBT_PASSED) > 0;
    world_end(&w);
    return passed;
}

TEST(no_shot_passes_a_plate)
{
    const int shots = getenv("THUD_THOROUGH") ? 10000 : 300;
    for (int k = 0; k < shots; k++) {
        shot s;
        bool told;
        write_shot(&s, k);
        if (passes(&s, THUD_LAW_CONE, THUD_IMPACTS_BY_LAW, &told)) {
            fail_msg("shot %d at %g m/s through %g m: %s", k, s.speed, 2 * s.thick, s.text);
        }
    }
    CHECK_BELOW(stops, 0.02 * shots);
}

TEST(a_law_as_printed_says_what_it_lets_through_and_located_lets_nothing)
{
    const int shots = getenv("THUD_THOROUGH") ? 2000 : 60;
    static const thud_law laws[] = {THUD_LAW_ANITESCU_POTRA, THUD_LAW_STEWART_TRINKLE,
                                    THUD_LAW_PHANTOM_INERTIA};
    int through = 0, leaks = 0;
    for (int k = 0; k < shots; k++) {
        shot s;
        bool told;
        write_shot(&s, 20000 + k);
        const bool passed = passes(&s, laws[k % 3], THUD_IMPACTS_BY_LAW, &told);
        through += passed;
        if (passed && !told) {
            fail_msg("shot %d at %g m/s went through in silence: %s", k, s.speed, s.text);
        }
        write_shot(&s, 20000 + k);
        leaks += passes(&s, laws[k % 3], THUD_IMPACTS_LOCATED, &told);
    }
    CHECK(through > 0);
    printf("%d of %d pass though located\n", leaks, shots);
    CHECK_BELOW(leaks, 0.01 * shots); // wanted: none. Of the cone none does
}

// ---------------------------------------------------------------------------------------------- landings

// A rod on a hinge that falls onto a floor: the angle at which it lies, and how fast it swings just before, are closed forms, but the
// time at which it lands is not a multiple of the step. At every step it lies still at the same angle.
TEST(a_rod_that_falls_lands_without_sinking_in)
{
    for (double h = 0.02; h > 1e-3; h *= 0.5) {
        world w = world_text(
            "<mujoco><worldbody><geom type='plane' size='0 0 1'/><body pos='0 0 .3'><joint axis='0 1 0'/>"
            "<geom type='capsule' fromto='0 0 0 .8 0 0' size='.02' mass='1'/></body></worldbody></mujoco>");
        w.o.h = h;
        world_begin(&w, -1);
        world_run(&w, 1);
        CHECK_NEAR(w.s->qpos[0], asin(0.28 / 0.8), 1e-8); // its end is a ball of 2 cm
        CHECK_BELOW(fabs(w.s->qvel[0]), 1e-9);
        CHECK_BELOW(w.worst.projected, 1e-6); // and was never put right by more than rounding is worth
        world_end(&w);
    }
}

// Two links that fall onto a floor: their pose a while after the first landing, against a run at a sixty-fourth of the step.
static double pose_after_landing(double h)
{
    world w = world_text("<mujoco><worldbody><geom type='plane' size='0 0 1' friction='0'/><body pos='0 0 "
                         ".7'><joint axis='0 1 0'/>"
                         "<geom type='capsule' fromto='0 0 0 .5 0 0' size='.02' mass='1'/><body pos='.5 0 "
                         "0'><joint axis='0 1 0'/>"
                         "<geom type='capsule' fromto='0 0 0 .45 0 0' size='.02' "
                         "mass='1'/></body></body></worldbody></mujoco>");
    w.o.h = h;
    world_begin(&w, -1);
    world_run(&w, 0.56);
    const double angle = w.s->qpos[0] + w.s->qpos[1];
    world_end(&w);
    return angle;
}

TEST(what_follows_a_landing_is_of_second_order)
{
    const double truth = pose_after_landing(0.008 / 64), coarse = fabs(pose_after_landing(0.008) - truth),
                 fine = fabs(pose_after_landing(0.001) - truth);
    CHECK_BELOW(coarse, 0.02);
    CHECK_BELOW(fine, coarse / 30); // an eighth of the step: 64 of second order, 8 of first
}

// ---------------------------------------------------------------------------------------------- restitution

TEST(what_springs_back_comes_to_rest_and_sleeps)
{
    static const double e[] = {0.1, 0.3, 0.5, 0.7, 0.9}, steps[] = {0.0005, 0.002, 0.008, 1.0 / 60};
    for (int k = 0; k < 20; k++) {
        world w =
            world_text("<mujoco><worldbody><geom type='plane' size='0 0 1'/><body pos='0 0 .34'><freejoint/>"
                       "<geom type='sphere' size='.04' mass='.3'/></body></worldbody></mujoco>");
        w.o.restitution = e[k % 5];
        w.o.h = steps[k / 5];
        w.o.sleep.speed = 1e-3;
        w.o.sleep.time = 0.2;
        world_begin(&w, -1);
        // 0.3 m of fall; all bounces together take (1 + e)/(1 - e) times as long
        world_run(&w, sqrt(2 * 0.3 / 9.81) * (1 + w.o.restitution) / (1 - w.o.restitution) + 0.5);
        CHECK_INT(thud_sim_sleeps(w.sim, w.s, 1), 1);
        CHECK_NEAR(w.s->qpos[2], 0.04, 1e-8);
        CHECK(w.highest <= w.E0 * (1 + 1e-12));
        world_end(&w);
    }
}

// A crowd of elastic balls at as many heights, so that some bounce in every step: their energy is kept, and the first moves as it does
// alone.
TEST(elastic_balls_keep_their_energy_and_do_not_feel_each_other)
{
    enum { BALLS = 150, ROOM = 40000 };
    char *text = malloc(ROOM);
    double alone = 0;
    for (int many = 0; many < 2; many++) {
        int at = snprintf(text, ROOM,
                          "<mujoco><option timestep='.004'/><worldbody><geom type='plane' size='0 0 1'/>");
        for (int k = 0; k < (many ? BALLS : 1); k++) {
            at += snprintf(
                text + at, (size_t)(ROOM - at),
                "<body pos='%g %g %.9g'><freejoint/><geom type='sphere' size='.05' mass='1'/></body>",
                0.2 * (k % 15), 0.2 * (k / 15), 0.25 + 0.00037 * k);
        }
        (void)snprintf(text + at, (size_t)(ROOM - at), "</worldbody></mujoco>");
        world w = world_text(text);
        w.o.restitution = 1;
        world_begin(&w, -1);
        world_run(&w, 0.5);
        CHECK_NEAR((w.c.kinetic + w.c.potential) / w.E0, 1, 1e-12);
        CHECK(count_kind(&w, THUD_DOUBT_IMPACT_CAP) == 0);
        if (many) {
            CHECK_NEAR(w.s->qpos[2], alone, 1e-9);
            CHECK(w.worst.impacts > 64);
        }
        alone = w.s->qpos[2];
        world_end(&w);
    }
    free(text);
}

TEST_MAIN(T(no_shot_passes_a_plate), T(a_law_as_printed_says_what_it_lets_through_and_located_lets_nothing),
          T(a_rod_that_falls_lands_without_sinking_in), T(what_follows_a_landing_is_of_second_order),
          T(what_springs_back_comes_to_rest_and_sleeps),
          T(elastic_balls_keep_their_energy_and_do_not_feel_each_other))
