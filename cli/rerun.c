// SPDX-License-Identifier: Apache-2.0
// rerun.c: a recording to a scene and options, and its steps once more.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "filed.h"
#include "rerun.h"

static int say(const rerun *r, const char *why)
{
    fprintf(stderr, "%s:1:1: %s\n", r->path, why);
    return EXIT_BAD_INPUT;
}

// The recording's columns are those that a run of this model has.
static bool fits(const rerun *r)
{
    const thud_model *m = r->scene.model;
    const thud_recording *g = r->recording;
    return g->rows > 0 && thud_recording_find(g, "time") == 0 &&
           (m->nq == 0 || thud_recording_find(g, "qpos[0]") == 1) &&
           (m->nv == 0 || thud_recording_find(g, "qvel[0]") == 1 + m->nq) &&
           (m->actuators == 0 || thud_recording_find(g, "ctrl[0]") == 1 + m->nq + m->nv + m->activations) &&
           g->columns > m->nq + m->nv + m->activations + m->actuators + 7 * m->mocaps + m->readings;
}

static const double *row_of(const rerun *r, int64_t row)
{
    return r->recording->value + (size_t)row * (size_t)r->recording->columns;
}

static void set_start(const rerun *r)
{
    thud_state *s = r->scene.state;
    const double *row = row_of(r, 0); // as they are: normalising again could change a bit
    s->time = row[0];
    memcpy(s->qpos, row + 1, (size_t)s->nq * sizeof *row);
    memcpy(s->qvel, row + 1 + s->nq, (size_t)s->nv * sizeof *row);
    memcpy(s->act, row + 1 + s->nq + s->nv, (size_t)s->na * sizeof *row);
    memcpy(s->mocap, row + 1 + s->nq + s->nv + s->na + s->nu, 7 * (size_t)s->nm * sizeof *row);
    scene_see(&r->scene);
}

int rerun_open(rerun *r, const char *path, const char *at)
{
    thud_diag diag = {0};
    step_wishes wishes;
    *r = (rerun){.path = path};
    thud_status status = thud_recording_read(path, &r->recording, &diag);
    if (status != THUD_OK) {
        return scene_complain(path, status, &diag);
    }
    const char *why = run_notes_read(r->recording, &r->notes, &wishes);
    if (why) {
        return say(r, why);
    }
    r->notes.scene = at ? at : r->notes.scene;
    const int code = filed_scene(path, r->recording, at, &r->scene);
    if (code != EXIT_DONE) {
        return code;
    }
    if (!fits(r)) {
        return say(r, "its scene is not the same any more, or is built by another version");
    }
    const thud_recording_table *forces = &r->recording->force;
    const int row = thud_recording_table_find(forces, "row"),
              tau = thud_recording_table_find(forces, "tau[0]");
    if (forces->rows > 0 && (forces->columns != r->scene.model->nv + 1 || row != 0 || tau != 1)) {
        return say(r, "its forces are not those of this model");
    }
    set_start(r);
    status = stepper_create(&r->stepper, &r->scene, &wishes, &diag);
    if (status == THUD_OK && forces->rows > 0 && r->stepper.wide_model) {
        return say(r, "its forces are of joints, and it was run in maximal coordinates");
    }
    return status == THUD_OK ? EXIT_DONE : scene_complain(r->notes.scene, status, &diag);
}

void rerun_close(rerun *r)
{
    stepper_destroy(&r->stepper);
    scene_close(&r->scene);
    thud_recording_destroy(r->recording);
    *r = (rerun){0};
}

static void compare(rerun *r, const double *row)
{
    const thud_state *s = r->scene.state;
    const size_t nq = (size_t)s->nq, nv = (size_t)s->nv;
    const bool same = memcmp(row + 1, s->qpos, nq * sizeof *row) == 0 &&
                      memcmp(row + 1 + nq, s->qvel, nv * sizeof *row) == 0;
    r->rows++;
    if (!same) {
        r->first = r->differ++ == 0 ? s->time : r->first;
        for (size_t i = 0; i < nq + nv; i++) {
            const double now = i < nq ? s->qpos[i] : s->qvel[i - nq];
            r->difference = fmax(r->difference, fabs(now - row[1 + i]));
        }
    }
}

static thud_status start(rerun *r)
{
    const thud_energy e = thud_sim_energy(r->stepper.sim, stepper_state(&r->stepper));
    r->summary = summary_start(&r->stepper.options, r->stepper.sim, e.kinetic + e.potential);
    r->summary.maximal = r->stepper.wide_model != NULL;
    r->summary.doubts = (doubt_view){r->stepper.sim, stepper_model(&r->stepper)};
    compare(r, row_of(r, 0));
    return THUD_OK;
}

// The forces of the caller in the step that led to this row: NULL, none. Their table is in the order of the rows.
static const double *forces_of(rerun *r, int64_t row)
{
    const thud_recording_table *t = &r->recording->force;
    for (; r->next_force < t->rows; r->next_force++) {
        const double *at = t->value + (size_t)r->next_force * (size_t)t->columns;
        if (at[0] >= (double)row) {
            return at[0] == (double)row ? at + 1 : NULL;
        }
    }
    return NULL;
}

// One step with the controls of the row that it leads to; between recorded rows those of the next one are taken.
static thud_status step(rerun *r, const double *row)
{
    thud_certificate c;
    const thud_state *s = r->scene.state;
    if (s->nu > 0) {
        THUD_TRY(thud_state_control(stepper_state(&r->stepper), row + 1 + s->nq + s->nv + s->na, NULL));
    }
    const double before = thud_clock_wall();
    THUD_TRY(stepper_step(&r->stepper, &c));
    r->summary.stepping += thud_clock_wall() - before;
    summary_add(&r->summary, &c);
    return THUD_OK;
}

int rerun_go(rerun *r)
{
    const double begun = thud_clock_wall();
    const int64_t rows = r->recording->rows, steps = (rows - 1) * r->notes.every;
    thud_status status = start(r);
    for (int64_t k = 1; k <= steps && status == THUD_OK; k++) {
        const int64_t number = (k + r->notes.every - 1) / r->notes.every;
        const double *row = row_of(r, number);
        r->stepper.tau = forces_of(r, number);
        status = step(r, row);
        if (status == THUD_OK && k % r->notes.every == 0) {
            compare(r, row);
        }
    }
    r->summary.wall = thud_clock_wall() - begun;
    r->summary.finished = status == THUD_OK;
    if (status != THUD_OK && status != THUD_NO_MEMORY) {
        fprintf(stderr, "%s:1:1: at t = %g s the run could not go on as it was recorded\n", r->path,
                r->scene.state->time);
        return EXIT_CERTIFICATE;
    }
    return status == THUD_OK ? EXIT_DONE : scene_complain(r->path, status, &(thud_diag){0});
}
