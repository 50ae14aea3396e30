// SPDX-License-Identifier: Apache-2.0
// test_crossings.c: bodies slide over seams, past walls and past each other, and do not feel what they do not meet; what stands in
// their way stops them. THUD_THOROUGH=1: 10 000 random crossings instead of 300.
#include "crossing.h"

static const double SPEED =
    1e-6; // relative: what a crossing may change of a speed (issue 32); measured: see docs/collision.md

typedef struct outcome {
    double speed, turn, height; // errors, relative to the speed, rad/s times size to the speed, of the size
} outcome;

static outcome judge(const crossing *c, const world *w, double rise)
{
    outcome o = {0, 0, 0};
    for (int b = 0; b < c->bodies; b++) {
        const double *q = w->s->qpos + 7 * b, *v = w->s->qvel + 6 * b, speed = v3_norm(c->v[b]);
        const vec3 off = v3_sub(v3(v[0], v[1], 0), c->v[b]);
        o.speed = fmax(o.speed, v3_norm(off) / speed);
        o.turn = fmax(o.turn, c->size * v3_norm(v3(v[3], v[4], v[5])) / speed);
        o.height = fmax(o.height, fabs(q[2] - w->m->qpos0[7 * b + 2] - rise) / c->size);
        o.speed = isfinite(q[0] + v[0]) ? o.speed : INFINITY;
    }
    return o;
}

static outcome cross(const crossing *c, thud_law law, thud_scheme scheme)
{
    world w = world_text(c->text);
    w.o.law.law = law;
    w.o.scheme = scheme;
    world_begin(&w, -1);
    for (int b = 0; b < c->bodies; b++) {
        w.s->qvel[6 * b] = c->v[b].x;
        w.s->qvel[6 * b + 1] = c->v[b].y;
    }
    const double end = c->duration;
    while (w.s->time < end - 0.5 * w.o.h) {
        if (world_try(&w, NULL) != THUD_OK) {
            world_end(&w);
            return (outcome){INFINITY, 0, 0};
        }
    }
    const outcome o = judge(c, &w, 0);
    world_end(&w);
    return o;
}

static thud_law law_of(int k) // the default law, every third time another one
{
    enum { LAWS = THUD_LAW_HYBRID + 1 };
    return k % 3 == 2 ? (thud_law)(k / 3 % LAWS) : THUD_LAW_CONE;
}

static crossing made; // large

// Random crossings from a seed on; THUD_SEED begins elsewhere, THUD_SHOW=1 takes that one alone and prints its scene.
static void cross_many(uint64_t seed, int count, thud_scheme scheme)
{
    const char *first = getenv("THUD_SEED"), *show = getenv("THUD_SHOW");
    int hit = 0;
    double worst = 0;
    seed = first ? strtoull(first, NULL, 10) : seed;
    count = show ? 1 : count;
    for (int k = 0; k < count; k++) {
        crossing_make(seed + (uint64_t)k, &made);
        if (show) {
            printf("%s\nvelocity %.17g,%.17g,0,0,0,0%c%.17g for %.17g s\n", made.text, made.v[0].x,
                   made.v[0].y, made.bodies > 1 ? ',' : ' ', made.v[1].x, made.duration);
        }
        const thud_law law = scheme == THUD_SCHEME_EVENT_DRIVEN ? THUD_LAW_CONE : law_of(k);
        const outcome o = cross(&made, law, scheme);
        // Over seams that are off the body leans, and falls aside for so long.
        const double leaning = 2 * made.lean * 9.81 * made.duration / v3_norm(made.v[made.bodies - 1]);
        if (!(o.speed <= SPEED + leaning && o.turn <= SPEED + leaning && o.height <= 1e-6)) {
            hit++;
            print_message(
                "seed %llu: %s over %s, %s, size %.3g, %.3g m/s, %g ms: speed %.2g, turn %.2g, height %.2g\n",
                (unsigned long long)(seed + (uint64_t)k), made.shape, made.ground, thud_law_name(law),
                made.size, v3_norm(made.v[0]), 1e3 * made.h, o.speed, o.turn, o.height);
        }
        worst = fmax(worst, o.speed);
    }
    print_message("%d crossings, %d hit, worst change of speed %.3g\n", count, hit, worst);
    CHECK_INT(hit, 0);
}

TEST(a_body_keeps_its_speed_over_every_seam)
{
    cross_many(32000, getenv("THUD_THOROUGH") ? 10000 : 300, THUD_SCHEME_TIME_STEPPING);
}

TEST(a_body_keeps_its_speed_over_seams_between_events_too)
{
    cross_many(77000, getenv("THUD_THOROUGH") ? 300 : 12, THUD_SCHEME_EVENT_DRIVEN);
}

// A floor of two boxes, the second higher by `rise`, and a body on the first that comes with 1 m/s.
static world before_a_ledge(const char *body, double half, double rise, double friction, double push)
{
    char text[2048];
    snprintf(
        text, sizeof text,
        "<mujoco><compiler angle='radian'/><option timestep='0.002' gravity='%.17g 0 -9.81'/>"
        "<default><geom friction='%.17g'/></default><asset><mesh name='prism' vertex='.1 0 -.06 .1 0 .06 "
        "-.05 .08 -.06 -.05 .08 .06 -.05 -.08 -.06 -.05 -.08 .06'/></asset><worldbody>"
        "<geom type='box' size='1 1 .1' pos='-1 0 -.1'/><geom type='box' size='1 1 .1' pos='1 0 %.17g'/>"
        "<body pos='-.3 0 %.17g'><freejoint/><geom %s mass='1'/></body></worldbody></mujoco>",
        push, friction, -0.1 + rise, half, body);
    world w = world_text(text);
    world_begin(&w, -1);
    return w;
}

static const char *const sliders[] = {"type='box' size='.1 .08 .06'", "type='cylinder' size='.1 .06'",
                                      "type='mesh' mesh='prism'"};

TEST(a_ledge_of_a_hundred_thousandth_of_the_size_stops_a_body)
{
    for (size_t i = 0; i < sizeof sliders / sizeof *sliders; i++) {
        for (int k = 0; k < 3; k++) {
            const double rise = 1e-6 * pow(100, k); // 1e-5 to 0.1 of the size
            world w = before_a_ledge(sliders[i], 0.06, rise, 0, 0);
            w.s->qvel[0] = 1;
            world_run(&w, 0.5);
            // Struck low it turns about the ledge: r^2/(r^2 + k^2) = 0.45 of its speed is left, at most.
            CHECK_BELOW(w.s->qvel[0], 0.45);
            CHECK_BELOW(w.s->qpos[0], 0); // 0.2 where nothing is in the way
            world_end(&w);
        }
    }
}

TEST(a_step_down_lets_a_body_fall_and_nothing_sinks_through_a_seam)
{
    world w = before_a_ledge(sliders[0], 0.06, -0.05, 0, 0);
    w.s->qvel[0] = 1;
    world_run(&w, 1);
    CHECK_NEAR(w.s->qvel[0], 1, 0.2); // it tips over the edge
    CHECK(w.s->qpos[2] > 0.0 && w.s->qpos[2] < 0.07);
    CHECK_BELOW(w.worst.penetration, 1e-7);
    world_end(&w);
    w = before_a_ledge(sliders[0], 0.06, 0, 0, 0);
    w.s->qpos[0] = 0; // at rest over the seam
    world_run(&w, 1);
    CHECK_NEAR(w.s->qpos[2], 0.06, 1e-9);
    world_end(&w);
}

// [Coulomb] v^2 / 2 mu g = 1.01936 m.
TEST(a_box_on_tiles_stops_where_it_would_on_a_plane)
{
    char text[8192];
    size_t length =
        (size_t)snprintf(text, sizeof text,
                         "<mujoco><option timestep='0.002'/><default><geom friction='.2'/></default>"
                         "<worldbody><body pos='0 0 .03'><freejoint/><geom type='box' size='.07 .05 .03' "
                         "mass='1'/></body>");
    for (int k = 0; k < 20; k++) {
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   "<geom type='box' size='.1 1 .05' pos='%.17g 0 -.05'/>", -0.6 + 0.2 * k);
    }
    snprintf(text + length, sizeof text - length, "</worldbody></mujoco>");
    world w = world_text(text);
    world_begin(&w, -1);
    w.s->qvel[0] = 2;
    world_run(&w, 1.5);
    CHECK_NEAR(w.s->qpos[0], 4 / (2 * 0.2 * 9.81), 1e-5); // seen: 5e-7, of the step in which it stops
    CHECK_NEAR(w.s->qvel[0], 0, 1e-12);
    world_end(&w);
}

// Pushed by 6 N against 0.5 of 9.81 N it gains 1.095 m/s^2, over the seam too.
TEST(a_box_is_pushed_over_a_seam)
{
    for (size_t i = 0; i < sizeof sliders / sizeof *sliders; i++) {
        world w = before_a_ledge(sliders[i], 0.06, 0, 0.5, 6);
        world_run(&w, 1);
        CHECK_NEAR(w.s->qpos[0], -0.3 + 0.5 * (6 - 0.5 * 9.81),
                   1e-3); // static friction lets go in the first step
        CHECK_BELOW(fabs(w.s->qvel[5]) + fabs(w.s->qvel[4]), 1e-6);
        world_end(&w);
    }
}

// Two boxes that pass side to side, or meet by a hundred-thousandth of their size.
TEST(boxes_that_overlap_by_a_hundred_thousandth_collide)
{
    for (int k = 0; k < 2; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "<mujoco><option timestep='0.002'/><default><geom friction='0'/></default><worldbody>"
                 "<geom type='plane' size='0 0 1'/><body pos='0 0 .1'><freejoint/><geom type='box' size='.1 "
                 ".1 .1'/>"
                 "</body><body pos='.31 %.17g .1'><freejoint/><geom type='box' size='.1 .1 "
                 ".1'/></body></worldbody>"
                 "</mujoco>",
                 k ? 0.2 - 1e-6 : 0.2);
        world w = world_text(text);
        world_begin(&w, -1);
        w.s->qvel[0] = 1;
        w.s->qvel[6] = -1;
        world_run(&w, 0.3);
        const double met = fabs(w.s->qvel[0] - 1);
        CHECK(k ? met > 0.1 : met < 1e-9);
        world_end(&w);
    }
}

TEST_MAIN(T(a_body_keeps_its_speed_over_every_seam), T(a_body_keeps_its_speed_over_seams_between_events_too),
          T(a_ledge_of_a_hundred_thousandth_of_the_size_stops_a_body),
          T(a_step_down_lets_a_body_fall_and_nothing_sinks_through_a_seam),
          T(a_box_on_tiles_stops_where_it_would_on_a_plane), T(a_box_is_pushed_over_a_seam),
          T(boxes_that_overlap_by_a_hundred_thousandth_collide))
