// SPDX-License-Identifier: Apache-2.0
// What drives a mechanism: levers are derivatives of lengths, stiff servos hold, activations follow their
// control, tendons keep their limits.
#include <thud/spatial_inline.h>
#include <thud/thud.h>

#include "test.h"

typedef struct rig {
    thud_spec *spec;
    thud_model *m;
    thud_state *s;
    thud_sim *sim;
} rig;

static void start(rig *r, double h)
{
    thud_diag diag = {.text = ""};
    if (thud_model_build(r->spec, &r->m, &diag) != THUD_OK) {
        fail_msg("%s", diag.text);
    }
    CHECK_OK(thud_state_create(r->m, &r->s));
    thud_step_options o = thud_step_defaults(r->m);
    o.h = h;
    CHECK_OK(thud_sim_create(r->m, &o, &r->sim, &diag));
}

static void finish(rig *r)
{
    thud_sim_destroy(r->sim);
    thud_state_destroy(r->s);
    thud_model_destroy(r->m);
    thud_spec_destroy(r->spec);
}

// A weightless wheel of inertia I on a hinge about z, for each of `wheels`.
static rig make_wheels(int wheels, double I)
{
    rig r = {0};
    CHECK_OK(thud_spec_create(&r.spec));
    r.spec->option.gravity = (thud_vec3){0, 0, 0};
    for (int i = 0; i < wheels; i++) {
        const int body = thud_spec_add_body(r.spec, 0, NULL);
        thud_spec_body *b = &r.spec->body[body];
        b->has_inertial = true;
        b->mass = 1;
        b->inertia[0] = b->inertia[1] = b->inertia[2] = I;
        const int joint = thud_spec_add_joint(r.spec, body, THUD_JOINT_HINGE, NULL);
        r.spec->joint[joint].axis = (thud_vec3){0, 0, 1};
    }
    return r;
}

static thud_spec_actuator *add_servo(rig *r, thud_transmission transmission, double kp, double kv)
{
    const int i = thud_spec_add_actuator(r->spec, transmission, 0, "servo");
    thud_spec_actuator *a = &r->spec->actuator[i];
    a->gainprm[0] = kp;
    a->bias = THUD_BIAS_AFFINE;
    a->biasprm[1] = -kp;
    a->biasprm[2] = -kv;
    return a;
}

static void step(rig *r, int steps)
{
    for (int k = 0; k < steps; k++) {
        CHECK_OK(thud_sim_step(r->sim, NULL, r->s, NULL));
    }
}

TEST(levers_are_the_derivatives_of_lengths)
{
    thud_spec *spec;
    thud_model *m;
    thud_diag diag = {.text = ""};
    if (thud_load_mjcf(THUD_SOURCE_DIR "/test/mujoco/machine.xml", &spec, &diag) != THUD_OK ||
        thud_model_build(spec, &m, &diag) != THUD_OK) {
        fail_msg("%s", diag.text);
    }
    thud_dynamics *d;
    thud_drive *drive;
    CHECK_OK(thud_dynamics_create(m, &d));
    CHECK_OK(thud_drive_create(m, &drive));
    double q[64], v[64], ahead[64], length[32], tendon[8];
    test_rng rng = {11};
    const double e = 1e-6;
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < m->nv; i++) {
            v[i] = test_normal(&rng);
        }
        thud_qpos_integrate(m, m->qpos0, v, 0.2, q);
        for (int side = -1; side <= 1; side += 2) { // central differences along v
            thud_qpos_integrate(m, q, v, side * e, ahead);
            thud_dynamics_place(m, ahead, d);
            thud_drive_place(m, ahead, d, drive);
            for (int i = 0; i < m->actuators; i++) {
                length[i] = side < 0 ? drive->length[i] : (drive->length[i] - length[i]) / (2 * e);
            }
            for (int t = 0; t < m->tendons; t++) {
                tendon[t] =
                    side < 0 ? drive->tendon_length[t] : (drive->tendon_length[t] - tendon[t]) / (2 * e);
            }
        }
        thud_dynamics_place(m, q, d);
        thud_drive_place(m, q, d, drive);
        thud_drive_move(m, v, drive);
        for (int t = 0; t < m->tendons; t++) {
            CHECK_NEAR(drive->tendon_velocity[t], tendon[t], 1e-8); // measured: 4e-10
        }
        for (int i = 0; i < m->actuators; i++) {
            const int target = m->actuator_target[i], kind = m->actuator_transmission[i];
            const bool turns = kind <= THUD_TRANSMISSION_JOINT_IN_PARENT && m->joint_dofs[target] > 1;
            if (!turns && kind != THUD_TRANSMISSION_SITE) { // those have no length that a lever could be of
                CHECK_NEAR(drive->velocity[i], length[i], 1e-8);
            }
        }
    }
    thud_drive_destroy(drive);
    thud_dynamics_destroy(d);
    thud_model_destroy(m);
    thud_spec_destroy(spec);
}

TEST(a_servo_too_stiff_for_the_step_settles_at_its_target)
{
    for (int tendon = 0; tendon < 2; tendon++) { // on a joint, and on two joints through a tendon
        rig r = make_wheels(2, 1e-4);
        thud_spec_add_tendon(r.spec, false, NULL);
        thud_spec_add_wrap(r.spec, THUD_WRAP_JOINT, 0, 0.7);
        thud_spec_add_wrap(r.spec, THUD_WRAP_JOINT, 1, -0.4);
        add_servo(&r, tendon ? THUD_TRANSMISSION_TENDON : THUD_TRANSMISSION_JOINT, 1e4, 20);
        start(&r, 0.002); // sqrt(k/m) h = 20, d/m h = 400
        const double target = 0.5;
        CHECK_OK(thud_state_control(r.s, &target, NULL));
        step(&r, 1000);
        const double *q = r.s->qpos;
        CHECK_NEAR(tendon ? 0.7 * q[0] - 0.4 * q[1] : q[0], target, 1e-9);
        CHECK_BELOW(fabs(r.s->qvel[0]) + fabs(r.s->qvel[1]), 1e-9);
        finish(&r);
    }
}

TEST(a_servo_at_its_limit_pushes_with_its_limit)
{
    rig r = make_wheels(1, 0.01);
    thud_spec_actuator *a = add_servo(&r, THUD_TRANSMISSION_JOINT, 1e5, 100);
    a->forcelimited = THUD_TRUE;
    a->forcerange[0] = -0.02;
    a->forcerange[1] = 0.02;
    start(&r, 0.002);
    const double far = 10;
    CHECK_OK(thud_state_control(r.s, &far, NULL));
    step(&r, 100); // 0.2 s at 2 rad/s^2
    CHECK_NEAR(r.s->qvel[0], 0.4, 1e-12);
    CHECK_NEAR(r.s->qpos[0], 0.04, 1e-12);
    finish(&r);
}

TEST(activations_follow_their_control_and_are_part_of_the_state)
{
    rig r = make_wheels(1, 1);
    const thud_actuator_dynamics kind[] = {THUD_DYNAMICS_INTEGRATOR, THUD_DYNAMICS_FILTER,
                                           THUD_DYNAMICS_FILTER_EXACT};
    for (int i = 0; i < 3; i++) {
        const int k = thud_spec_add_actuator(r.spec, THUD_TRANSMISSION_JOINT, 0, NULL);
        r.spec->actuator[k].dynamics = kind[i];
        r.spec->actuator[k].dynprm[0] = 0.1;
    }
    start(&r, 0.01);
    const double u[3] = {2, 3, 3};
    CHECK_OK(thud_state_control(r.s, u, NULL));
    step(&r, 10);
    CHECK_NEAR(r.s->act[0], 0.2, 1e-15);               // u t
    CHECK_NEAR(r.s->act[1], 3 * (1 - exp(-1)), 1e-14); // both filters alike
    CHECK_NEAR(r.s->act[2], 3 * (1 - exp(-1)), 1e-14);
    thud_state *copy;
    CHECK_OK(thud_state_create(r.m, &copy));
    CHECK_OK(thud_state_copy(r.s, copy));
    CHECK(thud_state_hash(copy) == thud_state_hash(r.s));
    copy->act[2] = nextafter(copy->act[2], 9);
    CHECK(thud_state_hash(copy) != thud_state_hash(r.s));
    CHECK_OK(thud_state_copy(r.s, copy));
    copy->ctrl[0] = 1;
    CHECK(thud_state_hash(copy) != thud_state_hash(r.s));
    thud_state_destroy(copy);
    finish(&r);
}

// An Euler step multiplies what is left by 1 - h/tau: by -11.2 in each step here, to 10^209 in 0.2 s.
TEST(a_filter_quicker_than_the_step_follows_its_control_at_once)
{
    rig r = make_wheels(1, 1);
    const int k = thud_spec_add_actuator(r.spec, THUD_TRANSMISSION_JOINT, 0, NULL);
    r.spec->actuator[k].dynamics = THUD_DYNAMICS_FILTER;
    r.spec->actuator[k].dynprm[0] = 1.64e-4;
    start(&r, 0.002);
    const double u = 3;
    CHECK_OK(thud_state_control(r.s, &u, NULL));
    for (int i = 0; i < 100; i++) {
        step(&r, 1);
        CHECK(r.s->act[0] >= 0 && r.s->act[0] <= u);
    }
    CHECK_NEAR(r.s->act[0], u, 1e-15);
    finish(&r);
}

TEST(a_tendon_at_its_limit_holds_and_couples_what_it_joins)
{
    rig r = make_wheels(2, 1);
    const int t = thud_spec_add_tendon(r.spec, false, NULL);
    thud_spec_add_wrap(r.spec, THUD_WRAP_JOINT, 0, 1);
    thud_spec_add_wrap(r.spec, THUD_WRAP_JOINT, 1, 1);
    r.spec->tendon[t].limited = THUD_TRUE;
    r.spec->tendon[t].range[0] = -1;
    r.spec->tendon[t].range[1] = 0.1;
    start(&r, 0.001);
    r.s->qvel[0] = 1; // the sum of both reaches its limit at 0.1 s; then both share what is left
    step(&r, 300);
    CHECK_NEAR(r.s->qpos[0] + r.s->qpos[1], 0.1, 1e-8);
    CHECK_NEAR(r.s->qvel[0], 0.5, 1e-6);
    CHECK_NEAR(r.s->qvel[1], -0.5, 1e-6);
    finish(&r);
}

TEST(equal_tendons_stay_equal)
{
    rig r = make_wheels(2, 1);
    for (int i = 0; i < 2; i++) {
        thud_spec_add_tendon(r.spec, false, NULL);
        thud_spec_add_wrap(r.spec, THUD_WRAP_JOINT, i, i + 1);
    }
    const int e = thud_spec_add_equality(r.spec, THUD_EQUALITY_TENDON, NULL);
    r.spec->equality[e].object1 = 0;
    r.spec->equality[e].object2 = 1; // q0 = 2 q1
    start(&r, 0.001);
    r.s->qvel[0] = 1;
    step(&r, 500);
    CHECK_NEAR(r.s->qpos[0], 2 * r.s->qpos[1], 1e-9);
    // momentum along the motion that is left: (2, 1) . v = 2 before, and v = (2, 1) s after
    CHECK_NEAR(r.s->qvel[1], 0.4, 1e-9);
    finish(&r);
}

TEST(dry_friction_of_a_tendon_stops_what_it_joins)
{
    rig r = make_wheels(1, 1);
    const int t = thud_spec_add_tendon(r.spec, false, NULL);
    thud_spec_add_wrap(r.spec, THUD_WRAP_JOINT, 0, 2);
    r.spec->tendon[t].frictionloss = 0.5; // 1 N m at the wheel
    start(&r, 0.001);
    r.s->qvel[0] = 0.1;
    step(&r, 50);
    CHECK_NEAR(r.s->qvel[0], 0.05, 1e-12);
    step(&r, 100);
    CHECK_NEAR(r.s->qvel[0], 0, 1e-12);
    finish(&r);
}

TEST(a_joint_clamps_the_sum_of_its_actuators)
{
    rig r = make_wheels(1, 1);
    r.spec->joint[0].actfrclimited = THUD_TRUE;
    r.spec->joint[0].actfrcrange[0] = -1;
    r.spec->joint[0].actfrcrange[1] = 2;
    thud_spec_add_actuator(r.spec, THUD_TRANSMISSION_JOINT, 0, "one");
    thud_spec_add_actuator(r.spec, THUD_TRANSMISSION_JOINT, 0, "two");
    start(&r, 0.01);
    const double u[2] = {3, 4};
    CHECK_OK(thud_state_control(r.s, u, NULL));
    step(&r, 10);
    CHECK_NEAR(r.s->qvel[0], 0.2, 1e-14);
    CHECK_INT(thud_model_find(r.m, THUD_KIND_ACTUATOR, "two"), 1);
    finish(&r);
}

TEST(a_box_in_oil_falls_at_the_speed_of_stokes)
{
    rig r = {0};
    CHECK_OK(thud_spec_create(&r.spec));
    const int body = thud_spec_add_body(r.spec, 0, NULL);
    thud_spec_add_joint(r.spec, body, THUD_JOINT_FREE, NULL);
    const int g = thud_spec_add_geom(r.spec, body, THUD_GEOM_BOX, NULL);
    for (int k = 0; k < 3; k++) {
        r.spec->geom[g].size[k] = 0.05; // the box that has its inertia is the box itself: 0.1 m
    }
    r.spec->option.viscosity = 5;
    start(&r, 0.001);
    step(&r, 4000);
    const double mass = r.m->total_mass, drag = 3 * acos(-1) * 0.1 * 5; // m g = 3 pi d beta v
    CHECK_NEAR(r.s->qvel[2], -9.81 * mass / drag * (1 - exp(-4 * drag / mass)), 1e-6);
    finish(&r);
}

TEST(a_force_at_a_point_is_its_jacobian_transposed)
{
    thud_spec *spec;
    thud_model *m;
    thud_diag diag = {.text = ""};
    if (thud_load_mjcf(THUD_SOURCE_DIR "/test/mujoco/machine.xml", &spec, &diag) != THUD_OK ||
        thud_model_build(spec, &m, &diag) != THUD_OK) {
        fail_msg("%s", diag.text);
    }
    thud_dynamics *d;
    CHECK_OK(thud_dynamics_create(m, &d));
    thud_dynamics_place(m, m->qpos0, d);
    const vec3 f = v3(1, -2, 3), n = v3(0.3, 0.2, -0.1), p = v3(0.4, 0.1, 0.7);
    const double wrench[6] = {n.x, n.y, n.z, f.x, f.y, f.z};
    for (int body = 0; body < m->bodies; body++) {
        double tau[64] = {0}, J[6 * 64];
        thud_point_force(m, d, body, f, n, p, tau);
        thud_dynamics_jacobian(m, d, body, p, J);
        for (int k = 0; k < m->nv; k++) {
            double want = 0;
            for (int r = 0; r < 6; r++) {
                want += J[r * m->nv + k] * wrench[r];
            }
            CHECK_NEAR(tau[k], want, 1e-14);
        }
    }
    thud_dynamics_destroy(d);
    thud_model_destroy(m);
    thud_spec_destroy(spec);
}

// Three links, a tendon from the second to the third: only the third's joint changes its length.
TEST(a_tendon_has_no_lever_on_what_both_its_ends_move_with)
{
    static const char text[] =
        "<mujoco><default><joint axis='0 1 0'/><geom size='.02' mass='1'/></default><worldbody><body><joint/>"
        "<geom/><body pos='.3 0 0'><joint/><geom/><site name='a' pos='.1 0 .05'/><body pos='.3 0 0'><joint/>"
        "<geom/><site name='b' pos='.1 0 .05'/></body></body></body></worldbody><tendon><spatial><site "
        "site='a'/>"
        "<site site='b'/></spatial></tendon></mujoco>";
    const double q[] = {0.4, -0.3, -0.6};
    thud_spec *spec;
    thud_model *m;
    thud_dynamics *d;
    thud_drive *drive;
    CHECK_OK(thud_load_mjcf_text(text, strlen(text), "test.xml", &spec, NULL));
    CHECK_OK(thud_model_build(spec, &m, NULL));
    CHECK_OK(thud_dynamics_create(m, &d));
    CHECK_OK(thud_drive_create(m, &drive));
    thud_dynamics_place(m, q, d);
    thud_drive_place(m, q, d, drive);
    CHECK_INT(drive->tendon[0].count, 1);
    CHECK_INT(drive->tendon[0].dof[0], 2);
    CHECK(fabs(drive->tendon[0].value[0]) > 0.01);
    thud_drive_destroy(drive);
    thud_dynamics_destroy(d);
    thud_model_destroy(m);
    thud_spec_destroy(spec);
}

TEST_MAIN(T(levers_are_the_derivatives_of_lengths), T(a_tendon_has_no_lever_on_what_both_its_ends_move_with),
          T(a_servo_too_stiff_for_the_step_settles_at_its_target),
          T(a_servo_at_its_limit_pushes_with_its_limit),
          T(activations_follow_their_control_and_are_part_of_the_state),
          T(a_filter_quicker_than_the_step_follows_its_control_at_once),
          T(a_tendon_at_its_limit_holds_and_couples_what_it_joins), T(equal_tendons_stay_equal),
          T(dry_friction_of_a_tendon_stops_what_it_joins), T(a_joint_clamps_the_sum_of_its_actuators),
          T(a_box_in_oil_falls_at_the_speed_of_stokes), T(a_force_at_a_point_is_its_jacobian_transposed))
