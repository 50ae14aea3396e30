// SPDX-License-Identifier: Apache-2.0
// test_mocap.c: bodies that the user puts somewhere, and what touches them or hangs on them.
#include "world.h"

static thud_pose at(double x, double y, double z)
{
    return (thud_pose){{1, 0, 0, 0}, {x, y, z}};
}

static int body(const world *w, const char *name)
{
    const int i = thud_model_find(w->m, THUD_KIND_BODY, name);
    CHECK(i >= 0);
    return i;
}

static vec3 sensed(world *w, const char *name)
{
    double reading[16];
    const int i = thud_model_find(w->m, THUD_KIND_SENSOR, name);
    CHECK(i >= 0 && w->m->readings <= 16);
    CHECK_OK(thud_sim_sense(w->sim, w->s, reading));
    const double *x = reading + w->m->sensor_at[i];
    return v3(x[0], x[1], x[2]);
}

TEST(what_lies_on_a_mocap_body_rises_and_sinks_with_it_and_gains_no_speed)
{
    world w = world_text(
        "<mujoco><option timestep='0.002'/><worldbody><body name='lift' mocap='true'>"
        "<geom type='box' size='0.5 0.5 0.1'/></body><body name='load' pos='0.1 0.1 0.2'><freejoint/>"
        "<geom type='box' size='0.1 0.1 0.1'/></body></worldbody></mujoco>");
    world_begin(&w, -1);
    for (int k = 1; k <= 200; k++) { // up by 0.2 m at 0.5 m/s
        CHECK_OK(thud_state_place(w.m, body(&w, "lift"), at(0, 0, 0.001 * k), w.s));
        world_step(&w);
        CHECK_NEAR(w.s->qpos[2], 0.2 + 0.001 * k, 2e-9);
        CHECK_BELOW(fabs(w.s->qvel[2]), 1e-9);
    }
    CHECK_BELOW(fabs(w.s->qpos[0] - 0.1), 1e-9);
    CHECK_OK(thud_state_place(w.m, body(&w, "lift"), at(0, 0, 0), w.s));
    world_run(&w, w.s->time + 0.1);
    CHECK_NEAR(w.s->qvel[2], -0.981, 1e-9); // it fell freely
    world_run(&w, w.s->time + 0.5);
    CHECK_NEAR(w.s->qpos[2], 0.2, 1e-8);
    world_end(&w);
}

TEST(what_is_welded_to_a_mocap_body_follows_it)
{
    world w = world_text(
        "<mujoco><option timestep='0.002'/><worldbody><body name='hand' mocap='true' pos='0 0 1'/>"
        "<body name='tool' pos='0 0 1'><freejoint/><geom type='box' size='0.1 0.2 0.3'/></body></worldbody>"
        "<equality><weld body1='hand' body2='tool'/></equality></mujoco>");
    world_begin(&w, -1);
    for (int k = 1; k <= 300; k++) {
        const double t = 0.005 * k;
        const thud_pose X = {q_axis_angle(v3_normalize(v3(1, 2, 3)), t), {sin(t), 1 - cos(t), 1 + 0.2 * t}};
        CHECK_OK(thud_state_place(w.m, body(&w, "hand"), X, w.s));
        world_step(&w);
        const vec3 p = v3(w.s->qpos[0], w.s->qpos[1], w.s->qpos[2]);
        const quat q = {w.s->qpos[3], w.s->qpos[4], w.s->qpos[5], w.s->qpos[6]};
        CHECK_BELOW(v3_norm(v3_sub(p, X.p)), 1e-8);
        CHECK_BELOW(v3_norm(q_log(q_mul(q_conj(q), X.q))), 1e-8);
    }
    world_end(&w);
}

#define HANGING                                                                                              \
    "<mujoco><worldbody><body name='cart' mocap='true' pos='0 0 2'><body name='frame' pos='0 0.1 0'>"        \
    "<body name='bob' pos='0 0 -0.1'><joint name='pin' axis='0 1 0'/><geom type='sphere' size='0.05' "       \
    "pos='0 0 -0.5'/>"                                                                                       \
    "<site name='tip' pos='0 0 -0.5'/></body></body></body><body name='other' pos='1 0 0'><joint "           \
    "type='slide'/>"                                                                                         \
    "<geom type='sphere' size='0.1'/></body></worldbody>"                                                    \
    "<keyframe><key name='away' mpos='1 2 3' mquat='2 0 0 2'/><key name='half' mpos='0 0 4'/></keyframe>"    \
    "<sensor><framepos name='tip' objtype='site' objname='tip'/></sensor></mujoco>"

TEST(what_hangs_on_a_mocap_body_moves_with_it)
{
    world w = world_text(HANGING);
    world_begin(&w, 0);
    vec3 tip = sensed(&w, "tip"); // a quarter turn about z: y becomes -x
    CHECK_NEAR(v3_norm(v3_sub(tip, v3(1 - 0.1, 2, 3 - 0.6))), 0, 1e-15);
    w.s->qpos[0] = 0.5;
    world_step(&w);
    CHECK_NEAR(w.s->qvel[0], -0.002 * 9.81 * sin(0.5) * 0.5 / (0.25 + 0.4 * 0.0025), 1e-6);
    world_begin(&w, 1);
    tip = sensed(&w, "tip");
    CHECK_NEAR(v3_norm(v3_sub(tip, v3(0, 0.1, 4 - 0.6))), 0, 1e-15);
    CHECK_NEAR(w.s->mocap[3], 1, 0);
    const thud_energy high = thud_sim_energy(w.sim, w.s);
    CHECK_OK(thud_state_place(w.m, body(&w, "cart"), at(0, 0, 3), w.s));
    const thud_energy low = thud_sim_energy(w.sim, w.s);
    const double mass = w.m->body_inertia[body(&w, "bob")].mass;
    CHECK_NEAR(high.potential - low.potential, 9.81 * mass, 1e-9);
    world_end(&w);
}

TEST(a_state_knows_where_its_mocap_bodies_are)
{
    world w = world_text(HANGING);
    world_begin(&w, -1);
    const uint64_t before = thud_state_hash(w.s);
    CHECK_INT(thud_state_place(w.m, body(&w, "other"), at(0, 0, 0), w.s), THUD_BAD_ARGUMENT);
    CHECK_INT(thud_state_place(w.m, body(&w, "frame"), at(0, 0, 0), w.s), THUD_BAD_ARGUMENT);
    CHECK_INT(thud_state_place(w.m, -1, at(0, 0, 0), w.s), THUD_BAD_ARGUMENT);
    CHECK_INT(thud_state_place(w.m, body(&w, "cart"), at(NAN, 0, 0), w.s), THUD_BAD_ARGUMENT);
    CHECK_INT(thud_state_place(w.m, body(&w, "cart"), (thud_pose){{0, 0, 0, 0}, {0, 0, 0}}, w.s),
              THUD_BAD_ARGUMENT);
    CHECK(thud_state_hash(w.s) == before);
    CHECK_OK(thud_state_place(w.m, body(&w, "cart"), (thud_pose){{0, 2, 0, 0}, {1, 0, 1}}, w.s));
    CHECK(thud_state_hash(w.s) != before);
    const size_t bytes = thud_state_bytes(w.s);
    unsigned char *blob = malloc(bytes);
    thud_state_save(w.s, blob);
    thud_state *other;
    CHECK_OK(thud_state_create(w.m, &other));
    CHECK_OK(thud_state_load(w.m, blob, bytes, other, NULL));
    CHECK(thud_state_hash(other) == thud_state_hash(w.s));
    CHECK_NEAR(other->mocap[4], 1, 0);
    world_run(&w, 0.1);
    thud_sim *fresh;
    CHECK_OK(thud_sim_create(w.m, &w.o, &fresh, NULL));
    while (other->time < w.s->time) {
        CHECK_OK(thud_sim_step(fresh, NULL, other, NULL));
    }
    CHECK(thud_state_hash(other) == thud_state_hash(w.s));
    thud_sim_destroy(fresh);
    thud_state_destroy(other);
    free(blob);
    world_end(&w);
}

TEST(mocap_poses_that_are_not_numbers_are_refused_and_a_quaternion_of_zeros_is_the_identity)
{
    thud_spec *spec;
    thud_model *m;
    thud_diag diag = {.text = ""};
    const char text[] =
        "<mujoco><worldbody><body mocap='true'/></worldbody><keyframe><key name='k' mquat='0 0 0 0'/>"
        "</keyframe></mujoco>";
    CHECK_OK(thud_load_mjcf_text(text, sizeof text - 1, "t.xml", &spec, &diag));
    CHECK_OK(thud_model_build(spec, &m, &diag));
    CHECK_NEAR(m->key_mocap[0].q.w, 1, 0);
    thud_model_destroy(m);
    spec->key[0].mquat[0] = NAN;
    CHECK_INT(thud_model_build(spec, &m, &diag), THUD_BAD_MODEL);
    CHECK(strstr(diag.text, "keyframe 'k'"));
    thud_spec_destroy(spec);
}

TEST_MAIN(T(what_lies_on_a_mocap_body_rises_and_sinks_with_it_and_gains_no_speed),
          T(what_is_welded_to_a_mocap_body_follows_it), T(what_hangs_on_a_mocap_body_moves_with_it),
          T(a_state_knows_where_its_mocap_bodies_are),
          T(mocap_poses_that_are_not_numbers_are_refused_and_a_quaternion_of_zeros_is_the_identity))
