// SPDX-License-Identifier: Apache-2.0
// Robots held by servos: the floor carries what they weigh, nothing creeps, and servos' work is in the balance of energy.
#include "world.h"

// Two legs of two links under a trunk on a rail, bent, each foot with friction of every kind; 20 kg in all.
static world make_legs(const char *floor, double step)
{
    static char text[4096];
    static const char leg[] =
        "<body pos='0 %s 0' euler='0 40 0'><joint name='hip%d' axis='0 1 0'/><geom type='capsule' fromto='0 "
        "0 0 0 0 "
        "-.3' size='.04' mass='3'/><body pos='0 0 -.3' euler='0 -80 0'><joint name='knee%d' axis='0 1 0'/>"
        "<geom type='capsule' fromto='0 0 0 0 0 -.3' size='.03' mass='2'/><geom name='foot%d' type='sphere' "
        "pos='0 0 -.3' "
        "size='.03' condim='6' friction='1 .02 .01' contype='1' conaffinity='1' mass='.5'/></body></body>";
    char left[1024], right[1024];
    snprintf(left, sizeof left, leg, ".1", 0, 0, 0);
    snprintf(right, sizeof right, leg, "-.1", 1, 1, 1);
    snprintf(text, sizeof text,
             "<mujoco><option timestep='%g'/><default><geom contype='0' conaffinity='0'/><joint damping='.5' "
             "armature='.01'/><general biastype='affine' gainprm='400' biasprm='0 -400 "
             "-8'/></default><worldbody>%s"
             "<body pos='0 0 .48962666587'><joint type='slide' axis='0 0 1'/><geom type='box' size='.2 .1 "
             ".05' mass='9'/>"
             "%s%s</body></worldbody><actuator><general joint='hip0'/><general joint='knee0'/><general "
             "joint='hip1'/>"
             "<general joint='knee1'/></actuator></mujoco>",
             step, floor, left, right);
    return world_text(text);
}

TEST(the_floor_carries_what_a_robot_weighs_and_nothing_creeps)
{
    static const double steps[] = {0.001, 0.002, 0.005};
    for (int i = 0; i < 3; i++) {
        world w = make_legs("<geom type='plane' size='0 0 1' contype='1' conaffinity='1'/>", steps[i]);
        world_begin(&w, -1);
        world_run(&w, 3);
        const double weight = w.m->total_mass * 9.81;
        double z = w.s->qpos[0];
        CHECK_NEAR(-thud_sim_contact_force(w.sim, 0, (thud_vec3){0}).lin.z / weight, 1,
                   5e-9); // 1e-9: what a step accepts of the last
                          // one's impulses
        world_run(&w, 6);
        CHECK_NEAR(w.s->qpos[0], z, 1e-11); // measured 4e-16; 1e-9 where a solve leaves its compliance in p
        CHECK_BELOW(w.c.cone_residual, 1.1e-10); // what a step accepts of the last one's impulses
        CHECK_BELOW(w.worst.momentum, 1e-12);
        world_end(&w);
    }
}

// The servos are told to go elsewhere at once, which no step resolves; the books are right all the same.
TEST(what_servos_do_is_in_the_balance_of_energy)
{
    world w = make_legs("", 0.002);
    world_begin(&w, -1);
    const double ctrl[] = {0.6, -0.9, -0.2, 0.4};
    CHECK_OK(thud_state_control(w.s, ctrl, NULL));
    double work = 0, left = 0;
    for (int k = 0; k < 500; k++) {
        world_step(&w);
        work += fabs(w.c.work);
        left += fabs(w.c.energy_error);
    }
    CHECK(work > 10);
    CHECK_BELOW(left / work, 1e-3); // measured 3e-4; 3e-3 by the forces at the mean of a step
    world_end(&w);
}

// Steps of Newton's method that a cube takes which spins and slides, beside another that stands or alone.
static int iterations_of(bool beside)
{
    char text[1024];
    snprintf(text, sizeof text,
             "<mujoco><option timestep='.002'/><default><geom friction='.3'/></default><worldbody><geom "
             "type='plane' size='0 0 1'/><body pos='5 0 "
             ".1'><freejoint/><geom type='box' size='.1 .1 .1' friction='.3' "
             "mass='1'/></body>%s</worldbody></mujoco>",
             beside ? "<body pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body>"
                    : "");
    world w = world_text(text);
    world_begin(&w, -1);
    int sum = 0;
    w.s->qvel[0] = 1.5;
    w.s->qvel[5] = 8;
    for (int k = 0; k < 150; k++) {
        world_step(&w);
        sum += k < 10 ? 0 : w.c.iterations;
    }
    CHECK(thud_norm_inf(6, w.s->qvel) > 0.1); // it still moves
    world_end(&w);
    return sum;
}

TEST(what_stands_beside_what_moves_keeps_its_impulses)
{
    const int alone = iterations_of(false);
    CHECK(alone > 100);
    CHECK_INT(iterations_of(true), alone);
}

static void check_rests(thud_integrator integrator)
{
    static const char *const scenes[] = {"stack10", "slope20", "card_house"};
    for (int k = 0; k < 3; k++) {
        world w = world_scene(scenes[k]);
        w.o.integrator = integrator;
        world_begin(&w, w.m->keys > 0 ? 0 : -1);
        world_run(&w, 0.5);
        double *q = malloc((size_t)w.m->nq * sizeof *q);
        memcpy(q, w.s->qpos, (size_t)w.m->nq * sizeof *q);
        for (int i = 0; i < w.m->nv; i++) {
            CHECK_NEAR(w.s->qvel[i], 0, 0);
        }
        world_run(&w, 1);
        CHECK(memcmp(q, w.s->qpos, (size_t)w.m->nq * sizeof *q) == 0);
        CHECK_BELOW(w.c.cone_residual, 1e-8);
        free(q);
        world_end(&w);
    }
}

TEST(what_rests_comes_to_rest_and_does_not_move_by_a_bit)
{
    check_rests(THUD_INTEGRATOR_MIDPOINT);
    check_rests(THUD_INTEGRATOR_EULER);
}

// A kilogram on a floor without friction, pushed with a hundred-millionth of its weight for a second.
TEST(what_is_pushed_ever_so_little_moves)
{
    world w = world_text(
        "<mujoco><worldbody><geom type='plane' size='0 0 1' condim='1'/><body pos='0 0 .1'>"
        "<freejoint/><geom type='box' size='.1 .1 .1' mass='1' condim='1'/></body></worldbody></mujoco>");
    const double force[6] = {9.81e-8};
    world_begin(&w, -1);
    while (w.s->time < 1) {
        CHECK_OK(world_try(&w, force));
    }
    CHECK_NEAR(w.s->qvel[0], 9.81e-8 * w.s->time, 1e-3 * 9.81e-8);
    world_end(&w);
}

TEST_MAIN(T(what_rests_comes_to_rest_and_does_not_move_by_a_bit), T(what_is_pushed_ever_so_little_moves),
          T(the_floor_carries_what_a_robot_weighs_and_nothing_creeps),
          T(what_servos_do_is_in_the_balance_of_energy), T(what_stands_beside_what_moves_keeps_its_impulses))
