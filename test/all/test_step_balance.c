// SPDX-License-Identifier: Apache-2.0
// test_step_balance.c: the certificate's energies add up to what physics says, and chains that meet walls
// never gain.
#include "world.h"

static const double g = 9.81;

TEST(sliding_friction_takes_mu_m_g_times_the_way)
{
    world w = world_scene("slide");
    world_begin(&w, 0);
    double taken = 0, left = 0;
    while (w.s->time < 0.5) {
        world_step(&w);
        taken += w.c.contact_work;
        left += fabs(w.c.energy_error);
    }
    const double way = w.s->qpos[0] - w.m->key_qpos[0], m = w.m->total_mass;
    CHECK_NEAR(taken, -0.5 * m * g * way, 1e-7 * m * g * way);
    CHECK_BELOW(left, 1e-7);
    world_end(&w);
}

TEST(a_billiard_ball_loses_two_sevenths_of_its_energy)
{
    world w = world_scene("billiard");
    world_begin(&w, 0);
    double taken = 0, left = 0;
    while (w.s->time < 0.4) {
        world_step(&w);
        taken += w.c.contact_work;
        left += fabs(w.c.energy_error);
    }
    CHECK_NEAR(taken, -2.0 / 7 * 0.5 * 0.17 * 4, 1e-8);
    CHECK_BELOW(left, 1e-8);
    world_end(&w);
}

TEST(work_of_forces_and_dampers_is_booked)
{
    world w = world_text("<mujoco><option timestep='0.001' gravity='0 0 0'/><worldbody><body>"
                         "<joint type='slide' axis='1 0 0' damping='2'/><inertial pos='0 0 0' mass='3' "
                         "diaginertia='1 1 1'/></body></worldbody></mujoco>");
    world_begin(&w, -1);
    const double tau = 4;
    double work = 0, want = 0;
    for (int i = 0; i < 500; i++) {
        const double v = w.s->qvel[0];
        CHECK_OK(world_try(&w, &tau));
        const double mean = 0.5 * (v + w.s->qvel[0]);
        work += w.c.work;
        want += w.o.h * mean * (tau - 2 * mean);
        CHECK_NEAR(w.c.energy_error, 0, 1e-9);
    }
    CHECK_NEAR(work, want, 1e-12);
    CHECK_NEAR(w.s->qvel[0], 2 * (1 - exp(-2.0 / 3 * 0.5)), 1e-6);
    world_end(&w);
}

TEST(what_a_projection_costs_is_booked)
{
    world w =
        world_text("<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='0 0 1'/>"
                   "<body pos='0 0 0.05'><freejoint/><geom type='box' size='0.1 0.1 0.1' mass='2'/></body>"
                   "</worldbody></mujoco>");
    world_begin(&w, -1);
    world_step(&w);
    CHECK_NEAR(w.c.projected, 2 * g * 0.05, 1e-6); // lifted by 5 cm
    CHECK_NEAR(w.c.energy_error, 0, 1e-6);
    CHECK(w.c.projections >= 1);
    world_end(&w);
}

// Energy of a chain with contact: never above the start by more than `gain` of the energy above its lowest.
static void chain(const char *scene, double time, double gain)
{
    world w = world_scene(scene);
    world_begin(&w, w.m->keys > 0 ? 0 : -1);
    world_run(&w, time);
    if (!(w.highest - w.E0 <= gain * fabs(w.E0))) {
        fail_msg("%s: gained %g of %g J", scene, w.highest - w.E0, w.E0);
    }
    CHECK_BELOW(w.worst.penetration, 1e-8);
    CHECK_BELOW(w.worst.momentum, 1e-7);
    CHECK_INT(w.worst.unconverged, 0);
    CHECK(w.lowest < w.E0); // it met something and lost
    world_end(&w);
}

TEST(chains_that_meet_walls_and_floors_never_gain)
{
    chain("pendulum3", 5, 1e-6);
    chain("pendulum30", 5, 1e-6);
    chain("pendulum30_low", 5, 1e-6);
    chain("pendulum100_low", 1.5, 1e-6); // asked 1 %
}

TEST(nothing_that_falls_in_a_heap_gains)
{
    static const char *const scenes[] = {"humanoid", "dominoes", "balls", "rod", "box", "gripper"};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        world w = world_scene(scenes[i]);
        w.o.law.law = THUD_LAW_CONE;
        world_begin(&w, w.m->keys > 0 ? 0 : -1);
        world_run(&w, 0.8);
        if (!(w.highest - w.E0 <= 1e-4 * fabs(w.E0)) || !(w.worst.penetration <= 1e-7) ||
            !(w.worst.momentum <= 1e-6)) {
            fail_msg("%s: gained %g of %g J, sank %g m, momentum %g", scenes[i], w.highest - w.E0, w.E0,
                     w.worst.penetration, w.worst.momentum);
        }
        world_end(&w);
    }
}

TEST_MAIN(T(sliding_friction_takes_mu_m_g_times_the_way), T(a_billiard_ball_loses_two_sevenths_of_its_energy),
          T(work_of_forces_and_dampers_is_booked), T(what_a_projection_costs_is_booked),
          T(chains_that_meet_walls_and_floors_never_gain), T(nothing_that_falls_in_a_heap_gains))
