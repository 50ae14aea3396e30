// SPDX-License-Identifier: Apache-2.0
// test_maximal_agrees.c: a mechanism moves alike in minimal and in maximal coordinates, the better the finer
// the step: joints as rows are the same joints.
#include "test.h"

#include <thud/thud.h>

enum { MOST = 32 }; // positions of the mechanisms below

// Takes steps until `time`, growing where contacts ask for it; the largest drift of joints and loops.
static double run(const thud_model *m, double h, double time, thud_state *s)
{
    thud_step_options options = thud_step_defaults(m);
    thud_sim *sim;
    thud_diag diag = {.text = ""};
    double drift = 0;
    options.h = h;
    CHECK_OK(thud_sim_create(m, &options, &sim, &diag));
    while (s->time < time - h / 2) {
        thud_certificate c;
        const thud_status status = thud_sim_step(sim, NULL, s, &c);
        if (status == THUD_NO_MEMORY) {
            CHECK_OK(thud_sim_grow(sim, s));
            continue;
        }
        CHECK_OK(status);
        drift = fmax(drift, c.joint_drift);
    }
    thud_sim_destroy(sim);
    return drift;
}

// The largest difference of joint positions after `time`, from keyframe 0 if there is one.
static double difference(const char *path, double h, double time)
{
    thud_spec *spec, *wide;
    thud_model *m, *n;
    thud_state *s, *t, *back;
    thud_diag diag = {.text = ""};
    CHECK_OK(thud_load_mjcf(path, &spec, &diag));
    CHECK_OK(thud_model_build(spec, &m, &diag));
    CHECK_OK(thud_spec_maximal(spec, &wide, &diag));
    CHECK_OK(thud_model_build(wide, &n, &diag));
    CHECK_OK(thud_state_create(m, &s));
    CHECK_OK(thud_state_create(m, &back));
    CHECK_OK(thud_state_create(n, &t));
    CHECK_OK(thud_state_reset(m, m->keys > 0 ? 0 : -1, s));
    CHECK_OK(thud_maximal_state(m, s, n, t));
    run(m, h, time, s);
    CHECK_BELOW(run(n, h, time, t), 1e-8); // rows hold: positions are put right to 1e-9
    CHECK_OK(thud_state_copy(s, back));    // turns are counted from here
    CHECK_OK(thud_minimal_state(n, t, m, back));
    CHECK(m->nv == m->nq && m->nq <= MOST);
    double worst = 0;
    for (int i = 0; i < m->nq; i++) {
        worst = fmax(worst, fabs(back->qpos[i] - s->qpos[i]));
        CHECK(isfinite(worst));
    }
    thud_state_destroy(s);
    thud_state_destroy(t);
    thud_state_destroy(back);
    thud_model_destroy(m);
    thud_model_destroy(n);
    thud_spec_destroy(spec);
    thud_spec_destroy(wide);
    return worst;
}

// Halving the step divides the difference by `factor` at least.
static void check_order(const char *scene, double h, double time, double factor, double least)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/scenes/%s.xml", THUD_SOURCE_DIR, scene);
    const double coarse = difference(path, h, time), fine = difference(path, h / 2, time);
    CHECK_BELOW(fine, coarse / factor);
    CHECK_BELOW(least, coarse); // they are two computations, not one
}

TEST(a_chain_moves_alike_to_second_order)
{
    check_order("double_pendulum", 0.0025, 0.5, 3.5, 1e-6); // measured 3.86
    check_order("pendulum3", 0.0025, 0.5, 3.5, 1e-8);       // 4.03
}

TEST(a_closed_loop_moves_alike_to_second_order)
{
    check_order("fourbar", 0.0025, 0.5, 3.5, 1e-6); // measured 4.37
}

TEST(balls_on_strings_collide_alike_to_first_order_at_least)
{
    check_order("cradle", 0.0025, 0.6, 1.8, 1e-9); // measured 4.2
}

TEST_MAIN(T(a_chain_moves_alike_to_second_order), T(a_closed_loop_moves_alike_to_second_order),
          T(balls_on_strings_collide_alike_to_first_order_at_least))
