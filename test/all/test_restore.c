// SPDX-License-Identifier: Apache-2.0
// test_restore.c: a run gives the same bits again, and goes on with the same bits from a state that was saved
// between any two of its steps, in the middle of a collision too.
#include "world.h"

enum { STEPS = 40 };

static void copy_through_a_blob(const world *w, thud_state *to)
{
    const size_t bytes = thud_state_bytes(w->s);
    void *blob = malloc(bytes);
    thud_diag diag = {.text = ""};
    thud_state_save(w->s, blob);
    if (thud_state_load(w->m, blob, bytes, to, &diag) != THUD_OK) {
        fail_msg("%s", diag.text);
    }
    free(blob);
}

// Steps once more from what was saved, in a sim that knows nothing else; every other time without a certificate.
static void check_next(world *w, const thud_state *saved, const char *what, int step)
{
    thud_sim *own = w->sim;
    thud_state *now = w->s;
    world fresh = *w;
    fresh.sim = NULL;
    CHECK_OK(thud_state_create(w->m, &fresh.s));
    CHECK_OK(thud_sim_create(w->m, &w->o, &fresh.sim, NULL));
    copy_through_a_blob(&(world){.m = w->m, .s = (thud_state *)saved}, fresh.s);
    CHECK(thud_state_hash(saved) == thud_state_hash(fresh.s));
    CHECK_OK(step % 2 == 0 ? world_try(&fresh, NULL) : thud_sim_step(fresh.sim, NULL, fresh.s, NULL));
    if (thud_state_hash(fresh.s) != thud_state_hash(now)) {
        fail_msg("%s: step %d from a saved state gives other bits", what, step);
    }
    thud_sim_destroy(fresh.sim);
    thud_state_destroy(fresh.s);
    w->sim = own;
}

static void restores_by(thud_integrator integrator, const char *scene, thud_law law, double from)
{
    world w = world_scene(scene);
    thud_state *before;
    uint64_t first = 0;
    w.o.law.law = law;
    w.o.integrator = integrator;
    CHECK_OK(thud_state_create(w.m, &before));
    for (int run = 0; run < 2; run++) {
        int impacts = 0;
        world_begin(&w, w.m->keys > 0 ? 0 : -1);
        world_run(&w, from);
        for (int k = 0; k < STEPS; k++) {
            CHECK_OK(thud_state_copy(w.s, before));
            world_step(&w);
            impacts += w.c.impacts;
            if (run == 0) {
                check_next(&w, before, scene, k);
            }
        }
        CHECK(run == 0 || thud_state_hash(w.s) == first);
        first = thud_state_hash(w.s);
        CHECK(impacts > 0 || w.o.restitution >= 0 || strcmp(scene, "bounce") != 0); // it was in mid-collision
    }
    thud_state_destroy(before);
    world_end(&w);
}

static void restores(const char *scene, thud_law law, double from)
{
    restores_by(THUD_INTEGRATOR_MIDPOINT, scene, law, from);
}

TEST(restored_in_mid_impact_it_goes_on_with_the_same_bits)
{
    restores("bounce", THUD_LAW_CONE, 0.42); // meets the floor at 0.4515 s
    restores("cradle", THUD_LAW_CONE, 0.43); // a row of collisions
    restores("billiards_break", THUD_LAW_CONE, 0.05);
    restores("pendulum30_low", THUD_LAW_CONE, 0.8);
    restores("rod", THUD_LAW_CONE, 0.37);
}

// A sim that has flown far from everything does not look around in every step, a fresh one does.
TEST(what_has_flown_lands_with_the_same_bits)
{
    for (double from = 0.9; from < 1.05; from += 0.04) {
        restores("pendulum3_low", THUD_LAW_CONE, from); // its wall comes near at 1 s
    }
    restores("rod", THUD_LAW_CONE, 0.34);
}

// Two links that whip about over a floor and a rod thrown spinning; a mocap body anywhere has everything looked at in every step.
static world throw(thud_integrator integrator, bool watched)
{
    char text[2048];
    snprintf(
        text, sizeof text,
        "<mujoco><option timestep='.004'/><worldbody><geom type='plane' size='0 0 1'/>%s"
        "<body pos='0 0 1.3'><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .6 0 0' size='.03' "
        "mass='1'/>"
        "<body pos='.6 0 0'><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .8 0 0' size='.03' "
        "mass='1'/>"
        "</body></body><body pos='0 3 2'><freejoint/><geom type='capsule' fromto='-.5 0 0 .5 0 0' size='.02' "
        "mass='1'/></body></worldbody></mujoco>",
        watched ? "<body mocap='true' pos='100 0 0'/>" : "");
    world w = world_text(text);
    w.o.integrator = integrator;
    world_begin(&w, -1);
    w.s->qvel[1] = 8;
    w.s->qvel[2] = 3;
    w.s->qvel[6] = 25;
    return w;
}

TEST(what_flies_lands_as_if_it_was_looked_at_all_the_way)
{
    static const thud_integrator integrators[] = {THUD_INTEGRATOR_MIDPOINT, THUD_INTEGRATOR_EULER};
    for (int k = 0; k < 2; k++) {
        world w = throw(integrators[k], false), seen = throw(integrators[k], true);
        int contacts = 0;
        for (int i = 0; i < 500; i++) {
            world_step(&w);
            world_step(&seen);
            contacts += w.c.contacts > 0;
            if (memcmp(w.s->qpos, seen.s->qpos, (size_t)w.m->nq * sizeof(double)) != 0) {
                fail_msg("step %d differs", i);
            }
        }
        CHECK(contacts > 50 && contacts < 450);
        CHECK_BELOW(w.worst.penetration, 2e-9);
        world_end(&w);
        world_end(&seen);
    }
}

TEST(eulers_step_goes_on_with_the_same_bits)
{
    static const struct {
        const char *scene;
        double from;
    } runs[] = {{"pendulum3_low", 0.94}, {"rod", 0.34},      {"rod", 0.55}, {"bounce", 0.42}, {"box", 0.05},
                {"stack10", 0.01},       {"humanoid", 0.35}, {"trot", 0.2}, {"fourbar", 0.1}};
    for (size_t k = 0; k < sizeof runs / sizeof runs[0]; k++) {
        restores_by(THUD_INTEGRATOR_EULER, runs[k].scene, THUD_LAW_CONE, runs[k].from);
    }
}

TEST(every_law_goes_on_with_the_same_bits)
{
    for (int law = 0; law < THUD_LAWS; law++) {
        restores("balls", (thud_law)law, 0.1);
        restores("box", (thud_law)law, 0.05);
        restores("slope30", (thud_law)law, 0.01);
        restores("gripper", (thud_law)law, 0.01);
        restores("humanoid", (thud_law)law, 0.35);
    }
}

TEST(what_rests_goes_on_with_the_same_bits)
{
    restores("stack10", THUD_LAW_CONE, 0.01);
    restores("card_house", THUD_LAW_CONE, 0.01);
    restores("fourbar", THUD_LAW_CONE, 0.1);
    restores("gears", THUD_LAW_CONE, 0.1);
}

TEST(what_a_sim_did_before_does_not_show)
{
    // A damped piston: in the air first, then put on the floor with a speed, so that the next step begins
    // with an impact.
    world w = world_text("<mujoco><option timestep='0.01'/><worldbody><geom type='plane' size='0 0 1'/>"
                         "<body pos='0 0 0.6'><joint type='slide' axis='0 0 1' damping='30'/>"
                         "<geom type='sphere' size='0.1' mass='1'/></body></worldbody></mujoco>");
    const double q = -0.5, v = -1;
    uint64_t hash[2];
    w.o.restitution = 0.8;
    for (int flown = 0; flown < 2; flown++) {
        world_begin(&w, -1);
        if (flown) {
            world_step(&w);
            CHECK_OK(thud_state_reset(w.m, -1, w.s));
        }
        CHECK_OK(thud_state_set(w.m, &q, &v, w.s));
        world_step(&w);
        CHECK_INT(w.c.impacts, 1);
        hash[flown] = thud_state_hash(w.s);
    }
    CHECK(hash[0] == hash[1]);
    world_end(&w);
}

// A quadruped that falls and lands: a sim that has just stepped it with other speeds steps it as one that has seen nothing.
TEST(what_a_sim_held_before_does_not_show)
{
    world w = world_scene("quadruped");
    thud_state *other;
    thud_sim *used;
    world_begin(&w, -1);
    CHECK_OK(thud_state_create(w.m, &other));
    CHECK_OK(thud_sim_create(w.m, &w.o, &used, NULL));
    for (int k = 0; k < 120; k++) {
        thud_sim *fresh;
        CHECK_OK(thud_sim_create(w.m, &w.o, &fresh, NULL));
        CHECK_OK(thud_state_copy(w.s, other));
        for (int i = 0; i < w.m->nv; i++) {
            other->qvel[i] += 0.01 * sin(1 + k + 2 * i);
        }
        CHECK_OK(thud_sim_step(used, NULL, other, NULL));
        CHECK_OK(thud_state_copy(w.s, other));
        CHECK_OK(thud_sim_step(used, NULL, other, NULL));
        CHECK_OK(thud_sim_step(fresh, NULL, w.s, NULL));
        if (thud_state_hash(other) != thud_state_hash(w.s)) {
            fail_msg("step %d depends on what the sim held before", k);
        }
        thud_sim_destroy(fresh);
    }
    thud_sim_destroy(used);
    thud_state_destroy(other);
    world_end(&w);
}

TEST_MAIN(T(what_a_sim_held_before_does_not_show), T(restored_in_mid_impact_it_goes_on_with_the_same_bits),
          T(what_has_flown_lands_with_the_same_bits), T(what_flies_lands_as_if_it_was_looked_at_all_the_way),
          T(eulers_step_goes_on_with_the_same_bits), T(every_law_goes_on_with_the_same_bits),
          T(what_rests_goes_on_with_the_same_bits), T(what_a_sim_did_before_does_not_show))
