// SPDX-License-Identifier: Apache-2.0
// bench_scene.c: how a scene of the list is opened.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench_scene.h"
#include "engine_thud.h"
#include "yardstick.h"

// ---------------------------------------------------------------------------------------- files

// All of a file, terminated; NULL where it cannot be read.
static char *read_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        return NULL;
    }
    size_t room = 1 << 16, length = 0, got;
    char *text = thud_alloc(room, 1);
    while (text && (got = fread(text + length, 1, room - length - 1, f)) > 0) {
        length += got;
        char *more = length + 1 < room ? text : thud_resize(text, room *= 2);
        if (!more) {
            thud_free(text);
        }
        text = more;
    }
    fclose(f);
    if (text) {
        text[length] = '\0';
    }
    return text;
}

static thud_status write_made(course *c, const char *source, thud_diag *diag)
{
    char *text = c->scene->made == MADE_COPIES ? read_text(source) : NULL;
    if (c->scene->made == MADE_COPIES && !text) {
        return thud_fail(THUD_BAD_FILE, diag, source, 1, 1, "it cannot be read: %s", strerror(errno));
    }
    const char *folder = getenv("TMPDIR");
    snprintf(c->path, sizeof c->path, "%s/thud-bench-XXXXXX.xml", folder ? folder : P_tmpdir);
    const int file = mkstemps(c->path, 4);
    FILE *out = file >= 0 ? fdopen(file, "w") : NULL;
    if (out) {
        c->made = true;
        bench_make(out, c->scene, text);
    }
    thud_free(text);
    if (!out || fclose(out) != 0) {
        return thud_fail(THUD_BAD_FILE, diag, c->path, 1, 1, "it cannot be written: %s", strerror(errno));
    }
    return THUD_OK;
}

// ---------------------------------------------------------------------------------------- settling

// Lets Thud bring the scene to rest, and forgets the last speeds: every engine starts from the same pose.
static thud_status settle(course *c, thud_diag *diag)
{
    thud_step_options o = thud_step_defaults(c->model);
    thud_sim *sim;
    o.h = fmax(c->dt, 5e-3);
    o.law.tolerance = 1e-4;
    THUD_TRY(thud_sim_create(c->model, &o, &sim, diag));
    thud_status status = THUD_OK;
    while (c->state->time < c->scene->settle && status == THUD_OK) {
        status = thud_sim_step(sim, NULL, c->state, NULL);
        if (status == THUD_NO_MEMORY) {
            status = thud_sim_grow(sim, c->state);
        }
    }
    thud_sim_destroy(sim);
    return status;
}

static thud_status settled(course *c, const char *states, thud_diag *diag)
{
    char path[640];
    snprintf(path, sizeof path, "%s/%s.state", states ? states : "", c->scene->name);
    if (!states || access(path, R_OK) != 0 || thud_state_read(c->model, path, c->state, diag) != THUD_OK) {
        THUD_TRY(settle(c, diag));
        if (states) {
            THUD_TRY(thud_state_write(c->state, path, diag));
        }
    }
    for (int i = 0; i < c->model->nv; i++) {
        c->state->qvel[i] = 0;
    }
    c->state->time = 0;
    return THUD_OK;
}

// ---------------------------------------------------------------------------------------- open, close

static thud_status find_bodies(course *c)
{
    thud_dynamics *d;
    c->X_wb = thud_alloc((size_t)c->model->bodies, sizeof *c->X_wb);
    c->V_wb = thud_alloc((size_t)c->model->bodies, sizeof *c->V_wb);
    thud_motion *twist = thud_alloc((size_t)c->model->joints + 1, sizeof *twist);
    const thud_status status =
        c->X_wb && c->V_wb && twist ? thud_dynamics_create(c->model, &d) : THUD_NO_MEMORY;
    if (status == THUD_OK) {
        yardstick_bodies(c->model, c->state->qpos, c->state->qvel, d, twist, c->X_wb, c->V_wb);
        thud_dynamics_destroy(d);
    }
    thud_free(twist);
    return status;
}

thud_status course_open(course *c, const bench_scene *which, const char *folder, const char *states,
                        thud_diag *diag)
{
    *c = (course){.scene = which};
    snprintf(c->path, sizeof c->path, "%s/%s.xml", folder, which->file ? which->file : "");
    if (which->made != MADE_NOT) {
        char source[640];
        memcpy(source, c->path, sizeof source);
        THUD_TRY(write_made(c, source, diag));
    }
    THUD_TRY(thud_load_mjcf(c->path, &c->spec, diag));
    THUD_TRY(thud_model_build(c->spec, &c->model, diag));
    THUD_TRY(thud_state_create(c->model, &c->state));
    c->dt = which->dt > 0 ? which->dt : c->model->timestep;
    if (which->keyframe) {
        const int key = thud_model_find(c->model, THUD_KIND_KEY, which->keyframe);
        if (key < 0) {
            return thud_fail(THUD_BAD_ARGUMENT, diag, c->path, 1, 1, "no keyframe '%s'", which->keyframe);
        }
        THUD_TRY(thud_state_reset(c->model, key, c->state));
    }
    if (which->settle > 0) {
        THUD_TRY(settled(c, states, diag));
    }
    THUD_TRY(find_bodies(c));
    return course_rigids(c);
}

void course_close(course *c)
{
    if (c->made) {
        unlink(c->path);
    }
    thud_free(c->X_wb);
    thud_free(c->V_wb);
    thud_free(c->rigid);
    thud_free(c->rigid_of);
    thud_free(c->X_cb);
    thud_state_destroy(c->state);
    thud_model_destroy(c->model);
    thud_spec_destroy(c->spec);
    *c = (course){0};
}
