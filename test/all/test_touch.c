// SPDX-License-Identifier: Apache-2.0
// test_touch.c: what thud_island_touch says of contacts whose forces are known.
#include "test.h"
#include "world.h"

#include <thud/contact_touch.h>
#include <thud/spatial_inline.h>

// A box of 3 kg with its weight turned by `angle` (rad) towards x, friction 0.3, on a floor; steps of 2 ms.
static world box_on_slope(double angle)
{
    char text[1024];
    snprintf(text, sizeof text,
             "<mujoco><option timestep='0.002' gravity='%.17g 0 %.17g'/><worldbody>"
             "<geom name='floor' type='plane' size='0 0 1' friction='0.3'/><body pos='0 0 0.1'><freejoint/>"
             "<geom type='box' size='0.1 0.1 0.1' mass='3' friction='0.3'/></body></worldbody></mujoco>",
             9.81 * sin(angle), -9.81 * cos(angle));
    world w = world_text(text);
    world_begin(&w, -1);
    world_run(&w, 0.1);
    return w;
}

typedef struct sum {
    int touches, slides;
    vec3 impulse;
    double normal, friction, used;
} sum;

static sum add_up(const world *w)
{
    sum s = {0};
    const thud_rows *rows = thud_sim_rows(w->sim);
    for (int i = 0; i < thud_rows_islands(rows); i++) {
        const thud_island island = thud_rows_island(rows, i);
        for (int k = 0; k < island.blocks; k++) {
            thud_touch t;
            if (thud_island_touch(&island, k, &t)) {
                CHECK_INT(t.geom1, 0);
                CHECK_INT(t.geom2, 1);
                CHECK_INT(t.body2, 1);
                CHECK_NEAR(t.normal.z, 1, 1e-12);
                CHECK_NEAR(t.duration, 0.002, 1e-15);
                s.touches++;
                s.slides += t.slides;
                s.impulse = v3_add(s.impulse, t.impulse);
                s.normal += t.normal_impulse;
                s.friction += t.friction_impulse;
                s.used = fmax(s.used, t.used);
            }
        }
    }
    return s;
}

// tan 10 degrees = 0.18 < 0.3: it stands, and the impulses are those of its weight, against it.
TEST(contacts_of_a_box_that_stands_carry_its_weight_and_stick)
{
    const double angle = 0.17453292519943295, weight = 3 * 9.81 * 0.002;
    world w = box_on_slope(angle);
    const sum s = add_up(&w);
    CHECK_BELOW(1, s.touches);
    CHECK_INT(s.slides, 0);
    CHECK_NEAR(s.impulse.x, -weight * sin(angle),
               1e-7 * weight); // ten times the tolerance of the solver; seen: 1e-16
    CHECK_NEAR(s.impulse.y, 0, 1e-7 * weight);
    CHECK_NEAR(s.impulse.z, weight * cos(angle), 1e-7 * weight);
    CHECK_NEAR(s.normal, s.impulse.z, 1e-15);
    CHECK_BELOW(s.used, 1 - 1e-3);
    world_end(&w);
}

// tan 30 degrees = 0.58 > 0.3: it slides, each contact on its cone, and says so.
TEST(contacts_of_a_box_that_slides_are_on_their_cones)
{
    const double angle = 0.5235987755982988, weight = 3 * 9.81 * 0.002;
    world w = box_on_slope(angle);
    const sum s = add_up(&w);
    CHECK_INT(s.slides, s.touches);
    CHECK_NEAR(s.impulse.x, -0.3 * weight * cos(angle), 1e-7 * weight);
    CHECK_NEAR(s.friction, 0.3 * s.normal, 1e-6 * s.normal);
    CHECK_NEAR(s.used, 1, 1e-6);
    world_end(&w);
}

TEST_MAIN(T(contacts_of_a_box_that_stands_carry_its_weight_and_stick),
          T(contacts_of_a_box_that_slides_are_on_their_cones))
