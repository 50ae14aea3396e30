// SPDX-License-Identifier: Apache-2.0
// mujoco_world.c: MuJoCo as an engine of `thud bench`. It reads the scene itself, with its own defaults.
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"

typedef struct world {
    const engine_start *start;
    mjModel *m;
    mjData *d;
    int warnings; // of numbers gone bad, at the last look
} world;

// Its rows and Jacobians are laid out in full beforehand: njmax x nv numbers, twice.
static const double memory_max = 4e9;

static void close_world(void *it)
{
    world *w = it;
    if (w) {
        mj_deleteData(w->d);
        mj_deleteModel(w->m);
        free(w);
    }
}

static int bad_numbers(const mjData *d)
{
    return d->warning[mjWARN_BADQPOS].number + d->warning[mjWARN_BADQVEL].number +
           d->warning[mjWARN_BADQACC].number;
}

static void quiet(const char *text) // what it warns of is asked for instead
{
    (void)text;
}

static void *open_world(const engine_start *start, char why[ENGINE_WHY_SIZE])
{
    mju_user_warning = quiet;
    world *w = calloc(1, sizeof *w);
    w->start = start;
    w->m = mj_loadXML(start->path, NULL, why, ENGINE_WHY_SIZE);
    if (!w->m) {
        why[strcspn(why, "\n")] = '\0';
        free(w);
        return NULL;
    }
    const double bytes = 16.0 * w->m->njmax * w->m->nv;
    if (w->m->nq != start->model->nq || w->m->nv != start->model->nv || w->m->na != start->state->na) {
        snprintf(why, ENGINE_WHY_SIZE, "its model has %d positions, ours %d", w->m->nq, start->model->nq);
    } else if (bytes > memory_max) {
        snprintf(why, ENGINE_WHY_SIZE, "its rows would take %.0f GB", bytes / 1e9);
    } else if ((w->d = mj_makeData(w->m))) {
        w->m->opt.timestep = start->dt;
        mju_copy(w->d->qpos, start->state->qpos, w->m->nq);
        mju_copy(w->d->qvel, start->state->qvel, w->m->nv);
        mju_copy(w->d->act, start->state->act, w->m->na);
        mju_copy(w->d->ctrl, start->state->ctrl, w->m->nu);
        return w;
    } else {
        snprintf(why, ENGINE_WHY_SIZE, "it could not allocate its data");
    }
    close_world(w);
    return NULL;
}

static int step_world(void *it, int count)
{
    world *w = it;
    for (int i = 0; i < count; i++) {
        if (w->start->control) {
            w->start->control(w->d->time, w->m->nu, w->d->ctrl);
        }
        mj_step(w->m, w->d);
        if (bad_numbers(w->d) > w->warnings) { // it has put itself back to the start
            w->warnings = bad_numbers(w->d);
            return i;
        }
    }
    return count;
}

static void read_joints(void *it, double *qpos, double *qvel)
{
    const world *w = it;
    mju_copy(qpos, w->d->qpos, w->m->nq);
    mju_copy(qvel, w->d->qvel, w->m->nv);
}

const engine thud_peer = {.abi = ENGINE_ABI,
                          .name = "mujoco",
                          .title = "MuJoCo 2.2.2",
                          .open = open_world,
                          .close = close_world,
                          .step = step_world,
                          .joints = read_joints};
