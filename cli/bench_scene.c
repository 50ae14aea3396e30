// SPDX-License-Identifier: Apache-2.0
// bench_scene.c: how a scene of the list is opened.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <thud/spatial_inline.h>

#include "bench_scene.h"
#include "engine_thud.h"
#include "joint_fit.h"
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

// Where the bodies of the state are, as frames and as rigid bodies.
static thud_status find_bodies(course *c)
{
    thud_dynamics *d = NULL;
    thud_motion *twist = thud_alloc((size_t)c->model->joints + 1, sizeof *twist);
    const thud_status status = twist ? thud_dynamics_create(c->model, &d) : THUD_NO_MEMORY;
    if (status == THUD_OK) {
        yardstick_bodies(c->model, c->state->qpos, c->state->qvel, d, twist, c->X_wb, c->V_wb);
        course_rigids(c);
    }
    thud_dynamics_destroy(d);
    thud_free(twist);
    return status;
}

// ---------------------------------------------------------------------------------------- settling

engine_start course_start(const course *c, const void *wishes, double dt)
{
    return (engine_start){.path = c->path,
                          .model = c->model,
                          .state = c->state,
                          .X_wb = c->X_wb,
                          .V_wb = c->V_wb,
                          .rigids = c->rigids,
                          .rigid = c->rigid,
                          .rigid_of = c->rigid_of,
                          .X_cb = c->X_cb,
                          .dt = dt,
                          .wishes = wishes};
}

// The state's positions from where an engine's bodies are.
static void take_positions(course *c, const engine *e, void *world)
{
    const thud_model *m = c->model;
    if (e->joints) {
        e->joints(world, c->state->qpos, c->state->qvel);
        return;
    }
    e->bodies(world, c->X_wb, c->V_wb);
    for (int b = 1; b < m->bodies; b++) {
        const pose X_pb = pose_mul(pose_inv(c->X_wb[m->body_parent[b]]), c->X_wb[b]);
        joint_fit(m, b, X_pb, c->V_wb[b], c->state->qpos, c->state->qvel);
    }
}

// Goes on for a while, as Thud does it: a peer, which has no hard contact, would leave a pile sunk.
static thud_status go_on(course *c, double time, double tolerance, thud_diag *diag)
{
    const engine *const e = &engine_thud;
    const double dt = 1.0 / 120;
    step_wishes loose = WISHES_NONE;
    loose.tolerance = tolerance;
    loose.threads = 0; // all there are: the bits are the same
    char why[ENGINE_WHY_SIZE];
    THUD_TRY(find_bodies(c));
    const engine_start start = course_start(c, &loose, dt);
    void *world = e->open(&start, why);
    if (!world) {
        return thud_fail(THUD_UNSUPPORTED, diag, c->path, 1, 1, "%s cannot bring it to rest: %s", e->title,
                         why);
    }
    const int steps = (int)ceil(time / dt);
    const bool good = e->step(world, steps) == steps;
    take_positions(c, e, world);
    e->close(world);
    return good ? THUD_OK
                : thud_fail(THUD_NOT_SOLVED, diag, c->path, 1, 1, "%s did not bring it to rest", e->title);
}

// Brings the scene to rest: it falls roughly, and then comes to rest with some care.
static thud_status settle(course *c, thud_diag *diag)
{
    static const double FALL = 2.0 / 3; // of the time
    THUD_TRY(go_on(c, FALL * c->scene->settle, 1e-2, diag));
    return go_on(c, (1 - FALL) * c->scene->settle, 1e-3, diag);
}

// From the folder of states where it is there, else by settling.
static thud_status settled(course *c, const char *states, thud_diag *diag)
{
    char path[640];
    snprintf(path, sizeof path, "%s/%s.state", states ? states : "", c->scene->name);
    if (!states || access(path, R_OK) != 0 || thud_state_read(c->model, path, c->state, diag) != THUD_OK) {
        THUD_TRY(settle(c, diag));
        c->state->warm_count = 0;
        memset(c->state->qvel, 0, sizeof *c->state->qvel * (size_t)c->model->nv);
        if (states) {
            THUD_TRY(thud_state_write(c->state, path, diag));
        }
    }
    return find_bodies(c);
}

// ---------------------------------------------------------------------------------------- open, close

static thud_status make_room(course *c)
{
    const size_t bodies = (size_t)c->model->bodies;
    c->X_wb = thud_alloc(bodies, sizeof *c->X_wb);
    c->V_wb = thud_alloc(bodies, sizeof *c->V_wb);
    c->rigid = thud_alloc(bodies, sizeof *c->rigid);
    c->rigid_of = thud_alloc(bodies, sizeof *c->rigid_of);
    c->X_cb = thud_alloc(bodies, sizeof *c->X_cb);
    return c->X_wb && c->V_wb && c->rigid && c->rigid_of && c->X_cb ? THUD_OK : THUD_NO_MEMORY;
}

thud_status course_open(course *c, const bench_scene *which, const course_place *place, thud_diag *diag)
{
    *c = (course){.scene = which};
    if (which->given) {
        snprintf(c->path, sizeof c->path, "%s", which->file);
    } else {
        snprintf(c->path, sizeof c->path, "%s/%s.xml", place->scenes, which->file ? which->file : "");
    }
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
    THUD_TRY(make_room(c));
    return which->settle > 0 ? settled(c, place->states, diag) : find_bodies(c);
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
