// SPDX-License-Identifier: Apache-2.0
// test_surface_friction.c: static and kinetic, viscous, Stribeck and anisotropic friction against their
// closed forms.
#include "world.h"

static const double g = 9.81;

// A box on the floor z = 0 under a gravity of the given slope along x, with these numbers in <custom>.
static world box_on(double slope, const char *custom)
{
    char text[2048];
    snprintf(
        text, sizeof text,
        "<mujoco><option timestep='0.001' gravity='%.17g 0 %.17g'/><default><geom friction='0.6'/></default>"
        "<worldbody><geom type='plane' size='0 0 1'/><body pos='0 0 0.02'><freejoint/>"
        "<geom type='box' size='0.1 0.1 0.02' mass='2'/></body></worldbody><custom>%s</custom></mujoco>",
        g * sin(slope), -g * cos(slope), custom);
    return world_text(text);
}

TEST(what_static_friction_holds_slides_on_once_it_slides)
{
    const double slope = atan(0.45);
    world w = box_on(slope, "<numeric name='thud:friction-kinetic' data='0.3'/>");
    world_begin(&w, -1);
    world_run(&w, 0.5);
    CHECK_BELOW(world_moved(&w, -1), 1e-9); // 0.45 is less than 0.6
    world_begin(&w, -1);
    w.s->qvel[0] = 0.1;
    world_run(&w, 0.5);
    CHECK_NEAR(w.s->qvel[0], 0.1 + 0.5 * g * (sin(slope) - 0.3 * cos(slope)), 1e-6); // 0.45 is more than 0.3
    world_end(&w);
}

TEST(viscous_friction_slows_exponentially)
{
    const double v0 = 3, mu = 0.6, c = 0.2, t = 0.3;
    world w = box_on(0, "<numeric name='thud:friction-viscous' data='0.2'/>");
    world_begin(&w, -1);
    w.s->qvel[0] = v0 * cos(0.7);
    w.s->qvel[1] = v0 * sin(0.7);
    world_run(&w, t);
    const double want = (v0 + mu / c) * exp(-g * c * t) - mu / c;
    CHECK_NEAR(hypot(w.s->qvel[0], w.s->qvel[1]), want,
               2 * w.o.h * g * c * g * (mu + c * v0) * t); // first order
    CHECK_NEAR(atan2(w.s->qvel[1], w.s->qvel[0]), 0.7, 1e-6);
    world_end(&w);
}

TEST(stribeck_friction_falls_with_the_speed)
{
    const double vs = 0.5, mu_s = 0.6, mu_k = 0.2, t = 0.2;
    world w = box_on(0, "<numeric name='thud:friction-kinetic' data='0.2'/>"
                        "<numeric name='thud:friction-stribeck' data='0.5'/>");
    for (int k = 0; k < 3; k++) {
        double v = 0.8 + k;
        world_begin(&w, -1);
        w.s->qvel[1] = v;
        world_run(&w, t);
        for (int i = 0; i < 20000; i++) { // v' = -g (mu_k + (mu_s - mu_k) exp(-(v/vs)^2)), finely
            v -= t / 20000 * g * (mu_k + (mu_s - mu_k) * exp(-v * v / (vs * vs)));
        }
        CHECK_NEAR(w.s->qvel[1], v,
                   0.01); // first order
    }
    world_end(&w);
}

TEST(anisotropic_friction_turns_with_its_body)
{
    const double mu[2] = {0.6, 0.2}, yaw = 0.5, v0 = 1, h = 1e-4;
    char text[1024];
    snprintf(text, sizeof text,
             "<mujoco><compiler angle='radian'/><option timestep='%g'/><worldbody>"
             "<geom name='floor' type='plane' size='0 0 1'/><body pos='0 0 0.02' euler='0 0 %g'><freejoint/>"
             "<geom name='ski' type='box' size='0.1 0.1 0.02' mass='2'/></body></worldbody>"
             "<contact><pair name='p' geom1='floor' geom2='ski' condim='3' friction='%g %g 0 0 0'/></contact>"
             "<custom><numeric name='thud:friction-axis:ski' data='1 0 0'/></custom></mujoco>",
             h, yaw, mu[0], mu[1]);
    world w = world_text(text);
    for (int k = 0; k < 8; k++) {
        const double a = k * M_PI / 4 + 0.2, u[2] = {v0 * cos(a), v0 * sin(a)}; // in the body's frame
        world_begin(&w, -1);
        w.s->qvel[0] = cos(yaw) * u[0] - sin(yaw) * u[1];
        w.s->qvel[1] = sin(yaw) * u[0] + cos(yaw) * u[1];
        const double v[2] = {w.s->qvel[0], w.s->qvel[1]};
        world_step(&w);
        const double ax = (w.s->qvel[0] - v[0]) / h, ay = (w.s->qvel[1] - v[1]) / h;
        const double size = hypot(mu[0] * u[0], mu[1] * u[1]);
        // the force that brakes most: -D^2 u / |D u|
        CHECK_NEAR(cos(yaw) * ax + sin(yaw) * ay, -g * mu[0] * mu[0] * u[0] / size, 5e-3);
        CHECK_NEAR(-sin(yaw) * ax + cos(yaw) * ay, -g * mu[1] * mu[1] * u[1] / size, 5e-3);
    }
    world_end(&w);
}

TEST_MAIN(T(what_static_friction_holds_slides_on_once_it_slides), T(viscous_friction_slows_exponentially),
          T(stribeck_friction_falls_with_the_speed), T(anisotropic_friction_turns_with_its_body))
