// SPDX-License-Identifier: Apache-2.0
// Accuracy of the integrators: what acceptance.md asks, orders of convergence, closed forms, stiff joints.
#include <thud/step.h>

#include <thud/spatial_inline.h>

#include "test.h"

typedef struct rig {
    thud_spec *spec;
    thud_model *m;
    thud_state *s;
    thud_sim *sim;
} rig;

static rig rig_start(void)
{
    rig r = {0};
    CHECK_OK(thud_spec_create(&r.spec));
    return r;
}

static void rig_finish(rig *r, double h, thud_integrator integrator)
{
    thud_diag diag;
    CHECK_OK(thud_model_build(r->spec, &r->m, &diag));
    CHECK_OK(thud_state_create(r->m, &r->s));
    thud_step_options o = thud_step_defaults(r->m);
    o.h = h;
    o.integrator = integrator;
    CHECK_OK(thud_sim_create(r->m, &o, &r->sim, &diag));
}

static void rig_free(rig *r)
{
    thud_sim_destroy(r->sim);
    thud_state_destroy(r->s);
    thud_model_destroy(r->m);
    thud_spec_destroy(r->spec);
}

static int add_body(thud_spec *s, int parent, double mass, double ix, double iy, double iz)
{
    const int b = thud_spec_add_body(s, parent, NULL);
    s->body[b].has_inertial = true;
    s->body[b].mass = mass;
    s->body[b].inertia[0] = ix;
    s->body[b].inertia[1] = iy;
    s->body[b].inertia[2] = iz;
    return b;
}

// ---------------------------------------------------------------------------------------------- acceptance

TEST(a_spin_about_the_middle_axis_keeps_its_energy_for_a_minute)
{
    (void)test_state;
    rig r = rig_start();
    const int b = add_body(r.spec, 0, 1, 1, 2, 2.9);
    thud_spec_add_joint(r.spec, b, THUD_JOINT_FREE, NULL);
    r.spec->option.gravity = v3(0, 0, 0);
    rig_finish(&r, 1e-3, THUD_INTEGRATOR_MIDPOINT);
    r.s->qvel[3] = 0.01;
    r.s->qvel[4] = 5;
    r.s->qvel[5] = 0.01;
    const double E = thud_sim_energy(r.sim, r.s).kinetic;
    double flipped = 0;
    for (int i = 0; i < 60000; i++) {
        CHECK_OK(thud_sim_step(r.sim, NULL, r.s, NULL));
        flipped = fmin(flipped, r.s->qvel[4]);
    }
    CHECK(flipped < -4.9);                                        // it does tumble
    CHECK_NEAR(thud_sim_energy(r.sim, r.s).kinetic / E, 1, 1e-9); // asked 1e-6; seen 2e-12
    CHECK_NEAR(q_norm((quat){r.s->qpos[3], r.s->qpos[4], r.s->qpos[5], r.s->qpos[6]}), 1, 1e-15);
    rig_free(&r);
}

static rig chain(int n, double h, thud_integrator integrator)
{
    rig r = rig_start();
    r.spec->option.gravity = v3(0, 0, -9.8);
    for (int i = 0; i < n; i++) {
        const double a = 3.0 / n, I = 0.4 * a * a;
        const int b = add_body(r.spec, i, 1, I, I, I);
        r.spec->body[b].pos = i ? v3(6.0 / n, 0, 0) : v3(0, 0, 10);
        r.spec->body[b].ipos = v3(a, 0, 0);
        const int j = thud_spec_add_joint(r.spec, b, THUD_JOINT_HINGE, NULL);
        r.spec->joint[j].axis = v3(0, -1, 0);
    }
    rig_finish(&r, h, integrator);
    r.s->qvel[0] = -1;
    return r;
}

// Largest gain and loss of energy over 5 s at 1 ms, relative to the start's.
static void chain_drift(int n, double *gain, double *loss)
{
    rig r = chain(n, 1e-3, THUD_INTEGRATOR_MIDPOINT);
    const thud_energy e = thud_sim_energy(r.sim, r.s);
    const double E = e.kinetic + e.potential;
    thud_certificate c;
    *gain = *loss = 0;
    for (int i = 0; i < 5000; i++) {
        CHECK_OK(thud_sim_step(r.sim, NULL, r.s, &c));
        CHECK_BELOW(c.momentum, 1e-12); // worst seen 8e-15
        *gain = fmax(*gain, (c.kinetic + c.potential) / E - 1);
        *loss = fmax(*loss, 1 - (c.kinetic + c.potential) / E);
    }
    CHECK_NEAR(r.s->time, 5, 1e-9);
    rig_free(&r);
}

TEST(thirty_links_keep_their_energy_within_a_thousandth)
{
    (void)test_state;
    double gain, loss;
    chain_drift(30, &gain, &loss);
    CHECK_BELOW(gain, 1e-6);
    CHECK_BELOW(loss, 1e-3); // seen 3.1e-4
}

TEST(a_hundred_links_keep_their_energy_within_a_hundredth)
{
    (void)test_state;
    double gain, loss;
    chain_drift(100, &gain, &loss);
    CHECK_BELOW(gain, 1e-6);
    CHECK_BELOW(loss, 1e-2); // seen 1.3e-3
}

// ---------------------------------------------------------------------------------------------- orders

// A free body that carries an arm on a ball joint with a spring and a damper: everything that turns, and all
// terms.
static rig contraption(double h, thud_integrator integrator)
{
    rig r = rig_start();
    const int base = add_body(r.spec, 0, 2, 0.3, 0.5, 0.6);
    thud_spec_add_joint(r.spec, base, THUD_JOINT_FREE, NULL);
    const int arm = add_body(r.spec, base, 1, 0.2, 0.1, 0.25);
    r.spec->body[arm].pos = v3(0.3, 0.1, 0);
    r.spec->body[arm].ipos = v3(0.2, -0.1, 0.3);
    int j = thud_spec_add_joint(r.spec, arm, THUD_JOINT_BALL, NULL);
    r.spec->joint[j].stiffness = 3;
    r.spec->joint[j].damping = 0.1;
    const int hand = add_body(r.spec, arm, 0.5, 0.1, 0.1, 0.1);
    r.spec->body[hand].pos = v3(0, 0, 0.5);
    j = thud_spec_add_joint(r.spec, hand, THUD_JOINT_SLIDE, NULL);
    r.spec->joint[j].axis = v3(1, 1, 0);
    r.spec->joint[j].stiffness = 20;
    r.spec->joint[j].damping = 0.3;
    j = thud_spec_add_joint(r.spec, hand, THUD_JOINT_HINGE, NULL);
    r.spec->joint[j].armature = 0.05;
    rig_finish(&r, h, integrator);
    for (int i = 0; i < r.m->nv; i++) {
        r.s->qvel[i] = sin(i + 1.0);
    }
    return r;
}

// Error at t = 1 against RK4 with a step of 0.5 ms.
static double error_at_one(double h, thud_integrator integrator)
{
    rig r = contraption(h, integrator), fine = contraption(5e-4, THUD_INTEGRATOR_RK4);
    for (int i = 0; i < (int)lround(1 / h); i++) {
        CHECK_OK(thud_sim_step(r.sim, NULL, r.s, NULL));
    }
    for (int i = 0; i < 2000; i++) {
        CHECK_OK(thud_sim_step(fine.sim, NULL, fine.s, NULL));
    }
    double worst = 0, *dq = calloc((size_t)r.m->nv, sizeof *dq);
    thud_qpos_difference(r.m, r.s->qpos, fine.s->qpos, dq);
    for (int i = 0; i < r.m->nv; i++) {
        worst = fmax(worst, fabs(dq[i]));
    }
    free(dq);
    rig_free(&r);
    rig_free(&fine);
    return worst;
}

static void check_order(thud_integrator integrator, double h, double order)
{
    const double coarse = error_at_one(h, integrator), fine = error_at_one(h / 2, integrator);
    CHECK_NEAR(log2(coarse / fine), order, 0.15);
}

TEST(euler_converges_at_order_one)
{
    (void)test_state;
    check_order(THUD_INTEGRATOR_EULER, 1e-3, 1);
}

TEST(midpoint_converges_at_order_two)
{
    (void)test_state;
    check_order(THUD_INTEGRATOR_MIDPOINT, 5e-3, 2);
}

TEST(rk4_converges_at_order_four_also_where_things_turn)
{
    (void)test_state;
    check_order(THUD_INTEGRATOR_RK4, 4e-3, 4);
}

// ---------------------------------------------------------------------------------------------- closed forms

TEST(a_pendulum_swings_with_the_period_of_the_elliptic_integral)
{
    (void)test_state;
    rig r = rig_start();
    const int b = add_body(r.spec, 0, 1, 1e-9, 1e-9, 1e-9);
    r.spec->body[b].ipos = v3(0, 0, -1);
    const int j = thud_spec_add_joint(r.spec, b, THUD_JOINT_HINGE, NULL);
    r.spec->joint[j].axis = v3(0, 1, 0);
    rig_finish(&r, 1e-3, THUD_INTEGRATOR_MIDPOINT);
    r.s->qpos[0] = 2; // rad
    // quarter period K(sin 1) sqrt(l/g), K by the arithmetic-geometric mean
    double a = 1, g = cos(1.0);
    for (int i = 0; i < 8; i++) {
        const double mean = 0.5 * (a + g);
        g = sqrt(a * g);
        a = mean;
    }
    const double quarter = 1.5707963267948966 / a * sqrt(1 / 9.81);
    double before = 0, time = 0;
    while (r.s->qpos[0] > 0) {
        before = r.s->qpos[0];
        time = r.s->time;
        CHECK_OK(thud_sim_step(r.sim, NULL, r.s, NULL));
    }
    time += 1e-3 * before / (before - r.s->qpos[0]);
    CHECK_NEAR(time, quarter, 1e-6); // h^2; seen 2e-7
    rig_free(&r);
}

TEST(a_damped_joint_decays_exactly_as_the_exponential)
{
    (void)test_state;
    const double damping[] = {0.01, 0.5, 1, 100, 1e4, 1e7}; // h d / I from 1e-5 to 1e4
    for (int k = 0; k < 6; k++) {
        rig r = rig_start();
        const int b = add_body(r.spec, 0, 1, 1, 1, 1);
        const int j = thud_spec_add_joint(r.spec, b, THUD_JOINT_HINGE, NULL);
        r.spec->joint[j].damping = damping[k];
        r.spec->option.gravity = v3(0, 0, 0);
        rig_finish(&r, 1e-3, THUD_INTEGRATOR_MIDPOINT);
        r.s->qvel[0] = 2;
        for (int i = 0; i < 1000; i++) {
            CHECK_OK(thud_sim_step(r.sim, NULL, r.s, NULL));
        }
        const double want = 2 * exp(-damping[k]);
        CHECK_NEAR(r.s->qvel[0], want, 1e-12); // beyond h d / I = 700 the exponential is taken as 0
        rig_free(&r);
    }
}

TEST(a_spring_the_step_resolves_keeps_its_energy_and_one_it_cannot_dies_out)
{
    (void)test_state;
    const double stiffness[] = {1e3, 1e12}; // h^2 k / m = 0.004 and 4e6
    for (int k = 0; k < 2; k++) {
        rig r = rig_start();
        const int b = add_body(r.spec, 0, 1, 1, 1, 1);
        const int j = thud_spec_add_joint(r.spec, b, THUD_JOINT_SLIDE, NULL);
        r.spec->joint[j].stiffness = stiffness[k];
        r.spec->option.gravity = v3(0, 0, 0);
        rig_finish(&r, 2e-3, THUD_INTEGRATOR_MIDPOINT);
        r.s->qpos[0] = 0.1;
        const double E = thud_sim_energy(r.sim, r.s).potential;
        for (int i = 0; i < 1000; i++) {
            CHECK_OK(thud_sim_step(r.sim, NULL, r.s, NULL));
        }
        const thud_energy e = thud_sim_energy(r.sim, r.s);
        if (k == 0) {
            CHECK_NEAR((e.kinetic + e.potential) / E, 1, 1e-12);
        } else {
            CHECK_BELOW((e.kinetic + e.potential) / E, 1e-12);
        }
        rig_free(&r);
    }
}

TEST(stiff_joints_stay_stable_in_every_implicit_integrator)
{
    (void)test_state;
    for (int integrator = THUD_INTEGRATOR_MIDPOINT; integrator <= THUD_INTEGRATOR_EULER; integrator++) {
        rig r = rig_start();
        int b = 0;
        for (int i = 0; i < 8; i++) { // a stiff beam of ball joints, light at its end
            b = add_body(r.spec, b, i < 7 ? 0.1 : 1e-4, 1e-5, 1e-5, 1e-5);
            r.spec->body[b].pos = v3(0.1, 0, 0);
            const int j = thud_spec_add_joint(r.spec, b, THUD_JOINT_BALL, NULL);
            r.spec->joint[j].stiffness = 1e6;
            r.spec->joint[j].damping = 1e3;
        }
        rig_finish(&r, 2e-3, (thud_integrator)integrator);
        thud_certificate c = {0};
        for (int i = 0; i < 2000; i++) {
            CHECK_OK(thud_sim_step(r.sim, NULL, r.s, &c));
        }
        CHECK_BELOW(c.kinetic, 1e-12); // at rest, hardly bent
        rig_free(&r);
    }
}

TEST(a_free_body_falls_as_galilei_says)
{
    (void)test_state;
    rig r = rig_start();
    const int b = add_body(r.spec, 0, 3, 1, 2, 2.5);
    r.spec->body[b].ipos = v3(0.2, 0, 0); // spinning about a point beside its origin
    thud_spec_add_joint(r.spec, b, THUD_JOINT_FREE, NULL);
    rig_finish(&r, 1e-3, THUD_INTEGRATOR_RK4);
    const double v0[6] = {1, 2, 3, 0.3, -0.2, 0.9};
    memcpy(r.s->qvel, v0, sizeof v0);
    const vec3 w0 = v3(0.3, -0.2, 0.9), c0 = v3(0.2, 0, 0), v_com = v3_add(v3(1, 2, 3), v3_cross(w0, c0));
    for (int i = 0; i < 1000; i++) {
        CHECK_OK(thud_sim_step(r.sim, NULL, r.s, NULL));
    }
    const quat q = {r.s->qpos[3], r.s->qpos[4], r.s->qpos[5], r.s->qpos[6]};
    const vec3 com = v3_add(v3(r.s->qpos[0], r.s->qpos[1], r.s->qpos[2]), q_rotate(q, c0));
    CHECK_NEAR(v3_norm(v3_sub(com, v3_add(c0, v3(v_com.x, v_com.y, v_com.z - 0.5 * 9.81)))), 0, 1e-10);
    rig_free(&r);
}

TEST(euler_falls_as_its_own_sum_says)
{
    (void)test_state;
    rig r = rig_start();
    const int b = add_body(r.spec, 0, 1, 1, 1, 1);
    thud_spec_add_joint(r.spec, b, THUD_JOINT_SLIDE, NULL); // along z
    rig_finish(&r, 0.01, THUD_INTEGRATOR_EULER);
    for (int i = 0; i < 100; i++) {
        CHECK_OK(thud_sim_step(r.sim, NULL, r.s, NULL));
    }
    CHECK_NEAR(r.s->qpos[0], -9.81 * 1e-4 * 100 * 101 / 2, 1e-12); // positions move with the new velocity
    rig_free(&r);
}

TEST(dampers_take_the_energy_that_the_certificate_books)
{
    (void)test_state;
    rig r = rig_start();
    int b = 0;
    for (int i = 0; i < 4; i++) {
        b = add_body(r.spec, b, 1, 0.1, 0.1, 0.1);
        r.spec->body[b].pos = v3(0.3, 0, 0);
        const int j = thud_spec_add_joint(r.spec, b, THUD_JOINT_BALL, NULL);
        r.spec->joint[j].damping = 0.2;
    }
    rig_finish(&r, 1e-3, THUD_INTEGRATOR_MIDPOINT);
    const thud_energy e0 = thud_sim_energy(r.sim, r.s);
    thud_certificate c = {0};
    double booked = 0;
    for (int i = 0; i < 2000; i++) {
        CHECK_OK(thud_sim_step(r.sim, NULL, r.s, &c));
        booked += c.work;
    }
    CHECK(booked < -3);
    CHECK_NEAR(c.kinetic + c.potential - e0.kinetic - e0.potential, booked,
               1e-3 * fabs(booked)); // second order in h
    rig_free(&r);
}

// ---------------------------------------------------------------------------------------------- contract

TEST(a_state_restored_into_a_fresh_sim_goes_on_with_the_same_bits)
{
    (void)test_state;
    rig r = chain(12, 1e-3, THUD_INTEGRATOR_MIDPOINT);
    thud_state *saved;
    thud_sim *fresh;
    CHECK_OK(thud_state_create(r.m, &saved));
    for (int i = 0; i < 700; i++) {
        CHECK_OK(thud_sim_step(r.sim, NULL, r.s, NULL));
    }
    thud_state_copy(r.s, saved);
    thud_step_options o = thud_step_defaults(r.m);
    o.h = 1e-3;
    CHECK_OK(thud_sim_create(r.m, &o, &fresh, NULL));
    for (int i = 0; i < 300; i++) {
        thud_certificate c;
        CHECK_OK(thud_sim_step(r.sim, NULL, r.s, &c)); // asking for a certificate changes nothing
        CHECK_OK(thud_sim_step(fresh, NULL, saved, NULL));
        CHECK(thud_state_hash(saved) == thud_state_hash(r.s));
    }
    thud_sim_destroy(fresh);
    thud_state_destroy(saved);
    rig_free(&r);
}

TEST(a_step_that_fails_leaves_the_state_untouched)
{
    (void)test_state;
    rig r = chain(3, 1e-3, THUD_INTEGRATOR_MIDPOINT);
    r.s->qvel[1] = NAN;
    const uint64_t before = thud_state_hash(r.s);
    CHECK_INT(thud_sim_step(r.sim, NULL, r.s, NULL), THUD_NOT_FINITE);
    CHECK(thud_state_hash(r.s) == before);
    const double bad[] = {1, INFINITY, 0};
    CHECK_INT(thud_state_set(r.m, bad, NULL, r.s), THUD_BAD_ARGUMENT);
    rig_free(&r);
}

TEST(applied_forces_do_the_work_that_the_certificate_books)
{
    (void)test_state;
    rig r = chain(5, 1e-3, THUD_INTEGRATOR_MIDPOINT);
    const double tau[] = {3, -1, 0.5, 0.2, -0.1};
    double booked = 0;
    const thud_energy e0 = thud_sim_energy(r.sim, r.s);
    thud_certificate c = {0};
    for (int i = 0; i < 1000; i++) {
        CHECK_OK(thud_sim_step(r.sim, tau, r.s, &c));
        booked += c.work;
    }
    CHECK_NEAR(c.kinetic + c.potential - e0.kinetic - e0.potential, booked,
               1e-3); // of 10^3 J; second order in h
    CHECK(fabs(booked) > 1);
    rig_free(&r);
}

TEST_MAIN(T(a_spin_about_the_middle_axis_keeps_its_energy_for_a_minute),
          T(thirty_links_keep_their_energy_within_a_thousandth),
          T(a_hundred_links_keep_their_energy_within_a_hundredth), T(euler_converges_at_order_one),
          T(midpoint_converges_at_order_two), T(rk4_converges_at_order_four_also_where_things_turn),
          T(a_pendulum_swings_with_the_period_of_the_elliptic_integral),
          T(a_damped_joint_decays_exactly_as_the_exponential),
          T(a_spring_the_step_resolves_keeps_its_energy_and_one_it_cannot_dies_out),
          T(stiff_joints_stay_stable_in_every_implicit_integrator), T(a_free_body_falls_as_galilei_says),
          T(euler_falls_as_its_own_sum_says), T(dampers_take_the_energy_that_the_certificate_books),
          T(a_state_restored_into_a_fresh_sim_goes_on_with_the_same_bits),
          T(a_step_that_fails_leaves_the_state_untouched),
          T(applied_forces_do_the_work_that_the_certificate_books))
