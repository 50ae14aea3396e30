// SPDX-License-Identifier: Apache-2.0
// Overlaps at the start: what joints can part is parted, what they cannot stays where it is and is told once, by name.
#include "world.h"

static int count_kind(const world *w, thud_doubt_kind kind)
{
    int count, of_kind = 0;
    const thud_doubt *list = thud_sim_doubts(w->sim, &count);
    for (int i = 0; i < count; i++) {
        of_kind += list[i].kind == kind;
    }
    return of_kind;
}

static int count_wrong(const world *w)
{
    int count, wrong = 0;
    const thud_doubt *list = thud_sim_doubts(w->sim, &count);
    for (int i = 0; i < count; i++) {
        wrong += list[i].grade == THUD_DOUBT_WRONG;
    }
    return wrong;
}

// A wheel on a fixed axle: two cylinders around the same axis, 4 mm of the wheel inside the axle, 9 times the wheel's own width.
// No turn of the wheel parts them: it must turn on as if the axle were not there, and the pair is told once.
#define WHEEL                                                                                                \
    "<mujoco><option timestep='0.002' gravity='0 0 0'/><worldbody><geom name='axle' type='cylinder' "        \
    "size='.03 .2'/><body name='wheel' pos='0 0 .018' euler='0 0 17'><joint name='turn' axis='0 0 1'/>"      \
    "<geom name='rim' type='cylinder' size='.034 .02' mass='2'/></body></worldbody></mujoco>"

TEST(a_wheel_inside_its_axle_turns_on_and_the_pair_is_named_once)
{
    world w = world_text(WHEEL);
    world_begin(&w, -1);
    w.s->qvel[0] = 3;
    world_run(&w, 0.5);
    CHECK_NEAR(w.s->qvel[0], 3, 1e-12);
    CHECK_NEAR(w.s->qpos[0], 1.5, 1e-12);
    CHECK(count_kind(&w, THUD_DOUBT_CANNOT_PART) == 1 && count_wrong(&w) == 0);
    CHECK(w.worst.penetration > 0.01); // it is there, and said
    CHECK(w.c.contacts == 0 && w.c.projections == 0);
    int count;
    char place[200];
    const thud_doubt *told = thud_sim_doubts(w.sim, &count);
    thud_doubt_place(w.m, &told->where, place, sizeof place);
    CHECK(strcmp(place, "body 'world', body 'wheel', geom 'axle', geom 'rim'") == 0);
    CHECK(told->count == 250);
    world_end(&w);
}

// A slider with the same wheel on an axle that does not reach through it is pushed out along the slide, by what overlaps.
TEST(what_a_joint_can_part_is_parted)
{
    world w = world_text("<mujoco><option timestep='0.002' gravity='0 0 0'/><worldbody><geom name='post' "
                         "type='cylinder' size='.03 .2'/><body name='cap' pos='0 0 .217'><joint "
                         "type='slide' axis='0 0 1'/><geom name='lid' type='cylinder' size='.034 .02' "
                         "mass='2'/></body></worldbody></mujoco>");
    world_begin(&w, -1);
    CHECK_OK(world_try(&w, NULL));
    CHECK_NEAR(w.s->qpos[0], 0.003, 2e-9);
    CHECK(fabs(w.s->qvel[0]) < 1e-12 && w.c.penetration < 2e-9);
    int count;
    (void)thud_sim_doubts(w.sim, &count);
    CHECK(count == 0);
    world_end(&w);
}

// ---------------------------------------------------------------------------------------------- robots

static uint64_t seed;

static double draw(double low, double high)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

// An arm as manufacturers draw it: short links, whose capsules are thicker than the links are long, so that a link overlaps its
// grandparents; hinges along, across and oblique to them.
static void write_arm(char *out, size_t size)
{
    size_t at = (size_t)snprintf(out, size,
                                 "<mujoco><option timestep='0.002' gravity='0 0 0'/><worldbody><geom "
                                 "type='cylinder' size='.08 .05'/>");
    enum { LINKS = 7 };
    for (int k = 0; k < LINKS; k++) {
        const int axis = (int)draw(0, 3);
        const double length = draw(0.05, 0.12), radius = draw(0.03, 0.07);
        at += (size_t)snprintf(
            out + at, size - at,
            "<body pos='0 0 %.4f' euler='%.1f %.1f %.1f'><joint type='hinge' axis='%d %d %d' "
            "damping='.01'/><geom type='%s' size='%.4f %.4f' pos='0 0 %.4f' mass='1'/>",
            k == 0 ? 0.05 : length, draw(-25, 25), draw(-25, 25), draw(-90, 90), axis == 0, axis == 1,
            axis == 2, draw(0, 1) < 0.5 ? "capsule" : "cylinder", radius, 0.5 * length, 0.5 * length);
    }
    for (int k = 0; k < LINKS; k++) {
        at += (size_t)snprintf(out + at, size - at, "</body>");
    }
    (void)snprintf(out + at, size - at, "</worldbody></mujoco>");
}

// Whatever overlaps: no joint jumps, nothing gains energy, and no step asks for much work. Nothing acts on the arm, so that it may
// turn out of its overlaps, less and less.
TEST(arms_that_overlap_themselves_hold_their_pose)
{
    enum { ARMS = 60 };
    int stuck = 0;
    for (int k = 0; k < ARMS; k++) {
        char text[4096];
        seed = 1000 + (uint64_t)k;
        write_arm(text, sizeof text);
        world w = world_text(text);
        world_begin(&w, -1);
        for (int step = 0; step < 5; step++) { // one correction may bring the next into reach
            CHECK_OK(world_try(&w, NULL));
        }
        double most = 0, moved = 0, fastest = 0, first[7];
        memcpy(first, w.s->qpos, sizeof first);
        for (int step = 0; step < 20; step++) {
            CHECK_OK(world_try(&w, NULL));
        }
        for (int i = 0; i < w.m->nv; i++) {
            moved = thud_max(fabs(w.s->qpos[i] - first[i]), moved);
            most = thud_max(fabs(w.s->qpos[i]), most);
            fastest = thud_max(fabs(w.s->qvel[i]), fastest);
        }
        if (most > 5 || moved > M_PI / 2 || fastest > 1e-9) {
            fail_msg("arm %d: a joint moved by %g rad, then by %g rad, %g rad/s", k, most, moved, fastest);
        }
        CHECK(count_kind(&w, THUD_DOUBT_MOVED_TOO_FAR) == 0);
        CHECK(count_kind(&w, THUD_DOUBT_ENERGY_FROM_NOWHERE) == 0);
        stuck += count_kind(&w, THUD_DOUBT_CANNOT_PART) > 0;
        world_end(&w);
    }
    CHECK(stuck > ARMS / 10);
}

// An arm of two links of half a metre whose hand is welded to a target 3 m away: it stretches towards the target and stays there.
TEST(a_target_out_of_reach_is_reached_for_and_no_joint_jumps)
{
    world w = world_text(
        "<mujoco><option timestep='0.002' gravity='0 0 0'/><worldbody><body name='target' mocap='true' "
        "pos='3 0 "
        ".4'/><body name='upper'><joint axis='0 1 0' damping='1'/><geom type='capsule' fromto='0 0 0 .5 0 0' "
        "size='.03'/><body pos='.5 0 0'><joint axis='0 1 0' damping='1'/><geom type='capsule' fromto='0 0 0 "
        ".5 0 0' "
        "size='.03'/><body name='hand' pos='.5 0 0'><joint axis='0 1 0'/><geom type='sphere' "
        "size='.05'/></body>"
        "</body></body></worldbody><equality><weld body1='hand' body2='target' "
        "relpose='0 0 0 1 0 0 0'/></equality></mujoco>");
    world_begin(&w, -1);
    w.s->qpos[0] = 0.3;
    w.s->qpos[1] = 0.7;
    double last[3] = {0.3, 0.7, 0};
    for (int step = 0; step < 200; step++) {
        CHECK_OK(world_try(&w, NULL));
        for (int i = 0; i < 3; i++) {
            if (step > 3) { // where the first steps led, it stays
                CHECK(fabs(w.s->qpos[i] - last[i]) < 1e-2);
            }
            CHECK(fabs(w.s->qpos[i]) < 2 * M_PI);
            last[i] = w.s->qpos[i];
        }
    }
    CHECK(count_kind(&w, THUD_DOUBT_DRIFT) == 1); // it says that the loop is open
    world_end(&w);
}

TEST_MAIN(T(a_wheel_inside_its_axle_turns_on_and_the_pair_is_named_once), T(what_a_joint_can_part_is_parted),
          T(arms_that_overlap_themselves_hold_their_pose),
          T(a_target_out_of_reach_is_reached_for_and_no_joint_jumps))
