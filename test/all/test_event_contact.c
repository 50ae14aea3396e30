// SPDX-License-Identifier: Apache-2.0
// test_event_contact.c: contact that lasts, by the event-driven scheme: sliding, sticking, letting go,
// jamming. Tolerances are at least ten times the errors measured, unless the claim is the issue's own.
#include <thud/spatial_inline.h>

#include "event_scene.h"

static const double G = 9.81;

// Between events contact forces are the right-hand side of an integrator: any solution within a rough tolerance would jump from
// one evaluation to the next, and CVODE would follow it in steps of nanoseconds.
TEST(a_rough_tolerance_asks_for_no_rough_forces_between_events)
{
    event_run r[2];
    for (int k = 0; k < 2; k++) {
        r[k] = event_open("arch");
        r[k].o.law.tolerance = k == 0 ? 1e-3 : THUD_ROUGH;
        r[k].o.restitution = 0;
        CHECK_OK(thud_state_reset(r[k].m, -1, r[k].s));
        event_go(&r[k], 0.002, 0.02);
    }
    for (int i = 0; i < r[0].m->nq; i++) {
        CHECK_NEAR(r[0].s->qpos[i], r[1].s->qpos[i], 0);
    }
    event_close(&r[0]);
    event_close(&r[1]);
}

// ------------------------------------------------------------------------------------------ friction

TEST(a_sliding_block_stops_when_and_where_friction_says)
{
    event_run r = event_open("slide");
    CHECK_OK(thud_state_reset(r.m, 0, r.s));
    event_go(&r, 0.01, 1.2);
    CHECK_INT(event_count(&r, THUD_EVENT_STICK), 4); // its corners, and nothing else happens
    CHECK_INT(r.events, 4);
    CHECK_NEAR(r.event[0].time, 5 / (0.5 * G), 1e-8);
    CHECK_NEAR(r.s->qpos[0], 25 / G, 1e-8);
    event_close(&r);
}

TEST(a_billiard_ball_rolls_from_two_sevenths_on_in_every_direction)
{
    for (int key = 0; key < 4; key++) {
        event_run r = event_open("billiard");
        CHECK_OK(thud_state_reset(r.m, key, r.s));
        event_go(&r, 0.01, 0.5);
        CHECK_INT(r.events, 1);
        CHECK_INT(r.event[0].kind, THUD_EVENT_STICK);
        CHECK_NEAR(r.event[0].time, 2 * 2 / (7 * 0.2 * G), 1e-8);
        CHECK_NEAR(hypot(r.s->qvel[0], r.s->qvel[1]), 2 * 5.0 / 7, 1e-8);
        CHECK_NEAR(r.s->qpos[2], 0.0285, 1e-9); // a formula for material points would throw it off
        event_close(&r);
    }
}

// A spring pulls a block to and fro; it stays where it comes to rest with the spring weaker than friction.
TEST(a_block_on_a_spring_sticks_where_friction_holds_it)
{
    event_run r = event_open(
        "<mujoco><option gravity='0 0 -10'/><worldbody><geom type='plane' size='0 0 1' friction='0.5'/><body "
        "pos='0 0 0.1'>"
        "<joint type='slide' axis='1 0 0' stiffness='100'/><joint type='slide' axis='0 0 1'/>"
        "<geom type='box' size='0.1 0.1 0.1' mass='1' friction='0.5'/></body></worldbody></mujoco>");
    // Half swings of pi/10 s about +-0.05 m: 0.32 -> -0.22 -> 0.12 -> -0.02, where 100 x 0.02 < 5 holds it.
    CHECK_OK(thud_state_set(r.m, (const double[]){0.32, 0}, NULL, r.s));
    event_go(&r, 0.02, 1.5);
    CHECK_NEAR(r.s->qpos[0], -0.02, 1e-8);
    const thud_event *last = &r.event[r.events - 1];
    CHECK_INT(last->kind, THUD_EVENT_STICK);
    CHECK_NEAR(last->time, 3 * 3.14159265358979323846 / 10, 1e-8);
    event_close(&r);
}

// ------------------------------------------------------------------------------------------ letting go

TEST(a_ball_leaves_a_hump_at_the_angle_that_energy_says)
{
    event_run r = event_open("hump");
    const double R = 1.1, v0 = 0.5;
    CHECK_OK(thud_state_reset(r.m, 0, r.s));
    event_go(&r, 0.01, 1);
    CHECK_INT(r.events, 1);
    CHECK_INT(r.event[0].kind, THUD_EVENT_RELEASE);
    const double cosine = (2 + v0 * v0 / (G * R)) / 3; // v^2 = g R cos, and v^2 = v0^2 + 2 g R (1 - cos)
    CHECK_NEAR(r.event[0].slip[0], sqrt(G * R * cosine), 1e-7);
    event_close(&r);
}

// ------------------------------------------------------------------------------------------ the papers' rod

// With the true contact arm the tip sticks in the impact, and stays consistent: no jam is ever needed.
TEST(the_falling_rod_lands_sticks_slides_and_slaps_down)
{
    event_run r = event_open("rod");
    CHECK_OK(thud_state_reset(r.m, 0, r.s));
    event_go(&r, 0.0025, 0.6);
    const thud_event *land = event_nth(&r, THUD_EVENT_IMPACT, 0), *slap = event_nth(&r, THUD_EVENT_IMPACT, 1);
    CHECK(land && slap);
    const double phase = 3.14159265358979323846 / 6; // lowest: 1 - g t^2/2 - sin(30 deg + 4 t)/4 - 0.05 = 0
    CHECK_NEAR(1 - G * land->time * land->time / 2 - fabs(sin(phase + 4 * land->time)) / 4 - 0.05, 0, 1e-9);
    CHECK_NEAR(land->time, 0.38582, 5e-6);
    CHECK_NEAR(land->slip[1], 0, 1e-9);
    CHECK_NEAR(event_nth(&r, THUD_EVENT_SLIP, 0)->time, 0.4191, 5e-5);
    CHECK_NEAR(slap->time, 0.5474, 1e-4);
    CHECK_NEAR(event_nth(&r, THUD_EVENT_STICK, 0)->time, 0.5665, 2e-4);
    CHECK_INT(event_count(&r, THUD_EVENT_JAM), 0);
    event_close(&r);
}

// Sliding with its tip ahead, W_nn - mu W_nt < 0: contact can neither be kept nor lost. The impulse that
// stops the tip follows from W p = -u.
TEST(a_rod_that_slides_into_painleves_paradox_is_stopped_by_an_impulse)
{
    const double a = 1.25, I = 1.0 / 12, rx = -0.5 * cos(a), rz = -0.5 * sin(a) - 0.001;
    const double Wnn = 1 + rx * rx / I, Wtt = 1 + rz * rz / I, Wnt = -rx * rz / I, u = -3;
    CHECK(Wnn - 2 * fabs(Wnt) < 0);
    event_run r = event_open("painleve");
    CHECK_OK(thud_state_reset(r.m, 0, r.s));
    event_go(&r, 0.005, 0.005);
    const thud_event *jam = event_nth(&r, THUD_EVENT_JAM, 0);
    CHECK(jam != NULL);
    CHECK_NEAR(jam->time, 0, 0);
    const double det = Wnn * Wtt - Wnt * Wnt, pn = Wnt * u / det, pt = -Wnn * u / det;
    CHECK_NEAR(jam->impulse[0], pn, 2e-3 * pn); // to the small step that finds it
    CHECK_NEAR(fabs(jam->impulse[1]), fabs(pt), 2e-3 * fabs(pt));
    CHECK_BELOW(fabs(jam->impulse[1]), 2 * jam->impulse[0]);
    CHECK_NEAR(jam->slip[1], 0, 1e-12);
    CHECK_NEAR(jam->speed[1], 0, 1e-12);
    CHECK_NEAR(jam->energy, -0.5 * u * u * Wnn / det, 1e-9);
    event_close(&r);
    r = event_open("painleve"); // the other way friction lifts the tip, and there is nothing to resolve
    CHECK_OK(thud_state_reset(r.m, 1, r.s));
    event_go(&r, 0.005, 0.05);
    CHECK_INT(event_count(&r, THUD_EVENT_JAM), 0);
    event_close(&r);
}

// ------------------------------------------------------------------------------------------ a block that
// rocks

TEST(a_rocking_block_loses_what_housner_says)
{
    event_run r = event_open("rocking");
    const double b = 0.1, h = 0.5, tilt = 0.1, R = hypot(b, h), alpha = atan2(b, h), I = 4.0 / 3 * R * R;
    CHECK_OK(thud_state_reset(r.m, 0, r.s));
    event_go(&r, 0.01, 0.6);
    const thud_event *hit = event_nth(&r, THUD_EVENT_IMPACT, 0);
    CHECK(hit != NULL);
    const double w2 = 2 * G * R / I * (cos(alpha - tilt) - cos(alpha)),
                 ratio = 1 - 1.5 * sin(alpha) * sin(alpha);
    CHECK_NEAR(hit->speed[0], -2 * b * sqrt(w2), 1e-7);
    CHECK_NEAR(hit->energy, -0.5 * I * w2 * (1 - ratio * ratio), 1e-7);
    CHECK_INT(event_nth(&r, THUD_EVENT_RELEASE, 0) != NULL, 1); // the corner it stood on
    event_close(&r);
}

// ------------------------------------------------------------------------------------------ a pendulum at a
// wall

typedef struct pair {
    double a, b, wa, wb; // absolute angles from straight down and their rates
} pair;

// Two links of 1 m with balls of 1 kg, radius 0.05, at their ends.
static pair double_pendulum(pair y)
{
    const double I = 0.4 * 0.05 * 0.05, M11 = 2 + I, M22 = 1 + I, M12 = cos(y.a - y.b), s = sin(y.a - y.b);
    const double f1 = -s * y.wb * y.wb - 2 * G * sin(y.a), f2 = s * y.wa * y.wa - G * sin(y.b);
    const double det = M11 * M22 - M12 * M12;
    return (pair){y.wa, y.wb, (M22 * f1 - M12 * f2) / det, (M11 * f2 - M12 * f1) / det};
}

static pair axpy(double h, pair x, pair y)
{
    return (pair){y.a + h * x.a, y.b + h * x.b, y.wa + h * x.wa, y.wb + h * x.wb};
}

static pair rk4(pair y, double h)
{
    const pair k1 = double_pendulum(y), k2 = double_pendulum(axpy(h / 2, k1, y)),
               k3 = double_pendulum(axpy(h / 2, k2, y)), k4 = double_pendulum(axpy(h, k3, y));
    return axpy(h / 6, k1, axpy(h / 3, k2, axpy(h / 3, k3, axpy(h / 6, k4, y))));
}

TEST(a_double_pendulum_strikes_a_wall_when_an_integrator_of_its_own_says)
{
    event_run r = event_open("wall_pendulum");
    CHECK_OK(thud_state_reset(r.m, 0, r.s));
    event_go(&r, 0.01, 1.2);
    pair y = {0.6, 0.9, 0, 0};
    double t = 0;
    const double h = 1e-4;
    while (sin(y.a) + sin(y.b) - 0.05 + 0.5 > 0) {
        y = rk4(y, h);
        t += h;
    }
    for (int k = 0; k < 5; k++) { // Newton back to the wall
        const double gap = sin(y.a) + sin(y.b) - 0.05 + 0.5, speed = cos(y.a) * y.wa + cos(y.b) * y.wb;
        y = rk4(y, -gap / speed);
        t -= gap / speed;
    }
    const thud_event *hit = event_nth(&r, THUD_EVENT_IMPACT, 0);
    CHECK(hit != NULL);
    CHECK_NEAR(hit->time, t, 1e-8);
    CHECK_NEAR(hit->speed[0], cos(y.a) * y.wa + cos(y.b) * y.wb, 1e-7);
    CHECK_NEAR(hit->speed[1], -0.7 * hit->speed[0], 1e-8);
    CHECK_NEAR(hit->energy, 0.5 * hit->impulse[0] * (hit->speed[0] + hit->speed[1]),
               1e-8); // work at the mean speed
    event_close(&r);
}

// ------------------------------------------------------------------------------------------ Baraff's
// formulas

typedef struct solid { // a free box as Baraff has it: world frame
    mat3 R;
    vec3 x, v, w, a; // a: angular acceleration without forces
} solid;

static solid solid_of(const thud_state *s, int body, const double inertia[3])
{
    const double *q = s->qpos + 7 * body, *u = s->qvel + 6 * body;
    solid b = {.R = m3_of_quat((quat){q[3], q[4], q[5], q[6]}),
               .x = v3(q[0], q[1], q[2]),
               .v = v3(u[0], u[1], u[2])};
    const vec3 w = v3(u[3], u[4], u[5]), L = v3(inertia[0] * w.x, inertia[1] * w.y, inertia[2] * w.z),
               n = v3_cross(L, w);
    b.w = m3_mulv(&b.R, w);
    b.a = m3_mulv(&b.R, v3(n.x / inertia[0], n.y / inertia[1], n.z / inertia[2]));
    return b;
}

static vec3 velocity(const solid *b, vec3 p)
{
    return v3_add(b->v, v3_cross(b->w, v3_sub(p, b->x)));
}

static vec3 acceleration(const solid *b, vec3 p)
{
    const vec3 r = v3_sub(p, b->x);
    return v3_add(v3_cross(b->a, r), v3_cross(b->w, v3_cross(b->w, r)));
}

// b = n . (a_a - a_b) + 2 n' . (v_a - v_b) [BW eq 9-7 ff], and A = n . (1/m + (I^-1 (r x n)) x r) of both.
static double baraff_b(const solid *A, const solid *B, vec3 p, vec3 n, vec3 ndot)
{
    return v3_dot(n, v3_sub(acceleration(A, p), acceleration(B, p))) +
           2 * v3_dot(ndot, v3_sub(velocity(A, p), velocity(B, p)));
}

static double baraff_a(const solid *b, double mass, const double inertia[3], vec3 p, vec3 n)
{
    const vec3 r = v3_sub(p, b->x), t = m3_tmulv(&b->R, v3_cross(r, n));
    const vec3 turn = m3_mulv(&b->R, v3(t.x / inertia[0], t.y / inertia[1], t.z / inertia[2]));
    return 1 / mass + v3_dot(n, v3_cross(turn, r));
}

static const double lower_inertia[3] = {2 * 1.01 / 3, 2 * 1.01 / 3, 2 * 2.0 / 3}; // 1 x 1 x 0.1, 2 kg
static const double upper_inertia[3] = {0.02 / 3, 0.02 / 3, 0.02 / 3};            // a cube of half 0.1, 1 kg

static const char *two_boxes =
    "<mujoco><option gravity='0 0 0'/><worldbody><body name='lower'><freejoint/>"
    "<geom type='box' size='1 1 0.1' mass='2' condim='1'/></body><body name='upper'><freejoint/>"
    "<geom type='box' size='0.1 0.1 0.1' mass='1' condim='1'/></body></worldbody></mujoco>";

// Two boxes that touch at the origin along z, with random motions that keep touching: the assembled A and b
// are Baraff's. Returns whether the contact holds.
static bool compare_with_baraff(quat lower, vec3 lower_at, quat upper, vec3 upper_at, bool edges,
                                test_rng *rng)
{
    event_run r = event_open(two_boxes);
    double v[12];
    for (int i = 0; i < 12; i++) {
        v[i] = test_uniform(rng, -2, 2);
    }
    const double q[14] = {lower_at.x, lower_at.y, lower_at.z, lower.w, lower.x, lower.y, lower.z,
                          upper_at.x, upper_at.y, upper_at.z, upper.w, upper.x, upper.y, upper.z};
    CHECK_OK(thud_state_set(r.m, q, v, r.s));
    const vec3 o = v3(0, 0, 0), n = v3(0, 0, 1);
    solid B = solid_of(r.s, 0, lower_inertia), A = solid_of(r.s, 1, upper_inertia);
    v[8] -= v3_dot(n, v3_sub(velocity(&A, o), velocity(&B, o)));
    CHECK_OK(thud_state_set(r.m, q, v, r.s));
    A = solid_of(r.s, 1, upper_inertia);
    vec3 ndot = v3_cross(B.w, n); // vertex on a face
    if (edges) {                  // n = ea x eb / |.|, with ea = y and eb = x turning with their boxes
        const vec3 ea = v3(0, 1, 0), eb = v3(1, 0, 0);
        const vec3 d = v3_add(v3_cross(v3_cross(A.w, ea), eb), v3_cross(ea, v3_cross(B.w, eb)));
        ndot = v3_neg(v3_axpy(-v3_dot(d, n), n, d)); // y x x = -z
    }
    const double b = baraff_b(&A, &B, o, n, ndot);
    const double a = baraff_a(&A, 1, upper_inertia, o, n) + baraff_a(&B, 2, lower_inertia, o, n);
    event_go(&r, 2e-9, 2e-9);
    const bool holds = b < 0;
    const thud_rows *rows = thud_sim_rows(r.sim);
    CHECK_INT(thud_rows_islands(rows), holds ? 1 : 0);
    if (holds) {
        const thud_island island = thud_rows_island(rows, 0);
        CHECK_INT(island.rows, 1);
        CHECK_NEAR(island.W.a[0], a, 1e-6 * a);
        CHECK_NEAR(island.u_free[0], b, 1e-6 * (1 + fabs(b))); // the state is 2e-9 s on
        CHECK_NEAR(island.p[0], -b / a, 1e-6 * (1 + fabs(b / a)));
    }
    event_close(&r);
    return holds;
}

TEST(a_and_b_of_vertex_on_face_and_edge_on_edge_are_baraffs)
{
    test_rng rng = {11};
    int held = 0;
    const double quarter = 3.14159265358979323846 / 8, s = 1 / sqrt(2); // half of 45 degrees
    const vec3 down = v3_scale(1 / sqrt(3), v3(1, 1, 1));
    const vec3 axis = v3_normalize(v3_cross(down, v3(0, 0, -1)));
    const double half = 0.5 * acos(-down.z);
    const quat corner = {cos(half), sin(half) * axis.x, sin(half) * axis.y, sin(half) * axis.z};
    const quat about_x = {cos(quarter), sin(quarter), 0, 0}, about_y = {cos(quarter), 0, sin(quarter), 0};
    for (int k = 0; k < 20; k++) {
        held += compare_with_baraff((quat){1, 0, 0, 0}, v3(0, 0, -0.1), corner, v3(0, 0, 0.1 * sqrt(3)),
                                    false, &rng);
        // The lower box's edge along x, at y = 1, z = 0.1 of its frame, is turned to the top: that point goes
        // to 0.
        const vec3 top = v3(0, s - 0.1 * s, s + 0.1 * s);
        held += compare_with_baraff(about_x, v3_neg(top), about_y, v3(0, 0, 0.1 * sqrt(2)), true, &rng);
    }
    CHECK(held >= 10 && held <= 35);
}

TEST_MAIN(T(a_rough_tolerance_asks_for_no_rough_forces_between_events),
          T(a_sliding_block_stops_when_and_where_friction_says),
          T(a_billiard_ball_rolls_from_two_sevenths_on_in_every_direction),
          T(a_block_on_a_spring_sticks_where_friction_holds_it),
          T(a_ball_leaves_a_hump_at_the_angle_that_energy_says),
          T(the_falling_rod_lands_sticks_slides_and_slaps_down),
          T(a_rod_that_slides_into_painleves_paradox_is_stopped_by_an_impulse),
          T(a_rocking_block_loses_what_housner_says),
          T(a_double_pendulum_strikes_a_wall_when_an_integrator_of_its_own_says),
          T(a_and_b_of_vertex_on_face_and_edge_on_edge_are_baraffs))
