// SPDX-License-Identifier: Apache-2.0
// test_sensors.c: what sensors read of contact, limits, impacts and weight. Agreement with MuJoCo where nothing
// touches is in sensors_agree_with_mujoco.py.
#include "world.h"

static double reading[128];

// The readings of a sensor by its name.
static const double *sense(world *w, const char *name)
{
    const int i = thud_model_find(w->m, THUD_KIND_SENSOR, name);
    CHECK(i >= 0 && w->m->readings <= 128);
    CHECK_OK(thud_sim_sense(w->sim, w->s, reading));
    return reading + w->m->sensor_at[i];
}

static void check_vec(const double *got, double x, double y, double z, double tolerance)
{
    CHECK_NEAR(got[0], x, tolerance);
    CHECK_NEAR(got[1], y, tolerance);
    CHECK_NEAR(got[2], z, tolerance);
}

// ---------------------------------------------------------------------------------------------- rest

// A box of 2 kg with a mast of 0.5 kg welded on it 0.3 m beside its middle; sites around its left and right half.
#define MAST                                                                                                 \
    "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='0 0 1'/><body name='box' pos='0 " \
    "0 0.1'>"                                                                                                \
    "<freejoint/><geom type='box' size='0.4 0.2 0.1' mass='2'/>"                                             \
    "<site name='left' type='box' size='0.21 0.21 0.11' pos='-0.2 0 0'/>"                                    \
    "<site name='right' type='box' size='0.21 0.21 0.11' pos='0.2 0 0'/>"                                    \
    "<site name='tilted' euler='0 90 0'/>"                                                                   \
    "<body name='mast' pos='0.3 0 0.2'><geom type='sphere' size='0.05' mass='0.5' pos='0 0 0.1'/><site "     \
    "name='foot'/>"                                                                                          \
    "<site name='aside' pos='0.1 0 0'/></body></body></worldbody><sensor>"                                   \
    "<touch name='left' site='left'/><touch name='right' site='right'/><touch name='weak' site='right' "     \
    "cutoff='3'/>"                                                                                           \
    "<accelerometer name='acc' site='tilted'/><force name='force' site='foot'/><torque name='torque' "       \
    "site='aside'/>"                                                                                         \
    "<framelinacc name='lin' objtype='body' objname='mast'/></sensor></mujoco>"

static void check_mast(world *w)
{
    const double g = 9.81;
    const double left = sense(w, "left")[0], right = sense(w, "right")[0];
    CHECK_NEAR(left + right, 2.5 * g, 1e-9);
    CHECK_NEAR(0.4 * (right - left), 0.3 * 0.5 * g, 1e-9); // moments about the middle
    CHECK_NEAR(sense(w, "weak")[0], 3, 0);
    check_vec(sense(w, "acc"), -g, 0, 0, 1e-9); // its x axis looks down
    check_vec(sense(w, "force"), 0, 0, 0.5 * g, 1e-9);
    check_vec(sense(w, "torque"), 0, 0.1 * 0.5 * g, 0, 1e-9);
    check_vec(sense(w, "lin"), 0, 0, g, 1e-9);
    const thud_force box = thud_sim_contact_force(w->sim, 1, v3(0, 0, 0)),
                     world_ = thud_sim_contact_force(w->sim, 0, v3(0, 0, 0));
    CHECK_NEAR(box.lin.z, 2.5 * g, 1e-9);
    CHECK_NEAR(box.ang.y, -0.3 * 0.5 * g, 1e-9);
    CHECK_NEAR(box.lin.z + world_.lin.z, 0, 1e-12);
}

TEST(at_rest_touch_sums_to_the_weight_and_a_sensor_under_a_body_reads_its_weight)
{
    world w = world_text(MAST);
    world_begin(&w, -1);
    check_mast(&w); // before any step: as in one begun here
    world_run(&w, 0.2);
    check_mast(&w);
    world_end(&w);
}

// They are summed up when they are asked for, from what the step left behind.
TEST(forces_of_contacts_outlive_what_they_are_read_from)
{
    world w = world_text(MAST);
    world_begin(&w, -1);
    world_run(&w, 0.1);
    for (int k = 0; k < 3; k++) { // the first times may make room in the state alone
        CHECK_OK(thud_sim_grow(w.sim, w.s));
    }
    CHECK_NEAR(thud_sim_contact_force(w.sim, 1, v3(0, 0, 0)).lin.z, 2.5 * 9.81, 1e-9);
    world_end(&w);
}

TEST(the_event_driven_scheme_reads_the_same_at_rest)
{
    world w = world_text(MAST);
    w.o.scheme = THUD_SCHEME_EVENT_DRIVEN;
    world_begin(&w, -1);
    world_run(&w, 0.02);
    check_mast(&w);
    world_end(&w);
}

// An arm of 1 kg at 0.5 m leans on its lower limit, level; a weight of 2 kg hangs on a tendon at its limit.
TEST(limits_read_how_far_and_how_hard_they_hold)
{
    world w = world_text("<mujoco><compiler angle='radian'/><worldbody><body><joint name='j' axis='0 -1 0' "
                         "limited='true' range='0 1' "
                         "margin='0.01'/><geom type='sphere' size='0.01' mass='1' pos='0.5 0 0'/></body>"
                         "<site name='top' pos='2 0 1'/><body pos='2 0 0'><joint type='slide' axis='0 0 1'/>"
                         "<geom type='sphere' size='0.1' mass='2'/><site name='hook'/></body></worldbody>"
                         "<tendon><spatial name='t' limited='true' range='0 1'><site site='top'/><site "
                         "site='hook'/></spatial></tendon>"
                         "<sensor><jointlimitpos name='jp' joint='j'/><jointlimitvel name='jv' "
                         "joint='j'/><jointlimitfrc name='jf' "
                         "joint='j'/><tendonlimitfrc name='tf' tendon='t'/><tendonlimitpos name='tp' "
                         "tendon='t'/></sensor></mujoco>");
    world_begin(&w, -1);
    world_run(&w, 0.1);
    CHECK_NEAR(sense(&w, "jp")[0], -0.01, 1e-8);
    CHECK_NEAR(sense(&w, "jv")[0], 0, 1e-9);
    CHECK_NEAR(sense(&w, "jf")[0], 0.5 * 9.81, 1e-8);
    CHECK_NEAR(sense(&w, "tf")[0], 2 * 9.81, 1e-8);
    CHECK_NEAR(sense(&w, "tp")[0], 0, 1e-8);
    world_end(&w);
}

// ---------------------------------------------------------------------------------------------- motion

// Centripetal: a pendulum of 0.8 kg at 0.5 m pulls with m g cos a + m w^2 L along its rod.
TEST(a_swinging_pendulum_pulls_with_its_weight_and_its_turning)
{
    world w = world_text(
        "<mujoco><option timestep='0.0005'/><worldbody><body><joint name='j' axis='0 -1 0'/>"
        "<geom type='sphere' size='0.02' mass='0.8' pos='0 0 -0.5'/><site name='s'/></body></worldbody>"
        "<sensor><force name='f' site='s'/></sensor></mujoco>");
    world_begin(&w, -1);
    w.s->qpos[0] = 1;
    for (int k = 0; k < 1000; k++) {
        const double q0 = w.s->qpos[0], v0 = w.s->qvel[0];
        world_step(&w);
        const double q = 0.5 * (q0 + w.s->qpos[0]), v = 0.5 * (v0 + w.s->qvel[0]);
        const double *f = sense(&w, "f");
        CHECK_NEAR(f[2], 0.8 * (9.81 * cos(q) + 0.5 * v * v), 1e-9);
    }
    world_end(&w);
}

// A ball falls and springs back: in every step, the one of the impact too, h (a - g) is its change of velocity.
TEST(an_impact_is_felt_with_its_whole_impulse)
{
    world w = world_text(
        "<mujoco><option timestep='0.002'/><custom><numeric name='thud:restitution' data='0.7'/>"
        "</custom><worldbody><geom type='plane' size='0 0 1'/><body pos='0 0 0.3'><freejoint/>"
        "<geom type='sphere' size='0.1' mass='3'/><site name='s' size='0.2'/></body></worldbody><sensor>"
        "<accelerometer name='a' site='s'/><touch name='t' site='s'/></sensor></mujoco>");
    world_begin(&w, -1);
    int impacts = 0;
    for (int k = 0; k < 500; k++) {
        const double v = w.s->qvel[2];
        world_step(&w);
        impacts += w.c.impacts;
        const double change = (w.s->qvel[2] - v) / w.o.h + 9.81;
        CHECK_NEAR(sense(&w, "a")[2], change, 1e-9);
        CHECK_NEAR(sense(&w, "t")[0], 3 * change, 1e-8);
        CHECK_NEAR(thud_sim_contact_force(w.sim, 1, v3(0, 0, 0)).lin.z, 3 * change, 1e-8);
    }
    CHECK(impacts > 3);
    world_end(&w);
}

// Steps are cut where the ball hits the ground; the crate stands beside it in all of their parts.
// A rod falls about a hinge towards a floor: what will happen there is not felt before it does.
TEST(what_will_spring_back_is_not_felt_before_it_touches)
{
    double fall[400];
    for (int springs = 0; springs < 2; springs++) {
        world w = world_text(
            "<mujoco><option timestep='0.005'/><worldbody><geom type='plane' pos='0 0 .3' size='0 0 1'/>"
            "<body pos='0 0 1'><joint axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .8 0 0' size='.05'/>"
            "<site name='tip' pos='.8 0 0'/></body></worldbody><sensor><accelerometer name='acc' site='tip'/>"
            "<force name='force' site='tip'/></sensor></mujoco>");
        w.o.restitution = 0.5 * springs;
        world_begin(&w, -1);
        for (int k = 0; k < 66; k++) {
            world_step(&w);
            CHECK_INT(w.c.impacts, 0);
            for (int r = 0; r < 3; r++) {
                const double now[2] = {sense(&w, "acc")[r], sense(&w, "force")[r]};
                for (int x = 0; x < 2; x++) {
                    double *at = &fall[6 * k + 2 * r + x];
                    *at = springs ? *at : now[x];
                    CHECK_NEAR(now[x], *at, 1e-9);
                }
            }
        }
        world_end(&w);
    }
}

TEST(a_crate_is_felt_with_its_weight_while_a_ball_cuts_the_steps_in_parts)
{
    world w = world_text(
        "<mujoco><option timestep='0.002'/><custom><numeric name='thud:restitution' data='0.7'/></custom>"
        "<worldbody><geom type='plane' size='0 0 1'/><body pos='0 0 0.3'><freejoint/><geom type='sphere' "
        "size='0.1' mass='3'/></body><body pos='2 0 0.1'><freejoint/><geom type='box' size='0.1 0.1 0.1' "
        "mass='5'/></body></worldbody></mujoco>");
    world_begin(&w, -1);
    int impacts = 0;
    for (int k = 0; k < 500; k++) {
        world_step(&w);
        impacts += w.c.impacts;
        CHECK_NEAR(thud_sim_contact_force(w.sim, 2, v3(0, 0, 0)).lin.z, 5 * 9.81, 1e-6);
    }
    CHECK(impacts > 3);
    world_end(&w);
}

// A servo's force is what it gave on the step's mean: with armature alone to move, the change of momentum.
TEST(an_actuator_reads_the_force_it_gave)
{
    world w = world_text(
        "<mujoco><option timestep='0.002' gravity='0 0 0'/><worldbody><body><joint name='j' type='slide'/>"
        "<geom type='sphere' size='0.1' mass='2'/></body></worldbody><actuator>"
        "<position name='p' joint='j' kp='20000' kv='300'/></actuator><sensor>"
        "<actuatorfrc name='f' actuator='p'/><jointactuatorfrc name='jf' joint='j'/>"
        "</sensor></mujoco>");
    world_begin(&w, -1);
    w.s->ctrl[0] = 0.1;
    for (int k = 0; k < 100; k++) {
        const double v = w.s->qvel[0];
        world_step(&w);
        CHECK_NEAR(sense(&w, "f")[0], 2 * (w.s->qvel[0] - v) / w.o.h, 1e-9);
        CHECK_NEAR(sense(&w, "jf")[0], sense(&w, "f")[0], 1e-12);
    }
    world_end(&w);
}

// ---------------------------------------------------------------------------------------------- balance

// A scene of ours with a force sensor at the frame of the body that its free joint carries.
static world with_root_sensor(const char *path)
{
    world w = {0};
    thud_diag diag = {.text = ""};
    if (thud_load_mjcf(path, &w.spec, &diag) != THUD_OK) {
        fail_msg("%s: %s", path, diag.text);
    }
    int root = 0;
    while (w.spec->joint[root].type != THUD_JOINT_FREE) {
        root++;
    }
    const int body = w.spec->joint[root].body;
    const int site = thud_spec_add_site(w.spec, body, NULL);
    CHECK(thud_spec_add_sensor(w.spec, THUD_SENSOR_FORCE, site, "force") >= 0);
    CHECK(thud_spec_add_sensor(w.spec, THUD_SENSOR_TORQUE, site, "torque") >= 0);
    CHECK(thud_spec_add_sensor(w.spec, THUD_SENSOR_SUBTREELINVEL, body, "velocity") >= 0);
    world_build(&w, path);
    return w;
}

static vec3 feet(const world *w) // what contacts do to all bodies but the world
{
    return v3_neg(thud_sim_contact_force(w->sim, 0, v3(0, 0, 0)).lin);
}

// Through a free joint goes nothing: contacts carry weight and inertia. Largest error in units of the weight (1.2e-14
// was reached, by cassie); and of the momentum, whose difference over a step is only of second order in h.
static void check_balance(const char *path, int key, double time, double momentum_error)
{
    world w = with_root_sensor(path);
    world_begin(&w, key < w.m->keys ? key : -1);
    const double weight = 9.81 * w.m->total_mass;
    double worst = 0, drift = 0, most = 0;
    while (w.s->time < time) {
        const double *u = sense(&w, "velocity");
        const vec3 before = v3(u[0], u[1], u[2]);
        world_step(&w);
        const double *f = sense(&w, "force"), *n = sense(&w, "torque"), *v = sense(&w, "velocity");
        const vec3 gained = v3_scale(w.m->total_mass / w.o.h, v3_sub(v3(v[0], v[1], v[2]), before));
        const vec3 contacts = feet(&w);
        worst = fmax(worst, hypot(hypot(f[0], f[1]), f[2]) / weight);
        worst = fmax(worst, hypot(hypot(n[0], n[1]), n[2]) / weight);
        drift = fmax(drift, v3_norm(v3_sub(v3_add(gained, v3(0, 0, weight)), contacts)) / weight);
        most = fmax(most, contacts.z / weight);
        CHECK(!isnan(worst + drift));
    }
    CHECK_BELOW(worst, 1e-9);
    CHECK_BELOW(drift, momentum_error);
    CHECK(most > 0.1); // something stands or lands
    world_end(&w);
}

TEST(feet_carry_weight_and_inertia_standing)
{
    check_balance(THUD_SOURCE_DIR "/scenes/quadruped.xml", 0, 0.5, 1e-9);
}

TEST(feet_carry_weight_and_inertia_landing_and_falling)
{
    check_balance(THUD_SOURCE_DIR "/scenes/quadruped.xml", -1, 0.6,
                  0.03); // 0.0105, in the step of the impact: 12 weights
    check_balance(THUD_SOURCE_DIR "/scenes/humanoid.xml", 0, 0.8, 0.1); // 0.031, of 4.9
}

TEST(feet_of_published_robots_carry_weight_and_inertia)
{
    static const char *const scenes[] = {"menagerie/anybotics_anymal_c/scene.xml",
                                         "menagerie/agility_cassie/scene.xml"};
    for (int i = 0; i < 2; i++) {
        const char *path = test_shared(scenes[i]);
        if (!path) {
            test_skip(TEST_NO_SHARED);
        }
        check_balance(path, 0, 0.3, 0.1);
    }
}

// ---------------------------------------------------------------------------------------------- leaves alone

TEST(reading_sensors_changes_no_motion)
{
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        world w = world_text(MAST);
        world_begin(&w, -1);
        w.s->qvel[0] = 1;
        w.s->qvel[4] = 2;
        for (int i = 0; i < 200; i++) {
            if (k == 1) {
                (void)sense(&w, "acc");
                thud_state *copy;
                CHECK_OK(thud_state_create(w.m, &copy)); // a state this sim has not stepped to
                CHECK_OK(thud_sim_sense(w.sim, copy, reading));
                thud_state_destroy(copy);
            }
            world_step(&w);
        }
        hash[k] = thud_state_hash(w.s);
        world_end(&w);
    }
    CHECK(hash[0] == hash[1]);
}

TEST_MAIN(T(at_rest_touch_sums_to_the_weight_and_a_sensor_under_a_body_reads_its_weight),
          T(forces_of_contacts_outlive_what_they_are_read_from),
          T(the_event_driven_scheme_reads_the_same_at_rest), T(limits_read_how_far_and_how_hard_they_hold),
          T(a_swinging_pendulum_pulls_with_its_weight_and_its_turning),
          T(an_impact_is_felt_with_its_whole_impulse), T(what_will_spring_back_is_not_felt_before_it_touches),
          T(a_crate_is_felt_with_its_weight_while_a_ball_cuts_the_steps_in_parts),
          T(an_actuator_reads_the_force_it_gave), T(feet_carry_weight_and_inertia_standing),
          T(feet_carry_weight_and_inertia_landing_and_falling),
          T(feet_of_published_robots_carry_weight_and_inertia), T(reading_sensors_changes_no_motion))
