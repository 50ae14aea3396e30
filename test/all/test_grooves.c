// SPDX-License-Identifier: Apache-2.0
// A spinning ball in a groove of two planes: half a step ahead there may be no impulses that hold it. It goes on all the same.
#include <stdlib.h>

#include "world.h"

static uint64_t seed;

static double draw(double low, double high)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

// Walls 20 to 45 degrees off the vertical, friction 0.7 to 1.2, thrown and spun; 1 s.
TEST(a_ball_in_a_groove_goes_on)
{
    const int balls = getenv("THUD_THOROUGH") ? 1000 : 200;
    static const double steps[] = {0.002, 0.005, 0.008};
    int by_euler = 0;
    for (int k = 0; k < balls; k++) {
        char text[700];
        seed = 31000 + (uint64_t)k;
        const double slope = draw(0.35, 0.79), mu = draw(0.7, 1.2), x = cos(slope), z = sin(slope);
        snprintf(
            text, sizeof text,
            "<mujoco><worldbody><geom type='plane' size='5 5 1' zaxis='%g 0 %g' friction='%g'/>"
            "<geom type='plane' size='5 5 1' zaxis='%g 0 %g' friction='%g'/><body pos='%g 0 %g'><freejoint/>"
            "<geom type='sphere' size='.08' friction='%g'/></body></worldbody></mujoco>",
            x, z, mu, -x, z, mu, draw(-0.05, 0.05), draw(0.25, 0.6), mu);
        world w = world_text(text);
        w.o.h = steps[k % 3];
        world_begin(&w, -1);
        for (int i = 0; i < 6; i++) {
            w.s->qvel[i] = i < 3 ? draw(-3, 3) : draw(-45, 45);
        }
        while (w.s->time < 1) {
            const thud_status status = world_try(&w, NULL);
            if (status != THUD_OK) {
                fail_msg("ball %d stops at %g s (%d): %s", k, w.s->time, (int)status, text);
            }
        }
        int count;
        const thud_doubt *list = thud_sim_doubts(w.sim, &count);
        for (int i = 0; i < count; i++) {
            by_euler += list[i].kind == THUD_DOUBT_EULER_STEP;
            CHECK(list[i].grade != THUD_DOUBT_WRONG);
        }
        world_end(&w);
    }
    CHECK(by_euler > 0); // otherwise these balls are no test
}

TEST_MAIN(T(a_ball_in_a_groove_goes_on))
