// SPDX-License-Identifier: Apache-2.0
// test_inverse.c: the forces that a motion needs, with and without contact.
#include "world.h"

enum { MOST = 64 };

static double tau[MOST], back[MOST], qacc[MOST], again[MOST];

static double apart(const double *a, const double *b, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(a[i] - b[i]));
        CHECK(!isnan(a[i] - b[i]));
    }
    return most;
}

static double size(const double *a, int n)
{
    static const double zero[MOST];
    return apart(a, zero, n);
}

static void try(world *w, thud_status (*call)(thud_sim *, const double *, const thud_state *, double *),
                const double *in, double *out)
{
    thud_status status = call(w->sim, in, w->s, out);
    for (int k = 0; k < 16 && status == THUD_NO_MEMORY; k++) {
        CHECK_OK(thud_sim_grow(w->sim, w->s));
        status = call(w->sim, in, w->s, out);
    }
    CHECK_OK(status);
}

// What a mechanism does by itself needs nothing (1.1e-11 N or N m was reached); what needs something is done with
// it (to 3.7e-8 of the largest acceleration: both ways solve contact to 1e-8).
static void check_both_ways(world *w, test_rng *r, double push)
{
    const int nv = w->m->nv;
    CHECK(nv <= MOST);
    try(w, thud_sim_forward, NULL, qacc);
    try(w, thud_sim_inverse, qacc, back);
    CHECK_BELOW(size(back, nv), 1e-9);
    for (int i = 0; i < nv; i++) {
        tau[i] = push * test_normal(r);
    }
    try(w, thud_sim_forward, tau, qacc);
    try(w, thud_sim_inverse, qacc, back);
    try(w, thud_sim_forward, back, again);
    CHECK_BELOW(apart(qacc, again, nv), 3e-7 * (1 + size(qacc, nv)));
}

TEST(where_nothing_touches_inverse_undoes_forward)
{
    world w = world_scene("gymnast");
    test_rng r = {1};
    w.spec->option.contact_on = w.spec->option.limit_on = false;
    thud_model_destroy(w.m);
    thud_state_destroy(w.s);
    world_build(&w, "gymnast");
    world_begin(&w, -1);
    for (int k = 0; k < 20; k++) {
        for (int i = 0; i < w.m->nv; i++) {
            tau[i] = 5 * test_normal(&r);
            w.s->qvel[i] = test_normal(&r);
        }
        try(&w, thud_sim_forward, tau, qacc);
        try(&w, thud_sim_inverse, qacc, back);
        CHECK_BELOW(apart(tau, back, w.m->nv), 1e-9);
        world_step(&w);
    }
    world_end(&w);
}

TEST(with_contact_a_motion_of_its_own_needs_nothing_and_others_come_of_what_they_need)
{
    static const struct {
        const char *scene;
        int key;
        double time, push;
    } cases[] = {{"quadruped", 0, 0.1, 5},  {"quadruped", -1, 0.5, 5}, {"humanoid", 0, 0.3, 5},
                 {"slope20", -1, 0.1, 0.1}, {"slope30", -1, 0.1, 0.1}, {"fourbar", -1, 0.2, 0.3},
                 {"gears", -1, 0.2, 0.1},   {"stack10", -1, 0.05, 0.2}};
    test_rng r = {2};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        world w = world_scene(cases[i].scene);
        world_begin(&w, cases[i].key);
        world_run(&w, cases[i].time);
        for (int k = 0; k < 5; k++) {
            check_both_ways(&w, &r, cases[i].push);
            world_step(&w);
        }
        world_end(&w);
    }
}

// ---------------------------------------------------------------------------------------------- closed forms

#define BLOCK                                                                                                \
    "<mujoco><option timestep='0.001'/><worldbody><geom type='plane' size='0 0 1' friction='0.5'/><body "    \
    "pos='0 0 0.1'>"                                                                                         \
    "<freejoint/><geom type='box' size='0.3 0.2 0.1' mass='2' friction='0.5'/></body></worldbody></mujoco>"

static const double *needed(world *w, double ax, double az)
{
    const double a[6] = {ax, 0, az, 0, 0, 0};
    try(w, thud_sim_inverse, a, back);
    return back;
}

TEST(a_block_on_the_floor_needs_what_friction_and_weight_take)
{
    const double weight = 2 * 9.81;
    world w = world_text(BLOCK);
    world_begin(&w, -1);
    const vec3 middle = v3(0, 0, 0.1);
    CHECK_BELOW(size(needed(&w, 0, 0), 6), 1e-7); // it stands by itself
    CHECK_NEAR(thud_sim_contact_force(w.sim, 1, middle).lin.z, weight, 1e-7);
    const double *f = needed(&w, 2, 0); // it slides: pushed against friction
    CHECK_NEAR(f[0], 2 * 2 + 0.5 * weight, 1e-7);
    CHECK_NEAR(f[2], 0, 1e-7);
    CHECK_NEAR(f[4], 0, 1e-7); // the floor takes the moment
    CHECK_NEAR(thud_sim_contact_force(w.sim, 1, middle).lin.x, -0.5 * weight, 1e-7);
    f = needed(&w, 0, 3); // it is lifted
    CHECK_NEAR(f[2], weight + 2 * 3, 1e-9);
    CHECK_NEAR(f[0], 0, 1e-9);
    CHECK_NEAR(thud_sim_contact_force(w.sim, 1, middle).lin.z, 0, 0);
    const double down[6] = {0, 0, -1, 0, 0, 0};
    CHECK_INT(thud_sim_inverse(w.sim, down, w.s, back), THUD_BAD_ARGUMENT); // into the floor
    const double nothing[6] = {0, 0, NAN, 0, 0, 0};
    CHECK_INT(thud_sim_inverse(w.sim, nothing, w.s, back), THUD_NOT_FINITE);
    CHECK_INT(thud_sim_forward(w.sim, nothing, w.s, back), THUD_NOT_FINITE);
    w.s->qpos[3] = NAN;
    CHECK_INT(thud_sim_inverse(w.sim, down, w.s, back), THUD_NOT_FINITE);
    CHECK_INT(thud_sim_forward(w.sim, NULL, w.s, back), THUD_NOT_FINITE);
    world_end(&w);
}

// A hinge with dry friction of 0.7 N m and a limit at 0, an arm of 1 kg at 0.5 m held level by it.
TEST(limits_and_dry_friction_carry_what_they_can)
{
    world w =
        world_text("<mujoco><compiler angle='radian'/><worldbody><body><joint axis='0 -1 0' limited='true' "
                   "range='0 2' frictionloss='0.7' armature='0.1'/><geom type='sphere' size='0.01' mass='1' "
                   "pos='0.5 0 0'/></body></worldbody></mujoco>");
    const double torque = 0.5 * 9.81;
    world_begin(&w, -1);
    const double inertia = 0.25 + 0.4 * 1e-4 + 0.1;
    qacc[0] = 0;
    try(&w, thud_sim_inverse, qacc, back);
    CHECK_NEAR(back[0], 0, 1e-7); // the limit holds it
    qacc[0] = 2;
    try(&w, thud_sim_inverse, qacc, back);
    CHECK_NEAR(back[0], 2 * inertia + torque + 0.7, 1e-9);
    w.s->qpos[0] = 1;
    qacc[0] = 0;
    try(&w, thud_sim_inverse, qacc, back);
    CHECK_NEAR(back[0], torque * cos(1) - 0.7, 1e-7); // friction helps to hold
    qacc[0] = -1;
    CHECK_OK(thud_sim_inverse(w.sim, qacc, w.s, back));
    CHECK_NEAR(back[0], -inertia + torque * cos(1) - 0.7, 1e-9);
    world_end(&w);
}

TEST(the_forces_of_constraints_are_what_acceleration_and_applied_forces_leave)
{
    world w = world_scene("quadruped");
    world_begin(&w, 0);
    double force[MOST], free_acc[MOST], M[MOST * MOST];
    thud_dynamics *d;
    try(&w, thud_sim_forward, NULL, qacc);
    thud_sim_constraint_force(w.sim, force);
    CHECK_NEAR(force[2], 9.81 * w.m->total_mass, 1e-7);
    CHECK_OK(thud_dynamics_create(w.m, &d));
    thud_dynamics_place(w.m, w.s->qpos, d);
    thud_dynamics_move(w.m, w.s->qvel, d);
    thud_dynamics_rnea(w.m, qacc, d, free_acc);
    thud_passive_force(w.m, w.s->qpos, w.s->qvel, NULL, M);
    for (int i = 0; i < w.m->nv; i++) {
        CHECK_NEAR(free_acc[i] - M[i], force[i], 1e-9);
    }
    thud_dynamics_destroy(d);
    world_end(&w);
}

TEST_MAIN(T(where_nothing_touches_inverse_undoes_forward),
          T(with_contact_a_motion_of_its_own_needs_nothing_and_others_come_of_what_they_need),
          T(a_block_on_the_floor_needs_what_friction_and_weight_take),
          T(limits_and_dry_friction_carry_what_they_can),
          T(the_forces_of_constraints_are_what_acceleration_and_applied_forces_leave))
