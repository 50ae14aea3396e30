// SPDX-License-Identifier: Apache-2.0
// 03_rollouts.c: many runs at once on threads. The model is const and shared; a state and a sim belong to a
// thread. Ninety-six boxes are thrown over a rough floor, each in its own direction; each must stop after
// v^2 / (2 mu g), whatever the direction and however many threads there are.
//
//     cc -pthread 03_rollouts.c $(pkg-config --cflags --libs thud) -lm -o rollouts && ./rollouts 4
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <thud/thud.h>

enum { THROWS = 96, MOST_THREADS = 64 };

static const double mu = 0.5, g = 9.81, turn = 6.283185307179586;

static const char scene[] = "<mujoco><option timestep='0.002'/><worldbody>"
                            "<geom type='plane' size='5 5 1' friction='0.5'/>"
                            "<body pos='0 0 0.05'><freejoint/>"
                            "<geom type='box' size='0.1 0.1 0.05' mass='1' friction='0.5'/></body>"
                            "</worldbody></mujoco>";

typedef struct rollout { // one throw: what goes in and what comes out
    double speed, heading;
    thud_status status;
    double x, y, worst; // where it stops; worst residual on the way
} rollout;

typedef struct worker {
    const thud_model *model; // shared, never written
    rollout *rollout;        // all of them; this thread takes first, first + stride, ...
    int first, stride;
    thud_status status;
} worker;

static thud_status throw_box(thud_sim *sim, thud_state *state, const thud_model *model, rollout *r)
{
    thud_certificate c;
    THUD_TRY(thud_state_reset(model, -1, state));
    state->qvel[0] = r->speed * cos(r->heading);
    state->qvel[1] = r->speed * sin(r->heading);
    while (state->time < 1) {
        THUD_TRY(thud_sim_step(sim, NULL, state, &c));
        r->worst = fmax(r->worst, c.cone_residual);
    }
    r->x = state->qpos[0];
    r->y = state->qpos[1];
    return THUD_OK;
}

static void *work(void *argument)
{
    worker *w = argument;
    thud_state *state = NULL;
    thud_sim *sim = NULL;
    const thud_step_options options = thud_step_defaults(w->model);
    w->status = thud_state_create(w->model, &state);
    if (w->status == THUD_OK) {
        w->status = thud_sim_create(w->model, &options, &sim, NULL);
    }
    for (int i = w->first; i < THROWS && w->status == THUD_OK; i += w->stride) {
        w->status = throw_box(sim, state, w->model, &w->rollout[i]);
    }
    thud_sim_destroy(sim);
    thud_state_destroy(state);
    return NULL;
}

// All throws on so many threads; false when one of them failed.
static bool throw_all(const thud_model *model, int threads, rollout out[THROWS])
{
    pthread_t thread[MOST_THREADS];
    worker w[MOST_THREADS];
    bool done = true;
    for (int i = 0; i < THROWS; i++) {
        out[i] = (rollout){.speed = 1 + i % 3 * 0.5, .heading = turn * i / THROWS};
    }
    for (int t = 0; t < threads; t++) {
        w[t] = (worker){model, out, t, threads, THUD_OK};
        if (pthread_create(&thread[t], NULL, work, &w[t]) != 0) {
            abort();
        }
    }
    for (int t = 0; t < threads; t++) {
        pthread_join(thread[t], NULL);
        done = done && w[t].status == THUD_OK;
    }
    return done;
}

int main(int argc, char **argv)
{
    const int threads = argc > 1 ? atoi(argv[1]) : 4;
    static rollout one[THROWS], many[THROWS];
    thud_diag diag = {0};
    thud_spec *spec = NULL;
    thud_model *model = NULL;
    if (threads < 1 || threads > MOST_THREADS) {
        fprintf(stderr, "usage: %s THREADS\n", argv[0]);
        return 2;
    }
    if (thud_load_mjcf_text(scene, strlen(scene), "rollouts", &spec, &diag) != THUD_OK ||
        thud_model_build(spec, &model, &diag) != THUD_OK) {
        fprintf(stderr, "%s\n", diag.text);
        return 1;
    }
    const bool done = throw_all(model, 1, one) && throw_all(model, threads, many);
    double error = 0, residual = 0;
    for (int i = 0; done && i < THROWS; i++) {
        const double way = many[i].speed * many[i].speed / (2 * mu * g);
        error = fmax(error,
                     hypot(many[i].x - way * cos(many[i].heading), many[i].y - way * sin(many[i].heading)));
        residual = fmax(residual, many[i].worst);
    }
    printf("%d throws on %d threads, farthest from v^2 / (2 mu g): %.2g m, worst residual %.2g\n", THROWS,
           threads, error, residual);
    printf("the same bits on 1 and on %d threads: %s\n", threads,
           memcmp(one, many, sizeof one) == 0 ? "yes" : "no");
    thud_model_destroy(model);
    thud_spec_destroy(spec);
    return done ? 0 : 3;
}
