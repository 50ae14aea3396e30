// SPDX-License-Identifier: Apache-2.0
// test_complaints.c: what users of other engines complain about, with the right answers. Friction and rest;
// impacts are in test_impacts.c, joints in test_joints_hold.c.
#include "world.h"

static const double g = 9.81;

// ---------------------------------------------------------------------------------------------- slopes

static double creep_on_slope20(double tolerance, double time)
{
    world w = world_scene("slope20");
    w.o.law.tolerance = tolerance;
    world_begin(&w, -1);
    world_run(&w, time);
    CHECK_INT(w.c.contacts, 4);
    CHECK_BELOW(w.worst.penetration, fmax(1e-9, 0.1 * tolerance)); // as much is left alone
    const double moved = world_moved(&w, -1);
    world_end(&w);
    return moved;
}

TEST(a_box_on_a_slope_that_holds_it_does_not_creep)
{
    CHECK_BELOW(creep_on_slope20(thud_law_defaults().tolerance, 10), 1e-9); // asked 1e-7 m in 10 s
    CHECK_BELOW(creep_on_slope20(1e-4, 2), 1e-5);                           // and it falls with the tolerance
    CHECK_BELOW(creep_on_slope20(1e-12, 2), 1e-12);
}

// A box on the plane z = 0 under a gravity that stands for a slope, whose fall line has this heading to the
// box's axes.
static world tilted(double slope, double heading, double friction)
{
    char text[1024];
    snprintf(text, sizeof text,
             "<mujoco><option timestep='0.002' gravity='%.17g %.17g %.17g'/>"
             "<worldbody><geom type='plane' size='0 0 1' friction='%.17g'/>"
             "<body pos='0 0 0.1'><freejoint/><geom type='box' size='0.1 0.1 0.1' mass='1' "
             "friction='%.17g'/></body>"
             "</worldbody></mujoco>",
             g * sin(slope) * cos(heading), g * sin(slope) * sin(heading), -g * cos(slope), friction,
             friction);
    return world_text(text);
}

TEST(a_box_on_a_slope_too_steep_slides_as_fast_in_every_direction)
{
    const double slope = M_PI / 6, time = 0.4, want = g * (sin(slope) - 0.5 * cos(slope));
    for (int k = 0; k < 16; k++) {
        const double heading = k * M_PI / 8 + 0.1;
        world w = tilted(slope, heading, 0.5);
        world_begin(&w, -1);
        world_run(&w, time);
        const double along = cos(heading) * w.s->qvel[0] + sin(heading) * w.s->qvel[1];
        const double across = cos(heading) * w.s->qvel[1] - sin(heading) * w.s->qvel[0];
        CHECK_NEAR(along / time, want, 1e-6); // constant force: no error of the step
        CHECK_NEAR(across, 0, 1e-7);
        CHECK_NEAR(w.s->qpos[2], 0.1, 1e-8);
        CHECK_BELOW(thud_norm_inf(3, w.s->qvel + 3), 1e-6);
        world_end(&w);
    }
}

TEST(friction_is_decided_at_its_angle)
{
    for (int k = 0; k < 5; k++) { // a thousandth of the coefficient on either side of the slope's
        const double slope = 0.1 + 0.15 * k, mu = tan(slope);
        for (int side = -1; side <= 1; side += 2) {
            world w = tilted(slope, 0.3 * k, mu * (1 + 1e-3 * side));
            world_begin(&w, -1);
            world_run(&w, 0.2);
            const double speed = hypot(w.s->qvel[0], w.s->qvel[1]);
            CHECK_NEAR(speed, side > 0 ? 0 : 0.2 * 1e-3 * g * sin(slope), 1e-7);
            world_end(&w);
        }
    }
}

// ---------------------------------------------------------------------------------------------- sliding

TEST(a_flat_box_at_5_m_s_stops_where_it_should_and_never_lifts)
{
    world w = world_scene("slide");
    world_begin(&w, 0);
    double lift = 0;
    while (w.s->time < 1.2) {
        world_step(&w);
        lift = fmax(lift, fabs(w.s->qpos[2] - w.m->key_qpos[2]));
    }
    CHECK_BELOW(lift, 1e-8);
    const double stop = 25 / (2 * 0.5 * g);
    CHECK_NEAR(stop, 2.548420, 5e-7);
    CHECK_NEAR(w.s->qpos[0] - w.m->key_qpos[0], stop,
               5e-3 * 0.5 * 0.002); // the last step, part of which it slides
    CHECK_BELOW(thud_norm_inf(6, w.s->qvel), 1e-9);
    world_end(&w);
}

static double push(thud_law law, int directions, int key, double *sideways)
{
    world w = world_scene("push");
    w.o.law.law = law;
    w.o.law.directions = directions;
    world_begin(&w, key);
    world_run(&w, 0.5);
    const double *v = w.m->key_qvel + 6 * (size_t)key, x = w.s->qpos[0], y = w.s->qpos[1];
    *sideways = fabs(v[0] * y - v[1] * x) / hypot(v[0], v[1]);
    world_end(&w);
    return hypot(x, y);
}

TEST(a_pushed_block_goes_as_far_in_every_direction)
{
    const double want = 4 / (2 * 0.5 * g);
    double least = INFINITY, most = 0, sideways;
    for (int key = 0; key < 24; key++) {
        const double far = push(THUD_LAW_CONE, 8, key, &sideways);
        least = fmin(least, far);
        most = fmax(most, far);
        CHECK_BELOW(sideways, 1e-6);
    }
    CHECK_NEAR(least, want, 1e-5); // (h mu g)^2 / 8 mu g = 2.5e-6 of the last step
    CHECK_BELOW(most - least, 1e-6);
}

TEST(a_pyramid_of_four_shows_its_axes_where_the_cone_does_not)
{
    double sideways, along = push(THUD_LAW_ANITESCU_POTRA, 4, 0, &sideways);
    CHECK_NEAR(along, 4 / (2 * 0.5 * g), 2e-3); // on an axis: right, to first order
    const double between = push(THUD_LAW_ANITESCU_POTRA, 4, 3, &sideways);
    CHECK(between > 1.2 * along); // at 45 degrees only cos 45 of the friction acts
    const double finer = push(THUD_LAW_ANITESCU_POTRA, 16, 3, &sideways);
    CHECK_NEAR(finer, along, 0.03 * along);
}

TEST(a_billiard_ball_rolls_when_and_as_fast_as_it_should_in_every_direction)
{
    const double v = 2, mu = 0.2, r = 0.0285, roll = 2 * v / (7 * mu * g);
    for (int key = 0; key < 4; key++) {
        world w = world_scene("billiard");
        world_begin(&w, key);
        double last_slip = 0;
        while (w.s->time < 0.4) {
            world_step(&w);
            // the ball has turned: its angular velocity is in its own frame
            const double *q = w.s->qpos + 3, *u = w.s->qvel;
            const vec3 omega = q_rotate((quat){q[0], q[1], q[2], q[3]}, v3(u[3], u[4], u[5]));
            const double slip = hypot(u[0] - omega.y * r, u[1] + omega.x * r);
            const double want = fmax(v - 3.5 * mu * g * w.s->time, 0);
            CHECK_NEAR(slip, want, w.s->time < roll - w.o.h || w.s->time > roll + w.o.h ? 1e-7 : 0.01);
            last_slip = slip > 1e-7 ? w.s->time : last_slip;
        }
        CHECK_NEAR(last_slip, roll, w.o.h);
        CHECK_NEAR(hypot(w.s->qvel[0], w.s->qvel[1]), 5.0 / 7 * v, 1e-8); // angular momentum about the cloth
        CHECK_NEAR(atan2(w.s->qvel[1], w.s->qvel[0]), key * M_PI / 12, 1e-8);
        world_end(&w);
    }
}

// ---------------------------------------------------------------------------------------------- rest

static void stays(const char *scene, double h, double time, double moved, double deep)
{
    world w = world_scene(scene);
    w.o.h = h > 0 ? h : w.o.h;
    const int key = w.m->keys > 0 && thud_norm_inf(w.m->nv, w.m->key_qvel) == 0 ? 0 : -1;
    world_begin(&w, key);
    world_run(&w, time);
    if (!(world_moved(&w, key) <= moved) || !(w.worst.penetration <= deep)) {
        fail_msg("%s, h %g: moved by %g m in %g s, sank by %g m", scene, w.o.h, world_moved(&w, key), time,
                 w.worst.penetration);
    }
    CHECK(w.highest <= w.E0 + 1e-9 * (1 + fabs(w.E0)));
    world_end(&w);
}

TEST(what_is_pinched_does_not_creep)
{
    stays("pinch", 0, 2, 1e-9, 1e-9); // others: 155 um/s
}

TEST(heavy_things_stand_on_light_ones)
{
    static const double steps[] = {1.0 / 60, 0.005};
    for (int i = 0; i < 2; i++) {
        stays("heavy_on_light", steps[i], 2, 1e-6, 1e-9); // asked 0.1 mm
        stays("heavy_on_stack4", steps[i], 2, 1e-6, 1e-9);
        stays("heavy_on_stack9", steps[i], i ? 0.5 : 2, 1e-6, 1e-9);
    }
    stays("mass_ratio", 0, 1, 1e-6, 1e-9);
}

TEST(twenty_boxes_stand_for_ten_seconds_at_a_sixtieth)
{
    stays("stack20", 1.0 / 60, 10, 1e-6, 1e-9); // asked 1 mm
}

TEST(a_house_of_cards_and_an_arch_stand)
{
    stays("card_house", 0, 0.5, 1e-6, 1e-9);
    stays("arch", 0, 0.5, 1e-6, 1e-9);
}

TEST(four_legs_share_the_load_by_equal_compliance)
{
    world w = world_scene("table");
    world_begin(&w, -1);
    world_run(&w, 0.02);
    thud_rows *rows = thud_sim_rows(w.sim);
    CHECK_INT(thud_rows_islands(rows), 1);
    CHECK_OK(thud_rows_fill(rows, 0, NULL));
    const thud_island island = thud_rows_island(rows, 0);
    CHECK_INT(island.blocks, 4);
    // The least sum of p_n^2 among those with the right force and moments: p_n linear in the place of the
    // leg.
    const double weight = g * w.m->total_mass;
    double force[4], sum = 0, x = 0, y = 0, N[4][4] = {{0}};
    vec3 at[4];
    for (int k = 0; k < 4; k++) {
        force[k] = island.p[island.block[k].row] / island.h;
        at[k] = island.block[k].point;
        sum += force[k];
        x += force[k] * at[k].x;
        y += force[k] * at[k].y;
    }
    CHECK_NEAR(sum, weight, 1e-9 * weight);
    for (int k = 0; k < 4;
         k++) { // normal equations of the multipliers: [1 x y]^T [1 x y], right side (sum, x, y)
        const double row[3] = {1, at[k].x, at[k].y};
        for (int e = 0; e < 9; e++) {
            N[e / 3][e % 3] += row[e / 3] * row[e % 3];
        }
    }
    const double right[3] = {sum, x, y};
    double A[9], c[3];
    int pivot[3];
    for (int e = 0; e < 9; e++) {
        A[e % 3 + 3 * (e / 3)] = N[e % 3][e / 3];
        c[e % 3] = right[e % 3];
    }
    CHECK_INT(thud_lu_factor((thud_mat){3, 3, 3, A}, pivot), -1);
    thud_lu_solve((thud_mat){3, 3, 3, A}, pivot, c);
    for (int k = 0; k < 4; k++) {
        CHECK_NEAR(force[k], c[0] + c[1] * at[k].x + c[2] * at[k].y, 1e-6); // N
    }
    thud_arena *arena;
    CHECK_OK(thud_arena_create(1 << 20, &arena));
    const thud_cone cone = {.rows = island.rows,
                            .blocks = island.blocks,
                            .block = island.cone,
                            .W = island.W,
                            .b = island.u_free};
    CHECK_INT(thud_cone_rank(&cone, arena), 6); // a rigid body has no more
    thud_arena_destroy(arena);
    world_end(&w);
}

TEST_MAIN(T(a_box_on_a_slope_that_holds_it_does_not_creep),
          T(a_box_on_a_slope_too_steep_slides_as_fast_in_every_direction),
          T(friction_is_decided_at_its_angle), T(a_flat_box_at_5_m_s_stops_where_it_should_and_never_lifts),
          T(a_pushed_block_goes_as_far_in_every_direction),
          T(a_pyramid_of_four_shows_its_axes_where_the_cone_does_not),
          T(a_billiard_ball_rolls_when_and_as_fast_as_it_should_in_every_direction),
          T(what_is_pinched_does_not_creep), T(heavy_things_stand_on_light_ones),
          T(twenty_boxes_stand_for_ten_seconds_at_a_sixtieth), T(a_house_of_cards_and_an_arch_stand),
          T(four_legs_share_the_load_by_equal_compliance))
