// SPDX-License-Identifier: Apache-2.0
// trial.c: runs that are kept.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <thud/spatial_inline.h>

#include "trial.h"

const double *trial_qpos(const trial *t, int step)
{
    return t->qpos + (size_t)step * (size_t)t->nq;
}

const double *trial_qvel(const trial *t, int step)
{
    return t->qvel + (size_t)step * (size_t)t->nv;
}

double trial_worst(const trial *t, double (*of)(const thud_certificate *))
{
    double worst = 0;
    for (int k = 1; k <= t->taken; k++) {
        const double value = of(&t->certificate[k]);
        worst = value <= worst ? worst : value; // NaN is worst of all
    }
    return worst;
}

static void keep(trial *t, int step, const thud_certificate *c)
{
    const thud_state *s = t->scene.state;
    t->time[step] = s->time;
    memcpy(t->qpos + (size_t)step * (size_t)t->nq, s->qpos, sizeof(double) * (size_t)t->nq);
    memcpy(t->qvel + (size_t)step * (size_t)t->nv, s->qvel, sizeof(double) * (size_t)t->nv);
    t->certificate[step] = *c;
}

static bool make_room(trial *t, bool bare)
{
    const size_t rows = (bare ? 1 : (size_t)t->steps) + 1;
    t->time = thud_alloc(rows, sizeof(double));
    t->qpos = thud_alloc(rows * (size_t)t->nq + 1, sizeof(double));
    t->qvel = thud_alloc(rows * (size_t)t->nv + 1, sizeof(double));
    t->certificate = thud_alloc(rows, sizeof *t->certificate);
    return t->time && t->qpos && t->qvel && t->certificate;
}

static void take_steps(trial *t, const trial_wish *wish)
{
    const double start = thud_clock_cpu();
    thud_certificate c = {0};
    for (int k = 1; k <= t->steps && t->status == THUD_OK; k++) {
        t->status = stepper_step(&t->stepper, wish->bare ? NULL : &c);
        if (t->status == THUD_OK) {
            t->taken = k;
            if (!wish->bare) {
                keep(t, k, &c);
            }
            if (wish->watch) {
                wish->watch(t, wish->context);
            }
        }
    }
    t->cpu = thud_clock_cpu() - start;
    if (wish->bare && t->taken > 0) {
        keep(t, 1, &c);
    }
}

int trial_run(const command *self, const char *folder, const trial_wish *wish, trial *out)
{
    thud_diag diag = {0};
    trial *t = out;
    *t = (trial){0};
    snprintf(t->path, sizeof t->path, "%s/%s.xml", folder, wish->scene);
    const start_options start = {.keyframe = wish->keyframe};
    int code = scene_open(t->path, NULL, &t->scene);
    code = code == EXIT_DONE ? scene_start(self, &t->scene, &start) : code;
    if (code != EXIT_DONE) {
        return code;
    }
    thud_status status = wish->qpos || wish->qvel
                             ? thud_state_set(t->scene.model, wish->qpos, wish->qvel, t->scene.state)
                             : THUD_OK;
    status = status == THUD_OK ? stepper_create(&t->stepper, &t->scene, &wish->wishes, &diag) : status;
    if (status == THUD_OK && wish->ctrl) {
        snprintf(t->path, sizeof t->path, "%s/%s.csv", folder, wish->ctrl);
        status = stepper_play(&t->stepper, t->path, &diag);
    }
    if (status == THUD_OK) {
        t->nq = t->scene.model->nq;
        t->nv = t->scene.model->nv;
        t->steps = (int)llround(wish->time / t->stepper.options.h);
        status = make_room(t, wish->bare) ? THUD_OK : THUD_NO_MEMORY;
    }
    if (status != THUD_OK) {
        return scene_complain(t->path, status, &diag);
    }
    const thud_energy energy = thud_sim_energy(t->stepper.sim, stepper_state(&t->stepper));
    keep(t, 0, &(thud_certificate){.kinetic = energy.kinetic, .potential = energy.potential});
    take_steps(t, wish);
    return EXIT_DONE;
}

void trial_close(trial *t)
{
    stepper_destroy(&t->stepper);
    scene_close(&t->scene);
    thud_free(t->time);
    thud_free(t->qpos);
    thud_free(t->qvel);
    thud_free(t->certificate);
    *t = (trial){0};
}

thud_vec3 trial_spin(const trial *t, int step, int qpos, int qvel)
{
    const double *q = trial_qpos(t, step) + qpos + 3, *w = trial_qvel(t, step) + qvel + 3;
    return q_rotate((quat){q[0], q[1], q[2], q[3]}, (vec3){w[0], w[1], w[2]});
}
