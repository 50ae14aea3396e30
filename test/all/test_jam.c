// SPDX-License-Identifier: Apache-2.0
// test_jam.c: contacts that could ask together for what no body can do.
#include "test.h"
#include "world.h"

// Tilted by a millionth about x, two of its corners touch and two are 0.2 um above the floor: no gap to speak of, so that all
// four carry a quarter of its 2 kg. To close the gaps first it would have to turn, on two corners that carry it alone.
TEST(a_box_less_than_a_micrometre_off_is_carried_by_all_its_corners)
{
    world w = world_text("<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='0 0 1'/>"
                         "<body pos='0 0 0.1000001' quat='1 5e-7 0 0'><freejoint/>"
                         "<geom type='box' size='0.1 0.1 0.1' mass='2'/></body></worldbody></mujoco>");
    const double quarter = 0.25 * 2 * 9.81 * 0.002;
    world_begin(&w, -1);
    world_step(&w);
    const thud_island island = thud_rows_island(thud_sim_rows(w.sim), 0);
    CHECK_INT(island.blocks, 4);
    for (int k = 0; k < island.blocks; k++) {
        CHECK_NEAR(island.p[island.block[k].row], quarter, 1e-5 * quarter); // ten times the tilt; seen: 4e-7
    }
    CHECK_BELOW(w.c.kinetic, 1e-20);
    world_end(&w);
}

// Islands of up to seventy rows, of contacts that come and go: their first round is only sketched, to 2e-5, and a step that
// ended so would have that residual.
TEST(steps_of_a_falling_pile_are_solved_though_their_first_round_is_a_sketch)
{
    world w = world_scene("pile100");
    int largest = 0;
    world_begin(&w, -1);
    while (w.s->time < 0.3) {
        world_step(&w);
        const thud_rows *rows = thud_sim_rows(w.sim);
        for (int i = 0; i < thud_rows_islands(rows); i++) {
            const int blocks = thud_rows_island(rows, i).blocks;
            largest = blocks > largest ? blocks : largest;
        }
    }
    CHECK_BELOW(15, largest);
    CHECK_BELOW(w.worst.cone_residual, 1e-8);
    CHECK_BELOW(w.worst.penetration, 1.1e-9);
    world_end(&w);
}

TEST_MAIN(T(a_box_less_than_a_micrometre_off_is_carried_by_all_its_corners),
          T(steps_of_a_falling_pile_are_solved_though_their_first_round_is_a_sketch))
