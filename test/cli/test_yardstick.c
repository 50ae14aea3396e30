// SPDX-License-Identifier: Apache-2.0
// test_yardstick.c: the yardsticks of `thud bench` on motions that are made up, whose worth is known; and the
// race on an engine that is made up.
#include "test.h"

#include <thud/spatial_inline.h>
#include <thud/thud.h>

#include "cli/joint_fit.h"
#include "cli/race.h"

typedef struct fixture {
    thud_spec *spec;
    thud_model *m;
    thud_state *s;
    thud_dynamics *d;
    yardstick *y;
    pose X[40];
    thud_motion V[40], twist[40];
} fixture;

// Bodies where the reference pose has them, at rest; the last part begins at `rest`.
static fixture open_text(const char *text, double rest)
{
    fixture f = {0};
    thud_diag diag = {0};
    if (thud_load_mjcf_text(text, strlen(text), "text.xml", &f.spec, &diag) != THUD_OK ||
        thud_model_build(f.spec, &f.m, &diag) != THUD_OK) {
        fail_msg("%s", diag.text);
    }
    CHECK_OK(thud_state_create(f.m, &f.s));
    CHECK_OK(thud_dynamics_create(f.m, &f.d));
    CHECK_OK(yardstick_create(f.m, rest, &f.y));
    yardstick_bodies(f.m, f.s->qpos, f.s->qvel, f.d, f.twist, f.X, f.V);
    return f;
}

static void close_fixture(fixture *f)
{
    yardstick_destroy(f->y);
    thud_dynamics_destroy(f->d);
    thud_state_destroy(f->s);
    thud_model_destroy(f->m);
    thud_spec_destroy(f->spec);
}

#define BALL                                                                                                 \
    "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 0.1'><freejoint/>"                   \
    "<geom type='sphere' size='0.1' mass='2'/></body></worldbody></mujoco>"
#define HINGE                                                                                                \
    "<mujoco><compiler angle='radian'/><worldbody><body pos='0 0 1'><joint type='hinge' axis='0 1 0' "       \
    "pos='0.1 0 0' limited='true' range='-0.5 0.5' armature='0.3' stiffness='4'/>"                           \
    "<geom type='box' size='0.1 0.2 0.3' mass='1' contype='0' conaffinity='0'/></body></worldbody></mujoco>"
#define GIMBAL                                                                                               \
    "<mujoco><worldbody><body pos='0 0 1'><freejoint/><geom size='0.1' mass='1'/><body pos='0 0.3 0'>"       \
    "<joint axis='0 1 0'/><joint axis='1 0 0'/><joint axis='0 0 1'/><geom size='0.1' mass='1'/>"             \
    "</body></body></worldbody></mujoco>"
#define LOOP                                                                                                 \
    "<mujoco><worldbody><body name='a' pos='0 0 1'><freejoint/><geom size='0.1' mass='1'/></body>"           \
    "</worldbody><equality><connect body1='a' anchor='0.2 0 0'/></equality></mujoco>"

TEST(a_ball_3_mm_in_the_floor_penetrates_it_by_3_mm)
{
    fixture f = open_text(BALL, 0);
    CHECK_OK(yardstick_look(f.y, 0, f.X, f.V));
    CHECK_NEAR(yardstick_read(f.y).penetration, 0, 1e-15);
    CHECK_NEAR(yardstick_read(f.y).contacts, 1, 0);
    f.X[1].p.z = 0.097;
    CHECK_OK(yardstick_look(f.y, 1, f.X, f.V));
    f.X[1].p.z = 0.5;
    CHECK_OK(yardstick_look(f.y, 2, f.X, f.V));
    CHECK_NEAR(yardstick_read(f.y).penetration, 0.003, 1e-15);
    CHECK_NEAR(yardstick_read(f.y).contacts, 2.0 / 3, 1e-15);
    close_fixture(&f);
}

TEST(creep_is_how_fast_a_body_moved_during_the_last_part_alone)
{
    fixture f = open_text(BALL, 1);
    CHECK_OK(yardstick_look(f.y, 0, f.X, f.V));
    f.X[1].p.x = 7; // before the last part
    CHECK_OK(yardstick_look(f.y, 1, f.X, f.V));
    CHECK(isnan(yardstick_read(f.y).creep));
    f.X[1].p.x = 7.002;
    f.V[1].lin.x = 0.1;
    CHECK_OK(yardstick_look(f.y, 3, f.X, f.V));
    CHECK_NEAR(yardstick_read(f.y).creep, 0.001, 1e-12);
    CHECK_NEAR(yardstick_read(f.y).kinetic_rest, 0.5 * 0.5 * 2 * 0.01, 1e-15); // 0 and 0.01 J
    close_fixture(&f);
}

TEST(energy_that_rises_is_told_from_energy_that_falls)
{
    fixture f = open_text(BALL, 0);
    const double mg = 2 * 9.81;
    const double heights[] = {1, 0.4, 0.6, 0.5};
    for (int k = 0; k < 4; k++) {
        f.X[1].p.z = heights[k];
        CHECK_OK(yardstick_look(f.y, k, f.X, f.V));
    }
    const measures w = yardstick_read(f.y);
    CHECK_NEAR(w.rise, 0.2 * mg, 1e-12);
    CHECK_NEAR(w.error, 0.6 * mg, 1e-12);
    CHECK_NEAR(w.turnover, 0.6 * mg, 1e-12);
    close_fixture(&f);
}

TEST(a_hinge_pulled_off_its_axis_drifts_and_one_that_turns_does_not)
{
    fixture f = open_text(HINGE, 0);
    f.s->qpos[0] = 0.4;
    f.s->qvel[0] = 2;
    CHECK_OK(yardstick_look_joints(f.y, 0, f.s->qpos, f.s->qvel));
    CHECK_NEAR(yardstick_read(f.y).drift, 0, 1e-12);
    yardstick_bodies(f.m, f.s->qpos, f.s->qvel, f.d, f.twist, f.X, f.V);
    f.X[1].p.y += 0.002; // off along the axis, which no turn can make good
    CHECK_OK(yardstick_look(f.y, 1, f.X, f.V));
    CHECK_NEAR(yardstick_read(f.y).drift, 0.002, 1e-9);
    f.X[1].p.y -= 0.002;
    f.X[1].q = q_mul(q_axis_angle(v3(1, 0, 0), 0.01), f.X[1].q);
    CHECK_OK(yardstick_look(f.y, 2, f.X, f.V));
    CHECK_NEAR(yardstick_read(f.y).drift, 0.01, 1e-4); // the shift of the anchor is fitted along with it
    close_fixture(&f);
}

TEST(a_limit_overstepped_by_a_tenth_drifts_by_a_tenth)
{
    fixture f = open_text(HINGE, 0);
    f.s->qpos[0] = -0.6;
    CHECK_OK(yardstick_look_joints(f.y, 0, f.s->qpos, f.s->qvel));
    CHECK_NEAR(yardstick_read(f.y).drift, 0.1, 1e-9);
    close_fixture(&f);
}

TEST(springs_and_rotors_count_in_the_energy)
{
    fixture f = open_text(HINGE, 0);
    CHECK_OK(yardstick_look_joints(f.y, 0, f.s->qpos, f.s->qvel));
    f.s->qpos[0] = 0.3;
    f.s->qvel[0] = 2;
    CHECK_OK(yardstick_look_joints(f.y, 1, f.s->qpos, f.s->qvel));
    const double I = (0.01 + 0.09) / 3 + 0.01 + 0.3; // box about y, shifted by 0.1 m, rotor
    const double fall = 9.81 * 0.1 * sin(0.3);       // the centre is at -x of the hinge, which turns it up
    CHECK_NEAR(yardstick_read(f.y).error, 0.5 * I * 4 + 0.5 * 4 * 0.09 + fall, 1e-8);
    close_fixture(&f);
}

TEST(three_hinges_are_fitted_with_their_speeds)
{
    fixture f = open_text(GIMBAL, 0);
    const double q[] = {0.2, -0.1, 0.9, 0.8, 0.1, -0.5, 0.33166247903554, 0.7, -0.4, 1.1};
    const double v[] = {0.1, 0.2, 0.3, -1, 2, 0.5, 0.9, -0.6, 0.3};
    CHECK_OK(thud_state_set(f.m, q, v, f.s));
    yardstick_bodies(f.m, f.s->qpos, f.s->qvel, f.d, f.twist, f.X, f.V);
    const pose X_12 = pose_mul(pose_inv(f.X[1]), f.X[2]);
    const vec3 lin = v3_sub(v3_sub(f.V[2].lin, f.V[1].lin), v3_cross(f.V[1].ang, v3_sub(f.X[2].p, f.X[1].p)));
    const thud_motion V_12 = {q_unrotate(f.X[1].q, v3_sub(f.V[2].ang, f.V[1].ang)),
                              q_unrotate(f.X[1].q, lin)};
    double qpos[10] = {0}, qvel[9] = {0};
    CHECK_BELOW(joint_fit(f.m, 2, X_12, V_12, qpos, qvel), 1e-10);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(qpos[7 + i], q[7 + i], 1e-9);
        CHECK_NEAR(qvel[6 + i], v[6 + i], 1e-8);
    }
    close_fixture(&f);
}

TEST(a_loop_1_mm_open_drifts_by_1_mm)
{
    fixture f = open_text(LOOP, 0);
    f.X[1].p.y += 0.001;
    CHECK_OK(yardstick_look(f.y, 0, f.X, f.V));
    CHECK_NEAR(yardstick_read(f.y).drift, 0.001, 1e-12);
    close_fixture(&f);
}

TEST(what_is_not_a_number_is_refused)
{
    fixture f = open_text(BALL, 0);
    f.V[1].ang.y = NAN;
    CHECK_INT(yardstick_look(f.y, 0, f.X, f.V), THUD_NOT_FINITE);
    close_fixture(&f);
}

TEST(the_yardsticks_energy_is_the_engines_own)
{
    fixture f = open_text(GIMBAL, 0);
    thud_step_options o = thud_step_defaults(f.m);
    thud_sim *sim;
    thud_diag diag;
    CHECK_OK(thud_sim_create(f.m, &o, &sim, &diag));
    const double v[] = {0.1, 0.2, 0.3, -1, 2, 0.5, 0.9, -0.6, 0.3};
    const thud_energy still = thud_sim_energy(sim, f.s);
    CHECK_OK(yardstick_look_joints(f.y, 0, f.s->qpos, f.s->qvel));
    CHECK_OK(thud_state_set(f.m, NULL, v, f.s));
    const thud_energy moving = thud_sim_energy(sim, f.s);
    CHECK_OK(yardstick_look_joints(f.y, 1, f.s->qpos, f.s->qvel));
    CHECK_NEAR(yardstick_read(f.y).error, moving.kinetic + moving.potential - still.kinetic - still.potential,
               1e-12);
    thud_sim_destroy(sim);
    close_fixture(&f);
}

// ---------------------------------------------------------------------------------------- the race

// An engine that sinks its last body by 1 mm a step and breaks down after `breaks` steps.
typedef struct sinking {
    const engine_start *start;
    int steps;
} sinking;

static const course_place here = {.scenes = THUD_SOURCE_DIR "/scenes"};
static int breaks = 1000;
static int opened; // worlds

static void *open_sinking(const engine_start *start, char why[ENGINE_WHY_SIZE])
{
    sinking *w = calloc(1, sizeof *w);
    w->start = start;
    opened++;
    (void)why;
    return w;
}

static void *open_never(const engine_start *start, char why[ENGINE_WHY_SIZE])
{
    (void)start;
    snprintf(why, ENGINE_WHY_SIZE, "it has no floor");
    return NULL;
}

static int step_sinking(void *world, int count)
{
    sinking *w = world;
    const int good = w->steps + count <= breaks ? count : breaks - w->steps;
    w->steps += good;
    return good;
}

static void bodies_sinking(void *world, thud_pose *X_wb, thud_motion *V_wb)
{
    const sinking *w = world;
    (void)V_wb;
    X_wb[w->start->model->bodies - 1].p.z -= 1e-3 * w->steps;
}

static const engine sinks = {ENGINE_ABI,   "sinks", "sinks",        open_sinking, free,
                             step_sinking, NULL,    bodies_sinking, NULL};
static const engine never = {ENGINE_ABI,   "never", "never",        open_never, free,
                             step_sinking, NULL,    bodies_sinking, NULL};

static race_result race_box(const engine *e)
{
    course c;
    thud_diag diag = {0};
    race_result r;
    const contestant who = {.engine = e, .label = "it"};
    const race_options o = {.dt = 0.01, .time = 0.5, .repeats = 2, .patience = 1};
    CHECK_OK(course_open(&c, bench_scene_find("box"), &here, &diag));
    CHECK_OK(race_run(&c, &who, 1, &o, &r));
    course_close(&c);
    return r;
}

TEST(an_engine_that_sinks_by_1_mm_a_step_is_found_50_mm_deep)
{
    const race_result r = race_box(&sinks);
    CHECK(r.ran);
    CHECK_INT(r.steps, 50);
    CHECK_INT(r.taken, 50);
    CHECK_NEAR(r.worth.penetration, 0.05, 1e-12);
    CHECK_NEAR(r.worth.creep, 0.1, 1e-9); // 1 mm in 10 ms
    CHECK(isnan(r.broke) && isnan(r.certificate.cone));
}

TEST(what_an_engine_does_before_it_is_timed_is_not_counted_in_its_steps)
{
    course c;
    thud_diag diag = {0};
    race_result r;
    const contestant who = {.engine = &sinks, .label = "it"};
    const race_options o = {.dt = 0.01, .time = 0.5, .repeats = 2, .patience = 1};
    CHECK_OK(course_open(&c, bench_scene_find("box"), &here, &diag));
    bench_scene calmed = *c.scene;
    calmed.calm = 0.2;
    c.scene = &calmed;
    CHECK_OK(race_run(&c, &who, 1, &o, &r));
    CHECK_INT(r.taken, 50);
    CHECK_NEAR(r.worth.penetration, 0.07, 1e-12); // 20 steps before the first look, 50 after it
    CHECK_NEAR(r.worth.creep, 0.1, 1e-9);
    breaks = 10;
    CHECK_OK(race_run(&c, &who, 1, &o, &r));
    breaks = 1000;
    CHECK_INT(r.taken, 0);
    CHECK(isnan(r.us) && r.broke == 0);
    course_close(&c);
}

TEST(an_engine_that_breaks_down_is_told_from_one_that_does_not)
{
    breaks = 20;
    const race_result r = race_box(&sinks);
    breaks = 1000;
    CHECK_NEAR(r.broke, 0.2, 1e-12);
    CHECK_INT(r.taken, 20);
    CHECK(isnan(r.error));
}

// One run of nothing at all is no time to speak of: a repeat is twenty of them. Beside the look, there are two.
TEST(short_runs_are_timed_together_and_one_that_breaks_down_alone)
{
    opened = 0;
    CHECK(race_box(&sinks).us >= 0);
    CHECK_INT(opened, 1 + 2 * 20);
    opened = 0;
    breaks = 20;
    CHECK(race_box(&sinks).us >= 0);
    breaks = 1000;
    CHECK_INT(opened, 1 + 2);
}

TEST(an_engine_that_cannot_hold_a_scene_says_why)
{
    const race_result r = race_box(&never);
    CHECK(!r.ran && isnan(r.us));
    CHECK(strcmp(r.why, "it has no floor") == 0);
}

TEST(a_made_pile_begins_without_overlap)
{
    course c;
    thud_diag diag = {0};
    yardstick *y;
    CHECK_OK(course_open(&c, bench_scene_find("fall1000_boxes"), &here, &diag));
    CHECK_INT(c.model->bodies, 1001);
    CHECK_INT(c.rigids, 1000);
    CHECK_OK(yardstick_create(c.model, 0, &y));
    CHECK_OK(yardstick_look(y, 0, c.X_wb, c.V_wb));
    CHECK_NEAR(yardstick_read(y).penetration, 0, 0);
    yardstick_destroy(y);
    course_close(&c);
}

TEST(a_crowd_is_that_many_times_the_figure)
{
    course one, crowd;
    thud_diag diag = {0};
    CHECK_OK(course_open(&one, bench_scene_find("humanoid"), &here, &diag));
    CHECK_OK(course_open(&crowd, bench_scene_find("humanoids22"), &here, &diag));
    CHECK_INT(crowd.model->nv, 22 * one.model->nv);
    CHECK_NEAR(crowd.model->total_mass, 22 * one.model->total_mass, 1e-9);
    course_close(&one);
    course_close(&crowd);
}

TEST_MAIN(T(a_ball_3_mm_in_the_floor_penetrates_it_by_3_mm),
          T(creep_is_how_fast_a_body_moved_during_the_last_part_alone),
          T(energy_that_rises_is_told_from_energy_that_falls),
          T(a_hinge_pulled_off_its_axis_drifts_and_one_that_turns_does_not),
          T(a_limit_overstepped_by_a_tenth_drifts_by_a_tenth), T(springs_and_rotors_count_in_the_energy),
          T(three_hinges_are_fitted_with_their_speeds), T(a_loop_1_mm_open_drifts_by_1_mm),
          T(what_is_not_a_number_is_refused), T(the_yardsticks_energy_is_the_engines_own),
          T(an_engine_that_sinks_by_1_mm_a_step_is_found_50_mm_deep),
          T(what_an_engine_does_before_it_is_timed_is_not_counted_in_its_steps),
          T(an_engine_that_breaks_down_is_told_from_one_that_does_not),
          T(short_runs_are_timed_together_and_one_that_breaks_down_alone),
          T(an_engine_that_cannot_hold_a_scene_says_why), T(a_made_pile_begins_without_overlap),
          T(a_crowd_is_that_many_times_the_figure))
